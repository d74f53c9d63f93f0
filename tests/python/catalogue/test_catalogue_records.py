"""What the catalogue of a feed holds, as SQL gets it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from support.corpus import DATA, json_lines

from ticdc_udfs.catalogue import udf
from ticdc_udfs.catalogue.records import records

SALES = (
    "CREATE TABLE s (y INT, v INT) PARTITION BY RANGE (y) "
    "(PARTITION P0 VALUES LESS THAN (2020), PARTITION p1 VALUES LESS THAN (2030))"
)


def statement(commit_ts: int, query: str, table: str = "s", **members: Any) -> dict[str, Any]:
    """What runs saw of a DDL; its place is that of its commit."""
    position = {"topic": "t", "partition": 0, "offset": commit_ts, "event_index": 0}
    seen = {"kind": "ddl", "message_ts": commit_ts, "schema_name": "shop", "table_name": table, "ddl_query": query}
    return {"first_position": position, **seen, **members}


def recorded(seen: Sequence[dict[str, Any]], record: str, export: str | None = None, **feed: Any) -> list[Any]:
    """The records of a kind."""
    found = records(json.dumps(list(seen)), export, json.dumps(feed))
    return [each for each in found if each["record"] == record]


def test_records_for_sql() -> None:
    seen = [
        statement(10, SALES),
        statement(20, "ALTER TABLE s DROP PARTITION p0"),
        statement(30, "ALTER TABLE s NONSENSE"),
    ]
    export = [row for row in json_lines(DATA / "catalogue" / "columns.jsonl") if row["TABLE_NAME"] == "t1"]
    feeds = ([json.dumps(seen), None], [json.dumps(export), None], [json.dumps({"protocol": "canal_json"}), None])
    found, nothing = udf.fold_batch(*map(pa.array, feeds)).to_pylist()
    assert nothing == []
    assert [(one["record"], one["commit_ts"], one["table_name"]) for one in found] == [
        ("version", 10, "s"),
        ("version", 20, "s"),
        ("version", 0, "t1"),
        ("move", 20, "s"),
        ("statement", 10, "s"),
        ("statement", 20, "s"),
        ("statement", 30, "s"),
        ("problem", 30, "s"),
    ]
    assert json.loads(found[1]["partitioning"])["partitions"][0]["name"] == "p1"
    assert json.loads(found[2]["columns"])[0]["type"] == "int(11)"
    assert found[7]["code"] == "unreadable_ddl"


def test_defaults_of_an_export_may_be_numbers() -> None:
    """Spark infers so where each of them is one."""
    row = {"TABLE_SCHEMA": "shop", "TABLE_NAME": "t", "COLUMN_NAME": "v", "ORDINAL_POSITION": 1, "COLUMN_TYPE": "int"}
    (version,) = recorded([], "version", json.dumps([row | {"COLUMN_DEFAULT": 5}]))
    assert json.loads(version["columns"])[0]["default"] == "5"


def test_a_version_has_the_columns_that_rows_have() -> None:
    (version,) = recorded(
        [statement(10, "CREATE TABLE s (w INT AS (b + 1), b INT DEFAULT 7, a VARCHAR(9) NOT NULL PRIMARY KEY)")],
        "version",
    )
    assert [column["name"] for column in json.loads(version["columns"])] == ["w", "b", "a"]
    assert json.loads(version["table_schema"]) == [
        {"name": "b", "type": "int(11)", "nullable": True, "default": "7"},
        {"name": "a", "type": "varchar(9)", "key": 1, "nullable": False},
    ]
    assert json.loads(version["key_columns"]) == ["a"]


def test_a_table_without_columns_has_lists_without_members() -> None:
    (version,) = recorded([statement(10, "ALTER TABLE s ADD INDEX (a)")], "version")
    assert {version[text] for text in ("columns", "table_schema", "key_columns")} == {"[]"}


@pytest.mark.parametrize(
    ("is_exact", "bounds"),
    [(True, [(10, 20), (20, 30), (30, 40), (50, None)]), (False, [(9, 19), (19, 29), (29, 40), (49, None)])],
)
def test_rows_of_a_millisecond_come_after_its_ddl(is_exact: bool, bounds: list[tuple[int, int | None]]) -> None:
    """They are of the version that it began, and of the last one where none begins."""
    texts = {10: "CREATE TABLE s (a INT)", 20: "ALTER TABLE s ADD b INT", 30: "TRUNCATE s", 40: "DROP TABLE S"}
    seen = [statement(commit_ts, text) for commit_ts, text in {**texts, 50: "CREATE TABLE s (a INT)"}.items()]
    found = recorded([{**each, "commit_ts_exact": is_exact} for each in seen], "version")
    assert [(one["rows_after_ts"], one["rows_to_ts"]) for one in found] == bounds
    assert [(one["valid_from_ts"], one["valid_to_ts"]) for one in found] == [(10, 20), (20, 30), (30, 40), (50, None)]


def test_rows_without_schema_do_not_tell_whether_commits_are_exact() -> None:
    row = {"kind": "row", "schema_name": "shop", "table_name": "s", "first_ts": 11, "commit_ts_exact": False}
    for has_schema, after in ((False, 10), (True, 9)):
        (version,) = recorded([statement(10, SALES), {**row, "has_schema": has_schema}], "version")
        assert version["rows_after_ts"] == after


def test_copies_of_a_ddl_are_one() -> None:
    """A DDL comes in all partitions, or again in a replay; its place is the first copy's."""
    places = [("t", 1, 1), ("t", 0, 7), ("t", 0, 1), ("u", 0, 0)]
    members = ("topic", "partition", "offset", "event_index")
    copies = [
        statement(10, SALES, ddl_type="CREATE", first_position=dict(zip(members, (*place, 0), strict=True)))
        for place in places
    ]
    one, other = recorded([*copies, statement(10, "DROP TABLE u, v", "u")], "statement")
    assert [one[name] for name in (*members, "ddl_type", "kind")] == ["t", 0, 1, 0, "CREATE", "create_table"]
    assert (other["kind"], [table["table_name"] for table in other["touched_tables"]]) == ("drop_table", ["u", "v"])


