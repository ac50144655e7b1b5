"""Live progress on stderr: a table that renews itself on a terminal, plain lines anywhere else; stdout is left to data."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from agent_harness.events import Event
from agent_harness.state.fold import MERGED, PARKED, State

SHOWN_LINES = 6


class Progress:
    """Hears events and words of a run.  Use it as a context manager; `say` and `hear` are what a run wants."""

    def __init__(self, is_live: bool | None = None) -> None:
        self._is_live = sys.stderr.isatty() if is_live is None else is_live
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._state = State()
        self._lines: list[str] = []
        self._started = time.monotonic()

    def __enter__(self) -> Progress:
        if self._is_live:
            self._live = Live(console=self._console, get_renderable=self._picture, refresh_per_second=2, transient=True)
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        """One line of progress."""
        if self._live is None:
            print(f"{time.monotonic() - self._started:7.1f}s  {text}", file=sys.stderr, flush=True)
        self._lines = [*self._lines, text][-SHOWN_LINES:]

    def hear(self, event: Event, state: State) -> None:
        """An event of the run."""
        self._state = state

    def _picture(self) -> RenderableType:
        return Group(
            Text(headline(self._state), style="bold"), _task_table(self._state), Text("\n".join(self._lines), style="dim")
        )


def headline(state: State) -> str:
    """One line: cases, tasks, tokens and money."""
    latest = list(state.evaluations.values())[-1:]
    cases = f"{latest[0]['n_passed']} pass, {latest[0]['n_failed']} fail" if latest else "not evaluated yet"
    merged = sum(task.status == MERGED for task in state.tasks.values())
    parked = sum(task.status == PARKED for task in state.tasks.values())
    usage = state.usage()
    tokens = usage.total_tokens()
    cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.2f} USD"
    return (
        f"{cases}; {len(state.tasks)} tasks, {merged} merged, {parked} parked; "
        f"{'unknown' if tokens is None else tokens} tokens, {cost}"
    )


def _task_table(state: State) -> Table:
    table = Table("task", "cases", "status", "attempt", "what", box=None, pad_edge=False)
    for task in list(state.tasks.values())[-12:]:
        last = task.attempts[-1] if task.attempts else None
        where = f"{last.number} {last.backend}: {last.result or last.phase}" if last else "briefing"
        table.add_row(task.id, str(len(task.case_ids)), task.status, where, task.title[:60])
    return table
