"""What the events say, folded: tasks, their attempts, merges and money.

Kinds of events (intent before an effect, outcome after it):

    run.started run.resumed run.finished          contract.frozen
    evaluation.started evaluation.finished        clusters.found
    task.created task.claimed task.briefed task.parked task.closed
    attempt.started attempt.waiting attempt.built attempt.verifying attempt.verified attempt.finished
    merge.started merge.previewed merge.verified merge.finished merge.rejected
    role.asked                                    checkout.changed

Unknown kinds are ignored, so that an older harness reads a newer log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agent_harness.errors import EXIT_INTERRUPTED
from agent_harness.events import Event
from agent_harness.usage import Usage

OPEN = "open"
VERIFIED = "verified"
MERGED = "merged"
PARKED = "parked"
CLOSED = "closed"

GREEN = "green"
NO_EDIT = "no-edit"
CONFLICT = "conflict"

Data = dict[str, Any]


class AttemptRecord:
    """One attempt.  `phase` is the last event's second word; `result` is '' until it is finished."""

    __slots__ = (
        *("backend", "base", "contract", "detail", "end", "evidence", "gates", "head", "id", "model", "number", "passed"),
        *("max_seconds", "max_tokens", "max_usd"),
        *("phase", "result", "seconds", "signature", "start", "started_at", "task", "tree", "usage", "waits"),
    )

    def __init__(self, data: Data, time: float) -> None:
        self.id: str = data["attempt"]
        self.task: str = data["task"]
        self.number: int = data["number"]
        self.start: int = data["start"]
        self.base: str = data["base"]
        self.backend: str = data["backend"]
        self.model: str = data["model"]
        self.max_seconds: float = data["max_seconds"]
        self.max_tokens: int = data["max_tokens"]
        self.max_usd: float = data["max_usd"]
        self.started_at = time
        self.phase = "started"
        self.end = self.detail = self.head = self.tree = self.contract = ""
        self.result = self.signature = self.evidence = ""
        self.usage = Usage()
        self.seconds = 0.0
        self.waits = 0
        self.passed: bool | None = None
        self.gates: list[Data] = []

    def depth(self) -> int:
        """How many gates let it through: the measure of the best candidate."""
        return sum(1 for gate in self.gates if gate["passed"]) if self.head else -1

    def as_dict(self) -> Data:
        """A JSON form."""
        data = {name: getattr(self, name) for name in self.__slots__}
        return {**data, "usage": self.usage.as_dict()}


class TaskRecord:
    """One task: a cluster of failing cases on its way to a merge."""

    __slots__ = (
        "attempts",
        "case_ids",
        "features",
        "id",
        "is_briefed",
        "key",
        "lease",
        "reason",
        "status",
        "suspects",
        "title",
    )

    def __init__(self, data: Data) -> None:
        self.id: str = data["task"]
        self.key: str = data["key"]
        self.title: str = data["title"]
        self.case_ids: tuple[str, ...] = tuple(data["case_ids"])
        self.suspects: tuple[str, ...] = tuple(data["suspects"])
        self.features: tuple[str, ...] = tuple(data["features"])
        self.lease: tuple[str, ...] = ()
        self.status = OPEN
        self.reason = ""
        self.is_briefed = False
        self.attempts: list[AttemptRecord] = []

    def usage(self) -> Usage:
        """Of all its attempts."""
        return sum((attempt.usage for attempt in self.attempts), Usage())

    def seconds(self) -> float:
        """Time spent in attempts; waits for rate limits are not in it."""
        return sum(attempt.seconds for attempt in self.attempts)

    def as_dict(self) -> Data:
        """A JSON form, attempts by id."""
        data = {name: getattr(self, name) for name in self.__slots__}
        return {**data, "attempts": [attempt.id for attempt in self.attempts], "usage": self.usage().as_dict()}


class MergeRecord:
    """One batch on its way to the branch; `new` is the previewed commit."""

    __slots__ = ("attempts", "gates", "id", "new", "old", "reason", "status")

    def __init__(self, data: Data) -> None:
        self.id: str = data["merge"]
        self.attempts: tuple[str, ...] = tuple(data["attempts"])
        self.old: str = data["old"]
        self.new = ""
        self.status = "started"
        self.reason = ""
        self.gates: list[Data] = []


