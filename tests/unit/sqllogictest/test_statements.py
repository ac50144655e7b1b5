"""Where statements end."""

import pytest

from sqllogictest.statements import split_statements

TRIGGER = "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; SELECT CASE 1 WHEN 1 THEN 2 END; END"


@pytest.mark.parametrize(
    ("sql", "statements"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;", ["SELECT 1"]),
        ("SELECT 1; SELECT 2 ;", ["SELECT 1", "SELECT 2"]),
        (" ; ;", []),
        ("-- nothing;\n/* ; */", []),
        ("SELECT ';'; SELECT \";\", `;`, [;]", ["SELECT ';'", 'SELECT ";", `;`, [;]']),
        ("SELECT 1 -- a; b\n; SELECT 2", ["SELECT 1 -- a; b", "SELECT 2"]),
        (TRIGGER + "; SELECT 2", [TRIGGER, "SELECT 2"]),
        (TRIGGER.replace("CREATE", "CREATE TEMP") + ";", [TRIGGER.replace("CREATE", "CREATE TEMP")]),
        ("EXPLAIN " + TRIGGER + ";", ["EXPLAIN " + TRIGGER]),
        ("CREATE TABLE trigger_log(a); SELECT 1", ["CREATE TABLE trigger_log(a)", "SELECT 1"]),
        ("BEGIN; SELECT 1; END; SELECT 2", ["BEGIN", "SELECT 1", "END", "SELECT 2"]),
    ],
)
def test_semicolons_split_only_between_statements(sql: str, statements: list[str]) -> None:
    assert split_statements(sql) == statements
