"""Evaluating a query: the docids that match, and where in a row each phrase stands.

A phrase's position is that of its last token.  Positions are (column << 32) + offset.  For the functions on a row a phrase
stands where it stands, whether or not the branch of OR that it belongs to matches; only the phrases of a NEAR that does not
match, or that are too far apart, do not count.

Source: https://www.sqlite.org/fts3.html section 3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from minisql.vtab.fts3.expression import AND, NEAR, NOT, OR, Branch, Node, Phrase
from minisql.vtab.fts3.formats import COLUMN_SHIFT, decode_positions

if TYPE_CHECKING:
    from minisql.vtab.fts3.segments import TermIndex

_OFFSET_MASK = (1 << COLUMN_SHIFT) - 1


class Near:
    """Phrases joined by NEAR, and the distances between them."""

    __slots__ = ("distances", "phrases", "root")

    def __init__(self, root: Branch) -> None:
        self.root = root
        self.phrases: list[Phrase] = []
        self.distances: list[int] = []
        node: Node = root
        while isinstance(node, Branch):
            assert isinstance(node.right, Phrase), "the parser looked"
            self.phrases.insert(0, node.right)
            self.distances.insert(0, node.distance)
            node = node.left
        self.phrases.insert(0, node)


class Match:
    """The result of a query for one language: `docids`, a set, and what the functions on a row ask."""

    def __init__(self, index: TermIndex, language: int, root: Node | None) -> None:
        self.index = index
        self.language = language
        self.root = root
        self._phrases: dict[int, PhraseRows] = {}
        self._near: dict[int, Near] = {}
        self._trimmed: dict[tuple[int, int], list[list[int]]] = {}
        self._parents: dict[int, Branch] = {}
        self._common: dict[int, set[int]] | None = None
        self.docids: set[int] = set() if root is None else self._evaluated(root, True)[id(root)]

    def _evaluated(self, root: Node, is_strict: bool) -> dict[int, set[int]]:
        """The docids of every node; unless `is_strict`, distances and the right sides of NOT are left aside."""
        results: dict[int, set[int]] = {}
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, is_ready = stack.pop()
            if isinstance(node, Phrase):
                results[id(node)] = set(self.rows(node).docids())
            elif not is_ready:
                self._parents[id(node.left)] = self._parents[id(node.right)] = node
                stack += [(node, True), (node.right, False), (node.left, False)]
            else:
                left = results[id(node.left)]
                has_exception = is_strict or node.operator != NOT
                results[id(node)] = _combined(node.operator, left, results[id(node.right)]) if has_exception else left
                if node.operator == NEAR and is_strict and self._is_whole(node):
                    near = self._known_near(node)
                    results[id(node)] = {docid for docid in results[id(node)] if all(self._near_positions(near, docid))}
        return results

    def _is_whole(self, node: Branch) -> bool:
        """Whether a NEAR is not the left side of another one."""
        parent = self._parents.get(id(node))
        return parent is None or parent.operator != NEAR

    def _known_near(self, root: Branch) -> Near:
        near = Near(root)
        for phrase in near.phrases:
            self._near[id(phrase)] = near
        return near

    def rows(self, phrase: Phrase) -> PhraseRows:
        """The rows of a phrase, found at the first need."""
        found = self._phrases.get(id(phrase))
        if found is None:
            found = self._phrases[id(phrase)] = PhraseRows(self.index, self.language, phrase)
        return found

    def _near_positions(self, near: Near, docid: int) -> list[list[int]]:
        """The positions of the phrases of a NEAR that are near enough; empty lists where they do not match."""
        key = (id(near), docid)
        found = self._trimmed.get(key)
        if found is None:
            places = [self.rows(phrase).positions(docid) for phrase in near.phrases]
            found = self._trimmed[key] = _trimmed(places, [len(phrase.words) for phrase in near.phrases], near.distances)
        return found

    # What SQLite's scan knows of a row: each node stands at the row, or at the next one where it has its phrases together.

    def _together(self, node: Node) -> set[int]:
        """The docids that a node stops at, distances and the right sides of NOT left aside."""
        if self._common is None:
            assert self.root is not None, "a node has a root"
            self._common = self._evaluated(self.root, False)
        return self._common[id(node)]

    def live_phrases(self, docid: int) -> list[Phrase]:
        """The phrases, in order, all of whose branches stop at a row; those to the right of NOT are among them."""
        found: list[Phrase] = []
        stack = [] if self.root is None else [self.root]
        while stack:
            node = stack.pop()
            if docid not in self._together(node):
                continue
            if isinstance(node, Phrase):
                found.append(node)
            else:
                stack += [node.right, node.left]
        return found

    def _held_together(self, near: Near) -> tuple[Node, bool, list[Node]]:
        """The branch that moves as one with a NEAR, whether it has an AND, and what stands to the right of its NOTs."""
        node: Node = near.root
        has_and = False
        excluded: list[Node] = []
        while (parent := self._parents.get(id(node))) is not None:
            if parent.operator == AND:
                has_and = True
            elif parent.operator == NOT and parent.left is node:
                excluded.append(parent.right)
            else:
                break
            node = parent
        return node, has_and, excluded

    def positions(self, phrase: Phrase, docid: int) -> list[int]:
        """Where a phrase stands in a row.  Distances count only where the branch with the NEAR stops at the row."""
        near = self._near.get(id(phrase))
        if near is None:
            return self.rows(phrase).positions(docid)
        if docid in self._together(self._held_together(near)[0]):
            return self._near_positions(near, docid)[near.phrases.index(phrase)]
        if all(self.rows(other).positions(docid) for other in near.phrases):
            return self.rows(phrase).positions(docid)
        return []

    def counts(self, phrase: Phrase, n_columns: int, docid: int, is_descending: bool) -> list[tuple[int, int]]:
        """For each column: how often a phrase stands in all rows, and in how many rows; asked at the row `docid`.

        Of a NEAR that an AND belongs to only the row counts that the AND stops at.
        """
        near = self._near.get(id(phrase))
        if near is None:
            return _counted([self.rows(phrase).positions(number) for number in self.rows(phrase).docids()], n_columns)
        branch, has_and, excluded = self._held_together(near)
        docids = self._together(branch) if has_and else self._together(near.root)
        if has_and:
            following = _next(docids, docid, is_descending)
            docids = set() if following is None else {following}
        else:
            docids = docids - {_next(self._together(node), docid, is_descending) for node in excluded}
        place = near.phrases.index(phrase)
        return _counted([self._near_positions(near, number)[place] for number in docids], n_columns)


def _next(docids: set[int], docid: int, is_descending: bool) -> int | None:
    """The first docid at or behind one."""
    if docid in docids:
        return docid
    if is_descending:
        return max((number for number in docids if number < docid), default=None)
    return min((number for number in docids if number > docid), default=None)


def _counted(rows: list[list[int]], n_columns: int) -> list[tuple[int, int]]:
    """By column: positions, and rows with a position."""
    hits, n_rows = [0] * n_columns, [0] * n_columns
    for positions in rows:
        before = -1
        for position in positions:
            column = position >> COLUMN_SHIFT
            if column < n_columns:
                hits[column] += 1
                if column != before:
                    n_rows[column] += 1
                    before = column
    return list(zip(hits, n_rows))


def _combined(operator: str, left: set[int], right: set[int]) -> set[int]:
    if operator == OR:
        return left | right
    return left - right if operator == NOT else left & right


class PhraseRows:
    """The rows of one phrase."""

    __slots__ = ("_lists", "_places")

    def __init__(self, index: TermIndex, language: int, phrase: Phrase) -> None:
        # Position lists that are not decoded yet, of a word that may stand anywhere; or positions.
        self._lists: dict[int, bytes | list[bytes]] = {}
        self._places: dict[int, list[int]] = {}
        terms = [index.rows_of(language, word.text, word.is_prefix) for word in phrase.words]
        if not terms:
            return
        if len(terms) == 1 and phrase.column is None and not phrase.words[0].is_first:
            self._lists = terms[0]
            return
        common = set(terms[0])
        for rows in terms:
            common &= rows.keys()
        for docid in common:
            places = _phrase_places(phrase, [_decoded(rows[docid]) for rows in terms])
            if places:
                self._places[docid] = places

    def docids(self) -> list[int]:
        """The docids in no order."""
        return list(self._lists or self._places)

    def positions(self, docid: int) -> list[int]:
        """The positions of the phrase's last word in a row."""
        found = self._places.get(docid)
        if found is None:
            poslist = self._lists.get(docid)
            if poslist is None:
                return []
            found = self._places[docid] = _decoded(poslist)
        return found


