"""`python -m agent_harness` and the console script: the command line, or one line that says which package is missing."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import import_module

NEEDED = ("click", "rich", "jinja2", "sqlglot")


def main() -> int:
    """Starts the command line; exit 4 when the extra [tools] is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"agent-harness: {', '.join(missing)}: not installed (pip install 'pyminisql[tools]')", file=sys.stderr)
        return 4
    code: int = import_module("agent_harness.cli").main()
    if code == 130:
        # Threads that still wait for what they started must not keep an interrupted process; all that counts is on disk.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
