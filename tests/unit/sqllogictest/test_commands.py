"""The command line from end to end."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("click", reason="the command line needs the extra [tools]")
pytest.importorskip("rich", reason="the command line needs the extra [tools]")

from click.testing import CliRunner, Result

from sqllogictest import __main__
from sqllogictest.commands import command_line

GOOD = "statement ok\nCREATE TABLE t(a)\n\nquery I nosort\nSELECT 1\n----\n1\n\nonlyif mysql\nstatement ok\nx\n"
BAD = "query IT nosort\nSELECT 1, 'a' UNION SELECT 2, 'b'\n----\n1\na\n2\nB\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "good.test").write_text(GOOD)
    (tmp_path / "suite" / "bad.slt").write_text(BAD)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, arguments)


def test_run_that_passes_exits_zero_and_ends_with_the_score(folder: Path) -> None:
    result = call("run", "-e", "sqlite3", "suite/good.test")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "2 passed, 0 failed, 1 skipped"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_run_that_fails_exits_one_and_shows_both_sides(folder: Path, jobs: str) -> None:
    result = call("run", "-e", "sqlite3", "-j", jobs, "suite")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"
    shown = result.stdout.split("\n\n")[0].splitlines()
    assert shown == [
        "suite/bad.slt:1: query: wrong result",
        "    SELECT 1, 'a' UNION SELECT 2, 'b'",
        "    expected   actual",
        "    1        | 1",
        "    a        | a",
        "    2        | 2",
        "    B        ! b",
    ]


def test_max_failures_limits_what_is_shown(folder: Path) -> None:
    (folder / "many.test").write_text(BAD + "\n" + BAD + "\n" + BAD)
    result = call("run", "-e", "sqlite3", "--max-failures", "1", "many.test")
    assert "... 2 more failures not shown" in result.stdout
    assert result.stdout.splitlines()[-1] == "0 passed, 3 failed"


@pytest.mark.parametrize(
    "arguments", [("nosuch.test",), ("-e", "oracle", "suite"), ("--shard", "3/2", "-e", "sqlite3", "suite"), ()]
)
def test_command_that_cannot_be_carried_out_exits_two(folder: Path, arguments: tuple[str, ...]) -> None:
    assert call("run", *arguments).exit_code == 2


def test_documents_hold_scores_and_failures(folder: Path) -> None:
    call("run", "-e", "sqlite3", "--json", "out.json", "--junit", "out.xml", "suite")
    document = json.loads((folder / "out.json").read_text())
    assert (document["n_passed"], document["n_failed"], document["n_skipped"]) == (2, 1, 1)
    assert [file["name"] for file in document["files"]] == ["suite/bad.slt", "suite/good.test"]
    assert document["files"][0]["failures"][0]["actual"] == ["1", "a", "2", "b"]
    suites = ElementTree.parse(folder / "out.xml").getroot().findall("testsuite")
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("1", "1"), ("3", "0")]
    assert "wrong result" in (suites[0].find("testcase/failure").get("message") or "")  # type: ignore[union-attr]


def test_json_on_stdout_is_nothing_but_json(folder: Path) -> None:
    result = call("run", "-e", "sqlite3", "--json", "-", "suite")
    assert json.loads(result.stdout)["n_failed"] == 1
    assert result.exit_code == 1


def test_ledger_lets_a_stopped_run_go_on(folder: Path) -> None:
    first = call("run", "-e", "sqlite3", "--ledger", "done.jsonl", "suite/good.test")
    assert first.exit_code == 0
    with open("done.jsonl", "a", encoding="utf-8") as stream:
        stream.write('{"key": "cut sho')
    (folder / "suite" / "good.test").write_text(GOOD.replace("SELECT 1\n", "SELECT 2\n"))
    second = call("run", "-e", "sqlite3", "--ledger", "done.jsonl", "suite")
    assert second.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"
    fresh = call("run", "-e", "sqlite3", "suite")
    assert fresh.stdout.splitlines()[-1] == "1 passed, 2 failed, 1 skipped"


def test_shards_share_out_the_files(folder: Path) -> None:
    scores = [call("run", "-e", "sqlite3", "--shard", f"{k}/2", "suite").stdout.splitlines()[-1] for k in (1, 2)]
    assert sorted(scores) == ["0 passed, 1 failed", "2 passed, 0 failed, 1 skipped"]


def test_slowest_files_are_listed(folder: Path) -> None:
    lines = call("run", "-e", "sqlite3", "--slowest", "1", "suite").stdout.splitlines()
    start = lines.index("slowest files:")
    assert lines[start + 1].endswith((".slt", ".test")) and " s " in lines[start + 1]


@pytest.mark.parametrize("executor", ["threads", "concurrent.futures:ThreadPoolExecutor"])
def test_any_executor_runs_the_files(folder: Path, executor: str) -> None:
    result = call("run", "-e", "sqlite3", "--executor", executor, "--executor-option", "max_workers=2", "suite")
    assert result.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"


def test_unknown_executor_is_named(folder: Path) -> None:
    result = call("run", "-e", "sqlite3", "--executor", "nosuch", "suite")
    assert result.exit_code == 2
    assert "nosuch" in result.output


def test_cluster_runs_the_files(folder: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed, the extra [cluster], is not installed")
    result = call("run", "-e", "sqlite3", "--executor", "dask", "--executor-option", "processes=false", "suite")
    assert result.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"


def test_missing_cluster_package_names_its_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = call("run", "-e", "sqlite3", "--executor", "dask", "suite")
    assert result.exit_code == 2
    assert "[cluster]" in result.output


def test_stop_after_begins_no_further_file(folder: Path) -> None:
    for i in range(5):
        (folder / "suite" / f"bad{i}.test").write_text(BAD)
    result = call("run", "-e", "sqlite3", "-j", "1", "--stop-after", "2", "suite")
    assert result.exit_code == 1
    assert ", 2 failed" in result.stdout.splitlines()[-1]


def test_progress_goes_to_stderr(folder: Path) -> None:
    result = call("run", "-e", "sqlite3", "--progress", "suite/good.test")
    assert "files" in result.stderr
    assert result.stdout.splitlines()[-1] == "2 passed, 0 failed, 1 skipped"


def test_database_file_mode_checks_the_file(folder: Path) -> None:
    result = call("run", "-e", "sqlite3", "--database", "file", "suite/good.test")
    assert result.stdout.splitlines()[-1] == "3 passed, 0 failed, 1 skipped"


def test_complete_writes_in_place_and_check_writes_nothing(folder: Path) -> None:
    path = folder / "new.slt"
    path.write_text("query\nSELECT 1 + 1\n")
    assert call("complete", "-e", "sqlite3", "--check", "new.slt").exit_code == 1
    assert path.read_text() == "query\nSELECT 1 + 1\n"
    assert call("complete", "-e", "sqlite3", "new.slt").exit_code == 0
    assert path.read_text() == "query I nosort\nSELECT 1 + 1\n----\n2\n"
    assert call("complete", "-e", "sqlite3", "--check", "new.slt").exit_code == 0
    assert call("run", "-e", "sqlite3", "new.slt").exit_code == 0


def test_format_writes_the_canonical_layout(folder: Path) -> None:
    (folder / "loose.slt").write_bytes(b"query   I\r\nSELECT 1  \r\n----\r\n1\r\n\r\n\r\n")
    assert call("format", "--check", "loose.slt").exit_code == 1
    assert call("format", "-o", "-", "loose.slt").stdout == "query I nosort\nSELECT 1\n----\n1\n"
    assert call("format", "loose.slt").exit_code == 0
    assert call("format", "--check", "loose.slt").exit_code == 0


def test_diff_shows_where_two_engines_differ(folder: Path) -> None:
    pytest.importorskip("apsw")
    (folder / "versions.slt").write_text("query T nosort\nSELECT sqlite_version()\n\nquery I nosort\nSELECT 1\n")
    result = call("diff", "-e", "sqlite3", "apsw", "versions.slt")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed"
    assert "the engines differ" in result.stdout


@pytest.mark.parametrize("package", ["click", "rich"])
def test_missing_package_names_the_extra(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith(package + ".")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "sqllogictest.commands", raising=False)
    assert __main__.main() == 2
    assert f"{package} is not installed" in capsys.readouterr().err


def test_module_can_be_run(folder: Path) -> None:
    command = [sys.executable, "-m", "sqllogictest", "run", "-e", "sqlite3", "suite/good.test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy())
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "2 passed, 0 failed, 1 skipped")
