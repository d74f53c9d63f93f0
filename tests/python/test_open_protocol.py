"""Open Protocol: the vectors, named cases, and every row of the corpus against the same row of canal-json."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import cramjam
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import DATA, Variant, json_lines, root
from support.open_protocol import (
    BINARY,
    COMMIT_TS,
    HANDLE,
    NULLABLE,
    PRIMARY,
    UNIQUE,
    UNSIGNED,
    VERSION,
    column,
    decode,
    decode_row,
    frames,
    ident,
    image,
    message,
    row_key,
    to_bytes,
    variants,
)

from ticdc_udfs import arrow, claim_check
from ticdc_udfs.events import ErrorCode, Event, Kind
from ticdc_udfs.options import Options
from ticdc_udfs.protocols import canal_json, open_protocol

VECTORS = [
    vector
    for name in ("open_protocol", "seed_docs_open_protocol")
    for vector in json_lines(DATA / "vectors" / f"{name}.jsonl")
]
NOT_DECODED = {  # text in a column of type TINYINT, made by hand
    "open/java/row_0": ErrorCode.BAD_VALUE,
    "open/java/row_1": ErrorCode.BAD_VALUE,
}
KINDS = {1: Kind.ROW, 2: Kind.DDL, 3: Kind.WATERMARK}


def _ids(vector: Mapping[str, Any]) -> str:
    return str(vector["id"])


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "message"], ids=_ids)
def test_vector_messages(vector: Mapping[str, Any]) -> None:
    events = decode(b64decode(vector["key_b64"]), b64decode(vector["value_b64"]))
    expected = vector["expect"].get("events", [vector["expect"]])
    if not expected:
        assert events == [Event(Kind.BOOTSTRAP)]
        return
    assert len(events) == len(expected)
    for event, expect in zip(events, expected, strict=True):
        if vector["id"] in NOT_DECODED:
            assert event.error_code == NOT_DECODED[vector["id"]]
            continue
        key, value = expect["key"], expect["value"]
        assert (event.kind, event.commit_ts) == (KINDS[key["t"]], key["ts"])
        assert (event.schema_name, event.table_name) == (key.get("scm"), key.get("tbl"))
        if event.kind == Kind.DDL:
            assert (event.ddl_query, event.ddl_type) == (value["q"], str(value["t"]))
        if event.kind == Kind.ROW:
            op, columns = next(iter(value.items()))
            texts = {name: str(member["v"]) for name, member in columns.items()}
            assert event.op == {"u": "insert", "d": "delete"}[op]
            assert image(event.after if op == "u" else event.before) == texts
            assert image(event.row_key) == {name: texts[name] for name in columns if columns[name].get("h")}


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "column-sample"], ids=_ids)
def test_column_samples_of_the_documentation(vector: Mapping[str, Any]) -> None:
    """The samples lack flags; binary ones print Go's escapes once, which JSON doubles."""
    expect = vector["expect"]
    sample = vector["value_text"]
    flags = None
    if "bytes_hex" in expect:
        sample, flags = sample.replace("\\", "\\\\"), BINARY
    wire = json.loads(sample)
    want = expect.get("text", expect.get("v"))
    if "bytes_hex" in expect:
        want = b64encode(bytes.fromhex(expect["bytes_hex"])).decode()
    event = decode_row({"u": {"id": ident(), "v": column(expect["code"], wire["v"], flags)}})
    assert image(event.after) == {"id": "1", "v": None if want is None else str(want)}


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "flag-sample"], ids=_ids)
def test_flag_samples_of_the_documentation(vector: Mapping[str, Any]) -> None:
    flags, names = vector["expect"]["flag"], vector["expect"]["names"]
    (told,) = orjson.loads(decode_row({"u": {"v": {"t": 252, "f": flags, "v": ""}}}).table_schema or b"")
    assert told == {
        "name": "v",
        "type": "blob" if "BinaryFlag" in names else "text",
        "key": 1 if "PrimaryKeyFlag" in names else 0,
        "nullable": "NullableFlag" in names,
    }


def test_every_vector_is_a_case() -> None:
    assert {vector["kind"] for vector in VECTORS} == {"message", "column-sample", "flag-sample"}


