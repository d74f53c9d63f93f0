"""The embedded warehouse: Spark in this process, tables and metastore in one folder.

- `tables/`: the tables of every database
- `metastore/`: Hive's catalogue (embedded Derby: one process at a time)
- `work/`: dbt's files, Spark's log, the variables of the last build, what it was made of, and what the last run said
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dbt_ticdc.errors import TicdcError, without_trace
from ticdc_udfs.contract.identifiers import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATABASE = "ticdc"
"""The database of the package's models."""
DEFAULT = "ticdc_warehouse"
"""The folder of a command that is told none, in the folder that it is called in."""

VARIABLES = "variables.json"
"""The file of the work folder with the variables of the last build."""

FOR_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Spark 4.1 cannot interpret what this one makes.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""Settings for tables of some thousand rows: to compile code for a query takes longer than to interpret it."""
FOR_A_SHORT_LIFE = "-XX:TieredStopAtLevel=1"
"""The option of a JVM that builds once: it compiles fast rather than well."""

_LEASE = "ticdc__lease_"
_OLDEST_JAVA = 17
# Planning statements makes garbage that lives shortly, and classes: by its defaults for a machine of two cores Java
# takes a quarter of a first build to collect the one and to make room for the other.
_JAVA_OPTIONS = "-XX:+UseParallelGC -Xms1g -Xmn512m -XX:MetaspaceSize=512m -XX:ReservedCodeCacheSize=400m"
_HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_OTHER_JAVA_OPTIONS = ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_locks: dict[Path, IO[str]] = {}


def work_folder(warehouse: Path) -> Path:
    """Where the files that are no tables live."""
    return warehouse / "work"


def variables(warehouse: Path) -> dict[str, Any]:
    """The variables of the last build; none where there was none."""
    path = work_folder(warehouse) / VARIABLES
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def check_exists(warehouse: Path) -> None:
    """Raises `TicdcError` where `ticdc run` or `ticdc serve` has not made a warehouse yet."""
    if not (warehouse / "metastore").is_dir():
        raise TicdcError(f"no warehouse is in {warehouse}; `ticdc run` makes one, --warehouse names another folder")


def take(warehouse: Path) -> Path:
    """The folder of a warehouse, made where there is none, and locked until this process ends.

    Raises `TicdcError` where Java is missing, the folder cannot be a warehouse, or another process has it open.
    """
    warehouse = warehouse.resolve()
    if warehouse not in _locks:
        check_java()
    _make_folder(warehouse)
    _lock(warehouse)
    return warehouse


def open_session(warehouse: Path, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A Spark session of this process on the warehouse, made where there is none, with the UDFs registered.

    The process's time zone becomes UTC, so that timestamps mean the same in Python, Spark and the tables. `settings`
    are further Spark settings. Raises `TicdcError` as `take` does, and where Spark does not start.
    """
    warehouse = take(warehouse)
    _remove_unmade_catalogue(warehouse)
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # another Spark of this machine, or a server elsewhere
    for name in ("SPARK_HOME", "SPARK_REMOTE"):
        os.environ.pop(name, None)

    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    import ticdc_udfs

    # Spark writes each error of a statement as a line of JSON, too, before whoever catches it says what is wrong
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    if SparkSession.getActiveSession() is not None:
        raise TicdcError("a Spark session runs in this process already; its settings cannot be changed any more")
    builder = SparkSession.builder.enableHiveSupport()
    for key, value in {**_settings(warehouse), **(settings or {})}.items():
        builder = builder.config(key, value)
    log = work_folder(warehouse) / "spark.log"
    try:
        with _output_to(log):
            spark = builder.getOrCreate()
            system = spark.sparkContext._jvm.java.lang.System  # type: ignore[union-attr]
            system.setProperty("derby.system.home", str(warehouse / "metastore"))
            system.setProperty("derby.stream.error.file", str(work_folder(warehouse) / "derby.log"))
            spark.sql(f"create database if not exists {DATABASE}")
            spark.sql(f"use {DATABASE}")
            if spark.conf.get("spark.sql.catalogImplementation") == "hive":
                _take_long_views(spark, warehouse)
        ticdc_udfs.register(spark)
    except Exception as error:
        text = without_trace(error)
        if "Another instance of Derby" in text or "XSDB6" in text:
            raise TicdcError(f"another process has the warehouse {warehouse} open; only one can at a time") from error
        raise TicdcError(f"Spark could not be started (its log: {log}): {text}", exit_code=1) from error
    return spark


