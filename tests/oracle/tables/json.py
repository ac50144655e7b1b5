"""JSON: texts well formed and not, JSON5, paths, edits, JSONB byte for byte, json_each and its kin, and the JSON subtype.

Written from json1.html and jsonb.html.
"""

from __future__ import annotations

from collections.abc import Iterator

TEXTS = (
    "null", "true", "false", "0", "-0", "-1.5e3", "1E+2", "12345678901234567890", '""', '"abc"', '"\\u00e9\\n\\""', '"\\ud83d\\ude00"', "[]", "{}", "[1,2,3]", '{"a":1}',
    '{"a":{"b":[1,{"c":2}]},"d":null}', '[1,"2",3.5,null,true,false,[],{}]', ' [ 1 , 2 ] ', '{"a":1,"a":2}', '{"":0," ":1,"a.b":2,"[0]":3}', '[[[[1]]]]', '"é日😀"',
)  # fmt: skip
JSON5 = (
    "{a:1}", "{'a':1}", "[1,]", "{a:1,}", "/*c*/1", "//x\n1", "+1", ".5", "5.", "0x1F", "-0xab", "Infinity", "-Infinity", "NaN", "'it\\'s'", "'a\\\nb'", '"\\x41"', "'\\0'", "{$a_1:1}",
    "{a-b:1}", "\u00a01", "[1 /*x*/ , 2]", "{'a\"b':1}", "'\\v\\f'", "infinity", "-NaN", "1e1000", "QNaN", "SNaN", "inf",
)  # fmt: skip
BROKEN = (
    "", " ", "nul", "True", "01", "1.", "-", "1e", "[1", "[1,,2]", "[,]", "{", '{"a"}', '{"a":}', '{"a":1', '{1:2}', '"abc', "'abc", '"\\q"', '"\\u12"', "[1]x", "1 2", "{a b:1}", "\t", "[1 2]", '{"a" 1}', "/* 1",
    '{"a":1,,}', "--1", "0x", "1e+", '"a\nb"', '"\x01"',
)  # fmt: skip
PATHS = ("$", "$.a", "$.a.b", "$.a.b[0]", "$.a.b[1].c", "$[0]", "$[1]", "$[#]", "$[#-1]", "$[#-9]", "$.d", "$.x", "$.\"a\"", "$.\"\"", "$.\"a.b\"", "$[7]", "$[0][0]", "$.a[0]", "$[00]")
BAD_PATHS = ("", "a", "$.", "$[", "$[x]", "$[1", "$[-1]", "$x", "$..a", "$.a.", "$[#-]", "$[#-x]", "$[#1]", "$.\"a", "$ .a", "[0]", "$[]", "$[1]a", "NULL", ".a", "$.a b", "$[ 0 ]")


def text(value: str) -> str:
    """An SQL string literal."""
    return "'" + value.replace("'", "''") + "'"


def one_json() -> Iterator[str]:
    """Every function of one JSON over well-formed, JSON5 and broken texts."""
    for value in (*TEXTS, *JSON5, *BROKEN):
        quoted = text(value)
        yield f"SELECT json({quoted})"
        yield f"SELECT hex(jsonb({quoted}))"
        yield f"SELECT json_valid({quoted}), json_error_position({quoted}), " + ", ".join(f"json_valid({quoted}, {flags})" for flags in (1, 2, 4, 5, 6, 8, 9, 15))
        yield f"SELECT json_type({quoted}), json_array_length({quoted}), json_extract({quoted}, '$'), {quoted} -> '$', {quoted} ->> '$', typeof({quoted} ->> '$')"
        yield f"SELECT json_pretty({quoted}), json_pretty({quoted}, '\t'), json_pretty({quoted}, '')"
        yield f"SELECT json_quote({quoted}), json_array({quoted}, json({quoted})), json_object('k', json({quoted}))"
        yield f"SELECT key, value, type, atom, id, parent, fullkey, path, typeof(value) FROM json_each({quoted})"
        yield f"SELECT key, value, type, atom, id, parent, fullkey, path FROM json_tree({quoted})"
        yield f"SELECT key, hex(value), type, hex(atom), id, parent, fullkey, path, typeof(value) FROM jsonb_tree({quoted})"
        yield f"SELECT key, typeof(value), json(value) IS NULL, id FROM jsonb_each(jsonb({quoted}))"
        yield f"SELECT json(jsonb({quoted})), json_valid(jsonb({quoted}), 8), json_valid(jsonb({quoted}), 4), json_type(jsonb({quoted}))"
    for value in ("NULL", "1", "-2.5", "x'01'", "x''", "9e999", "x'3132'", "x'ff'", "x'c1'", "x'1331'", "x'0b31'", "x'ec00'", "x'7b13'"):
        for name in ("json", "json_valid", "json_type", "json_quote", "json_array_length", "json_error_position", "json_pretty", "json_array"):
            yield f"SELECT {name}({value}) AS r"
        yield f"SELECT hex(jsonb({value}))"
        yield "SELECT " + ", ".join(f"json_valid({value}, {flags})" for flags in range(1, 16))
    for flags in ("0", "16", "-1", "NULL", "'x'", "1.9"):
        yield f"SELECT json_valid('1', {flags})"


