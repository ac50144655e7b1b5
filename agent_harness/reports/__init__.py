"""Reports: one self-contained HTML page about all runs in a state folder; no script, no network, readable in ten years.

What it shows: where the contract stands, a burn-down of failing records over time, a timeline of attempts, the tasks with their
attempts, gates and diffs, and tokens and money by role and model with the cost of each record closed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from agent_harness.events import Event, read_events
from agent_harness.reports.costs import cost_rows
from agent_harness.reports.plots import burn_down, timeline
from agent_harness.state.fold import AttemptRecord, State
from agent_harness.state.folders import Folders, read_json, write_whole

TEMPLATE = Path(__file__).with_name("page.html.j2")
LONGEST_DIFF = 40_000


def write_report(state_folder: Path, path: Path) -> Path:
    """Writes the page to `path`.  Raises HarnessError when the event log is damaged or the disk is full."""
    folders = Folders(state_folder)
    events = list(read_events(folders.events))
    write_whole(path, page(folders, events))
    return path


def page(folders: Folders, events: list[Event]) -> str:
    """The page's text."""
    state = State(events)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = number
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        state=state,
        last_run=state.last_run or {},
        evaluations=list(state.evaluations.values()),
        burn_down=Markup(burn_down(events)),
        timeline=Markup(timeline(events, state)),
        tasks=[_task(folders, state, name) for name in state.tasks],
        merges=list(state.merges.values()),
        costs=cost_rows(state),
        usage=state.usage(),
        n_events=len(events),
        last_hash=events[-1].hash if events else "",
    )


def number(value: float | None, digits: int = 0) -> str:
    """A number for people; None is unknown, never zero."""
    return "unknown" if value is None else f"{value:,.{digits}f}"


def _task(folders: Folders, state: State, name: str) -> dict[str, Any]:
    task = state.tasks[name]
    return {
        "record": task,
        "brief": read_json(folders.task(name) / "brief.json") or {},
        "attempts": [{"record": attempt, "diff": diff_lines(folders, attempt)} for attempt in task.attempts],
    }


def diff_lines(folders: Folders, attempt: AttemptRecord) -> list[tuple[str, str]]:
    """(class, line) of an attempt's patch."""
    path = folders.attempt(attempt.id) / "patch.diff"
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")[:LONGEST_DIFF]
    kinds = {"+": "added", "-": "removed", "@": "place"}
    return [
        ("head" if line.startswith(("+++", "---", "diff", "index")) else kinds.get(line[:1], ""), line)
        for line in text.splitlines()
    ]
