"""Instructions as Python statements: the opcodes that have a text of their own, and the call of the handler for all others.

A handler works on the register list, so its operands are copied there before the call and its results back to names after it.

Source: DESIGN, "A VM of two tiers"; the contracts in minisql.bytecode.opcodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from minisql.bytecode import opcodes as op
from minisql.bytecode.operands import LOADS_ROW
from minisql.storage.type_mask import NULL, REAL, TEXT, TEXT_NOT_ASCII
from minisql.values.affinity import BLOB as BLOB_AFFINITY
from minisql.values.affinity import REAL as REAL_AFFINITY
from minisql.values.affinity import TEXT as TEXT_AFFINITY
from minisql.vm.group_text import emit_group_step, is_collected, is_keyed_by_value, is_stepped
from minisql.vm.loop_text import emit_unpacking, from_locals_to_list, seek_text
from minisql.vm.python_text import ANY, INTEGER, NUMBER, Condition, named, only, value_of
from minisql.vm.register_plan import PURE
from minisql.vm.walking import OPENERS, opened_cursor

if TYPE_CHECKING:
    from minisql.vm.translator import Translator

def emit_statement(translator: Translator, address: int) -> None:
    """Emits an instruction that does not jump."""
    opcode = translator.code[address][0]
    if opcode in PURE and not (opcode == op.Rowid and not _has_register(translator, address)):
        emit_assignment(translator, address)
        return
    emitter = _STATEMENTS.get(opcode)
    if emitter is not None:
        emitter(translator, address)
    else:
        emit_handler_call(translator, address)


def _has_register(translator: Translator, address: int) -> bool:
    return bool(translator.code[address][2])


def emit_assignment(translator: Translator, address: int) -> None:
    """Assigns the value of a pure instruction to its register's name."""
    register = translator.plan.writes[address][0]
    if translator.plan.uses[register]:
        translator.used_locals.add(register)
        value = value_of(translator, address)
        translator.line(f"r{register} = {value.text}")
        translator.local_classes[register] = address, value
    elif translator.code[address][0] == op.Function:
        translator.line(value_of(translator, address).text)


def emit_handler_call(translator: Translator, address: int) -> None:
    """Calls the tier-1 handler of an instruction that does not jump."""
    from_locals_to_list(translator, address)
    translator.call(address)
    _from_list_to_locals(translator, address)


def _from_list_to_locals(translator: Translator, address: int) -> None:
    plan = translator.plan
    opcode, _, _, p3, _, _ = translator.code[address]
    written = plan.writes[address]
    if opcode in LOADS_ROW and written:
        translator.used_rows.add(address)
        translator.line(f"w{address} = R[{p3}:{p3 + len(written)}]")
        emit_unpacking(translator, address)
        return
    for register in dict.fromkeys(written):
        if plan.uses[register]:
            translator.used_locals.add(register)
            translator.line(f"r{register} = R[{register}]")


def _emit_open(translator: Translator, address: int) -> None:
    """Opens a cursor by its handler and gives it, and what is called for every row, a name."""
    opcode = translator.code[address][0]
    cursor = opened_cursor(translator.code[address])
    if opcode == op.OpenList and (translator.loop is not None or translator.hints.is_hot):
        # Opened for every turn of a loop or often: worth a line without a handler.
        translator.line(f"frame.cursors[{cursor}] = c{cursor} = ListCursor()")
        translator.line(f"a{cursor} = c{cursor}.rows.append")
        return
    if opcode == op.HostRows and translator.loop is not None:
        _, first, n_arguments, _, _, _ = translator.code[address]
        arguments = ", ".join(translator.texts(range(first, first + n_arguments), address))
        instruction = translator.object_name(("instruction", address))
        translator.line(f"c{cursor} = open_rows(frame, {instruction}, [{arguments}])")
        return
    if opcode == op.GroupOpen and translator.loop is not None:
        translator.line(f"frame.cursors[{cursor}] = c{cursor} = GroupCursor({translator.object_name(('p4', address))})")
        for text in cursor_aliases(translator, address):
            translator.line(text)
        return
    from_locals_to_list(translator, address)
    translator.call(address, cursor, cursor_aliases(translator, address))


