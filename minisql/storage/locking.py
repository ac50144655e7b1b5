"""POSIX byte-range locks on the lock bytes at 1 GiB, shared with C SQLite processes.

The five levels (UNLOCKED, SHARED, RESERVED, PENDING, EXCLUSIVE) are locks on three ranges:

    PENDING_BYTE   0x40000000      read-locked for a moment while SHARED is taken; write-locked from PENDING on
    RESERVED_BYTE  0x40000001      write-locked from RESERVED on
    SHARED range   0x40000002 +510 read-locked from SHARED on, write-locked by EXCLUSIVE

Plain POSIX locks belong to the process: two connections in one process do not see each other, and closing any descriptor
of the file drops every lock on it.  Where the kernel has open-file-description locks (`F_OFD_SETLK`) each connection owns
its locks and neither trap exists; elsewhere `InodeLock` keeps one table a process, as C SQLite does, and puts off the
closing of descriptors until the last lock on the file is gone.

Source: https://www.sqlite.org/lockingv3.html; "man 2 fcntl", Open file description locks.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import threading

from minisql.errors import (
    IOERR_CHECKRESERVEDLOCK,
    IOERR_LOCK,
    IOERR_RDLOCK,
    IOERR_UNLOCK,
    Error,
    OperationalError,
    sqlite_error,
)

try:
    import fcntl
except ImportError:  # Windows, WASI without locks
    fcntl = None  # type: ignore[assignment]

has_byte_range_locks = fcntl is not None

PENDING_BYTE = 0x40000000
RESERVED_BYTE = PENDING_BYTE + 1
SHARED_FIRST = PENDING_BYTE + 2
SHARED_SIZE = 510

UNLOCKED, SHARED, RESERVED, PENDING, EXCLUSIVE = range(5)

_F_OFD_SETLK: int | None = getattr(fcntl, "F_OFD_SETLK", None) if sys.maxsize > 2**32 else None
_F_OFD_GETLK: int | None = getattr(fcntl, "F_OFD_GETLK", None)
_FLOCK = struct.Struct("@hhqqi4x")

_IN_THE_WAY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EINTR, errno.ETIMEDOUT)


READ_LOCK: int = getattr(fcntl, "F_RDLCK", 0)
WRITE_LOCK: int = getattr(fcntl, "F_WRLCK", 1)
NO_LOCK: int = getattr(fcntl, "F_UNLCK", 2)
"""Kinds for `set` of byte ranges."""


class NoLock:
    """Locks that always succeed: `nolock=1`, `immutable=1`, journals."""

    __slots__ = ()

    def lock(self, level: int) -> bool:
        """Grants every level."""
        return True

    def unlock(self, level: int) -> None:
        """Does nothing."""

    def is_reserved(self) -> bool:
        """No one else is known."""
        return False

    def close(self, descriptor: int) -> None:
        """Closes the descriptor."""
        os.close(descriptor)


class _OwnedRanges:
    """Byte-range locks that belong to one open file description."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def set(self, kind: int, start: int, size: int, error_code: int) -> bool:
        """Sets, converts or (F_UNLCK) clears a lock; False when another owner is in the way."""
        assert _F_OFD_SETLK is not None
        try:
            fcntl.fcntl(self.descriptor, _F_OFD_SETLK, _FLOCK.pack(kind, os.SEEK_SET, start, size, 0))
        except OSError as error:
            if error.errno in _IN_THE_WAY:
                return False
            raise sqlite_error(error_code) from error
        return True

    def is_write_locked_by_other(self, start: int) -> bool:
        """Tells whether another owner holds a write lock on the byte."""
        assert _F_OFD_GETLK is not None
        query = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, 1, 0)
        try:
            answer = fcntl.fcntl(self.descriptor, _F_OFD_GETLK, query)
        except OSError as error:
            raise sqlite_error(IOERR_CHECKRESERVEDLOCK) from error
        return bool(_FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)


    def is_locked_by_other(self, start: int) -> bool:
        """Tells whether another owner holds any lock on the byte."""
        return self.is_write_locked_by_other(start)


