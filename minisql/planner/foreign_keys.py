"""Foreign keys: counters of violations, and actions as trigger programs.

A statement counts: a child row without parent adds one to the counter of its key (immediate or deferred), a parent row that
goes away adds one for every child row it leaves behind, and the opposite changes subtract.  The immediate counter must be
zero when the statement ends, the deferred one when the transaction does.  Actions run after the row has changed; the rows
they change take their own violations back.

The counting of a parent's children is a sub-program too: in a frame of its own nothing is remembered from the row before.

Source: https://www.sqlite.org/foreignkeys.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.errors import CONSTRAINT_FOREIGNKEY, ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.authorization import allows_reading
from minisql.planner.layout import allocate_row, table_layout
from minisql.planner.rows import row_source
from minisql.planner.scope import Scope
from minisql.planner.triggers import TriggerContext, compile_program, finish_sub_program, schema_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from minisql.bytecode.program import Program
    from minisql.catalog.schema import ForeignKey, Index, Table
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import RowRegisters

IMMEDIATE, DEFERRED = 0, 1
_MESSAGE = "FOREIGN KEY constraint failed"
# No table can have this name, so child columns are never confused with the parent row's.
_PARENT_ROW = "\0parent"


class Reference:
    """One foreign key: the `key`, its `number` in the `child` table, and the `parent` table (None: there is no such table).

    `parent_positions` (the parent's key columns, in the order of the key) and the unique `index` that has them (None: the
    rowid) are filled by `locate`, when something is first asked of the parent.
    """

    __slots__ = ("child", "index", "is_located", "key", "number", "parent", "parent_positions")

    def __init__(self, key: ForeignKey, number: int, child: Table, parent: Table | None) -> None:
        self.key = key
        self.number = number
        self.child = child
        self.parent = parent
        self.parent_positions: tuple[int, ...] = ()
        self.index: Index | None = None
        self.is_located = False


class ForeignKeyUse:
    """The foreign keys that changes of a table concern: those it has (`own`) and those that point to it (`incoming`).

    `is_drop` marks the implicit DELETE of DROP TABLE, which forgives keys without a proper parent.  `is_single` marks an
    INSERT of one row outside of triggers: it fails at once, and cannot leave or find children behind.
    """

    __slots__ = ("incoming", "is_drop", "is_single", "own")

    def __init__(self, own: list[Reference], incoming: list[Reference], is_drop: bool) -> None:
        self.own = own
        self.incoming = incoming
        self.is_drop = is_drop
        self.is_single = False

    @property
    def is_recursive(self) -> bool:
        """Whether the table refers to itself."""
        return any(reference.parent is reference.child for reference in self.own)


def foreign_key_use(compiler: Compiler, table: Table, is_drop: bool = False) -> ForeignKeyUse | None:
    """What foreign keys ask of changes to the table; None when there is nothing or they are not enforced."""
    if not compiler.context.flags.get("foreign_keys") or compiler.ignores_triggers:
        return None
    schema = compiler.context.catalog.schemas[table.schema_index]
    assert schema is not None, "a loaded table's schema exists"
    own = [
        Reference(key, number, table, schema.tables.get(key.parent_table.lower()))
        for number, key in enumerate(table.foreign_keys)
    ]
    lowered = table.name.lower()
    # SQLite walks them newest first.
    incoming = [
        Reference(key, number, child, table)
        for child in reversed(schema.tables.values())
        for number, key in enumerate(child.foreign_keys)
        if key.parent_table.lower() == lowered
    ]
    if not own and not incoming:
        return None
    compiler.needs_statement_journal = True
    return ForeignKeyUse(own, incoming, is_drop)


def locate(compiler: Compiler, use: ForeignKeyUse, reference: Reference) -> bool:
    """Finds the parent key: the INTEGER PRIMARY KEY, the primary key, or a unique index over just these columns.

    Raises `no such table` and `foreign key mismatch`; DROP TABLE gets False instead.
    """
    if reference.is_located:
        return True
    parent = reference.parent
    key = reference.key
    child = reference.child
    if parent is None:
        if use.is_drop:
            return False
        raise sqlite_error(ERROR, f"no such table: {child.schema_name}.{key.parent_table}")
    names = [name.lower() for name in key.parent_columns]
    columns = parent.columns
    reference.is_located = True
    if len(key.columns) == 1 and parent.rowid_alias >= 0:
        alias = parent.rowid_alias
        if not names or names[0] == columns[alias].name.lower():
            reference.parent_positions = (alias,)
            return True
    for index in parent.indexes:
        positions = _key_positions(parent, index, names, len(key.columns))
        if positions is not None:
            reference.parent_positions = positions
            reference.index = index
            return True
    reference.is_located = False
    if use.is_drop:
        return False
    raise sqlite_error(ERROR, f'foreign key mismatch - "{child.name}" referencing "{key.parent_table}"')


def _key_positions(parent: Table, index: Index, names: list[str], n_columns: int) -> tuple[int, ...] | None:
    """The parent columns in the order of `names` (or of the primary key) if the index may serve as the parent key."""
    if not index.is_unique or index.where is not None or len(index.columns) != n_columns:
        return None
    if any(column.position < 0 for column in index.columns):
        return None
    columns = parent.columns
    if not names:
        return tuple(column.position for column in index.columns) if index.origin == "pk" else None
    of_index = {columns[column.position].name.lower(): column for column in index.columns}
    if set(of_index) != set(names):
        return None
    if any(c.collation_name.upper() != columns[c.position].collation.upper() for c in index.columns):
        return None
    return tuple(of_index[name].position for name in names)


def _parent_key_changes(reference: Reference, changed: Collection[int] | None) -> bool:
    """Tells whether an UPDATE of the columns in `changed` may change the parent key that the reference names."""
    if changed is None:
        return True
    parent = reference.parent
    assert parent is not None, "the table under change is the parent"
    names = reference.key.parent_columns
    if not names:
        return any(parent.columns[position].primary_key_position for position in changed)
    lowered = [name.lower() for name in names]
    return any(parent.columns[position].name.lower() in lowered for position in changed)


def _is_deferred(compiler: Compiler, key: ForeignKey) -> int:
    return DEFERRED if key.is_deferred or compiler.context.flags.get("defer_foreign_keys") else IMMEDIATE


def emit_foreign_key_check(
    compiler: Compiler,
    use: ForeignKeyUse | None,
    table: Table,
    old: RowRegisters | None,
    new: RowRegisters | None,
    changed: Collection[int] | None,
) -> None:
    """Counts what the disappearance of `old` and the appearance of `new` do, as child and as parent.

    Called with `old` before the row goes and with `new` before it comes; `changed` limits an UPDATE.
    """
    if use is None:
        return
    for reference in use.own:
        if changed is not None and not _child_changes(reference, changed):
            continue
        if not locate(compiler, use, reference):
            continue
        parent = reference.parent
        assert parent is not None, "the parent key has been located"
        if old is not None:
            allows_reading(compiler, parent, _parent_names(reference))
            _emit_parent_lookup(compiler, use, reference, old, -1)
        if new is not None:
            allows_reading(compiler, parent, _parent_names(reference))
            _emit_parent_lookup(compiler, use, reference, new, 1)
    for reference in use.incoming:
        if not _parent_key_changes(reference, changed):
            continue
        if use.is_single and _is_deferred(compiler, reference.key) == IMMEDIATE:
            continue
        if not locate(compiler, use, reference):
            continue
        child_names = [reference.child.columns[position].name for position in reference.key.columns]
        if new is not None:
            allows_reading(compiler, reference.child, child_names)
            _emit_count_children(compiler, reference, table, new, -1)
        if old is not None:
            allows_reading(compiler, reference.child, child_names)
            _emit_count_children(compiler, reference, table, old, 1)


def _parent_names(reference: Reference) -> list[str]:
    """The columns of the parent key, by which the child's are looked up."""
    parent = reference.parent
    assert parent is not None, "the parent key has been located"
    names = reference.key.parent_columns
    return list(names) if names else [column.name for column in parent.columns if column.primary_key_position]


