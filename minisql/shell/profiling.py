"""`minisql profile FILE SQL` and `.profile SQL`: the plan of a statement with times, loops and rows for each of its lines.

        ms     %     loops       rows  QUERY PLAN
      1.90  68.8         1       2000  |--SCAN t
      0.71  25.7      2000        411  |--SEARCH u USING INTEGER PRIMARY KEY (rowid=?)
      0.15   5.5                       (other)

A line's time is that of its own instructions.  With `--opcodes` the program follows, with each instruction's time and count.

Source: https://www.sqlite.org/cli.html (`.scanstats`)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.dbapi.connection import connect
from minisql.errors import Error
from minisql.shell.commands import command
from minisql.shell.dot_line import DotError
from minisql.shell.explain import plan_lines
from minisql.shell.state import ShellState
from minisql.values.cast import to_text

if TYPE_CHECKING:
    from minisql.engine.profiling import Profile
    from minisql.engine.session import Session

USAGE = "minisql profile [--opcodes] FILENAME SQL"
OPCODES = "--opcodes"


def run_profile(words: Sequence[str]) -> int:
    """The command `profile [--opcodes] FILE SQL`; returns the exit code."""
    rest = [word for word in words if word != OPCODES]
    if len(rest) != 2 or rest[0].startswith("-"):
        print(f"Usage: {USAGE}", file=sys.stderr)
        return 2
    try:
        connection = connect(rest[0], isolation_level=None)
        try:
            for line in profile_lines(connection._open_session(), rest[1], OPCODES in words):
                sys.stdout.write(line + "\n")
        finally:
            connection.close()
    except Error as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


@command("profile")
def _profile(state: ShellState, words: list[str]) -> None:
    rest = [word for word in words if word != OPCODES]
    if not rest:
        raise DotError(f"Usage: .profile ?{OPCODES}? SQL", "Times, loops and rows of each line of a statement's plan")
    for line in profile_lines(state.connection._open_session(), " ".join(rest), OPCODES in words):
        state.output.line(line)


def profile_lines(session: Session, sql: str, with_opcodes: bool = False) -> Iterator[str]:
    """The text of a profile.  Raises Error."""
    from minisql.engine.profiling import profile_statement  # noqa: PLC0415

    profile = profile_statement(session, sql)
    yield from _plan(profile)
    yield ""
    if with_opcodes:
        yield from _program(profile)
        yield ""
    rows = f"{profile.n_rows} row{'' if profile.n_rows == 1 else 's'}"
    plain, measured = 1e3 * profile.plain_seconds, 1e3 * profile.seconds
    yield f"{rows} in {plain:.2f} ms, in tier {profile.tier}; {measured:.2f} ms when measured"


def _plan(profile: Profile) -> Iterator[str]:
    yield f"{'ms':>10} {'%':>5} {'loops':>9} {'rows':>10}  QUERY PLAN"
    tree = list(plan_lines((line.identity, line.parent, 0, line.detail) for line in profile.lines))[1:]
    for line, text in zip(profile.lines, tree):
        loops, rows = ("" if number is None else number for number in (line.n_loops, line.n_rows))
        yield f"{_cost(line.seconds, profile)} {loops:>9} {rows:>10}  {text.rstrip()}"
    yield f"{_cost(profile.other_seconds, profile)} {'':>9} {'':>10}  (other)"


def _program(profile: Profile) -> Iterator[str]:
    yield f"{'ms':>10} {'%':>5} {'times':>9}  addr  opcode         p1    p2    p3    p4             p5"
    for row, count, seconds in profile.instructions:
        yield f"{_cost(seconds, profile)} {count:>9}  {_instruction(row)}".rstrip()


def _instruction(row: tuple[Any, ...]) -> str:
    cells = ["" if cell is None else cell if isinstance(cell, str) else to_text(cell) for cell in row[:7]]
    address, opcode, p1, p2, p3, p4, p5 = cells
    return f"{address:<4}  {opcode:<13}  {p1:<4}  {p2:<4}  {p3:<4}  {p4:<13}  {p5}"


def _cost(seconds: float, profile: Profile) -> str:
    if not seconds:
        return f"{'':>10} {'':>5}"
    return f"{1e3 * seconds:>10.2f} {100 * seconds / profile.seconds:>5.1f}"
