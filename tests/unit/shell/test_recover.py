"""`minisql recover` and `minisql check`: the rows of damaged files, loaded into SQLite, and what is said to be wrong."""

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from minisql.shell.recover import recover_sql
from tests.damage.fuzz import sample_of
from tests.damage.mutation import mutate
from tests.damage.samples import make_sample

SCHEMA = """create table a(x, y); create table b(id integer primary key, z text); create index ai on a(y);
create table w(v, k text primary key) without rowid; create view v as select x from a;
create table c(q integer primary key autoincrement, r, s generated always as (r + 1) stored, t as (r * 2), u);
create trigger tr after insert on b begin select 1; end;
insert into a select value, iif(value % 2, 'it''s ' || value, zeroblob(value * 30)) from generate_series(1, 60);
insert into a values (null, 2.5), (-9223372036854775808, x'00ff'), ('nul' || char(0) || 'inside', 1e300 * 1e10);
insert into b select value * 3, hex(zeroblob(value)) from generate_series(1, 50);
insert into w select value, 'key ' || value from generate_series(1, 50);
insert into c(r, u) values (1, 'u'), (7, 'uu'); delete from c where r = 7;
"""
TABLES = ("a", "b", "w", "c", "sqlite_sequence")


def sound(tmp_path, pragmas="pragma page_size = 512;"):
    path = str(tmp_path / "sound.db")
    connection = apsw.Connection(path)
    list(connection.execute(pragmas + SCHEMA.replace("from generate_series(1, ", "from series where value <= ").replace(
        "<= 60)", "<= 60").replace("<= 50)", "<= 50").replace("create table a", "create table series(value integer primary key);"
        " insert into series with recursive n(i) as (values(1) union all select i + 1 from n where i < 60) select i from n;"
        " create table a", 1)))
    rows = {table: list(connection.execute(f"select * from {table}")) for table in TABLES}
    connection.close()
    return path, rows


def load(path):
    """A database made of the recovered SQL; a trigger or an index on a lost table is left out, as the shell would do."""
    connection = apsw.Connection(":memory:")
    for line in recover_sql(path):
        try:
            list(connection.execute(line))
        except apsw.SQLError as error:
            assert line.upper().startswith("CREATE"), (line[:200], error)
    assert list(connection.execute("pragma integrity_check")) == [("ok",)]
    return connection


@pytest.mark.parametrize("pragmas", ["pragma page_size = 512;", "pragma page_size = 1024; pragma auto_vacuum = full;", "pragma encoding = 'utf-16le';"])
def test_all_of_a_sound_file_is_recovered(tmp_path, pragmas):
    path, rows = sound(tmp_path, pragmas)
    recovered = load(path)
    for table in TABLES:
        assert list(recovered.execute(f"select * from {table}")) == rows[table]
    names = {row[0] for row in recovered.execute("select name from sqlite_schema")}
    assert {"ai", "v", "tr"} <= names
    assert "lost_and_found" not in names


def test_rows_of_a_table_whose_schema_is_lost_are_in_lost_and_found(tmp_path):
    path, rows = sound(tmp_path)
    data = bytearray(Path(path).read_bytes())
    Path(path).write_bytes(data.replace(b"CREATE TABLE b(id", b"XREATE TABLE b(id"))
    recovered = load(path)
    root = list(recovered.execute("select distinct rootpgno from lost_and_found"))
    assert len(root) == 1
    found = list(recovered.execute("select id, c1 from lost_and_found where nfield = 2 order by id"))
    assert found == rows["b"]
    assert list(recovered.execute("select * from w")) == rows["w"]


def test_leaves_under_a_lost_interior_page_are_in_lost_and_found(tmp_path):
    path, rows = sound(tmp_path)
    connection = apsw.Connection(path)
    ((root,),) = connection.execute("select rootpage from sqlite_schema where name = 'a'")
    connection.close()
    data = bytearray(Path(path).read_bytes())
    data[(root - 1) * 512 : root * 512] = bytes(512)
    Path(path).write_bytes(data)
    recovered = load(path)
    assert list(recovered.execute("select * from a")) == []
    found = list(recovered.execute("select c0, c1 from lost_and_found where id is not null order by id"))
    assert found == rows["a"]


def test_file_without_a_header_is_recovered(tmp_path):
    path, rows = sound(tmp_path, "pragma page_size = 1024;")
    data = bytearray(Path(path).read_bytes())
    data[:100] = bytes(100)
    Path(path).write_bytes(data)
    recovered = load(path)
    assert list(recovered.execute("select * from b")) == rows["b"]


@pytest.mark.parametrize("seed", range(0, 90))
def test_damaged_files_give_sql_that_loads(tmp_path, seed):
    path = str(tmp_path / "damaged.db")
    sample = mutate(make_sample(sample_of(seed)), seed)
    Path(path).write_bytes(sample[""])
    assert list(recover_sql(path))[-1] == "COMMIT;"
    load(path)


def run(*arguments):
    done = subprocess.run([sys.executable, "-m", "minisql", *arguments], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_commands(tmp_path):
    path, _rows = sound(tmp_path)
    code, out, err = run("check", path)
    assert (code, out.splitlines()[-1], err) == (0, "ok", "")
    assert "page_size: 512" in out
    data = bytearray(Path(path).read_bytes())
    data[512 * 3 + 7] = 9
    Path(path).write_bytes(data)
    code, out, err = run("check", "--quick", path)
    official = apsw.Connection(path)
    assert code == 1
    try:
        answer = [row[0] for row in official.execute("pragma quick_check")]
        assert out.endswith("\n".join(answer) + "\n")
    except apsw.Error as error:
        assert err == f"Error: {str(error).split(': ', 1)[1]}\n"
    code, out, err = run("recover", path)
    assert (code, err) == (0, "")
    assert out.startswith("BEGIN;\n")
    assert run("recover", str(tmp_path / "none.db")) == (1, "", "Error: unable to open database file\n")
    assert run("check")[0] == 2