def limit_to_update(compiler: Compiler, use: ForeignKeyUse | None, changed: Collection[int]) -> ForeignKeyUse | None:
    """What an UPDATE of the columns in `changed` leaves of the foreign keys: None if it touches none of them."""
    if use is None:
        return None
    touches_own = any(_child_changes(reference, changed) for reference in use.own)
    if not touches_own and not any(_parent_key_changes(reference, changed) for reference in use.incoming):
        return None
    check_parent_keys(compiler, use, "UPDATE", changed)
    return use


def check_parent_keys(
    compiler: Compiler, use: ForeignKeyUse | None, event: str, changed: Collection[int] | None = None
) -> None:
    """Before rows are updated or deleted, every key that has to do with the table must find its parent key.

    SQLite looks for parent keys several times and reports the last one that it misses: first all keys that point to the table,
    then those whose counters change (up to the first miss), then those with an action.
    """
    if use is None or use.is_drop:
        return
    missing = [reference for reference in use.incoming if not _has_parent_key(compiler, use, reference)]
    for reference in use.own:
        if (changed is None or _child_changes(reference, changed)) and not _has_parent_key(compiler, use, reference):
            missing.append(reference)
            break
    else:
        missing += [
            reference
            for reference in use.incoming
            if _parent_key_changes(reference, changed) and not _has_parent_key(compiler, use, reference)
        ][:1]
    for reference in use.incoming:
        action = reference.key.on_delete if event == "DELETE" else reference.key.on_update
        if action != "NO ACTION" and _parent_key_changes(reference, changed):
            if not _has_parent_key(compiler, use, reference):
                missing.append(reference)
    if missing:
        locate(compiler, use, missing[-1])


