"""The embedded agent: edit operators, edits in living processes, search on a planted fault, the culprit hunk of a regression."""

import ast
import shutil
from pathlib import Path

import pytest

from agent_harness.backends import base
from agent_harness.backends.base import Task
from agent_harness.backends.embedded import EmbeddedBackend
from agent_harness.bench.faults import family, first_difference
from agent_harness.contract.records import Suite
from agent_harness.errors import HarnessError
from agent_harness.repair.edits import Edit, Source, all_edits
from agent_harness.repair.localise import localise, needed_statements
from agent_harness.repair.regression import join_hunks, split_hunks
from agent_harness.repair.search import ranked_edits
from agent_harness.repair.workers import Pool
from agent_harness.workspaces.repository import Repository, fresh_repository
from agent_harness.workspaces.sandbox import Sandbox, works
from tests.harness.scratch import FAULTY, RIGHT, WRONG, Scratch

TEXT = b"""
LIMIT = 3

def pick(values, low, high=2):
    found = []
    for value in values:
        if value < low and not value == high:
            continue
        found.append(value + LIMIT)
    try:
        return min(found, default=-1)
    except Nothing:
        return None
"""


def edited(operator: str) -> list[str]:
    source = Source("x.py", TEXT)
    lines = []
    for edit in all_edits(source):
        new = edit.apply(TEXT)
        ast.parse(new)
        assert new.count(b"\n") == TEXT.count(b"\n")
        if edit.operator == operator:
            lines.append(first_difference(TEXT.decode(), new.decode())[2])
    return lines


@pytest.mark.parametrize(
    ("operator", "line"),
    [
        ("comparison", "if value <= low and not value == high:"),
        ("comparison", "if value >= low and not value == high:"),
        ("boolean", "if value < low or not value == high:"),
        ("negate", "if value < low and value == high:"),
        ("continue to break", "break"),
        ("arithmetic", "found.append(value - LIMIT)"),
        ("delete statement", "pass"),
        ("constant", "LIMIT = 2"),
        ("sign", "return min(found, default=1)"),
        ("name", "return max(found, default=-1)"),
        ("exception", "except ValueError:"),
    ],
)
def test_operator_makes_the_edit(operator: str, line: str) -> None:
    assert line in edited(operator)


def test_formatted_strings_are_edited_inside() -> None:
    text = b"def f(a, rows):\n    return f\"{{n}} {a + 7:02d} {rows[a]!r} {'x' if a != 2 else g(a, 1)}\"\n"
    lines = {edit.apply(text).decode().splitlines()[1].strip() for edit in all_edits(Source("x.py", text))}
    for old, new in (("a + 7", "a - 7"), ("+ 7", "+ 8"), ("!= 2", "== 2"), ("g(a, 1)", "g(1, a)")):
        assert text.decode().splitlines()[1].strip().replace(old, new) in lines
    for line in lines:
        ast.parse(line)


def test_loop_over_nothing_gets_what_the_function_knows() -> None:
    source = Source("x.py", b"def f(rows, n):\n    for row in []:\n        use(row, n)\n")
    found = {edit.replacement for edit in all_edits(source) if edit.operator == "loop over nothing"}
    assert {"rows", "enumerate(rows)", "range(n)"} <= found


PROBE = {
    "kind": "records",
    "name": "p",
    "text": "query I\nSELECT abs(-7)\n----\n7\n",
    "lines": [],
}