def cursor_aliases(translator: Translator, address: int) -> list[str]:
    """The names that translated code has for parts of the cursor that an instruction opens, as assignments."""
    opcode, cursor, p2, _, p4, _ = translator.code[address]
    if opcode in (op.OpenList, op.ConstantRows):
        return [f"a{cursor} = c{cursor}.rows.append"]
    if opcode == op.SorterOpen:
        if not p2:
            return [f"a{cursor} = c{cursor}.rows.append"]
        return [f"a{cursor} = c{cursor}.insert", f"h{cursor} = c{cursor}.threshold"]
    if opcode == op.QueueOpen:
        return [f"a{cursor} = c{cursor}.adder()"]
    if opcode == op.WindowOpen:
        return [f"a{cursor} = c{cursor}.stored.append"]
    if opcode == op.HashOpen and cursor in translator.plain_hashes:
        return [f"b{cursor} = c{cursor}.buckets"]
    if opcode == op.SetOpen and (cursor in translator.plain_sets or cursor in translator.asked_sets):
        return [f"m{cursor} = c{cursor}.members"]
    if opcode == op.MemoOpen:
        return [f"m{cursor} = c{cursor}.results"]
    if opcode in (op.OpenRead, op.OpenWrite) and cursor in translator.finders:
        return [f"F{cursor} = RowsByRowid(c{cursor})"]
    if opcode != op.GroupOpen:
        return []
    if p4.key_registers:
        return [f"G{cursor} = c{cursor}.groups", *([f"H{cursor} = {{}}"] if is_keyed_by_value(translator, address) else [])]
    if p4.bare_registers:
        return [f"g{cursor} = c{cursor}.only"]
    # One group without bare columns exists from the start, so that its parts can have names.
    names = [f"g{cursor} = c{cursor}.only or c{cursor}.open_group((), ())"]
    for number, call in enumerate(p4.calls):
        if is_collected(call):
            names.append(f"a{cursor}_{number} = g{cursor}[{number + 2}].append")
        elif is_stepped(call):
            names.append(f"a{cursor}_{number} = g{cursor}[{number + 2}].step")
    return names


def _emit_open_tree(translator: Translator, address: int) -> None:
    """OpenRead and OpenWrite; a program that runs often and the body of a loop open trees without a handler."""
    opcode, cursor, _, database, _, is_register = translator.code[address]
    if is_register or not (translator.hints.is_hot or translator.loop is not None or cursor in translator.changers):
        _emit_open(translator, address)
        return
    kind = "table_cursor" if translator.cursor_kinds[cursor] == "table" else "index_cursor"
    if cursor in translator.changers:
        kind = "row_changer"
    shape = translator.object_name(("p4", address))
    writes = opcode == op.OpenWrite
    is_late = translator.loop is not None and translator.program.readonly
    if is_late:
        translator.late_cursors.add(cursor)
        translator.line(f"if c{cursor} is None:")
        translator.depth += 1
    number = translator.object_name(("root", address))
    translator.line(f"c{cursor} = host.btrees[{database}].{kind}({number}, {shape}, {writes})")
    if translator.shows_cursors:
        translator.line(f"frame.cursors[{cursor}] = c{cursor}")
    for text in cursor_aliases(translator, address):
        translator.line(text)
    if is_late:
        translator.depth -= 1


def _emit_transaction(translator: Translator, address: int) -> None:
    _, database, writes, cookie, generation, _ = translator.code[address]
    if translator.hints.is_hot:
        translator.line(f"host.begin_statement({database}, {writes != 0}, {cookie}, {generation})")
    else:
        emit_handler_call(translator, address)


