"""Backslashes in DDL text: TiDB restores those of value literals doubled, and those of labels as they are."""

from __future__ import annotations

import pytest
from support.catalogue import column, folded, last, versions_of

from ticdc_udfs.catalogue.partitions import partition_of
from ticdc_udfs.catalogue.projection import project


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r"_UTF8MB4'x\\'", "x\\"),
        (r"_UTF8MB4'a\\nb'", r"a\nb"),
        (r"_UTF8MB4'\\\\'", r"\\"),
        (r"_UTF8MB4'it''s \\'", "it's \\"),
        # as a user typed them
        (r"'a\nb'", "a\nb"),
        (r"'it\'s'", "it's"),
    ],
)
def test_a_default_has_half_of_the_backslashes_of_its_literal(literal: str, value: str) -> None:
    result = folded("CREATE TABLE t (id INT PRIMARY KEY)", f"ALTER TABLE t ADD COLUMN a VARCHAR(40) DEFAULT {literal}")
    versions = [version.columns for version in versions_of(result, "t")]
    assert project({"id": "1"}, versions).row == {"id": "1", "a": value}
    assert result.problems == ()


def test_labels_keep_their_backslashes() -> None:
    result = folded(
        r"CREATE TABLE t (`e` ENUM('back\s','a\nb') NOT NULL DEFAULT _UTF8MB4'back\\s' COMMENT 'x\\y',`s` SET('\'))"
    )
    version = last(result, "t")
    assert column(version, "e").type == r"enum('back\s','a\nb')"
    assert column(version, "e").default == r"back\s"
    assert column(version, "s").type == r"set('\')"


def test_values_of_partitions_have_half_of_the_backslashes_of_their_literals() -> None:
    result = folded(
        r"CREATE TABLE t (a VARCHAR(9) PRIMARY KEY) PARTITION BY LIST COLUMNS (`a`) "
        r"(PARTITION `p0` VALUES IN (_UTF8MB4'x\\', _UTF8MB4'y'), PARTITION `p1` VALUES IN (_UTF8MB4'it''s\\\\'))"
    )
    version = last(result, "t")
    assert version.partitioning is not None
    found = [partition_of({"a": text}, version.partitioning, version.columns) for text in ("x\\", "it's\\\\", r"x\\")]
    assert found == ["p0", "p1", None]
