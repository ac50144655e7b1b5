"""Runs edited engines fast: a process that has the engine imported and tries each edit in a forked child.

Run by path: `python -I -S evaluator.py WORKSPACE TRUSTED MODULE CACHE`.  One JSON object a line comes in, one goes out.
An edit inside a function is compiled alone and put in place of the old code object in the child (a few milliseconds); any
other edit makes the child import the engine anew with the edited file laid over it (some 200 ms).  A child that hangs is
ended by its alarm, one that grows by its memory limit; whatever it does to the engine's state dies with it.

A probe is what a child is asked: `{"kind": "script"}` with the reference's answer to the last statement, or
`{"kind": "records"}`, a test file's text with the lines of the records that matter (none: all).  The runner comes from
TRUSTED, the engine from WORKSPACE.  This is the agent's own trial bench, not a verdict: the gates judge afterwards, elsewhere.
"""

from __future__ import annotations

import _imp
import ast
import contextlib
import gc
import hashlib
import importlib
import importlib.machinery
import json
import marshal
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

ANNOTATIONS = 0x1000000  # __future__.annotations: the engine's are never evaluated
MEMORY_LIMIT = 3 << 30
TRACED_SECONDS = 0.4  # of CPU, for the passing records of a suite
WALL_FACTOR = 6.0  # a child on a busy machine; one that sleeps ends by this
MOST_LINES = 1 << 16  # of a file
Lines = dict[str, list[int]]


class CannotReplace(Exception):
    """The edit is not inside one function's body, or the function is not alive: import anew."""


class Sources:
    """The workspace's files as text and trees, read once; `functions` finds living functions by their code's place."""

    def __init__(self, workspace: str) -> None:
        self.workspace = workspace
        self._texts: dict[str, bytes] = {}
        self._trees: dict[str, ast.Module] = {}
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}

    def path(self, file: str) -> str:
        """The absolute path of a file of the workspace."""
        return os.path.join(self.workspace, file)

    def text(self, file: str) -> bytes:
        """The file as it is on disk."""
        if file not in self._texts:
            with open(self.path(file), "rb") as source:
                self._texts[file] = source.read()
        return self._texts[file]

    def tree(self, file: str) -> ast.Module:
        """The file's tree."""
        if file not in self._trees:
            self._trees[file] = ast.parse(self.text(file))
        return self._trees[file]

    def find_functions(self) -> None:
        """Maps (path, qualified name, first line) of every living function's code to the functions."""
        self.functions = {}
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename.startswith(self.workspace):
                code = each.__code__
                self.functions.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(each)


def edited(text: bytes, edits: list[list[Any]]) -> bytes:
    """The text with (start, end, replacement) byte splices applied."""
    for start, end, replacement in sorted(edits, key=lambda edit: -int(edit[0])):
        text = text[:start] + replacement.encode() + text[end:]
    return text


def first_line(node: ast.stmt) -> int:
    """The line at which a definition begins, decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return min(node.lineno, *(decorator.lineno for decorator in decorators)) if decorators else node.lineno


def replace_function(sources: Sources, file: str, edits: list[list[Any]]) -> None:
    """Puts the edited function's code in place.  Raises CannotReplace, SyntaxError or ValueError."""
    text = sources.text(file)
    line = text.count(b"\n", 0, min(edit[0] for edit in edits)) + 1
    last = text.count(b"\n", 0, max(edit[1] for edit in edits)) + 1
    outer = _enclosing(sources.tree(file).body, line, last)
    if isinstance(outer, ast.ClassDef):
        inner = _enclosing(outer.body, line, last)
        head = f"class {outer.name}:\n"
    else:
        outer, inner, head = None, outer, ""
    if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) or line < inner.body[0].lineno:
        raise CannotReplace(file)
    begin, new = first_line(inner), edited(text, edits)
    end = (inner.end_lineno or begin) + new.count(b"\n") - text.count(b"\n")
    body = b"\n".join(new.split(b"\n")[begin - 1 : end])
    padding = "\n" * (begin - 1 - bool(head))
    # A method is compiled inside an empty class of the same name, so that mangled names and super() mean the same.
    code = compile(padding.encode() + head.encode() + body, sources.path(file), "exec", ANNOTATIONS, True)
    n_replaced = _put(sources, code)
    if n_replaced == 0:
        raise CannotReplace(file)


