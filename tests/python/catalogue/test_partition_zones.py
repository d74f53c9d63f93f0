"""Bounds that the time zone of a session decides: the feed's is taken, what another decides otherwise has a doubt."""

from __future__ import annotations

import json

import msgspec
import pytest
from support.catalogue import folded, last

from ticdc_udfs.catalogue.partitions import Placement, Zone, is_within, placement_of
from ticdc_udfs.catalogue.records import Feed, partitioning_text, records

DAYS = ", ".join(
    f"PARTITION p{day} VALUES LESS THAN (UNIX_TIMESTAMP('2026-01-{day + 1:02} 00:00:00'))" for day in range(1, 6)
)
DAILY = f"RANGE (UNIX_TIMESTAMP(c)) ({DAYS}, PARTITION rest VALUES LESS THAN (MAXVALUE))"
TOLD = Zone("UTC", True)


def placed(value: str, zone: Zone, by: str = DAILY) -> Placement:
    table = last(folded(f"CREATE TABLE t (c TIMESTAMP) PARTITION BY {by}"), "t")
    assert table.partitioning is not None
    return placement_of({"c": value}, table.partitioning, table.columns, zone)


def test_daily_partitions_by_unix_timestamp_of_a_text() -> None:
    noon = placed("2026-01-03 12:00:00", Zone())
    assert noon == ("p3", frozenset({"p2", "p3", "p4"}), "session_zone")
    assert is_within(noon, ["p1", "rest"]) == (False, None)
    assert is_within(noon, ["p2", "p3", "p4"]) == (True, None)
    assert is_within(noon, ["p3"]) == (True, "session_zone")
    assert is_within(noon, ["p2"]) == (False, "session_zone")
    assert placed("2026-01-03 12:00:00", TOLD) == ("p3", frozenset({"p3"}), None)


@pytest.mark.parametrize(
    ("value", "possible"),
    [
        ("2025-12-30 09:59:59", {"p1"}),
        ("2026-01-01 09:59:59", {"p1"}),
        ("2026-01-01 10:00:00", {"p1", "p2"}),
        ("2026-01-06 13:59:59", {"p5", "rest"}),
        ("2026-01-06 14:00:00", {"rest"}),
    ],
)
def test_only_the_bounds_near_a_row_matter(value: str, possible: set[str]) -> None:
    assert placed(value, Zone()).possible == possible


@pytest.mark.parametrize(
    ("zone", "value", "want"),
    [
        ("Asia/Shanghai", "2026-01-01 15:59:59", "p1"),
        ("Asia/Shanghai", "2026-01-01 16:00:00", "p2"),
        ("+08:00", "2026-01-01 16:00:00", "p2"),
        ("-03:30", "2026-01-02 03:29:59", "p1"),
        ("America/New_York", "2026-01-02 05:00:00", "p2"),
    ],
)
def test_the_zone_that_is_told_is_taken(zone: str, value: str, want: str) -> None:
    assert placed(value, Zone(zone, True)) == (want, frozenset({want}), None)
    assert placed(value, Zone(zone)).likeliest == want


@pytest.mark.parametrize(
    ("zone", "bound", "first"),
    [
        # the clocks are set forward: the moment at which they are; and back: as Go's `time.Date` takes it
        ("America/New_York", "2024-03-10 02:30:00", "2024-03-10 07:00:00"),
        ("America/New_York", "2024-11-03 01:30:00", "2024-11-03 05:30:00"),
        ("Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27 01:30:00"),
    ],
)
def test_hours_that_come_twice_or_never(zone: str, bound: str, first: str) -> None:
    by = (
        f"RANGE (UNIX_TIMESTAMP(c)) (PARTITION low VALUES LESS THAN (UNIX_TIMESTAMP('{bound}')), "
        "PARTITION high VALUES LESS THAN (MAXVALUE))"
    )
    assert placed(first, Zone(zone, True), by).likeliest == "high"
    before = first[:-8] + f"{int(first[-8:-6]) - (first[-5:-3] == '00'):02}:{(int(first[-5:-3]) - 1) % 60:02}:59"
    assert placed(before, Zone(zone, True), by).likeliest == "low"


def test_a_bound_in_arithmetic_and_in_a_list() -> None:
    by = (
        "RANGE (UNIX_TIMESTAMP(c) DIV 86400) (PARTITION low VALUES LESS THAN (UNIX_TIMESTAMP('2026-01-02') DIV 86400), "
        "PARTITION high VALUES LESS THAN (MAXVALUE))"
    )
    assert placed("2026-01-01 12:00:00", Zone(), by) == ("low", frozenset({"low", "high"}), "session_zone")
    assert placed("2026-01-04 00:00:00", Zone(), by).doubt is None
    by = (
        "LIST (UNIX_TIMESTAMP(c)) (PARTITION a VALUES IN (UNIX_TIMESTAMP('2026-01-02'), 5), "
        "PARTITION b VALUES IN (UNIX_TIMESTAMP('2026-02-02')), PARTITION c DEFAULT)"
    )
    assert placed("2026-01-02 00:00:00", Zone(), by) == ("a", frozenset({"a", "c"}), "session_zone")
    assert placed("2026-01-02 08:00:00", Zone(), by) == ("c", frozenset({"a", "c"}), "session_zone")
    assert placed("2026-01-03 00:00:00", Zone(), by) == ("c", frozenset({"c"}), None)
    assert placed("1970-01-01 00:00:05", Zone(), by) == ("a", frozenset({"a"}), None)
    assert placed("2026-01-02 00:00:00", TOLD, by) == ("a", frozenset({"a"}), None)


@pytest.mark.parametrize(
    ("feed", "want"),
    [
        ({}, Zone("UTC", False)),
        ({"time_zone": "Asia/Tokyo"}, Zone("Asia/Tokyo", False)),
        ({"time_zone": "Asia/Tokyo", "session_time_zone": "+08:00"}, Zone("+08:00", True)),
        ({"time_zone": None, "session_time_zone": None}, Zone("UTC", False)),
    ],
)
def test_the_zone_of_a_feed_goes_with_its_partitions(feed: dict[str, str | None], want: Zone) -> None:
    assert msgspec.json.decode(json.dumps(feed), type=Feed).zone == want
    texts = ("CREATE TABLE t (c TIMESTAMP) PARTITION BY " + DAILY, "ALTER TABLE t DROP PARTITION p1")
    seen = [
        {"kind": "ddl", "first_ts": 10 * place, "message_ts": 10 * place, "schema_name": "shop", "ddl_query": text}
        for place, text in enumerate(texts, start=1)
    ]
    found = records(json.dumps(seen), None, json.dumps(feed))
    of_zone = [one["partitioning"] for one in found if one.get("partitioning")]
    assert [one["record"] for one in found if one.get("partitioning")] == ["version", "version", "move"]
    assert all(
        (one := json.loads(text))["zone"] == want.name and one["zone_is_told"] == want.is_told for text in of_zone
    )


def test_without_partitions_there_is_no_text() -> None:
    assert partitioning_text(None, TOLD) is None
