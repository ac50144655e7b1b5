"""What the planner does not look for because a quick look says that it is not there is really not there."""

from __future__ import annotations

import minisql
from minisql.planner.compiler import _AGGREGATES


def test_every_built_in_aggregate_is_known_by_name() -> None:
    connection = minisql.connect(":memory:")
    rows = connection.execute("SELECT DISTINCT name FROM pragma_function_list WHERE type IN ('a', 'w')").fetchall()
    needing_over = set()
    for (name,) in rows:
        for arguments in ("", "1", "1, 2", "1, 2, 3"):
            try:
                connection.execute(f"SELECT {name}({arguments}) OVER () FROM (SELECT 1) WHERE false")
                connection.execute(f"SELECT {name}({arguments}) FROM (SELECT 1) WHERE false")
                break
            except minisql.Error as error:
                if "misuse of window function" in str(error):
                    needing_over.add(name)
    assert {name for (name,) in rows} - needing_over == set(_AGGREGATES)
