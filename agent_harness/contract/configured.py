"""Makes the contract that the configuration asks for, with its cases read from a trusted copy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent_harness.config import Config
from agent_harness.contract.base import Contract
from agent_harness.contract.command import CommandContract
from agent_harness.contract.engine_links import Wrap
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import ConfigurationError
from agent_harness.workspaces.sandbox import Sandbox


def make_contract(config: Config, source: Path | None = None) -> Contract:
    """The contract over the cases below `source` (default: the main checkout).  Raises ConfigurationError."""
    chosen = config.contract
    settings = repr((config.gates.skip, sorted((name, sorted(of.items())) for name, of in config.gates.options.items())))
    if chosen.kind == "sqllogictest":
        return RecordsContract(
            source or config.checkout,
            chosen.paths,
            chosen.configurations,
            chosen.jobs,
            chosen.record_timeout_s,
            chosen.module,
            engine_wall(config),
            settings,
        )
    if chosen.kind == "command":
        return CommandContract(
            source or config.checkout,
            chosen.command,
            chosen.report,
            config.target.protected,
            chosen.timeout_s,
            settings,
        )
    raise ConfigurationError(f"contract.kind: {chosen.kind!r} is not known")


def engine_wall(config: Config) -> Wrap | None:
    """A wall around the engine's process where bubblewrap is configured: no network, nothing to write but its scratch."""
    if config.workspace.sandbox != "bwrap":
        return None
    sandbox = Sandbox("bwrap", network=False, hidden=(config.state,))

    def wrap(command: Sequence[str], scratch: Path, readable: Sequence[Path]) -> list[str]:
        return sandbox.wrap(command, scratch, readable=readable)

    return wrap
