"""Any tree, written as SQL and parsed, is the same tree; any text parses or fails with an error of the user's family."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from minisql.errors import Error
from minisql.parser import ast, parse_expression, parse_one, parse_script
from minisql.parser.dropping import empty_list
from minisql.parser.tokenizer import Source, statement_end, tokenize
from minisql.parser.unparse import quote_name, unparse

names = st.one_of(
    st.sampled_from(["a", "b", "select", "order", "left", "Replace", "x y", 'q"q', "`", "[", "é", "1a", "'", "$", "0"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6),
)
window_names = names.map(quote_name) | names.map(lambda name: "`" + name.replace("`", "``") + "`")
"""Names of windows: trees keep them as written, because SQLite takes "w" and w for two names."""
literals = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    st.binary(max_size=4),
).map(ast.Literal)
columns = st.builds(ast.Column, names, st.none() | names, st.none(), st.just(False), st.just(0)) | st.builds(
    ast.Column, names, st.none(), st.none(), st.just(True), st.just(0)
)
OPERATORS = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "=", "<>", "<", "<=", ">", ">=", "->", "->>"]


def chain(kind: type) -> object:
    """Returns a function that builds an And or Or whose first term is no such node."""

    def build(terms: list[ast.Expression]) -> ast.Expression:
        first = terms[0]
        if isinstance(first, (ast.And, ast.Or)) and type(first) is kind:
            terms = [*first.terms, *terms[1:]]
        return kind(terms)

    return build


def is_comparison(operator: str, left: ast.Expression, right: ast.Expression) -> ast.Expression:
    """Builds IS and IS NOT, which become other nodes before NULL."""
    if isinstance(right, ast.Literal) and right.value is None:
        return ast.IsNull(left) if operator == "IS" else ast.NotNull(left)
    return ast.Binary(operator, left, right)


def unary(operator: str, operand: ast.Expression) -> ast.Expression:
    """Builds a prefix operator; signs before numbers are folded."""
    if operator in "+-" and isinstance(operand, ast.Literal) and isinstance(operand.value, (int, float)):
        return operand
    return ast.Unary(operator, operand)


def selects(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Select]:
    """Returns SELECTs around given expressions."""
    items = st.builds(ast.ResultColumn, inner, st.none() | names, st.just(0), st.just(0)) | st.builds(ast.Star, st.just(0))
    orders = st.builds(ast.OrderingTerm, inner, st.booleans(), st.sampled_from([None, "FIRST", "LAST"]))
    tables = st.builds(
        ast.TableSource, names, st.none() | names, st.none() | names, st.none(), st.booleans(), st.just(0), st.none()
    )
    definitions = st.builds(
        ast.Window, window_names, st.none() | window_names, st.none() | st.lists(inner, min_size=1, max_size=2),
        st.none() | st.lists(orders, min_size=1, max_size=2), st.none(),
    )  # fmt: skip
    cores = st.builds(
        ast.Core,
        st.lists(items, min_size=1, max_size=2),
        st.booleans(),
        st.lists(tables, max_size=2),
        st.none() | inner,
        st.none() | st.lists(inner, min_size=1, max_size=2),
        st.none() | inner,
        st.none() | st.lists(definitions, min_size=1, max_size=2),
    )
    return st.builds(
        ast.Select,
        st.lists(cores, min_size=1, max_size=1),
        st.just([]),
        st.none() | st.lists(orders, min_size=1, max_size=2),
        st.none() | inner,
        st.none(),
        st.none(),
    )


def compound(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    """Returns expressions made of given ones."""
    several = st.lists(inner, max_size=3)
    negated = st.booleans()
    return st.one_of(
        st.builds(ast.Binary, st.sampled_from(OPERATORS), inner, inner),
        st.builds(is_comparison, st.sampled_from(["IS", "IS NOT"]), inner, inner),
        st.lists(inner, min_size=2, max_size=3).map(chain(ast.And)),
        st.lists(inner, min_size=2, max_size=3).map(chain(ast.Or)),
        st.builds(unary, st.sampled_from(["-", "+", "~", "NOT"]), inner),
        st.builds(ast.IsNull, inner),
        st.builds(ast.NotNull, inner),
        st.builds(ast.Between, inner, inner, inner, negated),
        st.builds(ast.InList, inner, st.lists(inner, min_size=1, max_size=3), negated),
        st.builds(empty_list, inner, negated),
        st.builds(ast.InSelect, inner, selects(inner), negated),
        st.builds(ast.InTable, inner, names, st.none() | names, st.none() | several, negated, st.just(0)),
        st.builds(
            ast.Like, st.sampled_from(["LIKE", "GLOB", "MATCH", "REGEXP"]), inner, inner, st.none() | inner, negated, st.just(0)
        ),
        st.builds(ast.Case, st.none() | inner, st.lists(st.tuples(inner, inner), min_size=1, max_size=2), st.none() | inner),
        st.builds(ast.Cast, inner, st.sampled_from(["", "INT", "varchar(3)"])),
        st.builds(ast.Collate, inner, names),
        st.builds(
            ast.FunctionCall, names, several, st.just(0), st.just(False), st.booleans(), st.none(), st.none() | inner,
            st.none() | window_names,
        ),
        st.builds(ast.RowValue, st.lists(inner, min_size=2, max_size=3)),
        st.builds(ast.ScalarSubquery, selects(inner)),
        st.builds(ast.Exists, selects(inner)),
    )  # fmt: skip


expressions = st.recursive(literals | columns, compound, max_leaves=12)


@settings(max_examples=400, deadline=None)
@given(expressions)
def test_an_expression_survives_being_written(tree: ast.Expression) -> None:
    text = unparse(tree)
    assert ast.equal(tree, parse_expression(text, drops_terms=False)), text


@settings(max_examples=100, deadline=None)
@given(selects(expressions))
def test_a_select_survives_being_written(tree: ast.Select) -> None:
    text = unparse(tree)
    parsed, end = parse_one(text, drops_terms=False)
    assert parsed is not None and ast.equal(tree, parsed.statement), text
    assert end == len(text)


FRAGMENTS = ["select", " ", "'", '"', "--", "/*", "*/", "\n", ";", "(", ")", "a", "1", ".", "x'", "0x", "e", "$", "::", "[", "]",
             "\0", "create trigger t delete on u begin", "end", "é", "\udc80", "\ufeff", "?", "1e", "_", ",", "=", "`"]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_any_text_parses_or_is_refused_with_an_offset_inside_it(text: str) -> None:
    try:
        for parsed, end in parse_script(text):
            assert end <= len(text)
            assert parsed.source.spans()
    except Error as error:
        assert error.sqlite_offset <= len(text.encode("utf-8", "surrogateescape"))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_positions_found_by_the_second_scan_are_those_of_the_first(text: str) -> None:
    words = [word for word in tokenize(text, 0, len(text)) if not word.startswith(("--", "/*", "\0"))]
    source = Source(text, 0, len(text))
    assert [text[start:end] for start, end in source.spans()] == words


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_a_statement_ends_at_its_first_semicolon_token(text: str) -> None:
    source = Source(text, 0, len(text))
    semicolons = [end for start, end in source.spans() if text[start:end] == ";"]
    assert statement_end(text, 0) == (semicolons[0] if semicolons else len(text))
