"""Small statements, prepared and bound, within one transaction in memory; and statements that change many rows."""

from __future__ import annotations

import random
from typing import Any

from comparison.workload import Stage, connect, workload

N_ROWS, N_CALLS = 10_000, 1_000
_TABLE = "CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT, branch INTEGER, balance REAL, visits INTEGER)"


class Bank:
    """A connection with accounts in it, the keys to ask for, and rows to add."""

    def __init__(self, module: Any, stage: Stage, indexed: bool) -> None:
        r = random.Random(5)
        n = self.n_rows = stage.count(N_ROWS)
        n_calls = stage.count(N_CALLS)
        self.rows = [(i, f"name {i}", i % 50, i * 1.5, 0) for i in range(1, n + 1)]
        self.connection = connect(module)
        self.connection.execute(_TABLE)
        if indexed:
            self.connection.execute("CREATE INDEX account_name ON account(name)")
            self.connection.execute("CREATE INDEX account_branch ON account(branch, visits)")
        self.connection.executemany("INSERT INTO account VALUES (?, ?, ?, ?, ?)", self.rows)
        self.connection.execute(_TABLE.replace("account", "copy"))
        self.keys = [r.randrange(1, n + 1) for _ in range(n_calls)]
        self.distinct_keys = r.sample(range(1, n + 1), n_calls)
        self.new_rows = [(n + i, f"new {i}", i % 50, i * 0.5, 1) for i in range(1, n + 1)]
        self.mixed_rows = [(r.randrange(1, 2 * n), f"mixed {i}", i % 50, i * 0.5, 1) for i in range(n_calls)]
        self.scattered_rows = [(2 * n + i * 7919 % n, f"scattered {i * 7919 % n}", i % 50, 0.5, 1) for i in range(n)]
        self.connection.execute("BEGIN")

    def again(self) -> None:
        """Takes back what the last run has done."""
        self.connection.execute("ROLLBACK")
        self.connection.execute("BEGIN")

    def state(self) -> Any:
        """Numbers that tell whether two engines have done the same."""
        numbers = "SELECT count(*), sum(id), sum(visits), total(balance), max(name) FROM"
        return self.connection.execute(f"{numbers} account UNION ALL {numbers} copy").fetchall()


def plain(module: Any, stage: Stage) -> Bank:
    """A bank without secondary indexes."""
    return Bank(module, stage, False)


def indexed(module: Any, stage: Stage) -> Bank:
    """A bank with two secondary indexes."""
    return Bank(module, stage, True)


@workload("oltp", plain)
def point_select(bank: Bank) -> Any:
    execute = bank.connection.execute
    return [execute("SELECT name, balance FROM account WHERE id = ?", (key,)).fetchone() for key in bank.keys]


@workload("oltp", plain)
def range_select(bank: Bank) -> Any:
    execute = bank.connection.execute
    return [
        len(execute("SELECT * FROM account WHERE id BETWEEN ? AND ?", (key, key + 20)).fetchall()) for key in bank.keys
    ]


@workload("oltp", indexed)
def index_lookup(bank: Bank) -> Any:
    execute = bank.connection.execute
    return [execute("SELECT id, balance FROM account WHERE name = ?", (f"name {key}",)).fetchone() for key in bank.keys]


@workload("oltp", indexed)
def index_range(bank: Bank) -> Any:
    execute = bank.connection.execute
    return [
        execute("SELECT count(*) FROM account WHERE branch = ? AND visits >= 0", (key % 50,)).fetchone()
        for key in bank.keys[:200]
    ]


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert(bank: Bank) -> Any:
    execute = bank.connection.execute
    for row in bank.new_rows[:1000]:
        execute("INSERT INTO account VALUES (?, ?, ?, ?, ?)", row)


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert_executemany(bank: Bank) -> Any:
    bank.connection.executemany("INSERT INTO account VALUES (?, ?, ?, ?, ?)", bank.new_rows)


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert_executemany_scattered(bank: Bank) -> Any:
    bank.connection.executemany("INSERT INTO account VALUES (?, ?, ?, ?, ?)", bank.scattered_rows)


