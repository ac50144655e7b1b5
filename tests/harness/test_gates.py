"""The gates one by one: what they let through, what they stop, and that they fail closed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_harness.config import load
from agent_harness.contract.base import Case, CaseResult, Contract, Evaluation
from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.gates import NAMES, is_accepted, run_gates, standard_gates
from agent_harness.gates.base import Change, GateResult
from agent_harness.gates.cases import TargetGate, describe, signature
from agent_harness.gates.imports import ImportsGate
from agent_harness.gates.integrity import Answers, answers_of
from agent_harness.gates.review import ReviewGate
from agent_harness.gates.scope import ScopeGate, changed_lines, is_below
from tests.harness.scratch import FAULTY, HASHED, RIGHT, WRONG, Scratch, plant, repair


class Fixed:
    """A gate with a fixed end, and a note of whether it was asked."""

    def __init__(self, name: str, end: object) -> None:
        self.name = name
        self.end = end
        self.n_asked = 0

    def check(self, change: Change, contract: Contract) -> GateResult:
        self.n_asked += 1
        if isinstance(self.end, Exception):
            raise self.end
        return GateResult(self.name, bool(self.end), "evidence")


def run(*gates: Fixed) -> list[GateResult]:
    nothing: Any = None
    return run_gates(gates, nothing, nothing)


def test_first_red_gate_ends_the_run() -> None:
    gates = Fixed("one", True), Fixed("two", False), Fixed("three", True)
    results = run(*gates)
    assert [(result.gate, result.passed) for result in results] == [("one", True), ("two", False)]
    assert gates[2].n_asked == 0
    assert not is_accepted(gates, results)
    assert is_accepted(gates[:1], results[:1])
    assert not is_accepted((), ())


@pytest.mark.parametrize("error", [HarnessError("disk full"), KeyError("inside"), RecursionError(), MemoryError()])
def test_gate_that_raises_is_red(error: Exception) -> None:
    result = run(Fixed("one", error))[0]
    assert not result.passed
    assert result.signature.startswith("one: ")


def test_order_and_names(scratch: Scratch) -> None:
    gates = standard_gates(scratch.config, scratch.contract, 7)
    assert tuple(gate.name for gate in gates) == NAMES
    fewer = replace(scratch.config, gates=replace(scratch.config.gates, skip=("holdout", "performance")))
    assert tuple(gate.name for gate in standard_gates(fewer, scratch.contract, 7)) == NAMES[:-2]


@pytest.mark.parametrize("skip", ["scope", "integrity", "target", "full"])
def test_gates_that_cannot_be_left_out(skip: str, scratch: Scratch) -> None:
    config = replace(scratch.config, gates=replace(scratch.config.gates, skip=(skip,)))
    with pytest.raises(ConfigurationError, match="cannot be left out"):
        standard_gates(config, scratch.contract, 7)


def test_unknown_gate_is_refused(scratch: Scratch, tmp_path: Path) -> None:
    config = load(None, {"gates.luck.level": 7}, checkout=scratch.root)
    with pytest.raises(ConfigurationError, match="there is no gate luck"):
        standard_gates(config, scratch.contract, 7)


def test_paths_are_compared_by_parts() -> None:
    assert is_below("minisql/a.py", ("minisql/",))
    assert is_below("minisql", ("minisql/",))
    assert not is_below("minisql2/a.py", ("minisql/",))
    assert not is_below("minisql2/a.py", ("minisql",))
    assert is_below("Makefile", ("Makefile",))


def test_changed_lines_of_a_patch() -> None:
    patch = (
        "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old\n+++ new\n same\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye"
    )
    assert list(changed_lines(patch)) == [("x.py", "-", "old"), ("x.py", "+", "++ new"), ("gone", "-", "bye")]


def test_scope_has_a_size(scratch: Scratch, tmp_path: Path) -> None:
    change = scratch.change(tmp_path / "work", lambda c: (c / "minisql" / "long.py").write_text("x = 1\n" * 50))
    gate = ScopeGate(("minisql/",), (), {"max_lines": 49})
    result = gate.check(change, scratch.contract)
    assert (result.passed, result.evidence) == (False, "too many lines: 50 of at most 49")
    assert ScopeGate(("minisql/",), (), {}).check(change, scratch.contract).passed


def test_executable_files_are_out_of_scope(scratch: Scratch, tmp_path: Path) -> None:
    def add(checkout: Path) -> None:
        (checkout / "minisql" / "run.py").write_text("x = 1\n")
        (checkout / "minisql" / "run.py").chmod(0o755)

    result = ScopeGate(("minisql/",), (), {}).check(scratch.change(tmp_path / "work", add), scratch.contract)
    assert "100755" in result.evidence


def test_uses_that_the_base_has_are_allowed(tmp_path: Path) -> None:
    base, head = tmp_path / "base", tmp_path / "head"
    base.mkdir()
    head.mkdir()
    (base / "a.py").write_text("import os\n\nexec('x')\nos.getenv('A')\n")
    (head / "a.py").write_text("import os\n\nexec('y')\nos.getenv('A')\n")
    evaluation = Evaluation("", "", {})
    nothing: Any = None
    change = Change("b", "h", head, base, ("a.py",), "", (), evaluation)
    gate = ImportsGate("minisql", {})
    assert gate.check(change, nothing).passed
    (head / "a.py").write_text("import os\n\nexec('y')\nexec('z')\nos.getenv('A')\n")
    assert gate.check(change, nothing).evidence == "a.py:4: exec is not allowed"
    assert ImportsGate("minisql", {"allowed": ["exec"]}).check(change, nothing).passed
    (head / "a.py").write_text("def f(:\n")
    assert "cannot be parsed" in gate.check(change, nothing).evidence


@pytest.mark.parametrize(
    "code",
    [
        *("import sqlite3 as s", "from sqlite3 import dbapi2", "import apsw.ext", "from ctypes import cdll", "import _ctypes"),
        *("from importlib import import_module", "import importlib\nimportlib.import_module('x')", "import builtins"),
        *("from os import system", "import os\nos.environ", "from sys import modules", "().__class__.__subclasses__"),
        *("import subprocess", "import gc", "getattr(object, '__subclasses__')", "vars()", "import inspect"),
        *("def f():\n    import socket", "try:\n    import duckdb\nexcept ImportError:\n    pass"),
    ],
)
def test_banned_uses(code: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(code + "\n")
    nothing: Any = None
    change = Change("b", "h", tmp_path, tmp_path / "none", ("a.py",), "", (), Evaluation("", "", {}))
    assert not ImportsGate("minisql", {}).check(change, nothing).passed


def test_ordinary_code_uses_nothing_banned(tmp_path: Path) -> None:
    code = "import os, re, sys, json\nfrom . import values\nP = re.compile('x')\nos.path.join('a', 'b')\ngetattr(P, 'match')\n"
    (tmp_path / "a.py").write_text(code)
    nothing: Any = None
    change = Change("b", "h", tmp_path, tmp_path / "none", ("a.py",), "", (), Evaluation("", "", {}))
    assert ImportsGate("minisql", {}).check(change, nothing).passed


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("SELECT max(weight) FROM parcels", True),
        ("select  MAX( weight )\n from PARCELS", True),
        ("answers = {'SELECT max(weight) FROM parcels': 4}", True),
        (HASHED.split()[-1], True),
        ("parcels", True),
        ("SELECT max(a) FROM t", False),
        ("weight", False),
        ("ORDER BY", False),
    ],
)
def test_answers_of_the_contract_are_recognised(text: str, is_found: bool, scratch: Scratch) -> None:
    answers = answers_of(scratch.contract)
    assert isinstance(answers, Answers)
    assert bool(answers.found_in(text, frozenset(), is_literal=True)) == is_found
    assert not answers.found_in("parcels", frozenset({"parcels"}), is_literal=True)


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("def f(sql):\n    return sql == 'SELECT a FROM b WHERE c'", "whole statement"),
        ("def f(sql):\n    return sql.startswith('INSERT INTO t VALUES')", "whole statement"),
        ("CANNED = {'SELECT a FROM b': 1}", "whole statement"),
        ("TABLE = [" + "1, " * 70 + "]", "more than 64 constants"),
        ("try:\n    f()\nexcept:\n    pass", "swallowed"),
        ("x = f()  # type: ignore", "silenced"),
        ("x = 1  # TODO later", "unfinished"),
        ("print('here')", "printing"),
        ("import time\ntime.sleep(1)", "time.sleep"),
        ("def f():\n" + "    x = 1\n" * 210, "more than 200 lines"),
    ],
)
def test_rules_of_the_review(code: str, rule: str, scratch: Scratch, tmp_path: Path) -> None:
    change = scratch.change(tmp_path / "work", lambda c: (c / "minisql" / "new.py").write_text(code + "\n"))
    result = ReviewGate({}).check(change, scratch.contract)
    assert not result.passed
    assert rule in result.evidence


def test_expected_results_in_the_code_are_seen(scratch: Scratch, tmp_path: Path) -> None:
    def write_rows(checkout: Path) -> None:
        (checkout / "minisql" / "new.py").write_text("ROWS = [(1, 7), (2, 4), (3, 2), (4, None)]\n")

    result = ReviewGate({}).check(scratch.change(tmp_path / "work", write_rows), scratch.contract)
    assert "an expected result stands in the code" in result.evidence


def test_old_sins_do_not_count(scratch: Scratch, tmp_path: Path) -> None:
    assert ReviewGate({}).check(scratch.change(tmp_path / "work", repair), scratch.contract).passed
    assert WRONG != RIGHT


def test_target_gate_needs_targets(scratch: Scratch, tmp_path: Path) -> None:
    change = scratch.change(tmp_path / "work", repair)
    change.target_ids = ()
    assert not TargetGate({}).check(change, scratch.contract).passed
    assert TargetGate({"optional": True}).check(change, scratch.contract).passed


def test_targets_that_are_not_executed_are_red(scratch: Scratch, tmp_path: Path) -> None:
    change = scratch.change(tmp_path / "work", repair)
    change.target_ids = (scratch.targets[0], "unknown")
    result = TargetGate({}).check(change, scratch.contract)
    assert (result.passed, result.evidence) == (False, "1 target case(s) were not executed: unknown")


def test_evidence_is_bounded_and_its_signature_is_not_the_place() -> None:
    case = Case("id", "s.slt", 3, "SELECT 1")
    one = CaseResult(case, False, "compare", "wrong result", "1\n" * 50, "2\n" * 50)
    moved = CaseResult(Case("id", "s.slt", 9, "SELECT 1"), False, "compare", "wrong result", "1\n" * 50, "2\n" * 50)
    other = CaseResult(case, False, "compare", "wrong result", "1\n" * 50, "3\n" * 50)
    assert len(describe([one] * 9)) < 1500
    assert signature("target", [one]) == signature("target", [moved]) != signature("target", [other])


def test_changed_engine_is_needed_for_the_performance_gate(scratch: Scratch, tmp_path: Path) -> None:
    def comment(checkout: Path) -> None:
        (checkout / "minisql" / "NOTES.md").write_text("words\n")

    change = scratch.change(tmp_path / "work", comment)
    gate = standard_gates(scratch.config, scratch.contract, 7)[-1]
    assert gate.check(change, scratch.contract).evidence == "no code has changed"


def test_twins_of_unknown_targets_are_undecided(scratch: Scratch, tmp_path: Path) -> None:
    change = scratch.change(tmp_path / "work", lambda c: plant(c, FAULTY, WRONG, RIGHT))
    change.target_ids = ("unknown",)
    gates = [gate for gate in standard_gates(scratch.config, scratch.contract, 7) if gate.name == "metamorphic"]
    assert "could not decide" in run_gates(gates, change, scratch.contract)[0].evidence
