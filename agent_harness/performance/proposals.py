"""Proposals that are there already: commits, judged by the performance loop one after the other, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.errors import HarnessError
from agent_harness.usage import Usage
from agent_harness.workspaces.repository import Repository


class CommitsBackend:
    """A Backend that proposes the change of one commit at a time, in the order given."""

    name = "commits"
    model = ""

    def __init__(self, repository: Repository, revisions: Sequence[str]) -> None:
        """Raises HarnessError when a revision is not there."""
        self._repository = repository
        self._left = [repository.resolve(revision) for revision in revisions]

    def available(self) -> str:
        """Always empty: it needs nothing."""
        return ""

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """Raises HarnessError: there is nobody to ask."""
        raise HarnessError("commits answer no questions")

    def build(self, task: Task) -> Outcome:
        """Applies the next commit's change to the workspace; a conflict is no edit."""
        if not self._left:
            return Outcome(base.NO_EDIT, Usage(), "no commit is left to propose")
        commit = self._left.pop(0)
        patch = self._repository.git("diff", "--no-ext-diff", "--binary", f"{commit}^", commit)
        try:
            Repository(task.workspace).git("apply", "--3way", "--whitespace=nowarn", "-", stdin=patch)
        except HarnessError:
            return Outcome(base.NO_EDIT, Usage(), f"the change of {commit[:12]} does not apply here")
        return Outcome(base.FINISHED, Usage(), commit[:12])
