"""Profiles: how often each line of a query plan begins and how many rows it gives, and where a statement's time goes.

The program is the one that EXPLAIN QUERY PLAN words.  It runs in tier 1 on a list of instructions that notes, whenever one is
fetched, how long the last one took: the loop of the interpreter is the one that always runs.  What a trigger does counts for
the instruction that calls it.  Then the statement runs as it always would, which tells its time and its tier.

Lines of the plan and instructions are brought together by addresses: a line is noted just before the instructions that begin
its loop.  A line whose subquery became a part of the loops around it has no loop of its own, and no numbers.

A statement that changes rows is carried out and taken back.

Source: https://www.sqlite.org/c3ref/stmt_scanstatus.html
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, SupportsIndex

from minisql.bytecode import opcodes as op
from minisql.errors import ERROR, sqlite_error
from minisql.parser.parse import parse_one
from minisql.planner.statement import compile_statement, listing_rows
from minisql.vm.machine import tier_of

if TYPE_CHECKING:
    from minisql.bytecode.program import Instruction, Program
    from minisql.engine.session import Session

PROFILED = frozenset(("select", "insert", "update", "delete", "replace"))
SAVEPOINT = "minisql_profile"
LOOPS = frozenset(
    (*(op.Rewind, op.Last, op.SeekGE, op.SeekGT, op.SeekLE, op.SeekLT, op.HashProbe, op.HashUnmatched, op.QueueNext, op.Count),)
)
"""Instructions that begin a loop over rows, or count them at once."""
SEEKS = frozenset((op.SeekGE, op.SeekGT, op.SeekLE, op.SeekLT))
"""Those that look for a place in an index or a table."""
SINGLE_ROWS = frozenset((op.SeekRowid, op.NotExists, op.Found, op.NotFound))
"""Instructions that look for one row."""
BOUNDS = frozenset((op.IdxGT, op.IdxGE, op.IdxLT, op.IdxLE))
"""Instructions at the beginning of a loop's body that may end it: what comes after them runs once for each row."""
GATHERING = {
    "USE TEMP B-TREE FOR GROUP BY": frozenset((op.GroupOpen, op.GroupStep, op.GroupRewind)),
    "ORDER BY": frozenset((op.SorterOpen, op.SorterInsert, op.SorterSort, op.ListSort)),
    "USE TEMP B-TREE FOR DISTINCT": frozenset((op.SetOpen, op.SetInsert, op.SetFound, op.SetNotFound, op.SetSort)),
}
"""Instructions that a line without a loop stands for, by the line's end."""


class TimedCode(list[Any]):
    """Instructions that count how often each is fetched (`counts`) and add up the time until the next is (`nanoseconds`)."""

    __slots__ = ("_clock", "_last", "_since", "counts", "nanoseconds")

    def __init__(self, code: Sequence[Instruction]) -> None:
        super().__init__(code)
        self.counts = [0] * (len(code) + 1)
        self.nanoseconds = [0] * (len(code) + 1)
        self._clock = time.perf_counter_ns
        self._last = len(code)  # what passes before the first instruction
        self._since = self._clock()

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        if place.__class__ is int:
            now = self._clock()
            self.nanoseconds[self._last] += now - self._since
            self.counts[place] += 1
            self._last = place
            self._since = self._clock()
        return list.__getitem__(self, place)

    def pause(self) -> None:
        """Ends the last instruction's time: a row is handed out."""
        self.nanoseconds[self._last] += self._clock() - self._since

    def go_on(self) -> None:
        """The next row is asked for."""
        self._since = self._clock()


class PlanLine:
    """A line of the plan: how often its loop began (`n_loops`) and the rows it gave (`n_rows`), both None where it has no loop,
    and the seconds of its own instructions."""

    __slots__ = ("detail", "identity", "n_loops", "n_rows", "parent", "seconds")

    def __init__(self, identity: int, parent: int, detail: str) -> None:
        self.identity = identity
        self.parent = parent
        self.detail = detail
        self.n_loops: int | None = None
        self.n_rows: int | None = None
        self.seconds = 0.0


