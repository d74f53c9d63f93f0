"""Rows as later versions of their table show them: the columns, the key, and each rule of conversion."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalogue import folded, versions_of

from ticdc_udfs.catalogue.conversions import conversion
from ticdc_udfs.catalogue.projection import (
    Projected,
    key_of,
    project,
    project_batch,
    same_key,
    touches_rows,
)
from ticdc_udfs.catalogue.tables import Column

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), b INT)"
ROW: dict[str, str | None] = {"id": "1", "a": "x", "b": "7"}
FLAG = "not_converted"


def chain(*ddl: str) -> list[tuple[Column, ...]]:
    """The columns of all versions of the table `t` that texts of DDL give."""
    return [version.columns for version in versions_of(folded(*ddl), "t")]


def after(*ddl: str, row: dict[str, str | None] = ROW) -> Projected:
    """The row, written before this DDL, as it is after it."""
    return project(row, chain(CREATE, *ddl))


def as_text(versions: list[tuple[Column, ...]]) -> str:
    return json.dumps([[column._asdict() for column in version] for version in versions])


def converted(old: str, new: str, text: str, *, collations: tuple[str | None, str | None] = (None, None)) -> str | None:
    """What a value becomes; 'not certain' where that is not told."""
    columns = (Column(1, "c", kind, collation=by) for kind, by in zip((old, new), collations, strict=True))
    convert = conversion(*columns)
    if convert is None:
        return text
    try:
        return convert(text)
    except (ValueError, ArithmeticError):
        return "not certain"


# Columns


def test_no_ddl_keeps_the_row() -> None:
    assert after() == Projected(ROW)


def test_an_added_column_has_its_default_in_old_rows_and_its_place() -> None:
    assert next(iter(after("ALTER TABLE t ADD COLUMN c INT DEFAULT 5 FIRST").row.items())) == ("c", "5")
    row = after("ALTER TABLE t ADD COLUMN c DECIMAL(5,2) NOT NULL AFTER id").row
    assert list(row.items()) == [("id", "1"), ("c", "0.00"), ("a", "x"), ("b", "7")]


def test_a_later_default_touches_no_old_row() -> None:
    added = "ALTER TABLE t ADD COLUMN c INT DEFAULT 5"
    assert after(added, "ALTER TABLE t ALTER COLUMN c SET DEFAULT 9").row["c"] == "5"
    assert after("ALTER TABLE t ALTER COLUMN b SET DEFAULT 9") == Projected(ROW)


def test_an_added_columns_value_converts_with_its_type() -> None:
    added = "ALTER TABLE t ADD COLUMN c INT DEFAULT 5"
    assert after(added, "ALTER TABLE t MODIFY COLUMN c DECIMAL(5,1)").row["c"] == "5.0"


def test_a_computed_default_is_not_told() -> None:
    assert after("ALTER TABLE t ADD COLUMN c VARCHAR(36) DEFAULT (uuid())") == Projected(
        {**ROW, "c": None}, (f"c:{FLAG}",)
    )


def test_a_dropped_column_goes_and_one_of_its_name_is_another() -> None:
    assert after("ALTER TABLE t DROP COLUMN a").row == {"id": "1", "b": "7"}
    again = after("ALTER TABLE t DROP COLUMN a", "ALTER TABLE t ADD COLUMN a VARCHAR(10) DEFAULT 'new'")
    assert again.row == {"id": "1", "b": "7", "a": "new"}


def test_a_renamed_column_carries_on_and_swapped_names_swap() -> None:
    assert after("ALTER TABLE t RENAME COLUMN a TO z").row == {"id": "1", "z": "x", "b": "7"}
    swapped = after(
        "ALTER TABLE t RENAME COLUMN a TO z", "ALTER TABLE t CHANGE b a INT", "ALTER TABLE t CHANGE z b TEXT"
    )
    assert swapped.row == {"id": "1", "b": "x", "a": "7"}


def test_a_type_converts_step_by_step() -> None:
    half = {**ROW, "a": "2.5"}
    steps = ("ALTER TABLE t MODIFY a INT", "ALTER TABLE t MODIFY a DECIMAL(6,2)")
    assert after(*steps, row=half).row["a"] == "3.00"
    assert after(*steps[1:], row=half).row["a"] == "2.50"


def test_what_cannot_be_converted_keeps_its_text_and_is_flagged() -> None:
    noon = {**ROW, "b": "12:00:00"}
    time = ("ALTER TABLE t MODIFY b TIME", "ALTER TABLE t CHANGE b z DATETIME")
    assert project(noon, chain(CREATE, *time)[1:]) == Projected({"id": "1", "a": "x", "z": "12:00:00"}, (f"z:{FLAG}",))
    assert after("ALTER TABLE t MODIFY a DATE", row={**ROW, "a": None}) == Projected({**ROW, "a": None})


def test_flags_follow_their_columns() -> None:
    flags = ("a:label_unknown", "b:zero_date", "*:claim_check", "?:no_schema")
    versions = chain(CREATE, "ALTER TABLE t RENAME COLUMN a TO z", "ALTER TABLE t DROP COLUMN b")
    assert project(ROW, versions, flags).lossy == ("z:label_unknown", "*:claim_check", "?:no_schema")
    assert project(ROW, [(), ()], flags).lossy == flags


def test_virtual_columns_are_not_in_rows() -> None:
    assert after("ALTER TABLE t ADD COLUMN v INT AS (b + 1) VIRTUAL") == Projected(ROW)
    versions = chain("CREATE TABLE t (id INT PRIMARY KEY, v INT AS (id + 1) VIRTUAL)", "ALTER TABLE t ADD c INT")
    assert project({"id": "1", "v": "2"}, versions) == Projected({"id": "1", "c": None})


def test_a_stored_generated_column_that_old_rows_lack_is_not_told() -> None:
    assert after("ALTER TABLE t ADD COLUMN s INT AS (b + 1) STORED").lossy == (f"s:{FLAG}",)


def test_an_image_of_key_columns_stays_one() -> None:
    image: dict[str, str | None] = {"id": "1"}
    assert after("ALTER TABLE t RENAME COLUMN id TO k", row=image).row == {"k": "1"}
    assert after("ALTER TABLE t ADD COLUMN c INT DEFAULT 5", row=image).row == {"id": "1", "c": "5"}


def test_a_column_that_no_version_knows_stays_flagged() -> None:
    assert project({**ROW, "?": "1"}, chain(CREATE)) == Projected({**ROW, "?": "1"}, (f"?:{FLAG}",))


def test_rows_of_versions_without_columns_stay_as_they_are() -> None:
    assert project(ROW, [(), ()]) == Projected(ROW)
    assert project(ROW, [(), *chain(CREATE)]) == Projected(ROW, (f"*:{FLAG}",))


# Keys


def test_the_key_is_in_table_order() -> None:
    (columns,) = chain("CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (c, a))")
    assert key_of({"a": "1", "b": "2", "c": "3"}, columns) == b'{"a":"1","c":"3"}'


def test_a_table_without_key_has_its_whole_rows_as_keys() -> None:
    (columns,) = chain("CREATE TABLE t (a INT, b INT)")
    assert key_of({"a": "1", "b": None}, columns) == b'{"a":"1","b":null}'


@pytest.mark.parametrize(
    ("create", "ddl", "same"),
    [
        (CREATE, "ALTER TABLE t ADD COLUMN c INT", True),
        (CREATE, "ALTER TABLE t DROP COLUMN a", True),
        (CREATE, "ALTER TABLE t MODIFY id BIGINT", True),
        (CREATE, "ALTER TABLE t MODIFY id VARCHAR(20)", False),
        (CREATE, "ALTER TABLE t RENAME COLUMN id TO k", False),
        (CREATE, "ALTER TABLE t DROP PRIMARY KEY", False),
        ("CREATE TABLE t (a INT NOT NULL, b INT NOT NULL)", "ALTER TABLE t ADD PRIMARY KEY (a)", False),
        ("CREATE TABLE t (a INT, b INT)", "ALTER TABLE t ADD COLUMN c INT", False),
        ("CREATE TABLE t (a INT, b INT)", "ALTER TABLE t MODIFY b BIGINT", True),
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))", "ALTER TABLE t MODIFY a INT AFTER b", False),
    ],
)
def test_whether_keys_stay_the_same(create: str, ddl: str, same: bool) -> None:
    old, new = chain(create, ddl)
    assert same_key(old, new) is same


@pytest.mark.parametrize(
    ("ddl", "touched"),
    [
        ("ALTER TABLE t MODIFY b BIGINT", False),
        ("ALTER TABLE t MODIFY a VARCHAR(20)", False),
        ("ALTER TABLE t MODIFY a TEXT", False),
        ("ALTER TABLE t ALTER COLUMN b SET DEFAULT 4", False),
        ("ALTER TABLE t ADD COLUMN v INT AS (b) VIRTUAL", False),
        ("ALTER TABLE t MODIFY b SMALLINT", True),
        ("ALTER TABLE t MODIFY b INT FIRST", True),
        ("ALTER TABLE t ADD COLUMN c INT", True),
        ("ALTER TABLE t RENAME COLUMN a TO z", True),
        ("ALTER TABLE t DROP COLUMN b", True),
    ],
)
def test_whether_rows_are_touched(ddl: str, touched: bool) -> None:
    old, new = chain(CREATE, ddl)
    assert touches_rows(old, new) is touched


# Conversions

UNSURE = "not certain"


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("int(11)", "bigint(20) unsigned", "5", "5"),
        ("int(11)", "bigint(20) unsigned", "-5", "0"),
        ("bigint(20)", "tinyint(4)", "127", "127"),
        ("bigint(20)", "tinyint(4)", "128", "127"),
        ("bigint(20) unsigned", "bigint(20)", "18446744073709551615", "9223372036854775807"),
        # as messages tell it
        ("int unsigned zerofill", "int(11)", "4294967295", "2147483647"),
        ("bigint(20)", "int(10) unsigned zerofill", "4294967295", "4294967295"),
        ("int(11)", "bit(4)", "15", "15"),
        ("int(11)", "bit(4)", "16", "15"),
        ("int(11)", "decimal(6,2)", "-12", "-12.00"),
        ("int(11)", "decimal(3,2)", "12", "9.99"),
        ("int(11)", "varchar(11)", "-12", "-12"),
        ("int(11)", "char(1)", "12", "1"),
        ("int(11)", "varbinary(5)", "12", "MTI="),
        ("bigint(20)", "double", "9007199254740993", "9007199254740992"),
        ("bigint(20)", "float", "16777217", "16777216"),
        ("int(11)", "year(4)", "69", "2069"),
        ("int(11)", "year(4)", "0", "0000"),
        ("int(11)", "year(4)", "1900", "1901"),
        ("int(11)", "date", "20240131", "2024-01-31"),
        ("int(11)", "date", "20240132", "0000-00-00"),
        ("bigint(20)", "datetime(3)", "20240131020304", "2024-01-31 02:03:04.000"),
        ("int(11)", "time", "-10203", "-01:02:03"),
        ("int(11)", "enum('a','b')", "2", "b"),
        ("int(11)", "enum('a','b')", "0", ""),
        ("int(11)", "set('a','b')", "3", "a,b"),
        ("int(11)", "json", "7", "7"),
        ("bit(4)", "bit(8)", "9", "9"),
        ("bit(8)", "int(11)", "200", "200"),
        ("bit(8)", "varchar(3)", "200", "200"),
    ],
)
def test_whole_numbers(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("decimal(10,2)", "decimal(12,2)", "1.50", "1.50"),
        ("decimal(10,2)", "decimal(12,4)", "1.50", "1.5000"),
        ("decimal(10,2)", "decimal(10,1)", "1.25", "1.3"),
        ("decimal(10,2)", "decimal(10,1)", "-1.25", "-1.3"),
        ("decimal(10,2)", "decimal(10,1)", "-0.04", "0.0"),
        ("decimal(10,2)", "decimal(3,2)", "9.99", "9.99"),
        ("decimal(10,4)", "decimal(3,2)", "9.9951", "9.99"),
        ("decimal(65,30)", "decimal(65,29)", "1" * 35 + "." + "1" * 29 + "5", "1" * 35 + "." + "1" * 28 + "2"),
        ("decimal(10,2) unsigned", "decimal(10,2)", "1.00", "1.00"),
        ("decimal(10,2)", "decimal(10,2) unsigned", "-1.00", "0.00"),
        ("decimal(10,2)", "decimal(5)", "2.50", "3"),
        ("decimal(10,2)", "int(11)", "2.50", "3"),
        ("decimal(10,2)", "int(11)", "-2.50", "-3"),
        ("decimal(10,2)", "int(11)", "-0.40", "0"),
        ("decimal(10,2)", "varchar(10)", "2.50", "2.50"),
        ("decimal(10,2)", "double", "2.50", "2.5"),
        ("decimal(10,2)", "datetime", "2.50", UNSURE),
        ("double", "int(11)", "2.5", "2"),
        ("double", "int(11)", "3.5", "4"),
        ("double", "decimal(6,1)", "0.25", "0.3"),
        ("double", "float", "0.1", "0.1"),
        ("double", "float", "1e39", "340282350000000000000000000000000000000"),
        ("double", "varchar(20)", "0.1", "0.1"),
        ("float", "double", "0.1", "0.10000000149011612"),
        ("float", "decimal(20,10)", "0.1", "0.1000000015"),
        ("double", "double(5,2)", "1.005", "1"),
        ("double", "double(5,2)", "1000", "999.99"),
        ("double", "double unsigned", "-1", "0"),
        ("double", "json", "0.5", "0.5"),
    ],
)
def test_numbers_with_fractions(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("varchar(10)", "varchar(5)", "abcde", "abcde"),
        ("varchar(10)", "varchar(5)", "abcdef", "abcde"),
        ("varchar(10)", "varchar(5)", "abc    ", "abc  "),
        ("varchar(10)", "varchar(2)", "日本", "日本"),
        ("varchar(10)", "char(10)", "ab  ", "ab"),
        ("char(10)", "varchar(10)", "ab", "ab"),
        ("text", "varchar(3)", "abc", "abc"),
        ("text", "tinytext", "é" * 127, "é" * 127),
        ("text", "tinytext", "a" + "é" * 128, "a" + "é" * 127),
        ("varchar(10)", "text", "ab ", "ab "),
        ("varchar(20)", "int(11)", " 12 ", "12"),
        ("varchar(20)", "int(11)", "1.5", "2"),
        ("varchar(20)", "int(11)", "-0.5abc", "-1"),
        ("varchar(20)", "int(11)", "txt", "0"),
        ("varchar(20)", "int(11)", "", "0"),
        ("varchar(20)", "tinyint(4)", "128", "127"),
        ("varchar(20)", "int(11)", "1e2", "100"),
        ("varchar(20)", "int(11)", "١", "0"),
        ("varchar(20)", "decimal(5,1)", "1.25", "1.3"),
        ("varchar(20)", "double", "-1e2", "-100"),
        ("varchar(20)", "double", "nan", "0"),
        ("varchar(20)", "year(4)", "2024", "2024"),
        ("varchar(20)", "year(4)", "00", "2000"),
        ("varchar(20)", "bit(8)", "1", UNSURE),
        ("varchar(20)", "date", "2024-01-31", "2024-01-31"),
        ("varchar(20)", "date", "2024-02-31", UNSURE),
        ("varchar(20)", "date", "2024-01-31 23:59:59", "2024-01-31"),
        ("varchar(30)", "date", "2024-01-31 23:59:59.9", "2024-02-01"),
        ("varchar(30)", "datetime(1)", "2024-1-31 23:59:59.95", "2024-02-01 00:00:00.0"),
        ("varchar(30)", "datetime", "2024-01-31", "2024-01-31 00:00:00"),
        ("varchar(30)", "datetime", "31.1.2024", "0000-00-00 00:00:00"),
        ("varchar(30)", "timestamp", "2024-01-31 00:00:00", UNSURE),
        ("varchar(30)", "time(1)", "-01:02:03.45", "-01:02:03.5"),
        ("varchar(30)", "enum('a','b')", "b", "b"),
        ("varchar(30)", "enum('a','b')", "c", ""),
        ("varchar(30)", "set('a','b')", "b,a", "a,b"),
        ("varchar(30)", "set('a','b')", "c", ""),
        ("text", "json", '{"b":[1,true],  "a":"é"}', '{"a": "é", "b": [1, true]}'),
        ("text", "json", '{"a": 0.5}', '{"a": 0.5}'),
        ("text", "json", '"<"', '"<"'),
        ("text", "json", "[", UNSURE),
        ("json", "text", '{"a": 1}', '{"a": 1}'),
        ("json", "int(11)", "12", "12"),
        ("json", "int(11)", '"12"', "12"),
    ],
)
def test_texts(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("varchar(9)", "varbinary(9)", "é", "w6k="),
        ("varchar(9)", "binary(4)", "é", "w6kAAA=="),
        ("varchar(9)", "varbinary(1)", "é", "ww=="),
        ("binary(2)", "binary(4)", "YWI=", "YWIAAA=="),
        ("binary(2)", "varbinary(4)", "YWI=", "YWI="),
        ("varbinary(9)", "binary(2)", "YWI=", "YWI="),
        ("blob", "varbinary(1)", "YWI=", "YQ=="),
        ("varbinary(9)", "blob", "YWI=", "YWI="),
        ("blob", "text", "w6k=", "é"),
        ("blob", "text", "/w==", ""),
        ("varbinary(9)", "int(11)", "MTI=", "12"),
        ("date", "varbinary(10)", "2024-01-31", "MjAyNC0wMS0zMQ=="),
    ],
)
def test_binaries_are_base64(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


@pytest.mark.parametrize(
    ("collations", "text", "want"),
    [
        (("utf8mb4_bin", "utf8mb4_general_ci"), "日", "日"),
        (("utf8mb4_bin", "utf8_bin"), "日", "日"),
        (("utf8mb4_bin", "utf8_bin"), "😀", UNSURE),
        (("utf8mb4_bin", "ascii_bin"), "é", "?"),
        (("utf8mb4_bin", "gbk_chinese_ci"), "a", "a"),
        (("utf8mb4_bin", "gbk_chinese_ci"), "日", UNSURE),
        (("gbk_chinese_ci", "utf8mb4_bin"), "日", "日"),
        (("gbk_bin", "gbk_chinese_ci"), "日", "日"),
    ],
)
def test_character_sets(collations: tuple[str, str], text: str, want: str) -> None:
    assert converted("varchar(9)", "varchar(9)", text, collations=collations) == want


def test_the_bytes_of_a_character_set_that_is_not_utf8_are_not_told() -> None:
    assert converted("varchar(9)", "varbinary(9)", "日", collations=("gbk_chinese_ci", None)) == UNSURE


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("datetime(6)", "datetime(3)", "2023-12-31 23:59:59.999500", "2024-01-01 00:00:00.000"),
        ("datetime(6)", "datetime", "2024-01-01 00:00:00.499999", "2024-01-01 00:00:00"),
        ("datetime", "datetime(2)", "2024-01-01 00:00:00", "2024-01-01 00:00:00.00"),
        ("datetime", "datetime(2)", "0000-00-00 00:00:00", "0000-00-00 00:00:00.00"),
        ("datetime(1)", "datetime", "9999-12-31 23:59:59.9", UNSURE),
        ("timestamp(3)", "timestamp(1)", "2024-01-01 00:00:00.950", "2024-01-01 00:00:01.0"),
        ("timestamp", "datetime", "2024-01-01 00:00:00", UNSURE),
        ("datetime", "timestamp", "2024-01-01 00:00:00", UNSURE),
        ("timestamp", "varchar(30)", "2024-01-01 00:00:00", UNSURE),
        ("timestamp", "bigint(20)", "2024-01-01 00:00:00", UNSURE),
        ("datetime(1)", "date", "2024-01-01 23:59:59.9", "2024-01-01"),
        ("date", "datetime(1)", "2024-01-01", "2024-01-01 00:00:00.0"),
        ("date", "int(11)", "2024-01-31", "20240131"),
        ("datetime(1)", "bigint(20)", "2024-01-31 23:59:59.9", "20240201000000"),
        ("datetime(1)", "bigint(20) unsigned", "2024-01-31 23:59:59.9", "20240131235960"),
        ("datetime(1)", "decimal(20,1)", "2024-01-31 23:59:59.9", "20240131235959.9"),
        ("datetime", "time", "2024-01-31 23:59:58", "23:59:58"),
        ("datetime(1)", "time", "2024-01-31 23:59:59.9", "24:00:00"),
        ("datetime", "year(4)", "2024-01-31 23:59:59", "2024"),
        ("datetime", "varchar(30)", "2024-01-31 23:59:59", "2024-01-31 23:59:59"),
        ("date", "time", "2024-01-31", "00:00:00"),
        ("time(2)", "time(1)", "-838:59:58.95", "-838:59:58.9"),
        ("time(1)", "time", "838:59:59.5", "838:59:59"),
        ("time(1)", "time", "-00:00:00.4", "00:00:00"),
        ("time(1)", "int(11)", "-01:02:03.5", "-10203"),
        ("time", "datetime", "01:02:03", UNSURE),
        ("time", "varchar(10)", "-01:02:03", "-01:02:03"),
        ("year(4)", "int(11)", "0000", "0"),
        ("year(4)", "varchar(4)", "2024", "2024"),
        ("year(4)", "varchar(4)", "0000", "0"),
        ("year(4)", "date", "2024", "0000-00-00"),
    ],
)
def test_dates_and_times(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


@pytest.mark.parametrize(
    ("old", "new", "text", "want"),
    [
        ("enum('a','b')", "enum('a','b','c')", "b", "b"),
        ("enum('a','b')", "enum('b','a')", "b", "b"),
        ("enum('a','b')", "enum('a','c')", "b", ""),
        ("enum('a','b')", "enum('a','c')", "", ""),
        ("enum('a','b')", "varchar(5)", "b", "b"),
        ("enum('a','b')", "int(11)", "b", "2"),
        ("enum('a','b')", "set('b','a')", "b", "b"),
        ("enum('a','b')", "date", "b", UNSURE),
        ("set('a','b')", "set('b','a')", "a,b", "b,a"),
        ("set('a','b')", "set('a','c')", "a,b", ""),
        ("set('a','b')", "set('c','a','b')", "a,b", "a,b"),
        ("set('a','b')", "int(11)", "a,b", "3"),
        ("set('a','b')", "int(11)", "", "0"),
        ("set('a','b')", "enum('b')", "b", "b"),
        ("set('a','b')", "varchar(5)", "a,b", "a,b"),
    ],
)
def test_enums_and_sets_go_by_labels(old: str, new: str, text: str, want: str) -> None:
    assert converted(old, new, text) == want


def test_vectors_become_nothing_else() -> None:
    assert converted("vector(2)", "vector(2)", "[1,2]") == "[1,2]"
    assert converted("vector(2)", "text", "[1,2]") == UNSURE
    assert converted("text", "vector(2)", "[1,2]") == UNSURE


# Batches


def batch(rows: list[str | None], chains: list[str | None]) -> list[dict[str, Any]]:
    return list(project_batch(pa.array(rows, pa.string()), pa.array(chains, pa.string())).to_pylist())


def test_a_batch_projects_each_row_by_its_chain() -> None:
    versions = chain(CREATE, "ALTER TABLE t ADD COLUMN c INT DEFAULT 5", "ALTER TABLE t MODIFY a JSON")
    row = '{"id":"1","a":"x","b":"7"}'
    same, added, typed = batch([row] * 3, [as_text(versions[:1]), as_text(versions[:2]), as_text(versions)])
    assert same == {"row": row, "row_key": '{"id":"1"}', "lossy": []}
    assert added == {"row": row[:-1] + ',"c":"5"}', "row_key": '{"id":"1"}', "lossy": []}
    assert typed == {**added, "lossy": [f"a:{FLAG}"]}


def test_a_batch_takes_members_that_are_left_out() -> None:
    (got,) = batch(['{"id":"1"}'], ['[[{"column_id":1,"name":"id","type":"int(11)","key":1}]]'])
    assert got == {"row": '{"id":"1"}', "row_key": '{"id":"1"}', "lossy": []}


def test_a_batch_gives_whole_rows_as_keys_where_there_is_none() -> None:
    (got,) = batch(['{"a":"1"}'], [as_text(chain("CREATE TABLE t (a INT)"))])
    assert got == {"row": '{"a":"1"}', "row_key": '{"a":"1"}', "lossy": ["*:no_key"]}


def test_a_batch_says_again_whether_there_is_a_key() -> None:
    versions = chain("CREATE TABLE t (a INT NOT NULL)", "ALTER TABLE t ADD PRIMARY KEY (a)")
    rows, flags = pa.array(['{"a":"1"}'] * 2), pa.array([["*:no_key", "a:zero_date"]] * 2)
    old, new = project_batch(rows, pa.array([as_text(versions[:1]), as_text(versions)]), flags).to_pylist()
    assert old["lossy"] == ["a:zero_date", "*:no_key"]
    assert new == {"row": '{"a":"1"}', "row_key": '{"a":"1"}', "lossy": ["a:zero_date"]}


def test_a_batch_leaves_the_key_to_the_wire_where_columns_are_not_known() -> None:
    assert batch(['{"a":"1"}'], ["[[],[]]"]) == [{"row": '{"a":"1"}', "row_key": None, "lossy": []}]


def test_a_batch_has_nothing_for_null() -> None:
    nothing = {"row": None, "row_key": None, "lossy": None}
    assert batch([None, "{}"], [as_text(chain(CREATE)), None]) == [nothing, nothing]


_TYPES = st.sampled_from(
    [
        *("int(11)", "bigint(20) unsigned", "bit(64)", "year(4)", "decimal(65,30)", "decimal(5,2) unsigned", "double"),
        *("float(7,3)", "char(3)", "varchar(300)", "tinytext", "longtext", "binary(3)", "blob", "date", "datetime(6)"),
        *("timestamp(3)", "time(1)", "enum('a','')", "set('a','b')", "json", "vector(3)", "odd(", ""),
        *("bit(99999999999)", "binary(99999999999)", "datetime(99999999999)", "decimal(99999,99999)"),
        *("decimal(5)", "decimal(99999999999,9)"),
    ]
)
_CELLS = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"-?\d{1,40}(\.\d{0,9})?", fullmatch=True),
    st.from_regex(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{0,7})?", fullmatch=True),
)


@given(_TYPES, _TYPES, _CELLS)
def test_no_cell_makes_a_batch_raise(old: str, new: str, cell: str) -> None:
    versions = as_text([(Column(1, "c", old),), (Column(1, "c", new),)])
    (got,) = batch([json.dumps({"c": cell})], [versions])
    image = json.loads(got["row"])
    assert image.keys() == {"c"}
    assert image["c"] == cell if f"c:{FLAG}" in got["lossy"] else isinstance(image["c"], str | None)


@given(st.text(max_size=40))
def test_no_text_makes_a_batch_raise(text: str) -> None:
    (got,) = batch([text], [as_text(chain(CREATE, "ALTER TABLE t ADD c INT"))])
    assert got["row"] is not None


def test_text_of_any_depth_makes_no_batch_raise() -> None:
    deep = "[" * 100_000
    (got,) = batch([json.dumps({"c": deep})], [as_text([(Column(1, "c", "text"),), (Column(1, "c", "json"),)])])
    assert got["lossy"][0] == f"c:{FLAG}"
    assert batch([deep], [as_text(chain(CREATE))])[0]["lossy"] == [f"*:{FLAG}"]
