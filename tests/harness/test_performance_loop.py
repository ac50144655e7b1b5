"""The performance loop: a change is kept when it wins beyond noise and compounds; anything else is rolled back and written down."""

import json
import shutil
from pathlib import Path

import pytest

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.cli import main
from agent_harness.config import load
from agent_harness.contract.configured import make_contract
from agent_harness.events import read_events
from agent_harness.performance.measuring import loses, noise, ratio, run_workload, wins
from agent_harness.performance.rounds import Improver
from agent_harness.performance.workloads import WORKLOADS, Workload, floor_seconds
from agent_harness.usage import Usage
from agent_harness.workspaces.repository import Repository, fresh_repository
from tests.harness.scratch import FAULTY, RIGHT, WRONG, Scratch

MARK = "# faster"


class Editor:
    """A backend that appends a line to a file: `lines` in the order of its calls."""

    name = "editor"
    model = "none"

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.prompts: list[str] = []

    def available(self) -> str:
        return ""

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        raise NotImplementedError

    def build(self, task: Task) -> Outcome:
        self.prompts.append(task.prompt)
        line = self.lines.pop(0)
        with (task.workspace / FAULTY).open("a") as file:
            file.write(line + "\n")
        return Outcome(base.FINISHED, Usage())


def by_marks(one: Path, other: Path, module: str, workload: Workload, n: int) -> list[tuple[float, float]]:
    """A clock that only looks at the marks in the source: each makes the engine a fifth faster."""
    seconds = [0.8 ** (side / FAULTY).read_text().count(MARK) for side in (one, other)]
    return [(seconds[0] + turn * 1e-4, seconds[1] + turn * 1e-4) for turn in range(n)]


def test_wins_are_kept_and_the_rest_is_rolled_back(scratch: Scratch, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(scratch.root, root, ignore=shutil.ignore_patterns(".git", ".agent-harness"))
    path = root / FAULTY
    path.write_text(path.read_text().replace(WRONG, RIGHT))
    repository = fresh_repository(root)
    config = load(None, checkout=root)
    editor = Editor([MARK, "# only words", "x = = 1", MARK])
    loop = Improver(config, make_contract(config), editor, WORKLOADS[:4], n_pairs=4, measure=by_marks)
    results = loop.run(4)
    assert [result["kept"] for result in results] == [True, False, False, True]
    assert results[0]["ratio"] == pytest.approx(0.8, abs=0.01)
    assert results[1]["reason"].startswith("no win")
    assert results[2]["reason"].partition(":")[0] in ("imports", "review", "full")
    assert path.read_text().count(MARK) == 2
    assert "only words" not in path.read_text()
    assert not repository.dirty_paths()
    kinds = [event.kind for event in read_events(config.state / "performance" / "events.jsonl")]
    assert kinds.count("round.kept") == 2 and kinds.count("round.rolled-back") == 2
    assert "minisql/" in editor.prompts[0] and "Opcodes in the programs:\nInit" not in editor.prompts[0]


def test_verdicts_on_pairs() -> None:
    same = [(1.0, 1.01), (1.0, 0.98), (1.0, 1.0), (1.0, 1.02)]
    assert noise(same) == 0.02
    assert not wins(same, 0.02) and not loses(same, 0.02)
    assert wins([(1.0, 0.9)] * 4, 0.02)
    assert not wins([(1.0, 0.9), (1.0, 0.9), (1.0, 1.2), (1.0, 1.2)], 0.02)
    assert loses([(1.0, 1.1)] * 4, 0.02)
    assert ratio([(2.0, 1.0)]) == 0.5


def test_engine_is_measured_and_profiled_by_function_and_opcode(scratch: Scratch) -> None:
    workload = WORKLOADS[1]
    answer = run_workload(scratch.root, "minisql", workload, is_profiled=True)
    assert answer["cpu_seconds"] > floor_seconds(workload)
    assert any(name.startswith("minisql/") for name, _, _ in answer["functions"])
    assert "OpenRead" in dict(answer["opcodes"])


def project(scratch: Scratch, folder: Path) -> Path:
    """The scratch project without its fault, as a repository."""
    root = folder / "project"
    shutil.copytree(scratch.root, root, ignore=shutil.ignore_patterns(".git", ".agent-harness"))
    path = root / FAULTY
    path.write_text(path.read_text().replace(WRONG, RIGHT))
    fresh_repository(root)
    return root


def test_command_measures_and_profiles(scratch: Scratch, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["-C", str(scratch.root), "--json", "perf", "--dry-run", "--workload", "filter"])
    rows = json.loads(capsys.readouterr().out)
    assert code == 0 and [row["workload"] for row in rows] == ["filter"]
    assert rows[0]["times"] > 1 and rows[0]["functions"] and "OpenRead" in dict(rows[0]["opcodes"])


def test_command_judges_commits(
    scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(scratch, tmp_path)
    repository = Repository(root)
    path = root / FAULTY
    start, text = repository.resolve("HEAD"), path.read_text()
    revisions = []
    for mark in (MARK, "# only words"):
        path.write_text(text + mark + "\n")
        revisions.append(repository.commit_all(mark))
        repository.git("reset", "--hard", "--quiet", start)
    monkeypatch.setattr(Improver.__init__, "__defaults__", (WORKLOADS, 8, by_marks))
    options = [word for revision in revisions for word in ("--commit", revision)]
    code = main(["-C", str(root), "perf", "--pairs", "4", "--workload", "filter", "--workload", "sort", *options])
    lines = capsys.readouterr().out.splitlines()
    assert code == 0, lines
    assert "kept as" in lines[0] and "rolled back: nothing was changed" not in lines[1] and "rolled back" in lines[1]
    assert MARK in path.read_text() and "only words" not in path.read_text()
    assert not repository.dirty_paths()


def test_command_without_anybody_to_propose(scratch: Scratch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(project(scratch, tmp_path)), "perf"]) == 4
    assert "makes nothing faster" in capsys.readouterr().err
    assert main(["-C", str(scratch.root), "perf", "--workload", "nothing"]) == 4
