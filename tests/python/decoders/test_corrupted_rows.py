"""Rows that TiCDC's own verification found corrupted: told whatever their checksum is (protocol facts 6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.avro import CHECKSUM, EXTENSION, column, decode_by, extension, message, record

from ticdc_udfs.contract.events import Event
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.protocols import avro
from ticdc_udfs.wire import checksum

ID = column("id", "int", "INT")
KEY = record(ID)
RIGHT = checksum.row_checksum({"id": "1"}, [Column("id", "int")])


def checked(sent: str, corrupted: bool, version: int) -> Event:
    schema = record(ID, *EXTENSION, *CHECKSUM)
    more = {"_tidb_row_level_checksum": sent, "_tidb_corrupted": corrupted, "_tidb_checksum_version": version}
    return decode_by(
        avro.decode, message(KEY, {"id": 1}), message(schema, {"id": 1, **extension("c"), **more}), KEY, schema
    )


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("sent", [str(RIGHT), "0", ""])
def test_a_corrupted_row_of_avro(sent: str, version: int) -> None:
    event = checked(sent, True, version)
    assert json.loads(event.checksum_mismatch or b"{}") == {
        "sent": int(sent or 0),
        "computed": RIGHT,
        "corrupted": True,
    }


@pytest.mark.parametrize("sent", [str(RIGHT), "0", ""])
def test_a_row_that_is_not_corrupted(sent: str) -> None:
    assert checked(sent, False, 0).checksum_mismatch is None


def test_a_wrong_sum_is_told_as_before() -> None:
    found: Any = json.loads(checked("1", False, 0).checksum_mismatch or b"{}")
    assert found == {"sent": 1, "computed": RIGHT}


def test_a_corrupted_row_of_simple_without_sum() -> None:
    sent = b'{"version":0,"corrupted":true,"current":0,"previous":0}'
    found = json.loads(checksum.verify(sent, None, {"id": "1"}, [Column("id", "int")]) or b"{}")
    assert found == {"image": "after", "sent": 0, "computed": RIGHT, "corrupted": True}
