"""Random schemas with their data: what the statements of a round are made for.

Tables with and without rowid, STRICT, constraints, generated columns, collations, foreign keys; indexes that are unique,
partial, descending, on expressions; views; triggers that log.  A statement may fail (then both engines have to refuse it the
same way); `Table` says only what was asked for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.fuzz.expressions import Expressions

LOOSE_TYPES = ("", "", "int", "integer", "text", "text", "real", "numeric", "blob", "varchar(10)", "double")
STRICT_TYPES = ("int", "integer", "text", "real", "blob", "any")
NAMES = "abcdefgh"
CLAUSES = ("", "", "", "", " on conflict ignore", " on conflict replace", " on conflict fail")


@dataclass
class Table:
    """A table or view: `columns` may be read, `settable` written; `key` names columns that tell rows apart (with rowid)."""

    name: str
    columns: list[str]
    settable: list[str] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    has_rowid: bool = False
    is_view: bool = False
    is_strict: bool = False
    conflict_targets: list[str] = field(default_factory=list)

    @property
    def schema(self) -> str:
        """ "aux." or "temp." or nothing."""
        return self.name[: self.name.find(".") + 1]

    @property
    def bare(self) -> str:
        """The name without the schema's."""
        return self.name.rpartition(".")[2]


class Schema:
    """Makes the statements; `tables` lists tables and views."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.tables: list[Table] = []
        self.expressions = Expressions(dice)
        self.n_indexes = 0

    def statements(self) -> list[str]:
        """CREATE TABLE, rows, indexes, views and triggers."""
        dice = self.dice
        has_other = dice.random() < 0.12
        made = ["attach ':memory:' as aux"] if has_other else []
        for number in range(dice.choice((1, 2, 2, 3))):
            schema = dice.choice(("", "aux.")) if has_other else "temp." if dice.random() < 0.04 else ""
            made.append(self.create_table(f"{schema}t{number}"))
        made += self.extra_indexes() if dice.random() < 0.5 else []
        for table in self.tables:
            made += self.rows(table, dice.choice((0, 1, 3, 5, 8)) if dice.random() < 0.9 else 40)
        made += self.extra_indexes()
        if dice.random() < 0.25:
            made.append("analyze")
        return made

    @property
    def base_tables(self) -> list[Table]:
        """The tables that are not views."""
        return [table for table in self.tables if not table.is_view]

    def create_table(self, name: str) -> str:
        """CREATE TABLE with a random choice of columns and constraints."""
        dice = self.dice
        start = dice.randrange(3)
        names = list(NAMES[start : start + dice.randint(2, 5)])
        is_strict, has_rowid = dice.random() < 0.15, dice.random() < 0.8
        table = Table(name, names, types={}, has_rowid=has_rowid, is_strict=is_strict)
        key = dice.randrange(6) if has_rowid else dice.choice((1, 2, 3, 4))
        items = [self.column(table, column, position, key) for position, column in enumerate(names)]
        if key in (3, 4) and len(names) > 1:
            columns = dice.sample(names[: max(2, len(names) - 1)], 2)
            items.append(f"primary key({', '.join(columns)})")
            table.conflict_targets.append(f"({', '.join(columns)})")
        elif key in (3, 4):
            items[0] += " primary key"
        if dice.random() < 0.2:
            columns = dice.sample(names, 2)
            items.append(f"unique({', '.join(columns)}){dice.choice(CLAUSES)}")
            table.conflict_targets.append(f"({', '.join(columns)})")
        table.settable = list(names)
        items = self.with_generated(table, items)
        if dice.random() < 0.15:
            items.append(f"check ({self.expressions.term(names, 1)})")
        if self.base_tables and dice.random() < 0.1:
            items.append(self.foreign_key(names))
        options = [text for text, wanted in (("without rowid", not has_rowid), ("strict", is_strict)) if wanted]
        self.tables.append(table)
        return f"create table {name}({', '.join(items)}) {', '.join(options)}".rstrip()

    def with_generated(self, table: Table, items: list[str]) -> list[str]:
        """The items with a generated column before the table's constraints, sometimes."""
        dice = self.dice
        if dice.random() >= 0.2:
            return items
        declared = "any" if table.is_strict else dice.choice(LOOSE_TYPES)
        expression = self.expressions.value(table.settable, 1)
        n_columns = len(table.settable)
        table.columns = [*table.columns, "g"]
        item = f"g {declared} as ({expression}) {dice.choice(('stored', 'virtual', ''))}".rstrip()
        return [*items[:n_columns], item, *items[n_columns:]]

    def column(self, table: Table, name: str, position: int, key: int) -> str:
        """A column's definition.  `key` 0: INTEGER PRIMARY KEY first, 1 and 2: another primary key first."""
        dice = self.dice
        declared = dice.choice(STRICT_TYPES if table.is_strict else LOOSE_TYPES)
        text = f"{name} {declared}".rstrip()
        if position == 0 and key == 0:
            text, declared = f"{name} integer primary key{dice.choice(('', '', ' desc', ' autoincrement'))}", "integer"
            table.conflict_targets.append(f"({name})")
        elif position == 0 and key in (1, 2):
            text += f" primary key{dice.choice(CLAUSES)}"
            table.conflict_targets.append(f"({name})")
        table.types[name] = declared
        chance = dice.random()
        if chance < 0.1:
            text += f" not null{dice.choice(CLAUSES)}"
        elif chance < 0.2 and position:
            text += f" unique{dice.choice(CLAUSES)}"
            table.conflict_targets.append(f"({name})")
        elif chance < 0.3:
            text += f" default {dice.choice(('1', '2.5', repr('x'), 'null', '(1 + 1)'))}"
        elif chance < 0.35:
            text += f" check ({self.expressions.term([name], 0)})"
        if dice.random() < 0.2:
            text += f" collate {dice.choice(('nocase', 'nocase', 'rtrim', 'binary'))}"
        if self.base_tables and dice.random() < 0.1:
            other = dice.choice(self.base_tables)
            targets = [target for target in other.conflict_targets if "," not in target]
            if targets:
                target = "" if dice.random() < 0.15 else dice.choice(targets)
                parent = "nosuch" if dice.random() < 0.04 else other.bare
                text += f" references {parent}{target}{self.actions()}"
        return text

    def foreign_key(self, names: list[str]) -> str:
        """FOREIGN KEY of one or two columns, with a parent key or without one."""
        dice = self.dice
        other = dice.choice(self.base_tables)
        pairs = [target for target in other.conflict_targets if "," in target]
        n_columns = 2 if pairs and dice.random() < 0.7 else 1
        target = (
            dice.choice(pairs)
            if n_columns == 2 and dice.random() < 0.8
            else f"({', '.join(dice.sample(other.columns, n_columns))})"
        )
        return f"foreign key({', '.join(dice.sample(names, n_columns))}) references {other.bare}{target}{self.actions()}"

    def actions(self) -> str:
        """The actions of a foreign key."""
        dice = self.dice
        text = ""
        for event in ("delete", "update"):
            if dice.random() < 0.6:
                text += f" on {event} {dice.choice(('cascade', 'set null', 'set default', 'restrict', 'no action'))}"
        return text + (" deferrable initially deferred" if dice.random() < 0.3 else "")

    def literal_for(self, table: Table, column: str) -> str:
        """A value to insert: mostly one that a STRICT column takes."""
        dice, made = self.dice, self.expressions
        declared = table.types.get(column, "")
        if table.is_strict and dice.random() < 0.95:
            wanted = {"int": ("1", "2", "3", "-1", "9223372036854775807"), "integer": ("1", "2", "4", "null"),
                      "text": ("'a'", "'B'", "'b'", "''", "null"), "real": ("1.0", "2.5", "3", "null"),
                      "blob": ("x'61'", "x''", "null")}  # fmt: skip
            if declared in wanted:
                return dice.choice(wanted[declared])
        if declared == "integer" and dice.random() < 0.6:
            return str(dice.randrange(12))
        return made.literal()

    def rows(self, table: Table, count: int) -> list[str]:
        """INSERT statements, one or some rows each."""
        dice = self.dice
        if table.is_view:
            return []
        made = []
        while count > 0:
            n_rows = min(count, dice.choice((1, 1, 2, 4)) if count < 20 else 10)
            count -= n_rows
            columns = (
                table.settable if dice.random() < 0.8 else dice.sample(table.settable, dice.randint(1, len(table.settable)))
            )
            rows = [f"({', '.join(self.literal_for(table, column) for column in columns)})" for _ in range(n_rows)]
            made.append(f"insert or ignore into {table.name}({', '.join(columns)}) values {', '.join(rows)}")
        return made

    def extra_indexes(self) -> list[str]:
        """CREATE INDEX, some."""
        return [self.create_index() for _ in range(self.dice.choice((0, 1, 1, 2)))]

    def create_index(self) -> str:
        """CREATE INDEX of any kind."""
        dice = self.dice
        table = dice.choice(self.base_tables)
        terms = []
        for _ in range(dice.choice((1, 1, 2, 3))):
            term = dice.choice(table.columns) if dice.random() < 0.85 else f"({self.expressions.value(table.columns, 1)})"
            collation = f" collate {dice.choice(('nocase', 'rtrim', 'binary'))}" if dice.random() < 0.15 else ""
            terms.append(term + collation + dice.choice(("", "", "", " desc")))
        where = f" where {self.expressions.term(table.columns, 0)}" if dice.random() < 0.2 else ""
        unique = "unique " if dice.random() < 0.08 else ""
        self.n_indexes += 1
        return f"create {unique}index {table.schema}i{self.n_indexes} on {table.bare}({', '.join(terms)}){where}"

    def create_trigger(self, number: int) -> str:
        """CREATE TRIGGER that logs, changes another table, or raises."""
        dice = self.dice
        table, other = dice.choice(self.base_tables), dice.choice(self.base_tables)
        event = dice.choice(("insert", "update", "delete"))
        rows = {"insert": ("new",), "update": ("old", "new"), "delete": ("old",)}[event]
        time = dice.choice(("before", "after"))
        # SQLite gives a BEFORE UPDATE trigger generated columns of NEW that it computes from columns it has not loaded.
        seen = table.settable if (time, event) == ("before", "update") else table.columns
        own = [f"{row}.{column}" for row in rows for column in seen]
        of = f" of {dice.choice(table.settable)}" if event == "update" and dice.random() < 0.4 else ""
        when = f" when {self.expressions.term(own, 1)}" if dice.random() < 0.3 else ""
        steps = [f"insert into log values('{number} {event} ' || quote({dice.choice(own)}));"]
        target = dice.choice(other.settable)
        extra = dice.randrange(8)
        if extra == 0:
            steps.append(
                f"update {other.bare} set {target} = {dice.choice(own)} where {dice.choice(other.columns)} = {dice.choice(own)};"
            )
        elif extra == 1:
            steps.append(f"delete from {other.bare} where {target} = {dice.choice(own)};")
        elif extra == 2:
            steps.append(
                f"insert or {dice.choice(('ignore', 'replace', 'abort'))} into {other.bare}({target}) values({dice.choice(own)});"
            )
        elif extra == 3:
            action = dice.choice(("ignore", "abort, 'one'", "fail, 'two'", "rollback, 'three'"))
            steps.append(f"select raise({action}) where {self.expressions.term(own, 0)};")
        return f"create trigger {table.schema}g{number} {time} {event}{of} on {table.bare}{when} begin {' '.join(steps)} end"

    def create_view_trigger(self, view: Table, number: int) -> str:
        """CREATE TRIGGER ... INSTEAD OF on a view: logs, or changes a table."""
        dice = self.dice
        event = dice.choice(("insert", "update", "delete"))
        rows = {"insert": ("new",), "update": ("old", "new"), "delete": ("old",)}[event]
        own = [f"{row}.{column}" for row in rows for column in view.columns]
        steps = [f"insert into log values('{number} instead ' || quote({dice.choice(own)}));"]
        other = dice.choice(self.base_tables)
        if dice.random() < 0.4:
            steps.append(f"insert or ignore into {other.bare}({dice.choice(other.settable)}) values({dice.choice(own)});")
        elif dice.random() < 0.4:
            column = dice.choice(other.settable)
            steps.append(f"update {other.bare} set {column} = {dice.choice(own)} where {column} is {dice.choice(own)};")
        return f"create trigger h{number} instead of {event} on {view.name} begin {' '.join(steps)} end"
