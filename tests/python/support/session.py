"""The Spark session of this process of tests: Java starts, and warms up, once, whatever warehouses tests open.

One session is open at a time, on the warehouse that was used last.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from dbt_ticdc import cli, feeds, messages, warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES_AT_ONCE = 4
JAVA_OPTIONS = "SPARK_SUBMIT_OPTS"
# Processes of tests share the cores: a collector of many threads costs each more than it gains. A Thrift server fills
# the 48 MB that is reserved for compiled code by default. A heap and a room for classes that grow from small collect
# garbage for a tenth of the time. To compile well takes a core from tests that run each query a few times.
JVM = (
    "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=400m -Xms1g -Xmn512m -XX:MetaspaceSize=512m "
    f"{warehouse.FOR_A_SHORT_LIFE} {warehouse.huge_pages()}"
)
# Tables of a few rows: compiling code for a query takes longer than interpreting it, which Spark 4.1 cannot do with
# dynamic pruning; planning it anew after each stage takes longer than the stage.
SMALL = (
    "-Dspark.sql.codegen.wholeStage=false -Dspark.sql.codegen.factoryMode=NO_CODEGEN "
    "-Dspark.sql.optimizer.dynamicPartitionPruning.enabled=false -Dspark.sql.adaptive.enabled=false"
)
ONE_TASK = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.files.openCostInBytes": "0",
}

# Hive's metastore takes a quarter of the work of a small build; what the command makes always has one.
IN_MEMORY = {"spark.sql.catalogImplementation": "in-memory"}


def opened(folder: Path, settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session on a warehouse."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None and session.conf.get(_WAREHOUSE, None) == str(folder.resolve()):
        return session
    close()
    session = warehouse.open_session(folder, {**ONE_TASK, **(settings or {})})
    session.conf.set(_WAREHOUSE, str(folder.resolve()))
    return session


_WAREHOUSE = "ticdc.tests.warehouse"


def close() -> None:
    """Ends the session, so that another one can be opened with other settings."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


@contextmanager
def with_class_path(path: str) -> Iterator[None]:
    """In the block a Java runs that has these jars, another one than before and after it."""
    with with_environment({"PYSPARK_SUBMIT_ARGS": f"--driver-class-path {path} pyspark-shell"}):
        yield


@contextmanager
def with_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """In the block a Java runs that has these variables, another one than before and after it."""
    _end_java()
    with mock.patch.dict(os.environ, variables):
        try:
            yield
        finally:
            _end_java()


def _end_java() -> None:
    from pyspark import SparkContext

    close()
    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(30)
        SparkContext._gateway = SparkContext._jvm = None


def run(
    folder: Path,
    dump: Path,
    feeds_file: Path,
    columns: Path | None = None,
    *,
    redecode: bool = False,
    redriven: Sequence[str] = (),
) -> bool:
    """`ticdc run`; of these feeds dead letters are decoded again, as `ticdc redrive` does without new messages.

    Or all messages are, as `ticdc redecode` does.
    """
    files, once = messages.find_files([dump]), {"ticdc__redrive": list(redriven)} if redriven else {}
    variables = {**feeds.read_vars(feeds_file), **once, **({"ticdc__redecode": True} if redecode else {})}
    return cli.run(opened(folder), folder, variables, files, columns, full_refresh=redecode)


def redrive(folder: Path, feeds_file: Path, names: Sequence[str]) -> None:
    """`ticdc redrive` of some feeds."""
    cli.redrive(opened(folder), folder, feeds.read_vars(feeds_file), names)


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    """The rows of a statement."""
    return _rows(opened(folder), query)


def _rows(session: SparkSession, query: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in session.sql(query).collect()]


def answers(folder: Path, schema: str, queries: Sequence[str]) -> list[list[dict[str, Any]] | str]:
    """The rows of each query, or why there are none; names without a schema are of this one."""
    session = opened(folder)
    home = session.catalog.currentDatabase()
    session.catalog.setCurrentDatabase(schema)

    def answer(query: str) -> list[dict[str, Any]] | str:
        try:
            return _rows(session, query)
        except Exception as raised:
            return str(raised)

    try:
        with ThreadPoolExecutor(QUERIES_AT_ONCE) as pool:
            return list(pool.map(answer, queries))
    finally:
        session.catalog.setCurrentDatabase(home)


def command(arguments: Sequence[str]) -> tuple[int, str, str]:
    """The command `ticdc`: its exit code, output and errors."""
    close()
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        exit_code = cli.main(arguments)
    return exit_code, output.getvalue(), errors.getvalue()
