"""Opening databases: file names and URIs to a VFS, a path and options.

":memory:" is a database in memory, "" a temporary one that nobody else sees, "file:..." a URI where URIs are on.  A shared
database in memory (`file:name?mode=memory&cache=shared`, `file:/name?vfs=memdb`) is a file of a VFS in memory that belongs
to the process, so that its connections lock it like a file.

Source: https://www.sqlite.org/uri.html, https://www.sqlite.org/inmemorydb.html, https://www.sqlite.org/c3ref/open.html.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minisql.errors import CANTOPEN, ERROR, MISUSE, sqlite_error
from minisql.storage.btree import BtreeFile
from minisql.storage.vfs import MemoryVfs, OsVfs, Vfs

if TYPE_CHECKING:
    from minisql.engine.session import Session

OS_VFS = OsVfs()
SHARED_MEMORY_VFS = MemoryVfs()
VFS_BY_NAME: dict[str, Vfs] = {
    "unix": OS_VFS,
    "unix-excl": OS_VFS,
    "unix-dotfile": OS_VFS,
    "unix-none": OS_VFS,
    "memdb": SHARED_MEMORY_VFS,
}

_BUILT_IN_NAMES = frozenset(VFS_BY_NAME)


def register_vfs(vfs: Vfs) -> None:
    """Makes a VFS known to URIs under `vfs.name`, in place of an earlier one of that name.

    Raises SQLITE_MISUSE for the name of a built-in one.  Databases that are open stay on the VFS that they were opened with.
    Source: https://www.sqlite.org/c3ref/vfs_find.html
    """
    if vfs.name in _BUILT_IN_NAMES or not vfs.name:
        raise sqlite_error(MISUSE)
    VFS_BY_NAME[vfs.name] = vfs


def unregister_vfs(name: str) -> None:
    """Forgets a registered VFS; no error when there is none of that name."""
    if name not in _BUILT_IN_NAMES:
        VFS_BY_NAME.pop(name, None)


def vfs_names() -> list[str]:
    """The names that `vfs=` in a URI may have."""
    return list(VFS_BY_NAME)


_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_n_users: dict[str, int] = {}
_SHARED_SUFFIX = "?shared"
_MODES = {"ro": (True, False), "rw": (False, False), "rwc": (False, True), "memory": (False, True)}
_CACHES = ("shared", "private")


class OpenOptions:
    """Where a database is and how it is opened; `reserve` is what VACUUM INTO leaves free on each page, -1 for as before."""

    __slots__ = ("create", "immutable", "is_memory", "no_lock", "path", "read_only", "reserve", "vfs")

    def __init__(self, path: str) -> None:
        self.path = path
        self.vfs: Vfs = OS_VFS
        self.read_only = False
        self.create = True
        self.immutable = False
        self.no_lock = False
        self.reserve = -1
        self.is_memory = path == ":memory:"


def parse_uri(uri: str) -> OpenOptions:
    """The options of a `file:` URI.  Raises SQLite's errors for authorities, modes, caches and VFS names it does not know."""
    rest = uri[len("file:") :]
    rest = rest.partition("#")[0]
    path, _, query = rest.partition("?")
    if path.startswith("//"):
        authority, _, path = path[2:].partition("/")
        path = "/" + path
        if authority not in ("", "localhost"):
            raise sqlite_error(ERROR, f"invalid uri authority: {authority}")
    parameters: dict[str, str] = {}
    for item in query.split("&"):
        name, _, value = item.partition("=")
        if name:
            parameters.setdefault(_unquote(name), _unquote(value))
    options = OpenOptions(_unquote(path))
    options.is_memory = options.path == ":memory:"
    _apply_parameters(options, parameters)
    return options


def _unquote(text: str) -> str:
    data = _ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode("utf-8", "surrogateescape"))
    # SQLite ends a component at an escaped NUL.
    return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _apply_parameters(options: OpenOptions, parameters: dict[str, str]) -> None:
    mode = parameters.get("mode")
    cache = parameters.get("cache")
    if mode is not None:
        if mode not in _MODES:
            raise sqlite_error(ERROR, f"no such access mode: {mode}")
        options.read_only, options.create = _MODES[mode]
    if cache is not None and cache not in _CACHES:
        raise sqlite_error(ERROR, f"no such cache mode: {cache}")
    name = parameters.get("vfs")
    if name is not None:
        if name not in VFS_BY_NAME:
            raise sqlite_error(ERROR, f"no such vfs: {name}")
        options.vfs = VFS_BY_NAME[name]
        if name == "memdb" and not options.path.startswith("/"):
            # A memdb name without a slash is private to its connection.
            options.is_memory = True
    if mode == "memory" or options.is_memory:
        if cache == "shared":
            options.vfs = SHARED_MEMORY_VFS
            options.is_memory = False
            options.create = True
            options.path += _SHARED_SUFFIX
        else:
            options.is_memory = True
    options.immutable = _is_true(parameters.get("immutable"))
    options.no_lock = _is_true(parameters.get("nolock"))
    reserve = parameters.get("reserve", "")
    if reserve.isascii() and reserve.isdigit() and int(reserve) <= 255:
        options.reserve = int(reserve)


def _is_true(value: str | None) -> bool:
    return value is not None and (value.lower() in ("yes", "true", "on") or (value.isdigit() and int(value) != 0))


def open_database(session: Session, filename: str, is_uri: bool) -> BtreeFile:
    """Opens a database for a session; nothing is read yet."""
    if is_uri and filename.startswith("file:"):
        options = parse_uri(filename)
    else:
        options = OpenOptions(filename)
    if options.is_memory or not options.path:
        btree = BtreeFile.open(None)
    else:
        if "\0" in options.path:
            raise sqlite_error(CANTOPEN)
        btree = BtreeFile.open(
            options.path,
            options.vfs,
            create=options.create,
            read_only=options.read_only,
            immutable=options.immutable,
            nolock=options.no_lock,
        )
    if options.vfs is SHARED_MEMORY_VFS and btree.pager.file is not None:
        _n_users[btree.path] = _n_users.get(btree.path, 0) + 1
        btree.pager.journal_mode = "memory"
        if is_shared_cache(btree):
            # A shared cache answers SQLITE_LOCKED at once; nobody waits for it.
            return btree
    btree.set_busy_handler(session.wait_while_busy)
    return btree


def is_shared_cache(btree: BtreeFile) -> bool:
    """Tells whether a database is one in memory that connections share by cache=shared."""
    return btree.path.endswith(_SHARED_SUFFIX)


def shown_name(btree: BtreeFile) -> str:
    """The file name that PRAGMA database_list shows."""
    return "" if is_shared_cache(btree) else btree.path


def close_database(btree: BtreeFile) -> None:
    """Closes a database; one in shared memory is gone with its last connection."""
    btree.close()
    path = btree.path
    if btree.pager.vfs is SHARED_MEMORY_VFS and path in _n_users:
        _n_users[path] -= 1
        if not _n_users[path]:
            del _n_users[path]
            for name in (path, path + "-journal"):
                SHARED_MEMORY_VFS.files.pop(name, None)
