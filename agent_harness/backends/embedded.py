"""The embedded agent: repairs slips without a model, a key or a network.

It looks for the lines that failing records run and passing ones do not, tries small edits there in forked children, and writes
the first one in its ranking that closes the task's records and breaks no other.  When that finds nothing and the checkout has
a past, it looks for the commit since which the records fail and reverts the smallest part of it that helps.  It repairs slips,
not missing features, and says so.  What it writes is a proposal: the gates judge it like anybody else's.

A proposal that a gate rejected is remembered next to the attempts and not made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.contract.base import Contract
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import HarnessError
from agent_harness.repair.localise import Localisation, localise
from agent_harness.repair.regression import revert_culprit
from agent_harness.repair.search import Found, Search, key_of, ranked_edits
from agent_harness.repair.workers import Pool
from agent_harness.state.folders import write_whole
from agent_harness.usage import Usage

MEMORY = "embedded-memory.json"


class EmbeddedBackend:
    """A Backend that edits by search.  `seconds` bounds an attempt (as the task's own limit does), `jobs` the processes."""

    name = "embedded"
    model = "search"

    def __init__(
        self,
        contract_factory: Callable[[], Contract],
        jobs: int = 0,
        seconds: float = 150.0,
        history: int = 30,
    ) -> None:
        self._contract_factory = contract_factory
        self._jobs = jobs or min(4, os.cpu_count() or 1)
        self._seconds = seconds
        self._history = history

    def available(self) -> str:
        """Always empty: it needs nothing."""
        return ""

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """Raises HarnessError: there is nobody to ask."""
        raise HarnessError("the embedded agent answers no questions")

    def build(self, task: Task) -> Outcome:
        """Writes a repair into the workspace, or nothing."""
        contract = self._contract_factory()
        if not isinstance(contract, RecordsContract):
            return Outcome(base.NO_EDIT, Usage(), "the embedded agent works on sqllogictest contracts only")
        if not task.case_ids:
            return Outcome(base.NO_EDIT, Usage(), "the embedded agent repairs failing records, and none is named")
        started = time.monotonic()
        limit = min(self._seconds, task.max_seconds or self._seconds)
        memory = Memory(task)
        try:
            with Pool(task.workspace, contract.engine_module, self._jobs, task.sandbox) as pool:
                outcome = self._search(task, contract, pool, memory, started + limit)
                if outcome is not None:
                    return outcome
            detail = revert_culprit(task, contract, self._jobs, self._history, memory.rejected, started + limit)
        except HarnessError as error:
            return Outcome(base.CRASHED, Usage(), str(error))
        if detail:
            return Outcome(base.FINISHED, Usage(), detail, detail)
        return Outcome(base.NO_EDIT, Usage(), memory.last or "no small edit closes the records; this may be a missing feature")

    def _search(self, task: Task, contract: RecordsContract, pool: Pool, memory: Memory, deadline: float) -> Outcome | None:
        suites = contract.suites
        pool.preload([])
        script = str(task.brief.get("script", ""))
        found_at = localise(pool, suites, task.case_ids, script, task.editable)
        if not found_at.probes:
            memory.last = "the records pass in the agent's own process"
            return None
        pool.preload(found_at.files())
        edits = ranked_edits(task.workspace, found_at.scores)
        search = Search(pool, found_at, suites, task.case_ids, deadline)
        found = search.run(edits, memory.rejected)
        _write_notes(task, found_at, found)
        if found.edit is None:
            end = "and there are no others" if found.is_exhausted else "and the time is over"
            memory.last = f"none of {found.n_tried} edits closes the records, {end}"
            return None
        path = task.workspace / found.edit.file
        path.write_bytes(found.edit.apply(path.read_bytes()))
        memory.reject(key_of(found.edit))
        place = f"{found.edit.file}:{found.edit.line}"
        detail = f"{found.edit.operator} at {place}, candidate {found.n_tried}"
        return Outcome(base.FINISHED, Usage(), detail, detail)


class Memory:
    """What was proposed before for the same records; a proposal that comes back as a new attempt was rejected."""

    def __init__(self, task: Task) -> None:
        self._path = task.attempt_folder.parent / MEMORY
        self._key = hashlib.sha256("\0".join(sorted(task.case_ids)).encode()).hexdigest()[:16]
        self._all: dict[str, list[str]] = {}
        if task.attempt > 1 and self._path.is_file():
            self._all = json.loads(self._path.read_text(encoding="utf-8"))
        self.rejected = set(self._all.get(self._key, ()))
        self.last = ""

    def reject(self, key: str) -> None:
        """Not again, unless the task starts from the beginning."""
        if self._path.is_file():
            self._all = json.loads(self._path.read_text(encoding="utf-8"))
        self._all[self._key] = [*sorted(self.rejected), key]
        write_whole(self._path, json.dumps(self._all))


def _write_notes(task: Task, found_at: Localisation, found: Found) -> None:
    notes = {
        "probes": found_at.probes,
        "n_lines": len(found_at.scores),
        "is_exhausted": found.is_exhausted,
        "n_tried": found.n_tried,
        "n_plausible": found.n_plausible,
        "seconds": round(found.seconds, 3),
        "edit": None if found.edit is None else {**{n: getattr(found.edit, n) for n in found.edit.__slots__ if n != "lines"}},
    }
    task.attempt_folder.mkdir(parents=True, exist_ok=True)
    (task.attempt_folder / "search.json").write_text(json.dumps(notes, indent=1), encoding="utf-8")
