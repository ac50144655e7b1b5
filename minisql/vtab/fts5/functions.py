"""The SQL functions that FTS5 brings besides the auxiliary ones, and the names of those.

Source: https://www.sqlite.org/fts5.html section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minisql.vtab.fts5.snippets import BUILT_IN
from minisql.vtab.fts5.table import FUNCTIONS_SETTING, TOKENIZERS_SETTING

if TYPE_CHECKING:
    from minisql.vtab.host import VtabHost


def register_functions(host: VtabHost) -> None:
    """Makes the functions known to a connection."""
    for name in (*BUILT_IN, "fts5_get_locale"):
        host.declare_function(name)
    host.register_function("fts5_insttoken", 1, _same)


def register_extension(kind: str, host: VtabHost, name: str, item: Callable[..., Any] | None) -> None:
    """A tokenizer or auxiliary function of the user's; None removes it."""
    setting = TOKENIZERS_SETTING if kind == "fts5 tokenizer" else FUNCTIONS_SETTING
    items: dict[str, Callable[..., Any]] = host.setting(setting) or {}
    host.keep(setting, items)
    if item is None:
        items.pop(name.lower(), None)
        return
    items[name.lower()] = item
    if setting == FUNCTIONS_SETTING:
        host.declare_function(name.lower())


def _same(value: Any) -> Any:
    return value
