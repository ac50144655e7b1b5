"""One process of the soak: with minisql or apsw, in one thread or in four, until the time is up.

Each transaction adds one to a counter of its own and to a common one, moves an amount between two accounts, and logs that.
It reads before it writes, so a lost update shows in the common counter; a dirty read shows as accounts whose sum is wrong.

    python -m tests.soak.worker ENGINE PATH NAME SECONDS THREADS MODE
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from typing import Any

import apsw

import minisql

N_ACCOUNTS = 20
TOTAL = 1000 * N_ACCOUNTS
BUSY_TIMEOUT = 10.0


class Engine:
    """One connection of one of the engines."""

    def __init__(self, name: str, path: str) -> None:
        if name == "apsw":
            other = apsw.Connection(path)
            other.set_busy_timeout(int(BUSY_TIMEOUT * 1000))
            self.run = lambda sql, values=(): list(other.execute(sql, values))
            self.close = other.close
            self.busy: tuple[type[Exception], ...] = (apsw.BusyError,)
        else:
            connection = minisql.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT)
            self.run = lambda sql, values=(): connection.execute(sql, values).fetchall()
            self.close = connection.close
            self.busy = (minisql.OperationalError,)

    def is_busy(self, error: Exception) -> bool:
        """Tells whether an error only says that others were in the way for too long."""
        return isinstance(error, self.busy) and ("locked" in str(error) or isinstance(error, apsw.BusyError))


def transfer(engine: Engine, name: str, mode: str, chance: random.Random) -> bool:
    """One transaction; tells whether it was committed.  Journal mode OFF cannot undo one."""
    engine.run("BEGIN IMMEDIATE")
    count = engine.run("SELECT n FROM counter")[0][0]
    first, second = chance.sample(range(N_ACCOUNTS), 2)
    amount = chance.randrange(100)
    engine.run("UPDATE counter SET n = ?", (count + 1,))
    engine.run("UPDATE account SET balance = balance - ? WHERE id = ?", (amount, first))
    if chance.random() < 0.3:
        engine.run("SELECT sum(balance) FROM account")
    engine.run("UPDATE account SET balance = balance + ? WHERE id = ?", (amount, second))
    engine.run("INSERT INTO log(who, what) VALUES (?, zeroblob(?))", (name, chance.randrange(700)))
    if chance.random() < 0.2:
        engine.run("DELETE FROM log WHERE id IN (SELECT id FROM log WHERE who = ? AND what IS NOT NULL LIMIT 2)", (name + " old",))
    if chance.random() < 0.05 and mode != "off":
        engine.run("ROLLBACK")
        return False
    engine.run("COMMIT")
    return True


def work(engine_name: str, path: str, name: str, seconds: float, mode: str, result: dict[str, Any]) -> None:
    """Transfers and reads until the time is up; counts what happened in `result`."""
    chance = random.Random(name)
    engine = Engine(engine_name, path)
    end = time.monotonic() + seconds
    try:
        mode_is_set = False
        while time.monotonic() < end:
            try:
                if not mode_is_set:
                    engine.run(f"PRAGMA journal_mode = {mode}")
                    mode_is_set = True
                engine.run("SELECT count(*) FROM log WHERE who = ?", (name,))
                if engine.run("SELECT sum(balance) FROM account") != [(TOTAL,)]:
                    result["wrong"].append("a read saw half of a transaction")
                # Counted at once: a read behind it may find others in the way for too long.
                result["commits"] += transfer(engine, name, mode, chance)
                n_logged = engine.run("SELECT count(*) FROM log WHERE who = ?", (name,))[0][0]
                if n_logged != result["commits"]:
                    result["wrong"].append(f"{result['commits']} commits, but the log has {n_logged}")
                result["reads"] += 1
            except Exception as error:
                if not engine.is_busy(error):
                    raise
                result["busy"] += 1
                if engine_name == "minisql" or "transaction" not in str(error):
                    _roll_back(engine)
    except Exception as error:
        result["wrong"].append(f"{engine_name}: {type(error).__name__} {error}")
    finally:
        engine.close()


def _roll_back(engine: Engine) -> None:
    try:
        engine.run("ROLLBACK")
    except (apsw.SQLError, minisql.OperationalError) as error:
        if "no transaction is active" not in str(error):
            raise


def main() -> int:
    """Runs the threads of one process and prints their result as JSON."""
    engine, path, name, seconds, n_threads, mode = sys.argv[1:]
    results: list[dict[str, Any]] = [{"commits": 0, "reads": 0, "busy": 0, "wrong": []} for _ in range(int(n_threads))]
    threads = [
        threading.Thread(target=work, args=(engine, path, f"{name}.{number}", float(seconds), mode, result))
        for number, result in enumerate(results)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
