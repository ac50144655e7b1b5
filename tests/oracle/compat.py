"""Writes COMPAT.md from what was run: `python -m tests.oracle.compat --write`, or `--check` (exit 1 when it is stale).

A row is "yes" when its feature scripts ran and every statement equals SQLite 3.54.1's answer, or when the tests named in
evidence.toml exist (they run with the suite); "partly" when some statements differ or evidence.toml says what is missing; "no"
when there is no evidence.  The numbers behind a row are the statements compared.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from tests.oracle.features_runner import FEATURES, differences, scripts

ROOT = Path(__file__).resolve().parents[2]

HEAD = """# What works

SQLite 3.54.1, feature by feature. This page is written by `python -m tests.oracle.compat --write` from tests that ran: a row
says **yes** when every statement of its script gives the same rows, types, column names, error text and code, change counts and
last rowid as SQLite 3.54.1 (column "compared": equal / statements), or when the named tests cover it.

"""


def row_status(equal: int, total: int, evidence: dict[str, Any]) -> tuple[str, str]:
    """(status, note) of a row."""
    tests = [str(path) for path in evidence.get("tests", ())]
    missing = [path for path in tests if not (ROOT / path).exists()]
    if missing:
        raise SystemExit(f"evidence.toml names tests that do not exist: {', '.join(missing)}")
    note = ", ".join(f"`{path}`" for path in tests)
    if "no" in evidence:
        return "no", str(evidence["no"])
    if not total and not tests:
        return "no", "not tested yet"
    if total and not equal:
        return "no", note
    if "partly" in evidence or equal != total:
        return "partly", str(evidence.get("partly", note))
    return "yes", note


def page() -> str:
    """The text of COMPAT.md."""
    evidence = tomllib.loads((FEATURES / "evidence.toml").read_text(encoding="utf-8"))
    counts: dict[str, tuple[int, int]] = {}
    for script in scripts():
        number = script.name[:3]
        total, found = differences(script)
        before = counts.get(number, (0, 0))
        counts[number] = (before[0] + total - len(found), before[1] + total)
    lines = [HEAD]
    section = ""
    tally = {"yes": 0, "partly": 0, "no": 0}
    for line in (FEATURES / "rows.tsv").read_text(encoding="utf-8").splitlines():
        number, row_section, text = line.split("\t")
        if row_section != section:
            section = row_section
            lines.append(f"\n## {section}\n\n| # | feature | status | compared | note |\n| --- | --- | --- | --- | --- |\n")
        equal, total = counts.get(number, (0, 0))
        known = evidence.get(number, {})
        for letter, part in zip(("", "b", "c"), (known, *known.get("parts", ()))):
            if letter:
                equal = total = 0
            status, note = row_status(equal, total, part)
            tally[status] += 1
            compared = f"{equal} / {total}" if total else ""
            shown = part.get("feature", text).replace("|", chr(92) + "|")
            lines.append(f"| {int(number)}{letter} | {shown} | {status} | {compared} | {note} |\n")
    lines.insert(1, f"{tally['yes']} yes, {tally['partly']} partly, {tally['no']} no.\n")
    return "".join(lines)


def main(arguments: list[str]) -> int:
    """Entry point."""
    path = ROOT / "COMPAT.md"
    text = page()
    if "--write" in arguments:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        print("COMPAT.md is current")
        return 0
    print("COMPAT.md is stale: run python -m tests.oracle.compat --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
