"""The configuration: one TOML file, checked whole before anything starts.

`load` reads `agent-harness.toml` (all of it optional), lays command-line overrides over it, and returns frozen dataclasses
that can cross to other processes.  An unknown key, a wrong type or an impossible value is a ConfigurationError that names
the key; nothing is guessed.  Keys for backends are never in the file: they are taken from the environment.
"""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agent_harness.errors import ConfigurationError
from agent_harness.workspaces import sandbox, workspace

FILE_NAME = "agent-harness.toml"
STATE_FOLDER = ".agent-harness"
CONTRACT_KINDS = ("sqllogictest", "command")
ROLES = ("decide", "architect", "build", "test", "review", "qa")


@dataclass(frozen=True, slots=True)
class ContractConfig:
    """What must hold: sqllogictest suites below `paths` for `module`, or a `command` that writes JUnit XML to `report`."""

    kind: str = "sqllogictest"
    paths: tuple[str, ...] = ("tests/slt",)
    configurations: tuple[str, ...] = ("memory",)
    module: str = "minisql"
    jobs: int = 2
    record_timeout_s: float = 20.0
    command: tuple[str, ...] = ()
    report: str = "junit.xml"
    timeout_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """Where changes go: the branch, what builders may edit, and what nobody may touch (path prefixes)."""

    branch: str = "main"
    editable: tuple[str, ...] = ("minisql/",)
    protected: tuple[str, ...] = (
        *("tests/", "sqllogictest/", "agent_harness/", "benchmarks/", ".ci/", ".github/"),
        *("pyproject.toml", "Makefile", FILE_NAME),
    )


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """How the loop goes round: builders at once, merge batches, fresh starts before a task is parked."""

    builders: int = 2
    batch: int = 5
    fresh_starts: int = 1
    rounds: int = 100
    failures_shown: int = 3
    executor: str = ""
    executor_options: Mapping[str, str] = field(default_factory=dict)
    rate_limit_waits: int = 5
    rate_limit_wait_s: float = 30.0


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """Hard limits; 0 means none.  Those of a task count over its lifetime, those of a run over all its tasks."""

    task_attempts: int = 4
    task_tokens: int = 0
    task_usd: float = 0.0
    task_seconds: float = 7200.0
    run_attempts: int = 0
    run_tokens: int = 0
    run_usd: float = 0.0
    run_seconds: float = 0.0
    attempt_seconds: float = 1800.0
    idle_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class WorkspaceConfig:
    """How attempts are kept apart: worktree or clone, and the wall around what a backend starts."""

    kind: str = "worktree"
    sandbox: str = "none"
    network: bool = True
    image: str = ""


@dataclass(frozen=True, slots=True)
class GatesConfig:
    """Settings of gates: those left out by name, and a table of options per gate."""

    skip: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, gate: str) -> Mapping[str, Any]:
        """The options of one gate, empty if there are none."""
        return self.options.get(gate, {})


@dataclass(frozen=True, slots=True)
class RoleConfig:
    """The backends of one role, tried in this order; none means the offline default in plain code."""

    backends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackendConfig:
    """A named backend: its kind (embedded, claude, codex, ..., or an entry point), model and further options."""

    name: str
    kind: str
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration, bound to a checkout.  `path` is the file it came from, if any."""

    checkout: Path
    state: Path
    path: Path | None = None
    contract: ContractConfig = field(default_factory=ContractConfig)
    target: TargetConfig = field(default_factory=TargetConfig)
    loop: LoopConfig = field(default_factory=LoopConfig)
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    workspace: WorkspaceConfig = field(default_factory=WorkspaceConfig)
    gates: GatesConfig = field(default_factory=GatesConfig)
    roles: Mapping[str, RoleConfig] = field(default_factory=dict)
    backends: Mapping[str, BackendConfig] = field(default_factory=dict)

    def role(self, name: str) -> RoleConfig:
        """The role's backends; only `build` has one by default: the embedded agent."""
        default = RoleConfig(("embedded",)) if name == "build" else RoleConfig()
        return self.roles.get(name, default)

    def backend(self, name: str) -> BackendConfig:
        """A backend by its name in the file, or by its kind when the file does not mention it."""
        return self.backends.get(name, BackendConfig(name, name))


_SECTIONS: dict[str, type] = {
    "contract": ContractConfig,
    "target": TargetConfig,
    "loop": LoopConfig,
    "limits": LimitsConfig,
    "workspace": WorkspaceConfig,
}
_LEAST = {"builders": 1, "batch": 1, "rounds": 1, "task_attempts": 1, "jobs": 1, "failures_shown": 1}


