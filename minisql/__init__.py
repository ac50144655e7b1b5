"""minisql: a SQLite-compatible database engine in pure Python, with the interface of the standard library's sqlite3 module.

    import minisql

    connection = minisql.connect("file.db")
    connection.execute("SELECT 1").fetchone()

Source: https://docs.python.org/3/library/sqlite3.html, https://www.sqlite.org.
"""

from typing import Any

from minisql import dbapi2 as dbapi2
from minisql.dbapi import __all__ as __all__
from minisql.dbapi import deprecations
from minisql.dbapi.installation import install as install
from minisql.dbapi.vfs import register_vfs as register_vfs
from minisql.dbapi.vfs import unregister_vfs as unregister_vfs
from minisql.dbapi2 import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    return deprecations.deprecated_attribute(__name__, name)
