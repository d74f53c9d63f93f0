"""Tables that come back, under their name or another one: by RECOVER and FLASHBACK, and where no DDL says so."""

from __future__ import annotations

import pytest
from support.catalogue import at, last, names, schema_text, versions_of

from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.ddl import kind_and_tables
from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, fold
from ticdc_udfs.catalogue.tables import ExportedColumn, Origin
from ticdc_udfs.contract.schemas import Column, table_schema


def of(commit_ts: int, table: str, text: str | None, *columns: str, number: int | None = None) -> DdlEvent:
    told = table_schema([Column(name, "int") for name in columns]).text.decode() if columns else None
    return DdlEvent(commit_ts, "shop", table, text, None, told, number)


def codes(result: Fold) -> list[ProblemCode]:
    return [problem.code for problem in result.problems]


CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)"


# RECOVER TABLE BY JOB


def twice_dropped(recover: str, number: int | None = None, *, with_numbers: bool = False) -> Fold:
    """Two tables of one name, one after the other, of which one comes back."""
    texts = [(CREATE, 101), ("DROP TABLE t", 101), (CREATE, 102), ("DROP TABLE t", 102), (recover, number)]
    return fold(
        of(10 * place, "t", text, number=number if with_numbers or number is None else None)
        for place, (text, number) in enumerate(texts, start=1)
    )


@pytest.mark.parametrize("number, incarnation", [(101, 1), (102, 2)])
def test_a_job_brings_back_the_table_whose_id_is_on_the_wire(number: int, incarnation: int) -> None:
    result = twice_dropped("RECOVER TABLE BY JOB 7", number, with_numbers=True)
    assert at(result, "t", 60).incarnation == incarnation and not result.problems


def test_a_job_that_no_id_tells_is_a_problem_and_brings_back_the_newest() -> None:
    result = twice_dropped("RECOVER TABLE BY JOB 7")
    assert at(result, "t", 60).incarnation == 2
    (problem,) = result.problems
    assert (problem.code, problem.commit_ts, problem.table_name) == (ProblemCode.UNSURE_RECOVERY, 50, "t")
    assert "20, 40" in problem.detail


def test_a_table_recovered_by_name_or_dropped_once_is_the_right_one() -> None:
    assert not twice_dropped("RECOVER TABLE t").problems
    assert not fold([of(10, "t", CREATE), of(20, "t", "DROP TABLE t"), of(30, "t", "RECOVER TABLE BY JOB 7")]).problems


def test_an_id_tells_what_was_truncated_too() -> None:
    events = [
        of(10, "t", CREATE, number=101),
        of(20, "t", "TRUNCATE TABLE t", number=102),
        of(30, "t", "DROP TABLE t", number=102),
        of(40, "back", "FLASHBACK TABLE t TO back", "id", "v", number=101),
    ]
    assert last(fold(events), "back").incarnation == 1
    assert last(fold([*events[:3], of(40, "t", "FLASHBACK TABLE t", number=102)]), "t").incarnation == 2


def test_a_name_that_is_there_again_does_not_get_back_what_was_truncated() -> None:
    texts = [(10, "t", CREATE), (20, "t", "TRUNCATE TABLE t"), (30, "u", "RENAME TABLE t TO u"), (40, "t", None)]
    result = fold(of(commit_ts, table, text, "id", "v") for commit_ts, table, text in texts)
    assert codes(result) == [ProblemCode.ROWS_LOST]
    before = {(each.table_id, each.incarnation) for each in result.versions if each.valid_from_ts < 30}
    now = last(result, "t")
    assert (now.table_id, now.incarnation) not in before


def test_an_exchanged_table_has_the_id_of_the_partition() -> None:
    events = [
        of(10, "p", "CREATE TABLE p (id INT PRIMARY KEY, v INT) PARTITION BY HASH (id) PARTITIONS 2", number=100),
        of(20, "t", CREATE, number=103),
        of(30, "p", "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE t", number=100),
        of(40, "t", "TRUNCATE TABLE t", number=104),
        of(50, "old", "FLASHBACK TABLE t TO old", number=101),
    ]
    assert last(fold(events), "old").incarnation == 1 and not fold(events).problems


