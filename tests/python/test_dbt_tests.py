"""The package's dbt unit tests and shipped generic tests, on Spark, and its yml beside the columns that models have.

As a program (`python test_dbt_tests.py FOLDER`) it builds the package on no messages at all, runs the tests and
writes what came out: a Spark session lasts for a whole process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
VARIABLES = {
    "ticdc__feeds": [{"name": "shop", "protocol": "canal_json", "topics": ["shop"]}],
    "ticdc__unit_tests": True,
}
SHIPPED = ("accounting_balanced", "no_dead_letters", "unique_change")
# Tables of a few rows: compiling code for a query takes longer than interpreting it.
SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
NOW_TS = "shiftleft(unix_millis(current_timestamp()), 18)"
# What the shipped tests must find fault with, by the view of the package that holds it.
FAULTS = {
    "ticdc__accounting": "select true as balanced union all select false",
    "ticdc__dead_letters": "select 'shop' as feed, 'bad_json' as error_code from range(3)",
    "ticdc__changelog": "select 'shop' as feed, 's' as schema_name, 't' as table_name, 0 as table_incarnation, "
    "commit_ts, commit_ts_exact, '1' as row_key, 'update' as op, image as before, null as after "
    "from values (5, true, 'a'), (5, true, 'b'), (6, true, 'a'), (7, false, 'a'), (7, false, 'b') "
    "as changes (commit_ts, commit_ts_exact, image)",
    "ticdc__completeness": f"select 'fresh' as feed, {NOW_TS} as complete_through_ts union all select 'stale', 1L "
    "union all select 'none', null",
}
CALLS = {
    "stale": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes=15)",
    "few": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=3)",
    "bad_minutes": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes='soon')",
    "bad_at_most": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=-1)",
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    folder = tmp_path_factory.mktemp("dbt_tests")
    command = [sys.executable, __file__, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, env=environment, check=False)
    if done.returncode != 0:
        pytest.fail(f"dbt could not be run\n{done.stdout[-8000:]}\n{done.stderr[-4000:]}", pytrace=False)
    return json.loads((folder / "outcome.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_unit_tests_pass(outcome: Mapping[str, Any]) -> None:
    results = {name: result for name, result in outcome["tests"].items() if result["kind"] == "unit_test"}
    assert results
    failed = [f"{name}: {result['message']}" for name, result in results.items() if result["status"] != "pass"]
    assert not failed, "\n".join(failed)


def test_generic_tests_pass_where_nothing_is_wrong(outcome: Mapping[str, Any]) -> None:
    results = {name: result["status"] for name, result in outcome["tests"].items() if result["kind"] == "test"}
    assert results
    assert set(results.values()) == {"pass"}, results


def test_generic_tests_find_faults(outcome: Mapping[str, Any]) -> None:
    assert outcome["faults"] == {
        "accounting_balanced_ticdc__accounting_": ["fail", 1],
        "no_dead_letters_ticdc__dead_letters_": ["warn", 3],
        "unique_change_ticdc__changelog_": ["fail", 1],
    }


def test_arguments_of_generic_tests(outcome: Mapping[str, Any]) -> None:
    calls = outcome["calls"]
    assert sorted(row["feed"] for row in calls["stale"]) == ["none", "stale"]
    assert calls["few"] == []
    assert "at_most of the test no_dead_letters must be one of 0, 1, 2, … Got: -1" in calls["bad_at_most"]
    assert "minutes of the test complete_within must be" in calls["bad_minutes"]
    assert 'Got: "soon"' in calls["bad_minutes"]


def test_yml_names_the_columns_of_each_model(outcome: Mapping[str, Any]) -> None:
    assert outcome["columns"]
    for model, columns in outcome["columns"].items():
        assert columns["yml"] == columns["relation"], model


def main(folder: Path) -> None:
    from dbt.cli.main import dbtRunner

    from dbt_ticdc.warehouse import open_session

    places = ["--project-dir", ROOT, "--profiles-dir", ROOT / "tests" / "lint"]
    places += ["--target-path", folder / "target", "--log-path", folder / "logs"]
    flags = ["--no-send-anonymous-usage-stats", "--no-version-check", "--vars", json.dumps(VARIABLES)]
    manifest: Any = dbtRunner().invoke(["parse", *map(str, places), *flags]).result

    said: list[str] = []

    def dbt(*arguments: str) -> Any:
        said.clear()
        runner = dbtRunner(manifest=manifest, callbacks=[lambda event: said.append(event.info.msg)])  # type: ignore[attr-defined]
        return runner.invoke([*arguments, *map(str, places), *flags])

    def call(macro: str) -> Any:
        """The rows of a test called by hand, or what dbt says of its error."""
        done = dbt("show", "--quiet", "--limit", "-1", "--inline", "{{ " + macro + " }}")
        if not done.success:
            return "\n".join(said)
        table = done.result.results[0].agate_table
        return [dict(zip(table.column_names, map(str, row), strict=True)) for row in table.rows]

    spark = open_session(folder / "warehouse", SETTINGS)
    spark.sql("create database ticdc_raw")
    spark.sql(
        "create table ticdc_raw.messages (topic string, partition int, offset bigint, timestamp timestamp, "
        "key binary, value binary) using parquet"
    )
    if not dbt("build", "--resource-type", "seed", "--resource-type", "model").success:
        sys.exit("the package cannot be built on an empty table of messages")
    models = [node for node in manifest.nodes.values() if node.resource_type == "model"]
    spark.sql("use ticdc_lint")  # Spark looks for a table function in the current schema alone
    columns = {
        model.name: {
            "yml": list(model.columns),
            "relation": spark.sql(f"select * from {model.name}{'(0)' if 'arguments' in model.config else ''}").columns,
        }
        for model in models
    }
    tests = {
        result.node.name: {"kind": result.node.resource_type, "status": result.status, "message": result.message}
        for result in dbt("test").result
    }
    for view, fault in FAULTS.items():
        spark.sql(f"create or replace view ticdc_lint.{view} as {fault}")
    faulty = dbt("test", "--select", *(f"test_name:{name}" for name in SHIPPED)).result
    faults = {result.node.name: [result.status, result.failures] for result in faulty}
    calls = {name: call(macro) for name, macro in CALLS.items()}
    outcome = {"columns": columns, "tests": tests, "faults": faults, "calls": calls}
    (folder / "outcome.json").write_text(json.dumps(outcome, default=str), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
