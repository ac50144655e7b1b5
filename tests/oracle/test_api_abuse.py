"""Wrong use of the DB-API: a table of calls on the standard library's module and on this one, the same exceptions and texts.

Every line is an expression over `m` (the module), `c` (a connection with a table t(a) of one blob), `cu` (its cursor), `b` (a blob
handle), and what `STATES` defines; each runs on fresh objects.  `KINDS_ONLY` are calls whose texts come from the C type machinery
and differ: there the exception's class counts.
"""

import copy
import pickle
import re
import sqlite3
import sys
import threading
import warnings
from types import SimpleNamespace

import pytest

import minisql

CALLS = r"""
c.commit(1)
c.commit(x=1)
c.rollback(1)
c.close(1)
cu.fetchone(1)
cu.fetchall(1)
cu.fetchmany(1,2)
cu.fetchmany('a')
cu.fetchmany(-1)
cu.fetchmany(1.5)
cu.fetchmany(size=2**70)
cu.execute()
cu.execute(1)
cu.execute(None)
cu.execute(b'select 1')
cu.execute('select 1',(),3)
cu.execute('select 1',(),3,4)
c.execute()
c.execute(1)
c.execute('a',(),3)
c.executemany('x')
c.executemany()
c.executemany(1,1)
c.executemany('a',1,2)
cu.executemany('x')
cu.executemany(1,[])
c.executescript()
c.executescript(1)
c.executescript('a',2)
c.executescript('select 1;\0')
cu.executescript()
cu.executescript(1)
cu.executescript(b'a')
cu.executescript('a',2)
cu.executescript('selec')
cu.executescript('select 1; selec')
c.create_function()
c.create_function('a')
c.create_function('a',1,2,3)
c.create_function('a',1,2)
c.create_function('a',1,len,foo=2)
c.create_function('a',1,len,name=2)
c.create_function(1,1,len)
c.create_function(None,1,len)
c.create_function('a','b',len)
c.create_function('a',1.0,len)
c.create_function('a',None,len)
c.create_function('a',-2,len)
c.create_function('a',128,len)
c.create_function('a',2**40,len)
c.create_function('a',2**70,len)
c.create_function('a'*300,1,len)
c.create_function('a\0b',1,len)
c.create_function('\ud800',1,len)
c.create_function('a',1,len,deterministic=[])
c.create_function('a',1,len,1)
c.create_aggregate('a',1)
c.create_aggregate('a',1,2)
c.create_aggregate('a',-2,int)
c.create_aggregate('a'*300,1,int)
c.create_aggregate(1,1,int)
c.create_window_function('a',1)
c.create_window_function('a',1,2,3)
c.create_window_function('a','b',2)
c.create_window_function('a',-2,2)
c.create_window_function(name='a')
c.create_collation('a')
c.create_collation(1,2)
c.create_collation('a',2)
c.create_collation('a\0b',len)
c.create_collation('\ud800',len)
c.create_collation('a',len,3)
c.blobopen()
c.blobopen('t','a')
c.blobopen('t','a','b')
c.blobopen('t','a',1.5)
c.blobopen('t','a',None)
c.blobopen('t','a',2**70)
c.blobopen('t','a',1,2)
c.blobopen('t',3,1)
c.blobopen('t','a',1,name=5)
c.blobopen('t','a',1,foo=5)
c.blobopen('t','a',1,name='a\0')
c.blobopen('t','a',7)
c.blobopen('t','b',1)
c.blobopen('u','b',1)
c.blobopen('t','b',1,name='zz')
c.getlimit()
c.getlimit('a')
c.getlimit(1.5)
c.getlimit(1,2)
c.getlimit(99)
c.getlimit(-1)
c.getlimit(2**70)
c.getlimit(category=1)
c.setlimit(1)
c.setlimit(1,'a')
c.setlimit(1,2**40)
c.setlimit(99,1)
c.interrupt(1)
c.serialize(1)
c.serialize(name=1)
c.serialize(name='zz')
c.deserialize()
c.deserialize(b'a',name=1)
c.deserialize(b'a','main')
c.backup()
c.backup(1)
c.backup(None)
c.backup(c)
c.backup(target=m.connect(':memory:'),pages='a')
c.backup(m.connect(':memory:'),1)
c.backup(m.connect(':memory:'),progress=1)
c.backup(m.connect(':memory:'),name='zz')
c.backup(m.connect(':memory:'),sleep='zz')
c.backup(m.connect(':memory:'),foo=1)
c.backup(closed(c))
closed(c).backup(m.connect(':memory:'))
c.set_authorizer()
c.set_authorizer(1,2)
c.set_progress_handler(1)
c.set_progress_handler(len,'a')
c.set_progress_handler(len,1,2)
c.set_trace_callback()
c.set_trace_callback(1,2)
c.cursor(1)
c.cursor(None)
c.cursor(1,2)
c.cursor(lambda x: 5)
c.cursor(lambda x: None)
c.cursor(factory=lambda x: x)
c()
c(1)
c(None)
c('select 1',2)
c('selec')
c('select 1; select 2')
c('select \0')
repr(type(c('')))
c.__enter__(1)
c.__exit__()
c.__exit__(1,2,3)
b.read('a')
b.read(1,2)
b.read(length=1)
b.read(2**40)
b.read(1.5)
b.write()
b.write('a')
b.write(None)
b.write(5)
b.write(b'aa')
b.write(1,2)
b.seek()
b.seek('a')
b.seek(5)
b.seek(-1)
b.seek(1,5)
b.seek(0,0,0)
b.seek(2**40)
b.seek(2**31-1, 1)
b.tell(1)
b.close(1)
b['a']
b[5]
b[-5]
b[1.0]
b[None]
b[2**70]
b[0:5]
b[::0]
b.__setitem__(0, 256)
b.__setitem__(0, -1)
b.__setitem__(0, 'a')
b.__setitem__(0, b'a')
b.__setitem__(0, None)
b.__setitem__(7, 1)
b.__setitem__('a', 1)
b.__setitem__(slice(0,1), b'ab')
b.__setitem__(slice(0,1), 'a')
b.__setitem__(slice(0,1), 5)
b.__delitem__(0)
b.__delitem__(slice(0,1))
b.__enter__(1)
b.__exit__()
len(b), b.read(0), b.read(-7), b.tell()
c.blobopen('t','a',1,readonly=True).write(b'x')
m.Blob()
m.Blob(1,2)
m.Row()
m.Row(1)
m.Row(cu,1)
m.Row(cu,[1])
m.Row(1,())
m.Row(None,())
m.Row(cu,(1,),2)
m.Row(cu=cu)
m.Row(cu,()).keys(1)
m.Row(cu,())['a']
m.Row(cu,(1,))[1]
m.Row(cu,(1,))[1.0]
m.Row(cu,(1,))[None]
m.Row(cu,(1,))[2**70]
m.Row(cu,(1,)) == (1,)
m.Row(cu,(1,)) == m.Row(cu,(1,))
row(c)['A'], row(c)['b'], len(row(c)), tuple(row(c)), row(c)[-1], row(c)[0:1], row(c).keys()
row(c)['x']
row(c) < row(c)
hash(row(c)) == hash(row(c))
row(c) != 5
{**{'a': 1}, **dict(row(c))}
m.Cursor()
m.Cursor(1)
m.Cursor(None)
m.Cursor(c,1)
m.connect()
m.connect(1)
m.connect(None)
m.connect(1.5)
m.connect([])
m.connect(':memory:',timeout='a')
m.connect(':memory:',timeout=None)
m.connect(':memory:',detect_types='a')
m.connect(':memory:',detect_types=None)
m.connect(':memory:',detect_types=2**40)
m.connect(':memory:',isolation_level=1)
m.connect(':memory:',isolation_level='x')
m.connect(':memory:',isolation_level='deferred').isolation_level
m.connect(':memory:',isolation_level='a\0b')
m.connect(':memory:',check_same_thread='a')
m.connect(':memory:',check_same_thread=None)
m.connect(':memory:',cached_statements='a')
m.connect(':memory:',cached_statements=2**40)
m.connect(':memory:',foo=1)
m.connect('a\0b')
m.connect(b'\xff\0')
m.connect('/nonexistent/x')
m.connect('/')
m.connect('file:/nonexistent/x?mode=ro', uri=True)
m.connect('file::memory:?mode=foo', uri=True)
m.connect('file::memory:?vfs=foo', uri=True)
m.connect(':memory:',database=1)
m.connect(':memory:',factory=5)
m.connect(':memory:',factory=lambda *a, **k: 7)
m.Connection()
m.Connection(':memory:',foo=1)
m.adapt()
m.adapt(1,2,3,4)
m.adapt(object())
m.adapt(object(),m.PrepareProtocol)
m.adapt(object(),m.PrepareProtocol,5)
m.adapt(1,m.PrepareProtocol,5)
m.register_adapter()
m.register_adapter(1)
m.register_converter('a')
m.register_converter(1,2)
m.complete_statement()
m.complete_statement(1)
m.complete_statement('a',2)
m.complete_statement(foo='a')
m.complete_statement('a;'), m.complete_statement('a'), m.complete_statement('')
m.enable_callback_tracebacks()
m.enable_callback_tracebacks('a')
m.enable_callback_tracebacks(1,2)
cu.setinputsizes()
cu.setinputsizes(1)
cu.setinputsizes(1,2)
cu.setoutputsize()
cu.setoutputsize(1)
cu.setoutputsize(1,2)
cu.setoutputsize(1,2,3)
cu.close(1)
setattr(cu,'arraysize','a')
setattr(cu,'arraysize',None)
setattr(cu,'arraysize',5), cu.arraysize
setattr(cu,'row_factory',1)
setattr(c,'isolation_level',1)
setattr(c,'isolation_level','a\0b')
setattr(c,'isolation_level','x')
setattr(c,'isolation_level','immediate'), c.isolation_level
delattr(c,'isolation_level')
iter(b)
list(b)
1 in b
copy.copy(c)
copy.deepcopy(c)
pickle.dumps(c)
copy.copy(cu)
copy.deepcopy(cu)
pickle.dumps(cu)
copy.copy(b)
pickle.dumps(b)
copy.copy(m.Row(cu,()))
pickle.dumps(m.Row(cu,()))
pickle.loads(pickle.dumps(m.OperationalError('a'))).args
c.executemany('insert into t values(?)',5)
c.executemany('insert into t values(?)',[5])
c.executemany('insert into t values(?)',[(1,2)])
c.executemany('insert into t values(?)',[()])
c.executemany('insert into t values(?)','abc').rowcount
c.executemany('insert into t values(?)',['ab'])
c.executemany('insert into t values(:a)',[{}])
c.executemany('insert into t values(:a)',[{'a': object()}])
c.executemany('select 1',[()])
c.executemany('selec',[()])
c.executemany('',[()])
c.executemany('create table u(a)',[()])
c.executemany('insert into t values(?); select 1',[(1,)])
c.executemany('insert into t values(?)',(1/0 for i in [1]))
c.execute('select ?',5)
c.execute('select ?',{1})
c.execute('select ?',None)
c.execute('select ?','ab')
c.execute('select ?','a').fetchall()
c.execute('select ?',b'a').fetchall()
c.execute('select ?',(object(),))
c.execute('select ?, ?',(1, object()))
c.execute('select ?',(1j,))
c.execute('select :a',{'a': object()})
c.execute('select :a',{'b': 1})
c.execute('select ?',{'b': 1})
c.execute('select ?',(2**63,))
c.execute('select ?',('\ud800',))
c.execute('select \ud800')
c.execute('select 1', range(0)).fetchall()
c.execute('select ?', range(1)).fetchall()
c.execute('select ?', iter([1]))
c.execute('select ?', (x for x in [1]))
c.execute('select ?', BadSequence())
c.execute('select ?', BadItem())
c.execute('select :a', BadMapping())
c.execute('select :a', NoSuchKey())
c.execute('select ?', [Conform()])
c.execute('select ?', [BadConform()])
c.execute('select 1; select 2')
c.execute('select 1;;')
c.execute('select 1; --')
c.execute('select 1; /* */ ;')
c.execute('\0')
c.execute('select 1\0')
c.execute('insert into nowhere values(1)')
c.execute('begin').execute('begin')
c.execute('commit')
c.execute('rollback')
c.execute('create table t(a)')
c.execute('insert into t(rowid) values(1)')
c.execute('savepoint a').execute('release zz')
c.execute('pragma nonsense').fetchall()
c.execute('attach 1')
c.execute('detach zz')
c.execute('select load_extension(1)')
c.execute('vacuum').fetchall()
c.execute('begin').execute('vacuum')
closed(c).execute('select 1')
closed(c).executemany('select 1', [])
closed(c).executescript('select 1')
closed(c).cursor()
closed(c).commit()
closed(c).rollback()
closed(c).close()
closed(c).in_transaction
closed(c).total_changes
closed(c).isolation_level
setattr(closed(c), 'isolation_level', None)
setattr(closed(c), 'row_factory', None)
setattr(closed(c), 'text_factory', None)
closed(c).interrupt()
closed(c).iterdump()
closed(c).serialize()
closed(c).deserialize(b'')
closed(c).blobopen('t','a',1)
closed(c).getlimit(1)
closed(c).create_function('a',1,len)
closed(c).create_aggregate('a',1,int)
closed(c).create_window_function('a',1,int)
closed(c).create_collation('a',len)
closed(c).set_authorizer(None)
closed(c).set_progress_handler(None,1)
closed(c).set_trace_callback(None)
closed(c).__enter__()
closed(c).__exit__(None,None,None)
closed(c)('select 1')
(closed(c), cu.execute('select 1'))
(closed(c), cu.fetchone())
(closed(c), cu.fetchmany())
(closed(c), cu.fetchall())
(closed(c), cu.close())
(closed(c), next(cu))
(closed(c), iter(cu))
(closed(c), cu.description, cu.rowcount, cu.lastrowid, cu.arraysize)
(closed(c), b.read())
(closed(c), b.close())
(closed(c), len(b))
(b.close(), b.close())
(b.close(), b.read())
(b.close(), b.write(b''))
(b.close(), b.seek(0))
(b.close(), b.tell())
(b.close(), b[0])
(b.close(), b.__setitem__(0, 1))
(b.close(), b.__delitem__(0))
(b.close(), b.__enter__())
(b.close(), b.__exit__(None, None, None))
(b.close(), len(b))
(cu.close(), cu.close())
(cu.close(), cu.execute('select 1'))
(cu.close(), cu.executemany('select 1', []))
(cu.close(), cu.executescript('select 1'))
(cu.close(), cu.fetchone())
(cu.close(), cu.fetchall())
(cu.close(), cu.fetchmany())
(cu.close(), next(cu))
(cu.close(), iter(cu))
(cu.close(), cu.description)
(cu.close(), cu.rowcount)
(cu.close(), cu.connection is c)
bare(m.Connection).execute('select 1')
bare(m.Connection).cursor()
bare(m.Connection).commit()
bare(m.Connection).close()
bare(m.Connection).interrupt()
bare(m.Connection).in_transaction
bare(m.Connection).total_changes
bare(m.Connection).isolation_level
bare(m.Connection).iterdump()
bare(m.Connection).__enter__()
bare(m.Connection)('select 1')
bare(m.Cursor).execute('select 1')
bare(m.Cursor).executemany('select 1', [])
bare(m.Cursor).executescript('select 1')
bare(m.Cursor).fetchone()
bare(m.Cursor).fetchall()
bare(m.Cursor).fetchmany()
bare(m.Cursor).close()
next(bare(m.Cursor))
iter(bare(m.Cursor))
elsewhere(lambda: c.execute('select 1'))
elsewhere(lambda: c.cursor())
elsewhere(lambda: c.commit())
elsewhere(lambda: c.rollback())
elsewhere(lambda: c.close())
elsewhere(lambda: c.interrupt())
elsewhere(lambda: c.in_transaction)
elsewhere(lambda: c.total_changes)
elsewhere(lambda: c.isolation_level)
elsewhere(lambda: type(c.iterdump()).__name__)
elsewhere(lambda: c.create_function('a', 1, len))
elsewhere(lambda: c.create_aggregate('a', 1, int))
elsewhere(lambda: c.create_collation('a', len))
elsewhere(lambda: c.set_authorizer(None))
elsewhere(lambda: c.set_trace_callback(None))
elsewhere(lambda: c.set_progress_handler(None, 1))
elsewhere(lambda: c.serialize())
elsewhere(lambda: c.getlimit(1))
elsewhere(lambda: c.blobopen('t', 'a', 1))
elsewhere(lambda: c.__enter__())
elsewhere(lambda: c.__exit__(None, None, None))
elsewhere(lambda: c('select 1'))
elsewhere(lambda: cu.execute('select 1'))
elsewhere(lambda: cu.executemany('select 1', []))
elsewhere(lambda: cu.executescript('select 1'))
elsewhere(lambda: cu.fetchone())
elsewhere(lambda: cu.fetchmany())
elsewhere(lambda: cu.fetchall())
elsewhere(lambda: cu.close())
elsewhere(lambda: next(cu))
elsewhere(lambda: iter(cu))
elsewhere(lambda: b.read())
elsewhere(lambda: b.close())
elsewhere(lambda: len(b))
elsewhere(lambda: shared(m).execute('select 1').fetchall())
recursive(c, cu, lambda: cu.executescript('select 1'))
recursive(c, cu, lambda: cu.fetchone())
recursive(c, cu, lambda: cu.fetchall())
recursive(c, cu, lambda: cu.fetchmany())
recursive(c, cu, lambda: cu.close())
recursive(c, cu, lambda: cu.__init__(c))
recursive(c, cu, lambda: next(cu))
recursive(c, cu, lambda: c.execute('select 2').fetchall())
recursive(c, cu, lambda: c.create_function('another', 0, len))
recursive(c, cu, lambda: c.create_collation('another', len))
function(c, lambda: object())
function(c, lambda: 2**63)
function(c, lambda: '\ud800')
function(c, lambda: float('nan'))
function(c, lambda: 1/0)
function(c, lambda: [1])
function(c, lambda x: 1)
function(c, lambda: bytearray(b'ab'))
function(c, lambda: memoryview(b'ab'))
function(c, lambda: True)
function(c, lambda: sys.exit(3))
function(c, 5)
aggregate(c, 5)
aggregate(c, object)
aggregate(c, lambda: 1/0)
aggregate(c, type('A', (), {'step': lambda self, x: None}))
aggregate(c, type('A', (), {'finalize': lambda self: 1}))
aggregate(c, type('A', (), {'step': lambda self, x: 1/0, 'finalize': lambda self: 1}))
aggregate(c, type('A', (), {'step': lambda self, x: None, 'finalize': lambda self: 1/0}))
aggregate(c, type('A', (), {'step': lambda self, x: None, 'finalize': lambda self: object()}))
aggregate(c, type('A', (), {'step': lambda self: None, 'finalize': lambda self: 1}))
collation(c, lambda x, y: 1/0)
collation(c, lambda x, y: 'a')
collation(c, lambda x, y: 2**70)
collation(c, lambda x: 1)
(c.set_authorizer(lambda *x: 1), c.execute('select a from t'))
(c.set_authorizer(lambda *x: 1/0), c.execute('select a from t'))
(c.set_authorizer(lambda *x: 'a'), c.execute('select a from t'))
(c.set_authorizer(lambda *x: 2), c.execute('select a from t').fetchall())
(c.set_authorizer(lambda *x: None), c.execute('select a from t'))
(c.set_authorizer(lambda *x: 2**40), c.execute('select a from t'))
(c.set_authorizer(5), c.execute('select a from t'))
(c.set_progress_handler(lambda: 1, 1), c.execute('select 1 union select 2').fetchall())
(c.set_progress_handler(lambda: 1/0, 1), c.execute('select 1 union select 2').fetchall())
(c.set_progress_handler(5, 1), c.execute('select 1 union select 2').fetchall())
(c.set_trace_callback(lambda s: 1/0), c.execute('select 1').fetchall())
(c.set_trace_callback(5), c.execute('select 1').fetchall())
factory(c, lambda cursor, row: 1/0)
factory(c, 5)
factory(c, lambda cursor, row: cursor.fetchall())
factory(c, m.Row)
text(c, lambda data: 1/0)
text(c, 5)
text(c, bytes)
text(c, bytearray)
text(c, lambda data: data.decode('utf-16'))
c.execute("select cast(x'ff' as text)").fetchall()
c.execute("select cast(x'61ff' as text) as name").fetchone()
"""

