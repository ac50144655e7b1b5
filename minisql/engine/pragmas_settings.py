"""PRAGMAs that read and set what a connection keeps in its own memory: flags, timeouts, numbers.

Source: https://www.sqlite.org/pragma.html.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from minisql.engine.pragma_table import Rows, parse_boolean, parse_integer, parse_integer64, parse_whole_integer64, pragma
from minisql.errors import ERROR, sqlite_error
from minisql.functions.registry import set_case_sensitive_like
from minisql.planner import optimizations
from minisql.storage.row_cache import row_cache

if TYPE_CHECKING:
    from minisql.engine.session import Session

_FLAGS = (
    "automatic_index",
    "cell_size_check",
    "checkpoint_fullfsync",
    "count_changes",
    "defer_foreign_keys",
    "empty_result_callbacks",
    "foreign_keys",
    "full_column_names",
    "fullfsync",
    "ignore_check_constraints",
    "legacy_alter_table",
    "query_only",
    "read_uncommitted",
    "recursive_triggers",
    "reverse_unordered_selects",
    "short_column_names",
    "trusted_schema",
    "writable_schema",
)


def _enter_flag(name: str, is_public: bool = True) -> None:
    @pragma(name, sets_silently=True, is_public=is_public)
    def serve(session: Session, database: int | None, value: str | None) -> Rows:
        if value is None:
            return [(int(session.flags[name]),)]
        set_flag(session, name, value)
        return []


def set_flag(session: Session, name: str, value: str) -> None:
    """Sets a boolean flag as its PRAGMA does."""
    if name == "foreign_keys" and not session.autocommit:
        return  # enforcement cannot change within a transaction
    if name == "writable_schema" and value.lower() == "reset":
        session.flags[name] = False
        session.forget_all_schemas()
        return
    is_on = parse_boolean(value)
    if session.flags[name] != is_on:
        session.flags[name] = is_on
        session.bump_generation()
    if name == "query_only":
        session.is_query_only = is_on
    if name == "defer_foreign_keys" and not is_on:
        # SQLite forgets all violations that were put off, those of keys that are INITIALLY DEFERRED too.
        session.deferred_violations = 0


for _name in _FLAGS:
    _enter_flag(_name)
_enter_flag("minisql_fast_path", is_public=False)
_enter_flag("minisql_shapes", is_public=False)


@pragma("minisql_optimizations", is_public=False)
def minisql_optimizations(session: Session, database: int | None, value: str | None) -> Rows:
    """Which optimisations the planner may use, one bit each."""
    if value is not None:
        mask = parse_integer64(value)
        for bit, name in enumerate(optimizations.NAMES):
            session.flags[name] = bool(mask >> bit & 1)
        session.bump_generation()
    return [(sum(session.flags.get(name, True) << bit for bit, name in enumerate(optimizations.NAMES)),)]


@pragma("case_sensitive_like", "-")
def case_sensitive_like(session: Session, database: int | None, value: str | None) -> Rows:
    """Makes LIKE tell upper from lower case; cannot be read."""
    if value is not None:
        is_on = parse_boolean(value)
        session.flags["case_sensitive_like"] = is_on
        set_case_sensitive_like(session.functions, is_on)
        session.bump_generation()
    return []


@pragma("busy_timeout", "timeout")
def busy_timeout(session: Session, database: int | None, value: str | None) -> Rows:
    """Milliseconds to wait for a lock."""
    if value is not None:
        session.busy_timeout_ms = max(0, parse_integer(value))
    return [(session.busy_timeout_ms,)]


def _enter_number(name: str, mask: int) -> None:
    @pragma(name)
    def serve(session: Session, database: int | None, value: str | None) -> Rows:
        number = None if value is None else parse_whole_integer64(value)
        if number is not None and number >= 0:
            session.settings[name] = number & mask
        return [(session.settings.get(name, 0),)]


_enter_number("analysis_limit", 0x7FFFFFFF)
_enter_number("soft_heap_limit", 0x7FFFFFFFFFFFFFFF)
_enter_number("hard_heap_limit", 0x7FFFFFFFFFFFFFFF)


@pragma("threads")
def threads(session: Session, database: int | None, value: str | None) -> Rows:
    """Worker threads: kept, not used."""
    number = None if value is None else parse_whole_integer64(value)
    if number is not None and number >= 0:
        session.set_limit(11, number)
    return [(session.limits[11],)]


@pragma("temp_store", sets_silently=True)
def temp_store(session: Session, database: int | None, value: str | None) -> Rows:
    """Where temporary tables are: always in memory here; the setting is kept."""
    if value is None:
        return [(session.settings.get("temp_store", 0),)]
    words = {"file": 1, "memory": 2}
    number = int(value[0]) if value[:1] in ("0", "1", "2") else words.get(value.lower(), 0)
    if number != session.settings.get("temp_store", 0):
        if session.has_temp and not session.autocommit:
            raise sqlite_error(ERROR, "temporary storage cannot be changed from within a transaction")
        session.settings["temp_store"] = number
        session.clear_temp()
    return []


@pragma("temp_store_directory", "temp_store_directory", sets_silently=True, is_function=False)
def temp_store_directory(session: Session, database: int | None, value: str | None) -> Rows:
    """Deprecated: there are no temporary files."""
    if value is None:
        directory = session.settings.get("temp_store_directory", "")
        return [(directory,)] if directory else []
    if value and not os.access(value, os.W_OK):
        raise sqlite_error(ERROR, "not a writable directory")
    session.settings["temp_store_directory"] = value
    return []


@pragma("shrink_memory", "-")
def shrink_memory(session: Session, database: int | None, value: str | None) -> Rows:
    """Gives cached pages back."""
    for btree in session.btrees:
        if btree is not None:
            btree.pager.trim()
    return []


@pragma("minisql_tier", is_public=False)
def minisql_tier(session: Session, database: int | None, value: str | None) -> Rows:
    """Which tier runs programs: 1, 2, auto, or both (and compare)."""
    if value is not None:
        if value.lower() not in ("1", "2", "auto", "both"):
            raise sqlite_error(ERROR, f"unknown tier: {value}")
        session.tier = value.lower()
    return [(session.tier,)]


@pragma("minisql_source", "source", is_public=False)
def minisql_source(session: Session, database: int | None, value: str | None) -> Rows:
    """The Python source that tier 2 makes of a statement, a row for each line."""
    # The translator is not loaded before it is needed.
    source_lines = import_module("minisql.engine.translated_source").source_lines
    return [] if value is None else [(line,) for line in source_lines(session, value)]


@pragma("minisql_row_cache", is_public=False)
def minisql_row_cache(session: Session, database: int | None, value: str | None) -> Rows:
    """Bytes that decoded rows of all files in this process may take."""
    if value is not None:
        row_cache.limit = max(0, parse_integer64(value))
    return [(row_cache.limit,)]


@pragma("minisql_verify", is_public=False)
def minisql_verify(session: Session, database: int | None, value: str | None) -> Rows:
    """Whether every program is checked against the operand contracts before it runs."""
    if value is not None:
        session.verifies_programs = parse_boolean(value)
    return [(int(session.verifies_programs),)]
