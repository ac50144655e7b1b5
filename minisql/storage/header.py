"""The 100-byte header of a database file.

Comes in: the first 100 bytes of page 1.  Goes out: a `bytearray` in the same layout that the pager keeps and changes in
place, since every field has a fixed offset; this module names the offsets and judges whether a header can be used.

Source: https://www.sqlite.org/fileformat2.html#the_database_header.
"""

from __future__ import annotations

from minisql.storage.corruption import not_a_database

MAGIC = b"SQLite format 3\x00"
HEADER_SIZE = 100
SQLITE_VERSION_NUMBER = 3054001

PAGE_SIZE = 16
WRITE_VERSION = 18
READ_VERSION = 19
RESERVED_BYTES = 20
CHANGE_COUNTER = 24
N_PAGES = 28
FREELIST_TRUNK = 32
FREELIST_COUNT = 36
META = 36
"""Meta value `i` (1 to 15) is the 4-byte integer at META + 4 * i."""
VERSION_VALID_FOR = 92
VERSION_NUMBER = 96

META_SCHEMA_COOKIE = 1
META_FILE_FORMAT = 2
META_DEFAULT_CACHE_SIZE = 3
META_LARGEST_ROOT = 4
META_ENCODING = 5
META_USER_VERSION = 6
META_INCREMENTAL_VACUUM = 7
META_APPLICATION_ID = 8

ENCODINGS = ("utf-8", "utf-8", "utf-16le", "utf-16be")
"""Text encodings by the number in meta 5; 0 is a database in which nothing was created yet."""
ENCODING_NUMBERS = {"utf-8": 1, "utf-16le": 2, "utf-16be": 3}


def read_u32(data: bytes | bytearray, at: int) -> int:
    """Reads a big-endian unsigned 32-bit integer."""
    return int.from_bytes(data[at : at + 4], "big")


def write_u32(data: bytearray, at: int, value: int) -> None:
    """Writes a big-endian 32-bit integer, negative ones as two's complement."""
    data[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "big")


def new_header(page_size: int, reserved_bytes: int) -> bytearray:
    """Makes the header of an empty database that was never written."""
    header = bytearray(HEADER_SIZE)
    header[0:16] = MAGIC
    header[PAGE_SIZE : PAGE_SIZE + 2] = (1 if page_size == 65536 else page_size).to_bytes(2, "big")
    header[WRITE_VERSION] = header[READ_VERSION] = 1
    header[RESERVED_BYTES] = reserved_bytes
    header[21:24] = b"\x40\x20\x20"
    return header


def page_size_of(header: bytes | bytearray) -> int:
    """Reads the page size, 512 to 65536 (stored as 1), or 0 when the field holds no valid size."""
    size = header[PAGE_SIZE] << 8 | header[PAGE_SIZE + 1]
    if size == 1:
        return 65536
    return size if 512 <= size <= 32768 and size & (size - 1) == 0 else 0


def check_header(header: bytes | bytearray) -> int:
    """Returns the page size of a usable header, else raises SQLITE_NOTADB.

    A write version above 2 makes the database read-only, which is the caller's business.
    """
    if bytes(header[0:16]) != MAGIC:
        raise not_a_database("wrong magic string")
    if header[READ_VERSION] > 2:
        raise not_a_database("file format read version is too new")
    if bytes(header[21:24]) != b"\x40\x20\x20":
        raise not_a_database("payload fractions are not 64, 32, 32")
    page_size = page_size_of(header)
    if not page_size:
        raise not_a_database("invalid page size")
    if page_size - header[RESERVED_BYTES] < 480:
        raise not_a_database("usable size is below 480")
    return page_size
