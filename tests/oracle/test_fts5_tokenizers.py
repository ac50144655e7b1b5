"""The tokenizers against SQLite's: every code point in turn, random texts, English words with all suffixes."""

from __future__ import annotations

import random
import re
from typing import Any

import apsw
import pytest

from minisql.vtab.fts5.porter import stem
from minisql.vtab.fts5.tokenizers import DOCUMENT, make_tokenizer

SUFFIXES = (
    "s", "sses", "ies", "eed", "ed", "ing", "y", "ational", "tional", "enci", "anci", "izer", "logi", "abli",
    "bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator", "alism", "iveness", "fulness",
    "ousness", "aliti", "iviti", "biliti", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al",
    "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize", "e", "ll", "sion", "tion",
)  # fmt: skip
OPTIONS = [
    "unicode61",
    "unicode61 remove_diacritics 0",
    "unicode61 remove_diacritics 2",
    "unicode61 categories 'L*'",
    "unicode61 categories 'Mn Sm P*'",
    "unicode61 tokenchars '-_.' separators 'xyé'",
    "unicode61 separators '-a' tokenchars 'a'",
    "ascii",
    "ascii tokenchars '_-' separators '0ab'",
    "trigram",
    "trigram case_sensitive 1",
    "trigram remove_diacritics 1",
    "porter unicode61",
]


def sqlite_tokens(option: str, texts: list[str]) -> list[list[str]]:
    """The tokens of each text in order; SQLite shows an empty token as NULL."""
    connection = apsw.Connection(":memory:")
    connection.execute(f'create virtual table t using fts5(a, tokenize="{option}")')
    connection.execute("begin")
    connection.executemany("insert into t(rowid, a) values(?, ?)", enumerate(texts))
    connection.execute("create virtual table v using fts5vocab(t, instance)")
    found: list[list[tuple[int, str]]] = [[] for _ in texts]
    for term, row, offset in connection.execute("select term, doc, offset from v"):
        found[row].append((offset, term or ""))
    return [[term for _offset, term in sorted(items)] for items in found]


def our_tokenizer(option: str) -> Any:
    """The tokenizer of an option's text."""
    return make_tokenizer([quoted or word for quoted, word in re.findall(r"'([^']*)'|([^\s']+)", option)], {})


@pytest.mark.parametrize("option", OPTIONS)
def test_random_texts(option: str) -> None:
    source = random.Random(1)
    ranges = [(1, 127), (128, 0x250), (0x300, 0x370), (0x370, 0x2FFF), (0x3000, 0xD7FF), (0xE000, 0x1FFFF)]
    characters = [chr(source.randint(*source.choice(ranges))) for _ in range(4000)]
    texts = ["".join(source.choice(characters) for _ in range(source.randint(1, 30))) for _ in range(1000)]
    tokenizer = our_tokenizer(option)
    assert [tokenizer.words(text, DOCUMENT) for text in texts] == sqlite_tokens(option, texts)
    for text in texts[:200]:
        assert [token[0] for token in tokenizer.tokenize(text, DOCUMENT)] == tokenizer.words(text, DOCUMENT)


@pytest.mark.parametrize("remove_diacritics", [0, 1, 2])
def test_every_seventh_code_point(remove_diacritics: int) -> None:
    points = [point for point in range(1 + remove_diacritics, 0x110000, 7) if not 0xD800 <= point < 0xE000]
    texts = ["x" + "y ".join(map(chr, points[start : start + 500])) + "y" for start in range(0, len(points), 500)]
    option = f"unicode61 remove_diacritics {remove_diacritics}"
    tokenizer = our_tokenizer(option)
    assert [tokenizer.words(text, DOCUMENT) for text in texts] == sqlite_tokens(option, texts)


def test_stems() -> None:
    source = random.Random(2)
    words = set()
    for _ in range(6000):
        word = "".join(source.choice("abcdefghiklmnoprstuvwyyeaio") for _ in range(source.randint(1, 6)))
        words.add(word + "".join(source.choice(SUFFIXES) for _ in range(source.randint(0, 2))))
    ordered = sorted(words)
    assert [[stem(word)] for word in ordered] == sqlite_tokens("porter ascii", ordered)
