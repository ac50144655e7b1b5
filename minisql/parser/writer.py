"""Expressions, queries and changes back to SQL text; `schema_writer` adds the other statements, `unparse` is the way in.

Keywords are upper case, names are quoted only where they must be, and parentheses stand only where precedence needs them.
Operator chains are written by a loop; other nesting continues on a fresh stack every few dozen levels.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from minisql import limits
from minisql.parser import ast
from minisql.parser import tokens as k

# Every character but those of ASCII that no name has: a set with ranges beyond ASCII takes 7 ms to compile.
_PLAIN_NAME = re.compile(r"(?!\ufeff)[^\x00-@\[-^`{-\x7f][^\x00-#%-/:-@\[-^`{-\x7f]*")
_LEVELS_PER_STACK = 60

_ATOM = 100
_LEVELS = {text: k.PRECEDENCE[kind] for kind, text in enumerate(k.OPERATOR_TEXT) if text} | {"IS NOT": 4}
_Writer = Callable[[Any, int], str]


def quote_name(name: str) -> str:
    """Returns a name as it must be written: in double quotes unless it is a plain word that is no keyword."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in k.KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal_text(value: ast.SqlValue) -> str:
    """Returns a value as a literal.  Infinities are written as numbers too large for a real."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            return "9e999" if value > 0 else "-9e999"
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    return str(value)


def write(node: object, depth: int) -> str:
    """Returns the text of any node; `depth` counts the nodes around it."""
    writer = WRITERS[type(node)]
    if depth % _LEVELS_PER_STACK == _LEVELS_PER_STACK - 1:
        return limits.call_on_fresh_stack(writer, node, depth + 1)
    return writer(node, depth + 1)


def write_list(nodes: Sequence[object], depth: int) -> str:
    """Returns the texts of nodes with commas between them."""
    return ", ".join([write(node, depth) for node in nodes])


def name_list(names: Sequence[str]) -> str:
    """Returns names, quoted where needed, with commas between them."""
    return ", ".join([quote_name(name) for name in names])


def qualified(schema: str | None, name: str) -> str:
    """Returns `schema.name`, or `name` alone."""
    return f"{quote_name(schema)}.{quote_name(name)}" if schema is not None else quote_name(name)


def _level(node: ast.Expression) -> int:
    """Returns how tight the outermost operator of an expression binds."""
    kind = type(node)
    if kind is ast.Binary:
        return _LEVELS[node.operator]  # type: ignore[attr-defined]
    if kind is ast.Literal:
        value = node.value  # type: ignore[attr-defined]
        return k.PRECEDENCE_PREFIX if isinstance(value, (int, float)) and str(value)[0] == "-" else _ATOM
    if kind is ast.Unary:
        return k.PRECEDENCE_NOT if node.operator == "NOT" else k.PRECEDENCE_PREFIX  # type: ignore[attr-defined]
    return _NODE_LEVELS.get(kind, _ATOM)


_NODE_LEVELS: dict[type, int] = {
    ast.Or: 1,
    ast.And: 2,
    ast.IsNull: 4,
    ast.NotNull: 4,
    ast.Between: 4,
    ast.InList: 4,
    ast.InSelect: 4,
    ast.InTable: 4,
    ast.Like: 4,
    ast.Collate: 11,
}


def _operand(node: ast.Expression, level: int, depth: int) -> str:
    """Writes an operand, in parentheses if it binds less tight than `level`."""
    text = write(node, depth)
    return text if _level(node) >= level else f"({text})"


def _column(node: ast.Column, depth: int) -> str:
    if node.is_double_quoted:
        return '"' + node.name.replace('"', '""') + '"'
    prefix = ""
    if node.schema is not None:
        prefix = quote_name(node.schema) + "."
    if node.table is not None:
        prefix += quote_name(node.table) + "."
    return prefix + _unquoted_column(node.name) if not prefix else prefix + quote_name(node.name)


def _unquoted_column(name: str) -> str:
    """Quotes an unqualified column with backquotes: double quotes would make it a string where no column matches."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in k.KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def _variable(node: ast.Variable, depth: int) -> str:
    return node.name or "?"


def _unary(node: ast.Unary, depth: int) -> str:
    if node.operator == "NOT":
        return "NOT " + _operand(node.operand, k.PRECEDENCE_NOT, depth)
    text = _operand(node.operand, k.PRECEDENCE_PREFIX, depth)
    if type(node.operand) is ast.Literal and isinstance(node.operand.value, (int, float)):
        return f"{node.operator}({text})"
    return node.operator + (" " if text[0] in "-+" else "") + text


