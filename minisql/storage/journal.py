"""The rollback journal: originals of changed pages, kept until the transaction is durable.

    section 1: header padded to a sector | record | record | ...        header: magic, number of records, nonce,
    section 2: header padded to a sector | record | ...                          pages before, sector size, page size
    [super-journal record]                                              record: page number, page, checksum

A section is written in one go and synced before any of its pages is overwritten in the database; the number of records
goes in after the first sync (FULL), so a header never promises more than the disk holds.  Each spill of the cache starts a
new section.  A journal is hot when it is left over by a crashed writer: playing it back puts every original in place and
cuts the file to its old size.  Playback stops at the first record that does not check, since what follows was never
synced, so its page was never overwritten.

Source: https://www.sqlite.org/fileformat2.html#the_rollback_journal, https://www.sqlite.org/atomiccommit.html.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Callable, Iterable

from minisql.errors import Error
from minisql.storage.locking import PENDING_BYTE
from minisql.storage.vfs import Vfs, VfsFile

MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_HEADER = struct.Struct(">8sIIIII")
_SUPER_JOURNAL_NAME = re.compile(rb"-mj[0-9A-Fa-f]{6}9[0-9A-Fa-f]{2}\Z")
"""A journal is believed to have a super-journal only with a name of this form: recovery deletes the file that it names."""
SECTOR_SIZE = 512


def page_checksum(nonce: int, data: bytes) -> int:
    """Sums every 200th byte from the end: it tells torn sectors, not bit rot."""
    return (nonce + sum(data[len(data) - 200 : 0 : -200])) & 0xFFFFFFFF


class Journal:
    """The journal that this connection writes.  `pages` are the numbers of the pages in it.

    `is_cold` once it can undo nothing any more: an error behind that comes too late, the transaction has happened.
    """

    __slots__ = ("end", "file", "has_super_journal", "is_cold", "nonce", "page_size", "pages", "pages_before", "path", "vfs")

    def __init__(self, vfs: Vfs, path: str, page_size: int, pages_before: int) -> None:
        self.vfs = vfs
        self.path = path
        self.page_size = page_size
        self.pages_before = pages_before
        self.nonce = int.from_bytes(vfs.random_bytes(4), "big")
        self.pages: set[int] = set()
        self.end = 0
        self.has_super_journal = False
        self.is_cold = False
        self.file: VfsFile = vfs.open(path, create=True, read_only=False, lock=False)

    def append(self, originals: Iterable[tuple[int, bytes]], synchronous: int) -> None:
        """Writes and syncs one section; `synchronous` is 0 OFF, 1 NORMAL, 2 FULL, 3 EXTRA."""
        nonce = self.nonce
        parts: list[bytes] = []
        numbers: list[int] = []
        for number, data in originals:
            parts += (number.to_bytes(4, "big"), data, page_checksum(nonce, data).to_bytes(4, "big"))
            numbers.append(number)
        if not numbers and self.end:
            return
        body = b"".join(parts)
        if synchronous:
            self._append_section(body, len(numbers), synchronous)
        else:
            # The only header without syncs promises all records up to the end of the file, so no other one may follow.
            if not self.end:
                body = self._header(0xFFFFFFFF) + body
            self.file.write(body, self.end)
            self.end += len(body)
        self.pages.update(numbers)

    def _append_section(self, body: bytes, count: int, synchronous: int) -> None:
        start = self.end
        self.file.write(self._header(0 if synchronous >= 2 else count) + body, start)
        end = start + SECTOR_SIZE + len(body)
        end = (end + SECTOR_SIZE - 1) // SECTOR_SIZE * SECTOR_SIZE
        if self.file.read(8, end) == MAGIC:  # a section of an earlier, longer transaction (PERSIST) must not be played
            self.file.write(bytes(8), end)
        self.file.sync()
        if synchronous >= 2:
            self.file.write(self._header(count)[:SECTOR_SIZE], start)
            self.file.sync()
        if start == 0:
            self.vfs.sync_directory(self.path)
        self.end = end

    def _header(self, count: int) -> bytes:
        fields = _HEADER.pack(MAGIC, count, self.nonce, self.pages_before, SECTOR_SIZE, self.page_size)
        return fields.ljust(SECTOR_SIZE, b"\0")

    def write_super_journal(self, name: str, synchronous: int) -> None:
        """Names the super-journal of a commit over several files."""
        raw = name.encode("utf-8", "surrogateescape")
        mark = (PENDING_BYTE // self.page_size + 1).to_bytes(4, "big")
        check = sum(raw) & 0xFFFFFFFF
        record = mark + raw + struct.pack(">II", len(raw), check) + MAGIC
        self.file.write(record, self.end)
        self.file.truncate(self.end + len(record))  # it is looked for at the end of the file
        self.has_super_journal = True
        if synchronous:
            self.file.sync()

    def finish(self, mode: str, synchronous: int, size_limit: int = -1) -> None:
        """Makes the journal cold, which is the moment of commit: deletes, truncates or zeroes it.

        `size_limit` is what a zeroed one may keep of its bytes, -1 for all.
        """
        if mode == "truncate" or (mode == "persist" and (self.has_super_journal or size_limit == 0)):
            self.file.truncate(0)
            self.is_cold = True
            if synchronous >= 2:
                self.file.sync()
            self.file.close()
        elif mode == "persist":
            self._zero_header()
            self.is_cold = True
            if synchronous:
                self.file.sync()
            if 0 <= size_limit < self.file.size():
                self.file.truncate(size_limit)
            self.file.close()
        else:
            self.file.close()
            self.vfs.delete(self.path, False)
            self.is_cold = True
            if synchronous >= 3:
                self.vfs.sync_directory(self.path)

    def _zero_header(self) -> None:
        try:
            self.file.write(bytes(28), 0)
        except BaseException:
            # A write that fails may have begun: for every reader the first byte decides.
            with contextlib.suppress(Error):
                self.is_cold = self.file.read(1, 0) == b"\0"
            raise


def read_super_journal(file: VfsFile) -> str:
    """Returns the super-journal's name at the end of a journal, or ''."""
    size = file.size()
    if size < 16:
        return ""
    tail = file.read(16, size - 16)
    length, check = struct.unpack_from(">II", tail)
    if tail[8:] != MAGIC or not 0 < length <= size - 16:
        return ""
    raw = file.read(length, size - 16 - length)
    if sum(raw) & 0xFFFFFFFF != check or not _SUPER_JOURNAL_NAME.search(raw):
        return ""
    return raw.decode("utf-8", "surrogateescape")