def _take_long_views(spark: SparkSession, warehouse: Path) -> None:
    """Lets the catalogue hold views of more than 32,700 characters, as those of tables with hundreds of columns are."""
    driver = spark.sparkContext._jvm.java.sql.DriverManager  # type: ignore[union-attr]
    connection = driver.getConnection(_catalogue(warehouse))
    connection.setAutoCommit(False)
    statement = connection.createStatement()
    found = statement.executeQuery(
        "select columnname, columndatatype from sys.syscolumns where columnname like 'VIEW^_%' escape '^'"
    )
    columns = []
    while found.next():
        if found.getString(2) == "LONG VARCHAR":
            columns.append(found.getString(1))
    for column in columns:
        statement.execute("alter table tbls add column long_text clob")
        statement.execute(f"update tbls set long_text = {column}")
        statement.execute(f"alter table tbls drop column {column}")
        statement.execute(f"rename column tbls.long_text to {column}")
    connection.commit()
    connection.close()


@contextmanager
def writing(spark: SparkSession, warehouse: Path) -> Iterator[None]:
    """Lasts while tables are written; puts right first what a process left behind that ended within."""
    unfinished = work_folder(warehouse) / "unfinished"
    if unfinished.exists():
        _put_right(spark, warehouse / "tables")
    unfinished.touch()
    yield
    unfinished.unlink()


def _put_right(spark: SparkSession, tables: Path) -> None:
    """Removes files whose table was not made yet, beside which Spark makes none, and leases; finds new partitions."""
    known = {f"{row[0]}.db" for row in spark.sql("show databases").collect()}
    for database in [*tables.glob("*.db")]:
        if database.name not in known:
            shutil.rmtree(database)
            continue
        name = quoted(database.name.removesuffix(".db"))
        known_tables = {row.tableName for row in spark.sql(f"show tables in {name}").collect()}
        for table in [*database.iterdir()]:
            if table.name not in known_tables:
                shutil.rmtree(table)
            elif table.name.startswith(_LEASE):  # this process alone has the warehouse: whose it was is gone
                spark.sql(f"drop table {name}.{quoted(table.name)}")
            elif any("=" in part.name for part in table.iterdir()):
                spark.sql(f"msck repair table {name}.{quoted(table.name)}")


def check_java() -> None:
    """Raises `TicdcError` where no Java 17 or newer can be found, by JAVA_HOME or else on the PATH."""
    java = java_command()
    advice = (
        f"Spark needs Java {_OLDEST_JAVA} or newer: install it (for example `apt-get install openjdk-17-jre-headless`, "
        "`brew install openjdk@17`) and set JAVA_HOME to it, or put it on the PATH"
    )
    if java is None:
        raise TicdcError(f"no Java was found: JAVA_HOME is not set and no `java` is on the PATH. {advice}.")
    try:
        found = re.match(r"\d+", java_version(java))
    except (OSError, subprocess.SubprocessError) as error:
        raise TicdcError(f"{java} cannot be run. {advice}.") from error
    if found is None or int(found[0]) < _OLDEST_JAVA:
        version = found[0] if found else "unknown"
        raise TicdcError(f"{java} is Java of version {version}. {advice}.")


def _make_folder(warehouse: Path) -> None:
    if ";" in str(warehouse):
        raise TicdcError(f"--warehouse: got {warehouse}; the path of a warehouse has no semicolon")
    is_ours = not warehouse.exists() or work_folder(warehouse).is_dir()
    if not is_ours and (not warehouse.is_dir() or any(warehouse.iterdir())):
        raise TicdcError(f"{warehouse} is neither a warehouse nor an empty folder; --warehouse names another one")
    try:
        work_folder(warehouse).mkdir(parents=True, exist_ok=True)
        (warehouse / "metastore").mkdir(exist_ok=True)
    except OSError as error:
        raise TicdcError(f"the warehouse {warehouse} cannot be made: {error.strerror}") from error


