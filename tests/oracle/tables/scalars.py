"""Every built-in scalar function with every number of arguments and arguments of every storage class, and operators likewise.

Written from lang_corefunc.html, lang_mathfunc.html, lang_expr.html and datatype3.html.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

VALUES = (
    "NULL", "0", "1", "-1", "3", "9223372036854775807", "-9223372036854775808", "0.0", "-0.0", "2.5", "-1.5", "0.1", "1e15", "1e300", "9e999",
    "-9e999", "''", "'abc'", "'ABC'", "' 12 '", "'-3.5e1x'", "'0x1F'", "'é日😀'", "'a%_*?'", "x''", "x'00ff'", "x'313233'", "'a'||char(0)||'b'",
)  # fmt: skip
FEW = ("NULL", "0", "-2", "2.5", "'abc'", "'2'", "'é日'", "x'6263'", "9223372036854775807", "''")
ONE_ARGUMENT = {
    "062": ("abs", "sign", "round", "ceil", "ceiling", "floor", "trunc"),
    "065": ("hex", "unhex", "octet_length", "length", "trim", "ltrim", "rtrim", "upper", "lower", "char", "unicode"),
    "066": ("unistr", "unistr_quote", "quote"),
    "067": ("likely", "unlikely", "typeof", "subtype"),
    "064": ("concat", "format", "printf"),
    "069": (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "degrees", "exp", "ln", "log", "log10", "log2", "radians", "sin", "sinh",
        "sqrt", "tan", "tanh",
    ),
}  # fmt: skip
TWO_ARGUMENTS = {
    "062": ("round", "min", "max", "nullif", "coalesce", "ifnull"),
    "063": ("iif", "if"),
    "064": ("concat", "concat_ws"),
    "065": ("substr", "substring", "instr", "trim", "ltrim", "rtrim", "unhex", "char"),
    "069": ("atan2", "log", "mod", "pow", "power"),
}
_NAMES = """
abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling changes char coalesce concat concat_ws cos cosh count
cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor format glob
group_concat hex if ifnull iif instr json json_array json_array_insert json_array_length json_error_position
json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove
json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array
jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag
last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median min mod
nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power printf quote
radians random randomblob rank replace round row_number rtrim sign sin sinh sqlite_compileoption_get
sqlite_compileoption_used sqlite_source_id sqlite_version sqrt strftime string_agg substr substring subtype sum tan tanh
time timediff total total_changes trim trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper zeroblob
sqlite_log sqlite_offset no_such_function
"""
ALL_NAMES = _NAMES.split()  # each of them, and one that is none
BUILD = {"sqlite_source_id", "sqlite_compileoption_get"}
VOLATILE = {"random", "randomblob", "current_date", "current_time", "current_timestamp", "date", "time", "datetime", "julianday", "unixepoch", "strftime"}


def one_argument(row: str) -> Iterator[str]:
    """Each function of a row of COMPAT.md over each value, as a constant."""
    for name in ONE_ARGUMENT[row]:
        for value in VALUES:
            yield f"SELECT {name}({value}) AS r, typeof({name}({value}))"


def two_arguments(row: str) -> Iterator[str]:
    """Each function over pairs of values that come from columns, so that nothing is computed at compile time."""
    for name in TWO_ARGUMENTS[row]:
        for a in VALUES:
            pairs = ", ".join(f"({a}, {b})" for b in FEW)
            yield f"SELECT {name}(column1, column2), typeof({name}(column1, column2)) FROM (VALUES {pairs})"


def number_of_arguments() -> Iterator[str]:
    """Every name with none to five arguments: most are refused, with SQLite's words."""
    for name in ALL_NAMES:
        for n_args in range(6 if name not in BUILD else 0):
            call = f"{name}({', '.join(str(i) for i in range(1, n_args + 1))})"
            yield f"SELECT typeof({call}) FROM (SELECT 1)" if name in VOLATILE else f"SELECT {call} FROM (SELECT 1)"
        if name not in VOLATILE and name not in BUILD:
            yield f"SELECT {name}(*)"
            yield f"SELECT {name}(DISTINCT 1)"
        yield f"SELECT {name}(1) OVER ()"
        yield f"SELECT typeof({name}(1) FILTER (WHERE 1))"
        yield f"SELECT typeof({name}(1 ORDER BY 1))"


