"""The ledger of a run: one JSON line for every file that is done, so that a run that was stopped goes on where it was.

A line holds the file's result under a key made of everything that the result depends on as far as the runner can see: the
file's name and size, the engine and its version, and the options. Whoever changes the engine under the same version
starts a new ledger. A last line cut short by a crash is ignored.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from sqllogictest.runner import Failure, FileResult, RunOptions
from sqllogictest.sources import TestFile


class Ledger:
    """Results by file, kept in a file that only ever grows."""

    def __init__(self, path: str, options: RunOptions, engine_version: str) -> None:
        self._context = [engine_version, asdict(options)]
        self._results: dict[str, FileResult] = {}
        self._read(Path(path))
        self._stream: TextIO = open(path, "a", encoding="utf-8")  # noqa: SIM115 - closed by close()

    def _read(self, path: Path) -> None:
        if not path.exists():
            return
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            self._results[entry["key"]] = result_from_plain(entry["result"])

    def key(self, file: TestFile) -> str:
        """Return what a file's result is filed under."""
        return json.dumps([file.name, file.size, file.query_stride, *self._context], sort_keys=True)

    def find(self, file: TestFile) -> FileResult | None:
        """Return the result of a file that an earlier run has finished."""
        return self._results.get(self.key(file))

    def add(self, file: TestFile, result: FileResult) -> None:
        """Write down the result of a file; it is on disk when this returns."""
        self._stream.write(json.dumps({"key": self.key(file), "result": asdict(result)}) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def result_from_plain(plain: dict[str, Any]) -> FileResult:
    """Return the FileResult that `dataclasses.asdict` has made plain."""
    failures = [Failure(**failure) for failure in plain["failures"]]
    return FileResult(**{**plain, "failures": failures})
