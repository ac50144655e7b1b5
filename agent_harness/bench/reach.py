"""Which suites run which lines of a sound engine, so that a fault that no record can feel costs nothing.

Traced once at the start.  A fault inside a function is only asked of the suites that run one of its statement's lines; what
stands at the top of a module runs at import and is asked of all.
"""

from __future__ import annotations

import ast
from typing import Any

from agent_harness.bench.faults import Fault
from agent_harness.contract.records import Suite
from agent_harness.repair.edits import Source
from agent_harness.repair.workers import Pool

SUITE_SECONDS = 120.0


class Reach:
    """The lines that each suite runs."""

    def __init__(self, suites: list[Suite], pool: Pool) -> None:
        def cover(suite: Suite) -> dict[str, Any]:
            probe = {"kind": "records", "name": suite.name, "text": suite.text, "lines": []}
            return pool.ask("cover", probe=probe, timeout_s=SUITE_SECONDS)

        self._suites = suites
        self._lines: list[tuple[Suite, dict[str, frozenset[int]]]] = [
            (suite, {file: frozenset(lines) for file, lines in answer["lines"].items()})
            for suite, answer in pool.each(cover, suites)
        ]

    def suites_of(self, fault: Fault, text: str) -> list[Suite]:
        """The suites that can feel a fault in the sound `text`, the one that runs least of the engine first."""
        source = Source(fault.file, text.encode())
        if not source.is_in_function(fault.line):
            return self._suites
        lines = _statement_lines(source.tree, fault.line)
        found = [
            (sum(map(len, by_file.values())), number, suite)
            for number, (suite, by_file) in enumerate(self._lines)
            if not lines.isdisjoint(by_file.get(fault.file, ()))
        ]
        return [suite for *_, suite in sorted(found, key=lambda entry: entry[:2])]


def _statement_lines(tree: ast.Module, line: int) -> set[int]:
    """The lines of the statements that a line belongs to, without their blocks; those before a jump, which may have no code."""
    found = {line}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            last = body[0].lineno if isinstance(body, list) and body else node.end_lineno or node.lineno
            is_jump = any(
                isinstance(child, ast.Break | ast.Continue) and child.lineno == line for child in ast.iter_child_nodes(node)
            )
            if line <= last or is_jump:
                found.update(range(node.lineno, max(last, line) + 1))
    return found
