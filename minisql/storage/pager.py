"""The pager: one database file (or one in memory) as one connection sees it.

It owns the file, the locks, the rollback journal, the cache of pages, transactions and savepoints.  The b-tree asks for
nodes, calls `prepare` before it edits one, and never sees a byte of I/O.

    begin_read   SHARED lock, hot journal rolled back, cache dropped when another connection has committed
    begin_write  RESERVED lock, savepoint 0
    prepare      first edit of a page within a savepoint: keeps the old lists, gives the node fresh ones
    commit       images of dirty pages -> originals to the journal, sync -> EXCLUSIVE -> pages to the file, sync -> journal cold
    rollback     old lists back; after a spill also the file, by playing the journal back

Invariants: `savepoints[0]` exists exactly while a write transaction is open.  `saved[n]` of a savepoint is page n as it was
when the savepoint was opened, None if there was no such page.  A page of the file is overwritten only when its original is
in a synced journal.  `is_editing` is true while the structure of a tree is in between: found true by the next operation,
it means that an exception struck there, and the transaction is undone.

A database in memory has no file and no images: nodes stay lists, undo works the same.

Source: https://www.sqlite.org/atomiccommit.html, https://www.sqlite.org/lockingv3.html.
"""

from __future__ import annotations

from collections.abc import Callable

from minisql.errors import (
    ABORT_ROLLBACK,
    BUSY,
    CORRUPT,
    FULL,
    IOERR_SHORT_READ,
    READONLY,
    READONLY_DBMOVED,
    SCHEMA,
    Error,
    sqlite_error,
)
from minisql.storage import commit, pointer_map, recovery, wal_mode
from minisql.storage import header as db_header
from minisql.storage import journal as rollback_journal
from minisql.storage.corruption import corrupt
from minisql.storage.header import read_u32, write_u32
from minisql.storage.locking import PENDING_BYTE
from minisql.storage.node import Node, RawPage, TableLeaf, TreeNode, is_empty_leaf, parse_node
from minisql.storage.row_cache import row_cache
from minisql.storage.savepoint import Savepoint
from minisql.storage.vfs import EXCLUSIVE, RESERVED, SHARED, UNLOCKED, Vfs, VfsFile
from minisql.storage.wal import Wal

DEFAULT_PAGE_SIZE = 4096
MAX_PAGE_COUNT = 0xFFFFFFFE
READ_AHEAD = 65536
RAW_COST = 2
DECODED_COST = 14
"""What a cached page counts against the budget, in page sizes: rows of a few integers take up to 14 times their bytes."""


