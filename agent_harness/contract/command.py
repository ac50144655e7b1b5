"""The second contract kind: a command that writes a verdict per case as JUnit XML (pytest, and most test runners, can).

The command runs in a scratch copy of the checkout over which the protected files of the trusted source are laid, so that a
change cannot bring its own tests; the placeholder {report} in it is the path of the XML file.  A case is a test's class and
name; its identity also covers the content of the trusted tests.  A run that writes no report, or breaks off, passes nothing.
`{cases}` in the command, if it is there, is replaced by the names of the wanted cases (one argument each, in the form
`file::name` where the report has files), so that a few cases cost less than all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Sequence
from pathlib import Path

from agent_harness.backends.process import allowed_environment
from agent_harness.contract.base import Brief, Case, CaseId, CaseResult, Evaluation, Triple
from agent_harness.errors import ConfigurationError, HarnessError

LARGEST_REPORT = 64 << 20
SHOWN_CHARACTERS = 4000
NOT_COPIED = shutil.ignore_patterns(".git", "__pycache__", "*.pyc", ".pytest_cache", ".agent-harness", ".venv", "node_modules")


class CommandContract:
    """A Contract over a command.  `trusted` are the path prefixes that always come from `source` (tests, configuration)."""

    kind = "command"

    def __init__(
        self,
        source: Path,
        command: Sequence[str],
        report: str = "junit.xml",
        trusted: Sequence[str] = ("tests/",),
        timeout_s: float = 1800.0,
        settings: str = "",
    ) -> None:
        """Raises ConfigurationError when there is no command or its program cannot be found."""
        if not command:
            raise ConfigurationError("contract.command: must be given for the kind command")
        if not (shutil.which(command[0]) or (source / command[0]).exists()):
            raise ConfigurationError(f"contract.command: program not found: {command[0]}")
        self._source = source
        self._command = tuple(command)
        self._report = report
        self._trusted = tuple(prefix.rstrip("/") for prefix in trusted)
        self._timeout_s = timeout_s
        self._settings = settings
        self._trusted_hash = self._hash_of_trusted()
        self._cases: dict[CaseId, Case] | None = None
        self._names: dict[CaseId, str] = {}

    def _hash_of_trusted(self) -> str:
        digest = hashlib.sha256()
        for path in self._trusted_files(self._source):
            digest.update(path.encode() + b"\0" + (self._source / path).read_bytes() + b"\0")
        return digest.hexdigest()

    def _trusted_files(self, root: Path) -> list[str]:
        found: list[str] = []
        for prefix in self._trusted:
            top = root / prefix
            files = top.rglob("*") if top.is_dir() else [top]
            found += [str(path.relative_to(root)) for path in files if path.is_file() and "__pycache__" not in path.parts]
        return sorted(set(found))

    def hash(self) -> str:
        """Over the command, the trusted files, the gates' settings and this module."""
        digest = hashlib.sha256(repr((self._command, self._report, self._trusted, self._timeout_s, self._settings)).encode())
        digest.update(self._hash_of_trusted().encode())
        for folder in ("contract", "gates"):
            for program in sorted((Path(__file__).parent.parent / folder).glob("*.py")):
                digest.update(program.read_bytes())
        return digest.hexdigest()

    def cases(self) -> dict[CaseId, Case]:
        """The cases that the command reports on the source; run once."""
        if self._cases is None:
            self._cases = {id_: result.case for id_, result in self.evaluate(self._source).results.items()}
        return dict(self._cases)

    def evaluate(self, checkout: Path, only: Collection[CaseId] | None = None, *, timeout_s: float = 0.0) -> Evaluation:
        """Runs the command on a copy of the checkout.  Raises HarnessError when it reports nothing."""
        with tempfile.TemporaryDirectory(prefix="contract-") as folder:
            tree = Path(folder) / "tree"
            shutil.copytree(checkout, tree, symlinks=True, ignore=NOT_COPIED)
            self._lay_trusted(tree)
            report = Path(folder) / self._report
            seconds, end = self._run(tree, report, only, timeout_s or self._timeout_s)
            results = self._read(report, end)
        if not results:
            raise HarnessError(f"the contract's command reported no case ({end})")
        if only is not None:
            results = {id_: result for id_, result in results.items() if id_ in only}
        return Evaluation(str(checkout), self.hash(), results, seconds)

    def _lay_trusted(self, tree: Path) -> None:
        """Trusted files as in the source: theirs replace what the tree has, and what only the tree has goes."""
        for path in self._trusted_files(tree):
            (tree / path).unlink()
        for path in self._trusted_files(self._source):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._source / path, tree / path)

    def _run(self, tree: Path, report: Path, only: Collection[CaseId] | None, timeout_s: float) -> tuple[float, str]:
        command: list[str] = []
        for word in self._command:
            if word == "{cases}":
                command += sorted({self._names[id_] for id_ in only if id_ in self._names}) if only is not None else []
            else:
                command.append(word.replace("{report}", str(report)))
        (tree / self._report).unlink(missing_ok=True)  # one that came with the tree says nothing
        before = os.times()
        try:
            process = subprocess.Popen(
                command,
                cwd=tree,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=allowed_environment(settings={"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}),
                start_new_session=True,
            )
        except OSError as error:
            raise HarnessError(f"contract.command: {command[0]}: {error.strerror}") from error
        end = _wait(process, time.monotonic() + timeout_s)
        after = os.times()
        if not report.exists() and (tree / self._report).is_file():
            shutil.copyfile(tree / self._report, report)
        return after.children_user + after.children_system - before.children_user - before.children_system, end

    def _read(self, report: Path, end: str) -> dict[CaseId, CaseResult]:
        """The verdicts of a report.  Raises HarnessError if it is missing, too large or no XML."""
        if not report.is_file() or report.is_symlink():
            raise HarnessError(f"the contract's command wrote no report ({end})")
        text = report.read_bytes() if report.stat().st_size <= LARGEST_REPORT else b""
        if not text or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            raise HarnessError("the contract's report cannot be read")
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            raise HarnessError(f"the contract's report is not XML: {error}") from error
        results: dict[CaseId, CaseResult] = {}
        for node in root.iter("testcase"):
            result = self._verdict(node)
            if result is None:
                continue
            earlier = results.get(result.case.id)
            results[result.case.id] = result if earlier is None or earlier.passed else earlier
        return results

    def _verdict(self, node: ElementTree.Element) -> CaseResult | None:
        suite, name = node.get("classname") or node.get("file") or "", node.get("name") or ""
        if node.find("skipped") is not None:
            return None  # neither passed nor failed: not executed, so the count of executed cases goes down
        digest = hashlib.sha256(f"{self._trusted_hash}\0{suite}\0{name}".encode())
        id_ = digest.hexdigest()[:20]
        self._names[id_] = _selector(node, suite, name)
        case = Case(id_, suite, int(node.get("line") or 0), f"{suite}::{name}")
        seconds = float(node.get("time") or 0.0)
        problem = next((child for child in node if child.tag in ("failure", "error")), None)
        if problem is None:
            return CaseResult(case, True, seconds=seconds)
        message = (problem.get("message") or "").strip()
        detail = (problem.text or "").strip()[-SHOWN_CHARACTERS:]
        return CaseResult(case, False, problem.tag, message.splitlines()[0] if message else problem.tag, "", detail, seconds)

    def brief(self, checkout: Path, results: list[CaseResult]) -> Brief:
        """The first failure's own text; there is no script to make smaller."""
        first = results[0]
        return Brief(
            tuple(result.case.id for result in results),
            first.case.title,
            "the test passes",
            first.actual,
            first.error,
            tuple(sorted({result.case.suite for result in results})),
        )

    def script(self, case_id: CaseId) -> list[str]:
        """None: such a case has no statements."""
        return []

    def coverage(self, checkout: Path, only: Collection[CaseId], *, timeout_s: float = 0.0) -> dict[CaseId, list[Triple]]:
        """Nothing: another project's runner is not traced."""
        return {}


def _selector(node: ElementTree.Element, suite: str, name: str) -> str:
    """What pytest takes on its command line for the case: file::Class::name."""
    file = node.get("file")
    if file:
        return f"{file}::{name}"
    parts = suite.split(".")
    classes = [part for part in parts if part[:1].isupper()]
    modules = [part for part in parts if not part[:1].isupper()]
    return "::".join(["/".join(modules) + ".py", *classes, name])


def _wait(process: subprocess.Popen[bytes], deadline: float) -> str:
    """Waits for the whole process group; returns how it ended."""
    try:
        code = process.wait(max(0.1, deadline - time.monotonic()))
        return f"exit status {code}"
    except subprocess.TimeoutExpired:
        return "timed out"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
