"""Twins, the hold-out and SQL as tokens: what is made, and that SQLite itself agrees with it."""

from collections import Counter
from pathlib import Path

import pytest

from agent_harness.contract.holdout import GENERATORS, Dealer, agreement, answer_all, counts, make_holdout
from agent_harness.contract.minimise import differs, reference_engine, replay
from agent_harness.contract.sql_text import features, normalised, script_features, tokens
from agent_harness.contract.twins import fails, make_twins
from agent_harness.gates.holdout import HoldoutGate
from tests.harness.scratch import FAULTY, ROOT, Scratch, plant, repair

SETUP = [
    "CREATE TABLE t1(a INTEGER, b TEXT)",
    "CREATE INDEX i1 ON t1(a)",
    "INSERT INTO t1 VALUES (5,'x'),(7,'select a'),(NULL,NULL),(9,'y')",
]


def twins_of(*last: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for twin in make_twins([*SETUP, *last], reference_engine(), "seed"):
        found.setdefault(twin.kind, []).append(" ".join(twin.script[-1].split()))
    return found


def test_every_kind_of_twin_is_made() -> None:
    twins = twins_of("SELECT a AS w, b FROM t1 WHERE a > 5 -- why\n ORDER BY w")
    assert set(twins) == {
        *("renamed", "re-spaced", "re-cased", "negated twice", "partition", "shuffled inserts", "other numbers"),
        "other classes",
    }
    assert len(twins["partition"]) == 4
    assert any("NOT (NOT ( a > 5 -- why" in sql for sql in twins["negated twice"])
    assert "t1" not in twins["renamed"][0].replace("t1_", "")


def test_names_inside_strings_stay() -> None:
    renamed = twins_of("SELECT b FROM t1 WHERE b = 'select a'")["renamed"]
    assert "'select a'" in renamed[0]


def test_nested_predicates_are_closed_where_they_end() -> None:
    twins = twins_of("SELECT a FROM t1 WHERE a IN (SELECT a FROM t1 WHERE a > 5) AND CASE WHEN a THEN 1 END GROUP BY a")
    assert twins["negated twice"][0].endswith("AND CASE WHEN a THEN 1 END)) GROUP BY a")


def test_no_twins_for_what_depends_on_chance() -> None:
    assert twins_of("SELECT random()") == {}
    assert twins_of("SELECT a, datetime('now') FROM t1") == {}


def test_rows_that_depend_on_the_plan_keep_their_data() -> None:
    twins = twins_of("SELECT a FROM t1 LIMIT 2")
    assert not set(twins) & {"partition", "shuffled inserts", "other numbers", "other classes"}
    assert "group_concat" not in str(twins_of("SELECT group_concat(b) FROM t1").get("shuffled inserts"))


def test_statements_that_fail_have_twins_that_fail() -> None:
    for twin in make_twins([*SETUP, "SELECT missing FROM t1"], reference_engine(), "seed"):
        assert twin.expected.rows is None


def test_twins_tell_the_fault_from_the_engine(scratch: Scratch) -> None:
    twins = make_twins(scratch.contract.script(scratch.targets[0]), reference_engine(), "seed")
    faulty, right = scratch.contract.engine(scratch.root), scratch.contract.engine(ROOT)
    try:
        assert any(fails(twin, faulty)[0] == "rows" for twin in twins)
        assert [twin.kind for twin in twins if fails(twin, right)[0]] == []
    finally:
        faulty.close()
        right.close()


def test_twins_are_the_same_for_the_same_seed() -> None:
    script = [*SETUP, "SELECT a FROM t1 WHERE a > 5"]
    one, two, other = (make_twins(script, reference_engine(), seed) for seed in ("s", "s", "u"))
    assert [twin.script for twin in one] == [twin.script for twin in two]
    assert [twin.script for twin in one] != [twin.script for twin in other]


def test_holdout_is_made_from_the_seed_and_split_by_feature() -> None:
    held = make_holdout("seed", ["full join"], 2)
    assert len(held) == 2 * len(GENERATORS)
    assert {item.feature for item in held if item.is_own} == {"outer join"}
    assert [item.script for item in held] == [item.script for item in make_holdout("seed", [], 2)]
    assert [item.script for item in held] != [item.script for item in make_holdout("another", [], 2)]


def test_sqlite_answers_nearly_every_held_out_script() -> None:
    held = [item for seed in "abcd" for item in make_holdout(seed, [], 3)]
    errors = Counter(item.feature for item, answer in zip(held, answer_all(held), strict=True) if answer.rows is None)
    assert not errors
    assert all(set(script_features(item.script)) or item.feature == "arithmetic" for item in held)


def test_holdout_tells_the_fault_from_the_engine(scratch: Scratch) -> None:
    held = [item for item in make_holdout("seed", ["abs()"], 6) if item.feature in ("number functions", "like")]
    answers = answer_all(held)
    assert counts(held, agreement(held, answers, scratch.contract.engine(ROOT))) == {"own": (6, 6), "other": (6, 6)}
    faulty = counts(held, agreement(held, answers, scratch.contract.engine(scratch.root)))
    assert faulty["other"] == (6, 6) and faulty["own"][0] < 6


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'it''s' || \"a b\", x'ff', [c d], `e`, 1.5e-3, .5, 0xFF, ?1, :n /* c */ -- end",
        "select a->>'$.x' from t where b<>1 and c!='' or d==e<<2",
        "unfinished 'string",
        "ünïcode über",
        "",
    ],
)
def test_tokens_put_together_are_the_statement(sql: str) -> None:
    assert "".join(text for _, text in tokens(sql)) == sql


