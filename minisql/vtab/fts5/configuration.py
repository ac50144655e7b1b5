"""The configuration of an FTS5 table: the arguments of CREATE VIRTUAL TABLE, and the persistent settings in %_config.

Source: https://www.sqlite.org/fts5.html sections 4 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minisql.errors import CORRUPT_VTAB, ERROR, Error, sqlite_error
from minisql.values.affinity import apply_numeric
from minisql.vtab.fts5.formats import COLUMN, FULL, NONE
from minisql.vtab.fts5.tokenizers import Factory, make_tokenizer
from minisql.vtab.shadow_tables import quoted

_NORMAL, _EXTERNAL, _CONTENTLESS = range(3)
_MAX_PREFIXES = 31
_MAX_PREFIX = 999
VERSION = 4
VERSION_SECURE_DELETE = 5
MAX_PAGE_SIZE = 64 * 1024
_OPTIONS = (
    "prefix", "tokenize", "content", "contentless_delete", "contentless_unindexed", "content_rowid", "columnsize", "locale",
    "detail", "tokendata",
)  # fmt: skip


def _error(text: str) -> Error:
    return sqlite_error(ERROR, text)


class Configuration:
    """What an FTS5 table is like.

    `columns` names with `is_unindexed` by column; `prefixes` lengths of the prefix indexes; `content` the name of the content
    table ('' for a contentless one, None for one's own); `detail`; `has_sizes`; the settings of %_config.
    """

    def __init__(self, schema_name: str, table_name: str) -> None:
        self.schema_name = schema_name
        self.table_name = table_name
        self.columns: list[str] = []
        self.is_unindexed: list[bool] = []
        self.prefixes: list[int] = []
        self.tokenizer_words: list[str] | None = None
        self.tokenizer: Any = None
        self.kind = _NORMAL
        self.content: str | None = None
        self.content_rowid = "rowid"
        self._content_rowid_given = False
        self.has_sizes = True
        self.detail = FULL
        self.is_deletable = False
        self.keeps_unindexed = False
        self.has_locale = False
        self.has_token_data = False
        self.set_defaults()

    def set_defaults(self) -> None:
        """The settings that %_config can change."""
        self.page_size = 4050
        self.hash_size = 1024 * 1024
        self.automerge = 4
        self.usermerge = 4
        self.crisismerge = 16
        self.delete_merge = 10
        self.rank = "bm25"
        self.rank_arguments: list[Any] = []
        self.is_secure_delete = False
        self.has_insttoken = False
        self.version = VERSION

    @property
    def n_columns(self) -> int:
        """The number of columns, unindexed ones included."""
        return len(self.columns)

    @property
    def has_own_content(self) -> bool:
        """Whether %_content holds the rows."""
        return self.kind == _NORMAL or (self.kind == _CONTENTLESS and self.keeps_unindexed)

    @property
    def is_contentless(self) -> bool:
        """Whether the text of a row is not kept anywhere."""
        return self.kind == _CONTENTLESS

    @property
    def is_external(self) -> bool:
        """Whether another table holds the rows."""
        return self.kind == _EXTERNAL

    def table_sql(self, suffix: str) -> str:
        """A shadow table's name for use in SQL."""
        return f"{quoted(self.schema_name)}.{quoted(self.table_name + '_' + suffix)}"

    def declaration(self) -> str:
        """The CREATE TABLE text that declares the columns."""
        columns = [quoted(name) for name in self.columns]
        return f"CREATE TABLE x({', '.join(columns)}, {quoted(self.table_name)} HIDDEN, rank HIDDEN)"

    # Settings

    def load(self, rows: Sequence[tuple[Any, Any]]) -> None:
        """Takes the rows of %_config; raises for a version that nobody knows."""
        self.set_defaults()
        self.version = 0
        for key, value in rows:
            if key == "version":
                self.version = value if isinstance(value, int) else 0
            elif isinstance(key, str):
                self.change(key, value)
        if self.version not in (VERSION, VERSION_SECURE_DELETE):
            expected = f"{VERSION} or {VERSION_SECURE_DELETE}"
            text = f"invalid fts5 file format (found {self.version}, expected {expected}) - run 'rebuild'"
            raise sqlite_error(CORRUPT_VTAB, text)

    def change(self, key: str, value: Any) -> bool:
        """Changes one setting; False if there is no such setting or no such value."""
        lowered = key.lower()
        if lowered == "rank":
            if not isinstance(value, str):
                return False
            parsed = parse_rank(value)
            if parsed is None:
                return False
            self.rank, self.rank_arguments = parsed
            return True
        value = apply_numeric(value)
        if lowered not in _RANGES or not isinstance(value, int):
            return False
        attribute, least, most = _RANGES[lowered]
        # SQLite reads the low 32 bits.
        value = (value + (1 << 31)) % (1 << 32) - (1 << 31)
        if lowered == "automerge" and value == 1:
            value = 4
        elif lowered == "crisismerge" and value <= 1:
            value = 16 if value >= 0 else value
        elif lowered == "deletemerge":
            value = 10 if value < 0 else min(value, 100)
        elif lowered == "usermerge" and not 2 <= value <= 16:
            return False
        if not least <= value <= most:
            return False
        if lowered == "crisismerge" and value >= 2000:
            value = 1999
        setattr(self, attribute, bool(value) if attribute.startswith(("is_", "has_")) else value)
        return True


_RANGES = {
    "pgsz": ("page_size", 32, MAX_PAGE_SIZE),
    "hashsize": ("hash_size", 1, 1 << 31),
    "automerge": ("automerge", 0, 64),
    "usermerge": ("usermerge", 2, 16),
    "crisismerge": ("crisismerge", 0, 1 << 31),
    "deletemerge": ("delete_merge", 0, 100),
    "secure-delete": ("is_secure_delete", 0, 1 << 31),
    "insttoken": ("has_insttoken", 0, 1 << 31),
}


# Arguments


def parse_arguments(
    schema_name: str, table_name: str, arguments: Sequence[str], own_tokenizers: dict[str, Factory]
) -> Configuration:
    """The configuration that CREATE VIRTUAL TABLE describes; raises SQLite's error for what makes no sense."""
    configuration = Configuration(schema_name, table_name)
    if table_name.lower() == "rank":
        raise _error(f"reserved fts5 table name: {table_name}")
    for argument in arguments:
        _take_argument(configuration, argument)
    if configuration.is_deletable:
        if not configuration.is_contentless:
            raise _error("contentless_delete=1 requires a contentless table")
        if not configuration.has_sizes:
            raise _error("contentless_delete=1 is incompatible with columnsize=0")
    if configuration.keeps_unindexed and not configuration.is_contentless:
        raise _error("contentless_unindexed=1 requires a contentless table")
    configuration.tokenizer = make_tokenizer(configuration.tokenizer_words or ["unicode61"], own_tokenizers)
    if not configuration.columns:
        raise _error(f"vtable constructor failed: {table_name}")
    lowered = [name.lower() for name in (*configuration.columns, table_name)]
    if len(set(lowered)) != len(lowered):
        raise _error(f"vtable constructor failed: {table_name}")
    if configuration.keeps_unindexed and not any(configuration.is_unindexed):
        configuration.keeps_unindexed = False
    return configuration


def _take_argument(configuration: Configuration, argument: str) -> None:
    """One argument: `name = value`, or a column with its option."""
    text = argument.strip(" ")
    word, place = _word_or_string(text, 0)
    if word is None:
        raise _error(f'parse error in "{argument}"')
    name = word
    place = _skip(text, place)
    if place < len(text) and text[place] == "=":
        value, end = _word_or_string(text, _skip(text, place + 1))
        if value is None and _skip(text, place + 1) < len(text):
            raise _error(f'parse error in "{argument}"')
        if value is not None and _skip(text, end) != len(text):
            raise _error(f'parse error in "{argument}"')
        _take_option(configuration, name, value if value is not None else "")
        return
    option = ""
    if place < len(text):
        second, end = _word_or_string(text, place)
        if second is None or _skip(text, end) != len(text):
            raise _error(f'parse error in "{argument}"')
        option = second
    _take_column(configuration, name, option)


def _take_column(configuration: Configuration, name: str, option: str) -> None:
    if name.lower() in ("rank", "rowid"):
        raise _error(f"reserved fts5 column name: {name}")
    if option and option.lower() != "unindexed":
        raise _error(f"unrecognized column option: {option}")
    configuration.columns.append(name)
    configuration.is_unindexed.append(bool(option))


def _take_option(configuration: Configuration, name: str, value: str) -> None:
    lowered = name.lower()
    # An option may be shortened; the first that fits is meant.
    option = next((item for item in _OPTIONS if item.startswith(lowered)), None) if lowered else None
    if option is None:
        raise _error(f'unrecognized option: "{name}"')
    if option == "prefix":
        _take_prefixes(configuration, value)
    elif option == "tokenize":
        _take_tokenizer(configuration, value)
    elif option == "content":
        if configuration.kind != _NORMAL:
            raise _error("multiple content=... directives")
        configuration.kind = _EXTERNAL if value else _CONTENTLESS
        configuration.content = value
    elif option == "content_rowid":
        if configuration._content_rowid_given:
            raise _error("multiple content_rowid=... directives")
        configuration.content_rowid = value
        configuration._content_rowid_given = True
    elif option == "detail":
        details = [item for item in (NONE, FULL, "columns") if item.startswith(value.lower())]
        if not details:
            raise _error("malformed detail=... directive")
        configuration.detail = COLUMN if details[0] == "columns" else details[0]
    else:
        if value not in ("0", "1"):
            raise _error(f"malformed {option}=... directive")
        setattr(configuration, _FLAGS[option], value == "1")


_FLAGS = {
    "columnsize": "has_sizes",
    "contentless_delete": "is_deletable",
    "contentless_unindexed": "keeps_unindexed",
    "locale": "has_locale",
    "tokendata": "has_token_data",
}


def _take_prefixes(configuration: Configuration, value: str) -> None:
    place = 0
    is_first = True
    while True:
        while place < len(value) and value[place] == " ":
            place += 1
        if not is_first and place < len(value) and value[place] == ",":
            place += 1
            while place < len(value) and value[place] == " ":
                place += 1
        elif place == len(value):
            return
        if place == len(value) or not value[place].isascii() or not value[place].isdigit():
            raise _error("malformed prefix=... directive")
        if len(configuration.prefixes) == _MAX_PREFIXES:
            raise _error(f"too many prefix indexes (max {_MAX_PREFIXES})")
        end = place
        while end < len(value) and value[end].isascii() and value[end].isdigit():
            end += 1
        length = int(value[place:end]) if end - place < 10 else _MAX_PREFIX + 1
        if not 1 <= length <= _MAX_PREFIX:
            raise _error(f"prefix length out of range (max {_MAX_PREFIX})")
        configuration.prefixes.append(length)
        place = end
        is_first = False


def _take_tokenizer(configuration: Configuration, value: str) -> None:
    if configuration.tokenizer_words is not None:
        raise _error("multiple tokenize=... directives")
    words = []
    place = _skip(value, 0)
    while place < len(value):
        if value[place] == "'":
            word, place = _quoted(value, place)
        else:
            end = place
            while end < len(value) and _is_bareword(value[end]):
                end += 1
            word, place = (value[place:end], end) if end > place else (None, place)
        if word is None:
            raise _error("parse error in tokenize directive")
        words.append(word)
        place = _skip(value, place)
    configuration.tokenizer_words = words or ["unicode61"]


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] == " ":
        place += 1
    return place