NEW = {"id": ident(), "a": column(15, "x"), "b": column(15, None)}
OLD = {"id": ident(), "a": column(15, "y"), "b": column(15, "z")}
NEW_TEXTS, OLD_TEXTS = {"id": "1", "a": "x", "b": None}, {"id": "1", "a": "y", "b": "z"}


def test_insert() -> None:
    event = decode_row({"u": NEW})
    assert (event.kind, event.op, event.before, image(event.after)) == (Kind.ROW, "insert", None, NEW_TEXTS)
    assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
    assert (event.commit_ts, event.commit_ts_exact, event.start_ts) == (COMMIT_TS, True, None)
    assert (event.before_key, event.lossy, event.physical_table_id, event.claim_check) == (None, (), None, None)


@pytest.mark.parametrize(
    ("old", "before"),
    [
        (OLD, OLD_TEXTS),
        ({"a": OLD["a"], "b": OLD["b"]}, OLD_TEXTS),
        ({"b": OLD["b"]}, {**NEW_TEXTS, "b": "z"}),
        ({}, NEW_TEXTS),
    ],
    ids=["full", "changed columns", "a NULL that had a value", "nothing changed"],
)
def test_old_images_of_updates(old: Any, before: Mapping[str, str | None]) -> None:
    event = decode_row({"u": NEW, "p": old})
    assert (event.op, image(event.before), image(event.after), event.before_key) == ("update", before, NEW_TEXTS, None)
    assert list(image(event.before) or ()) == ["id", "a", "b"]


def test_without_old_image_an_update_looks_like_an_insert() -> None:
    for body in ({"u": NEW}, {"u": NEW, "p": None}):
        assert decode_row(body).op == "insert"


def test_delete() -> None:
    event = decode_row({"d": OLD})
    assert (event.op, image(event.before), event.after, event.row_key) == ("delete", OLD_TEXTS, None, b'{"id":"1"}')


def test_a_delete_of_key_columns_alone_among_whole_rows() -> None:
    for _ in range(2):
        assert image(decode_row({"u": NEW}).after) == NEW_TEXTS
        assert (image(decode_row({"d": {"id": ident(7)}}).before), decode_row({"d": OLD}).op) == ({"id": "7"}, "delete")


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    key = PRIMARY | HANDLE
    new = {"a": column(3, 1, key), "b": column(3, 2, key), "c": column(3, 3)}
    event = decode_row({"u": new, "p": {**new, "b": column(3, 1, key)}})
    assert (event.row_key, event.before_key) == (b'{"a":"1","b":"2"}', b'{"a":"1","b":"1"}')
    partial = decode_row({"u": new, "p": {"b": column(3, 1, key)}})
    assert (partial.row_key, partial.before_key) == (event.row_key, event.before_key)


def test_the_primary_key_is_the_row_key_else_the_handle_key_else_the_row() -> None:
    unique = {"a": column(3, 1, UNIQUE | HANDLE), "b": column(3, 2)}
    assert decode_row({"u": unique}).row_key == b'{"a":"1"}'
    both = {"a": column(3, 1, UNIQUE), "b": column(3, 2, PRIMARY)}
    assert decode_row({"u": both}).row_key == b'{"b":"2"}'
    without_flags = {"a": {"t": 3, "h": True, "v": 1}, "b": {"t": 3, "v": 2}}
    assert decode_row({"u": without_flags}).row_key == b'{"a":"1"}'
    keyless = {"a": column(3, 1), "b": column(3, None)}
    event = decode_row({"u": keyless, "p": {**keyless, "b": column(3, 5)}})
    assert (event.row_key, event.before_key) == (b'{"a":"1","b":null}', b'{"a":"1","b":"5"}')
    assert event.lossy == ("*:no_key",)


