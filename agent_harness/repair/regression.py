"""The second strategy: a record that passed before fails since some commit; revert the smallest part of it that helps.

The youngest commit whose engine passes the task's records is looked for by doubling steps and then by bisection; the diff to
its successor is cut into hunks, and delta debugging finds a smallest set of hunks whose reversal closes the records.
Source: A. Zeller, "Yesterday, my program worked. Today, it does not. Why?" (1999).
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from agent_harness.backends.base import Task
from agent_harness.contract.minimise import ddmin
from agent_harness.contract.records import RecordsContract
from agent_harness.errors import HarnessError
from agent_harness.repair.localise import KEPT_PROBES, PROBE_SECONDS, record_probes
from agent_harness.repair.search import SUITE_SECONDS
from agent_harness.repair.workers import Pool, Probe
from agent_harness.workspaces.repository import Repository


class _History:
    """Trees of the past, tried by the probes; each one in a folder of its own."""

    def __init__(self, task: Task, contract: RecordsContract, scratch: Path, deadline: float) -> None:
        self._task = task
        self._contract = contract
        self._scratch = scratch
        self._deadline = deadline
        self.repository = Repository(task.workspace)
        self.probes = record_probes(contract.suites, task.case_ids)[:KEPT_PROBES]

    def commits(self, n: int) -> list[str]:
        """The commits that changed editable files, youngest first."""
        listing = self.repository.git("log", "--first-parent", "--format=%H", f"-{n}", "HEAD", "--", *self._task.editable)
        return listing.split()

    def passes(self, commit: str, reverted: str = "", probes: Sequence[Probe] | None = None) -> bool:
        """Whether a commit's engine, with a patch taken back, answers the probes rightly."""
        if time.monotonic() > self._deadline:
            raise HarnessError("no time left to search the past")
        with tempfile.TemporaryDirectory(dir=self._scratch) as name:
            folder = Path(name)
            self.repository.git("--work-tree", name, "restore", "--source", commit, "--worktree", "--", *self._task.editable)
            if reverted and not _take_back(self.repository, folder, reverted):
                return False
            try:
                with Pool(folder, self._contract.engine_module, 1, self._task.sandbox) as pool:
                    pool.preload([])
                    answer = pool.attempt(None, SUITE_SECONDS if probes else PROBE_SECONDS, probes or self.probes)
            except HarnessError:
                return False
            return not answer["reason"]


def _take_back(repository: Repository, folder: Path, patch: str) -> bool:
    try:
        # Named outright: git would skip every path, silently, if the folder happened to lie in some other repository.
        where = ("-C", str(folder), "--git-dir", str(repository.git_folder()), "--work-tree", str(folder))
        repository.git(*where, "apply", "--reverse", "--unidiff-zero", "--whitespace=nowarn", "-", stdin=patch)
    except HarnessError:
        return False
    return True


def revert_culprit(
    task: Task, contract: RecordsContract, jobs: int, n_commits: int, rejected: Collection[str], deadline: float
) -> str:
    """Reverts the culprit in the workspace; one line on what was done, '' when the past does not help."""
    with tempfile.TemporaryDirectory(prefix="past-") as scratch:
        history = _History(task, contract, Path(scratch), deadline)
        commits = history.commits(n_commits)
        if len(commits) < 2 or not history.probes or history.passes(commits[0]):
            return ""
        found = _last_passing(history, commits)
        if found is None:
            return ""
        good, bad = found
        patch = history.repository.git("diff", "--no-ext-diff", "--unified=0", "--no-renames", good, bad, "--", *task.editable)
        hunks = split_hunks(patch)
        head = commits[0]

        def closes(part: list[str]) -> bool:
            return bool(part) and history.passes(head, join_hunks(part))

        if not closes(hunks):
            return ""
        smallest = join_hunks(ddmin(hunks, closes, lambda: time.monotonic() > deadline))
        if smallest in rejected or not _take_back(history.repository, task.workspace, smallest):
            return ""
        return f"reverted {smallest.count(chr(10) + '@@')} of {len(hunks)} hunks of {bad[:12]}, since which the records fail"


def _last_passing(history: _History, commits: Sequence[str]) -> tuple[str, str] | None:
    """(last good, first bad) neighbours, or None when no commit in reach is good."""
    bad, step = 0, 1
    while True:
        position = min(bad + step, len(commits) - 1)
        if position == bad:
            return None
        if history.passes(commits[position]):
            break
        bad, step = position, step * 2
    good = position
    while good - bad > 1:
        middle = (good + bad) // 2
        if history.passes(commits[middle]):
            good = middle
        else:
            bad = middle
    return commits[good], commits[bad]


def split_hunks(patch: str) -> list[str]:
    """A patch as pieces that each hold one hunk below its file's header."""
    hunks: list[str] = []
    for part in re.split(r"(?m)^(?=diff --git )", patch):
        header, *bodies = re.split(r"(?m)^(?=@@ )", part)
        hunks.extend(header + body for body in bodies)
    return hunks


def join_hunks(hunks: Sequence[str]) -> str:
    """The pieces as one patch again, hunks of one file below one header."""
    by_header: dict[str, list[str]] = {}
    for hunk in hunks:
        position = re.search(r"(?m)^@@ ", hunk)
        assert position is not None
        by_header.setdefault(hunk[: position.start()], []).append(hunk[position.start() :])
    return "".join(header + "".join(bodies) for header, bodies in by_header.items())
