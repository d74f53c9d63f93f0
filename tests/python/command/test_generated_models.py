"""`ticdc codegen`: the models that it writes run in dbt, and their files follow the schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from support.project import write_project

from dbt_ticdc import build, codegen, package_path, target, warehouse
from dbt_ticdc.codegen import Outcome
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.contract.identifiers import text_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEED = {"name": "shop", "protocol": "canal_json", "topics": ["t"]}
HOSTILE = ("id", "col one", "back`tick", "{{ x }}", "ключ", "a: #b", "yes", "x,y", "null", "_lossy", "c\rd\n")


@pytest.fixture(scope="module")
def typed(spark: SparkSession) -> None:
    """What the package remembers of a feed with an odd table and one that is gone, and the relations of the first."""
    names = ", ".join(f"'{place}' as `{name.replace('`', '``')}`" for place, name in enumerate(HOSTILE))
    names += ", array('1.5') as list"
    spark.sql("create database if not exists shop")
    spark.sql(f"create table shop.odd as select {names}, 1L as _commit_ts, array('list:why') as __lossy")
    spark.sql(
        f"create table shop.odd_history as select {names}, '{{}}' as _row_key, begins as _valid_from_ts, "
        "ends as _valid_to_ts, timestamp_millis(begins) as _valid_from_at, timestamp_millis(ends) as _valid_to_at, "
        "'insert' as _op, reason as _closed_by, array('list:why') as __lossy "
        "from values (1L, 3L, 'update'), (3L, null, null) as times (begins, ends, reason)"
    )
    columns = [{"name": name, "type": "char(1)", "nullable": name != "id"} for name in HOSTILE]
    columns[HOSTILE.index("null")] = {"name": "null", "type": "enum('{{ 1 }}')", "nullable": False}
    columns.append({"name": "list", "type": "set('1.5')"})
    schemas = {"o": json.dumps(columns), "g": json.dumps([{"name": "id", "type": "int"}])}
    states = ", ".join(f"('{table_id}', {text_literal(schema)})" for table_id, schema in schemas.items())
    spark.sql("create view int_ticdc__publication as select map('int_ticdc__table_states', array(2L)) as batches")
    spark.sql(
        "create table int_ticdc__table_states as select 'f' as feed, table_id, 1L as table_incarnation, table_schema, "
        "array(named_struct('from_ts', 0L, 'table_schema', table_schema)) as versions, batch_id "
        f"from values {states} as states (table_id, table_schema) lateral view explode(array(1L, 2L)) ids as batch_id"
    )
    key = text_literal(json.dumps(HOSTILE))
    plan = '{"target_schema": "{schema}", "observed": {}}'
    spark.sql(
        "create table int_ticdc__typed_tables as select 'f' as feed, 's' as schema_name, *, 1L as table_incarnation, "
        f"'{plan}' as plan from values ('a\nb', 'o', {key}, 'shop.`odd`', 'shop.odd_history'), "
        "('gone', 'g', '[\"id\"]', 'shop.gone', null) "
        "as tables (table_name, table_id, key_columns, current_relation, history_relation)"
    )


PACKAGE = {
    "dbt_project.yml": "name: ticdc\nversion: 1.0.0\nprofile: ticdc\n",
    "models/ticdc__tables.sql": "{{ config(alias='made_before') }} select 1 as one",
    "tests/generic/history_intervals.sql": (package_path() / "tests/generic/history_intervals.sql").read_text("utf-8"),
}


def test_generated_models_run_in_dbt(spark: SparkSession, home: Path, typed: None, tmp_path: Path) -> None:
    work = warehouse.work_folder(home)
    mine = write_project(tmp_path / "mine", {"dbt_project.yml": "name: mine\nversion: 1.0.0\nprofile: ticdc\n"})
    write_project(mine / "dbt_packages" / "ticdc", PACKAGE)
    ask = target.of_session(spark)
    outcomes = codegen.write(ask, "f", mine / "models", history=True)
    names = ("shop__odd", "shop__odd_history", "shop__gone")
    assert outcomes == {mine / "models" / f"{n}{s}": Outcome.WRITTEN for n in names for s in (".sql", ".yml")}
    (model,) = yaml.safe_load((mine / "models" / "shop__odd.yml").read_text(encoding="utf-8"))["models"]
    columns = {column["name"]: column for column in model["columns"]}
    assert len(columns) == len(HOSTILE) + 3
    assert columns["id"] == {
        "name": "id",
        "quote": True,
        "data_type": "string",
        "description": "Upstream: `char(1)`, not null.",
        "data_tests": ["not_null"],
    }
    assert columns["list"]["data_type"] == "array<string>"
    assert columns["__lossy"]["description"].startswith("Columns whose value is not known")

    build.build(mine, work, {})
    files = work / "dbt" / "target"
    ran = json.loads((files / "run_results.json").read_text(encoding="utf-8"))["results"]
    # three models and the package's; keys are not null, and unique; histories have neither overlaps nor gaps
    assert [result["status"] for result in ran].count("success") == 4
    assert [result["status"] for result in ran].count("pass") == len(HOSTILE) + 1 + 1 + 2
    manifest = json.loads((files / "manifest.json").read_text(encoding="utf-8"))
    odd = manifest["nodes"]["model.mine.shop__odd"]
    assert odd["contract"]["enforced"]
    assert sorted(odd["depends_on"]["nodes"]) == ["model.ticdc.ticdc__tables", "source.mine.f__shop.odd"]
    assert odd["columns"]["null"]["description"] == "Upstream: `enum('{{ 1 }}')`, not null."
    assert spark.table("shop__odd").collect() == spark.table("shop.odd").collect()
    # a table that was dropped upstream since does not break the build
    assert (spark.table("shop__gone").columns, spark.table("shop__gone").count()) == (["id", "_commit_ts", "_lossy"], 0)

    assert set(codegen.write(ask, "f", mine / "models", history=True).values()) == {Outcome.UNCHANGED}
    with pytest.raises(TicdcError, match="--feed: g has no typed tables; feeds that have: f"):
        codegen.write(ask, "g", tmp_path)


def test_dbt_prints_the_models_that_the_command_writes(spark: SparkSession, home: Path, typed: None) -> None:
    printed: list[str] = []

    def listen(event: Any) -> None:
        printed.extend([event.data.msg] if event.info.name == "PrintEvent" else [])

    operation = ["run-operation", "ticdc_codegen", "--args", json.dumps({"feed": "f"})]
    variables = {"ticdc__feeds": [FEED]}
    done = build._dbt(package_path(), warehouse.work_folder(home), "operations", operation, variables, listen)
    assert done.success
    written = codegen.models(target.of_session(spark), "f")
    heads = [(text.partition("\n")[0], text.partition("\n")[2]) for text in printed]
    assert [head for head, _ in heads] == [
        head for name in sorted(written) for head in (f"-- {name}.sql", f"# {name}.yml")
    ]
    for (_, sql), (_, yml), name in zip(heads[::2], heads[1::2], sorted(written), strict=True):
        assert sql == written[name][".sql"]
        assert yaml.safe_load(yml) == yaml.safe_load(written[name][".yml"])


def test_generated_files_follow_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, dict[str, str]] = {}
    monkeypatch.setattr(codegen, "models", lambda *_: made)

    def ask(query: str) -> list[tuple[str, ...]]:
        raise AssertionError(query)

    def write_models(feed: str = "f", **texts: str) -> dict[str, Outcome]:
        made.clear()
        made.update({name: {".sql": f"select {text}\n", ".yml": f"# {text}\n"} for name, text in texts.items()})
        return {path.name: outcome for path, outcome in codegen.write(ask, feed, tmp_path).items()}

    def both(name: str, outcome: Outcome) -> dict[str, Outcome]:
        return {f"{name}.sql": outcome, f"{name}.yml": outcome}

    def times() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}

    (tmp_path / "own.sql").write_text("select 'mine'")
    assert write_models(own="1") == both("own", Outcome.EDITED)
    assert (tmp_path / "own.sql").read_text() == "select 'mine'"
    assert write_models("other", theirs="1") == both("theirs", Outcome.WRITTEN)
    assert write_models("third", theirs="2") == both("theirs", Outcome.EDITED)

    assert write_models(a="1", b="1") == both("a", Outcome.WRITTEN) | both("b", Outcome.WRITTEN)
    before = times()
    assert set(write_models(a="1", b="1").values()) == {Outcome.UNCHANGED}
    assert times() == before
    assert write_models(a="1", b="2") == both("a", Outcome.UNCHANGED) | both("b", Outcome.WRITTEN)
    assert {name for name, time in times().items() if before[name] != time} == {"b.sql", "b.yml"}

    for name in ("a.yml", "b.sql"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes().replace(b"\n", b"\r\n"))
    with (tmp_path / "b.sql").open("a") as file:
        file.write("where true\n")
    before = times()
    assert write_models(a="1", b="3") == both("a", Outcome.UNCHANGED) | both("b", Outcome.EDITED)
    assert write_models(c="1") == {
        **both("a", Outcome.REMOVED),
        **both("b", Outcome.EDITED_AND_GONE),
        **both("c", Outcome.WRITTEN),
    }
    assert {name for name, time in times().items() if before.get(name) == time} == set(before) - {"a.sql", "a.yml"}
    (tmp_path / "b.sql").unlink()
    assert write_models(b="3", c="1") == both("b", Outcome.WRITTEN) | both("c", Outcome.UNCHANGED)
