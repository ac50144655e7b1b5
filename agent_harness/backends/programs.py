"""The command-line agents: claude, codex, gemini, aider and mini, each as a table of how it is called and how it reports.

A `Dialect` says: the command, which event is final, and how to read usage and success from what the program left.  What is
common (limits, environment, process group) is in backends.process.  Usage is taken once, from the place where the program
sums it up, never added up from messages.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.backends.process import MARKER, Event, ProgramRun, allowed_environment, run_program
from agent_harness.errors import HarnessError
from agent_harness.usage import Usage


class Dialect:
    """How one program is spoken to.

    `command(model, task)` gives the argument list; `is_final(event)`; `read(run, task)` gives (end, usage, detail, message);
    `keys` are environment variables to hand on; `settings` fixed variables.
    """

    __slots__ = ("command", "is_final", "keys", "name", "program", "read", "settings")

    def __init__(
        self,
        name: str,
        program: str,
        command: Callable[[str, Task], list[str]],
        is_final: Callable[[Event], bool],
        read: Callable[[ProgramRun, Task], tuple[str, Usage, str, str]],
        keys: tuple[str, ...],
        settings: dict[str, str] | None = None,
    ) -> None:
        self.name = name
        self.program = program
        self.command = command
        self.is_final = is_final
        self.read = read
        self.keys = keys
        self.settings = settings or {}


class ProgramBackend:
    """A Backend over a Dialect and a model name."""

    def __init__(self, dialect: Dialect, model: str, settings: dict[str, str] | None = None) -> None:
        self.name = dialect.name
        self.model = model
        self._dialect = dialect
        self._settings = {**dialect.settings, **(settings or {})}

    def available(self) -> str:
        """Empty if the program is on PATH."""
        return "" if shutil.which(self._dialect.program) else f"{self._dialect.program}: program not found on PATH"

    def build(self, task: Task) -> Outcome:
        """Runs the program on the task's workspace."""
        dialect = self._dialect
        variables = (*dialect.keys, *self._settings, MARKER)
        command = dialect.command(self.model, task)
        run = run_program(
            task.sandbox.wrap(command, task.workspace, (task.attempt_folder,), variables=variables),
            prompt=task.prompt,
            folder=task.workspace,
            environment=allowed_environment(dialect.keys, self._settings),
            attempt=task.id,
            stream_path=task.attempt_folder / "stream.jsonl",
            max_seconds=task.max_seconds,
            idle_seconds=task.idle_seconds,
            is_final=dialect.is_final,
        )
        if run.end == base.UNAVAILABLE:
            return Outcome(run.end, Usage(), run.stderr)
        end, usage, detail, message = dialect.read(run, task)
        if run.end != base.FINISHED and (run.end != base.CRASHED or end == base.FINISHED):
            # What the program itself says about a failure tells more than that it failed.
            end, detail = run.end, detail or f"ended by the harness: {run.end}"
        return Outcome(end, usage, detail, message, {"returncode": run.returncode, "seconds": run.seconds})

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """Asks in an empty folder and returns the last message."""
        workspace = folder / "empty"
        workspace.mkdir(parents=True, exist_ok=True)
        task = Task(f"ask-{folder.name}", prompt, workspace, folder, (), (), {}, max_seconds=max_seconds)
        outcome = self.build(task)
        if outcome.end not in (base.FINISHED, base.NO_EDIT):
            raise HarnessError(f"{self.name}: {outcome.end}: {outcome.detail}")
        return outcome.last_message, outcome.usage


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _last(run: ProgramRun, *types: str) -> Event | None:
    for event in reversed(run.events):
        if event.get("type") in types:
            return event
    return None


def _claude_command(model: str, task: Task) -> list[str]:
    command = ["claude", "-p", "--bare", "--output-format", "stream-json", "--verbose", "--model", model]
    command += ["--permission-mode", "bypassPermissions", "--allowedTools", "Bash,Edit,Read,Write", "--max-turns", "200"]
    if task.max_usd:
        command += ["--max-budget-usd", f"{task.max_usd:g}"]
    return command


