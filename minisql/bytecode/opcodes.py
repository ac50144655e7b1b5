"""The instruction set of the register machine: one entry per opcode with its operand contract.

An instruction is a plain tuple `(opcode, p1, p2, p3, p4, p5)`.  Registers are positions in one list per frame; register 0
is never used, so a zero operand can mean "none".  Constants and parameters live in registers that the program's template
fills before the first instruction, so they cost nothing at run time.  A cursor that walks a table or an index copies the
whole current row into `row registers` (p3 = first of them, 0 = do not load), so a column reference is a plain register and
costs no instruction either.

Where an opcode does the job of one of SQLite's, it has SQLite's name.  Coarser ones (hash join, grouping, sets, sorter,
memo) exist because Python's dicts, sets and sorts run in C.  The contract strings below are what EXPLAIN, the verifier and
docs/opcodes.md use; the meaning is the handler of the same name in the `vm` room (tier 1).

Conventions: `r[x]` is register x; `r[a..n]` are n registers from a; "jump" operands are always p2 and hold an address.
Comparison opcodes hold a Collation or None (BINARY) in p4, and in p5 an affinity (low byte, 0 = none) that is applied to
both operands, plus JUMP_IF_NULL.

Source: https://www.sqlite.org/opcode.html (names and meanings), DESIGN "A VM of two tiers".
"""

from __future__ import annotations

JUMP_IF_NULL = 0x100
NULLS_EQUAL = 0x200

# Insert / Delete p5
COUNT_CHANGE = 0x01
SET_LAST_ROWID = 0x02
IS_UPDATE = 0x04
APPEND = 0x08
PRE_UPDATE_ONLY = 0x10
IN_PLACE = 0x20

# Halt p5
MESSAGE_IN_REGISTER = 0x01


class Contract:
    """One opcode: its `code` (position in CONTRACTS), `name`, whether p2 `jumps`, and the `text` of its operand contract."""

    __slots__ = ("code", "jumps", "name", "text")

    def __init__(self, code: int, name: str, jumps: bool, text: str) -> None:
        self.code = code
        self.name = name
        self.jumps = jumps
        self.text = text


CONTRACTS: list[Contract] = []


def _plain(name: str, text: str) -> int:
    code = len(CONTRACTS)
    CONTRACTS.append(Contract(code, name, False, text))
    return code


def _jump(name: str, text: str) -> int:
    code = len(CONTRACTS)
    CONTRACTS.append(Contract(code, name, True, text))
    return code


# The interpreter handles these inside its loop; they come first so that one comparison tells them from all others.
Next = _jump("Next", "Cursor p1 to its next row, r[p3..] = row, jump to p2; fall through at the end.")
ResultRow = _plain("ResultRow", "Hand out a row: p4 = tuple of registers if not None, else r[p1..p2].")
Goto = _jump("Goto", "Jump to p2.")
If = _jump("If", "Jump to p2 if r[p1] is true; if it is NULL: jump only if p3 is not 0.")
IfNot = _jump("IfNot", "Jump to p2 if r[p1] is false; if it is NULL: jump only if p3 is not 0.")
IsNull = _jump("IsNull", "Jump to p2 if r[p1] is NULL.")
NotNull = _jump("NotNull", "Jump to p2 if r[p1] is not NULL.")
Eq = _jump("Eq", "Jump to p2 if r[p1] = r[p3]; NULL operand: jump only with JUMP_IF_NULL; NULLS_EQUAL: as IS.")
Ne = _jump("Ne", "Jump to p2 if r[p1] <> r[p3]; likewise.")
Lt = _jump("Lt", "Jump to p2 if r[p1] < r[p3]; likewise.")
Le = _jump("Le", "Jump to p2 if r[p1] <= r[p3]; likewise.")
Gt = _jump("Gt", "Jump to p2 if r[p1] > r[p3]; likewise.")
Ge = _jump("Ge", "Jump to p2 if r[p1] >= r[p3]; likewise.")
Rewind = _jump("Rewind", "Cursor p1 to its first row, r[p3..] = row; jump to p2 if there is none.")
Halt = _plain(
    "Halt",
    "End. p1 result code, p2 conflict action (ON_CONFLICT_*), p4 message or None. p1 = 0: success. "
    "p5 MESSAGE_IN_REGISTER: the message is r[p3] as text.",
)
Program = _jump(
    "Program",
    "Run sub-program p4 = (Program, registers tuple handed over as its parameters, name) in a frame of "
    "its own; p1 1 = a recursion guard applies; p2: jump there on RAISE(IGNORE).",
)
Prev = _jump("Prev", "Cursor p1 to its previous row, likewise.")
LAST_INLINED = Prev

