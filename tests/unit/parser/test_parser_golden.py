"""The trees of representative statements, one golden file for each part of the language.

A file holds cases: `> SQL`, then the listing of the tree.  `python tests/unit/parser/test_parser_golden.py` writes the
listings anew; what changed is then reviewed in the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from minisql.parser import ast, parse_one

GOLDEN = Path(__file__).parents[2] / "golden" / "parser"
FILES = sorted(GOLDEN.glob("*.txt"))


def render(text: str) -> str:
    """Returns a golden file with every listing made anew."""
    cases = [line for line in text.split("\n") if line.startswith("> ")]
    pieces = []
    for case in cases:
        parsed, _ = parse_one(case[2:])
        assert parsed is not None, case
        pieces.append(f"{case}\n{ast.listing(parsed.statement)}\n")
    return "\n".join(pieces)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_trees_are_the_golden_ones(path: Path) -> None:
    text = path.read_text()
    assert render(text) == text


if __name__ == "__main__":
    for golden in FILES:
        golden.write_text(render(golden.read_text()))
