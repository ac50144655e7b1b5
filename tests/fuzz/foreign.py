"""`python -m tests.fuzz.foreign`: the statements of other dialects in sqlglot's own tests, brought over to SQLite, on both engines.

The statements come from sqlglot's source distribution of the installed version, which is fetched from the package index into
`.build/sqlglot` on first use: the texts of its dialects' tests and its fixtures.  Each runs in a database of its own, with a table
for every name in it and a column for every column.  What SQLite refuses, minisql has to refuse with the same words.
"""

from __future__ import annotations

import argparse
import ast
import logging
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import sqlglot
from sqlglot import exp

from tests.fuzz.findings import report, shape, smallest
from tests.fuzz.judging import Case, Difference, is_wrong
from tests.fuzz.oracles import Finding
from tests.fuzz.shrinking import parsed, written_back

BUILD = Path(__file__).resolve().parents[2] / ".build" / "sqlglot"
ROWS = ("1, 'a', 2.5, null", "2, 'B', -1, x'61'", "null, 'a', 3, 1.0", "5, '10', 0, 'x'")
"""What the tables hold, as far as they have columns; further columns repeat it."""
NAMES = {"test_dialect": "", "test_prql": "", "test_pipe_syntax": "bigquery"}
"""Files of tests that are not named after the dialect that they read; "" is sqlglot's own."""


def archive() -> Path:
    """Where the source distribution is, once it has been fetched."""
    return BUILD / f"sqlglot-{version('sqlglot')}.tar.gz"


def fetch() -> Path:
    """Fetches the source distribution if it is not there."""
    path = archive()
    if not path.exists():
        command = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", "sqlglot"]
        wanted = f"sqlglot=={version('sqlglot')}"
        subprocess.run([sys.executable, "-m", "pip", *command, "--dest", str(BUILD), wanted], check=True)
    return path


def texts() -> Iterator[tuple[str, str]]:
    """(dialect, statement) of all tests and fixtures, each once."""
    seen = set()
    with tarfile.open(archive()) as opened:
        for member in sorted(opened.getmembers(), key=lambda member: member.name):
            folder, _, name = member.name.partition("/tests/")[2].rpartition("/")
            file = opened.extractfile(member) if member.isfile() else None
            if file is None or not name.endswith((".py", ".sql")):
                continue
            source = file.read().decode()
            found = (
                _of_tests(name[:-3], source) if folder == "dialects" else _of_fixtures(source) if name.endswith("sql") else ()
            )
            for item in found:
                if item not in seen:
                    seen.add(item)
                    yield item


def _of_tests(name: str, source: str) -> Iterator[tuple[str, str]]:
    """The texts that a dialect's tests validate: the first argument, and those that other dialects read."""
    dialect = NAMES.get(name, name.removeprefix("test_"))
    for node in ast.walk(ast.parse(source)):
        if (
            not isinstance(node, ast.Call)
            or not isinstance(node.func, ast.Attribute)
            or not node.func.attr.startswith("validate_")
        ):
            continue
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            yield dialect, node.args[0].value
        for keyword in node.keywords:
            if keyword.arg == "read" and isinstance(keyword.value, ast.Dict):
                for key, value in zip(keyword.value.keys, keyword.value.values):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield str(key.value), value.value


def _of_fixtures(source: str) -> Iterator[tuple[str, str]]:
    """The statements of a fixture: lines that are no comments, up to a semicolon or the end of the line."""
    for text in source.split(";\n" if ";\n" in source else "\n"):
        statement = "\n".join(line for line in text.split("\n") if not line.startswith(("--", "#"))).strip()
        if statement:
            yield "", statement


def brought_over(dialect: str, text: str) -> list[str]:
    """The statements in SQLite's dialect; none if sqlglot does not know what they mean there."""
    try:
        return [
            sql.replace("\n", " ")
            for sql in sqlglot.transpile(text, read=dialect, write="sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE)
            if sql
        ]
    except Exception:  # sqlglot raises more than its own errors
        return []


def script_of(sql: str) -> tuple[str, ...]:
    """The statement behind the tables that it wants."""
    tree = parsed(sql)
    if tree is None or written_back(tree) is None:
        return (sql,)
    tables = {table.name: table.alias or table.name for table in tree.find_all(exp.Table) if table.name and not table.db}
    for common in tree.find_all(exp.CTE):
        tables.pop(common.alias, None)
    made = exp.Create, exp.Drop
    if isinstance(tree, made) and tree.this is not None and tree.find(exp.Table) is not None:
        tables.pop(tree.find(exp.Table).name, None)  # type: ignore[union-attr]
    columns: dict[str, dict[str, str]] = {name: {} for name in tables}
    for column in tree.find_all(exp.Column):
        owners = [name for name, alias in tables.items() if column.table in (alias, name)] or (
            [] if column.table else [*tables][:1]
        )
        for owner in owners if isinstance(column.this, exp.Identifier) else ():
            columns[owner].setdefault(column.name.lower(), column.name)
    statements = []
    for name, own in columns.items():
        names = [*own.values()] or ["a", "b"]
        statements.append(f'create table "{name}"({", ".join(_quoted(each) for each in names)})')
        for row in ROWS:
            values = (row.split(", ") * (len(names) // 4 + 1))[: len(names)]
            statements.append(f'insert into "{name}" values ({", ".join(values)})')
    return (*statements, sql)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run(limit: int | None, folder: Path) -> tuple[Counter[str], list[str]]:
    """Runs the statements; the counts, and the reports of differences."""
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    reports = []
    shapes: Counter[str] = Counter()
    for dialect, text in texts():
        if limit is not None and counts["texts"] >= limit:
            break
        counts["texts"] += 1
        for sql in brought_over(dialect, text):
            if sql in seen or sql.lower().startswith(("attach", "detach", "vacuum")):
                continue
            seen.add(sql)
            counts["statements"] += 1
            case = Case(script_of(sql))
            found = is_wrong(case)
            if found is None or _is_apart(sql, found):
                continue
            finding = smallest(Finding(case, f"from {dialect or 'sqlglot'}", found), 10)
            counts["differences"] += 1
            shapes[shape(finding.case)] += 1
            if shapes[shape(finding.case)] == 1:
                reports.append(report(finding, "foreign", counts["texts"], folder))
    return counts, reports


_APART = re.compile(r"\b(random|randomblob|soundex|current_\w+)\b|'now'|^(update|delete)\b.*\b(limit|order by)\b", re.I)
"""What depends on the moment, or on an option of SQLite's build."""


def _is_apart(sql: str, found: Difference) -> bool:
    """Whether the difference is none of meaning: SQLite stops reading at a wrong name, minisql at the syntax error behind it."""
    theirs = found.theirs.error
    if _APART.search(sql) or theirs.startswith("unknown database"):
        return True
    return bool(theirs) and found.ours.error.startswith("near ") and not theirs.startswith("near ")


def main() -> int:
    """Fetches the statements and runs them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.foreign", description=__doc__)
    parser.add_argument("--limit", type=int, help="how many texts at most")
    parser.add_argument("--folder", type=Path, default=Path(".build/fuzz"))
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    fetch()
    counts, reports = run(options.limit, options.folder)
    print("\n".join(reports))
    print(
        f"{counts['texts']} texts of sqlglot {version('sqlglot')}, {counts['statements']} statements of SQLite's dialect, "
        f"{counts['differences']} differences ({len(reports)} cases written)"
    )
    return int(counts["differences"] > 0)


if __name__ == "__main__":
    sys.exit(main())
