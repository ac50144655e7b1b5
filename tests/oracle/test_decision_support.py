"""TPC-H's and the Star Schema Benchmark's queries give SQLite's answers, to the last digit and in order; the data are as specified."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def running() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from decision_support import running

    yield running
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.parametrize(("name", "count"), [("tpch", 22), ("ssb", 13)])
@pytest.mark.parametrize("is_bare", [False, True])
def test_answers_are_those_of_sqlite(running: ModuleType, name: str, count: int, is_bare: bool) -> None:
    measured = running.measure(name, 0.001 if is_bare else 0.002, ["minisql", "apsw"], 1, [], is_bare, False)
    assert len(measured) == count
    assert [(each.name, each.error) for each in measured if each.error or not each.is_equal] == []
    assert sum(each.n_rows > 0 for each in measured) > count // 2


def test_tables_have_the_specifications_shape(running: ModuleType) -> None:
    tables = dict(running.SETS["tpch"].tables(0.002))
    assert {name: len(rows) for name, rows in tables.items() if name != "lineitem"} == {
        "region": 5,
        "nation": 25,
        "part": 400,
        "supplier": 20,
        "partsupp": 1600,
        "customer": 300,
        "orders": 3000,
    }
    assert 11_000 < len(tables["lineitem"]) < 13_000
    assert {key for key, *_ in tables["orders"][:9]} == {1, 2, 3, 4, 5, 6, 7, 8, 33}
    assert all(customer % 3 for _, customer, *_ in tables["orders"])
    offered = {(part, supplier) for part, supplier, *_ in tables["partsupp"]}
    assert all((line[1], line[2]) in offered for line in tables["lineitem"])
    assert dict(running.SETS["tpch"].tables(0.002)) == tables
