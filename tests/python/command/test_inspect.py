"""`ticdc inspect`: each protocol's messages, whole and broken, read twice and shown; where a message is looked for."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import avro as avro_messages
from support import simple as simple_messages
from support import storage
from support.broken import BROKEN_FEEDS, break_messages
from support.corpus import SAMPLE, VECTORS, Variant, json_lines

from dbt_ticdc import cli, package_path
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.inspection import healing, page, places
from dbt_ticdc.inspection.page import Fate
from dbt_ticdc.inspection.places import Place
from dbt_ticdc.inspection.reading import DECODERS, OF_REGISTRY, Message, Reading, read
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.contract.options import NAMES, OPTIONS

VARIANTS = sorted(file.name.removesuffix(".jsonl.gz") for file in (SAMPLE / "topics").glob("*.jsonl.gz"))
STEP = 41
"""Of each variant every so many-th message is looked at."""
NOTHING = Fate()


def messages_of(name: str, step: int = STEP) -> Iterator[Message]:
    """Some messages of a variant of the sample."""
    if name.startswith(("avro", "debezium_avro")):
        variant = avro_messages.AvroVariant(SAMPLE, name)
        protocol = "debezium_avro" if name.startswith("debezium") else "avro"
        for record, (key, value, text, *schemas) in zip(variant.records[::step], variant.messages[::step], strict=True):
            place = (record.topic, record.partition, record.offset)
            yield Message(name, protocol, json.loads(text or "{}"), *place, 1, key, value, tuple(schemas))
        return
    plain = simple_messages.SimpleVariant(SAMPLE, name) if name.startswith("simple") else Variant(SAMPLE, name)
    protocol, options = str(plain.meta["protocol"]).replace("-", "_"), json.loads(plain.options_text)
    for each in plain.records[::step]:
        yield Message(name, protocol, options, each.topic, each.partition, each.offset, 1, each.key, each.value)


def files_of(variant: storage.StorageVariant, step: int = STEP) -> Iterator[Message]:
    """Some messages of a storage sink."""
    for number, (key, value, text, *more) in enumerate([*variant.messages()][::step]):
        options = json.loads(text)
        yield Message(variant.name, variant.protocol, options, key.decode(), 0, number, None, key, value, tuple(more))


def shown(message: Message, reading: Reading, fate: Fate = NOTHING, show_all: bool = False) -> str:
    return page.render(message, reading, fate, package_path(), show_all)


def check(message: Message, reading: Reading) -> None:
    """What holds for every page, of whatever bytes."""
    for show_all in (False, True):
        text = shown(message, reading, show_all=show_all)
        assert text.endswith("\n") and "\n\n\n" not in text
        assert all(line.isprintable() for line in text.splitlines())
        assert len(text) < 60_000 or show_all
    failed = [event for event in reading.events if event.kind == Kind.ERROR]
    assert (reading.stopped is not None) == bool(failed)
    for event in failed:
        assert str(event.error_code) in text and "what heals it: " in text


@pytest.mark.parametrize("name", VARIANTS)
def test_both_libraries_read_the_same_of_each_variant(name: str) -> None:
    for message in messages_of(name):
        reading = read(message)
        assert reading.differences == (), (message.partition, message.offset)
        assert reading.second.library is not None and reading.second.error is None
        assert all(event.kind != Kind.ERROR for event in reading.events)
        check(message, reading)


@pytest.mark.parametrize("variant", storage.variants(), ids=lambda variant: variant.name)
def test_rows_of_storage_sinks(variant: storage.StorageVariant) -> None:
    for message in files_of(variant):
        reading = read(message)
        assert reading.differences == ()
        check(message, reading)
        is_csv_row = message.protocol == "storage_csv" and "/CDC" in message.topic
        assert (reading.second.library is None) == is_csv_row
        if is_csv_row:
            assert "there is no independent library for this protocol" in shown(message, reading)


@pytest.mark.parametrize("name", BROKEN_FEEDS)
def test_broken_messages_of_canal_json(name: str) -> None:
    options = BROKEN_FEEDS[name]
    for record, code in break_messages(name, options):
        message = Message(
            name, "canal_json", options, name, record.partition, record.offset, 1, record.key, record.value
        )
        reading = read(message)
        check(message, reading)
        assert (reading.events[0].error_code or "") == code
        is_too_deep = "recursion" in (reading.events[0].error_message or "")
        if code in ("bad_json", "not_utf8") and not is_too_deep:
            assert any(part.stopped_at is not None for part in reading.parts)
            assert "^^ the decoder stopped here" in shown(message, reading)


def break_value(rng: random.Random, value: bytes, turn: int) -> bytes:
    cut = rng.randrange(1, len(value)) if len(value) > 1 else 0
    return (
        value[:cut],
        bytes(byte ^ (rng.random() < 0.02) * rng.randrange(1, 256) for byte in value),
        value + value[:cut],
        rng.randbytes(len(value)),
        value[:cut] + b"[" * 3_000,
    )[turn % 5]


@pytest.mark.parametrize(
    "name",
    [
        *("avro_before", "canal_json", "debezium_avro", "debezium_noschema", "open_protocol", "simple_avro_checksum"),
        *("simple_json", "avro_glue"),
    ],
)
def test_200_broken_messages_of_each_protocol(name: str) -> None:
    rng = random.Random(name)
    whole = [message for message in messages_of(name, 5) if message.value and len(message.value) < 4_000]
    failed = 0
    for turn in range(200):
        message = rng.choice(whole)
        broken = replace(message, value=break_value(rng, message.value or b"", turn))
        reading = read(broken)
        check(broken, reading)
        failed += reading.stopped is not None
    assert failed > 100


def test_each_decoder_has_a_page() -> None:
    decoders = {path.parent.name for path in Path(page.__file__).parents[2].glob("ticdc_udfs/protocols/*/message.py")}
    assert decoders == DECODERS.keys() == OPTIONS.keys()
    macro = (package_path() / "macros" / "config" / "feeds.sql").read_text(encoding="utf-8")
    told = re.search(r"told = .*?, ticdc.protocols\(\), \[(.*?)\]", macro, re.DOTALL)
    assert told and {*re.findall(r'"(\w+)"', told[1])} == NAMES


def test_vectors_of_the_encoders() -> None:
    """Messages that the encoders' own tests have."""
    looked_at = 0
    for protocol in ("canal_json", "debezium", "open_protocol", "simple"):
        for vector in json_lines(VECTORS.parent / f"{protocol}.jsonl"):
            if not vector.get("value_b64"):
                continue
            value = avro_messages_bytes(vector["value_b64"])
            key = avro_messages_bytes(vector.get("key_b64"))
            message = Message(protocol, protocol, {}, vector["id"], 0, looked_at, None, key, value)
            check(message, read(message))
            looked_at += 1
    assert looked_at > 40


