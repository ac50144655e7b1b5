"""Commands that only look: status, tasks, attempts, costs and report."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from agent_harness.commands.session import Session, data_command
from agent_harness.commands.work import gate_lines, load_state
from agent_harness.config import Config
from agent_harness.errors import EXIT_GREEN, EXIT_REJECTED, ConfigurationError
from agent_harness.progress import headline
from agent_harness.reports import write_report
from agent_harness.reports.costs import cost_rows
from agent_harness.stages import coordinate, loop, understand
from agent_harness.stages import verify as verifying
from agent_harness.state import index
from agent_harness.state.fold import AttemptRecord, State
from agent_harness.state.folders import Folders, write_json, write_whole
from agent_harness.workspaces.workspace import commit_from_patch


@click.command()
@data_command
def status(session: Session) -> int:
    """Say where the contract and the tasks stand."""
    config = session.config()
    state = load_state(Folders(config.state))
    last = state.last_run or {}
    flying = [attempt.id for attempt in state.attempts.values() if not attempt.result]
    run = "no run yet" if not last else f"finished: {last.get('reason')}" if state.is_finished else "unfinished (resume)"
    queue = [attempt.id for attempt in state.queue()]
    data = {
        "run": run,
        "exit": last.get("exit"),
        "in_flight": flying,
        "queue": queue,
        "evaluations": list(state.evaluations.values())[-3:],
        "usage": state.usage().as_dict(),
        "summary": headline(state),
    }
    lines = [headline(state), f"last run: {run}"]
    lines += [f"in flight: {name}" for name in flying] + [f"waits for its merge: {name}" for name in queue]
    session.emit(data, lines)
    return EXIT_GREEN


@click.command()
@click.option("--status", "wanted", help="Only open, verified, merged, parked or closed.")
@data_command
def tasks(session: Session, wanted: str | None) -> int:
    """List the tasks."""
    path = index.refresh(Folders(session.config().state))
    query = """
        SELECT t.id, t.status, t.n_cases, t.title, t.reason, count(a.id) AS n_attempts, sum(a.seconds) AS seconds
        FROM task t LEFT JOIN attempt a ON a.task = t.id WHERE ?1 IS NULL OR t.status = ?1 GROUP BY t.id ORDER BY t.rowid"""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute(query, (wanted,))]
    lines = [
        f"{row['id']:14} {row['status']:9} {row['n_cases']:5} cases  {row['n_attempts']} attempts  {row['title']}"
        + (f"  ({row['reason']})" if row["reason"] else "")
        for row in rows
    ]
    session.emit(rows, lines)
    return EXIT_GREEN


@click.group(invoke_without_command=True)
@data_command
def attempts(session: Session) -> int:
    """Show, compare and replay attempts."""
    if click.get_current_context().invoked_subcommand is None:
        state = load_state(Folders(session.config().state))
        rows = [attempt.as_dict() for attempt in state.attempts.values()]
        lines = [
            f"{a.id:16} {a.backend:10} {a.result or a.phase:10} {a.seconds:7.1f}s  {_first(a)}" for a in state.attempts.values()
        ]
        session.emit(rows, lines)
    return EXIT_GREEN


def _first(attempt: AttemptRecord) -> str:
    return (attempt.evidence or attempt.detail).partition("\n")[0][:140]


def _found(config: Config, name: str) -> tuple[State, AttemptRecord]:
    state = load_state(Folders(config.state))
    attempt = state.attempts.get(name)
    if attempt is None:
        raise ConfigurationError(f"there is no attempt {name}")
    return state, attempt


@attempts.command()
@click.argument("attempt")
@data_command
def show(session: Session, attempt: str) -> int:
    """Everything about one attempt: prompt, usage, gates."""
    config = session.config()
    _, found = _found(config, attempt)
    prompt = _text(Folders(config.state).attempt(attempt) / "prompt.md")
    head = f"{found.id}: {found.backend} {found.model}: {found.end}: {found.result or found.phase}"
    lines = [head, f"usage: {found.usage.as_dict()}", *gate_lines(found.gates), "", prompt]
    session.emit({**found.as_dict(), "prompt": prompt}, lines)
    return EXIT_GREEN


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


@attempts.command()
@click.argument("attempt")
@click.argument("other", required=False)
@data_command
def diff(session: Session, attempt: str, other: str | None) -> int:
    """The patch of an attempt, or of two, one after the other."""
    config = session.config()
    names = [name for name in (attempt, other) if name]
    patches = {}
    for name in names:
        _found(config, name)
        patches[name] = _text(Folders(config.state).attempt(name) / "patch.diff")
    lines = [line for name, text in patches.items() for line in ([f"# {name}"] if other else []) + text.splitlines()]
    session.emit(patches, lines)
    return EXIT_GREEN


@attempts.command()
@click.argument("attempt")
@click.option("--record", type=click.Path(path_type=Path), help="Also write the task's attempts as a recording for `replay`.")
@data_command
def replay(session: Session, attempt: str, record: Path | None) -> int:
    """Run the gates on an attempt's patch again and compare the verdicts."""
    config = session.config()
    state, found = _found(config, attempt)
    if record is not None:
        write_recording(Folders(config.state), state.tasks[found.task].attempts, record)
    if not found.head:
        raise ConfigurationError(f"attempt {attempt} changed nothing")
    with loop.opened(config) as context:
        scratch = context.folders.workspace(f"replay-{attempt}")
        patch = _text(context.folders.attempt(attempt) / "patch.diff")
        head = commit_from_patch(context.repository, found.base, patch, f"Replay of {attempt}", scratch)
        understand.evaluate(context, found.base)
        targets = state.tasks[found.task].case_ids
        job = coordinate.verify_job(context, f"replay-{attempt}", found.base, head, targets)
        verdict = context.executor.submit(verifying.carry_out, job).result()
    is_same = verdict.passed == found.passed
    note = "the same verdict as before" if is_same else f"before, it was {'green' if found.passed else 'red'}"
    session.emit({**verdict.as_dict(), "same": is_same}, [*gate_lines(verdict.gates), note])
    return EXIT_GREEN if verdict.passed else EXIT_REJECTED


