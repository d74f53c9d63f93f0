"""What runs saw of tables becomes events in order."""

from __future__ import annotations

import random
from typing import Any

from ticdc_udfs.catalogue.fold import DdlEvent
from ticdc_udfs.catalogue.seen import Position, SeenTable, ddl_events, with_one_commit


def _seen(kind: str, table: str | None = "t", offset: int = 1, partition: int = 0, **members: Any) -> SeenTable:
    if kind == "ddl":
        members.setdefault("first_ts", members["message_ts"])
    return SeenTable(kind, "s", table, first_position=Position("t", partition, offset, 0), **members)


def _events(*seen: SeenTable) -> list[DdlEvent]:
    events = ddl_events(seen)
    for number in range(10):
        shuffled = list(seen)
        random.Random(number).shuffle(shuffled)
        assert ddl_events(shuffled) == events
    return events


def test_copies_of_a_ddl_are_one_event() -> None:
    """A DDL comes in all partitions, and again in a replay; one of them may tell less."""
    copies = [
        _seen("ddl", message_ts=10, ddl_query="create", ddl_type="CREATE", has_schema=True, table_schema="one"),
        _seen("ddl", partition=1, message_ts=10, ddl_query="create", physical_table_id=7),
        _seen("ddl", offset=9, message_ts=11, ddl_query="create", ddl_type="CREATE"),
    ]
    assert _events(*copies) == [
        DdlEvent(10, "s", "t", "create", "CREATE", "one", 7),
        DdlEvent(11, "s", "t", "create", "CREATE"),
    ]


def test_ddl_of_one_commit_is_in_order_of_its_place() -> None:
    first = _seen("ddl", "b", offset=3, message_ts=10, ddl_query="second")
    assert [
        each.ddl_query for each in _events(first, _seen("ddl", "a", offset=9, message_ts=10, ddl_query="third"))
    ] == [
        "second",
        "third",
    ]


def test_the_first_row_tells_a_schema() -> None:
    seen = [
        _seen("row", table_schema_id=1, has_schema=True, first_ts=20, table_schema="one"),
        _seen("row", table_schema_id=1, has_schema=True, first_ts=15, table_schema="one", offset=9),
        _seen("row", table_schema_id=2, has_schema=True, first_ts=15, table_schema="two", offset=3),
        _seen("row", table_schema_id=3, first_ts=5),
    ]
    assert _events(*seen) == [
        DdlEvent(15, "s", "t", table_schema="two"),
        DdlEvent(15, "s", "t", table_schema="one"),
    ]


def test_a_bootstrap_counts_from_the_first_row_that_names_its_schema() -> None:
    """It says nothing of when; where no row names its schema it counts from the begin."""
    seen = [
        _seen("bootstrap", table_schema_id=1, has_schema=True, table_schema="one"),
        _seen("bootstrap", table_schema_id=6, has_schema=True, table_schema="six"),
        _seen("row", table_schema_id=1, first_ts=25),
        _seen("row", table_schema_id=1, first_ts=15),
        _seen("bootstrap", "u", has_schema=True, table_schema="without id"),
        _seen("row", "u", first_ts=15),
    ]
    assert _events(*seen) == [
        DdlEvent(0, "s", "t", table_schema="six"),
        DdlEvent(0, "s", "u", table_schema="without id"),
        DdlEvent(15, "s", "t", table_schema="one"),
    ]


def test_the_first_row_after_a_name_was_given_up_tells_again() -> None:
    """With the schema that rows bear under its id, where it bears none itself."""
    seen = [
        _seen("row", table_schema_id=1, has_schema=True, first_ts=5, table_schema="one"),
        _seen("ddl", message_ts=10, ddl_query="drop table t"),
        _seen("row_after_end", table_schema_id=1, first_ts=11, ends_before=1),
        _seen("row_after_end", table_schema_id=1, first_ts=31, ends_before=2),
        _seen("row_after_end", table_schema_id=9, first_ts=14, ends_before=1),
        _seen("row_after_end", first_ts=16, ends_before=1),
    ]
    assert [(each.commit_ts, each.ddl_query, each.table_schema) for each in _events(*seen)] == [
        (5, None, "one"),
        (10, "drop table t", None),
        (11, None, "one"),
        (14, None, None),
        (16, None, None),
        (31, None, "one"),
    ]


def test_a_load_stands_before_messages_of_its_commit() -> None:
    load = SeenTable("load", "s", "t", message_ts=10, ddl_type="initial_load")
    events = _events(_seen("ddl", message_ts=10, ddl_query="create"), load)
    assert [each.ddl_type for each in events] == ["initial_load", None]


def _repeated(*seen: SeenTable) -> list[tuple[int | None, bool]]:
    return [(each.message_ts, each.commit_ts_exact) for each in with_one_commit(seen)]


def test_a_ddl_that_repeats_with_its_exact_commit_is_one() -> None:
    """The TiDB extension was switched on, or off, while the changefeed went on from an earlier checkpoint."""
    moment = 7 << 18
    inexact = _seen("ddl", message_ts=moment, ddl_query="rename", commit_ts_exact=False)
    exact = _seen("ddl", offset=5, message_ts=moment + 3, ddl_query="rename")
    assert _repeated(inexact, exact) == [(moment, False)] * 2
    assert len(_events(*with_one_commit([inexact, exact]))) == 1
    first = _seen("ddl", offset=0, message_ts=moment + 3, ddl_query="rename")
    assert _repeated(inexact, first) == [(moment + 3, True)] * 2
    # other statements, moments and tables are others; so are commits that tell both which they are
    others = [
        _seen("ddl", offset=6, message_ts=moment + 4, ddl_query="drop"),
        _seen("ddl", "u", offset=7, message_ts=moment + 4, ddl_query="rename"),
        _seen("ddl", offset=8, message_ts=moment + (1 << 18), ddl_query="rename"),
    ]
    assert _repeated(inexact, *others) == _repeated(inexact) + [(each.message_ts, True) for each in others]
    assert _repeated(exact, _seen("ddl", message_ts=moment + 9, ddl_query="rename")) == [
        (moment + 3, True),
        (moment + 9, True),
    ]
