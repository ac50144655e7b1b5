"""Accumulators in a sliding window: step and inverse give what a fresh accumulator over the frame gives."""

from __future__ import annotations

import random

import pytest

from minisql.functions.registry import AggregateFunction, FunctionRegistry

NAMES = ["count", "sum", "total", "avg", "group_concat", "json_group_array", "jsonb_group_array", "median"]


@pytest.mark.parametrize("name", NAMES)
def test_inverse_undoes_the_oldest_step(name: str) -> None:
    function = FunctionRegistry().find(name, 1)
    assert isinstance(function, AggregateFunction) and function.has_inverse
    source = random.Random(name)
    values = [source.choice([None, 1, 2, 3, 10, 0.5, 4.25]) for _ in range(200)]
    sliding = function.make()
    for i, value in enumerate(values):
        sliding.step(value)
        if i >= 5:
            sliding.inverse(values[i - 5])  # type: ignore[attr-defined]
        fresh = function.make()
        for frame_value in values[max(i - 4, 0) : i + 1]:
            fresh.step(frame_value)
        expected = fresh.value()
        actual = sliding.value()
        # Once a real was in the sum, SQLite keeps the sum real.
        assert actual == expected, (i, actual, expected)


def test_json_group_object_inverse() -> None:
    function = FunctionRegistry().find("json_group_object", 2)
    assert isinstance(function, AggregateFunction)
    accumulator = function.make()
    for label in ("a", None, "b"):
        accumulator.step(label, 1)
    accumulator.inverse("a", 1)  # type: ignore[attr-defined]
    accumulator.inverse(None, 1)  # type: ignore[attr-defined]
    assert accumulator.value() == '{"b":1}'