def check_insert_keys(compiler: Compiler, use: ForeignKeyUse) -> None:
    """Before rows are inserted, the keys that will be counted must find their parent key."""
    for reference in use.own:
        locate(compiler, use, reference)
    for reference in use.incoming:
        if not use.is_single or _is_deferred(compiler, reference.key) == DEFERRED:
            locate(compiler, use, reference)


def _has_parent_key(compiler: Compiler, use: ForeignKeyUse, reference: Reference) -> bool:
    is_drop = use.is_drop
    use.is_drop = True
    try:
        return locate(compiler, use, reference)
    finally:
        use.is_drop = is_drop


def _child_changes(reference: Reference, changed: Collection[int]) -> bool:
    if any(position in changed for position in reference.key.columns):
        return True
    # A row that may be its own parent.
    return reference.parent is reference.child and _parent_key_changes(reference, changed)


def _emit_parent_lookup(
    compiler: Compiler, use: ForeignKeyUse, reference: Reference, row: RowRegisters, step: int
) -> None:
    """Adds `step` to the counter if the row is a child without parent."""
    emit = compiler.emit
    key = reference.key
    counter = _is_deferred(compiler, key)
    done = compiler.label()
    missing = compiler.label()
    registers = [row.column(position) for position in key.columns]
    if step < 0:
        emit(op.FkIfZero, counter, done)
    for register in registers:
        emit(op.IsNull, register, done)
    if step > 0 and reference.parent is reference.child:
        _emit_jump_if_own_parent(compiler, reference, row, registers, done)
    values = compiler.registers(len(registers))
    for offset, register in enumerate(registers):
        emit(op.SCopy, register, values + offset)
    parent = reference.parent
    assert parent is not None, "the parent key has been located"
    cursor = compiler.builder.cursor()
    index = reference.index
    if index is None:
        emit(op.MustBeInt, values, missing)
        emit(op.OpenRead, cursor, parent.root_page, parent.schema_index, parent.shape)
        emit(op.NotExists, cursor, missing, values)
    else:
        emit(op.Affinity, values, p4=tuple(parent.columns[position].affinity for position in reference.parent_positions))
        root = parent.root_page if index.is_clustered else index.root_page
        emit(op.OpenRead, cursor, root, parent.schema_index, index.shape)
        place = {position: values + offset for offset, position in enumerate(reference.parent_positions)}
        emit(op.NotFound, cursor, missing, 0, tuple(place[column.position] for column in index.columns))
    emit(op.Goto, 0, done)
    compiler.place(missing)
    if use.is_single and counter == IMMEDIATE:
        emit(op.Halt, CONSTRAINT_FOREIGNKEY, op.ON_CONFLICT_ABORT, p4=_MESSAGE)
    else:
        emit(op.FkCounter, counter, step)
    compiler.place(done)


