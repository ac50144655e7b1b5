"""Parameters: from what a caller hands over to the values that a program's registers take.

The plain cases are decided in `Cursor.execute`; this is the general way: adapters, buffers, mappings, floats that are not
numbers, and all the errors.

Source: https://docs.python.org/3/library/sqlite3.html#how-to-use-placeholders-to-bind-values-in-sql-queries,
https://www.sqlite.org/c3ref/bind_blob.html.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from minisql.dbapi.adapters import PrepareProtocol, adapted, adapted_base_types
from minisql.dbapi.arguments import c_type_name
from minisql.dbapi.deprecations import warn_deprecated
from minisql.errors import ProgrammingError

if TYPE_CHECKING:
    from minisql.engine.statement import Statement

_PLAIN = frozenset({int, float, str, bytearray, type(None)})


WARNS_OF_NAMES = sys.version_info >= (3, 12)
"""Since Python 3.12, names with a sequence of parameters are deprecated."""


def warn_of_names(statement: Statement) -> None:
    """Warns of every parameter that has a name."""
    for number, name in enumerate(statement.parameter_names, 1):
        if name is not None and name[0] != "?":
            warn_deprecated(
                f"Binding {number} ('{name}') is a named parameter, but you supplied a sequence which requires nameless "
                "(qmark) placeholders. Starting with Python 3.14 an sqlite3.ProgrammingError will be raised."
            )


def bind_sequence(statement: Statement, parameters: Any) -> list[Any]:
    """The values for a statement from a sequence of parameters; raises ProgrammingError if the number is wrong."""
    if not (hasattr(parameters, "__getitem__") and hasattr(parameters, "__len__")) or isinstance(parameters, Mapping):
        raise ProgrammingError("parameters are of unsupported type")
    n_supplied = len(parameters)
    if n_supplied != statement.n_parameters:
        raise ProgrammingError(
            "Incorrect number of bindings supplied. The current statement uses "
            f"{statement.n_parameters}, and there are {n_supplied} supplied."
        )
    values: list[Any] = []
    for position in range(n_supplied):
        value = parameters[position]
        try:
            values.append(bound_value(value))
        except _Unsupported as unsupported:
            raise _unsupported(position + 1, unsupported) from None
    return values


def bind_mapping(statement: Statement, parameters: Mapping[str, Any]) -> list[Any]:
    """The values for a statement from a mapping of names; a dict subclass may answer with `__missing__`."""
    values: list[Any] = []
    is_plain = parameters.__class__ is dict
    for number, marked_name in enumerate(statement.parameter_names, 1):
        if marked_name is None:
            raise ProgrammingError(f"Binding {number} has no name, but you supplied a dictionary (which has only names).")
        name = marked_name[1:]
        try:
            value = parameters[name]
        except LookupError:
            raise ProgrammingError(f"You did not supply a value for binding parameter :{name}.") from None
        if is_plain and value is None:
            values.append(None)
            continue
        try:
            values.append(bound_value(value))
        except _Unsupported as unsupported:
            raise _unsupported(number, unsupported) from None
    return values


class _Unsupported(Exception):
    """The value, perhaps one that an adapter has returned, has no SQLite type; the argument is the type's name."""


def _unsupported(number: int, unsupported: _Unsupported) -> ProgrammingError:
    return ProgrammingError(f"Error binding parameter {number}: type '{unsupported}' is not supported")


def bound_value(value: Any) -> Any:
    """One parameter as None, int, float, str or bytes.

    Raises OverflowError for an int beyond 64 bits, UnicodeEncodeError for text with lone surrogates.
    """
    if value.__class__ not in _PLAIN or adapted_base_types:
        value = adapted(value, PrepareProtocol, value)
    return sql_value(value)


def sql_value(value: Any) -> Any:
    """A Python value as SQLite stores it, without adapters; NaN is NULL, buffers are blobs."""
    if value is None:
        return None
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        return int(value)
    if isinstance(value, float):
        return float(value) if value == value else None
    if isinstance(value, str):
        if not value.isascii():
            value.encode()
        return value if value.__class__ is str else str.__str__(value)
    if value.__class__ is bytes:
        return value
    try:
        return buffer_bytes(value)
    except TypeError:
        raise _Unsupported(c_type_name(value)) from None


def buffer_bytes(value: Any) -> bytes:
    """The bytes of a buffer, which must lie together: BufferError if not, TypeError for what is no buffer."""
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{c_type_name(value)}'") from None
    if not view.contiguous:
        raise BufferError("memoryview: underlying buffer is not C-contiguous")
    return view.tobytes()
