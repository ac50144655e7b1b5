"""Python text of values and conditions: the expression half of the translator.

A value is an `Operand`: its text, the storage classes that it can have (the bits of storage.type_mask), the number of bits of
its magnitude when it is an integer, and whether the text is a plain name that may be repeated.  Where the classes are
known, operators become Python's operators; where they are not, the common case is tested inline and everything else
calls the function in `minisql.values`, so the text never decides differently from tier 1.

Every conditional and binary text comes in parentheses; text that must be used twice is bound by `:=` at its first use.

Source: DESIGN, "A VM of two tiers"; https://www.sqlite.org/datatype3.html section 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import JUMP_IF_NULL, NULLS_EQUAL
from minisql.storage.type_mask import BLOB, INTEGER_48, INTEGER_64, NULL, REAL, TEXT, TEXT_NOT_ASCII
from minisql.values import affinity as affinities

if TYPE_CHECKING:
    from minisql.vm.translator import Translator

INTEGER = INTEGER_48 | INTEGER_64
NUMBER = INTEGER | REAL
ANY = NULL | NUMBER | TEXT | TEXT_NOT_ASCII | BLOB
TRUTH = NULL | INTEGER_48


class Operand(NamedTuple):
    """A value in Python text."""

    text: str
    classes: int
    bits: int
    is_name: bool


class Condition(NamedTuple):
    """A jump's condition in Python text and its opposite; both are complete boolean expressions without side effects."""

    text: str
    opposite: str


def only(operand: Operand, classes: int) -> bool:
    """Tells whether an operand can have no other storage classes."""
    return not operand.classes & ~classes


def bound(translator: Translator, operand: Operand) -> tuple[str, str]:
    """Text for the first use of an operand and for later ones."""
    if operand.is_name:
        return operand.text, operand.text
    name = translator.temporary()
    return f"({name} := {operand.text})", name


def named(translator: Translator, operand: Operand) -> str:
    """The text of an operand that may be repeated, assigned to a name first if need be."""
    if operand.is_name:
        return operand.text
    name = translator.temporary()
    translator.line(f"{name} = {operand.text}")
    return name


def integer_test(
    translator: Translator, a: Operand, b: Operand, or_reals: bool = False
) -> tuple[str, str, str] | None:
    """A test that both operands are integers, and the texts to use behind it; None if that takes two new names.

    `or_reals` allows a test for reals where they are likely: one operand is of a REAL column, the other of no known class.
    """
    reals = or_reals and "float" in (translator.likely_class(a), translator.likely_class(b))
    if not a.is_name and not b.is_name and not (only(a, INTEGER) or only(b, INTEGER)):
        return None
    tests = []
    texts = []
    for operand in (a, b):
        if only(operand, INTEGER):
            texts.append(operand.text)
            continue
        first, later = bound(translator, operand)
        is_real = reals and translator.likely_class(operand) != "int"
        test = f"{first}.__class__ is {'float' if is_real else 'int'}"
        if operand.is_name:
            tests.append(test)
        else:
            tests.insert(0, test)
        texts.append(later)
    return " and ".join(tests), texts[0], texts[1]


# Values


def value_of(translator: Translator, address: int) -> Operand:
    """The value that a pure instruction computes."""
    return _VALUES[translator.code[address][0]](translator, address)


def _arithmetic(translator: Translator, address: int) -> Operand:
    opcode, p1, p2, _, _, _ = translator.code[address]
    a = translator.operand(p1, address)
    b = translator.operand(p2, address)
    sign, function = _ARITHMETIC[opcode]
    if only(a, INTEGER) and only(b, INTEGER):
        bits = a.bits + b.bits if opcode == op.Multiply else max(a.bits, b.bits) + 1
        if bits <= 63:
            return Operand(f"({a.text} {sign} {b.text})", INTEGER_48 if bits <= 47 else INTEGER, bits, False)
    if _is_real(a, b):
        return _real_arithmetic(translator, a, b, sign)
    if only(a, NUMBER) and only(b, NUMBER):
        (first, x), (second, y) = bound(translator, a), bound(translator, b)
        name = translator.temporary()
        # Beyond the range of integers, and for what is not a number, the function decides.
        text = f"({name} if LOW <= ({name} := {first} {sign} {second}) <= HIGH else {function}({x}, {y}))"
        return Operand(text, NUMBER if only(a, INTEGER) and only(b, INTEGER) else NUMBER | NULL, 64, False)
    if only(a, INTEGER | NULL) and only(b, INTEGER | NULL) and a.is_name and b.is_name:
        bits = a.bits + b.bits if opcode == op.Multiply else max(a.bits, b.bits) + 1
        if bits <= 63:
            present = " and ".join(f"{x.text} is not None" for x in (a, b) if x.classes & NULL)
            text = f"({a.text} {sign} {b.text} if {present} else None)"
            return Operand(text, NULL | (INTEGER_48 if bits <= 47 else INTEGER), bits, False)
    if only(a, NUMBER | NULL) and only(b, NUMBER | NULL) and not only(a, INTEGER | NULL) and not only(b, INTEGER | NULL):
        return _nullable_arithmetic(translator, a, b, sign, function)
    found = integer_test(translator, a, b, True)
    if found is None:
        return Operand(f"{function}({a.text}, {b.text})", NULL | NUMBER, 64, False)
    test, x, y = found
    if test and a.is_name and b.is_name and not any(map(translator.likely_class, (a, b))) and a.classes == b.classes:
        # Nothing is known of either, as of the OLD and NEW of a trigger: two reals need no call either.
        test = f"{x}.__class__ is {y}.__class__ and ({x}.__class__ is int or {x}.__class__ is float)"
    name = translator.temporary()
    limits = f"LOW <= ({name} := {x} {sign} {y}) <= HIGH"
    text = f"({name} if {test + ' and ' if test else ''}{limits} else {function}({x}, {y}))"
    if test and (not a.is_name or not b.is_name):
        # The name behind `:=` is bound only once its test has run: it comes first.
        text = f"({name} if {test} and {limits} else {function}({x}, {y}))"
    return Operand(text, NULL | NUMBER, 64, False)