def _emit_insert(translator: Translator, address: int) -> None:
    _, cursor, first, rowid_register, (n, table_name, _), flags = translator.code[address]
    rowid = translator.operand(rowid_register, address).text
    row = translator.tuple_text(range(first, first + n), address)
    if flags & op.IN_PLACE:
        translator.line(f"c{cursor}.update({row})")
    elif _appends(translator, address):
        translator.line(f"{rowid} = c{cursor}.append_row({row})")
        translator.line(f"if {rowid} is None:")
        translator.line(f" {rowid} = random_rowid(c{cursor})")
        translator.line(f" c{cursor}.insert({rowid}, {row})")
    else:
        translator.line(f"c{cursor}.insert({rowid}, {row}, {flags & op.APPEND != 0})")
    if flags & op.COUNT_CHANGE:
        translator.count_change()
    if flags & op.SET_LAST_ROWID:
        translator.line(f"host.last_insert_rowid = {rowid}")
    if table_name is not None:
        target = translator.object_name(("p4", address))
        translator.line(f"if host.has_update_hook: report_insert(host, {target}, {rowid}, {flags})")


def _appends(translator: Translator, address: int) -> bool:
    """Whether this Insert takes the rowid that a NewRowid right before it chooses: then one call does both."""
    _, cursor, first, rowid, (n, _, _), flags = translator.code[address]
    return (
        address > 0
        and bool(flags & op.APPEND)
        and address not in translator.plan.targets
        and translator.code[address - 1][:4] == (op.NewRowid, cursor, rowid, 0)
        and not first <= rowid < first + n
    )


def _emit_index_insert(translator: Translator, address: int) -> None:
    _, cursor, _, _, registers, flags = translator.code[address]
    translator.line(f"c{cursor}.insert({translator.tuple_text(registers, address)})")
    if flags & op.COUNT_CHANGE:
        translator.count_change()


def _emit_delete(translator: Translator, address: int) -> None:
    _, cursor, _, is_entry, (table_name, _), flags = translator.code[address]
    reports = table_name is not None and not flags & op.IS_UPDATE
    call = "" if flags & op.PRE_UPDATE_ONLY else f"c{cursor}.{'delete_current' if is_entry else 'delete'}()"
    if reports:
        target = translator.object_name(("p4", address))
        translator.line(f"h = c{cursor}.rowid if host.has_update_hook else None")
        if call:
            translator.line(call)
        translator.line(f'if h is not None: host.row_changed("delete", {target}[1], {target}[0], h)')
    elif call:
        translator.line(call)
    if flags & op.COUNT_CHANGE:
        translator.count_change()


def _emit_affinity(translator: Translator, address: int) -> None:
    """Affinity: a value of the class that the column wants is left alone."""
    _, first, _, _, wanted, _ = translator.code[address]
    for register, affinity in enumerate(wanted, first):
        if not translator.plan.uses[register]:
            continue
        operand = translator.operand(register, address)
        name = f"r{register}"
        if affinity <= BLOB_AFFINITY:
            if operand.text == name:
                translator.local_classes[register] = address, operand
            continue
        translator.used_locals.add(register)
        source = operand.text
        if affinity == REAL_AFFINITY:
            # Adding zero makes -0.0 plain: a record stores it as the integer 0.
            text = f"{source} + 0.0 if {source}.__class__ is float else apply_affinity({source}, {affinity})"
            if only(operand, REAL):
                text = f"{source} + 0.0"
            translator.line(f"{name} = {text}")
            if only(operand, REAL | NULL):
                translator.local_classes[register] = address, operand
            continue
        if source != name:
            translator.line(f"{name} = {source}")
        is_text = affinity == TEXT_AFFINITY
        if only(operand, TEXT | TEXT_NOT_ASCII if is_text else INTEGER):
            translator.local_classes[register] = address, operand
        else:
            kind = "str" if is_text else "int"
            translator.line(f"if {name}.__class__ is not {kind}: {name} = apply_affinity({name}, {affinity})")


def _emit_must_be_int(translator: Translator, address: int) -> None:
    """MustBeInt that raises."""
    register = translator.code[address][1]
    source = translator.operand(register, address).text
    translator.used_locals.add(register)
    if source != f"r{register}":
        translator.line(f"r{register} = {source}")
    translator.line(f"if r{register}.__class__ is not int: r{register} = must_be_int(r{register})")


