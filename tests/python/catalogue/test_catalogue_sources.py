"""Tables that no DDL told, but an export or the schema on a message; and what cannot be derived."""

from __future__ import annotations

from support.catalogue import CREATE, at, codes, exported, folded, key, last, names, schema_text, told, versions_of

from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, ProblemCode
from ticdc_udfs.catalogue.tables import Origin
from ticdc_udfs.contract.schemas import Column

EXPORT = exported("t", ("id", "int(11)", "PRI"), ("v", "text", ""), ("w", "date", ""))


def test_a_table_of_the_export_is_valid_from_the_start_and_is_altered() -> None:
    result = folded("ALTER TABLE t ADD w DATE", "ALTER TABLE t RENAME COLUMN v TO x", "TRUNCATE t", export=EXPORT)
    versions = versions_of(result, "t")
    assert [(one.valid_from_ts, one.incarnation, names(one)) for one in versions] == [
        (0, 1, ["id", "v", "w"]),
        (20, 1, ["id", "x", "w"]),
        (30, 2, ["id", "x", "w"]),
    ]
    assert versions[0].started_by is None and versions[0].origin == Origin.EXPORT and key(versions[0]) == ["id"]
    assert not result.problems


def test_a_created_table_needs_no_export() -> None:
    result = folded("CREATE TABLE t (a INT)", export=EXPORT)
    assert [(one.valid_from_ts, names(one), one.origin) for one in result.versions] == [(10, ["a"], Origin.DDL)]


def test_the_export_knows_a_table_by_its_later_name() -> None:
    result = folded("RENAME TABLE u TO t", export=EXPORT)
    assert [(one.table_name, one.valid_from_ts, names(one)) for one in result.versions] == [
        ("u", 0, ["id", "v", "w"]),
        ("t", 10, ["id", "v", "w"]),
    ]


def test_a_table_that_nobody_told_has_versions_without_columns() -> None:
    result = folded("ALTER TABLE t ADD w DATE", "DROP TABLE t", CREATE)
    assert [(one.incarnation, one.valid_from_ts, one.valid_to_ts, len(one.columns)) for one in result.versions] == [
        (1, 0, 20, 0),
        (2, 30, None, 2),
    ]
    assert codes(result) == [ProblemCode.UNKNOWN_TABLE]


def test_a_schema_on_a_ddl_message_tells_an_unknown_table() -> None:
    wire = schema_text(Column("id", "int", 1, False), Column("w", "date", None, True))
    result = folded(DdlEvent(10, "shop", "t", "ALTER TABLE t ADD w DATE", "ALTER", wire))
    before, after = versions_of(result, "t")
    assert (names(before), names(after), key(after), after.origin) == ([], ["id", "w"], ["id"], Origin.WIRE)
    assert not result.problems


def test_a_schema_on_a_message_wins_over_a_text_that_cannot_be_read() -> None:
    wire = schema_text(Column("id", "int", 1, False), Column("s", "secret"))
    result = folded(CREATE, DdlEvent(20, "shop", "t", "ALTER TABLE t ADD s SECRET", "ALTER", wire))
    assert names(last(result, "t")) == ["id", "s"] and last(result, "t").columns[0].column_id == 1
    assert codes(result) == [ProblemCode.UNREADABLE_DDL]


def test_a_schema_that_differs_from_the_text_wins_and_is_a_problem() -> None:
    wire = schema_text(Column("id", "int", 1), Column("other", "int"))
    result = folded(CREATE, DdlEvent(20, "shop", "t", "ALTER TABLE t ADD w INT", "ALTER", wire))
    assert names(last(result, "t")) == ["id", "other"] and codes(result) == [ProblemCode.SCHEMA_DIFFERS]


def test_a_schema_without_ddl_tells_a_table_from_the_start() -> None:
    result = folded(told(50, "t", "id"), DdlEvent(60, "shop", "t", "ALTER TABLE t ADD w INT"))
    assert [(one.valid_from_ts, names(one)) for one in result.versions] == [(0, ["id"]), (60, ["id", "w"])]


