"""Which partition holds a row: each method, the NULL rules, and what is not certain."""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalogue import folded, last

from ticdc_udfs.catalogue.fold import TableVersion
from ticdc_udfs.catalogue.partitions import Doubt, Placement, is_within, partition_batch, partition_of, placement_of
from ticdc_udfs.catalogue.records import partitioning_text


def version(columns: str, by: str) -> TableVersion:
    """The table `t` with these columns and partitions."""
    return last(folded(f"CREATE TABLE t ({columns}) PARTITION BY {by}"), "t")


def located(columns: str, by: str, **row: str | None) -> str | None:
    """The partition of a row."""
    table = version(columns, by)
    assert table.partitioning is not None
    return partition_of(row, table.partitioning, table.columns)


def placed(columns: str, by: str, **row: str | None) -> Placement:
    """Where a row lies."""
    table = version(columns, by)
    assert table.partitioning is not None
    return placement_of(row, table.partitioning, table.columns)


RANGE = (
    "RANGE (c) (PARTITION p1 VALUES LESS THAN (0), PARTITION p2 VALUES LESS THAN (10), PARTITION p3 VALUES LESS THAN "
)


@pytest.mark.parametrize(
    ("value", "want"), [("-1", "p1"), ("0", "p2"), ("9", "p2"), ("10", "p3"), ("20", None), (None, "p1")]
)
def test_range_holds_what_is_below_its_bound_and_null_in_the_lowest(value: str | None, want: str | None) -> None:
    assert located("c INT", RANGE + "(20))", c=value) == want


def test_maxvalue_holds_the_rest() -> None:
    assert located("c BIGINT UNSIGNED", RANGE + "MAXVALUE)", c="18446744073709551615") == "p3"
    assert located("c BIGINT UNSIGNED", RANGE + "(MAXVALUE))", c="18446744073709551615") == "p3"


@pytest.mark.parametrize(
    ("column", "expression", "bound", "below", "above"),
    [
        ("c DATE", "YEAR(c)", "2024", "2023-12-31", "2024-01-01"),
        ("c DATETIME", "year(`c`)", "2023 + 1", "2023-12-31 23:59:59", "2024-01-01 00:00:00"),
        ("c DATE", "TO_DAYS(c)", "TO_DAYS('2024-01-01')", "2023-12-31", "2024-01-01"),
        ("c DATE", "TO_DAYS(c)", "739251", "2023-12-31", "2024-01-01"),
        (
            "c DATETIME",
            "TO_SECONDS(c)",
            "TO_SECONDS('2024-01-01 00:00:01')",
            "2024-01-01 00:00:00",
            "2024-01-01 00:00:01",
        ),
        ("c TIMESTAMP", "UNIX_TIMESTAMP(c)", "1704067200", "2023-12-31 23:59:59", "2024-01-01 00:00:00"),
        ("c TIMESTAMP(1)", "FLOOR(UNIX_TIMESTAMP(c))", "1704067200", "2023-12-31 23:59:59.9", "2024-01-01 00:00:00.1"),
        ("c DATE", "MONTH(c)", "3", "2024-02-29", "2024-03-01"),
        ("c DATE", "QUARTER(c)", "2", "2024-03-31", "2024-04-01"),
        ("c DATE", "DAYOFMONTH(c)", "2", "2024-02-01", "2024-02-02"),
        ("c DATE", "DAYOFYEAR(c)", "366", "2023-12-31", "2024-12-31"),
        ("c DATE", "DAYOFWEEK(c)", "2", "2024-01-07", "2024-01-08"),
        ("c DATE", "WEEKDAY(c)", "1", "2024-01-08", "2024-01-09"),
        ("c DATE", "DATEDIFF(c, '2024-01-01')", "0", "2023-12-31", "2024-01-01"),
        ("c DATE", "EXTRACT(YEAR FROM c)", "2024", "2023-12-31", "2024-01-01"),
        ("c TIME", "HOUR(c)", "100", "99:59:59", "100:00:00"),
        ("c DATETIME", "MINUTE(c)", "1", "2024-01-01 05:00:59", "2024-01-01 05:01:00"),
        ("c TIME", "TIME_TO_SEC(c)", "-3600", "-01:00:01", "-01:00:00"),
        ("c TIME(6)", "MICROSECOND(c)", "500000", "00:00:00.499999", "00:00:00.500000"),
        ("c INT", "c * 2 + 1", "7", "2", "3"),
        ("c INT", "(c - 1) DIV 10", "1", "10", "11"),
        ("c INT", "c DIV 10", "0", "-10", "-9"),
        ("c INT", "c % 10", "0", "-9", "-10"),
        ("c INT", "MOD(c, 10)", "9", "8", "19"),
        ("c INT", "ABS(c)", "5", "-4", "-5"),
        ("c INT", "-c", "5", "-4", "-5"),
        ("c DECIMAL(5,1)", "CEILING(c)", "2", "1.0", "1.1"),
        ("c YEAR", "c", "2000", "1999", "2000"),
    ],
)
def test_range_by_an_expression(column: str, expression: str, bound: str, below: str, above: str) -> None:
    by = f"RANGE ({expression}) (PARTITION low VALUES LESS THAN ({bound}), PARTITION high VALUES LESS THAN MAXVALUE)"
    assert [located(column, by, c=value) for value in (below, above)] == ["low", "high"]


