"""DDL folded into table versions: named cases, and the real DDL of a workload against TiDB's own answer."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalogue import (
    CREATE,
    DECODERS,
    at,
    codes,
    events_of,
    exported,
    folded,
    last,
    names,
    schema_text,
    truth_tables,
    versions_of,
)
from support.corpus import DATA, SAMPLE, Variant, json_lines, root
from support.hostile import cases

from ticdc_udfs.catalogue import udf
from ticdc_udfs.catalogue.changes import DdlKind, Partition
from ticdc_udfs.catalogue.column_types import exported_default
from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, TableVersion, fold
from ticdc_udfs.catalogue.records import exported_column
from ticdc_udfs.catalogue.tables import Origin
from ticdc_udfs.contract.schemas import Column

# The proof: the DDL of real messages gives the tables that TiDB had

EXACT = [
    "canal_json",
    "canal_json_noext",
    "canal_json_index_value_replayed",
    "open_protocol",
    "simple_json",
    "simple_avro_checksum",
    "debezium_noschema",
]


@pytest.mark.parametrize("variant", EXACT)
def test_tables_equal_the_truth_at_every_checkpoint(variant: str) -> None:
    folder = root() if (root() / "topics" / f"{variant}.jsonl.gz").exists() else SAMPLE
    messages = Variant(folder, variant)
    protocol = next(name for name in DECODERS if variant.startswith(name))
    options = {**messages.options, **({"encoding": "avro"} if variant.startswith("simple_avro") else {})}
    result = fold(events_of(DECODERS[protocol], messages.records, json.dumps(options)))
    left_out = {*messages.meta["excluded_tables"], *(["shop.rec"] if protocol == "debezium" else [])}
    tables = columns = 0
    for checkpoint, wanted in _truth().items():
        got = {(one.schema_name, one.table_name): one for one in _as_of(result, checkpoint)}
        wanted = {name: table for name, table in wanted.items() if ".".join(name) not in left_out}
        got = {name: version for name, version in got.items() if ".".join(name) not in left_out}
        assert got.keys() == wanted.keys()
        for name, table in wanted.items():
            assert _columns(got[name]) == _true_columns(table), name
            partitions = got[name].partitioning.partitions if got[name].partitioning else ()  # type: ignore[union-attr]
            assert [one.name for one in partitions] == [one["name"] for one in table["partitions"] or ()], name
            tables, columns = tables + 1, columns + len(table["columns"])
    print(f"\n{variant}: {tables} tables and {columns} columns equal at {len(_truth())} checkpoints")
    assert codes(result) == [ProblemCode.DEFAULT_NOT_CONSTANT]


def _truth() -> Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]:
    tables: dict[int, dict[tuple[str, str], Mapping[str, Any]]] = defaultdict(dict)
    for table in json_lines(truth_tables()):
        tables[table["checkpoint_ts"]][table["schema"], table["table"]] = table
    assert len(tables) == 7
    return tables


def _as_of(result: Fold, commit_ts: int) -> list[TableVersion]:
    """The tables after all DDL up to a commit."""
    return [
        one
        for one in result.versions
        if one.valid_from_ts <= commit_ts and (one.valid_to_ts is None or commit_ts < one.valid_to_ts)
    ]


def _columns(version: TableVersion) -> list[tuple[Any, ...]]:
    return [
        (
            one.name,
            one.type,
            one.key,
            one.nullable,
            one.collation,
            one.generated,
            one.auto_increment,
            # the truth's own text of a binary default need not be one
            None if one.type == "varbinary(10)" else (one.default, one.default_expression),
        )
        for one in version.columns
    ]


def _true_columns(table: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    key = table["primary_key"] or table["handle_key"] or []
    return [
        (
            one["name"],
            one["column_type"],
            key.index(one["name"]) + 1 if one["name"] in key else None,
            one["nullable"],
            one["collation"],
            "virtual" if one["virtual_generated"] else "stored" if one["stored_generated"] else None,
            "auto_increment" in one["extra"],
            None
            if one["column_type"] == "varbinary(10)"
            else tuple(exported_default(one["column_type"], one["default"])),
        )
        for one in table["columns"]
    ]


def test_an_export_alone_gives_the_last_tables() -> None:
    rows = list(json_lines(DATA / "catalogue" / "columns.jsonl"))
    result = fold([], map(exported_column, rows))
    wanted = list(_truth().values())[-1]
    assert {(one.schema_name, one.table_name) for one in result.versions} == wanted.keys()
    for version in result.versions:
        table = wanted[version.schema_name, version.table_name]
        assert (version.valid_from_ts, version.valid_to_ts, version.origin) == (0, None, Origin.EXPORT)
        got, true = _columns(version), _true_columns(table)
        assert [one[:2] + one[3:] for one in got] == [one[:2] + one[3:] for one in true]
        if table["primary_key"]:
            assert {one[0] for one in got if one[2]} == {one[0] for one in true if one[2]}


# Intervals, lineage, incarnations


def test_rows_of_a_ddls_own_commit_belong_before_it() -> None:
    result = folded(CREATE, "ALTER TABLE t ADD COLUMN w INT")
    assert names(at(result, "t", 20)) == ["id", "v"]
    assert names(at(result, "t", 21)) == ["id", "v", "w"]
    first, second = versions_of(result, "t")
    assert (first.started_by, first.ended_by) == (DdlKind.CREATE_TABLE, DdlKind.ADD_COLUMN)
    assert (second.started_by, second.ended_by) == (DdlKind.ADD_COLUMN, None)


def test_ddl_that_changes_no_row_starts_no_version() -> None:
    result = folded(
        CREATE,
        "ALTER TABLE t COMMENT 'x'",
        "ALTER TABLE t ADD INDEX i (v)",
        "ALTER TABLE t ALTER INDEX i INVISIBLE",
        "ALTER TABLE t AUTO_INCREMENT = 5",
        "ALTER TABLE t CACHE",
        "DROP INDEX i ON t",
    )
    assert len(result.versions) == 1 and not result.problems


def test_truncate_starts_an_incarnation() -> None:
    result = folded(CREATE, "TRUNCATE t", "TRUNCATE TABLE t")
    assert [(one.incarnation, one.incarnation_ts) for one in versions_of(result, "t")] == [(1, 10), (2, 20), (3, 30)]
    assert len({one.table_id for one in result.versions}) == 1


def test_drop_and_create_start_an_incarnation_with_other_columns() -> None:
    result = folded(CREATE, "DROP TABLE t", "CREATE TABLE t (z DATE)")
    first, second = versions_of(result, "t")
    assert first.table_id == second.table_id
    assert (first.incarnation, first.valid_to_ts, first.ended_by) == (1, 20, DdlKind.DROP_TABLE)
    assert (second.incarnation, second.valid_from_ts, names(second)) == (2, 30, ["z"])


def test_a_drop_of_several_tables_that_comes_whole_for_each_of_them() -> None:
    text = "DROP TABLE `t`, `archive`.`u`"
    drops = [DdlEvent(30, "shop", "t", text), DdlEvent(40, "archive", "u", text)]
    result = folded(CREATE, DdlEvent(20, "archive", "u", CREATE.replace(" t ", " u ")), *drops)
    assert [(one.table_name, one.valid_from_ts, one.valid_to_ts) for one in result.versions] == [
        ("u", 20, 40),
        ("t", 10, 30),
    ]
    assert not result.problems
    assert not [one for one in folded(CREATE, "DROP TABLE u, t").versions if one.valid_to_ts is None]


def test_rename_keeps_incarnation_and_columns() -> None:
    result = folded(CREATE, "RENAME TABLE shop.t TO archive.u", "ALTER TABLE archive.u DROP v")
    first, second, third = result.versions
    assert {one.table_id for one in result.versions} == {first.table_id}
    assert [(one.schema_name, one.table_name, one.incarnation) for one in (first, second, third)] == [
        ("shop", "t", 1),
        ("archive", "u", 1),
        ("archive", "u", 1),
    ]
    assert first.columns == second.columns


def _into_archive(text: str, name: str = "u") -> DdlEvent:
    """Classic TiCDC sends the text as it was typed, with the database that the table is in afterwards."""
    return DdlEvent(30, "archive", name, text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RENAME TABLE `t` TO `archive`.`u`", "u"),
        ("RENAME TABLE `t` TO `archive`.`t`", "t"),
        ("ALTER TABLE `t` RENAME AS `archive`.`u`", "u"),
    ],
)
def test_a_rename_out_of_the_database_of_the_session_takes_the_table_along(text: str, name: str) -> None:
    exported_now = [one._replace(schema_name="archive") for one in exported(name, ("id", "int(11)", "PRI"))]
    for export in ([], exported_now):
        result = folded(CREATE, _into_archive(text, name), export=export)
        first, second = result.versions
        assert (first.schema_name, first.valid_to_ts, first.ended_by) == ("shop", 30, DdlKind.RENAME_TABLE)
        assert (second.schema_name, second.table_name, second[:2]) == ("archive", name, first[:2])
        assert second.columns == first.columns and not result.problems


def test_renames_out_of_the_database_of_the_session_in_one_millisecond() -> None:
    texts = [_into_archive(f"RENAME TABLE `{name}` TO `archive`.`{name}`", name) for name in "tu"]
    result = folded(CREATE, CREATE.replace(" t ", " u "), *texts)
    assert [(one.schema_name, one.table_name) for one in result.versions if one.valid_to_ts is None] == [
        ("archive", "t"),
        ("archive", "u"),
    ]


def test_of_two_tables_that_of_the_new_names_database_is_renamed_which_is_a_problem() -> None:
    """The session may have been in either database (ticdc #4424)."""
    here = DdlEvent(20, "archive", "t", CREATE)
    result = folded(CREATE, here, _into_archive("RENAME TABLE `t` TO `archive`.`u`"))
    assert last(result, "u").incarnation_ts == 20 and last(result, "t").schema_name == "shop"
    assert codes(result) == [ProblemCode.UNKNOWN_TABLE]
    assert result.problems[0].detail.endswith("`archive`, `shop`")


@pytest.mark.parametrize("text", ["RENAME TABLE `t` TO `archive`.`u`", "CREATE TABLE `archive`.`u` LIKE `t`"])
def test_of_two_tables_that_with_the_columns_in_the_message_is_meant(text: str) -> None:
    here = DdlEvent(20, "archive", "t", "CREATE TABLE t (x INT PRIMARY KEY)")
    told = schema_text(Column("id", "int", 1), Column("v", "varchar(10)"))
    result = folded(CREATE, here, DdlEvent(30, "archive", "u", text, None, told))
    assert names(last(result, "u")) == ["id", "v"] and not result.problems


def test_a_table_that_is_copied_from_one_of_two_databases_is_a_problem() -> None:
    """The session may have been in either database (ticdc #5025)."""
    here = DdlEvent(20, "archive", "t", "CREATE TABLE t (x INT PRIMARY KEY)")
    result = folded(CREATE, here, _into_archive("CREATE TABLE `archive`.`u` LIKE `t`"))
    assert codes(result) == [ProblemCode.UNKNOWN_TABLE]


def test_a_rename_without_the_old_name_is_a_problem() -> None:
    """TiCDC 8.5.4 and 8.5.5 write them so of a RENAME of several tables in TiDB up to 8.1."""
    texts = [DdlEvent(30, "shop", name, f"RENAME TABLE `shop`.`` TO `shop`.`{name}`") for name in "uw"]
    result = folded(CREATE, *texts)
    assert codes(result) == [ProblemCode.UNREADABLE_DDL] * 2
    assert [(one.table_name, one.valid_to_ts) for one in result.versions] == [("t", None)]


def test_a_rename_of_one_of_several_tables_of_a_name_is_a_problem() -> None:
    there = DdlEvent(20, "other", "t", CREATE)
    result = folded(CREATE, there, _into_archive("RENAME TABLE `t` TO `archive`.`u`"))
    assert codes(result) == [ProblemCode.UNKNOWN_TABLE]
    assert result.problems[0].detail.endswith("`other`, `shop`")


def test_a_table_that_is_copied_from_the_database_of_the_session() -> None:
    result = folded(CREATE, _into_archive("CREATE TABLE `archive`.`u` LIKE `t`"))
    assert names(last(result, "u")) == names(last(result, "t")) and not result.problems


SWAP = [
    "RENAME TABLE `shop`.`a` TO `shop`.`tmp`;",
    "RENAME TABLE `shop`.`b` TO `shop`.`a`;",
    "RENAME TABLE `shop`.`tmp` TO `shop`.`b`;",
]


def test_swap_by_several_events_of_one_commit_with_the_final_names() -> None:
    finals = ("b", "a", "b")
    result = folded(
        "CREATE TABLE a (id INT PRIMARY KEY)",
        "CREATE TABLE b (x INT)",
        *(DdlEvent(30, "shop", final, text) for final, text in zip(finals, SWAP, strict=True)),
    )
    _swapped(result)


def test_swap_by_one_statement() -> None:
    swap = "RENAME TABLE a TO tmp, b TO a, tmp TO b"
    _swapped(folded("CREATE TABLE a (id INT PRIMARY KEY)", "CREATE TABLE b (x INT)", swap))


def _swapped(result: Fold) -> None:
    assert len(result.versions) == 4 and not result.problems
    assert names(at(result, "a", 30)) == ["id"] and names(at(result, "a", 31)) == ["x"]
    assert at(result, "b", 31).table_id == at(result, "a", 30).table_id
    assert at(result, "b", 31).incarnation == 1
    assert at(result, "b", 31).started_by == DdlKind.RENAME_TABLE


@pytest.mark.parametrize("kind", ["VIEW v AS SELECT 1", "SEQUENCE v"])
def test_a_view_or_sequence_that_is_renamed_is_no_table(kind: str) -> None:
    drop = f"DROP {kind.split()[0]} w"
    export = exported("w", ("id", "int", "PRI"))
    assert not folded(f"CREATE {kind}", "RENAME TABLE v TO w", export=[*export]).versions
    result = folded(f"CREATE {kind}", "ALTER TABLE v RENAME TO w", drop, "CREATE TABLE w (id INT)", "DROP TABLE w")
    assert [(one.table_name, one.started_by, one.ended_by) for one in result.versions] == [
        ("w", DdlKind.CREATE_TABLE, DdlKind.DROP_TABLE)
    ]
    assert not result.problems


def test_a_view_and_a_table_swap_their_names() -> None:
    result = folded(CREATE, "CREATE VIEW v AS SELECT 1", "RENAME TABLE t TO x, v TO t, x TO v", "DROP VIEW t")
    assert [(one.table_name, one.ended_by) for one in result.versions] == [("t", DdlKind.RENAME_TABLE), ("v", None)]
    assert not result.problems


def test_a_view_of_before_the_first_message_that_was_renamed_is_no_table_once_it_is_dropped() -> None:
    result = folded("RENAME TABLE v TO w", "DROP VIEW w", "CREATE TABLE w (id INT)")
    assert [one.ended_by for one in versions_of(result, "w")] == [DdlKind.DROP_VIEW, None]
    assert not result.problems


def test_recover_brings_back_the_dropped_incarnation() -> None:
    result = folded(CREATE, "DROP TABLE t", "RECOVER TABLE `t`", "ALTER TABLE t DROP v")
    first, second, third = versions_of(result, "t")
    assert (first.table_id, first.incarnation, first.columns) == (second.table_id, second.incarnation, second.columns)
    assert (first.valid_to_ts, second.valid_from_ts, second.started_by) == (20, 30, DdlKind.RECOVER_TABLE)
    assert third.incarnation == 1


def test_flashback_under_another_name_of_a_truncated_table() -> None:
    result = folded(CREATE, "TRUNCATE t", "FLASHBACK TABLE t TO t_old", "TRUNCATE t")
    assert last(result, "t_old").incarnation == 1
    assert last(result, "t").incarnation == 3


def test_two_tables_of_one_lineage_at_once() -> None:
    result = folded(CREATE, "TRUNCATE t", "FLASHBACK TABLE t TO t_old", "TRUNCATE t_old", "DROP TABLE t", CREATE)
    assert last(result, "t_old").table_id != last(result, "t").table_id
    assert last(result, "t").incarnation == 3
    result = folded(CREATE, "DROP TABLE t", CREATE, "RENAME TABLE t TO u", CREATE)
    assert last(result, "u").table_id != last(result, "t").table_id


def test_recover_by_job_takes_the_name_of_the_message() -> None:
    result = folded(CREATE, "DROP TABLE t", DdlEvent(30, "shop", "t", "RECOVER TABLE BY JOB 53"))
    assert last(result, "t").incarnation == 1 and not result.problems


def test_drop_database_drops_its_tables_and_flashback_brings_them_back() -> None:
    result = folded(
        CREATE,
        "CREATE TABLE other.t (x INT)",
        "DROP DATABASE shop",
        "FLASHBACK DATABASE shop TO shop2",
        "DROP DATABASE shop2",
    )
    back = [one for one in result.versions if one.schema_name == "shop2"]
    assert [(one.incarnation, one.started_by, one.ended_by) for one in back] == [
        (1, DdlKind.RECOVER_DATABASE, DdlKind.DROP_DATABASE)
    ]
    assert last(result, "t").schema_name == "other"


def test_names_are_compared_without_case() -> None:
    result = folded("CREATE TABLE `MixedCase` (`Id` INT)", "ALTER TABLE mixedcase CHANGE ID iD BIGINT")
    assert names(last(result, "MixedCase")) == ["iD"] and not result.problems


def test_copies_of_a_ddl_count_once() -> None:
    events = [DdlEvent(10, "shop", "t", CREATE), DdlEvent(20, "shop", "t", "TRUNCATE t")]
    assert fold([*events, *events, events[1], events[0]]) == fold(events)


@pytest.mark.parametrize(
    ("text", "later"),
    [
        (CREATE, "CREATE TABLE `shop`.`t` (`id` INT(11) PRIMARY KEY,`v` VARCHAR(10) NULL)"),
        ("ALTER TABLE `t` DROP `v`", "ALTER TABLE `t` DROP COLUMN `v`"),
        ("TRUNCATE `t`", "TRUNCATE TABLE `t`"),
        ("DROP TABLE `t`, `u`", "DROP TABLE `shop`.`t`"),
        ("RENAME TABLE `t` TO `archive`.`t`", "RENAME TABLE `shop`.`t` TO `archive`.`t`"),
        ("RECOVER TABLE `t`", "RECOVER TABLE `shop`.`t`"),
    ],
)
def test_a_ddl_that_a_later_release_sends_again_in_other_words_counts_once(text: str, later: str) -> None:
    before = [DdlEvent(10, "shop", "t", CREATE)] if text != CREATE else []
    if text.startswith("RECOVER"):
        before.append(DdlEvent(20, "shop", "t", "DROP TABLE t"))
    schema = "archive" if "archive" in text else "shop"
    first, again = (DdlEvent(30, schema, "t", one) for one in (text, later))
    assert fold([*before, first, again]) == fold([*before, again, first]) == fold([*before, first])


# Partitions

SALES = (
    "CREATE TABLE s (id INT, yr INT) PARTITION BY RANGE (`yr`) (PARTITION p0 VALUES LESS THAN (2020),"
    "PARTITION p1 VALUES LESS THAN (2021),PARTITION pm VALUES LESS THAN (MAXVALUE))"
)


def test_effects_have_the_bounds_that_the_partitions_had() -> None:
    result = folded(
        SALES,
        "ALTER TABLE s DROP PARTITION p0",
        "ALTER TABLE s TRUNCATE PARTITION P1",
        "ALTER TABLE s TRUNCATE PARTITION ALL",
    )
    assert [(one.commit_ts, one.kind, one.partition_names) for one in result.effects] == [
        (20, DdlKind.DROP_PARTITION, ("p0",)),
        (30, DdlKind.TRUNCATE_PARTITION, ("P1",)),
        (40, DdlKind.TRUNCATE_PARTITION, ("p1", "pm")),
    ]
    bounds = [[(one.lower, one.upper) for one in effect.partitions] for effect in result.effects]
    assert bounds == [
        [(None, ("2020",))],
        [(None, ("2021",))],
        [(None, ("2021",)), (("2021",), None)],
    ]
    partitioning = result.effects[0].partitioning
    assert partitioning is not None and (partitioning.method, partitioning.by) == ("range", ("`yr`",))


def test_reorganize_add_and_coalesce_move_no_rows_out_of_a_table() -> None:
    result = folded(
        SALES,
        "ALTER TABLE s REORGANIZE PARTITION p0, p1 INTO "
        "(PARTITION x VALUES LESS THAN (2000), PARTITION y VALUES LESS THAN (2021))",
        "ALTER TABLE s DROP PARTITION pm",
        "ALTER TABLE s ADD PARTITION (PARTITION z VALUES LESS THAN (2030))",
        "ALTER TABLE s PARTITION BY HASH (id) PARTITIONS 2",
        "ALTER TABLE s ADD PARTITION PARTITIONS 2",
        "ALTER TABLE s COALESCE PARTITION 3",
        "ALTER TABLE s REMOVE PARTITIONING",
    )
    partitions = [one.partitioning.partitions if one.partitioning else None for one in versions_of(result, "s")]
    found = [None if some is None else [partition.name for partition in some] for some in partitions]
    assert found == [
        ["p0", "p1", "pm"],
        ["x", "y", "pm"],
        ["x", "y"],
        ["x", "y", "z"],
        ["p0", "p1"],
        ["p0", "p1", "p2", "p3"],
        ["p0"],
        None,
    ]
    assert partitions[3] is not None and partitions[3][2] == Partition("z", ("2030",))
    assert [one.kind for one in result.effects] == [DdlKind.DROP_PARTITION]
    assert {one.incarnation for one in result.versions} == {1}


def test_a_table_has_no_more_numbered_partitions_than_tidb_takes() -> None:
    add = ",".join(["ADD PARTITION PARTITIONS 8000"] * 5)
    result = folded("CREATE TABLE s (id INT) PARTITION BY KEY (id) PARTITIONS 3", f"ALTER TABLE s {add}")
    partitioning = last(result, "s").partitioning
    assert partitioning is not None
    assert [one.name for one in partitioning.partitions] == [f"p{number}" for number in range(8192)]


def test_exchange_names_both_tables_whichever_the_message_names() -> None:
    exchange = "ALTER TABLE `shop`.`s` EXCHANGE PARTITION `p1` WITH TABLE `shop`.`x`"
    result = folded(SALES, "CREATE TABLE x (id INT, yr INT)", DdlEvent(30, "shop", "x", exchange))
    (effect,) = result.effects
    assert (effect.table_name, effect.counterpart_table_name) == ("s", "x")
    assert (effect.table_id, effect.counterpart_table_id) == ("`shop`.`s`@10", "`shop`.`x`@20")
    assert [(one.lower, one.upper) for one in effect.partitions] == [(("2020",), ("2021",))]
    assert len(result.versions) == 2


def test_partitions_that_nobody_told_are_a_problem() -> None:
    result = folded("ALTER TABLE s DROP PARTITION p0", CREATE, "ALTER TABLE t TRUNCATE PARTITION p0")
    assert codes(result) == [ProblemCode.UNKNOWN_PARTITION] * 2
    assert [one.partitions for one in result.effects] == [(), ()]


# Any order of anything

NAMES = ("a", "b", "c")
TEXTS = st.sampled_from(
    [
        text.format(one=one, two=two)
        for one in NAMES
        for two in NAMES
        for text in (
            "CREATE TABLE {one} (id INT PRIMARY KEY, {two} INT)",
            "CREATE TABLE {one} LIKE {two}",
            "DROP TABLE {one}",
            "DROP DATABASE shop",
            "FLASHBACK DATABASE shop",
            "TRUNCATE {one}",
            "RENAME TABLE {one} TO {two}",
            "RENAME TABLE {one} TO x, {two} TO {one}, x TO {two}",
            "RECOVER TABLE {one}",
            "FLASHBACK TABLE {one} TO {two}",
            "ALTER TABLE {one} ADD {two} INT FIRST",
            "ALTER TABLE {one} DROP {two}",
            "ALTER TABLE {one} CHANGE {two} z TEXT",
            "ALTER TABLE {one} PARTITION BY HASH (id) PARTITIONS 2",
            "ALTER TABLE {one} EXCHANGE PARTITION p0 WITH TABLE {two}",
            "ALTER TABLE {one} NONSENSE",
        )
    ]
)
SCHEMAS = st.sampled_from([schema_text(Column("id", "int", 1), Column("a", "text")), "[]", "no JSON"])
EVENTS = st.one_of(
    st.builds(
        DdlEvent,
        st.integers(1, 6),
        st.just("shop"),
        st.sampled_from(NAMES),
        TEXTS,
        st.none(),
        st.one_of(st.none(), SCHEMAS),
    ),
    st.builds(DdlEvent, st.integers(0, 6), st.just("shop"), st.sampled_from(NAMES), st.none(), st.none(), SCHEMAS),
)


@cases(1500)
@given(st.lists(EVENTS, max_size=14), st.booleans())
def test_any_events_give_versions_that_do_not_overlap(events: list[DdlEvent], with_export: bool) -> None:
    export = exported("a", ("id", "int(11)", "PRI")) if with_export else []
    result = fold(events, export)
    assert result == fold([*events, *(event for event in events if event.ddl_query)], export)
    by_name: dict[tuple[str, str], list[TableVersion]] = defaultdict(list)
    by_identity: dict[tuple[str, int], list[TableVersion]] = defaultdict(list)
    for version in result.versions:
        assert version.valid_to_ts is None or version.valid_from_ts < version.valid_to_ts
        assert len({one.column_id for one in version.columns}) == len(version.columns)
        by_name[version.schema_name, version.table_name.lower()].append(version)
        by_identity[version.table_id, version.incarnation].append(version)
    for versions in (*by_name.values(), *by_identity.values()):
        versions.sort(key=lambda one: one.valid_from_ts)
        for one, following in pairwise(versions):
            assert one.valid_to_ts is not None and one.valid_to_ts <= following.valid_from_ts


# As SQL functions


def test_kinds_for_sql() -> None:
    array = udf.kind_batch(pa.array(["RENAME TABLE a TO d.b", None, "no DDL"]), pa.array(["shop", "shop", None]))
    assert array.to_pylist() == [
        {
            "kind": "rename_table",
            "tables": [{"schema_name": "shop", "table_name": "a"}, {"schema_name": "d", "table_name": "b"}],
        },
        None,
        {"kind": "unreadable", "tables": []},
    ]
