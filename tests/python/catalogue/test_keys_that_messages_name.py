"""Cases of the key of a row: what DDL, exports and messages tell of it, and that one row is found for one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from support import open_protocol
from support.catalogue import folded, key, last, versions_of
from support.replay import Placed
from support.road import Road
from support.upstream import BIGINT, INT, VARCHAR, Column, Index, Row, Table, Upstream

from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode
from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.contract.schemas import Column as WireColumn
from ticdc_udfs.contract.schemas import table_schema

WITH_DDL = ("canal_json", "debezium", "open_protocol", "simple")


def table(columns: Sequence[Column], *indexes: Index, **more: Any) -> Table:
    return Table("t", list(columns), list(indexes), next_index=len(indexes) + 1, next_column=len(columns) + 1, **more)


def ints(*names: str) -> list[Column]:
    """Columns INT NOT NULL with the ids 1, 2, …"""
    return [Column(place, name, INT, nullable=False) for place, name in enumerate(names, start=1)]


def add_column(upstream: Upstream, name: str) -> None:
    column = Column(upstream.table.next_column, name, INT)
    upstream.table.columns.append(column)
    for row in upstream.table.rows:
        row[column.id] = None
    upstream.ddl(f"ALTER TABLE `t` ADD COLUMN `{name}` INT")


def shown(road: Road) -> list[dict[str, str | None]]:
    """The rows of the only table, which every change found."""
    *_, (_, tables) = road.replay()
    (found,) = tables.values()
    assert not found.table.without_row and not found.table.keys_taken
    return [dict(row.image) for row in found.table.all()]


def road_of(upstream: Upstream, first: int = 0, export: Sequence[ExportedColumn] = ()) -> Road:
    road = Road(upstream.placed(first), upstream.protocol, export=export)
    rows = upstream.snapshots[-1].rows
    assert sorted(map(str, shown(road))) == sorted(map(str, rows))
    return road


def codes(result: Fold) -> list[ProblemCode]:
    return [problem.code for problem in result.problems]


def told(commit_ts: int, columns: str, named: str | None, **types: str) -> DdlEvent:
    """The schema of a row with columns of one letter: the key that it names in this order, "" for none."""
    places = {name: place for place, name in enumerate(named or "", start=1)}
    absent = 0 if named == "" else None
    wire = [WireColumn(name, types.get(name, "int"), places.get(name, absent)) for name in columns]
    return DdlEvent(commit_ts, "shop", "t", None, None, table_schema(wire).text.decode())


def keys(result: Fold) -> list[tuple[int, list[str]]]:
    """Since when each version has which key."""
    return [(version.valid_from_ts, key(version)) for version in versions_of(result, "t")]


# What implies NOT NULL


@pytest.mark.parametrize("protocol", WITH_DDL)
def test_auto_increment_implies_not_null(protocol: str) -> None:
    columns = [Column(1, "id", BIGINT, nullable=False, auto=True), Column(2, "v", INT)]
    upstream = Upstream(protocol, table(columns, Index(1, "u", [1])), keys_only=True)
    upstream.create()
    row: Row = {1: 5, 2: 1}
    upstream.insert(row)
    add_column(upstream, "w")
    upstream.update(row, {2: 2})
    road = road_of(upstream)
    assert key(last(road.catalogue, "t")) == ["id"] and not road.catalogue.problems
    # a deletion with the handle key alone finds the row
    upstream.delete(row)
    road_of(upstream)


@pytest.mark.parametrize(
    ("definition", "is_key"),
    [
        ("a SERIAL", True),
        ("a BIGINT SERIAL DEFAULT VALUE", True),
        ("a BIGINT AUTO_INCREMENT UNIQUE", True),
        ("a BIGINT NULL AUTO_INCREMENT UNIQUE", True),
        ("a BIGINT AUTO_INCREMENT NULL UNIQUE", False),
        ("a BIGINT UNIQUE", False),
        ("a BIGINT UNIQUE NOT NULL", True),
        ("a BIGINT NOT NULL, UNIQUE u (a) WHERE a > 1", False),
        ("a VARCHAR(20) NOT NULL, UNIQUE u (a(3))", True),
        ("a BIGINT NOT NULL, UNIQUE u ((a + 1))", False),
    ],
)
def test_columns_of_a_unique_index_are_the_key_where_none_can_be_null(definition: str, is_key: bool) -> None:
    assert key(last(folded(f"CREATE TABLE t ({definition}, v INT)"), "t")) == (["a"] if is_key else [])


def test_modify_column_with_auto_increment_does_not_make_not_null() -> None:
    create = "CREATE TABLE t (a BIGINT AUTO_INCREMENT, v INT, UNIQUE u (a))"
    result = folded(create, "ALTER TABLE t MODIFY a BIGINT AUTO_INCREMENT", "ALTER TABLE t MODIFY a BIGINT NOT NULL")
    assert keys(result) == [(10, ["a"]), (20, []), (30, ["a"])]


# Which index


def test_simple_takes_the_shortest_unique_index_though_the_encoder_calls_the_first_one_primary() -> None:
    upstream = Upstream("simple", table(ints("a", "b", "c"), Index(1, "uk1", [1, 2])))
    upstream.create()
    row: Row = {1: 1, 2: 2, 3: 3}
    upstream.insert(row)
    upstream.table.indexes.append(Index(2, "uk2", [3]))
    upstream.ddl("ALTER TABLE `t` ADD UNIQUE `uk2` (`c`)", "CINDEX", 7)
    upstream.update(row, {1: 7})
    road = road_of(upstream)
    assert [key(version) for version in versions_of(road.catalogue, "t")] == [["a", "b"], ["c"]]
    assert not road.catalogue.problems


@pytest.mark.parametrize("protocol", WITH_DDL)
def test_of_two_unique_indexes_the_one_that_was_built_anew_is_the_younger(protocol: str) -> None:
    columns = [Column(1, "a", INT, nullable=False), Column(2, "b", INT, nullable=False), Column(3, "v", INT)]
    upstream = Upstream(protocol, table(columns, Index(1, "ua", [1]), Index(2, "ub", [2])), keys_only=True)
    upstream.create()
    row: Row = {1: 1, 2: 2, 3: 3}
    upstream.insert(row)
    upstream.table.columns[0].kind, upstream.table.indexes[0].number, row[1] = VARCHAR, 3, "1"
    upstream.ddl("ALTER TABLE `t` MODIFY `a` VARCHAR(20) NOT NULL", "ALTER", 12)
    upstream.update(row, {3: 4})
    road = road_of(upstream)
    assert key(last(road.catalogue, "t")) == ["b"] and not road.catalogue.problems
    upstream.delete(row)
    road_of(upstream)


def test_which_of_two_indexes_is_younger_is_told_by_messages_without_a_problem() -> None:
    create = "CREATE TABLE t (a BIGINT NOT NULL, b INT NOT NULL, UNIQUE ua (a), UNIQUE ub (b))"
    # from 8.5.5 on, TiDB need not build `ua` anew
    result = folded(create, told(15, "ab", "a"), "ALTER TABLE t MODIFY a INT NOT NULL", told(40, "ab", "a"))
    assert keys(result) == [(10, ["a"]), (30, ["b"]), (39, ["a"])] and not result.problems


def test_open_protocol_keys_of_partitions_are_what_has_h_whatever_the_flags_say() -> None:
    def row(commit_ts: int, **columns: dict[str, Any]) -> list[Placed]:
        head = open_protocol.row_key(ts=commit_ts, ptn=7)
        return [Placed(event, 0, 0) for event in open_protocol.decode(*open_protocol.message((head, {"u": columns})))]

    (first,) = row(20, id2={"t": 3, "h": True, "f": 0, "v": 1}, w={"t": 3, "h": True, "f": 43, "v": 2})
    assert first.event.row_key == b'{"id2":"1","w":"2"}'
    # a primary key that was dropped stays in the flags
    (gone,) = row(20, id={"t": 3, "f": 11, "v": 1}, w={"t": 3, "f": 0, "v": 2})
    assert gone.event.row_key == b'{"id":"1","w":"2"}' and gone.event.lossy == ("*:no_key",)
    assert {column["key"] for column in orjson.loads(gone.event.table_schema or b"")} == {0}


# What messages name


def test_open_protocol_learns_a_composite_key_that_an_export_does_not_tell() -> None:
    columns = [*ints("a", "b"), Column(3, "v", INT)]
    upstream = Upstream("open_protocol", table(columns, Index(1, "u", [1, 2])))
    upstream.create()
    first, export = upstream.begin_anew(), upstream.export()
    assert [column.column_key for column in export] == ["MUL", "", ""]
    row: Row = {1: 1, 2: 2, 3: 3}
    upstream.insert(row)
    add_column(upstream, "w")
    upstream.update(row, {3: 4})
    road = road_of(upstream, first, export)
    assert key(last(road.catalogue, "t")) == ["a", "b"] and not road.catalogue.problems


def test_avro_has_a_unique_key_from_an_export() -> None:
    export = [
        ExportedColumn("shop", "t", "u", 1, "int(11)", False, column_key="UNI"),
        ExportedColumn("shop", "t", "v", 2, "int(11)", True),
    ]
    result = folded(told(10, "uv", None), export=export)
    assert keys(result) == [(0, ["u"])] and not result.problems


def test_rows_are_keyed_anew_from_the_first_row_that_names_another_key() -> None:
    create = "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, v INT)"
    result = folded(create, told(15, "abv", "a"), told(25, "abv", "b"), told(35, "abvw", "b"))
    assert keys(result) == [(10, ["a"]), (24, ["b"])]
    problem, column = result.problems
    assert (problem.code, problem.commit_ts, problem.table_name) == (ProblemCode.KEY_DIFFERS, 25, "t")
    assert problem.detail == "messages name `b`, before it was `a`"
    assert (column.code, column.commit_ts) == (ProblemCode.SCHEMA_DIFFERS, 35), "no DDL gave it the column w"


def test_the_first_row_of_a_table_puts_its_key_right_without_a_version_of_its_own() -> None:
    result = folded("CREATE TABLE t (a INT PRIMARY KEY, b INT)", told(15, "ab", "b"))
    assert keys(result) == [(10, ["b"])] and codes(result) == [ProblemCode.KEY_DIFFERS]


def test_rows_that_name_no_key_undo_one_that_nothing_explains() -> None:
    result = folded("CREATE TABLE t (a INT NOT NULL, b INT, UNIQUE u (a))", told(15, "ab", "a"), told(25, "ab", ""))
    assert keys(result) == [(10, ["a"]), (24, [])] and codes(result) == [ProblemCode.KEY_DIFFERS]
    # of a primary key canal-json and Avro alone tell that there is none
    result = folded("CREATE TABLE t (a INT NOT NULL, b INT, UNIQUE u (a))", told(15, "ab", None))
    assert keys(result) == [(10, ["a"])] and not result.problems


def test_a_key_that_messages_name_stays_until_a_ddl_moves_it() -> None:
    create = "CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NOT NULL)"
    result = folded(
        create, told(15, "abc", "b"), "ALTER TABLE t ADD d INT", "ALTER TABLE t DROP PRIMARY KEY, ADD UNIQUE (c)"
    )
    assert keys(result) == [(10, ["b"]), (30, ["b"]), (40, ["c"])]


def test_the_key_of_a_table_from_before_the_feed_stays_where_an_index_is_added() -> None:
    result = folded(told(5, "abc", "a"), "ALTER TABLE t ADD UNIQUE u (b)", "ALTER TABLE t ADD PRIMARY KEY (c)")
    assert keys(result) == [(0, ["a"]), (30, ["c"])] and not result.problems


def test_dropping_an_index_without_a_known_name_leaves_no_key_that_may_be_gone() -> None:
    export = [ExportedColumn("shop", "t", "u", 1, "int(11)", False, column_key="UNI")]
    assert keys(folded("ALTER TABLE t DROP INDEX other", export=export)) == [(0, ["u"]), (10, [])]


def test_a_row_of_key_columns_alone_tells_which_of_the_indexes_is_the_key() -> None:
    create = "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, UNIQUE (a), UNIQUE (b), UNIQUE (b, c))"
    result = folded(create, told(15, "abc", None), told(25, "b", None))
    assert keys(result) == [(10, ["a"]), (24, ["b"])]
    assert keys(folded(create, told(15, "abc", None), told(25, "c", None))) == [(10, ["a"])]


def test_a_key_in_another_order_keys_rows_by_the_table() -> None:
    create = "CREATE TABLE t (b INT, a INT, v INT, PRIMARY KEY (a, b))"
    (version,) = versions_of(folded(create, told(15, "abv", "ab")), "t")
    assert version.keys_rows and key(version) == ["a", "b"]
    (version,) = versions_of(folded(create, told(15, "bav", "ba")), "t")
    assert not version.keys_rows


# Keys that are none


@pytest.mark.parametrize("protocol", ["debezium", "open_protocol"])
def test_a_partial_unique_index_is_no_key_though_messages_name_it(protocol: str) -> None:
    columns = [*ints("a", "b"), Column(3, "v", INT)]
    upstream = Upstream(protocol, table(columns, Index(1, "u", [1], partial=3)))
    upstream.create()
    rows: list[Row] = [{1: 1, 2: number, 3: 0} for number in range(3)]
    for row in rows:
        upstream.insert(row)
    add_column(upstream, "w")
    upstream.update(rows[1], {2: 9})
    upstream.delete(rows[2])
    road = road_of(upstream)
    assert codes(road.catalogue) == [ProblemCode.KEY_NOT_UNIQUE]
    assert road.catalogue.problems[0].detail == "messages name `a`, rows are told apart by no columns"


@pytest.mark.parametrize("protocol", ["debezium", "open_protocol"])
def test_part_of_a_unique_index_with_a_virtual_column_is_no_key(protocol: str) -> None:
    columns = [*ints("a", "b"), Column(3, "g", INT, nullable=False, of=2)]
    upstream = Upstream(protocol, table(columns, Index(1, "u", [1, 3])))
    upstream.create()
    rows: list[Row] = [{1: 1, 2: number} for number in range(3)]
    for row in rows:
        upstream.insert(row)
    upstream.delete(rows[0])
    road = road_of(upstream)
    named = protocol == "open_protocol"
    assert codes(road.catalogue) == ([ProblemCode.KEY_NOT_UNIQUE] if named else [])


# Renamed without DDL


def renamed(protocol: str) -> tuple[Upstream, list[ExportedColumn], list[ExportedColumn]]:
    """Eight rows of a table whose key column gets another name, all updated; the exports from before and after."""
    columns = [*ints("id"), Column(2, "v", INT)]
    upstream = Upstream(protocol, table(columns, Index(1, "PRIMARY", [1], primary=True), clustered=True))
    rows: list[Row] = [{1: number, 2: 0} for number in range(8)]
    for row in rows:
        upstream.insert(row)
    old = upstream.export()
    columns[0].name = "id2"
    for row in rows:
        upstream.update(row, {2: 1})
    return upstream, old, upstream.export()


@pytest.mark.parametrize("protocol", ["avro", "debezium_avro"])
def test_rows_follow_a_key_column_that_was_renamed_unseen_where_the_export_tells_it(protocol: str) -> None:
    upstream, old, new = renamed(protocol)
    road = road_of(upstream, export=new)
    assert len(shown(road)) == 8
    assert [key(version) for version in versions_of(road.catalogue, "t")] == [["id"], ["id2"]]
    assert {problem.code for problem in road.catalogue.problems} == {ProblemCode.KEY_DIFFERS}
    # an export from before does not tell it, and none does neither
    for export in (old, []):
        assert codes(Road(upstream.placed(), protocol, export=export).catalogue) == [ProblemCode.KEY_UNKNOWN]


def test_a_deletion_that_is_first_to_name_the_renamed_key_finds_its_row() -> None:
    upstream, _, export = renamed("avro")
    (row, *_) = upstream.table.rows
    upstream.table.columns[0].name = "id"
    del upstream.sent[8:], upstream.snapshots[8:]
    upstream.table.columns[0].name = "id2"
    upstream.delete(row)
    assert len(shown(Road(upstream.placed(), "avro", export=export))) == 7
