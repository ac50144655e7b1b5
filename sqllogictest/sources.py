"""Where test files come from: single files, folders, `.tar.xz` archives and members of archives.

In come paths as a user writes them, out go TestFile entries with name, group and size. An archive is unpacked once into a
folder that the caller owns, since an archive cannot be read out of order; a path may go on into the archive
(`corpus/select.tar.xz/select1.test`, or a folder or a pattern in place of the member). Names are such that giving one back as
a path finds the same file. The group of a file is its first two folders (`index/between/10/x.test` is `index-between`), else
its name without digits at the end: that is how the public corpus is cut into archives.
"""

import fnmatch
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

SUFFIXES = (".test", ".slt")
_ARCHIVE = re.compile(r"(.*?\.(?:tar\.xz|tar\.gz|tar\.bz2|tar|tgz|txz))(?:/(.*))?\Z", re.DOTALL)


class SourceError(Exception):
    """A path that names no test file."""


@dataclass(frozen=True)
class TestFile:
    """One file to run. `path` is where its bytes are; `content` holds them instead when they travel to another machine."""

    __test__ = False

    name: str
    group: str
    size: int
    path: str = ""
    content: bytes | None = None
    query_stride: int = 1

    def read(self) -> bytes:
        """Return the file's bytes."""
        return self.content if self.content is not None else Path(self.path).read_bytes()

    def with_content(self) -> "TestFile":
        """Return the same entry with its bytes inside."""
        return replace(self, content=self.read())


def find_files(paths: Iterable[str], unpack_into: str) -> list[TestFile]:
    """Return the test files below these paths, each once, in the order of the paths and of the sorted names.

    `unpack_into` is a folder for the members of archives; it has to live as long as the entries are used. Raises SourceError
    for a path that does not exist or holds no test file.
    """
    found: dict[str, TestFile] = {}
    for path in paths:
        files = list(_find_one(path, unpack_into))
        if not files:
            raise SourceError(f"no .test or .slt file in {path}")
        for file in files:
            found.setdefault(file.name, file)
    return list(found.values())


def _find_one(path: str, unpack_into: str) -> Iterator[TestFile]:
    archive = _ARCHIVE.match(path)
    if os.path.isdir(path):
        yield from _walk_folder(path, unpack_into)
    elif archive and os.path.isfile(archive[1]):
        yield from _unpack(archive[1], archive[2] or "", unpack_into)
    elif os.path.isfile(path):
        yield TestFile(path, _group_of(os.path.basename(path)), os.path.getsize(path), path)
    else:
        raise SourceError(f"no such file or folder: {path}")


def _walk_folder(folder: str, unpack_into: str) -> Iterator[TestFile]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.endswith(SUFFIXES):
                yield TestFile(path, _group_of(os.path.relpath(path, folder)), os.path.getsize(path), path)
            elif _ARCHIVE.match(name):
                yield from _unpack(path, "", unpack_into)


def _unpack(archive: str, wanted: str, unpack_into: str) -> Iterator[TestFile]:
    """Unpack the wanted members of an archive (all for an empty pattern) and yield them sorted by name."""
    target = os.path.join(unpack_into, re.sub(r"[^A-Za-z0-9.-]", "_", os.path.abspath(archive)))
    os.makedirs(target, exist_ok=True)
    files: list[TestFile] = []
    with tarfile.open(archive) as tar:
        for member in tar:
            if not (member.isfile() and member.name.endswith(SUFFIXES) and _is_wanted(member.name, wanted)):
                continue
            stream = tar.extractfile(member)
            if stream is None:
                continue
            path = os.path.join(target, f"{len(files):05d}-{os.path.basename(member.name)}")
            Path(path).write_bytes(stream.read())
            files.append(TestFile(f"{archive}/{member.name}", _group_of(member.name), member.size, path))
    return iter(sorted(files, key=lambda file: file.name))


def _is_wanted(member: str, wanted: str) -> bool:
    wanted = wanted.rstrip("/")
    return not wanted or member == wanted or member.startswith(wanted + "/") or fnmatch.fnmatchcase(member, wanted)


def _group_of(name: str) -> str:
    folders = name.replace(os.sep, "/").split("/")
    if len(folders) > 2:
        return "-".join(folders[:2])
    if len(folders) == 2:
        return folders[0]
    return re.sub(r"[0-9]*\.[^.]*\Z", "", folders[0])
