"""Times contenders in alternation, so that a machine's ups and downs meet all of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Cost(NamedTuple):
    """What a piece of work took: wall time, and processor time of this process and all below it, in seconds."""

    wall: float
    cpu: float


@dataclass
class Contender:
    """Something to time: `prepare` runs before each round, untimed; `costs` has one entry per round."""

    label: str
    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None
    costs: list[Cost] = field(default_factory=list)

    @property
    def median(self) -> Cost:
        """The medians of the rounds."""
        return Cost(median(cost.wall for cost in self.costs), median(cost.cpu for cost in self.costs))


def alternate(contenders: Sequence[Contender], rounds: int, *, is_warm: bool = False) -> None:
    """`rounds` rounds of all contenders, each of which begins with the next one of them, after a warm-up.

    `is_warm`: without a warm-up, as for contenders that are processes of their own.
    """
    for number in range(1 if is_warm else 0, rounds + 1):
        turn = number % len(contenders)
        for contender in (*contenders[turn:], *contenders[:turn]):
            contender.prepare()
            cost = measured(contender.run)
            if number:
                contender.costs.append(cost)
            progress(f"round {number}" if number else "warm-up", contender.label, cost)


def measured(run: Callable[[], object]) -> Cost:
    """What a call takes."""
    wall, cpu = time.perf_counter(), _cpu_seconds()
    run()
    return Cost(time.perf_counter() - wall, _cpu_seconds() - cpu)


def progress(round_name: str, label: str, cost: Cost) -> None:
    """A line of progress for one call."""
    say(f"    {round_name:<8} {label:<32} {cost.wall:8.2f} s {cost.cpu:8.2f} s CPU")


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def say(text: str) -> None:
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


class Memory(NamedTuple):
    """The most that the driver and that one Python worker had resident so far, in bytes."""

    driver: int
    worker: int


def peak_memory() -> Memory:
    """Of Spark's JVM and of its Python workers that live, by Linux's /proc; without it, nothing."""
    driver = worker = 0
    for process in _tree().keys() - {os.getpid()}:
        with suppress(OSError):  # it has just ended
            told = dict(line.split(":\t", 1) for line in _read(process, "status").splitlines() if ":\t" in line)
            kilobytes = int(told.get("VmHWM", "0").split()[0])
            if told["Name"] == "java":
                driver = max(driver, kilobytes * 1024)
            else:
                worker = max(worker, kilobytes * 1024)
    return Memory(driver, worker)


def _cpu_seconds() -> float:
    """Of this process, Spark's JVM and its Python workers, by Linux's /proc; without it, of this process alone."""
    ticks = _tree()
    return sum(ticks.values()) / os.sysconf("SC_CLK_TCK") if ticks else time.process_time()


def _tree() -> dict[int, int]:
    """Clock ticks of this process and all below it."""
    processes: dict[int, tuple[int, int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            fields = _read(int(folder.name), "stat").rpartition(")")[2].split()
            processes[int(folder.name)] = int(fields[1]), sum(int(ticks) for ticks in fields[11:15])
    tree: dict[int, int] = {}
    for process, (parent, ticks) in sorted(processes.items()):
        if process == os.getpid() or parent in tree:
            tree[process] = ticks
    return tree


def _read(process: int, what: str) -> str:
    return Path(f"/proc/{process}/{what}").read_text(encoding="utf-8", errors="replace")
