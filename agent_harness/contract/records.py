"""The sqllogictest contract: records as cases, judged by the runner over the engine's own process.

A case's identity is a hash of (suite, the statements before it, its SQL, mode and expected text), so an edit anywhere before a
record gives it a new identity and a shifted line does not.  Evaluating a subset keeps all statements and drops the other
queries.  Two configurations can be under contract at once: in memory, and with a database file (small cache, reopened every
200 records, checked by the official integrity_check at the end); the second one's case ids end in "@file".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

from agent_harness.contract.base import Case, CaseId, CaseResult, Evaluation
from agent_harness.contract.process_engine import ProcessEngine
from agent_harness.errors import ConfigurationError, HarnessError
from sqllogictest import Failure, Record, RunOptions, format_records, parse_records, run_text

FILE_MARK = "@file"
SHOWN_ROWS = 40


class Suite:
    """One test file: its records and, per record that can be judged, its case."""

    __slots__ = ("cases", "name", "records", "text")

    def __init__(self, name: str, text: str, mark: str = "") -> None:
        self.name = name
        self.text = text
        self.records = parse_records(text)
        self.cases: dict[int, Case] = {}
        state = hashlib.sha256(name.encode())
        for position, record in enumerate(self.records):
            if record.kind == "halt":
                break
            if record.kind not in ("statement", "query"):
                state.update(f"{record.kind}\0{record.expected}\0".encode())
                continue
            own = state.copy()
            own.update(
                "\0".join((record.kind, record.sql, record.types, record.sort, record.expected or "")).encode(
                    "utf-8", "replace"
                )
            )
            title = " ".join(record.sql.split())[:200]
            self.cases[position] = Case(own.hexdigest()[:20] + mark, name, record.line, title)
            if record.kind == "statement":
                state.update(record.sql.encode("utf-8", "surrogatepass") + b"\0")

    def reduced(self, wanted: Collection[CaseId]) -> tuple[str, dict[int, int]]:
        """The text with only the wanted queries (and all statements), and {line in that text: position in `records`}."""
        kept: list[int] = []
        for position, record in enumerate(self.records):
            case = self.cases.get(position)
            if record.kind != "query" or (case is not None and case.id in wanted):
                kept.append(position)
        text = format_records(self.records[position] for position in kept)
        lines = {record.line: position for record, position in zip(parse_records(text), kept, strict=True)}
        return text, lines


class RecordsContract:
    """A Contract over sqllogictest suites.

    `paths` are files or folders below the checkout's root or absolute; suites are read once from `source` (the trusted copy),
    never from the tree under judgement.
    """

    kind = "sqllogictest"

    def __init__(
        self,
        source: Path,
        paths: Sequence[str],
        configurations: Sequence[str] = ("memory",),
        jobs: int = 2,
        record_timeout_s: float = 20.0,
        module: str = "minisql",
        wrap: Callable[[Sequence[str], Path], list[str]] | None = None,
    ) -> None:
        """Raises ConfigurationError when a path has no test file or a configuration is unknown."""
        unknown = set(configurations) - {"memory", "file"}
        if unknown:
            raise ConfigurationError(f"contract configuration must be memory or file, not {', '.join(sorted(unknown))}")
        self._configurations = tuple(configurations)
        self._jobs = max(1, jobs)
        self._timeout_s = record_timeout_s
        self._module = module
        self._wrap = wrap
        self.suites: list[tuple[str, Suite]] = []
        for file in _find(source, paths):
            text = file.read_text(encoding="utf-8", errors="surrogateescape")
            name = str(file.relative_to(source)) if file.is_relative_to(source) else str(file)
            for configuration in self._configurations:
                self.suites.append((configuration, Suite(name, text, FILE_MARK if configuration == "file" else "")))

    def hash(self) -> str:
        """Over all suites' texts, the configurations, the time-out and the runner's own source."""
        digest = hashlib.sha256(repr((self._configurations, self._timeout_s, self._module)).encode())
        for _, suite in self.suites:
            digest.update(suite.name.encode() + b"\0" + suite.text.encode("utf-8", "surrogateescape"))
        for program in sorted(Path(__file__).parent.glob("*.py")):
            digest.update(program.read_bytes())
        return digest.hexdigest()

    def cases(self) -> dict[CaseId, Case]:
        """All cases of all configurations."""
        return {case.id: case for _, suite in self.suites for case in suite.cases.values()}

    def evaluate(
        self,
        checkout: Path,
        only: Collection[CaseId] | None = None,
        *,
        timeout_s: float = 0.0,
        executor: Executor | None = None,
    ) -> Evaluation:
        """Runs the suites on the engine in `checkout`, in parallel.  Raises HarnessError when no case could be run."""
        wanted = None if only is None else frozenset(only)
        jobs = [
            (configuration, suite)
            for configuration, suite in self.suites
            if wanted is None or any(case.id in wanted for case in suite.cases.values())
        ]
        if not jobs:
            raise HarnessError("the contract has no case to run")
        results: dict[CaseId, CaseResult] = {}
        cpu_seconds = 0.0
        own = executor or ThreadPoolExecutor(self._jobs)
        try:
            parts = own.map(lambda job: self._run_suite(job[0], job[1], checkout, wanted, timeout_s), jobs)
            for part, seconds in parts:
                results.update(part)
                cpu_seconds += seconds
        finally:
            if executor is None:
                own.shutdown()
        return Evaluation(str(checkout), self.hash(), results, cpu_seconds)

    def _run_suite(
        self, configuration: str, suite: Suite, checkout: Path, wanted: frozenset[CaseId] | None, timeout_s: float
    ) -> tuple[dict[CaseId, CaseResult], float]:
        text, positions = suite.reduced(wanted) if wanted is not None else (suite.text, None)
        engine = ProcessEngine(checkout, self._module, self._timeout_s, wrap=self._wrap)
        options = RunOptions(
            is_database_file=configuration == "file",
            record_timeout_s=self._timeout_s,
            file_timeout_s=timeout_s or 3600.0,
            max_failures=1_000_000_000,
        )
        outcome = run_text(text, engine, options, suite.name)
        failures = {failure.line: failure for failure in outcome.failures}
        whole = next((failure for failure in outcome.failures if failure.kind in ("file", "close", "integrity")), None)
        return self._verdicts(suite, failures, whole, positions, wanted), engine.cpu_seconds

    def _verdicts(
        self,
        suite: Suite,
        failures: dict[int, Failure],
        whole: Failure | None,
        positions: dict[int, int] | None,
        wanted: frozenset[CaseId] | None,
    ) -> dict[CaseId, CaseResult]:
        line_of = {position: line for line, position in positions.items()} if positions is not None else {}
        verdicts: dict[CaseId, CaseResult] = {}
        for position, case in suite.cases.items():
            record = suite.records[position]
            if _is_skipped(record) or (wanted is not None and case.id not in wanted):
                continue
            failure = failures.get(line_of.get(position, record.line) if positions is not None else record.line)
            # A file that could not be opened, closed whole or found undamaged fails with every record in it.
            failure = failure or whole
            verdicts[case.id] = _passed(case) if failure is None else _failed(case, failure)
        return verdicts


def _is_skipped(record: Record) -> bool:
    return any((condition.engine.lower() == "sqlite") != condition.is_only for condition in record.conditions)


def _passed(case: Case) -> CaseResult:
    return CaseResult(case, True)


def _failed(case: Case, failure: Failure) -> CaseResult:
    reason = failure.reason
    if reason.startswith("crash: "):
        stage = "timeout" if "timed out" in reason else "guard" if "stopped by the guard" in reason else "crash"
    elif reason == "timed out":
        stage = "timeout"
    elif reason.startswith("error: "):
        stage = "prepare"
    elif failure.kind in ("file", "close", "integrity"):
        stage = failure.kind
    else:
        stage = "compare"
    expected = "\n".join(failure.expected[:SHOWN_ROWS])
    actual = "\n".join(failure.actual[:SHOWN_ROWS])
    return CaseResult(case, False, stage, reason, expected, actual)


def _find(source: Path, paths: Iterable[str]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        full = source / path
        found = sorted(p for p in full.rglob("*") if p.suffix in (".slt", ".test")) if full.is_dir() else [full]
        if not found or not all(file.is_file() for file in found):
            raise ConfigurationError(f"contract: no .slt or .test file at {path}")
        files.extend(found)
    return files
