"""The one merging writer: preview at the branch's tip, the gates on exactly that tree, then fast-forward or nothing.

Verified attempts are taken in batches.  A preview worktree at the tip picks their commits one after the other; one that
conflicts goes back for a new attempt.  The gates run on the previewed tree unless that very change (same base tree, same tree,
same contract) has its verdict already.  A red batch is tried once more, then halved until the culprit stands alone and goes
back; the others are merged.  The branch moves by fast-forward with an old-value check, so a change that came from elsewhere
stops the merge instead of being overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_harness.errors import HarnessError
from agent_harness.stages import understand, verify
from agent_harness.stages.context import RunContext, checkout_of, discard_quietly
from agent_harness.stages.verify import Verdict, VerifyJob
from agent_harness.state.fold import CONFLICT, AttemptRecord
from agent_harness.workspaces.repository import Repository

Batch = list[AttemptRecord]


def merge_queue(run: RunContext) -> bool:
    """Merges what waits.  Returns False, and merges nothing more, when the main checkout was changed from outside."""
    size = run.config.loop.batch
    queue = run.journal.state.queue()
    batches: list[tuple[Batch, bool]] = [(queue[start : start + size], False) for start in range(0, len(queue), size)]
    while batches:
        if not run.guard.is_untouched():
            run.journal.record("checkout.changed", attempt="")
            return False
        batch, is_second_try = batches.pop(0)
        batches[:0] = _merge_batch(run, batch, is_second_try)
    return True


def _merge_batch(run: RunContext, batch: Batch, is_second_try: bool) -> list[tuple[Batch, bool]]:
    """Merges one batch; returns what must be tried next instead when it is red."""
    old = run.tip()
    merge = f"m{len(run.journal.state.merges) + 1}"
    run.journal.record("merge.started", merge=merge, attempts=[attempt.id for attempt in batch], old=old)
    new, kept, conflicts = _preview(run, merge, old, batch)
    if not kept:
        _reject(run, merge, conflicts, CONFLICT, f"does not apply on {old[:12]}, which has moved since")
        return []
    tree = run.repository.tree(new)
    run.journal.record("merge.previewed", merge=merge, new=new, tree=tree, attempts=[attempt.id for attempt in kept])
    verdict = _known_verdict(run, old, tree, kept) or _judge(run, merge, old, new, kept)
    if verdict.passed:
        run.journal.record("merge.verified", merge=merge, passed=True, gates=list(verdict.gates), tree=tree)
        _forward(run, merge, old, new, kept)
        return [(conflicts, False)] if conflicts else []
    red = verdict.red()
    reason = f"{red.get('gate')}: {red.get('evidence')}"
    if len(kept) == 1 and is_second_try:
        _reject(run, merge, kept, "red", reason, str(red.get("signature")))
        return [(conflicts, False)] if conflicts else []
    _reject(run, merge, [], "", f"to be tried again: {reason}")
    again = [(kept, True)] if not is_second_try else [(half, True) for half in _halves(kept)]
    return again + ([(conflicts, False)] if conflicts else [])


def _halves(batch: Batch) -> list[Batch]:
    middle = len(batch) // 2
    return [batch[:middle], batch[middle:]]


def _preview(run: RunContext, merge: str, old: str, batch: Batch) -> tuple[str, Batch, Batch]:
    """Picks the batch's commits on the tip in a worktree: (new commit, those that are in it, those that conflict)."""
    name = f"preview-{merge}"
    workspace = checkout_of(run.repository, run.folders, old, name)
    kept: Batch = []
    conflicts: Batch = []
    try:
        for attempt in batch:
            if _pick(workspace.repository, attempt):
                kept.append(attempt)
            else:
                conflicts.append(attempt)
        return workspace.repository.resolve("HEAD"), kept, conflicts
    finally:
        discard_quietly(workspace)


def _pick(preview: Repository, attempt: AttemptRecord) -> bool:
    git = preview.git
    try:
        if preview.resolve("HEAD") == attempt.base:
            git("reset", "--quiet", "--hard", attempt.head)
        else:
            git("cherry-pick", "--allow-empty-message", attempt.head)
    except HarnessError:
        git("cherry-pick", "--abort", check=False)
        git("reset", "--quiet", "--hard", "HEAD")
        return False
    return True


def _known_verdict(run: RunContext, old: str, tree: str, batch: Batch) -> Verdict | None:
    """The verdict of a single attempt whose very tree, on the very same base, was judged under this contract."""
    if len(batch) != 1:
        return None
    (attempt,) = batch
    base_tree = run.repository.tree(old)
    is_same = attempt.tree == tree and run.repository.tree(attempt.base) == base_tree
    if not attempt.passed or not is_same or attempt.contract != run.contract.hash():
        return None
    return Verdict(True, tuple(attempt.gates), attempt.contract, base_tree, tree)


def _judge(run: RunContext, merge: str, old: str, new: str, batch: Batch) -> Verdict:
    understand.evaluate(run, old)
    contract_hash = run.contract.hash()
    path = run.folders.evaluation(run.repository.tree(old), contract_hash)
    tasks = run.journal.state.tasks
    targets = tuple(dict.fromkeys(id_ for attempt in batch for id_ in tasks[attempt.task].case_ids))
    run.say(f"{merge}: gates on the merged tree of {', '.join(attempt.id for attempt in batch)}")
    job = VerifyJob(run.config, merge, old, new, targets, path, contract_hash)
    verdict: Verdict = run.executor.submit(verify.carry_out, job).result()
    return verdict


def _forward(run: RunContext, merge: str, old: str, new: str, batch: Sequence[AttemptRecord]) -> None:
    if not run.guard.is_untouched():
        raise HarnessError("the main checkout was changed while a merge was judged; nothing was merged")
    run.repository.fast_forward(run.config.target.branch, new, old)
    run.guard.retake()
    run.journal.record("merge.finished", merge=merge, old=old, new=new, attempts=[attempt.id for attempt in batch])
    run.say(f"{merge}: {run.config.target.branch} is now {new[:12]}")


def _reject(run: RunContext, merge: str, sent_back: Batch, result: str, reason: str, signature: str = "") -> None:
    run.journal.record(
        "merge.rejected",
        merge=merge,
        sent_back=[attempt.id for attempt in sent_back],
        result=result,
        reason=reason,
        signature=signature or result,
    )
    run.say(f"{merge}: {reason.splitlines()[0]}"[:200])


def settle(run: RunContext) -> None:
    """After a killed run: writes down merges that had reached the branch, and gives up those that had not."""
    for merge in list(run.journal.state.merges.values()):
        if merge.status in ("finished", "rejected"):
            continue
        if merge.new and _contains(run, merge.new):
            names = list(merge.attempts)
            run.journal.record("merge.finished", merge=merge.id, old=merge.old, new=merge.new, attempts=names)
        else:
            _reject(run, merge.id, [], "", "the run was killed during the merge")


def _contains(run: RunContext, commit: str) -> bool:
    try:
        return run.repository.git("merge-base", commit, run.tip()).strip() == commit
    except HarnessError:
        return False
