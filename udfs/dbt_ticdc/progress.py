"""Progress of long work on stderr: a line per step, with a running clock on a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

_CLEAR = "\r\x1b[K"
_writing = threading.RLock()
"""Steps run side by side, each with a clock: one writes at a time."""


class Step:
    """One line: what is done, then how it ended. Of steps that run side by side a terminal shows the one begun last.

    `seconds` are those that it may take, where they are known: a terminal shows those that are left.
    """

    _running: ClassVar[list[Step]] = []

    def __init__(self, text: str, seconds: float | None = None) -> None:
        self._text = text
        self._seconds = seconds
        self._running.append(self)
        self._began = time.monotonic()
        self._ended = threading.Event()
        if sys.stderr.isatty():
            threading.Thread(target=self._tick, daemon=True).start()

    def end(self, outcome: str = "ok") -> None:
        """Ends the line with the outcome and the seconds it took."""
        with _writing:
            if self._stops():
                say(f"{self._text}  {outcome}  {time.monotonic() - self._began:.1f} s")

    def leave(self) -> None:
        """Ends the line without a word: what a terminal showed of it goes."""
        with _writing:
            if self._stops() and sys.stderr.isatty():
                sys.stderr.write(_CLEAR)
                sys.stderr.flush()

    def _stops(self) -> bool:
        """Stops the clock; False where it was stopped before."""
        if self._ended.is_set():
            return False
        self._ended.set()
        self._running.remove(self)
        return True

    def show(self, text: str) -> None:
        """Says something else of what is done."""
        self._text = text

    def _tick(self) -> None:
        while not self._ended.is_set():
            with _writing:
                if self._running[-1:] == [self]:
                    sys.stderr.write(f"{_CLEAR}{self._text}  {self._times()}")
                    sys.stderr.flush()
            self._ended.wait(1)

    def _times(self) -> str:
        took = time.monotonic() - self._began
        left = (self._seconds or 0) - took
        return f"{took:.0f} s" + (f", about {left:.0f} s left" if left >= 1 else "")


@contextmanager
def step(text: str) -> Iterator[list[str]]:
    """A step around a block; the block appends its outcome to the list (default: ok, failed where it raises)."""
    outcome: list[str] = []
    line = Step(text)
    try:
        yield outcome
    except BaseException:
        line.end("failed")
        raise
    line.end(" ".join(outcome) or "ok")


@contextmanager
def clock(text: str) -> Iterator[Step]:
    """A step that a terminal shows while it runs, and that leaves no line; `leave` ends it before the block does."""
    line = Step(text)
    try:
        yield line
    finally:
        line.leave()


class AfterClock:
    """Standard output; the first text that is written ends a clock."""

    def __init__(self, shown: Step) -> None:
        self._shown = shown

    def write(self, text: str, /) -> None:
        """Writes a text."""
        self._shown.leave()
        sys.stdout.write(text)


def say(text: str) -> None:
    """A line of progress, in the place of a clock that runs."""
    with _writing:
        print(f"{_CLEAR}{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)
