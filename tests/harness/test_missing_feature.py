"""A whole missing feature is closed: FULL JOIN is deleted from a scratch clone, and two recorded attempts bring it back.

The first one restores the parser alone; the gates reject it with the rows that are missing.  The second gets this as feedback,
goes through all gates and is merged.
"""

from pathlib import Path

import pytest

from agent_harness.config import load
from agent_harness.events import read_events
from agent_harness.stages import loop
from agent_harness.state.fold import MERGED, State
from agent_harness.state.folders import Folders, read_json
from tests.harness.feature_removal import RECORDING, make_clone
from tests.harness.toy import git


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    made = make_clone(tmp_path)
    git(made, "apply", str(RECORDING / "removal.diff"))
    git(made, "commit", "--quiet", "-a", "--message", "without FULL JOIN")
    return made


def test_full_join_is_restored_in_two_attempts(clone: Path) -> None:
    config = load(clone / "agent-harness.toml")
    said: list[str] = []
    code = loop.run(config, say=said.append)
    state = State(read_events(Folders(config.state).events))
    evidence = [(attempt.id, attempt.result, attempt.evidence) for attempt in state.attempts.values()]
    assert code == 0, (evidence, said)
    (task,) = state.tasks.values()
    assert task.status == MERGED
    assert len(task.case_ids) >= 2
    first, second = task.attempts
    assert (first.result, first.gates[-1]["gate"]) == ("red", "target")
    assert second.result == "green"
    assert [gate["gate"] for gate in second.gates] == [
        *("scope", "integrity", "imports", "target", "affected", "metamorphic", "review", "full", "holdout", "performance")
    ]
    folders = Folders(config.state)
    brief = read_json(folders.task(task.id) / "brief.json")
    assert "FULL" in brief["script"].upper()
    assert "unknown join type: FULL" in brief["error"] + brief["actual"]
    feedback = (folders.attempt(second.id) / "prompt.md").read_text()
    assert "Gate that said no: target" in feedback
    assert '+    "FULL": JOIN_LEFT | JOIN_RIGHT | JOIN_OUTER,' in feedback
    assert git(clone, "diff", "HEAD", "HEAD~2", "--", "minisql") == "", "the engine is as it was before the deletion"
