"""JSON values as trees, and their two written forms: JSON text and JSONB.

A node is `None`, `True` or `False`; a text class for numbers and strings, which keeps the very characters that were read; a
`list` for an array; a `JsonObject`, a list of (label, value) pairs in their order, for an object.  Trees are never changed
after they are made, so that parsed text can be cached and parts can be shared.

The text classes are JSONB's element types, because a number or string survives in the form in which it was written:

    IntegerText 3      RFC integer              str           7   string without escapes or anything to escape
    Integer5Text 4     hexadecimal (JSON5)      EscapedText   8   string with RFC escapes
    RealText 5         RFC real                 Escaped5Text  9   string with JSON5 escapes or raw control characters
    Real5Text 6        real like `.5` or `5.`   RawText      10   any text, to be escaped when written

A JSONB element is a header (type in the low four bits; size in the high four, or 12 to 15 for 1, 2, 4 or 8 size bytes that
follow) and its payload.  Deep trees are walked on fresh stacks.

Source: https://www.sqlite.org/jsonb.html; https://www.sqlite.org/json1.html.
"""

from __future__ import annotations

import re
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.limits import call_on_fresh_stack
from minisql.values.number_text import integer_prefix, real_prefix
from minisql.values.storage_class import INT64_MAX, INT64_MIN, decode_text, encode_text

MAX_DEPTH = 1000
_STACK_LEVELS = 80

NULL, TRUE, FALSE, ARRAY, OBJECT = 0, 1, 2, 11, 12


class IntegerText(str):
    """An RFC 8259 integer."""

    __slots__ = ()


class Integer5Text(str):
    """A JSON5 integer: hexadecimal."""

    __slots__ = ()


class RealText(str):
    """An RFC 8259 number with a fraction or an exponent."""

    __slots__ = ()


class Real5Text(str):
    """A JSON5 number without digits before or behind its point."""

    __slots__ = ()


class EscapedText(str):
    """The inside of a string with RFC 8259 escapes."""

    __slots__ = ()


class Escaped5Text(str):
    """The inside of a string with JSON5 escapes or unescaped control characters."""

    __slots__ = ()


class RawText(str):
    """Plain text that may hold anything."""

    __slots__ = ()


class JsonObject(list[tuple[str, Any]]):
    """An object: (label, value) pairs, duplicates included; labels are of the string classes."""

    __slots__ = ()


def malformed() -> Error:
    """Returns the error for what is neither JSON nor JSONB.  Source: https://www.sqlite.org/json1.html section 3"""
    return sqlite_error(ERROR, "malformed JSON")


_TYPE_OF_CLASS: dict[type, int] = {
    IntegerText: 3,
    Integer5Text: 4,
    RealText: 5,
    Real5Text: 6,
    str: 7,
    EscapedText: 8,
    Escaped5Text: 9,
    RawText: 10,
    list: ARRAY,
    JsonObject: OBJECT,
}
_CLASS_OF_TYPE: dict[int, type[str]] = {code: kind for kind, code in _TYPE_OF_CLASS.items() if code < ARRAY}
_NAME_OF_CLASS: dict[type, str] = {
    type(None): "null",
    IntegerText: "integer",
    Integer5Text: "integer",
    RealText: "real",
    Real5Text: "real",
    list: "array",
    JsonObject: "object",
}


def node_type_name(node: Any) -> str:
    """Returns json_type()'s name of a node.  Source: https://www.sqlite.org/json1.html section 4.21"""
    if node is True:
        return "true"
    if node is False:
        return "false"
    return _NAME_OF_CLASS.get(node.__class__, "text")


