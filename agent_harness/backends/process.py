"""Runs an agent's program: prompt in, NDJSON out, hard limits, nothing left behind.

The program gets the prompt on stdin (then stdin is closed: some hang on an open one), the workspace as current folder, an
allow-listed environment and a process group of its own.  Its stdout is read as one JSON object a line, of any length; lines
that do not start with `{` are skipped and unknown events are ignored.  It is ended when it is silent or busy for too long,
and some seconds after its final event, since several programs do not exit by themselves.  Ending means the whole group, and
every process that still carries the attempt's marker in its environment (grandchildren with a session of their own).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_harness.backends import base

MARKER = "AGENT_HARNESS_ATTEMPT"
GRACE_AFTER_FINAL_S = 10.0
KILL_AFTER_TERM_S = 3.0
ALLOWED_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL")

Event = dict[str, Any]


class ProgramRun:
    """What happened: `end` is one of the constants of backends.base (FINISHED, TIMED_OUT, IDLE, CRASHED, UNAVAILABLE)."""

    __slots__ = ("end", "events", "returncode", "seconds", "stderr")

    def __init__(self, end: str, returncode: int | None, events: list[Event], stderr: str, seconds: float) -> None:
        self.end = end
        self.returncode = returncode
        self.events = events
        self.stderr = stderr
        self.seconds = seconds


def allowed_environment(extra: Sequence[str] = (), settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a program: the allow-list, the variables named in `extra` (keys a backend needs), `settings`."""
    names = (*ALLOWED_ENVIRONMENT, *extra)
    environment = {name: os.environ[name] for name in names if name in os.environ}
    environment.update(settings or {})
    return environment


def redactor(environment: Mapping[str, str]) -> Callable[[str], str]:
    """A function that hides the values of secret-looking variables in text that will be written to disk."""
    secrets = [
        value
        for name, value in environment.items()
        if len(value) >= 8 and any(word in name.upper() for word in ("KEY", "TOKEN", "SECRET", "PASSWORD"))
    ]

    def redact(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "[redacted]")
        return text

    return redact


def run_program(
    command: Sequence[str],
    *,
    prompt: str,
    folder: Path,
    environment: Mapping[str, str],
    attempt: str,
    stream_path: Path,
    max_seconds: float,
    idle_seconds: float,
    is_final: Callable[[Event], bool],
    over_budget: Callable[[Event], bool] | None = None,
    grace_s: float = GRACE_AFTER_FINAL_S,
) -> ProgramRun:
    """Runs `command` as the module says.  Raises nothing for what the program does; a missing program is UNAVAILABLE."""
    full_environment = {**environment, MARKER: attempt}
    started = time.monotonic()
    stream_path.parent.mkdir(parents=True, exist_ok=True)
    stderr_path = stream_path.with_name("stderr.txt")
    with stderr_path.open("wb") as stderr:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=folder,
                env=full_environment,
                start_new_session=True,
            )
        except OSError as error:
            return ProgramRun(base.UNAVAILABLE, None, [], f"{command[0]}: {error.strerror}", 0.0)
        reader = _Reader(process, prompt, stream_path, redactor(full_environment), is_final, over_budget)
        try:
            end = reader.read(started, max_seconds, idle_seconds, grace_s)
        finally:
            end_process_group(process, attempt)
            reader.close()
    if end == base.FINISHED and not reader.saw_final and process.returncode not in (0, None):
        end = base.CRASHED
    text = redactor(full_environment)(stderr_path.read_text(encoding="utf-8", errors="replace"))
    stderr_path.write_text(text, encoding="utf-8")
    return ProgramRun(end, process.returncode, reader.events, text[-4000:], time.monotonic() - started)


