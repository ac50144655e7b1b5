"""The virtual file system: the only door to files, sync, randomness and the clock.

A `Vfs` opens, deletes and finds files by name; a `VfsFile` reads, writes, syncs and locks one of them.  Two come with the
engine: `OsVfs` for real files and `MemoryVfs` for named files in this process (the "memdb" of URI names and the ground
for crash tests).  Both raise SQLite's I/O errors and nothing else.  Locks follow the five levels of lockingv3; how they
reach the operating system is in `locking`.

Source: https://www.sqlite.org/vfs.html, https://www.sqlite.org/lockingv3.html.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable
from typing import Protocol

from minisql.errors import (
    CANTOPEN,
    FULL,
    IOERR_DELETE,
    IOERR_DIR_FSYNC,
    IOERR_FSTAT,
    IOERR_FSYNC,
    IOERR_READ,
    IOERR_TRUNCATE,
    IOERR_WRITE,
    READONLY,
    sqlite_error,
)
from minisql.storage.locking import FileLock, NoLock, open_lock
from minisql.storage.wal_index import SharedIndex, WalIndex, has_shared_memory

# What a commit must find again is the content and, when it grew, the size: fdatasync promises both, and spares the time stamps.
_sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)

UNLOCKED = 0
SHARED = 1
RESERVED = 2
PENDING = 3
EXCLUSIVE = 4


class VfsFile(Protocol):
    """One open file.  Offsets and sizes are in bytes."""

    read_only: bool

    def read(self, size: int, offset: int) -> bytes:
        """Reads up to `size` bytes; fewer only at the end of the file."""

    def write(self, data: bytes, offset: int) -> None:
        """Writes all of `data`, growing the file if need be; raises SQLITE_FULL or SQLITE_IOERR_WRITE."""

    def truncate(self, size: int) -> None:
        """Cuts the file to `size` bytes."""

    def sync(self) -> None:
        """Makes earlier writes durable."""

    def size(self) -> int:
        """Returns the file's size."""

    def close(self) -> None:
        """Releases locks and the file."""

    def lock(self, level: int) -> bool:
        """Raises the lock to `level`; False when another connection is in the way."""

    def unlock(self, level: int) -> None:
        """Lowers the lock to SHARED or UNLOCKED."""

    def is_reserved(self) -> bool:
        """Tells whether any connection holds RESERVED or more."""

    def has_moved(self) -> bool:
        """Tells whether the name no longer leads to this file."""


class Vfs(Protocol):
    """A file system that databases live on."""

    name: str
    has_wal: bool

    def open(self, path: str, *, create: bool, read_only: bool, lock: bool = True) -> VfsFile:
        """Opens a file; raises SQLITE_CANTOPEN."""

    def delete(self, path: str, sync_directory: bool) -> None:
        """Deletes a file; no error when it does not exist."""

    def exists(self, path: str) -> bool:
        """Tells whether a file exists and is not empty of meaning (a directory does not count)."""

    def full_path(self, path: str) -> str:
        """Makes the name absolute, links resolved."""

    def sync_directory(self, path: str) -> None:
        """Makes the directory entry of `path` durable."""

    def open_wal_index(self, path: str) -> WalIndex | None:
        """Opens the index of the database's write-ahead log (`path` names the database); None where WAL cannot be."""

    def random_bytes(self, size: int) -> bytes:
        """Returns `size` random bytes."""

    def sleep(self, seconds: float) -> None:
        """Waits, as a busy handler does."""


def _write_error(error: OSError) -> Exception:
    return sqlite_error(FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else IOERR_WRITE)


