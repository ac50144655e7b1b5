"""Virtual tables of a connection: modules, connecting, scans, changes, transactions.

A table's module is found when the table is first used; it declares its columns by a CREATE TABLE text.  What a module raises
becomes an SQLite error with the exception's text, and what it returns is checked, unless the module is a built-in one.

A table that is being written takes part in the transaction: `begin` before the first change, `sync` and `commit` or
`rollback` at its end, and the savepoints in between.

Source: https://www.sqlite.org/vtab.html, https://www.sqlite.org/c3ref/create_module.html.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.bytecode.opcodes import ON_CONFLICT_IGNORE, ON_CONFLICT_REPLACE
from minisql.catalog.build import build_table
from minisql.catalog.schema import Table
from minisql.engine.table_functions import ENGINE_MODULES, engine_module
from minisql.engine.virtual_host import SessionHost
from minisql.engine.virtual_transactions import ConnectedTable, begin_table, disconnect, guarded
from minisql.errors import CONSTRAINT, ERROR, MISUSE, Error, sqlite_error
from minisql.functions.registry import ScalarFunction
from minisql.parser import ast, parse_one
from minisql.planner.index_info import IndexInfo
from minisql.vtab.built_in import built_in_module, built_in_names, register_late_functions
from minisql.vtab.protocol import FIRST_FUNCTION, NO_CHANGE, NORMAL_RISK, Module, step_by_step

if TYPE_CHECKING:
    from minisql.engine.session import Session

_HIDDEN = 1
_INT64 = 1 << 63
_SQLITE_CONFLICT = {1: 1, 2: 4, 3: 3, 4: 2, 5: 5}


class RegisteredModule:
    """A module and who registered it (None for a built-in one)."""

    __slots__ = ("is_built_in", "module", "owner")

    def __init__(self, module: Module, owner: Callable[[], Any] | None) -> None:
        self.module = module
        self.owner = owner
        self.is_built_in = owner is None


# Modules


def create_module(session: Session, name: str, module: Module | None, owner: Callable[[], Any]) -> None:
    """Registers a module, or removes it with None; tables that are connected stay connected."""
    lowered = name.lower()
    session.eponymous_tables.pop(lowered, None)
    if module is None:
        session.modules.pop(lowered, None)
    else:
        session.modules[lowered] = RegisteredModule(module, owner)
    session.bump_generation()


def find_module(session: Session, name: str) -> RegisteredModule | None:
    """A module of the connection or a built-in one."""
    lowered = name.lower()
    found = session.modules.get(lowered)
    if found is None:
        built_in = engine_module(lowered) or built_in_module(lowered)
        if built_in is not None:
            found = session.modules[lowered] = RegisteredModule(built_in, None)
    return found


def module_names(session: Session) -> list[str]:
    """The names of all modules."""
    return list(dict.fromkeys([*ENGINE_MODULES, *built_in_names(), *session.modules]))


def eponymous_table(session: Session, name: str) -> Table | None:
    """The table that a module offers by its own name, or None."""
    lowered = name.lower()
    table = session.eponymous_tables.get(lowered)
    if table is None:
        registered = find_module(session, lowered)
        if registered is None or not (registered.module.is_eponymous or registered.module.is_eponymous_only):
            return None
        table = Table(lowered, 0, "main")
        table.module = lowered
        table.is_eponymous = True
        connect_table(session, table)
        session.eponymous_tables[lowered] = table
    return table


# Connecting


def connect_table(session: Session, table: Table, is_new: bool = False) -> None:
    """Connects a table to its module, which may create its storage first (`is_new`), and fills in its columns."""
    assert table.module is not None, "only virtual tables have modules"
    registered = find_module(session, table.module)
    if registered is None or (is_new and registered.module.is_eponymous_only):
        raise sqlite_error(ERROR, f"no such module: {table.module}")
    if table.is_connecting:
        raise sqlite_error(ERROR, f"vtable constructor called recursively: {table.name}")
    host = SessionHost(session, table.schema_name)
    owner = host if registered.owner is None else registered.owner()
    make = registered.module.create if is_new else registered.module.connect
    table.is_connecting = True
    try:
        declaration, virtual = make(owner, table.module, table.schema_name, table.name, table.module_arguments)
    except Error:
        raise
    except Exception as error:
        raise sqlite_error(ERROR, str(error) or f"vtable constructor failed: {table.name}") from error
    finally:
        table.is_connecting = False
    _declare_columns(session, table, declaration)
    table.module_instance = ConnectedTable(virtual, table.name, registered.is_built_in, host)


def connected(session: Session, table: Table) -> ConnectedTable:
    """The connected table, connecting it if need be."""
    if table.module_instance is None:
        connect_table(session, table)
    instance = table.module_instance
    assert isinstance(instance, ConnectedTable), "connecting sets it"
    return instance


def _declare_columns(session: Session, table: Table, declaration: str) -> None:
    if not isinstance(declaration, str):
        raise sqlite_error(ERROR, f"vtable constructor did not declare schema: {table.name}")
    parsed, _end = parse_one(declaration, 0, session.limits)
    statement = parsed.statement if parsed is not None else None
    if not isinstance(statement, ast.CreateTable) or statement.select is not None:
        raise sqlite_error(ERROR, "syntax error")
    declared = build_table(statement, table.schema_index, table.schema_name, session.find_collation)
    table.columns = declared.columns
    table.column_positions = declared.column_positions
    table.is_without_rowid = declared.is_without_rowid
    table.primary_key = declared.primary_key
    for column in table.columns:
        # HIDDEN is a word of the declared type, which goes; the affinity that it gives (NUMERIC, if it is the only one) stays.
        words = column.declared_type.split()
        kept = [word for word in words if word.lower() != "hidden"]
        if len(kept) != len(words):
            column.hidden = _HIDDEN
            column.declared_type = " ".join(kept)


def disconnect_all(session: Session) -> None:
    """The connection closes: every connected table hears of it, and nothing of a module is kept."""
    tables = list(session.eponymous_tables.values())
    for schema in session.catalog.schemas:
        if schema is not None:
            tables += [table for table in schema.tables.values() if table.module is not None]
    for table in tables:
        disconnect(table)
    session.eponymous_tables.clear()
    session.modules.clear()
    session.virtual_writers.clear()


# Creating and dropping (HostCall services)


def create_virtual_table(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """CREATE VIRTUAL TABLE, once its schema row is written: the module creates its storage."""
    database, name = constants[:2]
    table = _stored_table(session, database, name)
    connect_table(session, table, is_new=True)
    # A table that was just made takes part in the transaction without having been told of its beginning.
    instance = connected(session, table)
    instance.is_begun = True
    session.virtual_writers.append(instance)


def destroy_virtual_table(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """DROP TABLE of a virtual table: the module drops its storage."""
    database, name = constants
    table = _stored_table(session, database, name)
    instance = connected(session, table)
    destroy = getattr(instance.table, "destroy", None)
    guarded(destroy if destroy is not None else instance.table.disconnect)
    if instance in session.virtual_writers:
        session.virtual_writers.remove(instance)
    table.module_instance = None


def rename_virtual_table(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> None:
    """ALTER TABLE RENAME TO: the module renames what it stores."""
    database, name, new_name = constants
    instance = connected(session, _stored_table(session, database, name))
    rename = getattr(instance.table, "rename", None)
    if rename is not None:
        begin_table(session, instance)
        guarded(rename, new_name)


def _stored_table(session: Session, database: int, name: str) -> Table:
    schema = session.catalog.schemas[database]
    assert schema is not None, "the statement was compiled with it"
    return schema.tables[name.lower()]


# Planning


def best_index(session: Session, table: Table, info: IndexInfo) -> bool:
    """Asks the module for a plan; False when there is none with these constraints."""
    instance = connected(session, table)
    answer = guarded(instance.table.best_index, info)
    if answer is False:
        return False
    if not instance.is_built_in and not _is_sane(info):
        raise sqlite_error(ERROR, f"{table.name}.xBestIndex malfunction")
    return True


def _is_sane(info: IndexInfo) -> bool:
    return (
        isinstance(info.index_number, int)
        and (info.index_string is None or isinstance(info.index_string, str))
        and isinstance(info.estimated_cost, (int, float))
        and isinstance(info.estimated_rows, (int, float))
        and all(isinstance(offer.argument, int) for offer in info.constraints)
    )


def overload(session: Session, table: Table, name: str, n_arguments: int) -> tuple[int, ScalarFunction] | None:
    """What the module makes of a function whose first argument is a column of the table: an operator (0: none) and the
    function, or None."""
    instance = connected(session, table)
    key = (name.lower(), n_arguments)
    if key not in instance.functions:
        instance.functions[key] = _find_overload(instance, *key)
    return instance.functions[key]


def _find_overload(instance: ConnectedTable, name: str, n_arguments: int) -> tuple[int, ScalarFunction] | None:
    find = getattr(instance.table, "find_function", None)
    found = guarded(find, name, n_arguments) if find is not None else None
    if found is None:
        return None
    operator, call = found if isinstance(found, tuple) else (0, found)
    function = ScalarFunction(name, n_arguments, n_arguments, call, deterministic=False, is_built_in=instance.is_built_in)
    return (operator if operator >= FIRST_FUNCTION else 0), function


def virtual_integrity(session: Session, table: Table, is_quick: bool) -> str | None:
    """What a module finds wrong with its table; None for nothing, or when the module is not there or cannot tell."""
    if find_module(session, table.module or "") is None:
        return None
    check = getattr(connected(session, table).table, "integrity", None)
    found = None if check is None else guarded(check, table.schema_name, table.name, is_quick)
    return None if found is None else str(found)


# Scans (HostRows service)


def virtual_rows(session: Session, constants: tuple[Any, ...], arguments: list[Any]) -> Iterable[tuple[Any, ...]]:
    """The rows of one scan: the wanted columns; a list where the module has them at once."""
    database, name, is_eponymous, index_number, index_string, columns = constants
    table = eponymous_table(session, name) if is_eponymous else _stored_table(session, database, name)
    assert table is not None, "the statement was compiled with it"
    instance = connected(session, table)
    if instance.is_built_in:
        at_once = getattr(instance.table, "rows_at_once", None)
        found: list[tuple[Any, ...]] | None = None if at_once is None else at_once(arguments, columns)
        if found is not None:
            return found
    cursor = guarded(instance.table.open)
    scan = getattr(cursor, "scan", None)
    if scan is None:
        rows = step_by_step(cursor, index_number, index_string, arguments, columns)
    else:
        rows = guarded(scan, index_number, index_string, arguments, columns)
    if isinstance(rows, list) and instance.is_built_in:
        cursor.close()
        return iter(rows)
    return _scanned(cursor, rows) if instance.is_built_in else _checked(cursor, rows, len(columns))


def _scanned(cursor: Any, rows: Any) -> Iterator[tuple[Any, ...]]:
    try:
        yield from rows
    finally:
        cursor.close()


def _checked(cursor: Any, rows: Any, n_columns: int) -> Iterator[tuple[Any, ...]]:
    """The rows of somebody's own module, each value looked at."""
    iterator = iter(rows)
    try:
        while True:
            try:
                row = tuple(next(iterator))
            except StopIteration:
                return
            except Error:
                raise
            except Exception as error:
                raise sqlite_error(ERROR, str(error) or type(error).__name__) from error
            if len(row) != n_columns:
                raise sqlite_error(ERROR, f"a row of a virtual table has {len(row)} values instead of {n_columns}")
            yield tuple([sql_value(value) for value in row])
    finally:
        cursor.close()