def paths() -> Iterator[str]:
    """Paths that lead somewhere, nowhere and are none, in every function that takes one."""
    subjects = ('{"a":{"b":[1,{"c":2}]},"d":null,"":5,"a.b":6}', '[10,[20,30],{"a":40}]', "7")
    for path in (*PATHS, *BAD_PATHS):
        for subject in subjects:
            j, p = text(subject), text(path)
            yield f"SELECT json_extract({j}, {p}) AS r, typeof(json_extract({j}, {p}))"
            yield f"SELECT {j} -> {p}, {j} ->> {p}, hex(jsonb_extract({j}, {p}))"
            yield f"SELECT json_type({j}, {p}), json_array_length({j}, {p})"
            yield f"SELECT json_set({j}, {p}, 'N'), json_insert({j}, {p}, 9), json_replace({j}, {p}, json('[0]'))"
            yield f"SELECT json_remove({j}, {p}), hex(jsonb_remove({j}, {p}))"
            yield f"SELECT json_array_insert({j}, {p}, 'I')"
            yield f"SELECT hex(jsonb_set({j}, {p}, 2.5)), hex(jsonb_insert({j}, {p}, NULL)), hex(jsonb_replace({j}, {p}, 'é'))"
            yield f"SELECT key, value, type, atom, id, parent, fullkey, path FROM json_each({j}, {p})"
            yield f"SELECT key, value, type, atom, id, parent, fullkey, path FROM json_tree({j}, {p})"
    for right in ("0", "1", "-1", "-9", "99", "'a'", "'d'", "'0'", "'-1'", "NULL", "1.0", "'a b'", "x'61'", "''", "'$'", "'#'", "'[1]'", "'[#-1]'", "9223372036854775807"):
        for subject in subjects:
            yield f"SELECT {text(subject)} -> {right}, {text(subject)} ->> {right}, typeof({text(subject)} ->> {right})"
    yield "SELECT json_extract('{\"a\":1,\"b\":2}', '$.a', '$.b', '$.c'), json_extract('[1,2]', '$[0]', NULL), hex(jsonb_extract('[1,2]', '$[0]', '$'))"
    yield "SELECT json_extract('[1]', NULL), json_extract(NULL, '$'), json_type(NULL, '$'), json_type('1', NULL), NULL -> 'a', '[1]' -> NULL"


