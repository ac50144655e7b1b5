"""Random statements that write: INSERT with conflicts, UPSERT and RETURNING, UPDATE FROM, DELETE, transactions, schema changes."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.queries import Queries
from tests.fuzz.schemas import Schema, Table

CONFLICTS = ("", "", "", "", "or ignore ", "or replace ", "or abort ", "or fail ", "or rollback ", "or rollback ")
TRANSACTIONS = ("begin", "commit", "rollback", "savepoint s", "rollback to s", "release s", "begin immediate")


class Changes:
    """A source of statements that change what `schema` has made."""

    def __init__(self, dice: random.Random, schema: Schema, queries: Queries) -> None:
        self.dice = dice
        self.schema = schema
        self.queries = queries
        self.made = queries.expressions

    def statement(self) -> str:
        """INSERT, UPDATE, DELETE mostly."""
        form = self.dice.randrange(22)
        if form == 20:
            return self.odd()
        if form == 21:
            return self.on_view()
        if form < 8:
            return self.insert()
        if form < 13:
            return self.update()
        if form < 16:
            return self.delete()
        return self.dice.choice(TRANSACTIONS) if form < 18 else self.definition()

    def table(self) -> Table:
        """A table to change."""
        return self.dice.choice(self.schema.base_tables)

    def conflict(self, table: Table) -> str:
        """OR with an action.  A type error of a STRICT table leaves a half-done statement behind in SQLite under most: docs/fuzzing.md."""
        return self.dice.choice(CONFLICTS[:4] if table.is_strict else CONFLICTS)

    def returning(self, table: Table) -> str:
        """RETURNING, sometimes."""
        if self.dice.random() >= 0.2:
            return ""
        return f" returning {self.dice.choice(('*', self.made.value(table.columns, 1)))}"

    def insert(self) -> str:
        """INSERT of values or a query, perhaps with ON CONFLICT clauses."""
        dice = self.dice
        table = self.table()
        columns = table.settable if dice.random() < 0.6 else dice.sample(table.settable, dice.randint(1, len(table.settable)))
        conflict = self.conflict(table)
        choice = dice.random()
        if choice < 0.05:
            return f"insert {conflict}into {table.name} default values{self.returning(table)}"
        if choice < 0.25:
            body = self.query(len(columns))
        else:
            rows = [", ".join(self.value_for(table, column) for column in columns) for _ in range(dice.choice((1, 1, 2, 3)))]
            body = f"values {', '.join(f'({row})' for row in rows)}"
        head = f"{'insert ' + conflict if dice.random() < 0.92 else 'replace '}into {table.name}({', '.join(columns)}) {body}"
        upsert = self.upsert(table) if dice.random() < 0.25 and "select" not in body else ""
        return head + upsert + self.returning(table)

    def odd(self) -> str:
        """Forms that the others leave out, some of them wrong."""
        dice, made = self.dice, self.made
        table, other = self.table(), self.table()
        first, second = dice.choice(table.settable), dice.choice(table.settable)
        name, bare = table.name, table.bare
        value = self.value_for(table, first)
        source = f"(select {', '.join(f'{column} as k{i}' for i, column in enumerate(other.columns[:2]))} from {other.name})"
        return dice.choice((
            f"insert into {name} select * from {other.name}",
            f"insert into {name} select * from {name} where {made.term(table.columns, 0)} order by {', '.join(table.columns)}",
            f"insert or replace into {name} select * from {name}",
            f"insert into {name} values ({', '.join(self.value_for(table, column) for column in table.settable)})",
            f"insert into {name} values ({value})",
            f"insert into {name}({first}) values ({value}, 2)",
            f"insert into {name}({first}, {first}) values ({value}, 2)",
            f"insert into {name}({first}, nosuch) values ({value}, 2)",
            f"insert into {name}(rowid, {first}) values ({dice.randrange(9)}, {value})",
            f"insert into {name}({first}, g) values ({value}, 2)",
            f"insert into {name}({first}) values ({value}), ({value}) on conflict(rowid) do update set {second} = excluded.{second}",
            f"insert into {name}({first}) values ({value}) on conflict({first} collate nocase) do nothing",
            f"insert into {name}({first}) values ({value}) on conflict({first} + 1) do update set {second} = 1",
            f"insert into {name}({first}) values ({value}) on conflict({first}) where {second} > 1 do nothing",
            f"insert into {name}({first}) values ({value}) on conflict do update set {second} = {self.value_for(table, second)}",
            f"insert into {name} as q({first}) values ({value}) on conflict do update set {second} = q.{second} returning q.*, rowid",
            f"insert into {name}({first}) values ({value}) returning count(*)",
            f"insert into {name}({first}) select {value} returning {second}, (select count(*) from {other.name}), q.{first}",
            f"insert into {name} default values returning *",
            f"with n(x) as (select {value} union all select {value}) insert into {name}({first}) select x from n",
            f"update {name} as q set {first} = q.{second} where q.{first} is not {value}",
            f"update {name} set {first} = k0 from {source} as s where s.k0 = {bare}.{first} returning *",
            f"update {name} set {first} = {bare}.{second} from {name}",
            f"update {name} set {first} = q.{second} from {name} as q left join {other.name} as r on q.{second} = r.{dice.choice(other.columns)}"
            f" where q.{first} = {bare}.{first}",
            f"update {name} set ({first}, {second}) = (select {first}, {second} from {name} as q where q.{first} is {bare}.{first} limit 1)",
            f"update {name} set ({first}, {second}) = (1, 2, 3)",
            f"update {name} set ({first}, {second}) = (select 1)",
            f"update {name} set ({first}, {second}) = (values (1, 2))",
            f"update {name} set {first} = {value}, {first} = {second}",
            f"update {name} set rowid = rowid + {dice.randrange(3)} where {made.term(table.columns, 0)}",
            f"update {name} set g = 1",
            f"update {name} set nosuch = 1",
            f"update {name} set {first} = sum({second})",
            f"update {name} set {first} = (select max({second}) from {name}) where rowid in (select rowid from {other.name})",
            f"update {name} indexed by i1 set {first} = {value}",
            f"delete from {name} as q where exists (select 1 from {other.name} as r where r.{dice.choice(other.columns)} = q.{first})",
            f"delete from {name} where {first} in (select {second} from {name}) returning {first}",
            f"delete from {name} where rowid = (select max(rowid) from {name})",
            f"delete from {name} indexed by i1 where {first} = {value}",
            f"delete from nosuch where {first}",
            f"with n as (select {second} as x from {name} limit 1) delete from {name} where {first} in (select x from n)",
            f"with recursive n(x) as (select 1 union all select x + 1 from n where x < 3) update {name} set {first} = (select max(x) from n)",
        ))  # fmt: skip

    def on_view(self) -> str:
        """A change of a view: INSTEAD OF triggers run, or it is refused."""
        dice = self.dice
        views = [table for table in self.schema.tables if table.is_view]
        if not views:
            return self.delete()
        view = dice.choice(views)
        column = dice.choice(view.columns)
        where = f" where {self.made.term(view.columns, 1)}" if dice.random() < 0.6 else ""
        return dice.choice((
            f"insert into {view.name} values ({', '.join(self.made.literal() for _ in view.columns)})",
            f"insert into {view.name}({column}) values ({self.made.literal()}), ({self.made.literal()}) returning *",
            f"insert into {view.name}({column}) select {column} from {view.name}",
            f"insert into {view.name}({column}) values (1) on conflict do nothing",
            f"insert into {view.name} default values",
            f"update {view.name} set {column} = {self.made.value(view.columns, 1)}{where}",
            f"update {view.name} set {column} = 1{where} returning *",
            f"update {view.name} set {column} = q.a from t0 as q{where}",
            f"delete from {view.name}{where}",
            f"delete from {view.name}{where} returning {column}",
        ))  # fmt: skip

    def renamed(self, table: Table) -> str:
        """ALTER TABLE that changes the names and the texts of the schema."""
        dice = self.dice
        form = dice.randrange(4)
        if form == 0:
            new = f"r{dice.randrange(30)}"
            text = f"alter table {table.name} rename to {new}"
            if not table.schema:
                table.name = new
            return text
        column = dice.choice(table.settable)
        if form == 1 and len(table.settable) > 2:
            return f"alter table {table.name} drop column {column}"
        new = f"m{dice.randrange(30)}"
        return f"alter table {table.name} rename column {column} to {new}"

    def value_for(self, table: Table, column: str) -> str:
        """A value, at times an expression."""
        if self.dice.random() < 0.1:
            return self.made.value([], 2)
        return self.schema.literal_for(table, column)

    def query(self, n_columns: int) -> str:
        """A SELECT with rows in one order."""
        source = self.queries.sources(self.dice.choice((1, 1, 2)))
        items = ", ".join(self.made.value(source.columns, 1) for _ in range(n_columns))
        where = f" where {self.made.condition(source.columns)}" if self.dice.random() < 0.7 else ""
        return f"select {items} from {source.text}{where} order by {', '.join(source.key)}"

    def upsert(self, table: Table) -> str:
        """ON CONFLICT ... DO."""
        dice = self.dice
        text = ""
        for _ in range(dice.choice((1, 1, 1, 2))):
            target = dice.choice(table.conflict_targets) if table.conflict_targets and dice.random() < 0.8 else ""
            if not target or dice.random() < 0.3:
                text += f" on conflict{target} do nothing"
                if not target:
                    break
                continue
            visible = [*table.columns, *(f"excluded.{column}" for column in table.columns)]
            where = f" where {self.made.term(visible, 1)}" if dice.random() < 0.3 else ""
            text += f" on conflict{target} do update set {self.assignments(table, visible)}{where}"
        return text

    def assignments(self, table: Table, visible: Sequence[str]) -> str:
        """What stands behind SET."""
        dice = self.dice
        if dice.random() < 0.12 and len(table.settable) > 1:
            pair = dice.sample(table.settable, 2)
            if dice.random() < 0.5:
                return f"({pair[0]}, {pair[1]}) = ({self.made.value(visible, 1)}, {self.schema.literal_for(table, pair[1])})"
            return f"({pair[0]}, {pair[1]}) = ({self.queries.subquery(visible, 'pair')})"
        parts = []
        for column in dice.sample(table.settable, min(len(table.settable), dice.choice((1, 1, 2)))):
            value = self.made.value(visible, 1) if dice.random() < 0.6 else self.schema.literal_for(table, column)
            parts.append(f"{column} = {value}")
        return ", ".join(parts)

    def update(self) -> str:
        """UPDATE, perhaps FROM other tables."""
        dice = self.dice
        table = self.table()
        conflict = self.conflict(table)
        if dice.random() < 0.15:
            source = self.queries.source()
            own = [f"{table.name}.{column}" for column in table.columns]
            where = f"{dice.choice(own)} {dice.choice(('=', '=', '<'))} {dice.choice(source.columns)}"
            return f"update {conflict}{table.name} set {self.assignments(table, own + source.columns)} from {source.text} where {where}"
        where = f" where {self.chosen(table)}" if dice.random() < 0.85 else ""
        return f"{self.prefix()}update {conflict}{table.name} set {self.assignments(table, table.columns)}{where}{self.returning(table)}"

    def prefix(self) -> str:
        """WITH, seldom; nothing uses it."""
        return "with unused(x) as (select 1) " if self.dice.random() < 0.03 else ""

    def chosen(self, table: Table) -> str:
        """The condition of an UPDATE or DELETE: often one row, by its key."""
        dice = self.dice
        if dice.random() < 0.3:
            column = "rowid" if table.has_rowid and dice.random() < 0.4 else table.columns[0]
            value = self.schema.literal_for(table, table.columns[0])
            rest = f" and {self.made.term(table.columns, 0)}" if dice.random() < 0.3 else ""
            return f"{column} {dice.choice(('=', '=', '=', 'in'))} ({value}){rest}"
        return self.made.condition(table.columns)

    def delete(self) -> str:
        """DELETE of some rows or all."""
        table = self.table()
        where = f" where {self.chosen(table)}" if self.dice.random() < 0.92 else ""
        return f"{self.prefix()}delete from {table.name}{where}{self.returning(table)}"

    def definition(self) -> str:
        """A schema change in the middle, or a setting."""
        dice = self.dice
        form = dice.randrange(12)
        table = self.table()
        if form > 9:
            return self.renamed(table)
        if form == 9:
            return self.wrong_definition(table)
        if form < 2:
            return self.schema.create_index()
        if form == 2:
            return f"drop index if exists i{dice.randint(1, 4)}"
        if form == 3:
            name = f"n{dice.randrange(4)}"
            if name not in table.columns and not table.is_strict:
                table.columns.append(name)
                table.settable.append(name)
            default = dice.choice(("", "", " default 1", " default 'x' not null", " collate nocase"))
            return f"alter table {table.name} add column {name} {dice.choice(('', 'int', 'text', 'real')) if not table.is_strict else 'any'}{default}"
        if form == 4:
            return "reindex"
        if form == 5:
            return "analyze"
        if form == 6:
            return f"create table if not exists k{dice.randrange(2)} as {self.query(2)}"
        if form == 7:
            return f"pragma foreign_keys={dice.choice(('on', 'off'))}"
        return dice.choice(("pragma foreign_key_check", "pragma integrity_check", "pragma recursive_triggers=on"))

    def wrong_definition(self, table: Table) -> str:
        """A definition that is refused for what its expressions mean, or one at the edge."""
        dice = self.dice
        column, name = dice.choice(table.columns), table.bare
        number = dice.randrange(1000)
        return dice.choice((
            f"create index {table.schema}x{number} on {name}((select 1))",
            f"create index {table.schema}x{number} on {name}(random())",
            f"create index {table.schema}x{number} on {name}({column}, nosuch)",
            f"create index {table.schema}x{number} on {name}({column}) where {name}.{column} > 1",
            f"create index {table.schema}x{number} on {name}({column}) where {column} in (select 1)",
            f"create index {table.schema}x{number} on {name}({column}) where {column} = :p0",
            f"create index {table.schema}x{number} on {name}({name}.{column} + 1)",
            f"create index {table.schema}x{number} on {name}(date('now'), {column})",
            f"create table x{number}(a, b as (c), c as (b))",
            f"create table x{number}(a, b as (rowid))",
            f"create table x{number}(a, check (nosuch > 1))",
            f"create table x{number}(a, check (x{number}.a > (select 1)))",
            f"create table x{number}(a default (b), b)",
            f"create table x{number}(a, b as (sum(a)))",
            f"create view x{number} as select * from {table.name} as q, nosuch",
            f"create view x{number}(k) as select {column}, 1 from {table.name}",
            f"drop table if exists k{dice.randrange(2)}",
            f"drop table {table.name}" if dice.random() < 0.1 else "drop table nosuch",
        ))  # fmt: skip
