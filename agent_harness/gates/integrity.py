"""Integrity: the tree is what it says, the judges are untouched, and no answer of the contract was written into the change.

Checked here: the checkout is exactly its commit, every protected file equals the base's, the base was judged under this very
contract; and no string or comment that the change adds holds a record's SQL, a result hash, the name of a suite or a table
that only the records have, plainly or behind hex, base64, zlib or reversal.

What a record's SQL is made of (keywords, short names) is not an answer: only texts of some length count, and none that the
base already has.
"""

from __future__ import annotations

import ast
import base64
import binascii
import contextlib
import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from agent_harness.contract.base import CaseId, Contract
from agent_harness.contract.sql_text import KEYWORDS, normalised, solid, tokens
from agent_harness.errors import HarnessError
from agent_harness.gates.base import Change, GateResult
from agent_harness.gates.scope import changed_lines, is_below
from agent_harness.workspaces.repository import Repository

RESULT_HASH = re.compile(r"\b[0-9a-f]{32}\b")
HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}\Z")
BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{16,}={0,2}\Z")
SHORTEST_SQL = 20
SHORTEST_NAME = 4
LONGEST_SQL = 2000
TEXT_KINDS = {".py", ".toml", ".txt", ".md", ".json", ".cfg"}


class IntegrityGate:
    """Option: `allowed_texts` (texts that may appear although a record has them)."""

    name = "integrity"

    def __init__(self, protected: Sequence[str], options: Mapping[str, Any]) -> None:
        self._protected = tuple(protected)
        self._allowed = frozenset(options.get("allowed_texts", ()))

    def check(self, change: Change, contract: Contract) -> GateResult:
        """Judges the checkout, the protected files, the contract and the texts that the change adds."""
        for judge in (self._tree, self._contract, self._texts):
            problem = judge(change, contract)
            if problem:
                return GateResult(self.name, False, problem, f"integrity: {problem.partition(': ')[0]}")
        return GateResult(self.name, True, "clean checkout, protected files as on the base, no answer of the contract in it")

    def _tree(self, change: Change, contract: Contract) -> str:
        if not (change.checkout / ".git").exists():
            return "the checkout is not a git checkout"
        repository = Repository(change.checkout)
        dirty = repository.dirty_paths()
        if dirty:
            return f"the checkout is not its commit: {dirty[0]} differs"
        try:
            head = repository.resolve("HEAD")
        except HarnessError as error:
            return f"the checkout has no commit: {error}"
        if head != change.head:
            return f"the checkout is at {head[:12]}, the change is {change.head[:12]}"
        now, before = (
            _protected_files(change.checkout, self._protected),
            _protected_files(change.base_checkout, self._protected),
        )
        moved = sorted(path for path in now.keys() | before.keys() if now.get(path) != before.get(path))
        return f"a protected file differs from the base: {moved[0]}" if moved else ""

    def _contract(self, change: Change, contract: Contract) -> str:
        if change.base_evaluation.contract_hash != contract.hash():
            return "the contract has moved since the base was evaluated"
        unknown = [id_ for id_ in change.target_ids if id_ not in contract.cases()]
        return f"a target is not a case of the contract: {unknown[0]}" if unknown else ""

    def _texts(self, change: Change, contract: Contract) -> str:
        answers = answers_of(contract)
        known = base_words(change.base_checkout, change.changed_paths)
        for path in change.changed_paths:
            full = change.checkout / path
            if not full.is_file() or full.suffix not in TEXT_KINDS:
                continue
            added = [text for where, sign, text in changed_lines(change.diff) if where == path and sign == "+"]
            new = {*_literals(full)} - {*_literals(change.base_checkout / path)} if full.suffix == ".py" else set()
            for text in (*sorted(new), *added):
                problem = answers.found_in(text, known | self._allowed, is_literal=text in new)
                if problem:
                    return f"{problem}: {path}"
        return ""


def _protected_files(checkout: Path, protected: Sequence[str]) -> dict[str, str]:
    """{path: blob hash and mode} of the commit that is checked out; its cleanness is checked apart."""
    listing = Repository(checkout).git("ls-tree", "-r", "-z", "HEAD") if (checkout / ".git").exists() else ""
    entries = (entry.partition("\t") for entry in listing.split("\0") if entry)
    return {path: about for about, _, path in entries if is_below(path, protected)}


class Answers:
    """What a change may not know: the SQL, result hashes, suites and tables of the contract's cases."""

    __slots__ = ("hashes", "names", "sql", "suites")

    def __init__(self, sql: frozenset[str], hashes: frozenset[str], suites: frozenset[str], names: frozenset[str]) -> None:
        self.sql = sql
        self.hashes = hashes
        self.suites = suites
        self.names = names

    def found_in(self, text: str, known: frozenset[str], is_literal: bool) -> str:
        """What of the contract a text gives away, '' if nothing.  `known` are the words that the base has."""
        for form in _readings(text) if is_literal else (text,):
            problem = self._in_plain(form, known, is_literal)
            if problem:
                return problem
        return ""

    def _in_plain(self, text: str, known: frozenset[str], is_literal: bool) -> str:
        for mark in RESULT_HASH.findall(text):
            if mark in self.hashes:
                return f"a result or SQL hash of a record stands in the change ({mark})"
        if len(text) >= SHORTEST_SQL and text not in known:
            quoted = [part[1:-1] for kind, part in tokens(text) if kind in ("string", "quoted") and len(part) > SHORTEST_SQL]
            for flat in map(normalised, (text, *quoted)):
                if flat in self.sql or any(True for _ in _windows(flat, self.sql)):
                    return f"the SQL of a record stands in the change ({flat[:60]!r})"
        if not is_literal:
            return ""
        for suite in self.suites:
            if suite in text and suite not in known:
                return f"the name of a suite stands in the change ({suite})"
        word = text.strip().lower()
        if word in self.names and word not in known:
            return f"a name that only the records have stands in the change ({word!r})"
        return ""


