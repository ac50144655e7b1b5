"""The SQLAlchemy dialect `sqlite+minisql://`: SQLAlchemy's own for SQLite, over minisql.

`create_engine("sqlite+minisql:///file.db")` finds it through the entry point in the group
`sqlalchemy.dialects`.  It is a package
of its own because the engine imports nothing but the standard library.

Source: https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#module-sqlalchemy.dialects.sqlite.pysqlite.
"""

from types import ModuleType

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

import minisql


class MinisqlDialect(SQLiteDialect_pysqlite):
    """SQLite through minisql."""

    driver = "minisql"
    supports_statement_cache = True

    @classmethod
    def import_dbapi(cls) -> ModuleType:
        """The DB-API module."""
        return minisql

    @classmethod
    def load_provisioning(cls) -> None:
        """Sets up SQLAlchemy's own test suite as for SQLite."""
        SQLiteDialect_pysqlite.load_provisioning()
