"""SELECT, VALUES and WITH, and the clauses that other statements share with them.

A FROM clause is read into a flat list: joins associate to the left, and every item says how it is joined to what stands
before it.

Source: https://www.sqlite.org/lang_select.html, https://www.sqlite.org/lang_with.html,
https://www.sqlite.org/windowfunctions.html.
"""

# ruff: noqa: SIM109 - `x in (A, B)` builds a tuple of globals each time (benchmarks/parse.py)

from __future__ import annotations

from minisql import limits
from minisql.errors import ERROR, sqlite_error
from minisql.parser import tokens as k
from minisql.parser.ast import (
    JOIN_CROSS,
    JOIN_INNER,
    JOIN_LEFT,
    JOIN_NATURAL,
    JOIN_OUTER,
    JOIN_RIGHT,
    Column,
    CommonTable,
    Core,
    Expression,
    Frame,
    FrameBound,
    FromItem,
    FunctionSource,
    Join,
    JoinSource,
    OrderingTerm,
    ResultColumn,
    Select,
    Star,
    SubquerySource,
    TableSource,
    TableStar,
    Values,
    Window,
    With,
)
from minisql.parser.expression import (
    expression,
    expression_list,
    subquery,
)
from minisql.parser.recent_conditions import read_condition
from minisql.parser.state import (
    Rules,
    State,
    accept,
    error,
    expect,
    is_name_after_keyword,
    is_window_keyword,
    late_error,
    name,
    name_list,
    nested,
    syntax_error,
    word_text,
)

_ID, _COMMA, _FROM, _STAR, _DOT, _AS, _STRING = k.ID, k.COMMA, k.FROM, k.STAR, k.DOT, k.AS, k.STRING
_LAST_FALLBACK, _WINDOW, _OVER, _LP, _RP = k.LAST_FALLBACK, k.WINDOW, k.OVER, k.LP, k.RP
_JOIN, _ON, _USING, _CROSS, _RIGHT, _INDEXED, _NOT = k.JOIN, k.ON, k.USING, k.CROSS, k.RIGHT, k.INDEXED, k.NOT

_AFTER_TABLE = frozenset((k.COMMA, k.WHERE, k.SEMI, k.END_OF_INPUT, k.GROUP, k.ORDER, k.RP, k.JOIN, k.CROSS, k.LEFT))

_COMPOUND_WORDS = (k.UNION, k.EXCEPT, k.INTERSECT)
_AFTER_STATEMENT = (k.SEMI, k.END_OF_INPUT, k.RP)
_AFTER_COMMON_TABLE = frozenset((k.COMMA, k.SELECT, k.VALUES, k.INSERT, k.REPLACE, k.UPDATE, k.DELETE))
# Words that begin an operand of their own even before a dot.
_NO_TABLES = frozenset((k.CURRENT_DATE, k.CURRENT_TIME, k.CURRENT_TIMESTAMP, k.CAST, k.RAISE))
_AFTER_VALUES = frozenset((_COMMA, *_AFTER_STATEMENT, *_COMPOUND_WORDS, k.ON, k.RETURNING))
_AFTER_NAME_IN_LIST = frozenset((_COMMA, _RP))
_AFTER_FROM_ITEM = frozenset(
    (
        *(_COMMA, _JOIN, *range(_CROSS, _RIGHT + 1)),
        *(k.WHERE, k.GROUP, k.HAVING, k.ORDER, k.LIMIT, k.WINDOW, k.RETURNING),
        *(*_COMPOUND_WORDS, *_AFTER_STATEMENT),
    )
)

_JOIN_FLAGS = {
    "NATURAL": JOIN_NATURAL,
    "LEFT": JOIN_LEFT | JOIN_OUTER,
    "OUTER": JOIN_OUTER,
    "RIGHT": JOIN_RIGHT | JOIN_OUTER,
    "FULL": JOIN_LEFT | JOIN_RIGHT | JOIN_OUTER,
    "INNER": JOIN_INNER,
    "CROSS": JOIN_INNER | JOIN_CROSS,
}


def select(state: State) -> Select:
    """Reads a whole SELECT or VALUES, with its WITH clause."""
    with_clause = None
    if state.kinds[state.index] == k.WITH:
        with_clause = with_tables(state)
    return select_body(state, with_clause)


