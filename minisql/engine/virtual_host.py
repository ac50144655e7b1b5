"""SessionHost: the connection as the built-in modules of virtual tables see it; implements `vtab.host.VtabHost`.

Source: https://www.sqlite.org/vtab.html.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from minisql.bytecode.listing import programs_of
from minisql.engine.statement import Statement
from minisql.errors import ERROR, MISUSE, Error, sqlite_error
from minisql.functions.registry import ANY, AggregateFunction, ScalarFunction
from minisql.storage.image import page_image, set_page_count, write_image_page
from minisql.vm.machine import run

if TYPE_CHECKING:
    from minisql.bytecode.program import Program
    from minisql.engine.session import Session
    from minisql.storage.btree import BtreeFile
    from minisql.vtab.protocol import VirtualTable

_MAX_KEPT = 100


class SessionHost:
    """Belongs to one connected table; does not keep the connection alive.

    `conflict` is SQLite's code of the conflict action of the change that is being made.
    """

    __slots__ = ("_programs", "_session", "conflict", "schema_name")

    def __init__(self, session: Session, schema_name: str) -> None:
        self._session = weakref.ref(session)
        self.schema_name = schema_name
        self.conflict = 4
        # Compiled statements by text, with the schema generation they were compiled for.
        self._programs: dict[str, tuple[int, Program]] = {}

    @property
    def session(self) -> Session:
        """The connection; raises MISUSE when it is gone."""
        found = self._session()
        if found is None:
            raise sqlite_error(MISUSE)
        return found

    def _compiled(self, session: Session, sql: str) -> Program:
        known = self._programs.get(sql)
        if known is not None and known[0] == session.schema_generation:
            return known[1]
        program = session.compile(sql)
        if len(self._programs) >= _MAX_KEPT:
            self._programs.clear()
        if not program.is_ddl:
            self._programs[sql] = (session.schema_generation, program)
        return program

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement to its end and returns its rows."""
        session = self.session
        saved = session.changes, session.total_changes, session.last_insert_rowid
        session.n_nested += 1
        try:
            return list(run(self._compiled(session, sql), session, values))
        finally:
            session.n_nested -= 1
            session.changes, session.total_changes, session.last_insert_rowid = saved

    def read_blob(self, sql: str, rowid: int) -> Any:
        """The value that a SELECT with one parameter finds, else None; like blob I/O the authorizer does not hear of it."""
        session = self.session
        authorizer, session.authorizer = session.authorizer, None
        session.n_nested += 1
        try:
            for row in run(self._compiled(session, sql), session, (rowid,)):
                return row[0]
            return None
        finally:
            session.n_nested -= 1
            session.authorizer = authorizer

    def change(self, sql: str, values: Sequence[Any]) -> int:
        """Runs one INSERT, UPDATE or DELETE and returns the rowid of the row that it inserted last."""
        session = self._session()
        if session is None:
            raise sqlite_error(MISUSE)
        changes, total_changes, last_insert_rowid = session.changes, session.total_changes, session.last_insert_rowid
        session.n_nested += 1
        try:
            known = self._programs.get(sql)
            is_current = known is not None and known[0] == session.schema_generation
            for _ in run(known[1] if is_current else self._compiled(session, sql), session, values):  # type: ignore[index]
                pass
            return session.last_insert_rowid
        finally:
            session.n_nested -= 1
            session.changes, session.total_changes, session.last_insert_rowid = changes, total_changes, last_insert_rowid

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Runs a SELECT row by row."""
        session = self.session
        return run(self._compiled(session, sql), session, values)

    def read_stamp(self) -> tuple[int, int] | None:
        """What changes whenever the table's database may have changed; None while this connection writes to it."""
        return self._btree(self.schema_name).read_stamp

    def note_rowid(self, rowid: int) -> None:
        """Makes a rowid what last_insert_rowid() returns, after a change that is no INSERT."""
        self.session.last_insert_rowid = rowid

    def conflict_action(self) -> int:
        """SQLite's code of what the running statement does on a conflict."""
        return self.conflict

    def declare_function(self, name: str) -> None:
        """Makes a function name known that only works where a module overloads it."""
        functions = self.session.functions
        if not functions.exists(name):

            def call(*_arguments: Any) -> None:
                raise sqlite_error(ERROR, f"unable to use function {name} in the requested context")

            functions.register(ScalarFunction(name, 0, ANY, call, deterministic=False))

    def register_function(self, name: str, n_arguments: int, call: Callable[..., Any]) -> None:
        """Registers a scalar function (-1: any number of arguments)."""
        least = max(n_arguments, 0)
        self.session.functions.register(ScalarFunction(name, least, n_arguments, call, deterministic=False, foldable=False))

    def register_aggregate(self, name: str, n_arguments: int, make: Callable[[], Any]) -> None:
        """Registers an aggregate function; `make()` gives its state for a group."""
        self.session.functions.register(AggregateFunction(name, n_arguments, n_arguments, make))

    def page_size(self, schema_name: str) -> int:
        """The size of a page in bytes."""
        return self._btree(schema_name).pager.page_size

    def _btree(self, schema_name: str) -> BtreeFile:
        session = self.session
        database = session.catalog.schema_position(schema_name)
        btree = session.btrees[database] if database >= 0 else None
        if btree is None:
            raise sqlite_error(ERROR, f"no such schema: {schema_name}")
        session.ensure_reading(database)
        return btree

    def page_bytes(self, schema_name: str, page_number: int) -> bytes:
        """A page as it would stand in the file."""
        return bytes(page_image(self._btree(schema_name), page_number))

    def page_count(self, schema_name: str) -> int:
        """The number of pages of a database."""
        return self._btree(schema_name).n_pages

    def has_schema(self, schema_name: str) -> bool:
        """Tells whether a database of that name is attached and has been opened."""
        session = self.session
        database = session.catalog.schema_position(schema_name)
        return database >= 0 and session.btrees[database] is not None and (database != 1 or session.has_temp)

    def is_defensive(self) -> bool:
        """Tells whether statements must not be able to damage the file."""
        return bool(self.session.flags.get("defensive", False))

    def write_page(self, schema_name: str, page_number: int, data: bytes) -> None:
        """Replaces a page; the schema is read again at the next need."""
        btree = self._btree(schema_name)
        session = self.session
        database = session.catalog.schema_position(schema_name)
        session.ensure_writing(database)
        write_image_page(btree, page_number, data)
        btree.trees.clear()
        session.changed_schemas.add(database)
        session.forget_schema(database)

    def cut_pages(self, schema_name: str, n_pages: int) -> None:
        """Cuts a database down to so many pages."""
        btree = self._btree(schema_name)
        self.session.ensure_writing(self.session.catalog.schema_position(schema_name))
        set_page_count(btree, n_pages)

    def statements(self) -> list[tuple[str, int, bool, bool, int, int, int]]:
        """The prepared statements, the newest first.

        No list of them is kept, as it would cost every statement something: the collector of garbage knows them all.
        """
        session = self.session
        found: list[tuple[str, int, bool, bool, int, int, int]] = []
        for generation in range(3):
            for item in reversed(gc.get_objects(generation)):
                if item.__class__ is Statement and item.session is session:
                    program = item.program
                    n_bytes = sum(map(sys.getsizeof, (program.code, program.template, *program.code)))
                    # In SQLite a run begins before it finds that the schema has changed, and once again when it has compiled.
                    counted = item.n_recompiled, item.n_runs + item.n_recompiled
                    found.append((item.sql, len(item.column_names), program.readonly, item.is_running, *counted, n_bytes))
        return found

    def compiled_programs(self, text: str) -> list[tuple[str | None, Program]] | None:
        """The program of the first statement in a text, and its sub-programs with their names; None if it has an error."""
        session = self.session
        try:
            statement, _end = session.prepare(text)
        except Error:
            return None
        if statement.is_empty:
            return None
        main, *others = programs_of(statement.program)
        named: list[tuple[str | None, Program]] = [(None, main[0])]
        for program, trigger in others:
            schema = session.catalog.schemas[trigger[0]] if trigger is not None else None
            named.append(("(FK)" if trigger is None or schema is None else schema.triggers[trigger[1]].name, program))
        return named

    def tree_owner(self, database: int, root_page: int) -> tuple[str, str, str] | None:
        """What a tree stores: "table" or "index", schema, name; None if the schema knows nothing there."""
        schema = self.session.catalog.schemas[database]
        if schema is not None and root_page:
            for kind, objects in (("table", schema.tables), ("index", schema.indexes)):
                for item in objects.values():
                    if item.root_page == root_page:
                        return kind, schema.name, item.name
        return None

    def virtual_table(self, schema_name: str, table_name: str) -> VirtualTable | None:
        """The module's table behind a virtual table of that name, None if there is none."""
        session = self.session
        table = session.catalog.find_table(table_name, schema_name)
        if table is None or table.module is None:
            return None
        if table.module_instance is None:
            session.connect_virtual_table(table)
        instance: Any = table.module_instance
        found: VirtualTable = instance.table
        return found

    def setting(self, name: str) -> Any:
        """What a module keeps with the connection under a name, None at first."""
        return self.session.settings.get(("module", name))

    def keep(self, name: str, value: Any) -> None:
        """Keeps something with the connection until it closes."""
        self.session.settings["module", name] = value
