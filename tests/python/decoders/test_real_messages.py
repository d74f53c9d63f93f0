"""What real messages taught: a test for each line of protocol facts 0.1, on the sample of the repository.

Forms that the sample has not stand with their protocol; line 13, about files of storage
sinks, stands in `test_storage_corpus.py`.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from support import debezium as debezium_messages
from support import simple as simple_messages
from support.catalogue import DECODERS, KIND_OF_ACTION, at, column, events_of, folded, versions_of
from support.corpus import DATA, SAMPLE, Record, Variant, json_lines
from support.decoded import decoded
from support.open_protocol import unframed
from support.replay import Placed, current_rows

from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.ddl import kind_and_tables
from ticdc_udfs.catalogue.fold import DdlEvent
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.protocols.debezium_avro.message import converter
from ticdc_udfs.wire import checksum

Image = Mapping[str, str | None]
Row = tuple[str | None, str | None, int | None, str | None]
"""Schema, table, commit and operation."""

WITH_DDL = ["canal_json", "open_protocol", "simple_json", "simple_avro_checksum", "debezium_noschema"]


def _events(name: str, kind: Kind, table: str | None = None) -> list[Event]:
    return [event for _, event in decoded(name) if event.kind == kind and table in (None, event.table_name)]


def _ddl(name: str) -> dict[tuple[int | None, str], Event]:
    """The DDL events by commit and text, each once."""
    return {(event.commit_ts, event.ddl_query or ""): event for event in _events(name, Kind.DDL)}


def _image(text: bytes | None) -> dict[str, str | None]:
    return dict(json.loads(text)) if text else {}


def _row(event: Event) -> Row:
    return event.schema_name, event.table_name, event.commit_ts, event.op


@cache
def _truth(table: str) -> Mapping[str, Any]:
    """A table at the last checkpoint at which it was there."""
    return [each for each in json_lines(DATA / "catalogue" / "tables.jsonl") if each["table"] == table][-1]


def test_line_1_a_column_that_became_null_comes_without_name_and_braces() -> None:
    whole = {(_row(event), event.row_key, event.before) for event in _events("canal_json", Kind.ROW)}
    counts: Counter[int] = Counter()
    bodies = [body for record in Variant(SAMPLE, "open_protocol_partial_old").records for body in _bodies(record)]
    events = [event for _, event in decoded("open_protocol_partial_old")]
    for body, event in zip(bodies, events, strict=True):
        members = dict(json.loads(body, object_pairs_hook=list)) if body else {}
        nameless = sum(name == "v" and not isinstance(value, list) for name, value in members.get("p", ()))
        counts[nameless] += 1
        if nameless:
            assert (_row(event), event.row_key, event.before) in whole
            assert not any(flag.endswith(":column_unsure") for flag in event.lossy)
    assert counts[1] > 50 and sum(counts.values()) - counts[0] - counts[1] > 0


def _bodies(record: Record) -> list[bytes]:
    return unframed(record.value or b"")


def test_line_2_the_checksum_runs_over_columns_in_table_order() -> None:
    ids = {each["name"]: each["column_id"] for each in _truth("evolve")["columns"]}
    rows = simple_messages.finished(event for _, event in decoded("simple_avro_checksum"))
    rows = [row for row in rows if row.event.table_name == "evolve" and ids.keys() == {c.name for c in row.columns}]
    assert rows
    for row in rows:
        sent = row.event.checksum or b""
        by_id = sorted(row.columns, key=lambda each: ids[each.name])
        assert by_id != list(row.columns)
        assert checksum.verify(sent, row.before, row.after, row.columns) is None
        assert checksum.verify(sent, row.before, row.after, by_id) is not None


def test_line_2_a_row_of_nulls_has_no_checksum_and_is_never_sent() -> None:
    with_sums, without = (
        Counter(map(_row, _events(name, Kind.ROW))) for name in ("simple_avro_checksum", "simple_json")
    )
    (lost,) = (without - with_sums).elements()
    assert not with_sums - without
    rows = [event for event in _events("simple_json", Kind.ROW, "t2") if _row(event) == lost]
    assert [_image(event.after) for event in rows] == [{"k": "a"}, {"k": None}]
    assert [_image(event.after) for event in _events("simple_avro_checksum", Kind.ROW, "t2")] == [{"k": "a"}]


@pytest.mark.parametrize("name", WITH_DDL)
def test_line_3_the_table_that_an_exchange_names(name: str) -> None:
    (event,) = (event for (_, text), event in _ddl(name).items() if "EXCHANGE PARTITION" in text)
    assert event.table_name == ("sales" if name.startswith("simple") else "exch")
    assert event.ddl_type == {"canal": "QUERY", "open": "42"}.get(name.partition("_")[0], "ALTER")
    _, tables = kind_and_tables(event.ddl_query or "", event.schema_name)
    assert tables == (("shop", "sales"), ("shop", "exch"))
    if name.startswith("debezium"):
        (change,) = _changes("EXCHANGE PARTITION")
        assert (change["id"], event.table_schema) == ('"shop"."sales"', None)


def _changes(text: str) -> list[Any]:
    """What Debezium's `tableChanges` tell of the DDL that holds a text."""
    payloads = [json.loads(record.value or b"")["payload"] for record in Variant(SAMPLE, "debezium_noschema").records]
    return next(list(each["tableChanges"]) for each in payloads if text in each.get("ddl", ""))


