"""Expressions: precedence climbing with an explicit stack, so that neither parentheses nor operators nest Python calls.

`expression` alternates between two states.  Where an operand must stand it reads one, or pushes a prefix operator or an
opening bracket and stays; after an operand it reads operators: first all stacked operators that bind at least as tight are
reduced, then the new one is pushed.  A stack frame is (what is on the left, code, level below): codes under `N_KINDS` are
operators, those above are brackets: open constructs that wait for their separator or end.  Brackets set the level to
`_BRACKET`, which no operator reduces, so whatever stands inside is complete when the separator or end arrives.

    a AND f(b + c * d    stack: (a, AND, _BRACKET) ([f, []], _CALL, 2) (b, PLUS, _BRACKET) (c, STAR, 8)     operand: d

The AND of BETWEEN belongs to the innermost BETWEEN whose low end is still open, unless an OR stands between them.
Subqueries, windows, FILTER and ORDER BY within a call are rules of their own; only they nest calls.

Source: https://www.sqlite.org/lang_expr.html.
"""

# ruff: noqa: SIM109 - `x in (A, B)` builds a tuple of globals each time (benchmarks/parse.py)

from __future__ import annotations

from typing import Any

from minisql import limits
from minisql.errors import ERROR, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import (
    And,
    Between,
    Binary,
    Case,
    Cast,
    Collate,
    Column,
    CurrentTime,
    Exists,
    Expression,
    FunctionCall,
    InList,
    InSelect,
    InTable,
    IsNull,
    Like,
    Literal,
    NotNull,
    Or,
    Raise,
    RowValue,
    ScalarSubquery,
    Select,
    Unary,
)
from minisql.parser.depth import check_depth, too_deep
from minisql.parser.dropping import dropped, empty_list
from minisql.parser.state import (
    State,
    accept,
    expect,
    is_name_after_keyword,
    is_window_keyword,
    nested,
    operand_error,
    qualified_name,
    syntax_error,
    variable,
    word_text,
)
from minisql.parser.tokenizer import literal_of, negated, negative_of, positive_of

_BRACKET = -1

# Codes of stack frames beyond the token kinds.
_PREFIX_MINUS, _PREFIX_PLUS, _PREFIX_TILDE, _PREFIX_NOT = range(k.N_KINDS, k.N_KINDS + 4)
_IS_NOT, _LIKE, _LIKE_ESCAPE, _BETWEEN_HIGH = range(k.N_KINDS + 4, k.N_KINDS + 8)
_PARENTHESIS, _CALL, _ROW, _IN_LIST, _BETWEEN_LOW = range(k.N_KINDS + 8, k.N_KINDS + 13)
_CAST_TO, _CASE_OPERAND, _CASE_WHEN, _CASE_THEN, _CASE_ELSE = range(k.N_KINDS + 13, k.N_KINDS + 18)

_PREFIXES = {
    k.MINUS: (_PREFIX_MINUS, k.PRECEDENCE_PREFIX),
    k.PLUS: (_PREFIX_PLUS, k.PRECEDENCE_PREFIX),
    k.TILDE: (_PREFIX_TILDE, k.PRECEDENCE_PREFIX),
    k.NOT: (_PREFIX_NOT, k.PRECEDENCE_NOT),
}
_SIGN_LEVEL = k.PRECEDENCE_PREFIX
_PREFIX_TEXT = {_PREFIX_MINUS: "-", _PREFIX_PLUS: "+", _PREFIX_TILDE: "~", _PREFIX_NOT: "NOT"}
_SUBQUERY_STARTS = frozenset((k.SELECT, k.VALUES, k.WITH))
_NULL = Literal(None)
_NUMBERS = frozenset((int, float))
_MAY_BE_FALSE = frozenset((InList, IsNull, Literal))