Noop = _plain("Noop", "Does nothing.")
Gosub = _jump("Gosub", "r[p1] = address of this instruction; jump to p2.")
Return = _plain("Return", "Continue behind the Gosub whose address is in r[p1].")
Once = _jump("Once", "Jump to p2 unless this is the first time in this run of the frame.")
HaltIfNull = _plain("HaltIfNull", "If r[p3] is NULL: as Halt with p1, p2, p4.")
InitCoroutine = _jump("InitCoroutine", "r[p1] = p3 (address of the coroutine's first instruction); jump to p2.")
Yield = _jump("Yield", "Swap the program counter with r[p1]; if the coroutine has ended: jump to p2.")
EndCoroutine = _plain(
    "EndCoroutine",
    "Ends the coroutine whose address register is p1: its next Yield jumps to that Yield's p2.",
)

Transaction = _plain(
    "Transaction",
    "p1 database, p2 0 read / 1 write, p3 expected schema cookie, p4 schema generation. Raises SchemaChanged.",
)
AutoCommit = _plain(
    "AutoCommit",
    "p1 1 = leave / 0 = enter a transaction; p2 1 = roll back; p3 0 deferred 1 immediate 2 exclusive (BEGIN).",
)
Savepoint = _plain("Savepoint", "p1 0 begin / 1 release / 2 rollback to; p4 name.")
HostCall = _plain(
    "HostCall",
    "p4 = (service name, constant arguments); p1..p2: r[p1..p2] further arguments; r[p3] = result if p3.",
)
HostRows = _plain(
    "HostRows",
    "As HostCall, but the result is an iterable of row tuples: cursor p3 becomes a list cursor over it.",
)

Integer = _plain("Integer", "r[p2] = p1.")
Constant = _plain("Constant", "r[p2] = p4.")
Null = _plain("Null", "r[p2..p3] = NULL (p3 registers from p2).")
SCopy = _plain("SCopy", "r[p2] = r[p1].")
Copy = _plain("Copy", "r[p2..p3] = r[p1..p3] (p3 registers).")
AddImm = _plain("AddImm", "r[p1] += p2 (both integers).")
MustBeInt = _jump(
    "MustBeInt",
    "Apply INTEGER affinity to r[p1]; if it is not an integer then: jump to p2, or datatype mismatch if p2 = 0.",
)

