"""The arguments of CREATE VIRTUAL TABLE ... USING fts3 or fts4.

An argument is the tokenizer (`tokenize=name arguments`), for FTS4 an option `name=value`, else a column, of which only the
first word counts.

Source: https://www.sqlite.org/fts3.html sections 1.2 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.vtab.fts3.tokenizers import make_tokenizer
from minisql.vtab.shadow_tables import literal, quoted

_OPTIONS = frozenset(
    ("matchinfo", "prefix", "compress", "uncompress", "order", "content", "languageid", "notindexed")
)
_MAX_PREFIX = 10000000


def _error(text: str) -> Error:
    return sqlite_error(ERROR, text)


class Configuration:
    """What a table is like.

    `content` is the name of the table that holds the rows ('' for none at all, None for %_content); `prefixes` are the lengths
    of the prefix indexes in bytes, with a 0 for the main index in front.
    """

    def __init__(self, schema_name: str, table_name: str, is_fts4: bool) -> None:
        self.schema_name = schema_name
        self.table_name = table_name
        self.is_fts4 = is_fts4
        self.columns: list[str] = []
        self.is_indexed: list[bool] = []
        self.tokenizer: Any = None
        self.has_sizes = is_fts4
        self.is_descending = False
        self.compress: str | None = None
        self.uncompress: str | None = None
        self.content: str | None = None
        self.language: str | None = None
        self.prefixes: list[int] = [0]
        self.prefix_option = ""

    @property
    def n_columns(self) -> int:
        """The number of columns of text."""
        return len(self.columns)

    def table_sql(self, suffix: str) -> str:
        """A shadow table's name for use in SQL."""
        return f"{quoted(self.schema_name)}.{quoted(self.table_name + '_' + suffix)}"

    def declaration(self) -> str:
        """The CREATE TABLE text that declares the columns; raises for two of one name."""
        names = [name.lower() for name in (*self.columns, self.table_name, "docid", self.language or "__langid")]
        if len(set(names)) < len(names):
            raise _error(f"vtable constructor failed: {self.table_name}")
        columns = ", ".join(literal(name) for name in self.columns)
        language = literal(self.language or "__langid")
        return f"CREATE TABLE x({columns}, {literal(self.table_name)} HIDDEN, docid HIDDEN, {language} HIDDEN)"


def is_word_character(character: str) -> bool:
    """Whether a character belongs to a bare word."""
    return not character.isascii() or character.isalnum() or character == "_"


def next_word(text: str, place: int) -> tuple[str | None, int]:
    """The next bare or quoted word with its quotes, None if there is none, and where it ends."""
    n = len(text)
    while place < n:
        character = text[place]
        if character in "'\"`":
            end = place + 1
            while end < n:
                if text[end] == character:
                    if text[end + 1 : end + 2] != character:
                        break
                    end += 1
                end += 1
            end = min(end + 1, n)
        elif character == "[":
            end = text.find("]", place)
            end = n if end < 0 else end + 1
        elif is_word_character(character):
            end = place + 1
            while end < n and is_word_character(text[end]):
                end += 1
        else:
            place += 1
            continue
        return text[place:end], end
    return None, n


def unquoted(word: str) -> str:
    """A word without its quotes."""
    if not word or word[0] not in "'\"`[":
        return word
    closing = "]" if word[0] == "[" else word[0]
    parts = []
    place = 1
    while place < len(word):
        if word[place] == closing:
            if word[place + 1 : place + 2] != closing:
                break
            place += 1
        parts.append(word[place])
        place += 1
    return "".join(parts)


