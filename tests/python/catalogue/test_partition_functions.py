"""The functions that TiDB allows in partitioning, with values that its documentation, MySQL's, or its tests give."""

from __future__ import annotations

import pytest
from support.catalogue import folded, last

from ticdc_udfs.catalogue.partitions import placement_of

CASES = [
    ("TO_DAYS(c)", "DATE", "2007-10-07", 733321),
    ("TO_DAYS(c)", "DATE", "0000-01-01", 1),
    ("TO_DAYS(c)", "DATE", "1995-05-01", 728779),
    ("TO_SECONDS(c)", "DATE", "2009-11-29", 63426672000),
    ("TO_SECONDS(c)", "DATETIME", "2009-11-29 13:43:32", 63426721412),
    ("YEARWEEK(c)", "DATE", "1987-01-01", 198652),
    ("YEARWEEK(c)", "DATE", "2000-01-01", 199952),
    ("YEARWEEK(c, 0)", "DATE", "2014-12-27", 201451),
    ("YEARWEEK(c, 1)", "DATE", "2024-12-30", 202501),
    ("YEARWEEK(c, 3)", "DATE", "2021-01-03", 202053),
    ("EXTRACT(YEAR FROM c)", "DATETIME", "2019-07-02 01:02:03", 2019),
    ("EXTRACT(YEAR_MONTH FROM c)", "DATETIME", "2019-07-02 01:02:03", 201907),
    ("EXTRACT(QUARTER FROM c)", "DATE", "2019-07-02", 3),
    ("EXTRACT(MONTH FROM c)", "DATE", "2019-07-02", 7),
    ("EXTRACT(DAY FROM c)", "DATE", "2019-07-02", 2),
    ("EXTRACT(DAY_HOUR FROM c)", "DATETIME", "2019-07-02 01:02:03", 201),
    ("EXTRACT(DAY_MINUTE FROM c)", "DATETIME", "2019-07-02 01:02:03", 20102),
    ("EXTRACT(DAY_SECOND FROM c)", "DATETIME", "2019-07-02 01:02:03", 2010203),
    ("EXTRACT(DAY_MICROSECOND FROM c)", "DATETIME(6)", "2019-07-02 01:02:03.123456", 2010203123456),
    ("EXTRACT(HOUR_MICROSECOND FROM c)", "TIME(6)", "01:02:03.123456", 10203123456),
    ("EXTRACT(HOUR_SECOND FROM c)", "TIME", "101:02:03", 1010203),
    ("EXTRACT(HOUR_MINUTE FROM c)", "TIME", "01:02:03", 102),
    ("EXTRACT(MINUTE_MICROSECOND FROM c)", "TIME(3)", "01:02:03.120", 203120000),
    ("EXTRACT(MINUTE_SECOND FROM c)", "DATETIME", "2019-07-02 01:02:03", 203),
    ("EXTRACT(SECOND_MICROSECOND FROM c)", "DATETIME(6)", "2003-01-02 10:30:07.000123", 7000123),
    ("EXTRACT(MICROSECOND FROM c)", "DATETIME(6)", "2003-01-02 10:30:00.000123", 123),
    ("EXTRACT(HOUR FROM c)", "TIME", "-00:00:01", 0),
    ("WEEKDAY(c)", "DATETIME", "2008-02-03 22:23:00", 6),
    ("WEEKDAY(c)", "DATE", "2007-11-06", 1),
    ("DAYOFWEEK(c)", "DATE", "2007-02-03", 7),
    ("DAYOFYEAR(c)", "DATE", "2007-02-03", 34),
    ("DAYOFMONTH(c)", "DATE", "2007-02-03", 3),
    ("DAY(c)", "DATE", "2007-02-03", 3),
    ("QUARTER(c)", "DATE", "2008-04-01", 2),
    ("MONTH(c)", "DATE", "2008-00-00", 0),
    ("YEAR(c)", "DATE", "0000-00-00", 0),
    ("HOUR(c)", "TIME", "272:59:59", 272),
    ("HOUR(c)", "TIME", "-01:00:00", 1),
    ("MINUTE(c)", "DATETIME", "2008-02-03 10:05:03", 5),
    ("SECOND(c)", "TIME", "10:05:03", 3),
    ("MICROSECOND(c)", "DATETIME(6)", "2019-12-31 23:59:59.000010", 10),
    ("TIME_TO_SEC(c)", "TIME", "22:23:00", 80580),
    ("TIME_TO_SEC(c)", "TIME", "-00:39:38", -2378),
    ("DATEDIFF(c, '2007-12-30')", "DATETIME", "2007-12-31 23:59:59", 1),
    ("DATEDIFF(c, '2010-12-31')", "DATETIME", "2010-11-30 23:59:59", -31),
    ("DATEDIFF(FROM_DAYS(c), '2000-07-02')", "INT", "730669", 1),
    ("UNIX_TIMESTAMP(c)", "TIMESTAMP", "2015-11-13 10:20:19", 1447410019),
    ("UNIX_TIMESTAMP(c)", "TIMESTAMP", "0000-00-00 00:00:00", 0),
    ("FLOOR(UNIX_TIMESTAMP(c))", "TIMESTAMP(3)", "2015-11-13 10:20:19.999", 1447410019),
    ("ABS(c)", "BIGINT", "-9223372036854775807", 9223372036854775807),
    ("CEILING(c)", "DECIMAL(9,2)", "-1.23", -1),
    ("CEILING(c)", "DECIMAL(9,2)", "1.23", 2),
    ("FLOOR(c)", "DECIMAL(9,2)", "-1.23", -2),
    ("MOD(c, 10)", "INT", "-234", -4),
    ("c MOD 7", "INT", "29", 1),
    ("c % 3", "BIGINT UNSIGNED", "18446744073709551615", 0),
    ("c DIV 2", "INT", "-5", -2),
    ("c DIV 0.5", "INT", "5", 10),
    ("+c * -2 + (3 - 1)", "INT", "5", -8),
    ("c - 1", "BIGINT UNSIGNED", "18446744073709551615", 18446744073709551614),
]
"""An expression of a column of a type, a value, and what it is."""

