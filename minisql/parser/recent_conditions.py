"""Recent conditions: what stands behind WHERE is kept for a while, with its tokens and its tree.

Texts that are made by programs differ in one part and repeat the others: the same condition comes again with other columns,
another ORDER BY or LIMIT, another table, first to count the rows and then to show a page of them.  A statement cache does not
know such a text; here its condition is neither split into tokens nor parsed again.

A text is cut before WHERE and before ORDER BY, where these words plainly stand between tokens.  A condition is kept under its
own text and the number of tokens before it, as nodes hold positions of tokens.  Whoever finds one has it alone until it is
given back, because binding notes in column nodes what they mean.  Conditions with parameters or subqueries are not kept: they
number what they hold together with the rest of their statement.

Source: DESIGN, "Front end".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minisql.parser import tokens as k
from minisql.parser.tokenizer import kind_of, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from minisql.parser.ast import Column, Expression, FunctionCall
    from minisql.parser.state import State

_MAX_KEPT = 64
_MAX_PIECES = 200
_MIN_LENGTH = 12
_MAX_LENGTH = 4000
_MAX_PIECE_LENGTH = 500
# A text that is looked at in vain costs two microseconds, and one that is found saves ten and more.
_CREDIT = 200
_VALUE_OF_HIT = 4
_NEXT_CREDIT = 50
_PAUSE = 2000
_CREATE = k.CREATE
_ENDS = [k.END_OF_INPUT, k.END_OF_INPUT]
_UNFIT = frozenset((k.VARIABLE, k.SELECT, k.ILLEGAL, k.COMMENT, k.END_OF_INPUT))
"""Tokens that a condition to be kept does not have."""

Piece = tuple[list[str], list[int]]
"""The words of a part of a text and their kinds."""


class Condition:
    """A condition between its WHERE and what follows: `words` and `kinds` of its tokens, with WHERE; `first` and `end`, the
    token numbers of its tree; the tree, None as long as it has not been parsed, and the `columns` and `calls` in it."""

    __slots__ = ("calls", "columns", "end", "first", "key", "kinds", "node", "words")

    def __init__(self, key: tuple[int, str], words: list[str], kinds: list[int]) -> None:
        self.key = key
        self.words = words
        self.kinds = kinds
        self.first = key[0] + 1
        self.end = key[0] + len(words)
        self.node: Expression | None = None
        self.columns: list[Column] = []
        self.calls: list[FunctionCall] = []


class RecentConditions:
    """The conditions of one connection, the latest last, and the tokens of what stood before and behind them."""

    __slots__ = ("credit", "kept", "n_skips", "pieces")

    def __init__(self) -> None:
        self.kept: dict[tuple[int, str], Condition] = {}
        self.pieces: dict[str, Piece] = {}
        self.credit = _CREDIT
        self.n_skips = 0

    def find(self, sql: str) -> tuple[list[str], list[int], Condition] | None:
        """The words and kinds of a statement, and its condition, known or not; None if this is no text for it."""
        if self.n_skips:
            self.n_skips -= 1
            return None
        at = sql.find(" WHERE ")
        if at < 0:
            at = sql.find(" where ")
            if at < 0:
                return None
            cut = sql.find(" order by ", at)
        else:
            cut = sql.find(" ORDER BY ", at)
        text = sql[at:cut] if cut > 0 else sql[at:]
        if not _MIN_LENGTH <= len(text) <= _MAX_LENGTH or ";" in sql or "--" in sql or "/*" in sql or "\0" in sql:
            return None
        if "SELECT" in text or "select" in text or "?" in text:
            return None
        if at > _MAX_PIECE_LENGTH or 0 < cut < len(sql) - _MAX_PIECE_LENGTH:
            return None
        head = sql[:at]
        piece = self.pieces.get(head) or self._head(head)
        if piece is None:
            return None
        words, kinds = piece
        condition = self.kept.pop((len(words), text), None)
        if condition is None:
            self.credit -= 1
            if self.credit < 0:
                self.credit = _NEXT_CREDIT
                self.n_skips = _PAUSE
            condition = _new_condition(len(words), text)
            if condition is None:
                return None
        elif self.credit < _CREDIT:
            self.credit += _VALUE_OF_HIT
        if cut > 0:
            rest = sql[cut:]
            rest_words, rest_kinds = self.pieces.get(rest) or self._add(rest)
            return words + condition.words + rest_words, kinds + condition.kinds + rest_kinds + _ENDS, condition
        return words + condition.words, kinds + condition.kinds + _ENDS, condition

    def _head(self, text: str) -> Piece | None:
        """The tokens of what stands before WHERE; None if that word might be a part of a token, or the tree be kept."""
        if "'" in text or '"' in text or "`" in text or "[" in text:
            return None
        piece = _split(text)
        # A definition's tree is not thrown away when its statement has been compiled.
        if _CREATE in piece[1]:
            return None
        return self._add(text, piece)

    def _add(self, text: str, piece: Piece | None = None) -> Piece:
        pieces = self.pieces
        if len(pieces) >= _MAX_PIECES:
            pieces.clear()
        found = pieces[text] = piece or _split(text)
        return found

    def give_back(self, condition: Condition) -> None:
        """Keeps a condition that no statement is being compiled with any more."""
        for column in condition.columns:
            column.binding = None
        kept = self.kept
        if len(kept) >= _MAX_KEPT:
            del kept[next(iter(kept))]
        kept[condition.key] = condition

    def clear(self) -> None:
        """Forgets all conditions: another limit holds from now on."""
        self.kept.clear()


def _split(text: str) -> Piece:
    words = tokenize(text)  # type: ignore[call-arg]
    return words, [*map(kind_of, words)]


def _new_condition(first: int, text: str) -> Condition | None:
    words, kinds = _split(text)
    return Condition((first, text), words, kinds) if _UNFIT.isdisjoint(kinds) else None


def read_condition(state: State, read: Callable[[State], Any]) -> Expression:
    """Reads the expression behind WHERE, or takes it from the condition that was found for this text."""
    condition = state.condition
    assert condition is not None, "the caller has looked"
    if state.index != condition.first:
        return read(state)  # type: ignore[no-any-return]
    if condition.node is not None:
        state.columns += condition.columns
        state.calls += condition.calls
        state.index = condition.end
        return condition.node
    n_columns, n_calls, n_selects = len(state.columns), len(state.calls), state.n_selects
    node: Expression = read(state)
    if state.index == condition.end and state.n_selects == n_selects:
        condition.node = node
        condition.columns = state.columns[n_columns:]
        condition.calls = state.calls[n_calls:]
    return node