class _ProcessRanges:
    """Byte-range locks that belong to the process (plain POSIX locks)."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def set(self, kind: int, start: int, size: int, error_code: int) -> bool:
        """Source: `_OwnedRanges.set`."""
        operation = fcntl.LOCK_UN
        if kind != NO_LOCK:
            operation = fcntl.LOCK_NB | (fcntl.LOCK_EX if kind == WRITE_LOCK else fcntl.LOCK_SH)
        try:
            fcntl.lockf(self.descriptor, operation, size, start)
        except OSError as error:
            if error.errno in _IN_THE_WAY:
                return False
            raise sqlite_error(error_code) from error
        return True

    def is_write_locked_by_other(self, start: int) -> bool:
        """Tries the lock: `lockf` has no query; the process never holds this byte when it asks."""
        if self.set(fcntl.F_WRLCK, start, 1, IOERR_CHECKRESERVEDLOCK):
            self.set(fcntl.F_UNLCK, start, 1, IOERR_UNLOCK)
            return False
        return True


    def is_locked_by_other(self, start: int) -> bool:
        """Tells whether another process holds any lock on the byte."""
        return self.is_write_locked_by_other(start)


class FileLock:
    """The lock of one connection on one database file (open-file-description locks)."""

    __slots__ = ("level", "ranges")

    def __init__(self, ranges: _OwnedRanges | _ProcessRanges) -> None:
        self.ranges = ranges
        self.level = UNLOCKED

    def lock(self, level: int) -> bool:
        """Raises the lock; a failed EXCLUSIVE leaves PENDING, so that no new reader comes in.

        `level` is raised before the kernel is asked: an exception that strikes in between then leaves a level whose `unlock`
        drops more than is held, never less.
        """
        before = self.level
        if level <= before:
            return True
        self.level = level
        held = self._lock_ranges(level, before)
        self.level = held
        return held == level

    def _lock_ranges(self, level: int, before: int) -> int:
        """Takes the ranges of a level; returns the level that is held then."""
        ranges = self.ranges
        try:
            if level == SHARED:
                return SHARED if self._lock_shared() else before
            if level == RESERVED:
                return RESERVED if ranges.set(fcntl.F_WRLCK, RESERVED_BYTE, 1, IOERR_LOCK) else before
            if before < PENDING and not ranges.set(fcntl.F_WRLCK, PENDING_BYTE, 1, IOERR_LOCK):
                return before
            before = PENDING
            return EXCLUSIVE if ranges.set(fcntl.F_WRLCK, SHARED_FIRST, SHARED_SIZE, IOERR_LOCK) else PENDING
        except Error:
            self.level = before
            raise

    def _lock_shared(self) -> bool:
        ranges = self.ranges
        if not ranges.set(fcntl.F_RDLCK, PENDING_BYTE, 1, IOERR_RDLOCK):
            return False
        try:
            return ranges.set(fcntl.F_RDLCK, SHARED_FIRST, SHARED_SIZE, IOERR_RDLOCK)
        finally:
            ranges.set(fcntl.F_UNLCK, PENDING_BYTE, 1, IOERR_UNLOCK)

    def unlock(self, level: int) -> None:
        """Lowers the lock to SHARED or UNLOCKED."""
        if level >= self.level:
            return
        ranges = self.ranges
        if level == SHARED:
            if self.level == EXCLUSIVE:
                ranges.set(fcntl.F_RDLCK, SHARED_FIRST, SHARED_SIZE, IOERR_RDLOCK)
            ranges.set(fcntl.F_UNLCK, PENDING_BYTE, 2, IOERR_UNLOCK)
        elif self.level == SHARED:
            ranges.set(fcntl.F_UNLCK, SHARED_FIRST, SHARED_SIZE, IOERR_UNLOCK)
        else:
            ranges.set(fcntl.F_UNLCK, PENDING_BYTE, 2 + SHARED_SIZE, IOERR_UNLOCK)
        self.level = level

    def is_reserved(self) -> bool:
        """Tells whether this or another connection holds RESERVED or more."""
        return self.level >= RESERVED or self.ranges.is_write_locked_by_other(RESERVED_BYTE)

    def close(self, descriptor: int) -> None:
        """Drops the locks with the descriptor."""
        self.level = UNLOCKED
        os.close(descriptor)


class _Inode:
    """The locks that this process holds on one file, and the descriptors waiting to be closed."""

    __slots__ = ("key", "level", "n_connections", "n_shared", "waiting")

    def __init__(self, key: tuple[int, int]) -> None:
        self.key = key
        self.level = UNLOCKED
        self.n_shared = 0
        self.n_connections = 0
        self.waiting: list[int] = []


_inodes: dict[tuple[int, int], _Inode] = {}
_inodes_guard = threading.RLock()


class InodeLock(FileLock):
    """The same levels where locks belong to the process: arbitrates among its connections, then asks the kernel.

    Invariant: the kernel's locks are those of `_Inode.level`; `n_shared` connections hold SHARED or more, at most one of
    them more than SHARED.
    """

    __slots__ = ("descriptor", "inode")

    def __init__(self, descriptor: int) -> None:
        super().__init__(_ProcessRanges(descriptor))
        self.descriptor = descriptor
        status = os.fstat(descriptor)
        with _inodes_guard:
            self.inode = _inodes.setdefault((status.st_dev, status.st_ino), _Inode((status.st_dev, status.st_ino)))
            self.inode.n_connections += 1

    def lock(self, level: int) -> bool:
        """Source: `FileLock.lock`."""
        with _inodes_guard:
            inode = self.inode
            if level <= self.level:
                return True
            if self.level != inode.level and (inode.level >= PENDING or level > SHARED):
                return False
            if level == SHARED and inode.level in (SHARED, RESERVED):
                self.level = SHARED
                inode.n_shared += 1
                return True
            if level >= PENDING and inode.n_shared > 1:
                if self.level < PENDING and self.ranges.set(fcntl.F_WRLCK, PENDING_BYTE, 1, IOERR_LOCK):
                    self.level = inode.level = PENDING
                return False
            before = self.level
            granted = super().lock(level)
            inode.level = self.level
            if before == UNLOCKED and self.level >= SHARED:
                inode.n_shared += 1
            return granted

    def unlock(self, level: int) -> None:
        """Source: `FileLock.unlock`."""
        with _inodes_guard:
            inode = self.inode
            if level >= self.level:
                return
            if self.level > SHARED:
                super().unlock(SHARED)
                inode.level = SHARED
            if level == UNLOCKED:
                inode.n_shared -= 1
                if inode.n_shared == 0:
                    super().unlock(UNLOCKED)
                    inode.level = UNLOCKED
                    self._close_waiting()
                self.level = UNLOCKED

    def is_reserved(self) -> bool:
        """Source: `FileLock.is_reserved`."""
        with _inodes_guard:
            return self.inode.level >= RESERVED or self.ranges.is_write_locked_by_other(RESERVED_BYTE)

    def close(self, descriptor: int) -> None:
        """Closes the descriptor, or keeps it while other connections of the process hold locks on the file."""
        with _inodes_guard:
            self.unlock(UNLOCKED)
            inode = self.inode
            if inode.n_shared:
                inode.waiting.append(descriptor)
            else:
                os.close(descriptor)
            inode.n_connections -= 1
            if inode.n_connections == 0:
                self._close_waiting()
                _inodes.pop(inode.key, None)

    def _close_waiting(self) -> None:
        while self.inode.waiting:
            os.close(self.inode.waiting.pop())


def byte_ranges(descriptor: int) -> _OwnedRanges | _ProcessRanges:
    """Makes the bare byte-range locks of a descriptor, for files whose bytes are not the five levels (`-shm`)."""
    if _F_OFD_SETLK is not None and _has_owned_locks(descriptor):
        return _OwnedRanges(descriptor)
    return _ProcessRanges(descriptor)


def open_lock(descriptor: int) -> FileLock:
    """Makes the lock for a freshly opened database file.

    Raises OperationalError where the platform has no byte-range locks.
    """
    if fcntl is None:
        raise OperationalError(
            "this platform has no byte-range locks: open the database with nolock=1 or immutable=1 (file:...?nolock=1)"
        )
    if _F_OFD_SETLK is not None and _has_owned_locks(descriptor):
        return FileLock(_OwnedRanges(descriptor))
    return InodeLock(descriptor)


def _has_owned_locks(descriptor: int) -> bool:
    """Asks the kernel (some sandboxes and network file systems refuse the command)."""
    assert _F_OFD_GETLK is not None
    try:
        fcntl.fcntl(descriptor, _F_OFD_GETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, RESERVED_BYTE, 1, 0))
    except OSError:
        return False
    return True
