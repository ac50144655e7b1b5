"""Odd uses of the DB-API against the standard library's sqlite3: subclasses, half-fetched statements, traces, counts after errors.

Each scenario(module) collects what it sees; both modules must have seen the same.
"""

import sqlite3
import subprocess
import sys
import textwrap

import pytest

import minisql

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def outcome(action, *arguments, **keywords):
    """What a call gives: its value, or the class, text and code of its exception."""
    try:
        return action(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__, str(error), getattr(error, "sqlite_errorname", None)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenario(scenario):
    expected, found = scenario(sqlite3), scenario(minisql)
    for theirs, mine in zip(expected, found):
        assert mine == theirs
    assert len(found) == len(expected)


@scenario
def rows_of_returning_are_left_behind(module):
    seen = []
    statements = (
        "INSERT INTO t VALUES (1, NULL), (2, NULL) RETURNING a",
        "UPDATE t SET a=a+10 RETURNING a",
        "INSERT INTO t VALUES (5, 99), (6, NULL) RETURNING a",
        "DELETE FROM t RETURNING a",
    )
    for how in ("close", "again", "fetchone", "delete", "commit", "rollback"):
        connection = module.connect(":memory:")
        connection.execute("PRAGMA foreign_keys=1")
        connection.execute("CREATE TABLE t(a PRIMARY KEY, b REFERENCES t)")
        for sql in statements:
            cursor = connection.cursor()
            seen.append(type(outcome(cursor.execute, sql)).__name__)
            if how == "fetchone":
                seen.append(cursor.fetchone())
            if how in ("fetchone", "close"):
                cursor.close()
            elif how == "again":
                cursor.execute("SELECT 1")
            elif how != "delete":
                seen.append(outcome(getattr(connection, how)))
            del cursor
            seen.append((connection.in_transaction, connection.total_changes))
            seen.append(connection.execute("SELECT count(*), changes() FROM t").fetchall())
    return seen


@scenario
def executemany_with_returning(module):
    seen = []
    for n in range(4):
        connection = module.connect(":memory:")
        connection.execute("CREATE TABLE t(a UNIQUE)")
        for sql in ("INSERT INTO t VALUES(?) RETURNING a", "INSERT OR IGNORE INTO t VALUES(?) RETURNING a"):
            cursor = connection.cursor()
            found = outcome(cursor.executemany, sql, [(number,) for number in range(n)])
            seen.append(found if isinstance(found, tuple) else None)
            seen.append((cursor.rowcount, cursor.description, cursor.fetchall(), connection.total_changes))
            seen.append(connection.execute("SELECT count(*) FROM t").fetchall())
    return seen


@scenario
def traces_of_triggers_and_foreign_keys(module):
    connection = module.connect(":memory:", isolation_level=None)
    connection.executescript("""
        CREATE TABLE t(a, b); CREATE TABLE u(x); CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE child(q REFERENCES p ON DELETE CASCADE, z); CREATE VIEW v AS SELECT a FROM t;
        CREATE TRIGGER t_inserted AFTER INSERT ON t WHEN new.a > 0 BEGIN
            INSERT INTO u VALUES(new.a); UPDATE u SET x=x+1 /* c */ WHERE x=new.a; SELECT 1;
        END;
        CREATE TRIGGER u_inserting BEFORE INSERT ON u BEGIN DELETE FROM u WHERE x=99; END;
        CREATE TRIGGER t_deleting BEFORE DELETE ON t BEGIN SELECT raise(ignore); END;
        CREATE TRIGGER v_inserting INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES(new.a, 1); END;
        INSERT INTO p VALUES(1), (2); INSERT INTO child VALUES(1, 2), (1, 3), (2, 4); PRAGMA foreign_keys=1;
    """)
    seen = []
    statements = [
        ("INSERT INTO t VALUES(5, 'x')", ()), ("INSERT INTO t VALUES(?, ?)", (7, "y'z")), ("INSERT INTO t VALUES(-1, 2)", ()),
        ("INSERT INTO t SELECT a+1, b FROM t", ()), ("DELETE FROM t", ()), ("INSERT INTO v VALUES(3)", ()), ("DELETE FROM p", ()),
    ]  # fmt: skip
    for callback in (seen.append, None, seen.append):
        connection.set_trace_callback(callback)
        for sql, values in statements:
            seen.append(outcome(connection.execute(sql, values).fetchall))
        connection.executemany("INSERT INTO u VALUES(?)", [(1,), (2,)])
    return seen


@scenario
def methods_do_not_go_through_a_subclass(module):
    class Counting(module.Connection):
        calls = 0

        def execute(self, *arguments):
            self.calls += 1
            return super().execute(*arguments)

        def cursor(self, *arguments, **keywords):
            self.calls += 10
            return super().cursor(*arguments, **keywords)

        def commit(self):
            self.calls += 100
            super().commit()

    connection = module.connect(":memory:", factory=Counting)
    seen = []
    connection.execute("create table t(a)")
    connection.executemany("insert into t values (?)", [(1,)])
    seen.append(connection.calls)
    with connection:
        connection.executescript("select 1")
    connection.isolation_level = None
    return [*seen, connection.calls]


@scenario
def row_counts_after_failures(module):
    connection = module.connect(":memory:")
    cursor = connection.cursor()
    seen = []
    for sql in [
        "create table t(a integer primary key, b)",
        "insert into t values (1, 2), (3, 4)",
        "insert into t values (3, 3)",
        "selec",
        "update t set b = 9",
        "delete from nowhere",
        "/* c */ with x as (select 9) insert into t select *, 1 from x",
        "-- c\n insert into t values (10, 1)",
        "; insert into t values (11, 1)",
        "explain insert into t values (12, 1)",
    ]:
        seen.append(
            (
                sql,
                outcome(lambda sql=sql: cursor.execute(sql) and None),
                cursor.rowcount,
                cursor.lastrowid,
                connection.in_transaction,
            )
        )
    for many, rows in [
        ("insert into t(b) values (?) returning a", [(1,), (2,)]),
        ("update t set b = ?", [(1,), (2,)]),
        ("insert into t values (?, 1)", [(50,), (50,)]),
        ("selec", []),
    ]:
        seen.append(outcome(lambda many=many, rows=rows: cursor.executemany(many, rows).fetchall()))
        seen.append((many, cursor.rowcount, cursor.lastrowid, cursor.description))
    return seen


@scenario
def last_row_id_after_vacuum(module):
    connection = module.connect(":memory:", isolation_level=None)
    seen = []
    for sql in ["create table t(a integer primary key)", "create view v as select 1"]:
        cursor = connection.execute(sql)
        cursor.execute("insert into t default values")
        cursor.execute("vacuum")
        seen.append(cursor.lastrowid)
    return seen


@scenario
def a_script_leaves_the_cursors_statement_alone(module):
    cursor = module.connect(":memory:").cursor()
    cursor.execute("select 1 as a union all select 2")
    cursor.executescript("select 3 as b; create table t(x)")
    return [cursor.description, cursor.fetchall(), cursor.rowcount]


@scenario
def types_of_subqueries_and_returned_columns(module):
    module.register_converter("numb", lambda data: ("numb", data))
    connection = module.connect(":memory:", detect_types=module.PARSE_DECLTYPES)
    connection.execute("create table t(a numb, b, id integer primary key)")
    connection.execute("insert into t(a) values (1)")
    return [
        (sql, connection.execute(sql).fetchall())
        for sql in [
            "select (select a from t)",
            "select (select (select a from t))",
            "select (select 1 union select a from t)",
            "select (values (1))",
            "select (with x as (select a from t) select a from x)",
            "insert into t(a) values (4) returning a, a + 0, (select a from t), id",
            "update t set b = 1 returning *",
            "delete from t returning a as x",
        ]
    ]


@scenario
def an_interrupt_stops_every_running_statement(module):
    connection = module.connect(":memory:")
    cursor = connection.execute("select 1 union all select 2 union all select 3")
    other = connection.execute("select 4 union all select 5 union all select 6")
    connection.interrupt()
    seen = [outcome(cursor.fetchall), outcome(other.fetchone), outcome(other.fetchone)]
    return [*seen, outcome(lambda: connection.execute("select 1").fetchall())]


@scenario
def traced_texts(module):
    connection = module.connect(":memory:")
    traced = []
    connection.set_trace_callback(traced.append)
    connection.execute("  select  1 ; ").fetchall()
    connection.execute("select ?", ("a\0b",)).fetchall()
    connection.execute("explain select 1").fetchall()
    connection.execute("explain query plan select 1").fetchall()
    connection.executescript("select 1;  select 2; /* x */ create table t(a)")
    connection.execute("/* c */ insert into t values (?)", (1.5,))
    connection.commit()
    return traced


@scenario
def slices_of_blobs(module):
    connection = module.connect(":memory:")
    connection.execute("create table t(a)")
    connection.execute("insert into t values (x'00010203040506070809')")
    blob = connection.blobopen("t", "a", 1)
    seen = []
    for key in [slice(None), slice(2, 5), slice(5, 2), slice(100, 200), slice(1, 8, 3)]:
        for value in [b"", b"ab", b"abc", bytearray(b"abcde"), "text", 5, None, memoryview(b"abcdef")[::2]]:
            seen.append((outcome(blob.__setitem__, key, value), blob[:]))
    return seen


BLOB_STEPS = [
    "update t set n = 6 where i = 1",
    "update t set n = 7 where i = 2",
    "delete from t where i = 1",
    "delete from t",
    "drop table g",
    "drop table t",
    "alter table t add column z",
    "alter table t rename to u",
    "begin",
    "commit",
    "insert into t values (1, 2, 3)",
    "savepoint s; insert into t values (1, 2, 4); rollback to s",
    "begin; insert into t values (1, 2, 5); rollback",
    "begin; insert into t values (7, 7, 7); commit",
    "replace into t values (x'01', 2, 1)",
    "insert or rollback into t values (0, 0, 1)",
    "vacuum",
    "pragma journal_mode = wal",
    "pragma wal_checkpoint",
    "attach ':memory:' as x; detach x",
    "create index z on t(n)",
]


@pytest.mark.parametrize("step", BLOB_STEPS)
@pytest.mark.parametrize("readonly", [False, True])
def test_an_open_blob_is_a_running_statement(step, readonly, tmp_path):
    def run(module):
        path = tmp_path / module.__name__
        connection = module.connect(path, isolation_level=None)
        connection.executescript(
            "create table t(a, n, i integer primary key); insert into t values (x'0001020304', 5, 1), (x'00', 6, 2);"
            "create table g(a);"
        )
        blob = connection.blobopen("t", "a", 1, readonly=readonly)
        seen = [outcome(lambda: connection.executescript(step) and None), outcome(lambda: blob.read(2)), len(blob)]
        seen.append(outcome(blob.write, b"q"))
        other = module.connect(path, timeout=0, isolation_level=None)
        seen.append(outcome(lambda: other.execute("insert into t values (9, 9, 9)") and None))
        seen.append(outcome(lambda: other.execute("select count(*) from t").fetchall()))
        seen += [outcome(blob.close), connection.in_transaction]
        seen.append(outcome(lambda: other.execute("insert into t values (9, 9, 10)") and None))
        seen.append(outcome(lambda: connection.execute("select a from t").fetchall()))
        connection.close()
        other.close()
        return seen

    assert run(minisql) == run(sqlite3)


@scenario
def blobs_and_transactions(module):
    connection = module.connect(":memory:")
    connection.execute("create table t(a, b as (a))")
    connection.execute("create table u(a, i integer primary key)")
    connection.execute("insert into u values (x'0001020304', 1)")
    connection.commit()
    seen = [outcome(connection.blobopen, "u", "i", 1)]
    blob = connection.blobopen("u", "a", 1)
    blob.write(b"zz")
    connection.execute("insert into u values (1, 2)")
    seen += [outcome(connection.commit), connection.in_transaction]
    blob.close()
    seen += [outcome(connection.commit), connection.in_transaction]
    blob = connection.blobopen("u", "a", 1)
    blob.write(b"yy")
    connection.execute("insert into u values (1, 3)")
    connection.rollback()
    seen += [outcome(blob.read), outcome(blob.close)]
    seen.append(connection.execute("select * from u").fetchall())
    blob = connection.blobopen("u", "a", 1)
    blob.write(b"ww")
    del blob
    connection.execute("begin")
    connection.rollback()
    seen.append(connection.execute("select * from u").fetchall())
    return seen


@scenario
def drop_waits_for_readers(module):
    connection = module.connect(":memory:", isolation_level=None)
    connection.executescript(
        "create table t(a); insert into t values (1), (2); create table g(a); create index gi on g(a); create view v as select 1;"
        "attach ':memory:' as x; create table x.z(a);"
    )
    seen = []
    for query in ["select 1 union all select 2", "select * from t"]:
        cursor = connection.execute(query)
        cursor.fetchone()
        for sql in ["drop view v", "drop index gi", "drop table x.z", "drop table g", "detach x", "select count(*) from t"]:
            seen.append((query, sql, outcome(lambda sql=sql: connection.execute(sql).fetchall())))
        connection.rollback()
        cursor.fetchall()
    return seen


@scenario
def a_backup_waits_for_its_own_transaction(module):
    source, target = module.connect(":memory:"), module.connect(":memory:")
    source.execute("create table t(a)")
    source.execute("insert into t values (1)")
    statuses = []
    source.backup(target, sleep=0.001, progress=lambda status, *_pages: (statuses.append(status), source.commit()))
    return [statuses, target.execute("select * from t").fetchall()]


@scenario
def names_of_functions_fold_ascii_only(module):
    connection = module.connect(":memory:")
    connection.create_function("ÉA", 0, lambda: 1)
    return [outcome(lambda name=name: connection.execute(f"select {name}()").fetchall()) for name in ("ÉA", "Éa", "éa")]


@scenario
def a_parameter_has_the_first_of_its_names(module):
    connection = module.connect(":memory:")
    return [
        outcome(lambda sql=sql: connection.execute(sql, {"a": 1, "b": 2, "1": 3}).fetchall())
        for sql in ("select :a, ?1", "select ?1, :a", "select :b, :a, ?2", "select ?1", "select ?, ?1")
    ]


@scenario
def a_rollback_inside_aborts_the_writer(module):
    seen = []
    for sql in [
        "insert into t select undo() from s",
        "insert into t values (undo())",
        "update s set a = undo()",
        "delete from s where undo()",
        "select undo() from s",
    ]:
        connection = module.connect(":memory:", isolation_level=None)
        connection.executescript("create table t(a); create table s(a); insert into s values (1), (2), (3); begin")

        def undo(connection=connection):
            if connection.in_transaction:
                connection.execute("rollback")
            return 1

        connection.create_function("undo", 0, undo)
        connection.execute("insert into t values (9)")
        seen.append(outcome(lambda sql=sql, connection=connection: connection.execute(sql).fetchall()))
        seen += [connection.in_transaction, connection.execute("select (select count(*) from t), sum(a) from s").fetchall()]
    return seen


@scenario
def violations_put_off_by_a_pragma_are_forgotten_with_it(module):
    connection = module.connect(":memory:", isolation_level=None)
    connection.executescript(
        "pragma foreign_keys = on; create table p(a primary key); create table c(x references p); insert into p values (1);"
        "insert into c values (1); begin; pragma defer_foreign_keys = on; delete from p;"
    )
    seen = [outcome(connection.commit), connection.in_transaction]
    connection.execute("pragma defer_foreign_keys = off")
    return [*seen, outcome(connection.commit), connection.in_transaction, connection.execute("select * from c").fetchall()]


@scenario
def types_in_messages(module):
    import collections
    import datetime
    import decimal

    class Made:
        def __conform__(self, protocol):
            return [1]

    connection = module.connect(":memory:")
    return [
        outcome(connection.execute, "select ?", (value,))
        for value in (decimal.Decimal(1), datetime.time(1), collections.deque(), Made(), 1j, object())
    ] + [outcome(connection.execute, decimal.Decimal(1)), outcome(module.connect, ":memory:", timeout=decimal)]


@scenario
def a_uri_begins_with_small_letters(module):
    return [outcome(module.connect, "FILE:/nonexistent/a.db", uri=True)]


AUDITED = """
import pathlib, sys
module = __import__(sys.argv[1])
seen = []
def hook(event, arguments):
    if event.startswith("sqlite3"):
        seen.append((event, [each if isinstance(each, (str, bytes, int)) else type(each).__name__ for each in arguments]))
sys.addaudithook(hook)
for database in (":memory:", b":memory:", pathlib.Path("/nonexistent/x"), 5, "a\\0b"):
    try:
        module.connect(database)
    except Exception as error:
        seen.append(str(error))
try:
    module.connect(":memory:", isolation_level="x")
except ValueError as error:
    seen.append(str(error))
connection = module.connect(":memory:")
connection.__init__("file::memory:", uri=True)
print(seen)
"""


def test_audit_events():
    outputs = [
        subprocess.run([sys.executable, "-c", AUDITED, module], capture_output=True, text=True, check=True).stdout
        for module in ("sqlite3", "minisql")
    ]
    assert outputs[0] == outputs[1]


def test_installed_modules_are_loaded_once():
    """A test that puts `sys.modules` back must not leave two copies of the engine's modules."""
    code = """
        import sys
        import minisql
        minisql.install()
        import sqlite3
        connection = sqlite3.connect(":memory:")
        connection.execute("create table t(a)")
        for name in [name for name in sys.modules if name.startswith("minisql.")]:
            del sys.modules[name]
        assert connection.execute("select coalesce(a, 1), quote(a), count(*) from t").fetchall() == [(1, "NULL", 0)]
        other = sqlite3.connect(":memory:")
        try:
            other.execute("select json_extract('[1]', '$[0]'), nosuch")
        except sqlite3.OperationalError as error:
            assert str(error) == "no such column: nosuch"
        else:
            raise SystemExit("no error")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
