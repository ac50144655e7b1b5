"""Blob: a file-like view of one blob or text value.

Source: https://docs.python.org/3/library/sqlite3.html#blob-objects.
"""

from __future__ import annotations

import operator
import sys
from _thread import get_ident
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex

from minisql.dbapi.arguments import c_type_name, cannot_pickle, checked_member
from minisql.dbapi.binding import buffer_bytes
from minisql.errors import ProgrammingError

if TYPE_CHECKING:
    from minisql.dbapi.connection import Connection
    from minisql.engine.blob import BlobHandle

_START, _CURRENT, _END = 0, 1, 2


def open_blob(connection: Connection, handle: BlobHandle) -> Blob:
    """The blob of a handle."""
    blob: Blob = object.__new__(Blob)
    blob._connection = connection
    blob._handle = handle
    blob._offset = 0
    return blob


class Blob:
    """An open value with a position; its length never changes."""

    __slots__ = ("__weakref__", "_connection", "_handle", "_offset")

    _connection: Connection
    _handle: BlobHandle | None
    _offset: int

    def __new__(cls, *arguments: object, **keywords: object) -> Blob:
        """Only connections make them."""
        raise TypeError(f"cannot create '{cls.__module__}.{cls.__qualname__}' instances")

    def _open(self) -> BlobHandle:
        self._connection._check()
        if self._handle is None:
            raise ProgrammingError("Cannot operate on a closed blob.")
        return self._handle

    @checked_member
    def close(self) -> None:
        """Closes the blob; outside a transaction, what was written is committed."""
        self._connection._check()
        self._close()

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()

    def __del__(self) -> None:
        handle = self._handle
        connection = self._connection
        if handle is None or connection._session is None:
            return
        if connection._lock is not None and connection._thread != get_ident():
            connection._enter(self._close)
        else:
            self._close()

    @checked_member
    def read(self, length: int = -1, /) -> bytes:
        """Bytes from the position on, at most `length`, all with a negative one."""
        handle = self._open()
        rest = handle.size - self._offset
        if length < 0 or length > rest:
            length = rest
        if length == 0:
            return b""
        data = handle.read(length, self._offset)
        self._offset += length
        return data

    @checked_member
    def write(self, data: Any, /) -> None:
        """Overwrites from the position on; raises ValueError beyond the end."""
        handle = self._open()
        content = buffer_bytes(data)
        if len(content) > handle.size - self._offset:
            raise ValueError("data longer than blob length")
        if content:
            handle.write(content, self._offset)
        self._offset += len(content)

    @checked_member
    def seek(self, offset: int, origin: int = 0, /) -> None:
        """Moves the position, relative to start, position or end."""
        handle = self._open()
        if origin == _START:
            position = offset
        elif origin == _CURRENT:
            position = self._offset + offset
        elif origin == _END:
            position = handle.size + offset
        else:
            raise ValueError("'origin' should be os.SEEK_SET, os.SEEK_CUR, or os.SEEK_END")
        if origin != _START and not -(1 << 31) <= position < 1 << 31:
            raise OverflowError("seek offset results in overflow")
        if not 0 <= position <= handle.size:
            raise ValueError("offset out of blob range")
        self._offset = position

    @checked_member
    def tell(self) -> int:
        """The position."""
        self._open()
        return self._offset

    def __iter__(self) -> Iterator[int]:
        raise TypeError(f"'{type(self).__module__}.{type(self).__qualname__}' object is not iterable")

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise cannot_pickle(self)

    def __len__(self) -> int:
        return self._open().size

    @checked_member
    def __enter__(self) -> Blob:
        self._open()
        return self

    @checked_member
    def __exit__(
        self, type: type[BaseException] | None, val: BaseException | None, tb: TracebackType | None, /
    ) -> Literal[False]:
        self._open()
        self._close()
        return False

    def __getitem__(self, key: Any, /) -> int | bytes:
        handle = self._open()
        if isinstance(key, slice):
            start, stop, step = key.indices(handle.size)
            positions = range(start, stop, step)
            if not positions:
                return b""
            data = handle.read(handle.size, 0)
            return data[key]
        return handle.read(1, self._index(handle, key))[0]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        handle = self._open()
        if isinstance(key, slice):
            self._set_slice(handle, key, value)
            return
        position = self._index(handle, key)
        if not isinstance(value, int):
            raise TypeError(f"'{c_type_name(value)}' object cannot be interpreted as an integer")
        if not 0 <= value <= 255:
            raise ValueError("byte must be in range(0, 256)")
        handle.write(bytes([value]), position)

    def _set_slice(self, handle: BlobHandle, key: slice, value: Any) -> None:
        start, stop, step = key.indices(handle.size)
        positions = range(start, stop, step)
        if not positions:
            return
        content = buffer_bytes(value)
        if len(content) != len(positions):
            raise IndexError("Blob slice assignment is wrong size")
        if step == 1:
            handle.write(content, start)
            return
        data = bytearray(handle.read(handle.size, 0))
        data[key] = content
        handle.write(bytes(data), 0)

    def __delitem__(self, key: Any, /) -> None:
        self._open()
        if isinstance(key, slice):
            raise TypeError("Blob doesn't support slice deletion")
        raise TypeError("Blob doesn't support item deletion")

    @staticmethod
    def _index(handle: BlobHandle, key: Any) -> int:
        try:
            position = operator.index(key)
        except TypeError:
            raise TypeError("Blob indices must be integers") from None
        if abs(position) > sys.maxsize:
            raise IndexError("cannot fit 'int' into an index-sized integer")
        if position < 0:
            position += handle.size
        if not 0 <= position < handle.size:
            raise IndexError("Blob index out of range")
        return position
