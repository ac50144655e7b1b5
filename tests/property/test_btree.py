"""A b-tree is a sorted dict: random edits, savepoints, rollbacks and spills against one, then SQLite's integrity_check."""

from __future__ import annotations

import os
import random
from bisect import bisect_left, bisect_right

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minisql.storage.btree import BtreeFile
from minisql.values.collation import BINARY, NOCASE
from minisql.values.compare import record_sort_key
from minisql.values.shape import KeyShape, RowShape

ROW = RowShape(4, 0, (), (3,))
SCHEMA = RowShape(5)
INDEXES = {
    "plain": ("CREATE INDEX i0 ON t(b, c)", KeyShape(3, 3, (BINARY,) * 3, (False,) * 3), (1, 2, 0)),
    "nocase": ("CREATE INDEX i1 ON t(b COLLATE NOCASE)", KeyShape(2, 2, (NOCASE, BINARY), (False,) * 2), (1, 0)),
    "desc": ("CREATE INDEX i2 ON t(c DESC, d)", KeyShape(3, 3, (BINARY,) * 3, (True, False, False), (1,)), (2, 3, 0)),
}


def random_value(random_: random.Random, largest: int) -> object:
    """A value of any class; now and then one that overflows its page."""
    kind = random_.randrange(10)
    if kind == 0:
        return None
    if kind == 1:
        return random_.choice([0, 1, -1, 127, -129, 1 << 23, -(1 << 40), (1 << 63) - 1, -(1 << 63)])
    if kind == 2:
        return random_.uniform(-1e6, 1e6)
    if kind == 3:
        return random_.randbytes(random_.randrange(40))
    if kind == 4 and random_.random() < 0.4:
        return "ü" * random_.randrange(largest)
    if kind == 5:
        return b"\xe9\xff".decode("utf-8", "surrogateescape") * random_.randrange(3)
    if kind < 7:
        return random_.randrange(50)
    return random_.choice("abcABC") * random_.randrange(30)


