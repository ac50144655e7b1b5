"""Literal slots: a program whose constants can be exchanged for those of another statement of the same shape.

A statement is compiled with probes in place of its literals: values that occur nowhere else, so where they are found in the
program tells which constant came from which literal, and what was done to it: its sign changed, or made a text for a comparison
with a TEXT column.  `fill` makes the program of a statement with other literals from that.  Values that are computed from
literals have formulas, and probes of their own with the numbers behind those of the literals.

Anything that cannot be traced makes a program unfit: a number of the probes' range that is no probe, an operand of a kind that
may hide one.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from os import urandom
from typing import Any

from minisql.bytecode.opcodes import Constant, ConstantRows
from minisql.bytecode.program import ConstantSet, GroupSpec, HashSpec, Program, RowsSpec, SortSpec
from minisql.functions.registry import ScalarFunction
from minisql.values.affinity import apply_text
from minisql.values.collation import BINARY, Collation
from minisql.values.compare import hash_key
from minisql.values.shape import KeyShape, RowShape

_MARK = urandom(8).hex()
_FIRST = (1 << 45) + int.from_bytes(urandom(4), "big")
_FIRST_REAL = (1 << 46) + int.from_bytes(urandom(4), "big")
_STEP = 4096
_LOW, _HIGH = 1 << 44, 1 << 47
_OPAQUE = frozenset(
    (Collation, GroupSpec, HashSpec, RowsSpec, SortSpec, RowShape, KeyShape, ScalarFunction, type(None), bool, bytes)
)
"""Operands in which no literal is kept."""

Transform = Callable[[Any], Any]
Place = tuple[int, "Transform | None"]
"""(number of the literal, what to do with its value)."""
Places = dict[tuple[type, object], Place]
"""The places of what can become of the probes, by class and value."""


def probe(number: int, kind: str) -> int | float | str:
    """The probe for literal `number`, of kind 'i' (integer), 'r' (real) or 't' (text)."""
    if kind == "i":
        return _FIRST + number * _STEP
    if kind == "r":
        return _FIRST_REAL + number * _STEP + 0.5
    return f"{_MARK}.{number}"


def _negated(value: Any) -> Any:
    return -value


def _negated_text(value: Any) -> Any:
    return apply_text(-value)


def _negated_real(value: Any) -> Any:
    return -float(value)


_TRANSFORMS: tuple[Transform | None, ...] = (float, _negated_real, apply_text, _negated_text, _negated, None)
"""What may be done to a number; of a real number the first two leave the same as the last two."""


_NUMERIC = frozenset((None, _negated))


class Unfit(Exception):
    """A program in which the literals cannot be exchanged."""


class SlottedProgram:
    """A program with slots for literals."""

    __slots__ = ("changed", "formulas", "operands", "plain", "program")

    def __init__(
        self,
        program: Program,
        probes: Sequence[tuple[int, int | float | str]],
        formulas: Sequence[tuple[Transform, type]] = (),
    ) -> None:
        """Finds the (number, value) of every probe; raises Unfit.

        `formulas` compute further values from all values before them, each of one class.
        """
        if program.parameters or program.rows_spec is not None or program.is_ddl:
            raise Unfit
        places: Places = {}
        for number, value in probes:
            places.update(_places_of(number, value))
        self.program = program
        self.formulas = formulas
        # Registers whose value is a literal's own, and those whose value is made of one.
        self.plain: list[tuple[int, int]] = []
        self.changed: list[tuple[int, int, Transform]] = []
        # Operands that hold literals: (address, function that makes the operand of the values).
        self.operands: list[tuple[int, Transform]] = []
        found: set[int] = set()
        for register, constant in enumerate(program.template):
            place = _place(constant, places) if constant is not None else None
            if place is not None:
                number, transform = place
                found.add(number)
                if transform is None:
                    self.plain.append((register, number))
                else:
                    self.changed.append((register, number, transform))
        for address, (opcode, p1, p2, p3, p4, p5) in enumerate(program.code):
            if p1.__class__ is not int or p2.__class__ is not int or p3.__class__ is not int:
                raise Unfit
            if p1 >= _LOW or p2 >= _LOW or p3 >= _LOW or p1 <= -_LOW or p2 <= -_LOW or p3 <= -_LOW:
                raise Unfit
            if p4 is not None and p4.__class__ not in _OPAQUE:
                make = _operand_maker(opcode, p4, p5, places, found)
                if make is not None:
                    self.operands.append((address, make))
        if len(found) < len(probes):
            raise Unfit
        program.describe_now()

    def fill(self, values: list[Any]) -> Program | None:
        """The program for these values of the literals; None if a value computed from them is of another class.

        Computed values are added to the list.
        """
        for compute, kind in self.formulas:
            value = compute(values)
            if value.__class__ is not kind:
                return None
            values.append(value)
        program = self.program
        template = program.template.copy()
        for register, number in self.plain:
            template[register] = values[number]
        for register, number, transform in self.changed:
            template[register] = transform(values[number])
        code = program.code
        if self.operands:
            code = code.copy()
            for address, make in self.operands:
                opcode, p1, p2, p3, _, p5 = code[address]
                code[address] = (opcode, p1, p2, p3, make(values), p5)
        return program.with_constants(code, template)


@lru_cache(512)
def _places_of(number: int, value: int | float | str) -> Places:
    """The places of what can become of one probe."""
    places: Places = {}
    for transform in _TRANSFORMS if value.__class__ is not str else (None,):
        made: object = value if transform is None else transform(value)
        places[made.__class__, made] = number, transform
    return places


def _place(value: object, places: Places) -> Place | None:
    """Where a constant comes from, None if from no literal; raises Unfit if that is not sure."""
    kind = value.__class__
    if isinstance(value, str):
        if _MARK not in value and (kind, value) not in places:
            return None
    elif not isinstance(value, (int, float)) or not _LOW < abs(value) < _HIGH:
        return None
    place = places.get((kind, value))
    if place is None:
        raise Unfit
    return place


def _operand_maker(opcode: int, p4: Any, p5: int, places: Places, found: set[int]) -> Transform | None:
    """What makes p4 of an instruction of the literals' values; None if there are no literals in it."""
    kind = p4.__class__
    if kind is ConstantSet:
        return _set_maker(p4, places, found)
    if opcode == ConstantRows:
        return _rows_maker(p4, p5 == 1, places, found)
    if opcode == Constant:
        place = _place(p4, places)
        if place is None:
            return None
        found.add(place[0])
        return partial(_value_at, p4, place)
    _refuse_literals(p4, places)
    return None


