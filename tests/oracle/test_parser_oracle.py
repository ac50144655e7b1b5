"""The parser beside SQLite: what it accepts and refuses, with which text and at which offset.

SQLite reports a wrong name or type before a syntax error further on, so a difference counts only where SQLite's message is
about syntax, or where SQLite accepts the statement.
"""

from __future__ import annotations

import random
from pathlib import Path

import apsw
import pytest

from minisql.errors import Error
from minisql.parser import ast, parse_one
from minisql.parser.tokenizer import tokenize
from minisql.parser.unparse import unparse

DATA = Path(__file__).parent / "parser"
ACCEPTED = [line for line in (DATA / "accepted.sql").read_text().split("\n") if line]
REFUSED = [line for line in (DATA / "refused.sql").read_text().split("\n") if line]

SYNTAX_TEXTS = (
    "syntax error",
    "incomplete input",
    "unrecognized token",
    "clause should come after",
    "JOIN clause is required",
    "unknown join type",
    "unknown table option",
    "Recursion limit",
    "Expression tree is too large",
    "error in generated column",
    "unsupported frame specification",
    "within triggers",
    "variable number must be",
    "too many SQL variables",
    "too many terms in compound",
)

Outcome = tuple[str, int] | None


def sqlite_outcome(sql: str) -> Outcome:
    """Returns SQLite's syntax error for the first statement, None when it has none; the statement is not run."""
    connection = apsw.Connection(":memory:")
    connection.execute("create table t(a, b, c); create table u(a, d)")
    connection.exec_trace = lambda cursor, text, bindings: False
    try:
        connection.execute(sql)
    except (apsw.ExecTraceAbort, apsw.BindingsError):
        return None
    except apsw.Error as error:
        text = str(error)
        if any(part in text for part in SYNTAX_TEXTS):
            return text, getattr(error, "error_offset", -1)
        return ("other", 0)
    return None


def own_outcome(sql: str) -> Outcome:
    """Returns our error, None when the statement parses."""
    try:
        parse_one(sql)
    except Error as error:
        return str(error), error.sqlite_offset
    return None


def differs(sql: str) -> str | None:
    """Returns a description of the difference, None when there is none that counts."""
    theirs = sqlite_outcome(sql)
    own = own_outcome(sql)
    if theirs == own or (theirs is not None and theirs[0] == "other"):
        return None
    return f"{sql}\n  SQLite: {theirs}\n  ours:   {own}"


@pytest.mark.parametrize("sql", ACCEPTED)
def test_good_statements_are_accepted(sql: str) -> None:
    assert own_outcome(sql) is None
    assert differs(sql) is None


@pytest.mark.parametrize("sql", ACCEPTED)
def test_good_statements_survive_being_written_back(sql: str) -> None:
    parsed, _ = parse_one(sql)
    assert parsed is not None
    text = unparse(parsed.statement)
    again, _ = parse_one(text)
    assert again is not None and ast.equal(parsed.statement, again.statement), text
    assert differs(text) is None


def test_bad_statements_get_sqlites_message_and_offset() -> None:
    assert [found for sql in REFUSED if (found := differs(sql))] == []


# Two errors at once: SQLite makes these checks only after it has seen the next token, whose syntax error then counts; we
# make them on the spot.
CHECKED_AT_ONCE = ("within triggers", "must be unqualified", "may not have qualified name", "unknown join type")


@pytest.mark.parametrize("seed", range(4))
def test_statements_with_damaged_tokens_get_sqlites_message_and_offset(seed: int) -> None:
    chance = random.Random(seed)
    pool = [token for sql in ACCEPTED for token in tokenize(sql, 0, len(sql))]
    differences = []
    for _ in range(700):
        sql = " ".join(damaged(chance, tokenize(chosen := chance.choice(ACCEPTED), 0, len(chosen)), pool))
        found = differs(sql)
        own = own_outcome(sql)
        if found and not (own and any(text in own[0] for text in CHECKED_AT_ONCE)) and "limit" not in sql.lower():
            differences.append(found)
    assert differences == []


def damaged(chance: random.Random, tokens: list[str], pool: list[str]) -> list[str]:
    """Returns the tokens after one or two deletions, insertions, exchanges, swaps or cuts."""
    for _ in range(chance.choice((1, 1, 1, 2))):
        i = chance.randrange(len(tokens))
        action = chance.randrange(5)
        if action == 0:
            del tokens[i]
        elif action == 1:
            tokens.insert(i, chance.choice(pool))
        elif action == 2:
            tokens[i] = chance.choice(pool)
        elif action == 3 and i + 1 < len(tokens):
            tokens[i], tokens[i + 1] = tokens[i + 1], tokens[i]
        else:
            del tokens[i:]
        if not tokens:
            return ["select"]
    return tokens


