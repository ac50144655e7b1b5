"""Walls around a program that works for an agent: none, bubblewrap or docker.

`none` is only a folder and an environment: a program can write outside its workspace, and only the fingerprint of the main
checkout and the gates notice.  `bwrap` mounts everything read-only except the workspace and the attempt's folder, hides
/tmp and other processes, and can cut the network.  `docker` does the same with an image that has the tools.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from agent_harness.errors import ConfigurationError

KINDS = ("none", "bwrap", "docker")


class Sandbox:
    """One kind of wall; `network` says whether the program may open connections."""

    __slots__ = ("hidden", "image", "kind", "network")

    def __init__(self, kind: str = "none", network: bool = True, image: str = "", hidden: Sequence[Path] = ()) -> None:
        """`hidden` folders appear empty inside (the state folder, with prompts and verdicts of others).

        Raises ConfigurationError for an unknown kind, a missing program, or docker without an image.
        """
        if kind not in KINDS:
            raise ConfigurationError(f"sandbox must be one of {', '.join(KINDS)}, not {kind!r}")
        if kind != "none" and not shutil.which(kind):
            raise ConfigurationError(f"sandbox {kind}: program not found on PATH")
        if kind == "docker" and not image:
            raise ConfigurationError("sandbox docker needs an image")
        self.kind = kind
        self.network = network
        self.image = image
        self.hidden = tuple(hidden)

    def wrap(
        self,
        command: Sequence[str],
        workspace: Path,
        writable: Sequence[Path] = (),
        readable: Sequence[Path] = (),
        variables: Sequence[str] = (),
    ) -> list[str]:
        """The command line that runs `command` inside, with the workspace as current folder.

        `readable` folders are visible even if they lie below a hidden one.  `variables` of the environment are handed into a
        container by name (their values never stand on a command line).
        """
        if self.kind == "bwrap":
            return [*self._bwrap(workspace, writable, readable), "--", *command]
        if self.kind == "docker":
            return [*self._docker(workspace, writable, readable, variables), *command]
        return list(command)

    def _bwrap(self, workspace: Path, writable: Sequence[Path], readable: Sequence[Path]) -> list[str]:
        line = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/"]
        line += ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
        mounts: list[tuple[str, tuple[Path, ...]]] = [("--tmpfs", (folder,)) for folder in self.hidden if folder.is_dir()]
        mounts += [("--ro-bind", (folder, folder)) for folder in readable]
        mounts += [("--bind", (folder, folder)) for folder in (workspace, *writable)]
        # Outer folders first: a workspace below the hidden state folder is visible, the state folder in a readable one is not.
        for option, folders in sorted(mounts, key=lambda mount: len(mount[1][0].parts)):
            line += [option, *map(str, folders)]
        if not self.network:
            line.append("--unshare-net")
        return [*line, "--chdir", str(workspace)]

    def _docker(
        self, workspace: Path, writable: Sequence[Path], readable: Sequence[Path], variables: Sequence[str]
    ) -> list[str]:
        line = ["docker", "run", "--rm", "-i", "--init", "--read-only", "--tmpfs", "/tmp", "--workdir", str(workspace)]
        for folder in (workspace, *writable):
            line += ["--volume", f"{folder}:{folder}"]
        for folder in readable:
            line += ["--volume", f"{folder}:{folder}:ro"]
        for name in variables:
            line += ["--env", name]
        if not self.network:
            line += ["--network", "none"]
        return [*line, self.image]


def works(kind: str) -> bool:
    """Tells whether a sandbox of this kind can really start a program here (kernels may forbid user namespaces)."""
    try:
        sandbox = Sandbox(kind, image="alpine")
    except ConfigurationError:
        return False
    if kind != "bwrap":
        return kind == "none"
    probe = subprocess.run(sandbox.wrap(["true"], Path("/")), capture_output=True, check=False)
    return probe.returncode == 0
