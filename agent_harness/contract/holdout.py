"""The hold-out: scripts made at verify time from a secret seed, one generator a SQL feature, answered by SQLite itself.

It is split by feature, not at random: records of the same feature as a wrong repair's tend to agree with it, those of other
features do not.  So of the scripts for a change most are about features that its target records do not use, the rest about
those that they do.  Nothing is ever stored, so there is nothing to read; who asks gets counts.

Each generator gets a source of chance and a `World` (two tables with fresh names and rows) and returns the statements after
the world's own, the last of which is asked.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any

from agent_harness.contract.minimise import Answer, differs, reference_engine, replay
from agent_harness.contract.process_engine import ProcessEngine
from agent_harness.contract.value_classes import any_literal, large_literal

WORDS = ("amber", "Birch", "cedar", "Delta", "ember", "fjord", "Gale", "heath", "iris", "", "it''s", "ÄÖ", "10", " x ")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT")


class Dealer(random.Random):
    """Chance that leaves nothing out: what is chosen at one place of the code is dealt like cards, no option for the second
    time before each has come once."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._decks: dict[tuple[object, int, int], list[int]] = {}

    def choice(self, seq: Any) -> Any:
        """An option that this place has not had lately."""
        frame = sys._getframe(1)
        deck = self._decks.setdefault((frame.f_code, frame.f_lineno, len(seq)), [])
        if not deck:
            deck += self.sample(range(len(seq)), len(seq))
        return seq[deck.pop()]


class World:
    """Two tables: `a` (key, group, number, real, text) and `b` (key, key of a, number, text), with their columns' names."""

    __slots__ = ("a", "b", "g", "k", "n", "r", "ref", "setup", "t", "u", "v")

    def __init__(self, chance: random.Random) -> None:
        names = chance.sample([f"{stem}{i}" for stem in ("alp", "bor", "cin", "dur", "eft", "gam") for i in range(30, 60)], 11)
        self.a, self.b, self.k, self.g, self.n, self.r, self.t, self.ref, self.u, self.v = names[:10]
        rows_a = [
            f"({i}, {_text(chance)}, {_number(chance)}, {_real(chance)}, {_text(chance)})"
            for i in range(1, chance.randrange(6, 14))
        ]
        rows_b = [
            f"({i}, {chance.choice((chance.randrange(1, 15), 'NULL'))}, {_number(chance)}, {_text(chance)})"
            for i in range(1, chance.randrange(5, 12))
        ]
        self.setup = [
            f"CREATE TABLE {self.a}({self.k} INTEGER PRIMARY KEY, {self.g} TEXT, {self.n} INTEGER, {self.r} REAL,"
            f" {self.t} TEXT)",
            f"CREATE TABLE {self.b}({self.k} INTEGER PRIMARY KEY, {self.ref} INTEGER, {self.u} INTEGER, {self.v} TEXT)",
            f"INSERT INTO {self.a} VALUES {', '.join(rows_a)}",
            f"INSERT INTO {self.b} VALUES {', '.join(rows_b)}",
        ]

    def predicate(self, chance: random.Random) -> str:
        """A condition on table `a`."""
        n = chance.randrange(-3, 12)
        choices = (
            f"{self.n} {chance.choice(COMPARISONS)} {n}",
            f"{self.n} BETWEEN {n} AND {n + 5}",
            f"{self.n} IN ({n}, {n + 1}, NULL)",
            f"{self.t} {chance.choice(COMPARISONS)} {_text(chance)}",
            f"{self.r} > {n} OR {self.n} IS NULL",
            f"NOT ({self.n} < {n}) AND {self.g} IS NOT NULL",
        )
        return chance.choice(choices)


def _text(chance: random.Random) -> str:
    return "NULL" if chance.random() < 0.15 else f"'{chance.choice(WORDS)}'"


def _number(chance: random.Random) -> str:
    return "NULL" if chance.random() < 0.15 else str(chance.randrange(-5, 15))


