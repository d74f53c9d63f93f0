"""Debezium: the cells of a row tell together how bytes are written, where the feed does not say it (0.1 line 19)."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from support.batches import FEW, read_together
from support.debezium import INT, decode, field, key_message, row_message, to_bytes

from ticdc_udfs.contract.events import ErrorCode
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import debezium
from ticdc_udfs.protocols.debezium.binary import Bytes, Reading, reading
from ticdc_udfs.protocols.debezium.values import bytes_of
from ticdc_udfs.protocols.resolution import Row, complete_batch, resolve, unsure_cells

Cells = Mapping[str, str | None]
SHAPES = ["extension", "no extension", "no schema"]


class Read(NamedTuple):
    row_key: dict[str, str | None]
    before: dict[str, str | None] | None
    after: dict[str, str | None] | None
    flags: set[str]


def base64(data: bytes) -> str:
    return b64encode(data).decode()


def fields_of(columns: list[Column], shape: str) -> list[dict[str, Any]] | None:
    if shape == "no schema":
        return None
    return [
        field(
            column.name,
            INT
            if column.type == "int(11)"
            else {"type": "string"} | ({"tidb_type": column.type.partition("(")[0]} if shape == "extension" else {}),
            optional=column.key is None,
        )
        for column in columns
    ]


def messages(
    columns: list[Column], shape: str, after: Mapping[str, Any], before: Mapping[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    fields = fields_of(columns, shape)
    key = [column.name for column in columns if column.key]
    of_key = None if fields is None else [each for each in fields if each["field"] in key]
    message = (
        row_message(after, fields, op="c") if before is None else row_message(after, fields, before=before, op="u")
    )
    return message, key_message({name: after[name] for name in key}, of_key) if key else None


def read(columns: list[Column], shape: str, after: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> Read:
    """A row as the changes have it, of a table that the catalogue knows."""
    event = decode(*messages(columns, shape, after, before))
    assert event.error_code is None, event.error_message
    schema = table_schema(columns).text.decode()
    row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    key_is_bytes = any(column.key and column.type != "int(11)" for column in columns)
    if key_is_bytes or "no_schema" in str(row.lossy) or "*:no_key" in row.lossy:
        row = resolve(row, "debezium", schema, "{}", None)
    images = [None if image is None else bytes(image).decode() for image in (row.before, row.after)]
    told = unsure_cells("debezium", schema, "{}", *images, row.lossy)
    if told is not None:
        row = row._replace(before=told.before or row.before, after=told.after or row.after, lossy=told.lossy)
    assert len(row.lossy) == len({*row.lossy})
    key, old, new = (None if text is None else json.loads(text) for text in (row.row_key, row.before, row.after))
    return Read(key, old, new, {*row.lossy} - {"*:no_key"})


READINGS: list[tuple[str, str, Reading]] = [
    ("fbefff3e", "binary(4)", Reading.HEX),
    ("fbefff3e", "binary(6)", Reading.BASE64),
    ("fbefff3e", "binary(5)", Reading.EITHER),
    ("fbefff3e", "varbinary(5)", Reading.HEX),
    ("fbefff3e", "varbinary(6)", Reading.EITHER),
    ("fbefff3e", "varbinary(3)", Reading.EITHER),
    ("fbefff3e", "blob", Reading.EITHER),
    ("cafe" * 90, "tinyblob", Reading.HEX),
    ("cafe" * 90, "blob(10)", Reading.EITHER),
    ("cafe" * 22_000, "blob(65535)", Reading.HEX),
    ("cafe" * 22_000, "blob(70000)", Reading.EITHER),
    ("cafe" * 22_000, "longblob", Reading.EITHER),
    ("fbefff", "varbinary(8)", Reading.HEX),
    ("fb", "longblob", Reading.HEX),
    ("FB", "varbinary(8)", Reading.BASE64),
    ("++//PgA=", "varbinary(8)", Reading.BASE64),
    ("--__PgA=", "varbinary(8)", Reading.BASE64),
    ("fbe=", "binary(4)", Reading.BASE64),
    ("abc", "varbinary(8)", Reading.NEITHER),
    ("no base64", "varbinary(8)", Reading.NEITHER),
]


@pytest.mark.parametrize(("text", "column_type", "wanted"), READINGS)
def test_what_a_text_may_be(text: str, column_type: str, wanted: Reading) -> None:
    column = bytes_of(column_type, None, nullable=True, default=None)
    assert column is not None
    assert reading(text, column) is wanted


def test_a_type_that_holds_no_bytes() -> None:
    assert bytes_of("varchar(4)", None, nullable=True, default=None) is None


DEFAULTS: list[tuple[str, bool | None, bytes, str, Reading]] = [
    # twelve bytes of U+FFFD stand for the NULL of a BINARY(4)
    ("binary(4)", True, b"\xff\xff\xff\xff", "efbfbd" * 4, Reading.HEX),
    ("binary(4)", True, b"\x00\x00\x00\x00", "efbfbd" * 4, Reading.EITHER),
    ("binary(12)", True, b"\x00" * 12, "61" * 8, Reading.BASE64),
    ("binary(12)", False, b"\x00" * 12, "61" * 8, Reading.BASE64),
    # releases of TiDB that do not fill up a default
    ("binary(12)", False, b"a", "61" * 8, Reading.EITHER),
    ("binary(4)", False, b"a", "61" * 4, Reading.HEX),
]


@pytest.mark.parametrize(("column_type", "nullable", "default", "text", "wanted"), DEFAULTS)
def test_a_default_in_place_of_null_has_another_length(
    column_type: str, nullable: bool | None, default: bytes, text: str, wanted: Reading
) -> None:
    column = bytes_of(column_type, None, nullable=nullable, default=base64(default))
    assert column is not None
    assert reading(text, column) is wanted


def test_an_expression_in_place_of_null_has_any_length() -> None:
    column = bytes_of("binary(16)", None, nullable=True, default="uuid_to_bin(uuid())")
    assert column is not None
    text = b"uuid_to_bin(uuid()) ".hex()
    assert len(text) == 40
    assert column.may_hold(base64(b"uuid_to_bin(uuid()) "), 20)
    assert reading(text, column) is Reading.HEX
    assert reading("00" * 16, column) is Reading.HEX
    assert bytes_of("varbinary(4)", None, nullable=True, default="@") == Bytes()


ID = Column("id", "int(11)", 1)
KEY = Column("k", "binary(4)", 1)
OPEN_KEY = Column("k", "varbinary(8)", 1)
V, W, X = (
    Column("v", "varbinary(8)", None, True),
    Column("w", "varbinary(8)", None, True),
    Column("x", "binary(4)", None, True),
)


@pytest.mark.parametrize("shape", SHAPES)
def test_hex_is_told_by_the_length_of_one_cell(shape: str) -> None:
    got = read([KEY, V], shape, {"k": "0badcafe", "v": "cafebabe"})
    assert got == ({"k": "C63K/g=="}, None, {"k": "C63K/g==", "v": "yv66vg=="}, set())
    got = read([ID, V, X], shape, {"id": 1, "v": "cafebabe", "x": "0badcafe"})
    assert got == ({"id": "1"}, None, {"id": "1", "v": "yv66vg==", "x": "C63K/g=="}, set())


@pytest.mark.parametrize("shape", SHAPES)
def test_one_cell_of_either_image_tells_of_the_others(shape: str) -> None:
    got = read([ID, V, W], shape, {"id": 1, "v": "cafe", "w": ""}, {"id": 1, "v": None, "w": "fb"})
    assert got[1:] == ({"id": "1", "v": None, "w": "+w=="}, {"id": "1", "v": "yv4=", "w": ""}, set())
    got = read([ID, V, W], shape, {"id": 1, "v": "cafe", "w": ""}, {"id": 1, "v": None, "w": "+w=="})
    assert got[1:] == ({"id": "1", "v": None, "w": "+w=="}, {"id": "1", "v": "cafe", "w": ""}, set())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("other", [None, "", "00000000"])
def test_what_no_cell_tells_stays_and_is_flagged(shape: str, other: str | None) -> None:
    got = read([ID, V, W], shape, {"id": 1, "v": "cafe", "w": other})
    assert got.after == {"id": "1", "v": "cafe", "w": other}
    assert got.flags == {"v:binary_unsure"} | ({"w:binary_unsure"} if other else set())


@pytest.mark.parametrize("shape", SHAPES)
def test_cells_that_contradict_each_other_stay_and_are_flagged(shape: str) -> None:
    got = read([ID, V, W, X], shape, {"id": 1, "v": "fb", "w": "+w==", "x": None})
    assert got.after == {"id": "1", "v": "fb", "w": "+w==", "x": None}
    assert got.flags == {"v:binary_unsure", "w:binary_unsure"}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_key_is_the_same_whatever_the_other_cells_tell(shape: str) -> None:
    """Cells that are not of the key are read by all of the message."""
    keys = []
    for v, wanted in (("fb", "+w=="), ("+w==", "+w=="), ("cafe", "cafe"), (None, None)):
        got = read([OPEN_KEY, V], shape, {"k": "cafebabe", "v": v})
        assert got.after is not None
        assert (got.after["v"], got.after["k"]) == (wanted, "cafebabe")
        assert got.flags == {"k:binary_unsure"} | ({"v:binary_unsure"} if v == "cafe" else set())
        keys.append(got.row_key)
    assert keys == [{"k": "cafebabe"}] * 4


@pytest.mark.parametrize("shape", SHAPES)
def test_a_key_in_hex_is_not_taken_for_another_one(shape: str) -> None:
    """In base64 it would be what a key in hex is that may be base64."""
    keys = [read([OPEN_KEY, V], shape, {"k": text, "v": "fb"}) for text in ("71a79e", "caee")]
    assert [got.row_key for got in keys] == [{"k": "71a79e"}, {"k": "caee"}]
    assert [got.flags for got in keys] == [{"k:binary_unsure"}] * 2


@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_that_gets_another_key(shape: str) -> None:
    got = read([KEY, V], shape, {"k": "0badcafe", "v": "cafebabe"}, {"k": "fbefff3e", "v": "cafebabe"})
    assert got.row_key == {"k": "C63K/g=="}
    assert got.before == {"k": "++//Pg==", "v": "yv66vg=="}
    assert not got.flags


def test_a_default_in_hex_stands_for_null() -> None:
    column = Column("v", "varbinary(8)", None, True, base64(b"a"))
    assert read([ID, column], "no extension", {"id": 1, "v": "61"}).flags == {"v:null_or_default"}
    assert read([ID, column], "no schema", {"id": 1, "v": "61"}).flags == {"v:null_or_default"}
    assert read([ID, column], "no schema", {"id": 1, "v": "YQ=="}).flags == {"v:null_or_default"}


def test_a_text_that_is_none_is_a_dead_letter_beside_hex_too() -> None:
    event = decode(*messages([ID, V, W], "extension", {"id": 1, "v": "abc", "w": "fb"}, None))
    assert event.error_code == ErrorCode.BAD_VALUE


def random_rows(random: Random, count: int) -> list[tuple[list[Column], list[dict[str, Any]]]]:
    """Rows by table; bytes are chosen so that their base64 may look like hex."""
    tables = []
    for _ in range(count):
        size = random.randint(1, 8)
        some = [f"binary({size})", f"varbinary({size})", "varbinary(200)", "blob", "tinyblob"]
        columns = [random.choice([ID, Column("k", random.choice(some[:3]), 1)])]
        columns += [Column(name, random.choice(some), None, True) for name in "vw"[: random.randint(1, 2)]]
        rows = []
        for number in range(4):
            row: dict[str, Any] = {}
            for column in columns:
                length = {"binary": size, "varbinary": random.randint(0, size)}.get(
                    column.type.partition("(")[0], random.randint(0, 9)
                )
                looks_like_hex = bytes.fromhex("71a79e" * 4 + "d34d34" * 2)
                data = random.choice([random.randbytes(length), looks_like_hex[:length], b"\0" * length])
                row[column.name] = number if column is ID else data if column.key or random.random() < 0.9 else None
            rows.append(row)
        tables.append((columns, rows))
    return tables


WRITE = {
    "hex": lambda value: value.hex() if isinstance(value, bytes) else value,
    "base64": lambda value: base64(value) if isinstance(value, bytes) else value,
    "base64-url-safe": lambda value: urlsafe_b64encode(value).decode() if isinstance(value, bytes) else value,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", WRITE)
def test_no_value_of_any_mode_is_misread_in_silence(mode: str, shape: str) -> None:
    certain = 0
    write = WRITE[mode]
    for columns, rows in random_rows(Random(mode + shape), 150):
        keys: dict[str, Any] = {}
        for row, old in zip(rows, [None, *rows], strict=False):
            key = [column.name for column in columns if column.key]
            before = None if old is None else {**old, **{name: row[name] for name in key}}
            for other in (None, before):
                wire = {name: write(value) for name, value in row.items()}
                got = read(columns, shape, wire, other and {name: write(value) for name, value in other.items()})
                for image, truth in ((got.after, row), (got.before, other)):
                    for name, value in (truth or {}).items():
                        if image is not None and f"{name}:binary_unsure" not in got.flags:
                            wanted = (
                                base64(value) if isinstance(value, bytes) else value if value is None else str(value)
                            )
                            assert image[name] == wanted, (columns, row, name)
                            certain += 1
                assert got.after is not None
                assert got.row_key == {name: got.after[name] for name in key}
                assert keys.setdefault(json.dumps(got.row_key), [row[name] for name in key]) == [
                    row[name] for name in key
                ]
        assert len(keys) == len({str([row[name] for name in key]) for row in rows})
    assert certain > 1500


@pytest.mark.parametrize("mode", ["hex", "base64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_a_batch_are_read_as_each_by_itself(mode: str, shape: str) -> None:
    write = WRITE[mode]
    random = Random(mode + shape)
    for columns, rows in random_rows(random, 4):
        pairs = []
        for row in rows * FEW:
            wire = {name: write(value) for name, value in row.items()}
            message, key = messages(columns, shape, wire, random.choice([None, wire]))
            pairs.append((None if key is None else to_bytes(key), to_bytes(message)))
        keys, values = zip(*pairs, strict=True)
        read_together(
            debezium, [pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(["{}"] * len(keys))]
        )


@pytest.mark.parametrize("texts", [["+w==", None, "++//"], ["fb", None, "cafe"], ["cafe", "cafe", ""]])
@pytest.mark.parametrize("flags", [("d:no_schema",), ("d:no_schema", "v:binary_unsure")])
def test_cells_are_completed_in_a_batch_as_in_each_row(texts: list[str | None], flags: tuple[str, ...]) -> None:
    columns = [ID, V, X, Column("d", "datetime", None, True)]
    schema = table_schema(columns).text.decode()
    images = [
        json.dumps({"id": str(number), "v": text, "x": other, "d": "0"}, separators=(",", ":"))
        for number, text in enumerate(texts * FEW)
        for other in (None, "0badcafe")
    ]
    rows = [resolve(Row('{"id":"1"}', None, None, image, flags), "debezium", schema, "{}", None) for image in images]
    wanted = [(None, bytes(row.after or b"").decode(), list(row.lossy)) for row in rows]
    many = len(images)
    found = complete_batch(
        *(pa.array([text] * many, pa.string()) for text in ("debezium", schema, "{}", None)),
        pa.array(images),
        pa.array([list(flags)] * many),
    )
    assert [(each["before"], each["after"], each["lossy"]) for each in found.to_pylist()] == wanted
