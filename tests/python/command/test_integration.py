"""The project in `integration_tests/`: the package installed in another one and built over Thrift."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyhive import hive
from support.corpus import SAMPLE, lines_about, plain
from support.project import assert_passes, dbt, install, served
from support.truth import checkpoints

TABLES = ("customers", "order_items", "visits", "sales", "exch", "keyless", "types_zoo_misc", "back`tick")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served(tmp_path_factory.mktemp("integration"), lines_about(plain(SAMPLE), TABLES)) as port:
        yield port


def test_two_clients_build_at_once_and_a_third_reads(port: int, tmp_path: Path) -> None:
    install(port, tmp_path)

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
