"""The grader's side of the engine process: an engine for the sqllogictest runner that lives in another process.

The runner, with all expected results, stays here; only SQL crosses the pipe.  A process that dies, breaks the protocol, is
too slow or is ended by its audit hook makes every further record of the file fail as a crash; it can never make one pass.
"""

from __future__ import annotations

import json
import os
import selectors
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from agent_harness.contract import compiled
from agent_harness.contract.engine_links import STARTS_WITHIN_S, EngineServer, Link, OwnProcess, Wrap

LONGEST_ANSWER = 256 << 20


class EngineRefusal(Exception):
    """The engine answered with an error of its DB-API module."""


class EngineCrash(Exception):
    """The engine's process died, hung, was stopped by its guard, or raised what no engine may raise."""


class ProcessEngine:
    """Implements sqllogictest's Engine protocol over the pipe.

    With `is_covered` the process can report what a statement runs: `coverage` holds the triples of the last statement that
    was executed while `is_covering` was on.  With a `server` an engine in memory is forked instead of started.
    `cpu_seconds` are those of all ended processes, as the system tells; `answer_cpu_seconds` those of the last answer, as the
    engine's process does.
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
        server: EngineServer | None = None,
    ) -> None:
        self.execute: Callable[[str], Sequence[Sequence[Any]]] = self._execute
        self._checkout = checkout
        self._module = module
        self._timeout_s = timeout_s
        self._is_covered = is_covered
        self.is_covering = is_covered
        self._wrap = wrap
        self._server = server
        self._process: Link | None = None
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
        self.answer_cpu_seconds = 0.0

    def open(self, path: str | None) -> None:
        """Starts the process if there is none and opens a database.  Raises EngineCrash if the engine cannot be imported."""
        if self._process is None:
            self._start(os.path.dirname(path) if path else None)
        self._has_file = path is not None
        self._ask("open", path)

    def _start(self, folder: str | None) -> None:
        self._question = 0
        if self._server is not None and folder is None and not self._is_covered:
            # What ended the server ends every engine of it.
            if not self._server.hello:
                raise self._crash("the engine's process ended")
            self._accept(self._server.hello)
            try:
                self._process = self._server.fork()
            except OSError as error:
                raise self._crash(f"the engine's server failed: {error}") from error
        else:
            self._scratch = tempfile.TemporaryDirectory(prefix="engine-")
            options = ["--coverage"] if self._is_covered else []
            scratch = Path(folder or self._scratch.name)
            self._process = OwnProcess(self._checkout, self._module, scratch, options, self._wrap)
        self._receive(time.monotonic() + max(self._timeout_s, STARTS_WITHIN_S))

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
        self.cpu_seconds += process.end()
        self._buffer.clear()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def restart(self) -> None:
        """Ends the process and forgets how it died; the next `open` starts another."""
        self._end()
        self._dead = ""

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
            process.kill()

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
        if self._dead or process is None:
            raise EngineCrash(self._dead or "the engine's process is not running")
        try:
            self._question += 1
            process.write(json.dumps([operation, argument, self._question]).encode() + b"\n")
        except OSError as error:
            self._dead = self._dead or "the engine's process ended"
            raise EngineCrash(self._dead) from error
        return self._receive(time.monotonic() + self._timeout_s)

    def _receive(self, deadline: float) -> dict[str, Any]:
        return self._accept(self._read_line(deadline))

    def _accept(self, line: bytes) -> dict[str, Any]:
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
        self.answer_cpu_seconds = float(answer.get("cpu_seconds", 0.0))
        if "compiled" in answer:
            compiled.keep(self._checkout, answer["compiled"])
        return answer

    def _read_line(self, deadline: float) -> bytes:
        assert self._process is not None
        reading = self._process.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(reading, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.interrupt()
                    raise self._crash("timed out")
                chunk = os.read(reading, 1 << 16)
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
