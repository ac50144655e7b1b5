"""One file on one engine: what passes, what fails and why."""

import hashlib
import signal
import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest

from sqllogictest import FileResult, RunOptions, make_engine, run_text
from sqllogictest.engines import EngineError


def run(text: str, **options: Any) -> FileResult:
    return run_text(text, make_engine("sqlite3"), RunOptions("sqlite3", **options), "case.test")


def reasons(text: str, **options: Any) -> list[str]:
    return [failure.reason for failure in run(text, **options).failures]


def counts(result: FileResult) -> tuple[int, int, int]:
    return result.n_passed, result.n_failed, result.n_skipped


def test_passing_records_of_every_kind() -> None:
    text = """
statement ok
CREATE TABLE t(a INTEGER, b TEXT)

statement count 3
INSERT INTO t VALUES(3,'c'),(1,'a'),(2,NULL)

statement error
INSERT INTO nosuch VALUES(1)

query IT rowsort
SELECT a, b FROM t
----
1
a
2
NULL
3
c

query I valuesort same
SELECT a FROM t
----
1
2
3
"""
    assert counts(run(text)) == (5, 0, 0)


def test_wrong_value_is_reported_with_both_sides_and_its_line() -> None:
    result = run("query I nosort\nSELECT 2\n----\n1\n")
    (failure,) = result.failures
    assert (failure.file, failure.line, failure.sql) == ("case.test", 1, "SELECT 2")
    assert (failure.expected, failure.actual, failure.reason) == (["1"], ["2"], "wrong result")


@pytest.mark.parametrize("shown", ["", "1\n2", "2\n1"])
def test_missing_extra_and_swapped_values_fail(shown: str) -> None:
    assert reasons(f"query I nosort\nSELECT 1\n----\n{shown}\n") == ["wrong result"]


def test_hash_is_compared_by_count_and_digest() -> None:
    passing = "query I nosort\nVALUES(1),(2),(3)\n----\n3 values hashing to "
    digest = hashlib.md5(b"1\n2\n3\n").hexdigest()
    good = run(passing + digest + "\n")
    assert reasons(passing.replace("3 values", "4 values") + digest + "\n") != []
    assert reasons(passing + "0" * 32 + "\n") != []
    assert counts(good) == (1, 0, 0)


def test_number_of_columns_has_to_fit_the_types_even_without_rows() -> None:
    assert reasons("query I nosort\nSELECT 1, 2\n----\n1\n2\n") == ["expected 1 column, got 2"]
    assert reasons("query I nosort\nSELECT 1, 2 WHERE 0\n----\n") == ["expected 1 columns, got 2"]


def test_skipped_records_do_not_run() -> None:
    text = "onlyif mysql\nstatement ok\nnonsense\n\nskipif sqlite\nquery I nosort\nSELECT 1\n----\n2\n\nonlyif sqlite\nstatement ok\nSELECT 1\n"
    assert counts(run(text)) == (1, 0, 2)


def test_engine_name_decides_what_is_skipped() -> None:
    text = "onlyif mysql\nstatement ok\nSELECT 1\n"
    assert counts(run_text(text, make_engine("sqlite3", "mysql"), RunOptions("sqlite3"))) == (1, 0, 0)


def test_halt_ends_the_file_only_where_it_applies() -> None:
    assert counts(run("onlyif mysql\nhalt\n\nstatement ok\nSELECT 1\n")) == (1, 0, 0)
    assert counts(run("statement ok\nSELECT 1\n\nhalt\n\nstatement ok\nnonsense\n")) == (1, 0, 0)


def test_label_stands_for_one_result_also_across_skipped_records() -> None:
    first = "query I nosort L\nSELECT 1\n----\n1\n\n"
    skipped = "onlyif mysql\nquery I nosort L\nSELECT 5\n----\n5\n\n"
    assert counts(run(first + skipped + first)) == (2, 0, 1)
    assert reasons(first + skipped + "query I nosort L\nSELECT 2\n----\n2\n") == [
        "another result than the first query with label L"
    ]