def test_a_step_of_a_rename_may_bear_no_id() -> None:
    events = [
        of(10, "t", CREATE, number=101),
        of(20, "b", "RENAME TABLE `shop`.`t` TO `shop`.`b`;", number=-1),
        of(30, "b", "DROP TABLE b", number=101),
        of(40, "b", "CREATE TABLE b (id INT PRIMARY KEY, v INT)", number=102),
        of(50, "b", "DROP TABLE b", number=102),
        of(60, "b", "RECOVER TABLE BY JOB 7", number=101),
    ]
    assert last(fold(events), "b").table_id == "`shop`.`t`@10" and not fold(events).problems


def test_a_table_whose_end_was_not_seen_is_there_from_its_recovery_on() -> None:
    result = fold([of(20, "new", "FLASHBACK TABLE `shop`.`old` TO `new`"), of(30, "new", None, "id", "v")])
    assert codes(result) == [ProblemCode.NOTHING_TO_RECOVER]
    (version,) = result.versions
    assert (version.table_name, version.valid_from_ts, version.started_by, names(version)) == (
        "new",
        20,
        DdlKind.RECOVER_TABLE,
        ["id", "v"],
    )


def test_a_flashback_touches_both_names() -> None:
    assert kind_and_tables("FLASHBACK TABLE a TO b", "s")[1] == (("s", "a"), ("s", "b"))
    assert kind_and_tables("FLASHBACK DATABASE a TO b", None)[1] == (("a", None), ("b", None))


# What Debezium does not send


DROPPED = [of(10, "a", "CREATE TABLE a (id INT, v INT, g INT AS (v) VIRTUAL)"), of(20, "a", "DROP TABLE a")]


@pytest.mark.parametrize(
    "first_sign",
    [
        of(30, "b", None, "id", "v"),
        of(30, "b", "ALTER TABLE b ADD COLUMN w INT", "id", "v", "g", "w"),
        of(30, "b", "ALTER TABLE b DROP COLUMN v", "id", "g"),
        of(30, "b", "ALTER TABLE b CHANGE v w BIGINT", "id", "w", "g"),
        of(30, "c", "RENAME TABLE `shop`.`b` TO `shop`.`c`", "id", "v", "g"),
    ],
)
@pytest.mark.parametrize("end", ["DROP TABLE a", "TRUNCATE TABLE a"])
def test_a_table_that_debezium_flashes_back_under_another_name_is_an_error(first_sign: DdlEvent, end: str) -> None:
    events = [DROPPED[0], of(20, "a", end), first_sign]
    (problem,) = fold(events, protocol="debezium").problems
    assert (problem.code, problem.table_name, problem.commit_ts) == (ProblemCode.ROWS_LOST, "b", 30)
    assert "`shop`.`b`" in problem.detail and "`shop`.`a`" in problem.detail and "20" in problem.detail
    # other protocols send the FLASHBACK
    assert not fold(events, protocol="canal_json").problems


def test_a_table_with_other_columns_was_not_flashed_back() -> None:
    for sign in (of(30, "b", None, "id", "z"), of(30, "b", "ALTER TABLE b ADD COLUMN w INT", "id", "z", "w")):
        assert not fold([*DROPPED, sign], protocol="debezium").problems
    # of another database, or there before
    other = DdlEvent(30, "other", "b", None, None, of(30, "b", None, "id", "v").table_schema)
    assert not fold([*DROPPED, other], protocol="debezium").problems
    assert not fold([*DROPPED, of(15, "b", None, "id", "v")], protocol="debezium").problems
    # its rows are those of an export
    loaded = DdlEvent(25, "shop", "b", None, "initial_load")
    assert not fold([*DROPPED, loaded, of(30, "b", None, "id", "v")], protocol="debezium").problems


