"""The DB-API against the standard library's sqlite3: the same calls, the same results, errors and attributes."""

import datetime
import sqlite3

import pytest

import minisql

MODULES = (sqlite3, minisql)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __conform__(self, protocol):
        return f"{self.x};{self.y}"


class Default(dict):
    def __missing__(self, key):
        return f"<{key}>"


def outcome(action, *arguments):
    """What a call gives: its value, or the class and text of its exception."""
    try:
        return action(*arguments)
    except Exception as error:
        return (type(error).__name__, str(error), getattr(error, "sqlite_errorname", None))


def both(scenario):
    """Runs a scenario(module) against both modules and compares what it collects."""
    expected, found = (scenario(module) for module in MODULES)
    assert found == expected
    return found


EXECUTIONS = [
    ("select ?", (1,)),
    ("select ?, ?2, ?", (1, 2, 3)),
    ("select ?", (1, 2)),
    ("select ?, ?", (1,)),
    ("select :a, @b, $c", {"a": 1, "b": "x", "c": b"y"}),
    ("select :a", {}),
    ("select ?", {"a": 1}),
    ("select ?", 3),
    ("select :a", Default()),
    ("select ?", [None]),
    ("select ?", (2**63,)),
    ("select ?", (-(2**63),)),
    ("select ?", (float("nan"),)),
    ("select ?", (True,)),
    ("select typeof(?)", (bytearray(b"ab"),)),
    ("select typeof(?)", (memoryview(b"ab"),)),
    ("select ?", (object,)),
    ("select ?", ("\ud800",)),
    ("select ?", (datetime.date(2024, 5, 6),)),
    ("select ?", (datetime.datetime(2024, 5, 6, 7, 8, 9),)),
    ("select ?", (Point(1, 2),)),
    ("select ?", ("é\0x",)),
    ("select 1; select 2", ()),
    ("select 1; -- done", ()),
    ("select 1;;", ()),
    ("", ()),
    ("  ;", ()),
    ("-- nothing", ()),
    ("select 'a\0b'", ()),
    ("selec 1", ()),
    ("select x", ()),
    ("select * from nowhere", ()),
    ("select 1 as a, 2 as a", ()),
    ("select abs(-9223372036854775808)", ()),
]


@pytest.mark.parametrize(("sql", "parameters"), EXECUTIONS, ids=[str(n) for n in range(len(EXECUTIONS))])
def test_execute(sql, parameters):
    def scenario(module):
        cursor = module.connect(":memory:").cursor()
        rows = outcome(lambda: cursor.execute(sql, parameters).fetchall())
        return rows, cursor.description, cursor.rowcount, cursor.lastrowid

    both(scenario)


def test_execute_wants_text():
    both(lambda module: outcome(module.connect(":memory:").execute, 3))


def test_counts_and_descriptions():
    def scenario(module):
        connection = module.connect(":memory:")
        cursor = connection.cursor()
        seen = []

        def note(*what):
            seen.append((*what, cursor.rowcount, cursor.lastrowid, cursor.description, connection.in_transaction, connection.total_changes))

        note()
        cursor.execute("create table t(a integer primary key, b)")
        note()
        cursor.execute("insert into t(b) values (1), (2)")
        note()
        cursor.executemany("insert into t(b) values (?)", [(3,), (4,)])
        note()
        cursor.execute("select a, b as c from t where b > ?", (1,))
        note(cursor.fetchone(), cursor.fetchmany(1), cursor.fetchall(), cursor.fetchone(), cursor.fetchall())
        cursor.execute("update t set b = b + 1 where a > 1")
        note()
        cursor.execute("insert into t(b) values (9) returning a, b")
        note(cursor.fetchall())
        note()
        cursor.execute("with x as (select 1) insert into t(b) select * from x")
        note()
        cursor.execute("delete from t")
        note()
        connection.commit()
        cursor.execute("select 1 where 0")
        note(cursor.fetchall())
        cursor.execute("replace into t values (1, 2)")
        note()
        cursor.execute("begin") if not connection.in_transaction else None
        connection.rollback()
        note()
        return seen

    both(scenario)


