"""Makes a failing record small: the fewest statements, rows and clauses that still tell the engine from SQLite.

Dependencies first: of the statements before the record, only those stay that touch the tables and views the query names,
directly or through views and triggers.  Then delta debugging over statements, over the rows of multi-row INSERTs, and over the
clauses of the query (through sqlglot's tree).  A smaller script counts when SQLite answers its last statement and the engine
differs in the same way: an error where SQLite has rows, other rows, or rows where SQLite has an error.

Source of the method: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (ddmin).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sqlglot
from sqlglot import expressions as tree
from sqlglot.errors import SqlglotError

from agent_harness.contract.clusters import normalise_error
from agent_harness.contract.process_engine import EngineCrash, EngineRefusal, ProcessEngine
from sqllogictest import Engine, make_engine
from sqllogictest.engines import EngineError

Rows = Sequence[Sequence[Any]]
NAME = re.compile(r'"((?:[^"]|"")+)"|\[([^\]]+)\]|`([^`]+)`|([A-Za-z_\x80-\U0010ffff][\w$\x80-\U0010ffff]*)')
CREATES = re.compile(
    r"\s*CREATE\s+(?:TEMP\s+|TEMPORARY\s+|UNIQUE\s+|VIRTUAL\s+)*(?:TABLE|VIEW|INDEX|TRIGGER)\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)",
    re.I,
)
CLAUSES = ("where", "group", "having", "order", "limit", "offset", "distinct", "joins", "with_", "with")
ROW = re.compile(r"\((?:[^()']|'(?:[^']|'')*'|\([^()]*\))*\)")


class Answer:
    """What an engine said to the last statement of a script: `rows`, or `error` text and how it failed (`stage`)."""

    __slots__ = ("error", "rows", "stage")

    def __init__(self, rows: Rows | None, error: str = "", stage: str = "") -> None:
        self.rows = rows
        self.error = error
        self.stage = stage

    def text(self, limit: int = 40) -> str:
        """Readable rows, one a line, or the error."""
        if self.rows is None:
            return f"error: {self.error}"
        lines = ["|".join("NULL" if value is None else str(value) for value in row) for row in self.rows[:limit]]
        more = len(self.rows) - limit
        return "\n".join([*lines, *([f"... {more} more rows"] if more > 0 else [])]) or "(no rows)"


def reference_engine() -> Engine:
    """SQLite: through apsw when it is installed, else the standard library's module."""
    try:
        return make_engine("apsw")
    except EngineError:
        return make_engine("sqlite3")


def replay(engine: Engine, script: Sequence[str]) -> Answer:
    """Runs a script on a fresh in-memory database; all but the last statement may fail."""
    try:
        engine.open(None)
    except EngineCrash as error:
        return Answer(None, str(error), "import")
    for sql in script[:-1]:
        try:
            engine.execute(sql)
        except engine.errors:
            continue
        except EngineCrash as error:
            return Answer(None, str(error), "crash")
    try:
        return Answer([tuple(row) for row in engine.execute(script[-1])])
    except engine.errors as error:
        return Answer(None, str(error), "error")
    except (EngineCrash, EngineRefusal) as error:
        return Answer(None, str(error), "crash")


def differs(expected: Answer, actual: Answer, is_ordered: bool) -> str:
    """'' when the answers agree, else the kind of difference: 'crash', 'error', 'no error', 'rows'."""
    if actual.stage in ("crash", "import"):
        return actual.stage
    if expected.rows is None:
        return "no error" if actual.rows is not None else ""
    if actual.rows is None:
        return "error"
    left, right = [list(map(_plain, row)) for row in expected.rows], [list(map(_plain, row)) for row in actual.rows]
    if not is_ordered:
        left.sort(key=repr)
        right.sort(key=repr)
    return "" if left == right else "rows"


def _plain(value: Any) -> Any:
    return ("real", repr(value)) if isinstance(value, float) else (type(value).__name__, value)