def select_body(state: State, with_clause: With | None = None) -> Select:
    """Reads a SELECT or VALUES whose WITH clause has been read."""
    kinds = state.kinds
    cores: list[Core | Values] = []
    operators: list[str] = []
    misplaced: str | None = None
    while True:
        kind = kinds[state.index]
        order_by = limit = offset = None
        state.n_selects += 1
        if kind == k.SELECT:
            cores.append(_core(state))
            kind = kinds[state.index]
            if kind == k.ORDER:
                order_by = order_by_clause(state)
                kind = kinds[state.index]
            if kind == k.LIMIT:
                limit, offset = limit_clause(state)
                kind = kinds[state.index]
        elif kind == k.VALUES:
            cores.append(_values(state))
            kind = kinds[state.index]
        else:
            raise syntax_error(state, state.index)
        if kind != k.UNION and kind != k.EXCEPT and kind != k.INTERSECT:
            break
        operator = state.words[state.index].upper()
        state.index += 1
        if kind == k.UNION and accept(state, k.ALL):
            operator = "UNION ALL"
        operators.append(operator)
        if misplaced is None and (order_by or limit):
            clause = "ORDER BY" if order_by else "LIMIT"
            misplaced = f"{clause} clause should come after {operator} not before"
    if operators:
        _check_compound(state, len(cores), misplaced)
    return Select(cores, operators, order_by, limit, offset, with_clause)


def _check_compound(state: State, n_terms: int, misplaced: str | None) -> None:
    if misplaced is not None:
        raise error(misplaced)
    maximum = state.limits[limits.COMPOUND_SELECT]
    if 0 < maximum < n_terms:
        raise error("too many terms in compound SELECT")


def _core(state: State) -> Core:
    """Reads SELECT ... up to the WINDOW clause."""
    kinds = state.kinds
    i = state.index + 1
    kind = kinds[i]
    is_distinct = kind == k.DISTINCT
    if is_distinct or kind == k.ALL:
        i += 1
    state.index = i
    columns = result_columns(state)
    sources: list[FromItem] = []
    where = group_by = having = windows = None
    kind = kinds[state.index]
    if kind == _FROM:
        state.index += 1
        sources = from_items(state)
        kind = kinds[state.index]
    if kind == k.WHERE:
        state.index += 1
        where = expression(state) if state.condition is None else read_condition(state, expression)
        kind = kinds[state.index]
    if kind == k.GROUP:
        state.index += 1
        expect(state, k.BY)
        group_by = expression_list(state)
        kind = kinds[state.index]
    if kind == k.HAVING:
        state.index += 1
        having = expression(state)
        kind = kinds[state.index]
    if kind == _WINDOW and is_window_keyword(state, state.index):
        state.index += 1
        windows = [_window_definition(state)]
        while accept(state, _COMMA):
            windows.append(_window_definition(state))
    return Core(columns, is_distinct, sources, where, group_by, having, windows)


def result_columns(state: State) -> list[ResultColumn | Star | TableStar]:
    """Reads the columns of SELECT or RETURNING."""
    kinds = state.kinds
    words = state.words
    columns: list[ResultColumn | Star | TableStar] = []
    i = state.index
    while True:
        kind = kinds[i]
        following = kinds[i + 1]
        if kind == _ID and (following == _COMMA or following == _FROM):
            column = Column(words[i], None, None, False, i)
            state.columns.append(column)
            columns.append(ResultColumn(column, None, i, i + 1))
            i += 1
        elif kind == _STAR:
            columns.append(Star(i))
            i += 1
        elif kind <= _STRING and following == _DOT and kinds[i + 2] == _STAR and kind not in _NO_TABLES:
            columns.append(TableStar(word_text(state, i), i))
            i += 3
        else:
            state.index = i
            node = expression(state)
            end = state.index
            kind = kinds[end]
            if kind == _AS:
                if kinds[end + 1] == _ID:
                    columns.append(ResultColumn(node, words[end + 1], i, end))
                    i = end + 2
                else:
                    state.index = end + 1
                    columns.append(ResultColumn(node, name(state), i, end))
                    i = state.index
            elif (kind <= _LAST_FALLBACK or kind == _STRING) and _is_alias(state, end):
                columns.append(ResultColumn(node, word_text(state, end), i, end))
                i = end + 1
            else:
                columns.append(ResultColumn(node, None, i, end))
                i = end
        if kinds[i] != _COMMA:
            state.index = i
            return columns
        i += 1


def _is_alias(state: State, i: int) -> bool:
    """Tells whether a word that could be an alias is not the keyword WINDOW, OVER or FILTER in its place."""
    kind = state.kinds[i]
    if kind < _WINDOW or kind > _OVER:
        return True
    if kind == _WINDOW:
        return not is_window_keyword(state, i)
    if state.kinds[i - 1] != _RP:
        return True
    following = state.kinds[i + 1]
    return not (following == _LP or (kind == _OVER and is_name_after_keyword(following)))


