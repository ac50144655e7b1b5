"""The clients: which packages each needs, where its tests are, and the command that runs them.

A client's tests come from its source distribution, or from the installed package where they are a part of it; Datasette's are
a program of ours.  They run in a virtual environment of their own, with the standard library's module and with
minisql.install() in a sitecustomize.

Source: the test instructions of each project.
"""

from __future__ import annotations

from dataclasses import dataclass

ANY_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
PYTEST = (*ANY_PYTEST, "-p", "no:asyncio", "-p", "no:flaky")


@dataclass(frozen=True)
class Client:
    """One suite of one project.

    `source` is the project whose source distribution is the working folder, `folder` a folder in it; without a source the
    tests are in the installed packages.  `arguments` follow the interpreter; `format` says what the results are read from: the
    report of pytest ("junit") or the last lines of a run of unittest.  `named_arguments` name
    minisql to the suite, which then runs without install(); `why` excepts tests, by regular expression, with a reason.
    """

    name: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...]
    source: str = ""
    folder: str = "."
    n_minutes: int = 30
    format: str = "junit"
    named_arguments: tuple[str, ...] = ()
    why: dict[str, str] | None = None


SQLALCHEMY_CORE = ("query", "resultset", "types", "returning", "insert_exec", "defaults")
SQLALCHEMY_ORM = ("unitofwork", "session", "transaction", "manytomany")
DJANGO = (
    "backends",
    "schema",
    "transactions",
    "introspection",
    "basic",
    "bulk_create",
    "constraints",
    "indexes",
    "lookup",
    "expressions_window",
)
DISKCACHE = ("core", "fanout", "deque", "index", "recipes")
SQLMODEL = ("aliases", "datetime", "default", "enums", "field_sa_column", "main", "nullable", "query", "update", "validation")
# The tests of its command line are left out: they fail with this version of its parser of options.
SQLITE_UTILS_COMMANDS = ("cli", "cli_bulk", "cli_convert", "cli_insert", "cli_memory", "insert_files", "docs", "plugins")
PERSIST_QUEUE = ("pdict", "sqlackqueue", "sqlqueue")
CLIENTS = (
    Client(
        "SQLAlchemy dialect suite",
        ("sqlalchemy", "pytest"),
        (*PYTEST, "-o", "addopts=", "test/dialect/test_suite.py", "test/dialect/sqlite"),
        "sqlalchemy",
    ),
    Client(
        "SQLAlchemy dialect suite, sqlite+minisql://",
        ("sqlalchemy", "pytest"),
        (*PYTEST, "-o", "addopts=", "test/dialect/test_suite.py"),
        "sqlalchemy",
        named_arguments=("--dburi", "sqlite+minisql://"),
    ),
    Client(
        "SQLAlchemy Core",
        ("sqlalchemy", "pytest"),
        (
            *PYTEST,
            "-o",
            "addopts=",
            *[f"test/sql/test_{name}.py" for name in SQLALCHEMY_CORE],
            "test/engine/test_transaction.py",
        ),
        "sqlalchemy",
    ),
    Client(
        "SQLAlchemy ORM",
        ("sqlalchemy", "pytest"),
        (*PYTEST, "-o", "addopts=", *[f"test/orm/test_{name}.py" for name in SQLALCHEMY_ORM]),
        "sqlalchemy",
    ),
    Client("Alembic", ("alembic", "pytest"), (*PYTEST, "-o", "addopts=", "tests"), "alembic"),
    Client(
        "Django",
        ("django", "tblib"),
        ("runtests.py", "--parallel=1", "--noinput", *DJANGO),
        "django",
        "tests",
        n_minutes=60,
        format="unittest",
    ),
    Client(
        "aiosqlite",
        ("aiosqlite",),
        ("-m", "unittest", "-v", "aiosqlite.tests"),
        format="unittest",
        why={"test_enable_load_extension": "extensions in machine code are refused with NotSupportedError"},
    ),
    Client("pandas", ("pandas", "pytest", "hypothesis"), (*PYTEST, "--pyargs", "pandas.tests.io.test_sql", "-k", "sqlite")),
    Client("Pony", ("pony",), ("-m", "unittest", "discover", "-s", "{site}/pony/orm/tests", "-t", "{site}"), format="unittest"),
    Client(
        "DiskCache",
        ("diskcache", "pytest"),
        (*PYTEST, "-o", "addopts=", *[f"tests/test_{name}.py" for name in DISKCACHE]),
        "diskcache",
    ),
    Client(
        "sqlite-utils",
        ("sqlite-utils", "pytest", "hypothesis"),
        (*PYTEST, "-o", "addopts=", "tests", *[f"--ignore=tests/test_{name}.py" for name in SQLITE_UTILS_COMMANDS]),
        "sqlite-utils",
    ),
    Client(
        "Datasette, a program with searches",
        ("datasette", "sqlite-utils"),
        ("{root}/tests/clients/datasette_program.py",),
        format="unittest",
    ),
    Client("dataset", ("dataset", "pytest"), (*PYTEST, "-o", "addopts=", "test"), "dataset"),
    Client(
        "SQLModel",
        ("sqlmodel", "pytest", "dirty-equals", "greenlet"),
        (*PYTEST, "-o", "addopts=", "-o", "filterwarnings=", *[f"tests/test_{name}.py" for name in SQLMODEL]),
        "sqlmodel",
    ),
    Client("litecli", ("litecli", "pytest"), (*PYTEST, "-o", "addopts=", "tests"), "litecli"),
    Client(
        "requests-cache",
        ("requests-cache", "pytest", "requests-mock", "responses", "rich", "timeout-decorator"),
        (*PYTEST, "-o", "addopts=", "tests/integration/test_sqlite.py"),
        "requests-cache",
    ),
    Client("Huey", ("huey",), ("-m", "unittest", "huey.tests.test_storage", "huey.tests.test_api"), "huey", format="unittest"),
    Client("sqlitedict", ("sqlitedict", "pytest"), (*PYTEST, "-o", "addopts=", "tests"), "sqlitedict"),
    Client(
        "persist-queue",
        ("persist-queue", "pytest", "msgpack", "cbor2"),
        (*PYTEST, "-o", "addopts=", *[f"persistqueue/tests/test_{name}.py" for name in PERSIST_QUEUE]),
        "persist-queue",
    ),
    Client(
        "coverage.py",
        ("coverage", "pytest", "flaky", "pytest-xdist", "hypothesis"),
        (*ANY_PYTEST, "-p", "no:asyncio", "-o", "addopts=", "tests/test_data.py", "tests/test_numbits.py"),
        "coverage",
    ),
    Client(
        "IPython",
        ("ipython", "pytest", "testpath"),
        (*PYTEST, "-o", "addopts=", "tests/test_history.py"),
        "ipython",
    ),
    Client("nbformat", ("nbformat", "pytest", "testpath"), (*PYTEST, "-o", "addopts=", "tests/test_sign.py"), "nbformat"),
)
