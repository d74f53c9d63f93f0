"""Rows that stand in claim-check files, end to end: whole once their files are there, and waiting until then.

The messages are those of the table with large rows. With TICDC_CORPUS messages and files are the encoders' own; the
sample has canal-json's messages, and what it lacks is made of the whole messages as the encoders would (protocol
facts 1.3).
"""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import open_protocol as open_wire
from support.cases import Built, Stage, Story, story
from support.corpus import SAMPLE, Record, Variant, root

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import canal_json, open_protocol, simple
from ticdc_udfs.wire import claim_check

YARDSTICK = "canal_json_compatible"
TABLE = "big_docs"
LARGE = 90_000
DECODERS: Mapping[str, arrow.Decode] = {
    "canal_json": canal_json.decode,
    "open_protocol": open_protocol.decode,
    "simple": simple.decode,
}
FEEDS: Mapping[str, tuple[str, dict[str, str]]] = {
    YARDSTICK: ("canal_json", {}),
    "canal_json_claim_check": ("canal_json", {}),
    "canal_json_claim_check_raw_lz4": ("canal_json", {"compression": "lz4"}),
    "open_protocol_claim_check": ("open_protocol", {}),
    "simple_json_claim_check": ("simple", {}),
    "simple_avro_claim_check_raw": ("simple", {"encoding": "avro"}),
}
HOSTILE_TABLE = "hostile"
HOSTILE_NAME = "it's {x,*}\\`%20\n; end --.json"

Change = tuple[int | None, str | None, str]


@dataclass
class Feed:
    """The records of a changefeed and the files that they name, base name to content."""

    name: str
    records: list[Record] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def events(self, record: Record) -> Sequence[Event]:
        protocol, options = FEEDS[self.name]
        return arrow.decode_message(DECODERS[protocol], record.key, record.value, json.dumps(options))

    def take(self, records: Iterable[Record]) -> None:
        """Adds the records of the table, and the watermarks."""
        for record in records:
            if any(event.table_name == TABLE or event.kind == "watermark" for event in self.events(record)):
                self.records.append(record)

    def waiting(self) -> dict[str, Change]:
        """The changes that stand in files, by file."""
        rows = [event for record in self.records for event in self.events(record) if event.claim_check is not None]
        # rows of Simple name no key, but what stands in the message of a row in a file is the key alone
        keys = [row.row_key or row.after or row.before or b"" for row in rows]
        return {
            row.claim_check or "": (row.commit_ts, row.op, key.decode()) for row, key in zip(rows, keys, strict=True)
        }


def file_of(key: bytes | None, value: bytes) -> bytes:
    """The form of a file without `claim-check-raw-value`."""
    return json.dumps({"key": b64encode(key or b"").decode(), "value": b64encode(value).decode()}).encode()


def files_for_canal_json(feed: Feed) -> None:
    whole = Feed(YARDSTICK)
    whole.take(Variant(SAMPLE, "canal_json").records)
    values = {
        (event.commit_ts, event.op, (event.row_key or b"").decode()): record.value
        for record in whole.records
        for event in whole.events(record)
    }
    feed.files = {name: file_of(None, values[change] or b"") for name, change in feed.waiting().items()}


def made_simple(feed: Feed) -> None:
    whole = Feed(feed.name)
    whole.take(Variant(SAMPLE, "simple_json").records)
    for record in whole.records:
        value = record.value or b""
        if len(value) > LARGE:
            name = f"{len(feed.files)}.json"
            feed.files[name] = value
            message = json.loads(value)
            images = {member: {"id": message[member]["id"]} for member in ("data", "old") if message.get(member)}
            place = {"claimCheckLocation": f"s3://bucket/{name}", "handleKeyOnly": True}
            value = json.dumps({**message, **images, **place}).encode()
        feed.records.append(record._replace(value=value))


def made_open_protocol(feed: Feed) -> None:
    whole = Feed(feed.name)
    whole.take(Variant(SAMPLE, "open_protocol").records)
    for record in whole.records:
        keys, bodies = open_wire.unframed((record.key or b"")[8:]), open_wire.unframed(record.value or b"")
        for place, (key, body) in enumerate(zip(keys, bodies, strict=True)):
            if len(body) > LARGE:
                name = f"{len(feed.files)}.json"
                feed.files[name] = file_of(*open_wire.message((key, body)))
                keys[place] = key[:-1] + f',"ohk":true,"ohk":false,"ccl":"s3://bucket/{name}"}}'.encode()
                images = {
                    member: {column: cell for column, cell in image.items() if cell.get("h")}
                    for member, image in json.loads(body).items()
                }
                bodies[place] = open_wire.to_bytes(images)
        made_key, made_value = open_wire.message(*zip(keys, bodies, strict=True))
        feed.records.append(record._replace(key=made_key, value=made_value))


