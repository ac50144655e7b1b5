"""Git as the harness uses it: hooks off, identity fixed, environment clean, every failure one clear line.

Nothing here trusts what an agent left in a worktree: hooks and configuration that could run code are switched off on every
call, and references are moved with an old-value check only.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from agent_harness.errors import ConfigurationError, HarnessError

IDENTITY = ("-c", "user.name=agent-harness", "-c", "user.email=agent-harness@localhost")
SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false"),
    *("-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "protocol.ext.allow=never"),
)


def git_environment() -> dict[str, str]:
    """The environment without any GIT_* variable, and without prompts and global configuration."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_TERMINAL_PROMPT="0", GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull, LC_ALL="C")
    return environment


class Repository:
    """A git checkout (the main one or a workspace)."""

    def __init__(self, path: Path) -> None:
        """Raises ConfigurationError if git is missing or `path` is not the top folder of a checkout."""
        self.path = path.resolve()
        top = self.git("rev-parse", "--show-toplevel", configuration=True).strip()
        if Path(top).resolve() != self.path:
            raise ConfigurationError(f"{self.path} is not the top folder of a git checkout")

    def git(self, *arguments: str, check: bool = True, configuration: bool = False, stdin: str | None = None) -> str:
        """Runs git and returns its stdout.  Raises HarnessError (ConfigurationError if asked) with git's last line."""
        command = ["git", *SAFE, *IDENTITY, *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self.path,
                env=git_environment(),
                input=stdin,
                capture_output=True,
                text=True,
                errors="surrogateescape",
                check=False,
            )
        except FileNotFoundError as error:
            missing = "git" if self.path.exists() else str(self.path)
            raise ConfigurationError(f"{missing}: not found") from error
        if check and done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            kind = ConfigurationError if configuration else HarnessError
            raise kind(f"git {arguments[0]}: {lines[-1]}")
        return done.stdout

    def resolve(self, revision: str) -> str:
        """The commit hash of a revision."""
        return self.git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()

    def tree(self, revision: str) -> str:
        """The tree hash of a revision."""
        return self.git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{tree}}").strip()

    def branch(self) -> str:
        """The branch that is checked out, '' when detached."""
        return self.git("symbolic-ref", "--quiet", "--short", "HEAD", check=False).strip()

    def dirty_paths(self) -> list[str]:
        """Paths that differ from HEAD or are untracked and not ignored."""
        listing = self.git("status", "--porcelain=v1", "-z", "--untracked-files=all")
        return [entry[3:] for entry in listing.split("\0") if entry]

    def changed_paths(self, base: str, head: str) -> tuple[str, ...]:
        """The paths that differ between two commits, renames as two."""
        listing = self.git("diff", "--name-only", "--no-renames", "-z", base, head)
        return tuple(path for path in listing.split("\0") if path)

    def diff(self, base: str, head: str) -> str:
        """The patch between two commits, binary files included."""
        return self.git("diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--binary", base, head)

    def commit_all(self, message: str) -> str | None:
        """Commits everything in the work tree; returns the new commit, or None when nothing changed."""
        self.git("add", "--all")
        if not self.git("diff", "--cached", "--name-only").strip():
            return None
        self.git("commit", "--quiet", "--no-verify", "--message", message)
        return self.resolve("HEAD")

    def fast_forward(self, branch: str, new: str, old: str) -> None:
        """Moves `branch` from `old` to its descendant `new`, and the work tree with it if it is checked out here.

        Raises HarnessError when the branch is no longer at `old` or `new` does not descend from it.
        """
        if self.git("merge-base", old, new).strip() != old:
            raise HarnessError(f"{new[:12]} does not descend from {old[:12]}")
        if self.branch() == branch:
            if self.resolve("HEAD") != old:
                raise HarnessError(f"{branch} has moved since the change was verified")
            self.git("merge", "--ff-only", "--quiet", new)
        else:
            self.git("update-ref", f"refs/heads/{branch}", new, old)

    def git_folder(self) -> Path:
        """The common .git folder."""
        return (self.path / self.git("rev-parse", "--git-common-dir").strip()).resolve()


def fresh_repository(folder: Path, branch: str = "main") -> Repository:
    """The folder's files as the only commit of a new repository: nothing can be taken from its past."""
    shutil.rmtree(folder / ".git", ignore_errors=True)
    command = ["git", *SAFE, "init", "--quiet", f"--initial-branch={branch}", str(folder)]
    try:
        done = subprocess.run(command, env=git_environment(), capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ConfigurationError("git: not found") from error
    if done.returncode != 0:
        raise HarnessError(f"git init: {done.stderr.strip()}")
    repository = Repository(folder)
    repository.commit_all("base")
    return repository


def fingerprint(repository: Repository, branch: str) -> str:
    """A hash over what no attempt may touch: the branch, HEAD, the status, hooks, configuration and remotes.

    Taken before and after an attempt; a difference ends it at the integrity gate.
    """
    digest = hashlib.sha256()
    for part in (
        repository.git("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", check=False),
        repository.git("rev-parse", "HEAD"),
        repository.git("status", "--porcelain=v1", "-z", "--untracked-files=all"),
        repository.git("stash", "list"),
        repository.git("for-each-ref", "refs/heads", "refs/tags", "refs/remotes", "--format=%(refname) %(objectname)"),
    ):
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    folder = repository.git_folder()
    hooks = sorted((folder / "hooks").glob("*")) if (folder / "hooks").is_dir() else []
    for path in (folder / "config", folder / "info" / "exclude", folder / "info" / "attributes", *hooks):
        digest.update(path.name.encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"-")
    for name in repository.dirty_paths():
        full = repository.path / name
        digest.update(full.read_bytes() if full.is_file() else b"-")
    return digest.hexdigest()
