"""Recorded loops as Python `for` loops.

    scan of a table or index, whose cursor nothing else moves    for W, x in Scan(c, ...): for w in W: ...
    list, set, sorter, groups, windows                           for w in c.rows: ...
    hash table without bookkeeping                               for w in buckets.get(key, ()): ...
    everything else                                              for w in walk(c.first(), c.next): ...

An innermost scan may be specialised on the type masks that the first leaf has; leaves with others go through tier 1.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.opcodes import JUMPS
from minisql.bytecode.operands import ROLES
from minisql.bytecode.program import LoopExtent
from minisql.vm.bulk_text import emit_bulk, emit_fetched, emit_handed_on
from minisql.vm.register_plan import Untranslatable
from minisql.vm.walking import OPENERS, opened_cursor

if TYPE_CHECKING:
    from minisql.vm.translator import Translator

MAX_LOOPS = 17
ALL_CLASSES = 127
_READS_OF_ROW = frozenset((op.Rowid, op.Column, op.IdxRowid))
_ROW_LISTS = frozenset(("list", "set", "sorter", "group", "window"))
_STARTS = {
    op.Rewind: "first()", op.Last: "last()", op.HashUnmatched: "first_unmatched()", op.SorterSort: "sort()",
    op.GroupRewind: "finish()", op.QueueNext: "take()", op.WindowRewind: "finish(R)",
}  # fmt: skip
_DESCENDING = frozenset((op.Last, op.SeekLE, op.SeekLT))
_OPERATORS = {op.SeekGE: "ge", op.SeekGT: "gt", op.SeekLE: "le", op.SeekLT: "lt"}


class LoopContext:
    """The loop whose body is being emitted: where `continue` and `break` lead, and the jumps that leave it for other places.
    The body is emitted from `first` on: the test for the end of a range of an index is left to the walk.

    `resumes` tells that the loop runs over lists of rows which go out of date when a statement changes the tree while a row is
    handed out (at `first_result` or behind it); `has_resumed` that the body tests for it.
    """

    __slots__ = ("end", "escapes", "first", "first_result", "has_resumed", "is_bulk", "needs_break", "next", "resumes", "start")

    def __init__(self, start: int, first: int, next_: int, end: int) -> None:
        self.start = start
        self.first = first
        self.first_result = 0
        self.resumes = False
        self.has_resumed = False
        self.is_bulk = False
        self.next = next_
        self.end = end
        self.needs_break = False
        self.escapes: set[int] = set()


def emit_loop(translator: Translator, loop: LoopExtent) -> set[int]:
    """Emits a loop; returns the addresses outside, other than its end, to which jumps leave it: `pc` holds the one taken."""
    outer = translator.loop
    bound = _range_end(translator, loop)
    context = LoopContext(loop.start, loop.body if bound is None else loop.body + 1, loop.next, loop.end)
    lines = translator.lines
    reset = len(lines)
    translator.line("")
    translator.loop = context
    kind = translator.cursor_kinds.get(loop.cursor, "")
    translator.n_loops += 1
    if translator.n_loops > MAX_LOOPS:
        raise Untranslatable("too many nested loops")
    if kind == "table" and loop.kind in (op.Rewind, op.Last) and is_undisturbed_scan(translator, loop):
        translator.n_loops += 1
        _emit_scan(translator, loop, context)
        translator.n_loops -= 1
    elif kind in ("table", "index") and gives_rows(translator, loop) and _walks_by_leaf(translator, loop):
        translator.n_loops += 1
        _emit_leaf_walk(translator, loop, context, bound)
        translator.n_loops -= 1
    elif bound is not None or (kind in ("table", "index") and _walks(translator, loop)):
        _emit_lists(translator, loop, context, bound)
    else:
        _emit_walk(translator, loop, kind)
    translator.n_loops -= 1
    translator.loop = outer
    if context.escapes:
        lines[reset] = (translator.depth, "pc = 0", loop.start)
    return context.escapes


def is_undisturbed_scan(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether nothing but the loop's Next or Prev moves the cursor, and only the loop's body reads from it."""
    return _goes_on(translator, loop) and _uses_are_plain(translator, loop)


