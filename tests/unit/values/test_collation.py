"""The order of text with escaped bytes, UTF-16 order, and user-defined collations."""

from __future__ import annotations

import itertools

import pytest

from minisql.values import collation, compare
from minisql.values.storage_class import UTF8, UTF16BE, UTF16LE, decode_text, encode_text

BYTES = [b"", b"a", b"a\x80", b"a\xff", b"a\xc3\xa9", b"a\xef\xbf\xbf", b"\xf0\x9f\x98\x80", b"\x80", b"\xed\xa0\x80", b"a\x7f", b"z"]


def test_escaped_text_is_ordered_by_its_bytes() -> None:
    texts = [decode_text(data) for data in BYTES]
    ordered = sorted(texts, key=collation.BINARY.key)
    assert [encode_text(text) for text in ordered] == sorted(BYTES)
    for a, b in itertools.product(range(len(BYTES)), range(len(BYTES))):
        assert compare.compare(texts[a], texts[b]) == (BYTES[a] > BYTES[b]) - (BYTES[a] < BYTES[b])


@pytest.mark.parametrize("encoding", [UTF8, UTF16LE, UTF16BE])
def test_binary_order_is_the_order_of_encoded_bytes(encoding: int) -> None:
    binary = collation.built_in_collations(encoding)["BINARY"]
    texts = ["", "a", "é", "\u0100", "\uffff", "\U0001f600", "aé", "z"]
    assert sorted(texts, key=binary.key) == sorted(texts, key=lambda text: encode_text(text, encoding))
    for text in texts:
        assert decode_text(encode_text(text, encoding), encoding) == text


def test_a_user_defined_collation_sorts_and_compares() -> None:
    by_length = collation.Collation("LEN", lambda a, b: len(a) - len(b))
    assert sorted(["ccc", "a", "bb"], key=by_length.key) == ["a", "bb", "ccc"]
    assert compare.eq("aa", "bb", by_length) == 1
    assert compare.compare("a", "bb", by_length) == -1
    with pytest.raises(TypeError, match="LEN has no hash key"):
        compare.hash_key("a", by_length)


def test_nulls_first_and_last_override_the_direction() -> None:
    values = [2, None, 1]
    assert sorted(values, key=lambda v: compare.sort_key(v, nulls_first=False)) == [1, 2, None]
    assert sorted(values, key=lambda v: compare.sort_key(v, descending=True, nulls_first=True)) == [None, 2, 1]


def test_record_key_function_agrees_with_record_sort_key() -> None:
    records = [(1, "b"), (1, "A"), (None, "x"), ("t", b"z"), (1.5, None)]
    for descending in itertools.product([False, True], repeat=2):
        collations = (collation.BINARY, collation.NOCASE)
        key = compare.record_key_function(collations, descending)
        assert sorted(records, key=key) == sorted(records, key=lambda r: compare.record_sort_key(r, collations, descending))
