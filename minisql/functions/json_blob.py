"""Edits of JSONB in place, byte for byte as SQLite makes them.

The jsonb_ functions do not only give the right tree, they give the bytes that SQLite gives, and those show how an edit was
made: an element that is replaced by one that is 1 to 8 bytes shorter keeps its place, and the new element gets a longer
header than it needs, where there is one of just the right length.  Headers of containers around an edit are written anew, as
short as possible, only if their size changes.

Source: https://www.sqlite.org/jsonb.html section 3.1 ("the header may be longer than needed").
"""

from __future__ import annotations

from typing import Any

from minisql.functions.json_nodes import (
    ARRAY,
    FALSE,
    OBJECT,
    Escaped5Text,
    EscapedText,
    RawText,
    encode,
    header,
    read_header,
    text_of_string,
)
from minisql.functions.json_path import (
    ARRAY_INSERT,
    BAD_INDEX,
    BAD_SYNTAX,
    FROM_END,
    INDEX,
    INSERT,
    KEY,
    REMOVE,
    REPLACE,
    Step,
    bad_path,
    not_an_element,
    parse_path,
    substructure,
)
from minisql.limits import call_on_fresh_stack
from minisql.values.storage_class import decode_text

_LABEL_CLASSES: dict[int, type[str]] = {7: str, 8: EscapedText, 9: Escaped5Text, 10: RawText}


def edit_blob(data: bytes, path: str, mode: int, new: Any = None) -> bytes | None:
    """Returns JSONB after one edit at a path; the same bytes if there is nothing to do, None if the root is removed.

    `new` is the tree or the JSONB that is put in.  Source: https://www.sqlite.org/json1.html section 4.12
    """
    steps = parse_path(path)
    inserted = new if new.__class__ is bytes else encode(new) if mode != REMOVE else b""
    # Containers around the place, outermost first: (offset, end of payload).
    trail: list[tuple[int, int]] = []
    start, end = 0, len(data)
    member_start = 0
    type_code = ARRAY
    for i, step in enumerate(steps):
        type_code, payload, _ = read_header(data, start, end)
        found = _find_child(data, type_code, payload, end, step)
        if found is None:
            addition = _addition(data, (type_code, payload, end), steps[i:], path, mode, new)
            return data if addition is None else _splice(data, [*trail, (start, end)], end, end, addition)
        trail.append((start, end))
        member_start, start, end = found
    if mode == INSERT:
        return data
    if not steps:
        return None if mode == REMOVE else data if mode == ARRAY_INSERT else _splice(data, [], 0, end, inserted)
    if mode == REMOVE:
        return _splice(data, trail, member_start, end, b"")
    if mode == ARRAY_INSERT:
        if type_code != ARRAY:
            raise not_an_element(path)
        return _splice(data, trail, start, start, inserted)
    return _splice(data, trail, start, end, inserted)


def _children(data: bytes, payload: int, end: int) -> list[tuple[int, int]]:
    """Start and end of each element of a payload."""
    spans = []
    while payload < end:
        stop = read_header(data, payload, end)[2]
        spans.append((payload, stop))
        payload = stop
    return spans


def _label_text(data: bytes, start: int, end: int) -> str:
    type_code, payload, _ = read_header(data, start, end)
    return text_of_string(_LABEL_CLASSES.get(type_code, RawText)(decode_text(data[payload:end])))


def _find_child(data: bytes, type_code: int, payload: int, end: int, step: Step) -> tuple[int, int, int] | None:
    """Start of the member (its label), start and end of the value that a step names, or None."""
    kind, wanted, _ = step
    if kind == BAD_SYNTAX:
        raise bad_path(wanted)
    if kind == KEY:
        spans = _children(data, payload, end) if type_code == OBJECT else []
        for (label_start, label_end), (start, stop) in zip(spans[::2], spans[1::2]):
            if _label_text(data, label_start, label_end) == wanted:
                return label_start, start, stop
        return None
    if type_code != ARRAY:
        return None
    if kind == BAD_INDEX:
        raise bad_path(wanted)
    spans = _children(data, payload, end)
    position = wanted if kind == INDEX else len(spans) - wanted
    if not 0 <= position < len(spans):
        return None
    start, stop = spans[position]
    return start, start, stop


