"""A connection's core: sessions, transactions, pragmas, and everything that needs both the planner and a file.

What `dbapi` calls here it calls as an attribute of this package, and its module loads on first use: `import minisql` takes no
longer than a program that may never connect can bear (benchmarks/import_time.py).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.engine.copying import Backup as Backup
    from minisql.engine.slow_log import open_session as open_session
    from minisql.engine.virtual_extensions import register_extension as register_extension
    from minisql.engine.virtual_tables import create_module as create_module
    from minisql.engine.virtual_tables import weak_owner as weak_owner
    from minisql.engine.wal_hook import set_automatic_checkpoint as set_automatic_checkpoint
    from minisql.engine.wal_hook import set_wal_hook as set_wal_hook

_HOMES = {
    "Backup": "minisql.engine.copying",
    "create_module": "minisql.engine.virtual_tables",
    "open_session": "minisql.engine.slow_log",
    "register_extension": "minisql.engine.virtual_extensions",
    "set_automatic_checkpoint": "minisql.engine.wal_hook",
    "set_wal_hook": "minisql.engine.wal_hook",
    "weak_owner": "minisql.engine.virtual_tables",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value
