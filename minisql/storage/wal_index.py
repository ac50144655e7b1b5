"""The wal-index: the shared memory in which connections agree on what the write-ahead log holds.

    0    header, 48 bytes, twice        version, change counter, page size, mxFrame, pages, checksums, salts
    96   checkpoint information, 40     nBackfill, five read marks, lock bytes
    136  page numbers of frames 1..4062, then 8192 hash slots; further blocks of 32 KiB: 4096 page numbers and a hash

It lives in the file `-shm`, mapped into every process, in native byte order, and is rebuilt from the log when no one has it
open.  Words are read and written through `memoryview.cast('I')`, one machine word at a time: `struct.pack_into` stores byte
by byte, and C could see torn words.  Locks are bytes 120 to 127 of the file: WRITE, CKPT, RECOVER, READ0 to READ4; byte 128
says that someone has the file open.  `HeapIndex` is the same for one connection alone, on a VFS without shared memory.

Source: https://www.sqlite.org/walformat.html.
"""

from __future__ import annotations

import _thread
import contextlib
import os
from collections.abc import Iterator
from typing import Protocol

from minisql.errors import BUSY, CANTOPEN, IOERR_SHMLOCK, IOERR_SHMMAP, READONLY_CANTINIT, sqlite_error
from minisql.storage import locking

try:
    import mmap
except ImportError:  # WASI
    mmap = None  # type: ignore[assignment]

has_shared_memory = mmap is not None and locking.has_byte_range_locks

WRITE, CHECKPOINT, RECOVER, READ0 = 0, 1, 2, 3
N_READERS = 5
NOT_USED = 0xFFFFFFFF
REGION_SIZE = 32768
N_HASH = 8192
_FIRST_HASH = REGION_SIZE // 2 - N_HASH
FIRST_BLOCK_FRAMES = 4062
BLOCK_FRAMES = 4096
HEADER_WORDS = 12
SALT = 8  # word numbers
BACKFILL = 24
READ_MARKS = 25
BACKFILL_ATTEMPTED = 32
LOCK_OFFSET = 120
ALIVE_BYTE = 128


def barrier() -> None:
    """Keeps memory accesses before it before those behind it.

    By taking a lock, which is thrown away: one that all share stays locked when an exception strikes between its two ends.
    """
    _thread.allocate_lock().acquire(False)


class WalIndex(Protocol):
    """Where a log keeps its index: shared memory or the heap."""

    is_read_only: bool
    made_file: bool

    def region(self, number: int) -> memoryview:
        """Returns 32 KiB block `number` as 32-bit words, making it if need be."""

    def lock(self, slot: int, n_slots: int, exclusive: bool) -> bool:
        """Takes lock slots; False when someone else is in the way."""

    def unlock(self, slot: int, n_slots: int) -> None:
        """Releases lock slots."""

    def close(self, delete: bool) -> None:
        """Unmaps, drops all locks, and deletes the file if asked."""


class HeapIndex:
    """The index of a connection that has the database to itself."""

    __slots__ = ("is_read_only", "made_file", "regions")

    def __init__(self) -> None:
        self.is_read_only = False
        self.made_file = False
        self.regions: list[memoryview] = []

    def region(self, number: int) -> memoryview:
        """Source: `WalIndex.region`."""
        while len(self.regions) <= number:
            self.regions.append(memoryview(bytearray(REGION_SIZE)).cast("I"))
        return self.regions[number]

    def lock(self, slot: int, n_slots: int, exclusive: bool) -> bool:
        """Source: `WalIndex.lock`."""
        return True

    def unlock(self, slot: int, n_slots: int) -> None:
        """Source: `WalIndex.unlock`."""

    def close(self, delete: bool) -> None:
        """Source: `WalIndex.close`."""
        self.regions.clear()


