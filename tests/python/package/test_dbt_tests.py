"""The package's dbt unit tests and shipped generic tests, on Spark, and its yml beside the columns that models have."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.configuration import PROBLEMS, WRONG
from support.corpus import SOAKED
from support.faults import AS_OF_CALLS, AS_OF_TABLES, CALLS, FAULTS, MS, SHIPPED
from support.interface import freshness_of_messages
from support.messages import COMMIT_TS, ddl_message, row_message, to_bytes
from support.package import Package

from ticdc_udfs.typed.sql import unready_rows

pytestmark = pytest.mark.soak("dbt")
SHOP = {"name": "shop", "protocol": "canal_json", "topics": ["shop"]}
VARIABLES: Mapping[str, Any] = {"ticdc__feeds": [SHOP]}


def change(id: int, n: int, commit_ts: int, old: int | None = None, **added: str) -> str:
    """An insert, or an update of `n`."""
    row = {"id": str(id), "n": str(n), **added}
    more: dict[str, Any] = {} if old is None else {"type": "UPDATE", "old": [{**row, "n": str(old)}]}
    return to_bytes(row_message(row, dict.fromkeys(row, "int"), tidb={"commitTs": commit_ts}, **more)).decode()


def ddl(sql: str, type: str, table: str, commit_ts: int) -> str:
    """A DDL."""
    return to_bytes(ddl_message(sql, type, table=table, _tidb={"commitTs": commit_ts})).decode()


CHANGES = (
    change(1, 1, COMMIT_TS),
    change(1, 2, COMMIT_TS + MS, old=1),
    change(1, 3, COMMIT_TS + 2 * MS, old=2),
)
OTHER = change(2, 0, COMMIT_TS)
# Runs of one model take these, and a row after the other from this id on.
ADDED_COLUMN = ddl("alter table t add column c int", "ALTER", "t", COMMIT_TS + 3 * MS)
ALONE = 100
MESSAGES = len((*CHANGES, OTHER, ADDED_COLUMN))
THIRD = change(3, 0, COMMIT_TS + 2000 * MS, c="0")
OTHERS_TS = COMMIT_TS + 3000 * MS
OTHER_TABLE = ddl("create table other (id int primary key)", "CREATE", "other", OTHERS_TS)
LOAD = {"feed": "shop", "schema": "shop", "table": "loaded", "relation": "exports.loaded", "commit_ts": COMMIT_TS}
# What readers see, but for when a row was written.
SEEN = {
    "current": "select table_name, row, lossy from ticdc__current_rows order by table_name, row",
    "changelog": "select * except (image_hash) from ticdc__changelog order by table_name, commit_ts, row_key",
    "history": "select * from ticdc__row_history order by table_name, valid_from_ts, row_key",
    "typed": "select * from shop.t order by id",
    "typed_history": "select * from shop.t_history order by id, _valid_from_ts",
    "messages": "select sum(messages) as messages from ticdc__accounting",
}
# Of rows of the table `t`: where readers see which.
IN_SIGHT = """
    select 'current' as place, row_key from ticdc__current_rows where table_name = 't'
    union all select 'changelog', row_key from ticdc__changelog where table_name = 't' and op = 'insert'
    union all select 'history', row_key from ticdc__row_history where table_name = 't' and valid_to_ts is null
    union all select 'typed', to_json(named_struct('id', cast(id as string))) from shop.t
    union all select 'messages', cast(sum(messages) as string) from ticdc__accounting
