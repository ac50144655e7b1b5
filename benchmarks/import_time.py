"""How long `import minisql` takes, beside `import sqlite3`: `python benchmarks/import_time.py`.

Each import runs in processes of its own, with bytecode on disk as an installed package has it; the figure is the CPU time of
the fastest of many runs over that of a bare start.  The bar: at most twice `import sqlite3` plus 40 ms.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRA_MS = 40.0
FIRST_QUERY = "import minisql; minisql.connect(':memory:').execute('SELECT 1').fetchall()"


def cpu_ms(statement: str, environment: dict[str, str]) -> float:
    """CPU milliseconds of a Python process that runs one statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> int:
    """Prints the three figures and whether the bar is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": folder}
        statements = ("pass", "import sqlite3", "import minisql", FIRST_QUERY)
        for statement in statements:
            cpu_ms(statement, environment)
        # Interleaved, so that a busy moment of the machine meets all of them.
        best = [min(times) for times in zip(*[[cpu_ms(each, environment) for each in statements] for _ in range(options.runs)])]
    bare, standard, ours, first_query = best
    bar = 2 * (standard - bare) + EXTRA_MS
    print(f"bare start {bare:.1f} ms; beyond that:")
    print(f"import sqlite3 {standard - bare:.1f} ms, import minisql {ours - bare:.1f} ms")
    print(f"import minisql and a first query {first_query - bare:.1f} ms (its engine loads with the first connection)")
    print(f"bar for import minisql: {bar:.1f} ms")
    return 0 if ours - bare <= bar else 1


if __name__ == "__main__":
    sys.exit(main())