def text_functions() -> Iterator[str]:
    """Spans, searches and replacements at their edges."""
    for subject in ("'hello'", "'é日😀x'", "x'0102030405'", "12345", "3.25", "NULL", "''"):
        for start in ("0", "1", "2", "5", "6", "-1", "-5", "-6", "NULL", "2.9", "'2x'", "9223372036854775807", "-9223372036854775808"):
            counts = ", ".join(f"substr({subject}, {start}, {n})" for n in ("0", "1", "3", "100", "-1", "-3", "NULL", "-9223372036854775808"))
            yield f"SELECT substr({subject}, {start}), {counts}"
    for subject, old, new in itertools.product(("'aaa'", "'abcabc'", "NULL", "123123", "x'616263'", "''"), ("'a'", "'bc'", "''", "NULL", "12", "x'62'"), ("'X'", "''", "NULL", "9", "x'7a'")):
        yield f"SELECT replace({subject}, {old}, {new}) AS r, typeof(replace({subject}, {old}, {new}))"
    for subject, characters in itertools.product(("'  xx  '", "'xxaxx'", "'ééaéé'", "x'20612020'", "12321", "NULL"), ("' '", "'x'", "'xa'", "'é'", "''", "NULL", "1", "x'20'")):
        yield f"SELECT trim({subject}, {characters}), ltrim({subject}, {characters}), rtrim({subject}, {characters}), hex(trim({subject}, {characters}))"
    for digits in ("''", "'4'", "'41'", "'4142'", "'41 42'", "'41-42'", "'4 1'", "'zz'", "'É'", "'a1B2'", "' 41'", "'41 '", "414243", "NULL", "x'3431'"):
        for ignored in ("''", "' '", "'-'", "' -'", "NULL", "'4'", "'é'", "'\u00e9-'"):
            yield f"SELECT hex(unhex({digits}, {ignored})), typeof(unhex({digits}, {ignored}))"
    for text in (r"\0041", r"\u0041", r"\+000041", r"\U00000041", r"\\", r"\x41", r"\00", r"\uD83D\uDE00", r"\U0001F600", r"a\0009b", r"\+10FFFF", r"\U00110000", r"\0000", "plain", "\\", r"\u00e", r"\00410042"):
        yield f"SELECT unistr('{text}'), length(unistr('{text}')), hex(unistr('{text}'))"
        yield f"SELECT unistr_quote(unistr('{text}')), quote(unistr('{text}'))"
    for code in ("0", "9", "31", "65", "127", "128", "255", "2047", "2048", "55296", "57343", "65533", "65535", "65536", "1114111", "1114112", "-1", "'66'", "66.9", "NULL", "x'36'"):
        yield f"SELECT hex(char({code})), hex(char({code}, 65)), unicode(char({code})), length(char({code}))"
    for text in ("abc", "ABC", "àÉîß", "ŁłΩω", "mixED 123", "ǅ", "ı"):
        yield f"SELECT upper('{text}'), lower('{text}'), upper('{text}') = '{text}', instr('{text}', substr('{text}', 2, 1)), length('{text}'), octet_length('{text}')"
    for name in ("length", "octet_length", "upper", "lower", "hex", "quote", "instr", "unicode"):
        extra = ", 'b'" if name == "instr" else ""
        for value in ("'a'||char(0)||'b'", "CAST(x'610062' AS TEXT)", "CAST('ab' AS BLOB)", "zeroblob(3)", "CAST(12 AS TEXT)", "1e100", "-0.0", "CAST(x'ff' AS TEXT)||'b'"):
            yield f"SELECT hex({name}({value}{extra})), typeof({name}({value}{extra}))"