@pytest.mark.parametrize(("value", "want"), [("0000-00-00", "low"), ("2024-00-00", "low"), (None, "low")])
def test_days_of_a_date_without_month_are_null(value: str | None, want: str) -> None:
    by = "RANGE (TO_DAYS(c)) (PARTITION low VALUES LESS THAN (-5), PARTITION high VALUES LESS THAN MAXVALUE)"
    assert located("c DATE", by, c=value) == want


def test_range_columns_compare_one_after_the_other() -> None:
    by = (
        "RANGE COLUMNS (a, b) (PARTITION p1 VALUES LESS THAN (1, 'm'), PARTITION p2 VALUES LESS THAN (1, MAXVALUE), "
        "PARTITION p3 VALUES LESS THAN (MAXVALUE, MAXVALUE))"
    )
    rows: list[tuple[str | None, str | None, str]] = [
        ("0", "z", "p1"),
        ("1", "l", "p1"),
        ("1", "m", "p2"),
        ("1", None, "p1"),
        (None, "z", "p1"),
        ("10", "a", "p3"),
    ]
    for a, b, want in rows:
        assert located("a INT, b VARCHAR(9)", by, a=a, b=b) == want


def test_range_columns_of_dates() -> None:
    by = "RANGE COLUMNS (c) (PARTITION p1 VALUES LESS THAN ('2024-1-1'), PARTITION p2 VALUES LESS THAN ('20250101'))"
    values = ("2023-12-31", "2024-01-01", "2024-12-31", "2025-01-01")
    assert [located("c DATE", by, c=value) for value in values] == ["p1", "p2", "p2", None]
    assert located("c DATETIME(3)", by, c="2024-01-01 00:00:00.000") == "p2"


def test_binary_columns_compare_by_bytes() -> None:
    by = "RANGE COLUMNS (c) (PARTITION p1 VALUES LESS THAN ('b'), PARTITION p2 VALUES LESS THAN (x'ff'))"
    assert [located("c VARBINARY(9)", by, c=value) for value in ("YQ==", "YmI=", "/w==")] == ["p1", "p2", None]


def test_list_holds_its_values_and_null_where_it_is_named() -> None:
    by = "LIST (c + 1) (PARTITION p1 VALUES IN (1, 2 + 1), PARTITION p2 VALUES IN (NULL, -4))"
    assert [located("c INT", by, c=value) for value in ("0", "2", "-5", None, "1")] == ["p1", "p1", "p2", "p2", None]


def test_the_default_list_holds_the_rest() -> None:
    by = "LIST COLUMNS (c) (PARTITION p1 VALUES IN ('a', 'B'), PARTITION p2 DEFAULT)"
    assert [located("c VARCHAR(9)", by, c=value) for value in ("a", "B", "b", None)] == ["p1", "p1", "p2", "p2"]


def test_list_columns_hold_tuples() -> None:
    by = "LIST COLUMNS (a, b) (PARTITION p1 VALUES IN ((1, 'x'), (2, NULL)), PARTITION p2 VALUES IN ((2, 'x')))"
    rows: list[tuple[str, str | None, str | None]] = [
        ("1", "x", "p1"),
        ("2", None, "p1"),
        ("2", "x", "p2"),
        ("3", "x", None),
    ]
    for a, b, want in rows:
        assert located("a INT, b VARCHAR(9)", by, a=a, b=b) == want


@pytest.mark.parametrize(
    ("column", "value", "want"),
    [
        ("c INT", "7", "p3"),
        ("c INT", "-7", "p3"),
        ("c INT", None, "p0"),
        ("c BIGINT UNSIGNED", "18446744073709551615", "p1"),
        ("c BIGINT UNSIGNED", "9223372036854775808", "p0"),
    ],
)
def test_hash_is_the_remainder_and_null_is_zero(column: str, value: str | None, want: str) -> None:
    assert located(column, "HASH (c) PARTITIONS 4", c=value) == want


