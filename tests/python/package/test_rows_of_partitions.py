"""Rows that partition DDL takes, leaves, or may have taken: each is right, or flagged, counted and told."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

import pytest
from support.cases import Built, case
from support.stories import Feed, Table

DAYS = (
    "(`id` INT PRIMARY KEY,`ts` TIMESTAMP) PARTITION BY RANGE (UNIX_TIMESTAMP(`ts`)) ("
    "PARTITION `d1` VALUES LESS THAN (UNIX_TIMESTAMP('2026-02-11')),"
    "PARTITION `d2` VALUES LESS THAN (UNIX_TIMESTAMP('2026-02-12')),"
    "PARTITION `d3` VALUES LESS THAN (UNIX_TIMESTAMP('2026-02-13')),"
    "PARTITION `rest` VALUES LESS THAN MAXVALUE)"
)
RANGES = (
    "(`id` INT PRIMARY KEY,`v` VARCHAR(9)) PARTITION BY RANGE (`id`) ("
    "PARTITION `p0` VALUES LESS THAN (100),PARTITION `p1` VALUES LESS THAN (200),"
    "PARTITION `rest` VALUES LESS THAN MAXVALUE)"
)
PAIRS = "id int, v varchar"


def created(feed: Feed, name: str, columns: str, definition: str) -> Table:
    feed.begin(name)
    table = Table(feed, name, columns)
    table.ddl("CREATE", f"CREATE TABLE {{}} {definition}")
    return table


def of_partitions(feed: Feed, first: int, *ids: int) -> None:
    """Messages from the `first` on get the row keys of tables or partitions with these ids."""
    for place, table_id in enumerate(ids, start=first):
        partition, message = feed.messages[place]
        key = b"t" + (table_id + 2**63).to_bytes(8, "big") + b"_r" + (place + 2**63).to_bytes(8, "big")
        extension = {**message["_tidb"], "rowkey": b64encode(key).decode()}
        feed.messages[place] = partition, {**message, "_tidb": extension}


# Where a session's zone decides

ZONES = Feed("zones_of_partitions")

table = created(ZONES, "dropped", "id int, ts timestamp", DAYS)
# all of them are near a bound; of the first two each bound that is near is one of those dropped
table.insert_all(
    (1, "2026-02-10 00:00:00"), (2, "2026-02-11 01:00:00"), (3, "2026-02-11 20:00:00"), (4, "2026-02-12 05:00:00")
)
table.insert_all((5, "2026-02-12 20:00:00"), (6, "2026-02-20 00:00:00"), (7, None))
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d1`,`d2`")

table = created(ZONES, "written_again", "id int, ts timestamp", DAYS)
table.insert_all((3, "2026-02-11 20:00:00"), (4, "2026-02-12 05:00:00"))
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `d1`,`d2`")
table.update((4, "2026-02-12 05:00:00"), (4, "2026-02-12 06:00:00"))
table.insert(3, "2026-02-11 21:00:00")

table = created(ZONES, "taken_after_all", "id int, ts timestamp", DAYS)
table.insert(4, "2026-02-12 05:00:00")
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d1`,`d2`")
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d3`")

table = created(ZONES, "gone_and_seen_again", "id int, ts timestamp", DAYS)
table.insert(3, "2026-02-11 20:00:00")
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d1`,`d2`")
table.update((3, "2026-02-11 20:00:00"), (3, "2026-02-11 21:00:00"))

table = created(ZONES, "told_by_ids", "id int, ts timestamp", DAYS)
first = len(ZONES.messages)
table.insert_all((1, "2026-02-11 01:00:00"), (4, "2026-02-12 05:00:00"), (6, "2026-02-20 00:00:00"))
# the zone of the sessions was +08:00, so that the row is in `rest`, as its id tells
table.insert(5, "2026-02-12 20:00:00")
of_partitions(ZONES, first, 71, 72, 73, 73)
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d1`,`d2`,`d3`")

table = created(ZONES, "moved", "id int, ts timestamp", DAYS)
table.insert_all((3, "2026-02-11 20:00:00"), (4, "2026-02-12 05:00:00"))
other = Table(ZONES, "counterpart", "id int, ts timestamp")
other.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`ts` TIMESTAMP)")
table.ddl("QUERY", "ALTER TABLE {} EXCHANGE PARTITION `d2` WITH TABLE `shop`.`counterpart`")

case("zones_of_partitions", "canal_json", ZONES.lines())
TOLD_ZONE = Feed("told_zone")
table = created(TOLD_ZONE, "dropped", "id int, ts timestamp", DAYS)
table.insert_all((3, "2026-02-11 20:00:00"), (4, "2026-02-12 05:00:00"))
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `d1`,`d2`")
case("told_zone", "canal_json", TOLD_ZONE.lines(), options={"session_time_zone": "+08:00"})

# Rows that were exchanged into a partition that they do not fit

EXCHANGED = Feed("exchanged_rows")


def exchanged(name: str) -> tuple[Table, Table]:
    table = created(EXCHANGED, name, PAIRS, RANGES)
    table.insert_all((1, "a"), (150, "b"))
    other = Table(EXCHANGED, f"{name}_side", PAIRS)
    other.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))")
    other.insert_all((5, "c"), (170, "d"), (180, "e"))
    table.ddl("QUERY", f"ALTER TABLE {{}} EXCHANGE PARTITION `p0` WITH TABLE `shop`.`{name}_side` WITHOUT VALIDATION")
    return table, other


table, _ = exchanged("emptied")
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `p0`")

table, _ = exchanged("altered_between")
table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
table.ddl(
    "ALTER",
    "ALTER TABLE {} REORGANIZE PARTITION `rest` INTO "
    "(PARTITION `p2` VALUES LESS THAN (300),PARTITION `rest` VALUES LESS THAN MAXVALUE)",
)
table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `p0`")

table, _ = exchanged("written_between")
table.update((170, "d"), (170, "f"))
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `p0`")

table, _ = exchanged("regrouped_between")
table.ddl(
    "ALTER",
    "ALTER TABLE {} REORGANIZE PARTITION `p0`,`p1` INTO "
    "(PARTITION `p0` VALUES LESS THAN (100),PARTITION `p1` VALUES LESS THAN (200))",
)
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `p0`")

for name, action in (
    ("regrouped_away", "REORGANIZE PARTITION `p0`,`p1` INTO (PARTITION `q` VALUES LESS THAN (200))"),
    (
        "partitioned_anew",
        "PARTITION BY RANGE (`id`) (PARTITION `q` VALUES LESS THAN (200), PARTITION `r` VALUES LESS THAN (300))",
    ),
):
    table, _ = exchanged(name)
    table.ddl("ALTER", f"ALTER TABLE {{}} {action}")
    table.ddl("ALTER", "ALTER TABLE {} DROP PARTITION `q`")

table, other = exchanged("exchanged_back")
table.ddl("QUERY", "ALTER TABLE {} EXCHANGE PARTITION `p0` WITH TABLE `shop`.`exchanged_back_side` WITHOUT VALIDATION")
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `p0`")

table = created(EXCHANGED, "twice_there", PAIRS, RANGES)
table.insert_all((1, "a"), (150, "b"))
other = Table(EXCHANGED, "twice_there_side", PAIRS)
other.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))")
other.insert(150, "c")
table.ddl("QUERY", "ALTER TABLE {} EXCHANGE PARTITION `p0` WITH TABLE `shop`.`twice_there_side` WITHOUT VALIDATION")

table = created(EXCHANGED, "ended", PAIRS, RANGES)
table.insert_all((1, "a"), (150, "b"))
table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
table.insert(2, "c")
table.ddl("ERASE", "DROP TABLE {}")

case("exchanged_rows", "canal_json", EXCHANGED.lines())


def ids(built: Built, feed: str, table: str) -> list[int]:
    return sorted(int(row["id"] or 0) for row in built.current(feed).get(f"shop.{table}", []))


def taken(built: Built, feed: str, table: str) -> list[tuple[str, int | None, int | None]]:
    """What each DDL of a table but CREATE took, and how many rows of it are uncertain."""
    rows = [row for row in built.of("ddl_history", feed) if row["table_name"] == table]
    return [
        (row["ddl_kind"], row["rows_taken"], row["rows_uncertain"])
        for row in sorted(rows, key=lambda row: row["commit_ts"])
        if row["ddl_kind"] != "create_table"
    ]


def uncertain(built: Built, feed: str, table: str) -> list[tuple[int, bool, bool]]:
    """The rows of a table that are not certain: their ids, whether they were taken, and whether that is settled."""
    rows = [row for row in built.of("uncertain_rows", feed) if row["table_name"] == table]
    assert all(any(flag.startswith("*:partition_") for flag in row["lossy"]) for row in rows)
    return sorted((int(row["row_key"].split('"')[3]), row["is_taken"], row["is_settled"]) for row in rows)


def codes(built: Built, feed: str, table: str) -> list[str]:
    found = {row["code"] for row in built.problems(feed) if row["table_name"] == table}
    return sorted(found - {"lossy_values", "values_not_converted"})


@pytest.mark.parametrize(
    ("table", "rows", "of_ddl", "rows_in_doubt", "problems"),
    [
        (
            "dropped",
            [4, 5, 6],
            [("drop_partition", 4, 2)],
            [(3, True, False), (4, False, False)],
            ["uncertain_rows"],
        ),
        (
            "written_again",
            [3, 4],
            [("truncate_partition", 1, 2)],
            [(3, True, True), (4, False, True)],
            [],
        ),
        ("taken_after_all", [], [("drop_partition", 0, 1), ("drop_partition", 1, 0)], [(4, False, True)], []),
        (
            "gone_and_seen_again",
            [3],
            [("drop_partition", 1, 1)],
            [(3, True, True)],
            ["change_without_row"],
        ),
        ("told_by_ids", [5, 6], [("drop_partition", 2, 0)], [], []),
        ("moved", [4], [("exchange_partition", 1, 2)], [(3, True, False), (4, False, False)], ["uncertain_rows"]),
        ("counterpart", [3], [], [], []),
    ],
)
def test_daily_partitions_take_rows_by_the_bound_that_is_near(
    built_cases: Built,
    table: str,
    rows: Sequence[int],
    of_ddl: Sequence[tuple[str, int, int]],
    rows_in_doubt: Sequence[tuple[int, bool, bool]],
    problems: Sequence[str],
) -> None:
    feed = "zones_of_partitions"
    assert ids(built_cases, feed, table) == rows
    assert taken(built_cases, feed, table) == of_ddl
    assert uncertain(built_cases, feed, table) == rows_in_doubt
    assert codes(built_cases, feed, table) == problems


def test_rows_in_doubt_are_flagged(built_cases: Built) -> None:
    flags = {
        (row["table_name"], row["row_key"]): row["lossy"]
        for row in built_cases.of("current_rows", "zones_of_partitions")
        if row["lossy"]
    }
    flag = ["*:partition_session_zone"]
    assert flags == {
        ("dropped", '{"id":"4"}'): flag,
        ("moved", '{"id":"4"}'): flag,
        ("counterpart", '{"id":"3"}'): flag,
    }


def test_the_zone_of_sessions_that_a_feed_names_decides_for_certain(built_cases: Built) -> None:
    assert ids(built_cases, "told_zone", "dropped") == [3, 4]
    assert taken(built_cases, "told_zone", "dropped") == [("drop_partition", 0, 0)]
    assert uncertain(built_cases, "told_zone", "dropped") == []


def test_a_problem_counts_the_uncertain_rows_of_a_ddl_and_says_how_to_list_them(built_cases: Built) -> None:
    (problem,) = [
        row
        for row in built_cases.problems("zones_of_partitions")
        if (row["code"], row["table_name"]) == ("uncertain_rows", "dropped")
    ]
    assert problem["severity"] == "error"
    assert "removed 2 row(s): the tables show 1 as removed and 1 as kept" in problem["detail"]
    query = problem["remedy"].partition(" lists them")[0]
    assert len(built_cases.rows(query)) == 2
    assert "ticdc__initial_loads" in problem["remedy"]


@pytest.mark.parametrize(
    ("table", "rows", "of_ddl"),
    [
        ("emptied", [150], [("exchange_partition", 4, 0), ("truncate_partition", 3, 0)]),
        (
            "altered_between",
            [150],
            [
                ("exchange_partition", 4, 0),
                ("add_column", None, None),
                ("reorganize_partition", None, None),
                ("drop_partition", 3, 0),
            ],
        ),
        ("written_between", [150, 170], [("exchange_partition", 4, 0), ("truncate_partition", 2, 0)]),
        (
            "regrouped_between",
            [150, 170, 180],
            [("exchange_partition", 4, 0), ("reorganize_partition", None, None), ("truncate_partition", 1, 0)],
        ),
        (
            "exchanged_back",
            [150],
            [("exchange_partition", 4, 0), ("exchange_partition", 4, 0), ("truncate_partition", 1, 0)],
        ),
        ("exchanged_back_side", [5, 170, 180], []),
        *(
            (
                name,
                [],
                [("exchange_partition", 4, 0), (kind, None, None), ("drop_partition", 4, 0)],
            )
            for name, kind in (("regrouped_away", "reorganize_partition"), ("partitioned_anew", "partition_by"))
        ),
        ("ended", [], [("truncate_table", 2, None), ("drop_table", 1, None)]),
    ],
)
def test_exchanged_rows_stay_in_their_partition_until_they_are_written_again(
    built_cases: Built, table: str, rows: Sequence[int], of_ddl: Sequence[tuple[str, int | None, int | None]]
) -> None:
    assert ids(built_cases, "exchanged_rows", table) == rows
    assert taken(built_cases, "exchanged_rows", table) == of_ddl


def test_a_key_that_an_exchange_brings_a_second_time_is_told(built_cases: Built) -> None:
    assert codes(built_cases, "exchanged_rows", "twice_there") == ["change_without_row"]
