"""CREATE, DROP and ALTER TABLE: the statements that define the schema.

CREATE nodes carry the text that SQLite keeps in sqlite_schema: "CREATE <what> " and the source from the object's name to the
last token.

Source: https://www.sqlite.org/lang_createtable.html, lang_createindex.html, lang_createview.html, lang_createtrigger.html,
lang_createvtab.html, lang_altertable.html.
"""

from __future__ import annotations

from minisql.parser import tokens as k
from minisql.parser.ast import (
    AddColumn,
    AddConstraint,
    ColumnDefinition,
    CreateIndex,
    CreateTable,
    CreateTrigger,
    CreateView,
    CreateVirtualTable,
    Drop,
    DropColumn,
    DropConstraint,
    DropNotNull,
    RenameColumn,
    RenameTable,
    SetNotNull,
    Statement,
    TableSource,
)
from minisql.parser.changes import delete, insert, update
from minisql.parser.constraints import column_constraints, column_type, on_conflict, table_check, table_constraints
from minisql.parser.expression import expression
from minisql.parser.select import index_names, ordering_terms, select
from minisql.parser.state import (
    State,
    accept,
    error,
    expect,
    name,
    name_list,
    qualified_name,
    syntax_error,
)
from minisql.parser.tokenizer import is_grouped


def create(state: State) -> Statement:
    """Reads CREATE ..."""
    state.index += 1
    kinds = state.kinds
    kind = kinds[state.index]
    is_temporary = kind == k.TEMP or kind == k.TEMPORARY
    if is_temporary:
        state.index += 1
        kind = kinds[state.index]
    if kind == k.TABLE:
        return _create_table(state, is_temporary)
    if kind == k.VIEW:
        return _create_view(state, is_temporary)
    if kind == k.TRIGGER:
        return _create_trigger(state, is_temporary)
    if kind == k.INDEX and not is_temporary:
        return _create_index(state, False)
    if kind == k.UNIQUE and not is_temporary:
        state.index += 1
        if kinds[state.index] != k.INDEX:
            raise syntax_error(state, state.index)
        return _create_index(state, True)
    if kind == k.VIRTUAL and not is_temporary:
        return _create_virtual_table(state)
    raise syntax_error(state, state.index)


def _new_object(state: State) -> tuple[bool, str | None, str, int, int]:
    """Reads the object keyword, IF NOT EXISTS and the name.

    Returns (if not exists, schema, name, position of the whole name, position of its last part).
    """
    state.index += 1
    if_not_exists = accept(state, k.IF)
    if if_not_exists:
        expect(state, k.NOT)
        expect(state, k.EXISTS)
    position = state.index
    schema, object_name = qualified_name(state)
    return if_not_exists, schema, object_name, position, state.index - 1


def _create_table(state: State, is_temporary: bool) -> CreateTable:
    if_not_exists, schema, table, position, first = _new_object(state)
    if is_temporary and schema is not None:
        raise error("temporary table name must be unqualified")
    if accept(state, k.AS):
        query = select(state)
        text = "CREATE TABLE " + state.source.exact_text(first, state.index)
        return CreateTable(table, schema, [], [], query, is_temporary, if_not_exists, False, False, text, position)
    expect(state, k.LP)
    columns = [_column_definition(state)]
    constraints = []
    while accept(state, k.COMMA):
        if state.kinds[state.index] in (k.CONSTRAINT, k.PRIMARY, k.UNIQUE, k.CHECK, k.FOREIGN):
            constraints = table_constraints(state)
            break
        columns.append(_column_definition(state))
    expect(state, k.RP)
    is_strict, is_without_rowid = _table_options(state)
    text = "CREATE TABLE " + state.source.exact_text(first, state.index)
    return CreateTable(
        table,
        schema,
        columns,
        constraints,
        None,
        is_temporary,
        if_not_exists,
        is_strict,
        is_without_rowid,
        text,
        position,
    )


def _column_definition(state: State) -> ColumnDefinition:
    position = state.index
    column = name(state)
    first = state.index
    type_name = column_type(state)
    is_typed = type_name != "" or (state.index > first and state.words[first][:1] in ("'", '"', "`", "["))
    return ColumnDefinition(column, type_name, is_typed, column_constraints(state, column), position)


