"""What tests of the command share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import session
from support.corpus import SAMPLE, lines_about, plain
from support.project import Server, served

SERVED_TABLES = ("customers", "visits", "keyless", "back`tick")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Thrift server on a warehouse with the messages of some tables; in it Spark compiles queries as for users."""
    compiling = {session.JAVA_OPTIONS: session.JVM}
    with served(tmp_path_factory.mktemp("served"), lines_about(plain(SAMPLE), SERVED_TABLES), compiling) as server:
        yield server