def _emit_new_rowid(translator: Translator, address: int) -> None:
    _, cursor, target, ever, _, _ = translator.code[address]
    if ever:
        emit_handler_call(translator, address)
        return
    translator.used_locals.add(target)
    if translator.code[address + 1][0] == op.Insert and _appends(translator, address + 1):
        return
    name = translator.temporary()
    translator.line(f"{name} = c{cursor}.last_rowid() or 0")
    translator.line(f"r{target} = {name} + 1 if {name} < HIGH else random_rowid(c{cursor})")


def _emit_null(translator: Translator, address: int) -> None:
    plan = translator.plan
    names = [f"r{register}" for register in plan.writes[address] if plan.uses[register]]
    translator.used_locals.update(register for register in plan.writes[address] if plan.uses[register])
    if names:
        translator.line(" = ".join(names) + " = None")


def _emit_null_row(translator: Translator, address: int) -> None:
    _emit_null(translator, address)
    cursor = translator.code[address][1]
    if cursor in translator.finders:
        return
    translator.line(f"if frame.cursors[{cursor}] is not None: frame.cursors[{cursor}].leave()")


def _emit_copy(translator: Translator, address: int) -> None:
    _, source, target, n, _, _ = translator.code[address]
    plan = translator.plan
    pairs = [
        (target + k, source + k)
        for k in range(n)
        if plan.uses[target + k] and not plan.is_overwritten(target + k, address)
    ]
    if not pairs:
        return
    translator.used_locals.update(register for register, _ in pairs)
    left = ", ".join(f"r{register}" for register, _ in pairs)
    translator.line(f"{left} = {', '.join(translator.texts([register for _, register in pairs], address))}")


def _emit_add_imm(translator: Translator, address: int) -> None:
    _, register, amount, _, _, _ = translator.code[address]
    translator.used_locals.add(register)
    translator.line(f"r{register} += {amount}")


def _emit_result_row(translator: Translator, address: int) -> None:
    translator.line(f"yield {translator.tuple_text(translator.plan.reads[address], address)}")
    if translator.loop is not None:
        for cursor in sorted(translator.finders):
            name = f"F{cursor}"
            translator.line(f"if {name} is not None and {name}.edits != {name}.cursor.tree.edits: {name}.start_again()")


def _emit_halt(translator: Translator, address: int) -> None:
    _, p1, p2, p3, _, p5 = translator.code[address]
    if not p1:
        for text in translator.leave_texts():
            translator.line(text)
        return
    if translator.is_sub and p2 == op.ON_CONFLICT_IGNORE:
        translator.line("return True")
        return
    message = translator.object_name(("p4", address))
    if p5:
        message = f"raised_text({translator.operand(p3, address).text})"
    translator.line(f"raise halt_error({p1}, {p2}, {message})")


def _call_text(translator: Translator, address: int) -> str:
    """The call of a sub-program: true when RAISE(IGNORE) has ended it."""
    registers = translator.code[address][4][1]
    values = translator.tuple_text(registers, address) if registers else "()"
    return f"{translator.object_name(('call', address))}(frame, host, {values})"


def _emit_program(translator: Translator, address: int) -> None:
    translator.line(_call_text(translator, address))


def _jump_program(translator: Translator, address: int) -> Condition:
    name = translator.temporary()
    translator.line(f"{name} = {_call_text(translator, address)}")
    return Condition(name, f"not {name}")


def _emit_reset_count(translator: Translator, address: int) -> None:
    if not translator.counts_locally:
        emit_handler_call(translator, address)
        return
    if translator.code[address][1]:
        translator.line("host.changes = n")
        translator.line("host.total_changes += n")
    translator.line("n = 0")


