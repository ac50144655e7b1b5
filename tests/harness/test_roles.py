"""Roles: every prompt can be rendered, a question is paid once, and an answer can make the harness stricter, never laxer."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_harness import roles
from agent_harness.config import Config, load
from agent_harness.errors import ConfigurationError
from agent_harness.events import read_events
from agent_harness.progress import Progress, headline
from agent_harness.stages import loop
from agent_harness.state.fold import State
from agent_harness.state.folders import Folders
from tests.harness.toy import ledger, make_project, write_repairs


@pytest.fixture(autouse=True)
def fake_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_rows_stand_side_by_side_and_differences_are_marked() -> None:
    lines = roles.side_by_side("1\n2\n3", "1\nx").splitlines()
    assert [line[:2] for line in lines] == ["  ", "  ", "! ", "! "]
    assert lines[2].split() == ["!", "2", "|", "x"]


def test_long_texts_say_what_is_left_out() -> None:
    assert roles.bounded("abc", 5) == "abc"
    assert roles.bounded("abcdefgh", 5) == "abcde\n... 3 more characters"


@pytest.mark.parametrize(
    ("answer", "order"),
    [("2, 1, 3", [1, 0, 2]), ("3", [2, 0, 1]), ("none of them", [0, 1, 2]), ("9 0 2 2 -1", [1, 0, 2]), ("", [0, 1, 2])],
)
def test_an_order_can_only_reorder(answer: str, order: list[int]) -> None:
    assert roles.read_order(answer, 3) == order


def test_a_prompt_with_a_value_missing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="prompt decide"):
        roles.render("decide")


def test_all_roles_can_speak_and_what_is_no_objection_changes_nothing(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding", "shouting"))
    everyone = {f"roles.{role}": ["claude"] for role in ("decide", "architect", "review", "test", "qa")}
    assert loop.run(load(config.path, everyone)) == 0
    state = State(read_events(Folders(config.state).events))
    asked = [each["role"] for each in state.asked]
    assert sorted(set(asked)) == ["architect", "decide", "qa", "review", "test"]
    assert asked.count("architect") == 2
    assert len(ledger(tmp_path)) == len(state.asked) + len(state.attempts)
    assert state.usage().cost_usd == pytest.approx(0.01 * len(ledger(tmp_path)))
    prompts = [path.read_text() for path in config.state.glob("attempts/*/prompt.md")]
    assert all("Advice from the architect:\nLook at the operator." in prompt for prompt in prompts)


def answered(folder: Path, role: str, pattern: str, text: str, faults: tuple[str, ...] = ("adding",)) -> Config:
    """The toy project with one role that answers so."""
    config = make_project(folder, faults)
    (folder / "answers.json").write_text(json.dumps([(pattern, text)]))
    return load(config.path, {f"roles.{role}": ["claude"], "loop.fresh_starts": 0})


def events_of(config: Config, kind: str) -> list[dict[str, Any]]:
    return [event.data for event in read_events(Folders(config.state).events) if event.kind == kind]


@pytest.mark.parametrize(("role", "word"), [("review", "REJECT"), ("qa", "REOPEN")])
def test_an_objection_is_fed_back_and_nothing_is_merged(tmp_path: Path, role: str, word: str) -> None:
    config = answered(tmp_path, role, "diff --git", f"Some words.\n{word}: it is in the wrong place")
    assert loop.run(config) == 3
    finished = events_of(config, "attempt.finished")
    assert [each["evidence"] for each in finished] == [f"{role} role: it is in the wrong place"] * 2
    assert not events_of(config, "merge.finished")
    prompts = sorted(config.state.glob("attempts/*/prompt.md"))
    assert "it is in the wrong place" in prompts[-1].read_text()


def test_statements_that_the_test_role_names_are_tried(tmp_path: Path) -> None:
    """One was right before the change and is wrong after it; one is wrong before and after: it waits to be taken in."""
    said = "Try\n```sql\nSELECT 50 + 0\n```\nand\n```sql\nSELECT 60 + 7;\n```\n"
    config = answered(tmp_path, "test", "diff --git", said)
    write_repairs(tmp_path, [(r"\d \+ \d", "toydb/adding.py", "left - right", "left + right if left < 11 else 0")])
    assert loop.run(config) == 3
    assert "SELECT 50 + 0" in events_of(config, "attempt.finished")[0]["evidence"]
    assert [path.read_text() for path in config.state.glob("proposed/*.sql")] == ["SELECT 60 + 7;\n"]


def test_right_change_passes_the_statements_of_the_test_role(tmp_path: Path) -> None:
    config = answered(tmp_path, "test", "diff --git", "```sql\nSELECT 50 + 0\n```\n```sql\nSELECT 60 + 7\n```")
    assert loop.run(config) == 0
    gates = {gate["gate"]: gate["evidence"] for gate in events_of(config, "attempt.verified")[0]["gates"]}
    assert gates["test role"] == "2 script(s) tried, 0 wrong on base and head"


def test_architect_narrows_a_task(tmp_path: Path) -> None:
    config = answered(tmp_path, "architect", "Cases:", "The plus.\nONLY: FIRST")
    assert loop.run(config) == 0
    assert [len(each["case_ids"]) for each in events_of(config, "task.claimed")[:2]] == [2, 1]
    assert len(events_of(config, "role.asked")) == 1


def test_decide_leaves_groups_out_and_stops(tmp_path: Path) -> None:
    config = answered(tmp_path, "decide", "Order these", "2, 1\nLEAVE: 1", ("adding", "shouting"))
    assert loop.run(config) == 0
    assert [len(each["clusters"]) for each in events_of(config, "clusters.found")] == [1, 1]
    other = answered(tmp_path / "other", "decide", "Order these", "STOP: the contract is wrong", ("adding", "shouting"))
    assert loop.run(other) == 2
    assert events_of(other, "run.finished")[0]["reason"] == "stopped by the decide role: the contract is wrong"
    assert not events_of(other, "task.created")


def test_the_same_question_is_paid_once(tmp_path: Path) -> None:
    config = load(make_project(tmp_path).path, {"roles.architect": ["claude"]})
    answers = [roles.ask(config, "architect", "why?", tmp_path / "asked") for _ in range(2)]
    assert [answer.text for answer in answers if answer] == ["Look at the operator."] * 2
    assert len(ledger(tmp_path)) == 1
    roles.ask(config, "architect", "why not?", tmp_path / "asked")
    assert len(ledger(tmp_path)) == 2


def test_a_failed_question_has_an_unknown_price(tmp_path: Path) -> None:
    config = load(make_project(tmp_path).path, {"roles.architect": ["claude"]})
    (tmp_path / "bin" / "claude").write_text("#!/bin/sh\nexit 1\n")
    answer = roles.ask(config, "architect", "why?", tmp_path / "asked")
    assert answer is not None
    assert (answer.text, answer.usage.cost_usd) == ("", None)


def test_a_role_without_backend_is_its_offline_default(tmp_path: Path) -> None:
    config = make_project(tmp_path)
    assert roles.ask(config, "review", "good?", tmp_path / "asked") is None


def test_progress_is_a_table_on_a_terminal(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    with Progress(True) as progress:
        assert loop.run(config, listener=progress.hear, say=progress.say) == 0
        progress._console.print(progress._picture())
    state = State(read_events(Folders(config.state).events))
    assert headline(state) == "16 pass, 0 fail; 1 tasks, 1 merged, 0 parked; 115 tokens, 0.01 USD"
