"""Runs CPython's own tests of `sqlite3` with minisql in its place; prints the failures as JSON lines.

Run in a process of its own, because it replaces a module of the standard library.
"""

import json
import sys
import unittest

import minisql
import minisql.dbapi2

MODULES = (
    "test_backup",
    "test_dbapi",
    "test_dump",
    "test_factory",
    "test_hooks",
    "test_regression",
    "test_transactions",
    "test_types",
    "test_userfunctions",
)


def main() -> int:
    sys.modules["sqlite3"] = minisql
    sys.modules["sqlite3.dbapi2"] = minisql.dbapi2
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"test.test_sqlite3.{name}" for name in MODULES])
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
    failures = {}
    for case, trace in (*result.failures, *result.errors):
        name = str(case.id()).removeprefix("test.test_sqlite3.").partition(" ")[0]
        failures[name] = trace.strip().splitlines()[-1]
    print(json.dumps({"n_run": result.testsRun, "failures": failures}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
