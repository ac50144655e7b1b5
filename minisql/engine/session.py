"""Session: the core of one connection, between the public interfaces and the rooms below.

It owns the open databases, the catalog, the functions and collations, the flags and limits, the counters and hooks; it
prepares statements, and it is the planner's PlanContext and the virtual machine's Host.  What is more than a few lines
stands in modules beside it: transactions, schema_loader, pragmas, attach, vacuum, analyze.

Source: https://www.sqlite.org/c3ref/sqlite3.html and the pages named in those modules.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql import limits as limit_numbers
from minisql.bytecode.verifier import verify
from minisql.catalog.schema import Catalog
from minisql.engine import copying, hooks, schema_loader, services, transactions, virtual_tables
from minisql.engine.blob import BlobHandle
from minisql.engine.flags import DEFAULT_FLAGS
from minisql.engine.opening import close_database, open_database, shown_name
from minisql.engine.pragma_compile import compile_pragma, explain_pragma
from minisql.engine.shapes import Shapes, find_program
from minisql.engine.statement import EmptyStatement, Statement
from minisql.engine.virtual_transactions import ConnectedTable
from minisql.errors import AUTH, LOCKED, MISUSE, OK, Error, InternalInvariantError, sqlite_error
from minisql.functions.registry import FunctionRegistry
from minisql.parser import Parsed, RecentConditions, ast, parse_one
from minisql.planner.statement import compile_statement
from minisql.values.collation import Collation, built_in_collations
from minisql.values.storage_class import UTF8
from minisql.vm.machine import run

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.catalog.schema import Table
    from minisql.engine.hooks import PreUpdateHook
    from minisql.engine.wal_hook import WalHook
    from minisql.functions.context import FunctionContext
    from minisql.storage.btree import BtreeFile

_DENY = 1
_BUSY_DELAYS_MS = (1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100)

# These statements look no name up, so an unreadable schema does not hinder them.
_SCHEMALESS = (ast.Pragma, ast.Begin, ast.Commit, ast.Rollback, ast.Savepoint, ast.Release, ast.Attach, ast.Detach, ast.Select)


class Session:
    """One connection.  Attributes are plain because the planner and the machine read them for every statement."""

    def __init__(self, filename: str, *, is_uri: bool = False, timeout_ms: int = 0) -> None:
        """Opens the main database; nothing is read from it yet."""
        self.busy_timeout_ms = timeout_ms
        self.busy_handler: Callable[[int], bool] | None = None
        self.limits: Sequence[int] = limit_numbers.DEFAULTS
        self.flags: dict[str, bool] = dict(DEFAULT_FLAGS)
        self.settings: dict[Any, Any] = {}
        self.functions = FunctionRegistry()
        self.encoding = UTF8
        self.collations: dict[str, Collation] = built_in_collations(UTF8)
        self.catalog = Catalog()
        self.catalog.load = self.load_schemas
        self.btrees: list[BtreeFile | None] = [None, None]
        self.transaction_states: list[int] = [0, 0]
        self.autocommit = True
        self.is_savepoint_transaction = False
        self.is_query_only = False
        self.savepoints: list[transactions.OpenSavepoint] = []
        self.changed_schemas: set[int] = set()
        # Sets rather than counts: an exception that strikes in between cannot leave them one too high.
        self.running: set[Statement | BlobHandle] = set()
        self.writers: set[Statement | BlobHandle] = set()
        self.blobs: set[BlobHandle] = set()
        self.starting: Statement | None = None
        self.schema_generation = 0
        self.is_interrupted = self.fetches_all = False
        self.last_insert_rowid = 0
        self.changes = 0
        self.total_changes = 0
        self.deferred_violations = 0
        self.authorizer: Callable[[int, str | None, str | None, str | None, str | None], int] | None = None
        self.trace: Callable[[str, bool], Any] | None = None
        self.traced = "", False
        self.progress: Callable[[], bool] | None = None
        self.progress_steps = 0
        self.update_hook: Callable[[int, str, str, int], None] | None = None
        self.commit_hook: Callable[[], bool] | None = None
        self.rollback_hook: Callable[[], None] | None = None
        self.has_update_hook = False
        self.is_closed = False
        self.tier = "auto"
        self.verifies_programs = False
        self.eponymous_tables: dict[str, Table] = {}
        self.modules: dict[str, virtual_tables.RegisteredModule] = {}
        # How many statements of virtual tables' modules are running within others.
        self.n_nested = 0
        # Virtual tables that take part in the transaction.
        self.virtual_writers: list[ConnectedTable] = []
        self.has_temp = False
        # Whether database_list names temp although nothing was written to it: a PRAGMA has asked for it.
        self.shows_temp = False
        self.planning_reads: list[int] = []
        self.kept_statements: dict[str, Statement] = {}
        self.shapes, self.recent_conditions = Shapes(), RecentConditions()
        self.collation_names = ["BINARY", "NOCASE", "RTRIM"]
        self.pure_context: str | None = None
        self.time_ms: int | None = None
        self.function_context: FunctionContext = self
        self.is_uri = is_uri
        self.filenames: list[str] = []
        self._open_first(filename)

    def _open_first(self, filename: str) -> None:
        self.preupdate_hook: PreUpdateHook | None = None
        self.wal_hook: WalHook | None = None
        # The frames of each log that a statement which is not over has committed.
        self.wal_commits: dict[int, int] = {}
        main = self.btrees[0] = open_database(self, filename, self.is_uri)
        # The temp database costs nothing until something is created in it.
        self.btrees[1] = open_database(self, "", False)
        self.filenames += [shown_name(main), ""]

    # Preparing

    def prepare(self, sql: str, start: int = 0) -> tuple[Statement, int]:
        """Compiles the first statement of sql[start:] and tells where it ends; an EmptyStatement if there is none."""
        if self.is_closed:
            raise sqlite_error(MISUSE)
        # Only conditions and values have literals that a shape leaves out.
        if not start and ("WHERE" in sql or "where" in sql or "VALUES" in sql or "values" in sql):
            known = find_program(self, sql)
            if known is not None:
                known.sql = sql
                return Statement(self, sql, known), len(sql)
        recent = self.recent_conditions if self.flags["minisql_shapes"] else None
        parsed, end = parse_one(sql, start, self.limits, True, recent)
        text = sql if start == 0 and end == len(sql) else sql[start:end]
        if parsed is None:
            return EmptyStatement(self, text), end
        program = self.compile_parsed(parsed) if self.verifies_programs else self._compile(parsed)
        condition = parsed.condition
        if condition is not None and condition.node is not None:
            self.recent_conditions.give_back(condition)
        return Statement(self, text, program), end

    def compile(self, sql: str) -> Program:
        """Compiles the text of one statement."""
        parsed, _end = parse_one(sql, 0, self.limits)
        assert parsed is not None, "a statement was prepared from this text"
        return self.compile_parsed(parsed)

    def compile_parsed(self, parsed: Parsed) -> Program:
        """Compiles a statement that has been parsed."""
        program = self._compile(parsed)
        if self.verifies_programs:
            faults = verify(program)
            if faults:
                raise InternalInvariantError("; ".join(faults))
        return program

    def _compile(self, parsed: Parsed) -> Program:
        node = parsed.statement
        if self.catalog.load is not None and not isinstance(node, _SCHEMALESS):
            self.load_schemas()
        if node.__class__ is not ast.Select:
            if isinstance(node, ast.Pragma):
                return compile_pragma(self, node)
            if isinstance(node, ast.Explain) and isinstance(node.statement, ast.Pragma):
                return explain_pragma(self, node.statement, node.is_query_plan)
        try:
            return compile_statement(parsed, self)
        except Error:
            # The name may be missing because another connection has changed the schema since it was read.
            if not self._forget_stale_schemas():
                raise
            return compile_statement(parsed, self)
        finally:
            if self.planning_reads:
                self.end_planning_reads()

    def _forget_stale_schemas(self) -> bool:
        """Compares the loaded schemas with their files; True if any was out of date and will be read again."""
        was_stale = False
        for database, (schema, btree) in enumerate(zip(self.catalog.schemas, self.btrees)):
            if schema is None or btree is None or not schema.is_loaded or btree.pager.file is None:
                continue
            try:
                btree.begin_read()
            except Error:
                continue  # it is locked just now: the name stays missing
            cookie = btree.get_meta(1)
            btree.end_read()
            if cookie != schema.cookie:
                self.forget_schema(database)
                was_stale = True
        return was_stale

    def end_planning_reads(self) -> None:
        """Gives back the read transactions that planning has begun."""
        for database in self.planning_reads:
            btree = self.btrees[database]
            if btree is not None:
                btree.end_read()
        self.planning_reads.clear()

    def has_more(self, sql: str, start: int) -> bool:
        """Tells whether anything but blanks and comments follows."""
        length = len(sql)
        while start < length:
            if sql[start] in " \t\n\r\f":
                start += 1
            elif sql.startswith("--", start):
                start = sql.find("\n", start) + 1 or length
            elif sql.startswith("/*", start):
                end = sql.find("*/", start + 2)
                start = end + 2 if end >= 0 else length
            else:
                return True
        return False

    def run_script(self, sql: str) -> None:
        """Runs all statements of a text, without parameters, and drops their rows."""
        start = 0
        length = len(sql)
        while start < length:
            statement, end = self.prepare(sql, start)
            for _row in statement.start([None] * statement.n_parameters):
                pass
            start = end

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement and returns its rows."""
        statement, _end = self.prepare(sql)
        return list(statement.start(values))

    def execute_inside(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs SQL of the engine's own as a part of the running statement: no commit, no change counts of its own."""
        saved = self.changes, self.total_changes, self.last_insert_rowid, self.authorizer
        self.authorizer = None
        try:
            return list(run(self.compile(sql), self, values))
        finally:
            self.changes, self.total_changes, self.last_insert_rowid, self.authorizer = saved

    def rows_inside(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The same row by row, for SQL that only reads."""
        authorizer, self.authorizer = self.authorizer, None
        try:
            program = self.compile(sql)
        finally:
            self.authorizer = authorizer
        yield from run(program, self, ())

    def execute_kept(self, sql: str) -> None:
        """Runs one of the few statements that are run again and again (BEGIN, COMMIT, ...); they are compiled once."""
        statement = self.kept_statements.get(sql)
        if statement is None or statement.is_running:
            statement = self.kept_statements[sql] = self.prepare(sql)[0]
        for _row in statement.start():
            pass

    def interrupt(self) -> None:
        """Makes running statements fail with SQLITE_INTERRUPT; may be called from any thread."""
        if self.running:
            self.is_interrupted = True

    def close(self) -> None:
        """Rolls back what is open and closes the files."""
        if self.is_closed:
            return
        while self.blobs:
            self.blobs.pop().close()
        self.is_closed = True
        virtual_tables.disconnect_all(self)
        # Statements that are still half-way find nothing left to end.
        self.transaction_states = [transactions.IDLE] * len(self.btrees)
        self.autocommit = True
        self.running.clear()
        self.writers.clear()
        for btree in self.btrees:
            if btree is not None:
                # As in SQLite, closing does not fail: what cannot be undone now is undone by whoever finds the hot journal.
                with contextlib.suppress(Error):
                    close_database(btree)
        self.btrees = [None] * len(self.btrees)
        # The session refers to itself in these, and would have to wait for the garbage collector.
        self.kept_statements.clear()
        self.catalog.load = None
        del self.function_context

    def allows(self, action: int, first: str | None, second: str | None, schema: str | None) -> bool:
        """Asks the authorizer about something that the engine does itself: False means to leave it out; a refusal raises."""
        if self.authorizer is None:
            return True
        answer = self.authorizer(action, first, second, schema, None)
        if answer == _DENY:
            raise sqlite_error(AUTH, "not authorized")
        return answer == OK

    # PlanContext

    def find_collation(self, name: str) -> Collation | None:
        """A collation by name in any case."""
        return self.collations.get(name) or self.collations.get(name.upper())

    def estimated_rows(self, schema_index: int, root_page: int) -> int:
        """About how many rows a tree holds."""
        btree = self.btrees[schema_index]
        if btree is None:
            return 0
        if self.transaction_states[schema_index] == transactions.IDLE and btree.pager.file is not None:
            # Pages of a file are looked at within a read transaction only; this one lasts as long as the compilation.
            if schema_index not in self.planning_reads:
                btree.begin_read()
                self.planning_reads.append(schema_index)
        return btree.estimated_rows(root_page)

    def eponymous_table(self, name: str) -> Table | None:
        """A table that exists by its module's name alone."""
        return virtual_tables.eponymous_table(self, name)

    connect_virtual_table = virtual_tables.connect_table
    best_index = virtual_tables.best_index
    overload = virtual_tables.overload
    is_writable_virtual = virtual_tables.is_writable
    virtual_risk = virtual_tables.risk
    register_late_function = virtual_tables.register_late_function

    def schema_cookie(self, schema_index: int) -> int:
        """The cookie that the loaded schema was read with."""
        schema = self.catalog.schemas[schema_index]
        if schema is None:
            return 0
        if not schema.is_loaded:
            self.load_schemas()
        return schema.cookie

    # Transactions of services

    def ensure_reading(self, database: int) -> None:
        """Brings a database into a read transaction that ends with the running statement or its transaction."""
        if self.transaction_states[database] == transactions.IDLE:
            btree = self.btrees[database]
            assert btree is not None
            btree.begin_read()
            self.transaction_states[database] = transactions.READING

    def ensure_writing(self, database: int) -> None:
        """Brings a database into a write transaction; the running statement counts as writing."""
        is_fresh = self.transaction_states[database] == transactions.IDLE
        self.ensure_reading(database)
        if self.transaction_states[database] != transactions.WRITING:
            transactions.begin_writing(self, database, False, is_fresh)
        statement = self.starting
        if statement is not None and not statement.is_writing:
            statement.is_writing = True
            self.writers.add(statement)

    def release_reading(self, database: int) -> None:
        """Ends the read transaction of a database at once."""
        if self.transaction_states[database] == transactions.READING:
            btree = self.btrees[database]
            assert btree is not None
            btree.end_read()
            self.transaction_states[database] = transactions.IDLE

    def wait_while_busy(self, n_calls: int) -> bool:
        """Sleeps a while for a lock to go away; False when the timeout is over.

        The delays are SQLite's: short at first, so that a lock held for a moment costs a moment.
        """
        if self.busy_handler is not None:
            return self.busy_handler(n_calls)
        timeout = self.busy_timeout_ms
        if timeout <= 0:
            return False
        last = len(_BUSY_DELAYS_MS) - 1
        delay = _BUSY_DELAYS_MS[min(n_calls, last)]
        waited = sum(_BUSY_DELAYS_MS[:n_calls]) + max(0, n_calls - last - 1) * _BUSY_DELAYS_MS[last]
        delay = min(delay, timeout - waited)
        if delay <= 0:
            return False
        time.sleep(delay / 1000)
        return True

    # Schemas

    def ensure_schemas(self) -> None:
        """Loads what is not loaded."""
        if self.catalog.load is not None:
            self.load_schemas()

    def is_temp_used(self) -> bool:
        """Tells whether anything has ever been written to the temp database: only then it is there for the user."""
        return self.has_temp

    def databases_in_use(self) -> int:
        """A bit for each database that a running statement, or an open blob, reads or writes."""
        used = 0
        for statement in self.running:
            if isinstance(statement, BlobHandle):
                used |= 1 << statement.database
            else:
                used |= statement.program.read_databases | statement.program.write_databases
        return used

    def refuse_other_readers(self) -> None:
        """Raises LOCKED where a tree is to be dropped while another statement that reads a database, or a blob, is open."""
        n_readers = len(self.blobs)
        for statement in self.running:
            if not isinstance(statement, BlobHandle):
                n_readers += bool(statement.program.read_databases | statement.program.write_databases)
        if n_readers > 1:
            raise sqlite_error(LOCKED)

    def forget_all_schemas(self) -> None:
        """Every schema is read again at the next need."""
        for database in range(len(self.catalog.schemas)):
            self.forget_schema(database)

    def renumber_schemas(self, first: int) -> None:
        """After DETACH: objects of the databases behind the gap get their new number."""
        for database in range(first, len(self.catalog.schemas)):
            self.forget_schema(database)

    def clear_temp(self) -> None:
        """Empties the temp database."""
        btree = self.btrees[1]
        assert btree is not None
        btree.close()
        self.btrees[1] = open_database(self, "", False)
        self.transaction_states[1] = transactions.IDLE
        self.forget_schema(1)

    def module_names(self) -> list[str]:
        """The virtual-table modules that exist."""
        return virtual_tables.module_names(self)

    def load_schemas(self) -> None:
        """Reads every schema that is not loaded."""
        catalog = self.catalog
        catalog.load = None
        try:
            for database, schema in enumerate(catalog.schemas):
                if schema is not None and not schema.is_loaded:
                    schema_loader.load_schema(self, database)
        except BaseException:
            catalog.load = self.load_schemas
            raise

    def forget_schema(self, database: int) -> None:
        """The schema is read again at the next need, and every program compiled so far is out of date."""
        schema = self.catalog.schemas[database]
        if schema is not None:
            schema.is_loaded = False
        self.catalog.load = self.load_schemas
        self.bump_generation()

    def bump_generation(self) -> None:
        """Makes every program compiled so far out of date."""
        self.schema_generation += 1
        self.catalog.generation = self.schema_generation

    def reload_changed_schemas(self) -> None:
        """After undoing: schemas that the undone part changed are read again."""
        for database in self.changed_schemas:
            if database < len(self.catalog.schemas):
                self.forget_schema(database)

    def set_encoding(self, encoding: int) -> None:
        """The main database's encoding governs BINARY order and all conversions between text and blob."""
        if encoding != self.encoding:
            self.encoding = encoding
            self.collations.update(built_in_collations(encoding))

    # Host

    # Transaction, AutoCommit and Savepoint instructions: functions as methods, so that the machine's calls cost one frame.
    begin_statement = transactions.begin_statement
    set_autocommit = transactions.set_autocommit
    savepoint = transactions.set_savepoint

    def call(self, service: str, constants: tuple[Any, ...], arguments: list[Any]) -> Any:
        """The HostCall instruction."""
        return services.CALLS[service](self, constants, arguments)

    def rows(self, service: str, constants: tuple[Any, ...], arguments: list[Any]) -> Iterable[tuple[Any, ...]]:
        """The HostRows instruction."""
        return services.ROWS[service](self, constants, arguments)

    update_virtual = virtual_tables.update_virtual

    def reload_schema(self, database: int, objects: tuple[tuple[Any, ...], ...] | None) -> None:
        """The ParseSchema instruction."""
        self.changed_schemas.add(database)
        if objects is None:
            schema_loader.load_schema(self, database)
        else:
            schema_loader.apply_objects(self, database, objects)
        self.bump_generation()

    def set_cookie(self, database: int, field: int, value: int) -> None:
        """The SetCookie instruction."""
        btree = self.btrees[database]
        assert btree is not None
        btree.set_meta(field, value)
        if field == 1:
            schema = self.catalog.schemas[database]
            assert schema is not None
            schema_loader.write_formats(btree, schema, self.encoding)
            schema.cookie = value
            self.changed_schemas.add(database)
            self.bump_generation()

    def row_changed(self, operation: str, schema_index: int, table_name: str, rowid: int) -> None:
        """The update hook."""
        if self.update_hook is not None:
            schema = self.catalog.schemas[schema_index]
            self.update_hook(hooks.UPDATE_OPERATIONS[operation], schema.name if schema else "", table_name, rowid)

    def row_changing(
        self,
        operation: int,
        schema_index: int,
        table_name: str,
        old: tuple[Any, ...] | None,
        new: tuple[Any, ...] | None,
        rowids: tuple[int, int],
        depth: int,
    ) -> None:
        """The preupdate hook."""
        if self.preupdate_hook is not None:
            schema = self.catalog.schemas[schema_index]
            self.preupdate_hook((operation, schema.name if schema else "", table_name, *rowids, old, new, depth, -1))

    # FunctionContext

    def current_time_ms(self) -> int:
        """Milliseconds since the epoch, the same for all calls within one step of a statement."""
        if self.time_ms is None:
            self.time_ms = time.time_ns() // 1_000_000
        return self.time_ms

    def random_bytes(self, n: int) -> bytes:
        """Random bytes of the operating system."""
        return os.urandom(n)

    # Registration

    def create_function(self, name: str, n_arguments: int, call: Callable[..., Any] | None, deterministic: bool) -> None:
        """Registers or, with None, removes a scalar function."""
        hooks.create_function(self, name, n_arguments, call, deterministic)

    def create_aggregate(
        self,
        name: str,
        n_arguments: int,
        make: Callable[[], Any] | None,
        make_over: Callable[[], Any] | None = None,
    ) -> None:
        """Registers or removes an aggregate; with `make_over` it may be used as a window function."""
        hooks.create_aggregate(self, name, n_arguments, make, make_over)

    def create_collation(self, name: str, compare: Callable[[str, str], int] | None) -> None:
        """Registers or removes a collation."""
        hooks.create_collation(self, name, compare)

    def set_authorizer(self, authorizer: Callable[..., int] | None) -> None:
        """Registers or removes the authorizer; every statement is compiled again."""
        self.authorizer = authorizer
        self.bump_generation()

    def set_progress_handler(self, handler: Callable[[], bool] | None, n_instructions: int) -> None:
        """Registers or removes the progress handler."""
        self.progress = handler if n_instructions > 0 else None
        self.progress_steps = n_instructions

    def set_hooks(
        self,
        update: Callable[[int, str, str, int], None] | None = None,
        commit: Callable[[], bool] | None = None,
        rollback: Callable[[], None] | None = None,
    ) -> None:
        """Registers the update hook (action code, database, table, rowid), the commit hook (true: roll back instead) and the
        rollback hook; None removes one."""
        self.update_hook = update
        self.has_update_hook = update is not None
        self.commit_hook = commit
        self.rollback_hook = rollback

    def set_preupdate_hook(self, hook: PreUpdateHook | None) -> None:
        """Registers or removes the preupdate hook; every statement is compiled again."""
        self.preupdate_hook = hook
        self.flags["minisql_hears_rows"] = hook is not None
        self.bump_generation()

    def set_trace(self, callback: Callable[[str, bool], Any] | None) -> None:
        """Registers or removes the trace callback: it gets a text, and whether parameters stand in it for being too long."""
        self.trace = callback
        if self.flags["minisql_hears_steps"] != (callback is not None):
            self.flags["minisql_hears_steps"] = callback is not None
            self.bump_generation()

    def report_trace(self, statement: Statement, values: Sequence[Any]) -> None:
        """Hands the statement's text to the trace callback; EXPLAIN is not traced, as nothing of the statement runs."""
        if self.trace is not None and statement.program.statement_kind != "explain":
            text = hooks.expanded_sql(statement.sql, statement.parameter_names, values)
            # A text that would grow too long is shown as it was written.
            is_too_long = len(text) > self.limits[limit_numbers.LENGTH]
            self.traced = statement.sql if is_too_long else text, is_too_long
            self.trace(*self.traced)

    def repeat_trace(self) -> None:
        """A trigger of the statement begins, or a step of it: the standard library's module shows the statement once more."""
        if self.trace is not None:
            self.trace(*self.traced)

    # Whole databases and values

    def serialize(self, name: str) -> bytes:
        """The bytes of a database's file."""
        return copying.serialize(self, name)

    def deserialize(self, name: str, data: bytes) -> None:
        """Replaces a database by one in memory with these bytes."""
        copying.deserialize(self, name, data)

    def open_blob(self, schema: str, table: str, column: str, rowid: int, is_writable: bool) -> BlobHandle:
        """Opens a value for incremental reading and writing."""
        return BlobHandle(self, schema, table, column, rowid, is_writable)

    def get_config(self, option: int) -> bool:
        """A boolean option (SQLITE_DBCONFIG_*)."""
        return self.flags.get(_config_flag(option), False)

    def set_config(self, option: int, enable: bool) -> None:
        """Sets a boolean option (SQLITE_DBCONFIG_*)."""
        self.flags[_config_flag(option)] = enable
        self.bump_generation()

    def set_limit(self, category: int, value: int) -> int:
        """Sets a limit if the value is not negative, and returns the old one."""
        old = self.limits[category]
        if value >= 0:
            limits = list(self.limits)
            limits[category] = min(value, limit_numbers.HARD_LIMITS[category])
            # Programs compiled before know nothing of limits, or of other ones.
            self.recent_conditions.clear()
            self.limits = limits if tuple(limits) != limit_numbers.DEFAULTS else limit_numbers.DEFAULTS
            self.bump_generation()
        return old


_CONFIG_FLAGS = {
    1002: "foreign_keys",
    1003: "enable_trigger",
    1004: "enable_fts3_tokenizer",
    1005: "enable_load_extension",
    1006: "no_checkpoint_on_close",
    1007: "enable_qpsg",
    1008: "trigger_eqp",
    1009: "reset_database",
    1010: "defensive",
    1011: "writable_schema",
    1012: "legacy_alter_table",
    1013: "dqs_dml",
    1014: "dqs_ddl",
    1015: "enable_view",
    1016: "legacy_file_format",
    1017: "trusted_schema",
}


def _config_flag(option: int) -> str:
    name = _CONFIG_FLAGS.get(option)
    if name is None:
        raise ValueError(f"unknown config 'op': {option}")
    return name
