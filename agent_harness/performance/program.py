"""Run by path in a process of its own: times or profiles a workload on the engine of a checkout.

`python -I -S program.py CHECKOUT MODULE`; one JSON object on stdin (`setup`, `statements`, `is_profiled`), one on stdout: CPU
seconds of the statements, and for a profile the functions by their own time and the opcodes of the statements' programs.
"""

from __future__ import annotations

import cProfile
import importlib
import json
import pstats
import sys
import time
from collections import Counter
from typing import Any

SHOWN = 15


def main(arguments: list[str]) -> int:
    """Reads the order, writes the answer."""
    checkout, module = arguments
    sys.path.insert(0, checkout)
    order = json.load(sys.stdin)
    cursor = importlib.import_module(module).connect(":memory:", isolation_level=None).cursor()
    for sql in order["setup"]:
        cursor.execute(sql).fetchall()
    answer: dict[str, Any] = {"opcodes": opcodes(cursor, order["statements"]) if order["is_profiled"] else []}
    profile = cProfile.Profile() if order["is_profiled"] else None
    began = time.process_time()
    if profile is not None:
        profile.enable()
    for sql in order["statements"]:
        cursor.execute(sql).fetchall()
    if profile is not None:
        profile.disable()
    answer["cpu_seconds"] = time.process_time() - began
    answer["functions"] = functions(profile, checkout) if profile is not None else []
    json.dump(answer, sys.stdout)
    return 0


def opcodes(cursor: Any, statements: list[str]) -> list[tuple[str, int]]:
    """How often each opcode stands in the programs, if the engine can explain them."""
    counts: Counter[str] = Counter()
    for sql in statements:
        try:
            counts.update(str(row[1]) for row in cursor.execute("EXPLAIN " + sql).fetchall())
        except Exception:  # an engine without EXPLAIN has no opcodes to show
            return []
    return counts.most_common(SHOWN)


def functions(profile: cProfile.Profile, checkout: str) -> list[tuple[str, float, int]]:
    """(place, own seconds, calls), the dearest first."""
    table: dict[Any, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    rows = [
        (f"{file.removeprefix(checkout).lstrip('/')}:{line}:{name}", own, calls)
        for (file, line, name), (_, calls, own, _, _) in table.items()
    ]
    return sorted(rows, key=lambda row: -row[1])[:SHOWN]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
