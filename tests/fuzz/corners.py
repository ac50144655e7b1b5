"""Statements made from others: the same with other literals, with parameters, explained; and mistakes in what a statement means.

A statement that comes again with other literals runs the kept program of the first (minisql.engine.shapes); with parameters it is
compiled without knowing the values.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tests.fuzz.expressions import BLOBS, INTEGERS, TEXTS

PARAMETERS: dict[str, object] = {":p0": 1, ":p1": "a", ":p2": 2.5, ":p3": None, ":p4": b"a", ":p5": 3, ":p6": "B", ":p7": -1}
"""What is bound to the parameters of statements."""
_LITERAL = re.compile(r"(?<![\w.:'\"])(?:\d+|'(?:[^']|'')*'|x'[0-9a-f]*')(?![\w.'\"])")
_PARAMETER = re.compile(r":p\d")
_FIXED = re.compile(
    r"order by \d|limit \d|offset \d|group by \d|json|->|ntile\(|nth_value|printf|format|strftime|collate", re.I
)


def with_other_literals(dice: random.Random, sql: str) -> str:
    """The statement with some literals exchanged for others of their class."""

    def other(match: re.Match[str]) -> str:
        text = match[0]
        if dice.random() < 0.4:
            return text
        return dice.choice(TEXTS if text[0] == "'" else BLOBS if text[0] == "x" else INTEGERS[:8])

    return sql if _FIXED.search(sql) else _LITERAL.sub(other, sql)


def with_parameters(dice: random.Random, sql: str) -> str:
    """The statement with some literals exchanged for parameters."""
    if _FIXED.search(sql) or sql.startswith(("create", "alter", "pragma")):
        return sql
    return _LITERAL.sub(lambda match: dice.choice((match[0], *PARAMETERS)) if dice.random() < 0.5 else match[0], sql)


def without_parameters(sql: str) -> str:
    """The statement with the values of its parameters written out, for a case in a file."""
    texts = {None: "NULL", b"a": "x'61'"}
    return _PARAMETER.sub(lambda match: texts.get(value := PARAMETERS[match[0]], repr(value)), sql)  # type: ignore[call-overload]


def explained(dice: random.Random, sql: str) -> str:
    """EXPLAIN of a query or a change, of which only the errors are compared."""
    if sql.startswith(("alter", "create", "drop", "reindex", "analyze", "pragma", "begin", "rollback", "commit", "savepoint", "release")):
        return sql
    return dice.choice(("explain ", "explain query plan ")) + sql


Meaning = Callable[[random.Random, str, Sequence[str]], str]

MEANINGS: tuple[str, ...] = (
    "select sum({0}) over (partition by {0} order by {1} range between {1} preceding and 1 following) from {t}",
    "select {0}, rank() over (w order by {1}) from {t} window w as (partition by {0})",
    "select count(*) over (w rows 1 preceding) from {t} window w as (order by {0}, {1})",
    "select count(*) over (w order by {1}) from {t} window w as (order by {0})",
    "select count(*) over (w partition by {1}) from {t} window w as (order by {0})",
    "select count(*) over (w) from {t} window w as (order by {0} rows 1 preceding)",
    "select count(*) over nosuch from {t}",
    "select count(distinct {0}) over () from {t}",
    "select abs({0}) over () from {t}",
    "select rank() from {t}",
    "select rank() filter (where {0}) over () from {t}",
    "select group_concat({0} order by {1}) over () from {t}",
    "select json_group_array({0}) over (order by {1}, {0} rows unbounded preceding) from {t}",
    "select {0}, sum(count(*)) over (order by {0}) from {t} group by {0}",
    "select {0}, rank() over (order by count(*), {0}), max({1}) from {t} group by {0} having count(*) < 5",
    "select max(rank() over (order by {0})) from {t}",
    "select {0} from {t} where rank() over () = 1",
    "select {0} from {t} having {0} > 1",
    "select count(*) from {t} having count(*) > 1",
    "select 1 from {t} group by count(*)",
    "select {0} as k from {t} where sum(k) > 1",
    "select sum({0}) as k, k from {t}",
    "select (select count(q.{0})) from {t} as q",
    "select (select sum(q.{0}) + max(r.{1}) from {t} as r) from {t} as q",
    "select (select group_concat(q.{0}) from {t} as r where r.{1} = 1) from {t} as q group by q.{1}",
    "select {0} from {t} where exists (select count(q.{0}) from {t} as r) and {1}",
    "select q.{0} from {t} as q group by q.{0} having (select count(*) from {t} as r where r.{0} = count(q.{0})) >= 0",
    "select max({0}), {1} from {t} union select {0}, {1} from {t} order by {0}",
    "select {0} as k, {1} from {t} union all select {1}, {0} from {t} order by k, 2",
    "select {0} from {t} union select {1} from {t} order by {0} desc",
    "select {0} from {t} union select {1} from {t} order by {1}",
    "select {0} + 1 from {t} union select {1} from {t} order by {0} + 1",
    "select {0} from {t} union select {1} from {t} order by nosuch",
    "select {0} from {t} union select {1} from {t} order by 2",
    "select {0} from {t} order by 2",
    "select {0} from {t} group by 2",
    "select {0}, {1} from {t} union select {1} from {t}",
    "select {0} from {t} except select {0} from {t} where {1} union all select {1} from {t} intersect select {0} from {t}",
    "select {0} from {t} union all select {1} from {t} order by 1 limit 3 offset 1",
    "select {0} from {t} union all select {1} from {t} order by 1 limit (select 2) offset (select 0)",
    "select count(*) from (select {0} from {t} limit 2 offset 1)",
    "select distinct count(*) from {t} order by 1 limit 1 offset 0",
    "select 1 from {t} limit 'x'",
    "values (1, 'a'), (2, 'b'), (null, x'61'), (1.5, 'c'), (2, 'B')",
    "values (1, 2), (3)",
    "values (count(*))",
    "values (1), (max({0}))",
    "select * from (values (1, 'a'), (2, 'b')) as v join {t} on column1 = {0}",
    "select * from {t} natural join {t} as q",
    "select * from {t} join {t} as q using ({0}, {1})",
    "select * from {t} full join {t} as q using ({0}) join {t} as r using ({0})",
    "select {0} from {t} join {t} as q using ({0}) group by {0}",
    "select q.* from ({t} join {t} as q on {t}.{0} = q.{0}) where q.{1} is null",
    "select * from ({t} left join {t} as q on {t}.{0} = q.{1}) as p",
    "select * from {t} left join ({t} as q join {t} as r using ({0})) on {t}.{1} = q.{1}",
    "select * from {t} right join ({t} as q cross join {t} as r) on {t}.{1} = r.{0} and q.{0} = 1",
    "select * from {t} as q natural left join ({t} as r, {t} as s)",
    "select count(*) from ({t} natural full join (select {0} from {t})) as p",
    "select nosuch.* from {t}",
    "select *",
    "select * from {t} join {t} using (nosuch)",
    "select {0} from {t}, {t} as q",
    "select * from {t} indexed by nosuch",
    "select * from {t} indexed by i1 where {0} = 1",
    "select * from {t}(1)",
    "select * from json_each",
    "select * from json_each('[1]', '$', 3)",
    "select value, {0} from {t}, json_each(json_array({0} is null, 2))",
    "select * from {t} where ({0}, {1}) in ((1, 2), (3, 'a'))",
    "select * from {t} where ({0}, {1}) in ((1, 2, 3))",
    "select * from {t} where ({0}, {1}) not in (values (1, 2), (3, 4))",
    "select * from {t} where ({0}, {1}) = (1, 2, 3)",
    "select * from {t} where {0} in (1, {1}, 2 + 3, -1, +'a', 'b' collate nocase)",
    "select * from {t} where ({0}, {1}) is true",
    "select ({0}, {1}) from {t}",
    "select * from {t} where {0} in (select {0}, {1} from {t})",
    "select abs({0}, {1}) from {t}",
    "select nosuch({0}) from {t}",
    "select likelihood({0}, 2) from {t}",
    "select count({0}, {1}) from {t}",
    "select sum(distinct {0}, {1}) from {t}",
    "select coalesce(json('[1]'), {0}), json_array(iif({0}, json('[2]'), {1}), +json('3')) from {t}",
    "select json_array((select json_array({0}) from {t} limit 1), nullif(json('1'), 2)) from {t}",
    'select "nosuch", "{0}" from {t} where {1} = "zz"',
    'select {0} from {t} where "a b" < {1} order by "{0}"',
    "with n(x) as (select 1 union all select x + 1 from n where x < 4 union select x + 2 from n where x < 3) select x from n",
    "with n(x) as (select 1 union select x + 1 from n where x < 9 limit 3 offset 1) select x, {0} from n, {t}",
    "with n(x) as (values (1), (2) union all select x + 2 from n where x < 5 order by 1 desc) select * from n join n as m using (x)",
    "with n as (select 1 union all select * from n, n as m) select * from n",
    "with n(x, y) as (select 1) select * from n",
    "with n as (select 1 as k), n as (select 2) select * from n",
    "with n as (select * from m), m as (select * from n) select * from n",
    "with n(x) as (select 1 intersect select x from n) select * from n",
    "with n as materialized (select {0} from {t}), m as (select * from n union all select * from n) select count(*) from m, n",
    "select case {0} when {1} then 1 when 2 then 'x' end, {0} not between {1} and 3, {0} -> '$', {0} not like 'a%' escape '/' from {t}",
    "select * from {t} where {0} = 1 or {0} = 2 or ({1} > 2 and {0} is null) or {1} in (3, 4)",
    "select {0} from {t} order by {0} is null, {1} collate nocase desc nulls last, +{0}, 1 is null",
    "select {0}, count(*) from {t} group by {0} order by count(*) desc, max({1}), {0} collate nocase limit 2 offset 1",
    "select min({0}) from {t} where {0} > 1",
    "select max({0}) as k, {1} from {t} group by {1} having k > 1 order by k",
    "select distinct {0}, {1} from {t} order by {1}, {0} limit 3",
    "select rowid, _rowid_, oid from {t} where rowid between 1 and 3 order by rowid desc",
    "select q.rowid from {t} as q, {t} as r where q.rowid = r.rowid and r.oid in (1, 2, 5)",
    "select abs(({0}, {1})) from {t}",
    "select coalesce(({0}, 1), {1}) from {t}",
    "select ({0}, {1}) is null, -({0}, {1}) from {t}",
    "select cast(({0}, {1}) as text) from {t}",
    "select ({0}, {1}) collate nocase from {t}",
    "select ({0}, {1}) between 1 and 2 from {t}",
    "select case ({0}, {1}) when (1, 2) then 3 end from {t}",
    "select * from {t} where ({0}, {1}) in (1, 2)",
    "select * from {t} where {0} like ({0}, {1})",
    "select {0} not in (5), {0} in (5), {0} in (null), {0} not in ('a' collate nocase), {1} in (+5), {1} in (-5), {1} in (2 + 3) from {t}",
    "select distinct {0} from {t} order by {1}",
    "select distinct {0}, {1} from {t} order by {0} desc limit 5",
    "select {0} from {t} group by {0} order by max({1}), {0}",
    "select j, json_array(j), json_array(coalesce(j, 1), ifnull(k, j), nullif(j, k), max(j, k)) from (select json_array({0} is null) as j, 2 as k from {t})",
    "with n as (select json('[1]') as j union all select {0} from {t}) select json_array(j), json_array((select j from n limit 1)) from n",
    "select json_object('a', (select json_array(1)), 'b', (select distinct json('1') from {t})) from {t}",
    "select max(json_array({0} is null)), json_array(max(json('1'))) from {t}",
    "with n(x) as (select 1 union all select 2 union all select x + 2 from n where x < 6 union all select x + 3 from n where x < 5) select x from n",
    "with n(x) as (select 1 union all select x + 1 from n where x < 5 limit 4) select sum(x), group_concat(x) from n",
    "with n as (select {0} as k, {1} from {t}), m as (select k from n), o as (select k from m) select o.k, m.k from o join m using (k)",
    "with n(x) as (select 1), n2(y) as (with n(x) as (select 2) select x from n) select x, y from n, n2",
    "select * from (select {0} from {t} union select {1} from {t} except select 1) where {0} > 1",
    "select * from (select * from {t} limit 3) as q join (select * from {t} order by {0}, {1} limit 2) as r",
    "select count(*) from {t} a, {t} b, {t} c, {t} d, {t} e, {t} f, {t} g where a.{0} = b.{0} and b.{1} = c.{0} and d.{0} = 1 and e.{1} = f.{0} and g.{0} = 2"
    " and a.{0} = 1 and f.{0} = 3",
    "select 1 from {t} a left join {t} b on a.{0} = b.{0} left join {t} c on b.{1} = c.{1} left join {t} d on c.{0} = d.{1} where a.{1} = 2",
    "select count(*) from {t} a natural join {t} b natural join {t} c natural join {t} d natural join {t} e",
    "select (select {0} from {t} as q where q.{1} = {t}.{1} order by q.{0} limit 1) as k from {t} group by k having k is not null order by k desc",
    "select total({0}) filter (where {1} > 1), count(distinct {0}), sum(distinct {1}), avg({0}), group_concat(distinct {0}) from {t}",
    "select {0}, row_number() over (order by {0}, {1}), sum({1}) over (partition by {0}) from {t} where rowid > 0 order by 2 limit 3 offset 1",
    "select distinct rank() over (order by {0}) from {t}",
    "select {0} from {t} union all select {1} from {t} order by {0} collate rtrim, 1 desc limit 2 offset 1",
    "select count(*) over (), {0} from {t} union select 1, {1} from {t} order by 2, 1",
    "select sum({0}) from {t} group by {1} union all select count(*) from {t} order by 1",
    "values (1, 2) union values (1, 2), (3, 4) union all values (1, 2) order by 1",
    "select * from (values (1), (1.5), ('a'), (null)) where column1 in (select {0} from {t})",
    "select "
    + ", ".join(f"{{0}} = {number}" for number in range(40))
    + " from {t}",
    "select 1 from " + ", ".join(f"{{t}} as z{number}" for number in range(65)),
    "select count(*) from {t} where not exists (select 1 from {t} as q where q.{0} = {t}.{0} and q.{1} is not {t}.{1})",
)  # fmt: skip
"""SELECTs that the generator's grammar does not make, many of them wrong: {t} is a table, {0} and {1} are columns."""


def meaning(dice: random.Random, table: str, columns: Sequence[str]) -> str:
    """One of MEANINGS."""
    bare = table.rpartition(".")[2]
    chosen = [dice.choice(columns), dice.choice(columns)]
    text = dice.choice(MEANINGS).replace("{t}.", bare + ".").replace("{t}", table)
    return text.replace("{0}", chosen[0]).replace("{1}", chosen[1])
