"""Connections that stop before every access to what they share, so that a test decides who goes next.

Each `Actor` runs one connection in a thread of its own; the test runs one actor at a time, from one stop to the next.  A stop
is named by the function of the engine that is at work and what it is about to do: "_try_header: read header 0",
"write_frames: write log", "_wait: lock 3 exclusive".  `Machine` is what they share: the disk (a `FaultVfs`, which knows what
is durable), the index of the log and its locks.  A killed actor's thread ends, and what its handlers do on the way has no effect.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from minisql.errors import Error
from minisql.storage import wal_mode
from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import FaultFile, FaultStore, FaultVfs
from minisql.storage.wal_index import BACKFILL, BACKFILL_ATTEMPTED, HEADER_WORDS, READ_MARKS, REGION_SIZE, SALT, WalIndex

WORD_NAMES = {0: "header 0", HEADER_WORDS: "header 1", BACKFILL: "backfill", BACKFILL_ATTEMPTED: "attempted", SALT: "salt"}
WORD_NAMES.update({READ_MARKS + i: f"mark {i}" for i in range(5)})


class Killed(BaseException):
    """Ends the thread of an actor."""


class Machine:
    """What all connections share."""

    def __init__(self, disk: FaultVfs) -> None:
        self.disk = disk
        self.regions: list[memoryview] = []
        self.shared: dict[int, set[Actor]] = {}
        self.exclusive: dict[int, Actor] = {}
        self.n_random = 0

    def region(self, number: int) -> memoryview:
        """A block of the index."""
        while len(self.regions) <= number:
            self.regions.append(memoryview(bytearray(REGION_SIZE)).cast("I"))
        return self.regions[number]

    def lock(self, actor: Actor, slots: range, exclusive: bool) -> bool:
        """Takes locks of the index, all or none."""
        for slot in slots:
            if self.exclusive.get(slot, actor) is not actor or (exclusive and self.shared.get(slot, set()) - {actor}):
                return False
        for slot in slots:
            if exclusive:
                self.exclusive[slot] = actor
                self.shared.get(slot, set()).discard(actor)
            else:
                self.exclusive.pop(slot, None)
                self.shared.setdefault(slot, set()).add(actor)
        return True

    def unlock(self, actor: Actor, slots: range) -> None:
        """Releases locks of the index."""
        for slot in slots:
            self.shared.get(slot, set()).discard(actor)
            if self.exclusive.get(slot) is actor:
                del self.exclusive[slot]


class Words:
    """The first block of the index: stops before each access to a word that has a name."""

    def __init__(self, actor: Actor, words: memoryview) -> None:
        self.actor = actor
        self.words = words

    def __getitem__(self, key: Any) -> Any:
        """Reads a word or some."""
        self._stop("read", key)
        return self.words[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Writes a word or some."""
        self._stop("write", key)
        if not self.actor.is_dead:
            self.words[key] = value

    def _stop(self, verb: str, key: Any) -> None:
        name = WORD_NAMES.get(key.start if isinstance(key, slice) else key)
        if name is not None:
            self.actor.stop(f"{verb} {name}", 3)

    def cast(self, kind: str) -> memoryview:
        """The bytes of the hash table, which nobody else changes meanwhile."""
        return self.words.cast(kind)  # type: ignore[call-overload, no-any-return]


