"""Where everything of a run lies below the state folder, and how it is written so that a killed process leaves no half file.

    events.jsonl                    the truth
    index.db                        rebuildable
    attempts/<id>/                  prompt.md, calling.json, outcome.json, stream.jsonl, patch.diff, verdict.json
    tasks/<id>/brief.json
    evaluations/<tree>-<contract>.json
    workspaces/<id>/                build, verify and preview checkouts; gone when their work is archived
    stop                            exists while a stop is asked for

The folder ignores itself in git, so it may lie inside the checkout.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agent_harness.contract.base import Case, CaseResult, Evaluation
from agent_harness.errors import HarnessError

RESULT_FIELDS = ("passed", "stage", "error", "expected", "actual", "seconds")


class Folders:
    """The paths below one state folder."""

    __slots__ = ("root",)

    def __init__(self, root: Path) -> None:
        self.root = root

    def prepare(self) -> None:
        """Makes the folder and hides it from git.  Raises HarnessError when that cannot be."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            ignore = self.root / ".gitignore"
            if not ignore.exists():
                write_whole(ignore, "*\n")
        except OSError as error:
            raise HarnessError(f"cannot write {self.root}: {error.strerror}") from error

    @property
    def events(self) -> Path:
        """The event log."""
        return self.root / "events.jsonl"

    @property
    def index(self) -> Path:
        """The index database."""
        return self.root / "index.db"

    @property
    def stop(self) -> Path:
        """The file that asks a run to end."""
        return self.root / "stop"

    @property
    def frozen(self) -> Path:
        """The frozen contract."""
        return self.root / "contract.json"

    def attempt(self, attempt: str) -> Path:
        """One attempt's folder."""
        return self.root / "attempts" / attempt

    def task(self, task: str) -> Path:
        """One task's folder."""
        return self.root / "tasks" / task

    def workspace(self, name: str) -> Path:
        """A checkout made by the harness."""
        return self.root / "workspaces" / name

    def evaluation(self, tree: str, contract_hash: str) -> Path:
        """The stored verdicts of a tree under a contract."""
        return self.root / "evaluations" / f"{tree[:20]}-{contract_hash[:20]}.json"


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that it is there whole or not at all.  Raises HarnessError (a full disk, say)."""
    scratch = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        raise HarnessError(f"cannot write {path}: {error.strerror}") from error


def write_json(path: Path, data: object) -> None:
    """`write_whole` of a JSON document."""
    write_whole(path, json.dumps(data, indent=1, ensure_ascii=True) + "\n")


def read_json(path: Path) -> Any:
    """The document, or None when there is no such file.  Raises HarnessError when it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise HarnessError(f"cannot read {path}: {error}") from error


def save_evaluation(path: Path, evaluation: Evaluation) -> None:
    """Stores all verdicts of a run of the contract."""
    results = [
        [*(getattr(result.case, name) for name in Case.__slots__), *(getattr(result, name) for name in RESULT_FIELDS)]
        for result in evaluation.results.values()
    ]
    data = {
        "tree": evaluation.tree,
        "contract": evaluation.contract_hash,
        "cpu_seconds": evaluation.cpu_seconds,
        "results": results,
    }
    write_whole(path, json.dumps(data, ensure_ascii=True))


def load_evaluation(path: Path) -> Evaluation | None:
    """The inverse of `save_evaluation`; None when there is none."""
    raw = read_json(path)
    if raw is None:
        return None
    results = {}
    n = len(Case.__slots__)
    for row in raw["results"]:
        named = dict(zip(Case.__slots__, row[:n], strict=True))
        case = Case(named["id"], named["suite"], named["line"], named["title"])
        results[case.id] = CaseResult(case, *row[n:])
    return Evaluation(raw["tree"], raw["contract"], results, raw["cpu_seconds"])