TYPES = [
    (1, 0x41, "tinyint"),
    (1, 0xC1, "tinyint unsigned"),
    (2, 0xC1, "smallint unsigned"),
    (3, 0x41, "int"),
    (8, 0xC1, "bigint unsigned"),
    (9, 0xC1, "mediumint unsigned"),
    (4, 0x41, "float"),
    (5, 0xC1, "double unsigned"),
    (246, 0xC1, "decimal unsigned"),
    (16, 0xC1, "bit"),
    (13, 0xC1, "year"),
    (7, 0x41, "timestamp"),
    (10, 0x41, "date"),
    (14, 0x41, "date"),
    (11, 0x41, "time"),
    (12, 0x41, "datetime"),
    (245, 0x41, "json"),
    (225, 0x41, "vector"),
    (247, 0x40, "enum"),
    (248, 0x40, "set"),
    (15, 0x40, "varchar"),
    (15, 0x41, "varbinary"),
    (253, 0x40, "varchar"),
    (253, 0x41, "varbinary"),
    (254, 0x40, "char"),
    (254, 0x41, "binary"),
    (249, 0x40, "tinytext"),
    (249, 0x41, "tinyblob"),
    (250, 0x40, "mediumtext"),
    (250, 0x41, "mediumblob"),
    (251, 0x40, "longtext"),
    (251, 0x41, "longblob"),
    (252, 0x40, "text"),
    (252, 0x41, "blob"),
]


def test_types_of_codes_and_flags() -> None:
    """Bit and year bear the unsigned flag; the binary flag of numbers and dates means nothing."""
    event = decode_row({"u": {f"c{place}": column(code, None, flags) for place, (code, flags, _) in enumerate(TYPES)}})
    schema = orjson.loads(event.table_schema or b"")
    assert [told["type"] for told in schema] == [column_type for _, _, column_type in TYPES]
    assert all(told["nullable"] for told in schema)


def test_the_table_schema_tells_key_places_and_nullability() -> None:
    key = PRIMARY | HANDLE
    columns = {"b": column(3, 1, key), "a": column(15, "x", 0), "c": column(3, 2, key), "d": {"t": 3, "v": 1}}
    event = decode_row({"u": columns})
    assert orjson.loads(event.table_schema or b"") == [
        {"name": "b", "type": "int", "key": 1, "nullable": False},
        {"name": "a", "type": "varchar", "key": None, "nullable": False},
        {"name": "c", "type": "int", "key": 2, "nullable": False},
        {"name": "d", "type": "int", "key": None},
    ]
    other = decode_row({"u": {**columns, "a": column(15, "x", NULLABLE)}})
    assert decode_row({"u": columns}).table_schema_id == event.table_schema_id != other.table_schema_id


def _value(code: int, value: Any, flags: int = NULLABLE, options: str = "{}") -> tuple[str | None, tuple[str, ...]]:
    event = decode_row({"u": {"id": ident(), "v": column(code, value, flags)}}, options)
    assert event.kind == Kind.ROW, event.error_message
    return (image(event.after) or {})["v"], event.lossy


