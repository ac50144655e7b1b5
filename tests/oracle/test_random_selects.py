"""Random SELECTs give the rows and errors that SQLite gives, in every tier and with the fast path on and off."""

from __future__ import annotations

import random

import apsw
import pytest

from minisql.engine.session import Session
from minisql.errors import Error
from tests.oracle.select_generator import SCHEMA, Generator, rows

_N_QUERIES = 60


def _multiset(found: list[tuple[object, ...]]) -> list[str]:
    # 1 and 1.0 are one value for UNION and DISTINCT, and which of them shows depends on the order of rows.
    return sorted(repr([float(value) if isinstance(value, int) else value for value in row]) for row in found)


def _answer_of_sqlite(connection: apsw.Connection, sql: str) -> object:
    try:
        return _multiset(list(connection.execute(sql)))
    except apsw.Error as error:
        return str(error)


def _answer_of_minisql(session: Session, sql: str) -> object:
    try:
        return _multiset(session.execute(sql))
    except Error as error:
        return str(error)


@pytest.mark.parametrize("fast_path", ["on", "off"])
@pytest.mark.parametrize("seed", range(8))
def test_random_selects_agree_with_sqlite(seed: int, fast_path: str) -> None:
    dice = random.Random(seed)
    connection = apsw.Connection(":memory:")
    session = Session(":memory:")
    for sql in (*SCHEMA, *rows(dice)):
        connection.execute(sql)
        session.execute(sql)
    session.execute(f"PRAGMA minisql_fast_path = {fast_path}")
    generator = Generator(dice)
    for _ in range(_N_QUERIES):
        sql = generator.query()
        assert _answer_of_minisql(session, sql) == _answer_of_sqlite(connection, sql), sql
