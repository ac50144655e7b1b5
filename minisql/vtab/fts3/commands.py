"""What an INSERT into the hidden column runs: optimize, rebuild, integrity-check, merge, automerge, flush.

Source: https://www.sqlite.org/fts3.html section 7.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from minisql.errors import CORRUPT_VTAB, ERROR, Error, sqlite_error
from minisql.vtab.fts3.content import AUTOMERGE
from minisql.vtab.fts3.formats import decode_positions
from minisql.vtab.fts3.segments import LEVELS, MERGE_COUNT
from minisql.vtab.shadow_tables import corrupt

if TYPE_CHECKING:
    from minisql.vtab.fts3.table import FtsTable

_DEFAULT_MERGE = 8


def run_command(table: FtsTable, command: str) -> None:
    """Runs one command; raises for one that there is not."""
    lowered = command.lower()
    if lowered == "optimize":
        optimize(table)
    elif lowered == "rebuild":
        rebuild(table)
    elif lowered == "integrity-check":
        # Without the rows there is nothing to compare with.
        if table.configuration.content != "" and not is_intact(table):
            raise corrupt()
    elif lowered == "flush":
        table.index.flush()
    elif lowered.startswith("merge="):
        _merge(table, command[6:])
    elif lowered.startswith("automerge="):
        _set_automerge(table, command[10:])
    else:
        raise sqlite_error(ERROR)


def optimize(table: FtsTable) -> bool:
    """Merges each index into one segment; False if there was nothing to do."""
    index = table.index
    was_done = False
    for language in index.languages():
        for number in range(len(table.configuration.prefixes)):
            was_done |= not index.merge_all(language, number)
    index.forget_pending()
    return not was_done


def rebuild(table: FtsTable) -> None:
    """Makes the index anew from the rows."""
    configuration = table.configuration
    table.delete_everything(False)
    n_rows = 0
    totals = [0] * (configuration.n_columns + 1)
    for docid, values in table.content.scan(None, None, False):
        language = values[-1] if isinstance(values[-1], int) else 0
        sizes = table.add_terms(docid, values, language)
        if configuration.has_sizes:
            table.content.put_sizes(docid, sizes[:-1])
        totals = [total + size for total, size in zip(totals, sizes)]
        n_rows += 1
    if configuration.is_fts4:
        table.content.change_totals(n_rows, totals, [0] * len(totals))


def is_intact(table: FtsTable) -> bool:
    """Compares every index with the tokens of the rows."""
    index = table.index
    index.flush()
    n_indexes = len(table.configuration.prefixes)
    wanted: dict[int, set[tuple[bytes, int, int]]] = {}
    for docid, values in table.content.scan(None, None, False):
        language = values[-1] if isinstance(values[-1], int) else 0
        found = wanted.setdefault(language, set())
        for term, poslist in table.poslists(values)[0].items():
            found.update((term, docid, position) for position in decode_positions(bytes(poslist)))
    for language in {*index.languages(), *wanted}:
        tokens = wanted.get(language, set())
        for number in range(n_indexes):
            length = table.configuration.prefixes[number]
            expected = tokens
            if length:
                expected = {(term[:length], docid, place) for term, docid, place in tokens if len(term) >= length}
            stored = {
                (term, docid, position)
                for term, entries in index.all_terms(language, number)
                for docid, poslist in entries
                for position in decode_positions(poslist)
            }
            if stored != expected:
                return False
    return True


def integrity_text(table: FtsTable, schema: str, name: str) -> str | None:
    """What PRAGMA integrity_check says of a table, None for nothing."""
    if table.configuration.content == "":
        return None
    version = 4 if table.configuration.is_fts4 else 3
    try:
        if is_intact(table):
            return None
    except Error as error:
        if error.sqlite_errorcode & 0xFF != CORRUPT_VTAB & 0xFF:
            return f"unable to validate the inverted index for FTS{version} table {schema}.{name}: {error}"
    return f"malformed inverted index for FTS{version} table {schema}.{name}"


def _merge(table: FtsTable, text: str) -> None:
    """`merge=n,least`: levels of at least so many segments are merged.  SQLite stops after about n pages of work; here a level
    is always merged as a whole."""
    found = re.match(r"([0-9]*)(?:,(?=.)([0-9]*))?$", text, re.DOTALL)
    if found is None:
        raise sqlite_error(ERROR)
    least = _DEFAULT_MERGE if found.group(2) is None else int(found.group(2) or 0)
    if least < 2:
        raise sqlite_error(ERROR)
    if not table.content.has_stat():
        table.content.create_stat()
    if int(found.group(1) or 0):
        merge_levels(table, least)


def merge_levels(table: FtsTable, least: int) -> None:
    """Merges each level that has at least so many segments into the next one."""
    index = table.index
    rows = table.host.execute(
        f"SELECT level, count(*) FROM {table.configuration.table_sql('segdir')} GROUP BY level ORDER BY level"
    )
    n_indexes = len(table.configuration.prefixes)
    for level, n_segments in rows:
        if n_segments >= min(least, MERGE_COUNT):
            language, number = divmod(level // LEVELS, n_indexes)
            index.merge_level(language, number, level % LEVELS)
    if rows:
        table.host.execute(f"DELETE FROM {table.configuration.table_sql('stat')} WHERE id=1")


def _set_automerge(table: FtsTable, text: str) -> None:
    found = re.match(r"[0-9]*", text)
    number = int(found.group() or 0) if found is not None else 0
    if number == 1 or number > MERGE_COUNT:
        number = _DEFAULT_MERGE
    if not table.content.has_stat():
        table.content.create_stat()
    table.content.put_stat(AUTOMERGE, number)