def _values(state: State) -> Values:
    """Reads VALUES (...), (...)."""
    state.index += 1
    before = state.index
    rows = [_values_row(state)]
    while accept(state, _COMMA):
        start = state.index
        rows.append(_values_row(state))
        if len(rows[-1]) != len(rows[-2]) and _are_constant(state, before):
            raise late_error(state, "all VALUES must have the same number of terms", _AFTER_VALUES)
        before = start
    return Values(rows)


def _are_constant(state: State, first: int) -> bool:
    """Tells whether the rows from a token on are constants outside WITH: SQLite compares only those before it compiles them."""
    kinds = state.kinds
    if k.WITH in kinds[: state.index] or k.SELECT in kinds[first : state.index]:
        return False
    return not any(column.position >= first for column in state.columns)


def _values_row(state: State) -> list[Expression]:
    expect(state, _LP)
    row = expression_list(state)
    expect(state, _RP)
    return row


def from_items(state: State) -> list[FromItem]:
    """Reads the items of a FROM clause, which has been read, with their joins."""
    kinds = state.kinds
    items: list[FromItem] = []
    flags: int | None = None
    while True:
        i = state.index
        if flags is None and kinds[i] == _ID:
            # `table` and `table AS alias`, with nothing else, are most of all FROM items.
            if kinds[i + 1] in _AFTER_TABLE:
                items.append(TableSource(state.words[i], None, None, None, False, i, None))
                state.index = i + 1
            elif kinds[i + 1] == _AS and kinds[i + 2] == _ID and kinds[i + 3] in _AFTER_TABLE:
                items.append(TableSource(state.words[i], None, state.words[i + 2], None, False, i, None))
                state.index = i + 3
            else:
                _from_item(state, items, flags)
        else:
            _from_item(state, items, flags)
        kind = kinds[state.index]
        if kind == _COMMA:
            state.index += 1
            flags = None
        elif kind == _JOIN:
            state.index += 1
            flags = 0
        elif _CROSS <= kind <= _RIGHT:
            flags = _join_flags(state)
        else:
            return items


def _join_flags(state: State) -> int:
    """Reads a join keyword, up to two more words, and JOIN."""
    first = state.index
    words = [state.words[first].upper()]
    state.index = first + 1
    while len(words) < 3 and state.kinds[state.index] <= _STRING:
        words.append(state.words[state.index].upper())
        name(state)
    expect(state, _JOIN)
    following = state.kinds[state.index]
    if following > _STRING and following != _LP:
        raise syntax_error(state, state.index)
    flags = 0
    for word in words:
        flags |= _JOIN_FLAGS.get(word, 1 << 8)
    is_contradictory = flags & JOIN_INNER and flags & JOIN_OUTER
    is_bare_outer = flags & (JOIN_OUTER | JOIN_LEFT | JOIN_RIGHT) == JOIN_OUTER
    if flags & 1 << 8 or is_contradictory or is_bare_outer:
        text = " ".join(state.words[first : first + len(words)])
        raise sqlite_error(ERROR, f"unknown join type: {text}", state.source.offset(first))
    return flags


def _from_item(state: State, items: list[FromItem], flags: int | None) -> None:
    """Reads one FROM item and adds it to `items`; `flags` is None for the first item and after a comma."""
    kinds = state.kinds
    position = state.index
    kind = kinds[position]
    item: FromItem
    if kind <= _STRING:
        item = _named_item(state, position)
    elif kind == _LP:
        following = kinds[position + 1]
        state.index = position + 1
        if following == k.SELECT or following == k.VALUES or following == k.WITH:
            inner = subquery(state)
            item = SubquerySource(inner, table_alias(state), None)
        else:
            inner_items = nested(state, from_items)
            expect(state, _RP)
            alias = table_alias(state)
            join = _join_of(state, flags, not items)
            _add_parenthesised(items, inner_items, alias, join)
            return
    else:
        raise syntax_error(state, position)
    kind = kinds[state.index]
    if flags is not None or kind == _ON or kind == _USING:
        item.join = _join_of(state, flags, not items)
    items.append(item)


def _join_of(state: State, flags: int | None, is_first: bool) -> Join | None:
    """Reads ON or USING and returns how the item is joined."""
    kind = state.kinds[state.index]
    on = using = None
    if kind == _ON:
        state.index += 1
        on = expression(state)
    elif kind == _USING:
        state.index += 1
        expect(state, _LP)
        using = name_list(state)
        expect(state, _RP)
    elif flags is None:
        return None
    if is_first:
        text = f"a JOIN clause is required before {'ON' if kind == _ON else 'USING'}"
        raise late_error(state, text, _AFTER_FROM_ITEM)
    return Join(flags or 0, on, using)


