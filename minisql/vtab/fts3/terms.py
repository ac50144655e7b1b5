"""fts4aux: the terms of a full-text table, in how many rows and how often they stand, in all and by column.

Source: https://www.sqlite.org/fts3.html section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, sqlite_error
from minisql.values.cast import to_integer, to_text
from minisql.vtab.fts3.configuration import unquoted
from minisql.vtab.fts3.formats import COLUMN_SHIFT, Entry, decode_positions
from minisql.vtab.fts3.table import FtsTable
from minisql.vtab.protocol import EQ, GE, GT, LE, LT, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_EQUAL, _LOWER, _UPPER = 1, 2, 4


class TermsModule(Module):
    """Makes tables of terms."""

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """The argument is the full-text table's name, perhaps after that of its database."""
        if len(arguments) == 2 and schema_name.lower() == "temp":
            schema, name = unquoted(arguments[0]), unquoted(arguments[1])
        elif len(arguments) == 1:
            schema, name = schema_name, unquoted(arguments[0])
        else:
            raise sqlite_error(ERROR, "invalid arguments to fts4aux constructor")
        declaration = "CREATE TABLE x(term, col, documents, occurrences, languageid HIDDEN)"
        return declaration, TermsTable(owner, schema, name)


def make_module(name: str) -> Module:
    """The module fts4aux."""
    return TermsModule()


class TermsTable(VirtualTable):
    """The terms of one full-text table."""

    def __init__(self, host: VtabHost, schema: str, name: str) -> None:
        self.host = host
        self.schema = schema
        self.name = name

    def full_text_table(self) -> FtsTable:
        """The table whose terms these are; raises if there is none."""
        table = self.host.virtual_table(self.schema, self.name)
        if not isinstance(table, FtsTable):
            raise sqlite_error(ERROR)
        return table

    def best_index(self, info: IndexInfo) -> bool | None:
        """A term, bounds of the term, the language."""
        if len(info.order_by) == 1 and info.order_by[0] == (0, False):
            info.is_ordered = True
        equal = lower = upper = language = None
        for constraint in info.constraints:
            if not constraint.is_usable:
                continue
            if constraint.column == 0:
                if constraint.operator == EQ:
                    equal = constraint
                elif constraint.operator in (LT, LE):
                    upper = constraint
                elif constraint.operator in (GT, GE):
                    lower = constraint
            elif constraint.column == 4 and constraint.operator == EQ:
                language = constraint
        place = 0
        if equal is not None:
            info.index_number, info.estimated_cost = _EQUAL, 5.0
            place = equal.argument = 1
        else:
            info.index_number, info.estimated_cost = 0, 20000.0
            for constraint_used, flag in ((lower, _LOWER), (upper, _UPPER)):
                if constraint_used is not None:
                    info.index_number |= flag
                    info.estimated_cost /= 2
                    place += 1
                    constraint_used.argument = place
        if language is not None:
            language.argument = place + 1
            info.estimated_cost -= 1
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return TermsCursor(self)


class TermsCursor(Cursor):
    """One scan."""

    def __init__(self, table: TermsTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The terms in order, for each a row for all columns, and one for each column that has it."""
        table = self.table.full_text_table()
        table.index.flush()
        values = list(arguments)
        lower = values.pop(0) if index_number & (_EQUAL | _LOWER) else None
        upper = values.pop(0) if index_number & _UPPER else lower if index_number & _EQUAL else None
        language = max(to_integer(values[0]), 0) if values and values[0] is not None else 0
        least = to_text(lower).encode("utf-8", "surrogateescape") if lower is not None else b""
        most = to_text(upper).encode("utf-8", "surrogateescape") if upper is not None else None
        rowid = 0
        for term, entries in table.index.all_terms(language):
            if term < least or (most is not None and term > most):
                continue
            for row in _counted(term.decode("utf-8", "surrogateescape"), entries):
                rowid += 1
                whole = (*row, language)
                yield tuple([rowid if number == ROWID else whole[number] for number in columns])


def _counted(term: str, entries: list[Entry]) -> list[tuple[Any, ...]]:
    documents: dict[int, int] = {}
    occurrences: dict[int, int] = {}
    for _docid, poslist in entries:
        seen = set()
        for position in decode_positions(poslist):
            column = position >> COLUMN_SHIFT
            occurrences[column] = occurrences.get(column, 0) + 1
            seen.add(column)
        for column in seen:
            documents[column] = documents.get(column, 0) + 1
    rows: list[tuple[Any, ...]] = [(term, "*", len(entries), sum(occurrences.values()))]
    return rows + [(term, column, documents[column], occurrences[column]) for column in sorted(documents)]
