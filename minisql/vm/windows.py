"""Window functions: rows are collected, sorted, cut into partitions, and every call adds a result to every row.

`WindowCursor.step` keeps the registers of a row together with the arguments and FILTER values of the calls; `finish` sorts
them, computes one column of results per call and partition, and walks the rows (their own columns, then the results).

Aggregates over frames that only grow keep one accumulator; frames that slide use `inverse` where the function has it; all
others, and EXCLUDE, are computed afresh for each row, as SQLite does.

Source: https://www.sqlite.org/windowfunctions.html.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from minisql.bytecode.operands import window_registers
from minisql.bytecode.program import WindowCall, WindowSpec
from minisql.errors import ERROR, sqlite_error
from minisql.values.affinity import NUMERIC, apply_affinity
from minisql.values.arithmetic import add, truth
from minisql.values.collation import BINARY
from minisql.values.compare import equal
from minisql.vm.ephemeral import ListCursor
from minisql.vm.picking import GETTERS
from minisql.vm.sorting import sort_rows
from minisql.vm.window_frames import Partition, frame_ranges, included

if TYPE_CHECKING:
    from minisql.functions.registry import Accumulator
    from minisql.values.collation import Collation

Row = tuple[Any, ...]


class WindowCursor(ListCursor):
    """The window computation of one WindowSpec; `stored` are the rows so far, made of `window_registers`."""

    __slots__ = ("_n_columns", "_pick", "_slots", "_spec", "stored")

    def __init__(self, spec: WindowSpec) -> None:
        super().__init__()
        self._spec = spec
        self._n_columns = len(spec.row_registers)
        self._slots: list[tuple[slice, int]] = []
        first = self._n_columns
        for call in spec.calls:
            end = first + len(call.registers)
            self._slots.append((slice(first, end), end if call.filter_register else -1))
            first = end + (1 if call.filter_register else 0)
        self._pick = GETTERS[tuple(window_registers(spec))]
        self.stored: list[Row] = []

    def step(self, registers: list[Any]) -> None:
        """Adds a row, which stands in the registers."""
        self.stored.append(self._pick(registers))

    def finish(self, registers: list[Any]) -> Row | None:
        """Computes all results and moves to the first row; frame offsets are read from the registers."""
        rows = self.stored
        spec = self._spec
        if spec.sort is not None:
            sort_rows(rows, spec.sort)
        self.rows = []
        start = 0
        for end in self._partition_ends(rows):
            self._finish_partition(rows[start:end], registers)
            start = end
        self.stored = []
        return self.first()

    def _partition_ends(self, rows: list[Row]) -> list[int]:
        spec = self._spec
        if spec.sort is None or not spec.n_partition:
            return [len(rows)] if rows else []
        n = spec.n_partition
        return [*_changes(rows, spec.sort.keys[:n], spec.sort.collations[:n]), len(rows)] if rows else []

    def _finish_partition(self, rows: list[Row], registers: list[Any]) -> None:
        partition = self._peer_groups(rows)
        columns = []
        for call, (arguments, filter_slot) in zip(self._spec.calls, self._slots):
            values = [row[arguments] for row in rows] if call.registers else [()] * len(rows)
            passes = None if filter_slot < 0 else [truth(row[filter_slot]) for row in rows]
            if call.function is None:
                columns.append(_BUILT_IN[call.name](partition, call, values, registers))
            else:
                columns.append(_aggregate(partition, call, values, passes, registers))
        n = self._n_columns
        has_arguments = len(rows[0]) > n
        if len(columns) == 1 and not has_arguments:
            self.rows += [(*row, result) for row, result in zip(rows, columns[0])]
        elif len(columns) == 1:
            self.rows += [(*row[:n], result) for row, result in zip(rows, columns[0])]
        elif columns:
            self.rows += [row[:n] + results for row, results in zip(rows, zip(*columns))]
        else:
            self.rows += [row[:n] for row in rows] if has_arguments else rows

    def _peer_groups(self, rows: list[Row]) -> Partition:
        spec = self._spec
        n = spec.n_partition
        if spec.sort is None or len(spec.sort.keys) == n or all(call.name in _WITHOUT_PEERS for call in spec.calls):
            return Partition([0] * len(rows), [0], [None] * len(rows), False)
        starts = [0, *_changes(rows, spec.sort.keys[n:], spec.sort.collations[n:])]
        group_of: list[int] = []
        for group, (start, end) in enumerate(pairwise([*starts, len(rows)])):
            group_of += (group,) * (end - start)
        key = spec.sort.keys[n]
        return Partition(group_of, starts, [row[key] for row in rows], spec.sort.descending[n])


# Built-in functions that do not ask which rows are peers.
_WITHOUT_PEERS = frozenset(("row_number", "ntile", "lag", "lead"))


def _changes(rows: list[Row], positions: Sequence[int], collations: Sequence[Collation | None]) -> list[int]:
    """The positions of the rows that differ from the row before them in a key."""
    if all(collation is None or collation.is_binary for collation in collations):
        # Python finds values equal as SQL does, and NULL is equal to NULL here.
        keys = list(map(itemgetter(*positions), rows))
        return [i for i, (before, key) in enumerate(pairwise(keys), 1) if key != before]
    terms = [(position, collation or BINARY) for position, collation in zip(positions, collations)]
    return [
        i
        for i, (a, b) in enumerate(pairwise(rows), 1)
        if not all(equal(a[position], b[position], collation) for position, collation in terms)
    ]


def _aggregate(
    partition: Partition, call: WindowCall, values: list[Row], passes: list[bool | None] | None, registers: list[Any]
) -> list[Any]:
    """The results of an aggregate function over the frames of a partition."""
    function = call.function
    assert function is not None
    make: Callable[[], Accumulator] = function.make
    if function.needs_collation:
        make = partial(function.make, call.collation or BINARY)
    if function.make_over is None:
        return _over_frames(partition, call, values, passes, registers, make)
    made: list[Any] = []

    def make_noted() -> Any:
        made.append(function.make_over())  # type: ignore[misc]
        return made[-1]

    results = _over_frames(partition, call, values, passes, registers, make_noted)
    for accumulator in made:
        accumulator.close()
    return results


def _over_frames(
    partition: Partition,
    call: WindowCall,
    values: list[Row],
    passes: list[bool | None] | None,
    registers: list[Any],
    make: Callable[[], Accumulator],
) -> list[Any]:
    function = call.function
    assert function is not None
    unit, start_kind, _, end_kind, _, exclude = call.frame
    if function.running is not None and passes is None and not exclude and len(call.registers) <= 1:
        if start_kind == "unbounded preceding" and end_kind == "current row":
            running = function.running([value for (value,) in values] if call.registers else values)
            if running is not None:
                if unit == "rows" or len(partition.starts) == partition.n:
                    return running
                ends = partition.ends
                return [running[ends[group] - 1] for group in partition.group_of]
    ranges = frame_ranges(partition, call.frame, registers)
    if not exclude:
        if start_kind == "unbounded preceding":
            return _growing(make, values, passes, ranges)
        if function.has_inverse:
            return _sliding(make, values, passes, ranges, unit)
    results = []
    for i, (low, high) in enumerate(ranges):
        accumulator = make()
        for position in included(partition, i, low, high, exclude):
            if passes is None or passes[position]:
                accumulator.step(*values[position])
        results.append(accumulator.value())
    return results


def _growing(
    make: Callable[[], Accumulator], values: list[Row], passes: list[bool | None] | None, ranges: list[tuple[int, int]]
) -> list[Any]:
    accumulator = make()
    step, value = accumulator.step, accumulator.value
    done = 0
    results: list[Any] = []
    for _, high in ranges:
        if high == done and results:
            results.append(results[-1])
            continue
        for position in range(done, high):
            if passes is None or passes[position]:
                step(*values[position])
        done = max(done, high)
        results.append(value())
    return results


def _sliding(
    make: Callable[[], Accumulator],
    values: list[Row],
    passes: list[bool | None] | None,
    ranges: list[tuple[int, int]],
    unit: str,
) -> list[Any]:
    """Frames whose bounds never move back: rows enter at the end and leave at the start.

    One accumulator sees all rows of the partition, as in SQLite: the order of steps and inverses decides when a sum of
    integers overflows and how a real is rounded, and a sum that met a real once stays one.  With ROWS a row leaves before the
    next one enters; with RANGE those that enter come first.
    """
    accumulator: Any = make()
    step, inverse = accumulator.step, accumulator.inverse
    first = last = 0
    results: list[Any] = []
    for low, high in ranges:
        width = high - low if unit == "rows" and high > low else 1
        for position in range(last, high):
            if unit != "range":
                while first < low and first <= position - width:
                    if passes is None or passes[first]:
                        inverse(*values[first])
                    first += 1
            if passes is None or passes[position]:
                step(*values[position])
        if high > last:
            last = high
        while first < low and first < last:
            if passes is None or passes[first]:
                inverse(*values[first])
            first += 1
        results.append(accumulator.value())
    return results


def _row_number(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return list(range(1, partition.n + 1))


def _rank(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return [partition.starts[group] + 1 for group in partition.group_of]


def _dense_rank(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return [group + 1 for group in partition.group_of]


def _percent_rank(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    n = partition.n
    return [partition.starts[group] / (n - 1) if n > 1 else 0.0 for group in partition.group_of]


def _cume_dist(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return [partition.ends[group] / partition.n for group in partition.group_of]


def _ntile(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    """The first n % k of k buckets hold one row more than the others."""
    buckets: Any = apply_affinity(values[0][0], NUMERIC)
    if buckets.__class__ is not int or buckets <= 0:
        raise sqlite_error(ERROR, "argument of ntile must be a positive integer")
    size, n_larger = divmod(partition.n, buckets)
    in_larger = n_larger * (size + 1)
    return [
        i // (size + 1) + 1 if i < in_larger else n_larger + (i - in_larger) // size + 1 for i in range(partition.n)
    ]


def _lag(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return _shifted(values, -1)


def _lead(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return _shifted(values, 1)


def _shifted(values: list[Row], direction: int) -> list[Any]:
    n = len(values)
    offsets = {1} if len(values[0]) < 2 else {arguments[1] for arguments in values}
    same: Any = offsets.pop()
    if not offsets and same.__class__ is int and 0 <= same <= n:
        shifted = [arguments[0] for arguments in values]
        defaults = [arguments[2] for arguments in values] if len(values[0]) > 2 else [None] * n
        if direction < 0:
            return defaults[:same] + shifted[: n - same]
        return shifted[same:] + defaults[n - same :]
    results = []
    for i, arguments in enumerate(values):
        # The row is found by arithmetic: text counts what it begins with, a fraction finds none.
        offset: Any = 1 if len(arguments) < 2 else add(0, arguments[1])
        default = arguments[2] if len(arguments) > 2 else None
        if offset.__class__ is float and offset.is_integer():
            offset = int(offset)
        position = i + direction * offset if offset.__class__ is int else -1
        results.append(values[position][0] if 0 <= position < len(values) else default)
    return results


def _first_value(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return _picked(partition, call, values, registers, lambda i: 0)


def _last_value(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    return _picked(partition, call, values, registers, lambda i: -1)


def _nth_value(partition: Partition, call: WindowCall, values: list[Row], registers: list[Any]) -> list[Any]:
    def number(i: int) -> int:
        n: Any = apply_affinity(values[i][1], NUMERIC)
        if n.__class__ is not int or n <= 0:
            raise sqlite_error(ERROR, "second argument to nth_value must be a positive integer")
        return int(n) - 1

    return _picked(partition, call, values, registers, number)


def _picked(
    partition: Partition, call: WindowCall, values: list[Row], registers: list[Any], which: Callable[[int], int]
) -> list[Any]:
    """The first argument at one position of each row's frame, NULL if the frame is shorter."""
    exclude = call.frame[5]
    results = []
    for i, (low, high) in enumerate(frame_ranges(partition, call.frame, registers)):
        positions = included(partition, i, low, high, exclude)
        index = which(i)
        results.append(values[positions[index]][0] if -len(positions) <= index < len(positions) else None)
    return results


_BUILT_IN: dict[str, Callable[[Partition, WindowCall, list[Row], list[Any]], list[Any]]] = {
    "row_number": _row_number,
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
    "ntile": _ntile,
    "lag": _lag,
    "lead": _lead,
    "first_value": _first_value,
    "last_value": _last_value,
    "nth_value": _nth_value,
}
