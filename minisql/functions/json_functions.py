"""The JSON functions: json, json_extract, json_set, ..., their JSONB twins, and the aggregates.

Every function reads its JSON as text (JSON or JSON5) or as JSONB, works on a tree, and writes text or JSONB.  Text results
that SQLite marks with the subtype 'J' arrive at an outer JSON function as `JsonText` (see `registry`): an argument of that
class is JSON, any other text a string.

Source: https://www.sqlite.org/json1.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.functions.characters import before_nul
from minisql.functions.json_blob import edit_blob, merge_blob
from minisql.functions.json_nodes import (
    EscapedText,
    IntegerText,
    JsonObject,
    RawText,
    RealText,
    decode,
    encode,
    escape_text,
    is_strictly_valid,
    looks_like_jsonb,
    node_type_name,
    render,
    render_pretty,
    text_of_string,
    value_of_node,
)
from minisql.functions.json_parser import NOT_STANDARD, JsonSyntaxError, parse, parse_json5, parse_standard
from minisql.functions.json_path import (
    ARRAY_INSERT,
    INSERT,
    MISSING,
    REMOVE,
    REPLACE,
    SET,
    edit,
    lookup,
    parse_path,
)
from minisql.functions.json_structure import scalar_at
from minisql.functions.printf import sql_literal
from minisql.functions.registry import ANY, AggregateFunction, Function, JsonText, ScalarFunction
from minisql.limits import call_on_fresh_stack
from minisql.values.cast import to_integer, to_text
from minisql.values.number_text import real_to_text
from minisql.values.storage_class import decode_text


def tree_of(value: Any) -> Any:
    """Returns the tree of a JSON argument that is not NULL: JSONB, or text in any form; raises "malformed JSON".

    Source: https://www.sqlite.org/json1.html section 3
    """
    if value.__class__ is bytes:
        return decode(value) if looks_like_jsonb(value) else parse(decode_text(value))
    return parse(value if value.__class__ is str else to_text(value))


def _plain(value: Any) -> Any:
    """A value that is not marked as JSON."""
    return value + "" if value.__class__ is JsonText else value


_NO_BLOB = "JSON cannot hold BLOB values"


def node_of_value(value: Any) -> Any:
    """Returns the node for an SQL value that is put into a tree: marked text and JSONB as JSON, other text as a string.

    Source: https://www.sqlite.org/json1.html section 3.4
    """
    kind = value.__class__
    if kind is str:
        return RawText(value)
    if kind is int:
        return IntegerText(value)
    if value is None:
        return None
    if kind is JsonText:
        return parse(value + "")
    if kind is float:
        if value - value != 0.0:
            return RealText("9e999" if value > 0 else "-9e999")
        return RealText(real_to_text(value))
    if looks_like_jsonb(value):
        return decode(value)
    raise sqlite_error(ERROR, _NO_BLOB)


def _text_of_value(value: Any) -> str:
    """JSON text for an SQL value, for the functions that build text."""
    kind = value.__class__
    if kind is str:
        return f'"{escape_text(value)}"'
    if kind is int:
        return str(value)
    if value is None:
        return "null"
    if kind is JsonText:
        return value + ""  # type: ignore[no-any-return]
    if kind is float:
        return sql_literal(value)
    if looks_like_jsonb(value):
        return render(decode(value))
    raise sqlite_error(ERROR, _NO_BLOB)


def _node_of_built_value(value: Any) -> Any:
    """The node that SQLite gets by parsing the text of `_text_of_value`: strings escaped, infinities as quote() writes them."""
    if value.__class__ is str:
        escaped = escape_text(value)
        return value if escaped == value else EscapedText(escaped)
    if value.__class__ is float:
        return RealText(sql_literal(value))
    return node_of_value(value)


def json_text(value: Any) -> str | None:
    """json(X): minified text.  Source: https://www.sqlite.org/json1.html section 4.1"""
    if value is None:
        return None
    if value.__class__ is str:
        minified = _minified(value)
        if minified is not None:
            return minified
    return render(tree_of(_plain(value)))


_SPACE = re.compile(r"[ \t\n\r]")
_WITHOUT_SPACE = str.maketrans("", "", " \t\n\r")


