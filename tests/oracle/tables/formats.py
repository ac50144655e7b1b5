"""printf(): every conversion with flags, widths, precisions and arguments of every class.

Written from printf.html.
"""

from __future__ import annotations

from collections.abc import Iterator

ARGUMENTS = {
    "number": ("0", "42", "-7", "1234567", "9223372036854775807", "-9223372036854775808", "3.7", "1e20", "'12abc'", "NULL", "x'3435'"),
    "real": ("0.0", "-0.0", "3.14159", "-2.5", "1234567.891", "1e100", "1.5e-10", "9e999", "-9e999", "99999.5", "'2.75x'", "NULL", "7"),
    "text": ("'hello'", "''", "'é日😀x'", "NULL", "12", "1.5", "x'4142'", "'it''s'", "'a\"b'", "'a\\b'"),
}
CONVERSIONS = {"number": "diuxXocp", "real": "eEfgG", "text": "sczqQwn"}
FLAGS = ("", "-", "+", " ", "0", "#", "!", ",", "-+", "0+", "#0", "!,", "-0", " 0", "+,")
SIZES = ("", "1", "8", "12.3", ".0", ".2", ".10", "20.15", ".17")


def conversions(kind: str) -> Iterator[str]:
    """Each conversion of a kind with each flag and size: one statement gives it all arguments of the kind."""
    for conversion in CONVERSIONS[kind]:
        for flag in FLAGS:
            for size in SIZES:
                directive = f"%{flag}{size}{conversion}"
                calls = ", ".join(f"format('[{directive}]', {argument})" for argument in ARGUMENTS[kind])
                yield f"SELECT {calls}"


def special_cases() -> Iterator[str]:
    """Stars, missing and spare arguments, unknown conversions, percent signs, long output, lengths l and ll, NUL bytes."""
    for directive in ("%*d", "%-*d", "%0*d", "%.*f", "%*.*f", "%.*s", "%*s", "%!.*s", "%*c"):
        for numbers in ("5", "-5", "0", "NULL", "'6'", "2.9"):
            for value in ("42", "'héllo'", "1.5"):
                stars = directive.count("*")
                yield f"SELECT format('[{directive}]', {', '.join([numbers] * stars)}, {value})"
    for text in ("%", "%%", "a%", "%y", "%k", "%-", "%5", "%.", "%l", "%ll", "%ld %lld", "%hd", "%5%", "%-5%|", "%s %s %s", "%d%d", "no", "", "%r", "%T", "%S", "%&", "%1$d", "%lf", "%ls", "% ", "%!", "%,", "%5.3", "%z %", "%n", "a%nb"):
        for arguments in ("", ", 1", ", 'x', 2", ", NULL, NULL, NULL"):
            yield f"SELECT format('{text}'{arguments})"
    for value in ("'a'||char(0)||'b'", "char(0)", "'''' || char(10)", "'\\' || char(9)", "char(1) || 'x'", "'日''本'", "NULL", "1e999", "x'00'", "'\"'"):
        for conversion in "sqQwzc":
            yield f"SELECT hex(format('%{conversion}', {value})), hex(format('%#{conversion}', {value})), hex(format('%!8.2{conversion}', {value}))"
    yield "SELECT length(format('%1000d', 1)), length(format('%.500f', 1.0)), length(format('%-300s|', 'x'))"
    yield "SELECT format('%s', 1e15), format('%s', 123456789012345678), format('%s', 0.1), format('%s', 1e16), format('%!s', 'é')"
    yield "SELECT format(5), format(1.5), format(x'2564', 7), typeof(format(NULL)), typeof(format('')), format('%d', TRUE)"
    for precision in range(0, 27):
        yield f"SELECT format('%.{precision}f|%.{precision}e|%.{precision}g|%!.{precision}f|%!.{precision}e|%!.{precision}g|%#.{precision}g', 1/3.0, 2e10/3, 1e-5/7, 1/3.0, 2/3e10, 12345.678, 100.0)"
    for value in ("0.5", "1.5", "2.5", "0.05", "0.15", "1e15", "1e16", "123456789.5", "0.1", "1e-320", "1.7976931348623157e308", "4.35", "0.999999999999", "9.9999e22"):
        yield "SELECT format('%f|%.0f|%.1f|%g|%e|%G|%,.3f|%!g|%!f|%#.0f|%.15g|%.16g|%!.17g|%+.2e|%012.3f|%-12.3f|', " + ", ".join([value] * 16) + ")"


TABLES = {
    **{f"064-format-{kind}": (lambda kind=kind: conversions(kind)) for kind in CONVERSIONS},
    "064-format-special": special_cases,
}