def sql_value(value: Any) -> Any:
    """A value as SQL knows it; raises for anything that is none."""
    kind = value.__class__
    if value is None or kind is str or kind is bytes:
        return value
    if kind is float:
        return value if value == value else None
    if isinstance(value, int):
        value = int(value)
        if -_INT64 <= value < _INT64:
            return value
        raise sqlite_error(ERROR, "integer overflow")
    if isinstance(value, float):
        return sql_value(float(value))
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise sqlite_error(ERROR, f"a virtual table returned a value of type {type(value).__name__}")


# Changes


def update_virtual(
    session: Session, database: int, name: str, arguments: Sequence[Any], conflict: int, assigned: frozenset[int] | None
) -> tuple[int | None, bool]:
    """One change, as SQLite's xUpdate has it: one argument deletes that row, else old rowid (None: insert), new rowid, columns.

    Returns the rowid of an inserted row, and whether anything changed: OR IGNORE leaves a row with a conflict alone.
    """
    try:
        return _changed(session, database, name, arguments, conflict, assigned), True
    except Error as error:
        if error.sqlite_errorcode & 0xFF != CONSTRAINT:
            raise
        if conflict == ON_CONFLICT_IGNORE:
            return None, False
        error.conflict_action = conflict if conflict != ON_CONFLICT_REPLACE else 0  # type: ignore[attr-defined]
        raise


