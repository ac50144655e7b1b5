"""TPC-H's 22 queries and the Star Schema Benchmark's 13 on minisql and on SQLite: answers, ratios, plans.

    python benchmarks/decision.py                        both sets at scale factor 0.01
    python benchmarks/decision.py --set tpch --only q9   one query
    python benchmarks/decision.py --plans                the plans of both where they differ
    python benchmarks/decision.py --write docs/performance/decision.md

The data are made by generators here (decision_support/), the same for the same seed.  Answers must be equal to the last digit
and in order to those of SQLite by `apsw` where it is installed (the standard library's may be older and sum less exactly);
times are ratios to the standard library's sqlite3, CPU seconds, the engines in turn.  Exit 1 when an answer differs.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
from pathlib import Path

from decision_support.running import SETS, Measured, measure

TITLES = {"tpch": "TPC-H", "ssb": "Star Schema Benchmark"}


def main() -> int:
    """Measures, prints and writes as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", choices=sorted(SETS), dest="sets", help="default: both")
    parser.add_argument("--scale", type=float, default=0.01, help="scale factor [0.01]")
    parser.add_argument("--only", action="append", default=[], metavar="QUERY", help="q1, q2.1 and so on")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help="no indexes on foreign keys, which the specification allows")
    parser.add_argument("--analyze", action="store_true", help="with ANALYZE")
    parser.add_argument("--plans", action="store_true", help="print both plans where they differ")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write a page")
    options = parser.parse_args()
    modules = ["minisql", "sqlite3", *(["apsw"] if importlib.util.find_spec("apsw") else [])]
    found: dict[str, list[Measured]] = {}
    for name in options.sets or ["tpch", "ssb"]:
        print(f"{TITLES[name]}, scale factor {options.scale:g}", flush=True)
        found[name] = measure(name, options.scale, modules, options.rounds, options.only, options.bare, options.analyze)
        for each in found[name]:
            print(line_of(each), flush=True)
            ours, theirs = each.plans.get("minisql", ""), each.plans.get(modules[-1], "")
            if options.plans and ours != theirs:
                print(f"--- minisql\n{ours}\n--- {modules[-1]}\n{theirs}")
        print(f"geometric mean {mean_of(found[name]):.2f}")
    if options.write:
        options.write.write_text(page(found, options.scale, options.rounds, modules[-1]), encoding="utf-8")
    return 0 if all(each.is_equal for measured in found.values() for each in measured) else 1


def line_of(each: Measured) -> str:
    """A query's line."""
    if each.error:
        return f"{each.name:5} FAILED  {each.error}"
    ours, theirs = (1e3 * statistics.median(each.seconds[module]) for module in ("minisql", "sqlite3"))
    verdict = "" if each.is_equal else "   ANSWERS DIFFER"
    return f"{each.name:5} {each.ratio:7.2f} x  {ours:9.1f} ms  {theirs:9.1f} ms  {each.n_rows:5} rows{verdict}"


def mean_of(measured: list[Measured]) -> float:
    """The geometric mean of the ratios."""
    ratios = [each.ratio for each in measured if each.ratio > 0]
    return statistics.geometric_mean(ratios) if ratios else float("nan")


def page(found: dict[str, list[Measured]], scale: float, rounds: int, reference: str) -> str:
    """The page as Markdown."""
    lines = [
        "# Decision support",
        "",
        "Measured by `python benchmarks/decision.py --write docs/performance/decision.md`; do not edit. Data of scale factor",
        f"{scale:g} made by generators of this repository, primary keys and indexes on foreign keys, in memory, {rounds}",
        "rounds in turn, CPU seconds. The ratio is minisql's time over that of the standard library's `sqlite3`; below 1",
        f"minisql is faster. `answer`: equal to SQLite's (by `{reference}`) to the last digit and in order.",
    ]
    for name, measured in found.items():
        lines += ["", f"## {TITLES[name]}", "", f"Geometric mean of the ratios: {mean_of(measured):.2f}", ""]
        lines += ["| query | ratio | minisql ms | sqlite3 ms | rows | answer |", "| --- | ---: | ---: | ---: | ---: | --- |"]
        for each in measured:
            if each.error:
                lines.append(f"| {each.name} | failed | | | | {each.error} |")
                continue
            ours, theirs = (1e3 * statistics.median(each.seconds[module]) for module in ("minisql", "sqlite3"))
            verdict = "equal" if each.is_equal else "differs"
            lines.append(f"| {each.name} | {each.ratio:.2f} | {ours:.1f} | {theirs:.1f} | {each.n_rows} | {verdict} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
