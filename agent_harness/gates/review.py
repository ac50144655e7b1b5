"""Review: static rules on what a change adds, the ones a careful reviewer would not let through.

Judged on the syntax trees of base and head, so that only what is new counts: a text of a whole statement compared with the
engine's input, a table of canned answers, a swallowed exception, a switch on time, host or chance, sleeping, printing, an
unfinished mark, a function that grew beyond reading.  A role with a model may add remarks elsewhere; they are never counted.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.gates.base import Change, GateResult
from agent_harness.gates.integrity import expected_of
from agent_harness.gates.scope import changed_lines

STATEMENT = re.compile(
    r"\s*(?:SELECT\b.+|INSERT\s+INTO\b.+|UPDATE\s+\w+\s+SET\b.+|DELETE\s+FROM\b.+|CREATE\s+(?:TABLE|VIEW|INDEX)\s+\w+.+|VALUES\s*\(.+)",
    re.I | re.S,
)
MARKS = re.compile(r"#.*\b(?:[T]ODO|[F]IXME|X{3}|[H]ACK)\b")
SUPPRESSIONS = re.compile(r"#\s*(?:type:\s*ignore(?!\[)|noqa(?!:)|pragma:\s*no cover)")
CHANCE = {("time", "sleep"), ("random", "random"), ("os", "urandom"), ("os", "getpid"), ("socket", "gethostname")}
SHORTEST_ANSWER = 8
Finding = tuple[str, int]


class ReviewGate:
    """Options: `max_function_lines` (200), `max_table` (64 constants in one new literal), `skip_rules` (names)."""

    name = "review"

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._max_function = int(options.get("max_function_lines", 200))
        self._max_table = int(options.get("max_table", 64))
        self._skipped = frozenset(options.get("skip_rules", ()))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Applies the rules to each changed Python file and to the added lines."""
        findings: list[str] = []
        answers = {text.strip() for text in expected_of(contract, change.target_ids) if len(text.strip()) >= SHORTEST_ANSWER}
        for path in change.changed_paths:
            full = change.checkout / path
            if path.endswith(".py") and full.is_file():
                findings += self._file(path, full, change.base_checkout / path, answers)
        for path, sign, text in changed_lines(change.diff):
            if sign == "+" and MARKS.search(text):
                findings.append(f"{path}: unfinished: {text.strip()[:80]}")
        findings = [finding for finding in findings if finding.split(": ")[1] not in self._skipped]
        if findings:
            rules = sorted({finding.split(": ")[1] for finding in findings})
            return GateResult(self.name, False, "\n".join(findings[:6]), f"review: {', '.join(rules)}")
        return GateResult(self.name, True, "no rule is broken")

    def _file(self, path: str, full: Path, base: Path, answers: set[str]) -> list[str]:
        known = Counter(rule for rule, _ in self._findings(base, answers)) if base.is_file() else Counter()
        found = []
        for rule, line in self._findings(full, answers):
            if known[rule] > 0:
                known[rule] -= 1
            else:
                found.append(f"{path}:{line}: {rule}")
        return found

    def _findings(self, path: Path, answers: set[str]) -> Iterator[Finding]:
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            parsed = ast.parse(text)
        except (SyntaxError, ValueError):
            return
        for node in ast.walk(parsed):
            yield from self._of_node(node, answers)
        for number, line in enumerate(text.splitlines(), 1):
            if SUPPRESSIONS.search(line):
                yield "a checker is silenced", number

    def _of_node(self, node: ast.AST, answers: set[str]) -> Iterator[Finding]:
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Compare | ast.Dict | ast.MatchValue):
            yield from (("input is compared with a whole statement", line) for _ in _statements_in(node))
        if _as_answer(node) in answers:
            yield "an expected result stands in the code", line
        elif isinstance(node, ast.ExceptHandler):
            if node.type is None or _is_swallowing(node):
                yield "an exception is swallowed", line
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, line)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (node.end_lineno or line) - line > self._max_function:
                yield f"function {node.name} has more than {self._max_function} lines", line
        if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set) and _n_constants(node) > self._max_table:
            yield f"a table of more than {self._max_table} constants", line

    def _of_call(self, node: ast.Call, line: int) -> Iterator[Finding]:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "print":
            yield "printing", line
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if (function.value.id, function.attr) in CHANCE:
                yield f"{function.value.id}.{function.attr}", line
        if isinstance(function, ast.Attribute) and function.attr in ("startswith", "endswith", "get", "fullmatch", "match"):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and _is_statement(argument.value):
                    yield "input is compared with a whole statement", line


def _statements_in(node: ast.Compare | ast.Dict | ast.MatchValue) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        parts: list[ast.expr | None] = [node.left, *node.comparators]
        for part in list(parts):
            if isinstance(part, ast.Tuple | ast.List | ast.Set):
                parts += part.elts
    elif isinstance(node, ast.Dict):
        parts = list(node.keys)
    else:
        parts = [node.value]
    for part in parts:
        if isinstance(part, ast.Constant) and _is_statement(part.value):
            yield str(part.value)


def _is_statement(value: object) -> bool:
    return isinstance(value, str) and len(value) >= 12 and STATEMENT.fullmatch(value) is not None


def _as_answer(node: ast.AST) -> str:
    """A text, or the values of a literal list with its rows flattened, in the form of an expected result."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.strip()
    if not isinstance(node, ast.List | ast.Tuple):
        return ""
    values: list[str] = []
    stack: list[ast.expr] = list(reversed(node.elts))
    while stack:
        top = stack.pop()
        if isinstance(top, ast.List | ast.Tuple):
            stack += reversed(top.elts)
        elif isinstance(top, ast.Constant):
            values.append("NULL" if top.value is None else str(top.value))
        else:
            return ""
    return "\n".join(values) if len(values) > 3 else ""


def _is_swallowing(node: ast.ExceptHandler) -> bool:
    names = {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)} if node.type else set()
    is_wide = bool(names & {"Exception", "BaseException", "AssertionError"})
    return is_wide and not any(isinstance(part, ast.Raise) for part in ast.walk(node))


def _n_constants(node: ast.Dict | ast.List | ast.Tuple | ast.Set) -> int:
    parts = node.values if isinstance(node, ast.Dict) else node.elts
    return sum(isinstance(part, ast.Constant) for part in parts)
