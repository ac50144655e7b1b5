"""Transactions of a connection: when reading and writing begin and end, autocommit, savepoints, undoing a statement.

Each database of a connection is in one of three states: not in a transaction, reading, writing.  A statement brings the
databases it needs to the state it needs (`begin_statement`, the Transaction instruction).  In autocommit mode the last
writing statement that ends commits, and the last statement that ends drops the read locks; between BEGIN and COMMIT the
states stay.

Undo has three grains.  A statement that can fail after it has changed something opens a savepoint of its own in the files
it writes, unless it is the only writer in autocommit mode, where undoing the transaction does the same.  SAVEPOINTs open
one in every file being written, and files that start writing later open as many as there are, so that the numbers agree.
Statement savepoints are always innermost: SAVEPOINT is refused while another statement writes.

Source: https://www.sqlite.org/lang_transaction.html, lang_savepoint.html, lang_conflict.html, atomiccommit.html.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from minisql.bytecode.opcodes import ON_CONFLICT_FAIL, ON_CONFLICT_ROLLBACK
from minisql.engine.multifile import commit_files
from minisql.engine.opening import is_shared_cache
from minisql.engine.virtual_transactions import end_all, sync_all, tell_savepoint
from minisql.engine.wal_hook import hear_at_end, note_wal_commits, report_wal_commits
from minisql.errors import (
    BUSY,
    CONSTRAINT,
    CONSTRAINT_COMMITHOOK,
    CONSTRAINT_FOREIGNKEY,
    ERROR,
    FULL,
    INTERRUPT,
    IOERR,
    LOCKED_SHAREDCACHE,
    NOMEM,
    READONLY,
    SCHEMA,
    Error,
    sqlite_error,
)
from minisql.vm.host import SchemaChanged

if TYPE_CHECKING:
    from minisql.engine.blob import BlobHandle
    from minisql.engine.session import Session
    from minisql.engine.statement import Statement
    from minisql.storage.btree import BtreeFile

IDLE, READING, WRITING = 0, 1, 2

_COOKIE = 1
_FATAL_CODES = frozenset({NOMEM, IOERR, INTERRUPT, FULL})


class OpenSavepoint:
    """A SAVEPOINT: its name and the deferred foreign-key violations when it was opened."""

    __slots__ = ("deferred_violations", "name")

    def __init__(self, name: str, deferred_violations: int) -> None:
        self.name = name
        self.deferred_violations = deferred_violations


def begin_statement(session: Session, database: int, write: bool, cookie: int, generation: int) -> None:
    """Brings a database to the state a statement needs; raises SchemaChanged when the program does not fit its schema."""
    if generation != session.schema_generation:
        raise SchemaChanged
    state = session.transaction_states[database]
    if state == IDLE or (write and state != WRITING):
        btree = session.btrees[database]
        if not write and btree is not None and btree.pager.file is None:
            # As `_advance` does it, which has nothing else to do here.
            btree.begin_read()
            session.transaction_states[database] = READING
            return
        _advance(session, database, write, cookie, state)
    if write:
        statement = session.starting
        if statement is not None:
            if not statement.is_writing:
                statement.is_writing = True
                statement.deferred_violations = session.deferred_violations
                session.writers.add(statement)
            if statement.program.needs_statement_journal:
                _open_statement_savepoint(session, statement, database)


def _advance(session: Session, database: int, write: bool, cookie: int, state: int) -> None:
    """Starts to read or to write a database, and compares its schema with the program's."""
    if write and session.is_query_only:
        _refuse_writing(session)
    btree = _btree(session, database)
    pager = btree.pager
    if write and pager.file is None and pager.n_pages and not (pager.savepoints or pager.read_only or session.savepoints):
        pager.begin_at_once(state == IDLE)
        session.transaction_states[database] = WRITING
        if database == 1:
            session.has_temp = True
        return
    if state == IDLE:
        btree.begin_read()
        session.transaction_states[database] = READING
    if write:
        begin_writing(session, database, False, state == IDLE)
    # Nobody else can change the schema of a database in memory.
    if btree.pager.file is not None and btree.get_meta(_COOKIE) != cookie:
        statement = session.starting
        if write and statement is not None and not statement.is_writing:
            # The write transaction has begun, and somebody must end it.
            statement.is_writing = True
            session.writers.add(statement)
        schema_is_stale(session, database)
        raise SchemaChanged


