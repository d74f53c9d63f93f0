"""Dead letters that are decoded again while new messages come: after it the tables are as if nothing had happened.

Each pair of feeds reads the same topic. One of both has a mistake in its options, or a registry that fails, in the
first run; it is mended before the re-drive, and messages that come later go on from there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import avro as wire
from support import messages
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed
from support.cases import Built, Stage, Story, record, records, story
from support.registry import registry

KEY = wire.record(column("id", "int", "INT"))
ROW = wire.record(column("id", "int", "INT"), column("v", "string", "TEXT"), *EXTENSION)
SCHEMAS = {"1": json.dumps(KEY), "2": json.dumps(ROW)}
GONE = 3
PAIRS = {"healed": "whole", "lacking": "served"}
FEEDS = ("healed", "whole", "lacking", "served")
PARTLY = "partly"
# What tells of a feed's changes, whatever the runs were.
MARTS = ("changelog", "current_rows", "row_history", "ddl_history", "columns", "completeness", "accounting", "problems")


def canal_lines() -> list[str]:
    """Canal-JSON in LZ4 of a table that DDL alters."""

    def row(commit: int, row_id: int, **columns: str) -> dict[str, Any]:
        data, types = {"id": str(row_id), **columns}, {"id": "int", "v": "varchar", "w": "int"}
        types = {name: types[name] for name in data}
        return messages.row_message(data, types, tidb={"commitTs": COMMIT_TS + commit})

    def ddl(commit: int, sql: str, kind: str) -> dict[str, Any]:
        return messages.ddl_message(sql, kind, _tidb={"commitTs": COMMIT_TS + commit})

    wire = [
        ddl(1, "CREATE TABLE `t` (`id` INT PRIMARY KEY, `v` VARCHAR(9))", "CREATE"),
        row(2, 1, v="a"),
        row(3, 2, v="b"),
        ddl(4, "ALTER TABLE `t` ADD COLUMN `w` INT DEFAULT 7", "ALTER"),
        messages.watermark_message(COMMIT_TS + 5),
        row(6, 3, v="c", w="8"),
        messages.watermark_message(COMMIT_TS + 7),
    ]
    return records("canal", [pa.compress(messages.to_bytes(each), "lz4", asbytes=True) for each in wire])


def partly_lines() -> list[str]:
    """Canal-JSON of a table whose rows a DDL carries to another key; one row alone is in LZ4."""

    def row(commit: int, number: int, text: str, key: str, **members: Any) -> bytes:
        data, types = {"a": str(number), "v": text}, {"a": "int", "v": "varchar"}
        tidb = {"commitTs": COMMIT_TS + commit}
        return messages.to_bytes(messages.row_message(data, types, key=(key,), tidb=tidb, **members))

    def ddl(commit: int, sql: str, kind: str) -> bytes:
        return messages.to_bytes(messages.ddl_message(sql, kind, _tidb={"commitTs": COMMIT_TS + commit}))

    key = "PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */"
    wire = [
        ddl(1, f"CREATE TABLE `t` (`a` INT NOT NULL,`v` VARCHAR(9) NOT NULL,{key})", "CREATE"),
        row(2, 1, "a", "a"),
        pa.compress(row(3, 2, "b", "a"), "lz4", asbytes=True),
        row(4, 3, "c", "a"),
        ddl(5, "ALTER TABLE `t` DROP PRIMARY KEY", "DINDEX"),
        ddl(6, "ALTER TABLE `t` ADD PRIMARY KEY(`v`)", "CINDEX"),
        row(7, 3, "c", "v", type="DELETE"),
        messages.to_bytes(messages.watermark_message(COMMIT_TS + 8)),
    ]
    return records(PARTLY, wire)


def avro_line(offset: int, row_id: int, commit: int, schema_id: int = 2) -> str:
    row = {"id": row_id, "v": "x", **extension("c", _tidb_commit_ts=COMMIT_TS + commit)}
    key = framed(body(KEY, {"id": row_id}), schema_id=1)
    return record("avro", framed(body(ROW, row), schema_id=schema_id), offset=offset, key=key)


def canal(name: str, compression: str) -> dict[str, Any]:
    options, topic = {"compression": compression}, PARTLY if name == PARTLY else "canal"
    return {"name": name, "protocol": "canal_json", "topics": [topic], "options": options, "target_schema": None}


def avro(name: str, url: str) -> dict[str, Any]:
    options = {"schemas": f"{url}/{name}", "framing": "confluent"}
    return {"name": name, "protocol": "avro", "topics": ["avro"], "options": options, "target_schema": None}


Rows = list[dict[str, Any]]


class Redriven(Story):
    """The dead letters (code and message by feed and offset) after each build, and the marts after the re-drive."""

    stages = (Stage.FIRST, Stage.SECOND)
    redriven = (*FEEDS, PARTLY)

    def begin(self, folder: Path) -> None:
        self.dead: dict[Stage, Mapping[tuple[str, int], str]] = {}
        self.known: dict[Stage, Rows] = {}
        self.ails = True
        self.stack = ExitStack()
        self.server = self.stack.enter_context(registry(self.answer))

    def end(self) -> None:
        self.stack.close()

    def answer(self, number: int) -> tuple[int, Any]:
        _, feed, *_, schema_id = self.server.asked[number - 1].split("/")
        if schema_id not in SCHEMAS or (self.ails and feed == "lacking" and schema_id == "2"):
            return 404, {"error_code": 40403}
        return 200, {"schema": SCHEMAS[schema_id]}

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        mended = "lz4" if stage >= Stage.SECOND else "none"
        of_registry = [avro(name, self.server.url) for name in ("served", "lacking")]
        return [canal("whole", "lz4"), canal("healed", mended), canal(PARTLY, mended), *of_registry]

    def lines(self, stage: Stage) -> Sequence[str]:
        of_canal, of_avro = canal_lines(), [avro_line(place, place % 3, place) for place in range(4)]
        if stage is Stage.FIRST:
            return [*of_canal[:5], *partly_lines(), *of_avro[:3], avro_line(9, 9, 9, GONE)]
        return [*of_canal[5:], of_avro[3]] if stage is Stage.SECOND else []

    def before(self, stage: Stage, built: Built) -> None:
        self.ails = stage < Stage.SECOND

    def after(self, stage: Stage, built: Built) -> None:
        if stage in self.stages:
            self.known[stage] = built.of("row_history_bitemporal", PARTLY)
            self.dead[stage] = {
                (row["feed"], row["offset"]): f"{row['error_code']}: {row['error_message']}"
                for row in built.of("dead_letters", *FEEDS)
            }
        if stage is Stage.SECOND:
            self.marts = {mart: built.of(mart, *FEEDS) for mart in MARTS}


STORY = Redriven()
story(STORY)
pytestmark = pytest.mark.usefixtures("built_cases")


def of_feed(rows: Rows, feed: str) -> list[str]:
    """The rows of a feed, but for what tells which run they came with."""
    differing = {"feed": None, "run_id": None, "known_from": None}
    return sorted(str({**row, **differing}) for row in rows if row["feed"] == feed)


def test_mistakes_give_dead_letters_with_the_reason() -> None:
    first = STORY.dead[Stage.FIRST]
    assert first.keys() == {
        *(("healed", offset) for offset in range(5)),
        *(("lacking", offset) for offset in (0, 1, 2, 9)),
        ("served", 9),
    }
    assert all("schema 2: HTTP 404 (40403)" in first["lacking", offset] for offset in (0, 1, 2))
    assert f"schema {GONE}: HTTP 404 (40403)" in first["served", 9]


def test_a_redrive_heals_what_can_be_decoded_by_then() -> None:
    assert STORY.dead[Stage.SECOND].keys() == {("served", 9), ("lacking", 9)}


@pytest.mark.parametrize("feed", PAIRS)
def test_after_a_redrive_all_is_as_if_nothing_had_happened(feed: str) -> None:
    for mart, rows in STORY.marts.items():
        healed, other = of_feed(rows, feed), of_feed(rows, PAIRS[feed])
        assert healed == other, mart
        assert healed or mart in ("ddl_history", "problems")


def test_ddl_among_dead_letters_counts_from_its_commit_on() -> None:
    current = STORY.marts["current_rows"]
    assert sorted(row["row"] for row in current if row["feed"] == "healed") == [
        '{"id":"1","v":"a","w":"7"}',
        '{"id":"2","v":"b","w":"7"}',
        '{"id":"3","v":"c","w":"8"}',
    ]


def test_a_redrive_forgets_nothing_of_what_was_known_when() -> None:
    """What the dead letter held is known since then, and all else as it was."""
    before, after = (STORY.known[stage] for stage in STORY.stages)
    found = [row for row in after if '"2"' not in row["row"]]
    assert sorted(map(str, found)) == sorted(map(str, before))
    assert {(row["closed_by"], row["row_key"]) for row in before if row["known_to"] is None} == {
        ("key_change", '{"a":"1"}'),
        ("key_change", '{"a":"3"}'),
        ("key_change", '{"a":"1","v":"a"}'),
        ("key_change", '{"a":"3","v":"c"}'),
        (None, '{"v":"a"}'),
        ("delete", '{"v":"c"}'),
    }
    healed = [row for row in after if '"2"' in row["row"]]
    assert len(healed) == 3
    assert {row["known_from"] for row in healed} != {row["known_from"] for row in before}
