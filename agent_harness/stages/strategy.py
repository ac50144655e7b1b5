"""What to do next with a task, decided from its history alone: go on, start afresh, or park.  Plain code, no state.

Within one start the failures are fed back.  The same failure signature twice in a row, or no edit twice, makes a fresh start
with another prompt and the role's next backend; when the fresh starts are used up, or a limit of the task's lifetime is
reached, the task is parked with its best candidate.  A limit that cannot be counted (a price that nobody knows) is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent_harness.backends import base
from agent_harness.config import LimitsConfig, LoopConfig
from agent_harness.state.fold import AttemptRecord, TaskRecord
from agent_harness.usage import Usage


@dataclass(frozen=True, slots=True)
class Next:
    """The next attempt: its number, the fresh start it belongs to, its backend and what is left of the limits (0: none)."""

    number: int
    start: int
    backend: str
    max_seconds: float
    max_tokens: int
    max_usd: float


@dataclass(frozen=True, slots=True)
class Park:
    """Give up for now; `is_limit` tells a used-up limit from a task that went wrong."""

    reason: str
    is_limit: bool


class Spent:
    """What a task or a run has used, against its limits."""

    __slots__ = ("attempts", "seconds", "usage")

    def __init__(self, attempts: int, usage: Usage, seconds: float) -> None:
        self.attempts = attempts
        self.usage = usage
        self.seconds = seconds


def used_up(spent: Spent, attempts: int, tokens: int, usd: float, seconds: float) -> str:
    """Which limit is reached, '' if none; 0 as a limit means none."""
    if attempts and spent.attempts >= attempts:
        return f"{spent.attempts} attempts"
    if tokens:
        total = spent.usage.total_tokens()
        if total is None:
            return "the tokens of an attempt are unknown, so the limit cannot be kept"
        if total >= tokens:
            return f"{total} tokens"
    if usd:
        if spent.usage.cost_usd is None:
            return "the price of an attempt is unknown, so the limit cannot be kept"
        if spent.usage.cost_usd >= usd:
            return f"{spent.usage.cost_usd:.2f} USD"
    if seconds and spent.seconds >= seconds:
        return f"{spent.seconds:.0f} s"
    return ""


def spent_by(task: TaskRecord) -> Spent:
    """Over the task's lifetime."""
    return Spent(len(task.attempts), task.usage(), task.seconds())


def limit_of_task(task: TaskRecord, limits: LimitsConfig) -> str:
    """The task's limit that is reached, '' if none."""
    return used_up(spent_by(task), limits.task_attempts, limits.task_tokens, limits.task_usd, limits.task_seconds)


def limit_of_run(spent: Spent, limits: LimitsConfig) -> str:
    """The run's limit that is reached, '' if none."""
    return used_up(spent, limits.run_attempts, limits.run_tokens, limits.run_usd, limits.run_seconds)


class Share:
    """What one attempt may use of the run's limits: the rest, less what attempts in flight may still use, by free builders."""

    __slots__ = ("seconds", "tokens", "usd")

    def __init__(self, run: Spent, limits: LimitsConfig, reserved: Sequence[Next], n_free: int) -> None:
        tokens = _left(limits.run_tokens, run.usage.total_tokens()) - sum(each.max_tokens for each in reserved)
        usd = _left(limits.run_usd, run.usage.cost_usd) - sum(each.max_usd for each in reserved)
        self.tokens = max(1.0, tokens / n_free) if limits.run_tokens else 0.0
        self.usd = max(1e-6, usd / n_free) if limits.run_usd else 0.0
        self.seconds = max(1.0, limits.run_seconds - run.seconds) if limits.run_seconds else 0.0


def next_step(task: TaskRecord, share: Share, limits: LimitsConfig, loop: LoopConfig, backends: Sequence[str]) -> Next | Park:
    """The next attempt, or why there is none.  The run's own limits are the caller's business."""
    finished = [attempt for attempt in task.attempts if attempt.result]
    if finished and finished[-1].end == base.OVER_BUDGET:
        return Park(f"the backend's budget is used up: {finished[-1].detail}", True)
    start = finished[-1].start if finished else 0
    if _is_stuck([attempt for attempt in finished if attempt.start == start]):
        start += 1
    if start > loop.fresh_starts:
        return Park(f"the same failure again after {loop.fresh_starts} fresh starts: {finished[-1].signature}", False)
    reached = limit_of_task(task, limits)
    if reached:
        return Park(f"limit of the task: {reached}", True)
    spent = spent_by(task)
    seconds = _least(limits.attempt_seconds, _least(_left(limits.task_seconds, spent.seconds), share.seconds))
    tokens = _least(_left(limits.task_tokens, spent.usage.total_tokens()), share.tokens)
    usd = _least(_left(limits.task_usd, spent.usage.cost_usd), share.usd)
    return Next(len(task.attempts) + 1, start, backends[start % len(backends)], seconds, int(tokens), usd)


def _is_stuck(attempts: Sequence[AttemptRecord]) -> bool:
    return len(attempts) >= 2 and attempts[-1].signature == attempts[-2].signature


def _left(limit: float, used: float | None) -> float:
    return limit - used if limit and used is not None else 0.0


def _least(one: float, other: float) -> float:
    """The smaller of two limits, where 0 is none."""
    return min(one, other) if one and other else one or other


def best_candidate(task: TaskRecord) -> str:
    """The attempt that got furthest through the gates, the latest of equals; '' when none changed anything."""
    candidates = [attempt for attempt in task.attempts if attempt.head]
    return max(candidates, key=lambda attempt: (attempt.depth(), attempt.number)).id if candidates else ""