class SteppingIndex:
    """The index of the log as one actor sees it."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.is_read_only = False
        self.made_file = False

    def region(self, number: int) -> Any:
        """Source: `WalIndex.region`."""
        words = self.actor.machine.region(number)
        return words if number else Words(self.actor, words)

    def lock(self, slot: int, n_slots: int, exclusive: bool) -> bool:
        """Source: `WalIndex.lock`."""
        self.actor.stop(f"lock {slot} {'exclusive' if exclusive else 'shared'}")
        if self.actor.is_dead:
            return True
        return self.actor.machine.lock(self.actor, range(slot, slot + n_slots), exclusive)

    def unlock(self, slot: int, n_slots: int) -> None:
        """Source: `WalIndex.unlock`."""
        self.actor.stop(f"unlock {slot}")
        if not self.actor.is_dead:
            self.actor.machine.unlock(self.actor, range(slot, slot + n_slots))

    def close(self, delete: bool) -> None:
        """Source: `WalIndex.close`."""


class SteppingFile(FaultFile):
    """A file that stops before it is changed, synced or locked."""

    __slots__ = ("actor", "kind")

    def __init__(self, actor: Actor, vfs: FaultVfs, store: FaultStore, read_only: bool, kind: str) -> None:
        super().__init__(vfs, store, read_only)
        self.actor = actor
        self.kind = kind

    def read(self, size: int, offset: int) -> bytes:
        """Source: `VfsFile.read`."""
        self.actor.stop(f"read {self.kind}")
        return super().read(size, offset)

    def write(self, data: bytes, offset: int) -> None:
        """Source: `VfsFile.write`."""
        self.actor.stop(f"write {self.kind}")
        if not self.actor.is_dead:
            super().write(data, offset)

    def truncate(self, size: int) -> None:
        """Source: `VfsFile.truncate`."""
        self.actor.stop(f"truncate {self.kind}")
        if not self.actor.is_dead:
            super().truncate(size)

    def sync(self) -> None:
        """Source: `VfsFile.sync`."""
        self.actor.stop(f"sync {self.kind}")
        if not self.actor.is_dead:
            super().sync()

    def lock(self, level: int) -> bool:
        """Source: `VfsFile.lock`."""
        self.actor.stop(f"lock {self.kind} {level}")
        return self.actor.is_dead or super().lock(level)

    def unlock(self, level: int) -> None:
        """Source: `VfsFile.unlock`."""
        self.actor.stop(f"unlock {self.kind} {level}")
        if not self.actor.is_dead:
            super().unlock(level)

    def is_reserved(self) -> bool:
        """Source: `VfsFile.is_reserved`."""
        self.actor.stop(f"look reserved {self.kind}")
        return super().is_reserved()

    def drop_locks(self) -> None:
        """What the system does with the locks of a dead process."""
        super().unlock(0)


class SteppingVfs:
    """The disk of the machine as one actor sees it."""

    name = "stepping"
    has_wal = True

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.opened: list[SteppingFile] = []

    def open(self, path: str, *, create: bool, read_only: bool, lock: bool = True) -> SteppingFile:
        """Source: `Vfs.open`."""
        kind = {"main": "database", "main-wal": "log", "main-journal": "journal"}[path]
        self.actor.stop(f"open {kind}")
        disk = self.actor.machine.disk
        store = FaultStore() if self.actor.is_dead else disk.open(path, create=create, read_only=read_only).store
        file = SteppingFile(self.actor, disk, store, read_only, kind)
        self.opened.append(file)
        return file

    def delete(self, path: str, sync_directory: bool) -> None:
        """Source: `Vfs.delete`."""
        self.actor.stop(f"delete {path}")
        if not self.actor.is_dead:
            self.actor.machine.disk.delete(path, sync_directory)

    def exists(self, path: str) -> bool:
        """Source: `Vfs.exists`."""
        self.actor.stop(f"exists {path}")
        return self.actor.machine.disk.exists(path)

    def full_path(self, path: str) -> str:
        """Source: `Vfs.full_path`."""
        return path

    def sync_directory(self, path: str) -> None:
        """Source: `Vfs.sync_directory`."""
        self.actor.stop("sync directory")
        if not self.actor.is_dead:
            self.actor.machine.disk.sync_directory(path)

    def open_wal_index(self, path: str) -> WalIndex | None:
        """Source: `Vfs.open_wal_index`."""
        return SteppingIndex(self.actor)

    def random_bytes(self, size: int) -> bytes:
        """Source: `Vfs.random_bytes`; never the same twice."""
        self.actor.machine.n_random += 1
        return self.actor.machine.n_random.to_bytes(size, "big")

    def sleep(self, seconds: float) -> None:
        """Source: `Vfs.sleep`; no time passes."""


class Actor:
    """One connection in a thread.  `at` is the stop where it stands, 'idle' between commands."""

    def __init__(self, machine: Machine, synchronous: int, journal_mode: str = "wal") -> None:
        self.machine = machine
        self.is_dead = False
        self.is_stepping = False
        self.at = "idle"
        self.answer: object = None
        self.command: Callable[[BtreeFile], object] | None = None
        self.go = threading.Semaphore(0)
        self.arrived = threading.Semaphore(0)
        self.vfs = SteppingVfs(self)
        self.file = BtreeFile.open("main", self.vfs)
        self.file.pager.synchronous = synchronous
        self.file.pager.auto_checkpoint = 0
        if journal_mode == "wal":
            wal_mode.open_log(self.file.pager)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while True:
            self.go.acquire()
            if self.is_dead or self.command is None:
                return
            try:
                self.is_stepping = True
                self.answer = self.command(self.file)
            except Error as error:
                self.answer = error
            except Killed:
                return
            except BaseException as error:
                self.answer = error
            self.is_stepping = False
            self.at = "idle"
            self.arrived.release()

    def stop(self, what: str, depth: int = 2) -> None:
        """Called by what the connection uses, `depth` calls below the engine: waits until the test lets the actor go on."""
        if self.is_dead or not self.is_stepping:
            return
        self.at = f"{sys._getframe(depth).f_code.co_name}: {what}"
        self.arrived.release()
        self.go.acquire()
        if self.is_dead:
            raise Killed

    def step(self) -> str:
        """Lets the actor run to its next stop and returns it."""
        self.go.release()
        assert self.arrived.acquire(timeout=20), f"stuck behind {self.at}"
        return self.at

    def start(self, command: Callable[[BtreeFile], object]) -> str:
        """Gives an idle actor something to do."""
        assert self.at == "idle"
        self.command = command
        return self.step()

    def call(self, command: Callable[[BtreeFile], object]) -> object:
        """Does something without stopping, and returns what it returned."""
        at = self.start(command)
        while at != "idle":
            at = self.step()
        return self.answer

    def kill(self) -> None:
        """Ends the process: its locks are gone, nothing else is changed."""
        self.is_dead = True
        self.command = None
        self.go.release()
        self.thread.join(20)
        for file in self.vfs.opened:
            file.drop_locks()
        for slot in range(8):
            self.machine.unlock(self, range(slot, slot + 1))
