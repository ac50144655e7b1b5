"""Virtual file systems of the user's own: the examples of docs/vfs.md and docs/examples, and the registry."""

import http.server
import importlib.util
import re
import threading
from pathlib import Path

import apsw
import pytest

import minisql

DOCS = Path(__file__).parents[3] / "docs"


def example(name):
    specification = importlib.util.spec_from_file_location(name, DOCS / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("number", range(2))
def test_examples_of_the_page_run(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "vfs.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    exec(compile(blocks[number], "vfs.md", "exec"), {"__name__": "example"})


class RangeHandler(http.server.BaseHTTPRequestHandler):
    """Serves one file, whole or in ranges, and counts the bytes."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.answer(b"", len(self.server.content) if self.path == "/data.db" else -1, 200)

    def do_GET(self):
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        data = self.server.content[first : last + 1]
        self.server.n_bytes += len(data)
        self.answer(data, len(data), 206)

    def answer(self, data, length, status):
        self.send_response(status if length >= 0 else 404)
        self.send_header("Content-Length", str(max(length, 0)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path):
    connection = apsw.Connection(str(tmp_path / "data.db"))
    list(connection.execute("create table t(a integer primary key, b); create index i on t(b)"))
    with connection:
        connection.executemany("insert into t values (?, ?)", ((i, f"row {i} " + "x" * 200) for i in range(3000)))
    connection.close()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RangeHandler)
    server.content = (tmp_path / "data.db").read_bytes()
    server.n_bytes = 0
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_pages_are_read_by_range_requests(server):
    module = example("http_vfs")
    minisql.register_vfs(module.HttpVfs(f"http://127.0.0.1:{server.server_address[1]}"))
    connection = minisql.connect("file:/data.db?vfs=http&mode=ro", uri=True)
    assert connection.execute("select a from t where b = ?", ("row 2718 " + "x" * 200,)).fetchall() == [(2718,)]
    assert server.n_bytes < len(server.content) // 2
    assert connection.execute("select count(*), sum(a) from t").fetchone() == (3000, 2999 * 1500)
    with pytest.raises(minisql.OperationalError, match="attempt to write a readonly database"):
        connection.execute("insert into t values (9999, 1)")
    connection.close()
    with pytest.raises(minisql.OperationalError, match="unable to open database file"):
        minisql.connect("file:/other.db?vfs=http&mode=ro", uri=True).execute("select 1 from t")
    minisql.unregister_vfs("http")
    with pytest.raises(minisql.OperationalError, match="no such vfs: http"):
        minisql.connect("file:/data.db?vfs=http", uri=True)


@pytest.mark.parametrize("mode", ["delete", "persist", "wal"])
def test_encrypting_vfs_writes_nothing_in_clear(tmp_path, mode):
    module = example("encrypting_vfs")
    minisql.register_vfs(module.EncryptingVfs(b"key"))
    path = str(tmp_path / "secret.db")
    uri = f"file:{path}?vfs=encrypting"
    connection = minisql.connect(uri, uri=True, isolation_level=None)
    assert connection.execute(f"pragma journal_mode = {mode}").fetchone() == (mode,)
    connection.execute("pragma cache_size = 10")
    connection.execute("create table t(a, b)")
    connection.execute("begin")
    connection.executemany("insert into t values (?, ?)", [(i, "plaintext " * 50) for i in range(300)])
    connection.execute("update t set a = a + 1")
    for name in tmp_path.iterdir():
        assert b"plaintext" not in name.read_bytes() and b"SQLite format" not in name.read_bytes()
    connection.execute("rollback")
    connection.execute("insert into t values (1, 'plaintext')")
    other = minisql.connect(uri, uri=True)
    assert other.execute("select * from t").fetchall() == [(1, "plaintext")]
    assert other.execute("pragma integrity_check").fetchone() == ("ok",)
    other.close()
    connection.close()
    minisql.unregister_vfs("encrypting")
    for name in tmp_path.iterdir():
        assert b"plaintext" not in name.read_bytes()
    plain = minisql.connect(path)
    with pytest.raises(minisql.DatabaseError, match="file is not a database"):
        plain.execute("select * from t")
    plain.close()


def test_names_of_built_in_file_systems_are_taken():
    class Unix:
        name = "unix"

    with pytest.raises(minisql.InterfaceError):
        minisql.register_vfs(Unix())
    minisql.unregister_vfs("unix")
    minisql.connect("file::memory:?vfs=unix", uri=True).close()
