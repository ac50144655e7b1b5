"""Plots as inline SVG: failing records over time, and attempts as bars on a timeline.

Colours are classes of the page's style sheet, so that both plots follow its light and dark scheme; every mark has a title,
which browsers show as a tooltip and screen readers read out.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from agent_harness.events import Event
from agent_harness.state.fold import State

WIDTH = 900
LEFT = 56
RIGHT = 20
BURN_HEIGHT = 220
ROW = 22


def burn_down(events: Sequence[Event]) -> str:
    """A step line of failing records after each evaluation of the branch."""
    points = [(event.time, int(event.data["n_failed"])) for event in events if event.kind == "evaluation.finished"]
    if not points:
        return '<p class="empty">The contract was not run yet.</p>'
    first, last = events[0].time, max(events[-1].time, events[0].time + 1.0)
    most = max(1, *(failing for _, failing in points))
    top, bottom = 16, BURN_HEIGHT - 30

    def x(time: float) -> float:
        return LEFT + (time - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(failing: int) -> float:
        return bottom - failing / most * (bottom - top)

    path = f"M {x(points[0][0]):.1f} {y(points[0][1]):.1f}"
    for time, failing in points[1:]:
        path += f" H {x(time):.1f} V {y(failing):.1f}"
    path += f" H {x(last):.1f}"
    dots = "".join(
        f'<circle class="dot" cx="{x(time):.1f}" cy="{y(failing):.1f}" r="4">'
        f"<title>{failing} failing after {_span(time - first)}</title></circle>"
        for time, failing in points
    )
    body = _grid(most, y) + _time_axis(last - first, bottom) + f'<path class="line" d="{path}"/>' + dots
    return _svg(BURN_HEIGHT, "Failing records over time", body)


def _grid(most: int, y: object) -> str:
    assert callable(y)
    steps = sorted({0, most // 2, most})
    return "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(n):.1f}" y2="{y(n):.1f}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y(n) + 4:.1f}" text-anchor="end">{n}</text>'
        for n in steps
    )


def _time_axis(seconds: float, bottom: int) -> str:
    ticks = ""
    for part in range(5):
        x = LEFT + part / 4 * (WIDTH - LEFT - RIGHT)
        anchor = "start" if part == 0 else "end" if part == 4 else "middle"
        ticks += f'<text class="tick" x="{x:.1f}" y="{bottom + 20}" text-anchor="{anchor}">{_span(seconds * part / 4)}</text>'
    return ticks


def timeline(events: Sequence[Event], state: State) -> str:
    """One row for each attempt: a bar from its start to its verdict, coloured by result."""
    if not state.attempts:
        return '<p class="empty">No attempt was made yet.</p>'
    first, last = events[0].time, max(events[-1].time, events[0].time + 1.0)
    ends = {event.data["attempt"]: event.time for event in events if event.kind == "attempt.finished"}
    scale = (WIDTH - LEFT - 120) / (last - first)
    body = ""
    for position, attempt in enumerate(state.attempts.values()):
        start, end = attempt.started_at - first, ends.get(attempt.id, last) - first
        top = 8 + position * ROW
        kind = "green" if attempt.result == "green" else "red" if attempt.result else "flying"
        label = f"{attempt.id}: {attempt.backend}: {attempt.result or 'in flight'}, {_span(end - start)}"
        body += (
            f'<text class="tick" x="0" y="{top + 12}">{escape(attempt.id[:14])}</text>'
            f'<rect class="bar {kind}" x="{LEFT + 60 + start * scale:.1f}" y="{top}" rx="3" height="14" '
            f'width="{max(3.0, (end - start) * scale):.1f}"><title>{escape(label)}</title></rect>'
        )
    height = 8 + len(state.attempts) * ROW + 28
    axis = "".join(
        f'<text class="tick" x="{LEFT + 60 + part / 4 * (WIDTH - LEFT - 120):.1f}" y="{height - 8}" '
        f'text-anchor="middle">{_span((last - first) * part / 4)}</text>'
        for part in range(5)
    )
    return _svg(height, "Attempts over time", body + axis)


def _svg(height: int, title: str, body: str) -> str:
    name = escape(title)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{name}"><title>{name}</title>{body}</svg>'


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
