"""The standard library's `sqlite3` interface over this engine.

Source: PEP 249; https://docs.python.org/3/library/sqlite3.html.
"""

import sys
from typing import Any

from minisql.dbapi import constants, deprecations
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
from minisql.dbapi.statement import Statement as Statement
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

apilevel = "2.0"
paramstyle = "qmark"
threadsafety = 3
sqlite_version = SQLITE_VERSION
sqlite_version_info = tuple(int(part) for part in SQLITE_VERSION.split("."))

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
    "paramstyle",
    "register_adapter",
    "register_converter",
    "sqlite_version",
    "sqlite_version_info",
    "threadsafety",
]
__all__ += constants.__all__

if sys.version_info < (3, 12):

    def enable_shared_cache(enable: bool) -> None:
        """Deprecated in Python 3.10, gone from 3.12: connections have caches of their own."""
        deprecations.warn_deprecated(
            "enable_shared_cache is deprecated and will be removed in Python 3.12. Shared cache is strongly discouraged by the "
            "SQLite 3 documentation. If shared cache must be used, open the database in URI mode using the cache=shared query "
            "parameter."
        )

    version = deprecations.MODULE_VERSION
    version_info = tuple(int(part) for part in version.split("."))
    __all__ += ["enable_shared_cache", "version", "version_info"]

PUBLIC_MODULE = "minisql"
"""What the classes give as their module."""

for _value in [*map(globals().get, __all__), Statement]:
    if isinstance(_value, type) and _value.__module__.startswith("minisql."):
        _value.__module__ = PUBLIC_MODULE


def __getattr__(name: str) -> Any:
    return deprecations.deprecated_attribute(__name__, name)
