"""The state of one parse: the tokens, where the parser stands, the parameters seen so far; and the errors it can raise.

Every rule of the grammar is a function that takes a `State`, reads tokens from `state.index` on and leaves `state.index`
behind what it has read.  Token lists end with two END_OF_INPUT, so that one token of look-ahead needs no check.

Source: https://www.sqlite.org/lang_expr.html#varparam for the numbering of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from minisql import limits
from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import Column, FunctionCall, OrderingTerm, Select, Variable, Window
from minisql.parser.recent_conditions import Condition
from minisql.parser.tokenizer import Source, dequote, is_grouped, is_oversized, kind_of, statement_end, tokenize

_Result = TypeVar("_Result")
_END_OF_INPUT = k.END_OF_INPUT

_LEVELS_PER_STACK = 30
"""Nested rules that one Python stack holds: six frames each, well below the interpreter's 1,000."""


class Rules(NamedTuple):
    """The rules that expressions contain although they are made of expressions."""

    select: Callable[[State], Select]
    ordering_terms: Callable[[State], list[OrderingTerm]]
    over_clause: Callable[[State], Window | str]


class State:
    """The tokens of a statement and the parser's place among them.

    `parameter_names[n - 1]` is the name of parameter n, None for a plain `?` or a gap; `is_trigger` is set within the body
    of a trigger; `drops_terms` says whether what stands beside a false term of AND is dropped.  `calls` are the function
    calls read so far, `columns` the names read as columns, `n_selects` counts SELECT, VALUES and IN with a table.
    `found` are words, kinds and `condition` of a text without comments, if they are known already.
    """

    __slots__ = (
        "calls",
        "columns",
        "condition",
        "depth",
        "drops_terms",
        "index",
        "is_trigger",
        "kinds",
        "limits",
        "n_selects",
        "parameter_names",
        "parameter_numbers",
        "rules",
        "source",
        "words",
    )

    def __init__(
        self,
        sql: str,
        start: int,
        end: int,
        limit_values: Sequence[int],
        rules: Rules,
        found: tuple[list[str], list[int], Condition] | None = None,
    ) -> None:
        self.condition: Condition | None = None
        if found is not None:
            words, kinds, self.condition = found
            self.source = Source(sql, start, end, words)
        else:
            words = tokenize(sql, start, end)
            kinds = [*map(kind_of, words), _END_OF_INPUT, _END_OF_INPUT]
            if sql.find("--", start, end) >= 0 or sql.find("/*", start, end) >= 0:
                words, kinds = _without_comments(words, kinds)
                self.source = Source(sql, start, end)
            else:
                self.source = Source(sql, start, end, words)
        self.words = words
        self.kinds = kinds
        self.index = 0
        self.depth = 0
        self.drops_terms = True
        self.limits = limit_values
        self.rules = rules
        self.parameter_names: list[str | None] = []
        self.parameter_numbers: dict[str, int] | None = None
        self.is_trigger = False
        self.calls: list[FunctionCall] = []
        self.columns: list[Column] = []
        self.n_selects = 0

    def extend(self) -> None:
        """Adds the tokens up to the next semicolon: those after the semicolons within a trigger's body."""
        source = self.source
        start = source.end
        end = statement_end(source.sql, start)
        words = tokenize(source.sql, start, end)
        kinds = [*map(kind_of, words), _END_OF_INPUT, _END_OF_INPUT]
        source.extend(end, k.COMMENT in kinds)
        words, kinds = _without_comments(words, kinds)
        del self.kinds[-2:]
        self.words += words
        self.kinds += kinds


def _without_comments(words: list[str], kinds: list[int]) -> tuple[list[str], list[int]]:
    if k.COMMENT not in kinds:
        return words, kinds
    kept_words = [word for word, kind in zip(words, kinds) if kind != k.COMMENT]
    return kept_words, [kind for kind in kinds if kind != k.COMMENT]


def nested(state: State, rule: Callable[[State], _Result]) -> _Result:
    """Runs a rule that stands inside itself, on a fresh stack whenever the nesting has used one up."""
    state.depth += 1
    if state.depth % _LEVELS_PER_STACK:
        result = rule(state)
    else:
        result = limits.call_on_fresh_stack(rule, state)
    state.depth -= 1
    return result


