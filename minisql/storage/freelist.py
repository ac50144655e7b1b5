"""Pages that come and go: the freelist and the growth of the file.

    header -> trunk (next trunk, n, leaf 1 .. leaf n) -> trunk -> ...

A page is taken from the first trunk, else appended to the file.  A freed page becomes a leaf of the first trunk, or a new
first trunk when that one is full (six slots stay empty, for the sake of SQLite before 3.6.0).

Source: https://www.sqlite.org/fileformat2.html#the_freelist.
"""

from __future__ import annotations

from collections.abc import Iterator

from minisql.storage.corruption import corrupt
from minisql.storage.header import FREELIST_COUNT, FREELIST_TRUNK, read_u32
from minisql.storage.node import RawPage
from minisql.storage.pager import Pager
from minisql.storage.pointer_map import FREE, put_entry


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
    """Puts a page that nothing refers to any more on the freelist; with `secure_delete` its content becomes zeros.

    What was deleted within a page that stays is gone in any case: pages are laid out anew when they are written.
    """
    if not 1 < number <= pager.n_pages:
        raise corrupt(number, "freed page out of range")
    if pager.auto_vacuum_mode:
        put_entry(pager, number, FREE, 0)
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
            if pager.secure_delete == 1:
                pager.install(RawPage(number, bytes(pager.page_size)))
            else:
                pager.forget(number)
            pager.set_header_u32(FREELIST_COUNT, count + 1)
            return
    content = (trunk_number if count else 0).to_bytes(4, "big").ljust(pager.page_size, b"\0")
    pager.install(RawPage(number, content))
    pager.set_header_u32(FREELIST_TRUNK, number)
    pager.set_header_u32(FREELIST_COUNT, count + 1)


def free_pages(pager: Pager) -> Iterator[int]:
    """Yields every page on the freelist, trunks before their leaves."""
    number = read_u32(pager.header, FREELIST_TRUNK)
    for _ in range(pager.n_pages):
        if not number:
            return
        yield number
        data = _trunk(pager, number).data
        for i in range(read_u32(data, 4)):
            yield read_u32(data, 8 + 4 * i)
        number = read_u32(data, 0)
    raise corrupt(number, "freelist runs in a circle")


def take_page(pager: Pager, number: int) -> None:
    """Takes one particular page out of the freelist; raises SQLITE_CORRUPT when it is not there."""
    before: RawPage | None = None
    trunk_number = read_u32(pager.header, FREELIST_TRUNK)
    for _ in range(pager.n_pages):
        if not trunk_number:
            break
        trunk = _trunk(pager, trunk_number)
        data = trunk.data
        n_leaves = read_u32(data, 4)
        leaves = [read_u32(data, 8 + 4 * i) for i in range(n_leaves)]
        if trunk_number == number:
            _take_trunk(pager, before, data, leaves)
            return
        if number in leaves:
            leaves[leaves.index(number)] = leaves[-1]
            _set_leaves(pager, trunk, data[:4], leaves[:-1])
            pager.set_header_u32(FREELIST_COUNT, read_u32(pager.header, FREELIST_COUNT) - 1)
            return
        before, trunk_number = trunk, read_u32(data, 0)
    raise corrupt(number, "page is not on the freelist")


def _take_trunk(pager: Pager, before: RawPage | None, data: bytes, leaves: list[int]) -> None:
    """Takes a trunk page: its last leaf becomes the trunk in its place."""
    following = data[:4]
    if leaves:
        successor = RawPage(leaves[-1], data)
        pager.install(successor)
        _set_leaves(pager, successor, data[:4], leaves[:-1])
        following = leaves[-1].to_bytes(4, "big")
    if before is None:
        pager.set_header_u32(FREELIST_TRUNK, int.from_bytes(following, "big"))
    else:
        if before.epoch != pager.epoch:
            pager.prepare(before)
        before.data = following + before.data[4:]
    pager.set_header_u32(FREELIST_COUNT, read_u32(pager.header, FREELIST_COUNT) - 1)


def _set_leaves(pager: Pager, trunk: RawPage, following: bytes, leaves: list[int]) -> None:
    if trunk.epoch != pager.epoch:
        pager.prepare(trunk)
    numbers = b"".join(leaf.to_bytes(4, "big") for leaf in leaves)
    trunk.data = (following + len(leaves).to_bytes(4, "big") + numbers).ljust(pager.page_size, b"\0")
