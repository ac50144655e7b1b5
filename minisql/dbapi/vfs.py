"""Virtual file systems of the user's own: registered under a name, opened by `file:PATH?vfs=NAME`.

A VFS is any object with the methods of `Vfs`, its files with those of `VfsFile`; both are protocols, so that nothing has to
be inherited.  `OsVfs` and `MemoryVfs` are there to be wrapped.  docs/vfs.md has examples.

Source: https://www.sqlite.org/vfs.html.
"""

from __future__ import annotations

from minisql.engine.opening import register_vfs, unregister_vfs, vfs_names
from minisql.storage.vfs import MemoryVfs, OsVfs, Vfs, VfsFile

__all__ = ["MemoryVfs", "OsVfs", "Vfs", "VfsFile", "register_vfs", "unregister_vfs", "vfs_names"]