def _table_options(state: State) -> tuple[bool, bool]:
    """Reads STRICT and WITHOUT ROWID; returns (is strict, is without rowid)."""
    is_strict = is_without_rowid = False
    if state.kinds[state.index] > k.STRING and not accept(state, k.COMMA):
        return False, False
    while True:
        expected = "rowid" if accept(state, k.WITHOUT) else "strict"
        option = state.index
        is_known = name(state).lower() == expected
        has_more = accept(state, k.COMMA)
        if not is_known:
            if not has_more and state.kinds[state.index] not in (k.SEMI, k.END_OF_INPUT):
                raise syntax_error(state, state.index)
            raise error(f"unknown table option: {state.words[option]}")
        if expected == "rowid":
            is_without_rowid = True
        else:
            is_strict = True
        if not has_more:
            return is_strict, is_without_rowid


def _create_view(state: State, is_temporary: bool) -> CreateView:
    if_not_exists, schema, view, position, first = _new_object(state)
    columns = index_names(state) if state.kinds[state.index] == k.LP else None
    expect(state, k.AS)
    query = select(state)
    text = "CREATE VIEW " + state.source.text(first, state.index)
    return CreateView(view, schema, columns, query, is_temporary, if_not_exists, text, position)


def _create_index(state: State, is_unique: bool) -> CreateIndex:
    if_not_exists, schema, index, position, first = _new_object(state)
    expect(state, k.ON)
    table = name(state)
    expect(state, k.LP)
    columns = ordering_terms(state)
    expect(state, k.RP)
    where = expression(state) if accept(state, k.WHERE) else None
    what = "CREATE UNIQUE INDEX " if is_unique else "CREATE INDEX "
    text = what + state.source.raw_text(first, state.index)
    return CreateIndex(index, schema, table, columns, where, is_unique, if_not_exists, text, position)


def _create_trigger(state: State, is_temporary: bool) -> CreateTrigger:
    if_not_exists, schema, trigger, position, first = _new_object(state)
    time = _trigger_time(state)
    kind = state.kinds[state.index]
    if kind not in (k.INSERT, k.UPDATE, k.DELETE):
        raise syntax_error(state, state.index)
    event = state.words[state.index].upper()
    state.index += 1
    update_columns = name_list(state) if kind == k.UPDATE and accept(state, k.OF) else None
    expect(state, k.ON)
    table_position = state.index
    table_schema, table = qualified_name(state)
    target = TableSource(table, table_schema, None, None, False, table_position, None)
    if accept(state, k.FOR):
        expect(state, k.EACH)
        expect(state, k.ROW)
    when = expression(state) if accept(state, k.WHEN) else None
    if is_temporary and schema is not None:
        raise error("temporary trigger may not have qualified name")
    expect(state, k.BEGIN)
    steps = _trigger_steps(state)
    text = "CREATE TRIGGER " + state.source.exact_text(first, state.index)
    return CreateTrigger(
        trigger,
        schema,
        time,
        event,
        update_columns,
        target,
        when,
        steps,
        is_temporary,
        if_not_exists,
        text,
        position,
    )


def _trigger_time(state: State) -> str:
    if accept(state, k.AFTER):
        return "AFTER"
    if accept(state, k.INSTEAD):
        expect(state, k.OF)
        return "INSTEAD OF"
    accept(state, k.BEFORE)
    return "BEFORE"


def _trigger_steps(state: State) -> list[Statement]:
    """Reads the statements between BEGIN and END; each ends with a semicolon, behind which more tokens are fetched."""
    state.is_trigger = True
    kinds = state.kinds
    steps: list[Statement] = []
    while not steps or kinds[state.index] != k.END:
        kind = kinds[state.index]
        step: Statement
        if kind == k.UPDATE:
            step = update(state, None)
        elif kind == k.DELETE:
            step = delete(state, None)
        elif kind == k.INSERT or kind == k.REPLACE:
            step = insert(state, None)
            if step.returning is not None:
                raise error("cannot use RETURNING in a trigger")
        else:
            step = select(state)
        steps.append(step)
        expect(state, k.SEMI)
        if kinds[state.index] == k.END_OF_INPUT:
            state.extend()
    state.index += 1
    state.is_trigger = False
    return steps


