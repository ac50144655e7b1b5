"""Error context: the piece of SQL text around an error with a mark at its place, and where the text came from.

    Parse error near line 7: near "from": syntax error
      select 1,   2, from;
                     ^--- error here

Source: https://www.sqlite.org/c3ref/errcode.html (sqlite3_error_offset).
"""

from __future__ import annotations

from minisql.errors import Error

_BEFORE = 50
_LENGTH = 78
_MARK_LENGTH = len("error here ---")


def context_lines(text: str, offset: int) -> list[str]:
    """Two lines for an error at a byte offset of a text, none if the offset is unknown (negative) or outside."""
    data = text.encode("utf-8", "surrogatepass")
    if offset < 0 or offset >= len(data):
        return []
    start = 0
    while offset - start > _BEFORE:
        start += 1
        while start < len(data) and data[start] & 0xC0 == 0x80:
            start += 1
    piece = data[start:]
    if len(piece) > _LENGTH:
        end = _LENGTH
        while end > 0 and piece[end] & 0xC0 == 0x80:
            end -= 1
        piece = piece[:end]
    shown = "".join(" " if c.isspace() else c for c in piece.decode("utf-8", "replace"))
    column = offset - start
    if column < 25:
        return [f"  {shown}", f"  {' ' * column}^--- error here"]
    return [f"  {shown}", f"  {' ' * (column - _MARK_LENGTH)}error here ---^"]


def error_text(error: Error, is_parse: bool, place: str, text: str, start: int) -> str:
    """The message for an error in a statement of `text` that begins at index `start`; `place` may be empty."""
    head = f"{'Parse error' if is_parse else 'Error'}{' ' + place if place else ''}: {error}"
    offset = getattr(error, "sqlite_offset", -1)
    if not is_parse or offset < 0:
        return head
    rest = text[start:]
    skipped = len(rest) - len(rest.lstrip(" \t\n\r\f\v"))
    offset -= skipped
    return "\n".join([head, *context_lines(rest[skipped:], offset)])


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, ..."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def place_text(place: tuple[str, int], file: str) -> str:
    """How a place is named in an SQL error: `near line 3 of file.sql`, `in 2nd command line argument`."""
    kind, number = place
    if kind == "argv":
        return f"in {ordinal(number)} command line argument"
    return f"near line {number}" + ("" if file == "<stdin>" else f" of {file}")
