"""Result codes and the exception classes of the whole engine.

Every error a user can see is one of the DB-API classes below and carries SQLite's (extended) result code, its name and,
where SQLite gives one, the byte offset into the SQL text.  Rooms raise them through `sqlite_error`, which picks the class
from the primary code exactly as CPython's `_sqlite3` does.  `InternalInvariantError` is the third family: it says that the
engine itself is broken, names the invariant and is never caught.

Source: https://www.sqlite.org/rescode.html; PEP 249, "Exceptions".
"""

from __future__ import annotations

OK = 0
ERROR = 1
INTERNAL = 2
PERM = 3
ABORT = 4
BUSY = 5
LOCKED = 6
NOMEM = 7
READONLY = 8
INTERRUPT = 9
IOERR = 10
CORRUPT = 11
NOTFOUND = 12
FULL = 13
CANTOPEN = 14
PROTOCOL = 15
EMPTY = 16
SCHEMA = 17
TOOBIG = 18
CONSTRAINT = 19
MISMATCH = 20
MISUSE = 21
NOLFS = 22
AUTH = 23
FORMAT = 24
RANGE = 25
NOTADB = 26
NOTICE = 27
WARNING = 28

ERROR_MISSING_COLLSEQ = ERROR | 1 << 8
ERROR_RETRY = ERROR | 2 << 8
ERROR_SNAPSHOT = ERROR | 3 << 8
IOERR_READ = IOERR | 1 << 8
IOERR_SHORT_READ = IOERR | 2 << 8
IOERR_WRITE = IOERR | 3 << 8
IOERR_FSYNC = IOERR | 4 << 8
IOERR_DIR_FSYNC = IOERR | 5 << 8
IOERR_TRUNCATE = IOERR | 6 << 8
IOERR_FSTAT = IOERR | 7 << 8
IOERR_UNLOCK = IOERR | 8 << 8
IOERR_RDLOCK = IOERR | 9 << 8
IOERR_DELETE = IOERR | 10 << 8
IOERR_BLOCKED = IOERR | 11 << 8
IOERR_NOMEM = IOERR | 12 << 8
IOERR_ACCESS = IOERR | 13 << 8
IOERR_CHECKRESERVEDLOCK = IOERR | 14 << 8
IOERR_LOCK = IOERR | 15 << 8
IOERR_CLOSE = IOERR | 16 << 8
IOERR_DIR_CLOSE = IOERR | 17 << 8
IOERR_SHMOPEN = IOERR | 18 << 8
IOERR_SHMSIZE = IOERR | 19 << 8
IOERR_SHMLOCK = IOERR | 20 << 8
IOERR_SHMMAP = IOERR | 21 << 8
IOERR_SEEK = IOERR | 22 << 8
IOERR_DELETE_NOENT = IOERR | 23 << 8
IOERR_MMAP = IOERR | 24 << 8
IOERR_GETTEMPPATH = IOERR | 25 << 8
IOERR_CONVPATH = IOERR | 26 << 8
IOERR_VNODE = IOERR | 27 << 8
IOERR_AUTH = IOERR | 28 << 8
IOERR_BEGIN_ATOMIC = IOERR | 29 << 8
IOERR_COMMIT_ATOMIC = IOERR | 30 << 8
IOERR_ROLLBACK_ATOMIC = IOERR | 31 << 8
IOERR_DATA = IOERR | 32 << 8
IOERR_CORRUPTFS = IOERR | 33 << 8
LOCKED_SHAREDCACHE = LOCKED | 1 << 8
LOCKED_VTAB = LOCKED | 2 << 8
BUSY_RECOVERY = BUSY | 1 << 8
BUSY_SNAPSHOT = BUSY | 2 << 8
BUSY_TIMEOUT = BUSY | 3 << 8
CANTOPEN_NOTEMPDIR = CANTOPEN | 1 << 8
CANTOPEN_ISDIR = CANTOPEN | 2 << 8
CANTOPEN_FULLPATH = CANTOPEN | 3 << 8
CANTOPEN_CONVPATH = CANTOPEN | 4 << 8
CANTOPEN_DIRTYWAL = CANTOPEN | 5 << 8
CANTOPEN_SYMLINK = CANTOPEN | 6 << 8
CORRUPT_VTAB = CORRUPT | 1 << 8
CORRUPT_SEQUENCE = CORRUPT | 2 << 8
CORRUPT_INDEX = CORRUPT | 3 << 8
READONLY_RECOVERY = READONLY | 1 << 8
READONLY_CANTLOCK = READONLY | 2 << 8
READONLY_ROLLBACK = READONLY | 3 << 8
READONLY_DBMOVED = READONLY | 4 << 8
READONLY_CANTINIT = READONLY | 5 << 8
READONLY_DIRECTORY = READONLY | 6 << 8
ABORT_ROLLBACK = ABORT | 2 << 8
CONSTRAINT_CHECK = CONSTRAINT | 1 << 8
CONSTRAINT_COMMITHOOK = CONSTRAINT | 2 << 8
CONSTRAINT_FOREIGNKEY = CONSTRAINT | 3 << 8
CONSTRAINT_FUNCTION = CONSTRAINT | 4 << 8
CONSTRAINT_NOTNULL = CONSTRAINT | 5 << 8
CONSTRAINT_PRIMARYKEY = CONSTRAINT | 6 << 8
CONSTRAINT_TRIGGER = CONSTRAINT | 7 << 8
CONSTRAINT_UNIQUE = CONSTRAINT | 8 << 8
CONSTRAINT_VTAB = CONSTRAINT | 9 << 8
CONSTRAINT_ROWID = CONSTRAINT | 10 << 8
CONSTRAINT_PINNED = CONSTRAINT | 11 << 8
CONSTRAINT_DATATYPE = CONSTRAINT | 12 << 8
NOTICE_RECOVER_WAL = NOTICE | 1 << 8
NOTICE_RECOVER_ROLLBACK = NOTICE | 2 << 8
NOTICE_RBU = NOTICE | 3 << 8
WARNING_AUTOINDEX = WARNING | 1 << 8
AUTH_USER = AUTH | 1 << 8
OK_LOAD_PERMANENTLY = OK | 1 << 8
OK_SYMLINK = OK | 2 << 8