def edits() -> Iterator[str]:
    """Several changes at once, values of every class, merges, arrays and objects made of every class."""
    values = ("NULL", "1", "-0.0", "2.5", "1e300", "9e999", "'x'", "''", "'[1]'", "json('[1]')", "json('{\"a\":1}')", "jsonb('[2]')", "json_array(3)", "x'00'", "json_extract('[[1]]', '$[0]')", "'[[1]]' -> 0", "'[[1]]' ->> 0", "TRUE", "9223372036854775807", "'a\"b\\' || char(10, 1)")
    for value in values:
        for name in ("json_set", "json_insert", "json_replace", "json_array_insert"):
            yield f"SELECT {name}('{{\"a\":[1,2],\"b\":0}}', '$.a[1]', {value}, '$.c', {value}, '$.a[#]', {value})"
            yield f"SELECT hex({name.replace('json', 'jsonb')}('[1,[2]]', '$[1]', {value}, '$[9]', {value}))"
        yield f"SELECT json_array({value}, 1, {value}), hex(jsonb_array({value}))"
        yield f"SELECT json_object('k', {value}, 'k', 2), hex(jsonb_object('k', {value}))"
        yield f"SELECT json_quote({value}), typeof(json_quote({value}))"
        yield f"SELECT json_object({value}, 1)"
        yield f"SELECT json_group_array({value}), json_group_object('k', {value}), hex(jsonb_group_array({value})), hex(jsonb_group_object('é', {value}))"
    for target in ('{"a":1,"b":{"c":2,"d":3}}', "[1,2]", "1", "null", '{"a":{}}', "{}"):
        for patch in ("{}", '{"a":null}', '{"b":{"c":null,"e":{"f":null,"g":5}}}', "[9]", "7", "null", '{"a":{"x":null}}', '{"z":[1,null]}', '{"a":1,"a":null}'):
            yield f"SELECT json_patch({text(target)}, {text(patch)}), hex(jsonb_patch({text(target)}, {text(patch)}))"
    for arguments in ("'{}'", "'{}', '$.a'", "'{}', '$.a', 1, '$.b'", "NULL, '$.a', 1", "'[]', NULL, 1", "'[1,2,3]', '$[0]', 'a', '$[0]', 'b'", "'[]', '$[0]', 1, '$[1]', 2, '$[3]', 4", "'{}', '$.a.b.c', 1", "'{}', '$.a[0]', 1", "'{}', '$.a[1]', 1", "'bad', '$', 1", "'[[]]', '$[0][0][0]', 1", "'1', '$', 2", "'{\"a\":1}', '$', json('[5]')"):
        for name in ("json_set", "json_insert", "json_replace", "json_array_insert", "jsonb_set"):
            yield f"SELECT json({name}({arguments}))" if name == "jsonb_set" else f"SELECT {name}({arguments})"
    for arguments in ("'[1,2,3]'", "'[1,2,3]', '$[1]', '$[1]'", "'[1,2,3]', '$[#-1]', '$[#-1]'", "'{\"a\":{\"b\":1}}', '$.a.b', '$.a'", "'[1]', '$'", "NULL, '$'", "'[1]', NULL", "'[1]', 'x'", "'{\"a\":1,\"a\":2}', '$.a'"):
        yield f"SELECT json_remove({arguments}), hex(jsonb_remove({arguments}))"
    for width in (0, 1, 11, 12, 13, 254, 255, 256, 300, 65534, 65535, 65536):
        yield f"SELECT substr(hex(jsonb_array(printf('%.*c', {width}, 'x'))), 1, 24), length(jsonb_array(printf('%.*c', {width}, 'x'))), length(jsonb('\"' || printf('%.*c', {width}, 'x') || '\"'))"
    for value in ('"a\\u0041"', "'a\\x41'", '"plain"', "1", "-1", "0x10", "1.5", "+.5", "5.", "true", "[[]]", '{"a\\nb":1}', "{a:1}", "{'b':1}", "1e5", "9223372036854775808"):
        yield f"SELECT hex(jsonb({text(value)})), hex(jsonb_array(json({text(value)}))), json(jsonb({text(value)})), hex(jsonb_extract({text(value)}, '$'))"