def _real(chance: random.Random) -> str:
    return "NULL" if chance.random() < 0.15 else str(chance.randrange(-40, 100) / 4)


def _comparison(c: random.Random, w: World) -> list[str]:
    return [f"SELECT {w.k}, {w.n} {c.choice(COMPARISONS)} {c.randrange(8)}, {w.predicate(c)} FROM {w.a} WHERE {w.predicate(c)}"]


def _arithmetic(c: random.Random, w: World) -> list[str]:
    operator = c.choice(("+", "-", "*", "/", "%", "&", "|", "<<", ">>"))
    return [f"SELECT {w.k}, {w.n} {operator} {c.randrange(1, 7)}, -{w.r} * {c.randrange(2, 5)}, {w.n} / 2.0, ~{w.n} FROM {w.a}"]


def _aggregate(c: random.Random, w: World) -> list[str]:
    function = c.choice(("sum", "min", "max", "count", "total", "avg"))
    return [f"SELECT count(*), count({w.n}), {function}({w.n}), {function}(DISTINCT {w.n}) FROM {w.a} WHERE {w.predicate(c)}"]


def _group_by(c: random.Random, w: World) -> list[str]:
    having = c.choice(("", f" HAVING count(*) > {c.randrange(3)}", f" HAVING sum({w.n}) IS NOT NULL"))
    return [f"SELECT {w.g}, count(*), sum({w.n}), max({w.r}) FROM {w.a} GROUP BY {w.g}{having} ORDER BY 1"]


def _distinct(c: random.Random, w: World) -> list[str]:
    return [f"SELECT DISTINCT {c.choice((w.g, w.n, w.t))} FROM {w.a} WHERE {w.predicate(c)}"]


def _inner_join(c: random.Random, w: World) -> list[str]:
    order = c.choice((f"{w.a} AS x JOIN {w.b} AS y", f"{w.b} y CROSS JOIN {w.a} x", f"{w.a} x INNER JOIN {w.b} y"))
    return [f"SELECT x.{w.k}, y.{w.k}, y.{w.v} FROM {order} ON y.{w.ref} = x.{w.k} WHERE {w.predicate(c)}"]


def _outer_join(c: random.Random, w: World) -> list[str]:
    kind = c.choice(("LEFT", "RIGHT", "FULL", "LEFT OUTER", "FULL OUTER"))
    where = c.choice(("", f" WHERE y.{w.u} IS NULL", f" WHERE x.{w.n} > 2"))
    return [f"SELECT x.{w.k}, x.{w.g}, y.{w.k}, y.{w.u} FROM {w.a} x {kind} JOIN {w.b} y ON y.{w.ref} = x.{w.k}{where}"]


def _natural_join(c: random.Random, w: World) -> list[str]:
    join = c.choice(
        (f"NATURAL JOIN {w.b}", f"JOIN {w.b} USING ({w.k})", f"LEFT JOIN {w.b} USING ({w.k})", f"NATURAL LEFT JOIN {w.b}")
    )
    return [f"SELECT {w.k}, {w.n}, {w.u} FROM {w.a} {join}", f"SELECT count(*), sum({w.k}) FROM {w.a} {join}"][
        : c.randrange(1, 3)
    ]


def _order_by(c: random.Random, w: World) -> list[str]:
    nulls = c.choice(("", " NULLS FIRST", " NULLS LAST"))
    order = f"{w.n} {c.choice(('ASC', 'DESC'))}{nulls}, {w.t} {c.choice(('', 'COLLATE NOCASE', 'DESC'))}, {w.k}"
    return [f"SELECT {w.k}, {w.n}, {w.t} FROM {w.a} ORDER BY {order} LIMIT {c.randrange(1, 9)} OFFSET {c.randrange(3)}"]


