"""Which function emits which kind of statement, for all statements but SELECT, PRAGMA and EXPLAIN.

Source: https://www.sqlite.org/lang.html.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.parser import ast
from minisql.planner.commands import emit_analyze, emit_attach, emit_detach, emit_reindex, emit_vacuum
from minisql.planner.ddl_alter import emit_add_column, emit_rename_table
from minisql.planner.ddl_alter_columns import emit_drop_column, emit_rename_column
from minisql.planner.ddl_alter_constraints import (
    emit_add_constraint,
    emit_drop_constraint,
    emit_drop_not_null,
    emit_set_not_null,
)
from minisql.planner.ddl_drop import emit_drop
from minisql.planner.ddl_index import emit_create_index
from minisql.planner.ddl_table import emit_create_table, emit_create_virtual_table
from minisql.planner.ddl_view import emit_create_trigger, emit_create_view
from minisql.planner.delete import emit_delete
from minisql.planner.insert import emit_insert
from minisql.planner.transactions import emit_begin, emit_commit, emit_release, emit_rollback, emit_savepoint
from minisql.planner.update import emit_update

if TYPE_CHECKING:
    from minisql.planner.compiler import Compiler

Emitter = Callable[["Compiler", Any], "tuple[str, ...] | None"]

EMITTERS: dict[type, tuple[Emitter, str]] = {
    ast.Insert: (emit_insert, "insert"),
    ast.Update: (emit_update, "update"),
    ast.Delete: (emit_delete, "delete"),
    ast.Begin: (emit_begin, "begin"),
    ast.Commit: (emit_commit, "commit"),
    ast.Rollback: (emit_rollback, "rollback"),
    ast.Savepoint: (emit_savepoint, "savepoint"),
    ast.Release: (emit_release, "release"),
    ast.CreateTable: (emit_create_table, "create table"),
    ast.CreateVirtualTable: (emit_create_virtual_table, "create virtual table"),
    ast.CreateIndex: (emit_create_index, "create index"),
    ast.CreateView: (emit_create_view, "create view"),
    ast.CreateTrigger: (emit_create_trigger, "create trigger"),
    ast.Drop: (emit_drop, "drop"),
    ast.AddColumn: (emit_add_column, "alter"),
    ast.RenameTable: (emit_rename_table, "alter"),
    ast.RenameColumn: (emit_rename_column, "alter"),
    ast.DropColumn: (emit_drop_column, "alter"),
    ast.SetNotNull: (emit_set_not_null, "alter"),
    ast.DropNotNull: (emit_drop_not_null, "alter"),
    ast.AddConstraint: (emit_add_constraint, "alter"),
    ast.DropConstraint: (emit_drop_constraint, "alter"),
    ast.Attach: (emit_attach, "attach"),
    ast.Detach: (emit_detach, "detach"),
    ast.Vacuum: (emit_vacuum, "vacuum"),
    ast.Analyze: (emit_analyze, "analyze"),
    ast.Reindex: (emit_reindex, "reindex"),
}
"""Statement class -> (emitter, Program.statement_kind); an emitter returns the column names of RETURNING, or None."""
