"""The second contract kind on a small foreign repository: pytest's own verdicts, the same gates, the same ratchet."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_harness.config import Config, load
from agent_harness.contract.clusters import cluster
from agent_harness.contract.command import CommandContract
from agent_harness.contract.configured import make_contract
from agent_harness.errors import EXIT_GREEN, ConfigurationError, HarnessError
from agent_harness.events import read_events
from agent_harness.gates import is_accepted, run_gates, standard_gates
from agent_harness.gates.base import Change, GateResult
from agent_harness.stages import loop
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import create
from tests.harness.scratch import new_repository, plant

CODE = '''"""Temperatures."""


def to_celsius(fahrenheit):
    return (fahrenheit - 32) * 9 / 5


def is_freezing(fahrenheit):
    return to_celsius(fahrenheit) <= 0
'''
TESTS = """import unittest

from degrees import is_freezing, to_celsius


def test_boiling():
    assert to_celsius(212) == 100


def test_freezing_point():
    assert to_celsius(32) == 0


def test_fractions():
    assert to_celsius(50) == 10


class TestWords:
    def test_cold(self):
        assert is_freezing(-4)

    def test_warm(self):
        assert not is_freezing(70)
"""
HIDDEN = "from degrees import to_celsius\n\n\ndef test_hidden():\n    assert to_celsius(-40) == -40\n\n\ndef test_zero():\n    assert to_celsius(32) == 0\n"
SETTINGS = """
[contract]
kind = "command"
command = ["env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", {python!r}, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={{report}}", "{{cases}}"]

[target]
editable = ["degrees.py"]
protected = ["tests/", "agent-harness.toml"]

[gates.holdout]
command = ["env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", {python!r}, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={{report}}", "hidden"]
source = {hidden!r}
paths = ["hidden/"]
strict = true
"""


class Foreign:
    """A foreign project in git, with its contract and the evaluation of its only commit."""

    def __init__(self, folder: Path) -> None:
        root = folder / "degrees-project"
        (root / "tests").mkdir(parents=True)
        (root / "degrees.py").write_text(CODE)
        (root / "tests" / "test_degrees.py").write_text(TESTS)
        (folder / "secret" / "hidden").mkdir(parents=True)
        (folder / "secret" / "hidden" / "test_hidden.py").write_text(HIDDEN)
        settings = SETTINGS.format(python=sys.executable, hidden=str(folder / "secret"))
        (root / "agent-harness.toml").write_text(settings)
        self.root = root
        self.repository: Repository = new_repository(root)
        self.base = self.repository.resolve("HEAD")
        self.config: Config = load(None, checkout=root)
        contract = make_contract(self.config)
        assert isinstance(contract, CommandContract)
        self.contract = contract
        self.evaluation = contract.evaluate(root)
        self.targets = tuple(result.case.id for result in self.evaluation.failing())

    def judge(self, folder: Path, edit: Callable[[Path], object]) -> list[GateResult]:
        """All gates on the change that `edit` makes."""
        workspace = create(self.repository, folder, self.base)
        edit(workspace.path)
        workspace.commit("change")
        head = workspace.repository.resolve("HEAD")
        paths, diff = self.repository.changed_paths(self.base, head), self.repository.diff(self.base, head)
        change = Change(self.base, head, workspace.path, self.root, paths, diff, self.targets, self.evaluation)
        gates = standard_gates(self.config, self.contract, "secret")
        results = run_gates(gates, change, self.contract)
        assert is_accepted(gates, results) == all(result.passed for result in results)
        return results


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    return Foreign(tmp_path_factory.mktemp("foreign"))


def repair(checkout: Path) -> None:
    plant(checkout, "degrees.py", "* 9 / 5", "* 5 / 9")


def test_each_test_is_a_case(foreign: Foreign) -> None:
    titles = {result.case.title: result.passed for result in foreign.evaluation.results.values()}
    assert titles == {
        "tests.test_degrees::test_boiling": False,
        "tests.test_degrees::test_fractions": False,
        "tests.test_degrees::test_freezing_point": True,
        "tests.test_degrees.TestWords::test_cold": True,
        "tests.test_degrees.TestWords::test_warm": True,
    }
    failed = foreign.evaluation.failing()[0]
    assert failed.stage == "failure"
    assert "324.0 == 100" in failed.error
    assert foreign.contract.cases().keys() == foreign.evaluation.results.keys()


def test_a_few_cases_are_run_by_name(foreign: Foreign) -> None:
    evaluation = foreign.contract.evaluate(foreign.root, foreign.targets[:1])
    assert tuple(evaluation.results) == foreign.targets[:1]


def test_clusters_and_brief_without_scripts(foreign: Foreign) -> None:
    clusters = cluster(foreign.evaluation.failing(), foreign.contract, foreign.root)
    assert sorted(id_ for each in clusters for id_ in each.case_ids) == sorted(foreign.targets)
    brief = foreign.contract.brief(foreign.root, foreign.evaluation.failing())
    assert "test_boiling" in brief.script
    assert "assert" in brief.actual


def test_repair_passes_the_gates_and_the_hidden_tests(foreign: Foreign, tmp_path: Path) -> None:
    results = foreign.judge(tmp_path / "work", repair)
    assert all(result.passed for result in results), results[-1].evidence
    assert [result.gate for result in results] == [
        *("scope", "integrity", "imports", "target", "affected", "review", "full", "holdout"),
    ]
    assert results[-1].evidence == "2 of 2 hidden cases pass, 0 lost against the base"


def overfit(checkout: Path) -> None:
    plant(
        checkout,
        "degrees.py",
        "return (fahrenheit - 32) * 9 / 5",
        "return {212: 100, 50: 10}.get(fahrenheit, (fahrenheit - 32) * 9 / 5)",
    )


def lose_zero(checkout: Path) -> None:
    plant(checkout, "degrees.py", "(fahrenheit - 32) * 9 / 5", "(fahrenheit - 32) * 5 / 9 if fahrenheit > 40 else -1")


CHEATS: dict[str, tuple[Callable[[Path], object], str]] = {
    "change a test": (lambda c: plant(c, "tests/test_degrees.py", "== 100", "== 324"), "scope"),
    "delete a test": (lambda c: (c / "tests" / "test_degrees.py").unlink(), "scope"),
    "bring a conftest": (lambda c: (c / "conftest.py").write_text("collect_ignore = ['tests']\n"), "scope"),
    "bring a report": (lambda c: (c / "junit.xml").write_text("<testsuite/>"), "scope"),
    "patch the runner": (lambda c: plant(c, "degrees.py", '"""Temperatures."""', "import pytest\n"), "imports"),
    "look for the runner": (lambda c: plant(c, "degrees.py", '"""Temperatures."""', "import sys\n\nsys.modules\n"), "imports"),
    "leave before the verdicts": (
        lambda c: plant(c, "degrees.py", '"""Temperatures."""', "raise SystemExit(0)\n"),
        "target",
    ),
    "repair nothing": (lambda c: plant(c, "degrees.py", "Temperatures", "Degrees"), "target"),
    "lose another case": (lose_zero, "affected"),
    "memorise the answers": (overfit, "holdout"),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheat_ends_at_its_gate(name: str, foreign: Foreign, tmp_path: Path) -> None:
    edit, gate = CHEATS[name]
    last = foreign.judge(tmp_path / "work", edit)[-1]
    assert (last.gate, last.passed) == (gate, False), last.as_dict()


def test_loop_drives_the_foreign_project(tmp_path: Path) -> None:
    foreign = Foreign(tmp_path)
    recording = tmp_path / "recording"
    recording.mkdir()
    for attempt, edit in enumerate((overfit, repair), 1):
        workspace = create(foreign.repository, tmp_path / f"recorded-{attempt}", foreign.base)
        edit(workspace.path)
        (recording / f"{attempt}.diff").write_text(workspace.repository.git("diff"))
        workspace.discard()
    overrides = {"roles.build": "replay", "backends.replay.folder": str(recording), "loop.builders": 1}
    config = load(None, overrides, checkout=foreign.root)
    assert loop.run(config) == EXIT_GREEN
    assert "* 5 / 9" in (foreign.root / "degrees.py").read_text()
    rejected = [event for event in read_events(config.state / "events.jsonl") if "holdout" in str(event.data)]
    assert rejected, "the first recorded attempt must end at the hold-out"


def test_own_tests_in_the_tree_are_replaced_by_the_trusted_ones(foreign: Foreign, tmp_path: Path) -> None:
    workspace = create(foreign.repository, tmp_path / "work", foreign.base)
    (workspace.path / "tests" / "test_degrees.py").write_text("def test_boiling():\n    pass\n")
    (workspace.path / "tests" / "test_more.py").write_text("def test_more():\n    pass\n")
    assert foreign.contract.evaluate(workspace.path).pass_set() == foreign.evaluation.pass_set()


def test_skipped_cases_are_not_executed(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text(
        "import pytest\n\n\n@pytest.mark.skip\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    )
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={report}")
    evaluation = CommandContract(tmp_path, command).evaluate(tmp_path)
    assert [result.case.title for result in evaluation.results.values()] == ["tests.test_one::test_b"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "wrote no report"),
        ("echo '<testsuite' > $0", "is not XML"),
        ("echo '<testsuite/>' > $0", "reported no case"),
        ("echo '<!DOCTYPE x [<!ENTITY e \"x\">]><testsuite/>' > $0", "cannot be read"),
        ("sleep 30", "timed out"),
    ],
)
def test_command_without_verdicts_passes_nothing(script: str, reason: str, tmp_path: Path) -> None:
    contract = CommandContract(tmp_path, ("/bin/sh", "-c", script, "{report}"), trusted=(), timeout_s=1.0)
    with pytest.raises(HarnessError, match=reason):
        contract.evaluate(tmp_path)


def test_missing_program_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="program not found"):
        CommandContract(tmp_path, ("no-such-program",))
