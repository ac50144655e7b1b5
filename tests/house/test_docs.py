"""The examples of the documentation are run."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md") if ">>> " in path.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_examples_of(page: str) -> None:
    test = doctest.DocTestParser().get_doctest((ROOT / page).read_text("utf-8"), {}, page, page, 0)
    assert len(test.examples) > 5
    out: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test, out=out.append).failed == 0, "".join(out)


def test_every_page_is_in_the_index() -> None:
    """`make docs` fails for a page that no list of contents names."""
    index = (ROOT / "docs" / "index.md").read_text("utf-8").splitlines()
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} <= set(index)


def test_install_replaces_the_standard_module() -> None:
    text = (ROOT / "docs" / "moving-from-sqlite3.md").read_text("utf-8")
    program = next(block for block in text.split("```") if "minisql.install()" in block and block.startswith("python\n"))
    done = subprocess.run([sys.executable, "-c", program.removeprefix("python\n")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
