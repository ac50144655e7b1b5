"""Where statements begin and end, parameters, positions, limits and depth."""

from __future__ import annotations

import threading

import pytest

from minisql import limits
from minisql.errors import OperationalError
from minisql.parser import ast, parse_expression, parse_one, parse_script, tokenizer
from minisql.parser.unparse import unparse


def refused(sql: str, start: int = 0) -> tuple[str, int]:
    with pytest.raises(OperationalError) as caught:
        parse_one(sql, start)
    return str(caught.value), caught.value.sqlite_offset


def test_text_without_a_statement_is_none() -> None:
    for text in ("", "  ", ";", ";;\n ;", "-- only a comment", "/* open", "\0select", "; -- a\n ; /* b */"):
        assert parse_one(text) == (None, len(text))


def test_the_rest_begins_behind_the_semicolon() -> None:
    sql = "select ';'; ; select 2 -- ;\n; select 3"
    ends = [sql[start:] for _, start in parse_script(sql)]
    assert ends == [" ; select 2 -- ;\n; select 3", " select 3", ""]


def test_a_trigger_takes_the_semicolons_of_its_body() -> None:
    sql = "create trigger x after insert on t begin select 1; delete from t; end; select 2"
    parsed, end = parse_one(sql)
    assert parsed is not None and isinstance(parsed.statement, ast.CreateTrigger)
    assert [type(step) for step in parsed.statement.steps] == [ast.Select, ast.Delete]
    assert sql[end:] == " select 2"


def test_module_arguments_may_hold_semicolons() -> None:
    sql = "create virtual table v using m(a; b, ';', c); select 1"
    parsed, end = parse_one(sql)
    assert parsed is not None and isinstance(parsed.statement, ast.CreateVirtualTable)
    assert parsed.statement.arguments == ["a; b", "';'", "c"]
    assert sql[end:] == " select 1"
    assert refused("create virtual table v using m(a; b")[0] == "incomplete input"


def test_scripts_are_parsed_lazily() -> None:
    statements = parse_script("select 1; selec 2")
    next(statements)
    with pytest.raises(OperationalError, match='near "selec": syntax error'):
        next(statements)


def test_offsets_count_bytes_from_where_the_caller_started() -> None:
    assert refused("select 'äö' fromm x y") == ('near "x": syntax error', 20)
    assert refused("select 1; ; select 'ä' + ) ", 9) == ('near ")": syntax error', 17)


def test_nul_ends_the_text() -> None:
    parsed, end = parse_one("select 1\0 nonsense ' ")
    assert parsed is not None and end == 21
    assert refused("select \0 1")[0] == "incomplete input"


def test_parameters_are_numbered_as_sqlite_does() -> None:
    parsed, _ = parse_one("select ?, ?5, :a, ?, ?2, :a, @a, $a::b(c), ?5")
    assert parsed is not None
    assert parsed.parameter_names == [None, "?2", None, None, "?5", ":a", None, "@a", "$a::b(c)"]
    core = parsed.statement.cores[0]  # type: ignore[attr-defined]
    assert [column.expression.number for column in core.columns] == [1, 5, 6, 7, 2, 6, 8, 9, 5]


def test_parameter_limits() -> None:
    assert refused("select ?0")[0] == "variable number must be between ?1 and ?32766"
    assert refused("select ?99999999999999999999")[0] == "variable number must be between ?1 and ?32766"
    assert refused("select ?32766, :a")[0] == "too many SQL variables"
    tight = list(limits.DEFAULTS)
    tight[limits.VARIABLE_NUMBER] = 2
    with pytest.raises(OperationalError, match="too many SQL variables"):
        parse_one("select ?, ?, ?", 0, tight)


def test_connection_limits_on_depth_and_compounds() -> None:
    tight = list(limits.DEFAULTS)
    tight[limits.EXPR_DEPTH] = 3
    tight[limits.COMPOUND_SELECT] = 2
    parse_one("select 1 + 2 + a, (1, 2, 3, 4, 5, 6, 7)", 0, tight)
    with pytest.raises(OperationalError, match="maximum depth 3"):
        parse_one("select 1 + 2 + a + b", 0, tight)
    with pytest.raises(OperationalError, match="too many terms in compound SELECT"):
        parse_one("select 1 union select 2 union select 3", 0, tight)


DEEP = {
    "parentheses": "select " + "(" * 2400 + "1" + ")" * 2400,
    "sum": "select " + "+".join(["a"] * 1000),
    "and": "select " + " and ".join(["a"] * 1000),
    "calls": "select " + "abs(" * 800 + "1" + ")" * 800,
    "case": "select " + "case when 1 then " * 480 + "1" + " end" * 480,
    "scalar subqueries": "select " + "(select " * 400 + "1" + ")" * 400,
    "subqueries in FROM": "select * from " + "(select * from " * 400 + "t" + ")" * 400,
    "joins": "select * from u, " + "(t join " * 600 + "t" + ")" * 600,
    "common tables": "with a as (" * 400 + "select 1" + ") select 1" * 400,
    "not": "select " + "not " * 990 + "a",
}


