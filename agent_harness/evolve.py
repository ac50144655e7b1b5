"""Evolve: statements from production become records with SQLite's answers, and so enter the queue of the next run.

`add` takes a file of SQL (a script that makes what it needs) or a log that the engine has written under MINISQL_TRACE (one
JSON object a line: a slow or failing statement with the schema it ran on, no data).  Each script becomes a suite of its own
below the contract's paths, answered by the reference engine.  A query whose answer changes from one run to the next, and a
script that is already there, are left out and said so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agent_harness.config import Config
from agent_harness.contract.minimise import reference_engine
from agent_harness.errors import ConfigurationError
from agent_harness.state.folders import write_whole
from sqllogictest import Record, format_records, parse_records
from sqllogictest.completion import complete_text
from sqllogictest.statements import split_statements

FOLDER = "evolved"
READING = re.compile(r"\s*(?:SELECT|VALUES|WITH|EXPLAIN|PRAGMA)\b", re.I)
WRITING_WITH = re.compile(r"\b(?:INSERT|UPDATE|DELETE|REPLACE)\b", re.I)
VARIABLE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|(\?\d*|[:@$]\w+)", re.S)
STAND_INS = {"integer": "1", "real": "1.5", "text": "'x'", "blob": "x'00'", "null": "NULL"}


class Added(dict[str, Any]):
    """What came of one file: `source`, `suites` written, `n_records`, and what was `left_out` and why."""

    def __str__(self) -> str:
        lines = [f"{self['source']}: {self['n_records']} records in {len(self['suites'])} suites"]
        lines += [f"  wrote {suite}" for suite in self["suites"]]
        return "\n".join([*lines, *(f"  left out: {each}" for each in self["left_out"])])


def add(config: Config, file: Path, suite: Path | None = None) -> Added:
    """Turns a file into suites.  Raises ConfigurationError when it cannot be read or the suite is not under contract."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: {error}") from error
    added = Added(source=str(file), suites=[], n_records=0, left_out=[])
    is_log = text.lstrip().startswith("{")
    scripts = list(log_scripts(text, file)) if is_log else [(file.stem, split_statements(text))]
    if suite is not None and len(scripts) > 1:
        raise ConfigurationError(f"{file}: holds {len(scripts)} scripts, which need a suite each; leave --suite out")
    for name, statements in scripts:
        target = config.checkout / (suite or Path(_root(config)) / FOLDER / f"{name}.slt")
        _add_script(config, target, statements, added)
    return added


def _root(config: Config) -> str:
    """The first folder under contract."""
    for path in config.contract.paths:
        if (config.checkout / path).is_dir():
            return path
    raise ConfigurationError("contract.paths: no folder to add a suite to")


def _add_script(config: Config, target: Path, statements: Sequence[str], added: Added) -> None:
    if not any(target.resolve().is_relative_to((config.checkout / path).resolve()) for path in config.contract.paths):
        raise ConfigurationError(f"{target}: not below contract.paths")
    text, left_out = suite_text(statements)
    added["left_out"] += left_out
    shown = str(target.relative_to(config.checkout)) if target.is_relative_to(config.checkout) else str(target)
    if not text:
        added["left_out"].append(f"{shown}: no statement is left")
    elif target.exists() and target.read_text(encoding="utf-8") == text:
        added["left_out"].append(f"{shown}: already there")
    elif target.exists():
        raise ConfigurationError(f"{target}: exists with other content")
    else:
        write_whole(target, text)
        added["suites"].append(shown)
        added["n_records"] += sum(record.kind in ("query", "statement") for record in parse_records(text))


def suite_text(statements: Sequence[str]) -> tuple[str, list[str]]:
    """A suite with the reference's answers, and the queries that were left out because their answers are not stable."""
    bare = format_records(_bare(sql) for sql in statements if sql.strip())
    if not bare.strip():
        return "", []
    first, problems = complete_text(bare, reference_engine())
    again = format_records(_unordered(record) for record in parse_records(first))
    first, _ = complete_text(again, reference_engine())
    second, _ = complete_text(again, reference_engine())
    kept: list[Record] = []
    left_out = [f"line {problem}" for problem in problems]
    for one, other in zip(parse_records(first), parse_records(second), strict=True):
        if one.expected != other.expected:
            left_out.append(f"{' '.join(one.sql.split())[:80]}: another answer each time")
        elif one.kind == "query" and not one.types:
            left_out.append(f"{' '.join(one.sql.split())[:80]}: no result")
        else:
            kept.append(one)
    return format_records(kept), left_out


def _bare(sql: str) -> Record:
    """A record whose outcome is still to be filled in."""
    is_reading = READING.match(sql) and not (sql.lstrip()[:4].upper() == "WITH" and WRITING_WITH.search(sql))
    return Record(0, "query" if is_reading else "statement", sql.strip(), "", "nosort", "", None, ())


def _unordered(record: Record) -> Record:
    """Rows compared in sorted order where the query does not promise one."""
    is_free = record.kind == "query" and record.types and not re.search(r"\border\s+by\b", record.sql, re.I)
    return record._replace(sort="rowsort") if is_free else record


def log_scripts(text: str, file: Path) -> Iterator[tuple[str, list[str]]]:
    """(name, script) for each different entry of the engine's log.  Raises ConfigurationError for a line that is none."""
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            sql, schema, parameters = entry["sql"], entry["schema"], entry["parameters"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{file}: line {number} is not an entry of the log") from error
        script = [*map(str, schema), with_stand_ins(str(sql), parameters)]
        name = "log-" + hashlib.sha256("\0".join(script).encode("utf-8", "replace")).hexdigest()[:10]
        if name not in seen:
            seen.add(name)
            yield name, script


def with_stand_ins(sql: str, classes: Sequence[str]) -> str:
    """The statement with a constant of the logged storage class for each parameter; the log has no values."""
    given = iter(classes)
    named: dict[str, str] = {}

    def constant(match: re.Match[str]) -> str:
        variable = match.group(1)
        if variable is None:
            return match.group(0)
        if variable == "?":
            return STAND_INS.get(next(given, "null"), "NULL")
        if variable not in named:
            named[variable] = STAND_INS.get(next(given, "null"), "NULL")
        return named[variable]

    return VARIABLE.sub(constant, sql)
