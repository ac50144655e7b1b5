"""Compiling translated programs, and running them: the only place in the engine that calls `compile` and `exec`.

Queries that differ in constants only have the same shape and share one function, so functions are kept by shape, and by source
(several shapes lead to the same source).  Each source is registered
with `linecache`, so tracebacks show it, and `program_address` maps a line back to the instruction.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Sequence
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
from minisql.vm.halting import halt_error
from minisql.vm.handlers import HANDLERS
from minisql.vm.handlers_cursor import compare_prefix, seek_table
from minisql.vm.handlers_expression import in_constants, is_true_value
from minisql.vm.program_shape import program_shape
from minisql.vm.register_plan import Untranslatable
from minisql.vm.translator import Hints, Recipe, Translation, program_objects, translate
from minisql.vm.walking import (
    interpret_leaf,
    is_passed,
    pass_once,
    prepare,
    rowid_of,
    scan,
    scan_index,
    scan_with_rowids,
    seek_value,
    walk,
    walk_leaves,
    walk_queue,
)

if TYPE_CHECKING:
    from minisql.vm.host import Host

Row = tuple[Any, ...]
Function = Callable[..., Iterator[Row]]

_KEPT_FUNCTIONS = 1000

_NAMESPACE: dict[str, Any] = {
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
    "halt_error": halt_error,
    "in_constants": in_constants,
    "is_true": is_true_value,
    "interpret_leaf": interpret_leaf,
    "is_passed": is_passed,
    "pass_once": pass_once,
    "prepare": prepare,
    "scan": scan,
    "scan_index": scan_index,
    "scan_with_rowids": scan_with_rowids,
    "rowid_of": rowid_of,
    "seek_table": seek_table,
    "seek_value": seek_value,
    "sqlite_error": sqlite_error,
    "to_text": to_text,
    "walk": walk,
    "walk_leaves": walk_leaves,
    "walk_queue": walk_queue,
    **{
        name: getattr(arithmetic, name)
        for name in (
            "add", "subtract", "multiply", "divide", "remainder", "concat", "bit_and", "bit_or", "shift_left", "shift_right",
            "logical_and", "logical_or", "negate", "bit_not", "logical_not", "truth",
        )
    },
}  # fmt: skip

_functions: dict[str, Function] = {}
_shapes: dict[Any, tuple[Function, tuple[Recipe, ...], tuple[int, ...]]] = {}
_addresses: dict[str, list[int]] = {}


class CompiledProgram:
    """A program's function and the objects to call it with."""

    __slots__ = ("constants", "function", "objects")

    def __init__(self, function: Function, objects: list[Any], constants: tuple[int, ...]) -> None:
        self.function = function
        self.objects = objects
        self.constants = constants

    def start(self, program: Program, host: Host, parameters: Sequence[Any]) -> Iterator[Row]:
        """Returns the rows; nothing has run before the first is asked for."""
        registers = program.template.copy()
        for number, register in program.parameters:
            registers[register] = parameters[number - 1]
        constants = [registers[register] for register in self.constants]
        return self.function(Frame(program, registers, host), registers, host, *self.objects, *constants)


def compile_program(program: Program, hints: Hints, may_translate: bool = True) -> CompiledProgram | None:
    """Translates and compiles a program, or finds what its shape was compiled to before (None if that has to be enough).

    Raises Untranslatable.

    Source: DESIGN, "A VM of two tiers"
    """
    shape = program_shape(program, hints.masks, hints.specialises)
    known = _shapes.get(shape)
    if known is None:
        if not may_translate:
            return None
        translation = translate(program, hints)
        function = _functions.get(translation.source)
        if function is None:
            function = _compile(translation)
        known = function, translation.recipes, translation.constants
        if len(_shapes) >= _KEPT_FUNCTIONS:
            _shapes.clear()
        _shapes[shape] = known
    function, recipes, constants = known
    return CompiledProgram(function, program_objects(program, recipes), constants)


def _compile(translation: Translation) -> Function:
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
    function: Function = namespace["program"]
    _functions[source] = function
    return function


def program_address(file_name: str, line: int) -> int | None:
    """The address of the instruction behind a line of a translated program, as tracebacks name it; None if it is unknown."""
    addresses = _addresses.get(file_name)
    return addresses[line - 1] if addresses is not None and 0 < line <= len(addresses) else None


def gather_hints(program: Program, host: Host, specialises: bool) -> Hints:
    """Looks at the first leaf of every table that a program scans; a read transaction must be open.

    Source: DESIGN, "A VM of two tiers" (type masks)
    """
    masks: dict[int, tuple[int, ...]] = {}
    for opcode, cursor, root, database, shape, root_is_register in program.code:
        if opcode == op.OpenRead and shape.__class__ is RowShape and not root_is_register:
            btree = host.btrees[database]
            assert btree is not None, "the program has started a transaction there"
            reader = btree.table_cursor(root, shape)
            for _, _, first_masks in reader.leaves():
                masks[cursor] = first_masks
                break
    return Hints(masks, specialises)
