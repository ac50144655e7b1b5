"""One suite for all backends, against fake programs on PATH and a scripted loopback server; the real programs by a marker."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_harness.backends import base
from agent_harness.backends.base import Backend, Outcome, Task
from agent_harness.backends.process import marked_processes
from agent_harness.backends.programs import DIALECTS
from agent_harness.backends.registry import known_kinds, make_backend
from agent_harness.config import load
from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.workspaces.sandbox import Sandbox
from tests.harness.scripted_server import calls, says, serving
from tests.harness.toy import add_program, git

READS_STDIN = ("claude", "codex", "gemini")
PROGRAMS = tuple(DIALECTS)

# How each fake ends well: it is told to edit a file, and prints what the real one prints at its end.
ENDINGS = {
    "claude": """
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "num_turns": 3, "result": "done",
    "total_cost_usd": 0.25, "usage": {"input_tokens": 60, "cache_read_input_tokens": 40,
    "cache_creation_input_tokens": 5, "output_tokens": 10}}))
""",
    "codex": """
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text("done")
print(json.dumps({"type": "item.completed", "item": {"type": "error", "message": "only a warning"}}))
print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 10,
    "reasoning_output_tokens": 4}}))
""",
    "gemini": """
print(json.dumps({"type": "message", "role": "assistant", "content": "done"}))
print(json.dumps({"type": "result", "status": "success", "stats": {"input_tokens": 100, "cached": 40, "output_tokens": 10}}))
""",
    "aider": """
log = pathlib.Path(sys.argv[sys.argv.index("--analytics-log") + 1])
send = {"event": "message_send", "properties": {"prompt_tokens": 50, "completion_tokens": 5, "cost": 0.125}}
log.write_text(json.dumps(send) + chr(10) + "not json" + chr(10) + json.dumps(send) + chr(10))
""",
    "mini": """
info = {"exit_status": "Submitted", "submission": "done", "model_stats": {"instance_cost": 0.25, "api_calls": 2}}
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text(json.dumps({"info": info}))
""",
}
START = "import json, os, pathlib, signal, subprocess, sys, time\n"
EDIT = """
text = sys.stdin.read()
pathlib.Path("engine.txt").write_text("right")
pathlib.Path(os.environ["AGENT_HARNESS_ATTEMPT"] + ".env").write_text(json.dumps(dict(os.environ)))
pathlib.Path("arguments.json").write_text(json.dumps(sys.argv[1:]))
pathlib.Path("prompt.txt").write_text(text)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-very-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("DATABASE_PASSWORD", "not for agents")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "engine.txt").write_text("wrong")
    git(workspace, "init", "--quiet", "--initial-branch=main")
    git(workspace, "add", "--all")
    git(workspace, "commit", "--quiet", "--message", "base")
    return tmp_path


def task(folder: Path, **more: float) -> Task:
    attempt = folder / "attempt"
    attempt.mkdir(exist_ok=True)
    limits = {"max_seconds": 20.0, "idle_seconds": 10.0, **more}
    name = f"test-{folder.name}-{os.getpid()}"
    return Task(name, "Repair it.", folder / "workspace", attempt, ("engine.txt",), ("c",), {"files": ["engine.txt"]}, **limits)  # type: ignore[arg-type]


def backend(name: str, folder: Path, text: str = "") -> Backend:
    path = folder / "agent-harness.toml"
    path.write_text(text or f'[backends.{name}]\nmodel = "m"\n')
    return make_backend(name, load(path))


def fake(folder: Path, name: str, body: str) -> None:
    add_program(folder / "bin", name, START + body)


def build(name: str, folder: Path, body: str, **limits: float) -> Outcome:
    fake(folder, name, body)
    return backend(name, folder).build(task(folder, **limits))


