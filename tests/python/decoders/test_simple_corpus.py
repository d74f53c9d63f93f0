"""Simple: every message of the corpus against canal-json's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from support.corpus import Variant, json_lines, root
from support.images import image_of
from support.simple import Finished, SimpleVariant, columns_of, finished, image_text, variants

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import canal_json
from ticdc_udfs.wire import claim_check

ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)


@cache
def _events(variant: SimpleVariant) -> list[Event]:
    return variant.events


@ALL
def test_every_message_of_the_corpus_decodes(variant: SimpleVariant) -> None:
    events = _events(variant)
    assert [event for event in events if event.kind == Kind.ERROR] == []
    assert {event.kind for event in events} == set(Kind) - {Kind.ERROR}


@ALL
def test_every_schema_of_the_corpus_is_the_same_wherever_it_comes(variant: SimpleVariant) -> None:
    """BOOTSTRAP and DDL bear the same text for one version, and both encodings do."""
    texts: dict[Any, set[bytes]] = defaultdict(set)
    for event in _events(variant):
        if event.table_schema is not None:
            texts[event.schema_name, event.table_name, event.table_schema_id].add(event.table_schema)
    assert len(texts) > 100
    assert {len(forms) for forms in texts.values()} == {1}


@cache
def _tables() -> dict[tuple[str, str], dict[str, Any]]:
    """The tables of the upstream at its last checkpoint."""
    tables = list(json_lines(root() / "truth" / "tables.jsonl"))
    last = max(table["checkpoint_ts"] for table in tables)
    return {(table["schema"], table["table"]): table for table in tables if table["checkpoint_ts"] == last}


def _version(event: Event | None) -> int:
    return 0 if event is None else event.table_schema_id or 0


@ALL
def test_the_last_schema_of_each_table_of_the_corpus_is_the_upstreams(variant: SimpleVariant) -> None:
    last: dict[tuple[str | None, str | None], Event] = {}
    for event in _events(variant):
        name = (event.schema_name, event.table_name)
        if event.table_schema is not None and _version(event) >= _version(last.get(name)):
            last[name] = event
    compared = 0
    for name, event in last.items():
        table = _tables().get(name)
        if table is None:
            continue
        columns = columns_of(event.table_schema)
        assert [each.name for each in columns] == [each["name"] for each in table["columns"]]
        assert {each.name for each in columns if each.key} == set(table["handle_key"] or ())
        for got, true in zip(columns, table["columns"], strict=True):
            compared += 1
            assert got.nullable is true["nullable"], (name, got)
            float_of = true["column_type"].startswith(("float", "double"))  # (M,D) does not come
            want = true["column_type"].partition("(")[0] if float_of else true["column_type"]
            assert got.type.removesuffix(" zerofill") == want, name
            if true["default"] is not None and got.type.startswith(("varchar", "int", "enum", "set", "date", "time(")):
                assert got.default in (true["default"], "CURRENT_TIMESTAMP"), (name, got)
    assert compared > 300


@cache
def _canal_events() -> list[Event]:
    variant = Variant(root(), "canal_json_compatible")
    return [
        event
        for record in variant.records
        for event in arrow.decode_message(canal_json.decode, record.key, record.value, variant.options_text)
        if event.kind == Kind.ROW
    ]


@cache
def _canal_rows() -> Mapping[tuple[Any, ...], list[Event]]:
    rows: dict[tuple[Any, ...], list[Event]] = defaultdict(list)
    for event in _canal_events():
        rows[event.schema_name, event.table_name, event.commit_ts, event.op].append(event)
    return rows


def _whole(variant: SimpleVariant, event: Event) -> Event:
    """A row with its claim check resolved, where the corpus has the file."""
    if event.claim_check is None:
        return event
    file = variant.folder / "claim_check" / variant.name / event.claim_check
    return variant.decode(claim_check.message_of(file.read_bytes())[1]) if file.exists() else event


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: SimpleVariant) -> None:
    """After the schema is applied each row is byte for byte the same, but for what a key-only row leaves out."""
    tally: Counter[str] = Counter()
    wrong = []
    for row in finished(_whole(variant, event) for event in _events(variant)):
        event = row.event
        same_commit = _canal_rows()[event.schema_name, event.table_name, event.commit_ts, event.op]
        cells = len(row.before or ()) + len(row.after or ())
        if row.flags & {"*:handle_key_only", "*:claim_check"}:
            assert any(_key_of(canal, row) == row.key for canal in same_commit)
            tally["flagged"] += len(columns_of(same_commit[0].table_schema)) - cells
            tally["exact"] += cells
            continue
        assert row.flags == set()
        images = (image_text(row.before), image_text(row.after))
        right = any((canal.before, canal.after) == images and _key_of(canal, row) == row.key for canal in same_commit)
        tally["exact" if right else "wrong"] += cells
        if not right:
            wrong.append((event.schema_name, event.table_name, event.op, row.key))
    print(f"{variant.name}: {tally['exact']} exact, {tally['flagged']} flagged, {tally['wrong']} wrong")
    assert wrong == []
    assert tally["exact"] > 25_000


def _key_of(canal: Event, row: Finished) -> dict[str, str | None]:
    """The cells of canal-json's row that are the key; it names no key of a table without PRIMARY KEY."""
    image = image_of(canal.row_key) or {}
    if "*:no_key" in canal.lossy:
        return {name: image[name] for name in row.key}
    return image


@ALL
def test_a_rename_of_several_tables_names_each_final_table(variant: SimpleVariant) -> None:
    """All steps share one commit; the SQL tells each step (protocol facts 0.1, line 4)."""
    steps: dict[int | None, dict[str | None, str | None]] = defaultdict(dict)
    for event in _events(variant):
        if event.ddl_type == "RENAME":
            steps[event.commit_ts][event.ddl_query] = event.table_name
    assert {
        "RENAME TABLE `shop`.`ren1` TO `shop`.`ren_tmp`;": "ren2",
        "RENAME TABLE `shop`.`ren2` TO `shop`.`ren1`;": "ren1",
        "RENAME TABLE `shop`.`ren_tmp` TO `shop`.`ren2`;": "ren2",
    }.items() <= max(steps.values(), key=len).items()


@ALL
def test_a_table_that_gains_its_key_later(variant: SimpleVariant) -> None:
    """Without force-replicate neither its CREATE nor its earlier rows come (protocol facts 0.1, line 11)."""
    events = [event for event in _events(variant) if event.table_name == "keyless"]
    words = [event.ddl_type for event in events if event.kind == Kind.DDL]
    assert ("CREATE" in words) is bool(variant.meta["force_replicate"])
    assert {"CINDEX"} <= set(words)
    assert finished(events)