NULLS = [
    ("TO_DAYS(c)", "DATE", "2008-00-00"),
    ("TO_DAYS(c)", "DATE", "0000-00-00"),
    ("TO_SECONDS(c)", "DATE", "2008-01-00"),
    ("DAYOFYEAR(c)", "DATE", "0000-00-00"),
    ("WEEKDAY(c)", "DATE", "2008-00-01"),
    ("YEARWEEK(c)", "DATE", "2008-00-01"),
    ("DATEDIFF(c, '2007-12-30')", "DATE", "2008-00-01"),
    ("MOD(c, 0)", "INT", "1"),
    ("c DIV 0", "INT", "1"),
    ("c + NULL", "INT", "1"),
    ("YEAR(c)", "DATE", None),
    ("c * 2", "INT", None),
]
"""What is NULL."""


def place(expression: str, column_type: str, value: str | None, want: int | str) -> str | None:
    """`yes` where the expression has that value, else `no`."""
    by = f"LIST ({expression}) (PARTITION yes VALUES IN ({want}), PARTITION no DEFAULT)"
    table = last(folded(f"CREATE TABLE t (c {column_type}) PARTITION BY {by}"), "t")
    assert table.partitioning is not None
    placement = placement_of({"c": value}, table.partitioning, table.columns)
    assert placement.doubt is None
    return placement.likeliest


@pytest.mark.parametrize(("expression", "column_type", "value", "want"), CASES)
def test_extract_yearweek_and_all_that_tidb_allows(expression: str, column_type: str, value: str, want: int) -> None:
    assert place(expression, column_type, value, want) == "yes"
    assert place(expression, column_type, value, want + 1) == "no"


@pytest.mark.parametrize(("expression", "column_type", "value"), NULLS)
def test_what_is_null_of_a_partition_expression(expression: str, column_type: str, value: str | None) -> None:
    assert place(expression, column_type, value, "NULL") == "yes"
    by = f"RANGE ({expression}) (PARTITION low VALUES LESS THAN (-99), PARTITION high VALUES LESS THAN MAXVALUE)"
    table = last(folded(f"CREATE TABLE t (c {column_type}) PARTITION BY {by}"), "t")
    assert table.partitioning is not None
    assert placement_of({"c": value}, table.partitioning, table.columns).likeliest == "low"
    table = last(folded(f"CREATE TABLE t (c {column_type}) PARTITION BY HASH ({expression}) PARTITIONS 4"), "t")
    assert table.partitioning is not None
    assert placement_of({"c": value}, table.partitioning, table.columns).likeliest == "p0"


@pytest.mark.parametrize(
    "bound",
    [
        "TO_DAYS('2024-01-01')",
        "TO_DAYS('2024/1/1')",
        "TO_DAYS('240101')",
        "TO_DAYS(20240101)",
        "TO_DAYS(DATE '2024-01-01')",
        "TO_DAYS(_UTF8MB4'2024-01-01')",
        "TO_DAYS('2023-12-31') + 1",
        "739251",
    ],
)
def test_bounds_as_ddl_writes_them(bound: str) -> None:
    assert place("TO_DAYS(c)", "DATE", "2024-01-01", bound) == "yes"
