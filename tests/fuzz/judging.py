"""Whether minisql and SQLite differ on a case, and whether SQL leaves the answer open.

A case is a script; its last statement is the one that is asked about, but an earlier difference counts as well.  SQL leaves much
open (the order of rows, which of 1 and 1.0 represents a group, the last digit of a sum), so a difference counts only if SQLite
never gives minisql's answer: not when scanning backwards, nor without indexes, nor with statistics, nor without automatic indexes.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from tests.fuzz.engines import Answer, Costly, Minisql, Sqlite, multiset, near, same


@dataclass(frozen=True)
class Case:
    """A script, minisql's settings for it, whether it runs on a file, and whether the last statement's rows come in a total
    order."""

    script: tuple[str, ...]
    settings: tuple[str, ...] = ()
    in_file: bool = False
    in_order: bool = False

    def until(self, n: int) -> Case:
        """The case of the first `n` statements."""
        return replace(self, script=self.script[:n], in_order=self.in_order and n == len(self.script))


@dataclass(frozen=True)
class Difference:
    """What the statement at `position` of the case's script gave on both sides."""

    position: int
    ours: Answer
    theirs: Answer

    def kind(self) -> tuple[str, ...]:
        """What a smaller case has to keep: which side gives rows, and the kinds of its errors."""
        ours, theirs = (_kind(answer) for answer in (self.ours, self.theirs))
        if self.ours.rows is not None and self.theirs.rows is not None:
            parts = zip(("rows", "names", "types", "state"), _parts(self.ours), _parts(self.theirs))
            return tuple(name for name, one, other in parts if one != other)[:1] or ("order",)
        return ours, theirs


def _parts(answer: Answer) -> tuple[object, ...]:
    return multiset(answer.rows or []), answer.names, answer.types, answer.state


def _kind(answer: Answer) -> str:
    """An error without the names and values in it."""
    return _NAMES.sub("", answer.error) if answer.rows is None else "rows"


_NAMES = re.compile(r"[\w.]*\d[\w.]*|: .*(?=\()|'.*'")


def in_pairs(case: Case) -> Iterator[tuple[Answer, Answer]]:
    """Both engines' answers, statement by statement.  Raises Costly."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        path = str(Path(folder, "fuzz.db")) if case.in_file else ":memory:"
        ours, theirs = Minisql(path, case.settings), Sqlite()
        try:
            for sql in case.script:
                expected = theirs.run(sql)
                yield ours.run(sql), expected
        finally:
            ours.close()
            theirs.close()


def difference(case: Case) -> Difference | None:
    """The first difference, or None.  Raises Costly."""
    for position, (ours, theirs) in enumerate(in_pairs(case)):
        if not same(ours, theirs, case.in_order and position == len(case.script) - 1):
            return Difference(position, ours, theirs)
    return None


VARIANTS = ("reversed", "bare", "reversed bare", "analyzed", "no automatic index", "reversed analyzed")


def varied(script: Sequence[str], variant: str) -> list[str]:
    """The script in another environment that must not change what SQL defines."""
    body = list(script)
    if "bare" in variant:
        body = [sql for sql in body[:-1] if not sql.startswith("create index")] + body[-1:]
    if "analyzed" in variant:
        body.insert(len(body) - 1, "analyze")
    if "reversed" in variant:
        body.insert(0, "pragma reverse_unordered_selects=on")
    if "automatic" in variant:
        body.insert(0, "pragma automatic_index=off")
    return body


def is_open(case: Case, found: Difference) -> bool:
    """Whether SQLite gives minisql's answer as well when it is asked in another way."""
    ours, theirs = found.ours, found.theirs
    if ours.error.startswith("INTERNAL"):
        return False
    if has_random_rowids(ours, theirs) or is_left_undone(theirs):
        return True
    sql = case.script[found.position]
    if (is_late(ours) or is_late(theirs)) and (_LEAVING_OUT.search(sql) or _SEVERAL_ROWS.match(sql)):
        return True
    if ours.rows is None and theirs.rows is None and NAMING.match(ours.error) and NAMING.match(theirs.error):
        return True
    if ours.error.startswith(NOTICED_IN_CODE) and theirs.rows is not None:
        before, hidden = case.script[: found.position], _NUMBER.sub(r"abs(\g<0>)", sql)
        return any(_is_refused_unoptimized((*before, last), ours) for last in (sql, hidden))
    if ours.error.startswith("no query solution") and theirs.rows is not None and _DROPPING.search(sql):
        return True
    if ours.error.startswith("FOREIGN KEY constraint failed") and theirs.rows is not None and theirs.state[3:] == (True,):
        answer = last_answer([*case.script[: found.position + 1], "pragma foreign_key_check"])
        return answer is not None and bool(answer.rows)  # SQLite has left an orphan, see docs/fuzzing.md
    if theirs.error.startswith("error in view") and _is_broken_by_alter_only(case, found):
        return True
    if ours.rows is not None and theirs.rows is not None:
        if (ours.names, ours.types, ours.state) != (theirs.names, theirs.types, theirs.state):
            return ours.state != theirs.state and _is_given(case, found)
        if not case.in_order and near(ours.rows) == near(theirs.rows):
            return True
        if _CHOOSING.search(case.script[found.position]) and near(_as_reals(ours.rows)) == near(_as_reals(theirs.rows)):
            return True  # which of 1 and 1.0 stands for both
    return _is_random(case, found) or _is_given(case, found) or _is_unstable(case, found)


