"""Many files at once: a pool of processes, or any `concurrent.futures` executor, or none.

Files go out longest first and results come back in the order in which they finish. A worker process that dies takes the pool
with it: the files that were under way are tried once more, each in a process of its own, and a file that kills that one too
is a failure of its own, so that one crash never hides the results of the others.
An executor is named by an entry point of the group `sqllogictest.executors` or as `package.module:factory`; a factory may
return an executor or an object with `get_executor` (a `dask.distributed` Client). Files then travel with their content.
"""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from importlib.metadata import entry_points
from typing import Any

from sqllogictest.engines import EngineError, load_object, make_engine
from sqllogictest.runner import Failure, FileResult, RunOptions, run_text
from sqllogictest.samples import longest_first
from sqllogictest.sources import TestFile

Task = Callable[[TestFile, RunOptions], FileResult]


def run_file(file: TestFile, options: RunOptions) -> FileResult:
    """Run one file on the engine that the options name; this is what worker processes are sent."""
    if file.query_stride > 1:
        options = replace(options, query_stride=file.query_stride)
    return run_text(file.read(), make_engine(options.engine, options.engine_name), options, file.name, file.group)


def run_files(
    files: Sequence[TestFile],
    options: RunOptions,
    jobs: int = 1,
    executor: Executor | None = None,
    task: Task = run_file,
) -> Generator[FileResult, None, None]:
    """Yield the result of every file as it finishes; closing the generator cancels what has not begun.

    With `executor` None the files run in `jobs` processes, for one job in this process.
    """
    ordered = longest_first(files)
    if executor is not None:
        # Over a generator, so that a file's bytes are read when it is submitted.
        yield from _collect(executor, (file.with_content() for file in ordered), options, task, [])
    elif jobs <= 1 or len(ordered) <= 1:
        for file in ordered:
            yield task(file, options)
    else:
        yield from _run_in_processes(ordered, options, min(jobs, len(ordered)), task)


def _run_in_processes(
    files: Sequence[TestFile], options: RunOptions, jobs: int, task: Task
) -> Generator[FileResult, None, None]:
    lost: list[TestFile] = []
    pool = ProcessPoolExecutor(jobs)
    try:
        with closing(_collect(pool, iter(files), options, task, lost)) as results:
            yield from results
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    for file in lost:
        with ProcessPoolExecutor(1) as single:
            try:
                yield single.submit(task, file, options).result()
            except BrokenProcessPool:
                failure = Failure(file.name, 0, "file", "", "crash: the worker process died")
                yield FileResult(file.name, file.group, n_failed=1, failures=[failure])


def _collect(
    executor: Executor, files: Iterator[TestFile], options: RunOptions, task: Task, lost: list[TestFile]
) -> Generator[FileResult, None, None]:
    """Submit all files and yield results as they come; files whose process died are added to `lost`."""
    pending: dict[Future[FileResult], TestFile] = {}
    try:
        for file in files:
            try:
                pending[executor.submit(task, file, options)] = replace(file, content=None) if file.path else file
            except BrokenProcessPool:
                lost.append(file)
        for future in as_completed(list(pending)):
            file = pending.pop(future)
            try:
                yield future.result()
            except (BrokenProcessPool, CancelledError):
                lost.append(file)
    finally:
        for future in pending:
            future.cancel()


def make_executor(specification: str, arguments: dict[str, Any]) -> tuple[Executor, Callable[[], None]]:
    """Return the executor that a name or dotted path makes with these arguments, and what closes it again."""
    named = entry_points(group="sqllogictest.executors", name=specification)
    if named:
        factory: Any = next(iter(named)).load()
    elif ":" in specification:
        factory = load_object(specification)
    else:
        raise EngineError(f"no executor {specification!r}: use package.module:factory or an installed entry point")
    made = factory(**arguments)
    executor: Executor = made.get_executor() if hasattr(made, "get_executor") else made

    def close() -> None:
        executor.shutdown(wait=True)
        if made is not executor and hasattr(made, "close"):
            made.close()

    return executor, close


def default_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
