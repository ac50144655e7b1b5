"""A fixed part of the crash matrix (`make crash` runs all of it)."""

import pytest

from tests.crash.matrix import run_case, setting_of
from tests.crash.pairwise import pairwise
from tests.crash.workloads import FACTORS

# Settings that once showed a fault: the log's directory entry was not synced, a second header without syncs, an original
# of journal mode MEMORY forgotten by ROLLBACK TO, half a commit over two files, a lock left by a failed close.
CASES = (2, 12, 25, 27, 59, 85, 110, 116, 156)


@pytest.mark.parametrize("case", CASES)
def test_what_a_mode_promises_holds_after_every_fault(case):
    entry = run_case(case)
    assert entry["violations"] == [], setting_of(case)
    assert entry["cuts"] > 5


def test_pairwise_settings_cover_all_pairs():
    rows = pairwise(FACTORS, 3)
    for i in range(len(FACTORS)):
        for j in range(i):
            assert {(row[i], row[j]) for row in rows} == {(a, b) for a in FACTORS[i] for b in FACTORS[j]}
    assert len(rows) < 100
