"""ProgramBuilder: emits instructions, hands out registers, cursors and labels, and records loop extents.

The planner drives it; the result is a Program.  Labels are negative numbers until `finish` replaces them by addresses.
Constants and parameters get registers of the template, one per distinct (type, value) and per parameter number.

Control flow rule that tier 2 relies on: apart from the recorded back jumps of loops (and Gosub/Return and coroutines), every
jump goes forward, to a label in the same loop body, to the enclosing loop's next instruction, or out of it.
"""

from __future__ import annotations

from minisql.bytecode.opcodes import JUMPS, EndCoroutine, Goto, Halt, InitCoroutine, Next, Return
from minisql.bytecode.program import Instruction, LoopExtent, Program

_ENDINGS = frozenset((Halt, Goto, Return, EndCoroutine))


class ProgramBuilder:
    """Collects one program; see the module's docstring.  `emit` is the hot path: keep it flat."""

    __slots__ = (
        "_label_addresses",
        "_open_loops",
        "_parameters",
        "code",
        "constant_registers",
        "jumps",
        "loops",
        "n_cursors",
        "template",
    )

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.template: list[object] = [None]
        # Addresses of instructions whose p2 may be a label; who puts one into `code` past `emit` adds it here.
        self.jumps: list[int] = []
        self.n_cursors = 0
        self.loops: list[LoopExtent] = []
        # The register of each constant, by the key that `constant` makes of it.
        self.constant_registers: dict[object, int] = {}
        self._parameters: dict[int, int] = {}
        self._label_addresses: list[int] = [0]
        self._open_loops: list[tuple[int, int, int, int, int, int]] = []

    def emit(self, opcode: int, p1: object = 0, p2: object = 0, p3: object = 0, p4: object = None, p5: int = 0) -> int:
        """Appends an instruction and returns its address.  For jumps p2 is a label (and p3 of InitCoroutine may be one)."""
        code = self.code
        address = len(code)
        code.append((opcode, p1, p2, p3, p4, p5))
        if p2.__class__ is int and p2 < 0:
            self.jumps.append(address)
        return address

    def register(self) -> int:
        """A new register, initially NULL."""
        template = self.template
        template.append(None)
        return len(template) - 1

    def registers(self, n: int) -> int:
        """The first of `n` new consecutive registers."""
        template = self.template
        first = len(template)
        template.extend((None,) * n)
        return first

    def constant(self, value: object) -> int:
        """The register that holds a constant."""
        # 1 and 1.0, 0.0 and -0.0 are different constants although Python finds them equal.
        kind = value.__class__
        is_zero = kind is float and not value
        key: object = value if kind is int or kind is str else (float, repr(value)) if is_zero else (kind, value)
        register = self.constant_registers.get(key)
        if register is None:
            template = self.template
            register = self.constant_registers[key] = len(template)
            template.append(value)
        return register

    def is_constant(self, register: int) -> bool:
        """Tells whether a register is one of `constant`'s."""
        return register in self.constant_registers.values()

    def parameter(self, number: int) -> int:
        """The register that holds parameter `number` (from 1)."""
        register = self._parameters.get(number)
        if register is None:
            register = self._parameters[number] = self.register()
        return register

    def place_parameter(self, number: int, register: int) -> bool:
        """Lets parameter `number` arrive in a given register; False if it has one already."""
        if number in self._parameters:
            return False
        self._parameters[number] = register
        return True

    def cursor(self) -> int:
        """A new cursor number."""
        self.n_cursors += 1
        return self.n_cursors - 1

    def label(self) -> int:
        """A new label: a negative number that stands for an address not known yet."""
        labels = self._label_addresses
        labels.append(-1)
        return 1 - len(labels)

    def place(self, label: int) -> None:
        """The label stands for the address of the next instruction."""
        self._label_addresses[-label] = len(self.code)

    def here(self) -> int:
        """The address of the next instruction."""
        return len(self.code)

    def begin_loop(self, opcode: int, cursor: int, end: int, row: int, n_columns: int, p4: object = None, p5: int = 0) -> None:
        """Emits the instruction that starts a loop (p1 cursor, p2 the label `end`, p3 row) and opens its extent."""
        start = self.emit(opcode, cursor, end, row, p4, p5)
        self._open_loops.append((opcode, cursor, start, start + 1, row, n_columns))

    def end_loop(self, opcode: int, continue_label: int, end: int) -> None:
        """Places `continue_label`, emits Next or Prev with the back jump, closes the innermost extent and places `end`."""
        kind, cursor, start, body, row, n_columns = self._open_loops.pop()
        if continue_label:
            self.place(continue_label)
        address = self.emit(opcode, cursor, body, row)
        self.place(end)
        self.loops.append(LoopExtent(kind, cursor, start, body, address, len(self.code), row, n_columns))

    def close_scan(self, opcode: int, cursor: int, start: int, row: int, n_columns: int, label: int) -> None:
        """`begin_loop` and `end_loop` at once, for a loop around which nothing jumps: the instruction at `start` has been left
        open, and `label` (or 0) is what continues the loop."""
        code = self.code
        address = len(code)
        if label:
            self._label_addresses[-label] = address
        code.append((Next, cursor, start + 1, row, None, 0))
        code[start] = (opcode, cursor, address + 1, row, None, 0)
        self.loops.append(LoopExtent(opcode, cursor, start, start + 1, address, address + 1, row, n_columns))

    def insert_prologue(self, instructions: list[Instruction], position: int) -> None:
        """Inserts instructions, no jumps, at an address that no jump goes to or behind; everything after it moves."""
        n = len(instructions)
        code = self.code
        for address, instruction in enumerate(code):
            opcode, p1, p2, p3, p4, p5 = instruction
            if opcode in JUMPS and p2 > 0:  # 0 means "no jump"
                p2 += n
            if opcode == InitCoroutine:
                p3 += n
            code[address] = (opcode, p1, p2, p3, p4, p5)
        code[position:position] = instructions
        self._label_addresses = [address + n if address >= 0 else address for address in self._label_addresses]
        self.jumps = [address + n for address in self.jumps]
        for loop in self.loops:
            loop.start += n
            loop.body += n
            loop.next += n
            loop.end += n

    def finish(self, column_names: tuple[str, ...] = (), statement_kind: str = "select", ends: bool = False) -> Program:
        """Resolves labels and returns the program; the builder must not be used afterwards.

        A Halt is added where the program could run off its end; `ends` says that it cannot.
        """
        addresses = self._label_addresses
        code = self.code
        if not ends and (not code or code[-1][0] not in _ENDINGS or max(addresses) == len(code)):
            code.append((Halt, 0, 0, 0, None, 0))
        for address in self.jumps:
            opcode, p1, target, p3, p4, p5 = code[address]
            if target < 0 and opcode in JUMPS:
                if opcode == InitCoroutine and p3 < 0:
                    p3 = addresses[-p3]
                code[address] = (opcode, p1, addresses[-target], p3, p4, p5)
        program = Program(code, self.template, self.n_cursors, column_names, statement_kind)
        if self._parameters:
            program.parameters = tuple(self._parameters.items())
        program.loops = self.loops
        return program
