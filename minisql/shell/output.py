"""Output: where the shell writes, and for how long: the terminal, a file, a program or memory.

`.output` redirects until it is told otherwise, `.once` for one command.  Everything is written as bytes, because a blob may be
shown as it is; a byte that is not UTF-8 comes as a lone surrogate of `surrogateescape`.

Source: https://www.sqlite.org/cli.html#writing_results_to_a_file.
"""

from __future__ import annotations

import subprocess
import sys
from typing import IO, TextIO

from minisql.values.storage_class import encode_text


class Output:
    """The current target.  `memory` is the text captured so far, or None; `is_once` that the redirection ends soon."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal
        self.memory: list[str] | None = None
        self.name = "stdout"
        self.is_once = False
        self.uses_crlf = False
        self._file: IO[bytes] | None = None
        self._program: subprocess.Popen[bytes] | None = None

    def write(self, text: str) -> None:
        """Writes text; line ends must be in it."""
        if self.memory is not None:
            self.memory.append(text)
            return
        if self.uses_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        if self._file is not None:
            self._file.write(encode_text(text))
            return
        buffer = getattr(self.terminal, "buffer", None)
        if buffer is None:
            self.terminal.write(encode_text(text).decode("utf-8", "replace"))
        else:
            buffer.write(encode_text(text))

    def line(self, text: str) -> None:
        """Writes text and a line feed."""
        self.write(text + "\n")

    def flush(self) -> None:
        """Brings everything written so far to its place, before another program or stream writes."""
        if self._file is not None:
            self._file.flush()
        self.terminal.flush()

    def redirect(self, name: str, is_once: bool, mark: bytes = b"") -> None:
        """Opens a file, a program (`|command`), `memory` or `off`; raises OSError."""
        self.restore()
        if name == "memory":
            self.memory = []
        elif name.startswith("|"):
            self.terminal.flush()
            self._program = subprocess.Popen(name[1:], shell=True, stdin=subprocess.PIPE)
            self._file = self._program.stdin
        elif name not in ("stdout", "stderr"):
            self._file = open("/dev/null" if name == "off" else name, "wb")  # noqa: SIM115
        if self._file is not None and mark:
            self._file.write(mark)
        self.name = name
        self.is_once = is_once

    def restore(self) -> None:
        """Ends the redirection."""
        self.is_once = False
        self.memory = None
        self.name = "stdout"
        file, self._file = self._file, None
        program, self._program = self._program, None
        if file is not None:
            try:
                file.close()
            except BrokenPipeError:
                complain("Error: the program has stopped reading")
        if program is not None:
            program.wait()

    def end_once(self) -> None:
        """Ends a redirection for one command; called after each."""
        if self.is_once:
            self.restore()


def complain(text: str) -> None:
    """Writes a message to the error stream, after everything that was said before."""
    sys.stdout.flush()
    buffer = getattr(sys.stderr, "buffer", None)
    if buffer is None:
        sys.stderr.write(text + "\n")
    else:
        sys.stderr.flush()
        buffer.write(encode_text(text + "\n"))
    sys.stderr.flush()
