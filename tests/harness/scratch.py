"""A scratch project for tests of contract and gates: a copy of the engine with one planted fault, and a few records.

The fault: abs() of a negative integer is that integer.  Three records show it (one by a result hash only); the others pass.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from agent_harness.config import Config, load
from agent_harness.contract.base import Evaluation
from agent_harness.contract.configured import make_contract
from agent_harness.contract.records import RecordsContract
from agent_harness.gates.base import Change
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import Workspace, create
from sqllogictest.formatting import hash_text

ROOT = Path(__file__).resolve().parents[2]
FAULTY = "minisql/functions/scalar.py"
RIGHT = "return value if value >= 0 else -value"
WRONG = "return value if value >= 0 else value"
HASHED = hash_text("7\nOslo\n4\nBergen\n2\noslo\nNULL\nVoss", 8)
SUITE = f"""# Parcels: the records that the planted fault breaks, and some that it does not.

statement ok
CREATE TABLE parcels(parcel_id INTEGER PRIMARY KEY, weight INTEGER, city TEXT)

statement ok
INSERT INTO parcels VALUES (1,-7,'Oslo'),(2,4,'Bergen'),(3,-2,'oslo'),(4,NULL,'Voss')

query II nosort
SELECT parcel_id, abs(weight) FROM parcels ORDER BY parcel_id
----
1
7
2
4
3
2
4
NULL

query I nosort
SELECT sum(abs(weight)) AS burden FROM parcels WHERE weight < 3 OR city = 'Bergen'
----
13

query IT nosort
SELECT abs(weight), city FROM parcels ORDER BY parcel_id
----
{HASHED}

query TI nosort
SELECT upper(city), count(*) FROM parcels GROUP BY upper(city) ORDER BY 1
----
BERGEN
1
OSLO
2
VOSS
1

query I nosort
SELECT max(weight) FROM parcels
----
4

statement error
SELECT nothing FROM parcels

query I nosort
SELECT parcel_id FROM parcels WHERE weight IS NULL OR weight > 3 ORDER BY parcel_id DESC
----
4
2

query I nosort
SELECT max(weight) FROM parcels
----
4
"""
SETTINGS = """
[contract]
paths = ["tests/slt"]
jobs = 1

[gates.holdout]
per_feature = 4

[gates.performance]
pairs = 1
"""


class Scratch:
    """The project, its contract and the evaluation of its base commit."""

    def __init__(self, folder: Path) -> None:
        root = folder / "project"
        shutil.copytree(ROOT / "minisql", root / "minisql", ignore=shutil.ignore_patterns("__pycache__"))
        (root / "tests" / "slt").mkdir(parents=True)
        (root / "tests" / "slt" / "parcels.slt").write_text(SUITE)
        (root / "agent-harness.toml").write_text(SETTINGS)
        (root / ".gitignore").write_text(".agent-harness/\n__pycache__/\n")
        plant(root, FAULTY, RIGHT, WRONG)
        self.repository = new_repository(root)
        self.root = root
        self.base = self.repository.resolve("HEAD")
        self.config: Config = load(None, checkout=root)
        contract = make_contract(self.config)
        assert isinstance(contract, RecordsContract)
        self.contract = contract
        self.evaluation: Evaluation = contract.evaluate(root)
        self.targets = tuple(result.case.id for result in self.evaluation.failing())

    def workspace(self, folder: Path, edit: Callable[[Path], object]) -> Workspace:
        """A workspace at the base in which `edit` has changed files; nothing is committed yet."""
        workspace = create(self.repository, folder, self.base)
        edit(workspace.path)
        return workspace

    def change(self, folder: Path, edit: Callable[[Path], object]) -> Change:
        """The change that `edit` makes, committed by the harness."""
        workspace = self.workspace(folder, edit)
        workspace.commit("change")
        head = workspace.repository.resolve("HEAD")
        paths, diff = self.repository.changed_paths(self.base, head), self.repository.diff(self.base, head)
        return Change(self.base, head, workspace.path, self.root, paths, diff, self.targets, self.evaluation)


def new_repository(root: Path) -> Repository:
    """Makes a folder a git repository with one commit on main."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(root)], check=True)
    repository = Repository(root)
    repository.commit_all("base")
    return repository


def plant(checkout: Path, path: str, old: str, new: str) -> None:
    """Replaces the one place where `old` stands in a file."""
    file = checkout / path
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old!r} stands there {text.count(old)} times"
    file.write_text(text.replace(old, new), encoding="utf-8")


def repair(checkout: Path) -> None:
    """The honest repair."""
    plant(checkout, FAULTY, WRONG, RIGHT)
