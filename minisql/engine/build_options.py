"""What this build says of itself: version and compile options.

Source: https://www.sqlite.org/pragma.html#pragma_compile_options.
"""

from __future__ import annotations

SQLITE_VERSION = "3.54.1"
SQLITE_VERSION_NUMBER = 3054001

__all__ = ["SQLITE_VERSION", "SQLITE_VERSION_NUMBER"]
