"""The query language: from the text right of MATCH to a tree of phrases.

    expression  := expression (AND | OR | NOT) expression      OR binds least, NOT most, all from the left
                 | [columns :] ( expression ) | group group...  groups side by side must all match
    group       := [columns :] ( [^] phrase | NEAR ( phrase phrase... [, N] ) )
    columns     := [-] name | [-] { name name... }
    phrase      := string [*] [+ string [*]]...

Source: https://www.sqlite.org/fts5.html section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.vtab.fts5.formats import FULL, NONE
from minisql.vtab.fts5.tokenizers import PREFIX, QUERY

_SIGNS = "(){}:,+*-^"
_MAX_DEPTH = 256
DEFAULT_NEAR = 10


class Term:
    """One place of a phrase: the tokens that may stand there (synonyms), and whether they are prefixes."""

    __slots__ = ("is_prefix", "words")

    def __init__(self, word: str) -> None:
        self.words = [word]
        self.is_prefix = False


class Phrase:
    """Terms one behind the other; `number` counts the phrases of the query."""

    __slots__ = ("is_first", "number", "terms")

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.is_first = False
        self.number = 0


class Group:
    """A phrase, or phrases near each other; `columns` is the set of columns that may match, None for all."""

    __slots__ = ("columns", "distance", "phrases")

    def __init__(self, phrases: list[Phrase]) -> None:
        self.phrases = phrases
        self.distance = DEFAULT_NEAR
        self.columns: frozenset[int] | None = None


class Branch:
    """AND, OR or NOT of nodes (NOT has two)."""

    __slots__ = ("nodes", "operator")

    def __init__(self, operator: str, nodes: list[Node]) -> None:
        self.operator = operator
        self.nodes = nodes


class Nothing:
    """A node that matches no row: a string without tokens."""

    __slots__ = ()


Node = Group | Branch | Nothing


class Query:
    """A parsed query: its tree and its phrases in order."""

    __slots__ = ("phrases", "root")

    def __init__(self, root: Node, phrases: list[Phrase]) -> None:
        self.root = root
        self.phrases = phrases


def _syntax_error(text: str) -> Error:
    return sqlite_error(ERROR, f'fts5: syntax error near "{text}"')


class _Token:
    __slots__ = ("kind", "text", "value")

    def __init__(self, kind: str, text: str, value: str = "") -> None:
        self.kind = kind
        self.text = text
        self.value = value


def _tokens(text: str) -> list[_Token]:
    """The query's words and signs; the last one is the end.  A wrong character is a token that fits nowhere."""
    tokens = []
    place = 0
    end = text.find("\x00")
    if end >= 0:
        text = text[:end]
    while place < len(text):
        character = text[place]
        if character in " \t\n\r":
            place += 1
        elif character in _SIGNS:
            tokens.append(_Token(character, character))
            place += 1
        elif character == '"':
            parts = []
            start = place
            place += 1
            while True:
                stop = text.find('"', place)
                if stop < 0:
                    tokens.append(_Token("unterminated", ""))
                    tokens.append(_Token("", ""))
                    return tokens
                parts.append(text[place:stop])
                place = stop + 1
                if text[place : place + 1] != '"':
                    break
                parts.append('"')
                place += 1
            tokens.append(_Token("string", text[start:place], "".join(parts)))
        elif not character.isascii() or character.isalnum() or character in "_\x1a":
            start = place
            while place < len(text) and (
                not text[place].isascii() or text[place].isalnum() or text[place] in "_\x1a"
            ):
                place += 1
            word = text[start:place]
            tokens.append(_Token(word if word in ("AND", "OR", "NOT") else "string", word, word))
        else:
            tokens.append(_Token("wrong", character))
            place += 1
    tokens.append(_Token("", ""))
    return tokens


