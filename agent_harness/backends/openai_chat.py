"""Any OpenAI-compatible chat-completions endpoint (hosted, vLLM, ollama) as an agent with four tools.

The loop is small enough to read in one sitting: messages go out, tool calls come back, each call gets one `tool` message.
Malformed arguments, an unknown tool or a cut answer (`finish_reason` length) is a format error; three in a row end the
attempt; all requests are charged.  Commands run inside the task's sandbox, with a clean environment and a time limit, and
file tools cannot leave the workspace.  The `openai` package is the extra `[openai]`.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from agent_harness.backends import base
from agent_harness.backends.base import Outcome, Task
from agent_harness.backends.process import MARKER, allowed_environment, marked_processes
from agent_harness.errors import HarnessError
from agent_harness.usage import Usage

SHOWN_CHARACTERS = 12_000
COMMAND_SECONDS = 120.0
FORMAT_ERRORS_IN_A_ROW = 3
MAX_TURNS = 100


def _tool(name: str, description: str, **properties: str) -> dict[str, Any]:
    schema = {key: {"type": "string", "description": text} for key, text in properties.items()}
    parameters = {"type": "object", "properties": schema, "required": list(schema), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    _tool("read_file", "Returns a text file of the workspace with line numbers.", path="path below the workspace"),
    _tool("replace", "Replaces one exact, unique piece of text in a file.", path="file", old="text to replace", new="new text"),
    _tool("write_file", "Writes a whole file.", path="path below the workspace", content="the whole content"),
    _tool("run", "Runs a shell command in the workspace; returns exit status and output.", command="the command"),
]


class ToolError(Exception):
    """What the model asked for cannot be done; the text goes back to it."""


class Toolbox:
    """The tools bound to one task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._root = task.workspace.resolve()

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Runs a tool and returns its text.  Raises ToolError for a bad call."""
        handler = getattr(self, f"_{name}", None)
        known = {tool["function"]["name"]: tool["function"]["parameters"]["required"] for tool in TOOLS}
        if name not in known or handler is None:
            raise ToolError(f"there is no tool {name}")
        if sorted(arguments) != sorted(known[name]) or not all(isinstance(value, str) for value in arguments.values()):
            raise ToolError(f"{name} takes the string arguments {', '.join(known[name])}")
        return str(handler(**arguments))

    def _inside(self, path: str) -> Path:
        full = (self._root / path).resolve()
        if not full.is_relative_to(self._root) or ".git" in full.relative_to(self._root).parts:
            raise ToolError(f"{path} is outside the workspace")
        return full

    def _read_file(self, path: str) -> str:
        full = self._inside(path)
        if not full.is_file():
            raise ToolError(f"{path}: no such file")
        lines = full.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"{number:5} {line}" for number, line in enumerate(lines, 1))

    def _replace(self, path: str, old: str, new: str) -> str:
        full = self._inside(path)
        text = full.read_text(encoding="utf-8") if full.is_file() else ""
        if not old or text.count(old) != 1:
            raise ToolError(f"{path}: the old text occurs {text.count(old) if old else 0} times, not once")
        full.write_text(text.replace(old, new), encoding="utf-8")
        return "replaced"

    def _write_file(self, path: str, content: str) -> str:
        full = self._inside(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(content, encoding="utf-8")
        return "written"

    def _run(self, command: str) -> str:
        line = self._task.sandbox.wrap(["sh", "-c", command], self._task.workspace)
        environment = {**allowed_environment(), MARKER: self._task.id}
        process = subprocess.Popen(
            line,
            cwd=self._task.workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
        try:
            output, _ = process.communicate(timeout=COMMAND_SECONDS)
            status = f"exit status {process.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            status = f"ended after {COMMAND_SECONDS:g} s"
        for pid in marked_processes(self._task.id):
            os.kill(pid, signal.SIGKILL)
        return f"{status}\n{output}"


class Meter:
    """Adds up what the endpoint reports, and the price if one is configured (USD per million tokens)."""

    def __init__(self, price_in: float | None, price_cached: float | None, price_out: float | None) -> None:
        self._prices = (price_in, price_cached if price_cached is not None else price_in, price_out)
        self.usage = Usage()

    def add(self, reported: Any) -> None:
        """Adds one response's usage; a response without it makes the sums unknown."""
        self.usage = self.usage + self._one(reported)

    def _one(self, reported: Any) -> Usage:
        if reported is None:
            return Usage(None, None, None, None, None, 1, None)
        total = reported.get("prompt_tokens")
        cached = (reported.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        output = reported.get("completion_tokens")
        reasoning = (reported.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
        if total is None or output is None:
            return Usage(None, None, None, None, None, 1, None)
        price_in, price_cached, price_out = self._prices
        cost = None
        if price_in is not None and price_cached is not None and price_out is not None:
            cost = ((total - cached) * price_in + cached * price_cached + output * price_out) / 1_000_000
        return Usage(total - cached, cached, 0, output, reasoning, 1, cost)


class OpenAIChatBackend:
    """A Backend over chat completions."""

    name = "openai"

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        price_in: float | None = None,
        price_cached: float | None = None,
        price_out: float | None = None,
    ) -> None:
        self.model = model
        self._base_url = base_url
        self._key_variable = key_variable
        self._prices = (price_in, price_cached, price_out)

    def available(self) -> str:
        """Empty if the package is installed; a local endpoint needs no key."""
        if importlib.util.find_spec("openai") is None:
            return "openai: package not installed (pip install pyminisql[openai])"
        if not self._base_url and not os.environ.get(self._key_variable):
            return f"openai: {self._key_variable} is not set"
        return ""

    def _client(self, timeout_s: float) -> Any:
        openai = importlib.import_module("openai")
        key = os.environ.get(self._key_variable) or "none"
        return openai.OpenAI(api_key=key, base_url=self._base_url, timeout=timeout_s, max_retries=2)

    def build(self, task: Task) -> Outcome:
        """Runs the tool loop until the model stops calling tools or a limit is reached."""
        missing = self.available()
        if missing:
            return Outcome(base.UNAVAILABLE, Usage(), missing)
        meter = Meter(*self._prices)
        with (task.attempt_folder / "stream.jsonl").open("w", encoding="utf-8") as stream:
            return self._converse(task, meter, stream)

    def _converse(self, task: Task, meter: Meter, stream: Any) -> Outcome:
        client = self._client(task.idle_seconds or 600.0)
        toolbox = Toolbox(task)
        messages: list[dict[str, Any]] = [{"role": "user", "content": task.prompt}]
        deadline = time.monotonic() + task.max_seconds if task.max_seconds else float("inf")
        n_format_errors = 0
        for _ in range(MAX_TURNS):
            over = _over_limit(task, meter.usage, deadline)
            if over:
                return Outcome(over, meter.usage, "limit reached")
            answer, failure = self._request(client, messages, meter)
            if failure is not None:
                return failure
            stream.write(json.dumps(answer) + "\n")
            choice = (answer.get("choices") or [{}])[0]
            message = choice.get("message") or {}
            calls = message.get("tool_calls") or []
            is_cut = choice.get("finish_reason") == "length"
            if not calls and not is_cut:
                return Outcome(base.FINISHED, meter.usage, "", str(message.get("content") or ""), answer)
            messages.append(
                {"role": "assistant", "content": message.get("content") or "", **({"tool_calls": calls} if calls else {})}
            )
            had_error = is_cut
            for call in calls:
                text, is_error = _carry_out(toolbox, call)
                had_error = had_error or is_error
                messages.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": text[:SHOWN_CHARACTERS]})
            if is_cut and not calls:
                messages.append({"role": "user", "content": "Your answer was cut off. Go on with smaller steps."})
            n_format_errors = n_format_errors + 1 if had_error else 0
            if n_format_errors >= FORMAT_ERRORS_IN_A_ROW:
                return Outcome(base.FORMAT_ERROR, meter.usage, f"{n_format_errors} malformed answers in a row")
        return Outcome(base.TIMED_OUT, meter.usage, f"{MAX_TURNS} turns")

    def _request(
        self, client: Any, messages: list[dict[str, Any]], meter: Meter, tools: bool = True
    ) -> tuple[dict[str, Any], Outcome | None]:
        openai = importlib.import_module("openai")
        try:
            extra = {"tools": TOOLS} if tools else {}
            answer = client.chat.completions.create(model=self.model, messages=messages, **extra)
        except openai.RateLimitError as error:
            return {}, Outcome(base.RATE_LIMITED, meter.usage, _one_line(error))
        except openai.APITimeoutError as error:
            return {}, Outcome(base.TIMED_OUT, meter.usage, _one_line(error))
        except openai.OpenAIError as error:
            return {}, Outcome(base.CRASHED, meter.usage, _one_line(error))
        except ValueError as error:  # a body that is not JSON
            return {}, Outcome(base.CRASHED, meter.usage, _one_line(error))
        data = answer.model_dump() if hasattr(answer, "model_dump") else {}
        meter.add(data.get("usage"))
        return data, None

    def ask(self, prompt: str, folder: Path, max_seconds: float) -> tuple[str, Usage]:
        """One question without tools.  Raises HarnessError if it fails."""
        missing = self.available()
        if missing:
            raise HarnessError(missing)
        meter = Meter(*self._prices)
        answer, failure = self._request(self._client(max_seconds), [{"role": "user", "content": prompt}], meter, tools=False)
        if failure is not None:
            raise HarnessError(f"openai: {failure.end}: {failure.detail}")
        choice = (answer.get("choices") or [{}])[0]
        return str((choice.get("message") or {}).get("content") or ""), meter.usage


def _carry_out(toolbox: Toolbox, call: dict[str, Any]) -> tuple[str, bool]:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return "error: the arguments are not JSON", True
    if not isinstance(arguments, dict):
        return "error: the arguments are not an object", True
    try:
        return toolbox.call(str(function.get("name")), arguments), False
    except ToolError as error:
        return f"error: {error}", "there is no tool" in str(error) or "takes the string arguments" in str(error)
    except (OSError, UnicodeError) as error:
        return f"error: {error}", False


def _over_limit(task: Task, usage: Usage, deadline: float) -> str:
    if time.monotonic() > deadline:
        return base.TIMED_OUT
    tokens = usage.total_tokens()
    if task.max_tokens and tokens is not None and tokens >= task.max_tokens:
        return base.OVER_BUDGET
    if task.max_usd and usage.cost_usd is not None and usage.cost_usd >= task.max_usd:
        return base.OVER_BUDGET
    return ""


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
