"""What several test modules share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
