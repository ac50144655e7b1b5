"""Prints a tree for people and for golden files: one node a line, fields that say nothing left out."""

from __future__ import annotations

from minisql.parser.ast.equality import fields

_PACKAGE = __name__.rpartition(".")[0]
_LEFT_OUT = frozenset({"position", "first", "column_at"})


def listing(node: object) -> str:
    """Returns an indented listing of a tree, without positions and without fields that are None, False or empty."""
    lines: list[str] = []
    pending: list[tuple[int, str, object]] = [(0, "", node)]
    while pending:
        indent, label, value = pending.pop()
        start = "  " * indent + label
        if isinstance(value, (list, tuple)) and any(_is_tree(item) for item in value):
            lines.append(f"{start}[{len(value)}]")
            pending.extend((indent + 1, "- ", item) for item in reversed(value))
        elif type(value).__module__.startswith(_PACKAGE):
            scalars, subtrees = _split(value)
            lines.append(f"{start}{type(value).__name__}{''.join(scalars)}")
            pending.extend((indent + 1, name + ": ", item) for name, item in reversed(subtrees))
        else:
            lines.append(f"{start}{value!r}")
    return "\n".join(lines)


def _is_tree(value: object) -> bool:
    return isinstance(value, (list, tuple)) or type(value).__module__.startswith(_PACKAGE)


def _split(node: object) -> tuple[list[str], list[tuple[str, object]]]:
    """Returns the fields that fit on the node's own line, as text, and those that need lines of their own."""
    scalars: list[str] = []
    subtrees: list[tuple[str, object]] = []
    kind = type(node)
    for name in fields(kind):
        value = getattr(node, name)
        if name in _LEFT_OUT or (name == "end" and kind.__name__ == "ResultColumn"):
            continue
        if (value is None and kind.__name__ != "Literal") or value is False or value == []:
            continue
        if _is_tree(value):
            if isinstance(value, list) and not any(_is_tree(item) for item in value):
                scalars.append(f" {name}={value!r}")
            else:
                subtrees.append((name, value))
        else:
            scalars.append(f" {name}" if value is True else f" {name}={value!r}")
    return scalars, subtrees
