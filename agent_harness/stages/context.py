"""What the stages share while a run is on, and the pieces that may cross to other processes and machines."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path

from agent_harness.config import Config, ContractConfig
from agent_harness.contract.base import Contract
from agent_harness.contract.configured import make_contract
from agent_harness.errors import HarnessError
from agent_harness.state.folders import Folders
from agent_harness.state.journal import Journal
from agent_harness.workspaces.repository import Repository, fingerprint
from agent_harness.workspaces.sandbox import Sandbox
from agent_harness.workspaces.workspace import Workspace, create

Say = Callable[[str], None]


class RunContext:
    """A run: everything that the coordinator's thread holds.  Only that thread records events and moves the branch."""

    __slots__ = ("config", "contract", "executor", "folders", "guard", "journal", "repository", "say")

    def __init__(
        self, config: Config, repository: Repository, journal: Journal, contract: Contract, executor: Executor, say: Say
    ) -> None:
        self.config = config
        self.repository = repository
        self.folders = Folders(config.state)
        self.journal = journal
        self.contract = contract
        self.executor = executor
        self.say = say
        self.guard = CheckoutGuard(repository, config.target.branch)

    def tip(self) -> str:
        """The branch's commit."""
        return self.repository.resolve(f"refs/heads/{self.config.target.branch}")


class CheckoutGuard:
    """Knows how the main checkout must look; only the merging writer changes it, and says so with `retake`."""

    __slots__ = ("_branch", "_expected", "_repository")

    def __init__(self, repository: Repository, branch: str) -> None:
        self._repository = repository
        self._branch = branch
        self._expected = fingerprint(repository, branch)

    def is_untouched(self) -> bool:
        """Whether nobody else changed branch, files, hooks, configuration or remotes."""
        return fingerprint(self._repository, self._branch) == self._expected

    def retake(self) -> None:
        """After the harness itself has moved the branch."""
        self._expected = fingerprint(self._repository, self._branch)


def checkout_of(repository: Repository, folders: Folders, commit: str, name: str) -> Workspace:
    """A clean detached checkout of `commit` at workspaces/`name`, made anew if what is there is not clean."""
    path = folders.workspace(name)
    if (path / ".git").exists():
        present = Workspace(repository, path, commit, "worktree")
        if not present.repository.dirty_paths() and present.repository.resolve("HEAD") == commit:
            return present
        present.discard()
    return create(repository, path, commit, "worktree")


def base_checkout(repository: Repository, folders: Folders, commit: str) -> Path:
    """The checkout that stands for a base commit."""
    return checkout_of(repository, folders, commit, f"base-{commit[:12]}").path


def discard_quietly(workspace: Workspace) -> None:
    """Removes a checkout whose content is a commit of the main repository; one that resists is left to `gc`."""
    with contextlib.suppress(HarnessError, OSError):
        workspace.discard()


@lru_cache(maxsize=4)
def _cached_contract(checkout: Path, chosen: ContractConfig, config: _ById) -> Contract:
    return make_contract(config.config)


class _ById:
    """Carries the configuration through the cache without being part of its key."""

    __slots__ = ("config",)

    def __init__(self, config: Config) -> None:
        self.config = config

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById)

    def __hash__(self) -> int:
        return 0


def contract_here(config: Config) -> Contract:
    """The contract in this process, read once (a worker process keeps it between jobs)."""
    return _cached_contract(config.checkout, config.contract, _ById(config))


def forget_contracts() -> None:
    """At the start of a run: records may have changed since the last one."""
    _cached_contract.cache_clear()


def sandbox_of(config: Config) -> Sandbox:
    """The wall that the configuration asks for; the state folder is empty inside it."""
    chosen = config.workspace
    return Sandbox(chosen.sandbox, chosen.network, chosen.image, (config.state,))