class Minimiser:
    """Minimises scripts for one engine; `has_failed_alone` says whether the script failed away from its suite.

    The engine's process is kept between trials and closed by the caller; a process that died is started again.
    """

    def __init__(self, engine: ProcessEngine, budget_s: float = 20.0) -> None:
        self._engine = engine
        self._reference = reference_engine()
        self._deadline = time.monotonic() + budget_s
        self.trials = 0
        self.has_failed_alone = False

    def minimise(self, script: Sequence[str]) -> tuple[list[str], Answer, Answer]:
        """The smallest script found with SQLite's and the engine's answer; the script itself if it does not fail alone."""
        kind = self._difference(script)
        if not kind:
            return list(script), *self._answers(script)
        self.has_failed_alone = True

        def fails(candidate: Sequence[str]) -> bool:
            return bool(candidate) and self._difference(candidate) == kind

        small = dependencies(script)
        small = small if fails(small) else list(script)
        setup = ddmin(small[:-1], lambda part: fails([*part, small[-1]]), self._is_over)
        small = [*setup, small[-1]]
        for position in range(len(small)):
            small = self._fewer_rows(small, position, fails)
        small = self._smaller_query(small, fails)
        setup = ddmin(small[:-1], lambda part: fails([*part, small[-1]]), self._is_over)
        small = [*setup, small[-1]]
        return small, *self._answers(small)

    def _is_over(self) -> bool:
        return time.monotonic() > self._deadline

    def _answers(self, script: Sequence[str]) -> tuple[Answer, Answer]:
        expected = replay(self._reference, script)
        self._reference.close()
        actual = replay(self._engine, script)
        if actual.stage in ("crash", "import"):
            self._engine.restart()
        return expected, actual

    def _difference(self, script: Sequence[str]) -> str:
        self.trials += 1
        expected, actual = self._answers(script)
        kind = differs(expected, actual, bool(re.search(r"\border\s+by\b", script[-1], re.I)))
        # Another error than the first one would be another defect.
        return f"{kind}: {normalise_error(actual.error)}" if kind and actual.error else kind

    def _fewer_rows(self, script: list[str], position: int, fails: Callable[[Sequence[str]], bool]) -> list[str]:
        match = re.match(r"\s*(?:INSERT|REPLACE)\b.*?\bVALUES\s*", script[position], re.I | re.S)
        if match is None:
            return script
        rows = ROW.findall(script[position][match.end() :])
        if len(rows) < 2:
            return script

        def with_rows(kept: Sequence[str]) -> list[str]:
            assert match is not None
            return [*script[:position], match.group(0) + ", ".join(kept), *script[position + 1 :]]

        kept = ddmin(rows, lambda part: bool(part) and fails(with_rows(part)), self._is_over)
        return with_rows(kept) if len(kept) < len(rows) else script

    def _smaller_query(self, script: list[str], fails: Callable[[Sequence[str]], bool]) -> list[str]:
        improved = True
        while improved and not self._is_over():
            improved = False
            for candidate in smaller_statements(script[-1]):
                if len(candidate) < len(script[-1]) and fails([*script[:-1], candidate]):
                    script = [*script[:-1], candidate]
                    improved = True
                    break
        return script


def names_in(sql: str) -> set[str]:
    """All identifiers and words of a statement, in lower case."""
    return {"".join(parts).lower() for parts in NAME.findall(sql)}


def dependencies(script: Sequence[str]) -> list[str]:
    """The last statement and the earlier ones that touch what it names, transitively, in order."""
    created: list[tuple[str, set[str]]] = []
    for sql in script[:-1]:
        match = CREATES.match(sql)
        if match is not None:
            created.append((next(iter(names_in(match.group(1).split(".")[-1])), ""), names_in(sql)))
    tables = {name for name, _ in created}
    wanted = names_in(script[-1]) & tables
    while True:
        more = set().union(*(names & tables for name, names in created if name in wanted or names & wanted & tables), wanted)
        if more == wanted:
            break
        wanted = more
    kept = [sql for sql in script[:-1] if not tables or names_in(sql) & wanted or not names_in(sql) & tables]
    return [*kept, script[-1]]


def ddmin(items: Sequence[str], fails: Callable[[list[str]], bool], is_over: Callable[[], bool]) -> list[str]:
    """A sublist from which no chunk can be left out; `fails([])` is tried first."""
    current = list(items)
    if not current or fails([]):
        return []
    n = 2
    while len(current) >= 2 and not is_over():
        size = max(1, len(current) // n)
        for start in range(0, len(current), size):
            rest = current[:start] + current[start + size :]
            if fails(rest):
                current = rest
                n = max(2, n - 1)
                break
        else:
            if size == 1:
                break
            n = min(len(current), n * 2)
    return current


def smaller_statements(sql: str) -> list[str]:
    """Statements with one clause, column, operand or subtree less, smallest first; none if sqlglot cannot read it."""
    try:
        parsed = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError:
        return []
    found: set[str] = set()
    nodes = list(parsed.walk())
    for position, node in enumerate(nodes):
        for edit in _edits(node):
            copy = parsed.copy()
            target = list(copy.walk())[position]
            if edit(target):
                try:
                    found.add(copy.sql(dialect="sqlite"))
                except (SqlglotError, ValueError, AttributeError):
                    continue
    found.discard(sql)
    return sorted(found, key=len)


def _edits(node: Any) -> list[Callable[[Any], bool]]:
    edits: list[Callable[[Any], bool]] = []
    if isinstance(node, tree.Select):
        edits += [partial(_drop, clause=clause) for clause in CLAUSES if node.args.get(clause)]
        if len(node.expressions) > 1:
            edits += [partial(_drop_item, position=i) for i in range(len(node.expressions))]
    elif isinstance(node, tree.Binary | tree.SetOperation):
        edits += [partial(_replace_by, part="this"), partial(_replace_by, part="expression")]
    elif isinstance(node, tree.Unary | tree.Paren):
        edits.append(partial(_replace_by, part="this"))
    return edits


def _drop(target: tree.Expression, clause: str) -> bool:
    target.set(clause, None)
    return True


def _drop_item(target: tree.Expression, position: int) -> bool:
    items = list(target.expressions)
    del items[position]
    target.set("expressions", items)
    return True


def _replace_by(target: tree.Expression, part: str) -> bool:
    child = target.args.get(part)
    if not isinstance(child, tree.Expression) or target.parent is None:
        return False
    target.replace(child.copy())
    return True
