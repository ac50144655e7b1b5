"""`import minisql` loads the API; the engine behind it loads with the first connection."""

import subprocess
import sys

PROGRAM = """
import sys
before = set(sys.modules)
import minisql
loaded = set(sys.modules) - before
print(sorted({name.partition(".")[0] for name in loaded} - sys.stdlib_module_names))
print(sorted({name.split(".")[1] for name in loaded if name.count(".") and name.startswith("minisql.")}))
print(minisql.connect(":memory:").execute("select 6 * 7").fetchone())
"""


def test_import_loads_the_api_only():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    top, rooms, answer = done.stdout.splitlines()
    assert top == "['minisql']"
    assert not {"bytecode", "catalog", "functions", "parser", "planner", "storage", "vm"} & set(eval(rooms))
    assert answer == "(42,)"
