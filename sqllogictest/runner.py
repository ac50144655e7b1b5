"""Runs the records of one file on one engine and says which of them fail.

In comes a file's text and an engine, out goes a FileResult: counts, times and the first failures with what was expected
and what came. The loop is the part of the runner that is paid for every record, so it is flat: one call into the
engine, one formatter looked up by type string and sort mode, one comparison of strings, a hash only when the file has one.

As the reference runner does: a query that fails while it is being stepped counts with the rows it gave before that; of
several statements in a query record only the first runs, in a statement record all; two queries with one label have to give one
result, and records that are skipped neither set a label nor are held to it.
"""

import gc
import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqllogictest.engines import ApswEngine, Engine, EngineError, Rows
from sqllogictest.formatting import RENDERERS, ColumnCountError, hash_text
from sqllogictest.records import HASH_MARK, Condition, Record, decode_text, is_skipped, parse_records
from sqllogictest.statements import split_statements
from sqllogictest.watchdog import Progress, RecordTimeout, watch

RECORDS_PER_OPEN = 200
"""In database-file mode the file is closed and opened again after this many records."""
KEPT_VALUES = 2_000


@dataclass(frozen=True)
class RunOptions:
    """How files are run; the same for every file of a run, and sent to worker processes with each."""

    engine: str = "minisql"
    engine_name: str | None = None
    is_database_file: bool = False
    setup: tuple[str, ...] = ()
    record_timeout_s: float = 300.0
    file_timeout_s: float = 3600.0
    max_failures: int = 20
    """How many failures of one file are kept with their details; all are counted."""
    query_stride: int = 1
    """Run only every n-th query of a file (statements always run): a sample."""
    query_offset: int = 0


@dataclass
class Failure:
    """One record that failed: where, what was asked, what was expected and what came."""

    file: str
    line: int
    kind: str
    sql: str
    reason: str
    expected: list[str] = field(default_factory=list)
    actual: list[str] = field(default_factory=list)


@dataclass
class FileResult:
    """What came of one file; plain data, so that it goes through pickle and JSON."""

    name: str
    group: str = ""
    n_passed: int = 0
    n_failed: int = 0
    n_skipped: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def n_executed(self) -> int:
        """How many records ran."""
        return self.n_passed + self.n_failed


def run_text(text: str | bytes, engine: Engine, options: RunOptions, name: str = "", group: str = "") -> FileResult:
    """Run a file's text on an engine that is not open; it is opened on a fresh database and closed again."""
    started_wall, started_cpu = time.perf_counter(), time.process_time()
    source = decode_text(text) if isinstance(text, bytes) else text
    records = parse_records(source)
    result = FileResult(name, group)
    # The records live as long as the file runs: the collector need not look at them again and again.
    gc.freeze()
    try:
        _run_file(source, records, engine, options, result)
    finally:
        gc.unfreeze()
    result.wall_s, result.cpu_s = time.perf_counter() - started_wall, time.process_time() - started_cpu
    return result


def _run_file(source: str, records: list[Record], engine: Engine, options: RunOptions, result: FileResult) -> None:
    if options.is_database_file:
        with tempfile.TemporaryDirectory(prefix="sqllogictest-") as folder:
            path = os.path.join(folder, "test.db")
            _run_open(records, engine, options, result, path, needs_one_connection(source))
            _check_integrity(path, engine, result)
    else:
        _run_open(records, engine, options, result, None, True)


def needs_one_connection(text: str) -> bool:
    """Whether a file uses state that lives in a connection, so that it cannot be opened again half-way."""
    upper = text.upper()
    return any(word in upper for word in ("TEMP", "ATTACH", "PRAGMA", "CHANGES()", "LAST_INSERT_ROWID"))


def _run_open(
    records: list[Record],
    engine: Engine,
    options: RunOptions,
    result: FileResult,
    path: str | None,
    keeps_connection: bool,
) -> None:
    session = _Session(engine, options, path)
    try:
        session.open()
        with watch(engine.interrupt, options.record_timeout_s, options.file_timeout_s) as progress:
            _run_records(records, session, result, progress, 0 if keeps_connection else RECORDS_PER_OPEN)
    except Exception as error:  # The engine failed outside any record: opening, closing or setting up.
        _add_failure(result, options, Failure(result.name, 0, "file", "", _describe(error)))
    finally:
        _close_quietly(engine, result, options)


