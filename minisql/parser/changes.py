"""INSERT, REPLACE, UPDATE and DELETE, as statements and as steps of triggers.

Source: https://www.sqlite.org/lang_insert.html, lang_update.html, lang_delete.html, lang_upsert.html, lang_returning.html.
"""

from __future__ import annotations

from minisql.parser import tokens as k
from minisql.parser.ast import (
    Assignment,
    Delete,
    Expression,
    FromItem,
    Insert,
    OrderingTerm,
    ResultColumn,
    RowValue,
    ScalarSubquery,
    Star,
    Statement,
    TableSource,
    TableStar,
    Update,
    Upsert,
    With,
)
from minisql.parser.expression import expression
from minisql.parser.recent_conditions import read_condition
from minisql.parser.select import (
    from_items,
    index_hint,
    limit_clause,
    order_by_clause,
    ordering_terms,
    result_columns,
    select,
    select_body,
    with_tables,
)
from minisql.parser.state import State, accept, error, expect, late_error, name, name_list, qualified_name, syntax_error

_Returning = list[ResultColumn | Star | TableStar]

_AFTER_ASSIGNMENT = frozenset((k.COMMA, k.WHERE, k.FROM, k.RETURNING, k.ON, k.ORDER, k.LIMIT, k.SEMI, k.END_OF_INPUT))
_CONFLICT_ACTIONS = (k.ROLLBACK, k.ABORT, k.FAIL, k.IGNORE, k.REPLACE)


def conflict_action(state: State) -> str:
    """Reads ROLLBACK, ABORT, FAIL, IGNORE or REPLACE."""
    if state.kinds[state.index] not in _CONFLICT_ACTIONS:
        raise syntax_error(state, state.index)
    state.index += 1
    return state.words[state.index - 1].upper()


def _or_conflict(state: State) -> str | None:
    return conflict_action(state) if accept(state, k.OR) else None


def _target(state: State) -> TableSource:
    """Reads the table that a statement changes: `schema.table AS alias`; in triggers there is no alias."""
    position = state.index
    schema, table = qualified_name(state)
    alias = name(state) if not state.is_trigger and accept(state, k.AS) else None
    return TableSource(table, schema, alias, None, False, position, None)


def _hinted_target(state: State) -> TableSource:
    target = _target(state)
    indexed_by, is_not_indexed = index_hint(state)
    if indexed_by is None and not is_not_indexed:
        return target
    if state.is_trigger:
        hint = "NOT INDEXED" if is_not_indexed else "INDEXED BY"
        raise error(f"the {hint} clause is not allowed on UPDATE or DELETE statements within triggers")
    return TableSource(target.name, target.schema, target.alias, indexed_by, is_not_indexed, target.position, None)


def insert(state: State, with_clause: With | None) -> Insert:
    """Reads INSERT or REPLACE."""
    conflict: str | None
    if accept(state, k.REPLACE):
        conflict = "REPLACE"
    else:
        expect(state, k.INSERT)
        conflict = _or_conflict(state)
    expect(state, k.INTO)
    target = _target(state)
    columns = None
    if accept(state, k.LP):
        columns = name_list(state)
        expect(state, k.RP)
    if accept(state, k.DEFAULT):
        if state.is_trigger:
            raise syntax_error(state, state.index - 1)
        expect(state, k.VALUES)
        return Insert(target, columns, None, conflict, [], _returning(state), with_clause)
    rows = select(state) if state.kinds[state.index] == k.WITH else select_body(state, None)
    upserts: list[Upsert] = []
    returning = None
    while True:
        if state.kinds[state.index] != k.ON:
            returning = _returning(state)
            break
        upserts.append(_upsert(state))
        if upserts[-1].target is None:
            returning = _returning(state)
            break
    return Insert(target, columns, rows, conflict, upserts, returning, with_clause)


def _returning(state: State) -> _Returning | None:
    if accept(state, k.RETURNING):
        return result_columns(state)
    return None


def _upsert(state: State) -> Upsert:
    """Reads one ON CONFLICT clause."""
    state.index += 1
    expect(state, k.CONFLICT)
    target = target_where = None
    if accept(state, k.LP):
        target = ordering_terms(state)
        expect(state, k.RP)
        target_where = _where(state)
    expect(state, k.DO)
    if accept(state, k.NOTHING):
        return Upsert(target, target_where, None, None)
    expect(state, k.UPDATE)
    expect(state, k.SET)
    assignments = _assignments(state)
    return Upsert(target, target_where, assignments, _where(state))


def _where(state: State) -> Expression | None:
    if not accept(state, k.WHERE):
        return None
    return expression(state) if state.condition is None else read_condition(state, expression)


def _assignments(state: State) -> list[Assignment]:
    """Reads the list after SET."""
    assignments = [_assignment(state)]
    while accept(state, k.COMMA):
        assignments.append(_assignment(state))
    return assignments


def _assignment(state: State) -> Assignment:
    position = state.index
    is_row = accept(state, k.LP)
    if is_row:
        columns = name_list(state)
        expect(state, k.RP)
    else:
        columns = [name(state)]
    expect(state, k.EQ)
    value = expression(state)
    if is_row and type(value) is not ScalarSubquery:
        n_values = len(value.items) if isinstance(value, RowValue) else 1
        if n_values != len(columns):
            raise late_error(state, f"{len(columns)} columns assigned {n_values} values", _AFTER_ASSIGNMENT)
    return Assignment(columns, is_row, value, position)


def update(state: State, with_clause: With | None) -> Update:
    """Reads UPDATE."""
    state.index += 1
    conflict = _or_conflict(state)
    target = _hinted_target(state)
    expect(state, k.SET)
    assignments = _assignments(state)
    sources: list[FromItem] = from_items(state) if accept(state, k.FROM) else []
    where = _where(state)
    returning, order_by, limit, offset = _tail(state)
    return Update(target, assignments, sources, where, order_by, limit, offset, conflict, returning, with_clause)


def delete(state: State, with_clause: With | None) -> Delete:
    """Reads DELETE."""
    state.index += 1
    expect(state, k.FROM)
    target = _hinted_target(state)
    where = _where(state)
    returning, order_by, limit, offset = _tail(state)
    return Delete(target, where, order_by, limit, offset, returning, with_clause)


def _tail(
    state: State,
) -> tuple[_Returning | None, list[OrderingTerm] | None, Expression | None, Expression | None]:
    """Reads RETURNING, ORDER BY and LIMIT, in this order; within triggers there are none."""
    if state.is_trigger:
        return None, None, None, None
    returning = _returning(state)
    order_by = order_by_clause(state) if state.kinds[state.index] == k.ORDER else None
    limit = offset = None
    if state.kinds[state.index] == k.LIMIT:
        limit, offset = limit_clause(state)
    return returning, order_by, limit, offset


def with_statement(state: State) -> Statement:
    """Reads WITH and the statement that it belongs to."""
    with_clause = with_tables(state)
    kind = state.kinds[state.index]
    if kind == k.INSERT or kind == k.REPLACE:
        return insert(state, with_clause)
    if kind == k.UPDATE:
        return update(state, with_clause)
    if kind == k.DELETE:
        return delete(state, with_clause)
    return select_body(state, with_clause)
