"""Expressions inside formatted strings, with their places in the file.

Before Python 3.12 the tree says nothing reliable about where they stand, so they are looked for in the literal's text and
parsed by themselves.  Literals over several lines, in several pieces or nested are left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

HEAD = re.compile(r"[fF][rR]?|[rR][fF]")
OPENING, CLOSING = "([{", ")]}"


def expressions_in(text: str, line: int, column: int) -> Iterator[ast.expr]:
    """All expressions in the formatted string `text`, which begins at `line` and byte `column`, outermost first."""
    head = HEAD.match(text)
    if head is None or "\n" in text or not text.isascii():
        return
    for start, end in _fields(text, head.end()):
        try:
            tree = ast.parse(f"({text[start:end]})", mode="eval")
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree.body):
            if isinstance(node, ast.expr) and node.end_col_offset is not None:
                node.lineno = node.end_lineno = line
                # The added parenthesis stands one byte before the expression.
                node.col_offset += column + start - 1
                node.end_col_offset += column + start - 1
        yield from (node for node in ast.walk(tree.body) if isinstance(node, ast.expr))


def _fields(text: str, position: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each replacement field's expression; a field in a format specification is left out."""
    quote = text[position : position + 3] if text[position : position + 3] in ('"""', "'''") else text[position : position + 1]
    position, last = position + len(quote), len(text) - len(quote)
    while position < last:
        if text[position] == "{" and text[position + 1 : position + 2] == "{":
            position += 2
        elif text[position] == "{":
            end = _end_of_expression(text, position + 1, last)
            yield position + 1, end
            position = _end_of_field(text, end, last)
        else:
            position += 1


def _end_of_expression(text: str, position: int, last: int) -> int:
    depth, quote = 0, ""
    while position < last:
        letter = text[position]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in OPENING:
            depth += 1
        elif depth and letter in CLOSING:
            depth -= 1
        elif not depth and (letter in "}:" or (letter == "!" and text[position + 1] != "=")):
            return position
        position += 1
    return position


def _end_of_field(text: str, position: int, last: int) -> int:
    depth = 1
    while position < last:
        depth += (text[position] == "{") - (text[position] == "}")
        position += 1
        if not depth:
            break
    return position
