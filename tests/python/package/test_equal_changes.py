"""Tables without a key: which equal changes of one commit are rows of their own, and which came again.

All of them are one feed, which a second one brings in pieces: any message in either of two runs.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from support import open_protocol
from support import upstream as upstream_tables
from support.cases import Built, case, records
from support.corpus import renamed
from support.stories import Feed, Message, Table, Value
from support.upstream import Upstream


class Story:
    """A table without a key, of one column: changes in one partition, each at the next offset."""

    def __init__(self, name: str) -> None:
        FEED.begin(name)
        self.table = Table(FEED, name, "v int", key=())

    def commit(self, *changes: tuple[Value, Value], row_keys: tuple[str, ...] = ()) -> None:
        """Changes of one commit from a value to another; None for no row. `row_keys` are those of their messages."""
        first = len(FEED.messages)
        with FEED.one_commit():
            for old, new in changes:
                if old is None:
                    self.table.insert(new)
                elif new is None:
                    self.table.send("DELETE", [old])
                else:
                    self.table.update([old], [new])
        for place, row_key in enumerate(row_keys, start=first):
            partition, message = FEED.messages[place]
            FEED.messages[place] = partition, with_row_key(message, row_key)

    def again(self, first: int, end: int | None = None) -> None:
        """A range of the last messages comes again."""
        FEED.messages.extend(FEED.messages[first:end])


def with_row_key(message: Message, row_key: str) -> Message:
    return {**message, "_tidb": {**message["_tidb"], "rowkey": row_key}}


FEED = Feed("copies")
ROWS: dict[str, Mapping[int, int]] = {}
"""What each table holds in the end: how many rows of each value."""
UNSURE: dict[str, int] = {}
"""How many changes of a table may be others that a producer sent twice."""

story = Story("met")
story.commit((None, 1), (None, 2))
story.commit((1, 3), (2, 3))
ROWS["met"] = {3: 2}

story = Story("twins")
story.commit((None, 7), (None, 7))
ROWS["twins"], UNSURE["twins"] = {7: 2}, 1

story = Story("replayed")
story.commit((None, 7), (None, 7))
story.commit((None, 8))
story.again(-3)
story.again(-2)
ROWS["replayed"], UNSURE["replayed"] = {7: 2, 8: 1}, 1

story = Story("taken_away")
story.commit((None, 7), (None, 7), (None, 7))
story.commit((7, None), (7, None))
story.commit((7, 9))
story.again(-3)
ROWS["taken_away"], UNSURE["taken_away"] = {9: 1}, 3

story = Story("moved")
story.commit((None, 1), (None, 1), (None, 2), (None, 2))
story.commit((1, 2), (1, 2), (2, 3), (2, 3))
ROWS["moved"], UNSURE["moved"] = {2: 2, 3: 2}, 4

story = Story("crossing")
story.commit((None, 3), (None, 1), (None, 2))
story.commit((3, 4), (1, 3), (2, 3))
ROWS["crossing"] = {3: 2, 4: 1}

story = Story("interrupted")
story.commit((None, 7), (None, 7))
Table(FEED, "other", "id int").insert(1)
story.again(-3, -1)
ROWS["interrupted"], UNSURE["interrupted"] = {7: 2}, 1

story = Story("told_apart")
story.commit((None, 7), (None, 7), (None, 7), row_keys=("a", "b", "a"))
story.commit((None, 8))
story.commit((7, 9), (7, 9), (7, 9), row_keys=("b", "a", "b"))
story.again(-3)
ROWS["told_apart"] = {8: 1, 9: 2}

LINES = FEED.lines()
case("copies", "canal_json", LINES)
chance = random.Random(7)
PIECES: list[list[str]] = [[], []]
for line in chance.sample(LINES, len(LINES)):
    chance.choice(PIECES).append(renamed(line, "copies_in_pieces"))
case("copies_in_pieces", "canal_json", *PIECES)


@pytest.mark.parametrize("feed", ["copies", "copies_in_pieces"])
@pytest.mark.parametrize("table", ROWS)
def test_rows_that_are_equal_count_each_and_repeats_do_not(built_cases: Built, feed: str, table: str) -> None:
    rows = built_cases.current(feed)[f"shop.{table}"]
    assert Counter(int(row["v"] or 0) for row in rows) == ROWS[table]


def test_changes_do_not_depend_on_how_they_came(built_cases: Built) -> None:
    query = "select table_name, commit_ts, op, image_hash, before, after, copy from ticdc__changelog where feed = '{}'"
    whole, in_pieces = (
        Counter(json.dumps(row) for row in built_cases.rows(query.format(feed)))
        for feed in ("copies", "copies_in_pieces")
    )
    assert whole == in_pieces
    assert set(whole.values()) == {1}


@pytest.mark.parametrize("feed", ["copies", "copies_in_pieces"])
def test_what_cannot_be_told_from_a_repeat_is_counted(built_cases: Built, feed: str) -> None:
    problems = [row for row in built_cases.problems(feed) if row["code"] == "equal_changes"]
    assert {row["table_name"]: int(row["detail"].split()[0]) for row in problems} == UNSURE
    assert {row["severity"] for row in problems} == {"warning"}
    first = min(row["commit_ts"] for row in built_cases.of("changelog", feed) if row["table_name"] == "twins")
    assert [row["commit_ts"] for row in problems if row["table_name"] == "twins"] == [first]


OTHER_PROTOCOLS = ("open_protocol", "simple", "debezium")
for protocol in OTHER_PROTOCOLS:
    upstream = Upstream(protocol, upstream_tables.Table("t", [upstream_tables.Column(1, "v", upstream_tables.INT)], []))
    upstream.create()
    rows: list[dict[int, int | str | None]] = [{1: 7}, {1: 7}, {1: 1}, {1: 2}]
    for row in rows:
        upstream.insert(row)
        upstream.commit_ts -= upstream_tables.STEP
    upstream.commit_ts += upstream_tables.STEP
    for row in rows[2:]:
        upstream.update(row, {1: 3})
        upstream.commit_ts -= upstream_tables.STEP
    WIRE = [(key, value) for _, key, value, _ in upstream.sent]
    # all came again, and its first message once more
    case(f"copies_{protocol}", protocol, records(f"copies_{protocol}", [*WIRE, *WIRE[1:], WIRE[1]]))


@pytest.mark.parametrize("protocol", OTHER_PROTOCOLS)
def test_every_protocol_counts_equal_changes_that_stand_side_by_side(built_cases: Built, protocol: str) -> None:
    rows = built_cases.current(f"copies_{protocol}")["shop.t"]
    assert Counter(row["v"] for row in rows) == {"3": 2, "7": 2}
    told = {row["code"]: row["detail"] for row in built_cases.problems(f"copies_{protocol}")}
    assert told["equal_changes"].startswith("1 change(s) ")
    assert "change_without_row" not in told


def open_event(table: str, value: int, rid: int | None = None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return open_protocol.row_key(tbl=table, rid=rid), {"u": {"v": open_protocol.column(3, value)}}


BATCHES = [
    open_protocol.message(*(open_event("told_apart", 7, rid) for rid in (1, 2, 1))),
    open_protocol.message(open_event("told_apart", 7, 3)),
    open_protocol.message(*(open_event("together", value) for value in (7, 7, 8))),
    open_protocol.message(open_event("together", 7)),
]
case("copies_in_batches", "open_protocol", records("copies_in_batches", [*BATCHES, *BATCHES]))


def test_a_range_of_offsets_goes_on_through_batches_and_numbers_of_rows_tell_them_apart(built_cases: Built) -> None:
    found = built_cases.current("copies_in_batches")
    assert [row["v"] for row in found["shop.told_apart"]] == ["7", "7", "7"]
    assert [row["v"] for row in found["shop.together"]] == ["7", "7", "7", "8"]
    told = {
        row["table_name"]: row["detail"].partition(" ")[0]
        for row in built_cases.problems("copies_in_batches")
        if row["code"] == "equal_changes"
    }
    assert told == {"together": "2"}
