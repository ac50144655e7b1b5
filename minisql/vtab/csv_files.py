"""The module csv: a file of comma-separated values, or a text of them, as a read-only table.

    CREATE VIRTUAL TABLE temp.prices USING csv(filename='prices.csv', header)

Parameters: `filename` or `data`; `header` (the first line names the columns), `columns` (how many), `schema` (a CREATE TABLE).
Fields are TEXT unless the schema says otherwise; those that a line does not have are NULL, further ones are dropped.

Source: https://www.sqlite.org/csv.html, RFC 4180.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from minisql.errors import ERROR, Error, sqlite_error
from minisql.parser import parse_one
from minisql.values.cast import to_integer
from minisql.values.storage_class import decode_escaped, encode_text
from minisql.vtab.protocol import DIRECT_ONLY, ROWID, Cursor, IndexInfo, Module, Value, VirtualTable

_TEXTS = ("filename", "data", "schema")
_TRUE = frozenset(("yes", "on", "true", "1"))
_FALSE = frozenset(("no", "off", "false", "0"))
_COMMA, _LINE, _END = b",", b"\n", b""
_MARK = b"\xef\xbb\xbf"


def make_module(name: str) -> Module:
    """The module csv."""
    return CsvModule()


class CsvModule(Module):
    """Makes tables over CSV."""

    risk = DIRECT_ONLY

    def connect(
        self, owner: Any, module_name: str, schema_name: str, table_name: str, arguments: Sequence[str]
    ) -> tuple[str, VirtualTable]:
        """Reads the first line for the columns, unless the parameters tell them all."""
        given = _parameters(arguments)
        if ("filename" in given) == ("data" in given):
            raise sqlite_error(ERROR, "must specify either filename= or data= but not both")
        has_header = given.get("header", False)
        n_columns = given.get("columns")
        table = CsvTable(given.get("filename"), encode_text(given.get("data", "")))
        names: list[bytes] = []
        if n_columns is None or has_header:
            names, table.start = _first_line(table.content())
            if n_columns is None:
                n_columns = len(names)
        if not has_header:
            names, table.start = [], 0
        table.n_columns = n_columns
        declaration = given.get("schema", _declaration(names[:n_columns], n_columns))
        _check_declaration(declaration)
        return declaration, table


def _parameters(arguments: Sequence[str]) -> dict[str, Any]:
    """The parameters by name; raises for one that is unknown, malformed or there twice."""
    given: dict[str, Any] = {}
    for argument in arguments:
        text = argument.strip(" \t\r\n\f\v")
        name, equals, value = (part.strip(" \t\r\n\f\v") for part in text.partition("="))
        if equals and name in _TEXTS:
            _set_once(given, name, _unquoted(value))
        elif name == "header" and (not equals or value.lower() in _TRUE | _FALSE) and text != "header=":
            _set_once(given, name, not equals or value.lower() in _TRUE)
        elif equals and name == "columns":
            _set_once(given, name, to_integer(value))
            if given[name] <= 0:
                raise sqlite_error(ERROR, "column= value must be positive")
        else:
            raise sqlite_error(ERROR, f"bad parameter: '{text}'")
    return given


def _set_once(given: dict[str, Any], name: str, value: Any) -> None:
    if name in given:
        raise sqlite_error(ERROR, f"more than one '{name}' parameter")
    given[name] = value


def _unquoted(text: str) -> str:
    if text[:1] in ("'", '"') and len(text) > 1 and text[-1] == text[0]:
        return text[1:-1].replace(text[0] * 2, text[0])
    return text


def _declaration(names: Sequence[bytes], n_columns: int) -> str:
    """CREATE TABLE with the names of the header, and c0, c1.. for the rest."""
    shown = ['"' + decode_escaped(name).replace('"', '""') + '" TEXT' for name in names]
    shown += [f"c{number} TEXT" for number in range(len(names), n_columns)]
    return f"CREATE TABLE x({','.join(shown)})"


def _check_declaration(text: str) -> None:
    """Raises what the parser has against a schema, or a column that is there twice."""
    try:
        parsed, _end = parse_one(text, 0)
        columns = getattr(parsed.statement, "columns", ()) if parsed is not None else ()
        seen: set[str] = set()
        for column in columns:
            if column.name.lower() in seen:
                raise sqlite_error(ERROR, f"duplicate column name: {column.name}")
            seen.add(column.name.lower())
        if not columns:
            raise sqlite_error(ERROR, "syntax error")
    except Error as error:
        reason = "syntax error" if "syntax error" in str(error) else str(error)
        raise sqlite_error(ERROR, f"bad schema: '{text}' - {reason}") from None


class CsvTable(VirtualTable):
    """One CSV file, which is read anew by every scan; `start` is where the rows begin."""

    def __init__(self, file_name: str | None, data: bytes) -> None:
        self.file_name = file_name
        self.data = data
        self.start = 0
        self.n_columns = 0

    def content(self) -> bytes:
        """The whole text."""
        if self.file_name is None:
            return self.data
        try:
            with open(self.file_name, "rb") as file:
                return file.read()
        except OSError:
            raise sqlite_error(ERROR, f"cannot open '{self.file_name}' for reading") from None

    def best_index(self, info: IndexInfo) -> bool | None:
        """There is only the scan of everything."""
        info.estimated_cost = 1000000.0
        return None

    def open(self) -> Cursor:
        """Makes a cursor."""
        return CsvCursor(self)


class CsvCursor(Cursor):
    """One scan of the lines."""

    def __init__(self, table: CsvTable) -> None:
        self.table = table

    def scan(
        self, index_number: int, index_string: str | None, arguments: Sequence[Any], columns: Sequence[int]
    ) -> Iterator[tuple[Value, ...]]:
        """The rows; the rowid counts them."""
        table = self.table
        n_columns = table.n_columns
        content = table.content()
        has_zeros = b"\0" in content
        for rowid, fields in enumerate(_lines(content, table.start), 1):
            n_fields = min(len(fields), n_columns)
            if has_zeros:
                # Text ends at a zero byte.
                fields = [field.partition(b"\0")[0] for field in fields]
            yield tuple([
                rowid if number == ROWID else decode_escaped(fields[number]) if number < n_fields else None
                for number in columns
            ])  # fmt: skip


def _first_line(data: bytes) -> tuple[list[bytes], int]:
    """The fields of the first line, at least one, and where the next one begins."""
    fields = []
    position = len(_MARK) if data.startswith(_MARK) else 0
    terminator = _COMMA
    while terminator == _COMMA:
        field, position, terminator = _field(data, position, terminator)
        fields.append(field or b"")
    return fields, position


def _lines(data: bytes, position: int) -> Iterator[list[bytes]]:
    """The fields of each line; a comma at the end of the file has no field behind it."""
    if not position and data.startswith(_MARK):
        position = len(_MARK)
    terminator = _COMMA
    while True:
        end = data.find(b"\n", position)
        if end >= 0 and data.find(b'"', position, end) < 0:
            # No field is in quotes.
            line = data[position : end - 1] if end > position and data[end - 1] == 13 else data[position:end]
            position, terminator = end + 1, _LINE
            yield line.split(b",")
            continue
        fields: list[bytes] = []
        while True:
            field, position, terminator = _field(data, position, terminator)
            if field is None:
                break
            fields.append(field)
            if terminator != _COMMA:
                break
        if not fields:
            return
        yield fields


def _field(data: bytes, position: int, terminator: bytes) -> tuple[bytes | None, int, bytes]:
    """One field (None at the end of the file), where the next one begins, and what ended it.

    After a quote that neither ends the field nor is doubled, the field stops, and what ended the one before counts again.
    """
    if position >= len(data):
        return None, position, _END
    if data[position] != 34:
        return _plain_field(data, position)
    parts: list[bytes] = []
    start = position + 1
    while True:
        quote = data.find(b'"', start)
        if quote < 0:
            return b"".join((*parts, data[start:])), len(data), _END
        following = data[quote + 1 : quote + 2]
        if following == b'"':
            parts.append(data[start : quote + 1])
        elif following in (_COMMA, _LINE, _END):
            return b"".join((*parts, data[start:quote])), quote + 2, following
        elif following != b"\r":
            return b"".join((*parts, data[start : quote + 1])), quote + 2, terminator
        elif data[quote + 2 : quote + 3] == b"\n":
            return b"".join((*parts, data[start:quote])), quote + 3, _LINE
        else:
            parts.append(data[start : quote + 2])
        start = quote + 2


def _plain_field(data: bytes, position: int) -> tuple[bytes, int, bytes]:
    """A field without quotes around it."""
    line = data.find(b"\n", position)
    end = line if line >= 0 else len(data)
    comma = data.find(b",", position, end)
    if comma >= 0:
        return data[position:comma], comma + 1, _COMMA
    if line < 0:
        return data[position:], end, _END
    last = line - 1 if line > position and data[line - 1] == 13 else line
    return data[position:last], line + 1, _LINE
