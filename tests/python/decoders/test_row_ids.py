"""TiDB's own key of a row without key, where the wire tells it: what tells equal rows of one commit from a repeat."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from support.batches import FEW, read_together
from support.messages import COMMIT_TS, decode, row_message
from support.open_protocol import column, decode_row, ident, message, row_key

from ticdc_udfs.protocols import open_protocol

ROW_KEY = "dIAAAAAAAAB2X3KAAAAAAAAABA=="
ROW = {"a": column(3, 7)}


@pytest.mark.parametrize(("key", "row_id"), [(None, ROW_KEY), ((), ROW_KEY), (("a",), None)])
def test_canal_json_tells_the_row_key_of_rows_without_key(key: tuple[str, ...] | None, row_id: str | None) -> None:
    extension = {"commitTs": COMMIT_TS, "rowkey": ROW_KEY}
    assert decode(row_message({"a": "7"}, key=key, tidb=extension)).row_id == row_id


@pytest.mark.parametrize(
    ("rowkey", "table_id"),
    [
        (ROW_KEY, 118),
        (None, None),
        ("dA==", None),
        ("dIAAAAAAAA", None),
        ("bIAAAAAAAAB2", None),
        ("d" + "é" * 20, None),
    ],
)
def test_canal_json_tells_the_partition_of_rows_by_the_row_key(rowkey: str | None, table_id: int | None) -> None:
    extension = {"commitTs": COMMIT_TS} | ({} if rowkey is None else {"rowkey": rowkey})
    for key in (None, ("a",)):
        assert decode(row_message({"a": "7"}, key=key, tidb=extension)).physical_table_id == table_id


@pytest.mark.parametrize(("rid", "row_id"), [(5, "5"), (-5, "-5"), (None, None)])
def test_classic_open_protocol_tells_the_number_of_rows_without_key(rid: int | None, row_id: str | None) -> None:
    assert decode_row({"u": ROW}, rid=rid).row_id == row_id


def test_a_row_with_a_key_has_no_other_in_open_protocol() -> None:
    assert decode_row({"u": {"id": ident()}}, rid=5).row_id is None


def test_rows_without_key_that_are_read_together_keep_their_numbers() -> None:
    bodies = [{"u": ROW}, {"d": ROW}, {"u": ROW, "p": ROW}]
    messages = [message((row_key(rid=number), body)) for number in range(FEW) for body in bodies]
    messages += [message((row_key(tbl="other"), {"u": ROW}))] * FEW
    random.Random(1).shuffle(messages)
    columns = [pa.array(each, pa.binary()) for each in zip(*messages, strict=True)]
    columns.append(pa.array(["{}"] * len(messages)))
    assert read_together(open_protocol, columns) == 4 * FEW
