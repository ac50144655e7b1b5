"""Type affinity: which one a declared type has, and how an affinity changes a value.

The numbers are SQLite's own (`'A'` to `'F'`), so that they can be compared: everything from NUMERIC up is numeric.  NONE marks
an expression that has no affinity at all, which matters only for comparisons; a column without a declared type has BLOB.

Source: https://www.sqlite.org/datatype3.html sections 3 and 4.2.
"""

from __future__ import annotations

from minisql.values.number_text import real_to_text, text_to_number
from minisql.values.storage_class import INT64_MAX, INT64_MIN, Value

NONE = 0x40
BLOB = 0x41
TEXT = 0x42
NUMERIC = 0x43
INTEGER = 0x44
REAL = 0x45
FLEXNUM = 0x46

AFFINITY_NAMES: dict[int, str] = {
    NONE: "NONE",
    BLOB: "BLOB",
    TEXT: "TEXT",
    NUMERIC: "NUMERIC",
    INTEGER: "INTEGER",
    REAL: "REAL",
    FLEXNUM: "FLEXNUM",
}


def affinity_of_type(declared_type: str) -> int:
    """Returns the affinity of a declared type by SQLite's five rules, applied in their order.

    Source: https://www.sqlite.org/datatype3.html section 3.1
    """
    if not declared_type:
        return BLOB
    name = declared_type.upper()
    if "INT" in name:
        return INTEGER
    if "CHAR" in name or "CLOB" in name or "TEXT" in name:
        return TEXT
    if "BLOB" in name:
        return BLOB
    if "REAL" in name or "FLOA" in name or "DOUB" in name:
        return REAL
    return NUMERIC


def affinity_of_cast(type_name: str) -> int:
    """Returns the affinity that CAST(x AS type_name) converts to: a type without a name is NUMERIC here, BLOB for a column.

    Source: SQLite 3.54.1's answers.
    """
    return affinity_of_type(type_name) if type_name else NUMERIC


def apply_affinity(value: Value, affinity: int) -> Value:
    """Returns the value as a column of that affinity stores it; a REAL column holds floats (the record may hold integers).

    Source: https://www.sqlite.org/datatype3.html section 3
    """
    kind = value.__class__
    if affinity >= NUMERIC:
        if kind is int:
            return float(value) if affinity == REAL else value  # type: ignore[arg-type]
        if kind is float:
            if affinity == REAL:
                return value + 0.0  # type: ignore[operator]  # the record stores -0.0 as the integer 0
            return value if affinity == FLEXNUM else integer_if_exact(value)  # type: ignore[arg-type]
        if kind is str:
            return _numeric_text(value, affinity)  # type: ignore[arg-type]
        return value
    if affinity == TEXT:
        if kind is int:
            return str(value)
        if kind is float:
            return real_to_text(value)  # type: ignore[arg-type]
    return value


def _numeric_text(text: str, affinity: int) -> Value:
    number = text_to_number(text)
    if number is None:
        return text
    if affinity == REAL:
        return float(number) + 0.0
    return integer_if_exact(number) if number.__class__ is float else number


def integer_if_exact(value: float) -> int | float:
    """Returns the float as an int if it is integral and strictly inside the 64-bit range, else unchanged.

    Source: https://www.sqlite.org/datatype3.html section 3 (REAL values in NUMERIC columns)
    """
    if INT64_MIN < value < INT64_MAX:
        number = int(value)
        if number == value:
            return number
    return value


def apply_numeric(value: Value) -> Value:
    """Returns text that looks like a number as that number and everything else unchanged: NUMERIC for a comparison.

    Source: https://www.sqlite.org/datatype3.html section 4.2
    """
    if value.__class__ is str:
        number = text_to_number(value)
        if number is not None:
            return number
    return value


def apply_text(value: Value) -> Value:
    """Returns numbers as text and everything else unchanged: TEXT for a comparison.

    Source: https://www.sqlite.org/datatype3.html section 4.2
    """
    if value.__class__ is int:
        return str(value)
    if value.__class__ is float:
        return real_to_text(value)
    return value


def comparison_affinity(left: int, right: int) -> int:
    """Returns the affinity to apply to both operands of a comparison: NUMERIC, TEXT, or BLOB for none.

    `left` and `right` are the affinities of the operands, NONE for an expression that is neither a column nor a CAST.
    Apply it with `apply_comparison_affinity`.  Source: https://www.sqlite.org/datatype3.html section 4.2
    """
    if left > NONE and right > NONE:
        return NUMERIC if left >= NUMERIC or right >= NUMERIC else BLOB
    affinity = right if left <= NONE else left
    if affinity >= NUMERIC:
        return NUMERIC
    return TEXT if affinity == TEXT else BLOB


def apply_comparison_affinity(left: Value, right: Value, affinity: int) -> tuple[Value, Value]:
    """Returns both operands of a comparison after the affinity that `comparison_affinity` chose.

    Source: https://www.sqlite.org/datatype3.html section 4.2
    """
    if affinity >= NUMERIC:
        return apply_numeric(left), apply_numeric(right)
    if affinity == TEXT:
        return apply_text(left), apply_text(right)
    return left, right