def _close_quietly(engine: Engine, result: FileResult, options: RunOptions) -> None:
    try:
        engine.close()
    except Exception as error:  # Whatever closing raises is a failure of the engine, not of the runner.
        _add_failure(result, options, Failure(result.name, 0, "close", "", _describe(error)))


class _Session:
    """An engine with the database it is opened on and what has to be executed after every opening."""

    __slots__ = ("engine", "options", "path")

    def __init__(self, engine: Engine, options: RunOptions, path: str | None) -> None:
        self.engine, self.options, self.path = engine, options, path

    def open(self) -> None:
        self.engine.open(self.path)
        if self.path is not None:
            self.engine.execute("PRAGMA cache_size=20")
        for statement in self.options.setup:
            self.engine.execute(statement)

    def reopen(self) -> None:
        self.engine.close()
        self.open()


def _run_records(
    records: Sequence[Record], session: _Session, result: FileResult, progress: Progress, records_per_open: int
) -> None:
    engine, options = session.engine, session.options
    execute, renderers, stride = engine.execute, RENDERERS, options.query_stride
    skipped_conditions: dict[tuple[Condition, ...], bool] = {(): False}
    shared = labels_to_compare(records)
    seen: dict[str, str] = {}
    n_passed = n_skipped = n_queries = n_since_open = 0
    try:
        for record in records:
            line, kind, sql, types, sort, label, expected, conditions = record
            if conditions:
                if conditions not in skipped_conditions:
                    skipped_conditions[conditions] = is_skipped(conditions, engine.name)
                if skipped_conditions[conditions]:
                    n_skipped += kind in ("query", "statement")
                    continue
            progress.line = line
            if kind == "query":
                n_queries += 1
                if stride > 1 and n_queries % stride != options.query_offset:
                    continue
                try:
                    rows = execute(sql) if ";" not in sql else execute(first_statement(sql))
                    text = renderers[types, sort](rows)
                    is_right = text == expected or (
                        expected is not None and HASH_MARK in expected and hash_text(text, len(rows) * len(types)) == expected
                    )
                    if is_right and (rows or engine.column_count(sql) in (None, len(types))):
                        if label not in shared or _keeps_label(seen, label, text):
                            n_passed += 1
                        else:
                            reason = f"another result than the first query with label {label}"
                            _add_failure(result, options, _mismatch(result.name, record, text, reason))
                    else:
                        _add_failure(result, options, _wrong_result(result.name, record, text, rows, engine))
                except Exception as error:  # Any exception is an answer here; which ones are right is decided below.
                    failure = _failed_query(record, error, engine, progress, result.name)
                    n_passed += failure is None
                    _add_failure(result, options, failure)
            elif kind == "statement":
                failure = _run_statement(record, engine, progress, result.name)
                n_passed += failure is None
                if failure is not None:
                    _add_failure(result, options, failure)
            elif kind == "halt":
                break
            elif kind == "unknown":
                _add_failure(result, options, Failure(result.name, line, kind, sql, f"unknown record type: {sql}"))
            if progress.is_file_over:
                reason = f"the file took longer than {options.file_timeout_s:g} s"
                _add_failure(result, options, Failure(result.name, line, "file", "", reason))
                break
            if records_per_open:
                n_since_open += 1
                if n_since_open >= records_per_open and not engine.in_transaction():
                    session.reopen()
                    execute, n_since_open = engine.execute, 0
    finally:
        result.n_passed += n_passed
        result.n_skipped += n_skipped


def labels_to_compare(records: Iterable[Record]) -> set[str]:
    """Return the labels whose queries expect unlike text: where it is alike, a passing query agrees by itself."""
    expected_by_label: dict[str, str | None] = {}
    shared: set[str] = set()
    for record in records:
        label = record[5]
        if label and expected_by_label.setdefault(label, record[6]) != record[6]:
            shared.add(label)
    return shared


def _keeps_label(seen: dict[str, str], label: str, text: str) -> bool:
    return seen.setdefault(label, text) == text


def first_statement(sql: str) -> str:
    """Return the first statement of a text with a semicolon in it."""
    statements = split_statements(sql)
    return statements[0] if statements else sql