class Profile:
    """`lines` of the plan in the order of its tree, `instructions` as (row of EXPLAIN, times run, seconds), rows of the result.

    `seconds` are those of the measured run, `other_seconds` what of them belongs to no line; `plain_seconds` and `tier` ("1",
    "2", or "1, as it cannot be translated") tell of the run that was not measured.
    """

    __slots__ = ("instructions", "lines", "n_rows", "other_seconds", "plain_seconds", "seconds", "tier")

    def __init__(self, lines: list[PlanLine], instructions: list[tuple[tuple[Any, ...], int, float]], n_rows: int) -> None:
        self.lines = lines
        self.instructions = instructions
        self.n_rows = n_rows
        self.seconds = sum(seconds for _, _, seconds in instructions)
        self.other_seconds = self.seconds - sum(line.seconds for line in lines)
        self.plain_seconds = 0.0
        self.tier = ""


def profile_statement(session: Session, sql: str, values: Sequence[Any] = ()) -> Profile:
    """Runs a statement twice, measured and plainly.  Raises Error for what is wrong with it, and for one that has no plan."""
    statement, _ = session.prepare(sql)
    if statement.is_empty or statement.program.statement_kind not in PROFILED:
        raise sqlite_error(ERROR, "only SELECT, INSERT, UPDATE and DELETE have a profile")
    values = values or [None] * statement.n_parameters
    program = explained_program(session, sql)
    code = TimedCode(program.code)
    measured, _ = session.prepare(sql)
    measured.adopt(_with_code(program, code))
    tier, session.tier = session.tier, "1"
    try:
        n_rows = _taken_back(session, program.readonly, measured.start(values), code)
    finally:
        session.tier = tier
    seconds = [nanoseconds / 1e9 for nanoseconds in code.nanoseconds]
    lines = plan_lines(program, code.counts, seconds)
    profile = Profile(lines, list(zip(listing_rows(program), code.counts, seconds)), n_rows)
    started = time.perf_counter()
    _taken_back(session, program.readonly, statement.start(values))
    profile.plain_seconds = time.perf_counter() - started
    profile.tier = tier_of(statement.program)
    return profile


def explained_program(session: Session, sql: str) -> Program:
    """The program of a statement with the rows of EXPLAIN QUERY PLAN."""
    parsed, _ = parse_one(sql, 0, session.limits)
    assert parsed is not None, "a statement was prepared from this text"
    try:
        return compile_statement(parsed, session, explains=True)
    finally:
        session.end_planning_reads()


def _with_code(program: Program, code: TimedCode) -> Program:
    made = copy(program)
    made.code = code
    return made


def _taken_back(session: Session, is_reading: bool, rows: Iterator[Any], code: TimedCode | None = None) -> int:
    """Runs a statement to its end, takes back what it has changed, and returns how many rows it gave."""
    if is_reading:
        return _run(rows, code)
    session.execute(f"SAVEPOINT {SAVEPOINT}")
    try:
        return _run(rows, code)
    finally:
        if not session.autocommit:  # a conflict may have rolled everything back
            session.execute(f"ROLLBACK TO {SAVEPOINT}")
            session.execute(f"RELEASE {SAVEPOINT}")


def _run(rows: Iterator[Any], code: TimedCode | None) -> int:
    n_rows = 0
    if code is None:
        for _ in rows:
            n_rows += 1
        return n_rows
    code.go_on()
    for _ in rows:
        code.pause()
        n_rows += 1
        code.go_on()
    code.pause()
    return n_rows


