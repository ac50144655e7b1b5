"""Measurements: CPU seconds of a workload on a checkout, and the verdict on two checkouts from pairs.

The two sides of a pair run one after the other in turned order, so that a machine that slows down hurts both alike.  Noise is
what the same checkout differs from itself by, measured in the same way at the same time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from agent_harness.backends.process import allowed_environment
from agent_harness.errors import HarnessError
from agent_harness.performance.workloads import Workload

PROGRAM = Path(__file__).with_name("program.py")
TIMEOUT_S = 300.0
LEAST_NOISE = 0.02
Pair = tuple[float, float]


def run_workload(checkout: Path, module: str, workload: Workload, is_profiled: bool = False) -> dict[str, Any]:
    """The program's answer.  Raises HarnessError when the engine fails the workload."""
    order = {"setup": workload.setup, "statements": workload.statements, "is_profiled": is_profiled}
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(checkout), module]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env=allowed_environment(settings={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}),
            check=False,
        )
        answer: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise HarnessError(f"workload {workload.name}: the engine gave no answer") from error
    return answer


def pairs_of(base: Path, head: Path, module: str, workload: Workload, n: int) -> list[Pair]:
    """(base, head) CPU seconds, `n` times in turned order."""
    pairs = []
    for turn in range(n):
        sides = (base, head) if turn % 2 == 0 else (head, base)
        one, other = (float(run_workload(side, module, workload)["cpu_seconds"]) for side in sides)
        pairs.append((one, other) if turn % 2 == 0 else (other, one))
    return pairs


def ratio(pairs: list[Pair]) -> float:
    """The median of head / base."""
    return median(head / base if base > 0 else 1.0 for base, head in pairs)


def noise(pairs: list[Pair]) -> float:
    """From pairs of a checkout with itself: how far a ratio lies from 1, in the middle of the pairs."""
    return max(LEAST_NOISE, median(abs(head / base - 1) if base > 0 else 0.0 for base, head in pairs))


def wins(pairs: list[Pair], noise_: float) -> bool:
    """Better beyond noise: by the median, and in three of four pairs."""
    better = sum(head < base for base, head in pairs)
    return ratio(pairs) < 1 - noise_ and better * 4 >= len(pairs) * 3


def loses(pairs: list[Pair], noise_: float) -> bool:
    """Worse beyond twice the noise."""
    return ratio(pairs) > 1 + 2 * noise_
