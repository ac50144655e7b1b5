"""A short soak (`make soak` runs a minute for each journal mode)."""

import pytest

from tests.soak.soak import soak


@pytest.mark.parametrize("mode", ["delete", "persist", "wal"])
def test_processes_and_threads_lose_nothing(mode):
    n_commits, _n_busy, wrong = soak(mode, 3.0, 0)
    assert wrong == []
    assert n_commits >= 4
