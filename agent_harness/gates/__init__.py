"""The gates that every change goes through, cheap to dear; the first red one ends it.

`standard_gates` makes the list for a contract kind: scope, integrity, imports, target, affected, metamorphic, review, full,
holdout, performance.  `run_gates` runs it and fails closed: a gate that raises is red.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from agent_harness.config import Config
from agent_harness.contract.base import Contract
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.gates.base import Change, Gate, GateResult
from agent_harness.gates.cases import AffectedGate, FullGate, TargetGate
from agent_harness.gates.command_holdout import CommandHoldoutGate
from agent_harness.gates.holdout import HoldoutGate
from agent_harness.gates.imports import ImportsGate
from agent_harness.gates.integrity import IntegrityGate
from agent_harness.gates.metamorphic import MetamorphicGate
from agent_harness.gates.performance import PerformanceGate
from agent_harness.gates.review import ReviewGate
from agent_harness.gates.scope import ScopeGate

NAMES = (
    *("scope", "integrity", "imports", "target", "affected"),
    *("metamorphic", "review", "full", "holdout", "performance"),
)
# Without these a verdict means nothing; they cannot be left out.
NEVER_SKIPPED = frozenset(("scope", "integrity", "target", "full"))


def standard_gates(config: Config, contract: Contract, secret_seed: int | str) -> list[Gate]:
    """The gates for this contract in their order, without those that the configuration skips.

    `secret_seed` makes the hold-out and the twins; it must not be readable for an agent.  Raises ConfigurationError for an
    unknown gate or one that may not be skipped.
    """
    unknown = (set(config.gates.skip) | set(config.gates.options)) - set(NAMES)
    if unknown:
        raise ConfigurationError(f"gates: there is no gate {', '.join(sorted(unknown))}")
    refused = NEVER_SKIPPED & set(config.gates.skip)
    if refused:
        raise ConfigurationError(f"gates.skip: {', '.join(sorted(refused))} cannot be left out")
    of = config.gates.of
    seed = str(secret_seed)
    gates: list[Gate] = [
        ScopeGate(config.target.editable, config.target.protected, of("scope")),
        IntegrityGate(config.target.protected, of("integrity")),
        ImportsGate(config.contract.module, of("imports"), is_engine=isinstance(contract, RecordsContract)),
        TargetGate(of("target")),
        AffectedGate(of("affected")),
    ]
    if isinstance(contract, RecordsContract):
        gates += [
            MetamorphicGate(contract, seed, of("metamorphic")),
            ReviewGate(of("review")),
            FullGate(of("full")),
            HoldoutGate(contract, seed, of("holdout")),
            PerformanceGate(contract, of("performance")),
        ]
    else:
        gates += [ReviewGate(of("review")), FullGate(of("full"))]
        if of("holdout").get("command"):
            gates.append(CommandHoldoutGate(config.contract, of("holdout")))
    return [gate for gate in gates if gate.name not in config.gates.skip]


def run_gates(gates: Sequence[Gate], change: Change, contract: Contract) -> list[GateResult]:
    """Runs the gates until one is red; the change is accepted when the last result passed and none is missing."""
    results: list[GateResult] = []
    for gate in gates:
        started = time.perf_counter()
        try:
            result = gate.check(change, contract)
        except HarnessError as error:
            result = GateResult(gate.name, False, f"could not decide: {error}", f"{gate.name}: undecided")
        except Exception as error:  # no verdict, no merge: a defect of the gate must not let a change through
            result = GateResult(gate.name, False, f"the gate failed: {type(error).__name__}: {error}", f"{gate.name}: failed")
        result.seconds = round(time.perf_counter() - started, 3)
        results.append(result)
        if not result.passed:
            break
    return results


def is_accepted(gates: Sequence[Gate], results: Sequence[GateResult]) -> bool:
    """Whether every gate has a result and all of them passed."""
    return len(results) == len(gates) > 0 and all(result.passed for result in results)