"""
# Models that are run alone in the part `dbt` of the long tests; `builds` takes all.
SOME_MODELS = ("int_ticdc__latest", "ticdc__current_rows")
REFRESH = ("run", "--full-refresh")
# A feed whose models no other feed here has.
REGISTERED = {
    "name": "registered",
    "protocol": "avro",
    "topics": ["registered"],
    "options": {"schemas": "exports.schemas"},
}
# Materializations of what bears no rows of its own: one of these models may be made anew alone.
UNSTORED = ("ticdc_view", "ticdc_table_function", "ticdc_state", "ticdc_log")
# What views of typed tables read.
BASE = "ticdc_lint.int_ticdc__newest_rows"
# Of the lease of a run.
HELD = "ticdc__lease_7"
# States of a run: what Spark hides, more than a metastore takes at once, and less again.
STATES = ("hourly tokens", "feed" * 9000, "表")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    folder = tmp_path_factory.mktemp("dbt_tests")
    return json.loads(outcome_in(folder))  # type: ignore[no-any-return]


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


def test_a_row_of_which_no_version_is_left_replaces_those_of_a_left_incarnation(outcome: Mapping[str, Any]) -> None:
    assert sorted(row["row_key"] for row in outcome["calls"]["left_behind"]) == ["gone", "kept", "next"]


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
    rows = ['{"id":"1","n":"3"}']
    assert outcome["rows_after"] == {"run": rows, "run --empty": rows}


def test_a_full_refresh_after_the_source_was_trimmed_loses_nothing(outcome: Mapping[str, Any]) -> None:
    """Of changes of a row, and of an export that is gone, as its entry is."""
    before, after = outcome["refreshed"]["before"], outcome["refreshed"]["after"]
    assert [(row["op"], row["after"]) for row in before["changelog"] if row["table_name"] == "t"] == [
        ("insert", '{"id":"1","n":"1"}'),
        ("update", '{"id":"1","n":"2"}'),
        ("update", '{"id":"1","n":"3"}'),
    ]
    assert [row["row"] for row in before["history"] if row["table_name"] == "t"] == [
        f'{{"id":"1","n":"{n}"}}' for n in (1, 2, 3)
    ]
    assert [(row["id"], row["n"]) for row in before["typed"]] == [(1, 3)]
    assert [(row["id"], row["n"]) for row in before["typed_history"]] == [(1, 1), (1, 2), (1, 3)]
    assert [row["row"] for row in before["current"] if row["table_name"] == "loaded"] == ['{"id":"7","name":"seven"}']
    assert after == before


def test_messages_that_the_source_no_longer_has_are_not_decoded_again(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]["redecode"]
    assert "ticdc: ticdc__redecode would lose messages that are decoded" in refused
    assert (
        "feed shop, topic shop, partition 0: 3 message(s), offsets 0 to 2, which the source no longer holds" in refused
    )
    assert "only --full-refresh rebuilds what follows" in outcome["refused"]["redecode without refresh"]


def test_a_session_that_reads_backslashes_as_themselves_is_refused(outcome: Mapping[str, Any]) -> None:
    told = "spark.sql.parser.escapedStringLiterals: got true, allowed: false; with others"
    assert told in outcome["refused"]["escapes"]


def test_a_feed_of_another_protocol_is_not_staged_a_second_time(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]
    assert (
        "ticdc: feed shop in ticdc__feeds has the protocol simple, and its messages are decoded as canal_json"
        in (refused["other protocol"])
    )
    assert "feed shop, topic shop, partition 0: 3 message(s)" in refused["redecode in other protocol"]


def test_messages_that_a_full_refresh_left_out_are_not_forgotten(outcome: Mapping[str, Any]) -> None:
    """While the last feed of a protocol was not configured; the refusal releases its lease. They are known anew."""
    for refused in (outcome["refused"]["left out"], outcome["refused"]["left out, lease"]):
        assert "ticdc: feed shop is in ticdc__feeds again, and all tables were rebuilt without" in refused
    before, after = (
        {**seen, "changelog": [{**row, "run_id": None, "known_from": None} for row in seen["changelog"]]}
        for seen in (outcome["refreshed"][when] for when in ("before", "brought back"))
    )
    assert after == before


@pytest.mark.soak("dbt", "models")
def test_messages_that_were_put_back_are_decoded_again(outcome: Mapping[str, Any]) -> None:
    assert outcome["redecoded"]["after"] == outcome["redecoded"]["before"]
    (decoded,) = (run["messages"] for run in outcome["logged"] if run["kind"] == "redecode")
    assert decoded == MESSAGES + outcome["single"]["sent"]


@pytest.mark.soak("dbt", "models")
def test_a_full_refresh_of_one_model_is_refused(outcome: Mapping[str, Any]) -> None:
    """Where it stores rows; others are made anew alone."""
    stored, refused = outcome["single"]["stored"], outcome["single"]["refused"]
    assert "int_ticdc__latest" in refused
    for model, said in refused.items():
        assert "--full-refresh rebuilds all tables of the package or none" in said, model
        (left_out,) = {*re.findall(r"left out: (.*?)\. Select", said)}
        assert left_out.split(", ") == sorted({*stored} - {model})


def test_a_full_refresh_that_fails_is_as_if_it_had_not_been(outcome: Mapping[str, Any]) -> None:
    """Readers see what they saw, `dbt retry` goes on with it, and a run without it begins from what is published."""
    failed, built, again, retried = outcome["failed_refresh"]
    assert failed == built == again == retried == ['{"id":"1","n":"3"}']


def test_a_retry_after_a_failing_node_loses_and_doubles_nothing(outcome: Mapping[str, Any]) -> None:
    known, other = '{"id":"1","n":"3"}', '{"id":"2","n":"0"}'
    rows = {"failed": [known], "retried": [known, other], "next run": [known, other]}
    assert outcome["retried"] == {**rows, "messages": [4]}


@pytest.mark.soak("dbt", "models")
def test_a_run_of_one_model_harms_nothing(outcome: Mapping[str, Any]) -> None:
    """Readers see what they saw and what came since, each row once, the same everywhere."""
    steps = outcome["single"]["steps"]
    assert steps
    known: dict[str, set[str]] = {}
    for step in steps:
        run, sent, messages = step["run"], step["sent"], step["seen"].pop("messages")
        assert messages == [str(MESSAGES + sent)], run
        for place, keys in step["seen"].items():
            assert known.get(place, {'{"id":"1"}', '{"id":"2"}'}) <= set(keys), (run, place)
            assert len(set(keys)) == len(keys) <= 2 + sent, (run, place)
            known[place] = set(keys)
        assert len({*map(tuple, step["seen"].values())}) == 1, run


@pytest.mark.soak("dbt", "models")
def test_after_runs_of_one_model_the_next_run_has_all(outcome: Mapping[str, Any]) -> None:
    typed = outcome["redecoded"]["before"]["typed"]
    assert list(typed[0])[:3] == ["id", "n", "c"]
    assert [row["id"] for row in typed] == [1, 2, *range(ALONE + 1, ALONE + outcome["single"]["sent"] + 1)]


@pytest.mark.soak("dbt", "models")
def test_runs_are_logged(outcome: Mapping[str, Any]) -> None:
    """What each did, when, by whom, and what came of it."""
    first, *later = logged = outcome["logged"]
    assert list(first)[:8] == ["run_id", "kind", "started_at", "ended_at", "state", "who", "messages", "changes"]
    assert [first[name] for name in ("kind", "state", "messages", "changes")] == ["increment", "published", 3, 4]
    assert {run["kind"] for run in later} == {"increment", "full refresh", "redecode"}
    for run in logged:
        assert run["started_at"] < run["ended_at"]
        assert re.fullmatch(r"dbt run [0-9a-f-]{36} of .+, target lint", run["who"])
        assert (run["state"] == "failed") == bool(run["unfinished_models"])
        assert (run["state"] == "published") == (run["publication"] is not None)
    # of refreshes and increments, and of the one that was overtaken
    failed = {run["kind"]: run for run in logged if run["state"] == "failed"}
    assert "int_ticdc__waiting_rows" in failed["full refresh"]["unfinished_models"]
    assert failed["increment"]["unfinished_models"][0] == "int_ticdc__publication"
    assert "unpublished" in {run["state"] for run in later}


def test_the_views_of_the_state_are_asked_for(outcome: Mapping[str, Any]) -> None:
    assert "ticdc: the view int_ticdc__publication is gone" in outcome["refused"]["no publication"]


def test_a_second_run_is_told_who_builds_the_tables(outcome: Mapping[str, Any]) -> None:
    refused = outcome["refused"]["held lease"]
    assert (
        "ticdc: another run builds these tables: a run with a token, since today; its lease ends in 10 minute(s)"
        in refused
    )
    assert "It is over where its process is gone, or where target/run_results.json of its project has its id" in refused
    assert "dbt run-operation ticdc.release_lease ends its lease" in refused
    assert outcome["leases"] == {"held": [HELD], "over": [], "released": []}


def test_a_run_does_not_replace_what_another_one_published_meanwhile(outcome: Mapping[str, Any]) -> None:
    overtaken = outcome["overtaken"]
    assert "ticdc: another run published while this one built: it began from publication" in overtaken["said"]
    before, refused, after = (overtaken["rows"][name] for name in ("before", "refused", "next run"))
    assert refused == before
    assert after == sorted([*before, '{"id":"3","n":"0","c":"0"}'])


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


def test_a_message_that_came_twice_hides_none_that_comes_late(outcome: Mapping[str, Any]) -> None:
    assert outcome["offsets_of"]["stg_ticdc__canal_json"] == [1, 2, 2, 3, 4]


def test_a_message_that_the_source_holds_twice_is_one_change(outcome: Mapping[str, Any]) -> None:
    assert outcome["offsets_of"]["ticdc__changelog"] == [1, 2, 3, 4]


def test_the_freshness_of_messages(outcome: Mapping[str, Any]) -> None:
    """It is asked for where a project gives `freshness`, and begins no run."""
    assert outcome["freshness"] == {"without": [], "with": ["pass"], "took leases": False}


def test_views_that_are_not_ready_fail_until_a_run_makes_them(outcome: Mapping[str, Any]) -> None:
    """A run that is stopped while it makes typed tables for the first time leaves them so."""
    assert "ticdc: typed tables are made for the first time" in outcome["refused"]["unready"]
    assert outcome["redecoded"]["before"]["typed"]
    assert outcome["redecoded"]["before"]["typed_history"]


def current(package: Package) -> list[str]:
    """Rows of the table `t`, as readers see them."""
    return package.values("select row from ticdc__current_rows where table_name = 't' order by row")


def seen(package: Package) -> dict[str, Any]:
    """All that readers see, as `SEEN` has it."""
    return {name: package.rows(query) for name, query in SEEN.items()}


def with_raw_backslashes(package: Package) -> str:
    """What dbt says in a session that reads a backslash in a literal as itself."""
    package.spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        return package.refused("run")
    finally:
        package.spark.conf.unset("spark.sql.parser.escapedStringLiterals")


def alone(package: Package) -> dict[str, Any]:
    """What readers see after each run of one model while a message waits, and what full refreshes of one model say."""
    models = package.models()
    stored = [name for name, model in models.items() if model.config.materialized not in UNSTORED]
    names = [name for name in models if "models" in SOAKED or name in SOME_MODELS]
    steps: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    package.send(0, ADDED_COLUMN, partition=2)
    sent = 0

    def send() -> None:
        nonlocal sent
        sent += 1
        package.send(sent, change(ALONE + sent, 0, COMMIT_TS + (3 + sent) * MS, c="0"), partition=2)

    def look(*run: str) -> None:
        """Half of a run is not published, and a model is not built without the plan that it follows."""
        allowed = ("readers would see half of what changed", "decides, and this run leaves that out: select it as well")
        assert package.dbt(*run).success or any(text in package.told() for text in allowed), package.told()
        places: dict[str, list[str]] = {"current": [], "changelog": [], "history": [], "typed": [], "messages": []}
        for row in package.rows(IN_SIGHT):
            places[row["place"]].append(row["row_key"])
        found = {place: sorted(keys) for place, keys in places.items()}
        steps.append({"run": run, "sent": sent, "seen": found})

    send()
    for name in names:
        look("run", "--select", name)
    for name in (name for name in names if name in stored):
        send()
        look("run", "--select", f"+{name}")
        look("run", "--select", f"{name}+")
    for name in names:
        if name in stored:
            refused[name] = package.refused(*REFRESH, "--select", name)
        else:
            look(*REFRESH, "--select", name)
    return {"steps": steps, "refused": refused, "stored": stored, "sent": sent}


def outcome_in(folder: Path) -> str:
    """What dbt says of the package on a table without messages, and then with some, as JSON."""
    package = Package(folder, VARIABLES)
    spark, dbt = package.spark, package.dbt
    documented = dbt("docs", "generate").success
    misconfigured = {"success": dbt("run", **WRONG).success, "said": package.told()}
    misconfigured["made"] = spark.sql("show tables in ticdc_lint").count()
    unseeded = {"success": dbt("run").success, "said": package.told()}
    package.passing("build", "--resource-type", "seed", "--resource-type", "model")
    increment = dbt("compile", "--select", "int_ticdc__changes").result.results[0].node.compiled_code
    plan = spark.sql(increment)._jdf.queryExecution().optimizedPlan().toString()  # type: ignore[attr-defined]
    spark.sql("use ticdc_lint")  # Spark looks for a table function in the current schema alone
    package.send(0, *CHANGES)
    freshness = freshness_of_messages(package)
    spark.sql("create database exports")
    spark.sql("create table exports.loaded as select 7 as id, 'seven' as name")
    rows_after = {}
    for command, loads in (("run", [LOAD]), ("run --empty", [])):
        package.passing(*command.split(), ticdc__initial_loads=loads)
        rows_after[command] = current(package)
    refreshed = {"before": seen(package)}
    spark.sql("drop table exports.loaded")
    spark.sql("truncate table ticdc_raw.messages")
    package.passing(*REFRESH)
    refreshed["after"] = seen(package)
    refused = {
        "redecode": package.refused(*REFRESH, ticdc__redecode=True),
        "escapes": with_raw_backslashes(package),
        "redecode without refresh": package.refused("run", ticdc__redecode=True),
    }
    with package.configured(ticdc__feeds=[{**SHOP, "protocol": "simple"}]):
        refused["other protocol"] = package.refused("run")
        refused["redecode in other protocol"] = package.refused(*REFRESH, ticdc__redecode=True)
    with package.configured(ticdc__feeds=[{**SHOP, "name": "late", "protocol": "simple"}]):
        package.passing(*REFRESH)
    refused["left out"] = package.refused("run")
    refused["left out, lease"] = package.refused("run")
    package.passing(*REFRESH)
    refreshed["brought back"] = seen(package)

    def failing(*command: str) -> list[str]:
        """The current rows after a run that fails halfway: another one's table stands in the place of a view."""
        spark.sql("drop view ticdc_lint.int_ticdc__waiting_rows")
        spark.sql("create table ticdc_lint.int_ticdc__waiting_rows (id int) using parquet")
        package.refused(*command)
        spark.sql("drop table ticdc_lint.int_ticdc__waiting_rows")
        return current(package)

    def passing(command: str) -> list[str]:
        package.passing(command)
        return current(package)

    failed_refresh = [failing(*REFRESH), passing("run"), failing(*REFRESH), passing("retry")]

    package.send(3, OTHER)
    retried = {"failed": failing("run"), "retried": passing("retry"), "next run": passing("run")}
    messages = package.values("select sum(messages) from ticdc__accounting")

    spark.sql("create table exports.schemas (id int, schema string) using parquet")
    feeds = [*VARIABLES["ticdc__feeds"], REGISTERED]
    with package.configured(ticdc__feeds=feeds) if "models" in SOAKED else nullcontext():
        single = alone(package)
    unready = unready_rows({field.name: field.dataType.simpleString() for field in spark.table(BASE).schema})
    spark.sql(f"alter view {BASE} set tblproperties ('ticdc.fingerprint' = '')")
    spark.sql(f"alter view {BASE} as {unready}")
    refused["unready"] = package.call(f"'select * from {BASE}'")
    package.passing("run")
    redecoded = {"before": seen(package)}
    package.send(0, *CHANGES)
    with package.configured(ticdc__redecode=True):
        package.passing(*REFRESH)
    redecoded["after"] = seen(package)

    one_view = ("run", "--select", "ticdc__changelog")

    def lease(minutes: float) -> str:
        told = {"number": 7, "who": "a run with a token", "since": "today", "until": time.time() + 60 * minutes}
        return f"tblproperties ('ticdc.lease' = '{json.dumps(told).encode().hex()}')"

    spark.sql(f"create table ticdc_lint.{HELD} (run_id bigint) using parquet {lease(9.9)}")
    refused["held lease"] = package.refused(*one_view)
    leases = {"held": package.leases()}
    spark.sql(f"alter table ticdc_lint.{HELD} set {lease(-1)}")
    package.passing(*one_view)
    leases["over"] = package.leases()
    spark.sql(f"create table ticdc_lint.{HELD} (run_id bigint) using parquet {lease(9.9)}")
    package.passing("run-operation", "ticdc.release_lease")
    leases["released"] = package.leases()

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
            package.watching.clear()

    overtaken: dict[str, Any] = {"rows": {"before": current(package)}}
    package.send(4, THIRD)
    package.watching.append(publish_meanwhile)
    overtaken["said"] = package.refused("run")
    overtaken["rows"]["refused"] = current(package)
    overtaken["rows"]["next run"] = passing("run")
    newest_run = "select written_tables from ticdc__runs order by run_id desc limit 1"
    (overtaken["written"],) = package.values(newest_run)

    copied = {}
    for name, partition in (("first", 0), ("copy", 1)):
        package.send(9, OTHER_TABLE, partition=partition)
        package.passing("run")
        (copied[name],) = package.values(newest_run)
    logged = package.rows("select * from ticdc__runs order by run_id")

    for offsets in ((1, 2, 2, 4), (3,)):
        for offset in offsets:
            row = row_message({"id": str(offset)}, {"id": "int"}, table="other", tidb={"commitTs": OTHERS_TS + offset})
            package.send(offset, to_bytes(row).decode(), partition=3)
        package.passing("run")
    of_partition = "select `offset` from ticdc_lint.{} where `partition` = 3 order by 1"
    relations = ("stg_ticdc__canal_json", "ticdc__changelog")
    offsets_of = {relation: package.values(of_partition.format(relation)) for relation in relations}

    runs = "ticdc_lint.int_ticdc__staged_runs"
    kept = f"create table {{}} using parquet partitioned by (batch_id, feed) as select {{}} from {runs}"
    spark.sql(kept.format("ticdc_lint.whole", "*"))
    spark.sql(kept.format("ticdc_lint.older", "* except (is_waiting, some_are_whole)"))
    for table in ("older", "whole"):
        spark.sql(f"drop table {runs}")
        spark.sql(f"alter table ticdc_lint.{table} rename to {runs}")
        spark.sql(f"alter table {runs} set tblproperties ('ticdc.package' = 'ticdc')")
        if table == "older":
            refused["older columns"] = package.refused("run", "--select", "int_ticdc__staged_runs")

    older_publication = f"select * except (later_batches) from ({published_text()})"
    spark.sql(f"alter view ticdc_lint.int_ticdc__publication as {older_publication}")
    package.passing("run", "--select", "ticdc__current_rows")
    of_older_version = current(package)

    for view, fault in FAULTS.items():
        spark.sql(f"create or replace view ticdc_lint.{view} as {fault}")
    faulty = dbt("test", "--select", *(f"test_name:{name}" for name in SHIPPED)).result
    faults = {
        result.node.name: [result.status, result.failures] for result in faulty if result.node.resource_type == "test"
    }
    calls = {name: package.call(macro) for name, macro in CALLS.items()}
    for statement in AS_OF_TABLES:
        spark.sql(statement)
    as_of = {name: package.call(f"ticdc.as_of('s', 't', {moment})") for name, moment in AS_OF_CALLS.items()}
    spark.sql("create table ticdc_lint.inline_query (id int) using parquet")  # the `this` of what dbt shows
    states = [
        package.call(
            f"[ticdc.settle(this, {{'of': '{state}'}}), ticdc.memory().pop('state'), "
            "'select \"' ~ ticdc.settled(this).of ~ '\" as found'] | last"
        )
        for state in STATES
    ]
    spark.sql("drop view ticdc_lint.int_ticdc__publication")
    refused["no publication"] = package.refused("run")
    outcome = {
        "failed_refresh": failed_refresh,
        "overtaken": overtaken,
        "copied": copied,
        "offsets_of": offsets_of,
        "retried": {**retried, "messages": messages},
        "single": single,
        "documented": documented,
        "misconfigured": misconfigured,
        "unseeded": unseeded,
        "rows_after": rows_after,
        "of_older_version": of_older_version,
        "refreshed": refreshed,
        "redecoded": redecoded,
        "logged": logged,
        "refused": refused,
        "leases": leases,
        "states": states,
        "reads": plan.count("stg_ticdc__canal_json"),
        "freshness": freshness,
        "faults": faults,
        "calls": calls,
        "as_of": as_of,
    }
    session.close()
    return json.dumps(outcome, default=str)
