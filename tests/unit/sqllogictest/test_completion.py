"""Completion and comparison of engines; golden texts."""

from pathlib import Path

import pytest

from sqllogictest import RunOptions, make_engine, run_text
from sqllogictest.completion import compare_text, complete_text, types_of

FILES = Path(__file__).parent / "files"


def complete(text: str) -> tuple[str, list[str]]:
    return complete_text(text, make_engine("sqlite3"))


@pytest.mark.parametrize("name", ["completion"])
def test_golden_file_is_completed(name: str) -> None:
    completed, problems = complete((FILES / f"{name}.in.txt").read_text("utf-8"))
    assert completed == (FILES / f"{name}.out.txt").read_text("utf-8")
    assert problems == []


@pytest.mark.parametrize("name", ["completion"])
def test_completed_file_passes_and_completing_again_changes_nothing(name: str) -> None:
    text = (FILES / f"{name}.out.txt").read_text("utf-8")
    result = run_text(text, make_engine("sqlite3"), RunOptions("sqlite3"))
    assert result.n_failed == 0
    assert complete(text)[0] == text


def test_contradictions_are_reported_and_left_alone() -> None:
    text = "statement ok\nnonsense\n\nstatement error\nSELECT 1\n\nquery I nosort\nSELECT nosuch\n----\n7\n"
    completed, problems = complete(text)
    assert completed == text
    assert [problem.partition(":")[0] for problem in problems] == ["1", "4", "7"]


def test_labels_that_disagree_are_reported() -> None:
    _, problems = complete("query I nosort L\nSELECT 1\n\nquery I nosort L\nSELECT 2\n")
    assert problems == ["4: another result than label L has at line 1"]


@pytest.mark.parametrize(
    ("rows", "types"),
    [
        ([(1, 1.5, "a")], "IRT"),
        ([(1,), (2.5,)], "R"),
        ([(None,), (1,)], "I"),
        ([(None,)], "I"),
        ([(1,), ("a",)], "T"),
        ([(b"x",)], "T"),
    ],
)
def test_types_fit_the_rows(rows: list[tuple[object, ...]], types: str) -> None:
    assert types_of(rows) == types


def test_types_of_an_empty_result_are_texts() -> None:
    assert types_of([], 3) == "TTT"


def test_engines_that_agree_and_differ() -> None:
    pytest.importorskip("apsw")
    text = "query I nosort\nSELECT 1\n\nquery T nosort\nSELECT sqlite_version()\n\nstatement ok\nSELECT nosuch\n"
    result = compare_text(text, make_engine("sqlite3"), make_engine("apsw"), RunOptions())
    assert (result.n_passed, result.n_failed) == (2, 1)
    assert result.failures[0].expected != result.failures[0].actual
