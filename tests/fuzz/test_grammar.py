"""The grammar, the parser and SQLite take and refuse the same sentences; the parser writes back what it takes.

The long run is `python -m tests.fuzz.sentences`.  hypothesis makes its sentences by its own reading of the grammar, layer by
layer: an expression or a query within another is a leaf there, because the rules of the operators alone would never end.
"""

from __future__ import annotations

import random
import re

import lark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from minisql.errors import Error
from minisql.parser import ast, parse_one
from minisql.parser.unparse import unparse
from tests.fuzz.grammar import TEXT, WORDS, alternatives_used
from tests.fuzz.sentences import SAMPLES, Judges, damaged, derived, run, sentences

LAYERS = {
    "statement": "{}", "query": "{}", "change": "{}", "definition": "{}", "alteration": "{}", "command": "{}",
    "column": "CREATE TABLE z({})", "primary": "SELECT {}", "window": "SELECT count(*) OVER {}",
    "upsert": "INSERT INTO t VALUES (1, 2, 3) {}",
}  # fmt: skip
PLAINER = (
    (r"^expr: .*", "expr: EXPR"),
    (r"^subquery: .*", "subquery: SUBQUERY"),
    (r' \| item "ON" NEVER', ""),
    (r"^([A-Z]+): /.*/", r"\1: /x/"),
)
"""What the layers leave out.  hypothesis would read the tokens' patterns at great length, though their samples stand for them."""


def layered() -> lark.Lark:
    """The grammar for hypothesis."""
    text = TEXT
    for pattern, plainer in PLAINER:
        text = re.sub(pattern, plainer, text, flags=re.M)
    return lark.Lark(text + "\nEXPR: /x/\nSUBQUERY: /x/\n", start=list(LAYERS))


LAYERED = layered()


def drawn(rule: str, size: int) -> st.SearchStrategy[str]:
    """Texts of a rule, by the walk."""
    return st.randoms(use_true_random=False).map(lambda dice: derived(rule, (), size, dice.choice) + " ")


LEAVES = {
    **{name: st.just(word + " ") for name, word in WORDS.items()},
    **{name: st.sampled_from([word + " " for word in words]) for name, words in SAMPLES.items()},
    "EXPR": drawn("expr", 6),
    "SUBQUERY": drawn("subquery", 10),
}


def leaves_of(layer: str) -> dict[str, st.SearchStrategy[str]]:
    """The leaves that a rule reaches: hypothesis takes no others."""
    _, rules, _ = LAYERED.grammar.compile([layer], ())
    reached = {symbol.name for rule in rules for symbol in rule.expansion}
    return {name: leaf for name, leaf in LEAVES.items() if name in reached}


@pytest.mark.parametrize("layer", LAYERS)
def test_sentences_of_hypothesis_are_judged_alike(layer: str) -> None:
    judges = Judges()

    @settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(text=from_lark(LAYERED, start=layer, explicit=leaves_of(layer)), dice=st.randoms(use_true_random=False))
    def judge(text: str, dice: random.Random) -> None:
        sql = LAYERS[layer].format(text)
        judges.ask(sql)
        judges.ask(damaged(sql, dice))
        assert judges.differences == []

    judge()
    assert judges.verdicts.total() >= 10


def test_every_alternative_is_covered_and_judged_alike() -> None:
    judges = Judges()
    run(judges, random.Random(1), 2_500)
    assert judges.differences == []
    assert list(judges.coverage.missing()) == []
    assert judges.verdicts["accepted"] > 500 and judges.verdicts["refused"] > 800


def test_a_judge_that_errs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    judges = Judges()
    monkeypatch.setattr("tests.fuzz.sentences.own_outcome", lambda sql: None)
    judges.ask("SELECT FROM t")
    assert len(judges.differences) == 1


@pytest.mark.parametrize(
    ("sql", "is_one"),
    [
        ("SELECT a window FROM t WINDOW window AS (), w AS (window)", True),
        ("SELECT a BETWEEN 1 OR 2 AND 3", False),
        ("SELECT a BETWEEN NOT 1 = 2 AND 3", True),
        ("SELECT 1 IN (2) < 3, a LIKE NOT b = c ESCAPE 'x'", True),
        ("SELECT a LIKE b = c ESCAPE 'x'", False),
        ("INSERT INTO t SELECT * FROM u ON CONFLICT DO NOTHING", False),
        ("ALTER TABLE t RENAME COLUMN TO x", False),
        ("CREATE TABLE z(a GENERATED ALWAYS, b AS (1))", True),
    ],
)
def test_keywords_are_names_and_operands_end_as_in_sqlite(sql: str, is_one: bool) -> None:
    judges = Judges()
    judges.ask(sql)
    assert judges.differences == [] and (alternatives_used(sql) is not None) == is_one


@pytest.mark.parametrize("seed", range(2))
def test_sentences_survive_being_written_back(seed: int) -> None:
    n_accepted = 0
    for sql in sentences(random.Random(seed)):
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