def _read_claude(run: ProgramRun, task: Task) -> tuple[str, Usage, str, str]:
    result = _last(run, "result")
    if result is None:
        return base.CRASHED, Usage.unknown(), run.stderr.strip()[-300:], ""
    counts = result.get("usage") or {}
    cost = result.get("total_cost_usd")
    usage = Usage(
        _number(counts.get("input_tokens")),
        _number(counts.get("cache_read_input_tokens")),
        _number(counts.get("cache_creation_input_tokens")),
        _number(counts.get("output_tokens")),
        None,
        _number(result.get("num_turns")),
        float(cost) if isinstance(cost, int | float) else None,
    )
    message = str(result.get("result") or "")
    # An unreachable API reports subtype "success" with is_error true: only is_error decides.
    if result.get("is_error"):
        over = "budget" in str(result.get("subtype", ""))
        limited = "429" in message or "rate limit" in message.lower()
        end = base.OVER_BUDGET if over else base.RATE_LIMITED if limited else base.CRASHED
        return end, usage, f"{result.get('subtype')}: {message[:300]}", message
    return base.FINISHED, usage, "", message


def _codex_command(model: str, task: Task) -> list[str]:
    last = str(task.attempt_folder / "last.txt")
    command = ["codex", "exec", "--json", "--ephemeral", "--ignore-user-config", "--skip-git-repo-check"]
    return [*command, "-C", str(task.workspace), "-m", model, "-s", "workspace-write", "-o", last, "-"]


def _read_codex(run: ProgramRun, task: Task) -> tuple[str, Usage, str, str]:
    last = task.attempt_folder / "last.txt"
    message = last.read_text(encoding="utf-8", errors="replace") if last.exists() else ""
    completed = _last(run, "turn.completed")
    if completed is None:
        failed = _last(run, "turn.failed", "error") or {}
        reason = failed.get("error")
        text = str(reason.get("message") if isinstance(reason, dict) else failed.get("message") or run.stderr.strip()[-300:])
        limited = "429" in text or "rate limit" in text.lower()
        return (base.RATE_LIMITED if limited else base.CRASHED), Usage.unknown(), text[:300], message
    counts = completed.get("usage") or {}
    total, cached = _number(counts.get("input_tokens")), _number(counts.get("cached_input_tokens"))
    uncached = total - (cached or 0) if total is not None else None
    output, reasoning = _number(counts.get("output_tokens")), _number(counts.get("reasoning_output_tokens"))
    return base.FINISHED, Usage(uncached, cached, 0, output, reasoning, None, None), "", message


def _gemini_command(model: str, task: Task) -> list[str]:
    prompt = "Do what standard input asks."
    return ["gemini", "-p", prompt, "-m", model, "--approval-mode", "yolo", "--output-format", "stream-json", "--skip-trust"]


_GEMINI_ENDS = {
    41: (base.UNAVAILABLE, "not signed in (security.auth.selectedType)"),
    42: (base.FORMAT_ERROR, "bad input"),
    53: (base.OVER_BUDGET, "turn limit"),
}


def _read_gemini(run: ProgramRun, task: Task) -> tuple[str, Usage, str, str]:
    result = _last(run, "result") or {}
    stats = result.get("stats") or {}
    cached = _number(stats.get("cached"))
    total = _number(stats.get("input_tokens"))
    uncached = total - (cached or 0) if total is not None else None
    usage = Usage(uncached, cached, None if total is None else 0, _number(stats.get("output_tokens")), None, None, None)
    texts = [str(e.get("content", "")) for e in run.events if e.get("type") == "message" and e.get("role") == "assistant"]
    message = "".join(texts)
    if run.returncode in _GEMINI_ENDS:
        end, detail = _GEMINI_ENDS[run.returncode]
        return end, usage, detail, message
    if run.returncode not in (0, None) or result.get("status") == "error":
        return base.CRASHED, usage, run.stderr.strip()[-300:], message
    return base.FINISHED, usage, "", message


