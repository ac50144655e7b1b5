"""The shell on a terminal: prompts, statements of several lines, Ctrl-C, completion, history, the end of the input."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from minisql.shell import main as _commands  # noqa: F401
from minisql.shell.line_editing import completions, highlighted
from minisql.shell.state import ShellState


class Terminal:
    """A shell that runs on a pseudo-terminal."""

    def __init__(self, home, kind="dumb"):
        self.master, slave = pty.openpty()
        environment = {**os.environ, "HOME": str(home), "TERM": kind, "MINISQL_HISTORY": str(home / "history")}
        # prompt_toolkit asks a terminal where its cursor is, and this one does not answer.
        environment["PROMPT_TOOLKIT_NO_CPR"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "minisql"], stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.text = ""

    def wait_for(self, wanted, seconds=60):
        """Reads until the text is there; everything up to it is dropped and returned."""
        end = time.monotonic() + seconds
        while wanted not in self.text:
            ready = select.select([self.master], [], [], max(0, end - time.monotonic()))[0]
            assert ready, f"no {wanted!r} in {self.text!r}"
            self.text += os.read(self.master, 65536).decode("utf-8", "replace")
        before, _, self.text = self.text.partition(wanted)
        return before

    def type(self, text):
        os.write(self.master, text.encode())


@pytest.fixture
def terminal(tmp_path):
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.process.kill()
    terminal.process.wait()
    os.close(terminal.master)


def test_statements_interrupts_and_the_end(terminal):
    assert 'Enter ".help" for usage hints.' in terminal.wait_for("minisql> ")
    terminal.type("select 40 +\n")
    terminal.wait_for("   ...> ")
    terminal.type("2 as answer;\n")
    assert "42 │" in terminal.wait_for("minisql> ")
    terminal.type("with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c;\n")
    terminal.wait_for("from c;")
    time.sleep(1.5)
    os.kill(terminal.process.pid, signal.SIGINT)
    assert "interrupted" in terminal.wait_for("minisql> ")
    terminal.type("select nosuch;\n")
    assert "Parse error: no such column: nosuch" in terminal.wait_for("minisql> ")
    terminal.type(".quit\n")
    assert terminal.process.wait(timeout=60) == 0


def test_tab_completes_and_words_have_colours(tmp_path):
    pytest.importorskip("prompt_toolkit")
    terminal = Terminal(tmp_path, "xterm-256color")
    try:
        terminal.wait_for("minisql>")
        terminal.type("create table person(name, birthday);\r")
        before = terminal.wait_for("\r\n") + terminal.wait_for("minisql>")
        assert re.search(r"\x1b\[[\d;]*34[\d;]*mcreate", before), before
        terminal.type("select 'x' as birth\t")
        before = terminal.wait_for("day")
        terminal.type(";\r")
        terminal.wait_for("╭")
        assert re.search(r"\x1b\[[\d;]*32[\d;]*m'x'", before), before
        assert "birthday" in terminal.wait_for("╯")
        terminal.wait_for("minisql>")
        terminal.type("half a statement\x03")
        terminal.wait_for("minisql>")
        # The line before comes back from the history.
        terminal.type("\x1b[A\r")
        terminal.wait_for("╭")
        terminal.wait_for("minisql>")
        terminal.type(".quit\r")
        assert terminal.process.wait(timeout=60) == 0
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.master)
    assert "create table person" in (tmp_path / "history").read_text("utf-8")


def test_completions_know_commands_keywords_tables_and_columns():
    state = ShellState(sys.stdout)
    state.query("create table person(name, birthday)")
    assert completions(state, ".ta") == [".tables"]
    assert completions(state, "select na") == ["name", "natural"]
    assert completions(state, "SELECT * FROM PER") == ["person"]
    assert completions(state, "SELECT DISTI") == ["DISTINCT"]
    assert completions(state, "select ") == []
    state.close_active()


def test_highlighting_keeps_the_line():
    line = "select 'it''s', 12.5 from t -- done"
    pieces = highlighted(line)
    assert "".join(text for _style, text in pieces) == line
    assert ("class:keyword", "select") in pieces
    assert ("class:string", "'it''s'") in pieces
    assert ("class:comment", "-- done") in pieces