def _emit_halt_if_null(translator: Translator, address: int) -> None:
    _, p1, p2, p3, _, _ = translator.code[address]
    message = translator.object_name(("p4", address))
    translator.line(f"if {translator.operand(p3, address).text} is None: raise halt_error({p1}, {p2}, {message})")


def _emit_append(translator: Translator, address: int) -> None:
    """ListAppend, WindowStep and SorterInsert; a sorter with a limit gets only rows that can be among the first."""
    opcode, cursor, _, _, _, _ = translator.code[address]
    registers = translator.plan.reads[address]
    row = translator.tuple_text(registers, address)
    spec = translator.sorter_specs.get(cursor) if opcode == op.SorterInsert else None
    if spec is None:
        translator.line(f"a{cursor}({row})")
        return
    place = spec.keys[0]
    key = translator.operand(registers[place], address)
    if not only(key, NUMBER | NULL):
        translator.line(f"h{cursor} = a{cursor}({row})")
        return
    name = named(translator, key)
    if name != key.text:
        texts = translator.texts(registers, address)
        texts[place] = name
        row = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    sign = ">" if spec.descending[0] else "<"
    if len(spec.keys) > 1:
        sign += "="
    test = f"{name} {sign} h{cursor}"
    if key.classes & NULL:
        test = f"{name} is None or {test}" if spec.nulls_first[0] else f"({name} is not None and {test})"
    translator.line(f"if h{cursor} is None or {test}: h{cursor} = a{cursor}({row})")


def _emit_hash_insert(translator: Translator, address: int) -> None:
    _, cursor, first, n, keys, _ = translator.code[address]
    row = translator.tuple_text(range(first, first + n), address)
    if cursor not in translator.plain_hashes:
        translator.line(f"c{cursor}.insert({translator.tuple_text(keys, address)}, {row})")
        return
    texts = [named(translator, translator.operand(register, address)) for register in keys]
    present = " and ".join(f"{text} is not None" for text in dict.fromkeys(texts))
    key = f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
    name = translator.temporary()
    translator.line(f"if {present}:")
    translator.line(f" {name} = b{cursor}.get({key})")
    translator.line(f" if {name} is None: b{cursor}[{key}] = [{row}]")
    translator.line(f" else: {name}.append({row})")


def _emit_queue_insert(translator: Translator, address: int) -> None:
    _, cursor, _, _, registers, _ = translator.code[address]
    translator.line(f"a{cursor}({translator.tuple_text(registers, address)})")


def _emit_set_insert(translator: Translator, address: int) -> None:
    """SetInsert that does not jump; with p5 the new row takes the place of an equal one."""
    _, cursor, _, _, registers, replaces = translator.code[address]
    row = translator.tuple_text(registers, address)
    if cursor in translator.plain_sets:
        name = translator.temporary()
        translator.line(f"{name} = {row}")
        translator.line(f"m{cursor}[{name}] = {name}" if replaces else f"m{cursor}.setdefault({name}, {name})")
    else:
        translator.line(f"c{cursor}.{'replace' if replaces else 'add'}({row})")


def _emit_memo_put(translator: Translator, address: int) -> None:
    _, cursor, _, result, registers, _ = translator.code[address]
    key = _memo_key(translator, address, registers)
    translator.line(f"m{cursor}[{key}] = {translator.operand(result, address).text}")


def _memo_key(translator: Translator, address: int, registers: tuple[int, ...]) -> str:
    """The text of a memo's key, see handlers_table.memo_key."""
    texts = []
    for register in registers:
        operand = translator.operand(register, address)
        if only(operand, ANY & ~REAL):
            texts.append(operand.text)
            continue
        name = translator.temporary()
        translator.line(f"{name} = {operand.text}")
        translator.line(f"if {name}.__class__ is float: {name} = distinguished({name})")
        texts.append(name)
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _emit_deferred_seek(translator: Translator, address: int) -> None:
    _, table, index, _, _, _ = translator.code[address]
    loop = translator.walks.get(index)
    entry = f"w{loop}" if loop is not None else f"c{index}.row"
    found = f"F{table}[{entry}[-1]]" if table in translator.finders else f"c{table}.seek_rowid({entry}[-1])"
    translator.line(f"w{address} = {found}")
    translator.line(f"if w{address} is None: raise sqlite_error(CORRUPT_INDEX)")
    emit_unpacking(translator, address)