def _subquery(c: random.Random, w: World) -> list[str]:
    inner = c.choice((f"SELECT {w.ref} FROM {w.b}", f"SELECT {w.ref} FROM {w.b} WHERE {w.ref} IS NOT NULL"))
    condition = c.choice((f"{w.k} IN ({inner})", f"{w.k} NOT IN ({inner})"))
    scalar = f"(SELECT max({w.u}) FROM {w.b} WHERE {w.b}.{w.ref} = {w.a}.{w.k})"
    return [f"SELECT {w.k}, {scalar} FROM {w.a} WHERE {condition}"]


def _exists(c: random.Random, w: World) -> list[str]:
    word = c.choice(("EXISTS", "NOT EXISTS"))
    return [
        f"SELECT {w.k} FROM {w.a} x WHERE {word}"
        f" (SELECT 1 FROM {w.b} y WHERE y.{w.ref} = x.{w.k} AND y.{w.u} > {c.randrange(6)})"
    ]


def _compound(c: random.Random, w: World) -> list[str]:
    operator = c.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT"))
    return [f"SELECT {w.n} FROM {w.a} {operator} SELECT {w.u} FROM {w.b} ORDER BY 1"]


def _common_table(c: random.Random, w: World) -> list[str]:
    n = c.randrange(3, 12)
    if c.random() < 0.5:
        return [
            f"WITH RECURSIVE q(i, s) AS (SELECT 1, 0 UNION ALL SELECT i + 1, s + i FROM q WHERE i < {n}) SELECT i, s FROM q"
        ]
    return [f"WITH q AS (SELECT {w.g} AS h, count(*) AS c FROM {w.a} GROUP BY 1) SELECT * FROM q WHERE c >= {n % 3} ORDER BY h"]


def _window(c: random.Random, w: World) -> list[str]:
    function = c.choice(("row_number()", "rank()", "dense_rank()", f"sum({w.n})", f"lag({w.k})", f"lead({w.k}, 2)", "count(*)"))
    partition = c.choice(("", f"PARTITION BY {w.g} "))
    return [f"SELECT {w.k}, {function} OVER ({partition}ORDER BY {w.n}, {w.k}) FROM {w.a} ORDER BY {w.k}"]


def _case_and_null(c: random.Random, w: World) -> list[str]:
    n = c.randrange(8)
    case = f"CASE WHEN {w.predicate(c)} THEN 'y' WHEN {w.n} IS NULL THEN 'z' ELSE {n} END"
    return [f"SELECT {w.k}, {case}, coalesce({w.n}, {w.r}, {n}), nullif({w.n}, {n}), ifnull({w.t}, '-') FROM {w.a}"]


def _like(c: random.Random, w: World) -> list[str]:
    pattern = c.choice(("%e%", "_e%", "%A", "d%", "%", "it''s", "%x_"))
    return [f"SELECT {w.k}, {w.t} LIKE '{pattern}', {w.t} GLOB '*e*' FROM {w.a} WHERE {w.g} NOT LIKE '{pattern}'"]


def _text_functions(c: random.Random, w: World) -> list[str]:
    n = c.randrange(-3, 5)
    return [
        f"SELECT {w.k}, upper({w.t}), length({w.t}), substr({w.t}, {n}, 3), replace({w.t}, 'e', '3'), instr({w.t}, 'a'),"
        f" trim({w.t}), {w.t} || '-' || {w.n}, hex({w.t}), typeof({w.r}) FROM {w.a}"
    ]


def _number_functions(c: random.Random, w: World) -> list[str]:
    return [
        f"SELECT {w.k}, abs({w.n}), round({w.r}, {c.randrange(3)}), max({w.n}, 3), min({w.k}, {w.n}), sign({w.r}) FROM {w.a}"
    ]


def _cast_and_affinity(c: random.Random, w: World) -> list[str]:
    kind = c.choice(("INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB"))
    return [
        f"SELECT {w.k}, CAST({w.t} AS {kind}), CAST({w.r} AS INTEGER), typeof(CAST({w.n} AS {kind})), {w.t} = {w.k} FROM {w.a}"
    ]


