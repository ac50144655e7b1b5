"""Schema objects from CREATE statements: keys, automatic indexes, shapes, errors."""

import pytest

from minisql.catalog.build import build_index, build_table
from minisql.errors import OperationalError
from minisql.parser import parse_one
from minisql.values.affinity import BLOB, INTEGER, NUMERIC, REAL, TEXT
from minisql.values.collation import BUILT_IN


def find(name):
    return BUILT_IN.get(name.upper())


def table(sql, **options):
    parsed, _ = parse_one(sql)
    return build_table(parsed.statement, 0, "main", find, 2, sql, **options)


def index(sql, owner):
    parsed, _ = parse_one(sql)
    return build_index(parsed.statement, owner, find, 3, sql)


def test_columns_have_affinity_and_standard_types_in_upper_case():
    t = table("create table t(a integer, b varchar(10), c, d double, e decimal(5,2), f blob, g Text)")
    assert [c.affinity for c in t.columns] == [INTEGER, TEXT, BLOB, REAL, NUMERIC, BLOB, TEXT]
    assert [c.declared_type for c in t.columns] == ["INTEGER", "varchar(10)", "", "double", "decimal(5,2)", "BLOB", "TEXT"]


@pytest.mark.parametrize(
    ("sql", "alias"),
    [
        ("create table t(a integer primary key)", 0),
        ("create table t(x, a integer, primary key(a))", 1),
        ("create table t(a integer, primary key(a desc))", 0),
        ("create table t(a integer primary key desc)", -1),
        ("create table t(a int primary key)", -1),
        ("create table t(a integer primary key) without rowid", -1),
    ],
)
def test_rowid_alias(sql, alias):
    assert table(sql).rowid_alias == alias


def test_automatic_indexes_are_numbered_and_listed_newest_first():
    t = table("create table t(a unique, b unique on conflict replace, c unique, d, primary key(d, a))")
    names = [i.name for i in t.indexes]
    assert names == [f"sqlite_autoindex_t_{n}" for n in (4, 3, 1, 2)]
    assert [i.origin for i in t.indexes] == ["pk", "u", "u", "u"]


def test_equal_unique_constraints_share_an_index():
    t = table("create table t(a unique, b, unique(a collate nocase), unique(a), unique(b, a), primary key(a))")
    assert [(i.name, i.origin) for i in t.indexes] == [
        ("sqlite_autoindex_t_3", "u"),
        ("sqlite_autoindex_t_2", "u"),
        ("sqlite_autoindex_t_1", "pk"),
    ]


def test_without_rowid_stores_the_key_first():
    t = table("create table t(a, b, c as (a), d real, primary key(d, b, d)) without rowid")
    assert t.storage_columns == [3, 1, 0]
    assert [c.storage_position for c in t.columns] == [2, 1, -1, 0]
    assert (t.shape.n_fields, t.shape.n_key_fields, t.shape.real_fields) == (3, 2, (0,))
    assert t.indexes[0].is_clustered and t.columns[3].is_not_null


def test_index_entries_end_with_the_rowid_or_the_missing_key_columns():
    rowid = index("create index i on t(b, a desc)", table("create table t(a, b)"))
    assert [c.position for c in rowid.entry_columns] == [1, 0, -1]
    assert rowid.shape.descending == (False, True, False)
    clustered = table("create table t(a, b, c, primary key(b, a)) without rowid")
    assert [c.position for c in index("create index i on t(c, b)", clustered).entry_columns] == [2, 1, 0]


def test_collate_behind_unique_governs_the_index():
    t = table("create table t(a unique collate nocase)")
    assert t.indexes[0].columns[0].collation.name == "NOCASE"


def test_defaults_of_short_records_have_the_column_affinity():
    t = table("create table t(a, b text default 5, c int default '7', d default (1+1), e default -2, f default true)")
    assert t.shape.defaults == (None, "5", 7, None, -2, 1)


def test_strict_primary_key_is_not_null_and_any_keeps_values():
    t = table("create table t(a int primary key, b any) strict")
    assert t.columns[0].is_not_null and t.columns[1].affinity == BLOB


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("create table t(a, A)", "duplicate column name: A"),
        ("create table t(a primary key, b primary key)", 'table "t" has more than one primary key'),
        ("create table t(a text primary key autoincrement)", "AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY"),
        ("create table t(a integer primary key autoincrement) without rowid", "AUTOINCREMENT not allowed on WITHOUT ROWID tables"),
        ("create table t(a) without rowid", "PRIMARY KEY missing on table t"),
        ("create table t(a) strict", "missing datatype for t.a"),
        ("create table t(a foo) strict", 'unknown datatype for t.a: "foo"'),
        ("create table t(a, unique(b))", "no such column: b"),
        ("create table t(a, unique(a+1))", "expressions prohibited in PRIMARY KEY and UNIQUE constraints"),
        ("create table t(a, unique(a nulls first))", "unsupported use of NULLS FIRST"),
        ("create table t(a, foreign key(c) references x)", 'unknown column "c" in foreign key definition'),
        ("create table t(a references x(y, z))", "foreign key on a should reference only one column of table x"),
        ("create table t(a default (b))", "default value of column [a] is not constant"),
        ("create table t(a as (1))", "must have at least one non-generated column"),
        ("create table t(a primary key as (1), b)", "generated columns cannot be part of the PRIMARY KEY"),
        ("create table t(a default 3 as (1), b)", 'error in generated column "a"'),
        ("create table t(a collate foo)", "no such collation sequence: foo"),
        ("create table t(a unique on conflict replace, unique(a) on conflict ignore)", "conflicting ON CONFLICT clauses specified"),
    ],
)
def test_wrong_definitions(sql, message):
    with pytest.raises(OperationalError) as info:
        table(sql)
    assert str(info.value) == message


def test_loading_tolerates_an_unknown_collation_until_it_is_used():
    t = table("create table t(a unique collate foo)", is_loading=True)
    with pytest.raises(OperationalError, match="no such collation sequence: foo"):
        t.indexes[0].columns[0].collation.compare("a", "b")
