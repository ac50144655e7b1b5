"""docs/corpus.md is made from docs/corpus.json, by the renderer of today, for the corpus of today."""

import importlib.util
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from sqllogictest.sources import find_files

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "corpus.json"
CORPUS = Path(os.environ.get("CORPUS", ROOT.parent / "shared" / "sqllogictest-corpus"))


def benchmark() -> ModuleType:
    specification = importlib.util.spec_from_file_location("corpus_benchmark", ROOT / "benchmarks" / "corpus.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


needs_page = pytest.mark.skipif(not DOCUMENT.exists(), reason="`make corpus` has not written docs/corpus.json yet")


@needs_page
def test_page_is_what_the_numbers_say() -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    assert (ROOT / "docs" / "corpus.md").read_text("utf-8") == benchmark().render(document)


@needs_page
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"there is no folder {CORPUS}")
def test_page_covers_the_whole_corpus() -> None:
    with tempfile.TemporaryDirectory() as folder:
        counts = Counter(file.group for file in find_files([str(CORPUS)], folder))
    groups = json.loads(DOCUMENT.read_text("utf-8"))["groups"]
    assert {group: numbers["minisql"]["files"] for group, numbers in groups.items() if group != "total"} == dict(counts)


def test_table_has_a_row_for_each_group_and_the_total() -> None:
    numbers = {"passed": 9, "failed": 1, "skipped": 2, "cpu_s": 2.0, "engine_s": 1.5, "failures": []}
    measured = [
        {"name": f"{group}/x.test", "group": group, "engines": {"minisql": numbers, "sqlite3": {**numbers, "cpu_s": 1.0}}}
        for group in ("select", "evidence")
    ]
    module = benchmark()
    document = {
        "versions": {"minisql": "1", "sqlite3": "2"},
        "python": "3",
        "choice": "all files",
        "groups": module.summarise(measured),
    }
    rows = [line.split(" | ") for line in module.render(document).splitlines() if line.startswith("| ")][2:]
    assert [(row[0], row[2], row[8]) for row in rows] == [
        ("| evidence", "10", "2.00"),
        ("| select", "10", "2.00"),
        ("| total", "20", "2.00"),
    ]


def test_thinned_file_keeps_statements_and_each_nth_query() -> None:
    text = b"statement ok\nCREATE TABLE t(a)\n\n" + b"query I nosort\nSELECT 1\n----\n1\n\n" * 10
    assert benchmark().thin_out(text, 5).count(b"query I") == 2
    assert benchmark().thin_out(text, 5).count(b"CREATE") == 1
    assert benchmark().thin_out(text, 1) == text
