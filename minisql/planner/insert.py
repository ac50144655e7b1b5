"""Code for INSERT and REPLACE.

A row of constants is put into the template of the program with its affinities applied, so inserting it costs two
instructions.  Several rows, and those of a SELECT, are gathered in a list first and then walked: a SELECT may read the table
that it feeds, and a trigger may change what it reads.

Source: https://www.sqlite.org/lang_insert.html, https://www.sqlite.org/autoinc.html, https://www.sqlite.org/rowidtable.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.catalog.build import CONFLICT_ACTIONS, strip_collation
from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.announcing import announce_constant_rows, announce_expressions, announce_rows, announce_select
from minisql.planner.authorization import INSERT, allows
from minisql.planner.autoincrement import Sequence, begin_sequence, emit_note_rowid, end_sequence
from minisql.planner.constraints import Write, emit_early_type_checks, emit_row_checks
from minisql.planner.foreign_keys import check_insert_keys, emit_foreign_key_check
from minisql.planner.gathering import gather_whole_select, statement_scope
from minisql.planner.insert_row import emit_entries, emit_insert_row
from minisql.planner.json_arguments import columns_with_json
from minisql.planner.layout import RowRegisters, allocate_row, table_layout
from minisql.planner.optimizations import ROWS_AT_ONCE, is_left_out
from minisql.planner.required_names import require_names
from minisql.planner.returning import Returning, begin_returning, emit_returned_rows, emit_returning_row
from minisql.planner.row_hearing import emit_row_heard
from minisql.planner.rows import emit_generated_columns, emit_schema_expression, names_scope
from minisql.planner.scope import ROWID_NAMES, Scope
from minisql.planner.targets import Target, check_writable, find_target, open_target
from minisql.planner.triggers import STEP_EMITTERS, emit_triggers, has_time, triggers_of
from minisql.planner.upsert import begin_upserts, check_conflict_targets, constraints_of
from minisql.planner.view_targets import view_as_table
from minisql.planner.virtual_writes import begin_virtual_write, check_writable_module, emit_virtual_insert
from minisql.planner.whole_rows import insertion_spec
from minisql.planner.writes import statement_conflict
from minisql.values import affinity
from minisql.values.affinity import apply_affinity

if TYPE_CHECKING:
    from minisql.bytecode.program import RowsSpec
    from minisql.catalog.schema import Table, Trigger
    from minisql.planner.compiler import Compiler
    from minisql.planner.layout import TableLayout

ROWID = -1
NULL = ast.Literal(None)


class Insertion:
    """One INSERT under compilation.

    `fields[n]` is the table column (or ROWID) that the n-th value goes to; `values` maps those back.  `new` is the row's
    block.  `sequence` is the AUTOINCREMENT counter or None.
    """

    __slots__ = (
        "fields",
        "layout",
        "new",
        "node",
        "returning",
        "scope",
        "sequence",
        "table",
        "target",
        "triggers",
        "values",
    )

    def __init__(self, node: ast.Insert, table: Table, layout: TableLayout, new: RowRegisters) -> None:
        self.node = node
        self.table = table
        self.layout = layout
        self.new = new
        self.fields: tuple[int, ...] = ()
        self.values: dict[int, int] = {}
        self.scope: Scope | None = None
        self.target: Target | None = None
        self.triggers: list[Trigger] = []
        self.returning: Returning | None = None
        self.sequence: Sequence | None = None


def emit_insert(compiler: Compiler, node: ast.Insert) -> tuple[str, ...]:
    """INSERT or REPLACE; returns the column names of RETURNING."""
    table = find_target(compiler, node.target)
    triggers = triggers_of(compiler, table, "INSERT")
    check_writable(compiler, table, triggers, node)
    is_announced = compiler.authorized is not None and announce_constant_rows(compiler, node)
    if not allows(compiler, INSERT, table.name, None, table.schema_name):
        return ()
    if table.view is not None:
        table = view_as_table(compiler, table)
    elif table.module is not None:
        check_writable_module(compiler, table)
    layout = table_layout(table)
    insertion = Insertion(node, table, layout, allocate_row(compiler.builder, layout))
    insertion.triggers = triggers
    if triggers:
        compiler.needs_statement_journal = True
    _map_fields(compiler, insertion)
    insertion.scope = statement_scope(compiler, node.with_clause)
    select = node.select
    if select is None:
        _begin(compiler, insertion, True)
        _emit_row(compiler, insertion, [])
        return _finish(compiler, insertion)
    core = select.cores[0]
    is_values = (
        core.__class__ is ast.Values
        and len(select.cores) == 1
        and select.with_clause is None
        and select.limit is None
        and select.order_by is None
    )
    if compiler.authorized is not None:
        if is_values:
            if not is_announced:
                announce_rows(compiler, core.rows, insertion.scope or _NO_NAMES)  # type: ignore[union-attr]
        else:
            announce_select(compiler, select, insertion.scope)
        for clause in node.upserts or ():
            targets = [strip_collation(term.expression)[0] for term in clause.target or ()]
            announce_expressions(compiler, targets, names_scope(table, None, None))
    if not is_values:
        _emit_from_select(compiler, insertion, select)
    else:
        rows = core.rows  # type: ignore[union-attr]
        _check_values(compiler, insertion, rows)
        _begin(compiler, insertion, len(rows) == 1)
        if len(rows) == 1:
            if rows[0][0].__class__ is ast.Variable:
                _offer_many(compiler, insertion, rows[0])
            _emit_row(compiler, insertion, rows[0])
        else:
            compiler.needs_statement_journal = True
            if compiler.may_aggregate:
                # Several rows are a SELECT to SQLite, whose message for an aggregate is another.
                insertion.scope = insertion.scope or Scope([])
                insertion.scope.is_grouped = True
            _emit_rows(compiler, insertion, rows)
    return _finish(compiler, insertion)


def _offer_many(compiler: Compiler, insertion: Insertion, values: list[ast.Expression]) -> None:
    """Says how many sets of parameters may be inserted at once, when the row consists of parameters."""
    if compiler.trigger is not None or any(value.__class__ is not ast.Variable for value in values):
        return
    target = insertion.target
    if target is None or insertion.triggers or insertion.node.upserts or insertion.returning or insertion.sequence:
        return
    places = {position: values[number].number - 1 for position, number in insertion.values.items()}  # type: ignore[attr-defined]
    if not is_left_out(compiler, ROWS_AT_ONCE):
        compiler.rows_spec = insertion_spec(target, places)


def _map_fields(compiler: Compiler, insertion: Insertion) -> None:
    names = insertion.node.columns
    if insertion.node.select is None:
        # DEFAULT VALUES
        return
    key = () if names is None else tuple(names)
    known = insertion.layout.field_maps.get(key)
    if known is not None:
        insertion.fields, insertion.values = known
        return
    if names is None:
        insertion.fields = insertion.layout.insertable
    else:
        insertion.fields = tuple(_field(insertion.table, name, insertion.node.target) for name in names)
    alias = insertion.table.rowid_alias
    values = insertion.values
    insertion.layout.field_maps[key] = insertion.fields, values
    for number, position in enumerate(insertion.fields):
        # Of two values for one column the first counts, of two for the rowid the last.
        if position in (ROWID, alias):
            values[ROWID] = number
        else:
            values.setdefault(position, number)


def _shown_name(target: ast.TableSource) -> str:
    return target.alias or (target.name if target.schema is None else f"{target.schema}.{target.name}")


def _field(table: Table, name: str, target: ast.TableSource) -> int:
    lowered = name.lower()
    position = table.column_positions.get(lowered)
    if position is None:
        if lowered in ROWID_NAMES and not table.is_without_rowid:
            return ROWID
        raise sqlite_error(ERROR, f"table {_shown_name(target)} has no column named {name}")
    if table.columns[position].generated is not None:
        raise sqlite_error(ERROR, f'cannot INSERT into generated column "{table.columns[position].name}"')
    return position


def _check_values(compiler: Compiler, insertion: Insertion, rows: list[list[ast.Expression]]) -> None:
    """Raises for a wrong number of values, after what is wrong with names in them."""
    if len(rows[0]) != len(insertion.fields):
        for value in (value for row in rows for value in row):
            require_names(compiler, value, insertion.scope or _NO_NAMES)
    _check_width(insertion, len(rows[0]))


def _check_width(insertion: Insertion, n_values: int) -> None:
    n_fields = len(insertion.fields)
    if n_values == n_fields:
        return
    if insertion.node.columns is not None:
        raise sqlite_error(ERROR, f"{n_values} values for {n_fields} columns")
    target = insertion.node.target
    raise sqlite_error(ERROR, f"table {_shown_name(target)} has {n_fields} columns but {n_values} values were supplied")


def _begin(compiler: Compiler, insertion: Insertion, is_single: bool = False) -> None:
    """Opens what the rows are written to."""
    node = insertion.node
    table = insertion.table
    insertion.returning = begin_returning(compiler, node.returning, insertion.scope, table)
    if table.view is not None:
        if node.upserts:
            raise sqlite_error(ERROR, "cannot UPSERT a view")
        return
    if table.module is not None:
        if node.upserts:
            raise sqlite_error(ERROR, f'UPSERT not implemented for virtual table "{table.name}"')
        begin_virtual_write(compiler, table, is_single)
        return
    target = insertion.target = open_target(compiler, table, statement_conflict(compiler, CONFLICT_ACTIONS[node.conflict]))
    if table.has_autoincrement:
        insertion.sequence = begin_sequence(compiler, table)
    if node.upserts:
        check_conflict_targets(compiler, table, node.target.alias, node.upserts)
    use = target.foreign_keys
    if use is not None:
        returns_rows = insertion.returning is not None and not insertion.returning.counter
        if is_single and not insertion.triggers and not returns_rows and compiler.trigger is None:
            use.is_single = not _may_delete(compiler, insertion, target)
            # Everything is checked before the first write, so there is never anything to undo.
            compiler.needs_statement_journal = not use.is_single
        check_insert_keys(compiler, use)
    # An upsert of one row inserts it or updates one, either when all has been checked (see emit_upsert for triggers).
    is_plain = is_single and use is None and compiler.trigger is None
    if (node.upserts and not is_plain) or (target.may_replace and (target.layout.indexes or target.delete_triggers)):
        compiler.needs_statement_journal = True


def _may_delete(compiler: Compiler, insertion: Insertion, target: Target) -> bool:
    """Tells whether REPLACE has something to look for, besides the keys that ON CONFLICT clauses answer for."""
    table = insertion.table
    clauses = insertion.node.upserts
    if any(clause.target is None for clause in clauses):
        return False
    answered = constraints_of(compiler, table, clauses) if clauses else set()
    has_keys = (ROWID in insertion.values and None not in answered) or any(
        index.is_unique and index not in answered for index in table.indexes
    )
    return has_keys and target.may_replace


def _finish(compiler: Compiler, insertion: Insertion) -> tuple[str, ...]:
    if insertion.sequence is not None:
        end_sequence(compiler, insertion.sequence)
    return emit_returned_rows(compiler, insertion.returning)


def _emit_from_select(compiler: Compiler, insertion: Insertion, select: ast.Select) -> None:
    compiler.needs_statement_journal = True
    width, cursor = gather_whole_select(compiler, select, insertion.scope)
    _check_width(insertion, width)
    _begin(compiler, insertion)
    _emit_loop(compiler, insertion, cursor)


def _emit_rows(compiler: Compiler, insertion: Insertion, rows: list[list[ast.Expression]]) -> None:
    """Several rows of VALUES: constants as they are, others computed one after the other into a list."""
    builder = compiler.builder
    width = len(rows[0])
    for row in rows:
        if len(row) != width:
            raise sqlite_error(ERROR, "all VALUES must have the same number of terms")
    cursor = builder.cursor()
    compiler.explain(f"SCAN {len(rows)}-ROW VALUES CLAUSE")
    if all(value.__class__ is ast.Literal for row in rows for value in row):
        constants = tuple(tuple(value.value for value in row) for row in rows)  # type: ignore[attr-defined]
        compiler.emit(op.ConstantRows, cursor, p4=constants)
    else:
        scope = insertion.scope or Scope([])
        compiler.emit(op.OpenList, cursor, width)
        for row in rows:
            registers = tuple(compiler.emit_expression(value, scope) for value in row)
            compiler.emit(op.ListAppend, cursor, p4=registers)
    _emit_loop(compiler, insertion, cursor)


def _emit_loop(compiler: Compiler, insertion: Insertion, cursor: int) -> None:
    """Inserts the rows of a list cursor."""
    builder = compiler.builder
    width = len(insertion.fields)
    layout = insertion.layout
    offsets = layout.offsets
    fits = all(position >= 0 and offsets[position] == n for n, position in enumerate(insertion.fields))
    # When the values come in the order of the record the cursor loads them where they belong.
    if fits and _may_append(compiler, insertion):
        target = insertion.target
        assert target is not None, "a view is not plain"
        operands = (target.reports_name, insertion.table.schema_index, layout.affinities)
        compiler.emit(op.AppendRows, target.cursor, cursor, 0, operands, op.COUNT_CHANGE | op.SET_LAST_ROWID)
        return
    row = insertion.new.base if fits else builder.registers(width)
    end = compiler.label()
    following = compiler.label()
    spec = _whole_rows(compiler, insertion)
    if spec is not None:
        assert insertion.target is not None, "a view has no rows of its own"
        compiler.emit(op.InsertRows, insertion.target.cursor, end, cursor, spec, op.COUNT_CHANGE | op.SET_LAST_ROWID)
    builder.begin_loop(op.Rewind, cursor, end, row, width)
    _emit_row(compiler, insertion, None, row, following)
    builder.end_loop(op.Next, following, end)


def _whole_rows(compiler: Compiler, insertion: Insertion) -> RowsSpec | None:
    """How to write all rows at once, unless something wants to see each of them."""
    target = insertion.target
    if target is None or insertion.triggers or insertion.node.upserts or insertion.returning or insertion.sequence:
        return None
    if is_left_out(compiler, ROWS_AT_ONCE):
        return None
    return insertion_spec(target, insertion.values)


def _may_append(compiler: Compiler, insertion: Insertion) -> bool:
    """Whether nothing is to be done for a single row but to write it behind the others."""
    target = insertion.target
    table = insertion.table
    layout = insertion.layout
    return (
        target is not None
        and not is_left_out(compiler, ROWS_AT_ONCE)
        and len(insertion.fields) == layout.n_block
        and layout.rowid_offset < 0
        and not (table.indexes or table.checks or table.is_without_rowid or layout.not_null or layout.strict_types)
        and target.foreign_keys is None
        and not (insertion.triggers or insertion.node.upserts)
        and insertion.returning is None
        and insertion.sequence is None
    )


def _emit_row(
    compiler: Compiler,
    insertion: Insertion,
    values: list[ast.Expression] | None,
    row: int = 0,
    ignore: int = 0,
) -> None:
    """One row, from expressions or (values None) from the registers at `row`."""
    ends_here = not ignore
    if ends_here:
        ignore = compiler.label()
    known: dict[int, object] = {}
    needs_affinity = _fill_row(compiler, insertion, values, row, known)
    rowid_source, rowid_known = _rowid_source(compiler, insertion, values, row)
    table = insertion.table
    new = insertion.new
    layout = insertion.layout
    for source, destination in layout.copies:
        compiler.emit(op.SCopy, new.base + source, new.base + destination)
    has_before = bool(insertion.triggers) and has_time(insertion.triggers, "BEFORE" if table.view is None else "INSTEAD OF")
    if has_before and not table.is_without_rowid:
        rowid_source = _emit_provisional_rowid(compiler, new, rowid_source)
    if needs_affinity and layout.affinities is not None and _converts(table):
        compiler.emit(op.Affinity, new.base, p4=layout.affinities)
    if has_before:
        emit_early_type_checks(compiler, table, new)
        emit_generated_columns(compiler, table, new)
        time = "BEFORE" if table.view is None else "INSTEAD OF"
        conflict = insertion.target.conflict if insertion.target is not None else 0
        emit_triggers(compiler, table, insertion.triggers, time, None, new, conflict, ignore)
    if table.module is not None:
        conflict = statement_conflict(compiler, CONFLICT_ACTIONS[insertion.node.conflict])
        if insertion.returning is not None:
            rowid_source = _emit_provisional_rowid(compiler, new, rowid_source)
        emit_virtual_insert(compiler, table, new, rowid_source, conflict)
        if insertion.returning is not None and layout.affinities is not None:
            compiler.emit(op.Affinity, new.base, p4=layout.affinities)
    elif table.view is None:
        _emit_write(compiler, insertion, rowid_source, rowid_known, known, ignore)
    emit_returning_row(compiler, insertion.returning, table, new)
    if insertion.target is not None and insertion.triggers:
        emit_triggers(compiler, table, insertion.triggers, "AFTER", None, new, insertion.target.conflict, ignore)
    if ends_here:
        compiler.place(ignore)


def _converts(table: Table) -> bool:
    """Whether values get the affinities of their columns: modules see to that, INSTEAD OF INSERT has them as they are given."""
    return table.module is None and table.view is None


def _fill_row(
    compiler: Compiler,
    insertion: Insertion,
    values: list[ast.Expression] | None,
    row: int,
    known: dict[int, object],
) -> bool:
    """Puts values and defaults where the row wants them; tells whether affinities are still to be applied."""
    layout = insertion.layout
    columns = insertion.table.columns
    alias = insertion.table.rowid_alias
    base = insertion.new.base
    offsets = layout.offsets
    template = compiler.builder.template
    value_of = insertion.values
    scope = insertion.scope or _NO_NAMES
    computed: list[tuple[int, ast.Expression]] = []
    needs_affinity = False
    # Hidden columns of a virtual table can be named though they are not in the list of all.
    for position in layout.insertable if insertion.table.module is None else range(len(columns)):
        if position == alias:
            continue
        register = base + offsets[position]
        number = value_of.get(position)
        if number is None:
            if position in layout.constant_defaults:
                template[register] = known[register] = layout.constant_defaults[position]
            elif position in layout.computed_defaults:
                default = columns[position].default
                assert default is not None, "a computed default is an expression"
                is_temp = insertion.table.schema_index == 1
                emit_schema_expression(compiler, default, _NO_NAMES, register, is_temp=is_temp)
                computed.append((position, default))
                needs_affinity = True
        elif values is None:
            needs_affinity = True
            if row + number != register:
                compiler.emit(op.SCopy, row + number, register)
        else:
            value = values[number]
            if value.__class__ is ast.Literal:
                constant = value.value
                kind = columns[position].affinity
                if kind > affinity.BLOB and _converts(insertion.table):
                    constant = apply_affinity(constant, kind)
                template[register] = known[register] = constant
            else:
                if value.__class__ is not ast.Variable or not _arrives_in(compiler, insertion, value, register):
                    compiler.emit_expression(value, scope, register)
                    computed.append((position, value))
                needs_affinity = True
    if values is not None and len(values) > len(value_of):
        _emit_surplus(compiler, insertion, values, scope)
    if computed or insertion.table.has_generated:
        insertion.new.json_columns = columns_with_json(compiler, insertion.table, computed, scope)
    return needs_affinity


_NO_NAMES = Scope([])


def _arrives_in(compiler: Compiler, insertion: Insertion, value: ast.Expression, register: int) -> bool:
    """Lets a parameter arrive where the row wants it, unless it may be read again after its affinity was applied."""
    assert isinstance(value, ast.Variable), "the caller looked"
    node = insertion.node
    if node.upserts or node.returning is not None or node.with_clause is not None:
        return False
    if not compiler.builder.place_parameter(value.number, register):
        return False
    compiler.parameter(value.number, value.name)
    return True


def _emit_surplus(compiler: Compiler, insertion: Insertion, values: list[ast.Expression], scope: Scope) -> None:
    """Values for a column that was named before are computed all the same, for their errors."""
    used = set(insertion.values.values())
    for number, value in enumerate(values):
        if number not in used:
            compiler.emit_expression(value, scope)


def _rowid_source(
    compiler: Compiler, insertion: Insertion, values: list[ast.Expression] | None, row: int
) -> tuple[int, object]:
    """The register with the given rowid (0: none), and its value if that is a constant integer (else None)."""
    number = insertion.values.get(ROWID)
    if number is None:
        return 0, None
    if values is None:
        return row + number, None
    value = values[number]
    if value.__class__ is ast.Literal:
        constant = value.value
        if constant is None and not _answers_conflicts(insertion):
            return 0, None
        if constant.__class__ is int:
            register = insertion.new.rowid
            compiler.builder.template[register] = constant
            return register, constant
    register = insertion.new.rowid
    if value.__class__ is ast.Variable and _arrives_in(compiler, insertion, value, register):
        return register, None
    scope = insertion.scope or _NO_NAMES
    return compiler.emit_expression(value, scope, compiler.register()), None


def _answers_conflicts(insertion: Insertion) -> bool:
    """Whether code stands behind a conflict of rowids, whose mistakes are found although NULL never conflicts."""
    target = insertion.target
    if target is None:
        return False
    hangs_on = bool(target.delete_triggers) or target.foreign_keys is not None
    return bool(insertion.node.upserts) or (target.may_replace and hangs_on)


def _emit_provisional_rowid(compiler: Compiler, new: RowRegisters, source: int) -> int:
    """BEFORE triggers, and RETURNING of a virtual table, see -1 if no rowid is given; returns where a given one is kept."""
    emit = compiler.emit
    if not source:
        emit(op.Integer, -1, new.rowid)
        return 0
    kept = compiler.register()
    emit(op.SCopy, source, kept)
    given = compiler.label()
    ready = compiler.label()
    emit(op.NotNull, kept, given)
    emit(op.Integer, -1, new.rowid)
    emit(op.Goto, 0, ready)
    compiler.place(given)
    emit(op.SCopy, kept, new.rowid)
    emit(op.MustBeInt, new.rowid, 0)
    compiler.place(ready)
    return kept


def _emit_write(
    compiler: Compiler, insertion: Insertion, rowid_source: int, rowid_known: object, known: dict[int, object], ignore: int
) -> None:
    """Chooses the rowid, checks the row, writes it."""
    target = insertion.target
    assert target is not None, "only views have no target"
    table = insertion.table
    new = insertion.new
    write = Write(table, new, ignore)
    write.known = known
    if not table.is_without_rowid:
        write.is_new_rowid = not rowid_source
        _emit_rowid(compiler, insertion, target, rowid_source, rowid_known)
    if table.has_generated:
        emit_early_type_checks(compiler, table, new)
    emit_generated_columns(compiler, table, new)
    if insertion.node.upserts:
        begin_upserts(compiler, target, insertion.node, write, insertion.scope, insertion.returning)
    emit_row_checks(compiler, target, write)
    emit_foreign_key_check(compiler, target.foreign_keys, table, None, new, None)
    emit_entries(compiler, target, write)
    emit_row_heard(compiler, target, None, new)
    emit_insert_row(compiler, target, new, op.COUNT_CHANGE | op.SET_LAST_ROWID | (0 if rowid_source else op.APPEND))


def _emit_rowid(
    compiler: Compiler, insertion: Insertion, target: Target, source: int, constant: object
) -> None:
    emit = compiler.emit
    rowid = insertion.new.rowid
    counter = insertion.sequence.register if insertion.sequence is not None else 0
    if not source:
        emit(op.NewRowid, target.cursor, rowid, counter)
        return
    if constant is None:
        given = compiler.label()
        ready = compiler.label()
        if source != rowid:
            emit(op.SCopy, source, rowid)
        emit(op.NotNull, rowid, given)
        emit(op.NewRowid, target.cursor, rowid, counter)
        emit(op.Goto, 0, ready)
        compiler.place(given)
        emit(op.MustBeInt, rowid, 0)
        compiler.place(ready)
    elif source != rowid:
        emit(op.SCopy, source, rowid)
    if insertion.sequence is not None:
        emit_note_rowid(compiler, insertion.sequence, rowid)


STEP_EMITTERS[ast.Insert] = emit_insert