def write_recording(folders: Folders, made: list[AttemptRecord], target: Path) -> None:
    """Writes the patches and usage of a task's attempts as backends.replay reads them."""
    target.mkdir(parents=True, exist_ok=True)
    for attempt in made:
        patch = folders.attempt(attempt.id) / "patch.diff"
        if patch.is_file():
            write_whole(target / f"{attempt.number}.diff", _text(patch))
        write_json(target / f"{attempt.number}.json", {"usage": attempt.usage.as_dict(), "message": attempt.detail})


@click.command()
@data_command
def costs(session: Session) -> int:
    """Add up tokens and money by role, backend and model."""
    rows = cost_rows(load_state(Folders(session.config().state)))
    lines = [
        f"{row['role']:9} {row['backend']:10} {row['model'] or '-':20} {row['calls']:4} calls  {_known(row['tokens'])} tokens  "
        f"{_known(row['cost_usd'], '.4f')} USD  {row['cases_closed']} cases closed  "
        f"{_known(row['cost_per_case'], '.4f')} USD a case"
        for row in rows
    ]
    session.emit(rows, lines or ["nothing was paid yet"])
    return EXIT_GREEN


def _known(value: float | None, form: str = "") -> str:
    return "unknown" if value is None else format(value, form)


@click.command()
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The page [report.html in the state folder]."
)
@data_command
def report(session: Session, output: Path | None) -> int:
    """Write one self-contained HTML page about the runs."""
    config = session.config()
    path = output or config.state / "report.html"
    write_report(config.state, path)
    session.emit({"report": str(path)}, [str(path)])
    return EXIT_GREEN