def test_hash_of_an_expression() -> None:
    assert located("c DATE", "HASH (YEAR(c)) PARTITIONS 4", c="2023-05-05") == "p3"
    assert located("c DATE", "LINEAR HASH (YEAR(c)) PARTITIONS 4", c=None) == "p0"


@pytest.mark.parametrize(
    ("columns", "row", "want"),
    [
        # CRC-32 of '123456789' is 0xCBF43926, of a zero byte 0xD202EF8D
        ("c INT PRIMARY KEY", {"c": "123456789"}, 0xCBF43926 % 7),
        ("c INT, PRIMARY KEY (c)", {"c": None}, 0xD202EF8D % 7),
        ("a VARCHAR(9), b INT, PRIMARY KEY (a, b)", {"a": "1234 ", "b": "56789"}, 0xCBF43926 % 7),
        ("c VARBINARY(9) PRIMARY KEY", {"c": "MTIzNDU2Nzg5"}, 0xCBF43926 % 7),
    ],
)
def test_key_is_the_checksum_of_the_texts(columns: str, row: dict[str, str | None], want: int) -> None:
    assert located(columns, "KEY () PARTITIONS 7", **row) == f"p{want}"


INTERVAL = "RANGE (c) INTERVAL (10) FIRST PARTITION LESS THAN (0) LAST PARTITION LESS THAN (90)"


@pytest.mark.parametrize(
    ("columns", "by", "value", "doubt"),
    [
        ("c VARCHAR(9) COLLATE utf8mb4_unicode_ci", "KEY (c) PARTITIONS 2", "ж", "collation"),
        ("c VARCHAR(9) COLLATE gbk_bin", "KEY (c) PARTITIONS 2", "Ω", "collation"),
        ("c JSON", "KEY (c) PARTITIONS 2", "{}", "value"),
        ("c DATE", "HASH (LAST_DAY(c)) PARTITIONS 2", "2024-01-01", "definition"),
        ("c INT", "HASH (other) PARTITIONS 2", "1", "definition"),
        ("c INT", "HASH (c +) PARTITIONS 2", "1", "definition"),
        ("c DATE", "HASH (YEAR(c)) PARTITIONS 2", "today", "value"),
        ("c DATE", "HASH (WEEKDAY(c)) PARTITIONS 2", "2024-02-31", "value"),
        ("c TIME", "HASH (EXTRACT(HOUR FROM c)) PARTITIONS 2", "-01:00:00", "value"),
        ("c INT", INTERVAL, "1", "definition"),
        ("c INT", RANGE + "(20))", "20", "value"),
    ],
)
def test_what_nothing_tells_has_a_doubt(columns: str, by: str, value: str, doubt: str) -> None:
    assert placed(columns, by, c=value) == (None, None, doubt)


def test_key_of_a_moment_depends_on_the_session_of_each_write() -> None:
    found = placed("c TIMESTAMP", "KEY (c) PARTITIONS 2", c="2024-01-01 00:00:00")
    assert found == (f"p{crc32(b'2024-01-01 00:00:00') % 2}", None, "session_zone")


def test_one_bound_that_cannot_be_read_makes_only_its_neighbours_uncertain() -> None:
    by = (
        "RANGE (c) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (RAND()), "
        "PARTITION p3 VALUES LESS THAN (30), PARTITION p4 VALUES LESS THAN (40))"
    )
    assert [located("c INT", by, c=value) for value in ("5", "20", "30")] == ["p1", None, "p4"]
    assert placed("c INT", by, c="20") == (None, frozenset({"p2", "p3"}), "expression")


@pytest.mark.parametrize(
    ("names", "want"),
    [(["p1", "p4"], (False, None)), (["p2", "p3"], (True, None)), (["p1", "p2"], (False, "expression"))],
)
def test_a_row_of_two_partitions_is_certain_where_both_are_meant_or_none(
    names: list[str], want: tuple[bool, str | None]
) -> None:
    assert is_within(Placement(None, frozenset({"p2", "P3"}), Doubt.EXPRESSION), names) == want


def test_one_value_of_a_list_that_cannot_be_read_leaves_the_others_certain() -> None:
    by = "LIST (c) (PARTITION p1 VALUES IN (1, 2), PARTITION p2 VALUES IN (RAND()), PARTITION p3 DEFAULT)"
    assert placed("c INT", by, c="1") == ("p1", frozenset({"p1"}), None)
    assert placed("c INT", by, c="5") == ("p3", frozenset({"p2", "p3"}), "expression")
    assert placed("c INT", by, c=None) == ("p3", frozenset({"p3"}), None)


