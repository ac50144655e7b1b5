"""install: this module under the standard library's names, for a whole process.

Afterwards `import sqlite3`, `import sqlite3.dbapi2` and `import _sqlite3` give modules of those names with this engine's
content; the other parts of the standard package (`sqlite3.dump`, the command line in `sqlite3.__main__`) are the standard ones,
running on this engine.  A module that has imported sqlite3 before keeps what it has.

Source: https://docs.python.org/3/library/sqlite3.html.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from minisql import dbapi


def install() -> None:
    """Makes every later `import sqlite3` in this process give this engine.

    The classes call themselves `sqlite3.Connection`, `sqlite3.OperationalError`, ... from then on, so that messages, tracebacks
    and pickled exceptions read as a program expects them.
    """
    package = sys.modules.get("sqlite3")
    if package is not None and getattr(package, "Connection", None) is dbapi.Connection:
        return
    spec = PathFinder.find_spec("sqlite3")
    package = _module("sqlite3", dbapi.__all__)
    package.__path__ = list(spec.submodule_search_locations or ()) if spec is not None else []
    package.__spec__ = spec
    package.__doc__ = dbapi.__doc__
    names = _module("sqlite3.dbapi2", dbapi.__all__)
    names.__package__ = "sqlite3"
    package.dbapi2 = names  # type: ignore[attr-defined]
    built_in = _module("_sqlite3", dbapi.__all__)
    built_in._deprecated_version = dbapi.deprecations.MODULE_VERSION  # type: ignore[attr-defined]
    for name in [name for name in sys.modules if name.startswith("sqlite3.")]:
        del sys.modules[name]
    sys.modules.update({"sqlite3": package, "sqlite3.dbapi2": names, "_sqlite3": built_in})
    for name in dbapi.__all__:
        value = getattr(dbapi, name)
        if isinstance(value, type) and value.__module__ == dbapi.PUBLIC_MODULE:
            value.__module__ = "sqlite3"
    dbapi.Statement.__module__ = "sqlite3"


def _module(name: str, exported: list[str]) -> ModuleType:
    module = ModuleType(name)
    for each in exported:
        setattr(module, each, getattr(dbapi, each))

    def attribute(each: str) -> Any:
        return dbapi.deprecations.deprecated_attribute(name, each)

    module.__getattr__ = attribute  # type: ignore[method-assign]
    return module
