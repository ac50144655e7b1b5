"""A fixed part of the fuzzer of damaged files (`make fuzz-files` runs all of it)."""

import pytest

from tests.damage.fuzz import run_seed, sample_of
from tests.damage.samples import MAKERS

# Seeds that once showed a fault: header fields, roots and kinds in sqlite_schema, short records, rows that the tree does not lead to.
FOUND = (6, 191, 219, 258, 306, 409, 541, 560, 687, 2266, 23112, 71796)


@pytest.mark.parametrize("first", range(0, 10 * len(MAKERS), len(MAKERS)))
def test_damaged_files_give_rows_or_a_database_error(tmp_path, first):
    for seed in range(first, first + len(MAKERS)):
        _counts, findings, _damaged = run_seed(seed, str(tmp_path))
        assert [one for one in findings if one["kind"] == "violation"] == [], sample_of(seed)


@pytest.mark.parametrize("seed", FOUND)
def test_files_that_were_found_stay_right(tmp_path, seed):
    _counts, findings, _damaged = run_seed(seed, str(tmp_path))
    assert [one for one in findings if one["kind"] in ("violation", "only theirs")] == [], sample_of(seed)
