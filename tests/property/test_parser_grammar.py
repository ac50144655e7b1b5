"""Sentences made from an executable grammar of the dialect: the parser takes what SQLite takes, and writes it back."""

from __future__ import annotations

from pathlib import Path

import lark
from hypothesis import HealthCheck, given, settings
from hypothesis.extra.lark import from_lark

from minisql.errors import Error
from minisql.parser import ast, parse_one
from minisql.parser.unparse import unparse
from tests.oracle.test_parser_oracle import CHECKED_AT_ONCE, differs, own_outcome

GRAMMAR = lark.Lark((Path(__file__).parent / "sqlite.lark").read_text(), start="start")
sentences = from_lark(GRAMMAR, start="start")
PATIENT = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@PATIENT
@given(sentences)
def test_sentences_are_judged_as_by_sqlite(sql: str) -> None:
    own = own_outcome(sql)
    if own is None or not any(text in own[0] for text in CHECKED_AT_ONCE):
        assert differs(sql) is None, differs(sql)


@PATIENT
@given(sentences)
def test_sentences_survive_being_written_back(sql: str) -> None:
    try:
        parsed, _ = parse_one(sql)
    except Error:
        return
    assert parsed is not None
    text = unparse(parsed.statement)
    again, _ = parse_one(text)
    assert again is not None and ast.equal(parsed.statement, again.statement), text
