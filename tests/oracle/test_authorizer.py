"""What the authorizer hears of statements of every kind, under both engines: actions, arguments, databases, triggers, order.

Then the same statements with one event denied or ignored: rows or error, and what is in the tables afterwards.  Left out are
statements that SQLite carries out with SQL of its own (ALTER TABLE but ADD COLUMN, ANALYZE, VACUUM, FTS5 and R-Tree), of which our
authorizer hears only the action; and an inner SELECT that is ignored, upon which SQLite reads registers that were never set.
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
_SELECT, _OK, _DENY, _IGNORE = 21, 0, 1, 2
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