def _is_bareword(character: str) -> bool:
    return not character.isascii() or character.isalnum() or character in "_\x1a"


def _word_or_string(text: str, place: int) -> tuple[str | None, int]:
    """A bareword or quoted string at a place, None if there is none, and where it ends."""
    if place >= len(text):
        return None, place
    if text[place] in "'\"`[":
        word, end = _quoted(text, place)
        return (None, place) if word is None else (word, end)
    end = place
    while end < len(text) and _is_bareword(text[end]):
        end += 1
    return (text[place:end], end) if end > place else (None, place)


def _quoted(text: str, place: int) -> tuple[str | None, int]:
    """The content of a string in any of SQLite's quotes; None if it does not end."""
    closing = "]" if text[place] == "[" else text[place]
    parts = []
    place += 1
    while place < len(text):
        if text[place] != closing:
            parts.append(text[place])
            place += 1
        elif place + 1 < len(text) and text[place + 1] == closing and closing != "]":
            parts.append(closing)
            place += 2
        else:
            return "".join(parts), place + 1
    return None, place


# Rank


def parse_rank(text: str) -> tuple[str, list[Any]] | None:
    """`name(arg, ...)`: the function and its constant arguments; None if it is not of that form."""
    place = _skip(text, 0)
    end = place
    while end < len(text) and _is_bareword(text[end]):
        end += 1
    name = text[place:end]
    place = _skip(text, end)
    if not name or place >= len(text) or text[place] != "(":
        return None
    inside = text[place + 1 :].rstrip(" ")
    if not inside.endswith(")"):
        return None
    arguments = _literals(inside[:-1])
    return None if arguments is None else (name, arguments)


