"""The engine's own process and the grader's side of the pipe, with small engines made for the purpose."""

import textwrap
from pathlib import Path

import pytest

from agent_harness.contract import compiled
from agent_harness.contract.engine_links import EngineServer
from agent_harness.contract.engine_process import code_name
from agent_harness.contract.process_engine import EngineCrash, EngineRefusal, ProcessEngine

HEAD = """
class Error(Exception):
    pass


class Cursor:
    description, rowcount = (("x",),), 3

    def __init__(self):
        self.rows = []

    def execute(self, sql, parameters=()):
        self.rows = answer(sql)
        return self

    def fetchall(self):
        return self.rows

    def __iter__(self):
        return iter(self.rows)


class Connection:
    in_transaction = True

    def cursor(self):
        return Cursor()

    def close(self):
        closing()


def closing():
    pass


def connect(path, isolation_level=None):
    return Connection()
"""


def engine(folder: Path, body: str, timeout_s: float = 20.0, is_covered: bool = False) -> ProcessEngine:
    package = folder / "toy"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(HEAD + textwrap.dedent(body))
    return ProcessEngine(folder, "toy", timeout_s, is_covered)


def test_values_cross_the_pipe_unchanged(tmp_path: Path) -> None:
    made = engine(
        tmp_path,
        """
        def answer(sql):
            return [(1, 2.5, None, b"\\x00\\xff", "\\udcff \\u00e4"), (float("inf"), -0.0, 2**62, b"", "")]
        """,
    )
    made.open(None)
    rows = made.execute("SELECT 1")
    assert list(rows) == [(1, 2.5, None, b"\x00\xff", "\udcff ä"), (float("inf"), -0.0, 2**62, b"", "")]
    assert (made.column_count("SELECT 1"), made.rows_affected(), made.in_transaction()) == (1, 3, True)
    made.close()
    assert made.cpu_seconds > 0


def test_refusals_are_answers_and_other_exceptions_are_crashes(tmp_path: Path) -> None:
    made = engine(
        tmp_path,
        """
        def answer(sql):
            if sql == "bad":
                raise Error("no such thing")
            raise KeyError("inside")
        """,
    )
    made.open(None)
    with pytest.raises(EngineRefusal, match=r"^no such thing$"):
        made.execute("bad")
    with pytest.raises(EngineCrash, match=r"KeyError: 'inside' \(__init__.py:answer:\d+\)"):
        made.execute("worse")
    with pytest.raises(EngineRefusal):
        made.execute("bad")
    made.close()


def test_engine_that_hangs_is_ended(tmp_path: Path) -> None:
    made = engine(tmp_path, "def answer(sql):\n    while True:\n        pass\n", timeout_s=0.5)
    made.open(None)
    with pytest.raises(EngineCrash, match="timed out"):
        made.execute("SELECT 1")
    with pytest.raises(EngineCrash, match="timed out"):
        made.execute("SELECT 2")
    made.restart()
    made.open(None)
    made.close()


def test_value_of_another_class_cannot_pass_for_a_value(tmp_path: Path) -> None:
    made = engine(tmp_path, "class Any(int):\n    pass\n\n\ndef answer(sql):\n    return [(Any(1), True)]\n")
    made.open(None)
    assert list(made.execute("SELECT 1")) == [({"type": "Any"}, {"type": "bool"})]
    made.close()


def test_two_answers_to_one_question_break_the_protocol(tmp_path: Path) -> None:
    made = engine(
        tmp_path,
        """
        import os

        def answer(sql):
            for number in range(3, 10):
                try:
                    os.write(number, b'{"rows": [[1]]}\\n')
                except OSError:
                    continue
            return [(2,)]
        """,
    )
    made.open(None)
    with pytest.raises(EngineCrash, match="broke the protocol"):
        made.execute("SELECT 1")
        made.execute("SELECT 2")
    made.close()


def test_file_that_cannot_be_closed_is_a_failure(tmp_path: Path) -> None:
    made = engine(tmp_path, "def answer(sql):\n    return []\n\n\ndef closing():\n    raise Error('disk')\n")
    made.open(str(tmp_path / "scratch.db"))
    with pytest.raises(EngineCrash, match="closing: Error: disk"):
        made.close()


def test_bytecode_lying_in_the_checkout_is_not_used(tmp_path: Path) -> None:
    body = "def answer(sql):\n    return [(1,)]\n"
    made = engine(tmp_path, body)
    made.open(None)
    assert list(made.execute("x")) == [(1,)]
    made.close()
    source = (tmp_path / "toy" / "__init__.py").read_bytes()
    assert (compiled.folder() / code_name(source)).exists()
    assert not (tmp_path / "toy" / "__pycache__").exists()
    again = engine(tmp_path, body.replace("(1,)", "(2,)"))
    again.open(None)
    assert list(again.execute("x")) == [(2,)]
    again.close()


