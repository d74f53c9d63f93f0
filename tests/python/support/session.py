"""What a test asks of one Spark session in a process of its own, which stays between the questions.

The functions run in that process: `executor()` gives one, and ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import cli, feeds, messages, warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def executor() -> Iterator[ProcessPoolExecutor]:
    """One process without any Spark session yet."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        yield process


def run(folder: Path, dump: Path, feeds_file: Path, full_refresh: bool = False) -> bool:
    """`ticdc run` in the session of this process."""
    files = messages.find_files([dump])
    return cli.run(_spark(folder), folder, feeds.read_vars(feeds_file), files, full_refresh=full_refresh)


def redrive(folder: Path, feeds_file: Path) -> None:
    """`ticdc redrive` in the session of this process."""
    cli.redrive(_spark(folder), folder, feeds.read_vars(feeds_file))


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    """The rows of a statement."""
    return [row.asDict() for row in _spark(folder).sql(query).collect()]


def _spark(folder: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or warehouse.open_session(folder)
