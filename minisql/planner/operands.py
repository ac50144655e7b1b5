"""Affinity and collation of expressions, and the rules by which comparisons choose among them.

Comes in: an expression and the scope it is read in; goes out: the affinity, the collation name, and for an operand of a
comparison its register as well (`typed_operand`), so that the common case, a column against a constant, resolves its name
once.  Constants take the affinity of the other side at compile time; columns of real tables already have theirs, so most
comparisons need none at run time.

Source: https://www.sqlite.org/datatype3.html sections 4.2 and 7.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.parser import ast
from minisql.planner.nodes import Held, SourceColumn
from minisql.planner.scope import ROWID
from minisql.values.affinity import BLOB, INTEGER, NONE, NUMERIC, TEXT, affinity_of_cast, apply_numeric, apply_text

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.scope import Capture, Scope, Source
    from minisql.values.collation import Collation

Operand = tuple[int, int, "str | None", bool, bool]
"""(register, affinity, collation name, is the collation explicit, do values already have the affinity)."""


def affinity_of(compiler: Compiler, node: ast.Expression, scope: Scope) -> int:
    """The affinity of an expression: a column's, a CAST's, a subquery's first column's, else NONE.

    Source: https://www.sqlite.org/datatype3.html section 3.2.
    """
    while True:
        kind = node.__class__
        if kind is ast.Column:
            found = compiler.resolve(node, scope)  # type: ignore[arg-type]
            if found is None:
                return NONE
            source, position = found
        elif kind is SourceColumn:
            source, position = node.source, node.position  # type: ignore[attr-defined]
        elif kind is ast.Collate or kind is Held:
            node = node.operand  # type: ignore[attr-defined]
            continue
        elif kind is ast.Cast:
            return affinity_of_cast(node.type_name)  # type: ignore[attr-defined]
        elif kind is ast.ScalarSubquery:
            return compiler.subquery_columns(node.select, scope)[0].affinity  # type: ignore[attr-defined]
        else:
            return NONE
        if position == ROWID:
            return rowid_affinity(source)
        if source.expressions is None or source.is_coalesced:
            return source.columns[position].affinity
        node = source.expressions[position]
        assert source.inner is not None, "a source of expressions has a scope"
        scope = source.inner


def collation_of(compiler: Compiler, node: ast.Expression, scope: Scope) -> tuple[str | None, bool]:
    """The name of an expression's collation (None: none at all) and whether a COLLATE operator gave it.

    Source: https://www.sqlite.org/datatype3.html section 7.1.
    """
    is_result = False
    while True:
        kind = node.__class__
        if kind is ast.Column:
            found = compiler.resolve(node, scope)  # type: ignore[arg-type]
            if found is None:
                break
            source, position = found
        elif kind is SourceColumn:
            source, position = node.source, node.position  # type: ignore[attr-defined]
        elif kind is ast.Collate:
            return node.collation, not is_result  # type: ignore[attr-defined]
        elif kind is ast.Literal:
            break
        elif kind is ast.Cast or kind is Held or (kind is ast.Unary and node.operator == "+"):  # type: ignore[attr-defined]
            node = node.operand  # type: ignore[attr-defined]
            continue
        elif compiler.may_collate:
            explicit = _collate_inside(node)
            if explicit is None:
                break
            return explicit, not is_result
        else:
            break
        if position == ROWID:
            return "BINARY", False
        if source.expressions is None or source.is_coalesced:
            if source.table is not None and position == source.table.rowid_alias:
                return "BINARY", False
            return source.columns[position].collation or None, False
        if source.columns:
            # Columns of a subquery have a collation of their own, however they came by it.
            is_result = True
        node = source.expressions[position]
        assert source.inner is not None, "a source of expressions has a scope"
        scope = source.inner
    return ("BINARY" if is_result else None), False


def _collate_inside(node: ast.Expression) -> str | None:
    """The first COLLATE anywhere in an expression, subqueries left out."""
    pending: list[object] = [node]
    while pending:
        item = pending.pop()
        if item.__class__ is list or item.__class__ is tuple:
            pending.extend(reversed(item))
        elif isinstance(item, ast.Collate):
            return item.collation
        elif isinstance(item, ast.Expression) and item.__class__ not in _OPAQUE:
            pending.extend(getattr(item, name) for name in reversed(ast.fields(item.__class__)))
    return None


_OPAQUE = frozenset((ast.ScalarSubquery, ast.Exists, ast.InSelect, ast.Literal, SourceColumn, Held))


def rowid_affinity(source: Source) -> int:
    """INTEGER; the rowid of the row that an UPSERT could not insert has none, though it is a number."""
    return NONE if source.is_qualified_only and source.name == "excluded" else INTEGER


def typed_operand(compiler: Compiler, node: ast.Expression, scope: Scope) -> Operand:
    """Emits an operand of a comparison and returns its register with all that the comparison needs to know of it."""
    kind = node.__class__
    if kind is ast.Literal:
        return compiler.constant(node.value), NONE, None, False, False  # type: ignore[attr-defined]
    if kind is ast.Column:
        found = compiler.resolve(node, scope)  # type: ignore[arg-type]
        if found is not None:
            crossed = compiler.crossed
            if found[0].columns:
                operand = column_operand(compiler, found[0], found[1])
            else:
                compiler.alias_name = node.name  # type: ignore[attr-defined]
                operand = column_operand(compiler, found[0], found[1])
                compiler.alias_name = None
            if crossed is not None:
                note_captures(compiler, crossed, found[0], operand[0])
            return operand
    elif kind is SourceColumn:
        return column_operand(compiler, node.source, node.position)  # type: ignore[attr-defined]
    elif kind is Held:
        return node.as_operand  # type: ignore[attr-defined, no-any-return]
    register = compiler.emit_expression(node, scope)
    collation, explicit = collation_of(compiler, node, scope)
    return register, affinity_of(compiler, node, scope), collation, explicit, False


def column_operand(compiler: Compiler, source: Source, position: int) -> Operand:
    """`typed_operand` of a resolved column."""
    if position == ROWID:
        return compiler.emit_rowid(source), rowid_affinity(source), "BINARY", False, True
    if source.expressions is not None:
        assert source.inner is not None, "a source of expressions has a scope"
        inner = typed_operand(compiler, source.expressions[position], source.inner)
        if source.is_coalesced:
            return inner[0], source.columns[0].affinity, source.columns[0].collation, False, False
        register = compiler.guard_null(source, position, inner[0])
        if not source.columns:
            # A result's alias is the result itself.
            return (register, *inner[1:])
        return register, inner[1], inner[2] or "BINARY", False, inner[4]
    column = source.columns[position]
    return (
        compiler.emit_source_column(source, position),
        column.affinity,
        column.collation or None,
        False,
        source.is_stored,
    )


def note_captures(compiler: Compiler, crossed: list[Capture], source: Source, register: int) -> None:
    """Tells the subqueries between a name and its source that they read a value from outside."""
    is_plain = source.expressions is None and compiler.is_row_register(source, register)
    for capture in crossed:
        if is_plain:
            capture.registers[register] = None
        else:
            capture.is_opaque = True


def choose_collation(compiler: Compiler, left: Operand, right: Operand) -> Collation | None:
    """The collation of a comparison: explicit left, explicit right, left column's, right column's; None for BINARY.

    Source: https://www.sqlite.org/datatype3.html section 7.1.
    """
    if left[3] or (left[2] is not None and not right[3]):
        return compiler.collation(left[2])
    if right[2] is not None:
        return compiler.collation(right[2])
    return None


def comparison(
    compiler: Compiler, left: Operand, right: Operand
) -> tuple[int, int, Collation | None, int]:
    """Settles a comparison: registers to compare, the collation and the affinity still to be applied at run time (0: none).

    Source: https://www.sqlite.org/datatype3.html section 4.2.
    """
    left_register, left_affinity, left_collation, _, left_stored = left
    right_register, right_affinity, right_collation, _, right_stored = right
    collation = None
    if left_collation is not None or right_collation is not None:
        collation = choose_collation(compiler, left, right)
    if left_affinity > NONE and right_affinity > NONE:
        affinity = NUMERIC if left_affinity >= NUMERIC or right_affinity >= NUMERIC else 0
    else:
        affinity = right_affinity if left_affinity <= NONE else left_affinity
        affinity = NUMERIC if affinity >= NUMERIC else affinity if affinity == TEXT else 0
    if affinity:
        constants = compiler.constants
        left_done = left_stored and (left_affinity >= NUMERIC) == (affinity == NUMERIC) and left_affinity != BLOB
        right_done = right_stored and (right_affinity >= NUMERIC) == (affinity == NUMERIC) and right_affinity != BLOB
        if not left_done and left_register in constants:
            left_register = converted_constant(compiler, left_register, affinity)
            left_done = True
        if not right_done and right_register in constants:
            right_register = converted_constant(compiler, right_register, affinity)
            right_done = True
        if left_done and not right_done and right_register in compiler.once_results:
            right_register, right_done = _converted_once(compiler, right_register, affinity), True
        elif right_done and not left_done and left_register in compiler.once_results:
            left_register, left_done = _converted_once(compiler, left_register, affinity), True
        if left_done and right_done:
            affinity = 0
    return left_register, right_register, collation, affinity


def settle_plain(
    compiler: Compiler, left: ast.Expression, right: ast.Expression, scope: Scope
) -> tuple[int, int, Collation | None] | None:
    """`comparison` for the commonest case, a table's column against a literal: registers and collation, else None."""
    if left.__class__ is ast.Column:
        if right.__class__ is not ast.Literal:
            return None
        node, value = left, right.value
    elif right.__class__ is ast.Column and left.__class__ is ast.Literal:
        node, value = right, left.value
    else:
        return None
    known = node.binding
    if known is not None and len(scope.sources) == 1 and scope.sources[0] is known[0]:
        source, position = known
    else:
        found = compiler.resolve(node, scope)
        if found is None or compiler.crossed is not None:
            return None
        source, position = found
    if position < 0 or source.expressions is not None or not source.is_stored or source.group_map is not None:
        return None
    register = source.registers[position]
    if not register:
        return None
    column = source.columns[position]
    affinity = column.affinity
    if affinity >= NUMERIC:
        if value.__class__ is str:
            value = apply_numeric(value)
    elif affinity == TEXT:
        value = apply_text(value)
    name = column.collation
    collation = compiler.binary if name == "BINARY" else compiler.collation(name)
    constant = compiler.constant(value)
    return (register, constant, collation) if node is left else (constant, register, collation)


def _converted_once(compiler: Compiler, register: int, affinity: int) -> int:
    """The register of a value that is computed once, after a comparison affinity: it is applied once, too."""
    result = compiler.register()
    known = compiler.label()
    compiler.emit(op.Once, 0, known)
    compiler.emit(op.ApplyAffinity, register, affinity, result)
    compiler.place(known)
    return result


def converted_constant(compiler: Compiler, register: int, affinity: int) -> int:
    """The register of a constant after a comparison affinity (NUMERIC or TEXT)."""
    value: Any = compiler.constants[register]
    converted = apply_numeric(value) if affinity >= NUMERIC else apply_text(value)
    return register if converted is value else compiler.constant(converted)
