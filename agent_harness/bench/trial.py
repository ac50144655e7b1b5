"""One trial: plant a fault, see that a record fails, let the embedded agent work, ask every gate.

The scratch checkout has one commit, so nothing can be taken from the past.  The clock runs from the first look at the failing
records to the last gate; a fault is closed when an attempt passes all gates, hold-out included, within the limit.
"""

from __future__ import annotations

import resource
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from agent_harness.backends import base
from agent_harness.backends.base import Task
from agent_harness.backends.embedded import EmbeddedBackend
from agent_harness.bench.faults import Fault
from agent_harness.bench.reach import Reach
from agent_harness.bench.scripts import ScriptRecords, suites
from agent_harness.config import Config, load
from agent_harness.contract.base import Evaluation
from agent_harness.contract.configured import make_contract
from agent_harness.contract.records import RecordsContract, Suite
from agent_harness.errors import HarnessError
from agent_harness.gates import run_gates, standard_gates
from agent_harness.gates.base import Change, GateResult
from agent_harness.repair.edits import Edit
from agent_harness.repair.workers import Pool
from agent_harness.workspaces.repository import Repository, fresh_repository
from agent_harness.workspaces.workspace import create

ATTEMPTS = 3
COPIED = ("minisql", "tests/slt")
SCRIPTS, SUITES = "tests/oracle", "tests/slt/scripts"
QUICK_SECONDS = 20.0


class Ground:
    """The scratch checkout that faults are planted in, with its contract and what already fails there."""

    def __init__(self, source: Path, folder: Path, jobs: int, has_scripts: bool = False) -> None:
        """With `has_scripts` the statements of the differential tests that tell a fault are records, too."""
        self.path = folder / "checkout"
        self.folder = folder
        self.jobs = jobs
        self.repository = scratch_copy(source, self.path)
        self.config: Config = load(None, {"contract.jobs": jobs, "gates.skip": ["performance"]}, checkout=self.path)
        self.contract = self._contract()
        self.already_failing: frozenset[str] = frozenset(r.case.id for r in self.contract.evaluate(self.path).failing())
        contract = self.contract
        self.pool = Pool(self.path, contract.engine_module, jobs)
        self.pool.preload([])
        self._reach: Reach | None = None
        self.is_told = True
        self._scripts: ScriptRecords | None = None
        if has_scripts:
            own = [suite for configuration, suite in contract.suites if configuration == "memory"]
            self._scripts = ScriptRecords([*own, *suites(source / SCRIPTS, SUITES)], self.pool)

    def _contract(self) -> RecordsContract:
        contract = make_contract(self.config)
        assert isinstance(contract, RecordsContract)
        return contract

    def __enter__(self) -> Ground:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.close()

    @property
    def reach(self) -> Reach:
        """The lines that each suite runs, traced when first asked for, while the engine is sound."""
        if self._reach is None:
            own = [suite for configuration, suite in self.contract.suites if configuration == "memory"]
            self._reach = Reach(own, self.pool)
        return self._reach

    def plant(self, fault: Fault) -> dict[str, str]:
        """Writes the fault over a fresh root commit; returns what the files looked like before."""
        before = {file: (self.path / file).read_text(encoding="utf-8") for file in fault.texts()}
        self.write(fault.texts())
        if self._scripts is not None:
            self._add_scripts(self._scripts)
        self.repository = fresh_repository(self.path)
        return before

    def _add_scripts(self, scripts: ScriptRecords) -> None:
        """Puts the suites that tell the fault under contract, instead of the last one's."""
        shutil.rmtree(self.path / SUITES, ignore_errors=True)
        try:
            with Pool(self.path, self.contract.engine_module, self.jobs) as pool:
                pool.preload([])
                told = scripts.telling(pool)
        except HarnessError:
            told = []  # it does not import
        self.is_told = bool(told)
        for suite, _ in told:
            path = self.path / suite.name
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(suite.text, encoding="utf-8", errors="surrogateescape")
        self.contract = self._contract()
        self.already_failing |= {
            suite.cases[p].id for suite, known in told for p in suite.cases if suite.records[p].line in known
        }

    def write(self, texts: dict[str, str]) -> None:
        """Writes files; with what `plant` returned it takes the fault away again."""
        for file, text in texts.items():
            (self.path / file).write_text(text, encoding="utf-8")


def scratch_copy(source: Path, target: Path) -> Repository:
    """A copy of the committed engine and its suites, as a repository with one commit."""
    target.mkdir(parents=True, exist_ok=True)
    archive = target.with_suffix(".tar")
    Repository(source).git("archive", "--format=tar", "-o", str(archive), "HEAD", *COPIED)
    shutil.unpack_archive(archive, target, "tar")
    archive.unlink()
    (target / ".gitignore").write_text(".agent-harness/\n__pycache__/\n", encoding="utf-8")
    return fresh_repository(target)