KINDS_ONLY = r"""
c.cursor(int)
c.cursor(foo=1)
cu.execute(sql='x')
cu.executemany(sql='x', seq_of_parameters=[])
cu.fetchone(x=1)
cu.fetchmany(x=1)
cu.fetchall(x=1)
c(sql='select 1')
m.Cursor(connection=c)
setattr(cu,'description',1)
setattr(cu,'connection',1)
setattr(c,'in_transaction',1)
setattr(c,'total_changes',1)
setattr(b,'foo',1)
setattr(m.Row(cu,()),'foo',1)
bytes(b)
m.connect(':memory:',1,1,'',1,m.Connection,1,1,1)
b > b
"""


class BadSequence:
    def __len__(self):
        return 1

    def __getitem__(self, key):
        return 1 / 0


class BadItem:
    def __len__(self):
        return 1 / 0

    def __getitem__(self, key):
        return 1


class BadMapping(dict):
    def __getitem__(self, key):
        return 1 / 0


class NoSuchKey(dict):
    def __missing__(self, key):
        raise KeyError(key)


class Conform:
    def __conform__(self, protocol):
        return 5


class BadConform:
    def __conform__(self, protocol):
        return 1 / 0


def closed(connection):
    connection.close()
    return connection


def bare(kind):
    return type("Bare", (kind,), {"__init__": lambda self: None})()


