"""Register plan: where translated code keeps each register.

The translator turns registers into Python names.  A register is one of

    constant    no instruction writes it: `k5`, taken from the template once
    row column  it comes with the row of a loop or a search and nothing else writes it there: `w3[2]`, w3 being the row
    folded      one pure instruction makes it and one instruction of the same basic block uses it: no name, the expression
                stands where it is used
    local       everything else: `r5`

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import JUMPS
from minisql.bytecode.operands import LOADS_ROW, CursorLayout, registers_read, registers_written
from minisql.bytecode.program import LoopExtent, Program

if TYPE_CHECKING:
    from minisql.vm.choices import Choice

# Instructions whose result may be computed later in the same basic block.
PURE = frozenset(
    (
        op.Add, op.Subtract, op.Multiply, op.Divide, op.Remainder, op.Concat, op.BitAnd, op.BitOr, op.ShiftLeft, op.ShiftRight,
        op.And, op.Or, op.Negative, op.BitNot, op.Not, op.IsTrue, op.IsNullValue, op.NotNullValue, op.Cast, op.ApplyAffinity,
        op.Function, op.EqResult, op.NeResult, op.LtResult, op.LeResult, op.GtResult, op.GeResult, op.IsResult,
        op.IsNotResult, op.InConstant, op.InSet, op.SCopy, op.Integer, op.Constant, op.Rowid,
    )
)  # fmt: skip
_CHANGE_SET = frozenset((op.SetOpen, op.SetInsert, op.SetDelete))
MAX_FOLD_DEPTH = 12


class Untranslatable(Exception):
    """The program has to run in tier 1: an answer of the translator, not an error that a user sees."""


class RegisterPlan:
    """The plan of one program.

    `reads` and `writes` per address; `definitions` and `uses` per register; `targets` addresses that jumps lead to (back
    jumps of loops left out) and `sources` where from; `folded` addresses whose value is computed where it is used;
    `row_source` maps (register, use address) to (load address, offset); `unpacked` registers that loads copy to locals;
    `choices` the stretches that fold as a whole, by register.
    """

    __slots__ = (
        "block_of",
        "choices",
        "definitions",
        "folded",
        "layout",
        "loop_at",
        "loop_next",
        "n_registers",
        "program",
        "reads",
        "row_source",
        "sources",
        "targets",
        "unpacked",
        "uses",
        "writes",
    )

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = CursorLayout(program)
        code = program.code
        self.n_registers = n = len(program.template)
        self.loop_at: dict[int, LoopExtent] = {loop.start: loop for loop in program.loops}
        self.loop_next: dict[int, LoopExtent] = {loop.next: loop for loop in program.loops}
        layout = self.layout
        self.reads: list[list[int]] = []
        self.writes: list[list[int]] = []
        self.definitions: list[list[int]] = [[] for _ in range(n)]
        self.uses: list[list[int]] = [[] for _ in range(n)]
        self.sources: dict[int, list[int]] = {}
        definitions, uses = self.definitions, self.uses
        for address, instruction in enumerate(code):
            read = registers_read(instruction, layout)
            written = registers_written(instruction, layout)
            self.reads.append(read)
            self.writes.append(written)
            for register in written:
                definitions[register].append(address)
            for register in read:
                uses[register].append(address)
            if instruction[0] in JUMPS and address not in self.loop_next:
                self.sources.setdefault(instruction[2], []).append(address)
        self.targets = self.sources.keys()
        self.row_source: dict[tuple[int, int], tuple[int, int]] = {}
        self.unpacked: set[int] = set()
        self._plan_rows()
        self.folded: dict[int, int] = {}
        self.block_of: list[int] = []
        self.choices: dict[int, Choice] = {}
        self._number_blocks()
        self._plan_folds()

    def _plan_rows(self) -> None:
        """Decides for every register that a load writes whether its uses can read the row itself."""
        code = self.program.code
        loaded: set[int] = set()
        for address, instruction in enumerate(code):
            if instruction[0] in LOADS_ROW:
                loaded.update(self.writes[address])
        innermost_first = sorted(self.program.loops, key=lambda loop: loop.next - loop.body)
        for register in loaded:
            uses = self.uses[register]
            if not uses:
                continue
            found = {}
            for use in uses:
                source = self._source_of(register, use, innermost_first)
                if source is None:
                    self.unpacked.add(register)
                    break
                found[register, use] = source
            else:
                self.row_source.update(found)

    def _source_of(self, register: int, use: int, loops: list[LoopExtent]) -> tuple[int, int] | None:
        """The load whose row holds a register at a use, if that is certain: (address, offset)."""
        code = self.program.code
        definitions = self.definitions[register]
        if len(definitions) == 1:
            address = definitions[0]
            opcode, _, target, first, _, _ = code[address]
            if opcode not in LOADS_ROW or address > use or opcode == op.Found:
                return None
            if opcode in JUMPS and use >= target:
                return None  # the search may have failed
            return address, register - first
        for loop in loops:
            first = loop.row
            if loop.body <= use <= loop.next and first and first <= register < first + self.layout.widths[loop.cursor]:
                for address in definitions:
                    if loop.start < address < loop.next:
                        return None
                return loop.start, register - first
        return None

    def take_choices(self, choices: list[Choice]) -> None:
        """Folds stretches of jumps: what is around each of them becomes one basic block."""
        for choice in choices:
            self.choices[choice.register] = choice
            for target in range(choice.start + 1, choice.end + 1):
                self.sources.pop(target, None)
        inner = self.block_of
        self._number_blocks()
        for choice in choices:
            # Within a stretch nothing folds across its jumps.
            for address in range(choice.start, choice.end):
                self.block_of[address] = -1 - inner[address]
        self.folded = {}
        self._plan_folds()
        for choice in choices:
            for address in range(choice.start, choice.end):
                self.folded.setdefault(address, -1)

    def _number_blocks(self) -> None:
        """Gives each address the number of its basic block."""
        boundaries = self.targets
        inside = {address for choice in self.choices.values() for address in range(choice.start, choice.end)}
        block = 0
        self.block_of = []
        for address, instruction in enumerate(self.program.code):
            if address in boundaries:
                block += 1
            self.block_of.append(block)
            if (instruction[0] in JUMPS and address not in inside) or address in self.loop_next:
                block += 1

    def _plan_folds(self) -> None:
        """Finds the pure instructions whose value is used once, in the same basic block."""
        code = self.program.code
        block_of = self.block_of
        depth: dict[int, int] = {}
        for address, instruction in enumerate(code):
            if instruction[0] not in PURE:
                continue
            register = self.writes[address][0]
            uses = self.uses[register]
            if len(uses) == 1 and len(self.definitions[register]) == 1:
                use = uses[0]
            elif not uses and instruction[0] == op.SCopy:
                self.folded[address] = -1
                continue
            elif self._is_paired(register):
                use = uses[self.definitions[register].index(address)]
            else:
                continue
            if use <= address or block_of[use] != block_of[address] or use in self.loop_next:
                continue
            level = 1
            for read in self.reads[address]:
                definitions = self.definitions[read]
                if len(definitions) == 1:
                    level = max(level, depth.get(definitions[0], 0) + 1)
            if level > MAX_FOLD_DEPTH or (use > address + 1 and self._is_disturbed(address, use)):
                continue
            depth[address] = level
            self.folded[address] = use

    def _is_paired(self, register: int) -> bool:
        """Tells whether every value of a register is used once, in the basic block in which it is made."""
        definitions, uses = self.definitions[register], self.uses[register]
        if not 1 < len(definitions) == len(uses):
            return False
        return all(
            definition < use < following and self.block_of[definition] == self.block_of[use]
            for definition, use, following in zip(definitions, uses, (*definitions[1:], len(self.block_of)))
        )

    def folded_at(self, register: int, use: int) -> int | None:
        """The address of the instruction whose value stands in place of a register at a use, or None."""
        for definition in self.definitions[register]:
            if self.folded.get(definition) == use:
                return definition
        return None

    def _is_disturbed(self, address: int, use: int) -> bool:
        """Tells whether an operand changes between an instruction and the use of its result."""
        opcode, cursor = self.program.code[address][:2]
        if opcode == op.Rowid or opcode == op.InSet:
            disturbing = LOADS_ROW if opcode == op.Rowid else _CHANGE_SET
            if any(other[1] == cursor and other[0] in disturbing for other in self.program.code[address + 1 : use]):
                return True
        return any(
            address < definition < use for read in self.reads[address] for definition in self.definitions[read]
        )

    def reaches(self, register: int, definition: int, use: int) -> bool:
        """Tells whether a use in the same basic block sees the value that a definition has given a register."""
        if definition >= use or self.block_of[definition] != self.block_of[use]:
            return False
        return not any(definition < other < use for other in self.definitions[register])

    def is_overwritten(self, register: int, definition: int) -> bool:
        """Tells whether a later definition in the same basic block replaces a value that nothing has read."""
        block = self.block_of[definition]
        later = [other for other in self.definitions[register] if other > definition and self.block_of[other] == block]
        return bool(later) and not any(definition < use <= min(later) for use in self.uses[register])

    def may_be_skipped(self, load: int) -> bool:
        """Tells whether a jump may lead past a load to a use of its row."""
        last = max((use for (_, use), source in self.row_source.items() if source[0] == load), default=load)
        return any(load < target <= last for target in self.targets)

    def holds_flags(self, register: int) -> bool:
        """Tells whether a register gets nothing but integers of the program itself, or NULL; what a memo gives is what it
        got."""
        code = self.program.code
        memos = []
        for address in self.definitions[register]:
            if code[address][0] == op.MemoGet:
                memos.append(code[address][1])
            elif code[address][0] not in (op.Integer, op.Null):
                return False
        return not memos or all(
            instruction[3] == register
            for instruction in code
            if instruction[0] == op.MemoPut and instruction[1] in memos
        )

    def is_constant(self, register: int) -> bool:
        """Tells whether no instruction writes a register."""
        return not self.definitions[register]
