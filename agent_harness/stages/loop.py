"""The loop: understand, design, coordinate, build, verify, merge, and round again until nothing fails or a limit is reached.

    evaluate the tip --> group --> claim disjoint groups --> brief --> attempt --> gates --+--> queue --> preview, gates,
         ^                                                     ^                           |              fast-forward
         |                                                     +--- failures fed back <----+ red              |
         +----------------------------------------------------------------------------------------------------+

Every round merges something or parks something, so the loop ends.  Done is what the contract says on the branch's tip, never
what an agent says.  Jobs may run on other machines through any `concurrent.futures` executor (loop.executor); these need this
package and the checkout with its state folder under the same path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from agent_harness import merge
from agent_harness.config import Config
from agent_harness.contract.base import Contract
from agent_harness.errors import (
    EXIT_GREEN,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    EXIT_REJECTED,
    ConfigurationError,
    HarnessError,
)
from agent_harness.stages import build, understand
from agent_harness.stages.context import RunContext, contract_here, discard_quietly, forget_contracts, sandbox_of
from agent_harness.stages.coordinate import Coordinator, claimable_cases, require_backends
from agent_harness.stages.verify import check_gates
from agent_harness.state.fold import MERGED, OPEN, PARKED, State
from agent_harness.state.folders import Folders
from agent_harness.state.journal import Journal, Listener
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import Workspace
from sqllogictest.engines import EngineError
from sqllogictest.scheduling import make_executor

Say = Callable[[str], None]


def run(
    config: Config,
    *,
    is_resume: bool = False,
    retry_parked: bool = False,
    listener: Listener | None = None,
    say: Say | None = None,
    executor: Executor | None = None,
) -> int:
    """Goes round until the contract is green; returns the exit code.

    Raises ConfigurationError before anything is written when the checkout, the configuration or the backends cannot be used.
    """
    with opened(config, listener=listener, say=say, executor=executor) as context:
        backends = require_backends(context)
        state = context.journal.state
        if is_resume and (state.last_run is None or state.is_finished):
            raise ConfigurationError("there is no unfinished run to resume")
        context.folders.stop.unlink(missing_ok=True)
        _begin(context, retry_parked)
        try:
            code, reason = _rounds(context, backends)
        except KeyboardInterrupt:
            context.journal.record("run.finished", exit=EXIT_INTERRUPTED, reason="interrupted")
            raise
        _sweep(context)
        context.journal.record("run.finished", exit=code, reason=reason)
        context.say(f"finished: {reason}")
        return code


@contextmanager
def opened(
    config: Config,
    *,
    listener: Listener | None = None,
    say: Say | None = None,
    executor: Executor | None = None,
) -> Iterator[RunContext]:
    """A context with the log locked, the contract read and the executor started.  Raises ConfigurationError."""
    repository = check_checkout(config)
    sandbox_of(config)
    forget_contracts()
    contract = contract_here(config)
    check_gates(config, contract)
    journal = Journal(Folders(config.state), listener)
    try:
        _check_frozen(journal.state, contract)
        pool, close = (executor, _nothing) if executor is not None else _executor(config)
        try:
            yield RunContext(config, repository, journal, contract, pool, say or _silent)
        finally:
            close()
    finally:
        journal.close()


def check_checkout(config: Config) -> Repository:
    """The checkout, if it can be worked on: a clean one on the target branch.  Raises ConfigurationError."""
    if not config.checkout.is_dir():
        raise ConfigurationError(f"{config.checkout}: not a folder")
    repository = Repository(config.checkout)
    branch = config.target.branch
    if repository.branch() != branch:
        raise ConfigurationError(f"branch {branch} is not checked out in {config.checkout}")
    repository.git("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", configuration=True)
    if config.state.is_dir():
        Folders(config.state).prepare()
    dirty = [path for path in repository.dirty_paths() if not (config.checkout / path).is_relative_to(config.state)]
    if dirty:
        more = f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
        raise ConfigurationError(f"the checkout has uncommitted changes: {', '.join(dirty[:3])}{more}; commit them first")
    return repository


def _check_frozen(state: State, contract: Contract) -> None:
    if state.frozen is not None and state.frozen["hash"] != contract.hash():
        raise ConfigurationError("the contract has moved since it was frozen (see contract diff; contract freeze accepts it)")


def _executor(config: Config) -> tuple[Executor, Callable[[], None]]:
    if config.loop.executor:
        try:
            return make_executor(config.loop.executor, dict(config.loop.executor_options))
        except EngineError as error:
            raise ConfigurationError(f"loop.executor: {error}") from error
    pool = ThreadPoolExecutor(config.loop.builders)
    return pool, lambda: pool.shutdown(wait=False, cancel_futures=True)


def _nothing() -> None:
    """A given executor is its owner's to close."""


def _silent(text: str) -> None:
    """No progress is shown."""


