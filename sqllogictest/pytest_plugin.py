"""pytest plugin: every `.slt` and `.test` file becomes test items, so that `pytest -n auto FILES` runs suites in parallel.

A file named on the command line is always collected; below a folder only when an engine is set (`--slt-engine`, or
`slt_engine` in the ini file), so that other projects' files of these names are left alone. One file is one item; with
`--slt-groups N` it is N items, each of which runs all statements of the file and every N-th of its queries: items do not
depend on each other and may run in any process (`--dist worksteal`). Every `--slt-setup` is a run of its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqllogictest.engines import EngineError, make_engine
from sqllogictest.reports import format_failure, total
from sqllogictest.runner import FileResult, RunOptions, run_text
from sqllogictest.sources import SUFFIXES


class SuiteFailure(Exception):
    """Some records of an item failed; carries the result that says which."""

    def __init__(self, result: FileResult) -> None:
        super().__init__(total([result]).line())
        self.result = result


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--slt-engine`, `--slt-groups`, `--slt-setup` and `--slt-database`."""
    group = parser.getgroup("sqllogictest")
    group.addoption("--slt-engine", help="Engine for .slt and .test files (default: the ini value slt_engine, else minisql).")
    group.addoption("--slt-groups", type=int, default=1, help="Cut each file into this many items.")
    group.addoption("--slt-setup", action="append", default=[], help="SQL to execute first; each use is a run of its own.")
    group.addoption("--slt-database", choices=("memory", "file"), default="memory", help="Where the databases are.")
    parser.addini("slt_engine", "Engine for .slt and .test files; setting it collects them below folders too.", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
    """Collect a suite that is named on the command line, or any when the ini file sets an engine."""
    if file_path.suffix not in SUFFIXES:
        return None
    config = parent.config
    if config.getini("slt_engine") or config.getoption("--slt-engine") or _is_named(file_path, config):
        suite: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
        return suite
    return None


def _is_named(path: Path, config: pytest.Config) -> bool:
    folder = Path(config.invocation_params.dir)
    return any(folder / argument.partition("::")[0] == path for argument in config.args)


class SuiteFile(pytest.File):
    """One file; its items are its runs and groups."""

    def collect(self) -> Iterator["SuiteItem"]:
        """Yield an item for each setup and group."""
        config = self.config
        engine = config.getoption("--slt-engine") or config.getini("slt_engine") or "minisql"
        groups = max(1, config.getoption("--slt-groups"))
        is_file = config.getoption("--slt-database") == "file"
        for setup in config.getoption("--slt-setup") or [""]:
            options = RunOptions(engine=engine, setup=(setup,) if setup else (), is_database_file=is_file)
            for number in range(groups):
                part = replace(options, query_stride=groups, query_offset=number) if groups > 1 else options
                name = "-".join([engine, *([setup] if setup else []), *([f"group{number + 1}"] if groups > 1 else [])])
                item: SuiteItem = SuiteItem.from_parent(self, name=name, options=part)
                yield item


class SuiteItem(pytest.Item):
    """One run of a file, or of one group of its queries."""

    def __init__(self, *, options: RunOptions, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.options = options

    def runtest(self) -> None:
        """Run the records; raises SuiteFailure when one fails."""
        try:
            engine = make_engine(self.options.engine, self.options.engine_name)
        except EngineError as error:
            pytest.fail(str(error), pytrace=False)
        path = self.path
        result = run_text(path.read_bytes(), engine, self.options, self.nodeid.partition("::")[0])
        self.user_properties.append(("records", result.n_executed))
        if result.n_failed:
            raise SuiteFailure(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show failed records instead of a traceback."""
        error = excinfo.value
        if isinstance(error, SuiteFailure):
            shown = [format_failure(failure) for failure in error.result.failures]
            return "\n\n".join([*shown, str(error)])
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the item stands, for the report's headings."""
        return self.path, 0, self.name
