"""Progress of long work on the error stream, only if that is a terminal: a bar of `rich` if it is installed, else a percentage.

Source: https://rich.readthedocs.io/en/stable/progress.html.
"""

from __future__ import annotations

import sys
import time
from typing import Any

_INTERVAL_SECONDS = 0.2
_PATIENCE_SECONDS = 1.0


class Progress:
    """Shows how much of `total` units is done, from the second second on."""

    def __init__(self, title: str, total: int) -> None:
        self.title = title
        self.total = max(total, 1)
        self.is_shown = sys.stderr.isatty()
        self._next = time.monotonic() + _PATIENCE_SECONDS
        self._bar: Any = None
        self._has_text = False

    def advance(self, done: int) -> None:
        """Tells that `done` units are done in all; draws at most five times a second."""
        if not self.is_shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL_SECONDS
        if self._bar is None and not self._has_text:
            self._bar = _rich_bar(self.title, self.total)
        if self._bar is not None:
            self._bar[0].update(self._bar[1], completed=done)
        else:
            self._has_text = True
            sys.stderr.write(f"\r{self.title}: {100 * done // self.total:3d} %")
            sys.stderr.flush()

    def end(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar[0].stop()
        elif self._has_text:
            sys.stderr.write("\r" + " " * (len(self.title) + 7) + "\r")
            sys.stderr.flush()


def _rich_bar(title: str, total: int) -> tuple[Any, Any] | None:
    try:
        from rich import console, progress  # noqa: PLC0415
    except ImportError:
        return None
    bar = progress.Progress(console=console.Console(stderr=True), transient=True)
    task = bar.add_task(title, total=total)
    bar.start()
    return bar, task
