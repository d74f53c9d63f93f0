"""Canal-JSON: the messages of a batch give what each of them gives alone, rows without an event each."""

from __future__ import annotations

import json
import random
from base64 import b64decode
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.batches import check_equal
from support.corpus import SAMPLE, VECTORS, Variant, json_lines, variants
from support.hostile import cases, pack
from support.messages import ddl_message, row_message, to_bytes, watermark_message

from ticdc_udfs.contract import arrow
from ticdc_udfs.protocols import canal_json
from ticdc_udfs.spark.registry import UDFS

(UDF,) = (udf.function for udf in UDFS if udf.name == "ticdc_decode_canal_json")


def arrays(values: Sequence[bytes | None], options: str | None = "{}") -> list[pa.Array[Any]]:
    count = len(values)
    return [pa.nulls(count, pa.binary()), pa.array(values, pa.binary()), pa.array([options] * count, pa.string())]


def rows_of(columns: Sequence[pa.Array[Any]]) -> int:
    """How many messages of a batch were taken as rows without an event each; what all of them give is compared."""
    expected = arrow.decode_each(canal_json.decode, *columns)
    found = 0
    add_row = arrow.Gathered.add_row

    def counted(*arguments: Any) -> None:
        nonlocal found
        found += 1
        add_row(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow.Gathered, "add_row", counted)
        batch = canal_json.decode_batch(*columns)
    check_equal(batch, expected)
    return found


@cache
def real(name: str = "canal_json") -> tuple[bytes | None, ...]:
    return tuple(record.value for record in Variant(SAMPLE, name).records)


@pytest.mark.parametrize("variant", variants(SAMPLE), ids=lambda variant: variant.name)
def test_topics(variant: Variant) -> None:
    values = [record.value for record in variant.records]
    assert rows_of(arrays(values, variant.options_text)) >= variant.meta["counts"]["messages_dml"]
    few = arrays(random.Random(1).sample(values, 200), variant.options_text)
    assert 0 < rows_of(few) < 200
    assert UDF(*few).equals(arrow.decode_each(canal_json.decode, *few))


@pytest.mark.parametrize("options", ['{"time_zone":"America/New_York"}', '{"compression":"lz4"}', "{", None])
def test_topics_with_other_options(options: str | None) -> None:
    assert (rows_of(arrays(real()[:1000], options)) > 500) is (options is None or "time_zone" in options)


def test_vectors() -> None:
    values = [b64decode(vector["value_b64"]) for vector in json_lines(VECTORS) if "value_b64" in vector]
    assert rows_of(arrays(values)) == len(values) // 2


DATA = {"id": "1", "a": "x", "e": "1", "b": "\xff\x00", "s": "3", "t": "2025-11-02 01:30:00", "y": "0", "n": None}
TYPES = {"e": "enum", "b": "varbinary", "s": "set('a','b')", "t": "timestamp", "y": "year", "n": "blob"}
OLD = {**DATA, "a": "y\u2028/<>&", "b": None, "n": "\n"}
ROWS: dict[str, dict[str, Any]] = {
    "insert": row_message(DATA, TYPES),
    "insert with an empty old image": row_message(DATA, TYPES, old=[None]),
    "delete": row_message(DATA, TYPES, type="DELETE"),
    "delete with an old image": row_message(DATA, TYPES, type="DELETE", old=[DATA]),
    "update": row_message(DATA, TYPES, type="UPDATE", old=[OLD]),
    "update of the key": row_message(DATA, TYPES, type="UPDATE", old=[{**OLD, "id": "2"}]),
    "update without old image": row_message(DATA, TYPES, type="UPDATE"),
    "partial old image": row_message(DATA, TYPES, type="UPDATE", old=[{"a": "y", "id": "2"}]),
    "bytes as text": row_message(DATA, {**TYPES, "a": "varbinary"}, ts=0, sqlType={"a": 12}),
    "a float as a double": row_message({**DATA, "a": "0.10000000149011612"}, {**TYPES, "a": "float"}),
    "old image with columns that selectors leave out": row_message(DATA, TYPES, type="UPDATE", old=[{"z": "", **OLD}]),
    "old image in another order": row_message(DATA, TYPES, type="UPDATE", old=[dict(reversed(OLD.items()))]),
    "columns in another order": row_message(dict(reversed(DATA.items())), TYPES),
    "other types": row_message(DATA, {**TYPES, "a": "text"}),
    "types of more columns": row_message(DATA, {**TYPES, "more": "int"}),
    "another table": row_message(DATA, TYPES, table="t2"),
    "two columns in the key": row_message(DATA, TYPES, type="UPDATE", old=[OLD], key=["a", "id"]),
    "without key": row_message(DATA, TYPES, type="UPDATE", old=[OLD], key=[], tidb={"commitTs": 5, "rowkey": "dA=="}),
    "without extension": row_message(DATA, TYPES, tidb={}),
    "handle key only": row_message({"id": "1"}, tidb={"commitTs": 5, "onlyHandleKey": True}),
    "claim check": row_message({"id": "1"}, tidb={"commitTs": 5, "claimCheckLocation": "file:///x/y.json"}),
    "a true U+FFFD": row_message({**DATA, "a": "\ufffd"}, TYPES),
    "no columns": row_message({}, key=[]),
    "isDdl of a row": row_message(DATA, TYPES, isDdl=True),
}
ODD: dict[str, bytes | None] = {
    "no value": None,
    "empty": b"",
    "ddl": to_bytes(ddl_message("drop table t", "ERASE")),
    "watermark": to_bytes(watermark_message(5 << 18)),
    "unknown type": to_bytes(row_message(DATA, TYPES, type="INIT")),
    "a value that is none": to_bytes(row_message({**DATA, "e": "x", "s": "9"}, TYPES)),
    "a value of the old image that is none": to_bytes(row_message(DATA, TYPES, type="UPDATE", old=[{"s": "9"}])),
    "columns that data has not": to_bytes(row_message(DATA, TYPES, type="UPDATE", old=[{"z": "9"}])),
    "two rows": to_bytes(row_message(DATA, TYPES, data=[DATA, DATA])),
    "no rows": to_bytes(row_message(DATA, TYPES, data=[])),
    "no types": to_bytes(row_message(DATA, TYPES, mysqlType=None)),
    "an internal column": to_bytes(row_message({**DATA, "_Col$_a_0": "x"}, TYPES, type="UPDATE", old=[OLD])),
    "not JSON": b"{",
    "not UTF-8": to_bytes(row_message(DATA, TYPES)).replace(b'"x"', b'"\xff"'),
}