def test_edit_is_tried_in_a_child_and_leaves_no_trace(scratch: Scratch) -> None:
    source = Source(FAULTY, (scratch.root / FAULTY).read_bytes())
    start = source.text.index(WRONG.encode()) + WRONG.rindex("value")
    line = source.text[:start].count(b"\n") + 1
    right = next(e for e in all_edits(source) if e.start == start and e.replacement == "-value" and e.line == line)
    constant = next(e for e in all_edits(source) if not source.is_in_function(e.line) and e.operator == "constant")
    with Pool(scratch.root, "minisql", 1) as pool:
        pool.preload([FAULTY])
        assert pool.attempt(None, 5.0, [PROBE])["reason"].endswith("wrong result")
        assert pool.attempt(right, 5.0, [PROBE])["reason"] == ""
        assert pool.attempt(constant, 5.0, [PROBE])["reason"] != "no answer: hung or died"
        assert pool.attempt(None, 5.0, [PROBE])["reason"].endswith("wrong result")
        hung = pool.attempt(None, 0.2, [{**PROBE, "text": LONG}])
        assert hung["reason"] == "no answer: hung or died"
        assert pool.attempt(right, 5.0, [PROBE])["passed"] == 1


LONG = "query I\nWITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c\n----\n1\n"


def test_functions_are_found_again_after_a_second_preload(scratch: Scratch) -> None:
    source = Source(FAULTY, (scratch.root / FAULTY).read_bytes())
    start = source.text.index(WRONG.encode()) + WRONG.rindex("value")
    right = next(e for e in all_edits(source) if e.start == start and e.replacement == "-value")
    with Pool(scratch.root, "minisql", 1) as pool:
        pool.preload([])
        pool.preload([FAULTY])
        assert pool.attempt(right, 5.0, [PROBE])["is_in_place"]


SETUP = """
statement ok
CREATE TABLE t(a)

statement ok
CREATE TABLE u(b)

statement ok
INSERT INTO t VALUES (-3)

statement ok
CREATE VIEW v AS SELECT abs(a) AS c FROM t

query I nosort
SELECT c FROM v
----
3

query I nosort
SELECT count(*) FROM sqlite_schema
----
3
"""


def test_needed_statements_follow_views() -> None:
    needs = needed_statements(Suite("s.slt", SETUP))
    assert needs[14] == [2, 8, 11]
    assert needs[11] == [2, 8]
    assert needs[5] == []


def test_suspicion_counts_every_record_and_probes_are_sound(scratch: Scratch) -> None:
    """A probe that lost what it depends on fails on SQLite as well, and says nothing."""
    suites = [("memory", Suite("s.slt", SETUP))]
    wanted = [suites[0][1].cases[4].id]
    with Pool(scratch.root, "minisql", 2) as pool:
        pool.preload([])
        found = localise(pool, suites, wanted, "", ("minisql/",))
    assert found.failing == {"s.slt": [14]}
    assert any("SELECT c FROM v" in str(probe) for probe in found.probes)
    assert not any("CREATE TABLE u" in str(probe) for probe in found.probes)
    line = (scratch.root / FAULTY).read_text().split(WRONG)[0].count("\n") + 1
    assert found.scores[FAULTY, line] == max(found.scores.values())


