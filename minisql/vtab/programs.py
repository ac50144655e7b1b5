"""bytecode and tables_used: the instructions of a statement, and the trees that it reads and writes.

Both are called with the text of a statement, of which only the first one counts; it is compiled, not run, so `nexec` and
`ncycle` are 0.  Sub-programs follow the statement's own program: `subprog` is the trigger's name, or "(FK)".  A tree that a
program opens more than once has one row, and is written if any of its cursors writes.

Source: https://www.sqlite.org/bytecodevtab.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.bytecode.listing import instruction_rows
from minisql.bytecode.opcodes import Clear, OpenRead, OpenWrite
from minisql.errors import ERROR, sqlite_error
from minisql.vtab.table_function import FunctionTable, TableFunction

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.vtab.host import VtabHost
    from minisql.vtab.protocol import IndexInfo, Module, Value, VirtualTable

_BYTECODE = ("addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment", "subprog", "nexec", "ncycle")
_TABLES_USED = ("type", "schema", "name", "wr", "subprog")


class _ProgramFunction(TableFunction):
    """A function of one statement."""

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Declares the columns with SQLite's types."""
        texts = {"opcode", "p4", "comment", "subprog", "type", "schema", "name"}
        columns = ", ".join(f"{name} {'TEXT' if name in texts else 'INT'}" for name in self.columns)
        return f"CREATE TABLE x({columns}, stmt HIDDEN)", _ProgramTable(self, owner)


class _ProgramTable(FunctionTable):
    """The table of a function that has no plan without its argument."""

    def best_index(self, info: IndexInfo) -> bool | None:
        """As for every function, but a statement has to be given."""
        possible = super().best_index(info)
        if possible is False or not any(constraint.argument for constraint in info.constraints):
            return False
        info.estimated_cost, info.estimated_rows = 100.0, 100
        return possible


def make_module(name: str) -> Module:
    """The module bytecode or tables_used."""
    if name == "bytecode":
        return _ProgramFunction(_BYTECODE, ("stmt",), _instructions, first_rowid=1)
    return _ProgramFunction(_TABLES_USED, ("stmt",), _trees, first_rowid=1)


def _programs(host: VtabHost, name: str, text: Value) -> Iterator[tuple[str | None, Program]]:
    programs = host.compiled_programs(text) if isinstance(text, str) else None
    if programs is None:
        raise sqlite_error(ERROR, f"argument to {name}() is not a valid SQL statement")
    return iter(programs)


def _instructions(host: VtabHost, arguments: list[Any], n_given: int) -> Iterable[tuple[Value, ...]]:
    for label, program in _programs(host, "bytecode", arguments[0]):
        for row in instruction_rows(program):
            yield (*row, label, 0, 0)


def _trees(host: VtabHost, arguments: list[Any], n_given: int) -> Iterable[tuple[Value, ...]]:
    for label, program in _programs(host, "tables_used", arguments[0]):
        written: dict[tuple[int, int], int] = {}
        for opcode, p1, p2, p3, _p4, p5 in program.code:
            if opcode == Clear:
                tree, is_written = (p2, p1), 1
            elif opcode in (OpenRead, OpenWrite) and not p5:
                tree, is_written = (p3, p2), int(opcode == OpenWrite)
            else:
                continue
            written[tree] = written.get(tree, 0) | is_written
        for (database, root_page), is_written in written.items():
            found = host.tree_owner(database, root_page)
            if found is not None:
                yield (*found, is_written, label)
