"""The row checksum: the bytes of each type, and every sum that TiCDC sent with the rows of the corpus."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections import Counter

import pytest
from support.simple import SimpleVariant, finished, variants

from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.wire import checksum


def _eight(number: int) -> bytes:
    return (number % 2**64).to_bytes(8, "little")


def _sized(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


CASES = [
    ("tinyint(1)", "1", _eight(1)),
    ("int(11)", "-7", _eight(-7)),
    ("bigint(20) unsigned", str(2**64 - 1), _eight(2**64 - 1)),
    ("bigint(20)", str(-(2**63)), _eight(2**63)),
    ("year(4)", "0000", _eight(0)),
    ("year(4)", "2155", _eight(2155)),
    ("bit(64)", str(2**63), _eight(2**63)),
    ("float", "3.14", struct.pack("<d", 3.140000104904175)),
    ("float(10,3)", "0.1", struct.pack("<d", 0.10000000149011612)),
    ("float unsigned", "340282350000000000000000000000000000000", struct.pack("<d", 3.4028234663852886e38)),
    ("double", "3.14", struct.pack("<d", 3.14)),
    ("double", "-0", struct.pack("<d", -0.0)),
    ("enum('a','it''s','c,d')", "c,d", _eight(3)),
    ("enum('a','b')", "", _eight(0)),
    ("enum('a','')", "", _eight(2)),
    ("set('a','b','c d')", "a,c d", _eight(5)),
    ("set('a','b')", "", _eight(0)),
    ("decimal(10,2)", "-1.50", _sized(b"-1.50")),
    ("varchar(9)", "测试", _sized("测试".encode())),
    ("text", "", _sized(b"")),
    ("json", '{"a": 1}', _sized(b'{"a": 1}')),
    ("date", "2020-02-20", _sized(b"2020-02-20")),
    ("datetime(6)", "2020-02-20 02:20:20.000001", _sized(b"2020-02-20 02:20:20.000001")),
    ("time", "-838:59:59", _sized(b"-838:59:59")),
    ("timestamp", "2020-02-20 02:20:20", _sized(b"2020-02-20 02:20:20")),
    ("varbinary(9)", b64encode(b"\0\xff").decode(), _sized(b"\0\xff")),
    ("longblob", "", _sized(b"")),
    ("vector(3)", "[1,-2.5,0.1]", struct.pack("<I3f", 3, 1, -2.5, 0.1)),
    ("vector", "[]", struct.pack("<I", 0)),
]


@pytest.mark.parametrize(("column_type", "text", "content"), CASES)
def test_the_bytes_of_each_type(column_type: str, text: str, content: bytes) -> None:
    assert checksum.row_checksum({"v": text}, [Column("v", column_type)]) == zlib.crc32(content)


COLUMNS = [Column("id", "int(11)"), Column("virtual", "int(11)"), Column("v", "varchar(9)")]
ROW = {"v": "x", "id": "1"}
SUM = zlib.crc32(_eight(1) + _sized(b"x"))


def test_columns_run_in_table_order_and_nulls_count_nothing() -> None:
    """Protocol facts 0.1, line 2."""
    assert checksum.row_checksum(ROW, COLUMNS) == SUM
    assert checksum.row_checksum(ROW, COLUMNS[::-1]) == zlib.crc32(_sized(b"x") + _eight(1)) != SUM
    assert checksum.row_checksum({"id": "1", "v": None}, COLUMNS) == zlib.crc32(_eight(1))
    assert checksum.row_checksum({"id": None, "v": None}, COLUMNS) == 0


def test_a_mismatch_tells_both_sums() -> None:
    assert checksum.mismatch(SUM, ROW, COLUMNS) is None
    assert checksum.mismatch(0, ROW, COLUMNS) is None
    assert json.loads(checksum.mismatch(5, ROW, COLUMNS) or b"") == {"sent": 5, "computed": SUM}


@pytest.mark.parametrize(
    ("column_type", "text"),
    [
        ("int(11)", "x"),
        ("float", "1" + "0" * 60),
        ("enum", "a"),
        ("enum('a')", "b"),
        ("set('a')", "a,b"),
        ("blob", "?"),
        ("blob", "测"),
        ("vector", "[x]"),
        ("vector", "[1" + "0" * 60 + "]"),
    ],
)
def test_what_cannot_be_computed_is_a_mismatch_without_a_sum(column_type: str, text: str) -> None:
    found = checksum.mismatch(5, {"v": text}, [Column("v", column_type)])
    assert json.loads(found or b"") == {"sent": 5, "computed": None}


def _sent(current: int, previous: int, corrupted: bool = False) -> bytes:
    return json.dumps({"current": current, "previous": previous, "corrupted": corrupted}).encode()


def test_verification_tells_the_image() -> None:
    old = {"id": "1", "v": None}
    old_sum = zlib.crc32(_eight(1))
    assert checksum.verify(_sent(SUM, old_sum), old, ROW, COLUMNS) is None
    assert checksum.verify(_sent(SUM, 0), None, ROW, COLUMNS) is None
    assert checksum.verify(_sent(0, old_sum), old, None, COLUMNS) is None
    assert checksum.verify(_sent(0, 0), old, ROW, COLUMNS) is None
    for sums, image, sent, computed in (
        (_sent(5, old_sum), "after", 5, SUM),
        (_sent(5, 6), "after", 5, SUM),
        (_sent(SUM, 6), "before", 6, old_sum),
    ):
        found = checksum.verify(sums, old, ROW, COLUMNS)
        want = {"image": image, "sent": sent, "computed": computed, "corrupted": False}
        assert json.loads(found or b"") == want


def test_a_row_that_ticdc_found_corrupted_is_told_though_the_sums_agree() -> None:
    found = checksum.verify(_sent(SUM, 0, corrupted=True), None, ROW, COLUMNS)
    assert json.loads(found or b"") == {"image": "after", "sent": SUM, "computed": SUM, "corrupted": True}


@pytest.mark.parametrize(
    "variant", [v for v in variants() if v.meta["integrity_check"]], ids=lambda variant: variant.name
)
def test_every_sum_of_the_corpus_is_right(variant: SimpleVariant) -> None:
    """Old images too, also across ADD and DROP COLUMN; a changed cell or another order of columns is noticed."""
    tally: Counter[str] = Counter()
    for row in finished(variant.events):
        assert row.event.checksum is not None
        sent = json.loads(row.event.checksum)
        assert checksum.verify(row.event.checksum, row.before, row.after, row.columns) is None, row
        tally["after"] += row.after is not None and sent["current"] != 0
        tally["before"] += row.before is not None and sent["previous"] != 0
        if row.after is not None and len(row.after) > 1 and None not in row.after.values():
            shuffled = checksum.verify(row.event.checksum, row.before, row.after, list(row.columns)[::-1])
            tally["noticed"] += shuffled is not None
    print(
        f"{variant.name}: {tally['after']} new and {tally['before']} old images verified, {tally['noticed']} shuffled"
    )
    assert tally["after"] > 2_500 and tally["before"] > 1_000 and tally["noticed"] > 1_000
