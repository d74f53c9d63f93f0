"""The process in which tests use Spark, one for each process of tests: Java starts, and warms up, once.

`ask` calls a function there. It keeps one session open at a time, on the warehouse that was used last.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from dbt_ticdc import cli, feeds, messages, warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

QUERIES_AT_ONCE = 4
JAVA_OPTIONS = "SPARK_SUBMIT_OPTS"
_processes: dict[str, ProcessPoolExecutor] = {}


# In the process of tests


def ask(function: Callable[Arguments, Answer], *arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
    """What the function gives in the process of Spark, which begins with the Java options of now."""
    options = os.environ.get(JAVA_OPTIONS, "")
    if options not in _processes:
        end()
        _processes[options] = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    return _processes[options].submit(function, *arguments, **named).result()


def end() -> None:
    """Ends the process of Spark."""
    for process in _processes.values():
        process.shutdown()
    _processes.clear()


# In the process of Spark


def opened(folder: Path, settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session on a warehouse."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None and session.conf.get(_WAREHOUSE, None) == str(folder.resolve()):
        return session
    close()
    session = warehouse.open_session(folder, settings)
    session.conf.set(_WAREHOUSE, str(folder.resolve()))
    return session


_WAREHOUSE = "ticdc.tests.warehouse"


def close() -> None:
    """Ends the session, so that another one can be opened with other settings."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


def run(folder: Path, dump: Path, feeds_file: Path, full_refresh: bool = False) -> bool:
    """`ticdc run`."""
    files = messages.find_files([dump])
    return cli.run(opened(folder), folder, feeds.read_vars(feeds_file), files, full_refresh=full_refresh)


def redrive(folder: Path, feeds_file: Path) -> None:
    """`ticdc redrive`."""
    cli.redrive(opened(folder), folder, feeds.read_vars(feeds_file))


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