def plan_lines(program: Program, counts: Sequence[int], seconds: Sequence[float]) -> list[PlanLine]:
    """The lines of a program's plan with their share of what its instructions took."""
    rows = list(program.explain_rows)
    lines = {identity: PlanLine(identity, parent, detail) for identity, parent, _, detail in rows}
    beginnings = _beginnings(program, rows)
    for identity, address in beginnings.items():
        line = lines[identity]
        line.n_loops = counts[address]
        line.n_rows = counts[_first_of_row(program, address)]
    owners = _owners(program, {address: lines[identity] for identity, address in beginnings.items()})
    gathering = {
        opcode: line
        for line in lines.values()
        for end, codes in GATHERING.items()
        if line.detail.endswith(end)
        for opcode in codes
    }
    for address, instruction in enumerate(program.code):
        owner = gathering.get(instruction[0]) or owners[address]
        if owner is not None:
            owner.seconds += seconds[address]
    return [lines[identity] for identity, *_ in rows]


def _beginnings(program: Program, rows: Sequence[tuple[int, int, int, str]]) -> dict[int, int]:
    """{line: address of the instruction that begins its loop}, for lines that name a table and have one."""
    code = program.code
    shift = next((address - 1 for address in range(1, len(code)) if code[address][0] not in (op.MemoOpen, op.Transaction)), 0)
    noted = sorted((identity, parent, detail) for identity, parent, _, detail in rows)
    addresses = [identity - 1 - rank + shift for rank, (identity, *_) in enumerate(noted)]
    found: dict[int, int] = {}
    taken: set[int] = set()

    def look(identity: int, first: int, ends: Sequence[int], wanted: frozenset[int]) -> None:
        end = next((other for other in ends if other > first), len(code) - 1)
        place = next(
            (at for at in range(first, min(end, len(code) - 1) + 1) if code[at][0] in wanted and at not in taken), None
        )
        if place is not None:
            found[identity] = place
            taken.add(place)

    for (identity, _, detail), address in zip(noted, addresses):
        # A recursive query's rows come from a loop that is open already when its line is noted.
        is_open = address > 0 and code[address - 1][0] == op.QueueNext
        look(identity, address - is_open, addresses, _wanted(detail))
    for (identity, parent, detail), address in zip(noted, addresses):
        # What is looked for by a subquery's values comes after that subquery, before the next line of its own level.
        if identity not in found and detail.startswith("SEARCH "):
            siblings = [at for (_, level, text), at in zip(noted, addresses) if level == parent and " SUBQUERY " not in text]
            look(identity, address, siblings, SEEKS | SINGLE_ROWS)
    return found


def _wanted(detail: str) -> frozenset[int]:
    """The instructions that may begin what a line tells."""
    if detail.startswith("SEARCH "):
        return frozenset((op.HashProbe,)) if " AUTOMATIC " in detail else LOOPS | SINGLE_ROWS
    is_loop = detail.startswith("SCAN ") and detail != "SCAN CONSTANT ROW" and not detail.endswith(" VALUES CLAUSE")
    return LOOPS if is_loop else frozenset()


def _first_of_row(program: Program, address: int) -> int:
    """The first instruction that runs for each row of a loop, or for the row that was found."""
    code = program.code
    place = address + 1
    while code[place][0] in BOUNDS:
        place += 1
    return place


def _owners(program: Program, lines: dict[int, PlanLine]) -> list[PlanLine | None]:
    """The line of the innermost loop around each instruction, None outside of all."""
    owners: list[PlanLine | None] = [None] * len(program.code)
    for loop in sorted(program.loops, key=lambda loop: loop.start - loop.next):
        if loop.start in lines:
            owners[loop.start : loop.next + 1] = [lines[loop.start]] * (loop.next + 1 - loop.start)
    for address, line in lines.items():
        if program.code[address][0] in SINGLE_ROWS:
            # What is done with the row belongs to it, up to the next line's beginning or the end of the loop around it.
            ends = [loop.next for loop in program.loops if loop.start < address < loop.next]
            end = min([other for other in lines if other > address] + ends, default=len(owners))
            owners[address:end] = [line] * (end - address)
    return owners