def syntax_error(state: State, position: int) -> Error:
    """Returns the error for a token that no rule accepts."""
    kind = state.kinds[position]
    if kind == k.END_OF_INPUT:
        return sqlite_error(ERROR, "incomplete input")
    word = state.words[position]
    if kind == k.ILLEGAL and is_oversized(word):
        sign = "-" if position and state.kinds[position - 1] == k.MINUS else ""
        return sqlite_error(ERROR, f"hex literal too big: {sign}{word}", state.source.offset(position))
    if kind == k.ILLEGAL and not is_grouped(word):
        return sqlite_error(ERROR, f'unrecognized token: "{word}"', state.source.offset(position))
    return sqlite_error(ERROR, f'near "{word}": syntax error', state.source.offset(position))


def operand_error(state: State, position: int) -> Error:
    """Returns the error for a token with which no operand begins; a number with separators in wrong places would be one."""
    if state.kinds[position] == k.ILLEGAL and is_grouped(state.words[position]):
        return error(f'unrecognized token: "{state.words[position]}"')
    return syntax_error(state, position)


def error(text: str) -> Error:
    """Returns an error without an offset."""
    return sqlite_error(ERROR, text)


def late_error(state: State, text: str, followers: frozenset[int]) -> Error:
    """Returns the error of a check that SQLite makes only once it has seen the next token.

    If no rule could go on with that token, its syntax error is the one that SQLite reports.
    """
    if state.kinds[state.index] not in followers:
        return syntax_error(state, state.index)
    return error(text)


def expect(state: State, kind: int) -> None:
    """Reads one token of the given kind."""
    index = state.index
    if state.kinds[index] != kind:
        raise syntax_error(state, index)
    state.index = index + 1


def accept(state: State, kind: int) -> bool:
    """Reads the next token if it is of the given kind, and tells so."""
    index = state.index
    if state.kinds[index] == kind:
        state.index = index + 1
        return True
    return False


def word_text(state: State, position: int) -> str:
    """Returns the name that a token stands for, without its quotes."""
    kind = state.kinds[position]
    word = state.words[position]
    return dequote(word) if kind in (k.QUOTED_ID, k.STRING) else word


def name(state: State) -> str:
    """Reads SQLite's nm: an identifier, a keyword that may be one, a join keyword or a string."""
    index = state.index
    kind = state.kinds[index]
    if kind > k.STRING or (kind == k.WINDOW and is_window_keyword(state, index)):
        raise syntax_error(state, index)
    state.index = index + 1
    return word_text(state, index)


def is_window_keyword(state: State, i: int) -> bool:
    """Tells whether WINDOW starts a WINDOW clause: a name and AS follow."""
    return is_name_after_keyword(state.kinds[i + 1]) and state.kinds[i + 2] == k.AS


def is_name_after_keyword(kind: int) -> bool:
    """Tells whether a token makes keywords of WINDOW and OVER before it; FILTER and INDEXED are names that do not."""
    return kind <= k.STRING and kind != k.FILTER and kind != k.INDEXED


def qualified_name(state: State) -> tuple[str | None, str]:
    """Reads `name` or `schema.name` and returns (schema, name)."""
    first = name(state)
    if state.kinds[state.index] == k.DOT:
        state.index += 1
        return first, name(state)
    return None, first


def name_list(state: State) -> list[str]:
    """Reads names separated by commas."""
    names = [name(state)]
    while state.kinds[state.index] == k.COMMA:
        state.index += 1
        names.append(name(state))
    return names


def variable(state: State) -> Variable:
    """Reads a parameter and gives it its number."""
    position = state.index
    state.index = position + 1
    word = state.words[position]
    names = state.parameter_names
    highest = state.limits[limits.VARIABLE_NUMBER]
    if word == "?":
        names.append(None)
        number = len(names)
    elif word[0] == "?":
        number = int(word[1:]) if len(word) < 12 else highest + 1
        if not 1 <= number <= highest:
            raise sqlite_error(ERROR, f"variable number must be between ?1 and ?{highest}", state.source.offset(position))
        if number > len(names):
            names.extend([None] * (number - len(names)))
        if names[number - 1] is None:
            names[number - 1] = word
    else:
        numbers = state.parameter_numbers
        if numbers is None:
            numbers = state.parameter_numbers = {}
        known = numbers.get(word)
        if known is not None:
            return Variable(known, word, position)
        names.append(word)
        number = numbers[word] = len(names)
    if number > highest:
        raise error("too many SQL variables")
    return Variable(number, None if word == "?" else word, position)
