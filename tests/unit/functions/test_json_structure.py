"""Values that are taken out of documents by their common structure are those that the parser finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

import minisql
from minisql.errors import Error
from minisql.functions import json_structure
from minisql.functions.json_functions import arrow_value, json_extract
from minisql.functions.json_nodes import JsonObject, value_of_node
from minisql.functions.json_parser import NOT_STANDARD, parse
from minisql.functions.json_path import MISSING, lookup, parse_path

SCALARS = [
    *("1", "0", "-0", "-1", "00", "1.5", "-2.5e3", "1E400", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    *("123456789012345678", "1234567890123456789", "1.", ".5", "+1", "0x10", "NaN", "Infinity", "true", "false", "null", "True"),
    *('"text"', '""', '"\\u0041"', "'single'", '"\t"', '"é\U0001f600"', '"a\\"b"', "[]", "{}", "[1]", '{"a":2}', "", "1 ", "\n2"),
]
SHAPES = [
    '{"a":%s,"b":{"a":%s,"c":[%s,%s]},"a":%s}',
    '[%s, %s , %s,[%s,{"k" : %s}]]',
    '{"a": %s, "b c": %s, "": %s, "x":[%s,[%s]]}',
]
PATHS = ["$", "$.a", "$.b.a", "$.b.c", "$.b.c[0]", "$.b.c[#-1]", "$[0]", "$[3][1].k", '$."b c"', '$.""', "$.x[1][0]", "$.no", "$.a.b"]


def expected(text: str, path: str) -> Any:
    node = lookup(parse(text), parse_path(path))
    if node is MISSING:
        return None
    return NOT_STANDARD if node.__class__ in (list, JsonObject) else value_of_node(node)


def test_values_by_structure_are_those_of_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random(5)
    n_found = 0
    for shape in SHAPES:
        first = shape % (1, '"x"', "true", "null", "2.5")
        monkeypatch.setattr(json_structure, "_last", None)
        monkeypatch.setattr(json_structure, "_learning", json_structure._Learning())
        json_structure._learning.structure = structure = json_structure.structure_of(first)
        assert structure is not None
        for _ in range(400):
            structure.credit = 100
            text = shape % tuple(choose.choice(SCALARS[:12] if choose.random() < 0.8 else SCALARS) for _ in range(5))
            for path in PATHS:
                found = json_structure.scalar_at(text, path)
                if found is NOT_STANDARD:
                    continue
                n_found += 1
                wanted = expected(text, path)
                assert (found, found.__class__) == (wanted, wanted.__class__), (text, path)
    assert n_found > 1000


def test_what_is_no_plain_document_has_no_structure() -> None:
    for text in ("1", '"x"', '{"a":"\\n"}', "{a:1}", "[1,2", "", "[]", '{"a":{}}', "[" * 600 + "]" * 600, '["' + "x" * 5000 + '"]'):
        assert json_structure.structure_of(text) is None


def test_bad_paths_and_documents_fail_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_structure, "_last", None)
    monkeypatch.setattr(json_structure, "_learning", json_structure._Learning())
    json_structure._learning.structure = json_structure.structure_of('{"a":1}')
    for path in ("a", "$a", ""):
        with pytest.raises(Error, match="bad JSON path"):
            json_extract('{"a":2}', path)
    with pytest.raises(Error, match="malformed JSON"):
        json_extract('{"a":2', "$.a")
    assert arrow_value('{"a":3}', "a") == 3
    assert arrow_value('{"a":3}', "$.a") == 3
    assert arrow_value('{"a":3}', 0) is None


def test_a_column_of_like_documents_and_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_structure, "_last", None)
    monkeypatch.setattr(json_structure, "_learning", json_structure._Learning())
    connection = minisql.connect(":memory:")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, doc TEXT)")
    documents = [f'{{"n":{n},"tags":["a{n}",null,true,1.5],"o":{{"x":{-n}}}}}' for n in range(600)]
    documents[400:420] = ['{"n": 1, "n":2,"tags":[[1],{"b":2}],"o":7}'] * 20
    connection.executemany("INSERT INTO t(doc) VALUES (?)", [(document,) for document in documents])
    for _ in range(2):
        rows = connection.execute("SELECT doc ->> 'n', json_extract(doc, '$.o.x'), doc -> 'tags' FROM t ORDER BY id").fetchall()
        assert rows == [
            (1, None, '[[1],{"b":2}]') if 400 <= n < 420 else (n, -n, f'["a{n}",null,true,1.5]') for n in range(600)
        ]
    rows = connection.execute("SELECT key, value, type, atom FROM t, json_each(doc, '$.tags') WHERE t.id = 2").fetchall()
    assert rows == [(0, "a1", "text", "a1"), (1, None, "null", None), (2, 1, "true", 1), (3, 1.5, "real", 1.5)]
    assert json_structure._learning.structure is not None
