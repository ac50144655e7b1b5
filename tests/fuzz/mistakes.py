"""One mistake in a good statement, so that the refusals are compared too: both engines have to say the same of it.

A wrong name, a column's number that is out of range, a call with another number of arguments, an aggregate where none may be, a subquery of two columns, a token less,
twice, or exchanged for its neighbour.
"""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r"'(?:[^']|'')*'|\w+|[^\s\w]")


def mistaken(dice: random.Random, sql: str) -> str:
    """The statement with one thing wrong, or by chance none."""
    form = dice.randrange(9)
    if form == 0:
        return _one(dice, r"\.[a-h]\b", ".nosuch", sql)
    if form == 1:
        return _one(dice, r"\b[a-z_]+\(", "nosuch(", sql)
    if form == 2:
        return _one(dice, r"(?<=\()(?=\w)", "1, ", sql)
    if form == 3:
        return _one(dice, r"\bwhere ", "where count(*) and ", sql)
    if form == 4:
        return _one(dice, r"\bselect ", "select 1, ", sql)
    if form == 5:
        return _one(dice, r"\b[tw]\d\b", "nosuch", sql)
    if form == 6:
        return _one(dice, r"(?<=group by |order by )", f"{dice.choice((0, 1, 2, 9, -1, 65536, 'nosuch'))}, ", sql)
    tokens = _TOKEN.findall(sql)
    place = dice.randrange(len(tokens))
    if form == 7:
        del tokens[place]
    else:
        tokens.insert(place, dice.choice(tokens))
    return " ".join(tokens)


def _one(dice: random.Random, pattern: str, other: str, sql: str) -> str:
    places = list(re.finditer(pattern, sql))
    if not places:
        return sql
    match = dice.choice(places)
    return sql[: match.start()] + other + sql[match.end() :]
