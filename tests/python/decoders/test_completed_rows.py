"""Rows whose key stays as it is are completed as `resolve` would, many at a time and without their keys."""

from __future__ import annotations

import json
from itertools import product

import msgspec
import pyarrow as pa
import pytest

from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols.resolution import Row, complete_batch, resolve

TYPES = {
    "id": "bigint",
    "kind": "enum('a','b''c')",
    "flags": "set('x','y')",
    "at": "time(3)",
    'odd"\\\t': "enum('ä')",
    "year": "year",
    # its check is asked for before what the flags of other columns ask for
    "data": "varbinary(8)",
}
SCHEMA = table_schema(
    [Column(name, column_type, int(name == "id")) for name, column_type in TYPES.items()]
).text.decode()
CELLS = {
    "id": ["1"],
    "kind": ["2", "0", "9", "no number", None],
    "flags": ["3", "0", "64", None],
    "at": ["10:00:00", "x", None],
    'odd"\\\t': ["1", "7", None],
    "year": ["0", None],
    "data": ["AQI=", "77+9"],
}


ODD: dict[str, list[dict[str, str | None]]] = {
    "none": [],
    "a column less": [{"id": "1"}],
    "a column more": [{**{name: cells[0] for name, cells in CELLS.items()}, "unknown": "é"}],
}


def images(odd: str) -> list[str | None]:
    """Rows of every cell, one in another order, none, and odd ones."""
    rows: list[dict[str, str | None]] = [dict(zip(CELLS, cells, strict=True)) for cells in product(*CELLS.values())]
    rows += [dict(reversed(rows[0].items())), *ODD[odd]]
    return [None, *(msgspec.json.encode(row).decode() for row in rows)]


@pytest.mark.parametrize(
    "protocol", ["canal_json", "open_protocol", "simple", "debezium", "debezium_avro", "avro", "none"]
)
@pytest.mark.parametrize("schema", [SCHEMA, "[]", "no schema", None])
@pytest.mark.parametrize(("odd", "times"), [(odd, times) for odd in ODD for times in (1, 3)])
@pytest.mark.parametrize("name", ['odd"\\\t', "odd: ,{é\u2028\x7f"])
def test_rows_are_completed_as_each_by_itself(
    protocol: str, schema: str | None, odd: str, times: int, name: str
) -> None:
    """Many rows with the same flags are finished together, unless one of them is odd, or a name has an escape."""
    old_name, new_name = (json.dumps(each, ensure_ascii=False) for each in ('odd"\\\t', name))
    schema = schema and schema.replace(old_name, new_name)
    texts = [text and text.replace(old_name, new_name) for text in images(odd)] * times
    before, after = texts, texts[len(texts) // 2 :] + texts[: len(texts) // 2]
    labels = tuple(f"{name}:label_unknown" for name in ("kind", "flags", name))
    of_rows = [
        [(), labels, (*labels, "at:no_schema", "id:wrapped"), ("year:label_unknown",)][row % 4]
        for row in range(len(after))
    ]
    rows = zip(before, after, of_rows, strict=True)
    expected = [
        resolve(Row('{"id":"1"}', None, old, new, flags), protocol, schema, "{}", None) for old, new, flags in rows
    ]
    count = len(after)
    completed = complete_batch(
        pa.array([protocol] * count),
        pa.array([schema] * count, pa.string()),
        pa.array(["{}"] * count),
        pa.array(before, pa.string()),
        pa.array(after, pa.string()),
        pa.array(of_rows, pa.list_(pa.string())),
    )
    found = [(row["before"], row["after"], tuple(row["lossy"])) for row in completed.to_pylist()]
    assert found == [(_text(row.before), _text(row.after), row.lossy) for row in expected]


def test_no_rows() -> None:
    texts = pa.array([], pa.string())
    assert len(complete_batch(texts, texts, texts, texts, texts, pa.array([], pa.list_(pa.string())))) == 0


def _text(image: str | bytes | None) -> str | None:
    return image.decode() if isinstance(image, bytes) else image
