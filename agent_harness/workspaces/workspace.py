"""Workspaces: the folder that one attempt works in, made from a base commit, committed by the harness, never lost.

`worktree` shares the object store of the main checkout (cheap); `clone` is a depth-1 clone without remote, tags and
history, so that answers cannot be taken from the past.  A workspace is removed only when it is clean and its commit is
merged or archived as a patch.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from agent_harness.errors import ConfigurationError, HarnessError
from agent_harness.workspaces.repository import Repository

KINDS = ("worktree", "clone")


class Workspace:
    """One attempt's folder.  `repository` runs git inside it."""

    def __init__(self, main: Repository, path: Path, base: str, kind: str) -> None:
        self.main = main
        self.path = path
        self.base = base
        self.kind = kind
        self.repository = Repository(path)

    def commit(self, message: str) -> str | None:
        """Commits all that the agent left as one commit on top of the base; None when there is no change.

        What the agent itself committed is folded in: the index is reset to the base first.
        """
        self.repository.git("reset", "--soft", self._base_here())
        return self.repository.commit_all(message)

    def _base_here(self) -> str:
        if self.kind == "worktree":
            return self.base
        return self.repository.git("rev-list", "--max-parents=0", "HEAD").split()[0]

    def patch(self) -> str:
        """The diff from the base to the committed head."""
        return self.repository.diff(self._base_here(), "HEAD")

    def bring_home(self, message: str) -> str:
        """Returns a commit in the main repository, on top of `base`, with this workspace's tree."""
        if self.kind == "worktree":
            return self.repository.resolve("HEAD")
        patch = self.patch()
        return commit_from_patch(self.main, self.base, patch, message, self.path.with_name(self.path.name + ".apply"))

    def remove(self, archived_patch: Path | None) -> None:
        """Removes the folder.  Raises HarnessError if that could lose work: uncommitted changes, or no archived patch."""
        if self.repository.dirty_paths():
            raise HarnessError(f"{self.path} has uncommitted changes and is kept")
        changed = self.repository.resolve("HEAD") != self._base_here()
        if changed and (archived_patch is None or not archived_patch.is_file()):
            raise HarnessError(f"{self.path} holds a change that is not archived and is kept")
        self.discard()

    def discard(self) -> None:
        """Removes the folder without asking; only for folders whose work is archived."""
        if self.kind == "worktree":
            self.main.git("worktree", "remove", "--force", str(self.path))
        else:
            shutil.rmtree(self.path)


def create(main: Repository, path: Path, base: str, kind: str = "worktree") -> Workspace:
    """Makes a workspace at `path` from commit `base`.  Raises ConfigurationError for an unknown kind."""
    if kind not in KINDS:
        raise ConfigurationError(f"workspace must be one of {', '.join(KINDS)}, not {kind!r}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "worktree":
        main.git("worktree", "prune")
        main.git("worktree", "add", "--quiet", "--detach", "--force", str(path), base)
    else:
        _clone_without_history(main, path, base)
    return Workspace(main, path, base, kind)


def _clone_without_history(main: Repository, path: Path, base: str) -> None:
    """A fresh repository whose only commit has the base's tree: no remote, no tags, no past."""
    path.mkdir(parents=True)
    archive = path.with_name(path.name + ".tar")
    try:
        main.git("archive", "--format=tar", "-o", str(archive), base)
        shutil.unpack_archive(archive, path, "tar")
    finally:
        archive.unlink(missing_ok=True)
    main.git("init", "--quiet", "--initial-branch=work", str(path))
    Repository(path).commit_all("base")


def open_existing(main: Repository, path: Path, base: str, kind: str) -> Workspace | None:
    """The workspace that an interrupted run left at `path`, or None."""
    if not (path / ".git").exists():
        return None
    return Workspace(main, path, base, kind)


def commit_from_patch(main: Repository, base: str, patch: str, message: str, scratch: Path) -> str:
    """Applies `patch` on `base` in a scratch worktree of the main repository and returns the commit.

    Raises HarnessError when it does not apply (a conflict).
    """
    workspace = create(main, scratch, base, "worktree")
    try:
        workspace.repository.git("apply", "--index", "--3way", "-", stdin=patch)
        commit = workspace.repository.commit_all(message)
        if commit is None:
            raise HarnessError("the patch changes nothing")
        return commit
    finally:
        workspace.discard()
