"""Statements that are found by their shape give the rows, names, errors and changes that they give when compiled."""

from __future__ import annotations

import contextlib
import random

import apsw
import pytest

import minisql
from minisql.bytecode.literal_slots import SlottedProgram
from minisql.engine import shapes

_SCHEMA = (
    "CREATE TABLE t(id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, n NUMERIC, b, c TEXT COLLATE NOCASE)",
    "CREATE INDEX t_i ON t(i, r)",
    "CREATE INDEX t_s ON t(s)",
    "CREATE INDEX t_r ON t(r)",
    "CREATE INDEX t_c ON t(c)",
    "CREATE TABLE u(i INTEGER, s TEXT, PRIMARY KEY(i, s)) WITHOUT ROWID",
    "CREATE TABLE p(i INTEGER, e TEXT, CHECK (i <> 13))",
    "CREATE INDEX p_part ON p(i) WHERE i > 20",
    "CREATE INDEX p_expression ON p(i + 1)",
    "CREATE VIEW v AS SELECT i, 7 AS seven FROM t UNION ALL SELECT i, i FROM u",
    "CREATE TABLE log(i, e)",
    "CREATE TRIGGER p_insert AFTER INSERT ON p BEGIN INSERT INTO log VALUES(new.i, 25); END",
    *(f"INSERT INTO t(i, r, s, n, b, c) VALUES({k * 7 % 50}, {k}.25, 'w{k % 30}', {k}, 'w{k}', 'W{k % 9}')" for k in range(60)),
    *(f"INSERT INTO u VALUES({k % 50}, 'w{k}')" for k in range(40)),
)
_QUERIES = (
    "SELECT id FROM t WHERE i = I",
    "SELECT i, r AS x, i + 2 FROM t WHERE i > I AND r <= R OR s = T ORDER BY 2 DESC, 1",
    "SELECT * FROM t WHERE i IN (I, I, I) ORDER BY id LIMIT I",
    "SELECT id FROM t WHERE i IN (I, 1, - I, R)",
    "SELECT id FROM t WHERE r IN (I, R, I)",
    "SELECT id FROM t WHERE id IN (I, I, 0)",
    "SELECT id FROM t WHERE s IN (T, T) AND NOT (n BETWEEN I AND R)",
    "SELECT id FROM t WHERE s IN (I, T)",
    "SELECT id FROM t WHERE s > I",
    "SELECT id FROM t WHERE n = X OR n > X",
    "SELECT id FROM t WHERE c = T AND b <> T",
    "SELECT id FROM t WHERE c IN (T, T)",
    "SELECT id FROM t WHERE id > R",
    "SELECT id FROM t WHERE id <= I AND id > - I",
    "SELECT id FROM t WHERE I < i AND R >= r",
    "SELECT count(*), max(i) FROM t WHERE i BETWEEN I AND I",
    "SELECT i % 3, count(*) FROM t WHERE r > R GROUP BY i % 3 HAVING count(*) > 2",
    "SELECT i > I FROM t WHERE i > I GROUP BY i > I",
    "SELECT I, T, id FROM t WHERE id < I",
    "SELECT a.id FROM t AS a, t AS b WHERE a.i = b.i AND b.id < I AND a.r > R",
    "SELECT a.id FROM t AS a LEFT JOIN u ON u.i = a.i AND u.s = T WHERE a.id < I",
    "SELECT id FROM t WHERE i IN (SELECT i FROM u WHERE i > I) AND r < R",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i = t.i AND u.s > T)",
    "SELECT (SELECT s FROM u WHERE i = I) FROM t WHERE id = I",
    "SELECT id FROM t WHERE i = I UNION SELECT i FROM u WHERE s = T",
    "SELECT i FROM p WHERE i > I",
    "SELECT i FROM p WHERE i + 1 > I",
    "SELECT i, seven FROM v WHERE seven > I",
    "SELECT i FROM (SELECT i, 9 AS k FROM t) WHERE k < I",
    "SELECT id FROM t WHERE s LIKE 'wI%'",
    "SELECT id FROM t WHERE 5 < I AND true = I",
    "SELECT id FROM t WHERE i = I AND i = I",
    "SELECT id FROM t WHERE (i, r) = (I, R)",
    "SELECT id FROM t WHERE missing = I",
    "SELECT id FROM t WHERE i = I /* I */",
    'SELECT "I" FROM t WHERE i = I',
    "SELECT id FROM t WHERE CASE WHEN i > I THEN R ELSE T END",
    "WITH w AS (SELECT i FROM t WHERE i > I) SELECT * FROM w WHERE i < I",
    "SELECT id FROM t WHERE i = I + I * I",
    "SELECT id FROM t WHERE id = I - I / I OR r > I * R - I",
    "SELECT id FROM t WHERE s > I + I AND n <> - I * - ( R + I )",
    "SELECT id FROM t WHERE i BETWEEN I - I AND I + I",
    "SELECT id FROM t WHERE I % I = i OR i > R % I",
    "SELECT id FROM t WHERE i = I + T",
    "SELECT i + I FROM t WHERE i + I = I + I",
    "SELECT id FROM t WHERE i IN (I + I, I)",
    "SELECT id, abs(i - I) FROM t WHERE i > I AND length(s) < I",
    "SELECT a.s, upper(b.s) FROM t AS a JOIN u AS b ON b.i = a.i WHERE a.id = I + 0 * I AND b.s > T ORDER BY b.s LIMIT 3",
    "SELECT id FROM t WHERE s IN (T, T, T) AND r < R",
    "SELECT id FROM t WHERE s IN (I, I) OR s IN (T, I)",
    "SELECT i, max(length(s)) FROM t WHERE id <> I AND s IN (T, T) GROUP BY i HAVING count(*) > 0 ORDER BY 2 DESC, 1",
)
_CHANGES = (
    "INSERT INTO t(i, r, s, n, b, c) VALUES(I, R, T, I, R, T)",
    "INSERT INTO t(i, r, s, n, b, c) VALUES(- I, I, I, X, X, R)",
    "INSERT INTO t(i, r, s) VALUES(R, - I, R)",
    "INSERT INTO t VALUES(I, I, R, T, I, T, T)",
    "INSERT INTO t(id, s) VALUES(R, T)",
    "INSERT OR REPLACE INTO u VALUES(I, T)",
    "INSERT INTO u VALUES(I, T), (I, T)",
    "INSERT INTO p VALUES(I, T)",
    "INSERT INTO u VALUES(I, T) ON CONFLICT DO UPDATE SET s = T",
    "INSERT INTO u VALUES(I, T) RETURNING i + 5, s",
    "UPDATE t SET i = I, r = I, s = R, n = R WHERE id = I",
    "UPDATE t SET n = X, b = - R WHERE i BETWEEN I AND I",
    "UPDATE t SET i = i + I, r = (r * R - I) / I WHERE n = X",
    "UPDATE t SET n = i % I + s, r = R * I + r WHERE i < I",
    "UPDATE OR IGNORE u SET i = I WHERE s = T",
    "DELETE FROM t WHERE i = I AND r > R",
    "DELETE FROM u WHERE s IN (T, T)",
    "DELETE FROM t WHERE id = I RETURNING id, s, 5",
    "UPDATE t SET r = abs(r) + I WHERE i = I + I OR s IN (T, T)",
    "DELETE FROM t WHERE r > I + R AND id < I * 2",
)
_N_TEXTS = 12


