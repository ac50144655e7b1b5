"""Random SELECTs over a small schema with indexes, views and a WITHOUT ROWID table, made from a seed alone."""

from __future__ import annotations

import random

SCHEMA = (
    "create table t0(a int, b text, c real, d)",
    "create table t1(id integer primary key, x int, y text collate nocase, z)",
    "create table t2(k text, v int, w numeric, primary key(k, v)) without rowid",
    "create table t3(p, q int unique, r text)",
    "create index t0a on t0(a)",
    "create index t0bc on t0(b, c desc)",
    "create index t1xy on t1(x, y)",
    "create index t3r on t3(r collate nocase)",
    "create view v0 as select a + 1 as a1, b, c from t0 where a is not null",
    "create view v1 as select x, count(*) as n, max(y) as m from t1 group by x",
    "create view v2 as select a as u, b as s from t0 union all select id, y from t1",
)
COLUMNS = {
    "t0": ("a", "b", "c", "d"),
    "t1": ("id", "x", "y", "z"),
    "t2": ("k", "v", "w"),
    "t3": ("p", "q", "r"),
    "v0": ("a1", "b", "c"),
    "v1": ("x", "n", "m"),
    "v2": ("u", "s"),
}
VALUES = (
    "null", "0", "1", "2", "3", "5", "-1", "2.0", "1.5", "'a'", "'b'", "'B'", "'abc'", "'1'", "'2'", "x'61'", "10",
)  # fmt: skip
_BINARY = ("+", "-", "*", "/", "%", "||", "&", "|", "=", "<>", "<", "<=", ">", ">=", "is", "is not", "and", "or")
_CALLS = ("coalesce({}, {})", "abs({})", "typeof({})", "max({}, {})", "length({})", "nullif({}, {})", "upper({})", "quote({})")
_AGGREGATES = ("count(*)", "count({})", "sum({})", "min({})", "max({})", "total({})", "count(distinct {})", "avg({})")
_JOINS = (",", " join ", " left join ", " left join ", " cross join ", " right join ", " full join ")


def rows(dice: random.Random) -> list[str]:
    """INSERT statements that fill the tables."""
    script = []
    for number in range(dice.randint(4, 9)):
        values = [dice.choice(VALUES) for _ in range(4)]
        script.append(f"insert into t0 values({', '.join(values)})")
        script.append(f"insert or ignore into t1 values({number}, {', '.join(values[1:])})")
        script.append(f"insert or ignore into t2 values('{dice.randint(1, 3)}', {dice.randint(0, 5)}, {values[0]})")
        script.append(f"insert or ignore into t3 values({', '.join(values[:3])})")
    return script


