"""The contract over records: identities, both configurations, subsets, coverage, briefs and clusters."""

from pathlib import Path

import pytest

from agent_harness.contract.base import CaseResult
from agent_harness.contract.clusters import cluster, difference, normalise_error
from agent_harness.contract.configured import make_contract
from agent_harness.contract.records import RecordsContract, Suite
from agent_harness.contract.spectrum import Spectrum
from agent_harness.errors import ConfigurationError, HarnessError
from tests.harness.scratch import FAULTY, SUITE, Scratch, plant


def ids_of(text: str) -> dict[str, str]:
    return {case.title: case.id for case in Suite("s.slt", text).cases.values()}


def test_identity_survives_a_shifted_line_and_dies_with_any_edit() -> None:
    before = ids_of(SUITE)
    assert ids_of("# one more comment\n\n" + SUITE) == before
    edited = ids_of(SUITE.replace("(1,-7,'Oslo')", "(1,-8,'Oslo')"))
    title = "SELECT parcel_id, abs(weight) FROM parcels ORDER BY parcel_id"
    assert edited[title] != before[title]
    assert edited["CREATE TABLE parcels(parcel_id INTEGER PRIMARY KEY, weight INTEGER, city TEXT)"] in before.values()
    assert ids_of(SUITE.replace("1\n7\n", "1\n8\n"))[title] != before[title]


def test_same_query_twice_is_two_cases() -> None:
    cases = Suite("s.slt", SUITE).cases.values()
    assert len({case.id for case in cases}) == len(cases)
    assert sum(case.title == "SELECT max(weight) FROM parcels" for case in cases) == 2


def test_failing_records_show_expected_and_actual_rows(scratch: Scratch) -> None:
    failing = scratch.evaluation.failing()
    assert [result.case.line for result in failing] == sorted(result.case.line for result in failing)
    assert len(failing) == 3 and len(scratch.evaluation.results) == 10
    assert failing[0].stage == "compare"
    assert failing[0].expected.splitlines()[1] == "7"
    assert failing[0].actual.splitlines()[1] == "-7"


def test_both_configurations_are_under_contract(scratch: Scratch) -> None:
    contract = RecordsContract(scratch.root, ["tests/slt"], ("memory", "file"), jobs=1)
    evaluation = contract.evaluate(scratch.root)
    memory = {id_ for id_ in evaluation.pass_set() if not id_.endswith("@file")}
    file = {id_.removesuffix("@file") for id_ in evaluation.pass_set() if id_.endswith("@file")}
    assert memory == file == scratch.evaluation.pass_set()
    assert contract.hash() != scratch.contract.hash()


SPOILING_ENGINE = """
class Error(Exception):
    pass


class Cursor:
    description, rowcount = None, 0

    def execute(self, sql, parameters=()):
        return self

    def fetchall(self):
        return []


class Connection:
    in_transaction = False

    def __init__(self, path):
        self.path = path

    def cursor(self):
        return Cursor()

    def close(self):
        with open(self.path, "wb") as file:
            file.write(b"SQLite format 3" + bytes(5000))


def connect(path, isolation_level=None):
    return Connection(path)
"""


def test_damaged_file_fails_every_record_of_its_suite(tmp_path: Path) -> None:
    (tmp_path / "spoiling.py").write_text(SPOILING_ENGINE)
    (tmp_path / "s.slt").write_text("statement ok\nCREATE TABLE t(x)\n\nstatement ok\nINSERT INTO t VALUES (1)\n")
    contract = RecordsContract(tmp_path, ["s.slt"], ("file",), module="spoiling")
    evaluation = contract.evaluate(tmp_path)
    assert len(evaluation.results) == 2 and not evaluation.pass_set()
    assert {result.stage for result in evaluation.failing()} == {"integrity"}


def test_subset_runs_only_what_is_asked(scratch: Scratch) -> None:
    wanted = scratch.targets[1:2]
    evaluation = scratch.contract.evaluate(scratch.root, wanted)
    assert tuple(evaluation.results) == wanted
    with pytest.raises(HarnessError, match="no case to run"):
        scratch.contract.evaluate(scratch.root, ["unknown"])