def _binary(node: ast.Binary, depth: int) -> str:
    """Writes a left-deep chain of operators from the right end to the left."""
    pieces: list[str] = []
    current: ast.Expression = node
    n_open = 0
    while isinstance(current, ast.Binary):
        level = _LEVELS[current.operator]
        pieces.append(_operand(current.right, level + 1, depth))
        pieces.append(f" {current.operator} ")
        left = current.left
        if isinstance(left, ast.Binary) and _LEVELS[left.operator] < level:
            pieces.append(")")
            n_open += 1
        elif not isinstance(left, ast.Binary):
            pieces.append(_operand(left, level, depth))
        current = left
    pieces.append("(" * n_open)
    return "".join(reversed(pieces))


def _chain(word: str, level: int) -> _Writer:
    def write_chain(node: ast.And | ast.Or, depth: int) -> str:
        terms = [_operand(node.terms[0], level + 1, depth)]
        terms += [_operand(term, level + 1, depth) for term in node.terms[1:]]
        return f" {word} ".join(terms)

    return write_chain


def _not(node: Any) -> str:
    return "NOT " if node.is_negated else ""


def _between(node: ast.Between, depth: int) -> str:
    low = _operand(node.low, 5, depth)
    return f"{_operand(node.operand, 4, depth)} {_not(node)}BETWEEN {low} AND {_operand(node.high, 5, depth)}"


def _in_list(node: ast.InList, depth: int) -> str:
    return f"{_operand(node.operand, 4, depth)} {_not(node)}IN ({write_list(node.items, depth)})"


def _in_select(node: ast.InSelect, depth: int) -> str:
    return f"{_operand(node.operand, 4, depth)} {_not(node)}IN ({write(node.select, depth)})"


def _in_table(node: ast.InTable, depth: int) -> str:
    arguments = "" if node.arguments is None else f"({write_list(node.arguments, depth)})"
    return f"{_operand(node.operand, 4, depth)} {_not(node)}IN {qualified(node.schema, node.name)}{arguments}"


def _like(node: ast.Like, depth: int) -> str:
    text = f"{_operand(node.operand, 4, depth)} {_not(node)}{node.operator} {_operand(node.pattern, 5, depth)}"
    return text if node.escape is None else f"{text} ESCAPE {_operand(node.escape, 5, depth)}"


def _case(node: ast.Case, depth: int) -> str:
    text = "CASE" if node.operand is None else f"CASE {write(node.operand, depth)}"
    for when, then in node.whens:
        text += f" WHEN {write(when, depth)} THEN {write(then, depth)}"
    return text + (" END" if node.otherwise is None else f" ELSE {write(node.otherwise, depth)} END")


def _call(node: ast.FunctionCall, depth: int) -> str:
    distinct = "DISTINCT " if node.is_distinct else ""
    arguments = "*" if node.is_star else distinct + write_list(node.arguments, depth)
    text = f"{quote_name(node.name)}({arguments}{_order_by(node.order_by, depth)})"
    if node.filter is not None:
        text += f" FILTER (WHERE {write(node.filter, depth)})"
    if isinstance(node.over, str):
        text += f" OVER {node.over}"
    elif node.over is not None:
        text += f" OVER ({write(node.over, depth)})"
    return text


def _raise(node: ast.Raise, depth: int) -> str:
    return f"RAISE({node.action})" if node.message is None else f"RAISE({node.action}, {write(node.message, depth)})"


def _order_by(terms: Sequence[ast.OrderingTerm] | None, depth: int) -> str:
    return f" ORDER BY {write_list(terms, depth)}" if terms else ""


def _ordering_term(node: ast.OrderingTerm, depth: int) -> str:
    text = write(node.expression, depth) + (" DESC" if node.is_descending else "")
    return text if node.nulls is None else f"{text} NULLS {node.nulls}"


def _frame_bound(node: ast.FrameBound, depth: int) -> str:
    return node.kind if node.expression is None else f"{write(node.expression, depth)} {node.kind}"


def _frame(node: ast.Frame, depth: int) -> str:
    text = f"{node.unit} BETWEEN {write(node.start, depth)} AND {write(node.end, depth)}"
    return text if node.exclude is None else f"{text} EXCLUDE {node.exclude}"


