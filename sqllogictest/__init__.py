"""A parallel sqllogictest runner for any DB-API engine.

The pieces, each usable by itself: `records` (the file format), `formatting` (values to text), `engines` (adapters), `runner`
(one file), `sources` (folders and archives), `scheduling` (many files, in parallel), `reports`, `completion` (expected
results from a reference engine), `commands` (the command line) and `pytest_plugin`.
"""

from sqllogictest.engines import Engine, EngineError, make_engine
from sqllogictest.records import Condition, Record, format_records, parse_records
from sqllogictest.runner import Failure, FileResult, RunOptions, run_text

__all__ = [
    "Condition",
    "Engine",
    "EngineError",
    "Failure",
    "FileResult",
    "Record",
    "RunOptions",
    "format_records",
    "make_engine",
    "parse_records",
    "run_text",
]
