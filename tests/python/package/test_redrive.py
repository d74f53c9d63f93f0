"""Dead letters that are decoded again, through `ticdc redrive`: after it the tables are as if nothing had happened.

Each pair of feeds reads the same topic. One of both has a mistake in its options, or a registry that fails, in the
first run; it is mended before the re-drive, and messages that come later go on from there.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import messages, session
from support import warehouse as embedded
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed, record
from support.registry import registry

KEY = record(column("id", "int", "INT"))
ROW = record(column("id", "int", "INT"), column("v", "string", "TEXT"), *EXTENSION)
SCHEMAS = {"1": json.dumps(KEY), "2": json.dumps(ROW)}
GONE = 3
PAIRS = {"healed": "whole", "lacking": "served"}
# What tells of a feed's changes, whatever the runs were.
MARTS = ("changelog", "current_rows", "row_history", "ddl_history", "columns", "completeness", "accounting", "problems")

Line = dict[str, Any]


def line(topic: str, offset: int, key: bytes, value: bytes | None) -> Line:
    """A Kafka record as a dump has it."""
    texts = {"key": b64encode(key).decode(), "value": None if value is None else b64encode(value).decode()}
    return {"topic": topic, "partition": 0, "offset": offset, "timestamp": 1_795_238_204_400, **texts}


def canal_lines() -> list[Line]:
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
    return [
        line("canal", offset, b"", pa.compress(messages.to_bytes(each), "lz4", asbytes=True))
        for offset, each in enumerate(wire)
    ]


def avro_line(topic: str, offset: int, row_id: int, commit: int, schema_id: int = 2) -> Line:
    row = {"id": row_id, "v": "x", **extension("c", _tidb_commit_ts=COMMIT_TS + commit)}
    key = framed(body(KEY, {"id": row_id}), schema_id=1)
    return line(topic, offset, key, framed(body(ROW, row), schema_id=schema_id))


def canal(name: str, compression: str) -> dict[str, Any]:
    options = {"compression": compression}
    return {"name": name, "protocol": "canal_json", "topics": ["canal"], "options": options, "target_schema": None}


def avro(name: str, url: str) -> dict[str, Any]:
    options = {"schemas": f"{url}/{name}", "framing": "confluent"}
    return {"name": name, "protocol": "avro", "topics": ["avro"], "options": options, "target_schema": None}


Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """The dead letters (code and message by feed and offset), and the marts, after each build."""

    dead: Mapping[str, Mapping[tuple[str, int], str]]
    marts: Mapping[str, Mapping[str, Rows]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    folder = tmp_path_factory.mktemp("redrive")
    home, dumps = folder / "warehouse", folder / "messages"
    dumps.mkdir()
    of_canal = canal_lines()
    of_avro = [avro_line("avro", place, place % 3, place) for place in range(4)]
    write_lines(dumps / "first.jsonl", *of_canal[:5], *of_avro[:3], avro_line("avro", 9, 9, 9, GONE))
    ails = True
    dead: dict[str, dict[tuple[str, int], str]] = {}
    marts: dict[str, dict[str, Rows]] = {}

    def answer(number: int) -> tuple[int, Any]:
        _, feed, *_, schema_id = server.asked[number - 1].split("/")
        if schema_id not in SCHEMAS or (ails and feed == "lacking" and schema_id == "2"):
            return 404, {"error_code": 40403}
        return 200, {"schema": SCHEMAS[schema_id]}

    with registry(answer) as server:
        of_registry = [avro("served", server.url), avro("lacking", server.url)]
        feeds = embedded.write_feeds(
            folder / "feeds.yml", [canal("whole", "lz4"), canal("healed", "none"), *of_registry]
        )

        rows = partial(session.ask, session.rows, home)

        def note(build: str) -> None:
            letters = rows("select * from ticdc__dead_letters")
            dead[build] = {
                (row["feed"], row["offset"]): f"{row['error_code']}: {row['error_message']}" for row in letters
            }
            marts[build] = {mart: rows(f"select * from ticdc__{mart}") for mart in MARTS}

        session.ask(session.run, home, dumps, feeds)
        note("first")
        ails = False
        embedded.write_feeds(feeds, [canal("whole", "lz4"), canal("healed", "lz4"), *of_registry])
        session.ask(session.redrive, home, feeds)
        note("redriven")
        write_lines(dumps / "second.jsonl", *of_canal[5:], of_avro[3])
        session.ask(session.run, home, dumps, feeds)
        note("second")
    yield Outcome(dead, marts)


def write_lines(path: Path, *lines: Line) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")


def of_feed(rows: Rows, feed: str) -> list[str]:
    return sorted(str({**row, "feed": None}) for row in rows if row["feed"] == feed)


def test_mistakes_give_dead_letters_with_the_reason(outcome: Outcome) -> None:
    first = outcome.dead["first"]
    assert first.keys() == {
        *(("healed", offset) for offset in range(5)),
        *(("lacking", offset) for offset in (0, 1, 2, 9)),
        ("served", 9),
    }
    assert all("schema 2: HTTP 404 (40403)" in first["lacking", offset] for offset in (0, 1, 2))
    assert f"schema {GONE}: HTTP 404 (40403)" in first["served", 9]


def test_a_redrive_heals_what_can_be_decoded_by_then(outcome: Outcome) -> None:
    for build in ("redriven", "second"):
        assert outcome.dead[build].keys() == {("served", 9), ("lacking", 9)}


@pytest.mark.parametrize("build", ["redriven", "second"])
@pytest.mark.parametrize("feed", PAIRS)
def test_after_a_redrive_all_is_as_if_nothing_had_happened(outcome: Outcome, feed: str, build: str) -> None:
    for mart, rows in outcome.marts[build].items():
        healed, other = of_feed(rows, feed), of_feed(rows, PAIRS[feed])
        assert healed == other, mart
        assert healed or mart in ("ddl_history", "problems")


def test_ddl_among_dead_letters_counts_from_its_commit_on(outcome: Outcome) -> None:
    current = outcome.marts["second"]["current_rows"]
    assert sorted(row["row"] for row in current if row["feed"] == "healed") == [
        '{"id":"1","v":"a","w":"7"}',
        '{"id":"2","v":"b","w":"7"}',
        '{"id":"3","v":"c","w":"8"}',
    ]
