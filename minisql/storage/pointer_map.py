"""Pointer maps: in auto-vacuum files every page's kind and parent, five bytes each.

Page 2 is the first map page; it describes the usable / 5 pages behind it, the page after those is the next map page, and
so on.  The b-tree keeps no maps while it edits.  Before pages are written, `entries_of` names what each changed page refers
to; since a child that changed its parent always changed hands between two changed pages, that is complete.

Source: https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages.
"""

from __future__ import annotations

from minisql.storage.locking import PENDING_BYTE

ROOT = 1
FREE = 2
FIRST_OVERFLOW = 3
NEXT_OVERFLOW = 4
TREE = 5


def map_page_of(page_size: int, usable: int, number: int) -> int:
    """Returns the map page that describes page `number` (2 or more); a map page is returned as itself."""
    n_described = usable // 5 + 1
    page = (number - 2) // n_described * n_described + 2
    if page == PENDING_BYTE // page_size + 1:
        page += 1
    return page


def is_pointer_map_page(page_size: int, usable: int, number: int) -> bool:
    """Tells whether a page of an auto-vacuum file is a map page."""
    return number >= 2 and map_page_of(page_size, usable, number) == number


def pointer_map_place(page_size: int, usable: int, number: int) -> tuple[int, int]:
    """Returns the map page and the offset in it of page `number`'s entry."""
    page = map_page_of(page_size, usable, number)
    return page, 5 * (number - page - 1)
