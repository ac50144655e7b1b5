"""What lies in the repository: nothing of the machine it was made on, nothing in the root that a visitor does not need."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKPLACE = re.compile(rb"/" + rb"work/|/" + rb"root/|/" + rb"home/[a-z]")
ROOT_ENTRIES = {
    ".ci", ".gitignore", ".pre-commit-config.yaml", ".github", "ARCHITECTURE.md", "CHANGELOG.md", "COMPAT.md", "CONTRIBUTING.md",
    "LICENSE", "Makefile", "README.md", "agent_harness", "benchmarks", "docs", "minisql", "minisql_sqlalchemy", "pyproject.toml", "sqllogictest", "tests",
}  # fmt: skip


def tracked_files() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.decode().split("\0") if name]


def test_no_file_names_the_machine_it_was_made_on() -> None:
    named = [name for name in tracked_files() if (ROOT / name).is_file() and WORKPLACE.search((ROOT / name).read_bytes())]
    assert named == []


def test_root_holds_only_what_a_visitor_needs() -> None:
    assert {name.partition("/")[0] for name in tracked_files()} - ROOT_ENTRIES == set()


def test_python_files_of_the_packages_are_text_with_one_newline_at_the_end() -> None:
    odd = []
    for name in tracked_files():
        path = ROOT / name
        if path.suffix == ".py" and path.is_file():
            data = path.read_bytes()
            if data and (not data.endswith(b"\n") or data.endswith(b"\n\n") or b"\r" in data or b"\t" in data):
                odd.append(name)
    assert odd == []
