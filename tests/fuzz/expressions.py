"""Random expressions over columns: literals of all storage classes and extremes, every operator, the built-in functions.

Everything is decided by `dice`, a `random.Random` or what behaves like one (hypothesis' `randoms()`), so a seed repeats a
statement and hypothesis can shrink it.  Subqueries come from outside, through `subquery`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

INTEGERS = (
    "0", "1", "2", "3", "5", "7", "10", "-1", "-2", "100", "9223372036854775807", "-9223372036854775808", "9223372036854775806",
    "2147483648", "-4294967296", "9007199254740993", "0x10",
)  # fmt: skip
REALS = (
    "0.0",
    "-0.0",
    "1.0",
    "2.0",
    "1.5",
    "-2.5",
    "0.1",
    "3.0",
    "1e18",
    "9.3e18",
    "-9.3e18",
    "1e308",
    "-1e308",
    "1e-308",
    "9e999",
    "-9e999",
)
TEXTS = (
    "''", "'a'", "'A'", "'b'", "'B'", "'abc'", "'aBc'", "'1'", "'2'", "'1.0'", "'-1'", "'1e1'", "' 1'", "'1 '", "'a '", "'0x1'",
    "'12abc'", "'9223372036854775808'", "'é'", "'null'", "'%b'", "'a_'", "'1e999'", "'.5'", "'-'",
)  # fmt: skip
BLOBS = ("x''", "x'61'", "x'31'", "x'00ff'", "x'616263'", "x'c3a9'")
COLLATIONS = ("nocase", "binary", "rtrim")
TYPES = ("int", "text", "real", "numeric", "blob", "integer")
COMPARISONS = ("=", "=", "<>", "<", "<=", ">", ">=", "is", "is not", "==", "is distinct from", "is not distinct from")
ARITHMETIC = ("+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>")

SCALARS = (
    "abs({0})", "coalesce({0}, {1})", "coalesce({0}, {1}, {2})", "ifnull({0}, {1})", "iif({0}, {1}, {2})", "iif({0}, {1})",
    "instr({0}, {1})", "length({0})", "lower({0})", "upper({0})", "ltrim({0})", "rtrim({0}, {1})", "trim({0}, {1})", "trim({0})",
    "max({0}, {1})", "min({0}, {1}, {2})", "nullif({0}, {1})", "quote({0})", "replace({0}, {1}, {2})", "round({0})",
    "round({0}, {1})", "sign({0})", "substr({0}, {1})", "substr({0}, {1}, {2})", "typeof({0})", "unicode({0})", "hex({0})",
    "char({0}, 65)", "likely({0} + 0)", "unlikely({0} || '')", "concat({0}, {1})", "concat_ws({0}, {1}, {2})", "octet_length({0})",
    "like({0}, {1})", "glob({0}, {1})", "printf('%s|%d', {0}, {1})", "format('%.3g %5s', {0}, {1})", "unhex({0})",
    "zeroblob(({0}) & 7)", "likelihood(({0}) is null, 0.5)", "floor({0})", "ceil({0})", "trunc({0})", "mod({0}, {1})", "pow({0}, 2)",
    "sqrt({0})", "json_array(quote({0}), 1)", "json_quote(cast({0} as text))", "json_type(json_array({0} is null), '$[0]')", "json_valid({0})",
    "json_extract('[1,{{\"a\":2.5}}]', '$[' || ({0}) || ']')", "date({0})", "julianday({0}, '+1 day')",
    "json_array(json_array({1}, json('[1]')), json_quote(cast({0} as text)), json_extract('{{\"a\":[1]}}', '$.a'))",
    "json_object('a', json_array(length({0})), 'b', json('{{}}'), cast({1} as text), 1)", "json_set('{{}}', '$.x', json('[2]'), '$.y', hex({0}))",
    "json_insert('[1]', '$[#]', json_object('q', hex({0})))", "json_patch('{{\"a\":1}}', json_object('a', hex({0})))",
    "json_remove('[0,1,2]', '$[1]', '$[' || length({0}) || ']')", "json_array_length(json_array({0} is null, 2))",
    "json_replace('{{\"a\":1}}', '$.a', hex({0}))", "strftime('%Y-%m', {0})", "unistr({0})", "if({0}, {1}, {2})", "json_object('k', length({0}))",
)  # fmt: skip
AGGREGATES = (
    "count(*)", "count({0})", "sum({0})", "min({0})", "max({0})", "total({0})", "avg({0})", "count(distinct {0})",
    "sum(distinct {0})", "group_concat({0}, ',' order by {0}, typeof({0}), quote({0}))", "max(distinct {0})",
    "json_group_object(coalesce(hex({0}), 'n'), json_array(1) order by {0}, quote({0}))", "json_group_array(json(1))",
    "json_group_array(quote({0}) order by {0}, quote({0}))", "string_agg({0}, {1} order by {0}, quote({0}), quote({1}))",
)  # fmt: skip

Subquery = Callable[[Sequence[str], str], str]
"""(outer columns, shape) -> text, where shape is "scalar", "exists" or "list"."""


class Expressions:
    """A source of expressions; `subquery` may be None, then there are none."""

    def __init__(self, dice: random.Random, subquery: Subquery | None = None) -> None:
        self.dice = dice
        self.subquery = subquery

    def literal(self) -> str:
        """A constant of any storage class."""
        dice = self.dice
        kind = dice.randrange(10)
        if kind < 1:
            return "null"
        if kind < 4:
            return dice.choice(INTEGERS[:8])
        if kind < 5:
            return dice.choice(INTEGERS)
        if kind < 6:
            return dice.choice(REALS)
        return dice.choice(BLOBS) if kind == 9 else dice.choice(TEXTS)

    def leaf(self, columns: Sequence[str]) -> str:
        """A column, or a literal."""
        return self.dice.choice(columns) if columns and self.dice.random() < 0.75 else self.literal()

    def value(self, columns: Sequence[str], depth: int = 2) -> str:
        """An expression of at most `depth` operators above its leaves."""
        dice = self.dice
        if depth <= 0 or dice.random() < 0.25:
            return self.leaf(columns)
        return _FORMS[dice.randrange(len(_FORMS))](self, columns, depth - 1)

    def condition(self, columns: Sequence[str], depth: int = 1) -> str:
        """What stands in WHERE, ON, HAVING or CHECK: one to three terms, mostly such that an index may serve them."""
        dice = self.dice
        terms = [self.term(columns, depth) for _ in range(dice.choice((1, 1, 2, 2, 3)))]
        if len(terms) == 3 and dice.random() < 0.5:
            return f"{terms[0]} and ({terms[1]} or {terms[2]})"
        text = dice.choice((" and ", " and ", " or ")).join(terms)
        return f"not ({text})" if dice.random() < 0.07 else text

    def term(self, columns: Sequence[str], depth: int = 1) -> str:
        """One term of a condition."""
        dice = self.dice
        form = dice.randrange(14)
        column = self.leaf(columns)
        if form < 5:
            other = self.leaf(columns) if dice.random() < 0.5 else self.literal()
            return f"{column} {dice.choice(COMPARISONS)} {other}"
        if form == 5:
            return f"{column} in ({', '.join(self.literal() for _ in range(dice.randrange(4)))})"
        if form == 6:
            return f"{column} between {self.literal()} and {self.leaf(columns)}"
        if form == 7:
            return f"{column} {dice.choice(('is null', 'is not null', 'notnull', 'isnull'))}"
        if form == 8:
            return f"{column} {dice.choice(('like', 'not like', 'glob'))} {dice.choice(TEXTS + (quoted_pattern(dice),))}"
        if form == 9:
            return f"{column} collate {dice.choice(COLLATIONS)} {dice.choice(COMPARISONS)} {self.leaf(columns)}"
        if form == 10:
            return f"({column}, {self.leaf(columns)}) {dice.choice(COMPARISONS[:9])} ({self.leaf(columns)}, {self.literal()})"
        if form == 11 and self.subquery is not None and depth > 0:
            return self.with_subquery(columns, depth)
        return self.value(columns, depth)

    def with_subquery(self, columns: Sequence[str], depth: int) -> str:
        """A term with a subquery."""
        dice = self.dice
        assert self.subquery is not None, "asked only where there are subqueries"
        form = dice.randrange(6)
        negation = dice.choice(("", "", "not "))
        if form == 0:
            return f"{negation}exists ({self.subquery(columns, 'exists')})"
        if form < 3:
            return f"{self.leaf(columns)} {negation}in ({self.subquery(columns, 'list')})"
        if form == 3:
            return f"({self.leaf(columns)}, {self.leaf(columns)}) {negation}in ({self.subquery(columns, 'pairs')})"
        if form == 4:
            return f"({self.leaf(columns)}, {self.leaf(columns)}) {dice.choice(COMPARISONS[:7])} ({self.subquery(columns, 'pair')})"
        return f"{self.leaf(columns)} {dice.choice(COMPARISONS)} ({self.subquery(columns, 'scalar')})"

    def aggregate(self, columns: Sequence[str]) -> str:
        """An aggregate call, perhaps with FILTER."""
        dice = self.dice
        text = dice.choice(AGGREGATES).format(self.value(columns, 1), self.literal())
        return f"{text} filter (where {self.term(columns, 0)})" if dice.random() < 0.15 else text


def quoted_pattern(dice: random.Random) -> str:
    """A pattern for LIKE or GLOB."""
    return "'" + "".join(dice.choice(("%", "_", "a", "B", "*", "?", "[a-c]", "1")) for _ in range(dice.randint(1, 4))) + "'"


Form = Callable[[Expressions, Sequence[str], int], str]


def _binary(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"({made.value(columns, depth)} {made.dice.choice(ARITHMETIC)} {made.value(columns, depth)})"


def _comparison(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"({made.value(columns, depth)} {made.dice.choice(COMPARISONS)} {made.value(columns, depth)})"


def _logic(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"({made.value(columns, depth)} {made.dice.choice(('and', 'or'))} {made.value(columns, depth)})"


def _unary(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"({made.dice.choice(('-', 'not ', '~', '+'))}{made.value(columns, depth)})"


def _between(made: Expressions, columns: Sequence[str], depth: int) -> str:
    negation = made.dice.choice(("", "not "))
    return f"({made.value(columns, depth)} {negation}between {made.value(columns, depth)} and {made.leaf(columns)})"


def _in_list(made: Expressions, columns: Sequence[str], depth: int) -> str:
    negation = made.dice.choice(("", "not "))
    items = ", ".join(made.leaf(columns) for _ in range(made.dice.randint(0, 4)))
    return f"({made.value(columns, depth)} {negation}in ({items}))"


def _is_null(made: Expressions, columns: Sequence[str], depth: int) -> str:
    test = made.dice.choice(("is null", "is not null", "is true", "is not false"))
    return f"({made.value(columns, depth)} {test})"


def _case(made: Expressions, columns: Sequence[str], depth: int) -> str:
    base = made.leaf(columns) + " " if made.dice.random() < 0.4 else ""
    arms = "".join(
        f"when {made.value(columns, depth)} then {made.value(columns, depth - 1)} " for _ in range(made.dice.randint(1, 2))
    )
    other = f"else {made.value(columns, depth - 1)} " if made.dice.random() < 0.7 else ""
    return f"case {base}{arms}{other}end"


def _call(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return made.dice.choice(SCALARS).format(*(made.value(columns, depth - 1) for _ in range(3)))


def _cast(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"cast({made.value(columns, depth)} as {made.dice.choice(TYPES)})"


def _collate(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"({made.value(columns, depth)} collate {made.dice.choice(COLLATIONS)})"


def _like(made: Expressions, columns: Sequence[str], depth: int) -> str:
    operator = made.dice.choice(("like", "not like", "glob", "not glob"))
    escape = " escape '\\'" if "like" in operator and made.dice.random() < 0.2 else ""
    return f"({made.value(columns, depth)} {operator} {quoted_pattern(made.dice)}{escape})"


def _row_values(made: Expressions, columns: Sequence[str], depth: int) -> str:
    first, second = made.value(columns, depth), made.leaf(columns)
    if made.dice.random() < 0.3:
        return f"(({first}, {second}) between ({made.leaf(columns)}, {made.leaf(columns)}) and ({made.leaf(columns)}, {made.leaf(columns)}))"
    return f"(({first}, {second}) {made.dice.choice(COMPARISONS[:9])} ({made.leaf(columns)}, {made.leaf(columns)}))"


def _json(made: Expressions, columns: Sequence[str], depth: int) -> str:
    return f"(json_array(quote({made.value(columns, depth - 1)}), length({made.leaf(columns)})) {made.dice.choice(('->', '->>'))} {made.dice.randint(-1, 2)})"


def _nested(made: Expressions, columns: Sequence[str], depth: int) -> str:
    if made.subquery is None or depth < 1:
        return made.leaf(columns)
    if made.dice.random() < 0.5:
        return f"({made.subquery(columns, 'scalar')})"
    return f"({made.with_subquery(columns, depth)})"


_FORMS: tuple[Form, ...] = (
    _binary, _binary, _binary, _comparison, _comparison, _logic, _unary, _between, _in_list, _is_null, _case, _call, _call,
    _call, _cast, _collate, _like, _row_values, _nested, _json,
)  # fmt: skip
