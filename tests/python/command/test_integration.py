"""The projects in `integration_tests/` and of the quickstart: the package installed in others, built over Thrift."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pyspark
import pytest
import yaml
from support import exported
from support.corpus import SAMPLE
from support.documents import Builds, shell
from support.project import Server
from support.truth import checkpoints

from dbt_ticdc import cli

pytestmark = pytest.mark.soak("documents")
CODE = "ticdc_decode_canal_json(cast(null as binary), cast('{' as binary), '{}').error_code"


def test_two_clients_build_at_once_and_a_third_reads(server: Server, builds: Builds) -> None:
    """Two builds of one client's tables come at once as well: one of them is told of the other."""
    outputs = [output for output, _ in builds.first]
    assert sorted(exit_code for _, exit_code in builds.first) == [0, 2], "\n".join(outputs)
    (refused,) = (output for output, exit_code in builds.first if exit_code)
    assert "ticdc: another run builds these tables: dbt build " in refused

    cursor = server.connect()
    counts = []
    for schema in ("ticdc", "second"):
        cursor.execute(f"select count(*), sum(hash(row)) from {schema}.ticdc__current_rows")
        counts.append(cursor.fetchall())
    cursor.execute("select count(*) from shop.customers")
    assert cursor.fetchall() == [(128,)]
    assert counts[0] == counts[1]
    *_, truth = checkpoints(SAMPLE).values()
    cursor.execute("select distinct table_name from ticdc.ticdc__current_rows")
    tables = {name for (name,) in cursor.fetchall()}
    assert counts[0][0][0] == sum(len(table.rows) for name, table in truth.tables.items() if name[1] in tables) > 150
    cursor.execute("select sum(changes) - (select count(*) from second.ticdc__changelog) from second.changes_per_day")
    assert cursor.fetchall() == [(0,)]


def test_beeline_reads_a_mart_and_calls_a_function(server: Server, builds: Builds) -> None:
    spark_home = Path(pyspark.__file__).parent
    query = f"select id, page, hits, {CODE} as code from shop.visits order by id limit 1;"
    done = subprocess.run(
        [
            str(spark_home / "bin" / "beeline"),
            *("-u", f"jdbc:hive2://127.0.0.1:{server.port}/ticdc", "--silent=true", "--outputformat=csv2", "-e", query),
        ],
        env={**os.environ, "SPARK_HOME": str(spark_home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    head, row = done.stdout.split()
    assert head == "id,page,hits,code"
    assert row.startswith("1,") and row.endswith(",bad_json")


def test_the_state_of_what_a_server_has(
    server: Server, builds: Builds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command asks the server, and dbt prints the same page of the same numbers."""
    address = f"127.0.0.1:{server.port}"
    code = cli.main(["status", "--thrift", address, "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    assert code == told["exit_code"] == 2 and told["state"] == "late or stale"
    (feed,) = told["feeds"]
    assert feed["feed"] == "shop" and feed["messages"] > 500 and feed["dead_letters"] == 0
    assert cli.main(["report", "--thrift", address, "--output", str(tmp_path / "report.html")]) == 0
    by_command = (tmp_path / "report.html").read_text(encoding="utf-8")
    with shell("dbt --quiet run-operation ticdc_report", builds.home, "report") as process:
        by_dbt, _ = process.communicate(timeout=300)
    assert process.returncode == 0, by_dbt
    # the shell of tests has errors beside the output, such as a warning of Python about how dbt was begun
    _, found, by_dbt = by_dbt.partition("<!doctype html>")
    assert found
    numbers = re.compile(r'<td class="n">([\d,]+)</td>')
    assert numbers.findall(by_command) == numbers.findall(by_dbt) != []
    assert cli.main(["status", "--thrift", address, "--schema", "nowhere"]) == 1
    assert capsys.readouterr().err.endswith(f"--schema: the server at {address} has no schema nowhere\n")


def test_tables_behind_a_server_are_proved_and_have_models(
    server: Server, builds: Builds, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server need not be stopped, and no warehouse is opened."""
    at_server = ["--thrift", f"127.0.0.1:{server.port}", "--feed", "shop"]
    customers = checkpoints(SAMPLE).popitem()[1].tables["shop", "customers"]
    exported.write_json_lines(tmp_path / "export", [customers])
    assert cli.main(["compare", *at_server, "--truth", str(tmp_path / "export")]) == 0
    assert capsys.readouterr().out.endswith("\nequal\n")
    (file,) = (tmp_path / "export").iterdir()
    first, *others = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text(json.dumps({**json.loads(first), "name": "nobody"}) + "\n" + "".join(others[1:]), encoding="utf-8")
    assert cli.main(["compare", *at_server, "--truth", str(tmp_path / "export")]) == 1
    told = capsys.readouterr().out
    assert told.endswith("\ndifferent: 1 of 1 tables\n") and " name\n" in told and "is not upstream\n" in told

    models = tmp_path / "models"
    assert cli.main(["codegen", *at_server, "--output", str(models), "--history"]) == 0
    assert (models / "shop__customers_history.yml").is_file()
    cursor = server.connect()
    cursor.execute("select * from shop.customers limit 0")
    names = [column[0].rpartition(".")[2] for column in cursor.description]
    (model,) = yaml.safe_load((models / "shop__customers.yml").read_text(encoding="utf-8"))["models"]
    assert [column["name"] for column in model["columns"]] == names
    types = [column["data_type"].replace("timestamp_ltz", "timestamp") for column in model["columns"]]
    cursor.execute("describe table shop.customers")
    assert [row[1] for row in cursor.fetchall()] == types
    assert cli.main(["codegen", *at_server, "--output", str(models), "--history"]) == 0
    assert ", 0 of them unchanged" not in capsys.readouterr().out.splitlines()[-1]
    assert cli.main(["codegen", "--thrift", at_server[1], "--feed", "shp", "--output", str(models)]) == 2
    assert "ticdc: --feed: shp has no typed tables; feeds that have: shop\n" in capsys.readouterr().err
