"""The wording of EXPLAIN QUERY PLAN.

Source: https://www.sqlite.org/eqp.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.parser import ast
from minisql.planner.access import BY_HASH, BY_INDEX, BY_OR, BY_ROWID, BY_ROWS, Access
from minisql.planner.query_blocks import NESTED, RECURSION, SUBQUERY
from minisql.planner.scope import ROWID
from minisql.planner.virtual_tables import VirtualAccess
from minisql.planner.walking import CHILDREN

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Input
    from minisql.planner.terms import Candidate


def number_selects(statement: object) -> dict[int, int]:
    """Numbers of all SELECTs of a statement by id() of the cores and (as their last core) of the whole: inner ones first."""
    numbers: dict[int, int] = {}
    pending: list[tuple[object, bool]] = [(statement, False)]
    count = 0
    while pending:
        node, is_done = pending.pop()
        if is_done:
            if isinstance(node, (ast.Core, ast.Values)):
                count += 1
                numbers[id(node)] = count
            elif isinstance(node, ast.Select):
                numbers[id(node)] = numbers[id(node.cores[-1])]
            continue
        if isinstance(node, (ast.Core, ast.Values, ast.Select)):
            pending.append((node, True))
        pending.extend((child, False) for child in reversed(CHILDREN[node.__class__](node)))
    return numbers


def tree_order(rows: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """The rows with every row's children right behind it."""
    children: dict[int, list[tuple[int, int, int, str]]] = {}
    for row in rows:
        children.setdefault(row[1], []).append(row)
    ordered = []
    pending = children.get(0, [])[::-1]
    while pending:
        row = pending.pop()
        ordered.append(row)
        pending.extend(children.get(row[0], [])[::-1])
    return ordered


def source_name(compiler: Compiler, made: Input) -> str:
    """The name of an input: its alias, or `(subquery-N)`."""
    name = made.source.alias or made.label
    if name or made.select is None:
        return name
    return f"(subquery-{compiler.select_number(made.select.node)})"


def set_up_name(compiler: Compiler, made: Input) -> str:
    """The name of an input where its rows are made: a view or common table under its own name."""
    return made.label or source_name(compiler, made)


def describe_access(compiler: Compiler, access: Access) -> str:
    """The detail of one loop; '' if the loop has no line of its own."""
    made = access.input
    name = source_name(compiler, made)
    suffix = " LEFT-JOIN" if made.join_flags & ast.JOIN_LEFT else ""
    if access.kind == BY_ROWS:
        if isinstance(access, VirtualAccess):
            info = access.info
            number = f"0x{info.index_number:x}" if info.shows_hex else str(info.index_number)
            return f"SCAN {name} VIRTUAL TABLE INDEX {number}:{info.index_string or ''}{suffix}"
        if made.kind in (SUBQUERY, RECURSION, NESTED):
            return f"SCAN {name}{suffix}"
    if access.kind == BY_HASH:
        keys = " AND ".join(f"{_column(candidate)}=?" for candidate in access.hash_terms)
        return f"SEARCH {name} USING AUTOMATIC COVERING INDEX ({keys}){suffix}"
    if access.kind == BY_OR:
        return "MULTI-INDEX OR"
    if access.kind == BY_ROWID:
        return f"SEARCH {name} USING INTEGER PRIMARY KEY ({_rowid_terms(access)}){suffix}"
    index = access.index
    verb = "SEARCH" if access.is_extreme else "SCAN"
    if index is None:
        return f"{verb} {name}{suffix}"
    terms = index_terms(access)
    if index.is_clustered:
        return f"SEARCH {name} USING PRIMARY KEY ({terms}){suffix}" if terms else f"{verb} {name}{suffix}"
    kind = "COVERING INDEX" if access.is_covering else "INDEX"
    if terms:
        return f"SEARCH {name} USING {kind} {index.name} ({terms}){suffix}"
    return f"{verb} {name} USING {kind} {index.name}{suffix}"


def _rowid_terms(access: Access) -> str:
    parts = []
    if access.equal:
        parts.append("rowid=?")
    if access.lower is not None:
        parts.append("rowid>?")
    if access.upper is not None:
        parts.append("rowid<?")
    return " AND ".join(parts)


def index_terms(access: Access) -> str:
    """`a=? AND b>?`."""
    index = access.index
    assert index is not None, "the access has an index"
    parts = []
    names = []
    for column in index.columns:
        if column.position == ROWID:
            names.append("rowid")
        elif column.position < 0:
            names.append("<expr>")
        else:
            names.append(index.table.columns[column.position].name)
    for number in range(len(access.equal)):
        parts.append(f"{names[number]}=?")
    if access.lower is not None:
        parts.append(f"{names[len(access.equal)]}>?")
    if access.upper is not None:
        parts.append(f"{names[len(access.equal)]}<?")
    return " AND ".join(parts)


def _column(candidate: Candidate) -> str:
    position = candidate.position
    if position is None or position == ROWID:
        return "rowid"
    return candidate.source.columns[position].name


__all__ = ["BY_INDEX"]
