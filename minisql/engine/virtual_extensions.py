"""What users add to the built-in modules of virtual tables: tokenizers and functions for FTS5, regions for R-Trees.

The kinds are those of `minisql.vtab.built_in`: "fts5 tokenizer", "fts5 function", "rtree region", "rtree query".

Source: https://www.sqlite.org/fts5.html section 7, https://www.sqlite.org/rtree.html section 6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.engine.virtual_host import SessionHost
from minisql.vtab.built_in import register_in_module

if TYPE_CHECKING:
    from minisql.engine.session import Session


def register_extension(session: Session, kind: str, name: str, item: Callable[..., Any] | None) -> None:
    """Registers something with the module that it is for; None removes a tokenizer or function."""
    if not isinstance(name, str):
        raise TypeError(f"a name must be str, not {type(name).__name__}")
    if item is not None and not callable(item):
        raise TypeError("parameter must be callable")
    register_in_module(kind, SessionHost(session, "main"), name, item)
    session.bump_generation()
