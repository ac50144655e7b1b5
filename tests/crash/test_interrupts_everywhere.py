"""A part of `make interrupts`: exceptions at lines of a split, a commit, a checkpoint, a savepoint, in both kinds of journal."""

import pytest

from tests.crash.interrupts import MODES, WORK, strike_all


# An exception that strikes in a `__del__` is only printed by Python.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("work", WORK)
def test_exception_at_any_line_leaves_a_whole_file_and_no_lock(tmp_path, mode, work):
    step = 151 if work == "split" else 31
    struck = list(strike_all(str(tmp_path), work, mode, step, first=5))
    assert len(struck) > 5
    assert [wrong for _line, wrong in struck if wrong] == []