# Programs


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_edits_the_workspace_and_its_usage_is_normal(folder: Path, name: str) -> None:
    outcome = build(name, folder, EDIT + ENDINGS[name])
    assert outcome.end == base.FINISHED, outcome.detail
    assert (folder / "workspace" / "engine.txt").read_text() == "right"
    usage = outcome.usage
    expected = {
        "claude": (60, 40, 5, 10, 3, 0.25),
        "codex": (60, 40, 0, 10, None, None),
        "gemini": (60, 40, 0, 10, None, None),
        "aider": (100, None, None, 10, 2, 0.25),
        "mini": (None, None, None, None, 2, 0.25),
    }[name]
    found = (usage.input_uncached, usage.cache_read, usage.cache_write, usage.output, usage.requests, usage.cost_usd)
    assert found == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_prompt_arrives_and_the_model_is_named(folder: Path, name: str) -> None:
    build(name, folder, EDIT + ENDINGS[name])
    arguments = json.loads((folder / "workspace" / "arguments.json").read_text())
    assert "m" in arguments
    if name in READS_STDIN:
        assert (folder / "workspace" / "prompt.txt").read_text() == "Repair it."
    elif name == "aider":
        assert Path(arguments[arguments.index("--message-file") + 1]).read_text() == "Repair it."
        assert arguments[-1] == "engine.txt"
    else:
        assert arguments[arguments.index("-t") + 1] == "Repair it."


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_environment_is_an_allow_list(folder: Path, name: str) -> None:
    build(name, folder, EDIT + ENDINGS[name])
    (path,) = (folder / "workspace").glob("*.env")
    environment = json.loads(path.read_text())
    assert "DATABASE_PASSWORD" not in environment
    assert ("ANTHROPIC_API_KEY" in environment) == (name in ("claude", "aider", "mini"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_exit_zero_without_a_result_is_no_success(folder: Path, name: str) -> None:
    outcome = build(name, folder, "sys.stdin.read()\nprint('all tests pass, honest')\n")
    if name in ("gemini", "aider"):  # these say nothing at their end, so only the gates can tell
        assert outcome.end in (base.FINISHED, base.CRASHED)
        assert outcome.usage.total_tokens() is None
    else:
        assert outcome.end == base.CRASHED
        assert outcome.usage.cost_usd is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_fails_is_a_crash(folder: Path, name: str) -> None:
    outcome = build(name, folder, "sys.exit('no such model')\n")
    assert outcome.end == base.CRASHED
    assert "no such model" in outcome.detail


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_missing_program_is_unavailable(folder: Path, name: str) -> None:
    if shutil.which(name):
        pytest.skip(f"{name} is installed here")
    made = backend(name, folder)
    assert made.available() == f"{name}: program not found on PATH"
    assert made.build(task(folder)).end == base.UNAVAILABLE


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hanging_program_is_ended_in_time(folder: Path, name: str) -> None:
    started = time.monotonic()
    outcome = build(name, folder, "time.sleep(60)\n", max_seconds=0.5)
    assert outcome.end == base.TIMED_OUT
    assert time.monotonic() - started < 8


def test_a_silent_program_is_idle(folder: Path) -> None:
    assert build("claude", folder, "sys.stdin.read()\ntime.sleep(60)\n", idle_seconds=0.5).end == base.IDLE


def test_a_program_that_ignores_sigterm_is_ended(folder: Path) -> None:
    body = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen('ready', 'w').close()\ntime.sleep(60)\n"
    started = time.monotonic()
    assert build("claude", folder, body, max_seconds=1.0).end == base.TIMED_OUT
    assert time.monotonic() - started < 12
    assert marked_processes(task(folder).id) == []


def test_grandchildren_are_ended_too(folder: Path) -> None:
    body = """
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True,
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
"""
    outcome = build("claude", folder, EDIT + body + ENDINGS["claude"])
    assert outcome.end == base.FINISHED
    assert marked_processes(task(folder).id) == []


def test_a_program_that_does_not_exit_after_its_result(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_harness.backends import process

    monkeypatch.setattr(process.run_program, "__kwdefaults__", {**process.run_program.__kwdefaults__, "grace_s": 0.5})
    body = EDIT + ENDINGS["claude"] + "sys.stdout.flush()\ntime.sleep(60)\n"
    started = time.monotonic()
    outcome = build("claude", folder, body)
    assert (outcome.end, outcome.usage.cost_usd) == (base.FINISHED, 0.25)
    assert time.monotonic() - started < 10


def test_long_lines_noise_and_unknown_events(folder: Path) -> None:
    body = """
print("Welcome!")
print("{broken")
print(json.dumps({"type": "brand.new", "text": "x" * 2_000_000}))
"""
    outcome = build("claude", folder, EDIT + body + ENDINGS["claude"])
    assert outcome.end == base.FINISHED
    stream = (folder / "attempt" / "stream.jsonl").read_text().splitlines()
    assert [json.loads(line)["type"] for line in stream] == ["brand.new", "result"]


def test_secrets_are_not_written_down(folder: Path) -> None:
    body = """
print(json.dumps({"type": "log", "text": os.environ["ANTHROPIC_API_KEY"]}))
print(os.environ["ANTHROPIC_API_KEY"], file=sys.stderr)
"""
    build("claude", folder, EDIT + body + ENDINGS["claude"])
    for path in (folder / "attempt").iterdir():
        assert "very-secret" not in path.read_text()
    assert "[redacted]" in (folder / "attempt" / "stream.jsonl").read_text()


def test_a_program_that_does_not_read_its_prompt(folder: Path) -> None:
    fake(folder, "claude", "os.close(0)\n" + ENDINGS["claude"])
    order = task(folder)
    order.prompt = "x" * 3_000_000
    assert backend("claude", folder).build(order).end == base.FINISHED


@pytest.mark.parametrize(
    ("result", "end"),
    [
        ({"subtype": "success", "is_error": True, "result": "API Error: Connection error."}, base.CRASHED),
        ({"subtype": "success", "is_error": True, "result": "API Error: 429 rate limit"}, base.RATE_LIMITED),
        ({"subtype": "error_max_budget_usd", "is_error": True, "result": ""}, base.OVER_BUDGET),
    ],
)
def test_claude_is_judged_by_is_error(folder: Path, result: dict[str, object], end: str) -> None:
    assert build("claude", folder, f"print(json.dumps({{'type': 'result', **{result!r}}}))\n").end == end


@pytest.mark.parametrize(("status", "end"), [(41, base.UNAVAILABLE), (42, base.FORMAT_ERROR), (53, base.OVER_BUDGET)])
def test_geminis_exit_status_is_its_word(folder: Path, status: int, end: str) -> None:
    assert build("gemini", folder, f"sys.exit({status})\n").end == end


def test_codex_says_why_it_failed(folder: Path) -> None:
    body = "print(json.dumps({'type': 'turn.failed', 'error': {'message': '429 rate limit reached'}}))\n"
    outcome = build("codex", folder, body)
    assert (outcome.end, outcome.detail) == (base.RATE_LIMITED, "429 rate limit reached")


def test_minis_cost_limit_is_over_budget(folder: Path) -> None:
    body = """
info = {"exit_status": "LimitsExceeded", "model_stats": {"instance_cost": 3.0, "api_calls": 9}}
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text(json.dumps({"info": info}))
"""
    assert build("mini", folder, body).end == base.OVER_BUDGET


def test_questions_are_asked_in_an_empty_folder(folder: Path) -> None:
    body = "assert os.listdir() == [], os.listdir()\ntext = sys.stdin.read()\n"
    ending = ENDINGS["claude"].replace('"result": "done"', '"result": text.upper()')
    fake(folder, "claude", body + ending)
    text, usage = backend("claude", folder).ask("why?", folder / "asked", 20.0)
    assert (text, usage.cost_usd) == ("WHY?", 0.25)
    fake(folder, "claude", "sys.exit('no')\n")
    with pytest.raises(HarnessError, match="claude: crashed: no"):
        backend("claude", folder).ask("why?", folder / "asked-2", 20.0)


def test_docker_gets_the_workspace_and_the_names_of_variables(folder: Path) -> None:
    """A fake docker that writes down how it was called, then does what it should have started."""
    body = """
image = sys.argv.index("the-image")
pathlib.Path("docker.json").write_text(json.dumps(sys.argv[1:image]))
os.execvp(sys.argv[image + 1], sys.argv[image + 1:])
"""
    fake(folder, "docker", body)
    fake(folder, "claude", EDIT + ENDINGS["claude"])
    order = task(folder)
    order.sandbox = Sandbox("docker", network=False, image="the-image")
    assert backend("claude", folder).build(order).end == base.FINISHED
    assert (folder / "workspace" / "engine.txt").read_text() == "right"
    line = json.loads((folder / "workspace" / "docker.json").read_text())
    assert line[:4] == ["run", "--rm", "-i", "--init"]
    mounts = [line[position + 1] for position, word in enumerate(line) if word == "--volume"]
    assert mounts == [f"{path}:{path}" for path in (folder / "workspace", folder / "attempt")]
    assert line[-2:] == ["--network", "none"]
    assert "ANTHROPIC_API_KEY" in line
    assert not any("very-secret" in word for word in line)


# Chat completions


def chat(folder: Path, url: str, **prices: float) -> Backend:
    extra = "".join(f"{name} = {value}\n" for name, value in prices.items())
    return backend("local", folder, f'[backends.local]\nkind = "openai"\nmodel = "m"\nbase_url = "{url}"\n{extra}')


def test_chat_calls_tools_until_it_is_done(folder: Path) -> None:
    script = (
        calls("read_file", {"path": "engine.txt"}),
        calls("replace", {"path": "engine.txt", "old": "wrong", "new": "right"}),
        calls("run", {"command": "cat engine.txt"}),
        says("done"),
    )
    with serving(*script) as server:
        outcome = chat(folder, server.url, price_in=10.0, price_cached=1.0, price_out=20.0).build(task(folder))
    assert (outcome.end, outcome.last_message) == (base.FINISHED, "done")
    assert (folder / "workspace" / "engine.txt").read_text() == "right"
    usage = outcome.usage
    assert (usage.input_uncached, usage.cache_read, usage.output, usage.reasoning_in_output, usage.requests) == (
        240,
        160,
        40,
        16,
        4,
    )
    assert usage.cost_usd == pytest.approx(4 * (60 * 10 + 40 * 1 + 10 * 20) / 1e6)
    tools = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert "1 wrong" in tools[0]
    assert tools[1:] == ["replaced", "exit status 0\nright"]


def test_chat_cannot_leave_its_workspace_or_touch_git(folder: Path) -> None:
    script = (
        calls("write_file", {"path": "../outside.txt", "content": "x"}),
        calls("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}),
        calls("read_file", {"path": "/etc/passwd"}),
        says("done"),
    )
    with serving(*script) as server:
        chat(folder, server.url).build(task(folder))
    tools = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert all("is outside the workspace" in text for text in tools)
    assert not (folder / "outside.txt").exists()


@pytest.mark.parametrize(
    "step",
    [
        calls("replace", "{not json"),
        calls("replace", '["a"]'),
        calls("replace", {"path": "engine.txt"}),
        calls("launch", {"missiles": "all"}),
        says("I was cut", finish="length"),
    ],
)
def test_three_malformed_answers_in_a_row_end_the_attempt_and_are_charged(folder: Path, step: dict[str, object]) -> None:
    with serving(step) as server:
        outcome = chat(folder, server.url).build(task(folder))
    assert outcome.end == base.FORMAT_ERROR
    assert (len(server.requests), outcome.usage.requests) == (3, 3)


def test_a_good_answer_forgives_malformed_ones(folder: Path) -> None:
    bad, good = calls("replace", "{"), calls("read_file", {"path": "engine.txt"})
    with serving(bad, bad, good, bad, bad, says("done")) as server:
        assert chat(folder, server.url).build(task(folder)).end == base.FINISHED
    assert len(server.requests) == 6


def test_chat_rides_out_a_short_trouble(folder: Path) -> None:
    with serving(500, 429, says("done")) as server:
        assert chat(folder, server.url).build(task(folder)).end == base.FINISHED
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("step", "end"), [(429, base.RATE_LIMITED), (500, base.CRASHED), (401, base.CRASHED), ("drop", base.CRASHED)]
)
def test_chat_gives_up_on_lasting_trouble(folder: Path, step: object, end: str) -> None:
    with serving(step) as server:
        outcome = chat(folder, server.url).build(task(folder))
    assert outcome.end == end
    assert 1 <= len(server.requests) <= 3, "retries have a ceiling"


def test_a_body_that_is_not_json_is_a_crash(folder: Path) -> None:
    with serving("noise") as server:
        assert chat(folder, server.url).build(task(folder)).end in (base.CRASHED, base.FINISHED)
        assert not (folder / "workspace" / "new").exists()


def test_a_slow_body_times_out(folder: Path) -> None:
    with serving(("slow", 2.0, says("late"))) as server:
        started = time.monotonic()
        outcome = chat(folder, server.url).build(task(folder, idle_seconds=0.3, max_seconds=3.0))
    assert outcome.end == base.TIMED_OUT
    assert time.monotonic() - started < 10


def test_chat_stops_at_its_token_limit(folder: Path) -> None:
    with serving(calls("read_file", {"path": "engine.txt"})) as server:
        outcome = chat(folder, server.url).build(task(folder, max_tokens=300))
    assert (outcome.end, len(server.requests)) == (base.OVER_BUDGET, 3)


def test_an_unknown_price_is_unknown_and_missing_usage_too(folder: Path) -> None:
    with serving(says("done")) as server:
        usage = chat(folder, server.url).build(task(folder)).usage
    assert (usage.cost_usd, usage.total_tokens()) == (None, 110)
    with serving(says("done", usage=None)) as server:
        usage = chat(folder, server.url).build(task(folder)).usage
    assert (usage.requests, usage.total_tokens()) == (1, None)


def test_chat_answers_questions_without_tools(folder: Path) -> None:
    with serving(says("42")) as server:
        text, usage = chat(folder, server.url).ask("why?", folder, 10.0)
    assert (text, usage.total_tokens()) == ("42", 110)
    assert "tools" not in server.requests[0]
    with serving(401) as server, pytest.raises(HarnessError, match="openai: crashed"):
        chat(folder, server.url).ask("why?", folder, 10.0)


# Replay and the registry


def test_replay_applies_the_patch_of_its_attempt(folder: Path) -> None:
    recording = folder / "recording"
    recording.mkdir()
    workspace = folder / "workspace"
    (workspace / "engine.txt").write_text("right\n")
    (recording / "2.diff").write_text(git(workspace, "diff"))
    (recording / "2.json").write_text('{"usage": {"requests": 1, "cost_usd": 0.5}, "message": "there"}')
    git(workspace, "checkout", "--quiet", ".")
    made = backend("r", folder, f'[backends.r]\nkind = "replay"\nfolder = "{recording}"\n')
    assert made.build(task(folder)).end == base.NO_EDIT
    order = task(folder)
    order.attempt = 2
    outcome = made.build(order)
    assert (outcome.end, outcome.usage.cost_usd, outcome.last_message) == (base.FINISHED, 0.5, "there")
    assert (workspace / "engine.txt").read_text() == "right\n"
    assert made.build(order).end == base.CRASHED, "a patch that does not apply is no success"


def test_every_built_in_kind_can_be_made(folder: Path) -> None:
    options = {"openai": 'model = "m"\n', "replay": 'folder = "."\n'}
    for kind in known_kinds():
        made = backend("b", folder, f'[backends.b]\nkind = "{kind}"\n{options.get(kind, "")}')
        assert made.name == kind
        assert isinstance(made.available(), str)


@pytest.mark.parametrize("kind", ["claude", "openai", "replay", "embedded"])
def test_unknown_options_are_refused(folder: Path, kind: str) -> None:
    with pytest.raises(ConfigurationError, match="surprise"):
        backend(
            "b",
            folder,
            f'[backends.b]\nkind = "{kind}"\nmodel = "m"\nfolder = "."\nsurprise = 1\n'.replace(
                'folder = "."\n', 'folder = "."\n' if kind == "replay" else ""
            ),
        )


def test_more_backends_come_by_entry_points(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_harness.backends import registry

    class Point:
        name = "house"

        def load(self) -> Callable[..., str]:
            return lambda chosen, config: f"made {chosen.name} with {chosen.model}"

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()] if group == registry.GROUP else [])
    assert "house" in known_kinds()
    assert backend("mine", folder, '[backends.mine]\nkind = "house"\nmodel = "m"\n') == "made mine with m"


# The real programs


@pytest.mark.real_programs
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_real_program_without_a_service_ends_and_leaves_nothing(folder: Path, name: str) -> None:
    """With its service on a closed port, the program must neither hang nor count as a success."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    closed = "http://127.0.0.1:9"
    variables = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GOOGLE_GEMINI_BASE_URL")
    environment = "".join(f'{variable} = "{closed}"\n' for variable in variables)
    made = backend(name, folder, f'[backends.{name}]\nmodel = "m"\n[backends.{name}.environment]\n{environment}')
    outcome = made.build(task(folder, max_seconds=90.0, idle_seconds=60.0))
    assert outcome.end != base.FINISHED or (folder / "workspace" / "engine.txt").read_text() == "wrong"
    assert marked_processes(task(folder).id) == []