def test_a_database_that_debezium_flashes_back_under_another_name_is_an_error() -> None:
    row = DdlEvent(30, "other", "a", None, None, of(30, "a", None, "id", "v").table_schema)
    result = fold([DROPPED[0], DdlEvent(20, "shop", "", "DROP DATABASE shop"), row], protocol="debezium")
    assert codes(result) == [ProblemCode.ROWS_LOST]


def test_of_several_tables_dropped_the_one_with_the_columns_of_the_rows_is_back() -> None:
    events = [*DROPPED, of(30, "a", "CREATE TABLE a (id INT, z INT)"), of(40, "a", "DROP TABLE a")]
    result = fold([*events, of(50, "a", None, "id", "v")], protocol="debezium")
    assert at(result, "a", 50).incarnation == 1 and codes(result) == [ProblemCode.MISSING_DDL]
    assert "20" in result.problems[0].detail
    assert codes(fold([*events, of(50, "a", None, "id", "x")])) == [ProblemCode.ROWS_LOST]


def test_virtual_generated_columns_that_rows_do_not_tell_are_no_difference() -> None:
    row = of(10, "t", None, "id", "v")
    modify = of(20, "t", "ALTER TABLE t MODIFY COLUMN v BIGINT", "g", "id", "v")
    result = fold([row, modify], protocol="debezium")
    assert not result.problems
    assert [(one.name, one.generated) for one in last(result, "t").columns] == [
        ("g", "virtual"),
        ("id", None),
        ("v", None),
    ]
    # they stay so, also under another name and emptied; what a later DDL has besides is a difference
    for text in ("RENAME TABLE t TO u", "TRUNCATE TABLE t"):
        name = "u" if "RENAME" in text else "t"
        later = of(30, name, f"ALTER TABLE {name} COMMENT = ''", "g", "id", "v")
        events = [row, of(15, name, text), later]
        assert not fold(events, protocol="debezium").problems
        lost = of(40, name, f"ALTER TABLE {name} COMMENT = 'c'", "g", "id", "v", "w")
        assert codes(fold([*events, lost], protocol="debezium")) == [ProblemCode.SCHEMA_DIFFERS]
    # bootstraps of Simple tell them all
    assert codes(fold([row, modify], protocol="simple")) == [ProblemCode.SCHEMA_DIFFERS]


# Columns that messages tell


@pytest.mark.parametrize("text", ["DROP COLUMN g", "RENAME COLUMN g TO h", "MODIFY COLUMN g INT AS (v) VIRTUAL"])
def test_a_column_that_rows_did_not_tell_is_known_to_no_one(text: str) -> None:
    assert not fold([of(10, "t", None, "id", "v"), of(20, "t", f"ALTER TABLE t {text}")]).problems
    assert codes(fold([of(10, "t", CREATE), of(20, "t", f"ALTER TABLE t {text}")])) == [ProblemCode.UNKNOWN_COLUMN]


def test_rows_with_a_column_that_no_ddl_gave_are_a_problem() -> None:
    row = of(20, "t", None, "id", "v", "w")
    (problem,) = fold([of(10, "t", CREATE), row]).problems
    assert (problem.code, problem.commit_ts) == (ProblemCode.SCHEMA_DIFFERS, 20) and problem.detail.endswith(": w")
    # rows of the millisecond of the DDL, where TSOs hold no more
    assert not fold([of(10, "t", CREATE), row, of(20, "t", "ALTER TABLE t ADD COLUMN w INT")]).problems
    assert not fold([of(10, "t", CREATE), of(20, "t", None, "id")]).problems
    assert not fold([of(10, "t", None, "id"), row], protocol="avro").problems


