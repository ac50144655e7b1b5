"""How much a warm table of 100,000 rows of five columns takes: the growth of the process's resident memory.

Two runs, each in a process of its own: as usual, and with `cache_size` and `minisql_row_cache` at 2 MB each.  The table lies
in a file; warming it reads every row.  Exit status 1 when a run grows by more than its bar.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

N_ROWS = 100_000
RUNS = (("as usual", (), 45.0), ("2 MB each", ("PRAGMA cache_size = -2000", "PRAGMA minisql_row_cache = 2000000"), 20.0))
CHILD = """
import gc, os, sys
import minisql
path, *pragmas = sys.argv[1:]
def resident_mb():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
connection = minisql.connect(path)
for pragma in pragmas:
    connection.execute(pragma).fetchall()
connection.execute("SELECT count(*), sum(length(name) + amount) FROM t WHERE id < 100").fetchall()
gc.collect()
before = resident_mb()
for _ in range(3):
    connection.execute("SELECT count(*), sum(length(name) + amount), max(note), min(price) FROM t").fetchall()
gc.collect()
print(resident_mb() - before)
"""


def make_table(path: str) -> None:
    """Makes the table, with the engine itself."""
    program = f"""
import minisql
connection = minisql.connect({path!r})
connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, amount INTEGER, price REAL, note TEXT)")
rows = [(n, f"name {{n}}", n * 7919 % 100003, n * 0.25, f"note {{n % 1000}}") for n in range(1, {N_ROWS} + 1)]
connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
connection.commit()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def main() -> int:
    """Measures both runs and prints them beside their bars."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    is_over = False
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        path = os.path.join(folder, "t.db")
        make_table(path)
        for name, pragmas, bar in RUNS:
            done = subprocess.run([sys.executable, "-c", CHILD, path, *pragmas], check=True, capture_output=True, text=True)
            grown = float(done.stdout)
            print(f"{name:10} {grown:6.1f} MB   bar {bar:4.0f} MB   {os.path.getsize(path) / 1e6:.1f} MB in the file")
            is_over |= grown > bar
    return 1 if is_over else 0


if __name__ == "__main__":
    sys.exit(main())
