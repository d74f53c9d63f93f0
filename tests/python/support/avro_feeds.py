"""Feeds of Avro whose writer schemas come from files, registries and relations, or whose messages lack a commit.

Their messages come in two parts; what the first build cannot tell yet is in `CUT`, and the schema `LATE` comes later.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support import avro as wire
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed
from support.cases import record

KEY = wire.record(column("id", "int", "INT"))
COLUMNS = (column("id", "int", "INT"), column("v", "string", "TEXT"))
EXTENDED, PLAIN = wire.record(*COLUMNS, *EXTENSION), wire.record(*COLUMNS)
BINARY = wire.record(COLUMNS[0], column("v", "bytes", "BLOB"), *EXTENSION)
SCHEMAS = {str(number): json.dumps(schema) for number, schema in enumerate((KEY, EXTENDED, PLAIN, BINARY), 1)}
LATE = "99"
# Of this one, the rows come before the deletion.
TOLD = ((1, 100), (2, 110), (1, 120), (1, None))
AT = 1_795_238_204_400

# A row's id and commit (above COMMIT_TS), or the id of a deleted row and the commit that its place gives.
REPLAYED = (
    (1, 100, 100),
    (2, 110, 110),
    (1, None, 110),
    (2, None, 110),
    (1, 120, 120),
    (3, 130, 130),
)
PLACED = (
    (9, None, 99),
    *REPLAYED,
    (3, None, 99),  # a replay begins after it
    *REPLAYED,
    (3, None, 130),
    (4, 140, 140),
    (5, 150, 150),
    (5, None, 150),
    (4, 140, 140),  # one record again, and the deletion
    (5, None, 150),
)
# At the end of the first run no row is known yet that comes next, or that brings a deleted row once more.
CUT = {(1, 0): (AT << 18) - COMMIT_TS, **{(place, 7): 130 for place in range(8, 14)}}
# A row's id, its value (None: deleted), the second of its message, and its commit: a second, and a number within it.
TIMED = (
    (1, "a", 5, (5, 0)),
    (1, "b", 5, (5, 1)),
    (1, "a", 5, (5, 2)),
    (2, "x", 3, (5, 3)),
    (1, None, 6, (5, 3)),
    (1, "c", 6, (6, 0)),
)
TIMED_COMMITS = [((AT + second * 1000) << 18) + number for *_, (second, number) in TIMED]

Line = dict[str, Any]


def line(topic: str, offset: int, key: bytes, value: bytes | None, at: int = AT) -> Line:
    """A Kafka record as a dump has it."""
    return dict(json.loads(record(topic, value, offset=offset, key=key, timestamp=at)))


def key(row_id: int) -> bytes:
    return framed(body(KEY, {"id": row_id}), schema_id=1)


def extended(topic: str, offset: int, row_id: int, commit: int | None, schema_id: int = 2) -> Line:
    """A row of a feed with the extension; without a commit its deletion."""
    if commit is None:
        return line(topic, offset, key(row_id), None)
    row = {"id": row_id, "v": "x", **extension("c", _tidb_commit_ts=COMMIT_TS + commit)}
    return line(topic, offset, key(row_id), framed(body(EXTENDED, row), schema_id=schema_id))


def placed(topic: str) -> list[Line]:
    return [extended(topic, offset, row_id, commit) for offset, (row_id, commit, _) in enumerate(PLACED)]


def timed(topic: str) -> list[Line]:
    return [
        line(
            topic,
            offset,
            key(row_id),
            None if text is None else framed(body(PLAIN, {"id": row_id, "v": text}), schema_id=3),
            AT + second * 1000,
        )
        for offset, (row_id, text, second, _) in enumerate(TIMED)
    ]


def feed(name: str, schemas: Path | str, *topics: str) -> dict[str, Any]:
    options = {"schemas": str(schemas), "framing": "confluent"}
    return {
        "name": name,
        "protocol": "avro",
        "topics": topics or [name],
        "options": options,
        "target_schema": "{feed}__{schema}" if name == "retyped" else None,
    }


def cuts(name: str, lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """The same messages in a topic per place where two runs can be cut: what the first run and the second get."""
    first: list[Line] = []
    second: list[Line] = []
    for place in range(len(lines) + 1):
        topic = [{**each, "topic": f"{name}{place}"} for each in lines]
        first += topic[:place]
        second += topic[place:]
    return first, second


def lines_of(first: bool) -> list[Line]:
    """What the first build gets, and the second."""
    placed_lines, timed_lines = cuts("placed", placed("placed")), cuts("timed", timed("timed"))
    gap, by_http = placed("gap"), [extended("http", offset, 1, offset) for offset in range(4)]
    if not first:
        in_relation = [extended("relation", 0, 1, 1), extended("relation", 1, 2, 2, int(LATE))]
        late = extended("file", 3, 4, 4, int(LATE))
        return [*placed_lines[1], *timed_lines[1], *gap[7:8], *by_http[2:], late, *in_relation]
    binary = {"id": 1, "v": b"bytes", **extension("c")}
    retyped = [line("retyped", 0, key(1), framed(body(BINARY, binary), schema_id=4)), extended("retyped", 1, 2, 1)]
    in_file = [extended("file", 0, 1, 1), extended("file", 1, 2, 2, int(LATE)), extended("file", 2, 3, 3)]
    down = [{**each, "topic": "down"} for each in by_http[:2]]
    return [*placed_lines[0], *timed_lines[0], *gap[:7], *gap[8:], *by_http[:2], *in_file, *retyped, *down]


def texts(lines: Iterable[Line]) -> list[str]:
    return [json.dumps(each) + "\n" for each in lines]


@contextmanager
def down_url() -> Iterator[str]:
    """The address of a registry that is not there: its port is held, so that nothing else comes to listen there."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def feeds_of(file: Path | str, server_url: str, of_down: str, has_relation: bool) -> list[dict[str, Any]]:
    feeds = [
        feed("placed", os.path.relpath(file), "placed%", "gap"),
        feed("timed", file, "timed%"),
        feed("file", file),
        feed("retyped", file),
        feed("http", server_url),
        feed("down", of_down),
    ]
    return [*feeds, feed("relation", "ticdc_raw.writer_schemas")] if has_relation else feeds


