"""What a run has to say: failures for people, the score, and JSON and JUnit XML for programs.

In come FileResults, out goes text. A failure shows `file:line`, the reason, the SQL, and the expected and actual values side
by side, beginning a little before the first difference. The last line of a run is always the score: `N passed, N failed`.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from xml.etree import ElementTree

from sqllogictest.runner import Failure, FileResult

SHOWN_VALUES = 20
COLUMN_WIDTH = 40


@dataclass
class Score:
    """Totals over files."""

    n_files: int = 0
    n_passed: int = 0
    n_failed: int = 0
    n_skipped: int = 0
    cpu_s: float = 0.0

    def line(self) -> str:
        """Return the score as the last line of a run shows it."""
        skipped = f", {self.n_skipped} skipped" if self.n_skipped else ""
        return f"{self.n_passed} passed, {self.n_failed} failed{skipped}"


def total(results: Iterable[FileResult]) -> Score:
    """Return the totals of these results."""
    score = Score()
    for result in results:
        score.n_files += 1
        score.n_passed += result.n_passed
        score.n_failed += result.n_failed
        score.n_skipped += result.n_skipped
        score.cpu_s += result.cpu_s
    return score


def format_failure(failure: Failure) -> str:
    """Return the paragraph that shows a failure."""
    lines = [f"{failure.file}:{failure.line}: {failure.kind}: {failure.reason}"]
    lines += ["    " + line for line in failure.sql.split("\n")] if failure.sql else []
    if failure.expected or failure.actual:
        lines += side_by_side(failure.expected, failure.actual)
    return "\n".join(lines)


def side_by_side(expected: Sequence[str], actual: Sequence[str]) -> list[str]:
    """Return two columns of values with `|` between equal ones and `!` where they differ."""
    n_lines = max(len(expected), len(actual))
    pairs = [(_at(expected, i), _at(actual, i)) for i in range(n_lines)]
    first = next((i for i, (left, right) in enumerate(pairs) if left != right), 0)
    start = max(0, first - 3)
    shown = pairs[start : start + SHOWN_VALUES]
    width = min(COLUMN_WIDTH, max([len("expected"), *(len(left or "") for left, _ in shown)]))
    lines = [f"    {'expected':<{width}}   actual"]
    if start:
        lines.append(f"    ... {start} equal values")
    for left, right in shown:
        mark = "|" if left == right else "!"
        lines.append(f"    {_cut(left, width):<{width}} {mark} {_cut(right, 4 * COLUMN_WIDTH)}".rstrip())
    if start + SHOWN_VALUES < n_lines:
        lines.append(f"    ... {n_lines - start - SHOWN_VALUES} more")
    return lines


def _at(values: Sequence[str], index: int) -> str | None:
    return values[index] if index < len(values) else None


def _cut(value: str | None, width: int) -> str:
    text = value or ""
    return text if len(text) <= width else text[: width - 3] + "..."


def format_slowest(results: Sequence[FileResult], count: int) -> str:
    """Return a table of the files that took longest."""
    slowest = sorted(results, key=lambda result: -result.wall_s)[:count]
    lines = [f"{result.wall_s:9.3f} s  {result.cpu_s:9.3f} s CPU  {result.name}" for result in slowest]
    return "\n".join(["slowest files:", *lines])


def to_json(results: Sequence[FileResult], engine: str, version: str) -> str:
    """Return everything about a run as a JSON document."""
    score = total(results)
    document = {
        "engine": engine,
        "engine_version": version,
        **asdict(score),
        "files": [asdict(result) for result in sorted(results, key=lambda result: result.name)],
    }
    return json.dumps(document, indent=1)


def to_junit(results: Sequence[FileResult], engine: str) -> str:
    """Return JUnit XML: a test suite for each file, with a case for the file and one for each failure that was kept."""
    root = ElementTree.Element("testsuites", name=f"sqllogictest {engine}")
    for result in sorted(results, key=lambda result: result.name):
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=result.name,
            tests=str(result.n_executed + result.n_skipped),
            failures=str(result.n_failed),
            skipped=str(result.n_skipped),
            time=f"{result.wall_s:.3f}",
        )
        ElementTree.SubElement(suite, "testcase", classname=engine, name=result.name, time=f"{result.wall_s:.3f}")
        for failure in result.failures:
            case = ElementTree.SubElement(
                suite, "testcase", classname=result.name, name=f"line {failure.line}", file=result.name
            )
            case.set("line", str(failure.line))
            text = ElementTree.SubElement(case, "failure", message=_xml_text(failure.reason))
            text.text = _xml_text(format_failure(failure))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _xml_text(text: str) -> str:
    """Return text without the characters that XML 1.0 cannot hold."""
    return "".join(
        letter if letter in "\t\n\r" or (letter >= " " and not 0xD800 <= ord(letter) <= 0xDFFF) else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