def _run_statement(record: Record, engine: Engine, progress: Progress, name: str) -> Failure | None:
    sql, outcome = record.sql, record.types
    try:
        if ";" in sql:
            for statement in split_statements(sql):
                engine.execute(statement)
        else:
            engine.execute(sql)
    except Exception as error:  # Sorted into refusals, which may be expected, and crashes, which never are.
        if outcome == "error" and isinstance(error, engine.errors) and progress.timed_out_line != record.line:
            if record.expected is None or str(error) == record.expected:
                return None
            return Failure(name, record.line, "statement", sql, "wrong message", [record.expected], [str(error)])
        return Failure(name, record.line, "statement", sql, _reason(error, engine, progress, record.line))
    if outcome == "error":
        wanted = [record.expected] if record.expected is not None else []
        return Failure(name, record.line, "statement", sql, "an error was expected, the statement succeeded", wanted)
    if outcome == "count" and str(engine.rows_affected()) != record.expected:
        changed = str(engine.rows_affected())
        return Failure(name, record.line, "statement", sql, "wrong count", [record.expected or ""], [changed])
    return None


def _failed_query(record: Record, error: Exception, engine: Engine, progress: Progress, name: str) -> Failure | None:
    """Decide about a query that raised: right when the rows before the error are what the file expects."""
    expected = (record.expected or "").split("\n") if record.expected else []
    is_answer = isinstance(error, engine.errors) and progress.timed_out_line != record.line
    if is_answer and record.types and may_be_repeated(record.sql):
        rows = engine.rows_before_error(first_statement(record.sql))
        if rows is not None:
            try:
                text = RENDERERS[record.types, record.sort](rows)
            except ColumnCountError:
                text = None
            if text is not None and text in (record.expected, None):
                return None
            if text is not None and hash_text(text, len(rows) * len(record.types)) == record.expected:
                return None
    return Failure(name, record.line, "query", record.sql, _reason(error, engine, progress, record.line), expected)


def may_be_repeated(sql: str) -> bool:
    """Whether a query changes nothing, so that it can be run once more to see where it fails."""
    words = sql.split(None, 1)
    return bool(words) and words[0].lower() in ("select", "values")


def _wrong_result(name: str, record: Record, text: str, rows: Rows, engine: Engine) -> Failure:
    n_values = len(rows) * len(record.types)
    if not rows and engine.column_count(record.sql) not in (None, len(record.types)):
        return _mismatch(name, record, text, f"expected {len(record.types)} columns, got {engine.column_count(record.sql)}")
    if record.expected is None:
        return _mismatch(name, record, text, "the query has no expected result")
    if HASH_MARK in record.expected:
        return _mismatch(name, record, text, f"wrong result: {hash_text(text, n_values)}")
    return _mismatch(name, record, text, "wrong result")


def _mismatch(name: str, record: Record, text: str, reason: str) -> Failure:
    expected = record.expected.split("\n") if record.expected else []
    actual = text.split("\n")[:KEPT_VALUES] if text else []
    return Failure(name, record.line, "query", record.sql, reason, expected, actual)


def _reason(error: Exception, engine: Engine, progress: Progress, line: int) -> str:
    if progress.timed_out_line == line or isinstance(error, RecordTimeout):
        return "timed out"
    if isinstance(error, ColumnCountError):
        return str(error)
    if isinstance(error, engine.errors):
        return f"error: {error}"
    return f"crash: {_describe(error)}"


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _add_failure(result: FileResult, options: RunOptions, failure: Failure | None) -> None:
    if failure is None:
        return
    result.n_failed += 1
    if len(result.failures) < options.max_failures:
        result.failures.append(failure)


def _check_integrity(path: str, engine: Engine, result: FileResult) -> None:
    """Check the finished file with the official library when apsw is installed, else with the engine itself."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return
    checker = integrity_checker() or engine
    try:
        checker.open(path)
        rows = [str(row[0]) for row in checker.execute("PRAGMA integrity_check")]
    except Exception as error:  # A file that the checker cannot even read is the failure that is looked for.
        rows = [_describe(error)]
    finally:
        checker.close()
    if rows == ["ok"]:
        result.n_passed += 1
    else:
        result.n_failed += 1
        result.failures.append(Failure(result.name, 0, "integrity", "PRAGMA integrity_check", "damaged", ["ok"], rows))


def integrity_checker() -> Engine | None:
    """Return an engine on the official library, None where apsw is not installed."""
    try:
        return ApswEngine()
    except EngineError:
        return None