class _Parser:
    """A recursive descent over the tokens."""

    def __init__(self, text: str, columns: Sequence[str], tokenizer: Any, detail: str) -> None:
        self.tokens = _tokens(text)
        self.place = 0
        self.columns = {name.lower(): number for number, name in enumerate(columns)}
        self.n_columns = len(columns)
        self.tokenizer = tokenizer
        self.detail = detail
        self.phrases: list[Phrase] = []
        self.depth = 0

    @property
    def kind(self) -> str:
        """The kind of the next token; raises for one that is none."""
        token = self.tokens[self.place]
        if token.kind == "unterminated":
            raise sqlite_error(ERROR, "unterminated string")
        if token.kind == "wrong":
            raise _syntax_error(token.text)
        return token.kind

    def unexpected(self) -> Error:
        """The error for a token that fits nowhere."""
        return _syntax_error(self.tokens[self.place].text)

    def take(self, kind: str) -> _Token:
        """The next token, which must be of a kind."""
        if self.kind != kind:
            raise self.unexpected()
        self.place += 1
        return self.tokens[self.place - 1]

    def chain(self, operator: str, operand: Callable[[], Node]) -> Node:
        """Operands joined by one operator, from the left."""
        left = operand()
        while self.kind == operator:
            self.place += 1
            left = joined(operator, left, operand())
        return left

    def expression(self) -> Node:
        """OR, AND and NOT, in this order of precedence."""
        return self.chain("OR", lambda: self.chain("AND", lambda: self.chain("NOT", self.primary)))

    def primary(self) -> Node:
        """Something in parentheses, or groups side by side."""
        if self.kind == "(":
            return self.parenthesized()
        columns, has_filter = self.column_filter()
        if has_filter and self.kind == "(":
            node = self.parenthesized()
            self.check_filter()
            self.limit(node, columns)
            return node
        node = self.group(columns, has_filter)
        while self.kind in ("string", "^", "{", "-"):
            columns, has_filter = self.column_filter()
            right = self.group(columns, has_filter)
            node = _side_by_side(node, right)
        return node

    def parenthesized(self) -> Node:
        """( expression )"""
        self.take("(")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise sqlite_error(ERROR, f"fts5 expression tree is too large (maximum depth {_MAX_DEPTH})")
        node = self.expression()
        self.depth -= 1
        self.take(")")
        return node

    def column_filter(self) -> tuple[frozenset[int] | None, bool]:
        """The columns in front of a colon, and whether there is such a filter."""
        kind = self.kind
        if kind == "string" and self.tokens[self.place + 1].kind != ":":
            return None, False
        if kind not in ("string", "{", "-"):
            return None, False
        is_negated = kind == "-"
        if is_negated:
            self.place += 1
        if self.kind == "{":
            self.place += 1
            numbers = {self.column_number(self.take("string"))}
            while self.kind == "string":
                numbers.add(self.column_number(self.take("string")))
            self.take("}")
        else:
            numbers = {self.column_number(self.take("string"))}
        self.take(":")
        return frozenset(set(range(self.n_columns)) - numbers if is_negated else numbers), True

    def column_number(self, token: _Token) -> int:
        """The number of a column."""
        number = self.columns.get(token.value.lower())
        if number is None:
            raise self.meaningless(f"no such column: {token.value}")
        return number

    def meaningless(self, text: str) -> Error:
        """The error for words that the grammar has taken.

        SQLite finds it with the next token in hand, whose own error comes first.
        """
        assert self.kind is not None, "reading it may raise"
        return sqlite_error(ERROR, text)

    def limit(self, node: Node, columns: frozenset[int] | None) -> None:
        """Applies a column filter to all groups of a tree."""
        if isinstance(node, Branch):
            for child in node.nodes:
                self.limit(child, columns)
        elif isinstance(node, Group) and columns is not None:
            node.columns = columns if node.columns is None else node.columns & columns

    def group(self, columns: frozenset[int] | None, has_filter: bool) -> Node:
        """[^] phrase, or NEAR(...)."""
        if self.kind == "^":
            self.place += 1
            phrase = self.phrase()
            phrase.is_first = True
            group = Group([phrase])
        elif self.kind == "string" and self.tokens[self.place + 1].kind == "(":
            group = self.near()
        else:
            group = Group([self.phrase()])
        group.columns = columns
        node = self.finished(group)
        if has_filter:
            self.check_filter()
        return node

    def check_filter(self) -> None:
        """A column filter needs an index that knows columns."""
        if self.detail == NONE:
            raise self.meaningless("fts5: column queries are not supported (detail=none)")

    def near(self) -> Group:
        """NEAR ( phrase phrase... [, N] )"""
        word = self.take("string")
        self.take("(")
        phrases = [self.phrase()]
        while self.kind == "string":
            phrases.append(self.phrase())
        group = Group(phrases)
        number = None
        if self.kind == ",":
            self.place += 1
            number = self.take("string")
        self.take(")")
        if word.text != "NEAR":
            raise self.meaningless(f'fts5: syntax error near "{word.text}"')
        if number is not None:
            if not number.value.isascii() or not number.value.isdigit():
                raise self.meaningless(f'expected integer, got "{number.text}"')
            group.distance = int(number.value)
        return group

    def finished(self, group: Group) -> Node:
        """A group as a node: phrases without tokens count for nothing."""
        if self.detail != FULL:
            if len(group.phrases) > 1:
                raise self.meaningless("fts5: NEAR queries are not supported (detail!=full)")
            phrase = group.phrases[0]
            if len(phrase.terms) > 1 or (phrase.is_first and phrase.terms):
                raise self.meaningless("fts5: phrase queries are not supported (detail!=full)")
        full = [phrase for phrase in group.phrases if phrase.terms]
        if not full:
            return Nothing()
        group.phrases = full
        return group

    def phrase(self) -> Phrase:
        """string [*] [+ string [*]]..."""
        phrase = Phrase()
        self.add_string(phrase)
        while self.kind == "+":
            self.place += 1
            self.add_string(phrase)
        phrase.number = len(self.phrases)
        self.phrases.append(phrase)
        return phrase

    def add_string(self, phrase: Phrase) -> None:
        """The tokens of one string."""
        token = self.take("string")
        is_prefix = self.kind == "*"
        if is_prefix:
            self.place += 1
        found = list(self.tokenizer.tokenize(token.value, QUERY | PREFIX if is_prefix else QUERY))
        added: list[Term] = []
        for item in found:
            if len(item) > 3 and item[3] and added:
                added[-1].words.append(item[0])
            else:
                added.append(Term(item[0]))
        if added:
            added[-1].is_prefix = is_prefix
        phrase.terms += added


def joined(operator: str, left: Node, right: Node) -> Node:
    """Two nodes under an operator; chains of the same one become one node."""
    if operator != "NOT" and isinstance(left, Branch) and left.operator == operator:
        left.nodes.append(right)
        return left
    return Branch(operator, [left, right])


def _side_by_side(left: Node, right: Node) -> Node:
    """Two groups that must both match; one without tokens does not count."""
    if isinstance(right, Nothing):
        return left
    if isinstance(left, Nothing):
        return right
    return joined("AND", left, right)


def parse_query(text: str, columns: Sequence[str], tokenizer: Any, detail: str) -> Query:
    """Parses a query; raises SQLite's error for one that is malformed."""
    parser = _Parser(text, columns, tokenizer, detail)
    root = parser.expression()
    if parser.kind:
        raise parser.unexpected()
    used: list[Phrase] = []
    _number_phrases(root, used)
    return Query(root, used)


def _number_phrases(node: Node, used: list[Phrase]) -> None:
    """Numbers the phrases that are left, in order."""
    if isinstance(node, Branch):
        for child in node.nodes:
            _number_phrases(child, used)
    elif isinstance(node, Group):
        for phrase in node.phrases:
            phrase.number = len(used)
            used.append(phrase)
