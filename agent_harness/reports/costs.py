"""Tokens and money by (role, backend, model), and what each record closed has cost."""

from __future__ import annotations

from typing import Any

from agent_harness.state.fold import MERGED, State
from agent_harness.usage import FIELDS, Usage


def cost_rows(state: State) -> list[dict[str, Any]]:
    """A row for each; `cost_per_case` is None when the price is unknown or nothing was closed."""
    table: dict[tuple[str, str, str], tuple[Usage, int, int]] = {}

    def add(key: tuple[str, str, str], usage: Usage, n_closed: int) -> None:
        total, calls, closed = table.get(key, (Usage(), 0, 0))
        table[key] = (total + usage, calls + 1, closed + n_closed)

    for attempt in state.attempts.values():
        task = state.tasks[attempt.task]
        is_closing = task.status == MERGED and attempt is task.attempts[-1]
        add(("build", attempt.backend, attempt.model), attempt.usage, len(task.case_ids) if is_closing else 0)
    for asked in state.asked:
        add((asked["role"], asked["backend"], asked["model"]), Usage.from_dict(asked["usage"]), 0)
    return [_cost_row(key, *sums) for key, sums in table.items()]


def _cost_row(key: tuple[str, str, str], usage: Usage, calls: int, closed: int) -> dict[str, Any]:
    per_case = usage.cost_usd / closed if usage.cost_usd is not None and closed else None
    return {
        "role": key[0],
        "backend": key[1],
        "model": key[2],
        "calls": calls,
        **{name: getattr(usage, name) for name in FIELDS},
        "tokens": usage.total_tokens(),
        "cost_usd": usage.cost_usd,
        "cases_closed": closed,
        "cost_per_case": per_case,
    }