class Model:
    """The database under test beside a dict."""

    def __init__(self, path: str | None, seed: int, page_size: int, largest: int, cache_size: int) -> None:
        self.random = random.Random(seed)
        self.largest = largest
        self.rows: dict[int, tuple[object, ...]] = {}
        self.stack: list[dict[int, tuple[object, ...]]] = []
        self.file = BtreeFile.open(path, page_size=page_size, cache_size=cache_size)
        file = self.file
        file.begin_read()
        file.begin_write()
        file.set_meta(2, 4)
        file.set_meta(5, 1)
        self.root = file.create_tree(True)
        schema = file.table_cursor(1, SCHEMA)
        schema.insert(1, ("table", "t", "t", self.root, "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d REAL)"))
        self.indexes = []
        for number, (sql, shape, columns) in enumerate(INDEXES.values()):
            root = file.create_tree(False)
            schema.insert(2 + number, ("index", f"i{number}", "t", root, sql))
            self.indexes.append((root, shape, columns))
        file.commit()

    def row(self, rowid: int) -> tuple[object, ...]:
        """A random row."""
        r = self.random
        d = r.choice([None, 1.0, 2.5, 1e300, float(r.randrange(1 << 50))])
        return (rowid, random_value(r, self.largest), random_value(r, self.largest), d)

    def put(self, rowid: int) -> None:
        """Inserts or replaces a row and its index entries."""
        self.drop(rowid)
        row = self.row(rowid)
        self.file.table_cursor(self.root, ROW).insert(rowid, row)
        for root, shape, columns in self.indexes:
            self.file.index_cursor(root, shape).insert(tuple(row[column] for column in columns))
        self.rows[rowid] = row

    def drop(self, rowid: int) -> None:
        """Deletes a row and its index entries."""
        row = self.rows.pop(rowid, None)
        assert self.file.table_cursor(self.root, ROW).delete_rowid(rowid) == (row is not None)
        for root, shape, columns in self.indexes:
            if row is not None:
                assert self.file.index_cursor(root, shape).delete(tuple(row[column] for column in columns))

    def put_many(self, rowids: list[int]) -> None:
        """Inserts many new rows at once."""
        rowids = [rowid for rowid in rowids if rowid not in self.rows]
        rows = [self.row(rowid) for rowid in rowids]
        self.file.table_cursor(self.root, ROW).insert_many(rowids, rows)
        for root, shape, columns in self.indexes:
            self.file.index_cursor(root, shape).insert_many([tuple(row[column] for column in columns) for row in rows])
        self.rows.update(zip(rowids, rows))

    def change_many(self, rowids: list[int]) -> None:
        """Replaces many rows at once, or only their numbers; their entries one by one."""
        rowids = [rowid for rowid in rowids if rowid in self.rows]
        rows = [self.row(rowid) for rowid in rowids]
        may_grow = self.random.random() < 0.5
        if not may_grow:
            rows = [(*self.rows[rowid][:3], row[3]) for rowid, row in zip(rowids, rows)]
        for root, shape, columns in self.indexes:
            index = self.file.index_cursor(root, shape)
            for rowid, row in zip(rowids, rows):
                assert index.delete(tuple(self.rows[rowid][column] for column in columns))
                index.insert(tuple(row[column] for column in columns))
        self.file.table_cursor(self.root, ROW).replace_many(rowids, rows, may_grow)
        self.rows.update(zip(rowids, rows))

    def drop_many(self, rowids: list[int]) -> None:
        """Deletes at once those of many rows that are there."""
        there = [rowid for rowid in rowids if rowid in self.rows]
        rows = [self.rows.pop(rowid) for rowid in there]
        cursor = self.file.table_cursor(self.root, ROW)
        assert cursor.rows_at(rowids) == (there, rows)
        assert cursor.delete_many(rowids) == len(there)
        for root, shape, columns in self.indexes:
            entries = [tuple(row[column] for column in columns) for row in rows]
            self.random.shuffle(entries)
            assert self.file.index_cursor(root, shape).delete_many(entries) == len(entries)

    def check(self) -> None:
        """Compares the whole content, forwards and backwards."""
        cursor = self.file.table_cursor(self.root, ROW)
        expected = [self.rows[rowid] for rowid in sorted(self.rows)]
        found = []
        row = cursor.first()
        while row is not None:
            found.append(row)
            row = cursor.next()
        assert found == expected
        assert cursor.count() == len(expected)
        assert [row for _, rows, _ in cursor.leaves() for row in rows] == expected
        for root, shape, columns in self.indexes:
            entries = [tuple(row[column] for column in columns) for row in expected]
            entries.sort(key=lambda entry: record_sort_key(entry, shape.collations, shape.descending))
            index = self.file.index_cursor(root, shape)
            backwards = []
            entry = index.last()
            while entry is not None:
                backwards.append(entry)
                entry = index.previous()
            assert backwards[::-1] == entries
            assert [entry for page, _ in index.leaves() for entry in page] == entries
            assert index.count() == len(entries)

    def check_seeks(self) -> None:
        """Compares seeks with bisect."""
        cursor = self.file.table_cursor(self.root, ROW)
        rowids = sorted(self.rows)
        probe = self.random.randrange(-5, 400)
        for seek, index in (
            (cursor.seek_ge, bisect_left(rowids, probe)),
            (cursor.seek_gt, bisect_right(rowids, probe)),
            (cursor.seek_le, bisect_right(rowids, probe) - 1),
            (cursor.seek_lt, bisect_left(rowids, probe) - 1),
        ):
            assert seek(probe) == (self.rows[rowids[index]] if 0 <= index < len(rowids) else None)
        root, shape, columns = self.random.choice(self.indexes)
        entries = [tuple(self.rows[rowid][column] for column in columns) for rowid in rowids]
        entries.sort(key=lambda entry: record_sort_key(entry, shape.collations, shape.descending))
        prefix = (random_value(self.random, 5),)
        keys = [record_sort_key(entry[:1], shape.collations, shape.descending) for entry in entries]
        key = record_sort_key(prefix, shape.collations, shape.descending)
        found = self.file.index_cursor(root, shape)
        for operator, index in (
            ("ge", bisect_left(keys, key)),
            ("gt", bisect_right(keys, key)),
            ("le", bisect_right(keys, key) - 1),
            ("lt", bisect_left(keys, key) - 1),
        ):
            assert found.seek(prefix, operator) == (entries[index] if 0 <= index < len(entries) else None)

    def delete_while_reading(self) -> None:
        """Deletes and updates under a moving cursor: each row is seen once."""
        cursor = self.file.table_cursor(self.root, ROW)
        seen = []
        row = cursor.first()
        while row is not None:
            rowid = cursor.rowid
            seen.append(rowid)
            if rowid % 7 == 0:
                self.drop(rowid)
            elif rowid % 11 == 0:
                self.put(rowid)
            row = cursor.next()
        assert seen == sorted(set(seen))

    def step(self) -> None:
        """One random operation."""
        r = self.random
        action = r.randrange(118)
        if not self.stack:
            self.file.begin_write()
            self.stack.append(dict(self.rows))
        if action < 50:
            base = max(self.rows, default=0) + 1 if r.random() < 0.5 else r.randrange(300)
            for rowid in range(base, base + r.randrange(12)):
                self.put(rowid)
        elif action < 72:
            for rowid in r.sample(range(400), 40):
                if rowid in self.rows:
                    self.drop(rowid)
        elif action < 78:
            assert self.file.open_savepoint() == len(self.stack)
            self.stack.append(dict(self.rows))
        elif action < 82 and len(self.stack) > 1:
            depth = r.randrange(1, len(self.stack))
            self.file.release_savepoint(depth)
            del self.stack[depth:]
        elif action < 88 and len(self.stack) > 1:
            depth = r.randrange(1, len(self.stack))
            self.file.rollback_to_savepoint(depth)
            self.rows = dict(self.stack[depth])
            del self.stack[depth + 1 :]
        elif action < 91:
            self.file.rollback()
            self.rows = self.stack[0]
            self.stack = []
        elif action < 94:
            self.file.commit()
            self.stack = []
        elif action < 95:
            assert self.file.clear_tree(self.root) == len(self.rows)
            for root, _, _ in self.indexes:
                assert self.file.clear_tree(root) == len(self.rows)
            self.rows = {}
        elif action < 97:
            self.delete_while_reading()
        elif action < 100:
            self.check_seeks()
        elif action < 106:
            base = max(self.rows, default=0) + 1 if r.random() < 0.5 else 0
            self.put_many(sorted(r.sample(range(base, base + 400), r.randrange(300))))
        elif action < 112:
            start = r.randrange(400)
            self.change_many(r.choice([list(range(start, start + 200)), sorted(r.sample(range(400), 50))]))
        else:
            start = r.randrange(400)
            self.drop_many(r.choice([list(range(start, start + 200)), sorted(r.sample(range(400), r.randrange(150)))]))

    def finish(self) -> None:
        """Commits."""
        if self.stack:
            self.file.commit()
            self.stack = []
        self.file.end_read()


@pytest.mark.parametrize("cache_size", [-2000, 10])
@pytest.mark.parametrize("page_size", [512, 1024])
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), largest=st.sampled_from([20, 300, 3000]))
def test_file_is_a_sorted_dict(tmp_path: object, page_size: int, cache_size: int, seed: int, largest: int) -> None:
    path = f"{tmp_path}/{seed}-{largest}.db"
    if os.path.exists(path):
        os.remove(path)
    model = Model(path, seed, page_size, largest, cache_size)
    for _ in range(40):
        model.step()
    model.check()
    model.finish()
    connection = apsw.Connection(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert connection.execute("select count(*) from t").fetchall() == [(len(model.rows),)]
    connection.close()
    model.file.begin_read()
    model.check()
    model.file.end_read()
    model.file.close()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1 << 32), largest=st.sampled_from([20, 300]))
def test_memory_is_a_sorted_dict(seed: int, largest: int) -> None:
    model = Model(None, seed, 512, largest, -2000)
    for _ in range(40):
        model.step()
    model.check()
    model.finish()