def _written(dice: random.Random, template: str) -> str:
    """A template with values in place of the capital letters that stand alone: integer, real, text, text of a number."""
    values = {
        "I": lambda: str(dice.choice((0, 1, 2, *range(3, 60), 12345678901234567890, 4611686018427387904))),
        "R": lambda: dice.choice((f"{dice.randrange(60)}.{dice.choice((0, 25, 5))}", "1.0", "2.", ".5", "1e1")),
        "T": lambda: f"'{dice.choice(('w', 'W', 'it''s ', ''))}{dice.randrange(60)}'",
        "X": lambda: f"'{dice.choice(('', ' ', '-'))}{dice.randrange(60)}{dice.choice(('', '.0', '.5'))}'",
    }
    words = template.replace("(", "( ").replace(")", " )").replace(",", " ,").split(" ")
    return " ".join([values[word]() if word in values else word for word in words])


def _answer(connection: minisql.Connection, sql: str) -> object:
    try:
        cursor = connection.execute(sql)
        return cursor.fetchall(), cursor.description, cursor.rowcount, cursor.lastrowid
    except minisql.Error as error:
        return str(error)


def _contents(connection: object) -> list[list[object]]:
    execute = connection.execute  # type: ignore[attr-defined]
    return [list(execute(f"SELECT * FROM {name} ORDER BY 1, 2")) for name in ("t", "u", "p", "log")]