def chosen_values() -> Iterator[str]:
    """coalesce, iif, min and max of many arguments; laziness; collation; names."""
    for name in ("coalesce", "min", "max", "iif", "if", "concat", "concat_ws", "char"):
        for arguments in (
            "1,2,3", "NULL,NULL,3", "NULL,NULL,NULL", "'b','a','C'", "2,'1',x'00'", "0,'x',1,'y','z'", "0,'x',0,'y'", "0,'x',NULL,'y',5", "1.5,1,2",
            "'a' COLLATE NOCASE,'B','c'", "'-',1,NULL,'x',2.5", "NULL,1,2,3", "x'01','a',NULL,1", "1,1,1,1,1,1,1",
        ):  # fmt: skip
            yield f"SELECT {name}({arguments}) AS r, typeof({name}({arguments}))"
    yield "SELECT coalesce(1, abs(-9223372036854775808)), iif(1, 2, abs(-9223372036854775808)), ifnull(3, abs(-9223372036854775808))"
    yield "SELECT coalesce(NULL, abs(-9223372036854775808))"
    yield "SELECT iif(0, 2, abs(-9223372036854775808))"
    yield "SELECT max('a' COLLATE NOCASE, 'B'), max('a', 'B' COLLATE NOCASE), min('a' COLLATE NOCASE, 'B', 'A'), min('B', 'a' COLLATE NOCASE)"
    yield "SELECT nullif('a', 'A' COLLATE NOCASE), nullif('a' COLLATE NOCASE, 'A'), nullif(1, 1.0), nullif(1, '1'), nullif(NULL, NULL), nullif(x'61', 'a')"
    for probability in ("0.0", "0.5", "1.0", "1", "0", "1.5", "-0.1", "'0.5'", "NULL", "x"):
        yield f"SELECT likelihood(5, {probability})"
    yield "SELECT typeof(random()), typeof(randomblob(5)), length(randomblob(5)), length(randomblob(0)), length(randomblob(-3)), length(randomblob(NULL)), length(randomblob('4'))"
    for n in ("0", "1", "-1", "3", "2.9", "'3'", "NULL", "x'33'", "1000000001", "9223372036854775807"):
        yield f"SELECT hex(zeroblob({n})), typeof(zeroblob({n})), length(zeroblob({n}))" if len(n) < 6 else f"SELECT length(zeroblob({n}))"
    yield "SELECT length(zeroblob(1000000000))"
    yield "SELECT sqlite_version(), substr(sqlite_source_id(), 1, 10) GLOB '????-??-??', sqlite_compileoption_used('THREADSAFE'), sqlite_compileoption_used('SQLITE_ENABLE_MATH_FUNCTIONS')"
    yield "SELECT sqlite_compileoption_used('nope'), sqlite_compileoption_used(NULL), sqlite_compileoption_get(-1), sqlite_compileoption_get(10000), typeof(sqlite_compileoption_get(0))"
    yield "CREATE TABLE counted(a INTEGER PRIMARY KEY, b)"
    yield "SELECT changes(), total_changes(), last_insert_rowid()"
    yield "INSERT INTO counted VALUES (10, 1), (20, 2)"
    yield "SELECT changes(), total_changes(), last_insert_rowid() AS l"
    yield "UPDATE counted SET b = changes() + total_changes()"
    yield "SELECT *, changes() FROM counted"
    yield "DELETE FROM counted WHERE a = last_insert_rowid()"
    yield "SELECT count(*), changes(), total_changes(), last_insert_rowid() FROM counted"


def rounding() -> Iterator[str]:
    """round() at halves, many digits and huge values."""
    for value in ("0.5", "1.5", "2.5", "-0.5", "-2.5", "1.005", "2.675", "1e15", "123456789.987654321", "-1e-10", "4503599627370497.5", "9223372036854775807", "1e308", "0.049999999999999996", "NULL", "'2.5'", "'x'", "x'32'"):
        digits = ", ".join(f"round({value}, {n})" for n in ("0", "1", "2", "5", "15", "30", "31", "-1", "NULL", "'1'", "1.9"))
        yield f"SELECT round({value}), {digits}"