def elsewhere(action):
    """What the action gives in another thread."""
    found = []

    def run():
        try:
            found.append(action())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


def shared(module):
    return module.connect(":memory:", check_same_thread=False)


def recursive(connection, cursor, action):
    """What the action gives inside a function that the cursor's statement calls."""
    found = []

    def inside():
        try:
            found.append(action())
        except Exception as error:
            found.append((type(error).__name__, str(error)))
        return 1

    connection.create_function("inside", 0, inside)
    rows = cursor.execute("select inside()").fetchall()
    return rows, found


def function(connection, call):
    connection.create_function("f", 0, call)
    return connection.execute("select f()").fetchall()


def aggregate(connection, made_by):
    connection.create_aggregate("f", 1, made_by)
    return connection.execute("select f(a) from t").fetchall()


def collation(connection, compare):
    connection.create_collation("f", compare)
    return connection.execute("select column1 from (values('a'),('b')) order by 1 collate f").fetchall()


def factory(connection, made_by):
    connection.row_factory = made_by
    return [tuple(row) for row in connection.execute("select 1 as a union select 2 order by 1").fetchall()]


def row(connection):
    connection.row_factory = sys.modules[type(connection).__module__].Row
    return connection.execute("select 1 as a, 2 as B").fetchone()


def text(connection, made_by):
    connection.text_factory = made_by
    return connection.execute("select 'abc'").fetchall()


