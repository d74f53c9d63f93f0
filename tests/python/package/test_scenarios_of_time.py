"""Scenarios of watermarks, late partitions and DDL out of order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.cases import Built
from support.messages import COMMIT_TS
from support.scenarios import DAY, SCENARIOS, Outcome, Written, in_order, pairs, typed_rows, whole_feed
from support.stories import STEP, Feed

STALLED_TS = COMMIT_TS + 3 * DAY


@whole_feed("late")
def write_late(feed: Feed) -> Written:
    """Partition 1 stands still for two days; what it then brings is older than what partition 0 brought."""
    feed.begin("visits")
    table = pairs(feed, "visits", (1, "a"), schema="late")
    feed.watermark(feed.commit_ts, 0, 1)
    feed.commit_ts = COMMIT_TS + DAY
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
    feed.commit_ts = COMMIT_TS + 2 * DAY - STEP
    replace(table, columns="id int, v varchar, n int").update((1, "b", 7), (1, "c", 8))
    feed.watermark(feed.commit_ts, 0)
    first = len(feed.messages)
    feed.commit_ts = COMMIT_TS + DAY - STEP
    with feed.one_commit():
        table.send("UPDATE", (1, "b"), (1, "a"), partition=1)
        table.send("INSERT", (2, "x"), partition=1)
    feed.watermark(COMMIT_TS + 4 * DAY, 0, 1)
    return first, feed.lines()


def test_late_partition(outcome: Outcome) -> None:
    assert [row["row"] for row in outcome.first["current"] if row["feed"] == "late"] == ['{"id":"1","v":"a"}']
    day = DAY // STEP
    outcome.expect(
        "visits: id, v, n",
        (1, "a", None, f"1-{day} insert update"),
        (1, "b", None, f"{day}-{2 * day} update update"),
        (2, "x", None, f"{day}- insert"),
        (1, "c", 8, f"{2 * day}- update"),
        schema="late",
        now=[(1, "c", 8), (2, "x", 7)],
        as_of={day - 1: [(1, "a", None)], day + 1: [(1, "b", 7), (2, "x", 7)], 2 * day: [(1, "c", 8), (2, "x", 7)]},
    )


def test_a_table_is_shown_as_of_what_its_own_feed_is_complete_through(outcome: Outcome) -> None:
    tso = STALLED_TS + 1
    (found,) = outcome.answers(f"select * from visits_as_of({tso})", schema="late")
    assert typed_rows(found, ["id", "v", "n"]) == [(1, "c", 8), (2, "x", 7)]
    (refusal,) = outcome.answers(f"select * from ticdc__rows_as_of({tso}) where feed = 'stalls'")
    assert f"feed stalls is complete through commit {STALLED_TS}, got {tso}" in refusal


@whole_feed("skewed")
def write_skewed(feed: Feed) -> Written:
    """No watermark holds anything back: the last run brings a row from before a DDL, and a DDL from before a row."""
    feed.begin("widened")
    table = pairs(feed, "widened", (1, "a"), schema="skewed")
    feed.commit_ts += STEP
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
    replace(table, columns="id int, v varchar, n int").insert(3, "c", 8)
    feed.begin("moved")
    table = pairs(feed, "moved_old", (1, "a"), schema="skewed")
    feed.commit_ts += STEP
    moved = replace(table, name="moved")
    moved.send("INSERT", (2, "b"), partition=1)
    first = len(feed.messages)
    feed.commit_ts = feed.begun["moved"] + STEP
    moved.ddl("RENAME", "RENAME TABLE `skewed`.`moved_old` TO `skewed`.{}")
    feed.commit_ts = feed.begun["widened"] + STEP
    replace(table, name="widened").send("INSERT", (2, "b"), partition=1)
    return first, feed.lines()


def test_a_row_that_comes_after_a_ddl_of_a_later_commit(outcome: Outcome) -> None:
    outcome.expect(
        "widened: id, v, n",
        (1, "a", None, "1- insert"),
        (2, "b", None, "2- insert"),
        (3, "c", 8, "4- insert"),
        schema="skewed",
        now=[(1, "a", 7), (2, "b", 7), (3, "c", 8)],
        as_of={3: [(1, "a", 7), (2, "b", 7)], 4: [(1, "a", 7), (2, "b", 7), (3, "c", 8)]},
    )


def test_a_ddl_that_comes_after_rows_of_later_commits(outcome: Outcome) -> None:
    outcome.expect(
        "moved: id, v", (1, "a", "1- insert"), (2, "b", "3- insert"), schema="skewed", names={1: "moved_old"}
    )
    assert outcome.tables("skewed") == {"widened", "moved"}


def test_a_feed_that_is_built_again_forgets_only_what_comes_out_otherwise(outcome: Outcome, built_cases: Built) -> None:
    """A row that is new, and one of a table that no message had told of, are known since the second run."""
    first_run = max(row["known_from"] for row in outcome.first["changelog"] if row["feed"] == "skewed")
    known = built_cases.of("row_history_bitemporal", "skewed")
    assert {(row["table_name"], row["row"]): row["known_from"] <= first_run for row in known} == {
        ("widened", '{"id":"1","v":"a"}'): True,
        ("widened", '{"id":"2","v":"b"}'): False,
        ("widened", '{"id":"3","v":"c","n":"8"}'): True,
        ("moved", '{"id":"1","v":"a"}'): True,
        ("moved", '{"id":"2","v":"b"}'): False,
    }


@whole_feed("stalls", partitions=1)
def write_stalls(feed: Feed) -> Written:
    """The watermark goes back, and then stands still for two hours."""
    feed.begin("ticks")
    table = pairs(feed, "ticks", (1, "a"), schema="stalls")
    feed.commit_ts = STALLED_TS - STEP
    table.update((1, "a"), (1, "b"))
    feed.watermark(STALLED_TS, 0)
    feed.watermark(COMMIT_TS, 0)
    table.insert(2, "unseen")
    return len(feed.messages) - 1, feed.lines(2 * 3600 * 1000)


@pytest.mark.parametrize("run", ["first", "last"])
def test_a_watermark_that_goes_back_counts_as_the_latest(outcome: Outcome, run: str) -> None:
    found = getattr(outcome, run)
    (progress,) = (row for row in found["completeness"] if row["feed"] == "stalls")
    assert progress | {"watermark_ts": STALLED_TS, "complete_through_ts": STALLED_TS, "regressions": 1} == progress
    assert [row["row"] for row in found["current"] if row["feed"] == "stalls"] == ['{"id":"1","v":"b"}']


def test_a_stalled_watermark_and_a_recovery_that_was_not_sent_are_the_only_problems(outcome: Outcome) -> None:
    first, last = (
        [
            (row["feed"], row["code"], row["severity"], row["detail"])
            for row in found["problems"]
            if row["code"] != "missing_ddl"
        ]
        for found in (outcome.first, outcome.last)
    )
    for found in (outcome.first, outcome.last):
        (unsent,) = [row for row in found["problems"] if row["code"] == "missing_ddl"]
        assert (unsent["feed"], unsent["table_name"]) == ("untyped", "recovered_unsaid")
    code, is_old = ("stalled_watermark", "warning"), "is {} minute(s) older than the newest message"
    assert first == [("late", *code, f"the watermark of topic late, partition 1 {is_old.format(2 * 24 * 60 - 1)}")]
    assert last == [("stalls", *code, f"the watermark of topic stalls, partition 0 {is_old.format(120)}")]


@pytest.mark.parametrize("table", ["current", "history", "changelog", "tables"])
def test_replay_changes_nothing(outcome: Outcome, table: str) -> None:
    before, after = (
        in_order(row for row in found[table] if row["feed"] in SCENARIOS) for found in (outcome.first, outcome.last)
    )
    assert before
    assert after == before


@pytest.mark.parametrize("kind", ["add_column", "rename_table", "truncate_table"])
def test_rows_as_of_the_commit_of_a_ddl_are_there_once(outcome: Outcome, kind: str) -> None:
    """As of the commit itself a table has the version that the DDL began, and not the one that it ended as well."""
    (ddl,) = outcome.answers(
        f"select max(commit_ts) as commit_ts from ticdc__ddl_history where feed = 'shop' and ddl_kind = '{kind}'"
    )
    (rows,) = outcome.answers(f"select * from ticdc__rows_as_of({ddl[0]['commit_ts']}) where feed = 'shop'")
    keys = [(row["table_id"], row["table_incarnation"], row["row_key"]) for row in rows]
    assert keys
    assert len(keys) == len(set(keys))