def load(path: Path | None, overrides: Mapping[str, Any] | None = None, checkout: Path | None = None) -> Config:
    """Reads and checks the configuration.

    `path` None means agent-harness.toml in `checkout` (default: the current folder), if it is there.  `overrides` are dotted
    keys, {"loop.builders": 4}; a value of None is no override.  Raises ConfigurationError.
    """
    root = (checkout or (path.parent if path is not None else Path.cwd())).resolve()
    file = path if path is not None else root / FILE_NAME
    raw = _read(file) if path is not None or file.exists() else {}
    for key, value in (overrides or {}).items():
        if value is not None:
            _set(raw, key, value)
    config = _decode(raw, root, file if file.exists() else None)
    _check(config)
    return config


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from error


def _set(raw: dict[str, Any], key: str, value: object) -> None:
    *sections, name = key.split(".")
    table = raw
    for section in sections:
        table = table.setdefault(section, {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"{section}: must be a table")
    table[name] = value


def _decode(raw: dict[str, Any], root: Path, path: Path | None) -> Config:
    unknown = set(raw) - {*_SECTIONS, "gates", "roles", "backends", "state"}
    if unknown:
        raise ConfigurationError(f"unknown key {', '.join(sorted(unknown))}")
    state = raw.get("state", STATE_FOLDER)
    if not isinstance(state, str):
        raise ConfigurationError("state: must be text")
    parts = {name: _section(kind, _table(raw, name), name) for name, kind in _SECTIONS.items()}
    config = Config(root, root / state, path, roles=_roles(raw), backends=_backends(raw), gates=_gates(raw))
    return replace(config, **parts)


def _table(raw: dict[str, Any], name: str) -> dict[str, Any]:
    table = raw.get(name, {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{name}: must be a table")
    return table


def _section(kind: type, table: dict[str, Any], where: str) -> Any:
    hints = typing.get_type_hints(kind)
    names = {each.name for each in fields(kind)}
    values = {}
    for key, value in table.items():
        if key not in names:
            raise ConfigurationError(f"{where}.{key}: unknown key")
        values[key] = _value(value, hints[key], f"{where}.{key}")
    return kind(**values)


def _value(value: Any, hint: Any, where: str) -> Any:
    if hint == tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ConfigurationError(f"{where}: must be a list of texts")
        return tuple(value)
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if typing.get_origin(hint) is not None:
        if not isinstance(value, Mapping):
            raise ConfigurationError(f"{where}: must be a table")
        return dict(value)
    if type(value) is not hint:
        names = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
        raise ConfigurationError(f"{where}: must be {names.get(hint, hint)}")
    return value


def _roles(raw: dict[str, Any]) -> dict[str, RoleConfig]:
    roles = {}
    for name, value in _table(raw, "roles").items():
        if name not in ROLES:
            raise ConfigurationError(f"roles.{name}: the roles are {', '.join(ROLES)}")
        backends = (value,) if isinstance(value, str) else value
        roles[name] = RoleConfig(_value(backends, tuple[str, ...], f"roles.{name}"))
    return roles


def _backends(raw: dict[str, Any]) -> dict[str, BackendConfig]:
    backends = {}
    for name, table in _table(raw, "backends").items():
        if not isinstance(table, dict):
            raise ConfigurationError(f"backends.{name}: must be a table")
        options = dict(table)
        kind = _value(options.pop("kind", name), str, f"backends.{name}.kind")
        model = _value(options.pop("model", ""), str, f"backends.{name}.model")
        if any("key" in option and option != "key_variable" for option in options):
            raise ConfigurationError(f"backends.{name}: keys belong in the environment, not in the file")
        backends[name] = BackendConfig(name, kind, model, options)
    return backends


def _gates(raw: dict[str, Any]) -> GatesConfig:
    table = dict(_table(raw, "gates"))
    skip = _value(table.pop("skip", []), tuple[str, ...], "gates.skip")
    for name, options in table.items():
        if not isinstance(options, dict):
            raise ConfigurationError(f"gates.{name}: must be a table")
    return GatesConfig(skip, table)


def _check(config: Config) -> None:
    for name in ("contract", "loop", "limits"):
        section = getattr(config, name)
        for each in fields(section):
            value = getattr(section, each.name)
            if isinstance(value, int | float) and value < _LEAST.get(each.name, 0):
                raise ConfigurationError(f"{name}.{each.name}: must be at least {_LEAST.get(each.name, 0)}")
    _one_of("contract.kind", config.contract.kind, CONTRACT_KINDS)
    _one_of("workspace.kind", config.workspace.kind, workspace.KINDS)
    _one_of("workspace.sandbox", config.workspace.sandbox, sandbox.KINDS)
    if config.contract.kind == "command" and not config.contract.command:
        raise ConfigurationError("contract.command: must be given for the kind command")
    if not config.target.editable:
        raise ConfigurationError("target.editable: nothing may be changed")


def _one_of(where: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigurationError(f"{where}: must be one of {', '.join(allowed)}, not {value!r}")
