"""Column modes: box, table, markdown, psql, column, qbox and split; every row is read before the first line is written.

A cell is a list of lines: the rendered value, cut at its limits, its tabs expanded, wrapped at the column's width.  Numbers
are flush right and titles are centred; a row of more than one line is set off from its neighbours by a rule (a blank line in
mode column).  A table wider than the screen first loses the blanks beside its rules, then its widest columns are made
narrower until it fits: the widest is halved, but to no less than 8, and none of more than 16 columns' width twice below half
of what it needs.

Source: https://www.sqlite.org/cli.html#changing_output_formats and `.help .mode`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import Any

from minisql.shell.display import Display
from minisql.shell.rendering import cut, cut_title, display_width, fitting, quote_text, render

Cell = list[str]

# Rules of a grid: left end, line, crossing, right end; for top, below the titles, between rows, bottom, bottom without rows.
_BOX_RULES = ("╭─┬╮", "╞═╪╡", "├─┼┤", "╰─┴╯", "╘═╧╛")
_TABLE_RULES = ("+-++", "+-++", "+-++", "+-++", "+-++")
_LEAST_WIDTH = 8
_BAR = {"box": "│", "qbox": "│", "table": "|", "markdown": "|", "psql": "|"}


def column_lines(display: Display, names: Sequence[str], rows: list[tuple[Any, ...]]) -> Iterator[str]:
    """The lines of a whole result, each with its line feed."""
    if display.mode == "split" and len(names) == 1 and display.titles == "off":
        yield from spread([render(row[0], display) for row in rows], screen_width(display), 3)
        return
    if not names or not (rows or display.titles not in ("off", "on")):
        return
    layout = _Layout(display, names, rows)
    if display.mode in ("column", "split"):
        yield from _plain_lines(layout)
    else:
        yield from _grid_lines(layout)


def screen_width(display: Display) -> int:
    """The width that output must fit in, or 0."""
    if display.screen_width == "auto":
        return shutil.get_terminal_size((80, 24)).columns
    return int(display.screen_width)


class _Layout:
    """Titles and cells with the width and alignment of every column."""

    def __init__(self, display: Display, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        self.display = display
        n = len(names)
        self.margin = 1
        texts = [[_cell_text(value, display) for value in row] for row in rows]
        titles = _titles(display, names) if display.titles != "off" else []
        columns = [[text for row in texts for text in row[i : i + 1]] for i in range(n)]
        asked = (display.widths + [0] * n)[:n]
        natural = [_natural(columns[i] + titles[i : i + 1], abs(asked[i]) or display.wrap) for i in range(n)]
        self.widths = [abs(asked[i]) or natural[i] for i in range(n)]
        is_fitted = self._fit_screen(asked)
        breaks_words = display.word_wrap is False and not is_fitted
        self.titles = [_wrap(title, width, not breaks_words) for title, width in zip(titles, self.widths)]
        self.rows = [
            [_limited(_wrap(text, width, not breaks_words), display) for text, width in zip(row, self.widths)] for row in texts
        ]
        alignment = (display.alignment.upper() + "." * n)[:n]
        self.alignments = [["R" if asked[i] < 0 else _alignment(alignment[i], row[i]) for i in range(n)] for row in rows]
        self.is_spaced = any(len(cell) > 1 for row in self.rows for cell in row)

    def _fit_screen(self, asked: list[int]) -> bool:
        """Narrows the columns until they fit; True if that was necessary."""
        width = screen_width(self.display)
        n = len(self.widths)
        is_grid = self.display.mode not in ("column", "split")
        rules = n + 1 if is_grid else 2 * (n - 1)
        margins = 2 * n if is_grid else 0
        if not width or sum(self.widths) + rules + margins <= width:
            return False
        self.margin = 0
        excess = sum(self.widths) + (rules if is_grid else n - 1) - width
        needed = list(self.widths)
        while excess > 0:
            candidates = [
                i
                for i, size in enumerate(self.widths)
                if not asked[i] and size > _LEAST_WIDTH and (size > 2 * _LEAST_WIDTH or 2 * size > needed[i])
            ]
            if not candidates:
                break
            widest = max(candidates, key=lambda i: self.widths[i])
            size = self.widths[widest]
            gain = min(size // 2 if size >= 2 * _LEAST_WIDTH else size - _LEAST_WIDTH, excess)
            self.widths[widest] -= gain
            excess -= gain
        return True


def _titles(display: Display, names: Sequence[str]) -> list[str]:
    style = display.titles if display.titles not in ("on", "always") else "off"
    return [cut_title(quote_text(name, style, display), display.title_limit) for name in names]


def _cell_text(value: Any, display: Display) -> str:
    text = cut(render(value, display), display.char_limit)
    if "\t" in text:
        text = "\n".join(line.expandtabs(8) for line in text.split("\n"))
    return text.replace("\r\n", "\n")


def _limited(lines: Cell, display: Display) -> Cell:
    limit = display.line_limit
    return lines if not limit or len(lines) <= limit else [*lines[:limit], "..."]


def _natural(texts: list[str], wrap: int) -> int:
    width = max((display_width(line) for text in texts for line in text.split("\n")), default=0)
    return min(width, wrap) if wrap else width


def _wrap(text: str, width: int, at_words: bool) -> Cell:
    lines: list[str] = []
    for line in text.split("\n"):
        while width and display_width(line) > width:
            end = max(1, fitting(line, 0, width))
            if at_words:
                end = _break_before(line, end)
            lines.append(line[:end].rstrip(" ") if at_words else line[:end])
            line = line[end:].lstrip(" ") if at_words else line[end:]
        lines.append(line)
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def _break_before(line: str, end: int) -> int:
    """A better end for a line that is full at `end`: behind a blank, else where a word begins or ends, in its second half."""
    if line[end : end + 1] == " ":
        return end
    for at in range(end, end // 2, -1):
        if line[at - 1].isspace():
            return at
    for at in range(end, end // 2, -1):
        if _is_word(line[at - 1]) != _is_word(line[at : at + 1]):
            return at
    return end


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _alignment(letter: str, value: Any) -> str:
    if letter in "LCR":
        return letter
    return "R" if isinstance(value, (int, float)) else "L"


def _padded(text: str, width: int, alignment: str) -> str:
    space = max(0, width - display_width(text))
    if alignment == "L":
        return text + " " * space
    left = space if alignment == "R" else space // 2
    return " " * left + text + " " * (space - left)


def _physical_lines(cells: list[Cell], widths: list[int], alignments: list[str]) -> Iterator[list[str]]:
    for number in range(max(map(len, cells))):
        lines = [cell[number] if number < len(cell) else "" for cell in cells]
        yield [_padded(line, width, alignment) for line, width, alignment in zip(lines, widths, alignments)]


def _plain_lines(layout: _Layout) -> Iterator[str]:
    widths = layout.widths
    gap = "  " if layout.margin else " "
    if layout.titles:
        for line in _physical_lines(layout.titles, widths, ["C"] * len(widths)):
            yield gap.join(line).rstrip(" ") + "\n"
        yield gap.join("-" * width for width in widths) + "\n"
    for number, (cells, alignments) in enumerate(zip(layout.rows, layout.alignments)):
        if number and layout.is_spaced:
            yield "\n"
        for line in _physical_lines(cells, widths, alignments):
            yield gap.join(line).rstrip(" ") + "\n"


def _grid_lines(layout: _Layout) -> Iterator[str]:
    mode = layout.display.mode
    has_border = layout.display.has_border or mode == "markdown"
    rules = _BOX_RULES if mode in ("box", "qbox") else ("", "|-||", "", "", "") if mode == "markdown" else _TABLE_RULES
    top, below_titles, between, bottom, empty_bottom = [_rule(rule, layout, has_border) for rule in rules]
    bar = _BAR[mode]
    if has_border:
        yield top
    for line in _physical_lines(layout.titles, layout.widths, ["C"] * len(layout.widths)) if layout.titles else ():
        yield _bordered(line, bar, layout.margin, has_border)
    if layout.titles and (layout.rows or not has_border or mode == "markdown"):
        yield below_titles
    for number, (cells, alignments) in enumerate(zip(layout.rows, layout.alignments)):
        if number and layout.is_spaced and mode != "markdown":
            yield between
        for line in _physical_lines(cells, layout.widths, alignments):
            yield _bordered(line, bar, layout.margin, has_border)
    if has_border:
        yield bottom if layout.rows else empty_bottom


def _rule(ends: str, layout: _Layout, has_border: bool) -> str:
    if not ends:
        return ""
    left, dash, crossing, right = tuple(ends)
    line = crossing.join(dash * (width + 2 * layout.margin) for width in layout.widths)
    return f"{left}{line}{right}\n" if has_border else line + "\n"


def _bordered(cells: list[str], bar: str, margin: int, has_border: bool) -> str:
    blank = " " * margin
    line = (blank + bar + blank).join(cells)
    return f"{bar}{blank}{line}{blank}{bar}\n" if has_border else (blank + line).rstrip(" ") + "\n"


def spread(texts: list[str], width: int, max_gap: int) -> Iterator[str]:
    """Short texts side by side, downwards first, in as few lines as fit in `width` columns (0: one line)."""
    if not texts:
        return
    sizes = [display_width(text) for text in texts]
    n = len(texts)
    for n_lines in range(1, n + 1):
        columns = [max(sizes[at : at + n_lines]) for at in range(0, n, n_lines)]
        gap = max_gap if not width or len(columns) == 1 else min(max_gap, (width - sum(columns)) // (len(columns) - 1))
        if gap >= 2 or n_lines == n:
            break
    for line in range(n_lines):
        cells = [_padded(texts[at], columns[at // n_lines], "L") for at in range(line, n, n_lines)]
        yield (" " * gap).join(cells).rstrip(" ") + "\n"
