"""JSON paths: `$.key."key"[N][#-N][#]`, looking up and editing.

A path is parsed once into steps and remembered.  A syntax error becomes a step of its own, because SQLite raises it only
when it gets there: a path that fails to match earlier is not looked at further.  Edits return a new tree that shares all that
lies off the path.

Source: https://www.sqlite.org/json1.html section 3.3.
"""

from __future__ import annotations

import re
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.functions.characters import before_nul
from minisql.functions.json_nodes import Escaped5Text, JsonObject, RawText, text_of_string

KEY, INDEX, FROM_END, BAD_SYNTAX, BAD_INDEX = range(5)

# A step: KEY (text to compare, label for a new member), INDEX n, FROM_END n (count - n), or one of the two errors.
Step = tuple[int, Any, Any]

REPLACE, INSERT, SET, ARRAY_INSERT, REMOVE = range(5)

MISSING = object()

_KEY_STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)*)"|([^."\[][^.\[]*))', re.DOTALL)
_INDEX_STEP = re.compile(r"\[(?:([0-9]+)|#(?:-([0-9]+))?)\]")

_CACHE_SIZE = 300
_cache: dict[str, tuple[Step, ...]] = {}


def parse_path(path: str) -> tuple[Step, ...]:
    """Returns the steps of a path.  Source: https://www.sqlite.org/json1.html section 3.3"""
    steps = _cache.get(path)
    if steps is None:
        if len(_cache) >= _CACHE_SIZE:
            _cache.clear()
        steps = _cache[path] = tuple(_parse_steps(before_nul(path)))
    return steps


def _parse_steps(path: str) -> list[Step]:
    if path[:1] != "$":
        raise bad_path(path)
    steps: list[Step] = []
    i = 1
    while i < len(path):
        match = _KEY_STEP.match(path, i)
        if match is not None:
            steps.append(_key_step(match))
        elif path[i] == "[":
            match = _INDEX_STEP.match(path, i)
            if match is None:
                return [*steps, (BAD_INDEX, path, None)]
            number = int((match[1] or match[2] or "0")[:18])
            steps.append((INDEX if match[1] else FROM_END, number, None))
        else:
            return [*steps, (BAD_SYNTAX, path, None)]
        i = match.end()
    return steps


def _key_step(match: re.Match[str]) -> Step:
    quoted, plain = match[1], match[2]
    if quoted is None:
        return KEY, plain, RawText(plain)
    if "\\" in quoted:
        return KEY, text_of_string(Escaped5Text(quoted)), Escaped5Text(quoted)
    return KEY, quoted, RawText(quoted)


def bad_path(path: str) -> Error:
    """Returns the error for a path that SQLite cannot read.  Source: https://www.sqlite.org/json1.html section 3.3"""
    return sqlite_error(ERROR, "bad JSON path: '" + path.replace("'", "''") + "'")


def find_child(node: Any, step: Step) -> int:
    """Returns the position of a step's child in a container, -1 if it has none; raises the error of an error step."""
    kind, wanted, _ = step
    if kind == KEY:
        if node.__class__ is JsonObject:
            for position, (label, _) in enumerate(node):
                if label == wanted if label.__class__ is str else text_of_string(label) == wanted:
                    return position
        return -1
    if kind == BAD_SYNTAX:
        raise bad_path(wanted)
    if node.__class__ is not list:
        return -1
    if kind == BAD_INDEX:
        raise bad_path(wanted)
    position = wanted if kind == INDEX else len(node) - wanted
    return position if 0 <= position < len(node) else -1


def lookup(node: Any, steps: tuple[Step, ...]) -> Any:
    """Returns the node at a path, or MISSING.  Source: https://www.sqlite.org/json1.html section 3.3"""
    for step in steps:
        if node.__class__ is JsonObject and step[0] == KEY:
            wanted = step[1]
            for label, item in node:
                if label == wanted if label.__class__ is str else text_of_string(label) == wanted:
                    node = item
                    break
            else:
                return MISSING
            continue
        position = find_child(node, step)
        if position < 0:
            return MISSING
        node = node[position] if node.__class__ is list else node[position][1]
    return node


def edit(root: Any, path: str, mode: int, value: Any = None) -> Any:
    """Returns the tree after one edit at a path; the same tree if there is nothing to do, MISSING if the root is removed.

    Source: https://www.sqlite.org/json1.html sections 4.3 (array_insert), 4.12 (insert, replace, set) and 4.18 (remove)
    """
    steps = parse_path(path)
    if not steps:
        return MISSING if mode == REMOVE else root if mode in (INSERT, ARRAY_INSERT) else value
    trail: list[tuple[Any, int]] = []
    node = root
    for i, step in enumerate(steps):
        position = find_child(node, step)
        if position < 0:
            if mode in (REPLACE, REMOVE) or not _can_append(node, step):
                return root
            if mode == ARRAY_INSERT and step[0] == KEY and path[-1] != "]":
                raise not_an_element(path)
            wrapped = substructure(steps[i + 1 :], value, path, mode)
            if wrapped is None:
                return root
            new = _wrap(wrapped[0], steps[i + 1 :])
            changed: Any = [*node, new] if step[0] != KEY else JsonObject([*node, (step[2], new)])
            return _rebuild(trail, changed)
        trail.append((node, position))
        node = node[position] if node.__class__ is list else node[position][1]
    if mode == INSERT:
        return root
    if mode in (REPLACE, SET):
        return _rebuild(trail, value)
    container, position = trail.pop()
    if mode == ARRAY_INSERT and container.__class__ is not list:
        raise not_an_element(path)
    copy = container.__class__(container)
    if mode == REMOVE:
        del copy[position]
    else:
        copy.insert(position, value)
    return _rebuild(trail, copy)


def not_an_element(path: str) -> Error:
    """Returns the error of json_array_insert for a path that does not end at an element.  Source: json1.html section 4.3"""
    return sqlite_error(ERROR, "not an array element: '" + path.replace("'", "''") + "'")


def _can_append(node: Any, step: Step) -> bool:
    kind, wanted, _ = step
    if kind == KEY:
        return node.__class__ is JsonObject
    if node.__class__ is not list:
        return False
    return bool(wanted == len(node)) if kind == INDEX else bool(wanted == 0)


def substructure(steps: tuple[Step, ...], value: Any, path: str, mode: int) -> tuple[Any] | None:
    """Checks that new containers of one member each can hold the value at the rest of a path; None if they cannot.

    Source: https://www.sqlite.org/json1.html section 4.12
    """
    for kind, wanted, _ in steps:
        if kind in (BAD_SYNTAX, BAD_INDEX):
            raise bad_path(wanted)
        if kind != KEY and wanted != 0:
            return None
        if kind == KEY and mode == ARRAY_INSERT and path[-1] != "]":
            raise not_an_element(path)
    return (value,)


def _wrap(value: Any, steps: tuple[Step, ...]) -> Any:
    """The value inside new containers, one for each step."""
    for step in reversed(steps):
        value = JsonObject([(step[2], value)]) if step[0] == KEY else [value]
    return value


def _rebuild(trail: list[tuple[Any, int]], node: Any) -> Any:
    """The root after the innermost container of the trail got a new child."""
    for container, position in reversed(trail):
        copy = container.__class__(container)
        copy[position] = node if container.__class__ is list else (container[position][0], node)
        node = copy
    return node
