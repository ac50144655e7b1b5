"""Payloads larger than their page: the cell keeps a first part, a chain of overflow pages the rest.

Each overflow page holds the number of the next one (0 at the end) and up to usable size - 4 bytes.

Source: https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages.
"""

from __future__ import annotations

from minisql.storage.corruption import corrupt
from minisql.storage.freelist import allocate_page, free_page
from minisql.storage.node import RawPage, local_size, max_local
from minisql.storage.pager import Pager
from minisql.storage.pointer_map import NEXT_OVERFLOW, put_entry
from minisql.storage.varint import encode_varint, read_varint


def build_table_cell(pager: Pager, rowid: int, record: bytes) -> bytes:
    """Makes a table leaf's cell; a large record's rest goes to new overflow pages."""
    size = len(record)
    usable = pager.usable
    if size <= usable - 35:
        cell = encode_varint(size) + encode_varint(rowid) + record
        return cell if len(cell) >= 4 else cell.ljust(4, b"\0")
    local = local_size(size, usable, usable - 35)
    first = write_chain(pager, record[local:])
    return encode_varint(size) + encode_varint(rowid) + record[:local] + first.to_bytes(4, "big")


def build_index_cell(pager: Pager, record: bytes) -> bytes:
    """Makes the payload part of an index cell; a large record's rest goes to new overflow pages."""
    size = len(record)
    largest = max_local(pager.usable, False)
    if size <= largest:
        return encode_varint(size) + record
    local = local_size(size, pager.usable, largest)
    first = write_chain(pager, record[local:])
    return encode_varint(size) + record[:local] + first.to_bytes(4, "big")


def write_chain(pager: Pager, content: bytes) -> int:
    """Writes a chain of overflow pages and returns the first one's number."""
    step = pager.usable - 4
    page_size = pager.page_size
    numbers = [allocate_and_install(pager) for _ in range(0, len(content), step)]
    following = numbers[1:] + [0]
    for i, (number, next_number) in enumerate(zip(numbers, following, strict=True)):
        piece = next_number.to_bytes(4, "big") + content[i * step : (i + 1) * step]
        pager.raw_page(number).data = piece.ljust(page_size, b"\0")
        if i and pager.auto_vacuum_mode:
            put_entry(pager, number, NEXT_OVERFLOW, numbers[i - 1])
    return numbers[0]


def allocate_and_install(pager: Pager) -> int:
    """Allocates a page and installs an empty raw page there, so that it cannot be handed out twice."""
    number = allocate_page(pager)
    pager.install(RawPage(number, b""))
    return number


def read_chain(pager: Pager, first: int, size: int) -> bytes:
    """Reads `size` bytes from the chain that starts at page `first`."""
    step = pager.usable - 4
    parts: list[bytes] = []
    number = first
    while size > 0:
        data = pager.overflow_page(number).data
        parts.append(data[4 : 4 + min(step, size)])
        size -= step
        number = int.from_bytes(data[:4], "big")
    return b"".join(parts)


def free_chain(pager: Pager, first: int, size: int) -> None:
    """Frees the pages of a chain that holds `size` bytes."""
    step = pager.usable - 4
    number = first
    while size > 0:
        following = int.from_bytes(pager.raw_page(number).data[:4], "big")
        free_page(pager, number)
        size -= step
        number = following


def join_payload(pager: Pager, data: bytes, at: int, size: int, is_table_leaf: bool) -> bytes:
    """Returns a whole payload of `size` bytes, whose local part starts at `data[at]` and which overflows."""
    local = local_size(size, pager.usable, max_local(pager.usable, is_table_leaf))
    end = at + local
    if size - local > pager.n_pages * pager.usable:
        raise corrupt(0, "payload is larger than the file")
    return data[at:end] + read_chain(pager, int.from_bytes(data[end : end + 4], "big"), size - local)


def overflow_of(cell: bytes, usable: int, is_table_leaf: bool) -> tuple[int, int]:
    """Returns a cell's first overflow page and the number of bytes in the chain, (0, 0) without overflow."""
    size, _ = read_varint(cell, 0)
    largest = max_local(usable, is_table_leaf)
    if size <= largest:
        return 0, 0
    return int.from_bytes(cell[-4:], "big"), size - local_size(size, usable, largest)


def free_cell(pager: Pager, cell: bytes | None, is_table_leaf: bool) -> None:
    """Frees the overflow pages of a cell that is being removed."""
    if cell is not None and (cell[0] >= 0x80 or (not is_table_leaf and cell[0] > 80)):  # 512-byte pages keep 102 bytes
        first, size = overflow_of(cell, pager.usable, is_table_leaf)
        if first:
            free_chain(pager, first, size)
