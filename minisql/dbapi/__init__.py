"""The standard library's `sqlite3` interface over this engine.

Source: PEP 249; https://docs.python.org/3/library/sqlite3.html.
"""

import warnings

from minisql.dbapi import constants
from minisql.dbapi.adapters import (
    PARSE_COLNAMES,
    PARSE_DECLTYPES,
    Binary,
    Date,
    DateFromTicks,
    PrepareProtocol,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    adapt,
    adapters,
    converters,
    register_adapter,
    register_converter,
)
from minisql.dbapi.blob import Blob
from minisql.dbapi.callbacks import enable_callback_tracebacks
from minisql.dbapi.complete import complete_statement
from minisql.dbapi.connection import LEGACY_TRANSACTION_CONTROL, Connection, connect
from minisql.dbapi.constants import *  # noqa: F403 - 168 numbers under their public names
from minisql.dbapi.cursor import Cursor
from minisql.dbapi.row import Row
from minisql.engine.build_options import SQLITE_VERSION
from minisql.errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)


def enable_shared_cache(do_enable: bool) -> None:
    """Deprecated in Python 3.10, gone from 3.12: connections have caches of their own."""
    warnings.warn("enable_shared_cache is deprecated and has no effect", DeprecationWarning, stacklevel=2)


apilevel = "2.0"
paramstyle = "qmark"
threadsafety = 1
sqlite_version = SQLITE_VERSION
sqlite_version_info = tuple(int(part) for part in SQLITE_VERSION.split("."))
version = "2.6.0"
version_info = (2, 6, 0)

__all__ = [
    "LEGACY_TRANSACTION_CONTROL",
    "PARSE_COLNAMES",
    "PARSE_DECLTYPES",
    "Binary",
    "Blob",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "PrepareProtocol",
    "ProgrammingError",
    "Row",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "adapt",
    "adapters",
    "apilevel",
    "complete_statement",
    "connect",
    "converters",
    "enable_callback_tracebacks",
    "enable_shared_cache",
    "paramstyle",
    "register_adapter",
    "register_converter",
    "sqlite_version",
    "sqlite_version_info",
    "threadsafety",
    "version",
    "version_info",
]
__all__ += constants.__all__
