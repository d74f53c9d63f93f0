"""What a run is about to do, and about how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbt_ticdc import state, warehouse

# Java and dbt start, and the models of five tables are made, whatever the messages are: measured on two hyperthreads.
_FIRST_BUILD = 80.0
# What a MB of a file adds: 82 MB of canal-json add 10 s; compressed, a MB holds about ten times as much.
_SECONDS_PER_MB = 0.12
_SECONDS_BY_SUFFIX = {".gz": 1.2, ".xz": 1.6}
_FEW_SECONDS = 1.0
# What a run with a tenth of the sample takes, on two hyperthreads.
_SECONDS_PER_PIECE = 25.0


def of_run(folder: Path, files: Sequence[Path]) -> str:
    """A sentence: the work, the messages, and the seconds that the last run took, or that a first one may take.

    `files` are the dumps; none where feeds say where their messages are.
    """
    size = sum(file.stat().st_size for file in files)
    count = f"{len(files):,} file{'' if len(files) == 1 else 's'}"
    source = f"the messages of {count} ({size_of(size)})" if files else "the messages that feeds name"
    seconds = state.last_took(warehouse.work_folder(folder))
    if seconds is not None:
        return f"ticdc adds what is new of {source} to the tables in {folder}; the last build took {seconds:.0f} s"
    if not files:
        return f"ticdc builds tables of {source} in {folder}, for the first time"
    takes = _FIRST_BUILD + _seconds(files)
    return f"ticdc builds tables of {source} in {folder}, for the first time: about {takes:.0f} s on two cores"


def of_demo(folder: Path, file: Path, pieces: int, every: float | None) -> str:
    """The sentence of `of_run` on the sample; where its messages come in pieces, also how long all of them take."""
    told = of_run(folder, [file])
    if every is None:
        return told
    takes = (pieces - 1) * max(every, _SECONDS_PER_PIECE) / 60
    return f"{told}; {pieces} pieces come one by one, each with a run: all of them take about {takes:.0f} minutes more"


def size_of(size: int) -> str:
    """So many bytes in words."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def has_few_rows(folder: Path, files: Sequence[Path]) -> bool:
    """Whether a run is the first one of a warehouse, and planning its queries takes longer than they do."""
    return state.last_took(warehouse.work_folder(folder)) is None and _seconds(files) < _FEW_SECONDS


def _seconds(files: Sequence[Path]) -> float:
    """What these files add to a first build."""
    return sum(file.stat().st_size / 1e6 * _SECONDS_BY_SUFFIX.get(file.suffix, _SECONDS_PER_MB) for file in files)
