"""Debezium-Avro: the corpus against canal-json."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from support import debezium as debezium_json
from support.avro import AvroVariant, variants
from support.corpus import Variant, root
from support.images import image_of

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.protocols import canal_json, debezium_avro
from ticdc_udfs.protocols.debezium_avro.message import converter

ALL = pytest.mark.parametrize("variant", variants("debezium_avro"), ids=lambda variant: variant.name)


@cache
def _events(variant: AvroVariant) -> tuple[Event, ...]:
    return tuple(arrow.decode_message(debezium_avro.decode, *each)[0] for each in variant.messages)


_Change = tuple[str | None, str | None, int | None, str | None]


@cache
def _canal_rows() -> dict[_Change, list[Event]]:
    """The row events of canal-json with full types."""
    canal = Variant(root(), "canal_json_compatible")
    rows: dict[_Change, list[Event]] = defaultdict(list)
    for line in canal.records:
        (event,) = arrow.decode_message(canal_json.decode, line.key, line.value, canal.options_text)
        if event.kind == Kind.ROW:
            rows[event.schema_name, event.table_name, event.commit_ts, event.op].append(event)
    return rows


@cache
def _tables() -> dict[tuple[str | None, str | None], list[tuple[int, dict[str, Column]]]]:
    """The columns that the DDL of a Debezium JSON changefeed tells, by table, from which commit on."""
    tables: dict[tuple[str | None, str | None], list[tuple[int, dict[str, Column]]]] = defaultdict(list)
    variant = next(each for each in debezium_json.variants() if each.name != "debezium_noschema")
    for event in variant.events:
        if event.kind == Kind.DDL and event.table_schema is not None:
            columns = [Column(**each) for each in json.loads(event.table_schema)]
            tables[event.schema_name, event.table_name].append(
                (event.commit_ts or 0, {each.name: each for each in columns})
            )
    return tables


@ALL
def test_every_message_of_the_corpus_decodes(variant: AvroVariant) -> None:
    assert {event.kind for event in _events(variant)} == {Kind.ROW}
    assert {event.op for event in _events(variant)} == {"insert", "update", "delete"}
    assert {event.before is None for event in _events(variant) if event.op == "update"} == {False}


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: AvroVariant) -> None:
    """Cell by cell, finished by the table schema; only years below 100, which cannot be told, are wrong unflagged."""
    counts: Counter[str] = Counter()
    for event in _events(variant):
        change_of = (event.schema_name, event.table_name, event.commit_ts, event.op)
        known = [columns for commit_ts, columns in _tables()[change_of[:2]] if commit_ts < (event.commit_ts or 0)]
        judged = [_judged(event, canal, known[-1] if known else {}) for canal in _canal_rows()[change_of]]
        assert judged, change_of
        counts.update(min(judged, key=lambda each: each["wrong"]))
    print(variant.name, dict(counts))
    assert counts["wrong"] == 0
    assert 0 < counts["shifted year"] < 60
    assert 0 < counts["flagged"] < 0.1 * counts["exact"]
    assert counts["exact"] > 20_000


def _judged(event: Event, canal: Event, columns: Mapping[str, Column]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for image, want in (
        (image_of(event.before), image_of(canal.before)),
        (image_of(event.after), image_of(canal.after)),
    ):
        if image is None or want is None or list(image) != list(want):
            counts["wrong"] += image is not want
            continue
        counts.update(_judge(name, text, want[name], event.lossy, columns.get(name)) for name, text in image.items())
    key = image_of(canal.row_key)
    if "*:no_key" not in canal.lossy:
        counts["wrong"] += not counts["shifted year"] and not counts["flagged"] and image_of(event.row_key) != key
    return counts


def _judge(name: str, text: str | None, want: str | None, lossy: Sequence[str], known: Column | None) -> str:
    flags = {flag for flag in lossy if flag.rpartition(":")[0] == name and not flag.endswith(":no_schema")}
    if known is not None and text is not None:
        convert = converter(known.type, nullable=known.nullable, default=known.default)
        if convert is not None:
            text, reason = convert(text)
            flags |= {reason} if reason is not None else set()
    if flags:
        return "flagged"
    if text == want:
        return "exact"
    year = (want or "")[:4]
    if year.isdigit() and 0 < int(year) < 100:
        return "shifted year" if text == f"{2000 + int(year) - 100 * (year >= '0070')}{(want or '')[4:]}" else "wrong"
    return "wrong"