@pytest.mark.parametrize(
    ("code", "flags", "wire", "text"),
    [
        (8, NULLABLE | BINARY | UNSIGNED, 18446744073709551615, "18446744073709551615"),
        (8, NULLABLE | BINARY, -9223372036854775808, "-9223372036854775808"),
        (16, NULLABLE | BINARY | UNSIGNED, 18446744073709551615, "18446744073709551615"),
        (1, NULLABLE | BINARY, 0, "0"),
        (13, NULLABLE | BINARY | UNSIGNED, 2155, "2155"),
        (13, NULLABLE | BINARY | UNSIGNED, 0, "0000"),
        (246, NULLABLE | BINARY, "-0.000000000000000000000000000001", "-0.000000000000000000000000000001"),
        (10, NULLABLE | BINARY, "0000-00-00", "0000-00-00"),
        (11, NULLABLE | BINARY, "-838:59:59.000000", "-838:59:59.000000"),
        (12, NULLABLE | BINARY, "9999-12-31 23:59:59.9", "9999-12-31 23:59:59.9"),
        (7, NULLABLE | BINARY, "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
        (245, NULLABLE | BINARY, '{"key1": "value1"}', '{"key1": "value1"}'),
        (245, NULLABLE | BINARY, "null", "null"),
        (225, NULLABLE | BINARY, "[1,2.5,-30000000000]", "[1,2.5,-30000000000]"),
        (
            15,
            NULLABLE,
            'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \ufffd',
            'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \ufffd',
        ),
        (15, NULLABLE, "ZGQ=", "ZGQ="),
        (15, NULLABLE, "\\x89", "\\x89"),
        (254, NULLABLE, "", ""),
        (15, NULLABLE, None, None),
        (3, NULLABLE, None, None),
    ],
)
def test_values(code: int, flags: int, wire: Any, text: str | None) -> None:
    assert _value(code, wire, flags) == (text, ())


@pytest.mark.parametrize(
    ("code", "wire", "text"),
    [
        (4, b"3.14", "3.14"),
        (4, b"3.4028235e+38", "3402823" + "5" + "0" * 31),
        (4, b"1.1754944e-38", "0." + "0" * 37 + "11754944"),
        (4, b"16777216", "16777216"),
        (5, b"1e-7", "0.0000001"),
        (5, b"1e-07", "0.0000001"),
        (5, b"-1e+21", "-1" + "0" * 21),
        (5, b"100000000000000000000", "1" + "0" * 20),
        (5, b"1.7976931348623157e+308", "17976931348623157" + "0" * 292),
        (5, b"5e-324", "0." + "0" * 323 + "5"),
        (5, b"0", "0"),
        (5, b"-0", "-0"),
        (5, b"2.5", "2.5"),
    ],
)
def test_floats_lose_their_exponent_and_keep_every_digit(code: int, wire: bytes, text: str) -> None:
    body = to_bytes({"u": {"id": ident(), "v": column(code, 77, NULLABLE)}}).replace(b":77}", b":" + wire + b"}")
    assert image(decode_row(body).after) == {"id": "1", "v": text}


@pytest.mark.parametrize(
    ("quoted", "data"),
    [
        ("", b""),
        ("plain", b"plain"),
        (r"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n"),
        (r"\a\b\f\n\r\t\v\\\"", b'\a\b\f\n\r\t\v\\"'),
        (r"\x00\x7f\xff", b"\x00\x7f\xff"),
        (r"\\x41", rb"\x41"),
        (r"\\\x41", b"\\A"),
        (r"\\u0041", rb"\u0041"),
        ("测试'", "测试'".encode()),
        ("测\\xff", "测".encode() + b"\xff"),
        (r"\u0080\u200b", "\u0080\u200b".encode()),
        (r"\U000e0001", "\U000e0001".encode()),
        ("\\x00\ufffd", b"\x00\xef\xbf\xbd"),
    ],
)
@pytest.mark.parametrize("code", [15, 253, 254])
def test_binary_comes_go_quoted_and_becomes_base64(code: int, quoted: str, data: bytes) -> None:
    assert _value(code, quoted, NULLABLE | BINARY) == (b64encode(data).decode(), ())


@given(st.binary(max_size=64))
def test_every_byte_string_survives_go_quoting(data: bytes) -> None:
    """Quoted as Go does it, but for the code points that Go takes for printable."""
    short = {0x07: "\\a", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x0B: "\\v"}
    short |= {0x5C: "\\\\", 0x22: '\\"'}
    quoted = ""
    for character in data.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if code in short:
            quoted += short[code]
        elif 0xDC80 <= code <= 0xDCFF:
            quoted += f"\\x{code - 0xDC00:02x}"
        elif code < 0x20 or code == 0x7F:
            quoted += f"\\x{code:02x}"
        elif not character.isprintable():
            quoted += f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        else:
            quoted += character
    assert _value(15, quoted, BINARY) == (b64encode(data).decode(), ())


@pytest.mark.parametrize(
    "quoted", ["\\", "\\q", "\\x4", "\\xzz", "\\u12", "\\ud800", "\\U00110000", "\\'", "\\101", "测\\x4"]
)
def test_what_go_does_not_write_is_a_bad_value(quoted: str) -> None:
    event = decode_row({"u": {"id": ident(), "v": column(15, quoted, BINARY)}})
    assert event.error_code == ErrorCode.BAD_VALUE


@pytest.mark.parametrize("code", [249, 250, 251, 252])
def test_text_and_blob_come_as_base64(code: int) -> None:
    assert _value(code, "5rWL6K+VdGV4dA==") == ("测试text", ())
    assert _value(code, "5rWL6K+VdGV4dA==", NULLABLE | BINARY) == ("5rWL6K+VdGV4dA==", ())
    assert _value(code, "/w==", NULLABLE | BINARY) == ("/w==", ())
    assert _value(code, "/w==") == ("\ufffd", ("v:invalid_utf8",))
    assert _value(code, "") == ("", ())
    assert _value(code, None) == (None, ())


def test_enum_and_set_are_numbers_with_a_flag() -> None:
    assert _value(247, 2) == ("2", ("v:label_unknown",))
    assert _value(247, 0) == ("0", ("v:label_unknown",))
    assert _value(248, 2**63 + 1) == (str(2**63 + 1), ("v:label_unknown",))
    assert _value(248, None) == (None, ())


@pytest.mark.parametrize(
    ("code", "text", "want", "flags"),
    [
        (7, "2024-07-01 12:00:00", "2024-07-01 10:00:00", ()),
        (7, "2024-01-01 00:30:00.120", "2023-12-31 23:30:00.120", ()),
        (7, "2024-10-27 02:30:00", "2024-10-27 00:30:00", ("v:ambiguous_time",)),
        (12, "2024-07-01 12:00:00", "2024-07-01 12:00:00", ()),
        (15, "2024-07-01 12:00:00", "2024-07-01 12:00:00", ()),
    ],
)
def test_the_time_zone_moves_timestamp_alone(code: int, text: str, want: str, flags: tuple[str, ...]) -> None:
    assert _value(code, text, NULLABLE, json.dumps({"time_zone": "Europe/Berlin"})) == (want, flags)


@pytest.mark.parametrize(
    ("wire", "flags"),
    [
        (rb"x\ufffdy", ("v:invalid_utf8",)),
        (b"x\xffy", ("v:invalid_utf8",)),
        ("x\ufffdy".encode(), ()),
        (rb"x\\ufffdy", ()),
    ],
    ids=["escaped by one encoder", "as it is by the other", "a true U+FFFD", "a backslash"],
)
def test_invalid_utf8_is_replaced_and_flagged(wire: bytes, flags: tuple[str, ...]) -> None:
    body = to_bytes({"u": {"id": ident(), "v": column(15, "MARK"), "w": column(15, "fine")}}).replace(b"MARK", wire)
    event = decode_row(body)
    assert event.lossy == flags
    assert (image(event.after) or {})["v"] == (r"x\ufffdy" if rb"\\" in wire else "x\ufffdy")


def _unnamed(body: str) -> Event:
    return decode_row(body.encode())


def test_a_column_that_became_null_comes_without_its_name() -> None:
    """only-output-updated-columns (protocol facts 0.1, line 1)."""
    event = _unnamed(
        '{"u":{"$cash":{"t":3,"h":true,"f":11,"v":1},"CamelCol":{"t":15,"f":64,"v":"x"},"100%":{"t":246,"f":65,"v":null}},'
        '"p":{"CamelCol":{"t":15,"f":64,"v":"maple"},"t":246,"f":65,"v":"20277.775"}}'
    )
    assert (event.op, event.lossy, event.before_key) == ("update", (), None)
    assert image(event.before) == {"$cash": "1", "CamelCol": "maple", "100%": "20277.775"}
    assert image(event.after) == {"$cash": "1", "CamelCol": "x", "100%": None}


def test_several_columns_that_became_null_repeat_their_members() -> None:
    event = _unnamed(
        '{"u":{"first":{"t":3,"f":65,"v":null},"id":{"t":3,"h":true,"f":11,"v":1},"a":{"t":3,"f":65,"v":null},'
        '"b":{"t":252,"f":64,"v":null},"c":{"t":3,"f":65,"v":2},"d":{"t":252,"f":65,"v":null}},'
        '"p":{"first":{"t":3,"f":65,"v":7},"t":3,"f":65,"v":3,"t":252,"f":64,"v":"YjM=",'
        '"c":{"t":3,"f":65,"v":null},"t":252,"f":65,"v":"/w=="}}'
    )
    assert event.lossy == ()
    assert image(event.before) == {"first": "7", "id": "1", "a": "3", "b": "b3", "c": None, "d": "/w=="}


def test_the_place_tells_apart_columns_of_one_type() -> None:
    columns = ",".join(
        f'"{name}":{{"t":3,"f":65,"v":{value}}}' for name, value in zip("abcd", ["null", 1, "null", 2], strict=True)
    )
    for old, want in (
        ('"t":3,"f":65,"v":5,"b":{"t":3,"f":65,"v":6}', {"a": "5", "b": "6", "c": None, "d": "2"}),
        ('"b":{"t":3,"f":65,"v":6},"t":3,"f":65,"v":5', {"a": None, "b": "6", "c": "5", "d": "2"}),
        ('"t":3,"f":65,"v":5,"t":3,"f":65,"v":6', {"a": "5", "b": "1", "c": "6", "d": "2"}),
    ):
        event = _unnamed(f'{{"u":{{{columns}}},"p":{{{old}}}}}')
        assert (image(event.before), event.lossy) == (want, ("*:no_key",))


def test_where_several_columns_fit_all_of_them_are_flagged() -> None:
    columns = ",".join(f'"{name}":{{"t":3,"f":65,"v":null}}' for name in "abc") + ',"id":{"t":3,"h":true,"f":11,"v":1}'
    event = _unnamed(f'{{"u":{{{columns}}},"p":{{"t":3,"f":65,"v":5}}}}')
    assert event.lossy == ("a:column_unsure", "b:column_unsure", "c:column_unsure")
    assert image(event.before) == {"a": "5", "b": None, "c": None, "id": "1"}
    event = _unnamed(f'{{"u":{{{columns}}},"p":{{"t":3,"f":65,"v":5,"t":3,"f":65,"v":6,"t":3,"f":65,"v":7}}}}')
    assert (event.lossy, image(event.before)) == ((), {"a": "5", "b": "6", "c": "7", "id": "1"})


@pytest.mark.parametrize("name", ["t", "f", "v", "h", "u", "p"])
def test_columns_named_like_members(name: str) -> None:
    event = decode_row({"u": {"id": ident(), name: column(3, 2)}, "p": {name: column(3, 1)}})
    assert (image(event.before), image(event.after)) == ({"id": "1", name: "1"}, {"id": "1", name: "2"})
    event = _unnamed(
        f'{{"u":{{"id":{{"t":3,"h":true,"f":11,"v":1}},"{name}":{{"t":3,"f":65,"v":2}},"z":{{"t":3,"f":65,"v":null}}}},'
        f'"p":{{"{name}":{{"t":3,"f":65,"v":1}},"t":3,"f":65,"v":9}}}}'
    )
    assert image(event.before) == {"id": "1", name: "1", "z": "9"}


@pytest.mark.parametrize(
    "old",
    [
        '"f":65,"v":1',
        '"v":1',
        '"t":3',
        '"t":3,"f":64,"v":1',
        '"t":8,"f":65,"v":1',
        '"x":1',
        '"b":{"t":3,"f":65,"v":1},"t":3,"f":65,"v":1',
        '"t":3,"f":65,"v":1,"t":3,"f":65,"v":1',
        '"t":3,"f":65,"v":[1]',
        '"t":3,"f":65,"v":{}',
        '"t":5,"f":65,"v":1e999',
    ],
)
def test_nameless_columns_that_fit_nowhere(old: str) -> None:
    event = _unnamed(
        f'{{"u":{{"a":{{"t":3,"f":65,"v":null}},"b":{{"t":3,"f":65,"v":2}},"e":{{"t":5,"f":65,"v":null}}}},"p":{{{old}}}}}'
    )
    assert event.error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_JSON)


