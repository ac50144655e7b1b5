"""What a backend is: something that edits files in a workspace when it is given a prompt.

Backends are told apart only by how they are called and how they report usage.  Each call happens under limits, in the
workspace, with an allow-listed environment, and ends with an `Outcome`; a backend never commits, never judges, and what it
claims about success is kept but ignored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from agent_harness.usage import Usage
from agent_harness.workspaces.sandbox import Sandbox

# Ends of an attempt, as the backend saw it.
FINISHED = "finished"
NO_EDIT = "no-edit"
TIMED_OUT = "timed-out"
IDLE = "idle"
CRASHED = "crashed"
RATE_LIMITED = "rate-limited"
FORMAT_ERROR = "format-error"
OVER_BUDGET = "over-budget"
UNAVAILABLE = "unavailable"


class Task:
    """One attempt's order: the prompt, where to work, what may be changed, what must pass, and the limits.

    `workspace` is the worktree; `attempt_folder` takes stream and raw usage; `editable` are path prefixes that may change;
    `brief` is the failing cases' description; `max_seconds`, `idle_seconds`, `max_tokens` and `max_usd` are hard limits (0 =
    none); `attempt` counts from 1 within the task; `sandbox` is the wall around whatever the backend starts.
    """

    __slots__ = (
        "attempt",
        "attempt_folder",
        "brief",
        "case_ids",
        "editable",
        "id",
        "idle_seconds",
        "max_seconds",
        "max_tokens",
        "max_usd",
        "prompt",
        "sandbox",
        "workspace",
    )

    def __init__(
        self,
        id_: str,
        prompt: str,
        workspace: Path,
        attempt_folder: Path,
        editable: tuple[str, ...],
        case_ids: tuple[str, ...],
        brief: dict[str, Any],
        attempt: int = 1,
        max_seconds: float = 1800.0,
        idle_seconds: float = 300.0,
        max_tokens: int = 0,
        max_usd: float = 0.0,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.id = id_
        self.prompt = prompt
        self.workspace = workspace
        self.attempt_folder = attempt_folder
        self.editable = editable
        self.case_ids = case_ids
        self.brief = brief
        self.attempt = attempt
        self.max_seconds = max_seconds
        self.idle_seconds = idle_seconds
        self.max_tokens = max_tokens
        self.max_usd = max_usd
        self.sandbox = sandbox or Sandbox()


class Outcome:
    """How a call ended: one of the constants above, a line for people, usage, and the last message if there was one."""

    __slots__ = ("detail", "end", "last_message", "raw", "usage")

    def __init__(
        self, end: str, usage: Usage, detail: str = "", last_message: str = "", raw: dict[str, Any] | None = None
    ) -> None:
        self.end = end
        self.usage = usage
        self.detail = detail
        self.last_message = last_message
        self.raw = raw or {}


class Backend(Protocol):
    """A configured backend."""

    name: str
    model: str

    def available(self) -> str:
        """Empty when the backend can be used, else one line that says what is missing."""

    def build(self, task: Task) -> Outcome:
        """Edits files in `task.workspace`.  Never raises for what the agent or its program does wrong."""

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """Answers a question without a workspace (for the decide, architect, review and QA roles).

        Raises HarnessError when the backend cannot answer questions or fails.
        """
