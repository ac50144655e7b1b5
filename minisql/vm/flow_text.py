"""Control flow: from forward jumps to `if`, `else`, `continue` and `break`.

The builder promises that every jump but the back jumps of recorded loops goes forward.  `emit_region` turns a stretch of
instructions into statements:

    jump to the loop's Next         continue
    jump to the loop's end          break
    jump to a successful Halt       return
    jump further out of the loop    pc = target; break          (the enclosing loop goes on from there)
    jump within the region          if not condition: ... [else: ...]

Neighbouring conditional jumps become one condition with `and` and `or`.  When jumps cross each other so that no nesting of
`if` fits, the region is emitted again as guarded blocks: a jump sets `pc` to its target, and each basic block runs only
`if pc <= its own address`.  That form is always right, because jumps only go forward.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import JUMPS
from minisql.vm import loop_text, statement_text
from minisql.vm.python_text import PLAIN_CONDITIONS, Condition, condition_of
from minisql.vm.register_plan import Untranslatable

if TYPE_CHECKING:
    from minisql.vm.translator import Translator


class Crossing(Exception):
    """A jump leads to a place that the nesting of the moment cannot reach."""

    def __init__(self, target: int) -> None:
        self.target = target


class _Item:
    """A conditional jump, or several merged ones: `start` where its evaluation begins, `end` behind it.

    The condition is `parts` joined by `joint` ('and', 'or', or '' for a single part).
    """

    __slots__ = ("end", "joint", "parts", "start", "target")

    def __init__(self, start: int, end: int, joint: str, parts: list[Condition], target: int) -> None:
        self.start = start
        self.end = end
        self.joint = joint
        self.parts = parts
        self.target = target

    @property
    def condition(self) -> Condition:
        """The joined condition."""
        if not self.joint:
            return self.parts[0]
        opposite = "and" if self.joint == "or" else "or"
        return Condition(
            "(" + f" {self.joint} ".join([part.text for part in self.parts]) + ")",
            "(" + f" {opposite} ".join([part.opposite for part in self.parts]) + ")",
        )

    def parts_for(self, joint: str) -> list[Condition]:
        """The condition as a list to be joined by `joint`: long chains stay flat."""
        return self.parts if self.joint == joint else [self.condition]

    def negated(self) -> _Item:
        """The item with the opposite condition."""
        joint = {"": "", "and": "or", "or": "and"}[self.joint]
        return _Item(self.start, self.end, joint, [Condition(part.opposite, part.text) for part in self.parts], self.target)


def emit_region(translator: Translator, start: int, end: int) -> None:
    """Emits the instructions from `start` to `end` (exclusive), nested where possible, else guarded."""
    lines = translator.lines
    translator.end_run()
    mark = len(lines)
    depth = translator.depth
    loop = translator.loop
    n_loops = translator.n_loops
    try:
        _emit_nested(translator, start, end)
    except Crossing as crossing:
        if crossing.target > end:
            raise
        translator.end_run()
        del lines[mark:]
        translator.depth = depth
        translator.loop = loop
        translator.n_loops = n_loops
        _emit_guarded(translator, start, end)
    translator.end_run()
    if len(lines) == mark:
        translator.line("pass")


def _emit_nested(translator: Translator, start: int, end: int) -> None:
    code = translator.code
    plan = translator.plan
    i = start
    while i < end:
        translator.address = i
        opcode = code[i][0]
        if i in plan.loop_at:
            i = _emit_loop(translator, i, end)
        elif i in plan.folded or opcode == op.Noop:
            i += 1
        elif opcode == op.Goto:
            i = _emit_goto(translator, i, end)
        elif opcode in JUMPS and code[i][2] != 0:
            i = _emit_branch(translator, i, end)
        else:
            statement_text.emit_statement(translator, i)
            i = i + 1 if opcode != op.Halt else _next_label(translator, i, end)


def _emit_loop(translator: Translator, address: int, end: int) -> int:
    """Emits a loop and the jumps that leave it for places outside; returns where to go on."""
    loop = translator.plan.loop_at[address]
    escapes = loop_text.emit_loop(translator, loop)
    for target in sorted(escapes):
        direct = direct_jump(translator, target)
        if direct is None:
            raise Crossing(target)
        translator.line(f"if pc == {target}:")
        translator.depth += 1
        for text in direct:
            translator.line(text)
        translator.depth -= 1
    return loop.end


def _next_label(translator: Translator, address: int, end: int) -> int:
    """The next address behind an unconditional jump that something leads to."""
    following = [target for target in translator.plan.targets if address < target < end]
    return min(following, default=end)


def direct_jump(translator: Translator, target: int) -> list[str] | None:
    """The statements for a jump that leaves the current nesting at once; None if the target lies within it."""
    instruction = translator.code[target] if target < len(translator.code) else None
    if instruction is not None and instruction[0] == op.Halt and not instruction[1]:
        return translator.leave_texts()
    loop = translator.loop
    if loop is None:
        return None
    if target == loop.next:
        return [*loop_text.resuming_texts(translator, loop), "continue"]
    if target == loop.end:
        loop.needs_break = True
        return ["break"]
    if target > loop.next:
        loop.needs_break = True
        loop.escapes.add(target)
        return [f"pc = {target}", "break"]
    return None


def _emit_goto(translator: Translator, address: int, end: int) -> int:
    target = translator.code[address][2]
    if target <= address:
        raise Untranslatable("jump back")
    if target == address + 1:
        return address + 1
    direct = direct_jump(translator, target)
    if direct is not None:
        for text in direct:
            translator.line(text)
        return _next_label(translator, address, end)
    if target > end or any(address < other < target for other in translator.plan.targets):
        raise Crossing(target)
    return int(target)


def _emit_branch(translator: Translator, address: int, end: int) -> int:
    """Emits the conditional jumps from `address` on; returns where to go on."""
    items = _chain(translator, address, end)
    _merge(items)
    item = items[0]
    target = item.target
    if target <= address:
        raise Untranslatable("jump back")
    after = items[1].start if len(items) > 1 else item.end
    direct = direct_jump(translator, target)
    if direct is not None:
        _emit_if(translator, item.condition.text, direct)
        return after
    if target > end:
        raise Crossing(target)
    if target == after:
        return after
    return _emit_if_else(translator, item, after, target, end)


def _emit_if(translator: Translator, condition: str, texts: list[str]) -> None:
    if len(texts) == 1:
        translator.line(f"if {condition}: {texts[0]}")
        return
    translator.line(f"if {condition}:")
    translator.depth += 1
    for text in texts:
        translator.line(text)
    translator.depth -= 1


def _emit_if_else(translator: Translator, item: _Item, after: int, target: int, end: int) -> int:
    """The stretch up to the target runs if the jump is not taken; a Goto at its end makes the target an `else`."""
    code = translator.code
    last = code[target - 1]
    translator.line(f"if {item.condition.opposite}:")
    translator.depth += 1
    if target - 1 >= after and last[0] == op.Goto and last[2] > target and direct_jump(translator, last[2]) is None:
        if last[2] > end:
            raise Crossing(last[2])
        emit_region(translator, after, target - 1)
        translator.depth -= 1
        translator.line("else:")
        translator.depth += 1
        emit_region(translator, target, last[2])
        translator.depth -= 1
        return int(last[2])
    emit_region(translator, after, target)
    translator.depth -= 1
    return target


def _chain(translator: Translator, address: int, end: int) -> list[_Item]:
    """The conditional jumps that follow each other with nothing but folded instructions between them."""
    code = translator.code
    plan = translator.plan
    items = [_Item(address, address + 1, "", [_condition(translator, address)], code[address][2])]
    if code[address][0] not in PLAIN_CONDITIONS:
        return items
    own = {address}
    i = address + 1
    while i < end:
        start = i
        while i < end and i in plan.folded:
            i += 1
        if i >= end or code[i][0] not in PLAIN_CONDITIONS or i in plan.loop_at:
            break
        # A label inside the chain may be the target of the chain's own jumps only.
        if any(inner in plan.targets for inner in range(start + 1, i + 1)):
            break
        if start in plan.targets and not all(source in own for source in plan.sources[start]):
            break
        own.add(i)
        translator.address = i
        items.append(_Item(start, i + 1, "", [condition_of(translator, i)], code[i][2]))
        i += 1
    return items


def joint_condition(translator: Translator, address: int, end: int, target: int) -> Condition | None:
    """The one condition under which the jumps from `address` up to `end` lead to a target; None if they do not make one."""
    items = _chain(translator, address, end)
    _merge(items)
    if len(items) > 1 or items[0].target != target:
        return None
    if any(behind not in translator.plan.folded for behind in range(items[0].end, end)):
        return None
    return items[0].condition


def _condition(translator: Translator, address: int) -> Condition:
    if translator.code[address][0] in PLAIN_CONDITIONS:
        return condition_of(translator, address)
    return statement_text.emit_jump_statement(translator, address)


def _merge(items: list[_Item]) -> None:
    """Merges neighbours into one condition until nothing changes."""
    changed = True
    while changed and len(items) > 1:
        changed = False
        wanted = {item.target for item in items}
        k = 0
        while k < len(items) - 1:
            first, second = items[k], items[k + 1]
            if second.start in wanted and any(item.target == second.start for item in items if item is not first):
                k += 1
                continue
            if first.target == second.target:
                joint = "or"
            elif first.target == second.end:
                joint = "and"
                first = first.negated()
            else:
                k += 1
                continue
            parts = first.parts_for(joint) + second.parts_for(joint)
            items[k : k + 2] = [_Item(first.start, second.end, joint, parts, second.target)]
            changed = True


# Guarded blocks


def _emit_guarded(translator: Translator, start: int, end: int) -> None:
    """Emits a region as basic blocks in a row, each run only if no jump leads beyond it."""
    blocks = _blocks(translator, start, end)
    translator.line("pc = 0")
    for first, last in zip(blocks, [*blocks[1:], end]):
        translator.address = first
        translator.line(f"if pc <= {first}:")
        translator.depth += 1
        mark = len(translator.lines)
        _emit_block(translator, first, last, end)
        translator.end_run()
        if len(translator.lines) == mark:
            translator.line("pass")
        translator.depth -= 1


def _blocks(translator: Translator, start: int, end: int) -> list[int]:
    """Where the basic blocks of a region start; a loop is a block of its own."""
    plan = translator.plan
    starts = {start}
    i = start
    while i < end:
        if i in plan.targets:
            starts.add(i)
        if i in plan.loop_at:
            starts.add(i)
            i = plan.loop_at[i].end
            starts.add(i)
            continue
        if translator.code[i][0] in JUMPS or translator.code[i][0] == op.Halt:
            starts.add(i + 1)
        i += 1
    return sorted(address for address in starts if address < end)


def _emit_block(translator: Translator, first: int, last: int, end: int) -> None:
    code = translator.code
    plan = translator.plan
    i = first
    while i < last:
        translator.address = i
        opcode = code[i][0]
        if i in plan.loop_at:
            loop = plan.loop_at[i]
            for target in sorted(loop_text.emit_loop(translator, loop)):
                _emit_guarded_jump(translator, f"pc == {target}", target, end, is_set=True)
            return
        if i in plan.folded or opcode == op.Noop:
            pass
        elif opcode == op.Goto:
            if code[i][2] <= i:
                raise Untranslatable("jump back")
            _emit_guarded_jump(translator, "", code[i][2], end)
        elif opcode in JUMPS and code[i][2] != 0:
            if code[i][2] <= i:
                raise Untranslatable("jump back")
            _emit_guarded_jump(translator, _condition(translator, i).text, code[i][2], end)
        else:
            statement_text.emit_statement(translator, i)
        i += 1


def _emit_guarded_jump(translator: Translator, condition: str, target: int, end: int, is_set: bool = False) -> None:
    direct: Any = direct_jump(translator, target)
    if direct is None:
        if target > end:
            raise Crossing(target)
        if is_set:
            return
        direct = [f"pc = {target}"]
    if condition:
        _emit_if(translator, condition, direct)
    else:
        for text in direct:
            translator.line(text)
