"""A file system that fails on purpose: crashes, errors, torn and lost writes, replayable from a seed.

Files live in memory in two layers: the durable bytes and the writes since the last sync.  Every call that changes a file
counts; at call `fail_at` one of these happens:

    crash   this and every later call raise `Crash`; `after_crash(seed)` is then the disk as a power cut may leave it:
            writes that were not synced are kept, dropped, reordered or torn at sector boundaries, files that were made
            or deleted without a directory sync may be there or not
    kill    the same for the process alone: `after_kill()` has every write that came through, the last one perhaps cut
    error   this call raises an I/O or disk-full error, a write perhaps after its first part; later calls work again, or,
            with `forever`, fail as well

Source: https://www.sqlite.org/testing.html, sections 3.2 and 3.3.
"""

from __future__ import annotations

import random

from minisql.errors import CANTOPEN, FULL, IOERR_FSYNC, IOERR_READ, IOERR_TRUNCATE, IOERR_WRITE, sqlite_error
from minisql.storage.vfs import MemoryStore, MemoryVfs
from minisql.storage.wal_index import HeapIndex, WalIndex

SECTOR = 512


class Crash(BaseException):
    """The simulated power cut; not an Error, so that nothing handles it."""


class FaultStore:
    """One file: what is on the disk, what the cache holds, and the changes between."""

    __slots__ = ("content", "durable", "is_linked", "locks", "pending")

    def __init__(self) -> None:
        self.durable = b""
        self.content = bytearray()
        self.pending: list[tuple[int, bytes | None]] = []  # (offset, data) or (size, None) for a truncation
        self.is_linked = False
        self.locks = MemoryStore()


