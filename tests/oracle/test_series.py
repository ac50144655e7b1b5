"""generate_series against SQLite's own shell, which has it built in (apsw has not): arguments, bounds, joins, errors."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw

import minisql

SHELL = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "sqlite3_shell"
ENDS = ("1", "5", "-3", "0", "NULL", "2.7", "-1.9", "'4'", "'x'", "x'32'", "1e1")
STEPS = ("", ", 1", ", 2", ", -1", ", -2", ", 0", ", NULL", ", 0.5", ", '2'", ", 100")
BIG = ("9223372036854775807", "9223372036854775805", "-9223372036854775808", "-9223372036854775807", "1e30", "-1e30")
CONDITIONS = (
    "value = 3", "value > 2", "value >= 2 AND value < 4", "value BETWEEN 2 AND 3.5", "value < 2.5", "value IN (1, 4, 9)", "value IS 3", "value IS NULL", "value = NULL",
    "value = 2.5", "value > 9e999", "rowid = 2", "rowid > 2", "start = 1", "start = 2", "stop > 2", "step = 1", "value % 2", "value <> 3", "NOT value > 3", "value > -9e999", "value = 3.0",
)  # fmt: skip


def statements() -> Iterator[str]:
    """The table of statements."""
    for start, stop, step in itertools.product(ENDS, ENDS, STEPS):
        yield f"SELECT value, start, stop, step, rowid FROM generate_series({start}, {stop}{step}) LIMIT 8"
    for start, stop, step in itertools.product(BIG, BIG, ("1", "-1", "9223372036854775807", "-9223372036854775808", "4611686018427387904")):
        yield f"SELECT * FROM generate_series({start}, {stop}, {step}) LIMIT 4"
    for condition in CONDITIONS:
        for arguments in ("1, 5", "5, 1, -1", "-4, 9, 3", "1, 9223372036854775807"):
            if "9223" not in arguments or condition in ("value = 3", "value >= 2 AND value < 4", "value BETWEEN 2 AND 3.5", "value < 2.5", "value = 2.5"):
                # SQLite goes through the values of IN in their order, which no ORDER BY asks for
                if "IN (" not in condition:
                    yield f"SELECT value FROM generate_series({arguments}) WHERE {condition}"
                yield f"SELECT value FROM generate_series({arguments}) WHERE {condition} ORDER BY value DESC LIMIT 2 OFFSET 1"
    yield from (
        "SELECT * FROM generate_series", "SELECT * FROM generate_series()", "SELECT * FROM generate_series(1, 2, 3, 4)", "SELECT * FROM generate_series WHERE stop = 3", "SELECT * FROM generate_series WHERE start = 1 AND stop = 3",
        "SELECT * FROM generate_series(4294967290)", "SELECT * FROM main.generate_series(1, 2)", "SELECT * FROM nope.generate_series(1, 2)", "INSERT INTO generate_series VALUES (1)", "UPDATE generate_series SET value = 1", "DELETE FROM generate_series",
        "PRAGMA table_xinfo(generate_series)", "PRAGMA table_info(generate_series)", "SELECT typeof(value), typeof(start), typeof(step) FROM generate_series(1.0, '3', 2.0)",
        "SELECT a.value, b.value FROM generate_series(1, 3) AS a, generate_series(a.value, 3) AS b", "SELECT a.value, b.value FROM generate_series(1, 3) AS a LEFT JOIN generate_series(a.value, a.value) AS b ON b.value = 2",
        "SELECT a.value, b.value FROM generate_series(1, 3) AS a JOIN generate_series AS b ON b.start = a.value AND b.stop = 3", "SELECT count(*), sum(value), min(value), max(value), avg(value) FROM generate_series(1, 100)",
        "SELECT group_concat(value) FROM generate_series(1, 9) GROUP BY value % 3", "SELECT value FROM generate_series(1, 3) UNION ALL SELECT value FROM generate_series(7, 8)", "SELECT (SELECT sum(value) FROM generate_series(1, a.value)) FROM generate_series(1, 4) AS a",
        "SELECT value, lag(value) OVER (ORDER BY value) FROM generate_series(1, 3)", "WITH c AS (SELECT value AS x FROM generate_series(1, 3)) SELECT c.x, d.x FROM c, c AS d WHERE d.x > c.x", "SELECT value FROM generate_series(1, (SELECT 3))", "SELECT 3 IN (SELECT value FROM generate_series(1, 5))",
        "CREATE TABLE made AS SELECT * FROM generate_series(1, 3)", "SELECT *, typeof(value) FROM made", "SELECT sql FROM sqlite_schema", "CREATE VIEW seen AS SELECT value FROM generate_series(1, 4)", "SELECT * FROM seen WHERE value > 2", "INSERT INTO made SELECT value * 10 FROM generate_series(1, 2)", "SELECT count(*), max(value) FROM made",
        "DELETE FROM made WHERE value IN (SELECT value FROM generate_series(2, 3))", "SELECT * FROM made", "SELECT EXISTS (SELECT 1 FROM generate_series(1, 1e18)), value FROM generate_series(1, 1e18) LIMIT 1", "SELECT max(rowid) FROM generate_series(10, 20, 4)", "SELECT value FROM generate_series(1, 5) ORDER BY -value LIMIT 2",
    )  # fmt: skip


def shell_answers(made: list[str]) -> list[list[str]]:
    """What the shell prints for each statement, errors as its text, in the form of quote()."""
    script = ".mode quote\n" + "".join(f".print @@{number}\n{sql};\n" for number, sql in enumerate(made))
    run = subprocess.run([SHELL, ":memory:"], input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    answers: list[list[str]] = [[] for _ in made]
    for part in run.stdout.split("@@")[1:]:
        number, _, body = part.partition("\n")
        answers[int(number)] = body.strip().split("\n") if body.strip() else []
    return answers


def our_answer(connection: minisql.Connection, sql: str) -> list[str]:
    try:
        rows = connection.execute(sql).fetchall()
    except minisql.Error as error:
        return [str(error)]
    return [",".join(connection.execute("SELECT quote(?)", (value,)).fetchone()[0] for value in row) for row in rows]


def test_generate_series_answers_as_the_shell_does() -> None:
    made = list(statements())
    connection = minisql.connect(":memory:", isolation_level=None)
    different = []
    for sql, wanted in zip(made, shell_answers(made)):
        wanted = [line.partition(": ")[2] if "error near line" in line else line for line in wanted]
        got = our_answer(connection, sql)
        if wanted != got:
            different.append(f"{sql}\n    wanted {wanted}\n    got    {got}")
    connection.close()
    assert not different, f"{len(different)} of {len(made)} differ:\n" + "\n".join(different[:20])
    assert len(made) > 1500
