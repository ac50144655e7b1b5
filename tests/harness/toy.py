"""A small foreign project for tests of the loop: `toydb`, an "engine" that can add, subtract, multiply and shout, each in a
module of its own, with one fault in each; its records; and a fake program `claude` that knows the repairs.

The fake program writes a line to a ledger for each call, so that a test can tell whether anything was paid twice.
"""

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

from agent_harness.config import Config, load

ENGINE = '''
"""A toy engine: SELECT of one operation on two integers, or of one text in capitals."""

import re

from toydb.adding import add
from toydb.multiplying import multiply
from toydb.shouting import shout
from toydb.subtracting import subtract


class Error(Exception):
    pass


class Cursor:
    description = ()
    rowcount = -1

    def __init__(self):
        self.rows = []

    def execute(self, sql, parameters=()):
        self.description = (("x",),)
        self.rows = [(answer(sql),)]
        return self

    def fetchall(self):
        return self.rows

    def __iter__(self):
        return iter(self.rows)


class Connection:
    in_transaction = False

    def cursor(self):
        return Cursor()

    def close(self):
        pass


def connect(path, isolation_level=None):
    return Connection()


def answer(sql):
    match = re.fullmatch(r"\\s*select\\s+(-?\\d+)\\s*([-+*])\\s*(\\d+)\\s*", sql, re.I)
    if match:
        operation = {"+": add, "-": subtract, "*": multiply}[match.group(2)]
        return operation(int(match.group(1)), int(match.group(3)))
    match = re.fullmatch(r"\\s*select\\s+upper\\s*\\(\\s*'([^']*)'\\s*\\)\\s*", sql, re.I)
    if match:
        return shout(match.group(1))
    match = re.fullmatch(r"\\s*select\\s+(\\d+)\\s*", sql, re.I)
    if match:
        return int(match.group(1))
    raise Error("syntax error")
'''

RIGHT = {
    "adding": "def add(left, right):\n    return left + right\n",
    "subtracting": "def subtract(left, right):\n    return left - right\n",
    "multiplying": "def multiply(left, right):\n    return left * right\n",
    "shouting": "def shout(text):\n    return text.upper()\n",
}
WRONG = {
    "adding": ("return left + right", "return left - right"),
    "subtracting": ("return left - right", "raise ValueError('negative')"),
    "multiplying": ("return left * right", "return [left] * right"),
    "shouting": ("return text.upper()", "raise TypeError('quiet')"),
}
RECORDS = """\
query I nosort
SELECT 2 + 3
----
5

query I nosort
SELECT 10 + 7
----
17

query I nosort
SELECT 9 - 4
----
5

query I nosort
SELECT 20 - 3
----
17

query I nosort
SELECT 6 * 7
----
42

query I nosort
SELECT 3 * 5
----
15

query T nosort
SELECT upper('abc')
----
ABC

query T nosort
SELECT upper('xyz')
----
XYZ

""" + "\n".join(f"query I nosort\nSELECT {n}\n----\n{n}\n" for n in range(8))

CONFIGURATION = """\
[contract]
paths = ["records"]
module = "toydb"
jobs = 1

[target]
editable = ["toydb/"]
protected = ["records/", "agent-harness.toml"]

[gates]
skip = ["metamorphic", "holdout", "performance"]

[limits]
attempt_seconds = 20.0
idle_seconds = 10.0

[loop]
rate_limit_wait_s = 0.1

[roles]
build = ["claude"]
"""

CLAUDE = r"""
import json, os, pathlib, re, sys, time

prompt = sys.stdin.read()
ledger = pathlib.Path(os.environ["LEDGER"])
attempt = os.environ.get("AGENT_HARNESS_ATTEMPT", "?")
with ledger.open("a") as file:
    file.write(attempt + "\n")
repairs = json.loads(pathlib.Path(os.environ["REPAIRS"]).read_text())
pause = ledger.with_name("pause")
usage = {"input_tokens": 100, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 5}
result = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "done",
          "total_cost_usd": 0.01, "usage": usage}
if attempt.startswith("ask-"):
    answers = ledger.with_name("answers.json")
    said = "Look at the operator."
    for pattern, text in json.loads(answers.read_text()) if answers.exists() else []:
        if re.search(pattern, prompt):
            said = text.replace("FIRST", (re.findall(r"^- (\w+): SELECT", prompt, re.M) or ["none"])[0])
            break
    print(json.dumps({**result, "result": said}))
    sys.exit()
if pause.exists():
    time.sleep(float(pause.read_text()))
block = prompt.partition("```sql")[2].partition("```")[0]
for pattern, path, old, new in repairs:
    if re.search(pattern, block):
        target = pathlib.Path(path)
        target.write_text(target.read_text().replace(old, new))
        break
print(json.dumps(result))
"""

Repair = tuple[str, str, str, str]
REPAIRS: list[Repair] = [
    (r"\d \+ \d", "toydb/adding.py", "return left - right", "return left + right"),
    (r"\d - \d", "toydb/subtracting.py", "raise ValueError('negative')", "return left - right"),
    (r"\d \* \d", "toydb/multiplying.py", "return [left] * right", "return left * right"),
    (r"upper", "toydb/shouting.py", "raise TypeError('quiet')", "return text.upper()"),
]


def git(folder: Path, *arguments: str) -> str:
    """Runs git with a fixed identity and no configuration of the machine."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def write_repairs(folder: Path, repairs: list[Repair]) -> None:
    """What the fake program will do from now on."""
    import json

    (folder / "repairs.json").write_text(json.dumps(repairs))


def make_project(folder: Path, faults: tuple[str, ...] = tuple(WRONG), extra: str = "") -> Config:
    """A scratch repository at folder/project with the given faults, the fake `claude` in folder/bin, and its configuration."""
    project = folder / "project"
    package = project / "toydb"
    package.mkdir(parents=True)
    (project / "records").mkdir()
    (package / "__init__.py").write_text(ENGINE.lstrip())
    for name, text in RIGHT.items():
        broken = text.replace(*WRONG[name]) if name in faults else text
        (package / f"{name}.py").write_text(f'"""Toy: {name}."""\n\n\n{broken}')
    (project / "records" / "all.slt").write_text(RECORDS)
    environment = f'[backends.claude.environment]\nLEDGER = "{folder}/ledger"\nREPAIRS = "{folder}/repairs.json"\n'
    (project / "agent-harness.toml").write_text(CONFIGURATION + extra + "\n" + environment)
    git(folder, "init", "--quiet", "--initial-branch=main", str(project))
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "toy")
    write_repairs(folder, REPAIRS)
    add_program(folder / "bin", "claude", CLAUDE)
    return load(project / "agent-harness.toml")


def add_program(folder: Path, name: str, source: str) -> Path:
    """An executable Python program."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(source)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def ledger(folder: Path) -> list[str]:
    """The attempts that were paid for, in order."""
    path = folder / "ledger"
    return path.read_text().split() if path.exists() else []


def tree_of(config: Config) -> str:
    """The tree of the target branch."""
    return git(config.checkout, "rev-parse", "main^{tree}").strip()
