"""Takes FULL JOIN out of the engine, and records the two attempts that put it back.

`python -m tests.harness.feature_removal` writes recordings/full_join/{removal,1,2}.diff anew from the edits below; to be run when
the engine's code at these places has changed.  Attempt 1 restores the parser only, so that FULL JOIN works as RIGHT JOIN;
attempt 2 is whole.
"""

import json
import shutil
from pathlib import Path

from tests.harness.toy import git

ROOT = Path(__file__).resolve().parents[2]
RECORDING = Path(__file__).with_name("recordings") / "full_join"
PARSER = ("minisql/parser/select.py", '    "FULL": JOIN_LEFT | JOIN_RIGHT | JOIN_OUTER,\n', "")
REMOVAL = (
    PARSER,
    (
        "minisql/parser/writer.py",
        '    if flags & ast.JOIN_LEFT and flags & ast.JOIN_RIGHT:\n        return words + "FULL "\n',
        "",
    ),
    (
        "minisql/planner/nested_code.py",
        "    is_full = bool(right.join_flags & ast.JOIN_LEFT)\n"
        "    emit_right_join(compiler, accesses, terms, left, right, rows, is_full)\n",
        "    emit_right_join(compiler, accesses, terms, left, right, rows)\n",
    ),
    ("minisql/planner/loops.py", "    rows: int,\n    is_full: bool,\n", "    rows: int,\n"),
    ("minisql/planner/loops.py", "`left RIGHT JOIN right` (FULL with `is_full`) in", "`left RIGHT JOIN right` in"),
    (
        "minisql/planner/loops.py",
        '            suffix = " LEFT-JOIN" if is_full else ""\n            compiler.explain(f"SCAN {source_name(compiler, right)}{suffix}")\n',
        '            compiler.explain(f"SCAN {source_name(compiler, right)}")\n',
    ),
    (
        "minisql/planner/loops.py",
        "        if is_full:\n"
        "            found = compiler.label()\n"
        "            compiler.emit(op.If, has_partner, found, 0)\n"
        "            left_values = [register for made in left for register in row_values(compiler, made)]\n"
        "            compiler.emit(op.ListAppend, rows, 0, 0, (*left_values, *([null] * len(row))))\n"
        "            compiler.place(found)\n",
        "",
    ),
)
CONFIGURATION = """\
[contract]
paths = ["tests/slt/joins"]

[loop]
builders = 1

[limits]
task_attempts = 3

[gates.performance]
pairs = 1
tolerance = 2.0
part_tolerance = 3.0

[roles]
build = ["replay"]

[backends.replay]
folder = "{folder}"
"""


def make_clone(folder: Path) -> Path:
    """A repository of its own with the engine and the join suites as they are now."""
    clone = folder / "clone"
    for part in ("minisql", "tests/slt/joins"):
        shutil.copytree(ROOT / part, clone / part, ignore=shutil.ignore_patterns("__pycache__"))
    (clone / "agent-harness.toml").write_text(CONFIGURATION.format(folder=RECORDING))
    git(folder, "init", "--quiet", "--initial-branch=main", str(clone))
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "the engine")
    return clone


def edit(clone: Path, edits: tuple[tuple[str, str, str], ...]) -> str:
    """Makes the edits and returns them as a patch with little context."""
    for path, old, new in edits:
        file = clone / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} has changed: adapt tests/harness/feature_removal.py"
        file.write_text(text.replace(old, new), encoding="utf-8")
    return git(clone, "diff", "-U2", "--no-color")


def record(folder: Path) -> None:
    """Writes the three patches."""
    clone = make_clone(folder)
    RECORDING.mkdir(parents=True, exist_ok=True)
    (RECORDING / "removal.diff").write_text(edit(clone, REMOVAL))
    git(clone, "commit", "--quiet", "-a", "--message", "without FULL JOIN")
    (RECORDING / "2.diff").write_text(git(clone, "diff", "-U2", "--no-color", "HEAD", "HEAD~1"))
    git(clone, "checkout", "--quiet", "HEAD~1", "--", PARSER[0])
    (RECORDING / "1.diff").write_text(git(clone, "diff", "-U2", "--no-color", "HEAD"))
    for number, message in ((1, "The parser knows FULL again."), (2, "FULL JOIN keeps the left rows without a partner.")):
        usage = {"input_uncached": 0, "cache_read": 0, "cache_write": 0, "output": 0, "requests": 1, "cost_usd": None}
        (RECORDING / f"{number}.json").write_text(json.dumps({"usage": usage, "message": message}, indent=1) + "\n")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        record(Path(scratch))