def _nullable_arithmetic(translator: Translator, a: Operand, b: Operand, sign: str, function: str) -> Operand:
    """Numbers or NULL, of which some are reals: as for numbers, once both are known to be there."""
    tests = []
    texts = []
    for operand in (a, b):
        text = operand.text
        if not operand.is_name or operand.classes & NULL:
            # All operands are computed, whatever one of them is: a computation may raise.
            first, text = bound(translator, operand)
            tests.append(f"({first} is not None)")
        texts.append(text)
    x, y = texts
    name = translator.temporary()
    text = f"({name} if {' & '.join(tests)} and LOW <= ({name} := {x} {sign} {y}) <= HIGH else {function}({x}, {y}))"
    return Operand(text, NULL | NUMBER, 64, False)


def _is_real(a: Operand, b: Operand) -> bool:
    """Tells whether arithmetic of two operands is that of reals, or NULL."""
    numbers = NUMBER | NULL
    return only(a, numbers) and only(b, numbers) and (only(a, REAL | NULL) or only(b, REAL | NULL))


def _real_arithmetic(translator: Translator, a: Operand, b: Operand, sign: str) -> Operand:
    """Reals: an infinity can make what is not a number, which SQL sees as NULL, as it does a division by zero."""
    has_null = (a.classes | b.classes) & NULL
    tests = []
    texts = []
    for operand in (a, b):
        text = operand.text
        if (has_null and not operand.is_name) or operand.classes & NULL:
            first, text = bound(translator, operand)
            tests.append(f"({first} is not None)")
        texts.append(text)
    x, y = texts
    # All operands are computed, whatever one of them is: a computation may raise.
    test = " & ".join(tests)
    if sign == "/":
        first, y = (y, y) if tests or b.is_name else bound(translator, b)
        test = f"{test} and {first}" if tests else first
    name = translator.temporary()
    text = f"({name} if {test + ' and ' if test else ''}({name} := {x} {sign} {y}) == {name} else None)"
    return Operand(text, REAL | NULL, 64, False)


_ARITHMETIC = {op.Add: ("+", "add"), op.Subtract: ("-", "subtract"), op.Multiply: ("*", "multiply")}


def _division(translator: Translator, address: int) -> Operand:
    opcode, p1, p2, _, _, _ = translator.code[address]
    a = translator.operand(p1, address)
    b = translator.operand(p2, address)
    sign, function = ("//", "divide") if opcode == op.Divide else ("%", "remainder")
    if opcode == op.Divide and _is_real(a, b):
        return _real_arithmetic(translator, a, b, "/")
    if only(a, INTEGER) and only(b, INTEGER) and b.text in translator.positive_names:
        first, later = bound(translator, a)
        # Python rounds down, SQL towards zero.
        text = f"({later} {sign} {b.text} if {first} >= 0 else -(-{later} {sign} {b.text}))"
        bits = a.bits if opcode == op.Divide else min(a.bits, b.bits)
        return Operand(text, INTEGER_48 if bits <= 47 else INTEGER, bits, False)
    if only(a, INTEGER) and only(b, INTEGER) and a.is_name and b.is_name:
        text = f"({a.text} {sign} {b.text} if {a.text} >= 0 and {b.text} > 0 else {function}({a.text}, {b.text}))"
        return Operand(text, NULL | NUMBER, 64, False)
    if b.text in translator.positive_names:
        first, later = bound(translator, a)
        text = f"({later} {sign} {b.text} if {later} >= 0 else -(-{later} {sign} {b.text}))"
        text = f"({text} if {first}.__class__ is int else {function}({later}, {b.text}))"
        return Operand(text, NULL | NUMBER, 64, False)
    return Operand(f"{function}({a.text}, {b.text})", NULL | NUMBER, 64, False)