def _dates(c: random.Random, w: World) -> list[str]:
    day = f"20{c.randrange(10, 60)}-0{c.randrange(1, 10)}-{c.randrange(10, 29)}"
    shift = c.choice(("+1 month", "-3 days", "start of month", "+1 year", "weekday 2"))
    return [f"SELECT date('{day}', '{shift}'), strftime('%Y/%j/%w', '{day}'), julianday('{day}') - julianday('2001-01-01')"]


def _json(c: random.Random, w: World) -> list[str]:
    text = f'{{"p": [1, {c.randrange(9)}, {{"q": "{c.choice(WORDS[:6])}"}}], "z": null}}'
    return [
        f"SELECT json_extract('{text}', '$.p[2].q'), '{text}' ->> '$.p[1]',"
        f" json_array_length('{text}', '$.p'), json_type('{text}', '$.z')"
    ]


def _update(c: random.Random, w: World) -> list[str]:
    return [
        f"UPDATE {w.a} SET {w.n} = {w.n} + {c.randrange(1, 9)}, {w.t} = {_text(c)} WHERE {w.predicate(c)}",
        f"SELECT * FROM {w.a} ORDER BY {w.k}",
    ]


def _delete(c: random.Random, w: World) -> list[str]:
    return [f"DELETE FROM {w.a} WHERE {w.predicate(c)}", f"SELECT count(*), sum({w.k}), min({w.n}) FROM {w.a}"]


def _insert_select(c: random.Random, w: World) -> list[str]:
    return [
        f"INSERT INTO {w.b} SELECT {w.k} + 100, {w.k}, {w.n}, {w.t} FROM {w.a} WHERE {w.predicate(c)}",
        f"SELECT * FROM {w.b} ORDER BY {w.k} DESC",
    ]


def _conflicts(c: random.Random, w: World) -> list[str]:
    key = c.randrange(1, 14)
    insert = c.choice(
        (
            f"INSERT OR IGNORE INTO {w.a} VALUES ({key}, 'g', 1, 1.0, 't')",
            f"INSERT OR REPLACE INTO {w.a} VALUES ({key}, 'g', 1, 1.0, 't')",
            f"INSERT INTO {w.a}({w.k}, {w.n}) VALUES ({key}, 50) ON CONFLICT({w.k}) DO UPDATE SET {w.n} = excluded.{w.n} + 1",
            f"INSERT INTO {w.a}({w.k}) VALUES ({key}), ({key})",
        )
    )
    return [insert, f"SELECT * FROM {w.a} ORDER BY {w.k}"]


def _index(c: random.Random, w: World) -> list[str]:
    unique = c.choice(("", f" WHERE {w.n} > 3"))
    return [
        f"CREATE INDEX {w.a}_i ON {w.a}({w.n}, {w.g}){unique}",
        f"SELECT {w.k}, {w.n} FROM {w.a} WHERE {w.n} > {c.randrange(3, 7)} AND {w.g} {c.choice(COMPARISONS)} {_text(c)}",
    ]


def _view(c: random.Random, w: World) -> list[str]:
    return [
        f"CREATE VIEW {w.a}_v AS SELECT {w.g} AS h, {w.n} + 1 AS m FROM {w.a} WHERE {w.predicate(c)}",
        f"SELECT h, m FROM {w.a}_v WHERE m > {c.randrange(5)} OR h IS NULL",
    ]


def _trigger(c: random.Random, w: World) -> list[str]:
    time = c.choice(("AFTER", "BEFORE"))
    body = f"INSERT INTO {w.b}({w.ref}, {w.u}) VALUES (old.{w.k}, old.{w.n} + {c.randrange(5)});"
    return [
        f"CREATE TRIGGER {w.a}_t {time} DELETE ON {w.a} WHEN old.{w.k} > {c.randrange(6)} BEGIN {body} END",
        f"DELETE FROM {w.a} WHERE {w.predicate(c)}",
        f"SELECT {w.k}, {w.ref}, {w.u} FROM {w.b} ORDER BY {w.k}",
    ]