OPERATORS = ("+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "LIKE", "GLOB")
OPERANDS = ("NULL", "0", "1", "-3", "9223372036854775807", "-9223372036854775808", "2.5", "-0.0", "9e999", "''", "'abc'", "'12x'", "' 7'", "'ABC'", "x''", "x'3132'", "64", "-64", "1e-3")


def operator_rows() -> Iterator[str]:
    """Every binary operator over pairs of every storage class; the operands come from columns without affinity."""
    for operator in OPERATORS:
        for a in OPERANDS:
            pairs = ", ".join(f"({a}, {b})" for b in OPERANDS)
            yield f"SELECT column1 {operator} column2, typeof(column1 {operator} column2) FROM (VALUES {pairs})"
    for operator in ("-", "+", "~", "NOT "):
        for a in OPERANDS:
            yield f"SELECT {operator}{a} AS r, typeof({operator}{a}), {operator}column1 FROM (VALUES ({a}))"
    for suffix in ("ISNULL", "NOTNULL", "NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE", "COLLATE NOCASE", "IS NULL"):
        for a in OPERANDS:
            yield f"SELECT {a} {suffix} AS r"


def casts() -> Iterator[str]:
    """CAST of every storage class to every kind of type name."""
    types = ("INTEGER", "REAL", "TEXT", "BLOB", "NUMERIC", "", "INT8", "VARCHAR(10)", "DOUBLE PRECISION", "DECIMAL(10,5)", "BOOLEAN", "DATE", "FLOATING POINT", "CHARINT", "NONE", "STRING", "xyz")
    subjects = (*VALUES, "'12abc'", "'1e5'", "'9223372036854775808'", "'-9223372036854775809'", "'1.0'", "'.5'", "'5.'", "'+7'", "'- 7'", "'1e'", "'1e+'", "'0x10'", "' \t\n9'", "'inf'", "'nan'", "9223372036854775808.0", "1e18", "4611686018427387904.5", "x'31652b32'", "'1_000'")
    for subject in subjects:
        for type_name in types:
            if type_name:
                yield f"SELECT CAST({subject} AS {type_name}) AS r, typeof(CAST({subject} AS {type_name}))"
    yield "SELECT CAST(1 AS)"
    yield "SELECT CAST(1 AS INTEGER"
    yield "SELECT CAST('5' AS \"my type\"), CAST('5' AS VARCHAR(3, 4)), CAST('5' AS UNSIGNED BIG INT)"


def likes() -> Iterator[str]:
    """LIKE, ESCAPE and GLOB: wildcards, sets, case, escapes, classes."""
    texts = ("''", "'a'", "'A'", "'abc'", "'aXc'", "'%'", "'a%c'", "'é'", "'É'", "'a]b'", "'a-b'", "NULL", "12", "1.5", "x'616263'", "'ab' || char(10) || 'c'", "'日本'")
    for pattern in ("''", "'a'", "'A%'", "'%'", "'%%'", "'_'", "'__'", "'a_c'", "'%c'", "'%b%'", "'é'", "'a\\%c'", "NULL", "1%", "'1%'", "x'6125'", "'_本'"):
        rows = ", ".join(f"({text})" for text in texts)
        if pattern != "1%":
            yield f"SELECT column1 LIKE {pattern}, column1 NOT LIKE {pattern}, like({pattern}, column1) FROM (VALUES {rows})"
            for escape in ("'\\'", "'%'", "'_'", "'a'", "'é'", "NULL", "''", "'ab'", "1"):
                yield f"SELECT column1 LIKE {pattern} ESCAPE {escape} FROM (VALUES {rows})"
    for pattern in ("''", "'a'", "'*'", "'?'", "'??'", "'a*'", "'*c'", "'[abc]'", "'[^a]'", "'[a-c]*'", "'[]]'", "'a[]]b'", "'a[-]b'", "'[^]a]'", "'['", "'[a'", "'*[c-a]'", "'[é-ü]'", "NULL", "'?本'", "'a**c'", "'[*]'", "'1*'", "'[A-Z]'"):
        rows = ", ".join(f"({text})" for text in texts)
        yield f"SELECT column1 GLOB {pattern}, column1 NOT GLOB {pattern}, glob({pattern}, column1) FROM (VALUES {rows})"
    yield "SELECT 'a' REGEXP 'b'"
    yield "SELECT 'a' NOT REGEXP 'b'"
    yield "SELECT 'a' MATCH 'b'"
    yield "SELECT 'a' NOT MATCH 'b'"
    yield "SELECT 'abc' LIKE 'a' || '%', 'abc' LIKE 'A%' COLLATE BINARY, 'a' || 'b' LIKE 'ab'"
    yield "SELECT 'x' LIKE 'x' ESCAPE"
    yield "SELECT like('a%', 'abc', '%'), like('a!%', 'a%', '!'), glob('a*', 'abc')"
    yield "PRAGMA case_sensitive_like = 1"
    yield "SELECT 'a' LIKE 'A', 'a' LIKE 'a', 'aB' LIKE 'a_', 'É' LIKE 'é', like('A', 'a'), like('a!%', 'A%', '!')"
    yield "PRAGMA case_sensitive_like = 0"
    yield "SELECT 'a' LIKE 'A', 'aB' LIKE 'A_', 'É' LIKE 'é'"


TABLES = {
    **{f"{row}-one-argument": (lambda row=row: one_argument(row)) for row in ONE_ARGUMENT},
    **{f"{row}-two-arguments": (lambda row=row: two_arguments(row)) for row in TWO_ARGUMENTS},
    "068-number-of-arguments": number_of_arguments,
    "065-text-edges": text_functions,
    "067-chosen-values": chosen_values,
    "062-rounding": rounding,
    "046-operators": operator_rows,
    "047-casts": casts,
    "050-like-glob-tables": likes,
}
