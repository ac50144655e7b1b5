"""Full-text tables over the paragraphs of Python's reference, and boxes: queries of every form, in every kind of table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.oracle.full_text import TOPICS

Statement = str | tuple[str, Any]

WORDS = (
    "statement", "object", "class", "function", "the", "method", "value", "expression", "import", "module", "raise", "with",
    "string", "integer", "attribute", "iterator", "yield", "python", "comparison", "sequence", "lambda", "loop", "exception",
)  # fmt: skip
PAIRS = (("of", "the"), ("the", "class"), ("is", "not"), ("for", "example"), ("the", "following"), ("in", "the"), ("if", "the"))


def documents(n: int) -> list[tuple[int, str, str]]:
    """Numbered documents: a title and a text."""
    chosen = random.Random(3).sample(TOPICS, n)
    return [(number, text.split("\n")[0][:60], text) for number, text in enumerate(chosen, 1)]


def _filled(name: str, arguments: str, key: str, n: int) -> Iterator[Statement]:
    yield f"CREATE VIRTUAL TABLE {name} USING {arguments}"
    for number, title, text in documents(n):
        yield (f"INSERT INTO {name}({key}, title, body) VALUES(?, ?, ?)", (number, title, text))


def _forms() -> Iterator[str]:
    """Queries that FTS5 and the enhanced syntax of FTS4 read alike."""
    for word in WORDS:
        yield word
        yield f"{word[:3]}*"
        yield f"title : {word}" if word == "class" else f"title:{word}"
    for first, second in PAIRS:
        yield f'"{first} {second}"'
        yield f"{first} AND {second}"
        yield f"{first} NOT {second}"
        yield f"({first} OR zebra) AND {second}"
    yield '"no such phrase here"'
    yield "zebra"
    yield "a AND"
    yield '"'


def fts5() -> Iterator[Statement]:
    """FTS5 with its tokenizers, ranks, highlights and snippets."""
    for name, arguments in (
        ("plain", "fts5(title, body)"),
        ("stems", "fts5(title, body, tokenize='porter unicode61', prefix='2 3')"),
        ("lean", "fts5(title, body, detail=column)"),
    ):
        yield from _filled(name, arguments, "rowid", 90)
        for query in _forms():
            yield (f"SELECT rowid FROM {name} WHERE {name} MATCH ?", (query,))
            yield (f"SELECT rowid, rank FROM {name} WHERE {name} MATCH ? ORDER BY rank LIMIT 10", (query,))
            yield (f"SELECT rowid, bm25({name}, 5.0) FROM {name} WHERE {name} MATCH ? ORDER BY rowid DESC", (query,))
            yield (
                f"SELECT highlight({name}, 1, '[', ']'), snippet({name}, -1, '<', '>', '..', 8) FROM {name}"
                f" WHERE {name} MATCH ? ORDER BY rowid LIMIT 5",
                (query,),
            )
    for first, second in PAIRS:
        yield ("SELECT rowid FROM plain WHERE plain MATCH ?", (f"NEAR({first} {second}, 3)",))
        yield ("SELECT rowid FROM plain WHERE plain MATCH ?", (f"{{title body}} : {first} + {second}",))
        yield ("SELECT rowid FROM plain WHERE plain MATCH ?", (f"^{first}",))
    yield "CREATE VIRTUAL TABLE words USING fts5vocab(plain, row)"
    yield "SELECT * FROM words WHERE cnt>20 ORDER BY term"
    yield "INSERT INTO plain(plain) VALUES('integrity-check')"


def fts4() -> Iterator[Statement]:
    """FTS3 and FTS4 with their functions."""
    for name, arguments in (
        ("plain", "fts4(title, body)"),
        ("stems", "fts4(title, body, tokenize=porter, prefix='3', order=desc)"),
        ("old", "fts3(title, body, tokenize=unicode61)"),
    ):
        yield from _filled(name, arguments, "docid", 90)
        for query in _forms():
            yield (f"SELECT docid FROM {name} WHERE {name} MATCH ?", (query,))
            yield (f"SELECT docid, snippet({name}, '[', ']', '..', -1, 9) FROM {name} WHERE {name} MATCH ? LIMIT 5", (query,))
            if " OR " not in query and " NOT " not in query:
                yield (f"SELECT docid, offsets({name}) FROM {name} WHERE {name} MATCH ? ORDER BY docid DESC", (query,))
                letters = "pcxsyb" if name == "old" else "pcnalsxyb"
                yield (f"SELECT docid, hex(matchinfo({name}, '{letters}')) FROM {name} WHERE {name} MATCH ?", (query,))
    for first, second in PAIRS:
        yield ("SELECT docid, offsets(plain) FROM plain WHERE plain MATCH ?", (f"{first} NEAR/3 {second}",))
        yield ("SELECT docid FROM plain WHERE body MATCH ?", (f"^{first}",))
    yield "CREATE VIRTUAL TABLE words USING fts4aux(plain)"
    yield "SELECT * FROM words WHERE occurrences>20"
    yield "INSERT INTO plain(plain) VALUES('integrity-check')"
    yield "SELECT optimize(plain) FROM plain LIMIT 1"


def boxes() -> Iterator[Statement]:
    """Windows over an R-Tree and an R-Tree of integers."""
    for name, module in (("r", "rtree"), ("i", "rtree_i32")):
        source = random.Random(4)
        yield f"CREATE VIRTUAL TABLE {name} USING {module}(id, x0, x1, y0, y1)"
        for number in range(150):
            x, y = source.randrange(-200, 200), source.randrange(-200, 200)
            box = (number, x, x + source.randrange(40), y, y + source.randrange(40))
            yield (f"INSERT INTO {name} VALUES(?, ?, ?, ?, ?)", box)
        for _ in range(40):
            x, y = source.randrange(-200, 200), source.randrange(-200, 200)
            yield (f"SELECT * FROM {name} WHERE x1>=? AND x0<=? AND y1>=? AND y0<=?", (x, x + 60, y, y + 60))
            yield (f"SELECT id FROM {name} WHERE x0>? AND y1<?", (x, y))
            yield (f"SELECT count(*), sum(x1-x0) FROM {name} WHERE x0 BETWEEN ? AND ?", (x, x + 30))
            yield (f"SELECT id FROM {name} WHERE x0<=? ORDER BY x0, id LIMIT 5", (str(x),))
        yield f"SELECT rtreecheck('{name}')"


TABLES = {"fts5": fts5, "fts4": fts4, "rtree": boxes}
