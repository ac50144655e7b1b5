"""Hold-out: scripts nobody has seen, split by feature, made now from the secret seed and answered by SQLite.

The same scripts run on base and head.  Red when one that the base answered rightly is answered wrongly now, or when, for the
targets' own features, more are wrong than right among those the base had wrong: a repair of a feature has to reach beyond its
records.  Evidence is counts only; the run's event log keeps every verdict and so every look.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.contract.holdout import agreement, answer_all, counts, make_holdout
from agent_harness.contract.records import RecordsContract
from agent_harness.contract.sql_text import script_features
from agent_harness.gates.base import Change, GateResult


class HoldoutGate:
    """Option: `per_feature` (8 scripts for each of some thirty features)."""

    name = "holdout"

    def __init__(self, contract: RecordsContract, seed: str, options: Mapping[str, Any]) -> None:
        self._contract = contract
        self._seed = seed
        self._per_feature = int(options.get("per_feature", 8))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Compares base and head on a fresh hold-out."""
        features: set[str] = set()
        for target in change.target_ids:
            features |= script_features(self._contract.script(target)[-1:])
        # The head in the seed: another attempt meets another hold-out, so counts cannot be climbed.
        held = make_holdout(f"{self._seed}/{change.head}", features, self._per_feature)
        answers = answer_all(held)
        now = agreement(held, answers, self._contract.engine(change.checkout))
        if all(now):
            return GateResult(self.name, True, _line(counts(held, now)))
        before = agreement(held, answers, self._contract.engine(change.base_checkout))
        lost = sum(was and not is_now for was, is_now in zip(before, now, strict=True))
        own = [(was, is_now) for item, was, is_now in zip(held, before, now, strict=True) if item.is_own and not was]
        unrepaired = sum(not is_now for _, is_now in own)
        evidence = f"{_line(counts(held, now))}; {lost} lost against the base"
        if lost:
            return GateResult(self.name, False, evidence, "holdout: lost")
        if own and unrepaired * 2 > len(own):
            evidence += f"; of {len(own)} of the targets' features that the base had wrong, {unrepaired} still are"
            return GateResult(self.name, False, evidence, "holdout: not repaired")
        return GateResult(self.name, True, evidence)


def _line(sides: dict[str, tuple[int, int]]) -> str:
    names = {"own": "the targets' features", "other": "other features"}
    return ", ".join(f"{names[side]}: {passed} of {total} right" for side, (passed, total) in sorted(sides.items()))
