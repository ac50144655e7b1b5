"""What users add to FTS5 and R-Trees: tokenizers with synonyms, auxiliary functions, regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import minisql
from minisql.vtab.fts5.auxiliary import RowContext
from minisql.vtab.rtree.geometry import FULLY_WITHIN, NOT_WITHIN, QueryInfo


class Ordinals:
    """Splits at blanks; "1st" and "first" are the same in documents."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments

    def tokenize(self, text: str, reason: int) -> Iterator[tuple[Any, ...]]:
        place = 0
        for word in text.split(" "):
            yield word.lower(), place, place + len(word)
            if word == "first" and reason == 4:
                yield "1st", place, place + len(word), True
            place += len(word) + 1


@pytest.fixture
def connection() -> Iterator[minisql.Connection]:
    made = minisql.connect(":memory:", isolation_level=None)
    yield made
    made.close()


def test_a_tokenizer_with_synonyms(connection: minisql.Connection) -> None:
    connection.create_fts5_tokenizer("ordinals", Ordinals)
    connection.execute("create virtual table t using fts5(a, tokenize='ordinals one two')")
    connection.execute("insert into t values('I won first place'), ('the 1st place'), ('a place')")
    found = connection.execute("select rowid, highlight(t, 0, '[', ']') from t('\"1st place\"')").fetchall()
    assert found == [(1, "I won [first place]"), (2, "the [1st place]")]
    connection.execute("insert into t(t) values('integrity-check')")
    with pytest.raises(minisql.OperationalError, match="no such tokenizer: other"):
        connection.execute("create virtual table u using fts5(a, tokenize=other)")


def test_an_auxiliary_function_asks_about_the_row(connection: minisql.Connection) -> None:
    def about(context: RowContext, extra: str) -> str:
        return f"{context.rowid} {context.column_size()} {context.phrase_count} {len(context.instances)} {extra}"

    connection.create_fts5_function("about", about)
    connection.execute("create virtual table t using fts5(a, b)")
    connection.execute("insert into t values('one two one', 'one'), ('two', 'three')")
    assert connection.execute("select about(t, 'x') from t('one OR two')").fetchall() == [("1 4 2 4 x",), ("2 2 2 1 x",)]
    assert connection.execute("select rowid from t('two') where rank match 'about(''r'')' order by rank").fetchall() == [
        (1,), (2,)
    ]  # fmt: skip
    with pytest.raises(minisql.OperationalError, match="unable to use function about in the requested context"):
        connection.execute("select about('t', 'x')")


def test_a_region_finds_the_boxes_that_meet_it(connection: minisql.Connection) -> None:
    connection.execute("create virtual table r using rtree(id, x0, x1, y0, y1)")
    connection.executemany("insert into r values(?, ?, ?, ?, ?)", [(i, i, i + 1, i, i + 1) for i in range(500)])

    def circle(box: tuple[float, ...], parameters: tuple[float, ...]) -> bool:
        x, y, radius = parameters
        nearest = max(box[0], min(x, box[1])), max(box[2], min(y, box[3]))
        return (nearest[0] - x) ** 2 + (nearest[1] - y) ** 2 <= radius**2

    connection.create_rtree_geometry("circle", circle)
    found = connection.execute("select id from r where id match circle(100, 100, 3) order by id").fetchall()
    assert found == [(i,) for i in range(97, 103)]
    assert connection.execute("select count(*) from r where id match circle(100, 100, 3) and x0 > 99").fetchall() == [(3,)]

    def nearest_first(info: QueryInfo) -> None:
        x = info.parameters[0]
        box = info.coordinates
        distance = abs(max(box[0], min(x, box[1])) - x)
        info.within = FULLY_WITHIN if distance < 5 else NOT_WITHIN
        info.score = distance

    connection.create_rtree_geometry("near", nearest_first, is_query=True)
    rows = [row[0] for row in connection.execute("select id from r where id match near(200.5) limit 3")]
    assert rows[0] == 200 and set(rows[1:]) == {199, 201}


def test_integrity_check_looks_into_modules(connection: minisql.Connection) -> None:
    connection.execute("create virtual table t using fts5(a)")
    connection.execute("create virtual table r using rtree(id, x0, x1)")
    connection.execute("insert into t values('one two')")
    connection.execute("insert into r values(1, 2, 3)")
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.execute("update t_content set c0='other'")
    connection.execute("delete from r_rowid")
    assert connection.execute("pragma integrity_check").fetchall() == [
        ("malformed inverted index for FTS5 table main.t",),
        (
            "In RTree main.r:\nMapping (1 -> 1) missing from %_rowid table\n"
            "Wrong number of entries in %_rowid table - expected 1, actual 0",
        ),
    ]