def test_lonely_jumps_are_as_suspicious_as_what_leads_to_them(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("def f(rows):\n    for row in rows:\n        if row:\n            break\n    return 1\n")
    found = list(ranked_edits(tmp_path, {("x.py", 3): 0.5}))
    assert any(edit.operator == "break to continue" for edit in found)


def test_planted_fault_is_repaired(scratch: Scratch, tmp_path: Path) -> None:
    workspace = scratch.workspace(tmp_path / "work", lambda folder: None)
    backend = EmbeddedBackend(lambda: scratch.contract, jobs=2, seconds=60.0)
    brief = {"script": "SELECT abs(-7)"}
    task = Task("t1-1", "", workspace.path, tmp_path / "attempts" / "t1-1", ("minisql/",), scratch.targets, brief)
    outcome = backend.build(task)
    assert outcome.end == base.FINISHED, outcome.detail
    assert outcome.usage.total_tokens() == 0
    evaluation = scratch.contract.evaluate(workspace.path)
    assert not evaluation.failing()
    # What a gate has rejected is not proposed again.
    first = workspace.repository.git("diff")
    workspace.repository.git("checkout", "--quiet", "--", ".")
    again = Task("t1-2", "", workspace.path, tmp_path / "attempts" / "t1-2", ("minisql/",), scratch.targets, brief, attempt=2)
    outcome = EmbeddedBackend(lambda: scratch.contract, jobs=2, seconds=4.0).build(again)
    assert workspace.repository.git("diff") != first


def test_evaluators_stand_behind_the_wall(scratch: Scratch, tmp_path: Path) -> None:
    """An edit that writes into the checkout writes nowhere; an honest one is tried as ever."""
    if not works("bwrap"):
        pytest.skip("bubblewrap cannot start programs here")
    (tmp_path / "hidden").mkdir()
    marker = scratch.root / "written"
    source = Source(FAULTY, (scratch.root / FAULTY).read_bytes())
    start = source.text.index(WRONG.encode()) + WRONG.rindex("value")
    line = source.text[:start].count(b"\n") + 1
    write = f"(-value, __import__('pathlib').Path({str(marker)!r}).write_text('x'))[0]"
    with Pool(scratch.root, "minisql", 1, Sandbox("bwrap", hidden=(tmp_path / "hidden",))) as pool:
        pool.preload([])
        for text, is_right in (("-value", True), (write, False)):
            edit = Edit(FAULTY, start, start + 5, text, "test", 1.0, line, range(line, line + 1))
            assert (pool.attempt(edit, 5.0, [PROBE])["reason"] == "") is is_right
    assert not marker.exists()


def test_regression_is_traced_to_its_hunk(scratch: Scratch, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(scratch.root, root, ignore=shutil.ignore_patterns(".git", ".agent-harness"))
    path = root / FAULTY
    faulty = path.read_text()
    path.write_text(faulty.replace(WRONG, RIGHT))
    repository = fresh_repository(root)
    path.write_text('"""Another title.\n' + faulty.partition("\n")[2])
    repository.commit_all("a regression and something else")
    backend = EmbeddedBackend(lambda: scratch.contract, jobs=1, seconds=60.0)
    backend._search = lambda *_: None  # type: ignore[method-assign,assignment]
    outcome = backend.build(Task("t2-1", "", root, tmp_path / "a" / "t2-1", ("minisql/",), scratch.targets, {}))
    assert outcome.end == base.FINISHED, outcome.detail
    assert "reverted 1 of 2 hunks" in outcome.detail
    assert RIGHT in path.read_text()
    assert path.read_text().startswith('"""Another title.')


def test_hunks_are_split_and_joined(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("".join(f"{n}\n" for n in range(30)))
    repository = fresh_repository(tmp_path)
    first = repository.resolve("HEAD")
    (tmp_path / "a.py").write_text("".join(f"{n if n not in (3, 20) else -n}\n" for n in range(30)))
    second = repository.commit_all("change")
    assert second is not None
    patch = Repository(tmp_path).diff(first, second)
    assert len(split_hunks(patch)) == 2
    assert join_hunks(split_hunks(patch)) == patch


def test_agent_answers_no_questions_and_needs_nothing(tmp_path: Path) -> None:
    backend = EmbeddedBackend(lambda: None)  # type: ignore[arg-type,return-value]
    assert backend.available() == ""
    with pytest.raises(HarnessError):
        backend.ask("why?", tmp_path, 1.0)
    outcome = backend.build(Task("t", "", tmp_path, tmp_path, ("x/",), ("a",), {}))
    assert outcome.end == base.NO_EDIT


def test_planted_faults_are_the_same_for_a_seed() -> None:
    pytest.importorskip("cosmic_ray")
    from agent_harness.bench.faults import planted

    root = Path(__file__).resolve().parents[2]
    runs = []
    for _ in range(2):
        faults = planted(root, 7)
        runs.append([(fault.file, fault.operator, fault.line, fault.after) for fault, _ in zip(faults, range(2), strict=False)])
    assert runs[0] == runs[1]
    assert family("core/ReplaceBinaryOperator_Add_Sub") == "ReplaceBinaryOperator"