def _constraints(c: random.Random, w: World) -> list[str]:
    n = c.randrange(1, 9)
    return [
        f"CREATE TABLE {w.a}_c(p INTEGER NOT NULL CHECK (p > {n - 3}), q TEXT UNIQUE COLLATE NOCASE DEFAULT 'd',"
        f" s AS (p * {n}))",
        f"INSERT INTO {w.a}_c(p) VALUES ({n})",
        f"INSERT INTO {w.a}_c VALUES ({c.randrange(9)}, {_text(c)})",
        f"INSERT OR IGNORE INTO {w.a}_c VALUES (NULL, 'x'), ({n + 1}, 'D')",
        f"SELECT p, q, s FROM {w.a}_c ORDER BY rowid",
    ]


def _transaction(c: random.Random, w: World) -> list[str]:
    end = c.choice(("ROLLBACK", "COMMIT"))
    inner = c.choice(("ROLLBACK TO s1", "RELEASE s1"))
    return [
        "BEGIN",
        f"DELETE FROM {w.b} WHERE {w.k} < {c.randrange(2, 7)}",
        "SAVEPOINT s1",
        f"UPDATE {w.b} SET {w.u} = {w.k} * 2",
        inner,
        end,
        f"SELECT * FROM {w.b} ORDER BY {w.k}",
    ]


def _alter(c: random.Random, w: World) -> list[str]:
    change = c.choice(
        (
            f"RENAME COLUMN {w.n} TO nn",
            f"ADD COLUMN nn INTEGER DEFAULT {c.randrange(9)}",
            f"DROP COLUMN {w.r}",
            f"RENAME TO {w.a}_x",
        )
    )
    return [
        f"ALTER TABLE {w.a} {change}",
        f"SELECT count(*), max({w.k}), max({w.t}) FROM {w.a}{'_x' if 'TO ' + w.a in change else ''}",
    ]


def _without_rowid(c: random.Random, w: World) -> list[str]:
    return [
        f"CREATE TABLE {w.b}_w(p TEXT, q INTEGER, z, PRIMARY KEY (p, q)) WITHOUT ROWID",
        f"INSERT OR REPLACE INTO {w.b}_w SELECT ifnull({w.v}, '?'), ifnull({w.u}, 0), {w.k} FROM {w.b}",
        f"SELECT * FROM {w.b}_w WHERE q >= {c.randrange(-2, 4)}",
    ]


def _collation(c: random.Random, w: World) -> list[str]:
    name = c.choice(("NOCASE", "BINARY", "RTRIM"))
    return [
        f"SELECT {w.k}, {w.t} = 'delta' COLLATE {name}, {w.t} < {_text(c)} COLLATE {name}"
        f" FROM {w.a} WHERE {w.g} >= 'b' COLLATE {name}"
    ]


def _large_values(c: random.Random, w: World) -> list[str]:
    table = f"{w.b}_l"
    rows = ", ".join(f"({key}, {large_literal(c)}, {large_literal(c)})" for key in range(1, c.randrange(4, 8)))
    change = c.choice(
        (
            f"UPDATE {table} SET q = q || {large_literal(c)} WHERE p % 2",
            f"DELETE FROM {table} WHERE p = 2",
            f"INSERT INTO {table}(q, s) SELECT s, q FROM {table} WHERE length(q) > 100",
            f"CREATE INDEX {table}_i ON {table}(s)",
        )
    )
    asked = c.choice(
        (
            f"p, typeof(q), length(q), hex(substr(q, -3)), hex(substr(q, {c.randrange(1, 70)}, 4)), length(s), s > q",
            f"p, length(q || s), instr(q, '{c.randrange(10)}'), quote(substr(s, 1, 5)), length(hex(q)), q IS s",
            "count(q), count(DISTINCT s), sum(length(q)), max(length(s)), hex(substr(min(q), 1, 3)), typeof(max(s))",
            "p, length(replace(s, 'x', 'yz')), length(upper(s)), length(trim(s, 'xa')), length(CAST(q AS TEXT)), unicode(s)",
        )
    )
    return [
        f"CREATE TABLE {table}(p INTEGER PRIMARY KEY, q, s)",
        f"INSERT INTO {table} VALUES {rows}",
        change,
        f"SELECT {asked} FROM {table}" + (" ORDER BY p" if asked.startswith("p,") else ""),
    ]