def subtypes() -> Iterator[str]:
    """Which values are JSON for an outer function: through calls, operators, subqueries, views, CTEs, tables and aggregates."""
    yield "CREATE TABLE docs(id INTEGER PRIMARY KEY, j TEXT, g AS (json_extract(j, '$.a')))"
    yield "INSERT INTO docs(j) VALUES ('{\"a\":[1,2],\"b\":\"[3]\",\"c\":{\"d\":4}}'), ('{\"a\":5,\"b\":\"x\",\"c\":null}'), ('[{\"a\":1},[2],\"[3]\",4]')"
    yield "CREATE VIEW shown AS SELECT id, json(j) AS j, j -> '$.a' AS a, json_extract(j, '$.c') AS c FROM docs"
    yield "CREATE VIEW listed AS SELECT id, json_group_array(value) AS l FROM docs, json_each(j) GROUP BY id"
    expressions = (
        "json('[1]')", "json_array(1)", "json_extract('[[1]]', '$[0]')", "json_extract('[\"[1]\"]', '$[0]')", "'[[1]]' -> 0", "'[[1]]' ->> 0", "'[1]'",
        "coalesce(NULL, json('[1]'))", "ifnull(json('[1]'), 2)", "iif(1, json('[1]'), 2)", "iif(0, 1, json('[1]'))", "CASE WHEN 1 THEN json('[1]') END", "CASE 1 WHEN 2 THEN 3 ELSE json('[1]') END", "nullif(json('[1]'), 2)",
        "likely(json('[1]'))", "max(json('[1]'), '')", "min('z', json('[1]'))", "+json('[1]')", "(json('[1]'))", "json('[1]') COLLATE NOCASE", "json('[1]') || ''", "CAST(json('[1]') AS TEXT)",
        "(SELECT json('[1]'))", "(SELECT x FROM (SELECT json('[1]') AS x))", "(SELECT json_group_array(1))", "(SELECT max(json('[1]')))", "upper(json('[1]'))", "json_quote(json('[1]'))", "json_quote('[1]')",
        "json_set('{}', '$.a', 1)", "json_remove('[1,2]', '$[0]')", "json_patch('{}', '{\"a\":1}')", "json_pretty('[1]')", "jsonb('[1]')", "json_object('a', 1)", "json_array_insert('[1]', '$[0]', 0)", "substr(json('[1]'), 1)", "trim(json('[1]'))", "unlikely(json('[1]'))", "coalesce(json(NULL), json('[1]'))", "json_type('[1]')",
        "replace(json('[1]'), '', '')", "json_extract('[1,[2]]', '$[0]', '$[1]')", "printf('%s', json('[1]'))", "concat(json('[1]'))", "if(1, json('[1]'))",
    )  # fmt: skip
    for expression in expressions:
        yield f"SELECT json_array({expression}), json_quote({expression}), subtype({expression})"
        yield f"SELECT json_object('k', {expression}), json_set('[0]', '$[0]', {expression})"
        yield f"SELECT json_array(x), subtype(x) FROM (SELECT {expression} AS x)"
        yield f"SELECT json_array(x) FROM (SELECT {expression} AS x UNION ALL SELECT 2)"
        yield f"WITH c AS (SELECT {expression} AS x) SELECT json_array(x, x) FROM c"
        yield f"SELECT json_group_array(x), json_group_object('k', x) FROM (SELECT {expression} AS x)"
        yield f"SELECT json_array((SELECT x)) FROM (SELECT {expression} AS x)"
    for source in ("json_each(j)", "json_tree(j)", "jsonb_each(j)", "jsonb_tree(j)"):
        for column in ("value", "atom", "key", "type", "fullkey", "json"):
            if not source.startswith("jsonb") or column not in ("value",):
                yield f"SELECT id, json_group_array({column}) FROM (SELECT docs.id, {column} FROM docs, {source}) GROUP BY id"
                yield f"SELECT json_array(e.{column}), json_quote(e.{column}), subtype(e.{column}) FROM docs, {source} AS e"
            yield f"SELECT docs.id, json_group_array(e.{column}) FROM docs, {source} AS e GROUP BY docs.id"
            yield f"SELECT json_array(x) FROM (SELECT e.{column} AS x FROM docs, {source} AS e)"
            yield f"SELECT json_object('k', (SELECT e.{column} FROM {source} AS e LIMIT 1)) FROM docs"
            yield f"SELECT json_group_object(e.key, e.{column}) FROM docs, {source} AS e WHERE e.key IS NOT NULL"
    for column in ("j", "a", "c", "g"):
        where = "docs" if column == "g" else "shown"
        yield f"SELECT id, json_array({column}) FROM {where}"
        yield f"SELECT json_group_array({column}) FROM {where}"
        yield f"SELECT json_object('x', {column}), json_quote({column}) FROM {where} WHERE id < 3"
        yield f"WITH c AS MATERIALIZED (SELECT {column} AS x FROM {where}) SELECT json_array(x) FROM c"
        yield f"WITH c AS NOT MATERIALIZED (SELECT {column} AS x FROM {where}) SELECT json_array(x) FROM c"
        yield f"SELECT json_array(x) FROM (SELECT {column} AS x FROM {where} ORDER BY id DESC LIMIT 2)"
        yield f"SELECT json_array(x) FROM (SELECT DISTINCT {column} AS x FROM {where})"
        if column != "g":
            yield f"SELECT json_array(max({column})), json_array(min({column})) FROM {where}"
        yield f"SELECT json_group_array({column} ORDER BY id DESC) FROM {where}"
        yield f"SELECT json_group_array(DISTINCT {column}) FROM {where}"
        yield f"SELECT json_group_array({column}) OVER (ORDER BY id) FROM {where}"
        yield f"SELECT json_array(first_value({column}) OVER (ORDER BY id)), json_array(lag({column}) OVER (ORDER BY id)) FROM {where}"
        yield f"SELECT json_group_array({column}) FILTER (WHERE id > 1) FROM {where}"
        yield f"SELECT id, json_array({column}) FROM {where} ORDER BY json_array({column}), id"
    yield "SELECT json_array(l), json_quote(l), id FROM listed"
    yield "SELECT json_group_array(l) FROM listed"
    yield "SELECT json_array(x) FROM (SELECT json_group_array(id) AS x FROM docs)"
    yield "SELECT json_object('all', json_group_array(json_object('id', id, 'doc', json(j)))) FROM docs"
    yield "SELECT json_group_array(json_array(id, (SELECT json_group_array(key) FROM json_each(j)))) FROM docs"
    yield "SELECT json_group_object(id, json(j)) FROM docs"
    yield "SELECT json_array(a.x, b.x) FROM (SELECT json('[1]') AS x) AS a JOIN (SELECT json('[2]') AS x) AS b"
    yield "SELECT json_array(b.x) FROM (SELECT 1) AS a LEFT JOIN (SELECT json('[2]') AS x) AS b"
    yield "SELECT json_array(x) FROM (SELECT json('[1]') AS x GROUP BY 1)"
    yield "SELECT json_array(x) FROM (SELECT json_group_array(1) AS x UNION SELECT json('[2]'))"
    yield "SELECT json_array(x) FROM (VALUES (json('[1]'))) AS v(x)"
    yield "SELECT json_array(column1) FROM (VALUES (json('[1]')), ('[2]'))"
    yield "WITH RECURSIVE r(x, n) AS (SELECT json('[]'), 0 UNION ALL SELECT json_set(x, '$[#]', n), n + 1 FROM r WHERE n < 3) SELECT json_array(x) FROM r"
    yield "WITH RECURSIVE r(x, n) AS (SELECT json('[]'), 0 UNION ALL SELECT json_array(x, n), n + 1 FROM r WHERE n < 3) SELECT x FROM r"
    yield "UPDATE docs SET j = json_array(json(j), j) WHERE id = 2 RETURNING json_array(j || ''), json_quote(json(j))"
    yield "CREATE TRIGGER tr AFTER INSERT ON docs BEGIN UPDATE docs SET j = json_object('old', new.j || '', 'doc', json(new.j)) WHERE id = new.id; END"
    yield "INSERT INTO docs(j) VALUES (json('[7]')) RETURNING j, json_array(j || '')"
    yield "SELECT j FROM docs WHERE id = 4"


