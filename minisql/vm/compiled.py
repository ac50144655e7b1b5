"""Compiling translated programs, and running them: the only place in the engine that calls `compile` and `exec`.

Queries that differ in constants only have the same shape and share one function, so functions are kept by shape, and by source
(several shapes lead to the same source).  Each source is registered
with `linecache`, so tracebacks show it, and `program_address` maps a line back to the instruction.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from minisql.bytecode import opcodes as op
from minisql.bytecode.program import Program
from minisql.errors import CORRUPT_INDEX, sqlite_error
from minisql.values import arithmetic
from minisql.values.affinity import apply_affinity
from minisql.values.cast import cast, to_text
from minisql.values.collation import BINARY
from minisql.values.compare import compare
from minisql.values.shape import RowShape
from minisql.values.storage_class import INT64_MAX, INT64_MIN
from minisql.vm.comparing import compare_jumps, compare_result
from minisql.vm.ephemeral import ListCursor
from minisql.vm.frame import Frame
from minisql.vm.grouping import GroupCursor
from minisql.vm.halting import halt_error, raised_text
from minisql.vm.handlers import HANDLERS
from minisql.vm.handlers_control import must_be_int_value, open_rows
from minisql.vm.handlers_cursor import compare_prefix, seek_table
from minisql.vm.handlers_expression import in_constants, is_true_value
from minisql.vm.handlers_table import distinguished
from minisql.vm.handlers_write import random_rowid, report_insert
from minisql.vm.interpreter import CHANGES, finish_changes
from minisql.vm.program_shape import program_shape
from minisql.vm.register_plan import Untranslatable
from minisql.vm.translator import Hints, Translation, program_objects, translate
from minisql.vm.walking import (
    RowsByRowid,
    Scan,
    interpret_leaf,
    is_passed,
    leaf_walk,
    pass_once,
    polled,
    prepare,
    rowid_of,
    seek_value,
    walk,
    walk_lists,
    walk_queue,
    walk_range,
    walk_rows,
)

if TYPE_CHECKING:
    from minisql.vm.host import Host

Row = tuple[Any, ...]

_KEPT_FUNCTIONS = 1000
_SAMPLED_LEAVES = 3

_NAMESPACE: dict[str, Any] = {
    "GroupCursor": GroupCursor,
    "HANDLERS": HANDLERS,
    "ListCursor": ListCursor,
    "HIGH": INT64_MAX,
    "LOW": INT64_MIN,
    "BINARY": BINARY,
    "CORRUPT_INDEX": CORRUPT_INDEX,
    "apply_affinity": apply_affinity,
    "cast": cast,
    "compare": compare,
    "compare_jumps": compare_jumps,
    "compare_prefix": compare_prefix,
    "compare_result": compare_result,
    "distinguished": distinguished,
    "finish_changes": finish_changes,
    "halt_error": halt_error,
    "in_constants": in_constants,
    "is_true": is_true_value,
    "interpret_leaf": interpret_leaf,
    "is_passed": is_passed,
    "open_rows": open_rows,
    "pass_once": pass_once,
    "must_be_int": must_be_int_value,
    "polled": polled,
    "prepare": prepare,
    "random_rowid": random_rowid,
    "report_insert": report_insert,
    "leaf_walk": leaf_walk,
    "RowsByRowid": RowsByRowid,
    "Scan": Scan,
    "rowid_of": rowid_of,
    "seek_table": seek_table,
    "seek_value": seek_value,
    "sqlite_error": sqlite_error,
    "raised_text": raised_text,
    "to_text": to_text,
    "walk": walk,
    "walk_lists": walk_lists,
    "walk_range": walk_range,
    "walk_rows": walk_rows,
    "walk_queue": walk_queue,
    **{
        name: getattr(arithmetic, name)
        for name in (
            "add", "subtract", "multiply", "divide", "remainder", "concat", "bit_and", "bit_or", "shift_left", "shift_right",
            "logical_and", "logical_or", "negate", "bit_not", "logical_not", "truth",
        )
    },
}  # fmt: skip

_functions: dict[str, FunctionType] = {}
Known = tuple[FunctionType, Translation]
_shapes: dict[Any, Known] = {}
_NO_ROWS: Iterator[Row] = iter(())
_addresses: dict[str, list[int]] = {}


class CompiledProgram:
    """A program's function.  It is called with the host and the parameters, and then with the frame and the register list when
    it uses them: `needs_frame` and `needs_registers`.  Objects and constants are defaults of its arguments.

    Where the host and the parameters are all that it needs, it is also `call` if it does everything at once, and `query` if it
    hands out rows; else these are None.
    """

    __slots__ = ("call", "function", "gives_rows", "needs_frame", "needs_registers", "query")

    def __init__(self, known: Known, program: Program) -> None:
        shared, translation = known
        template = program.template
        constants = [template[register] for register in translation.constants]
        defaults = (None, None, *program_objects(program, translation.recipes), *constants)
        self.function = FunctionType(shared.__code__, shared.__globals__, "program", defaults)
        self.needs_frame = "frame" in translation.uses
        self.needs_registers = "R" in translation.uses or self.needs_frame
        self.gives_rows = translation.gives_rows
        self.call = None if self.gives_rows or self.needs_registers else self.function
        self.query = self.function if self.gives_rows and not self.needs_registers else None

    def start(self, program: Program, host: Host, parameters: Sequence[Any]) -> Iterator[Row]:
        """Returns the rows; nothing has run before the first is asked for, unless the statement has no result columns."""
        if not self.needs_registers:
            rows = self.function(host, *parameters)
            return rows if self.gives_rows else _NO_ROWS
        registers = program.template.copy()
        for number, register in program.parameters:
            registers[register] = parameters[number - 1]
        frame = Frame(program, registers, host) if self.needs_frame else None
        rows = self.function(host, *parameters, frame, registers)
        return rows if self.gives_rows else _NO_ROWS


def compile_program(program: Program, hints: Hints, may_translate: bool = True) -> CompiledProgram | None:
    """Translates and compiles a program, or finds what its shape was compiled to before (None if that has to be enough).

    Raises Untranslatable.

    Source: DESIGN, "A VM of two tiers"
    """
    found = _compile_one(program, hints, may_translate, False)
    if found is not None:
        _compile_called(program, may_translate)
    return found


def _compile_called(program: Program, may_translate: bool) -> None:
    """Compiles all sub-programs that a program leads to; raises Untranslatable."""
    pending = [program]
    while pending:
        for instruction in pending.pop().code:
            if instruction[0] != op.Program:
                continue
            called: Program = instruction[4][0]
            if called.linked is None:
                compiled = _compile_one(called, Hints({}, False, True), may_translate, True)
                if compiled is None:
                    raise Untranslatable("a sub-program is not translated yet")
                called.linked = compiled
                pending.append(called)


def _compile_one(program: Program, hints: Hints, may_translate: bool, is_sub: bool) -> CompiledProgram | None:
    # Parameters that the text does not use are in no instruction, but the function takes them.
    shape = program_shape(program, hints.masks, (hints.specialises, hints.is_hot, is_sub, program.n_parameters))
    known = _shapes.get(shape)
    if known is None:
        if not may_translate:
            return None
        translation = translate(program, hints, is_sub)
        function = _functions.get(translation.source)
        if function is None:
            function = _compile(translation)
        known = function, translation
        if len(_shapes) >= _KEPT_FUNCTIONS:
            _shapes.clear()
        _shapes[shape] = known
    return CompiledProgram(known, program)


def _compile(translation: Translation) -> FunctionType:
    if len(_functions) >= _KEPT_FUNCTIONS:
        _functions.clear()
        for name in _addresses:
            linecache.cache.pop(name, None)
        _addresses.clear()
    source = translation.source
    file_name = f"<minisql program {len(_functions)}>"
    namespace = dict(_NAMESPACE)
    try:
        code = compile(source, file_name, "exec")
    except (SyntaxError, RecursionError, MemoryError) as error:
        if error.__class__ is SyntaxError and "too many" not in str(error):
            raise
        # CPython limits parentheses, indentation and the depth of expressions.
        raise Untranslatable(str(error)) from error
    exec(code, namespace)
    linecache.cache[file_name] = (len(source), None, source.splitlines(True), file_name)
    _addresses[file_name] = translation.addresses
    function: FunctionType = namespace["program"]
    _functions[source] = function
    return function


def program_address(file_name: str, line: int) -> int | None:
    """The address of the instruction behind a line of a translated program, as tracebacks name it; None if it is unknown."""
    addresses = _addresses.get(file_name)
    return addresses[line - 1] if addresses is not None and 0 < line <= len(addresses) else None


def gather_hints(program: Program, host: Host, specialises: bool, is_hot: bool = False) -> Hints:
    """Looks at the first leaves of every table that is scanned while nothing changes, and at what earlier scans have met; a
    read transaction must be open.

    Source: DESIGN, "A VM of two tiers" (type masks)
    """
    masks: dict[int, tuple[int, ...]] = {}
    if not program.loops:
        return Hints(masks, False, is_hot)
    changing: set[int] = set()
    if not program.readonly:
        changing = {
            loop.cursor
            for loop in program.loops
            if any(instruction[0] in CHANGES for instruction in program.code[loop.body : loop.next])
        }
    for opcode, cursor, root, database, shape, root_is_register in program.code:
        is_open = opcode == op.OpenRead or opcode == op.OpenWrite
        if is_open and shape.__class__ is RowShape and not root_is_register and cursor not in changing:
            btree = host.btrees[database]
            assert btree is not None, "the program has started a transaction there"
            reader = btree.table_cursor(root, shape)
            met = reader.tree.met_masks
            found = [met.get(column, 0) for column in range(shape.n_columns)]
            for n_leaves, (_, _, leaf_masks) in enumerate(reader.leaves(), 1):
                found = [mask | leaf_masks[column] for column, mask in enumerate(found)]
                masks[cursor] = tuple(found)
                if n_leaves == (_SAMPLED_LEAVES if specialises else 1):
                    break
    return Hints(masks, specialises, is_hot)
