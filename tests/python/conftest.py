"""What several test modules share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Processes of tests share the cores: a collector of many threads costs each more than it gains. A Thrift server fills
# the 48 MB that a JVM reserves for compiled code where it compiles none to the last.
JVM = "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=400m"
# Compiling hot code to the last costs a JVM of a minute more than it gains; one that serves several modules gains.
BRIEF = "-XX:TieredStopAtLevel=1"
# Tables of a few rows: compiling code for a query takes longer than interpreting it, which Spark 4.1 cannot do with
# dynamic pruning.
INTERPRETED = (
    "-Dspark.sql.codegen.wholeStage=false -Dspark.sql.codegen.factoryMode=NO_CODEGEN "
    "-Dspark.sql.optimizer.dynamicPartitionPruning.enabled=false"
)
# The modules in which Spark compiles queries, as it does for users; the first of them start JVMs of their own.
STARTING = ("test_cli", "test_thrift", "test_integration")
COMPILED = (*STARTING, "test_corpus")


@pytest.fixture(scope="module", autouse=True)
def spark_options(request: pytest.FixtureRequest) -> Iterator[None]:
    """How the JVMs that this module starts run, where nothing else is set."""
    module = request.module.__name__
    options = JVM
    if module in STARTING:
        options += f" {BRIEF}"
    if module not in COMPILED:
        options += f" {INTERPRETED}"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SPARK_SUBMIT_OPTS", os.environ.get("SPARK_SUBMIT_OPTS", options))
        yield


@pytest.fixture(scope="session", autouse=True)
def process_of_spark() -> Iterator[None]:
    """Ends what `session.ask` began."""
    yield
    from support import session

    session.end()


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


# The modules that last longest begin first, so that no processor waits for one of them at the end.
LONGEST = (
    "test_corpus",
    "test_initial_loads",
    "test_redrive",
    "test_cli",
    "test_scenarios",
    "test_tables_without_key",
    "test_avro_run",
    "test_integration",
    "test_claim_checks",
    "test_dbt_tests",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(LONGEST)))


@pytest.fixture
def show(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Prints a text at the end of the session, also when the test ran in a worker process."""
    return lambda text: record_property("shown", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            is_result = getattr(report, "when", None) == "call"
            for name, text in report.user_properties if is_result else ():
                if name == "shown":
                    terminalreporter.write_line(str(text))
