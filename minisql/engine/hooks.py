"""What users register with a connection: functions, aggregates, collations, and the texts that traces show.

Source: https://www.sqlite.org/c3ref/create_function.html, create_collation.html, update_hook.html, trace_v2.html.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from minisql.errors import BUSY, MISUSE, sqlite_error
from minisql.functions.registry import AggregateFunction, ScalarFunction
from minisql.parser.tokenizer import kind_of, tokenize
from minisql.parser.tokens import VARIABLE
from minisql.values.collation import BUILT_IN, Collation, built_in_collations
from minisql.values.number_text import real_to_text

if TYPE_CHECKING:
    from minisql.engine.session import Session

UPDATE_OPERATIONS = {"insert": 18, "update": 23, "delete": 9}
"""The authorizer's action codes, which the update hook reports."""

RowChange = tuple[int, str, str, int, int, "tuple[Any, ...] | None", "tuple[Any, ...] | None", int, int]
"""What the preupdate hook hears: operation code, database, table, rowid before and after, the old and the new row (None where
there is none), the depth of triggers, and the column that a blob is being written to or -1."""
PreUpdateHook = Callable[[RowChange], None]

_MAX_ARGUMENTS = 1000
_MAX_NAME_BYTES = 255


def create_function(
    session: Session, name: str, n_arguments: int, call: Callable[..., Any] | None, deterministic: bool
) -> None:
    """Registers a scalar function, or removes it with `call` None."""
    _check_definition(session, name, n_arguments)
    if call is None:
        session.functions.unregister(name, max(n_arguments, 0), n_arguments)
    else:
        function = ScalarFunction(
            name,
            max(n_arguments, 0),
            n_arguments,
            call,
            deterministic=deterministic,
            foldable=False,
            is_built_in=False,
        )
        session.functions.register(function)
    session.bump_generation()


def create_aggregate(
    session: Session,
    name: str,
    n_arguments: int,
    make: Callable[[], Any] | None,
    make_over: Callable[[], Any] | None = None,
) -> None:
    """Registers an aggregate, usable with OVER if there is `make_over`; or removes it with `make` None."""
    _check_definition(session, name, n_arguments)
    if make is None:
        session.functions.unregister(name, max(n_arguments, 0), n_arguments)
    else:
        function = AggregateFunction(
            name,
            max(n_arguments, 0),
            n_arguments,
            make,
            has_inverse=make_over is not None,
            is_built_in=False,
            is_window=make_over is not None,
            make_over=make_over,
        )
        session.functions.register(function)
    session.bump_generation()


def _check_definition(session: Session, name: str, n_arguments: int) -> None:
    if not -1 <= n_arguments <= _MAX_ARGUMENTS or len(name.encode("utf-8", "surrogateescape")) > _MAX_NAME_BYTES:
        raise sqlite_error(MISUSE, "bad parameter or other API misuse")
    if session.running:
        known = session.functions.find(name, max(n_arguments, 0))
        if known is not None and known.max_args == n_arguments:
            raise sqlite_error(BUSY, "unable to delete/modify user-function due to active statements")


def create_collation(session: Session, name: str, compare: Callable[[str, str], int] | None) -> None:
    """Registers a collation or removes it; a built-in one comes back when its replacement is removed."""
    if session.running and session.find_collation(name) is not None:
        raise sqlite_error(BUSY, "unable to delete/modify collation sequence due to active statements")
    upper = name.upper()
    if compare is None:
        session.collations.pop(upper, None)
        if upper in BUILT_IN:
            session.collations[upper] = built_in_collations(session.encoding)[upper]
        elif name in session.collation_names:
            session.collation_names.remove(name)
    else:
        session.collations[upper] = Collation(upper if upper in BUILT_IN else name, compare)
        if upper not in (known.upper() for known in session.collation_names):
            session.collation_names.append(name)
    session.forget_all_schemas()


def expanded_sql(sql: str, names: Sequence[str | None], values: Sequence[Any]) -> str:
    """The text of a statement with the values in place of its parameters.

    Source: https://www.sqlite.org/c3ref/expanded_sql.html
    """
    if not values:
        return sql
    numbers = {name: number for number, name in enumerate(names, 1) if name is not None}
    pieces: list[str] = []
    at = 0
    counter = 0
    for word in tokenize(sql, 0, len(sql)):
        start = sql.index(word, at)
        pieces.append(sql[at:start])
        at = start + len(word)
        if kind_of(word) != VARIABLE:
            pieces.append(word)
            continue
        if word == "?":
            counter += 1
            number = counter
        elif word[0] == "?":
            number = int(word[1:])
        else:
            number = numbers[word]
        counter = max(counter, number)
        pieces.append(sql_literal(values[number - 1]))
    pieces.append(sql[at:])
    return "".join(pieces)


def sql_literal(value: Any) -> str:
    """A value as a literal; text as far as its first null character."""
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return real_to_text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    escaped = value.partition("\0")[0].replace("'", "''")
    return f"'{escaped}'"
