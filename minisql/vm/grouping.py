"""GROUP BY and aggregates: a dict from equality keys to the state of a group.

Each aggregate call of the GroupSpec becomes a stepper, `step(state, registers)`, chosen once for the function and its
modifiers; a state is a list with one slot per call (and more for DISTINCT).  count, min and max keep a plain value; functions
with a `fold` collect their arguments and fold them when the groups are finished; all others keep an accumulator.
FILTER, DISTINCT and ORDER BY inside a call wrap the stepper.

Groups come out sorted by their keys, as SQLite's sorter gives them; a group shows the key values of its first row.

Source: https://www.sqlite.org/lang_aggfunc.html, https://www.sqlite.org/lang_select.html#bareagg.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.bytecode.program import AggregateCall, GroupSpec, SortSpec
from minisql.values.arithmetic import truth
from minisql.values.collation import BINARY
from minisql.values.compare import compare
from minisql.vm.ephemeral import ListCursor
from minisql.vm.equality import key_function
from minisql.vm.picking import GETTERS
from minisql.vm.sorting import sort_rows

if TYPE_CHECKING:
    from minisql.functions.registry import Accumulator

Row = tuple[Any, ...]
State = list[Any]
Stepper = Callable[[State, list[Any]], None]
# One call: what makes the content of a fresh state's slot (or the number or NULL itself that it begins with), how to step, how
# to turn the slot into the result (None: it is the result).
Plan = tuple[Callable[[], Any] | int | None, Stepper, Callable[[Any], Any] | None]

_FOLDED = frozenset(("sum", "total", "avg"))


class GroupPlan:
    """What all cursors of a GroupSpec share: `initial` is what a fresh state begins with, `makers` are the slots whose content
    is made for each state, `results` turn slots into results."""

    __slots__ = ("initial", "key", "makers", "pick_bare", "pick_key", "results", "steppers")

    def __init__(self, spec: GroupSpec) -> None:
        key_registers = spec.key_registers
        self.pick_key = GETTERS[key_registers]
        self.key = key_function(spec.key_collations) if key_registers else None
        self.pick_bare = GETTERS[spec.bare_registers]
        self.initial: list[Any] = [(), ()]
        self.makers: list[tuple[int, Callable[[], Any]]] = []
        self.steppers: list[Stepper] = []
        self.results: list[Callable[[Any], Any] | None] = []
        bare_call = spec.bare_call + 2 if spec.bare_registers and spec.bare_call >= 0 else -1
        n_distinct = 0
        for slot, call in enumerate(spec.calls, 2):
            make, step, result = plan_call(slot, call, self.pick_bare if slot == bare_call else None)
            if call.distinct and call.registers:
                step = _distinct_stepper(len(spec.calls) + 2 + n_distinct, call, step)
                n_distinct += 1
            if call.filter_register:
                step = _filter_stepper(call.filter_register, step)
            if make is None or make.__class__ is int:
                self.initial.append(make)
            else:
                self.initial.append(None)
                self.makers.append((slot, make))  # type: ignore[arg-type]
            self.steppers.append(step)
            self.results.append(result)
        for _ in range(n_distinct):
            self.makers.append((len(self.initial), set))
            self.initial.append(None)


class GroupCursor(ListCursor):
    """The grouping table: `step` feeds the registers of a row, `finish` makes the rows and moves to the first.

    A state holds the key row in slot 0, the bare values in slot 1 and the calls from slot 2.
    """

    __slots__ = ("_initial", "_makers", "_pick_bare", "_pick_key", "_results", "_spec", "groups", "key", "only", "steppers")

    def __init__(self, spec: GroupSpec) -> None:
        self.rows: list[Row] = []
        self.position = -1
        self.row: Row | None = None
        self._spec = spec
        plan: GroupPlan | None = spec.plan
        if plan is None:
            plan = spec.plan = GroupPlan(spec)
        self._pick_key = plan.pick_key
        self.key = plan.key
        self._pick_bare = plan.pick_bare
        self._initial = plan.initial
        self._makers = plan.makers
        self.steppers = plan.steppers
        self._results = plan.results
        self.groups: dict[Row, State] = {}
        self.only: State | None = None

    def step(self, registers: list[Any]) -> None:
        """Feeds one row, which stands in the registers."""
        if self._spec.key_registers:
            row = self._pick_key(registers)
            state = self.groups.get(row if self.key is None else self.key(row))
            if state is None:
                state = self.open_group(row, self._pick_bare(registers))
        else:
            state = self.only
            if state is None:
                state = self.open_group((), self._pick_bare(registers))
        for stepper in self.steppers:
            stepper(state, registers)

    def open_group(self, row: Row, bare: Row) -> State:
        """Makes the state of a new group; `row` holds its key values, `bare` the bare columns of its first row."""
        state = self._fresh_state()
        state[1] = bare
        if self._spec.key_registers:
            state[0] = row
            self.groups[row if self.key is None else self.key(row)] = state
        else:
            self.only = state
        return state

    def _fresh_state(self) -> State:
        state = self._initial.copy()
        for slot, make in self._makers:
            state[slot] = make()
        return state

    def finish(self) -> Row | None:
        """Turns the groups into rows in key order and moves to the first."""
        spec = self._spec
        n_keys = len(spec.key_registers)
        if n_keys:
            states = list(self.groups.values())
        else:
            state = self.only
            if state is None:
                state = self._fresh_state()
                state[1] = (None,) * len(spec.bare_registers)
            states = [state]
        results = self._results
        self.rows = [
            (
                *state[0],
                *[value if result is None else result(value) for result, value in zip(results, state[2:])],
                *state[1],
            )
            for state in states
        ]
        self.groups = {}
        if n_keys and spec.key_descending:
            nulls_first = tuple([not descending for descending in spec.key_descending])
            order = SortSpec(tuple(range(n_keys)), spec.key_collations, spec.key_descending, nulls_first, n_keys)
            sort_rows(self.rows, order)
        return self.first()


def plan_call(slot: int, call: AggregateCall, pick_bare: Callable[[list[Any]], Row] | None) -> Plan:
    """Chooses how a call is computed.  `pick_bare` is given for the min() or max() that decides about bare columns."""
    function = call.function
    if call.order is not None:
        return _plan_ordered(slot, call)
    if function.is_built_in:
        name = function.name.lower()
        if name in ("min", "max") and len(call.registers) == 1:
            return _plan_extreme(slot, call, name == "max", pick_bare)
        if name == "count":
            return 0, _count_stepper(slot, call.registers), None
        if name in _FOLDED and function.fold is not None:
            return list, _collect_stepper(slot, call.registers[0]), function.fold
    pick = GETTERS[call.registers]

    def step(state: State, registers: list[Any]) -> None:
        state[slot].step(*pick(registers))

    return make_accumulator(call), step, _value


def make_accumulator(call: AggregateCall) -> Callable[[], Accumulator]:
    """Returns the function that makes a fresh accumulator for a call."""
    function = call.function
    if function.needs_collation:
        collation = call.collation or BINARY
        return lambda: function.make(collation)
    return function.make


def _value(accumulator: Accumulator) -> Any:
    return accumulator.value()


def _count_stepper(slot: int, argument_registers: tuple[int, ...]) -> Stepper:
    if not argument_registers:

        def count_rows(state: State, registers: list[Any]) -> None:
            state[slot] += 1

        return count_rows
    register = argument_registers[0]

    def count_values(state: State, registers: list[Any]) -> None:
        if registers[register] is not None:
            state[slot] += 1

    return count_values


def _collect_stepper(slot: int, register: int) -> Stepper:
    def collect(state: State, registers: list[Any]) -> None:
        state[slot].append(registers[register])

    return collect


def _plan_extreme(slot: int, call: AggregateCall, is_max: bool, pick_bare: Callable[[list[Any]], Row] | None) -> Plan:
    """min() and max(): a NULL loads the bare columns only as long as there is no value, like SQLite's accumulator."""
    register = call.registers[0]
    collation = call.collation or BINARY
    wanted = 1 if is_max else -1

    def step(state: State, registers: list[Any]) -> None:
        value = registers[register]
        best = state[slot]
        if best is None:
            state[slot] = value
        elif value is None:
            return
        elif value.__class__ is int and best.__class__ is int:
            if not (value > best if is_max else value < best):
                return
            state[slot] = value
        elif compare(value, best, collation) == wanted:
            state[slot] = value
        else:
            return
        if pick_bare is not None:
            state[1] = pick_bare(registers)

    return None, step, None


def _filter_stepper(register: int, inner: Stepper) -> Stepper:
    def step(state: State, registers: list[Any]) -> None:
        if truth(registers[register]):
            inner(state, registers)

    return step


def _distinct_stepper(slot: int, call: AggregateCall, inner: Stepper) -> Stepper:
    pick = GETTERS[call.registers]
    make_key = key_function((call.collation,) * len(call.registers))

    def step(state: State, registers: list[Any]) -> None:
        row = pick(registers)
        key = row if make_key is None else make_key(row)
        seen = state[slot]
        if key not in seen:
            seen.add(key)
            inner(state, registers)

    return step


def _plan_ordered(slot: int, call: AggregateCall) -> Plan:
    """ORDER BY inside the call: the arguments are kept behind their order keys and fed when the group is finished."""
    pick = GETTERS[call.order_registers + call.registers]
    n_order = len(call.order_registers)
    order = call.order
    make = make_accumulator(call)
    assert order is not None

    def step(state: State, registers: list[Any]) -> None:
        state[slot].append(pick(registers))

    def result(rows: list[Row]) -> Any:
        sort_rows(rows, order)
        accumulator = make()
        for row in rows:
            accumulator.step(*row[n_order:])
        return accumulator.value()

    return list, step, result
