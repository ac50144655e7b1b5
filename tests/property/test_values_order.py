"""The order of values is a total order, and every key and operator tells the same of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from minisql.values import arithmetic, cast, compare
from minisql.values.affinity import BLOB, INTEGER, NUMERIC, REAL, TEXT, apply_affinity
from minisql.values.collation import BUILT_IN, Collation
from minisql.values.number_text import real_to_text, text_to_number
from minisql.values.storage_class import INT64_MAX, INT64_MIN, decode_text, encode_text

INTEGERS = st.integers(INT64_MIN, INT64_MAX) | st.sampled_from([0, 1, -1, 2**53, 2**53 + 1, INT64_MAX, INT64_MIN])
REALS = st.floats(allow_nan=False)
TEXTS = st.text(max_size=6) | st.binary(max_size=6).map(decode_text) | st.sampled_from(["a", "A", "a ", "b\0c", "12", "1.5", "é"])
VALUES = st.none() | INTEGERS | REALS | TEXTS | st.binary(max_size=4)
COLLATIONS = st.sampled_from(list(BUILT_IN.values()))


@given(VALUES, VALUES, VALUES, COLLATIONS)
def test_the_order_is_total_and_transitive(a: object, b: object, c: object, collation: Collation) -> None:
    assert compare.compare(a, b, collation) == -compare.compare(b, a, collation)
    ordered = sorted([a, b, c], key=lambda value: compare.sort_key(value, collation))  # type: ignore[arg-type, return-value]
    assert compare.compare(ordered[0], ordered[1], collation) <= 0
    assert compare.compare(ordered[1], ordered[2], collation) <= 0
    assert compare.compare(ordered[0], ordered[2], collation) <= 0


@given(VALUES, VALUES, COLLATIONS)
def test_keys_and_operators_agree_with_compare(a: object, b: object, collation: Collation) -> None:
    order = compare.compare(a, b, collation)
    ascending = (compare.ascending_key(a, collation), compare.ascending_key(b, collation))
    descending = (compare.descending_key(a, collation), compare.descending_key(b, collation))
    assert (ascending[0] > ascending[1]) - (ascending[0] < ascending[1]) == order
    assert (descending[0] < descending[1]) - (descending[0] > descending[1]) == order
    assert compare.equal(a, b, collation) == (order == 0)
    assert (compare.hash_key(a, collation) == compare.hash_key(b, collation)) == (order == 0)
    if a is None or b is None:
        assert compare.lt(a, b, collation) is None and compare.eq(a, b, collation) is None
    else:
        assert (compare.lt(a, b, collation), compare.le(a, b, collation)) == (int(order < 0), int(order <= 0))
        assert (compare.gt(a, b, collation), compare.ge(a, b, collation)) == (int(order > 0), int(order >= 0))
        assert (compare.eq(a, b, collation), compare.ne(a, b, collation)) == (int(order == 0), int(order != 0))


@given(VALUES, VALUES)
def test_no_operator_leaves_the_values(a: object, b: object) -> None:
    for operator in (
        arithmetic.add, arithmetic.subtract, arithmetic.multiply, arithmetic.divide, arithmetic.remainder, arithmetic.bit_and,
        arithmetic.bit_or, arithmetic.shift_left, arithmetic.shift_right, arithmetic.concat, arithmetic.logical_and,
    ):  # fmt: skip
        result = operator(a, b)
        assert type(result) in (type(None), int, float, str)
        if type(result) is int:
            assert INT64_MIN <= result <= INT64_MAX
        assert result == result


@given(VALUES)
def test_affinity_and_cast_are_idempotent(value: object) -> None:
    for affinity in (BLOB, TEXT, NUMERIC, INTEGER, REAL):
        once = apply_affinity(value, affinity)  # type: ignore[arg-type]
        assert repr(apply_affinity(once, affinity)) == repr(once)
        if value is not None:
            cast_once = cast.cast(value, affinity)  # type: ignore[arg-type]
            assert repr(cast.cast(cast_once, affinity)) == repr(cast_once)


@given(REALS)
def test_texts_of_reals_read_back_as_nearly_the_same(value: float) -> None:
    text = real_to_text(value)
    if abs(value) != float("inf"):
        number = text_to_number(text)
        # Seventeen digits, cut and rounded as SQLite does it, are at most one unit in the last place off.
        assert number is not None and abs(number - value) <= abs(value) * 2.0**-51


@given(st.binary(max_size=12))
def test_text_keeps_its_bytes(data: bytes) -> None:
    assert encode_text(decode_text(data)) == data
