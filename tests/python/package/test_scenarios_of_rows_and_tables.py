"""Scenarios of rows, and of tables that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
from support.scenarios import (
    Outcome,
    Tuples,
    created,
    in_order,
    pairs,
    scenario,
    times_of,
    tso_of,
    typed_rows,
    untyped_scenario,
    with_unique,
)
from support.stories import Feed, Table


@untyped_scenario
def key_change(feed: Feed) -> None:
    table = pairs(feed, "key_change", (1, "a"))
    with feed.one_commit():
        table.delete(1, "a")
        table.insert(2, "a")
    # as a changefeed with output-raw-change-event writes it
    table.update((2, "a"), (3, "b"))


def test_key_change(outcome: Outcome) -> None:
    outcome.expect(
        "key_change: id, v", (1, "a", "1-2 insert delete"), (2, "a", "2-3 insert delete"), (3, "b", "3- insert")
    )


@scenario
def name_of_a_variable(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`${{spark.app.name}}` VARCHAR(9))"
    created(feed, "name_of_a_variable", "id int, ${spark.app.name} varchar", columns).insert(1, "a")


def test_a_column_that_looks_like_a_variable_of_spark(outcome: Outcome) -> None:
    outcome.expect("name_of_a_variable: id, ${spark.app.name}", (1, "a", "1- insert"))


@untyped_scenario
def swap_of_keys(feed: Feed) -> None:
    table = pairs(feed, "swap_of_keys", (1, "a"), (2, "b"))
    with feed.one_commit():
        table.delete(1, "a")
        table.delete(2, "b")
        table.insert(2, "a")
        table.insert(1, "b")


def test_swap_of_keys(outcome: Outcome) -> None:
    outcome.expect(
        "swap_of_keys: id, v",
        (1, "a", "1-2 insert update"),
        (2, "b", "1-2 insert update"),
        (1, "b", "2- update"),
        (2, "a", "2- update"),
    )


@untyped_scenario
def reinsert(feed: Feed) -> None:
    table = pairs(feed, "reinsert", (1, "a"))
    with feed.one_commit():
        table.delete(1, "a")
        table.insert(1, "b")
    table.delete(1, "b")
    table.insert(1, "b")


def test_reinsert_in_one_commit(outcome: Outcome) -> None:
    outcome.expect(
        "reinsert: id, v", (1, "a", "1-2 insert update"), (1, "b", "2-3 update delete"), (1, "b", "4- insert")
    )


@untyped_scenario
def one_commit(feed: Feed) -> None:
    table = pairs(feed, "one_commit", (1, "a"), (2, "b"))
    with feed.one_commit():
        table.delete(1, "a")
        table.update((2, "b"), (2, "c"))
        table.insert(3, "d")


def test_insert_update_and_delete_in_one_commit(outcome: Outcome) -> None:
    outcome.expect(
        "one_commit: id, v",
        (1, "a", "1-2 insert delete"),
        (2, "b", "1-2 insert update"),
        (2, "c", "2- update"),
        (3, "d", "2- insert"),
    )


@untyped_scenario
def replace_row(feed: Feed) -> None:
    """REPLACE INTO … VALUES (1, 20) takes the place of both rows."""
    table = with_unique(feed, "replace_row")
    with feed.one_commit():
        table.delete(1, 10)
        table.delete(2, 20)
        table.insert(1, 20)


def test_replace(outcome: Outcome) -> None:
    outcome.expect(
        "replace_row: id, u", (1, 10, "1-2 insert update"), (2, 20, "1-2 insert delete"), (1, 20, "2- update")
    )


@untyped_scenario
def unique_swap(feed: Feed) -> None:
    table = with_unique(feed, "unique_swap")
    with feed.one_commit():
        table.delete(1, 10)
        table.delete(2, 20)
        table.insert(1, 20)
        table.insert(2, 10)


def test_unique_swap(outcome: Outcome) -> None:
    outcome.expect(
        "unique_swap: id, u",
        (1, 10, "1-2 insert update"),
        (2, 20, "1-2 insert update"),
        (1, 20, "2- update"),
        (2, 10, "2- update"),
    )


# Tables


@scenario
def truncated(feed: Feed) -> None:
    table = pairs(feed, "truncated", (1, "a"), (2, "b"))
    table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
    table.insert(1, "c")


def test_truncate(outcome: Outcome) -> None:
    outcome.expect(
        "truncated: id, v",
        (1, "a", "1-2 insert truncate_table"),
        (2, "b", "1-2 insert truncate_table"),
        (1, "c", "3- insert"),
    )


@scenario
def rename(feed: Feed) -> None:
    table = pairs(feed, "rename_old", (1, "a"), (2, "b"))
    renamed = replace(table, name="rename_new")
    renamed.ddl("RENAME", "RENAME TABLE `shop`.`rename_old` TO `shop`.{}")
    renamed.update((2, "b"), (2, "c"))


def test_rename(outcome: Outcome) -> None:
    outcome.expect(
        "rename_new: id, v",
        (1, "a", "1- insert"),
        (2, "b", "1-3 insert update"),
        (2, "c", "3- update"),
        story="rename",
        names={1: "rename_old"},
        as_of={2: None},
    )
    assert "rename_old" not in outcome.tables("shop")


@scenario
def swap_rename(feed: Feed) -> None:
    """RENAME TABLE a TO t, b TO a, t TO b: each message bears the name that its table has in the end."""
    a = pairs(feed, "swap_a", (1, "a"))
    b = created(feed, "swap_b", "id int, n int", "(`id` INT PRIMARY KEY,`n` INT)")
    b.insert(1, 7)
    with feed.one_commit():
        b.ddl("RENAME", "RENAME TABLE `shop`.`swap_a` TO `shop`.`swap_t`;")
        a.ddl("RENAME", "RENAME TABLE `shop`.`swap_b` TO `shop`.`swap_a`;")
        b.ddl("RENAME", "RENAME TABLE `shop`.`swap_t` TO `shop`.`swap_b`;")
    replace(b, name="swap_a").update((1, 7), (1, 8))
    replace(a, name="swap_b").insert(2, "b")


def test_swap_rename(outcome: Outcome) -> None:
    outcome.expect(
        "swap_a: id, n",
        (1, 7, "3-5 insert update"),
        (1, 8, "5- update"),
        story="swap_rename",
        names={3: "swap_b"},
        texts={2: [{"id": "1", "v": "a"}]},
        as_of={2: None, 4: None},
    )
    outcome.expect(
        "swap_b: id, v",
        (1, "a", "1- insert"),
        (2, "b", "6- insert"),
        story="swap_rename",
        names={1: "swap_a", 3: "swap_a"},
        as_of={3: None, 4: None},
    )
    assert "swap_t" not in outcome.tables("shop")


@scenario
def recreated(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`a` VARCHAR(9),`b` INT)"
    table = created(feed, "recreated", "id int, a varchar, b int", columns)
    table.insert_all((1, "x", 5), (2, "6", None))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    columns = "(`z` DATE,`a` INT,`id` VARCHAR(9) PRIMARY KEY)"
    table = created(feed, "recreated", "z date, a int, id varchar", columns)
    table.insert("2024-01-02", 8, "1")


def test_drop_and_recreate(outcome: Outcome) -> None:
    then = [{"id": "1", "a": "x", "b": "5"}, {"id": "2", "a": "6"}]
    now = {"z": "2024-01-02", "a": "8", "id": "1"}
    outcome.expect(
        "recreated: z, a, id, b",
        (None, None, "1", 5, "1-2 insert drop_table", "a:out_of_range"),
        (None, 6, "2", None, "1-2 insert drop_table"),
        (date(2024, 1, 2), 8, "1", None, "4- insert"),
        now=[(date(2024, 1, 2), 8, "1")],
        texts={"history": [*then, now]},
    )


@untyped_scenario
def recovered(feed: Feed) -> None:
    table = pairs(feed, "recovered", (1, "a"), (2, "b"))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    table.ddl("QUERY", "RECOVER TABLE {}")
    table.update((1, "a"), (1, "c"))


def test_recover(outcome: Outcome) -> None:
    outcome.expect(
        "recovered: id, v",
        (1, "a", "1-2 insert drop_table"),
        (2, "b", "1-2 insert drop_table"),
        (1, "a", "3-4 insert update"),
        (2, "b", "3- insert"),
        (1, "c", "4- update"),
    )


@untyped_scenario
def recovered_unsaid(feed: Feed) -> None:
    """Debezium sends no RECOVER TABLE: a row alone tells that the table is there again."""
    table = pairs(feed, "recovered_unsaid", (1, "a"), (2, "b"))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    table.update((1, "a"), (1, "c"))


def test_a_row_after_a_drop_tells_that_its_table_was_recovered(outcome: Outcome) -> None:
    outcome.expect(
        "recovered_unsaid: id, v",
        (1, "a", "1-3 insert update"),  # when it came back is not known
        (2, "b", "1- insert"),
        (1, "c", "3- update"),
    )


@scenario
def came_back_beside(feed: Feed) -> None:
    """What was truncated comes back under another name, beside the table that goes on."""
    table = pairs(feed, "emptied", (1, "a"))
    table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
    table.insert(2, "b")
    back = replace(table, name="came_back")
    back.ddl("QUERY", "FLASHBACK TABLE `shop`.`emptied` TO `came_back`")
    back.update((1, "a"), (1, "c"))
    table.insert(3, "d")


@scenario
def one_name_for_three(feed: Feed) -> None:
    """A table is dropped, the next one of its name renamed, and the third one of that name is another one again."""
    pairs(feed, "one_name", (1, "a")).ddl("ERASE", "DROP TABLE `shop`.{}")
    pairs(feed, "one_name", (2, "b")).ddl("RENAME", "RENAME TABLE `shop`.{} TO `shop`.`second`")
    pairs(feed, "one_name", (3, "c"))


@pytest.mark.parametrize(
    "table, story, history, as_of",
    [
        (
            "emptied",
            "came_back_beside",
            [(1, "a", "1-2 insert truncate_table"), (2, "b", "3- insert"), (3, "d", "6- insert")],
            {1: [(1, "a")], 4: [(2, "b")], 6: [(2, "b"), (3, "d")]},
        ),
        (
            "came_back",
            "came_back_beside",
            [(1, "a", "1-2 insert truncate_table"), (1, "a", "4-5 insert update"), (1, "c", "5- update")],
            {1: [(1, "a")], 3: [], 6: [(1, "c")]},
        ),
        ("one_name", "one_name_for_three", [(3, "c", "7- insert")], {1: [], 4: [], 7: [(3, "c")]}),
        (
            "second",
            "one_name_for_three",
            [(1, "a", "1-2 insert drop_table"), (2, "b", "4- insert")],
            {1: [(1, "a")], 4: [(2, "b")], 7: [(2, "b")]},
        ),
    ],
)
def test_rows_of_another_table_that_was_one_with_this(
    outcome: Outcome, table: str, story: str, history: Tuples, as_of: Mapping[int, Tuples]
) -> None:
    found, *snapshots = outcome.answers(
        f"select * from {table}_history",
        *(f"select * from {table}_as_of({tso_of(commit)})" for commit in as_of),
        schema="shop",
    )
    begin = outcome.feeds["shop"].begun[story]
    assert typed_rows(found, ["id", "v"], partial(times_of, begin, prefix="_")) == in_order(history)
    assert [typed_rows(snapshot, ["id", "v"]) for snapshot in snapshots] == [in_order(rows) for rows in as_of.values()]


@scenario
def drop_database(feed: Feed) -> None:
    database = Table(feed, "", "", schema="archive")
    database.ddl("QUERY", "CREATE DATABASE `archive`")
    pairs(feed, "gone", (1, "a"), schema="archive")
    pairs(feed, "again", (1, "7"), (2, "x"), schema="archive")
    database.ddl("QUERY", "DROP DATABASE `archive`")
    database.ddl("QUERY", "CREATE DATABASE `archive`")
    columns = "(`v` INT,`id` INT PRIMARY KEY)"
    created(feed, "again", "v int, id int", columns, schema="archive").insert(9, 1)


def test_drop_of_a_database(outcome: Outcome) -> None:
    then = [{"id": "1", "v": "7"}, {"id": "2", "v": "x"}]
    outcome.expect(
        "again: v, id",
        (7, 1, "4-5 insert drop_database"),
        (None, 2, "4-5 insert drop_database", "v:out_of_range"),
        (9, 1, "8- insert"),
        story="drop_database",
        schema="archive",
        texts={"history": [*then, {"v": "9", "id": "1"}]},
    )
    assert outcome.tables("archive") == {"again"}
    begin = outcome.feeds["shop"].begun["drop_database"]
    gone = [row for row in outcome.last["history"] if row["table_name"] == "gone"]
    assert [(row["row"], times_of(begin, row)) for row in gone] == [('{"id":"1","v":"a"}', "2-5 insert drop_database")]
