"""CPython's own tests of its sqlite3 module, run against minisql under the running Python."""

import importlib.util
import sys

import pytest

from tests.clients.cpython import EXCEPTIONS, run_suite


@pytest.mark.skipif(importlib.util.find_spec("test.test_sqlite3") is None, reason="this Python has no test package")
def test_cpython_suite():
    outcome = run_suite(sys.executable, "minisql")
    assert outcome["n_run"] > 400
    unexpected = {name: why for name, why in outcome["failures"].items() if name not in EXCEPTIONS}
    assert unexpected == {}, outcome["log"][-6000:]
    assert set(EXCEPTIONS) <= set(outcome["failures"]), "an exception is gone: take it off the list"