class SharedIndex:
    """The `-shm` file of a real database.

    The first connection to open it empties it, so that whoever reads the header first rebuilds the index from the log.
    """

    __slots__ = ("descriptor", "is_read_only", "made_file", "maps", "path", "ranges", "regions")

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = -1
        self.is_read_only = False
        self.maps: list[mmap.mmap] = []
        self.regions: list[memoryview] = []
        if not has_shared_memory:
            raise sqlite_error(CANTOPEN)
        flags = getattr(os, "O_CLOEXEC", 0)
        self.made_file = not os.path.exists(path)
        try:
            mode = os.stat(path.removesuffix("-shm")).st_mode & 0o777
            self.descriptor = os.open(path, flags | os.O_RDWR | os.O_CREAT, mode)
        except OSError:
            try:
                self.descriptor = os.open(path, flags | os.O_RDONLY)
            except OSError as error:
                raise sqlite_error(CANTOPEN) from error
            self.is_read_only = True
        self.ranges = locking.byte_ranges(self.descriptor)
        self._join()

    def __del__(self) -> None:
        """Lets go of an index that was dropped open, or never joined."""
        self.close(False)

    def _join(self) -> None:
        if not self.is_read_only and self.ranges.set(locking.WRITE_LOCK, ALIVE_BYTE, 1, IOERR_SHMLOCK):
            os.ftruncate(self.descriptor, 3)
        elif self.is_read_only and not self.ranges.is_locked_by_other(ALIVE_BYTE):
            raise sqlite_error(READONLY_CANTINIT)
        if not self.ranges.set(locking.READ_LOCK, ALIVE_BYTE, 1, IOERR_SHMLOCK):
            raise sqlite_error(BUSY)

    def region(self, number: int) -> memoryview:
        """Source: `WalIndex.region`."""
        while len(self.regions) <= number:
            end = (len(self.regions) + 1) * REGION_SIZE
            try:
                size = os.fstat(self.descriptor).st_size
                if size < end:
                    if self.is_read_only:
                        raise sqlite_error(READONLY_CANTINIT)
                    os.pwrite(self.descriptor, bytes(end - max(size, end - REGION_SIZE)), max(size, end - REGION_SIZE))
                access = mmap.ACCESS_READ if self.is_read_only else mmap.ACCESS_WRITE
                block = mmap.mmap(self.descriptor, REGION_SIZE, offset=end - REGION_SIZE, access=access)
            except OSError as error:
                raise sqlite_error(IOERR_SHMMAP) from error
            self.maps.append(block)
            self.regions.append(memoryview(block).cast("I"))
        return self.regions[number]

    def lock(self, slot: int, n_slots: int, exclusive: bool) -> bool:
        """Source: `WalIndex.lock`."""
        kind = locking.WRITE_LOCK if exclusive else locking.READ_LOCK
        if exclusive and self.is_read_only:
            return False
        return self.ranges.set(kind, LOCK_OFFSET + slot, n_slots, IOERR_SHMLOCK)

    def unlock(self, slot: int, n_slots: int) -> None:
        """Source: `WalIndex.unlock`."""
        self.ranges.set(locking.NO_LOCK, LOCK_OFFSET + slot, n_slots, IOERR_SHMLOCK)

    def close(self, delete: bool) -> None:
        """Source: `WalIndex.close`."""
        # A view that the traceback of an exception still holds keeps its block until the traceback goes.
        for view in self.regions:
            with contextlib.suppress(BufferError):
                view.release()
        for block in self.maps:
            with contextlib.suppress(BufferError):
                block.close()
        self.regions.clear()
        self.maps.clear()
        if self.descriptor >= 0:
            if delete:
                with contextlib.suppress(OSError):
                    os.unlink(self.path)
            os.close(self.descriptor)
            self.descriptor = -1


def frame_place(frame: int) -> tuple[int, int, int, int]:
    """Returns (block, word of the block's first page number, word of the page number, frame before the block)."""
    if frame <= FIRST_BLOCK_FRAMES:
        return 0, 34, 33 + frame, 0
    block = (frame - FIRST_BLOCK_FRAMES - 1) // BLOCK_FRAMES + 1
    zero = FIRST_BLOCK_FRAMES + (block - 1) * BLOCK_FRAMES
    return block, 0, frame - zero - 1, zero


def append_frame(index: WalIndex, frame: int, page: int, slots: dict[tuple[int, int], int]) -> None:
    """Enters a frame into the page numbers and the hash of its block.

    `slots` remembers, for (block, page), the last slot taken by the page: a page written again and again would else be
    probed for from the start of an ever longer chain.  The caller empties it when frames are removed.
    """
    block, first, place, zero = frame_place(frame)
    words = index.region(block)
    hashes = words.cast("B").cast("H")
    position = frame - zero
    if position == 1:
        words[first:] = memoryview(bytes(REGION_SIZE - 4 * first)).cast("I")
    elif words[place]:
        clean_hash(index, frame - 1)
    key = slots.get((block, page), page * 383 & N_HASH - 1)
    while hashes[_FIRST_HASH + key]:
        key = key + 1 & N_HASH - 1
    slots[block, page] = key
    words[place] = page
    hashes[_FIRST_HASH + key] = position


def clean_hash(index: WalIndex, last_frame: int) -> None:
    """Removes the frames behind `last_frame` from the block that holds it, after a rollback."""
    if not last_frame:
        return
    block, _, place, zero = frame_place(last_frame)
    words = index.region(block)
    hashes = words.cast("B").cast("H")[REGION_SIZE // 2 - N_HASH :]
    limit = last_frame - zero
    for i in range(N_HASH):
        if hashes[i] > limit:
            hashes[i] = 0
    for i in range(place + 1, (REGION_SIZE - 2 * N_HASH) // 4):
        words[i] = 0


def pages_of_frames(index: WalIndex, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yields (frame, page number) for a range of frames."""
    frame = first
    while frame <= last:
        block, _, place, zero = frame_place(frame)
        end = min(last, zero + (BLOCK_FRAMES if block else FIRST_BLOCK_FRAMES))
        words = index.region(block)
        for page in words[place : place + end - frame + 1].tolist():
            yield frame, page
            frame += 1
