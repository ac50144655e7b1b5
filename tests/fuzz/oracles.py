"""The oracles: each takes a round and a budget of statements, and yields what it finds as cases that differ from SQLite.

`differential` compares with SQLite statement by statement.  The others compare minisql with itself, in ways in which the answer
must not change: NoREC (a condition in WHERE or counted by hand), TLP (a query and the union of its three partitions), PQS (a row
that was put in is found), indexes, statistics, optimisations, tiers, a file that is opened again.  When one of these finds
something, SQLite is asked the same statements: what SQLite answers as minisql does is SQL's own looseness (a sum's last digit,
which of two equal values is shown) and no finding.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minisql.planner.optimizations import NAMES
from tests.fuzz.corners import explained, meaning, with_other_literals, with_parameters
from tests.fuzz.engines import LISTENERS, Answer, Costly, Minisql, Sqlite, is_query, near, same
from tests.fuzz.judging import Case, Difference, has_random_rowids, is_left_undone, is_open
from tests.fuzz.mistakes import mistaken
from tests.fuzz.rounds import Round

N_STATEMENTS = 40
TIERS = ("auto", "auto", "1", "2", "both")


@dataclass(frozen=True)
class Finding:
    """A case, what differs in it in words, and the difference from SQLite if it is one of that kind."""

    case: Case
    text: str
    difference: Difference | None = None


@dataclass
class Counts:
    """What a round did: `statements` run on minisql, how many answers were `open`, how many were too `costly`."""

    statements: int = 0
    open: int = 0
    costly: int = 0


Oracle = Callable[[Round, Counts], Iterator[Finding]]


def settings_of(round_: Round) -> tuple[str, ...]:
    """A configuration of minisql: tier, fast path, optimisations."""
    dice = round_.dice
    settings = [f"pragma minisql_tier={dice.choice(TIERS)}"]
    if dice.random() < 0.3:
        settings.append("pragma minisql_fast_path=off")
    if dice.random() < 0.2:
        settings.append(f"pragma minisql_optimizations={dice.randrange(OPTIMIZATIONS + 1)}")
    if dice.random() < 0.2:
        settings.append("pragma minisql_verify=on")
    if dice.random() < 0.06:
        settings.append("pragma reverse_unordered_selects=on")
    if dice.random() < 0.15:
        settings.append(dice.choice(tuple(LISTENERS)))
    return tuple(settings)


def differential(round_: Round, counts: Counts) -> Iterator[Finding]:
    """Queries and changes, both engines side by side; then the files' contents."""
    dice = round_.dice
    changes_too = dice.random() < 0.5
    settings = settings_of(round_)
    if changes_too:
        # Which row comes first decides which rowid a copy of it gets.
        settings = tuple(setting for setting in settings if "reverse" not in setting)
    case = Case((), settings, in_file=round_.in_file)
    with new_folder() as folder:
        paths = [str(Path(folder, name)) if case.in_file else ":memory:" for name in ("minisql.db", "sqlite.db")]
        ours, theirs = Minisql(paths[0], case.settings), Sqlite(paths[1])
        script: list[str] = []
        try:
            for sql, in_order in _statements(round_, changes_too):
                counts.statements += 1
                try:
                    expected = theirs.run(sql)
                except Costly:
                    counts.costly += 1
                    if is_query(sql):
                        continue
                    return
                answer = ours.run(sql)
                made = Case((*script, sql), case.settings, case.in_file, in_order)
                if not same(answer, expected, in_order):
                    found = Difference(len(script), answer, expected)
                    if is_open(made, found):
                        counts.open += 1
                    else:
                        yield Finding(made, "another answer than SQLite", found)
                    if not is_query(sql):
                        return  # the databases are no longer the same
                elif is_left_undone(expected):
                    return  # neither are they now, see docs/fuzzing.md
                elif not is_query(sql):
                    script.append(sql)
        finally:
            ours.close()
            theirs.close()
        # Of several rows that UPDATE FROM joins to one, any may count.
        is_settled = not any(_UPDATE_FROM.match(sql) for sql in script)
        if case.in_file and is_settled and (text := hashes_differ(paths)):
            yield Finding(Case(tuple(script), case.settings, True), text)


