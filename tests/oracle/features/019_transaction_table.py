"""Transactions and savepoints: every pair and triple of commands, with changes between them, and errors within.

Source: https://www.sqlite.org/lang_transaction.html, https://www.sqlite.org/lang_savepoint.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

COMMANDS = (
    "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END TRANSACTION", "ROLLBACK", "SAVEPOINT a", "SAVEPOINT b", "RELEASE a", "RELEASE SAVEPOINT b", "ROLLBACK TO a",
    "ROLLBACK TRANSACTION TO SAVEPOINT b", "INSERT INTO t VALUES(99)", "INSERT OR ROLLBACK INTO t VALUES(1)", "CREATE TABLE u(x)", "DROP TABLE IF EXISTS u",
)  # fmt: skip


def blocks() -> Iterator[str]:
    """The statements of this table."""
    yield "CREATE TABLE t(a UNIQUE)"
    for commands in itertools.product(COMMANDS, repeat=2):
        yield "DELETE FROM t"
        yield "INSERT INTO t VALUES(1)"
        yield "SAVEPOINT a"
        for number, command in enumerate(commands):
            yield f"INSERT INTO t VALUES({number + 2})"
            yield command
        yield "SELECT a FROM t ORDER BY a"
        yield "SELECT count(*) FROM sqlite_schema"
        yield "ROLLBACK"
        yield "SELECT count(*) FROM t"
        yield "DROP TABLE IF EXISTS u"
    for first, second in itertools.product(("a", "A", "'a'", '"a"', "[b]", "b c", "1", "select"), repeat=2):
        yield f"SAVEPOINT {first}"
        yield f"SAVEPOINT {second}"
        yield "INSERT OR IGNORE INTO t VALUES(50)"
        yield f"ROLLBACK TO {first}"
        yield f"RELEASE {first}"
        yield "ROLLBACK"
    yield """.each
BEGIN DEFERRED
BEGIN
COMMIT
COMMIT
ROLLBACK
BEGIN EXCLUSIVE TRANSACTION
BEGIN CONCURRENT
BEGIN TRANSACTION nope
END
BEGIN TRANSACTION
END TRANSACTION
ROLLBACK TRANSACTION
SAVEPOINT
RELEASE nope
ROLLBACK TO nope
BEGIN
RELEASE nope
ROLLBACK TO nope
VACUUM
ATTACH ':memory:' AS x
DETACH x
PRAGMA journal_mode
COMMIT
"""
