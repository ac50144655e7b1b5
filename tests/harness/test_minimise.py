"""The minimiser: dependencies, delta debugging, smaller queries; and what it promises about the result."""

import pytest

from agent_harness.contract.minimise import Answer, Minimiser, ddmin, dependencies, differs, smaller_statements
from tests.harness.scratch import Scratch

SCRIPT = [
    "CREATE TABLE other(x)",
    "CREATE TABLE t(a INTEGER, b TEXT)",
    "CREATE VIEW v AS SELECT a FROM t",
    "INSERT INTO other VALUES (1)",
    "INSERT INTO t VALUES (1,'x'),(-5,'y;(z)'),(3,'it''s'),(NULL,NULL)",
    "CREATE TRIGGER log AFTER INSERT ON t BEGIN INSERT INTO other VALUES (new.a); END",
    "SELECT abs(a), a + 1, (SELECT count(*) FROM t) FROM v WHERE a < 100 AND a IS NOT NULL ORDER BY a LIMIT 10",
]


def test_dependencies_follow_views_and_triggers() -> None:
    assert dependencies(SCRIPT)[:-1] == SCRIPT[:-1]
    without_trigger = [sql for sql in SCRIPT if "TRIGGER" not in sql]
    assert [sql for sql in dependencies(without_trigger) if "other" in sql] == []
    assert dependencies(["SELECT 1"]) == ["SELECT 1"]


def test_ddmin_keeps_what_is_needed_in_order() -> None:
    items = [str(n) for n in range(40)]
    needed = {"3", "17", "31"}
    assert ddmin(items, lambda part: needed <= set(part), lambda: False) == ["3", "17", "31"]
    assert ddmin(items, lambda part: True, lambda: False) == []
    assert ddmin(items, lambda part: needed <= set(part), lambda: True) == items


def test_smaller_statements_are_smaller_and_never_the_same() -> None:
    sql = "SELECT DISTINCT a, b FROM t JOIN u ON t.a = u.a WHERE a > 1 AND b < 2 GROUP BY a ORDER BY a LIMIT 3"
    smaller = smaller_statements(sql)
    assert sql not in smaller
    assert any("WHERE" not in each for each in smaller)
    assert any("LIMIT" not in each for each in smaller)
    assert smaller_statements("not SQL at all (") == []


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (Answer([(1,)]), Answer([(1,)]), ""),
        (Answer([(1,)]), Answer([(1.0,)]), "rows"),
        (Answer([(1,), (2,)]), Answer([(2,), (1,)]), ""),
        (Answer([(1,)]), Answer(None, "no such column", "error"), "error"),
        (Answer(None, "no such column", "error"), Answer([(1,)]), "no error"),
        (Answer(None, "one text", "error"), Answer(None, "another text", "error"), ""),
        (Answer([(1,)]), Answer(None, "died", "crash"), "crash"),
    ],
)
def test_answers_differ_in_kind(expected: Answer, actual: Answer, kind: str) -> None:
    assert differs(expected, actual, is_ordered=False) == kind


def test_failing_script_becomes_small_and_still_fails(scratch: Scratch) -> None:
    engine = scratch.contract.engine(scratch.root)
    minimiser = Minimiser(engine)
    small, expected, actual = minimiser.minimise(SCRIPT)
    engine.close()
    assert minimiser.has_failed_alone
    assert len(small) <= 4 and len("".join(small)) < 120
    assert "abs(a)" in small[-1].lower() and "ORDER" not in small[-1]
    assert expected.rows == [(5,)]
    assert actual.rows == [(-5,)]


def test_script_that_does_not_fail_alone_is_left_as_it_is(scratch: Scratch) -> None:
    engine = scratch.contract.engine(scratch.root)
    minimiser = Minimiser(engine)
    script = ["CREATE TABLE t(a)", "SELECT count(*) FROM t"]
    small, expected, actual = minimiser.minimise(script)
    engine.close()
    assert not minimiser.has_failed_alone
    assert small == script
    assert expected.rows == actual.rows == [(0,)]


def test_another_error_is_not_taken_for_the_same(scratch: Scratch) -> None:
    engine = scratch.contract.engine(scratch.root)
    minimiser = Minimiser(engine)
    script = [
        "CREATE TABLE t(a)",
        "INSERT INTO t VALUES (-1)",
        "SELECT json_extract('[1]', '$[' || (abs(a) + 1) || ']') FROM t",
    ]
    small, expected, actual = minimiser.minimise(script)
    engine.close()
    assert differs(expected, actual, False) or not minimiser.has_failed_alone
    assert small[-1].startswith("SELECT")
