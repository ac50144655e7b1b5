"""What ALTER TABLE has to know of views and triggers: which names in them mean a column, and whether they still make sense.

The object is compiled once more for nobody, and every name that resolves to the column is noted with its place in the text.

Source: https://www.sqlite.org/lang_altertable.html section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import ast
from minisql.planner.binding import bind_select, bind_view
from minisql.planner.compiler import Compiler
from minisql.planner.query_blocks import NO_PLAN
from minisql.planner.references import walk
from minisql.planner.schema_rows import TEMP, loaded_schema
from minisql.planner.scope import Scope
from minisql.planner.stored_texts import SchemaObject, schema_objects
from minisql.planner.triggers import TriggerContext, compile_program
from minisql.planner.view_targets import view_as_table
from minisql.planner.walking import CHILDREN

if TYPE_CHECKING:
    from minisql.catalog.rename import StoredText
    from minisql.catalog.schema import Table
    from minisql.planner.query_blocks import BoundSelect
    from minisql.planner.scope import Source


class RecordingCompiler(Compiler):
    """A compiler that notes which Column nodes mean column `position` of `table`: their ids in `found`.

    `strings` are the ids of names in double quotes that mean no column anywhere, `named` of those that do.
    """

    __slots__ = ("failures", "found", "named", "position", "strings", "table")

    is_renaming = True
    failures: list[Error]
    table: Table
    position: int
    found: set[int]
    strings: set[int]
    named: set[int]

    def spawn(self) -> RecordingCompiler:
        """The compiler of a sub-program notes into the same set."""
        inner = RecordingCompiler(self.context, None)
        inner.authorized = None
        inner.table = self.table
        inner.position = self.position
        inner.found = self.found
        inner.failures = self.failures
        inner.strings = self.strings
        inner.named = self.named
        inner.ignores_triggers = True
        inner.uses_fast_path = False
        return inner

    def resolve(self, node: ast.Column, scope: Scope) -> tuple[Source, int] | None:
        """Resolves as usual and notes, also that it failed."""
        try:
            result = super().resolve(node, scope)
        except Error as error:
            self.failures.append(error)
            raise
        if node.is_double_quoted:
            (self.strings if result is None else self.named).add(id(node))
        if result is not None and result[0].table is self.table and result[1] == self.position:
            self.found.add(id(node))
        return result


def compile_object(
    compiler: Compiler, database: int, item: SchemaObject, text: StoredText, table: Table, position: int
) -> set[int]:
    """Compiles a view or trigger; returns the ids of the nodes that mean the column."""
    return _record(compiler, database, item, text, table, position).found


def quoted_strings(compiler: Compiler, database: int, item: SchemaObject, text: StoredText, table: Table) -> set[int]:
    """Compiles a view or trigger; returns the ids of the names in double quotes that are strings."""
    recorder = _record(compiler, database, item, text, table, -1)
    return recorder.strings - recorder.named


def _record(
    compiler: Compiler, database: int, item: SchemaObject, text: StoredText, table: Table, position: int
) -> RecordingCompiler:
    recorder = RecordingCompiler(compiler.context, None)
    recorder.authorized = None
    recorder.table = table
    recorder.position = position
    recorder.found = set()
    recorder.failures = []
    recorder.strings = set()
    recorder.named = set()
    recorder.ignores_triggers = True
    recorder.may_collate = True
    recorder.uses_fast_path = False
    statement = text.parsed.statement
    schema = loaded_schema(compiler.context.catalog, database)
    home = None if database == TEMP else schema.name
    _compile_views(compiler, statement, home)
    if isinstance(statement, ast.CreateView):
        recorder.home = home
        bound = bind_select(recorder, statement.select, None)
        _emit(recorder, bound)
    elif isinstance(statement, ast.CreateTrigger):
        watched = compiler.context.catalog.find_table(item.table_name, statement.table.schema or home)
        if watched is not None:
            if watched.view is not None:
                watched = view_as_table(recorder, watched)
            has_rows = (statement.event != "INSERT", statement.event != "DELETE")
            for number, step in enumerate(statement.steps):
                context = TriggerContext(Scope([]), 0, home)
                key = ("altered", item.name, number)
                try:
                    compile_program(recorder, key, watched, has_rows, statement.when, [step], context)
                except Error as error:
                    # Only names in expressions, in USING and of tables count here, not what else may be wrong with a step.
                    if error in recorder.failures or str(error).startswith(("no such table", "cannot join using column")):
                        raise
    _note_repeated(statement, recorder.found)
    return recorder


def _compile_views(compiler: Compiler, statement: ast.Statement, home: str | None) -> None:
    """The views that a view or trigger reads have to be right in every respect, not only in their names."""
    for node in walk(statement):
        if isinstance(node, ast.TableSource):
            found = compiler.context.catalog.find_table(node.name, node.schema or home)
            if found is not None and found.view is not None:
                strict = Compiler(compiler.context, None)
                strict.authorized = None
                _emit(strict, bind_view(strict, found))


def _emit(compiler: Compiler, bound: BoundSelect) -> None:
    """Makes code for nobody, as far as INDEXED BY lets it: SQLite looks at names only and plans nothing."""
    try:
        compiler.emit_bound_select(bound, lambda registers, done: None)
    except Error as error:
        if str(error) != NO_PLAN:
            raise


def _note_repeated(statement: ast.Statement, found: set[int]) -> None:
    """What is written like a result or a GROUP BY key is not looked up again: its names mean what they mean there."""
    for node in walk(statement):
        if node.__class__ is not ast.Select:
            continue
        cores = [core for core in node.cores if core.__class__ is ast.Core]
        aliases = {
            column.alias.lower()
            for core in cores
            for column in core.columns
            if column.__class__ is ast.ResultColumn and column.alias is not None
        }
        parts = [part for core in cores for part in (core.columns, core.group_by, core.having, core.windows)]
        columns = [part for part in _own_nodes([*parts, node.order_by]) if part.__class__ is ast.Column]
        known = {_written(column) for column in columns if id(column) in found}
        found.update(id(column) for column in columns if _written(column) in known and column.name.lower() not in aliases)


def _written(column: ast.Column) -> tuple[str | None, str]:
    return None if column.table is None else column.table.lower(), column.name.lower()


def _own_nodes(root: object) -> Iterator[Any]:
    """The nodes below `root` without those of subqueries."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        if node.__class__ is not ast.Select:
            pending.extend(CHILDREN[node.__class__](node))


def affected_objects(compiler: Compiler, table: Table) -> Iterator[tuple[int, SchemaObject]]:
    """All objects that may mention the table: those of its database, and TEMP views and triggers."""
    catalog = compiler.context.catalog
    for item in schema_objects(loaded_schema(catalog, table.schema_index)):
        yield table.schema_index, item
    if table.schema_index != TEMP:
        for item in schema_objects(loaded_schema(catalog, TEMP)):
            if item.kind in ("view", "trigger"):
                yield TEMP, item


def verify_objects(compiler: Compiler, table: Table, when: str) -> None:
    """Every view and trigger must compile; `when` completes the error (" after drop column")."""
    for database, item in affected_objects(compiler, table):
        if item.kind in ("view", "trigger"):
            try:
                compile_object(compiler, database, item, item.text(), table, -1)
            except Error as error:
                raise sqlite_error(ERROR, f"error in {item.kind} {item.name}{when}: {error}") from error
