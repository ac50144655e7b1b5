"""Evaluating a query: the rows that match, and where in a row each phrase stands.

A group is evaluated to a dict from rowid to its phrases' positions (decoded when somebody asks, where that is possible);
branches are set operations over rowids.  Positions are (column << 32) + offset, so that distances across columns are long.

Source: https://www.sqlite.org/fts5.html section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from minisql.vtab.fts5.expression import Branch, Group, Node, Nothing, Phrase, Query, Term
from minisql.vtab.fts5.formats import COLUMN, FULL, decode_columns, packed_positions

if TYPE_CHECKING:
    from minisql.vtab.fts5.index import FullTextIndex

COLUMN_SHIFT = 32
_OFFSET_MASK = (1 << COLUMN_SHIFT) - 1

Rows = dict[int, list[bytes]]
"""The poslists of a term by rowid; several for a prefix or synonyms."""


class Match:
    """The result of a query: `rowids` in order, and `positions(phrase, rowid)`."""

    def __init__(self, index: FullTextIndex, query: Query) -> None:
        self.index = index
        self.query = query
        self.detail = index.configuration.detail
        self._groups: dict[int, GroupMatch] = {}
        self._root = self._evaluated(query.root)
        self.rowids: list[int] = sorted(self._root)

    def _evaluated(self, node: Node) -> set[int] | dict[int, object]:
        """The rowids of a node, and what is remembered of its groups."""
        if isinstance(node, Nothing):
            return set()
        if isinstance(node, Group):
            match = self._groups[id(node)] = GroupMatch(self.index, node)
            return match.rows
        first, *others = node.nodes
        rows = set(self._evaluated(first))
        for other in others:
            found = self._evaluated(other)
            if node.operator == "AND":
                rows &= found.keys() if isinstance(found, dict) else found
            elif node.operator == "OR":
                rows |= found.keys() if isinstance(found, dict) else found
            else:
                rows -= found.keys() if isinstance(found, dict) else found
        return rows

    def positions(self, rowid: int) -> list[list[int]]:
        """The positions of every phrase in a row, in order; none for phrases of branches that do not match there."""
        result: list[list[int]] = [[] for _ in self.query.phrases]
        self._collect(self.query.root, rowid, result)
        return result

    def _collect(self, node: Node, rowid: int, result: list[list[int]]) -> bool:
        """Fills in what a node matches in a row; tells whether it matches."""
        if isinstance(node, Nothing):
            return False
        if isinstance(node, Group):
            match = self._groups[id(node)]
            if rowid not in match.rows:
                return False
            for phrase, places in zip(node.phrases, match.positions(rowid)):
                result[phrase.number] = places
            return True
        if node.operator == "OR":
            return any([self._collect(child, rowid, result) for child in node.nodes])
        inner: list[list[int]] = [[] for _ in result]
        for number, child in enumerate(node.nodes):
            does_match = self._collect(child, rowid, inner)
            if does_match == (node.operator == "NOT" and number > 0):
                return False
        for number, places in enumerate(inner):
            if places:
                result[number] = places
        return True

    def word_columns(self, rowid: int, is_bare: bool) -> list[frozenset[int] | None]:
        """Without offsets: the columns that each phrase stands in, None if it takes no part in the match of a row; all columns
        where the index does not say (`is_bare`)."""
        everything = frozenset(range(self.index.configuration.n_columns))
        result: list[frozenset[int] | None] = [None] * len(self.query.phrases)
        for group in self._matching_groups(self.query.root, rowid):
            for phrase in group.phrases:
                match = self._groups[id(group)]
                result[phrase.number] = everything if is_bare else frozenset(match.columns_of(rowid))
        return result

    def _matching_groups(self, node: Node, rowid: int) -> list[Group]:
        """The groups that take part in the match of a row; none if the node does not match."""
        if isinstance(node, Nothing):
            return []
        if isinstance(node, Group):
            return [node] if rowid in self._groups[id(node)].rows else []
        found: list[Group] = []
        for number, child in enumerate(node.nodes):
            groups = self._matching_groups(child, rowid)
            if node.operator == "OR":
                found += groups
            elif node.operator == "NOT" and number > 0:
                if groups:
                    return []
            elif not groups:
                return []
            else:
                found += groups
        return found

    def lone_group(self) -> GroupMatch | None:
        """The group that is the whole query, if that has one phrase."""
        root = self.query.root
        return self._groups[id(root)] if isinstance(root, Group) and len(root.phrases) == 1 else None

    def hit_count(self, phrase: Phrase) -> int:
        """In how many rows a phrase stands, its column filter applied, whatever stands beside it."""
        for group in self._all_groups(self.query.root):
            if phrase in group.phrases:
                if len(group.phrases) == 1:
                    return len(self._groups[id(group)].rows)
                alone = Group([phrase])
                alone.columns = group.columns
                return len(GroupMatch(self.index, alone).rows)
        return 0

    def _all_groups(self, node: Node) -> Iterable[Group]:
        if isinstance(node, Group):
            yield node
        elif isinstance(node, Branch):
            for child in node.nodes:
                yield from self._all_groups(child)


class GroupMatch:
    """A group over the index: `rows` by rowid, whose values are what `positions` needs."""

    def __init__(self, index: FullTextIndex, group: Group) -> None:
        self.index = index
        self.group = group
        self.detail = index.configuration.detail
        self.rows: dict[int, object] = {}
        self._is_plain = False
        self._is_lone = False
        phrases = group.phrases
        if len(phrases) == 1 and len(phrases[0].terms) == 1 and not phrases[0].is_first:
            self._match_word(phrases[0].terms[0])
        else:
            self._match_phrases(phrases)

    def _match_word(self, term: Term) -> None:
        """One word anywhere, or in some columns."""
        rows = term_rows(self.index, term)
        columns = self.group.columns
        if columns is None:
            self._is_plain = True
            self.rows = rows  # type: ignore[assignment]
        elif self.detail == COLUMN:
            for rowid, poslists in rows.items():
                if any(not columns.isdisjoint(decode_columns(poslist)) for poslist in poslists):
                    self.rows[rowid] = poslists
            self._is_plain = True
        else:
            for rowid, poslists in rows.items():
                places = [place for place in _decoded(poslists) if place >> COLUMN_SHIFT in columns]
                if places:
                    self.rows[rowid] = [places]

    def _match_phrases(self, phrases: list[Phrase]) -> None:
        """Phrases of several words, at the beginning of a column, or near each other."""
        by_phrase = [phrase_rows(self.index, phrase, self.group.columns) for phrase in phrases]
        if len(phrases) == 1:
            self._is_lone = True
            self.rows = by_phrase[0]  # type: ignore[assignment]
            return
        common = set(by_phrase[0])
        for rows in by_phrase[1:]:
            common &= rows.keys()
        sizes = [len(phrase.terms) for phrase in phrases]
        for rowid in common:
            places = [rows[rowid] for rows in by_phrase]
            if len(places) > 1:
                near = near_positions(places, sizes, self.group.distance)
                if near is None:
                    continue
                places = near
            self.rows[rowid] = places

    def positions(self, rowid: int) -> list[list[int]]:
        """The positions of each phrase of the group in one of its rows."""
        value = self.rows[rowid]
        if not self._is_plain:
            return [value] if self._is_lone else value  # type: ignore[list-item, return-value]
        if self.detail == FULL:
            return [_decoded(value)]  # type: ignore[arg-type]
        return [[]]

    def n_hits(self, rowid: int) -> int:
        """How often the only phrase of the group stands in one of its rows; detail=full."""
        if self._is_plain:
            poslists: list[bytes] = self.rows[rowid]  # type: ignore[assignment]
            if len(poslists) == 1 and poslists[0].isascii() and 1 not in poslists[0]:
                return len(poslists[0])
        return len(self.positions(rowid)[0])

    def columns_of(self, rowid: int) -> list[int]:
        """The columns that a word of a table with detail=column stands in."""
        found: set[int] = set()
        for poslist in self.rows[rowid]:  # type: ignore[attr-defined]
            found.update(decode_columns(poslist))
        allowed = self.group.columns
        return sorted(found if allowed is None else found & allowed)


def _decoded(poslists: list[bytes]) -> list[int]:
    """The packed positions of poslists, in order, each once."""
    if len(poslists) == 1:
        return packed_positions(poslists[0])
    found: set[int] = set()
    for poslist in poslists:
        found.update(packed_positions(poslist))
    return sorted(found)


def term_rows(index: FullTextIndex, term: Term) -> Rows:
    """The rows of a term: of a word, of all words with a prefix, of synonyms.  Nobody may change them."""
    known = index.memory.known()
    key = (term.is_prefix, *term.words)
    if known is not None and key in known.terms:
        return known.terms[key]  # type: ignore[no-any-return]
    rows = _found_rows(index, term)
    if known is not None:
        known.keep_term(key, rows)
    return rows


def _found_rows(index: FullTextIndex, term: Term) -> Rows:
    rows: Rows = {}
    for word in term.words:
        text = word.encode("utf-8", "surrogateescape")
        if not term.is_prefix:
            entries = index.rows_of(b"0" + text)
            if not rows:
                rows = {rowid: [poslist] for rowid, _deleted, poslist in entries}
                continue
            _add_rows(rows, entries)
            continue
        prefixes = index.configuration.prefixes
        length = len(word)
        if length in prefixes:
            _add_rows(rows, index.rows_of(bytes((0x31 + prefixes.index(length),)) + text))
            continue
        lower = b"0" + text
        for _key, entries in index.keys_in(lower, behind(lower)):
            _add_rows(rows, entries)
    return rows


def _add_rows(rows: Rows, entries: Iterable[tuple[int, bool, bytes]]) -> None:
    for rowid, _deleted, poslist in entries:
        known = rows.get(rowid)
        if known is None:
            rows[rowid] = [poslist]
        else:
            known.append(poslist)


def behind(key: bytes) -> bytes | None:
    """The least key that is greater than all keys with this prefix."""
    while key and key[-1] == 0xFF:
        key = key[:-1]
    return key[:-1] + bytes((key[-1] + 1,)) if key else None


def _size(rows: Rows) -> int:
    return len(rows)


def phrase_rows(index: FullTextIndex, phrase: Phrase, columns: frozenset[int] | None) -> dict[int, list[int]]:
    """The rows that hold a phrase, with the positions of its first word.  Nobody may change them."""
    known = index.memory.known()
    key = (tuple([(term.is_prefix, *term.words) for term in phrase.terms]), phrase.is_first, columns)
    if known is not None and key in known.terms:
        return known.terms[key]  # type: ignore[no-any-return]
    rows = _found_phrase(index, phrase, columns)
    if known is not None:
        known.keep_term(key, rows)
    return rows


def _found_phrase(index: FullTextIndex, phrase: Phrase, columns: frozenset[int] | None) -> dict[int, list[int]]:
    terms = [term_rows(index, term) for term in phrase.terms]
    common: set[int] = set(sorted(terms, key=_size)[0])
    for rows in terms:
        common &= rows.keys()
    result = {}
    for rowid in common:
        places = _decoded(terms[0][rowid])
        if len(terms) > 1:
            starts = set(places)
            for distance, rows in enumerate(terms[1:], 1):
                starts &= {place - distance for place in _decoded(rows[rowid])}
            places = sorted(starts)
        if columns is not None:
            places = [place for place in places if place >> COLUMN_SHIFT in columns]
        if phrase.is_first:
            places = [place for place in places if not place & _OFFSET_MASK]
        if places:
            result[rowid] = places
    return result


def near_positions(places: list[list[int]], sizes: list[int], distance: int) -> list[list[int]] | None:
    """The positions of phrases that take part in a clump; None if there is no clump.

    In a clump every phrase begins at most `distance` words, and its own length, before the last one begins.  Clumps are found
    from left to right: the phrase whose next position comes first moves on.
    """
    n = len(places)
    at = [0] * n
    found: list[list[int]] = [[] for _ in range(n)]
    while True:
        last = max(places[i][at[i]] for i in range(n))
        is_clump = True
        for i in range(n):
            first = last - sizes[i] - distance
            while places[i][at[i]] < first:
                is_clump = False
                at[i] += 1
                if at[i] == len(places[i]):
                    return found if found[0] else None
        if not is_clump:
            continue
        for i in range(n):
            place = places[i][at[i]]
            if not found[i] or found[i][-1] != place:
                found[i].append(place)
        following: list[tuple[int, int]] = [
            (places[i][at[i] + 1], i) if at[i] + 1 < len(places[i]) else (1 << 62, i) for i in range(n)
        ]
        place, i = min(following)
        if place == 1 << 62:
            return found
        at[i] += 1


Positions = Callable[[int], list[list[int]]]
"""Gives the positions of every phrase in a row."""
