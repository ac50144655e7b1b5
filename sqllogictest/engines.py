"""The engines a file can be run against, behind one small protocol.

An engine is named on the command line: `minisql`, `sqlite3` (the standard library's module), `apsw`, `module:NAME` for any
DB-API module, or `package.module:factory` for a class of one's own. Each says under which name it is meant by `skipif` and
`onlyif` (`sqlite` for the first three), and which exceptions are its answers to bad SQL: any other exception is a crash
of the engine and fails a record even where an error is expected.

`execute` is replaced on opening by a closure over the connection's own cursor, so that a record costs one Python call.
The engines' modules are imported when their engine is made: none of them has to be installed.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

Rows = Sequence[Sequence[Any]]


class EngineError(Exception):
    """No such engine, or its module cannot be imported."""


class Engine(Protocol):
    """What the runner needs of a database engine; one instance serves one file at a time."""

    name: str
    """The name that `skipif` and `onlyif` use."""
    errors: tuple[type[Exception], ...]
    """The exceptions by which the engine refuses a statement."""
    execute: Callable[[str], Rows]
    """Runs one statement to its end and returns its rows; set by `open`."""

    def open(self, path: str | None) -> None:
        """Open a database file, or a fresh in-memory database for None."""

    def close(self) -> None:
        """Close the connection; closing twice is allowed."""

    def version(self) -> str:
        """Return the engine's own version, for reports."""

    def column_count(self, sql: str) -> int | None:
        """Return how many columns the query just executed has, None when the engine cannot say."""

    def rows_affected(self) -> int:
        """Return how many rows the last INSERT, UPDATE or DELETE changed."""

    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    def rows_before_error(self, sql: str) -> Rows | None:
        """Return the rows a failing query yields before it fails, None when it does not even prepare."""

    def interrupt(self) -> None:
        """Make the statement that is running fail soon; called from another thread."""


def _refuse_unopened(sql: str) -> Rows:
    raise EngineError("the engine is not open")