def _mixed_types(c: random.Random, w: World) -> list[str]:
    table = f"{w.b}_m"
    rows = ", ".join(f"({key}, {any_literal(c)}, {any_literal(c)}, {any_literal(c)})" for key in range(1, c.randrange(6, 12)))
    calls = ("length(x)", "hex(substr(x, 1, 9))", "quote(substr(z, 1, 9))", "typeof(y + z)", "round(y, 1)", "coalesce(x, y, 0)")
    asked = c.choice(
        (
            f"SELECT p, typeof(x), typeof(y), typeof(z) FROM {table} ORDER BY {c.choice('xyz')} {c.choice(('', 'DESC'))}, p",
            f"SELECT p, x < y, y = z, z >= x, x IS y, max(x, y) IS x, nullif(y, z) IS NULL FROM {table} ORDER BY p",
            f"SELECT count({c.choice('xyz')}), typeof(max(x)), typeof(min(y)), count(DISTINCT z), typeof(sum(y)) FROM {table}",
            f"SELECT p, {', '.join(c.sample(calls, 4))} FROM {table} ORDER BY p",
            f"SELECT typeof(x), count(*) FROM {table} GROUP BY typeof(x) HAVING count(*) > {c.randrange(2)} ORDER BY 1",
            f"SELECT p, CAST(x AS INTEGER), CAST(y AS REAL) > 0, length(CAST(z AS BLOB)) FROM {table} ORDER BY p",
            f"SELECT a.p, b.p FROM {table} a JOIN {table} b ON a.x = b.{c.choice('yz')} ORDER BY 1, 2",
            f"SELECT p FROM {table} WHERE {c.choice('xyz')} {c.choice(COMPARISONS)} {any_literal(c)} ORDER BY p",
        )
    )
    index = [f"CREATE INDEX {table}_i ON {table}({c.choice('xyz')})"] if c.random() < 0.5 else []
    return [
        f"CREATE TABLE {table}(p INTEGER PRIMARY KEY, x, y NUMERIC, z TEXT)",
        *index,
        f"INSERT INTO {table} VALUES {rows}",
        asked,
    ]