def _add_parenthesised(items: list[FromItem], inner: list[FromItem], alias: str | None, join: Join | None) -> None:
    """Adds `(inner)`: dissolved if it stands first and bare, an item of its own if there is one, else a nested join."""
    if not items and alias is None and join is None:
        items.extend(inner)
    elif len(inner) == 1:
        item = inner[0]
        if not isinstance(item, JoinSource):
            item.alias = alias  # type: ignore[attr-defined]
            item.join = join
            items.append(item)
        else:
            items.append(JoinSource(item.sources, alias, join))
    else:
        items.append(JoinSource(inner, alias, join))


def table_alias(state: State) -> str | None:
    """Reads `AS name`, a bare alias, or nothing."""
    i = state.index
    kind = state.kinds[i]
    if kind == _AS:
        state.index = i + 1
        return name(state)
    if (kind <= _LAST_FALLBACK or kind == _STRING) and _is_alias(state, i):
        state.index = i + 1
        return word_text(state, i)
    return None


def _named_item(state: State, position: int) -> TableSource | FunctionSource:
    """Reads a table or table-valued function with its alias and INDEXED BY."""
    kinds = state.kinds
    kind = kinds[position]
    if kind == _WINDOW and is_window_keyword(state, position):
        raise syntax_error(state, position)
    table = state.words[position] if kind == _ID else word_text(state, position)
    schema = None
    i = position + 1
    if kinds[i] == _DOT:
        schema = table
        state.index = i + 1
        table = name(state)
        i = state.index
    if kinds[i] == _LP:
        state.index = i + 1
        arguments = [] if kinds[i + 1] == _RP else nested(state, expression_list)
        expect(state, _RP)
        return FunctionSource(table, schema, arguments, table_alias(state), position, None)
    state.index = i
    alias = table_alias(state)
    indexed_by, is_not_indexed = index_hint(state)
    return TableSource(table, schema, alias, indexed_by, is_not_indexed, position, None)


def index_hint(state: State) -> tuple[str | None, bool]:
    """Reads INDEXED BY name or NOT INDEXED; returns (index, is NOT INDEXED)."""
    kind = state.kinds[state.index]
    if kind == _INDEXED:
        state.index += 1
        expect(state, k.BY)
        return name(state), False
    if kind == _NOT:
        state.index += 1
        expect(state, _INDEXED)
        return None, True
    return None, False


def order_by_clause(state: State) -> list[OrderingTerm]:
    """Reads ORDER BY and its terms."""
    state.index += 1
    expect(state, k.BY)
    return ordering_terms(state)


def ordering_terms(state: State) -> list[OrderingTerm]:
    """Reads expressions with ASC, DESC and NULLS FIRST or LAST, separated by commas."""
    kinds = state.kinds
    terms = []
    while True:
        node = expression(state)
        kind = kinds[state.index]
        is_descending = kind == k.DESC
        if is_descending or kind == k.ASC:
            state.index += 1
            kind = kinds[state.index]
        nulls = None
        if kind == k.NULLS:
            state.index += 1
            nulls = "FIRST" if kinds[state.index] == k.FIRST else "LAST"
            expect(state, k.FIRST if nulls == "FIRST" else k.LAST)
            kind = kinds[state.index]
        terms.append(OrderingTerm(node, is_descending, nulls))
        if kind != _COMMA:
            return terms
        state.index += 1


def limit_clause(state: State) -> tuple[Expression, Expression | None]:
    """Reads LIMIT n, LIMIT n OFFSET m or LIMIT m, n; returns (limit, offset)."""
    state.index += 1
    first = expression(state)
    if accept(state, k.OFFSET):
        return first, expression(state)
    if accept(state, _COMMA):
        return expression(state), first
    return first, None


def with_tables(state: State) -> With:
    """Reads WITH [RECURSIVE] and its common tables."""
    state.index += 1
    is_recursive = accept(state, k.RECURSIVE)
    tables: list[CommonTable] = []
    seen: set[str] = set()
    while not tables or accept(state, _COMMA):
        table = _common_table(state)
        tables.append(table)
        if table.name.lower() in seen:
            raise late_error(state, f"duplicate WITH table name: {table.name}", _AFTER_COMMON_TABLE)
        seen.add(table.name.lower())
    return With(is_recursive, tables)