def _enclosing(body: list[ast.stmt], line: int, last: int) -> ast.stmt | None:
    for node in body:
        if first_line(node) <= line and last <= (node.end_lineno or 0):
            return node
    return None


def _put(sources: Sources, code: CodeType) -> int:
    count = 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            key = (constant.co_filename, constant.co_qualname, constant.co_firstlineno)
            for function in sources.functions.get(key, ()):
                if len(sources.functions[key]) > 1 and not _is_alike(function.__code__, constant):
                    raise CannotReplace(constant.co_qualname)
                function.__code__ = constant
                count += 1
            count += _put(sources, constant)
    return count


def _is_alike(old: CodeType, new: CodeType) -> bool:
    """Whether two codes at one place (lambdas on one line) can only be the same function."""
    return old.co_name != "<lambda>" and old.co_varnames[: old.co_argcount] == new.co_varnames[: new.co_argcount]


def import_anew(sources: Sources, file: str, edits: list[list[Any]], package: str) -> None:
    """Forgets the engine's modules and lays the edited file over the next import."""
    target, text = sources.path(file), edited(sources.text(file), edits)
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, fullname: str) -> Any:
        if loader.path == target:
            return compile(text, target, "exec", dont_inherit=True)
        return original(loader, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment,method-assign]
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        del sys.modules[name]
    importlib.import_module(package)


def keep_code(folder: str, workspace: str) -> None:
    """Takes compiled code of the workspace's modules from `folder`, by the source's hash, and puts there what is missing."""
    compile_plainly = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: Any, fullname: str) -> Any:
        if not loader.path.startswith(workspace):
            return compile_plainly(loader, fullname)
        source = loader.get_data(loader.path)
        kept = os.path.join(folder, f"{hashlib.sha256(source).hexdigest()}.{sys.implementation.cache_tag}")
        try:
            with open(kept, "rb") as file:
                code = marshal.load(file)
        except (OSError, EOFError, ValueError, TypeError):
            code = loader.source_to_code(source, loader.path)
            part = f"{kept}.{os.getpid()}"
            with contextlib.suppress(OSError):
                with open(part, "wb") as file:
                    marshal.dump(code, file)
                os.replace(part, kept)
            return code
        imports: Any = _imp
        imports._fix_co_filename(code, loader.path)  # the text may be from another workspace
        return code

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[assignment,method-assign]


