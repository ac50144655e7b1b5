"""Every PRAGMA as a statement and as a table-valued function: read, set to every kind of value, with a schema, over a schema with everything.

Written from pragma.html.  Left out: function_list, module_list and compile_options (what a build has), busy_timeout and heap limits of the process.
"""

from __future__ import annotations

from collections.abc import Iterator

SCHEMA = (
    "CREATE TABLE t(a INT PRIMARY KEY, b TEXT COLLATE NOCASE DEFAULT 'x' NOT NULL, c AS (a + 1), d REAL DEFAULT 2.5, e AS (b) STORED, UNIQUE(b, d))",
    "CREATE INDEX i ON t(b DESC, c)",
    "CREATE UNIQUE INDEX j ON t(a || b, lower(b) COLLATE RTRIM) WHERE b > 1",
    "CREATE TABLE f(x REFERENCES t(a) ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, y, z REFERENCES f, FOREIGN KEY(x, y) REFERENCES t(a, b) MATCH FULL)",
    "CREATE TABLE w(p, q INTEGER, r TEXT, s REAL, PRIMARY KEY(q DESC, p)) WITHOUT ROWID",
    "CREATE INDEX wi ON w(r COLLATE NOCASE, p)",
    "CREATE TABLE au(id INTEGER PRIMARY KEY AUTOINCREMENT, z DEFAULT CURRENT_TIMESTAMP, \"odd name\" 'odd type')",
    "CREATE TABLE st(a INT, b ANY, c TEXT PRIMARY KEY) STRICT",
    "CREATE VIEW v AS SELECT a, b, 1 + 1, count(*) AS n FROM t",
    "CREATE VIEW v2(p, q) AS SELECT b, max(d) FROM t",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END",
    "CREATE TEMP TABLE tt(k PRIMARY KEY, m DEFAULT -1)",
    "CREATE TEMP VIEW tv AS SELECT * FROM tt",
    "ATTACH ':memory:' AS aux1",
    "CREATE TABLE aux1.t(other UNIQUE, more BLOB)",
    "CREATE INDEX aux1.ot ON t(more)",
    "INSERT INTO t(a, b, d) VALUES (1, '2', 3), (2, 'z', 4)",
    "INSERT INTO f(x, y) VALUES (9, 'q'), (1, '2')",
    "INSERT INTO w VALUES (1, 2, 'r', 4)",
    "INSERT INTO au(z) VALUES (1)",
)
OF_TABLES = ("table_info", "table_xinfo", "index_list", "foreign_key_list", "table_list", "foreign_key_check")
UNORDERED = ("table_list",)
OF_INDEXES = ("index_info", "index_xinfo")
TABLE_NAMES = ("t", "T", "f", "w", "au", "st", "v", "v2", "tt", "tv", "sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_sequence", "nope")
INDEX_NAMES = ("i", "j", "wi", "ot", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2", "sqlite_autoindex_w_1", "sqlite_autoindex_st_1", "sqlite_autoindex_tt_1", "w", "t", "nope")
FLAGS = (
    "automatic_index", "cell_size_check", "checkpoint_fullfsync", "count_changes", "defer_foreign_keys", "empty_result_callbacks", "foreign_keys", "full_column_names", "fullfsync",
    "ignore_check_constraints", "legacy_alter_table", "query_only", "read_uncommitted", "recursive_triggers", "reverse_unordered_selects", "short_column_names", "trusted_schema", "writable_schema",
)  # fmt: skip
SETTINGS = (
    "analysis_limit", "application_id", "auto_vacuum", "cache_size", "cache_spill", "encoding", "journal_mode", "journal_size_limit", "locking_mode", "max_page_count", "mmap_size", "page_size", "secure_delete", "synchronous",
    "temp_store", "temp_store_directory", "threads", "user_version", "wal_autocheckpoint",
)  # fmt: skip
READ_ONLY = ("collation_list", "data_version", "database_list", "freelist_count", "page_count", "schema_version", "integrity_check", "quick_check", "foreign_key_check", "wal_checkpoint", "incremental_vacuum", "shrink_memory", "optimize", "pragma_list")
NUMBERS = ("0", "1", "2", "3", "-1", "+5", "7.9", "'1'", "\"0\"", "on", "OFF", "yes", "no", "true", "False", "maybe", "''", "0x10", "99999999999", "NULL", "full", "none", "fast", "delete")


def schema_pragmas() -> Iterator[str]:
    """Descriptions of tables, views and indexes, in each form, with and without a schema."""
    yield from SCHEMA
    for names, pragmas in ((TABLE_NAMES, OF_TABLES), (INDEX_NAMES, OF_INDEXES)):
        for pragma in pragmas:
            for name in names:
                yield f"PRAGMA {pragma}({name})"
                yield f"SELECT * FROM pragma_{pragma}('{name}')"
                for schema in ("main", "temp", "aux1"):
                    yield f"PRAGMA {schema}.{pragma}({name})"
                    yield f"SELECT * FROM pragma_{pragma}('{name}', '{schema}')"
            yield f"PRAGMA {pragma} = {names[0]}"
            if pragma not in UNORDERED:
                yield f"PRAGMA {pragma}"
                yield f"SELECT * FROM pragma_{pragma}"
                yield f"SELECT * FROM pragma_{pragma}(NULL)"
            else:
                yield f"SELECT * FROM pragma_{pragma} ORDER BY 1, 2"
            yield f"PRAGMA nope.{pragma}({names[0]})"
            yield f"SELECT * FROM pragma_{pragma}('{names[0]}', 'nope')"
            yield f"SELECT count(*), arg, schema FROM pragma_{pragma}('{names[0]}')"
            yield f"SELECT * FROM pragma_{pragma} WHERE arg = '{names[1]}' AND schema = 'main'"
            yield f"SELECT * FROM pragma_{pragma}('{names[0]}', 'main', 3)"
            yield f"PRAGMA table_xinfo(pragma_{pragma})"
    yield "SELECT m.name, i.* FROM sqlite_schema AS m, pragma_index_list(m.name) AS i WHERE m.type = 'table' ORDER BY 1, 2"
    yield "SELECT m.name, c.name, c.type FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY m.name, c.cid"
    yield "SELECT il.name, ii.name, ii.desc, ii.coll FROM pragma_index_list('t') AS il, pragma_index_xinfo(il.name) AS ii ORDER BY 1, ii.seqno"
    yield "SELECT t.name, x.name FROM pragma_table_list AS t LEFT JOIN pragma_table_xinfo(t.name, t.schema) AS x WHERE t.schema = 'main' AND t.name <> 'sqlite_schema' ORDER BY 1, x.cid"
    yield "SELECT group_concat(name, ',') FROM pragma_table_info('t')"
    yield "SELECT 1 FROM pragma_table_info('t') WHERE name = 'b' COLLATE NOCASE AND pk = 0"
    yield "SELECT max(cid), typeof(cid), typeof(dflt_value) FROM pragma_table_info('t')"
    yield "CREATE VIEW pv AS SELECT name FROM pragma_table_info('t')"
    yield "SELECT * FROM pv"
    yield "SELECT rowid, name FROM pragma_table_info('t')"
    yield "INSERT INTO pragma_table_info VALUES (1)"
    yield "SELECT * FROM temp.pragma_table_info('t')"
    yield "SELECT * FROM main.pragma_table_info('t')"
    yield "SELECT * FROM pragma_nope"
    yield "CREATE TABLE pragma_user_version(x)"
    yield "SELECT * FROM pragma_user_version"


def settings() -> Iterator[str]:
    """Each setting read, set to each kind of value, and read again in each form."""
    for pragma in (*FLAGS, *SETTINGS):
        yield ".reset"
        yield "CREATE TABLE some(a)"
        yield f"PRAGMA {pragma}"
        for value in NUMBERS:
            yield f"PRAGMA {pragma} = {value}"
            yield f"PRAGMA {pragma}"
        yield f"PRAGMA main.{pragma}(1)"
        yield f"PRAGMA main.{pragma}"
        yield f"PRAGMA temp.{pragma}"
        yield f"PRAGMA nope.{pragma}"
        yield f"SELECT * FROM pragma_{pragma}"
        yield f"SELECT * FROM pragma_{pragma}('0')"
        yield f"SELECT * FROM pragma_{pragma}(1, 'main')"
        yield f"PRAGMA {pragma.upper()}"
        yield f"PRAGMA {pragma} = 1 + 1"
        yield f"PRAGMA {pragma}(a, b)"
        yield f"EXPLAIN QUERY PLAN PRAGMA {pragma}"
        yield "BEGIN"
        yield f"PRAGMA {pragma} = 1"
        yield f"PRAGMA {pragma}"
        yield "ROLLBACK"
        yield f"PRAGMA {pragma}"
    for pragma in READ_ONLY:
        yield ".reset"
        for sql in ("CREATE TABLE some(a UNIQUE, b REFERENCES some)", "INSERT INTO some VALUES (1, 2), (2, 2)"):
            yield sql
        for form in ("PRAGMA {p}", "PRAGMA {p} = 1", "PRAGMA {p}(1)", "PRAGMA {p}('x')", "PRAGMA main.{p}", "PRAGMA temp.{p}", "PRAGMA nope.{p}", "SELECT * FROM pragma_{p}", "SELECT * FROM pragma_{p}(1)", "SELECT * FROM pragma_{p}('some')", "PRAGMA {p}(some)"):
            yield form.replace("{p}", pragma)
    for sql in ("PRAGMA no_such", "PRAGMA no_such = 1", "PRAGMA main.no_such", "SELECT * FROM pragma_no_such", "PRAGMA", "PRAGMA 1", "PRAGMA a.b.c", "PRAGMA user_version = ", "PRAGMA user_version(1", "PRAGMA user_version = -", "PRAGMA 'user_version'", "PRAGMA \"user_version\"", "PRAGMA [user_version] = 4", "PRAGMA user_version", "PRAGMA user_version = default", "PRAGMA user_version = -0x5", "PRAGMA user_version = 1e3", "PRAGMA case_sensitive_like", "PRAGMA lock_status", "PRAGMA vdbe_debug = 1", "PRAGMA default_cache_size", "PRAGMA user_version = x'01'", "PRAGMA user_version = ?1"):
        yield sql


def effects() -> Iterator[str]:
    """What a setting changes in other statements' results."""
    yield "CREATE TABLE t(a INTEGER PRIMARY KEY, b CHECK (b < 100))"
    yield "CREATE TABLE u(x REFERENCES t)"
    yield "PRAGMA count_changes = 1"
    for sql in ("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)", "UPDATE t SET b = b + 1 WHERE a > 1", "DELETE FROM t WHERE a = 3", "REPLACE INTO t VALUES (1, 5)", "INSERT INTO t SELECT a + 10, b FROM t", "INSERT INTO t VALUES (50, 1) RETURNING a", "UPDATE t SET b = 0 WHERE 0", "DELETE FROM t WHERE a = 50 RETURNING b", "INSERT INTO t VALUES (1, 6) ON CONFLICT DO UPDATE SET b = 6", "INSERT OR IGNORE INTO t VALUES (1, 7)", "WITH x AS (SELECT 1) DELETE FROM u", "INSERT INTO t DEFAULT VALUES", "CREATE VIEW tv AS SELECT * FROM t", "CREATE TRIGGER tvt INSTEAD OF INSERT ON tv BEGIN INSERT INTO t VALUES (new.a, new.b); INSERT INTO u VALUES (new.a); END", "INSERT INTO tv VALUES (70, 7), (71, 7)", "CREATE TABLE cc AS SELECT 1", "UPDATE t SET b = 200"):
        yield sql
    yield "PRAGMA count_changes = 0"
    yield "DELETE FROM u"
    yield "PRAGMA full_column_names = 1"
    yield "PRAGMA short_column_names = 0"
    for sql in ("SELECT a, b FROM t LIMIT 1", "SELECT * FROM t AS z LIMIT 1", "SELECT t.a AS q, 1 + 1, t.rowid FROM t LIMIT 1", "SELECT x.*, y.b FROM t AS x JOIN t AS y USING (a) LIMIT 1", "SELECT * FROM (SELECT a FROM t) AS s LIMIT 1", "SELECT a FROM tv LIMIT 1"):
        yield sql
    yield "PRAGMA full_column_names = 0"
    for sql in ("SELECT a, b FROM t LIMIT 1", "SELECT * FROM t AS z LIMIT 1", "SELECT t.a, t . b FROM t LIMIT 1"):
        yield sql
    yield "PRAGMA short_column_names = 1"
    yield "SELECT t.a, t . b FROM t LIMIT 1"
    yield "PRAGMA query_only = 1"
    for sql in ("INSERT INTO t VALUES (99, 9)", "CREATE TABLE n(a)", "DELETE FROM t", "SELECT count(*) FROM t", "PRAGMA user_version = 5", "BEGIN IMMEDIATE", "ROLLBACK", "CREATE TEMP TABLE tq(a)", "DROP TABLE u", "VACUUM", "ANALYZE", "REINDEX"):
        yield sql
    yield "PRAGMA query_only = 0"
    yield "PRAGMA ignore_check_constraints = 1"
    yield "INSERT INTO t VALUES (200, 500)"
    yield "PRAGMA ignore_check_constraints = 0"
    yield "UPDATE t SET b = 501 WHERE a = 200"
    yield "PRAGMA integrity_check"
    yield "PRAGMA quick_check(t)"
    yield "DELETE FROM t WHERE a = 200"
    yield "PRAGMA foreign_keys = 1"
    for sql in ("INSERT INTO u VALUES (12345)", "PRAGMA defer_foreign_keys = 1", "BEGIN", "PRAGMA defer_foreign_keys = 1", "INSERT INTO u VALUES (12345)", "PRAGMA foreign_key_check", "SELECT * FROM pragma_foreign_key_check", "COMMIT", "ROLLBACK", "PRAGMA defer_foreign_keys", "PRAGMA foreign_keys = 0", "INSERT INTO u VALUES (12345)", "PRAGMA foreign_key_check(u)", "PRAGMA foreign_key_check(t)", "PRAGMA foreign_key_check('nope')"):
        yield sql
    yield "PRAGMA reverse_unordered_selects = 1"
    for sql in ("SELECT a FROM t", "SELECT a FROM t ORDER BY a LIMIT 2", "SELECT a FROM t WHERE a > 1", "SELECT t.a, u.x FROM t, u", "SELECT group_concat(a) FROM t", "SELECT a FROM t GROUP BY b"):
        yield sql
    yield "PRAGMA reverse_unordered_selects = 0"
    yield "PRAGMA recursive_triggers = 1"
    for sql in ("CREATE TABLE r(n)", "CREATE TRIGGER rt AFTER INSERT ON r WHEN new.n < 3 BEGIN INSERT INTO r VALUES (new.n + 1); END", "INSERT INTO r VALUES (0)", "SELECT * FROM r", "PRAGMA recursive_triggers = 0", "INSERT INTO r VALUES (0)", "SELECT count(*) FROM r"):
        yield sql
    yield "PRAGMA user_version = 17"
    yield "PRAGMA application_id = -2"
    yield "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id"
    yield "PRAGMA schema_version"
    yield "CREATE TABLE another(a)"
    yield "PRAGMA schema_version"
    yield "PRAGMA max_page_count = 1"
    yield "PRAGMA max_page_count = 8"
    yield "INSERT INTO another VALUES (1)"
    yield "SELECT count(*) FROM another"
    for limit in ("length", "nope"):
        yield f"PRAGMA {limit} = 3"
    yield "PRAGMA writable_schema = 1"
    for sql in ("UPDATE sqlite_schema SET sql = 'CREATE TABLE another(a, b)' WHERE name = 'another'", "PRAGMA writable_schema = RESET", "SELECT * FROM another", "UPDATE sqlite_schema SET sql = ''", "PRAGMA table_info(another)", "INSERT INTO another VALUES (1, 2)"):
        yield sql


def files() -> Iterator[str]:
    """What only a file shows: pages, vacuum, journal modes, checkpoints, dbstat."""
    for page_size, vacuum in (("1024", "none"), ("512", "full"), ("4096", "incremental")):
        yield ".file"
        yield f"PRAGMA page_size = {page_size}"
        yield f"PRAGMA auto_vacuum = {vacuum}"
        yield from (
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "CREATE TABLE i(a UNIQUE)", "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 200) SELECT n, printf('%.*c', n, 'x') FROM r",
            "PRAGMA page_size", "PRAGMA auto_vacuum", "PRAGMA freelist_count", "PRAGMA encoding", "PRAGMA journal_mode", "PRAGMA synchronous", "PRAGMA locking_mode", "PRAGMA cache_size", "PRAGMA secure_delete",
            "SELECT name, path, pagetype, ncell, payload, unused, mx_payload, pgsize, schema FROM dbstat WHERE name = 't'", "SELECT name, pageno, ncell, payload, unused, mx_payload, pgsize FROM dbstat WHERE aggregate = 1", "SELECT * FROM dbstat('main', 1) WHERE name = 'i'", "SELECT count(*) FROM dbstat WHERE name = 't' AND pagetype = 'overflow'", "SELECT sum(pgsize) = (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) FROM dbstat", "SELECT * FROM dbstat('temp')", "SELECT name FROM dbstat('nope')", "SELECT name FROM dbstat WHERE schema = 'main' AND path = '/'",
            "PRAGMA page_count", "DELETE FROM t WHERE a > 20", "PRAGMA freelist_count", "PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA page_count", "PRAGMA auto_vacuum = 1", "PRAGMA auto_vacuum", "PRAGMA auto_vacuum = 2", "PRAGMA auto_vacuum",
            "PRAGMA page_size = 2048", "PRAGMA page_size", "VACUUM", "PRAGMA page_size", "PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA integrity_check", "SELECT name, pagetype, count(*), sum(ncell) FROM dbstat GROUP BY 1, 2",
            "PRAGMA journal_mode = persist", "PRAGMA journal_mode = truncate", "PRAGMA journal_mode = memory", "PRAGMA journal_mode = off", "PRAGMA journal_mode = wal", "PRAGMA journal_mode", "PRAGMA page_size = 512", "VACUUM", "PRAGMA page_size", "INSERT INTO t VALUES (1000, 'w')", "PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(full)", "PRAGMA wal_checkpoint(restart)", "PRAGMA wal_checkpoint(truncate)", "PRAGMA wal_checkpoint(noop)", "PRAGMA wal_checkpoint(nope)", "SELECT * FROM pragma_wal_checkpoint", "PRAGMA wal_autocheckpoint = 5", "PRAGMA wal_autocheckpoint = -3", "PRAGMA wal_autocheckpoint",
            "BEGIN", "INSERT INTO t VALUES (1001, 'w')", "PRAGMA journal_mode = delete", "PRAGMA wal_checkpoint", "COMMIT", "PRAGMA journal_mode = delete", "PRAGMA locking_mode = exclusive", "SELECT count(*) FROM t", "PRAGMA locking_mode = normal", "PRAGMA main.locking_mode", "PRAGMA journal_size_limit = 1000", "PRAGMA mmap_size", "PRAGMA mmap_size = 0", "PRAGMA synchronous = off", "PRAGMA synchronous", "PRAGMA synchronous = extra", "PRAGMA synchronous",
            "PRAGMA encoding = 'UTF-16'", "PRAGMA encoding", "ANALYZE", "PRAGMA optimize", "PRAGMA optimize(-1)", "PRAGMA schema_version", "PRAGMA schema_version = 77", "PRAGMA schema_version", "PRAGMA quick_check(1)", "PRAGMA integrity_check('t')", "PRAGMA integrity_check(nope)", "PRAGMA cache_size = -500", "PRAGMA cache_size", "PRAGMA max_page_count",
        )  # fmt: skip


TABLES = {
    "091-schema-pragmas": schema_pragmas,
    "098-settings": settings,
    "098-effects": effects,
    "089-files": files,
}
