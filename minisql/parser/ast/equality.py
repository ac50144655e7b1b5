"""Structural comparison of trees, outside the node classes to keep those bare."""

from __future__ import annotations

_PACKAGE = __name__.rpartition(".")[0]
_compared: dict[type, tuple[str, ...]] = {}
_BARE: set[type] = set()
"""Node classes of which nothing counts: all their nodes are equal."""
_UNCOMPARED = frozenset({"position", "first", "text", "column_at"})


def equal(left: object, right: object) -> bool:
    """Tells whether two trees have the same structure and values; positions and source texts do not count.

    Compares with a loop, not by recursion, so the depth of the trees does not matter.  1 and 1.0 differ.
    """
    pairs: list[tuple[object, object]] = [(left, right)]
    known = _compared
    while pairs:
        left, right = pairs.pop()
        kind = left.__class__
        if kind is not right.__class__:
            return False
        names = known.get(kind)
        if names is None:
            names = known[kind] = _compared_fields(kind)
        if names:
            pairs += [(getattr(left, name), getattr(right, name)) for name in names]
        elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if len(left) != len(right):
                return False
            pairs += zip(left, right)
        elif left is not right and left != right and (left == left or right == right) and kind not in _BARE:
            return False
    return True


def fields(kind: type) -> tuple[str, ...]:
    """Returns the field names of a node class, in constructor order."""
    if kind.__init__ is object.__init__:  # type: ignore[misc]
        return ()
    code = kind.__init__.__code__  # type: ignore[misc]
    return tuple(code.co_varnames[1 : code.co_argcount])


def _compared_fields(kind: type) -> tuple[str, ...]:
    """The fields of a node class that count; none for what is not a node."""
    if not kind.__module__.startswith(_PACKAGE):
        return ()
    names = tuple([name for name in fields(kind) if _counts(kind, name)])
    if not names:
        _BARE.add(kind)
    return names


def _counts(kind: type, name: str) -> bool:
    return name not in _UNCOMPARED and not (name == "end" and kind.__name__ == "ResultColumn")
