"""The rounds: floor, profile, propose, verify, compound, next bottleneck.

A round takes the workload that is furthest from its floor and not yet given up, profiles it by opcode and by Python function,
and asks a backend for one change.  It is kept when the gates are green (every record still passes), the workload wins beyond
noise in pairs, and all changes kept so far together still win on every workload that any of them was kept for.  Anything
else is rolled back, that is, never leaves its workspace, and written down; the log is hash-chained like a run's.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent_harness.backends import base as ends
from agent_harness.backends.base import Backend, Task
from agent_harness.config import Config
from agent_harness.contract.base import Contract, Evaluation
from agent_harness.events import EventLog
from agent_harness.gates import run_gates, standard_gates
from agent_harness.gates.base import Change
from agent_harness.performance.measuring import Pair, loses, noise, pairs_of, ratio, run_workload, wins
from agent_harness.performance.workloads import WORKLOADS, Workload, floor_seconds
from agent_harness.state.folders import Folders
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import Workspace, create

# Without target records there is nothing for the gates about targets to look at; speed is judged here, by workload.
GATES = ("scope", "integrity", "imports", "review", "full")
PROMPT = """Make this workload faster without changing any result.

CPU seconds: {seconds:.4f}; a hand-written Python loop needs {floor:.4f} ({times:.1f} times less).

```sql
{sql}
```

Functions by their own time (place, seconds, calls):
{functions}

Opcodes in the programs:
{opcodes}