def _concat(translator: Translator, address: int) -> Operand:
    _, p1, p2, _, _, _ = translator.code[address]
    a = translator.operand(p1, address)
    b = translator.operand(p2, address)
    text = TEXT | TEXT_NOT_ASCII
    if only(a, text) and only(b, text):
        return Operand(f"({a.text} + {b.text})", a.classes | b.classes, 0, False)
    if only(a, text) and only(b, text | NULL):
        first, later = bound(translator, b)
        return Operand(f"({a.text} + {later} if {first} is not None else None)", a.classes | b.classes, 0, False)
    return Operand(f"concat({a.text}, {b.text})", text | NULL, 0, False)


_CALLS: dict[int, tuple[str, int]] = {
    op.BitAnd: ("bit_and", NULL | INTEGER),
    op.BitOr: ("bit_or", NULL | INTEGER),
    op.ShiftLeft: ("shift_left", NULL | INTEGER),
    op.ShiftRight: ("shift_right", NULL | INTEGER),
    op.And: ("logical_and", TRUTH),
    op.Or: ("logical_or", TRUTH),
    op.Negative: ("negate", NULL | NUMBER),
    op.BitNot: ("bit_not", NULL | INTEGER),
    op.Not: ("logical_not", TRUTH),
}


def _call(translator: Translator, address: int) -> Operand:
    opcode, p1, p2, _, _, _ = translator.code[address]
    function, classes = _CALLS[opcode]
    a = translator.operand(p1, address)
    if opcode in (op.Negative, op.BitNot, op.Not):
        if opcode == op.Negative and only(a, NUMBER | NULL):
            return _negative(translator, a)
        return Operand(f"{function}({a.text})", classes, 64 if classes & INTEGER_64 else 1, False)
    b = translator.operand(p2, address)
    return Operand(f"{function}({a.text}, {b.text})", classes, 64 if classes & INTEGER_64 else 1, False)


def _negative(translator: Translator, a: Operand) -> Operand:
    """The opposite of a number or NULL; reals are taken from 0, which has no -0.0."""
    if only(a, INTEGER) and a.bits < 63:
        return Operand(f"(-{a.text})", a.classes, a.bits, False)
    if only(a, REAL):
        return Operand(f"(0 - {a.text})", REAL, 64, False)
    first, later = bound(translator, a)
    if only(a, REAL | NULL):
        return Operand(f"(0 - {later} if {first} is not None else None)", REAL | NULL, 64, False)
    name = translator.temporary()
    if only(a, NUMBER):
        return Operand(f"({name} if ({name} := 0 - {first}) <= HIGH else negate({later}))", NUMBER, 64, False)
    text = f"(None if {first} is None else {name} if ({name} := 0 - {later}) <= HIGH else negate({later}))"
    return Operand(text, NUMBER | NULL, 64, False)


def _truth_value(translator: Translator, address: int) -> Operand:
    """IsTrue, IsNullValue, NotNullValue and comparisons that cannot be NULL: 1 or 0 from a condition."""
    opcode, p1, p2, _, p4, p5 = translator.code[address]
    a = translator.operand(p1, address)
    if opcode == op.IsNullValue:
        return Operand(f"(1 if {a.text} is None else 0)", INTEGER_48, 1, False)
    if opcode == op.NotNullValue:
        return Operand(f"(0 if {a.text} is None else 1)", INTEGER_48, 1, False)
    return Operand(f"is_true({a.text}, {1 if p2 else 0}, {1 if p4 else 0}, {p5 & 1})", INTEGER_48, 1, False)


def _comparison_value(translator: Translator, address: int) -> Operand:
    opcode, p1, p2, _, p4, p5 = translator.code[address]
    a = translator.operand(p1, address)
    b = translator.operand(p2, address)
    sign = _SIGNS.get(opcode)
    if sign is not None and _compares_natively(a, b, p4, p5):
        return Operand(f"(1 if {a.text} {sign} {b.text} else 0)", INTEGER_48, 1, False)
    if p4 is None and not p5 & 0xFF:
        if opcode in (op.IsResult, op.IsNotResult):
            return Operand(f"(1 if {a.text} {sign or _IS_SIGNS[opcode]} {b.text} else 0)", INTEGER_48, 1, False)
        if opcode in (op.EqResult, op.NeResult) and a.is_name and b.is_name:
            nulls = " or ".join(f"{x.text} is None" for x in (a, b) if x.classes & NULL)
            text = f"1 if {a.text} {sign} {b.text} else 0"
            return Operand(f"(None if {nulls} else {text})" if nulls else f"({text})", TRUTH, 1, False)
    collation = "None" if p4 is None else translator.object_name(("object", p4))
    text = f"compare_result({opcode}, {a.text}, {b.text}, {collation}, {p5})"
    return Operand(text, INTEGER_48 if opcode in _IS_SIGNS else TRUTH, 1, False)