def _emit_index_rowid(translator: Translator, address: int) -> None:
    """IdxRowid within a loop over the index; elsewhere its handler."""
    _, cursor, target, _, _, _ = translator.code[address]
    loop = translator.walks.get(cursor)
    if loop is None:
        emit_handler_call(translator, address)
    elif translator.plan.uses[target]:
        translator.used_locals.add(target)
        translator.line(f"r{target} = w{loop}[-1]")


def _emit_count(translator: Translator, address: int) -> None:
    _, cursor, target, _, _, _ = translator.code[address]
    if translator.plan.uses[target]:
        translator.used_locals.add(target)
        translator.line(f"r{target} = c{cursor}.count()")


_STATEMENTS: dict[int, Callable[[Translator, int], None]] = {
    **dict.fromkeys(OPENERS, _emit_open),
    op.OpenRead: _emit_open_tree,
    op.OpenWrite: _emit_open_tree,
    op.Transaction: _emit_transaction,
    op.Insert: _emit_insert,
    op.Delete: _emit_delete,
    op.IdxInsert: _emit_index_insert,
    op.Affinity: _emit_affinity,
    op.MustBeInt: _emit_must_be_int,
    op.NewRowid: _emit_new_rowid,
    op.Null: _emit_null,
    op.NullRow: _emit_null_row,
    op.Copy: _emit_copy,
    op.AddImm: _emit_add_imm,
    op.ResultRow: _emit_result_row,
    op.Halt: _emit_halt,
    op.HaltIfNull: _emit_halt_if_null,
    op.Program: _emit_program,
    op.ResetCount: _emit_reset_count,
    op.ListAppend: _emit_append,
    op.SorterInsert: _emit_append,
    op.WindowStep: _emit_append,
    op.QueueInsert: _emit_queue_insert,
    op.HashInsert: _emit_hash_insert,
    op.SetInsert: _emit_set_insert,
    op.MemoPut: _emit_memo_put,
    op.DeferredSeek: _emit_deferred_seek,
    op.IdxRowid: _emit_index_rowid,
    op.GroupStep: emit_group_step,
    op.Count: _emit_count,
}


# Jumps that do something first


def emit_jump_statement(translator: Translator, address: int) -> Condition:
    """Emits what a jumping instruction does and returns the condition of its jump."""
    emitter = _JUMPS.get(translator.code[address][0])
    if emitter is not None:
        return emitter(translator, address)
    from_locals_to_list(translator, address)
    name = translator.temporary()
    instruction = translator.object_name(("instruction", address))
    translator.line(f"{name} = HANDLERS[{translator.code[address][0]}](frame, R, {instruction}, -1)")
    if translator.plan.writes[address]:
        _from_list_to_locals(translator, address)
    return Condition(f"{name} >= 0", f"{name} < 0")


def _jump_once(translator: Translator, address: int) -> Condition:
    name = translator.temporary()
    translator.flags.append(f"f{address}")
    translator.line(f"{name} = f{address}")
    translator.line(f"f{address} = True")
    return Condition(name, f"not {name}")


def _jump_memo_get(translator: Translator, address: int) -> Condition:
    _, cursor, _, result, registers, _ = translator.code[address]
    key = _memo_key(translator, address, registers)
    translator.used_locals.add(result)
    name = translator.temporary()
    translator.line(f"{name} = m{cursor}.get({key}, m{cursor})")
    translator.line(f"if {name} is not m{cursor}: r{result} = {name}")
    return Condition(f"{name} is not m{cursor}", f"{name} is m{cursor}")


def _jump_if_pos(translator: Translator, address: int) -> Condition:
    _, register, _, amount, _, _ = translator.code[address]
    translator.used_locals.add(register)
    name = translator.temporary()
    translator.line(f"{name} = r{register} > 0")
    translator.line(f"if {name}: r{register} -= {amount}")
    return Condition(name, f"not {name}")


