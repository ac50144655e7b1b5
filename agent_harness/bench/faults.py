"""Faults to plant: by cosmic-ray's mutation operators, from a fixed seed, or from the repository's own past.

A planted fault is one application of one public operator (never one of the repair agent's own) at a place chosen by the seed,
spread evenly over the rooms and then over the operators that apply.  A past fault is a commit of the history, undone: all that
it changed in the engine, in however many files, where that can still be taken back.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.workspaces.repository import Repository

ROOMS = ("parser", "planner", "vm", "functions", "storage")
# These want arguments of their own, or change nothing that runs.
LEFT_OUT = ("VariableInserter", "VariableReplacer")
SMALL_FIX = 150  # changed lines


@dataclass(frozen=True, slots=True)
class Fault:
    """A file's faulty text.  `number` is its place in the seed's sequence, `operator` who made it, `line` where; `others` are
    the faulty texts of further files, `title` is what its repair said of itself."""

    number: int
    room: str
    file: str
    operator: str
    line: int
    text: str
    before: str
    after: str
    others: tuple[tuple[str, str], ...] = ()
    title: str = ""

    def texts(self) -> dict[str, str]:
        """{file: its faulty text}."""
        return {self.file: self.text, **dict(self.others)}

    def row(self) -> dict[str, Any]:
        """What a ledger keeps: all but the texts."""
        shown = {name: getattr(self, name) for name in self.__slots__ if name not in ("text", "others")}
        return shown | {"files": sorted(self.texts())}


def planted(checkout: Path, seed: int, rooms: Sequence[str] = ROOMS) -> Iterator[Fault]:
    """The endless sequence of faults of a seed over the files of `checkout`.  Raises ConfigurationError without cosmic-ray."""
    choice = random.Random(seed)
    files = {room: sorted((checkout / "minisql" / room).glob("*.py")) for room in rooms}
    sites: dict[Path, dict[str, list[tuple[str, int]]]] = {}
    number = 0
    while True:
        room = rooms[number % len(rooms)]
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


def past(repository: Repository, checkout: Path, wanted: Sequence[str] = ()) -> Iterator[Fault]:
    """Commits that changed files of the engine, not too many lines, and can be undone in `checkout`, youngest first.

    `wanted` names those to look at; all without it.
    """
    chosen = {repository.resolve(revision) for revision in wanted}
    for number, commit in enumerate(repository.git("log", "--no-merges", "--format=%H", "--", "minisql").split()):
        if chosen and commit not in chosen:
            continue
        listing = repository.git("show", "--format=", "--numstat", "--no-renames", commit, "--", "minisql").split("\n")
        rows = [row.split("\t") for row in listing if row]
        if not all(cell.isdigit() for row in rows for cell in row[:2]):
            continue
        if sum(int(added) + int(removed) for added, removed, _ in rows) > SMALL_FIX:
            continue
        texts = _undone(repository, checkout, commit, [file for *_, file in rows])
        if texts:
            first, *others = texts.items()
            title = repository.git("log", "-1", "--format=%s", commit).strip()
            line, before, after = first_difference((checkout / first[0]).read_text(encoding="utf-8"), first[1])
            operator = f"history {commit[:12]}"
            room = first[0].split("/")[1]
            yield Fault(number, room, first[0], operator, line, first[1], before, after, tuple(others), title)


def _undone(repository: Repository, checkout: Path, commit: str, files: list[str]) -> dict[str, str]:
    """The texts in `checkout` with a commit's change taken back, the file that lost most first; empty if it no longer fits."""
    if not all((checkout / file).is_file() for file in files):
        return {}
    before = {file: (checkout / file).read_text(encoding="utf-8") for file in files}
    patch = repository.git("show", "--format=", "--no-ext-diff", "--no-renames", commit, "--", *files)
    try:
        Repository(checkout).git("apply", "--reverse", "-C1", "--whitespace=nowarn", "-", stdin=patch)
        # A file that the commit brought is gone now: a missing feature, not a fault.
        after = {file: (checkout / file).read_text(encoding="utf-8") for file in files}
    except (HarnessError, FileNotFoundError):
        return {}
    finally:
        for file, text in before.items():
            (checkout / file).write_text(text, encoding="utf-8")
    changed = [file for file in files if after[file] != before[file]]
    return {file: after[file] for file in sorted(changed, key=lambda file: len(after[file]) - len(before[file]))}
