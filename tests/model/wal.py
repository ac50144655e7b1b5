"""The write-ahead log as a model: readers, writers, checkpointers and recoverers, step by step, with kills and power cuts.

Two pages and a handful of transactions, each of which writes its number into one of the pages or both.

    Shm     the index: two copies of the header, nBackfill, read marks.  Locks are what the processes hold.
    Disk    log header, log frames and database pages, each as the cache has it and as the platter has it
    Ghost   what only the checker knows: the committed content, contents in doubt (commit frame written, not published),
            and older contents that a power cut may bring back (synchronous=NORMAL: commits since the log was last synced)
    Process where it stands (`pc`), what it holds, its header (its snapshot), and the registers of its operation

A frame is (page, is commit frame, salt, body, checksum); the checksum is the chain of everything before it in the log, kept as
a number for each different chain.  A frame whose head reached the platter without its body is a frame whose body is what
the place held before: its checksum is then wrong.  A power cut keeps or loses, independently, the log's header, the head and
the body of each frame, a truncation of the log, and each database page since the last sync; a page may also be torn.

One step is what a process does between two looks at, or changes of, what is shared; the step names are those of the code in
`minisql.storage.wal`, on which `replay` runs them.  Coarser than the code: read marks are looked at in one step, a lock is
taken, used and released in one step where nothing between can be seen, and the frames of one write are written at once.

`mutations` plants faults, one name each; see `MUTATIONS`.

Source: https://www.sqlite.org/walformat.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from .checker import Label, State

IDLE = 0
(
    HEADER_0, HEADER_1, RECOVER, SCAN, RECOVER_HEADER, RECOVER_BACKFILL, RECOVER_MARKS, LOOK_BACKFILL, LOCK_READ0, VERIFY_READ0,
    MARKS, LOCK_READ, VERIFY_READ, READ, CHECK_SNAPSHOT, LOCK_READERS, RESTART_BACKFILL, RESTART_HEADER_1, RESTART_HEADER_0,
    RESTART_MARKS, LEAVE_READ0, FRAMES, LOG_HEADER, LOG_HEADER_SYNC, LOG_SYNC, PUBLISH_1, PUBLISH_0, END_WRITE,
    MARK_1, MARK_2, LOOK_DONE, CHECKPOINT_READ0, CHECK_SALT, CHECKPOINT_LOG_SYNC, COPY, DATABASE_SYNC, BACKFILL, LEAVE_CHECKPOINT,
    RESET_LOCK, TRUNCATE,
) = range(1, 41)  # fmt: skip

PC_NAMES = {value: name for name, value in list(globals().items()) if name.isupper() and isinstance(value, int)}

WRITE, CHECKPOINT, EXCLUSIVE_READ0, EXCLUSIVE_READERS, RESET = 1, 2, 4, 8, 16
NO_MARK = 99
TORN = -1
N_MARKS = 3
VERIFIED = frozenset(range(READ, LEAVE_READ0 + 1)) | frozenset(range(FRAMES, END_WRITE + 1))
WRITING = frozenset(range(LOCK_READERS, END_WRITE + 1)) | {FRAMES}

MUTATIONS = {
    "wal-reset": "a checkpointer does not notice that the log was restarted since it read the header (SQLite 3.7.0 to 3.51.2)",
    "backfill-after-restart": "a restart publishes the header before it clears nBackfill, and is killed in between",
    "no-commit-sync": "a commit is published before the log is synced",
    "no-header-sync": "frames of a restarted log are written before its new header is synced",
    "no-log-sync": "a checkpoint overwrites the database before the log is synced",
    "no-database-sync": "nBackfill is raised before the database is synced",
    "no-checksum": "recovery looks at the salts of frames only",
    "no-frame-chain": "the checksum of a frame does not cover the frames before it",
    "no-salt": "a restarted log keeps its salt, and frames are not chained",
    "no-read-mark": "a reader locks a read mark without setting it to its own frame",
    "no-reader-lock": "a checkpointer raises the mark of a reader that is still there",
    "no-verify": "a reader does not look again after it has its lock",
    "no-snapshot-check": "a writer does not look whether its snapshot is the last one",
    "no-commit-mark": "recovery takes frames behind the last commit frame",
    "no-write-lock": "a writer does not take the WRITE lock",
}


class Process(NamedTuple):
    """One connection."""

    pc: int = IDLE
    held: int = 0
    read_lock: int = -1
    header: int = 0
    mark: int = 0
    frame: int = 0
    chain: int = 0
    todo: int = 0
    version: int = 0
    safe: int = 0
    done: int = 0


class Shm(NamedTuple):
    """The index in shared memory; headers are numbers of `Header`."""

    header_0: int = 0
    header_1: int = 0
    backfill: int = 0
    marks: tuple[int, ...] = (0,) * N_MARKS


class Disk(NamedTuple):
    """Log and database: in the cache, and durable."""

    salt: int
    log: tuple[int, ...]
    pages: tuple[int, ...]
    durable_salt: int
    durable_log: tuple[int, ...]
    durable_pages: tuple[int, ...]


class Ghost(NamedTuple):
    """What the checker knows; `wrong` tells an invariant that a step broke."""

    committed: tuple[int, ...]
    doubt: tuple[tuple[int, ...], ...] = ()
    losable: tuple[tuple[int, ...], ...] = ()
    next_version: int = 1
    next_salt: int = 2
    n_checkpoints: int = 0
    n_kills: int = 0
    n_crashes: int = 0
    wrong: str = ""


class Header(NamedTuple):
    """The header of the index; `content` is the ghost of what it stands for."""

    change: int
    salt: int
    max_frame: int
    chain: int
    content: tuple[int, ...]


class Frame(NamedTuple):
    """A place in the log."""

    page: int
    is_commit: bool
    salt: int
    body: int
    chain: int


class Bounds(NamedTuple):
    """How far a search goes."""

    n_processes: int
    n_transactions: int
    n_checkpoints: int
    n_kills: int
    n_crashes: int
    with_truncate: bool = True
    with_spill: bool = True
    page_sets: tuple[int, ...] = (1, 2, 3)


IDLE_PROCESS = Process()
Step = tuple[str, object, Process, Shm, Disk, Ghost]


class WalModel:
    """See the module docstring."""

    def __init__(self, bounds: Bounds, mutation: str = "", synchronous: int = 2) -> None:
        self.name = "wal"
        self.bounds = bounds
        self.mutation = mutation
        self.synchronous = synchronous
        self.headers: list[Header] = [Header(0, 0, 0, 0, ())]
        self.header_numbers: dict[Header, int] = {}
        self.frames: list[Frame] = [Frame(-1, False, 0, 0, 0)]
        self.frame_numbers: dict[Frame, int] = {}
        self.chains: dict[tuple[int, ...], int] = {}

    # -- numbers for what is compared only ---------------------------------------------------------------------------

    def header(self, change: int, salt: int, max_frame: int, chain: int, content: tuple[int, ...]) -> int:
        """Numbers a header."""
        header = Header(change, salt, max_frame, chain, content)
        number = self.header_numbers.get(header)
        if number is None:
            number = self.header_numbers[header] = len(self.headers)
            self.headers.append(header)
        return number

    def frame(self, page: int, is_commit: bool, salt: int, body: int, chain: int) -> int:
        """Numbers a frame."""
        frame = Frame(page, is_commit, salt, body, chain)
        number = self.frame_numbers.get(frame)
        if number is None:
            number = self.frame_numbers[frame] = len(self.frames)
            self.frames.append(frame)
        return number

    def checksum(self, before: int, page: int, is_commit: bool, body: int) -> int:
        """Continues a chain of checksums."""
        if self.mutation in ("no-frame-chain", "no-salt"):
            before = 0
        return self.chains.setdefault((before, page, is_commit, body), len(self.chains) + 1)

    def first_chain(self, salt: int) -> int:
        """The checksum of a log header."""
        return self.chains.setdefault((salt,), len(self.chains) + 1)

    # -- the model -----------------------------------------------------------------------------------------------------

    def initial(self) -> State:
        """A database in WAL mode just after a power cut: no log, an index of zeros."""
        pages = (0, 0)
        return (IDLE_PROCESS,) * self.bounds.n_processes, Shm(), Disk(0, (), pages, 0, (), pages), Ghost(pages)

    def successors(self, state: State) -> Iterator[tuple[Label, State]]:
        """Yields every step of every process, every kill, every outcome of a power cut."""
        processes, shm, disk, ghost = state
        bounds = self.bounds
        met = set()
        for i, process in enumerate(processes):
            if process in met:
                continue
            met.add(process)
            rest = processes[:i], processes[i + 1 :]
            others = rest[0] + rest[1]
            for step, argument, new, new_shm, new_disk, new_ghost in STEPS[process.pc](self, process, others, shm, disk, ghost):
                yield (i, step, argument), (rest[0] + (new,) + rest[1], new_shm, new_disk, new_ghost)
            if process.pc and ghost.n_kills < bounds.n_kills:
                killed = rest[0] + (IDLE_PROCESS,) + rest[1]
                yield (i, "KILL", None), (killed, shm, disk, ghost._replace(n_kills=ghost.n_kills + 1))
        if ghost.n_crashes < bounds.n_crashes:
            everyone = (IDLE_PROCESS,) * len(processes)
            ghost = ghost._replace(n_crashes=ghost.n_crashes + 1)
            for kept, after in self.after_crash(disk):
                yield (-1, "POWER_CUT", kept), (everyone, Shm(), after, ghost)

    def after_crash(self, disk: Disk) -> Iterator[tuple[tuple[object, ...], Disk]]:
        """Yields what a power cut may leave: (log header kept, (head, body) kept for each frame, pages), and the disk."""
        n_cached, n_durable = len(disk.log), len(disk.durable_log)
        padded = disk.durable_log + (0,) * (n_cached - n_durable)
        places = [self._settle_frame(new, old) for new, old in zip(disk.log, padded)]
        tail = disk.durable_log[n_cached:]
        tails = [((True, True), ()), ((False, False), tail)] if tail else [((True, True), ())]
        pages = [[new] if new == old else [new, old, TORN] for new, old in zip(disk.pages, disk.durable_pages)]
        for salt in sorted({disk.salt, disk.durable_salt}):
            for *log, (is_cut, rest) in itertools.product(*places, tails):
                if tail and salt != (disk.salt if is_cut[0] or disk.salt else disk.durable_salt):
                    continue  # the header goes with the file that was cut
                for content in itertools.product(*pages):
                    numbers = tuple(number for _, number in log) + rest
                    kept = salt == disk.salt, tuple(choice for choice, _ in log) + (is_cut,) * bool(tail), content
                    yield kept, Disk(salt, numbers, content, salt, numbers, content)

    def _settle_frame(self, new: int, old: int) -> list[tuple[tuple[bool, bool], int]]:
        if new == old:
            return [((True, True), new)]
        head, body = self.frames[new], self.frames[old]
        mixed = [((True, True), new), ((False, False), old)]
        if new and head.body != body.body:
            mixed.append(((True, False), self.frame(head.page, head.is_commit, head.salt, body.body, head.chain)))
        return mixed

    def violation(self, state: State) -> str:
        """Tells which invariant the state breaks."""
        processes, shm, disk, ghost = state
        if ghost.wrong:
            return str(ghost.wrong)
        n_writers = 0
        for process in processes:
            if process.pc in VERIFIED and process.read_lock >= 0:
                header = self.headers[process.header]
                seen = self.content(disk, header.max_frame if process.read_lock else 0, header.max_frame)
                if seen != header.content:
                    return f"a snapshot of {header.content} reads {seen}"
            n_writers += process.pc in WRITING
        if n_writers > 1:
            return "two writers"
        if shm.header_0 and shm.header_0 == shm.header_1 and self.headers[shm.header_0].content != ghost.committed:
            return f"the header stands for {self.headers[shm.header_0].content}, not for {ghost.committed}"
        return ""

    def content(self, disk: Disk, last_frame: int, _: int = 0) -> tuple[int, ...]:
        """Returns what a reader of the first `last_frame` frames sees."""
        pages = list(disk.pages)
        for number in disk.log[:last_frame]:
            frame = self.frames[number]
            if frame.page >= 0:
                pages[frame.page] = frame.body
        return tuple(pages)

    def scan(self, disk: Disk) -> tuple[int, int]:
        """Reads the log as recovery does: (last frame of the last commit, checksum there)."""
        chain = self.first_chain(disk.salt)
        last, last_chain = 0, chain
        for i, number in enumerate(disk.log):
            frame = self.frames[number]
            if frame.salt != disk.salt:
                break
            chain = self.checksum(chain, frame.page, frame.is_commit, frame.body)
            if frame.chain != chain and self.mutation != "no-checksum":
                break
            if frame.is_commit or self.mutation == "no-commit-mark":
                last, last_chain = i + 1, chain
        return last, last_chain


def either(*contents: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Joins lists of contents that a power cut may bring back."""
    return tuple(sorted(set().union(*contents)))


