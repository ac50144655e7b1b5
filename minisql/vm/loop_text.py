"""Recorded loops as Python `for` loops.

    scan of a table or index, whose cursor nothing else moves    for L, W, M in c.leaves(): for w in W: ...
    list, set, sorter, groups, windows                           for w in c.rows: ...
    hash table without bookkeeping                               for w in buckets.get(key, ()): ...
    everything else                                              for w in walk(c.first(), c.next): ...

An innermost scan may come twice: specialised on the type masks that the first leaf has, and wide for leaves with others.

Source: DESIGN, "A VM of two tiers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.operands import ROLES
from minisql.bytecode.program import LoopExtent
from minisql.vm.register_plan import Untranslatable

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
_OPERATORS = {op.SeekGE: "ge", op.SeekGT: "gt", op.SeekLE: "le", op.SeekLT: "lt"}


class LoopContext:
    """The loop whose body is being emitted: where `continue` and `break` lead, and the jumps that leave it for other places."""

    __slots__ = ("end", "escapes", "needs_break", "next")

    def __init__(self, next_: int, end: int) -> None:
        self.next = next_
        self.end = end
        self.needs_break = False
        self.escapes: set[int] = set()


def emit_loop(translator: Translator, loop: LoopExtent) -> set[int]:
    """Emits a loop; returns the addresses outside, other than its end, to which jumps leave it: `pc` holds the one taken."""
    outer = translator.loop
    context = LoopContext(loop.next, loop.end)
    lines = translator.lines
    reset = len(lines)
    translator.line("")
    translator.loop = context
    kind = translator.cursor_kinds.get(loop.cursor, "")
    translator.n_loops += 1
    if translator.n_loops > MAX_LOOPS:
        raise Untranslatable("too many nested loops")
    if loop.kind == op.Rewind and kind in ("table", "index") and is_undisturbed_scan(translator, loop):
        translator.n_loops += 1
        _emit_scan(translator, loop, context, kind == "table")
        translator.n_loops -= 1
    else:
        _emit_walk(translator, loop, kind)
    translator.n_loops -= 1
    translator.loop = outer
    if context.escapes:
        lines[reset] = (translator.depth, "pc = 0", loop.start)
    return context.escapes


def is_undisturbed_scan(translator: Translator, loop: LoopExtent) -> bool:
    """Tells whether nothing but the loop's Next moves the cursor, and only the loop's body reads from it."""
    return translator.code[loop.next][0] == op.Next and _uses_are_plain(translator, loop)


def _uses_are_plain(translator: Translator, loop: LoopExtent) -> bool:
    plan = translator.plan
    cursor = loop.cursor
    extents = [other for other in translator.program.loops if other.cursor == cursor]
    for address, instruction in enumerate(translator.code):
        opcode, p1, p2 = instruction[:3]
        roles = ROLES[opcode]
        if not ((roles[0] == "c" and p1 == cursor) or (roles[1] == "c" and p2 == cursor)):
            continue
        if opcode in (op.OpenRead, op.Count, op.Close) or address in plan.loop_next or address in plan.loop_at:
            continue
        if opcode in _READS_OF_ROW and any(other.body <= address < other.next for other in extents):
            continue
        return False
    return True


def _emit_body(translator: Translator, loop: LoopExtent) -> None:
    """Copies the columns that need locals, then emits the body."""
    emit_unpacking(translator, loop.start)
    translator.emit_region(translator, loop.body, loop.next)


def emit_unpacking(translator: Translator, load: int) -> None:
    """Copies the columns of a row just loaded whose registers are locals that something reads."""
    plan = translator.plan
    first = translator.code[load][3]
    for register in plan.writes[load]:
        if register in plan.unpacked and plan.uses[register]:
            translator.used_locals.add(register)
            translator.used_rows.add(load)
            translator.line(f"r{register} = w{load}[{register - first}]")


def _emit_scan(translator: Translator, loop: LoopExtent, context: LoopContext, is_table: bool) -> None:
    """The loop over leaves and in it the loop over rows."""
    start = loop.start
    cursor = loop.cursor
    leaf = f"L{start}, W{start}, M{start}" if is_table else f"W{start}, M{start}"
    translator.line(f"for {leaf} in c{cursor}.leaves():")
    translator.depth += 1
    translator.line("if host.is_interrupted: poll(host)")
    wants_rowid = is_table and any(
        translator.code[address][0] == op.Rowid and translator.code[address][1] == cursor
        for address in range(loop.body, loop.next)
    )
    header = f"for i{start}, w{start} in zip(L{start}, W{start}):" if wants_rowid else f"for w{start} in W{start}:"
    saved = translator.leaf_loops.get(cursor)
    if wants_rowid:
        translator.leaf_loops[cursor] = start
    if translator.hints.specialises and cursor in translator.hints.masks and not _has_inner_loop(translator, loop):
        _emit_twice(translator, loop, context, header)
    else:
        _emit_rows(translator, loop, context, header)
    if saved is None:
        translator.leaf_loops.pop(cursor, None)
    else:
        translator.leaf_loops[cursor] = saved
    translator.depth -= 1


def _has_inner_loop(translator: Translator, loop: LoopExtent) -> bool:
    return any(loop.body <= other.start < loop.next for other in translator.program.loops)


def _emit_rows(translator: Translator, loop: LoopExtent, context: LoopContext, header: str) -> None:
    """The loop over the rows of a leaf; a break leaves the loop over leaves too."""
    translator.line(header)
    translator.depth += 1
    _emit_body(translator, loop)
    translator.depth -= 1
    if context.needs_break:
        translator.line("else: continue")
        translator.line("break")


def _emit_twice(translator: Translator, loop: LoopExtent, context: LoopContext, header: str) -> None:
    """The specialised loop behind a test of the leaf's masks, and the wide loop."""
    start = loop.start
    masks = translator.hints.masks[loop.cursor]
    lines = translator.lines
    test = len(lines)
    translator.line("")
    translator.depth += 1
    known = {(start, offset): mask for offset, mask in enumerate(masks) if mask}
    translator.known.update(known)
    _emit_rows(translator, loop, context, header)
    for key in known:
        del translator.known[key]
    translator.depth -= 1
    used = sorted(offset for load, offset in translator.consulted if load == start)
    if not used:
        # Nothing depends on the classes: the wide loop is the same.
        lines[test] = (translator.depth, "if 1:", start)
        return
    terms = " | ".join(f"M{start}[{offset}] & {ALL_CLASSES & ~masks[offset]}" for offset in used)
    lines[test] = (translator.depth, f"if not ({terms}):", start)
    translator.line("else:")
    translator.depth += 1
    _emit_rows(translator, loop, context, header)
    translator.depth -= 1


def _emit_walk(translator: Translator, loop: LoopExtent, kind: str) -> None:
    start = loop.start
    translator.address = start
    translator.line(f"for w{start} in {_iterable(translator, loop, kind)}:")
    translator.depth += 1
    _emit_body(translator, loop)
    translator.depth -= 1


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
        return f"walk({seek_text(translator, loop.start)}, {name}.{advance})"
    if opcode not in _STARTS:
        raise Untranslatable("loop over " + kind)
    if kind in _ROW_LISTS and advance == "next" and opcode != op.Last and _uses_are_plain_list(translator, loop):
        translator.line(f"{name}.{_STARTS[opcode]}")
        return f"{name}.rows"
    if opcode == op.WindowRewind:
        from_locals_to_list(translator, loop.start)
    return f"walk({name}.{_STARTS[opcode]}, {name}.{'take' if kind == 'queue' else advance})"


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
