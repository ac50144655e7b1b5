"""The sqllogictest file format: text in, a list of records out, and records back to text.

A file is a run of records with blank lines between them. A record starts with a header line (`statement ok`,
`query IT rowsort label-7`, `halt`, `hash-threshold 8`), optionally after `skipif NAME` and `onlyif NAME` lines; SQL
follows, and for a query a line `----` and the expected values, one a line. Lines that start with `#` are comments.
Format: https://www.sqlite.org/sqllogictest/doc/trunk/about.wiki.

Two extensions that other runners have: `statement count N` (rows changed) and, below a `----` line after the SQL of
`statement error`, the exact message. A bare `statement` or `query` is a record that `complete` has still to fill in.
Parsing is on the hot path of a run over millions of records: one `split`, one memo of header lines, two `partition`s.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

SORT_MODES = ("nosort", "rowsort", "valuesort")
HASH_MARK = " values hashing to "

_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]+(?=\n)")
_RESULT_LINE = re.compile(r"^----[ \t]*$", re.MULTILINE)
_TYPES = re.compile(r"[ITR]+\Z")


class Condition(NamedTuple):
    """One `skipif` or `onlyif` line in front of a record."""

    is_only: bool
    engine: str
    comment: str = ""


class Record(NamedTuple):
    """One record of a file, or a comment when the parser was asked to keep comments.

    `kind` is `statement`, `query`, `halt`, `hash-threshold`, `comment` or `unknown`. `types` is the type string of a query
    and the outcome (`ok`, `error`, `count`) of a statement, empty when it is still to be filled in. `expected` is the text
    below `----` without its last newline, or None where the record has no such line; the number of `statement count`
    and `hash-threshold` stands there too. `line` counts from one and is the line of the header.
    """

    line: int
    kind: str
    sql: str
    types: str
    sort: str
    label: str
    expected: str | None
    conditions: tuple[Condition, ...]


class _Headers(dict[str, tuple[str, str, str, str]]):
    """Memo from a header line to `(kind, types, sort, label)`, and in `conditions` to the Condition that it is."""

    __slots__ = ("conditions",)

    def __init__(self) -> None:
        self.conditions: dict[str, Condition] = {}

    def __missing__(self, line: str) -> tuple[str, str, str, str]:
        head, _, label = line.rpartition(" ")
        known = self.get(head) if label.startswith("label-") else None
        # Labels make most headers of a generated file distinct: what stands before the label is looked up instead.
        if known is not None and known[0] == "query" and not known[3] and head.count(" ") == 2 and "#" not in line:
            header = self[line] = (*known[:3], label)
            return header
        header = self[line] = _parse_header(line)
        if header[0] == "condition":
            self.conditions[line] = Condition(header[1] == "onlyif", header[2], header[3])
        return header


def decode_text(data: bytes) -> str:
    """Return the text of a test file with its line ends made `\\n`; bytes that are not UTF-8 survive as surrogates."""
    text = data.decode("utf-8", "surrogateescape")
    return text.replace("\r\n", "\n") if "\r" in text else text


def parse_records(text: str, *, keep_comments: bool = False) -> list[Record]:
    """Return the records of a test file's text in order; nothing is raised, a bad header becomes an `unknown` record."""
    if "\n " in text or "\t" in text or "\r" in text:
        text = _BLANK_LINE.sub("\n", text)
    text = text.rstrip("\n")
    records: list[Record] = []
    append, new, headers = records.append, tuple.__new__, _Headers()
    line = 1
    conditions: tuple[Condition, ...] = ()
    for block in text.split("\n\n"):
        first, _, body = block.partition("\n")
        kind, types, sort, label = headers[first]
        while kind == "condition":
            conditions = (*conditions, headers.conditions[first])
            block, line = body, line + 1
            first, _, body = block.partition("\n")
            kind, types, sort, label = headers[first]
        if kind == "query":
            sql, mark, expected = body.partition("\n----")
            if mark and (not expected or expected[0] == "\n"):
                append(new(Record, (line, kind, sql, types, sort, label, expected[1:], conditions)))
                line += block.count("\n") + 2
            else:
                append(_query_record(line, (types, sort, label), body, conditions))
                line += block.count("\n") + 2
            conditions = ()
        elif kind == "statement" and body and "----" not in body:
            append(new(Record, (line, kind, body.rstrip("\n"), types, sort, "", label or None, conditions)))
            line += block.count("\n") + 2
            conditions = ()
        else:
            conditions = _parse_lines(block, line, headers, records, conditions, keep_comments)
            line += block.count("\n") + 2
    return records


