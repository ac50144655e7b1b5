"""Plays back recorded attempts: the backend for tests, demonstrations and for looking at a run again.

A recording is a folder with one patch per attempt, `<n>.diff` (n from 1), and optionally `<n>.json` with the usage and the last
message.  Attempt n of a task applies patch n; a missing patch is an attempt without an edit.  `answers.json` maps a prefix of
a prompt's first line to an answer for `ask`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.errors import HarnessError
from agent_harness.usage import Usage
from agent_harness.workspaces.repository import Repository


class ReplayBackend:
    """A Backend that applies recorded patches."""

    name = "replay"

    def __init__(self, folder: Path, model: str = "recorded") -> None:
        self.model = model
        self._folder = folder

    def available(self) -> str:
        """Empty if the recording exists."""
        return "" if self._folder.is_dir() else f"replay: no recording at {self._folder}"

    def build(self, task: Task) -> Outcome:
        """Applies the attempt's patch."""
        patch = self._folder / f"{task.attempt}.diff"
        usage, message = self._notes(task.attempt)
        if not patch.is_file():
            return Outcome(base.NO_EDIT, usage, f"no patch {task.attempt} in the recording", message)
        try:
            Repository(task.workspace).git("apply", "--whitespace=nowarn", str(patch.resolve()))
        except HarnessError as error:
            return Outcome(base.CRASHED, usage, f"the recorded patch does not apply: {error}", message)
        return Outcome(base.FINISHED, usage, "", message)

    def _notes(self, attempt: int) -> tuple[Usage, str]:
        path = self._folder / f"{attempt}.json"
        if not path.is_file():
            return Usage.unknown(), ""
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Usage.from_dict(raw.get("usage") or {}), str(raw.get("message", ""))

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """The recorded answer whose key starts the prompt.  Raises HarnessError if there is none."""
        path = self._folder / "answers.json"
        answers: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for start, answer in answers.items():
            if prompt.startswith(start):
                return answer, Usage.unknown()
        raise HarnessError("replay: no recorded answer for this question")
