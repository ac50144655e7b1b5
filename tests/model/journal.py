"""The rollback journal as a model: locks, journal, database, hot-journal recovery, with kills and power cuts.

Two pages; each transaction writes its number into one of them or both.  The journal has a header and a record for each page
that the transaction overwrites; header, head and body of records, the journal's directory entry and the database pages reach
the platter on their own, unless a sync or a directory sync says so.  The header is written twice: with a count of 0
before the first sync, with the true count after it, so that it never promises more than is there.

    File     the database's pages, in the cache and durable
    Journal  whether the name exists (cache, platter), the count in the header, the records; a record is (page, body, checksum is right)

Source: https://www.sqlite.org/atomiccommit.html, https://www.sqlite.org/lockingv3.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from .checker import Label, State

(
    IDLE, LOOK_JOURNAL, LOOK_RESERVED, LOCK_HOT, LOOK_AGAIN, PLAY_BACK, PLAY_SYNC, MAKE_COLD, SHARED_AGAIN, READ, RESERVED, JOURNAL_MAKE,
    JOURNAL_SYNC, JOURNAL_COUNT, COUNT_SYNC, DIRECTORY_SYNC, LOCK_PENDING, LOCK_EXCLUSIVE, WRITE_PAGES, DATABASE_SYNC, COMMIT, UNLOCK,
) = range(22)  # fmt: skip

PC_NAMES = {value: name for name, value in list(globals().items()) if name.isupper() and isinstance(value, int)}
UNLOCKED, SHARED, RESERVED_LOCK, PENDING, EXCLUSIVE = range(5)
TORN = -1

MUTATIONS = {
    "no-journal-sync": "the database is overwritten before the journal is synced",
    "no-database-sync": "the journal is deleted before the database is synced",
    "no-directory-sync": "the journal's name may be lost when the database is overwritten",
    "no-record-checksum": "recovery plays back records whose checksum is wrong, counted by the size of the file",
    "no-hot-sync": "recovery deletes the journal before what it played back is synced",
    "no-hot-lock": "recovery plays back with a SHARED lock only",
    "no-exclusive": "a writer does not wait for its readers to go",
}


class Process(NamedTuple):
    """One connection; `seen` is the content that its transaction must see."""

    pc: int = IDLE
    lock: int = UNLOCKED
    seen: tuple[int, ...] = ()
    todo: int = 0
    at: int = 0
    version: int = 0


class File(NamedTuple):
    """The database."""

    pages: tuple[int, ...]
    durable: tuple[int, ...]


Record = tuple[int, int, bool]
"""Page, original, whether the checksum is right."""


class Journal(NamedTuple):
    """The journal; `count` -1 is no header, and what is not durable is told by the second half of the fields."""

    exists: bool = False
    count: int = -1
    records: tuple[Record, ...] = ()
    durable_exists: bool = False
    durable_count: int = -1
    durable_records: tuple[Record, ...] = ()


class Ghost(NamedTuple):
    """What the checker knows."""

    committed: tuple[int, ...]
    doubt: tuple[int, ...] = ()
    next_version: int = 1
    n_kills: int = 0
    n_crashes: int = 0
    wrong: str = ""


class Bounds(NamedTuple):
    """How far a search goes."""

    n_processes: int
    n_transactions: int
    n_kills: int
    n_crashes: int


NO_JOURNAL = Journal()
IDLE_PROCESS = Process()
Step = tuple[str, object, Process, File, Journal, Ghost]
Others = tuple[Process, ...]


class JournalModel:
    """See the module docstring."""

    def __init__(self, bounds: Bounds, mutation: str = "") -> None:
        self.name = "journal"
        self.bounds = bounds
        self.mutation = mutation

    def initial(self) -> State:
        """A database at rest."""
        return (IDLE_PROCESS,) * self.bounds.n_processes, File((0, 0), (0, 0)), NO_JOURNAL, Ghost((0, 0))

    def successors(self, state: State) -> Iterator[tuple[Label, State]]:
        """Yields every step of every process, every kill, every outcome of a power cut."""
        processes, file, journal, ghost = state
        met = set()
        for i, process in enumerate(processes):
            if process in met:
                continue
            met.add(process)
            before, after = processes[:i], processes[i + 1 :]
            for step, argument, new, new_file, new_journal, new_ghost in STEPS[process.pc](
                self, process, before + after, file, journal, ghost
            ):
                yield (i, step, argument), ((*before, new, *after), new_file, new_journal, new_ghost)
            if process.pc and ghost.n_kills < self.bounds.n_kills:
                killed = (*before, IDLE_PROCESS, *after)
                yield (i, "KILL", None), (killed, file, journal, ghost._replace(n_kills=ghost.n_kills + 1))
        if ghost.n_crashes < self.bounds.n_crashes:
            everyone = (IDLE_PROCESS,) * len(processes)
            ghost = ghost._replace(n_crashes=ghost.n_crashes + 1)
            for kept, new_file, new_journal in after_crash(file, journal):
                yield (-1, "POWER_CUT", kept), (everyone, new_file, new_journal, ghost)

    def violation(self, state: State) -> str:
        """Tells which invariant the state breaks."""
        processes, file, _, ghost = state
        if ghost.wrong:
            return str(ghost.wrong)
        for process in processes:
            if READ <= process.pc <= LOCK_EXCLUSIVE and process.seen != file.pages:
                return f"a snapshot of {process.seen} reads {file.pages}"
        if sum(process.lock >= RESERVED_LOCK for process in processes) > 1:
            return "two writers"
        return ""


def after_crash(file: File, journal: Journal) -> Iterator[tuple[tuple[object, ...], File, Journal]]:
    """Yields what a power cut may leave."""
    pages = [[new] if new == old else [new, old, TORN] for new, old in zip(file.pages, file.durable)]
    journals = {NO_JOURNAL} if not (journal.exists and journal.durable_exists) else set()
    if journal.exists or journal.durable_exists:
        counts = {journal.count, journal.durable_count}
        size = max(len(journal.records), len(journal.durable_records))
        places = [
            _settle_record(*pair) for pair in itertools.zip_longest(journal.records, journal.durable_records[:size])
        ]
        for count in counts:
            for records in itertools.product(*places):
                kept = tuple(itertools.takewhile(lambda record: record is not None, records))
                journals.add(Journal(True, count, kept, True, count, kept))  # type: ignore[arg-type]
    for content in itertools.product(*pages):
        for settled in sorted(journals):
            yield (content, settled[:3]), File(content, content), settled


def _settle_record(new: Record | None, old: Record | None) -> list[Record | None]:
    if new == old or new is None:
        return [old if new is None else new]
    return [new, old, (new[0], TORN, False)]


def start(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Takes SHARED, unless someone is PENDING."""
    if all(other.lock < PENDING for other in others):
        yield "BEGIN_READ", None, Process(LOOK_JOURNAL, SHARED), file, journal, ghost


