"""Statements from production become records: scripts, the engine's log, what is left out and why."""

from pathlib import Path

import pytest

import minisql
from agent_harness import evolve
from agent_harness.config import Config, load
from agent_harness.errors import ConfigurationError


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "tests" / "slt").mkdir(parents=True)
    (tmp_path / "tests" / "slt" / "first.slt").write_text("statement ok\nSELECT 1\n")
    return load(None, checkout=tmp_path)


def test_script_becomes_a_suite_with_the_reference_answers(config: Config) -> None:
    file = config.checkout / "orders.sql"
    file.write_text("CREATE TABLE t(a); INSERT INTO t VALUES (4),(3); SELECT a FROM t; SELECT random(); SELECT b FROM t;")
    added = evolve.add(config, file)
    assert added["suites"] == ["tests/slt/evolved/orders.slt"]
    assert added["n_records"] == 4
    assert "another answer each time" in str(added)
    text = (config.checkout / "tests/slt/evolved/orders.slt").read_text()
    assert "query I rowsort\nSELECT a FROM t\n----\n3\n4\n" in text
    assert "statement error\nSELECT b FROM t\n----\nno such column: b\n" in text
    assert "already there" in str(evolve.add(config, file))


def test_log_of_the_engine_becomes_suites_without_data(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    log = config.checkout / "trace.jsonl"
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.close()
    assert not log.exists()
    monkeypatch.setenv("MINISQL_TRACE", f"{log}:60000")
    connection = minisql.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t(a, b)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "secret"), (2, "words")])
    for sql in ("SELECT c FROM t", "SELECT abs(?) FROM t"):
        with pytest.raises(minisql.Error):
            connection.execute(sql, (-(2**63),) if "?" in sql else ()).fetchall()
    connection.close()
    text = log.read_text()
    assert len(text.splitlines()) == 2
    assert "secret" not in text and str(2**63) not in text
    added = evolve.add(config, log)
    assert len(added["suites"]) == 2
    suites = "".join((config.checkout / suite).read_text() for suite in added["suites"])
    assert "SELECT abs(1) FROM t" in suites
    assert "no such column: c" in suites


def test_slow_statement_is_logged_with_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "trace.jsonl"
    monkeypatch.setenv("MINISQL_TRACE", f"{log}:0")
    connection = minisql.connect(":memory:", isolation_level=None)
    assert connection.execute("SELECT 1").fetchall() == [(1,)]
    connection.close()
    assert '"sql": "SELECT 1"' in log.read_text()


def test_log_that_cannot_be_written_hinders_no_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISQL_TRACE", f"{tmp_path / 'no' / 'folder'}:0")
    connection = minisql.connect(":memory:", isolation_level=None)
    assert connection.execute("SELECT 1").fetchall() == [(1,)]
    connection.close()


def test_bad_input_is_one_clear_line(config: Config) -> None:
    log = config.checkout / "log"
    log.write_text('{"sql": 1}\n')
    with pytest.raises(ConfigurationError, match="line 1 is not an entry"):
        evolve.add(config, log)
    script = config.checkout / "x.sql"
    script.write_text("SELECT 1")
    with pytest.raises(ConfigurationError, match="not below contract"):
        evolve.add(config, script, Path("elsewhere.slt"))