def test_label_agrees_between_a_list_and_its_hash() -> None:
    hashed = "query I rowsort L\nVALUES(1),(2)\n----\n2 values hashing to 6ddb4095eb719e2a9f0a3f95677d24e0\n\n"
    hashed = hashed.replace("6ddb4095eb719e2a9f0a3f95677d24e0", hashlib.md5(b"1\n2\n").hexdigest())
    assert counts(run(hashed + "query I rowsort L\nVALUES(2),(1)\n----\n1\n2\n")) == (2, 0, 0)


def test_statement_that_should_fail_and_does_not() -> None:
    assert reasons("statement error\nSELECT 1\n") == ["an error was expected, the statement succeeded"]


def test_expected_message_is_compared() -> None:
    assert reasons("statement error\nSELECT x\n----\nno such column: x\n") == []
    assert reasons("statement error\nSELECT x\n----\nno such column: y\n") == ["wrong message"]


def test_statement_count_is_compared() -> None:
    create = "statement ok\nCREATE TABLE t(a)\n\n"
    assert reasons(create + "statement count 2\nINSERT INTO t VALUES(1)\n") == ["wrong count"]


def test_statement_record_runs_all_statements_and_query_record_the_first() -> None:
    text = "statement ok\nCREATE TABLE t(a); INSERT INTO t VALUES(1); INSERT INTO t VALUES(2);\n\n"
    assert counts(run(text + "query I nosort\nSELECT count(*) FROM t; SELECT 99\n----\n2\n")) == (2, 0, 0)


def test_query_that_fails_while_stepping_counts_with_the_rows_before() -> None:
    apsw = pytest.importorskip("apsw")
    assert apsw
    query = "query I nosort\nSELECT abs(column1) FROM (VALUES(1),(-9223372036854775808))\n----\n"
    assert counts(run_text(query + "1\n", make_engine("apsw"), RunOptions("apsw"))) == (1, 0, 0)
    assert reasons(query + "1\n2\n") == ["error: integer overflow"]


def test_query_that_fails_at_its_first_row_counts_as_empty_but_one_that_does_not_prepare_fails() -> None:
    assert counts(run("query I nosort\nSELECT abs(-9223372036854775808)\n----\n")) == (1, 0, 0)
    assert reasons("query I nosort\nSELECT nosuch\n----\n") == ["error: no such column: nosuch"]


def test_unknown_record_fails() -> None:
    assert reasons("quary I\nSELECT 1\n") == ["unknown record type: quary I"]


def test_query_that_was_never_completed_fails() -> None:
    assert reasons("query I nosort\nSELECT 1\n") == ["the query has no expected result"]
    assert "complete" in reasons("query\nSELECT 1\n")[0]


def test_only_the_first_failures_are_kept_and_all_are_counted() -> None:
    result = run("query I nosort\nSELECT 1\n----\n2\n\n" * 5, max_failures=2)
    assert (result.n_failed, len(result.failures)) == (5, 2)


def test_sample_runs_every_statement_and_each_nth_query() -> None:
    text = "statement ok\nCREATE TABLE t(a)\n\n" + "query I nosort\nSELECT 1\n----\n1\n\n" * 10
    assert counts(run(text, query_stride=5)) == (3, 0, 0)


def test_database_file_is_opened_again_and_checked() -> None:
    inserts = "".join(f"statement ok\nINSERT INTO t VALUES({i})\n\n" for i in range(450))
    text = "statement ok\nCREATE TABLE t(a)\n\n" + inserts + "query I nosort\nSELECT count(*) FROM t\n----\n450\n"
    assert counts(run(text, is_database_file=True)) == (453, 0, 0)


def test_damaged_database_file_is_a_failure() -> None:
    text = (
        "statement ok\nCREATE TABLE t(a)\n\nstatement ok\nCREATE INDEX i ON t(a)\n\nstatement ok\nINSERT INTO t VALUES(1)\n\n"
        "statement ok\nPRAGMA writable_schema = 1\n\nstatement ok\nUPDATE sqlite_master SET rootpage = 2 WHERE name = 'i'\n"
    )
    result = run(text, is_database_file=True)
    assert [failure.kind for failure in result.failures] == ["integrity"]


