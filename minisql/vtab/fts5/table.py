"""The virtual table of FTS5: module, plans, scans and changes.

Source: https://www.sqlite.org/fts5.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from minisql.errors import CONSTRAINT_PRIMARYKEY, ERROR, MISMATCH, Error, sqlite_error
from minisql.values.cast import to_text
from minisql.vtab.fts5.auxiliary import AuxiliaryFunction, RowContext, bm25, lone_ranks
from minisql.vtab.fts5.commands import run_command
from minisql.vtab.fts5.configuration import VERSION, Configuration, parse_arguments, parse_rank
from minisql.vtab.fts5.content import Content
from minisql.vtab.fts5.expression import Branch, Group, Node, Query, parse_query
from minisql.vtab.fts5.formats import AVERAGES_ID, NONE, STRUCTURE_ID, Structure, encode_structure
from minisql.vtab.fts5.index import DocumentColumn, FullTextIndex
from minisql.vtab.fts5.integrity import check_index
from minisql.vtab.fts5.matching import Match
from minisql.vtab.fts5.snippets import BUILT_IN
from minisql.vtab.fts5.tokenizers import DOCUMENT, TrigramTokenizer
from minisql.vtab.protocol import (
    EQ,
    GE,
    GLOB,
    GT,
    INNOCUOUS,
    LE,
    LIKE,
    LT,
    MATCH,
    NO_CHANGE,
    ROWID,
    Constraint,
    Cursor,
    IndexInfo,
    Module,
    Value,
    VirtualTable,
)  # fmt: skip
from minisql.vtab.shadow_tables import corrupt, new_rowid, rowid_of

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost

FUNCTIONS_SETTING, TOKENIZERS_SETTING, CURSORS_SETTING = "fts5 functions", "fts5 tokenizers", "fts5 cursors"
_SORT_RANK, _SORT_ROWID, _DESCENDING = 32, 64, 128
_REPLACE = 5
_SHADOWS = frozenset(("config", "content", "data", "docsize", "idx"))


class FtsModule(Module):
    """Makes FTS5 tables."""

    risk = INNOCUOUS

    def create(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Creates the shadow tables."""
        configuration = parse_arguments(schema_name, table_name, arguments, owner.setting(TOKENIZERS_SETTING) or {})
        _create_shadow_tables(owner, configuration)
        table = FtsTable(owner, configuration)
        table.load_settings()
        return configuration.declaration(), table

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Connects to shadow tables that are there."""
        configuration = parse_arguments(schema_name, table_name, arguments, owner.setting(TOKENIZERS_SETTING) or {})
        table = FtsTable(owner, configuration)
        table.load_settings()
        return configuration.declaration(), table

    def is_shadow_name(self, suffix: str) -> bool:
        """The five tables."""
        return suffix.lower() in _SHADOWS


def make_module(name: str) -> Module:
    """The module fts5."""
    return FtsModule()


def _create_shadow_tables(host: VtabHost, configuration: Configuration) -> None:
    schema = configuration.schema_name.replace("'", "''")

    def create(suffix: str, columns: str, is_keyed: bool = False) -> None:
        name = f"{configuration.table_name}_{suffix}".replace("'", "''")
        option = " WITHOUT ROWID" if is_keyed else ""
        try:
            host.execute(f"CREATE TABLE '{schema}'.'{name}'({columns}){option}")
        except Error as error:
            raise sqlite_error(
                error.sqlite_errorcode, f"fts5: error creating shadow table {configuration.table_name}_{suffix}: {error}"
            ) from error

    create("data", "id INTEGER PRIMARY KEY, block BLOB")
    create("idx", "segid, term, pgno, PRIMARY KEY(segid, term)", True)
    structure = Structure()
    structure.has_origins = configuration.is_deletable
    data = f"INSERT INTO {configuration.table_sql('data')} VALUES(?, ?)"
    host.execute(data, (STRUCTURE_ID, encode_structure(structure)))
    host.execute(data, (AVERAGES_ID, b""))
    if configuration.has_own_content:
        kept = [
            f"c{number}"
            for number, is_unindexed in enumerate(configuration.is_unindexed)
            if is_unindexed or not configuration.is_contentless
        ]
        create("content", ", ".join(["id INTEGER PRIMARY KEY", *kept]))
    if configuration.has_sizes:
        origin = ", origin INTEGER" if configuration.is_deletable else ""
        create("docsize", f"id INTEGER PRIMARY KEY, sz BLOB{origin}")
    create("config", "k PRIMARY KEY, v", True)
    host.execute(f"INSERT INTO {configuration.table_sql('config')} VALUES('version', {VERSION})")


class FtsTable(VirtualTable):
    """One FTS5 table of one connection."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        self.wants_no_change = configuration.is_contentless
        self.index = FullTextIndex(host, configuration)
        self.content = Content(host, configuration)
        self._totals: list[int] | None = None
        self._are_totals_changed = False
        self.cursors: dict[int, RowContext] = host.setting(CURSORS_SETTING) or {}
        host.keep(CURSORS_SETTING, self.cursors)
        for name in (*BUILT_IN, *(host.setting(FUNCTIONS_SETTING) or ()), "fts5_get_locale"):
            host.declare_function(name)

    def load_settings(self) -> None:
        """Reads %_config."""
        self.configuration.load(self.host.execute(f"SELECT k, v FROM {self.configuration.table_sql('config')}"))

    # Planning

    def best_index(self, info: IndexInfo) -> bool | None:
        """Plans: r rank function, M column MATCH, L LIKE and G GLOB by trigrams, = rowid, < and > bounds of the rowid."""
        n_columns = self.configuration.n_columns
        plan = _Plan()
        for constraint in info.constraints:
            column, operator = constraint.column, constraint.operator
            if operator == MATCH or (operator == EQ and column >= n_columns):
                if not constraint.is_usable or column < 0:
                    return False
                if column == n_columns + 1:
                    plan.add_once("r", constraint)
                else:
                    plan.add(f"M{column}", constraint, True)
                    plan.n_matches += 1
            elif constraint.is_usable and operator == EQ and column == ROWID:
                plan.add_once("=", constraint)
            elif constraint.is_usable and 0 <= column < n_columns and self._serves_pattern(operator):
                plan.add(("L" if operator == LIKE else "G") + str(column), constraint, False)
        if "=" not in plan.once:
            for constraint in info.constraints:
                if constraint.is_usable and constraint.column == ROWID:
                    if constraint.operator in (LT, LE):
                        plan.add_once("<", constraint, False)
                    elif constraint.operator in (GT, GE):
                        plan.add_once(">", constraint, False)
        info.index_string = "".join(plan.parts) or None
        self._plan_order(info, plan)
        _plan_cost(info, plan)
        return None

    def _serves_pattern(self, operator: int) -> bool:
        tokenizer = self.configuration.tokenizer
        if not isinstance(tokenizer, TrigramTokenizer):
            return False
        return operator == GLOB or (operator == LIKE and not tokenizer.is_case_sensitive)

    def _plan_order(self, info: IndexInfo, plan: _Plan) -> None:
        if len(info.order_by) != 1:
            return
        column, is_descending = info.order_by[0]
        if column == self.configuration.n_columns + 1 and plan.n_matches:
            info.index_number = _SORT_RANK
        elif column == ROWID:
            info.index_number = _SORT_ROWID
        else:
            return
        info.is_ordered = True
        if is_descending:
            info.index_number |= _DESCENDING

    def open(self) -> Cursor:
        """Makes a cursor."""
        return FtsCursor(self)

    def find_function(self, name: str, n_arguments: int) -> Callable[..., Any] | None:
        """The auxiliary functions."""
        own: dict[str, AuxiliaryFunction] = self.host.setting(FUNCTIONS_SETTING) or {}
        function = own.get(name) or BUILT_IN.get(name)
        if name == "fts5_get_locale":
            return _no_locale
        return None if function is None else partial(_call_auxiliary, self.cursors, function)

    def auxiliary_function(self, name: str) -> AuxiliaryFunction:
        """A function by its name, for the rank column."""
        own: dict[str, AuxiliaryFunction] = self.host.setting(FUNCTIONS_SETTING) or {}
        function = own.get(name.lower()) or BUILT_IN.get(name.lower())
        if function is None:
            raise sqlite_error(ERROR, f"no such function: {name}")
        return function

    # Totals

    def totals(self) -> list[int]:
        """The number of rows and of tokens by column."""
        if self._totals is None or not self._are_totals_changed:
            self._totals = self.index.averages()
        return self._totals

    def change_totals(self, sizes: Sequence[int], sign: int) -> None:
        """Adds a row (`sign` 1) or takes one away (-1)."""
        totals = [total + sign * change for total, change in zip(self.totals(), (1, *sizes))]
        if min(totals) < 0:
            raise corrupt()
        self._totals = totals
        self._are_totals_changed = True

    def reset_totals(self) -> None:
        """All counts are zero again."""
        self._totals = [0] * (self.configuration.n_columns + 1)
        self._are_totals_changed = True

    def write_out(self) -> None:
        """Writes what is kept in memory."""
        self.index.flush()
        if self._are_totals_changed and self._totals is not None:
            self.index.save_averages(self._totals)
            self._are_totals_changed = False

    # Changes

    def document(self, values: Sequence[Any]) -> tuple[list[DocumentColumn], list[int]]:
        """The tokens of a row by column, and the number of tokens in every column."""
        configuration = self.configuration
        tokenizer = configuration.tokenizer
        words_of = getattr(tokenizer, "words", None)
        columns: list[DocumentColumn] = []
        sizes = []
        for number, value in enumerate(values):
            if value is None or configuration.is_unindexed[number]:
                sizes.append(0)
                continue
            text = value if isinstance(value, str) else to_text(value)
            words = words_of(text, DOCUMENT) if words_of is not None else None
            offsets: list[int] | None = None
            if words is not None:
                sizes.append(len(words))
            else:
                words, offsets = [], []
                for item in tokenizer.tokenize(text, DOCUMENT):
                    is_synonym = len(item) > 3 and bool(item[3]) and bool(offsets)
                    offsets.append((offsets[-1] if offsets else -1) + (not is_synonym))
                    words.append(item[0])
                sizes.append(offsets[-1] + 1 if offsets else 0)
            columns.append((number, words, offsets))
        return columns, sizes

    def update_insert_row(self, rowid: Any, values: Sequence[Any]) -> int:
        """INSERT, or a command where the column named as the table is not NULL."""
        configuration = self.configuration
        *row, command, rank = values
        if command is not None:
            run_command(self, to_text(command), rank, rowid, row)
            return 0
        rowid = new_rowid(rowid)
        replaces = self.host.conflict_action() == _REPLACE and not configuration.is_external
        if replaces and rowid is not None and not (configuration.is_contentless and not configuration.is_deletable):
            self._remove_if_there(rowid)
        if rowid is None and configuration.is_contentless and not configuration.has_sizes:
            raise sqlite_error(MISMATCH)
        return self._insert(rowid, row)

    def _insert(self, rowid: int | None, row: Sequence[Any]) -> int:
        configuration = self.configuration
        columns, sizes = self.document(row)
        if configuration.has_own_content:
            rowid = self.content.insert(rowid, row)
        if configuration.has_sizes:
            rowid = self.content.put_sizes(rowid, sizes, self._next_origin())
        if rowid is None:
            raise sqlite_error(MISMATCH)
        self.index.add_document(rowid, columns)
        self.change_totals(sizes, 1)
        return rowid

    def _next_origin(self) -> int:
        return self.index.structure().origin + 1 if self.configuration.is_deletable else 0

    def _remove_if_there(self, rowid: int) -> None:
        configuration = self.configuration
        if configuration.is_deletable:
            if self.content.origin(rowid) is not None:
                self._remove(rowid)
        elif self.content.find(rowid) is not None:
            self._remove(rowid)

    def update_delete_row(self, rowid: int) -> None:
        """DELETE."""
        if self.configuration.is_contentless and not self.configuration.is_deletable:
            raise sqlite_error(ERROR, f"cannot DELETE from contentless fts5 table: {self.configuration.table_name}")
        self._remove(rowid)

    def _remove(self, rowid: int) -> None:
        configuration = self.configuration
        if configuration.is_deletable:
            origin = self.content.origin(rowid)
            sizes = self.content.stored_sizes(rowid)
            if origin is not None and sizes is not None:
                self.index.bury(rowid, origin)
                self.change_totals(sizes, -1)
                self.content.delete(rowid)
            return
        row = self.content.find(rowid)
        if row is None:
            return
        self.forget_document(rowid, row)
        self.content.delete(rowid)

    def forget_document(self, rowid: int, row: Sequence[Any]) -> None:
        """Takes the tokens of a row out of the index."""
        columns, sizes = self.document(row)
        self.index.remove_document(rowid, columns)
        self.change_totals(sizes, -1)

    def update_change_row(self, rowid: int, given: Any, values: Sequence[Any]) -> None:
        """UPDATE; a row that moves to another rowid may replace the one there."""
        configuration = self.configuration
        *row, _command, _rank = values
        new = new_rowid(given)
        if new is None:
            raise sqlite_error(MISMATCH)
        if configuration.is_contentless:
            is_stored_only = self._changes_stored_only(row, new != rowid)
            row = self._with_stored(rowid, row)
            if is_stored_only:
                if configuration.has_own_content:
                    self.content.insert(rowid, row, True)
                return
        if new != rowid and configuration.has_own_content and self.content.find(new) is not None:
            if self.host.conflict_action() != _REPLACE:
                raise sqlite_error(CONSTRAINT_PRIMARYKEY)
            self._remove(new)
        self._remove(rowid)
        self._insert(new, row)
        self.host.note_rowid(new)

    def _changes_stored_only(self, row: Sequence[Any], is_moved: bool) -> bool:
        """Whether an UPDATE of a contentless table leaves the index alone; raises if it needs a text that is not kept."""
        configuration = self.configuration
        text = [value for value, is_unindexed in zip(row, configuration.is_unindexed) if not is_unindexed]
        n_unchanged = sum(value is NO_CHANGE for value in text)
        if n_unchanged == len(text) and not is_moved:
            return True
        if not configuration.is_deletable:
            raise sqlite_error(ERROR, f"cannot UPDATE contentless fts5 table: {configuration.table_name}")
        if n_unchanged:
            name = configuration.table_name
            raise sqlite_error(ERROR, f"cannot UPDATE a subset of columns on fts5 contentless-delete table: {name}")
        return False

    def _with_stored(self, rowid: int, row: Sequence[Any]) -> list[Any]:
        """The new row, with the values that are kept where the UPDATE assigns none."""
        if NO_CHANGE not in row:
            return list(row)
        stored = self.content.find(rowid) if self.configuration.has_own_content else None
        old = stored if stored is not None else (None,) * len(row)
        return [before if value is NO_CHANGE else value for value, before in zip(row, old)]

    # Transactions

    def begin(self) -> None:
        """A change is about to come; other connections may have changed the settings."""
        self.load_settings()

    def sync(self) -> None:
        """Before a commit."""
        self.write_out()

    def commit(self) -> None:
        """Nothing is left to do."""

    def rollback(self) -> None:
        """Forgets what was not written."""
        self._forget()

    def _forget(self) -> None:
        self.index.forget_pending()
        self._totals = None
        self._are_totals_changed = False

    def savepoint(self, level: int) -> None:
        """What came before has to survive a rollback to here."""
        self.write_out()

    def release(self, level: int) -> None:
        """What came since stays."""

    def rollback_to(self, level: int) -> None:
        """Everything that is in memory came later."""
        self._forget()

    def rename(self, new_name: str) -> None:
        """Renames the shadow tables."""
        self.write_out()
        configuration = self.configuration
        for suffix in self._shadow_suffixes():
            new = f"{new_name}_{suffix}".replace('"', '""')
            self.host.execute(f'ALTER TABLE {configuration.table_sql(suffix)} RENAME TO "{new}"')

    def _shadow_suffixes(self) -> list[str]:
        configuration = self.configuration
        suffixes = ["data", "idx", "config"]
        if configuration.has_sizes:
            suffixes.append("docsize")
        if configuration.has_own_content:
            suffixes.append("content")
        return suffixes

    def destroy(self) -> None:
        """Drops the shadow tables."""
        self._forget()
        for suffix in self._shadow_suffixes():
            self.host.execute(f"DROP TABLE IF EXISTS {self.configuration.table_sql(suffix)}")

    def integrity(self, schema: str, name: str, is_quick: bool) -> str | None:
        """For PRAGMA integrity_check."""
        problem = check_index(self, False)
        return None if problem is None else f"malformed inverted index for FTS5 table {schema}.{name}"


