"""Faults to plant: by cosmic-ray's mutation operators, from a fixed seed, or from the repository's own past.

A planted fault is one application of one public operator (never one of the repair agent's own) at a place chosen by the seed,
spread evenly over the rooms and then over the operators that apply.  A past fault is a small repair from the history, undone.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.workspaces.repository import Repository

ROOMS = ("parser", "planner", "vm", "functions", "storage")
# These want arguments of their own, or change nothing that runs.
LEFT_OUT = ("VariableInserter", "VariableReplacer")
SMALL_FIX = 12


@dataclass(frozen=True, slots=True)
class Fault:
    """A file's faulty text.  `number` is its place in the seed's sequence, `operator` who made it, `line` where."""

    number: int
    room: str
    file: str
    operator: str
    line: int
    text: str
    before: str
    after: str


def planted(checkout: Path, seed: int) -> Iterator[Fault]:
    """The endless sequence of faults of a seed over the files of `checkout`.  Raises ConfigurationError without cosmic-ray."""
    choice = random.Random(seed)
    files = {room: sorted((checkout / "minisql" / room).glob("*.py")) for room in ROOMS}
    sites: dict[Path, dict[str, list[tuple[str, int]]]] = {}
    number = 0
    while True:
        room = ROOMS[number % len(ROOMS)]
        path = choice.choices(files[room], [file.stat().st_size for file in files[room]])[0]
        if path not in sites:
            sites[path] = sites_of(path.read_text(encoding="utf-8"))
        families = sorted(sites[path])
        name, occurrence = choice.choice(sites[path][choice.choice(families)]) if families else ("", 0)
        if name:
            fault = _plant(checkout, path, name, occurrence, number, room)
            if fault is not None:
                yield fault
        number += 1


def _cosmic_ray(part: str) -> Any:
    try:
        return importlib.import_module(f"cosmic_ray.{part}")
    except ImportError as error:
        raise ConfigurationError("cosmic-ray: not installed (pip install 'pyminisql[test]')") from error


def sites_of(text: str) -> dict[str, list[tuple[str, int]]]:
    """{operator family: [(operator, occurrence)]} of a source text."""
    trees, plugins = _cosmic_ray("ast"), _cosmic_ray("plugins")
    nodes = list(trees.ast_nodes(trees.get_ast(text)))
    found: dict[str, list[tuple[str, int]]] = {}
    for name in sorted(plugins.operator_names()):
        if name.endswith(LEFT_OUT):
            continue
        operator = plugins.get_operator(name)()
        count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        found.setdefault(family(name), []).extend((name, occurrence) for occurrence in range(count))
    return {name: places for name, places in found.items() if places}


def family(operator: str) -> str:
    """The operator's kind: core/ReplaceBinaryOperator_Add_Sub is a ReplaceBinaryOperator."""
    return operator.partition("/")[2].partition("_")[0]


def _plant(checkout: Path, path: Path, name: str, occurrence: int, number: int, room: str) -> Fault | None:
    text = path.read_text(encoding="utf-8")
    operator = _cosmic_ray("plugins").get_operator(name)()
    mutated = _cosmic_ray("mutating").mutate_code(text, operator, occurrence)
    if mutated is None or mutated == text:
        return None
    line, before, after = first_difference(text, mutated)
    return Fault(number, room, str(path.relative_to(checkout)), name, line, mutated, before, after)


def first_difference(old: str, new: str) -> tuple[int, str, str]:
    """The first line that differs, in both texts."""
    for number, (one, other) in enumerate(zip(old.split("\n"), new.split("\n"), strict=False), 1):
        if one != other:
            return number, one.strip(), other.strip()
    return 0, "", ""


def past(repository: Repository, checkout: Path) -> Iterator[Fault]:
    """Small repairs of one engine file in the history that can still be undone in `checkout`, youngest first."""
    for number, commit in enumerate(repository.git("log", "--no-merges", "--format=%H", "--", "minisql").split()):
        listing = repository.git("show", "--format=", "--numstat", "--diff-filter=M", commit, "--", "minisql").split("\n")
        rows = [row.split("\t") for row in listing if row]
        if len(rows) != 1 or not all(cell.isdigit() for cell in rows[0][:2]):
            continue
        added, removed, file = rows[0]
        if not 0 < int(added) + int(removed) <= SMALL_FIX:
            continue
        text = _undone(repository, checkout, commit, file)
        if text is not None:
            line, before, after = first_difference((checkout / file).read_text(encoding="utf-8"), text)
            yield Fault(number, file.split("/")[1], file, f"history {commit[:12]}", line, text, before, after)


def _undone(repository: Repository, checkout: Path, commit: str, file: str) -> str | None:
    """The file as it is in `checkout` with the commit's change taken back, or None when that no longer fits."""
    path = checkout / file
    if not path.is_file():
        return None
    before = path.read_text(encoding="utf-8")
    patch = repository.git("diff", "--no-ext-diff", f"{commit}^", commit, "--", file)
    try:
        Repository(checkout).git("apply", "--reverse", "--whitespace=nowarn", "-", stdin=patch)
    except HarnessError:
        return None
    after = path.read_text(encoding="utf-8")
    path.write_text(before, encoding="utf-8")
    return after if after != before else None
