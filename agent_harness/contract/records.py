"""The sqllogictest contract: records as cases, judged by the runner over the engine's own process.

A case's identity is a hash of (suite, the statements before it, its SQL, mode and expected text), so an edit anywhere before a
record gives it a new identity and a shifted line does not.  Evaluating a subset keeps all that has an effect, not the other
queries.  Two configurations can be under contract at once: in memory, and with a database file (small cache, reopened every
200 records, checked by the official integrity_check at the end); the second one's case ids end in "@file".
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

from agent_harness.contract.base import Brief, Case, CaseId, CaseResult, Evaluation, Triple
from agent_harness.contract.engine_links import EngineServer, Wrap
from agent_harness.contract.minimise import Minimiser
from agent_harness.contract.process_engine import EngineCrash, EngineRefusal, ProcessEngine
from agent_harness.contract.spectrum import Spectrum
from agent_harness.contract.sql_text import script_features
from agent_harness.errors import ConfigurationError, HarnessError
from sqllogictest import Failure, Record, RunOptions, format_records, parse_records, run_text

FILE_MARK = "@file"
SHOWN_ROWS = 40
CHANGES = re.compile(r"\b(?:insert|update|delete|replace)\b|^\s*(?:pragma|vacuum|begin|commit|create|drop)\b", re.I)
# A brief is for reading: so many failing and passing cases are traced for it, and so long is its case made smaller.
TRACED_FAILING = 4
TRACED_PASSING = 12
MINIMISE_S = 20.0
PACKAGE = Path(__file__).resolve().parent.parent
RUNNER = PACKAGE.parent / "sqllogictest"


class Suite:
    """One test file: its records and, per record that can be judged, its case."""

    __slots__ = ("cases", "name", "records", "text")

    def __init__(self, name: str, text: str, mark: str = "") -> None:
        self.name = name
        self.text = text
        self.records = parse_records(text)
        self.cases: dict[int, Case] = {}
        state = hashlib.sha256(name.encode())
        seen: Counter[str] = Counter()
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
            key = own.hexdigest()[:20]
            seen[key] += 1
            repeat = f"-{seen[key]}" if seen[key] > 1 else ""  # the same query twice in the same state is two cases
            title = " ".join(record.sql.split())[:200]
            self.cases[position] = Case(key + repeat + mark, name, record.line, title)
            if has_effect(record):
                state.update(record.sql.encode("utf-8", "surrogatepass") + b"\0")

    def reduced(self, wanted: Collection[CaseId]) -> tuple[str, dict[int, int]]:
        """The text with only the wanted queries (and what has an effect), and {line in that text: position in `records`}."""
        kept: list[int] = []
        for position, record in enumerate(self.records):
            case = self.cases.get(position)
            if record.kind != "query" or has_effect(record) or (case is not None and case.id in wanted):
                kept.append(position)
        text = format_records(self.records[position] for position in kept)
        lines = {record.line: position for record, position in zip(parse_records(text), kept, strict=True)}
        return text, lines

    def script_before(self, position: int) -> list[str]:
        """The statements before a record, then the record's own SQL."""
        earlier = self.records[:position]
        setup = [record.sql for record in earlier if has_effect(record) and not _is_skipped(record)]
        return [*setup, self.records[position].sql]


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
        wrap: Wrap | None = None,
        settings: str = "",
    ) -> None:
        """`settings` is whatever else belongs to the contract's hash (the gates' options).

        Raises ConfigurationError when a path has no test file or a configuration is unknown.
        """
        unknown = set(configurations) - {"memory", "file"}
        if unknown:
            raise ConfigurationError(f"contract configuration must be memory or file, not {', '.join(sorted(unknown))}")
        self._settings = settings
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

        self._suites_hash = _suites_hash(self.suites)
        self._places: dict[CaseId, tuple[Suite, int]] = {
            case.id: (suite, position) for _, suite in self.suites for position, case in suite.cases.items()
        }

    @property
    def engine_module(self) -> str:
        """The name of the module under contract."""
        return self._module

    def hash(self) -> str:
        """Over all suites' texts, the configurations, the time-out, the gates and the source of all that judges."""
        digest = hashlib.sha256(repr((self._configurations, self._timeout_s, self._module, self._settings)).encode())
        digest.update(self._suites_hash.encode())
        for folder in (PACKAGE / "contract", PACKAGE / "gates", RUNNER):
            for program in sorted(folder.glob("*.py")):
                digest.update(program.read_bytes())
        return digest.hexdigest()

    def cases(self) -> dict[CaseId, Case]:
        """All cases of all configurations."""
        return {case.id: case for _, suite in self.suites for case in suite.cases.values()}

    def script(self, case_id: CaseId) -> list[str]:
        """The statements of the suite before the case, then its own."""
        suite, position = self._places[case_id]
        return suite.script_before(position)

    def is_ordered(self, case_id: CaseId) -> bool:
        """Whether the case's expected rows come in a fixed order."""
        suite, position = self._places[case_id]
        return suite.records[position].sort == "nosort"

    def engine(self, checkout: Path, is_covered: bool = False, server: EngineServer | None = None) -> ProcessEngine:
        """The engine of a checkout in a process of its own, not yet open."""
        return ProcessEngine(checkout, self._module, self._timeout_s, is_covered, self._wrap, server)

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
            with EngineServer(checkout, self._module, self._wrap) as server:
                parts = own.map(lambda job: self._run_suite(job[0], job[1], checkout, wanted, timeout_s, server), jobs)
                for part, seconds in parts:
                    results.update(part)
                    cpu_seconds += seconds
        finally:
            if executor is None:
                own.shutdown()
        return Evaluation(str(checkout), self.hash(), results, cpu_seconds)

    def _run_suite(
        self,
        configuration: str,
        suite: Suite,
        checkout: Path,
        wanted: frozenset[CaseId] | None,
        timeout_s: float,
        server: EngineServer,
    ) -> tuple[dict[CaseId, CaseResult], float]:
        text, positions = suite.reduced(wanted) if wanted is not None else (suite.text, None)
        engine = self.engine(checkout, server=server)
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

    def coverage(self, checkout: Path, only: Collection[CaseId], *, timeout_s: float = 0.0) -> dict[CaseId, list[Triple]]:
        """Traces the wanted records, all others of their suites run at full speed; in memory, whatever the configuration.

        Cases that are not reached (the engine died before them, the time is over) are left out.
        """
        found: dict[CaseId, list[Triple]] = {}
        deadline = time.monotonic() + timeout_s if timeout_s else float("inf")
        for _, suite in self.suites:
            positions = {position for position, case in suite.cases.items() if case.id in only}
            if positions and time.monotonic() < deadline:
                found.update(self._trace(suite, positions, checkout, deadline))
        return found

    def _trace(self, suite: Suite, positions: set[int], checkout: Path, deadline: float) -> dict[CaseId, list[Triple]]:
        found: dict[CaseId, list[Triple]] = {}
        engine = self.engine(checkout, is_covered=True)
        try:
            engine.open(None)
            for position, record in enumerate(suite.records[: max(positions) + 1]):
                engine.is_covering = position in positions
                if time.monotonic() > deadline:
                    break
                if not record.sql or _is_skipped(record) or not (has_effect(record) or engine.is_covering):
                    continue
                engine.coverage = []
                with contextlib.suppress(EngineRefusal, EngineCrash):
                    engine.execute(record.sql)
                if engine.is_covering and engine.coverage:
                    found[suite.cases[position].id] = engine.coverage
        except EngineCrash:
            return found
        finally:
            engine.close()
        return found

    def brief(self, checkout: Path, results: list[CaseResult]) -> Brief:
        """The first result's script made small, SQLite's and the engine's answers, features and suspicious functions."""
        first = results[0]
        script = self.script(first.case.id)
        engine = self.engine(checkout)
        minimiser = Minimiser(engine, MINIMISE_S)
        try:
            small, expected, actual = minimiser.minimise(script)
        finally:
            engine.close()
        is_alone = minimiser.has_failed_alone
        return Brief(
            tuple(result.case.id for result in results),
            ";\n".join(sql.strip().rstrip(";") for sql in small) + ";",
            expected.text() if is_alone else first.expected,
            actual.text() if is_alone else first.actual,
            first.error,
            tuple(sorted(script_features(small))),
            tuple(self.spectrum(checkout, results).suspects([first.error])),
        )

    def spectrum(self, checkout: Path, results: Sequence[CaseResult]) -> Spectrum:
        """Ochiai scores of a few of the failing results against passing neighbours in their suites."""
        failing = [result.case.id for result in results[:TRACED_FAILING]]
        passing = self._neighbours(failing, checkout)
        traced = self.coverage(checkout, {*failing, *passing}, timeout_s=60.0)
        return Spectrum([traced[id_] for id_ in failing if id_ in traced], [traced[id_] for id_ in passing if id_ in traced])

    def _neighbours(self, failing: Sequence[CaseId], checkout: Path) -> list[CaseId]:
        """Passing queries of the same suites, nearest first."""
        near: list[CaseId] = []
        for id_ in failing:
            suite, position = self._places[id_]
            others = [place for place in suite.cases if suite.records[place].kind == "query" and place != position]
            others.sort(key=lambda place: (abs(place - position), place))
            near += [suite.cases[place].id for place in others[: 2 * TRACED_PASSING // len(failing)]]
        wanted = frozenset(near) - frozenset(failing)
        if not wanted:
            return []
        passed = self.evaluate(checkout, wanted).pass_set()
        return [id_ for id_ in dict.fromkeys(near) if id_ in passed][:TRACED_PASSING]

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


def has_effect(record: Record) -> bool:
    """Whether later records may depend on this one: a statement, or a query that changes something (RETURNING, a pragma)."""
    return record.kind == "statement" or (record.kind == "query" and CHANGES.search(record.sql) is not None)


def _suites_hash(suites: Sequence[tuple[str, Suite]]) -> str:
    digest = hashlib.sha256()
    for _, suite in suites:
        digest.update(suite.name.encode() + b"\0" + suite.text.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


def _is_skipped(record: Record) -> bool:
    return any((condition.engine.lower() == "sqlite") != condition.is_only for condition in record.conditions)


def _passed(case: Case) -> CaseResult:
    return CaseResult(case, True)


def _failed(case: Case, failure: Failure) -> CaseResult:
    reason = failure.reason
    if "stopped by the guard" in reason:
        stage = "guard"
    elif "the engine cannot be imported" in reason:
        stage = "import"
    elif reason.startswith("crash: "):
        stage = "timeout" if "timed out" in reason else "crash"
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
