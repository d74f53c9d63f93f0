"""Topics with holes in their offsets, as compaction, transactions and mirrors leave them.

What a run asks for does not grow with the holes, and a message that comes into one is staged once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from support.cases import Built, Stage, Story, record, story
from support.messages import COMMIT_TS, row_message, to_bytes
from support.package import Package

FEED, OTHER_FEED = "holes", "holes_too"
TOPIC, OTHER_TOPIC = "holes.it's_a`\\", "holes.It's_A`\\"  # they differ in case alone
PATTERNS = {topic: topic.replace("\\", "\\\\").replace("_", "\\_") for topic in (TOPIC, OTHER_TOPIC)}
HOLES = 3_000
Positions = Mapping[tuple[str, int], Sequence[int]]
SENT: Mapping[Stage, Positions] = {
    Stage.FIRST: {
        (TOPIC, 0): range(0, 2 * HOLES + 1, 2),
        (TOPIC, 1): range(10),
        (OTHER_TOPIC, 0): (1, 2, 4),
    },
    Stage.SECOND: {
        # one more, and two into holes
        (TOPIC, 0): (2 * HOLES + 2, 3_001, 101),
        (TOPIC, 1): (12,),
        (OTHER_TOPIC, 0): (3, 0),
    },
}
"""The offsets that come to each topic and partition."""
STAGED: Positions = {
    (TOPIC, 0): sorted([*range(0, 2 * HOLES + 3, 2), 101, 3_001]),
    (TOPIC, 1): [*range(10), 12],
    (OTHER_TOPIC, 0): [0, 1, 2, 3, 4],
}
GAPS = {
    (TOPIC, 0): (HOLES - 1, HOLES - 1, 1, 2 * HOLES + 1),
    (TOPIC, 1): (1, 2, 10, 11),
    (OTHER_TOPIC, 0): (0, 0, None, None),
}
"""Gaps, offsets in them, the first and the last one."""
LISTED = 1_000
POSITION = "feed, topic, `partition`, `offset`"
OF_FEEDS = f"feed in ('{FEED}', '{OTHER_FEED}')"
PLACES = {
    "staging": f"select {POSITION} from stg_ticdc__canal_json where {OF_FEEDS}",
    "changelog": f"select {POSITION} from ticdc__changelog where {OF_FEEDS}",
}


class Asked(NamedTuple):
    """A statement that dbt sent, and how many rows it fetched."""

    sql: str
    rows: int


@contextmanager
def asked() -> Iterator[list[Asked]]:
    """The statements that dbt sends meanwhile."""
    from dbt.adapters.spark.session import Cursor

    found: list[Asked] = []
    texts: dict[Any, str] = {}
    execute, fetchall = Cursor.execute, Cursor.fetchall

    def noted_execute(cursor: Any, sql: str, *parameters: Any) -> None:
        texts[cursor] = sql
        found.append(Asked(sql, 0))
        execute(cursor, sql, *parameters)

    def noted_fetchall(cursor: Any) -> Any:
        rows = fetchall(cursor)
        found.append(Asked(texts[cursor], len(rows or ())))
        return rows

    with mock.patch.multiple(Cursor, execute=noted_execute, fetchall=noted_fetchall):
        yield found


class Holes(Story):
    """What the tables held after each build, and the statements that name the topic."""

    stages = tuple(Stage)

    def __init__(self) -> None:
        self.found: dict[Stage, dict[str, dict[tuple[str, str, int], list[int]]]] = {}
        self.asked: dict[Stage, list[Asked]] = {}
        self.accounting: list[dict[str, Any]] = []
        self.problems: list[dict[str, Any]] = []

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        members = {"protocol": "canal_json", "target_schema": None}
        return [
            {"name": FEED, "topics": list(PATTERNS.values()), **members},
            {"name": OTHER_FEED, "topics": [PATTERNS[OTHER_TOPIC]], **members},
        ]

    def lines(self, stage: Stage) -> Sequence[str]:
        return [
            record(topic, _insert(topic, partition, offset), partition=partition, offset=offset)
            for (topic, partition), offsets in SENT.get(stage, {}).items()
            for offset in offsets
        ]

    def before(self, stage: Stage, built: Built) -> None:
        self._asking = asked()
        self._heard = self._asking.__enter__()

    def after(self, stage: Stage, built: Built) -> None:
        self._asking.__exit__(None, None, None)
        self.asked[stage] = [each for each in self._heard if "holes.it" in each.sql]
        self.found[stage] = {name: _offsets(built.rows(query)) for name, query in PLACES.items()}

    def at_last(self, built: Built) -> None:
        self.accounting = built.of("accounting", FEED)
        self.problems = [row for row in built.problems(FEED) if row["code"] == "offset_gaps"]


def _insert(topic: str, partition: int, offset: int) -> bytes:
    table = f"t{list(PATTERNS).index(topic)}{partition}"
    message = row_message(
        {"id": str(offset)}, {"id": "int"}, database="holes", table=table, tidb={"commitTs": COMMIT_TS + offset}
    )
    return to_bytes(message)


def _offsets(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str, int], list[int]]:
    found: dict[tuple[str, str, int], list[int]] = {}
    for row in rows:
        found.setdefault((row["feed"], row["topic"], row["partition"]), []).append(row["offset"])
    return {place: sorted(offsets) for place, offsets in found.items()}


def of_feeds(positions: Positions) -> dict[tuple[str, str, int], list[int]]:
    """The same positions by feed, too."""
    of_one = {(FEED, *place): sorted(offsets) for place, offsets in positions.items()}
    return of_one | {(OTHER_FEED, OTHER_TOPIC, 0): sorted(positions[OTHER_TOPIC, 0])}


STORY = Holes()
story(STORY)


@pytest.mark.parametrize("stage", Stage)
def test_messages_beside_and_in_holes_are_staged_once(stage: Stage, built_cases: Built) -> None:
    staged = of_feeds(SENT[Stage.FIRST] if stage is Stage.FIRST else STAGED)
    assert STORY.found[stage] == {"staging": staged, "changelog": staged}


@pytest.mark.parametrize("stage", [Stage.SECOND, Stage.IDLE])
def test_what_a_run_asks_for_does_not_grow_with_holes(stage: Stage, built_cases: Built) -> None:
    """Each hole was told in the statement, which killed Spark, and fetched before."""
    statements = STORY.asked[stage]
    assert statements
    assert max(each.sql.count("holes.it") for each in statements) <= 40
    assert max(each.rows for each in statements) < HOLES / 10


def test_holes_are_counted_and_told_once(built_cases: Built) -> None:
    found = {(row["topic"], row["partition"]): row for row in STORY.accounting}
    counts = ("gaps", "missing_offsets", "first_missing_offset", "last_missing_offset")
    assert {place: tuple(row[name] for name in counts) for place, row in found.items()} == GAPS
    listed = [(gap["first_offset"], gap["last_offset"]) for gap in found[TOPIC, 0]["offset_gaps"]]
    holes = [offset for offset in range(1, 2 * HOLES, 2) if offset not in (101, 3_001)]
    assert listed == [(offset, offset) for offset in holes[:LISTED]]
    assert all(row["balanced"] for row in found.values())
    of_topic = f"gap(s) in topic {TOPIC}, partition"
    assert sorted(row["detail"] for row in STORY.problems) == [
        f"1 {of_topic} 1: 2 offset(s) from 10 to 11 have no message",
        f"{HOLES - 1} {of_topic} 0: {HOLES - 1} offset(s) from 1 to {2 * HOLES + 1} have no message",
    ]
    assert {row["severity"] for row in STORY.problems} == {"warning"}
    assert all("compacted" in row["remedy"] for row in STORY.problems)


MANY = 200_000
SHOP = {"name": "shop", "protocol": "canal_json", "topics": ["shop"], "target_schema": None}
VALUE = (
    to_bytes(
        row_message({"id": "<id>"}, {"id": "int"}, table="t", tidb={"commitTs": "<ts>"}),
    )
    .decode()
    .replace('"<ts>"', "<ts>")
)
INSERT = f"""
    insert into ticdc_raw.messages
    select 'shop', 0, id, timestamp '2026-01-01 00:00:00', null,
        cast(replace(replace('{VALUE}', '<id>', id), '<ts>', {COMMIT_TS} + id) as binary)
    from """
LATE = 2 * MANY - 31


@pytest.mark.soak("cuts_canal_json")
def test_a_topic_of_many_holes_is_read_on(tmp_path: Path) -> None:
    """Spark ran out of memory in the second run and in every later one."""
    package = Package(tmp_path, {"ticdc__feeds": [SHOP]})
    package.passing("seed")
    package.spark.sql(f"{INSERT} range(0, {2 * MANY}, 2)")
    package.passing("run")
    for offsets, count, changes in (
        ([2 * MANY], MANY + 1, MANY + 1),
        # two into holes, one of them twice, beside copies of what is staged
        ([LATE, 101, 101, 100, 2 * MANY], MANY + 4, MANY + 3),
        ([], MANY + 4, MANY + 3),
    ):
        if offsets:
            package.spark.sql(f"{INSERT} values {', '.join(f'({offset})' for offset in offsets)} as sent (id)")
        with asked() as statements:
            package.passing("run")
        assert package.values("select count(*) from ticdc_lint.stg_ticdc__canal_json") == [count]
        (counted,) = package.rows(
            "select count(*) as changes, count(distinct `offset`) as offsets from ticdc_lint.ticdc__changelog"
        )
        assert counted == {"changes": changes, "offsets": changes}
        assert max(len(each.sql) for each in statements) < 100_000
        assert max(each.rows for each in statements) < 1_000
    (row,) = package.rows(
        "select gaps, missing_offsets, size(offset_gaps) as listed, balanced from ticdc_lint.ticdc__accounting"
    )
    assert row == {"gaps": MANY - 2, "missing_offsets": MANY - 2, "listed": LISTED, "balanced": True}