class OsFile:
    """A file of the operating system, read and written with `pread` and `pwrite`."""

    __slots__ = ("descriptor", "file_lock", "path", "read_only")

    def __init__(self, path: str, descriptor: int, read_only: bool, file_lock: FileLock | NoLock) -> None:
        self.path = path
        self.descriptor = descriptor
        self.read_only = read_only
        self.file_lock = file_lock

    def read(self, size: int, offset: int) -> bytes:
        """Source: `VfsFile.read`; repeats short reads until the end of the file."""
        try:
            data = os.pread(self.descriptor, size, offset)
            while 0 < len(data) < size:
                more = os.pread(self.descriptor, size - len(data), offset + len(data))
                if not more:
                    break
                data += more
        except OSError as error:
            raise sqlite_error(IOERR_READ) from error
        return data

    def write(self, data: bytes, offset: int) -> None:
        """Source: `VfsFile.write`."""
        try:
            written = os.pwrite(self.descriptor, data, offset)
            while written < len(data):
                written += os.pwrite(self.descriptor, data[written:], offset + written)
        except OSError as error:
            raise _write_error(error) from error

    def truncate(self, size: int) -> None:
        """Source: `VfsFile.truncate`."""
        try:
            os.ftruncate(self.descriptor, size)
        except OSError as error:
            raise sqlite_error(IOERR_TRUNCATE) from error

    def sync(self) -> None:
        """Source: `VfsFile.sync`."""
        try:
            _sync_data(self.descriptor)
        except OSError as error:
            raise sqlite_error(IOERR_FSYNC) from error

    def size(self) -> int:
        """Source: `VfsFile.size`."""
        try:
            return os.fstat(self.descriptor).st_size
        except OSError as error:
            raise sqlite_error(IOERR_FSTAT) from error

    def close(self) -> None:
        """Source: `VfsFile.close`; the lock layer decides when the descriptor may really be closed."""
        if self.descriptor >= 0:
            descriptor, self.descriptor = self.descriptor, -1
            self.file_lock.close(descriptor)

    def __del__(self) -> None:
        """Closes a file that was dropped open: a descriptor left open would keep its locks."""
        with contextlib.suppress(AttributeError):  # an exception has struck while it was made
            self.close()

    def lock(self, level: int) -> bool:
        """Source: `VfsFile.lock`."""
        return self.file_lock.lock(level)

    def unlock(self, level: int) -> None:
        """Source: `VfsFile.unlock`."""
        self.file_lock.unlock(level)

    def is_reserved(self) -> bool:
        """Source: `VfsFile.is_reserved`."""
        return self.file_lock.is_reserved()

    def has_moved(self) -> bool:
        """Source: `VfsFile.has_moved`."""
        try:
            return not os.path.samestat(os.fstat(self.descriptor), os.stat(self.path))
        except OSError:
            return True


def creation_mode(path: str) -> int:
    """Returns the permissions of a new file: a journal, log or index gets those of its database."""
    database, _, ending = path.rpartition("-")
    if ending in ("journal", "wal"):
        try:
            return os.stat(database).st_mode & 0o777
        except OSError:
            pass
    return 0o644


_pread: Callable[..., bytes] | None = getattr(os, "pread", None)


class SeekingOsFile(OsFile):
    """The same where the platform has no `pread` (Windows): seek, then read or write."""

    __slots__ = ()

    def read(self, size: int, offset: int) -> bytes:
        """Source: `VfsFile.read`."""
        try:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            data = os.read(self.descriptor, size)
            while 0 < len(data) < size:
                more = os.read(self.descriptor, size - len(data))
                if not more:
                    break
                data += more
        except OSError as error:
            raise sqlite_error(IOERR_READ) from error
        return data

    def write(self, data: bytes, offset: int) -> None:
        """Source: `VfsFile.write`."""
        try:
            os.lseek(self.descriptor, offset, os.SEEK_SET)
            written = os.write(self.descriptor, data)
            while written < len(data):
                written += os.write(self.descriptor, data[written:])
        except OSError as error:
            raise _write_error(error) from error


class OsVfs:
    """The operating system's files."""

    __slots__ = ("has_wal", "name")

    def __init__(self) -> None:
        self.name = "unix"
        self.has_wal = has_shared_memory

    def open(self, path: str, *, create: bool, read_only: bool, lock: bool = True) -> OsFile:
        """Opens `path`; a file that cannot be written opens read-only, as SQLite does it."""
        flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        descriptor = -1
        if not read_only:
            try:
                descriptor = os.open(path, flags | os.O_RDWR | (os.O_CREAT if create else 0), creation_mode(path))
            except IsADirectoryError as error:
                raise sqlite_error(CANTOPEN) from error
            except (PermissionError, OSError) as error:
                if getattr(error, "errno", 0) not in (errno.EACCES, errno.EPERM, errno.EROFS) or not os.path.isfile(path):
                    raise sqlite_error(CANTOPEN) from error
                read_only = True
            except ValueError as error:  # a NUL inside the name
                raise sqlite_error(CANTOPEN) from error
        if descriptor < 0:
            try:
                descriptor = os.open(path, flags | os.O_RDONLY)
            except (OSError, ValueError) as error:
                raise sqlite_error(CANTOPEN) from error
        if os.path.isdir(path):
            os.close(descriptor)
            raise sqlite_error(CANTOPEN)
        file_class = OsFile if _pread is not None else SeekingOsFile
        try:
            return file_class(path, descriptor, read_only, open_lock(descriptor) if lock else NoLock())
        except BaseException:
            os.close(descriptor)
            raise

    def delete(self, path: str, sync_directory: bool) -> None:
        """Source: `Vfs.delete`."""
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise sqlite_error(IOERR_DELETE) from error
        if sync_directory:
            self.sync_directory(path)

    def exists(self, path: str) -> bool:
        """Source: `Vfs.exists`; `access` first, since the answer is nearly always no (every read asks for two journals)."""
        return os.access(path, os.F_OK) and os.path.isfile(path)

    def full_path(self, path: str) -> str:
        """Source: `Vfs.full_path`; raises SQLITE_CANTOPEN for a name with a NUL inside."""
        try:
            return os.path.realpath(path)
        except ValueError as error:
            raise sqlite_error(CANTOPEN) from error

    def sync_directory(self, path: str) -> None:
        """Source: `Vfs.sync_directory`; platforms without directory descriptors are taken as durable."""
        if os.name != "posix":
            return
        try:
            descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        except OSError as error:
            raise sqlite_error(CANTOPEN) from error
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise sqlite_error(IOERR_DIR_FSYNC) from error
        finally:
            os.close(descriptor)

    def open_wal_index(self, path: str) -> WalIndex | None:
        """Source: `Vfs.open_wal_index`: the shared `-shm` file."""
        return SharedIndex(path + "-shm")

    def random_bytes(self, size: int) -> bytes:
        """Source: `Vfs.random_bytes`."""
        return os.urandom(size)

    def sleep(self, seconds: float) -> None:
        """Source: `Vfs.sleep`."""
        time.sleep(seconds)