class Trace:
    """Collects the engine's lines that run in this process, in all its threads, as numbers that `places` explains."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._bases: dict[str, int] = {}
        self._known: dict[CodeType, Any] = {}
        self._seen: set[int] = set()

    def start(self) -> None:
        """Begins with nothing seen."""
        self._seen = set()
        self._known = {}
        threading.settrace(self._on_call)
        sys.settrace(self._on_call)

    def _on_call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        known = self._known.get(code, self)
        if known is not self:
            return known
        if not code.co_filename.startswith(self._workspace):
            self._known[code] = None
            return None
        base = self._bases.setdefault(code.co_filename, len(self._bases) * MOST_LINES)
        add = self._seen.add

        def on_line(inner: FrameType, event: str, argument: object) -> Any:
            add(base + inner.f_lineno)
            return on_line

        self._known[code] = on_line
        return on_line

    def stop(self) -> set[int]:
        """Ends and gives the numbers of the lines that ran."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type,unused-ignore]
        return self._seen

    def places(self) -> Callable[[int], tuple[str, int]]:
        """From a number to file and line."""
        n = len(self._workspace)
        files = [name[n:] for name in self._bases]
        return lambda number: (files[number // MOST_LINES], number % MOST_LINES)

    def by_file(self, numbers: set[int]) -> Lines:
        """The lines of each file."""
        found: dict[str, set[int]] = {}
        for file, line in map(self.places(), numbers):
            found.setdefault(file, set()).add(line)
        return {file: sorted(lines) for file, lines in found.items()}


class Recorder:
    """The engine lines that each record of a suite runs: the targets and what they need, and others while there is time."""

    def __init__(self, records: list[Any], trace: Trace, targets: set[int], needs: dict[str, list[int]]) -> None:
        self._records = records
        self._trace = trace
        self._targets = targets
        self._needs = needs
        self._always = targets.union(*(needs.get(str(line), ()) for line in targets))
        self._position = 0
        self._runs: dict[int, set[int]] = {}
        self._seconds = 0.0

    def watch(self, engine: Any) -> None:
        """Traces what `engine` executes from its next opening on."""
        open_plainly = engine.open

        def open_traced(path: str | None) -> None:
            open_plainly(path)
            execute = engine.execute

            def traced(sql: str) -> Any:
                line = self._line_of(sql)
                if self._seconds > TRACED_SECONDS and line not in self._always:
                    return execute(sql)
                began = time.process_time()
                self._trace.start()
                try:
                    return execute(sql)
                finally:
                    self._runs.setdefault(line, set()).update(self._trace.stop())
                    self._seconds += (time.process_time() - began) * (line not in self._always)

            engine.execute = traced

        engine.open = open_traced

    def _line_of(self, sql: str) -> int:
        """The line of the next record with this statement; 0 for the runner's own."""
        for position in range(self._position, len(self._records)):
            if sql in self._records[position].sql:
                self._position = position
                return int(self._records[position].line)
        return 0

    def counts(self, failing: set[int]) -> dict[str, Any]:
        """What `spectrum` answers."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for line in self._runs:
            if line and (line not in failing or line in self._targets):
                groups.setdefault(tuple(self._needs.get(str(line), ())), []).append(line)
        failed: Counter[int] = Counter()
        passed: Counter[int] = Counter()
        small: list[list[int]] = []
        for needed, lines in groups.items():
            shared = set().union(*(self._runs.get(line, ()) for line in needed))
            wrong = [line for line in lines if line in failing]
            small += [[line, len(shared | self._runs[line])] for line in wrong]
            self._count(failed, shared, wrong)
            self._count(passed, shared, [line for line in lines if line not in failing])
        place = self._trace.places()
        found: dict[str, dict[int, list[int]]] = {}
        for number in failed.keys() | passed.keys():
            file, at = place(number)
            pair = found.setdefault(file, {}).setdefault(at, [0, 0])
            pair[0] += failed[number]
            pair[1] += passed[number]
        n_passing = sum(map(len, groups.values())) - len(small)
        return {"n": [len(small), n_passing], "counts": found, "failing": small, "all": sorted(failing)}

    def _count(self, counts: Counter[int], shared: set[int], lines: list[int]) -> None:
        for line in lines:
            counts.update(self._runs[line] - shared)
        if lines:
            for number in shared:
                counts[number] += len(lines)


class Bench:
    """What the process can be asked."""

    def __init__(self, workspace: str, module: str) -> None:
        self.sources = Sources(os.path.realpath(workspace) + os.sep)
        self.module = module
        self.probes: list[dict[str, Any]] = []

    # -- asked by the agent

    def preload(self, files: list[str]) -> dict[str, Any]:
        """Imports the whole engine, and the modules of these files.

        A module that a child imports by itself costs every child, and its first lines look as if the record ran them.
        """
        importlib.import_module(self.module)
        importlib.import_module("sqllogictest.engines").make_engine(self.module)
        for file in (*self._engine_files(), *files):
            name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        gc.unfreeze()  # what is frozen is not listed
        self.sources.find_functions()
        gc.collect()
        gc.freeze()
        return {}

    def _engine_files(self) -> list[str]:
        top = self.module.replace(".", "/")
        found = []
        for folder, _, names in os.walk(self.sources.path(top)):
            inside = os.path.relpath(folder, self.sources.workspace)
            found += [f"{inside}/{name}" for name in names if name.endswith(".py") and name != "__main__.py"]
        return sorted(found)

    def set_probes(self, probes: list[dict[str, Any]]) -> dict[str, Any]:
        """The probes that `attempt` asks."""
        self.probes = probes
        return {}

    def attempt(
        self, file: str, edits: list[list[Any]], timeout_s: float, probes: list[dict[str, Any]] | None
    ) -> dict[str, Any]:
        """Asks the probes in order, of the engine with an edit (`file` empty: as it is); ends at the first that fails."""
        asked = self.probes if probes is None else probes
        if file:
            self.sources.tree(file)  # read here once, for all children

        def work() -> dict[str, Any]:
            is_in_place = True
            if file:
                try:
                    replace_function(self.sources, file, edits)
                except (CannotReplace, ValueError):
                    is_in_place = False
                    import_anew(self.sources, file, edits, self.module)
            reason, passed = "", 0
            for probe in asked:
                reason = ask(probe, self.module)
                if reason:
                    break
                passed += 1
            return {"passed": passed, "reason": reason, "cpu_s": time.process_time(), "is_in_place": is_in_place}

        return self._in_child(work, timeout_s)

    def failing_lines(self, probe: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The lines of a records probe that fail on the engine as it is; None when it gives no answer."""

        def work() -> dict[str, Any]:
            runner = importlib.import_module("sqllogictest")
            outcome = run_records(probe, runner, runner.make_engine(self.module))
            return {"failing": sorted({failure.line for failure in outcome.failures})}

        return {"failing": self._in_child(work, timeout_s).get("failing")}

    def cover(self, probe: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The lines that a probe runs, and the innermost engine lines of an unexpected exception."""

        def work() -> dict[str, Any]:
            trace = Trace(self.sources.workspace)
            places: list[list[Any]] = []
            trace.start()
            try:
                reason = ask(probe, self.module, places)
            finally:
                lines = trace.by_file(trace.stop())
            n = len(self.sources.workspace)
            inside = [[file[n:], line] for file, line in places if file.startswith(self.sources.workspace)]
            return {"reason": reason, "lines": lines, "places": inside}

        return self._in_child(work, timeout_s)

    def spectrum(self, probe: dict[str, Any], needs: dict[str, list[int]], timeout_s: float) -> dict[str, Any]:
        """How many failing and passing records run each engine line, themselves or by the statements that they need.

        `needs` maps a record's line to those of the earlier statements; of the failing records only the probe's lines count.
        `counts` is {file: {line: [failing, passing]}}, `failing` the failing records as (line, number of engine lines run),
        `all` the lines that fail; `n` None when the suite gives no answer.
        """

        def work() -> dict[str, Any]:
            runner = importlib.import_module("sqllogictest")
            records = runner.parse_records(probe["text"])
            recorder = Recorder(records, Trace(self.sources.workspace), set(probe["lines"]), needs)
            engine = runner.make_engine(self.module)
            recorder.watch(engine)
            outcome = run_records(probe, runner, engine)
            return recorder.counts({failure.line for failure in outcome.failures})

        return self._in_child(work, timeout_s)

    # -- children

    def _in_child(self, work: Any, timeout_s: float) -> dict[str, Any]:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be_child(work, writing, timeout_s)
        os.close(writing)
        try:
            answer = _read_all(reading, time.monotonic() + WALL_FACTOR * timeout_s + 2.0)
        finally:
            os.close(reading)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        try:
            decoded: dict[str, Any] = json.loads(answer)
        except ValueError:
            return {"passed": 0, "reason": "no answer: hung or died", "cpu_s": 0.0, "lines": {}, "places": [], "n": None}
        return decoded


def _read_all(reading: int, deadline: float) -> bytes:
    parts: list[bytes] = []
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return b""
        part = os.read(reading, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _be_child(work: Any, writing: int, timeout_s: float) -> None:
    """Runs in the child and never returns: one JSON document to the pipe, then the end."""
    try:
        # By CPU time: what else the machine does must not decide whether an edit hangs.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, timeout_s)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        answer = work()
    except BaseException as error:  # whatever the edited engine raises is the answer
        answer = {"passed": 0, "reason": f"{type(error).__name__}: {error}"[:500], "cpu_s": time.process_time()}
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(writing, data) :]
    os._exit(0)


def ask(probe: dict[str, Any], module: str, places: list[list[Any]] | None = None) -> str:
    """Asks one probe; '' when the engine gives the right answer, else why not."""
    runner = importlib.import_module("sqllogictest")
    engine = runner.make_engine(module)
    if probe["kind"] == "records":
        return _ask_records(probe, runner, engine, places)
    engine.open(None)
    for sql in probe["script"][:-1]:
        try:
            engine.execute(sql)
        except Exception as error:
            _note(error, engine, places)
    try:
        rows = [list(row) for row in engine.execute(probe["script"][-1])]
    except engine.errors as error:
        return "" if "error" in probe and probe["error"] in ("", str(error)) else f"error: {error}"
    except Exception as error:
        _note(error, engine, places)
        return f"crash: {type(error).__name__}: {error}"
    if "error" in probe:
        return "no error"
    found = [[plain(value) for value in row] for row in rows]
    if not probe["ordered"]:
        found.sort(key=repr)
    return "" if found == probe["rows"] else "other rows"


def plain(value: Any) -> Any:
    """A value in a form that JSON keeps and that tells types and bits apart."""
    if isinstance(value, bytes):
        return ["blob", value.hex()]
    if value is None or type(value) is int:
        return value
    return [type(value).__name__, repr(value)]


def _note(error: Exception, engine: Any, places: list[list[Any]] | None) -> None:
    """Keeps the lines that an exception went through, if the engine did not mean to raise it."""
    if places is None or isinstance(error, engine.errors):
        return
    traceback = error.__traceback__
    while traceback is not None:
        places.append([traceback.tb_frame.f_code.co_filename, traceback.tb_lineno])
        traceback = traceback.tb_next


def _ask_records(probe: dict[str, Any], runner: Any, engine: Any, places: list[list[Any]] | None) -> str:
    if places is not None:
        original = engine.open

        def open_noting(path: str | None) -> None:
            original(path)
            execute = engine.execute

            def noting(sql: str) -> Any:
                try:
                    return execute(sql)
                except Exception as error:
                    _note(error, engine, places)
                    raise

            engine.execute = noting

        engine.open = open_noting
    outcome = run_records(probe, runner, engine)
    wanted = set(probe["lines"])
    ignored = set(probe.get("ignored", ()))
    for failure in outcome.failures:
        if failure.line not in ignored and (not wanted or failure.line in wanted or failure.line == 0):
            return f"{probe['name']}:{failure.line}: {failure.reason}"
    return ""


def run_records(probe: dict[str, Any], runner: Any, engine: Any) -> Any:
    """The runner's result on a records probe; time limits are the child's alarm."""
    options = runner.RunOptions(
        is_database_file=probe.get("file", False), record_timeout_s=0, file_timeout_s=0, max_failures=1_000_000
    )
    return runner.run_text(probe["text"], engine, options, probe["name"])


def main(arguments: list[str]) -> int:
    """`evaluator.py WORKSPACE TRUSTED MODULE CACHE`."""
    workspace, trusted, module, cache = arguments
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    scratch = tempfile.mkdtemp(prefix="repair-")
    sys.dont_write_bytecode = True
    keep_code(cache, os.path.realpath(workspace) + os.sep)
    sys.path.insert(0, trusted)
    importlib.import_module("sqllogictest")
    sys.path[0] = workspace
    os.chdir(scratch)
    tempfile.tempdir = scratch
    bench = Bench(workspace, module)
    try:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            answer = getattr(bench, request.pop("ask"))(**request)
            out.write(json.dumps(answer).encode() + b"\n")
            out.flush()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
