"""A VFS that encrypts what it writes: wraps the files of the operating system, journals and logs included.

    minisql.register_vfs(EncryptingVfs(b"a secret of 32 bytes or fewer"))
    minisql.connect("file:secret.db?vfs=encrypting", uri=True)

It shows how a VFS wraps another one.  It is no protection against somebody who sees the file change: a block that is written
twice uses the same key stream, and nothing is authenticated.
"""

import hashlib

from minisql.dbapi.vfs import OsVfs

BLOCK = 64


class EncryptingFile:
    """A file whose bytes are combined with a key stream that depends on the key and the place in the file."""

    def __init__(self, inner, key):
        self.inner = inner
        self.key = key
        self.read_only = inner.read_only
        # Everything that does not touch the content is the inner file's.
        self.truncate, self.sync, self.size, self.close = inner.truncate, inner.sync, inner.size, inner.close
        self.lock, self.unlock = inner.lock, inner.unlock
        self.is_reserved, self.has_moved = inner.is_reserved, inner.has_moved

    def combine(self, data, offset):
        first = offset // BLOCK
        last = (offset + len(data)) // BLOCK
        numbers = [number.to_bytes(8, "big") for number in range(first, last + 1)]
        stream = b"".join([hashlib.blake2b(number, key=self.key, digest_size=BLOCK).digest() for number in numbers])
        stream = stream[offset - first * BLOCK :][: len(data)]
        return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")

    def read(self, size, offset):
        return self.combine(self.inner.read(size, offset), offset)

    def write(self, data, offset):
        self.inner.write(self.combine(data, offset), offset)


class EncryptingVfs(OsVfs):
    """The operating system's files, encrypted."""

    def __init__(self, key):
        super().__init__()
        self.name = "encrypting"
        self.key = key

    def open(self, path, *, create, read_only, lock=True):
        inner = super().open(path, create=create, read_only=read_only, lock=lock)
        return EncryptingFile(inner, self.key)
