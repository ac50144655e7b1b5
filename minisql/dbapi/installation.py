"""install: this module under the standard library's names, for a whole process.

Afterwards `import sqlite3`, `import sqlite3.dbapi2` and `import _sqlite3` give modules of those names with this engine's
content; the other parts of the standard package (`sqlite3.dump`, the command line in `sqlite3.__main__`) are the standard ones,
running on this engine.  A module that has imported sqlite3 before keeps what it has.

The engine's own modules load when they are first needed, which may be inside a test that afterwards puts `sys.modules` back.
Machine code survives that, and so must this engine: imported again, a second copy of a module would not know the objects of
the first.  `_Keeper` gives the first copy back.

Source: https://docs.python.org/3/library/sqlite3.html.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
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
    sys.meta_path.insert(0, _Keeper())
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


class _Keeper:
    """Finds this package's modules, and those that `sys.modules` has lost as they were."""

    def __init__(self) -> None:
        self.modules = {name: module for name, module in sys.modules.items() if name.startswith("minisql.")}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of a module of this package; None leaves it to the other finders."""
        if not name.startswith("minisql."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _KeepingLoader(name, spec.loader.path, self.modules)
        return spec


class _KeepingLoader(SourceFileLoader):
    """Executes a module once in the life of the process."""

    def __init__(self, name: str, path: str, modules: dict[str, ModuleType]) -> None:
        super().__init__(name, path)
        self._modules = modules

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module as it was, if it has been there."""
        return self._modules.get(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module's code, once."""
        if self._modules.get(module.__name__) is module:
            return
        super().exec_module(module)
        self._modules[module.__name__] = module
