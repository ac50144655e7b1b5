"""SIGKILL after every kind of event, then resume: the same final tree, a whole log, nothing paid twice, nothing left running."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_harness.backends.process import marked_processes
from agent_harness.config import Config, load
from agent_harness.events import read_events
from agent_harness.stages import loop
from agent_harness.state.fold import MERGED, PARKED, State
from agent_harness.state.folders import Folders
from tests.harness.toy import REPAIRS, git, ledger, make_project, tree_of, write_repairs

ROOT = Path(__file__).resolve().parents[2]
DRIVER = """
import os, signal, sys
from pathlib import Path
from agent_harness import config, events
from agent_harness.errors import HarnessError
from agent_harness.stages import loop

path, spared = Path(sys.argv[1]), set(sys.argv[2].split(","))
append = events.EventLog.append

def append_and_die(self, kind, **data):
    event = append(self, kind, **data)
    if "*" not in spared and kind not in spared:
        print(kind, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return event

events.EventLog.append = append_and_die
sys.exit(loop.run(config.load(path)))
"""
CONFLICT = """
log = pathlib.Path('toydb/log.txt')
log.write_text((log.read_text() if log.exists() else '') + attempt + '\\n')
print(json.dumps(result))"""
EXTRA = '[backends.architect]\nkind = "claude"\n[backends.architect.environment]\nLEDGER = "{0}/asked"\nREPAIRS = "{0}/repairs.json"\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Two faults; both repairs also write one file, so one of them conflicts; an architect is asked for each task."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    config = make_project(tmp_path, ("adding", "shouting"), EXTRA.format(tmp_path))
    path = config.checkout / "agent-harness.toml"
    path.write_text(path.read_text().replace('build = ["claude"]', 'build = ["claude"]\narchitect = ["architect"]'))
    git(config.checkout, "commit", "--quiet", "-a", "--message", "an architect")
    program = tmp_path / "bin" / "claude"
    program.write_text(program.read_text().replace("\nprint(json.dumps(result))", CONFLICT))
    return load(path)


def drive(config: Config, spared: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", DRIVER, str(config.path), spared]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def check_end(config: Config, folder: Path) -> None:
    events = list(read_events(Folders(config.state).events))
    state = State(events)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert all(task.status == MERGED for task in state.tasks.values())
    package = config.checkout / "toydb"
    assert "left + right" in (package / "adding.py").read_text()
    assert "text.upper()" in (package / "shouting.py").read_text()
    assert git(config.checkout, "status", "--porcelain") == ""
    assert len(ledger(folder)) == len(set(ledger(folder))) == len(state.attempts), "an attempt was paid twice"
    asked = (folder / "asked").read_text().split()
    assert len(asked) == len({each["prompt"] for each in state.asked}), "a question was paid twice"
    assert not any(marked_processes(attempt) for attempt in state.attempts)
    assert git(config.checkout, "for-each-ref", "refs/agent-harness") == ""


def test_killed_once_after_each_kind_of_event_in_one_life(project: Config, tmp_path: Path) -> None:
    spared = ["run.resumed"]
    while True:
        done = drive(project, ",".join(spared))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        spared.append(done.stdout.split()[-1])
    assert set(spared) >= {
        *("run.started", "evaluation.started", "evaluation.finished", "clusters.found", "task.created", "task.claimed"),
        *("role.asked", "task.briefed", "attempt.started", "attempt.built", "attempt.verifying", "attempt.verified"),
        *("attempt.finished", "merge.started", "merge.previewed", "merge.verified", "merge.finished", "run.finished"),
    }
    check_end(project, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        *("run.started", "evaluation.started", "evaluation.finished", "clusters.found", "task.created", "task.claimed"),
        *("role.asked", "task.briefed", "attempt.started", "attempt.built", "attempt.verifying", "attempt.verified"),
        *("attempt.finished", "merge.started", "merge.previewed", "merge.verified", "merge.finished", "merge.rejected"),
    ],
)
def test_killed_after_one_kind_of_event(project: Config, tmp_path: Path, kind: str) -> None:
    every = {event.removeprefix('"') for event in KINDS} - {kind}
    assert drive(project, ",".join(every)).returncode == -signal.SIGKILL
    assert loop.run(project, is_resume=True) == 0
    check_end(project, tmp_path)


KINDS = (
    *("run.started", "run.resumed", "run.finished", "evaluation.started", "evaluation.finished", "clusters.found"),
    *("task.created", "task.claimed", "task.briefed", "task.parked", "task.closed", "role.asked", "checkout.changed"),
    *("attempt.started", "attempt.waiting", "attempt.built", "attempt.verifying", "attempt.verified", "attempt.finished"),
    *("merge.started", "merge.previewed", "merge.verified", "merge.finished", "merge.rejected"),
)


LIMITED = """
marks = ledger.with_name("limited")
if not attempt.startswith("ask-") and attempt not in (marks.read_text().split() if marks.exists() else []):
    with marks.open("a") as file:
        file.write(attempt + "\\n")
    print(json.dumps({"type": "result", "is_error": True, "result": "rate limit", "usage": {}, "total_cost_usd": 0.0}))
    sys.exit()
with ledger"""


@pytest.mark.slow
def test_killed_while_an_attempt_waits(project: Config, tmp_path: Path) -> None:
    """Each attempt is told to wait once; a wait costs nothing and is not forgotten."""
    program = tmp_path / "bin" / "claude"
    program.write_text(program.read_text().replace("\nwith ledger", LIMITED, 1))
    every = ",".join(set(KINDS) - {"attempt.waiting"})
    assert drive(project, every).returncode == -signal.SIGKILL
    assert loop.run(project, is_resume=True) == 0
    state = State(read_events(Folders(project.state).events))
    assert all(task.status == MERGED for task in state.tasks.values())
    # An attempt that was under way when the run was killed may never have come as far as being paid.
    assert len(ledger(tmp_path)) == len(set(ledger(tmp_path)))
    assert set(ledger(tmp_path)) <= set(state.attempts)
    assert any(attempt.waits for attempt in state.attempts.values())


@pytest.mark.slow
def test_killed_when_a_task_was_parked(project: Config, tmp_path: Path) -> None:
    """What is parked stays parked, is not paid for again, and the other task goes on."""
    repairs = [repair for repair in REPAIRS if "adding" not in repair[1]]
    write_repairs(tmp_path, repairs)
    assert drive(project, ",".join(set(KINDS) - {"task.parked"})).returncode == -signal.SIGKILL
    paid = ledger(tmp_path)
    state = State(read_events(Folders(project.state).events))
    (parked,) = (task for task in state.tasks.values() if task.status == PARKED)
    assert loop.run(project, is_resume=True) == 3
    state = State(read_events(Folders(project.state).events))
    assert state.tasks[parked.id].status == PARKED
    assert [name for name in ledger(tmp_path) if name.startswith(parked.id)] == [n for n in paid if n.startswith(parked.id)]
    assert any(task.status == MERGED for task in state.tasks.values())
    assert len(ledger(tmp_path)) == len(set(ledger(tmp_path)))


@pytest.mark.slow
def test_killed_when_a_task_was_closed(project: Config, tmp_path: Path) -> None:
    """A parked task whose cases somebody else has repaired is closed, once."""
    write_repairs(tmp_path, [])
    assert loop.run(project) == 3
    for name, (wrong, right) in {
        "adding": ("left - right", "left + right"),
        "shouting": (QUIET, "return text.upper()"),
    }.items():
        path = project.checkout / "toydb" / f"{name}.py"
        path.write_text(path.read_text().replace(wrong, right))
    git(project.checkout, "commit", "--quiet", "--all", "--message", "by hand")
    paid = ledger(tmp_path)
    assert drive(project, ",".join(set(KINDS) - {"task.closed"})).returncode == -signal.SIGKILL
    assert loop.run(project, is_resume=True) == 0
    closed = [event.data["task"] for event in read_events(Folders(project.state).events) if event.kind == "task.closed"]
    assert sorted(closed) == sorted(set(closed)) and len(closed) == 2
    assert ledger(tmp_path) == paid


QUIET = "raise TypeError('quiet')"


def test_killed_while_a_backend_works(project: Config, tmp_path: Path) -> None:
    """The attempt was paid and cannot be known: it counts, its process is ended, another one is made."""
    (tmp_path / "pause").write_text("60")
    command = [sys.executable, "-c", DRIVER, str(project.path), "*"]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(ledger(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    run.kill()
    run.wait()
    interrupted = ledger(tmp_path)
    assert len(interrupted) == 2
    assert all(marked_processes(attempt) for attempt in interrupted)
    (tmp_path / "pause").unlink()
    code = loop.run(project, is_resume=True)
    state = State(read_events(Folders(project.state).events))
    assert code == 0, state.last_run
    assert all(state.attempts[attempt].end == "interrupted" for attempt in interrupted)
    check_end(project, tmp_path)


def test_an_interrupt_ends_at_once_and_can_be_resumed(project: Config, tmp_path: Path) -> None:
    (tmp_path / "pause").write_text("600")
    path = project.checkout / "agent-harness.toml"
    path.write_text(re.sub(r"(?m)^(attempt|idle)_seconds = .*", r"\1_seconds = 600.0", path.read_text()))
    git(project.checkout, "commit", "--quiet", "-a", "--message", "patience")
    command = [sys.executable, "-m", "agent_harness", "--checkout", str(project.checkout), "run"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what runs in the background with interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        deadline = time.monotonic() + 120
        while len(ledger(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        try:
            _, complaints = run.communicate(timeout=120)
        finally:
            run.kill()
    assert run.returncode == 130
    assert complaints.endswith("agent-harness: interrupted\n")
    while any(marked_processes(attempt) for attempt in ledger(tmp_path)):
        # What has been killed takes a moment to be gone; what has not would pause for ten minutes.
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (tmp_path / "pause").unlink()
    assert loop.run(project, is_resume=True) == 0
    check_end(project, tmp_path)


def test_the_final_tree_is_that_of_an_undisturbed_run(project: Config, tmp_path: Path) -> None:
    assert drive(project, "*").returncode == 0
    check_end(project, tmp_path)
    undisturbed = tree_without_log(project)
    git(project.checkout, "reset", "--quiet", "--hard", git(project.checkout, "rev-list", "main").split()[-2])
    (project.state / "events.jsonl").unlink()
    for name in ("ledger", "asked"):
        (tmp_path / name).unlink()
    for folder in ("attempts", "tasks"):
        (project.state / folder).rename(project.state / f"old-{folder}")
    assert drive(project, ",".join(set(KINDS) - {"attempt.verified"})).returncode == -signal.SIGKILL
    assert drive(project, "*").returncode == 0
    assert tree_without_log(project) == undisturbed


def tree_without_log(config: Config) -> str:
    """The final tree but for the file in which the fake program notes the attempts, whose order may differ."""
    assert tree_of(config)
    listing = git(config.checkout, "ls-tree", "-r", "main").splitlines()
    return "\n".join(line for line in listing if not line.endswith("toydb/log.txt"))