def _parse_lines(
    block: str,
    line: int,
    headers: _Headers,
    records: list[Record],
    conditions: tuple[Condition, ...],
    keep_comments: bool,
) -> tuple[Condition, ...]:
    """Read a block that opens with a comment, a condition, a control record or a blank line; return pending conditions."""
    while block:
        first, _, rest = block.partition("\n")
        kind, types, sort, label = headers[first]
        if kind == "comment":
            if keep_comments:
                records.append(Record(line, kind, first, "", "", "", None, ()))
        elif kind == "condition":
            conditions = (*conditions, headers.conditions[first])
        elif kind == "query":
            records.append(_query_record(line, (types, sort, label), rest, conditions))
            return ()
        elif kind == "statement":
            sql, _, expected = _split_result(rest)
            message = expected if expected is not None else (label or None)
            records.append(Record(line, kind, sql, types, sort, "", message, conditions))
            return ()
        elif kind:
            records.append(Record(line, kind, first if kind == "unknown" else "", types, "", "", label or None, conditions))
            conditions = ()
            if kind == "unknown":
                return ()
        block, line = rest, line + 1
    return conditions


def _query_record(line: int, header: tuple[str, str, str], body: str, conditions: tuple[Condition, ...]) -> Record:
    sql, _, expected = _split_result(body)
    return Record(line, "query", sql, *header, expected, conditions)


def _split_result(body: str) -> tuple[str, str, str | None]:
    """Split a record's body at its `----` line: SQL, the line, and what stands below it (None without such a line)."""
    match = _RESULT_LINE.search(body)
    if match is None:
        return body.rstrip("\n"), "", None
    return body[: match.start()].rstrip("\n"), match[0], body[match.end() + 1 :].rstrip("\n")


def _parse_header(line: str) -> tuple[str, str, str, str]:
    words = line.split()
    if not words:
        return ("", "", "", "")
    if line[0] == "#":
        return ("comment", "", "", "")
    keyword, *rest = words
    if keyword in ("skipif", "onlyif") and rest:
        return ("condition", keyword, rest[0].split("#")[0], line.partition("#")[2].strip())
    if "#" in line:
        rest = line.partition("#")[0].split()[1:]
    if keyword == "query":
        return _parse_query_header(line, rest)
    if keyword == "statement" and not rest:
        return ("statement", "", "", "")
    if keyword == "statement" and rest in (["ok"], ["error"]):
        return ("statement", rest[0], "", "")
    if keyword == "statement" and len(rest) == 2 and rest[0] == "count" and rest[1].isdecimal():
        return ("statement", "count", "", rest[1])
    if keyword == "halt":
        return ("halt", "", "", "")
    if keyword == "hash-threshold" and len(rest) == 1 and rest[0].isdecimal():
        return ("hash-threshold", "", "", rest[0])
    return ("unknown", "", "", "")


def _parse_query_header(line: str, words: list[str]) -> tuple[str, str, str, str]:
    types = words[0] if words else ""
    sort = words[1] if len(words) > 1 else "nosort"
    label = words[2] if len(words) > 2 else ""
    if (types and not _TYPES.match(types)) or sort not in SORT_MODES or len(words) > 3:
        return ("unknown", "", "", "")
    return ("query", types, sort, label)


def is_skipped(conditions: Iterable[Condition], engine_name: str) -> bool:
    """Whether a record with these conditions does not run on the engine of this name (letter case is ignored)."""
    name = engine_name.lower()
    return any((condition.engine.lower() == name) != condition.is_only for condition in conditions)


def format_records(records: Iterable[Record]) -> str:
    """Return the canonical text of a file: one blank line between records, single spaces, no trailing blanks."""
    blocks: list[str] = []
    comments: list[str] = []
    previous_line = 0
    for record in records:
        if record.kind == "comment":
            if comments and record.line != previous_line + 1:
                blocks.append("\n".join(comments))
                comments = []
            comments.append(record.sql.rstrip())
            previous_line = record.line
            continue
        if comments:
            gap = record.line - len(record.conditions) - previous_line
            blocks.append("\n".join(comments)) if gap > 1 else None
            lead = comments if gap <= 1 else []
            comments = []
        else:
            lead = []
        blocks.append("\n".join([*lead, format_record(record)]))
    if comments:
        blocks.append("\n".join(comments))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def format_record(record: Record) -> str:
    """Return the text of one record, its conditions first, without a newline at the end."""
    lines = []
    for condition in record.conditions:
        comment = f" # {condition.comment}" if condition.comment else ""
        lines.append(f"{'onlyif' if condition.is_only else 'skipif'} {condition.engine}{comment}")
    lines.append(format_header(record))
    if record.kind in ("statement", "query"):
        lines.extend(text.rstrip() for text in record.sql.split("\n"))
    if (record.kind == "query" and record.expected is not None) or (record.kind == "statement" and record.types == "error"):
        if record.expected is not None:
            lines.append("----")
            if record.expected:
                lines.append(record.expected)
    return "\n".join(lines)


def format_header(record: Record) -> str:
    """Return the header line of a record."""
    if record.kind == "unknown":
        return record.sql
    words = [record.kind]
    if record.kind == "query" and record.types:
        words += [record.types, record.sort]
        if record.label:
            words.append(record.label)
    elif record.kind == "statement" and record.types:
        words.append(record.types)
    if record.kind == "hash-threshold" or record.types == "count":
        words.append(record.expected or "0")
    return " ".join(words)
