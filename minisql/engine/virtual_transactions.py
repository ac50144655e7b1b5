"""Connected virtual tables: calling their modules safely, and their part in transactions.

The tables that are being written hear of the end of the transaction and of savepoints.

Source: https://www.sqlite.org/vtab.html#xbegin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, Error, sqlite_error

if TYPE_CHECKING:
    from minisql.catalog.schema import Table
    from minisql.engine.session import Session
    from minisql.engine.virtual_host import SessionHost
    from minisql.functions.registry import ScalarFunction
    from minisql.vtab.protocol import VirtualTable


class ConnectedTable:
    """What a Table's `module_instance` holds: the module's table, the host that it was given, its functions by name and number
    of arguments, and whether it takes part in the transaction (`is_begun`)."""

    __slots__ = ("functions", "host", "is_begun", "is_built_in", "name", "table")

    def __init__(self, table: VirtualTable, name: str, is_built_in: bool, host: SessionHost) -> None:
        self.table = table
        self.name = name
        self.is_built_in = is_built_in
        self.host = host
        self.is_begun = False
        self.functions: dict[tuple[str, int], tuple[int, ScalarFunction] | None] = {}


def guarded(call: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a method of a module; its exceptions become SQLite errors."""
    try:
        return call(*arguments)
    except Error:
        raise
    except Exception as error:
        raise sqlite_error(ERROR, str(error) or type(error).__name__) from error


def disconnect(table: Table) -> None:
    """Lets go of the module's table."""
    instance = table.module_instance
    table.module_instance = None
    if isinstance(instance, ConnectedTable):
        instance.table.disconnect()


def begin_table(session: Session, instance: ConnectedTable) -> None:
    """Before a change: the table joins the transaction, and hears of the savepoints that are open."""
    if instance.is_begun:
        return
    begin = getattr(instance.table, "begin", None)
    if begin is not None:
        guarded(begin)
    instance.is_begun = True
    session.virtual_writers.append(instance)
    savepoint = getattr(instance.table, "savepoint", None)
    if savepoint is not None:
        statement = session.starting
        has_own = statement is not None and bool(statement.savepoints)
        for level in range(len(session.savepoints) + has_own):
            guarded(savepoint, level)


def sync_all(session: Session) -> None:
    """Before a commit: every module writes what it still holds; an exception keeps the transaction from committing."""
    for instance in list(session.virtual_writers):
        sync = getattr(instance.table, "sync", None)
        if sync is not None:
            guarded(sync)


def end_all(session: Session, method: str) -> None:
    """After a commit or rollback (`method` names it): the modules hear of it; nothing that they raise matters any more."""
    writers, session.virtual_writers = session.virtual_writers, []
    for instance in writers:
        instance.is_begun = False
        call = getattr(instance.table, method, None)
        if call is not None:
            guarded(call)


def tell_savepoint(session: Session, method: str, level: int) -> None:
    """`savepoint`, `release` or `rollback_to` a level, for the tables that are being written."""
    for instance in list(session.virtual_writers):
        call = getattr(instance.table, method, None)
        if call is not None:
            guarded(call, level)
