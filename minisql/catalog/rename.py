"""Text surgery for ALTER TABLE: the stored SQL keeps every blank and comment that is not touched.

Everything works on the tokens of one CREATE statement: names are found by the positions in its tree where nodes have them,
and by the tokens around them where they do not (REFERENCES, ON, column lists).  An edit is (first character, end, new text).

Source: https://www.sqlite.org/lang_altertable.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from minisql.parser import Parsed, ast
from minisql.parser.tokenizer import dequote

Edit = tuple[int, int, str]


class StoredText:
    """The SQL of a schema object with its tree and its tokens; `words` are the token texts, `names` the names they mean in
    lower case (None for tokens that are no names)."""

    __slots__ = ("names", "parsed", "spans", "sql", "words")

    def __init__(self, sql: str, parsed: Parsed) -> None:
        self.sql = sql
        self.parsed = parsed
        self.spans = parsed.source.spans()
        self.words = [sql[start:end] for start, end in self.spans]
        self.names = [_meaning(word) for word in self.words]

    def edit(self, token: int, text: str) -> Edit:
        """The edit that replaces one token."""
        start, end = self.spans[token]
        return start, end, text

    def tokens_between(self, first: int) -> Iterator[int]:
        """The tokens inside the parentheses that open at token `first`, nested ones included."""
        depth = 0
        for token in range(first, len(self.words)):
            word = self.words[token]
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
                if not depth:
                    return
            elif depth:
                yield token


def _meaning(word: str) -> str | None:
    first = word[0]
    if first in "\"`['":
        return dequote(word).lower()
    return word.lower() if first.isalpha() or first == "_" or first >= "\x80" else None


def apply_edits(sql: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; edits of the same place count once."""
    for start, end, text in sorted(set(edits), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql


def column_list_end(text: StoredText, n_columns: int) -> int:
    """Where the definition of the last column ends: at the comma before the table constraints, or at the parenthesis."""
    depth = 0
    commas = 0
    for token, word in enumerate(text.words):
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if not depth:
                return text.spans[token][0]
        elif word == "," and depth == 1:
            commas += 1
            if commas == n_columns:
                return text.spans[token][0]
    raise AssertionError("a stored CREATE TABLE has its parentheses")


def column_extents(text: StoredText) -> list[tuple[int, int]]:
    """For each item of the column list: its first token and the token behind it (a comma or the parenthesis)."""
    extents = []
    depth = 0
    first = 0
    for token, word in enumerate(text.words):
        if word == "(":
            depth += 1
            if depth == 1:
                first = token + 1
        elif word == ")":
            depth -= 1
            if not depth:
                extents.append((first, token))
                break
        elif word == "," and depth == 1:
            extents.append((first, token))
            first = token + 1
    return extents


def reference_edits(text: StoredText, table: str, new_text: str) -> list[Edit]:
    """Edits that rename a table behind REFERENCES."""
    lowered = table.lower()
    return [
        text.edit(token + 1, new_text)
        for token, word in enumerate(text.words[:-1])
        if word.upper() == "REFERENCES" and text.names[token + 1] == lowered
    ]


def parent_column_edits(text: StoredText, table: str, column: str, new_text: str) -> list[Edit]:
    """Edits that rename a column in REFERENCES table(column, ...)."""
    lowered = table.lower()
    edits = []
    for token, word in enumerate(text.words):
        if word.upper() == "REFERENCES" and text.names[token + 1 : token + 2] == [lowered]:
            if text.words[token + 2 : token + 3] == ["("]:
                edits += _named(text, text.tokens_between(token + 2), column, new_text)
    return edits


def child_column_edits(text: StoredText, column: str, new_text: str) -> list[Edit]:
    """Edits that rename a column in FOREIGN KEY (column, ...)."""
    edits = []
    for token, word in enumerate(text.words[:-2]):
        if word.upper() == "FOREIGN" and text.words[token + 1].upper() == "KEY" and text.words[token + 2] == "(":
            edits += _named(text, text.tokens_between(token + 2), column, new_text)
    return edits


def _named(text: StoredText, tokens: Iterable[int], name: str, new_text: str) -> list[Edit]:
    lowered = name.lower()
    return [text.edit(token, requoted(text, token, new_text)) for token in tokens if text.names[token] == lowered]


def requoted(text: StoredText, token: int, new_text: str) -> str:
    """The new name as it replaces a token: in quotes if the old one had some."""
    if text.words[token][0] in "\"`['" and not new_text.startswith('"'):
        return '"' + new_text.replace('"', '""') + '"'
    return new_text


def name_token(node: ast.Column | ast.TableSource | ast.InTable) -> int:
    """The token of a node's own name, behind its qualifiers."""
    position = node.position
    if node.schema is not None:
        position += 2
    if isinstance(node, ast.Column) and node.table is not None:
        position += 2
    return position
