"""Datasette over a database with full-text search that sqlite-utils has made: a program of ours, as Datasette's source distribution
leaves out what its own tests need.

It asks for pages and JSON as a browser does, and compares what searches find with the words of the texts.  It runs in the
clients' environment: `python -m tests.clients --only Datasette`.

Source: https://docs.datasette.io/en/stable/full_text_search.html.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import tempfile
import unittest
from importlib import import_module
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any
from urllib.parse import urlencode


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


class DatasetteSearch(unittest.TestCase):
    """One database file, one Datasette."""

    folder: tempfile.TemporaryDirectory[str]
    texts: dict[str, str]
    database: Any
    datasette: Any

    @classmethod
    def setUpClass(cls) -> None:
        sqlite_utils = import_module("sqlite_utils")
        cls.folder = tempfile.TemporaryDirectory()
        path = Path(cls.folder.name) / "library.db"
        cls.texts = dict(sorted(topics.items()))
        cls.database = sqlite_utils.Database(path)
        for table, version in (("articles", "FTS5"), ("older", "FTS4")):
            rows = [
                {"id": number, "title": name, "body": text, "size": "long" if len(text) > 4000 else "short"}
                for number, (name, text) in enumerate(cls.texts.items(), 1)
            ]
            cls.database[table].insert_all(rows, pk="id")
            cls.database[table].enable_fts(["title", "body"], fts_version=version, create_triggers=version == "FTS5")
        cls.datasette = import_module("datasette.app").Datasette([str(path)])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.database.conn.close()
        for database in cls.datasette.databases.values():
            database.close()
        cls.folder.cleanup()

    def get(self, path: str, **arguments: Any) -> Any:
        """The answer to a request, without the errors that Datasette shows beside it."""
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return asyncio.run(self.datasette.client.get(f"{path}?{urlencode(arguments)}"))

    def titles(self, table: str, **arguments: Any) -> set[str]:
        """The titles of the rows that a table's JSON has."""
        answer = self.get(f"/library/{table}.json", _shape="array", _size="max", **arguments)
        self.assertEqual(answer.status_code, 200, answer.text)
        return {row["title"] for row in answer.json()}

    def with_words(self, *words: str) -> set[str]:
        """The titles of the texts that have all the words."""
        return {name for name, text in self.texts.items() if set(words) <= {*_words(text), *_words(name)}}

    def test_a_search_finds_the_rows_with_its_words(self) -> None:
        for table in ("articles", "older"):
            self.assertGreater(len(self.with_words("lambda")), 2)
            self.assertEqual(self.titles(table, _search="lambda"), self.with_words("lambda"))
            self.assertEqual(self.titles(table, _search="Statement function"), self.with_words("statement", "function"))
            self.assertEqual(self.titles(table, _search="nosuchword"), set())

    def test_a_search_in_one_column(self) -> None:
        expected = {name for name in self.texts if "class" in _words(name)}
        self.assertTrue(expected)
        for table in ("articles", "older"):
            self.assertEqual(self.titles(table, _search_title="class"), expected)

    def test_raw_searches(self) -> None:
        expected = self.with_words("lambda") | self.with_words("yield")
        for table in ("articles", "older"):
            self.assertEqual(self.titles(table, _search="lambda OR yield", _searchmode="raw"), expected)
        prefix = {
            name for name, text in self.texts.items() if any(word.startswith("lamb") for word in _words(f"{name} {text}"))
        }
        self.assertEqual(self.titles("articles", _search="lamb*", _searchmode="raw"), prefix)

    def test_a_malformed_raw_search_is_the_errors_text(self) -> None:
        answer = self.get("/library/articles.json", _search='"lambda', _searchmode="raw")
        self.assertEqual((answer.status_code, answer.json()["error"]), (400, "unterminated string"))
        answer = self.get("/library/older.json", _search="lambda OR", _searchmode="raw")
        self.assertEqual((answer.status_code, answer.json()["error"]), (400, "malformed MATCH expression: [lambda OR]"))

    def test_facets_count_what_was_found(self) -> None:
        answer = self.get("/library/articles.json", _search="statement", _facet="size").json()
        found = self.with_words("statement")
        n_long = sum(len(self.texts[name]) > 4000 for name in found)
        counts = {item["value"]: item["count"] for item in answer["facet_results"]["size"]["results"]}
        self.assertEqual(counts, {"long": n_long, "short": len(found) - n_long})
        self.assertEqual(answer["filtered_table_rows_count"], len(found))

    def test_the_page_of_a_table_has_a_search_field_and_the_rows(self) -> None:
        page = self.get("/library/articles", _search="lambda").text
        self.assertIn('name="_search"', page)
        for name in self.with_words("lambda"):
            self.assertIn(f">{name}</td>", page)

    def test_shadow_tables_are_hidden(self) -> None:
        tables = self.get("/library.json").json()["tables"]
        self.assertEqual({table["name"]: table["fts_table"] for table in tables if not table["hidden"]},
                         {"articles": "articles_fts", "older": "older_fts"})  # fmt: skip
        hidden = {table["name"] for table in tables if table["hidden"]}
        self.assertLessEqual({"articles_fts", "articles_fts_data", "articles_fts_docsize", "older_fts_segdir"}, hidden)

    def test_sql_with_functions_of_the_search(self) -> None:
        sql = (
            "SELECT a.title, snippet(articles_fts, 1, '[', ']', '...', 8) AS part, highlight(articles_fts, 0, '<', '>') AS name"
            " FROM articles_fts JOIN articles a ON a.id = articles_fts.rowid WHERE articles_fts MATCH :word ORDER BY rank"
        )
        rows = self.get("/library.json", sql=sql, word="lambda", _shape="array").json()
        self.assertEqual({row["title"] for row in rows}, self.with_words("lambda"))
        self.assertTrue(all("[lambda]" in row["part"].lower() or "<lambda>" in row["name"].lower() for row in rows))
        sql = "SELECT length(matchinfo(older_fts, 'pcnalx')) AS n FROM older_fts WHERE older_fts MATCH 'lambda' LIMIT 1"
        self.assertEqual(self.get("/library.json", sql=sql, _shape="array").json(), [{"n": 4 * (3 + 2 + 2 + 6)}])

    def test_a_changed_row_is_found_by_its_new_words(self) -> None:
        first = next(iter(self.texts))
        for table in ("articles", "older"):
            for title, found in (("zyzzyva", {"zyzzyva"}), (first, set())):
                self.database[table].update(1, {"title": title})
                if table == "older":
                    self.database[table].rebuild_fts()
                self.assertEqual(self.titles(table, _search="zyzzyva"), found)

    def test_a_query_that_takes_too_long_is_interrupted(self) -> None:
        sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        answer = self.get("/library.json", sql=sql, _timelimit=20)
        self.assertEqual(answer.status_code, 400)
        self.assertIn("SQL query took too long", answer.json()["error"])

    def test_writing_is_refused(self) -> None:
        answer = self.get("/library.json", sql="DELETE FROM articles")
        self.assertEqual((answer.status_code, answer.json()["error"]), (400, "Statement must be a SELECT"))


if __name__ == "__main__":
    unittest.main()