Add = _plain("Add", "r[p3] = r[p1] + r[p2].")
Subtract = _plain("Subtract", "r[p3] = r[p1] - r[p2].")
Multiply = _plain("Multiply", "r[p3] = r[p1] * r[p2].")
Divide = _plain("Divide", "r[p3] = r[p1] / r[p2].")
Remainder = _plain("Remainder", "r[p3] = r[p1] % r[p2].")
Concat = _plain("Concat", "r[p3] = r[p1] || r[p2].")
BitAnd = _plain("BitAnd", "r[p3] = r[p1] & r[p2].")
BitOr = _plain("BitOr", "r[p3] = r[p1] | r[p2].")
ShiftLeft = _plain("ShiftLeft", "r[p3] = r[p1] << r[p2].")
ShiftRight = _plain("ShiftRight", "r[p3] = r[p1] >> r[p2].")
Negative = _plain("Negative", "r[p3] = - r[p1].")
BitNot = _plain("BitNot", "r[p3] = ~ r[p1].")
Not = _plain("Not", "r[p3] = NOT r[p1].")
And = _plain("And", "r[p3] = r[p1] AND r[p2], three-valued.")
Or = _plain("Or", "r[p3] = r[p1] OR r[p2], three-valued.")
IsTrue = _plain(
    "IsTrue",
    "r[p3] = truth of r[p1] equals p2 (0 or 1); NULL counts as p4 (0 or 1); p5 = 1 negates the result.",
)
IsNullValue = _plain("IsNullValue", "r[p3] = 1 if r[p1] is NULL else 0.")
NotNullValue = _plain("NotNullValue", "r[p3] = 0 if r[p1] is NULL else 1.")
Cast = _plain("Cast", "r[p3] = CAST r[p1] to affinity p2.")
Affinity = _plain("Affinity", "Apply affinities in place: p4 = tuple of affinities for r[p1..len(p4)].")
ApplyAffinity = _plain("ApplyAffinity", "r[p3] = r[p1] with column affinity p2 applied.")
Function = _plain("Function", "r[p3] = call: p4 = (ScalarFunction, tuple of argument registers, Collation or None).")

EqResult = _plain("EqResult", "r[p3] = r[p1] = r[p2]; p4 collation, p5 affinity.")
NeResult = _plain("NeResult", "r[p3] = r[p1] <> r[p2].")
LtResult = _plain("LtResult", "r[p3] = r[p1] < r[p2].")
LeResult = _plain("LeResult", "r[p3] = r[p1] <= r[p2].")
GtResult = _plain("GtResult", "r[p3] = r[p1] > r[p2].")
GeResult = _plain("GeResult", "r[p3] = r[p1] >= r[p2].")
IsResult = _plain("IsResult", "r[p3] = r[p1] IS r[p2].")
IsNotResult = _plain("IsNotResult", "r[p3] = r[p1] IS NOT r[p2].")
AnyNull = _jump("AnyNull", "Jump to p2 if any of the registers in the tuple p4 is NULL.")
RowCompare = _plain(
    "RowCompare",
    "r[p3] = row-value comparison: p4 = (operator text, left registers, right registers, collations, affinities).",
)
InConstant = _plain(
    "InConstant",
    "r[p3] = r[p1] IN constant list: p4 = ConstantSet; p2 affinity applied to r[p1] (0 none); p5 = 1: NOT IN.",
)

IfPos = _jump("IfPos", "If r[p1] > 0: r[p1] -= p3 and jump to p2.")
IfNotZero = _jump("IfNotZero", "If r[p1] is not 0: decrement it when positive and jump to p2.")
DecrJumpZero = _jump("DecrJumpZero", "r[p1] -= 1; jump to p2 if it is now 0.")
OffsetLimit = _plain("OffsetLimit", "r[p2] = -1 if r[p1] (limit) < 0 else r[p1] + max(r[p3] (offset), 0).")

