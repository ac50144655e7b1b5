"""The write-ahead log: committed pages beside the database, until a checkpoint moves them into it.

    -wal   header (magic, version, page size, checkpoint number, salts, checksum) | frame | frame | ...
    frame  page number, database size for a commit or 0, salts, checksum over everything so far | page

A reader notes the last committed frame (`mxFrame`), publishes it as a read mark, and for the rest of its transaction sees
each page's last frame up to there, else the page of the database file.  One writer at a time appends frames.  A checkpoint
copies frames back as far as every reader allows; when all are copied and no reader uses the log, the next writer starts it
from the beginning with new salts, which makes old frames invalid.

    frames   page number -> last frame in the snapshot; SQLite searches the hash of the index instead, which this code
             fills for other connections but, having a dict, does not need to read

Recovery: whoever finds the index invalid reads the log up to the first frame whose salt or checksum is wrong.

Source: https://www.sqlite.org/wal.html, https://www.sqlite.org/walformat.html, https://www.sqlite.org/fileformat2.html#walformat.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Sequence

from minisql.errors import BUSY, BUSY_RECOVERY, BUSY_SNAPSHOT, CANTOPEN, PROTOCOL, READONLY_CANTINIT, sqlite_error
from minisql.storage.vfs import Vfs, VfsFile
from minisql.storage.wal_checksum import wal_checksum
from minisql.storage.wal_index import (
    BACKFILL,
    BACKFILL_ATTEMPTED,
    CHECKPOINT,
    HEADER_WORDS,
    N_READERS,
    NOT_USED,
    READ0,
    READ_MARKS,
    RECOVER,
    SALT,
    WRITE,
    WalIndex,
    append_frame,
    barrier,
    clean_hash,
    pages_of_frames,
)

VERSION = 3007000
MAGIC = 0x377F0682
_IS_BIG_ENDIAN = sys.byteorder == "big"

Busy = Callable[[], bool]
"""Asked whether to wait for a lock and try again."""


_pack_header = struct.Struct("=IIIBBHIIII").pack
_pack_two = struct.Struct("=II").pack


class WalHeader:
    """What the index says about the log: the snapshot of a reader."""

    __slots__ = ("change", "checksum", "is_big_endian", "max_frame", "n_pages", "page_size", "salt")

    def __init__(self) -> None:
        self.change = 0
        self.is_big_endian = _IS_BIG_ENDIAN
        self.page_size = 0
        self.max_frame = 0
        self.n_pages = 0
        self.checksum = (0, 0)
        self.salt = bytes(8)

    def image(self) -> memoryview:
        """Returns the twelve words of the header in the index."""
        size = self.page_size & 0xFF00 | self.page_size >> 16
        body: bytes = _pack_header(
            VERSION, 0, self.change, 1, self.is_big_endian, size, self.max_frame, self.n_pages, *self.checksum
        )
        body += self.salt
        body += _pack_two(*wal_checksum(body, 0, 0, _IS_BIG_ENDIAN))
        return memoryview(body).cast("I")

    def words(self) -> list[int]:
        """Returns the words of `image` as numbers."""
        return self.image().tolist()

    @staticmethod
    def from_words(words: Sequence[int]) -> WalHeader | None:
        """Reads a header; None when it is not initialised or its checksum is wrong."""
        body = struct.pack(f"={HEADER_WORDS}I", *words)
        version, _, change, is_init, is_big, size, max_frame, n_pages, c0, c1 = struct.unpack_from("=IIIBBHIIII", body)
        if not is_init or wal_checksum(body[:40], 0, 0, _IS_BIG_ENDIAN) != struct.unpack_from("=II", body, 40):
            return None
        if version != VERSION:
            raise sqlite_error(CANTOPEN)
        header = WalHeader()
        header.change, header.is_big_endian = change, bool(is_big)
        header.page_size = (size & 0xFE00) + ((size & 1) << 16)
        header.max_frame, header.n_pages, header.checksum = max_frame, n_pages, (c0, c1)
        header.salt = body[32:40]
        return header

    def copy(self) -> WalHeader:
        """Returns a header to change."""
        other = WalHeader.__new__(WalHeader)
        other.change, other.checksum, other.is_big_endian = self.change, self.checksum, self.is_big_endian
        other.max_frame, other.n_pages = self.max_frame, self.n_pages
        other.page_size, other.salt = self.page_size, self.salt
        return other


class Wal:
    """The log of one connection.  `header` is its snapshot, which a writer runs ahead of the index until it commits.

    `size_limit` is what a log may keep of its bytes when it is begun anew (`was_restarted`), -1 for all.
    """

    __slots__ = (
        "checkpoint_number",
        "file",
        "frames",
        "frames_until",
        "has_written",
        "header",
        "index",
        "is_writing",
        "made_file",
        "min_frame",
        "page_size",
        "path",
        "read_lock",
        "shared_words",
        "size_limit",
        "slots",
        "vfs",
        "was_restarted",
    )

    def __init__(self, vfs: Vfs, path: str, index: WalIndex, page_size: int, read_only: bool) -> None:
        self.vfs = vfs
        self.path = path
        self.index = index
        self.page_size = page_size
        self.file: VfsFile = vfs.open(path, create=not read_only, read_only=read_only, lock=False)
        self.header = WalHeader()
        self.shared_words: list[int] = []
        self.frames: dict[int, int] = {}
        self.frames_until = 0
        self.slots: dict[tuple[int, int], int] = {}
        self.read_lock = -1
        self.min_frame = 0
        self.is_writing = False
        self.has_written = False
        self.made_file = False
        self.checkpoint_number = 0
        self.size_limit = -1
        self.was_restarted = False

    # -- reading ---------------------------------------------------------------------------------------------------

    def begin_read(self) -> set[int] | None:
        """Takes a snapshot; returns the pages that changed since the last one, None when that may be any page."""
        before = self.header
        had_words = bool(self.shared_words)
        for attempt in range(100):
            if attempt > 5:
                self.vfs.sleep(0.001 if attempt < 10 else (attempt - 9) ** 2 * 0.000039)
            if self._try_begin_read(False):
                break
        else:
            raise sqlite_error(PROTOCOL)
        return self._changed_pages(before if had_words else None)

    def _changed_pages(self, before: WalHeader | None) -> set[int] | None:
        header = self.header
        if self.read_lock == 0:
            # The whole log is in the database file; without a log in use nothing is looked up in it.
            self.frames, self.frames_until, self.slots = {}, 0, {}
            return set() if before is not None and before.words() == header.words() else None
        is_same_log = before is not None and before.salt == header.salt and before.max_frame <= header.max_frame
        if not is_same_log or self.frames_until > header.max_frame or not self.frames_until:
            self.frames = {}
            self.frames_until = 0
            self.slots = {}
        new = list(pages_of_frames(self.index, self.frames_until + 1, header.max_frame))
        self.frames.update((page, frame) for frame, page in new)
        self.frames_until = header.max_frame
        if not is_same_log:
            return None
        assert before is not None
        return {page for frame, page in new if frame > before.max_frame}

    def _try_begin_read(self, use_log: bool) -> bool:
        """Tries once to take a snapshot and its read lock; False to try again.

        A writer that moves into the log (`use_log`) keeps the snapshot that it has: after a recovery its pages would be old.
        """
        index = self.index
        if not use_log and not self._read_header():
            return False
        words = index.region(0)
        header = self.header
        if not use_log and words[BACKFILL] == header.max_frame:
            if index.lock(READ0, 1, False):
                barrier()
                if words[0:HEADER_WORDS].tolist() != self.shared_words:
                    index.unlock(READ0, 1)
                    return False
                self.read_lock = 0
                return True
        best, best_mark = 0, 0
        for i in range(1, N_READERS):
            mark = words[READ_MARKS + i]
            if best_mark <= mark <= header.max_frame:
                best, best_mark = i, mark
        if not index.is_read_only and (best_mark < header.max_frame or not best):
            for i in range(1, N_READERS):
                if index.lock(READ0 + i, 1, True):
                    words[READ_MARKS + i] = best_mark = header.max_frame
                    best = i
                    index.unlock(READ0 + i, 1)
                    break
        if not best:
            if index.is_read_only:
                raise sqlite_error(READONLY_CANTINIT)
            return False
        if not index.lock(READ0 + best, 1, False):
            return False
        self.min_frame = words[BACKFILL] + 1
        barrier()
        if words[READ_MARKS + best] != best_mark or words[0:HEADER_WORDS].tolist() != self.shared_words:
            index.unlock(READ0 + best, 1)
            return False
        self.read_lock = best
        return True

    def _read_header(self, has_checkpoint_lock: bool = False) -> bool:
        """Reads the header of the index, rebuilding the index when it is not valid; False to try again."""
        if self._try_header():
            return True
        index = self.index
        if index.is_read_only:
            raise sqlite_error(READONLY_CANTINIT)
        if not index.lock(WRITE, 1, True):
            if not index.lock(RECOVER, 1, False):
                raise sqlite_error(BUSY_RECOVERY)
            index.unlock(RECOVER, 1)
            return False
        try:
            if not self._try_header():
                self._recover(has_checkpoint_lock)
            return self._try_header()
        finally:
            index.unlock(WRITE, 1)

    def _try_header(self) -> bool:
        words = self.index.region(0)
        first = words[0:HEADER_WORDS].tolist()
        barrier()
        if first != words[HEADER_WORDS : 2 * HEADER_WORDS].tolist():
            return False
        if first == self.shared_words and self.shared_words:
            return True
        header = WalHeader.from_words(first)
        if header is None:
            return False
        self.header, self.shared_words = header, first
        if header.page_size:
            self.page_size = header.page_size
        return True

    def find_frame(self, page: int) -> int:
        """Returns the page's last frame in the snapshot, 0 when the database file has it."""
        return self.frames.get(page, 0) if self.frames else 0

    def read_frame(self, frame: int) -> bytes:
        """Returns the page image of a frame."""
        size = self.page_size
        return self.file.read(size, 32 + (frame - 1) * (size + 24) + 24)

    def end_read(self) -> None:
        """Gives the snapshot up."""
        if self.read_lock >= 0:
            self.index.unlock(READ0 + self.read_lock, 1)
            self.read_lock = -1

    # -- recovery --------------------------------------------------------------------------------------------------

    def _recover(self, has_checkpoint_lock: bool) -> None:
        """Rebuilds the index from the log; the WRITE lock is held.  A checkpointer keeps its CHECKPOINT lock."""
        index = self.index
        locks = (RECOVER, 1) if has_checkpoint_lock else (CHECKPOINT, 2)
        if not index.lock(*locks, True):
            raise sqlite_error(BUSY_RECOVERY)
        try:
            header = self._scan_log()
            self._write_header(header)
            words = index.region(0)
            words[BACKFILL] = 0
            words[BACKFILL_ATTEMPTED] = header.max_frame
            words[READ_MARKS] = 0
            for i in range(1, N_READERS):
                if index.lock(READ0 + i, 1, True):
                    words[READ_MARKS + i] = header.max_frame if i == 1 and header.max_frame else NOT_USED
                    index.unlock(READ0 + i, 1)
        finally:
            index.unlock(*locks)

    def _scan_log(self) -> WalHeader:
        header = WalHeader()
        self.slots = {}
        raw = self.file.read(32, 0)
        if len(raw) < 32:
            return header
        magic, version, page_size, number = struct.unpack_from(">IIII", raw)
        is_big = bool(magic & 1)
        if magic & ~1 != MAGIC or page_size & (page_size - 1) or not 512 <= page_size <= 65536:
            return header
        s0, s1 = wal_checksum(raw[:24], 0, 0, is_big)
        if (s0, s1) != struct.unpack_from(">II", raw, 24):
            return header
        if version != VERSION:
            raise sqlite_error(CANTOPEN)
        self.checkpoint_number = number
        self.page_size = header.page_size = page_size
        header.is_big_endian = is_big
        header.salt = raw[16:24]
        header.checksum = s0, s1
        self._scan_frames(header)
        return header

    def _scan_frames(self, header: WalHeader) -> None:
        """Enters all frames up to the last valid commit."""
        size = header.page_size + 24
        s0, s1 = header.checksum
        frame = 0
        waiting: list[tuple[int, int]] = []
        while True:
            data = self.file.read(size, 32 + frame * size)
            if len(data) < size or data[8:16] != header.salt:
                break
            page, n_pages = struct.unpack_from(">II", data)
            s0, s1 = wal_checksum(data[:8], s0, s1, header.is_big_endian)
            s0, s1 = wal_checksum(data[24:], s0, s1, header.is_big_endian)
            if not page or (s0, s1) != struct.unpack_from(">II", data, 16):
                break
            frame += 1
            waiting.append((frame, page))
            if n_pages:
                for number, entry in waiting:
                    append_frame(self.index, number, entry, self.slots)
                waiting.clear()
                header.max_frame, header.n_pages, header.checksum = frame, n_pages, (s0, s1)

    def _write_header(self, header: WalHeader) -> None:
        """Publishes a header: second copy first, so that a reader who sees both alike sees a whole one."""
        image = header.image()
        region = self.index.region(0)
        region[HEADER_WORDS : 2 * HEADER_WORDS] = image
        barrier()
        region[0:HEADER_WORDS] = image
        self.header, self.shared_words = header, image.tolist()

    # -- writing ---------------------------------------------------------------------------------------------------

    def begin_write(self) -> bool:
        """Takes the WRITE lock; False when another writer has it.  Raises SQLITE_BUSY_SNAPSHOT for an old snapshot."""
        if not self.index.lock(WRITE, 1, True):
            return False
        if self.index.region(0)[0:HEADER_WORDS].tolist() != self.shared_words:
            self.index.unlock(WRITE, 1)
            raise sqlite_error(BUSY_SNAPSHOT)
        self.is_writing = True
        return True

    def end_write(self) -> None:
        """Releases the WRITE lock."""
        if self.is_writing:
            self.is_writing = False
            self.index.unlock(WRITE, 1)

    def _restart(self) -> None:
        """Starts the log from the beginning when all of it is in the database and no reader uses it."""
        if self.read_lock != 0:
            return
        words = self.index.region(0)
        if words[BACKFILL]:
            if self.index.lock(READ0 + 1, N_READERS - 1, True):
                self._restart_header()
                self.index.unlock(READ0 + 1, N_READERS - 1)
        self.index.unlock(READ0, 1)
        self.read_lock = -1
        for _ in range(100):
            if self._try_begin_read(True):
                break
        else:
            raise sqlite_error(PROTOCOL)
        self._changed_pages(None)

    def _restart_header(self) -> None:
        """Empties the log in the index and gives it new salts.

        nBackfill goes first: a process killed between the two must not leave a count that the new log has not earned.
        """
        words = self.index.region(0)
        words[BACKFILL] = 0
        header = self.header.copy()
        self.checkpoint_number = self.checkpoint_number + 1 & 0xFFFFFFFF
        header.max_frame = 0
        first = int.from_bytes(header.salt[:4], "big") + 1 & 0xFFFFFFFF
        header.salt = first.to_bytes(4, "big") + self.vfs.random_bytes(4)
        self._write_header(header)
        words[BACKFILL_ATTEMPTED] = 0
        words[READ_MARKS + 1] = 0
        self.slots = {}
        for i in range(2, N_READERS):
            words[READ_MARKS + i] = NOT_USED
        self.frames, self.frames_until = {}, 0

    def write_frames(self, images: Iterable[tuple[int, bytes]], n_pages: int, synchronous: int) -> None:
        """Appends pages; with `n_pages` not 0 they end a transaction, which is then published."""
        self._restart()
        header = self.header.copy()
        parts: list[bytes] = []
        start = 32 + header.max_frame * (self.page_size + 24)
        if header.max_frame == 0:
            self._write_log_header(header, synchronous)
            self.was_restarted = True
            start = 32
        s0, s1 = header.checksum
        pages = list(images)
        is_big = header.is_big_endian
        for i, (page, data) in enumerate(pages):
            head = struct.pack(">II", page, n_pages if i == len(pages) - 1 else 0)
            s0, s1 = wal_checksum(head, s0, s1, is_big)
            s0, s1 = wal_checksum(data, s0, s1, is_big)
            parts += (head, header.salt, struct.pack(">II", s0, s1), data)
        self.file.write(b"".join(parts), start)
        self.has_written = True
        if n_pages and synchronous >= 2:
            self.file.sync()
        frame = header.max_frame
        for page, _ in pages:
            frame += 1
            append_frame(self.index, frame, page, self.slots)
            self.frames[page] = frame
        header.max_frame, header.checksum = frame, (s0, s1)
        header.page_size = self.page_size
        self.frames_until = frame
        if n_pages:
            header.change = header.change + 1 & 0xFFFFFFFF
            header.n_pages = n_pages
            self._write_header(header)
            self._limit_size()
        else:
            self.header = header

    def _limit_size(self) -> None:
        """Cuts a log that was begun anew down to `size_limit` (PRAGMA journal_size_limit), but not into its frames."""
        if self.was_restarted and self.size_limit >= 0:
            size = max(self.size_limit, 32 + self.header.max_frame * (self.page_size + 24))
            if self.file.size() > size:
                self.file.truncate(size)
        self.was_restarted = False

    def _write_log_header(self, header: WalHeader, synchronous: int) -> None:
        if header.salt == bytes(8):
            header.salt = self.vfs.random_bytes(8)
        header.is_big_endian = _IS_BIG_ENDIAN
        magic = MAGIC | int(_IS_BIG_ENDIAN)
        head = struct.pack(">IIII", magic, VERSION, self.page_size, self.checkpoint_number) + header.salt
        header.checksum = wal_checksum(head, 0, 0, _IS_BIG_ENDIAN)
        self.file.write(head + struct.pack(">II", *header.checksum), 0)
        if synchronous:
            self.file.sync()
            self.vfs.sync_directory(self.path)

    def undo(self) -> None:
        """Forgets the frames that an unfinished transaction has appended."""
        committed = WalHeader.from_words(self.shared_words)
        assert committed is not None
        if committed.max_frame != self.header.max_frame:
            clean_hash(self.index, committed.max_frame)
        self.header = committed
        self.frames, self.frames_until, self.slots = {}, 0, {}
        if self.read_lock > 0:
            self._changed_pages(None)

    def abandon(self) -> None:
        """Drops every lock and, if it can be that an exception struck in the middle of writing, has the index made anew.

        Whoever gets the WRITE lock here may have had it before; an index without a valid header is rebuilt from the log.
        """
        self.is_writing = False
        self.read_lock = -1
        index = self.index
        if index.lock(WRITE, 1, True):
            index.region(0)[0:HEADER_WORDS] = memoryview(bytes(4 * HEADER_WORDS)).cast("I")
        index.unlock(WRITE, READ0 + N_READERS)
        self.header, self.shared_words = WalHeader(), []
        self.frames, self.frames_until, self.slots = {}, 0, {}

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def checkpoint(self, mode: str, database: VfsFile, busy: Busy, synchronous: int) -> tuple[bool, int, int]:
        """Copies frames into the database: 'passive', 'full', 'restart' or 'truncate'.

        Returns (whether something was in the way, frames in the log, frames copied).  Call outside a transaction.
        """
        index = self.index
        if not index.lock(CHECKPOINT, 1, True):
            return True, -1, -1
        snapshot = self.header, self.shared_words
        has_write_lock = False
        try:
            if mode != "passive":
                has_write_lock = self._wait(WRITE, 1, busy)
                if not has_write_lock:
                    mode = "passive"
                    was_busy = True
                else:
                    was_busy = False
            else:
                was_busy = False
            self._read_header_for_checkpoint(has_write_lock)
            is_complete = self._copy_back(database, busy if mode != "passive" else _never, synchronous)
            words = index.region(0)
            if mode != "passive":
                was_busy = was_busy or not is_complete or words[BACKFILL] < self.header.max_frame
                if not was_busy and mode in ("restart", "truncate"):
                    was_busy = not self._reset_log(mode == "truncate", busy)
            return was_busy, self.header.max_frame, words[BACKFILL]
        finally:
            self.header, self.shared_words = snapshot  # cached pages are as old as that
            if has_write_lock:
                index.unlock(WRITE, 1)
            index.unlock(CHECKPOINT, 1)

    def _read_header_for_checkpoint(self, has_write_lock: bool) -> None:
        if has_write_lock:
            if not self._try_header():
                raise sqlite_error(BUSY)
        elif not self._read_header(True):
            raise sqlite_error(BUSY_RECOVERY)

    def _wait(self, slot: int, n_slots: int, busy: Busy) -> bool:
        while not self.index.lock(slot, n_slots, True):
            if not busy():
                return False
        return True

    def _copy_back(self, database: VfsFile, busy: Busy, synchronous: int) -> bool:
        """Copies frames as far as readers allow; False when a reader was in the way."""
        index, header = self.index, self.header
        words = index.region(0)
        safe = header.max_frame
        is_complete = True
        for i in range(1, N_READERS):
            mark = words[READ_MARKS + i]
            if safe > mark:
                if self._wait(READ0 + i, 1, busy):
                    words[READ_MARKS + i] = safe if i == 1 else NOT_USED
                    index.unlock(READ0 + i, 1)
                else:
                    safe = mark
                    is_complete = False
                    busy = _never
        done = words[BACKFILL]
        if done >= safe:
            return is_complete
        if not self._wait(READ0, 1, busy):
            return False
        try:
            if self._was_restarted():
                return is_complete
            words[BACKFILL_ATTEMPTED] = safe
            if synchronous:
                self.file.sync()
            last = {page: frame for frame, page in pages_of_frames(index, 1, safe)}
            size = self.page_size
            for page in sorted(last):
                if last[page] > done and page <= header.n_pages:
                    database.write(self.read_frame(last[page]), (page - 1) * size)
            if safe == words[4]:  # mxFrame in the shared header: no one has committed meanwhile
                if database.size() > header.n_pages * size:
                    database.truncate(header.n_pages * size)
            if synchronous:
                database.sync()
            words[BACKFILL] = safe
        finally:
            index.unlock(READ0, 1)
        return is_complete

    def _was_restarted(self) -> bool:
        """Tells whether a writer has restarted the log since its header was read: then all of it was in the database.

        Asked with READ0 locked, which a writer holds while it restarts the log.  Without this the checkpoint would copy old
        frames and set nBackfill for a log that is not the one it has looked at: SQLite's fault from 3.7.0 to 3.51.2.
        """
        salt = struct.pack("=II", *self.index.region(0)[SALT : SALT + 2].tolist())
        return salt != self.header.salt

    def _reset_log(self, truncate: bool, busy: Busy) -> bool:
        if not self._wait(READ0 + 1, N_READERS - 1, busy):
            return False
        try:
            if truncate:
                self._restart_header()
                self.file.truncate(0)
        finally:
            self.index.unlock(READ0 + 1, N_READERS - 1)
        return True

    def close(self, delete_log: bool, delete_index: bool) -> None:
        """Closes the log; deletes its files as the caller decides, who holds the database EXCLUSIVE then."""
        try:
            self.end_read()
            self.end_write()
            self.file.close()
            if delete_log:
                self.vfs.delete(self.path, False)
        finally:
            self.index.close(delete_index)


def _never() -> bool:
    return False
