"""Dot lines: how a line with a dot command is cut into words, and errors that point at one of them.

A word in single quotes is taken as it is, one in double quotes has C's backslash escapes, a bare one ends at a blank.
A last word that is only a semicolon does not count.

Source: https://www.sqlite.org/cli.html#dot_commands_are_not_sql.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"""\s*(?:'([^']*)'?|"((?:[^"\\]|\\.)*)"?|(\S+))""", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_CONTROLS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


class DotError(Exception):
    """A dot command was used wrongly.  `texts` are the lines of the message as they are; with a `word` (its number in the
    line, 0 for the command) the line is shown with a mark under that word and `texts[0]`."""

    def __init__(self, *texts: str, word: int | None = None, has_place: bool = False) -> None:
        super().__init__(texts[0])
        self.texts = texts
        self.word = word
        self.has_place = has_place


def unescape(text: str) -> str:
    """Resolves C's backslash escapes."""

    def character(found: re.Match[str]) -> str:
        code = found.group(1)
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _CONTROLS.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def split_line(line: str) -> list[tuple[str, int]]:
    """The words of a line that begins with a dot, and where each begins; the first is the command's name without its dot."""
    words: list[tuple[str, int]] = []
    at = 1
    while at < len(line):
        found = _WORD.match(line, at)
        if found is None:
            break
        single, double, bare = found.groups()
        start = found.start(found.lastindex or 0) - (bare is None)
        if single is not None:
            words.append((single, start))
        else:
            words.append((unescape(double) if double is not None else bare, start))
        at = found.end()
    if len(words) > 1 and line[words[-1][1] :].rstrip() == words[-1][0] and words[-1][0].endswith(";"):
        # A semicolon at the end is forgiven.
        text, start = words.pop()
        if text != ";":
            words.append((text[:-1], start))
    return words


def marked_lines(line: str, column: int, message: str) -> list[str]:
    """The line and, under it, a mark at a column with the message."""
    return [line, f"{' ' * column}^--- {message}"]
