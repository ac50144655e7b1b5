"""The command line: `run`, `complete`, `format` and `diff`.

stdout is the report (or the JSON document), stderr is progress. Exit status: 0 when nothing failed, 1 when something did,
2 when the command could not be carried out (no such file, engine or option).
"""

import functools
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sqllogictest.completion import compare_text, complete_text
from sqllogictest.engines import EngineError, make_engine
from sqllogictest.ledger import Ledger
from sqllogictest.records import decode_text, format_records, parse_records
from sqllogictest.reports import Score, format_failure, format_slowest, to_json, to_junit, total
from sqllogictest.runner import FileResult, RunOptions
from sqllogictest.samples import SAMPLES, choose_sample, every_nth, take_shard
from sqllogictest.scheduling import Task, default_jobs, make_executor, run_files
from sqllogictest.sources import SourceError, TestFile, find_files

Decorator = Callable[[Callable[..., Any]], Any]


@click.group()
@click.version_option(package_name="pyminisql")
def command_line() -> None:
    """Run sqllogictest files on any DB-API engine, in parallel."""


def _shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options of `run` and `diff`: which files, how many at once, what to show."""
    decorators: list[Decorator] = [
        click.argument("paths", nargs=-1, required=True),
        click.option("-j", "--jobs", default=0, help="Processes; 0 means one for each processor."),
        click.option("--setup", multiple=True, metavar="SQL", help="Statement to execute after opening; repeatable."),
        click.option("--sample", type=click.Choice(SAMPLES), help="A fixed part of the corpus."),
        click.option("--every", type=click.IntRange(1), help="Files 1, 1+N, 1+2N, ... of each group, names sorted."),
        click.option("--shard", metavar="K/N", help="Only the K-th of N parts of about the same size."),
        click.option("--max-failures", default=20, show_default=True, help="Failures to show; 0 means all."),
        click.option("--progress/--no-progress", default=None, help="Show a bar (default: when stderr is a terminal)."),
        click.option("--json", "json_path", metavar="FILE", help="Write the results as JSON; - is stdout."),
        click.option("--junit", "junit_path", metavar="FILE", help="Write the results as JUnit XML."),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


@command_line.command()
@_shared_options
@click.option(
    "-e",
    "--engine",
    default="minisql",
    show_default=True,
    help="minisql, sqlite3, apsw, module:NAME or package.module:factory.",
)
@click.option("--engine-name", help="What skipif and onlyif call the engine.")
@click.option(
    "--database",
    type=click.Choice(["memory", "file"]),
    default="memory",
    show_default=True,
    help="file: a fresh file for each test file, opened again every 200 records, checked at the end.",
)
@click.option("--record-timeout", default=300.0, show_default=True, metavar="SECONDS", help="0 means none.")
@click.option("--file-timeout", default=3600.0, show_default=True, metavar="SECONDS", help="0 means none.")
@click.option("--stop-after", type=click.IntRange(1), metavar="N", help="Begin no further file after N failures.")
@click.option("--slowest", default=0, metavar="N", help="Show the N files that took longest.")
@click.option("--ledger", "ledger_path", metavar="FILE", help="Write finished files down, and skip those written down before.")
@click.option("--executor", metavar="NAME", help="Entry point or package.module:factory of a concurrent.futures executor.")
@click.option("--executor-option", multiple=True, metavar="KEY=VALUE", help="Argument for the executor; repeatable.")
def run(
    paths: tuple[str, ...],
    jobs: int,
    setup: tuple[str, ...],
    engine: str,
    engine_name: str | None,
    database: str,
    record_timeout: float,
    file_timeout: float,
    max_failures: int,
    stop_after: int | None,
    ledger_path: str | None,
    executor: str | None,
    executor_option: tuple[str, ...],
    **shared: Any,
) -> None:
    """Run files, folders, archives (.tar.xz) or members of archives (ARCHIVE.tar.xz/MEMBER)."""
    options = RunOptions(
        engine=engine,
        engine_name=engine_name,
        is_database_file=database == "file",
        setup=setup,
        record_timeout_s=record_timeout,
        file_timeout_s=file_timeout,
        max_failures=max_failures or sys.maxsize,
    )
    with ExitStack() as stack, _usage_errors():
        version = make_engine(engine, engine_name).version()
        files = _choose_files(paths, stack, shared)
        ledger = Ledger(ledger_path, options, version) if ledger_path else None
        if ledger is not None:
            stack.callback(ledger.close)
        pool = None
        if executor is not None:
            pool, close = make_executor(executor, _parse_arguments(executor_option))
            stack.callback(close)
        results = _run_all(
            files,
            lambda rest: run_files(rest, options, jobs or default_jobs(), pool),
            ledger=ledger,
            stop_after=stop_after,
            show_progress=shared["progress"],
        )
    _report(results, engine, version, max_failures, shared)


@command_line.command()
@_shared_options
@click.option("--strict", is_flag=True, help="The messages of errors have to be equal too.")
@click.option("-e", "--engines", nargs=2, default=("sqlite3", "minisql"), show_default=True, help="The two engines.")
def diff(
    paths: tuple[str, ...],
    jobs: int,
    setup: tuple[str, ...],
    engines: tuple[str, str],
    strict: bool,
    max_failures: int,
    **shared: Any,
) -> None:
    """Run files on two engines and show the records to which they give different answers."""
    options = RunOptions(engine=engines[0], setup=setup, max_failures=max_failures or sys.maxsize)
    with ExitStack() as stack, _usage_errors():
        versions = " and ".join(make_engine(engine).version() for engine in engines)
        files = _choose_files(paths, stack, shared)
        task: Task = functools.partial(_diff_file, other=engines[1], is_strict=strict)
        results = _run_all(
            files,
            lambda rest: run_files(rest, options, jobs or default_jobs(), task=task),
            show_progress=shared["progress"],
        )
    _report(results, " and ".join(engines), versions, max_failures, {"slowest": 0, **shared})


def _diff_file(file: TestFile, options: RunOptions, other: str, is_strict: bool) -> FileResult:
    engines = make_engine(options.engine), make_engine(other)
    return compare_text(file.read(), *engines, options, file.name, is_strict=is_strict)


@command_line.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("-e", "--engine", default="apsw", show_default=True, help="The reference engine.")
@click.option("--engine-name", help="What skipif and onlyif call the engine.")
@click.option("--setup", multiple=True, metavar="SQL", help="Statement to execute after opening; repeatable.")
@click.option("-o", "--output", metavar="FILE", help="Write there (one input only); - is stdout. Default: in place.")
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 when a file would change.")
def complete(
    paths: tuple[str, ...], engine: str, engine_name: str | None, setup: tuple[str, ...], output: str | None, check: bool
) -> None:
    """Write the expected results that a reference engine gives."""
    if output is not None and len(paths) > 1:
        raise click.UsageError("--output takes one input file")
    has_problem = False
    with _usage_errors():
        for path in paths:
            before = Path(path).read_bytes()
            text, problems = complete_text(before, make_engine(engine, engine_name), setup)
            for problem in problems:
                click.echo(f"{path}:{problem}", err=True)
            has_problem |= bool(problems) | _write(path, before, text, output, check)
    sys.exit(1 if has_problem else 0)


@command_line.command("format")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("-o", "--output", metavar="FILE", help="Write there (one input only); - is stdout. Default: in place.")
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 when a file would change.")
def format_command(paths: tuple[str, ...], output: str | None, check: bool) -> None:
    """Give files their canonical layout; what they mean does not change."""
    if output is not None and len(paths) > 1:
        raise click.UsageError("--output takes one input file")
    has_changed = False
    for path in paths:
        before = Path(path).read_bytes()
        text = format_records(parse_records(decode_text(before), keep_comments=True))
        has_changed |= _write(path, before, text, output, check)
    sys.exit(1 if has_changed else 0)


def _write(path: str, before: bytes, text: str, output: str | None, is_check: bool) -> bool:
    """Write a file's new text where it belongs; returns whether a check has found it changed."""
    after = text.encode("utf-8", "surrogateescape")
    if is_check:
        if after != before:
            click.echo(f"{path}: would change")
        return after != before
    if output == "-":
        sys.stdout.buffer.write(after)
    elif output is not None or after != before:
        Path(output or path).write_bytes(after)
    return False


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn the errors that a command's arguments cause into click's, with exit status 2."""
    try:
        yield
    except (EngineError, SourceError) as error:
        raise click.UsageError(str(error)) from error


def _choose_files(paths: Sequence[str], stack: ExitStack, shared: dict[str, Any]) -> list[TestFile]:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sqllogictest-"))
    files = find_files(paths, folder)
    if shared["sample"]:
        files = choose_sample(files, shared["sample"])
    if shared["every"]:
        files = every_nth(files, shared["every"])
    if shared["shard"]:
        number, _, count = shared["shard"].partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise click.UsageError("--shard wants K/N with K from 1 to N")
        files = take_shard(files, int(number), int(count))
    return files


def _run_all(
    files: Sequence[TestFile],
    start: Callable[[list[TestFile]], Generator[FileResult, None, None]],
    *,
    ledger: Ledger | None = None,
    stop_after: int | None = None,
    show_progress: bool | None = None,
) -> list[FileResult]:
    """Run the files that the ledger does not know, with a progress bar; returns old and new results."""
    by_name = {file.name: file for file in files}
    known = {file.name: ledger.find(file) for file in files} if ledger is not None else {}
    results = [result for result in known.values() if result is not None]
    rest = [file for file in files if known.get(file.name) is None]
    is_shown = sys.stderr.isatty() if show_progress is None else show_progress
    n_bytes = sum(file.size for file in rest)
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not is_shown,
    )
    with bar:
        task = bar.add_task("running", total=n_bytes)
        new_results = start(rest)
        score = total(results)
        for result in new_results:
            results.append(result)
            if ledger is not None:
                ledger.add(by_name[result.name], result)
            score = _add(score, result)
            bar.update(
                task, advance=by_name[result.name].size, description=f"{len(results)}/{len(files)} files, {score.line()}"
            )
            if stop_after is not None and score.n_failed >= stop_after:
                new_results.close()
                break
    return results


def _add(score: Score, result: FileResult) -> Score:
    one = total([result])
    return Score(
        score.n_files + 1,
        score.n_passed + one.n_passed,
        score.n_failed + one.n_failed,
        score.n_skipped + one.n_skipped,
        score.cpu_s + one.cpu_s,
    )


def _report(results: list[FileResult], engine: str, version: str, max_failures: int, shared: dict[str, Any]) -> None:
    """Print failures, slowest files and the score, write the documents asked for, and exit."""
    results.sort(key=lambda result: result.name)
    failures = [failure for result in results for failure in result.failures]
    score = total(results)
    is_json_on_stdout = shared["json_path"] == "-"
    if is_json_on_stdout:
        click.echo(to_json(results, engine, version))
    elif shared["json_path"]:
        Path(shared["json_path"]).write_text(to_json(results, engine, version), encoding="utf-8")
    if shared["junit_path"]:
        Path(shared["junit_path"]).write_text(to_junit(results, engine), encoding="utf-8")
    for failure in failures[: max_failures or None]:
        click.echo(_printable(format_failure(failure)) + "\n", err=is_json_on_stdout)
    n_hidden = score.n_failed - len(failures[: max_failures or None])
    if n_hidden:
        click.echo(f"... {n_hidden} more failures not shown\n", err=is_json_on_stdout)
    if shared.get("slowest"):
        click.echo(format_slowest(results, shared["slowest"]), err=is_json_on_stdout)
    click.echo(f"{engine} {version}: {score.n_files} files, {score.cpu_s:.1f} s CPU", err=is_json_on_stdout)
    click.echo(score.line(), err=is_json_on_stdout)
    sys.exit(1 if score.n_failed else 0)


def _printable(text: str) -> str:
    """Return text that any output takes: surrogates of undecodable bytes become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _parse_arguments(pairs: Sequence[str]) -> dict[str, Any]:
    """Return KEY=VALUE pairs as arguments: numbers, true and false are read as such."""
    arguments: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if value.lower() in ("true", "false"):
            arguments[key] = value.lower() == "true"
        else:
            arguments[key] = int(value) if value.lstrip("-").isdecimal() else value
    return arguments
