"""The steps of a commit: images of changed pages, their originals to the journal, the pages to the file or the log.

Source: https://www.sqlite.org/atomiccommit.html, https://www.sqlite.org/wal.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minisql.storage import header as db_header
from minisql.storage import journal as rollback_journal
from minisql.storage import pointer_map
from minisql.storage.header import read_u32, write_u32
from minisql.storage.wal import Wal

if TYPE_CHECKING:
    from minisql.storage.pager import Pager


def commit_to_wal(pager: Pager, wal: Wal) -> None:
    """Appends the changed pages to the log; page 1 only when its content or the header's changed."""
    before = pager.savepoints[0]
    if 1 in pager.dirty or not pager.dirty or pager.n_pages != before.n_pages or pager.header != before.header:
        count_change(pager)
    wal.size_limit = pager.journal_size_limit
    wal.write_frames(dirty_images(pager).items(), pager.n_pages, pager.synchronous)


def fix_file_size(pager: Pager) -> None:
    """Cuts a file that has shrunk; extends one whose last pages went to the freelist without being written."""
    assert pager.file is not None
    wanted = pager.n_pages * pager.page_size
    size = pager.file.size()
    if size > wanted:
        pager.file.truncate(wanted)
    elif size < wanted:
        pager.file.write(b"\0", wanted - 1)


def count_change(pager: Pager) -> None:
    """Raises the change counter; page 1 is part of every commit."""
    head = pager.header
    counter = (read_u32(pager.savepoints[0].header, db_header.CHANGE_COUNTER) + 1) & 0xFFFFFFFF
    write_u32(head, db_header.CHANGE_COUNTER, counter)
    write_u32(head, db_header.N_PAGES, pager.n_pages)
    write_u32(head, db_header.VERSION_VALID_FOR, counter)
    write_u32(head, db_header.VERSION_NUMBER, db_header.SQLITE_VERSION_NUMBER)
    first = pager.tree_page(1)
    pager.open_cells(first)
    if first.epoch != pager.epoch:
        pager.prepare(first)
    first.data = None


def dirty_images(pager: Pager) -> dict[int, bytes]:
    """Returns the images of all changed pages, in the order of their numbers."""
    usable, page_size = pager.usable, pager.page_size
    if pager.auto_vacuum_mode:
        pointer_map.update_maps(pager)
    images: dict[int, bytes] = {}
    for number in sorted(pager.dirty):
        node = pager.dirty[number]
        pager.encode_cells(node)
        images[number] = node.image(usable, page_size, bytes(pager.header) if number == 1 else b"")
    return images


def write_journal(pager: Pager, numbers: list[int], super_journal: str) -> None:
    """Puts the originals of pages, and of pages behind the new end of the file, into the journal and syncs it."""
    before = pager.savepoints[0].n_pages
    if pager.journal_mode == "memory":
        _keep_originals(pager, numbers, before)
    if pager.journal_mode in ("off", "memory"):
        return
    if pager.journal is None:
        pager.journal = rollback_journal.Journal(pager.vfs, pager.path + "-journal", pager.page_size, before)
    journal = pager.journal
    wanted = [number for number in numbers if number <= before and number not in journal.pages]
    if pager.n_pages < before:
        extra = set(range(pager.n_pages + 1, before + 1)) - journal.pages - set(wanted)
        wanted += sorted(extra)
    assert pager.file is not None
    size = pager.page_size
    read = pager.file.read
    journal.append(
        ((number, read(size, (number - 1) * size).ljust(size, b"\0")) for number in wanted), pager.synchronous
    )
    if super_journal:
        journal.write_super_journal(super_journal, pager.synchronous)


def _keep_originals(pager: Pager, numbers: list[int], before: int) -> None:
    """Puts originals into the journal in memory."""
    assert pager.file is not None
    size = pager.page_size
    kept = pager.originals
    for number in (*numbers, *range(pager.n_pages + 1, before + 1)):
        if number <= before and number not in kept:
            kept[number] = pager.file.read(size, (number - 1) * size).ljust(size, b"\0")


def write_images(pager: Pager, images: dict[int, bytes]) -> None:
    """Writes pages to the file, neighbours in one call."""
    assert pager.file is not None
    pager.read_ahead = b""
    pager.last_miss = 0
    size = pager.page_size
    run: list[bytes] = []
    start = 0
    for number, data in images.items():
        if run and number == start + len(run) and len(run) < 256:
            run.append(data)
            continue
        if run:
            pager.file.write(b"".join(run), (start - 1) * size)
        run, start = [data], number
    if run:
        pager.file.write(b"".join(run), (start - 1) * size)