def _addition(
    data: bytes, container: tuple[int, int, int], steps: tuple[Step, ...], path: str, mode: int, new: Any
) -> bytes | None:
    """What is appended to a container that has no child for the first step, or None if nothing is."""
    type_code, payload, end = container
    kind, wanted, label = steps[0]
    if mode in (REPLACE, REMOVE) or type_code != (OBJECT if kind == KEY else ARRAY):
        return None
    if kind == FROM_END and wanted != 0:
        return None
    if kind == INDEX and wanted != len(_children(data, payload, end)):
        return None
    if kind == KEY and mode == ARRAY_INSERT and path[-1] != "]":
        raise not_an_element(path)
    if substructure(steps[1:], new, path, mode) is None:
        return None
    value = _wrap(new, steps[1:])
    return encode(label) + value if kind == KEY else value


def _wrap(new: Any, steps: tuple[Step, ...]) -> bytes:
    """The JSONB of a value inside new containers, one for each step."""
    data: bytes = new if new.__class__ is bytes else encode(new)
    for kind, _, label in reversed(steps):
        if kind == KEY:
            data = encode(label) + data
        data = header(OBJECT if kind == KEY else ARRAY, len(data)) + data
    return data


def _splice(data: bytes, trail: list[tuple[int, int]], start: int, end: int, inserted: bytes) -> bytes:
    """The bytes with a span replaced, and the headers around it adjusted to the new sizes."""
    padded = _padded(inserted, end - start)
    if padded is not None:
        return data[:start] + padded + data[end:]
    growth = len(inserted) - (end - start)
    data = data[:start] + inserted + data[end:]
    if not growth:
        return data
    for offset, container_end in reversed(trail):
        type_code, payload = _type_and_payload(data, offset)
        new_header = header(type_code, container_end - payload + growth)
        data = data[:offset] + new_header + data[payload:]
        growth += len(new_header) - (payload - offset)
    return data


def _type_and_payload(data: bytes, offset: int) -> tuple[int, int]:
    """Type and payload start of an element whose size is out of date."""
    size_class = data[offset] >> 4
    return data[offset] & 15, offset + 1 + (1 << size_class - 12 if size_class > 11 else 0)


def _padded(element: bytes, size: int) -> bytes | None:
    """The element with a header so long that it fills a size that is 1 to 8 bytes more, or None if no header does that."""
    gap = size - len(element)
    if not element or not 1 <= gap <= 8 or element[0] & 15 <= FALSE:
        return None
    type_code, payload, end = read_header(element, 0, len(element))
    size_code = {2: 12, 3: 13, 5: 14, 9: 15}.get(payload + gap)
    if size_code is None:
        return None
    n_bytes = payload + gap - 1
    return bytes((size_code << 4 | type_code,)) + (end - payload).to_bytes(n_bytes, "big") + element[payload:]


def merge_blob(target: bytes, patch: bytes, depth: int = 1) -> bytes:
    """Returns JSONB with an RFC 7396 patch applied.  Source: https://www.sqlite.org/json1.html section 4.16"""
    patch_type, patch_payload, patch_end = read_header(patch, 0, len(patch))
    if patch_type != OBJECT:
        return _padded(patch, len(target)) or patch
    if depth % 80 == 0:
        return call_on_fresh_stack(merge_blob, target, patch, depth + 1)
    type_code, payload, end = read_header(target, 0, len(target))
    members = _members(target, payload, end) if type_code == OBJECT else []
    for label, value in _members(patch, patch_payload, patch_end):
        wanted = _label_text(label, 0, len(label))
        place = next((i for i, (other, _) in enumerate(members) if _label_text(other, 0, len(other)) == wanted), -1)
        is_null = value[0] & 15 == 0
        if place >= 0:
            if is_null:
                del members[place]
            else:
                members[place] = (members[place][0], merge_blob(members[place][1], value, depth + 1))
        elif not is_null:
            is_object = value[0] & 15 == OBJECT
            members.append((label, merge_blob(b"\x00", value, depth + 1) if is_object else value))
    body = b"".join([part for member in members for part in member])
    if len(body) == end - payload:
        return bytes((target[0] & 0xF0 | OBJECT,)) + target[1:payload] + body
    return header(OBJECT, len(body)) + body


def _members(data: bytes, payload: int, end: int) -> list[tuple[bytes, bytes]]:
    parts = [data[start:stop] for start, stop in _children(data, payload, end)]
    return list(zip(parts[::2], parts[1::2]))
