"""Python text of grouping: finding the group of a row, and what each aggregate call does with it.

    g = H.get(value)                          the group by the value of its only key
    if g is None: ...                         else by its key row, else a new one
    g[2] += 1                                 count(*)
    g[3].append(value)                        sum, total and avg, which are folded at the end
    if key not in g[5]: ...                   DISTINCT

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode.program import AggregateCall, GroupSpec
from minisql.storage.type_mask import NULL, REAL, TEXT
from minisql.vm.python_text import ANY, INTEGER, NUMBER, Operand, named, only

if TYPE_CHECKING:
    from minisql.vm.translator import Translator


def emit_group_step(translator: Translator, address: int) -> None:
    """Finds or opens the group and steps its calls; modifiers of a call make it run its tier-1 stepper."""
    cursor = translator.code[address][1]
    spec = translator.plan.layout.specs[cursor]
    bare = translator.tuple_text(spec.bare_registers, address) if spec.bare_registers else "()"
    state = f"g{cursor}"
    if spec.key_registers and is_keyed_by_value(translator, address):
        value = named(translator, translator.operand(spec.key_registers[0], address))
        row = translator.temporary()
        translator.line(f"{state} = H{cursor}.get({value})")
        translator.line(f"if {state} is None:")
        translator.line(f" {row} = ({value},)")
        translator.line(f" {state} = H{cursor}[{value}] = G{cursor}.get({row}) or c{cursor}.open_group({row}, {bare})")
    elif spec.key_registers:
        row = named(translator, Operand(translator.tuple_text(spec.key_registers, address), 0, 0, False))
        found = f"G{cursor}.get({row})" if cursor in translator.plain_groups else f"c{cursor}.groups.get(c{cursor}.key({row}))"
        translator.line(f"{state} = {found}")
        translator.line(f"if {state} is None: {state} = c{cursor}.open_group({row}, {bare})")
    elif spec.bare_registers:
        translator.line(f"if {state} is None: {state} = c{cursor}.open_group((), {bare})")
    for number, call in enumerate(spec.calls):
        _emit_call_step(translator, address, number, call, number == spec.bare_call and bool(spec.bare_registers))


def _emit_call_step(translator: Translator, address: int, number: int, call: AggregateCall, decides_bare: bool) -> None:
    cursor = translator.code[address][1]
    spec = translator.plan.layout.specs[cursor]
    if is_distinct_only(call):
        key, seen = translator.temporary(), translator.temporary()
        translator.line(f"{key} = {translator.tuple_text(call.registers, address)}")
        translator.line(f"{seen} = g{cursor}[{seen_slot(spec, number)}]")
        translator.line(f"if {key} not in {seen}:")
        translator.depth += 1
        translator.line(f"{seen}.add({key})")
        _emit_plain_step(translator, address, number, call, decides_bare)
        translator.depth -= 1
    elif call.distinct or call.order is not None or call.filter_register:
        registers = [*call.registers, *call.order_registers, *(spec.bare_registers if decides_bare else ())]
        if call.filter_register:
            registers.append(call.filter_register)
        for register in dict.fromkeys(registers):
            if not translator.plan.is_constant(register):
                translator.line(f"R[{register}] = {translator.operand(register, address).text}")
        translator.line(f"c{cursor}.steppers[{number}](g{cursor}, R)")
    else:
        _emit_plain_step(translator, address, number, call, decides_bare)


def _emit_plain_step(translator: Translator, address: int, number: int, call: AggregateCall, decides_bare: bool) -> None:
    """Steps a call without regard to its modifiers."""
    cursor = translator.code[address][1]
    slot = f"g{cursor}[{number + 2}]"
    name = call.function.name.lower() if call.function.is_built_in else ""
    spec = translator.plan.layout.specs[cursor]
    if name == "count" and not call.registers:
        translator.line(f"{slot} += 1")
    elif name == "count":
        translator.line(f"if {translator.operand(call.registers[0], address).text} is not None: {slot} += 1")
    elif name in ("min", "max") and len(call.registers) == 1:
        bare = translator.tuple_text(spec.bare_registers, address) if decides_bare else ""
        _emit_extreme(translator, translator.operand(call.registers[0], address), slot, call, bare)
    elif is_folded(call):
        is_named = not (spec.key_registers or spec.bare_registers or call.distinct)
        append = f"a{cursor}_{number}" if is_named else f"{slot}.append"
        translator.line(f"{append}({translator.operand(call.registers[0], address).text})")
    else:
        is_named = not (spec.key_registers or spec.bare_registers or call.distinct)
        step = f"a{cursor}_{number}" if is_named else f"{slot}.step"
        translator.line(f"{step}({', '.join(translator.texts(call.registers, address))})")


def _emit_extreme(translator: Translator, operand: Operand, slot: str, call: AggregateCall, bare: str) -> None:
    """min() and max(), as their tier-1 stepper: `bare` is the text of the bare columns if this call decides about them."""
    value = named(translator, operand)
    best = translator.temporary()
    is_max = call.function.name.lower() == "max"
    collation = "BINARY" if call.collation is None else translator.object_name(("object", call.collation))
    better = f"compare({value}, {best}, {collation}) == {1 if is_max else -1}"
    if only(operand, TEXT | NULL) and (call.collation is None or call.collation.is_binary):
        better = f"({value} {'>' if is_max else '<'} {best} if {best}.__class__ is str else {better})"
    elif only(operand, NUMBER | NULL):
        # The best so far may come from a leaf that tier 1 has handled, so its class is tested too.
        kind = "float" if operand.classes & REAL else "int"
        better = f"({value} {'>' if is_max else '<'} {best} if {best}.__class__ is {kind} else {better})"
    if operand.classes & NULL:
        better = f"({value} is not None and {better})"
    if not only(operand, NUMBER | NULL) and only(operand, ANY) and operand.classes & INTEGER:
        are_integers = f"{value}.__class__ is int and {best}.__class__ is int"
        better = f"({value} {'>' if is_max else '<'} {best} if {are_integers} else {better})"
    translator.line(f"{best} = {slot}")
    translator.line(f"if {best} is None or {better}:")
    translator.line(f" {slot} = {value}")
    if bare:
        translator.line(f" {slot.partition('[')[0]}[1] = {bare}")


def is_collected(call: AggregateCall) -> bool:
    """Tells whether a call without modifiers gathers its arguments in a list."""
    return not (call.distinct or call.filter_register or call.order is not None) and is_folded(call)


def is_folded(call: AggregateCall) -> bool:
    """Tells whether the function of a call, modifiers aside, gathers its arguments in a list."""
    function = call.function
    return function.is_built_in and function.fold is not None and function.name.lower() in ("sum", "total", "avg")


def is_distinct_only(call: AggregateCall) -> bool:
    """Tells whether DISTINCT over values that are their own keys is the only modifier of a call."""
    if not call.distinct or not call.registers or call.filter_register or call.order is not None:
        return False
    return call.collation is None or call.collation.is_binary


def seen_slot(spec: GroupSpec, number: int) -> int:
    """The slot of the values that a DISTINCT call has seen, see grouping.GroupPlan."""
    return len(spec.calls) + 2 + sum(1 for call in spec.calls[:number] if call.distinct and call.registers)


def is_keyed_by_value(translator: Translator, address: int) -> bool:
    """Tells whether groups are also kept by the value of their only key, without a tuple around it."""
    _, cursor, _, _, _, _ = translator.code[address]
    spec = translator.plan.layout.specs[cursor]
    return len(spec.key_registers) == 1 and cursor in translator.plain_groups


def is_stepped(call: AggregateCall) -> bool:
    """Tells whether a call without modifiers steps an accumulator."""
    function = call.function
    if call.distinct or call.filter_register or call.order is not None or is_collected(call):
        return False
    name = function.name.lower() if function.is_built_in else ""
    return name != "count" and not (name in ("min", "max") and len(call.registers) == 1)
