"""Dot commands for scripts that test themselves (`.testcase`, `.check`) and the rest of the control flow.

Source: `.help .testcase`, `.help .check`.
"""

from __future__ import annotations

from minisql.functions.like import glob_matcher
from minisql.shell.commands import command
from minisql.shell.dot_line import DotError
from minisql.shell.help_text import HELP, help_lines
from minisql.shell.output import complain
from minisql.shell.state import ShellState


@command("testcase")
def _testcase(state: ShellState, words: list[str]) -> None:
    state.output.redirect("memory", False)
    state.testcase = words[0] if words else "?"


@command("check")
def _check(state: ShellState, words: list[str]) -> None:
    if state.testcase is None or state.output.memory is None:
        raise DotError("no .testcase is active", word=0)
    options = {word.lstrip("-") for word in words if word.startswith("--")}
    patterns = [word for word in words if not word.startswith("--")]
    if len(patterns) > 1:
        raise DotError("extra argument", word=len(words))
    pattern = patterns[0] if patterns else ""
    if pattern.startswith("<<"):
        pattern = _pattern_lines(state, pattern[2:])
    text = "".join(state.output.memory)
    name = state.testcase
    if "keep" not in options:
        state.output.restore()
        state.testcase = None
    if "show" in options:
        state.output.terminal.write(text)
    state.n_tests += 1
    if _is_expected(text, pattern, options):
        return
    state.n_failed_tests += 1
    complain(f"{state.input_name}:{state.place[1]}: .check failed for testcase {name}")
    complain(f"Expected: [{pattern}]\nGot:      [{text}]")


def _is_expected(text: str, pattern: str, options: set[str]) -> bool:
    if "exact" in options:
        return text == pattern
    if options & {"glob", "notglob"}:
        return glob_matcher(pattern)(text.strip()) == ("glob" in options)
    return text.strip() == pattern.strip()


def _pattern_lines(state: ShellState, label: str) -> str:
    lines: list[str] = []
    while state.next_line is not None:
        line = state.next_line()
        if line is None or line.startswith(label):
            break
        lines.append(line)
    return "".join(lines)


@command("print")
def _print(state: ShellState, words: list[str]) -> None:
    state.output.line(" ".join(words))


@command("quit")
def _quit(state: ShellState, words: list[str]) -> None:
    state.wants_exit = True


@command("exit")
def _exit(state: ShellState, words: list[str]) -> None:
    state.wants_exit = True
    if words and words[0].lstrip("-").isdigit():
        state.exit_code = int(words[0]) & 0xFF


@command("version")
def _version(state: ShellState, words: list[str]) -> None:
    state.output.line(state.version_text())


@command("help")
def _help(state: ShellState, words: list[str]) -> None:
    patterns = [word for word in words if word.lstrip("-") not in ("all", "a")]
    if not patterns:
        for entry in HELP:
            state.output.line(entry[0])
        return
    lines = help_lines(patterns[0].lstrip("."))
    if not lines:
        state.output.line(f"Nothing matches '{patterns[0]}'")
    for line in lines:
        state.output.line(line)
