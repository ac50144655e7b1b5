"""The pytest plugin, in a pytest of its own."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SUITE = "statement ok\nCREATE TABLE t(a)\n\n" + "query I nosort\nSELECT 1\n----\n1\n\n" * 6


def make_suite(pytester: pytest.Pytester, name: str, text: str = SUITE) -> Path:
    path = pytester.path / name
    path.write_text(text)
    return path


def test_named_files_become_items(pytester: pytest.Pytester) -> None:
    make_suite(pytester, "a.slt")
    make_suite(pytester, "b.test", SUITE + "query I nosort\nSELECT 2\n----\n3\n")
    result = pytester.runpytest("--slt-engine", "sqlite3", "a.slt", "b.test")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["b.test:*: query: wrong result", "*SELECT 2", "*3*!*2"])


def test_folder_is_left_alone_without_an_engine(pytester: pytest.Pytester) -> None:
    make_suite(pytester, "a.slt")
    pytester.runpytest().assert_outcomes(passed=0, failed=0)


def test_ini_value_turns_folders_on(pytester: pytest.Pytester) -> None:
    make_suite(pytester, "a.slt")
    pytester.makeini("[pytest]\nslt_engine = sqlite3\n")
    pytester.runpytest().assert_outcomes(passed=1)


def test_groups_and_setups_multiply_items(pytester: pytest.Pytester) -> None:
    make_suite(pytester, "a.slt")
    arguments = ["--slt-engine", "sqlite3", "--slt-groups", "3", "--slt-setup", "SELECT 1", "--slt-setup", "SELECT 2", "a.slt"]
    pytester.runpytest(*arguments).assert_outcomes(passed=6)


def test_files_run_in_parallel_processes(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    for name in ("a.slt", "b.slt", "c.slt"):
        make_suite(pytester, name)
    arguments = ["-n", "2", "--dist", "worksteal", "--slt-engine", "sqlite3", "a.slt", "b.slt", "c.slt"]
    pytester.runpytest_subprocess(*arguments).assert_outcomes(passed=3)
