"""File names and URIs."""

import pytest

import minisql
from minisql.engine.opening import parse_uri
from minisql.errors import OperationalError


@pytest.mark.parametrize(
    ("uri", "path", "read_only", "create"),
    [
        ("file:/a/b.db", "/a/b.db", False, True),
        ("file:///a/b.db?mode=ro", "/a/b.db", True, False),
        ("file://localhost/a/b.db?mode=rw", "/a/b.db", False, False),
        ("file:a%20b.db?mode=rwc#part", "a b.db", False, True),
        ("file:x%00y.db", "x", False, True),
    ],
)
def test_paths_and_modes(uri, path, read_only, create):
    options = parse_uri(uri)
    assert (options.path, options.read_only, options.create) == (path, read_only, create)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("file://host/a.db", "invalid uri authority: host"),
        ("file:a.db?mode=x", "no such access mode: x"),
        ("file:a.db?cache=x", "no such cache mode: x"),
        ("file:a.db?vfs=x", "no such vfs: x"),
    ],
)
def test_wrong_uris(uri, message):
    with pytest.raises(OperationalError) as info:
        minisql.connect(uri, uri=True)
    assert str(info.value) == message


def test_read_only_databases_refuse_writes(tmp_path):
    path = tmp_path / "a.db"
    writer = minisql.connect(path)
    writer.execute("create table t(a)")
    reader = minisql.connect(f"file:{path}?mode=ro", uri=True)
    assert reader.execute("select * from t").fetchall() == []
    with pytest.raises(OperationalError, match="attempt to write a readonly database"):
        reader.execute("insert into t values (1)")
    writer.close()
    reader.close()


def test_shared_memory_lasts_as_long_as_a_connection():
    name = "file:shared_memory_test?mode=memory&cache=shared"
    one = minisql.connect(name, uri=True)
    one.execute("create table t(a)")
    two = minisql.connect(name, uri=True)
    assert two.execute("select * from t").fetchall() == []
    one.close()
    two.execute("insert into t values (1)")
    two.commit()
    assert two.execute("select * from t").fetchall() == [(1,)]
    two.close()
    three = minisql.connect(name, uri=True)
    with pytest.raises(OperationalError, match="no such table: t"):
        three.execute("select * from t")
    three.close()


def test_a_plain_name_is_no_uri(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    connection = minisql.connect("file:x")
    connection.execute("create table t(a)")
    connection.close()
    assert (tmp_path / "file:x").exists()


def test_missing_directory_cannot_be_opened(tmp_path):
    with pytest.raises(OperationalError, match="unable to open database file"):
        minisql.connect(tmp_path / "no" / "x.db")
