"""Whole databases as bytes: serialize, deserialize, backup.

A page image is what the page would be if the transaction committed now, so that a database in memory, which never has
page bytes of its own, can be copied to a file, and the other way round.

Source: https://www.sqlite.org/c3ref/serialize.html, https://www.sqlite.org/backup.html.
"""

from __future__ import annotations

from minisql.errors import CORRUPT, NOTADB, sqlite_error
from minisql.storage import commit
from minisql.storage import header as db_header
from minisql.storage.btree import BtreeFile
from minisql.storage.header import read_u32, write_u32
from minisql.storage.node import RawPage
from minisql.storage.pager import Pager
from minisql.storage.pointer_map import update_maps
from minisql.storage.vfs import EXCLUSIVE, OsVfs, Vfs


def page_image(file: BtreeFile, number: int) -> bytes:
    """Returns the bytes of a page in the current state of the transaction."""
    pager = file.pager
    node = pager.pages.get(number)
    if node is None:
        if pager.file is None or number > pager.n_pages:
            return bytes(pager.page_size)
        data = pager.read_page_bytes(number)
    elif node.data:
        data = node.data
    else:
        pager.encode_cells(node)
        header = bytes(pager.header) if number == 1 else b""
        data = node.image(pager.usable, pager.page_size, header)
        node.data = None  # the transaction may go on to change the node
    if number == 1:
        data = bytes(pager.header) + data[100:]
    return data


def serialize(file: BtreeFile) -> bytes:
    """Returns the database as the bytes of its file; call within a read transaction."""
    pager = file.pager
    if not pager.n_pages:
        return b""
    prepare_image(file)
    return b"".join(page_image(file, number) for number in range(1, pager.n_pages + 1))


def prepare_image(file: BtreeFile) -> None:
    """Brings up to date what pages only get when they are written: pointer maps and, in memory, the header's counters.

    Call before a run of `page_image`.
    """
    pager = file.pager
    if pager.auto_vacuum_mode and pager.n_pages and not pager.read_only:
        if pager.savepoints:
            update_maps(pager)
        elif pager.file is None:
            pager.begin_write()
            update_maps(pager)
            pager.commit_phase_two()
    if pager.file is None:
        write_u32(pager.header, db_header.N_PAGES, pager.n_pages)
        write_u32(pager.header, db_header.VERSION_NUMBER, db_header.SQLITE_VERSION_NUMBER)
        pager.header[92:96] = pager.header[24:28]


def deserialize(image: bytes, vfs: Vfs | None = None, read_only: bool = False) -> BtreeFile:
    """Makes a database in memory from the bytes of a database file.

    Raises SQLITE_NOTADB for anything else; damage below the header shows when it is reached.
    """
    pager = Pager(vfs or OsVfs(), "", None, 4096)
    file = BtreeFile(pager, "")
    load_image(file, image)
    pager.read_only = read_only
    return file


def load_image(file: BtreeFile, image: bytes) -> None:
    """Replaces the content of a database in memory by an image."""
    pager = file.pager
    pager.reset()
    if not image:
        pager.n_pages = 0
        pager.is_empty = True
        return
    if len(image) < db_header.HEADER_SIZE:
        raise sqlite_error(NOTADB)
    header = bytearray(image[:100])
    page_size = db_header.check_header(header)
    pager.set_page_size(page_size, header[db_header.RESERVED_BYTES])
    pager.header = header
    n_pages = read_u32(header, db_header.N_PAGES)
    if n_pages == 0 or header[24:28] != header[92:96]:
        n_pages = len(image) // page_size
    if n_pages > (len(image) + page_size - 1) // page_size:
        raise sqlite_error(CORRUPT)
    pager.n_pages = n_pages
    pager.is_empty = False
    pager.auto_vacuum_mode = pager.stored_auto_vacuum()
    for number in range(1, n_pages + 1):
        data = image[(number - 1) * page_size : number * page_size]
        pager.pages[number] = RawPage(number, bytes(data).ljust(page_size, b"\0"))


def write_image_page(file: BtreeFile, number: int, data: bytes) -> None:
    """Replaces one page within a write transaction, as the backup API does; page 1 brings its header along."""
    pager = file.pager
    if number == 1 and pager.wal is not None:
        # A database with a log stays in WAL mode, whatever the image says.
        data = data[:18] + b"\x02\x02" + data[20:]
    if number > pager.n_pages:
        pager.n_pages = number
    old = pager.pages.get(number)
    if old is not None:
        pager.open_cells(old)
    elif pager.file is not None and number <= pager.savepoints[0].n_pages:
        pager.raw_page(number)
    pager.install(RawPage(number, data))
    if number == 1:
        pager.header = bytearray(data[:100])
    pager.on_reset()


def set_page_count(file: BtreeFile, n_pages: int) -> None:
    """Cuts or extends the database within a write transaction, at the end of a backup."""
    pager = file.pager
    for number in [number for number in pager.pages if number > n_pages]:
        node = pager.pages[number]
        pager.open_cells(node)
        pager.prepare(node)
        pager.forget(number)
    pager.n_pages = n_pages


def replace_file(file: BtreeFile, image: bytes) -> None:
    """Replaces the whole file by an image, perhaps with another page size, and commits; within a write transaction.

    Every page of the old file goes to the journal first, so a crash or an error gives the old file back.  Not for WAL mode,
    where the page size is fixed.
    """
    pager = file.pager
    assert pager.file is not None and pager.savepoints and pager.wal is None
    counter = (read_u32(pager.savepoints[0].header, db_header.CHANGE_COUNTER) + 1) & 0xFFFFFFFF
    head = bytearray(image[: db_header.HEADER_SIZE])
    write_u32(head, db_header.CHANGE_COUNTER, counter)
    write_u32(head, db_header.VERSION_VALID_FOR, counter)
    commit.write_journal(pager, list(range(1, pager.savepoints[0].n_pages + 1)), "")
    pager._wait_for_lock(EXCLUSIVE)
    pager.is_spilled = True  # from here on a rollback plays the journal back
    pager.file.write(bytes(head) + image[db_header.HEADER_SIZE :], 0)
    pager.file.truncate(len(image))
    if pager.synchronous:
        pager.file.sync()
    pager.commit_phase_two()
    pager.reset()
    pager.load_header()
    file.trees.clear()
