"""Registration of the UDFs in Spark sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ticdc_udfs
from ticdc_udfs import daemon, registrar
from ticdc_udfs.spark.registry import UDFS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMPLETE = next(udf for udf in UDFS if udf.name == "ticdc_complete_row")
DECODE = "select ticdc_decode_canal_json(cast(null as binary), cast(value as binary), '{}') as event from values"


def decoded(spark: SparkSession, *values: str | None) -> list[Any]:
    rows = ", ".join("(null)" if value is None else f"('{value}')" for value in values)
    return [row.event for row in spark.sql(f"{DECODE} {rows} as t(value)").collect()]


def test_registered_functions_decode_in_sql(spark: SparkSession) -> None:
    ticdc_udfs.register(spark)  # a second time: the fixture's session has them already
    assert all(spark.catalog.functionExists(udf.name) for udf in UDFS)
    events = decoded(spark, None, "{", '{"a": 1}')
    assert [event.kind for event in events] == ["error"] * 3
    assert [event.error_code for event in events] == ["empty_value", "bad_json", "bad_shape"]


def test_result_types_are_as_declared(spark: SparkSession) -> None:
    for udf in UDFS:
        nulls = ", ".join(f"cast(null as {sql_type})" for _, sql_type in udf.arguments)
        found = spark.sql(f"select {udf.name}({nulls}) as result").schema["result"].dataType
        declared = spark.sql(f"select cast(null as {udf.returns}) as result").schema["result"].dataType
        assert found.simpleString() == declared.simpleString()


def test_functions_are_evaluated_once_per_row(spark: SparkSession) -> None:
    """Spark repeats a deterministic function for each reference to its result."""
    query = f"select event.kind, event.error_code, event.lossy from ({DECODE} ('x') as t(value))"
    plan: Any = spark.sql(query)._jdf
    assert plan.queryExecution().executedPlan().toString().count("ticdc_decode_canal_json(") == 1


def test_a_row_is_completed_once_and_only_where_its_cells_are_asked_for(spark: SparkSession) -> None:
    """Spark shuffled all images to keep a CTE with a call that it may not repeat, and made it for keys alone too."""
    nulls = ", ".join(f"cast(null as {sql_type})" for _, sql_type in COMPLETE.arguments)
    rows = f"(select id, {COMPLETE.name}({nulls}) as completed from range(3))"
    for columns, calls in (("id, completed.before, completed.after, completed.lossy", 1), ("id", 0)):
        plan: Any = spark.sql(f"select {columns} from {rows}")._jdf
        assert plan.queryExecution().executedPlan().toString().count(f"{COMPLETE.name}(") == calls


def test_injected_functions_are_in_every_later_session(spark: SparkSession) -> None:
    before = spark.newSession()
    assert not before.catalog.functionExists("ticdc_decode_canal_json")
    registrar.inject(spark)
    for session in (spark.newSession(), spark.newSession()):
        assert all(session.catalog.functionExists(udf.name) for udf in UDFS)
        assert decoded(session, None)[0].error_code == "empty_value"


def test_workers_run_in_this_interpreter(spark: SparkSession) -> None:
    assert spark.sparkContext.pythonExec == sys.executable


def test_tasks_do_not_read_archives_again(spark: SparkSession) -> None:
    """Python 3.11 reads each archive on the path anew before a task, a tenth of a second for those of Spark."""

    def archives(_: int) -> list[str]:
        return [entry for entry in {*sys.path, *sys.path_importer_cache} if ".jar" in entry or "pyspark.zip" in entry]

    assert spark.sparkContext.parallelize([0]).flatMap(archives).collect() == []


def test_archives_give_way_to_folders_of_the_same_spark(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    inside = site / "pyspark" / "python" / "lib" / "pyspark.zip"
    beside = tmp_path / "spark" / "python" / "lib" / "pyspark.zip"
    path = ["", str(inside), str(beside), "/jobs/more.zip", "/spark/jars/spark-core.jar", "/usr/lib/python"]
    assert daemon.unpacked(path) == ["", str(inside), str(beside), "/jobs/more.zip", "/usr/lib/python"]
    for worker in (site / "pyspark" / "worker.py", tmp_path / "spark" / "python" / "pyspark" / "worker.py"):
        worker.parent.mkdir(parents=True)
        worker.touch()
    python = str(tmp_path / "spark" / "python")
    assert daemon.unpacked(path) == ["", str(inside), python, "/jobs/more.zip", "/usr/lib/python"]
    assert daemon.unpacked([*path, str(site)]) == ["", python, "/jobs/more.zip", "/usr/lib/python", str(site)]


def test_import_brings_no_spark() -> None:
    code = "import sys, ticdc_udfs, ticdc_udfs.registrar; sys.exit('pyspark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
