"""The boolean settings of a connection that PRAGMAs turn on and off, with their values at the start.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

DEFAULT_FLAGS: dict[str, bool] = {
    "automatic_index": True,
    "case_sensitive_like": False,
    "cell_size_check": False,
    "checkpoint_fullfsync": False,
    "count_changes": False,
    "defer_foreign_keys": False,
    "dqs_ddl": True,
    "dqs_dml": True,
    "empty_result_callbacks": False,
    "enable_trigger": True,
    "enable_view": True,
    "foreign_keys": False,
    "full_column_names": False,
    "fullfsync": False,
    "ignore_check_constraints": False,
    "legacy_alter_table": False,
    "minisql_fast_path": True,
    "minisql_hears_rows": False,
    "minisql_hears_steps": False,
    "minisql_shapes": True,
    "query_only": False,
    "read_uncommitted": False,
    "recursive_triggers": False,
    "reverse_unordered_selects": False,
    "short_column_names": True,
    "trusted_schema": True,
    "writable_schema": False,
}