def is_free(others: tuple[Process, ...], bits: int) -> bool:
    """Tells whether no other process holds any of the locks."""
    return not any(other.held & bits for other in others)


def is_shared(others: tuple[Process, ...], mark: int) -> bool:
    """Tells whether another process reads on a mark."""
    return any(other.read_lock == mark for other in others)


def start(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Begins to read, or to checkpoint."""
    yield "BEGIN_READ", None, Process(HEADER_0), shm, disk, ghost
    if ghost.n_checkpoints < model.bounds.n_checkpoints and is_free(others, CHECKPOINT):
        ghost = ghost._replace(n_checkpoints=ghost.n_checkpoints + 1)
        yield "CHECKPOINT_PASSIVE", None, Process(HEADER_0, CHECKPOINT), shm, disk, ghost
        if model.bounds.with_truncate and is_free(others, WRITE):
            yield "CHECKPOINT_TRUNCATE", None, Process(HEADER_0, CHECKPOINT | WRITE | RESET), shm, disk, ghost


def read_header_0(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Copies the first header."""
    yield "HEADER_0", None, process._replace(pc=HEADER_1, header=shm.header_0), shm, disk, ghost


def after_header(process: Process) -> int:
    """Where a process goes once it has a header."""
    return MARK_1 if process.held & CHECKPOINT else LOOK_BACKFILL


def once_more(process: Process) -> Process:
    """Tries again to get a snapshot; a writer keeps the one that it has and looks for another mark."""
    if process.held & WRITE:
        return process._replace(pc=MARKS, mark=0, frame=0, read_lock=-1)
    return Process(HEADER_0)


def read_header_1(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Compares it with the second one."""
    if process.header and process.header == shm.header_1:
        yield "HEADER_1", True, process._replace(pc=after_header(process)), shm, disk, ghost
    elif process.held & RESET:
        yield "HEADER_1", False, IDLE_PROCESS, shm, disk, ghost
    else:
        yield "HEADER_1", False, process._replace(pc=RECOVER, header=0), shm, disk, ghost


def recover(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Takes WRITE and CHECKPOINT to rebuild the index, unless someone else has done so."""
    if not is_free(others, WRITE):
        is_recovering = any(SCAN <= other.pc <= RECOVER_MARKS for other in others)
        again = process._replace(pc=HEADER_0)
        yield "RECOVER", "wait", IDLE_PROCESS if is_recovering or process.held else again, shm, disk, ghost
    elif shm.header_0 and shm.header_0 == shm.header_1:
        again = process._replace(pc=after_header(process), header=shm.header_0)
        yield "RECOVER", "done", again, shm, disk, ghost
    elif not is_free(others, CHECKPOINT):
        yield "RECOVER", "busy", IDLE_PROCESS, shm, disk, ghost
    else:
        yield "RECOVER", "scan", process._replace(pc=SCAN, held=process.held | WRITE | CHECKPOINT, todo=process.held), shm, disk, ghost


def scan(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Reads the log and writes the second copy of the header."""
    last, chain = model.scan(disk)
    content = model.content(disk, last)
    if content not in (ghost.committed, *ghost.doubt, *ghost.losable):
        ghost = ghost._replace(wrong=f"recovery finds {content}; committed is {ghost.committed}, in doubt {ghost.doubt}")
    else:
        is_durable = disk.log == disk.durable_log
        losable = () if is_durable else either(ghost.losable, ghost.doubt, (ghost.committed,))
        ghost = ghost._replace(committed=content, doubt=(), losable=losable)
    header = model.header(0, disk.salt, last, chain, content)
    shm = shm._replace(header_1=header)
    yield "SCAN", None, process._replace(pc=RECOVER_HEADER, header=header), shm, disk, ghost


def recover_header(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Writes the first copy of the header."""
    yield "RECOVER_HEADER", None, process._replace(pc=RECOVER_BACKFILL), shm._replace(header_0=process.header), disk, ghost


def recover_backfill(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Nothing is known to be in the database."""
    yield "RECOVER_BACKFILL", None, process._replace(pc=RECOVER_MARKS), shm._replace(backfill=0), disk, ghost


def recover_marks(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Sets the marks that no one uses, and lets go of the locks."""
    max_frame = model.headers[process.header].max_frame
    marks = list(shm.marks)
    for i in range(1, N_MARKS):
        if not is_shared(others, i):
            marks[i] = max_frame if i == 1 and max_frame else NO_MARK
    after = process._replace(held=process.todo, todo=0)
    yield "RECOVER_MARKS", None, after._replace(pc=after_header(after)), shm._replace(marks=tuple(marks)), disk, ghost


def look_backfill(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Is the whole log in the database?"""
    is_all = shm.backfill == model.headers[process.header].max_frame
    yield "LOOK_BACKFILL", is_all, process._replace(pc=LOCK_READ0 if is_all else MARKS), shm, disk, ghost


def lock_read0(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Takes the lock of those who do without the log."""
    if is_free(others, EXCLUSIVE_READ0):
        yield "LOCK_READ0", True, process._replace(pc=VERIFY_READ0, read_lock=0), shm, disk, ghost
    else:
        yield "LOCK_READ0", False, process._replace(pc=MARKS), shm, disk, ghost


def verify_read0(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Is the header still the same?"""
    if shm.header_0 == process.header or model.mutation == "no-verify":
        yield "VERIFY_READ0", True, process._replace(pc=READ), shm, disk, ghost
    else:
        yield "VERIFY_READ0", False, Process(HEADER_0), shm, disk, ghost


def marks(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Looks for the highest mark within the snapshot; sets one that is free to the snapshot if none is it."""
    max_frame = model.headers[process.header].max_frame
    best = best_mark = 0
    for i in range(1, N_MARKS):
        if best_mark <= shm.marks[i] <= max_frame:
            best, best_mark = i, shm.marks[i]
    if (best_mark < max_frame or not best) and is_free(others, EXCLUSIVE_READERS):
        for i in range(1, N_MARKS):
            if not is_shared(others, i):
                best, best_mark = i, max_frame
                if model.mutation != "no-read-mark":
                    shm = shm._replace(marks=shm.marks[:i] + (max_frame,) + shm.marks[i + 1 :])
                break
    if best:
        yield "MARKS", best, process._replace(pc=LOCK_READ, mark=best, frame=best_mark), shm, disk, ghost
    else:
        yield "MARKS", 0, once_more(process), shm, disk, ghost


def lock_read(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Takes the lock of the mark."""
    if is_free(others, EXCLUSIVE_READERS):
        yield "LOCK_READ", True, process._replace(pc=VERIFY_READ, read_lock=process.mark), shm, disk, ghost
    else:
        yield "LOCK_READ", False, once_more(process), shm, disk, ghost


def verify_read(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Are mark and header still the same?"""
    is_same = shm.marks[process.mark] == process.frame and shm.header_0 == process.header
    if is_same or model.mutation in ("no-verify", "no-read-mark"):
        pc = FRAMES if process.held & WRITE else READ
        yield "VERIFY_READ", True, process._replace(pc=pc, mark=0, frame=0), shm, disk, ghost
    else:
        yield "VERIFY_READ", False, once_more(process), shm, disk, ghost


def read(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Ends the transaction, or begins to write one page, the other, or both."""
    yield "END_READ", None, IDLE_PROCESS, shm, disk, ghost
    version = ghost.next_version
    if version <= model.bounds.n_transactions and (is_free(others, WRITE) or model.mutation == "no-write-lock"):
        ghost = ghost._replace(next_version=version + 1)
        for pages in model.bounds.page_sets:
            new = process._replace(pc=CHECK_SNAPSHOT, held=WRITE, todo=pages, version=version)
            yield "BEGIN_WRITE", pages, new, shm, disk, ghost


def check_snapshot(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Has someone committed since?"""
    if shm.header_0 == process.header or model.mutation == "no-snapshot-check":
        pc = FRAMES if process.read_lock else LOCK_READERS
        yield "CHECK_SNAPSHOT", True, process._replace(pc=pc), shm, disk, ghost
    else:
        stale = process._replace(pc=READ, held=0, todo=0, version=0)
        yield "CHECK_SNAPSHOT", False, stale, shm, disk, ghost


def lock_readers(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Restarts the log if there is something in it and no one reads it."""
    is_free_of_readers = is_free(others, EXCLUSIVE_READERS) and all(other.read_lock <= 0 for other in others)
    if shm.backfill and is_free_of_readers:
        new = process._replace(pc=RESTART_BACKFILL, held=process.held | EXCLUSIVE_READERS)
        yield "LOCK_READERS", True, new, shm, disk, ghost
    else:
        yield "LOCK_READERS", False, process._replace(pc=LEAVE_READ0), shm, disk, ghost


def restart_backfill(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Nothing of the new log will be in the database."""
    if model.mutation != "backfill-after-restart":
        shm = shm._replace(backfill=0)
    yield "RESTART_BACKFILL", None, process._replace(pc=RESTART_HEADER_1), shm, disk, ghost


def restart_header_1(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Makes a header for an empty log with a new salt, second copy first."""
    old = model.headers[process.header]
    salt = old.salt if model.mutation == "no-salt" else ghost.next_salt
    header = model.header(old.change, salt, 0, old.chain, old.content)
    new = process._replace(pc=RESTART_HEADER_0, header=header)
    yield "RESTART_HEADER_1", None, new, shm._replace(header_1=header), disk, ghost._replace(next_salt=ghost.next_salt + 1)


def restart_header_0(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Then the first."""
    yield "RESTART_HEADER_0", None, process._replace(pc=RESTART_MARKS), shm._replace(header_0=process.header), disk, ghost


def restart_marks(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Resets the marks and lets readers in."""
    shm = shm._replace(marks=(0, 0) + (NO_MARK,) * (N_MARKS - 2), backfill=0)
    if process.held & RESET:
        yield "RESTART_MARKS", None, process._replace(pc=TRUNCATE), shm, disk, ghost
    else:
        new = process._replace(pc=LEAVE_READ0, held=process.held & ~EXCLUSIVE_READERS)
        yield "RESTART_MARKS", None, new, shm, disk, ghost


def leave_read0(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Moves to a read mark: a writer uses the log."""
    yield "LEAVE_READ0", None, process._replace(pc=MARKS, read_lock=-1), shm, disk, ghost


def frames(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Appends the frames of the transaction, or only the first one of two (a spill); may roll back before the commit frame."""
    header = model.headers[process.header]
    frame, chain, salt = process.frame or header.max_frame, process.chain or header.chain, header.salt
    if frame == 0 and not process.chain:
        yield "FRAMES", "header", process._replace(pc=LOG_HEADER), shm, disk, ghost
        return
    if process.safe:  # something was spilled
        undone = process._replace(pc=END_WRITE, header=shm.header_0, frame=0, chain=0, todo=0, version=0, safe=0)
        yield "ROLLBACK", None, undone, shm, disk, ghost
    elif model.bounds.with_spill and process.todo == 3:
        log = append(model, disk.log, frame, chain, salt, [0], process.version, False)
        new = process._replace(frame=frame + 1, chain=model.frames[log[frame]].chain, todo=2, safe=1)
        yield "SPILL", None, new, shm, disk._replace(log=log), ghost
    pages = [page for page in (0, 1) if process.todo >> page & 1]
    log = append(model, disk.log, frame, chain, salt, pages, process.version, True)
    last = frame + len(pages)
    content = list(header.content)
    for page in (0, 1) if process.safe else pages:
        content[page] = process.version
    pc = LOG_SYNC if model.synchronous >= 2 else PUBLISH_1
    new = process._replace(pc=pc, frame=last, chain=model.frames[log[last - 1]].chain, todo=0, safe=0)
    new = new._replace(done=model.header(header.change + 1, salt, last, new.chain, tuple(content)))
    yield "FRAMES", None, new, shm, disk._replace(log=log), ghost._replace(doubt=either(ghost.doubt, (tuple(content),)))


def append(
    model: WalModel, log: tuple[int, ...], frame: int, chain: int, salt: int, pages: list[int], version: int, is_commit: bool
) -> tuple[int, ...]:
    """Returns the log with frames written behind `frame`."""
    log += (0,) * (frame - len(log))
    for i, page in enumerate(pages):
        is_last = is_commit and i == len(pages) - 1
        chain = model.checksum(chain, page, is_last, version)
        log = log[:frame] + (model.frame(page, is_last, salt, version, chain),) + log[frame + 1 :]
        frame += 1
    return log


def log_header(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Writes the header of a log that starts."""
    header = model.headers[process.header]
    salt = header.salt
    if not salt:
        salt, ghost = ghost.next_salt, ghost._replace(next_salt=ghost.next_salt + 1)
    chain = model.first_chain(salt)
    started = model.header(header.change, salt, 0, chain, header.content)
    new = process._replace(pc=LOG_HEADER_SYNC, header=started, chain=chain)
    yield "LOG_HEADER", None, new, shm, disk._replace(salt=salt), ghost


def log_header_sync(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Makes it durable."""
    if model.mutation != "no-header-sync":
        disk, ghost = synced_log(disk), ghost._replace(losable=())
    yield "LOG_HEADER_SYNC", None, process._replace(pc=FRAMES), shm, disk, ghost


def synced_log(disk: Disk) -> Disk:
    """Returns the disk after a sync of the log."""
    return disk._replace(durable_salt=disk.salt, durable_log=disk.log)


def log_sync(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Makes the transaction durable."""
    disk = disk if model.mutation == "no-commit-sync" else synced_log(disk)
    yield "LOG_SYNC", None, process._replace(pc=PUBLISH_1), shm, disk, ghost


def publish_1(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Publishes the header, second copy first."""
    yield "PUBLISH_1", None, process._replace(pc=PUBLISH_0), shm._replace(header_1=process.done), disk, ghost


def publish_0(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """The transaction has happened."""
    header = process.done
    losable = ghost.losable if model.synchronous >= 2 else either(ghost.losable, ghost.doubt, (ghost.committed,))
    ghost = ghost._replace(committed=model.headers[header].content, doubt=(), losable=losable)
    new = process._replace(pc=END_WRITE, header=header, done=0, version=0, frame=0, chain=0)
    yield "PUBLISH_0", None, new, shm._replace(header_0=header), disk, ghost


def end_write(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Lets the next writer in; reads on."""
    yield "END_WRITE", None, process._replace(pc=READ, held=0), shm, disk, ghost


def mark_1(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """A checkpointer raises the first mark, or copies only as far as its reader allows."""
    process = process._replace(safe=model.headers[process.header].max_frame)
    yield from look_mark(model, process, others, shm, disk, ghost, 1, MARK_2)


def mark_2(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """The same for the second."""
    yield from look_mark(model, process, others, shm, disk, ghost, 2, LOOK_DONE)


def look_mark(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost, mark: int, pc: int
) -> Iterator[Step]:
    """One read mark under the eyes of a checkpointer."""
    value, safe = shm.marks[mark], process.safe
    if safe > value:
        is_busy = is_shared(others, mark) or not is_free(others, EXCLUSIVE_READERS)
        if is_busy and model.mutation != "no-reader-lock":
            safe = value
        else:
            value = safe if mark == 1 else NO_MARK
            shm = shm._replace(marks=shm.marks[:mark] + (value,) + shm.marks[mark + 1 :])
    yield f"MARK_{mark}", safe, process._replace(pc=pc, safe=safe), shm, disk, ghost


def look_done(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """How much is in the database already?"""
    pc = CHECKPOINT_READ0 if shm.backfill < process.safe else LEAVE_CHECKPOINT
    if pc == LEAVE_CHECKPOINT and process.held & RESET and process.safe == model.headers[process.header].max_frame:
        pc = RESET_LOCK
    yield "LOOK_DONE", shm.backfill, process._replace(pc=pc, done=shm.backfill), shm, disk, ghost


def checkpoint_read0(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Keeps out those who read the database without the log, and with them whoever may restart it."""
    if is_shared(others, 0):
        yield "CHECKPOINT_READ0", False, process._replace(pc=LEAVE_CHECKPOINT), shm, disk, ghost
    else:
        new = process._replace(pc=CHECK_SALT, held=process.held | EXCLUSIVE_READ0)
        yield "CHECKPOINT_READ0", True, new, shm, disk, ghost


def check_salt(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Is it still the log whose header was read?"""
    same = model.headers[shm.header_0].salt == model.headers[process.header].salt or model.mutation == "wal-reset"
    if same:
        yield "CHECK_SALT", True, process._replace(pc=CHECKPOINT_LOG_SYNC), shm, disk, ghost
    else:
        new = process._replace(pc=LEAVE_CHECKPOINT, held=process.held & ~EXCLUSIVE_READ0)
        yield "CHECK_SALT", False, new, shm, disk, ghost


def checkpoint_log_sync(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """The log must be durable before the database is overwritten."""
    if model.mutation != "no-log-sync":
        disk, ghost = synced_log(disk), ghost._replace(losable=())
    yield "CHECKPOINT_LOG_SYNC", None, process._replace(pc=COPY, todo=1), shm, disk, ghost


def copy(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Copies one page that has frames to copy, the first one first."""
    pages = list(disk.pages)
    for page in range(process.todo - 1, 2):
        last = [i + 1 for i, number in enumerate(disk.log[: process.safe]) if model.frames[number].page == page]
        if last and last[-1] > process.done:
            pages[page] = model.frames[disk.log[last[-1] - 1]].body
            more = process._replace(todo=page + 2)
            yield "COPY", page, more, shm, disk._replace(pages=tuple(pages)), ghost
            return
    yield from database_sync(model, process, others, shm, disk, ghost)


def database_sync(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Makes the pages durable."""
    if model.mutation != "no-database-sync":
        disk = disk._replace(durable_pages=disk.pages)
    yield "DATABASE_SYNC", None, process._replace(pc=BACKFILL, todo=0), shm, disk, ghost


def backfill(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Says so."""
    pc = LEAVE_CHECKPOINT
    if process.held & RESET and process.safe == model.headers[process.header].max_frame:
        pc = RESET_LOCK
    new = process._replace(pc=pc, held=process.held & ~EXCLUSIVE_READ0)
    yield "BACKFILL", process.safe, new, shm._replace(backfill=process.safe), disk, ghost


def leave_checkpoint(
    model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost
) -> Iterator[Step]:
    """Lets go of all locks."""
    yield "LEAVE_CHECKPOINT", None, IDLE_PROCESS, shm, disk, ghost


def reset_lock(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """A truncating checkpoint resets the log when no one reads it."""
    if is_free(others, EXCLUSIVE_READERS) and all(other.read_lock <= 0 for other in others):
        held = process.held | EXCLUSIVE_READERS
        new = process._replace(pc=RESTART_BACKFILL, held=held, safe=0, done=0)
        yield "RESET_LOCK", True, new, shm, disk, ghost
    else:
        yield "RESET_LOCK", False, process._replace(pc=LEAVE_CHECKPOINT), shm, disk, ghost


def truncate(model: WalModel, process: Process, others: tuple[Process, ...], shm: Shm, disk: Disk, ghost: Ghost) -> Iterator[Step]:
    """Empties the file."""
    new = process._replace(pc=LEAVE_CHECKPOINT, held=process.held & ~EXCLUSIVE_READERS)
    yield "TRUNCATE", None, new, shm, disk._replace(log=(), salt=0), ghost


STEPS = {
    IDLE: start, HEADER_0: read_header_0, HEADER_1: read_header_1, RECOVER: recover, SCAN: scan, RECOVER_HEADER: recover_header,
    RECOVER_BACKFILL: recover_backfill, RECOVER_MARKS: recover_marks, LOOK_BACKFILL: look_backfill, LOCK_READ0: lock_read0,
    VERIFY_READ0: verify_read0, MARKS: marks, LOCK_READ: lock_read, VERIFY_READ: verify_read, READ: read,
    CHECK_SNAPSHOT: check_snapshot, LOCK_READERS: lock_readers, RESTART_BACKFILL: restart_backfill,
    RESTART_HEADER_1: restart_header_1, RESTART_HEADER_0: restart_header_0, RESTART_MARKS: restart_marks,
    LEAVE_READ0: leave_read0, FRAMES: frames, LOG_HEADER: log_header, LOG_HEADER_SYNC: log_header_sync, LOG_SYNC: log_sync,
    PUBLISH_1: publish_1, PUBLISH_0: publish_0, END_WRITE: end_write, MARK_1: mark_1, MARK_2: mark_2, LOOK_DONE: look_done,
    CHECKPOINT_READ0: checkpoint_read0, CHECK_SALT: check_salt, CHECKPOINT_LOG_SYNC: checkpoint_log_sync, COPY: copy,
    DATABASE_SYNC: database_sync, BACKFILL: backfill, LEAVE_CHECKPOINT: leave_checkpoint, RESET_LOCK: reset_lock, TRUNCATE: truncate,
}  # fmt: skip
