"""Traces of the rollback journal's model on the engine, as `replay_wal` has them for the log.

After each step the actor must stand where the model's process stands; the database's pages, the existence of the journal and
the count in its header must be the model's, and a reader must see the rows that it has begun to read.  Whatever differs raises
`Drift`.  The engine writes page 1 (the change counter) in every transaction, the model does not have it: its record and its
write are passed on the way to the first page that the model knows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from minisql.storage.btree import BtreeFile
from minisql.storage.fault_vfs import FaultVfs
from minisql.storage.journal import MAGIC, SECTOR_SIZE, page_checksum
from minisql.values.shape import RowShape

from . import journal
from .checker import Label, State
from .journal import JournalModel
from .replay_wal import Drift, random_walk
from .stepping import Actor, Machine

SHAPE = RowShape(2, 0)
ROOTS = (3, 5)
"""No neighbours, so that each page is written by a call of its own."""
N_PAGES = 5
PAGE_SIZE = 512
NONCE = 77

_WRITE_PAGE = "write_images: write database"
_SYNC_DATABASE = "commit_phase_one: sync database"
_PUT_BACK = "_play_section: write database"
_LOCK = "_wait_for_lock: lock database 4"

STOPS: dict[int, set[str]] = {
    journal.IDLE: {"idle"},
    journal.LOOK_JOURNAL: {"recover_hot_journal: exists main-journal"},
    journal.LOOK_RESERVED: {"recover_hot_journal: look reserved database"},
    journal.LOCK_HOT: {"recover_hot_journal: lock database 4"},
    journal.LOOK_AGAIN: {"recover_hot_journal: exists main-journal"},
    journal.PLAY_BACK: {"_play_back_hot_journal: open journal", "_play_section: read journal", "play_back: read journal", "play_back: sync database"},
    journal.MAKE_COLD: {"_play_back_hot_journal: write journal"},
    journal.SHARED_AGAIN: {"recover_hot_journal: unlock database 1"},
    journal.READ: {"idle"},
    journal.RESERVED: {"idle"},
    journal.JOURNAL_SYNC: {"_append_section: sync journal"},
    journal.JOURNAL_COUNT: {"_append_section: write journal"},
    journal.COUNT_SYNC: {"_append_section: sync journal"},
    journal.DIRECTORY_SYNC: {"_append_section: sync directory"},
    journal.LOCK_PENDING: {_LOCK},
    journal.LOCK_EXCLUSIVE: {_LOCK, _WRITE_PAGE},
    journal.WRITE_PAGES: {_WRITE_PAGE, _SYNC_DATABASE},
    journal.COMMIT: {"finish: delete main-journal"},
    journal.UNLOCK: {"_finish_transaction: unlock database 1"},
}  # fmt: skip
_LANDMARKS = frozenset().union(*STOPS.values()) - {"idle"}
_PASSED = {
    "ROLLBACK": {"_finish_transaction: unlock database 1"},
    "JOURNAL_MAKE": {"_append_section: write journal"},
    "PLAY_BACK": {"_play_section: read journal", "play_back: read journal"},
    "PLAY_SYNC": {"_play_section: read journal", "play_back: read journal", "play_back: sync database"},
    "WRITE_PAGES": {_WRITE_PAGE},
    "DATABASE_SYNC": {_SYNC_DATABASE},
}


def new_disk() -> FaultVfs:
    """A database with two tables of one row, version 0, closed and durable."""
    disk = FaultVfs()
    file = BtreeFile.open("main", disk, page_size=PAGE_SIZE)
    file.begin_read()
    file.begin_write()
    for root in range(2, N_PAGES + 1):
        assert file.create_tree(True) == root
    for root in ROOTS:
        file.table_cursor(root, SHAPE).insert(1, (1, 0))
    file.commit()
    file.end_read()
    file.close()
    content = bytes(disk.files["main"].content)
    disk = FaultVfs()
    disk.put("main", content)
    return disk


def begin_read(file: BtreeFile) -> None:
    """A read transaction; it waits for nobody, whatever was committed before."""
    file.pager.busy_handler = None
    file.begin_read()


def end_read(file: BtreeFile) -> None:
    """Its end."""
    file.end_read()


def read_rows(file: BtreeFile) -> tuple[object, ...]:
    """The versions in both tables."""
    rows = [file.table_cursor(root, SHAPE).seek_rowid(1) for root in ROOTS]
    return tuple(row[1] if row is not None else None for row in rows)


def commit(file: BtreeFile) -> None:
    """Commits, waiting for readers for ever."""
    file.pager.busy_handler = lambda n_calls: True
    file.commit()


def roll_back(file: BtreeFile) -> None:
    """Undoes the transaction."""
    file.rollback()


def _writer(pages: int, version: int) -> Callable[[BtreeFile], None]:
    def write(file: BtreeFile) -> None:
        file.pager.busy_handler = None
        file.begin_write()
        for page, root in enumerate(ROOTS):
            if pages >> page & 1:
                file.table_cursor(root, SHAPE).insert(1, (1, version))

    return write


class Replay:
    """A machine that follows a model."""

    def __init__(self, model: JournalModel) -> None:
        self.model = model
        self.machine = Machine(new_disk())
        self.images: dict[tuple[int, int], bytes] = {}
        self.actors = [self._actor() for _ in range(model.bounds.n_processes)]
        self.state = model.initial()
        self._note_images(self.state[1].pages)

    def _actor(self) -> Actor:
        actor = Actor(self.machine, 3, "delete")
        actor.file.pager.busy_handler = None
        return actor

    def run(self, trace: list[Label]) -> None:
        """Follows a trace, with processes numbered as in the initial state; raises Drift."""
        try:
            for label in trace:
                state = next(new for candidate, new in self.model.successors(self.state) if candidate == label)
                self._step(label, state)
                self.state = state
                self._compare(label)
        finally:
            for actor in self.actors:
                actor.kill()

    def _step(self, label: Label, state: State) -> None:
        i, step, argument = label
        if step == "POWER_CUT":
            self._cut_power(state)
            return
        if step == "KILL":
            self.actors[i].kill()
            self.actors[i] = self._actor()
            return
        actor, before, process = self.actors[i], self.state[0][i], state[0][i]
        if step == "LOCK_EXCLUSIVE" and actor.at == _WRITE_PAGE:
            return  # without readers in the way the engine takes both locks in one call
        n_left = 0
        if step in ("PLAY_BACK", "WRITE_PAGES"):
            n_left = 1 if before.at else 2  # with page 1 before the first
        wanted = STOPS[process.pc]
        at, n_left = self._go(actor, step, before, process, argument), n_left
        while at not in wanted or n_left > 0:
            if at == "idle" or (at in _LANDMARKS and at not in _PASSED.get(step, set()) and at not in (_PUT_BACK, _WRITE_PAGE)):
                raise Drift(f"{label}: engine is at {at!r} ({actor.answer!r}), model at {journal.PC_NAMES[process.pc]}")
            n_left -= at in (_PUT_BACK, _WRITE_PAGE)
            at = actor.step()
        if step == "UNLOCK":
            while at != "idle":
                at = actor.step()
            actor.call(end_read)

    def _go(self, actor: Actor, step: str, before: Any, process: Any, argument: object) -> str:
        """Starts a command or lets the actor go on from its stop; returns where it stops next."""
        commands: dict[str, Callable[[BtreeFile], object]] = {
            "BEGIN_READ": begin_read, "END_READ": end_read, "ROLLBACK": roll_back, "JOURNAL_MAKE": commit,
            "BEGIN_WRITE": _writer(process.todo, process.version),
        }  # fmt: skip
        if step in commands:
            at = actor.start(commands[step])
            return actor.step() if step == "BEGIN_READ" else at
        if step in ("PLAY_BACK", "WRITE_PAGES") and actor.at in (_PUT_BACK, _WRITE_PAGE):
            return actor.at
        return actor.step()

    # -- comparing -------------------------------------------------------------------------------------------------

    def _page(self, number: int) -> bytes:
        return bytes(self.machine.disk.files["main"].content[(number - 1) * PAGE_SIZE : number * PAGE_SIZE])

    def _note_images(self, pages: tuple[int, ...]) -> None:
        for page, version in enumerate(pages):
            if version != journal.TORN:
                self.images[page, version] = self._page(ROOTS[page])
        self.first_page = self._page(1)

    def _compare(self, label: Label) -> None:
        processes, file, model_journal, _ = self.state
        versions = tuple(_version(self._page(root)) for root in ROOTS)
        if any(mine not in (theirs, journal.TORN) for mine, theirs in zip(file.pages, versions)):
            raise Drift(f"{label}: the database holds {versions}, the model {file.pages}")
        self._note_images(file.pages)
        stored = self.machine.disk.files.get("main-journal")
        count = -1 if stored is None or bytes(stored.content[:8]) != MAGIC else int.from_bytes(stored.content[8:12], "big")
        if (stored is not None, max(count - 1, min(count, 0))) != (model_journal.exists, model_journal.count):
            raise Drift(f"{label}: journal {stored is not None} with count {count}, the model has {model_journal}")
        for i, process in enumerate(processes):
            if process.pc == journal.READ and self.actors[i].at == "idle":
                rows = self.actors[i].call(read_rows)
                if rows != process.seen:
                    raise Drift(f"{label}: process {i} reads {rows}, not {process.seen}")

    # -- power cuts ------------------------------------------------------------------------------------------------

    def _cut_power(self, state: State) -> None:
        """Makes the disk that the model has chosen, and starts anew."""
        for actor in self.actors:
            actor.kill()
        _, file, kept, _ = state
        content = bytearray(self.machine.disk.files["main"].content)
        for page, version in enumerate(file.pages):
            place = slice((ROOTS[page] - 1) * PAGE_SIZE, ROOTS[page] * PAGE_SIZE)
            content[place] = self.images[page, version] if version != journal.TORN else b"\xee" * PAGE_SIZE
        disk = FaultVfs()
        disk.put("main", bytes(content))
        if kept.exists:
            disk.put("main-journal", self._journal(kept))
        self.machine = Machine(disk)
        self.actors = [self._actor() for _ in self.actors]

    def _journal(self, kept: journal.Journal) -> bytes:
        """The bytes of a journal as the model describes it."""
        head = bytes(SECTOR_SIZE)
        if kept.count >= 0:
            fields = (kept.count and kept.count + 1, NONCE, N_PAGES, SECTOR_SIZE, PAGE_SIZE)
            head = (MAGIC + b"".join(field.to_bytes(4, "big") for field in fields)).ljust(SECTOR_SIZE, b"\0")
        records = [(1, self.first_page, True)]
        for page, version, is_right in kept.records:
            records.append((ROOTS[page], self.images[page, version] if is_right else b"\xee" * PAGE_SIZE, is_right))
        parts = [head]
        for number, image, is_right in records:
            checksum = (page_checksum(NONCE, image) + (not is_right)) & 0xFFFFFFFF
            parts += (number.to_bytes(4, "big"), image, checksum.to_bytes(4, "big"))
        return b"".join(parts)


def _version(page: bytes) -> int:
    """The version in the only row of a table's leaf; -1 for a page that is none."""
    if page[0] != 13:
        return journal.TORN
    at = page[8] << 8 | page[9]
    serial_type = page[at + 4]
    return serial_type - 8 if serial_type in (8, 9) else page[at + 5]


def walks(seed: int, n_walks: int, n_steps: int = 120) -> Iterator[tuple[JournalModel, list[Label]]]:
    """Yields models and random traces of them."""
    chooser = random.Random(seed)
    for _ in range(n_walks):
        bounds = journal.Bounds(chooser.choice((1, 2, 2, 3)), 6, chooser.randrange(3), chooser.randrange(3))
        model = JournalModel(bounds)
        yield model, random_walk(model, chooser, n_steps)


def replay(model: JournalModel, trace: list[Label]) -> None:
    """Runs one trace on the engine."""
    Replay(model).run(trace)
