"""The package's dbt unit tests and shipped generic tests, on Spark, and its yml beside the columns that models have."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.configuration import PROBLEMS, WRONG
from support.corpus import SOAKED
from support.messages import COMMIT_TS, ddl_message, row_message, to_bytes
from support.parsed import PROFILES, parsed

pytestmark = pytest.mark.soak("dbt")
ROOT = Path(__file__).parents[3]
VARIABLES = {
    "ticdc__feeds": [{"name": "shop", "protocol": "canal_json", "topics": ["shop"]}],
    "ticdc__unit_tests": True,
}
SHIPPED = ("accounting_balanced", "history_intervals", "no_dead_letters", "unique_change")
MESSAGE = to_bytes(row_message({"id": "1"}, {"id": "int"})).decode()
OTHER = to_bytes(row_message({"id": "2"}, {"id": "int"}, commit_ts=2**18 * 9)).decode()
THIRD = to_bytes(row_message({"id": "3"}, {"id": "int"}, tidb={"commitTs": COMMIT_TS + 2**18})).decode()
DDL = to_bytes(
    ddl_message("create table other (id int)", "CREATE", table="other", _tidb={"commitTs": COMMIT_TS + 2**19})
).decode()
NOW_TS = "shiftleft(unix_millis(current_timestamp()), 18)"
# What the shipped tests must find fault with, by the view of the package that holds it.
TABLE = "'shop' as feed, 's' as schema_name, 't' as table_name, 1 as table_incarnation"
FAULTS = {
    "ticdc__accounting": "select true as balanced, 2000L as messages union all select false, 1000L",
    "ticdc__dead_letters": "select 'shop' as feed, 'bad_json' as error_code from range(3)",
    "ticdc__completeness": f"select 'fresh' as feed, {NOW_TS} as complete_through_ts union all select 'stale', 1L "
    "union all select 'none', null",
    # row keys say what is wrong with the row, or why nothing is
    "ticdc__changelog": f"""
        select {TABLE}, 1 as copy, if(commit_ts_exact, null, xxhash64(before)) as image_hash, *, null as after
        from values
            ('t', 5, true, 'twice', 'update', null, array()),
            ('t', 5, true, 'twice', 'update', '{{}}', array()),
            ('t', 7, false, 'in a millisecond', 'update', null, array()),
            ('t', 7, false, 'in a millisecond', 'update', '{{}}', array()),
            ('t', 9, true, 'other value', 'update', '{{"a":"x","b":null}}', array()),
            ('t', 9, true, 'null became empty', 'delete', '{{"a":"","b":""}}', array('*x:flag', 'a:flag')),
            ('t', 9, true, 'same', 'update', '{{"b":null,"a":"","c":"in no other"}}', array()),
            ('t', 9, true, 'flagged', 'update', '{{"a":"x"}}', array('a:flag')),
            ('t', 9, true, 'flagged as a whole', 'update', '{{"a":"x"}}', array('*:flag')),
            ('altered', 9, true, 'ddl between', 'update', '{{"a":"x"}}', array()),
            ('altered', 7, true, 'ddl of its own commit', 'update', '{{"a":"x"}}', array()),
            ('t', 9, true, 'gone', 'delete', null, array()),
            ('t', 9, true, 'was never there', 'delete', null, array()),
            ('t', 8, true, 'left before', 'delete', null, array()),
            ('t', 8, true, 'one of equal rows', 'delete', null, array('*:no_key')),
            ('t', 9, false, 'came and went', 'insert', null, array()),
            ('t', 9, false, 'came and went', 'delete', null, array())
            as changes (table_id, commit_ts, commit_ts_exact, row_key, op, before, lossy)
    """,
    "ticdc__row_history": f"""
        select {TABLE}, *, '{{"a":"","b":null}}' as row, cast(array() as array<string>) as lossy
        from values
            ('t', 'overlap', 1, 5, 'update'), ('t', 'overlap', 4, null, null),
            ('t', 'two ends open', 1, null, null), ('t', 'two ends open', 3, null, null),
            ('t', 'gap', 1, 3, 'update'), ('t', 'gap', 4, null, null),
            ('t', 'no next', 1, 3, 'update'),
            ('t', 'empty', 3, 3, 'delete'),
            ('t', 'no reason', 1, 3, null),
            ('t', 'not ended', 1, null, 'delete'),
            ('t', 'deleted and back', 1, 3, 'delete'), ('t', 'deleted and back', 5, null, null),
            ('t', 'updated', 1, 3, 'update'), ('t', 'updated', 3, 4, 'truncate_table'),
            ('altered', 'updated', 1, 9, 'delete'),
            ('t', 'left before', 2, 9, 'delete'), ('t', 'gone', 2, 9, 'delete'), ('t', 'same', 2, 9, 'delete'),
            ('t', 'other value', 2, 9, 'delete'), ('t', 'null became empty', 2, 9, 'delete'),
            ('t', 'flagged', 2, 9, 'delete'), ('t', 'flagged as a whole', 2, 9, 'delete'),
            ('altered', 'ddl between', 2, 9, 'delete'), ('altered', 'ddl of its own commit', 2, 7, 'delete')
            as times (table_id, row_key, valid_from_ts, valid_to_ts, closed_by)
    """,
    "ticdc__columns": f"select {TABLE}, 'altered' as table_id, explode(array(1L, 7L, 9L)) as valid_from_ts",
}
CALLS = {
    "stale": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes=15)",
    "few": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=3)",
    "small_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=1, share=0.001)",
    "large_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=2, share=0.0009)",
    "intervals": "ticdc.test_history_intervals(ref('ticdc__row_history'))",
    "orphans": "ticdc.test_no_orphan_deletes(ref('ticdc__changelog'))",
    "chain": "ticdc.test_before_image_chain(ref('ticdc__changelog'))",
    "bad_minutes": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes='soon')",
    "bad_at_most": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=-1)",
    "bad_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), share=5)",
    "bad_key": "ticdc.test_history_intervals(ref('ticdc__row_history'), key='id')",
}
# A table whose columns a DDL at 2 ms changed, and one row of it; the feed is complete through 4 ms.
MS = 2**18
CHANGE = (
    f"select {TABLE}, 't' as table_id, true as commit_ts_exact, 1 as apply_rank, '{{}}' as row_key, 0 as `partition`, "
    "0 as `offset`, 0 as event_index, 't' as topic, 1 as run_id, cast(array() as array<string>) as lossy"
)


def _batch(table: str) -> str:
    """SQL of the newest batch of a table that readers see."""
    return f"(select batches['{table}'][0] as batch_id from ticdc_lint.int_ticdc__publication) as batch_id"


AS_OF_TABLES = (
    "drop table ticdc_lint.int_ticdc__catalogue",
    f"""
        create view ticdc_lint.int_ticdc__catalogue as
        select {TABLE}, 'version' as record, 't' as table_id, 's' as schema_key, 't' as table_key,
            {_batch("int_ticdc__catalogue")}, *
        from values
            (0, {2 * MS}, '[{{"name":"id","type":"int(10) unsigned"}},{{"name":"n","type":"varchar(9)"}}]'),
            ({2 * MS}, null, '[{{"name":"n","type":"decimal(9,2)"}},{{"name":"_Lossy","type":"decimal"}}]')
            as versions (valid_from_ts, valid_to_ts, table_schema)
    """,
    f"""
        insert into ticdc_lint.int_ticdc__changes by name {CHANGE}, {_batch("int_ticdc__changes")}, *
        from values
            ({MS}L, 'insert', '{{"id":"4294967295","n":"7"}}'),
            ({3 * MS}L, 'update', '{{"n":"8","_Lossy":"1"}}')
            as changes (commit_ts, op, after)
    """,
    f"insert into ticdc_lint.int_ticdc__carried_rows by name {CHANGE}, {MS}L as row_commit_ts, 'new_columns' as cause, "
    f"{_batch('int_ticdc__carried_rows')}, "
    f"""{2 * MS}L as commit_ts, 'update' as op, '{{"n":"7.00","_Lossy":null}}' as after""",
    f"create or replace view ticdc_lint.int_ticdc__feed_bounds as "
    f"select 'shop' as feed, {MS}L as first_commit_ts, {4 * MS}L as complete_through_ts",
)
AS_OF_CALLS = {
    "before the DDL": f"tso={2 * MS - 1}",
    "at the DDL": "timestamp='1970-01-01 08:00:00.002 Asia/Shanghai'",
    "later": f"tso={4 * MS}, feed='shop'",
    "too late": f"tso={4 * MS + 1}",
    "too early": f"tso={MS - 1}",
    "no such feed": f"tso={MS}, feed='other'",
    "no moment": "",
}


# Models that store rows or make typed tables, each of which is run alone.
SOME_STORED = ("int_ticdc__changes", "int_ticdc__latest")
ALL_STORED = (
    "stg_ticdc__canal_json",
    "int_ticdc__exported_rows",
    "int_ticdc__claim_checks",
    "int_ticdc__staged_runs",
    "int_ticdc__catalogue",
    "int_ticdc__resolved_rows",
    "int_ticdc__carried_rows",
    "int_ticdc__table_states",
    "int_ticdc__typed_storages",
    "int_ticdc__typed_plans",
    "int_ticdc__typed_views",
    "int_ticdc__typed_histories",
    "int_ticdc__typed_functions",
    "int_ticdc__typed_tables",
    *SOME_STORED,
)
# Of models that are no relations themselves.
NO_RELATIONS = ("ticdc_typed_storages", "ticdc_typed_relations")
# Of the lease of a run.
HELD = "ticdc__lease_7"
# States of a run: what Spark hides, more than a metastore takes at once, and less again.
STATES = ("hourly tokens", "feed" * 9000, "表")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    folder = tmp_path_factory.mktemp("dbt_tests")
    return json.loads(outcome_in(folder))  # type: ignore[no-any-return]


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
        "history_intervals_ticdc__row_history_": ["warn", 7],
        "no_dead_letters_ticdc__dead_letters_": ["warn", 3],
        "unique_change_ticdc__changelog_": ["fail", 1],
    }


def test_arguments_of_generic_tests(outcome: Mapping[str, Any]) -> None:
    calls = outcome["calls"]
    assert sorted(row["feed"] for row in calls["stale"]) == ["none", "stale"]
    assert calls["few"] == calls["small_share"] == []
    assert [row["messages"] for row in calls["large_share"]] == ["3"]
    assert {row["row_key"]: row["fault"] for row in calls["intervals"]} == {
        "overlap": "overlap",
        "two ends open": "overlap",
        "gap": "gap",
        "no next": "gap",
        "empty": "no time",
        "no reason": "an end without a reason, or a reason without an end",
        "not ended": "an end without a reason, or a reason without an end",
    }
    assert sorted(row["row_key"] for row in calls["orphans"]) == ["left before", "was never there"]
    assert {row["row_key"]: json.loads(row["differing_columns"]) for row in calls["chain"]} == {
        "other value": ["a"],
        "null became empty": ["b"],
        "ddl of its own commit": ["a"],
    }
    assert "at_most of the test no_dead_letters must be one of 0, 1, 2, … Got: -1" in calls["bad_at_most"]
    assert "share of the test no_dead_letters must be a number from 0 to 1, such as 0.001. Got: 5" in calls["bad_share"]
    assert 'must be a list of columns, such as [row_key]. Got: "id"' in calls["bad_key"]
    assert "minutes of the test complete_within must be" in calls["bad_minutes"]
    assert 'Got: "soon"' in calls["bad_minutes"]


def test_a_table_as_of_a_moment(outcome: Mapping[str, Any]) -> None:
    found = outcome["as_of"]
    assert found["before the DDL"] == [{"id": "4294967295", "n": "7", "_commit_ts": str(MS), "_lossy": "[]"}]
    assert found["at the DDL"] == [{"n": "7.00", "_Lossy": "None", "_commit_ts": str(MS), "__lossy": "[]"}]
    assert found["later"] == [{"n": "8.00", "_Lossy": "1", "_commit_ts": str(3 * MS), "__lossy": "[]"}]
    assert f"feed shop is complete through commit {4 * MS}, got {4 * MS + 1}" in found["too late"]
    assert f"feed shop begins at commit {MS}, got {MS - 1}" in found["too early"]
    assert f"no feeds have the table s.t at commit {MS}" in found["no such feed"]
    assert "takes either a tso or a timestamp" in found["no moment"]


def test_before_the_first_build_the_package_is_documented(outcome: Mapping[str, Any]) -> None:
    """Queries that models ask while they are compiled find no tables."""
    assert outcome["documented"]


def test_a_wrong_configuration_is_one_error_before_anything_is_made(outcome: Mapping[str, Any]) -> None:
    told = outcome["misconfigured"]
    assert (told["success"], told["made"]) == (False, 0)
    (error,) = re.findall(r"ticdc: the configuration has (\d+) problem\(s\):\n((?: *- .*\n)+)", told["said"])[:1]
    *problems, seeds = (line.strip()[2:] for line in error[1].splitlines())
    assert problems == list(PROBLEMS)
    assert seeds.startswith("the models read seeds that are not there: ")
    assert error[0] == str(len(PROBLEMS) + 1)


def test_a_run_without_seeds_says_what_to_run_first(outcome: Mapping[str, Any]) -> None:
    assert not outcome["unseeded"]["success"]
    assert "the models read seeds that are not there: " in outcome["unseeded"]["said"]
    assert "Run dbt seed once, or dbt build" in outcome["unseeded"]["said"]


def test_a_run_without_rows_forgets_nothing(outcome: Mapping[str, Any]) -> None:
    """`dbt run --empty` limits what models read to no rows."""
    assert outcome["rows_after"] == {"run": ['{"id":"1"}'], "run --empty": ['{"id":"1"}']}


def test_a_full_refresh_after_the_source_was_trimmed_loses_nothing(outcome: Mapping[str, Any]) -> None:
    assert outcome["refreshed"] == ['{"id":"1"}']
    before, after = outcome["first_runs"]
    assert len(before) == 1
    assert after == before


def test_messages_that_the_source_no_longer_has_are_not_decoded_again(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]["redecode"]
    assert "ticdc: ticdc__redecode would lose messages that are decoded" in refused
    assert (
        "feed shop, topic shop, partition 0: 1 message(s), offsets 0 to 0, which the source no longer holds" in refused
    )
    assert "only --full-refresh builds again what follows" in outcome["refused"]["redecode without refresh"]


def test_a_full_refresh_of_one_model_is_refused(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]["one model"]
    assert "--full-refresh makes all tables of the package anew or none" in refused
    assert "int_ticdc__changes" in refused
    assert "int_ticdc__latest," not in refused


def test_a_full_refresh_that_fails_is_as_if_it_had_not_been(outcome: Mapping[str, Any]) -> None:
    """Readers see what they saw, `dbt retry` goes on with it, and a run without it begins from what is published."""
    failed, built, again, retried = outcome["failed_refresh"]
    assert failed == built == again == retried == ['{"id":"1"}']


def test_a_retry_after_a_failing_node_loses_and_doubles_nothing(outcome: Mapping[str, Any]) -> None:
    assert outcome["retried"] == {"failed": 1, "retried": 2, "next run": 2}


@pytest.mark.soak("dbt", "builds")
def test_a_run_of_one_model_harms_nothing(outcome: Mapping[str, Any]) -> None:
    assert outcome["single"] == [[2, 2, 2]] * len(outcome["single"])


def test_the_views_of_the_state_are_asked_for(outcome: Mapping[str, Any]) -> None:
    assert "ticdc: the view int_ticdc__publication is gone" in outcome["refused"]["no publication"]


def test_a_second_run_is_told_who_builds_the_tables(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]["held lease"]
    assert (
        "ticdc: another run builds these tables: a run with a token, since today; its lease ends in 10 minute(s)"
        in refused
    )
    assert outcome["leases"] == {"held": [HELD], "over": [], "released": []}


def test_a_run_does_not_replace_what_another_one_published_meanwhile(outcome: Mapping[str, Any]) -> None:
    overtaken = outcome["overtaken"]
    assert "ticdc: another run published while this one built: it began from publication" in overtaken["said"]
    assert overtaken["rows"] == {"before": 2, "refused": 2, "next run": 3}


def test_a_table_of_an_older_version_is_told_with_a_remedy(outcome: Mapping[str, Any]) -> None:
    """Spark alone said that a column cannot be resolved."""
    refused = outcome["refused"]["older columns"]
    assert "int_ticdc__staged_runs was made by another version of the package: it has no column is_waiting" in refused
    assert "some_are_whole. Build all models of the package once with --full-refresh" in refused


def test_one_mart_is_built_upon_the_publication_of_an_older_version(outcome: Mapping[str, Any]) -> None:
    """Spark said that a column of the publication cannot be resolved, until a whole run published anew."""
    assert outcome["of_older_version"] == outcome["overtaken"]["rows"]["next run"]


def test_rows_of_known_tables_leave_the_catalogue_as_it_is(outcome: Mapping[str, Any]) -> None:
    written = outcome["overtaken"]["written"]
    assert {"int_ticdc__changes", "int_ticdc__seen_tables"} <= set(written)
    assert "int_ticdc__catalogue" not in written


def test_a_copy_of_a_ddl_leaves_the_catalogue_as_it_is(outcome: Mapping[str, Any]) -> None:
    """A DDL comes in all partitions, and the run of one may be over when the next comes."""
    copied = outcome["copied"]
    assert {"int_ticdc__seen_tables", "int_ticdc__catalogue"} <= set(copied["first"])
    assert "int_ticdc__seen_tables" in copied["copy"]
    assert "int_ticdc__catalogue" not in copied["copy"]


def test_any_state_of_a_run_is_kept(outcome: Mapping[str, Any]) -> None:
    assert outcome["states"] == [[{"found": state}] for state in STATES]


def test_an_increment_reads_the_staging_three_times(outcome: Mapping[str, Any]) -> None:
    """For the changes themselves, their repeats, and those that are known."""
    assert outcome["reads"] == 3


def test_yml_names_the_columns_of_each_model(outcome: Mapping[str, Any]) -> None:
    assert outcome["columns"]
    for model, columns in outcome["columns"].items():
        assert columns["yml"] == columns["relation"], model


def outcome_in(folder: Path) -> str:
    """What dbt says of the package on a table without messages, as JSON."""
    from dbt.cli.main import dbtRunner

    places = ["--project-dir", ROOT, "--profiles-dir", PROFILES]
    places += ["--target-path", folder / "target", "--log-path", folder / "logs"]
    flags = ["--no-send-anonymous-usage-stats", "--no-version-check"]
    manifest: Any = parsed(folder, VARIABLES)

    said: list[str] = []
    watching: list[Callable[[Any], None]] = []

    def hear(event: Any) -> None:
        said.append(event.info.msg)
        for watch in list(watching):
            watch(event)

    def dbt(*arguments: str, **variables: Any) -> Any:
        said.clear()
        runner = dbtRunner(manifest=manifest, callbacks=[hear])  # type: ignore[attr-defined]
        return runner.invoke([*arguments, *map(str, places), *flags, "--vars", json.dumps({**VARIABLES, **variables})])

    def call(macro: str) -> Any:
        """The rows of a query that a macro gives, or what dbt says of its error."""
        manifest.nodes.pop("sql_operation.ticdc.inline_query", None)  # dbt keeps one that failed
        done = dbt("show", "--quiet", "--limit", "-1", "--inline", "{{ " + macro + " }}")
        if not done.success:
            return "\n".join(said)
        table = done.result.results[0].agate_table
        return [dict(zip(table.column_names, map(str, row), strict=True)) for row in table.rows]

    session.close()
    spark = session.opened(folder / "warehouse")
    spark.sql("create database ticdc_raw")
    spark.sql(
        "create table ticdc_raw.messages (topic string, partition int, offset bigint, timestamp timestamp, "
        "key binary, value binary) using parquet"
    )
    documented = dbt("docs", "generate").success
    misconfigured = {"success": dbt("run", **WRONG).success, "said": "\n".join(said)}
    misconfigured["made"] = spark.sql("show tables in ticdc_lint").count()
    unseeded = {"success": dbt("run").success, "said": "\n".join(said)}
    if not dbt("build", "--resource-type", "seed", "--resource-type", "model").success:
        raise AssertionError("the package cannot be built on an empty table of messages\n" + "\n".join(said))
    models = [
        node
        for node in manifest.nodes.values()
        if node.resource_type == "model" and node.config.materialized not in NO_RELATIONS
    ]
    increment = dbt("compile", "--select", "int_ticdc__changes").result.results[0].node.compiled_code
    plan = spark.sql(increment)._jdf.queryExecution().optimizedPlan().toString()  # type: ignore[attr-defined]
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
    spark.sql(f"insert into ticdc_raw.messages values ('shop', 0, 0, now(), null, cast('{MESSAGE}' as binary))")

    def current() -> list[str]:
        return [row[0] for row in spark.sql("select row from ticdc_lint.ticdc__current_rows").collect()]

    rows_after = {}
    for command in (("run",), ("run", "--empty")):
        assert dbt(*command).success, "\n".join(said)
        rows_after[" ".join(command)] = current()
    first_runs = [[row[0] for row in spark.sql("select run_id from ticdc__changelog").collect()]]
    spark.sql("truncate table ticdc_raw.messages")
    assert dbt("run", "--full-refresh").success, "\n".join(said)
    refreshed = current()
    first_runs.append([row[0] for row in spark.sql("select run_id from ticdc__changelog").collect()])
    refused = {}
    for name, redecode, arguments in (
        ("redecode", True, ("run", "--full-refresh")),
        ("redecode without refresh", True, ("run",)),
        ("one model", False, ("run", "--full-refresh", "--select", "int_ticdc__latest")),
    ):
        assert not dbt(*arguments, ticdc__redecode=redecode).success
        refused[name] = "\n".join(said)

    def messages() -> int:
        return int(spark.sql("select sum(messages) from ticdc_lint.ticdc__accounting").collect()[0][0])

    def failing(*command: str) -> list[str]:
        """The current rows after a run that fails halfway: another one's table stands in the place of a view."""
        spark.sql("drop view ticdc_lint.int_ticdc__waiting_rows")
        spark.sql("create table ticdc_lint.int_ticdc__waiting_rows (id int) using parquet")
        assert not dbt(*command).success
        spark.sql("drop table ticdc_lint.int_ticdc__waiting_rows")
        return current()

    def passing(command: str) -> list[str]:
        assert dbt(command).success, "\n".join(said)
        return current()

    refresh = ("run", "--full-refresh")
    failed_refresh = [failing(*refresh), passing("run"), failing(*refresh), passing("retry")]

    spark.sql(f"insert into ticdc_raw.messages values ('shop', 0, 1, now(), null, cast('{OTHER}' as binary))")
    retried = {"failed": len(failing("run")), "retried": len(passing("retry")), "next run": len(passing("run"))}
    assert messages() == 2

    single = []
    for model in ALL_STORED if "builds" in SOAKED else SOME_STORED:
        assert dbt("run", "--select", model).success, "\n".join(said)
        assert dbt("run", "--select", f"{model}+").success, "\n".join(said)
        changes = int(spark.sql("select count(*) from ticdc_lint.ticdc__changelog").collect()[0][0])
        single.append([len(current()), messages(), changes])

    one_view = ("run", "--select", "ticdc__changelog")

    def held_leases() -> list[str]:
        return [row.tableName for row in spark.sql("show tables in ticdc_lint like 'ticdc__lease*'").collect()]

    def lease(minutes: float) -> str:
        told = {"number": 7, "who": "a run with a token", "since": "today", "until": time.time() + 60 * minutes}
        return f"tblproperties ('ticdc.lease' = '{json.dumps(told).encode().hex()}')"

    spark.sql(f"create table ticdc_lint.{HELD} (run_id bigint) using parquet {lease(9.9)}")
    assert not dbt(*one_view).success
    refused["held lease"] = "\n".join(said)
    leases = {"held": held_leases()}
    spark.sql(f"alter table ticdc_lint.{HELD} set {lease(-1)}")
    assert dbt(*one_view).success, "\n".join(said)
    leases["over"] = held_leases()
    spark.sql(f"create table ticdc_lint.{HELD} (run_id bigint) using parquet {lease(9.9)}")
    assert dbt("run-operation", "ticdc.release_lease").success, "\n".join(said)
    leases["released"] = held_leases()

    def published_text() -> str:
        described = spark.sql("describe extended ticdc_lint.int_ticdc__publication").collect()
        return str(next(row.data_type for row in described if row.col_name == "View Text"))

    def publish_meanwhile(event: Any) -> None:
        """As another run would: the publication gets the next number while a node before it is built."""
        if event.info.name == "LogModelResult" and "int_ticdc__latest" in event.info.msg:
            text = published_text()
            number = int(re.search(r'"number": (\d+)', text)[1])  # type: ignore[index]
            other = text.replace(f'"number": {number}', f'"number": {number + 1}')
            spark.sql(f"alter view ticdc_lint.int_ticdc__publication as {other}")
            watching.clear()

    overtaken: dict[str, Any] = {"rows": {"before": len(current())}}
    spark.sql(f"insert into ticdc_raw.messages values ('shop', 0, 2, now(), null, cast('{THIRD}' as binary))")
    watching.append(publish_meanwhile)
    assert not dbt("run").success
    overtaken["said"] = "\n".join(said)
    overtaken["rows"]["refused"] = len(current())
    overtaken["rows"]["next run"] = len(passing("run"))
    assert messages() == 3
    newest_run = "select written_tables from ticdc_lint.ticdc__runs order by run_id desc limit 1"
    overtaken["written"] = list(spark.sql(newest_run).collect()[0][0])

    copied = {}
    for name, partition in (("first", 0), ("copy", 1)):
        spark.sql(
            f"insert into ticdc_raw.messages values ('shop', {partition}, 9, now(), null, cast('{DDL}' as binary))"
        )
        assert dbt("run").success, "\n".join(said)
        copied[name] = list(spark.sql(newest_run).collect()[0][0])

    runs = "ticdc_lint.int_ticdc__staged_runs"
    kept = f"create table {{}} using parquet partitioned by (batch_id, feed) as select {{}} from {runs}"
    spark.sql(kept.format("ticdc_lint.whole", "*"))
    spark.sql(kept.format("ticdc_lint.older", "* except (is_waiting, some_are_whole)"))
    for table in ("older", "whole"):
        spark.sql(f"drop table {runs}")
        spark.sql(f"alter table ticdc_lint.{table} rename to {runs}")
        spark.sql(f"alter table {runs} set tblproperties ('ticdc.package' = 'ticdc')")
        if table == "older":
            assert not dbt("run", "--select", "int_ticdc__staged_runs").success
            refused["older columns"] = "\n".join(said)

    older_publication = f"select * except (later_batches) from ({published_text()})"
    spark.sql(f"alter view ticdc_lint.int_ticdc__publication as {older_publication}")
    assert dbt("run", "--select", "ticdc__current_rows").success, "\n".join(said)
    of_older_version = len(current())

    for view, fault in FAULTS.items():
        spark.sql(f"create or replace view ticdc_lint.{view} as {fault}")
    faulty = dbt("test", "--select", *(f"test_name:{name}" for name in SHIPPED)).result
    faults = {
        result.node.name: [result.status, result.failures] for result in faulty if result.node.resource_type == "test"
    }
    calls = {name: call(macro) for name, macro in CALLS.items()}
    for statement in AS_OF_TABLES:
        spark.sql(statement)
    as_of = {name: call(f"ticdc.as_of('s', 't', {moment})") for name, moment in AS_OF_CALLS.items()}
    spark.sql("create table ticdc_lint.inline_query (id int) using parquet")  # the `this` of what dbt shows
    states = [
        call(
            f"[ticdc.settle(this, {{'of': '{state}'}}), ticdc.memory().pop('state'), "
            "'select \"' ~ ticdc.settled(this).of ~ '\" as found'] | last"
        )
        for state in STATES
    ]
    spark.sql("drop view ticdc_lint.int_ticdc__publication")
    assert not dbt("run").success
    refused["no publication"] = "\n".join(said)
    outcome = {
        "failed_refresh": failed_refresh,
        "overtaken": overtaken,
        "copied": copied,
        "retried": retried,
        "single": single,
        "documented": documented,
        "misconfigured": misconfigured,
        "unseeded": unseeded,
        "rows_after": rows_after,
        "of_older_version": of_older_version,
        "refreshed": refreshed,
        "first_runs": first_runs,
        "refused": refused,
        "leases": leases,
        "states": states,
        "reads": plan.count("stg_ticdc__canal_json"),
        "columns": columns,
        "tests": tests,
        "faults": faults,
        "calls": calls,
        "as_of": as_of,
    }
    session.close()
    return json.dumps(outcome, default=str)
