"""index.db: what the events and evaluations say, as tables, for questions and reports; built anew whenever it is behind.

It is written with the standard library's sqlite3: the harness must not stand on the engine that it repairs.  Losing or
damaging the file loses nothing.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from agent_harness.events import Event, read_events
from agent_harness.state.fold import State
from agent_harness.state.folders import Folders, load_evaluation
from agent_harness.usage import FIELDS

SCHEMA = f"""
CREATE TABLE event(seq INTEGER PRIMARY KEY, time REAL, kind TEXT, data TEXT, hash TEXT);
CREATE TABLE task(id TEXT PRIMARY KEY, key TEXT, title TEXT, status TEXT, reason TEXT, n_cases INTEGER);
CREATE TABLE task_case(task TEXT, case_id TEXT, PRIMARY KEY(task, case_id)) WITHOUT ROWID;
CREATE TABLE attempt(id TEXT PRIMARY KEY, task TEXT, number INTEGER, backend TEXT, model TEXT, base TEXT, head TEXT, end TEXT,
  result TEXT, signature TEXT, evidence TEXT, seconds REAL, {", ".join(f"{name} INTEGER" for name in FIELDS)}, cost_usd REAL);
CREATE TABLE gate(attempt TEXT, position INTEGER, name TEXT, passed INTEGER, evidence TEXT, seconds REAL);
CREATE TABLE merge(id TEXT PRIMARY KEY, old TEXT, new TEXT, status TEXT, reason TEXT, attempts TEXT);
CREATE TABLE evaluation(tree TEXT PRIMARY KEY, commit_ TEXT, contract TEXT, n_passed INTEGER, n_failed INTEGER);
CREATE TABLE verdict(tree TEXT, case_id TEXT, passed INTEGER, PRIMARY KEY(tree, case_id)) WITHOUT ROWID;
"""


def refresh(folders: Folders) -> Path:
    """Builds the index if it does not hold the last event.  Raises HarnessError when the log is damaged."""
    events = list(read_events(folders.events))
    last = events[-1].hash if events else ""
    if _last_hash(folders.index) != last or not folders.index.exists():
        folders.prepare()
        scratch = folders.index.with_name("index.db.part")
        scratch.unlink(missing_ok=True)
        with closing(sqlite3.connect(scratch)) as database:
            _fill(database, events, folders)
        scratch.replace(folders.index)
    return folders.index


def _last_hash(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path)) as database:
            row = database.execute("SELECT hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        return None
    return str(row[0]) if row else ""


def _fill(database: sqlite3.Connection, events: list[Event], folders: Folders) -> None:
    state = State(events)
    database.executescript(SCHEMA)
    _insert(database, "event", [(e.seq, e.time, e.kind, json.dumps(e.data), e.hash) for e in events])
    _insert(database, "task", [(t.id, t.key, t.title, t.status, t.reason, len(t.case_ids)) for t in state.tasks.values()])
    _insert(database, "task_case", [(t.id, case) for t in state.tasks.values() for case in t.case_ids])
    _insert(
        database,
        "attempt",
        [
            (
                *(a.id, a.task, a.number, a.backend, a.model, a.base, a.head, a.end, a.result, a.signature, a.evidence),
                *(a.seconds, *(getattr(a.usage, name) for name in FIELDS), a.usage.cost_usd),
            )
            for a in state.attempts.values()
        ],
    )
    gates = [
        (a.id, n, g["gate"], g["passed"], g["evidence"], g["seconds"])
        for a in state.attempts.values()
        for n, g in enumerate(a.gates)
    ]
    _insert(database, "gate", gates)
    _insert(
        database, "merge", [(m.id, m.old, m.new, m.status, m.reason, json.dumps(m.attempts)) for m in state.merges.values()]
    )
    for data in state.evaluations.values():
        row = (data["tree"], data["commit"], data["contract"], data["n_passed"], data["n_failed"])
        _insert(database, "evaluation", [row])
        evaluation = load_evaluation(folders.evaluation(data["tree"], data["contract"]))
        if evaluation is not None:
            _insert(database, "verdict", [(data["tree"], id_, result.passed) for id_, result in evaluation.results.items()])
    database.commit()


def _insert(database: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES({marks})", rows)