class FaultFile:
    """An open file of a `FaultVfs`."""

    __slots__ = ("lock_file", "read_only", "store", "vfs")

    def __init__(self, vfs: FaultVfs, store: FaultStore, read_only: bool) -> None:
        self.vfs = vfs
        self.store = store
        self.read_only = read_only
        self.lock_file = MemoryVfs().open("locks", create=True, read_only=False)
        self.lock_file.store = store.locks

    def read(self, size: int, offset: int) -> bytes:
        """Source: `VfsFile.read`."""
        if self.vfs.counts_reads:
            self.vfs.count_call(IOERR_READ)
        return bytes(self.store.content[offset : offset + size])

    def write(self, data: bytes, offset: int) -> None:
        """Source: `VfsFile.write`."""
        try:
            self.vfs.count_call(FULL if self.vfs.seed % 2 else IOERR_WRITE)
        except BaseException:
            self.vfs.write_partly(self.store, data, offset)
            raise
        store = self.store
        _apply(store.content, offset, data)
        store.pending.append((offset, bytes(data)))

    def truncate(self, size: int) -> None:
        """Source: `VfsFile.truncate`."""
        self.vfs.count_call(IOERR_TRUNCATE)
        _apply(self.store.content, size, None)
        self.store.pending.append((size, None))

    def sync(self) -> None:
        """Source: `VfsFile.sync`."""
        self.vfs.count_call(IOERR_FSYNC)
        self.store.durable = bytes(self.store.content)
        self.store.pending.clear()

    def size(self) -> int:
        """Source: `VfsFile.size`."""
        return len(self.store.content)

    def close(self) -> None:
        """Source: `VfsFile.close`."""
        self.lock_file.close()

    def lock(self, level: int) -> bool:
        """Source: `VfsFile.lock`."""
        return self.lock_file.lock(level)

    def unlock(self, level: int) -> None:
        """Source: `VfsFile.unlock`."""
        self.lock_file.unlock(level)

    def is_reserved(self) -> bool:
        """Source: `VfsFile.is_reserved`."""
        return self.lock_file.is_reserved()

    def has_moved(self) -> bool:
        """Source: `VfsFile.has_moved`."""
        return False


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del content[offset:]
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class FaultVfs:
    """See the module docstring.  `fail_at` counts from 1; 0 never fails.  Reads count too when `counts_reads` is set."""

    __slots__ = (
        "counts_reads",
        "deleted",
        "fail_at",
        "files",
        "forever",
        "has_failed",
        "has_wal",
        "is_crash",
        "n_calls",
        "n_random",
        "name",
        "seed",
    )

    def __init__(self, fail_at: int = 0, is_crash: bool = True, seed: int = 0, forever: bool = False) -> None:
        self.name = "fault"
        self.forever = forever
        self.counts_reads = False
        self.has_failed = False
        self.has_wal = True
        self.files: dict[str, FaultStore] = {}
        self.deleted: dict[str, FaultStore] = {}
        self.fail_at = fail_at
        self.is_crash = is_crash
        self.seed = seed
        self.n_calls = 0
        self.n_random = 0

    def count_call(self, code: int) -> None:
        """Counts a changing call and fails when its turn has come."""
        self.n_calls += 1
        if self.fail_at and self.n_calls >= self.fail_at:
            if self.is_crash:
                raise Crash
            if self.forever or self.n_calls == self.fail_at:
                raise sqlite_error(code)

    def write_partly(self, store: FaultStore, data: bytes, offset: int) -> None:
        """Lets the first part of the write that fails, chosen by the seed, reach the file: nothing, sectors, all of it."""
        if self.has_failed:
            return
        self.has_failed = True
        chooser = random.Random(self.seed * 1_000_003 + self.fail_at)
        size = chooser.choice((0, len(data) // 2, chooser.randrange(len(data) + 1), len(data)))
        if size:
            _apply(store.content, offset, data[:size])
            store.pending.append((offset, bytes(data[:size])))

    def open(self, path: str, *, create: bool, read_only: bool, lock: bool = True) -> FaultFile:
        """Source: `Vfs.open`."""
        store = self.files.get(path)
        if store is None:
            if not create or read_only:
                raise sqlite_error(CANTOPEN)
            self.count_call(CANTOPEN)
            store = self.files[path] = FaultStore()
        return FaultFile(self, store, read_only)

    def delete(self, path: str, sync_directory: bool) -> None:
        """Source: `Vfs.delete`."""
        if path in self.files:
            self.count_call(IOERR_WRITE)
            store = self.files.pop(path)
            if store.is_linked and not sync_directory:
                self.deleted[path] = store

    def exists(self, path: str) -> bool:
        """Source: `Vfs.exists`."""
        return path in self.files

    def full_path(self, path: str) -> str:
        """Source: `Vfs.full_path`."""
        return path

    def sync_directory(self, path: str) -> None:
        """Source: `Vfs.sync_directory`."""
        self.count_call(IOERR_FSYNC)
        self.deleted.clear()
        for store in self.files.values():
            store.is_linked = True

    def open_wal_index(self, path: str) -> WalIndex | None:
        """Source: `Vfs.open_wal_index`; one connection at a time, so the heap will do."""
        return HeapIndex()

    def random_bytes(self, size: int) -> bytes:
        """Source: `Vfs.random_bytes`; the same sequence for the same seed."""
        self.n_random += 1
        return random.Random(self.seed * 1_000_003 + self.n_random).randbytes(size)

    def sleep(self, seconds: float) -> None:
        """Source: `Vfs.sleep`; no time passes."""

    def after_kill(self) -> FaultVfs:
        """Returns the files as the next process finds them when this one was killed."""
        disk = FaultVfs()
        for path, store in self.files.items():
            disk.put(path, bytes(store.content))
        return disk

    def put(self, path: str, data: bytes) -> None:
        """Makes a file that is safely on the disk."""
        store = self.files[path] = FaultStore()
        store.content = bytearray(data)
        store.durable = data
        store.is_linked = True

    def after_crash(self, seed: int) -> FaultVfs:
        """Returns the disk as it may be after a power cut at this moment, one of many, chosen by the seed."""
        chooser = random.Random(seed)
        disk = FaultVfs()
        for path, store in self.files.items():
            if store.is_linked or chooser.random() < 0.5:
                disk.files[path] = self._settle(store, chooser)
        for path, store in self.deleted.items():
            if path not in disk.files and chooser.random() < 0.5:
                disk.files[path] = self._settle(store, chooser)
        return disk

    def _settle(self, store: FaultStore, chooser: random.Random) -> FaultStore:
        result = FaultStore()
        content = bytearray(store.durable)
        pending = list(store.pending)
        mode = chooser.randrange(4)
        if mode == 0:
            pending = []
        elif mode == 2:
            pending = pending[: chooser.randrange(len(pending) + 1)]
        elif mode == 3:
            pending = [change for change in pending if chooser.random() < 0.7]
            if all(data is not None for _, data in pending):
                chooser.shuffle(pending)
            pending = [_tear(change, chooser) for change in pending]
        for offset, data in pending:
            _apply(content, offset, data)
        result.content = content
        result.durable = bytes(content)
        result.is_linked = True
        return result


def _tear(change: tuple[int, bytes | None], chooser: random.Random) -> tuple[int, bytes | None]:
    """Keeps some sectors of a write."""
    offset, data = change
    if data is None or len(data) <= SECTOR or chooser.random() < 0.5:
        return change
    first = SECTOR - offset % SECTOR
    cuts = [0, *range(first, len(data), SECTOR), len(data)]
    start, end = sorted(chooser.sample(cuts, 2))
    return offset + start, data[start:end]
