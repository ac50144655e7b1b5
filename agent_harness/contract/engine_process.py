"""The engine's own process: takes SQL on a pipe, gives rows on a pipe, and is watched by an audit hook.

Run by path with `python -I -S`, so it can import nothing but the standard library and the engine below the checkout.  It
never sees an expected result.  One JSON array a line comes in (`["open", path]`, `["sql", text]`, `["cover", text]`,
`["peek", text]`, `["close"]`), one JSON object a line goes out.  The audit hook ends the process, with the reason as its
last message, when engine code imports another engine or a way out (subprocess, sockets, ctypes), starts a program, opens a
file outside its package (reading) or its scratch folder (writing), or makes code anywhere but in COMPILERS and in
modules of the standard library that make classes.  Code that was made itself (`<string>` and its like) makes none, and none
may call itself by a file's name.

Code compiled before is taken from `--code=FOLDER` by the hash of its source; what was not there is named in the next answer
(`compiled`), and the grader compiles it for the next process.  A `__pycache__` in the checkout is never looked at: it could
hold other code than the source that the gates have read.

With `--serve` the process runs no SQL itself: `["fork", name]` makes a process that reads `name.in`, writes `name.out` and
has `name` as its scratch folder, `["wait", name]` and `["kill", name]` end it.

With `--coverage` the answer to `cover` also lists the (file, function, line) triples that ran, for the spectrum.
"""

from __future__ import annotations

import _imp
import hashlib
import json
import marshal
import os
import sys
import time
from collections.abc import Callable
from importlib.machinery import FileFinder, SourceFileLoader
from time import process_time
from types import CodeType, FrameType
from typing import Any, BinaryIO, cast

BANNED_MODULES = frozenset(
    [
        "sqlite3",
        "_sqlite3",
        "apsw",
        "duckdb",
        "ctypes",
        "_ctypes",
        "subprocess",
        "_posixsubprocess",
        "socket",
        "_socket",
        "multiprocessing",
        "_multiprocessing",
        "asyncio",
        "cffi",
        "_cffi_backend",
        "pty",
    ]
)
BANNED_EVENTS = (
    *("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty.", "socket."),
    *("ctypes.", "os.kill", "os.chown", "os.chmod", "os.putenv", "webbrowser.", "ftplib.", "http.", "urllib.", "smtplib."),
    *("sys.settrace", "sys.setprofile", "sys._current_frames", "gc.get_objects", "gc.get_referrers", "code.__new__"),
)
# Code that comes out of bytes, or is put into a function: the store of compiled modules below, and nobody else; but who may
# run code may make functions of it.
UNPACKING_EVENTS = ("marshal.load", "marshal.loads", "function.__new__")
ENDS_WITHIN_S = 5.0
# Below the engine's package, by prefix: where programs and records are made into code; nothing else may.
COMPILERS = (("vm", "compiled"), ("storage", "record.py"), ("storage", "record_encoder.py"))
# Of the standard library: named tuples and data classes, whose texts hold identifiers only, and types in quotation marks,
# which are compiled to see that they can be, and never run.
LIBRARY_COMPILERS = {
    ("collections", "__init__.py"): ("compile", "exec"),
    ("dataclasses.py",): ("compile", "exec"),
    ("typing.py",): ("compile",),
}
IMPORT_SYSTEM = "<frozen importlib"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WATCHED_PATH_EVENTS = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
LISTING_EVENTS = ("os.listdir", "os.scandir")