Generator = Callable[[random.Random, World], list[str]]
# {name: (generator, the features of sql_text that records of its kind have)}
GENERATORS: dict[str, tuple[Generator, frozenset[str]]] = {
    "comparison": (_comparison, frozenset(("between", "is"))),
    "arithmetic": (_arithmetic, frozenset()),
    "aggregate": (_aggregate, frozenset(("sum()", "count()", "min()", "max()", "avg()", "total()"))),
    "group by": (_group_by, frozenset(("group by", "having"))),
    "distinct": (_distinct, frozenset(("distinct",))),
    "order by": (_order_by, frozenset(("order by", "limit", "nulls first or last"))),
    "outer join": (_outer_join, frozenset(("full join", "left join", "right join"))),
    "natural join": (_natural_join, frozenset(("natural join", "using"))),
    "subquery": (_subquery, frozenset(("subquery", "in"))),
    "exists": (_exists, frozenset(("exists",))),
    "compound": (_compound, frozenset(("union", "union all", "intersect", "except"))),
    "common table": (_common_table, frozenset(("common table expression", "recursive"))),
    "window": (_window, frozenset(("window", "window frame", "filter"))),
    "case and null": (_case_and_null, frozenset(("case", "coalesce()", "nullif()", "ifnull()"))),
    "like": (_like, frozenset(("like", "glob"))),
    "text functions": (
        _text_functions,
        frozenset(("upper()", "length()", "substr()", "replace()", "instr()", "concatenation")),
    ),
    "number functions": (_number_functions, frozenset(("abs()", "round()", "sign()"))),
    "cast and affinity": (_cast_and_affinity, frozenset(("cast",))),
    "dates": (_dates, frozenset(("date functions",))),
    "json": (_json, frozenset(("json",))),
    "update": (_update, frozenset(("update",))),
    "delete": (_delete, frozenset(("delete",))),
    "insert select": (_insert_select, frozenset(("insert select",))),
    "conflicts": (_conflicts, frozenset(("upsert", "conflict clause", "replace"))),
    "index": (_index, frozenset(("create index", "partial index"))),
    "view": (_view, frozenset(("create view",))),
    "trigger": (_trigger, frozenset(("create trigger",))),
    "constraints": (_constraints, frozenset(("check", "unique", "default", "generated column"))),
    "transaction": (_transaction, frozenset(("transaction", "savepoint"))),
    "alter": (_alter, frozenset(("alter table",))),
    "without rowid": (_without_rowid, frozenset(("without rowid",))),
    "collation": (_collation, frozenset(("collate",))),
    "inner join": (_inner_join, frozenset(("join",))),
    # Whatever a repair is about, it meets values of every class.
    "large values": (_large_values, frozenset()),
    "mixed types": (_mixed_types, frozenset()),
}


class HeldOut:
    """One script of the hold-out; `is_own` when it is about a feature that the target records use."""

    __slots__ = ("feature", "is_own", "script")

    def __init__(self, feature: str, script: list[str], is_own: bool) -> None:
        self.feature = feature
        self.script = script
        self.is_own = is_own


def make_holdout(seed: str, target_features: Collection[str], per_feature: int = 8) -> list[HeldOut]:
    """Scripts for every generator, answered by nobody yet; the same for the same seed."""
    wanted = frozenset(target_features)
    held: list[HeldOut] = []
    for name, (generator, features) in GENERATORS.items():
        chance = random.Random(f"{seed}/{name}")
        dealer = Dealer(f"{seed}/{name}/choices")
        for _ in range(per_feature):
            world = World(chance)
            held.append(HeldOut(name, [*world.setup, *generator(dealer, world)], bool(features & wanted)))
    return held


def answer_all(held: Sequence[HeldOut]) -> list[Answer]:
    """SQLite's answers to the scripts' last statements."""
    reference = reference_engine()
    answers = []
    for item in held:
        answers.append(replay(reference, item.script))
        reference.close()
    return answers


def agreement(held: Sequence[HeldOut], answers: Sequence[Answer], engine: ProcessEngine) -> list[bool]:
    """Whether the engine agrees with SQLite, script by script; closes the engine."""
    agreed: list[bool] = []
    try:
        for item, expected in zip(held, answers, strict=True):
            actual = replay(engine, item.script)
            is_ordered = bool(re.search(r"\border\s+by\b", item.script[-1], re.I))
            agreed.append(not differs(expected, actual, is_ordered))
            if actual.stage in ("crash", "import"):
                engine.restart()
    finally:
        engine.close()
    return agreed


def counts(held: Sequence[HeldOut], agreed: Sequence[bool]) -> dict[str, tuple[int, int]]:
    """{'own' or 'other': (passed, total)}."""
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for item, is_right in zip(held, agreed, strict=True):
        total = totals["own" if item.is_own else "other"]
        total[0] += is_right
        total[1] += 1
    return {side: (passed, total) for side, (passed, total) in totals.items()}