def test_fetching():
    def scenario(module):
        connection = module.connect(":memory:")
        cursor = connection.cursor()
        cursor.execute("create table t(a)")
        cursor.executemany("insert into t values (?)", [(i,) for i in range(10)])
        seen = []
        cursor.execute("select a from t order by a")
        seen.append(cursor.fetchmany())
        cursor.arraysize = 3
        seen.append(cursor.fetchmany())
        seen.append(cursor.fetchmany(2))
        seen.append(next(cursor))
        seen.append(list(cursor))
        seen.append(outcome(next, cursor))
        cursor.execute("select a from t")
        seen.append(len(cursor.fetchmany(0)))
        cursor.close()
        seen.append(outcome(cursor.fetchone))
        seen.append(outcome(cursor.execute, "select 1"))
        connection.close()
        seen.append(outcome(connection.execute, "select 1"))
        seen.append(outcome(connection.cursor))
        seen.append(outcome(connection.commit))
        return seen

    both(scenario)


def test_errors_carry_code_and_name():
    def scenario(module):
        connection = module.connect(":memory:")
        connection.executescript(
            "create table t(a integer primary key, b unique, c not null, check (c <> 3)); insert into t values (1, 1, 1);"
            "create table r(x references t(a)); pragma foreign_keys = on;"
        )
        statements = [
            "insert into t values (1, 2, 2)",
            "insert into t values (2, 1, 2)",
            "insert into t values (2, 2, null)",
            "insert into t values (2, 2, 3)",
            "insert into t values ('x', 2, 2)",
            "insert into r values (7)",
            "insert into t values (1, 2)",
            "create table t(a)",
            "drop table zz",
            "commit",
            "release zz",
            "select 1 from t group by",
            "insert into t select * from t",
        ]
        seen = [outcome(connection.execute, sql) if sql else None for sql in statements]
        return [entry if isinstance(entry, tuple) else "ok" for entry in seen]

    both(scenario)


def test_transaction_control():
    def scenario(module):
        seen = []
        for level in (None, "", "DEFERRED", "immediate", "EXCLUSIVE"):
            connection = module.connect(":memory:", isolation_level=level)
            seen.append(connection.isolation_level)
            connection.execute("create table t(a)")
            seen.append(connection.in_transaction)
            connection.execute("insert into t values (1)")
            seen.append(connection.in_transaction)
            connection.execute("select * from t").fetchall()
            seen.append(connection.in_transaction)
            connection.rollback()
            seen.append(connection.execute("select count(*) from t").fetchall())
            with connection:
                connection.execute("insert into t values (2)")
            seen.append((connection.in_transaction, connection.execute("select count(*) from t").fetchall()))
            try:
                with connection:
                    connection.execute("insert into t values (3)")
                    raise KeyError
            except KeyError:
                seen.append((connection.in_transaction, connection.execute("select count(*) from t").fetchall()))
            connection.execute("insert into t values (4)")
            connection.executescript("insert into t values (5); select 1;")
            seen.append(connection.in_transaction)
            connection.isolation_level = None
            seen.append(connection.in_transaction)
        seen.append(outcome(module.connect, ":memory:", 5, 0, "BOGUS"))
        seen.append(outcome(module.connect, ":memory:", 5, 0, 3))
        return seen

    both(scenario)


def test_rows():
    def scenario(module):
        connection = module.connect(":memory:")
        connection.row_factory = module.Row
        row = connection.execute("select 1 as a, 'x' as B, null as c").fetchone()
        other = connection.execute("select 1 as a, 'x' as B, null as c").fetchone()
        return [
            tuple(row),
            row.keys(),
            row["a"],
            row["A"],
            row["b"],
            row[0],
            row[-1],
            row[0:2],
            len(row),
            row == other,
            hash(row) == hash(other),
            row == (1, "x", None),
            outcome(lambda: row["zz"]),
            outcome(lambda: row[7]),
            outcome(lambda: row[1.5]),
            list(row),
            dict(row),
        ]

    both(scenario)


