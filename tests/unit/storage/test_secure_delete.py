"""PRAGMA secure_delete: what was deleted is not to be found in the file, as with SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

import minisql


def leftovers(connect: Any, path: Path, pragma: str, statement: str) -> bool:
    """Whether the file still holds a text after the statement that deletes it."""
    connection = connect(str(path))
    execute = connection.cursor().execute
    execute(pragma)
    execute("create table t(a integer primary key, b text)")
    execute("create table u(a)")
    for i in range(100):
        execute("insert into t values(?, ?)", (i, f"secret number {i} " * 20))
    execute("insert into t values(1000, ?)", ("secret that is long " * 1000,))
    if connect is minisql.connect:
        connection.commit()
    execute(statement)
    if connect is minisql.connect:
        connection.commit()
    connection.close()
    return b"secret" in path.read_bytes()


@pytest.mark.parametrize("statement", ["drop table t", "delete from t", "delete from t where a > 0 or b > ''"])
def test_deleted_text_is_gone(tmp_path: Path, statement: str) -> None:
    for name, connect in (("ours", minisql.connect), ("theirs", apsw.Connection)):
        assert leftovers(connect, tmp_path / f"{name}0", "pragma secure_delete = 0", statement)
        assert not leftovers(connect, tmp_path / f"{name}1", "pragma secure_delete = 1", statement)


def test_setting_belongs_to_the_database() -> None:
    answers = []
    for connect in (minisql.connect, apsw.Connection):
        execute = connect(":memory:").cursor().execute
        script = [
            "secure_delete", "secure_delete=1", "main.secure_delete=fast", "secure_delete", "temp.secure_delete",
            "b.secure_delete", "b.secure_delete=0", "main.secure_delete", "secure_delete=on", "b.secure_delete", "secure_delete=no",
        ]  # fmt: skip
        found = []
        for i, line in enumerate(script):
            if i == 5:
                execute("attach ':memory:' as b")
            found.append(execute(f"pragma {line}").fetchall())
        answers.append(found)
    assert answers[0] == answers[1]