def test_engine_that_cannot_be_imported_fails_every_record(scratch: Scratch, tmp_path: Path) -> None:
    def spoil(checkout: Path) -> None:
        (checkout / "minisql" / "__init__.py").write_text("import nothing_of_that_name\n")

    workspace = scratch.workspace(tmp_path / "work", spoil)
    evaluation = scratch.contract.evaluate(workspace.path)
    assert not evaluation.pass_set() and len(evaluation.results) == 10
    assert {result.stage for result in evaluation.failing()} == {"import"}


def test_hash_moves_with_records_configurations_and_gate_settings(scratch: Scratch, tmp_path: Path) -> None:
    same = RecordsContract(scratch.root, ["tests/slt"], jobs=2)
    assert same.hash() == RecordsContract(scratch.root, ["tests/slt"], jobs=1).hash()
    assert same.hash() != RecordsContract(scratch.root, ["tests/slt"], settings="x").hash()
    other = tmp_path / "tests"
    other.mkdir()
    (other / "parcels.slt").write_text(SUITE + "\nstatement ok\nDROP TABLE parcels\n")
    assert RecordsContract(tmp_path, ["tests"]).hash() != RecordsContract(scratch.root, ["tests/slt"]).hash()


def test_unknown_configuration_or_empty_folder_is_refused(scratch: Scratch, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="memory or file"):
        RecordsContract(scratch.root, ["tests/slt"], ("tape",))
    with pytest.raises(ConfigurationError, match=r"no \.slt or \.test file"):
        RecordsContract(tmp_path, ["."])


def test_coverage_names_the_lines_that_a_record_runs(scratch: Scratch) -> None:
    traced = scratch.contract.coverage(scratch.root, scratch.targets[:1])
    assert set(traced) == set(scratch.targets[:1])
    assert (FAULTY, "absolute") in {(file, name) for file, name, _ in traced[scratch.targets[0]]}


def test_spectrum_ranks_the_planted_function_first(scratch: Scratch) -> None:
    spectrum = scratch.contract.spectrum(scratch.root, scratch.evaluation.failing())
    top = [name for name, score in spectrum.top_functions(20) if score == spectrum.top_functions(1)[0][1]]
    assert f"{FAULTY}:absolute" in top
    faulty_line = next(i for i, line in enumerate((scratch.root / FAULTY).read_text().splitlines(), 1) if "else value" in line)
    assert (FAULTY, faulty_line) in {(file, line) for file, line, score in spectrum.top_lines(60)}


def test_ochiai_prefers_what_only_failing_runs_touch() -> None:
    failing = [[("a.py", "f", 1), ("a.py", "g", 5)], [("a.py", "f", 1)]]
    passing = [[("a.py", "g", 5)], [("a.py", "g", 5)]]
    spectrum = Spectrum(failing, passing)
    assert spectrum.top_functions() == [("a.py:f", 1.0), ("a.py:g", 0.4082)]
    assert Spectrum([], passing).top_functions() == []


def test_brief_is_small_and_says_what_sqlite_says(scratch: Scratch) -> None:
    brief = scratch.contract.brief(scratch.root, scratch.evaluation.failing())
    assert brief.case_ids == scratch.targets
    assert "Bergen" not in brief.script and brief.script.count(";") <= 3
    assert "abs(" in brief.script.lower()
    assert "-" not in brief.expected and "-" in brief.actual
    assert "abs()" in brief.features
    assert any(name.startswith(FAULTY) for name, _ in brief.suspects[:10])


def test_hashed_result_is_made_readable(scratch: Scratch) -> None:
    hashed = next(result for result in scratch.evaluation.failing() if "hashing to" in result.expected)
    brief = scratch.contract.brief(scratch.root, [hashed])
    assert "hashing" not in brief.expected
    assert brief.expected != brief.actual