OpenRead = _plain(
    "OpenRead",
    "Open cursor p1 on the tree with root p2 of database p3; p4 = RowShape (table) or KeyShape (index). "
    "p5 = 1: p2 is a register.",
)
OpenWrite = _plain("OpenWrite", "As OpenRead, for writing.")
OpenList = _plain("OpenList", "Cursor p1 = empty list of rows (ephemeral table), p2 columns.")
OpenDup = _plain("OpenDup", "Cursor p1 = another cursor over the rows of list cursor p2.")
OpenTree = _plain(
    "OpenTree",
    "Cursor p1 = empty sorted in-memory tree of entries: p4 = KeyShape (ephemeral index, distinct keys).",
)
Close = _plain("Close", "Close cursor p1.")
Last = _jump("Last", "Cursor p1 to its last row, likewise.")
SeekRowid = _jump(
    "SeekRowid",
    "Table cursor p1 to rowid r[p4], r[p3..] = row; jump to p2 if there is none or it is not an integer.",
)
NotExists = _jump(
    "NotExists",
    "Table cursor p1 to rowid r[p3] (an integer); jump to p2 if there is none. Loads no row.",
)
SeekGE = _jump(
    "SeekGE",
    "Cursor p1 to the first row >= key, r[p3..] = row; jump to p2 if none. Table: p4 = register of the "
    "rowid. Index: p4 = tuple of registers.",
)
SeekGT = _jump("SeekGT", "First row > key, likewise.")
SeekLE = _jump("SeekLE", "Last row <= key, likewise (then Prev).")
SeekLT = _jump("SeekLT", "Last row < key, likewise.")
IdxGE = _jump(
    "IdxGE",
    "Jump to p2 if the entry of index cursor p1 >= the key in the registers p4 (tuple; prefix comparison).",
)
IdxGT = _jump("IdxGT", "Jump to p2 if entry > key.")
IdxLE = _jump("IdxLE", "Jump to p2 if entry <= key.")
IdxLT = _jump("IdxLT", "Jump to p2 if entry < key.")
DeferredSeek = _plain(
    "DeferredSeek",
    "Table cursor p1 to the rowid at the end of index cursor p2's entry, r[p3..] = row (corrupt index if it is missing).",
)
Found = _jump(
    "Found",
    "Jump to p2 if index cursor p1 has an entry with the prefix in registers p4. p3: load the entry.",
)
NotFound = _jump("NotFound", "Jump to p2 if it has none.")
NoConflict = _jump("NoConflict", "As NotFound; also jumps if any of the registers is NULL.")
IdxRowid = _plain("IdxRowid", "r[p2] = rowid at the end of index cursor p1's entry.")
Rowid = _plain("Rowid", "r[p2] = rowid of table cursor p1.")
Column = _plain("Column", "r[p3] = value p2 of cursor p1's current row.")
Count = _plain("Count", "r[p2] = number of entries of cursor p1's tree.")
NullRow = _plain("NullRow", "r[p3..p4] = NULL (p4 registers); cursor p1 stands on no row: Rowid gives NULL.")
ListAppend = _plain("ListAppend", "Append r[p2..p3] (or registers p4) to list cursor p1.")
TreeInsert = _jump(
    "TreeInsert",
    "Insert r[p2..p3] ... p4 = registers tuple into tree cursor p1; jump to p2 if the key was there already (0 = ignore).",
)
ListSort = _plain("ListSort", "Sort list cursor p1 by SortSpec p4.")