def _decoded(poslist: bytes | list[bytes]) -> list[int]:
    if isinstance(poslist, bytes):
        return decode_positions(poslist)
    return sorted({position for part in poslist for position in decode_positions(part)})


def _phrase_places(phrase: Phrase, places: list[list[int]]) -> list[int]:
    """The positions of the last word where the words stand in a row, in the phrase's column."""
    column = phrase.column
    if column is not None:
        places = [[position for position in part if position >> COLUMN_SHIFT == column] for part in places]
    for number, word in enumerate(phrase.words):
        if word.is_first:
            places[number] = [position for position in places[number] if not position & _OFFSET_MASK]
    found = places[0]
    for part in places[1:]:
        starts = set(found)
        found = [position for position in part if position - 1 in starts and position & _OFFSET_MASK]
    return found


def _trimmed(places: list[list[int]], sizes: list[int], distances: list[int]) -> list[list[int]]:
    """The positions that are near to one of the neighbours', from left to right and then back."""
    places = list(places)
    n = len(places)
    nothing: list[list[int]] = [[] for _ in range(n)]
    for i in range(1, n):
        places[i] = _near(places[i - 1], places[i], distances[i - 1] + sizes[i], distances[i - 1] + sizes[i - 1])
        if not places[i]:
            return nothing
    for i in range(n - 2, -1, -1):
        places[i] = _near(places[i + 1], places[i], distances[i] + sizes[i], distances[i] + sizes[i + 1])
        if not places[i]:
            return nothing
    return places


def _near(others: list[int], places: list[int], behind: int, before: int) -> list[int]:
    """The places that are at most `behind` behind one of the others, or `before` before one."""
    kept = []
    for place in places:
        last = bisect_left(others, place) - 1
        if last >= 0 and place - others[last] <= behind:
            kept.append(place)
            continue
        following = bisect_right(others, place)
        if following < len(others) and others[following] - place <= before:
            kept.append(place)
    return kept