def _goes_on(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether a loop advances in the way in which it has begun."""
    return translator.code[loop.next][0] == (op.Prev if loop.kind in _DESCENDING else op.Next)


def _uses_are_plain(translator: Translator, loop: LoopExtent) -> bool:
    plan = translator.plan
    cursor = loop.cursor
    extents = [other for other in translator.program.loops if other.cursor == cursor]
    for address, instruction in enumerate(translator.code):
        opcode, p1, p2 = instruction[:3]
        roles = ROLES[opcode]
        if not ((roles[0] == "c" and p1 == cursor) or (roles[1] == "c" and p2 == cursor)):
            continue
        if opcode in _OUTSIDE_OF_LOOPS or address in plan.loop_next or address in plan.loop_at:
            continue
        if opcode in _READS_OF_ROW and any(other.body <= address < other.next for other in extents):
            continue
        return False
    return True


_OUTSIDE_OF_LOOPS = frozenset(
    (op.OpenRead, op.OpenWrite, op.Count, op.Close, op.InsertRows, op.UpdateRows, op.DeleteRows)
)


def _emit_body(translator: Translator, loop: LoopExtent, first: int) -> None:
    """Copies the columns that need locals, then emits the body from its first address on."""
    emit_unpacking(translator, loop.start)
    translator.emit_region(translator, first, loop.next)
    translator.address = loop.next
    if translator.loop is not None and translator.loop.start == loop.start:
        for text in resuming_texts(translator, translator.loop):
            translator.line(text)


def emit_unpacking(translator: Translator, load: int) -> None:
    """Copies the columns of a row just loaded whose registers are locals that something reads."""
    plan = translator.plan
    first = translator.code[load][3]
    for register in plan.writes[load]:
        if register in plan.unpacked and plan.uses[register]:
            translator.used_locals.add(register)
            translator.used_rows.add(load)
            translator.line(f"r{register} = w{load}[{register - first}]")


def gives_rows(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether result rows are handed out within a loop."""
    return any(translator.code[address][0] == op.ResultRow for address in range(loop.body, loop.next))


def _expect_changes(translator: Translator, loop: LoopExtent, context: LoopContext) -> None:
    """Notes where a loop over lists hands out rows."""
    for address in range(loop.body, loop.next):
        if translator.code[address][0] == op.ResultRow:
            context.resumes = True
            context.first_result = address
            return


def resuming_texts(translator: Translator, context: LoopContext) -> list[str]:
    """What to do before the next row of a loop over lists when rows have been handed out in this turn: if the tree has changed
    meanwhile, the loop starts again behind its row."""
    if not context.resumes or translator.address < context.first_result:
        return []
    context.has_resumed = True
    start = context.start
    cursor = translator.code[start][1]
    return [f"if c{cursor}.tree.edits != s{start}.edits:", f" s{start}.resume(w{start})", " break"]


def _walks_by_leaf(translator: Translator, loop: LoopExtent) -> bool:
    return (
        _goes_on(translator, loop)
        and (loop.kind in (op.Rewind, op.Last) or loop.kind in _OPERATORS)
        and _is_read_by_entry(translator, loop)
    )


def _walks(translator: Translator, loop: LoopExtent) -> bool:
    return _walks_by_leaf(translator, loop)


def _range_end(translator: Translator, loop: LoopExtent) -> tuple[str, bool] | None:
    """The end of a range of an index that the body tests first: the key's text, and `above` as walk_lists has it."""
    plan = translator.plan
    opcode, cursor, target, _, registers, _ = translator.code[loop.body]
    tests = (op.IdxLT, op.IdxLE) if loop.kind in _DESCENDING else (op.IdxGT, op.IdxGE)
    if opcode not in tests or cursor != loop.cursor or target != loop.end or not _walks(translator, loop):
        return None
    for register in registers:
        if any(loop.start <= address <= loop.next for address in plan.definitions[register]):
            return None
    return translator.tuple_text(registers, loop.body), opcode in (op.IdxGT, op.IdxLE)


def _first_text(translator: Translator, loop: LoopExtent) -> str:
    """The text that moves a cursor to the first row of a loop."""
    if loop.kind in (op.Rewind, op.Last):
        return f"c{loop.cursor}.{_STARTS[loop.kind]}"
    return seek_text(translator, loop.start)


def _way_text(loop: LoopExtent, bound: tuple[str, bool] | None) -> str:
    """The arguments that say where a walk ends and whether it goes down."""
    end = "" if bound is None else f", {bound[0]}, {bound[1]}"
    return f"{end}, down=True" if loop.kind in _DESCENDING else end


def _emit_lists(translator: Translator, loop: LoopExtent, context: LoopContext, bound: tuple[str, bool] | None) -> None:
    """A range of a table or index in whose body no rows are handed out: in lists for a body without statements of its own."""
    start, cursor = loop.start, loop.cursor
    translator.address = start
    walk = f"c{cursor}, host, {_first_text(translator, loop)}{_way_text(loop, bound)}"
    saved = translator.walks.get(cursor)
    translator.walks[cursor] = start
    translator.line(f"for W{start} in walk_lists({walk}):")
    translator.depth += 1
    is_bulk = emit_bulk(translator, loop, context.first, f"w{start}")
    translator.depth -= 1
    if not is_bulk:
        translator.lines.pop()
        if bound is not None and _is_searched_again(translator, loop):
            translator.line(f"for w{start} in walk_range(c{cursor}, host, {bound[0]}):")
        else:
            translator.line(f"for w{start} in walk_rows({walk}):")
        translator.depth += 1
        _emit_body(translator, loop, context.first)
        translator.depth -= 1
    if saved is None:
        del translator.walks[cursor]
    else:
        translator.walks[cursor] = saved


def _is_searched_again(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether a range of an index that nobody changes, all entries with one key, is looked for in every turn of a loop
    around it."""
    code = translator.code
    opcode, cursor, _, _, key, _ = code[loop.start]
    return (
        opcode == op.SeekGE
        and translator.program.readonly
        and translator.loop is not None
        and translator.cursor_kinds.get(cursor) == "index"
        and code[loop.body][0] == op.IdxGT
        and code[loop.body][4] == key
        and sum(1 for other in translator.program.loops if other.body <= loop.start < other.next) > 0
    )


def _emit_leaf_walk(
    translator: Translator, loop: LoopExtent, context: LoopContext, bound: tuple[str, bool] | None
) -> None:
    """A range of a table or index, list by list, where rows are handed out in the body."""
    start, cursor = loop.start, loop.cursor
    translator.address = start
    first = _first_text(translator, loop)
    translator.line(f"s{start} = leaf_walk(c{cursor}, host, {first}{_way_text(loop, bound)})")
    translator.line(f"for W{start} in s{start}:")
    translator.depth += 1
    _expect_changes(translator, loop, context)
    saved = translator.walks.get(cursor)
    translator.walks[cursor] = start
    _emit_rows(translator, loop, context, f"w{start}")
    if saved is None:
        del translator.walks[cursor]
    else:
        translator.walks[cursor] = saved
    translator.depth -= 1


def _emit_scan(translator: Translator, loop: LoopExtent, context: LoopContext) -> None:
    """The loop over leaves and in it the loop over rows."""
    start = loop.start
    cursor = loop.cursor
    wants_rowid = any(
        translator.code[address][0] == op.Rowid and translator.code[address][1] == cursor
        for address in range(loop.body, loop.next)
    )
    row = f"i{start}, w{start}" if wants_rowid else f"w{start}"
    saved = translator.leaf_loops.get(cursor)
    outer_walk = translator.walks.get(cursor)
    translator.walks[cursor] = start
    if wants_rowid:
        translator.leaf_loops[cursor] = start
    line = len(translator.lines)
    translator.line("")
    translator.line("")
    translator.depth += 1
    _expect_changes(translator, loop, context)
    test = None
    if translator.hints.specialises and cursor in translator.hints.masks and not _has_lasting_rows(translator, loop):
        test = _emit_specialised(translator, loop, context, row)
    else:
        _emit_rows(translator, loop, context, row)
    translator.depth -= 1
    name = "None" if test is None else translator.object_name(("object", test))
    joins = ", joins=True" if context.is_bulk else ""
    text = f"s{start} = Scan(c{cursor}, host, {name}, {wants_rowid}{joins}{_way_text(loop, None)})"
    translator.lines[line] = (translator.depth, text, start)
    translator.lines[line + 1] = (translator.depth, f"for W{start}, x{start} in s{start}:", start)
    if outer_walk is None:
        del translator.walks[cursor]
    else:
        translator.walks[cursor] = outer_walk
    if saved is None:
        translator.leaf_loops.pop(cursor, None)
    else:
        translator.leaf_loops[cursor] = saved


def _emit_rows(translator: Translator, loop: LoopExtent, context: LoopContext, row: str) -> None:
    """The loop over the rows of a leaf; a break leaves the loop over leaves too."""
    if emit_bulk(translator, loop, context.first, row):
        context.is_bulk = True
        return
    is_alternative = emit_fetched(translator, loop, context.first, row)
    translator.depth += is_alternative
    translator.line(f"for {row} in W{loop.start}:")
    translator.depth += 1
    _emit_body(translator, loop, context.first)
    translator.depth -= 1
    if context.needs_break:
        translator.line("else: continue")
        if context.has_resumed:
            translator.line(f"if s{loop.start}.is_behind: continue")
        translator.line("break")
    translator.depth -= is_alternative


def _emit_specialised(
    translator: Translator, loop: LoopExtent, context: LoopContext, row: str
) -> tuple[tuple[int, int], ...] | None:
    """The loop specialised on the masks of the first leaf, and tier 1 for leaves with others; returns the test of the masks."""
    start = loop.start
    masks = translator.hints.masks[loop.cursor]
    lines = translator.lines
    line = len(lines)
    translator.line("")
    translator.depth += 1
    known = {(start, offset): mask for offset, mask in enumerate(masks) if mask}
    translator.known.update(known)
    _emit_rows(translator, loop, context, row)
    for key in known:
        del translator.known[key]
    translator.depth -= 1
    used = sorted({offset for load, offset in translator.consulted if load == start})
    if not used:
        lines[line] = (translator.depth, "if 1:", start)
        return None
    lines[line] = (translator.depth, f"if x{start}:", start)
    translator.line("else:")
    translator.depth += 1
    _emit_refused_leaf(translator, loop)
    translator.depth -= 1
    return tuple([(offset, ALL_CLASSES & ~masks[offset]) for offset in used])


def _emit_refused_leaf(translator: Translator, loop: LoopExtent) -> None:
    """Hands a leaf to tier 1: what the body reads goes into the register list, what it changes comes back."""
    shared, foreign = _shared_registers(translator, loop)
    for register in shared:
        translator.used_locals.add(register)
        translator.line(f"R[{register}] = r{register}")
    for register, source in foreign.items():
        translator.line(f"R[{register}] = {translator.row_operand(*source).text}")
    for address in range(loop.body, loop.next):
        if translator.code[address][0] == op.Once:
            translator.line(f"if f{address}: pass_once(frame, {address + 1})")
    part = translator.object_name(("part", loop.start))
    translator.line(f"pc = yield from interpret_leaf(frame, {part}, W{loop.start}, s{loop.start})")
    for register in shared:
        translator.line(f"r{register} = R[{register}]")
    _emit_cursor_names(translator, loop)
    _emit_leaving(translator, loop)


def _emit_leaving(translator: Translator, loop: LoopExtent) -> None:
    """What to do when tier 1 has left the body: return from a Halt, else break; the enclosing code looks at pc."""
    code = translator.code
    halts = set()
    others = False
    for address in range(loop.body, loop.next):
        opcode, _, target, _, _, _ = code[address]
        if opcode == op.Halt:
            halts.add(address)
        elif opcode in JUMPS and target > loop.next:
            if code[target][0] == op.Halt and not code[target][1]:
                halts.add(target)
            else:
                others = True
    if halts:
        test = f"if pc in ({', '.join(map(str, sorted(halts)))},): return" if others else "if pc: return"
        translator.line(test)
    if others:
        translator.line("if pc: break")


def _emit_cursor_names(translator: Translator, loop: LoopExtent) -> None:
    """Gives the cursors that tier 1 may have opened or filled in the body their names again."""
    code = translator.code
    for address in range(loop.body, loop.next):
        opcode, cursor, _, _, _, _ = code[address]
        if opcode == op.Once:
            translator.line(f"f{address} = is_passed(frame, {address + 1})")
        elif opcode in OPENERS:
            cursor = opened_cursor(code[address])
            translator.line(f"c{cursor} = frame.cursors[{cursor}]")
            names = translator.cursor_aliases(translator, address)
            if names:
                translator.line(f"if c{cursor} is not None:")
                for name in names:
                    translator.line(f" {name}")
        elif opcode == op.SorterInsert and cursor in translator.sorter_specs:
            translator.line(f"h{cursor} = c{cursor}.threshold")
        elif opcode == op.GroupStep and not translator.plan.layout.specs[cursor].key_registers:
            translator.line(f"if c{cursor} is not None: g{cursor} = c{cursor}.only")


def _has_lasting_rows(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether tier 1 cannot take a leaf: when a row loaded behind a Once is used outside of what the Once skips, it would
    not find its columns; and a body that calls sub-programs stays whole."""
    code = translator.code
    for address in range(loop.body, loop.next):
        if code[address][0] == op.Program:
            return True  # tier 1 would not come back to the loop's part of the program
        if code[address][0] != op.Once:
            continue
        end = code[address][2]
        if any(address < load < end <= use for (_, use), (load, _) in translator.plan.row_source.items()):
            return True
    return False


def _shared_registers(translator: Translator, loop: LoopExtent) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """The locals that a body shares with the code around it or with its next turn, and columns of other rows that it reads."""
    plan = translator.plan
    shared: set[int] = set()
    foreign: dict[int, tuple[int, int]] = {}
    for address in range(loop.body, loop.next):
        for register in (*plan.reads[address], *plan.writes[address]):
            source = plan.row_source.get((register, address)) if register not in plan.unpacked else None
            if source is not None:
                if not loop.start <= source[0] < loop.next:
                    foreign[register] = source
            elif not plan.is_constant(register) and not _is_private(translator, register, loop):
                shared.add(register)
    return sorted(shared), foreign


def _is_private(translator: Translator, register: int, loop: LoopExtent) -> bool:
    """Tells whether a register is made and used within one turn of a loop only."""
    plan = translator.plan
    definitions = plan.definitions[register]
    uses = plan.uses[register]
    first = min(definitions)
    if not (first >= loop.body and max(definitions) < loop.next and all(first < use < loop.next for use in uses)):
        return False
    # A definition that a jump (Once, for one) may pass over on the way to a use leaves the value of an earlier turn in place.
    last = max(uses, default=first)
    return not any(
        first < target <= last and any(loop.body <= source < first for source in sources)
        for target, sources in plan.sources.items()
    )


def _emit_walk(translator: Translator, loop: LoopExtent, kind: str) -> None:
    start = loop.start
    translator.address = start
    iterable = _iterable(translator, loop, kind)
    saved = translator.walks.get(loop.cursor)
    translator.walks[loop.cursor] = start
    if iterable.endswith(".rows") and loop.kind != op.WindowRewind:
        translator.line(f"W{start} = {iterable}")
        row = f"w{start}"
        is_bulk = emit_handed_on(translator, loop, row) or emit_bulk(translator, loop, loop.body, row)
        is_alternative = not is_bulk and emit_fetched(translator, loop, loop.body, row)
        if is_alternative:
            iterable = f"W{start}"
        elif not is_bulk:
            translator.lines.pop()
    else:
        is_bulk = is_alternative = False
    if not is_bulk:
        translator.depth += is_alternative
        translator.line(f"for w{start} in {iterable}:")
        translator.depth += 1
        _emit_body(translator, loop, loop.body)
        translator.depth -= 1 + is_alternative
    if saved is None:
        del translator.walks[loop.cursor]
    else:
        translator.walks[loop.cursor] = saved


def _iterable(translator: Translator, loop: LoopExtent, kind: str) -> str:
    """The text of what a loop iterates over; may emit statements before the loop."""
    opcode, cursor, _, _, key, _ = translator.code[loop.start]
    name = f"c{cursor}"
    advance = "previous" if translator.code[loop.next][0] == op.Prev else "next"
    if opcode == op.HashProbe:
        text = translator.tuple_text(key, loop.start)
        if cursor in translator.plain_hashes:
            return f"b{cursor}.get({text}, ())"
        return f"walk({name}.probe({text}), {name}.next)"
    if opcode in _OPERATORS:
        seek = seek_text(translator, loop.start)
        return f"walk({seek}, {name}.{advance})"
    if opcode not in _STARTS:
        raise Untranslatable("loop over " + kind)
    if kind in _ROW_LISTS and advance == "next" and opcode != op.Last and _uses_are_plain_list(translator, loop):
        if kind != "list":
            translator.line(f"{name}.{_STARTS[opcode]}")
        if any(loop.body <= other.start < loop.next for other in translator.program.loops):
            return f"polled({name}.rows, host)"
        return f"{name}.rows"
    if kind == "rows" and opcode == op.Rewind and advance == "next" and _uses_are_plain_list(translator, loop):
        return f"{name}.walk()"
    if opcode == op.WindowRewind:
        from_locals_to_list(translator, loop.start)
    if kind == "queue":
        return f"walk_queue({name}, host)"
    return f"walk({name}.{_STARTS[opcode]}, {name}.{advance})"


def _is_read_by_entry(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether the body uses a storage cursor only by the entry in the loop's name, so that its place may run ahead."""
    for address in range(loop.body, loop.next):
        opcode, p1, p2 = translator.code[address][:3]
        roles = ROLES[opcode]
        if (roles[0] == "c" and p1 == loop.cursor and opcode not in _ENTRY_READERS) or (
            roles[1] == "c" and p2 == loop.cursor and opcode != op.DeferredSeek
        ):
            return False
    return True


_ENTRY_READERS = frozenset((op.IdxGE, op.IdxGT, op.IdxLE, op.IdxLT, op.IdxRowid))


def _uses_are_plain_list(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether the body neither reads the position of a list cursor nor starts it again."""
    for address in range(loop.body, loop.next):
        opcode, p1 = translator.code[address][:2]
        if p1 == loop.cursor and ROLES[opcode][0] == "c" and opcode in _POSITION_READERS:
            return False
    return translator.code[loop.start][0] != op.WindowRewind or not translator.plan.reads[loop.start]


_POSITION_READERS = frozenset((op.Rowid, op.Column, op.IdxRowid, op.HashMark, op.NullRow))


def seek_text(translator: Translator, address: int) -> str:
    """The text of a SeekGE, SeekGT, SeekLE or SeekLT."""
    opcode, cursor, _, _, key, _ = translator.code[address]
    if key.__class__ is tuple:
        return f'c{cursor}.seek({translator.tuple_text(key, address)}, "{_OPERATORS[opcode]}")'
    return f"seek_table(c{cursor}, {opcode}, {translator.operand(key, address).text})"


def from_locals_to_list(translator: Translator, address: int) -> None:
    """Copies what a handler reads into the register list."""
    done = set()
    for register in translator.plan.reads[address]:
        if register in done or translator.plan.is_constant(register):
            continue
        done.add(register)
        translator.line(f"R[{register}] = {translator.operand(register, address).text}")