NAME_POSITIONS = (
    "select {}", "select t.{} from t", "select {}.x from t", "select 1 from {}", "select 1 from {}.t", "select 1 {}",
    "select 1 as {}", "select 1 from t {}", "select 1 from t as {}", "create table z({} int)", "create table z(a {})",
    "create table {}(a)", "select {}(1)", "select 1 collate {}", "with {} as (select 1) select 1",
    "select 1 from t window {} as ()", "select sum(1) over {} from t", "savepoint {}", "release {}", "pragma {}",
    "pragma x = {}", "select 1 from t join u using ({})", "insert into t({}) values(1)", "update t set {} = 1",
    "create index {} on t(a)", "create table z(a constraint {} not null)", "create table z(a references {})",
    "create trigger {} after insert on t begin select 1; end", "create virtual table v using {}", "select cast(1 as {})",
    "attach {} as z", "create table z(a default {})", "drop table {}", "alter table t rename to {}",
    "select sum(1) over ({}) from t", "analyze {}", "reindex {}", "vacuum {}", "begin transaction {}", "rollback to {}",
    "select 1 from t indexed by {}", "alter table t rename {} to b", "alter table t drop {}", "alter table t add {}",
    "select 1 from t {} join t b", "select 1 from {}(1)", "select 1 in {}", "select 1 order by a {}",
    "select a {} from t", "select case a {} end", "select f({} a)",
)  # fmt: skip


@pytest.mark.parametrize("template", NAME_POSITIONS)
def test_keywords_are_names_exactly_where_sqlite_lets_them(template: str) -> None:
    assert [found for word in sorted(apsw.keywords) if (found := differs(template.format(word)))] == []


SPANS = "select a+1, a  +  b , (a)+1 x, 'x' , \"a\"||1, count(*) , sum(a) over ( ) /* c */ , a/*c*/+1, 1 -- c\n , null from t"


def test_unnamed_columns_are_named_by_sqlites_span_of_their_text() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("create table t(a, b)")
    parsed, _ = parse_one(SPANS)
    assert parsed is not None and isinstance(parsed.statement, ast.Select)
    core = parsed.statement.cores[0]
    assert isinstance(core, ast.Core)
    names = []
    for column in core.columns:
        assert isinstance(column, ast.ResultColumn)
        names.append(column.alias or parsed.source.text(column.first, column.end))
    connection.execute("insert into t values(1, 2)")
    assert names == [column[0] for column in connection.execute(SPANS).get_description()]


SCHEMA_TEXTS = (
    "create table if not exists main . x ( a , b )  ;  ",
    "CREATE  TEMP   TABLE x(a) -- comment",
    "create table 'x y'(a) without /* no */ rowid",
    "create view v(a) as /*c*/ select 1 -- d\n;",
    "create temp view v as select 1 /* x */",
    "create index i on t(a)  ;",
    "create unique index  main.i on t(a) where a>1 -- c\n ;",
    "create index i on t(a) /* c */",
    "create trigger  tr after insert on t begin select 1 ;  end  ;",
    "create temp trigger tr after insert on t begin select 1;select 2; end --x",
    "create virtual table  main.f using rtree( a, b,c ) ;",
)


