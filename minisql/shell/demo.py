"""A short tour for the first minute: makes a database file, fills it, asks it, and shows what came.

Run as `python -m minisql.shell.demo [FILE]`; without a name the file lies in a temporary folder and is left there, so that it
can be opened with any SQLite afterwards. Uses the DB-API only, as any program would.
"""

import os
import sys
import tempfile
from collections.abc import Sequence

from minisql.dbapi import Connection, connect

SCHEMA = """
CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born INTEGER);
CREATE TABLE book(
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, author_id INTEGER NOT NULL REFERENCES author(id),
  year INTEGER CHECK (year > 1400), price REAL
);
CREATE INDEX book_author ON book(author_id, year);
CREATE TABLE price_change(book_id INTEGER, old REAL, new REAL);
CREATE TRIGGER book_price AFTER UPDATE OF price ON book WHEN old.price IS NOT new.price
BEGIN INSERT INTO price_change VALUES(new.id, old.price, new.price); END;
CREATE VIEW shelf AS SELECT a.name, b.title, b.year, b.price FROM author a JOIN book b ON b.author_id = a.id;
"""

AUTHORS = [("Mary Shelley", 1797), ("Jane Austen", 1775), ("Charlotte Bronte", 1816)]
BOOKS = [
    ("Frankenstein", 1, 1818, 9.5), ("The Last Man", 1, 1826, 7.25), ("Emma", 2, 1815, 8.0),
    ("Persuasion", 2, 1817, 6.75), ("Pride and Prejudice", 2, 1813, 10.0), ("Jane Eyre", 3, 1847, 9.0),
]  # fmt: skip

QUERIES = [
    "SELECT name, count(*) AS books, round(avg(price), 2) AS mean FROM shelf GROUP BY name ORDER BY books DESC, name",
    "SELECT title, year, rank() OVER (PARTITION BY name ORDER BY price DESC) AS by_price FROM shelf ORDER BY name, by_price",
    "WITH RECURSIVE decade(d) AS (VALUES(1810) UNION ALL SELECT d + 10 FROM decade WHERE d < 1840) "
    "SELECT d, count(id) AS books FROM decade LEFT JOIN book ON year BETWEEN d AND d + 9 GROUP BY d",
    "SELECT book_id, old, new FROM price_change ORDER BY book_id",
    "PRAGMA integrity_check",
]


def main(arguments: Sequence[str]) -> int:
    """Make the file, run the queries, print everything; returns the exit status."""
    path = arguments[0] if arguments else os.path.join(tempfile.mkdtemp(prefix="minisql-"), "library.db")
    if os.path.exists(path):
        print(f"{path} exists already; the demo makes a new file", file=sys.stderr)
        return 1
    connection = connect(path)
    _fill(connection)
    connection.close()
    connection = connect(path)
    for sql in QUERIES:
        _show(connection, sql)
    connection.close()
    print(f"The file is {path}: {os.path.getsize(path)} bytes, an ordinary SQLite database.")
    return 0


def _fill(connection: Connection) -> None:
    connection.executescript(SCHEMA)
    with connection:
        connection.executemany("INSERT INTO author(name, born) VALUES(?, ?)", AUTHORS)
        connection.executemany("INSERT INTO book(title, author_id, year, price) VALUES(?, ?, ?, ?)", BOOKS)
        connection.execute("UPDATE book SET price = price * 1.1 WHERE year < 1816")


def _show(connection: Connection, sql: str) -> None:
    cursor = connection.execute(sql)
    rows = [[str(column[0]) for column in cursor.description or ()]]
    rows += [["" if value is None else str(value) for value in row] for row in cursor.fetchall()]
    widths = [max(map(len, column)) for column in zip(*rows)]
    print(f"> {sql}")
    for row in rows:
        print("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