def parse_arguments(
    schema_name: str, table_name: str, arguments: Sequence[str], is_fts4: bool
) -> tuple[Configuration, bool]:
    """The configuration, and whether columns were given (else they are those of the content table, or one `content`)."""
    configuration = Configuration(schema_name, table_name, is_fts4)
    unindexed: list[str] = []
    for argument in arguments:
        if configuration.tokenizer is None and _is_tokenizer(argument):
            configuration.tokenizer = make_tokenizer(_words(argument[9:]))
        elif is_fts4 and "=" in argument:
            name, _equals, value = argument.partition("=")
            _take_option(configuration, argument, name.lower(), unquoted(value), unindexed)
        else:
            word, _end = next_word(argument, 0)
            configuration.columns.append(unquoted(word or ""))
    configuration.prefixes = [0, *_prefixes(configuration.prefix_option)]
    if configuration.content is not None:
        configuration.compress = configuration.uncompress = None
        if configuration.columns and configuration.language is not None:
            configuration.columns = [
                name for name in configuration.columns if name.lower() != configuration.language.lower()
            ]
    has_columns = bool(configuration.columns)
    if not has_columns and configuration.content is None:
        configuration.columns = ["content"]
        has_columns = True
    if configuration.tokenizer is None:
        configuration.tokenizer = make_tokenizer(["simple"])
    configuration.is_indexed = [True] * len(configuration.columns)
    _mark_unindexed(configuration, unindexed, has_columns)
    if (configuration.compress is None) != (configuration.uncompress is None):
        missing = "compress" if configuration.compress is None else "uncompress"
        raise _error(f"missing {missing} parameter in fts4 constructor")
    return configuration, has_columns


def take_columns(configuration: Configuration, names: Sequence[str], unindexed: Sequence[str]) -> None:
    """The columns of the content table."""
    language = configuration.language
    configuration.columns = [name for name in names if language is None or name.lower() != language.lower()]
    configuration.is_indexed = [True] * len(configuration.columns)
    _mark_unindexed(configuration, unindexed, True)


def unindexed_names(arguments: Sequence[str]) -> list[str]:
    """The values of the options `notindexed`."""
    return [unquoted(argument[11:]) for argument in arguments if argument[:11].lower() == "notindexed="]


def _mark_unindexed(configuration: Configuration, names: Sequence[str], is_complete: bool) -> None:
    if not is_complete:
        return
    lowered = [name.lower() for name in configuration.columns]
    for name in names:
        if name.lower() not in lowered:
            raise _error(f"no such column: {name}")
        configuration.is_indexed[lowered.index(name.lower())] = False


def _is_tokenizer(argument: str) -> bool:
    return len(argument) > 8 and argument[:8].lower() == "tokenize" and not is_word_character(argument[8])


def _words(text: str) -> list[str]:
    """The words of a tokenizer option, without their quotes."""
    words: list[str] = []
    place = 0
    while True:
        word, place = next_word(text, place)
        if word is None:
            return words
        words.append(unquoted(word))


def _take_option(
    configuration: Configuration, argument: str, name: str, value: str, unindexed: list[str]
) -> None:
    if name not in _OPTIONS:
        raise _error(f"unrecognized parameter: {argument}")
    if name == "matchinfo":
        if value.lower() != "fts3":
            raise _error(f"unrecognized matchinfo: {value}")
        configuration.has_sizes = False
    elif name == "order":
        if value.lower() not in ("asc", "desc"):
            raise _error(f"unrecognized order: {value}")
        configuration.is_descending = value.lower() == "desc"
    elif name == "prefix":
        configuration.prefix_option = value
    elif name == "languageid":
        configuration.language = value
    elif name == "notindexed":
        unindexed.append(value)
    else:
        setattr(configuration, name, value)


def _prefixes(value: str) -> list[int]:
    """The lengths of prefix indexes; those of 0 do not count."""
    lengths = []
    place = 0
    if not value:
        return []
    for _ in range(value.count(",") + 1):
        end = place
        while end < len(value) and value[end].isascii() and value[end].isdigit():
            end += 1
        if end == place:
            raise _error(f"error parsing prefix parameter: {value}")
        length = min(int(value[place:end]), _MAX_PREFIX)
        if length:
            lengths.append(length)
        place = end + 1
    return lengths
