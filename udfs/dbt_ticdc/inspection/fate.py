"""What became of a message in a warehouse, by its tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dbt_ticdc.inspection.page import Fate
from dbt_ticdc.inspection.places import Place
from dbt_ticdc.inspection.reading import Reading
from ticdc_udfs.contract.events import Kind, Lossy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_NEEDED = ("int_ticdc__events", "ticdc__changelog", "ticdc__completeness")


def of(spark: SparkSession, feed: str, place: Place, reading: Reading) -> Fate:
    """What the tables of a warehouse say; a sentence that there are none yet where it was not built."""
    if not all(spark.catalog.tableExists(name) for name in _NEEDED):
        return Fate(("nothing: the warehouse has no tables yet; `ticdc run` builds them",))
    events = _here(spark.table("int_ticdc__events"), feed, place).orderBy("event_index").collect()
    if not events:
        return Fate(("it is not staged: no run has read it yet; `ticdc run` does",))
    changes = _here(spark.table("ticdc__changelog"), feed, place).collect()
    bounds = spark.table("ticdc__completeness")
    rows = bounds.where(bounds["feed"] == feed).select("complete_through_ts").take(1)
    bound = rows[0][0] if rows else None
    said = [f"it was decoded by the run of {_run(events[0].run_id)}"]
    for event in events:
        named = f"event {event.event_index}: " if len(events) > 1 else ""
        own = [change for change in changes if change.event_index == event.event_index]
        said += [named + text for text in _of_event(spark, feed, event, own, bound, reading)]
    return Fate(tuple(said), _types(spark, feed, events))


def _of_event(
    spark: SparkSession, feed: str, event: Row, changes: Sequence[Row], bound: int | None, reading: Reading
) -> list[str]:
    if event.kind == Kind.ERROR:
        said = [f"it is a dead letter (ticdc__dead_letters): {event.error_code}: {event.error_message}"]
        if all(each.kind != Kind.ERROR for each in reading.events):
            said.append(
                f"with the options that the feed has now it can be read: `ticdc redrive --feed {feed}` decodes it again"
            )
        return said
    if event.kind == Kind.WATERMARK:
        return [f"a watermark: ticdc__completeness counts it; the feed is complete through {_bound(bound)}"]
    if event.kind == Kind.DDL:
        return ["a DDL: ticdc__ddl_history has its statement once, of however many copies"]
    if event.kind == Kind.BOOTSTRAP:
        return ["it tells the columns of a table, and changes no row"]
    if changes:
        return [
            f"a change in ticdc__changelog: {change.op} of {change.row_key}, "
            f"known since the run of {_run(change.run_id)}"
            for change in changes
        ]
    return [_why_no_change(spark, feed, event, bound)]


def _why_no_change(spark: SparkSession, feed: str, event: Row, bound: int | None) -> str:
    if event.table_name is None:
        return "it names no row, so that it changes none (problem unnamed_deletes)"
    if event.claim_check is not None and not _exists(spark, "int_ticdc__claim_checks", feed, event, "kind <> 'error'"):
        return f"it waits for the file {event.claim_check}, which holds the row (option claim_check of the feed)"
    if Lossy.NO_SCHEMA.of() in event.lossy and _exists(spark, "int_ticdc__waiting_rows", feed, event):
        other = _alike(spark, feed, event)
        return other or "it waits for the schema of its table, which a DDL or BOOTSTRAP message tells"
    if bound is not None and event.commit_ts is not None and event.commit_ts > bound:
        return f"it waits until the feed is complete through its commit; it is so through {_bound(bound)}"
    return _alike(spark, feed, event) or (
        "no change of ticdc__changelog is of this place: the next run takes it, or another message of its commit tells"
        " the same"
    )


def _alike(spark: SparkSession, feed: str, event: Row) -> str | None:
    """The change of the same row in the same commit, which came by another message."""
    if event.row_key is None:
        return None
    log = spark.table("ticdc__changelog")
    found = log.where(
        (log["feed"] == feed)
        & (log["commit_ts"] == event.commit_ts)
        & (log["schema_name"] == event.schema_name)
        & (log["table_name"] == event.table_name)
        & (log["row_key"] == event.row_key)
    ).take(1)
    if not found:
        return None
    (change,) = found
    place = f"topic {change.topic}, partition {change.partition}, offset {change.offset}"
    if change.op == event.op:
        return f"it repeats the {change.op} of {place}: a change counts once"
    return f"it is half of the {change.op} that {place} ends: one commit changes a row once"


def _exists(spark: SparkSession, table: str, feed: str, event: Row, where: str = "true") -> bool:
    if not spark.catalog.tableExists(table):
        return False
    place = Place(event.topic, event.partition, event.offset)
    return not _here(spark.table(table), feed, place).where(where).isEmpty()


def _here(frame: DataFrame, feed: str, place: Place) -> DataFrame:
    return frame.where(
        (frame["feed"] == feed)
        & (frame["topic"] == place.topic)
        & (frame["partition"] == place.partition)
        & (frame["offset"] == place.offset)
    )


def _types(spark: SparkSession, feed: str, events: Sequence[Row]) -> dict[tuple[str, str], dict[str, str]]:
    """The types of the columns of the rows' tables, as they were at the rows' commits."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    if not spark.catalog.tableExists("ticdc__columns"):
        return found
    for event in events:
        if event.kind != Kind.ROW or event.table_name is None:
            continue
        columns: Any = spark.table("ticdc__columns")
        rows = (
            columns.where(
                (columns["feed"] == feed)
                & (columns["schema_name"] == event.schema_name)
                & (columns["table_name"] == event.table_name)
                & (columns["valid_from_ts"] < event.commit_ts)
            )
            .orderBy("valid_from_ts")
            .select("column_name", "column_type")
            .collect()
        )
        found[event.schema_name, event.table_name] = {row[0]: row[1] for row in rows}
    return found


def _run(run_id: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=run_id)
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC (run_id {run_id})"


def _bound(tso: int | None) -> str:
    if not tso:
        return "nothing" if tso == 0 else "what was seen, as it has no watermarks"
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=tso >> 18)
    return f"{tso} ({moment:%Y-%m-%d %H:%M:%S} UTC)"