def _changed(
    session: Session, database: int, name: str, arguments: Sequence[Any], conflict: int, assigned: frozenset[int] | None
) -> int | None:
    schema = session.catalog.schemas[database]
    stored = schema.tables.get(name.lower()) if schema is not None else None
    stored = stored or eponymous_table(session, name)
    assert stored is not None, "the statement was compiled with it"
    instance = connected(session, stored)
    table: Any = instance.table
    begin_table(session, instance)
    instance.host.conflict = _SQLITE_CONFLICT.get(conflict, 4)
    if len(arguments) == 1:
        guarded(table.update_delete_row, arguments[0])
        return None
    old, new, *values = arguments
    if assigned is not None and table.wants_no_change:
        values = [value if number in assigned else NO_CHANGE for number, value in enumerate(values)]
    if old is None:
        rowid: int | None = guarded(table.update_insert_row, new, tuple(values))
        if not isinstance(rowid, int) and new is None and rowid is not None:
            raise sqlite_error(ERROR, "a virtual table returned no rowid")
        rowid = new if rowid is None else rowid
        session.last_insert_rowid = rowid if rowid is not None else session.last_insert_rowid
        return rowid
    guarded(table.update_change_row, old, new, tuple(values))
    return None


def register_late_function(session: Session, name: str) -> bool:
    """Makes the functions of a built-in module known when one of them is asked for."""
    return register_late_functions(name, SessionHost(session, "main"))


def risk(session: Session, table: Table) -> int:
    """What harm the module could do; see `Module.risk`."""
    assert table.module is not None, "only virtual tables have modules"
    registered = find_module(session, table.module)
    return registered.module.risk if registered is not None else NORMAL_RISK


def is_writable(session: Session, table: Table) -> bool:
    """Tells whether the module can change the table."""
    return hasattr(connected(session, table).table, "update_insert_row")


def weak_owner(owner: Any) -> Callable[[], Any]:
    """Who registers a module is not kept alive by it."""
    reference = weakref.ref(owner)

    def current() -> Any:
        found = reference()
        if found is None:
            raise sqlite_error(MISUSE)
        return found

    return current
