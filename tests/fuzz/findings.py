"""What becomes of a finding: it is shrunk, written as a `.slt` case with SQLite's answers, and printed, at once.

A finding of the same shape as an earlier one (the same kinds of statements after names and constants are taken out) is counted,
not written again.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from agent_harness.evolve import suite_text
from tests.fuzz.corners import without_parameters
from tests.fuzz.judging import Case, is_wrong
from tests.fuzz.oracles import Finding
from tests.fuzz.shrinking import shrunk

_VARYING = re.compile(r"'[^']*'|\b[\w.]*\d[\w.]*\b|\b[a-z]\b")


def shape(case: Case) -> str:
    """The last statement without what varies between two sights of one fault."""
    return _VARYING.sub("x", case.script[-1].lower())


def smallest(finding: Finding, seconds: float) -> Finding:
    """The finding with its case shrunk, if it differs from SQLite by itself."""
    wrong = is_wrong(finding.case)
    if wrong is None:
        return finding
    kind = wrong.kind()
    if not seconds:
        return replace(finding, case=finding.case.until(wrong.position + 1), difference=wrong)

    def fails(candidate: Case) -> bool:
        found = is_wrong(candidate)
        return found is not None and found.kind() == kind

    case = shrunk(finding.case.until(wrong.position + 1), fails, seconds)
    return replace(finding, case=case, difference=is_wrong(case))


def report(finding: Finding, oracle: str, seed: int, folder: Path) -> str:
    """Writes the case and returns what is printed."""
    case = finding.case
    text = [f"# {oracle}, seed {seed}: {finding.text}"]
    if finding.difference is not None:
        text += [f"#   minisql {finding.difference.ours.shown()}", f"#   sqlite  {finding.difference.theirs.shown()}"]
        if finding.difference.ours.names != finding.difference.theirs.names:
            text.append(f"#   names {finding.difference.ours.names} and {finding.difference.theirs.names}")
        if finding.difference.ours.types != finding.difference.theirs.types:
            text.append(f"#   types {finding.difference.ours.types} and {finding.difference.theirs.types}")
    head = "\n".join(text + [f"#   {setting}" for setting in case.settings] + ["#   on a file"] * case.in_file)
    body, _ = suite_text([*case.settings, *map(without_parameters, case.script)])
    name = f"{oracle}-{hashlib.sha256(shape(case).encode()).hexdigest()[:8]}.slt"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"{head}\n\n{body}", encoding="utf-8")
    return head + "\n" + ";\n".join(case.script) + f"\n# written to {folder / name}"
