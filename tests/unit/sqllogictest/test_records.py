"""The file format: what the parser makes of headers, conditions, comments, blank lines and odd endings."""

import pytest

from sqllogictest.records import Condition, Record, decode_text, format_records, is_skipped, parse_records


def only(text: str) -> Record:
    (record,) = parse_records(text)
    return record


def test_query_header_gives_types_sort_mode_and_label() -> None:
    record = only("query IT rowsort label-7\nSELECT 1, 'a'\n----\n1\na\n")
    assert record == Record(1, "query", "SELECT 1, 'a'", "IT", "rowsort", "label-7", "1\na", ())


def test_sort_mode_is_nosort_when_left_out() -> None:
    assert only("query I\nSELECT 1\n----\n1\n").sort == "nosort"


def test_query_without_result_lines_expects_no_values() -> None:
    assert only("query I nosort\nSELECT 1 WHERE 0\n----\n").expected == ""
    assert only("query I nosort\nSELECT 1 WHERE 0\n----").expected == ""


def test_query_without_separator_has_no_expected_result() -> None:
    assert only("query I nosort\nSELECT 1\n").expected is None


def test_windows_line_ends_are_read_as_plain_ones() -> None:
    text = decode_text(b"statement ok\r\nCREATE TABLE t(a)\r\n\r\nquery I nosort\r\nSELECT 1\r\n----\r\n1\r\n")
    assert [record.sql for record in parse_records(text)] == ["CREATE TABLE t(a)", "SELECT 1"]
    assert parse_records(text)[1].expected == "1"


def test_sql_may_span_lines_and_line_numbers_count_headers() -> None:
    records = parse_records("\n\n# comment\nstatement ok\nSELECT\n  1\n\n\n\nquery I nosort\nSELECT 2\n----\n2\n")
    assert [(record.line, record.sql) for record in records] == [(4, "SELECT\n  1"), (10, "SELECT 2")]


def test_line_of_blanks_separates_records() -> None:
    records = parse_records("statement ok\nSELECT 1\n \t\nstatement ok\nSELECT 2\n")
    assert [record.sql for record in records] == ["SELECT 1", "SELECT 2"]


def test_conditions_belong_to_the_next_record_even_across_comments() -> None:
    text = "onlyif mysql # aggregate syntax: \n\n# why\nskipif postgresql\nquery I rowsort\nSELECT 1\n----\n1\n"
    assert only(text).conditions == (Condition(True, "mysql", "aggregate syntax:"), Condition(False, "postgresql"))


def test_conditions_do_not_leak_to_the_record_after() -> None:
    records = parse_records("skipif sqlite\nstatement ok\nSELECT 1\n\nstatement ok\nSELECT 2\n")
    assert [len(record.conditions) for record in records] == [1, 0]


def test_halt_and_hash_threshold_are_records() -> None:
    records = parse_records("hash-threshold 8\n\nonlyif mssql\nhalt\n")
    assert [(record.kind, record.expected, len(record.conditions)) for record in records] == [
        ("hash-threshold", "8", 0),
        ("halt", None, 1),
    ]


def test_halt_may_follow_other_lines_without_a_blank_line() -> None:
    assert [record.kind for record in parse_records("hash-threshold 3\nhalt\n")] == ["hash-threshold", "halt"]


@pytest.mark.parametrize(
    "header", ["quary I nosort", "query X nosort", "query I backwards", "statement maybe", "hash-threshold x"]
)
def test_header_that_means_nothing_is_an_unknown_record(header: str) -> None:
    record = only(header + "\nSELECT 1\n")
    assert (record.kind, record.sql) == ("unknown", header)


def test_statement_count_keeps_its_number() -> None:
    record = only("statement count 3\nDELETE FROM t\n")
    assert (record.types, record.expected) == ("count", "3")


def test_statement_error_may_have_a_message() -> None:
    record = only("statement error\nSELECT x\n----\nno such column: x\n")
    assert (record.sql, record.types, record.expected) == ("SELECT x", "error", "no such column: x")


def test_dashes_within_sql_are_no_separator() -> None:
    record = only("query I nosort\nSELECT 1 ---- not yet\n---- nor this\n----\n1\n")
    assert (record.sql, record.expected) == ("SELECT 1 ---- not yet\n---- nor this", "1")


def test_header_comment_is_ignored() -> None:
    assert only("query I rowsort # why\nSELECT 1\n----\n1\n").sort == "rowsort"


@pytest.mark.parametrize(
    ("is_only", "engine", "skipped"),
    [(True, "sqlite", False), (True, "SQLite", False), (True, "mysql", True), (False, "sqlite", True), (False, "mysql", False)],
)
def test_conditions_name_the_engine_they_mean(is_only: bool, engine: str, skipped: bool) -> None:
    assert is_skipped((Condition(is_only, engine),), "sqlite") is skipped


def test_formatting_keeps_the_meaning_and_is_stable() -> None:
    text = (
        "# head\n\n\n# about the table\nstatement   ok\nCREATE TABLE t(a)  \n\n"
        "skipif   mysql # no\nquery  I  rowsort  L1\nSELECT 1\n----\n1\n\n\nhash-threshold 8\nhalt\n# tail"
    )
    formatted = format_records(parse_records(text, keep_comments=True))
    assert formatted == (
        "# head\n\n# about the table\nstatement ok\nCREATE TABLE t(a)\n\n"
        "skipif mysql # no\nquery I rowsort L1\nSELECT 1\n----\n1\n\nhash-threshold 8\n\nhalt\n\n# tail\n"
    )
    assert format_records(parse_records(formatted, keep_comments=True)) == formatted