def test_failures_with_one_cause_make_one_cluster(scratch: Scratch) -> None:
    failing = scratch.evaluation.failing()
    clusters = cluster(failing, scratch.contract, scratch.root)
    assert sorted(id_ for each in clusters for id_ in each.case_ids) == sorted(scratch.targets)
    assert len(clusters) == 1
    assert FAULTY in clusters[0].files()
    assert "abs()" in clusters[0].features
    again = cluster(list(scratch.evaluation.results.values()), scratch.contract, scratch.root)
    assert [each.id for each in again] == [each.id for each in clusters]


def test_two_faults_make_two_clusters_and_errors_come_before_wrong_rows(scratch: Scratch, tmp_path: Path) -> None:
    def break_another(checkout: Path) -> None:
        plant(checkout, "minisql/functions/text.py", "return text.upper() if", "raise ValueError(text) if")

    workspace = scratch.workspace(tmp_path / "work", break_another)
    failing = scratch.contract.evaluate(workspace.path).failing()
    clusters = cluster(failing, scratch.contract, workspace.path)
    assert [each.stage for each in clusters] == ["crash", "compare"]
    assert "ValueError" in clusters[0].error
    assert clusters[0].files()[0] == "minisql/functions/text.py"
    assert not clusters[0].functions(1) & clusters[1].functions(1)


def test_clusters_of_a_contract_that_cannot_be_traced(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch.contract, "coverage", lambda *_, **__: {})
    clusters = cluster(scratch.evaluation.failing(), scratch.contract, scratch.root)
    assert sum(len(each.results) for each in clusters) == 3
    assert all(not each.suspects for each in clusters)


@pytest.mark.parametrize(
    ("error", "normal"),
    [
        ("no such table: t1", "no such table: ?"),
        ("no such column: a.b", "no such column: ?"),
        ('near "FULL": syntax error', 'near "FULL": syntax error'),
        ('near "tab7": syntax error', 'near "?": syntax error'),
        ("UNIQUE constraint failed: t.a, t.b", "UNIQUE constraint failed: ?"),
        ("crash: EngineCrash: KeyError: 17 (scalar.py:absolute:53)", "crash: EngineCrash: KeyError: N"),
        ("table t1 already exists", "table ? already exists"),
        ("", ""),
    ],
)
def test_errors_are_normalised(error: str, normal: str) -> None:
    assert normalise_error(error) == normal


def test_differences_have_names() -> None:
    assert difference(["1", "2"], ["2", "1"]) == "wrong order"
    assert difference(["1", "2"], ["1"]) == "rows missing"
    assert difference(["1"], ["1", "2"]) == "too many rows"
    assert difference(["1"], ["2"]) == "wrong values"
    assert difference(["1"], []) == "no rows"
    assert difference([], ["1"]) == "rows where none are expected"


def test_results_of_other_contracts_are_not_needed(scratch: Scratch) -> None:
    passed = [result for result in scratch.evaluation.results.values() if result.passed]
    assert cluster(passed, scratch.contract, scratch.root) == []
    assert all(isinstance(result, CaseResult) for result in passed)


def test_configured_contract_is_the_one_of_the_file(scratch: Scratch) -> None:
    assert make_contract(scratch.config).hash() == scratch.contract.hash()


RETURNING = """
statement ok
CREATE TABLE k(id INTEGER PRIMARY KEY, name TEXT UNIQUE)

query I nosort
INSERT INTO k(name) VALUES ('d') RETURNING id
----
1

query I nosort
SELECT count(*) FROM k
----
1
"""


def test_query_that_changes_something_runs_in_every_subset() -> None:
    suite = Suite("s.slt", RETURNING)
    last = suite.cases[2]
    text, _ = suite.reduced({last.id})
    assert "RETURNING" in text
    assert suite.script_before(2)[1].startswith("INSERT")
    assert Suite("s.slt", RETURNING.replace("'d'", "'e'")).cases[2].id != last.id