@workload("oltp", indexed, reset=Bank.again, verify=Bank.state)
def insert_executemany_indexed(bank: Bank) -> Any:
    bank.connection.executemany("INSERT INTO account VALUES (?, ?, ?, ?, ?)", bank.new_rows)


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert_select(bank: Bank) -> Any:
    bank.connection.execute("INSERT INTO copy SELECT * FROM account WHERE branch < 40")


@workload("oltp", indexed, reset=Bank.again, verify=Bank.state)
def insert_select_indexed(bank: Bank) -> Any:
    bank.connection.execute("INSERT INTO account SELECT id + 100000, name, branch, balance, 1 FROM account")


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert_values_rows(bank: Bank) -> Any:
    execute = bank.connection.execute
    sql = "INSERT INTO copy VALUES " + ", ".join(["(?, ?, ?, ?, ?)"] * 10)
    flat = [value for row in bank.new_rows[:1000] for value in row]
    for start in range(0, len(flat), 50):
        execute(sql, flat[start : start + 50])


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def update_by_key(bank: Bank) -> Any:
    execute = bank.connection.execute
    for key in bank.keys:
        execute("UPDATE account SET balance = balance + ?, visits = visits + 1 WHERE id = ?", (2.5, key))


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def update_executemany(bank: Bank) -> Any:
    bank.connection.executemany("UPDATE account SET balance = ? WHERE id = ?", [(1.5, key) for key in bank.keys])


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def update_all(bank: Bank) -> Any:
    bank.connection.execute("UPDATE account SET visits = visits + 1, balance = balance * 1.1")


@workload("oltp", indexed, reset=Bank.again, verify=Bank.state)
def update_indexed(bank: Bank) -> Any:
    bank.connection.execute("UPDATE account SET visits = visits + 1 WHERE branch < 25")


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def delete_by_key(bank: Bank) -> Any:
    execute = bank.connection.execute
    for key in bank.distinct_keys:
        execute("DELETE FROM account WHERE id = ?", (key,))


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def delete_many(bank: Bank) -> Any:
    bank.connection.execute("DELETE FROM account WHERE branch % 3 = 1")


@workload("oltp", indexed, reset=Bank.again, verify=Bank.state)
def delete_indexed(bank: Bank) -> Any:
    bank.connection.execute("DELETE FROM account WHERE branch < 20")


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def upsert(bank: Bank) -> Any:
    execute = bank.connection.execute
    for row in bank.mixed_rows:
        execute(
            "INSERT INTO account VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET visits = visits + 1, "
            "balance = excluded.balance",
            row,
        )


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def replace(bank: Bank) -> Any:
    execute = bank.connection.execute
    for row in bank.mixed_rows:
        execute("INSERT OR REPLACE INTO account VALUES (?, ?, ?, ?, ?)", row)


@workload("oltp", plain, reset=Bank.again, verify=Bank.state)
def insert_returning(bank: Bank) -> Any:
    execute = bank.connection.execute
    return [
        execute("INSERT INTO copy(name, balance) VALUES (?, ?) RETURNING id, name", (row[1], row[3])).fetchone()
        for row in bank.new_rows[:1000]
    ]


def _autocommit(module: Any, stage: Stage) -> Bank:
    bank = plain(module, stage)
    bank.connection.execute("COMMIT")
    return bank


@workload("oltp", _autocommit, verify=Bank.state)
def transactions(bank: Bank) -> Any:
    execute = bank.connection.execute
    for number, key in enumerate(bank.keys[:500]):
        execute("BEGIN")
        execute("UPDATE account SET balance = balance - 1 WHERE id = ?", (key,))
        execute("UPDATE account SET balance = balance + 1 WHERE id = ?", (bank.keys[-1 - number],))
        execute("COMMIT")


def _triggered(module: Any, stage: Stage) -> Bank:
    bank = plain(module, stage)
    bank.connection.executescript(
        "CREATE TABLE log(account INTEGER, change REAL);"
        "CREATE TRIGGER logged AFTER UPDATE OF balance ON account BEGIN "
        "INSERT INTO log VALUES (new.id, new.balance - old.balance); END; BEGIN"
    )
    return bank


@workload("oltp", _triggered, reset=Bank.again, verify=Bank.state)
def update_with_trigger(bank: Bank) -> Any:
    bank.connection.execute("UPDATE account SET balance = balance + 1 WHERE branch < 10")