@pytest.mark.parametrize("tier", ["auto", "2"])
@pytest.mark.parametrize("seed", range(2))
def test_statements_by_shape_are_those_that_are_compiled(seed: int, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(seed)
    connections = [minisql.connect(":memory:", isolation_level=None) for _ in range(2)]
    reference = apsw.Connection(":memory:")
    for sql in _SCHEMA:
        reference.execute(sql)
        for connection in connections:
            connection.execute(sql)
    for connection, switch in zip(connections, ("on", "off")):
        connection.execute(f"PRAGMA minisql_tier = {tier}")
        connection.execute(f"PRAGMA minisql_shapes = {switch}")
    # Shapes are looked for however seldom they come again.
    monkeypatch.setattr(shapes, "_CREDIT", 1 << 80)
    filled = []
    fill = SlottedProgram.fill
    monkeypatch.setattr(SlottedProgram, "fill", lambda self, values: filled.append(values) or fill(self, values))
    for template in (*_QUERIES, *_CHANGES):
        for _ in range(_N_TEXTS):
            sql = _written(dice, template)
            assert _answer(connections[0], sql) == _answer(connections[1], sql), sql
            if template in _CHANGES:
                with contextlib.suppress(apsw.Error):
                    reference.execute(sql).fetchall()
    assert _contents(connections[0]) == _contents(connections[1]) == [[*map(tuple, rows)] for rows in _contents(reference)]
    assert len(filled) > _N_TEXTS * len(_QUERIES) // 8


def _filled(connection: minisql.Connection, template: str, values: tuple[object, ...]) -> list[object]:
    return [connection.execute(template.format(value)).fetchall() for value in values]


def test_a_shape_is_compiled_again_after_the_schema_changed() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a(x, y)")
    connection.execute("INSERT INTO a VALUES(5, 6)")
    assert _filled(connection, "SELECT * FROM a WHERE x = {}", (5, 6, 5, 7)) == [[(5, 6)], [], [(5, 6)], []]
    connection.execute("ALTER TABLE a ADD COLUMN z DEFAULT 3")
    assert _filled(connection, "SELECT * FROM a WHERE x = {}", (5, 6, 5, 7)) == [[(5, 6, 3)], [], [(5, 6, 3)], []]
    connection.execute("DROP TABLE a")
    connection.execute("CREATE VIEW a AS SELECT 5 AS x")
    assert _filled(connection, "SELECT * FROM a WHERE x = {}", (5, 6, 5, 7)) == [[(5,)], [], [(5,)], []]


def test_the_text_of_a_statement_is_its_own() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a(x)")
    texts: list[str] = []
    connection.set_trace_callback(texts.append)
    _filled(connection, "SELECT x FROM a WHERE x = {}", (5, 6, 7))
    assert texts == [f"SELECT x FROM a WHERE x = {value}" for value in (5, 6, 7)]


def test_marks_of_shapes_in_a_text_are_illegal_as_ever() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a(x, y)")
    _filled(connection, "SELECT x FROM a WHERE x = {} AND y = 5", (5, 6, 7))
    for text in ("SELECT x FROM a WHERE x = \x01 AND y = 5", "SELECT x FROM a WHERE x = 5 AND y = \x01"):
        with pytest.raises(minisql.OperationalError, match="unrecognized token"):
            connection.execute(text)


def test_an_authorizer_hears_of_every_statement() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a(x)")
    _filled(connection, "SELECT x FROM a WHERE x = {}", (5, 6, 7))
    asked: list[int] = []
    connection.set_authorizer(lambda action, *_: asked.append(action) or 0)
    _filled(connection, "SELECT x FROM a WHERE x = {}", (8, 9))
    assert asked.count(21) == 2


def test_values_computed_from_literals_may_change_their_class() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a(x INTEGER PRIMARY KEY, s TEXT)")
    connection.execute("INSERT INTO a VALUES(9, '9'), (10, '1e3'), (9000000000000000000, '9e18')")
    large = 100_000_000_000_000
    found = [(9000000000000000000,)]
    assert _filled(connection, "SELECT x FROM a WHERE x = {} * 90000", (2, 3, large, 4, large)) == [[], [], found, [], found]
    assert _filled(connection, "SELECT x FROM a WHERE x < {} * 900000", (2, 3, 4, large)) == [
        [(9,), (10,)],
        [(9,), (10,)],
        [(9,), (10,)],
        [(9,), (10,), *found],
    ]
    assert _filled(connection, "SELECT x FROM a WHERE s = 27 / {}", (3, 2, 3, 4, 0, 3)) == [[(9,)], [], [(9,)], [], [], [(9,)]]
    assert _filled(connection, "SELECT x FROM a WHERE x > 9 - {}", (2, 8, 9, 10, 7)) == [[(9,), (10,), *found]] * 5