# The hot loop reads module globals, which CPython caches, rather than attributes of `tokens`.
_ID, _NUMBER, _STRING, _LP, _RP, _COMMA, _DOT = k.ID, k.NUMBER, k.STRING, k.LP, k.RP, k.COMMA, k.DOT
_STAR, _MINUS, _PLUS, _AND, _OR, _DISTINCT, _ALL = k.STAR, k.MINUS, k.PLUS, k.AND, k.OR, k.DISTINCT, k.ALL
_CASE, _COLLATE = k.CASE, k.COLLATE
_CAST, _CURRENT_TIMESTAMP, _FILTER, _OVER, _ORDER = k.CAST, k.CURRENT_TIMESTAMP, k.FILTER, k.OVER, k.ORDER
_LAST_NAME, _FIRST_SIMPLE, _LAST_SIMPLE = k.LAST_JOIN_KEYWORD, k.OR, k.LONGARROW
_PRECEDENCE = k.PRECEDENCE
_EXPR_DEPTH = limits.EXPR_DEPTH
_BINDING = [99 if kind in (k.LP, k.DOT) else level for kind, level in enumerate(_PRECEDENCE)]
"""How tight a token binds to the operand before it; a parenthesis or dot makes it another operand altogether."""

_ENDS = frozenset((k.COMMA, k.RP, k.FROM, k.SEMI, k.END_OF_INPUT, k.WHERE, k.ORDER, k.DESC, k.AS))
_OPERATOR_TEXT = k.OPERATOR_TEXT

_Frame = tuple[Any, int, int]