def test_a_table_whose_key_changes_moves_all_its_rows() -> None:
    seen = [
        statement(10, "CREATE TABLE s (a INT PRIMARY KEY, b INT)"),
        statement(20, "ALTER TABLE s ADD c INT"),
        statement(30, "ALTER TABLE s DROP PRIMARY KEY, ADD PRIMARY KEY (b)"),
    ]
    (move,) = recorded(seen, "move")
    first, second, third = recorded(seen, "version")
    assert (move["commit_ts"], move["kind"], move["version_from_ts"]) == (30, "key_change", 30)
    assert (move["to_table_id"], move["to_incarnation"], move["to_version_from_ts"]) == (third["table_id"], 1, 30)
    assert move["columns"] == move["to_columns"] == third["columns"]
    assert "partition_names" not in move
    assert [(one["valid_from_ts"], one["columns"], one["row_effect"]) for one in move["lineage"]] == [
        (10, first["columns"], "none"),
        (20, second["columns"], "columns"),
        (30, third["columns"], "key"),
    ]


def test_rows_of_a_dropped_partition_go_nowhere() -> None:
    (move,) = recorded([statement(10, SALES), statement(20, "ALTER TABLE s DROP PARTITION P0")], "move")
    assert (move["kind"], move["partition_names"], move["version_from_ts"]) == ("drop_partition", ["p0"], 10)
    assert json.loads(move["partitioning"])["partitions"][0]["name"] == "P0"
    assert "to_table_id" not in move


def test_rows_of_an_exchanged_partition_and_of_the_table_change_places() -> None:
    seen = [
        statement(10, SALES),
        statement(20, "CREATE TABLE x (y INT, v INT)", "x"),
        statement(30, "ALTER TABLE s EXCHANGE PARTITION p1 WITH TABLE x"),
    ]
    away, back = recorded(seen, "move")
    assert (away["table_name"], away["partition_names"], away["to_table_id"]) == ("s", ["p1"], back["table_id"])
    assert (back["table_name"], back["to_table_id"], back["to_version_from_ts"]) == ("x", away["table_id"], 10)
    assert not {"partition_names", "partitioning"} & back.keys()