def _emit_jump_if_own_parent(
    compiler: Compiler, reference: Reference, row: RowRegisters, registers: list[int], done: int
) -> None:
    """A row that refers to itself is its own parent, although it is not there yet."""
    other = compiler.label()
    for register, position in zip(registers, reference.parent_positions):
        compiler.emit(op.Ne, register, other, row.column(position), None, op.JUMP_IF_NULL)
    compiler.emit(op.Goto, 0, done)
    compiler.place(other)


def _emit_count_children(compiler: Compiler, reference: Reference, table: Table, row: RowRegisters, step: int) -> None:
    counter = _is_deferred(compiler, reference.key)
    skip = compiler.label()
    if step < 0:
        compiler.emit(op.FkIfZero, counter, skip)
    program = _counting_program(compiler, reference, table, step, counter)
    compiler.emit(op.Program, 0, skip, 0, (program, row.all_registers(), None))
    compiler.place(skip)


def _counting_program(compiler: Compiler, reference: Reference, table: Table, step: int, counter: int) -> Program:
    """Adds step x (number of child rows of the row handed over as OLD) to the counter."""
    child = reference.child
    key = ("count", child.schema_index, child.name.lower(), reference.number, step, counter)
    program = compiler.programs.get(key)
    if program is not None:
        return program
    inner = compiler.spawn()
    # What is announced is that the child's columns are read.
    inner.authorized = None
    inner.programs = compiler.programs
    inner.may_collate = True
    row = allocate_row(inner.builder, table_layout(table))
    n_arguments = len(inner.builder.template) - 1
    # Unlike OLD in a trigger, the row's values compare with the affinity of their columns.
    scope = Scope([row_source(table, row, _PARENT_ROW)])
    inner.trigger = TriggerContext(scope, 0, schema_name(compiler, table.schema_index))
    where = _children_condition(reference, _PARENT_ROW)
    if step > 0 and reference.parent is child:
        where.append(_not_the_row_itself(table))
    call = ast.FunctionCall("count", [], 0, True, False, None, None, None)
    core = ast.Core([ast.ResultColumn(call, None, 0, 0)], False, [_child_source(reference)], _all(where), None, None, None)
    count = inner.emit_expression(ast.ScalarSubquery(ast.Select([core], [], None, None, None, None)), scope)
    result = inner.register()
    inner.emit(op.Multiply, count, inner.constant(step), result)
    inner.emit(op.FkCounter, counter, result, p5=1)
    inner.emit(op.Halt)
    program = finish_sub_program(inner)
    program.n_arguments = n_arguments
    compiler.programs[key] = program
    compiler.databases_read |= inner.databases_read
    return program


def _child_source(reference: Reference) -> ast.TableSource:
    child = reference.child
    return ast.TableSource(child.name, child.schema_name, None, None, False, 0, None)


def _old(table: Table, position: int, name: str = "old") -> ast.Column:
    return ast.Column(table.columns[position].name, name, None, False, 0)