def test_a_partition_is_told_by_its_physical_id() -> None:
    assert decode_row({"u": NEW}, ptn=143).physical_table_id == 143


def test_members_that_other_releases_write_do_no_harm() -> None:
    assert decode_row({"u": NEW}, rid=5, new={"x": [1]}) == decode_row({"u": NEW})


def test_a_row_with_its_handle_key_alone_says_so() -> None:
    event = decode_row({"u": {"id": ident()}}, ohk=True)
    assert (event.lossy, image(event.after), event.claim_check) == (("*:handle_key_only",), {"id": "1"}, None)


@pytest.mark.parametrize(
    "members",
    [
        b'"ohk":true,"ohk":false,"ccl":"s3://bucket/folder/x.json"',
        b'"ccl":"s3://bucket/folder/x.json"',
        b'"ccl":"x.json","ohk":true',
    ],
)
def test_a_claim_check_says_so(members: bytes) -> None:
    key = to_bytes(row_key())[:-1] + b"," + members + b"}"
    for body in ({"u": {"id": ident()}}, {"u": {"id": ident()}, "p": {"id": ident()}}, {"d": {"id": ident()}}):
        (event,) = decode(*message((key, body)))
        assert (event.lossy, event.row_key, event.claim_check) == (("*:claim_check",), b'{"id":"1"}', "x.json")