_UPDATE_FROM = re.compile(r"update\b(?:[^()]|\([^()]*\))* from ", re.I)


def _statements(round_: Round, changes_too: bool) -> Iterator[tuple[str, bool]]:
    """The round's statements with whether their order is total."""
    yield from ((sql, False) for sql in round_.setup)
    dice = round_.dice
    sql, is_total = "", False
    for _ in range(N_STATEMENTS):
        chance = dice.random()
        if sql and chance < 0.12:
            yield with_other_literals(dice, sql), is_total
        elif sql and chance < 0.16:
            yield with_parameters(dice, sql), is_total
        elif sql and chance < 0.19:
            yield explained(dice, sql), False
        elif chance < 0.25:
            table = dice.choice(round_.schema.tables)
            yield meaning(dice, table.name, table.columns), False
        elif changes_too and chance < 0.7:
            sql, is_total = round_.changes.statement(), False
            yield sql, False
            if dice.random() < 0.15:
                yield f"select * from {dice.choice(round_.schema.base_tables).name}", False
        else:
            sql = round_.queries.query()
            is_total = round_.queries.is_total
            yield (mistaken(dice, sql), False) if dice.random() < 0.06 else (sql, is_total)
    for table in round_.schema.base_tables if changes_too else ():
        yield f"select * from {table.name}", False


def hashes_differ(paths: Sequence[str]) -> str:
    """SQLite's own dbhash of both files, and its integrity check of ours: what is wrong, or nothing."""
    import apsw

    program = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "sqlite3_dbhash"
    connection = apsw.Connection(paths[0])
    check = list(connection.execute("pragma integrity_check"))
    connection.close()
    if check != [("ok",)]:
        return f"SQLite's integrity check of the file: {check[:3]}"
    # minisql keeps no samples of indexes.
    connection = apsw.Connection(paths[1])
    connection.execute("drop table if exists sqlite_stat4")
    connection.close()
    if not program.exists():
        return ""
    finished = subprocess.run([str(program), *paths], capture_output=True, text=True, check=False)
    if "unknown function" in finished.stderr:
        return ""  # the program has no ceil() and the like, which a generated column may call
    lines = finished.stdout.split()
    hashes = [line for line in lines if len(line) == 40]
    return "" if len(hashes) == 2 and hashes[0] == hashes[1] else f"sqlite3_dbhash of the files: {lines}"


OPTIMIZATIONS = (1 << len(NAMES)) - 1
"""All bits of PRAGMA minisql_optimizations."""


def new_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for files, in memory where the system has such a place."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


class Bench:
    """minisql with a round's database, for the oracles that ask minisql alone."""

    def __init__(self, round_: Round, counts: Counts, settings: Sequence[str] = (), in_file: bool = False) -> None:
        self.folder = new_folder() if in_file else None
        self.engine = Minisql(":memory:" if self.folder is None else str(Path(self.folder.name, "bench.db")), settings)
        self.counts = counts
        self.script = list(round_.setup)
        self.settings = tuple(settings)
        self.guard = Sqlite()
        for sql in self.script:
            self.engine.run(sql)
            self.guard.run(sql)

    def ask(self, sql: str) -> Answer:
        """minisql's answer.  Raises Costly."""
        self.guard.run(sql)
        self.counts.statements += 1
        return self.engine.run(sql)

    def judged(self, queries: Sequence[str], text: str) -> Iterator[Finding]:
        """The finding in one of the queries, if SQLite sees it otherwise; each is asked of both engines."""
        for sql in queries:
            case = Case((*self.script, sql), self.settings, self.folder is not None)
            expected, answer = self.guard.run(sql), self.engine.run(sql)
            if not same(answer, expected):
                found = Difference(len(self.script), answer, expected)
                if not is_open(case, found):
                    yield Finding(case, text, found)
                    return
        self.counts.open += 1

    def close(self) -> None:
        """Ends both engines."""
        self.engine.close()
        self.guard.close()
        if self.folder is not None:
            self.folder.cleanup()