_SIGNS = {op.EqResult: "==", op.NeResult: "!=", op.LtResult: "<", op.LeResult: "<=", op.GtResult: ">", op.GeResult: ">="}
_IS_SIGNS = {op.IsResult: "==", op.IsNotResult: "!="}


def _compares_natively(a: Operand, b: Operand, collation: Any, flags: int) -> bool:
    """Tells whether Python's comparison of two operands that are never NULL is SQL's."""
    wanted = flags & 0xFF
    if only(a, NUMBER) and only(b, NUMBER):
        return wanted != affinities.TEXT
    if wanted >= affinities.NUMERIC or collation is not None:
        return False
    text = TEXT | TEXT_NOT_ASCII
    return (only(a, TEXT) and only(b, text)) or (only(b, TEXT) and only(a, text)) or (only(a, BLOB) and only(b, BLOB))


def _in_constant(translator: Translator, address: int) -> Operand:
    _, p1, p2, _, constants, p5 = translator.code[address]
    a = translator.operand(p1, address)
    if constants.collation is None and a.is_name and _affinity_is_idle(a, p2) and constants.values:
        yes, no = ("0", "1") if p5 & 1 else ("1", "0")
        if constants.has_null:
            no = "None"
        keys = translator.object_name(("keys", address))
        text = f"{yes} if {a.text} in {keys} else {no}"
        if a.classes & NULL:
            text = f"None if {a.text} is None else {text}"
        return Operand(f"({text})", TRUTH, 1, False)
    name = translator.object_name(("p4", address))
    return Operand(f"in_constants({a.text}, {name}, {p2 or 0}, {p5 & 1})", TRUTH, 1, False)


def _in_set(translator: Translator, address: int) -> Operand:
    _, cursor, _, _, _, p5 = translator.code[address]
    call = f"c{cursor}.member({_searched_row(translator, address)})"
    if p5 & 1:
        name = translator.temporary()
        call = f"(None if ({name} := {call}) is None else 1 - {name})"
    return Operand(call, TRUTH, 1, False)


def _searched_row(translator: Translator, address: int) -> str:
    """The row that an InSet looks for, affinities applied."""
    affinity_of = translator.code[address][2] or ()
    registers = translator.code[address][4]
    texts = []
    for position, register in enumerate(registers):
        operand = translator.operand(register, address)
        wanted = affinity_of[position] if affinity_of else 0
        idle = not wanted or _affinity_is_idle(operand, wanted)
        texts.append(operand.text if idle else f"apply_affinity({operand.text}, {wanted})")
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _set_condition(translator: Translator, definition: int, null_is_true: bool) -> Condition | None:
    """InSet of one column without NULL as a test of membership."""
    _, cursor, _, _, registers, p5 = translator.code[definition]
    if cursor not in translator.asked_sets or len(registers) != 1 or p5 & 1 or null_is_true:
        return None
    operand = translator.operand(registers[0], definition)
    row = _searched_row(translator, definition)
    inside, outside = f"{row} in m{cursor}", f"{row} not in m{cursor}"
    if operand.classes & NULL:
        if not operand.is_name:
            return None
        # The set may hold NULL, which nothing is equal to.
        return Condition(f"({operand.text} is not None and {inside})", f"({operand.text} is None or {outside})")
    return Condition(inside, outside)


def _affinity_is_idle(operand: Operand, affinity: int) -> bool:
    """Tells whether applying an affinity cannot change an operand's equality with a constant."""
    if not affinity or affinity <= affinities.BLOB:
        return True
    if affinity == affinities.TEXT:
        return only(operand, NULL | TEXT | TEXT_NOT_ASCII | BLOB)
    return only(operand, NULL | NUMBER | BLOB)


def _function(translator: Translator, address: int) -> Operand:
    function, registers, collation = translator.code[address][4]
    operands = [translator.operand(register, address) for register in registers]
    arguments = [operand.text for operand in operands]
    if function.needs_context:
        translator.uses_context = True
        arguments.insert(0, "context")
    if function.needs_collation:
        arguments.insert(0, translator.object_name(("object", collation)) if collation is not None else "BINARY")
    inline = _inline_call(translator, function, operands)
    if inline is not None:
        return inline
    name = translator.object_name(("object", function.call))
    classes, bits = _result_classes(function, operands)
    return Operand(f"{name}({', '.join(arguments)})", classes, bits, False)


