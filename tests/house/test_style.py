"""The house style, as far as a machine can check it: see CONTRIBUTING.md.

Every check lists its offenders at once. The exceptions below are deliberate and say why.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("minisql", "sqllogictest", "agent_harness", "benchmarks")
MAXIMUM_LINES = 800
MAXIMUM_FUNCTION_LINES = 60
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}

LONG_FUNCTIONS = {
    "sqllogictest/runner.py:_run_records": "the loop that is paid for every record; each call in it costs more than it explains",
    "minisql/planner/compiler.py:__init__": "one assignment for each attribute; a call more is paid for by every statement",
    "minisql/planner/plain_select.py:emit_plain_select": "a plain SELECT emitted in one go: every call is paid for by every statement",
    "minisql/dbapi/cursor.py:execute": "the call that every statement makes: flat, as calls cost more than what they hold",
    "minisql/functions/json_parser.py:parse_json5": "one loop with an explicit stack: no recursion",
    "minisql/vm/interpreter.py:interpret": "tier 1's loop: its cases are the control flow of programs",
    "minisql/parser/expression.py:expression": "precedence climbing on an explicit stack: one loop, no recursion",
}
"""Functions that may pass the limit, and why cutting them would hide their shape."""


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and without the functions inside it."""
    inner = sum(
        (node.end_lineno or 0) - node.lineno + 1
        for node in ast.walk(function)
        if node is not function and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    first = function.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - inner - docstring


def test_every_module_says_what_it_is_for() -> None:
    bare = [name_of(path) for path in modules() if path.read_text("utf-8").strip() and not ast.get_docstring(tree(path))]
    assert bare == []


def test_no_module_is_longer_than_its_concept() -> None:
    long = {name_of(path): n for path in modules() if (n := len(path.read_text("utf-8").splitlines())) > MAXIMUM_LINES}
    assert long == {}


def test_no_function_is_longer_than_its_concept() -> None:
    long = {
        f"{name_of(path)}:{function.name}": own_lines(function)
        for path in modules()
        for function in functions(path)
        if own_lines(function) > MAXIMUM_FUNCTION_LINES
    }
    assert {name: n for name, n in long.items() if name not in LONG_FUNCTIONS} == {}


def test_exceptions_for_long_functions_are_needed() -> None:
    names = {f"{name_of(path)}:{function.name}": own_lines(function) for path in modules() for function in functions(path)}
    assert [name for name in LONG_FUNCTIONS if names.get(name, 0) <= MAXIMUM_FUNCTION_LINES] == []


def test_module_names_say_something() -> None:
    assert [name_of(path) for path in modules() if FORBIDDEN_NAMES & set(path.stem.split("_"))] == []


def has_contract_elsewhere(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Opcode handlers: their contract is the opcode's, in minisql.bytecode.opcodes, and `@handles` names it; workloads of
    benchmarks/compare.py are what their SQL says."""
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in ("handles", "workload")
        for each in node.decorator_list
    )


def test_public_names_have_docstrings() -> None:
    bare = [
        f"{name_of(path)}:{node.name}"
        for path in modules()
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not has_contract_elsewhere(node)
        and not ast.get_docstring(node)
    ]
    assert bare == []


def test_no_bare_except() -> None:
    bare = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]
    assert bare == []


def test_recursion_limit_is_never_touched() -> None:
    users = [name_of(path) for path in modules() if "setrecursionlimit" in path.read_text("utf-8")]
    assert users == []


@pytest.mark.parametrize("word", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_nothing_is_left_for_later(word: str) -> None:
    marked = [
        f"{name_of(path)}:{number}"
        for path in modules()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "#" in line and word in line.partition("#")[2]
    ]
    assert marked == []