def _on_bench(check: Callable[[Round, Bench], Iterator[Finding]], n_checks: int = 12) -> Oracle:
    """An oracle that makes `n_checks` checks on one database."""

    def oracle(round_: Round, counts: Counts) -> Iterator[Finding]:
        bench = Bench(round_, counts, settings_of(round_), round_.in_file)
        try:
            for _ in range(n_checks):
                try:
                    yield from check(round_, bench)
                except Costly:
                    counts.costly += 1
        finally:
            bench.close()

    return oracle


def _sum(answer: Answer) -> int:
    assert answer.rows is not None, "asked only of answers with rows"
    return sum(row[0] or 0 for row in answer.rows)


def _norec(round_: Round, bench: Bench) -> Iterator[Finding]:
    """count(*) under WHERE p equals the number of rows for which p, as a result column, is true."""
    source = round_.queries.sources(round_.dice.choice((1, 1, 2)))
    condition = round_.queries.expressions.condition(source.columns)
    queries = [f"select count(*) from {source.text} where {condition}", f"select ({condition}) is true from {source.text}"]
    first, second = (bench.ask(sql) for sql in queries)
    if first.rows is not None and second.rows is not None and _sum(first) != _sum(second):
        yield from bench.judged(queries, f"NoREC: {_sum(first)} rows pass WHERE, {_sum(second)} satisfy the condition")


def partitions(condition: str) -> list[str]:
    """The three conditions of which exactly one holds."""
    return [f"({condition})", f"not ({condition})", f"({condition}) is null"]


def _tlp(shape: str) -> Callable[[Round, Bench], Iterator[Finding]]:
    """The check of one shape: where, having, distinct, group or aggregate."""

    def check(round_: Round, bench: Bench) -> Iterator[Finding]:
        whole, parts, combine = _tlp_queries(round_, shape)
        answers = [bench.ask(sql) for sql in (whole, *parts)]
        if any(answer.rows is None for answer in answers):
            return
        rows = [answer.rows or [] for answer in answers]
        expected, found = combine(rows[0], [row for part in rows[1:] for row in part])
        if expected != found:
            yield from bench.judged([whole, *parts], f"TLP {shape}: {str(expected)[:300]} and {str(found)[:300]}")

    return check


Rows = list[tuple[Any, ...]]


def _tlp_queries(round_: Round, shape: str) -> tuple[str, list[str], Callable[[Rows, Rows], tuple[object, object]]]:
    dice, queries = round_.dice, round_.queries
    made = queries.expressions
    source = queries.sources(dice.choice((1, 1, 2)))
    split = partitions(made.condition(source.columns))
    items = ", ".join(dice.choice(source.columns) for _ in range(dice.choice((1, 2))))
    if shape == "having":
        key = dice.choice(source.columns)
        base = f"select {key}, count(*) from {source.text} group by {key}"
        split = partitions(made.term([f"count({dice.choice(source.columns)})", f"max({dice.choice(source.columns)})"], 0))
        return base, [f"{base} having {part}" for part in split], lambda whole, parts: (len(whole), len(parts))
    if shape == "aggregate":
        call = dice.choice(("count({0})", "min({0})", "max({0})", "total({0})", "count(*)")).format(dice.choice(source.columns))
        base = f"select {call} from {source.text}"
        way = {"m": _extreme}.get(call[0], _added)
        if call.startswith("m"):
            outer = f"select {call[:3]}(x) from ({{0}})"
            arms = " union all ".join(f"select {call} as x from {source.text} where {part}" for part in split)
            return base, [outer.format(arms)], way
        return base, [f"{base} where {part}" for part in split], way
    if shape in ("distinct", "group"):
        head, tail = ("distinct ", "") if shape == "distinct" else ("", f" group by {items}")
        base = f"select {head}{items} from {source.text}"
        united = " union ".join(f"{base} where {part}{tail}" for part in split)
        return base + tail, [united], lambda whole, parts: (len(whole), len(parts))
    base = f"select {items} from {source.text}"
    return base, [f"{base} where {part}" for part in split], lambda whole, parts: (near(whole), near(parts))


