"""A workload: something a program does with a database, the same on every engine, small enough to be timed a few times.

`setup` gets the module (a DB-API of the shape of the standard library's sqlite3) and a Stage; it returns whatever `run` needs.
`reset` is called before each `run` and is not timed.  `run` returns what the engines must agree on, rows or a number, unless
`verify` does afterwards, untimed.
`floor` is the same work written in Python by hand over lists of tuples, and `query` the bare SQL where a workload is one query.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

CLASSES = ("oltp", "olap", "fetch", "udf", "file", "front")


@dataclass
class Stage:
    """Where a workload runs: a folder for its files and how much smaller than usual it is to be (1 = usual)."""

    folder: str
    divisor: int = 1
    n_files: int = 0

    def count(self, usual: int) -> int:
        """A number of rows or calls, made smaller as asked."""
        return max(usual // self.divisor, 10)

    def file(self) -> str:
        """A path where no file is yet."""
        self.n_files += 1
        return os.path.join(self.folder, f"{self.n_files}.db")


@dataclass
class Workload:
    """See the module's docstring; `clock` is "cpu", or "wall" where the disk is waited for."""

    name: str
    group: str
    setup: Callable[[Any, Stage], Any]
    run: Callable[[Any], Any]
    reset: Callable[[Any], None] | None = None
    verify: Callable[[Any], Any] | None = None
    clock: str = "cpu"
    floor: Callable[[Any], Any] | None = None
    query: str | None = None
    is_ordered: bool = True


@dataclass
class Registry:
    """All workloads in the order in which they were written down."""

    workloads: dict[str, Workload] = field(default_factory=dict)

    def add(self, workload: Workload) -> Workload:
        """Adds a workload; raises ValueError when the name is taken or the class unknown."""
        if workload.name in self.workloads or workload.group not in CLASSES:
            raise ValueError(f"{workload.name} ({workload.group})")
        self.workloads[workload.name] = workload
        return workload


REGISTRY = Registry()


def workload(group: str, setup: Callable[[Any, Stage], Any], **options: Any) -> Callable[[Callable[[Any], Any]], Workload]:
    """Makes the decorated `run` a workload named as the function."""

    def decorate(run: Callable[[Any], Any]) -> Workload:
        return REGISTRY.add(Workload(run.__name__, group, setup, run, **options))

    return decorate


def connect(module: Any, path: str = ":memory:") -> Any:
    """A connection that leaves transactions to the SQL."""
    return module.connect(path, isolation_level=None)


def digest(result: Any, is_ordered: bool) -> str:
    """A short text that is equal for equal results; floats count to nine digits, sums may be added in another order."""
    if not isinstance(result, list):
        return repr(_plain(result))
    rows = [tuple(map(_plain, row)) if isinstance(row, (tuple, list)) else _plain(row) for row in result]
    lines = list(map(repr, rows))
    if not is_ordered:
        lines.sort()
    return f"{len(lines)} rows {hashlib.sha256(chr(10).join(lines).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _plain(value: Any) -> Any:
    return float(f"{value:.9g}") if isinstance(value, float) else value
