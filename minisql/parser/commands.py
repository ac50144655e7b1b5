"""Transactions, PRAGMA, ATTACH, ANALYZE, REINDEX, VACUUM and EXPLAIN; and the choice of a rule by a statement's first word.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

from collections.abc import Callable

from minisql.parser import tokens as k
from minisql.parser.ast import (
    Analyze,
    Attach,
    Begin,
    Commit,
    Detach,
    Explain,
    Pragma,
    Reindex,
    Release,
    Rollback,
    Savepoint,
    Statement,
    Vacuum,
)
from minisql.parser.changes import delete, insert, update, with_statement
from minisql.parser.definitions import alter_table, create, drop
from minisql.parser.expression import expression, signed_number
from minisql.parser.select import select_body
from minisql.parser.state import State, accept, expect, name, qualified_name, syntax_error, word_text


def statement(state: State) -> Statement:
    """Reads one statement, without its semicolon."""
    rule = STATEMENT_RULES.get(state.kinds[state.index])
    if rule is None:
        raise syntax_error(state, state.index)
    return rule(state)


def _explain(state: State) -> Statement:
    state.index += 1
    is_query_plan = accept(state, k.QUERY)
    if is_query_plan:
        expect(state, k.PLAN)
    if state.kinds[state.index] == k.EXPLAIN:
        raise syntax_error(state, state.index)
    return Explain(statement(state), is_query_plan)


def _begin(state: State) -> Statement:
    state.index += 1
    mode = "DEFERRED"
    if state.kinds[state.index] in (k.DEFERRED, k.IMMEDIATE, k.EXCLUSIVE):
        mode = state.words[state.index].upper()
        state.index += 1
    _transaction_name(state)
    return Begin(mode)


def _transaction_name(state: State) -> None:
    """Reads TRANSACTION and the name that may follow it; the name means nothing, except that TO is no name."""
    if accept(state, k.TRANSACTION) and state.kinds[state.index] <= k.STRING:
        state.index += 1


def _commit(state: State) -> Statement:
    state.index += 1
    _transaction_name(state)
    return Commit()


def _rollback(state: State) -> Statement:
    state.index += 1
    _transaction_name(state)
    if not accept(state, k.TO):
        return Rollback(None)
    accept(state, k.SAVEPOINT)
    return Rollback(name(state))


def _savepoint(state: State) -> Statement:
    state.index += 1
    return Savepoint(name(state))


def _release(state: State) -> Statement:
    state.index += 1
    accept(state, k.SAVEPOINT)
    return Release(name(state))


def _analyze(state: State) -> Statement:
    schema, target, position = _optional_name(state)
    return Analyze(target, schema, position)


def _reindex(state: State) -> Statement:
    schema, target, position = _optional_name(state)
    return Reindex(target, schema, position)


def _optional_name(state: State) -> tuple[str | None, str | None, int]:
    """Reads what may follow ANALYZE or REINDEX; returns (schema, name, position)."""
    state.index += 1
    position = state.index
    if state.kinds[position] > k.STRING:
        return None, None, position
    schema, target = qualified_name(state)
    return schema, target, position


def _vacuum(state: State) -> Statement:
    state.index += 1
    schema = name(state) if state.kinds[state.index] <= k.STRING else None
    return Vacuum(schema, expression(state) if accept(state, k.INTO) else None)


def _attach(state: State) -> Statement:
    state.index += 1
    accept(state, k.DATABASE)
    file = expression(state)
    expect(state, k.AS)
    schema = expression(state)
    return Attach(file, schema, expression(state) if accept(state, k.KEY) else None)


def _detach(state: State) -> Statement:
    state.index += 1
    accept(state, k.DATABASE)
    return Detach(expression(state))


def _pragma(state: State) -> Statement:
    state.index += 1
    position = state.index
    schema, pragma = qualified_name(state)
    value = None
    first = state.index + 1
    if accept(state, k.EQ):
        value = _pragma_value(state)
    elif accept(state, k.LP):
        value = _pragma_value(state)
        expect(state, k.RP)
    is_quoted = value is not None and state.kinds[first] in (k.QUOTED_ID, k.STRING)
    return Pragma(pragma, schema, value, position, is_quoted)


def _pragma_value(state: State) -> str:
    """Reads a signed number, a name, or ON, DELETE or DEFAULT."""
    i = state.index
    kind = state.kinds[i]
    if kind == k.MINUS or kind == k.PLUS or kind == k.NUMBER:
        signed_number(state)
        return ("-" if kind == k.MINUS else "") + state.words[state.index - 1]
    if kind > k.STRING and kind not in (k.ON, k.DELETE, k.DEFAULT):
        raise syntax_error(state, i)
    state.index = i + 1
    return word_text(state, i)


def _insert(state: State) -> Statement:
    return insert(state, None)


def _update(state: State) -> Statement:
    return update(state, None)


def _delete(state: State) -> Statement:
    return delete(state, None)


STATEMENT_RULES: dict[int, Callable[[State], Statement]] = {
    k.SELECT: select_body,
    k.VALUES: select_body,
    k.WITH: with_statement,
    k.INSERT: _insert,
    k.REPLACE: _insert,
    k.UPDATE: _update,
    k.DELETE: _delete,
    k.CREATE: create,
    k.DROP: drop,
    k.ALTER: alter_table,
    k.BEGIN: _begin,
    k.COMMIT: _commit,
    k.END: _commit,
    k.ROLLBACK: _rollback,
    k.SAVEPOINT: _savepoint,
    k.RELEASE: _release,
    k.PRAGMA: _pragma,
    k.ANALYZE: _analyze,
    k.REINDEX: _reindex,
    k.VACUUM: _vacuum,
    k.ATTACH: _attach,
    k.DETACH: _detach,
    k.EXPLAIN: _explain,
}
"""The rule for each word that a statement can start with."""