class Guard:
    """The audit hook and its state: off until the engine is about to be imported, then on for good."""

    def __init__(self, checkout: str, scratch: str, module: str, code: str, out: BinaryIO) -> None:
        # Of the checkout only the engine's package: the records next to it hold the expected results.
        package = os.path.join(checkout, *module.split("."))
        library = {sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)}
        own = {package, package + ".py", scratch, code or scratch}
        self._readable = tuple(os.path.realpath(path) + os.sep for path in library | own)
        self._scratch = os.path.realpath(scratch) + os.sep
        self._compilers = tuple(os.path.join(os.path.realpath(package), *place) for place in COMPILERS)
        library_folder = os.path.dirname(os.path.realpath(os.__file__))
        self._library_compilers = {os.path.join(library_folder, *place): events for place, events in LIBRARY_COMPILERS.items()}
        self._checkout = os.path.realpath(checkout) + os.sep
        self._out = out
        self._permitted = ""
        self.is_on = False

    def permit(self, event: str) -> None:
        """Lets the next event of this name pass, for the server's own use; the guard stays on meanwhile."""
        self._permitted = event

    def narrow(self, scratch: str, out: BinaryIO) -> None:
        """For a forked process: only its own part of the scratch folder, and its own pipe for the last message."""
        self._readable = tuple(path for path in self._readable if path != self._scratch)
        self._scratch = os.path.realpath(scratch) + os.sep
        self._readable += (self._scratch,)
        self._out = out

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "import":
            if arguments[0].partition(".")[0] in BANNED_MODULES:
                self._end(f"import of {arguments[0]}")
        elif event == "open":
            self._check_open(arguments)
        elif event in ("exec", "compile"):
            self._check_code(event, arguments)
        elif event in UNPACKING_EVENTS:
            maker = sys._getframe(1).f_code.co_filename
            is_compiler = event == "function.__new__" and os.path.realpath(maker).startswith(self._compilers)
            if maker != __file__ and not maker.startswith(IMPORT_SYSTEM) and not is_compiler:
                self._end(f"{event} in {maker}")
        elif event in WATCHED_PATH_EVENTS:
            if not isinstance(arguments[0], int) and not self._is_below(arguments[0], (self._scratch,)):
                self._end(f"{event} outside the scratch folder: {arguments[0]!r}")
        elif event in LISTING_EVENTS:
            self._check_listing(event, arguments[0])
        elif event == self._permitted:
            self._permitted = ""
        elif event.startswith(BANNED_EVENTS):
            self._end(f"{event} {arguments[:1]!r}")

    def _check_listing(self, event: str, path: object) -> None:
        # The import system lists the checkout's top folder, which says no more than names.
        if isinstance(path, int) or self._is_below(path, self._readable):
            return
        if os.path.realpath(str(path)) + os.sep != self._checkout:
            self._end(f"{event} outside the engine's package: {path!r}")

    def _is_below(self, path: object, folders: tuple[str, ...]) -> bool:
        real = os.path.realpath(os.fsdecode(path) if isinstance(path, bytes | str | os.PathLike) else str(path))
        return (real + os.sep).startswith(folders)

    def _check_open(self, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        if isinstance(path, int) or path in (os.devnull, "/dev/urandom", "/etc/localtime"):
            return
        is_writing = bool(flags & WRITING) if isinstance(flags, int) else any(letter in (mode or "r") for letter in "wax+")
        if is_writing and not self._is_below(path, (self._scratch,)):
            self._end(f"open for writing outside the scratch folder: {path!r}")
        if not is_writing and not self._is_below(
            path, (*self._readable, os.sep + "usr" + os.sep + "share" + os.sep + "zoneinfo")
        ):
            self._end(f"open outside the engine's package: {path!r}")

    def _check_code(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Only the import system makes code with a file's name, only the listed modules make other code."""
        try:
            maker = sys._getframe(2).f_code.co_filename
        except ValueError:  # a thread that has no function but the built-in one
            self._end(f"{event} outside any code")
            return
        if maker.startswith(IMPORT_SYSTEM):
            return
        real = os.path.realpath(maker) if os.path.isabs(maker) else maker
        if not real.startswith(self._compilers) and event not in self._library_compilers.get(real, ()):
            self._end(f"{event} in {real.removeprefix(self._checkout)}")
        name = arguments[1] if event == "compile" else getattr(arguments[0], "co_filename", "")
        text = os.fsdecode(name) if isinstance(name, bytes | str) else ""
        if text.startswith(IMPORT_SYSTEM) or os.path.isabs(text):
            self._end(f"{event} under the name {text!r} in {real.removeprefix(self._checkout)}")

    def _end(self, reason: str) -> None:
        self.is_on = False
        self._out.write(json.dumps({"violation": reason}).encode() + b"\n")
        self._out.flush()
        os._exit(97)


class CodeStore:
    """Compiled code by the hash of its source, written by the grader alone; `missing` are the files it has not got."""

    def __init__(self, checkout: str, folder: str) -> None:
        self._top = os.path.realpath(checkout)
        self._folder = folder
        self.missing: list[str] = []

    def hook(self, path: str) -> FileFinder:
        """For sys.path_hooks: modules below the checkout are found as sources only."""
        real = os.path.realpath(path)
        if real != self._top and not real.startswith(self._top + os.sep):
            raise ImportError
        store = self

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType | None:
                return store.code(self, fullname)

        return FileFinder(path, (Loader, [".py"]))

    def code(self, loader: SourceFileLoader, name: str) -> CodeType:
        """The code of a module, from the store if its source was compiled before."""
        path = loader.get_filename(name)
        source = loader.get_data(path)
        try:
            with open(os.path.join(self._folder, code_name(source)), "rb") as file:
                code: CodeType = marshal.load(file)
        except (OSError, EOFError, ValueError, TypeError):
            self.missing.append(path)
            made: CodeType = loader.source_to_code(source, path)
            return made
        imports: Any = _imp
        imports._fix_co_filename(code, path)  # as the import system does: the text may be from another worktree
        return code


def code_name(source: bytes) -> str:
    """The store's file name for a source, under this interpreter."""
    return f"{hashlib.sha256(source).hexdigest()}.{sys.implementation.cache_tag}"


class Coverage:
    """Collects (file, function, line) triples of engine code, by sys.monitoring where there is one, else by sys.settrace."""

    def __init__(self, checkout: str) -> None:
        self._prefix = os.path.realpath(checkout) + os.sep
        self._seen: set[tuple[CodeType, int]] = set()
        self._tool = 3
        self._disable: object = None

    def start(self) -> None:
        """Begins with an empty set."""
        self._seen = set()
        if sys.version_info >= (3, 12):
            monitoring: Any = sys.monitoring
            self._disable = monitoring.DISABLE
            if monitoring.get_tool(self._tool) is None:
                monitoring.use_tool_id(self._tool, "spectrum")
                monitoring.register_callback(self._tool, monitoring.events.LINE, self._on_line)
            monitoring.restart_events()
            monitoring.set_events(self._tool, monitoring.events.LINE)
        else:
            sys.settrace(self._on_call)

    def _on_line(self, code: CodeType, line: int) -> object:
        self._seen.add((code, line))
        return self._disable

    def _on_call(self, frame: FrameType, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(self._prefix):
            return None
        seen, code = self._seen, frame.f_code

        def on_line(inner: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                seen.add((code, inner.f_lineno))
            return on_line

        return on_line

    def stop(self) -> None:
        """Ends collecting."""
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(self._tool, 0)
        else:
            sys.settrace(None)

    def triples(self) -> list[tuple[str, str, int]]:
        """What ran between start and stop."""
        prefix = self._prefix
        return sorted(
            (code.co_filename[len(prefix) :], code.co_qualname, line)
            for code, line in self._seen
            if code.co_filename.startswith(prefix)
        )


def encode(value: object) -> object:
    """A value as JSON: blobs become {"x": hex}, text keeps its surrogates."""
    if isinstance(value, bytes):
        return {"x": value.hex()}
    if value is None or type(value) in (int, float, str):
        return value
    return {"type": type(value).__name__}


class Session:
    """One connection of the engine under test."""

    def __init__(self, module: Any, guard: Guard, coverage: Coverage | None) -> None:
        self._module = module
        self._guard = guard
        self._coverage = coverage
        self._connection: Any = None
        self._cursor: Any = None

    def answer(self, request: list[Any]) -> dict[str, Any]:
        """Carries out one request; whatever the engine raises becomes an answer."""
        if self._coverage is not None and request[0] == "cover":
            self._switch(self._coverage.start)
            try:
                answer = self._try(request)
            finally:
                self._switch(self._coverage.stop)
            answer["coverage"] = self._coverage.triples()
            return answer
        return self._try(request)

    def _switch(self, tracing: Callable[[], None]) -> None:
        """Starts or stops tracing, which the guard forbids to everybody else."""
        self._guard.is_on = False
        try:
            tracing()
        finally:
            self._guard.is_on = True

    def _try(self, request: list[Any]) -> dict[str, Any]:
        try:
            return self._carry_out(*request)
        except Exception as error:  # an answer for the grader, whatever it is
            is_refusal = isinstance(error, self._module.Error)
            return {"error": str(error), "class": type(error).__name__, "refusal": is_refusal, "trace": _where(error)}

    def _carry_out(self, operation: str, argument: Any = None) -> dict[str, Any]:
        if operation == "open":
            self._connection = self._module.connect(argument or ":memory:", isolation_level=None)
            self._cursor = self._connection.cursor()
            return {}
        if operation == "close":
            if self._connection is not None:
                self._connection.close()
            self._connection = self._cursor = None
            return {}
        if operation == "peek":
            return self._peek(argument)
        self._cursor.execute(argument)
        rows = self._cursor.fetchall()
        return {
            "rows": [[encode(value) for value in row] for row in rows],
            "columns": len(self._cursor.description or ()),
            "changed": self._cursor.rowcount,
            "transaction": bool(self._connection.in_transaction),
        }

    def _peek(self, sql: str) -> dict[str, Any]:
        """The rows that a failing query gives before it fails."""
        cursor = self._connection.cursor()
        cursor.execute("EXPLAIN " + sql)
        cursor.fetchall()
        rows: list[list[object]] = []
        try:
            for row in cursor.execute(sql):
                rows.append([encode(value) for value in row])
        except self._module.Error:
            pass
        return {"rows": rows}


def _where(error: BaseException) -> str:
    traceback = error.__traceback__
    place = ""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        place = f"{os.path.basename(code.co_filename)}:{code.co_qualname}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


def _pipe(path: str, flags: int, mode: str) -> BinaryIO:
    return cast("BinaryIO", os.fdopen(os.open(path, flags), mode))


class Server:
    """Forks processes that have the engine imported."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._children: dict[str, int] = {}

    def serve(self, incoming: BinaryIO, outgoing: BinaryIO) -> tuple[BinaryIO, BinaryIO] | None:
        """Answers requests until they end; in a forked process returns that one's own pipes."""
        for line in incoming:
            what, name = json.loads(line)
            if what != "fork":
                answer = {"seconds": self._end(name, what == "kill")}
            else:
                self._guard.permit("os.fork")
                child = os.fork()
                if child == 0:
                    pipes = _pipe(name + ".in", os.O_RDONLY, "rb"), _pipe(name + ".out", os.O_WRONLY, "wb")
                    os.chdir(name)
                    self._guard.narrow(name, pipes[1])
                    os.close(incoming.fileno())
                    os.close(outgoing.fileno())
                    return pipes
                self._children[name] = child
                answer = {}
            outgoing.write(json.dumps(answer).encode() + b"\n")
            outgoing.flush()
        return None

    def _end(self, name: str, is_killing: bool) -> float:
        child = self._children.pop(name, 0)
        if not child:
            return 0.0
        deadline = time.monotonic() + (0.0 if is_killing else ENDS_WITHIN_S)
        while True:
            ended, _, usage = os.wait4(child, os.WNOHANG)
            if ended:
                return usage.ru_utime + usage.ru_stime
            if time.monotonic() >= deadline:
                self._guard.permit("os.kill")
                os.kill(child, 9)
                _, _, usage = os.wait4(child, 0)
                return usage.ru_utime + usage.ru_stime
            time.sleep(0.002)


def main(arguments: list[str]) -> int:
    """`engine_process.py CHECKOUT SCRATCH MODULE [--coverage] [--serve] [--code=FOLDER]`."""
    checkout, scratch, module_name = arguments[:3]
    incoming: BinaryIO = os.fdopen(os.dup(0), "rb")
    outgoing: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what the engine prints goes to stderr
    sys.dont_write_bytecode = True
    sys.path.insert(0, checkout)
    os.chdir(scratch)
    folder = next((word[len("--code=") :] for word in arguments if word.startswith("--code=")), "")
    store = CodeStore(checkout, folder)
    sys.path_hooks.insert(0, store.hook)
    guard = Guard(checkout, scratch, module_name, folder, outgoing)
    coverage = Coverage(checkout) if "--coverage" in arguments else None
    sys.addaudithook(guard)
    guard.is_on = True
    try:
        module = __import__(module_name)
    except Exception as error:
        outgoing.write(json.dumps({"fatal": f"{type(error).__name__}: {error}", "trace": _where(error)}).encode() + b"\n")
        outgoing.flush()
        return 1
    outgoing.write(json.dumps({"compiled": store.missing}).encode() + b"\n")
    outgoing.flush()
    if "--serve" in arguments:
        pipes = Server(guard).serve(incoming, outgoing)
        if pipes is None:
            return 0
        incoming, outgoing = pipes
        outgoing.write(b"{}\n")
        outgoing.flush()
    _answer_all(Session(module, guard, coverage), store, incoming, outgoing)
    return 0


def _answer_all(session: Session, store: CodeStore, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    for line in incoming:
        store.missing = []
        *request, number = json.loads(line)
        started = process_time()
        answer = session.answer(request)
        answer["cpu_seconds"] = process_time() - started
        answer["question"] = number
        if store.missing:
            answer["compiled"] = store.missing
        outgoing.write(json.dumps(answer).encode() + b"\n")
        outgoing.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
