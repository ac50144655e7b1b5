"""The demonstration: a fault in a scratch copy of the engine, closed by the real loop without a key or a network.

The seed chooses an edit in the functions room that some records of a few bundled suites feel (children try edits until one
does, so that this never goes stale), it is planted as the only commit of a scratch repository, and the loop does the rest:
failing records, cluster, brief, embedded agent, gates, preview merge, gates again, fast-forward, report.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from agent_harness.config import Config, load
from agent_harness.errors import EXIT_GREEN, HarnessError
from agent_harness.progress import Progress
from agent_harness.repair.edits import Edit, Source, all_edits
from agent_harness.repair.workers import Pool, Probe
from agent_harness.reports import write_report
from agent_harness.stages import loop
from agent_harness.state.fold import State
from agent_harness.state.folders import Folders
from agent_harness.state.journal import Journal
from agent_harness.workspaces.repository import fresh_repository

Emit = Callable[[object, Iterable[str]], None]
SUITES = (
    "tests/slt/functions/string_functions.slt",
    "tests/slt/functions/math_functions.slt",
    "tests/slt/expressions/logic.slt",
    "tests/slt/queries/aggregates.slt",
)
FILES = ("minisql/functions/scalar.py", "minisql/functions/aggregate.py", "minisql/functions/characters.py")
OPERATORS = ("comparison", "boolean", "constant", "arithmetic", "negate")
MOST_TRIED = 400
SETTINGS = """\
[contract]
paths = [{paths}]

[loop]
builders = 1

[gates.holdout]
per_feature = 1

[gates.performance]
pairs = 1
"""


def run(root: Path, *, seed: int = 1, keep: Path | None = None, emit: Emit | None = None) -> int:
    """Plants, repairs, reports; the exit code is the loop's (0: every record passes again).

    `keep` keeps the scratch repository and the report there; without it only the report stays.  Raises HarnessError.
    """
    started = time.monotonic()
    folder = keep or Path(tempfile.mkdtemp(prefix="agent-harness-demo-"))
    checkout = folder / "engine"
    with Progress(False) as progress:
        config = _scratch(root, checkout)
        progress.say(f"planting a fault (seed {seed}) in a copy of the engine")
        edit = plant(checkout, seed)
        fresh_repository(checkout)
        _show(progress.say, checkout, edit)
        code = loop.run(config, say=progress.say, listener=progress.hear)
    report = folder / "report.html"
    write_report(config.state, report)
    repair = _repair(config)
    seconds = round(time.monotonic() - started, 1)
    if keep is None:
        shutil.rmtree(checkout, ignore_errors=True)
    data = {
        "exit": code,
        "fault": {"file": edit.file, "line": edit.line, "operator": edit.operator},
        "repair": repair,
        "seconds": seconds,
        "report": str(report),
    }
    verdict = "every record passes again" if code == EXIT_GREEN else f"the loop ended with exit code {code}"
    lines = [*repair.splitlines(), f"{verdict}, after {seconds} s", f"report: {report}"]
    (emit or _print)(data, lines)
    return code


def _print(data: object, lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")


def _scratch(root: Path, checkout: Path) -> Config:
    for part in ("minisql", *SUITES):
        if not (root / part).exists():
            raise HarnessError(f"{root / part}: not found; run the demonstration in a checkout of the project")
    shutil.copytree(root / "minisql", checkout / "minisql", ignore=shutil.ignore_patterns("__pycache__"))
    for suite in SUITES:
        (checkout / suite).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / suite, checkout / suite)
    paths = ", ".join(f'"{suite}"' for suite in SUITES)
    (checkout / "agent-harness.toml").write_text(SETTINGS.format(paths=paths), encoding="utf-8")
    (checkout / ".gitignore").write_text(".agent-harness/\n__pycache__/\n", encoding="utf-8")
    return load(None, checkout=checkout)


def plant(checkout: Path, seed: int) -> Edit:
    """Writes the seed's fault into the checkout: the first edit that lets a record fail but not the import."""
    edits = [
        edit
        for file in FILES
        for source in [Source(file, (checkout / file).read_bytes())]
        for edit in all_edits(source)
        if edit.operator in OPERATORS and edit.weight >= 0.5 and source.is_in_function(edit.line)
    ]
    random.Random(seed).shuffle(edits)
    texts = [(suite, (checkout / suite).read_text(encoding="utf-8")) for suite in SUITES]
    probes: list[Probe] = [{"kind": "records", "name": name, "text": text, "lines": []} for name, text in texts]
    with Pool(checkout, "minisql", 2) as pool:
        pool.preload(list(FILES))
        if pool.attempt(None, 20.0, probes)["reason"]:
            raise HarnessError("the engine fails its own records before anything is planted")
        for edit, answer in pool.each(lambda edit: pool.attempt(edit, 10.0, probes), edits[:MOST_TRIED], ahead=2):
            # "suite:line: why" is a record that fails; anything else is an engine that is broken altogether.
            if answer["reason"].startswith("tests/") and ":0:" not in answer["reason"]:
                path = checkout / edit.file
                path.write_bytes(edit.apply(path.read_bytes()))
                return edit
    raise HarnessError(f"seed {seed}: no edit is felt by the records")


def _show(say: Callable[[str], None], checkout: Path, edit: Edit) -> None:
    line = (checkout / edit.file).read_text(encoding="utf-8").splitlines()[edit.line - 1].strip()
    say(f"planted at {edit.file}:{edit.line} ({edit.operator}): {line}")


def _repair(config: Config) -> str:
    """The patches of the attempts that were merged."""
    folders = Folders(config.state)
    journal = Journal(folders)
    journal.close()
    state: State = journal.state
    merged = [name for merge in state.merges.values() if merge.status == "finished" for name in merge.attempts]
    patches = [folders.attempt(name) / "patch.diff" for name in merged]
    return "".join(path.read_text(encoding="utf-8") for path in patches if path.is_file())