def expression(state: State) -> Expression:
    """Reads one expression."""
    kinds = state.kinds
    words = state.words
    first = i = state.index
    kind = kinds[i]
    left: Expression
    if kinds[i + 1] in _ENDS:
        if kind == _ID:
            state.index = i + 1
            column = Column(words[i], None, None, False, i)
            state.columns.append(column)
            return column
        if kind == _NUMBER or kind == _STRING:
            state.index = i + 1
            return literal_of(words[i])
    stack: list[_Frame] = []
    level = _BRACKET
    columns = state.columns
    while True:
        # An operand, or what opens one.
        kind = kinds[i]
        if kind <= _LAST_NAME:
            following = kinds[i + 1]
            if following == _LP:
                argument = kinds[i + 2]
                if _CAST <= kind <= _CURRENT_TIMESTAMP:
                    if kind == _CAST:
                        stack.append((None, _CAST_TO, level))
                        level = _BRACKET
                        i += 2
                        continue
                    left, i = _named_operand(state, i)
                elif argument == _STAR or argument == _RP or argument == _ORDER:
                    left, i = _call_without_arguments(state, i)
                elif argument != _DISTINCT and argument != _ALL:
                    stack.append(((i, [], False), _CALL, level))
                    level = _BRACKET
                    i += 2
                    continue
                elif kinds[i + 3] == _RP or kinds[i + 3] == _ORDER:
                    left, i = _call_without_arguments(state, i)
                else:
                    stack.append(((i, [], argument == _DISTINCT), _CALL, level))
                    level = _BRACKET
                    i += 3
                    continue
            elif kind == _ID and following != _DOT:
                left = column = Column(words[i], None, None, False, i)
                columns.append(column)
                i += 1
            else:
                left, i = _named_operand(state, i)
        elif kind == _NUMBER or (kind == _STRING and kinds[i + 1] != _DOT):
            left = literal_of(words[i])
            i += 1
        elif kind == _LP:
            if kinds[i + 1] in _SUBQUERY_STARTS:
                state.index = i + 1
                left = ScalarSubquery(subquery(state))
                i = state.index
            else:
                stack.append((None, _PARENTHESIS, level))
                level = _BRACKET
                i += 1
                continue
        elif kind == _MINUS or kind == _PLUS:
            # A run of signs: of a number they make another number.
            end = i + 1
            following = kinds[end]
            while following == _MINUS or following == _PLUS:
                end += 1
                following = kinds[end]
            if following == _NUMBER:
                left = number = negative_of(words[end]) if kinds[end - 1] == _MINUS else positive_of(words[end])
                for sign in kinds[i : end - 1]:
                    if sign == _MINUS:
                        left = number = negated(number)
                # A plus below another sign is dropped in SQLite, too.
                if end - i >= state.limits[_EXPR_DEPTH] > 0:
                    n_signs = kinds[i:end].count(_MINUS) + (kind == _PLUS)
                    if n_signs >= state.limits[_EXPR_DEPTH]:
                        raise too_deep(state.limits[_EXPR_DEPTH])
                i = end + 1
            else:
                for sign in kinds[i:end]:
                    stack.append((None, _PREFIX_MINUS if sign == _MINUS else _PREFIX_PLUS, level))
                    level = _SIGN_LEVEL
                i = end
                continue
        elif kind in _PREFIXES:
            code, prefix_level = _PREFIXES[kind]
            stack.append((None, code, level))
            level = prefix_level
            i += 1
            continue
        elif kind == _CASE:
            i += 1
            if kinds[i] == k.WHEN:
                stack.append(((None, []), _CASE_WHEN, level))
                i += 1
            else:
                stack.append(((None, []), _CASE_OPERAND, level))
            level = _BRACKET
            continue
        else:
            left, i = _special_operand(state, i)

        # Operators, separators and ends.
        while True:
            kind = kinds[i]
            precedence = _PRECEDENCE[kind]
            while level >= precedence:
                lower, code, level = stack.pop()
                if code <= _LAST_SIMPLE and code > _AND:
                    left = Binary(_OPERATOR_TEXT[code], lower, left)
                elif code == _AND:
                    may_drop = left.__class__ in _MAY_BE_FALSE or lower.__class__ in _MAY_BE_FALSE
                    zero = dropped(lower, left) if may_drop and state.drops_terms else None
                    if zero is not None:
                        left = zero
                    elif type(lower) is And:
                        lower.terms.append(left)
                        left = lower
                    else:
                        left = And([lower, left])
                elif code == _OR:
                    if type(lower) is Or:
                        lower.terms.append(left)
                        left = lower
                    else:
                        left = Or([lower, left])
                elif code <= _PREFIX_NOT and code >= _PREFIX_MINUS:
                    if type(left) is not Literal:
                        left = Unary(_PREFIX_TEXT[code], left)
                    elif code != _PREFIX_PLUS or left.value.__class__ not in _NUMBERS:
                        left = _reduce(lower, code, left)
                else:
                    left = _reduce(lower, code, left)
            if precedence:
                if kind <= _LAST_SIMPLE and kind >= _FIRST_SIMPLE:
                    if kind == _AND and level == _BRACKET and stack and stack[-1][1] == _BETWEEN_LOW:
                        between, _, level = stack.pop()
                        stack.append(((*between, left), _BETWEEN_HIGH, level))
                        level = k.PRECEDENCE_EQUALITY
                        i += 1
                        break
                    # A plain operand that no tighter operator follows: build the node without a trip over the stack.
                    operand = kinds[i + 1]
                    if kind > _AND and _BINDING[kinds[i + 2]] <= precedence:
                        if operand == _ID:
                            column = Column(words[i + 1], None, None, False, i + 1)
                            columns.append(column)
                            left = Binary(_OPERATOR_TEXT[kind], left, column)
                            i += 2
                            continue
                        if operand == _NUMBER or operand == _STRING:
                            left = Binary(_OPERATOR_TEXT[kind], left, literal_of(words[i + 1]))
                            i += 2
                            continue
                    stack.append((left, kind, level))
                    level = precedence
                    i += 1
                    break
                if kind == _COLLATE:
                    left = Collate(left, _collation(state, i + 1))
                    i += 2
                    continue
                if kind == k.ISNULL:
                    left = IsNull(left)
                    i += 1
                    continue
                state.index = i
                result = _keyword_operator(state, left, kind, level, stack)
                i = state.index
                if result is None:
                    level = _level_of(stack)
                    break
                left = result
                continue
            if not stack:
                state.index = i
                limit = state.limits[_EXPR_DEPTH]
                # Each comma stands between two operands of one node, so neither it nor one of them adds to the depth.
                if i - first > limit and i - first - 2 * kinds[first:i].count(_COMMA) > limit:
                    check_depth(left, limit)
                return left
            lower, code, level = stack[-1]
            if kind == _RP:
                if code == _PARENTHESIS:
                    stack.pop()
                    i += 1
                    continue
                if code == _CALL:
                    stack.pop()
                    position, arguments, is_distinct = lower
                    arguments.append(left)
                    i += 1
                    name = words[position] if kinds[position] == _ID else word_text(state, position)
                    left = call = FunctionCall(name, arguments, position, False, is_distinct, None, None, None)
                    state.calls.append(call)
                    following = kinds[i]
                    if following == _FILTER or following == _OVER:
                        state.index = i
                        left = _call_tail(state, call)
                        i = state.index
                    continue
            elif kind == _COMMA:
                if code == _CALL or code == _IN_LIST or code == _ROW:
                    items = lower[1]
                    items.append(left)
                    level = _BRACKET
                    i += 1
                    while kinds[i + 1] == _COMMA and (kinds[i] == _NUMBER or kinds[i] == _STRING):
                        items.append(literal_of(words[i]))
                        i += 2
                    break
                if code == _PARENTHESIS:
                    stack[-1] = ((None, [left]), _ROW, level)
                    level = _BRACKET
                    i += 1
                    break
            state.index = i
            closed = _close(state, left, kind, stack)
            i = state.index
            if closed is None:
                level = _BRACKET
                break
            left = closed