SWAP = {
    "RENAME TABLE `shop`.`ren1` TO `shop`.`ren_tmp`;": "ren2",
    "RENAME TABLE `shop`.`ren2` TO `shop`.`ren1`;": "ren1",
    "RENAME TABLE `shop`.`ren_tmp` TO `shop`.`ren2`;": "ren2",
}


@pytest.mark.parametrize("name", WITH_DDL)
def test_line_4_each_step_of_a_rename_of_several_tables_names_the_final_one(name: str) -> None:
    steps = {text: event for (_, text), event in _ddl(name).items() if text in SWAP}
    assert {text: event.table_name for text, event in steps.items()} == SWAP
    assert len({event.commit_ts for event in steps.values()}) == 1
    swap = [DdlEvent(30, event.schema_name, event.table_name, text) for text, event in steps.items()]
    result = folded("CREATE TABLE ren1 (one INT)", "CREATE TABLE ren2 (two INT)", *swap)
    assert [each.name for each in at(result, "ren1", 31).columns] == ["two"]
    assert [each.name for each in at(result, "ren2", 31).columns] == ["one"]
    assert not result.problems


@pytest.mark.parametrize("name", WITH_DDL)
def test_line_5_ddl_text_is_restored_and_keeps_its_backslashes(name: str) -> None:
    texts = {text: event.schema_name for (_, text), event in _ddl(name).items()}
    if name != "debezium_noschema":
        assert texts.keys() == {text for _, text in _ddl("canal_json")}
    assert DdlKind.UNREADABLE not in {kind_and_tables(*each)[0] for each in texts.items()}
    assert "ALTER TABLE `evolve` COMMENT = 'line1\nline2 ''quoted'' \\ back'" in texts
    defaults = {}
    for text in texts:
        for table, column_name in (("nd_vbin", "v"), ("types_zoo_misc", "snn")):
            if text.startswith(f"CREATE TABLE `{table}`"):
                assert "DEFAULT x'00ff'" in text or "DEFAULT _UTF8MB4''" in text
                defaults[table] = column(at(folded(text), table, 11), column_name).default
    assert defaults == {"nd_vbin": b64encode(b"\x00\xff").decode(), "types_zoo_misc": ""}


NULLS = {
    "nd_datetime": "2001-02-03 04:05:06",
    "nd_datetime6": "2001-02-03 04:05:06.123456",
    "nd_dtnow": "1970-01-01 00:00:00.000",
    "nd_ts": "2001-02-03 04:05:06",
    "nd_tsnow": None,
    "nd_time": "00:00:00.000",
    "nd_bit": "2730",
    "nd_bit1": "1",
    "nd_json": None,
    "nd_text": "",
    "nd_int": "4000000000",
    "nd_ubig": "0",
    "nd_dec": "-1.50000000",
    "nd_flt": "0.1",
    "nd_dbl": "-1" + "0" * 100,
    "nd_enum": "b",
    "nd_set": "a,b",
    "nd_year": "1999",
    "nd_bin": b64encode(b"ab\0\0").decode(),
    "nd_vbin": b64encode("\0\ufffd".encode()).decode(),
}


@cache
def _null_rows() -> set[tuple[str, bytes | None]]:
    """Table and key of the rows in which the column `v` was inserted as NULL, or became so."""
    rows = [event for event in _events("canal_json", Kind.ROW) if (event.table_name or "").startswith("nd_")]
    return {
        (event.table_name or "", event.row_key) for event in rows if event.after and _image(event.after)["v"] is None
    }


