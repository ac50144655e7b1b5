"""Date and time functions: time values of every form, every modifier, every format, timediff in both directions.

Written from lang_datefunc.html.  Zone: what the process has; statements about `now` compare it with itself.
"""

from __future__ import annotations

from collections.abc import Iterator

TIME_VALUES = (
    "'2024-02-29'", "'2024-02-29 13:45'", "'2024-02-29 13:45:06'", "'2024-02-29 13:45:06.789'", "'2024-02-29T13:45'", "'2024-02-29T13:45:06.5'",
    "'13:45'", "'13:45:06'", "'13:45:06.25'", "'24:00'", "'23:59:59.9996'", "2460370.0731", "2460370", "0", "1709214306", "-1", "1e10", "5373484.5",
    "5373485", "'2460370.5'", "'1709214306'", "NULL", "''", "'x'", "x'323032342d30322d3239'", "'2024-02-30'", "'2023-02-29'", "'2024-13-01'",
    "'2024-00-10'", "'2024-01-32'", "'0000-01-01'", "'9999-12-31 23:59:59'", "'-4713-11-24'", "'-4713-11-24 12:00'", "'10000-01-01'", "'2024-2-9'", "'2024-02-29 1:05'",
    "'2024-02-29 13:45Z'", "'2024-02-29 13:45z'", "'2024-02-29 13:45:06+05:30'", "'2024-02-29 13:45-08:00'", "'2024-02-29 13:45:06.1 +14:00'",
    "'2024-02-29 13:45+15:00'", "'13:45+01:00'", "' 2024-02-29'", "'2024-02-29 '", "'2024-02-29  13:45'", "'2024-02-29 13:45:60'", "'2024-02-29 13:60'",
    "'1.5e6'", "'0x10'", "'1970-01-01'", "'1969-12-31 23:59:59'", "'2000-01-01 00:00:00'", "'1999-12-31'", "'2016-12-31 23:59:60'", "9e999", "-9e999",
)  # fmt: skip
MODIFIERS = (
    *(f"'{sign}{n} {unit}{plural}'" for unit in ("second", "minute", "hour", "day", "month", "year") for sign, n, plural in (("+", "1", ""), ("-", "13", "s"), ("", "0.5", "s"), ("+", "1.75", ""))),
    "'+05:00'", "'-05:30:15'", "'12:00'", "'+01:02:03.456'", "'+0001-02-03'", "'-0001-02-03'", "'+0000-00-10 12:30'", "'-0010-11-12 01:02:03.5'",
    "'+0001-13-00'", "'+0001-12-31'", "'start of month'", "'start of year'", "'start of day'", "'START OF DAY'", "'start of week'", "'weekday 0'", "'weekday 1'",
    "'weekday 6'", "'weekday 7'", "'weekday 1.5'", "'weekday'", "'unixepoch'", "'julianday'", "'auto'", "'utc'", "'localtime'", "'subsec'", "'subsecond'",
    "'floor'", "'ceiling'", "NULL", "''", "'now'", "1", "'+1'", "'1 days '", "'+1 days x'", "'+ 1 day'", "'+1day'", "'+1e2 days'", "'1000000 years'", "'+9e99 days'",
    "x'2b3120646179'", "'+-1 day'", "'+5000000 days'", "'-2460370.5 days'",
)  # fmt: skip
FORMATS = "defFGgHIjJklmMpPRsSTuUVwWYaAbBcCDEhnNoOqQrtvxXyzZ%Li "
FUNCTIONS = ("date", "time", "datetime", "julianday", "unixepoch")
BASES = ("'2024-01-31 13:45:06.789'", "'2023-12-31'", "'2000-02-29 00:00:00'", "'0001-01-01 23:59:59.999'")


def time_values() -> Iterator[str]:
    """Each form of a time value through each function."""
    for value in TIME_VALUES:
        for name in FUNCTIONS:
            yield f"SELECT {name}({value}) AS r, typeof({name}({value})), {name}({value}, 'subsec')"
        yield f"SELECT strftime('%Y-%m-%d %H:%M:%f %J %s %w %j', {value})"
        yield f"SELECT datetime({value}, 'auto'), datetime({value}, 'unixepoch'), datetime({value}, 'julianday'), julianday({value}, 'auto', 'subsec')"


def modifiers() -> Iterator[str]:
    """Each modifier on a few bases, alone and before and after another."""
    for modifier in MODIFIERS:
        for base in BASES:
            yield f"SELECT datetime({base}, {modifier}), julianday({base}, {modifier}), strftime('%f %s %J', {base}, {modifier}), unixepoch({base}, {modifier}, 'subsec')"
        yield f"SELECT date(1709214306, {modifier}), datetime(1709214306, 'unixepoch', {modifier}), datetime(1709214306, {modifier}, 'unixepoch'), datetime(0, 'julianday', {modifier})"
        for other in ("'start of month'", "'+1 month'", "'-1 day'", "'weekday 3'", "'subsec'", "'floor'", "'ceiling'", "'utc'"):
            yield f"SELECT datetime('2024-01-31 12:34:56.7', {modifier}, {other}), datetime('2024-01-31 12:34:56.7', {other}, {modifier})"


