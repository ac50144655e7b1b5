"""Small parts of the statements that write: generated names, text surgery, and how rows lie in registers."""

from __future__ import annotations

import pytest

from minisql.catalog.build import build_table
from minisql.catalog.rename import (
    StoredText,
    apply_edits,
    child_column_edits,
    column_extents,
    column_list_end,
    parent_column_edits,
    reference_edits,
)
from minisql.catalog.schema import Table
from minisql.engine.session import Session
from minisql.parser import ast, parse_one
from minisql.planner.identifiers import identifier_text, quoted_identifier
from minisql.planner.layout import TableLayout, table_layout
from minisql.planner.references import has_subquery, referenced_names
from minisql.values import affinity
from minisql.values.collation import BINARY


def table_of(sql: str) -> Table:
    """The table that a CREATE TABLE makes."""
    parsed, _ = parse_one(sql)
    assert parsed is not None and isinstance(parsed.statement, ast.CreateTable)
    return build_table(parsed.statement, 0, "main", lambda name: BINARY, 2, sql)


def text_of(sql: str) -> StoredText:
    """A stored text with its tokens."""
    parsed, _ = parse_one(sql)
    assert parsed is not None
    return StoredText(sql, parsed)


@pytest.mark.parametrize(
    ("name", "written"),
    [("a", "a"), ("_x9", "_x9"), ("select", '"select"'), ("a b", '"a b"'), ('q"q', '"q""q"'), ("9a", '"9a"'), ("", '""')],
)
def test_generated_names_are_quoted_only_when_they_must_be(name: str, written: str) -> None:
    assert identifier_text(name) == written


def test_a_quote_inside_a_name_is_doubled() -> None:
    assert quoted_identifier('a"b') == '"a""b"'


def test_a_new_column_goes_before_the_table_constraints() -> None:
    sql = "CREATE TABLE t(a, b /* ,) */ , CHECK(a > 0))"
    assert sql[: column_list_end(text_of(sql), 2)] == "CREATE TABLE t(a, b /* ,) */ "


def test_a_new_column_goes_before_the_closing_parenthesis() -> None:
    sql = "CREATE TABLE t(a DEFAULT (1), b ) WITHOUT ROWID"
    assert sql[column_list_end(text_of(sql), 2) :] == ") WITHOUT ROWID"


def test_column_extents_count_nested_commas_as_inside() -> None:
    text = text_of("CREATE TABLE t(a CHECK(a IN (1, 2)), b)")
    assert [text.words[first] for first, _ in column_extents(text)] == ["a", "b"]


def test_edits_apply_from_the_end_and_once() -> None:
    assert apply_edits("abcdef", [(0, 1, "X"), (4, 5, "YY"), (0, 1, "X")]) == "XbcdYYf"


def test_references_keep_everything_else() -> None:
    sql = 'CREATE TABLE c(x REFERENCES p, y REFERENCES "P"(a), FOREIGN KEY(x) REFERENCES q)'
    assert apply_edits(sql, reference_edits(text_of(sql), "p", '"n"')) == (
        'CREATE TABLE c(x REFERENCES "n", y REFERENCES "n"(a), FOREIGN KEY(x) REFERENCES q)'
    )


def test_parent_and_child_columns_are_told_apart() -> None:
    text = text_of("CREATE TABLE c(a, FOREIGN KEY(a, b) REFERENCES p(a, c))")
    assert apply_edits(text.sql, child_column_edits(text, "a", "z")) == (
        "CREATE TABLE c(a, FOREIGN KEY(z, b) REFERENCES p(a, c))"
    )
    assert apply_edits(text.sql, parent_column_edits(text, "p", "a", "z")) == (
        "CREATE TABLE c(a, FOREIGN KEY(a, b) REFERENCES p(z, c))"
    )


def test_stored_columns_come_before_virtual_ones() -> None:
    layout = TableLayout(table_of("CREATE TABLE t(v AS (a), a INT, s AS (v) STORED)"))
    assert (layout.n_stored, layout.n_block, layout.offsets) == (2, 3, (2, 0, 1))
    assert layout.generated == (0, 2)
    assert layout.affinities == (affinity.INTEGER, affinity.BLOB)


def test_a_table_without_rowid_begins_with_its_key() -> None:
    layout = TableLayout(table_of("CREATE TABLE t(a, b, c, PRIMARY KEY(c, a)) WITHOUT ROWID"))
    assert layout.offsets == (1, 2, 0)
    assert layout.rowid_offset == -1
    assert layout.affinities is None


def test_defaults_are_divided_into_constants_and_others() -> None:
    layout = TableLayout(table_of("CREATE TABLE t(a DEFAULT 5, b TEXT DEFAULT 7, c DEFAULT (1 + 1), d)"))
    assert layout.constant_defaults == {0: 5, 1: "7"}
    assert layout.computed_defaults == {2}


def test_the_layout_is_made_anew_when_an_index_comes() -> None:
    session = Session(":memory:")
    session.execute("CREATE TABLE t(a, b)")
    table = session.catalog.find_table("t")
    assert table is not None
    before = table_layout(table)
    assert table_layout(table) is before
    session.execute("CREATE INDEX i ON t(b)")
    table = session.catalog.find_table("t")
    assert table is not None
    assert [index.name for index in table_layout(table).indexes] == ["i"]
    session.close()


def test_names_and_subqueries_are_found_at_any_depth() -> None:
    parsed, _ = parse_one("SELECT a + (b * -c) FROM t WHERE x IN (SELECT 1)")
    assert parsed is not None and isinstance(parsed.statement, ast.Select)
    core = parsed.statement.cores[0]
    assert isinstance(core, ast.Core)
    assert referenced_names(core.columns) == {"a", "b", "c"}
    assert has_subquery(core.where) and not has_subquery(core.columns)
