"""Delta tables, built in parts over Thrift, hold what Parquet tables of one build hold. `make soak` runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.corpus import SAMPLE, lines_about, plain
from support.jars import jars
from support.marts import contents
from support.project import assert_passes, dbt, install, served

DELTA = ("io.delta:delta-spark_4.1_2.13:4.4.0", "io.delta:delta-storage:4.4.0")

# They are renamed, truncated, given columns and other keys, have partitions that go, and rows without a key.
TABLES = ("customers", "evolve", "exch", "keyless", "sales", "swappy", "trunc_me", "ren1", "ren2", "ren1b")
PARTS = 3
STORED = '--vars {"ticdc__stored_from_rows":1}'


@pytest.mark.soak("delta")
def test_delta_tables_hold_what_parquet_tables_hold(tmp_path: Path) -> None:
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # 50 are for the files of large tables
        "spark.databricks.delta.snapshotPartitions": "2",
    }
    # what they depend on besides would come before Spark's own
    class_path = ":".join(map(str, jars(*DELTA, alone=True)))
    submitted = [f"--driver-class-path {class_path}", *(f"--conf {name}={value}" for name, value in settings.items())]
    with served(tmp_path, {"PYSPARK_SUBMIT_ARGS": " ".join([*submitted, "pyspark-shell"])}) as server:
        server.take(lines_about(plain(SAMPLE), TABLES))
        port = server.port
        install(port, tmp_path)
        cursor = server.connect()
        split = f"select *, ntile({PARTS}) over (order by `offset`) as part from ticdc_raw.messages"
        cursor.execute(f"create table ticdc_raw.parts as {split}")
        cursor.execute("truncate table ticdc_raw.messages")
        for part in range(1, PARTS + 1):
            arriving = f"select * except (part) from ticdc_raw.parts where part = {part}"
            cursor.execute(f"insert into ticdc_raw.messages by name {arriving}")
            assert_passes(dbt(f"build {STORED}", "on_delta", port, tmp_path, {"TICDC_FILE_FORMAT": "delta"}))
        assert_passes(dbt(f"build {STORED}", "on_parquet", port, tmp_path))
        for client, formats in (("on_delta", {"delta"}), ("on_parquet", {"parquet"})):
            cursor.execute(f"describe extended {client}.int_ticdc__changes")
            assert {row[1] for row in cursor.fetchall() if row[0] == "Provider"} == formats
        got, want = contents(cursor, "on_delta"), contents(cursor, "on_parquet")
    assert len(want["current rows"]) > 100
    for name, rows in want.items():
        assert got[name] == rows, f"{name} differs\n" + "\n".join(sorted(set(rows) ^ set(got[name]))[:6])