def test_a_schema_without_ddl_yields_to_a_create_or_rename_seen() -> None:
    result = folded(told(0, "t", "z"), told(0, "u", "z"), CREATE, "RENAME TABLE t TO u", told(60, "u", "id", "v"))
    assert [(one.table_name, one.valid_from_ts, names(one)) for one in result.versions] == [
        ("t", 30, ["id", "v"]),
        ("u", 40, ["id", "v"]),
    ]
    assert not result.problems


def test_rows_after_a_drop_with_the_same_columns_are_of_the_table_recovered() -> None:
    result = folded(CREATE, "DROP TABLE t", told(50, "t", "id", "v"))
    first, second = versions_of(result, "t")
    assert (first.incarnation, second.incarnation, second.started_by) == (1, 1, DdlKind.RECOVER_TABLE)
    assert at(result, "t", 50) == second and codes(result) == [ProblemCode.MISSING_DDL]


def test_a_row_without_schema_after_a_drop_is_of_the_table_recovered() -> None:
    row = DdlEvent(50, "shop", "t")
    first, second = versions_of(folded(CREATE, "DROP TABLE t", row), "t")
    assert (first.incarnation, second.incarnation, second.started_by) == (1, 1, DdlKind.RECOVER_TABLE)
    assert folded(CREATE, row) == folded(CREATE) and folded(row) == folded()


def test_rows_after_a_drop_with_other_columns_are_of_a_new_table() -> None:
    result = folded(CREATE, "DROP TABLE t", told(50, "t", "id", "z"))
    assert (at(result, "t", 50).incarnation, names(at(result, "t", 50))) == (2, ["id", "z"])


def test_a_ddl_of_a_dropped_table_tells_that_it_was_recovered() -> None:
    result = folded(CREATE, "DROP TABLE t", "ALTER TABLE t ADD w INT")
    assert [(one.incarnation, one.valid_from_ts, one.valid_to_ts, names(one)) for one in versions_of(result, "t")] == [
        (1, 10, 20, ["id", "v"]),
        (1, 20, 30, ["id", "v"]),
        (1, 30, None, ["id", "v", "w"]),
    ]
    assert codes(result) == [ProblemCode.MISSING_DDL]


def test_what_cannot_be_derived_is_a_problem_that_names_the_table() -> None:
    result = folded(
        DdlEvent(10, "shop", "t", "ALTER TABLE t FROBNICATE"),
        "RECOVER TABLE gone",
        CREATE,
        "ALTER TABLE t DROP COLUMN nobody",
        "CREATE TABLE t (x INT) AS SELECT 1 AS x",
        "FLASHBACK CLUSTER TO TIMESTAMP '2024-01-01'",
    )
    assert [(one.commit_ts, one.table_name, one.code) for one in result.problems] == [
        (10, "t", ProblemCode.UNREADABLE_DDL),
        (20, "gone", ProblemCode.NOTHING_TO_RECOVER),
        (40, "t", ProblemCode.UNKNOWN_COLUMN),
        (50, "t", ProblemCode.ROWS_FROM_QUERY),
        (50, "t", ProblemCode.ROWS_LOST),
        (60, None, ProblemCode.FLASHBACK_OF_ROWS),
    ]


def test_an_unsigned_bigint_as_text_is_no_other_type() -> None:
    export = exported("t", ("id", "bigint(20) unsigned", "PRI"), ("v", "bigint(20)", ""), ("w", "datetime(3)", ""))
    known = [Column("id", "text", 1), Column("v", "bigint"), Column("w", "datetime")]
    for signed, origin, types in (
        ("bigint", Origin.EXPORT, ["bigint(20) unsigned", "bigint(20)", "datetime(3)"]),
        ("text", Origin.WIRE, ["bigint(20) unsigned", "text", "datetime(3)"]),
    ):
        known[1] = Column("v", signed)
        version = last(folded(DdlEvent(10, "shop", "t", None, None, schema_text(*known)), export=export), "t")
        assert (version.origin, [column.type for column in version.columns]) == (origin, types)