NewRowid = _plain(
    "NewRowid",
    "r[p2] = an unused rowid for table cursor p1; p3 register holding the largest ever (AUTOINCREMENT) or 0.",
)
Insert = _plain(
    "Insert",
    "Insert row r[p2..n] with rowid r[p3] into table cursor p1 (replaces an existing rowid); p4 = (n, "
    "table name or None, schema index); p5 flags, IN_PLACE: the cursor stands on the row with that rowid.",
)
Delete = _plain(
    "Delete",
    "Delete the row at table cursor p1 (p3 = 1: the entry at index cursor p1, for a WITHOUT ROWID table); "
    "p4 = (table name or None, schema index); p5 flags. The cursor may go on with Next.",
)
PreUpdate = _plain(
    "PreUpdate",
    "Tell the preupdate hook of a row that is about to change; p4 = (operation code, table name, schema index, registers of "
    "the old row or None, registers of the new row or None, old rowid's register or 0, new rowid's register or 0).",
)
IdxInsert = _plain(
    "IdxInsert",
    "Insert entry of registers p4 (tuple) into index cursor p1; p5 COUNT_CHANGE for WITHOUT ROWID tables.",
)
IdxDelete = _plain(
    "IdxDelete",
    "Delete the entry equal to registers p4 (tuple) from index cursor p1; p5 = 1: it is not an error if it is missing.",
)
IdxBuild = _plain(
    "IdxBuild",
    "Sort the rows of list cursor p2 by the KeyShape of index cursor p1 and insert them all into its empty tree; "
    "p3 > 0: the first p3 fields must be distinct (NULLs are), else raise CONSTRAINT_UNIQUE with message p4.",
)
AppendRows = _plain(
    "AppendRows",
    "Insert all rows of list cursor p2 into table cursor p1 with new rowids; p4 = (table name or None, schema index, tuple of "
    "column affinities or None); p5 flags as for Insert.",
)
InsertRows = _jump(
    "InsertRows",
    "Insert all rows of list cursor p3 into table cursor p1 and its indexes, as the RowsSpec p4 says, and jump to p2; p5 flags "
    "as for Insert. Do nothing and fall through where the rows have to be looked at one by one: a conflict, a NULL that is "
    "refused, a rowid that is no integer, somebody who wants to hear of each.",
)
DeleteRows = _plain(
    "DeleteRows",
    "Delete from table cursor p1 and its indexes the rows whose rowids are in the first column of list cursor p2 (as far as "
    "they are there); p4 = RowsSpec; p5 flags as for Delete.",
)
UpdateRows = _plain(
    "UpdateRows",
    "Replace rows of table cursor p1 that are there by those in list cursor p2 (stored row, then the rowid if no column holds "
    "it), and their entries in the indexes that RowsSpec p4 names, none of which is unique; p5 flags as for Insert.",
)
ConstantRows = _plain(
    "ConstantRows",
    "Cursor p1 = list cursor over the constant rows p4 (a tuple of tuples); p5 = 1: texts among them are in BINARY order.",
)
TypeCheck = _plain(
    "TypeCheck",
    "STRICT table: p4 = tuple of (declared type, column name, table name) for r[p1..]; raises CONSTRAINT_DATATYPE.",
)
ResetCount = _plain("ResetCount", "p1 = 1: add the frame's change count to changes(); 0: reset it.")
FkCounter = _plain("FkCounter", "p1 0 immediate / 1 deferred counter += p2; p5 = 1: += r[p2].")
FkIfZero = _jump("FkIfZero", "Jump to p2 if counter p1 (0 immediate, 1 deferred) is 0.")

CreateBtree = _plain("CreateBtree", "r[p2] = root page of a new tree in database p1; p3 1 = table / 2 = index.")
Destroy = _plain(
    "Destroy",
    "Drop the tree with root p1 of database p3; r[p2] = root that was moved into its place, or 0.",
)
Clear = _plain(
    "Clear",
    "Remove all rows of the tree with root p1 of database p2; if p3: r[p3] += rows removed; p5 COUNT_CHANGE.",
)
ReadCookie = _plain("ReadCookie", "r[p2] = header field p3 of database p1.")
SetCookie = _plain("SetCookie", "Header field p2 of database p1 = p3; p2 1 is the schema cookie.")
ParseSchema = _plain(
    "ParseSchema",
    "Read schema objects of database p1 again; p4 = None (all) or a tuple of (type, name, table, root register, sql) "
    "just written; the types 'drop table' (with its indexes and triggers; also views), 'drop index' and 'drop trigger' "
    "(root register 0, sql None) take an object away.",
)

HashOpen = _plain("HashOpen", "Cursor p1 = empty hash table; p4 = HashSpec(key collations, track matches).")
HashInsert = _plain(
    "HashInsert",
    "Add a row to hash table p1: key = registers p4 (tuple), row = r[p2..p3]. Keys with NULL are kept but never match.",
)
HashSort = _plain("HashSort", "Sort the rows that share a key of hash table p1 by SortSpec p4, once all are there.")
HashProbe = _jump(
    "HashProbe",
    "Cursor p1 to the first row whose key equals registers p4, r[p3..] = row; jump to p2 if none.",
)
HashMark = _plain("HashMark", "Note that the current row of hash cursor p1 has found a partner.")
HashUnmatched = _jump(
    "HashUnmatched",
    "Cursor p1 to the first row without a partner, r[p3..] = row; jump to p2 if none. Next goes on among these.",
)

