"""A short run of every oracle from fixed seeds; `make fuzz` is the long one.  And hypothesis draws from the same generator."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import run_round
from tests.fuzz.engines import Answer, Costly, Minisql, Sqlite, same
from tests.fuzz.judging import Case, is_wrong
from tests.fuzz.oracles import ORACLES
from tests.fuzz.rounds import make_round
from tests.fuzz.shrinking import shrunk


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_few_seeds_of(oracle: str, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    n_statements = 0
    for seed in range(8 if oracle == "differential" else 2):
        counts, texts = run_round(oracle, seed, tmp_path, seen, 5)
        n_statements += counts.statements
        assert texts == []
    assert n_statements > 5


def test_a_difference_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets a row of every answer that has three."""
    whole = Minisql.run
    monkeypatch.setattr(Minisql, "run", lambda self, sql: _shortened(whole(self, sql)))
    script = ("create table u(x)", "create table t(a, b)", "insert into t values (1, 2), (3, 4), (5, 6), (7, null)")
    case = Case((*script, "select a, b + 1 from t where a in (1, 3, 5) and (b > 0 or b is null) order by 1 desc"))
    small = shrunk(case, lambda candidate: is_wrong(candidate) is not None, 10)
    assert len(small.script) <= 3 and len(small.script[-1]) < 30 < len(case.script[-1])


def _shortened(answer: Answer) -> Answer:
    return answer._replace(rows=answer.rows[:-1]) if answer.rows is not None and len(answer.rows) == 3 else answer


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_hypothesis_draws_from_the_generator(dice: random.Random) -> None:
    round_ = make_round(dice)
    ours, theirs = Minisql(), Sqlite()
    script: list[str] = []
    for sql in (*round_.setup, round_.queries.query()):
        script.append(sql)
        try:
            expected = theirs.run(sql)
        except Costly:
            return
        assert same(ours.run(sql), expected) or is_wrong(Case(tuple(script))) is None, script
