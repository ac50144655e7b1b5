"""fts3tokenize: the tokens of a text, by a tokenizer that is named when the table is made.

Source: https://www.sqlite.org/fts3.html section 8.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_text
from minisql.vtab.fts3.configuration import unquoted
from minisql.vtab.fts3.tokenizers import make_tokenizer
from minisql.vtab.protocol import EQ, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable


class TokenizeModule(Module):
    """Makes tables of tokens."""

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """The arguments are the tokenizer's name (simple if there is none) and its arguments."""
        words = [unquoted(argument) for argument in arguments] or ["simple"]
        return "CREATE TABLE x(input, token, start, end, position)", TokenTable(make_tokenizer(words))


def make_module(name: str) -> Module:
    """The module fts3tokenize."""
    return TokenizeModule()


class TokenTable(VirtualTable):
    """The tokens of `input = text`."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def best_index(self, info: IndexInfo) -> bool | None:
        """Without a text there is nothing."""
        for constraint in info.constraints:
            if constraint.is_usable and constraint.column == 0 and constraint.operator == EQ:
                info.index_number, info.estimated_cost = 1, 1.0
                constraint.argument, constraint.omit = 1, True
                return None
        info.index_number = 0
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return TokenCursor(self)


class TokenCursor(Cursor):
    """One text."""

    def __init__(self, table: TokenTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The tokens in order; places are counted in bytes."""
        if not index_number:
            raise sqlite_error(ERROR)
        if arguments[0] is None:
            return
        text = to_text(arguments[0])
        ends = None
        if not text.isascii():
            ends = [0]
            for character in text:
                ends.append(ends[-1] + len(character.encode("utf-8", "surrogateescape")))
        for place, (token, start, end) in enumerate(self.table.tokenizer.tokenize(text)):
            if ends is not None:
                start, end = ends[start], ends[end]
            row = (text, token, start, end, place)
            yield tuple([place + 1 if number == ROWID else row[number] for number in columns])
