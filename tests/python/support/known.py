"""A feed whose rows come late, are carried by DDL, and go and come again: what was known when, over three runs."""

from __future__ import annotations

from dataclasses import replace

from support.scenarios import created, in_ranges, pairs
from support.stories import STEP, Feed

COLUMNS = "(`a` INT NOT NULL,`v` VARCHAR(9) NOT NULL,PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */)"
CAUSES = ("delete", "drop_partition", "drop_table", "key_change", "update")
"""What ends times in it."""


def told_in_three(name: str, *, promised: bool) -> list[list[str]]:
    """Messages of a feed as lines, by run; with watermarks (`promised`) the rows that come late break a promise."""
    feed = Feed(name)
    ends = []

    def end_run(*partitions: int) -> None:
        if promised:
            feed.watermark(feed.commit_ts, *partitions)
        ends.append(len(feed.messages))

    feed.begin("rows")
    table = created(feed, "changed", "a int, v varchar", COLUMNS, key=("a",))
    table.insert_all((1, "a"), (2, "b"), (3, "c"))
    late_ts = feed.commit_ts
    feed.commit_ts += STEP
    table.update((1, "a"), (1, "e"))
    table.delete(3, "c")
    parts, gone = in_ranges(feed, "parts"), pairs(feed, "gone", (1, "x"))
    keyless = created(feed, "keyless", "v varchar", "(`v` VARCHAR(9))", key=None)
    keyless.insert_all(("x",), ("x",))
    end_run(0, 1)

    now_ts, feed.commit_ts = feed.commit_ts, late_ts
    with feed.one_commit():
        table.send("UPDATE", (1, "d"), (1, "a"), partition=1)
        table.send("DELETE", (2, "b"), partition=1)
    feed.commit_ts = now_ts
    table.insert(3, "f")
    keyless.insert("x")
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
    end_run(0, 1)

    table.ddl("DINDEX", "ALTER TABLE {} DROP PRIMARY KEY")
    table.ddl("CINDEX", "ALTER TABLE {} ADD PRIMARY KEY(`v`)")
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `n` BIGINT")
    replace(table, columns="a int, v varchar, n bigint", key=("v",)).update((1, "e", 7), (5, "e", 8))
    parts.ddl("ALTER", "ALTER TABLE `shop`.{} DROP PARTITION `p10`")
    keyless.delete("x")
    gone.ddl("ERASE", "DROP TABLE `shop`.{}")
    end_run(0, 1)

    lines = feed.lines()
    return [lines[begin:end] for begin, end in zip((0, *ends), ends, strict=False)]