def _aider_command(model: str, task: Task) -> list[str]:
    message = task.attempt_folder / "message.txt"
    message.parent.mkdir(parents=True, exist_ok=True)
    message.write_text(task.prompt, encoding="utf-8")
    command = ["aider", "--model", model, "--message-file", str(message), "--yes-always", "--no-stream", "--no-pretty"]
    command += ["--no-check-update", "--no-auto-commits", "--analytics-log", str(task.attempt_folder / "analytics.jsonl")]
    suspects = [path for path in task.brief.get("files", ()) if (task.workspace / path).is_file()]
    return [*command, *suspects]


def _read_aider(run: ProgramRun, task: Task) -> tuple[str, Usage, str, str]:
    log = task.attempt_folder / "analytics.jsonl"
    usage = Usage.unknown()
    if log.exists():
        sends = [properties for properties in map(_aider_send, log.read_text(encoding="utf-8").splitlines()) if properties]
        if sends:
            prompt = sum(int(s.get("prompt_tokens", 0)) for s in sends)
            output = sum(int(s.get("completion_tokens", 0)) for s in sends)
            costs = [s.get("cost") for s in sends]
            known = all(isinstance(cost, int | float) for cost in costs)
            usage = Usage(prompt, None, None, output, None, len(sends), float(sum(costs)) if known else None)  # type: ignore[arg-type]
    if run.returncode not in (0, None):
        return base.CRASHED, usage, run.stderr.strip()[-300:], ""
    return base.FINISHED, usage, "", ""


def _aider_send(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return dict(event.get("properties") or {}) if event.get("event") == "message_send" else {}


def _mini_command(model: str, task: Task) -> list[str]:
    limit = f"{task.max_usd or 3.0:g}"
    trajectory = str(task.attempt_folder / "trajectory.traj.json")
    return ["mini", "-y", "--exit-immediately", "-t", task.prompt, "-m", model, "-l", limit, "-o", trajectory]


def _read_mini(run: ProgramRun, task: Task) -> tuple[str, Usage, str, str]:
    path = task.attempt_folder / "trajectory.traj.json"
    try:
        info = json.loads(path.read_text(encoding="utf-8"))["info"]
    except (OSError, ValueError, KeyError):
        return base.CRASHED, Usage.unknown(), run.stderr.strip()[-300:] or "no trajectory was written", ""
    stats = info.get("model_stats") or {}
    cost = stats.get("instance_cost")
    price = float(cost) if isinstance(cost, int | float) else None
    usage = Usage(None, None, None, None, None, _number(stats.get("api_calls")), price)
    status = str(info.get("exit_status", ""))
    if status == "Submitted":
        return base.FINISHED, usage, "", str(info.get("submission", ""))
    return (base.OVER_BUDGET if "Limit" in status else base.CRASHED), usage, status, ""


def _never(event: Event) -> bool:
    return False


def _type_is(*types: str) -> Callable[[Event], bool]:
    return lambda event: event.get("type") in types


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "claude",
            "claude",
            _claude_command,
            _type_is("result"),
            _read_claude,
            ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
            {"IS_SANDBOX": "1"},
        ),
        Dialect(
            "codex",
            "codex",
            _codex_command,
            _type_is("turn.completed", "turn.failed"),
            _read_codex,
            ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"),
        ),
        Dialect("gemini", "gemini", _gemini_command, _type_is("result"), _read_gemini, ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
        Dialect(
            "aider",
            "aider",
            _aider_command,
            _never,
            _read_aider,
            ("OPENAI_API_KEY", "OPENAI_API_BASE", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
        ),
        Dialect(
            "mini",
            "mini",
            _mini_command,
            _never,
            _read_mini,
            ("OPENAI_API_KEY", "OPENAI_API_BASE", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MSWEA_API_KEY"),
        ),
    )
}
