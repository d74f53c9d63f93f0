"""What tests of the command share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import documents, session
from support.corpus import SAMPLE, lines_about, plain, renamed
from support.documents import Builds
from support.project import Server, served

SERVED_TABLES = ("customers", "visits", "keyless", "back`tick")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Thrift server on a warehouse of its own; in it Spark compiles queries as for users."""
    with served(tmp_path_factory.mktemp("served"), {session.JAVA_OPTIONS: session.JVM}) as server:
        yield server


@pytest.fixture(scope="session")
def builds(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Builds:
    """What two clients built at once over Thrift of some tables' messages, and what the pages' queries find there."""
    server.take(renamed(line, "shop_canal_json") for line in lines_about(plain(SAMPLE), SERVED_TABLES))
    return documents.build(server, tmp_path_factory.mktemp("built"))
