"""A database file cut short: SQLite's text."""

import apsw
import pytest

import minisql


@pytest.mark.parametrize("size", [50, 99, 100, 512, 1024, 4095, 4096])
def test_file_cut_within_its_pages(tmp_path, size):
    path = tmp_path / "cut.db"
    made = apsw.Connection(str(path))
    list(made.execute("create table t(a); insert into t values (1)"))
    made.close()
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(apsw.Error) as theirs:
        list(apsw.Connection(str(path)).execute("select * from t"))
    connection = minisql.connect(path)
    with pytest.raises(minisql.DatabaseError) as ours:
        connection.execute("select * from t")
    connection.close()
    assert str(theirs.value).endswith(str(ours.value))