def _children_condition(reference: Reference, name: str = "old") -> list[ast.Expression]:
    """`old.parent_column = child_column`: the parent's affinity and collation decide, so it stands on the left."""
    child, parent_table = reference.child, reference.parent
    assert parent_table is not None, "the parent key has been located"
    return [
        ast.Binary("=", _old(parent_table, parent, name), ast.Column(child.columns[position].name, child.name, None, False, 0))
        for position, parent in zip(reference.key.columns, reference.parent_positions)
    ]


def _not_the_row_itself(table: Table) -> ast.Expression:
    if not table.is_without_rowid:
        own = ast.Column("rowid", _PARENT_ROW, None, False, 0)
        return ast.Binary("<>", own, ast.Column("rowid", table.name, None, False, 0))
    same: list[ast.Expression] = [
        ast.Binary("IS", _old(table, position, _PARENT_ROW), _old(table, position, table.name))
        for position in table.primary_key
    ]
    return ast.Unary("NOT", _all(same))


def _all(terms: list[ast.Expression]) -> ast.Expression:
    return terms[0] if len(terms) == 1 else ast.And(terms)


def emit_parent_actions(
    compiler: Compiler,
    use: ForeignKeyUse | None,
    table: Table,
    old: RowRegisters,
    new: RowRegisters | None,
    changed: Collection[int] | None,
) -> None:
    """Runs the ON DELETE or ON UPDATE actions of the keys that point to the row.  Runs behind the change.

    Source: https://www.sqlite.org/foreignkeys.html section 4.3.
    """
    if use is None:
        return
    arguments: tuple[int, ...] = ()
    for reference in use.incoming:
        action = reference.key.on_delete if new is None else reference.key.on_update
        if action == "NO ACTION":
            continue
        if action == "RESTRICT" and compiler.context.flags.get("defer_foreign_keys"):
            continue
        if not _parent_key_changes(reference, changed) or not locate(compiler, use, reference):
            continue
        arguments = arguments or old.all_registers() + (new.all_registers() if new is not None else ())
        child = reference.child
        event = "delete" if new is None else "update"
        program = compile_program(
            compiler,
            ("action", child.schema_index, child.name.lower(), reference.number, event),
            table,
            (True, new is not None),
            _key_has_changed(reference) if new is not None else None,
            [_action_step(reference, action, new is not None)],
            TriggerContext(Scope([]), op.ON_CONFLICT_ABORT, schema_name(compiler, table.schema_index)),
        )
        skip = compiler.label()
        compiler.emit(op.Program, 0, skip, 0, (program, arguments, None))
        compiler.place(skip)


def _key_has_changed(reference: Reference) -> ast.Expression:
    parent = reference.parent
    assert parent is not None, "the parent key has been located"
    same: list[ast.Expression] = [
        ast.Binary("IS", _old(parent, position), _old(parent, position, "new")) for position in reference.parent_positions
    ]
    return ast.Unary("NOT", _all(same))


def _action_step(reference: Reference, action: str, is_update: bool) -> ast.Statement:
    where = _all(_children_condition(reference))
    source = _child_source(reference)
    if action == "RESTRICT":
        refusal = ast.Raise("ABORT", ast.Literal(_MESSAGE), 0)
        core = ast.Core([ast.ResultColumn(refusal, None, 0, 0)], False, [source], where, None, None, None)
        return ast.Select([core], [], None, None, None, None)
    if action == "CASCADE" and not is_update:
        return ast.Delete(source, where, None, None, None, None, None)
    child = reference.child
    assignments = []
    for position, parent in zip(reference.key.columns, reference.parent_positions):
        column = child.columns[position]
        value: ast.Expression = ast.Literal(None)
        if action == "CASCADE":
            assert reference.parent is not None, "the parent key has been located"
            value = _old(reference.parent, parent, "new")
        elif action == "SET DEFAULT" and isinstance(column.default, ast.Expression):
            value = column.default
        assignments.append(ast.Assignment([column.name], False, value, 0))
    return ast.Update(source, assignments, [], where, None, None, None, None, None, None)