def is_felt(ground: Ground, fault: Fault) -> bool:
    """A quick look in forked children of the sound engine: does some record fail?"""
    sound = (ground.path / fault.file).read_text(encoding="utf-8")
    edit = _as_edit(fault, sound.encode(), fault.text.encode())

    def fails(suite: Suite) -> bool:
        ignored = [suite.records[p].line for p, case in suite.cases.items() if case.id in ground.already_failing]
        probe = {"kind": "records", "name": suite.name, "text": suite.text, "lines": [], "ignored": ignored}
        return bool(ground.pool.attempt(edit, QUICK_SECONDS, [probe])["reason"])

    answers = ground.pool.each(fails, ground.reach.suites_of(fault, sound), ahead=4)
    try:
        return any(failed for _, failed in answers)
    finally:
        answers.close()


def _as_edit(fault: Fault, old: bytes, new: bytes) -> Edit:
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = 0
    while tail < shorter - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    replacement = new[start : len(new) - tail].decode()
    return Edit(
        fault.file, start, len(old) - tail, replacement, fault.operator, 1.0, fault.line, range(fault.line, fault.line + 1)
    )


def imports(checkout: Path) -> bool:
    """Whether the engine can still be imported and opened."""
    program = "import sys; sys.path.insert(0, sys.argv[1]); import minisql; minisql.connect(':memory:').close()"
    command = [sys.executable, "-I", "-S", "-B", "-c", program, str(checkout)]
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def try_fault(ground: Ground, fault: Fault, limit_s: float) -> dict[str, Any]:
    """Plants, repairs, judges; the row for the ledger."""
    row = fault.row()
    before = ground.plant(fault)
    try:
        if not imports(ground.path):
            return {**row, "counts": False, "why": "the engine does not import"}
        if not ground.is_told:
            return {**row, "counts": False, "why": "no record fails"}
        started, cpu = time.monotonic(), _cpu_seconds()
        evaluation = ground.contract.evaluate(ground.path)
        targets = tuple(r.case.id for r in evaluation.failing() if r.case.id not in ground.already_failing)
        if not targets:
            return {**row, "counts": False, "why": "no record fails"}
        closed = _attempts(ground, fault, before, evaluation, targets, started + limit_s)
        seconds = round(time.monotonic() - started, 1)
        cpu_seconds = round(_cpu_seconds() - cpu, 1)
        return {
            **row,
            "counts": True,
            "n_failing": len(targets),
            **closed,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
        }
    finally:
        ground.write(before)


def _cpu_seconds() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF))
    )


def _attempts(
    ground: Ground,
    fault: Fault,
    sound: dict[str, str],
    evaluation: Evaluation,
    targets: tuple[str, ...],
    deadline: float,
) -> dict[str, Any]:
    root = ground.folder / f"fault-{fault.number}-{secrets.token_hex(4)}"
    head = ground.repository.resolve("HEAD")
    history: list[str] = []
    for number in range(1, ATTEMPTS + 1):
        left = deadline - time.monotonic()
        if left < 5.0:
            history.append("no time left")
            break
        backend = EmbeddedBackend(lambda: ground.contract, jobs=ground.jobs, seconds=left)
        workspace = create(ground.repository, root / f"work-{number}", head, "worktree")
        task = Task(
            f"{fault.number}-{number}",
            "",
            workspace.path,
            root / "attempts" / str(number),
            ground.config.target.editable,
            targets,
            {},
            attempt=number,
            max_seconds=left,
        )
        outcome = backend.build(task)
        if outcome.end != base.FINISHED or workspace.commit("repair") is None:
            history.append(f"{outcome.end}: {outcome.detail}")
            break
        repair = workspace.patch()
        is_exact = _is_exact(repair, fault) or all(
            (workspace.path / file).read_text(encoding="utf-8") == text for file, text in sound.items()
        )
        results = _judge(ground, workspace.repository.resolve("HEAD"), head, workspace.path, targets, evaluation)
        workspace.discard()
        red = [result for result in results if not result.passed]
        if not red:
            is_late = time.monotonic() > deadline
            history.append(outcome.detail + (", too late" if is_late else ""))
            return {"closed": not is_late, "exact": is_exact, "attempts": history, "repair": repair}
        history.append(f"{outcome.detail}; rejected by {red[0].gate}: {red[0].evidence.splitlines()[0][:200]}")
    shutil.rmtree(root, ignore_errors=True)
    return {"closed": False, "exact": False, "attempts": history, "repair": ""}


def _is_exact(repair: str, fault: Fault) -> bool:
    """Whether the repair restores the very line."""
    added = [line[1:].strip() for line in repair.splitlines() if line.startswith("+") and not line.startswith("+++")]
    return added == [fault.before]


def _judge(
    ground: Ground, new: str, old: str, checkout: Path, targets: tuple[str, ...], evaluation: Evaluation
) -> list[GateResult]:
    repository = ground.repository
    paths, diff = repository.changed_paths(old, new), repository.diff(old, new)
    change = Change(old, new, checkout, ground.path, paths, diff, targets, evaluation)
    return run_gates(standard_gates(ground.config, ground.contract, secrets.token_hex(16)), change, ground.contract)
