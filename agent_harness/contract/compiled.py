"""Compiled code of the engines under test, kept for this process's lifetime and keyed by the hash of the source.

Every worktree would else compile the whole engine at every start, a second each time.  Only the grader writes here, in a
private folder with a name of its own; the engine's process reads.  Compiling runs nothing of what is compiled.
"""

from __future__ import annotations

import atexit
import marshal
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from agent_harness.contract.engine_process import code_name

MOST_FILES = 2000


@cache
def _folder(process_id: int) -> Path:
    path = Path(tempfile.mkdtemp(prefix="engine-code-"))
    atexit.register(_remove, path, process_id)
    return path


def _remove(path: Path, process_id: int) -> None:
    if os.getpid() == process_id:
        shutil.rmtree(path, ignore_errors=True)


def folder() -> Path:
    """This process's store; a forked child makes its own."""
    return _folder(os.getpid())


def keep(checkout: Path, paths: object) -> None:
    """Compiles what an engine's process had to compile itself; names that are no sources below the checkout are ignored."""
    if not isinstance(paths, list):
        return
    top = checkout.resolve()
    for name in paths[:MOST_FILES]:
        path = Path(str(name))
        if path.suffix == ".py" and path.resolve().is_relative_to(top):
            _compile(path)


def _compile(path: Path) -> None:
    try:
        source = path.read_bytes()
        target = folder() / code_name(source)
        if target.exists():
            return
        code = compile(source, str(path), "exec", dont_inherit=True)
        part = target.with_name(f"{target.name}.{os.urandom(4).hex()}")
        part.write_bytes(marshal.dumps(code))
        part.replace(target)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # the engine's process compiles it itself and says what is wrong with it