def _create_virtual_table(state: State) -> CreateVirtualTable:
    state.index += 1
    if state.kinds[state.index] != k.TABLE:
        raise syntax_error(state, state.index)
    if_not_exists, schema, table, position, first = _new_object(state)
    expect(state, k.USING)
    module = name(state)
    arguments: list[str] = []
    if state.kinds[state.index] == k.LP:
        arguments = _module_arguments(state)
    text = "CREATE VIRTUAL TABLE " + state.source.exact_text(first, state.index)
    return CreateVirtualTable(table, schema, module, arguments, if_not_exists, text, position)


def _module_arguments(state: State) -> list[str]:
    """Reads the raw arguments of a module: any tokens, even semicolons, split at commas outside parentheses; none are empty."""
    state.index += 1
    arguments: list[str] = []
    first = state.index
    depth = 0
    while True:
        kind = state.kinds[state.index]
        if kind == k.END_OF_INPUT or (kind == k.ILLEGAL and not is_grouped(state.words[state.index])):
            raise syntax_error(state, state.index)
        if kind == k.SEMI and state.kinds[state.index + 1] == k.END_OF_INPUT:
            state.extend()
        if depth == 0 and (kind == k.COMMA or kind == k.RP):
            if state.index > first:
                arguments.append(state.source.exact_text(first, state.index))
            first = state.index + 1
            if kind == k.RP:
                state.index = first
                return arguments
        elif kind == k.LP:
            depth += 1
        elif kind == k.RP:
            depth -= 1
        state.index += 1


def drop(state: State) -> Drop:
    """Reads DROP TABLE, VIEW, INDEX or TRIGGER."""
    state.index += 1
    if state.kinds[state.index] not in (k.TABLE, k.VIEW, k.INDEX, k.TRIGGER):
        raise syntax_error(state, state.index)
    object_type = state.words[state.index].upper()
    state.index += 1
    if_exists = accept(state, k.IF)
    if if_exists:
        expect(state, k.EXISTS)
    position = state.index
    schema, object_name = qualified_name(state)
    return Drop(object_type, object_name, schema, if_exists, position)


def alter_table(state: State) -> Statement:
    """Reads ALTER TABLE in all its forms."""
    state.index += 1
    expect(state, k.TABLE)
    position = state.index
    schema, table = qualified_name(state)
    kind = state.kinds[state.index]
    state.index += 1
    if kind == k.RENAME:
        return _rename(state, table, schema, position)
    if kind == k.ADD:
        return _add(state, table, schema, position)
    if kind == k.DROP:
        if accept(state, k.CONSTRAINT):
            return DropConstraint(table, schema, name(state), position)
        accept(state, k.COLUMN)
        at = state.index
        return DropColumn(table, schema, name(state), position, at)
    if kind == k.ALTER:
        return _alter_column(state, table, schema, position)
    raise syntax_error(state, state.index - 1)


def _rename(state: State, table: str, schema: str | None, position: int) -> Statement:
    if accept(state, k.TO):
        return RenameTable(table, schema, name(state), position)
    accept(state, k.COLUMN)
    at = state.index
    column = name(state)
    expect(state, k.TO)
    is_quoted = state.kinds[state.index] in (k.QUOTED_ID, k.STRING)
    return RenameColumn(table, schema, column, name(state), position, is_quoted, at)


def _add(state: State, table: str, schema: str | None, position: int) -> Statement:
    first = state.index
    kind = state.kinds[first]
    if kind == k.CONSTRAINT or kind == k.CHECK:
        constraint = table_check(state)
        return AddConstraint(table, schema, constraint, state.source.exact_text(first, state.index), position)
    accept(state, k.COLUMN)
    first = state.index
    column = _column_definition(state)
    return AddColumn(table, schema, column, state.source.text(first, state.index), position)


def _alter_column(state: State, table: str, schema: str | None, position: int) -> Statement:
    accept(state, k.COLUMN)
    column = name(state)
    if accept(state, k.DROP):
        expect(state, k.NOT)
        expect(state, k.NULL)
        return DropNotNull(table, schema, column, position)
    expect(state, k.SET)
    first = state.index
    expect(state, k.NOT)
    expect(state, k.NULL)
    conflict = on_conflict(state)
    return SetNotNull(table, schema, column, conflict, state.source.exact_text(first, state.index), position)
