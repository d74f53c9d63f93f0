"""When a run may publish, and what nothing reads any more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ticdc_udfs.runs.plan import StoredModel
from ticdc_udfs.runs.publication import HeldBatches, Published, PublishingRun, Sweep, Swept, publication

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECOND = 1_000_000
LAST = Swept(at=100, batches={"t": [20 * SECOND], "of_day_before": [1]}, storages=["s.kept", "s.dropped"])
HELD = HeldBatches("t", "s.t", "batch_id", [10 * SECOND, 20 * SECOND, 30 * SECOND, 99 * SECOND, 101 * SECOND])
MODELS = {"t": StoredModel([(30 * SECOND, 0)]), "new": StoredModel([(102 * SECOND, 0)]), "empty": StoredModel()}


def swept(**changed: Any) -> Any:
    given: dict[str, Any] = {"now": 200, "tables": [HELD], "models": MODELS, "storages": ["s.kept"], "last": LAST}
    return publication(Published(3), PublishingRun(3, sweep=Sweep(**given | changed)))


def drops(decided: Any) -> list[str]:
    """The statements of its scripts."""
    return [drop for script in decided.scripts for drop in re.findall(r"execute immediate '(.*?)';", script)]


@pytest.mark.parametrize(
    ("run", "refusal"),
    [
        (PublishingRun(2), "another run published while this one built: it began from publication 2, and now there is"),
        (PublishingRun(3, ["b", "a"]), "readers would see half of what changed, as these tables were not built since"),
        (PublishingRun(3, outdated=["h"]), "what this run changed of these stored tables is not in them"),
    ],
    ids=["overtaken", "unbuilt", "outdated"],
)
def test_what_readers_must_not_see(run: PublishingRun, refusal: str) -> None:
    decided = publication(Published(3), run)
    assert decided.refusal is not None
    assert decided.refusal.startswith(refusal)
    assert not run.unbuilt or "made of: a, b. Build a, b, or all" in decided.refusal
    assert (decided.scripts, decided.swept) == ((), None)


def test_a_run_publishes_and_sweeps_once_a_day() -> None:
    decided = publication(Published(3), PublishingRun(3))
    assert (decided.refusal, decided.scripts, decided.swept) == (None, (), None)


def test_what_was_superseded_a_day_ago_is_dropped() -> None:
    """Neither what counts, nor what counted then, nor what came since."""
    decided = swept()
    assert decided.refusal is None
    assert drops(decided) == [
        *(f"alter table s.t drop if exists partition (batch_id = {at * SECOND})" for at in (10, 99)),
        "drop table if exists s.dropped",
    ]
    assert decided.swept == Swept(200, {"t": [30 * SECOND]}, ["s.kept"])


def test_tables_of_other_formats_are_swept_by_rows() -> None:
    assert drops(swept(is_parquet=False))[0] == f"delete from s.t where batch_id = {10 * SECOND}"


def test_a_table_without_rows_that_count_is_left_alone() -> None:
    tables = [HeldBatches("new", "s.new", "batch_id"), HeldBatches("empty", "s.empty", "generation")]
    decided = swept(tables=tables, last=Swept())
    assert decided.scripts == []
    assert decided.swept.batches == {"new": [102 * SECOND]}


def test_the_log_keeps_the_newest_runs() -> None:
    log = HeldBatches(None, "s.runs", "batch_id", [*range(502)])
    dropped = [f"alter table s.runs drop if exists partition (batch_id = {run_id})" for run_id in (1, 0)]
    assert drops(swept(tables=[log], last=Swept())) == dropped


def test_a_drop_that_spark_refuses_harms_no_other(spark: SparkSession) -> None:
    spark.sql("create database swept")
    try:
        for name in ("t", "u"):
            rows = f"select id, {10 * SECOND} + {90 * SECOND} * (id % 2) as batch_id from range(4)"
            spark.sql(f"create table swept.{name} using parquet partitioned by (batch_id) as {rows}")
        tables = [
            HeldBatches("t", f"swept.{name}", "batch_id", [10 * SECOND]) for name in ("nowhere", "t", "`a'b`", "u")
        ]
        scripts = swept(tables=tables, models={"t": MODELS["t"]}, last=Swept(100)).scripts
        assert len(scripts) == 1
        assert spark.sql(scripts[0]).collect()[0][0] is True
        for name in ("t", "u"):
            assert [row[0] for row in spark.sql(f"show partitions swept.{name}").collect()] == [
                f"batch_id={100 * SECOND}"
            ]
    finally:
        spark.sql("drop database swept cascade")


def test_many_drops_are_several_scripts() -> None:
    held = HeldBatches("t", "s.t", "batch_id", [*range(61)])
    decided = swept(tables=[held], last=Swept(100))
    assert [len(re.findall("execute immediate", script)) for script in decided.scripts] == [30, 30, 1]