def _inline_call(translator: Translator, function: Any, operands: list[Operand]) -> Operand | None:
    """Calls of built-in functions that are methods of Python's on values whose class is known."""
    if not function.is_built_in or not operands:
        return None
    name = function.name.lower()
    if only(operands[0], TEXT):
        text = operands[0].text
        if name in ("upper", "lower"):
            return Operand(f"{text}.{name}()", TEXT, 0, False)
        if name == "instr" and only(operands[1], TEXT):
            return Operand(f"({text}.find({operands[1].text}) + 1)", INTEGER_48, 31, False)
        if name == "length" or (name in ("substr", "substring") and _is_plain_part(translator, operands)):
            return _read_text(translator, function, name, operands)
        if function.matches is not None:
            return Operand(f"(1 if {translator.match_text(translator, function, operands[0])} else 0)", INTEGER_48, 1, False)
    if name == "abs" and (only(operands[0], REAL) or (only(operands[0], INTEGER) and operands[0].bits < 63)):
        return Operand(f"abs({operands[0].text})", operands[0].classes, operands[0].bits, False)
    return None


def _is_plain_part(translator: Translator, operands: list[Operand]) -> bool:
    """Tells whether the place and length in a substr are positive constants."""
    return all(operand.text in translator.positive_names and only(operand, INTEGER) for operand in operands[1:])


def _read_text(translator: Translator, function: Any, name: str, operands: list[Operand]) -> Operand:
    """length and substr of ASCII text: Python's, if the text has no NUL, at which SQLite stops to read."""
    first, text = bound(translator, operands[0])
    call = f"{translator.object_name(('object', function.call))}({', '.join([text, *(other.text for other in operands[1:])])})"
    if name == "length":
        return Operand(f'(len({text}) if "\\0" not in {first} else {call})', INTEGER_48, 31, False)
    start = operands[1].text
    end = f"{start} - 1 + {operands[2].text}" if len(operands) > 2 else ""
    return Operand(f'({text}[{start} - 1:{end}] if "\\0" not in {first} else {call})', TEXT, 0, False)


# Built-in functions that give integers, or text made of the texts that they get; NULL for NULL.
_GIVE_INTEGERS = {"like": 1, "glob": 1, "length": 31, "instr": 31, "unicode": 31}
_GIVE_TEXTS = frozenset(("upper", "lower", "replace", "trim", "ltrim", "rtrim"))
# Those of them that are NULL only for NULL; substr of text is one, too.
_NULL_FOR_NULL = _GIVE_TEXTS | {"like", "glob", "length", "instr", "substr", "substring"}


def _result_classes(function: Any, operands: list[Operand]) -> tuple[int, int]:
    """The storage classes of what a function gives, and the bits of its integers."""
    name = function.name.lower() if function.is_built_in else ""
    null = 0 if name in _NULL_FOR_NULL and not any(operand.classes & NULL for operand in operands) else NULL
    if name in _GIVE_INTEGERS:
        return null | INTEGER_48, _GIVE_INTEGERS[name]
    if name in _GIVE_TEXTS or (name in ("substr", "substring") and only(operands[0], NULL | TEXT | TEXT_NOT_ASCII)):
        is_ascii = all(only(operand, NULL | NUMBER | TEXT) for operand in operands)
        return null | TEXT if is_ascii else null | TEXT | TEXT_NOT_ASCII, 0
    return ANY, 64


def _conversion(translator: Translator, address: int) -> Operand:
    opcode, p1, affinity, _, _, _ = translator.code[address]
    a = translator.operand(p1, address)
    if opcode == op.ApplyAffinity and only(a, NULL | INTEGER) and affinity in (affinities.INTEGER, affinities.NUMERIC):
        return a
    if opcode == op.Cast:
        translator.uses_context = True
        return Operand(f"cast({a.text}, {affinity}, context.encoding)", ANY, 64, False)
    return Operand(f"apply_affinity({a.text}, {affinity})", ANY, 64, False)


def _copy(translator: Translator, address: int) -> Operand:
    return translator.operand(translator.code[address][1], address)


def _integer(translator: Translator, address: int) -> Operand:
    n = translator.code[address][1]
    return Operand(f"{n}" if n >= 0 else f"({n})", INTEGER_48 if n.bit_length() < 48 else INTEGER, n.bit_length(), True)


def _constant(translator: Translator, address: int) -> Operand:
    return translator.constant_operand(translator.object_name(("p4", address)), translator.code[address][4])


def _rowid(translator: Translator, address: int) -> Operand:
    return translator.rowid_operand(address)


_VALUES: dict[int, Callable[[Translator, int], Operand]] = {
    op.Add: _arithmetic,
    op.Subtract: _arithmetic,
    op.Multiply: _arithmetic,
    op.Divide: _division,
    op.Remainder: _division,
    op.Concat: _concat,
    **dict.fromkeys(_CALLS, _call),
    op.IsTrue: _truth_value,
    op.IsNullValue: _truth_value,
    op.NotNullValue: _truth_value,
    **dict.fromkeys(_SIGNS, _comparison_value),
    **dict.fromkeys(_IS_SIGNS, _comparison_value),
    op.InConstant: _in_constant,
    op.InSet: _in_set,
    op.Function: _function,
    op.Cast: _conversion,
    op.ApplyAffinity: _conversion,
    op.SCopy: _copy,
    op.Integer: _integer,
    op.Constant: _constant,
    op.Rowid: _rowid,
}


# Conditions