def _window(node: ast.Window, depth: int) -> str:
    parts = [node.base] if node.base is not None else []
    if node.partition_by:
        parts.append(f"PARTITION BY {write_list(node.partition_by, depth)}")
    if node.order_by:
        parts.append(_order_by(node.order_by, depth).strip())
    if node.frame is not None:
        parts.append(write(node.frame, depth))
    return " ".join(parts)


def _result_column(node: ast.ResultColumn, depth: int) -> str:
    text = write(node.expression, depth)
    return text if node.alias is None else f"{text} AS {quote_name(node.alias)}"


def _common_table(node: ast.CommonTable, depth: int) -> str:
    columns = "" if node.columns is None else f"({name_list(node.columns)})"
    hint = {None: "", True: "MATERIALIZED ", False: "NOT MATERIALIZED "}[node.materialized]
    return f"{quote_name(node.name)}{columns} AS {hint}({write(node.select, depth)})"


def _with(node: ast.With | None, depth: int) -> str:
    if node is None:
        return ""
    return f"WITH {'RECURSIVE ' if node.is_recursive else ''}{write_list(node.tables, depth)} "


def _sources(items: Sequence[ast.FromItem], depth: int) -> str:
    text = ""
    for i, item in enumerate(items):
        join = item.join
        if i:
            text += ", " if join is None else f" {_join_words(join.flags)}JOIN "
        text += write(item, depth)
        if join is not None and join.on is not None:
            text += f" ON {write(join.on, depth)}"
        elif join is not None and join.using is not None:
            text += f" USING ({name_list(join.using)})"
    return text


def _join_words(flags: int) -> str:
    words = "NATURAL " if flags & ast.JOIN_NATURAL else ""
    if flags & ast.JOIN_LEFT and flags & ast.JOIN_RIGHT:
        return words + "FULL "
    for flag, word in ((ast.JOIN_LEFT, "LEFT "), (ast.JOIN_RIGHT, "RIGHT "), (ast.JOIN_CROSS, "CROSS ")):
        if flags & flag:
            return words + word
    return words + ("INNER " if flags & ast.JOIN_INNER else "")


def _alias(alias: str | None) -> str:
    return "" if alias is None else f" AS {quote_name(alias)}"


def _table_source(node: ast.TableSource, depth: int) -> str:
    text = qualified(node.schema, node.name) + _alias(node.alias)
    if node.indexed_by is not None:
        return f"{text} INDEXED BY {quote_name(node.indexed_by)}"
    return text + (" NOT INDEXED" if node.is_not_indexed else "")


def _function_source(node: ast.FunctionSource, depth: int) -> str:
    return f"{qualified(node.schema, node.name)}({write_list(node.arguments, depth)}){_alias(node.alias)}"


def _subquery_source(node: ast.SubquerySource, depth: int) -> str:
    return f"({write(node.select, depth)}){_alias(node.alias)}"


def _join_source(node: ast.JoinSource, depth: int) -> str:
    return f"({_sources(node.sources, depth)}){_alias(node.alias)}"


def _core(node: ast.Core, depth: int) -> str:
    text = f"SELECT {'DISTINCT ' if node.is_distinct else ''}{write_list(node.columns, depth)}"
    if node.sources:
        text += f" FROM {_sources(node.sources, depth)}"
    text += where(node.where, depth)
    if node.group_by:
        text += f" GROUP BY {write_list(node.group_by, depth)}"
    if node.having is not None:
        text += f" HAVING {write(node.having, depth)}"
    if node.windows:
        windows = [f"{window.name} AS ({write(window, depth)})" for window in node.windows]
        text += f" WINDOW {', '.join(windows)}"
    return text


def _values(node: ast.Values, depth: int) -> str:
    return "VALUES " + ", ".join([f"({write_list(row, depth)})" for row in node.rows])


def where(condition: ast.Expression | None, depth: int) -> str:
    """Returns ` WHERE condition`, or nothing."""
    return "" if condition is None else f" WHERE {write(condition, depth)}"


def _limit(limit: ast.Expression | None, offset: ast.Expression | None, depth: int) -> str:
    text = "" if limit is None else f" LIMIT {write(limit, depth)}"
    return text if offset is None else f"{text} OFFSET {write(offset, depth)}"


def _select(node: ast.Select, depth: int) -> str:
    text = _with(node.with_clause, depth) + write(node.cores[0], depth)
    for operator, core in zip(node.operators, node.cores[1:]):
        text += f" {operator} {write(core, depth)}"
    return text + _order_by(node.order_by, depth) + _limit(node.limit, node.offset, depth)


