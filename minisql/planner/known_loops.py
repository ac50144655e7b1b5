"""Known loops: how the rows of a lone table that fulfil a recent condition are reached, kept with the condition.

A condition that comes again in another text (`parser.recent_conditions`) mostly comes with the same table, and only the
results, their order or its direction are others.  What depends on condition and table alone is then known: the terms and what
they offer to indexes, the paths with their costs for each set of covering indexes, and for each path that was taken the code
of the loop and of the checks in it, as a piece that fits again where as many registers and cursors are in use.  Which path is
the best is decided anew, because the order that is wanted has a say in it.

A known loop holds for one generation of the schema, which settings, functions, collations and statistics that matter to
programs change too.  Only plain conditions have one, whose every name is a column of the table.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from minisql.bytecode.pieces import Move, Piece, place_of
from minisql.planner.access import SCAN
from minisql.planner.lone_access import access_of, adjusted_rows, best_of, facts_of, paths_of, question_of, unions_of
from minisql.planner.loops import Nest, emit_checks, open_access
from minisql.planner.prepare_access import open_table
from minisql.planner.query_blocks import TABLE, Input
from minisql.planner.scope import Scope
from minisql.planner.terms import make_term, split

if TYPE_CHECKING:
    from minisql.bytecode.pieces import Place
    from minisql.parser.recent_conditions import Condition
    from minisql.planner.access import Access
    from minisql.planner.compiler import Compiler
    from minisql.planner.index_terms import Usage
    from minisql.planner.lone_access import Path, PathFacts, Question
    from minisql.planner.loops import Body
    from minisql.planner.scope import Source
    from minisql.planner.terms import Candidate, Term
    from minisql.planner.wanted_order import WantedOrder

_MAX_PLANS = 64
_MAX_STARTS = 16


class Start:
    """The start of a loop as it was emitted once: the piece, where it left the columns, and what has to be closed."""

    __slots__ = ("closers", "cursor", "next_label", "piece", "registers", "rowid_register")

    def __init__(self, piece: Piece, nest: Nest, source: Source) -> None:
        self.piece = piece
        self.closers = nest.closers.copy()
        self.next_label = nest.next_label
        self.cursor = source.cursor
        self.registers = source.registers
        self.rowid_register = source.rowid_register

    def moved(self, place: Place, end_label: int) -> Start:
        """The same where cursors, labels and addresses are others."""
        made = copy(self)
        move = Move(self.piece, place, end_label)
        made.piece = self.piece.moved(place, end_label)
        made.closers = [(advance, move.label(label), move.label(end)) for advance, label, end in self.closers]
        made.next_label = move.label(self.next_label)
        made.cursor = self.cursor + move.cursors
        return made


Choice = tuple["list[Path]", "list[int]", "Path"]
"""The paths that answer a question, the rows that are expected of each where an order has a say, and the best one where none
has."""


class KnownLoop:
    """What is known of a condition over one table.  `terms` are without their candidates, which are in `offers`: they refer
    to each other, and a cycle would wait for the garbage collector.  `accesses` are those of paths that were the best;
    `starts` have the starts of the loop by access, direction and place, `movable` one of them for each number of registers."""

    __slots__ = ("accesses", "choices", "facts", "made", "movable", "offers", "scope", "source", "starts", "terms", "unions")

    def __init__(self, source: Source, facts: PathFacts) -> None:
        self.source = source
        self.scope = Scope([source])
        self.facts = facts
        self.made = Input(TABLE, source)
        self.made.table = source.table
        self.made.mask = source.mask = 1
        self.terms: list[Term] = []
        self.offers: list[list[Candidate]] = []
        self.unions: list[Path] = []
        self.choices: dict[Question, Choice] = {}
        self.accesses: dict[object, Access] = {}
        self.starts: dict[object, Start] = {}
        self.movable: dict[object, Start] = {}


def known_loop(compiler: Compiler, condition: Condition, source: Source) -> KnownLoop | None:
    """The loop that is known for a condition over a lone table, or begins to be known because both have come before.

    The loop has a source of its own to take the place of `source`.
    """
    table = source.table
    plans = condition.plans
    known = plans.get(source.alias)
    if known is None or table is None:
        return None
    generation, loop = known
    if generation != compiler.context.catalog.generation or (loop is not None and loop.source.table is not table):
        del plans[source.alias]
        return None
    if loop is None:
        facts = facts_of(table, generation)
        if not facts.is_plain or table.has_generated or not _are_columns(condition, source):
            return None
        condition.worth.note_plan()
        loop = KnownLoop(source, facts)
        plans[source.alias] = (generation, loop)
    else:
        condition.worth.note_use()
        source = loop.source
        source.registers = []
        source.cursor = -1
        source.rowid_register = 0
    compiler.databases_read |= 1 << table.schema_index
    return loop  # type: ignore[no-any-return]


def note_loop(compiler: Compiler, condition: Condition, source: Source) -> None:
    """Notes that a condition has come over a lone table."""
    plans = condition.plans
    if source.alias not in plans:
        if len(plans) >= _MAX_PLANS:
            plans.clear()
        plans[source.alias] = (compiler.context.catalog.generation, None)
        condition.worth.credit -= 1


def _are_columns(condition: Condition, source: Source) -> bool:
    """Whether every name in the condition is surely a column of the source."""
    if condition.calls:
        return False
    positions = source.positions
    for column in condition.columns:
        if column.name.lower() not in positions or column.schema is not None:
            return False
        if column.table is not None and column.table.lower() != source.name:
            return False
    return True


def known_terms(compiler: Compiler, loop: KnownLoop, condition: Condition) -> list[Term]:
    """The terms of the condition, analysed when they are first asked for."""
    terms = loop.terms
    if not terms:
        terms += [make_term(compiler, part, loop.scope, None, 1) for part in split(condition.node)]
        loop.offers = [term.candidates for term in terms]
        loop.unions = unions_of(compiler, loop.made, loop.facts, terms)
        _withdraw_offers(loop)
    return terms


def choose_known(compiler: Compiler, loop: KnownLoop, usage: Usage | None, wanted: WantedOrder | None) -> Access:
    """What `choose_path` finds."""
    coverings, allows_scan, order_helps, _ = question_of(loop.source, loop.facts, usage, wanted)
    # One question for all orders: each finds the paths that are good for it.
    question = (coverings, allows_scan, order_helps, None)
    choice = loop.choices.get(question)
    if choice is None:
        choice = loop.choices[question] = _weigh(compiler, loop, question)
    paths, rows, best = choice
    if rows and wanted is not None:
        best = best_of(paths, rows, loop.terms, loop.facts.full, loop.made, wanted)
    union = best[8]
    key = best[2:8] if union is None else union[0]
    access = loop.accesses.get(key)
    if access is None:
        access = loop.accesses[key] = access_of(loop.made, best)
    access.is_reversed = False
    return access


def _weigh(compiler: Compiler, loop: KnownLoop, question: Question) -> Choice:
    """The paths for a question, which the next one of its kind need not look for."""
    terms, made, facts = loop.terms, loop.made, loop.facts
    for term, offers in zip(terms, loop.offers):
        term.candidates = offers
    paths = paths_of(compiler, made, facts, terms, question, loop.unions)
    rows: list[int] = []
    best = paths[0]
    if len(paths) > 1:
        _, _, order_helps, _ = question
        if order_helps:
            rows = [adjusted_rows(path, terms, facts.full, 1) for path in paths]
        else:
            best = best_of(paths, None, terms, facts.full, made, None)
    _withdraw_offers(loop)
    return paths, rows, best


def _withdraw_offers(loop: KnownLoop) -> None:
    for term in loop.terms:
        term.candidates = []


def emit_known_loop(
    compiler: Compiler, loop: KnownLoop, condition: Condition, access: Access, end_label: int, body: Body
) -> None:
    """What `emit_lone_loop` emits."""
    nest = Nest(compiler, loop.terms, end_label)
    builder = compiler.builder
    place = place_of(builder)
    # The scan of the whole table is chosen in more than one way.
    number = 0 if access.kind == SCAN and access.index is None else id(access)
    what = (number, access.is_reversed, place[1], tuple(builder.constant_registers.items()))
    key = (what, place, end_label)
    start = loop.starts.get(key)
    if start is None:
        if len(loop.starts) >= _MAX_STARTS:
            loop.starts.clear()
            loop.movable.clear()
        start = _find_start(nest, loop, condition, access, what, place)
        loop.starts[key] = start
    else:
        _begin(nest, start, loop.source)
    body(nest.next_label)
    nest.close()


def _find_start(nest: Nest, loop: KnownLoop, condition: Condition, access: Access, key: object, place: Place) -> Start:
    """Moves a start that was emitted for other cursors, or emits one."""
    builder = nest.compiler.builder
    start = loop.movable.get(key)
    if start is not None:
        start = start.moved(place, nest.end_label)
        _begin(nest, start, loop.source)
        return start
    _emit_start(nest, access, loop, condition)
    start = loop.movable[key] = Start(Piece(builder, place, nest.end_label), nest, loop.source)
    return start


def _begin(nest: Nest, start: Start, source: Source) -> None:
    piece = start.piece
    piece.put_into(nest.compiler.builder)
    nest.compiler.constants.update(piece.constants)
    nest.closers = start.closers.copy()
    nest.next_label = start.next_label
    source.cursor, source.registers, source.rowid_register = start.cursor, start.registers, start.rowid_register


def _emit_start(nest: Nest, access: Access, loop: KnownLoop, condition: Condition) -> None:
    for term in nest.terms:
        term.is_done = False
    open_table(nest.compiler, access)
    open_access(nest, access)
    emit_known_checks(nest, condition, loop.source, loop.facts)


def emit_known_checks(nest: Nest, condition: Condition, source: Source, facts: PathFacts) -> None:
    """What `emit_checks` emits.  The code is the same for all tables with such columns, and however their rows are reached."""
    compiler = nest.compiler
    builder = compiler.builder
    place = place_of(builder)
    key = (
        compiler.context.catalog.generation,
        facts.signature,
        tuple(source.registers),
        tuple([term.is_done for term in nest.terms]),
        place[1],
        tuple(builder.constant_registers.items()),
    )
    plans = condition.plans
    piece = plans.get(key)
    if piece is None:
        emit_checks(nest)
        if len(plans) >= _MAX_PLANS:
            plans.clear()
        plans[key] = Piece(builder, place, nest.next_label)
        return
    if piece.place != place or piece.outside != nest.next_label:
        piece = plans[key] = piece.moved(place, nest.next_label)
    piece.put_into(builder)
    compiler.constants.update(piece.constants)
