"""The shell and the official shell: both run the same scripts and arguments, and must write the same bytes and exit alike.

A script is a file of `tests/oracle/shell/*.sql`, run on standard input in a folder with the files of `FILES`.  What belongs to
one program only (addresses, timings, the listing of a program's opcodes, the names of VFSs) is in no script.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

apsw = pytest.importorskip("apsw")
OFFICIAL = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "sqlite3_shell"
ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((Path(__file__).parent / "shell").glob("*.sql"))
FILES = {
    "i.csv": 'a,b,c\n1,"x ""y"" z",3\n4,5\n6,7,8,9\n"multi\nline",,""\n',
    "i.psv": 'a|b\n1|"x"y\n2|z',
    "i.tsv": '1\t2\n3\t"4\n',
    "crlf.csv": 'p,q\r\n1,"a\r\nb"\r\n2,c\r\n',
    "dup.csv": 'x,x,"",X\n1,2,3,4\n',
    "r.sql": "select 1;\nselect nosuch;\n.foo\n.mode zz\nselect 2,\n3;\n",
}

pytestmark = pytest.mark.skipif(not OFFICIAL.exists(), reason="this apsw wheel ships no sqlite3_shell")


def run(program: str, folder: Path, arguments: list[str], text: bytes = b"") -> tuple[int, str, str]:
    command = [str(OFFICIAL)] if program == "official" else [sys.executable, "-m", "minisql"]
    home = folder / program
    home.mkdir(exist_ok=True)
    for name, content in FILES.items():
        (home / name).write_bytes(content.encode())
    done = subprocess.run(
        [*command, *arguments], input=text, capture_output=True, cwd=home, check=False, timeout=120,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    return done.returncode, *(stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script: Path, tmp_path: Path) -> None:
    text = script.read_bytes()
    theirs = run("official", tmp_path, [], text)
    mine = run("minisql", tmp_path, [], text)
    assert mine[1].splitlines() == theirs[1].splitlines()
    assert mine[2].splitlines() == theirs[2].splitlines()
    assert mine == theirs


ARGUMENTS = [
    ["", "select 1, null, 'x'", "select 2"],
    [":memory:", ".mode json", "select 1 as a, 'b' as c", ".mode box", "select 1 as a"],
    ["-header", "-csv", ":memory:", "select 1 as a, 'b c' as d"],
    ["-csv", "-header", ":memory:", ".mode"],
    ["-json", ":memory:", "select 1 as a, null as b, x'00' as c"],
    ["-line", ":memory:", "select 1 as a, 'b' as long_name"],
    ["-list", "-separator", "::", "-nullvalue", "N", ":memory:", "select 1, null"],
    ["-box", ":memory:", "select 1 as a, 'x' as b"],
    ["-table", ":memory:", "select 1 as a, 'x' as b"],
    ["-column", ":memory:", "select 1 as a, 'x' as b"],
    ["-markdown", ":memory:", "select 1 as a, 'x' as b"],
    ["-html", ":memory:", "select 1 as a, '<x>' as b"],
    ["-quote", ":memory:", "select 1 as a, 'it''s' as b, 1.5, null, x'ab'"],
    ["-tabs", ":memory:", "select 1, 'a'"],
    ["-ascii", ":memory:", "select 1, 'a'"],
    ["-newline", "!", ":memory:", "select 1 union select 2"],
    ["-escape", "symbol", ":memory:", "select char(1)"],
    ["-bail", "-batch", "-echo", ":memory:", "select 1", "selec"],
    [":memory:", "select * from nosuch", "select 2"],
    [":memory:", "select 1; select abs(-9223372036854775808); select 3", "select 4"],
    [":memory:", ".foo", "select 1"],
    [":memory:", "select 1;\nselect 2,\nnosuch;"],
    ["-cmd", ".mode json", "-cmd", "select 5 as x", ":memory:", "select 6 as y"],
    ["-cmd", "selec 1", "-cmd", ".mode zz", ":memory:", "select 2"],
    ["-init", "r.sql", ":memory:", "select 3"],
    ["-init", "nosuch.sql", ":memory:", "select 3"],
    ["/nosuch/x", "select 1"],
    ["-readonly", "nosuch.db", "create table a(b)"],
    ["-safe", ":memory:", ".shell ls", "select 1"],
    ["-safe", ":memory:", ".open y.db", "select 1"],
    ["-bail", "-init", "r.sql", ":memory:", "select 3"],
    ["-separator", ";", "-list", ":memory:", "select 1,2"],
    ["-safe", ":memory:", "attach 'x.db' as y", "select 1"],
    ["-safe", ":memory:", "vacuum into 'x.db'"],
    ["-safe", ":memory:", "select edit('x')", "select 1"],
    ["-safe", ":memory:", "select load_extension('x')"],
    ["-safe", ":memory:", "select readfile('i.csv')"],
    ["a.db", "create table t(a); insert into t values(1),(2)", "select sum(a) from t", ".tables"],
    [":memory:", ".exit 5", "select 1"],
    ["--", ":memory:", "select 1"],
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda arguments: " ".join(arguments)[:60])
def test_arguments(arguments: list[str], tmp_path: Path) -> None:
    assert run("minisql", tmp_path, arguments) == run("official", tmp_path, arguments)


TEXTS = [
    ([], ".bail on\n.read r.sql\nselect 5;\n"),
    ([], ".read r.sql\n.bail on\nselect 5;\n"),
    ([], ".foo\n.bail on\nselect 5;\n"),
    ([], ".bail on\n.bail off\nselect nosuch;\nselect 5;\n"),
    ([], ".bail on\nselect nosuch;\nselect 5;\n"),
    (["-bail", "-init", "r.sql"], "select 5;\n"),
    (["-safe"], "select 0;\nattach ':memory:' as y;\nselect 1;\n"),
    (["-safe"], "explain attach 'x' as y;\nselect 1;\n"),
    (["-safe", "-nonce", "abc"], ".nonce abc\nattach ':memory:' as y;\nattach ':memory:' as z;\nselect 1;\n"),
    (["-safe", "-nonce", "abc"], ".nonce abc\n.system echo hi\n.system echo no\nselect 1;\n"),
]


@pytest.mark.parametrize(("arguments", "text"), TEXTS, ids=lambda value: repr(value)[:60])
def test_errors_and_safe_mode(arguments: list[str], text: str, tmp_path: Path) -> None:
    assert run("minisql", tmp_path, arguments, text.encode()) == run("official", tmp_path, arguments, text.encode())


@pytest.mark.parametrize("arguments", [["-foo"], ["-cmd"], ["-separator"]])
def test_wrong_options(arguments: list[str], tmp_path: Path) -> None:
    code, out, err = run("minisql", tmp_path, arguments)
    theirs = run("official", tmp_path, arguments)
    assert (code, out, err.partition(": ")[2]) == (theirs[0], theirs[1], theirs[2].partition(": ")[2])


MAKE = """
create table t(a integer primary key, b text unique, c, d real);
insert into t values(1,'x''y',1.5,2.0),(2,'a
b\\',x'00ff',-1e-10),(3,null,9e999,1e300),(4,'tab\té'||char(1)||'日本','','');
create table "w x"(a,b,primary key(a,b)) without rowid; insert into "w x" values(1,2);
create table au(id integer primary key autoincrement); insert into au values(7);
create table g(a, b as (a+1) stored, c as (a+2)); insert into g(a) values(1);
create index ti on t(c); create view v as select * from t; create trigger tr after insert on t begin select 1; end;
"""


def test_a_dump_makes_the_same_database_in_the_other_shell(tmp_path: Path) -> None:
    dumps = {}
    for program in ("official", "minisql"):
        assert run(program, tmp_path, ["a.db"], MAKE.encode())[0] == 0
        dumps[program] = run(program, tmp_path, ["a.db", ".dump"])[1]
    assert dumps["minisql"] == dumps["official"]
    for reader in ("official", "minisql"):
        assert run(reader, tmp_path, ["b.db"], dumps["minisql"].encode())[2] == ""
        assert run(reader, tmp_path, ["b.db", ".dump"])[1] == dumps["official"]


def test_csv_of_one_shell_is_imported_by_the_other(tmp_path: Path) -> None:
    for writer, reader in (("official", "minisql"), ("minisql", "official")):
        run(writer, tmp_path, ["a.db"], MAKE.encode())
        csv = run(writer, tmp_path, ["-csv", "-header", "a.db", "select a, b, c from t where a <> 2"])[1]
        script = f".import --csv <<END copy\n{csv}END\n.mode quote\nselect * from copy;\n"
        assert run(reader, tmp_path, [], script.encode()) == run(writer, tmp_path, [], script.encode())
