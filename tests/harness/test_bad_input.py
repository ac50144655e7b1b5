"""Bad configuration, missing programs, a dirty checkout, no git, a full disk: one clear line, the right exit code, nothing lost."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_harness.cli import COMMANDS, main
from agent_harness.config import Config
from agent_harness.errors import HarnessError
from agent_harness.events import read_events
from agent_harness.state.folders import Folders
from tests.harness.toy import add_program, git, ledger, make_project, tree_of, write_repairs

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return make_project(tmp_path, ("adding",))


def call(config: Config, *arguments: str) -> int:
    return main(["--checkout", str(config.checkout), *arguments])


def refused(capsys: Capture, code: int, wanted: int) -> str:
    """Checks the exit code and that stderr's last line is the only one that complains; returns it."""
    captured = capsys.readouterr()
    assert code == wanted, captured
    assert captured.out == ""
    complaints = [line for line in captured.err.splitlines() if line.startswith("agent-harness: ")]
    assert len(complaints) == 1, captured.err
    assert "Traceback" not in captured.err
    return complaints[0]


def commit_all(config: Config) -> None:
    git(config.checkout, "add", "--all")
    git(config.checkout, "commit", "--quiet", "--message", "change")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[loop\n", "agent-harness.toml"),
        ("[loop]\nbuilder = 1\n", "loop.builder: unknown key"),
        ('[contract]\npaths = ["nowhere"]\n', "contract: no .slt or .test file at nowhere"),
        ('[gates]\nskip = ["full"]\n', "full cannot be left out"),
        ('[gates]\nskip = ["vibes"]\n', "there is no gate vibes"),
        ('[roles]\nbuild = "magic"\n', "unknown kind 'magic'"),
        ('[roles]\nbuild = "openai"\n', "backends.openai.model: must be given"),
        ('[roles]\nbuild = "replay"\n', "the recording's folder must be given"),
        ('[roles]\nbuild = "r"\n[backends.r]\nkind = "replay"\nfolder = "gone"\n', "replay: no recording at"),
        ("[roles]\nbuild = []\n", "role build has no backend"),
        ('[target]\nbranch = "release"\n', "branch release is not checked out"),
        ('[workspace]\nsandbox = "docker"\n', "docker"),
    ],
)
def test_bad_configuration(project: Config, capsys: Capture, text: str, message: str) -> None:
    start = "" if "[contract]" in text else '[contract]\npaths = ["records"]\nmodule = "toydb"\n'
    (project.checkout / "agent-harness.toml").write_text(start + text)
    commit_all(project)
    assert message in refused(capsys, call(project, "run"), 4)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--set", "loop.builders", "run"),
        ("--set", "loop.builders=none", "run"),
        ("run", "--builders", "0"),
        ("run", "--model", "m"),
        ("run", "--no-such-option"),
        ("no-such-command",),
        ("attempts", "show", "t9-9"),
        ("minimize", "feedface"),
        ("verify", "no-such-commit"),
        ("resume",),
        ("init",),
        ("contract", "diff"),
    ],
)
def test_bad_arguments(project: Config, capsys: Capture, arguments: tuple[str, ...]) -> None:
    code = call(project, *arguments)
    refused(capsys, code, 1 if arguments[0] == "verify" else 4)
    assert ledger(project.checkout.parent) == []


def test_a_missing_program(project: Config, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "bin" / "claude").unlink()
    assert refused(capsys, call(project, "run"), 4) == "agent-harness: role build: claude: program not found on PATH"


def test_a_dirty_checkout_is_left_alone(project: Config, capsys: Capture) -> None:
    (project.checkout / "mine.txt").write_text("work in progress")
    changed = project.checkout / "toydb" / "adding.py"
    changed.write_text(changed.read_text() + "# mine\n")
    line = refused(capsys, call(project, "run"), 4)
    assert "uncommitted changes: " in line
    assert "toydb/adding.py" in line
    assert (project.checkout / "mine.txt").read_text() == "work in progress"
    assert changed.read_text().endswith("# mine\n")


