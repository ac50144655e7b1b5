"""The built-in modules: names, and where each is made when it is first asked for.

Source: https://www.sqlite.org/vtablist.html.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost
    from minisql.vtab.protocol import Module

_MADE_IN = {
    "fts3": "fts3.table",
    "fts4": "fts3.table",
    "fts3tokenize": "fts3.tokenize_table",
    "fts4aux": "fts3.terms",
    "fts5": "fts5.table",
    "fts5vocab": "fts5.vocabulary",
    "rtree": "rtree.table",
    "rtree_i32": "rtree.table",
    "geopoly": "rtree.geopoly",
    "json_each": "json_tables",
    "json_tree": "json_tables",
    "jsonb_each": "json_tables",
    "jsonb_tree": "json_tables",
    "generate_series": "series",
    "csv": "csv_files",
    "sqlite_dbpage": "pages",
    "sqlite_stmt": "statements",
    "bytecode": "programs",
    "tables_used": "programs",
    "completion": "completion",
}
"""Name to the module of this room whose `make_module(name)` makes it."""


_GEOPOLY_FUNCTIONS = (
    "area", "bbox", "blob", "ccw", "contains_point", "debug", "group_bbox", "json", "overlap", "regular", "svg", "within",
    "xform",
)  # fmt: skip

_FUNCTIONS_IN = {
    **dict.fromkeys((f"geopoly_{name}" for name in _GEOPOLY_FUNCTIONS), "rtree.geopoly_functions"),
    **dict.fromkeys(("rtreecheck", "rtreedepth", "rtreenode"), "rtree.functions"),
    **dict.fromkeys(("matchinfo", "offsets", "optimize"), "fts3.functions"),
    **dict.fromkeys(("bm25", "fts5_get_locale", "fts5_insttoken", "highlight", "snippet"), "fts5.functions"),
}
"""Functions that belong to modules: name to the module of this room whose `register_functions(host)` makes them."""


def register_late_functions(name: str, host: VtabHost) -> bool:
    """Registers the functions of the module that has one of this (lower-case) name; False if there is none."""
    place = _FUNCTIONS_IN.get(name)
    if place is None:
        return False
    importlib.import_module(f"minisql.vtab.{place}").register_functions(host)
    return True


_EXTENDED_IN = {
    "fts5 tokenizer": "fts5.functions",
    "fts5 function": "fts5.functions",
    "rtree region": "rtree.geometry",
    "rtree query": "rtree.geometry",
}
"""Kinds of things that users register: the module of this room whose `register_extension(...)` takes them."""


def register_in_module(kind: str, host: VtabHost, name: str, item: Callable[..., Any] | None) -> None:
    """Hands something of a kind to its module."""
    importlib.import_module(f"minisql.vtab.{_EXTENDED_IN[kind]}").register_extension(kind, host, name, item)


def built_in_names() -> list[str]:
    """The names of all built-in modules."""
    return list(_MADE_IN)


def built_in_module(name: str) -> Module | None:
    """The built-in module of a lower-case name, or None."""
    place = _MADE_IN.get(name)
    if place is None:
        return None
    module: Module = importlib.import_module(f"minisql.vtab.{place}").make_module(name)
    return module