@pytest.mark.parametrize(
    ("columns", "feed", "is_exported", "is_unsure"),
    [
        ("b INT DEFAULT 7", {"hides_nulls_of": None}, False, False),
        ("b INT DEFAULT 7", {"hides_nulls_of": "defaults"}, False, True),
        ("b INT DEFAULT 7", {"hides_nulls_of": "defaults"}, True, False),
        ("b INT NOT NULL DEFAULT 7", {"hides_nulls_of": "defaults"}, False, False),
        ("b INT DEFAULT 7", {"hides_nulls_of": "expressions"}, False, False),
        ("b VARCHAR(36) DEFAULT (uuid())", {"hides_nulls_of": "expressions"}, False, True),
        ("b VARCHAR(36) NOT NULL DEFAULT (uuid())", {"hides_nulls_of": "expressions"}, False, False),
        ("b DATETIME DEFAULT CURRENT_TIMESTAMP", {"hides_nulls_of": "expressions"}, False, False),
        ("b VARBINARY(9) NOT NULL", {"hides_nulls_of": "expressions"}, False, True),
        ("b MEDIUMBLOB", {"hides_nulls_of": "expressions"}, True, True),
        ("b MEDIUMBLOB", {"hides_nulls_of": "expressions", "binary_handling_mode": "base64"}, False, False),
        ("b MEDIUMBLOB", {"hides_nulls_of": "defaults"}, False, False),
    ],
)
def test_columns_tell_which_cells_are_unsure(
    columns: str, feed: dict[str, Any], is_exported: bool, is_unsure: bool
) -> None:
    seen = [statement(10, f"CREATE TABLE s (a INT PRIMARY KEY, {columns})")]
    (version,) = recorded(seen, "version", "[]" if is_exported else None, **feed)
    assert version["has_unsure_cells"] is is_unsure


@pytest.mark.parametrize(
    ("key", "feed", "is_unsure"),
    [
        ("BINARY(4)", {"hides_nulls_of": "expressions"}, True),
        ("INT", {"hides_nulls_of": "expressions"}, False),
        ("BINARY(4)", {"hides_nulls_of": "expressions", "binary_handling_mode": "hex"}, False),
        ("BINARY(4)", {"hides_nulls_of": "defaults"}, False),
        ("BINARY(4)", {"hides_nulls_of": None}, False),
    ],
)
def test_keys_of_bytes_are_unsure_where_the_feed_does_not_say_how_they_come(
    key: str, feed: dict[str, Any], is_unsure: bool
) -> None:
    (version,) = recorded([statement(10, f"CREATE TABLE s (a {key} PRIMARY KEY, b VARBINARY(9))")], "version", **feed)
    assert version["has_unsure_key"] is is_unsure


def test_columns_that_messages_told_are_sure() -> None:
    told = json.dumps([{"name": "b", "type": "blob", "key": 1}])
    row = {"kind": "row", "schema_name": "shop", "table_name": "s", "first_ts": 11, "has_schema": True}
    (version,) = recorded([{**row, "table_schema": told}], "version", hides_nulls_of="expressions")
    assert (version["origin"], version["has_unsure_cells"]) == ("wire", False)


@pytest.mark.parametrize(("hides_nulls_of", "is_unsure"), [("defaults", True), ("expressions", False)])
def test_defaults_of_an_export_whose_types_messages_contradict_make_cells_unsure(
    hides_nulls_of: str, is_unsure: bool
) -> None:
    told = json.dumps([{"name": "b", "type": "int", "key": 1}, {"name": "c", "type": "text"}])
    row = {"kind": "row", "schema_name": "shop", "table_name": "s", "first_ts": 11, "has_schema": True}
    column = {"TABLE_SCHEMA": "shop", "TABLE_NAME": "s", "IS_NULLABLE": "YES", "COLUMN_KEY": "", "EXTRA": ""}
    export = [
        {**column, "COLUMN_NAME": "b", "ORDINAL_POSITION": 1, "COLUMN_TYPE": "int(11)", "COLUMN_DEFAULT": "7"},
        {**column, "COLUMN_NAME": "c", "ORDINAL_POSITION": 2, "COLUMN_TYPE": "date", "COLUMN_DEFAULT": None},
    ]
    (version,) = recorded([{**row, "table_schema": told}], "version", json.dumps(export), hides_nulls_of=hides_nulls_of)
    assert (version["origin"], version["has_unsure_cells"]) == ("wire", is_unsure)
