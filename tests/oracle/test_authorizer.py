"""What the authorizer hears of statements of every kind, under both engines: actions, arguments, databases, triggers, order.

Then the same statements with one event denied or ignored: rows or error, and what is in the tables afterwards.  Left out is
an inner SELECT that is ignored, upon which SQLite reads registers that were never set.  Statements that SQLite carries out with SQL
of its own (ALTER TABLE, ANALYZE, VACUUM, ...) are in authorizer_schema.sql; of what it says of sqlite_stat4 nothing is compared,
which is a build option of apsw only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql

_TEXT = (Path(__file__).parent / "authorizer.sql").read_text(encoding="utf-8")
SETUP, STATEMENTS = ([line for line in part.splitlines() if not line.startswith("--")] for part in _TEXT.split("\n\n"))
_ROWS = """
insert into t values(1,2,3),(4,5,6)
insert into p values(2,5,6)
insert into g(a) values(1)
insert into tt values(1,2)
""".strip().splitlines()
_SECTIONS = (Path(__file__).parent / "authorizer_schema.sql").read_text(encoding="utf-8").split("\n\n")[1:]
_SELECT, _INSERT, _OK, _DENY, _IGNORE = 21, 18, 0, 1, 2
_QUESTIONABLE = ("values(1)", "update p set id", "update p set (x,y)", "update t set rowid", "update v set", "insert into p values(1,2,3) on")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """One of the statements attaches a new file."""
    monkeypatch.chdir(tmp_path)


class Engine:
    """One connection; `events` are what its authorizer heard since `listen`."""

    def __init__(self, connection: Any, error: type[Exception], set_authorizer: Callable[[Any], None]) -> None:
        self.connection = connection
        self.error = error
        self.set_authorizer = set_authorizer
        self.events: list[tuple[Any, ...]] = []
        self.denied: tuple[Any, ...] | None = None
        self.answer = _OK

    def hear(self, *event: Any) -> int:
        self.events.append(event)
        return self.answer if event == self.denied else _OK

    def listen(self, answer: int = _OK, denied: tuple[Any, ...] | None = None) -> None:
        self.events, self.answer, self.denied = [], answer, denied
        self.set_authorizer(self.hear)

    def run(self, sql: str) -> Any:
        try:
            return [tuple(row) for row in self.connection.execute(sql)]
        except self.error as error:
            return str(error), getattr(error, "extendedresult", None) or error.sqlite_errorcode  # type: ignore[attr-defined]


def both(rows: bool) -> tuple[Engine, Engine]:
    sqlite = apsw.Connection(":memory:", statementcachesize=0)
    ours = minisql.connect(":memory:", isolation_level=None)

    def set_authorizer(hook: Any) -> None:
        sqlite.authorizer = hook

    engines = Engine(sqlite, apsw.Error, set_authorizer), Engine(ours, minisql.Error, ours.set_authorizer)
    for engine in engines:
        for sql in SETUP + (_ROWS if rows else []):
            assert engine.run(sql) == [], sql
    return engines


def test_authorizer_hears_what_sqlite_tells() -> None:
    sqlite, ours = both(False)
    sqlite.listen()
    ours.listen()
    for sql in STATEMENTS:
        sqlite.events.clear()
        ours.events.clear()
        wanted, got = sqlite.run(sql), ours.run(sql)
        assert ours.events == sqlite.events, sql
        assert got == wanted, sql
    ours.connection.close()


def _state(engine: Engine) -> list[Any]:
    return [engine.run(f"SELECT * FROM {table}") for table in ("t", "p", "lg", "w")]


def _outcome(engine: Engine, sql: str, answer: int, denied: tuple[Any, ...] | None) -> tuple[Any, Any, list[Any]]:
    engine.run("SAVEPOINT s")
    engine.listen(answer, denied)
    result = engine.run(sql)
    events = engine.events
    engine.set_authorizer(None)
    state = [] if sql.startswith("select") else _state(engine)
    engine.run("ROLLBACK TO s")
    engine.run("RELEASE s")
    return result, state, events


def test_denied_and_ignored_events_do_what_they_do_in_sqlite() -> None:
    sqlite, ours = both(True)
    kinds = ("select", "insert", "update", "delete", "with", "values")
    for sql in STATEMENTS:
        if not sql.startswith(kinds) or "aux" in sql or sql.startswith(_QUESTIONABLE):
            continue
        for answer in (_DENY, _IGNORE):
            sqlite.listen()
            events = _outcome(sqlite, sql, _OK, None)[2]
            for denied in list(dict.fromkeys(events))[:4]:
                if answer == _IGNORE and denied[0] == _SELECT and (denied != events[0] or events.count(denied) > 1):
                    continue
                wanted, got = (_outcome(engine, sql, answer, denied) for engine in (sqlite, ours))
                assert got[:2] == wanted[:2], (sql, answer, denied)
    ours.connection.close()


ADDITIONS = """
create table a(x unique, y)
create temp table tm(a)
attach ':memory:' as aux
create table aux.ax(a)
alter table a add column q
alter table main.a add column q0 text collate nocase
alter table a add column w check(w<9)
alter table a add column g as (x)
alter table a add column g2 not null as (x)
alter table a add column x
alter table a add column n not null
alter table a add column s as (x) stored
alter table nosuch add column s
alter table sqlite_master add column s
alter table tm add column b
alter table ax add column b
alter table a add column r references a default 5
""".strip().splitlines()


def test_the_sql_behind_add_column_is_heard_as_in_sqlite() -> None:
    sqlite, ours = both(False)
    for sql in ADDITIONS:
        answers = []
        for engine in (sqlite, ours):
            engine.listen()
            answers.append((sql, engine.run(sql), engine.events))
        assert answers[1] == answers[0]


def _without_stat4(events: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What stands around sqlite_stat4: its CREATE TABLE of eight events, its SELECTs, count() in one of them."""
    kept: list[tuple[Any, ...]] = []
    number = 0
    while number < len(events):
        event, following = events[number], events[number + 1 : number + 2]
        is_about = "sqlite_stat4" in event
        leads = bool(following) and "sqlite_stat4" in following[0]
        if leads and event[0] == _INSERT:
            number += 8
            continue
        if not is_about and not (leads and (event[0] == _SELECT or "count" in event)):
            kept.append(event)
        number += 1
    return kept


