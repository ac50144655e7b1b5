"""minisql: a SQLite-compatible database engine in pure Python, with the interface of the standard library's sqlite3 module.

    import minisql

    connection = minisql.connect("file.db")
    connection.execute("SELECT 1").fetchone()

Source: https://docs.python.org/3/library/sqlite3.html, https://www.sqlite.org.
"""

from minisql.dbapi import *  # noqa: F403
from minisql.dbapi import __all__ as __all__

__version__ = "0.1.0"