class Generator:
    """Makes SELECTs; `dice` decides everything."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.n_aliases = 0

    def expression(self, columns: list[str], depth: int = 0) -> str:
        """An expression over some columns."""
        dice = self.dice
        if depth > 2 or dice.random() < 0.3:
            return dice.choice(columns) if columns and dice.random() < 0.8 else dice.choice(VALUES)
        part = [self.expression(columns, depth + 1) for _ in range(3)]
        negation = dice.choice(("", "not "))
        forms = (
            f"({part[0]} {dice.choice(_BINARY)} {part[1]})",
            f"({part[0]} {dice.choice(_BINARY)} {part[1]})",
            f"(not {part[0]})",
            f"({part[0]} {negation}between {part[1]} and {part[2]})",
            f"({part[0]} {negation}in ({part[1]}, {part[2]}))",
            f"({part[0]} is {negation}null)",
            f"case when {part[0]} then {part[1]} else {part[2]} end",
            dice.choice(_CALLS).format(*part),
            f"cast({part[0]} as {dice.choice(('int', 'text', 'real', 'numeric'))})",
            f"({part[0]} collate {dice.choice(('nocase', 'binary'))})",
            f"(-{part[0]})",
        )
        # Chosen before it is made: a subquery holds expressions again.
        return self.subquery(columns) if depth < 2 and dice.random() < 0.08 else dice.choice(forms)

    def aggregate(self, columns: list[str]) -> str:
        """An aggregate call."""
        return self.dice.choice(_AGGREGATES).format(self.expression(columns, 2))

    def subquery(self, outer: list[str]) -> str:
        """A subquery that may read outer columns."""
        dice = self.dice
        source, columns = self.sources(1)
        where = self.condition(columns + outer)
        operand = dice.choice(outer) if outer else "1"
        forms = (
            f"exists(select 1 from {source} where {where})",
            f"({operand} in (select {dice.choice(columns)} from {source} where {where}))",
            f"(select {self.aggregate(columns)} from {source} where {where})",
            f"(select {dice.choice(columns)} from {source} where {where} order by {', '.join(columns)} limit 1)",
        )
        return dice.choice(forms)

    def condition(self, columns: list[str]) -> str:
        """A condition of one to three terms, mostly such that an index may serve them."""
        dice = self.dice
        terms = []
        for _ in range(dice.randint(1, 3)):
            column = dice.choice(columns)
            other = dice.choice(columns) if dice.random() < 0.4 else dice.choice(VALUES)
            forms = (
                f"{column} {dice.choice(('=', '<', '>', '<=', '>=', '<>', 'is'))} {other}",
                f"{column} in ({dice.choice(VALUES)}, {dice.choice(VALUES)})",
                f"{column} between {dice.choice(VALUES)} and {dice.choice(VALUES)}",
                f"{column} is null",
                f"{column} is not null",
            )
            terms.append(dice.choice(forms) if dice.random() < 0.8 else self.expression(columns, 1))
        return dice.choice((" and ", " and ", " or ")).join(terms)

    def sources(self, count: int) -> tuple[str, list[str]]:
        """A FROM clause of `count` items and its columns."""
        dice = self.dice
        text = ""
        columns: list[str] = []
        for number in range(count):
            self.n_aliases += 1
            alias = f"q{self.n_aliases}"
            if dice.random() < 0.15:
                query, names = self.block(1)
                item = f"({query}) as {alias}"
            else:
                table = dice.choice(list(COLUMNS))
                item, names = f"{table} as {alias}", list(COLUMNS[table])
            own = [f"{alias}.{name}" for name in names]
            if not number:
                text = item
            else:
                join = dice.choice(_JOINS)
                text += join + item
                if join != "," and dice.random() < 0.9:
                    text += f" on {dice.choice(columns)} = {dice.choice(own)}"
            columns += own
        return text, columns

    def block(self, n_sources: int) -> tuple[str, list[str]]:
        """A SELECT without ORDER BY and the names of its columns."""
        dice = self.dice
        source, columns = self.sources(n_sources)
        distinct = "distinct " if dice.random() < 0.15 else ""
        keys = [dice.choice(columns) for _ in range(dice.randint(0, 2))]
        if dice.random() < 0.3:
            items = [*keys, *(self.aggregate(columns) for _ in range(dice.randint(1, 3)))]
            group = f" group by {', '.join(keys)}" if keys else ""
        else:
            items = [self.expression(columns, 1) for _ in range(dice.randint(1, 3))]
            group = ""
        names = [f"c{number}" for number in range(len(items))]
        results = ", ".join(f"{item} as {name}" for item, name in zip(items, names))
        where = f" where {self.condition(columns)}" if dice.random() < 0.7 else ""
        return f"select {distinct}{results} from {source}{where}{group}", names

    def query(self) -> str:
        """A whole SELECT, sometimes a compound."""
        dice = self.dice
        text, names = self.block(dice.choice((1, 1, 2, 2, 3)))
        if dice.random() < 0.15:
            other, other_names = self.block(1)
            while len(other_names) != len(names):
                other, other_names = self.block(1)
            text += dice.choice((" union ", " union all ", " intersect ", " except ")) + other
        return text
