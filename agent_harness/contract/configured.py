"""Makes the contract that the configuration asks for, with its cases read from a trusted copy."""

from __future__ import annotations

from pathlib import Path

from agent_harness.config import Config
from agent_harness.contract.base import Contract
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import ConfigurationError


def make_contract(config: Config, source: Path | None = None) -> Contract:
    """The contract over the cases below `source` (default: the main checkout).  Raises ConfigurationError."""
    chosen = config.contract
    if chosen.kind == "sqllogictest":
        return RecordsContract(
            source or config.checkout,
            chosen.paths,
            chosen.configurations,
            chosen.jobs,
            chosen.record_timeout_s,
            chosen.module,
        )
    raise ConfigurationError(f"contract.kind: {chosen.kind!r} is not known")
