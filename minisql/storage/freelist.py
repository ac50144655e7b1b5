"""Pages that come and go: the freelist and the growth of the file.

    header -> trunk (next trunk, n, leaf 1 .. leaf n) -> trunk -> ...

A page is taken from the first trunk, else appended to the file.  A freed page becomes a leaf of the first trunk, or a new
first trunk when that one is full (six slots stay empty, for the sake of SQLite before 3.6.0).

Source: https://www.sqlite.org/fileformat2.html#the_freelist.
"""

from __future__ import annotations

from minisql.storage.corruption import corrupt
from minisql.storage.header import FREELIST_COUNT, FREELIST_TRUNK, read_u32
from minisql.storage.node import RawPage
from minisql.storage.pager import Pager


def allocate_page(pager: Pager) -> int:
    """Takes a page out of the freelist or from the end of the file; the caller installs a node under the number."""
    count = read_u32(pager.header, FREELIST_COUNT)
    if not count:
        return pager.new_page_number()
    trunk_number = read_u32(pager.header, FREELIST_TRUNK)
    trunk = _trunk(pager, trunk_number)
    data = trunk.data
    n_leaves = read_u32(data, 4)
    pager.set_header_u32(FREELIST_COUNT, count - 1)
    if n_leaves == 0:
        pager.set_header_u32(FREELIST_TRUNK, read_u32(data, 0))
        return trunk_number
    at = 4 + 4 * n_leaves
    number = read_u32(data, at)
    if not 1 < number <= pager.n_pages or (number in pager.pages and pager.pages[number].__class__ is not RawPage):
        raise corrupt(trunk_number, f"freelist leaf {number} is in use or out of range")
    if trunk.epoch != pager.epoch:
        pager.prepare(trunk)
    trunk.data = data[:4] + (n_leaves - 1).to_bytes(4, "big") + data[8:]
    return number


def _trunk(pager: Pager, number: int) -> RawPage:
    if not 1 < number <= pager.n_pages:
        raise corrupt(number, "freelist trunk out of range")
    trunk = pager.raw_page(number)
    if read_u32(trunk.data, 4) > pager.usable // 4 - 2:
        raise corrupt(number, "freelist trunk has too many leaves")
    return trunk


def free_page(pager: Pager, number: int) -> None:
    """Puts a page that nothing refers to any more on the freelist."""
    if not 1 < number <= pager.n_pages:
        raise corrupt(number, "freed page out of range")
    count = read_u32(pager.header, FREELIST_COUNT)
    old = pager.pages.get(number)
    if old is not None and old.epoch != pager.epoch:
        pager.open_cells(old)
        pager.prepare(old)
    trunk_number = read_u32(pager.header, FREELIST_TRUNK)
    if count:
        trunk = _trunk(pager, trunk_number)
        data = trunk.data
        n_leaves = read_u32(data, 4)
        if n_leaves < pager.usable // 4 - 8:
            if trunk.epoch != pager.epoch:
                pager.prepare(trunk)
            at = 8 + 4 * n_leaves
            trunk.data = b"".join(
                (data[:4], (n_leaves + 1).to_bytes(4, "big"), data[8:at], number.to_bytes(4, "big"), data[at + 4 :])
            )
            pager.forget(number)
            pager.set_header_u32(FREELIST_COUNT, count + 1)
            return
    content = (trunk_number if count else 0).to_bytes(4, "big").ljust(pager.page_size, b"\0")
    pager.install(RawPage(number, content))
    pager.set_header_u32(FREELIST_TRUNK, number)
    pager.set_header_u32(FREELIST_COUNT, count + 1)
