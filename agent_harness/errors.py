"""Exit codes and the exceptions that carry them.

Exit codes: 0 contract green, 1 error, 2 limit reached, 3 rejected by a gate, 4 configuration, 130 interrupted.
Every error is one clear line on stderr; tracebacks are for defects of the harness itself.
"""

from __future__ import annotations

EXIT_GREEN = 0
EXIT_ERROR = 1
EXIT_LIMIT = 2
EXIT_REJECTED = 3
EXIT_CONFIGURATION = 4
EXIT_INTERRUPTED = 130


class HarnessError(Exception):
    """Something outside the harness failed: a program, the disk, git.  The message is one clear line."""

    exit_code = EXIT_ERROR


class LimitReached(HarnessError):
    """A limit on attempts, tokens, money or wall time is used up; final for that task or run."""

    exit_code = EXIT_LIMIT


class Rejected(HarnessError):
    """A gate said no."""

    exit_code = EXIT_REJECTED


class ConfigurationError(HarnessError):
    """The configuration, a missing program or a checkout that cannot be used."""

    exit_code = EXIT_CONFIGURATION
