"""`minisql profile` and `.profile`: the plan with figures, the program on request, wrong use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from minisql.dbapi.connection import connect
from minisql.shell.main import main

FIGURE = re.compile(r"\d+\.\d+")


@pytest.fixture
def path(tmp_path: Path) -> str:
    name = str(tmp_path / "made.db")
    connection = connect(name)
    connection.executescript("CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(x)")
    connection.executemany("INSERT INTO t VALUES(?, ?)", [(i, i % 3) for i in range(10)])
    connection.executemany("INSERT INTO u VALUES(?)", [(i,) for i in range(4)])
    connection.commit()
    connection.close()
    return name


def columns(text: str) -> list[tuple[list[str], str]]:
    """(loops and rows, line of the plan) of each line."""
    lines = text.split("\n\n")[0].split("\n")
    assert lines[0].split() == ["ms", "%", "loops", "rows", "QUERY", "PLAN"]
    return [(line[16:39].split(), line[39:].strip()) for line in lines[1:]]


def test_plan_has_loops_and_rows(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", path, "SELECT * FROM u, t WHERE a = x AND b > 0"]) == 0
    text = capsys.readouterr().out
    assert columns(text) == [
        (["1", "4"], "|--SCAN u"),
        (["4", "4"], "`--SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"),
        ([], "(other)"),
    ]
    assert FIGURE.sub("N", text).rstrip().endswith("2 rows in N ms, in tier 1; N ms when measured")


def test_program_has_times_and_counts(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--opcodes", path, "SELECT a FROM t"]) == 0
    program = capsys.readouterr().out.split("\n\n")[1].split("\n")
    assert program[0].split()[:5] == ["ms", "%", "times", "addr", "opcode"]
    assert [line[16:26].strip() for line in program[1:] if "Next" in line or "ResultRow" in line] == ["10", "10"]


def test_changes_are_not_kept(path: str) -> None:
    assert main(["profile", path, "DELETE FROM t"]) == 0
    connection = connect(path)
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (10,)
    connection.close()


def test_dot_command(path: str) -> None:
    script = ".profile \"SELECT * FROM t WHERE b = '1'\"\n.profile\n.profile SELECT * FROM missing\n.prog\n"
    done = subprocess.run(
        [sys.executable, "-m", "minisql", path], input=script, capture_output=True, text=True, timeout=60, check=False
    )
    assert columns(done.stdout)[0] == (["1", "10"], "`--SCAN t")
    assert "Usage: .profile ?--opcodes? SQL" in done.stderr
    assert "no such table: missing" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"), [([], 2, "Usage"), (["a", "b", "c"], 2, "Usage"), (["-x", "SELECT 1"], 2, "Usage")]
)
def test_wrong_use(words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *words]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("sql", "message"), [("SELEC 1", 'near "SELEC": syntax error'), ("VACUUM", "have a profile")])
def test_what_has_no_profile(path: str, sql: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", path, sql]) == 1
    assert message in capsys.readouterr().err
