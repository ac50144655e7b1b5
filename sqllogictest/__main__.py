"""`python -m sqllogictest` and the command `sqllogictest`.

The command line needs the packages of the extra `[tools]`; without them this module says what to install.
Running files from Python (`sqllogictest.run_text`) and the pytest plugin need none of them.
"""

import importlib
import sys

_EXTRA_MODULES = ("click", "rich")


def main() -> int:
    """Run the command line; returns only when its packages are missing, with exit status 2."""
    try:
        commands = importlib.import_module("sqllogictest.commands")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _EXTRA_MODULES:
            raise
        missing = error.name.partition(".")[0]
        print(f"sqllogictest: {missing} is not installed; install the extra: pip install 'pyminisql[tools]'", file=sys.stderr)
        return 2
    commands.command_line(prog_name="sqllogictest")
    return 0


if __name__ == "__main__":
    sys.exit(main())
