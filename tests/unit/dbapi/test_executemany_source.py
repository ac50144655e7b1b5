"""An iterator of parameters that fails: what was done until then stays in the open transaction, as with sqlite3."""

import sqlite3

import pytest

import minisql


def parameters():
    yield (1,)
    yield (2,)
    raise ValueError("source")


@pytest.mark.parametrize("module", [sqlite3, minisql])
def test_failing_source_of_executemany_keeps_the_rows_before(module):
    connection = module.connect(":memory:")
    connection.execute("create table t(a)")
    connection.commit()
    with pytest.raises(ValueError, match="source"):
        connection.executemany("insert into t values (?)", parameters())
    assert connection.in_transaction
    assert connection.execute("select a from t").fetchall() == [(1,), (2,)]
    connection.close()
