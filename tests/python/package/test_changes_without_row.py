"""Changes that find no row to change, or their row there already: told for each table, and never of what is right."""

from __future__ import annotations

from support.cases import Built, case, records
from support.messages import COMMIT_TS
from support.open_protocol import column, ident, message, row_key
from support.stories import STEP, Feed, Table

PAIRS = "id int, v varchar"


def created(
    feed: Feed, name: str, columns: str = PAIRS, definition: str = "(`id` INT PRIMARY KEY,`v` VARCHAR(9))"
) -> Table:
    """A table that begins in the feed, with its primary key `id` if it has one."""
    feed.begin(name)
    table = Table(feed, name, columns, key=("id",) if "PRIMARY" in definition else ())
    table.ddl("CREATE", f"CREATE TABLE {{}} {definition}")
    return table


# What is right

FITTING = Feed("fitting")

table = created(FITTING, "ordinary")
table.insert_all((1, "a"), (2, "b"))
table.update((1, "a"), (1, "c"))
table.send("DELETE", (1, "c"))
table.insert(1, "d")
with FITTING.one_commit():
    table.send("DELETE", (1, "d"))
    table.insert(1, "e")
with FITTING.one_commit():
    table.update((1, "e"), (2, "e"))
    table.update((2, "b"), (1, "b"))
table.update((2, "e"), (3, "e"))
table.insert(2, "f")

table = created(FITTING, "altered")
table.insert(1, "a")
table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `w` INT DEFAULT 5")
wider = Table(FITTING, "altered", "id int, v varchar, w int")
wider.update((1, "a", 5), (1, "b", 6))
wider.ddl("ALTER", "ALTER TABLE {} DROP PRIMARY KEY, ADD PRIMARY KEY (`w`)")
Table(FITTING, "altered", "id int, v varchar, w int", key=("w",)).send("DELETE", (1, "b", 6))

table = created(FITTING, "emptied")
table.insert(1, "a")
table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
table.insert(1, "b")

table = created(
    FITTING,
    "parted",
    definition="(`id` INT PRIMARY KEY,`v` VARCHAR(9)) PARTITION BY RANGE (`id`) (PARTITION `p1` VALUES LESS THAN (10),"
    "PARTITION `p2` VALUES LESS THAN (20))",
)
table.insert_all((1, "a"), (11, "b"))
table.ddl("ALTER", "ALTER TABLE {} TRUNCATE PARTITION `p1`")
table.insert(1, "c")

other = Table(FITTING, "exchanged", PAIRS)
other.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))")
other.insert_all((11, "z"), (12, "d"))
other.ddl("QUERY", "ALTER TABLE `shop`.`parted` EXCHANGE PARTITION `p2` WITH TABLE `shop`.{}")
table.update((12, "d"), (12, "e"))
table.update((11, "z"), (11, "f"))
other.send("DELETE", (11, "b"))
other.insert(12, "g")

table = created(FITTING, "old_name")
table.insert(1, "a")
table = Table(FITTING, "new_name", PAIRS)
table.ddl("RENAME", "RENAME TABLE `shop`.`old_name` TO `shop`.{}")
table.update((1, "a"), (1, "b"))
table.ddl("ERASE", "DROP TABLE `shop`.{}")
table.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))")
table.insert(1, "c")

table = created(FITTING, "retyped")
table.insert_all((1, "a"), (2, "b"))
table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `id` VARCHAR(9)")
table = Table(FITTING, "retyped", "id varchar, v varchar")
table.update(("1", "a"), ("x", "a"))
table.send("DELETE", ("2", "b"))

table = created(FITTING, "keyless", "v int", "(`v` INT)")
with FITTING.one_commit():
    table.insert(7)
    table.insert(7)
table.update((7,), (8,))
table.send("DELETE", (7,))
table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `w` INT")
Table(FITTING, "keyless", "v int, w int", key=()).update((8, None), (9, 1))

# TiCDC makes a delete of the update that deletes a row softly, and leaves that which brings it back
GONE, LATER = "2026-05-28 20:26:43.900000", "2026-05-29 00:00:00.000000"
table = created(FITTING, "softly", f"{PAIRS}, _tidb_softdelete_time timestamp")
table.insert_all((1, "a", None), (2, "a", None), (3, "a", GONE))
table.send("DELETE", (1, "a", None))
table.update((1, "a", GONE), (1, "b", None))
table.update((2, "a", None), (2, "a", GONE))
table.update((2, "a", GONE), (2, "a", LATER))

# rows that no message brought
FITTING.begin("was_there")
table = Table(FITTING, "was_there", PAIRS)
table.update((1, "a"), (1, "b"))
table.update((2, "a"), (3, "a"))
table.send("DELETE", (4, "a"))
FITTING.begin("keyless_was_there")
table = Table(FITTING, "keyless_was_there", "v int", key=())
table.send("DELETE", (7,))
table.send("DELETE", (7,))
table.update((7,), (8,))

