"""Statement shapes: programs for statements that differ from earlier ones in literals only.

Clients that write values into their SQL never send the same text twice, and a statement cache does not help them.  So a text is
split by one regular expression into its literals and the rest; the rest, with the class of each literal in its place, is the
shape.  When a shape comes again, it is compiled with probes instead of the literals, and the program is kept
with the places where they went (`bytecode.literal_slots`); for whoever comes after that the values are put there, and nothing
is parsed or planned.  Only literals that mean nothing but their value are exchanged (`planner.free_literals`), alone or in
arithmetic that is computed from them; all others belong to the shape.  Because literals are compiled as literals, the program
is the one that the statement would have had by itself.

Statements of a length that does not repeat shapes are looked at only now and then.  Whatever is not plainly covered, errors
included, goes the ordinary way with the text as it is.  PRAGMA minisql_shapes = off switches it off, for tests that compare.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from minisql.bytecode.literal_slots import SlottedProgram, Transform, Unfit, probe
from minisql.errors import Error
from minisql.parser import ast, parse_one
from minisql.planner.free_literals import Computed, free_literals
from minisql.planner.literal_arithmetic import formula, numbers_in
from minisql.values.affinity import apply_numeric

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.engine.session import Session
    from minisql.parser import Parsed

_LITERAL = re.compile(r"(['0-9](?<![\w.].)(?:(?<=[0-9])[0-9]*+(?:\.[0-9]++)?(?![\w.])|(?<=')[^']*+(?:''[^']*+)*+'))", re.DOTALL)
"""A number or a text that stands by itself; the first character decides quickly about all places where there is none."""
_UNCLEAR = re.compile(r"['\"`\[$?:@#\x00-\x08]|--|/\*|[^\x00-\x7f]")
"""Between the literals: quotes, parameters, comments, and characters that belong to a name without being letters."""
_TAIL = re.compile(r"\b(?:ORDER|GROUP|LIMIT)\b", re.IGNORECASE)

_LENGTH_BITS = 6
_N_LENGTHS = 40
_MAX_DIGITS = 15
_MAX_SHAPES = 1000
_MAX_SEEN = 8000
# What is spent on looking, in looks of about four microseconds; what a statement that is found earns.
_COST_OF_SHAPE = 10
_VALUE_OF_HIT = 13
_CREDIT = 1000
_MAX_CREDIT = 1500
_MIN_CREDIT_TO_HASTEN = 500
_NEXT_CREDIT = 100
_PAUSE = 4096
_MAX_FIXED = 50
_MEMO_LIMIT = 20_000

_MARKS = {"i": "\x01", "r": "\x02", "t": "\x03"}
_KINDS = {mark: kind for kind, mark in _MARKS.items()}

Programs: TypeAlias = "dict[tuple[str, ...], SlottedProgram]"
"""The programs of a shape by the texts of the literals that are not free."""

Known: TypeAlias = "tuple[int, tuple[int, ...], Programs]"
"""What is known of a shape: the number of its literals, the numbers of those that are not free, and its programs."""


class _Marks(dict[str, str]):
    """What stands for a literal in a shape: the mark of its class, or its own text if its value may matter."""

    __slots__ = ()

    def __missing__(self, text: str) -> str:
        if len(self) >= _MEMO_LIMIT:
            self.clear()
            _VALUES.clear()
        self[text], _VALUES[text] = mark, _ = _classified(text)
        return mark


class _Values(dict[str, Any]):
    """The values of literals, which their marks have brought here."""

    __slots__ = ()

    def __missing__(self, text: str) -> Any:
        value = self[text] = _classified(text)[1]
        return value


_VALUES = _Values()
_mark_of = _Marks().__getitem__
_value_of = _VALUES.__getitem__


def _classified(text: str) -> tuple[str, Any]:
    if text[0] == "'":
        value: Any = text[1:-1].replace("''", "'")
        # A text that a numeric column would compare as a number is of another class.
        is_plain = value.isascii() and value.isprintable() and apply_numeric(value).__class__ is str
        return (_MARKS["t"] if is_plain else text), value
    if len(text) > _MAX_DIGITS:
        return text, None
    value = float(text) if "." in text else int(text)
    # 0, 1 and -1 are values that the planner takes for more selective.
    if value == 0 or value == 1:
        return text, value
    return _MARKS["r" if "." in text else "i"], value


class Tally:
    """How well looking goes for statements of one length: the `credit` that is left, in looks; when there is none, `n_skips`
    of them are not looked at.  Long statements begin with less: they seldom have the shape of another."""

    __slots__ = ("credit", "n_skips")

    def __init__(self, length: int) -> None:
        self.credit = _CREDIT >> (length >> 1)
        self.n_skips = 0


class Shapes:
    """The shapes of one connection: how often those `seen` came, by hash, what is `known` of those that came again (None: they
    have no programs), for one schema `generation`, which settings that matter to programs change too; `tallies` by length."""

    __slots__ = ("generation", "known", "seen", "tallies")

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.known: dict[str, Known | None] = {}
        self.generation = -1
        self.tallies: list[Tally | None] = [None] * _N_LENGTHS


def find_program(session: Session, sql: str) -> Program | None:
    """The program of a statement by its shape; None if it has to be compiled."""
    length = len(sql) >> _LENGTH_BITS
    if length >= _N_LENGTHS:
        return None
    shapes = session.shapes
    tally = shapes.tallies[length]
    if tally is None:
        tally = shapes.tallies[length] = Tally(length)
    elif tally.n_skips:
        tally.n_skips -= 1
        return None
    if session.authorizer is not None or session.verifies_programs:
        return None
    parts = _LITERAL.split(sql)
    literals = parts[1::2]
    if not literals or not session.flags["minisql_shapes"]:
        return None
    tally.credit -= 1
    if tally.credit < 0:
        tally.n_skips = _PAUSE
        tally.credit = _NEXT_CREDIT
    parts[1::2] = map(_mark_of, literals)
    shape = "".join(parts)
    if shapes.generation != session.schema_generation:
        # Statements that change the schema again and again leave no time for shapes to come twice.
        shapes.known.clear()
        shapes.seen.clear()
        shapes.generation = session.schema_generation
    if shape in shapes.known:
        known = shapes.known[shape]
        # A text with one of the marks in it is no statement, but it may look like one.
        if known is None or len(literals) != known[0]:
            return None
        _, fixed, programs = known
        texts = tuple([literals[number] for number in fixed]) if fixed else ()
        slotted = programs.get(texts)
        if slotted is not None:
            if tally.credit < _MAX_CREDIT:
                tally.credit += _VALUE_OF_HIT
            return slotted.fill([*map(_value_of, literals)])
        if _is_rare(shapes, tally, hash((shape, texts))):
            return None
    elif _is_rare(shapes, tally, hash(shape)):
        return None
    tally.credit -= _COST_OF_SHAPE
    return _compile(session, shape, parts, literals)


def _is_rare(shapes: Shapes, tally: Tally, key: int) -> bool:
    """Counts a hash; whether it has come too seldom to be compiled: fewer than two times, or three if hits are few."""
    seen = shapes.seen
    n_seen = seen[key] = seen.get(key, 0) + 1
    if len(seen) > _MAX_SEEN:
        seen.clear()
    return n_seen < 2 or (n_seen == 2 and tally.credit < _MIN_CREDIT_TO_HASTEN)


def _compile(session: Session, shape: str, parts: list[str], literals: list[str]) -> Program | None:
    """Compiles a shape and notes it; returns the program of the statement at hand, None if the shape is not fit."""
    known = session.shapes.known
    if len(known) >= _MAX_SHAPES:
        del known[next(iter(known))]
    try:
        fixed, slotted = _slotted(session, parts, literals)
    except (Error, Unfit):
        known[shape] = None
        return None
    programs = known.setdefault(shape, (len(literals), fixed, {}))
    assert programs is not None and programs[1] == fixed, "which literals are free is a matter of the shape"
    if len(programs[2]) >= _MAX_FIXED:
        programs[2].clear()
    programs[2][tuple([literals[number] for number in fixed])] = slotted
    return slotted.fill([*map(_value_of, literals)])


def _slotted(session: Session, parts: list[str], literals: list[str]) -> tuple[tuple[int, ...], SlottedProgram]:
    """The numbers of the literals that are not free, and the program with slots for those that are."""
    if _UNCLEAR.search("".join(parts[::2])):
        raise Unfit
    probes: dict[object, int] = {}
    texts = literals.copy()
    is_over = False
    for number, mark in enumerate(parts[1::2]):
        # A guess that spares parsing twice: what stands behind these words is not free.
        is_over = is_over or _TAIL.search(parts[2 * number]) is not None
        if mark in _KINDS and not is_over:
            placeholder = probe(number, _KINDS[mark])
            probes[placeholder] = number
            texts[number] = repr(placeholder)
    parsed = _parsed(session, parts, texts)
    computed: Computed = []
    free: dict[int, Any] = {}
    for value in free_literals(parsed.statement, session.catalog, computed):
        found = _probe_of(value, probes)
        if found is not None:
            free[probes[found]] = found
    operands = {probes[found] for node, name in computed for found in _probes_in(getattr(node, name), probes)}
    if not free and not operands:
        raise Unfit
    fixed = tuple([number for number in range(len(literals)) if number not in free and number not in operands])
    if any([texts[number] != literals[number] for number in fixed]):
        for number in fixed:
            texts[number] = literals[number]
        parsed = _parsed(session, parts, texts)
        if operands:
            computed.clear()
            free_literals(parsed.statement, session.catalog, computed)
    formulas = _take_formulas(computed, probes, literals, free)
    program = session.compile_parsed(parsed)
    return fixed, SlottedProgram(program, tuple(free.items()), formulas)


def _probe_of(value: object, probes: dict[object, int]) -> Any:
    """The probe that a literal's value is, or that it is with the sign changed; None if it is none."""
    if value in probes:
        return value
    return -value if isinstance(value, (int, float)) and -value in probes else None


