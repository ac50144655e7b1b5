"""The event log together with its fold: one writer, each event on disk before its effect is believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent_harness.events import Event, EventLog
from agent_harness.state.fold import State
from agent_harness.state.folders import Folders

Listener = Callable[[Event, State], None]


class Journal:
    """Appends events and keeps `state` up to date; listeners (progress) hear each event after it is safe."""

    def __init__(self, folders: Folders, listener: Listener | None = None) -> None:
        """Raises HarnessError when the log is damaged or another run has it."""
        folders.prepare()
        self._log = EventLog(folders.events)
        self._listener = listener
        self.state = State(self._log.events)

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return self._log.events

    def record(self, kind: str, **data: Any) -> None:
        """Writes one event."""
        event = self._log.append(kind, **data)
        self.state.apply(event)
        if self._listener is not None:
            self._listener(event, self.state)

    def close(self) -> None:
        """Gives the log free."""
        self._log.close()
