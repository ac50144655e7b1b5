"""Column types and constraints of CREATE TABLE and ALTER TABLE.

Source: https://www.sqlite.org/lang_createtable.html, https://www.sqlite.org/foreignkeys.html,
https://www.sqlite.org/gencol.html.
"""

from __future__ import annotations

from collections.abc import Callable

from minisql.errors import Error
from minisql.parser import tokens as k
from minisql.parser.ast import (
    Check,
    CollateConstraint,
    Constraint,
    CurrentTime,
    Default,
    Expression,
    ForeignKey,
    Generated,
    Literal,
    NotNullConstraint,
    PrimaryKey,
    Unary,
    Unique,
)
from minisql.parser.changes import conflict_action
from minisql.parser.expression import expression, type_text
from minisql.parser.select import index_names, ordering_terms
from minisql.parser.state import State, accept, expect, late_error, name, operand_error, syntax_error, word_text
from minisql.parser.tokenizer import dequote, literal_of, negative_of, tokenize

_TABLE_CONSTRAINT_STARTS = (k.CONSTRAINT, k.PRIMARY, k.UNIQUE, k.CHECK, k.FOREIGN)


_STANDARD_TYPES = frozenset(("ANY", "BLOB", "INT", "INTEGER", "REAL", "TEXT"))


def column_type(state: State) -> str:
    """Reads a column's type: standard types in upper case, others as written, without quotes.

    The words GENERATED ALWAYS at its end belong to the constraint that follows.
    """
    text = type_text(state)
    if len(text) >= 16 and text[-6:].lower() == "always":
        rest = text[:-6].rstrip()
        if rest[-9:].lower() == "generated":
            text = rest[:-9].rstrip()
    if text[:1] in ("'", '"', "`", "["):
        return dequote(tokenize(text, 0, len(text))[0])
    return text.upper() if text.upper() in _STANDARD_TYPES else text


def on_conflict(state: State) -> str | None:
    """Reads ON CONFLICT action, if it is there."""
    if state.kinds[state.index] != k.ON:
        return None
    state.index += 1
    expect(state, k.CONFLICT)
    return conflict_action(state)


def column_constraints(state: State, column: str) -> list[Constraint]:
    """Reads the constraints of one column.  A CONSTRAINT name holds until the next one."""
    kinds = state.kinds
    constraints: list[Constraint] = []
    constraint_name: str | None = None
    while True:
        kind = kinds[state.index]
        if kind == k.CONSTRAINT:
            state.index += 1
            constraint_name = name(state)
        elif kind == k.NULL:
            state.index += 1
            on_conflict(state)
        elif (kind == k.NOT and kinds[state.index + 1] == k.DEFERRABLE) or kind == k.DEFERRABLE:
            is_deferred = deferral(state)
            if constraints and isinstance(constraints[-1], ForeignKey):
                constraints[-1] = _deferrable(constraints[-1], is_deferred)
        elif kind in _COLUMN_RULES:
            constraints.append(_COLUMN_RULES[kind](state, constraint_name))
        elif kind == k.AS or kind == k.GENERATED:
            generated = _generated(state, constraint_name, column)
            if any(isinstance(constraint, (Default, Generated)) for constraint in constraints):
                raise _generated_error(state, column)
            constraints.append(generated)
        else:
            return constraints


def _column_not_null(state: State, constraint_name: str | None) -> Constraint:
    state.index += 1
    expect(state, k.NULL)
    return NotNullConstraint(constraint_name, on_conflict(state))


def _column_primary_key(state: State, constraint_name: str | None) -> Constraint:
    state.index += 1
    expect(state, k.KEY)
    is_descending = accept(state, k.DESC)
    if not is_descending:
        accept(state, k.ASC)
    conflict = on_conflict(state)
    return PrimaryKey(constraint_name, None, is_descending, accept(state, k.AUTOINCREMENT), conflict)


def _column_unique(state: State, constraint_name: str | None) -> Constraint:
    state.index += 1
    return Unique(constraint_name, None, on_conflict(state))


def _column_check(state: State, constraint_name: str | None) -> Constraint:
    return _check(state, constraint_name)


def _check(state: State, constraint_name: str | None) -> Check:
    """Reads CHECK (expression)."""
    expect(state, k.CHECK)
    expect(state, k.LP)
    first = state.index
    condition = expression(state)
    text = state.source.text(first, state.index)
    expect(state, k.RP)
    return Check(constraint_name, condition, text, None)