def test_setup_is_executed_first() -> None:
    assert counts(run("query I nosort\nPRAGMA user_version\n----\n5\n", setup=("PRAGMA user_version = 5",))) == (1, 0, 0)


def test_endless_query_is_interrupted_and_the_rest_runs() -> None:
    endless = (
        "query I nosort\nWITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c\n----\n1\n\n"
    )
    result = run(endless + "query I nosort\nSELECT 1\n----\n1\n", record_timeout_s=0.2)
    assert counts(result) == (1, 1, 0)
    assert result.failures[0].reason == "timed out"


def test_file_over_its_time_is_stopped() -> None:
    endless = (
        "query I nosort\nWITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c\n----\n1\n\n"
    )
    result = run(endless + "query I nosort\nSELECT 1\n----\n1\n", file_timeout_s=0.2, record_timeout_s=0)
    assert [failure.reason for failure in result.failures] == ["timed out", "the file took longer than 0.2 s"]
    assert result.n_passed == 0


class BrokenEngine:
    """A fake engine that falls over instead of answering."""

    name = "broken"
    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def execute(self, sql: str) -> Sequence[Sequence[Any]]:
        raise AssertionError("cell index out of range")

    def open(self, path: str | None) -> None: ...
    def close(self) -> None: ...
    def interrupt(self) -> None: ...
    def version(self) -> str:
        return "0"

    def column_count(self, sql: str) -> int | None:
        return None

    def rows_affected(self) -> int:
        return 0

    def in_transaction(self) -> bool:
        return False

    def rows_before_error(self, sql: str) -> None:
        return None


def test_crash_of_the_engine_fails_even_where_an_error_is_expected() -> None:
    result = run_text("statement error\nSELECT 1\n\nquery I nosort\nSELECT 1\n----\n", BrokenEngine(), RunOptions())
    assert [failure.reason for failure in result.failures] == ["crash: AssertionError: cell index out of range"] * 2


class DeafEngine(BrokenEngine):
    """A fake engine in Python that loops without end on one statement and does not listen to `interrupt`."""

    def execute(self, sql: str) -> Sequence[Sequence[Any]]:
        while sql == "loop":
            pass
        return [(1,)]


@pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="the platform has no signal to stop a loop with")
def test_engine_that_does_not_listen_is_stopped_by_a_signal() -> None:
    text = "query I nosort\nloop\n----\n1\n\nquery I nosort\nSELECT 1\n----\n1\n"
    result = run_text(text, DeafEngine(), RunOptions(record_timeout_s=0.2))
    assert [failure.reason for failure in result.failures] == ["timed out"]
    assert counts(result) == (1, 1, 0)


def test_engine_that_does_not_exist_is_named() -> None:
    with pytest.raises(EngineError, match="no engine 'oracle'"):
        make_engine("oracle")
    with pytest.raises(EngineError, match="nosuchmodule"):
        make_engine("module:nosuchmodule")
    with pytest.raises(EngineError, match="not a DB-API module"):
        make_engine("module:json")


def test_any_database_module_is_an_engine() -> None:
    engine = make_engine("module:sqlite3")
    assert engine.name == "sqlite3"
    assert counts(run_text("query I nosort\nSELECT 1\n----\n1\n\nstatement ok\nCREATE TABLE t(a)\n", engine, RunOptions())) == (
        2,
        0,
        0,
    )


def test_apsw_engine_knows_the_columns_of_an_empty_result() -> None:
    pytest.importorskip("apsw")
    text = "query II nosort\nSELECT 1, 2 WHERE 0\n----\n\nquery I nosort\nSELECT 1, 2 WHERE 0\n----\n"
    result = run_text(text, make_engine("apsw"), RunOptions("apsw"))
    assert counts(result) == (1, 1, 0)
