"""Innermost loops over lists of rows without a `for` statement: a filter and what it feeds, as comprehensions.

    rows that pass                V = [w for w in W if condition]
    count, sum and the like       g[2] += len(V); g[3] += [text for w in V]
    min, max                      the best of a comprehension, then as for a single row
    list and sorter               c.rows += [row for w in V]
    result rows                   yield from [row for w in V], while all rows are being fetched; else one by one, as the
                                  tree may change under them

A body qualifies when nothing in it needs a statement of its own: pure instructions that are folded, conditional jumps to the
loop's Next, and one GroupStep without keys, ListAppend or SorterInsert without a limit at the end.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import AggregateCall, LoopExtent
from minisql.storage.type_mask import NULL, TEXT
from minisql.vm import flow_text
from minisql.vm.group_text import is_distinct_only, seen_slot
from minisql.vm.python_text import NUMBER, PLAIN_CONDITIONS, Operand, only

if TYPE_CHECKING:
    from minisql.vm.translator import Translator



def emit_bulk(translator: Translator, loop: LoopExtent, first: int, row: str) -> bool:
    """Emits the body of a loop over the list W<start>, from the address `first` on; False, having emitted nothing, if it does
    not qualify.  `row` is the target of the loop: the row's name, or a pair of names."""
    plan = translator.plan
    if any(register in plan.unpacked and plan.uses[register] for register in plan.writes[loop.start]):
        return False
    step = _last_step(translator, first, loop.next, _EMITTERS)
    if step < 0:
        return False
    lines = translator.lines
    mark = len(lines)
    consulted = set(translator.consulted)
    rows = _filtered_rows(translator, loop, first, step, row)
    if rows is not None and _EMITTERS[translator.code[step][0]](translator, step, rows):
        return True
    del lines[mark:]
    translator.consulted = consulted
    return False


def emit_handed_on(translator: Translator, loop: LoopExtent, row: str) -> bool:
    """Emits the rows of a list that nobody changes as they are; False, having emitted nothing, if the body does more."""
    step = loop.body
    if step + 1 != loop.next or translator.code[step][0] != op.ResultRow:
        return False
    if translator.tuple_text(translator.plan.reads[step], step) != row:
        return False
    translator.address = step
    translator.line(f"yield from W{loop.start}")
    return True


def emit_fetched(translator: Translator, loop: LoopExtent, first: int, row: str) -> bool:
    """Emits the rows of a list as a list of result rows, for a fetch of all rows, and leaves the `else` to the caller; False,
    having emitted nothing, if the body does not qualify."""
    plan = translator.plan
    if any(register in plan.unpacked and plan.uses[register] for register in plan.writes[loop.start]):
        return False
    step = _last_step(translator, first, loop.next, _RESULT_ROW)
    if step < 0 or not _calls_built_in_functions(translator):
        return False
    consulted = set(translator.consulted)
    rows = _filtered_rows(translator, loop, first, step, row)
    if rows is None:
        translator.consulted = consulted
        return False
    text = translator.tuple_text(plan.reads[step], step)
    translator.address = step
    translator.line("if host.fetches_all:")
    translator.depth += 1
    translator.line(f"yield from {rows.name if text == rows.row else f'[{text} {rows.clause}]'}")
    translator.depth -= 1
    translator.line("else:")
    return True


_RESULT_ROW = frozenset((op.ResultRow,))


def _calls_built_in_functions(translator: Translator) -> bool:
    """Tells whether no function of the user is called: one could fetch rows of its own in between."""
    return all(instruction[4][0].is_built_in for instruction in translator.code if instruction[0] == op.Function)


def _last_step(translator: Translator, first: int, end: int, steps: Collection[int]) -> int:
    """The address of the only instruction, the last and one of `steps`, that does something; -1 if there is another."""
    code = translator.code
    last = end - 1
    if last < first or code[last][0] not in steps:
        return -1
    for address in range(first, last):
        opcode = code[address][0]
        if address not in translator.plan.folded and opcode != op.Noop and opcode not in PLAIN_CONDITIONS:
            return -1
    return last


class _Rows:
    """The rows that reach the step: `clause` is what a comprehension over them has behind its value; `name` is the list of
    them, once somebody has asked for it."""

    __slots__ = ("_condition", "_length", "_name", "row", "source", "translator")

    def __init__(self, translator: Translator, row: str, source: str, condition: str) -> None:
        self.translator = translator
        self.row = row
        self.source = source
        self._condition = condition
        self._name = "" if condition or "," in row else source
        self._length = ""

    def collect(self) -> None:
        """Emits the list of the rows, for steps that go over it more than once."""
        if not self._name:
            item = f"({self.row})" if "," in self.row else self.row
            self._name = self.translator.temporary()
            self.translator.line(f"{self._name} = [{item} {self._clause(self.source, self._condition)}]")
        self._length = f"len({self._name})"

    def _clause(self, source: str, condition: str) -> str:
        return f"for {self.row} in {source}" + (f" if {condition}" if condition else "")

    @property
    def name(self) -> str:
        """The name of the list."""
        self.collect()
        return self._name

    @property
    def clause(self) -> str:
        """The clause of a comprehension over the rows."""
        return self._clause(self._name, "") if self._name else self._clause(self.source, self._condition)

    def values(self, text: str) -> str:
        """Emits the list of a value for each row; returns its name."""
        name = self.translator.temporary()
        self.translator.line(f"{name} = [{text} {self.clause}]")
        self._length = f"len({name})"
        return name

    @property
    def length(self) -> str:
        """The text of the number of rows."""
        if not self._length:
            self._length = f"len({self._name})" if self._name else f"len({self.values('1')})"
        return self._length