def _refuse_literals(operand: object, places: Places) -> None:
    """Raises Unfit if an operand holds or may hold a literal."""
    kind = operand.__class__
    if kind is tuple:
        for item in operand:  # type: ignore[attr-defined]
            _refuse_literals(item, places)
    elif kind is int or kind is float or kind is str:
        if _place(operand, places) is not None:
            raise Unfit
    elif kind not in _OPAQUE:
        raise Unfit


def _set_maker(operand: ConstantSet, places: Places, found: set[int]) -> Transform | None:
    items = [(value, _place(value, places)) for value in operand.values]
    numbers = {place[0] for _, place in items if place is not None}
    if not numbers:
        return None
    found |= numbers
    collation = operand.collation
    order = collation or BINARY
    has_null = operand.has_null
    is_plain = all([place is not None and place[1] is None for _, place in items])
    slots = [place[0] for _, place in items if place is not None]

    def make(values: Sequence[Any]) -> ConstantSet:
        if is_plain:
            present = tuple([values[number] for number in slots])
        else:
            present = tuple([_value_at(value, place, values) for value, place in items])
        try:
            keys = frozenset(present if collation is None else [hash_key(value, order) for value in present])
        except TypeError:
            keys = frozenset()
        return ConstantSet(keys, has_null, collation, present)

    return make


def _value_at(value: object, place: Place | None, values: Sequence[Any]) -> Any:
    """A constant of the shape, or a literal's value after its transformation."""
    if place is None:
        return value
    number, transform = place
    return values[number] if transform is None else transform(values[number])


def _rows_maker(
    operand: tuple[tuple[object, ...], ...], is_binary: bool, places: Places, found: set[int]
) -> Transform | None:
    """The rows that an IN seeks: numbers, or texts in the order of their characters (`is_binary`), each once and ascending.
    Of equal ones the first in the list stays."""
    items = [(row[0], _place(row[0], places)) for row in operand if len(row) == 1]
    if len(items) < len(operand):
        for row in operand:
            _refuse_literals(row, places)
        return None
    if not any([place is not None for _, place in items]):
        return None
    if is_binary and all([value.__class__ is str for value, _ in items]):
        pass
    elif any([value.__class__ is str or place is None or place[1] not in _NUMERIC for value, place in items]):
        raise Unfit
    items.sort(key=lambda item: item[1][0] if item[1] is not None else 0)
    found |= {place[0] for _, place in items if place is not None}

    def make(values: Sequence[Any]) -> tuple[tuple[object, ...], ...]:
        present = dict.fromkeys([_value_at(value, place, values) for value, place in items])
        return tuple([(value,) for value in sorted(present)])

    return make
