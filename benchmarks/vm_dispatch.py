"""What an instruction costs in tier 1, and what translating costs in tier 2: `python benchmarks/vm_dispatch.py`.

Prints nanoseconds per instruction for opcodes decided inside the interpreter's loop and for opcodes called through the table
of handlers, and microseconds for planning registers, writing the source and compiling it, over filters of growing size.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

from minisql.engine.session import Session
from minisql.vm.compiled import gather_hints
from minisql.vm.machine import run
from minisql.vm.program_shape import program_shape
from minisql.vm.register_plan import RegisterPlan
from minisql.vm.translator import translate

ROWS = 1000


def best(function: Callable[[], Any], number: int = 1, repeat: int = 7) -> float:
    """The best time of one call in seconds."""
    return min(timeit.repeat(function, number=number, repeat=repeat)) / number


def session_with_table() -> Session:
    """A database with one table of ROWS rows, inside a transaction, in tier 1."""
    session = Session(":memory:")
    session.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b INT, c REAL, d TEXT)")
    session.execute("BEGIN")
    for n in range(ROWS):
        session.execute("INSERT INTO t VALUES(?, ?, ?, ?)", (n, n * 7 % 1000, n * 0.5, f"text {n}"))
    session.tier = "1"
    return session


def measure_tier_1(session: Session) -> None:
    """Times queries that differ by one instruction a row from the bare scan."""

    def seconds(sql: str) -> float:
        program = session.prepare(sql)[0].program
        return best(lambda: list(run(program, session)), repeat=9)

    base = seconds("SELECT 1 FROM t WHERE b < 0")
    print(f"scan with one comparison        {base / ROWS * 1e9:7.0f} ns a row")
    for name, sql in (
        ("comparison", "SELECT 1 FROM t WHERE b < 0 OR c < 0"),
        ("addition and comparison", "SELECT 1 FROM t WHERE b < 0 OR a + b < 0"),
        ("function and comparison", "SELECT 1 FROM t WHERE b < 0 OR abs(b) < 0"),
        ("result row", "SELECT 1 FROM t WHERE b >= 0"),
    ):
        print(f"{name:<31} {(seconds(sql) - base) / ROWS * 1e9:7.0f} ns more")


def measure_tier_2(session: Session) -> None:
    """Times the steps of translation for filters with a growing number of terms."""
    session.execute("SELECT 1 FROM t")
    for n_terms in (1, 4, 16):
        condition = " OR ".join(f"(b > {n} AND c < {n}.5)" for n in range(n_terms))
        program = session.prepare(f"SELECT a FROM t WHERE {condition}")[0].program
        hints = gather_hints(program, session, True)
        source = translate(program, hints).source
        microseconds = [
            best(function) * 1e6
            for function in (
                partial(program_shape, program, hints.masks, True),
                partial(RegisterPlan, program),
                partial(translate, program, hints),
                partial(compile, source, "source", "exec"),
            )
        ]
        print(
            "{:4} instructions: shape {:4.0f} us, registers {:4.0f} us, source {:4.0f} us, compile {:4.0f} us".format(
                len(program.code), *microseconds
            ),
            f"({len(source)} characters)",
        )


if __name__ == "__main__":
    measured = session_with_table()
    measure_tier_1(measured)
    measure_tier_2(measured)