def test_the_file_of_a_claim_check() -> None:
    key, value = message((row_key(), {"u": NEW}))
    file = to_bytes({"key": b64encode(key).decode(), "value": b64encode(value).decode()})
    assert claim_check.message_of(file) == (key, value)
    for no_key, want in ((b"null", None), (b'""', b"")):
        assert claim_check.message_of(b'{"key":' + no_key + b',"value":"YQ=="}') == (want, b"a")
    for raw in (b"", b"{", b"\x04\x22\x4d\x18", b'{"id":0,"value":"YQ=="}', b'{"key":"","value":"?"}', b"[" * 10_000):
        assert claim_check.message_of(raw) == (None, raw)


def test_a_batch_gives_its_events_in_order() -> None:
    keys = [row_key(ts=COMMIT_TS + place, tbl=f"t{place % 3}") for place in range(16)]
    events = decode(*message(*[(key, {"u": {"id": ident(place)}}) for place, key in enumerate(keys)]))
    assert [event.commit_ts for event in events] == [key["ts"] for key in keys]
    assert [event.row_key for event in events] == [b'{"id":"%d"}' % place for place in range(16)]


def test_a_bad_row_does_not_lose_the_others() -> None:
    bad: list[tuple[Any, Any, ErrorCode]] = [
        (row_key(), {"u": {"id": column(3, "x")}}, ErrorCode.BAD_VALUE),
        (row_key(), b"{", ErrorCode.BAD_JSON),
        (row_key(), b"", ErrorCode.EMPTY_VALUE),
        (b"{", {"u": NEW}, ErrorCode.BAD_JSON),
        (row_key(ts=None), {"u": NEW}, ErrorCode.BAD_SHAPE),
        (row_key(t=4), {"u": NEW}, ErrorCode.UNKNOWN_KIND),
    ]
    good = (row_key(), {"u": NEW})
    for key, body, code in bad:
        events = decode(*message(good, (key, body), good))
        assert [event.error_code for event in events] == [None, code, None]
        assert events[0] == events[2] == decode_row({"u": NEW})


