"""The project in `integration_tests/`: the package installed in another one and built over Thrift."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyhive import hive
from support.corpus import SAMPLE, lines_about, plain
from support.truth import checkpoints

PROJECT = Path(__file__).parents[2] / "integration_tests"
TABLES = ("customers", "order_items", "visits", "sales", "exch", "keyless", "types_zoo_misc", "back`tick")

LOAD = """
import sys
from pathlib import Path
from dbt_ticdc import messages, warehouse
folder = Path(sys.argv[1])
spark = warehouse.open_session(folder)
messages.load(spark, [Path(sys.argv[2])], "ticdc_raw", warehouse.work_folder(folder))
spark.stop()
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("integration")
    warehouse, messages = folder / "warehouse", folder / "messages.jsonl"
    messages.write_text("".join(lines_about(plain(SAMPLE), TABLES)), encoding="utf-8", newline="\n")
    subprocess.run([sys.executable, "-c", LOAD, str(warehouse), str(messages)], check=True, timeout=300)
    command = [sys.executable, "-m", "dbt_ticdc.cli", "serve", "--warehouse", str(warehouse), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:"), line
        yield int(line.rpartition(":")[2])
        server.terminate()


def dbt(command: str, client: str, port: int, folder: Path) -> subprocess.Popen[str]:
    arguments = [
        sys.executable,
        "-m",
        "dbt.cli.main",
        *command.split(),
        "--project-dir",
        str(PROJECT),
        "--no-use-colors",
    ]
    if command != "deps":
        arguments += ["--target-path", str(folder / client / "target"), "--log-path", str(folder / client / "logs")]
    return subprocess.Popen(
        arguments,
        cwd=PROJECT,
        env={
            **os.environ,
            "DBT_PROFILES_DIR": str(PROJECT),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "DBT_LOG_PATH": str(folder / client / "logs"),
            "TICDC_PORT": str(port),
            "TICDC_SCHEMA": client,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def assert_passes(client: subprocess.Popen[str]) -> None:
    output, _ = client.communicate(timeout=900)
    assert client.returncode == 0, output
    assert "Completed successfully" in output or "Completed with 1 warning" in output, output


def test_two_clients_build_at_once_and_a_third_reads(port: int, tmp_path: Path) -> None:
    deps = dbt("deps", "deps", port, tmp_path)
    output, _ = deps.communicate(timeout=120)
    assert deps.returncode == 0, output

    # before the first build: queries that models ask while they are compiled find no tables
    docs = dbt("docs generate", "first", port, tmp_path)
    output, _ = docs.communicate(timeout=300)
    assert docs.returncode == 0, output

    assert_passes(dbt("build", "first", port, tmp_path))
    together = [dbt("build", client, port, tmp_path) for client in ("first", "second")]
    for client in together:
        assert_passes(client)

    cursor = hive.connect(host="127.0.0.1", port=port).cursor()
    counts = []
    for schema in ("first", "second"):
        cursor.execute(f"select count(*), sum(hash(row)) from {schema}.ticdc__current_rows")
        counts.append(cursor.fetchall())
        cursor.execute(f"select count(*) from {schema}_shop.customers")
        assert cursor.fetchall() == [(128,)]
        if schema == "first":
            assert_passes(dbt("run --empty", "second", port, tmp_path))
    assert counts[0] == counts[1], "dbt run --empty forgot what was built"
    *_, truth = checkpoints(SAMPLE).values()
    assert counts[0][0][0] == sum(len(table.rows) for name, table in truth.tables.items() if name[1] in TABLES)


def test_beeline_reads_a_mart(port: int) -> None:
    spark_home = Path(pyspark.__file__).parent
    done = subprocess.run(
        [
            str(spark_home / "bin" / "beeline"),
            *("-u", f"jdbc:hive2://127.0.0.1:{port}/first", "--silent=true", "--outputformat=csv2"),
            *("-e", "select id, page, hits from first_shop.visits order by id limit 1;"),
        ],
        env={**os.environ, "SPARK_HOME": str(spark_home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.split()[0] == "id,page,hits"
    assert len(done.stdout.split()) > 1