LINES = FITTING.lines()
FITTING.messages.extend(FITTING.messages[len(LINES) // 3 :])
case("fitting", "canal_json", LINES, FITTING.lines()[len(LINES) :])


# What is not

MISFITS = Feed("misfits")

table = created(MISFITS, "gone")
table.insert(1, "a")
table.send("DELETE", (1, "a"))
table.update((1, "a"), (1, "b"))
table.update((1, "b"), (1, "c"))

table = created(MISFITS, "never_came")
table.update((1, "a"), (1, "b"))
table.send("DELETE", (2, "a"))
table.update((3, "a"), (4, "a"))

table = created(MISFITS, "taken")
table.insert(1, "a")
table.insert(2, "a")
table.insert(1, "b")

table = created(MISFITS, "keyless", "v int", "(`v` INT)")
table.insert(7)
table.update((7,), (8,))
table.update((7,), (8,))
table.send("DELETE", (9,))

table = created(MISFITS, "rows_fall_together")
table.insert_all((1, "a"), (2, "a"))
table.ddl("ALTER", "ALTER TABLE {} DROP PRIMARY KEY, ADD PRIMARY KEY (`v`)")

MISFITS.begin("was_there")
table = Table(MISFITS, "was_there", PAIRS)
table.send("DELETE", (1, "a"))
table.update((1, "a"), (1, "b"))

table = created(MISFITS, "later")
table.insert_all((1, "a"), (2, "a"), (3, "a"))
table.send("DELETE", (3, "a"))
SECOND = len(MISFITS.messages)
table.insert(1, "b")
table.update((2, "a"), (2, "b"))
table.update((3, "a"), (3, "b"))
table.insert(4, "a")

LINES = MISFITS.lines()
case("misfits", "canal_json", LINES[:SECOND], LINES[SECOND:])
TOLD = {
    "gone": (3, 1, 0),
    "never_came": (1, 3, 0),
    "taken": (3, 0, 1),
    "keyless": (3, 2, 0),
    "rows_fall_together": (2, 0, 1),
    "was_there": (1, 1, 0),
    "later": (3, 1, 1),
}
"""The commit of the first, how many changes found no row, and how many found theirs there already."""

LATE = Feed("late_insert")
table = created(LATE, "t")
table.insert(1, "a")
table.update((1, "a"), (1, "b"))
table.insert(2, "a")
FIRST, INSERT, UPDATE, OTHER = LATE.lines()
case("late_insert", "canal_json", [FIRST, UPDATE], [INSERT, OTHER])


def open_rows(*values: int) -> list[bytes | tuple[bytes | None, bytes | None]]:
    create = message((row_key(t=2), {"q": "CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)", "t": 3}))
    bodies = [{"u": {"id": ident(), "v": column(3, value)}} for value in values]
    return [
        create,
        *(message((row_key(ts=COMMIT_TS + place * STEP), body)) for place, body in enumerate(bodies, start=1)),
    ]


case("without_old_values", "open_protocol", records("without_old_values", open_rows(1, 2, 3)))


def told(built: Built, feed: str) -> dict[str, tuple[int, int, int]]:
    begun = MISFITS.begun
    return {
        row["table_name"]: (
            (row["commit_ts"] - begun[row["table_name"]]) // STEP,
            *(int(part.split()[0]) for part in row["detail"].split(", ")[:2]),
        )
        for row in built.problems(feed)
        if row["code"] == "change_without_row"
    }


def test_changes_that_find_no_row_are_told(built_cases: Built) -> None:
    assert told(built_cases, "misfits") == TOLD
    assert {row["severity"] for row in built_cases.problems("misfits") if row["code"] == "change_without_row"} == {
        "error"
    }


def test_nothing_is_told_of_what_is_right(built_cases: Built) -> None:
    assert told(built_cases, "fitting") == {}
    assert built_cases.current("fitting")["shop.ordinary"] == [
        {"id": "1", "v": "b"},
        {"id": "2", "v": "f"},
        {"id": "3", "v": "e"},
    ]


def test_a_soft_deleted_row_that_comes_back_is_no_missing_one(built_cases: Built) -> None:
    assert "softly" not in told(built_cases, "fitting")
    assert built_cases.current("fitting")["shop.softly"] == [{"id": "1", "v": "b"}]
    of_table = [row["code"] for row in built_cases.problems("fitting") if row["table_name"] == "softly"]
    assert of_table == ["lossy_values"]


def test_what_was_told_before_a_late_row_came_is_told_no_more(built_cases: Built) -> None:
    assert told(built_cases, "late_insert") == {}
    assert built_cases.current("late_insert") == {"shop.t": [{"id": "1", "v": "b"}, {"id": "2", "v": "a"}]}


def test_open_protocol_without_old_values_writes_updates_as_inserts(built_cases: Built) -> None:
    assert built_cases.current("without_old_values") == {"shop.t": [{"id": "1", "v": "3"}]}
    assert told(built_cases, "without_old_values") == {}
