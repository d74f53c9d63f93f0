"""Flink SQL with Paimon: its jars, its SQL client in a JVM of its own, and the SQL that makes a table of canal-json."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from benchmarks.measure import cores, say
from benchmarks.tables import Column, Shape

_FLINK, _PAIMON = "1.20.3", "1.3.1"
VERSIONS = f"Flink {_FLINK}, Paimon {_PAIMON}"

_LIBRARIES = f"apache-flink-libraries=={_FLINK}"
# The client does not start without its gateway, which the libraries lack.
_JARS = (
    f"org.apache.paimon:paimon-flink-1.20:{_PAIMON}",
    f"org.apache.flink:flink-sql-gateway:{_FLINK}",
    f"org.apache.flink:flink-sql-gateway-api:{_FLINK}",
)
# What they depend on is in the libraries, so Ivy, which is part of Spark, fetches these alone.
_FETCH_JARS = """
import sys
from pyspark.sql import SparkSession
folder, *jars = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").config("spark.jars.ivy", folder).getOrCreate()
for jar in jars:
    spark.sql(f"add jar ivy://{jar}?transitive=false")
"""
_CONFIGURATION = """\
execution.runtime-mode: batch
execution.target: local
parallelism.default: {cores}
taskmanager.numberOfTaskSlots: {cores}
table.dml-sync: true
io.tmp.dirs: {folder}
"""
_LOG = """\
rootLogger.level = WARN
rootLogger.appenderRef.file.ref = File
appender.file.name = File
appender.file.type = File
appender.file.fileName = {folder}/flink.log
appender.file.layout.type = PatternLayout
"""
_TABLE = "lake.`default`.typed"


def fetched() -> Path:
    """The folder with the jars of Flink and Paimon, of 300 MB, fetched where it is not in the user's cache yet.

    The cache is `ticdc-benchmarks` in XDG_CACHE_HOME, or else in `~/.cache`. Raises `SystemExit` where pip or Ivy
    cannot fetch them.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticdc-benchmarks"
    folder = cache / f"flink-{_FLINK}-paimon-{_PAIMON}"
    if folder.is_dir():
        say(f"{VERSIONS} are in {folder}")
        return folder
    say(f"fetching {VERSIONS} into {folder}: 300 MB, this time only")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as part:
        whole = Path(part) / "whole"
        pip = ("-m", "pip", "install", "--no-deps", "--target", str(whole / "libraries"), _LIBRARIES)
        for arguments in (pip, ("-c", _FETCH_JARS, str(whole / "ivy"), *_JARS)):
            done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
            if done.returncode:
                said = done.stdout[-2000:] + done.stderr[-2000:]
                raise SystemExit(
                    f"{VERSIONS} could not be fetched: pip needs {_LIBRARIES}, Spark's Ivy {', '.join(_JARS)}; where "
                    f"they get packages from is set in pip's configuration and Ivy's; they said:\n{said}"
                )
        os.rename(whole, folder)
    return folder


