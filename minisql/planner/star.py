"""`*` and `table.*`: which columns they stand for and how these are named, also below parentheses in FROM.

A join in parentheses that is not the beginning of FROM is a table of its own for SQLite: the columns of its USING come first
and hide those that they merge, names that occur twice get numbers (`y:1`), and that is how results show them.  `NestedNames`
says so for the run of sources that such a join puts into the scope around it.

Source: https://www.sqlite.org/lang_select.html, and SQLite 3.54.1's answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.errors import ERROR, sqlite_error
from minisql.parser import ast
from minisql.planner.nodes import SourceColumn
from minisql.planner.query_blocks import Result
from minisql.planner.read_authorization import authorize_read
from minisql.planner.scope import ROWID, NestedNames, find_in_scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minisql.planner.compiler import Compiler
    from minisql.planner.query_blocks import Block
    from minisql.planner.scope import Scope, Source


def expand_star(compiler: Compiler, block: Block, table: str | None, position: int) -> None:
    """Appends the columns of `*` (or of `table.*`) to the block's results."""
    scope = block.scope
    if not scope.sources:
        raise sqlite_error(ERROR, "no tables specified" if table is None else f"no such table: {table}")
    lowered = table.lower() if table is not None else None
    done = False
    taken: set[str] = set()
    nested = scope.nested or {}
    for number, source in enumerate(scope.sources):
        if lowered is None and scope.nested is not None:
            _expand_merged(scope, block, number, taken)
        if source.is_qualified_only or (lowered is not None and source.name != lowered):
            continue
        done = True
        if number in nested:
            _refuse_twins(scope, nested[number])
        _expand_source(compiler, block, number, lowered is None, taken)
    if not done:
        raise sqlite_error(ERROR, f"no such table: {table}")


def _expand_source(compiler: Compiler, block: Block, number: int, merges: bool, taken: set[str]) -> None:
    scope = block.scope
    source = scope.sources[number]
    twins = _namesakes(scope, number) if len(scope.sources) > 1 and source.name else []
    for column_number, column in enumerate(source.columns):
        if column.hidden == 1:
            continue
        if twins:
            _refuse_namesake(scope, twins, number, column.name)
        if merges and scope.merged is not None:
            name = column.name.lower()
            merged = scope.merged.get(name)
            if merged is not None and number in merged[2] and source.positions.get(name) == column_number:
                if name not in taken:
                    taken.add(name)
                    expression: ast.Expression = SourceColumn(merged[0], merged[1])
                    if compiler.authorized is not None and not authorize_read(compiler, expression, *merged[:2], scope):
                        expression = ast.Literal(None)
                    block.results.append(Result(expression, column.name, None))
                continue
        name = column.name if source.shown is None else source.shown[column_number]
        result = Result(SourceColumn(source, column_number), name, None)
        if compiler.authorized is not None:
            if not authorize_read(compiler, result.expression, source, column_number, scope):
                result.expression = ast.Literal(None)
        block.results.append(result)


def _expand_merged(scope: Scope, block: Block, number: int, taken: set[str]) -> None:
    """The USING columns of a parenthesised join that stand before the columns of source `number`."""
    for names in (scope.nested or {}).values():
        for before, name, shown in names.merged:
            lowered = name.lower()
            if before != number or lowered in taken or scope.merged is None:
                continue
            taken.add(lowered)
            source, position, _, _ = scope.merged[lowered]
            block.results.append(Result(SourceColumn(source, position), shown, None))


def _refuse_twins(scope: Scope, names: NestedNames) -> None:
    """A parenthesised join under an alias that is all of FROM: its columns are looked up by their bare names."""
    if names.n_sources < sum(1 for source in scope.sources if not source.is_qualified_only):
        return
    for source in scope.sources:
        for column in source.columns:
            if find_in_scope(scope, column.name.lower(), None, None)[0] > 1 and not source.is_qualified_only:
                raise sqlite_error(ERROR, f"ambiguous column name: {column.name}")


def _namesakes(scope: Scope, number: int) -> list[int]:
    """The other sources that `*` names like source `number`: by the same name in one schema (none for subqueries)."""
    source = scope.sources[number]
    return [
        place
        for place, other in enumerate(scope.sources)
        if place != number and other.name == source.name and other.schema_name == source.schema_name
    ]


def _refuse_namesake(scope: Scope, twins: list[int], number: int, column: str) -> None:
    """Raises for a column that a namesake has, too, unless the later of both joins USING it."""
    name = column.lower()
    joined = scope.merged[name][2] if scope.merged is not None and name in scope.merged else frozenset()
    if any(name in scope.sources[place].positions and max(place, number) not in joined for place in twins):
        source = scope.sources[number]
        raise sqlite_error(ERROR, f"ambiguous column name: {source.schema_name or '*'}.{source.alias}.{column}")


def name_nested(scope: Scope, first: int, inner: Scope) -> None:
    """Names the columns of a parenthesised join whose sources stand in `scope` from `first` on."""
    names = NestedNames(sum(1 for source in inner.sources if not source.is_qualified_only))
    plain: list[tuple[Source | None, int, str]] = []
    done: set[str] = set()
    for number, source in enumerate(inner.sources):
        if source.is_qualified_only:
            continue
        for name in _merged_before(inner, number, done):
            names.merged.append((first + number, name, ""))
            plain.append((None, len(names.merged) - 1, name))
        for position, column in enumerate(source.columns):
            plain.append((source, position, column.name if source.shown is None else source.shown[position]))
        if source.has_rowid:
            plain.append((source, ROWID, "_ROWID_"))
    for source in inner.sources:
        source.shown = {}
    for (holder, position, _), shown in zip(plain, unique_names([name for _, _, name in plain])):
        if holder is None:
            before, name, _ = names.merged[position]
            names.merged[position] = (before, name, shown)
        elif holder.shown is not None:
            holder.shown[position] = shown
    if scope.nested is None:
        scope.nested = {}
    scope.nested[first] = names


def _merged_before(inner: Scope, number: int, done: set[str]) -> list[str]:
    """The merged names that stand before the columns of source `number`: those that its right neighbour joins on."""
    found = []
    for name, (_, _, taken, _) in (inner.merged or {}).items():
        if name not in done and number + 1 in taken and min(taken) <= number:
            done.add(name)
            holder = inner.sources[min(taken)]
            if find_in_scope(inner, name, None, None)[0] > 1:
                raise sqlite_error(ERROR, f"ambiguous column name: {holder.columns[holder.positions[name]].name}")
            found.append(holder.columns[holder.positions[name]].name)
    return found


def is_merged(scope: Scope, name: str) -> bool:
    """Whether a bare name means a USING column here."""
    return scope.merged is not None and name.lower() in scope.merged


def unique_names(names: Sequence[str]) -> list[str]:
    """Names made different as SQLite does: a second `b` becomes `b:1`, of `b:1` the number is what changes.

    No column is called `true` or `false`: it goes by its number.
    """
    taken: set[str] = set()
    result = []
    for number, name in enumerate(names, 1):
        count = 0
        if name.lower() in ("true", "false"):
            name = f"column{number}"
        while name.lower() in taken:
            head, colon, digits = name.rpartition(":")
            count += 1
            name = f"{head if colon and digits.isdigit() else name}:{count}"
        taken.add(name.lower())
        result.append(name)
    return result