def expression_list(state: State) -> list[Expression]:
    """Reads expressions separated by commas."""
    items = [expression(state)]
    while state.kinds[state.index] == _COMMA:
        state.index += 1
        items.append(expression(state))
    return items


def subquery(state: State) -> Select:
    """Reads a SELECT that is followed by a closing parenthesis, and that parenthesis."""
    select = nested(state, state.rules.select)
    expect(state, _RP)
    return select


def _named_operand(state: State, i: int) -> tuple[Expression, int]:
    """Reads an operand that starts with a name but is neither a plain column nor an ordinary call."""
    kinds = state.kinds
    kind = kinds[i]
    if k.CURRENT_DATE <= kind <= _CURRENT_TIMESTAMP:
        return CurrentTime(state.words[i].upper(), i), i + 1
    if kind == k.RAISE and kinds[i + 1] == _LP:
        return _raise(state, i)
    if kind == k.RAISE or kind == _CAST:
        raise syntax_error(state, i + 1)
    if kind == k.WINDOW and is_window_keyword(state, i):
        raise syntax_error(state, i)
    if kinds[i + 1] != _DOT:
        column = Column(word_text(state, i), None, None, state.words[i][0] == '"', i)
        end = i + 1
    elif kinds[i + 2] > k.STRING:
        raise syntax_error(state, i + 2)
    elif kinds[i + 3] != _DOT:
        column = Column(word_text(state, i + 2), word_text(state, i), None, False, i)
        end = i + 3
    elif kinds[i + 4] > k.STRING:
        raise syntax_error(state, i + 4)
    else:
        column = Column(word_text(state, i + 4), word_text(state, i + 2), word_text(state, i), False, i)
        end = i + 5
    state.columns.append(column)
    return column, end


def _special_operand(state: State, i: int) -> tuple[Expression, int]:
    """Reads NULL, a blob, a parameter, EXISTS or a column of a table named by a string."""
    kinds = state.kinds
    kind = kinds[i]
    if kind == k.NULL:
        return _NULL, i + 1
    if kind == k.BLOB:
        return literal_of(state.words[i]), i + 1
    if kind == _STRING:
        return _named_operand(state, i)
    state.index = i
    if kind == k.VARIABLE:
        return variable(state), i + 1
    if kind == k.EXISTS:
        if kinds[i + 1] != _LP:
            raise syntax_error(state, i + 1)
        if kinds[i + 2] not in _SUBQUERY_STARTS:
            raise syntax_error(state, i + 2)
        state.index = i + 2
        return Exists(subquery(state)), state.index
    raise operand_error(state, i)


