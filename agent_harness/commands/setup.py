"""Commands around the loop: init, doctor, demo, backends and gc."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from agent_harness import demo as demonstration
from agent_harness.backends.registry import known_kinds, make_backend
from agent_harness.commands.session import Session, data_command
from agent_harness.config import FILE_NAME, Config
from agent_harness.contract.configured import make_contract
from agent_harness.errors import EXIT_CONFIGURATION, EXIT_GREEN, ConfigurationError, HarnessError
from agent_harness.events import read_events
from agent_harness.stages.loop import check_checkout
from agent_harness.state.folders import Folders, write_whole
from agent_harness.workspaces import sandbox
from agent_harness.workspaces.repository import Repository
from agent_harness.workspaces.workspace import Workspace

RECORDS = """\
[contract]
kind = "sqllogictest"        # or "command": a program that writes JUnit XML
paths = ["{paths}"]
module = "{module}"
configurations = ["memory"]  # add "file" to put storage under contract too
"""
COMMAND = """\
[contract]
kind = "command"
command = ["python", "-m", "pytest", "-q", "--junit-xml={report}"]
report = "junit.xml"
"""
REST = """
[target]
branch = "{branch}"
editable = ["{editable}"]
# protected = ["tests/"]     # path prefixes that no attempt may touch

[loop]
builders = 2

[limits]                     # 0 means none
task_attempts = 4
run_usd = 0.0
run_seconds = 0.0

[workspace]
kind = "worktree"            # or "clone": no history to take answers from
sandbox = "none"             # or "bwrap", "docker"

[roles]
build = ["embedded"]         # no key, no network; try others after it: ["embedded", "claude"]