def _is_random(case: Case, found: Difference) -> bool:
    """Whether SQLite answers otherwise when it is asked the same again: rowids behind the largest one are drawn at random."""
    again = last_answer(case.script[: found.position + 1])
    return again is not None and again.rows is not None and found.theirs.rows is not None and not same(again, found.theirs)


_PLACED = re.compile(
    r"\b(row_number|ntile|lag|lead|first_value|last_value|nth_value|group_concat|string_agg)\(|\b(rows|groups) ", re.I
)


def _is_unstable(case: Case, found: Difference) -> bool:
    """Whether a window's order has ties, so that SQLite itself answers otherwise when it reads the rows in another order."""
    sql = case.script[found.position]
    if found.theirs.rows is None or found.ours.rows is None or " over " not in sql or not _PLACED.search(sql):
        return False
    script = case.script[: found.position + 1]
    answers = (last_answer(varied(script, variant)) for variant in VARIANTS)
    return any(
        answer is not None and answer.rows is not None and near(answer.rows) != near(found.theirs.rows) for answer in answers
    )


_CHOOSING = re.compile(r"\b(union|intersect|except|distinct|group by|min\(|max\(|using|natural)\b", re.I)


def _as_reals(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [tuple(_as_real(value) for value in row) for row in rows]


def _as_real(value: object) -> object:
    """A number, or the text of a real that is whole (quote() shows which of the two it was), as a real."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return float(value)
    return value + 0.0 if isinstance(value, (int, float)) else value


_WHOLE = re.compile(r"-?\d+(\.0)?")


LATE = (
    "integer overflow", "JSON cannot hold BLOB", "json_object() labels must be TEXT", "string or blob too big", "malformed JSON",
    "bad JSON path", "FLAGS parameter to json_valid()", "ESCAPE expression must be a single character",
)  # fmt: skip
"""Errors in values: SQL does not say whether a row's values are computed before or after a condition leaves the row out."""
_LEAVING_OUT = re.compile(
    r"\b(where|having|on|using|natural|limit|case|and|or|in|exists|filter|iif|if|coalesce|ifnull|order|[wnvhg]\d+)\b", re.I
)
"""Words without which all values of all rows have to be computed; views and triggers may hide them."""


_SEVERAL_ROWS = re.compile(r"(insert|replace)\b.*(\bvalues\b.*\), \(|\bunion all\b)", re.I | re.S)
"""minisql computes all rows of an INSERT before it writes the first; SQLite takes them one by one where it can."""


NAMING = re.compile(
    r"no such|misuse of (aggregate|window)|ambiguous|\d+(st|nd|rd|th) (GROUP|ORDER) BY|all VALUES|FILTER may not|target object|"
    r"sub-select returns|wrong number of arguments|row value misused|cannot (modify|override|join using)|IN\(...\) element|"
    r"no query solution|ORDER BY may not be used|SELECTs to the left|\d columns|DISTINCT is not supported|error in (view|index)|"
    r"RANGE with offset|HAVING clause on|aggregate functions are not allowed|foreign key mismatch|"
    r"table \w+ has \d+ (values|columns)|\d+ values for"
)
"""Of two mistakes in one statement either may be reported."""

_DROPPING = re.compile(r"\b(or|and|case|iif|if)\b|\b(or|and|case|iif|if)\(", re.I)
"""Words beside which SQLite may make no code for a subquery, so that nobody misses an index that INDEXED BY cannot use there."""

_NUMBER = re.compile(r"(?<![\w.])\d[\w.]*")
"""A number, which SQLite knows to be true or false before it makes code for what is beside it; as an operand of abs() it does not."""

NOTICED_IN_CODE = ("misuse of aggregate:", "row value misused")
"""Mistakes that SQLite notices only in what it makes code for, after its optimisations have left much out."""


def has_random_rowids(ours: Answer, theirs: Answer) -> bool:
    """Whether both engines drew a rowid behind the largest one: they do so at random."""
    return bool(ours.state and theirs.state) and min(ours.state[2], theirs.state[2]) > 1 << 40


def is_left_undone(theirs: Answer) -> bool:
    """Whether SQLite may have left rows of a statement that failed: a type error of a STRICT table in a transaction."""
    return theirs.error.startswith("cannot store ") and theirs.state[3:] == (False,)


def _is_broken_by_alter_only(case: Case, found: Difference) -> bool:
    """Whether a view that SQLite finds wrong when ALTER TABLE looks at it can be read all the same."""
    match = re.match(r"error in view (\w+)", found.theirs.error)
    if match is None or not case.script[found.position].lower().startswith("alter"):
        return False
    answer = last_answer([*case.script[: found.position], f"select * from {match[1]}"])
    return answer is not None and answer.rows is not None


def is_late(answer: Answer) -> bool:
    """Whether the error depends on which rows were computed before a condition left them out."""
    return answer.error.startswith(LATE)


def _is_given(case: Case, found: Difference) -> bool:
    """Whether SQLite gives our answer to a variant of the script."""
    script = case.script[: found.position + 1]
    for variant in VARIANTS:
        answer = last_answer(varied(script, variant))
        if answer is None:
            continue
        if same(found.ours, answer, case.in_order):
            return True
        if found.ours.rows is not None and answer.rows is not None and near(found.ours.rows) == near(answer.rows):
            return found.ours.state == answer.state
    return _is_given_unoptimized(script, found.ours)


_VALUE = re.compile(r"NULL|x'([0-9a-f]*)'|'((?:[^']|'')*)'|([-+.0-9eEInf]+)", re.S)
_MARK = "---- the answer ----"


def _unoptimized(lines: Sequence[str]) -> tuple[str, str]:
    """What SQLite's shell prints and complains about with all optimisations off; nothing without a shell."""
    program = Path(apsw.__file__).parent / "sqlite_extra_binaries" / "sqlite3_shell"
    if not program.exists():
        return "", ""
    text = "\n".join([".testctrl optimizations 0xffffffff", *lines])
    try:
        done = subprocess.run([str(program), ":memory:"], input=text, capture_output=True, text=True, timeout=10, check=False)
    except (subprocess.TimeoutExpired, UnicodeDecodeError):
        return "", ""
    return done.stdout, done.stderr


def _is_refused_unoptimized(script: Sequence[str], ours: Answer) -> bool:
    """Whether SQLite's shell gives our error with all optimisations off."""
    _, complaints = _unoptimized([f"{sql};" for sql in script])
    return ours.error.rpartition(" (")[0] in complaints


def _is_given_unoptimized(script: Sequence[str], ours: Answer) -> bool:
    """Whether SQLite's shell gives our answer with all optimisations off (a term that is pushed into a subquery compares there
    with another affinity)."""
    if ours.rows is None:
        return False
    lines = [*(f"{sql};" for sql in script[:-1]), ".mode quote", f".print {_MARK}", f"{script[-1]};"]
    if ours.state:
        lines += [f".print {_MARK}", "select changes(), total_changes(), last_insert_rowid();"]
    answer = _unoptimized(lines)[0].rpartition(_MARK + "\n")[2]
    wanted = [ours.state[:3]] if ours.state else ours.rows
    values = [_value(match) for match in _VALUE.finditer(answer)]
    width = len(wanted[0]) if wanted else 1
    return near(wanted) == near([tuple(values[i : i + width]) for i in range(0, len(values), width)])


def _value(match: re.Match[str]) -> object:
    blob, text, number = match.groups()
    if number is not None:
        return int(number) if re.fullmatch(r"-?\d+", number) else float(number)
    if blob is not None:
        return bytes.fromhex(blob)
    return text.replace("''", "'") if text is not None else None


def last_answer(script: Sequence[str]) -> Answer | None:
    """SQLite's answer to the last statement, None if it is costly."""
    engine = Sqlite()
    try:
        answer = None
        for sql in script:
            answer = engine.run(sql)
        return answer
    except Costly:
        return None
    finally:
        engine.close()


def is_wrong(case: Case) -> Difference | None:
    """The difference that counts, or None."""
    try:
        found = difference(case)
        return found if found is not None and not is_open(case, found) else None
    except Costly:
        return None
