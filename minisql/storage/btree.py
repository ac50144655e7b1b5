"""A database file as one connection sees it: transactions, header values, trees and cursors.

This is the face of the storage room; everything else in it is reached through a `BtreeFile`.  `:memory:` and temporary
databases are the same without a file.

Source: https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

from minisql.errors import READONLY, sqlite_error
from minisql.storage import auto_vacuum, wal_mode
from minisql.storage import header as db_header
from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page, free_page
from minisql.storage.header import ENCODING_NUMBERS, ENCODINGS, META, read_u32, write_u32
from minisql.storage.index_cursor import IndexCursor
from minisql.storage.index_key import KeyOrder
from minisql.storage.index_tree import IndexTree, cut_index_cells, encode_index_cells
from minisql.storage.journal import BusyHandler
from minisql.storage.locking import NoLock
from minisql.storage.node import IndexInterior, IndexLeaf, Node, RawPage, TableInterior, TableLeaf
from minisql.storage.pager import DEFAULT_PAGE_SIZE, Pager
from minisql.storage.pointer_map import ROOT, put_entry
from minisql.storage.record import RecordCodec
from minisql.storage.row_changer import RowChanger
from minisql.storage.table_cursor import TableCursor
from minisql.storage.table_tree import TableTree, cut_leaf_cells, encode_leaf_cells
from minisql.storage.vfs import OsVfs, Vfs
from minisql.values.shape import KeyShape, RowShape

JOURNAL_MODES = ("delete", "truncate", "persist", "memory", "off")


class BtreeFile:
    """One database of one connection.

    Protocol: `begin_read` ... `end_read` around every statement; `begin_write` within, then `commit` or `rollback`.
    Cursors are for one statement; they may outlive edits, not transactions.
    """

    __slots__ = ("_codecs", "pager", "path", "trees")

    def __init__(self, pager: Pager, path: str) -> None:
        self.pager = pager
        self.path = path
        self.trees: dict[int, TableTree | IndexTree] = {}
        self._codecs: dict[object, RecordCodec | KeyOrder] = {}
        pager.on_reset = self._forget_positions
        pager.compact = self._compact
        pager.open_cells = self._open_cells
        pager.encode_cells = self._encode_cells

    @staticmethod
    def open(
        path: str | None,
        vfs: Vfs | None = None,
        *,
        read_only: bool = False,
        create: bool = True,
        immutable: bool = False,
        nolock: bool = False,
        page_size: int = DEFAULT_PAGE_SIZE,
        cache_size: int = -2000,
    ) -> BtreeFile:
        """Opens a database; None, '' and ':memory:' make one in memory.

        The file is created when it is missing and `create` is set; its content is read by the first `begin_read`.
        Raises SQLITE_CANTOPEN.
        """
        if vfs is None:
            vfs = OsVfs()
        if path is None or path in ("", ":memory:"):
            pager = Pager(vfs, "", None, page_size)
        else:
            full_path = vfs.full_path(path)
            file = vfs.open(full_path, create=create, read_only=read_only or immutable, lock=not (nolock or immutable))
            pager = Pager(vfs, full_path, file, page_size)
            pager.immutable = immutable
            pager.has_locks = not nolock
            pager.read_only = read_only or immutable or file.read_only
        pager.cache_size = cache_size
        return BtreeFile(pager, pager.path)

    def close(self) -> None:
        """Rolls back what is open and closes the file."""
        self.trees.clear()
        self.pager.close()

    # -- transactions ----------------------------------------------------------------------------------------------

    def begin_read(self) -> None:
        """Starts or joins a read transaction: SHARED lock, hot journals, stale cache.  Nests; ends by `end_read`."""
        pager = self.pager
        if pager.n_readers == 0 and pager.file is not None:
            pager._start_read()
        pager.n_readers += 1

    def end_read(self) -> None:
        """Leaves a read transaction."""
        self.pager.end_read()

    def begin_write(self, exclusive: bool = False) -> None:
        """Starts the write transaction (RESERVED, or EXCLUSIVE) inside a read transaction; no-op when it is open.

        With one `begin_read` open, nothing can depend on what was read: then a lock in the way is waited for, without
        holding any, and SQLITE_SCHEMA says that the schema has changed meanwhile.  With more, SQLITE_BUSY comes at once.
        """
        self.pager.begin_write(exclusive)

    def commit(self) -> None:
        """Commits the write transaction; SQLITE_BUSY leaves it open."""
        self.pager.commit()

    def commit_phase_one(self, super_journal: str = "") -> None:
        """Does all of a commit but the last step; for commits over several files."""
        self.pager.commit_phase_one(super_journal)

    def commit_phase_two(self, has_happened: bool = False) -> None:
        """Does the last step of a commit: the journal becomes cold.

        `has_happened` tells that the super-journal is gone, so that the journal is cold already and failing to end it is no
        failure of the commit.
        """
        self.pager.commit_phase_two(has_happened)

    def rollback(self) -> None:
        """Undoes the write transaction; no-op without one."""
        self.pager.rollback()

    def abandon(self) -> None:
        """Undoes everything and drops every lock, whatever an exception has left half done."""
        self.pager.abandon()

    def open_savepoint(self) -> int:
        """Opens a savepoint within the write transaction and returns its depth (1 for the outermost)."""
        return self.pager.open_savepoint()

    def release_savepoint(self, depth: int) -> None:
        """Merges savepoint `depth` and deeper ones into the one around them."""
        self.pager.release_savepoint(depth)

    def rollback_to_savepoint(self, depth: int) -> None:
        """Undoes what happened since savepoint `depth` was opened; it stays open."""
        self.pager.rollback_to_savepoint(depth)

    @property
    def in_transaction(self) -> bool:
        """Whether a write transaction is open."""
        return bool(self.pager.savepoints)

    @property
    def savepoint_depth(self) -> int:
        """The number of open savepoints, without the transaction itself."""
        return max(len(self.pager.savepoints) - 1, 0)

    # -- header ----------------------------------------------------------------------------------------------------

    @property
    def page_size(self) -> int:
        """Bytes in a page."""
        return self.pager.page_size

    def stored_page_size(self) -> int:
        """The page size that the file's header tells, without a lock; the one chosen so far when there is no header yet."""
        pager = self.pager
        if pager.file is None or pager.loaded:
            return pager.page_size
        return db_header.page_size_of(pager.file.read(db_header.HEADER_SIZE, 0).ljust(20, b"\0")) or pager.page_size

    @property
    def reserved_bytes(self) -> int:
        """Bytes at the end of each page that are not used."""
        return self.pager.reserved_bytes

    def set_page_size(self, page_size: int, reserved_bytes: int | None = None) -> bool:
        """Sets the layout of a database in which nothing was written yet; False (and no change) otherwise."""
        pager = self.pager
        if not pager.is_empty or pager.n_pages or pager.savepoints:
            return False
        if not (512 <= page_size <= 65536) or page_size & (page_size - 1):
            return False
        pager.set_page_size(page_size, pager.reserved_bytes if reserved_bytes is None else reserved_bytes)
        pager.header = db_header.new_header(page_size, pager.reserved_bytes)
        return True

    @property
    def encoding(self) -> str:
        """The text encoding: 'utf-8', 'utf-16le' or 'utf-16be'."""
        return ENCODINGS[read_u32(self.pager.header, META + 4 * db_header.META_ENCODING) & 3]

    @encoding.setter
    def encoding(self, encoding: str) -> None:
        write_u32(self.pager.header, META + 4 * db_header.META_ENCODING, ENCODING_NUMBERS[encoding])
        self._codecs.clear()
        for tree in self.trees.values():
            tree.shape = None

    @property
    def auto_vacuum(self) -> int:
        """0 NONE, 1 FULL, 2 INCREMENTAL."""
        return self.pager.auto_vacuum_mode

    @property
    def n_pages(self) -> int:
        """Pages in the database, 0 when nothing was written yet."""
        return self.pager.n_pages

    @property
    def freelist_count(self) -> int:
        """Pages on the freelist."""
        return read_u32(self.pager.header, db_header.FREELIST_COUNT)

    @property
    def read_stamp(self) -> tuple[int, int] | None:
        """Two equal stamps: the same content.  None while this connection writes."""
        pager = self.pager
        return None if pager.savepoints else (pager.data_version, pager.epoch)

    @property
    def data_version(self) -> int:
        """Moves when another connection has changed the file (`PRAGMA data_version`)."""
        return self.pager.data_version

    @property
    def read_only(self) -> bool:
        """Whether the database cannot be written."""
        return self.pager.read_only

    @property
    def cache_size(self) -> int:
        """`PRAGMA cache_size`: pages, or KiB when negative."""
        return self.pager.cache_size

    @cache_size.setter
    def cache_size(self, size: int) -> None:
        self.pager.cache_size = size

    @property
    def journal_mode(self) -> str:
        """'delete', 'truncate', 'persist', 'memory', 'off' or 'wal' (known after the first read)."""
        return "wal" if self.pager.wal is not None else self.pager.journal_mode

    def checkpoint(self, mode: str = "passive") -> tuple[int, int, int]:
        """Moves frames of the log into the database; (busy, frames in the log, frames copied), -1 without a log."""
        return wal_mode.checkpoint(self.pager, mode)

    def set_journal_mode(self, mode: str) -> str:
        """Changes the journal mode outside a transaction and returns the one in force."""
        pager = self.pager
        if pager.file is not None and not pager.n_readers and not pager.savepoints:
            pager.begin_read()  # only the file knows whether it is in WAL mode
            pager.end_read()
        if mode == "wal":
            wal_mode.enter(pager)
        elif mode in JOURNAL_MODES and not pager.savepoints:
            if pager.wal is not None:
                wal_mode.leave(pager)
            if pager.file is None:
                pager.journal_mode = mode if mode in ("memory", "off") else pager.journal_mode
            else:
                if pager.journal_mode in ("truncate", "persist") and mode == "delete" and not pager.read_only:
                    pager.vfs.delete(pager.path + "-journal", False)
                pager.journal_mode = mode
        return self.journal_mode

    def set_busy_handler(self, handler: BusyHandler | None) -> None:
        """Sets what is asked, with the number of earlier calls, whether to try a lock again."""
        self.pager.busy_handler = handler

    def get_meta(self, index: int) -> int:
        """Reads header integer 1 to 15 (1 is the schema cookie), unsigned."""
        return read_u32(self.pager.header, META + 4 * index)

    def set_meta(self, index: int, value: int) -> None:
        """Writes header integer 1 to 15 within the write transaction."""
        if not self.pager.savepoints:
            raise sqlite_error(READONLY)
        write_u32(self.pager.header, META + 4 * index, value)

    # -- trees -----------------------------------------------------------------------------------------------------

    def create_tree(self, is_table: bool) -> int:
        """Creates an empty b-tree and returns its root page."""
        pager = self.pager
        pager.check_health()
        pager.is_editing = True
        number = auto_vacuum.allocate_root(pager) if pager.auto_vacuum_mode else allocate_page(pager)
        pager.install(TableLeaf(number) if is_table else IndexLeaf(number))
        if pager.auto_vacuum_mode:
            put_entry(pager, number, ROOT, 0)
        self.trees.pop(number, None)
        pager.roots.add(number)
        pager.is_editing = False
        return number

    def drop_tree(self, root: int) -> int:
        """Frees a b-tree; returns the former root page of the tree that was moved to `root` (auto-vacuum), or 0."""
        if root == 1:
            raise corrupt(1, "the schema table cannot be dropped")
        self.clear_tree(root)
        pager = self.pager
        pager.is_editing = True
        if pager.auto_vacuum_mode:
            moved = auto_vacuum.free_root(pager, root)
        else:
            free_page(pager, root)
            moved = 0
        for number in (root, moved):
            tree = self.trees.pop(number, None)
            if tree is not None:
                tree.forget_position()
        pager.is_editing = False
        return moved

    def set_auto_vacuum(self, mode: int) -> bool:
        """Sets auto-vacuum: before the first page is made any mode, later only FULL against INCREMENTAL."""
        pager = self.pager
        if pager.n_pages and bool(mode) != bool(pager.auto_vacuum_mode):
            return False
        pager.auto_vacuum_mode = mode
        if pager.n_pages and mode and pager.savepoints:
            write_u32(pager.header, META + 4 * db_header.META_INCREMENTAL_VACUUM, mode - 1)
        return True

    def incremental_vacuum(self, n_pages: int = 0) -> int:
        """Moves pages from the end of the file into free ones and cuts the file by up to `n_pages` (0: all); within a write
        transaction.  Returns the number of pages saved."""
        return auto_vacuum.shrink(self.pager, n_pages) if self.pager.auto_vacuum_mode else 0

    def clear_tree(self, root: int) -> int:
        """Removes all rows or entries of a b-tree; returns how many there were."""
        self.pager.roots.add(root)
        node = self.pager.tree_page(root)
        if isinstance(node, (TableLeaf, TableInterior)):
            return self._table_tree(root).clear()
        return self._index_tree(root).clear()

    def _table_tree(self, root: int) -> TableTree:
        tree = self.trees.get(root)
        if tree.__class__ is not TableTree:
            tree = self.trees[root] = TableTree(self.pager, root)
            self.pager.roots.add(root)
        return tree

    def _index_tree(self, root: int) -> IndexTree:
        tree = self.trees.get(root)
        if tree.__class__ is not IndexTree:
            tree = self.trees[root] = IndexTree(self.pager, root)
            self.pager.roots.add(root)
        return tree

    def table_cursor(self, root: int, shape: RowShape, write: bool = False) -> TableCursor:
        """Opens a cursor on a rowid table."""
        tree = self.trees.get(root)
        if tree.__class__ is not TableTree:
            tree = self._table_tree(root)
        if tree.shape is not shape:
            tree.codec = self._row_codec(tree, shape)
            tree.shape = shape
            tree.met_masks = {}
        return TableCursor(tree, tree.codec)

    def row_changer(self, root: int, shape: RowShape, write: bool = True) -> RowChanger:
        """Opens a cursor that searches single rows by rowid and changes them."""
        tree = self.trees.get(root)
        if tree.__class__ is not TableTree or tree.shape is not shape:
            self.table_cursor(root, shape, write)
            tree = self.trees[root]
        return RowChanger(tree, tree.codec)  # type: ignore[arg-type]

    def index_cursor(self, root: int, shape: KeyShape, write: bool = False) -> IndexCursor:
        """Opens a cursor on an index or a WITHOUT ROWID table."""
        tree = self.trees.get(root)
        if tree.__class__ is not IndexTree:
            tree = self._index_tree(root)
        if tree.shape is not shape:
            tree.codec = self._key_order(tree, shape)
            tree.shape = shape
        return IndexCursor(tree, tree.codec)

    def _row_codec(self, tree: TableTree, shape: RowShape) -> RecordCodec:
        tree.size_factor = 1 if self.encoding == "utf-8" else 2
        if isinstance(tree.shape, RowShape) and tree.shape.same_as(shape):
            return tree.codec
        codec = self._codecs.get(shape)
        if codec.__class__ is not RecordCodec:
            self._bound_codecs()
            codec = self._codecs[shape] = RecordCodec.for_rows(shape, self.encoding, self._is_legacy_format())
        return codec

    def _key_order(self, tree: IndexTree, shape: KeyShape) -> KeyOrder:
        tree.size_factor = 1 if self.encoding == "utf-8" else 2
        order = self._codecs.get(shape)
        if order.__class__ is not KeyOrder:
            self._bound_codecs()
            codec = RecordCodec.for_entries(shape, self.encoding, self._is_legacy_format())
            order = self._codecs[shape] = KeyOrder(shape, codec)
        return order

    def _bound_codecs(self) -> None:
        if len(self._codecs) > 1000:
            self._codecs.clear()

    def _is_legacy_format(self) -> bool:
        return read_u32(self.pager.header, META + 4 * db_header.META_FILE_FORMAT) in (1, 2, 3)

    def estimated_rows(self, root: int) -> int:
        """Estimates the rows or entries of a b-tree cheaply: exact for one leaf, else pages times a mean."""
        self.pager.roots.add(root)
        node = self.pager.tree_page(root)
        if isinstance(node, (TableLeaf, TableInterior)):
            return self._table_tree(root).estimated_rows()
        return self._index_tree(root).estimated_rows()

    # -- what the pager asks for -------------------------------------------------------------------------------------

    def _forget_positions(self) -> None:
        for tree in self.trees.values():
            tree.forget_position()

    def _compact(self) -> None:
        if self.freelist_count:
            auto_vacuum.shrink(self.pager, 0)

    def _open_cells(self, node: Node) -> None:
        if isinstance(node, TableLeaf):
            cut_leaf_cells(self.pager, node)
        elif isinstance(node, IndexLeaf):
            cut_index_cells(self.pager, node)

    def _encode_cells(self, node: Node) -> None:
        if isinstance(node, TableLeaf):
            if node.data is None:
                encode_leaf_cells(self.pager, node)
        elif isinstance(node, (IndexLeaf, IndexInterior)):
            if node.data is None:
                encode_index_cells(self.pager, node)


__all__ = ["BtreeFile", "KeyShape", "NoLock", "RawPage", "RowShape"]
