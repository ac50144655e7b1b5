"""The virtual table of FTS3 and FTS4: modules, plans, scans and changes.

Source: https://www.sqlite.org/fts3.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from minisql.errors import CONSTRAINT, ERROR, Error, sqlite_error
from minisql.values.cast import to_integer, to_text
from minisql.vtab.fts3.commands import integrity_text, merge_levels, optimize, run_command
from minisql.vtab.fts3.configuration import Configuration, parse_arguments, take_columns, unindexed_names
from minisql.vtab.fts3.content import Content
from minisql.vtab.fts3.expression import parse_query
from minisql.vtab.fts3.formats import encode_varint
from minisql.vtab.fts3.matchinfo import matchinfo
from minisql.vtab.fts3.matching import Match
from minisql.vtab.fts3.rows import RowContext
from minisql.vtab.fts3.segments import TermIndex
from minisql.vtab.fts3.snippets import offsets, snippet
from minisql.vtab.protocol import EQ, GE, GT, LE, LT, MATCH, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable
from minisql.vtab.shadow_tables import literal, quoted, rowid_of, stored_rowid

if TYPE_CHECKING:
    from minisql.vtab.fts3.content import Row
    from minisql.vtab.host import VtabHost

CURSORS_SETTING = "fts3 cursors"
_SCAN, _DOCID, _MATCH = 0, 1, 2
_HAS_LANGUAGE, _HAS_LOWER, _HAS_UPPER = 0x10000, 0x20000, 0x40000
_REPLACE = 5
_MIN_AUTOMERGE_LEAVES = 4
_SHADOWS = frozenset(("content", "docsize", "segdir", "segments", "stat"))
_FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "snippet": (snippet, 1, 6),
    "offsets": (offsets, 1, 1),
    "matchinfo": (matchinfo, 1, 2),
}


class FtsModule(Module):
    """Makes FTS3 or FTS4 tables."""

    def __init__(self, is_fts4: bool) -> None:
        self.is_fts4 = is_fts4

    def create(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Creates the shadow tables."""
        configuration = self._configuration(owner, schema_name, table_name, arguments)
        _create_shadow_tables(owner, configuration)
        return configuration.declaration(), FtsTable(owner, configuration)

    def connect(
        self, owner: VtabHost, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Connects to shadow tables that are there."""
        configuration = self._configuration(owner, schema_name, table_name, arguments)
        return configuration.declaration(), FtsTable(owner, configuration)

    def _configuration(self, host: VtabHost, schema: str, table: str, arguments: Sequence[str]) -> Configuration:
        configuration, has_columns = parse_arguments(schema, table, arguments, self.is_fts4)
        if not has_columns:
            assert configuration.content is not None, "other tables have columns"
            name = f"{literal(configuration.content)}, {literal(schema)}"
            names = [row[0] for row in host.execute(f"SELECT name FROM pragma_table_info({name})")]
            if not names:
                raise sqlite_error(ERROR, f"no such table: {schema}.{configuration.content}")
            take_columns(configuration, names, unindexed_names(arguments))
        return configuration

    def is_shadow_name(self, suffix: str) -> bool:
        """The five tables."""
        return suffix.lower() in _SHADOWS


def make_module(name: str) -> Module:
    """The module fts3 or fts4."""
    return FtsModule(name == "fts4")


def _create_shadow_tables(host: VtabHost, configuration: Configuration) -> None:
    schema = literal(configuration.schema_name)

    def create(suffix: str, columns: str) -> None:
        try:
            host.execute(f"CREATE TABLE {schema}.{literal(configuration.table_name + '_' + suffix)}({columns})")
        except Error as error:
            # SQLite keeps the code of a shadow table's failure and drops its message.
            raise sqlite_error(
                error.sqlite_errorcode, f"vtable constructor failed: {configuration.table_name}"
            ) from error

    if configuration.content is None:
        columns = [literal(f"c{number}{name}") for number, name in enumerate(configuration.columns)]
        if configuration.language:
            columns.append("langid")
        create("content", ", ".join(["docid INTEGER PRIMARY KEY", *columns]))
    create("segments", "blockid INTEGER PRIMARY KEY, block BLOB")
    create(
        "segdir",
        "level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,"
        "PRIMARY KEY(level, idx)",
    )
    if configuration.has_sizes:
        create("docsize", "docid INTEGER PRIMARY KEY, size BLOB")
    if configuration.is_fts4:
        create("stat", "id INTEGER PRIMARY KEY, value BLOB")


class FtsTable(VirtualTable):
    """One FTS3 or FTS4 table of one connection."""

    def __init__(self, host: VtabHost, configuration: Configuration) -> None:
        self.host = host
        self.configuration = configuration
        self.index = TermIndex(host, configuration)
        self.content = Content(host, configuration)
        self.cursors: dict[int, RowContext] = host.setting(CURSORS_SETTING) or {}
        host.keep(CURSORS_SETTING, self.cursors)

    # Planning

    def best_index(self, info: IndexInfo) -> bool | None:
        """MATCH, or a docid, or everything; with a language and bounds of the docid."""
        n_columns = self.configuration.n_columns
        info.estimated_cost = 5000000.0
        main = language = lower = upper = None
        for constraint in info.constraints:
            column, operator = constraint.column, constraint.operator
            if not constraint.is_usable:
                if operator == MATCH:
                    # Nothing but a full-text search can answer it.
                    info.index_number, info.estimated_cost, info.estimated_rows = _SCAN, 1e50, 1 << 50
                    return None
                continue
            is_docid = column == ROWID or column == n_columns + 1
            if main is None and operator == EQ and is_docid:
                info.index_number, info.estimated_cost, main = _DOCID, 1.0, constraint
            if operator == MATCH and 0 <= column <= n_columns:
                info.index_number, info.estimated_cost, main = _MATCH + column, 2.0, constraint
            if operator == EQ and column == n_columns + 2:
                language = constraint
            if is_docid and operator in (GE, GT):
                lower = constraint
            if is_docid and operator in (LE, LT):
                upper = constraint
        if info.index_number == _DOCID:
            info.is_unique = True
        place = 0
        for chosen, flag in ((main, 0), (language, _HAS_LANGUAGE), (lower, _HAS_LOWER), (upper, _HAS_UPPER)):
            if chosen is not None:
                place += 1
                chosen.argument = place
                chosen.omit = flag == 0
                info.index_number |= flag
        if len(info.order_by) == 1 and info.order_by[0][0] in (ROWID, n_columns + 1):
            info.index_string = "DESC" if info.order_by[0][1] else "ASC"
            info.is_ordered = True
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return FtsCursor(self)

    def find_function(self, name: str, n_arguments: int) -> Callable[..., Any] | None:
        """snippet, offsets, matchinfo and optimize."""
        if name == "optimize" and n_arguments == 1:
            return self._optimize
        found = _FUNCTIONS.get(name)
        if found is None:
            return None
        function, least, most = found
        if not least <= n_arguments <= most:
            return partial(_wrong_count, name)
        return partial(_call, self.cursors, name, function)

    def _optimize(self, _cursor: Any) -> str:
        return "Index optimized" if optimize(self) else "Index already optimal"

    # Tokens

    def poslists(self, values: Sequence[Any]) -> tuple[dict[bytes, bytearray], list[int]]:
        """The position lists of a row's terms, and its sizes: tokens by column, then bytes."""
        configuration = self.configuration
        tokenize = configuration.tokenizer.tokenize
        lists: dict[bytes, bytearray] = {}
        last: dict[bytes, int] = {}
        sizes = [0] * (configuration.n_columns + 1)
        for column, is_indexed in enumerate(configuration.is_indexed):
            value = values[column]
            if value is None or not is_indexed:
                continue
            text = value if isinstance(value, str) else to_text(value)
            sizes[-1] += len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
            last.clear()
            offset = -1
            for offset, token in enumerate(tokenize(text)):
                term = token[0].encode("utf-8", "surrogateescape")
                poslist = lists.get(term)
                if poslist is None:
                    poslist = lists[term] = bytearray()
                before = last.get(term)
                if before is None:
                    before = 0
                    if column:
                        poslist += b"\x01" + encode_varint(column)
                poslist += encode_varint(offset - before + 2)
                last[term] = offset
            sizes[column] = offset + 1
        return lists, sizes

    def add_terms(self, docid: int, values: Sequence[Any], language: int) -> list[int]:
        """Enters a row into the index; returns its sizes."""
        lists, sizes = self.poslists(values)
        self.index.begin_row(docid, language, False)
        self.index.add(lists)
        return sizes

    # Changes

    def update_insert_row(self, rowid: Any, values: Sequence[Any]) -> int:
        """INSERT, or a command where the hidden column named as the table is not NULL."""
        configuration = self.configuration
        command = values[configuration.n_columns]
        if command is not None:
            run_command(self, to_text(command))
            return rowid if isinstance(rowid, int) else 0
        return self._changed(None, rowid, values)

    def update_delete_row(self, rowid: int) -> None:
        """DELETE."""
        configuration = self.configuration
        removed = [0] * (configuration.n_columns + 1)
        change = self._remove(rowid, removed)
        if configuration.is_fts4:
            self.content.change_totals(change, [0] * len(removed), removed)

    def update_change_row(self, rowid: int, new_rowid: Any, values: Sequence[Any]) -> None:
        """UPDATE."""
        self._changed(rowid, new_rowid, values)

    def _changed(self, old: int | None, rowid: Any, values: Sequence[Any]) -> int:
        """Takes out the row `old`, if any, and enters a new one."""
        configuration = self.configuration
        n_columns = configuration.n_columns
        row, docid, language = values[:n_columns], values[n_columns + 1], values[n_columns + 2]
        language = to_integer(language) if language is not None else 0
        if language < 0:
            raise sqlite_error(CONSTRAINT)
        removed = [0] * (n_columns + 1)
        change = 0
        wanted = docid if docid is not None else rowid
        inserted: int | None = None
        if configuration.content is None and wanted is not None and (old is None or to_integer(wanted) != old):
            if self.host.conflict_action() == _REPLACE:
                change += self._remove(to_integer(wanted), removed)
            else:
                inserted = self._insert(old, rowid, docid, row, language)
        if old is not None:
            change += self._remove(old, removed)
        if inserted is None:
            inserted = self._insert(old, rowid, docid, row, language)
        added = self.add_terms(inserted, row, language)
        if configuration.has_sizes:
            self.content.put_sizes(inserted, added[:-1])
        if configuration.is_fts4:
            self.content.change_totals(change + 1, added, removed)
        return inserted

    def _insert(self, old: int | None, rowid: Any, docid: Any, row: Sequence[Any], language: int) -> int:
        """Stores a row; returns its docid."""
        if self.configuration.content is not None:
            wanted = docid if docid is not None else rowid
            if not isinstance(wanted, int):
                raise sqlite_error(CONSTRAINT)
            return wanted
        if docid is not None:
            if old is None and rowid is not None:
                # A docid and a rowid cannot both be given.
                raise sqlite_error(ERROR)
            rowid = docid
        try:
            return self.content.insert(stored_rowid(rowid), row, language)
        except Error as error:
            raise sqlite_error(error.sqlite_errorcode) if error.sqlite_errorcode & 0xFF == CONSTRAINT else error from error

    def _remove(self, docid: int, removed: list[int]) -> int:
        """Takes a row out of everything; adds its sizes to `removed`.  Returns the change of the number of rows: none where
        the table is empty now, as all that it had counted is gone."""
        row = self.content.find(docid)
        if row is None:
            return 0
        if self.content.is_last(docid):
            self.delete_everything(True)
            removed[:] = [0] * len(removed)
            return 0
        language = to_integer(row[-1]) if row[-1] is not None else 0
        lists, sizes = self.poslists(row)
        self.index.begin_row(docid, language, True)
        self.index.add(dict.fromkeys(lists, bytearray()))
        for number, size in enumerate(sizes):
            # SQLite forgets what another row has taken out of a column where this one has NULL.
            is_null = number < self.configuration.n_columns and row[number] is None
            removed[number] = 0 if is_null else removed[number] + size
        self.content.delete(docid)
        return -1

    def delete_everything(self, with_content: bool) -> None:
        """Empties the shadow tables."""
        configuration = self.configuration
        self.index.forget_pending()
        suffixes = ["segments", "segdir"]
        if with_content and configuration.content is None:
            suffixes.append("content")
        if configuration.has_sizes:
            suffixes.append("docsize")
        if configuration.is_fts4 or self.content.has_stat():
            suffixes.append("stat")
        for suffix in suffixes:
            self.host.execute(f"DELETE FROM {configuration.table_sql(suffix)}")

    # Transactions

    def begin(self) -> None:
        """A change is about to come."""
        self.index.n_new_leaves = 0

    def sync(self) -> None:
        """Before a commit."""
        index = self.index
        index.flush()
        if index.n_new_leaves > _MIN_AUTOMERGE_LEAVES and (self.configuration.is_fts4 or self.content.has_stat()):
            least = self.content.automerge()
            if least:
                merge_levels(self, least)

    def commit(self) -> None:
        """Nothing is left to do."""

    def rollback(self) -> None:
        """Forgets what was not written."""
        self.index.forget_pending()

    def savepoint(self, level: int) -> None:
        """What came before has to survive a rollback to here."""
        self.index.flush()

    def release(self, level: int) -> None:
        """What came since stays."""

    def rollback_to(self, level: int) -> None:
        """Everything that is in memory came later."""
        self.index.forget_pending()

    def rename(self, new_name: str) -> None:
        """Renames the shadow tables."""
        self.index.flush()
        for suffix in self._shadow_suffixes():
            new = quoted(f"{new_name}_{suffix}")
            self.host.execute(f"ALTER TABLE {self.configuration.table_sql(suffix)} RENAME TO {new}")

    def _shadow_suffixes(self) -> list[str]:
        configuration = self.configuration
        suffixes = ["segments", "segdir"]
        if configuration.content is None:
            suffixes.insert(0, "content")
        if configuration.has_sizes:
            suffixes.append("docsize")
        if configuration.is_fts4 or self.content.has_stat():
            suffixes.append("stat")
        return suffixes

    def destroy(self) -> None:
        """Drops the shadow tables."""
        self.index.forget_pending()
        for suffix in _SHADOWS:
            if suffix != "content" or self.configuration.content is None:
                self.host.execute(f"DROP TABLE IF EXISTS {self.configuration.table_sql(suffix)}")

    def integrity(self, schema: str, name: str, is_quick: bool) -> str | None:
        """For PRAGMA integrity_check."""
        return integrity_text(self, schema, name)


def _wrong_count(name: str, *_arguments: Any) -> None:
    raise sqlite_error(ERROR, f"wrong number of arguments to function {name}()")


def _call(cursors: dict[int, RowContext], name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function for the cursor whose number the table's own column gives."""
    context = cursors.get(arguments[0]) if isinstance(arguments[0], _CursorNumber) else None
    if context is None:
        raise sqlite_error(ERROR, f"illegal first argument to {name}")
    if function is not matchinfo and context.has_lost_row():
        return None
    return function(context, *arguments[1:])


class _CursorNumber(int):
    """The value of the hidden column that is named as the table."""

    __slots__ = ()


class FtsCursor(Cursor):
    """One scan."""

    def __init__(self, table: FtsTable) -> None:
        self.table = table
        self.number = _CursorNumber(0)

    def close(self) -> None:
        """Forgets the row that functions could ask about."""
        self.table.cursors.pop(self.number, None)

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The rows by docid."""
        table = self.table
        self.number = _CursorNumber(max(table.cursors, default=0) + 1)
        context, rows = self._rows(index_number, index_string, list(arguments))
        table.cursors[self.number] = context
        n_columns = table.configuration.n_columns
        needs_values = any(0 <= number < n_columns or number == n_columns + 2 for number in columns)
        for docid, known in rows:
            context.move(docid, known)
            values: Any = context.values if needs_values else None
            row: list[Any] = []
            for number in columns:
                if number == ROWID or number == n_columns + 1:
                    row.append(docid)
                elif number < n_columns:
                    row.append(values[number])
                elif number == n_columns:
                    row.append(self.number)
                else:
                    row.append(self._language(context, values))
            yield tuple(row)

    def _language(self, context: RowContext, values: Row) -> Any:
        if context.match is not None:
            return context.match.language
        return values[-1] if self.table.configuration.language else 0

    def _rows(
        self, index_number: int, index_string: str | None, arguments: list[Any]
    ) -> tuple[RowContext, Iterator[tuple[int, Row | None]]]:
        table = self.table
        configuration = table.configuration
        strategy = index_number & 0xFFFF
        wanted = arguments.pop(0) if strategy != _SCAN else None
        language = arguments.pop(0) if index_number & _HAS_LANGUAGE else None
        lower = _bound(arguments.pop(0), -(1 << 63)) if index_number & _HAS_LOWER else None
        upper = _bound(arguments.pop(0), (1 << 63) - 1) if index_number & _HAS_UPPER else None
        is_descending = configuration.is_descending if index_string is None else index_string.startswith("D")
        if strategy == _SCAN:
            context = RowContext(table, None)
            return context, iter(table.content.scan(lower, upper, is_descending))
        if strategy == _DOCID:
            return RowContext(table, None), self._one(wanted)
        table.index.flush()
        column = strategy - _MATCH
        text = to_text(wanted) if wanted is not None else ""
        root = parse_query(
            text, configuration.columns, column if column < configuration.n_columns else None, configuration.tokenizer,
            configuration.is_fts4,
        )  # fmt: skip
        match = Match(table.index, to_integer(language) if language is not None else 0, root)
        docids = sorted(
            docid
            for docid in match.docids
            if (lower is None or docid >= lower) and (upper is None or docid <= upper)
        )
        if is_descending:
            docids.reverse()
        return RowContext(table, match, is_descending), iter([(docid, None) for docid in docids])

    def _one(self, docid: Any) -> Iterator[tuple[int, Row | None]]:
        if self.table.configuration.content == "":
            raise sqlite_error(ERROR)
        number = rowid_of(docid)
        if number is None:
            return
        row = self.table.content.find(number)
        if row is not None:
            yield number, row


def _bound(value: Any, default: int) -> int:
    """A bound of the docid; the engine checks it again, so anything but an integer bounds nothing."""
    return value if isinstance(value, int) else default
