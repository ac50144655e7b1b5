"""Update, commit, rollback, preupdate and WAL hooks and calls of the user's functions, under both engines: which, with what, in which order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql
from minisql.dbapi.preupdate import no_change

_TEXT = (Path(__file__).parent / "hooks.sql").read_text(encoding="utf-8")
HOOKED, CALLING, CHANGING, LOGGING = ([line for line in part.splitlines() if not line.startswith("--")] for part in _TEXT.split("\n\n"))
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


def _preupdate(log: Log, no_change: object) -> Callable[[Any], None]:
    def hear(row: Any) -> None:
        update = row.update and tuple("no change" if value is no_change else (value,) for value in row.update)
        where = (row.op, row.opcode, row.database_name, row.table_name, row.rowid, row.rowid_new, row.depth, row.blob_write)
        log.append((*where, row.old, row.new, update))

    return hear


def _connections(path: Path) -> tuple[Any, Any, list[tuple[Callable[[str], Any], type[Exception]]]]:
    theirs = apsw.Connection(str(path / "sqlite.db"), statementcachesize=0)
    ours = minisql.connect(str(path / "minisql.db"), isolation_level=None)
    engines: list[tuple[Callable[[str], Any], type[Exception]]] = [
        (lambda sql: list(theirs.execute(sql)), apsw.Error),
        (lambda sql: ours.execute(sql).fetchall(), minisql.Error),
    ]
    return theirs, ours, engines


def _assert_same(engines: list[Any], logs: tuple[Log, Log], statements: list[str]) -> None:
    wanted, got = (_records(engine, log, statements) for engine, log in zip(engines, logs, strict=True))
    for expected, found in zip(wanted, got, strict=True):
        assert found == expected


@pytest.mark.parametrize("statements", (CHANGING, HOOKED), ids=("own", "hooks"))
def test_preupdate_hook_sees_rows_as_with_sqlite(statements: list[str], tmp_path: Path) -> None:
    theirs, ours, engines = _connections(tmp_path)
    logs: tuple[Log, Log] = ([], [])
    theirs.preupdate_hook(_preupdate(logs[0], apsw.no_change))
    ours.preupdate_hook(_preupdate(logs[1], no_change))
    _assert_same(engines, logs, statements)
    theirs.execute("create table blobs(a integer primary key, b, c); insert into blobs values(7, 1, zeroblob(4))")
    ours.executescript("create table blobs(a integer primary key, b, c); insert into blobs values(7, 1, zeroblob(4))")
    for blob in (theirs.blob_open("main", "blobs", "c", 7, True), ours.blobopen("blobs", "c", 7)):
        blob.write(b"ab")
        blob.write(b"c")
        blob.close()
    many = [(number, None, "x") for number in range(10, 30)]
    theirs.executemany("insert into blobs values(?, ?, ?)", many)
    ours.executemany("insert into blobs values(?, ?, ?)", many)
    assert logs[1] == logs[0]


def test_several_preupdate_hooks_and_none() -> None:
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("create table t(a)")
    heard: list[Any] = []
    connection.preupdate_hook(lambda row: heard.append(("first", row.new)), id=1)
    connection.preupdate_hook(lambda row: heard.append(("second", row.connection is connection)), id=2)
    connection.execute("insert into t values(1)")
    connection.preupdate_hook(None, id=1)
    connection.preupdate_hook(lambda row: 1 / 0, id=3)
    connection.execute("insert into t values(2)")
    connection.preupdate_hook(None, id=2)
    connection.preupdate_hook(None, id=3)
    connection.execute("insert into t values(3)")
    assert heard == [("first", (1,)), ("second", True), ("second", True)]
    assert connection.execute("select * from t").fetchall() == [(1,), (2,), (3,)]


def test_wal_hook_hears_of_commits_as_with_sqlite(tmp_path: Path) -> None:
    theirs, ours, engines = _connections(tmp_path)
    logs: tuple[Log, Log] = ([], [])
    for connection, log in zip((theirs, ours), logs, strict=True):

        def hear(known: Any, *event: Any, connection: Any = connection, log: Log = log) -> int:
            log.append((known is connection, connection.in_transaction, *event))
            return 0

        connection.set_wal_hook(hear)
    _assert_same(engines, logs, LOGGING)
    assert logs[0]


def test_wal_hook_may_checkpoint_and_may_fail(tmp_path: Path) -> None:
    theirs, ours, engines = _connections(tmp_path)
    logs: tuple[Log, Log] = ([], [])
    answers: list[Any] = [0]
    for connection, log, (execute, _) in zip((theirs, ours), logs, engines, strict=True):

        def hear(known: Any, name: str, n_frames: int, log: Log = log, execute: Any = execute) -> Any:
            log.append((name, n_frames, execute("pragma wal_checkpoint")))
            return answers[0]

        execute("pragma journal_mode=wal")
        connection.set_wal_hook(hear)
    changes = ["create table t(a)", "insert into t values(1)", "begin", "insert into t values(2)", "commit", "select * from t"]
    _assert_same(engines, logs, changes)
    answers[0] = 13
    _assert_same(engines, logs, ["insert into t values(3)", *changes[2:5], "insert into t values(4) returning a", "rollback"])
    _assert_same(engines, logs, ["select * from t"])
    answers[0] = "text"
    for execute, _ in engines:
        with pytest.raises(TypeError, match="wal hook must return a number not str"):
            execute("insert into t values(5)")
    for connection in (theirs, ours):
        connection.wal_autocheckpoint(3)
    _assert_same(engines, logs, ["insert into t values(6)", "pragma wal_autocheckpoint", "select * from t"])
    with pytest.raises(TypeError, match="Expected a callable not int"):
        ours.set_wal_hook(5)