class Pager:
    """See the module docstring.  `file` is None for a database in memory.

    `originals` is the journal of journal mode MEMORY: pages of the file before this transaction overwrote them.
    `roots` are pages known to be roots: only these may be leaves without cells.
    The b-tree, which knows cells and codecs, sets `on_reset` (nodes were replaced under it), `compact`
    (auto-vacuum before a commit), `open_cells` (cut the cells of
    a leaf that is about to lose its image) and `encode_cells` (encode the cells of a leaf that are still rows only).
    """

    __slots__ = (
        "auto_checkpoint",
        "auto_vacuum_mode",
        "busy_handler",
        "cache_size",
        "clock",
        "compact",
        "cost",
        "data_version",
        "dirty",
        "encode_cells",
        "epoch",
        "file",
        "has_locks",
        "header",
        "immutable",
        "is_editing",
        "is_empty",
        "is_spilled",
        "journal",
        "journal_mode",
        "journal_size_limit",
        "last_miss",
        "loaded",
        "locking_mode",
        "makes_pages",
        "max_page_count",
        "n_pages",
        "n_readers",
        "on_reset",
        "open_cells",
        "originals",
        "page_size",
        "pages",
        "path",
        "read_ahead",
        "read_ahead_start",
        "read_only",
        "reserved_bytes",
        "roots",
        "savepoints",
        "secure_delete",
        "synchronous",
        "usable",
        "vfs",
        "wal",
    )

    def __init__(self, vfs: Vfs, path: str, file: VfsFile | None, page_size: int) -> None:
        self.cost = 0
        self.vfs = vfs
        self.path = path
        self.file = file
        # Whether nodes will soon be images of pages, so that it pays to measure them exactly.
        self.makes_pages = file is not None
        self.read_only = file.read_only if file is not None else False
        self.immutable = False
        self.has_locks = True
        self.page_size = page_size
        self.reserved_bytes = 0
        self.usable = page_size
        self.header = db_header.new_header(page_size, 0)
        self.is_empty = True
        self.n_pages = 0
        self.max_page_count = MAX_PAGE_COUNT
        self.pages: dict[int, Node] = {}
        self.dirty: dict[int, Node] = {}
        self.clock: list[int] = []
        self.cache_size = -2000
        self.savepoints: list[Savepoint] = []
        self.roots = {1}
        self.epoch = 0
        self.is_editing = False
        self.is_spilled = False
        self.loaded = False
        self.n_readers = 0
        self.data_version = 1
        self.on_reset: Callable[[], None] = lambda: None
        self.compact: Callable[[], None] = lambda: None
        self.open_cells: Callable[[Node], None] = lambda node: None
        self.encode_cells: Callable[[Node], None] = lambda node: None
        self.busy_handler: rollback_journal.BusyHandler | None = None
        self.journal: rollback_journal.Journal | None = None
        self.originals: dict[int, bytes] = {}
        self.journal_mode = "delete" if file is not None else "memory"
        self.journal_size_limit = -1
        self.locking_mode = "normal"
        self.synchronous = 2
        self.secure_delete = 0
        self.read_ahead = b""
        self.read_ahead_start = 0
        self.last_miss = 0
        self.auto_vacuum_mode = 0
        self.wal: Wal | None = None
        self.auto_checkpoint = 1000

    # -- reading ---------------------------------------------------------------------------------------------------

    def begin_read(self) -> None:
        """Starts or joins a read transaction; every call is matched by one `end_read`."""
        if self.n_readers == 0 and self.file is not None:
            self._start_read()
        self.n_readers += 1

    def end_read(self) -> None:
        """Leaves the read transaction; the last one drops the SHARED lock unless a write transaction is open."""
        self.n_readers = max(self.n_readers - 1, 0)
        if self.n_readers == 0 and self.file is not None and not self.savepoints:
            self._unlock()
            if row_cache.used > row_cache.limit:
                self.trim()

    def _unlock(self) -> None:
        if self.wal is not None:
            self.wal.end_read()
        elif self.file is not None and self.locking_mode == "normal":
            self.file.unlock(UNLOCKED)

    def _start_read(self) -> None:
        file = self.file
        assert file is not None
        if self.savepoints:
            return
        self._wait_for_lock(SHARED)
        try:
            if self.immutable:
                self._check_for_changes()
                return
            if self.wal is None:
                self._recover(file)
                self._open_wal_if_present()
            if self.wal is None:
                self._check_for_changes()
                if self.header[db_header.READ_VERSION] == 2 and not self.is_empty:
                    wal_mode.open_log(self)
            if self.wal is not None:
                self.begin_wal_read()
        except BaseException:
            self._unlock()
            raise

    def _recover(self, file: VfsFile) -> None:
        """Rolls back a hot journal, with no lock held while it waits for others to go."""
        n_calls = 0
        while not recovery.recover_hot_journal(self):
            file.unlock(UNLOCKED)
            if self.busy_handler is None or not self.busy_handler(n_calls):
                raise sqlite_error(BUSY)
            n_calls += 1
            self._wait_for_lock(SHARED)

    def _wait_for_lock(self, level: int) -> None:
        assert self.file is not None
        n_calls = 0
        while not self.file.lock(level):
            if self.busy_handler is None or not self.busy_handler(n_calls):
                raise sqlite_error(BUSY)
            n_calls += 1

    def _check_for_changes(self) -> None:
        """Drops the cache when the change counter (with its neighbours) is not the one that the cache belongs to."""
        file = self.file
        assert file is not None
        mark = file.read(16, db_header.CHANGE_COUNTER)
        if self.loaded and (mark == self.header[24:40] if len(mark) == 16 else self.is_empty and not mark):
            return
        was_loaded = self.loaded
        self.reset()
        if was_loaded:
            self.data_version += 1
        self.load_header()

    def _open_wal_if_present(self) -> None:
        """Opens the write-ahead log when its file is there, whatever the header says."""
        assert self.file is not None
        if not self.vfs.exists(self.path + "-wal"):
            return
        if self.file.size() == 0:
            if not self.read_only:
                self.vfs.delete(self.path + "-wal", False)
            return
        wal_mode.open_log(self)

    def _wait_for_snapshot(self, wal: Wal) -> set[int] | None:
        """Takes a snapshot of the log, waiting while another connection recovers it."""
        n_calls = 0
        while True:
            try:
                return wal.begin_read()
            except Error as error:
                if error.sqlite_errorcode & 0xFF != BUSY or self.busy_handler is None or not self.busy_handler(n_calls):
                    raise
                n_calls += 1

    def begin_wal_read(self) -> None:
        """Takes a snapshot of the log and drops the cached pages that are older."""
        wal = self.wal
        assert wal is not None
        changed = self._wait_for_snapshot(wal)
        if changed is None or not self.loaded:
            was_loaded = self.loaded
            self.reset()
            self.data_version += was_loaded
            self.load_header()
        elif changed:
            for number in changed:
                self.forget(number)
            self.data_version += 1
            self.load_header()
            self.on_reset()

    def reset(self) -> None:
        """Forgets every cached page."""
        self.loaded = False
        self.pages.clear()
        self.dirty.clear()
        self.clock.clear()
        row_cache.used -= self.cost
        self.cost = 0
        self.read_ahead = b""
        self.last_miss = 0
        self.on_reset()

    def load_header(self) -> None:
        """Reads the header of the file, or of its log."""
        file = self.file
        assert file is not None
        size = file.size()
        wal = self.wal
        frame = wal.find_frame(1) if wal is not None else 0
        if size == 0 and not frame:
            self.header = self._empty_header()
            self.is_empty = True
            self.n_pages = 0
            self.loaded = True
            return
        raw = bytearray(wal.read_frame(frame)[:100] if wal is not None and frame else file.read(db_header.HEADER_SIZE, 0))
        raw.extend(bytes(db_header.HEADER_SIZE - len(raw)))  # of a file that was cut
        page_size = db_header.check_header(raw)
        self.set_page_size(page_size, raw[db_header.RESERVED_BYTES])
        self.header = raw
        self.is_empty = False
        if raw[db_header.WRITE_VERSION] > 2:
            self.read_only = True
        in_header = read_u32(raw, db_header.N_PAGES)
        on_disk = (wal.header.n_pages if wal is not None else 0) or -(-size // page_size)
        if in_header == 0 or raw[24:28] != raw[92:96]:
            self.n_pages = on_disk or 1
        elif in_header > on_disk:
            raise sqlite_error(CORRUPT)
        else:
            self.n_pages = in_header
        self.auto_vacuum_mode = self.stored_auto_vacuum()
        self.loaded = True

    def _empty_header(self) -> bytearray:
        """Makes the header of a database without pages; a text encoding that was chosen for it stays."""
        header = db_header.new_header(self.page_size, self.reserved_bytes)
        header[56:60] = self.header[56:60]
        return header

    def stored_auto_vacuum(self) -> int:
        """Reads the auto-vacuum mode out of the header."""
        if not read_u32(self.header, db_header.META + 4 * db_header.META_LARGEST_ROOT):
            return 0
        return 2 if read_u32(self.header, db_header.META + 4 * db_header.META_INCREMENTAL_VACUUM) else 1

    def set_page_size(self, page_size: int, reserved_bytes: int) -> None:
        """Sets the layout, before the first page is made or read."""
        self.page_size = page_size
        self.reserved_bytes = reserved_bytes
        self.usable = page_size - reserved_bytes

    def read_page_bytes(self, number: int) -> bytes:
        """Reads a page as the file has it now; short pages at the end of the file are filled up with zeros."""
        file = self.file
        assert file is not None
        size = self.page_size
        if self.wal is not None:
            frame = self.wal.find_frame(number)
            if frame:
                return self.wal.read_frame(frame)
        start = self.read_ahead_start
        if start <= number < start + len(self.read_ahead) // size:
            at = (number - start) * size
            return self.read_ahead[at : at + size]
        if number == self.last_miss + 1 and not self.is_spilled and size < READ_AHEAD:
            self.read_ahead = file.read(READ_AHEAD, (number - 1) * size)
            self.read_ahead_start = number
            self.last_miss = number + len(self.read_ahead) // size - 1
            if len(self.read_ahead) >= size:
                return self.read_ahead[:size]
        self.last_miss = number
        data = file.read(size, (number - 1) * size)
        return data.ljust(size, b"\0")

    def tree_page(self, number: int) -> TreeNode:
        """Returns a b-tree node; raises SQLITE_CORRUPT for a page that is none."""
        node = self.pages.get(number)
        if node is not None and node.__class__ is not RawPage:
            node.used = True
            return node  # type: ignore[return-value]
        return self._load_tree_page(number, node)

    def _load_tree_page(self, number: int, cached: Node | None) -> TreeNode:
        if number < 1 or number > self.n_pages:
            if number == 1 and self.n_pages == 0:
                return TableLeaf(1)
            raise corrupt(number, f"page number out of range 1 to {self.n_pages}")
        data = cached.data if cached is not None else self.read_page_bytes(number) if self.file is not None else None
        if data is None:
            raise corrupt(number, "page does not exist")
        try:
            node = parse_node(number, data, self.usable)
        except IndexError as error:
            raise corrupt(number, "b-tree page header is wrong") from error
        if number not in self.roots and is_empty_leaf(node):
            raise corrupt(number, "leaf without cells")
        if cached is None:
            self.add(node)
            return node  # type: ignore[return-value]
        node.epoch = cached.epoch
        is_dirty = number in self.dirty
        self.forget(number)
        self.add(node)
        if is_dirty:
            self.dirty[number] = node
        return node  # type: ignore[return-value]

    def raw_page(self, number: int) -> RawPage:
        """Returns a page as bytes; raises SQLITE_CORRUPT when it is in use as a b-tree page."""
        node = self.pages.get(number)
        if node.__class__ is RawPage:
            return node
        if number < 1 or number > self.n_pages:
            raise corrupt(number, f"page number out of range 1 to {self.n_pages}")
        if node is not None or self.file is None:
            raise corrupt(number, "page is used twice")
        page = RawPage(number, self.read_page_bytes(number))
        self.add(page)
        return page

    def overflow_page(self, number: int) -> RawPage:
        """Returns a page of an overflow chain; unlike others it is not filled up with zeros where the file ends within it."""
        wal = self.wal
        if self.file is not None and number not in self.pages and (number == self.n_pages or wal is not None):
            if (wal is None or not wal.find_frame(number)) and self.file.size() < number * self.page_size:
                raise sqlite_error(IOERR_SHORT_READ)
        return self.raw_page(number)

    # -- cache -----------------------------------------------------------------------------------------------------

    def add(self, node: Node) -> None:
        """Puts a node into the cache."""
        self.pages[node.number] = node
        if self.file is not None:
            cost = self.page_size * (RAW_COST if node.__class__ is RawPage else DECODED_COST)
            self.cost += cost
            row_cache.used += cost

    def forget(self, number: int) -> None:
        """Takes a page out of the cache."""
        node = self.pages.pop(number, None)
        if node is not None and self.file is not None:
            cost = self.page_size * (RAW_COST if node.__class__ is RawPage else DECODED_COST)
            self.cost -= cost
            row_cache.used -= cost
        self.dirty.pop(number, None)

    def trim(self) -> None:
        """Drops clean pages, least recently used first (second chance), until the row cache fits its budget.

        Called between operations only, when no one holds a node across an edit.
        """
        if self.file is None:
            return
        target = row_cache.limit * 9 // 10
        pages, dirty = self.pages, self.dirty
        for _ in range(3):
            clock = self.clock or list(pages)
            for position, number in enumerate(clock):
                if row_cache.used <= target or len(pages) <= 16:
                    self.clock = clock[position:]
                    return
                node = pages.get(number)
                if node is None or number in dirty:
                    continue
                if node.used:
                    node.used = False
                else:
                    self.forget(number)
            self.clock = []

    def is_over_budget(self) -> bool:
        """Tells whether the caller should `trim`."""
        return row_cache.used > row_cache.limit

    def max_dirty_pages(self) -> int:
        """Returns how many changed pages may wait for commit in memory (`cache_size`)."""
        size = self.cache_size
        return max(size if size > 0 else -size * 1024 // self.page_size, 10)

    # -- transactions ----------------------------------------------------------------------------------------------

    def begin_write(self, exclusive: bool = False) -> None:
        """Starts the write transaction, within a read transaction; raises SQLITE_BUSY or SQLITE_READONLY."""
        if self.savepoints:
            if exclusive and self.file is not None and self.wal is None:
                self._wait_for_lock(EXCLUSIVE)
            return
        if self.read_only or self.immutable:
            raise sqlite_error(READONLY)
        if self.wal is not None:
            wal_mode.begin_write(self, self.wal)
        elif self.file is not None:
            self._lock_for_writing(self.file, exclusive)
        self.epoch += 1
        self.is_editing = False
        self.savepoints.append(Savepoint(bytes(self.header), self.n_pages))
        if self.n_pages == 0:
            self._make_first_page()

    def begin_at_once(self, reads: bool) -> None:
        """What `begin_write`, and `begin_read` before it if asked for, come to in memory when there is a first page."""
        self.n_readers += reads
        self.epoch += 1
        self.is_editing = False
        self.savepoints.append(Savepoint(bytes(self.header), self.n_pages))

    def _lock_for_writing(self, file: VfsFile, exclusive: bool) -> None:
        """Takes RESERVED (and EXCLUSIVE).

        While it waits it holds no lock at all: the writer in the way may be waiting for our SHARED lock to go.  Within a
        longer read transaction it does not wait, as SQLite does not.
        """
        n_calls = 0
        while not (file.lock(RESERVED) and (not exclusive or file.lock(EXCLUSIVE))):
            file.unlock(SHARED)
            if self.n_readers > 1 or self.busy_handler is None:
                raise sqlite_error(BUSY)
            if self.locking_mode == "normal":
                file.unlock(UNLOCKED)
            is_waiting = self.busy_handler(n_calls)
            n_calls += 1
            cookie = self.header[40:44]
            self._start_read()
            if not is_waiting:
                raise sqlite_error(BUSY)
            if self.header[40:44] != cookie:
                raise sqlite_error(SCHEMA)
        if not self.is_empty and file.has_moved():
            file.unlock(SHARED)
            raise sqlite_error(READONLY_DBMOVED)

    def _make_first_page(self) -> None:
        self.header = self._empty_header()
        if self.auto_vacuum_mode:
            write_u32(self.header, db_header.META + 4 * db_header.META_LARGEST_ROOT, 1)
            if self.auto_vacuum_mode == 2:
                write_u32(self.header, db_header.META + 4 * db_header.META_INCREMENTAL_VACUUM, 1)
        self.n_pages = 1
        self.is_empty = False
        leaf = TableLeaf(1)
        leaf.epoch = self.epoch
        self.savepoints[-1].saved[1] = None
        self.add(leaf)
        if self.file is not None:
            self.dirty[1] = leaf

    def prepare(self, node: Node) -> None:
        """Makes a node ready for edits in the current savepoint; call when `node.epoch != epoch`."""
        if not self.savepoints:
            raise sqlite_error(READONLY)
        saved = self.savepoints[-1].saved
        number = node.number
        if number not in saved:
            saved[number] = node, node.snapshot()
        elif node.__class__ is not RawPage:
            if node.leased:  # type: ignore[union-attr]
                node.own()  # type: ignore[union-attr]
            node.data = None
        node.epoch = self.epoch
        if self.file is not None:
            self.dirty[number] = node

    def open_savepoint(self) -> int:
        """Opens a nested savepoint in the write transaction and returns its depth, 1 for the first."""
        assert self.savepoints
        self.check_health()
        self.savepoints.append(Savepoint(bytes(self.header), self.n_pages))
        self.epoch += 1
        return len(self.savepoints) - 1

    def release_savepoint(self, depth: int) -> None:
        """Keeps the changes of savepoints `depth` and deeper, as part of the one around them."""
        self.check_health()
        while len(self.savepoints) > depth:
            inner = self.savepoints[-1]
            outer = self.savepoints[-2].saved
            for number, state in inner.saved.items():
                outer.setdefault(number, state)
            self.savepoints[-2].mapped |= inner.mapped
            self.savepoints.pop()
            self.epoch += 1

    def rollback_to_savepoint(self, depth: int) -> None:
        """Undoes every change since savepoint `depth` was opened and leaves it open."""
        self.is_editing = True
        while True:
            savepoint = self.savepoints[-1]
            self._restore(savepoint)
            if len(self.savepoints) - 1 <= depth:
                break
            self.savepoints.pop()
        self.epoch += 1
        self.is_editing = False
        self.on_reset()

    def _restore(self, savepoint: Savepoint) -> None:
        is_outermost = len(self.savepoints) == 1
        for number, old in savepoint.saved.items():
            if old is None:
                self.forget(number)
                continue
            node, state = old
            if self.pages.get(number) is not node:
                self.forget(number)
                self.add(node)
            node.restore(state)
            node.epoch = -1
            if self.file is not None:
                if is_outermost and not self.is_spilled:
                    self.dirty.pop(number, None)
                else:
                    self.dirty[number] = node
        mapped = savepoint.mapped - savepoint.saved.keys()
        savepoint.mapped = set()
        savepoint.saved = {}
        self.header = bytearray(savepoint.header)
        self.n_pages = savepoint.n_pages
        if not is_outermost:
            for number in mapped:
                self.dirty[number] = self.tree_page(number)
        self.is_empty = self.n_pages == 0

    def check_health(self) -> None:
        """Undoes the transaction when an exception has left an edit half done."""
        if self.is_editing:
            self.rollback()
            raise sqlite_error(ABORT_ROLLBACK)

    def rollback(self) -> None:
        """Undoes the write transaction and drops its locks."""
        if not self.savepoints:
            return
        self.is_editing = True
        if self.file is None:
            while self.savepoints:
                self._restore(self.savepoints[-1])
                self.savepoints.pop()
        elif self.is_spilled or self.journal is not None:
            recovery.roll_back_file(self)
        else:
            while self.savepoints:
                self._restore(self.savepoints[-1])
                self.savepoints.pop()
            self.dirty.clear()
        self.is_editing = False
        self._finish_transaction()
        self.on_reset()

    def abandon(self) -> None:
        """Undoes everything and drops every lock: after an exception that can strike anywhere no flag is believed."""
        self.n_readers = 0
        if self.file is None:
            self.rollback()
        else:
            recovery.abandon_file(self, self.file)

    def _finish_transaction(self) -> None:
        self.epoch += 1
        self.is_spilled = False
        self.is_editing = False
        self.originals.clear()
        if self.wal is not None:
            self.wal.end_write()
            if not self.n_readers:
                self.wal.end_read()
        elif self.file is not None and self.locking_mode == "normal":
            self.file.unlock(SHARED if self.n_readers else UNLOCKED)

    def commit(self) -> None:
        """Makes the write transaction durable; on SQLITE_BUSY it stays open and can be tried again."""
        if self.file is None and not self.auto_vacuum_mode and not self.is_editing:
            self.savepoints.clear()
            self.epoch += 1
            return
        self.commit_phase_one()
        self.commit_phase_two()

    def commit_phase_one(self, super_journal: str = "") -> None:
        """Writes journal and database so that only making the journal cold remains.

        With a super-journal every file of a commit over several files goes through this first.
        """
        if not self.savepoints:
            return
        self.check_health()
        if self.file is None:
            if self.auto_vacuum_mode == 1:
                self.compact()
            return
        if len(self.savepoints) > 1:
            self.release_savepoint(1)
        if not self.dirty and not self.is_spilled and bytes(self.header) == self.savepoints[0].header:
            return
        if self.auto_vacuum_mode == 1:
            self.compact()
        if self.wal is not None:
            self.is_spilled = True  # frames that were published stay, whatever fails after that
            commit.commit_to_wal(self, self.wal)
            return
        commit.count_change(self)
        images = commit.dirty_images(self)
        commit.write_journal(self, list(images), super_journal)
        self._wait_for_lock(EXCLUSIVE)
        self.is_spilled = True  # from here on only the journal can undo
        commit.write_images(self, images)
        commit.fix_file_size(self)
        if self.synchronous:
            self.file.sync()

    def spill(self) -> None:
        """Writes all changed pages to the file within the transaction, journal first; they become clean.

        Called between operations when more pages are changed than the cache may hold.
        """
        if self.file is None or not self.dirty:
            return
        images = commit.dirty_images(self)
        if self.wal is not None:
            self.is_spilled = True
            self.wal.write_frames(images.items(), 0, self.synchronous)
        else:
            commit.write_journal(self, list(images), "")
            self._wait_for_lock(EXCLUSIVE)
            self.is_spilled = True
            commit.write_images(self, images)
        if self.auto_vacuum_mode and len(self.savepoints) > 1:
            self.savepoints[-1].mapped.update(
                [number for number, node in self.dirty.items() if node.__class__ is not RawPage]
            )
        self.dirty.clear()
        self.epoch += 1

    def commit_phase_two(self, has_happened: bool = False) -> None:
        """Makes the journal cold: from here on the transaction has happened, if it has not before by a super-journal."""
        if not self.savepoints:
            return
        if self.journal is not None:
            journal, mode = self.journal, self.journal_mode
            try:
                journal.finish(mode, self.synchronous, self.journal_size_limit)
            except Error:
                if not has_happened:
                    raise
                journal.file.close()
            self.journal = None
        self.savepoints.clear()
        self.dirty.clear()
        self._finish_transaction()
        wal = self.wal
        if wal is not None and self.auto_checkpoint and wal.header.max_frame >= self.auto_checkpoint:
            wal_mode.checkpoint_quietly(self, wal)

    # -- pages -----------------------------------------------------------------------------------------------------

    def new_page_number(self) -> int:
        """Appends a page to the file; raises SQLITE_FULL at `max_page_count`."""
        number = self.n_pages + 1
        lock_page = PENDING_BYTE // self.page_size + 1
        maps: list[int] = []
        while number == lock_page or (
            self.auto_vacuum_mode and pointer_map.is_pointer_map_page(self.page_size, self.usable, number)
        ):
            if number != lock_page:
                maps.append(number)
            number += 1
        if number > self.max_page_count:
            raise sqlite_error(FULL)
        self.n_pages = number
        for map_page in maps:
            self.install(RawPage(map_page, bytes(self.page_size)))
        return number

    def install(self, node: Node) -> None:
        """Puts a freshly made node in place of whatever the page was."""
        number = node.number
        saved = self.savepoints[-1].saved
        old = self.pages.get(number)
        if number not in saved:
            saved[number] = (old, old.snapshot()) if old is not None else None
        self.forget(number)
        self.add(node)
        node.epoch = self.epoch
        if self.file is not None:
            self.dirty[number] = node

    def set_header_u32(self, at: int, value: int) -> None:
        """Changes a header field within the write transaction."""
        assert self.savepoints
        write_u32(self.header, at, value)

    def __del__(self) -> None:
        """Gives the pages of a database that nobody closed back to the budget of the process."""
        row_cache.used -= self.cost

    def close(self) -> None:
        """Rolls back what is open and closes the file; that and its locks go even when the rollback fails."""
        try:
            if self.savepoints:
                self.rollback()
        finally:
            try:
                if self.wal is not None:
                    wal_mode.close(self, self.wal)
            finally:
                if self.file is not None:
                    self.file.close()
                self.reset()
