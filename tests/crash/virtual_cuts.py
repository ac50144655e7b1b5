"""Power cuts in the middle of transactions on full-text tables and R-Trees: `python -m tests.crash.virtual_cuts [--operations N]`.

Each kind of table has one long journey from a seed, then many short ones whose choices Hypothesis makes, so that a failure is
shown in its smallest form (`--explore N`: so many operations in these; `--explore 0`: none).

Both engines change one file in turns.  minisql works on a disk that fails at some call; what is left is opened by one of the
two, and must be the state before or after the transaction that was cut, by the integrity checks of both engines.  A database
of SQLite's in memory runs the same statements and says what these states are.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import tempfile
from pathlib import Path
from typing import Any

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minisql
from minisql.storage.fault_vfs import Crash, FaultVfs

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "onto", "thread", "running", "Ærø"]
KINDS = {
    "fts5": "CREATE VIRTUAL TABLE t USING fts5(a, b, prefix='2')",
    "fts5 without content": "CREATE VIRTUAL TABLE t USING fts5(a, b, content='', contentless_delete=1)",
    "fts4": "CREATE VIRTUAL TABLE t USING fts4(a, b, prefix='3')",
    "fts3": "CREATE VIRTUAL TABLE t USING fts3(a, b, tokenize=porter)",
    "rtree": "CREATE VIRTUAL TABLE t USING rtree(id, x0, x1, y0, y1, +note)",
    "geopoly": "CREATE VIRTUAL TABLE t USING geopoly(note)",
}
NAME = "virtual cuts"
_N_SHORT = 20
Files = dict[str, bytes]


def operation(kind: str, source: random.Random) -> tuple[str, tuple[Any, ...]]:
    """One random change."""
    key = source.randrange(1, 120)
    action = source.randrange(10)
    if kind == "rtree":
        x, y = source.uniform(-50, 50), source.uniform(-50, 50)
        box = (x, x + source.uniform(0, 9), y, y + source.uniform(0, 9))
        if action < 6:
            return "INSERT OR REPLACE INTO t VALUES(?, ?, ?, ?, ?, ?)", (key, *box, f"note {key}")
        if action < 8:
            return "DELETE FROM t WHERE id BETWEEN ? AND ?", (key, key + source.randrange(4))
        return "UPDATE t SET x0=x0+?, x1=x1+? WHERE id%7=?", (box[0], box[0], key % 7)
    if kind == "geopoly":
        sides, x, y = source.randrange(3, 9), source.uniform(-50, 50), source.uniform(-50, 50)
        if action < 6:
            row = (key, x, y, 1 + abs(x), sides, f"note {key}")
            return "INSERT OR REPLACE INTO t(rowid, _shape, note) VALUES(?, geopoly_regular(?, ?, ?, ?), ?)", row
        if action < 8:
            return "DELETE FROM t WHERE rowid BETWEEN ? AND ?", (key, key + source.randrange(4))
        if action < 9:
            return "UPDATE t SET note=? WHERE rowid%7=?", (f"note {sides}", key % 7)
        return "UPDATE t SET _shape=geopoly_xform(_shape, 1, 0, 0, 1, ?, ?) WHERE rowid%7=?", (x, y, key % 7)
    text = " ".join(source.choice(WORDS) for _ in range(source.randrange(1, 60)))
    if action < 5:
        return "INSERT OR REPLACE INTO t(rowid, a, b) VALUES(?, ?, ?)", (key, text, source.choice(WORDS))
    if action < 7:
        return "DELETE FROM t WHERE rowid=?", (key,)
    if action < 9:
        return "UPDATE t SET a=?, b=? WHERE rowid=?", (text, text[::-1], key)
    commands = ["optimize", "integrity-check"]
    return "INSERT INTO t(t) VALUES(?)", (source.choice(commands),)


def state(connection: Any, kind: str) -> list[Any]:
    """All rows; of tables without content what searches find."""
    if kind == "rtree":
        return sorted(connection.execute("SELECT * FROM t").fetchall())
    if kind == "geopoly":
        overlapping = "SELECT rowid FROM t WHERE geopoly_overlap(_shape, geopoly_regular(0, 0, 20, 6))"
        rows = connection.execute("SELECT rowid, _shape, note FROM t").fetchall()
        return [*sorted(rows), *sorted(connection.execute(overlapping).fetchall())]
    if "without" in kind:
        return [connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (f'"{word}"',)).fetchall() for word in WORDS]
    return connection.execute("SELECT rowid, a, b FROM t").fetchall()  # type: ignore[no-any-return]


def check(connection: Any, kind: str) -> None:
    """The integrity checks of an engine."""
    if kind == "rtree":
        assert connection.execute("SELECT rtreecheck('t')").fetchall() == [("ok",)]
    elif kind == "geopoly":
        assert (
            connection.execute("SELECT count(*) FROM t").fetchall()
            == connection.execute("SELECT count(*) FROM t_rowid").fetchall()
        )
    else:
        connection.execute("INSERT INTO t(t) VALUES('integrity-check')")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


class Journey:
    """A file on its way between the engines."""

    def __init__(self, kind: str, source: random.Random, folder: Path) -> None:
        self.kind = kind
        self.source = source
        self.path = folder / "main"
        self.n_operations = self.n_cuts = 0
        self.mirror = apsw.Connection(":memory:")
        first = apsw.Connection(str(self.path))
        first.execute("PRAGMA page_size=1024")
        for connection in (self.mirror, first):
            connection.execute(KINDS[kind])
        first.close()

    def step(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The statements of one transaction."""
        step = [operation(self.kind, self.source) for _ in range(self.source.randrange(1, 6))]
        self.n_operations += len(step)
        return step

    def run(self, n_operations: int) -> None:
        """Turns until so many operations were made."""
        while self.n_operations < n_operations:
            self.turn_of_sqlite()
            self.turn_with_a_cut()

    def turn_of_sqlite(self) -> None:
        """Some transactions by SQLite."""
        connection = apsw.Connection(str(self.path))
        for _ in range(self.source.randrange(1, 5)):
            run_step(connection, step := self.step())
            run_step(self.mirror, step)
        assert state(connection, self.kind) == state(self.mirror, self.kind)
        connection.close()

    def turn_with_a_cut(self) -> None:
        """Transactions by minisql until the power goes, then recovery by one of the engines."""
        vfs = FaultVfs(self.source.randrange(1, 90), True, self.source.randrange(1 << 30))
        vfs.put(str(self.path), self.path.read_bytes())
        before = self.mirror.serialize("main")
        known = state(self.mirror, self.kind)
        connection = None
        with contextlib.suppress(Crash):
            connection = opened(vfs, self.path)
            connection.execute("PRAGMA synchronous=EXTRA")
            for _ in range(12):
                before, known = self.mirror.serialize("main"), state(self.mirror, self.kind)
                run_step(self.mirror, step := self.step())
                run_step(connection, step)
                before, known = self.mirror.serialize("main"), state(self.mirror, self.kind)
            vfs.fail_at = 0
        if connection is not None:
            with contextlib.suppress(Crash):
                connection.close()
        self.n_cuts += vfs.fail_at > 0
        disk = vfs.after_crash(self.source.randrange(1 << 30)) if vfs.fail_at else vfs
        found = self.recovered(disk)
        if found != state(self.mirror, self.kind):
            assert found == known, "neither the state before nor the one after"
            self.mirror.deserialize("main", before)

    def recovered(self, disk: FaultVfs) -> list[Any]:
        """The rows of what was left, after recovery by one engine and the checks of both."""
        journal = self.path.with_name("main-journal")
        journal.unlink(missing_ok=True)
        if self.source.random() < 0.5:
            ours = opened(disk, self.path)
            check(ours, self.kind)
            ours.close()
        self.path.write_bytes(bytes(disk.files[str(self.path)].content))
        if str(journal) in disk.files:
            journal.write_bytes(bytes(disk.files[str(journal)].content))
        theirs = apsw.Connection(str(self.path))
        check(theirs, self.kind)
        found = state(theirs, self.kind)
        theirs.close()
        ours = minisql.connect(str(self.path), isolation_level=None)
        check(ours, self.kind)
        assert state(ours, self.kind) == found
        ours.close()
        return found


