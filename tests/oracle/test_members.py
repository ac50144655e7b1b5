"""Every public member of the running Python's `sqlite3`, with its signature, is in this module; `sqlite3.dbapi2` likewise."""

import inspect
import sqlite3
import sqlite3.dbapi2
import types

import pytest

import minisql
import minisql.dbapi2

CLASSES = ("Connection", "Cursor", "Row", "Blob", "PrepareProtocol", "Error", "Warning")
LATER = {("Connection", "iterdump")}
"""Methods that take more than an older Python's: the `filter` of Python 3.13."""


def public_names(owner):
    return {name for name in dir(owner) if not name.startswith("_")}


def shape(member):
    """Names, kinds and defaults of parameters; None where the standard module's has no signature to look at."""
    try:
        parameters = inspect.signature(member).parameters.values()
    except (ValueError, TypeError):
        return None
    return [(each.name, each.kind, each.default) for each in parameters if each.name != "self"]


@pytest.mark.parametrize(("standard", "ours"), [(sqlite3, minisql), (sqlite3.dbapi2, minisql.dbapi2)])
def test_module_has_every_name(standard, ours):
    wanted = {name for name in public_names(standard) if not isinstance(getattr(standard, name), types.ModuleType)}
    assert wanted - public_names(ours) == set()
    numbers = {name: getattr(standard, name) for name in wanted if isinstance(getattr(standard, name), int)}
    assert {name: getattr(ours, name) for name in numbers} == numbers
    assert (ours.apilevel, ours.paramstyle, ours.threadsafety) == (standard.apilevel, standard.paramstyle, 3)


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_every_member_with_its_signature(name):
    standard, ours = getattr(sqlite3, name), getattr(minisql, name)
    assert public_names(standard) - public_names(ours) == set()
    for member in public_names(standard):
        expected = shape(getattr(standard, member))
        if expected is not None and (name, member) not in LATER and callable(getattr(standard, member)):
            assert shape(getattr(ours, member)) == expected, member
    assert [kind.__name__ for kind in ours.__mro__ if issubclass(kind, Exception)] == [
        kind.__name__ for kind in standard.__mro__ if issubclass(kind, Exception)
    ]


@pytest.mark.parametrize("name", ["complete_statement", "enable_callback_tracebacks", "register_adapter", "register_converter", "DateFromTicks"])
def test_function_has_its_signature(name):
    assert shape(getattr(minisql, name)) == shape(getattr(sqlite3, name))


def test_later_members_are_there():
    connection = minisql.connect(":memory:", autocommit=True)
    assert connection.autocommit is True
    assert connection.getconfig(minisql.SQLITE_DBCONFIG_ENABLE_TRIGGER) is True
    connection.setconfig(minisql.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    assert connection.getconfig(minisql.SQLITE_DBCONFIG_ENABLE_TRIGGER) is False
    assert list(connection.iterdump(filter="nothing")) == ["BEGIN TRANSACTION;", "COMMIT;"]
    assert minisql.LEGACY_TRANSACTION_CONTROL == -1
    connection.close()