def begin_reading(process: Process, file: File, ghost: Ghost) -> tuple[Process, Ghost]:
    """The process has its snapshot: it must be what was committed last, or what was in doubt when machine or writer died."""
    if file.pages == ghost.doubt != ghost.committed:
        ghost = ghost._replace(committed=ghost.doubt, doubt=())
    elif file.pages != ghost.committed:
        wrong = f"a reader finds {file.pages}; committed is {ghost.committed}, in doubt {ghost.doubt}"
        ghost = ghost._replace(wrong=wrong)
    return process._replace(pc=READ, seen=file.pages, at=0), ghost


def look_journal(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Is there a journal?"""
    if journal.exists:
        yield "LOOK_JOURNAL", True, process._replace(pc=LOOK_RESERVED), file, journal, ghost
    else:
        new, ghost = begin_reading(process, file, ghost)
        yield "LOOK_JOURNAL", False, new, file, journal, ghost


def look_reserved(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Is its writer at work, or has it only lost its header?"""
    is_reserved = any(other.lock >= RESERVED_LOCK for other in others)
    if is_reserved or not journal.exists or journal.count < 0:
        new, ghost = begin_reading(process, file, ghost)
        yield "LOOK_RESERVED", False, new, file, journal, ghost
    else:
        yield "LOOK_RESERVED", True, process._replace(pc=LOCK_HOT), file, journal, ghost


def lock_hot(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Takes EXCLUSIVE to play a hot journal back; lets go of everything when someone is in the way."""
    if all(other.lock == UNLOCKED for other in others) or model.mutation == "no-hot-lock":
        lock = SHARED if model.mutation == "no-hot-lock" else EXCLUSIVE
        yield "LOCK_HOT", True, process._replace(pc=LOOK_AGAIN, lock=lock), file, journal, ghost
    else:
        yield "LOCK_HOT", False, IDLE_PROCESS, file, journal, ghost


def look_again(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Someone else may have played it back meanwhile."""
    pc = PLAY_BACK if journal.exists else SHARED_AGAIN
    yield "LOOK_AGAIN", journal.exists, process._replace(pc=pc), file, journal, ghost


def play_back(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Puts one original back; stops at the first record that does not check."""
    is_unchecked = model.mutation == "no-record-checksum"
    count = len(journal.records) if is_unchecked else min(journal.count, len(journal.records))
    if process.at < count and (journal.records[process.at][2] or is_unchecked):
        page, body, _ = journal.records[process.at]
        pages = file.pages[:page] + (body,) + file.pages[page + 1 :]
        yield "PLAY_BACK", page, process._replace(at=process.at + 1), file._replace(pages=pages), journal, ghost
    else:
        yield from play_sync(model, process, others, file, journal, ghost)


def play_sync(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Makes the originals durable."""
    if model.mutation != "no-hot-sync":
        file = file._replace(durable=file.pages)
    yield "PLAY_SYNC", None, process._replace(pc=MAKE_COLD, at=0), file, journal, ghost


def make_cold(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Deletes the journal; the deletion may be lost, then it is played back once more."""
    gone = journal._replace(exists=False, count=-1, records=())
    yield "MAKE_COLD", None, process._replace(pc=SHARED_AGAIN), file, gone, ghost


def shared_again(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Lets others read."""
    new, ghost = begin_reading(process._replace(lock=SHARED), file, ghost)
    yield "SHARED_AGAIN", None, new, file, journal, ghost


def read(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Ends the transaction, or becomes the writer."""
    yield "END_READ", None, IDLE_PROCESS, file, journal, ghost
    if ghost.next_version <= model.bounds.n_transactions and all(other.lock < RESERVED_LOCK for other in others):
        version, ghost = ghost.next_version, ghost._replace(next_version=ghost.next_version + 1)
        for pages in (1, 2, 3):
            new = process._replace(pc=RESERVED, lock=RESERVED_LOCK, todo=pages, version=version)
            yield "BEGIN_WRITE", pages, new, file, journal, ghost


def reserved(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Rolls back while nothing has been written, or writes the journal."""
    yield "ROLLBACK", None, process._replace(pc=READ, lock=SHARED, todo=0, version=0), file, journal, ghost
    yield from journal_make(model, process, others, file, journal, ghost)


def journal_make(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Makes the journal, with originals and a header that counts none of them."""
    records = tuple((page, file.pages[page], True) for page in (0, 1) if process.todo >> page & 1)
    made = journal._replace(exists=True, count=0, records=records)
    yield "JOURNAL_MAKE", None, process._replace(pc=JOURNAL_SYNC), file, made, ghost


def synced(journal: Journal) -> Journal:
    """Returns the journal after a sync of its content."""
    return journal._replace(durable_count=journal.count, durable_records=journal.records)


def journal_sync(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Makes the records durable."""
    journal = journal if model.mutation == "no-journal-sync" else synced(journal)
    yield "JOURNAL_SYNC", None, process._replace(pc=JOURNAL_COUNT), file, journal, ghost


def journal_count(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Writes the true count into the header."""
    counted = journal._replace(count=len(journal.records))
    yield "JOURNAL_COUNT", None, process._replace(pc=COUNT_SYNC), file, counted, ghost


def count_sync(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Makes it durable."""
    journal = journal if model.mutation == "no-journal-sync" else synced(journal)
    yield "COUNT_SYNC", None, process._replace(pc=DIRECTORY_SYNC), file, journal, ghost


def directory_sync(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Makes the journal's name durable."""
    if model.mutation != "no-directory-sync":
        journal = journal._replace(durable_exists=True)
    yield "DIRECTORY_SYNC", None, process._replace(pc=LOCK_PENDING), file, journal, ghost


def lock_pending(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Lets no new reader in."""
    yield "LOCK_PENDING", None, process._replace(pc=LOCK_EXCLUSIVE, lock=PENDING), file, journal, ghost


def lock_exclusive(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Waits for the readers to go."""
    if all(other.lock == UNLOCKED for other in others) or model.mutation == "no-exclusive":
        content = tuple(process.version if process.todo >> page & 1 else value for page, value in enumerate(process.seen))
        new = process._replace(pc=WRITE_PAGES, lock=EXCLUSIVE)
        yield "LOCK_EXCLUSIVE", None, new, file, journal, ghost._replace(doubt=content)


def write_pages(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Overwrites one page of the database."""
    for page in range(process.at, 2):
        if process.todo >> page & 1:
            pages = file.pages[:page] + (process.version,) + file.pages[page + 1 :]
            yield "WRITE_PAGES", page, process._replace(at=page + 1), file._replace(pages=pages), journal, ghost
            return
    yield from database_sync(model, process, others, file, journal, ghost)


def database_sync(
    model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost
) -> Iterator[Step]:
    """Makes them durable."""
    if model.mutation != "no-database-sync":
        file = file._replace(durable=file.pages)
    yield "DATABASE_SYNC", None, process._replace(pc=COMMIT, at=0), file, journal, ghost


def commit(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Deletes the journal and syncs its directory (synchronous=EXTRA): the transaction has happened."""
    new = process._replace(pc=UNLOCK, todo=0, version=0)
    yield "COMMIT", None, new, file, NO_JOURNAL, ghost._replace(committed=ghost.doubt, doubt=())


def unlock(model: JournalModel, process: Process, others: Others, file: File, journal: Journal, ghost: Ghost) -> Iterator[Step]:
    """Reads on, or not."""
    yield "UNLOCK", None, IDLE_PROCESS, file, journal, ghost


STEPS = {
    IDLE: start, LOOK_JOURNAL: look_journal, LOOK_RESERVED: look_reserved, LOCK_HOT: lock_hot, LOOK_AGAIN: look_again,
    PLAY_BACK: play_back, PLAY_SYNC: play_sync, MAKE_COLD: make_cold, SHARED_AGAIN: shared_again, READ: read, RESERVED: reserved,
    JOURNAL_MAKE: journal_make, JOURNAL_SYNC: journal_sync, JOURNAL_COUNT: journal_count, COUNT_SYNC: count_sync,
    DIRECTORY_SYNC: directory_sync, LOCK_PENDING: lock_pending, LOCK_EXCLUSIVE: lock_exclusive, WRITE_PAGES: write_pages,
    DATABASE_SYNC: database_sync, COMMIT: commit, UNLOCK: unlock,
}  # fmt: skip
