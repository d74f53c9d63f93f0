"""Tables with soft delete: what TiCDC sends of rows that TiDB does not show, and of those that come back."""

from __future__ import annotations

import json

import pytest
from support import messages

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.internal_columns import among
from ticdc_udfs.protocols import canal_json

Text = str | None
TYPES = {"id": "int", "v": "varchar", "_tidb_origin_ts": "bigint", "_tidb_softdelete_time": "timestamp"}
GONE = "2026-05-28 20:26:43.900000"
FLAG = ("*:soft_delete",)
Told = tuple[str, Text, Text, tuple[str, ...]]


def image(text: str, gone: Text) -> dict[str, Text]:
    return {"id": "1", "v": text, "_tidb_origin_ts": None, "_tidb_softdelete_time": gone}


CASES: dict[str, tuple[str, dict[str, Text] | None, dict[str, Text], Told]] = {
    "a row is put": ("INSERT", None, image("a", None), ("insert", None, "a", ())),
    "a row is changed": ("UPDATE", image("a", None), image("b", None), ("update", "a", "b", ())),
    "a soft-deleted row comes back by an update": (
        "UPDATE",
        image("a", GONE),
        image("b", None),
        ("insert", None, "b", ()),
    ),
    "a row is deleted softly, and another cluster is told so": (
        "UPDATE",
        image("a", None),
        image("a", GONE),
        ("delete", "a", None, ()),
    ),
    "a soft-deleted row changes": ("UPDATE", image("a", GONE), image("b", GONE), ("delete", "a", None, FLAG)),
    "a soft-deleted row is put": ("INSERT", None, image("a", GONE), ("delete", "a", None, FLAG)),
    "TiCDC makes a deletion of it": ("DELETE", None, image("a", None), ("delete", "a", None, ())),
    "an update does not tell the row before it": ("UPDATE", None, image("b", None), ("update", None, "b", FLAG)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_soft_deleted_row_is_not_there(name: str) -> None:
    type, old, new, told = CASES[name]
    message = messages.row_message(new, TYPES, type=type, old=None if old is None else [old])
    (event,) = arrow.decode_message(canal_json.decode, None, messages.to_bytes(message), None)
    before, after = (None if text is None else json.loads(text) for text in (event.before, event.after))
    assert (event.op, before and before["v"], after and after["v"], event.lossy) == told
    assert all(list(each) == ["id", "v"] for each in (before, after) if each is not None)
    assert json.loads(event.row_key or b"") == {"id": "1"}


def test_hidden_columns_of_table_options_are_none_of_the_table() -> None:
    assert among(TYPES) == {"_tidb_origin_ts", "_tidb_softdelete_time"}
