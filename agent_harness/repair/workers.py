"""The agent's side of the evaluators: a few processes that each try one edit at a time."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from agent_harness.backends.process import allowed_environment
from agent_harness.errors import HarnessError
from agent_harness.repair.edits import Edit
from agent_harness.workspaces.sandbox import Sandbox

PROGRAM = Path(__file__).with_name("evaluator.py")
TRUSTED = Path(__file__).resolve().parents[2]
Item = TypeVar("Item")
Result = TypeVar("Result")
Probe = dict[str, Any]


@cache
def _code_folder(process_id: int) -> str:
    """Compiled code for all pools of this process; not the graders' store, since edited engines run beside it."""
    path = tempfile.mkdtemp(prefix="repair-code-")
    atexit.register(_remove, path, process_id)
    return path


def _remove(path: str, process_id: int) -> None:
    if os.getpid() == process_id:  # a forked child's end is not ours
        shutil.rmtree(path, ignore_errors=True)


class Worker:
    """One evaluator process."""

    def __init__(self, workspace: Path, module: str, code: str, sandbox: Sandbox | None = None) -> None:
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(workspace), str(TRUSTED), module, code]
        if sandbox is not None and sandbox.kind == "bwrap":
            # An edit may make the engine write or connect anywhere.  (A container's image need not have this interpreter.)
            trusted = (PROGRAM.parent, TRUSTED / "sqllogictest")
            readable = (workspace, *trusted, Path(sys.prefix), Path(sys.base_prefix))
            command = Sandbox("bwrap", False, hidden=sandbox.hidden).wrap(command, Path(code), readable=readable)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=allowed_environment(settings={"PYTHONHASHSEED": "0"}),
            process_group=0,  # not a session: what was started nice stays nice
        )

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        """One question, one answer.  Raises HarnessError when the process has ended (the engine cannot be imported)."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps({"ask": what, **arguments}).encode() + b"\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline())
        except (OSError, ValueError) as error:
            raise HarnessError("the repair agent's evaluator ended: the engine cannot be imported") from error
        return answer

    def close(self) -> None:
        """Ends the process and its children."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Pool:
    """Some workers on one workspace; `each` spreads questions over them and keeps the order of the answers."""

    def __init__(self, workspace: Path, module: str, n: int, sandbox: Sandbox | None = None) -> None:
        """`sandbox` is the wall around the evaluators, None for none."""
        self._workers = [Worker(workspace, module, _code_folder(os.getpid()), sandbox) for _ in range(max(1, n))]
        self._free: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            self._free.put(worker)
        self._threads = ThreadPoolExecutor(len(self._workers))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers."""
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def preload(self, files: Sequence[str]) -> None:
        """Imports the engine in every worker; the first one leaves its compiled code for the others."""
        for worker in self._workers:
            worker.ask("preload", files=list(files))

    def tell_all(self, what: str, **arguments: Any) -> None:
        """The same to every worker, at once."""
        list(self._threads.map(lambda worker: worker.ask(what, **arguments), self._workers))

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        """One question to a free worker."""
        worker = self._free.get()
        try:
            return worker.ask(what, **arguments)
        finally:
            self._free.put(worker)

    def attempt(self, edit: Edit | None, timeout_s: float, probes: Sequence[Probe] | None = None) -> dict[str, Any]:
        """The probes' verdict on an edit (None: on the engine as it is)."""
        return self.ask(
            "attempt",
            file=edit.file if edit else "",
            edits=edit.splice() if edit else [],
            timeout_s=timeout_s,
            probes=None if probes is None else list(probes),
        )

    def each(
        self, function: Callable[[Item], Result], items: Iterable[Item], ahead: int = 8
    ) -> Generator[tuple[Item, Result], None, None]:
        """(item, result) in the order of the items, with a few under way ahead; those in flight drain when it is closed."""
        waiting: list[tuple[Item, Future[Result]]] = []
        source = iter(items)
        try:
            for item in source:
                waiting.append((item, self._threads.submit(function, item)))
                if len(waiting) >= ahead:
                    first, future = waiting.pop(0)
                    yield first, future.result()
            for first, future in waiting:
                yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