def each_in_queries() -> Iterator[str]:
    """json_each and json_tree as tables: joins, constraints on their columns, hidden columns, aliases, subqueries, errors."""
    yield "CREATE TABLE d(id INTEGER PRIMARY KEY, j)"
    yield "INSERT INTO d(j) VALUES ('[1,2,3]'), ('{\"a\":[4,5],\"b\":\"x\"}'), ('\"s\"'), (NULL), (jsonb('[[6],{\"k\":7}]'))"
    for name in ("json_each", "json_tree"):
        yield f"SELECT d.id, e.key, e.value FROM d, {name}(d.j) AS e"
        yield f"SELECT d.id, e.* FROM d LEFT JOIN {name}(d.j) AS e"
        yield f"SELECT d.id, count(e.key), count(*) FROM d LEFT JOIN {name}(d.j) AS e GROUP BY d.id"
        yield f"SELECT d.id FROM d WHERE EXISTS (SELECT 1 FROM {name}(d.j) WHERE atom > 4)"
        yield f"SELECT d.id FROM d WHERE 5 IN (SELECT atom FROM {name}(d.j))"
        yield f"SELECT * FROM {name} WHERE json = '[1,[2]]'"
        yield f"SELECT key, value FROM {name} WHERE json = '[1,[2]]' AND root = '$[1]'"
        yield f"SELECT key, json, root FROM {name}('[1,[2]]', '$[1]')"
        yield f"SELECT * FROM {name}"
        yield f"SELECT * FROM {name}('[1]', '$', 3)"
        yield f"SELECT * FROM {name}()"
        yield f"SELECT rowid, key FROM {name}('[10,20]')"
        yield f"SELECT count(*), sum(value), max(id), group_concat(type) FROM {name}('[10,20]')"
        yield f"SELECT key FROM {name}('[10,20,30]') WHERE value > 15 ORDER BY value DESC LIMIT 1"
        yield f"SELECT a.value, b.value FROM {name}('[1,2]') AS a, {name}('[2,3]') AS b WHERE a.value = b.value"
        yield f"SELECT a.key, b.key FROM {name}('[[1],[2]]') AS a, {name}(a.value) AS b WHERE a.type = 'array'"
        yield f"SELECT x FROM (SELECT value AS x FROM {name}('[3,1,2]')) ORDER BY x"
        yield f"INSERT INTO {name} VALUES (1)"
        yield f"DELETE FROM {name}"
        yield f"CREATE TABLE {name}_t AS SELECT * FROM {name}('[1,\"x\",null]')"
        yield f"SELECT *, typeof(value) FROM {name}_t"
        yield f"SELECT sql FROM sqlite_schema WHERE name = '{name}_t'"
        yield f"CREATE VIEW {name}_v AS SELECT key, value FROM {name}('[7,8]')"
        yield f"SELECT * FROM {name}_v WHERE value = 8"
        yield f"SELECT main.{name}.key FROM main.{name}('[1]')"
        yield f"SELECT key FROM temp.{name}('[1]')"
        yield f"SELECT * FROM {name}('{{\"a\":1}}', NULL)"
        yield f"SELECT * FROM {name}(NULL, '$')"
        yield f"SELECT fullkey, path FROM {name}('{{\"a b\":[{{\"c\\\"d\":1}}],\"é\":2,\"1\":3,\"_x\":4}}')"
        yield f"SELECT json_valid(value, 6), id FROM {name}('[[1],\"a\"]')"
        yield f"WITH x AS (SELECT * FROM {name}('[1,2]')) SELECT a.key, b.value FROM x AS a JOIN x AS b USING (key)"
        yield f"SELECT key, lag(value) OVER (ORDER BY key) FROM {name}('[5,6,7]') WHERE key IS NOT NULL"
        yield f"SELECT d.id, (SELECT group_concat(value, '+') FROM {name}(d.j) WHERE atom IS NOT NULL) FROM d WHERE d.id < 4"
        yield f"PRAGMA table_xinfo({name})"
        yield f"PRAGMA table_info({name})"


TABLES = {
    "081-one-json": one_json,
    "082-paths": paths,
    "084-edits": edits,
    "073-subtypes": subtypes,
    "085-each-in-queries": each_in_queries,
}
