"""Build: one attempt, from a workspace at the base to a commit that the harness made.

The job can be carried out twice without being paid twice: `calling.json` is written before the backend is called and
`outcome.json` after it; with the outcome there the call is skipped, with only the first there the attempt was interrupted,
what is left of its processes is ended, and it counts as made.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.backends.process import marked_processes
from agent_harness.backends.registry import make_backend
from agent_harness.config import Config
from agent_harness.errors import HarnessError
from agent_harness.stages.context import discard_quietly, sandbox_of
from agent_harness.state.folders import Folders, read_json, write_json, write_whole
from agent_harness.usage import Usage
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import Workspace, create, open_existing

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class BuildJob:
    """What a worker needs to make an attempt; the prompt lies in the attempt's folder."""

    config: Config
    attempt: str
    number: int
    base: str
    backend: str
    case_ids: tuple[str, ...]
    brief: dict[str, Any]
    message: str
    max_seconds: float
    max_tokens: int
    max_usd: float


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What came of it: the backend's end, usage, and the commit in the main repository ('' when nothing was changed)."""

    end: str
    detail: str
    usage: dict[str, Any]
    head: str
    tree: str
    seconds: float


def carry_out(job: BuildJob) -> BuildReport:
    """Makes the attempt, or finishes one that a killed run left.  Raises HarnessError only for the harness's own troubles."""
    folder = Folders(job.config.state).attempt(job.attempt)
    outcome = read_json(folder / "outcome.json")
    if outcome is None:
        outcome = _interrupted(job, folder) if (folder / "calling.json").exists() else _call(job, folder)
        write_json(folder / "outcome.json", outcome)
    head = _commit(job, folder)
    tree = Repository(job.config.checkout).tree(head) if head else ""
    return BuildReport(outcome["end"], outcome["detail"], outcome["usage"], head, tree, outcome["seconds"])


def _workspace_path(job: BuildJob) -> Path:
    return Folders(job.config.state).workspace(job.attempt)


def _call(job: BuildJob, folder: Path) -> dict[str, Any]:
    main = Repository(job.config.checkout)
    left = open_existing(main, _workspace_path(job), job.base, job.config.workspace.kind)
    if left is not None:  # made by a run that was killed before the backend was called
        left.discard()
    workspace = create(main, _workspace_path(job), job.base, job.config.workspace.kind)
    backend = make_backend(job.backend, job.config)
    task = _task(job, folder, workspace)
    write_json(folder / "calling.json", {"backend": job.backend, "model": backend.model, "time": time.time()})
    started = time.monotonic()
    try:
        outcome = backend.build(task)
    except Exception as error:  # backends come from anywhere; one that raises has made an attempt and failed
        outcome = Outcome(base.CRASHED, Usage.unknown(), f"the backend raised {type(error).__name__}: {error}")
    return _as_dict(outcome, time.monotonic() - started)


def _task(job: BuildJob, folder: Path, workspace: Workspace) -> Task:
    return Task(
        job.attempt,
        (folder / "prompt.md").read_text(encoding="utf-8"),
        workspace.path,
        folder,
        job.config.target.editable,
        job.case_ids,
        job.brief,
        job.number,
        job.max_seconds,
        job.config.limits.idle_seconds,
        job.max_tokens,
        job.max_usd,
        sandbox_of(job.config),
    )


def _as_dict(outcome: Outcome, seconds: float) -> dict[str, Any]:
    return {
        "end": outcome.end,
        "detail": outcome.detail,
        "usage": outcome.usage.as_dict(),
        "last_message": outcome.last_message[:20_000],
        "seconds": round(seconds, 3),
    }


def _interrupted(job: BuildJob, folder: Path) -> dict[str, Any]:
    end_strays(job.attempt)
    began = read_json(folder / "calling.json")
    seconds = max(0.0, min(time.time() - float(began["time"]), job.max_seconds or 0.0))
    return _as_dict(Outcome(INTERRUPTED, Usage.unknown(), "the run was killed while the backend worked"), seconds)


def end_strays(attempt: str) -> None:
    """Ends what is left of an attempt's processes."""
    for pid in marked_processes(attempt):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _commit(job: BuildJob, folder: Path) -> str:
    """Commits the workspace, archives the patch and removes the workspace; safe to repeat."""
    main = Repository(job.config.checkout)
    done = read_json(folder / "commit.json")
    if done is not None:
        return str(done["head"])
    workspace = open_existing(main, _workspace_path(job), job.base, job.config.workspace.kind)
    if workspace is None:
        raise HarnessError(f"attempt {job.attempt}: the workspace {_workspace_path(job)} is gone")
    head = ""
    if workspace.commit(job.message) is not None:
        write_whole(folder / "patch.diff", workspace.patch())
        head = workspace.bring_home(job.message)
        main.git("update-ref", reference(job.attempt), head)
    write_json(folder / "commit.json", {"head": head})
    discard_quietly(workspace)
    return head


REFERENCES = "refs/agent-harness/"


def reference(attempt: str) -> str:
    """The reference that keeps an attempt's commit from git's garbage collection until it is merged or rejected."""
    return REFERENCES + attempt


def drop_references(main: Repository, kept: Collection[str]) -> None:
    """Drops the references of attempts that are settled; their patches are archived."""
    for name in main.git("for-each-ref", REFERENCES, "--format=%(refname)").split():
        if name.removeprefix(REFERENCES) not in kept:
            main.git("update-ref", "-d", name)


def is_waitable(end: str) -> bool:
    """Ends after which the same call may be made again later, without counting as an attempt."""
    return end == base.RATE_LIMITED


def forget_call(config: Config, attempt: str) -> None:
    """Before the same attempt is made again after a rate limit."""
    folder = Folders(config.state).attempt(attempt)
    for name in ("calling.json", "outcome.json", "commit.json", "patch.diff"):
        (folder / name).unlink(missing_ok=True)