def _returning(columns: Sequence[object] | None, depth: int) -> str:
    return "" if columns is None else f" RETURNING {write_list(columns, depth)}"


def _conflict(conflict: str | None) -> str:
    return "" if conflict is None else f" OR {conflict}"


def _insert(node: ast.Insert, depth: int) -> str:
    target = write(node.target, depth)
    columns = "" if node.columns is None else f" ({name_list(node.columns)})"
    rows = "DEFAULT VALUES" if node.select is None else write(node.select, depth)
    upserts = "".join([" " + write(upsert, depth) for upsert in node.upserts])
    start = f"{_with(node.with_clause, depth)}INSERT{_conflict(node.conflict)} INTO {target}{columns} {rows}"
    return start + upserts + _returning(node.returning, depth)


def _upsert(node: ast.Upsert, depth: int) -> str:
    text = "ON CONFLICT"
    if node.target is not None:
        text += f" ({write_list(node.target, depth)}){where(node.target_where, depth)}"
    if node.assignments is None:
        return text + " DO NOTHING"
    return f"{text} DO UPDATE SET {write_list(node.assignments, depth)}{where(node.where, depth)}"


def _assignment(node: ast.Assignment, depth: int) -> str:
    columns = f"({name_list(node.columns)})" if node.is_row else quote_name(node.columns[0])
    return f"{columns} = {write(node.expression, depth)}"


def _update(node: ast.Update, depth: int) -> str:
    text = f"{_with(node.with_clause, depth)}UPDATE{_conflict(node.conflict)} {write(node.target, depth)}"
    text += f" SET {write_list(node.assignments, depth)}"
    if node.sources:
        text += f" FROM {_sources(node.sources, depth)}"
    text += where(node.where, depth) + _returning(node.returning, depth)
    return text + _order_by(node.order_by, depth) + _limit(node.limit, node.offset, depth)


def _delete(node: ast.Delete, depth: int) -> str:
    text = f"{_with(node.with_clause, depth)}DELETE FROM {write(node.target, depth)}"
    text += where(node.where, depth) + _returning(node.returning, depth)
    return text + _order_by(node.order_by, depth) + _limit(node.limit, node.offset, depth)


def _parenthesised(node: Any, depth: int) -> str:
    return f"({write(node.select, depth)})"


WRITERS: dict[type, _Writer] = {
    ast.Literal: lambda node, depth: literal_text(node.value),
    ast.Column: _column,
    ast.CurrentTime: lambda node, depth: node.keyword,
    ast.Variable: _variable,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.And: _chain("AND", 2),
    ast.Or: _chain("OR", 1),
    ast.IsNull: lambda node, depth: f"{_operand(node.operand, 4, depth)} ISNULL",
    ast.NotNull: lambda node, depth: f"{_operand(node.operand, 4, depth)} NOTNULL",
    ast.Between: _between,
    ast.InList: _in_list,
    ast.InSelect: _in_select,
    ast.InTable: _in_table,
    ast.Like: _like,
    ast.Case: _case,
    ast.Cast: lambda node, depth: f"CAST({write(node.operand, depth)} AS {node.type_name})",
    ast.Collate: lambda node, depth: f"{_operand(node.operand, 11, depth)} COLLATE {quote_name(node.collation)}",
    ast.FunctionCall: _call,
    ast.RowValue: lambda node, depth: f"({write_list(node.items, depth)})",
    ast.Exists: lambda node, depth: f"EXISTS ({write(node.select, depth)})",
    ast.ScalarSubquery: _parenthesised,
    ast.Raise: _raise,
    ast.OrderingTerm: _ordering_term,
    ast.FrameBound: _frame_bound,
    ast.Frame: _frame,
    ast.Window: _window,
    ast.ResultColumn: _result_column,
    ast.Star: lambda node, depth: "*",
    ast.TableStar: lambda node, depth: f"{quote_name(node.table)}.*",
    ast.CommonTable: _common_table,
    ast.TableSource: _table_source,
    ast.FunctionSource: _function_source,
    ast.SubquerySource: _subquery_source,
    ast.JoinSource: _join_source,
    ast.Core: _core,
    ast.Values: _values,
    ast.Select: _select,
    ast.Insert: _insert,
    ast.Upsert: _upsert,
    ast.Assignment: _assignment,
    ast.Update: _update,
    ast.Delete: _delete,
}
"""The function that writes a node, by its class."""