class State:
    """The fold of a log; `apply` takes the next event."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.tasks: dict[str, TaskRecord] = {}
        self.attempts: dict[str, AttemptRecord] = {}
        self.merges: dict[str, MergeRecord] = {}
        self.evaluations: dict[str, Data] = {}
        self.asked: list[Data] = []
        self.frozen: Data | None = None
        self.last_run: Data | None = None
        self.is_finished = True
        self.seconds = 0.0
        self._active_since: float | None = None
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        """Takes one event."""
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            handler(self, event)
        if self._active_since is not None and event.kind != "run.resumed":
            self.seconds += max(0.0, event.time - self._active_since)
            self._active_since = event.time
        if event.kind in ("run.started", "run.resumed"):
            self._active_since = event.time
        elif event.kind == "run.finished":
            self._active_since = None

    def usage(self) -> Usage:
        """Everything that was paid: attempts and questions to roles."""
        total = sum((attempt.usage for attempt in self.attempts.values()), Usage())
        return sum((Usage.from_dict(asked["usage"]) for asked in self.asked), total)

    def queue(self) -> list[AttemptRecord]:
        """Verified attempts that wait for their merge, oldest first."""
        ready = (self.tasks[task.id] for task in self.tasks.values() if task.status == VERIFIED)
        return [next(attempt for attempt in reversed(task.attempts) if attempt.result == GREEN) for task in ready]


def _run_started(state: State, event: Event) -> None:
    state.last_run = {**event.data, "time": event.time}
    state.is_finished = False
    state.seconds = 0.0
    state._active_since = None


def _run_finished(state: State, event: Event) -> None:
    # A run that was interrupted or asked to stop can be resumed.
    state.is_finished = event.data["exit"] != EXIT_INTERRUPTED
    state.last_run = {**(state.last_run or {}), **event.data}


def _frozen(state: State, event: Event) -> None:
    state.frozen = event.data


def _evaluated(state: State, event: Event) -> None:
    state.evaluations[event.data["tree"]] = event.data


def _task_created(state: State, event: Event) -> None:
    task = TaskRecord(event.data)
    state.tasks[task.id] = task


def _task_claimed(state: State, event: Event) -> None:
    task = state.tasks[event.data["task"]]
    task.case_ids = tuple(event.data["case_ids"])
    task.lease = tuple(event.data["lease"])
    task.status = OPEN
    task.reason = ""
    task.is_briefed = False


def _task_briefed(state: State, event: Event) -> None:
    state.tasks[event.data["task"]].is_briefed = True


def _task_parked(state: State, event: Event) -> None:
    task = state.tasks[event.data["task"]]
    task.status, task.reason = PARKED, event.data["reason"]


def _task_closed(state: State, event: Event) -> None:
    task = state.tasks[event.data["task"]]
    task.status, task.reason = CLOSED, event.data["reason"]


def _attempt_started(state: State, event: Event) -> None:
    attempt = AttemptRecord(event.data, event.time)
    state.attempts[attempt.id] = attempt
    state.tasks[attempt.task].attempts.append(attempt)


def _attempt_waiting(state: State, event: Event) -> None:
    attempt = state.attempts[event.data["attempt"]]
    attempt.waits += 1
    attempt.usage = attempt.usage + Usage.from_dict(event.data["usage"])


def _attempt_built(state: State, event: Event) -> None:
    attempt = state.attempts[event.data["attempt"]]
    attempt.phase = "built"
    attempt.end, attempt.detail = event.data["end"], event.data["detail"]
    attempt.head, attempt.tree = event.data["head"], event.data["tree"]
    attempt.usage = attempt.usage + Usage.from_dict(event.data["usage"])
    attempt.seconds = event.data["seconds"]


def _attempt_verifying(state: State, event: Event) -> None:
    state.attempts[event.data["attempt"]].phase = "verifying"


def _attempt_verified(state: State, event: Event) -> None:
    attempt = state.attempts[event.data["attempt"]]
    attempt.phase = "verified"
    attempt.passed, attempt.gates = event.data["passed"], event.data["gates"]
    attempt.contract = event.data["contract"]


def _attempt_finished(state: State, event: Event) -> None:
    attempt = state.attempts[event.data["attempt"]]
    attempt.phase = "finished"
    attempt.result, attempt.signature = event.data["result"], event.data["signature"]
    attempt.evidence = event.data["evidence"]
    if attempt.result == GREEN:
        state.tasks[attempt.task].status = VERIFIED


def _merge_started(state: State, event: Event) -> None:
    merge = MergeRecord(event.data)
    state.merges[merge.id] = merge


def _merge_previewed(state: State, event: Event) -> None:
    merge = state.merges[event.data["merge"]]
    merge.new, merge.status = event.data["new"], "previewed"
    merge.attempts = tuple(event.data["attempts"])


def _merge_verified(state: State, event: Event) -> None:
    merge = state.merges[event.data["merge"]]
    merge.status, merge.gates = "verified", event.data["gates"]


def _merge_finished(state: State, event: Event) -> None:
    merge = state.merges[event.data["merge"]]
    merge.status = "finished"
    for attempt in merge.attempts:
        state.tasks[state.attempts[attempt].task].status = MERGED


def _merge_rejected(state: State, event: Event) -> None:
    """The batch did not hold; the attempts in `sent_back` are new attempts' business, the others are tried again."""
    merge = state.merges[event.data["merge"]]
    merge.status, merge.reason = "rejected", event.data["reason"]
    for name in event.data["sent_back"]:
        attempt = state.attempts[name]
        attempt.result, attempt.signature = event.data["result"], event.data["signature"]
        attempt.evidence = event.data["reason"]
        state.tasks[attempt.task].status = OPEN


def _role_asked(state: State, event: Event) -> None:
    state.asked.append({**event.data, "time": event.time})


_HANDLERS: dict[str, Callable[[State, Event], None]] = {
    "run.started": _run_started,
    "run.finished": _run_finished,
    "contract.frozen": _frozen,
    "evaluation.finished": _evaluated,
    "task.created": _task_created,
    "task.claimed": _task_claimed,
    "task.briefed": _task_briefed,
    "task.parked": _task_parked,
    "task.closed": _task_closed,
    "attempt.started": _attempt_started,
    "attempt.waiting": _attempt_waiting,
    "attempt.built": _attempt_built,
    "attempt.verifying": _attempt_verifying,
    "attempt.verified": _attempt_verified,
    "attempt.finished": _attempt_finished,
    "merge.started": _merge_started,
    "merge.previewed": _merge_previewed,
    "merge.verified": _merge_verified,
    "merge.finished": _merge_finished,
    "merge.rejected": _merge_rejected,
    "role.asked": _role_asked,
}