def _raise(state: State, i: int) -> tuple[Expression, int]:
    kinds = state.kinds
    action = kinds[i + 2]
    if action == k.IGNORE:
        state.index = i + 3
        message = None
    elif action in (k.ROLLBACK, k.ABORT, k.FAIL):
        state.index = i + 3
        expect(state, _COMMA)
        message = nested(state, expression)
    else:
        raise syntax_error(state, i + 2)
    expect(state, _RP)
    return Raise(state.words[i + 2].upper(), message, i), state.index


def _call_without_arguments(state: State, i: int) -> tuple[Expression, int]:
    """Reads `f(*)`, `f()` or `f(DISTINCT)`, or the same without star and with an ORDER BY that orders nothing."""
    kinds = state.kinds
    argument = kinds[i + 2]
    is_star = argument == _STAR
    is_distinct = argument == _DISTINCT
    state.index = i + 3 if is_star or is_distinct or argument == _ALL else i + 2
    if not is_star and accept(state, _ORDER):
        # It is read and forgotten.
        expect(state, k.BY)
        nested(state, state.rules.ordering_terms)
    expect(state, _RP)
    call = FunctionCall(word_text(state, i), [], i, is_star, is_distinct, None, None, None)
    state.calls.append(call)
    if kinds[state.index] in (_FILTER, _OVER):
        call = _call_tail(state, call)
    return call, state.index


def _call_tail(state: State, call: FunctionCall) -> FunctionCall:
    """Reads FILTER (...) and OVER ... after a call, where these words are keywords."""
    kinds = state.kinds
    if kinds[state.index] == _FILTER:
        if kinds[state.index + 1] != _LP:
            return call
        state.index += 2
        expect(state, k.WHERE)
        call.filter = nested(state, expression)
        expect(state, _RP)
    if kinds[state.index] == _OVER and (kinds[state.index + 1] == _LP or is_name_after_keyword(kinds[state.index + 1])):
        state.index += 1
        call.over = state.rules.over_clause(state)
    return call


def _collation(state: State, i: int) -> str:
    if state.kinds[i] > k.LAST_FALLBACK and state.kinds[i] != _STRING:
        raise syntax_error(state, i)
    return word_text(state, i)


def _reduce(lower: Any, code: int, right: Expression) -> Expression:
    """Builds the node of a stacked operator whose last operand is now complete."""
    if code in _PREFIX_TEXT:
        if code < _PREFIX_TILDE and type(right) is Literal and isinstance(right.value, (int, float)):
            return negated(right) if code == _PREFIX_MINUS else right
        return Unary(_PREFIX_TEXT[code], right)
    if code == k.IS:
        return IsNull(lower) if right is _NULL else Binary("IS", lower, right)
    if code == _IS_NOT:
        return NotNull(lower) if right is _NULL else Binary("IS NOT", lower, right)
    if code == _BETWEEN_HIGH:
        operand, is_negated, low = lower
        return Between(operand, low, right, is_negated)
    if code == _LIKE:
        operand, operator, is_negated, position = lower
        return Like(operator, operand, right, None, is_negated, position)
    assert code == _LIKE_ESCAPE, "every operator code has its node"
    operand, operator, is_negated, position, pattern = lower
    return Like(operator, operand, pattern, right, is_negated, position)