def _open_statement_savepoint(session: Session, statement: Statement, database: int) -> None:
    """A statement that may have to be undone alone gets a savepoint of its own in each file that it writes.

    A sole writer in autocommit mode is undone by undoing its transaction, and the SQL of a virtual table's module with the
    statement that it serves.
    """
    if (session.autocommit and len(session.writers) <= 1) or session.n_nested:
        return
    if all(number != database for number, _depth in statement.savepoints):
        if session.virtual_writers and not statement.savepoints:
            tell_savepoint(session, "savepoint", len(session.savepoints))
        statement.savepoints.append((database, _btree(session, database).open_savepoint()))


def _refuse_writing(session: Session) -> None:
    """PRAGMA query_only: the statement fails, having changed nothing."""
    if session.starting is not None and session.starting.counts_changes:
        session.changes = 0
    raise sqlite_error(READONLY)


def begin_writing(session: Session, database: int, exclusive: bool, is_fresh: bool) -> None:
    """Starts a write transaction in a database that is being read, with as many savepoints as are open.

    `is_fresh` tells that nothing was read yet in the read transaction, so that storage may wait for a lock and renew the
    snapshot; otherwise a snapshot that has become old means SQLITE_BUSY_SNAPSHOT.
    """
    if session.is_query_only:
        _refuse_writing(session)
    btree = session.btrees[database]
    assert btree is not None
    if not is_fresh:
        btree.begin_read()
    try:
        btree.begin_write(exclusive)
    except Error as error:
        if error.sqlite_errorcode == SCHEMA:
            schema_is_stale(session, database)
            raise SchemaChanged from error
        if error.sqlite_errorcode == BUSY and is_shared_cache(btree):
            raise sqlite_error(LOCKED_SHAREDCACHE, "database table is locked") from error
        raise
    finally:
        if not is_fresh:
            btree.end_read()
        elif not btree.in_transaction:
            # A statement that could not begin to write keeps no lock that it has taken itself.
            session.release_reading(database)
    session.transaction_states[database] = WRITING
    if database == 1:
        session.has_temp = True
    for _savepoint in session.savepoints:
        btree.open_savepoint()


def schema_is_stale(session: Session, database: int) -> None:
    """Another connection has changed the schema: it is read again at the next need."""
    session.forget_schema(database)


def finish_statement(session: Session, statement: Statement | BlobHandle, error: BaseException | None) -> None:
    """Ends a statement: keeps or undoes what it did, commits in autocommit mode, drops locks that nobody needs.

    Raises the error of a commit that fails; the transaction is then undone, except when the commit can be tried again.
    """
    session.running.discard(statement)
    if error is not None and not isinstance(error, Error):
        return  # it may have struck anywhere: `recover` ends the statement
    is_writing = statement.is_writing
    try:
        if error is None:
            for database, depth in statement.savepoints:
                _btree(session, database).release_savepoint(depth)
            if session.virtual_writers and statement.savepoints:
                tell_savepoint(session, "release", len(session.savepoints))
        elif is_writing:
            _undo_statement(session, statement, error)
    finally:
        if is_writing:
            statement.is_writing = False
            session.writers.discard(statement)
        statement.savepoints.clear()
        if session.autocommit and (not session.running or (is_writing and not session.writers)):
            try:
                _end_autocommit(session, is_writing)
            except Error as failure:
                code = failure.sqlite_errorcode
                if code == CONSTRAINT_FOREIGNKEY or (code & 0xFF == CONSTRAINT and statement.counts_changes):
                    # The commit failed, so the statement (DROP TABLE deletes rows, too) has changed nothing.
                    session.total_changes -= session.changes
                    session.changes = 0
                raise


def is_alone_in_memory(session: Session) -> bool:
    """Tells whether nobody can see how many transactions this connection makes of its changes: all databases are its own."""
    return (
        not session.running
        and session.commit_hook is None
        and session.rollback_hook is None
        and all(btree is None or (btree.pager.file is None and not is_shared_cache(btree)) for btree in session.btrees)
    )


def commit_at_once(session: Session, statement: Statement) -> bool:
    """Ends the only statement of a connection, which has written the main database in memory in autocommit mode.

    False, with nothing done, when somebody listens, something may refuse the commit, or there is more than that to do.
    """
    states = session.transaction_states
    btree = session.btrees[0]
    if (
        states[0] != WRITING
        or states.count(IDLE) != len(states) - 1
        or btree is None
        or btree.pager.file is not None
        or btree.pager.is_editing
        or btree.pager.auto_vacuum_mode
        or statement.savepoints
        or len(session.writers) != 1
        or session.virtual_writers
        or session.commit_hook is not None
        or session.deferred_violations > 0
        or session.changed_schemas
        or session.flags["defer_foreign_keys"]
    ):
        return False
    statement.is_writing = False
    session.writers.discard(statement)
    session.deferred_violations = 0
    btree.pager.commit()
    states[0] = IDLE
    btree.pager.end_read()
    return True