class _Plan:
    """What best_index gathers: the parts of the index string."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.once: set[str] = set()
        self.n_matches = 0
        self.n_arguments = 0

    def add(self, part: str, constraint: Constraint, omit: bool) -> None:
        """Uses a constraint."""
        self.parts.append(part)
        self.n_arguments += 1
        constraint.argument = self.n_arguments
        constraint.omit = omit

    def add_once(self, part: str, constraint: Constraint, omit: bool = True) -> None:
        """Uses the first constraint of its kind."""
        if part not in self.once:
            self.once.add(part)
            self.add(part, constraint, omit)


def _plan_cost(info: IndexInfo, plan: _Plan) -> None:
    has_match = plan.n_matches > 0
    if "=" in plan.once:
        info.estimated_cost = 100.0 if has_match else 10.0
        info.is_unique = not has_match
        info.estimated_rows = 1
    elif {"<", ">"} <= plan.once:
        info.estimated_cost = 500.0 if has_match else 250000.0
    elif plan.once & {"<", ">"}:
        info.estimated_cost = 750.0 if has_match else 750000.0
    else:
        info.estimated_cost = 1000.0 if has_match else 1000000.0
    for _ in range(plan.n_matches - 1):
        info.estimated_cost *= 0.4


def _no_locale(*_arguments: Any) -> None:
    return None


def _call_auxiliary(cursors: dict[int, RowContext], function: AuxiliaryFunction, *arguments: Any) -> Any:
    """Calls an auxiliary function for the cursor whose number the table's own column gives."""
    context = cursors.get(arguments[0]) if isinstance(arguments[0], int) else None
    if context is None:
        shown = arguments[0] if isinstance(arguments[0], int) else 0
        raise sqlite_error(ERROR, f"no such cursor: {shown}")
    return function(context, *arguments[1:])


