"""Random SELECTs that are valid for a schema: joins, subqueries, compounds, common tables, windows, aggregates.

Where a row could come out differently in two correct engines (LIMIT without a total order, a frame over ties) the query orders
by everything that it can; what is still open, `judging.is_open` finds out by asking SQLite in several ways.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.expressions import Expressions
from tests.fuzz.schemas import Table

JOINS = (
    ", ",
    " join ",
    " join ",
    " left join ",
    " left join ",
    " cross join ",
    " right join ",
    " full join ",
    " natural join ",
    " natural left join ",
)
COMPOUNDS = (" union ", " union all ", " intersect ", " except ")
WINDOW_CALLS = (
    "row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)", "lag({0})", "lead({0}, 1, {1})",
    "first_value({0})", "last_value({0})", "nth_value({0}, 2)", "count(*)", "count({0})", "sum({0})", "min({0})", "max({0})",
    "avg({0})", "total({0})", "group_concat({0})",
)  # fmt: skip
BOUNDS = ("unbounded preceding", "1 preceding", "current row", "1 following", "2 following", "unbounded following")
EXCLUDES = ("", "", "", " exclude current row", " exclude group", " exclude ties", " exclude no others")


@dataclass
class Source:
    """A FROM item: its text, its columns with their alias, and an expression list that tells its rows apart."""

    text: str
    columns: list[str]
    key: list[str]


@dataclass
class Block:
    """The parts of a SELECT; `text` puts them together."""

    items: list[str]
    source: str
    where: str = ""
    group: str = ""
    having: str = ""
    distinct: str = ""
    window: str = ""

    def text(self) -> str:
        """The SELECT without ORDER BY."""
        results = ", ".join(f"{item} as c{number}" for number, item in enumerate(self.items))
        parts = [f"select {self.distinct}{results}", f"from {self.source}" if self.source else ""]
        parts += [f"where {self.where}" if self.where else "", f"group by {self.group}" if self.group else ""]
        parts += [f"having {self.having}" if self.having else "", self.window]
        return " ".join(part for part in parts if part)


class Queries:
    """A source of SELECTs over `tables`."""

    def __init__(self, dice: random.Random, tables: Sequence[Table]) -> None:
        self.dice = dice
        self.tables = tables
        self.expressions = Expressions(dice, self.subquery)
        self.n_aliases = 0
        self.depth = 0
        self.commons: list[Table] = []
        # Whether the last query's order is total.
        self.is_total = False

    def alias(self) -> str:
        """A new name for a FROM item."""
        self.n_aliases += 1
        return f"q{self.n_aliases}"

    def source(self) -> Source:
        """One FROM item."""
        dice = self.dice
        alias = self.alias()
        choice = dice.random()
        if dice.random() < 0.03:
            call = dice.choice(
                ("json_each('[1,null,\"a\",2.5]')", 'json_tree(\'{"a":[1,2],"b":{"c":null}}\')', "json_each('{\"k\":7}', '$')")
            )
            own = [f"{alias}.{name}" for name in ("key", "value", "type", "atom", "fullkey")]
            return Source(f"{call} as {alias}", own, [f"{alias}.fullkey", f"{alias}.key"])
        if choice < 0.13 and self.depth < 2:
            self.depth += 1
            query, n_columns = self.compound(dice.choice((1, 2, 2, 3))) if dice.random() < 0.8 else self.values(2)
            self.depth -= 1
            own = [
                f"{alias}.{'column' if query.startswith('values') else 'c'}{number + query.startswith('values')}"
                for number in range(n_columns)
            ]
            return Source(f"({query}) as {alias}", own, own)
        table = dice.choice([*self.tables, *self.commons]) if choice < 0.9 or not self.commons else dice.choice(self.commons)
        own = [f"{alias}.{column}" for column in table.columns]
        hint = " not indexed" if dice.random() < 0.03 and not table.is_view else ""
        if dice.random() < 0.02 and not table.is_view:
            hint = f" indexed by i{dice.randint(1, 3)}"
        key = [f"{alias}.rowid"] if table.has_rowid and not table.is_view else own
        if dice.random() < 0.1 and table.has_rowid:
            own = [*own, f"{alias}.rowid"]
        return Source(f"{table.name} as {alias}{hint}", own, key)

    def values(self, n_columns: int) -> tuple[str, int]:
        """VALUES with some rows."""
        rows = [f"({', '.join(self.expressions.literal() for _ in range(n_columns))})" for _ in range(self.dice.randint(1, 3))]
        return f"values {', '.join(rows)}", n_columns

    def sources(self, count: int, outer: Sequence[str] = ()) -> Source:
        """A FROM clause."""
        dice = self.dice
        made = self.source()
        text, columns, key = made.text, list(made.columns), list(made.key)
        for _ in range(count - 1):
            other = self.source()
            join = dice.choice(JOINS)
            if dice.random() < 0.04:
                third = self.source()
                item = f"({other.text} left join {third.text} on {dice.choice(other.columns)} = {dice.choice(third.columns)})"
                other = Source(item, other.columns + third.columns, other.key + third.key)
            text += join + other.text
            if "natural" not in join and join != ", " and dice.random() < 0.9:
                text += self.constraint(columns, other.columns)
            columns += other.columns
            key += other.key
        return Source(text, columns, key)

    def constraint(self, left: list[str], right: list[str]) -> str:
        """ON or USING."""
        dice = self.dice
        shared = sorted({name.rpartition(".")[2] for name in left} & {name.rpartition(".")[2] for name in right} - {"rowid"})
        if shared and dice.random() < 0.15:
            names = sorted(name for name in shared if sum(each.endswith("." + name) for each in left) == 1)
            if names:
                return f" using ({', '.join(dice.sample(names, min(len(names), dice.choice((1, 1, 2)))))})"
        text = f" on {dice.choice(left)} {dice.choice(('=', '=', '=', '=', '<', 'is', '<>'))} {dice.choice(right)}"
        return text + (f" and {self.expressions.term(left + right, 1)}" if dice.random() < 0.3 else "")

    def block(self, n_sources: int, n_items: int, outer: Sequence[str] = ()) -> Block:
        """A SELECT of some items: plain, aggregated, or with windows."""
        dice, made = self.dice, self.expressions
        source = self.sources(n_sources)
        columns = source.columns + list(outer)
        block = Block([], source.text)
        if dice.random() < 0.7:
            block.where = made.condition(columns)
        kind = dice.random()
        if kind < 0.25:
            # An aggregate that reads columns from outside alone would belong to the SELECT out there.
            self.group(block, source.columns, n_items)
        elif kind < 0.35 and not outer:
            self.windowed(block, source, n_items)
        else:
            block.items = [made.value(columns, dice.choice((0, 1, 1, 2))) for _ in range(n_items)]
            block.distinct = "distinct " if dice.random() < 0.12 else ""
        return block

    def group(self, block: Block, columns: list[str], n_items: int) -> None:
        """GROUP BY keys, aggregates, HAVING."""
        dice, made = self.dice, self.expressions
        keys = [
            dice.choice(columns) if dice.random() < 0.8 else made.value(columns, 1) for _ in range(dice.choice((0, 1, 1, 2)))
        ]
        # A constant would be a column's number.
        keys = [key if any(column in key for column in columns) else f"({key} || '')" for key in keys]
        block.items = []
        for _number in range(n_items):
            use_key = keys and dice.random() < 0.4
            block.items.append(dice.choice(keys) if use_key else made.aggregate(columns))
        if dice.random() < 0.15 and keys:
            block.items[-1] = f"coalesce({made.aggregate(columns)}, {dice.choice(keys)})"
        block.group = ", ".join(keys)
        if dice.random() < 0.25 and keys:
            terms = [made.aggregate(columns), dice.choice(keys)]
            block.having = made.term(terms, 0)
        if dice.random() < 0.08 and keys:
            call = dice.choice(("rank()", "sum(count(*))", f"max({made.aggregate(columns)})", "count(*)", "lag(count(*))"))
            block.items[-1] = f"{call} over (order by {', '.join(keys)}, count(*))"

    def windowed(self, block: Block, source: Source, n_items: int) -> None:
        """Window functions over a total order."""
        dice, made = self.dice, self.expressions
        block.items = [dice.choice(source.columns)] if n_items > 1 else []
        while len(block.items) < n_items:
            text = dice.choice(WINDOW_CALLS).format(made.value(source.columns, 1), made.literal())
            is_aggregate = text.startswith(("count", "sum", "min", "max", "avg", "total", "group"))
            if is_aggregate and dice.random() < 0.15:
                text += f" filter (where {made.term(source.columns, 0)})"
            block.items.append(f"{text} over ({self.window(source, may_tie=is_aggregate and 'group' not in text)})")
        if dice.random() < 0.15 and n_items > 1:
            if dice.random() < 0.5:
                block.window = f"window w as ({self.window(source, has_frame=False)})"
                block.items[-1] = "rank() over w"
            else:
                keys = ", ".join([dice.choice(source.columns), *source.key])
                block.window = f"window w as (partition by {dice.choice(source.columns)}), x as (w order by {keys})"
                block.items[-1] = dice.choice(
                    ("sum(1) over x", "count(*) over (x rows 2 preceding)", f"rank() over (w order by {keys})")
                )

    def window(self, source: Source, has_frame: bool = True, may_tie: bool = False) -> str:
        """A window's definition; only if it `may_tie` are rows of one place in the order told apart by nothing."""
        dice = self.dice
        partition = f"partition by {dice.choice(source.columns)} " if dice.random() < 0.5 else ""
        order = ", ".join([dice.choice(source.columns) + dice.choice(("", " desc", " nulls last")), *source.key])
        frame = ""
        if has_frame and dice.random() < 0.4:
            first, last = sorted(dice.sample(range(6), 2))
            first, last = (first, last) if first < 5 and last > 0 else (0, 5)
            kind = dice.choice(("rows", "groups", "rows"))
            frame = f" {kind} between {BOUNDS[first]} and {BOUNDS[last]}{dice.choice(EXCLUDES)}"
            if may_tie and dice.random() < 0.4:
                order = dice.choice(source.columns) + dice.choice(("", " desc", " nulls last"))
                frame = f" range between {dice.choice(BOUNDS[:3])} and {dice.choice(BOUNDS[3:])}{dice.choice(EXCLUDES)}"
        return f"{partition}order by {order}{frame}"

    def subquery(self, outer: Sequence[str], shape: str) -> str:
        """A subquery for an expression, correlated or not."""
        dice, made = self.dice, self.expressions
        if self.depth >= 2:
            return {"exists": "select 1 where 0", "pairs": "select 1, 2", "pair": "select 1, 2"}.get(shape, "select 1")
        self.depth += 1
        try:
            visible = list(outer)[:6] if dice.random() < 0.6 else []
            n_items = 2 if shape.startswith("pair") else 1
            if shape in ("list", "pairs") and dice.random() < 0.2:
                return self.compound(n_items)[0]
            if shape in ("exists", "list", "pairs"):
                return self.block(dice.choice((1, 1, 2)), n_items, visible).text()
            source = self.sources(dice.choice((1, 1, 2)))
            columns = source.columns + visible
            where = f" where {made.condition(columns)}" if dice.random() < 0.8 else ""
            if shape == "scalar" and dice.random() < 0.6:
                return f"select {made.aggregate(source.columns)} from {source.text}{where}"
            items = ", ".join(dice.choice(source.columns) for _ in range(n_items))
            return f"select {items} from {source.text}{where} order by {', '.join(source.key)} limit 1"
        finally:
            self.depth -= 1

    def compound(self, n_items: int) -> tuple[str, int]:
        """A SELECT or a compound of two or three, with how many columns it has."""
        dice = self.dice
        text = self.block(dice.choice((1, 1, 2)), n_items).text()
        if dice.random() < 0.35:
            # No ORDER BY may follow VALUES, so it is never the last.
            if dice.random() < 0.2:
                text += dice.choice(COMPOUNDS) + self.values(n_items)[0]
            for _ in range(dice.choice((1, 1, 2))):
                text += dice.choice(COMPOUNDS) + self.block(1, n_items).text()
        return text, n_items

    def query(self) -> str:
        """A whole SELECT."""
        dice = self.dice
        self.commons = []
        self.is_total = False
        prefix = self.with_clause() if dice.random() < 0.15 else ""
        n_items = dice.choice((1, 2, 2, 3))
        choice = dice.random()
        if not prefix and dice.random() < 0.15:
            return self.plain()
        if choice < 0.2:
            text = self.compound(n_items)[0]
        elif choice < 0.27:
            source = self.sources(dice.choice((1, 2)))
            where = f" where {self.expressions.condition(source.columns)}" if dice.random() < 0.6 else ""
            tail = f" order by {', '.join(source.key)}" if dice.random() < 0.5 else ""
            self.is_total = bool(tail)
            alias = dice.choice(source.columns).partition(".")[0]
            star = dice.choice(("*", "*", f"{alias}.*", f"1, {alias}.*, {dice.choice(source.columns)}", "*, *"))
            return f"{prefix}select {star} from {source.text}{where}{tail}"
        elif choice < 0.4:
            text = self.keyed()
            self.is_total = True
            return prefix + text
        else:
            text = self.block(dice.choice((1, 1, 1, 2, 2, 2, 3)), n_items).text()
        if dice.random() < 0.35:
            numbers = dice.sample(range(1, n_items + 1), n_items)
            # A compound with COLLATE in ORDER BY is another query for SQLite: see docs/fuzzing.md.
            is_compound = any(operator in text for operator in COMPOUNDS)
            ways = ("", " desc", " nulls last", *(() if is_compound else (" collate nocase desc",)))
            named = [f"c{number - 1}" if dice.random() < 0.3 else str(number) for number in numbers]
            text += " order by " + ", ".join(each + dice.choice(ways) for each in named)
            if dice.random() < 0.4:
                count = dice.choice(("0", "1", "2", "5", "-1", "(select 2)", "1 + 1", "'2'"))
                text += f" limit {count}" + dice.choice(("", f" offset {dice.randrange(3)}"))
        self.commons = []
        return prefix + text

    def plain(self) -> str:
        """A SELECT from one table as people write it: no aliases, simple conditions."""
        dice, made = self.dice, self.expressions
        table = dice.choice(self.tables)
        columns = [*table.columns, *(["rowid"] if table.has_rowid and dice.random() < 0.3 else [])]
        condition = made.term(columns, 0) if dice.random() < 0.7 else f"{made.term(columns, 0)} and {made.term(columns, 0)}"
        where = f" where {condition}" if dice.random() < 0.8 else ""
        form = dice.randrange(8)
        if form == 0:
            return f"select {made.aggregate(columns)}, count(*) from {table.name}{where}"
        if form == 1:
            key = dice.choice(columns)
            order = dice.choice(("", f" order by {key}", " order by 2 desc, 1", f" order by count(*), {key} desc"))
            return f"select {key}, count(*), max({dice.choice(columns)}) from {table.name}{where} group by {key}{order}"
        items = dice.choice(
            ("*", ", ".join(columns), dice.choice(columns), f"{dice.choice(columns)}, {made.value(columns, 1)}")
        )
        distinct = dice.choice(("", "", "", "distinct "))
        if form < 5:
            return f"select {distinct}{items} from {table.name}{where}"
        other = dice.choice(self.tables)
        if form == 5 and other is not table:
            left, right = dice.choice(table.columns), dice.choice(other.columns)
            on = f"{table.bare}.{left} = {other.bare}.{right}"
            return f"select {table.bare}.*, {other.bare}.{right} from {table.name}{dice.choice((' join ', ' left join '))}{other.name} on {on}"
        order = ", ".join(dice.sample(columns, min(2, len(columns))))
        return f"select {items} from {table.name}{where} order by {order}{dice.choice(('', ' desc'))}"

    def keyed(self) -> str:
        """A SELECT in a total order that an index may give, perhaps with LIMIT."""
        dice, made = self.dice, self.expressions
        source = self.sources(dice.choice((1, 1, 2)))
        where = f" where {made.condition(source.columns)}" if dice.random() < 0.7 else ""
        terms = [
            dice.choice(source.columns) + dice.choice(("", " desc", " nulls last", " desc nulls first"))
            for _ in range(dice.choice((1, 1, 2)))
        ]
        if dice.random() < 0.15:
            terms[0] = made.value(source.columns, 1) + dice.choice((" desc", " asc", " collate nocase"))
            terms[0] = "+" + terms[0] if terms[0].lstrip("-")[0].isdigit() else terms[0]
        limit = (
            f" limit {dice.choice((0, 1, 2, 4))}" + dice.choice(("", f" offset {dice.randrange(3)}"))
            if dice.random() < 0.5
            else ""
        )
        items = ", ".join([made.value(source.columns, 1), *source.columns[:2], *source.key])
        return f"select {items} from {source.text}{where} order by {', '.join([*terms, *source.key])}{limit}"

    def with_clause(self) -> str:
        """WITH one or two common tables, recursive ones with a bound."""
        dice = self.dice
        texts = []
        for number in range(dice.choice((1, 1, 2))):
            name = f"n{number}"
            hint = dice.choice(("", "", "materialized ", "not materialized "))
            if dice.random() < 0.35:
                texts.append(self.recursive(name, hint))
                columns = ["x", "y"]
            else:
                n_items = dice.choice((1, 2))
                query, _ = self.compound(n_items)
                columns = [f"k{i}" for i in range(n_items)]
                texts.append(f"{name}({', '.join(columns)}) as {hint}({query})")
            self.commons.append(Table(name, columns, is_view=True))
        return f"with {dice.choice(('', 'recursive '))}{', '.join(texts)} "

    def recursive(self, name: str, hint: str) -> str:
        """A recursive common table that ends."""
        dice, made = self.dice, self.expressions
        table = dice.choice(self.tables)
        first = (
            f"select 1, {made.literal()}"
            if dice.random() < 0.5
            else f"select 1, {dice.choice(table.columns)} from {table.name}"
        )
        step = made.value(["x", "y"], 1)
        order = dice.choice(("", "", " order by 1 desc, 2", " order by 2, 1 limit 6"))
        bound = dice.randint(2, 4)
        return f"{name}(x, y) as {hint}({first} {dice.choice(('union', 'union all'))} select x + 1, {step} from {name} where x < {bound}{order})"