def _undo_statement(session: Session, statement: Statement | BlobHandle, error: Error) -> None:
    action = getattr(error, "conflict_action", 0)
    code = getattr(error, "sqlite_errorcode", NOMEM) & 0xFF
    if action == ON_CONFLICT_FAIL:
        for database, depth in statement.savepoints:
            _btree(session, database).release_savepoint(depth)
        return
    # The implicit DELETE of DROP TABLE counts as well.
    if statement.counts_changes or getattr(error, "sqlite_errorcode", 0) == CONSTRAINT_FOREIGNKEY:
        session.changes = 0
    is_sole_writer = session.autocommit and len(session.writers) <= 1
    if action == ON_CONFLICT_ROLLBACK or code in _FATAL_CODES or is_sole_writer:
        rollback_all(session)
        return
    for database, depth in statement.savepoints:
        btree = _btree(session, database)
        btree.rollback_to_savepoint(depth)
        btree.release_savepoint(depth)
    if session.virtual_writers and statement.savepoints:
        tell_savepoint(session, "rollback_to", len(session.savepoints))
    # SQLite takes its counter back with the statement's savepoint only: a single row that fails at once leaves it as it is.
    if statement.savepoints:
        session.deferred_violations = statement.deferred_violations
    if session.changed_schemas:
        session.reload_changed_schemas()


def _end_autocommit(session: Session, is_writing: bool) -> None:
    if is_writing and not session.writers:
        try:
            commit_all(session)
        except Error:
            rollback_all(session)
            raise
    # A running query of constants reads nothing.
    if not session.running or not session.databases_in_use():
        end_reading(session)
    if session.wal_commits:
        report_wal_commits(session)


def end_reading(session: Session) -> None:
    """Drops the read locks of all databases that are not being written."""
    states = session.transaction_states
    for database, state in enumerate(states):
        if state == READING:
            states[database] = IDLE
            btree = session.btrees[database]
            if btree is not None:
                btree.end_read()