STATES = {
    name: value for name, value in globals().items() if callable(value) and getattr(value, "__module__", None) == __name__
}
STATES |= {"copy": copy, "pickle": pickle, "sys": sys}


def shown(value):
    """A value or text with what differs by name and address made equal."""
    return re.sub(r"minisql(\.\w+)*\.|sqlite3\.", "", re.sub(r"0x[0-9a-f]+|thread id \d+", "#", value))


def outcome(module, call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        connection = module.connect(":memory:")
        connection.execute("create table t(a)")
        connection.execute("insert into t values (x'00')")
        names = {**STATES, "m": module, "c": connection, "cu": connection.cursor(), }
        if re.search(r"\bb\b", call):
            names["b"] = connection.blobopen("t", "a", 1)
        try:
            return shown(repr(eval(call, names)))
        except Exception as error:
            code = getattr(error, "sqlite_errorname", None)
            return SimpleNamespace(kind=type(error).__name__, text=shown(str(error)), code=code)
        except SystemExit as error:
            return repr(error)


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_same_exception_and_text(call):
    assert outcome(minisql, call) == outcome(sqlite3, call)


@pytest.mark.parametrize("call", KINDS_ONLY.strip().splitlines())
def test_same_exception(call):
    expected, found = outcome(sqlite3, call), outcome(minisql, call)
    assert getattr(found, "kind", found) == getattr(expected, "kind", expected)
