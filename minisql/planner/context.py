"""PlanContext: all that the planner may know of the connection it compiles for.

The engine implements it.  The planner never sees a page, a pager or a cursor; the one thing it asks of storage is an
estimate of how many rows a tree holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minisql.catalog.schema import Catalog, Table
    from minisql.functions.registry import FunctionRegistry, ScalarFunction
    from minisql.planner.index_info import IndexInfo
    from minisql.values.collation import Collation


class PlanContext(Protocol):
    """What the planner needs.  Attributes are read often and must be plain attributes.

    `flags` of PRAGMAs by name: foreign_keys, recursive_triggers, defer_foreign_keys, reverse_unordered_selects,
    automatic_index, case_sensitive_like, legacy_alter_table, writable_schema, trusted_schema, count_changes,
    dqs_dml, dqs_ddl, minisql_fast_path.
    """

    catalog: Catalog
    functions: FunctionRegistry
    limits: Sequence[int]
    flags: dict[str, bool]
    authorizer: Callable[[int, str | None, str | None, str | None, str | None], int] | None

    def find_collation(self, name: str) -> Collation | None:
        """A collation by name in any case, or None (the planner raises `no such collation sequence: NAME`)."""

    def estimated_rows(self, schema_index: int, root_page: int) -> int:
        """About how many rows a tree holds; cheap; needs no open transaction."""

    def eponymous_table(self, name: str) -> Table | None:
        """A table that exists by its module's name alone (pragma_x, json_each, generate_series), or None.

        Its hidden columns (hidden == 1) take the arguments.
        """

    def connect_virtual_table(self, table: Table) -> None:
        """Connects a virtual table to its module, which declares its columns; raises `no such module: X`."""

    def best_index(self, table: Table, info: IndexInfo) -> bool:
        """Asks the module of a virtual table to plan a scan: fills in the answer, or returns False for no plan.

        The rows of a scan come from HostRows service "virtual_rows" with the constants (schema index, table name, is it
        eponymous, index number, index string, column numbers wanted, -1 being the rowid) and one argument for each constraint
        that the module uses, in its order.
        """

    def overload(self, table: Table, name: str, n_arguments: int) -> tuple[int, ScalarFunction] | None:
        """What a module makes of a function whose first argument is a column of its table: an operator for `best_index` (0:
        none) and the function; None if it leaves the function alone."""

    def register_late_function(self, name: str) -> bool:
        """Makes the functions of a module known, if one of them has this (lower-case) name."""

    def virtual_risk(self, table: Table) -> int:
        """What harm a virtual table's module could do: 0 none, 1 not known, 2 only for direct use."""

    def is_writable_virtual(self, table: Table) -> bool:
        """Whether a virtual table's module can change it."""

    def schema_cookie(self, schema_index: int) -> int:
        """The cookie that the loaded schema was read with."""