def opened(vfs: FaultVfs, path: Path) -> minisql.Connection:
    """Opens the file on a faulty disk."""
    vfs.name = NAME
    minisql.register_vfs(vfs)
    return minisql.connect(f"file:{path}?vfs={NAME}", uri=True, isolation_level=None, timeout=0)


def run_step(connection: Any, step: list[tuple[str, tuple[Any, ...]]]) -> None:
    """One transaction."""
    connection.execute("BEGIN")
    for sql, values in step:
        connection.execute(sql, values)
    connection.execute("COMMIT")


def explore(kind: str, n_operations: int, is_repeatable: bool) -> tuple[int, int]:
    """Short journeys of Hypothesis's choosing, about so many operations in all; returns the numbers of operations and cuts."""
    n_made = n_cuts = 0

    @settings(
        max_examples=max(n_operations // _N_SHORT, 1),
        deadline=None,
        derandomize=is_repeatable,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False))
    def travel(source: random.Random) -> None:
        nonlocal n_made, n_cuts
        with tempfile.TemporaryDirectory() as folder:
            journey = Journey(kind, source, Path(folder))
            journey.run(_N_SHORT)
            n_made += journey.n_operations
            n_cuts += journey.n_cuts

    travel()
    return n_made, n_cuts


def main() -> None:
    """Runs every kind and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=2000)
    parser.add_argument("--explore", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append")
    options = parser.parse_args()
    for kind in options.kind or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            journey = Journey(kind, random.Random(options.seed), Path(folder))
            journey.run(options.operations)
            print(f"{kind}: {journey.n_operations} operations, {journey.n_cuts} cuts, all checks passed", flush=True)
        if options.explore:
            n_made, n_cuts = explore(kind, options.explore, False)
            print(f"{kind}: {n_made} operations by Hypothesis, {n_cuts} cuts, all checks passed", flush=True)


if __name__ == "__main__":
    main()