def _minified(text: str) -> str | None:
    """Plain JSON without its white space, or None for any other text.

    There are no escapes in it, so every second piece between quotes is outside of strings.
    """
    if parse_standard(text) is NOT_STANDARD:
        return None
    if _SPACE.search(text) is None:
        return text
    pieces = text.split('"')
    pieces[::2] = [piece.translate(_WITHOUT_SPACE) for piece in pieces[::2]]
    return '"'.join(pieces)


def jsonb(value: Any) -> bytes | None:
    """jsonb(X).  Source: https://www.sqlite.org/json1.html section 4.2"""
    if value is None:
        return None
    if value.__class__ is bytes and looks_like_jsonb(value):
        return value
    return encode(tree_of(_plain(value)))


def json_valid(value: Any, flags: Any = 1) -> int | None:
    """json_valid(X, FLAGS).  Source: https://www.sqlite.org/json1.html section 4.22"""
    wanted = to_integer(flags)
    if not 1 <= wanted <= 15:
        raise sqlite_error(ERROR, "FLAGS parameter to json_valid() must be between 1 and 15")
    if value is None:
        return None
    if value.__class__ is bytes:
        if looks_like_jsonb(value):
            return 1 if wanted & 4 or (wanted & 8 and _is_strict_jsonb(value)) else 0
        value = decode_text(value)
    if not wanted & 3:
        return 0
    text = to_text(_plain(value))
    if parse_standard(text) is not NOT_STANDARD:
        return 1
    try:
        _, is_json5 = parse_json5(text)
    except JsonSyntaxError:
        return 0
    return 1 if wanted & 2 or not is_json5 else 0


def _is_strict_jsonb(data: bytes) -> bool:
    try:
        return is_strictly_valid(decode(data, strict=True))
    except Error:
        return False


def json_error_position(value: Any) -> int | None:
    """json_error_position(X): 1-based character of the first error, 0 without one.  Source: json1.html section 4.7"""
    if value is None:
        return None
    if value.__class__ is bytes:
        if looks_like_jsonb(value):
            return 0 if _is_strict_jsonb(value) else 1
        value = decode_text(value)
    try:
        parse_json5(to_text(_plain(value)))
    except JsonSyntaxError as error:
        return error.position + 1
    return 0


def json_quote(value: Any) -> str:
    """json_quote(X).  Source: https://www.sqlite.org/json1.html section 4.20"""
    return _text_of_value(value)


def json_array(*values: Any) -> str:
    """json_array(...).  Source: https://www.sqlite.org/json1.html section 4.4"""
    return f"[{','.join([_text_of_value(value) for value in values])}]"


def jsonb_array(*values: Any) -> bytes:
    """jsonb_array(...).  Source: https://www.sqlite.org/json1.html section 4.4"""
    return encode([_node_of_built_value(value) for value in values])


def _labels(values: tuple[Any, ...]) -> list[str]:
    if len(values) & 1:
        raise sqlite_error(ERROR, "json_object() requires an even number of arguments")
    labels = []
    for label in values[::2]:
        if label.__class__ is not str and label.__class__ is not JsonText:
            raise sqlite_error(ERROR, "json_object() labels must be TEXT")
        labels.append(label + "")
    return labels


def json_object(*values: Any) -> str:
    """json_object(LABEL, VALUE, ...).  Source: https://www.sqlite.org/json1.html section 4.14"""
    pairs = zip(_labels(values), values[1::2])
    return "{" + ",".join([f'"{escape_text(label)}":{_text_of_value(value)}' for label, value in pairs]) + "}"


def jsonb_object(*values: Any) -> bytes:
    """jsonb_object(LABEL, VALUE, ...).  Source: https://www.sqlite.org/json1.html section 4.14"""
    labels = [_node_of_built_value(label) for label in _labels(values)]
    return encode(JsonObject(zip(labels, [_node_of_built_value(value) for value in values[1::2]])))


def _path(value: Any) -> str:
    return before_nul(to_text(_plain(value)))


def _extracted(node: Any, binary: bool) -> Any:
    """The SQL value of a node: arrays and objects as JSON, everything else as itself."""
    if node.__class__ is list or node.__class__ is JsonObject:
        return encode(node) if binary else JsonText(render(node))
    return value_of_node(node)


