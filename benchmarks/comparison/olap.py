"""Questions to the whole shop: one query each, its statement prepared before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from comparison.data import shop
from comparison.workload import REGISTRY, Stage, Workload

Tables = dict[str, list[tuple[Any, ...]]]


def _query(name: str, sql: str, is_ordered: bool = True, floor: Callable[[Tables], Any] | None = None) -> None:
    def run(connection: Any) -> Any:
        return connection.execute(sql).fetchall()

    REGISTRY.add(Workload(name, "olap", _shop, run, floor=floor, query=sql, is_ordered=is_ordered))


def _shop(module: Any, stage: Stage) -> Any:
    return shop(module, stage)


def _scan_floor(tables: Tables) -> Any:
    total, n_rows = 0.0, 0
    for _, _, _, day, quantity, price in tables["sale"]:
        if 100 <= day <= 400 and quantity < 12:
            total += quantity * price
            n_rows += 1
    return [(total, n_rows)]


_query(
    "scan_filter_sum",
    "SELECT sum(quantity * price), count(*) FROM sale WHERE day BETWEEN 100 AND 400 AND quantity < 12",
    floor=_scan_floor,
)
_query(
    "scan_count",
    "SELECT count(*) FROM sale WHERE price > 50.0",
    floor=lambda tables: [(sum(1 for row in tables["sale"] if row[5] > 50.0),)],
)
_query(
    "expressions",
    "SELECT sum(CASE WHEN quantity > 10 THEN price * 0.9 WHEN quantity > 5 THEN price * 0.95 ELSE price END), "
    "max((day * 7 + item) % 31 - quantity / 2), min(abs(day - 365) + quantity * 3) FROM sale",
)


def _group_floor(tables: Tables) -> Any:
    groups: dict[int, list[Any]] = {}
    for _, _, item, _, quantity, price in tables["sale"]:
        group = groups.get(item)
        if group is None:
            groups[item] = [1, quantity, price]
        else:
            group[0] += 1
            group[1] += quantity
            if price > group[2]:
                group[2] = price
    return [(item, *group) for item, group in sorted(groups.items())]


_query(
    "group_by",
    "SELECT item, count(*), sum(quantity), max(price) FROM sale GROUP BY item ORDER BY item",
    floor=_group_floor,
)
_query("group_by_few", "SELECT quantity, avg(price), count(*) FROM sale GROUP BY quantity ORDER BY 1")
_query(
    "group_by_having",
    "SELECT customer, sum(quantity * price) AS spent FROM sale GROUP BY customer HAVING spent > 12000 ORDER BY spent DESC, 1",
)
_query(
    "distinct",
    "SELECT DISTINCT item, quantity FROM sale",
    False,
    floor=lambda tables: list(dict.fromkeys([(row[2], row[4]) for row in tables["sale"]])),
)
_query("count_distinct", "SELECT count(DISTINCT customer), count(DISTINCT day), count(DISTINCT quantity) FROM sale")
_query(
    "order_by",
    "SELECT id, day, price FROM sale ORDER BY day, price DESC, id",
    floor=lambda tables: [
        (row[0], row[3], row[5]) for row in sorted(tables["sale"], key=lambda row: (row[3], -row[5], row[0]))
    ],
)
_query("order_by_text", "SELECT name, id FROM customer ORDER BY name DESC")
_query("top_k", "SELECT id, quantity * price AS value FROM sale ORDER BY value DESC, id LIMIT 10")


def _join_floor(tables: Tables) -> Any:
    cities = {row[0]: row[2] for row in tables["customer"]}
    totals: dict[str, int] = defaultdict(int)
    for row in tables["sale"]:
        city = cities.get(row[1])
        if city is not None:
            totals[city] += row[4]
    return sorted(totals.items())


_query(
    "join_two",
    "SELECT city, sum(quantity) FROM sale JOIN customer ON customer.id = sale.customer GROUP BY city ORDER BY city",
    floor=_join_floor,
)
_query(
    "join_three",
    "SELECT city, kind, sum(quantity * sale.price) FROM sale JOIN customer ON customer.id = sale.customer "
    "JOIN item ON item.id = sale.item WHERE segment IN ('A', 'B') GROUP BY city, kind ORDER BY 1, 2",
)
_query("join_no_index", "SELECT count(*) FROM item AS a JOIN item AS b ON a.kind = b.kind AND a.price < b.price")
_query(
    "left_join",
    "SELECT count(*), count(customer.id), sum(sale.quantity) FROM sale LEFT JOIN customer ON customer.id = sale.customer",
)
_query(
    "anti_join",
    "SELECT count(*) FROM sale WHERE NOT EXISTS (SELECT 1 FROM customer WHERE customer.id = sale.customer)",
)
_query("in_subquery", "SELECT count(*) FROM sale WHERE item IN (SELECT id FROM item WHERE kind LIKE 'e%' OR price > 70)")
_query(
    "correlated_subquery",
    "SELECT name, (SELECT max(day) FROM sale WHERE sale.customer = customer.id) FROM customer WHERE segment = 'C' ORDER BY id",
)
_query(
    "correlated_average",
    "SELECT count(*) FROM sale AS s WHERE price > (SELECT avg(price) FROM item AS i WHERE i.kind = "
    "(SELECT kind FROM item WHERE id = s.item))",
)
_query(
    "window_rank",
    "SELECT id, rank() OVER (PARTITION BY item ORDER BY day) AS r FROM sale WHERE item < 120 ORDER BY id",
)
_query(
    "window_running_sum",
    "SELECT id, sum(quantity) OVER (PARTITION BY customer ORDER BY day, id) FROM sale WHERE customer < 300 ORDER BY id",
)
_query("window_lag", "SELECT id, day - lag(day, 1, 0) OVER (ORDER BY day, id) FROM sale WHERE item < 120 ORDER BY id")
_query(
    "window_first_of_each",
    "SELECT * FROM (SELECT id, item, row_number() OVER (PARTITION BY item ORDER BY price DESC, id) AS n FROM sale) WHERE n = 1 "
    "ORDER BY item",
)
_query(
    "recursive_cte",
    "WITH RECURSIVE t(n, x) AS (SELECT 1, 1 UNION ALL SELECT n + 1, x * 7 % 1000003 FROM t WHERE n < 20000) "
    "SELECT count(*), sum(x), max(x) FROM t",
)
_query("like", "SELECT count(*) FROM note WHERE body LIKE '%echo%golf%' OR title LIKE 'b%'")
_query("glob", "SELECT count(*) FROM note WHERE body GLOB '*kilo*lima*'")
_query(
    "text_functions",
    "SELECT count(*), sum(length(upper(body))), max(substr(title, 3, 5)), sum(instr(body, 'mike')) FROM note "
    "WHERE replace(title, 'a', 'b') <> lower(body)",
)
_query("text_concat", "SELECT max(title || ' / ' || substr(body, -10)) FROM note")
_query("group_concat", "SELECT city, group_concat(segment, '') FROM customer GROUP BY city ORDER BY city")
_query(
    "json_extract",
    "SELECT sum(json_extract(doc, '$.size.w')), count(*) FROM note WHERE json_extract(doc, '$.ok')",
)
_query("json_each", "SELECT value, count(*) FROM note, json_each(note.doc, '$.tags') GROUP BY value ORDER BY value")
_query(
    "date_functions",
    "SELECT strftime('%Y-%m', day * 86400, 'unixepoch') AS month, count(*) FROM sale WHERE item < 40 GROUP BY month ORDER BY 1",
)
_query(
    "compound",
    "SELECT customer FROM sale WHERE item < 100 UNION SELECT id FROM customer EXCEPT SELECT customer FROM sale WHERE day < 90 "
    "ORDER BY 1",
)
_query("union_all_sum", "SELECT sum(x) FROM (SELECT quantity AS x FROM sale UNION ALL SELECT day FROM sale)")
_query("min_max_index", "SELECT min(customer), (SELECT max(customer) FROM sale) FROM sale")
