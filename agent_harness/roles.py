"""Roles: who is asked what, with prompts from templates, and what happens when nobody is there to ask.

`decide` orders the clusters, leaves some out or ends the run; `architect` adds a paragraph to the brief and may narrow a task;
`review`, `test` and `qa` may object to a change that every gate let through.  An answer can make the harness stricter, never
laxer: no gate is ever skipped for one.  A role without a backend, or one that fails, is its offline default.  `build` edits
files (backends.base.Backend.build).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import jinja2

from agent_harness.backends.base import Backend
from agent_harness.backends.registry import make_backend
from agent_harness.config import Config
from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.state.folders import read_json, write_json
from agent_harness.usage import Usage
from sqllogictest.statements import split_statements

PROMPTS = Path(__file__).with_name("prompts")
SHOWN_CHARACTERS = 6000
ASK_SECONDS = 300.0


def render(template: str, **values: Any) -> str:
    """A prompt from prompts/`template`.j2.  Raises ConfigurationError when a value is missing."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PROMPTS),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["side_by_side"] = side_by_side
    environment.filters["bounded"] = bounded
    try:
        return environment.get_template(f"{template}.j2").render(**values)
    except jinja2.TemplateError as error:
        raise ConfigurationError(f"prompt {template}: {error}") from error


def side_by_side(expected: str, actual: str, width: int = 48) -> str:
    """Expected and actual rows in two columns; lines that differ are marked."""
    left, right = expected.splitlines() or [""], actual.splitlines() or [""]
    lines = [f"  {'SQLite / expected':<{width}} | engine / actual"]
    for one, other in zip_longest(left, right, fillvalue=""):
        mark = "  " if one == other else "! "
        lines.append(f"{mark}{one[:width]:<{width}} | {other[:width]}".rstrip())
    return "\n".join(lines)


def bounded(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """The beginning of a long text, and how much was left out."""
    return text if len(text) <= limit else f"{text[:limit]}\n... {len(text) - limit} more characters"


def role_backends(config: Config, role: str) -> list[str]:
    """The role's backends that can be used here.  Raises ConfigurationError if it has some but none is available."""
    names = config.role(role).backends
    missing = []
    usable = []
    for name in names:
        problem = make_backend(name, config).available()
        if problem:
            missing.append(problem)
        else:
            usable.append(name)
    if names and not usable:
        raise ConfigurationError(f"role {role}: {'; '.join(missing)}")
    return usable


class Answer:
    """What a role said, and what it cost; `prompt` is the hash of the question."""

    __slots__ = ("backend", "model", "prompt", "role", "text", "usage")

    def __init__(self, role: str, backend: str, model: str, text: str, usage: Usage, prompt: str) -> None:
        self.role = role
        self.backend = backend
        self.model = model
        self.text = text
        self.usage = usage
        self.prompt = prompt


def ask(config: Config, role: str, prompt: str, folder: Path) -> Answer | None:
    """Asks the first of the role's backends that is there; None when there is none.  A failed call is an empty answer, whose
    price is unknown; either way the offline default holds.

    The answer is kept in `folder`, so that the same question is not paid twice by a run that was killed.
    """
    digest = hashlib.sha256(f"{role}\0{prompt}".encode("utf-8", "surrogatepass")).hexdigest()[:20]
    path = folder / f"answer-{digest}.json"
    stored = read_json(path)
    if stored is not None:
        return Answer(role, stored["backend"], stored["model"], stored["text"], Usage.from_dict(stored["usage"]), digest)
    for name in config.role(role).backends:
        answer = _asked(make_backend(name, config), role, prompt, folder, digest)
        if answer is not None:
            data = {"backend": answer.backend, "model": answer.model, "text": answer.text, "usage": answer.usage.as_dict()}
            write_json(path, data)
            return answer
    return None


def _asked(backend: Backend, role: str, prompt: str, folder: Path, digest: str) -> Answer | None:
    if backend.available():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    try:
        text, usage = backend.ask(prompt, folder, ASK_SECONDS)
    except HarnessError:
        # It may have been paid for all the same; nobody knows what it cost.
        text, usage = "", Usage.unknown()
    return Answer(role, backend.name, backend.model, text, usage, digest)


def read_order(text: str, n: int) -> list[int]:
    """The order of `n` numbered things that an answer names, missing ones last; nonsense changes nothing."""
    named: list[int] = []
    for match in re.finditer(r"\d+", text):
        number = int(match.group()) - 1
        if 0 <= number < n and number not in named:
            named.append(number)
    return named + [number for number in range(n) if number not in named]


def reason_after(word: str, text: str) -> str:
    """What follows `WORD:` at the beginning of a line, '' if no line begins so."""
    match = re.search(rf"^[ \t*`>-]*{word}[*`]*:[ \t]*(.*)", text, re.M)
    return (match.group(1).strip() or word.lower()) if match else ""


def read_scripts(text: str) -> list[list[str]]:
    """The statements of each sql block of an answer."""
    blocks = re.findall(r"```sql\s*\n(.*?)```", text, re.S | re.I)
    return [statements for block in blocks if (statements := [sql for sql in split_statements(block) if sql.strip()])]


def tried_lines(attempts: Sequence[Any]) -> list[str]:
    """What was already tried, one line an attempt."""
    return [
        f"{attempt.number}. {attempt.backend}: {attempt.result}: {' '.join((attempt.evidence or attempt.detail).split())[:240]}"
        for attempt in attempts
        if attempt.result
    ]