def test_a_column_that_rows_of_a_table_from_before_the_feed_have_since_is_a_problem() -> None:
    """Rows from before lack it, and no message tells what TiDB has there."""
    columns = [Column("id", "int", 1), Column("v", "int", 0), Column("w", "int", 0)]
    key, old, new = (DdlEvent(10 * many, "shop", "t", None, None, schema_text(*columns[:many])) for many in range(1, 4))
    result = fold([old, new], protocol="canal_json")
    (problem,) = result.problems
    assert (problem.code, problem.commit_ts) == (ProblemCode.SCHEMA_DIFFERS, 30) and problem.detail.endswith(": w")
    assert names(last(result, "t")) == ["id", "v", "w"]
    for add in (of(25, "t", "ALTER TABLE t ADD COLUMN w INT"), of(30, "t", "ALTER TABLE t ADD COLUMN w INT")):
        assert not fold([old, new, add], protocol="canal_json").problems
    # the first row had its key alone
    assert not fold([key, new], protocol="canal_json").problems


def test_a_first_row_of_its_key_alone_does_not_hide_columns_for_good() -> None:
    events = [of(10, "t", None, "id"), of(20, "t", "ALTER TABLE t ADD COLUMN w INT"), of(30, "t", None, "id", "v", "w")]
    result = fold(events)
    assert names(last(result, "t")) == ["id", "v", "w"] and not result.problems


def test_another_order_of_columns_is_no_difference() -> None:
    assert not fold([of(10, "t", CREATE, "v", "id")]).problems


def test_columns_that_an_export_has_of_later_are_no_difference() -> None:
    export = [
        ExportedColumn("shop", "t", "id", 1, "int(11)", False, None, "PRI"),
        ExportedColumn("shop", "t", "w", 2, "int(11)"),
    ]
    alter = of(20, "t", "ALTER TABLE t MODIFY COLUMN v BIGINT", "id", "v")
    result = fold([alter, of(30, "t", "ALTER TABLE t DROP COLUMN v, ADD COLUMN w INT", "id", "w")], export)
    assert [names(one) for one in versions_of(result, "t")] == [["id", "w"], ["id", "v"], ["id", "w"]]
    assert not result.problems
    # the same columns keep what the export tells of them
    same = fold([of(20, "t", "ALTER TABLE t COMMENT = ''", "id", "w")], export)
    assert last(same, "t").origin is Origin.EXPORT and last(same, "t").columns[0].key == 1


# Bootstraps of Simple


def test_a_bootstrap_of_a_table_made_later_is_no_missing_ddl() -> None:
    export = [ExportedColumn("shop", name, "id", 1, "int(11)", False, None, "PRI") for name in ("t", "u")]
    bootstraps = [of(0, "t", None, "id"), of(0, "u", None, "id")]
    events = [
        of(10, "s", "CREATE TABLE s (id INT PRIMARY KEY)", "id"),
        of(20, "t", "RENAME TABLE `shop`.`s` TO `shop`.`t`", "id"),
        of(30, "u", "CREATE TABLE u (id INT PRIMARY KEY)", "id"),
    ]
    for known in (export, []):
        result = fold([*bootstraps, *events], known, "simple")
        assert not result.problems
        assert [(one.table_name, one.valid_from_ts) for one in result.versions] == [("s", 10), ("t", 20), ("u", 30)]


def test_rows_that_name_a_bootstrap_tell_when_its_name_was_true() -> None:
    # `a` and `b` changed names at 30: each bootstrap counts from the first row that names its version
    swap = [of(30, "b", "RENAME TABLE a TO x, b TO a, x TO b")]
    told = [
        *(of(10, "a", None, "id", "v"), of(20, "b", None, "id", "w")),
        *(of(40, "a", None, "id", "w"), of(50, "b", None, "id", "v")),
    ]
    result = fold([*told, *swap], protocol="simple")
    assert [names(one) for one in versions_of(result, "a")] == [["id", "v"], ["id", "w"]]
    assert not result.problems
