"""The Spark types of typed columns."""

from __future__ import annotations

import pytest

from ticdc_udfs.typed.types import BARE_TYPES, Digits, spark_type, told_type

# Upstream type, digits seen before and after the point, Spark type.
TYPES: tuple[tuple[str, tuple[int, int] | None, str], ...] = (
    ("tinyint", None, "tinyint"),
    ("tinyint(1) unsigned", None, "smallint"),
    ("smallint unsigned", None, "int"),
    ("mediumint unsigned", None, "int"),
    ("int", None, "int"),
    ("int(10) unsigned zerofill", None, "bigint"),
    ("bigint", None, "bigint"),
    ("BIGINT UNSIGNED", None, "decimal(20,0)"),
    ("decimal(10,2)", (30, 9), "decimal(10,2)"),
    ("decimal(38)", None, "decimal(38,0)"),
    ("decimal(65,30)", None, "string"),
    ("decimal", None, "decimal(38,0)"),
    ("decimal", (20, 6), "decimal(38,6)"),
    ("decimal unsigned", (35, 4), "string"),
    ("decimal(5,10)", None, "string"),
    ("decimal(0,0)", None, "string"),
    ("bit(1)", None, "bigint"),
    ("bit(64)", None, "decimal(20,0)"),
    ("bit", (18, 0), "bigint"),
    ("bit", (19, 0), "decimal(20,0)"),
    ("float", None, "float"),
    ("double unsigned", None, "double"),
    ("char(3)", None, "string"),
    ("longtext", None, "string"),
    ("enum('int(1)','date')", None, "string"),
    ("set('a','b')", None, "array<string>"),
    ("binary(3)", None, "binary"),
    ("varbinary(255)", None, "binary"),
    ("mediumblob", None, "binary"),
    ("date", None, "date"),
    ("datetime(6)", None, "timestamp_ntz"),
    ("timestamp(3)", None, "timestamp"),
    ("time", None, "string"),
    ("year(4)", None, "int"),
    ("json", None, "string"),
    ("vector(3)", None, "array<float>"),
    ("geometry", None, "string"),
)


@pytest.mark.parametrize(
    ("upstream", "seen", "spark"), TYPES, ids=[f"{of} {seen or ''}".strip() for of, seen, _ in TYPES]
)
def test_the_spark_type_of_an_upstream_type(upstream: str, seen: tuple[int, int] | None, spark: str) -> None:
    assert spark_type(upstream, Digits(*seen) if seen else None) == spark


@pytest.mark.parametrize("upstream", BARE_TYPES)
def test_without_a_precision_only_what_was_observed_gives_a_type(upstream: str) -> None:
    assert told_type(upstream, None) == "string"
    assert told_type(upstream, Digits(1, 0)) == spark_type(upstream, Digits(1, 0)) != "string"


def test_a_label_that_looks_like_a_type_is_none() -> None:
    assert spark_type("enum('decimal(1,1)',' unsigned')") == "string"
    assert spark_type("set('binary')") == "array<string>"