def _windows(flat: str, sql: frozenset[str]) -> Iterator[str]:
    """Statements of the records that begin where a statement can begin inside a longer text."""
    for match in re.finditer(r"\b(?:select|insert|update|delete|create|with|values|replace) ", flat):
        rest = flat[match.start() : match.start() + LONGEST_SQL]
        ends = {len(rest), *(found.start() for found in re.finditer(r" ?['\";)]", rest)), *_word_ends(rest)}
        yield from (rest[:end] for end in ends if end >= SHORTEST_SQL and rest[:end] in sql)


def _word_ends(text: str) -> Iterator[int]:
    return (match.start() for match in re.finditer(r" ", text))


def _readings(text: str) -> Iterator[str]:
    """The text, and what it says backwards or decoded."""
    yield text
    yield text[::-1]
    packed: list[bytes] = []
    if HEX.match(text):
        packed.append(bytes.fromhex(text))
    if BASE64.match(text):
        with contextlib.suppress(binascii.Error, ValueError):
            packed.append(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if set(text) & {"-", "_"} else None))
    packed.append(text.encode("latin-1", "ignore"))
    for data in packed:
        for candidate in (data, _inflated(data)):
            if candidate:
                yield candidate.decode("utf-8", "replace")
                yield candidate.hex()


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, 1 << 20)
    except zlib.error:
        return b""


def _literals(path: Path) -> Iterator[str]:
    """The string and byte constants of a Python file, f-strings' fixed parts among them, adjacent ones put together."""
    if not path.is_file():
        return
    try:
        parsed = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(parsed):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            joined = _joined(node)
            if joined:
                yield joined
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            parts = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple | ast.List) else []
            values = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            separator = node.func.value.value if isinstance(node.func.value, ast.Constant) else ""
            yield str(separator).join(values)


def _joined(node: ast.expr) -> str:
    """The text of "a" + "b" + ..., '' when a part is not a constant."""
    parts: list[str] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, ast.BinOp) and isinstance(top.op, ast.Add):
            stack += [top.right, top.left]
        elif isinstance(top, ast.Constant) and isinstance(top.value, str):
            parts.append(top.value)
        else:
            return ""
    return "".join(parts)


def base_words(base_checkout: Path, changed_paths: Sequence[str]) -> frozenset[str]:
    """The string constants, and the words in lower case, of the base's top-level folders that the change touches."""
    words: set[str] = set()
    for folder in sorted({path.partition("/")[0] for path in changed_paths if path.endswith(".py")}):
        words |= _folder_words(str(base_checkout / folder))
    return frozenset(words)


@lru_cache(maxsize=8)
def _folder_words(folder: str) -> frozenset[str]:
    root = Path(folder)
    words: set[str] = set()
    for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        words.update(word.lower() for word in re.findall(r"\w+", text))
        words.update(_literals(path))
    return frozenset(words)


def answers_of(contract: Contract) -> Answers:
    """The answers of a contract; for kinds without scripts, only the names of its suites."""
    key = contract.hash()
    if key not in _answers_by_hash:
        _answers_by_hash.clear()
        _answers_by_hash[key] = _collect_answers(contract)
    return _answers_by_hash[key]


_answers_by_hash: dict[str, Answers] = {}


def _collect_answers(contract: Contract) -> Answers:
    sql: set[str] = set()
    hashes: set[str] = set()
    names: set[str] = set()
    suites = {case.suite for case in contract.cases().values()}
    for statement, expected in _records(contract):
        flat = normalised(statement)
        if len(flat) >= SHORTEST_SQL:
            sql.add(flat)
            hashes.add(hashlib.md5(statement.encode("utf-8", "replace"), usedforsecurity=False).hexdigest())
        hashes.update(RESULT_HASH.findall(expected))
        names |= _created_names(statement)
    shown = frozenset(name for suite in suites for name in (suite, suite.rpartition("/")[2]) if len(name) > SHORTEST_NAME)
    return Answers(frozenset(sql), frozenset(hashes), shown, frozenset(names))


def _records(contract: Contract) -> Iterator[tuple[str, str]]:
    for _, suite in getattr(contract, "suites", ()):
        for record in suite.records:
            if record.sql:
                yield record.sql, record.expected or ""


def _created_names(statement: str) -> set[str]:
    """The table, view and index names that a CREATE statement makes, if long enough to mean something."""
    parts = solid(tokens(statement[:200]))
    words = [text.lower().strip('"[]`') for _, text in parts]
    if not words or words[0] != "create":
        return set()
    for position, word in enumerate(words[:-1]):
        if word in ("table", "view", "index", "trigger"):
            name = words[position + 4] if words[position + 1 : position + 4] == ["if", "not", "exists"] else words[position + 1]
            return {name} if len(name) >= SHORTEST_NAME and name not in KEYWORDS else set()
    return set()


def expected_of(contract: Contract, ids: Sequence[CaseId]) -> list[str]:
    """The expected texts of some cases (for the reviewer's rule on hard-coded results)."""
    found = []
    for _, suite in getattr(contract, "suites", ()):
        found += [suite.records[place].expected or "" for place, case in suite.cases.items() if case.id in set(ids)]
    return found