class Client:
    """Flink's SQL client with the jars that `fetched` got; its files are in `folder`."""

    def __init__(self, jars: Path, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        settings = {"cores": cores(), "folder": folder}
        (folder / "config.yaml").write_text(_CONFIGURATION.format(**settings), encoding="utf-8")
        (folder / "log4j2.properties").write_text(_LOG.format(**settings), encoding="utf-8")
        found = sorted((jars / "libraries" / "pyflink").glob("*/*.jar")) + sorted((jars / "ivy" / "jars").glob("*.jar"))
        # Paimon needs Hadoop's file systems, which Spark brings.
        found += sorted(Path(pyspark.__file__).with_name("jars").glob("hadoop-client-*.jar"))
        home = os.environ.get("JAVA_HOME")
        self._command = [
            str(Path(home, "bin", "java")) if home else "java",
            "-Xmx3g",  # no less than Spark has
            f"-Djava.io.tmpdir={folder}",
            f"-Dlog4j.configurationFile={folder / 'log4j2.properties'}",
            *("-cp", ":".join(map(str, found)), "org.apache.flink.table.client.SqlClient", "embedded"),
            *("--history", str(folder / "history"), "-f", str(folder / "job.sql")),
        ]

    def run(self, *statements: str) -> None:
        """Runs statements in a process of its own, which ends with this call, also where that is broken off.

        Raises `RuntimeError` with what the client said where one of them fails.
        """
        (self._folder / "job.sql").write_text(";\n".join((*statements, "")), encoding="utf-8")
        environment = {**os.environ, "FLINK_CONF_DIR": str(self._folder)}
        done = subprocess.run(self._command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode or "[ERROR]" in done.stdout:  # of a statement that failed the exit code may be 0
            raise RuntimeError(f"Flink's SQL client failed:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")


def current_table(shape: Shape, lines: Path, warehouse: Path) -> tuple[str, ...]:
    """Statements that make Paimon's table of the current rows from a folder with a canal-json message a line.

    Flink has no canal-json format in batch mode, so that Paimon gets the kind and order of changes in columns.
    """
    wire = ", ".join(f"`{column.name}` {_wire_type(column)}" for column in shape.columns)
    types = ", ".join(f"`{column.name}` {_type(column)}" for column in shape.columns)
    values = ", ".join(_value(column) for column in shape.columns)
    return (
        f"SET 'table.local-time-zone' = '{shape.time_zone}'",
        _catalog(warehouse),
        f"""
        CREATE TABLE {_TABLE} (
            {types}, `_op` STRING, `_commit_ts` BIGINT, `_apply_rank` INT, PRIMARY KEY (`id`) NOT ENFORCED
        ) WITH (
            'bucket' = '{cores()}', 'file.format' = 'parquet',
            'rowkind.field' = '_op', 'sequence.field' = '_commit_ts,_apply_rank'
        )
        """,
        f"""
        CREATE TEMPORARY TABLE messages (
            `table` STRING, `type` STRING, `data` ARRAY<ROW<{wire}>>, `_tidb` ROW<`commitTs` BIGINT>
        ) WITH (
            'connector' = 'filesystem', 'path' = '{lines.as_uri()}', 'format' = 'json',
            'json.timestamp-format.standard' = 'SQL', 'json.ignore-parse-errors' = 'true'
        )
        """,
        f"""
        INSERT INTO {_TABLE}
        SELECT {values}, IF(op = 'DELETE', '-D', '+I'), commit_ts, IF(op = 'DELETE', 0, 1)
        FROM (
            SELECT `type` AS op, `data`[1] AS image, `_tidb`.`commitTs` AS commit_ts
            FROM messages WHERE `type` IN ('INSERT', 'UPDATE', 'DELETE') AND `table` = '{shape.table}'
        )
        """,
    )


def export(shape: Shape, warehouse: Path, texts: Path) -> tuple[str, ...]:
    """Statements that write the rows of Paimon's table to a folder as JSON lines: texts, bytes in base64, UTC."""
    binary = {column.name for column in shape.columns if column.spark_type == "binary"}
    names = (*(column.name for column in shape.columns), "_commit_ts")
    types = ", ".join(f"`{name}` {'BYTES' if name in binary else 'STRING'}" for name in names)
    values = ", ".join(f"`{name}`" if name in binary else f"CAST(`{name}` AS STRING)" for name in names)
    return (
        "SET 'table.local-time-zone' = 'UTC'",
        _catalog(warehouse),
        f"""
        CREATE TEMPORARY TABLE texts ({types})
        WITH ('connector' = 'filesystem', 'path' = '{texts.as_uri()}', 'format' = 'json')
        """,
        f"INSERT INTO texts SELECT {values} FROM {_TABLE}",
    )


def typed(shape: Shape, texts: Path) -> tuple[str, ...]:
    """Spark's statements that make `flink.typed`, with the types of the package's tables, of what `export` wrote."""
    fields = ", ".join(f"`{name}` string" for name in (*(column.name for column in shape.columns), "_commit_ts"))
    values = ", ".join(f"{_value_of_text(column)} as `{column.name}`" for column in shape.columns)
    return (
        f"create table flink.texts ({fields}) using json location '{texts}'",
        f"""
        create table flink.typed using parquet as
        select {values}, bigint(_commit_ts) as commit_ts, cast(array() as array<string>) as lossy from flink.texts
        """,
    )


def _catalog(warehouse: Path) -> str:
    return f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{warehouse.as_uri()}')"


def _wire_type(column: Column) -> str:
    """A cell's type as Flink reads it from a message, in the terms of SQL."""
    if column.labels:
        return "INT"
    if column.spark_type in ("timestamp", "timestamp_ntz"):
        return f"TIMESTAMP({column.fraction})"
    return "STRING" if column.spark_type == "binary" else column.spark_type.upper()


def _type(column: Column) -> str:
    """A cell's type in Paimon's table; of a SET the labels, comma-joined."""
    if column.labels:
        return "STRING"
    if column.spark_type == "timestamp":
        return f"TIMESTAMP_LTZ({column.fraction})"
    return "BYTES" if column.spark_type == "binary" else _wire_type(column)


def _value(column: Column) -> str:
    """The expression of a cell of Paimon's table; the session has the time zone of TIMESTAMP values."""
    cell = f"image.`{column.name}`"
    labels = ["'" + label.replace("'", "''") + "'" for label in column.labels]
    if column.base == "enum":
        return f"ARRAY[{', '.join(labels)}][{cell}]"
    if column.base == "set":
        members = (f"CASE WHEN MOD({cell} / {1 << bit}, 2) = 1 THEN {label} END" for bit, label in enumerate(labels))
        return f"CONCAT_WS(',', {', '.join(members)})"
    if column.spark_type == "binary":
        return f"ENCODE({cell}, 'ISO-8859-1')"
    return f"CAST({cell} AS {_type(column)})" if column.spark_type == "timestamp" else cell


def _value_of_text(column: Column) -> str:
    if column.base == "set":
        return f"filter(split(`{column.name}`, ','), label -> label <> '')"
    if column.spark_type == "binary":
        return f"unbase64(`{column.name}`)"
    return f"cast(`{column.name}` as {column.spark_type})"
