"""Connection: one database connection with the interface of the standard library's module.

Transaction control has the three ways of CPython 3.12: the legacy one (`autocommit=LEGACY_TRANSACTION_CONTROL`, a BEGIN in
front of INSERT, UPDATE, DELETE and REPLACE unless `isolation_level` is None), true autocommit, and PEP 249's (always in a
transaction).

Source: PEP 249; https://docs.python.org/3/library/sqlite3.html#connection-objects.
"""

from __future__ import annotations

import os
import sys
import warnings
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex

from minisql import engine, errors
from minisql.dbapi import statement as prepared
from minisql.dbapi.arguments import (
    Flag,
    Int64,
    c_type_name,
    cannot_pickle,
    check_count,
    checked,
    checked_initialiser,
    positional_only_soon,
    shown_as,
    type_name,
    unserialised,
    warn_positional,
    without_arguments,
)
from minisql.dbapi.backup import backup_database
from minisql.dbapi.binding import buffer_bytes
from minisql.dbapi.blob import Blob, open_blob
from minisql.dbapi.callbacks import (
    aggregate_factory,
    authorizer,
    collation_callback,
    progress_callback,
    scalar_callback,
    tracer,
    wal_hook,
    window_factory,
)
from minisql.dbapi.cursor import MISSING, Cursor, Parameters
from minisql.dbapi.dump import iterate_dump
from minisql.dbapi.preupdate import PreUpdate, preupdate_callback
from minisql.errors import DataError, OperationalError, ProgrammingError

if TYPE_CHECKING:
    from minisql.engine.session import Session
    from minisql.engine.statement import Statement
    from minisql.vtab.protocol import Module

LEGACY_TRANSACTION_CONTROL: Literal[-1] = -1

_new_cursor = object.__new__
_LEVELS = ("", "DEFERRED", "IMMEDIATE", "EXCLUSIVE")
_MAX_ARGUMENTS = 127
_NO_EXTENSIONS = "loadable extensions are machine code, which this engine cannot run"
_MAX_SEEN_TEXTS = 4096
_MAX_NAME_BYTES = 255
_CHECKS_FLAG_TYPES = sys.version_info < (3, 12)
_WARNS_WHEN_LEFT_OPEN = sys.version_info >= (3, 13)


# What inspect and type checkers see of the methods that count their arguments themselves.
def _execute_shape(self: Connection, sql: str, parameters: Parameters = (), /) -> Cursor:
    raise NotImplementedError


def _executemany_shape(self: Connection, sql: str, parameters: Iterable[Parameters], /) -> Cursor:
    raise NotImplementedError


def _executescript_shape(self: Connection, sql_script: str, /) -> Cursor:
    raise NotImplementedError


def _call_shape(self: Connection, sql: str, /) -> prepared.Statement:
    raise NotImplementedError


def _cursor_shape(self: Connection, factory: Callable[[Connection], Any] = Cursor) -> Cursor:
    raise NotImplementedError