@pytest.mark.parametrize("name", ["debezium_noschema", "debezium_some_rows"])
def test_line_6_what_debezium_writes_in_place_of_null(name: str) -> None:
    """TIME and a large BIGINT UNSIGNED give 0 whatever their default, bytes that are no UTF-8 are replaced."""
    found: dict[str, set[tuple[str | None, bool]]] = defaultdict(set)
    for row in debezium_messages.finished((event for _, event in decoded(name)), None):
        if (row.event.table_name or "", row.event.row_key) in _null_rows() and row.after is not None:
            found[row.event.table_name or ""].add((row.after["v"], "v:null_or_default" in row.lossy))
    for table, text in NULLS.items():
        assert (text, text is not None) in found[table], (table, found[table])


@pytest.mark.parametrize("by_message", [True, False], ids=["tableChanges", "DDL text"])
def test_line_6_debezium_avro_does_the_same_and_sends_no_defaults(by_message: bool) -> None:
    """Only what the table's DDL tells can flag them."""
    columns = _told_by_messages() if by_message else _told_by_ddl()
    found: dict[str, set[tuple[str | None, bool]]] = defaultdict(set)
    for event in _events("debezium_avro", Kind.ROW):
        if (event.table_name or "", event.row_key) in _null_rows() and event.after:
            cell, known = _image(event.after)["v"], columns[event.table_name or ""]
            assert "v:null_or_default" not in event.lossy
            assert b"default" not in (event.table_schema or b"")
            convert = converter(known.type, nullable=known.nullable, default=known.default)
            text, reason = (cell, None) if cell is None or convert is None else convert(cell)
            found[event.table_name or ""].add((text, reason == "null_or_default"))
    for table, wanted in NULLS.items():
        assert (wanted, wanted is not None) in found[table], (table, found[table])


def _told_by_messages() -> dict[str, Column]:
    """The column `v` of each table as Debezium's `tableChanges` tell it."""
    bearers = {event.table_name: event.table_schema for event in _events("debezium_noschema", Kind.DDL)}
    columns = [(table or "", Column(**each)) for table, text in bearers.items() for each in json.loads(text or b"[]")]
    return {table: each for table, each in columns if each.name == "v"}


def _told_by_ddl() -> dict[str, Column]:
    """The column `v` of each table as the DDL text tells it."""
    result = folded(*(DdlEvent(1, "shop", event.table_name, text) for (_, text), event in _ddl("canal_json").items()))
    columns = [
        (version.table_name, each) for version in result.versions for each in version.columns if each.name == "v"
    ]
    return {
        table: Column(
            "v", each.type, None, each.nullable, each.default_expression if each.default is None else each.default
        )
        for table, each in columns
    }


def test_line_7_years_below_100_are_shifted_in_keys_too() -> None:
    true, got = (
        {_row(event): _image(event.row_key)["d"] for event in _events(name, Kind.ROW, "daily_stats")}
        for name in ("canal_json", "debezium_noschema")
    )
    rows = debezium_messages.finished((event for _, event in decoded("debezium_noschema")), None)
    got |= {_row(row.event): row.key["d"] for row in rows if row.event.table_name == "daily_stats"}
    moved = {(true[each] or "", got[each] or "") for each in true.keys() & got.keys() if true[each] != got[each]}
    assert {(was[:4], now[:4]) for was, now in moved} == {("0001", "2001"), ("0099", "1999")}
    assert {was[4:] == now[4:] for was, now in moved} == {True}


def test_line_8_what_debezium_never_sends() -> None:
    """The rows of a recovered table come though RECOVER TABLE does not; the fold finds the table again."""
    unsent = _ddl("canal_json").keys() - _ddl("debezium_noschema").keys()
    kinds = {kind_and_tables(text, "shop")[0] for _, text in unsent}
    assert kinds == {
        DdlKind.RECOVER_TABLE,
        DdlKind.TABLE_TTL,
        DdlKind.ADD_FOREIGN_KEY,
        DdlKind.DROP_FOREIGN_KEY,
        DdlKind.CREATE_TABLE,  # of nd_date
    }
    for name in ("debezium_noschema", "debezium_avro"):
        assert not _events(name, Kind.ROW, "nd_date")
    recovered = max(commit_ts or 0 for commit_ts, text in unsent if text.startswith("RECOVER"))
    rows = [event for event in _events("debezium_some_rows", Kind.ROW, "rec") if (event.commit_ts or 0) > recovered]
    told = [DdlEvent(event.commit_ts or 0, "shop", "rec", None, None, _text(event)) for event in rows]
    ddl = [event for (_, text), event in _ddl("debezium_some_rows").items() if "`rec`" in text]
    sent = [DdlEvent(event.commit_ts or 0, "shop", event.table_name, event.ddl_query) for event in ddl]
    assert told and sent
    versions = versions_of(folded(*sent, *told), "rec")
    assert {version.incarnation for version in versions} == {1} and versions[-1].started_by == DdlKind.RECOVER_TABLE


