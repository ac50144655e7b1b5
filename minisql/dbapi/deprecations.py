"""Warnings of the running CPython: what its own module calls deprecated, this one does too, from the same version on.

Source: https://docs.python.org/3/library/sqlite3.html, the notes "Deprecated since version ...".
"""

from __future__ import annotations

import os.path
import sys
import warnings
from typing import Any

MODULE_VERSION = "2.6.0"
"""`version`, deprecated since Python 3.12: of the module of old, which says nothing about this one."""

_PACKAGE = os.path.dirname(os.path.dirname(__file__))


def warn_deprecated(message: str, depth: int = 3) -> None:
    """A DeprecationWarning at the first caller outside this package; Python 3.11 must be told how many calls up that is."""
    if sys.version_info >= (3, 12):
        warnings.warn(message, DeprecationWarning, skip_file_prefixes=(_PACKAGE,))
    else:
        warnings.warn(message, DeprecationWarning, stacklevel=depth)


def deprecated_attribute(module: str, name: str) -> Any:
    """What a module's `__getattr__` answers: names that are still there but warn, or AttributeError."""
    if sys.version_info >= (3, 12):
        if name in ("version", "version_info"):
            warn_deprecated(f"{name} is deprecated and will be removed in Python 3.14")
            return MODULE_VERSION if name == "version" else tuple(map(int, MODULE_VERSION.split(".")))
    elif name == "OptimizedUnicode":
        warn_deprecated(
            "OptimizedUnicode is deprecated and will be removed in Python 3.12. "
            "Since Python 3.3 it has simply been an alias for 'str'.",
            depth=4,
        )
        return str
    raise AttributeError(f"module {module!r} has no attribute {name!r}")
