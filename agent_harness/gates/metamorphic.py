"""Metamorphic: each target record also passes as its twins, so that an answer made for one text does not count.

The twins are made from the targets' scripts and answered by SQLite at verify time (contract.twins).  Evidence shows the first
failing twins with rows side by side: an honest change learns from them, a memorised answer does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agent_harness.contract.base import CaseId, Contract
from agent_harness.contract.minimise import Answer, reference_engine
from agent_harness.contract.process_engine import ProcessEngine
from agent_harness.contract.records import RecordsContract
from agent_harness.contract.twins import Twin, fails, make_twins
from agent_harness.errors import HarnessError
from agent_harness.gates.base import Change, GateResult
from agent_harness.gates.cases import hash_of

SHOWN = 2


class MetamorphicGate:
    """Option: `max_targets` (12 targets are twinned, spread over all)."""

    name = "metamorphic"

    def __init__(self, contract: RecordsContract, seed: str, options: Mapping[str, Any]) -> None:
        self._contract = contract
        self._seed = seed
        self._max_targets = int(options.get("max_targets", 12))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Runs the twins of the targets on the changed tree."""
        reference = reference_engine()
        counts: Counter[str] = Counter()
        failed: list[tuple[Twin, str, Answer]] = []
        engine = self._contract.engine(change.checkout)
        try:
            for target in self._chosen(change.target_ids):
                for twin in make_twins(self._contract.script(target), reference, self._seed):
                    counts[twin.kind] += 1
                    difference, actual = fails(twin, engine)
                    if difference:
                        failed.append((twin, difference, actual))
                        _revive(engine, actual)
                if len(failed) >= SHOWN:
                    break
        finally:
            engine.close()
        return self._verdict(counts, failed)

    def _chosen(self, targets: tuple[CaseId, ...]) -> list[CaseId]:
        step = max(1, -(-len(targets) // self._max_targets))
        known = [target for target in targets[::step]]
        try:
            for target in known:
                self._contract.script(target)
        except KeyError as error:
            raise HarnessError(f"a target is not a case of the contract: {error}") from error
        return known

    def _verdict(self, counts: Counter[str], failed: list[tuple[Twin, str, Answer]]) -> GateResult:
        total = sum(counts.values())
        if not failed:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
            return GateResult(self.name, True, f"{total} twin(s) pass ({kinds})" if total else "the targets have no twins")
        parts = [
            f"{twin.kind} twin: {difference}\n  {_shown_script(twin.script)}"
            f"\n  SQLite:  {_line(twin.expected)}\n  engine:  {_line(actual)}"
            for twin, difference, actual in failed[:SHOWN]
        ]
        ways = sorted({f"{twin.kind} {difference} {hash_of(actual.text())}" for twin, difference, actual in failed[:SHOWN]})
        evidence = f"{len(failed)} of {total} twin(s) tried so far fail\n" + "\n".join(parts)
        return GateResult(self.name, False, evidence, "metamorphic: " + "; ".join(ways))


def _revive(engine: ProcessEngine, actual: Answer) -> None:
    if actual.stage in ("crash", "import"):
        engine.restart()


def _line(answer: Answer) -> str:
    return " / ".join(answer.text(12).splitlines())[:400]


def _shown_script(script: list[str]) -> str:
    return ";\n  ".join(" ".join(sql.split())[:300] for sql in script[-6:])