def test_factories():
    def scenario(module):
        connection = module.connect(":memory:")
        seen = []
        connection.text_factory = bytes
        seen.append(connection.execute("select 'é', 1, x'00'").fetchall())
        connection.text_factory = lambda data: data.decode("utf-8") + "!"
        seen.append(connection.execute("select 'é', 1").fetchall())
        connection.text_factory = bytearray
        seen.append(connection.execute("select 'é'").fetchall())
        connection.text_factory = str
        connection.row_factory = lambda cursor, row: (len(cursor.description), row)
        seen.append(connection.execute("select 1, 2").fetchall())
        cursor = connection.cursor()
        cursor.row_factory = None
        seen.append(cursor.execute("select 1, 2").fetchall())
        return seen

    both(scenario)


def test_converters():
    def scenario(module):
        connection = module.connect(":memory:", detect_types=module.PARSE_DECLTYPES | module.PARSE_COLNAMES)
        module.register_converter("point", lambda data: tuple(data.split(b";")))
        connection.execute("create table t(d date, s timestamp, p point, n integer)")
        connection.execute(
            "insert into t values (?, ?, ?, ?)",
            (datetime.date(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, 4, 5, 6000), Point(1, 2), 7),
        )
        cursor = connection.execute('select d, s, p, n, 5 as "x [point]", null as "y [date]" from t')
        return cursor.fetchall(), cursor.description

    both(scenario)


def test_functions_and_aggregates():
    class Sum:
        def __init__(self):
            self.total = 0

        def step(self, value):
            self.total += value

        def finalize(self):
            return self.total

        def value(self):
            return self.total

        def inverse(self, value):
            self.total -= value

    class Broken:
        def step(self, value):
            raise ValueError

        def finalize(self):
            raise ValueError

    class Unmade:
        def __init__(self):
            raise ValueError

    def scenario(module):
        connection = module.connect(":memory:")
        connection.create_function("twice", 1, lambda x: x * 2)
        connection.create_function("any", -1, lambda *a: len(a), deterministic=True)
        connection.create_function("bad", 0, lambda: 1 / 0)
        connection.create_function("odd", 0, object)
        connection.create_function("big", 0, lambda: 1 << 70)
        connection.create_aggregate("mysum", 1, Sum)
        connection.create_aggregate("broken", 1, Broken)
        connection.create_aggregate("unmade", 1, Unmade)
        connection.create_window_function("winsum", 1, Sum)
        connection.create_collation("backwards", lambda a, b: (a < b) - (a > b))
        connection.executescript("create table t(a); insert into t values (1), (2), (3);")
        statements = [
            "select twice(4), twice('ab'), any(), any(1, 2, 3)",
            "select bad()",
            "select odd()",
            "select big()",
            "select twice()",
            "select mysum(a) from t",
            "select broken(a) from t",
            "select unmade(a) from t",
            "select winsum(a) over (order by a rows between 1 preceding and current row) from t",
            "select mysum(a) over () from t",
            "select 'a' < 'b' collate backwards",
            "select x from (select 'a' x union all select 'b') order by x collate backwards",
            "select 'a' = 'b' collate nope",
        ]
        seen = [outcome(lambda sql=sql: connection.execute(sql).fetchall()) for sql in statements]
        connection.create_function("twice", 1, None)
        connection.create_collation("backwards", None)
        seen.append(outcome(connection.execute, "select twice(1)")[0])
        seen.append(outcome(connection.execute, "select 'a' = 'b' collate backwards"))
        return seen

    both(scenario)


