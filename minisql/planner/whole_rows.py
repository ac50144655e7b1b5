"""Tables whose rows may be written many at once, and the RowsSpec that says how.

A row may go with the others when nothing but its own values decides what is written: no trigger, foreign key, CHECK, generated
column or STRICT type, and no index that is partial or on an expression.  Conflicts and NULLs are looked for when the
instruction runs.

Source: https://www.sqlite.org/lang_insert.html, https://www.sqlite.org/lang_delete.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode.opcodes import ON_CONFLICT_ABORT
from minisql.bytecode.program import RowsSpec
from minisql.planner.references import has_subquery

if TYPE_CHECKING:
    from minisql.parser import ast
    from minisql.planner.targets import Target
    from minisql.planner.update import Updating

ROWID = -1


def deletion_spec(target: Target, touched_only: bool = False) -> RowsSpec | None:
    """How rows leave the table and its indexes (`touched_only`: those that are open); None when each has to be looked at."""
    table, layout = target.table, target.layout
    if table.is_without_rowid or target.foreign_keys is not None or layout.has_virtual or target.is_pinned:
        return None
    indexes = []
    for index in layout.indexes:
        offsets = layout.entries.get(index)
        cursor = target.index_cursors.get(index)
        if cursor is None and touched_only:
            continue
        if offsets is None or cursor is None or index.where is not None:
            return None
        if layout.rowid_offset < 0:
            # Without a column for it the rowid is the last field of every entry.
            offsets = (*offsets[:-1], ROWID)
        indexes.append((cursor, offsets, len(index.columns) if index.is_unique else 0))
    return RowsSpec(target.reports_name, table.schema_index, layout.rowid_offset, tuple(indexes))


def update_spec(updating: Updating, assignments: list[ast.Assignment]) -> RowsSpec | None:
    """How new versions of rows get into the table and the indexes that they touch; None when each has to be looked at.

    A key that may conflict is looked at row by row, as is all that FAIL or IGNORE could stop half-way.
    """
    target, table, layout = updating.target, updating.table, updating.layout
    if (
        target is None
        or updating.triggers
        or updating.returning is not None
        or updating.assignments.is_key_changed
        or updating.conflict not in (0, ON_CONFLICT_ABORT)
        or table.has_generated
        or any(index.is_unique for index in target.index_cursors)
        or has_subquery(assignments)
    ):
        return None
    changed = updating.assignments.changed
    for position in layout.not_null:
        if position in changed and (table.columns[position].not_null_action or ON_CONFLICT_ABORT) != ON_CONFLICT_ABORT:
            return None
    spec = deletion_spec(target, touched_only=True)
    if spec is not None:
        spec.changed = tuple(sorted([layout.offsets[position] for position in changed]))
    return spec


def insertion_spec(target: Target, values: dict[int, int]) -> RowsSpec | None:
    """How rows of a list get into the table: `values` maps column positions and ROWID to places in the list's rows."""
    table, layout = target.table, target.layout
    if table.checks or table.has_generated or layout.strict_types or layout.copies:
        return None
    spec = deletion_spec(target)
    if spec is None:
        return None
    sources, defaults = [-1] * layout.n_stored, [None] * layout.n_stored
    for position, offset in enumerate(layout.offsets):
        if position == table.rowid_alias:
            continue
        if position in values:
            sources[offset] = values[position]
        elif position in layout.computed_defaults:
            return None
        else:
            defaults[offset] = layout.constant_defaults.get(position)  # type: ignore[call-overload]
    spec.sources, spec.defaults = tuple(sources), tuple(defaults)
    spec.rowid_source = values.get(ROWID, -1)
    spec.affinities = layout.affinities
    spec.not_null = tuple([layout.offsets[position] for position in layout.not_null])
    return spec
