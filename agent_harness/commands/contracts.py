"""Commands about the acceptance contract: check, freeze, diff, cluster, minimize, locate and evolve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agent_harness import evolve as evolution
from agent_harness.commands.session import Session, data_command
from agent_harness.commands.work import chosen_case, load_state
from agent_harness.config import Config
from agent_harness.contract.base import Brief, CaseResult, Contract
from agent_harness.contract.configured import make_contract
from agent_harness.errors import EXIT_GREEN, EXIT_REJECTED, ConfigurationError
from agent_harness.progress import Progress
from agent_harness.roles import side_by_side
from agent_harness.stages import evolve as lessons
from agent_harness.stages import loop, understand
from agent_harness.state.folders import Folders, read_json, write_json
from agent_harness.state.journal import Journal


@click.group()
def contract() -> None:
    """Check, freeze and compare the acceptance contract."""


@contract.command()
@click.option("--show", default=20, show_default=True, help="Failing cases to list.")
@data_command
def check(session: Session, show: int) -> int:
    """Run the contract on the checkout as it is now; exit 3 when a case fails."""
    config = session.config()
    evaluation = make_contract(config).evaluate(config.checkout)
    failing = evaluation.failing()
    data = {
        "contract": evaluation.contract_hash,
        "n_passed": len(evaluation.pass_set()),
        "n_failed": len(failing),
        "failing": [_case_row(result) for result in failing],
    }
    lines = [_case_line(result) for result in failing[:show]]
    session.emit(data, [*lines, f"{data['n_passed']} pass, {data['n_failed']} fail"])
    return EXIT_REJECTED if failing else EXIT_GREEN


def _case_row(result: CaseResult) -> dict[str, Any]:
    case = result.case
    return {
        "id": case.id,
        "suite": case.suite,
        "line": case.line,
        "title": case.title,
        "stage": result.stage,
        "error": result.error,
        "expected": result.expected,
        "actual": result.actual,
    }


def _case_line(result: CaseResult) -> str:
    case = result.case
    return f"{case.id[:8]}  {case.suite}:{case.line}  {result.stage}: {(result.error or case.title).splitlines()[0][:120]}"


@contract.command()
@data_command
def freeze(session: Session) -> int:
    """Write down the contract as it is; from then on a run refuses another one."""
    config = session.config()
    made = make_contract(config)
    folders = Folders(config.state)
    journal = Journal(folders)
    try:
        write_json(folders.frozen, _frozen(made))
        journal.record("contract.frozen", hash=made.hash(), n_cases=len(made.cases()))
    finally:
        journal.close()
    session.emit({"hash": made.hash(), "n_cases": len(made.cases())}, [f"{len(made.cases())} cases, {made.hash()}"])
    return EXIT_GREEN


def _frozen(made: Contract) -> dict[str, Any]:
    cases = {case.id: [case.suite, case.line, case.title] for case in made.cases().values()}
    return {"hash": made.hash(), "cases": cases}


@contract.command()
@data_command
def diff(session: Session) -> int:
    """Compare the contract with the frozen one; exit 3 when it has moved."""
    config = session.config()
    frozen = read_json(Folders(config.state).frozen)
    if frozen is None:
        raise ConfigurationError("the contract was never frozen (contract freeze)")
    now = _frozen(make_contract(config))
    added = [[id_, *now["cases"][id_]] for id_ in now["cases"] if id_ not in frozen["cases"]]
    removed = [[id_, *frozen["cases"][id_]] for id_ in frozen["cases"] if id_ not in now["cases"]]
    is_same = now["hash"] == frozen["hash"]
    lines = [f"+ {row[1]}:{row[2]}  {row[3]}" for row in added] + [f"- {row[1]}:{row[2]}  {row[3]}" for row in removed]
    if not is_same and not lines:
        lines = ["the cases are the same; settings or the runner have changed"]
    session.emit({"same": is_same, "added": added, "removed": removed}, lines or ["unchanged"])
    return EXIT_GREEN if is_same else EXIT_REJECTED


@click.command()
@data_command
def cluster(session: Session) -> int:
    """Group the failing cases by cause."""
    config = session.config()
    with Progress(False) as progress, loop.opened(config, say=progress.say) as context:
        tip = context.tip()
        groups = understand.groups_of(context, tip, understand.evaluate(context, tip).failing())
    rows = [group.as_dict() for group in groups]
    lines = []
    for row in rows:
        lines += [f"{row['n_cases']:5} cases  {row['title']}", f"             uses {', '.join(row['features']) or '-'}"]
        lines += [f"             suspects {', '.join(row['suspects'][:3]) or '-'}"]
    session.emit(rows, lines or ["nothing fails"])
    return EXIT_GREEN


@click.command()
@click.argument("case", required=False)
@data_command
def minimize(session: Session, case: str | None) -> int:
    """Make a failing case small, with SQLite's answer beside the engine's."""
    brief = _brief(session.config(), case)
    lines = [*brief.script.splitlines(), "", *([brief.error] if brief.error else [])]
    session.emit(brief.as_dict(), [*lines, *side_by_side(brief.expected, brief.actual).splitlines()])
    return EXIT_GREEN


@click.command()
@click.argument("case", required=False)
@click.option("-n", "--number", default=20, show_default=True, help="Functions to list.")
@data_command
def locate(session: Session, case: str | None, number: int) -> int:
    """Rank the functions that a failing case makes suspicious."""
    suspects = list(_brief(session.config(), case).suspects)[:number]
    session.emit(suspects, [f"{score:.4f}  {name}" for name, score in suspects] or ["no suspects"])
    return EXIT_GREEN


def _brief(config: Config, case: str | None) -> Brief:
    made = make_contract(config)
    failing = made.evaluate(config.checkout).failing()
    if not failing:
        raise ConfigurationError("no case fails")
    by_id = {result.case.id: result for result in failing}
    chosen = by_id[chosen_case(case, list(by_id))] if case else failing[0]
    return made.brief(config.checkout, [chosen])


@click.group()
def evolve() -> None:
    """Take statements from production into the contract."""


@evolve.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--suite", type=click.Path(path_type=Path), help="The suite to add to [tests/slt/evolved.slt].")
@data_command
def add(session: Session, files: tuple[Path, ...], suite: Path | None) -> int:
    """Turn the statements of FILES (SQL, or a log of slow and failing ones) into records with SQLite's answers."""
    config = session.config()
    added = [evolution.add(config, file, suite) for file in files]
    session.emit(added, [str(each) for each in added])
    return EXIT_GREEN


@evolve.command("lessons")
@data_command
def show_lessons(session: Session) -> int:
    """What the runs have taught: parked tasks, gates that said no, success by backend."""
    found = lessons.lessons(load_state(Folders(session.config().state)))
    session.emit(found, lessons.lines(found) or ["no lessons yet"])
    return EXIT_GREEN
