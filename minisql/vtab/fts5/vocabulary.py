"""fts5vocab: the terms of an FTS5 table as a table of the kinds row, col and instance.

Source: https://www.sqlite.org/fts5.html section 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_text
from minisql.vtab.fts5.formats import COLUMN, FULL, Entry, decode_columns, decode_positions
from minisql.vtab.fts5.table import FtsTable
from minisql.vtab.protocol import EQ, GE, GT, LE, LT, Cursor, IndexInfo, Module, Value, VirtualTable

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_COLUMNS = {"row": ("term", "doc", "cnt"), "col": ("term", "col", "doc", "cnt"), "instance": ("term", "doc", "col", "offset")}
_TERM_EQ, _TERM_GE, _TERM_LE, _USED_MASK = 256, 512, 1024, 255


class VocabularyModule(Module):
    """Makes tables over the terms of FTS5 tables."""

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Arguments: [schema,] table, kind; the FTS5 table is looked for when the table is read."""
        names = [_unquoted(argument) for argument in arguments]
        if len(names) != 2 and not (len(names) == 3 and schema_name == "temp"):
            raise sqlite_error(ERROR, "wrong number of vtable arguments")
        schema = names[0] if len(names) == 3 else schema_name
        kind = names[-1].lower()
        if kind not in _COLUMNS:
            raise sqlite_error(ERROR, f"fts5vocab: unknown table type: '{names[-1]}'")
        columns = ", ".join(f'"{name}"' for name in _COLUMNS[kind])
        return f"CREATE TABLE vocab({columns})", Vocabulary(owner, schema, names[-2], kind)


def make_module(name: str) -> Module:
    """The module fts5vocab."""
    return VocabularyModule()


def _unquoted(text: str) -> str:
    text = text.strip()
    if text[:1] in ("'", '"', "`", "["):
        closing = "]" if text[0] == "[" else text[0]
        return text[1:-1].replace(closing * 2, closing)
    return text


class Vocabulary(VirtualTable):
    """A table over the terms of one FTS5 table."""

    def __init__(self, host: VtabHost, schema: str, name: str, kind: str) -> None:
        self.host = host
        self.schema = schema
        self.name = name
        self.kind = kind

    def best_index(self, info: IndexInfo) -> bool | None:
        """Uses an equality with the term, or bounds of it."""
        equal = lower = upper = None
        for constraint in info.constraints:
            if not constraint.is_usable or constraint.column != 0:
                continue
            if constraint.operator == EQ:
                equal = constraint
            elif constraint.operator in (LE, LT):
                upper = constraint
            elif constraint.operator in (GE, GT):
                lower = constraint
        used = info.columns_used
        mask = sum(1 << number for number in range(len(_COLUMNS[self.kind])) if used is None or number in used)
        info.index_number = mask & _USED_MASK
        if equal is not None:
            info.index_number |= _TERM_EQ
            equal.argument = 1
            info.estimated_cost = 100.0
        else:
            info.estimated_cost = 1000000.0
            n_arguments = 0
            for bound, flag in ((lower, _TERM_GE), (upper, _TERM_LE)):
                if bound is not None:
                    n_arguments += 1
                    bound.argument = n_arguments
                    info.index_number |= flag
                    info.estimated_cost /= 2
        if len(info.order_by) == 1 and info.order_by[0] == (0, False):
            info.is_ordered = True
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return VocabularyCursor(self)

    def fts_table(self) -> FtsTable:
        """The FTS5 table; raises if there is none of that name."""
        found = self.host.virtual_table(self.schema, self.name)
        if not isinstance(found, FtsTable):
            raise sqlite_error(ERROR, f"no such fts5 table: {self.schema}.{self.name}")
        return found


class VocabularyCursor(Cursor):
    """One scan."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The rows in order of terms; bounds are taken as inclusive, the engine looks closer."""
        table = self.vocabulary.fts_table()
        table.index.flush()
        texts = [b"" if value is None else to_text(value).encode("utf-8", "surrogateescape") for value in arguments]
        lower = upper = None
        if index_number & _TERM_EQ:
            lower = upper = texts[0]
        else:
            rest = iter(texts)
            lower = next(rest) if index_number & _TERM_GE else None
            upper = next(rest) if index_number & _TERM_LE else None
        end = b"1" if upper is None else b"0" + upper + b"\x00"
        rowid = 0
        for key, entries in table.index.keys_in(b"0" + (lower or b""), end):
            term = key[1:].decode("utf-8", "surrogateescape")
            for row in _rows(table, self.vocabulary.kind, term, entries):
                rowid += 1
                whole = (*row, rowid)
                yield tuple([whole[number] for number in columns])


def _rows(table: FtsTable, kind: str, term: str, entries: list[Entry]) -> Iterator[tuple[Value, ...]]:
    """The rows of one term."""
    detail = table.configuration.detail
    if kind == "row":
        count = sum(len(decode_positions(entry[2])) for entry in entries) if detail == FULL else None
        yield term, len(entries), count
        return
    names = table.configuration.columns
    places = [(rowid, column, offset) for rowid, _deleted, poslist in entries for column, offset in _places(poslist, detail)]
    if kind == "instance":
        for rowid, column, offset in places:
            yield term, rowid, None if column is None else names[column], offset
        return
    rows_by_column: dict[int | None, set[int]] = {}
    counts: dict[int | None, int] = {}
    for rowid, column, _offset in places:
        rows_by_column.setdefault(column, set()).add(rowid)
        counts[column] = counts.get(column, 0) + 1
    for column in sorted(rows_by_column, key=_column_key):
        name = None if column is None else names[column]
        yield term, name, len(rows_by_column[column]), counts[column] if detail == FULL else None


def _places(poslist: bytes, detail: str) -> list[tuple[int | None, int | None]]:
    if detail == FULL:
        return [*decode_positions(poslist)]
    return [(column, None) for column in decode_columns(poslist)] if detail == COLUMN else [(None, None)]


def _column_key(column: int | None) -> int:
    return -1 if column is None else column