def _column_collate(state: State, constraint_name: str | None) -> Constraint:
    state.index += 1
    kind = state.kinds[state.index]
    if kind > k.LAST_FALLBACK and kind != k.STRING:
        raise syntax_error(state, state.index)
    return CollateConstraint(constraint_name, name(state))


def _column_default(state: State, constraint_name: str | None) -> Constraint:
    """Reads DEFAULT: a literal, a signed number, a name that counts as a string, or (expression)."""
    state.index += 1
    kinds = state.kinds
    first = state.index
    kind = kinds[first]
    value: Expression
    if kind == k.LP:
        state.index += 1
        value = expression(state)
        text = state.source.text(first + 1, state.index)
        expect(state, k.RP)
        return Default(constraint_name, value, text)
    if kind == k.MINUS or kind == k.PLUS:
        state.index += 1
        value = _default_term(state)
        if kind == k.MINUS:
            value = _minus(state, value)
    elif kind <= k.INDEXED and not k.CURRENT_DATE <= kind <= k.CURRENT_TIMESTAMP:
        state.index += 1
        value = _default_word(state, first)
    else:
        value = _default_term(state)
    return Default(constraint_name, value, state.source.text(first, state.index))


def _default_word(state: State, position: int) -> Literal:
    """A word that stands for itself; TRUE and FALSE are numbers."""
    word = state.words[position].lower()
    if word in ("true", "false"):
        return Literal(int(word == "true"))
    return Literal(word_text(state, position))


def _default_term(state: State) -> Expression:
    """Reads NULL, a number, a string, a blob or CURRENT_DATE and the like."""
    i = state.index
    kind = state.kinds[i]
    state.index = i + 1
    if kind in (k.NUMBER, k.STRING, k.BLOB):
        return literal_of(state.words[i])
    if kind == k.NULL:
        return Literal(None)
    if k.CURRENT_DATE <= kind <= k.CURRENT_TIMESTAMP:
        return CurrentTime(state.words[i].upper(), i)
    raise operand_error(state, i)


def _minus(state: State, value: Expression) -> Expression:
    i = state.index - 1
    if state.kinds[i] == k.NUMBER:
        return negative_of(state.words[i])
    return Unary("-", value)


def _column_references(state: State, constraint_name: str | None) -> Constraint:
    return _references(state, constraint_name, None)


_COLUMN_RULES: dict[int, Callable[[State, str | None], Constraint]] = {
    k.NOT: _column_not_null,
    k.PRIMARY: _column_primary_key,
    k.UNIQUE: _column_unique,
    k.CHECK: _column_check,
    k.COLLATE: _column_collate,
    k.DEFAULT: _column_default,
    k.REFERENCES: _column_references,
}


def _generated(state: State, constraint_name: str | None, column: str) -> Generated:
    """Reads [GENERATED ALWAYS] AS (expression) [VIRTUAL | STORED]."""
    if accept(state, k.GENERATED):
        expect(state, k.ALWAYS)
    expect(state, k.AS)
    expect(state, k.LP)
    first = state.index
    value = expression(state)
    text = state.source.text(first, state.index)
    expect(state, k.RP)
    is_stored = False
    if state.kinds[state.index] <= k.LAST_FALLBACK and state.kinds[state.index] != k.GENERATED:
        storage = state.words[state.index].lower()
        state.index += 1
        is_stored = storage == "stored"
        if not is_stored and storage != "virtual":
            raise _generated_error(state, column)
    return Generated(constraint_name, value, text, is_stored)


def _generated_error(state: State, column: str) -> Error:
    # ALTER TABLE ends after the constraints of its column.
    is_added = k.ALTER in state.kinds[: state.index]
    followers = _AFTER_CONSTRAINT | {k.SEMI, k.END_OF_INPUT} if is_added else _AFTER_CONSTRAINT
    return late_error(state, f'error in generated column "{column}"', followers)


_AFTER_CONSTRAINT = frozenset((*_COLUMN_RULES, *(k.CONSTRAINT, k.NULL, k.DEFERRABLE, k.AS, k.GENERATED, k.COMMA, k.RP)))
_ACTIONS = {k.CASCADE: "CASCADE", k.RESTRICT: "RESTRICT"}