def avro_messages_bytes(text: str | None) -> bytes | None:
    from base64 import b64decode

    return None if text is None else b64decode(text)


def a_row(**members: Any) -> bytes:
    row = {
        "id": 0,
        "database": "s",
        "table": "t",
        "pkNames": ["a"],
        "isDdl": False,
        "type": "INSERT",
        "es": 1,
        "ts": 1,
        "sql": "",
        "sqlType": {"a": 4, "v": 12},
        "mysqlType": {"a": "int", "v": "varchar(9)"},
        "old": None,
        "data": [{"a": "1", "v": "x"}],
        "_tidb": {"commitTs": 470610923863932928},
    }
    return json.dumps({**row, **members}).encode()


def message(value: bytes | None, protocol: str = "canal_json", **options: str) -> Message:
    return Message("shop", protocol, options, "topic", 0, 7, 1_795_238_204_129, None, value)


def test_no_option_is_shown_that_may_hold_a_secret() -> None:
    looked_at = message(a_row(), time_zone="UTC", schemas="https://user:word@registry", claim_check="s3a://a:b@c")
    head = shown(looked_at, read(looked_at)).splitlines()[1]
    assert head == "feed shop: canal_json, time_zone UTC"


def test_the_page_of_a_row() -> None:
    reading = read(message(a_row(data=[{"a": "1", "v": "a\u2028\x1b[31m"}])))
    assert shown(message(a_row()), reading, Fate(("a change", "two\nlines"))).splitlines()[:3] == [
        "topic topic, partition 0, offset 7, 2026-11-21 05:16:44.129 UTC",
        "feed shop: canal_json",
        f"key: null; value: {len(a_row()):,} bytes",
    ]
    text = shown(message(a_row()), reading, Fate(("a change", "two\nlines")))
    assert "  _tidb.commitTs  470610923863932928\n" in text
    assert "event: row insert, commit 470610923863932928 (2026-11-21 05:16:44.437 UTC)\n  table s.t\n" in text
    assert '  row key: {"a":"1"}\n' in text
    assert "\x1b" not in text and "\u2028" not in text
    assert text.endswith("what became of it\n  a change\n  two\\nlines\n")


