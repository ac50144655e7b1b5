"""The command `perf`: the performance loop, or with --dry-run only its floor and profile."""

from __future__ import annotations

from typing import Any

import click

from agent_harness.backends.base import Backend
from agent_harness.backends.registry import make_backend
from agent_harness.commands.session import Session, data_command
from agent_harness.config import Config
from agent_harness.errors import EXIT_GREEN, EXIT_REJECTED, ConfigurationError
from agent_harness.performance.measuring import run_workload
from agent_harness.performance.proposals import CommitsBackend
from agent_harness.performance.rounds import Improver
from agent_harness.performance.workloads import WORKLOADS, Workload, floor_seconds
from agent_harness.progress import Progress
from agent_harness.roles import role_backends
from agent_harness.stages import loop
from agent_harness.stages.context import RunContext

SHOWN = 8


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="Proposals asked for, at most.")
@click.option("--pairs", type=click.IntRange(2), default=8, show_default=True, help="Pairs of runs for each verdict.")
@click.option("--workload", "names", multiple=True, help="Only these workloads; repeatable [all].")
@click.option("--commit", "revisions", multiple=True, help="Propose a commit's change, ask nobody; repeatable.")
@click.option("--dry-run", is_flag=True, help="Measure and profile only: what is how far from its floor, and why.")
@data_command
def perf(session: Session, rounds: int, pairs: int, names: tuple[str, ...], revisions: tuple[str, ...], dry_run: bool) -> int:
    """Make the engine faster: floor, profile, propose, verify in pairs, keep what wins."""
    config = session.config()
    workloads = _chosen(names)
    if dry_run:
        rows = [_measured(config, workload) for workload in workloads]
        rows.sort(key=lambda row: -float(row["times"]))
        session.emit(rows, [line for row in rows for line in _profile_lines(row)])
        return EXIT_GREEN
    with Progress(False) as progress, loop.opened(config, say=progress.say) as context:
        backend = _proposer(context, revisions)
        improver = Improver(config, context.contract, backend, workloads, pairs)
        results = improver.run(len(revisions) if revisions else rounds)
    session.emit(results, [_result_line(result) for result in results] or ["no workload is left to improve"])
    return EXIT_GREEN if any(result["kept"] for result in results) else EXIT_REJECTED


def _chosen(names: tuple[str, ...]) -> tuple[Workload, ...]:
    known = {workload.name: workload for workload in WORKLOADS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigurationError(f"workload {unknown[0]}: unknown; known are {', '.join(known)}")
    return tuple(known[name] for name in names) or WORKLOADS


def _proposer(context: RunContext, revisions: tuple[str, ...]) -> Backend:
    if revisions:
        return CommitsBackend(context.repository, revisions)
    usable = [name for name in role_backends(context.config, "build") if context.config.backend(name).kind != "embedded"]
    if not usable:
        raise ConfigurationError("role build: the embedded agent makes nothing faster; name another backend, or --commit")
    return make_backend(usable[0], context.config)


def _measured(config: Config, workload: Workload) -> dict[str, Any]:
    profile = run_workload(config.checkout, config.contract.module, workload, is_profiled=True)
    seconds = float(run_workload(config.checkout, config.contract.module, workload)["cpu_seconds"])
    floor = floor_seconds(workload)
    return {
        "workload": workload.name,
        "cpu_seconds": seconds,
        "floor_seconds": floor,
        "times": round(seconds / floor, 1),
        "functions": profile["functions"][:SHOWN],
        "opcodes": profile["opcodes"][:SHOWN],
    }


def _profile_lines(row: dict[str, Any]) -> list[str]:
    head = f"{row['workload']}: {row['cpu_seconds']:.4f} s, {row['times']} times its floor of {row['floor_seconds']:.4f} s"
    lines = [f"  {own:8.4f} s {calls:8} calls  {place}" for place, own, calls in row["functions"]]
    opcodes = ", ".join(f"{name} {count}" for name, count in row["opcodes"])
    return [head, *lines, f"  opcodes: {opcodes or '-'}"]


def _result_line(result: dict[str, Any]) -> str:
    ratio = f", {result['ratio']:.3f} of the time (noise {result['noise']:.3f})" if "ratio" in result else ""
    verdict = f"kept as {result['commit'][:12]}" if result["kept"] else f"rolled back: {result['reason'].splitlines()[0]}"
    return f"round {result['round']}: {result['workload']}{ratio}: {verdict}"