def commit_all(session: Session) -> None:
    """Makes what was written durable in all databases.  Raises FOREIGN KEY constraint failed, or BUSY and stays open."""
    if session.deferred_violations > 0:
        raise sqlite_error(CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed")
    states = session.transaction_states
    if WRITING in states:
        if session.virtual_writers:
            sync_all(session)
        if session.commit_hook is not None and session.commit_hook():
            raise sqlite_error(CONSTRAINT_COMMITHOOK)
        writing = [database for database, state in enumerate(states) if state == WRITING]
        if session.wal_hook is None:
            commit_files(session, writing)
        else:
            note_wal_commits(session, writing, lambda: commit_files(session, writing))
        for database in writing:
            states[database] = READING
    if session.virtual_writers:
        end_all(session, "commit")
    session.deferred_violations = 0
    session.changed_schemas.clear()
    if session.flags["defer_foreign_keys"]:
        session.flags["defer_foreign_keys"] = False
        session.bump_generation()
    if not session.autocommit:
        session.savepoints.clear()
        session.is_savepoint_transaction = False


def rollback_all(session: Session) -> None:
    """Undoes the transaction in all databases and returns to autocommit mode."""
    states = session.transaction_states
    was_open = not session.autocommit
    for database, state in enumerate(states):
        if state == WRITING:
            was_open = True
            states[database] = READING
            _btree(session, database).rollback()
    if session.virtual_writers:
        end_all(session, "rollback")
    for blob in tuple(session.blobs):
        blob.roll_back()
    # Statements that are still writing have lost what they wrote: the next thing that they do fails.
    session.writers.clear()
    session.autocommit = True
    session.savepoints.clear()
    session.is_savepoint_transaction = False
    session.deferred_violations = 0
    if session.flags["defer_foreign_keys"]:
        session.flags["defer_foreign_keys"] = False
        session.bump_generation()
    if session.changed_schemas:
        session.reload_changed_schemas()
    if was_open and session.rollback_hook is not None:
        session.rollback_hook()


def recover(session: Session, statement: Statement) -> None:
    """Makes a session whole after an exception that can strike anywhere: KeyboardInterrupt, MemoryError, a signal handler's.

    Every count and flag may be one step behind, so nothing is believed: the statement is ended, the transaction undone,
    each file left without a lock.  Only a query that has struck leaves the transaction around it open.
    """
    was_writing = statement.is_writing or statement.program.statement_kind != "select"
    session.starting = None
    statement.is_running = statement.is_writing = False
    session.running.discard(statement)
    session.writers.discard(statement)
    statement.savepoints.clear()
    states = session.transaction_states
    is_kept = not was_writing and not session.autocommit
    for database, btree in enumerate(session.btrees):
        if btree is None:
            continue
        if is_kept or (session.running and not was_writing):
            btree.pager.n_readers = int(states[database] != IDLE)
            if states[database] == IDLE:
                btree.abandon()
            continue
        states[database] = IDLE
        with contextlib.suppress(Error):
            btree.abandon()
            if session.running:
                btree.begin_read()
                states[database] = READING
    if not is_kept and not (session.running and not was_writing):
        rollback_all(session)


def set_autocommit(session: Session, autocommit: bool, rollback: bool, kind: int) -> None:
    """BEGIN (`autocommit` false), COMMIT, or ROLLBACK, within a running statement.

    Source: https://www.sqlite.org/lang_transaction.html
    """
    if not autocommit:
        # As in SQLite the locks are taken first, so BUSY comes before the error about nesting.
        _begin(session, kind)
        if not session.autocommit:
            raise sqlite_error(ERROR, "cannot start a transaction within a transaction")
        session.autocommit = False
        return
    if session.autocommit:
        raise sqlite_error(ERROR, f"cannot {'rollback' if rollback else 'commit'} - no transaction is active")
    if rollback:
        rollback_all(session)
        return
    if session.writers:
        raise sqlite_error(BUSY, "cannot commit transaction - SQL statements in progress")
    commit_all(session)
    session.autocommit = True
    hear_at_end(session)


def _begin(session: Session, kind: int) -> None:
    if kind:
        for database, btree in enumerate(session.btrees):
            if btree is None or (database == 1 and not session.has_temp):
                continue
            is_fresh = session.transaction_states[database] == IDLE
            if is_fresh:
                btree.begin_read()
                session.transaction_states[database] = READING
            if session.transaction_states[database] == READING and not btree.read_only:
                begin_writing(session, database, kind == 2, is_fresh)


def set_savepoint(session: Session, operation: int, name: str) -> None:
    """SAVEPOINT (0), RELEASE (1), ROLLBACK TO (2), within a running statement.

    Source: https://www.sqlite.org/lang_savepoint.html
    """
    if operation == 0:
        _open_savepoint(session, name)
        return
    lowered = name.lower()
    position = len(session.savepoints) - 1
    while position >= 0 and session.savepoints[position].name.lower() != lowered:
        position -= 1
    if position < 0:
        raise sqlite_error(ERROR, f"no such savepoint: {name}")
    if operation == 1:
        _release_savepoint(session, position)
    else:
        _rollback_to_savepoint(session, position)


def _open_savepoint(session: Session, name: str) -> None:
    if session.writers:
        raise sqlite_error(BUSY, "cannot open savepoint - SQL statements in progress")
    if session.autocommit:
        session.autocommit = False
        session.is_savepoint_transaction = True
    if session.virtual_writers:
        tell_savepoint(session, "savepoint", len(session.savepoints))
    for database in _written(session):
        _btree(session, database).open_savepoint()
    session.savepoints.append(OpenSavepoint(name, session.deferred_violations))


def _release_savepoint(session: Session, position: int) -> None:
    if session.writers:
        raise sqlite_error(BUSY, "cannot release savepoint - SQL statements in progress")
    if position == 0 and session.is_savepoint_transaction:
        commit_all(session)
        session.autocommit = True
        hear_at_end(session)
        return
    for database in _written(session):
        # Depth 0 is the transaction itself, so SAVEPOINT number n has depth n + 1.
        _btree(session, database).release_savepoint(position + 1)
    if session.virtual_writers:
        tell_savepoint(session, "release", position)
    del session.savepoints[position:]


def _rollback_to_savepoint(session: Session, position: int) -> None:
    for database in _written(session):
        _btree(session, database).rollback_to_savepoint(position + 1)
    if session.virtual_writers:
        tell_savepoint(session, "rollback_to", position)
    session.deferred_violations = session.savepoints[position].deferred_violations
    del session.savepoints[position + 1 :]
    if session.changed_schemas:
        session.reload_changed_schemas()


def _written(session: Session) -> list[int]:
    return [database for database, state in enumerate(session.transaction_states) if state == WRITING]


def _btree(session: Session, database: int) -> BtreeFile:
    btree = session.btrees[database]
    assert btree is not None, "a database in a transaction is open"
    return btree
