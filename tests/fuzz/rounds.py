"""One round: a schema with data and the statements for it, all from one seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.changes import Changes
from tests.fuzz.queries import Queries
from tests.fuzz.schemas import Schema, Table


@dataclass
class Round:
    """`setup` makes the database, `queries` and `changes` make statements for it; `in_file`: minisql's is a file."""

    dice: random.Random
    schema: Schema
    setup: list[str]
    queries: Queries
    changes: Changes
    in_file: bool = False


PRAGMAS = {
    "pragma count_changes=on": 0.03,
    "pragma recursive_triggers=on": 0.05, "pragma trusted_schema=off": 0.03, "pragma defer_foreign_keys=on": 0.03,
}  # fmt: skip
"""What both engines are told, and how often."""


DATABASES = {"memory": 0.0, "file": 1.0, "any": 0.35}
"""Where minisql's database is -> how often it is a file."""


def make_round(dice: random.Random, has_triggers: bool = False, database: str = "any") -> Round:
    """A schema with data, views, and perhaps triggers."""
    schema = Schema(dice)
    setup = schema.statements()
    queries = Queries(dice, schema.tables)
    for number in range(dice.choice((0, 1, 1, 2))):
        n_items = dice.choice((1, 2, 3))
        names = [f"v{i}" for i in range(n_items)]
        setup.append(f"create view w{number}({', '.join(names)}) as {queries.compound(n_items)[0]}")
        schema.tables.append(Table(f"w{number}", names, is_view=True))
    if has_triggers:
        setup.append("create table log(x)")
        if dice.random() < 0.6:
            setup.insert(0, "pragma foreign_keys=on")
        setup += [schema.create_trigger(number) for number in range(dice.choice((0, 0, 1, 2)))]
        for view in schema.tables:
            if view.is_view and dice.random() < 0.5:
                setup += [schema.create_view_trigger(view, number) for number in range(dice.choice((1, 2)))]
    setup[:0] = [pragma for pragma, chance in PRAGMAS.items() if dice.random() < chance]
    return Round(dice, schema, setup, queries, Changes(dice, schema, queries), dice.random() < DATABASES[database])