MAKERS: Mapping[str, Callable[[Feed], None]] = {
    "simple_json_claim_check": made_simple,
    "open_protocol_claim_check": made_open_protocol,
}


def load_feeds() -> dict[str, Feed]:
    folder = root() if (root() / "claim_check").is_dir() else SAMPLE
    feeds = {}
    for name in FEEDS:
        feed = Feed(name)
        if Variant(folder, name).path.exists():
            feed.take(Variant(folder, name).records)
            files = folder / "claim_check" / name
            if files.is_dir():
                feed.files = {path.name: path.read_bytes() for path in files.iterdir()}
            elif name != YARDSTICK:
                files_for_canal_json(feed)
        elif name in MAKERS:
            MAKERS[name](feed)
        else:
            continue
        feeds[name] = feed
    return feeds


def hostile_record(like: Record) -> Record:
    """A row of another table, whose message names a file by a name that is hard to quote."""
    message = json.loads(like.value or b"")
    message["table"] = HOSTILE_TABLE
    message["_tidb"]["claimCheckLocation"] = f"s3://bucket/../{HOSTILE_NAME}"
    return like._replace(offset=like.offset + 10_000, value=json.dumps(message).encode())


def line_of(feed: Feed, record: Record) -> str:
    wire = {
        "topic": feed.name,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": 0,
        "key": None if record.key is None else b64encode(record.key).decode(),
        "value": None if record.value is None else b64encode(record.value).decode(),
    }
    return json.dumps(wire) + "\n"


@dataclass(frozen=True)
class Marts:
    """What the marts held, rows by mart."""

    rows: Mapping[str, Sequence[dict[str, Any]]]

    @classmethod
    def read(cls, built: Built) -> Marts:
        marts = ("changelog", "current_rows", "problems", "accounting", "dead_letters")
        return cls({mart: built.of(mart, *FEEDS) for mart in marts})

    def changes(self, feed: str) -> dict[Change, tuple[Any, ...]]:
        """The changes of the table: images and flags."""
        found = {}
        for row in self.rows["changelog"]:
            if row["feed"] == feed and row["table_name"] == TABLE:
                change = (row["commit_ts"], row["op"], row["row_key"])
                assert change not in found
                images = (json.loads(row[image] or "null") for image in ("before", "after"))
                found[change] = (*images, row["lossy"])
        return found

    def current(self, feed: str) -> dict[str, dict[str, Any]]:
        """The current rows of the table by key."""
        rows = [row for row in self.rows["current_rows"] if row["feed"] == feed and row["table_name"] == TABLE]
        return {row["row_key"]: json.loads(row["row"]) for row in rows}

    def problems(self, code: str) -> dict[tuple[str, str], str]:
        """The details of the problems with a code, by feed and table."""
        return {
            (problem["feed"], problem["table_name"]): problem["detail"]
            for problem in self.rows["problems"]
            if problem["code"] == code
        }


class ClaimChecks(Story):
    """The tables before all files were there, and after."""

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)
    early: Marts
    late: Marts

    def begin(self, folder: Path) -> None:
        self.files, self.kept = folder / "the `files', ü", folder / "kept"
        self.of_feed = load_feeds()
        for feed in self.of_feed.values():
            for name, content in feed.files.items():
                below = self.files / feed.name / "below"
                below.mkdir(parents=True, exist_ok=True)
                (below / name).write_bytes(content)
        shutil.copytree(self.files, self.kept)
        canal, wrong = (self.of_feed[f"{name}_claim_check"].waiting() for name in ("canal_json", "simple_json"))
        self.withheld = {
            "canal_json_claim_check": dict([*canal.items()][1:3]),
            "open_protocol_claim_check": self.of_feed["open_protocol_claim_check"].waiting(),
            "simple_json_claim_check": dict([*wrong.items()][-1:]),
        }
        for name in self.withheld["canal_json_claim_check"]:
            (self.files / "canal_json_claim_check" / "below" / name).unlink()
        shutil.rmtree(self.files / "open_protocol_claim_check")
        self.misplaced = next(iter(self.withheld["simple_json_claim_check"]))
        below = self.files / "simple_json_claim_check" / "below"
        shutil.copyfile(below / next(iter(wrong)), below / self.misplaced)

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        configured = []
        for feed in self.of_feed.values():
            protocol, options = FEEDS[feed.name]
            options = {**options, **({"claim_check": str(self.files / feed.name)} if feed.files else {})}
            members = {"name": feed.name, "protocol": protocol, "topics": [feed.name], "target_schema": None}
            configured.append({**members, "options": options})
        return configured

    def lines(self, stage: Stage) -> Sequence[str]:
        if stage is not Stage.FIRST:
            return []
        lines = [line_of(feed, record) for feed in self.of_feed.values() for record in feed.records]
        canal = self.of_feed["canal_json_claim_check"]
        first = next(record for record in canal.records if any(event.claim_check for event in canal.events(record)))
        return [*lines, line_of(canal, hostile_record(first))]

    def before(self, stage: Stage, built: Built) -> None:
        if stage is Stage.SECOND:
            shutil.copytree(self.kept, self.files, dirs_exist_ok=True)

    def after(self, stage: Stage, built: Built) -> None:
        if stage is Stage.FIRST:
            self.early = Marts.read(built)
        elif stage is Stage.SECOND:
            self.late = Marts.read(built)