def formats() -> Iterator[str]:
    """Each letter after a percent sign over days that matter to it."""
    days = ("'2024-02-29 13:05:06.789'", "'2023-01-01'", "'2020-12-31 00:00'", "'2021-01-03 12:00:00.9996'", "'0000-01-01 23:59:59'", "'9999-12-31 23:59:59.9999'", "'2009-12-31 11:59'", "-1000000", "'-1234-05-06'")
    for letter in FORMATS:
        for day in days:
            yield f"SELECT strftime('%{letter}', {day}), strftime('x%{letter}y%%', {day}, 'subsec')"
    for text in ("''", "'%'", "'abc%'", "NULL", "'%Y%'", "'é%d日'", "5", "x'2559'", "'%%%%'", "'%Y' || char(0) || '%m'", "'%1Y'", "'%-d'"):
        yield f"SELECT strftime({text}, '2024-02-29'), typeof(strftime({text}, '2024-02-29'))"
    for year in range(1998, 2030):
        yield f"SELECT strftime('%G-%V-%u %U %W %j %w', '{year}-01-01'), strftime('%G-%V-%u %U %W %j %w', '{year}-12-31'), strftime('%g %F', '{year}-01-03')"


def differences_of_times() -> Iterator[str]:
    """timediff over pairs of dates, and its answer added again."""
    moments = ("'2024-02-29'", "'2023-03-31'", "'2024-03-01 12:30:15.5'", "'1999-12-31 23:59:59.999'", "'0000-01-01'", "'9999-12-31'", "NULL", "'x'", "2460000.5", "'2024-02-29 24:00'", "'-0044-03-15'")
    for a in moments:
        for b in moments:
            yield f"SELECT timediff({a}, {b}) AS d, datetime({b}, timediff({a}, {b}), 'subsec') AS back"
    for days in (1, 27, 28, 29, 30, 31, 59, 60, 365, 366, 1461):
        for start in ("2024-01-31", "2023-02-28", "2024-12-31"):
            yield f"SELECT timediff(date('{start}', '{days} days'), '{start}'), timediff('{start}', date('{start}', '{days} days'))"


def months_and_now() -> Iterator[str]:
    """Month ends with floor and ceiling; the present moment."""
    for start in ("2024-01-31", "2023-01-30", "2024-03-31", "2024-02-29", "2023-12-31", "2000-08-31"):
        for n in (-13, -12, -1, 1, 2, 11, 12, 13, 48):
            yield f"SELECT date('{start}', '{n} months'), date('{start}', '{n} months', 'floor'), date('{start}', '{n} months', 'ceiling'), date('{start}', 'floor', '{n} months'), date('{start}', '{n} years', 'floor')"
            yield f"SELECT date('{start}', '+0001-{abs(n) % 12:02d}-01'), date('{start}', '-0002-{abs(n) % 12:02d}-00', 'floor'), date('{start}', '{n}.5 months'), date('{start}', '{n}.25 years')"
    yield "SELECT date('now') = current_date, time('now') = current_time, datetime() = current_timestamp, date() = date('now'), typeof(julianday()), typeof(unixepoch('now', 'subsec'))"
    yield "SELECT abs(julianday('now') - julianday(unixepoch(), 'unixepoch')) < 0.001, strftime('%s') = CAST(unixepoch() AS TEXT), timediff('now', 'now')"
    yield "SELECT datetime('now', 'subsec') > '2020', length(datetime('now', 'subsec')), length(time('subsec')), typeof(unixepoch('subsec')), date('NOW') = date(), date('now ')"
    yield "SELECT count(DISTINCT julianday('now')) FROM (VALUES (1), (2), (3))"
    yield "CREATE TABLE dated(a DEFAULT CURRENT_DATE, b DEFAULT (datetime('2024-01-01')), c AS (date('2020-01-01', a)))"
    yield "INSERT INTO dated(a) VALUES ('+1 day')"
    yield "SELECT * FROM dated"
    yield "CREATE INDEX dated_now ON dated(date('now'))"
    yield "INSERT INTO dated(a) VALUES ('+2 day')"
    yield "CREATE TABLE checked(a CHECK (a < datetime('now')))"
    yield "INSERT INTO checked VALUES ('2001')"
    yield "CREATE INDEX dated_fixed ON dated(date(a, '+1 day'))"
    yield "SELECT date(a) FROM dated ORDER BY date(a, '+1 day')"


TABLES = {
    "077-time-values": time_values,
    "078-modifiers": modifiers,
    "079-formats": formats,
    "080-timediff": differences_of_times,
    "078-months-and-now": months_and_now,
}