SorterOpen = _plain(
    "SorterOpen",
    "Cursor p1 = sorter; p4 = SortSpec; p2 register of a row limit (0 or a negative value: none).",
)
SorterInsert = _plain("SorterInsert", "Add registers p4 (tuple) or r[p2..p3] to sorter p1.")
SorterSort = _jump("SorterSort", "Sort; r[p3..] = first row; jump to p2 if empty. Next goes on.")

GroupOpen = _plain("GroupOpen", "Cursor p1 = grouping table; p4 = GroupSpec.")
GroupStep = _plain(
    "GroupStep",
    "Feed the current registers to grouping table p1 (key, aggregate calls and bare registers as its GroupSpec says).",
)
GroupRewind = _jump(
    "GroupRewind",
    "Finish; r[p3..] = first group's (keys, results, bare values) in key order; jump to p2 if there is none. Next goes on.",
)

SetOpen = _plain("SetOpen", "Cursor p1 = empty set of rows; p4 = tuple of collations.")
SetInsert = _jump(
    "SetInsert",
    "Add registers p4 (tuple) to set p1; jump to p2 if an equal row was there (p2 = 0: go on); p5 = 1: the new row takes "
    "the place of an equal one.",
)
SetDelete = _plain("SetDelete", "Remove the row equal to registers p4 from set p1.")
SetFound = _jump("SetFound", "Jump to p2 if set p1 has a row equal to registers p4.")
SetNotFound = _jump("SetNotFound", "Jump to p2 if it has none.")
SetSort = _plain(
    "SetSort",
    "Set p1's rows in sorted order from now on; Rewind and Next walk them. p4 = SortSpec or None (all columns ascending).",
)
InSet = _plain(
    "InSet",
    "r[p3] = registers p4 IN set p1 with SQL's NULL rules; p5 = 1: NOT IN; p2 = tuple of affinities or None.",
)

MemoOpen = _plain("MemoOpen", "Cursor p1 = empty memo (results by key).")
MemoGet = _jump("MemoGet", "If memo p1 knows the key in registers p4: r[p3] = result, jump to p2.")
MemoPut = _plain("MemoPut", "memo p1[registers p4] = r[p3].")

QueueOpen = _plain(
    "QueueOpen",
    "Cursor p1 = queue of rows for a recursive CTE; p4 = SortSpec or None (first in, first out).",
)
QueueInsert = _plain("QueueInsert", "Add registers p4 (tuple) to queue p1.")
QueueNext = _jump("QueueNext", "Take the next row of queue p1 into r[p3..]; jump to p2 if it is empty.")

WindowOpen = _plain("WindowOpen", "Cursor p1 = window computation; p4 = WindowSpec.")
WindowStep = _plain("WindowStep", "Add the registers named by the WindowSpec as one row to window cursor p1.")
WindowRewind = _jump(
    "WindowRewind",
    "Compute; r[p3..] = first row with its window results; jump to p2 if empty. Next goes on.",
)

ListValues = _plain("ListValues", "r[p3] = the values of the one-column list cursor p1 as a tuple, for a virtual table's scan.")
VUpdate = _plain(
    "VUpdate",
    "Change a virtual table: p4 = (database, table name, registers tuple, assigned columns or None); one register deletes that "
    "rowid, else old rowid or NULL, new rowid, columns; r[p3] = rowid of a new row; p2 conflict action; p5 COUNT_CHANGE.",
)

ON_CONFLICT_NONE = 0
ON_CONFLICT_ROLLBACK = 1
ON_CONFLICT_ABORT = 2
ON_CONFLICT_FAIL = 3
ON_CONFLICT_IGNORE = 4
ON_CONFLICT_REPLACE = 5

OPCODE_BY_NAME: dict[str, int] = {contract.name: contract.code for contract in CONTRACTS}
JUMPS: frozenset[int] = frozenset(contract.code for contract in CONTRACTS if contract.jumps)