class _Reader:
    """Feeds stdin, splits stdout into events and watches the clocks."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        prompt: str,
        stream_path: Path,
        redact: Callable[[str], str],
        is_final: Callable[[Event], bool],
        over_budget: Callable[[Event], bool] | None,
    ) -> None:
        assert process.stdout is not None and process.stdin is not None
        self.process = process
        self.events: list[Event] = []
        self.saw_final = False
        self.is_over_budget = False
        self._stdout = process.stdout
        self._stdin = process.stdin
        self._pending_input = memoryview(prompt.encode())
        self._buffer = bytearray()
        self._redact = redact
        self._is_final = is_final
        self._over_budget = over_budget
        self._stream = stream_path.open("w", encoding="utf-8")
        self._selector = selectors.DefaultSelector()
        os.set_blocking(self._stdout.fileno(), False)
        os.set_blocking(self._stdin.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stdin, selectors.EVENT_WRITE)

    def read(self, started: float, max_seconds: float, idle_seconds: float, grace_s: float) -> str:
        last_sign = time.monotonic()
        final_at: float | None = None
        while True:
            now = time.monotonic()
            if self.is_over_budget:
                return base.OVER_BUDGET
            if final_at is not None and now - final_at > grace_s:
                return base.FINISHED
            if max_seconds and now - started > max_seconds:
                return base.FINISHED if final_at is not None else base.TIMED_OUT
            if idle_seconds and final_at is None and now - last_sign > idle_seconds:
                return base.IDLE
            for key, _ in self._selector.select(timeout=0.2):
                if key.fileobj is self._stdin:
                    self._write_prompt()
                    continue
                chunk = self._stdout.read(1 << 16)
                if chunk == b"":
                    self._take_line(bytes(self._buffer))
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self.process.wait(timeout=1.0)
                    return base.FINISHED
                if chunk:
                    last_sign = time.monotonic()
                    self._split(chunk)
            if self.saw_final and final_at is None:
                final_at = time.monotonic()

    def _write_prompt(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._pending_input[: 1 << 16]) if self._pending_input else 0
        except BlockingIOError:
            return
        except OSError:  # the program closed its stdin without reading it all: its own choice
            written = len(self._pending_input)
        self._pending_input = self._pending_input[written:]
        if not self._pending_input:
            self._selector.unregister(self._stdin)
            with contextlib.suppress(OSError):
                self._stdin.close()

    def _split(self, chunk: bytes) -> None:
        self._buffer += chunk
        *lines, rest = bytes(self._buffer).split(b"\n") if b"\n" in chunk else (bytes(self._buffer),)
        self._buffer = bytearray(rest)
        for line in lines:
            self._take_line(line)

    def _take_line(self, line: bytes) -> None:
        if not line.startswith(b"{"):
            return
        text = line.decode("utf-8", errors="replace")
        try:
            event = json.loads(text)
        except ValueError:
            return
        self._stream.write(self._redact(text) + "\n")
        self.events.append(event)
        if self._is_final(event):
            self.saw_final = True
        if self._over_budget is not None and self._over_budget(event):
            self.is_over_budget = True

    def close(self) -> None:
        """Closes pipes and the stream file."""
        self._selector.close()
        self._stream.close()
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                pipe.close()


def end_process_group(process: subprocess.Popen[bytes], attempt: str) -> None:
    """Ends the program's group and every process that carries the attempt's marker: first politely, then for good."""
    for signal_ in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal_)
        strays = marked_processes(attempt)
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal_)
        deadline = time.monotonic() + KILL_AFTER_TERM_S
        while time.monotonic() < deadline:
            if process.poll() is not None and not _group_exists(process.pid) and not marked_processes(attempt):
                return
            time.sleep(0.02)


def _group_exists(pgid: int) -> bool:
    try:
        os.killpg(pgid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def marked_processes(attempt: str) -> list[int]:
    """The processes that were started for an attempt, wherever they have gone (by the marker in their environment)."""
    wanted = f"{MARKER}={attempt}".encode()
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if wanted in file.read().split(b"\0"):
                        found.append(int(entry))
            except OSError:
                continue
    return found
