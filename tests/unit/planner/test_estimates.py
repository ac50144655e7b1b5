"""LogEst arithmetic and the names of ordinals."""

from __future__ import annotations

import pytest

from minisql.planner import cost
from minisql.planner.ordering import ordinal_suffix


@pytest.mark.parametrize(("quantity", "estimate"), [(1, 0), (2, 10), (10, 33), (1000, 100), (1048576, 200)])
def test_log_estimate_is_ten_times_the_binary_logarithm(quantity: int, estimate: int) -> None:
    assert cost.log_estimate(quantity) == estimate


def test_sum_of_equal_quantities_is_twice_as_much() -> None:
    assert cost.add(100, 100) == 110


def test_a_small_quantity_does_not_change_a_large_one() -> None:
    assert cost.add(200, 10) == 200


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (22, "22nd")]
)
def test_ordinals_are_written_in_english(number: int, text: str) -> None:
    assert ordinal_suffix(number) == text