def test_rows_of_every_kind() -> None:
    rows = [to_bytes(message) for message in ROWS.values()]
    rows.append(to_bytes(row_message(DATA, TYPES)).replace(b'"x"', b'"a\\ufffd\\/\\u0041"'))
    rows.append(to_bytes(row_message({**DATA, "_Col$_z_0": "x"}, TYPES)))
    for value in rows:
        assert rows_of(arrays([value])) == 1
    assert not any(rows_of(arrays([value])) for value in ODD.values())
    values = [*rows, *ODD.values()] * 3
    random.Random(1).shuffle(values)
    assert rows_of(arrays(values)) == 3 * len(rows)
    assert rows_of(arrays(values, '{"time_zone":"America/New_York"}')) == 3 * len(rows)
    packed = [value and pack(value, "snappy") for value in values]
    assert rows_of(arrays(packed, '{"compression":"snappy"}')) == 3 * len(rows)


def test_batches_of_any_form() -> None:
    values = [to_bytes(message) for message in ROWS.values()]
    keys, plain, options = arrays(values)
    assert rows_of([each.slice(3, 5) for each in (keys, plain, options)]) == 5
    assert rows_of([each.slice(3, 0) for each in (keys, plain, options)]) == 0
    assert rows_of([keys, plain.cast(pa.large_binary()), options]) == len(values)
    feeds = ['{"feed":"a"}', '{"feed":"b","time_zone":"Asia/Shanghai"}']
    mixed = [pa.concat_arrays(parts) for parts in zip(*(arrays(values, feed) for feed in feeds), strict=True)]
    assert rows_of(mixed) == 0
    parts = [arrow.decode_each(canal_json.decode, *arrays(values, feed)) for feed in feeds]
    assert UDF(*mixed).equals(pa.concat_arrays(parts))


ODD_BYTES = (*'"\\{}[],:019nte-. \x00\n\x7fé'.encode(), 0xFF)
changes = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 2), st.sampled_from(ODD_BYTES)), min_size=1, max_size=3
)


@cases(3000)
@given(st.integers(0), st.lists(changes, min_size=1, max_size=8), st.sampled_from(["{}", '{"time_zone":"Asia/Tokyo"}']))
def test_broken_messages(place: int, broken: list[list[tuple[float, int, int]]], options: str) -> None:
    """One message over and over, each time with bytes put in or in the place of others."""
    value = real()[place % len(real())] or b""
    values = [value]
    for each in broken:
        text = bytearray(value[:4096])
        for at, length, byte in each:
            start = int(at * len(text))
            text[start : start + length] = bytes([byte])
        values.append(bytes(text))
    rows_of(arrays([*values, value], options))


MEMBERS = ["type", "es", "database", "table", "isDdl", "pkNames", "mysqlType", "data", "old", "_tidb"]
scalars = st.none() | st.booleans() | st.integers(-1, 2**65) | st.sampled_from(["UPDATE", "id", "a", "blob", "\ufffd"])
wire = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("id"), inner))


@cases(1500)
@given(st.lists(st.tuples(st.sampled_from([*ROWS]), st.sampled_from(MEMBERS), wire), min_size=1, max_size=8))
def test_members_of_other_shapes(drawn: list[tuple[str, str, Any]]) -> None:
    values = [to_bytes(ROWS[name]) for name, _, _ in drawn]
    values += [json.dumps({**ROWS[name], member: value}).encode() for name, member, value in drawn]
    # a member that is there twice: the last one counts
    values += [
        to_bytes(ROWS[name])[:-1] + b"," + json.dumps({member: value}).encode()[1:] for name, member, value in drawn
    ]
    assert rows_of(arrays(values)) >= len(drawn)