class FtsCursor(Cursor):
    """One scan."""

    def __init__(self, table: FtsTable) -> None:
        self.table = table
        self.number = 0

    def close(self) -> None:
        """Forgets the row that auxiliary functions could ask about."""
        self.table.cursors.pop(self.number, None)

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterable[tuple[Value, ...]]:
        """The rows, by rowid or by rank; a list where nothing but the rowid is wanted."""
        table = self.table
        if table.index.has_pending:
            table.index.flush()
        request = _Request(table, index_number, index_string or "", arguments)
        if request.special is not None:
            return [tuple([request.special if number == ROWID else None for number in columns])]
        if request.match is not None and columns == (ROWID,):
            return list(zip(request.rowids(RowContext(table, request.match))))
        return self._rows(request, columns)

    def _rows(self, request: _Request, columns: Sequence[int]) -> Iterator[tuple[Value, ...]]:
        table = self.table
        self.number = _new_number(table.cursors)
        context = table.cursors[self.number] = RowContext(table, request.match)
        if request.match is None:
            rows: Iterator[tuple[int, Any]] = table.content.scan(request.lower, request.upper, request.is_descending)
        else:
            rows = ((rowid, None) for rowid in request.rowids(context))
        n_columns = table.configuration.n_columns
        needs_values = any(0 <= number < n_columns for number in columns)
        for rowid, values in rows:
            context.move(rowid)
            if needs_values:
                values = context.values if values is None else values
            row = []
            for number in columns:
                if number == ROWID:
                    row.append(rowid)
                elif number < n_columns:
                    row.append(values[number])
                elif number == n_columns:
                    row.append(self.number)
                else:
                    row.append(request.rank(context))
            yield tuple(row)


