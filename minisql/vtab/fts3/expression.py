"""Query expressions: from text to a tree of phrases and operators (the enhanced query syntax).

    expression = operand { [AND | OR | NOT | NEAR[/n]] operand }
    operand    = [column:]token[*] | "token token ..." | ( expression )

NEAR binds tightest, then NOT, AND (which may be left out) and OR.  A token with ^ before it must be the first of its column.

Source: https://www.sqlite.org/fts3.html section 3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error

NEAR, NOT, AND, OR = "NEAR", "NOT", "AND", "OR"
_PRECEDENCE = {NEAR: 1, NOT: 2, AND: 3, OR: 4}
_OPERATOR = re.compile(r"(OR|AND|NOT|NEAR(?:/([0-9]+))?)(?=[ \t\n\v\f\r\"()]|$)")
_SPACE = " \t\n\v\f\r"
_DEFAULT_DISTANCE = 10
MAX_DEPTH = 12
_MAX_NESTING = 1000


class Word:
    """A token of a phrase."""

    __slots__ = ("is_first", "is_prefix", "text")

    def __init__(self, text: bytes, is_prefix: bool, is_first: bool) -> None:
        self.text = text
        self.is_prefix = is_prefix
        self.is_first = is_first


class Phrase:
    """Tokens in a row, in one column or (None) in any."""

    __slots__ = ("column", "words")

    def __init__(self, words: list[Word], column: int | None) -> None:
        self.words = words
        self.column = column


class Branch:
    """An operator and its operands; `distance` is that of NEAR."""

    __slots__ = ("distance", "left", "operator", "right")

    def __init__(self, operator: str, distance: int) -> None:
        self.operator = operator
        self.distance = distance
        self.left: Node
        self.right: Node


Node = Phrase | Branch


def reported_phrases(root: Node | None) -> list[Phrase]:
    """The phrases in order, those to the right of NOT left out."""
    found: list[Phrase] = []
    stack: list[Node] = [] if root is None else [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Phrase):
            found.append(node)
            continue
        if node.operator != NOT:
            stack.append(node.right)
        stack.append(node.left)
    return found


class _Malformed(Exception):
    """The text is no expression."""


def parse_query(text: str, columns: Sequence[str], column: int | None, tokenizer: Any, is_fts4: bool) -> Node | None:
    """The tree of a query, None if it has no tokens; raises SQLite's error for a malformed one.

    SQLite reads it up to the first NUL character.
    """
    text = text.partition("\x00")[0]
    try:
        parser = _Parser(text, columns, column, tokenizer, is_fts4)
        root = parser.parsed()
    except _Malformed:
        raise sqlite_error(ERROR, f"malformed MATCH expression: [{text}]") from None
    if root is not None and _balanced_depth(root) > MAX_DEPTH:
        raise _too_large()
    return root


def _too_large() -> Error:
    return sqlite_error(ERROR, f"FTS expression tree is too large (maximum depth {MAX_DEPTH})")


def _balanced_depth(root: Node) -> int:
    """How deep the tree is once each run of one operator AND or OR is balanced."""
    # Post-order by an explicit stack; a run of n operands adds the logarithm of n.
    depths: dict[int, int] = {}
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, is_ready = stack.pop()
        if isinstance(node, Phrase):
            depths[id(node)] = 0
            continue
        operands = _operands(node)
        if not is_ready:
            stack.append((node, True))
            stack += [(operand, False) for operand in operands]
            continue
        deepest = max(depths[id(operand)] for operand in operands)
        depths[id(node)] = deepest + max((len(operands) - 1).bit_length(), 1)
    return depths[id(root)]


def _operands(node: Branch) -> list[Node]:
    if node.operator not in (AND, OR):
        return [node.left, node.right]
    found: list[Node] = []
    stack: list[Node] = [node.right, node.left]
    while stack:
        item = stack.pop()
        if isinstance(item, Branch) and item.operator == node.operator:
            stack += [item.right, item.left]
        else:
            found.append(item)
    return found


class _Group:
    """What stands between two parentheses: operands and operators that wait for their right side."""

    __slots__ = ("last_is_near", "needs_operand", "operands", "operators", "was_group")

    def __init__(self) -> None:
        self.operands: list[Node] = []
        self.operators: list[Branch] = []
        self.needs_operand = True
        self.last_is_near = False
        self.was_group = False

    def add_operand(self, node: Node) -> None:
        """A phrase or an expression in parentheses."""
        if not self.needs_operand:
            self.add_operator(Branch(AND, 0))
        is_group = not isinstance(node, Phrase)
        if self.last_is_near and is_group:
            raise _Malformed
        self.operands.append(node)
        self.needs_operand = self.last_is_near = False
        self.was_group = is_group

    def add_operator(self, branch: Branch) -> None:
        """An operator behind an operand."""
        if self.needs_operand or (branch.operator == NEAR and self.was_group):
            raise _Malformed
        precedence = _PRECEDENCE[branch.operator]
        while self.operators and _PRECEDENCE[self.operators[-1].operator] <= precedence:
            self._reduce()
        self.operators.append(branch)
        self.needs_operand = True
        self.last_is_near = branch.operator == NEAR

    def _reduce(self) -> None:
        branch = self.operators.pop()
        branch.right = self.operands.pop()
        branch.left = self.operands.pop()
        self.operands.append(branch)

    def finished(self) -> Node | None:
        """The tree, None if there was nothing."""
        if not self.operands and not self.operators:
            return None
        if self.needs_operand:
            raise _Malformed
        while self.operators:
            self._reduce()
        return self.operands[0]


def _close(groups: list[_Group]) -> bool:
    """Ends the innermost group, which becomes an operand of the one around it; False if there is none around it."""
    node = groups[-1].finished()
    if len(groups) == 1:
        return False
    groups.pop()
    if node is not None:
        groups[-1].add_operand(node)
    return True


class _Parser:
    def __init__(self, text: str, columns: Sequence[str], column: int | None, tokenizer: Any, is_fts4: bool) -> None:
        self.text = text
        self.columns = [name.lower() for name in columns]
        self.column = column
        self.tokenizer = tokenizer
        self.is_fts4 = is_fts4

    def parsed(self) -> Node | None:
        """The whole text."""
        text = self.text
        n = len(text)
        groups = [_Group()]
        n_open = 0
        place = 0
        while True:
            while place < n and text[place] in _SPACE:
                place += 1
            if place >= n:
                break
            found = _OPERATOR.match(text, place)
            if found is not None:
                place = found.end()
                distance = int(found.group(2)) if found.group(2) else _DEFAULT_DISTANCE
                groups[-1].add_operator(Branch(found.group(1).partition("/")[0], distance))
            elif text[place] == '"':
                end = text.find('"', place + 1)
                if end < 0:
                    raise _Malformed
                groups[-1].add_operand(self._phrase(text[place + 1 : end]))
                place = end + 1
            elif text[place] == "(":
                n_open += 1
                if n_open > _MAX_NESTING:
                    raise _Malformed
                groups.append(_Group())
                place += 1
            elif text[place] == ")":
                n_open -= 1
                place += 1
                if not _close(groups):
                    break
            else:
                end = self._token(place, groups[-1])
                if end < 0:
                    # A column with nothing behind it: the expression ends here, if there are still tokens in the text.
                    end = text.index(":", place) + 1
                    if self.tokenizer.tokenize(text[end:]) and not _close(groups):
                        break
                place = end
        if n_open or len(groups) > 1:
            raise _Malformed
        return groups[0].finished()

    def _phrase(self, text: str) -> Phrase:
        words = []
        for token, start, end in self.tokenizer.tokenize(text):
            is_first = start > 0 and text[start - 1] == "^"
            words.append(Word(_encoded(token), text[end : end + 1] == "*", is_first))
        return Phrase(words, self.column)

    def _token(self, place: int, group: _Group) -> int:
        """A token with its column; returns where it ends, -1 if a quote or parenthesis follows the column."""
        text = self.text
        column = self.column
        for number, name in enumerate(self.columns):
            end = place + len(name)
            if text[end : end + 1] == ":" and text[place:end].lower() == name:
                column = number
                place = end + 1
                break
        stop = place
        while stop < len(text) and text[stop] not in '()"':
            stop += 1
        if stop == place:
            return -1
        run = text[place:stop]
        tokens = self.tokenizer.tokenize(run)
        if not tokens:
            return stop
        token, start, end = tokens[0]
        is_prefix = run[end : end + 1] == "*"
        is_first = self.is_fts4 and start > 0 and run[start - 1] == "^"
        group.add_operand(Phrase([Word(_encoded(token), is_prefix, is_first)], column))
        stop = place + int(end) + is_prefix
        return stop


def _encoded(token: str) -> bytes:
    return token.encode("utf-8", "surrogateescape")