def _jump_if_not_zero(translator: Translator, address: int) -> Condition:
    register = translator.code[address][1]
    translator.used_locals.add(register)
    name = translator.temporary()
    translator.line(f"{name} = r{register}")
    translator.line(f"if {name} > 0: r{register} -= 1")
    return Condition(name, f"not {name}")


def _jump_decrement(translator: Translator, address: int) -> Condition:
    register = translator.code[address][1]
    translator.used_locals.add(register)
    translator.line(f"r{register} -= 1")
    return Condition(f"not r{register}", f"r{register}")


def _jump_set_insert(translator: Translator, address: int) -> Condition:
    _, cursor, _, _, registers, _ = translator.code[address]
    row = translator.tuple_text(registers, address)
    if cursor not in translator.plain_sets:
        call = f"c{cursor}.add({row})"
        return Condition(f"not {call}", call)
    size, name = translator.temporary(), translator.temporary()
    translator.line(f"{size} = len(m{cursor})")
    translator.line(f"{name} = {row}")
    translator.line(f"m{cursor}.setdefault({name}, {name})")
    return Condition(f"len(m{cursor}) == {size}", f"len(m{cursor}) != {size}")


def _jump_search(translator: Translator, address: int) -> Condition:
    """Searches that land on one row: SeekRowid, NotExists, Found, NotFound, NoConflict and the like outside of loops."""
    opcode, cursor, _, p3, p4, _ = translator.code[address]
    if opcode == op.SeekRowid and cursor in translator.finders:
        call = f"F{cursor}[{translator.operand(p4, address).text}]"
    elif opcode == op.SeekRowid:
        key = translator.operand(p4, address)
        call = f"c{cursor}.seek_rowid({key.text})"
        if not only(key, INTEGER):
            other = f"seek_value(c{cursor}, {key.text})"
            is_short = translator.hints.is_hot and key.is_name
            call = f"{call} if {key.text}.__class__ is int else {other}" if is_short else other
    elif opcode == op.NotExists:
        call = f"c{cursor}.seek_rowid({translator.operand(p3, address).text})"
    elif opcode in (op.Found, op.NotFound, op.NoConflict):
        call = f"c{cursor}.find({translator.tuple_text(p4, address)})"
    elif opcode in (op.Rewind, op.Last):
        call = f"c{cursor}.{'first' if opcode == op.Rewind else 'last'}()"
    else:
        call = seek_text(translator, address)
    translator.line(f"w{address} = {call}")
    translator.used_rows.add(address)
    missing, there = f"w{address} is None", f"w{address} is not None"
    loads = opcode != op.NotExists and any(
        register in translator.plan.unpacked and translator.plan.uses[register] for register in translator.plan.writes[address]
    )
    if loads:
        translator.line(f"if {there}:")
        translator.depth += 1
        emit_unpacking(translator, address)
        translator.depth -= 1
    if opcode == op.NoConflict:
        nulls = " or ".join(f"{text} is None" for text in translator.texts(p4, address))
        return Condition(f"({missing} or {nulls})", f"not ({missing} or {nulls})")
    return Condition(there, missing) if opcode == op.Found else Condition(missing, there)


_JUMPS: dict[int, Callable[[Translator, int], Condition]] = {
    op.Once: _jump_once,
    op.MemoGet: _jump_memo_get,
    op.Program: _jump_program,
    op.IfPos: _jump_if_pos,
    op.IfNotZero: _jump_if_not_zero,
    op.DecrJumpZero: _jump_decrement,
    op.SetInsert: _jump_set_insert,
    **dict.fromkeys(
        (
            op.SeekRowid, op.NotExists, op.Found, op.NotFound, op.NoConflict, op.Rewind, op.Last, op.SeekGE, op.SeekGT,
            op.SeekLE, op.SeekLT,
        ),
        _jump_search,
    ),
}  # fmt: skip
