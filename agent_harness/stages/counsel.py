"""Counsel: what review, test and QA do with a change that every gate let through, when they have a backend.

Each can only make a verdict stricter: review by a line `REJECT: why`, QA by `REOPEN: why`, test by statements in sql blocks,
which SQLite answers and the engine is asked on base and head.  A statement that the base had right and the head has wrong is
an objection; one that both have wrong is kept for `evolve add`.  An objection is a red result like a gate's: it is fed back
to the builder.  Without a backend the offline defaults stand alone: static review, twins, hold-out, performance.
"""

from __future__ import annotations

import hashlib
import re

from agent_harness import roles
from agent_harness.contract.minimise import differs, reference_engine, replay
from agent_harness.contract.records import RecordsContract
from agent_harness.gates.base import GateResult
from agent_harness.stages import understand
from agent_harness.stages.context import RunContext, base_checkout, checkout_of, discard_quietly
from agent_harness.stages.verify import Verdict
from agent_harness.state.fold import AttemptRecord, TaskRecord
from agent_harness.state.folders import write_whole

OBJECTION = {"review": "REJECT", "qa": "REOPEN"}
MOST_SCRIPTS = 5


def heard(run: RunContext, task: TaskRecord, attempt: AttemptRecord, verdict: Verdict) -> Verdict:
    """The verdict after review, test and QA have spoken, each with a result of its own; a red one is not asked about."""
    if not verdict.passed:
        return verdict
    patch = (run.folders.attempt(attempt.id) / "patch.diff").read_text(encoding="utf-8", errors="replace")
    results = []
    for role in ("review", "test", "qa"):
        if not run.config.role(role).backends:
            continue
        prompt = roles.render(role, title=task.title, patch=patch)
        answer = roles.ask(run.config, role, prompt, run.folders.attempt(attempt.id) / role)
        if answer is not None:
            understand.record_asked(run, answer, task.id)
            results.append(_result(run, attempt, role, answer.text))
    if not results:
        return verdict
    passed = all(result.passed for result in results)
    gates = (*verdict.gates, *(result.as_dict() for result in results))
    # The last red result is the one that is fed back.
    gates = tuple(sorted(gates, key=lambda gate: not gate["passed"]))
    return Verdict(passed, gates, verdict.contract, verdict.base_tree, verdict.tree)


def _result(run: RunContext, attempt: AttemptRecord, role: str, text: str) -> GateResult:
    if role == "test":
        return _tested(run, attempt, text)
    reason = roles.reason_after(OBJECTION[role], text)
    return GateResult(f"{role} role", not reason, reason or roles.bounded(text, 400), f"{role} role: objection")


def _tested(run: RunContext, attempt: AttemptRecord, text: str) -> GateResult:
    scripts = roles.read_scripts(text)[:MOST_SCRIPTS]
    if not scripts or not isinstance(run.contract, RecordsContract):
        return GateResult("test role", True, "no statement was named")
    head = checkout_of(run.repository, run.folders, attempt.head, f"verify-{attempt.id}-tests")
    try:
        now = [_difference(run.contract, head.path, script) for script in scripts]
    finally:
        discard_quietly(head)
    base = base_checkout(run.repository, run.folders, attempt.base)
    lost = []
    for script, difference in zip(scripts, now, strict=True):
        if difference and not _difference(run.contract, base, script):
            lost.append(f"{difference}: {'; '.join(script)}")
        elif difference:
            _propose(run, script)
    if lost:
        return GateResult("test role", False, "\n".join(lost), "test role: wrong answers")
    n_wrong = sum(map(bool, now))
    return GateResult("test role", True, f"{len(scripts)} script(s) tried, {n_wrong} wrong on base and head")


def _difference(contract: RecordsContract, checkout: object, script: list[str]) -> str:
    """How the engine of a checkout differs from SQLite on a script, '' if it does not."""
    reference, engine = reference_engine(), contract.engine(checkout)  # type: ignore[arg-type]
    try:
        return differs(replay(reference, script), replay(engine, script), "order by" in script[-1].lower())
    finally:
        reference.close()
        engine.close()


def _propose(run: RunContext, script: list[str]) -> None:
    text = ";\n".join(script) + ";\n"
    name = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
    path = run.folders.root / "proposed" / f"case-{name}.sql"
    write_whole(path, text)
    run.say(f"another wrong answer: agent-harness evolve add {path}")


def ids_named(text: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The cases that an architect's line `ONLY: id id` names; all of them without one."""
    line = roles.reason_after("ONLY", text)
    named = set(re.findall(r"[\w@-]+", line))
    return tuple(id_ for id_ in ids if id_ in named) or ids
