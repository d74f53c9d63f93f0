"""RANGE and LIST COLUMNS of a text, by each collation of TiDB; what decides is certain, or there is a doubt."""

from __future__ import annotations

import pytest
from support.catalogue import folded, last

from ticdc_udfs.catalogue.partitions import Placement, placement_of

CI = ("utf8mb4_general_ci", "utf8_general_ci", "utf8mb4_unicode_ci", "utf8_unicode_ci", "utf8mb4_0900_ai_ci")
CHINESE = ("gbk_chinese_ci", "gb18030_chinese_ci")
BINARY = ("utf8mb4_bin", "utf8_bin", "latin1_bin", "ascii_bin", "gbk_bin", "gb18030_bin", "utf8mb4_0900_bin")


def placed(collation: str, by: str, value: str | None) -> Placement:
    text = f"CREATE TABLE t (c VARCHAR(20) COLLATE {collation}) PARTITION BY {by}"
    table = last(folded(text), "t")
    assert table.partitioning is not None
    return placement_of({"c": value}, table.partitioning, table.columns)


def below(collation: str, value: str, bound: str) -> bool | str | None:
    """Whether a value is below a bound, or the doubt."""
    parts = f"(PARTITION low VALUES LESS THAN ('{bound}'), PARTITION high VALUES LESS THAN (MAXVALUE))"
    found = placed(collation, f"RANGE COLUMNS (c) {parts}", value)
    return found.doubt or found.likeliest == "low"


def listed(collation: str, value: str | None, *texts: str) -> str | None:
    """The partition of the list that has a value, or the doubt."""
    parts = [f"PARTITION `{place}` VALUES IN ('{text}')" for place, text in enumerate(texts)]
    found = placed(collation, f"LIST COLUMNS (c) ({', '.join(parts)}, PARTITION rest DEFAULT)", value)
    return found.doubt or found.likeliest


@pytest.mark.parametrize("collation", [*CI, *CHINESE, *BINARY])
def test_a_list_of_texts_with_a_hyphen_a_dot_or_a_space(collation: str) -> None:
    regions = ("eu-west", "us.east", "ap south", "中国" if collation not in ("ascii_bin", "latin1_bin") else "cn")
    assert [listed(collation, region, *regions) for region in (*regions, "eu-east", None)] == [*"0123", "rest", "rest"]
    upper = "rest" if collation.endswith("_bin") else "0"
    assert listed(collation, "EU-WEST", *regions) == upper
    assert listed(collation, "eu-west ", *regions) == ("rest" if "_0900_" in collation else "0")


@pytest.mark.parametrize("collation", [*CI, *CHINESE])
@pytest.mark.parametrize(
    ("value", "bound", "want"),
    [
        ("b", "C", True),
        ("B", "b", False),
        ("a-b", "a-c", True),
        ("eu-west", "eu-x", True),
        ("9", "a", True),
        ("a b", "ab", True),
        ("a.", "a1", True),
        ("", "a", True),
        ("ab", "a", False),
        ("Z", "中", True),
    ],
)
def test_ascii_is_certain_whatever_the_case(collation: str, value: str, bound: str, want: bool) -> None:
    assert below(collation, value, bound) is want


@pytest.mark.parametrize(
    ("collation", "value", "bound", "want"),
    [
        # the order of signs: by code point, or by the Unicode Collation Algorithm
        ("utf8mb4_general_ci", "_", "a", False),
        ("utf8mb4_general_ci", "-", ".", True),
        ("utf8mb4_general_ci", "{", "z", False),
        ("utf8mb4_unicode_ci", "_", "a", True),
        ("utf8mb4_unicode_ci", "_", "-", True),
        ("utf8mb4_unicode_ci", "~", "0", True),
        ("utf8mb4_unicode_ci", "`", "_", True),
        ("utf8mb4_0900_ai_ci", "`", "_", False),
        ("utf8mb4_0900_ai_ci", "$", "0", True),
        ("utf8mb4_0900_ai_ci", "a\x01", "ab", True),
        # letters with marks
        ("utf8mb4_general_ci", "É", "f", True),
        ("utf8mb4_general_ci", "ß", "t", True),
        ("utf8mb4_general_ci", "Ж", "з", True),
        ("utf8mb4_unicode_ci", "é", "f", True),
        ("utf8mb4_0900_ai_ci", "ő", "p", True),
        ("utf8mb4_0900_ai_ci", "中", "丱", True),
        ("utf8mb4_general_ci", "😀", "中", False),
        # not known: told, unless something else decides
        ("utf8mb4_unicode_ci", "ж", "m", "collation"),
        ("utf8mb4_unicode_ci", "bж", "m", True),
        ("utf8mb4_unicode_ci", "жa", "жb", True),
        ("gbk_chinese_ci", "中", "文", "collation"),
        ("gbk_chinese_ci", "中", "z", False),
        ("gbk_chinese_ci", "~", "z", "collation"),
        ("gbk_bin", "中", "文", False),
        ("gb18030_bin", "中", "z", False),
        # a collation that is not known
        ("utf8mb4_unicode_520_ci", "a", "b", "collation"),
        # PAD SPACE, or not
        ("utf8mb4_bin", "m ", "m", False),
        ("utf8mb4_bin", "l", "m ", True),
        ("utf8mb4_0900_bin", "m", "m ", True),
        ("utf8mb4_0900_ai_ci", "m", "m ", True),
        ("utf8mb4_general_ci", "m", "m ", False),
    ],
)
def test_texts_compare_as_tidb_compares_them(collation: str, value: str, bound: str, want: bool | str) -> None:
    assert below(collation, value, bound) == want


def test_equal_bytes_are_equal_in_a_collation_that_is_not_known() -> None:
    assert listed("utf8mb4_unicode_520_ci", "x-ж", "x-ж", "y") == "0"
    assert listed("utf8mb4_unicode_520_ci", "X-ж", "x-ж", "y") == "collation"


def test_one_bound_that_is_not_known_leaves_rows_elsewhere_certain() -> None:
    by = (
        "RANGE COLUMNS (c) (PARTITION p1 VALUES LESS THAN ('b'), PARTITION p2 VALUES LESS THAN ('ж'), "
        "PARTITION p3 VALUES LESS THAN ('中'), PARTITION p4 VALUES LESS THAN (MAXVALUE))"
    )
    assert placed("utf8mb4_unicode_ci", by, "a") == ("p1", frozenset({"p1"}), None)
    assert placed("utf8mb4_unicode_ci", by, "c") == ("p2", frozenset({"p2", "p3"}), "collation")
    assert placed("utf8mb4_unicode_ci", by, "丱") == ("p4", frozenset({"p4"}), None)
    assert placed("utf8mb4_unicode_ci", by, None) == ("p1", frozenset({"p1"}), None)
