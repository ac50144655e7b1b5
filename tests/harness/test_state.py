"""State: a chained log, a fold of it, files that are whole or absent, and an index that can be lost."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent_harness.contract.base import Case, CaseResult, Evaluation
from agent_harness.errors import HarnessError
from agent_harness.events import EventLog, read_events
from agent_harness.state import index
from agent_harness.state.fold import MERGED, OPEN, VERIFIED, State
from agent_harness.state.folders import Folders, load_evaluation, read_json, save_evaluation, write_json
from agent_harness.state.journal import Journal
from agent_harness.usage import Usage

ATTEMPT = {"base": "b", "backend": "x", "model": "m", "start": 0, "max_seconds": 9.0, "max_tokens": 0, "max_usd": 0.0}


def story(journal: Journal) -> None:
    """One task: a red attempt, a green one, a merge."""
    record = journal.record
    record("run.started", branch="main", base="b", contract="c", builders=1, backends=["x"])
    record("evaluation.finished", tree="tree", commit="b", contract="c", n_passed=1, n_failed=2)
    record("task.created", task="t1", key="k", title="x", case_ids=["1", "2"], suspects=["f"], features=["join"], base="b")
    for number, passed in ((1, False), (2, True)):
        attempt = f"t1-{number}"
        usage = Usage(10, 0, 0, 5, 0, 1, 0.5).as_dict()
        record("attempt.started", attempt=attempt, task="t1", number=number, role="build", **ATTEMPT)
        record(
            "attempt.built", attempt=attempt, end="finished", detail="", usage=usage, head=f"h{number}", tree="t", seconds=2.0
        )
        gates = [{"gate": "scope", "passed": True, "evidence": "", "seconds": 0.1}]
        record("attempt.verified", attempt=attempt, passed=passed, gates=gates, contract="c", tree="t", base_tree="b")
        record("attempt.finished", attempt=attempt, result="green" if passed else "red", signature="s", evidence="e")
    record("merge.started", merge="m1", attempts=["t1-2"], old="b")
    record("merge.previewed", merge="m1", new="n", tree="t", attempts=["t1-2"])


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path / "state")


def test_the_fold_follows_the_story(folders: Folders) -> None:
    journal = Journal(folders)
    story(journal)
    task = journal.state.tasks["t1"]
    assert task.status == VERIFIED
    assert [attempt.id for attempt in journal.state.queue()] == ["t1-2"]
    assert (journal.state.usage().total_tokens(), journal.state.usage().cost_usd) == (30, 1.0)
    journal.record("merge.finished", merge="m1", old="b", new="n", attempts=["t1-2"])
    assert task.status == MERGED
    assert journal.state.queue() == []
    journal.close()


def test_a_rejected_merge_opens_the_task_again(folders: Folders) -> None:
    journal = Journal(folders)
    story(journal)
    journal.record("merge.rejected", merge="m1", sent_back=["t1-2"], result="conflict", reason="moved", signature="conflict")
    assert journal.state.tasks["t1"].status == OPEN
    assert journal.state.attempts["t1-2"].result == "conflict"
    journal.close()


def test_reading_the_log_again_gives_the_same_state(folders: Folders) -> None:
    journal = Journal(folders)
    story(journal)
    before = {name: task.as_dict() for name, task in journal.state.tasks.items()}
    journal.close()
    again = State(read_events(folders.events))
    assert {name: task.as_dict() for name, task in again.tasks.items()} == before


def test_unknown_kinds_of_events_are_passed_over(folders: Folders) -> None:
    journal = Journal(folders)
    journal.record("weather.changed", degrees=3)
    assert journal.state.tasks == {}
    journal.close()


def test_a_second_run_is_refused_while_one_is_on(folders: Folders) -> None:
    journal = Journal(folders)
    with pytest.raises(HarnessError, match="another run is using"):
        Journal(folders)
    journal.close()


def test_a_torn_last_line_is_cut_off(folders: Folders) -> None:
    journal = Journal(folders)
    story(journal)
    n_events = len(journal.events)
    journal.close()
    with folders.events.open("ab") as file:
        file.write(b'{"seq": 99, "ti')
    log = EventLog(folders.events)
    assert len(log.events) == n_events
    log.append("run.resumed")
    log.close()
    assert [event.seq for event in read_events(folders.events)] == list(range(1, n_events + 2))


@pytest.mark.parametrize("damage", ["edit", "drop", "swap"])
def test_an_edited_log_is_refused(folders: Folders, damage: str) -> None:
    journal = Journal(folders)
    story(journal)
    journal.close()
    lines = folders.events.read_bytes().splitlines(keepends=True)
    if damage == "edit":
        lines[3] = lines[3].replace(b"t1-1", b"t1-7")
    elif damage == "drop":
        del lines[3]
    else:
        lines[3], lines[4] = lines[4], lines[3]
    folders.events.write_bytes(b"".join(lines))
    with pytest.raises(HarnessError, match="event log"):
        EventLog(folders.events)


def evaluation() -> Evaluation:
    cases = [Case(str(n), "suite", n, f"SELECT {n}") for n in range(3)]
    results = {case.id: CaseResult(case, case.id == "0", "compare", "wrong", "1", "2", 0.5) for case in cases}
    return Evaluation("tree", "c", results, 1.5)


def test_evaluations_survive_the_disk(folders: Folders) -> None:
    path = folders.evaluation("tree", "c")
    save_evaluation(path, evaluation())
    loaded = load_evaluation(path)
    assert loaded is not None
    assert loaded.pass_set() == frozenset(["0"])
    assert [(result.case.title, result.expected) for result in loaded.failing()] == [("SELECT 1", "1"), ("SELECT 2", "1")]
    assert load_evaluation(folders.evaluation("other", "c")) is None


def test_files_are_whole_or_absent(folders: Folders) -> None:
    path = folders.root / "x.json"
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
    assert [each.name for each in folders.root.iterdir()] == ["x.json"]
    path.write_text("{")
    with pytest.raises(HarnessError, match="cannot read"):
        read_json(path)


def test_the_index_is_built_anew_when_lost_or_behind(folders: Folders) -> None:
    journal = Journal(folders)
    story(journal)
    save_evaluation(folders.evaluation("tree", "c"), evaluation())

    def ask(sql: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(index.refresh(folders))) as database:
            return database.execute(sql).fetchall()

    assert ask("SELECT id, result, cost_usd FROM attempt") == [("t1-1", "red", 0.5), ("t1-2", "green", 0.5)]
    assert ask("SELECT count(*), sum(passed) FROM verdict") == [(3, 1)]
    assert ask("SELECT status FROM merge") == [("previewed",)]
    journal.record("merge.finished", merge="m1", old="b", new="n", attempts=["t1-2"])
    assert ask("SELECT status FROM merge") == [("finished",)]
    folders.index.write_bytes(b"not a database at all, but long enough to look like one" * 20)
    assert ask("SELECT count(*) FROM event") == [(len(journal.events),)]
    journal.close()


def test_the_state_folder_hides_itself_from_git(folders: Folders) -> None:
    folders.prepare()
    assert (folders.root / ".gitignore").read_text() == "*\n"


def test_events_are_one_json_object_a_line(folders: Folders) -> None:
    journal = Journal(folders)
    journal.record("weather.changed", wind="two\nlines")
    journal.close()
    assert [json.loads(line)["kind"] for line in folders.events.read_text().splitlines()] == ["weather.changed"]
