"""Handlers that change many rows of a table at once, with their index entries.

Column by column where it can be, so most of the work is done by `zip`, `map` and sorts; the trees then visit every leaf once
(storage's `bulk`).  InsertRows looks at all rows before it changes anything: when one of them needs a decision it does
nothing, and the loop behind it goes row by row.  DeleteRows needs no decisions; when somebody listens it deletes row by row.
Tier 1 takes the slow way for both, so the tests that compare the tiers compare the two ways.

Source: https://www.sqlite.org/lang_insert.html, https://www.sqlite.org/lang_delete.html; the contracts in
minisql.bytecode.opcodes.
"""

from __future__ import annotations

from itertools import islice, pairwise
from operator import itemgetter, lt, ne
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes
from minisql.bytecode.opcodes import COUNT_CHANGE, SET_LAST_ROWID
from minisql.errors import CORRUPT_INDEX, INTERRUPT, sqlite_error
from minisql.values import affinity
from minisql.values.affinity import apply_affinity
from minisql.values.storage_class import INT64_MAX
from minisql.vm.frame import Frame
from minisql.vm.handlers import HANDLERS, Operands, handles
from minisql.vm.handlers_write import random_rowid

if TYPE_CHECKING:
    from minisql.bytecode.program import Program, RowsSpec
    from minisql.vm.host import Host

_FEW_ROWS = 4
_POLL_ROWS = 1000
_CHUNK = 10_000
Column = Any
"""A list or tuple with one value for each row."""
Sorted = tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]


@handles(opcodes.AppendRows)
def append_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    cursor = frame.cursors[i[1]]
    rows = frame.cursors[i[2]].rows
    if not rows:
        return pc
    table_name, schema_index, affinities = i[4]
    host = frame.host
    if affinities is not None:
        columns = list(zip(*rows))
        if _apply_affinities(columns, affinities):
            rows = list(zip(*columns))
    rowid = cursor.last_rowid() or 0
    has_hook = table_name is not None and host.has_update_hook
    if host.tier != "1" and not has_hook and rowid + len(rows) <= INT64_MAX:
        for start in range(0, len(rows), _CHUNK):
            if host.is_interrupted:
                raise sqlite_error(INTERRUPT)
            part = rows[start : start + _CHUNK]
            cursor.insert_many(list(range(rowid + 1, rowid + 1 + len(part))), part)
            rowid += len(part)
    else:
        for row in rows:
            rowid = rowid + 1 if rowid < INT64_MAX else random_rowid(cursor)
            cursor.insert(rowid, row, True)
            if has_hook:
                host.row_changed("insert", schema_index, table_name, rowid)
            if not rowid % _POLL_ROWS and host.is_interrupted:
                raise sqlite_error(INTERRUPT)
    if i[5] & COUNT_CHANGE:
        frame.n_changes += len(rows)
    if i[5] & SET_LAST_ROWID:
        host.last_insert_rowid = rowid
    return pc


_UNCHANGED_CLASSES: dict[int, frozenset[type]] = {
    affinity.TEXT: frozenset((str, bytes, type(None))),
    affinity.NUMERIC: frozenset((int, bytes, type(None))),
    affinity.INTEGER: frozenset((int, bytes, type(None))),
    affinity.REAL: frozenset((float, bytes, type(None))),
}


def _apply_affinities(columns: list[Column], affinities: tuple[int, ...]) -> bool:
    """Applies column affinities in place; those that need nothing are told by their classes.  Tells whether one was applied."""
    is_changed = False
    for position, (column, kind) in enumerate(zip(columns, affinities)):
        if kind <= affinity.BLOB:
            continue
        is_plain = _UNCHANGED_CLASSES.get(kind, frozenset()).issuperset(map(type, column))
        # A REAL column has no -0.0.
        if not is_plain or (kind == affinity.REAL and 0.0 in column):
            columns[position] = [apply_affinity(value, kind) for value in column]
            is_changed = True
    return is_changed


