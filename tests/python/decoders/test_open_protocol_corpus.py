"""Open Protocol: every row of the corpus against the same row of canal-json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

import orjson
import pytest
from support.corpus import Variant, root
from support.open_protocol import image, variants

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.options import Options
from ticdc_udfs.protocols import canal_json, open_protocol
from ticdc_udfs.wire import claim_check


@cache
def _canal_rows() -> Mapping[tuple[str, str, int], list[tuple[str, bytes, bytes | None, bytes | None]]]:
    """Rows of the canal-json variant with default options, by schema, table and commit."""
    rows: dict[tuple[str, str, int], list[tuple[str, bytes, bytes | None, bytes | None]]] = {}
    for record in Variant(root(), "canal_json").records:
        (event,) = canal_json.decode(record.key, record.value, Options())
        if event.kind == Kind.ROW:
            found = rows.setdefault((event.schema_name or "", event.table_name or "", event.commit_ts or 0), [])
            found.append((event.op or "", event.row_key or b"", event.before, event.after))
    return rows


@cache
def _canal_ddl() -> frozenset[tuple[int | None, str | None, str | None, str | None]]:
    events = (
        canal_json.decode(record.key, record.value, Options())[0] for record in Variant(root(), "canal_json").records
    )
    return frozenset(_ddl(event) for event in events if event.kind == Kind.DDL)


def _ddl(event: Event) -> tuple[int | None, str | None, str | None, str | None]:
    return event.commit_ts, event.schema_name, event.table_name, event.ddl_query


@cache
def _decoded(variant: Variant) -> tuple[Event, ...]:
    """All events, claim checks resolved."""
    events = []
    folder = root() / "claim_check" / variant.name
    for record in variant.records:
        for event in arrow.decode_message(open_protocol.decode, record.key, record.value, variant.options_text):
            if event.claim_check is None:
                events.append(event)
                continue
            key, value = claim_check.message_of((folder / event.claim_check).read_bytes())
            (whole,) = arrow.decode_message(open_protocol.decode, key, value, variant.options_text)
            assert (whole.commit_ts, whole.op, whole.row_key) == (event.commit_ts, event.op, event.row_key)
            events.append(whole)
    return tuple(events)


ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)


@ALL
def test_every_event_of_the_corpus_decodes(variant: Variant) -> None:
    events = _decoded(variant)
    counts = Counter(event.kind for event in events)
    assert counts[Kind.ERROR] == 0
    wanted, partitions = variant.meta["counts"], variant.meta["partitions"]
    if not variant.meta["single_duplicates_percent"] and not variant.meta["restarts_replayed"]:
        assert counts[Kind.ROW] == wanted["insert"] + wanted["update"] + wanted["delete"]
        assert counts[Kind.WATERMARK] == wanted["watermark"] * partitions
        assert counts[Kind.DDL] == wanted["ddl"] * partitions
    ddl = {_ddl(event) for event in events if event.kind == Kind.DDL}
    assert ddl <= _canal_ddl()
    assert ddl == _canal_ddl() or not variant.meta["force_replicate"]


@ALL
def test_every_row_of_the_corpus_equals_the_row_of_canal_json(variant: Variant) -> None:
    """Byte by byte: the same texts in the same order, but for what the variant's options leave out.

    Canal-json with default options names enum and set members by number too; a table with a unique key alone is
    keyless there and has a row key here.
    """
    canal = _canal_rows()
    cells = rows = 0
    seen: set[tuple[str, str, int, bytes, str]] = set()
    for event in _decoded(variant):
        if event.kind != Kind.ROW:
            continue
        table = (event.schema_name or "", event.table_name or "", event.commit_ts or 0)
        rows += 1
        cells += len(image(event.before) or ()) + len(image(event.after) or ())
        assert any(_same(variant, event, *true) for true in canal[table]), f"no such row in canal-json: {event}"[:2000]
        seen.add((*table, event.row_key or b"", event.op or ""))
        may_be_old = event.physical_table_id is not None or "*:no_key" in event.lossy
        unsure = {"no_schema"} if may_be_old else set()
        assert {flag.partition(":")[2] for flag in event.lossy} <= {
            "label_unknown",
            "no_key",
            "handle_key_only",
        } | unsure
    print(f"{variant.name}: {rows} rows, {cells} cells, 0 differ")
    assert cells > 20_000
    if variant.meta["force_replicate"]:
        assert {row[:3] for row in seen} == canal.keys()


def _same(variant: Variant, event: Event, op: str, key: bytes, before: bytes | None, after: bytes | None) -> bool:
    if not variant.meta["output_old_value"] and op == "update":
        op, before = "insert", None
    if "*:handle_key_only" in event.lossy or (variant.meta["delete_only_output_handle_key_columns"] and op == "delete"):
        before, after = (text and _reduced(text, event.row_key or b"") for text in (before, after))
        key = event.row_key or b""
    if (event.op, event.before, event.after) != (op, before, after):
        return False
    return event.row_key == key or (orjson.loads(event.row_key or b"").items() <= orjson.loads(key).items())


def _reduced(text: bytes, key: bytes) -> bytes:
    row = orjson.loads(text)
    return orjson.dumps({name: row[name] for name in orjson.loads(key)})
