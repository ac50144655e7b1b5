"""What happens next with a task follows from its history alone."""

import pytest

from agent_harness.backends import base
from agent_harness.config import LimitsConfig, LoopConfig
from agent_harness.stages.strategy import Next, Park, Share, Spent, best_candidate, limit_of_run, next_step
from agent_harness.state.fold import NO_EDIT, AttemptRecord, TaskRecord
from agent_harness.usage import Usage

LOOP = LoopConfig()


def made(*history: tuple[int, str], usage: Usage | None = None, end: str = base.FINISHED) -> TaskRecord:
    task = TaskRecord({"task": "t1", "key": "k", "title": "x", "case_ids": ["c"], "suspects": [], "features": []})
    for number, (start, signature) in enumerate(history, 1):
        data = {"attempt": f"t1-{number}", "task": "t1", "number": number, "start": start, "base": "b", "backend": "x"}
        attempt = AttemptRecord({**data, "model": "", "max_seconds": 1.0, "max_tokens": 0, "max_usd": 0.0}, 0.0)
        attempt.result, attempt.signature, attempt.end = "red", signature, end
        attempt.usage = usage or Usage()
        attempt.seconds = 10.0
        task.attempts.append(attempt)
    return task


def step(task: TaskRecord, limits: LimitsConfig | None = None, backends: tuple[str, ...] = ("a", "b")) -> Next | Park:
    limits = limits or LimitsConfig()
    share = Share(Spent(0, Usage(), 0.0), limits, [], 1)
    return next_step(task, share, limits, LOOP, backends)


def test_first_attempt_takes_the_first_backend() -> None:
    found = step(made())
    assert isinstance(found, Next)
    assert (found.number, found.start, found.backend) == (1, 0, "a")


def test_other_failures_go_on_in_the_same_start() -> None:
    found = step(made((0, "target"), (0, "full")))
    assert isinstance(found, Next)
    assert (found.number, found.start, found.backend) == (3, 0, "a")


@pytest.mark.parametrize("signature", ["target: same", NO_EDIT])
def test_the_same_failure_twice_starts_afresh_with_the_next_backend(signature: str) -> None:
    found = step(made((0, signature), (0, signature)))
    assert isinstance(found, Next)
    assert (found.start, found.backend) == (1, "b")


def test_the_same_failure_before_and_after_a_fresh_start_is_not_twice() -> None:
    assert isinstance(step(made((0, "x"), (0, "x"), (1, "x"))), Next)


def test_fresh_starts_used_up_parks() -> None:
    found = step(made((0, "x"), (0, "x"), (1, "x"), (1, "x")), LimitsConfig(task_attempts=9))
    assert isinstance(found, Park)
    assert not found.is_limit
    assert "1 fresh starts: x" in found.reason


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (LimitsConfig(task_attempts=2), "2 attempts"),
        (LimitsConfig(task_seconds=20.0), "20 s"),
        (LimitsConfig(task_tokens=300), "300 tokens"),
        (LimitsConfig(task_usd=0.5), "0.50 USD"),
    ],
)
def test_limits_count_over_the_tasks_lifetime(limits: LimitsConfig, reason: str) -> None:
    task = made((0, "a"), (0, "b"), usage=Usage(100, 0, 0, 50, 0, 1, 0.25))
    found = step(task, limits)
    assert isinstance(found, Park)
    assert found.is_limit
    assert reason in found.reason


def test_unknown_money_cannot_be_kept_within_a_limit() -> None:
    task = made((0, "a"), usage=Usage(1, 0, 0, 1, 0, 1, None))
    found = step(task, LimitsConfig(task_usd=5.0))
    assert isinstance(found, Park)
    assert "unknown" in found.reason
    assert isinstance(step(task, LimitsConfig()), Next)


def test_a_budget_denial_is_final() -> None:
    found = step(made((0, "a"), end=base.OVER_BUDGET))
    assert isinstance(found, Park)
    assert found.is_limit


def test_what_is_left_of_a_limit_goes_with_the_attempt() -> None:
    task = made((0, "a"), usage=Usage(100, 0, 0, 50, 0, 1, 0.25))
    found = step(task, LimitsConfig(task_usd=1.0, task_tokens=1000, task_seconds=15.0))
    assert isinstance(found, Next)
    assert (found.max_usd, found.max_tokens, found.max_seconds) == (0.75, 850, 5.0)


def test_builders_share_the_runs_money() -> None:
    limits = LimitsConfig(run_usd=4.0)
    first = Share(Spent(0, Usage(), 0.0), limits, [], 2)
    assert first.usd == 2.0
    second = Share(Spent(0, Usage(), 0.0), limits, [Next(1, 0, "a", 1.0, 0, 2.0)], 1)
    assert second.usd == 2.0


def test_run_limits() -> None:
    spent = Spent(3, Usage(10, 0, 0, 5, 0, 1, 1.0), 100.0)
    assert limit_of_run(spent, LimitsConfig()) == ""
    assert "3 attempts" in limit_of_run(spent, LimitsConfig(run_attempts=3))
    assert "15 tokens" in limit_of_run(spent, LimitsConfig(run_tokens=15))
    assert "100 s" in limit_of_run(spent, LimitsConfig(run_seconds=60.0))


def test_best_candidate_got_furthest() -> None:
    task = made((0, "a"), (0, "b"), (0, "c"))
    for attempt, n_green in zip(task.attempts, (1, 3, 2), strict=True):
        attempt.head = "h"
        attempt.gates = [{"gate": "g", "passed": True}] * n_green
    assert best_candidate(task) == "t1-2"
    assert best_candidate(made((0, "x"))) == ""
