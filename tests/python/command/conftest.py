"""What tests of the command share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.corpus import SAMPLE, lines_about, plain
from support.project import Server, served

SERVED_TABLES = ("customers", "visits", "sales", "exch", "keyless", "back`tick")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Thrift server on a warehouse with the messages of some tables."""
    with served(tmp_path_factory.mktemp("served"), lines_about(plain(SAMPLE), SERVED_TABLES)) as server:
        yield server