@pytest.mark.parametrize("sql", DEEP.values(), ids=DEEP.keys())
def test_deep_statements_meet_no_recursion_limit(sql: str) -> None:
    parsed, _ = parse_one(sql)
    assert parsed is not None
    again, _ = parse_one(unparse(parsed.statement))
    assert again is not None and ast.equal(parsed.statement, again.statement)


@pytest.mark.parametrize(
    "sql",
    ["select " + "(" * 100_000, "select " + "abs(" * 2000 + "1" + ")" * 2000, "select " + "(select " * 2000],
    ids=["parentheses", "calls", "subqueries"],
)
def test_deeper_nesting_than_sqlites_parser_stack_is_refused(sql: str) -> None:
    assert refused(sql)[0] == "Recursion limit"


def test_chains_longer_than_the_expression_limit_are_refused() -> None:
    for operator in (" + ", " and ", " or ", " || "):
        assert refused("select " + operator.join(["a"] * 1001))[0] == "Expression tree is too large (maximum depth 1000)"


def test_long_statements_are_fast_enough_to_parse() -> None:
    parse_one("select 1 where 1 in (" + ",".join(map(str, range(60_000))) + ")")
    parse_one("insert into t values" + ",".join(["(1,'x',?)"] * 10_000))
    parse_one(" union all ".join(["select 1"] * 500))
    parse_one("select '" + "''" * 200_000 + "'")
    assert refused("select '" + "''" * 200_000)[0].startswith("unrecognized token")


def test_memos_stay_small_and_ignore_long_texts() -> None:
    for number in range(50_000, 75_000):
        parse_one(f"select {number}")
    assert len(tokenizer.kind_of.__self__) <= 20_001  # type: ignore[attr-defined]
    text = "x" * 100
    parse_one(f"select '{text}'")
    assert f"'{text}'" not in tokenizer.literal_of.__self__  # type: ignore[attr-defined]


def test_threads_share_the_memos() -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(500):
                parsed, _ = parse_one(f"select a{i % 7}, {number * 1000 + i}, 'x{i}' from t{number}")
                assert parsed is not None
        except BaseException as error:  # reported by the main thread below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_expression_alone_must_be_the_whole_text() -> None:
    assert ast.equal(parse_expression("a + 1"), ast.Binary("+", ast.Column("a", None, None, False, 0), ast.Literal(1)))
    with pytest.raises(OperationalError, match='near ",": syntax error'):
        parse_expression("a, b")


def test_equality_minds_types_and_ignores_positions() -> None:
    assert ast.equal(parse_expression("a  +1"), parse_expression("a + 1"))
    assert not ast.equal(parse_expression("1"), parse_expression("1.0"))
    assert not ast.equal(parse_expression("a"), parse_expression('"a"'))


def test_names_with_letters_beyond_ascii_are_no_keywords() -> None:
    parsed, _ = parse_one("select ſelect, ＳＥＬＥＣＴ")
    core = parsed.statement.cores[0]  # type: ignore[union-attr,attr-defined]
    assert [column.expression.name for column in core.columns] == ["ſelect", "ＳＥＬＥＣＴ"]


NUMBERS = {
    "1": 1, "00012": 12, "9223372036854775807": 2**63 - 1, "9223372036854775808": 2.0**63, "1.5": 1.5, ".5": 0.5, "5.": 5.0,
    "1e3": 1000.0, "1E-2": 0.01, "0x10": 16, "0X7fffffffffffffff": 2**63 - 1, "0xffffffffffffffff": -1, "1_000": 1000,
    "0x1_0": 16, "1_0.0_1": 10.01, "1e999": float("inf"), "-9223372036854775808": -(2**63), "- 1": -1, "- -1": 1, "+1": 1,
    "-(9223372036854775808)": -(2**63), "0x0000000000000000001": 1,
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_numeric_literals(text: str, value: float) -> None:
    node = parse_expression(text)
    assert isinstance(node, ast.Literal)
    assert node.value == value and type(node.value) is type(value)


def test_hexadecimal_literals_beyond_64_bits_are_refused() -> None:
    assert refused("select 0x10000000000000000") == ("hex literal too big: 0x10000000000000000", 7)
    assert refused("select -0x10000000000000000") == ("hex literal too big: -0x10000000000000000", 8)
    assert refused("select -0x8000000000000000")[0] == "hex literal too big: -0x8000000000000000"