RELATION = "create table ticdc_raw.writer_schemas as " + " union all ".join(
    f"select {number} as id, '{text}' as schema" for number, text in SCHEMAS.items()
)


FEEDS = "('placed', 'timed', 'file', 'retyped', 'http', 'down', 'relation', 'told')"
Query = Callable[[str], list[dict[str, Any]]]


def staging(rows: Query) -> list[dict[str, Any]]:
    """The rows of the batches that count: superseded ones stay there for a day."""
    return rows(
        f"select * except (message_at, key, value) from stg_ticdc__avro where feed in {FEEDS} and "
        "array_contains((select batches['stg_ticdc__avro'] from int_ticdc__run), batch_id)"
    )


def dead_letters(rows: Query) -> dict[tuple[str, int], str]:
    """Code and message by topic and offset."""
    letters = rows(f"select * from ticdc__dead_letters where feed in {FEEDS}")
    return {(row["topic"], row["offset"]): f"{row['error_code']}: {row['error_message']}" for row in letters}


def write_registry(path: Path, schemas: Mapping[str, str]) -> None:
    path.write_text(json.dumps({number: {"schema": text} for number, text in schemas.items()}), encoding="utf-8")


def commits(rows: list[dict[str, Any]], feed: str) -> dict[tuple[str, int], int]:
    """The commit of each staged row of a feed by topic and offset."""
    return {(row["topic"], row["offset"]): row["commit_ts"] for row in rows if row["feed"] == feed}
