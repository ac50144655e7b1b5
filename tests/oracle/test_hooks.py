"""Update, commit and rollback hooks and calls of the user's functions, under both engines: which, with what, in which order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql

_TEXT = (Path(__file__).parent / "hooks.sql").read_text(encoding="utf-8")
HOOKED, CALLING = ([line for line in part.splitlines() if not line.startswith("--")] for part in _TEXT.split("\n\n"))
VETOED = """
create table t(a)
insert into t values(1)
select * from t
begin
insert into t values(2)
commit
select * from t
insert into t values(3)
select * from t
""".strip().splitlines()

Log = list[tuple[Any, ...]]


def _hooks(log: Log, vetoes: tuple[int, ...]) -> tuple[Callable[..., None], Callable[[], bool], Callable[[], None]]:
    def commit() -> bool:
        log.append(("commit",))
        return log.count(("commit",)) in vetoes

    return lambda *change: log.append(("update", *change)), commit, lambda: log.append(("rollback",))


def _function(log: Log) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        log.append(("call", *arguments))
        return arguments[0] if arguments else None

    return call


def _sqlite(path: Path, log: Log, vetoes: tuple[int, ...]) -> tuple[Callable[[str], Any], type[Exception]]:
    connection = apsw.Connection(str(path / "sqlite.db"), statementcachesize=0)
    update, commit, rollback = _hooks(log, vetoes)
    connection.set_update_hook(update)
    connection.set_commit_hook(commit)
    connection.set_rollback_hook(rollback)
    connection.create_scalar_function("f", _function(log))
    connection.create_scalar_function("fd", _function(log), deterministic=True)
    return lambda sql: list(connection.execute(sql)), apsw.Error


def _minisql(path: Path, log: Log, vetoes: tuple[int, ...]) -> tuple[Callable[[str], Any], type[Exception]]:
    connection = minisql.connect(str(path / "minisql.db"), isolation_level=None)
    connection._session.set_hooks(*_hooks(log, vetoes))
    connection.create_function("f", -1, _function(log))
    connection.create_function("fd", -1, _function(log), deterministic=True)
    return lambda sql: connection.execute(sql).fetchall(), minisql.Error


def _records(engine: tuple[Callable[[str], Any], type[Exception]], log: Log, statements: list[str]) -> list[Any]:
    execute, error_class = engine
    records = []
    for sql in statements:
        start = len(log)
        try:
            result = execute(sql)
        except error_class as error:
            result = str(error), getattr(error, "extendedresult", None) or error.sqlite_errorcode  # type: ignore[attr-defined]
        records.append((sql, result, log[start:]))
    return records


@pytest.mark.parametrize(
    ("statements", "vetoes"), ((HOOKED, ()), (CALLING, ()), (VETOED, (2, 4))), ids=("hooks", "functions", "vetoes")
)
def test_hooks_and_functions_are_called_as_by_sqlite(statements: list[str], vetoes: tuple[int, ...], tmp_path: Path) -> None:
    ours: Log = []
    theirs: Log = []
    wanted = _records(_sqlite(tmp_path, theirs, vetoes), theirs, statements)
    got = _records(_minisql(tmp_path, ours, vetoes), ours, statements)
    for expected, found in zip(wanted, got, strict=True):
        assert found == expected
