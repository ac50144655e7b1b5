"""Lock levels: the same answers from descriptor-owned locks, the process-wide table and the memory file system."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from minisql.storage import locking
from minisql.storage.locking import EXCLUSIVE, PENDING, RESERVED, SHARED, UNLOCKED, FileLock, InodeLock
from minisql.storage.vfs import MemoryVfs

Make = Callable[[], object]


@pytest.fixture(params=["owned", "inode", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes further connections to one file."""
    path = tmp_path / "file"
    path.write_bytes(b"")
    memory = MemoryVfs()

    def make_lock() -> object:
        if request.param == "memory":
            return memory.open("file", create=True, read_only=False)
        descriptor = os.open(path, os.O_RDWR)
        if request.param == "inode":
            return InodeLock(descriptor)
        lock = locking.open_lock(descriptor)
        if isinstance(lock, InodeLock):
            pytest.skip("no descriptor-owned locks here")
        return lock

    return make_lock


def test_many_readers_one_writer(make: Make) -> None:
    first, second, third = make(), make(), make()
    assert first.lock(SHARED) and second.lock(SHARED)  # type: ignore[attr-defined]
    assert first.lock(RESERVED)  # type: ignore[attr-defined]
    assert not second.lock(RESERVED)  # type: ignore[attr-defined]
    assert second.is_reserved()  # type: ignore[attr-defined]
    assert third.lock(SHARED)  # type: ignore[attr-defined]
    assert not first.lock(EXCLUSIVE)  # type: ignore[attr-defined]
    third.unlock(UNLOCKED)  # type: ignore[attr-defined]
    assert not third.lock(SHARED)  # type: ignore[attr-defined] # PENDING keeps new readers out
    second.unlock(UNLOCKED)  # type: ignore[attr-defined]
    assert first.lock(EXCLUSIVE)  # type: ignore[attr-defined]
    assert not second.lock(SHARED)  # type: ignore[attr-defined]
    first.unlock(SHARED)  # type: ignore[attr-defined]
    assert second.lock(SHARED)  # type: ignore[attr-defined]
    assert not second.is_reserved()  # type: ignore[attr-defined]
    assert second.lock(RESERVED)  # type: ignore[attr-defined]
    second.unlock(UNLOCKED)  # type: ignore[attr-defined]
    first.unlock(UNLOCKED)  # type: ignore[attr-defined]


def test_levels_are_numbered_as_in_lockingv3() -> None:
    assert (UNLOCKED, SHARED, RESERVED, PENDING, EXCLUSIVE) == (0, 1, 2, 3, 4)


def test_closing_one_connection_keeps_the_locks_of_another(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    first, second = (os.open(path, os.O_RDWR) for _ in range(2))
    one, two = InodeLock(first), InodeLock(second)
    assert one.lock(SHARED) and two.lock(SHARED)
    assert one.lock(RESERVED)
    two.close(second)
    outside = FileLock(locking.byte_ranges(os.open(path, os.O_RDWR)))
    assert outside.lock(SHARED)
    assert not outside.lock(RESERVED)  # a plain close() would have dropped the lock of `one`
    outside.unlock(UNLOCKED)
    one.close(first)
    assert outside.lock(SHARED) and outside.lock(RESERVED)
    outside.close(outside.ranges.descriptor)


def test_no_lock_layer_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    descriptor = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    with pytest.raises(Exception, match="nolock=1"):
        locking.open_lock(descriptor)
    os.close(descriptor)
