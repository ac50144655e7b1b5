"""How the grader reaches an engine's process: one started for it, or one forked by a server that has the engine imported.

Starting an interpreter and importing the engine costs ten times as much as a usual suite does.  A server imports it once, under
the same guard, runs nothing of it, and forks a process for each suite; each has the state of a process that was just started.
The pipes of a forked process are named ones in the server's scratch folder, gone as soon as both ends are open.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from agent_harness.backends.process import allowed_environment
from agent_harness.contract import compiled

PROGRAM = Path(__file__).with_name("engine_process.py")
STARTS_WITHIN_S = 30.0
ENDS_WITHIN_S = 5.0
# Makes the command line that runs (command, in this writable folder, with these readable ones) inside a wall.
Wrap = Callable[[Sequence[str], Path, Sequence[Path]], list[str]]


class Link(Protocol):
    """An engine's process as its grader sees it."""

    def write(self, data: bytes) -> None:
        """Sends bytes.  Raises OSError when the process has ended."""

    def fileno(self) -> int:
        """Where its answers are read from."""

    def kill(self) -> None:
        """Ends it now."""

    def end(self) -> float:
        """Lets it end, kills it if it does not, and gives its CPU seconds."""


class OwnProcess:
    """A Link to a process of its own."""

    def __init__(
        self, checkout: Path, module: str, scratch: Path, options: Sequence[str] = (), wrap: Wrap | None = None
    ) -> None:
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(checkout), str(scratch), module]
        command += [f"--code={compiled.folder()}", *options]
        if wrap is not None:
            # The interpreter too: a virtual environment may lie below a folder that the wall hides.
            readable = (checkout, PROGRAM.parent, compiled.folder(), Path(sys.prefix), Path(sys.base_prefix))
            command = wrap(command, scratch, readable)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=allowed_environment(settings={"PYTHONHASHSEED": "0"}),
            process_group=0,  # not a session: what was started nice stays nice
        )

    def write(self, data: bytes) -> None:
        """Sends bytes."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def fileno(self) -> int:
        """The end of the pipe that the process writes to."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def kill(self) -> None:
        """Ends the process and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> float:
        """Closes the pipes and waits."""
        process, seconds = self._process, 0.0
        with contextlib.suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.close()
        if not self._ends_soon():
            self.kill()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = usage.ru_utime + usage.ru_stime
        except ChildProcessError:
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        return seconds

    def _ends_soon(self) -> bool:
        deadline = time.monotonic() + ENDS_WITHIN_S
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            time.sleep(0.005)
        return False


class EngineServer:
    """A process with the engine imported that forks others; `hello` is the first line it said.  May be used by threads."""

    def __init__(self, checkout: Path, module: str, wrap: Wrap | None = None) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="engines-")
        self._lock = threading.Lock()
        self._link = OwnProcess(checkout, module, Path(self._scratch.name), ["--serve"], wrap)
        self._number = 0
        self.hello = self._line(STARTS_WITHIN_S)

    def __enter__(self) -> EngineServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.end()
        self._link.kill()  # a forked process that was not asked to end is in the same group
        self._scratch.cleanup()

    def fork(self) -> ForkedProcess:
        """Another process with the engine imported.  Raises OSError when the server is gone."""
        with self._lock:
            self._number += 1
            name = os.path.join(self._scratch.name, f"{self._number}")
            os.mkdir(name)
            os.mkfifo(name + ".in")
            os.mkfifo(name + ".out")
            # Opened both ways, so that neither side waits for the other; the way back is closed once both are there.
            writing, reading = os.open(name + ".in", os.O_RDWR), os.open(name + ".out", os.O_RDONLY | os.O_NONBLOCK)
            try:
                self._ask(["fork", name])
                self._wait_for_first_word(reading)
                only_writing = os.open(name + ".in", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                os.close(reading)
                raise
            finally:
                os.close(writing)
            os.set_blocking(only_writing, True)
            os.set_blocking(reading, True)
            os.unlink(name + ".in")
            os.unlink(name + ".out")
        return ForkedProcess(self, name, only_writing, reading)

    def _wait_for_first_word(self, reading: int) -> None:
        """Waits until a forked process speaks on its pipe.  What the guard ends before that speaks on the server's."""
        ready, _, _ = select.select([reading, self._link.fileno()], [], [], STARTS_WITHIN_S)
        if reading not in ready:
            reason = self._line(0.1) if ready else b""
            self._link.kill()
            raise OSError(f"the engine's server forked no process that lives: {reason.decode(errors='replace').strip()}")

    def end(self, name: str, is_killing: bool) -> float:
        """Waits for a forked process, or kills it; its CPU seconds."""
        with self._lock, contextlib.suppress(OSError):
            return float(self._ask(["kill" if is_killing else "wait", name]).get("seconds", 0.0))
        return 0.0

    def _ask(self, request: list[Any]) -> dict[str, Any]:
        self._link.write(json.dumps(request).encode() + b"\n")
        try:
            answer = json.loads(self._line(STARTS_WITHIN_S))
        except ValueError as error:
            raise OSError("the engine's server ended") from error
        if not isinstance(answer, dict) or "violation" in answer:
            raise OSError(f"stopped by the guard: {answer['violation']}" if isinstance(answer, dict) else "protocol")
        return answer

    def _line(self, seconds: float) -> bytes:
        deadline, found = time.monotonic() + seconds, b""
        while b"\n" not in found:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._link.fileno()], [], [], left)[0]:
                self._link.kill()
                return b""
            part = os.read(self._link.fileno(), 1 << 16)
            if not part:
                return b""
            found += part
        return found


class ForkedProcess:
    """A Link to a process that a server forked."""

    def __init__(self, server: EngineServer, name: str, writing: int, reading: int) -> None:
        self._server = server
        self._name = name
        self._writing = writing
        self._reading = reading
        self._seconds: float | None = None
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Sends bytes."""
        while data:
            data = data[os.write(self._writing, data) :]

    def fileno(self) -> int:
        """The end of the pipe that the process writes to."""
        return self._reading

    def kill(self) -> None:
        """Ends the process."""
        self._finish(True)

    def end(self) -> float:
        """Closes the pipes and has the server wait."""
        os.close(self._writing)
        seconds = self._finish(False)
        os.close(self._reading)
        return seconds

    def _finish(self, is_killing: bool) -> float:
        with self._lock:
            if self._seconds is None:
                self._seconds = self._server.end(self._name, is_killing)
            return self._seconds
