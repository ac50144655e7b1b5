"""Expected results from a reference engine, and the comparison of two engines.

`complete_text` runs a file and returns it with every expected result written by the engine: values in the order of the
sort mode, a hash where there are more values than `hash-threshold` allows. A bare `query` gets the type string that fits
its rows, a bare `statement` its outcome; `statement error` followed by `----` gets the message. Records that the engine
skips keep their text, unless a record of the same label was run: one label means one result. Comments stay.
`compare_text` runs a file on two engines and reports where their answers differ, whatever the file expects.
"""

from typing import Any

from sqllogictest.engines import Engine, Rows
from sqllogictest.formatting import RENDERERS, ColumnCountError, hash_text
from sqllogictest.records import Record, decode_text, format_header, format_records, is_skipped, parse_records
from sqllogictest.runner import Failure, FileResult, RunOptions, first_statement, may_be_repeated
from sqllogictest.statements import split_statements

Answer = tuple[str, str, int]
"""What an engine said to a record: `ok` or `error`, the text of the values or of the message, and the number of values."""


def complete_text(text: str | bytes, engine: Engine, setup: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """Return the file with all results filled in, and a line for every record whose outcome contradicts its header."""
    records = parse_records(decode_text(text) if isinstance(text, bytes) else text, keep_comments=True)
    completed: list[Record] = []
    problems: list[str] = []
    labels: dict[str, Record] = {}
    threshold, is_halted = 0, False
    engine.open(None)
    try:
        for statement in setup:
            engine.execute(statement)
        for record in records:
            is_idle = is_halted or record.kind == "comment" or is_skipped(record.conditions, engine.name)
            if not is_idle and record.kind == "hash-threshold":
                threshold = int(record.expected or 0)
            is_halted |= not is_idle and record.kind == "halt"
            if not is_idle and record.kind in ("query", "statement"):
                try:
                    record = _complete_record(record, engine, threshold, problems)
                except Exception as error:  # A reference engine that crashes leaves the record as it is.
                    problems.append(f"{record.line}: crash: {type(error).__name__}: {error}")
                if record.label:
                    _check_label(labels, record, problems)
            completed.append(record)
    finally:
        engine.close()
    return format_records([_from_label(record, labels, engine.name) for record in completed]), problems


def _check_label(labels: dict[str, Record], record: Record, problems: list[str]) -> None:
    first = labels.setdefault(record.label, record)
    if first.expected != record.expected:
        problems.append(f"{record.line}: another result than label {record.label} has at line {first.line}")


def _from_label(record: Record, labels: dict[str, Record], engine_name: str) -> Record:
    if record.kind == "query" and record.label in labels and is_skipped(record.conditions, engine_name):
        return record._replace(expected=labels[record.label].expected)
    return record


def _complete_record(record: Record, engine: Engine, threshold: int, problems: list[str]) -> Record:
    if record.kind == "statement":
        return _complete_statement(record, engine, problems)
    try:
        rows = engine.execute(first_statement(record.sql))
    except engine.errors as error:
        partial = engine.rows_before_error(first_statement(record.sql)) if may_be_repeated(record.sql) else None
        if not record.types:
            return record._replace(kind="statement", types="error", sort="", expected=str(error))
        if partial is None:
            problems.append(f"{record.line}: {format_header(record)}: {error}")
            return record
        rows = partial
    if not record.types:
        n_columns = engine.column_count(first_statement(record.sql))
        if n_columns == 0:
            return record._replace(kind="statement", types="ok", sort="", label="", expected=None)
        record = record._replace(types=types_of(rows, n_columns))
    try:
        text = RENDERERS[record.types, record.sort](rows)
    except ColumnCountError as error:
        problems.append(f"{record.line}: {format_header(record)}: {error}")
        return record
    n_values = len(rows) * len(record.types)
    return record._replace(expected=hash_text(text, n_values) if 0 < threshold < n_values else text)


def _complete_statement(record: Record, engine: Engine, problems: list[str]) -> Record:
    try:
        for statement in split_statements(record.sql):
            engine.execute(statement)
    except engine.errors as error:
        if record.types in ("ok", "count"):
            problems.append(f"{record.line}: {format_header(record)}: {error}")
            return record
        is_bare = not record.types
        return record._replace(types="error", expected=str(error) if is_bare or record.expected is not None else None)
    if record.types == "error":
        problems.append(f"{record.line}: statement error: the statement succeeded")
        return record
    if record.types == "count":
        return record._replace(expected=str(engine.rows_affected()))
    return record._replace(types="ok", expected=None)


def types_of(rows: Rows, n_columns: int | None = None) -> str:
    """Return the type string that fits the rows: per column `I` for integers, `R` for numbers, else `T`."""
    if not rows:
        return "T" * (n_columns or 1)
    letters = []
    for column in zip(*rows):
        kinds = {_letter(value) for value in column if value is not None}
        letters.append("I" if kinds <= {"I"} else "R" if kinds <= {"I", "R"} else "T")
    return "".join(letters)


def _letter(value: Any) -> str:
    if isinstance(value, int):
        return "I"
    return "R" if isinstance(value, float) else "T"


def compare_text(
    text: str | bytes, engine: Engine, other: Engine, options: RunOptions, name: str = "", *, is_strict: bool = False
) -> FileResult:
    """Run a file on two engines; a record whose answers differ is a failure with the first engine's answer expected.

    With `is_strict` the messages of errors have to be equal too.
    """
    result = FileResult(name)
    records = parse_records(decode_text(text) if isinstance(text, bytes) else text)
    engine.open(None)
    other.open(None)
    try:
        for each in (engine, other):
            for statement in options.setup:
                each.execute(statement)
        for record in records:
            skips = [is_skipped(record.conditions, each.name) for each in (engine, other)]
            if record.kind == "halt" and not all(skips):
                break
            if record.kind not in ("query", "statement"):
                continue
            if any(skips):
                for each, is_left_out in zip((engine, other), skips):
                    if not is_left_out:
                        _answer(record, each)
                result.n_skipped += 1
                continue
            _count(result, record, _answer(record, engine), _answer(record, other), options, is_strict)
    finally:
        engine.close()
        other.close()
    return result


def _count(result: FileResult, record: Record, first: Answer, second: Answer, options: RunOptions, is_strict: bool) -> None:
    is_equal = first == second or (first[0] == second[0] == "error" and not is_strict)
    if is_equal:
        result.n_passed += 1
        return
    result.n_failed += 1
    if len(result.failures) < options.max_failures:
        sides = [f"{answer[0]}: {answer[1]}" if answer[0] == "error" else answer[1] for answer in (first, second)]
        expected, actual = (side.split("\n") if side else [] for side in sides)
        result.failures.append(
            Failure(result.name, record.line, record.kind, record.sql, "the engines differ", expected, actual)
        )


def _answer(record: Record, engine: Engine) -> Answer:
    try:
        if record.kind == "statement":
            for statement in split_statements(record.sql):
                engine.execute(statement)
            return ("ok", "", 0)
        rows = engine.execute(first_statement(record.sql))
        types = record.types or "T" * (len(rows[0]) if rows else 1)
        return ("ok", RENDERERS[types, record.sort](rows), len(rows) * len(types))
    except engine.errors as error:
        return ("error", str(error), 0)
    except Exception as error:  # A crash of one engine is a difference to report, not the end of the comparison.
        return ("error", f"crash: {type(error).__name__}: {error}", -1)
