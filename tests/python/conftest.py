"""What several test modules share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Compiling hot code to the last costs a JVM of a minute more than it gains.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of this process's Spark session, in a path that is hard to quote."""
    return tmp_path_factory.mktemp("ware house%20 ü") / "warehouse"


@pytest.fixture(scope="session")
def spark(home: Path) -> Iterator[SparkSession]:
    """The Spark session of this process, as the command opens it."""
    from dbt_ticdc.warehouse import open_session

    session = open_session(home)
    yield session
    session.stop()
