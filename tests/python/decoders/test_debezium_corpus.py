"""Debezium JSON: every message of the corpus against the same rows through canal-json."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest
from support.corpus import Variant, root
from support.debezium import DebeziumVariant, Finished, finished, variants
from support.images import image_of

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import canal_json

ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
_Change = tuple[str | None, str | None, int | None, str | None]


@cache
def _events(variant: DebeziumVariant) -> list[Event]:
    return variant.events


@cache
def _canal_rows() -> dict[_Change, dict[tuple[bytes | None, bytes | None], Event]]:
    """The row events of canal-json with full types, by what Debezium tells of them too and by their images."""
    canal = Variant(root(), "canal_json_compatible")
    rows: dict[_Change, dict[tuple[bytes | None, bytes | None], Event]] = defaultdict(dict)
    for record in canal.records:
        (event,) = arrow.decode_message(canal_json.decode, record.key, record.value, canal.options_text)
        if event.kind == Kind.ROW:
            change = (event.schema_name, event.table_name, event.commit_ts, event.op)
            rows[change][event.before, event.after] = event
    return rows


@ALL
def test_every_message_of_the_corpus_decodes(variant: DebeziumVariant) -> None:
    events = _events(variant)
    assert [event for event in events if event.kind == Kind.ERROR] == []
    assert any(event.kind == Kind.WATERMARK for event in events) is variant.has_extension
    options = variant.meta["sink_uri_options"]
    rows = [event for event in events if event.kind == Kind.ROW]
    without_schema = options.get("debezium-disable-schema") == "true"
    assert {event.table_schema is None for event in rows} == {without_schema}
    assert {"*:no_schema" in event.lossy for event in rows} == {without_schema}
    assert {event.start_ts is None for event in rows} == {"debezium-include-start-ts" not in options}
    old_values = {event.before is not None for event in rows if event.op == "update"}
    assert old_values == {variant.meta["output_old_value"]}
    ddl = [event for event in events if event.kind == Kind.DDL]
    assert len({(event.commit_ts, event.ddl_query) for event in ddl}) > 130
    assert {event.ddl_type for event in ddl} == {"CREATE", "ALTER", "DROP", None}


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: DebeziumVariant) -> None:
    """Cell by cell; only years below 100, which cannot be told, are wrong without a flag."""
    changes: dict[_Change, dict[tuple[bytes | None, bytes | None, bytes | None], Finished]] = defaultdict(dict)
    for row in finished(_events(variant), variant.zone):
        event = row.event
        changes[event.schema_name, event.table_name, event.commit_ts, event.op].setdefault(
            (event.row_key, event.before, event.after), row
        )
    counts: Counter[str] = Counter()
    for change_of, rows in changes.items():
        wanted = _canal_rows()[change_of].values()
        assert len(rows) == len(wanted), change_of
        for row, canal in zip(rows.values(), wanted, strict=True):
            _compare(row, canal, counts)
    print(variant.name, dict(counts))
    assert counts["wrong"] == 0
    assert 0 < counts["shifted year"] < 60
    assert 0 < counts["flagged"] < 0.1 * counts["cells"]
    assert counts["cells"] > 5_000


def _compare(row: Finished, canal: Event, counts: Counter[str]) -> None:
    for image, text in ((row.before, canal.before), (row.after, canal.after)):
        want = image_of(text)
        if image is None or want is None:
            assert image is None and (want is None or row.event.op == "update"), row
            continue
        assert list(image) == list(want)
        for name, cell in image.items():
            counts["cells"] += 1
            counts[_judged(name, cell, want[name], row)] += 1
    now = row.after if row.after is not None else row.before
    assert row.key == {name: (now or {})[name] for name in row.key}
    if "*:no_key" not in canal.lossy:
        assert list(row.key) == list(image_of(canal.row_key) or ())


def _judged(name: str, cell: str | None, want: str | None, row: Finished) -> str:
    if any(flag.rpartition(":")[0] == name for flag in row.lossy):
        return "flagged"
    if cell == want:
        return "exact"
    year = (want or "")[:4]
    if (
        year.isdigit()
        and 0 < int(year) < 100
        and cell == f"{2000 + int(year) - 100 * (year >= '0070')}{(want or '')[4:]}"
    ):
        return "shifted year"
    return "wrong"
