"""The storage protocols keep their invariants, planted faults are found, and the engine does what the model does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minisql.storage.journal import Journal
from minisql.storage.wal import Wal

from . import replay_journal, wal
from .__main__ import SMALL, planted
from .checker import Label, Model, describe, search
from .replay_wal import Drift, replay, walks

FAULTS = planted()
QUICK = [name for name in FAULTS if name not in ("no-header-sync", "no-frame-chain", "no-salt", "no-snapshot-check", "no-verify")]


@pytest.mark.parametrize("model", SMALL, ids=lambda model: f"{model.name}-{'-'.join(map(str, model.bounds[:5]))}")
def test_no_state_breaks_an_invariant(model: Model) -> None:
    seen: set[str] = set()
    result = search(model, seen=seen)
    assert result.violation == "", describe(result.trace)
    assert result.is_complete
    assert result.n_states > 10_000
    assert len(seen) > 15


@pytest.mark.parametrize("name", QUICK)
def test_planted_fault_is_found(name: str) -> None:
    result = search(FAULTS[name], max_states=2_000_000)
    assert result.violation
    assert result.trace


def test_a_state_is_the_same_however_its_processes_are_ordered() -> None:
    result = search(wal.WalModel(wal.Bounds(2, 1, 0, 0, 0)))
    doubled = search(_Distinct(wal.Bounds(2, 1, 0, 0, 0)))
    assert result.n_states < doubled.n_states <= 2 * result.n_states


class _Distinct(wal.WalModel):
    """The same model with a name tag on each process, which the checker cannot exchange."""

    def initial(self) -> tuple[object, ...]:
        processes, *parts = super().initial()
        return (tuple(enumerate(processes)), *parts)

    def successors(self, state):  # type: ignore[no-untyped-def]
        plain = tuple(process for _, process in sorted(state[0]))
        for label, (processes, *parts) in super().successors((plain, *state[1:])):
            yield label, (tuple(enumerate(processes)), *parts)

    def violation(self, state) -> str:  # type: ignore[no-untyped-def]
        return super().violation((tuple(process for _, process in state[0]), *state[1:]))


def test_engine_follows_random_traces() -> None:
    steps = set()
    for model, trace in walks(7, 150):
        replay(model, trace)
        steps.update(label[1] for label in trace)
    assert len(steps) > 40


def test_engine_follows_random_traces_of_the_rollback_journal() -> None:
    steps = set()
    for model, trace in replay_journal.walks(7, 120):
        replay_journal.replay(model, trace)
        steps.update(label[1] for label in trace)
    assert len(steps) >= 25


def test_engine_that_skips_a_sync_of_the_journal_leaves_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Journal._append_section

    def write_section(self: Journal, body: bytes, count: int, synchronous: int) -> None:
        whole(self, body, count, 1)

    write_section.__name__ = "_append_section"
    monkeypatch.setattr(Journal, "_append_section", write_section)
    with pytest.raises(Drift):
        for model, trace in replay_journal.walks(7, 20):
            replay_journal.replay(model, trace)


def wal_reset_trace() -> list[Label]:
    return search(FAULTS["wal-reset"]).trace


def faulty(name: str) -> wal.WalModel:
    model = FAULTS[name]
    assert isinstance(model, wal.WalModel)
    return wal.WalModel(model.bounds, name, model.synchronous)


def test_engine_refuses_to_follow_the_wal_reset_race() -> None:
    with pytest.raises(Drift, match=r"CHECK_SALT.*model at CHECKPOINT_LOG_SYNC"):
        replay(faulty("wal-reset"), wal_reset_trace())


def test_engine_with_the_race_planted_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Callable[[Wal], bool] = Wal._was_restarted

    def ask_and_ignore(self: Wal) -> bool:
        asked(self)
        return False

    ask_and_ignore.__name__ = "_was_restarted"
    monkeypatch.setattr(Wal, "_was_restarted", ask_and_ignore)
    replay(faulty("wal-reset"), wal_reset_trace())