@pytest.mark.parametrize("sql", SCHEMA_TEXTS)
def test_schema_texts_are_kept_as_sqlite_keeps_them(sql: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("create table t(a, b)")
    try:
        connection.execute(sql)
    except apsw.SQLError as error:
        assert "PRIMARY KEY missing" in str(error)
        return
    rows = connection.execute("select sql from sqlite_schema union all select sql from sqlite_temp_schema").fetchall()
    parsed, _ = parse_one(sql)
    assert parsed is not None
    assert parsed.statement.text == rows[1][0]  # type: ignore[attr-defined]


TYPES_AND_DEFAULTS = (
    "default 5", "default - 5", "default +5", "default ( 1 + 2 )", "default 'x'", "default abc", 'default "abc"',
    "default null", "default (  'a' /*c*/ )", "int", "Integer", "varchar ( 10 , 5 )", "'my type'", '"q" [x]',
    "int/*c*/x", "double   precision", "default true", "default -0x10", "default 5 default 6", "generated",
)  # fmt: skip


@pytest.mark.parametrize("definition", TYPES_AND_DEFAULTS)
def test_types_and_defaults_show_as_in_table_info(definition: str) -> None:
    sql = f"create table z(a {definition})"
    connection = apsw.Connection(":memory:")
    connection.execute(sql)
    row = connection.execute("pragma table_info(z)").fetchall()[0]
    parsed, _ = parse_one(sql)
    assert parsed is not None and isinstance(parsed.statement, ast.CreateTable)
    column = parsed.statement.columns[0]
    defaults = [constraint.text for constraint in column.constraints if isinstance(constraint, ast.Default)]
    assert (column.type_name, defaults[-1] if defaults else None) == (row[2], row[4])


def test_completeness_is_judged_as_by_sqlite() -> None:
    from minisql.parser.complete import is_complete

    words = ["explain", "create", "temp", "trigger", "end", ";", "select", "'a'", "/* x */", "-- y\n", "'", "/*", "[", ";\n"]
    chance = random.Random(5)
    texts = [" ".join(chance.choices(words, k=chance.randrange(9))) for _ in range(4000)]
    assert [text for text in texts if is_complete(text) != apsw.complete(text)] == []


OPERATORS = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "=", "<>", "<", "<=", ">", ">=", "is", "is not",
             "and", "or", "like", "not like", "glob", "->>"]  # fmt: skip
PREFIXES = ["-", "+", "~", "not"]
POSTFIXES = ["isnull", "notnull", "not null", "collate nocase", "in (1, 2)", "not in (0, 3)", "between 0 and 1",
             "not between 1 and 2 + 1", "is null", "like 1 escape 'x'"]  # fmt: skip


def random_expression(chance: random.Random) -> str:
    """Returns a flat expression of constants: all its structure comes from precedence."""
    words = []
    for _ in range(chance.randrange(2, 7)):
        words += chance.choices(PREFIXES, k=chance.choice((0, 0, 1, 2)))
        words.append(chance.choice(["0", "1", "2", "3.5", "'x'", "null"]))
        words += chance.choices(POSTFIXES, k=chance.choice((0, 0, 0, 1)))
        words.append(chance.choice(OPERATORS))
    return " ".join(words[:-1])


def bracketed(node: object) -> str:
    """Writes an expression with every operator in parentheses."""
    if isinstance(node, (ast.And, ast.Or)):
        text = bracketed(node.terms[0])
        for term in node.terms[1:]:
            text = f"({text} {type(node).__name__} {bracketed(term)})"
        return text
    if isinstance(node, ast.Binary):
        return f"({bracketed(node.left)} {node.operator} {bracketed(node.right)})"
    if isinstance(node, ast.Unary):
        return f"({node.operator} {bracketed(node.operand)})"
    if isinstance(node, ast.IsNull):
        return f"({bracketed(node.operand)} IS NULL)"
    if isinstance(node, ast.NotNull):
        return f"({bracketed(node.operand)} IS NOT NULL)"
    if isinstance(node, ast.Collate):
        return f"({bracketed(node.operand)} COLLATE {node.collation})"
    word = "NOT " if getattr(node, "is_negated", False) else ""
    if isinstance(node, ast.Between):
        return f"({bracketed(node.operand)} {word}BETWEEN {bracketed(node.low)} AND {bracketed(node.high)})"
    if isinstance(node, ast.InList):
        return f"({bracketed(node.operand)} {word}IN ({', '.join(map(bracketed, node.items))}))"
    if isinstance(node, ast.Like):
        escape = "" if node.escape is None else f" ESCAPE {bracketed(node.escape)}"
        return f"({bracketed(node.operand)} {word}{node.operator} {bracketed(node.pattern)}{escape})"
    return f"({unparse(node)})"


@pytest.mark.parametrize("seed", range(3))
def test_operators_associate_as_in_sqlite(seed: int) -> None:
    chance = random.Random(seed)
    connection = apsw.Connection(":memory:")
    wrong = []
    for _ in range(600):
        text = random_expression(chance)
        try:
            expected = connection.execute(f"select {text}, quote({text})").fetchall()
        except apsw.Error:
            continue
        parsed, _ = parse_one("select " + text)
        core = parsed.statement.cores[0]  # type: ignore[union-attr,attr-defined]
        brackets = bracketed(core.columns[0].expression)
        if connection.execute(f"select {brackets}, quote({brackets})").fetchall() != expected:
            wrong.append((text, brackets))
    assert wrong == []
