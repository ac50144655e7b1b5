"""CASE as an expression: stretches of jumps that do nothing but choose the value of one register.

    jump if not condition -> A
    r := value; goto end                r is used once, behind the end:
    A: jump if not other -> B           (value if condition else second if other else third)
    r := second; goto end
    B: r := third
    end:

Such a stretch folds into the instruction that uses the register, as a single pure instruction would, so that the code around
it stays a basic block.  A condition may be several jumps, to the value (OR) or past it (AND).

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import JUMPS
from minisql.bytecode.program import Program
from minisql.storage.type_mask import NULL
from minisql.vm.python_text import PLAIN_CONDITIONS, Operand, condition_of, value_of
from minisql.vm.register_plan import RegisterPlan

if TYPE_CHECKING:
    from minisql.vm.translator import Translator

_MAX_VALUES = 12


class Choice(NamedTuple):
    """A stretch from `start` to `end`: the address of the instruction that makes each value, the jumps in front of it (each
    with whether it leads past the value), none for the last; and where the register is used."""

    start: int
    end: int
    register: int
    values: tuple[tuple[tuple[tuple[int, bool], ...], int], ...]
    use: int


def plan_with_choices(program: Program) -> RegisterPlan:
    """The register plan of a program with the stretches that fold."""
    plan = RegisterPlan(program)
    choices = find_choices(plan)
    if choices:
        plan.take_choices(choices)
    return plan


def find_choices(plan: RegisterPlan) -> list[Choice]:
    """The stretches of a program that fold, none inside another."""
    code = plan.program.code
    found: list[Choice] = []
    ends = sorted({target for address, (opcode, _, target, *_) in enumerate(code) if opcode == op.Goto and target > address})
    for end in ends:
        if end >= len(code) or not end > 0 or not plan.writes[end - 1]:
            continue
        register = plan.writes[end - 1][0]
        choice = _choice_before(plan, end, register)
        if choice is not None and not any(other.end > choice.start for other in found):
            found.append(choice)
    return found


def _choice_before(plan: RegisterPlan, end: int, register: int) -> Choice | None:
    """The stretch that ends at an address and makes a register's value; None if there is none."""
    uses, definitions = plan.uses[register], plan.definitions[register]
    if len(uses) != 1 or not 1 < len(definitions) <= _MAX_VALUES or definitions[-1] != end - 1:
        return None
    use = uses[0]
    if use < end or plan.block_of[use] != plan.block_of[end]:
        return None
    values = []
    place = _start_of(plan, definitions[0], end)
    start = place
    for definition in definitions:
        jumps = _jumps_before(plan, place, definition)
        is_last = definition == end - 1
        following = end if is_last else definition + 2
        if jumps is None or (not jumps) != is_last or not _are_ways(plan, jumps, definition, following):
            return None
        if not is_last and (plan.program.code[definition + 1][0] != op.Goto or plan.program.code[definition + 1][2] != end):
            return None
        values.append((tuple([(jump, plan.program.code[jump][2] == following) for jump in jumps]), definition))
        place = following
    inside = range(start, end)
    for target in range(start + 1, end + 1):
        if not all(source in inside for source in plan.sources.get(target, ())):
            return None
    choice = Choice(start, end, register, tuple(values), use)
    return None if _is_disturbed(plan, choice) else choice


def _start_of(plan: RegisterPlan, definition: int, end: int) -> int:
    """Where the conditions of the first value begin: the first of the jumps into the stretch in front of it."""
    start = definition
    place = definition - 1
    while place >= 0:
        opcode, _, target = plan.program.code[place][:3]
        if opcode in PLAIN_CONDITIONS and definition - 1 <= target <= end:
            start = place
        elif place not in plan.folded or plan.folded[place] > definition:
            break
        elif start < definition or plan.folded[place] == definition:
            start = place
        place -= 1
    return start


def _jumps_before(plan: RegisterPlan, place: int, definition: int) -> list[int] | None:
    """The conditional jumps between two addresses, with folded instructions around them; None if there is anything else."""
    code = plan.program.code
    opcode = code[definition][0]
    if definition in plan.folded or not (opcode == op.Null or opcode in _VALUES):
        return None
    jumps = []
    for address in range(place, definition):
        if code[address][0] in PLAIN_CONDITIONS:
            jumps.append(address)
        elif address not in plan.folded or code[address][0] in JUMPS:
            return None
    return jumps


def _are_ways(plan: RegisterPlan, jumps: list[int], definition: int, following: int) -> bool:
    """Tells whether jumps lead to a value or past it, the last of them past it."""
    code = plan.program.code
    if not jumps:
        return True
    first = jumps[-1] + 1
    return code[jumps[-1]][2] == following and all(code[jump][2] in (first, following) for jump in jumps)


def _is_disturbed(plan: RegisterPlan, choice: Choice) -> bool:
    """Tells whether what the stretch reads changes before the register is used."""
    code = plan.program.code
    for address in range(choice.start, choice.end):
        if code[address][0] in (op.Rowid, op.InSet):
            return True
        for register in plan.reads[address]:
            if any(choice.end <= definition < choice.use for definition in plan.definitions[register]):
                return True
    return False


_VALUES = frozenset(
    (
        op.Add, op.Subtract, op.Multiply, op.Divide, op.Remainder, op.Concat, op.BitAnd, op.BitOr, op.ShiftLeft, op.ShiftRight,
        op.And, op.Or, op.Negative, op.BitNot, op.Not, op.IsTrue, op.IsNullValue, op.NotNullValue, op.Cast, op.Function,
        op.EqResult, op.NeResult, op.LtResult, op.LeResult, op.GtResult, op.GeResult, op.IsResult, op.IsNotResult,
        op.InConstant, op.SCopy, op.Integer, op.Constant,
    )
)  # fmt: skip


def choice_operand(translator: Translator, choice: Choice) -> Operand:
    """The value of a stretch in Python text."""
    texts = []
    classes = bits = 0
    for jumps, definition in choice.values:
        condition = ""
        parts = [(condition_of(translator, jump), is_past) for jump, is_past in jumps]
        for part, is_past in reversed(parts):
            if not condition:
                condition = part.opposite
            else:
                condition = f"({part.opposite} and {condition})" if is_past else f"({part.text} or {condition})"
        if translator.code[definition][0] == op.Null:
            value = Operand("None", NULL, 0, True)
        else:
            value = value_of(translator, definition)
        classes |= value.classes
        bits = max(bits, value.bits)
        texts.append(f"{value.text} if {condition} else " if condition else value.text)
    return Operand(f"({''.join(texts)})", classes, bits, False)
