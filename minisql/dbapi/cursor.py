"""Cursor: executes statements and hands out rows, as the standard library's module does.

`execute` is flat on purpose: each further Python call costs 50 to 100 ns, and a cached point select has 2.5 us.  A statement
is stepped once when it is executed and then always one row ahead, so the last row's fetch already releases the statement
and its locks, as in CPython's module.

Source: PEP 249; https://docs.python.org/3/library/sqlite3.html#cursor-objects.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from operator import eq, itemgetter
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias

from minisql.dbapi.adapters import adapted_base_types
from minisql.dbapi.arguments import c_int, cannot_pickle, check_count, checked_member, shown_as, type_name
from minisql.dbapi.binding import WARNS_OF_NAMES, bind_mapping, bind_sequence, warn_of_names
from minisql.dbapi.conversion import Converters, check_decodable, column_converters, converted_row
from minisql.dbapi.fetching import extend_with_all
from minisql.errors import INTERRUPT, MISUSE, DataError, Error, ProgrammingError, sqlite_error
from minisql.limits import SQL_LENGTH
from minisql.values.storage_class import escaped_text

if TYPE_CHECKING:
    from minisql.dbapi.connection import Connection
    from minisql.engine.statement import Part, Statement

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

_END: Any = object()
MISSING: Any = object()
"""In place of an argument that was not given."""

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
_NO_ROWS: Iterator[Any] = iter(())
_KEEPS_ROWS = sys.version_info >= (3, 12)
# What a second __init__ sets back to the defaults of the class.
_STATE = (
    "_arraysize",
    "lastrowid",
    "rowcount",
    "row_factory",
    "_is_closed",
    "_rows",
    "_row",
    "_statement",
    "_names",
    "_converters",
)

Description = tuple[tuple[str, None, None, None, None, None, None], ...]


# What inspect and type checkers see of the methods that count their arguments themselves.
def _execute_shape(self: Cursor, sql: str, parameters: Parameters = (), /) -> Cursor:
    raise NotImplementedError


def _executemany_shape(self: Cursor, sql: str, seq_of_parameters: Iterable[Parameters], /) -> Cursor:
    raise NotImplementedError


def _fetch_shape(self: Cursor) -> Any:
    raise NotImplementedError


def _fetchmany_shape(self: Cursor, size: int = 1) -> list[Any]:
    raise NotImplementedError


def _fetchall_shape(self: Cursor) -> list[Any]:
    raise NotImplementedError


class Cursor:
    """A database cursor; made by `Connection.cursor()`."""

    # What a new cursor has, so that making one is short: Connection.execute makes one for every statement.
    _arraysize = 1
    lastrowid: int | None = None
    rowcount = -1
    row_factory: Callable[[Cursor, tuple[Any, ...]], Any] | None = None
    _connection: Connection | None = None
    _is_locked = False
    _is_closed = False
    _rows: Iterator[Any] = _NO_ROWS
    _row: Any = _END
    _statement: Statement | None = None
    _names: Any = ()
    _converters: Converters = None

    def __init__(self, connection: Connection = MISSING, /, *excess: Any) -> None:
        if connection is MISSING or excess:
            check_count("Cursor", len(excess) + (connection is not MISSING), 1, 1)
        if not hasattr(connection, "_session"):
            raise TypeError(f"Cursor() argument 1 must be sqlite3.Connection, not {type_name(connection)}")
        if self._is_locked:
            raise ProgrammingError("Recursive use of cursors not allowed.")
        connection._check()
        if self._connection is not None:
            self._reset()
            for name in _STATE:
                self.__dict__.pop(name, None)
        self._connection = connection

    @property
    def connection(self) -> Connection:
        """The connection that the cursor belongs to."""
        connection = self._connection
        if connection is None:
            raise ProgrammingError("Base Cursor.__init__ not called.")
        return connection

    @property
    def arraysize(self) -> int:
        """How many rows `fetchmany` fetches."""
        return self._arraysize

    @arraysize.setter
    def arraysize(self, size: int) -> None:
        self._arraysize = c_int(size)

    @property
    def description(self) -> Description | None:
        """Seven-tuples with the column names of the last query; None when there are no columns."""
        names = self._column_names()
        if not names:
            return None
        connection = self._connection
        if connection is not None and connection._detect_types & 2:  # PARSE_COLNAMES
            names = tuple([_name_without_type(name) for name in names])
        return tuple([(name, None, None, None, None, None, None) for name in names])

    def _column_names(self) -> tuple[str, ...]:
        """The names, which a program computes only when somebody asks."""
        names = self._names
        if names.__class__ is not tuple:
            names = self._names = names.column_names
        return names  # type: ignore[no-any-return]

    @shown_as(_execute_shape)
    def execute(self, sql: Any = MISSING, parameters: Any = (), /, *excess: Any) -> Cursor:
        """Executes one statement."""
        connection = self._connection
        if connection is None or self._is_closed or self._is_locked:
            self._check()
        session = connection._session  # type: ignore[union-attr]
        if session is None or connection._thread != get_ident():  # type: ignore[union-attr]
            return connection._enter(Cursor.execute, self, sql, parameters, *excess)  # type: ignore[union-attr,no-any-return]
        if excess:
            check_count("execute", 2 + len(excess), 1, 2)
        if self._statement is not None:
            self._reset()
        # What it is until the statement has begun, and after a failure.
        self.rowcount = -1
        statement = connection._statements.get(sql)  # type: ignore[union-attr]
        if statement is None or statement.is_running or statement.generation != session.schema_generation:
            self._names = ()
            statement = connection._prepare(sql)  # type: ignore[union-attr]
        if statement.is_changing and session.autocommit and connection._begin is not None:  # type: ignore[union-attr]
            connection._begin_implicitly(statement)  # type: ignore[union-attr]
        kind = parameters.__class__
        if (kind is tuple or kind is list) and len(parameters) == statement.n_parameters and not adapted_base_types:
            for value in parameters:
                kind = value.__class__
                if kind is int:
                    if not INT64_MIN <= value <= INT64_MAX:
                        raise OverflowError("Python int too large to convert to SQLite INTEGER")
                elif not (
                    (kind is str and value.isascii()) or (kind is float and value == value) or value is None or kind is bytes
                ):
                    parameters = bind_sequence(statement, parameters)
                    break
            if WARNS_OF_NAMES and parameters:
                warn_of_names(statement)
        elif kind is dict or isinstance(parameters, Mapping):
            parameters = bind_mapping(statement, parameters)
        else:
            parameters = bind_sequence(statement, parameters)
        if statement.is_changing:
            self.rowcount = 0
        self._is_locked = True
        try:
            if statement.is_changing and statement.run_at_once(parameters):
                rows = _NO_ROWS
                if connection._failures:  # type: ignore[union-attr]
                    raise connection._failures.pop()  # type: ignore[union-attr]
            else:
                rows = statement.start(parameters)
                self._row = next(rows, _END)
                if connection._failures:  # type: ignore[union-attr]
                    rows.close()  # type: ignore[union-attr]
                    raise connection._failures.pop()  # type: ignore[union-attr]
                if not self._row:  # rows without columns, of PRAGMA incremental_vacuum: the interface has none
                    rows.close()  # type: ignore[union-attr]
                    self._row = _END
        except BaseException:
            self.rowcount = -1
            self._names = ()
            self._row = _END
            connection._failures.clear()  # type: ignore[union-attr]
            raise
        finally:
            self._is_locked = False
        if not statement.is_empty:
            self.lastrowid = session.last_insert_rowid
        # The program: names are made when they are asked for.
        self._names = () if statement.is_empty else statement.program
        if self._row is _END:
            if statement.is_changing:
                self.rowcount = session.changes
            return self
        self._rows = rows
        self._statement = statement
        if connection._detect_types:  # type: ignore[union-attr]
            self._converters = column_converters(connection._detect_types, statement)  # type: ignore[union-attr]
        return self

    @shown_as(_executemany_shape)
    def executemany(self, *arguments: Any) -> Cursor:
        """Executes one data-changing statement for every set of parameters."""
        if len(arguments) != 2:
            check_count("executemany", len(arguments), 2, 2)
        sql, seq_of_parameters = arguments
        if not isinstance(sql, str):
            raise TypeError(f"executemany() argument 1 must be str, not {type_name(sql)}")
        connection = self._check()
        if connection._thread != get_ident():
            return connection._enter(Cursor.executemany, self, *arguments)  # type: ignore[no-any-return]
        session = connection._session
        self._reset()
        self._names = ()
        self.rowcount = -1
        statement = connection._prepare(sql)
        if statement.is_empty or statement.program.readonly:
            raise ProgrammingError("executemany() can only execute DML statements.")
        if session.autocommit and connection._begin is not None:  # type: ignore[union-attr]
            connection._begin_implicitly(statement)
        self._is_locked = True
        try:
            if statement.column_names:
                self._run_returning(statement, _bound(statement, seq_of_parameters))
                self.rowcount = 0
            else:
                self.rowcount = statement.run_many(
                    _bound(statement, seq_of_parameters),
                    _parts(statement, seq_of_parameters) if seq_of_parameters.__class__ in (list, tuple) else None,
                )
            if connection._failures:
                raise connection._failures.pop()
        except BaseException:
            connection._failures.clear()
            raise
        finally:
            self._is_locked = False
        return self

    def _run_returning(self, statement: Statement, sets: Iterable[Sequence[Any]]) -> None:
        """Runs a statement with RETURNING for each set of parameters, as the standard library's module does.

        It drops the rows until Python 3.11.  Later ones leave them to be fetched, and a further set of parameters meets a
        statement that has not ended: misuse.
        """
        rows: Iterator[Any] = _NO_ROWS
        row: Any = _END
        for parameters in sets:
            if row is not _END:
                _leave(statement, rows)
                raise sqlite_error(MISUSE)
            rows = statement.start(parameters)
            row = next(rows, _END)
            self._names = statement.program
            if not _KEEPS_ROWS and row is not _END:
                _leave(statement, rows)
                row = _END
        if row is not _END:
            self._row, self._rows, self._statement = row, rows, statement
            connection = self._connection
            if connection is not None and connection._detect_types:
                self._converters = column_converters(connection._detect_types, statement)

    @checked_member
    def executescript(self, sql_script: str, /) -> Cursor:
        """Executes all statements of a script, without parameters; in legacy mode an open transaction is committed first."""
        connection = self._check()
        session = connection._session
        assert session is not None
        if len(sql_script.encode()) > session.limits[SQL_LENGTH]:
            raise DataError("query string is too large")
        if connection._is_legacy and not session.autocommit:
            session.execute_kept("COMMIT")
        try:
            session.run_script(sql_script)
            if connection._failures:
                raise connection._failures.pop()
        except BaseException:
            connection._failures.clear()
            raise
        return self

    @shown_as(_fetch_shape)
    def fetchone(self, *excess: Any) -> Any:
        """The next row, or None at the end."""
        if excess:
            raise TypeError(f"Cursor.fetchone() takes no arguments ({len(excess)} given)")
        if self._row is _END:
            self._check()
            return None
        return Cursor.__next__(self)

    @shown_as(_fetchmany_shape)
    def fetchmany(self, size: Any = None, *excess: Any) -> list[Any]:
        """At most `size` rows (default `arraysize`); a size of 0 means all."""
        if excess:
            raise TypeError(f"fetchmany() takes at most 1 argument ({len(excess) + 1} given)")
        rows: list[Any] = []
        n = self._arraysize if size is None else c_int(size)
        if self._row is _END:
            self._check()
            return rows
        connection = self._connection
        if n > 1 and not (self._is_locked or self._is_closed) and connection is not None and connection._thread == get_ident():
            if connection._session is not None and not connection._has_conversions and self.row_factory is None:
                return self._fetch_plain(n)
        while self._row is not _END:
            rows.append(Cursor.__next__(self))
            if len(rows) == n:
                break
        return rows

    def _fetch_plain(self, n: int) -> list[Any]:
        """The next `n` rows as they are, of which there is one at least; as `__next__` so often."""
        connection = self._connection
        assert connection is not None and connection._session is not None
        rows = [self._row]
        self._row = _END
        self._is_locked = True
        try:
            if connection._session.is_interrupted:
                self._interrupt()
            rows.extend(islice(self._rows, n - 1))
            self._row = next(self._rows, _END)
        finally:
            self._is_locked = False
            if self._row is _END:
                statement = self._statement
                self._statement = None
                self._rows = _NO_ROWS
                if statement is not None and statement.is_changing:
                    self.rowcount = statement.session.changes
        if connection._failures:
            self._reset()
            raise connection._failures.pop()
        if escaped_text.was_seen:
            for row in rows:
                check_decodable(row, self._column_names())
        return rows

    @shown_as(_fetchall_shape)
    def fetchall(self, *excess: Any) -> list[Any]:
        """All remaining rows."""
        if excess:
            raise TypeError(f"Cursor.fetchall() takes no arguments ({len(excess)} given)")
        connection = self._connection
        if (
            self._is_locked
            or self._is_closed
            or connection is None
            or connection._session is None
            or connection._thread != get_ident()
        ):
            return self._check()._enter(Cursor.fetchall, self)  # type: ignore[no-any-return]
        row = self._row
        if row is _END:
            return []
        # A conversion may call back into this cursor, and it sees one row at a time.
        if connection._has_conversions or self.row_factory is not None:
            converted: list[Any] = []
            while self._row is not _END:
                converted.append(Cursor.__next__(self))
            return converted
        rows = [row]
        self._row = _END
        self._is_locked = True
        try:
            if connection._session.is_interrupted:
                self._interrupt()
            connection._session.fetches_all = True
            extend_with_all(rows, self._rows)
            if connection._failures:
                raise connection._failures.pop()
        except BaseException:
            connection._failures.clear()
            raise
        finally:
            if connection._session is not None:
                connection._session.fetches_all = False
            self._is_locked = False
            statement = self._statement
            self._statement = None
            self._rows = _NO_ROWS
            if statement is not None and statement.is_changing:
                self.rowcount = statement.session.changes
        if escaped_text.was_seen:
            for row in rows:
                check_decodable(row, self._column_names())
        return rows

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        connection = self._connection
        if (
            self._is_locked
            or self._is_closed
            or connection is None
            or connection._session is None
            or connection._thread != get_ident()
        ):
            return self._check()._enter(Cursor.__next__, self)
        row = self._row
        if row is _END:
            raise StopIteration
        if connection._has_conversions:
            self._is_locked = True
            try:
                row = converted_row(row, self._converters, connection._text_factory)
            finally:
                self._is_locked = False
        elif escaped_text.was_seen:
            check_decodable(row, self._column_names())
        self._row = _END
        self._is_locked = True
        try:
            session = connection._session
            # A converter may have closed the connection.
            if session is not None and session.is_interrupted:
                self._interrupt()
            self._row = next(self._rows, _END)
        finally:
            self._is_locked = False
            if self._row is _END:
                statement = self._statement
                self._statement = None
                self._rows = _NO_ROWS
                if statement is not None and statement.is_changing:
                    self.rowcount = statement.session.changes
        if connection._failures:
            self._reset()
            raise connection._failures.pop()
        if self.row_factory is not None:
            row = self.row_factory(self, row)
        return row

    def _interrupt(self) -> None:
        """Makes the running statement fail: an interrupt holds for every statement that runs, whatever it is doing."""
        self._rows.throw(sqlite_error(INTERRUPT))  # type: ignore[attr-defined]

    def _reset(self) -> None:
        """Ends the running statement, if there is one, before its end."""
        statement = self._statement
        if statement is not None:
            rows = self._rows
            self._statement = None
            self._rows = _NO_ROWS
            self._row = _END
            _leave(statement, rows)

    @checked_member
    def close(self) -> None:
        """Ends the statement; the cursor cannot be used any more."""
        connection = self.connection
        if self._is_locked:
            raise ProgrammingError("Recursive use of cursors not allowed.")
        connection._check_thread()
        if connection._session is None:
            raise ProgrammingError("Cannot operate on a closed database.")
        self._reset()
        self._is_closed = True

    @checked_member
    def setinputsizes(self, sizes: Any, /) -> None:
        """Does nothing, as PEP 249 allows."""

    @checked_member
    def setoutputsize(self, size: Any, column: Any = None, /) -> None:
        """Does nothing, as PEP 249 allows."""

    def _check(self) -> Connection:
        connection = self._connection
        if connection is None:
            raise ProgrammingError("Base Cursor.__init__ not called.")
        if self._is_closed:
            raise ProgrammingError("Cannot operate on a closed cursor.")
        if self._is_locked:
            raise ProgrammingError("Recursive use of cursors not allowed.")
        connection._check()
        return connection

    def __del__(self) -> None:
        connection = self._connection
        if connection is not None and self._statement is not None:
            if connection._lock is not None and connection._session is not None and connection._thread != get_ident():
                connection._enter(self._reset)
            else:
                self._reset()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise cannot_pickle(self)


_PLAIN = frozenset((int, float, str, bytes, type(None)))


def _leave(statement: Statement, rows: Iterator[Any]) -> None:
    """Ends a statement before its last row.  The changes of one with RETURNING are made by then, and are counted at its end."""
    session = statement.session
    if statement.is_changing and not session.is_interrupted and session.progress is None:
        with suppress(Error):
            deque(rows, 0)
    rows.close()  # type: ignore[attr-defined]


def _parts(statement: Statement, sequences: Iterable[Any]) -> Iterator[Part]:
    """The values of sets of parameters by the thousand: in a list where no code of the user's runs while they are bound."""
    rest = iter(sequences)
    while part := list(islice(rest, _GATHERED)):
        columns = _plain_columns(part, statement.n_parameters)
        if columns is not None:
            yield part, columns, None
        elif _binds_without_calls(part):
            values: list[Any] = []
            failure: Exception | None = None
            try:
                values.extend(_bound(statement, part))
            except Exception as error:
                failure = error
            yield values, None, failure
        else:
            yield _bound(statement, part), None, None


