"""`python -m tests.fuzz --coverage`: what the searchers reach of opcodes, grammar and planner, in one process.

Branches are measured by coverage.py over minisql/planner; opcodes by the programs that are compiled, against those that the
planner's SELECT and DML code can emit (every `op.NAME` in its modules but those of schema changes and of virtual tables), and the
grammar's rules and alternatives by sentences made from them.
"""

from __future__ import annotations

import ast
import random
import time
from collections import Counter
from pathlib import Path

import coverage

from minisql.bytecode import opcodes
from minisql.bytecode.program import Program
from minisql.engine.session import Session
from tests.fuzz.oracles import ORACLES, Counts
from tests.fuzz.rounds import make_round
from tests.fuzz.sentences import Judges, run

ROOT = Path(__file__).resolve().parents[2]
PLANNER = ROOT / "minisql" / "planner"
N_SENTENCES = 3_000
ELSEWHERE = ("ddl_", "alter_", "virtual_", "commands", "transactions", "schema_rows", "authorization", "read_authorization")
"""Planner modules that serve neither SELECT nor DML on tables."""


def reachable_opcodes() -> set[int]:
    """The opcodes that the modules of SELECT and DML mention."""
    found = set()
    for path in PLANNER.glob("*.py"):
        if not path.name.startswith(ELSEWHERE):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("op", "opcodes"):
                    value = getattr(opcodes, node.attr, None)
                    if isinstance(value, int) and not node.attr.isupper():
                        found.add(value)
    return found


class Watch:
    """Counts the opcodes of the programs that sessions compile while it is on."""

    def __init__(self) -> None:
        self.seen: Counter[int] = Counter()
        self._compile = Session._compile

    def __enter__(self) -> Watch:
        compile_parsed = self._compile
        seen = self.seen

        def watched(session: Session, parsed: object) -> object:
            program = compile_parsed(session, parsed)  # type: ignore[arg-type]
            pending = [program]
            while pending:
                each = pending.pop()
                seen.update(instruction[0] for instruction in each.code)
                pending += [item for instruction in each.code for item in instruction if isinstance(item, Program)]
            return program

        Session._compile = watched  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *error: object) -> None:
        Session._compile = self._compile  # type: ignore[method-assign]


def measure(seconds: float, seed: int) -> str:
    """Runs rounds for a time and returns the report."""
    meter = coverage.Coverage(branch=True, source=[str(PLANNER)], data_file=None, messages=False)
    end = time.monotonic() + seconds
    names = [name for name, (weight, _) in ORACLES.items() for _ in range(weight)]
    random.Random(0).shuffle(names)
    n_rounds = n_statements = 0
    with Watch() as watch:
        meter.start()
        while time.monotonic() < end:
            name = names[n_rounds % len(names)]
            counts = Counts()
            dice = random.Random(f"{name} {seed + n_rounds}")
            for _ in ORACLES[name][1](make_round(dice, name in ("differential", "reopened")), counts):
                pass
            n_rounds += 1
            n_statements += counts.statements
        meter.stop()
    lines = [f"{n_rounds} rounds, {n_statements} statements"]
    lines += _opcode_lines(watch.seen)
    lines += _grammar_lines(seed)
    lines += _branch_lines(meter)
    return "\n".join(lines)


def _grammar_lines(seed: int) -> list[str]:
    judges = Judges()
    run(judges, random.Random(seed), N_SENTENCES)
    return judges.report()


def _opcode_lines(seen: Counter[int]) -> list[str]:
    wanted = reachable_opcodes()
    names = {value: name for name, value in vars(opcodes).items() if isinstance(value, int) and not name.isupper()}
    missing = sorted(names[code] for code in wanted - set(seen))
    return [
        f"opcodes: {len(wanted) - len(missing)} of {len(wanted)} that SELECT and DML can emit; not met: {', '.join(missing) or 'none'}"
    ]


def _branch_lines(meter: coverage.Coverage) -> list[str]:
    lines = []
    totals = [0, 0, 0, 0]
    for path in sorted(PLANNER.glob("*.py")):
        try:
            numbers = meter._analyze(str(path)).numbers
        except Exception:  # a module that was never imported
            continue
        own = [numbers.n_statements, numbers.n_executed, numbers.n_branches, numbers.n_executed_branches]
        if not path.name.startswith(ELSEWHERE):
            totals = [one + other for one, other in zip(totals, own)]
            if own[2] and own[3] < own[2]:
                lines.append(f"  {path.name:24} {own[3]:4} of {own[2]:4} branches, {own[1]:4} of {own[0]:4} statements")
    share = 100 * totals[3] / max(totals[2], 1)
    head = (
        f"planner: {totals[3]} of {totals[2]} branches of SELECT and DML ({share:.1f} %), {totals[1]} of {totals[0]} statements"
    )
    return [head, *lines]