def _text(event: Event) -> str:
    return (event.table_schema or b"").decode()


def test_line_8_a_view_comes_as_a_created_table_and_names_no_types() -> None:
    (change,) = _changes("VIEW")
    assert (change["type"], {each["typeName"] for each in change["table"]["columns"]}) == ("CREATE", {"UNSPECIFIED"})
    views = [
        event for event in _ddl("debezium_noschema").values() if event.table_name == "v_phoenix" and event.ddl_query
    ]
    assert [(event.ddl_type, kind_and_tables(event.ddl_query or "", "shop")[0]) for event in views] == [
        ("CREATE", DdlKind.CREATE_VIEW),
        ("CREATE", DdlKind.CREATE_VIEW),
        ("DROP", DdlKind.DROP_VIEW),
    ]
    assert {event.table_schema for event in views} == {None}


def test_line_8_debezium_avro_has_no_table_with_virtual_columns_and_widens_float_with_digits() -> None:
    assert any(each["virtual_generated"] for each in _truth("shapes")["columns"])
    assert _events("canal_json", Kind.ROW, "shapes") and not _events("debezium_avro", Kind.ROW, "shapes")
    types = {each["name"]: each["column_type"] for each in _truth("types_zoo_num")["columns"]}
    widened = {name for name, column_type in types.items() if column_type.startswith("float(")}
    assert widened
    true = {(*_row(event), event.row_key): _image(event.after) for event in _events("canal_json", Kind.ROW)}
    seen = 0
    for event in _events("debezium_avro", Kind.ROW, "types_zoo_num"):
        wanted = true.get((*_row(event), event.row_key), {})
        for name in widened & _image(event.after).keys() & wanted.keys():
            assert _image(event.after)[name] == wanted[name]
            seen += wanted[name] is not None
    assert seen > 10


@pytest.mark.parametrize(
    "name", ["canal_json_compatible", "open_protocol", "simple_json", "simple_avro_checksum", "debezium_noschema"]
)
def test_line_9_enum_index_0(name: str) -> None:
    numbers, cells = (_enums(each) for each in ("canal_json", name))
    assert set(numbers.values()) == {"0", "1", "2"}
    texts = dict(zip("012", "012" if name == "open_protocol" else ["", "a", "b"], strict=True))
    assert cells == {key: texts[number or ""] for key, number in numbers.items()}


def _enums(name: str) -> dict[str | None, str | None]:
    """The column `e` of inserted rows by their `id`, finished by the table's schema."""
    events = [event for _, event in decoded(name)]
    rows: list[tuple[Event, Image | None]]
    if name.startswith("simple"):
        rows = [(row.event, row.after) for row in simple_messages.finished(events)]
    elif name.startswith("debezium"):
        rows = [(row.event, row.after) for row in debezium_messages.finished(events, None)]
    else:
        rows = [(event, _image(event.after)) for event in events]
    inserted = [row for event, row in rows if event.op == "insert" and event.table_name == "types_zoo_enum0" and row]
    return {row["id"]: row["e"] for row in inserted}


@pytest.mark.parametrize("name", ["avro_before", "avro_glue"])
def test_line_9_avro_has_no_enum_index_0_and_null_for_virtual_columns(name: str) -> None:
    assert not _events(name, Kind.ROW, "types_zoo_enum0")
    virtual = {each["name"] for each in _truth("shapes")["columns"] if each["virtual_generated"]}
    images = [_image(event.after) for event in _events(name, Kind.ROW, "shapes") if event.after]
    assert images and all(virtual <= image.keys() for image in images)
    assert {image[column_name] for image in images for column_name in virtual} == {None}
    for event in _events("canal_json", Kind.ROW, "shapes"):
        assert not virtual & _image(event.after).keys()


@pytest.mark.parametrize("name", ["simple_json", "simple_avro_checksum"])
def test_line_10_a_bit_default_of_simple_avro_is_no_utf_8(name: str) -> None:
    bearers = [
        (record, event) for record, event in decoded(name) if event.table_schema and event.table_name == "nd_bit"
    ]
    assert {event.kind for _, event in bearers} == {Kind.DDL, Kind.BOOTSTRAP}
    for record, event in bearers:
        assert {each["default"] for each in json.loads(event.table_schema or b"") if each["name"] == "v"} == {"2730"}
        assert (b"\x0a\xaa" in (record.value or b"")) is name.startswith("simple_avro")


