"""Where the command asks for tables: in the warehouse that it opens itself, or at a Spark Thrift Server."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dbt_ticdc import arguments, warehouse
from dbt_ticdc.errors import TicdcError, without_trace
from dbt_ticdc.progress import step
from ticdc_udfs.contract.identifiers import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Ask = Callable[[str], Sequence[Sequence[Any]]]
"""Gives the rows of a query whose columns are texts and integers: a server has no others as they are."""


def options() -> argparse.ArgumentParser:
    """The arguments of a command that asks a warehouse or a server: `--thrift` and `--schema`."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--thrift", type=arguments.address, metavar="HOST:PORT", help="ask a Thrift server in place of the warehouse"
    )
    parser.add_argument(
        "--schema", default=warehouse.DATABASE, help="the schema of the package's models (default: %(default)s)"
    )
    return parser


@contextmanager
def asked(given: argparse.Namespace) -> Iterator[Ask]:
    """What these arguments name, open for queries. Raises `TicdcError` where it cannot be opened, or a query fails."""
    if given.thrift is not None:
        host, port = given.thrift
        with of_server(host, port, given.schema) as ask:
            yield ask
        return
    warehouse.check_exists(given.warehouse)
    with step(f"opening {given.warehouse}"):
        spark = warehouse.open_session(given.warehouse)
    try:
        use(spark, given.schema)
        yield of_session(spark)
    finally:
        spark.stop()


def use(spark: SparkSession, schema: str) -> None:
    """Makes names without a schema those of this one. Raises `TicdcError`."""
    if not spark.catalog.databaseExists(quoted(schema)):
        raise TicdcError(f'--schema: there is no schema {schema}; `ticdc sql "show schemas"` lists all')
    spark.sql(f"use {quoted(schema)}")


def of_session(spark: SparkSession) -> Ask:
    """Asks a session of this process."""

    def ask(query: str) -> Sequence[Sequence[Any]]:
        try:
            return spark.sql(query).collect()
        except Exception as error:
            raise TicdcError(f"the warehouse does not answer a query: {without_trace(error)}", 1) from error

    return ask


@contextmanager
def connected(host: str, port: int, schema: str) -> Iterator[Any]:
    """A session at a Thrift server, on one of its schemas. Raises `TicdcError` where there is none."""
    from pyhive import hive

    try:
        socket.create_connection((host, port), timeout=10).close()
    except OSError as error:
        raise TicdcError(f"--thrift: nothing answers at {host}:{port}: {error.strerror or error}", 1) from error
    try:
        connection = hive.connect(host=host, port=port, database=schema)
    except Exception as error:
        if "SCHEMA_NOT_FOUND" in str(error):
            raise TicdcError(f"--schema: the server at {host}:{port} has no schema {schema}", 1) from error
        raise TicdcError(f"--thrift: {host}:{port} gives no session: {without_trace(error)[:300]}", 1) from error
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def of_server(host: str, port: int, schema: str) -> Iterator[Ask]:
    """Asks a Thrift server, in a session on one of its schemas. Raises `TicdcError` where it does not answer."""
    with connected(host, port, schema) as connection:
        yield _of_connection(connection, f"the server at {host}:{port} does not answer a query of schema {schema!r}")


def _of_connection(connection: Any, refusal: str) -> Ask:
    def ask(query: str) -> Sequence[Sequence[Any]]:
        try:
            with connection.cursor() as cursor:
                cursor.execute(query)
                rows: Sequence[Sequence[Any]] = cursor.fetchall()
                return rows
        except Exception as error:
            raise TicdcError(f"{refusal} (--schema): {without_trace(error)[:500]}", 1) from error

    return ask


def has_table(ask: Ask, name: str) -> bool:
    """Whether the schema that is asked has a table or view of this name."""
    return bool(ask(f"show tables like '{name}'"))