def _keyword_operator(state: State, left: Expression, kind: int, level: int, stack: list[_Frame]) -> Expression | None:
    """Reads an operator spelled as a word, after `left`.

    Returns the finished node of a postfix operator; or pushes a frame and returns None, and an operand has to follow.
    """
    kinds = state.kinds
    i = state.index
    is_negated = kind == k.NOT
    if is_negated:
        i += 1
        kind = kinds[i]
        if kind == k.NULL:
            state.index = i + 1
            return NotNull(left)
    if kind == k.IN:
        state.index = i + 1
        return _in(state, left, is_negated, level, stack)
    if kind == k.BETWEEN:
        stack.append(((left, is_negated), _BETWEEN_LOW, level))
    elif k.GLOB <= kind <= k.REGEXP:
        stack.append(((left, state.words[i].upper(), is_negated, i), _LIKE, level))
    elif is_negated:
        raise syntax_error(state, i)
    elif kind == k.NOTNULL:
        state.index = i + 1
        return NotNull(left)
    elif kind == k.IS:
        i += _push_is(state, left, level, stack)
    else:
        _push_escape(state, left, level, stack)
    state.index = i + 1
    return None


def _push_is(state: State, left: Expression, level: int, stack: list[_Frame]) -> int:
    """Pushes IS [NOT] [DISTINCT FROM] and returns how many tokens follow the IS."""
    kinds = state.kinds
    i = state.index + 1
    is_negated = kinds[i] == k.NOT
    if is_negated:
        i += 1
    if kinds[i] == _DISTINCT:
        if kinds[i + 1] != k.FROM:
            raise syntax_error(state, i + 1)
        i += 2
        is_negated = not is_negated
    stack.append((left, _IS_NOT if is_negated else k.IS, level))
    return i - state.index - 1


def _push_escape(state: State, left: Expression, level: int, stack: list[_Frame]) -> None:
    """Completes the pattern of the LIKE that an ESCAPE belongs to and pushes the LIKE again."""
    while level != _BRACKET:
        lower, code, level = stack.pop()
        if code == _LIKE:
            stack.append(((*lower, left), _LIKE_ESCAPE, level))
            return
        # No AND or OR stands on a LIKE whose ESCAPE may follow, so what chains they end does not matter.
        left = Binary(_OPERATOR_TEXT[code], lower, left) if code <= _LAST_SIMPLE else _reduce(lower, code, left)
    raise syntax_error(state, state.index)


def _level_of(stack: list[_Frame]) -> int:
    """Returns the level that the frame pushed last by `_keyword_operator` sets."""
    code = stack[-1][1]
    return _BRACKET if code in (_IN_LIST, _BETWEEN_LOW) else k.PRECEDENCE_EQUALITY


def _in(state: State, left: Expression, is_negated: bool, level: int, stack: list[_Frame]) -> Expression | None:
    """Reads what follows IN; pushes a frame and returns None before the first expression of a list."""
    kinds = state.kinds
    i = state.index
    if kinds[i] == _LP:
        state.index = i + 1
        following = kinds[i + 1]
        if following in _SUBQUERY_STARTS:
            return InSelect(left, subquery(state), is_negated)
        if following == _RP:
            state.index = i + 2
            return empty_list(left, is_negated)
        stack.append(((left, [], is_negated), _IN_LIST, level))
        return None
    # As good as the SELECT that it stands for.
    state.n_selects += 1
    schema, name = qualified_name(state)
    arguments = None
    if accept(state, _LP):
        arguments = [] if kinds[state.index] == _RP else nested(state, expression_list)
        expect(state, _RP)
    return InTable(left, name, schema, arguments, is_negated, i)


def _check_row_sizes(operand: RowValue, items: list[Expression]) -> None:
    """Every element of `(x, y) IN (...)` is a row as wide as the operand; a lone subquery is as good as without parentheses."""
    if len(items) == 1 and items[0].__class__ is ScalarSubquery:
        return
    wanted = len(operand.items)
    for item in items:
        found = len(item.items) if isinstance(item, RowValue) else 1
        if found != wanted:
            plural = "s" if found > 1 else ""
            raise sqlite_error(ERROR, f"IN(...) element has {found} term{plural} - expected {wanted}")