STORY = ClaimChecks()
story(STORY)
pytestmark = pytest.mark.usefixtures("built_cases")


def test_the_feeds_have_rows_in_files() -> None:
    for name, feed in STORY.of_feed.items():
        assert feed.waiting().keys() == feed.files.keys()
        assert bool(feed.files) == (name != YARDSTICK)
    assert len(STORY.early.changes(YARDSTICK)) > 10


def test_every_row_is_whole_in_the_end() -> None:
    wanted = STORY.late.changes(YARDSTICK)
    for name in STORY.of_feed:
        assert STORY.late.changes(name) == wanted, name
        assert STORY.late.current(name) == STORY.late.current(YARDSTICK), name
    assert any(len(row["body"] or "") > LARGE for row in STORY.late.current(YARDSTICK).values())


def test_a_row_without_its_file_is_in_no_table() -> None:
    wanted = STORY.early.changes(YARDSTICK)
    for name in STORY.of_feed:
        absent = set(STORY.withheld.get(name, {}).values())
        assert STORY.early.changes(name) == {change: row for change, row in wanted.items() if change not in absent}, (
            name
        )


def test_missing_files_are_problems() -> None:
    missing = STORY.early.problems("claim_check_missing")
    assert missing.keys() == {
        ("canal_json_claim_check", TABLE),
        ("canal_json_claim_check", HOSTILE_TABLE),
        ("open_protocol_claim_check", TABLE),
    }
    for (name, table), detail in missing.items():
        files = [HOSTILE_NAME] if table == HOSTILE_TABLE else [*STORY.withheld[name]]
        assert detail == f"{len(files)} row(s) wait for the file that holds them, such as {min(files)}"
    assert STORY.late.problems("claim_check_missing").keys() == {("canal_json_claim_check", HOSTILE_TABLE)}


def test_a_file_with_another_row_is_a_problem() -> None:
    assert STORY.early.problems("claim_check_unusable") == {
        ("simple_json_claim_check", TABLE): "1 row(s) wait for the file that holds them, such as "
        f"{STORY.misplaced}: the file holds no row of this table and commit"
    }
    assert STORY.late.problems("claim_check_unusable") == {}


def test_no_row_waits_for_a_schema_and_no_message_is_lost() -> None:
    for marts in (STORY.early, STORY.late):
        assert marts.problems("rows_wait_for_schema") == {}
        assert marts.rows["dead_letters"] == []
        assert {row["feed"] for row in marts.rows["accounting"]} == STORY.of_feed.keys()
        assert all(row["balanced"] for row in marts.rows["accounting"])


def test_a_row_still_waits_in_the_last_build(built_cases: Built) -> None:
    """A build while a file is missing writes nothing: `test_cases` holds the files before and after it together."""
    waiting = f"select * from ticdc__problems where code = 'claim_check_missing' and table_name = '{HOSTILE_TABLE}'"
    assert len(built_cases.rows(waiting)) == 1


def test_the_messages_of_files() -> None:
    files = pa.array([file_of(b"k", b"v"), b"raw", None, b""], pa.binary())
    assert claim_check.message_batch(files).to_pylist() == [
        {"key": b"k", "value": b"v"},
        {"key": None, "value": b"raw"},
        {"key": None, "value": None},
        {"key": None, "value": b""},
    ]
    assert claim_check.message_batch(files[:0]).to_pylist() == []