def _filtered_rows(translator: Translator, loop: LoopExtent, first: int, step: int, row: str) -> _Rows | None:
    """The rows that pass the conditions in front of the step; None if they do not fit."""
    code = translator.code
    address = first
    while address < step and (code[address][0] not in PLAIN_CONDITIONS or address in translator.plan.folded):
        address += 1
    rows = f"W{loop.start}"
    if address == step:
        return _Rows(translator, row, rows, "")
    translator.address = address
    condition = flow_text.joint_condition(translator, address, step, loop.next)
    return None if condition is None else _Rows(translator, row, rows, condition.opposite)


def _emit_append(translator: Translator, address: int, rows: _Rows) -> bool:
    """ListAppend, WindowStep and SorterInsert."""
    opcode, cursor, _, _, _, _ = translator.code[address]
    if opcode == op.SorterInsert and cursor in translator.sorter_specs:
        return False
    text = translator.tuple_text(translator.plan.reads[address], address)
    lists = "stored" if opcode == op.WindowStep else "rows"
    translator.line(f"c{cursor}.{lists} += {rows.name if text == rows.row else f'[{text} {rows.clause}]'}")
    return True


def _emit_group_step(translator: Translator, address: int, rows: _Rows) -> bool:
    cursor = translator.code[address][1]
    spec = translator.plan.layout.specs[cursor]
    if spec.key_registers or spec.bare_registers:
        return False
    calls: list[tuple[str, AggregateCall, Operand | None]] = []
    n_lists = 0
    for number, call in enumerate(spec.calls, 2):
        function = call.function
        if call.filter_register or call.order is not None or not function.is_built_in:
            return False
        if call.distinct and not (function.name.lower() == "count" and len(call.registers) == 1 and is_distinct_only(call)):
            return False
        operand = translator.operand(call.registers[0], address) if len(call.registers) == 1 else None
        if not _is_listed(call, operand):
            return False
        n_lists += operand is not None
        calls.append((f"g{cursor}[{number}]", call, operand))
    if n_lists > 1:
        rows.collect()
    # Values first: their number may be that of the rows.
    for slot, call, operand in sorted(calls, key=_is_count):
        if call.distinct and operand is not None:
            _emit_distinct(translator, slot, f"g{cursor}[{seen_slot(spec, spec.calls.index(call))}]", rows.values(operand.text))
            continue
        _emit_call(translator, call, operand, slot, rows)
    return True


def _emit_distinct(translator: Translator, slot: str, seen: str, values: str) -> None:
    """Emits count(DISTINCT) over a list of values: what the set has more than before, NULL aside."""
    name, before = translator.temporary(), translator.temporary()
    translator.line(f"{name} = {seen}")
    translator.line(f"{before} = len({name}) - ((None,) in {name})")
    translator.line(f"{name}.update(zip({values}))")
    translator.line(f"{slot} += len({name}) - ((None,) in {name}) - {before}")


def _is_count(item: tuple[str, AggregateCall, Operand | None]) -> bool:
    return item[2] is None


def _is_listed(call: AggregateCall, operand: Operand | None) -> bool:
    """Tells whether a call can take a list of values at once."""
    name = call.function.name.lower()
    if operand is None:
        return name == "count" and not call.registers
    if name in ("min", "max"):
        is_binary = call.collation is None or call.collation.is_binary
        return only(operand, NUMBER | NULL) or (only(operand, TEXT | NULL) and is_binary)
    return name == "count" or (name in ("sum", "total", "avg") and call.function.fold is not None)


def _emit_call(translator: Translator, call: AggregateCall, operand: Operand | None, slot: str, rows: _Rows) -> None:
    """Emits an aggregate call over all rows."""
    name = call.function.name.lower()
    if operand is None:
        translator.line(f"{slot} += {rows.length}")
        return
    values = rows.values(operand.text)
    if name not in ("min", "max", "count"):
        translator.line(f"{slot} += {values}")
        return
    if name == "count":
        nulls = f" - {values}.count(None)" if operand.classes & NULL else ""
        translator.line(f"{slot} += len({values}){nulls}")
        return
    if operand.classes & NULL:
        chosen, value = translator.temporary(), translator.temporary()
        translator.line(f"{chosen} = [{value} for {value} in {values} if {value} is not None]")
        values = chosen
    best, old = translator.temporary(), translator.temporary()
    collation = "BINARY" if call.collation is None else translator.object_name(("object", call.collation))
    translator.line(f"if {values}:")
    translator.line(f" {best} = {name}({values})")
    translator.line(f" {old} = {slot}")
    sign = 1 if name == "max" else -1
    translator.line(f" if {old} is None or compare({best}, {old}, {collation}) == {sign}: {slot} = {best}")


_EMITTERS = {
    op.GroupStep: _emit_group_step,
    **dict.fromkeys((op.ListAppend, op.SorterInsert, op.WindowStep), _emit_append),
}
