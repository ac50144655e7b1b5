"""Scope: a change touches only what builders may edit, in kinds and amounts that can be reviewed.

Red for no change at all, a path outside the editable prefixes or below a protected one, a symbolic link, submodule, binary or
executable file, a file that Python would load by itself (sitecustomize, conftest, .pth), or a change that is too large.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.gates.base import Change, GateResult

SELF_LOADING = re.compile(r"(^|/)(sitecustomize|usercustomize|conftest)\.py$|\.pth$|(^|/)\.git|\.so$|\.pyd$|\.pyc$")
MODE_LINE = re.compile(r"^(?:new file mode|new mode) (\d{6})$", re.M)


def is_below(path: str, prefixes: Sequence[str]) -> bool:
    """Whether a path is one of the prefixes or in the folder that one of them (ending in a slash) names."""
    return any(path == prefix.rstrip("/") or path.startswith(prefix.rstrip("/") + "/") for prefix in prefixes)


class ScopeGate:
    """Options: `max_files` (60) and `max_lines` (4000 added or removed)."""

    name = "scope"

    def __init__(self, editable: Sequence[str], protected: Sequence[str], options: Mapping[str, Any]) -> None:
        self._editable = tuple(editable)
        self._protected = tuple(protected)
        self._max_files = int(options.get("max_files", 60))
        self._max_lines = int(options.get("max_lines", 4000))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Judges paths, modes and size."""
        if not change.changed_paths:
            return GateResult(self.name, False, "the change is empty", "scope: empty")
        for path in change.changed_paths:
            problem = self._problem(path, change)
            if problem:
                return GateResult(self.name, False, f"{path}: {problem}", f"scope: {problem}: {path}")
        problem = self._size_or_kind(change)
        if problem:
            return GateResult(self.name, False, problem, f"scope: {problem.partition(':')[0]}")
        return GateResult(self.name, True, f"{len(change.changed_paths)} file(s), all may be edited")

    def _problem(self, path: str, change: Change) -> str:
        if is_below(path, self._protected):
            return "is protected"
        if not is_below(path, self._editable):
            return "may not be edited (only " + ", ".join(self._editable) + ")"
        if SELF_LOADING.search(path):
            return "is loaded without being imported"
        full = change.checkout / path
        if full.is_symlink():
            return "is a symbolic link"
        if full.exists() and os.path.realpath(full) != os.path.join(os.path.realpath(change.checkout), path):
            return "lies behind a symbolic link"
        return ""

    def _size_or_kind(self, change: Change) -> str:
        if "\nGIT binary patch\n" in change.diff:
            return "a binary file was changed"
        bad_modes = sorted(set(MODE_LINE.findall(change.diff)) - {"100644"})
        if bad_modes:
            return f"a file has mode {bad_modes[0]}: only plain files may be added"
        if len(change.changed_paths) > self._max_files:
            return f"too many files: {len(change.changed_paths)} of at most {self._max_files}"
        lines = sum(1 for _ in changed_lines(change.diff))
        return f"too many lines: {lines} of at most {self._max_lines}" if lines > self._max_lines else ""


def changed_lines(diff: str) -> Iterator[tuple[str, str, str]]:
    """(path, '+' or '-', text) of each changed line of a git patch."""
    path = ""
    in_hunk = False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, in_hunk = "", False
        elif line.startswith("@@"):
            in_hunk = True
        elif not in_hunk:
            if line.startswith(("--- a/", "+++ b/")):
                path = line[6:]
        elif line[:1] in ("+", "-"):
            yield path, line[0], line[1:]
