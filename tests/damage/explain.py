"""Why the two engines give different rows for a damaged file: `python -m tests.damage.explain LEDGER`.

Each finding of the ledger in which both give rows and they differ, or only SQLite gives an error, is run again and put under the
first cause that holds for the file:

    out of order    entries or rowids of a tree are not ascending: where a search stops depends on which cells it looks at
    index differs   an index and its table hold different values: the engines read different ones of the two
    used twice      a page is reached on two ways, so what is read depends on the order of reading
    invalid text    text that is not valid in the file's encoding, which apsw refuses to hand out
    unfilled        a check ends here with a line about a record whose values do not fill its payload; SQLite reads over it
    check goes on   SQLite's check ends with an error where this one tells the errors that it has found
    unexplained     none of these

The last line gives the counts; with `--list` each finding is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import apsw

from minisql.errors import Error
from minisql.storage.btree import BtreeFile
from minisql.storage.image import page_image
from minisql.storage.varint import read_signed_varint, read_varint
from tests.damage.comparison import write_sample
from tests.damage.fuzz import run_seed
from tests.damage.samples import Sample

ROOTS = {"t": 2, "tb": 3, "w": 4, "sqlite_autoindex_w_2": 5}
CAUSES = ("out of order", "index differs", "used twice", "invalid text", "unfilled", "check goes on", "unexplained")
_MALFORMED = "database disk image is malformed"


def cause(damaged: Sample, finding: dict[str, Any]) -> str:
    """Names the cause of a finding about a damaged file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        write_sample(damaged, path)
        if "UnicodeDecodeError" in (finding["theirs"], finding["ours"]):
            return "invalid text"
        pages, is_ordered = _walk(path)
        is_same = _agrees(path, "b, c, a FROM t", "tb") and _agrees(path, "u, k FROM w", "sqlite_autoindex_w_2")
    if not is_ordered:
        return "out of order"
    if not is_same:
        return "index differs"
    if any(count > 1 for count in pages.values()):
        return "used twice"
    if finding["query"] in ("PRAGMA quick_check", "PRAGMA integrity_check"):
        if finding["kind"] == "rows" and _MALFORMED in finding["ours"]:
            return "unfilled"
        if finding["theirs"] == _MALFORMED:
            return "check goes on"
    return "unexplained"


def _walk(path: str) -> tuple[Counter[int], bool]:
    """Counts how often each page is reached, and tells whether all keys ascend."""
    pages: Counter[int] = Counter()
    is_ordered = True
    file = BtreeFile.open(path)
    try:
        file.begin_read()
        for name, root in _roots(path).items():
            keys: list[Any] = []
            _collect(file, root, pages, keys, 0)
            if name == "t":
                is_ordered &= keys == sorted(set(keys))
        is_ordered &= _indexes_ascend(path)
    except (Error, IndexError):
        is_ordered = is_ordered and _indexes_ascend(path)
    finally:
        file.close()
    return pages, is_ordered


def _roots(path: str) -> dict[str, int]:
    connection = apsw.Connection(path)
    try:
        return {**ROOTS, **dict(connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"))}
    except apsw.Error:
        return ROOTS
    finally:
        connection.close()


def _collect(file: BtreeFile, number: int, pages: Counter[int], keys: list[Any], depth: int) -> None:
    pages[number] += 1
    if depth > 20 or not 0 < number <= file.n_pages or pages[number] > 3:
        return
    data = page_image(file, number)
    first = 100 if number == 1 else 0
    kind = data[first]
    count = data[first + 3] << 8 | data[first + 4]
    if kind not in (2, 5, 10, 13):
        return
    array = first + (12 if kind in (2, 5) else 8)
    for i in range(count):
        at = data[array + 2 * i] << 8 | data[array + 2 * i + 1]
        if kind in (2, 5):
            _collect(file, int.from_bytes(data[at : at + 4], "big"), pages, keys, depth + 1)
        if kind == 13:
            keys.append(read_signed_varint(data, read_varint(data, at)[1])[0])
        elif kind == 5:
            keys.append(read_signed_varint(data, at + 4)[0] + 0.5)
    if kind in (2, 5):
        _collect(file, int.from_bytes(data[first + 8 : first + 12], "big"), pages, keys, depth + 1)


def _indexes_ascend(path: str) -> bool:
    """Whether a search of SQLite's finds each entry that a scan of the index gives, where the scan has it."""
    connection = apsw.Connection(path)
    try:
        for sql in (
            "SELECT b, c, a FROM t INDEXED BY tb WHERE b > '' OR b <= '' OR b IS NULL ORDER BY b, c, a",
            "SELECT k FROM w ORDER BY k",
        ):
            previous: Any = None
            for row in connection.execute(sql.replace("WHERE b > '' OR b <= '' OR b IS NULL ", "WHERE 1 ")):
                key = tuple([_sort_key(value) for value in row])
                if previous is not None and key < previous:
                    return False
                previous = key
    except (apsw.Error, UnicodeDecodeError):
        return True
    finally:
        connection.close()
    return True


def _agrees(path: str, what: str, index: str) -> bool:
    """Whether an index and its table give the same values."""
    connection = apsw.Connection(path)
    try:
        both = [
            sorted(tuple(map(_sort_key, row)) for row in connection.execute(f"SELECT {what} {way}"))
            for way in (f"INDEXED BY {index}", "NOT INDEXED")
        ]
    except (apsw.Error, UnicodeDecodeError):
        return False
    finally:
        connection.close()
    return both[0] == both[1]


def _sort_key(value: Any) -> tuple[Any, ...]:
    if value is None:
        return (0,)
    if isinstance(value, str):
        return 2, value.encode("utf-8", "surrogatepass")
    return (3, value) if isinstance(value, bytes) else (1, value)


def main() -> int:
    """Explains the findings of a ledger."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    seeds = sorted(
        {
            finding["seed"]
            for line in options.ledger.read_text().splitlines()
            for finding in json.loads(line)["findings"]
            if finding["kind"] in ("rows", "only theirs")
        }
    )
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for seed in seeds:
            _counts, findings, damaged = run_seed(seed, folder)
            for finding in findings:
                if finding["kind"] in ("rows", "only theirs"):
                    why = cause(damaged, finding)
                    counts[finding["kind"], why] += 1
                    if options.list or why == "unexplained":
                        print(seed, finding["sample"], finding["kind"], why, finding["query"], finding["ours"][:150], finding["theirs"][:150])
    for kind in ("rows", "only theirs"):
        print(f"{kind}: " + ", ".join(f"{counts[kind, why]} {why}" for why in CAUSES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