@pytest.mark.parametrize(
    ("column", "value", "hashed"),
    [
        ("c YEAR", "0000", b"0"),
        ("c YEAR", "2024", b"2024"),
        ("c BIT(12)", "261", b"\x01\x05"),
        ("c TIME(1)", "-01:00:00.5", b"-01:00:00.5"),
        ("c DOUBLE", "0.5", b"0.5"),
        ("c DECIMAL(5,2)", "1.50", b"1.50"),
        ("c BINARY(3)", "YQ==", b"a\0\0"),
        ("c VARCHAR(9) COLLATE utf8mb4_general_ci", "aé ", b"\0A\0E"),
        ("c VARCHAR(9) COLLATE utf8mb4_unicode_ci", "a ", b"\x0e\x33"),
        ("c VARCHAR(9) COLLATE utf8mb4_0900_ai_ci", "a ", b"\x1c\x47\x02\x09"),
        ("c VARCHAR(9) COLLATE gbk_chinese_ci", "ab", b"AB"),
        ("c VARCHAR(9) COLLATE gbk_bin", "中", b"\xd6\xd0"),
        ("c ENUM('a','b') COLLATE utf8mb4_general_ci", "b", b"\0B"),
    ],
)
def test_key_hashes_what_tidb_makes_of_a_value(column: str, value: str, hashed: bytes) -> None:
    assert located(column, "KEY (c) PARTITIONS 997", c=value) == f"p{crc32(hashed) % 997}"


def test_a_row_without_the_column_has_no_partition() -> None:
    assert located("c INT", "HASH (c) PARTITIONS 2", d="1") is None


def batch(rows: list[str | None], table: TableVersion, names: list[str] | None = None) -> list[dict[str, Any]]:
    text = partitioning_text(table.partitioning)
    columns = json.dumps([column._asdict() for column in table.columns])
    arrays = ([*rows], [text] * len(rows), [columns] * len(rows))
    of_names = pa.array([names] * len(rows), pa.list_(pa.string()))
    return list(partition_batch(*(pa.array(array, pa.string()) for array in arrays), of_names).to_pylist())


def names_of(placed: list[dict[str, Any]]) -> list[str | None]:
    return [each["partition_name"] for each in placed]


def test_a_batch_finds_the_partition_of_each_row() -> None:
    table = version("c INT", RANGE + "MAXVALUE)")
    rows = ['{"c":"-1"}', '{"c":"99"}', None, "{}", "no row"]
    placed = batch(rows, table, ["p1"])
    assert names_of(placed) == ["p1", "p3", None, None, None]
    assert [each["is_in"] for each in placed] == [True, False, False, False, False]
    assert [each["doubt"] is None for each in placed] == [True, True, False, False, False]
    assert [each["is_in"] for each in batch(rows, table)] == [None] * 5


def test_a_batch_reads_every_method() -> None:
    for by in ("HASH (c) PARTITIONS 1", "KEY (c) PARTITIONS 1", "LIST (c) (PARTITION p0 VALUES IN (1))"):
        assert names_of(batch(['{"c":"1"}'], version("c INT", by))) == ["p0"]
    for by in (
        "LIST COLUMNS (c) (PARTITION p0 VALUES IN (1))",
        "RANGE COLUMNS (c) (PARTITION p0 VALUES LESS THAN (2))",
    ):
        assert names_of(batch(['{"c":"1"}'], version("c INT", by))) == ["p0"]


_BY = st.sampled_from(["HASH (c) PARTITIONS 3", "HASH (YEAR(c)) PARTITIONS 3", "KEY (c) PARTITIONS 3", RANGE + "(20))"])


@given(_BY, st.sampled_from(["INT", "DATE", "TIME", "VARCHAR(9)", "DECIMAL(9,2)"]), st.text(max_size=20))
def test_no_cell_makes_a_batch_raise(by: str, kind: str, cell: str) -> None:
    (found,) = names_of(batch([json.dumps({"c": cell})], version(f"c {kind}", by)))
    assert found in (None, "p0", "p1", "p2", "p3")


@pytest.mark.parametrize("cell", ["1e999999999", "NaN", "Infinity", "-", "٣"])
def test_odd_numbers_have_no_partition(cell: str) -> None:
    assert located("c INT", "HASH (c) PARTITIONS 3", c=cell) in (None, "p0")
