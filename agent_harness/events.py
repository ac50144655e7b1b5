"""events.jsonl: the hash-chained log that is the truth of a run.

One JSON object a line: `{"seq", "time", "kind", "data", "previous", "hash"}`; `hash` is the SHA-256 of the line's canonical
JSON without `hash`, `previous` the hash before it, so an edited or dropped line is found.  Intent is written before each
effect ("attempt.started"), the outcome after it ("attempt.finished"), each line synced to disk; a torn last line (the
process was killed while writing) is cut off when the log is opened again, any other damage is an error.  Everything else on
disk (the index database, reports) can be rebuilt from this file and the attempts/ folders.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_harness.errors import HarnessError

GENESIS = "0" * 64


class Event:
    """One line of the log."""

    __slots__ = ("data", "hash", "kind", "previous", "seq", "time")

    def __init__(self, seq: int, time_: float, kind: str, data: dict[str, Any], previous: str, hash_: str) -> None:
        self.seq = seq
        self.time = time_
        self.kind = kind
        self.data = data
        self.previous = previous
        self.hash = hash_


def _digest(seq: int, time_: float, kind: str, data: dict[str, Any], previous: str) -> str:
    body = {"seq": seq, "time": time_, "kind": kind, "data": data, "previous": previous}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _decode(line: bytes, number: int, previous: str) -> Event:
    try:
        raw = json.loads(line)
        event = Event(raw["seq"], raw["time"], raw["kind"], raw["data"], raw["previous"], raw["hash"])
    except (ValueError, KeyError, TypeError) as error:
        raise HarnessError(f"event log: line {number} is not an event") from error
    if event.seq != number or event.previous != previous:
        raise HarnessError(f"event log: the chain is broken at line {number}")
    if event.hash != _digest(event.seq, event.time, event.kind, event.data, event.previous):
        raise HarnessError(f"event log: line {number} was changed")
    return event


def read_events(path: Path) -> Iterator[Event]:
    """Yields the verified events; a torn last line is left out.  Raises HarnessError on any other damage."""
    if not path.exists():
        return
    previous = GENESIS
    number = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                return
            number += 1
            event = _decode(line, number, previous)
            previous = event.hash
            yield event


class EventLog:
    """The log opened for appending by one process at a time (an exclusive lock on the file)."""

    def __init__(self, path: Path) -> None:
        """Verifies the whole chain, cuts a torn tail.  Raises HarnessError if the log is damaged or in use."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise HarnessError(f"another run is using {path.parent}") from error
        try:
            self.events: list[Event] = list(read_events(path))
            self._cut_torn_tail()
        except HarnessError:
            self._file.close()
            raise

    def _cut_torn_tail(self) -> None:
        with self.path.open("rb") as file:
            content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            os.truncate(self.path, whole)

    def append(self, kind: str, **data: Any) -> Event:
        """Writes one event and syncs it to disk before it returns."""
        seq = len(self.events) + 1
        previous = self.events[-1].hash if self.events else GENESIS
        now = round(time.time(), 3)
        event = Event(seq, now, kind, data, previous, _digest(seq, now, kind, data, previous))
        line = {"seq": seq, "time": now, "kind": kind, "data": data, "previous": previous, "hash": event.hash}
        try:
            self._file.write(json.dumps(line, sort_keys=True, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise HarnessError(f"cannot write {self.path}: {error.strerror}") from error
        self.events.append(event)
        return event

    def close(self) -> None:
        """Releases the lock."""
        self._file.close()
