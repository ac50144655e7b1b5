"""minisql against the standard library's sqlite3 over named workloads: ratios, a page with plots, and a check against decay.

    python benchmarks/compare.py --vs sqlite3                      all workloads, a few minutes
    python benchmarks/compare.py --only top_k --only udf           some of them: names, parts of names, or classes
    python benchmarks/compare.py --write docs/performance          write comparison.json, comparison.md and the plots
    python benchmarks/compare.py --check                           exit 1 when a ratio is 15 % worse than the recorded one
    python benchmarks/compare.py --python python3.13               run all engines under another Python
    python benchmarks/compare.py --also floor --also sqlglot       what a loop by hand and sqlglot's executor take

Every engine has a process of its own; the rounds are interleaved, and a ratio is the median of the rounds' ratios.  Results are
compared: a workload on which the engines disagree, or that fails, makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from comparison import worker
from comparison.page import summary, write_page
from comparison.running import measure_all
from comparison.workload import REGISTRY

RECORDED = Path(__file__).parent.parent / "docs" / "performance"
TOLERANCE = 1.15
assert worker.MODULES, "importing the worker has registered the workloads"


def choose(patterns: list[str]) -> list[str]:
    """The names of the workloads that the patterns mean; all without patterns."""
    names = [
        name
        for name, workload in REGISTRY.workloads.items()
        if not patterns or any(pattern in (name, workload.group) or pattern in name for pattern in patterns)
    ]
    if not names:
        sys.exit(f"no workload is called {' or '.join(patterns)}")
    return names


def check(entries: list[dict[str, Any]], recorded: dict[str, Any], again: Any) -> list[str]:
    """What has become more than 15 % worse; those that look so are measured twice more, since machines are noisy."""
    known = {entry["name"]: entry["ratio"] for entry in recorded["entries"] if "ratio" in entry}
    suspects = [entry["name"] for entry in entries if entry.get("ratio", 0) > TOLERANCE * known.get(entry["name"], 1e9)]
    best = {entry["name"]: entry.get("ratio", 0) for entry in entries}
    for _ in range(2):
        if suspects:
            for entry in again(suspects):
                best[entry["name"]] = min(best[entry["name"]], entry.get("ratio", 1e9))
            suspects = [name for name in suspects if best[name] > TOLERANCE * known[name]]
    return [f"{name}: {best[name]:.2f}, recorded {known[name]:.2f}" for name in suspects]


def main() -> int:
    """Measures, prints, writes and checks as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vs", default="sqlite3", metavar="MODULE", help="the reference: a module like sqlite3")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--also", action="append", default=[], choices=("floor", "sqlglot"), help="further engines to time")
    parser.add_argument("--quick", action="store_true", help="a fifth of the rows, three rounds")
    parser.add_argument("--rounds", type=int, default=0, help="default 7, or 3 with --quick")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write the measurements there")
    arguments = parser.parse_args()
    rounds, divisor = arguments.rounds or (3 if arguments.quick else 7), 5 if arguments.quick else 1

    def measure(names: list[str], also: list[str]) -> list[dict[str, Any]]:
        return measure_all(names, arguments.vs, also, rounds, divisor, arguments.python)

    entries = measure(choose(arguments.only), arguments.also)
    document = {
        "reference": arguments.vs,
        "rounds": rounds,
        "divisor": divisor,
        "versions": entries[0]["versions"],
        "entries": [{key: value for key, value in entry.items() if key != "versions"} for entry in entries],
    }
    print(summary(entries))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if arguments.write:
        folder = Path(arguments.write)
        write_page(document, folder)
        (folder / "comparison.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    faults = [f"{entry['name']}: {entry['errors'] or 'the results differ'}" for entry in entries if not entry["agrees"]]
    if arguments.check:
        recorded = json.loads((RECORDED / "comparison.json").read_text(encoding="utf-8"))
        if recorded["divisor"] != divisor:
            sys.exit("the recorded ratios are for the usual sizes: leave out --quick")
        faults += check(entries, recorded, lambda names: measure(names, []))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