Change one thing. Every acceptance record must still pass, and the gain must be visible beyond noise in pairs of runs.
Only these may change: {editable}
"""


class Improver:
    """One run of the performance loop.  `measure` gives the pairs of two checkouts on a workload."""

    def __init__(
        self,
        config: Config,
        contract: Contract,
        backend: Backend,
        workloads: Sequence[Workload] = WORKLOADS,
        n_pairs: int = 8,
        measure: Callable[[Path, Path, str, Workload, int], list[Pair]] = pairs_of,
    ) -> None:
        self._config = config
        self._contract = contract
        self._backend = backend
        self._workloads = tuple(workloads)
        self._n_pairs = n_pairs
        self._measure = measure
        self._repository = Repository(config.checkout)
        self._folder = Folders(config.state).root / "performance"
        self._start = self._repository.resolve(f"refs/heads/{config.target.branch}")
        self._kept: list[str] = []
        self._given_up: set[str] = set()

    def run(self, rounds: int) -> list[dict[str, Any]]:
        """Up to `rounds` rounds; what came of each."""
        log = EventLog(self._folder / "events.jsonl")
        results = []
        origin = create(self._repository, self._folder / "origin", self._start)
        try:
            evaluation = self._contract.evaluate(origin.path)
            for number in range(1, rounds + 1):
                target = self._bottleneck(origin.path)
                if target is None:
                    break
                workload, seconds, floor = target
                log.append("round.started", round=number, workload=workload.name, cpu_seconds=seconds, floor=floor)
                result = self._round(number, workload, seconds, floor, origin.path, evaluation)
                log.append("round.kept" if result["kept"] else "round.rolled-back", **result)
                results.append(result)
        finally:
            origin.discard()
            log.close()
        return results

    def _bottleneck(self, origin: Path) -> tuple[Workload, float, float] | None:
        """The workload with most to win: (workload, seconds, floor)."""
        found = []
        for workload in self._workloads:
            if workload.name not in self._given_up:
                seconds = float(run_workload(origin, self._config.contract.module, workload)["cpu_seconds"])
                found.append((workload, seconds, floor_seconds(workload)))
        return max(found, key=lambda entry: entry[1] / entry[2], default=None)

    def _round(
        self, number: int, workload: Workload, seconds: float, floor: float, origin: Path, evaluation: Evaluation
    ) -> dict[str, Any]:
        tip = self._repository.resolve(f"refs/heads/{self._config.target.branch}")
        place = self._folder / f"round-{number}-{secrets.token_hex(3)}"
        workspace = create(self._repository, place / "work", tip)
        result: dict[str, Any] = {"round": number, "workload": workload.name, "kept": False}
        try:
            reason = self._propose(number, workload, seconds, floor, workspace, place)
            head = "" if reason else self._commit(workspace, workload)
            reason = reason or ("" if head else "nothing was changed")
            reason = reason or self._verify(tip, head, workspace, workload, origin, evaluation, result)
        finally:
            workspace.repository.git("reset", "--hard", "--quiet")
            workspace.discard()
        if reason:
            self._given_up.add(workload.name)
            return {**result, "reason": reason}
        self._repository.fast_forward(self._config.target.branch, head, tip)
        self._kept.append(workload.name)
        return {**result, "kept": True, "commit": head}

    def _propose(self, number: int, workload: Workload, seconds: float, floor: float, workspace: Workspace, place: Path) -> str:
        profile = run_workload(workspace.path, self._config.contract.module, workload, is_profiled=True)
        prompt = PROMPT.format(
            seconds=seconds,
            floor=floor,
            times=seconds / floor,
            sql=";\n".join(workload.statements),
            functions="\n".join(f"- {name}  {own:.4f}  {calls}" for name, own, calls in profile["functions"]),
            opcodes=", ".join(f"{name} {count}" for name, count in profile["opcodes"]) or "-",
            editable=", ".join(self._config.target.editable),
        )
        brief = {"workload": workload.name, "profile": profile}
        editable = self._config.target.editable
        task = Task(f"performance-{number}", prompt, workspace.path, place / "attempt", editable, (), brief, number)
        task.attempt_folder.mkdir(parents=True, exist_ok=True)
        (task.attempt_folder / "prompt.md").write_text(prompt, encoding="utf-8")
        outcome = self._backend.build(task)
        return "" if outcome.end == ends.FINISHED else f"{outcome.end}: {outcome.detail}"

    def _commit(self, workspace: Workspace, workload: Workload) -> str:
        return workspace.commit(f"Faster: {workload.name}") or ""

    def _verify(
        self,
        tip: str,
        head: str,
        workspace: Workspace,
        workload: Workload,
        origin: Path,
        evaluation: Evaluation,
        result: dict[str, Any],
    ) -> str:
        """Why the change is not kept, '' when it is."""
        repository, module = self._repository, self._config.contract.module
        paths, diff = repository.changed_paths(tip, head), repository.diff(tip, head)
        base = create(repository, workspace.path.with_name("base"), tip)
        try:
            change = Change(tip, head, workspace.path, base.path, paths, diff, (), evaluation)
            gates = standard_gates(self._config, self._contract, secrets.token_hex(16))
            for verdict in run_gates([gate for gate in gates if gate.name in GATES], change, self._contract):
                if not verdict.passed:
                    return f"{verdict.gate}: {verdict.evidence}"
            still = noise(self._measure(base.path, base.path, module, workload, self._n_pairs))
            pairs = self._measure(base.path, workspace.path, module, workload, self._n_pairs)
        finally:
            base.discard()
        result |= {"ratio": round(ratio(pairs), 4), "noise": round(still, 4)}
        if not wins(pairs, still):
            return f"no win: {ratio(pairs):.3f} of the time, noise {still:.3f}"
        return self._compounds(workspace.path, origin, still, workload)

    def _compounds(self, head: Path, origin: Path, still: float, workload: Workload) -> str:
        """All kept changes and this one against the start: still a win where one was claimed, no loss elsewhere."""
        for each in self._workloads:
            pairs = self._measure(origin, head, self._config.contract.module, each, self._n_pairs)
            if each.name in (*self._kept, workload.name) and not wins(pairs, still):
                return f"does not compound: {each.name} {ratio(pairs):.3f}"
            if loses(pairs, still):
                return f"makes {each.name} slower: {ratio(pairs):.3f}"
        return ""