def _references(state: State, constraint_name: str | None, columns: list[str] | None) -> ForeignKey:
    """Reads REFERENCES table (columns) with its actions; a deferral clause comes after it."""
    expect(state, k.REFERENCES)
    parent = name(state)
    parent_columns = index_names(state) if state.kinds[state.index] == k.LP else None
    actions = {k.DELETE: "NO ACTION", k.UPDATE: "NO ACTION", k.INSERT: ""}
    while True:
        if accept(state, k.MATCH):
            name(state)
        elif accept(state, k.ON):
            event = state.kinds[state.index]
            if event not in actions:
                raise syntax_error(state, state.index)
            state.index += 1
            actions[event] = _action(state)
        else:
            break
    return ForeignKey(constraint_name, columns, parent, parent_columns, actions[k.DELETE], actions[k.UPDATE], False)


def _action(state: State) -> str:
    """Reads what a foreign key does when its parent row changes."""
    kind = state.kinds[state.index]
    if kind == k.SET:
        state.index += 1
        if state.kinds[state.index] not in (k.NULL, k.DEFAULT):
            raise syntax_error(state, state.index)
        state.index += 1
        return "SET " + state.words[state.index - 1].upper()
    if kind == k.NO:
        state.index += 1
        expect(state, k.ACTION)
        return "NO ACTION"
    if kind not in _ACTIONS:
        raise syntax_error(state, state.index)
    state.index += 1
    return _ACTIONS[kind]


def deferral(state: State) -> bool:
    """Reads [NOT] DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]; tells whether checks wait for the commit."""
    is_negated = accept(state, k.NOT)
    expect(state, k.DEFERRABLE)
    is_deferred = False
    if accept(state, k.INITIALLY):
        if state.kinds[state.index] not in (k.DEFERRED, k.IMMEDIATE):
            raise syntax_error(state, state.index)
        is_deferred = state.kinds[state.index] == k.DEFERRED
        state.index += 1
    return is_deferred and not is_negated


def _deferrable(key: ForeignKey, is_deferred: bool) -> ForeignKey:
    return ForeignKey(key.name, key.columns, key.parent, key.parent_columns, key.on_delete, key.on_update, is_deferred)


def table_constraints(state: State) -> list[Constraint]:
    """Reads the constraints at the end of a table's definition; commas between them are optional."""
    constraints: list[Constraint] = []
    constraint_name: str | None = None
    while True:
        kind = state.kinds[state.index]
        if kind == k.CONSTRAINT:
            state.index += 1
            constraint_name = name(state)
        elif kind in (k.PRIMARY, k.UNIQUE, k.CHECK, k.FOREIGN):
            constraints.append(_table_constraint(state, kind, constraint_name))
        else:
            raise syntax_error(state, state.index)
        if accept(state, k.COMMA):
            constraint_name = None
        elif state.kinds[state.index] not in _TABLE_CONSTRAINT_STARTS:
            return constraints


def _table_constraint(state: State, kind: int, constraint_name: str | None) -> Constraint:
    if kind == k.CHECK:
        check = _check(state, constraint_name)
        return Check(constraint_name, check.expression, check.text, on_conflict(state))
    state.index += 1
    if kind == k.FOREIGN:
        expect(state, k.KEY)
        if state.kinds[state.index] != k.LP:
            raise syntax_error(state, state.index)
        key = _references(state, constraint_name, index_names(state))
        kind = state.kinds[state.index]
        if kind == k.DEFERRABLE or kind == k.NOT:
            key = _deferrable(key, deferral(state))
        return key
    if kind == k.PRIMARY:
        expect(state, k.KEY)
    expect(state, k.LP)
    columns = ordering_terms(state)
    is_autoincrement = kind == k.PRIMARY and accept(state, k.AUTOINCREMENT)
    expect(state, k.RP)
    conflict = on_conflict(state)
    if kind == k.PRIMARY:
        return PrimaryKey(constraint_name, columns, False, is_autoincrement, conflict)
    return Unique(constraint_name, columns, conflict)


def table_check(state: State) -> Check:
    """Reads [CONSTRAINT name] CHECK (expression) [ON CONFLICT action], as ALTER TABLE ADD takes it."""
    constraint_name = name(state) if accept(state, k.CONSTRAINT) else None
    check = _check(state, constraint_name)
    return Check(constraint_name, check.expression, check.text, on_conflict(state))
