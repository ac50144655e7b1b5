"""The parser's entry points: the first statement of a text, all its statements, a single expression.

Source: https://www.sqlite.org/c3ref/prepare.html, for where a statement ends and what an empty one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minisql import limits
from minisql.parser import tokens as k
from minisql.parser.ast import Column, Expression, FunctionCall, Statement
from minisql.parser.commands import STATEMENT_RULES
from minisql.parser.depth import check_nesting
from minisql.parser.expression import expression
from minisql.parser.recent_conditions import Condition, RecentConditions
from minisql.parser.select import RULES
from minisql.parser.state import State, syntax_error
from minisql.parser.tokenizer import Source, statement_end

_SEMI, _END_OF_INPUT = k.SEMI, k.END_OF_INPUT

_NESTING_LIMIT_TOKENS = 800
"""Statements of fewer tokens cannot nest deep enough to meet SQLite's limit."""


class Parsed:
    """One parsed statement.

    `parameter_names[n - 1]` is the name of parameter n with its prefix, None for a plain `?` or a number that was skipped;
    `source` turns positions of the tree into offsets and texts.  What spares walks over the tree: `calls` are all function
    calls, in the order in which they end, `columns` the names used as columns (None: not known), `n_selects` counts
    SELECT, VALUES and IN with a table.  `condition` is what may be kept of the tree.
    """

    __slots__ = ("calls", "columns", "condition", "n_selects", "parameter_names", "source", "statement")

    def __init__(
        self,
        statement: Statement,
        parameter_names: list[str | None],
        source: Source,
        calls: list[FunctionCall] | None = None,
        columns: list[Column] | None = None,
        n_selects: int = 0,
        condition: Condition | None = None,
    ) -> None:
        self.statement = statement
        self.parameter_names = parameter_names
        self.source = source
        self.calls = calls
        self.columns = columns
        self.n_selects = n_selects
        self.condition = condition


def parse_one(
    sql: str,
    start: int = 0,
    limit_values: Sequence[int] = limits.DEFAULTS,
    drops_terms: bool = True,
    recent: RecentConditions | None = None,
) -> tuple[Parsed | None, int]:
    """Parses the first statement of sql[start:] and returns it with the offset where the rest of the text begins.

    The statement is None when only blanks, comments and semicolons are left.  Without `drops_terms` the tree has the terms
    beside a false term of AND, too.  With `recent` the condition may be one of those; the caller gives it back when the tree
    is not needed any more.  Raises OperationalError with SQLite's text;
    its offset counts UTF-8 bytes from `start`.
    """
    length = len(sql)
    origin = start
    found = None if recent is None or start else recent.find(sql)
    while True:
        end = sql.find(";", start) + 1 or length
        state = State(sql, start, end, limit_values, RULES, found)
        if end != length and (not state.words or state.words[-1] != ";"):
            # That semicolon stands within a string, a comment or a quoted name.
            end = statement_end(sql, start)
            state = State(sql, start, end, limit_values, RULES)
        kinds = state.kinds
        rule = STATEMENT_RULES.get(kinds[0])
        if rule is not None:
            break
        if kinds[0] == _END_OF_INPUT:
            return None, length
        if kinds[0] != _SEMI:
            break
        start = end
    state.source.origin = origin
    state.drops_terms = drops_terms
    if rule is None:
        raise syntax_error(state, 0)
    if len(kinds) > _NESTING_LIMIT_TOKENS:
        check_nesting(kinds)
    statement = rule(state)
    kind = kinds[state.index]
    if kind != _SEMI and kind != _END_OF_INPUT:
        raise syntax_error(state, state.index)
    end = length if kind == _END_OF_INPUT else state.source.end
    parsed = Parsed(
        statement, state.parameter_names, state.source, state.calls, state.columns, state.n_selects, state.condition
    )
    return parsed, end


def parse_script(sql: str, start: int = 0, limit_values: Sequence[int] = limits.DEFAULTS) -> Iterator[tuple[Parsed, int]]:
    """Yields every statement of a text, with the offset where the rest begins, as soon as it has been parsed."""
    while True:
        parsed, start = parse_one(sql, start, limit_values)
        if parsed is None:
            return
        yield parsed, start


def parse_expression(sql: str, limit_values: Sequence[int] = limits.DEFAULTS, drops_terms: bool = True) -> Expression:
    """Parses a text that is a single expression, as schema texts hold them; `drops_terms` as for `parse_one`."""
    state = State(sql, 0, len(sql), limit_values, RULES)
    state.drops_terms = drops_terms
    if len(state.kinds) > _NESTING_LIMIT_TOKENS:
        check_nesting(state.kinds)
    node = expression(state)
    if state.kinds[state.index] != _END_OF_INPUT:
        raise syntax_error(state, state.index)
    return node