@handles(opcodes.InsertRows)
def insert_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    rows = frame.cursors[i[3]].rows
    last_rowid = insert_all(frame, frame.cursors[i[1]], i[4], rows)
    if last_rowid is None:
        return pc
    if i[5] & COUNT_CHANGE:
        frame.n_changes += len(rows)
    if i[5] & SET_LAST_ROWID:
        frame.host.last_insert_rowid = last_rowid
    return i[2]  # type: ignore[no-any-return]


def insert_many(program: Program, host: Host, rows: list[tuple[Any, ...]], columns: list[Column] | None) -> bool:
    """Runs an INSERT of one row for many sets of parameters at once; False, having done nothing, when each needs a look.

    Leaves changes() as the last of the single runs would, and total_changes() as all of them.
    """
    spec = program.rows_spec
    if spec is None:
        return False
    registers = program.template.copy()
    frame = Frame(program, registers, host)
    target = -1
    for instruction in program.code:
        if instruction[0] == opcodes.OpenWrite and target < 0:
            target = instruction[1]
        elif instruction[0] not in _PREPARING:
            break
        HANDLERS[instruction[0]](frame, registers, instruction, 0)
    try:
        if any(frame.cursors[number] is None for number in (target, *[index[0] for index in spec.indexes])):
            return False
        last_rowid = insert_all(frame, frame.cursors[target], spec, rows, columns)
    finally:
        frame.close_cursors()
    if last_rowid is None:
        return False
    host.last_insert_rowid = last_rowid
    host.changes = 1
    host.total_changes += len(rows)
    return True


_PREPARING = frozenset((opcodes.Transaction, opcodes.OpenWrite))


def insert_all(
    frame: Frame, cursor: Any, spec: RowsSpec, rows: list[tuple[Any, ...]], columns: list[Column] | None = None
) -> int | None:
    """Inserts rows into a table and its indexes; returns the last rowid, or None, having done nothing, if that cannot be.

    `columns` are the values by column, for those who have them.
    """
    host = frame.host
    if len(rows) < _FEW_ROWS or host.tier == "1" or (spec.table_name is not None and host.has_update_hook):
        return None
    if columns is None:
        columns = [list(map(itemgetter(i), rows)) for i in range(len(rows[0]))]
    rowids = _choose_rowids(cursor, columns[spec.rowid_source] if spec.rowid_source >= 0 else None, len(rows))
    if rowids is None:
        return None
    stored = _stored_columns(spec, columns, rowids)
    if any(None in stored[position] for position in spec.not_null):
        return None
    sorted_entries: list[tuple[Any, Sorted]] = []
    for number, fields, n_unique in spec.indexes:
        index = frame.cursors[number]
        entries = list(zip(*[stored[field] if field >= 0 else rowids for field in fields]))
        in_order: Sorted = index.order.sort(entries)
        if n_unique and _has_conflict(index, in_order, n_unique):
            return None
        sorted_entries.append((index, in_order))
    last_rowid = rowids[-1]
    new_rows = rows if _are_stored_as_given(spec, rows, columns, stored) else list(zip(*stored))
    if rowids != sorted(rowids):
        order = sorted(range(len(rowids)), key=rowids.__getitem__)
        rowids = [rowids[place] for place in order]
        new_rows, stored = [new_rows[place] for place in order], []
    if rowids[0] <= (cursor.last_rowid() or 0) and cursor.rows_at(rowids)[0]:
        return None
    for index, (entries, keys) in sorted_entries:
        index.insert_sorted(entries, keys)
    cursor.insert_many(rowids, new_rows, stored or None)
    return last_rowid


def _choose_rowids(cursor: Any, given: Column | None, n_rows: int) -> list[int] | None:
    """The rowids of new rows in the order of the list; None when they have to be chosen, or refused, one by one."""
    if given is not None:
        kinds = set(map(type, given))
        if kinds == {int}:
            return list(given) if len(set(given)) == n_rows else None
        if kinds != {type(None)}:
            return None
    largest = cursor.last_rowid() or 0
    return list(range(largest + 1, largest + 1 + n_rows)) if largest + n_rows <= INT64_MAX else None