def test_spelling_does_not_matter_to_the_normal_form() -> None:
    assert normalised("SELECT  a,b\nFROM t -- x") == normalised("select a , b from /* y */ T")
    assert normalised("SELECT 'A'") != normalised("SELECT 'a'")


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT * FROM a FULL OUTER JOIN b USING (x)", {"full join", "join", "using"}),
        ("WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM q) SELECT n FROM q", {"recursive", "union all"}),
        ("SELECT sum(x) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t", {"window", "window frame", "sum()"}),
        ("INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING RETURNING *", {"insert", "upsert", "returning"}),
        ("CREATE UNIQUE INDEX i ON t(a) WHERE a > 1", {"create index", "partial index", "unique"}),
        ("CREATE TABLE t(a PRIMARY KEY, b AS (a + 1)) WITHOUT ROWID", {"create table", "without rowid", "primary key"}),
        ("SELECT date('now'), upper(x) || 'group by' FROM t", {"date functions", "upper()", "concatenation"}),
    ],
)
def test_features_of_statements(sql: str, wanted: set[str]) -> None:
    assert wanted <= features(sql)
    assert "group by" not in features(sql)


def test_reference_answers_are_compared_with_their_types() -> None:
    reference = reference_engine()
    one, two = replay(reference, ["SELECT 1"]), replay(reference, ["SELECT 1.0"])
    reference.close()
    assert differs(one, two, True) == "rows"


def test_twins_meet_values_of_other_classes() -> None:
    found = [
        "; ".join(twin.script)
        for n in range(12)
        for twin in make_twins([*SETUP, "SELECT a, b FROM t1"], reference_engine(), f"seed {n}")
        if twin.kind == "other classes"
    ]
    for mark in ("zeroblob(", "AS BLOB)", "printf(", "NULL", "-"):
        assert any(mark in script for script in found), mark


@pytest.mark.parametrize("feature", ["large values", "mixed types"])
def test_every_holdout_holds_values_of_every_class(feature: str) -> None:
    held = [item for n in range(4) for item in make_holdout(f"s{n}", (), 5) if item.feature == feature]
    answers = answer_all(held)
    assert sum(answer.rows is not None for answer in answers) > len(held) // 2
    assert any("zeroblob(" in sql for item in held for sql in item.script)


def test_repair_that_is_wrong_for_large_values_only_is_lost(scratch: Scratch, tmp_path: Path) -> None:
    """The records and their twins over small values are right; only what needs overflow pages is not."""

    def narrow(checkout: Path) -> None:
        repair(checkout)
        plant(checkout, FAULTY, "        return value.hex().upper()\n", "        return value[:900].hex().upper()\n")

    change = scratch.change(tmp_path / "work", narrow)
    gates = [HoldoutGate(scratch.contract, seed, {}) for seed in ("seed", "another", "a third")]
    assert "holdout: lost" in {gate.check(change, scratch.contract).signature for gate in gates}
    assert gates[0].check(scratch.change(tmp_path / "right", repair), scratch.contract).passed


def test_what_is_chosen_at_a_place_comes_round() -> None:
    dealer = Dealer("seed")
    dealt = [[dealer.choice("abcd"), dealer.choice("xyz")] for _ in range(12)]
    assert all(sorted(letter for letter, _ in dealt[at : at + 4]) == list("abcd") for at in (0, 4, 8))
    # Two choices of as many options on a line share a deck; these have not as many.
    assert all(sorted(letter for _, letter in dealt[at : at + 3]) == list("xyz") for at in (0, 3, 6, 9))