@pytest.mark.parametrize("name", ["simple_json", "simple_avro_checksum"])
def test_line_10_ddl_of_a_database_bears_no_table_schema(name: str) -> None:
    of_databases = [event for (_, text), event in _ddl(name).items() if "DATABASE" in text.split("`")[0]]
    assert len(of_databases) > 3
    assert {(event.schema_name, event.table_name, event.table_schema) for event in of_databases} == {(None, None, None)}


def test_line_11_a_table_that_gains_its_key_later_has_no_create_and_no_earlier_rows() -> None:
    assert not Variant(SAMPLE, "canal_json_claim_check").meta["force_replicate"]
    forced, unforced = (
        [(event.kind, event.op or kind_and_tables(event.ddl_query or "", "shop")[0]) for event in events]
        for events in (
            [event for _, event in decoded(name) if event.table_name == "keyless"]
            for name in ("canal_json", "canal_json_claim_check")
        )
    )
    assert forced[:3] == [(Kind.DDL, DdlKind.CREATE_TABLE), (Kind.ROW, "insert"), (Kind.ROW, "insert")]
    assert unforced[:2] == [(Kind.DDL, DdlKind.ADD_PRIMARY_KEY), (Kind.ROW, "update")]
    assert len(unforced) < len(forced)
    ddl = events_of(DECODERS["canal_json"], Variant(SAMPLE, "canal_json_claim_check").records, "{}")
    versions = versions_of(folded(*(event for event in ddl if event.table_name == "keyless")), "keyless")
    assert versions[0].valid_from_ts == 0 and not versions[0].columns


@pytest.mark.parametrize("name", ["canal_json", "canal_json_index_value_replayed"])
def test_line_12_rows_of_partitioned_tables_are_out_of_commit_order_in_a_kafka_partition(name: str) -> None:
    """Replays aside. Current rows go by commit, so that they are the same whatever the order."""
    last: dict[tuple[int, str], int] = {}
    seen, disordered = set(), set()
    for record, event in decoded(name):
        if event.kind != Kind.ROW or (_row(event), event.row_key) in seen:
            continue
        seen.add((_row(event), event.row_key))
        stream = (record.partition, event.table_name or "")
        if (event.commit_ts or 0) < last.get(stream, 0):
            disordered.add(stream[1])
        last[stream] = max(event.commit_ts or 0, last.get(stream, 0))
    assert disordered == {"sales", "visits"}
    assert all(_truth(table)["partitions"] for table in disordered)
    rows = _current(name)
    in_order = _current("canal_json", by_commit=True)
    for table in disordered:
        assert rows["shop", table] and rows["shop", table] == in_order["shop", table]


def _current(name: str, by_commit: bool = False) -> Mapping[tuple[str, str], Any]:
    events = [Placed(event, record.partition, record.offset) for record, event in decoded(name)]
    if by_commit:
        events = [
            Placed(placed.event, 0, offset)
            for offset, placed in enumerate(sorted(events, key=lambda each: each.event.commit_ts or 0))
        ]
    return current_rows(events)


def test_line_14_raw_line_separators_are_text() -> None:
    found = {
        name: {
            (_row(event), event.row_key)
            for _, event in decoded(name)
            if event.kind == Kind.ROW and "\u2028" in (event.after or b"").decode()
        }
        for name in ("canal_json", "open_protocol", "simple_json", "simple_avro_checksum", "debezium_noschema")
    }
    assert {len(rows) for rows in found.values()} == {len(found["canal_json"])} and len(found["canal_json"]) > 5
    for name, raw in (("canal_json", False), ("open_protocol", True), ("simple_avro_checksum", True)):
        assert any("\u2028".encode() in (record.value or b"") for record, _ in decoded(name)) is raw


def test_line_15_the_numbers_of_ddl_jobs() -> None:
    """Open Protocol alone sends them; RENAME TABLES (47) comes as several renames (14)."""
    ddl = _ddl("open_protocol")
    numbers = {int(event.ddl_type or "") for event in ddl.values()}
    assert numbers == {*range(1, 16), *range(17, 22), *range(23, 26), 32, 33, 41, 42, 61, 64, 67, 71, 72}
    assert numbers == KIND_OF_ACTION.keys()
    differing = {}
    for (_, text), event in ddl.items():
        kind, wanted = kind_and_tables(text, event.schema_name)[0], KIND_OF_ACTION[int(event.ddl_type or "")]
        if kind != wanted:
            differing[wanted] = kind
    # TiDB has no number of its own for a renamed column, nor one for several added ones
    assert differing == {
        DdlKind.MODIFY_COLUMN: DdlKind.RENAME_COLUMN,
        DdlKind.MULTI_SCHEMA_CHANGE: DdlKind.ADD_COLUMN,
    }