def _lock(warehouse: Path) -> None:
    """Holds the warehouse until this process ends: Derby would only say so after a long stack trace."""
    if warehouse in _locks:
        return
    path = work_folder(warehouse) / "lock"
    lock = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        raise TicdcError(
            f"the warehouse {warehouse} is in use by process {lock.read().strip() or 'unknown'}; wait for it, stop it, "
            "or, if it is `ticdc serve`, query it as a client"
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    _locks[warehouse] = lock


def java_command() -> str | None:
    """The Java that Spark starts: by JAVA_HOME, or else on the PATH."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else shutil.which("java")


def java_version(java: str) -> str:
    """What a Java says its version is, such as `17.0.15`, or nothing. Raises as `subprocess.run` does."""
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60).stderr
    found = re.search(r'version "([^"]*)', answer)
    return found[1] if found else ""


def java_options(environment: Mapping[str, str]) -> str:
    """Options of Spark's JVM; none where variables of the environment choose a collector, as Java refuses a second."""
    given = " ".join(environment.get(name, "") for name in _OTHER_JAVA_OPTIONS)
    return "" if re.search(r"-XX:\+Use\w+GC\b", given) else f"{_JAVA_OPTIONS} {huge_pages()}".rstrip()


def settings_of_short_life() -> dict[str, str]:
    """Settings of a session that builds tables of some thousand rows once."""
    return {**FOR_FEW_ROWS, "spark.driver.extraJavaOptions": f"{java_options(os.environ)} {FOR_A_SHORT_LIFE}"}


def huge_pages() -> str:
    """The option of a JVM that takes memory in pages of 2 MB, where Linux has them.

    A first build touches more than a gigabyte for the first time: in pages of 4 KB that is a quarter of its time on a
    virtual machine.
    """
    has_them = _HUGE_PAGES.is_file() and "[never]" not in _HUGE_PAGES.read_text(encoding="utf-8")
    return "-XX:+UseTransparentHugePages" if has_them else ""


def _catalogue(warehouse: Path) -> str:
    return f"jdbc:derby:;databaseName={_catalogue_folder(warehouse)}"


def _catalogue_folder(warehouse: Path) -> Path:
    return warehouse / "metastore" / "db"


def _remove_unmade_catalogue(warehouse: Path) -> None:
    """Removes a catalogue that a process was killed in making: Derby, which ends with this file, opens it no more.

    While Derby writes it anew, a copy is there.
    """
    folder = _catalogue_folder(warehouse)
    if folder.is_dir() and not any(folder.glob("service.properties*")) and not (warehouse / "tables").exists():
        shutil.rmtree(folder)


def _settings(warehouse: Path) -> dict[str, str]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return {
        "spark.app.name": "ticdc",
        "spark.master": f"local[{cores}]",
        # A build of millions of rows is no faster with more: what does not fit is sorted in parts.
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": java_options(os.environ),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"{_catalogue(warehouse)};create=true",
        # Files of the machine's Hadoop or Hive may name a cluster.
        "spark.hadoop.hive.metastore.uris": "",
        "spark.hadoop.fs.defaultFS": "file:///",
        # What Derby refuses once it refuses again.
        "spark.hadoop.hive.hmshandler.retry.attempts": "1",
        # No other process writes this catalogue, and Spark asks it for every table in every view that a query names.
        "spark.hadoop.datanucleus.cache.level2": "true",
        "spark.hadoop.datanucleus.cache.level2.type": "soft",
        "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        # Else the first `lower` of a process takes a second, to read tables for languages. Java's rules differ
        # from these in letters of newer Unicode versions alone.
        "spark.sql.icu.caseMappings.enabled": "false",
        "spark.sql.warehouse.dir": str(warehouse / "tables"),
        # Derby cannot filter partitions by every predicate; there are few, and Spark filters them itself.
        "spark.sql.hive.metastorePartitionPruning": "false",
        # Else Spark lists files of more than 32 partitions by a job of a task for each; these are of this machine.
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
        "spark.sql.session.timeZone": "UTC",
        # With the other one Spark cannot add partitions to tables that hold instants.
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
        # Names of upstream columns may look like Spark's variables.
        "spark.sql.variable.substitute": "false",
        "spark.sql.shuffle.partitions": str(2 * cores),
        # What a task sorts before it writes it fits its memory.
        "spark.sql.files.maxPartitionBytes": "32m",
        # A run makes more classes than the 100 that Spark keeps, and would compile all of them again in the next one.
        "spark.sql.codegen.cache.maxEntries": "1000",
        # Else Spark sorts all rows by the partition column before it writes them.
        "spark.sql.maxConcurrentOutputFileWriters": "32",
        "spark.python.daemon.module": "ticdc_udfs.daemon",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4000",
        "spark.sql.execution.arrow.maxBytesPerBatch": str(64 * 1024 * 1024),
    }


@contextmanager
def _output_to(path: Path) -> Iterator[None]:
    """What the JVM started here writes to its standard streams goes to a file, for as long as it lives."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for descriptor in (*kept, log):
            os.close(descriptor)
