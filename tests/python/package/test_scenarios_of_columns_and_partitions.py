"""Scenarios of partitions, columns and keys that DDL changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from support.scenarios import Outcome, created, in_ranges, pairs, scenario, untyped_scenario
from support.stories import Feed


@untyped_scenario
def drop_partition(feed: Feed) -> None:
    table = in_ranges(feed, "drop_partition")
    table.ddl("ALTER", "ALTER TABLE `shop`.{} DROP PARTITION `p10`")
    # the next partition has no lower bound but that of the one before it
    table.insert(5, "d")


def test_drop_partition(outcome: Outcome) -> None:
    outcome.expect(
        "drop_partition: id, v",
        (5, "a", "1-2 insert drop_partition"),
        (15, "b", "1- insert"),
        (25, "c", "1- insert"),
        (5, "d", "3- insert"),
    )


@untyped_scenario
def truncate_partition(feed: Feed) -> None:
    table = in_ranges(feed, "truncate_partition")
    table.ddl("ALTER", "ALTER TABLE `shop`.{} TRUNCATE PARTITION `p20`,`p30`")
    table.insert(25, "d")


def test_truncate_partition(outcome: Outcome) -> None:
    outcome.expect(
        "truncate_partition: id, v",
        (5, "a", "1- insert"),
        (15, "b", "1-2 insert truncate_partition"),
        (25, "c", "1-2 insert truncate_partition"),
        (25, "d", "3- insert"),
    )


@scenario
def exchange_partition(feed: Feed) -> None:
    table = in_ranges(feed, "exchange_partition")
    other = pairs(feed, "exchanged", (12, "x"))
    other.ddl("QUERY", "ALTER TABLE `shop`.`exchange_partition` EXCHANGE PARTITION `p20` WITH TABLE `shop`.{}")
    table.update((12, "x"), (12, "y"))
    other.delete(15, "b")


def test_exchange_partition(outcome: Outcome) -> None:
    outcome.expect(
        "exchange_partition: id, v",
        (5, "a", "1- insert"),
        (15, "b", "1-4 insert exchange_partition"),
        (25, "c", "1- insert"),
        (12, "x", "4-5 insert update"),
        (12, "y", "5- update"),
    )
    outcome.expect(
        "exchanged: id, v",
        (12, "x", "3-4 insert exchange_partition"),
        (15, "b", "4-6 insert delete"),
        story="exchange_partition",
    )


# Columns


@scenario
def add_column(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY)"
    table = created(feed, "add_column", "id int", columns)
    table.insert_all((1,), (2,))
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT NOT NULL DEFAULT 7 FIRST, ADD COLUMN `v` VARCHAR(9)")
    table = replace(table, columns="n int, id int, v varchar")
    table.insert(9, 3, "x")
    table.update((7, 1, None), (8, 1, None))


def test_add_column_with_default(outcome: Outcome) -> None:
    outcome.expect(
        "add_column: n, id, v",
        (None, 1, None, "1-4 insert update"),
        (None, 2, None, "1- insert"),
        (9, 3, "x", "3- insert"),
        (8, 1, None, "4- update"),
        now=[(8, 1, None), (7, 2, None), (9, 3, "x")],
        as_of={
            2: [(7, 1, None), (7, 2, None)],
            3: [(7, 1, None), (7, 2, None), (9, 3, "x")],
            4: [(8, 1, None), (7, 2, None), (9, 3, "x")],
        },
    )


@scenario
def rename_column(feed: Feed) -> None:
    table = pairs(feed, "rename_column", (1, "a"), (2, "b"))
    table.ddl("ALTER", "ALTER TABLE {} RENAME COLUMN `v` TO `w`")
    replace(table, columns="id int, w varchar").update((1, "a"), (1, "c"))


def test_rename_column(outcome: Outcome) -> None:
    outcome.expect(
        "rename_column: id, w, v",
        (1, None, "a", "1-3 insert update"),
        (2, None, "b", "1- insert"),
        (1, "c", None, "3- update"),
        now=[(1, "c"), (2, "b")],
        as_of={2: [(1, "a", None), (2, "b", None)], 3: [(1, "c", None), (2, "b", None)]},
    )


@scenario
def rename_case(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`Name` VARCHAR(9))"
    table = created(feed, "rename_case", "id int, Name varchar", columns)
    table.insert_all((1, "a"), (2, None))
    table.ddl("ALTER", "ALTER TABLE {} RENAME COLUMN `Name` TO `name`")
    replace(table, columns="id int, name varchar").insert(3, "c")


def test_rename_of_a_column_in_case_alone(outcome: Outcome) -> None:
    then = [{"id": "1", "Name": "a"}, {"id": "2"}]
    outcome.expect(
        "rename_case: id, name",
        (1, "a", "1- insert"),
        (2, None, "1- insert"),
        (3, "c", "3- insert"),
        now=[(1, "a"), (2, None), (3, "c")],
        as_of={2: [(1, "a"), (2, None)], 3: [(1, "a"), (2, None), (3, "c")]},
        texts={"history": [*then, {"id": "3", "name": "c"}]},
    )


@scenario
def corrupt_record(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`_corrupt_record` VARCHAR(9))"
    created(feed, "corrupt_record", "id int, _corrupt_record varchar", columns).insert_all((1, "a"), (2, None))


def test_a_column_that_bears_sparks_name_for_what_it_cannot_read(outcome: Outcome) -> None:
    outcome.expect("corrupt_record: id, _corrupt_record", (1, "a", "1- insert"), (2, None, "1- insert"))


@scenario
def case_and_type(feed: Feed) -> None:
    table = created(feed, "case_and_type", "id int, V varchar", "(`id` INT PRIMARY KEY,`V` VARCHAR(9))")
    table.insert_all((1, "x"), (2, "7"))
    table.delete(1, "x")
    table.ddl("ALTER", "ALTER TABLE {} CHANGE COLUMN `V` `v` INT")
    replace(table, columns="id int, v int").insert(3, 8)


def test_rename_in_case_alone_to_a_type_that_holds_less(outcome: Outcome) -> None:
    of_text = [{"id": "1", "V": "x"}, {"id": "2", "V": "7"}]
    outcome.expect(
        "case_and_type: id, v",
        (1, None, "1-2 insert delete", "v:out_of_range"),
        (2, 7, "1- insert"),
        (3, 8, "4- insert"),
        now=[(2, 7), (3, 8)],
        as_of={4: [(2, 7), (3, 8)]},
        texts={"history": [*of_text, {"id": "3", "v": "8"}]},
    )


@scenario
def narrowed(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`d` DECIMAL(6,4),`t` DATETIME)"
    table = created(feed, "narrowed", "id int, d decimal, t datetime", columns)
    row = (1, "1.2345", "2020-01-02 03:04:05")
    table.insert_all(row, (2, "1.5000", "2020-01-02 00:00:00"))
    table.delete(*row)
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `d` DECIMAL(6,2), MODIFY COLUMN `t` DATE")
    replace(table, columns="id int, d decimal, t date").insert(3, "2.25", "2020-01-03")


def test_what_a_type_would_cut_of_a_former_value_is_flagged(outcome: Outcome) -> None:
    rows = [(2, Decimal("1.50"), date(2020, 1, 2)), (3, Decimal("2.25"), date(2020, 1, 3))]
    cut = {"id": "1", "d": "1.2345", "t": "2020-01-02 03:04:05"}
    outcome.expect(
        "narrowed: id, d, t",
        (1, None, None, "1-2 insert delete", "d:out_of_range", "t:out_of_range"),
        (*rows[0], "1- insert"),
        (*rows[1], "4- insert"),
        now=rows,
        as_of={4: rows},
        texts={
            "history": [
                cut,
                {"id": "2", "d": "1.5000", "t": "2020-01-02 00:00:00"},
                {"id": "3", "d": "2.25", "t": "2020-01-03"},
            ],
        },
    )


@scenario
def type_change(feed: Feed) -> None:
    table = created(feed, "type_change", "id int, v int", "(`id` INT PRIMARY KEY,`v` INT)")
    table.insert_all((1, 5), (2, None))
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `v` VARCHAR(9)")
    text = replace(table, columns="id int, v varchar")
    text.insert_all((3, "x"), (4, "07"))
    text.delete(3, "x")
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `v` INT")
    table.update((1, 5), (1, 6))


def test_type_change(outcome: Outcome) -> None:
    of_text = [{"id": "1", "v": "5"}, {"id": "2"}, {"id": "3", "v": "x"}, {"id": "4", "v": "07"}]
    outcome.expect(
        "type_change: id, v",
        (1, 5, "1-6 insert update"),
        (2, None, "1- insert"),
        (3, None, "3-4 insert delete", "v:out_of_range"),
        (4, 7, "3- insert"),
        (1, 6, "6- update"),
        now=[(1, 6), (2, None), (4, 7)],
        as_of={5: [(1, 5), (2, None), (4, 7)], 6: [(1, 6), (2, None), (4, 7)]},
        texts={"history": [*of_text, {"id": "1", "v": "6"}]},
    )


@scenario
def binary_to_text(feed: Feed) -> None:
    """`b` becomes text, `t` becomes binary, and `gone`, which was binary and then text, is dropped."""
    columns = "(`id` INT PRIMARY KEY,`b` VARBINARY(9),`t` VARCHAR(9),`gone` VARBINARY(9))"
    table = created(feed, "binary_to_text", "id int, b varbinary, t varchar, gone varbinary", columns)
    table.insert_all((1, "ä".encode(), "ü", b"g"), (2, b"\xff\x00", None, None))
    table.delete(2, b"\xff\x00", None, None)
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `b` VARCHAR(9)")
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `t` VARBINARY(9), MODIFY COLUMN `gone` VARCHAR(9)")
    table = replace(table, columns="id int, b varchar, t varbinary, gone varchar")
    # a text that is base64 too, and bytes that are none
    table.insert(3, "YQ==", b"\xfe", "g3")
    table.ddl("ALTER", "ALTER TABLE {} DROP COLUMN `gone`")
    replace(table, columns="id int, b varchar, t varbinary").insert(4, "d", None)


def test_change_between_binary_and_text(outcome: Outcome) -> None:
    old = [{"id": "1", "b": "w6Q=", "t": "ü", "gone": "Zw=="}, {"id": "2", "b": "/wA="}]
    outcome.expect(
        "binary_to_text: id, b, t, gone",
        (1, "ä", "ü".encode(), "g", "1- insert"),
        (2, None, None, None, "1-2 insert delete", "b:out_of_range"),
        (3, "YQ==", b"\xfe", "g3", "5- insert"),
        (4, "d", None, None, "7- insert"),
        now=[(1, "ä", "ü".encode()), (3, "YQ==", b"\xfe"), (4, "d", None)],
        as_of={
            3: [(1, "ä", "ü".encode(), "g")],
            4: [(1, "ä", "ü".encode(), "g")],
            5: [(1, "ä", "ü".encode(), "g"), (3, "YQ==", b"\xfe", "g3")],
            6: [(1, "ä", "ü".encode(), None), (3, "YQ==", b"\xfe", None)],
            7: [(1, "ä", "ü".encode(), None), (3, "YQ==", b"\xfe", None), (4, "d", None, None)],
        },
        texts={
            "history": [*old, {"id": "3", "b": "YQ==", "t": "/g==", "gone": "g3"}, {"id": "4", "b": "d"}],
            3: [{"id": "1", "b": "ä", "t": "ü", "gone": "Zw=="}],
        },
    )


@scenario
def new_key(feed: Feed) -> None:
    columns = "(`a` INT NOT NULL,`b` INT NOT NULL,PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */)"
    table = created(feed, "new_key", "a int, b int", columns, key=("a",))
    table.insert_all((1, 10), (2, 20))
    table.ddl("DINDEX", "ALTER TABLE {} DROP PRIMARY KEY")
    table.ddl("CINDEX", "ALTER TABLE {} ADD PRIMARY KEY(`b`)")
    replace(table, key=("b",)).update((1, 10), (2, 10))


def test_key_change_by_ddl(outcome: Outcome) -> None:
    outcome.expect(
        "new_key: a, b",
        *((a, b, "1-2 insert key_change") for a, b in ((1, 10), (2, 20))),
        *((a, b, "2-3 insert key_change", "*:no_key") for a, b in ((1, 10), (2, 20))),
        (1, 10, "3-4 insert update"),
        (2, 20, "3- insert"),
        (2, 10, "4- update"),
    )
    assert outcome.keys("new_key") == {'{"b":"10"}', '{"b":"20"}'}


@scenario
def other_key(feed: Feed) -> None:
    """The unique column is the key that is left; canal-json names primary keys alone."""
    columns = (
        "(`a` INT NOT NULL,`b` INT NOT NULL,PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */,UNIQUE `u`(`b`))"
    )
    table = created(feed, "other_key", "a int, b int", columns, key=("a",))
    table.insert_all((1, 10), (2, 20))
    table.ddl("DINDEX", "ALTER TABLE {} DROP PRIMARY KEY")
    replace(table, key=()).update((1, 10), (2, 10))


def test_key_change_to_a_unique_column(outcome: Outcome) -> None:
    outcome.expect(
        "other_key: a, b",
        *((a, b, "1-2 insert key_change") for a, b in ((1, 10), (2, 20))),
        (1, 10, "2-3 insert update"),
        (2, 20, "2- insert"),
        (2, 10, "3- update"),
    )
    assert outcome.keys("other_key") == {'{"b":"10"}', '{"b":"20"}'}