def _new_number(cursors: dict[int, RowContext]) -> int:
    return max(cursors, default=0) + 1


class _Request:
    """What one scan asks for: the query, bounds of the rowid, the rank function."""

    def __init__(self, table: FtsTable, index_number: int, index_string: str, arguments: Sequence[Any]) -> None:
        self.table = table
        self.is_descending = index_number & _DESCENDING != 0
        self.sorts_by_rank = index_number & _SORT_RANK != 0
        self.lower: int | None = None
        self.upper: int | None = None
        self.special: int | None = None
        self.match: Match | None = None
        self._rank: tuple[str, list[Any]] | None = None
        queries: list[Query] = []
        place = 0
        for argument in arguments:
            kind = index_string[place]
            place += 1
            end = place
            while end < len(index_string) and index_string[end].isdigit():
                end += 1
            column = int(index_string[place:end]) if end > place else -1
            place = end
            self._take(kind, column, argument, queries)
        if self.special is None and queries:
            self.match = Match(table.index, _all_of(queries))

    def _take(self, kind: str, column: int, argument: Any, queries: list[Query]) -> None:
        table = self.table
        configuration = table.configuration
        if kind == "M":
            text = "" if argument is None else to_text(argument).partition("\x00")[0]
            if text.startswith("*"):
                self._take_special(text[1:])
                return
            query = parse_query(text, configuration.columns, configuration.tokenizer, configuration.detail)
            if column < configuration.n_columns:
                if configuration.detail == NONE:
                    raise sqlite_error(ERROR, "fts5: column queries are not supported (detail=none)")
                _limit(query.root, frozenset((column,)))
            queries.append(query)
        elif kind in "LG":
            query_of_pattern = _pattern_query(table, to_text(argument) if argument is not None else "", column, kind == "G")
            if query_of_pattern is not None:
                queries.append(query_of_pattern)
        elif kind == "r":
            text = "" if argument is None else to_text(argument)
            self._rank = parse_rank(text)
            if self._rank is None:
                if isinstance(argument, str):
                    raise sqlite_error(ERROR, f"parse error in rank function: {text}")
                self._rank = None
        elif kind == "=":
            rowid = rowid_of(argument)
            self.lower, self.upper = (1, 0) if rowid is None else (rowid, rowid)
        elif isinstance(argument, int):
            if kind == "<":
                self.upper = argument
            else:
                self.lower = argument

    def _take_special(self, text: str) -> None:
        """`*reads` and `*id`, which are there for tests, return one row with a number."""
        word = text.strip(" ").split(" ")[0]
        if word.lower() == "reads":
            self.special = 0
        elif word.lower() == "id":
            self.special = 1
        else:
            raise sqlite_error(ERROR, f"unknown special query: {word}")

    def rowids(self, context: RowContext) -> list[int]:
        """The rowids of the query's rows in the wanted order."""
        assert self.match is not None, "the caller looked"
        rowids = self.match.rowids
        if self.lower is not None or self.upper is not None:
            lower, upper = self.lower, self.upper
            rowids = [
                rowid for rowid in rowids if (lower is None or rowid >= lower) and (upper is None or rowid <= upper)
            ]
        if self.sorts_by_rank:
            ranks = self._ranks(context, rowids)
            return sorted(rowids, key=partial(_rank_key, ranks), reverse=self.is_descending)
        return rowids[::-1] if self.is_descending else rowids

    def _ranks(self, context: RowContext, rowids: list[int]) -> dict[int, Any]:
        name, arguments = self._rank or (self.table.configuration.rank, self.table.configuration.rank_arguments)
        if not arguments and self.table.auxiliary_function(name) is bm25:
            ranks = lone_ranks(context, rowids)
            if ranks is not None:
                return ranks
        found = {}
        for rowid in rowids:
            context.move(rowid)
            found[rowid] = self.rank(context)
        return found

    def rank(self, context: RowContext) -> Any:
        """The value of the rank column."""
        if self.match is None:
            return None
        configuration = self.table.configuration
        name, arguments = self._rank or (configuration.rank, configuration.rank_arguments)
        return self.table.auxiliary_function(name)(context, *arguments)


