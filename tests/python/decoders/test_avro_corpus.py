"""Avro: the corpus against canal-json."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest
from support.avro import AvroVariant, variants
from support.corpus import Variant, root
from support.images import image_of

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import avro, canal_json

ALL = pytest.mark.parametrize("variant", variants("avro"), ids=lambda variant: variant.name)


@cache
def _events(variant: AvroVariant) -> tuple[Event, ...]:
    return tuple(arrow.decode_message(avro.decode, *each)[0] for each in variant.messages)


@ALL
def test_every_message_of_the_corpus_decodes(variant: AvroVariant) -> None:
    has_before = variant.meta["sink_uri_options"].get("avro-include-before-value") == "true"
    assert {event.kind for event in _events(variant)} == {Kind.ROW}
    rows = [event for event in _events(variant) if event.table_name]
    # deletions that name no row, in a table that has its key from a later DDL on alone
    assert (len(rows) < len(_events(variant))) is not has_before
    assert len(_events(variant)) - len(rows) <= 4
    kept = [event for event in rows if event.op != "delete" or has_before]
    assert {event.commit_ts_exact for event in kept} == {variant.has_extension}
    assert {event.op for event in rows} == {
        "delete",
        *(("insert", "update") if variant.has_extension or has_before else ("upsert",)),
    }
    assert {event.before is None for event in rows if event.op == "delete"} == {False}
    assert {event.checksum_mismatch for event in rows} == {None}


def _sanitized(name: str) -> str:
    return re.sub("^(?=[0-9])", "_", re.sub("[^A-Za-z0-9_]", "_", name))


_Change = tuple[str, str]


@cache
def _canal_rows() -> dict[_Change, list[tuple[Event, Any, Any, Any]]]:
    """The row events of canal-json with full types by table, with sanitized names: event, key, old and new image."""
    canal = Variant(root(), "canal_json_compatible")
    found: dict[_Change, list[tuple[Event, Any, Any, Any]]] = defaultdict(list)
    for line in canal.records:
        (event,) = arrow.decode_message(canal_json.decode, line.key, line.value, canal.options_text)
        if event.kind == Kind.ROW:
            images = (
                image and {_sanitized(name): text for name, text in image.items()}
                for image in map(image_of, (event.row_key, event.before, event.after))
            )
            found[_sanitized(event.schema_name or ""), _sanitized(event.table_name or "")].append((event, *images))
    return found


def _same(canal: Any, image: Any) -> bool:
    """Whether images are equal, but for virtual columns, which are NULL in Avro and not at all in canal-json."""
    if canal is None or image is None:
        return canal is image
    return all(image.get(name, "") == text for name, text in canal.items()) and all(
        image[name] is None for name in image.keys() - canal.keys()
    )


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: AvroVariant) -> None:
    has_before = variant.meta["sink_uri_options"].get("avro-include-before-value") == "true"
    counts: Counter[str] = Counter()
    for event in _events(variant):
        if not event.table_name:
            continue
        candidates = [
            each
            for each in _canal_rows()[event.schema_name or "", event.table_name]
            if event.commit_ts in (None, each[0].commit_ts)
            and (each[0].op == event.op or (event.op == "upsert" and each[0].op != "delete"))
        ]
        key, old, new = map(image_of, (event.row_key, event.before, event.after))
        found = [
            each
            for each in candidates
            if (each[1] == key if event.op == "delete" and not has_before else _same(each[3], new))
            and (not has_before or _same(each[2], old))
        ]
        assert found, f"{event.schema_name}.{event.table_name} {event.op} {key} at {event.commit_ts}"
        assert any(each[1] == key or "*:no_key" in event.lossy for each in found)
        counts[event.op or ""] += 1
        counts["cells"] += len(new or ()) + len(old or ())
        for flag in event.lossy:
            name, _, reason = flag.rpartition(":")
            # what no export tells of may be a virtual generated column
            if name != "*":
                assert reason == "null_or_generated"
                assert None in [(image or {}).get(name, "") for image in (new, old)]
    print(variant.name, dict(counts))
    assert counts["cells"] > 15_000