# [backends.claude]
# model = "NAME"
"""


@click.command()
@click.option("--kind", type=click.Choice(["sqllogictest", "command"]), default="sqllogictest", show_default=True)
@click.option("--paths", default="tests/slt", show_default=True, help="Suites of a sqllogictest contract.")
@click.option("--module", default="minisql", show_default=True, help="The engine's module.")
@click.option("--editable", help="Path prefix that builders may change [the module's folder].")
@click.option("--branch", help="Target branch [the one checked out].")
@data_command
def init(session: Session, kind: str, paths: str, module: str, editable: str | None, branch: str | None) -> int:
    """Write a configuration file for this checkout."""
    repository = Repository(session.root)
    path = session.root / FILE_NAME
    if path.exists():
        raise ConfigurationError(f"{path} is there already")
    contract = RECORDS.format(paths=paths, module=module) if kind == "sqllogictest" else COMMAND
    rest = REST.format(branch=branch or repository.branch() or "main", editable=editable or f"{module}/")
    write_whole(path, contract + rest)
    session.config()
    session.emit({"written": str(path)}, [f"wrote {path}; commit it, then try: agent-harness run --dry-run"])
    return EXIT_GREEN


class Check:
    """One thing that `doctor` looks at; `needed` ones decide the exit code."""

    __slots__ = ("detail", "is_ok", "name", "needed")

    def __init__(self, name: str, is_ok: bool, detail: str, needed: bool = True) -> None:
        self.name = name
        self.is_ok = is_ok
        self.detail = detail
        self.needed = needed

    def as_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return {name: getattr(self, name) for name in ("name", "is_ok", "detail", "needed")}


@click.command()
@data_command
def doctor(session: Session) -> int:
    """Check programs, packages, the checkout and the configuration; exit 4 when something needed is missing."""
    checks = [
        Check("python", sys.version_info >= (3, 11), sys.version.split()[0]),
        Check("git", shutil.which("git") is not None, shutil.which("git") or "not found on PATH"),
    ]
    try:
        config = session.config()
    except ConfigurationError as error:
        checks.append(Check("configuration", False, str(error)))
    else:
        checks += _config_checks(config)
    marks = {True: "ok  ", False: "FAIL"}
    lines = [f"{marks[c.is_ok] if c.needed or c.is_ok else 'note'}  {c.name}: {c.detail}" for c in checks]
    session.emit([check.as_dict() for check in checks], lines)
    return EXIT_GREEN if all(check.is_ok or not check.needed for check in checks) else EXIT_CONFIGURATION


def _config_checks(config: Config) -> list[Check]:
    checks = [
        Check("configuration", True, str(config.path or "defaults")),
        _tried("checkout", lambda: f"clean, on {check_checkout(config).branch()}"),
        _tried("contract", lambda: f"{len(make_contract(config).cases())} cases"),
        _tried("state", lambda: f"{sum(1 for _ in read_events(Folders(config.state).events))} events, chain unbroken"),
        Check("disk", _free_gigabytes(config) >= 0.5, f"{_free_gigabytes(config):.1f} GB free"),
    ]
    for kind in ("bwrap", "docker"):
        found = shutil.which(kind) is not None
        detail = (
            ("works" if kind == "docker" or sandbox.works(kind) else "cannot start programs here") if found else "not installed"
        )
        checks.append(Check(f"sandbox {kind}", detail == "works", detail, config.workspace.sandbox == kind))
    wanted = config.role("build").backends
    for name in dict.fromkeys([*wanted, *known_kinds(), *config.backends]):
        checks.append(_backend_check(name, config, wanted == (name,)))
    found = importlib.util.find_spec("apsw") is not None
    checks.append(Check("apsw", found, "the reference" if found else "not installed; sqlite3 is the reference", False))
    return checks


def _tried(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except (HarnessError, OSError) as error:
        return Check(name, False, str(error))


def _free_gigabytes(config: Config) -> float:
    folder = config.checkout if config.checkout.is_dir() else Path.cwd()
    return shutil.disk_usage(folder).free / 1e9


def _backend_check(name: str, config: Config, needed: bool) -> Check:
    try:
        problem = make_backend(name, config).available()
    except (HarnessError, ImportError) as error:
        problem = str(error)
    return Check(f"backend {name}", not problem, problem or "available", needed)


@click.command()
@data_command
def backends(session: Session) -> int:
    """List the backends and what each one is missing."""
    config = session.config()
    rows = []
    for name in dict.fromkeys([*known_kinds(), *config.backends]):
        check = _backend_check(name, config, False)
        chosen = config.backend(name)
        roles = [role for role in config.roles if name in config.role(role).backends]
        rows.append(
            {
                "name": name,
                "kind": chosen.kind,
                "model": chosen.model,
                "roles": roles,
                "missing": "" if check.is_ok else check.detail,
            }
        )
    lines = [f"{row['name']:12} {row['kind']:10} {row['model'] or '-':20} {row['missing'] or 'available'}" for row in rows]
    session.emit(rows, lines)
    return EXIT_GREEN


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be removed.")
@data_command
def gc(session: Session, dry_run: bool) -> int:
    """Remove workspaces whose work is merged or archived; whatever holds other work is kept and named."""
    config = session.config()
    repository = Repository(config.checkout)
    folders = Folders(config.state)
    removed, kept = [], []
    base = folders.workspace("x").parent
    for path in sorted(base.iterdir()) if base.is_dir() else ():
        reason = _why_kept(repository, folders, config, path)
        if reason:
            kept.append({"path": str(path), "reason": reason})
            continue
        removed.append(str(path))
        if not dry_run:
            _workspace(repository, config, path).discard()
    word = "would remove" if dry_run else "removed"
    lines = [f"{word} {path}" for path in removed] + [f"kept {each['path']}: {each['reason']}" for each in kept]
    session.emit({"removed": removed, "kept": kept, "dry_run": dry_run}, lines or ["nothing to remove"])
    return EXIT_GREEN


def _workspace(repository: Repository, config: Config, path: Path) -> Workspace:
    kind = "worktree" if (path / ".git").is_file() else "clone"
    return Workspace(repository, path, "HEAD", kind)


def _why_kept(repository: Repository, folders: Folders, config: Config, path: Path) -> str:
    """'' when nothing can be lost: the harness's own clean checkouts, and attempts whose patch is archived."""
    if not (path / ".git").exists():
        return "not a workspace"
    here = _workspace(repository, config, path).repository
    if here.dirty_paths():
        return "uncommitted changes"
    is_checkout = path.name.startswith(("base-", "verify-", "preview-", "replay-"))
    if is_checkout or (folders.attempt(path.name) / "commit.json").is_file():
        return ""
    return "its attempt is not archived"


@click.command()
@click.option("--seed", default=1, show_default=True, help="Which fault is planted.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the scratch clone and the report here.")
@data_command
def demo(session: Session, seed: int, keep: Path | None) -> int:
    """Plant a fault in a scratch clone and watch the loop repair it."""
    return demonstration.run(session.root, seed=seed, keep=keep, emit=session.emit)