def test_a_batch_without_entries_is_nothing_to_apply() -> None:
    for value in (None, b""):
        assert decode(VERSION, value) == [Event(Kind.BOOTSTRAP)]


def test_resolved() -> None:
    key = VERSION + frames([{"ts": COMMIT_TS, "t": 3}])
    for value in (bytes(8), b"", None):
        assert decode(key, value) == [Event(Kind.WATERMARK, commit_ts=COMMIT_TS)]
    for codec in ("snappy", "lz4"):
        assert decode(key, bytes(8), json.dumps({"compression": codec})) == [Event(Kind.WATERMARK, commit_ts=COMMIT_TS)]


@pytest.mark.parametrize("number", [1, 3, 14, 42, 61, 77])
def test_ddl(number: int) -> None:
    query = "CREATE TABLE `t` (`a` ENUM('three\\3') COMMENT 'it''s <b>')"
    (event,) = decode(*message((row_key(t=2), {"q": query, "t": number})))
    assert event == Event(
        Kind.DDL,
        commit_ts=COMMIT_TS,
        schema_name="shop",
        table_name="t",
        ddl_query=query,
        ddl_type=str(number),
    )


def test_ddl_of_a_database_has_an_empty_table_or_none() -> None:
    for table in ("", None):
        (event,) = decode(*message((row_key(t=2, tbl=table), {"q": "CREATE DATABASE `shop`", "t": 1})))
        assert (event.kind, event.schema_name, event.table_name) == (Kind.DDL, "shop", "")


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_each_body_is_compressed_on_its_own(codec: str, size: int) -> None:
    def pack(body: bytes) -> bytes:
        return bytes(cramjam.snappy.compress_raw(body) if codec == "snappy" else cramjam.lz4.compress(body))

    body = {"u": {"id": ident(), "a": column(15, "x" * size)}}
    entries = ((row_key(), body), (row_key(t=2), {"q": "drop table t", "t": 4}), (row_key(), body))
    options = json.dumps({"compression": codec})
    packed = message(*entries, pack=pack)
    assert decode(*packed, options) == decode(*message(*entries))
    assert {event.error_code for event in decode(*message(*entries), options)} == {ErrorCode.BAD_COMPRESSION}
    broken = (
        packed[1][:-1] + bytes([packed[1][-1] ^ 0xFF]) if codec == "lz4" else packed[1][:8] + b"\xff" + packed[1][9:]
    )
    assert sum(event.kind == Kind.ERROR for event in decode(packed[0], broken, options)) <= 1