def test_coverage_of_chosen_statements(tmp_path: Path) -> None:
    made = engine(tmp_path, "def answer(sql):\n    return [(sql,)]\n", is_covered=True)
    made.open(None)
    made.is_covering = False
    made.execute("quietly")
    assert made.coverage == []
    made.is_covering = True
    made.execute("aloud")
    assert {(file, name) for file, name, _ in made.coverage} >= {
        ("toy/__init__.py", "answer"),
        ("toy/__init__.py", "Cursor.execute"),
    }
    made.close()


def test_guard_stays_on_while_tracing(tmp_path: Path) -> None:
    made = engine(tmp_path, "def answer(sql):\n    open('/etc/passwd')\n    return []\n", is_covered=True)
    made.open(None)
    with pytest.raises(EngineCrash, match="stopped by the guard: open outside"):
        made.execute("SELECT 1")
    made.close()


def test_engine_may_write_in_its_scratch_folder_only(tmp_path: Path) -> None:
    made = engine(
        tmp_path,
        """
        def answer(sql):
            with open(sql, "w") as file:
                file.write("x")
            return []
        """,
    )
    made.open(None)
    made.execute("here.txt")
    with pytest.raises(EngineCrash, match="open for writing outside"):
        made.execute(str(tmp_path / "there.txt"))
    made.close()
    assert not (tmp_path / "there.txt").exists()


def test_forked_engines_are_alike_and_apart(tmp_path: Path) -> None:
    engine(
        tmp_path,
        """
        import os

        count = [0]


        def answer(sql):
            count[0] += 1
            open(f"made-{count[0]}", "w").close()
            return [(count[0], len(os.listdir(".")))]
        """,
    )
    with EngineServer(tmp_path, "toy") as server:
        for _ in range(2):
            made = ProcessEngine(tmp_path, "toy", 20.0, server=server)
            made.open(None)
            assert [list(made.execute("SELECT 1")), list(made.execute("SELECT 2"))] == [[(1, 1)], [(2, 2)]]
            made.close()
            assert made.cpu_seconds > 0


def test_forked_engine_that_hangs_is_ended_alone(tmp_path: Path) -> None:
    body = "def answer(sql):\n    while sql == 'hang':\n        pass\n    return [(1,)]\n"
    engine(tmp_path, body)
    with EngineServer(tmp_path, "toy") as server:
        one, other = (ProcessEngine(tmp_path, "toy", seconds, server=server) for seconds in (0.5, 20.0))
        one.open(None)
        other.open(None)
        with pytest.raises(EngineCrash, match="timed out"):
            one.execute("hang")
        assert list(other.execute("SELECT 1")) == [(1,)]
        one.restart()
        one.open(None)
        assert list(one.execute("SELECT 1")) == [(1,)]
        one.close()
        other.close()


def test_every_engine_of_a_server_that_cannot_import_fails_with_the_reason(tmp_path: Path) -> None:
    engine(tmp_path, "raise KeyError('inside')\n")
    with EngineServer(tmp_path, "toy") as server:
        made = ProcessEngine(tmp_path, "toy", 20.0, server=server)
        with pytest.raises(EngineCrash, match="cannot be imported: KeyError: 'inside'"):
            made.open(None)


@pytest.mark.parametrize("moment", ["before", "after_in_child", "after_in_parent"])
def test_guard_is_on_while_a_server_forks(tmp_path: Path, moment: str) -> None:
    engine(
        tmp_path,
        f"""
        import os


        def escape():
            import sqlite3


        os.register_at_fork({moment}=escape)


        def answer(sql):
            return [(1,)]
        """,
    )
    with EngineServer(tmp_path, "toy") as server:
        made = ProcessEngine(tmp_path, "toy", 20.0, server=server)
        with pytest.raises(EngineCrash, match=r"guard|server"):
            made.open(None)
            made.execute("SELECT 1")
        made.close()


def test_forked_engine_may_not_fork_or_read_another_ones_folder(tmp_path: Path) -> None:
    engine(
        tmp_path,
        """
        import os


        def answer(sql):
            if sql == "fork":
                os.fork()
            return [(len(os.listdir("..")),)]
        """,
    )
    with EngineServer(tmp_path, "toy") as server:
        for sql in ("fork", "list"):
            made = ProcessEngine(tmp_path, "toy", 20.0, server=server)
            made.open(None)
            with pytest.raises(EngineCrash, match="guard"):
                made.execute(sql)
            made.close()
