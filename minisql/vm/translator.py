"""Tier 2: from a Program to the source text of a Python generator function.

The function takes the host, the parameters of the statement (the arguments of a sub-program), the frame and its register list
R (the template with parameters) where it needs them, and then, as defaults, the objects and the constants that the text names.
Registers become names (see register_plan), pure instructions become expressions (python_text), loops whose extent the builder
recorded become `for` loops (loop_text), jumps become `if`, `continue` and `break` (flow_text), and every opcode without a text
of its own calls its tier-1 handler (statement_text).

No text of SQL, schema or data gets into the source: names are made of a letter and a number, constants and functions are
passed as objects.

`translate` raises Untranslatable for programs with subroutines or coroutines, which tier 1 runs.  A sub-program becomes a
plain function of its arguments (see calling).

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import CONTRACTS
from minisql.bytecode.operands import ROLES
from minisql.bytecode.program import Program, SortSpec
from minisql.storage.type_mask import BLOB, INTEGER_48, INTEGER_64, NULL, REAL, TEXT, TEXT_NOT_ASCII
from minisql.values.shape import KeyShape, RowShape
from minisql.vm import flow_text, pattern_text, statement_text
from minisql.vm.calling import SubProgram
from minisql.vm.choices import choice_operand, plan_with_choices
from minisql.vm.interpreter import CHANGES, DATA_CHANGING
from minisql.vm.program_shape import magnitude
from minisql.vm.python_text import ANY, Operand, value_of
from minisql.vm.register_plan import PURE, Untranslatable
from minisql.vm.walking import LoopPart

if TYPE_CHECKING:
    from minisql.values.collation import Collation
    from minisql.vm.loop_text import LoopContext

MAX_DEPTH = 90

_UNTRANSLATABLE = frozenset((op.Gosub, op.Return, op.InitCoroutine, op.Yield, op.EndCoroutine, op.AutoCommit))

# Opcodes whose text works on names alone.
_NEEDS_NO_FRAME = PURE | frozenset(
    (
        op.Transaction, op.OpenRead, op.OpenWrite, op.SeekRowid, op.NotExists, op.NotFound, op.Found, op.NoConflict, op.Insert,
        op.IdxInsert, op.Affinity, op.ResultRow, op.Halt, op.HaltIfNull, op.Goto, op.Copy, op.Null, op.If, op.IfNot, op.IsNull,
        op.NotNull, op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge, op.Count, op.MustBeInt, op.NewRowid, op.Delete,
    )
)  # fmt: skip

_LEAVE_FINDERS_ALONE = frozenset((op.NullRow, op.Close, op.UpdateRows, op.DeleteRows, op.InsertRows))

_CHANGE_SINGLE_ROWS = frozenset((op.SeekRowid, op.NotExists, op.Insert, op.Delete, op.NewRowid, op.Rowid))

_KINDS: dict[int, str] = {
    op.OpenList: "list", op.ConstantRows: "list", op.OpenDup: "list", op.OpenTree: "tree", op.HashOpen: "hash",
    op.SorterOpen: "sorter",
    op.GroupOpen: "group", op.SetOpen: "set", op.QueueOpen: "queue", op.WindowOpen: "window",
    op.MemoOpen: "memo",
}  # fmt: skip


class Translation:
    """What `translate` returns: the source, the recipes of the objects and the registers of the constants that are the defaults
    of the function's last arguments, the program address behind each source line, which of frame and R it uses, and whether
    the function is a generator (a statement without result rows is a plain function)."""

    __slots__ = ("addresses", "constants", "gives_rows", "recipes", "source", "uses")

    def __init__(
        self,
        source: str,
        recipes: tuple[Recipe, ...],
        constants: tuple[int, ...],
        addresses: list[int],
        uses: frozenset[str],
        gives_rows: bool,
    ) -> None:
        self.source = source
        self.uses = uses
        self.gives_rows = gives_rows
        self.recipes = recipes
        self.constants = constants
        self.addresses = addresses


class Hints:
    """What is known of the tables of a program: the type masks of the columns of each cursor's first leaf, whether there are
    rows enough to pay for a loop specialised on them, and whether the program runs so often (`is_hot`) that a longer source
    pays."""

    __slots__ = ("is_hot", "masks", "specialises")

    def __init__(
        self, masks: dict[int, tuple[int, ...]] | None = None, specialises: bool = False, is_hot: bool = False
    ) -> None:
        self.masks = masks or {}
        self.specialises = specialises
        self.is_hot = is_hot


Recipe = tuple[str, Any]


def parameter_registers(program: Program) -> Sequence[tuple[int, int]]:
    """Pairs (number from 1, register) of what a program is given: parameters, or the arguments of a sub-program."""
    return program.parameters or [(number, number) for number in range(1, program.n_arguments + 1)]


def program_objects(program: Program, recipes: Sequence[Recipe]) -> list[Any]:
    """Makes the objects to pass to a program's function, each by its recipe: a kind and

    object (the object itself), p4 (address), keys (address of an IN), instruction (address), instructions (addresses),
    root (address of an OpenRead), call (address of a Program), part (address of a loop's start).
    """
    code = program.code
    objects: list[Any] = []
    for kind, data in recipes:
        if kind == "object":
            objects.append(data)
        elif kind == "p4":
            objects.append(code[data][4])
        elif kind == "keys":
            objects.append(code[data][4].keys)
        elif kind == "instruction":
            objects.append(code[data])
        elif kind == "root":
            objects.append(code[data][2])
        elif kind == "call":
            objects.append(SubProgram(code[data]).__call__)  # a method is called faster than an object
        elif kind == "instructions":
            objects.append([code[address] for address in data])
        else:
            objects.append(LoopPart(program, next(loop for loop in program.loops if loop.start == data)))
    return objects


class Run:
    """Handler calls in a row: the addresses, the names of the cursors that they open, what to assign afterwards."""

    __slots__ = ("address", "addresses", "assignments", "depth", "names")

    def __init__(self, depth: int, address: int) -> None:
        self.depth = depth
        self.address = address
        self.addresses: list[int] = []
        self.names: list[str] = []
        self.assignments: list[str] = []


class Translator:
    """The state of one translation: the lines so far and what they stand for."""

    __slots__ = (
        "_n_temporaries",
        "_object_names",
        "_run",
        "address",
        "asked_sets",
        "changers",
        "changes_data",
        "code",
        "consulted",
        "counts_locally",
        "cursor_aliases",
        "cursor_kinds",
        "depth",
        "emit_region",
        "finders",
        "flags",
        "hints",
        "index_shapes",
        "is_sub",
        "known",
        "late_cursors",
        "leaf_loops",
        "lines",
        "local_classes",
        "loop",
        "match_text",
        "n_loops",
        "needs_closing",
        "objects",
        "parameters",
        "plain_groups",
        "plain_hashes",
        "plain_sets",
        "plan",
        "positive_names",
        "program",
        "real_columns",
        "shows_cursors",
        "sorter_specs",
        "text_masks",
        "used_constants",
        "used_locals",
        "used_rows",
        "uses_context",
        "walks",
    )

    def __init__(self, program: Program, hints: Hints, is_sub: bool = False) -> None:
        self.program = program
        self.code = program.code
        self.hints = hints
        self.plan = plan_with_choices(program)
        self.lines: list[tuple[int, str, int]] = []
        # Only what the host hands out has to be closed.
        self.is_sub = is_sub
        self.needs_closing = not is_sub and any(instruction[0] == op.HostRows for instruction in program.code)
        self.uses_context = False
        self.changes_data = not is_sub and program.statement_kind in DATA_CHANGING
        self.depth = 2 if self.needs_closing else 1
        self.address = 0
        self.loop: LoopContext | None = None
        self.n_loops = 0
        self.objects: list[Recipe] = []
        self._object_names: dict[Recipe, str] = {}
        self._n_temporaries = 0
        self._run: Run | None = None
        self.known: dict[tuple[int, int], int] = {}
        self.consulted: set[tuple[int, int]] = set()
        self.text_masks: dict[str, int] = {}
        # The columns of each table cursor that hold reals, where they hold numbers.
        self.real_columns: dict[int, Sequence[int]] = {}
        self.positive_names: set[str] = set()
        self.parameters = {register for _, register in parameter_registers(program)}
        # What is known of locals within a basic block: register to (address of the definition, operand).
        self.local_classes: dict[int, tuple[int, Operand]] = {}
        self.used_constants: set[int] = set()
        self.used_locals: set[int] = set()
        self.used_rows: set[int] = set()
        self.leaf_loops: dict[int, int] = {}
        self.flags: list[str] = []
        # Cursors on trees that a query opens within a loop: once.
        self.late_cursors: set[int] = set()
        # The modules of text call each other through the translator.
        self.emit_region = flow_text.emit_region
        self.match_text = pattern_text.match_text
        self.cursor_aliases = statement_text.cursor_aliases
        self.plain_hashes: set[int] = set()
        self.plain_sets: set[int] = set()
        # Sets of single columns or rows that IN asks, and tables whose rows are searched for by rowid only.
        self.asked_sets: set[int] = set()
        self.finders: set[int] = set()
        self.plain_groups: set[int] = set()
        self.sorter_specs: dict[int, SortSpec] = {}
        # The loops being emitted that walk a cursor row by row or leaf by leaf: cursor to start address.
        self.walks: dict[int, int] = {}
        self.index_shapes: dict[int, KeyShape] = {}
        self.cursor_kinds: dict[int, str] = {}
        self._classify_cursors()
        self._find_finders()
        # Handlers and tier 1 find cursors in the frame; a program without calls of them need not put them there.
        self.shows_cursors = bool(program.loops) or any(
            (opcode not in _NEEDS_NO_FRAME and not (is_sub and opcode == op.ResetCount)) or (opcode == op.NewRowid and p3)
            for opcode, _, _, p3, _, _ in self.code
        )
        self.counts_locally = (is_sub or self.changes_data) and hints.is_hot and not self.shows_cursors
        # Tables of which single rows are searched by rowid and changed, and nothing else.
        self.changers = self._find_changers() if is_sub or self.changes_data else frozenset()

    def _classify_cursors(self) -> None:
        """Notes what each cursor walks over, and which hash structures have rows as their own keys."""
        asked = {p1 for opcode, p1, _, _, _, _ in self.code if opcode == op.InSet}
        for opcode, p1, p2, p3, p4, _ in self.code:
            if opcode in _UNTRANSLATABLE or (opcode in (op.Halt, op.HaltIfNull) and p2 == op.ON_CONFLICT_FAIL):
                raise Untranslatable(CONTRACTS[opcode].name)
            if opcode in (op.OpenRead, op.OpenWrite):
                self.cursor_kinds[p1] = "table" if isinstance(p4, RowShape) else "index"
                if isinstance(p4, RowShape):
                    self.real_columns[p1] = p4.real_columns
                if isinstance(p4, KeyShape):
                    self.index_shapes[p1] = p4
            elif opcode == op.HostRows:
                self.cursor_kinds[p3] = "rows"
            elif opcode in _KINDS:
                self.cursor_kinds[p1] = _KINDS[opcode]
                if opcode == op.HashOpen and not p4.tracks_matches and _are_plain(p4.collations):
                    self.plain_hashes.add(p1)
                elif opcode == op.SetOpen and _are_plain(p4):
                    (self.asked_sets if p1 in asked else self.plain_sets).add(p1)
                elif opcode == op.SorterOpen and p2:
                    self.sorter_specs[p1] = p4
                elif opcode == op.GroupOpen and _are_plain(p4.key_collations):
                    self.plain_groups.add(p1)

    def _find_finders(self) -> None:
        """Finds the tables of which nothing is asked but rows by rowid, somewhere in a loop.

        A program may change tables when all loops are behind it.
        """
        code = self.code
        within: set[int] = set()
        for loop in self.program.loops:
            within.update(range(loop.body, loop.next))
        if not self.program.readonly and any(code[address][0] in CHANGES for address in within):
            return
        refused = set()
        for address, (opcode, p1, p2, _, _, p5) in enumerate(code):
            if opcode in (op.OpenRead, op.OpenWrite) and self.cursor_kinds[p1] == "table":
                if p5 or (address in within and not self.program.readonly):
                    refused.add(p1)
            elif opcode in (op.SeekRowid, op.DeferredSeek):
                if address in within:
                    self.finders.add(p1)
            elif opcode not in _LEAVE_FINDERS_ALONE:
                roles = ROLES[opcode]
                if roles[0] == "c":
                    refused.add(p1)
                if roles[1] == "c":
                    refused.add(p2)
        self.finders -= refused

    def _find_changers(self) -> frozenset[int]:
        """Finds the tables that a storage cursor for single rows is enough for."""
        found: set[int] = set()
        others: set[int] = set()
        for opcode, p1, p2, _, _, p5 in self.code:
            if opcode == op.OpenWrite and self.cursor_kinds[p1] == "table" and not p5:
                found.add(p1)
            elif opcode not in _CHANGE_SINGLE_ROWS:
                roles = ROLES[opcode]
                if roles[0] == "c":
                    others.add(p1)
                if roles[1] == "c":
                    others.add(p2)
        return frozenset(found - others - self.finders)

    # Lines

    def line(self, text: str) -> None:
        """Adds a line at the current depth."""
        if self._run is not None:
            self.end_run()
        if self.depth > MAX_DEPTH:
            raise Untranslatable("nesting")
        self.lines.append((self.depth, text, self.address))

    def call(self, address: int, cursor: int = -1, names: Sequence[str] = ()) -> None:
        """Calls the handler of the instruction at an address, which does not jump; neighbours share one line.

        `cursor` is the number of a cursor that it opens, `names` are assignments to make behind it.
        """
        run = self._run
        if run is None:
            run = self._run = Run(self.depth, self.address)
        if cursor >= 0:
            if f"c{cursor}" in run.names:
                self.end_run()
                self.call(address, cursor, names)
                return
            run.names.append(f"c{cursor}")
        run.addresses.append(address)
        run.assignments.extend(names)

    def end_run(self) -> None:
        """Writes the line of the handler calls collected so far."""
        run = self._run
        self._run = None
        if run is None:
            return
        instructions = self.object_name(("instructions", tuple(run.addresses)))
        text = f"prepare(frame, R, {instructions})"
        if run.names:
            text = f"{', '.join(run.names)}, = {text}"
        self.lines.append((run.depth, text, run.address))
        self.lines.extend([(run.depth, assignment, run.address) for assignment in run.assignments])

    def temporary(self) -> str:
        """A new name."""
        self._n_temporaries += 1
        return f"t{self._n_temporaries}"

    def object_name(self, recipe: Recipe) -> str:
        """The name under which the function knows an object; see `program_objects` for recipes."""
        name = self._object_names.get(recipe)
        if name is None:
            name = self._object_names[recipe] = f"o{len(self.objects)}"
            self.objects.append(recipe)
        return name

    def leave_texts(self) -> list[str]:
        """The statements of a successful Halt."""
        if self.is_sub:
            return ["return"]
        if self.counts_locally:
            return ["host.changes = n", "host.total_changes += n", "return"]
        return ["finish_changes(frame)", "return"] if self.changes_data else ["return"]

    def count_change(self) -> None:
        """Counts a changed row."""
        self.line("n += 1" if self.counts_locally else "frame.n_changes += 1")

    def starts_filled(self, register: int) -> bool:
        """Tells whether a local has a value from the start: a parameter or a constant of the template."""
        return register in self.parameters or self.program.template[register] is not None

    # Operands

    def operand(self, register: int, use: int) -> Operand:
        """The value of a register as the instruction at address `use` reads it."""
        plan = self.plan
        source = plan.row_source.get((register, use)) if register not in plan.unpacked else None
        if source is not None:
            return self.row_operand(*source)
        definitions = plan.definitions[register]
        if not definitions:
            self.used_constants.add(register)
            if register in self.parameters:
                return Operand(f"k{register}", ANY, 64, True)
            return self.constant_operand(f"k{register}", self.program.template[register])
        definition = plan.folded_at(register, use)
        if definition is not None:
            return value_of(self, definition)
        choice = plan.choices.get(register)
        if choice is not None:
            return choice_operand(self, choice)
        self.used_locals.add(register)
        given = self.local_classes.get(register)
        if given is not None and plan.reaches(register, given[0], use):
            return Operand(f"r{register}", given[1].classes, given[1].bits, True)
        if plan.holds_flags(register) and self.program.template[register].__class__ in (int, type(None)):
            return Operand(f"r{register}", NULL | INTEGER_48 | INTEGER_64, 64, True)
        return Operand(f"r{register}", ANY, 64, True)

    def row_operand(self, load: int, offset: int) -> Operand:
        """Column `offset` of the row that the instruction at address `load` moves to."""
        self.used_rows.add(load)
        text = f"w{load}[{offset}]"
        classes = self.known.get((load, offset))
        if classes is not None:
            self.consulted.add((load, offset))
            return Operand(text, classes, 64 if classes & INTEGER_64 else 47, True)
        masks = self.hints.masks.get(self.code[load][1])
        if masks is not None and offset < len(masks):
            self.text_masks[text] = masks[offset]
        elif offset in self.real_columns.get(self.code[load][1], ()):
            self.text_masks[text] = REAL
        return Operand(text, ANY, 64, True)

    def constant_operand(self, name: str, value: Any) -> Operand:
        """A constant by its name: its class is known."""
        kind = value.__class__
        if kind is int:
            bits = magnitude(value)
            if value > 0:
                self.positive_names.add(name)
            return Operand(name, INTEGER_48 if bits < 48 else INTEGER_48 | INTEGER_64, bits, True)
        if kind is str:
            return Operand(name, TEXT if value.isascii() else TEXT | TEXT_NOT_ASCII, 0, True)
        return Operand(name, REAL if kind is float else BLOB if kind is bytes else NULL, 64, True)

    def folded_definition(self, register: int, use: int) -> int | None:
        """The address of the instruction whose value stands in place of a register, or None."""
        return self.plan.folded_at(register, use)

    def likely_class(self, operand: Operand) -> str:
        """The Python class that an operand has most likely: 'int', 'float', 'str' or '' if nothing is known."""
        mask = self.text_masks.get(operand.text, 0)
        return "float" if mask & REAL else "int" if mask & INTEGER_48 else "str" if mask & TEXT else ""

    def texts(self, registers: Any, use: int) -> list[str]:
        """The texts of several registers, of whose classes nothing is asked."""
        return [self._text(register, use) for register in registers]

    def _text(self, register: int, use: int) -> str:
        source = self.plan.row_source.get((register, use)) if register not in self.plan.unpacked else None
        if source is None:
            return self.operand(register, use).text
        self.used_rows.add(source[0])
        return f"w{source[0]}[{source[1]}]"

    def tuple_text(self, registers: Any, use: int) -> str:
        """The text of a tuple of registers; a whole row is named as it is."""
        whole = self.whole_row(registers, use)
        if whole is not None:
            return whole
        texts = self.texts(registers, use)
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def whole_row(self, registers: Any, use: int) -> str | None:
        """The name of the row that consists of exactly these registers."""
        plan = self.plan
        load = -1
        for offset, register in enumerate(registers):
            source = plan.row_source.get((register, use)) if register not in plan.unpacked else None
            if source is None or source[1] != offset or load not in (-1, source[0]):
                return None
            load = source[0]
        if load < 0 or len(plan.writes[load]) != len(registers) or self.code[load][0] == op.HashUnmatched:
            return None
        self.used_rows.add(load)
        return f"w{load}"

    def rowid_operand(self, address: int) -> Operand:
        """The rowid of a cursor's current row."""
        cursor = self.code[address][1]
        loop = self.leaf_loops.get(cursor)
        if loop is not None:
            return Operand(f"i{loop}", INTEGER_48 | INTEGER_64, 63, True)
        return Operand(f"rowid_of(c{cursor})", ANY, 64, False)


def _are_plain(collations: Sequence[Collation | None]) -> bool:
    """Tells whether rows are their own equality keys under these collations."""
    return all(collation is None or collation.is_binary for collation in collations)


def translate(program: Program, hints: Hints, is_sub: bool = False) -> Translation:
    """Returns the source of a program, or of one that others call; raises Untranslatable.

    Source: DESIGN, "A VM of two tiers"
    """
    translator = Translator(program, hints, is_sub)
    flow_text.emit_region(translator, 0, len(program.code))
    translator.end_run()
    prologue = [(translator.depth, text, 0) for text in _prologue(translator)]
    body = [line for line in translator.lines if line[1]]
    if all(_SHOWS_CURSOR(line[1]) or not _USES["frame"](line[1]) for line in body) and not translator.needs_closing:
        # Nobody looks for the cursors in the frame.
        body = [line for line in body if not _SHOWS_CURSOR(line[1])]
    if body and body[-1][1] == "return" and body[-1][0] == translator.depth:
        body.pop()
    body = prologue + body
    gives_rows = any("yield" in line[1] for line in body)
    if not body:
        body = [(translator.depth, "pass", 0)]
    if not gives_rows and not translator.changes_data and not is_sub:
        body += [(translator.depth, "return", 0), (translator.depth, "yield", 0)]
        gives_rows = True
    if translator.needs_closing:
        body = [(1, "try:", 0), *body, (1, "finally:", 0), (2, "frame.close_cursors()", 0)]
    # Locals that start with a value (parameters, counters) are arguments as the constants are.
    filled = sorted(register for register in translator.used_locals if translator.starts_filled(register))
    named = {register: f"k{register}" for register in sorted(translator.used_constants)}
    named.update((register, f"r{register}") for register in filled)
    given = _parameter_names(program, named)
    constants = tuple(register for register in named if named[register] not in given)
    names = [f"o{n}" for n in range(len(translator.objects))] + [named[register] for register in constants]
    lines = [(0, f"def program({', '.join(['host', *given, 'frame', 'R', *names])}):", 0), *body]
    source = "\n".join([" " * depth + text for depth, text, _ in lines]) + "\n"
    parts = frozenset(name for name in ("frame", "R") if any(_USES[name](line[1]) for line in body))
    addresses = [address for _, _, address in lines]
    return Translation(source, tuple(translator.objects), constants, addresses, parts, gives_rows)


def _parameter_names(program: Program, named: dict[int, str]) -> list[str]:
    """The names of the function's parameters in the order of their numbers; those that the text does not use have one, too."""
    registers = dict(parameter_registers(program))
    n_parameters = max(registers, default=0) if program.n_arguments else program.n_parameters
    return [named.get(registers.get(number, 0), f"p{number}") for number in range(1, n_parameters + 1)]


_SHOWS_CURSOR = re.compile(r"frame\.cursors\[\d+\] = c\d+$").match
# Whether a line names the frame or the register list.
_USES = {"frame": re.compile(r"\bframe\b").search, "R": re.compile(r"\bR\b").search}


def _prologue(translator: Translator) -> list[str]:
    """The statements that give every name its first value."""
    lines = [f"{flag} = False" for flag in translator.flags]
    if translator.finders and any(instruction[0] == op.ResultRow for instruction in translator.code):
        lines.append(" = ".join(f"F{cursor}" for cursor in sorted(translator.finders)) + " = None")
    if translator.late_cursors:
        lines.append(" = ".join(f"c{cursor}" for cursor in sorted(translator.late_cursors)) + " = None")
    if translator.uses_context:
        lines.append("context = host.function_context")
    empty = [register for register in sorted(translator.used_locals) if not translator.starts_filled(register)]
    if empty:
        lines.append(" = ".join(f"r{register}" for register in empty) + " = None")
    plan = translator.plan
    for load in sorted(translator.used_rows):
        if load not in plan.loop_at and plan.may_be_skipped(load):
            lines.append(f"w{load} = (None,) * {len(plan.writes[load])}")
    if translator.counts_locally:
        lines.append("n = 0")
    return lines