_TO_ESCAPE = re.compile(r'["\\\x00-\x1f]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


def escape_text(text: str) -> str:
    """Returns the inside of the JSON string for a text.  Source: https://www.sqlite.org/json1.html section 3.4"""
    return _TO_ESCAPE.sub(_escape, text) if _TO_ESCAPE.search(text) else text


_JSON5_PIECE = re.compile(r"\\(?:x(..)|(\r\n|[\n\r\u2028\u2029])|(.))|([\"\x00-\x1f])", re.DOTALL)


def _standard_escape(match: re.Match[str]) -> str:
    if match[1]:
        return "\\u00" + match[1]
    if match[2]:
        return ""
    if match[4]:
        return _SHORT_ESCAPES.get(match[4]) or f"\\u{ord(match[4]):04x}"
    return {"'": "'", "v": "\\u000b", "0": "\\u0000"}.get(match[3], "\\" + match[3])


def _render_hexadecimal(text: str) -> str:
    sign = "-" if text[0] == "-" else ""
    digits = text.lstrip("+-")[2:].lstrip("0") or "0"
    return sign + (str(int(digits, 16)) if len(digits) <= 16 else "9.0e999")


def _render_real5(text: str) -> str:
    sign = "-" if text[0] == "-" else ""
    text = text.lstrip("+-")
    if text[0] == ".":
        text = "0" + text
    return sign + re.sub(r"\.(?![0-9])", ".0", text)


def render(node: Any, depth: int = 0) -> str:
    """Returns the minified JSON text of a tree.  Source: https://www.sqlite.org/json1.html section 4.1"""
    kind = node.__class__
    if kind is str or kind is EscapedText:
        return f'"{node}"'
    if kind is IntegerText or kind is RealText:
        return node + ""  # type: ignore[no-any-return]
    if kind is list or kind is JsonObject:
        if depth and depth % _STACK_LEVELS == 0:
            return call_on_fresh_stack(_render_container, node, depth)
        return _render_container(node, depth)
    if node is None:
        return "null"
    if kind is bool:
        return "true" if node else "false"
    if kind is RawText:
        return f'"{escape_text(node)}"'
    if kind is Escaped5Text:
        return f'"{_JSON5_PIECE.sub(_standard_escape, node)}"'
    return _render_hexadecimal(node) if kind is Integer5Text else _render_real5(node)


def _render_container(node: Any, depth: int) -> str:
    depth += 1
    if node.__class__ is list:
        return f"[{','.join([render(item, depth) for item in node])}]"
    return "{" + ",".join([f"{render(label)}:{render(value, depth)}" for label, value in node]) + "}"


def render_pretty(node: Any, indent: str, depth: int = 0) -> str:
    """Returns JSON text with one element a line.  Source: https://www.sqlite.org/json1.html section 4.17"""
    if node.__class__ is not list and node.__class__ is not JsonObject:
        return render(node)
    if not node:
        return "[]" if node.__class__ is list else "{}"
    if depth >= MAX_DEPTH - 1:
        raise sqlite_error(ERROR, "JSON nested too deep")
    if depth and depth % (_STACK_LEVELS // 2) == 0:
        return call_on_fresh_stack(_pretty_container, node, indent, depth)
    return _pretty_container(node, indent, depth)


def _pretty_container(node: Any, indent: str, depth: int) -> str:
    inner = "\n" + indent * (depth + 1)
    outer = "\n" + indent * depth
    if node.__class__ is list:
        lines = [render_pretty(item, indent, depth + 1) for item in node]
        return f"[{inner}{(',' + inner).join(lines)}{outer}]"
    lines = [f"{render(label)}: {render_pretty(value, indent, depth + 1)}" for label, value in node]
    return f"{{{inner}{(',' + inner).join(lines)}{outer}}}"


_ESCAPE_SEQUENCE = re.compile(
    r"\\(?:u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u(....)|x(..)|(\r\n|[\n\r\u2028\u2029])|(.))", re.DOTALL
)
_PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(0x10000 + ((int(match[1], 16) & 0x3FF) << 10 | int(match[2], 16) & 0x3FF))
    digits = match[3] or match[4]
    if digits:
        code = int(digits, 16)
        return decode_text(chr(code).encode("utf-8", "surrogatepass")) if 0xD800 <= code <= 0xDFFF else chr(code)
    if match[5]:
        return ""
    return _PLAIN_ESCAPES.get(match[6], match[6])


def text_of_string(node: str) -> str:
    """Returns the text that a string node or label stands for, as a plain `str`."""
    kind = node.__class__
    if kind is str:
        return node
    if kind is RawText or "\\" not in node:
        return node + ""
    try:
        return _ESCAPE_SEQUENCE.sub(_unescaped, node)
    except ValueError as error:  # an escape of a damaged JSONB
        raise malformed() from error


def value_of_node(node: Any) -> int | float | str | None:
    """Returns the SQL value of a node that is neither array nor object; raises "malformed JSON" for a damaged number.

    Source: https://www.sqlite.org/json1.html section 4.8
    """
    kind = node.__class__
    if kind is str:
        return node  # type: ignore[no-any-return]
    if kind is IntegerText:
        return _integer_value(node)
    if node is None:
        return None
    if kind is bool:
        return 1 if node else 0
    if kind is RealText or kind is Real5Text:
        return real_prefix(node)
    if kind is Integer5Text:
        return _hexadecimal_value(node)
    return text_of_string(node)


def _integer_value(text: str) -> int | float:
    if len(text) <= 18 and text.isdecimal() and text.isascii():
        return int(text)
    if not _INTEGER.fullmatch(text):
        raise malformed()
    value = integer_prefix(text)
    if (value in (INT64_MAX, INT64_MIN)) and text not in ("9223372036854775807", "-9223372036854775808"):
        return real_prefix(text)
    return value


def _hexadecimal_value(text: str) -> int | float:
    digits = text.lstrip("+-")[2:].lstrip("0") or "0"
    if len(digits) > 16:
        raise malformed()
    value = int(digits, 16)
    if value > INT64_MAX:
        return -float(value) if text[0] == "-" else float(value)
    return -value if text[0] == "-" else value


def encode(node: Any, depth: int = 0) -> bytes:
    """Returns the JSONB of a tree.  Source: https://www.sqlite.org/jsonb.html section 3"""
    kind = node.__class__
    if kind is list or kind is JsonObject:
        if depth and depth % _STACK_LEVELS == 0:
            return call_on_fresh_stack(_encode_container, node, depth)
        return _encode_container(node, depth)
    if node is None:
        return b"\x00"
    if kind is bool:
        return b"\x01" if node else b"\x02"
    payload = encode_text(node)
    return header(_TYPE_OF_CLASS[kind], len(payload)) + payload


def _encode_container(node: Any, depth: int) -> bytes:
    if node.__class__ is list:
        payload = b"".join([encode(item, depth + 1) for item in node])
        return header(ARRAY, len(payload)) + payload
    payload = b"".join([encode(part, depth + 1) for pair in node for part in pair])
    return header(OBJECT, len(payload)) + payload


def header(type_code: int, size: int) -> bytes:
    """Returns the shortest JSONB header for a payload size.  Source: https://www.sqlite.org/jsonb.html section 3.1"""
    if size <= 11:
        return bytes((size << 4 | type_code,))
    if size <= 0xFF:
        return bytes((0xC0 | type_code, size))
    if size <= 0xFFFF:
        return bytes((0xD0 | type_code,)) + size.to_bytes(2, "big")
    return bytes((0xE0 | type_code,)) + size.to_bytes(4, "big")


def read_header(data: bytes, offset: int, end: int) -> tuple[int, int, int]:
    """Returns type, payload start and payload end of the element at an offset; raises "malformed JSON" if it does not fit.

    Source: https://www.sqlite.org/jsonb.html section 3.1
    """
    if offset >= end:
        raise malformed()
    first = data[offset]
    size = first >> 4
    start = offset + 1
    if size > 11:
        n_bytes = 1 << size - 12
        size = int.from_bytes(data[start : start + n_bytes], "big")
        start += n_bytes
    if start + size > end:
        raise malformed()
    return first & 15, start, start + size


def looks_like_jsonb(data: bytes) -> bool:
    """Tells whether a blob's outermost header makes sense and spans the blob: the quick test of every JSON function.

    Source: https://www.sqlite.org/jsonb.html section 3
    """
    if not data:
        return False
    try:
        type_code, start, end = read_header(data, 0, len(data))
    except Error:
        return False
    return end == len(data) and type_code <= OBJECT and (type_code > FALSE or start == end)


def decode(data: bytes, strict: bool = False) -> Any:
    """Returns the tree of a JSONB blob; raises "malformed JSON" where elements do not fit or are of no known type.

    Numbers and strings are taken as they are: `is_strictly_valid` and conversions look at them.  `strict` refuses long
    headers of null, true and false.
    Source: https://www.sqlite.org/jsonb.html section 3
    """
    # Open containers: (items so far, end of the container, whether it is an object).
    open_containers: list[tuple[list[Any], int, bool]] = [([], len(data), False)]
    offset = 0
    while True:
        items, end, is_object = open_containers[-1]
        if offset >= end:
            if len(open_containers) == 1:
                break
            open_containers.pop()
            open_containers[-1][0].append(_pairs(items) if is_object else items)
            continue
        type_code, start, stop = read_header(data, offset, end)
        if type_code in (ARRAY, OBJECT):
            if len(open_containers) > MAX_DEPTH:
                raise malformed()
            open_containers.append(([], stop, type_code == OBJECT))
            offset = start
            continue
        if strict and type_code <= FALSE and start != offset + 1:
            raise malformed()
        items.append(_decode_scalar(data, type_code, start, stop))
        offset = stop
    if len(items) != 1:
        raise malformed()
    return items[0]


def _pairs(items: list[Any]) -> JsonObject:
    labels = items[::2]
    if len(items) & 1 or not all(label.__class__ in _LABEL_CLASSES for label in labels):
        raise malformed()
    return JsonObject(zip(labels, items[1::2]))


_LABEL_CLASSES = frozenset((str, EscapedText, Escaped5Text, RawText))


def _decode_scalar(data: bytes, type_code: int, start: int, stop: int) -> Any:
    if type_code <= FALSE:
        if start != stop:
            raise malformed()
        return None if type_code == NULL else type_code == TRUE
    kind = _CLASS_OF_TYPE.get(type_code)
    if kind is None or (start == stop and kind in (IntegerText, Integer5Text, RealText, Real5Text)):
        raise malformed()
    text = decode_text(data[start:stop])
    return text if kind is str else kind(text)


_INTEGER = re.compile(r"-?[0-9]+")
_VALID_SCALAR: dict[type, re.Pattern[str]] = {
    IntegerText: _INTEGER,
    Integer5Text: re.compile(r"-?0[xX][0-9a-fA-F]+"),
    RealText: re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
    Real5Text: re.compile(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    str: re.compile(r'[^"\\\x00-\x1f]*'),
    EscapedText: re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*'),
    Escaped5Text: re.compile(
        r"(?:[^\\]|\\(?:[\"'\\/bfnrtv\n\r\u2028\u2029]|0(?![0-9])|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*", re.DOTALL
    ),
}


def is_strictly_valid(node: Any) -> bool:
    """Tells whether every number and string of a decoded tree has the form that its type promises: json_valid(X, 8).

    Source: https://www.sqlite.org/json1.html section 4.22
    """
    pending = [node]
    while pending:
        item = pending.pop()
        kind = item.__class__
        if kind is list:
            pending += item
        elif kind is JsonObject:
            pending += [part for pair in item for part in pair]
        else:
            pattern = _VALID_SCALAR.get(kind)
            if pattern is not None and not pattern.fullmatch(item):
                return False
    return True