def test_a_value_that_is_written_otherwise_stands_beside_its_canonical_text() -> None:
    value = a_row(mysqlType={"a": "int", "v": "blob"}, sqlType={"a": 4, "v": 2004}, data=[{"a": "1", "v": "\xff"}])
    line = next(line for line in shown(message(value), read(message(value))).splitlines() if line.startswith("  v "))
    assert line.split() == ["v", "blob", "/w==", "ÿ"]


def test_what_both_read_otherwise_is_said() -> None:
    """orjson takes no lone surrogate, which the reader of the decoders takes."""
    twice = message(a_row().replace(b'"x"', b'"\\ud800"'))
    reading = read(twice)
    assert len(reading.differences) == (0 if reading.stopped else 1)
    text = shown(twice, replace(reading, differences=("column 'v' after: it has NULL, the decoder has a value",)))
    assert "both differ\n  column 'v' after: it has NULL, the decoder has a value\n" in text


def test_cells_that_one_of_both_leaves_out() -> None:
    from dbt_ticdc.inspection.reading import _of_cells

    (event,) = read(message(a_row())).events
    wire = {"a": "1", "v": None, "w": "x", "_tidb_softdelete_time": None}
    assert _of_cells(event, None, wire) == [
        "column 'v' after: it has NULL, the decoder has a value",
        "column 'w' after: the decoder leaves it out",
    ]


@pytest.mark.parametrize(
    ("value", "options", "told"),
    [
        (a_row(), {"compression": "snappy"}, "option compression none"),
        (
            simple_messages.to_avro({"version": 1, "type": "WATERMARK", "commitTs": 1, "buildTs": 1}),
            {},
            "protocol simple",
        ),
        (b"nothing of the kind", {}, None),
    ],
)
def test_what_heals_a_dead_letter(value: bytes, options: dict[str, str], told: str | None) -> None:
    letter = message(value, **options)
    assert read(letter).stopped is not None
    found = healing.trials(letter)
    assert (told is None and found == []) or (told is not None and told in found[0])


FEEDS: Sequence[dict[str, Any]] = (
    {"name": "shop", "protocol": "canal_json", "topics": [r"shop\_%"]},
    {"name": "all", "protocol": "simple", "topics": ["%"]},
    {"name": "sink", "protocol": "storage_csv", "source": {"files": "/nowhere"}},
)


def test_the_feed_of_a_topic() -> None:
    variables = {"ticdc__feeds": FEEDS}
    assert places.feed_of(variables, Place("other", 0, 0), None)["name"] == "all"
    assert places.feed_of(variables, Place("shop_x", 0, 0), "shop")["name"] == "shop"
    with pytest.raises(TicdcError, match="several feeds take the topic 'shop_x': shop, all; --feed names one"):
        places.feed_of(variables, Place("shop_x", 0, 0), None)
    with pytest.raises(TicdcError, match="no feed 'x'; feeds are shop, all, sink"):
        places.feed_of(variables, Place("shop_x", 0, 0), "x")
    with pytest.raises(TicdcError, match="no feed takes the topic 'x'; feeds and their topics are shop"):
        places.feed_of({"ticdc__feeds": FEEDS[:1]}, Place("x", 0, 0), None)


def line(topic: str, offset: int, value: bytes | None) -> str:
    text = None if value is None else b64encode(value).decode()
    wire = {"topic": topic, "partition": 0, "offset": offset, "timestamp": 1, "key": None, "value": text}
    return json.dumps(wire) + "\n"