def _close(state: State, left: Expression, kind: int, stack: list[_Frame]) -> Expression | None:
    """Ends or continues the innermost bracket at a token that is no operator.

    Returns the finished node, or None when another operand has to follow; raises if the bracket cannot take the token.
    """
    i = state.index
    lower, code, level = stack.pop()
    state.index = i + 1
    if kind == _RP and code == _ROW:
        lower[1].append(left)
        return RowValue(lower[1])
    if kind == _RP and code == _IN_LIST:
        if left.__class__ is ScalarSubquery and not lower[1]:
            # x IN ((SELECT ...)) is x IN (SELECT ...).
            return InSelect(lower[0], left.select, lower[2])
        lower[1].append(left)
        if lower[0].__class__ is RowValue:
            _check_row_sizes(lower[0], lower[1])
        return InList(*lower)
    if code == _CALL and kind == k.ORDER:
        return _call_with_order(state, left, lower)
    if code == _CAST_TO and kind == k.AS:
        type_name = type_text(state)
        expect(state, _RP)
        return Cast(left, type_name)
    if code == _CASE_WHEN and kind == k.THEN:
        stack.append(((*lower, left), _CASE_THEN, level))
        return None
    if _CASE_OPERAND <= code <= _CASE_ELSE and code != _CASE_WHEN:
        return _close_case(state, left, kind, (lower, code, level), stack)
    raise syntax_error(state, i)


def _close_case(state: State, left: Expression, kind: int, frame: _Frame, stack: list[_Frame]) -> Expression | None:
    """Goes on after the operand, a THEN or the ELSE of CASE."""
    lower, code, level = frame
    if code == _CASE_OPERAND and kind == k.WHEN:
        stack.append(((left, []), _CASE_WHEN, level))
        return None
    if code == _CASE_ELSE and kind == k.END:
        return Case(lower[0], lower[1], left)
    if code == _CASE_THEN and kind in (k.WHEN, k.ELSE, k.END):
        operand, whens, condition = lower
        whens.append((condition, left))
        if kind == k.END:
            return Case(operand, whens, None)
        stack.append(((operand, whens), _CASE_WHEN if kind == k.WHEN else _CASE_ELSE, level))
        return None
    raise syntax_error(state, state.index - 1)


def _call_with_order(state: State, left: Expression, call: Any) -> FunctionCall:
    """Reads ORDER BY and the end of an aggregate's argument list."""
    position, arguments, is_distinct = call
    arguments.append(left)
    expect(state, k.BY)
    order_by = nested(state, state.rules.ordering_terms)
    expect(state, _RP)
    node = FunctionCall(word_text(state, position), arguments, position, False, is_distinct, order_by, None, None)
    state.calls.append(node)
    return _call_tail(state, node) if state.kinds[state.index] in (_FILTER, _OVER) else node


def type_text(state: State) -> str:
    """Reads a type: any number of names, then perhaps one or two signed numbers in parentheses; returns its source text."""
    kinds = state.kinds
    first = state.index
    while kinds[state.index] <= k.LAST_FALLBACK or kinds[state.index] == _STRING:
        if kinds[state.index] == k.WINDOW and is_window_keyword(state, state.index):
            break
        state.index += 1
    if state.index == first + 1 and kinds[state.index] != _LP:
        return state.words[first]
    if state.index > first and accept(state, _LP):
        signed_number(state)
        if accept(state, _COMMA):
            signed_number(state)
        expect(state, _RP)
    return state.source.exact_text(first, state.index)


def signed_number(state: State) -> None:
    """Reads a number with or without a sign; here SQLite takes no digit separators."""
    if state.kinds[state.index] in (_MINUS, k.PLUS):
        state.index += 1
    if state.kinds[state.index] != _NUMBER or "_" in state.words[state.index]:
        raise syntax_error(state, state.index)
    state.index += 1
