"""Who may import what: the contracts of pyproject.toml, the standard library only, no second engine, and no code made at run time."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from agent_harness.contract.engine_process import COMPILERS

ROOT = Path(__file__).resolve().parents[2]
SECOND_ENGINES = {"sqlite3", "_sqlite3", "apsw", "duckdb", "ctypes", "_ctypes", "subprocess"}
OPTIONAL_IN_SHELL = {"minisql/shell/progress.py: rich"}
"""The shell is more comfortable with what the extra [shell] brings, and works without."""
PROCESSES_OF_SHELL = {"minisql/shell/files.py: subprocess", "minisql/shell/output.py: subprocess"}
"""`.import |command` and `.output |command`: the user's own programs."""
MAY_MAKE_CODE = tuple("/".join(("minisql", *place)) for place in COMPILERS)
"""Modules (by prefix) that may call exec, eval or compile: nothing of SQL, schema or data enters what they make.
The guard of the harness goes by the same list."""


def engine_modules() -> list[Path]:
    return sorted((ROOT / "minisql").rglob("*.py"))


def imported_names(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_contracts_are_kept() -> None:
    pytest.importorskip("importlinter", reason="import-linter is part of the extra [test]")
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_engine_imports_the_standard_library_only() -> None:
    allowed = set(sys.stdlib_module_names) | {"minisql"}
    foreign = {f"{path.relative_to(ROOT)}: {name}" for path in engine_modules() for name in imported_names(path) - allowed}
    assert foreign - OPTIONAL_IN_SHELL == set()


def test_engine_imports_no_second_engine() -> None:
    found = {f"{path.relative_to(ROOT)}: {name}" for path in engine_modules() for name in imported_names(path) & SECOND_ENGINES}
    assert found - PROCESSES_OF_SHELL == set()


def test_engine_makes_code_in_named_modules_only() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
        for path in engine_modules()
        if not path.relative_to(ROOT).as_posix().startswith(MAY_MAKE_CODE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval", "compile")
    }
    assert found == set()


@pytest.mark.parametrize("package", ["sqllogictest", "agent_harness"])
def test_tools_import_public_names_only(package: str) -> None:
    """Outside the engine only its front door is used: `minisql` itself and `minisql.dbapi2`."""
    found = set()
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            found |= {
                f"{path.relative_to(ROOT)}: {name}"
                for name in names
                if name.startswith("minisql.") and name != "minisql.dbapi2"
            }
    assert found == set()


BLOCKING = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in BLOCKED:
            raise ImportError(f'{name} is blocked')

BLOCKED = set(sys.argv[1].split(','))
sys.meta_path.insert(0, Block())
import minisql
connection = minisql.connect(':memory:')
connection.execute('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)')
connection.executemany('INSERT INTO t(b) VALUES(?)', [('x',), ('y',)])
print(connection.execute('SELECT a, b FROM t ORDER BY a').fetchall())
loaded = BLOCKED & set(sys.modules)
print(sorted(loaded))
"""


def test_engine_works_where_no_second_engine_can_be_imported() -> None:
    command = [sys.executable, "-c", BLOCKING, ",".join(sorted(SECOND_ENGINES))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["[(1, 'x'), (2, 'y')]", "[]"], "")