class MemoryStore:
    """The bytes of one file of a `MemoryVfs` and the locks held on it."""

    __slots__ = ("content", "exclusive", "pending", "reserved", "shared")

    def __init__(self) -> None:
        self.content = bytearray()
        self.shared: set[int] = set()
        self.reserved = 0
        self.pending = 0
        self.exclusive = 0


class MemoryFile:
    """An open file of a `MemoryVfs`."""

    __slots__ = ("level", "read_only", "store")

    def __init__(self, store: MemoryStore, read_only: bool) -> None:
        self.store = store
        self.read_only = read_only
        self.level = UNLOCKED

    def read(self, size: int, offset: int) -> bytes:
        """Source: `VfsFile.read`."""
        return bytes(self.store.content[offset : offset + size])

    def write(self, data: bytes, offset: int) -> None:
        """Source: `VfsFile.write`."""
        if self.read_only:
            raise sqlite_error(READONLY)
        content = self.store.content
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(data)] = data

    def truncate(self, size: int) -> None:
        """Source: `VfsFile.truncate`."""
        del self.store.content[size:]

    def sync(self) -> None:
        """Source: `VfsFile.sync`; memory is as durable as it gets."""

    def size(self) -> int:
        """Source: `VfsFile.size`."""
        return len(self.store.content)

    def close(self) -> None:
        """Source: `VfsFile.close`."""
        self.unlock(UNLOCKED)

    def lock(self, level: int) -> bool:
        """Source: `VfsFile.lock`; the same rules as the byte-range locks, kept in one object."""
        store, me = self.store, id(self)
        if level <= self.level:
            return True
        if level == SHARED:
            if store.pending or store.exclusive:
                return False
            store.shared.add(me)
        elif level == RESERVED:
            if store.reserved or store.pending or store.exclusive:
                return False
            store.reserved = me
        else:
            if store.pending not in (0, me) or store.reserved not in (0, me):
                return False
            store.pending = me
            self.level = PENDING
            if store.shared - {me}:
                return False
            store.exclusive = me
        self.level = level
        return True

    def unlock(self, level: int) -> None:
        """Source: `VfsFile.unlock`."""
        store, me = self.store, id(self)
        for kind in ("reserved", "pending", "exclusive"):
            if getattr(store, kind) == me:
                setattr(store, kind, 0)
        if level == UNLOCKED:
            store.shared.discard(me)
        self.level = min(level, self.level)

    def is_reserved(self) -> bool:
        """Source: `VfsFile.is_reserved`."""
        return bool(self.store.reserved or self.store.pending or self.store.exclusive)

    def has_moved(self) -> bool:
        """Source: `VfsFile.has_moved`."""
        return False


class MemoryVfs:
    """Named files in memory, shared by everyone who holds this object."""

    __slots__ = ("files", "has_wal", "name")

    def __init__(self) -> None:
        self.name = "memdb"
        self.has_wal = False
        self.files: dict[str, MemoryStore] = {}

    def open(self, path: str, *, create: bool, read_only: bool, lock: bool = True) -> MemoryFile:
        """Source: `Vfs.open`."""
        store = self.files.get(path)
        if store is None:
            if not create or read_only:
                raise sqlite_error(CANTOPEN)
            store = self.files[path] = MemoryStore()
        return MemoryFile(store, read_only)

    def delete(self, path: str, sync_directory: bool) -> None:
        """Source: `Vfs.delete`."""
        self.files.pop(path, None)

    def exists(self, path: str) -> bool:
        """Source: `Vfs.exists`."""
        return path in self.files

    def full_path(self, path: str) -> str:
        """Source: `Vfs.full_path`."""
        return path

    def sync_directory(self, path: str) -> None:
        """Source: `Vfs.sync_directory`."""

    def open_wal_index(self, path: str) -> WalIndex | None:
        """Source: `Vfs.open_wal_index`; as SQLite's memdb, these files have no WAL mode."""
        return None

    def random_bytes(self, size: int) -> bytes:
        """Source: `Vfs.random_bytes`."""
        return os.urandom(size)

    def sleep(self, seconds: float) -> None:
        """Source: `Vfs.sleep`."""
        time.sleep(seconds)