def test_rows_beyond_the_bound_of_a_batch_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ticdc_udfs.protocols.open_protocol.MAX_DECOMPRESSED_BYTES", 150)
    events = decode(*message(*[(row_key(), {"u": NEW})] * 3))
    assert [event.error_code for event in events] == [None, ErrorCode.TOO_LARGE, ErrorCode.TOO_LARGE]


HOSTILE = ["a`b", 'd"q', "it's", "a b", "a.b", "a,b", "$a", "\tx", "ключ", "表", "", "*:no_key", "\\", "\u2028"]


def test_hostile_names() -> None:
    columns = {name: column(15, "v", PRIMARY) for name in HOSTILE}
    event = decode_row({"u": columns, "p": columns}, scm='s`"', tbl="t\u2028'")
    assert (event.schema_name, event.table_name) == ('s`"', "t\u2028'")
    assert image(event.before) == image(event.after) == dict.fromkeys(HOSTILE, "v")
    assert list(image(event.row_key) or ()) == HOSTILE


BROKEN: list[tuple[bytes | None, bytes | None, ErrorCode]] = [
    (None, None, ErrorCode.BAD_FRAME),
    (b"", b"", ErrorCode.BAD_FRAME),
    (b"", to_bytes({"type": "INSERT"}), ErrorCode.BAD_FRAME),
    (b"\x00", b"", ErrorCode.BAD_FRAME),
    (bytes(7) + b"\x02", b"", ErrorCode.BAD_FRAME),
    (VERSION, bytes(8), ErrorCode.BAD_FRAME),
    (VERSION + b"\x00", b"", ErrorCode.BAD_FRAME),
    (VERSION + b"\xff" * 8, b"", ErrorCode.BAD_FRAME),
    (VERSION + b"\x7f" + b"\xff" * 7, b"", ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], bytes(16), ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0][:-1], bytes(8), ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], message((row_key(), {"u": NEW}))[1][:-1], ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], None, ErrorCode.EMPTY_VALUE),
    (*message((row_key(t=2), b"{}")), ErrorCode.BAD_SHAPE),
    (*message((row_key(t=2), {"q": "x", "t": "1"})), ErrorCode.BAD_SHAPE),
    (*message((row_key(ts=-1), {"u": NEW})), ErrorCode.BAD_SHAPE),
    (*message((row_key(ts=2**63), {"u": NEW})), ErrorCode.BAD_SHAPE),
    (*message((b'{"ts":1,"t":1,"tbl":"\xff"}', {"u": NEW})), ErrorCode.NOT_UTF8),
    (*message((row_key(), b"[]")), ErrorCode.BAD_SHAPE),
    (*message((row_key(), b"{}")), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"p": OLD})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": NEW, "p": {"nowhere": ident()}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 3}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 3, "v": True}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 99, "v": 1}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"v": column(15, 1)}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(3, 1.5)}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(5, "1.5")}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(252, "YQ")}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(252, "é", BINARY)}})), ErrorCode.BAD_VALUE),
]


@pytest.mark.parametrize(("key", "value", "code"), BROKEN, ids=range(len(BROKEN)))
def test_broken_messages(key: bytes | None, value: bytes | None, code: ErrorCode) -> None:
    (event,) = decode(key, value)
    assert (event.kind, event.error_code) == (Kind.ERROR, code), event.error_message
    assert event.error_message


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    for key, body in (
        (row_key(), {"u": {secret: column(3, secret)}}),
        (row_key(), {"u": {secret: {"t": secret, "v": 1}}}),
        (row_key(), {"u": {secret: {"t": 99, "v": secret}}}),
        (row_key(), {"u": NEW, "p": {secret: ident()}}),
        (row_key(), {"u": NEW, "p": {"t": 3, "f": 65, "v": secret}}),
        (row_key(), {"u": NEW, "p": {secret: 1}}),
        (row_key(t=secret), {"u": NEW}),
        (row_key(), to_bytes({"u": NEW}) + secret.encode()),
    ):
        (event,) = decode(*message((key, body)))
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")


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
        assert {flag.partition(":")[2] for flag in event.lossy} <= {"label_unknown", "no_key", "handle_key_only"}
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