def _probes_in(expression: ast.Expression, probes: dict[object, int]) -> list[Any]:
    found = [_probe_of(value, probes) for value in numbers_in(expression) or ()]
    return [value for value in found if value is not None]


def _take_formulas(
    computed: Computed, probes: dict[object, int], literals: list[str], free: dict[int, Any]
) -> list[tuple[Transform, type]]:
    """Puts one literal in the place of each arithmetic of literals, a probe that `free` gets; returns how they are computed."""
    values = [*map(_value_of, literals)]
    formulas: list[tuple[Transform, type]] = []
    for node, name in computed:
        expression = getattr(node, name)
        if not _probes_in(expression, probes):
            continue
        compute = formula(expression, probes)
        value = compute(values)
        if value.__class__ is not int and value.__class__ is not float:
            raise Unfit
        number = len(values)
        placeholder = probe(number, "i" if value.__class__ is int else "r")
        free[number] = placeholder
        setattr(node, name, ast.Literal(placeholder))
        formulas.append((compute, value.__class__))
        values.append(value)
    return formulas


def _parsed(session: Session, parts: list[str], texts: list[str]) -> Parsed:
    parts = parts.copy()
    parts[1::2] = texts
    text = "".join(parts)
    parsed, end = parse_one(text, 0, session.limits)
    if parsed is None or end != len(text):
        raise Unfit
    return parsed