def _extract(binary: bool, arguments: tuple[Any, ...]) -> Any:
    if len(arguments) < 2 or arguments[0] is None:
        return None
    root = tree_of(_plain(arguments[0]))
    if len(arguments) == 2:
        if arguments[1] is None:
            return None
        node = lookup(root, parse_path(_path(arguments[1])))
        return None if node is MISSING else _extracted(node, binary)
    found = []
    for argument in arguments[1:]:
        if argument is None:
            return None
        node = lookup(root, parse_path(_path(argument)))
        found.append(None if node is MISSING else node)
    text = render(found)
    return encode(parse(text)) if binary else JsonText(text)


def json_extract(*arguments: Any) -> Any:
    """json_extract(X, PATH, ...).  Source: https://www.sqlite.org/json1.html section 4.8"""
    if len(arguments) == 2:
        value, path = arguments
        if value.__class__ is str and path.__class__ is str:
            found = scalar_at(value, path)
            if found is not NOT_STANDARD:
                return found
            node = lookup(parse(value), parse_path(path))
            if node.__class__ is list or node.__class__ is JsonObject:
                return render(node)
            return None if node is MISSING else value_of_node(node)
    return _plain(_extract(False, arguments))


def json_extract_subtyped(*arguments: Any) -> Any:
    """json_extract(X, PATH, ...) with arrays and objects marked as JSON.  Source: json1.html section 4.8"""
    return _extract(False, arguments)


def jsonb_extract(*arguments: Any) -> Any:
    """jsonb_extract(X, PATH, ...).  Source: https://www.sqlite.org/json1.html section 4.8"""
    return _extract(True, arguments)


def _arrow_path(path: Any) -> str:
    """The path of -> and ->>: a whole path, a label, or an array index."""
    if path.__class__ is int:
        return f"$[#{path}]" if path < 0 else f"$[{path}]"
    text = _path(path)
    if text[:1] == "$":
        return text
    if text.isascii() and text.isalnum():
        return f"$.{text}"
    if len(text) >= 3 and text[0] == "[" and text[-1] == "]":
        return f"${text}"
    return f'$."{text}"' if text else ""


def _arrow_node(value: Any, path: Any) -> Any:
    if value is None:
        return MISSING
    root = parse(value) if value.__class__ is str else tree_of(_plain(value))
    return MISSING if path is None else lookup(root, parse_path(_arrow_path(_plain(path))))


def arrow(value: Any, path: Any) -> str | None:
    """X -> PATH: always JSON text.  Source: https://www.sqlite.org/json1.html section 4.9"""
    node = _arrow_node(value, path)
    return None if node is MISSING else render(node)


def arrow_value(value: Any, path: Any) -> Any:
    """X ->> PATH: an SQL value.  Source: https://www.sqlite.org/json1.html section 4.9"""
    if value.__class__ is str and path is not None:
        found = scalar_at(value, _arrow_path(_plain(path)))
        if found is not NOT_STANDARD:
            return found
    node = _arrow_node(value, path)
    return None if node is MISSING else _plain(_extracted(node, False))


def json_type(value: Any, *path: Any) -> str | None:
    """json_type(X [, PATH]).  Source: https://www.sqlite.org/json1.html section 4.21"""
    node = _node_at(value, path)
    return None if node is MISSING else node_type_name(node)


def json_array_length(value: Any, *path: Any) -> int | None:
    """json_array_length(X [, PATH]): 0 for what is no array.  Source: https://www.sqlite.org/json1.html section 4.5"""
    node = _node_at(value, path)
    if node is MISSING:
        return None
    return len(node) if node.__class__ is list else 0


def _node_at(value: Any, path: tuple[Any, ...]) -> Any:
    if value is None:
        return MISSING
    root = tree_of(_plain(value))
    if not path:
        return root
    return MISSING if path[0] is None else lookup(root, parse_path(_path(path[0])))


def json_pretty(value: Any, *indent: Any) -> str | None:
    """json_pretty(X [, INDENT]).  Source: https://www.sqlite.org/json1.html section 4.17"""
    if value is None:
        return None
    space = "    " if not indent or indent[0] is None else before_nul(to_text(_plain(indent[0])))
    return render_pretty(tree_of(_plain(value)), space)


def _blob_of(value: Any) -> bytes:
    """The JSONB of a JSON argument that is not NULL."""
    if value.__class__ is bytes and looks_like_jsonb(value):
        return value
    return encode(tree_of(_plain(value)))


