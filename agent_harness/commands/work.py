"""Commands that change something: run, resume, stop, verify and merge."""

from __future__ import annotations

from typing import Any

import click

from agent_harness import merge as merging
from agent_harness.commands.session import Session, data_command
from agent_harness.errors import EXIT_GREEN, EXIT_REJECTED, ConfigurationError
from agent_harness.events import read_events
from agent_harness.progress import Progress, headline
from agent_harness.stages import coordinate, evolve, loop, understand
from agent_harness.stages import verify as verifying
from agent_harness.state import index
from agent_harness.state.fold import MERGED, State
from agent_harness.state.folders import Folders


@click.command()
@click.option("--builders", type=click.IntRange(1), help="Builders at once.")
@click.option("--backend", "backends", multiple=True, help="Backend of the build role; repeatable, tried in this order.")
@click.option("--model", help="Model of the first backend.")
@click.option("--max-attempts", type=click.IntRange(1), help="Attempts of the whole run.")
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens of the whole run.")
@click.option("--max-usd", type=click.FloatRange(0, min_open=True), help="Money of the whole run.")
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Wall time of the whole run.")
@click.option("--retry-parked", is_flag=True, help="Take up parked tasks again (limits of their lifetime still count).")
@click.option("--dry-run", is_flag=True, help="Say what would be done: the failing groups, their order and backends.")
@click.option("--progress/--no-progress", "is_live", default=None, help="Show a live table [when stderr is a terminal].")
@data_command
def run(session: Session, dry_run: bool, retry_parked: bool, is_live: bool | None, **options: Any) -> int:
    """Go round until no case fails or a limit is reached."""
    config = session.config(_overrides(options))
    if dry_run:
        with Progress(is_live) as progress:
            plan = loop.plan(config, progress.say)
        session.emit(plan, _plan_lines(plan))
        return EXIT_GREEN
    return _run(session, config, is_live, False, retry_parked)


def _overrides(options: dict[str, Any]) -> dict[str, Any]:
    backends = list(options["backends"])
    overrides = {
        "loop.builders": options["builders"],
        "limits.run_attempts": options["max_attempts"],
        "limits.run_tokens": options["max_tokens"],
        "limits.run_usd": options["max_usd"],
        "limits.run_seconds": options["max_seconds"],
        "roles.build": backends or None,
    }
    if options["model"]:
        if not backends:
            raise ConfigurationError("--model needs --backend")
        overrides[f"backends.{backends[0]}.model"] = options["model"]
    return overrides


def _plan_lines(plan: dict[str, Any]) -> list[str]:
    lines = [f"{plan['n_passed']} cases pass, {plan['n_failed']} fail at {plan['commit'][:12]}"]
    lines += [f"{task['n_cases']:5} cases  {task['backend']}: {task['title']}" for task in plan["tasks"]]
    return lines


@click.command()
@click.option("--progress/--no-progress", "is_live", default=None, help="Show a live table [when stderr is a terminal].")
@data_command
def resume(session: Session, is_live: bool | None) -> int:
    """Go on with a run that was stopped or killed."""
    return _run(session, session.config(), is_live, True, False)


def _run(session: Session, config: Any, is_live: bool | None, is_resume: bool, retry_parked: bool) -> int:
    folders = Folders(config.state)
    with Progress(is_live) as progress:
        code = loop.run(config, is_resume=is_resume, retry_parked=retry_parked, listener=progress.hear, say=progress.say)
    index.refresh(folders)
    state = load_state(folders)
    last = state.last_run or {}
    found = evolve.lessons(state)
    data = {"exit": code, "reason": last.get("reason", ""), "summary": headline(state), **found}
    session.emit(data, [f"{last.get('reason', '')}", headline(state), *evolve.lines(found)])
    return code


def load_state(folders: Folders) -> State:
    """The fold of the log as it is now.  Raises HarnessError when the log is damaged."""
    return State(read_events(folders.events))


@click.command()
@data_command
def stop(session: Session) -> int:
    """Ask a run to end after the attempts in flight."""
    config = session.config()
    loop.request_stop(config)
    session.emit({"stop": str(config.state / "stop")}, ["the run will end after the attempts in flight"])
    return EXIT_GREEN


@click.command()
@click.argument("revision")
@click.option("--base", help="The commit to compare with [the target branch].")
@click.option("--case", "cases", multiple=True, help="Case that must pass now; repeatable [all that failed on the base].")
@data_command
def verify(session: Session, revision: str, base: str | None, cases: tuple[str, ...]) -> int:
    """Run the gates on a commit."""
    config = session.config()
    with Progress(False) as progress, loop.opened(config, say=progress.say) as context:
        head = context.repository.resolve(revision)
        start = context.repository.resolve(base) if base else context.tip()
        failing = [result.case.id for result in understand.evaluate(context, start).failing()]
        targets = tuple(chosen_case(case, failing) for case in cases) or tuple(failing)
        job = coordinate.verify_job(context, f"by-hand-{head[:12]}", start, head, targets)
        verdict = context.executor.submit(verifying.carry_out, job).result()
    session.emit(verdict.as_dict(), gate_lines(verdict.gates))
    return EXIT_GREEN if verdict.passed else EXIT_REJECTED


def chosen_case(text: str, ids: list[str]) -> str:
    """The one case whose id begins with `text`.  Raises ConfigurationError."""
    found = [id_ for id_ in ids if id_.startswith(text)]
    if len(found) != 1:
        raise ConfigurationError(f"case {text}: {'no such failing case' if not found else 'more than one case begins so'}")
    return found[0]


def gate_lines(gates: Any) -> list[str]:
    """Gate results for people."""
    return [f"{'ok ' if gate['passed'] else 'RED'}  {gate['gate']}: {gate['evidence']}" for gate in gates]


@click.command()
@data_command
def merge(session: Session) -> int:
    """Merge verified attempts through preview merges."""
    config = session.config()
    with Progress(False) as progress, loop.opened(config, say=progress.say) as context:
        merging.settle(context)
        waiting = [attempt.id for attempt in context.journal.state.queue()]
        merging.merge_queue(context)
        state = context.journal.state
        merged = [name for name in waiting if state.tasks[state.attempts[name].task].status == MERGED]
        tip = context.tip()
    left = [name for name in waiting if name not in merged]
    lines = [f"merged {', '.join(merged) or 'nothing'}; {config.target.branch} is at {tip[:12]}"]
    session.emit({"merged": merged, "rejected": left, "tip": tip}, lines + [f"not merged: {name}" for name in left])
    return EXIT_REJECTED if left else EXIT_GREEN
