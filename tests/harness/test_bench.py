"""The bench's faults of the past and the records that can tell them, on small repositories made for the purpose."""

from pathlib import Path

from agent_harness.bench import figures
from agent_harness.bench.faults import past
from agent_harness.bench.scripts import scripts, suites
from agent_harness.workspaces.repository import Repository, fresh_repository

LINES = "".join(f"line {number}\n" for number in range(20))


def commit(repository: Repository, message: str, files: dict[str, str]) -> None:
    for file, text in files.items():
        path = repository.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    repository.commit_all(message)


def test_past_faults_are_commits_that_can_still_be_taken_back(tmp_path: Path) -> None:
    one, two = "minisql/vm/one.py", "minisql/parser/two.py"
    (tmp_path / "minisql").mkdir()
    repository = fresh_repository(tmp_path)
    commit(repository, "begin", {one: LINES, two: LINES, "tests/a.slt": "wrong\n"})
    right = {one: LINES.replace("line 3\n", "line three\n"), two: LINES.replace("line 5\n", "")}
    commit(repository, "Repair both", right | {"tests/a.slt": "right\n"})
    commit(repository, "Bring a feature", {"minisql/vm/three.py": LINES, two: right[two] + "more\n"})
    commit(repository, "Change too much", {one: right[one] + "far more\n" * 200})
    commit(repository, "Write tests", {"tests/b.slt": "right\n"})
    state = repository.tree("HEAD")
    faults = list(past(repository, tmp_path))
    assert [(fault.title, fault.room, sorted(fault.texts())) for fault in faults] == [("Repair both", "vm", [two, one])]
    assert faults[0].texts()[one] == LINES + "far more\n" * 200
    assert faults[0].texts()[two] == LINES + "more\n"
    assert (faults[0].before, faults[0].after) == ("line three", "line 3")
    assert repository.tree("HEAD") == state and not repository.dirty_paths()


def test_statements_of_differential_tests_become_suites(tmp_path: Path) -> None:
    for name, text in {
        "features/001-a.sql": "-- about\nCREATE TABLE t(a)\n\nSELECT count(*)\nFROM t\n\n.reset\n\n.each\nSELECT 1\nSELECT no\n",
        "scripts/b.sql": "select 2\nexplain query plan select 3\n-- then\nselect random()\n\nselect 4\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert dict(scripts(tmp_path)) == {
        "001-a-1": ["CREATE TABLE t(a)", "SELECT count(*)\nFROM t"],
        "001-a-2": ["SELECT 1", "SELECT no"],
        "b-1": ["select 2", "explain query plan select 3", "select random()"],
        "b-2": ["select 4"],
    }
    made = {Path(suite.name).stem: suite.text.split() for suite in suites(tmp_path, "tests/slt/scripts")}
    assert made["001-a-1"][-6:] == ["SELECT", "count(*)", "FROM", "t", "----", "0"]
    assert "no" in made["001-a-2"] and "error" in made["001-a-2"]
    assert "3" not in made["b-1"] and "random()" not in made["b-1"] and made["b-1"][-1] == "2"


def test_page_tells_each_past_fault_and_why_it_stays_open() -> None:
    row = {
        "kind": "past",
        "number": 3,
        "room": "vm",
        "file": "minisql/vm/one.py",
        "operator": "history 0123456789ab",
        "line": 4,
    }
    row |= {"before": "a", "after": "b", "title": "Repair a | b", "files": ["minisql/vm/one.py", "minisql/parser/two.py"]}
    row |= {"counts": True, "n_failing": 2, "closed": False, "exact": False, "attempts": ["no-edit: none"], "seconds": 9.0}
    text = figures.page([], [row | {"cpu_seconds": 8.0}], figures.Measured(" --history 1", "page.md", 180.0, 2, 0))
    assert "| 0123456789ab | Repair a \\| b | vm/one.py, parser/two.py | 2 | no | 1 | 9.0 | 8.0 |" in text
    assert "- minisql/vm/one.py:4 (history 0123456789ab): no-edit: none" in text
