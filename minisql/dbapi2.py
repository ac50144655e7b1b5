"""The DB-API 2.0 module under the name that `sqlite3.dbapi2` has.

Source: https://docs.python.org/3/library/sqlite3.html.
"""

from typing import Any

from minisql.dbapi import *  # noqa: F403
from minisql.dbapi import __all__ as __all__
from minisql.dbapi import deprecations


def __getattr__(name: str) -> Any:
    return deprecations.deprecated_attribute(__name__, name)
