"""Threads: one lock for each connection, and connections that keep to their thread."""

import threading

import pytest

import minisql


def in_threads(n, action):
    """Runs action(number) in n threads at once and raises what the first of them raised."""
    failures = []

    def run(number):
        try:
            action(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_threads_share_one_connection():
    connection = minisql.connect(":memory:", check_same_thread=False, isolation_level=None)
    connection.execute("create table t(a integer primary key, thread, b)")
    connection.execute("create index i on t(thread, b)")

    def work(number):
        for i in range(60):
            connection.execute("insert into t(thread, b) values (?, ?)", (number, i))
            cursor = connection.cursor()
            cursor.execute("select b from t where thread = ? order by b", (number,))
            assert [row[0] for row in cursor] == list(range(i + 1))

    in_threads(4, work)
    assert connection.execute("select thread, count(*), sum(b) from t group by 1").fetchall() == [
        (number, 60, 1770) for number in range(4)
    ]
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_lock_is_not_held_between_rows():
    connection = minisql.connect(":memory:", check_same_thread=False)
    cursor = connection.execute("values (1), (2), (3)")
    assert cursor.fetchone() == (1,)
    found = []
    thread = threading.Thread(target=lambda: found.append(connection.execute("select 7").fetchall()))
    thread.start()
    thread.join(10)
    assert found == [[(7,)]]
    assert cursor.fetchall() == [(2,), (3,)]
    connection.close()


def test_calls_wait_for_the_call_of_another_thread():
    connection = minisql.connect(":memory:", check_same_thread=False)
    entered, leave, order = threading.Event(), threading.Event(), []

    def slow():
        entered.set()
        leave.wait(10)
        order.append("first")
        # A callback may use the connection that calls it.
        return connection.execute("select 5").fetchone()[0]

    connection.create_function("slow", 0, slow)
    first = threading.Thread(target=lambda: connection.execute("select slow()").fetchall())
    first.start()
    assert entered.wait(10)
    second = threading.Thread(target=lambda: (connection.execute("select 1").fetchall(), order.append("second")))
    second.start()
    second.join(0.05)
    assert second.is_alive()
    leave.set()
    first.join(10)
    second.join(10)
    assert order == ["first", "second"]
    connection.close()


def test_interrupt_does_not_wait():
    connection = minisql.connect(":memory:", check_same_thread=False)
    entered = threading.Event()
    connection.create_function("here", 0, lambda: entered.set() or 1)
    failures = []

    def run():
        sql = "with recursive c(x) as (select here() union all select x + 1 from c) select count(*) from c"
        try:
            connection.execute(sql).fetchall()
        except minisql.OperationalError as error:
            failures.append(error.sqlite_errorname)

    thread = threading.Thread(target=run)
    thread.start()
    assert entered.wait(10)
    while thread.is_alive():
        connection.interrupt()
        thread.join(0.01)
    assert failures == ["SQLITE_INTERRUPT"]
    connection.close()


def test_each_thread_has_a_connection_to_one_file(tmp_path):
    path = tmp_path / "a.db"
    setup = minisql.connect(path)
    setup.execute("create table t(a integer primary key, thread)")
    setup.close()

    def work(number):
        connection = minisql.connect(path, timeout=60)
        for _ in range(15):
            with connection:
                connection.execute("insert into t(thread) values (?)", (number,))
        connection.close()

    in_threads(4, work)
    connection = minisql.connect(path)
    assert connection.execute("select thread, count(*) from t group by 1").fetchall() == [(number, 15) for number in range(4)]
    connection.close()


def test_another_thread_is_told_both_threads():
    connection = minisql.connect(":memory:")
    here = threading.get_ident()

    def work(_number):
        with pytest.raises(minisql.ProgrammingError, match=f"created in thread id {here} and this is thread id {threading.get_ident()}"):
            connection.execute("select 1")

    in_threads(1, work)
    connection.close()


def test_cursor_that_another_thread_drops_ends_its_statement():
    connection = minisql.connect(":memory:", check_same_thread=False)
    holder = [connection.execute("values (1), (2)")]
    thread = threading.Thread(target=holder.clear)
    thread.start()
    thread.join()
    connection.execute("create table t(a)")
    connection.commit()
    connection.close()


def test_target_of_a_backup_belongs_to_another_thread():
    targets = []
    thread = threading.Thread(target=lambda: targets.append(minisql.connect(":memory:")))
    thread.start()
    thread.join()
    source = minisql.connect(":memory:")
    source.execute("create table t(a)")
    source.backup(targets[0])
    source.close()


def test_other_threads_go_on_between_the_steps_of_a_backup():
    source = minisql.connect(":memory:", check_same_thread=False, isolation_level=None)
    source.execute("create table t(a)")
    source.executemany("insert into t values (?)", [("x" * 500,)] * 100)
    found = []

    def progress(status, remaining, total):
        thread = threading.Thread(target=lambda: found.append(source.execute("select count(*) from t").fetchone()))
        thread.start()
        thread.join(10)

    target = minisql.connect(":memory:", check_same_thread=False)
    source.backup(target, pages=4, progress=progress)
    assert len(found) > 2 and set(found) == {(100,)}
    assert target.execute("select count(*) from t").fetchone() == (100,)
    source.close()
    target.close()


def test_extensions_can_only_be_forbidden():
    connection = minisql.connect(":memory:")
    connection.enable_load_extension(False)
    for call in (lambda: connection.enable_load_extension(True), lambda: connection.load_extension("x")):
        with pytest.raises(minisql.NotSupportedError, match="machine code"):
            call()
    connection.close()
