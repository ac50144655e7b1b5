"""Random scripts of statements that write: tables with every kind of constraint, indexes, triggers, foreign keys, and changes.

A script is made from a seed alone, so a failure can be repeated; see script_oracle for what is compared.
"""

from __future__ import annotations

import random

_TYPES = ("", "int", "text", "real", "numeric", "blob", "integer", "text collate nocase")
_VALUES = ("null", "0", "1", "2", "3", "5", "-1", "1.5", "2.0", "'1'", "'a'", "'A'", "'b'", "''", "x'31'", "'2.0'", "7")
_CONFLICTS = ("", "", "", "or ignore", "or replace", "or fail", "or abort", "or rollback")
_CLAUSES = ("", "", "", " on conflict replace", " on conflict ignore", " on conflict fail")


class ScriptMaker:
    """Makes one script; `tables` maps names to their insertable column names."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tables: dict[str, list[str]] = {}
        self.lines: list[str] = []

    def make(self, n_statements: int = 25) -> list[str]:
        """The lines of the script."""
        choice = self.random.choice
        if self.random.random() < 0.5:
            self.lines.append("pragma foreign_keys=on")
        if self.random.random() < 0.3:
            self.lines.append("pragma recursive_triggers=on")
        for number in range(self.random.randint(1, 3)):
            self.lines.append(self.create_table(f"t{number}"))
        self.lines.append("create table log(x)")
        for number in range(self.random.randint(0, 3)):
            self.lines.append(self.create_index(f"i{number}"))
        for number in range(self.random.randint(0, 3)):
            self.lines.append(self.create_trigger(f"g{number}"))
        for _ in range(n_statements):
            maker = choice(
                (self.insert, self.insert, self.insert, self.update, self.update, self.delete, self.control, self.define)
            )
            self.lines.append(maker())
        for name in self.tables:
            self.lines.append(f"select * from {name} order by {', '.join(self.tables[name])}")
        self.lines.append("select * from log")
        self.lines.append("select type, name, tbl_name, sql from sqlite_schema")
        return self.lines

    def create_table(self, name: str) -> str:
        """CREATE TABLE with random columns and constraints."""
        choice, chance = self.random.choice, self.random.random
        names = ["a", "b", "c", "d"][: self.random.randint(2, 4)]
        items = []
        without_rowid = chance() < 0.25
        key = chance()
        for position, column in enumerate(names):
            text = f"{column} {choice(_TYPES)}"
            if position == 0 and key < 0.4:
                text = f"{column} integer primary key{choice(_CLAUSES)}" if not without_rowid else f"{column} primary key"
            elif position == 0 and (key < 0.6 or without_rowid):
                text += f" primary key{choice(_CLAUSES)}"
            if chance() < 0.2:
                text += f" not null{choice(_CLAUSES)}"
            if chance() < 0.25:
                text += f" default {choice(_VALUES)}"
            if chance() < 0.2:
                text += f" unique{choice(_CLAUSES)}"
            if chance() < 0.15:
                text += f" check({column} <> {choice(_VALUES)})"
            if self.tables and chance() < 0.25:
                actions = ("", "cascade", "set null", "set default", "restrict", "no action")
                text += f" references {choice(list(self.tables))}(a)"
                for event in ("delete", "update"):
                    action = choice(actions)
                    text += f" on {event} {action}" if action else ""
                text += choice(("", "", " deferrable initially deferred"))
            items.append(text)
        self.tables[name] = names
        if chance() < 0.2:
            items.append(f"g as ({names[-1]} || 'g') {choice(('', 'stored'))}")
        if chance() < 0.2:
            items.append(f"unique({names[0]}, {names[1]})")
        return f"create table {name}({', '.join(items)}){' without rowid' if without_rowid else ''}"

    def create_index(self, name: str) -> str:
        """CREATE INDEX, perhaps unique, partial, descending or on an expression."""
        choice, chance = self.random.choice, self.random.random
        table = choice(list(self.tables))
        columns = self.tables[table]
        terms = [choice(columns) + choice(("", "", " desc", " collate nocase")) for _ in range(self.random.randint(1, 2))]
        if chance() < 0.2:
            terms[0] = f"{choice(columns)} + 1"
        where = f" where {self.condition(columns)}" if chance() < 0.3 else ""
        return f"create {choice(('', '', 'unique '))}index {name} on {table}({', '.join(terms)}){where}"

    def create_trigger(self, name: str) -> str:
        """CREATE TRIGGER that logs, or changes another table."""
        choice, chance = self.random.choice, self.random.random
        table = choice(list(self.tables))
        columns = self.tables[table]
        event = choice(("insert", "update", "delete"))
        rows = {"insert": ("new",), "update": ("old", "new"), "delete": ("old",)}[event]
        of = f" of {choice(columns)}" if event == "update" and chance() < 0.4 else ""
        when = f" when {choice(rows)}.{choice(columns)} > {choice(_VALUES)}" if chance() < 0.3 else ""
        other = choice(list(self.tables))
        target = choice(self.tables[other])
        value = f"{choice(rows)}.{choice(columns)}"
        body = f"insert into log values('{name} ' || quote({value}));"
        extra = chance()
        if extra < 0.15:
            body += f" update {other} set {target} = {value} where {choice(self.tables[other])} = {choice(_VALUES)};"
        elif extra < 0.25:
            body += f" delete from {other} where {target} = {value};"
        elif extra < 0.35:
            body += f" insert {choice(('', 'or ignore', 'or replace'))} into {other}({target}) values({value});"
        elif extra < 0.45:
            body += f" select raise({choice(('ignore', 'abort, 1', 'fail, 2', 'rollback, 3'))}) where {value} = {choice(_VALUES)};"
        return f"create trigger {name} {choice(('before', 'after'))} {event}{of} on {table}{when} begin {body} end"

    def condition(self, columns: list[str]) -> str:
        """A WHERE condition over the columns."""
        choice = self.random.choice
        form = self.random.randint(0, 5)
        column = choice(columns)
        if form == 0:
            return f"{column} is {choice(('', 'not '))}null"
        if form == 1:
            return f"{column} in ({choice(_VALUES)}, {choice(_VALUES)})"
        if form == 2:
            return f"{column} > {choice(_VALUES)} and {choice(columns)} < {choice(_VALUES)}"
        if form == 3:
            return f"{column} = {choice(_VALUES)} or {choice(columns)} = {choice(_VALUES)}"
        return f"{column} {choice(('=', '>', '<>', '<='))} {choice(_VALUES)}"

    def insert(self) -> str:
        """INSERT of values or of a SELECT, perhaps with an upsert."""
        choice, chance = self.random.choice, self.random.random
        table = choice(list(self.tables))
        columns = self.tables[table]
        chosen = self.random.sample(columns, self.random.randint(1, len(columns)))
        head = f"insert {choice(_CONFLICTS)} into {table}({', '.join(chosen)})"
        if chance() < 0.15:
            other = choice(list(self.tables))
            source = ", ".join(choice(self.tables[other]) for _ in chosen)
            body = f" select {source} from {other} where {self.condition(self.tables[other])}"
        else:
            rows = [f"({', '.join(choice(_VALUES) for _ in chosen)})" for _ in range(self.random.choice((1, 1, 2, 3)))]
            body = f" values {', '.join(rows)}"
        tail = ""
        if chance() < 0.15 and " or " not in head:
            action = choice(("do nothing", f"do update set {choice(columns)} = excluded.{choice(columns)}"))
            tail = f" on conflict {choice(('', '(a)'))} {action}" if "nothing" in action else f" on conflict(a) {action}"
        if chance() < 0.1:
            tail += " returning *"
        return head + body + tail

    def update(self) -> str:
        """UPDATE of one or two columns."""
        choice, chance = self.random.choice, self.random.random
        table = choice(list(self.tables))
        columns = self.tables[table]
        sets = [
            f"{choice(columns)} = {choice((choice(_VALUES), choice(columns), choice(columns) + ' + 1'))}"
            for _ in range(self.random.randint(1, 2))
        ]
        where = f" where {self.condition(columns)}" if chance() < 0.8 else ""
        return f"update {choice(_CONFLICTS)} {table} set {', '.join(sets)}{where}{choice(('', '', '', ' returning *'))}"

    def delete(self) -> str:
        """DELETE of some rows or all."""
        choice, chance = self.random.choice, self.random.random
        table = choice(list(self.tables))
        where = f" where {self.condition(self.tables[table])}" if chance() < 0.9 else ""
        return f"delete from {table}{where}{choice(('', '', '', ' returning *'))}"

    def define(self) -> str:
        """DDL in the middle: ALTER TABLE, an index more or less, REINDEX."""
        choice = self.random.choice
        form = self.random.randint(0, 9)
        if form < 4:
            return choice(("reindex", "drop index if exists i0", "drop trigger if exists g0", "drop index if exists i1"))
        if form < 6:
            return self.create_index(f"j{self.random.randint(0, 3)}")
        table = choice(list(self.tables))
        columns = self.tables[table]
        if form == 6:
            name = f"n{self.random.randint(0, 9)}"
            if name not in columns:
                columns.append(name)
            default = choice(("", "", f" default {choice(_VALUES)}", f" default {choice(_VALUES)} not null"))
            return f"alter table {table} add column {name} {choice(_TYPES)}{default}"
        if form == 7 and len(columns) > 2:
            return f"alter table {table} drop column {choice(columns)}"
        if form == 8:
            name = f"r{self.random.randint(0, 9)}"
            return f"alter table {table} rename column {choice(columns)} to {name}"
        name = f"x{self.random.randint(0, 9)}"
        return f"alter table {table} rename to {name}"

    def control(self) -> str:
        """A transaction statement, or a look at a table."""
        choice = self.random.choice
        table = choice(list(self.tables))
        return choice(
            ("begin", "commit", "rollback", "savepoint s", "rollback to s", "release s", f"select count(*) from {table}")
        )