def _stored_columns(spec: RowsSpec, columns: list[Column], rowids: list[int]) -> list[Column]:
    """The columns of the records, with defaults and affinities."""
    n_rows = len(rowids)
    stored: list[Column] = [
        columns[source] if source >= 0 else (default,) * n_rows for source, default in zip(spec.sources, spec.defaults)
    ]
    if spec.rowid_position >= 0:
        stored[spec.rowid_position] = rowids
    if spec.affinities is not None:
        _apply_affinities(stored, spec.affinities)
    return stored


def _are_stored_as_given(spec: RowsSpec, rows: list[tuple[Any, ...]], columns: list[Column], stored: list[Column]) -> bool:
    """Tells whether the rows to store are the very tuples that were given (benchmark bulk_load)."""
    rowid_position = spec.rowid_position if spec.rowid_position == spec.rowid_source else -1
    return (
        len(stored) == len(columns)
        and all(new is old or place == rowid_position for place, (new, old) in enumerate(zip(stored, columns)))
        and (rowid_position < 0 or columns[rowid_position][0].__class__ is int)
        and set(map(type, rows)) == {tuple}
    )


def _has_conflict(index: Any, in_order: Sorted, n_unique: int) -> bool:
    """Tells whether entries agree in their first fields, none of them NULL, with one another or with one that is there."""
    entries, keys = in_order
    prefixes = [entry[:n_unique] for entry in entries if None not in entry[:n_unique]]
    if keys is entries:
        if len(set(prefixes)) < len(prefixes):
            return True
    else:
        unique = [key[:n_unique] for entry, key in zip(entries, keys) if None not in entry[:n_unique]]
        if any(before == after for before, after in pairwise(unique)):
            return True
    return index.last() is not None and any(index.find(prefix) is not None for prefix in prefixes)


@handles(opcodes.UpdateRows)
def update_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    host = frame.host
    spec: RowsSpec = i[4]
    rows = frame.cursors[i[2]].rows
    cursor = frame.cursors[i[1]]
    indexes = [(frame.cursors[number], fields) for number, fields, _ in spec.indexes]
    rowids = list(map(itemgetter(spec.rowid_position), rows))  # -1, the last, where the row does not hold its rowid
    if spec.rowid_position < 0:
        rows = [row[:-1] for row in rows]
    if len(rows) < _FEW_ROWS or host.tier == "1" or (spec.table_name is not None and host.has_update_hook):
        _update_singly(frame, spec, cursor, indexes, list(zip(rowids, rows)))
    else:
        if not all(map(lt, rowids, islice(rowids, 1, None))):
            order = sorted(range(len(rowids)), key=rowids.__getitem__)
            rowids, rows = [rowids[place] for place in order], [rows[place] for place in order]
        for start in range(0, len(rows), _CHUNK):
            if host.is_interrupted:
                raise sqlite_error(INTERRUPT)
            _update_chunk(cursor, spec, indexes, rowids[start : start + _CHUNK], rows[start : start + _CHUNK])
    if i[5] & COUNT_CHANGE:
        frame.n_changes += len(rows)
    return pc


def _update_chunk(
    cursor: Any, spec: RowsSpec, indexes: list[tuple[Any, tuple[int, ...]]], rowids: list[int], rows: list[tuple[Any, ...]]
) -> None:
    if indexes:
        old_rowids, old_rows = cursor.rows_at(rowids)
        for index, fields in indexes:
            old, new = _entries(old_rows, old_rowids, fields), _entries(rows, rowids, fields)
            if len(old) != len(new) or not all(map(ne, old, new)):
                changes = [pair for pair in zip(old, new) if pair[0] != pair[1] or _differs(*pair)]
                if not changes:
                    continue
                old, new = map(list, zip(*changes))
            if index.change_many(old, new) < len(old):
                raise sqlite_error(CORRUPT_INDEX)
    may_grow = not all(_WITHOUT_LENGTH.issuperset(map(type, map(itemgetter(field), rows))) for field in spec.changed)
    cursor.replace_many(rowids, rows, may_grow)


