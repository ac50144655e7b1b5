"""The loop on a small foreign project: failing records in, merged repairs out, and every way in which that can go wrong."""

import importlib.util
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_harness.config import Config, load
from agent_harness.contract.base import Brief, CaseResult
from agent_harness.errors import EXIT_GREEN, EXIT_INTERRUPTED, EXIT_LIMIT, EXIT_REJECTED, ConfigurationError, HarnessError
from agent_harness.events import read_events
from agent_harness.stages import build, loop
from agent_harness.state.fold import MERGED, PARKED, State
from agent_harness.state.folders import Folders
from tests.harness.toy import REPAIRS, WRONG, add_program, git, ledger, make_project, tree_of, write_repairs


@pytest.fixture(autouse=True)
def fake_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")


def state_of(config: Config) -> State:
    return State(read_events(Folders(config.state).events))


def kinds(config: Config) -> list[str]:
    return [event.kind for event in read_events(Folders(config.state).events)]


def test_one_fault_is_repaired_and_merged(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    assert loop.run(config) == EXIT_GREEN
    assert "left + right" in (config.checkout / "toydb" / "adding.py").read_text()
    assert git(config.checkout, "status", "--porcelain") == ""
    message = git(config.checkout, "log", "-1", "--format=%an%n%B")
    assert message.startswith("agent-harness\nRepair ")
    assert "Closes 2 failing cases" in message
    assert git(config.checkout, "rev-list", "--count", "main").strip() == "2"
    state = state_of(config)
    assert [task.status for task in state.tasks.values()] == [MERGED]
    assert [gate["gate"] for gate in next(iter(state.attempts.values())).gates][:2] == ["scope", "integrity"]
    assert ledger(tmp_path) == list(state.attempts)


def test_a_green_contract_needs_no_work(tmp_path: Path) -> None:
    config = make_project(tmp_path, ())
    assert loop.run(config) == EXIT_GREEN
    assert ledger(tmp_path) == []


def test_builders_work_at_once_on_disjoint_clusters(tmp_path: Path) -> None:
    config = make_project(tmp_path, extra="")
    config = load(config.path, {"loop.builders": 4})
    (tmp_path / "pause").write_text("0.5")
    assert loop.run(config) == EXIT_GREEN
    flying = most = 0
    for kind in kinds(config):
        flying += (kind == "attempt.started") - (kind == "attempt.built")
        most = max(most, flying)
    assert most >= 3
    leases = [set(event.data["lease"]) for event in read_events(Folders(config.state).events) if event.kind == "task.claimed"]
    assert all(not one & other for position, one in enumerate(leases) for other in leases[:position])
    assert len(ledger(tmp_path)) == len(set(ledger(tmp_path))) == len(WRONG)


def test_any_executor_will_do(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding", "shouting"))
    with ThreadPoolExecutor(3) as executor:
        assert loop.run(config, executor=executor) == EXIT_GREEN
        assert executor.submit(threading.active_count).result() > 0


def test_jobs_cross_to_other_processes(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding", "multiplying"))
    config = load(config.path, {"loop.executor": "processes", "loop.executor_options": {"max_workers": 2}})
    assert loop.run(config) == EXIT_GREEN


def test_an_unknown_executor_is_a_configuration_error(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    with pytest.raises(ConfigurationError, match=r"loop\.executor: no executor"):
        loop.run(load(config.path, {"loop.executor": "carrier-pigeons"}))


def test_builders_work_on_a_dask_cluster(tmp_path: Path) -> None:
    """Two worker processes of a local cluster; the coordinator keeps the log and the merges."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed (the extra [cluster])")
    config = make_project(tmp_path, ("adding", "multiplying", "shouting"))
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "local_directory": str(tmp_path / "dask")}
    config = load(config.path, {"loop.executor": "dask", "loop.executor_options": options})
    assert loop.run(config) == EXIT_GREEN
    assert len(ledger(tmp_path)) == len(set(ledger(tmp_path))) == 3


def test_a_cluster_without_its_package_is_a_configuration_error(tmp_path: Path) -> None:
    if importlib.util.find_spec("distributed") is not None:
        pytest.skip("dask.distributed is installed")
    config = make_project(tmp_path, ("adding",))
    with pytest.raises(ConfigurationError, match=r"pip install 'pyminisql\[cluster\]'"):
        loop.run(load(config.path, {"loop.executor": "dask"}))


def test_failures_are_fed_back_until_the_task_is_parked(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [(r"\d \+ \d", "toydb/adding.py", "return left - right", "return left - right - 1")])
    assert loop.run(config) == EXIT_REJECTED
    state = state_of(config)
    (task,) = state.tasks.values()
    assert (task.status, len(task.attempts)) == (PARKED, 4)
    assert [attempt.start for attempt in task.attempts] == [0, 0, 1, 1]
    assert {attempt.gates[-1]["gate"] for attempt in task.attempts} == {"target"}
    folders = Folders(config.state)
    prompts = [(folders.attempt(attempt.id) / "prompt.md").read_text() for attempt in task.attempts]
    assert "was not accepted" in prompts[1]
    assert "Gate that said no: target" in prompts[1]
    assert "+    return left - right - 1" in prompts[1]
    assert "Earlier attempts failed the same way" in prompts[2]
    assert "1. claude: red:" in prompts[2]
    assert tree_of(config) == git(config.checkout, "rev-parse", "main~0^{tree}").strip()
    assert git(config.checkout, "rev-list", "--count", "main").strip() == "1"


def test_the_prompt_shows_rows_side_by_side_and_the_suspects(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    loop.run(config)
    (attempt,) = state_of(config).attempts
    prompt = (Folders(config.state).attempt(attempt) / "prompt.md").read_text()
    assert "SELECT 2 + 3" in prompt
    assert "SQLite / expected" in prompt
    assert "toydb/adding.py:add" in prompt
    assert "Only files below toydb/ may change" in prompt


def test_no_edit_twice_is_a_fresh_start(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [])
    assert loop.run(config) == EXIT_REJECTED
    (task,) = state_of(config).tasks.values()
    assert [attempt.result for attempt in task.attempts] == ["no-edit"] * 4


def test_a_limit_on_attempts_ends_the_run_with_its_exit_code(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [])
    assert loop.run(load(config.path, {"limits.run_attempts": 1})) == EXIT_LIMIT
    assert len(ledger(tmp_path)) == 1
    assert loop.run(load(config.path, {"limits.task_attempts": 2})) == EXIT_LIMIT
    assert len(ledger(tmp_path)) == 2, "the limit counts over the task's lifetime"


def test_a_limit_on_money_counts_what_was_paid(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [])
    assert (
        loop.run(load(config.path, {"limits.run_usd": 0.015, "limits.task_attempts": 9, "loop.fresh_starts": 9})) == EXIT_LIMIT
    )
    assert len(ledger(tmp_path)) == 2
    assert state_of(config).usage().cost_usd == pytest.approx(0.02)


def test_a_partial_repair_that_breaks_others_is_refused(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [(r"\d \+ \d", "toydb/__init__.py", '"-": subtract', '"-": add')])
    assert loop.run(config) == EXIT_REJECTED
    state = state_of(config)
    assert all(attempt.gates[-1]["gate"] in ("target", "affected", "full") for attempt in state.attempts.values())


def test_editing_a_record_ends_at_the_scope_gate(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [(r"\d \+ \d", "records/all.slt", "\n5\n", "\n-1\n")])
    assert loop.run(config) == EXIT_REJECTED
    assert {attempt.gates[-1]["gate"] for attempt in state_of(config).attempts.values()} == {"scope"}


def test_what_an_agent_leaves_outside_the_commit_is_not_judged(tmp_path: Path) -> None:
    """An ignored file in the workspace could make an engine right there and nowhere else."""
    config = make_project(tmp_path, ("adding",))
    (config.checkout / ".gitignore").write_text("*.local\n")
    hook = "import os\nif os.path.exists(__file__ + '.local'):\n    add = lambda left, right: left + right\n"
    with (config.checkout / "toydb" / "adding.py").open("a") as file:
        file.write(hook)
    git(config.checkout, "add", "--all")
    git(config.checkout, "commit", "--quiet", "--message", "hook")
    write_repairs(tmp_path, [])
    add_program(
        tmp_path / "bin",
        "claude",
        """
        import json, pathlib, sys
        sys.stdin.read()
        pathlib.Path("toydb/adding.py.local").write_text("")
        pathlib.Path("toydb/note.py").write_text('"A note."\\n')
        print(json.dumps({"type": "result", "is_error": False, "usage": {}, "result": "done"}))
        """,
    )
    assert loop.run(config) in (EXIT_REJECTED, EXIT_LIMIT)
    assert {attempt.gates[-1]["gate"] for attempt in state_of(config).attempts.values()} == {"target"}


def test_a_commit_to_main_by_an_agent_stops_everything(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    add_program(
        tmp_path / "bin",
        "claude",
        f"""
        import json, pathlib, subprocess, sys
        sys.stdin.read()
        path = pathlib.Path("{config.checkout}/toydb/adding.py")
        path.write_text(path.read_text().replace("left - right", "left + right"))
        git = ["git", "-C", "{config.checkout}", "-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run([*git, "commit", "-q", "-a", "-m", "mine"], check=True)
        print(json.dumps({{"type": "result", "is_error": False, "usage": {{}}, "result": "all tests pass"}}))
        """,
    )
    assert loop.run(config) == EXIT_REJECTED
    (attempt,) = state_of(config).attempts.values()
    assert attempt.gates[-1]["gate"] == "integrity"
    assert "checkout.changed" in kinds(config)


def test_a_backend_that_raises_has_failed_an_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, task: object) -> None:
        raise RuntimeError("defect")

    monkeypatch.setattr("agent_harness.backends.programs.ProgramBackend.build", broken)
    config = make_project(tmp_path, ("adding",))
    assert loop.run(config) == EXIT_REJECTED
    assert {attempt.detail for attempt in state_of(config).attempts.values()} == {"the backend raised RuntimeError: defect"}


def test_a_task_that_cannot_be_described_is_parked_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agent_harness.contract.records import RecordsContract

    real = RecordsContract.brief

    def brief(self: RecordsContract, checkout: Path, results: list[CaseResult]) -> Brief:
        if "upper" in results[0].case.title:
            raise HarnessError("the minimiser is lost")
        return real(self, checkout, results)

    monkeypatch.setattr(RecordsContract, "brief", brief)
    config = make_project(tmp_path, ("adding", "shouting"))
    assert loop.run(config) == EXIT_REJECTED
    tasks = state_of(config).tasks.values()
    assert sorted((task.status, task.reason) for task in tasks) == [
        (MERGED, ""),
        (PARKED, "it could not be described: the minimiser is lost"),
    ]


def test_a_rate_limit_waits_and_does_not_count(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    program = (tmp_path / "bin" / "claude").read_text()
    limited = program.replace(
        "repairs =",
        "if len(ledger.read_text().split()) < 3:\n"
        "    print(json.dumps({'type': 'result', 'is_error': True, 'subtype': 'success', 'result': 'API Error: 429',"
        " 'usage': {}, 'total_cost_usd': 0.0}))\n    sys.exit(1)\nrepairs =",
    )
    (tmp_path / "bin" / "claude").write_text(limited)
    assert loop.run(config) == EXIT_GREEN
    state = state_of(config)
    assert len(state.attempts) == 1
    assert next(iter(state.attempts.values())).waits == 2
    assert len(ledger(tmp_path)) == 3


def test_waits_for_a_rate_limit_have_an_end(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    add_program(
        tmp_path / "bin",
        "claude",
        """
        import json
        print(json.dumps({"type": "result", "is_error": True, "result": "rate limit", "usage": {}, "total_cost_usd": 0.0}))
        """,
    )
    overrides = {"loop.rate_limit_waits": 1, "loop.rate_limit_wait_s": 0.01, "limits.task_attempts": 1}
    assert loop.run(load(config.path, overrides)) == EXIT_LIMIT
    (attempt,) = state_of(config).attempts.values()
    assert (attempt.waits, attempt.end) == (1, "rate-limited")


def test_stop_ends_after_the_attempts_in_flight(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding", "shouting"))
    config = load(config.path, {"loop.builders": 1})

    def stop_at_first_build(event: object, state: State) -> None:
        if event.kind == "attempt.built" and len(state.attempts) == 1:  # type: ignore[attr-defined]
            loop.request_stop(config)

    assert loop.run(config, listener=stop_at_first_build) == EXIT_INTERRUPTED
    assert [task.status for task in state_of(config).tasks.values()] == [MERGED]
    assert loop.run(config) == EXIT_GREEN
    assert len(ledger(tmp_path)) == 2


def test_two_changes_to_one_line_are_a_conflict_and_a_new_attempt(tmp_path: Path) -> None:
    """Both repairs also touch the same line of one file: the second one does not apply and is made anew on the new tip."""
    config = make_project(tmp_path, ("adding", "shouting"))
    program = (tmp_path / "bin" / "claude").read_text()
    note = "log = pathlib.Path('toydb/log.txt')\nlog.write_text((log.read_text() if log.exists() else '') + attempt + '\\n')\nprint(json.dumps(result))"
    (tmp_path / "bin" / "claude").write_text(program.replace("print(json.dumps(result))", note))
    (tmp_path / "pause").write_text("0.3")
    config = load(config.path, {"loop.builders": 2})
    assert loop.run(config) == EXIT_GREEN
    state = state_of(config)
    results = sorted(attempt.result for attempt in state.attempts.values())
    assert results == ["conflict", "green", "green"]
    assert all(task.status == MERGED for task in state.tasks.values())


def test_a_bad_batch_is_bisected_and_the_others_are_merged(tmp_path: Path) -> None:
    """Two changes that hold alone and not together: one is merged, the other goes back with the failure."""
    config = make_project(tmp_path, ("adding", "shouting"))
    repairs = [
        (
            r"\d \+ \d",
            "toydb/adding.py",
            "return left - right",
            "from toydb import shouting\n\n    return left + right + shouting.EXTRA",
        ),
        (
            r"upper",
            "toydb/shouting.py",
            "def shout(text):\n    raise TypeError('quiet')",
            "EXTRA = 1\n\n\ndef shout(text):\n    return text.upper()",
        ),
    ]
    shouting = config.checkout / "toydb" / "shouting.py"
    shouting.write_text(shouting.read_text().replace("def shout", "EXTRA = 0\n\n\ndef shout"))
    git(config.checkout, "commit", "--quiet", "-a", "--message", "extra")
    repairs[1] = (r"upper", "toydb/shouting.py", "EXTRA = 0\n\n\ndef shout(text):\n    raise TypeError('quiet')", repairs[1][3])
    write_repairs(tmp_path, repairs)
    config = load(config.path, {"loop.builders": 2, "limits.task_attempts": 1})
    assert loop.run(config) == EXIT_LIMIT
    state = state_of(config)
    assert sorted(task.status for task in state.tasks.values()) == [MERGED, PARKED]
    reasons = [merge.reason for merge in state.merges.values() if merge.status == "rejected"]
    assert any("to be tried again" in reason for reason in reasons)
    assert "target" in reasons[-1]


def test_bring_home_from_a_clone_without_history(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    assert loop.run(load(config.path, {"workspace.kind": "clone"})) == EXIT_GREEN
    assert git(config.checkout, "log", "-1", "--format=%s").startswith("Repair ")


def test_parked_tasks_can_be_taken_up_again(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    write_repairs(tmp_path, [])
    assert loop.run(config) == EXIT_REJECTED
    write_repairs(tmp_path, REPAIRS)
    assert loop.run(config) == EXIT_REJECTED
    again = load(config.path, {"limits.task_attempts": 9, "loop.fresh_starts": 9})
    assert loop.run(again, retry_parked=True) == EXIT_GREEN


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding", "shouting"))
    plan = loop.plan(config)
    assert (plan["n_passed"], plan["n_failed"]) == (12, 4)
    assert [task["backend"] for task in plan["tasks"]] == ["claude", "claude"]
    assert ledger(tmp_path) == []
    assert "task.created" not in kinds(config)


def test_no_workspace_is_left_and_nothing_is_lost(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    loop.run(config)
    folders = Folders(config.state)
    left = {path.name.partition("-")[0] for path in (config.state / "workspaces").iterdir()}
    assert left <= {"base"}
    (attempt,) = state_of(config).attempts
    assert {path.name for path in folders.attempt(attempt).iterdir()} >= {
        *("prompt.md", "calling.json", "outcome.json", "stream.jsonl", "patch.diff", "verdict.json")
    }
    assert json.loads((folders.attempt(attempt) / "verdict.json").read_text())["passed"] is True


def test_a_moved_contract_voids_the_run(tmp_path: Path) -> None:
    config = make_project(tmp_path, ("adding",))
    context = loop.opened(config)
    with context as run:
        run.journal.record("contract.frozen", hash="another", n_cases=1)
    with pytest.raises(ConfigurationError, match="moved since it was frozen"):
        loop.run(config)


def test_resume_needs_an_unfinished_run(tmp_path: Path) -> None:
    config = make_project(tmp_path, ())
    with pytest.raises(ConfigurationError, match="no unfinished run"):
        loop.run(config, is_resume=True)


def test_stop_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="no run to stop"):
        loop.request_stop(make_project(tmp_path, ()))


def test_ends_of_a_build_that_may_be_repeated() -> None:
    assert build.is_waitable("rate-limited")
    assert not build.is_waitable("crashed")
