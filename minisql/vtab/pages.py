"""sqlite_dbpage: the pages of a database as rows that can be read and, with care, replaced.

Inserting a row replaces a page as updating it does; NULL as the data cuts the database off in front of the page when the
transaction ends.  What the pages say must make sense by then: page 1 tells how many there are.

Source: https://www.sqlite.org/dbpage.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, READONLY, sqlite_error
from minisql.values.cast import to_integer, to_text
from minisql.vtab.protocol import DIRECT_ONLY, EQ, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

_NUMBER, _DATA, _SCHEMA = range(3)
_MAX_PAGE_NUMBER = 0xFFFFFFFE
_BY_NUMBER, _BY_SCHEMA = 1, 2
_PAGE_COUNT_AT = 28


def make_module(name: str) -> Module:
    """The module sqlite_dbpage."""
    return PagesModule()


class PagesModule(Module):
    """sqlite_dbpage, which exists without being created."""

    is_eponymous = True
    risk = DIRECT_ONLY

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns."""
        return "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)", PagesTable(owner)


class PagesTable(VirtualTable):
    """All pages; `_cuts` are page counts by schema to cut down to when the transaction ends (0: as page 1 tells)."""

    def __init__(self, host: VtabHost) -> None:
        self.host = host
        self._cuts: dict[str, int] = {}

    def best_index(self, info: IndexInfo) -> bool | None:
        """By page number (bit 1) and by schema (bit 2)."""
        schema = [offer for offer in info.constraints if offer.column == _SCHEMA and offer.operator == EQ]
        if schema and not schema[0].is_usable:
            return False
        n_used = 0
        if schema:
            info.index_number |= _BY_SCHEMA
            n_used += 1
            schema[0].argument = n_used
            schema[0].omit = True
        info.estimated_cost = 1000000.0
        for offer in info.constraints:
            if offer.is_usable and offer.operator == EQ and offer.column in (_NUMBER, ROWID):
                info.index_number |= _BY_NUMBER
                offer.argument = n_used + 1
                offer.omit = True
                info.is_unique = True
                info.estimated_cost, info.estimated_rows = 1.0, 1
                break
        if len(info.order_by) == 1 and info.order_by[0][0] in (_NUMBER, ROWID) and not info.order_by[0][1]:
            info.is_ordered = True
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return PagesCursor(self.host)

    # Changes

    def update_insert_row(self, rowid: Any, values: Sequence[Any]) -> int:
        """Replaces a page, or cuts the database off in front of it."""
        number = to_integer(values[_NUMBER]) if values[_NUMBER] is not None else 0
        self._write(number, values[_DATA], values[_SCHEMA], True)
        return number

    def update_change_row(self, rowid: int, new_rowid: Any, values: Sequence[Any]) -> None:
        """Replaces a page."""
        if new_rowid != rowid:
            raise sqlite_error(ERROR, "cannot insert")
        self._write(rowid, values[_DATA], values[_SCHEMA], False)

    def update_delete_row(self, rowid: int) -> None:
        """Pages stay where they are."""
        raise sqlite_error(ERROR, "cannot delete")

    def _write(self, number: int, data: Any, schema: Any, may_cut: bool) -> None:
        if self.host.is_defensive():
            raise sqlite_error(READONLY, "read-only")
        name = "main" if schema is None else to_text(schema)
        if not self.host.has_schema(name):
            raise sqlite_error(ERROR, "no such schema")
        if not 1 <= number <= _MAX_PAGE_NUMBER:
            raise sqlite_error(ERROR, "bad page number")
        if isinstance(data, bytes) and len(data) == self.host.page_size(name):
            self.host.write_page(name, number, data)
            self._cuts.setdefault(name, 0)
        elif data is None and may_cut and number > 1:
            self._cuts[name] = number - 1
        else:
            raise sqlite_error(ERROR, "bad page value")

    def sync(self) -> None:
        """Before a commit: the databases get the page counts that were asked for."""
        cuts, self._cuts = self._cuts, {}
        for name, count in cuts.items():
            told = int.from_bytes(self.host.page_bytes(name, 1)[_PAGE_COUNT_AT : _PAGE_COUNT_AT + 4], "big")
            wanted = min(count or told, told or count)
            if 0 < wanted < self.host.page_count(name):
                self.host.cut_pages(name, wanted)

    def rollback(self) -> None:
        """Nothing is cut off."""
        self._cuts.clear()


class PagesCursor(Cursor):
    """One scan of the pages."""

    def __init__(self, host: VtabHost) -> None:
        self.host = host

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The pages of one schema."""
        host = self.host
        schema = to_text(arguments[0]) if index_number & _BY_SCHEMA and arguments[0] is not None else "main"
        if (index_number & _BY_SCHEMA and arguments[0] is None) or not host.has_schema(schema):
            return
        numbers = range(1, host.page_count(schema) + 1)
        if index_number & _BY_NUMBER:
            wanted = arguments[-1]
            wanted = to_integer(wanted) if wanted is not None else 0
            numbers = range(wanted, wanted + 1) if wanted in numbers else range(0)
        for number in numbers:
            yield tuple([
                host.page_bytes(schema, number) if column == _DATA else schema if column == _SCHEMA else number
                for column in columns
            ])  # fmt: skip