def _begin(run: RunContext, retry_parked: bool) -> None:
    state = run.journal.state
    if state.last_run is not None and not state.is_finished:
        run.journal.record("run.resumed", base=run.tip(), contract=run.contract.hash())
        merge.settle(run)
    else:
        run.journal.record(
            "run.started",
            branch=run.config.target.branch,
            base=run.tip(),
            contract=run.contract.hash(),
            builders=run.config.loop.builders,
            backends=list(run.config.role("build").backends),
        )
    if retry_parked:
        for task in state.tasks.values():
            if task.status == PARKED:
                run.journal.record("task.claimed", task=task.id, case_ids=list(task.case_ids), lease=[], base=run.tip())


def _sweep(run: RunContext) -> None:
    """Drops what only running attempts need: references of settled ones, checkouts of other commits than the tip."""
    state = run.journal.state
    waiting = {attempt.id for attempt in state.queue()}
    build.drop_references(run.repository, waiting | {each.id for each in state.attempts.values() if not each.result})
    folder = run.folders.workspace("x").parent
    tip = f"base-{run.tip()[:12]}"
    for path in folder.glob("*-*") if folder.is_dir() else ():
        if path.name.startswith(("base-", "verify-", "preview-")) and path.name != tip and (path / ".git").exists():
            discard_quietly(Workspace(run.repository, path, "HEAD", "worktree"))


def _rounds(run: RunContext, backends: list[str]) -> tuple[int, str]:
    for _ in range(run.config.loop.rounds):
        tip = run.tip()
        failing = understand.evaluate(run, tip).failing()
        _close_passing(run, {result.case.id for result in failing})
        if not failing:
            return EXIT_GREEN, "the contract is green"
        try:
            groups = understand.groups_of(run, tip, failing)
        except understand.StoppedByDecision as decision:
            return EXIT_LIMIT, f"stopped by the decide role: {decision}"
        run.journal.record(
            "clusters.found",
            commit=tip,
            n_failed=len(failing),
            clusters=[{name: each for name, each in group.as_dict().items() if name != "case_ids"} for group in groups],
        )
        if not _has_work(run.journal.state, groups):
            return _verdict(run.journal.state, len(failing))
        coordinator = Coordinator(run, tip, groups, backends)
        try:
            coordinator.work()
        except KeyboardInterrupt:
            coordinator.end_in_flight()
            raise
        if coordinator.stopped:
            return _stopped(coordinator.stopped)
    return EXIT_LIMIT, f"{run.config.loop.rounds} rounds"


def _close_passing(run: RunContext, failing: set[str]) -> None:
    """Open and parked tasks whose cases all pass now were repaired by others."""
    for task in list(run.journal.state.tasks.values()):
        is_waiting = any(not attempt.result for attempt in task.attempts)
        if task.status in (OPEN, PARKED) and not is_waiting and not failing & set(task.case_ids):
            run.journal.record("task.closed", task=task.id, reason="its cases pass")


def _has_work(state: State, groups: list[understand.Group]) -> bool:
    unfinished = any(not attempt.result for attempt in state.attempts.values())
    return unfinished or bool(state.queue()) or any(claimable_cases(state.tasks.values(), group) for group in groups)


def _verdict(state: State, n_failing: int) -> tuple[int, str]:
    """Nothing is left to try: why, and the exit code for it."""
    parked = [task for task in state.tasks.values() if task.status == PARKED]
    is_limit = any(task.reason.startswith(("limit", "the backend's budget")) for task in parked)
    return (EXIT_LIMIT if is_limit else EXIT_REJECTED), f"{n_failing} cases fail, {len(parked)} tasks are parked"


def _stopped(why: str) -> tuple[int, str]:
    if why == "stop":
        return EXIT_INTERRUPTED, "stopped as asked"
    if why == "broken":
        return EXIT_REJECTED, "the main checkout was changed by something else; look at it before you go on"
    return EXIT_LIMIT, f"limit of the run: {why.partition(': ')[2]}"


def plan(config: Config, say: Say | None = None) -> dict[str, Any]:
    """What a run would do, without doing it: the failing groups in order and the backend of each."""
    with opened(config, say=say) as context:
        backends = require_backends(context)
        tip = context.tip()
        evaluation = understand.evaluate(context, tip)
        groups = understand.groups_of(context, tip, evaluation.failing())
        tasks = context.journal.state.tasks.values()
        return {
            "commit": tip,
            "n_passed": len(evaluation.pass_set()),
            "n_failed": len(evaluation.failing()),
            "builders": config.loop.builders,
            "tasks": [{**group.as_dict(), "backend": backends[0]} for group in groups if claimable_cases(tasks, group)],
            "parked": [task.id for task in tasks if task.status == PARKED],
            "merged": [task.id for task in tasks if task.status == MERGED],
        }


def request_stop(config: Config) -> None:
    """Asks the run that has the log to end.  Raises HarnessError when there is no run."""
    folders = Folders(config.state)
    if not folders.events.exists():
        raise HarnessError("there is no run to stop")
    folders.stop.touch()
