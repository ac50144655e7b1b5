"""VtabHost: what the built-in modules may ask of the connection that they live in; the engine implements it.

SQL runs as a part of the statement that calls the module: it commits nothing and counts no changes, and the authorizer does not
hear of it.

Source: https://www.sqlite.org/vtab.html.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from minisql.vtab.protocol import Value, VirtualTable

if TYPE_CHECKING:
    from minisql.bytecode.program import Program


class VtabHost(Protocol):
    """The connection as modules see it.  Statements are compiled once per text and schema."""

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement to its end and returns its rows."""

    def read_blob(self, sql: str, rowid: int) -> Value:
        """The value that a SELECT with one parameter finds, else None; like blob I/O the authorizer does not hear of it."""

    def rows(self, sql: str, values: Sequence[Value] = ()) -> Iterator[tuple[Any, ...]]:
        """Runs a SELECT row by row."""

    def read_stamp(self) -> tuple[int, int] | None:
        """What changes whenever the table's database may have changed; None while this connection writes to it."""

    def change(self, sql: str, values: Sequence[Value]) -> int:
        """Runs one INSERT, UPDATE or DELETE and returns the rowid of the row that it inserted last."""

    def note_rowid(self, rowid: int) -> None:
        """Makes a rowid what last_insert_rowid() returns, after a change that is no INSERT."""

    def conflict_action(self) -> int:
        """What the running change does on a conflict: SQLite's codes ROLLBACK 1, IGNORE 2, FAIL 3, ABORT 4, REPLACE 5."""

    def declare_function(self, name: str) -> None:
        """Makes a function name known that only works with a table whose module overloads it."""

    def register_function(self, name: str, n_arguments: int, call: Callable[..., Any]) -> None:
        """Registers a scalar function (-1: any number of arguments)."""

    def register_aggregate(self, name: str, n_arguments: int, make: Callable[[], Any]) -> None:
        """Registers an aggregate function; `make()` gives an object with `step(*arguments)` and `value()`."""

    def page_size(self, schema_name: str) -> int:
        """The size of a page in bytes."""

    def page_bytes(self, schema_name: str, page_number: int) -> bytes:
        """A page as it would stand in the file."""

    def page_count(self, schema_name: str) -> int:
        """The number of pages of a database."""

    def has_schema(self, schema_name: str) -> bool:
        """Tells whether a database of that name is attached and has been opened."""

    def is_defensive(self) -> bool:
        """Tells whether statements must not be able to damage the file."""

    def write_page(self, schema_name: str, page_number: int, data: bytes) -> None:
        """Replaces a page; whatever was read from the database is forgotten, the schema is loaded anew."""

    def cut_pages(self, schema_name: str, n_pages: int) -> None:
        """Cuts a database down to so many pages."""

    def statements(self) -> list[tuple[str, int, bool, bool, int, int, int]]:
        """The prepared statements, the newest first: text, number of columns, read-only, running, how often compiled again
        and run, bytes of the program."""

    def compiled_programs(self, text: str) -> list[tuple[str | None, Program]] | None:
        """The program of the first statement in a text, named None, and its sub-programs: the name of a trigger, or "(FK)".
        None if there is no statement or it has an error."""

    def tree_owner(self, database: int, root_page: int) -> tuple[str, str, str] | None:
        """What a tree stores: "table" or "index", schema, name; None if nothing is there that the schema knows."""

    def virtual_table(self, schema_name: str, table_name: str) -> VirtualTable | None:
        """The module's table behind a virtual table of that name, None if there is none."""

    def setting(self, name: str) -> Any:
        """What a module keeps with the connection under a name, None at first."""

    def keep(self, name: str, value: Any) -> None:
        """Keeps something with the connection until it closes."""
