"""What a test asks of one Spark session in a process of its own, which stays between the questions.

The functions run in that process: `executor()` gives one, and ends it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import cli, feeds, messages, package_path, warehouse

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


def redrive(folder: Path, feeds_file: Path, feeds_named: Sequence[str] = ()) -> None:
    """`ticdc redrive` in the session of this process."""
    cli.redrive(_spark(folder), folder, feeds.read_vars(feeds_file), feeds_named)


def stage_dead_letters(folder: Path, feeds_file: Path, feeds_named: Sequence[str]) -> None:
    """What `ticdc redrive` has done when it is killed after the dead letters were decoded again."""
    from dbt.cli.main import dbtRunner

    work = warehouse.work_folder(folder) / "dbt"
    _spark(folder)
    variables = {**feeds.read_vars(feeds_file), "ticdc__messages_schema": "ticdc_raw", "ticdc__redrive": feeds_named}
    models = ["int_ticdc__writer_schemas", *(f"stg_ticdc__{each['protocol']}" for each in variables["ticdc__feeds"])]
    places = ["--project-dir", package_path(), "--profiles-dir", work, "--profile", "ticdc", "--target", "embedded"]
    flags = ["--target-path", work / "target", "--log-path", work / "logs", "--quiet", "--no-version-check"]
    before = Path.cwd()
    try:  # dbt changes to the project's folder
        result = dbtRunner().invoke([*map(str, ["run", *places, *flags]), "--select", *models], vars=variables)
    finally:
        os.chdir(before)
    assert result.success, result.exception or result.result


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    """The rows of a statement."""
    return [row.asDict() for row in _spark(folder).sql(query).collect()]


def _spark(folder: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or warehouse.open_session(folder)