def _with_one_name(event: tuple[Any, ...]) -> tuple[Any, ...]:
    """VACUUM makes up a name for the copy."""
    return tuple("vacuum" if isinstance(item, str) and item.startswith("vacuum_") else item for item in event)


@pytest.mark.parametrize("section", range(len(_SECTIONS)))
def test_the_sql_behind_schema_changes_is_heard_as_in_sqlite(section: int) -> None:
    sqlite = apsw.Connection(":memory:", statementcachesize=0)
    ours = minisql.connect(":memory:", isolation_level=None)
    engines = (
        Engine(sqlite, apsw.Error, lambda hook: setattr(sqlite, "authorizer", hook)),
        Engine(ours, minisql.Error, ours.set_authorizer),
    )
    for sql in _SECTIONS[section].strip().splitlines():
        answers = []
        for engine in engines:
            engine.listen()
            result = engine.run(sql)
            answers.append((sql, result, [_with_one_name(event) for event in _without_stat4(engine.events)]))
        assert answers[1] == answers[0]
    ours.close()


@pytest.mark.parametrize(
    "sql",
    [
        "alter table t rename to t2",
        "alter table t rename a to aa",
        "alter table t drop column c",
        "alter table t alter column a set not null",
        "alter table t alter column b drop not null",
        "alter table t add constraint k check(a > 0)",
        "alter table t drop constraint k0",
    ],
)
def test_each_event_behind_a_schema_change_may_be_denied(sql: str) -> None:
    outcomes = []
    for number in range(2):
        connection: Any = apsw.Connection(":memory:", statementcachesize=0) if number == 0 else minisql.connect(":memory:")
        error = apsw.Error if number == 0 else minisql.Error

        def set_authorizer(hook: Any, connection: Any = connection) -> None:
            if isinstance(connection, apsw.Connection):
                connection.authorizer = hook
            else:
                connection.set_authorizer(hook)

        engine = Engine(connection, error, set_authorizer)
        for line in ("create table t(a, b not null, c, constraint k0 check(b > 0))", "create view v as select a from t"):
            assert engine.run(line) == []
        engine.run("begin")
        engine.run("savepoint s")
        engine.listen()
        assert engine.run(sql) == []
        events = engine.events
        results = []
        for denied in dict.fromkeys(events):
            engine.set_authorizer(None)
            engine.run("rollback to s")
            engine.listen(_DENY, denied)
            results.append((denied, engine.run(sql)))
        outcomes.append(results)
        engine.set_authorizer(None)
        connection.close()
    assert outcomes[1] == outcomes[0]
