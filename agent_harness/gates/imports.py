"""Imports: no second engine, no way out of the process, no looking at who is watching; judged on the syntax tree.

Each changed Python file is compared with its version on the base: a use of a banned module, name or attribute that the base
does not have is red, so what the project already does is no obstacle and what a change adds is seen.  The audit hook in the
engine's process catches at run time what no syntax tree shows; this gate says it earlier, with a line.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_harness.contract.base import Contract
from agent_harness.gates.base import Change, GateResult

ENGINES = frozenset(("sqlite3", "_sqlite3", "apsw", "duckdb", "pysqlite3", "pysqlite2", "sqlalchemy", "libsql"))
WAYS_OUT = frozenset(
    (
        *(
            "ctypes",
            "_ctypes",
            "cffi",
            "_cffi_backend",
            "subprocess",
            "_posixsubprocess",
            "multiprocessing",
            "_multiprocessing",
        ),
        *("socket", "_socket", "ssl", "http", "urllib", "ftplib", "smtplib", "asyncio", "pty", "webbrowser", "signal", "runpy"),
        *("code", "codeop", "pdb", "imp", "pkgutil", "zipimport", "pickle", "marshal", "shelve", "site", "ensurepip", "pip"),
        *("timeit", "doctest", "trace", "profile", "cProfile", "bdb", "rlcompleter"),
    )
)
WATCHERS = frozenset(
    ("inspect", "gc", "unittest", "pytest", "_pytest", "sqllogictest", "agent_harness", "__main__", "builtins", "faulthandler")
)
DYNAMIC_NAMES = frozenset(("__import__", "exec", "eval", "compile", "globals", "vars", "breakpoint", "input"))
DYNAMIC_ATTRIBUTES = frozenset(
    (
        *("import_module", "modules", "meta_path", "path_hooks", "settrace", "setprofile", "addaudithook", "_getframe"),
        *("_current_frames", "f_back", "f_locals", "f_globals", "tb_frame", "__subclasses__", "__closure__", "cell_contents"),
        *("__code__", "__globals__", "__builtins__", "__loader__", "__spec__", "f_builtins"),
    )
)
FOREIGN_ATTRIBUTES = frozenset(("settrace", "meta_path", "modules", "_getframe"))
OS_ATTRIBUTES = frozenset(
    (
        *("system", "popen", "fork", "forkpty", "kill", "killpg", "environ", "getenv", "putenv", "execv", "execve", "execvp"),
        *(
            "spawnv",
            "spawnl",
            "posix_spawn",
            "posix_spawnp",
            "dup2",
            "pipe",
            "setsid",
            "getppid",
            "_exit",
            "abort",
            "startfile",
        ),
    )
)


class ImportsGate:
    """Options: `banned` (more module names) and `allowed` (names of this list that the project may use)."""

    name = "imports"

    def __init__(self, module: str, options: Mapping[str, Any], is_engine: bool = True) -> None:
        banned = WATCHERS | frozenset(options.get("banned", ()))
        if is_engine:
            banned |= ENGINES | WAYS_OUT
        allowed = frozenset(options.get("allowed", ()))
        self._modules = banned - allowed
        self._names = DYNAMIC_NAMES - allowed if is_engine else frozenset(("__import__",)) - allowed
        self._attributes = (DYNAMIC_ATTRIBUTES if is_engine else FOREIGN_ATTRIBUTES) - allowed
        self._os_attributes = (OS_ATTRIBUTES if is_engine else frozenset()) - allowed

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Compares the uses in each changed file with those of the base."""
        n_files = 0
        for path in change.changed_paths:
            full = change.checkout / path
            if not path.endswith(".py") or not full.exists():
                continue
            n_files += 1
            try:
                found = list(self._uses(full))
            except (SyntaxError, ValueError, RecursionError) as error:
                return GateResult(self.name, False, f"{path}: cannot be parsed: {error}", f"imports: syntax: {path}")
            known = self._known(change.base_checkout / path)
            for use, line in found:
                if known[use] == 0:
                    return GateResult(self.name, False, f"{path}:{line}: {use} is not allowed", f"imports: {use}")
                known[use] -= 1
        return GateResult(self.name, True, f"{n_files} Python file(s), nothing banned added")

    def _known(self, path: Path) -> Counter[str]:
        if not path.is_file():
            return Counter()
        try:
            return Counter(use for use, _ in self._uses(path))
        except (SyntaxError, ValueError):
            return Counter()

    def _uses(self, path: Path) -> Iterator[tuple[str, int]]:
        for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
            yield from ((use, getattr(node, "lineno", 0)) for use in self._uses_of(node))

    def _uses_of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (f"import of {alias.name}" for alias in node.names if self._is_banned(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            if self._is_banned(names[0]):
                yield f"import of {node.module}"
            elif node.module in ("os", "sys", "importlib"):
                last = [alias.name for alias in node.names]
                yield from (f"{node.module}.{name}" for name in last if name in self._attributes | self._os_attributes)
        elif isinstance(node, ast.Name) and node.id in self._names:
            yield node.id
        elif isinstance(node, ast.Attribute):
            if node.attr in self._attributes:
                yield f".{node.attr}"
            elif node.attr in self._os_attributes and isinstance(node.value, ast.Name) and node.value.id == "os":
                yield f"os.{node.attr}"
        elif isinstance(node, ast.Call):
            yield from self._reflection(node)

    def _reflection(self, node: ast.Call) -> Iterator[str]:
        """getattr with a banned word as a literal: the same use by another spelling."""
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr", "delattr") and len(node.args) >= 2:
            name = node.args[1]
            banned = self._attributes | self._os_attributes | self._names
            if isinstance(name, ast.Constant) and name.value in banned:
                yield f"getattr of {name.value}"
            elif not isinstance(name, ast.Constant | ast.Name) and self._names:
                yield "getattr of a computed name"

    def _is_banned(self, module: str) -> bool:
        parts = module.split(".")
        return parts[0] in self._modules or module in self._modules