def condition_of(translator: Translator, address: int) -> Condition:
    """The condition under which a plain conditional jump is taken."""
    return _CONDITIONS[translator.code[address][0]](translator, address)


_JUMP_SIGNS = {
    op.Eq: ("==", "!="),
    op.Ne: ("!=", "=="),
    op.Lt: ("<", ">="),
    op.Le: ("<=", ">"),
    op.Gt: (">", "<="),
    op.Ge: (">=", "<"),
}


def _comparison(translator: Translator, address: int) -> Condition:
    opcode, p1, _, p3, p4, p5 = translator.code[address]
    a = translator.operand(p1, address)
    b = translator.operand(p3, address)
    sign, opposite = _JUMP_SIGNS[opcode]
    return _compare(translator, opcode, a, b, sign, opposite, p4, p5)


def _compare(
    translator: Translator, opcode: int, a: Operand, b: Operand, sign: str, opposite: str, p4: Any, p5: int
) -> Condition:
    if _compares_natively(a, b, p4, p5):
        return Condition(f"{a.text} {sign} {b.text}", f"{a.text} {opposite} {b.text}")
    idle = p4 is None and _affinity_is_idle(a, p5 & 0xFF) and _affinity_is_idle(b, p5 & 0xFF)
    if idle and opcode in (op.Eq, op.Ne):
        condition = _equality(a, b, opcode == op.Eq, p5)
        if condition is not None:
            return condition
    not_null_a = a._replace(classes=a.classes & ~NULL)
    not_null_b = b._replace(classes=b.classes & ~NULL)
    jumps = p5 & JUMP_IF_NULL
    if not p5 & NULLS_EQUAL and (a.is_name or b.is_name) and _compares_natively(not_null_a, not_null_b, p4, p5):
        condition = _nullable_comparison(translator, a, b, (sign, opposite), bool(jumps))
        if condition is not None:
            return condition
    return _tested_comparison(translator, opcode, a, b, (sign, opposite), p4, p5)


def _nullable_comparison(
    translator: Translator, a: Operand, b: Operand, signs: tuple[str, str], jumps_if_null: bool
) -> Condition | None:
    """A comparison that is Python's but for NULL; one operand is a name, the other may be a computation that can be NULL."""
    firsts: list[str] = []
    texts: list[str] = []
    for operand in (a, b):
        text = operand.text
        if operand.classes & NULL:
            first, text = bound(translator, operand)
            firsts.insert(0 if not operand.is_name else len(firsts), first)  # what is computed comes first
        elif not operand.is_name:
            return None  # it might be left out, and raise
        texts.append(text)
    x, y = texts
    nulls = " or ".join(f"{first} is None" for first in firsts)
    present = " and ".join(f"{first} is not None" for first in firsts)
    if jumps_if_null:
        return Condition(f"({nulls} or {x} {signs[0]} {y})", f"({present} and {x} {signs[1]} {y})")
    return Condition(f"({present} and {x} {signs[0]} {y})", f"({nulls} or {x} {signs[1]} {y})")


def _equality(a: Operand, b: Operand, is_eq: bool, flags: int) -> Condition | None:
    """= and <> without collation and affinity: Python's == tells values of different classes apart as SQL does."""
    equal, differ = f"{a.text} == {b.text}", f"{a.text} != {b.text}"
    nullable = [x for x in (a, b) if x.classes & NULL]
    if flags & NULLS_EQUAL or not nullable:
        return Condition(equal, differ) if is_eq else Condition(differ, equal)
    if not all(x.is_name for x in nullable):
        return None
    # When only one side can be NULL, equality fails for NULL by itself.
    checked = nullable if len(nullable) == 2 else nullable[:1]
    nulls = " or ".join(f"{x.text} is None" for x in checked)
    present = " and ".join(f"{x.text} is not None" for x in checked)
    lone = len(nullable) == 1
    if flags & JUMP_IF_NULL:
        if is_eq:
            return Condition(f"({equal} or {nulls})", f"({differ} and {present})")
        return Condition(differ, equal) if lone else Condition(f"({differ} or {nulls})", f"({equal} and {present})")
    if is_eq:
        return Condition(equal, differ) if lone else Condition(f"({equal} and {present})", f"({differ} or {nulls})")
    return Condition(f"({differ} and {present})", f"({equal} or {nulls})")


def _tested_comparison(
    translator: Translator, opcode: int, a: Operand, b: Operand, signs: tuple[str, str], p4: Any, p5: int
) -> Condition:
    """Tests for the likely class inline and leaves everything else to compare_jumps."""
    collation = "None" if p4 is None else translator.object_name(("object", p4))
    found = None
    if p5 & 0xFF != affinities.TEXT:
        found = likely_test(translator, a, b, p4, p5)
    if found is None:
        text = f"compare_jumps({opcode}, {a.text}, {b.text}, {collation}, {p5})"
        return Condition(text, f"not {text}")
    test, x, y = found
    call = f"compare_jumps({opcode}, {x}, {y}, {collation}, {p5})"
    return Condition(
        f"({x} {signs[0]} {y} if {test} else {call})",
        f"({x} {signs[1]} {y} if {test} else not {call})",
    )


