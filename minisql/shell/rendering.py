"""Rendering: one SQL value as the text that an output mode shows.

Text may hold blobs as they are: a byte that is not UTF-8 is a lone surrogate of Python's `surrogateescape`, and `Output`
writes it as that byte.  A text ends at its first NUL, as a C string does; a blob does not.

Source: https://www.sqlite.org/cli.html#changing_output_formats, `.help .mode`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from minisql.functions.json_functions import json_text as text_of_json
from minisql.functions.json_functions import json_valid
from minisql.functions.printf import sql_format
from minisql.shell.display import Display, c_string
from minisql.values.cast import to_text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_CONTROL_OR_BLANK = re.compile(r"[\x00-\x1f]")
_PLAIN_CSV = re.compile(r"[!#-&(-~]+\Z")
_LOOKS_LIKE_VALUE = re.compile(r"(?i)\s|[-+]?\d+\.?\d*(e[-+]?\d+)?\Z|x'(?:[0-9a-f]{2})*'\Z")
_ZERO_WIDTH = ("\n", "\t", "\r")
_JSON_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_HTML_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def escape_controls(text: str, escape: str) -> str:
    """Makes control characters visible, but for tab and line feed (and carriage return before a line feed)."""
    if escape == "off" or _CONTROL.search(text) is None:
        return text
    return re.sub(r"\r\n|[\x00-\x08\x0b-\x1f]", lambda found: _visible(found.group(), escape), text)


def _visible(control: str, escape: str) -> str:
    if control == "\r\n":
        return control
    return chr(0x2400 + ord(control)) if escape == "symbol" else "^" + chr(ord(control) + 64)


def sql_text(text: str, escape: str = "auto") -> str:
    """A text as an SQL literal; control characters need unistr(), which is left out where they may stay as they are."""
    doubled = text.replace("'", "''")
    if escape == "off" or _CONTROL_OR_BLANK.search(text) is None:
        return f"'{doubled}'"
    escaped = _CONTROL_OR_BLANK.sub(lambda found: f"\\u{ord(found.group()):04x}", doubled.replace("\\", "\\\\"))
    return f"unistr('{escaped}')"


def csv_text(text: str, separator: str) -> str:
    """A text with the quotes that RFC 4180 and cautious readers want."""
    if _PLAIN_CSV.match(text) and not (separator and separator[0] in text):
        return text
    return '"' + text.replace('"', '""') + '"'


def json_text(text: str) -> str:
    """A text as a JSON string."""
    pieces = [_JSON_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text]
    return '"' + "".join(pieces) + '"'


def html_text(text: str) -> str:
    """A text for HTML."""
    return "".join(_HTML_ESCAPES.get(c, c) for c in text)


def quote_text(text: str, style: str, display: Display) -> str:
    """A text in a style of `--quote` or `--title`; what no style has escaped is escaped here."""
    escape = "ascii" if display.escape == "auto" else display.escape
    if style == "sql":
        return sql_text(text, display.escape)
    if style == "json":
        return json_text(text)
    if style == "tcl":
        return f'"{c_string(text)}"'
    if style == "html":
        return escape_controls(html_text(text), escape)
    if style == "csv":
        return escape_controls(csv_text(text, display.column_separator), escape)
    if style == "relaxed" and (_LOOKS_LIKE_VALUE.match(text) or text == display.null_text):
        return sql_text(text, display.escape)
    return escape_controls(text, escape)


def render(value: Any, display: Display) -> str:
    """A value as the mode shows it."""
    if value is None:
        return "null" if display.mode in ("html", "json", "jobject") else display.null_text
    if isinstance(value, str):
        return quote_text(value.partition("\0")[0], display.quote, display)
    if isinstance(value, bytes):
        return _render_blob(value, display)
    if isinstance(value, float):
        return _render_real(value, display)
    return to_text(value) if display.integer_format == "auto" else sql_format(display.integer_format, value) or ""


def _render_real(value: float, display: Display) -> str:
    if display.real_format != "auto" and abs(value) != float("inf"):
        return sql_format(display.real_format, value) or ""
    return program_real(value) if display.mode in ("insert", "json", "jobject") else to_text(value)


def program_real(value: float) -> str:
    """A real for another program: up to 16 digits, no needless point, 9e+999 for infinity."""
    if abs(value) == float("inf"):
        return "9e+999" if value > 0 else "-9e+999"
    text = f"{value:.16g}"
    if "e" not in text and abs(value) >= 1e16:
        text = f"{value:.15e}"
    mantissa, mark, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return "0" if mantissa in ("0", "-0") else mantissa + mark + exponent


def _render_blob(value: bytes, display: Display) -> str:
    text = jsonb_text(value, display)
    if text is not None:
        return quote_text(text, display.quote if display.quote != "relaxed" else "off", display)
    style = display.blob_quote
    if style == "auto":
        style = {"sql": "sql", "relaxed": "sql", "json": "json", "tcl": "tcl"}.get(display.quote, "text")
    return _BLOB_STYLES[style](value, display)


def jsonb_text(value: Any, display: Display) -> str | None:
    """The JSON text of a blob that is JSONB, where the display wants that."""
    if not display.is_textjsonb or not isinstance(value, bytes) or not json_valid(value, 8):
        return None
    return str(text_of_json(value))


def _blob_as_text(value: bytes, display: Display) -> str:
    text = value.decode("utf-8", "surrogateescape")
    return escape_controls(text, "ascii" if display.escape == "auto" else display.escape)


_BLOB_STYLES: dict[str, Callable[[bytes, Display], str]] = {
    "text": _blob_as_text,
    "sql": lambda value, display: f"x'{value.hex()}'",
    "hex": lambda value, display: value.hex(),
    "tcl": lambda value, display: '"' + "".join(f"\\{byte:03o}" for byte in value) + '"',
    "json": lambda value, display: '"' + "".join(f"\\u{byte:04x}" for byte in value) + '"',
    "size": lambda value, display: f"({len(value)}-byte blob)",
}


def display_width(text: str) -> int:
    """The number of columns that a text takes on a screen."""
    if text.isascii():
        return len(text) - sum(map(text.count, _ZERO_WIDTH))
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if character < "\x7f":
        return int(character >= " ")
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(text: str, limit: int, mark: str = "...") -> str:
    """The text, or its beginning of at most `limit` columns and `mark`."""
    if not limit or display_width(text) <= limit:
        return text
    return text[: fitting(text, 0, limit)] + mark


def cut_title(title: str, limit: int) -> str:
    """A title within `limit` columns, the dots of a cut one included."""
    if not limit or display_width(title) <= limit:
        return title
    return title[: fitting(title, 0, limit - 3)] + "..." if limit >= 3 else title[: fitting(title, 0, limit)].rstrip(" ")


def fitting(text: str, start: int, width: int) -> int:
    """The end of the longest piece of text[start:] that takes at most `width` columns."""
    used = 0
    for at in range(start, len(text)):
        used += _character_width(text[at])
        if used > width:
            return at
    return len(text)
