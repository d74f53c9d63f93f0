"""Servers of other projects, each a process on loopback that ends with the test."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def listens(port: int) -> bool:
    """Whether something answers on a port of loopback."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(
    command: Sequence[str], log: Path, is_ready: Callable[[], bool], seconds: float = 180
) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a command once it is ready, which is killed afterwards; what it says goes to `log`."""
    with (
        log.open("ab") as said,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT) as process,
    ):
        try:
            until = time.monotonic() + seconds
            while not is_ready():
                ended = process.poll() is not None
                if ended or time.monotonic() > until:
                    end = log.read_text(encoding="utf-8", errors="replace")[-4000:]
                    raise AssertionError(f"{command[0]} {'ended' if ended else 'is not ready'}:\n{end}")
                time.sleep(0.1)
            yield process
        finally:
            process.kill()
