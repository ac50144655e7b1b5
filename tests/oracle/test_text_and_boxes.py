"""The statements of text_and_boxes under both engines: rows, their order, and error texts are equal."""

from __future__ import annotations

from typing import Any

import apsw
import pytest

import minisql
from tests.oracle.text_and_boxes import TABLES


def outcome(connection: Any, sql: str, values: Any) -> Any:
    """Rows, or the text of the error."""
    try:
        return connection.execute(sql, values).fetchall()
    except (minisql.Error, apsw.Error) as error:
        return str(error)


@pytest.mark.parametrize("name", TABLES)
def test_statements_agree(name: str) -> None:
    ours, theirs = minisql.connect(":memory:", isolation_level=None), apsw.Connection(":memory:")
    n_statements = 0
    for statement in TABLES[name]():
        sql, values = (statement, ()) if isinstance(statement, str) else statement
        assert (statement, outcome(ours, sql, values)) == (statement, outcome(theirs, sql, values))
        n_statements += 1
    assert n_statements > 600
    ours.close()
