"""SQL functions that the shell adds to every connection it opens: files, hashes, decimal numbers, regular expressions.

They are those of the official shell's extensions that need nothing written in C.  The functions that reach files are left out
in safe mode.

Left out on purpose: the helpers that the official shell uses inside (shell_*), its test functions (strtod, dtostr, stmtrand),
base85, ieee754 and the table-valued fsdir.

Source: https://www.sqlite.org/cli.html#file_i_o_functions, https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from minisql.engine.session import Session
from minisql.errors import ERROR, sqlite_error
from minisql.shell.hashing import row_bytes, statement_bytes
from minisql.values.cast import to_blob, to_text

_EXACT = Context(prec=10_000, Emax=999_999, Emin=-999_999)
_NUMBER = re.compile(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")
_SHA3_SIZES = (224, 256, 384, 512)


def add_functions(session: Session, is_safe: bool) -> None:
    """Registers the functions with a connection."""
    for name, n_arguments, function in _PURE:
        session.create_function(name, n_arguments, function, True)
    for bits_by_name, n_arguments in (("sha3_query", 1), ("sha3_query", 2), ("sha1_query", 1)):
        session.create_function(bits_by_name, n_arguments, _query_hash(session, bits_by_name), False)
    session.create_function("usleep", 1, _sleep, False)
    session.create_aggregate("decimal_sum", 1, _DecimalSum)
    session.create_function("edit", -1, _refuse_edit, False)
    if not is_safe:
        session.create_function("readfile", 1, _read_file, False)
        session.create_function("writefile", -1, _write_file, False)
        session.create_function("realpath", 1, _real_path, False)


def _base64(value: Any) -> Any:
    if isinstance(value, bytes):
        text = base64.b64encode(value).decode()
        return "".join(text[at : at + 72] + "\n" for at in range(0, len(text), 72))
    if isinstance(value, str):
        kept = re.sub(r"[^A-Za-z0-9+/]", "", value)
        return base64.b64decode(kept[: len(kept) - (len(kept) % 4 == 1)] + "=" * (-len(kept) % 4))
    raise sqlite_error(ERROR, "base64 accepts only blob or text")


def _decimal(value: Any) -> Decimal | None:
    """The exact number that a value begins with; a blob is an IEEE 754 number of eight bytes, or nothing."""
    if value is None or isinstance(value, bytes):
        return None
    if isinstance(value, (int, float)):
        return Decimal(value)
    found = _NUMBER.match(value)
    assert found is not None, "every part of the pattern may be empty"
    sign, whole, fraction, exponent = found.groups()
    try:
        return Decimal(f"{sign}{whole or '0'}.{fraction or ''}E{exponent or 0}".replace(".E", "E"))
    except InvalidOperation:
        return Decimal(0)


def _shown(number: Decimal | None) -> str | None:
    if number is None:
        return None
    text = format(number, "f")
    return text[1:] if text.startswith("-") and not number else text


def _arithmetic(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Any, Any], str | None]:
    def compute(first: Any, second: Any) -> str | None:
        left, right = _decimal(first), _decimal(second)
        return None if left is None or right is None else _shown(operation(left, right))

    return compute


def _product(left: Decimal, right: Decimal) -> Decimal:
    """Keeps as many digits behind the point as the factor with fewer of them; zeros at the end beyond those go."""
    product = _EXACT.multiply(left, right)
    least = max(min(-int(left.as_tuple().exponent), -int(right.as_tuple().exponent)), 0)
    while -int(product.as_tuple().exponent) > least and product.as_tuple().digits[-1] == 0:
        product = product.quantize(Decimal(1).scaleb(int(product.as_tuple().exponent) + 1), context=_EXACT)
    return product


def _compare(first: Any, second: Any) -> int | None:
    left, right = _decimal(first), _decimal(second)
    return None if left is None or right is None else (left > right) - (left < right)


class _DecimalSum:
    def __init__(self) -> None:
        self.total = Decimal(0)

    def step(self, value: Any) -> None:
        """Takes a row in."""
        self.total = _EXACT.add(self.total, _decimal(value) or Decimal(0))

    def value(self) -> str | None:
        """The sum."""
        return _shown(self.total)


@lru_cache(100)
def _pattern(text: str, flags: int) -> re.Pattern[str]:
    return re.compile(text, flags | re.ASCII)


def _matches(flags: int) -> Callable[[Any, Any], int | None]:
    def matches(pattern: Any, text: Any) -> int | None:
        if pattern is None or text is None:
            return None
        try:
            return int(_pattern(to_text(pattern), flags).search(to_text(text)) is not None)
        except re.error as error:
            message = "unmatched '('" if "unterminated subpattern" in str(error) else error.msg
            raise sqlite_error(ERROR, message) from error

    return matches


def _file_mode(value: Any) -> str:
    """As `ls -l` shows it: the kinds are links, files and folders."""
    mode = int(value) if isinstance(value, (int, float)) else 0
    kind = "l" if stat.S_ISLNK(mode) else "-" if stat.S_ISREG(mode) else "d" if stat.S_ISDIR(mode) else "?"
    return kind + "".join(letter if mode >> 8 - at & 1 else "-" for at, letter in enumerate("rwxrwxrwx"))


def _digest(name: str, as_text: bool) -> Callable[[Any], Any]:
    def compute(value: Any) -> Any:
        if value is None:
            return None
        digest = hashlib.new(name, to_blob(value))
        return digest.hexdigest() if as_text else digest.digest()

    return compute


def _sha3_bits(size: Any) -> int:
    if size not in _SHA3_SIZES:
        raise sqlite_error(ERROR, "SHA3 size should be one of: 224 256 384 512")
    return int(size)


def _sha3(value: Any, size: Any = 256) -> bytes | None:
    bits = _sha3_bits(size)
    return None if value is None else hashlib.new(f"sha3_{bits}", to_blob(value)).digest()


def _query_hash(session: Session, name: str) -> Callable[..., Any]:
    def compute(sql: Any, size: Any = 256) -> Any:
        is_sha1 = name == "sha1_query"
        digest = hashlib.new("sha1" if is_sha1 else f"sha3_{_sha3_bits(size)}")
        if sql is None:
            return None
        text, start = to_text(sql), 0
        while start < len(text):
            statement, start = session.prepare(text, start)
            if not statement.is_empty:
                digest.update(statement_bytes(statement.sql))
                for row in statement.start([None] * statement.n_parameters):
                    digest.update(row_bytes(row))
        return digest.hexdigest() if is_sha1 else digest.digest()

    return compute


def _sleep(microseconds: Any) -> Any:
    time.sleep(max(int(microseconds or 0), 0) / 1e6)
    return microseconds


def _refuse_edit(*arguments: Any) -> None:
    raise sqlite_error(ERROR, "no editor for edit()")


def _read_file(name: Any) -> bytes | None:
    if name is None:
        return None
    try:
        with open(to_text(name), "rb") as file:
            return file.read()
    except OSError:
        return None


def _write_file(*arguments: Any) -> int | None:
    if not 2 <= len(arguments) <= 4:
        raise sqlite_error(ERROR, "wrong number of arguments to function writefile()")
    name, data, mode, seconds = (*arguments, None, None)[:4]
    if name is None:
        return None
    path = to_text(name)
    content = b"" if data is None else to_blob(data)
    try:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        if mode:
            os.chmod(path, int(mode) & 0o777)
        if seconds is not None:
            os.utime(path, (time.time(), float(seconds)))
    except OSError as error:
        raise sqlite_error(ERROR, f"failed to write file: {path}") from error
    return len(content)


def _real_path(name: Any) -> str | None:
    return None if name is None else os.path.realpath(to_text(name))


_PURE: Iterable[tuple[str, int, Callable[..., Any]]] = (
    ("base64", 1, _base64),
    ("decimal", 1, lambda value: _shown(_decimal(value))),
    ("decimal_add", 2, _arithmetic(_EXACT.add)),
    ("decimal_cmp", 2, _compare),
    ("decimal_mul", 2, _arithmetic(_product)),
    ("decimal_sub", 2, _arithmetic(_EXACT.subtract)),
    ("lsmode", 1, _file_mode),
    ("regexp", 2, _matches(0)),
    ("regexpi", 2, _matches(re.IGNORECASE)),
    ("sha1", 1, _digest("sha1", True)),
    ("sha1b", 1, _digest("sha1", False)),
    ("sha3", 1, _sha3),
    ("sha3", 2, _sha3),
)