def test_a_message_of_a_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = tmp_path / "dump.jsonl"
    dump.write_text(line("t", 3, a_row()) + line("t", 4, None) + line("u", 0, b"x"))
    assert cli.main(["inspect", "t", "0", "3", "--messages", str(dump)]) == 0
    assert "event: row insert" in capsys.readouterr().out
    assert cli.main(["inspect", "t", "0", "4", "--messages", str(dump)]) == 0
    assert "empty_value: the message has no value" in capsys.readouterr().out
    assert cli.main(["inspect", "t", "0", "5", "--messages", str(dump)]) == 1
    assert "partition 0 of it has offsets from 3 to 4" in capsys.readouterr().err
    assert cli.main(["inspect", "v", "0", "5", "--messages", str(dump)]) == 1
    assert "topics are t, u" in capsys.readouterr().err
    dump.write_text("no record\n")
    assert cli.main(["inspect", "t", "0", "3", "--messages", str(dump)]) == 2
    assert "line 1: no Kafka record" in capsys.readouterr().err


def test_without_a_warehouse_the_source_of_the_feed_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (variant, *_) = (each for each in storage.variants() if each.protocol == "storage_csv" and each.has_commits)
    sink = tmp_path / "sink"
    for path, content in variant.files.items():
        (sink / path).parent.mkdir(parents=True, exist_ok=True)
        (sink / path).write_bytes(content)
    feed = {"name": "sink", "protocol": variant.protocol, "source": {"files": str(sink)}, "options": variant.options}
    (tmp_path / "feeds.json").write_text(json.dumps([feed]))
    path = next(name for name in variant.files if "/CDC" in name and not name.endswith(".index"))
    arguments = ["--feeds", str(tmp_path / "feeds.json"), "--warehouse", str(tmp_path / "none")]
    assert cli.main(["inspect", path, "0", "0", *arguments]) == 0
    output = capsys.readouterr().out
    assert "event: row " in output and "table's schema files" in output
    assert cli.main(["inspect", path, "0", "99999", *arguments]) == 1
    assert "and no row 99999" in capsys.readouterr().err
    assert cli.main(["inspect", path + "x/CDC1.csv", "0", "0", *arguments]) in (1, 2)
    assert cli.main(["inspect", "t", "0", "0", "--warehouse", str(tmp_path / "none")]) == 2
    assert "no warehouse is in" in capsys.readouterr().err


def test_a_feed_of_files_elsewhere_needs_a_warehouse() -> None:
    feed = {"name": "sink", "protocol": "storage_csv", "source": {"files": "s3a://bucket/prefix"}}
    with pytest.raises(TicdcError, match="of feed sink are not on this machine: --warehouse names a warehouse"):
        places.at_source(feed, Place("a", 0, 0))
    with pytest.raises(TicdcError, match="say where the messages of feed shop are"):
        places.at_source(FEEDS[0], Place("a", 0, 0))


def test_schemas_of_avro_come_from_the_option_schemas(tmp_path: Path) -> None:
    first = next(each for each in messages_of("avro_before", 1) if each.value and each.key)
    numbers = [str(int.from_bytes((part or b"")[1:5], "big")) for part in (first.key, first.value)]
    if len(set(numbers)) < 2:
        numbers = ["1", "2"]
    entries = {number: {"schema": text} for number, text in zip(numbers, first.schemas, strict=True)}
    (tmp_path / "registry.json").write_text(json.dumps(entries))
    feed = {"name": "a", "protocol": "avro", "topics": ["%"], "options": {"schemas": str(tmp_path / "registry.json")}}
    place, found = Place("t", 0, 0), places.Bytes(first.key, first.value, None)
    made = places.message_of(feed, place, found, places.registry_of(feed, None))
    assert made.schemas == first.schemas and made.notes == ()
    (tmp_path / "registry.json").write_text("{}")
    feed["options"] = {"schemas": str(tmp_path / "none.json")}
    made = places.message_of(feed, place, found, places.registry_of(feed, None))
    assert made.schemas == (None, None) and len(made.notes) == 2
    assert read(made).events[0].error_code == "schema_missing"
    assert {"avro", "debezium_avro"} == {*OF_REGISTRY}