class DatabaseModuleEngine:
    """Any DB-API 2.0 module with a `connect`; transactions are left to the SQL where the module allows that."""

    def __init__(self, module_name: str, name: str, connect: Callable[[Any, str | None], Any] | None = None) -> None:
        try:
            self.module: Any = importlib.import_module(module_name)
        except ImportError as error:
            raise EngineError(f"engine {module_name}: {error}") from error
        self.name = name
        if not hasattr(self.module, "connect") or not hasattr(self.module, "Error"):
            raise EngineError(f"engine {module_name}: the module has no connect and Error, it is not a DB-API module")
        self.errors: tuple[type[Exception], ...] = (self.module.Error,)
        self.execute: Callable[[str], Rows] = _refuse_unopened
        self._connect = connect or _connect_autocommit
        self._connection: Any = None
        self._cursor: Any = None

    def open(self, path: str | None) -> None:
        """Connect and bind `execute` to the new cursor."""
        self._connection = self._connect(self.module, path)
        cursor = self._cursor = self._connection.cursor()
        run, fetch = cursor.execute, cursor.fetchall
        if _fetches_after_any_statement(cursor):

            def execute(sql: str) -> Rows:
                run(sql)
                rows: Rows = fetch()
                return rows
        else:

            def execute(sql: str) -> Rows:
                run(sql)
                rows: Rows = fetch() if cursor.description else ()
                return rows

        self.execute = execute

    def close(self) -> None:
        """Close cursor and connection."""
        self.execute = _refuse_unopened
        connection, self._connection, self._cursor = self._connection, None, None
        if connection is not None:
            connection.close()

    def version(self) -> str:
        """Return the SQLite version of the module, else its own."""
        version = getattr(self.module, "sqlite_version", None) or getattr(self.module, "__version__", "unknown")
        return str(version)

    def column_count(self, sql: str) -> int | None:
        """Return the length of the cursor's description."""
        return len(self._cursor.description or ())

    def rows_affected(self) -> int:
        """Return the cursor's rowcount."""
        return int(self._cursor.rowcount)

    def in_transaction(self) -> bool:
        """Whether the connection says that it is in a transaction."""
        return bool(getattr(self._connection, "in_transaction", False))

    def rows_before_error(self, sql: str) -> Rows | None:
        """Run the query again row by row, provided that EXPLAIN shows that it prepares."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("EXPLAIN " + sql)
            cursor.fetchall()
        except self.errors:
            return None
        return _rows_until_error(lambda: cursor.execute(sql), self.errors)

    def interrupt(self) -> None:
        """Interrupt the connection where its module can."""
        interrupt = getattr(self._connection, "interrupt", None)
        if interrupt is not None:
            interrupt()


def _connect_autocommit(module: Any, path: str | None) -> Any:
    connection = module.connect(path or ":memory:")
    if hasattr(connection, "isolation_level"):
        connection.isolation_level = None
    elif hasattr(connection, "autocommit"):
        connection.autocommit = True
    return connection


def _connect_sqlite(module: Any, path: str | None) -> Any:
    return module.connect(path or ":memory:", isolation_level=None, check_same_thread=False)


def _fetches_after_any_statement(cursor: Any) -> bool:
    """Whether `fetchall` after a statement without rows gives an empty list; PEP 249 lets a module raise there."""
    return type(cursor).__module__.partition(".")[0] in ("sqlite3", "_sqlite3", "minisql")


def _rows_until_error(start: Callable[[], Any], errors: tuple[type[Exception], ...]) -> Rows:
    rows: list[Sequence[Any]] = []
    try:
        for row in start():
            rows.append(row)
    except errors:
        pass
    return rows


class ApswEngine:
    """SQLite through apsw, the reference for every expected result of this repository."""

    name = "sqlite"

    def __init__(self) -> None:
        try:
            self.module: Any = importlib.import_module("apsw")
        except ImportError as error:
            raise EngineError(f"engine apsw: {error}") from error
        self.errors: tuple[type[Exception], ...] = (self.module.Error,)
        self.execute: Callable[[str], Rows] = _refuse_unopened
        self._connection: Any = None

    def open(self, path: str | None) -> None:
        """Connect and bind `execute` to a cursor."""
        self._connection = self.module.Connection(path or ":memory:")
        run = self._connection.cursor().execute

        def execute(sql: str) -> Rows:
            rows: Rows = run(sql).fetchall()
            return rows

        self.execute = execute

    def close(self) -> None:
        """Close the connection with its cursors."""
        self.execute = _refuse_unopened
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close(True)

    def version(self) -> str:
        """Return the version of the SQLite library inside."""
        return str(self.module.sqlite_lib_version())

    def column_count(self, sql: str) -> int | None:
        """Prepare the query once more to see its columns, which apsw forgets once the last row was fetched."""
        counts: list[int] = []

        def stop_before_first_step(cursor: Any, *_: object) -> bool:
            counts.append(len(cursor.get_description()))
            return False

        cursor = self._connection.cursor()
        cursor.exec_trace = stop_before_first_step
        try:
            cursor.execute(sql)
        except self.module.ExecTraceAbort:
            return counts[0]
        return None

    def rows_affected(self) -> int:
        """Return the connection's changes."""
        return int(self._connection.changes())

    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return bool(self._connection.in_transaction)

    def rows_before_error(self, sql: str) -> Rows | None:
        """Run the query again row by row, provided that EXPLAIN shows that it prepares."""
        try:
            self._connection.execute("EXPLAIN " + sql).fetchall()
        except self.errors:
            return None
        return _rows_until_error(lambda: self._connection.execute(sql), self.errors)

    def interrupt(self) -> None:
        """Interrupt the statement that is running."""
        if self._connection is not None:
            self._connection.interrupt()


ENGINES: dict[str, Callable[[], Engine]] = {
    "minisql": lambda: DatabaseModuleEngine("minisql", "sqlite", _connect_sqlite),
    "sqlite3": lambda: DatabaseModuleEngine("sqlite3", "sqlite", _connect_sqlite),
    "apsw": ApswEngine,
}


def make_engine(specification: str, name: str | None = None) -> Engine:
    """Return the engine of a command-line name; `name` overrides what `skipif` and `onlyif` call it.

    Raises EngineError for a name that means nothing and for a module that cannot be imported.
    """
    if specification in ENGINES:
        engine = ENGINES[specification]()
    elif specification.startswith("module:"):
        module_name = specification.removeprefix("module:")
        engine = DatabaseModuleEngine(module_name, module_name.partition(".")[0])
    elif ":" in specification:
        engine = load_object(specification)()
    else:
        known = ", ".join(sorted(ENGINES))
        raise EngineError(f"no engine {specification!r}: use {known}, module:NAME or package.module:factory")
    if name is not None:
        engine.name = name
    return engine


def load_object(path: str) -> Any:
    """Return what `package.module:attribute` names; EngineError says which half is missing."""
    module_name, _, attribute = path.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise EngineError(f"{path}: {error}") from error
    for part in attribute.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise EngineError(f"{path}: module {module_name} has no {attribute}")
    return found