def test_hooks():
    def scenario(module):
        connection = module.connect(":memory:", isolation_level=None)
        connection.executescript("create table t(a, b); insert into t values (1, 2);")
        traced = []
        connection.set_trace_callback(traced.append)
        connection.execute("select ?, :x", (1, "it's"))
        connection.set_trace_callback(None)
        asked = []

        def authorize(*arguments):
            asked.append(arguments)
            return module.SQLITE_IGNORE if arguments[2] == "b" else module.SQLITE_OK

        connection.set_authorizer(authorize)
        rows = connection.execute("select a, b from t").fetchall()
        connection.set_authorizer(lambda *arguments: module.SQLITE_DENY)
        denied = outcome(connection.execute, "select * from t")
        connection.set_authorizer(None)
        connection.set_progress_handler(lambda: 1, 1)
        stopped = outcome(
            lambda: connection.execute(
                "with recursive c(x) as (select 1 union all select x + 1 from c limit 100000) select count(*) from c"
            ).fetchall()
        )
        connection.set_progress_handler(None, 1)
        return traced, asked, rows, denied, stopped

    both(scenario)


def test_iterdump_can_be_run_again():
    def scenario(module):
        connection = module.connect(":memory:")
        connection.executescript(
            """create table t(a integer primary key, "b c" text default 'x''y', d blob);
            insert into t values (1, 'it''s', x'00ff'), (2, null, 1.5);
            create table u(a integer primary key autoincrement, b); insert into u(b) values (7);
            create index i on t("b c"); create view v as select a from t;
            create trigger g after insert on t begin delete from u; end;"""
        )
        return list(connection.iterdump())

    lines = both(scenario)
    again = minisql.connect(":memory:")
    again.executescript("\n".join(lines))
    assert list(again.iterdump()) == lines


def test_blobs():
    def scenario(module):
        connection = module.connect(":memory:")
        connection.execute("create table t(b)")
        connection.execute("insert into t values (zeroblob(10))")
        seen = []
        with connection.blobopen("t", "b", 1) as blob:
            blob.write(b"hello")
            seen.append((blob.tell(), len(blob)))
            blob.seek(0)
            seen.append(blob.read(3))
            seen.append(blob.read())
            blob[0] = 65
            blob[1:3] = b"BC"
            seen += [blob[0], blob[-1], blob[1:4], blob[0:6:2]]
            seen.append(outcome(blob.write, b"x" * 11))
            seen.append(outcome(blob.seek, 11))
            seen.append(outcome(lambda: blob[10]))
        seen.append(outcome(blob.read))
        seen.append(connection.execute("select b from t").fetchall())
        seen.append(outcome(connection.blobopen, "t", "b", 2))
        seen.append(outcome(connection.blobopen, "t", "c", 1))
        seen.append(outcome(connection.blobopen, "zz", "c", 1))
        readonly = connection.blobopen("t", "b", 1, readonly=True)
        seen.append(outcome(readonly.write, b"x"))
        return seen

    both(scenario)


def test_backup_and_serialize():
    def scenario(module):
        source = module.connect(":memory:")
        source.executescript("create table t(a); insert into t values (1), ('x');")
        target = module.connect(":memory:")
        steps = []
        source.backup(target, pages=1, progress=lambda *a: steps.append(a))
        copy = module.connect(":memory:")
        copy.deserialize(source.serialize())
        return steps, target.execute("select * from t").fetchall(), copy.execute("select * from t").fetchall()

    both(scenario)


def test_complete_statement():
    texts = ["select 1;", "select 1", "", ";", "create trigger a begin select 1;", "create trigger a begin select 1; end;", "select ';", "/* x", "-- x;"]
    both(lambda module: [module.complete_statement(text) for text in texts])


def test_module_surface():
    missing = [name for name in dir(sqlite3) if not name.startswith("_") and not hasattr(minisql, name)]
    assert set(missing) <= {"collections", "datetime", "dbapi2", "dump", "time", "enable_shared_cache"}
    for kind in ("Connection", "Cursor", "Row", "Blob"):
        theirs = {name for name in dir(getattr(sqlite3, kind)) if not name.startswith("_")}
        assert not theirs - set(dir(getattr(minisql, kind))) - {"enable_load_extension", "load_extension"}
    for name in dir(sqlite3):
        if name.startswith("SQLITE_"):
            assert getattr(minisql, name) == getattr(sqlite3, name)