def _edits(name: str, arguments: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """The (path, value) pairs of json_set and its like; raises for a missing value."""
    if arguments and len(arguments) & 1 == 0:
        raise sqlite_error(ERROR, f"{name}() needs an odd number of arguments")
    return [(_path(path), value) for path, value in zip(arguments[1::2], arguments[2::2]) if path is not None]


def _editor(name: str, mode: int) -> Callable[..., Any]:
    def call(*arguments: Any) -> str | None:
        """json_set(X, PATH, VALUE, ...) and its like.  Source: https://www.sqlite.org/json1.html section 4.12"""
        edits = _edits(name, arguments)
        if not arguments or arguments[0] is None:
            return None
        root = tree_of(_plain(arguments[0]))
        for path, value in edits:
            parse_path(path)  # a path without `$` is refused before the value is looked at
            root = edit(root, path, mode, node_of_value(value))
        return render(root)

    return call


def _blob_editor(name: str, mode: int) -> Callable[..., Any]:
    def call(*arguments: Any) -> bytes | None:
        """jsonb_set(X, PATH, VALUE, ...) and its like.  Source: https://www.sqlite.org/json1.html section 4.12"""
        edits = _edits(name, arguments)
        if not arguments or arguments[0] is None:
            return None
        data = _blob_of(arguments[0])
        for path, value in edits:
            parse_path(path)
            new = value if value.__class__ is bytes and looks_like_jsonb(value) else node_of_value(value)
            data = edit_blob(data, path, mode, new) or b""
        return data

    return call


def json_remove(*arguments: Any) -> str | None:
    """json_remove(X, PATH, ...).  Source: https://www.sqlite.org/json1.html section 4.18"""
    if not arguments or arguments[0] is None:
        return None
    root = tree_of(_plain(arguments[0]))
    for path in arguments[1:]:
        root = MISSING if path is None else edit(root, _path(path), REMOVE)
        if root is MISSING:
            return None
    return render(root)


def jsonb_remove(*arguments: Any) -> bytes | None:
    """jsonb_remove(X, PATH, ...).  Source: https://www.sqlite.org/json1.html section 4.18"""
    if not arguments or arguments[0] is None:
        return None
    data: bytes | None = _blob_of(arguments[0])
    for path in arguments[1:]:
        if path is None or data is None:
            return None
        data = edit_blob(data, _path(path), REMOVE)
    return data


def json_patch(target: Any, patch: Any) -> str | None:
    """json_patch(T, P): RFC 7396.  Source: https://www.sqlite.org/json1.html section 4.16"""
    if target is None or patch is None:
        return None
    return render(merge_patch(tree_of(_plain(target)), tree_of(_plain(patch))))


def jsonb_patch(target: Any, patch: Any) -> bytes | None:
    """jsonb_patch(T, P): RFC 7396.  Source: https://www.sqlite.org/json1.html section 4.16"""
    if target is None or patch is None:
        return None
    return merge_blob(_blob_of(target), _blob_of(patch))


def merge_patch(target: Any, patch: Any, depth: int = 1) -> Any:
    """Returns a tree with an RFC 7396 patch applied.  Source: https://www.sqlite.org/json1.html section 4.16"""
    if patch.__class__ is not JsonObject:
        return patch
    if depth % 80 == 0:
        return call_on_fresh_stack(merge_patch, target, patch, depth + 1)
    result = JsonObject(target if target.__class__ is JsonObject else ())
    for label, value in patch:
        wanted = text_of_string(label)
        place = next((i for i, (other, _) in enumerate(result) if text_of_string(other) == wanted), -1)
        if value is None:
            if place >= 0:
                del result[place]
        elif place >= 0:
            result[place] = (result[place][0], merge_patch(result[place][1], value, depth + 1))
        else:
            result.append((label, merge_patch(None, value, depth + 1)))
    return result


class GroupArray:
    """json_group_array(X): pieces of JSON text."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def step(self, value: Any) -> None:
        """Adds a value."""
        self.pieces.append(_text_of_value(value))

    def inverse(self, value: Any) -> None:
        """Removes the oldest value."""
        del self.pieces[0]

    def value(self) -> str:
        """Returns the array as text."""
        return f"[{','.join(self.pieces)}]"


class GroupArrayBinary(GroupArray):
    """jsonb_group_array(X)."""

    __slots__ = ()

    def value(self) -> bytes:  # type: ignore[override]
        """Returns the array as JSONB."""
        return encode(parse(f"[{','.join(self.pieces)}]"))


class GroupObject(GroupArray):
    """json_group_object(LABEL, VALUE); rows with a NULL label are left out."""

    __slots__ = ()

    def step(self, label: Any, value: Any) -> None:  # type: ignore[override]
        """Adds a member."""
        if label is not None:
            self.pieces.append(f'"{escape_text(to_text(_plain(label)))}":{_text_of_value(value)}')

    def inverse(self, label: Any, value: Any) -> None:  # type: ignore[override]
        """Removes the oldest member."""
        if label is not None:
            del self.pieces[0]

    def value(self) -> str:
        """Returns the object as text."""
        return "{" + ",".join(self.pieces) + "}"


class GroupObjectBinary(GroupObject):
    """jsonb_group_object(LABEL, VALUE)."""

    __slots__ = ()

    def value(self) -> bytes:  # type: ignore[override]
        """Returns the object as JSONB."""
        return encode(parse("{" + ",".join(self.pieces) + "}"))


def subtype(value: Any) -> int:
    """subtype(X): 74 ('J') for text marked as JSON, else 0."""
    return 74 if value.__class__ is JsonText else 0


def _marked(name: str, n_min: int, n_max: int, call: Callable[..., Any]) -> ScalarFunction:
    """A function that returns marked JSON text, or NULL."""
    return ScalarFunction(name, n_min, n_max, call, returns_subtype=True, takes_subtype=True)


def _unmarked(name: str, n_min: int, n_max: int, call: Callable[..., Any]) -> ScalarFunction:
    return ScalarFunction(name, n_min, n_max, call, takes_subtype=True)


def _editors() -> list[Function]:
    functions: list[Function] = []
    for verb, mode in (("insert", INSERT), ("replace", REPLACE), ("set", SET), ("array_insert", ARRAY_INSERT)):
        name = f"json_{verb}"
        functions.append(_marked(name, 0, ANY, _editor(name, mode)))
        functions.append(_unmarked(f"jsonb_{verb}", 0, ANY, _blob_editor(name, mode)))
    return functions


FUNCTIONS: tuple[Function, ...] = (
    _marked("json", 1, 1, json_text),
    _unmarked("jsonb", 1, 1, jsonb),
    _marked("json_array", 0, ANY, json_array),
    _unmarked("jsonb_array", 0, ANY, jsonb_array),
    _marked("json_object", 0, ANY, json_object),
    _unmarked("jsonb_object", 0, ANY, jsonb_object),
    _marked("json_quote", 1, 1, json_quote),
    ScalarFunction("json_extract", 0, ANY, json_extract, call_subtyped=json_extract_subtyped),
    ScalarFunction("jsonb_extract", 0, ANY, jsonb_extract),
    _marked("->", 2, 2, arrow),
    _unmarked("->>", 2, 2, arrow_value),
    *_editors(),
    _marked("json_remove", 0, ANY, json_remove),
    _unmarked("jsonb_remove", 0, ANY, jsonb_remove),
    _marked("json_patch", 2, 2, json_patch),
    _unmarked("jsonb_patch", 2, 2, jsonb_patch),
    _unmarked("json_type", 1, 2, json_type),
    _unmarked("json_array_length", 1, 2, json_array_length),
    _unmarked("json_pretty", 1, 2, json_pretty),
    _unmarked("json_valid", 1, 2, json_valid),
    _unmarked("json_error_position", 1, 1, json_error_position),
    _unmarked("subtype", 1, 1, subtype),
    AggregateFunction("json_group_array", 1, 1, GroupArray, has_inverse=True, returns_subtype=True, takes_subtype=True),
    AggregateFunction("jsonb_group_array", 1, 1, GroupArrayBinary, has_inverse=True, takes_subtype=True),
    AggregateFunction("json_group_object", 2, 2, GroupObject, has_inverse=True, returns_subtype=True, takes_subtype=True),
    AggregateFunction("jsonb_group_object", 2, 2, GroupObjectBinary, has_inverse=True, takes_subtype=True),
)
