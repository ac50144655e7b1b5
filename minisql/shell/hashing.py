"""Hashing: the SHA3 hash of a database's content, as `.sha3sum` and the sha3_query() function compute it.

Every statement's text, then of every row "R" and its values with their types: equal content has equal hashes, whatever the
file looks like.

Source: https://www.sqlite.org/dbhash.html, https://www.sqlite.org/cli.html#sha3sum.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from minisql.engine.names import quoted
from minisql.engine.session import Session
from minisql.values.storage_class import encode_text

_SCHEMA_SQL = "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name;"


def hash_rows(session: Session, bits: int, pattern: str | None, has_schema: bool) -> str:
    """The hash of all tables that match a LIKE pattern, in hexadecimal."""
    digest = hashlib.new(f"sha3_{bits}")
    tables = session.execute(
        "SELECT name FROM sqlite_schema WHERE type='table' AND coalesce(rootpage,0)>1 AND name NOT LIKE 'sqlite_%'"
        " AND (?1 IS NULL OR name LIKE ?1) ORDER BY name COLLATE nocase",
        (pattern,),
    )
    statements = [f"SELECT * FROM {quoted(name)} NOT INDEXED;" for (name,) in tables]
    if has_schema and pattern is None:
        place = sum(name.lower() < "sqlite_schema" for (name,) in tables)
        statements.insert(place, _SCHEMA_SQL)
    for sql in statements:
        statement = session.prepare(sql)[0]
        digest.update(statement_bytes(sql))
        for row in statement.start():
            digest.update(row_bytes(row))
    return digest.hexdigest()


def statement_bytes(sql: str) -> bytes:
    """A statement as it goes into the hash."""
    data = encode_text(sql)
    return b"S%d:" % len(data) + data


def row_bytes(row: tuple[Any, ...]) -> bytes:
    """A row as it goes into the hash."""
    return b"R" + b"".join(map(_value_bytes, row))


def _value_bytes(value: Any) -> bytes:
    if value is None:
        return b"N"
    if isinstance(value, int):
        return b"I" + value.to_bytes(8, "big", signed=True)
    if isinstance(value, float):
        return b"F" + struct.pack(">d", value)
    if isinstance(value, str):
        data = encode_text(value)
        return b"T%d:" % len(data) + data
    return b"B%d:" % len(value) + bytes(value)
