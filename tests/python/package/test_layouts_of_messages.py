"""Feeds whose messages lie in relations of their own, in the layouts of Spark, Aiven and Redpanda."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.cases import Built, Stage, Story, story
from support.messages import COMMIT_TS, row_message, to_bytes

SCHEMA, TOPIC = "2nd_Lake", "layouts-of_it's"
TIME = "2026-01-01T00:00:01.5Z"
FEEDS: Mapping[str, Mapping[str, Any]] = {
    "layout_kafka": {"relation": f"{SCHEMA}.Kafka"},
    "layout_aiven": {"relation": f"{SCHEMA}.aiven", "layout": "aiven_json_lines"},
    "layout_redpanda": {"relation": f"{SCHEMA}.redpanda", "layout": "redpanda_iceberg"},
}
SENT: Mapping[Stage, Sequence[int]] = {Stage.FIRST: (0, 1), Stage.SECOND: (2,)}
"""The offsets of partition 3 that come before each build; each holds a row with its id."""


class Layouts(Story):
    """A feed for each layout, all with the same messages."""

    stages = (Stage.FIRST, Stage.SECOND)

    def begin(self, folder: Path) -> None:
        self.lines_of_aiven = folder / "aiven"
        self.lines_of_aiven.mkdir()

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        topics = [TOPIC.replace("_", r"\_")]
        members = {"protocol": "canal_json", "topics": topics, "target_schema": None}
        return [{"name": name, "source": source, **members} for name, source in FEEDS.items()]

    def before(self, stage: Stage, built: Built) -> None:
        def run(statement: str) -> None:
            session.rows(built.warehouse, statement)

        sent = SENT.get(stage, ())
        if not sent:
            return
        place = f"`{SCHEMA.replace('`', '``')}`"
        if stage is Stage.FIRST:
            run(f"create database {place}")
            run(
                f"create table {place}.`Kafka` (topic string, partition int, offset bigint, timestamp timestamp, "
                "key binary, value binary, headers array<string>) using parquet"
            )
            columns = "key string, value string, offset bigint, timestamp string"
            run(f"create table {place}.aiven ({columns}) using json location '{self.lines_of_aiven}'")
            columns = "redpanda struct<partition: int, timestamp: timestamp, offset: bigint, key: binary>, value binary"
            run(f"create table {place}.redpanda ({columns}) using parquet")
        for offset in sent:
            value = b64encode(_insert(offset)).decode()
            at = f"timestamp '{TIME}'"
            topic = TOPIC.replace("'", r"\'")
            run(f"insert into {place}.`Kafka` values ('{topic}', 3, {offset}, {at}, null, unbase64('{value}'), null)")
            run(
                f"insert into {place}.redpanda select named_struct('partition', 3, 'timestamp', {at}, 'offset', "
                f"{offset}L, 'key', cast(null as binary)), unbase64('{value}')"
            )
        line = [{"key": None, "value": b64encode(_insert(o)).decode(), "offset": o, "timestamp": TIME} for o in sent]
        file = self.lines_of_aiven / f"{TOPIC}-3-{sent[0]}.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in line), encoding="utf-8")
        run(f"refresh table {place}.aiven")


def _insert(offset: int) -> bytes:
    types = {"id": "int"}
    tidb = {"commitTs": COMMIT_TS + offset}
    return to_bytes(row_message({"id": str(offset)}, types, database="layouts", table="t", tidb=tidb))


STORY = story(Layouts())


@pytest.mark.parametrize("feed", FEEDS)
def test_messages_of_each_layout_become_rows(built_cases: Built, feed: str) -> None:
    assert built_cases.current(feed) == {"layouts.t": [{"id": "0"}, {"id": "1"}, {"id": "2"}]}
    places = "topic, `partition`, `offset`, cast(message_at as string) as at"
    staged = built_cases.rows(f"select {places} from stg_ticdc__canal_json where feed = '{feed}' order by `offset`")
    assert staged == [
        {"topic": TOPIC, "partition": 3, "offset": offset, "at": "2026-01-01 00:00:01.5"} for offset in range(3)
    ]
    (accounted,) = built_cases.of("accounting", feed)
    assert (accounted["messages"], accounted["rows"], accounted["balanced"]) == (3, 3, True)
