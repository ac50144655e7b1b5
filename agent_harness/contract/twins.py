"""Metamorphic twins: scripts that must work if a record's script really works, and that no memorised answer fits.

From a script (the statements before a record, then the record's own) come renamed tables, columns and aliases, re-spaced and
re-cased SQL, `WHERE p` as `NOT (NOT (p))`, the three partitions of ternary logic (p, NOT p, p IS NULL) and the query without
its predicate, shuffled inserts, and the same statements over other numbers and over values of other classes.  Each twin is
answered by SQLite itself, so none has to be equivalent to its original; twins of the kinds that should be are dropped when
SQLite disagrees, since then the rewriting was wrong (a name inside a string, an order that mattered).

Source of the partitions: M. Rigger, Z. Su, "Finding Bugs in Database Systems via Query Partitioning" (2020).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from agent_harness.contract.minimise import ROW, Answer, dependencies, differs, replay
from agent_harness.contract.sql_text import KEYWORDS, Token, solid, tokens
from agent_harness.contract.value_classes import any_literal
from sqllogictest import Engine

CHANCE = re.compile(r"\b(?:random|randomblob|current_time\w*|current_date|changes|last_insert_rowid|sqlite_\w+)\b|'now'", re.I)
INSERT_VALUES = re.compile(r"\s*(?:INSERT|REPLACE)\b[^;]*?\bVALUES\s*(?=\()", re.I | re.S)
ENDS_OF_WHERE = frozenset(("group", "order", "limit", "having", "window", "union", "intersect", "except", "returning", "on"))
# What depends on the order in which rows are visited, and the kinds of twins that change that order.
ORDER_BOUND = re.compile(r"\b(?:group_concat|string_agg|json_group\w+|jsonb_group\w+|over|first_value|last_value)\b", re.I)
DATA_KINDS = frozenset(("partition", "shuffled inserts", "other numbers", "other classes"))
SHARE_OF_OTHERS = 0.3
SPACES = (" ", "  ", "\n", "\t", " /* */ ", "\n\n", " \n ")


class Twin:
    """A script with SQLite's answer to its last statement; `is_ordered` says whether the rows' order counts."""

    __slots__ = ("expected", "is_ordered", "kind", "script")

    def __init__(self, kind: str, script: Sequence[str], expected: Answer, is_ordered: bool) -> None:
        self.kind = kind
        self.script = list(script)
        self.expected = expected
        self.is_ordered = is_ordered


def make_twins(script: Sequence[str], reference: Engine, seed: str) -> list[Twin]:
    """The twins of a script, answered by `reference`; empty if the script depends on chance or the clock."""
    small = dependencies(script)
    if any(CHANCE.search(sql) for sql in small):
        return []
    original = _answer(reference, small)
    is_ordered = bool(re.search(r"\border\s+by\b", small[-1], re.I))
    names = _names(reference, small)
    is_plan_free = not ORDER_BOUND.search(small[-1]) and (is_ordered or not re.search(r"\blimit\b", small[-1], re.I))
    twins: list[Twin] = []
    for kind, make, is_equivalent in _MAKERS:
        if kind in DATA_KINDS and not is_plan_free:
            continue
        chance = random.Random(f"{seed}/{kind}/{small[-1]}")
        for candidate in make(small, names, chance):
            if candidate == small or any(candidate == twin.script for twin in twins):
                continue
            answer = _answer(reference, candidate)
            if _is_usable(original, answer, is_equivalent, is_ordered and kind not in DATA_KINDS):
                # Rows that are equal for ORDER BY may come in another order once the plan or the data is another.
                twins.append(Twin(kind, candidate, answer, is_ordered and kind not in DATA_KINDS))
    return twins


def fails(twin: Twin, engine: Engine) -> tuple[str, Answer]:
    """How an engine differs from SQLite on a twin ('' if it does not), and its answer."""
    actual = replay(engine, twin.script)
    return differs(twin.expected, actual, twin.is_ordered), actual


def _answer(reference: Engine, script: Sequence[str]) -> Answer:
    answer = replay(reference, script)
    reference.close()
    return answer


def _is_usable(original: Answer, answer: Answer, is_equivalent: bool, is_ordered: bool) -> bool:
    if (original.rows is None) != (answer.rows is None):
        return False
    return not (is_equivalent and original.rows is not None and differs(original, answer, is_ordered))


def _names(reference: Engine, script: Sequence[str]) -> set[str]:
    """The names of tables, views, indexes and columns after the setup, in lower case."""
    found: set[str] = set()
    reference.open(None)
    try:
        for sql in script[:-1]:
            _quietly(reference, sql)
        objects = _quietly(reference, "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        for name, kind in objects:
            found.add(str(name).lower())
            if kind in ("table", "view"):
                quoted = str(name).replace('"', '""')
                columns = _quietly(reference, f'PRAGMA table_info("{quoted}")')
                found |= {str(column[1]).lower() for column in columns}
    finally:
        reference.close()
    return {name for name in found if re.fullmatch(r"[a-z_]\w*", name) and name not in KEYWORDS and name != "rowid"}


def _quietly(reference: Engine, sql: str) -> list[Sequence[object]]:
    try:
        return list(reference.execute(sql))
    except reference.errors:
        return []


def _join(found: Sequence[Token]) -> str:
    return "".join(text for _, text in found)


def _renamed(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    aliases = {
        after[1].lower()
        for sql in script
        for before, after in zip(solid(tokens(sql)), solid(tokens(sql))[1:], strict=False)
        if before[1].lower() == "as" and after[0] == "word" and after[1].lower() not in KEYWORDS
    }
    # Only names that nothing else can mean: a function of the same name keeps both.
    called = {
        before[1].lower()
        for sql in script
        if not sql.lstrip().lower().startswith(("create", "insert"))
        for before, after in zip(solid(tokens(sql)), solid(tokens(sql))[1:], strict=False)
        if after[1] == "("
    }
    mark = f"_{chance.randrange(16**4):04x}"
    mapping = {name: name + mark for name in (names | aliases) - called - {"true", "false", "new", "old", "excluded", "main"}}

    def rename(sql: str) -> str:
        return _join([(kind, _mapped(kind, text, mapping)) for kind, text in tokens(sql)])

    return [[rename(sql) for sql in script]]


def _mapped(kind: str, text: str, mapping: dict[str, str]) -> str:
    if kind == "word" and text.lower() in mapping:
        return mapping[text.lower()]
    if kind == "quoted" and text[1:-1].lower() in mapping:
        return text[0] + mapping[text[1:-1].lower()] + text[-1]
    return text


def _respaced(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    def respace(sql: str) -> str:
        parts = [(kind, chance.choice(SPACES) if kind == "space" else text) for kind, text in tokens(sql)]
        return chance.choice(("", " ", "\n")) + _join(parts) + chance.choice(("", " ", "\n/* end */"))

    return [[*script[:-1], respace(script[-1])]]


def _recased(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    def recase(text: str) -> str:
        return "".join(letter.upper() if chance.random() < 0.5 else letter.lower() for letter in text)

    parts = [(kind, recase(text) if kind == "word" and text.isascii() else text) for kind, text in tokens(script[-1])]
    return [[*script[:-1], _join(parts)]]


def _where(sql: str) -> tuple[str, str, str] | None:
    """(before, predicate, after) of the first outermost WHERE; None if there is none."""
    found = tokens(sql)
    depth = 0
    start = None
    for position, (kind, text) in enumerate(found):
        word = text.lower() if kind == "word" else text
        if word in ("(", "case"):
            depth += 1
        elif word in (")", "end"):
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0 and start is None and word == "where":
            start = position + 1
        elif depth == 0 and start is not None and (word in ENDS_OF_WHERE or word == ";"):
            return _join(found[:start]), _join(found[start:position]), _join(found[position:])
    return (_join(found[:start]), _join(found[start:]), "") if start is not None else None


def _negated_twice(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    parts = _where(script[-1])
    if parts is None:
        return []
    before, predicate, after = parts
    return [[*script[:-1], f"{before} NOT (NOT ({_closed(predicate)})) {after}"]]


def _partitions(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    parts = _where(script[-1])
    if parts is None or not re.match(r"\s*(?:select|with)\b", script[-1], re.I):
        return []
    before, predicate, after = parts
    closed = _closed(predicate)
    conditions = (f"({closed})", f"NOT ({closed})", f"({closed}) IS NULL", "1")
    return [[*script[:-1], f"{before} {condition} {after}"] for condition in conditions]


def _closed(predicate: str) -> str:
    """A predicate that may end in a line comment, safe before a closing parenthesis."""
    return predicate + "\n" if "--" in predicate else predicate.strip()


def _shuffled(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    changed = list(script)
    for position, sql in enumerate(script[:-1]):
        parts = _rows_of(sql)
        if parts is not None and len(parts[1]) > 1:
            rows = list(parts[1])
            chance.shuffle(rows)
            changed[position] = parts[0] + ", ".join(rows)
    return [changed]


def _rows_of(sql: str) -> tuple[str, list[str]] | None:
    """The head and the rows of INSERT ... VALUES, None if anything else follows."""
    match = INSERT_VALUES.match(sql)
    if match is None:
        return None
    rest = sql[match.end() :].rstrip().rstrip(";").rstrip()
    rows = ROW.findall(rest)
    is_whole = re.sub(r"\s", "", ",".join(rows)) == re.sub(r"\s", "", rest)
    return (sql[: match.end()], rows) if is_whole else None


def _other_numbers(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    """Each whole number of two or more in inserted rows moved a little, the same one always in the same way."""
    moves: dict[str, str] = {}

    def move(kind: str, text: str) -> str:
        if kind == "number" and text.isdigit() and 2 <= int(text) < 10**9:
            return moves.setdefault(text, str(int(text) + chance.randrange(1, 4)))
        return text

    changed = list(script)
    for position, sql in enumerate(script[:-1]):
        parts = _rows_of(sql)
        if parts is not None:
            changed[position] = parts[0] + _join([(kind, move(kind, text)) for kind, text in tokens(", ".join(parts[1]))])
    if not moves:
        changed[-1] = _join([(kind, move(kind, text)) for kind, text in tokens(script[-1])])
    return [changed]


def _other_classes(script: Sequence[str], names: set[str], chance: random.Random) -> list[list[str]]:
    """Some of the values in inserted rows become values of another class: long, large, negative, of another type."""

    def move(kind: str, text: str) -> str:
        is_value = kind == "number" or (kind == "string" and not text.startswith(("x", "X")))
        return any_literal(chance) if is_value and chance.random() < SHARE_OF_OTHERS else text

    changed = list(script)
    for position, sql in enumerate(script[:-1]):
        parts = _rows_of(sql)
        if parts is not None:
            changed[position] = parts[0] + _join([(kind, move(kind, text)) for kind, text in tokens(", ".join(parts[1]))])
    return [changed]


_Maker = Callable[[Sequence[str], set[str], random.Random], list[list[str]]]
# (kind, maker, whether SQLite must give the original's rows)
_MAKERS: tuple[tuple[str, _Maker, bool], ...] = (
    ("renamed", _renamed, True),
    ("re-spaced", _respaced, True),
    ("re-cased", _recased, True),
    ("negated twice", _negated_twice, True),
    ("partition", _partitions, False),
    ("shuffled inserts", _shuffled, True),
    ("other numbers", _other_numbers, False),
    ("other classes", _other_classes, False),
)
