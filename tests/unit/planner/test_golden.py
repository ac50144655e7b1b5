"""The programs of representative statements: SELECTs in golden/planner, those that write in golden/planner_dml.

A golden file begins with `# SQL` lines, which are run; then come cases: `> SQL` and the listing of its program.
`python -m tests.unit.planner.test_golden` writes the listings anew; what changed is then reviewed in the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minisql.bytecode.listing import listing
from minisql.bytecode.verifier import verify
from minisql.engine.session import Session

GOLDEN = Path(__file__).parents[2] / "golden"
FILES = sorted(GOLDEN.glob("planner*/*.txt"))
# The schema's cookie and generation do not matter here.
_TRANSACTION = re.compile(r"(?<=Transaction) .*")


def render(text: str) -> str:
    """Returns a golden file with every listing made anew."""
    lines = text.split("\n")
    preparation = [line for line in lines if line.startswith("# ")]
    session = Session(":memory:")
    for line in preparation:
        session.execute(line[2:])
    pieces = ["\n".join(preparation) + "\n"]
    for case in [line for line in lines if line.startswith("> ")]:
        program = session.compile(case[2:])
        assert verify(program) == [], case
        pieces.append(f"{case}\n{_TRANSACTION.sub('...', listing(program))}")
    session.close()
    return "\n".join(pieces)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_programs_are_the_golden_ones(path: Path) -> None:
    text = path.read_text()
    assert render(text) == text


if __name__ == "__main__":
    for golden in FILES:
        golden.write_text(render(golden.read_text()))
