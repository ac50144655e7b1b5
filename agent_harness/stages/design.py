"""Design: make the failing cases of a task small and readable, and write the prompt that a builder gets.

The brief (minimal script, expected and actual rows, suspicious functions) is made once per task and base; it may take as long
as the minimiser is allowed, so it runs in the executor.  The prompt is plain text from a template: the task, at most three
failures with rows side by side, what was tried before in one line each, and the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_harness import roles
from agent_harness.config import Config
from agent_harness.contract.base import CaseResult
from agent_harness.errors import HarnessError
from agent_harness.stages.context import RunContext, contract_here
from agent_harness.stages.understand import record_asked
from agent_harness.state.fold import AttemptRecord, TaskRecord
from agent_harness.state.folders import Folders, load_evaluation, read_json, write_json

LISTED_CASES = 40
Brief = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BriefJob:
    """What a worker needs to write a brief."""

    config: Config
    task: str
    base_checkout: Path
    evaluation: Path
    case_ids: tuple[str, ...]


def carry_out(job: BriefJob) -> Brief:
    """Minimises and describes the task's first failure and tables the others; stored as brief.json."""
    evaluation = load_evaluation(job.evaluation)
    if evaluation is None:
        raise HarnessError(f"the evaluation {job.evaluation.name} is missing")
    results = [evaluation.results[id_] for id_ in job.case_ids if id_ in evaluation.results]
    if not results:
        raise HarnessError(f"task {job.task} has no case left in the contract")
    brief = contract_here(job.config).brief(job.base_checkout, results).as_dict()
    brief["failures"] = [_minimal(brief, results[0]), *map(_failure, results[1 : job.config.loop.failures_shown])]
    brief["files"] = sorted({str(name).partition(":")[0] for name, _ in brief["suspects"]})
    write_json(Folders(job.config.state).task(job.task) / "brief.json", brief)
    return brief


def _minimal(brief: Brief, result: CaseResult) -> Brief:
    shown = {name: brief[name] for name in ("script", "expected", "actual", "error")}
    return {**shown, "place": f"{result.case.suite}:{result.case.line}"}


def _failure(result: CaseResult) -> Brief:
    return {
        "script": result.case.title,
        "expected": result.expected,
        "actual": result.actual,
        "error": result.error,
        "place": f"{result.case.suite}:{result.case.line}",
    }


def stored_brief(folders: Folders, task: str) -> Brief:
    """The task's brief.  Raises HarnessError if it is gone."""
    brief = read_json(folders.task(task) / "brief.json")
    if not isinstance(brief, dict):
        raise HarnessError(f"task {task}: brief.json is missing")
    return brief


def advise(run: RunContext, task: TaskRecord, brief: Brief) -> str:
    """Lets the architect's backend add its advice to the brief, if the role has one; once for each task."""
    if not run.config.role("architect").backends:
        return ""
    asked = run.journal.state.asked
    advice = next((str(each["text"]) for each in asked if (each["role"], each["task"]) == ("architect", task.id)), None)
    if advice is None:
        cases = run.contract.cases()
        listed = [(id_, cases[id_].title) for id_ in task.case_ids[:LISTED_CASES] if id_ in cases]
        prompt = roles.render("architect", **_values(run.config, task, brief), cases=listed)
        answer = roles.ask(run.config, "architect", prompt, run.folders.task(task.id) / "architect")
        if answer is None:
            return ""
        record_asked(run, answer, task.id)
        advice = answer.text
    brief["advice"] = advice
    write_json(run.folders.task(task.id) / "brief.json", brief)
    return advice


def prompt_for(config: Config, task: TaskRecord, brief: Brief, start: int) -> str:
    """The prompt of the task's next attempt, which belongs to fresh start number `start` (0 is the first)."""
    finished = [attempt for attempt in task.attempts if attempt.result]
    values = _values(config, task, brief)
    values["tried"] = roles.tried_lines(finished)
    here = [attempt for attempt in finished if attempt.start == start]
    if here and here[-1].head:
        feedback = _feedback(here[-1])
        patch = Folders(config.state).attempt(here[-1].id) / "patch.diff"
        text = patch.read_text(encoding="utf-8", errors="replace") if patch.is_file() else ""
        return roles.render("again", **values, feedback=feedback, previous_patch=text)
    return roles.render("fresh" if finished and start else "build", **values)


def _feedback(attempt: AttemptRecord) -> dict[str, str]:
    red = next((gate for gate in reversed(attempt.gates) if not gate["passed"]), None)
    if red is not None and attempt.result == "red":
        return {"gate": red["gate"], "evidence": red["evidence"]}
    return {"gate": attempt.result, "evidence": attempt.evidence}


def _values(config: Config, task: TaskRecord, brief: Brief) -> dict[str, Any]:
    return {
        "task": task,
        "n_cases": len(task.case_ids),
        "features": brief.get("features", ()),
        "failures": brief["failures"],
        "suspects": _suspects(brief.get("suspects", ())),
        "advice": brief.get("advice", ""),
        "editable": config.target.editable,
    }


def _suspects(suspects: Sequence[Any]) -> list[tuple[str, float]]:
    return [(str(name), float(score)) for name, score in suspects[:10]]