def test_no_git_program(project: Config, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert refused(capsys, call(project, "run"), 4) == "agent-harness: git: not found"


def test_no_git_checkout(tmp_path: Path, capsys: Capture) -> None:
    line = refused(capsys, main(["--checkout", str(tmp_path), "run"]), 4)
    assert "not a git repository" in line or "not the top folder of a git checkout" in line


def test_no_such_folder(tmp_path: Path, capsys: Capture) -> None:
    assert "not a folder" in refused(capsys, main(["--checkout", str(tmp_path / "gone"), "run"]), 4)


def test_a_damaged_log_is_not_built_upon(project: Config, capsys: Capture) -> None:
    assert call(project, "run") == 0
    capsys.readouterr()
    log = Folders(project.state).events
    log.write_bytes(log.read_bytes().replace(b'"task.created"', b'"task.guessed"'))
    before = log.read_bytes()
    assert "event log: line" in refused(capsys, call(project, "run"), 1)
    assert "event log: line" in refused(capsys, call(project, "status"), 1)
    assert log.read_bytes() == before


def test_a_full_disk_loses_nothing(project: Config, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full from the first attempt on; when there is room again, the run goes on."""
    from agent_harness.stages import coordinate

    real = coordinate.write_whole
    calls = []

    def full(path: Path, text: str) -> None:
        calls.append(path)
        raise HarnessError(f"cannot write {path}: No space left on device")

    monkeypatch.setattr(coordinate, "write_whole", full)
    tree = tree_of(project)
    assert "No space left on device" in refused(capsys, call(project, "run"), 1)
    assert calls
    assert tree_of(project) == tree
    assert git(project.checkout, "status", "--porcelain") == ""
    monkeypatch.setattr(coordinate, "write_whole", real)
    assert call(project, "resume") == 0
    assert len(ledger(project.checkout.parent)) == 1


def test_a_full_disk_under_the_log(project: Config, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events before the disk was full stay; the one that could not be made safe is not believed."""
    real = os.fsync
    calls = []

    def full(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device" in refused(capsys, call(project, "run"), 1)
    monkeypatch.setattr(os, "fsync", real)
    assert call(project, "resume") == 0
    assert len(ledger(project.checkout.parent)) == 1


def test_an_unwritable_state_folder(project: Config, capsys: Capture) -> None:
    project.state.write_text("a file where the folder should be")
    commit_all(project)
    assert "cannot write" in refused(capsys, call(project, "run"), 1)


def test_a_backend_that_ends_without_a_result(project: Config, tmp_path: Path, capsys: Capture) -> None:
    add_program(tmp_path / "bin", "claude", "print('no json here')\n")
    assert call(project, "run", "--no-progress", "--json") == 3
    data = json.loads(capsys.readouterr().out)
    assert data["refusals"] == {"crashed": 4}
    assert data["parked"][0]["reason"].startswith("the same failure again")


def test_stdout_is_data_and_stderr_is_progress(project: Config) -> None:
    command = [sys.executable, "-m", "agent_harness", "--checkout", str(project.checkout), "run", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reason"] == "the contract is green"
    assert "claude works on" in done.stderr


def test_every_command_has_help(capsys: Capture) -> None:
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert "Usage: agent-harness " + name in capsys.readouterr().out


def test_commands_that_look(project: Config, capsys: Capture, tmp_path: Path) -> None:
    """Each of them, before and after a run, in words and as JSON."""
    looking = [("status",), ("tasks",), ("attempts",), ("costs",), ("backends",), ("evolve", "lessons"), ("gc", "--dry-run")]
    for stage in ("before", "after"):
        for command in looking:
            assert call(project, *command) == 0, (stage, command)
            capsys.readouterr()
            assert call(project, *command, "--json") == 0
            json.loads(capsys.readouterr().out)
        if stage == "before":
            assert call(project, "run", "--no-progress") == 0
            capsys.readouterr()
    (attempt,) = {
        event.data["attempt"] for event in read_events(Folders(project.state).events) if event.kind == "attempt.started"
    }
    assert call(project, "attempts", "show", attempt) == 0
    assert "ok   scope" in capsys.readouterr().out
    assert call(project, "attempts", "diff", attempt) == 0
    assert "+    return left + right" in capsys.readouterr().out
    assert call(project, "attempts", "replay", attempt, "--record", str(tmp_path / "recording")) == 0
    assert "the same verdict as before" in capsys.readouterr().out
    assert (tmp_path / "recording" / "1.diff").is_file()
    assert call(project, "costs", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["role"], row["backend"], row["calls"], row["cost_usd"], row["cases_closed"]) == ("build", "claude", 1, 0.01, 2)
    assert row["cost_per_case"] == pytest.approx(0.005)


def test_contract_commands(project: Config, capsys: Capture) -> None:
    assert call(project, "contract", "check", "--json") == 3
    assert json.loads(capsys.readouterr().out)["n_failed"] == 2
    assert call(project, "contract", "freeze") == 0
    assert call(project, "contract", "diff") == 0
    capsys.readouterr()
    assert call(project, "cluster", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["suspects"][0] == "toydb/adding.py:add"
    assert call(project, "minimize") == 0
    assert "SELECT 2 + 3" in capsys.readouterr().out
    assert call(project, "locate") == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("toydb/adding.py:add")
    records = project.checkout / "records" / "all.slt"
    records.write_text(records.read_text().replace("SELECT 10 + 7\n----\n17", "SELECT 10 + 7\n----\n3"))
    commit_all(project)
    assert call(project, "contract", "diff", "--json") == 3
    moved = json.loads(capsys.readouterr().out)
    assert (len(moved["added"]), len(moved["removed"])) == (1, 1)
    assert "moved since it was frozen" in refused(capsys, call(project, "run"), 4)


def test_verify_and_merge_by_hand(project: Config, capsys: Capture) -> None:
    path = project.checkout / "toydb" / "adding.py"
    git(project.checkout, "checkout", "--quiet", "-b", "work")
    path.write_text(path.read_text().replace("left - right", "left + right"))
    commit_all(project)
    git(project.checkout, "checkout", "--quiet", "main")
    assert call(project, "verify", "work") == 0
    assert "ok   full" in capsys.readouterr().out
    assert call(project, "verify", "main") == 3
    assert "RED  " in capsys.readouterr().out
    assert call(project, "merge") == 0
    assert "merged nothing" in capsys.readouterr().out


def test_dry_run_pays_nothing(project: Config, capsys: Capture, tmp_path: Path) -> None:
    assert call(project, "run", "--dry-run", "--no-progress") == 0
    out = capsys.readouterr().out
    assert "2 cases  claude: compare" in out
    assert ledger(tmp_path) == []


def test_init_and_doctor(tmp_path: Path, capsys: Capture) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "fresh")
    fresh = tmp_path / "fresh"
    (fresh / "records").mkdir()
    (fresh / "records" / "a.slt").write_text("query I nosort\nSELECT 1\n----\n1\n")
    assert main(["-C", str(fresh), "init", "--paths", "records", "--module", "toydb"]) == 0
    git(fresh, "add", "--all")
    git(fresh, "commit", "--quiet", "--message", "init")
    capsys.readouterr()
    assert main(["-C", str(fresh), "doctor", "--json"]) == 0
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)}
    assert checks["contract"]["detail"] == "1 cases"
    (fresh / "mine.txt").write_text("x")
    assert main(["-C", str(fresh), "doctor"]) == 4
    assert "FAIL  checkout: the checkout has uncommitted changes: mine.txt" in capsys.readouterr().out


def test_gc_keeps_what_holds_work(project: Config, capsys: Capture, tmp_path: Path) -> None:
    write_repairs(tmp_path, [])
    assert call(project, "run", "--no-progress") == 3
    folder = project.state / "workspaces" / "t9-1"
    git(project.checkout, "worktree", "add", "--quiet", "--detach", str(folder), "main")
    (folder / "toydb" / "note.py").write_text('"work"\n')
    capsys.readouterr()
    assert call(project, "gc", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert [each["reason"] for each in data["kept"]] == ["uncommitted changes"]
    assert folder.is_dir()
    assert not list((project.state / "workspaces").glob("base-*"))
