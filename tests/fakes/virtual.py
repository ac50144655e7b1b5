"""Runs a module of minisql's virtual-table protocol under apsw, so that one Python module serves both engines."""

from __future__ import annotations

from typing import Any

import apsw

from minisql.vtab import UNKNOWN, Constraint, IndexInfo, step_by_step

_METHODS = {
    "begin": "Begin", "sync": "Sync", "commit": "Commit", "rollback": "Rollback", "savepoint": "Savepoint",
    "release": "Release", "rollback_to": "RollbackTo", "rename": "Rename", "destroy": "Destroy",
    "update_insert_row": "UpdateInsertRow", "update_delete_row": "UpdateDeleteRow",
    "update_change_row": "UpdateChangeRow", "find_function": "FindFunction", "integrity": "Integrity",
}  # fmt: skip


def register(connection: apsw.Connection, name: str, module: Any, **options: Any) -> None:
    """Registers the module with an apsw connection."""
    connection.create_module(name, _Module(module), use_bestindex_object=True, **options)


class _Module:
    def __init__(self, module: Any) -> None:
        self.module = module

    def Create(self, connection: Any, module: str, schema: str, table: str, *arguments: str) -> tuple[str, Any]:
        declaration, virtual = self.module.create(connection, module, schema, table, arguments)
        return declaration, _table(virtual)

    def Connect(self, connection: Any, module: str, schema: str, table: str, *arguments: str) -> tuple[str, Any]:
        declaration, virtual = self.module.connect(connection, module, schema, table, arguments)
        return declaration, _table(virtual)


def _table(virtual: Any) -> Any:
    """An object with just the methods that the table has."""
    table = _Table(virtual)
    for ours, theirs in _METHODS.items():
        if hasattr(virtual, ours):
            setattr(table, theirs, getattr(virtual, ours))
    if not hasattr(table, "Destroy"):
        table.Destroy = virtual.disconnect  # type: ignore[attr-defined]
    return table


class _Table:
    def __init__(self, virtual: Any) -> None:
        self.virtual = virtual
        self.Disconnect = virtual.disconnect

    def BestIndexObject(self, question: Any) -> bool:
        offers = []
        for i in range(question.nConstraint):
            try:
                value = question.get_aConstraint_rhs(i)
            except Exception:
                value = None
            offers.append(
                Constraint(
                    question.get_aConstraint_iColumn(i),
                    question.get_aConstraint_op(i),
                    question.get_aConstraint_usable(i),
                    UNKNOWN if value is None else value,
                    question.get_aConstraint_collation(i).upper(),
                    question.get_aConstraintUsage_in(i),
                )
            )
        order = [(question.get_aOrderBy_iColumn(i), question.get_aOrderBy_desc(i)) for i in range(question.nOrderBy)]
        info = IndexInfo(offers, order, question.distinct)
        if self.virtual.best_index(info) is False:
            return False
        for i, offer in enumerate(offers):
            question.set_aConstraintUsage_argvIndex(i, offer.argument)
            question.set_aConstraintUsage_omit(i, offer.omit)
            if offer.wants_all:
                question.set_aConstraintUsage_in(i, True)
        question.idxNum = info.index_number
        question.idxStr = info.index_string
        question.orderByConsumed = info.is_ordered
        question.estimatedCost = info.estimated_cost
        question.estimatedRows = info.estimated_rows
        if info.is_unique:
            question.idxFlags = apsw.SQLITE_INDEX_SCAN_UNIQUE
        return True

    def Open(self) -> Any:
        return _Cursor(self.virtual.open())


class _Cursor:
    """Every column of every row, whichever way the cursor is read."""

    def __init__(self, cursor: Any) -> None:
        self.cursor = cursor
        self.Close = cursor.close

    def Filter(self, number: int, string: str | None, arguments: tuple[Any, ...]) -> None:
        arguments = tuple(tuple(sorted(item)) if isinstance(item, set) else item for item in arguments)
        self.number, self.string, self.arguments = number, string, arguments
        self.position = -1
        self.rows: dict[int, list[Any]] = {}
        self.length = sum(1 for _ in self._scan((-1,)))
        self.position = 0

    def _scan(self, columns: tuple[int, ...]) -> Any:
        scan = getattr(self.cursor, "scan", None)
        if scan is None:
            return step_by_step(self.cursor, self.number, self.string, self.arguments, columns)
        return scan(self.number, self.string, self.arguments, columns)

    def Eof(self) -> bool:
        return self.position >= self.length

    def Next(self) -> None:
        self.position += 1

    def Rowid(self) -> int:
        return self.Column(-1)

    def Column(self, number: int) -> Any:
        if number not in self.rows:
            self.rows[number] = [row[0] for row in self._scan((number,))]
        return self.rows[number][self.position]