def _added(whole: Rows, parts: Rows) -> tuple[object, object]:
    return near(whole), near([(sum(row[0] or 0 for row in parts),)])


def _extreme(whole: Rows, parts: Rows) -> tuple[object, object]:
    # min() and max() show either of two values that are equal, like 1 and 1.0.
    return [_plain(row[0]) for row in whole], [_plain(row[0]) for row in parts]


def _plain(value: Any) -> Any:
    return value.rstrip().lower() if isinstance(value, str) else float(value) if isinstance(value, int) else value


def _pqs(round_: Round, bench: Bench) -> Iterator[Finding]:
    """A condition made true for one row keeps that row: its truth is computed by SQLite, the row is looked for by minisql."""
    table = round_.dice.choice(round_.schema.base_tables)
    rows = bench.guard.run(f"select {', '.join(f'quote({column})' for column in table.columns)} from {table.name}").rows or []
    if not rows:
        return
    row = round_.dice.choice(rows)
    condition = round_.queries.expressions.condition(table.columns)
    pivot = " and ".join(
        f"quote({column}) = '{str(value).replace(chr(39), chr(39) * 2)}'" for column, value in zip(table.columns, row)
    )
    verdict = bench.guard.run(f"select {condition} from {table.name} where {pivot}")
    if not verdict.rows:
        return
    value = verdict.rows[0][0]
    truth = f"({condition}) is null" if value is None else f"({condition})"
    if (
        value is not None
        and not (bench.guard.run(f"select ({condition}) is true from {table.name} where {pivot}").rows or [(0,)])[0][0]
    ):
        truth = f"not ({condition})"
    sql = f"select count(*) > 0 from {table.name} where {truth} and {pivot}"
    answer = bench.ask(sql)
    if answer.rows == [(0,)]:
        yield from bench.judged([sql], "PQS: the pivot row is not found")


