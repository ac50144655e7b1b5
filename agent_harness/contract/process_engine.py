"""The grader's side of the engine process: an engine for the sqllogictest runner that lives in another process.

The runner, with all expected results, stays here; only SQL crosses the pipe.  A process that dies, breaks the protocol, is
too slow or is ended by its audit hook makes every further record of the file fail as a crash; it can never make one pass.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent_harness.backends.process import allowed_environment
from agent_harness.contract import compiled

PROGRAM = Path(__file__).with_name("engine_process.py")
LONGEST_ANSWER = 256 << 20
# Makes the command line that runs (command, in this writable folder, with these readable ones) inside a wall.
Wrap = Callable[[Sequence[str], Path, Sequence[Path]], list[str]]


class EngineRefusal(Exception):
    """The engine answered with an error of its DB-API module."""


class EngineCrash(Exception):
    """The engine's process died, hung, was stopped by its guard, or raised what no engine may raise."""


class ProcessEngine:
    """Implements sqllogictest's Engine protocol over the pipe.

    With `is_covered` the process can report what a statement runs: `coverage` holds the triples of the last statement that
    was executed while `is_covering` was on.
    """

    name = "sqlite"
    errors: tuple[type[Exception], ...] = (EngineRefusal,)

    def __init__(
        self,
        checkout: Path,
        module: str = "minisql",
        timeout_s: float = 60.0,
        is_covered: bool = False,
        wrap: Wrap | None = None,
    ) -> None:
        self.execute: Callable[[str], Sequence[Sequence[Any]]] = self._execute
        self._checkout = checkout
        self._module = module
        self._timeout_s = timeout_s
        self._is_covered = is_covered
        self.is_covering = is_covered
        self._wrap = wrap
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._buffer = bytearray()
        self._dead = ""
        self._question = 0
        self._has_file = False
        self._columns: int | None = None
        self._changed = -1
        self._transaction = False
        self.coverage: list[tuple[str, str, int]] = []
        self.violation = ""
        self.trace = ""
        self.cpu_seconds = 0.0

    def open(self, path: str | None) -> None:
        """Starts the process if there is none and opens a database.  Raises EngineCrash if the engine cannot be imported."""
        if self._process is None:
            self._start(os.path.dirname(path) if path else None)
        self._has_file = path is not None
        self._ask("open", path)

    def _start(self, folder: str | None) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="engine-")
        scratch = folder or self._scratch.name
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(self._checkout), scratch, self._module]
        command.append(f"--code={compiled.folder()}")
        if self._is_covered:
            command.append("--coverage")
        if self._wrap is not None:
            # The interpreter too: a virtual environment may lie below a folder that the wall hides.
            readable = (self._checkout, PROGRAM.parent, compiled.folder(), Path(sys.prefix), Path(sys.base_prefix))
            command = self._wrap(command, Path(scratch), readable)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=allowed_environment(settings={"PYTHONHASHSEED": "0"}),
            start_new_session=True,
        )
        self._question = 0
        self._receive(time.monotonic() + max(self._timeout_s, 30.0))

    def close(self) -> None:
        """Closes the database and ends the process.  Raises EngineCrash when a database file cannot be closed."""
        try:
            if self._has_file and not self._dead and self._process is not None:
                answer = self._ask("close", None)
                if "error" in answer:
                    raise EngineCrash(f"closing: {answer.get('class')}: {answer['error']} ({answer.get('trace')})")
        finally:
            self._has_file = False
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            _, status, usage = os.wait4(process.pid, 0) if self._ends_soon(process) else self._kill(process)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_seconds += usage.ru_utime + usage.ru_stime
        except ChildProcessError:
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._buffer.clear()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def restart(self) -> None:
        """Ends the process and forgets how it died; the next `open` starts another."""
        self._end()
        self._dead = ""

    def _ends_soon(self, process: subprocess.Popen[bytes]) -> bool:
        deadline = time.monotonic() + 5.0
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            time.sleep(0.005)
        return False

    def _kill(self, process: subprocess.Popen[bytes]) -> tuple[int, int, Any]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return os.wait4(process.pid, 0)

    def version(self) -> str:
        """The engine module's name; its own word on versions is not asked for."""
        return self._module

    def column_count(self, sql: str) -> int | None:
        """Columns of the last query."""
        return self._columns

    def rows_affected(self) -> int:
        """Rows changed by the last statement."""
        return self._changed

    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._transaction

    def interrupt(self) -> None:
        """Ends the process: an engine that is too slow has failed."""
        process = self._process
        if process is not None:
            self._dead = self._dead or "timed out"
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _execute(self, sql: str) -> Sequence[Sequence[Any]]:
        """Runs one statement.  Raises EngineRefusal or EngineCrash."""
        answer = self._ask("cover" if self.is_covering else "sql", sql)
        self.coverage = [tuple(triple) for triple in answer.get("coverage", ())]
        if "error" in answer:
            self.trace = str(answer.get("trace", ""))
            if answer.get("refusal"):
                raise EngineRefusal(answer["error"])
            raise EngineCrash(f"{answer.get('class')}: {answer['error']} ({self.trace})")
        self._columns = answer.get("columns")
        self._changed = answer.get("changed", -1)
        self._transaction = bool(answer.get("transaction"))
        return _rows(answer)

    def rows_before_error(self, sql: str) -> Sequence[Sequence[Any]] | None:
        """The rows of a failing query before its error, None when it does not prepare."""
        answer = self._ask("peek", sql)
        return None if "error" in answer else _rows(answer)

    def _ask(self, operation: str, argument: object) -> dict[str, Any]:
        process = self._process
        if self._dead or process is None or process.stdin is None:
            raise EngineCrash(self._dead or "the engine's process is not running")
        try:
            self._question += 1
            process.stdin.write(json.dumps([operation, argument, self._question]).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            self._dead = self._dead or "the engine's process ended"
            raise EngineCrash(self._dead) from error
        return self._receive(time.monotonic() + self._timeout_s)

    def _receive(self, deadline: float) -> dict[str, Any]:
        line = self._read_line(deadline)
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise self._crash("the engine's process broke the protocol") from error
        if not isinstance(answer, dict):
            raise self._crash("the engine's process broke the protocol")
        if "violation" in answer:
            self.violation = str(answer["violation"])
            raise self._crash(f"stopped by the guard: {self.violation}")
        if "fatal" in answer:
            self.trace = str(answer.get("trace", ""))
            raise self._crash(f"the engine cannot be imported: {answer['fatal']} ({self.trace})")
        # An answer names its question: a line that something else in that process wrote does not pass for one.
        if answer.get("question", 0) != self._question:
            raise self._crash("the engine's process broke the protocol")
        if "compiled" in answer:
            compiled.keep(self._checkout, answer["compiled"])
        return answer

    def _read_line(self, deadline: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        stdout = self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.interrupt()
                    raise self._crash("timed out")
                chunk = os.read(stdout.fileno(), 1 << 16)
                if not chunk or len(self._buffer) > LONGEST_ANSWER:
                    raise self._crash("the engine's process ended")
                self._buffer += chunk
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer.clear()
        if rest:  # one question, one answer: more than that was written by something else in that process
            self._dead = self._dead or "the engine's process broke the protocol"
            self.interrupt()
            raise EngineCrash(self._dead)
        return line

    def _crash(self, reason: str) -> EngineCrash:
        self._dead = self._dead or reason
        return EngineCrash(self._dead)


def _rows(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(bytes.fromhex(v["x"]) if isinstance(v, dict) and "x" in v else v for v in row) for row in answer["rows"]]
