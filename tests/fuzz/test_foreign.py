"""A part of the statements of sqlglot's other dialects; `python -m tests.fuzz.foreign` fetches them, and runs them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.foreign import archive, brought_over, run, script_of


@pytest.mark.skipif(
    not archive().exists(), reason="python -m tests.fuzz.foreign has not fetched sqlglot's sources from the index"
)
def test_statements_of_other_dialects(tmp_path: Path) -> None:
    counts, reports = run(400, tmp_path)
    assert reports == [] and counts["statements"] > 200


def test_a_statement_gets_the_tables_that_it_names() -> None:
    (sql,) = brought_over("mysql", "SELECT a.x, IFNULL(b.`y`, 1) FROM t1 AS a STRAIGHT_JOIN t2 b ON a.k = b.k LIMIT 3")
    script = script_of(sql)
    assert [line for line in script if line.startswith("create")] == [
        'create table "t1"("x", "k")', 'create table "t2"("y", "k")',
    ]  # fmt: skip
    assert script[-1] == sql and len(script) == 11
