"""The suites of this folder, on the reference engine and on minisql in every way it can run a program.

`.slt` files are written by hand and filled in by `sqllogictest complete --engine apsw`: an expected result changes only when
SQLite says so. One folder an area; a file opens with a comment that says what it is about. Statements that must fail show
SQLite's message below `----`.
"""

from pathlib import Path

import pytest

from sqllogictest import EngineError, RunOptions, make_engine, run_text
from sqllogictest.completion import complete_text
from sqllogictest.reports import format_failure
from sqllogictest.runner import FileResult

FOLDER = Path(__file__).parent
SUITES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.slt"))
WAYS = {
    "tier-1": "PRAGMA minisql_tier = 1",
    "tier-2": "PRAGMA minisql_tier = 2",
    "both-tiers": "PRAGMA minisql_tier = both",
    "general-path": "PRAGMA minisql_fast_path = off",
}


def run(name: str, options: RunOptions) -> FileResult:
    try:
        engine = make_engine(options.engine)
    except EngineError as error:
        pytest.skip(str(error))
    return run_text((FOLDER / name).read_bytes(), engine, options, name)


def shown(result: FileResult) -> str:
    return "\n\n".join(format_failure(failure) for failure in result.failures)


@pytest.mark.parametrize("name", SUITES)
def test_suite_is_canonical_and_completed_by_sqlite(name: str) -> None:
    pytest.importorskip("apsw")
    text = (FOLDER / name).read_text("utf-8")
    completed, problems = complete_text(text, make_engine("apsw"))
    assert problems == []
    assert completed == text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SUITES)
def test_suite_passes(name: str, way: str) -> None:
    result = run(name, RunOptions("minisql", setup=(WAYS[way],), record_timeout_s=60))
    assert result.n_failed == 0, shown(result)


@pytest.mark.parametrize("name", SUITES)
def test_suite_passes_on_a_file_and_leaves_it_sound(name: str) -> None:
    result = run(name, RunOptions("minisql", is_database_file=True, record_timeout_s=60))
    assert result.n_failed == 0, shown(result)
