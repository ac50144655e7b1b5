"""Coordinate: claim disjoint groups, keep up to N builders busy, take each attempt from phase to phase.

One thread does all of this and writes all events; the work itself (briefs, attempts, gates) runs as jobs in any
`concurrent.futures` executor.  A group is claimed with a lease on its most suspicious functions, so that two builders never
repair one cause.  A killed run is taken up where its events end: every phase is a job that can be carried out again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Any

from agent_harness import merge, roles
from agent_harness.backends import base as ends
from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.stages import build, counsel, design, strategy, understand, verify
from agent_harness.stages.build import BuildJob, BuildReport
from agent_harness.stages.context import RunContext, base_checkout
from agent_harness.stages.design import BriefJob
from agent_harness.stages.understand import Group
from agent_harness.stages.verify import Verdict, VerifyJob
from agent_harness.state.fold import GREEN, NO_EDIT, OPEN, PARKED, VERIFIED, AttemptRecord, TaskRecord
from agent_harness.state.folders import write_json, write_whole
from agent_harness.usage import Usage

POLL_S = 0.5


class Flight:
    """A task in the hands of a builder: its phase, the job under way, and the lease that keeps others off."""

    __slots__ = ("attempt", "base", "future", "lease", "not_before", "order", "phase", "task")

    def __init__(self, task: TaskRecord, base: str, lease: frozenset[str]) -> None:
        self.task = task
        self.base = base
        self.lease = lease
        self.phase = ""
        self.future: Future[Any] | None = None
        self.not_before = 0.0
        self.attempt: AttemptRecord | None = None
        self.order: strategy.Next | None = None


class Coordinator:
    """Works on the groups of one base until nothing is in flight and something can be merged or nothing more be claimed."""

    def __init__(self, run: RunContext, base: str, groups: Sequence[Group], backends: Sequence[str]) -> None:
        self.run = run
        self.base = base
        self.backends = backends
        self.stopped = ""  # why no new attempt begins: "stop", "limit: ...", "broken"
        self._waiting = list(groups)
        self._flights: list[Flight] = []

    def work(self) -> None:
        """One round.  Merges whenever a batch is full, and at the end what is left."""
        self._take_up_what_was_left()
        while True:
            self._notice_stop()
            self._claim()
            if not self._flights:
                break
            self._wait()
            if len(self.run.journal.state.queue()) >= self.run.config.loop.batch:
                self._merge()
        self._merge()

    def _merge(self) -> None:
        if self.stopped != "broken" and not merge.merge_queue(self.run):
            self.stopped = "broken"

    def end_in_flight(self) -> None:
        """After an interrupt: ends the programs of all attempts in flight."""
        for flight in self._flights:
            if flight.attempt is not None:
                build.end_strays(flight.attempt.id)

    # Claiming

    def _notice_stop(self) -> None:
        if not self.stopped and self.run.folders.stop.exists():
            self.stopped = "stop"

    def _claim(self) -> None:
        if self.run.journal.state.queue():
            # What waits for its merge may have repaired other groups too: nobody is paid for those before that is known.
            return
        held = frozenset[str]().union(*(flight.lease for flight in self._flights))
        for group in list(self._waiting):
            if self.stopped or len(self._flights) >= self.run.config.loop.builders:
                return
            if group.lease & held:
                continue
            self._waiting.remove(group)
            flight = self._take(group)
            if flight is not None:
                held |= group.lease
                self._flights.append(flight)

    def _take(self, group: Group) -> Flight | None:
        state = self.run.journal.state
        case_ids = claimable_cases(state.tasks.values(), group)
        if not case_ids:
            return None
        present = [task for task in state.tasks.values() if task.status == OPEN and set(task.case_ids) & set(case_ids)]
        task = present[0] if present else self._create(group, case_ids)
        self.run.journal.record(
            "task.claimed", task=task.id, case_ids=list(case_ids), lease=sorted(group.lease), base=self.base
        )
        flight = Flight(task, self.base, group.lease)
        self._submit_brief(flight)
        return flight

    def _create(self, group: Group, case_ids: tuple[str, ...]) -> TaskRecord:
        state = self.run.journal.state
        number = len(state.tasks) + 1
        # Part of the marker by which an attempt's processes are found, so it must not be another run's id.
        unique = hashlib.sha256(f"{self.run.folders.root}\0{group.key}\0{number}".encode()).hexdigest()[:6]
        task = f"t{number}-{unique}"
        data = {**group.as_dict(), "case_ids": list(case_ids)}
        data.pop("n_cases")
        self.run.journal.record("task.created", task=task, base=self.base, **data)
        return state.tasks[task]

    # Phases

    def _wait(self) -> None:
        now = time.monotonic()
        for flight in self._flights:
            if flight.future is None and flight.phase == "waiting" and now >= flight.not_before:
                self._submit_build(flight)
        futures = [flight.future for flight in self._flights if flight.future is not None]
        if not futures:
            time.sleep(POLL_S)
            return
        done, _ = wait(futures, timeout=POLL_S, return_when=FIRST_COMPLETED)
        for flight in [flight for flight in self._flights if flight.future in done]:
            self._advance(flight)

    def _advance(self, flight: Flight) -> None:
        assert flight.future is not None
        future, flight.future = flight.future, None
        try:
            result = future.result()
        except BrokenExecutor as error:
            raise HarnessError(f"the executor broke: {error}") from error
        except HarnessError as error:
            self._failed(flight, str(error))
            return
        if flight.phase == "brief":
            self._briefed(flight, result)
        elif flight.phase == "build":
            self._built(flight, result)
        else:
            self._verified(flight, result)

    def _failed(self, flight: Flight, reason: str) -> None:
        """A job of the harness could not be done; that is this task's trouble, not the other builders'."""
        if flight.phase == "brief":
            self._park(flight, strategy.Park(f"it could not be described: {reason}", False))
        elif flight.phase == "build":
            self._built(flight, BuildReport(ends.CRASHED, reason, Usage.unknown().as_dict(), "", "", 0.0))
        else:
            raise HarnessError(reason)

    def _submit_brief(self, flight: Flight) -> None:
        run = self.run
        tree = run.repository.tree(flight.base)
        job = BriefJob(
            run.config,
            flight.task.id,
            base_checkout(run.repository, run.folders, flight.base),
            run.folders.evaluation(tree, run.contract.hash()),
            flight.task.case_ids,
        )
        flight.phase = "brief"
        flight.future = run.executor.submit(design.carry_out, job)

    def _briefed(self, flight: Flight, brief: dict[str, Any]) -> None:
        advice = design.advise(self.run, flight.task, brief)
        narrowed = counsel.ids_named(advice, flight.task.case_ids)
        if narrowed != flight.task.case_ids:
            # The others go back to the next round, and the brief is made anew for what is left.
            self.run.journal.record(
                "task.claimed", task=flight.task.id, case_ids=list(narrowed), lease=sorted(flight.lease), base=flight.base
            )
            self._submit_brief(flight)
            return
        self.run.journal.record("task.briefed", task=flight.task.id)
        self._next(flight)

    def _next(self, flight: Flight) -> None:
        """Begins the task's next attempt, parks it, or lets it go when the run ends."""
        self._notice_stop()
        spent = spent_by_run(self.run)
        if not self.stopped:
            reached = strategy.limit_of_run(spent, self.run.config.limits)
            if reached:
                self.stopped = f"limit: {reached}"
        if self.stopped:
            self._flights.remove(flight)
            return
        limits, loop = self.run.config.limits, self.run.config.loop
        reserved = [other.order for other in self._flights if other.order is not None and other is not flight]
        share = strategy.Share(spent, limits, reserved, max(1, loop.builders - len(reserved)))
        step = strategy.next_step(flight.task, share, limits, loop, self.backends)
        if isinstance(step, strategy.Park):
            self._park(flight, step)
        else:
            self._begin(flight, step)

    def _park(self, flight: Flight, step: strategy.Park) -> None:
        best = strategy.best_candidate(flight.task)
        self.run.journal.record("task.parked", task=flight.task.id, reason=step.reason, is_limit=step.is_limit, best=best)
        self.run.say(f"{flight.task.id}: parked: {step.reason}")
        self._flights.remove(flight)

    def _begin(self, flight: Flight, step: strategy.Next) -> None:
        run = self.run
        attempt = f"{flight.task.id}-{step.number}"
        brief = design.stored_brief(run.folders, flight.task.id)
        prompt = design.prompt_for(run.config, flight.task, brief, step.start)
        write_whole(run.folders.attempt(attempt) / "prompt.md", prompt)
        run.journal.record(
            "attempt.started",
            attempt=attempt,
            task=flight.task.id,
            number=step.number,
            start=step.start,
            base=flight.base,
            role="build",
            backend=step.backend,
            model=run.config.backend(step.backend).model,
            max_seconds=step.max_seconds,
            max_tokens=step.max_tokens,
            max_usd=step.max_usd,
        )
        flight.attempt = run.journal.state.attempts[attempt]
        self._submit_build(flight)

    def _submit_build(self, flight: Flight) -> None:
        attempt = flight.attempt
        assert attempt is not None
        flight.order = order_of(attempt)
        job = BuildJob(
            self.run.config,
            attempt.id,
            attempt.number,
            attempt.base,
            attempt.backend,
            flight.task.case_ids,
            design.stored_brief(self.run.folders, flight.task.id),
            commit_message(flight.task, attempt),
            attempt.max_seconds,
            attempt.max_tokens,
            attempt.max_usd,
        )
        flight.phase = "build"
        self.run.say(f"{attempt.id}: {attempt.backend} works on {flight.task.title}")
        flight.future = self.run.executor.submit(build.carry_out, job)

    def _built(self, flight: Flight, report: BuildReport) -> None:
        attempt, run = flight.attempt, self.run
        assert attempt is not None
        loop = run.config.loop
        if build.is_waitable(report.end) and attempt.waits < loop.rate_limit_waits and not report.head:
            run.journal.record("attempt.waiting", attempt=attempt.id, usage=report.usage, detail=report.detail)
            build.forget_call(run.config, attempt.id)
            flight.phase = "waiting"
            flight.not_before = time.monotonic() + loop.rate_limit_wait_s * 2 ** (attempt.waits - 1)
            return
        run.journal.record(
            "attempt.built",
            attempt=attempt.id,
            end=report.end,
            detail=report.detail,
            usage=report.usage,
            head=report.head,
            tree=report.tree,
            seconds=report.seconds,
        )
        self._after_build(flight)

    def _after_build(self, flight: Flight) -> None:
        attempt = flight.attempt
        assert attempt is not None
        flight.order = None
        if not self.run.guard.is_untouched():
            self.stopped = "broken"
            self.run.journal.record("checkout.changed", attempt=attempt.id)
            result = verify.touched_checkout()
            self._judged(flight, Verdict(False, (result.as_dict(),), self.run.contract.hash(), "", attempt.tree))
        elif not attempt.head:
            is_plain = attempt.end in (ends.FINISHED, ends.NO_EDIT)
            word = NO_EDIT if is_plain else attempt.end
            self._finish(flight, word, word, attempt.detail or "nothing was changed")
        else:
            self._submit_verify(flight)

    def _submit_verify(self, flight: Flight) -> None:
        attempt = flight.attempt
        assert attempt is not None
        self.run.journal.record("attempt.verifying", attempt=attempt.id)
        flight.phase = "verify"
        self.run.say(f"{attempt.id}: verifying {attempt.head[:12]}")
        job = verify_job(self.run, attempt.id, attempt.base, attempt.head, flight.task.case_ids)
        flight.future = self.run.executor.submit(verify.carry_out, job)

    def _verified(self, flight: Flight, verdict: Verdict) -> None:
        attempt = flight.attempt
        assert attempt is not None
        if not self.run.guard.is_untouched():
            self.stopped = "broken"
            self.run.journal.record("checkout.changed", attempt=attempt.id)
            gates = (*verdict.gates, verify.touched_checkout().as_dict())
            verdict = Verdict(False, gates, verdict.contract, verdict.base_tree, verdict.tree)
        self._judged(flight, verdict)

    def _judged(self, flight: Flight, verdict: Verdict) -> None:
        attempt = flight.attempt
        assert attempt is not None
        verdict = counsel.heard(self.run, flight.task, attempt, verdict)
        write_json(self.run.folders.attempt(attempt.id) / "verdict.json", verdict.as_dict())
        self.run.journal.record(
            "attempt.verified",
            attempt=attempt.id,
            passed=verdict.passed,
            gates=list(verdict.gates),
            contract=verdict.contract,
            tree=verdict.tree,
            base_tree=verdict.base_tree,
        )
        self._conclude(flight)

    def _conclude(self, flight: Flight) -> None:
        attempt = flight.attempt
        assert attempt is not None
        if attempt.passed:
            self._finish(flight, GREEN, "", "all gates passed")
            return
        red = next((gate for gate in reversed(attempt.gates) if not gate["passed"]), {})
        self._finish(flight, "red", str(red.get("signature")), f"{red.get('gate')}: {red.get('evidence')}")

    def _finish(self, flight: Flight, result: str, signature: str, evidence: str) -> None:
        attempt = flight.attempt
        assert attempt is not None
        self.run.journal.record("attempt.finished", attempt=attempt.id, result=result, signature=signature, evidence=evidence)
        self.run.say(f"{attempt.id}: {result}: {evidence.splitlines()[0] if evidence else ''}"[:200])
        flight.attempt = None
        if result == GREEN:
            self._flights.remove(flight)
        else:
            self._next(flight)

    # Resuming

    def _take_up_what_was_left(self) -> None:
        """Attempts that a killed run had under way go on in the phase that their events tell."""
        for task in list(self.run.journal.state.tasks.values()):
            if task.status == OPEN and task.attempts and not task.attempts[-1].result:
                flight = Flight(task, task.attempts[-1].base, frozenset(task.lease))
                flight.attempt = task.attempts[-1]
                self._waiting = [group for group in self._waiting if not set(group.case_ids) & set(task.case_ids)]
                understand.evaluate(self.run, flight.base)
                self._flights.append(flight)
                self._take_up(flight)

    def _take_up(self, flight: Flight) -> None:
        attempt = flight.attempt
        assert attempt is not None
        is_void = attempt.phase == "verified" and attempt.contract != self.run.contract.hash()
        if attempt.phase == "started":
            self._submit_build(flight)
        elif attempt.phase == "built":
            self._after_build(flight)
        elif attempt.phase == "verifying" or is_void:
            self._submit_verify(flight)
        else:
            self._conclude(flight)