_WITHOUT_LENGTH = frozenset((int, float, type(None)))


def _entries(rows: list[tuple[Any, ...]], rowids: list[int], fields: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """The entries of rows in an index; see RowsSpec for `fields`."""
    if len(fields) > 1 and min(fields) >= 0:
        return list(map(itemgetter(*fields), rows))
    return list(zip(*[map(itemgetter(field), rows) if field >= 0 else rowids for field in fields]))


def _differs(before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    """Tells whether equal entries are stored differently: 1 and 1.0."""
    return any(a.__class__ is not b.__class__ for a, b in zip(before, after))


def _update_singly(
    frame: Frame,
    spec: RowsSpec,
    cursor: Any,
    indexes: list[tuple[Any, tuple[int, ...]]],
    pairs: list[tuple[int, tuple[Any, ...]]],
) -> None:
    host = frame.host
    for number, (rowid, row) in enumerate(pairs, 1):
        old = cursor.seek_rowid(rowid)
        for index, fields in indexes:
            before, after = (
                tuple([version[field] if field >= 0 else rowid for field in fields]) for version in (old, row)
            )
            if not index.delete(before):
                raise sqlite_error(CORRUPT_INDEX)
            index.insert(after)
        cursor.update(row)
        if spec.table_name is not None and host.has_update_hook:
            host.row_changed("update", spec.schema_index, spec.table_name, rowid)
        if not number % _POLL_ROWS and host.is_interrupted:
            raise sqlite_error(INTERRUPT)


@handles(opcodes.DeleteRows)
def delete_rows(frame: Frame, registers: list[Any], i: Operands, pc: int) -> int:
    host = frame.host
    spec: RowsSpec = i[4]
    keys = frame.cursors[i[2]].rows
    cursor = frame.cursors[i[1]]
    has_hook = spec.table_name is not None and host.has_update_hook
    indexes = [(frame.cursors[number], fields) for number, fields, _ in spec.indexes]
    if len(keys) < _FEW_ROWS or has_hook or host.tier == "1":
        n_rows = _delete_singly(frame, spec, cursor, indexes, keys)
    else:
        rowids = list(map(itemgetter(0), keys))
        if not all(map(lt, rowids, islice(rowids, 1, None))):
            rowids = sorted(set(rowids))
        n_rows = 0
        for start in range(0, len(rowids), _CHUNK):
            if host.is_interrupted:
                raise sqlite_error(INTERRUPT)
            n_rows += _delete_chunk(cursor, indexes, rowids[start : start + _CHUNK])
    if i[5] & COUNT_CHANGE:
        frame.n_changes += n_rows
    return pc


def _delete_chunk(cursor: Any, indexes: list[tuple[Any, tuple[int, ...]]], rowids: list[int]) -> int:
    if indexes:
        rowids, rows = cursor.rows_at(rowids)
        for index, fields in indexes if rows else ():
            entries = _entries(rows, rowids, fields)
            if index.delete_many(entries) < len(entries):
                raise sqlite_error(CORRUPT_INDEX)
    n_rows: int = cursor.delete_many(rowids)
    return n_rows


def _delete_singly(
    frame: Frame,
    spec: RowsSpec,
    cursor: Any,
    indexes: list[tuple[Any, tuple[int, ...]]],
    keys: list[tuple[Any, ...]],
) -> int:
    host = frame.host
    has_hook = spec.table_name is not None and host.has_update_hook
    n_rows = 0
    for key in keys:
        rowid = key[0]
        row = cursor.seek_rowid(rowid)
        if row is None:
            continue
        for index, fields in indexes:
            if not index.delete(tuple([row[field] if field >= 0 else rowid for field in fields])):
                raise sqlite_error(CORRUPT_INDEX)
        cursor.delete()
        n_rows += 1
        if has_hook:
            host.row_changed("delete", spec.schema_index, spec.table_name or "", rowid)
        if not n_rows % _POLL_ROWS and host.is_interrupted:
            raise sqlite_error(INTERRUPT)
    return n_rows
