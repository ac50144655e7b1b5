"""One cut: a workload on a disk that fails at one call, then everything that must hold on what is left.

    power   unsynced writes are lost, torn or reordered; kill: the process ends, its writes stay
    once, forever, full ..., read once    the call fails with an I/O or disk-full error, once or from then on

What a mode promises (https://www.sqlite.org/pragma.html#pragma_synchronous, #pragma_journal_mode): rollback journals with FULL
or EXTRA and logs with FULL keep what was committed; DELETE with FULL may lose the last commit of all, whose journal comes
back when the directory was not synced (that is what EXTRA is for); a log with NORMAL loses last commits; rollback journals
with NORMAL, and everything with OFF, promise nothing about a power cut; journals MEMORY and OFF nothing about any end of the
process, but MEMORY undoes what failed.  Nothing excuses an exception that is no database error.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from typing import Any

import apsw

import minisql
from minisql.storage.fault_vfs import Crash, FaultVfs
from tests.crash.workloads import ATTACHED_SCHEMA, SCHEMA, WORKLOADS, Setting

RECOVERY_CUTS = 4
"""Calls of a recovery that are cut, at most."""
VFS_NAME = "crash matrix"
State = tuple[str, ...]
Files = dict[str, bytes]

_PROMISES_NOTHING = ("memory", "off")


class Violation(Exception):
    """Something that a mode promises does not hold."""


def open_on(vfs: FaultVfs, folder: str, setting: Setting) -> minisql.Connection:
    """Opens the database of a trial on a faulty disk."""
    vfs.name = VFS_NAME
    minisql.register_vfs(vfs)
    connection = minisql.connect(f"file:{folder}/main?vfs={VFS_NAME}", uri=True, isolation_level=None, timeout=0)
    try:
        if setting.workload == "attached":
            connection.execute(f"ATTACH 'file:{folder}/other?vfs={VFS_NAME}' AS other")
    except BaseException:
        with contextlib.suppress(BaseException):
            connection.close()
        raise
    return connection


def configure(connection: minisql.Connection, setting: Setting) -> None:
    """Brings a connection to the setting."""
    names = ("main", "other") if setting.workload == "attached" else ("main",)
    for name in names:
        connection.execute(f"PRAGMA {name}.locking_mode = {setting.locking_mode}")
        connection.execute(f"PRAGMA {name}.journal_mode = {setting.journal_mode}")
        connection.execute(f"PRAGMA {name}.synchronous = {setting.synchronous}")
        connection.execute(f"PRAGMA {name}.cache_size = {setting.cache_size}")
    connection.execute("PRAGMA wal_autocheckpoint = 12")


def make_base(folder: str, setting: Setting) -> Files:
    """The sound files that every trial of a setting starts from."""
    vfs = FaultVfs(seed=1)
    connection = open_on(vfs, folder, setting)
    names = ("main", "other") if setting.workload == "attached" else ("main",)
    for name in names:
        connection.execute(f"PRAGMA {name}.page_size = {setting.page_size}")
        connection.execute(f"PRAGMA {name}.auto_vacuum = {setting.auto_vacuum}")
        if setting.journal_mode == "wal":
            connection.execute(f"PRAGMA {name}.journal_mode = wal")
    for statement in SCHEMA + (ATTACHED_SCHEMA if setting.workload == "attached" else ()):
        connection.execute(statement)
    connection.close()
    return {path: bytes(store.content) for path, store in vfs.files.items()}


def disk_with(files: Files, seed: int = 0, fail_at: int = 0, fault: str = "power") -> FaultVfs:
    """A disk that holds the files and fails at a call."""
    is_crash = fault in ("power", "kill")
    if not is_crash:
        seed = seed * 2 + ("full" in fault)  # odd seeds are disk full
    vfs = FaultVfs(fail_at, is_crash, seed, "forever" in fault)
    vfs.counts_reads = "read" in fault
    for path, data in files.items():
        vfs.put(path, data)
    return vfs


def state_of(connection: Any, attached: bool) -> State:
    """Digests of all that is in each database, the schema included; works for both engines."""
    digests = []
    for database in ("main", "other") if attached else ("main",):
        digest = hashlib.sha1(usedforsecurity=False)
        tables = list(connection.execute(f"SELECT type, name, tbl_name, sql FROM {database}.sqlite_schema ORDER BY name"))
        for kind, name, table, sql in tables:
            digest.update(repr((kind, name, table, sql)).encode())
            if kind == "table":
                for row in connection.execute(f'SELECT * FROM {database}."{name}"'):
                    digest.update(repr(tuple(row)).encode())
        digests.append(digest.hexdigest())
    return tuple(digests)


class Trials:
    """The trials of one setting: its base, the states after each step, and the calls there are to cut."""

    def __init__(self, setting: Setting, folder: str) -> None:
        self.setting = setting
        self.folder = folder
        self.attached = setting.workload == "attached"
        self.steps = WORKLOADS[setting.workload]
        self.base = make_base(folder, setting)
        self.states: list[State] = []
        vfs = disk_with(self.base)
        connection = open_on(vfs, folder, setting)
        configure(connection, setting)
        self.states.append(state_of(connection, self.attached))
        for step in self.steps:
            for statement in step:
                connection.execute(statement).fetchall()
            self.states.append(state_of(connection, self.attached))
        connection.close()
        vfs = disk_with(self.base, fault=setting.fault)
        vfs.fail_at = 0
        connection = open_on(vfs, folder, setting)
        configure(connection, setting)
        self.first_call = vfs.n_calls + 1
        for step in self.steps:
            for statement in step:
                connection.execute(statement).fetchall()
        connection.close()
        self.last_call = vfs.n_calls

    # -- running ---------------------------------------------------------------------------------------------------

    def run(self, fail_at: int, seed: int, with_sqlite: bool) -> int:
        """One cut; returns the number of cuts during recovery that followed.  Raises Violation."""
        fault = self.setting.fault
        vfs = disk_with(self.base, seed, fail_at, fault)
        if fault in ("power", "kill"):
            done = self._run_until_crash(vfs)
            disk = vfs.after_kill() if fault == "kill" else vfs.after_crash(seed)
            return self._check_left(_files_of(disk), done, seed, with_sqlite)
        self._run_with_errors(vfs)
        return 0

    def _run_until_crash(self, vfs: FaultVfs) -> int:
        """Runs the steps into the cut; returns how many were done."""
        done = 0
        connection = None
        try:
            connection = open_on(vfs, self.folder, self.setting)
            configure(connection, self.setting)
            for step in self.steps:
                for statement in step:
                    connection.execute(statement).fetchall()
                done += 1
            connection.close()
        except Crash:
            pass
        if connection is not None:
            with contextlib.suppress(Crash):
                connection.close()
        return done

    def _check_left(self, files: Files, done: int, seed: int, with_sqlite: bool) -> int:
        setting = self.setting
        allowed = self._allowed(done)
        if with_sqlite and allowed is not None:
            self._check_by_sqlite(files, allowed, "SQLite's recovery")
        vfs = disk_with(files)
        recovered = self._recover(vfs, allowed)
        n_calls = vfs.n_calls
        if allowed is not None:
            self._check_by_sqlite(recovered, allowed, "after minisql's recovery")
        calls = random.Random(seed).sample(range(1, n_calls + 1), min(n_calls, RECOVERY_CUTS))
        for fail_at in calls:
            second = disk_with(files, seed, fail_at, setting.fault)
            with contextlib.suppress(Crash):
                self._recover(second, None)
            disk = second.after_kill() if setting.fault == "kill" else second.after_crash(seed + 1)
            again = self._recover(disk_with(_files_of(disk)), allowed)
            if allowed is not None:
                self._check_by_sqlite(again, allowed, f"after a cut at call {fail_at} of the recovery")
        return len(calls)

    def _recover(self, vfs: FaultVfs, allowed: list[set[str]] | None) -> Files:
        connection = None
        try:
            connection = open_on(vfs, self.folder, self.setting)
            state = state_of(connection, self.attached)
            if allowed is not None:
                self._require(state, allowed, "minisql's recovery")
        except minisql.Error as error:
            if allowed is not None:
                raise Violation(f"minisql's recovery: {type(error).__name__} {error}") from error
        finally:
            if connection is not None:
                connection.close()
        return _files_of(vfs)

    # -- errors ----------------------------------------------------------------------------------------------------

    def _run_with_errors(self, vfs: FaultVfs) -> None:
        setting = self.setting
        done = 0
        try:
            connection = open_on(vfs, self.folder, setting)
            configure(connection, setting)
        except minisql.Error:
            return
        try:
            done, is_over = self._run_steps(connection, vfs)
        finally:
            with contextlib.suppress(minisql.Error):
                connection.close()
        self._require_unlocked(vfs)
        vfs.fail_at = 0
        if setting.journal_mode == "off" or (setting.journal_mode == "memory" and is_over):
            return
        allowed = self._either(done, done + 1) if is_over else self._either(done, done)
        self._check_by_sqlite(_files_of(vfs), allowed, "after an error")
        self._recover(disk_with(_files_of(vfs)), allowed)

    def _run_steps(self, connection: minisql.Connection, vfs: FaultVfs) -> tuple[int, bool]:
        """Runs the steps, each once more after an error; returns the steps done and whether it gave up."""
        is_strict = self.setting.journal_mode != "off"
        done = 0
        while done < len(self.steps):
            try:
                for statement in self.steps[done]:
                    connection.execute(statement).fetchall()
                done += 1
                continue
            except minisql.Error as error:
                if vfs.n_calls < vfs.fail_at:
                    raise Violation(f"an error before the fault: {error}") from error
            if connection.in_transaction:
                with contextlib.suppress(minisql.Error):
                    connection.execute("ROLLBACK")
            if vfs.forever or not is_strict or (self.attached and not self._is_all_or_none()):
                return done, True
            vfs.fail_at = 0
            try:
                state = state_of(connection, self.attached)
            except minisql.Error as error:
                raise Violation(f"reading after an error and ROLLBACK: {error}") from error
            self._require(state, self._either(done, done + 1), "after an error and ROLLBACK")
            if state == self.states[done + 1] and state != self.states[done]:
                done += 1
        return done, False

    def _require_unlocked(self, vfs: FaultVfs) -> None:
        for path, store in vfs.files.items():
            locks = store.locks
            if locks.shared or locks.reserved or locks.pending or locks.exclusive:
                raise Violation(f"a lock is left on {os.path.basename(path)}")

    # -- what must hold --------------------------------------------------------------------------------------------

    def _either(self, first: int, last: int) -> list[set[str]]:
        """What each database may hold: its digests after `first` to `last` steps."""
        chosen = self.states[max(first, 0) : last + 1]
        return [{state[i] for state in chosen} for i in range(len(self.states[0]))]

    def _allowed(self, done: int) -> list[set[str]] | None:
        """What may be found when `done` steps had ended; None when nothing is promised."""
        setting = self.setting
        mode, synchronous = setting.journal_mode, setting.synchronous
        if mode in _PROMISES_NOTHING:
            return None
        if setting.fault == "kill":
            return self._either(done, done + 1)
        if synchronous == "off" or (synchronous == "normal" and mode != "wal"):
            return None
        if synchronous == "normal":
            return self._either(0, done + 1)
        if mode == "delete" and synchronous == "full":
            return self._either(done - 1, done + 1)
        return self._either(done, done + 1)

    def _require(self, state: State, allowed: list[set[str]], when: str) -> None:
        for found, wanted in zip(state, allowed):
            if found not in wanted:
                known = [number for number, one in enumerate(self.states) if found in one]
                raise Violation(f"{when}: the state after step {known} is not one of those allowed")
        if self._is_all_or_none() and state not in self.states:
            raise Violation(f"{when}: one file has the transaction, the other has not")

    def _is_all_or_none(self) -> bool:
        """Whether a transaction over two files is one: with super-journals, hence not in WAL mode, and not unsynced."""
        return self.attached and self.setting.journal_mode in ("delete", "truncate", "persist") and self.setting.synchronous != "off"

    def _check_by_sqlite(self, files: Files, allowed: list[set[str]], when: str) -> None:
        """Lets SQLite open the files as they are: its recovery, its integrity check, the rows."""
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        for path, data in files.items():
            with open(path, "wb") as file:
                file.write(data)
        connection = apsw.Connection(os.path.join(self.folder, "main"))
        try:
            connection.execute("PRAGMA synchronous = off")
            if self.attached:
                connection.execute("ATTACH ? AS other", (os.path.join(self.folder, "other"),))
            state = state_of(connection, self.attached)
            answer = list(connection.execute("PRAGMA integrity_check"))
        except apsw.Error as error:
            raise Violation(f"{when}: {type(error).__name__} {error}") from error
        finally:
            connection.close()
        if answer != [("ok",)]:
            raise Violation(f"{when}: {answer[:3]}")
        self._require(state, allowed, when)


def _files_of(vfs: FaultVfs) -> Files:
    return {path: bytes(store.content) for path, store in vfs.files.items()}
