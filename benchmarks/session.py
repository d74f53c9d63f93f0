"""The warehouse that is measured: a Spark session, the table of messages, and dbt on the package."""

from __future__ import annotations

import json
import os
import platform
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from py4j.protocol import Py4JError

from benchmarks.encoders import Avro, Encoder
from benchmarks.measure import cores
from benchmarks.messages import PARTITIONS, TOPIC
from benchmarks.tables import DATABASE, Shape
from dbt_ticdc import package_path, warehouse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PROFILE = """\
ticdc:
  target: bench
  outputs:
    bench: {type: spark, method: session, host: NA, schema: ticdc, threads: 4}
"""
_PACKAGES = ("pyspark", "dbt-core", "dbt-spark", "pyarrow", "msgspec")


class Statement(NamedTuple):
    """What dbt sent to Spark, and how long it took until its rows were there."""

    seconds: float
    sql: str


class Bench:
    """A warehouse in `folder` with one Spark session; at most one per process.

    `packages` are Maven coordinates of what Spark needs besides, comma-joined; `variables` those of dbt besides feeds.
    """

    def __init__(self, folder: Path, packages: str = "") -> None:
        self.folder = folder
        self.messages = folder / "messages"
        self.variables: dict[str, object] = {}
        self._registry = folder / "registry.json"
        self._feed: dict[str, object] = {}
        self._has_schemas = False
        self._dbt = folder / "dbt"
        self._dbt.mkdir(parents=True)
        (self._dbt / "profiles.yml").write_text(_PROFILE, encoding="utf-8")
        self._spark = warehouse.open_session(
            folder / "warehouse", {"spark.jars.packages": packages} if packages else None
        )
        self.sql("create database if not exists ticdc_raw")

    def close(self) -> None:
        """Ends the session; one in whose midst a signal came does not answer any more, and ends with this process."""
        with suppress(Py4JError):
            self._spark.stop()

    def sql(self, statement: str) -> DataFrame:
        """Runs a statement."""
        return self._spark.sql(statement)

    def count(self, query: str) -> int:
        """The one number that a query gives."""
        return int(self.sql(query).collect()[0][0])

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """All rows of a query."""
        return [tuple(row) for row in self.sql(query).collect()]

    def expect(self, shape: Shape, encoder: type[Encoder]) -> None:
        """Takes all messages away; those to come are of this table and encoder."""
        self._feed = {"name": "bench", "protocol": encoder.protocol, "topics": [TOPIC], "partitions": PARTITIONS}
        options = {} if shape.time_zone == "UTC" else {"time_zone": shape.time_zone}
        if issubclass(encoder, Avro):
            schemas = {schema_id: {"schema": text} for schema_id, text in encoder(shape, Random(1)).schemas().items()}
            self._registry.write_text(json.dumps(schemas), encoding="utf-8")
            options["schemas"] = str(self._registry)
        self._has_schemas = "schemas" in options
        self._feed["options"] = options
        shutil.rmtree(self.messages, ignore_errors=True)
        self.messages.mkdir()

    def expect_tables(self, relations: Sequence[str] = ("current", "history", "as_of")) -> None:
        """Takes all messages away; those to come are of many tables of one canal-json feed of one partition.

        `relations` are the typed ones that its tables have.
        """
        self._feed = {"name": "bench", "protocol": "canal_json", "topics": [TOPIC], "partitions": 1}
        self._feed["typed_relations"] = list(relations)
        shutil.rmtree(self.messages, ignore_errors=True)
        self.messages.mkdir()

    def read_from(self, source: dict[str, object] | None, topic: str = TOPIC, partitions: int = PARTITIONS) -> None:
        """Messages of the next builds are where the feed's member `source` says, by default in `ticdc_raw.messages`."""
        self._feed |= {"source": source, "topics": [topic], "partitions": partitions}

    def publish_messages(self) -> None:
        """Makes the files in `messages` the table `ticdc_raw.messages`."""
        self.sql("drop table if exists ticdc_raw.messages")
        self.sql(f"create table ticdc_raw.messages using parquet location '{self.messages}'")

    def empty(self, database: str) -> None:
        """Drops a database with all it holds, and makes it anew."""
        self.sql(f"drop database if exists {database} cascade")
        self.sql(f"create database {database}")

    def bytes_of(self, database: str) -> int:
        """The bytes of the files of a database's tables."""
        return bytes_in(self.folder / "warehouse" / "tables" / f"{database}.db")

    def empty_warehouse(self) -> None:
        """The state before the first run of the package: nothing but its seeds."""
        self.empty(warehouse.DATABASE)
        self.empty(DATABASE)
        self._invoke("seed")

    def to_noop(self, query: str) -> None:
        """Computes every row and column of a query, and keeps nothing."""
        self.sql(query).write.format("noop").mode("overwrite").save()

    def to_parquet(self, query: str, table: str) -> None:
        """Keeps a query as a parquet table."""
        self.sql(query).write.format("parquet").mode("overwrite").saveAsTable(table)

    def compiled(self, model: str) -> str:
        """The SQL of a staging model in a warehouse without one; views that it reads are made, and schemas fetched."""
        schemas = ["int_ticdc__writer_schemas", "int_ticdc__known_schemas"] if self._has_schemas else []
        self._invoke("run", "--select", "int_ticdc__messages", *schemas)
        self._invoke("compile", "--select", model)
        (file,) = (self._dbt / "target" / "compiled").rglob(f"{model}.sql")
        return file.read_text(encoding="utf-8")

    def build(self) -> dict[str, float]:
        """`dbt run` of the package; the seconds of each node."""
        self._invoke("run")
        results = json.loads((self._dbt / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
        return {result["unique_id"].rpartition(".")[2]: result["execution_time"] for result in results}

    def _invoke(self, *arguments: str) -> None:
        from dbt.cli.main import dbtRunner

        fixed = ["--project-dir", package_path(), "--profiles-dir", self._dbt, "--target-path", self._dbt / "target"]
        fixed += [
            "--log-path",
            self._dbt / "logs",
            "--log-level",
            "none",
            "--vars",
            json.dumps({"ticdc__feeds": [self._feed], **self.variables}),
        ]
        fixed += ["--no-send-anonymous-usage-stats", "--no-version-check"]
        before = Path.cwd()
        try:
            result = dbtRunner().invoke([*arguments, *(str(argument) for argument in fixed)])
        finally:
            os.chdir(before)
        if not result.success:
            nodes = getattr(result.result, "results", ())
            failures = [f"{node.node.name}: {node.message}" for node in nodes if node.status == "error"]
            raise RuntimeError(str(result.exception or "\n".join(failures)))

    @contextmanager
    def statements(self) -> Iterator[list[Statement]]:
        """The statements that dbt sends meanwhile."""
        from dbt.adapters.spark.session import Cursor

        sent: list[Statement] = []
        places: dict[Cursor, int] = {}  # several nodes ask at a time
        execute, fetchall = Cursor.execute, Cursor.fetchall

        def timed_execute(cursor: Cursor, sql: str, *parameters: object) -> None:
            start = time.perf_counter()
            execute(cursor, sql, *parameters)
            places[cursor] = len(sent)
            sent.append(Statement(time.perf_counter() - start, sql))

        def timed_fetchall(cursor: Cursor) -> Any:
            start = time.perf_counter()
            rows = fetchall(cursor)
            place = places[cursor]
            sent[place] = sent[place]._replace(seconds=sent[place].seconds + time.perf_counter() - start)
            return rows

        with mock.patch.multiple(Cursor, execute=timed_execute, fetchall=timed_fetchall):
            yield sent

    def machine(self) -> str:
        """What the figures were measured on."""
        return machine(self._spark.sparkContext._jvm.java.lang.System.getProperty("java.version"))  # type: ignore[union-attr]


def machine(java: str) -> str:
    """What figures are measured on, with this version of Java."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{cores()} cores ({_cpu()}), {memory:.0f} GB, load {load}, {platform.system()} {platform.machine()}\n"
        f"Python {platform.python_version()}, Java {java}, {packages}"
    )


def bytes_in(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