def is_marked_hot(vfs: Vfs, path: str) -> bool:
    """Tells whether a journal starts with a non-zero byte, the quick test for a hot journal."""
    file = vfs.open(path, create=False, read_only=True, lock=False)
    try:
        return file.read(1, 0) not in (b"", b"\0")
    finally:
        file.close()


def play_back(journal: VfsFile, database: VfsFile, page_size: int, sync: bool) -> None:
    """Puts the originals of a journal back into the database file.

    The first header's page count restores the size of the file.  No page occurs twice in a journal that was not damaged; if one
    does, the last image counts, as in SQLite.
    """
    size = journal.size()
    at = 0
    is_first = True
    sector = SECTOR_SIZE
    while at + sector <= size:
        head = journal.read(_HEADER.size, at)
        magic, count, nonce, pages_before, sector_size, journal_page_size = _HEADER.unpack(head)
        if magic != MAGIC:
            break
        if is_first:
            if not _is_power(sector_size, 32, 65536) or not _is_power(journal_page_size, 512, 65536):
                break
            page_size = journal_page_size
            database_pages = pages_before
            database.truncate(min(database.size(), database_pages * page_size))
            sector = sector_size
            is_first = False
        at += sector
        record_size = page_size + 8
        if count == 0xFFFFFFFF:
            count = max(0, (size - at) // record_size)
        if not _play_section(journal, database, at, count, nonce, page_size, database_pages):
            break
        at += count * record_size
        at = (at + sector - 1) // sector * sector
    if sync:
        database.sync()


def _is_power(value: int, smallest: int, largest: int) -> bool:
    return smallest <= value <= largest and value & (value - 1) == 0


def _play_section(
    journal: VfsFile,
    database: VfsFile,
    at: int,
    count: int,
    nonce: int,
    page_size: int,
    database_pages: int,
) -> bool:
    """Plays one section; False when a record did not check and playback must stop."""
    record_size = page_size + 8
    lock_page = PENDING_BYTE // page_size + 1
    for _ in range(count):
        record = journal.read(record_size, at)
        if len(record) < record_size:
            return False
        number = int.from_bytes(record[:4], "big")
        data = record[4:-4]
        if number in (0, lock_page):
            return False
        if number <= database_pages:
            if page_checksum(nonce, data) != int.from_bytes(record[-4:], "big"):
                return False
            database.write(data, (number - 1) * page_size)
        at += record_size
    return True


def delete_super_journal(vfs: Vfs, name: str, own_journal: str) -> None:
    """Deletes a super-journal once none of the journals that it lists needs it any more."""
    if not vfs.exists(name):
        return
    file = vfs.open(name, create=False, read_only=True, lock=False)
    try:
        children = file.read(file.size(), 0).split(b"\0")
    finally:
        file.close()
    for raw in children:
        child = raw.decode("utf-8", "surrogateescape")
        if child and child != own_journal and vfs.exists(child):
            journal = vfs.open(child, create=False, read_only=True, lock=False)
            try:
                if read_super_journal(journal) == name:
                    return
            finally:
                journal.close()
    vfs.delete(name, False)


BusyHandler = Callable[[int], bool]
"""Called with the number of earlier calls; False gives up."""
