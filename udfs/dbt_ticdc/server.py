"""A Spark Thrift Server on the warehouse: every client has a session of its own, with the UDFs."""

from __future__ import annotations

import logging
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import warehouse
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.progress import step
from ticdc_udfs import registrar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS_TO_LISTEN = 60


def serve(folder: Path, host: str, port: int) -> None:
    """Serves until SIGINT or SIGTERM; port 0 takes a free one.

    Raises `TicdcError` where the server cannot start or ends by itself.
    """
    port = _free_port(host, port)
    with step(f"opening {folder}"):
        spark = warehouse.open_session(folder, _settings(host, port))
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):  # after Spark, which sets a handler of its own
        signal.signal(number, lambda *_: stop.set())
    registrar.inject(spark)
    try:
        _start(spark, host, port)
        print(f"listening on {host}:{port}", flush=True)
        java: Any = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
        while not stop.wait(1):
            if java.poll() is not None:
                log = warehouse.work_folder(folder) / "spark.log"
                raise TicdcError(f"Spark ended by itself; its log: {log}", exit_code=1)
    finally:
        _end(spark)


def _end(spark: SparkSession) -> None:
    """Ends Spark; a signal to the group of processes may have ended its Java already."""
    with suppress(Exception):
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        spark.stop()


def _settings(host: str, port: int) -> dict[str, str]:
    return {
        "spark.hadoop.hive.server2.thrift.bind.host": host,
        "spark.hadoop.hive.server2.thrift.port": str(port),
        "spark.hadoop.hive.server2.transport.mode": "binary",
    }


def _free_port(host: str, port: int) -> int:
    """The port, checked before a minute of starting, or one that the system picks."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return int(probe.getsockname()[1])
    except (OSError, OverflowError) as error:
        raise TicdcError(f"cannot listen on {host}:{port}: {error}; --host and --port name another place") from error


def _start(spark: SparkSession, host: str, port: int) -> None:
    jvm: Any = spark.sparkContext._jvm
    jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2.startWithSparkSession(spark._jsparkSession, False)
    until = time.monotonic() + _SECONDS_TO_LISTEN
    while True:
        try:
            socket.create_connection((host, port), timeout=1).close()
            return
        except OSError as error:
            if time.monotonic() > until:
                raise TicdcError(f"nothing listens on {host}:{port} after {_SECONDS_TO_LISTEN} s", 1) from error
            time.sleep(0.1)
