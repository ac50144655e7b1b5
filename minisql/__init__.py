"""minisql: a SQLite-compatible database engine in pure Python, with the interface of the standard library's sqlite3 module.

    import minisql

    connection = minisql.connect("file.db")
    connection.execute("SELECT 1").fetchone()

Source: https://docs.python.org/3/library/sqlite3.html, https://www.sqlite.org.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from minisql import dbapi2 as dbapi2
from minisql.dbapi import __all__ as __all__
from minisql.dbapi import deprecations
from minisql.dbapi.installation import install as install
from minisql.dbapi2 import *  # noqa: F403

if TYPE_CHECKING:
    from minisql.dbapi.vfs import register_vfs as register_vfs
    from minisql.dbapi.vfs import unregister_vfs as unregister_vfs

__version__ = "0.1.0"

# Names that reach into the engine, which loads with the first connection or the first use of one of them.
_LATE = frozenset({"register_vfs", "unregister_vfs"})


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(import_module("minisql.dbapi.vfs"), name)
        return value
    return deprecations.deprecated_attribute(__name__, name)