def _common_table(state: State) -> CommonTable:
    position = state.index
    table = name(state)
    columns = index_names(state) if state.kinds[state.index] == _LP else None
    expect(state, _AS)
    materialized: bool | None = None
    if accept(state, _NOT):
        expect(state, k.MATERIALIZED)
        materialized = False
    elif accept(state, k.MATERIALIZED):
        materialized = True
    expect(state, _LP)
    return CommonTable(table, columns, subquery(state), materialized, position)


def index_names(state: State) -> list[str]:
    """Reads a parenthesised list of column names that tolerates, then refuses, COLLATE, ASC and DESC."""
    expect(state, _LP)
    names = []
    while True:
        names.append(name(state))
        has_order = False
        if accept(state, k.COLLATE):
            has_order = True
            if state.kinds[state.index] > _LAST_FALLBACK and state.kinds[state.index] != _STRING:
                raise syntax_error(state, state.index)
            state.index += 1
        if accept(state, k.ASC) or accept(state, k.DESC):
            has_order = True
        if has_order:
            text = f'syntax error after column name "{names[-1]}"'
            raise late_error(state, text, _AFTER_NAME_IN_LIST)
        if not accept(state, _COMMA):
            expect(state, _RP)
            return names


def _window_definition(state: State) -> Window:
    """Reads `name AS (...)` of a WINDOW clause."""
    window_name = _window_name(state)
    expect(state, _AS)
    expect(state, _LP)
    return _window(state, window_name)


def over_clause(state: State) -> Window | str:
    """Reads what follows OVER: a window name or a definition in parentheses."""
    if accept(state, _LP):
        return nested(state, _unnamed_window)
    return _window_name(state)


def _window_name(state: State) -> str:
    """Reads the name of a window, which keeps its quotes: SQLite takes "w" and w for two names."""
    name(state)
    return state.words[state.index - 1]


def _unnamed_window(state: State) -> Window:
    return _window(state, None)


def _window(state: State, window_name: str | None) -> Window:
    """Reads a window definition after its opening parenthesis, and the closing one."""
    kinds = state.kinds
    base = None
    kind = kinds[state.index]
    if kind <= _STRING and kind not in (k.PARTITION, k.RANGE, k.ROWS, k.GROUPS):
        base = _window_name(state)
    partition_by = order_by = frame = None
    if accept(state, k.PARTITION):
        expect(state, k.BY)
        partition_by = expression_list(state)
    if kinds[state.index] == k.ORDER:
        order_by = order_by_clause(state)
    if kinds[state.index] in (k.RANGE, k.ROWS, k.GROUPS):
        frame = _frame(state)
    expect(state, _RP)
    return Window(window_name, base, partition_by, order_by, frame)


def _frame(state: State) -> Frame:
    unit = state.words[state.index].upper()
    state.index += 1
    if accept(state, k.BETWEEN):
        start = _frame_bound(state, k.PRECEDING)
        expect(state, k.AND)
        end = _frame_bound(state, k.FOLLOWING)
    else:
        start = _frame_bound(state, k.PRECEDING)
        end = FrameBound("CURRENT ROW", None)
    exclude = _frame_exclude(state)
    is_backward = (start.kind == "CURRENT ROW" and end.kind == "PRECEDING") or (
        start.kind == "FOLLOWING" and end.kind in ("PRECEDING", "CURRENT ROW")
    )
    if is_backward:
        raise error("unsupported frame specification")
    return Frame(unit, start, end, exclude)


def _frame_bound(state: State, unbounded_direction: int) -> FrameBound:
    """Reads one end of a frame; UNBOUNDED may only go in one direction at each end."""
    kinds = state.kinds
    kind = kinds[state.index]
    if kind == k.UNBOUNDED:
        state.index += 1
        expect(state, unbounded_direction)
        return FrameBound("UNBOUNDED " + state.words[state.index - 1].upper(), None)
    if kind == k.CURRENT:
        state.index += 1
        expect(state, k.ROW)
        return FrameBound("CURRENT ROW", None)
    offset = expression(state)
    if kinds[state.index] not in (k.PRECEDING, k.FOLLOWING):
        raise syntax_error(state, state.index)
    state.index += 1
    return FrameBound(state.words[state.index - 1].upper(), offset)


def _frame_exclude(state: State) -> str | None:
    if not accept(state, k.EXCLUDE):
        return None
    kinds = state.kinds
    if accept(state, k.NO):
        expect(state, k.OTHERS)
        return "NO OTHERS"
    if accept(state, k.CURRENT):
        expect(state, k.ROW)
        return "CURRENT ROW"
    if kinds[state.index] not in (k.GROUP, k.TIES):
        raise syntax_error(state, state.index)
    state.index += 1
    return state.words[state.index - 1].upper()


RULES = Rules(select, ordering_terms, over_clause)