def _literals(text: str) -> list[Any] | None:
    arguments: list[Any] = []
    place = _skip(text, 0)
    if place == len(text):
        return arguments
    while True:
        literal, place = _literal(text, _skip(text, place))
        if literal is _NO_LITERAL:
            return None
        arguments.append(literal)
        place = _skip(text, place)
        if place == len(text):
            return arguments
        if text[place] != ",":
            return None
        place += 1


_NO_LITERAL = object()


def _literal(text: str, place: int) -> tuple[Any, int]:
    if place >= len(text):
        return _NO_LITERAL, place
    character = text[place]
    if character == "'":
        word, end = _quoted(text, place)
        return (_NO_LITERAL, place) if word is None else (word, end)
    if text[place : place + 4].lower() == "null":
        return None, place + 4
    if character in "xX" and text[place + 1 : place + 2] == "'":
        word, end = _quoted(text, place + 1)
        try:
            return (_NO_LITERAL, place) if word is None else (bytes.fromhex(word), end)
        except ValueError:
            return _NO_LITERAL, place
    end = place + (character in "+-")
    start = end
    while end < len(text) and text[end].isascii() and text[end].isdigit():
        end += 1
    if end == start:
        return _NO_LITERAL, place
    if end < len(text) and text[end] == "." and text[end + 1 : end + 2].isdigit():
        end += 1
        while end < len(text) and text[end].isdigit():
            end += 1
        return float(text[place:end]), end
    return int(text[place:end]), end