CODE_NAMES: dict[int, str] = {
    code: "SQLITE_" + name for name, code in list(globals().items()) if name.isupper() and isinstance(code, int)
}

GENERIC_TEXTS: dict[int, str] = {
    OK: "not an error",
    ERROR: "SQL logic error",
    PERM: "access permission denied",
    ABORT: "query aborted",
    BUSY: "database is locked",
    LOCKED: "database table is locked",
    NOMEM: "out of memory",
    READONLY: "attempt to write a readonly database",
    INTERRUPT: "interrupted",
    IOERR: "disk I/O error",
    CORRUPT: "database disk image is malformed",
    NOTFOUND: "unknown operation",
    FULL: "database or disk is full",
    CANTOPEN: "unable to open database file",
    PROTOCOL: "locking protocol",
    SCHEMA: "database schema has changed",
    TOOBIG: "string or blob too big",
    CONSTRAINT: "constraint failed",
    MISMATCH: "datatype mismatch",
    MISUSE: "bad parameter or other API misuse",
    AUTH: "authorization denied",
    RANGE: "column index out of range",
    NOTADB: "file is not a database",
    NOTICE: "notification message",
    WARNING: "warning message",
    ABORT_ROLLBACK: "abort due to ROLLBACK",
}


class Warning(Exception):
    """An important warning, as PEP 249 defines it."""


class Error(Exception):
    """Base of every database error; carries SQLite's extended result code once one is known."""

    sqlite_errorcode: int
    sqlite_errorname: str
    sqlite_offset: int = -1


class InterfaceError(Error):
    """The interface was misused (SQLITE_MISUSE, SQLITE_RANGE)."""


class DatabaseError(Error):
    """The database is wrong: corrupt, not a database, or one of the subclasses."""


class DataError(DatabaseError):
    """A value is too big (SQLITE_TOOBIG)."""


class OperationalError(DatabaseError):
    """SQL that cannot be run, or an operating-system or locking failure."""


class IntegrityError(DatabaseError):
    """A constraint failed (SQLITE_CONSTRAINT, SQLITE_MISMATCH)."""


class InternalError(DatabaseError):
    """SQLITE_INTERNAL and SQLITE_NOTFOUND."""


class ProgrammingError(DatabaseError):
    """The program used the API wrongly: closed objects, wrong parameters."""


class NotSupportedError(DatabaseError):
    """A feature that this engine does not have."""


class InternalInvariantError(RuntimeError):
    """An invariant between functions of the engine itself is broken; never caught inside the engine."""


_CLASS_BY_PRIMARY_CODE: dict[int, type[Error]] = {
    INTERNAL: InternalError,
    NOTFOUND: InternalError,
    ERROR: OperationalError,
    PERM: OperationalError,
    ABORT: OperationalError,
    BUSY: OperationalError,
    LOCKED: OperationalError,
    READONLY: OperationalError,
    INTERRUPT: OperationalError,
    IOERR: OperationalError,
    FULL: OperationalError,
    CANTOPEN: OperationalError,
    PROTOCOL: OperationalError,
    EMPTY: OperationalError,
    SCHEMA: OperationalError,
    CORRUPT: DatabaseError,
    TOOBIG: DataError,
    CONSTRAINT: IntegrityError,
    MISMATCH: IntegrityError,
    MISUSE: InterfaceError,
    RANGE: InterfaceError,
}


def sqlite_error(code: int, message: str | None = None, offset: int = -1) -> Error:
    """Returns (does not raise) the exception for a result code.

    `code` may be extended; `message` None means SQLite's generic text for it; `offset` is a byte offset into the UTF-8 SQL
    text or -1.  Source: https://www.sqlite.org/rescode.html and sqlite3_errstr().
    """
    if message is None:
        message = GENERIC_TEXTS.get(code) or GENERIC_TEXTS.get(code & 0xFF) or "unknown error"
    error = _CLASS_BY_PRIMARY_CODE.get(code & 0xFF, DatabaseError)(message)
    error.sqlite_errorcode = code
    error.sqlite_errorname = CODE_NAMES.get(code, "SQLITE_ERROR")
    error.sqlite_offset = offset
    return error
