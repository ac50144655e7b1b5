"""The registry: lookup by name and arity, user functions in front, lazy families."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minisql.functions.registry import AggregateFunction, FunctionRegistry, ScalarFunction, WindowFunction


def test_names_are_found_in_any_case_and_by_arity() -> None:
    registry = FunctionRegistry()
    assert registry.find("ABS", 1) is registry.find("abs", 1)
    assert registry.find("abs", 2) is None and registry.exists("Abs")
    assert registry.find("nothing", 1) is None and not registry.exists("nothing")


def test_min_is_an_aggregate_of_one_argument_and_a_scalar_of_more() -> None:
    registry = FunctionRegistry()
    assert isinstance(registry.find("min", 1), AggregateFunction)
    assert isinstance(registry.find("min", 2), ScalarFunction)
    assert registry.find("min", 0) is None
    assert isinstance(registry.find("row_number", 0), WindowFunction)


def test_a_user_function_hides_the_built_in_one_until_it_is_removed() -> None:
    registry = FunctionRegistry()
    other = FunctionRegistry()
    built_in = registry.find("upper", 1)
    own = ScalarFunction("UPPER", 1, 1, lambda value: "mine", is_built_in=False)
    generation = registry.generation
    registry.register(own)
    assert registry.find("upper", 1) is own and registry.generation > generation
    assert other.find("upper", 1) is built_in
    registry.unregister("Upper", 1, 1)
    assert registry.find("upper", 1) is built_in


def test_an_exact_arity_wins_over_any_arity_among_user_functions() -> None:
    registry = FunctionRegistry()
    anything = ScalarFunction("f", 0, -1, lambda *values: 0, is_built_in=False)
    two = ScalarFunction("f", 2, 2, lambda a, b: 2, is_built_in=False)
    registry.register(anything)
    registry.register(two)
    assert registry.find("f", 2) is two and registry.find("f", 3) is anything


def test_every_listed_name_is_defined_by_its_family() -> None:
    names = {function.name for function in FunctionRegistry()}
    assert len(names) >= 140
    registry = FunctionRegistry()
    from minisql.functions.registry import _FAMILIES_OF_NAME

    for name in _FAMILIES_OF_NAME:
        assert name in names and registry.exists(name), name


@pytest.mark.parametrize("module", ["json", "minisql.functions.json_functions", "minisql.functions.moment"])
def test_families_load_only_when_asked_for(module: str) -> None:
    code = (
        "import sys; from minisql.functions.registry import FunctionRegistry; r = FunctionRegistry();"
        f"before = {module!r} in sys.modules; r.find('json', 1); r.find('date', 1);"
        f"print(before, {module!r} in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["False", "True"]
