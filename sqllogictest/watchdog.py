"""Time limits for a record and for a file, kept by one thread that looks on from outside.

The loop over records only stores the line it is at; it never reads a clock. The watchdog wakes a few times per limit,
sees whether that line has changed, and when a limit has passed it interrupts the engine. An engine in Python that does
not listen is stopped by a signal in the main thread, where the platform and the thread allow that: its handler raises.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class RecordTimeout(Exception):
    """Raised inside a statement that has not listened to `interrupt` for as long again as its limit."""


class Progress:
    """Shared between the loop and its watchdog: where the loop is, and what the watchdog has decided."""

    __slots__ = ("is_file_over", "line", "timed_out_line")

    def __init__(self) -> None:
        self.line = 0
        self.timed_out_line = -1
        self.is_file_over = False


@contextmanager
def watch(interrupt: Callable[[], None], record_limit_s: float, file_limit_s: float) -> Iterator[Progress]:
    """Watch the block; limits are seconds, zero means none. Yields the Progress that the block has to keep."""
    progress = Progress()
    if not record_limit_s and not file_limit_s:
        yield progress
        return
    finished = threading.Event()
    with _signal_handler() as is_armed:
        arguments = (progress, finished, interrupt, record_limit_s, file_limit_s, is_armed)
        thread = threading.Thread(target=_watch, args=arguments, name="sqllogictest-watchdog", daemon=True)
        thread.start()
        try:
            yield progress
        finally:
            finished.set()
            thread.join()


@contextmanager
def _signal_handler() -> Iterator[bool]:
    """Install the handler that raises in the main thread; yields whether there is one."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGUSR2"):
        yield False
        return
    previous = signal.signal(signal.SIGUSR2, _raise_timeout)
    try:
        yield True
    finally:
        signal.signal(signal.SIGUSR2, previous)


def _raise_timeout(number: int, frame: Any) -> None:
    raise RecordTimeout("no answer to interrupt")


def _watch(
    progress: Progress,
    finished: threading.Event,
    interrupt: Callable[[], None],
    record_limit_s: float,
    file_limit_s: float,
    is_armed: bool,
) -> None:
    started = since = time.monotonic()
    line = progress.line
    tick_s = min(limit for limit in (record_limit_s, file_limit_s) if limit) / 4
    has_interrupted_at = 0.0
    while not finished.wait(min(tick_s, 5.0)):
        now = time.monotonic()
        if progress.line != line:
            line, since, has_interrupted_at = progress.line, now, 0.0
        if file_limit_s and now - started > file_limit_s:
            progress.is_file_over = True
        is_late = progress.is_file_over or bool(record_limit_s and now - since > record_limit_s)
        if not is_late:
            continue
        if not has_interrupted_at:
            progress.timed_out_line, has_interrupted_at = line, now
            interrupt()
        elif is_armed and now - has_interrupted_at > min(record_limit_s or file_limit_s, 10.0):
            has_interrupted_at = now
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR2)