def _plain_columns(rows: list[Any], n_parameters: int) -> list[list[Any]] | None:
    """The columns of sets of parameters that are their own values, which is told column by column (benchmark bulk_load)."""
    if adapted_base_types or not _SEQUENCES.issuperset(map(type, rows)) or set(map(len, rows)) != {n_parameters}:
        return None
    # Not by `zip(*rows)`: an iterator for every row would have the collector run.
    columns = [list(map(itemgetter(i), rows)) for i in range(n_parameters)]
    return columns if all(map(_is_plain, columns)) else None


def _is_plain(column: list[Any]) -> bool:
    kinds = set(map(type, column))
    if not kinds.issubset(_PLAIN):
        return False
    for kind in kinds:
        values: list[Any] = column if len(kinds) == 1 else [value for value in column if value.__class__ is kind]
        if kind is int:
            if min(values) < INT64_MIN or max(values) > INT64_MAX:
                return False
        elif kind is str:
            text = "".join(values)
            if not text.isascii() and _has_surrogates(text):
                return False
        elif kind is float and not all(map(eq, values, values)):
            return False
    return True


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


_SEQUENCES = frozenset((tuple, list))
_GATHERED = 5000


def _binds_without_calls(sequences: Sequence[Any]) -> bool:
    """Whether no code of the user's runs while these sets of parameters are bound: no adapters, no objects of other types."""
    return not adapted_base_types and all(
        (row.__class__ is tuple or row.__class__ is list) and _PLAIN.issuperset(map(type, row)) for row in sequences
    )


def _bound(statement: Statement, sequences: Iterable[Any]) -> Iterator[Sequence[Any]]:
    """The values of each set of parameters; the plain case is decided here, as in `Cursor.execute`."""
    n_parameters = statement.n_parameters
    for parameters in sequences:
        kind = parameters.__class__
        if (kind is tuple or kind is list) and len(parameters) == n_parameters and not adapted_base_types:
            for value in parameters:
                kind = value.__class__
                if kind is int:
                    if not INT64_MIN <= value <= INT64_MAX:
                        raise OverflowError("Python int too large to convert to SQLite INTEGER")
                elif not (
                    (kind is str and value.isascii()) or (kind is float and value == value) or value is None or kind is bytes
                ):
                    parameters = bind_sequence(statement, parameters)
                    break
            yield parameters
        elif kind is dict or isinstance(parameters, Mapping):
            yield bind_mapping(statement, parameters)
        else:
            yield bind_sequence(statement, parameters)


def _name_without_type(name: str) -> str:
    """The column name in front of " [type]"."""
    bracket = name.find("[")
    return name[:bracket].rstrip(" ") if bracket >= 0 else name
