"""A client as type checkers see it: nothing wrong."""

import minisql
from minisql import dbapi2


def first(path: str) -> int | None:
    with minisql.connect(path, autocommit=True) as connection:
        cursor = connection.execute("SELECT ?", (1,))
        cursor.executemany("INSERT INTO t VALUES(?)", [(1,), (2,)])
        row = cursor.fetchone()
        rows: list[tuple[int]] = cursor.fetchall()
        connection.row_factory = minisql.Row
        print(rows, cursor.description, connection.total_changes, minisql.SQLITE_OK, minisql.threadsafety)
        connection.create_function("f", 1, len, deterministic=True)
        connection.backup(minisql.connect(":memory:"))
        with connection.blobopen("t", "a", 1) as blob:
            print(blob.read(3), len(blob))
    minisql.install()
    try:
        dbapi2.connect("x").commit()
    except minisql.IntegrityError as error:
        print(error.sqlite_errorcode)
    return None if row is None else int(row[0])
