"""The command line: statements, dot commands, modes, errors and exit codes."""

import subprocess
import sys

import pytest


def run(*arguments, text=""):
    done = subprocess.run(
        [sys.executable, "-m", "minisql", *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_sql_argument(tmp_path):
    path = str(tmp_path / "a.db")
    assert run(path, "create table t(a, b); insert into t values (1, 'x'), (null, 2.5);") == (0, "", "")
    assert run(path, "select * from t") == (0, "1|x\n|2.5\n", "")
    assert run("-header", "-csv", path, "select * from t") == (0, "a,b\n1,x\n,2.5\n", "")
    assert run("-line", path, "select * from t limit 1") == (0, "a: 1\nb: x\n", "")


def test_script_with_dot_commands():
    script = """create table t(a integer primary key);
create view v as select
  a from t;
insert into t values (7);
.tables
.schema t
.headers on
select * from v;
.mode quote
select a, 'it''s', x'00ff' from t;
.quit
select 'not reached';
"""
    code, out, err = run(text=script)
    assert (code, err) == (0, "")
    assert out == "t     v\nCREATE TABLE t(a integer primary key);\na\n7\n'a','''it''''s''','x''00ff'''\n7,'it''s',x'00ff'\n"


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("selec 1;", 'Parse error near line 1: near "selec": syntax error\n  selec 1;\n  ^--- error here\n'),
        ("\nselect abs(-9223372036854775808);", "Error near line 2: integer overflow\n"),
        ("create table t(a unique);\ninsert into t values (1), (1);", "Error near line 2: UNIQUE constraint failed: t.a\n"),
    ],
)
def test_errors_name_the_line(script, error):
    assert run(text=script) == (1, "", error)


def test_dump_can_be_read_again(tmp_path):
    path = str(tmp_path / "a.db")
    run(path, "create table t(a, b); insert into t values (1, 'it''s'); create index i on t(b);")
    dump = run(path, ".dump")[1]
    again = str(tmp_path / "b.db")
    assert run(again, text=dump)[0] == 0
    assert run(again, ".dump")[1] == dump
