"""Code for ALTER TABLE ... RENAME COLUMN and DROP COLUMN.

Source: https://www.sqlite.org/lang_altertable.html sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import build_index, build_table, build_view
from minisql.catalog.rename import (
    Edit,
    StoredText,
    apply_edits,
    child_column_edits,
    column_list_end,
    name_token,
    parent_column_edits,
    requoted,
)
from minisql.catalog.schema import Index, Table
from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import ast
from minisql.planner.alter_checks import affected_objects, compile_object, verify_objects
from minisql.planner.compiler import Compiler
from minisql.planner.ddl_alter import check_alterable, find_alterable, stored_text
from minisql.planner.definition_checks import check_index_expressions, check_table_expressions
from minisql.planner.identifiers import identifier_text, quoted_identifier
from minisql.planner.inner_statements import allows_alteration, allows_drop_column, announce_rename_column
from minisql.planner.layout import table_layout
from minisql.planner.quote_fixing import fixed_objects, refuse_missing_names
from minisql.planner.references import walk
from minisql.planner.schema_rows import TEMP, emit_schema_change, loaded_schema
from minisql.planner.stored_texts import Rewrite, SchemaObject, emit_rewrites
from minisql.planner.writes import begin_ddl

if TYPE_CHECKING:
    pass


def _column_position(compiler: Compiler, table: Table, name: str, at: int) -> int:
    position = table.column_positions.get(name.lower(), -1)
    if position < 0:
        raise sqlite_error(ERROR, f'no such column: "{name}"', compiler.offset(at))
    return position


# RENAME COLUMN


def emit_rename_column(compiler: Compiler, node: ast.RenameColumn) -> None:
    """ALTER TABLE ... RENAME COLUMN."""
    table = find_alterable(compiler, node.table, node.schema)
    check_alterable(compiler, table)
    if table.view is not None:
        raise sqlite_error(ERROR, f'cannot rename columns of view "{table.name}"')
    if table.module is not None:
        raise sqlite_error(ERROR, f'cannot rename columns of virtual table "{table.name}"')
    if not allows_alteration(compiler, table):
        return
    position = _column_position(compiler, table, node.column, node.column_at)
    announce_rename_column(compiler, table)
    begin_ddl(compiler, table.schema_index)
    is_quoted = node.is_new_name_quoted
    new_text = quoted_identifier(node.new_name) if is_quoted else identifier_text(node.new_name)
    rewrites: dict[int, list[Rewrite]] = {}
    for database, item, is_fixed in fixed_objects(compiler, table):
        sql = _renamed(compiler, database, item, table, position, new_text) or (item.sql if is_fixed else None)
        if sql is not None:
            if item.kind == "table" and item.name == table.name:
                _check_renamed(compiler, table, sql)
            rewrites.setdefault(database, []).append(Rewrite(item.kind, item.name, new_sql=sql))
    _verify_renamed(compiler, table, rewrites)
    for database, items in rewrites.items():
        begin_ddl(compiler, database)
        emit_rewrites(compiler, database, items)
        emit_schema_change(compiler, database, None)


def _check_renamed(compiler: Compiler, table: Table, sql: str) -> None:
    statement = stored_text(sql).parsed.statement
    assert isinstance(statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
    try:
        build_table(statement, table.schema_index, table.schema_name, compiler.context.find_collation)
    except Error as error:
        raise sqlite_error(ERROR, f"error in table {table.name} after rename: {error}") from error


def _verify_renamed(compiler: Compiler, table: Table, rewrites: dict[int, list[Rewrite]]) -> None:
    """Views and triggers must make sense under the new name, also those that know it through a view."""
    new_texts = {
        (database, item.kind, item.name): item.new_sql for database, items in rewrites.items() for item in items
    }
    catalog = compiler.context.catalog
    objects = [(database, item) for database, item in affected_objects(compiler, table) if item.kind in ("view", "trigger")]
    if not objects:
        return
    before = {database: dict(loaded_schema(catalog, database).tables) for database in {table.schema_index, TEMP}}
    altered = table
    try:
        for (database, kind, name), sql in new_texts.items():
            tables = loaded_schema(catalog, database).tables
            own = tables.get(name.lower())
            if sql is None or own is None or kind not in ("table", "view"):
                continue
            statement = stored_text(sql).parsed.statement
            if isinstance(statement, ast.CreateView):
                new = build_view(statement, database, own.schema_name, sql)
            else:
                assert isinstance(statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
                new = build_table(statement, database, own.schema_name, compiler.context.find_collation, own.root_page, sql)
                new.indexes += _created_indexes(compiler, own, new, new_texts)
            new.triggers = own.triggers
            tables[name.lower()] = new
            altered = new if own is table else altered
        for database, item in objects:
            sql = new_texts.get((database, item.kind, item.name)) or item.sql
            renamed = SchemaObject(item.kind, item.name, item.table_name, sql)
            try:
                compile_object(compiler, database, renamed, renamed.text(), altered, -1)
            except Error as error:
                raise sqlite_error(ERROR, f"error in {item.kind} {item.name} after rename: {error}") from error
    finally:
        for database, tables in before.items():
            loaded_schema(catalog, database).tables.update(tables)


def _created_indexes(
    compiler: Compiler, own: Table, new: Table, new_texts: dict[tuple[int, str, str], str | None]
) -> Iterator[Index]:
    """The indexes of CREATE INDEX under the new name: INDEXED BY in a view asks for them."""
    for index in own.indexes:
        if index.sql is not None:
            sql = new_texts.get((own.schema_index, "index", index.name)) or index.sql
            statement = stored_text(sql).parsed.statement
            assert isinstance(statement, ast.CreateIndex), "an index's SQL is CREATE INDEX"
            yield build_index(statement, new, compiler.context.find_collation, index.root_page, sql, True)


def _renamed(
    compiler: Compiler, database: int, item: SchemaObject, table: Table, position: int, new_text: str
) -> str | None:
    text = item.text()
    column = table.columns[position].name
    statement = text.parsed.statement
    edits: list[Edit] = []
    if isinstance(statement, ast.CreateTable):
        edits = parent_column_edits(text, table.name, column, new_text)
        if item.name == table.name:
            edits += _own_table_edits(text, statement, column, new_text)
    elif isinstance(statement, ast.CreateIndex):
        if item.table_name == table.name:
            edits = _named_columns(text, walk(statement), column, new_text)
    else:
        try:
            found = compile_object(compiler, database, item, text, table, position)
        except Error as error:
            if compiler.context.flags.get("legacy_alter_table"):
                raise sqlite_error(ERROR) from error
            raise sqlite_error(ERROR, f"error in {item.kind} {item.name}: {error}") from error
        nodes = list(walk(statement))
        for part in nodes:
            if isinstance(part, ast.Column) and id(part) in found:
                edits.append(_edit(text, name_token(part), new_text))
        edits += _list_edits(text, nodes, table, column, new_text)
        if isinstance(statement, ast.CreateTrigger) and item.table_name.lower() == table.name.lower():
            edits += _update_of_edits(text, column, new_text)
    return apply_edits(item.sql, edits) if edits else None


def _edit(text: StoredText, token: int, new_text: str) -> Edit:
    return text.edit(token, requoted(text, token, new_text))


def _own_table_edits(text: StoredText, statement: ast.CreateTable, column: str, new_text: str) -> list[Edit]:
    edits = child_column_edits(text, column, new_text)
    for definition in statement.columns:
        if definition.name.lower() == column.lower():
            edits.append(_edit(text, definition.position, new_text))
    return edits + _named_columns(text, walk(statement), column, new_text)


def _named_columns(text: StoredText, nodes: Iterable[object], column: str, new_text: str) -> list[Edit]:
    lowered = column.lower()
    return [
        _edit(text, name_token(node), new_text)
        for node in nodes
        if isinstance(node, ast.Column) and node.name.lower() == lowered
    ]


def _list_edits(text: StoredText, nodes: list[object], table: Table, column: str, new_text: str) -> list[Edit]:
    """Names in lists that hold no nodes: INSERT INTO t(...), SET, ON CONFLICT(...); not USING(...), which must stay."""
    lowered = column.lower()
    own = table.name.lower()
    edits: list[Edit] = []
    tokens: list[int] = []
    for node in nodes:
        if isinstance(node, ast.Insert) and node.target.name.lower() == own:
            behind = name_token(node.target) + 1
            if text.words[behind : behind + 1] == ["AS"] or text.words[behind].upper() == "AS":
                behind += 2
            if node.columns is not None and text.words[behind] == "(":
                tokens += text.tokens_between(behind)
            for upsert in node.upserts:
                edits += _named_columns(text, walk(upsert.target), column, new_text)
                tokens += _set_tokens(text, upsert.assignments or [])
        elif isinstance(node, ast.Update) and node.target.name.lower() == own:
            tokens += _set_tokens(text, node.assignments)
    return edits + [_edit(text, token, new_text) for token in tokens if text.names[token] == lowered]


def _set_tokens(text: StoredText, assignments: Iterable[ast.Assignment]) -> list[int]:
    tokens: list[int] = []
    for assignment in assignments:
        token = assignment.position
        if assignment.is_row:
            opening = token if text.words[token] == "(" else token - 1
            tokens += text.tokens_between(opening)
        else:
            tokens.append(token)
    return tokens


def _update_of_edits(text: StoredText, column: str, new_text: str) -> list[Edit]:
    words = [word.upper() for word in text.words]
    if "OF" not in words:
        return []
    start = words.index("OF") if words[words.index("OF") - 1] == "UPDATE" else len(words)
    edits = []
    for token in range(start + 1, len(words)):
        if words[token] == "ON":
            break
        if text.names[token] == column.lower():
            edits.append(_edit(text, token, new_text))
    return edits


# DROP COLUMN


def emit_drop_column(compiler: Compiler, node: ast.DropColumn) -> None:
    """ALTER TABLE ... DROP COLUMN."""
    table = find_alterable(compiler, node.table, node.schema)
    check_alterable(compiler, table)
    if table.view is not None:
        raise sqlite_error(ERROR, f'cannot drop column from view "{table.name}"')
    if table.module is not None:
        raise sqlite_error(ERROR, f'cannot drop column from virtual table "{table.name}"')
    position = _column_position(compiler, table, node.column, node.column_at)
    name = table.columns[position].name
    if table.columns[position].primary_key_position:
        raise sqlite_error(ERROR, f'cannot drop PRIMARY KEY column: "{node.column}"')
    statement = stored_text(table.sql).parsed.statement
    assert isinstance(statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
    if any(isinstance(constraint, ast.Unique) for constraint in statement.columns[position].constraints):
        raise sqlite_error(ERROR, f'cannot drop UNIQUE column: "{node.column}"')
    if len(table.columns) == 1:
        raise sqlite_error(ERROR, f'cannot drop column "{name}": no other columns exist')
    if not allows_drop_column(compiler, table, name):
        return
    begin_ddl(compiler, table.schema_index)
    verify_objects(compiler, table, "")
    rewrites: dict[int, list[Rewrite]] = {table.schema_index: []}
    new_sql = table.sql
    texts: dict[str, str] = {}
    for database, item, is_fixed in fixed_objects(compiler, table, " after drop column"):
        if item.kind == "table" and item.name == table.name:
            new_sql = item.sql
        elif is_fixed:
            rewrites.setdefault(database, []).append(Rewrite(item.kind, item.name, new_sql=item.sql))
            texts[item.name] = item.sql
    new_sql = _text_without(new_sql, position)
    altered = _without_column(compiler, table, new_sql)
    _verify_with(compiler, table, altered, texts)
    if table.columns[position].storage_position >= 0:
        _emit_rewrite_rows(compiler, table, altered, position)
    rewrites[table.schema_index].append(Rewrite("table", table.name, new_sql=new_sql))
    for database, items in rewrites.items():
        begin_ddl(compiler, database)
        emit_rewrites(compiler, database, items)
        emit_schema_change(compiler, database, None)


def _text_without(sql: str, position: int) -> str:
    text = stored_text(sql)
    statement = text.parsed.statement
    assert isinstance(statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
    definitions = statement.columns
    token = definitions[position].position
    start = text.spans[token][0]
    if position + 1 < len(definitions):
        end = text.spans[definitions[position + 1].position][0]
    else:
        end = column_list_end(text, len(definitions))
        start = text.spans[token - 1][0]
    return sql[:start] + sql[end:]


def _without_column(compiler: Compiler, table: Table, new_sql: str) -> Table:
    statement = stored_text(new_sql).parsed.statement
    assert isinstance(statement, ast.CreateTable), "a table's SQL is CREATE TABLE"
    find_collation = compiler.context.find_collation
    try:
        altered = build_table(
            statement, table.schema_index, table.schema_name, find_collation, table.root_page, new_sql
        )
        check_table_expressions(compiler, altered)
    except Error as error:
        raise sqlite_error(ERROR, f"error in table {table.name} after drop column: {error}") from error
    refuse_missing_names(stored_text(new_sql), altered, "table")
    return altered


def _verify_with(compiler: Compiler, table: Table, altered: Table, texts: dict[str, str]) -> None:
    """Everything that depends on the table must make sense without the column; `texts` are new ones by name."""
    for index in loaded_schema(compiler.context.catalog, table.schema_index).indexes.values():
        if index.sql is None or index.table is not table:
            continue
        statement = stored_text(texts.get(index.name, index.sql)).parsed.statement
        assert isinstance(statement, ast.CreateIndex), "an index's SQL is CREATE INDEX"
        for node in walk(statement.columns, statement.where):
            if isinstance(node, ast.Column) and node.is_double_quoted and node.name.lower() not in altered.column_positions:
                detail = f'no such column: "{node.name}" - should this be a string literal in single-quotes?'
                raise sqlite_error(ERROR, f"error in index {index.name} after drop column: {detail}")
        try:
            check_index_expressions(compiler, build_index(statement, altered, compiler.context.find_collation))
        except Error as error:
            raise sqlite_error(ERROR, f"error in index {index.name} after drop column: {error}") from error
    tables = loaded_schema(compiler.context.catalog, table.schema_index).tables
    key = table.name.lower()
    altered.triggers = table.triggers
    tables[key] = altered
    try:
        verify_objects(compiler, altered, " after drop column")
    finally:
        tables[key] = table


def _emit_rewrite_rows(compiler: Compiler, table: Table, altered: Table, position: int) -> None:
    """Takes the column out of every row: the rows are gathered, the tree emptied and filled again."""
    builder = compiler.builder
    emit = compiler.emit
    layout = table_layout(table)
    n_old = layout.n_stored
    gone = layout.offsets[position]
    row = builder.registers(n_old + 1)
    rowid = row + n_old
    source, rows, target = builder.cursor(), builder.cursor(), builder.cursor()
    database = table.schema_index
    kept = tuple(row + offset for offset in range(n_old) if offset != gone)
    emit(op.OpenRead, source, table.root_page, database, table.shape)
    emit(op.OpenList, rows, n_old)
    end = compiler.label()
    builder.begin_loop(op.Rewind, source, end, row, n_old)
    if not table.is_without_rowid:
        emit(op.Rowid, source, rowid)
    emit(op.ListAppend, rows, p4=(*kept, rowid))
    builder.end_loop(op.Next, 0, end)
    emit(op.Close, source)
    emit(op.Clear, table.root_page, database, 0)
    emit(op.OpenWrite, target, altered.root_page, database, altered.shape)
    end = compiler.label()
    builder.begin_loop(op.Rewind, rows, end, row, n_old)
    n_new = n_old - 1
    if table.is_without_rowid:
        emit(op.IdxInsert, target, p4=tuple(range(row, row + n_new)))
    else:
        emit(op.Insert, target, row, row + n_new, (n_new, None, database), op.APPEND)
    builder.end_loop(op.Next, 0, end)
