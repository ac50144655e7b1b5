"""Spectrum-based localisation: which functions and lines failing records run and passing ones do not.

Ochiai's coefficient, `failed(x) / sqrt(total_failed * (failed(x) + passed(x)))`, over per-record coverage from the engine
process.  Functions are ranked for briefs and for keeping builders apart, lines for the embedded agent.

Source: R. Abreu et al., "On the Accuracy of Spectrum-based Fault Localization" (2007).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

from agent_harness.contract.base import Triple

TRACE = re.compile(r"\(([\w.]+\.py):([\w.<>]+):\d+\)")
_Key = TypeVar("_Key", bound=tuple[Any, ...])


class Spectrum:
    """Counts of coverage.  `functions` maps (file, qualified name) and `lines` (file, line) to an Ochiai score."""

    def __init__(self, failing: Iterable[Iterable[Triple]], passing: Iterable[Iterable[Triple]]) -> None:
        failed_runs = [set(run) for run in failing]
        passed_runs = [set(run) for run in passing]
        self._total_failed = len(failed_runs)
        self.functions = self._score(
            [{(file, name) for file, name, _ in run} for run in failed_runs],
            [{(file, name) for file, name, _ in run} for run in passed_runs],
        )
        self.lines = self._score(
            [{(file, line) for file, _, line in run} for run in failed_runs],
            [{(file, line) for file, _, line in run} for run in passed_runs],
        )

    def _score(self, failed: list[set[_Key]], passed: list[set[_Key]]) -> dict[_Key, float]:
        in_failed = Counter(key for run in failed for key in run)
        in_passed = Counter(key for run in passed for key in run)
        return {key: count / math.sqrt(self._total_failed * (count + in_passed[key])) for key, count in in_failed.items()}

    def top_functions(self, n: int = 10) -> list[tuple[str, float]]:
        """The most suspicious functions as ("file:name", score)."""
        ranked = sorted(self.functions.items(), key=lambda item: (-item[1], item[0]))
        return [(f"{file}:{name}", round(score, 4)) for (file, name), score in ranked[:n]]

    def suspects(self, errors: Iterable[str], n: int = 10) -> list[tuple[str, float]]:
        """The most suspicious functions, those first in which one of the errors was raised ("... (file.py:function:line)")."""
        places = {match.groups() for error in errors for match in TRACE.finditer(error)}
        ranked = self.top_functions(len(self.functions))

        def is_raising(item: tuple[str, float]) -> bool:
            file, _, name = item[0].partition(":")
            return (file.rpartition("/")[2], name) in places

        return sorted(ranked, key=lambda item: not is_raising(item))[:n]

    def top_lines(self, n: int = 400) -> list[tuple[str, int, float]]:
        """The most suspicious lines as (file, line, score)."""
        ranked = sorted(self.lines.items(), key=lambda item: (-item[1], item[0]))
        return [(file, line, score) for (file, line), score in ranked[:n]]
