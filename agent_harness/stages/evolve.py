"""Evolve: what the run has taught.  Lessons from parked tasks and rejected attempts, as data and as short text.

New records from production (failing or slow statements) enter through `agent_harness.evolve`; here is what the loop itself
has learned: which kinds of failure stay open, at which gate attempts ended, and which backend closed what.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from agent_harness.stages.strategy import best_candidate
from agent_harness.state.fold import GREEN, MERGED, PARKED, State


def lessons(state: State) -> dict[str, Any]:
    """Parked tasks with their best candidate, gates that said no, and success by backend."""
    parked = [
        {
            "task": task.id,
            "title": task.title,
            "reason": task.reason,
            "n_attempts": len(task.attempts),
            "best": best_candidate(task),
            "features": list(task.features),
        }
        for task in state.tasks.values()
        if task.status == PARKED
    ]
    reds = Counter(attempt.signature for attempt in state.attempts.values() if attempt.result not in ("", GREEN))
    return {"parked": parked, "refusals": dict(reds.most_common()), "backends": _by_backend(state)}


def _by_backend(state: State) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for attempt in state.attempts.values():
        row = table.setdefault(attempt.backend, {"attempts": 0, "green": 0, "cases_closed": 0})
        row["attempts"] += 1
        task = state.tasks[attempt.task]
        if attempt.result == GREEN:
            row["green"] += 1
            row["cases_closed"] += len(task.case_ids) if task.status == MERGED else 0
    return table


def lines(found: dict[str, Any]) -> list[str]:
    """The lessons for people."""
    text = [f"{each['task']}: parked after {each['n_attempts']} attempts: {each['reason']}" for each in found["parked"]]
    text += [f"{count} x ended at {signature}" for signature, count in found["refusals"].items()]
    text += [
        f"{name}: {row['green']} of {row['attempts']} attempts green, {row['cases_closed']} cases closed"
        for name, row in found["backends"].items()
    ]
    return text