class Connection:
    """A connection to a database file or to one in memory; see `connect`."""

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    row_factory: Any = None
    _session: Session | None = None
    _is_initialized = False
    _detect_types = 0
    _has_conversions = False
    # The only thread that may use the connection; of one that threads share, the thread that is using it now, or 0.
    _thread = 0
    # The lock of a connection that threads share.
    _lock: Any = None

    @checked_initialiser
    def __init__(
        self,
        database: str | bytes | os.PathLike[Any],
        timeout: float = 5.0,
        detect_types: int = 0,
        isolation_level: str | None = "",
        check_same_thread: Flag = True,
        factory: Any = None,
        cached_statements: int = 128,
        uri: bool = False,
        *,
        autocommit: bool | Literal[-1] = LEGACY_TRANSACTION_CONTROL,
    ) -> None:
        """Opens the database; raises OperationalError if it cannot be opened."""
        begin = _begin_kind(isolation_level)
        sys.audit("sqlite3.connect", database)
        filename = _filename(database)
        # Cursors of the old database go on with it.
        self._session = None
        self._is_initialized = False
        self._lock = None if check_same_thread else allocate_lock()
        self._thread = get_ident() if check_same_thread else 0
        self._detect_types = detect_types
        self._statements: dict[str, Statement] = {}
        self._preupdate_hooks: dict[Any, Callable[[PreUpdate], Any]] = {}
        self._seen_texts: set[int] = set()
        self._cached_statements = cached_statements
        self._isolation_level = isolation_level if isolation_level is None else str.upper(isolation_level)
        self._autocommit = _autocommit_value(autocommit)
        self._is_legacy = self._autocommit == LEGACY_TRANSACTION_CONTROL
        self._begin: str | None = begin if self._is_legacy else None
        self._text_factory: Any = str
        # What collations raised while a statement ran: it is raised again when the statement's step is over.
        self._failures: list[BaseException] = []
        self._has_conversions = bool(detect_types)
        self.row_factory: Any = None
        self._session = engine.open_session(filename, is_uri=bool(uri), timeout_ms=int(timeout * 1000))
        self._is_initialized = True
        if self._autocommit is False:
            self._session.execute("BEGIN")
        sys.audit("sqlite3.connect/handle", self)

    def _check(self) -> None:
        if not self._is_initialized:
            raise ProgrammingError("Base Connection.__init__ not called.")
        self._check_thread()
        if self._session is None:
            raise ProgrammingError("Cannot operate on a closed database.")

    def _check_thread(self) -> None:
        if self._is_initialized and self._lock is None and self._thread != get_ident():
            raise ProgrammingError(
                "SQLite objects created in a thread can only be used in that same thread. "
                f"The object was created in thread id {self._thread} and this is thread id {get_ident()}."
            )

    def _enter(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Calls while no other thread uses the connection; raises ProgrammingError where this thread may not use it.

        The lock is held for one call, not between the rows that a cursor hands out.
        """
        self._check()
        with self._lock:
            self._thread = get_ident()
            try:
                return call(*arguments, **keywords)
            finally:
                self._thread = 0

    def _read_session(self) -> Session:
        """For what any thread may look at."""
        if self._session is None:
            self._check()
        assert self._session is not None
        return self._session

    def _open_session(self) -> Session:
        self._check()
        assert self._session is not None
        return self._session

    def _serialised(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls while no other thread uses the connection."""
        if self._lock is None or self._thread == get_ident():
            return call(*arguments)
        return self._enter(call, *arguments)

    def _prepare(self, sql: str) -> Statement:
        """A statement that is not running, from the cache or compiled; the caller has checked thread and connection."""
        session = self._session
        assert session is not None, "the caller has checked"
        if not isinstance(sql, str):
            if sql is MISSING:
                check_count("execute", 0, 1, 2)
            raise TypeError(f"execute() argument 1 must be str, not {type_name(sql)}")
        cache = self._statements
        if cache:
            statement = cache.get(sql)
            if statement is not None and not statement.is_running and statement.generation == session.schema_generation:
                return statement
        if not sql.isascii():
            sql.encode()
        if "\0" in sql:
            raise ProgrammingError("the query contains a null character")
        if len(sql) > session.limits[1]:
            raise DataError("query string is too large")
        statement, end = session.prepare(sql)
        if end < len(sql) and session.has_more(sql, end):
            raise ProgrammingError("You can only execute one statement at a time.")
        if self._cached_statements > 0 and statement.is_cacheable:
            # A text is kept from its second preparation on: most texts come once, and what lives for one execution is freed at
            # once instead of ageing in the cache (benchmarks/corpus.py: 15 us a statement).
            seen = self._seen_texts
            key = hash(sql)
            if key in seen:
                if len(cache) >= self._cached_statements and sql not in cache:
                    del cache[next(iter(cache))]
                cache[sql] = statement
            else:
                if len(seen) >= _MAX_SEEN_TEXTS:
                    seen.clear()
                seen.add(key)
        return statement

    def _begin_implicitly(self, statement: Statement) -> None:
        session = self._open_session()
        if session.autocommit and self._begin is not None:
            session.execute_kept(self._begin)

    @shown_as(_cursor_shape)
    def cursor(self, factory: Any = Cursor, *excess: Any) -> Any:
        """A new cursor, made by `factory(connection)`, which must return a Cursor."""
        if excess:
            raise TypeError(f"cursor() takes at most 1 argument ({len(excess) + 1} given)")
        self._check()
        cursor = factory(self)
        if not issubclass(type(cursor), Cursor):
            raise TypeError(f"factory must return a cursor, not {c_type_name(cursor)}")
        if self.row_factory is not None:
            cursor.row_factory = self.row_factory
        return cursor

    @shown_as(_execute_shape)
    def execute(self, sql: Any = MISSING, parameters: Any = (), /, *excess: Any) -> Any:
        """Makes a cursor and executes a statement on it."""
        if excess or self._session is None or self._thread != get_ident():
            return Connection.cursor(self).execute(sql, parameters, *excess)
        # What `cursor` does, without its calls: it is a good part of a small statement.
        cursor = _new_cursor(Cursor)
        cursor._connection = self
        if self.row_factory is not None:
            cursor.row_factory = self.row_factory
        return cursor.execute(sql, parameters)

    @shown_as(_executemany_shape)
    def executemany(self, *arguments: Any) -> Any:
        """Makes a cursor and executes a statement for every set of parameters."""
        return Connection.cursor(self).executemany(*arguments)

    @shown_as(_executescript_shape)
    def executescript(self, *arguments: Any) -> Any:
        """Makes a cursor and executes a script on it."""
        if len(arguments) != 1:
            raise TypeError(f"Connection.executescript() takes exactly one argument ({len(arguments)} given)")
        return Connection.cursor(self).executescript(*arguments)

    @shown_as(_call_shape)
    def __call__(self, *arguments: Any) -> prepared.Statement:
        """Prepares a statement without executing it."""
        self._check()
        if len(arguments) != 1:
            raise TypeError(f"function takes exactly 1 argument ({len(arguments)} given)")
        (sql,) = arguments
        if not isinstance(sql, str):
            raise TypeError(f"argument 1 must be str, not {type_name(sql)}")
        return prepared.prepared_statement(self._prepare(sql))

    @checked
    def commit(self) -> None:
        """Commits the open transaction, if there is one."""
        session = self._open_session()
        if self._is_legacy:
            if not session.autocommit:
                session.execute_kept("COMMIT")
        elif self._autocommit is False:
            session.execute_kept("COMMIT")
            session.execute_kept("BEGIN")

    @checked
    def rollback(self) -> None:
        """Rolls back the open transaction, if there is one."""
        session = self._open_session()
        if self._is_legacy:
            if not session.autocommit:
                session.execute_kept("ROLLBACK")
        elif self._autocommit is False:
            session.execute_kept("ROLLBACK")
            session.execute_kept("BEGIN")

    @without_arguments
    def close(self) -> None:
        """Closes the connection; what was not committed is lost."""
        if not self._is_initialized:
            raise ProgrammingError("Base Connection.__init__ not called.")
        self._check_thread()
        if self._lock is not None and self._thread != get_ident() and self._session is not None:
            self._enter(self._close)
        else:
            self._close()

    def _close(self) -> None:
        session = self._session
        if session is not None:
            if self._autocommit is False and not session.autocommit:
                session.execute_kept("ROLLBACK")
            self._session = None
            self._statements.clear()
            session.close()

    @without_arguments
    def __enter__(self) -> Connection:
        self._read_session()
        return self

    @checked
    def __exit__(
        self, type: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> Literal[False]:
        self._check()
        if self._autocommit is True:
            return False
        if type is not None:
            Connection.rollback(self)
            return False
        try:
            Connection.commit(self)
        except errors.Error:
            Connection.rollback(self)
            raise
        return False

    @property
    def in_transaction(self) -> bool:
        """Tells whether a transaction is open."""
        return not self._read_session().autocommit

    @property
    def total_changes(self) -> int:
        """Rows changed since the connection was opened."""
        return self._read_session().total_changes

    @property
    def isolation_level(self) -> str | None:
        """How legacy transactions begin: "", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", or None for never."""
        self._read_session()
        return self._isolation_level

    @isolation_level.setter
    def isolation_level(self, level: str | None) -> None:
        begin = _begin_kind(level)
        self._open_session()
        self._isolation_level = level if level is None else str.upper(level)
        if level is None and self._is_legacy:
            Connection.commit(self)
        self._begin = begin if self._is_legacy else None

    @isolation_level.deleter
    def isolation_level(self) -> None:
        raise AttributeError("cannot delete attribute")

    @property
    def autocommit(self) -> bool | Literal[-1]:
        """True, False (always in a transaction), or LEGACY_TRANSACTION_CONTROL."""
        self._check()
        return self._autocommit

    @autocommit.setter
    def autocommit(self, value: bool | Literal[-1]) -> None:
        value = _autocommit_value(value)
        self._set_autocommit(value)
        self._autocommit = value
        self._is_legacy = value == LEGACY_TRANSACTION_CONTROL and not isinstance(value, bool)
        self._begin = _begin_kind(self._isolation_level) if self._is_legacy else None

    @checked
    def _set_autocommit(self, value: bool | Literal[-1]) -> None:
        session = self._open_session()
        if value is True and not session.autocommit:
            session.execute_kept("COMMIT")
        elif value is False and session.autocommit:
            session.execute_kept("BEGIN")

    @property
    def text_factory(self) -> Any:
        """Makes text values from their bytes; `str` by default."""
        return self._text_factory

    @text_factory.setter
    def text_factory(self, factory: Any) -> None:
        self._text_factory = factory
        self._has_conversions = bool(self._detect_types) or factory is not str

    @positional_only_soon("name", "narg", "func")
    @checked
    def create_function(self, name: str, narg: int, func: Callable[..., Any] | None, *, deterministic: bool = False) -> None:
        """Registers a Python function for SQL; None removes it."""
        session = self._open_session()
        _check_definition(name, narg, OperationalError, "Error creating function")
        session.create_function(name, narg, None if func is None else scalar_callback(func, narg), deterministic)

    @positional_only_soon("name", "n_arg", "aggregate_class")
    @checked
    def create_aggregate(self, name: str, n_arg: int, aggregate_class: Callable[[], Any] | None) -> None:
        """Registers an aggregate made of a class with `step` and `finalize`; None removes it."""
        session = self._open_session()
        _check_definition(name, n_arg, OperationalError, "Error creating aggregate")
        factory = None if aggregate_class is None else aggregate_factory(aggregate_class)
        session.create_aggregate(name, n_arg, factory)

    @checked
    def create_window_function(self, name: str, num_params: int, aggregate_class: Callable[[], Any] | None, /) -> None:
        """Registers an aggregate window function: a class with `step`, `finalize`, `value` and `inverse`."""
        session = self._open_session()
        _check_definition(name, num_params, ProgrammingError, "bad parameter or other API misuse")
        if aggregate_class is None:
            session.create_aggregate(name, num_params, None)
        else:
            session.create_aggregate(name, num_params, aggregate_factory(aggregate_class), window_factory(aggregate_class))

    @checked
    def create_collation(self, name: str, callback: Callable[[str, str], int] | None, /) -> None:
        """Registers a collation; None removes it."""
        session = self._open_session()
        if callback is not None and not callable(callback):
            raise TypeError("parameter must be callable")
        session.create_collation(name, None if callback is None else collation_callback(callback, self._failures))

    def create_module(self, name: str, module: Module | None, /) -> None:
        """Registers a module of virtual tables (see `minisql.vtab`); None removes it.  Its tables get this connection."""
        session = self._open_session()
        if not isinstance(name, str):
            raise TypeError(f"create_module() argument 1 must be str, not {type_name(name)}")
        if module is not None and not callable(getattr(module, "connect", None)):
            raise TypeError("a module needs a connect method")
        engine.create_module(session, name, module, engine.weak_owner(self))

    def create_fts5_tokenizer(self, name: str, factory: Callable[[Sequence[str]], Any] | None, /) -> None:
        """Registers a tokenizer for FTS5: `factory(arguments)` makes an object with `tokenize(text, reason)`, which returns
        (token, start, end) triples, offsets in characters; a true fourth item marks a synonym of the token before.

        Source: https://www.sqlite.org/fts5.html section 7.1.
        """
        engine.register_extension(self._open_session(), "fts5 tokenizer", name, factory)

    def create_fts5_function(self, name: str, function: Callable[..., Any] | None, /) -> None:
        """Registers an auxiliary function for FTS5: it gets a `minisql.vtab.fts5.auxiliary.RowContext` and its arguments.

        Source: https://www.sqlite.org/fts5.html section 7.2.
        """
        engine.register_extension(self._open_session(), "fts5 function", name, function)

    def create_rtree_geometry(self, name: str, callback: Callable[..., Any], /, *, is_query: bool = False) -> None:
        """Registers a region for `WHERE id MATCH name(...)` on R-Trees: `callback(coordinates, parameters)` tells whether a box
        meets it; with `is_query` it gets a `minisql.vtab.rtree.geometry.QueryInfo` and sets `within` and `score`.

        Source: https://www.sqlite.org/rtree.html section 6.
        """
        engine.register_extension(self._open_session(), "rtree query" if is_query else "rtree region", name, callback)

    @without_arguments
    def interrupt(self) -> None:
        """Makes running statements stop with OperationalError("interrupted"); may be called from any thread."""
        session = self._session
        if not self._is_initialized:
            raise ProgrammingError("Base Connection.__init__ not called.")
        if session is None:
            raise ProgrammingError("Cannot operate on a closed database.")
        session.interrupt()

    @positional_only_soon("authorizer_callback")
    @checked
    def set_authorizer(self, authorizer_callback: Callable[..., int] | None) -> None:
        """Registers a callback that is asked about every access while a statement is compiled; None removes it."""
        session = self._open_session()
        session.set_authorizer(None if authorizer_callback is None else authorizer(authorizer_callback))

    @positional_only_soon("progress_handler")
    @checked
    def set_progress_handler(self, progress_handler: Callable[[], Any] | None, n: int) -> None:
        """Registers a callback for every `n` instructions; a true result interrupts the statement; None removes it."""
        session = self._open_session()
        handler = None if progress_handler is None else progress_callback(progress_handler)
        session.set_progress_handler(handler, n)

    @positional_only_soon("trace_callback")
    @checked
    def set_trace_callback(self, trace_callback: Callable[[str], Any] | None) -> None:
        """Registers a callback that gets the text of each statement when it starts; None removes it."""
        session = self._open_session()
        session.set_trace(None if trace_callback is None else tracer(trace_callback))

    @checked
    def preupdate_hook(self, callback: Callable[[PreUpdate], Any] | None, *, id: Any = None) -> None:
        """Registers a callback that sees every row before it changes, one for each `id`; None removes it.

        While there is one, rows change one by one.
        """
        session = self._open_session()
        if callback is None:
            self._preupdate_hooks.pop(id, None)
        else:
            self._preupdate_hooks[id] = callback
        session.set_preupdate_hook(preupdate_callback(self, self._preupdate_hooks) if self._preupdate_hooks else None)

    @checked
    def set_wal_hook(self, callable: Callable[[Connection, str, int], int] | None) -> None:
        """Registers `callable(connection, database, frames)`, called after each commit to a write-ahead log; None removes it.

        It answers with 0 or the code of the error that the statement shall give.  No commit checkpoints by itself any more;
        `wal_autocheckpoint` brings that back and removes the hook.
        """
        session = self._open_session()
        engine.set_wal_hook(session, None if callable is None else wal_hook(self, callable))

    @checked
    def wal_autocheckpoint(self, n: int) -> None:
        """Checkpoints after each commit that leaves `n` frames or more in the write-ahead log; never with `n` <= 0."""
        engine.set_automatic_checkpoint(self._open_session(), n)

    @checked
    def iterdump(self, *, filter: str | None = None) -> Iterator[str]:
        """SQL text that makes the database again, statement by statement; `filter` is a LIKE pattern for names."""
        self._read_session()
        return iterate_dump(self, filter)

    @unserialised
    def backup(
        self,
        target: Connection,
        *,
        pages: int = -1,
        progress: Callable[[int, int, int], Any] | None = None,
        name: str = "main",
        sleep: float = 0.25,
    ) -> None:
        """Copies database `name` over the main database of `target`, `pages` at a time."""
        if not isinstance(target, Connection):
            raise TypeError(f"backup() argument 'target' must be sqlite3.Connection, not {type_name(target)}")
        session = self._open_session()
        # Any thread may name a connection as the target.
        target_session = target._read_session()
        if target is self:
            raise ValueError("target cannot be the same connection instance")

        def step(copy: Callable[[int], bool]) -> bool:
            """Other threads get their turn between two steps."""
            return bool(self._serialised(target._serialised, copy, pages or -1))

        backup_database(session, target_session, step, progress, name, sleep)

    @checked
    def blobopen(self, table: str, column: str, row: Int64, /, *, readonly: bool = False, name: str = "main") -> Blob:
        """Opens a blob or text value for reading and writing in place."""
        return open_blob(self, self._open_session().open_blob(name, table, column, row, not readonly))

    @checked
    def serialize(self, *, name: str = "main") -> bytes:
        """The bytes of a database file with the content of database `name`."""
        session = self._open_session()
        if session.catalog.schema_position(name) < 0:
            raise OperationalError(f"unable to serialize '{name}'")
        return session.serialize(name)

    @checked
    def deserialize(self, data: Any, /, *, name: str = "main") -> None:
        """Replaces database `name` by one in memory with these bytes."""
        self._open_session().deserialize(name, buffer_bytes(data))

    @checked
    def getlimit(self, category: int, /) -> int:
        """The current value of a limit (SQLITE_LIMIT_*)."""
        return self.setlimit(category, -1)

    @checked
    def setlimit(self, category: int, limit: int, /) -> int:
        """Sets a limit and returns its value before; too high a value becomes the highest allowed."""
        session = self._open_session()
        if not 0 <= category < len(session.limits):
            raise ProgrammingError("'category' is out of bounds")
        return session.set_limit(category, limit)

    @checked
    def getconfig(self, op: int, /) -> bool:
        """A boolean database option (SQLITE_DBCONFIG_*)."""
        return self._open_session().get_config(op)

    @checked
    def setconfig(self, op: int, enable: bool = True, /) -> None:
        """Sets a boolean database option."""
        self._open_session().set_config(op, bool(enable))

    @checked
    def enable_load_extension(self, enable: bool, /) -> None:
        """Machine-code extensions cannot be loaded: only forbidding them succeeds."""
        self._check()
        sys.audit("sqlite3.enable_load_extension", self, enable)
        if not enable:
            return
        raise errors.NotSupportedError(_NO_EXTENSIONS)

    @checked
    def load_extension(self, name: str, /, *, entrypoint: str | None = None) -> None:
        """Machine-code extensions cannot be loaded."""
        self._check()
        sys.audit("sqlite3.load_extension", self, name)
        raise errors.NotSupportedError(_NO_EXTENSIONS)

    def __del__(self) -> None:
        session = self._session
        if session is not None:
            if _WARNS_WHEN_LEFT_OPEN:
                warnings.warn(f"unclosed database in {self!r}", ResourceWarning, stacklevel=1, source=self)
            self._session = None
            session.close()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise cannot_pickle(self)


def _filename(database: Any) -> str:
    path = os.fspath(database)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if "\0" in path:
        raise ValueError("embedded null byte")
    return str(path)


def _check_definition(name: str, n_arguments: int, kind: type[errors.Error], message: str) -> None:
    if not -1 <= n_arguments <= _MAX_ARGUMENTS or len(name.encode()) > _MAX_NAME_BYTES:
        raise kind(message)


def _begin_kind(level: Any) -> str | None:
    """The statement that begins a transaction of an isolation level."""
    if level is None:
        return None
    if not isinstance(level, str):
        raise TypeError("isolation_level must be str or None")
    if "\0" in level:
        raise ValueError("embedded null character")
    upper = str.upper(level)
    if upper not in _LEVELS:
        raise ValueError("isolation_level string must be '', 'DEFERRED', 'IMMEDIATE', or 'EXCLUSIVE'")
    return f"BEGIN {upper}"


def _autocommit_value(value: Any) -> bool | Literal[-1]:
    if value is True or value is False:
        return value
    if value == LEGACY_TRANSACTION_CONTROL:
        return LEGACY_TRANSACTION_CONTROL
    raise ValueError("autocommit must be True, False, or sqlite3.LEGACY_TRANSACTION_CONTROL")


def _connect_shape(
    database: str | bytes | os.PathLike[Any],
    timeout: float = 5.0,
    detect_types: int = 0,
    isolation_level: str | None = "",
    check_same_thread: bool = True,
    factory: Callable[..., Any] = Connection,
    cached_statements: int = 128,
    uri: bool = False,
    *,
    autocommit: bool | Literal[-1] = LEGACY_TRANSACTION_CONTROL,
) -> Connection:
    raise NotImplementedError


@shown_as(_connect_shape)
def connect(*arguments: Any, **options: Any) -> Any:
    """Opens a connection to a database file; ":memory:" is a database in memory, "" one that goes away with its connection.

    Takes what `Connection` takes: timeout, detect_types, isolation_level, check_same_thread, factory, cached_statements, uri,
    and autocommit by keyword; hands it all to `factory`.
    Source: https://docs.python.org/3/library/sqlite3.html#sqlite3.connect
    """
    if len(arguments) > 1:
        warn_positional("sqlite3.connect")
    factory = arguments[5] if len(arguments) > 5 else options.get("factory", Connection)
    return factory(*arguments, **options)