def claimable_cases(tasks: Iterable[TaskRecord], group: Group) -> tuple[str, ...]:
    """The group's cases that are not with a parked task and not already repaired by a task that waits for its merge."""
    taken = {id_ for task in tasks if task.status in (PARKED, VERIFIED) for id_ in task.case_ids}
    return tuple(id_ for id_ in group.case_ids if id_ not in taken)


def spent_by_run(run: RunContext) -> strategy.Spent:
    """What the run has used since it began, killed and resumed or not."""
    state = run.journal.state
    since = float((state.last_run or {}).get("time", 0.0))
    attempts = [attempt for attempt in state.attempts.values() if attempt.started_at >= since]
    usage = sum((attempt.usage for attempt in attempts), Usage())
    for asked in state.asked:
        if asked["time"] >= since:
            usage = usage + Usage.from_dict(asked["usage"])
    return strategy.Spent(len(attempts), usage, state.seconds)


def order_of(attempt: AttemptRecord) -> strategy.Next:
    """The limits that an attempt was started with."""
    return strategy.Next(
        attempt.number, attempt.start, attempt.backend, attempt.max_seconds, attempt.max_tokens, attempt.max_usd
    )


def verify_job(run: RunContext, name: str, base: str, head: str, target_ids: tuple[str, ...]) -> VerifyJob:
    """The job that judges `head` on `base`."""
    contract_hash = run.contract.hash()
    path = run.folders.evaluation(run.repository.tree(base), contract_hash)
    return VerifyJob(run.config, name, base, head, target_ids, path, contract_hash)


def commit_message(task: TaskRecord, attempt: AttemptRecord) -> str:
    """The message of the harness's commit."""
    return roles.render(
        "commit",
        title=f"Repair {task.title}",
        n_cases=len(task.case_ids),
        task=task.id,
        attempt=attempt.number,
        backend=attempt.backend,
        model=attempt.model,
    ).rstrip("\n")


def require_backends(run: RunContext) -> list[str]:
    """The build backends that can be used.  Raises ConfigurationError when there is none."""
    usable = roles.role_backends(run.config, "build")
    if not usable:
        raise ConfigurationError("role build has no backend")
    return usable
