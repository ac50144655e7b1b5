"""A process that runs workloads on one engine: commands come as lines of JSON, answers go back the same way.

Engines are "minisql", "sqlite3", "floor" (the same work by hand over lists of tuples) and "sqlglot" (its executor, over its own
tables in memory).  Commands: {"prepare": name, "divisor": n} sets a workload up, {"run": true} runs it and returns the seconds
of CPU and of the wall clock with a digest of the result, {"version": true} names the engine.  What an engine cannot do is
answered as {"error": text}.
"""

from __future__ import annotations

import gc
import importlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from comparison import fetch, files, front, functions, olap, oltp
from comparison.data import SCHEMA, tables
from comparison.workload import REGISTRY, Stage, Workload, digest

LIMIT_S = 20
MODULES = (oltp, olap, fetch, functions, files, front)


Call = Callable[[], Any]


def prepare_runner(engine: str, workload: Workload, stage: Stage) -> tuple[Call, Call, Call]:
    """What runs the workload once, what is to be called before, and what tells afterwards how it went."""
    if engine == "floor":
        data = tables(stage.divisor)
        floor = workload.floor
        if floor is None:
            raise LookupError("no loop by hand")
        return lambda: floor(data), _nothing, _nothing
    if engine == "sqlglot":
        return _sqlglot_runner(workload, stage), _nothing, _nothing
    state = workload.setup(importlib.import_module(engine), stage)
    reset, verify = workload.reset, workload.verify
    return (
        lambda: workload.run(state),
        (lambda: reset(state)) if reset is not None else _nothing,
        (lambda: verify(state)) if verify is not None else _nothing,
    )


def _nothing() -> None:
    pass


def _sqlglot_runner(workload: Workload, stage: Stage) -> Callable[[], Any]:
    executor, table = (importlib.import_module(f"sqlglot.executor{part}") for part in ("", ".table"))
    sql = workload.query
    if sql is None:
        raise LookupError("not a single query")
    columns = {
        line.split("(")[0].split()[-1]: [part.split()[0] for part in line[line.index("(") + 1 :].split(",")]
        for line in SCHEMA.splitlines()
        if line.startswith("CREATE TABLE")
    }
    made = {name: table.Table(tuple(columns[name]), rows=content) for name, content in tables(stage.divisor).items()}
    return lambda: executor.execute(sql, tables=made, dialect="sqlite").rows


def _give_up(number: int, frame: object) -> None:
    raise TimeoutError(f"no answer after {LIMIT_S} s")


def serve(engine: str) -> None:
    """Answers commands until the end of the input."""
    signal.signal(signal.SIGALRM, _give_up)
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        stage = Stage(folder)
        workload: Workload | None = None
        run: Call = _nothing
        reset: Call = _nothing
        verify: Call = _nothing
        for line in sys.stdin:
            command = json.loads(line)
            answer: dict[str, Any]
            try:
                # Only sqlglot's executor is known to need this: it makes products of what it cannot join.
                signal.alarm(LIMIT_S if engine == "sqlglot" else 0)
                if "prepare" in command:
                    run = reset = verify = _nothing
                    gc.collect()
                    workload = REGISTRY.workloads[command["prepare"]]
                    stage.divisor = command["divisor"]
                    run, reset, verify = prepare_runner(engine, workload, stage)
                    answer = {"ready": True}
                elif "version" in command:
                    answer = {"version": _version(engine)}
                else:
                    assert workload is not None, "prepare comes first"
                    answer = measure(run, reset, verify, workload.is_ordered)
            except Exception as error:  # whatever an engine raises is an answer: it cannot run this workload.
                answer = {"error": f"{type(error).__name__}: {error}"[:300]}
            signal.alarm(0)
            print(json.dumps(answer), flush=True)


def measure(run: Call, reset: Call, verify: Call, is_ordered: bool) -> dict[str, Any]:
    """Runs once, with the garbage of what came before collected."""
    reset()
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    verified = verify()
    return {"cpu": cpu, "wall": wall, "digest": digest(result if verified is None else verified, is_ordered)}


def _version(engine: str) -> str:
    python = f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}"
    if engine == "floor":
        return python
    module = importlib.import_module(engine)
    return f"{getattr(module, 'sqlite_version', None) or module.__version__}, {python}"


if __name__ == "__main__":
    serve(sys.argv[1])