def likely_test(translator: Translator, a: Operand, b: Operand, p4: Any, p5: int) -> tuple[str, str, str] | None:
    """A test under which Python's order is SQL's: the class of the side that is known decides what to test for."""
    for known, other in ((a, b), (b, a)):
        wanted = ""
        if only(known, NUMBER):
            likely = translator.likely_class(other)
            wanted = likely if likely in ("int", "float") else "number"
        elif only(known, TEXT) and p4 is None and not p5 & 0xFF:
            wanted = "str"
        if wanted and (known.is_name or other.is_name):
            first, later = bound(translator, other)
            test = f"{first}.__class__ is {wanted}"
            if wanted == "number":
                test = f"({first}.__class__ is int or {later}.__class__ is float)"
            return (test, known.text, later) if known is a else (test, later, known.text)
    if p4 is None and not p5 & 0xFF and a.is_name and b.is_name:
        likely_classes = {translator.likely_class(a), translator.likely_class(b)}
        if "str" in likely_classes and likely_classes <= {"str", ""}:
            # The order of texts is that of their bytes at least where one of them has nothing but ASCII.
            return f"{a.text}.__class__ is str and {b.text}.__class__ is str and {b.text}.isascii()", a.text, b.text
    return integer_test(translator, a, b)


def _truth(translator: Translator, address: int) -> Condition:
    """If and IfNot: the truth of a folded comparison, AND, OR, NOT or IN is decided without making a value of it."""
    opcode, p1, _, p3, _, _ = translator.code[address]
    wants_true = opcode == op.If
    jumps_if_null = bool(p3)
    # jump = truth(value, NULL counting as true) for If with p3; not truth(value, NULL counting as not p3) for IfNot.
    condition = truth_of(translator, p1, address, jumps_if_null if wants_true else not jumps_if_null)
    return condition if wants_true else Condition(condition.opposite, condition.text)


def truth_of(translator: Translator, register: int, use: int, null_is_true: bool) -> Condition:
    """The condition that a register is true, NULL counting as true or false."""
    definition = translator.folded_definition(register, use)
    if definition is not None:
        condition = _folded_truth(translator, definition, null_is_true)
        if condition is not None:
            return condition
    operand = translator.operand(register, use)
    if only(operand, NUMBER | NULL):
        if not operand.classes & NULL or not null_is_true:
            return Condition(operand.text, f"not {operand.text}")
        if operand.is_name:
            return Condition(f"({operand.text} is None or {operand.text})", f"{operand.text} == 0")
    first, value = bound(translator, operand)
    test, call = f"{first}.__class__ is int", f"truth({value})"
    if null_is_true:
        return Condition(f"({value} if {test} else {call} is not False)", f"(not {value} if {test} else {call} is False)")
    return Condition(f"({value} if {test} else {call})", f"(not {value} if {test} else not {call})")


def _folded_truth(translator: Translator, definition: int, null_is_true: bool) -> Condition | None:
    opcode, p1, p2, _, p4, p5 = translator.code[definition]
    if opcode in (op.And, op.Or):
        a = truth_of(translator, p1, definition, null_is_true)
        b = truth_of(translator, p2, definition, null_is_true)
        joint, opposite = ("and", "or") if opcode == op.And else ("or", "and")
        return Condition(f"({a.text} {joint} {b.text})", f"({a.opposite} {opposite} {b.opposite})")
    if opcode == op.Not:
        inner = truth_of(translator, p1, definition, not null_is_true)
        return Condition(inner.opposite, inner.text)
    if opcode in (op.IsNullValue, op.NotNullValue):
        a_text = translator.operand(p1, definition).text
        is_null, present = f"{a_text} is None", f"{a_text} is not None"
        return Condition(is_null, present) if opcode == op.IsNullValue else Condition(present, is_null)
    if opcode in _JUMP_OF_RESULT:
        left = translator.operand(p1, definition)
        right = translator.operand(p2, definition)
        jump, extra = _JUMP_OF_RESULT[opcode]
        sign, other = _JUMP_SIGNS[jump]
        flags = p5 | extra | (JUMP_IF_NULL if null_is_true else 0)
        return _compare(translator, jump, left, right, sign, other, p4, flags)
    if opcode == op.InConstant:
        return _in_condition(translator, definition, null_is_true)
    if opcode == op.InSet:
        return _set_condition(translator, definition, null_is_true)
    if opcode == op.Function and p4[0].matches is not None:
        operand = translator.operand(p4[1][0], definition)
        if only(operand, TEXT):
            test = translator.match_text(translator, p4[0], operand)
            return Condition(test, f"not {test}")
        if only(operand, TEXT | NULL):
            first, later = bound(translator, operand)
            test = translator.match_text(translator, p4[0], Operand(later, TEXT, 0, True))
            if null_is_true:
                return Condition(f"({first} is None or {test})", f"({first} is not None and not {test})")
            return Condition(f"({first} is not None and {test})", f"({first} is None or not {test})")
    return None


