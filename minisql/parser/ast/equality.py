"""Structural comparison of trees, outside the node classes to keep those bare."""

from __future__ import annotations

_PACKAGE = __name__.rpartition(".")[0]
_UNCOMPARED = frozenset({"position", "first", "text"})


def equal(left: object, right: object) -> bool:
    """Tells whether two trees have the same structure and values; positions and source texts do not count.

    Compares with a loop, not by recursion, so the depth of the trees does not matter.  1 and 1.0 differ.
    """
    pairs: list[tuple[object, object]] = [(left, right)]
    while pairs:
        left, right = pairs.pop()
        kind = type(left)
        if kind is not type(right):
            return False
        if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right))
        elif not kind.__module__.startswith(_PACKAGE):
            if left != right and not (left != left and right != right):
                return False
        else:
            pairs.extend((getattr(left, name), getattr(right, name)) for name in fields(kind) if _counts(kind, name))
    return True


def fields(kind: type) -> tuple[str, ...]:
    """Returns the field names of a node class, in constructor order."""
    if kind.__init__ is object.__init__:  # type: ignore[misc]
        return ()
    code = kind.__init__.__code__  # type: ignore[misc]
    return tuple(code.co_varnames[1 : code.co_argcount])


def _counts(kind: type, name: str) -> bool:
    return name not in _UNCOMPARED and not (name == "end" and kind.__name__ == "ResultColumn")
