"""PRAGMA page_size as the first statement of a connection tells what the file has, as SQLite does."""

import apsw
import pytest

import minisql


@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_page_size_before_anything_is_read(tmp_path, size):
    path = str(tmp_path / "sized.db")
    made = apsw.Connection(path)
    list(made.execute(f"pragma page_size = {size}; create table t(a)"))
    made.close()
    for wanted in ("", "pragma page_size = 2048;"):
        official, ours = apsw.Connection(path), minisql.connect(path)
        if wanted:
            list(official.execute(wanted))
            ours.execute(wanted)
        assert list(official.execute("pragma page_size")) == [(size,)]
        assert ours.execute("pragma page_size").fetchall() == [(size,)]
        official.close()
        ours.close()