def _twins(change: Callable[[Round], tuple[list[str], list[str]]], text: str) -> Oracle:
    """Queries on two databases of minisql that differ in what must not matter; `change` gives settings and statements more."""

    def oracle(round_: Round, counts: Counts) -> Iterator[Finding]:
        settings, more = change(round_)
        plain = Bench(round_, counts, settings_of(round_), round_.in_file)
        other = Minisql(":memory:", [*plain.settings, *settings])
        for sql in [*plain.script, *more]:
            other.run(sql)
        try:
            for _ in range(N_STATEMENTS // 2):
                sql = round_.queries.query()
                try:
                    first = plain.ask(sql)
                except Costly:
                    counts.costly += 1
                    continue
                counts.statements += 1
                second = other.run(sql)
                if not same(first, second):
                    yield from _blamed(plain, [*settings], more, sql, first, second, text)
        finally:
            plain.close()
            other.close()

    return oracle


def _blamed(
    bench: Bench, settings: Sequence[str], more: Sequence[str], sql: str, first: Answer, second: Answer, text: str
) -> Iterator[Finding]:
    """The finding on the side that SQLite contradicts."""
    expected = bench.guard.run(sql)
    for answer, case in (
        (first, Case((*bench.script, sql), bench.settings)),
        (second, Case((*bench.script, *more, sql), (*bench.settings, *settings))),
    ):
        if not same(answer, expected):
            found = Difference(len(case.script) - 1, answer, expected)
            if not is_open(case, found):
                yield Finding(case, text, found)
                return
    bench.counts.open += 1


def _more_indexes(round_: Round) -> tuple[list[str], list[str]]:
    return [], [sql for _ in range(3) if not (sql := round_.schema.create_index()).startswith("create unique")]


def _more_statistics(round_: Round) -> tuple[list[str], list[str]]:
    return [], ["analyze"]


def _less_optimizations(round_: Round) -> tuple[list[str], list[str]]:
    dice = round_.dice
    mask = OPTIMIZATIONS if dice.random() < 0.3 else 1 << dice.randrange(OPTIMIZATIONS.bit_length())
    return [f"pragma minisql_optimizations={OPTIMIZATIONS & ~mask}"], []


def _other_tier(round_: Round) -> tuple[list[str], list[str]]:
    return [
        f"pragma minisql_tier={round_.dice.choice(('1', '2'))}",
        f"pragma minisql_fast_path={round_.dice.choice(('on', 'off'))}",
    ], []


def reopened(round_: Round, counts: Counts) -> Iterator[Finding]:
    """Changes on a file, then queries on it opened anew, against the same on a database in memory."""
    if any(table.schema for table in round_.schema.base_tables):
        return  # temporary and attached tables are gone then
    with new_folder() as folder:
        path = str(Path(folder, "fuzz.db"))
        settings = settings_of(round_)
        bench, on_file = Bench(round_, counts, settings), Minisql(path, settings)
        try:
            for sql in bench.script:
                on_file.run(sql)
            for _ in range(N_STATEMENTS // 2):
                sql = round_.changes.statement()
                try:
                    answer = bench.ask(sql)
                except Costly:
                    return
                bench.script.append(sql)
                if not same(answer, other := on_file.run(sql)):
                    if has_random_rowids(answer, other):
                        counts.open += 1
                        return
                    yield from _blamed(bench, [], [], "select 1", answer, other, "a file and memory differ")
                    return
            for sql in ("rollback",):
                bench.guard.run(sql)
                bench.engine.run(sql)
                bench.script.append(sql)
            on_file.close()
            on_file = Minisql(path, settings)
            tables = [f"select * from {table.name}" for table in round_.schema.base_tables]
            for sql in [*tables, *(round_.queries.query() for _ in range(N_STATEMENTS // 2))]:
                try:
                    first = bench.ask(sql)
                except Costly:
                    continue
                counts.statements += 1
                if not same(first, second := on_file.run(sql)) and near(first.rows or []) != near(second.rows or []):
                    case = Case((*bench.script, sql), settings, in_file=True)
                    if not is_open(case, Difference(len(case.script) - 1, second, first)):
                        yield Finding(case, f"opened again: {second.shown()[:300]}, in memory {first.shown()[:300]}")
        finally:
            bench.close()
            on_file.close()


ORACLES: dict[str, tuple[int, Oracle]] = {
    "differential": (10, differential),
    "norec": (1, _on_bench(_norec)),
    "tlp_where": (1, _on_bench(_tlp("where"))),
    "tlp_having": (1, _on_bench(_tlp("having"))),
    "tlp_distinct": (1, _on_bench(_tlp("distinct"))),
    "tlp_group": (1, _on_bench(_tlp("group"))),
    "tlp_aggregate": (1, _on_bench(_tlp("aggregate"))),
    "pqs": (1, _on_bench(_pqs)),
    "indexes": (1, _twins(_more_indexes, "an index changes the answer")),
    "statistics": (1, _twins(_more_statistics, "statistics change the answer")),
    "optimizations": (2, _twins(_less_optimizations, "an optimisation changes the answer")),
    "tiers": (2, _twins(_other_tier, "the tiers differ")),
    "reopened": (2, reopened),
}
"""name -> (weight, oracle)"""
