"""Traces of the WAL model on the engine: one actor for each process, one stop for each place where a process may stand.

After each step the actor must stand where the model's process stands, the index must hold what the model's holds, and a
reader must see the rows that its snapshot stands for.  Whatever differs raises `Drift`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import minisql.storage.wal as engine_wal
from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import FaultStore, FaultVfs
from minisql.storage.wal_index import BACKFILL, HEADER_WORDS, READ_MARKS
from minisql.values.shape import RowShape

from . import wal
from .checker import Label, Model, State
from .stepping import Actor, Machine
from .wal import N_MARKS, NO_MARK, WalModel

SHAPE = RowShape(2, 0)
ROOTS = (2, 3)
PAGE_SIZE = 4096
FRAME_SIZE = PAGE_SIZE + 24
MAX_FRAME = 4

STOPS: dict[int, set[str]] = {
    wal.IDLE: {"idle"},
    wal.HEADER_0: {"_try_header: read header 0"},
    wal.HEADER_1: {"_try_header: read header 1"},
    wal.RECOVER: {"_read_header: lock 0 exclusive"},
    wal.SCAN: {"_scan_log: read log"},
    wal.RECOVER_HEADER: {"_write_header: write header 0"},
    wal.RECOVER_BACKFILL: {"_recover: write backfill"},
    wal.RECOVER_MARKS: {"_recover: write attempted"},
    wal.LOOK_BACKFILL: {"_try_begin_read: read backfill"},
    wal.LOCK_READ0: {"_try_begin_read: lock 3 shared"},
    wal.VERIFY_READ0: {"_try_begin_read: read header 0"},
    wal.MARKS: {"_try_begin_read: read mark 1"},
    wal.LOCK_READ: {"_try_begin_read: lock 4 shared", "_try_begin_read: lock 5 shared"},
    wal.VERIFY_READ: {"_try_begin_read: read backfill"},
    wal.READ: {"idle"},
    wal.CHECK_SNAPSHOT: {"begin_write: read header 0"},
    wal.LOCK_READERS: {"_restart: read backfill"},
    wal.RESTART_BACKFILL: {"_restart_header: write backfill"},
    wal.RESTART_HEADER_1: {"_write_header: write header 1"},
    wal.RESTART_HEADER_0: {"_write_header: write header 0"},
    wal.RESTART_MARKS: {"_restart_header: write attempted"},
    wal.LEAVE_READ0: {"_restart: unlock 3"},
    wal.FRAMES: {"_write_log_header: write log", "write_frames: write log"},
    wal.LOG_HEADER: {"_write_log_header: write log"},
    wal.LOG_HEADER_SYNC: {"_write_log_header: sync log"},
    wal.LOG_SYNC: {"write_frames: sync log"},
    wal.PUBLISH_1: {"_write_header: write header 1"},
    wal.PUBLISH_0: {"_write_header: write header 0"},
    wal.END_WRITE: {"end_write: unlock 0"},
    wal.MARK_1: {"_copy_back: read mark 1"},
    wal.MARK_2: {"_copy_back: read mark 2"},
    wal.LOOK_DONE: {"_copy_back: read backfill"},
    wal.CHECKPOINT_READ0: {"_wait: lock 3 exclusive"},
    wal.CHECK_SALT: {"_was_restarted: read salt"},
    wal.CHECKPOINT_LOG_SYNC: {"_copy_back: sync log"},
    wal.COPY: {"_copy_back: write database", "_copy_back: sync database"},
    wal.BACKFILL: {"_copy_back: write backfill"},
    wal.LEAVE_CHECKPOINT: {"checkpoint: unlock 0", "checkpoint: unlock 1"},
    wal.RESET_LOCK: {"_wait: lock 4 exclusive"},
    wal.TRUNCATE: {"_reset_log: truncate log"},
}
_LANDMARKS = frozenset().union(*STOPS.values()) - {"idle"}
_PASSED = {
    # Accesses within one step of the model: a header looked at again under a lock, marks one by one, the end of a checkpoint.
    "RECOVER": {"_try_header: read header 0", "_try_header: read header 1", "checkpoint: unlock 1"},
    "HEADER_1": {"checkpoint: unlock 0", "checkpoint: unlock 1"},
    "RECOVER_MARKS": {"_try_header: read header 0", "_try_header: read header 1"},
    "SCAN": {"_scan_log: read log", "_write_header: write header 1"},
    "MARK_1": {"_wait: lock 4 exclusive"},
    "BACKFILL": {"_wait: lock 3 exclusive"},
    "LEAVE_CHECKPOINT": {"checkpoint: unlock 0", "checkpoint: unlock 1"},
    "FRAMES": {"write_frames: write log"},
    "COPY": {"_copy_back: write database"},
    "VERIFY_READ": {"_try_begin_read: read mark 1", "_try_begin_read: read mark 2", "_try_begin_read: read header 0"},
    "MARKS": {"_try_begin_read: read mark 1", "_try_begin_read: read mark 2"},
}


class Drift(AssertionError):
    """Engine and model differ."""


def new_disk() -> FaultVfs:
    """A database in WAL mode with two tables of one row, version 0, closed and durable."""
    disk = FaultVfs()
    file = BtreeFile.open("main", disk, page_size=PAGE_SIZE)
    file.begin_read()
    file.begin_write()
    for root in ROOTS:
        assert file.create_tree(True) == root
        file.table_cursor(root, SHAPE).insert(1, (1, 0))
    file.commit()
    file.end_read()
    assert file.set_journal_mode("wal") == "wal"
    file.checkpoint("truncate")
    file.close()
    disk.files.pop("main-wal", None)
    disk.sync_directory("main")
    for store in disk.files.values():
        store.durable = bytes(store.content)
        store.pending.clear()
    return disk


def begin_read(file: BtreeFile) -> None:
    """A snapshot; entered twice, so that a writer with an old snapshot gets SQLITE_BUSY_SNAPSHOT."""
    file.begin_read()
    file.begin_read()


def end_read(file: BtreeFile) -> None:
    """Leaves it."""
    file.end_read()
    file.end_read()


def read_rows(file: BtreeFile) -> tuple[object, ...]:
    """The versions in both tables."""
    rows = [file.table_cursor(root, SHAPE).seek_rowid(1) for root in ROOTS]
    return tuple(row[1] if row is not None else None for row in rows)


class Replay:
    """A machine that follows a model."""

    def __init__(self, model: WalModel) -> None:
        self.model = model
        self.machine = Machine(new_disk())
        self.actors = [self._actor() for _ in range(model.bounds.n_processes)]
        self.state = model.initial()

    def _actor(self) -> Actor:
        return Actor(self.machine, self.model.synchronous)

    def run(self, trace: list[Label]) -> None:
        """Follows a trace, with processes numbered as in the initial state; raises Drift."""
        try:
            for i, label in enumerate(trace):
                state = next(new for candidate, new in self.model.successors(self.state) if candidate == label)
                self._step(label, state, trace[i + 1 :])
                self.state = state
                self._compare(label)
        finally:
            for actor in self.actors:
                actor.kill()

    def _step(self, label: Label, state: State, rest: list[Label]) -> None:
        i, step, argument = label
        if step == "POWER_CUT":
            self._cut_power(argument, state)
            return
        if step == "KILL":
            self.actors[i].kill()
            self.actors[i] = self._actor()
            return
        actor = self.actors[i]
        before, process = self.state[0][i], state[0][i]
        if step == "FRAMES" and argument == "header":
            self._expect(actor, {"_write_log_header: write log"}, label)
            return
        wanted = STOPS[process.pc]
        if process.pc == wal.FRAMES and step == "SPILL":
            wanted = {"idle"}
        at = self._go(actor, before, process, step, rest, i)
        passed = _PASSED.get(step, set())
        while at not in wanted:
            if at == "idle" or (at in _LANDMARKS and at not in passed):
                raise Drift(f"{label}: engine is at {at!r} ({actor.answer!r}), model at {wal.PC_NAMES[process.pc]}")
            at = actor.step()

    def _go(self, actor: Actor, before: Any, process: Any, step: str, rest: list[Label], i: int) -> str:
        """Starts a command or lets the actor go on from its stop; returns where it stops next."""
        if step == "BEGIN_READ":
            return actor.start(begin_read)
        if step == "END_READ":
            return actor.start(end_read)
        if step == "CHECKPOINT_PASSIVE":
            return actor.start(lambda file: file.checkpoint("passive"))
        if step == "CHECKPOINT_TRUNCATE":
            return actor.start(lambda file: file.checkpoint("truncate"))
        if step == "BEGIN_WRITE":
            is_spilled = next((name for j, name, what in rest if j == i and name in ("SPILL", "FRAMES") and what is None), "")
            return actor.start(_writer(process.todo, process.version, is_spilled == "SPILL"))
        if before.pc == wal.FRAMES and before.safe:  # behind a spill the actor waits for its orders
            if step == "ROLLBACK":
                return actor.start(lambda file: file.rollback())
            return actor.start(_committer(before.version))
        return actor.step()

    def _expect(self, actor: Actor, wanted: set[str], label: Label) -> None:
        if actor.at not in wanted:
            raise Drift(f"{label}: engine is at {actor.at!r}, not at {wanted}")

    def _compare(self, label: Label) -> None:
        """Compares the index and what readers see."""
        processes, shm, _, _ = self.state
        words = self.machine.region(0)
        headers = self.model.headers
        engine: list[object] = [words[MAX_FRAME], words[HEADER_WORDS + MAX_FRAME], words[BACKFILL]]
        model: list[object] = [headers[shm.header_0].max_frame, headers[shm.header_1].max_frame, shm.backfill]
        engine += [words[READ_MARKS + i] for i in range(N_MARKS)]
        model += [0xFFFFFFFF if mark == NO_MARK else mark for mark in shm.marks]
        if engine != model:
            raise Drift(f"{label}: the index holds {engine}, the model {model}")
        for i, process in enumerate(processes):
            if process.pc == wal.READ and (label[0] == i or label[1] == "BACKFILL"):
                rows = self.actors[i].call(read_rows)
                if rows != headers[process.header].content:
                    raise Drift(f"{label}: process {i} reads {rows}, not {headers[process.header].content}")

    def _cut_power(self, kept: Any, state: State) -> None:
        """Makes the disk that the model has chosen, and starts anew."""
        keeps_salt, choices, content = kept
        for actor in self.actors:
            actor.kill()
        old = self.state[2]
        files = self.machine.disk.files
        disk = FaultVfs()
        disk.files["main"] = _settled(_cut_database(files["main"], content, old))
        if "main-wal" in files:
            disk.files["main-wal"] = _settled(_cut_log(files["main-wal"], keeps_salt, choices, len(old.log)))
        n_random = self.machine.n_random
        self.machine = Machine(disk)
        self.machine.n_random = n_random
        self.actors = [self._actor() for _ in self.actors]


def _settled(content: bytes) -> FaultStore:
    store = FaultStore()
    store.content, store.durable, store.is_linked = bytearray(content), bytes(content), True
    return store


def _cut_database(store: FaultStore, content: tuple[int, ...], old: Any) -> bytes:
    result = bytearray(store.content)
    for page, version in enumerate(content):
        place = slice((ROOTS[page] - 1) * PAGE_SIZE, ROOTS[page] * PAGE_SIZE)
        if version == wal.TORN:
            result[place] = b"\xee" * PAGE_SIZE
        elif version != old.pages[page]:
            result[place] = store.durable[place]
    return bytes(result)


def _cut_log(store: FaultStore, keeps_salt: bool, choices: tuple[Any, ...], n_frames: int) -> bytes:
    cached, durable = bytes(store.content), store.durable
    if choices and isinstance(choices[-1], tuple) and len(choices) > n_frames:
        *choices_of_frames, (is_cut, _) = choices
        if not is_cut:
            cached += durable[len(cached) :]
    else:
        choices_of_frames = list(choices)
    result = bytearray(cached)
    if not keeps_salt:
        result[:32] = durable[:32].ljust(min(32, len(result)), b"\0")
    for i, (head, body) in enumerate(choices_of_frames):
        start = 32 + i * FRAME_SIZE
        for keep, place in ((head, slice(start, start + 24)), (body, slice(start + 24, start + FRAME_SIZE))):
            if not keep:
                result[place] = durable[place].ljust(place.stop - place.start, b"\0")
    return bytes(result)


def _writer(pages: int, version: int, is_spilled: bool) -> Any:
    def write(file: BtreeFile) -> None:
        file.begin_write()
        if pages & 1:
            file.table_cursor(ROOTS[0], SHAPE).insert(1, (1, version))
            if is_spilled:
                file.pager.spill()
                return
        if pages & 2:
            file.table_cursor(ROOTS[1], SHAPE).insert(1, (1, version))
        file.commit()

    return write


def _committer(version: int) -> Any:
    def write(file: BtreeFile) -> None:
        file.table_cursor(ROOTS[1], SHAPE).insert(1, (1, version))
        file.commit()

    return write


def random_walk(model: Model, chooser: random.Random, n_steps: int) -> list[Label]:
    """Returns a random trace; kills and power cuts are rarer than steps."""
    state = model.initial()
    trace: list[Label] = []
    for _ in range(n_steps):
        choices = list(model.successors(state))
        steps = [choice for choice in choices if choice[0][1] not in ("KILL", "POWER_CUT", "END_READ")]
        if steps and chooser.random() < 0.93:
            choices = steps
        if not choices:
            break
        label, state = chooser.choice(choices)
        trace.append(label)
    return trace


def walks(seed: int, n_walks: int, n_steps: int = 150) -> Iterator[tuple[WalModel, list[Label]]]:
    """Yields models and random traces of them."""
    chooser = random.Random(seed)
    for _ in range(n_walks):
        bounds = wal.Bounds(chooser.choice((1, 2, 2, 3)), 6, 6, chooser.randrange(3), chooser.randrange(3))
        model = WalModel(bounds, synchronous=chooser.choice((1, 2)))
        yield model, random_walk(model, chooser, n_steps)


def replay(model: WalModel, trace: list[Label]) -> None:
    """Runs one trace on the engine, with as many read marks as the model has."""
    n_readers, engine_wal.N_READERS = engine_wal.N_READERS, N_MARKS
    try:
        Replay(model).run(trace)
    finally:
        engine_wal.N_READERS = n_readers
