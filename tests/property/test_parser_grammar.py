"""Sentences made from an executable grammar of the dialect: the parser takes what SQLite takes, and writes it back.

Lark reads the grammar; the sentences are drawn here, since a seeded walk over the rules makes some hundred sentences in the
time that `hypothesis.extra.lark` takes for one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import lark
import pytest

from minisql.errors import Error
from minisql.parser import ast, parse_one
from minisql.parser.unparse import unparse
from tests.oracle.test_parser_oracle import CHECKED_AT_ONCE, differs, own_outcome

TEXT = (Path(__file__).parent / "sqlite.lark").read_text()
GRAMMAR = lark.Lark(TEXT, start="start")
RULES: dict[str, list[list[str]]] = {}
for rule in GRAMMAR.rules:
    RULES.setdefault(rule.origin.name, []).append([symbol.name for symbol in rule.expansion])
ALTERNATIVES = {
    terminal.name: [str(terminal.pattern.value)] for terminal in GRAMMAR.terminals if terminal.pattern.type == "str"
}
for line in re.finditer(r"^([A-Z_]+): (.*)$", TEXT, re.MULTILINE):
    ALTERNATIVES[line[1]] = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:[^"\\]|\\.)*)"', line[2])]


def shortest_derivations() -> dict[str, int]:
    """Returns, for every rule, the least depth in which it can end."""
    depths = dict.fromkeys(RULES, 1_000)
    while True:
        better = {
            name: min(1 + max((depths.get(symbol, 0) for symbol in expansion), default=0) for expansion in expansions)
            for name, expansions in RULES.items()
        }
        if better == depths:
            return depths
        depths = better


DEPTHS = shortest_derivations()


def draw(name: str, chance: random.Random, depth: int) -> str:
    """Draws a sentence of a rule, by its shortest way out once `depth` is used up."""
    if name not in RULES:
        return chance.choice(ALTERNATIVES[name])
    expansions = RULES[name]
    if depth <= 0:
        heights = [max((DEPTHS.get(symbol, 0) for symbol in expansion), default=0) for expansion in expansions]
        expansions = [expansions[i] for i, height in enumerate(heights) if height == min(heights)]
    return "".join([draw(symbol, chance, depth - 1) for symbol in chance.choice(expansions)])


def sentences(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(500):
        sentence = draw("start", chance, chance.randrange(4, 11))
        if len(sentence) < 2_000:
            yield sentence


@pytest.mark.parametrize("seed", range(3))
def test_sentences_are_judged_as_by_sqlite(seed: int) -> None:
    differences = []
    for sql in sentences(seed):
        own = own_outcome(sql)
        if own is None or not any(text in own[0] for text in CHECKED_AT_ONCE):
            differences += [found for found in [differs(sql)] if found]
    assert differences == []


@pytest.mark.parametrize("seed", range(3, 6))
def test_sentences_survive_being_written_back(seed: int) -> None:
    n_accepted = 0
    for sql in sentences(seed):
        try:
            parsed, _ = parse_one(sql, drops_terms=False)
        except Error:
            continue
        assert parsed is not None
        n_accepted += 1
        text = unparse(parsed.statement)
        again, _ = parse_one(text, drops_terms=False)
        assert again is not None and unparse(again.statement) == text, f"{sql}\n{text}"
        # The operand before an empty list is dropped, and a parameter that was in it is not counted any more.
        assert "IN ( )" in sql.upper() or ast.equal(parsed.statement, again.statement), f"{sql}\n{text}"
    assert n_accepted > 400