def _rank_key(ranks: dict[int, Any], rowid: int) -> tuple[int, Any]:
    rank = ranks[rowid]
    if rank is None:
        return (0, 0)
    return (1, rank) if isinstance(rank, (int, float)) else (2, str(rank))


def _limit(node: Node, columns: frozenset[int]) -> None:
    if isinstance(node, Branch):
        for child in node.nodes:
            _limit(child, columns)
    elif isinstance(node, Group):
        node.columns = columns if node.columns is None else node.columns & columns


def _all_of(queries: list[Query]) -> Query:
    """The queries of several MATCH operators as one."""
    if len(queries) == 1:
        return queries[0]
    phrases = [phrase for query in queries for phrase in query.phrases]
    for number, phrase in enumerate(phrases):
        phrase.number = number
    return Query(Branch("AND", [query.root for query in queries]), phrases)


def _pattern_query(table: FtsTable, pattern: str, column: int, is_glob: bool) -> Query | None:
    """A query for the trigrams of a LIKE or GLOB pattern; None if it has no run of three plain characters."""
    wildcards = "*?[" if is_glob else "%_"
    runs = []
    run = ""
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if character in wildcards:
            runs.append(run)
            run = ""
            if is_glob and character == "[":
                end = pattern.find("]", place + 2 + (pattern[place + 1 : place + 2] == "^"))
                place = len(pattern) if end < 0 else end
        else:
            run += character
        place += 1
    runs.append(run)
    long = [item for item in runs if len(item) >= 3]
    if not long:
        return None
    configuration = table.configuration
    if configuration.detail == "full":
        text = " AND ".join('"' + item.replace('"', '""') + '"' for item in long)
    else:
        pieces = [item[i : i + 3] for item in long for i in range(len(item) - 2)]
        text = " AND ".join('"' + item.replace('"', '""') + '"' for item in pieces)
    query = parse_query(text, configuration.columns, configuration.tokenizer, configuration.detail)
    if configuration.detail != "none":
        _limit(query.root, frozenset((column,)))
    return query