_JUMP_OF_RESULT = {
    op.EqResult: (op.Eq, 0),
    op.NeResult: (op.Ne, 0),
    op.LtResult: (op.Lt, 0),
    op.LeResult: (op.Le, 0),
    op.GtResult: (op.Gt, 0),
    op.GeResult: (op.Ge, 0),
    op.IsResult: (op.Eq, NULLS_EQUAL),
    op.IsNotResult: (op.Ne, NULLS_EQUAL),
}


def _in_condition(translator: Translator, definition: int, null_is_true: bool) -> Condition | None:
    _, p1, p2, _, constants, p5 = translator.code[definition]
    a = translator.operand(p1, definition)
    if constants.collation is not None or constants.has_null or not constants.values or not a.is_name:
        return None
    if not _affinity_is_idle(a, p2):
        return None
    keys = translator.object_name(("keys", definition))
    inside, outside = f"{a.text} in {keys}", f"{a.text} not in {keys}"
    if p5 & 1:
        inside, outside = outside, inside
    if a.classes & NULL:
        # None is in no set of keys: only the answers in which NULL differs from "not in" need a test.
        if null_is_true and not p5 & 1:
            return Condition(f"({inside} or {a.text} is None)", f"({outside} and {a.text} is not None)")
        if not null_is_true and p5 & 1:
            return Condition(f"({inside} and {a.text} is not None)", f"({outside} or {a.text} is None)")
    return Condition(inside, outside)


def _null_test(translator: Translator, address: int) -> Condition:
    opcode, p1, _, _, _, _ = translator.code[address]
    text = translator.operand(p1, address).text
    is_null, present = f"{text} is None", f"{text} is not None"
    return Condition(is_null, present) if opcode == op.IsNull else Condition(present, is_null)


def _any_null(translator: Translator, address: int) -> Condition:
    texts = [translator.operand(register, address).text for register in translator.code[address][4]]
    return Condition(
        "(" + " or ".join(f"{text} is None" for text in texts) + ")",
        "(" + " and ".join(f"{text} is not None" for text in texts) + ")",
    )


def _index_bound(translator: Translator, address: int) -> Condition:
    """IdxGE, IdxGT, IdxLE, IdxLT: the end of a range of an index; a bound on the first field alone is compared inline."""
    opcode, cursor, _, _, registers, _ = translator.code[address]
    sign, opposite = _BOUND_SIGNS[opcode]
    loop = translator.walks.get(cursor)
    entry = f"w{loop}" if loop is not None else f"c{cursor}.row"
    key = translator.tuple_text(registers, address)
    call = f"compare_prefix(c{cursor}.order, {entry}, {key})"
    bound = translator.operand(registers[0], address)
    shape = translator.index_shapes.get(cursor)
    if loop is None or len(registers) > 1 or shape is None or not bound.is_name or not only(bound, NUMBER):
        return Condition(f"{call} {sign} 0", f"{call} {opposite} 0")
    translator.used_rows.add(loop)
    kinds = ("int", "float") if only(bound, INTEGER) else ("float", "int")
    test = " or ".join(f"{entry}[0].__class__ is {kind}" for kind in kinds)
    if shape.descending[0]:
        plain, turned = f"{bound.text} {sign} {entry}[0]", f"{bound.text} {opposite} {entry}[0]"
    else:
        plain, turned = f"{entry}[0] {sign} {bound.text}", f"{entry}[0] {opposite} {bound.text}"
    return Condition(f"({plain} if ({test}) else {call} {sign} 0)", f"({turned} if ({test}) else {call} {opposite} 0)")


_BOUND_SIGNS = {op.IdxGE: (">=", "<"), op.IdxGT: (">", "<="), op.IdxLE: ("<=", ">"), op.IdxLT: ("<", ">=")}


def _set_test(translator: Translator, address: int) -> Condition:
    opcode, p1, _, _, registers, _ = translator.code[address]
    call = f"c{p1}.contains({translator.tuple_text(registers, address)})"
    return Condition(call, f"not {call}") if opcode == op.SetFound else Condition(f"not {call}", call)


_CONDITIONS: dict[int, Callable[[Translator, int], Condition]] = {
    **dict.fromkeys(_JUMP_SIGNS, _comparison),
    op.If: _truth,
    op.IfNot: _truth,
    op.IsNull: _null_test,
    op.NotNull: _null_test,
    op.AnyNull: _any_null,
    **dict.fromkeys(_BOUND_SIGNS, _index_bound),
    op.SetFound: _set_test,
    op.SetNotFound: _set_test,
}

PLAIN_CONDITIONS = frozenset(_CONDITIONS)
