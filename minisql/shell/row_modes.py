"""Row modes: output that is written while the rows come (list, csv, json, insert, line, html, ...).

`print_rows` chooses by the mode; modes that must know every row before the first can be written are in `column_modes`.

Source: https://www.sqlite.org/cli.html#changing_output_formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minisql.parser.tokens import KEYWORDS
from minisql.shell.column_modes import column_lines
from minisql.shell.display import COLUMNAR, Display
from minisql.shell.rendering import cut, cut_title, html_text, json_text, jsonb_text, quote_text, render

Rows = Iterable[tuple[Any, ...]]
Write = Callable[[str], None]


def print_rows(display: Display, names: Sequence[str], rows: Rows, write: Write) -> int:
    """Writes the rows of a statement in the current mode; returns their number."""
    counter = _Counter(rows)
    if display.mode in COLUMNAR:
        lines = column_lines(display, names, list(counter))
    else:
        lines = _WRITERS.get(display.mode, _separated)(display, names, counter)
    for line in lines:
        write(line)
    if display.mode == "count":
        write(f"{counter.n}\n")
    if display.shows_row_count and display.mode not in ("off", "count"):
        write(f"({counter.n} row{'' if counter.n == 1 else 's'})\n")
    return counter.n


class _Counter:
    """Hands on the rows and counts them."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.n = 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for row in self.rows:
            self.n += 1
            yield row


def title_texts(display: Display, names: Sequence[str]) -> list[str]:
    """The titles, quoted as `--title` and `--quote` say."""
    style = display.titles if display.titles not in ("off", "on", "always") else display.quote
    if style == "relaxed":
        style = "off"
    return [quote_text(name, style, display) for name in names]


def _separated(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    is_titled = display.titles != "off"
    if display.titles == "always":
        is_titled = False
        yield display.column_separator.join(title_texts(display, names)) + display.row_separator
    for row in rows:
        if is_titled:
            is_titled = False
            yield display.column_separator.join(title_texts(display, names)) + display.row_separator
        yield display.column_separator.join([cut(render(v, display), display.char_limit) for v in row]) + display.row_separator


def _line(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    titles = [cut_title(name, display.title_limit) for name in names]
    width = max(map(len, titles), default=0)
    indent = "\n" + " " * (width + len(display.column_separator))
    is_first = True
    for row in rows:
        if not is_first:
            yield display.row_separator
        is_first = False
        for title, value in zip(titles, row):
            lines = cut(render(value, display), display.char_limit).split("\n")
            if display.line_limit and len(lines) > display.line_limit:
                lines[display.line_limit :] = ["..."]
            yield f"{title:>{width}}{display.column_separator}{indent.join(lines)}{display.row_separator}"


def _html(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    titles = "<tr>\n" + "".join(f"<th>{html_text(name)}\n" for name in names) + "</tr>\n"
    if display.titles == "always":
        yield titles
    is_titled = display.titles not in ("off", "always")
    for row in rows:
        if is_titled:
            yield titles
            is_titled = False
        yield "<tr>\n" + "".join(f"<td>{render(value, display)}\n" for value in row) + "</tr>\n"


def _json_value(value: Any, display: Display) -> str:
    text = jsonb_text(value, display)
    return render(value, display) if text is None else text


def _json_objects(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    keys = [json_text(name) + ":" for name in names]
    for row in rows:
        yield "{" + ",".join([key + _json_value(value, display) for key, value in zip(keys, row)]) + "}"


def _json(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    before = "["
    for text in _json_objects(display, names, rows):
        yield before + text
        before = ",\n"
    if before != "[":
        yield "]\n"


def _json_lines(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    for text in _json_objects(display, names, rows):
        yield text + "\n"


def identifier(name: str) -> str:
    """A name as SQL text: quoted only where it must be."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def _insert(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    columns = f"({','.join(map(identifier, names))})" if display.titles != "off" else ""
    head = f"INSERT INTO {identifier(display.table_name or 'tab')}{columns} VALUES"
    size = 0
    for row in rows:
        values = "(" + ",".join([render(value, display) for value in row]) + ")"
        if size and size < display.multi_insert:
            yield ",\n  " + values
            size += len(values) + 4
        else:
            yield (";\n" if size else "") + head + values
            size = len(head) + len(values)
    if size:
        yield ";\n"


def _nothing(display: Display, names: Sequence[str], rows: Rows) -> Iterator[str]:
    for _row in rows:
        pass
    return iter(())


_WRITERS: dict[str, Callable[[Display, Sequence[str], Rows], Iterator[str]]] = {
    "count": _nothing,
    "html": _html,
    "insert": _insert,
    "jobject": _json_lines,
    "json": _json,
    "line": _line,
    "off": _nothing,
}
