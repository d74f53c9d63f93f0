"""Full load plus changes: a changefeed that was cut, with its tables as of the cut, is the whole changefeed from there.

A warehouse gets the whole changefeed, and then beside it one that begins before the cut, for which the rows as of the
cut are exports: typed tables, and text in columns of any order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import session
from support.cases import Built, Stage, Story, story
from support.catalogue import at
from support.corpus import SAMPLE, Record, Variant, lines_about, record, renamed
from support.stories import Feed, Table

from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, fold
from ticdc_udfs.catalogue.loaded import canonical, loaded_batch
from ticdc_udfs.contract.schemas import Column, table_schema

CUT = 470610924104843264
LINEAGE = ("feed", "schema_name", "table_name", "table_id", "table_incarnation")
EARLY = CUT - (60 << 28)
# What the changefeed brings again of the time before the cut, in milliseconds.
OVERLAP = 60
# An export tells no partitions: DDL of partitions of `sales`, or that exchanges one with `exch`, cannot be applied.
PARTITIONED = {"shop.sales", "shop.exch"}
# They are renamed, truncated, given columns and other keys, and have rows that swap their keys or have none.
TABLES = ("customers", "evolve", "exch", "keyless", "sales", "swappy", "trunc_me", "ren1", "ren2", "ren1b")
TABLES += ("types_zoo_misc", "types_zoo_time")
Query = Callable[[str], list[dict[str, Any]]]
CHECKPOINTS = (CUT, 470610924799000576, 470610924950257664)


# Rows of an export


@pytest.mark.parametrize(
    "value, column_type, text",
    [
        (None, "int", None),
        ("18446744073709551615", "bigint(20) unsigned", "18446744073709551615"),
        (True, "tinyint(1)", "1"),
        ("1.5", "decimal(10,2)", "1.50"),
        ("1E-10", "decimal(20,12)", "0.000000000100"),
        ("99999999999999999999999999999999999.999999999999999999999999999999", "decimal(65,30)", None),
        ("5", "decimal(5)", "5"),
        ("1.5", "decimal", "1.5"),
        ("1.0E10", "double", "10000000000"),
        ("0.1", "float", "0.1"),
        ("2024-01-02 03:04:05.000000", "datetime", "2024-01-02 03:04:05"),
        ("2024-01-02 03:04:05.120000", "timestamp(3)", "2024-01-02 03:04:05.120"),
        ("2024-01-02 03:04:05", "datetime(6)", "2024-01-02 03:04:05.000000"),
        ("-01:02:03", "time(1)", "-01:02:03.0"),
        ("0", "year(4)", "0000"),
        (["c", "a"], "set('a','b','c')", "a,c"),
        ([], "set('a')", ""),
        (["1.0", "-2.5"], "vector(2)", "[1,-2.5]"),
        ("/wA=", "blob", "/wA="),
        ("ab   ", "char(5)", "ab"),
        ("ab   ", "varchar(5)", "ab   "),
        ("5.0", "int(11)", "5"),
        ("-5.0", "bigint(20)", "-5"),
        ("1.0E7", "int(11)", "10000000"),
        ("0", "tinyint(4)", "0"),
        ("00042", "int(5) unsigned", "42"),
        ("5.000000000000000000", "bigint(20) unsigned", "5"),
        ("1.0", "bit(8)", "1"),
        ("2024.0", "year(4)", "2024"),
        ("0.0", "year(4)", "0000"),
        ("2024-01-02 00:00:00.000000", "date", "2024-01-02"),
        ("0000-00-00", "date", "0000-00-00"),
        ("2024-01-02", "datetime(3)", "2024-01-02 00:00:00.000"),
        ("0000-00-00 00:00:00", "timestamp", "0000-00-00 00:00:00"),
        ('{"a": 1}', "json", '{"a": 1}'),
        ("1.0", "", "1.0"),
    ],
)
def test_values_of_spark_become_canonical_text(value: Any, column_type: str, text: str | None) -> None:
    expected = value if text is None else text
    assert canonical(value, column_type) == expected


@pytest.mark.parametrize(
    "value, column_type",
    [
        ("5.5", "int(11)"),
        ("9.007199254740994E15", "bigint(20)"),
        ("x", "int(11)"),
        ("", "bigint(20)"),
        ("NaN", "int(11)"),
        ("AQ==", "bit(8)"),
        ("2024-01-01", "year(4)"),
        ("2024-01-02 03:04:05.000000", "date"),
        ("2024-01-02T03:04:05", "datetime"),
        ("1970-01-01 12:34:56.000000", "time"),
        ("no base64!", "varbinary(20)"),
    ],
)
def test_a_value_that_is_none_of_its_type_is_flagged(value: str, column_type: str) -> None:
    columns = json.dumps([{"column_id": 1, "name": "v", "type": column_type}])
    row, _, lossy = loaded({"v": value}, columns)
    assert (json.loads(row), lossy) == ({"v": value}, ["v:not_converted", "*:no_key"])


def test_a_key_that_spark_has_as_double_is_that_of_changes() -> None:
    columns = '[{"column_id":1,"name":"id","type":"bigint(20)","key":1}]'
    row, row_key, lossy = loaded({"id": 7.0}, columns)
    assert (row, row_key, lossy) == ('{"id":"7"}', '{"id":"7"}', [])


def loaded(row: Mapping[str, Any], columns: str = "[]", keys: str = "[]") -> tuple[str, str, list[str]]:
    (found,) = loaded_batch(*(pa.array([text]) for text in (json.dumps(row), columns, keys))).to_pylist()
    return found["row"], found["row_key"], found["lossy"]


def test_rows_have_the_columns_and_key_of_their_table() -> None:
    columns = json.dumps(
        [
            {"column_id": 1, "name": "Id", "type": "bigint(20)", "key": 1},
            {"column_id": 2, "name": "g", "type": "int", "generated": "virtual"},
            {"column_id": 3, "name": "d", "type": "decimal(5,2)"},
        ]
    )
    assert loaded({"d": 1, "ID": 7, "g": 5}, columns) == ('{"Id":"7","d":"1.00"}', '{"Id":"7"}', [])
    flags = ["d:not_converted", "z:not_converted"]
    assert loaded({"id": 7, "d": "x", "z": None}, columns) == ('{"Id":"7","d":"x","z":null}', '{"Id":"7"}', flags)
    # nothing tells the columns
    assert loaded({"a": 1, "b": True}, keys='["B"]') == ('{"a":"1","b":"1"}', '{"b":"1"}', [])
    assert loaded({"a": 1}) == ('{"a":"1"}', '{"a":"1"}', ["*:no_key"])


def test_a_load_begins_an_incarnation() -> None:
    schema = table_schema([Column("id", "int", 1)]).text.decode()
    result = fold(
        [
            DdlEvent(20, "s", "t", "ALTER TABLE t ADD COLUMN v INT"),
            DdlEvent(20, "s", "t", None, "initial_load"),
            DdlEvent(10, "s", "t", "CREATE TABLE t (id INT PRIMARY KEY)"),
            DdlEvent(30, "s", "t", "DROP TABLE t"),
            DdlEvent(20, "s", "u", None, "initial_load"),
            DdlEvent(25, "s", "u", None, None, schema),
        ]
    )
    before, after = at(result, "t", 15), at(result, "t", 21)
    assert (before.incarnation, before.ended_by) == (1, DdlKind.ADD_COLUMN)
    assert (after.table_id, after.incarnation, after.incarnation_ts) == (before.table_id, 2, 20)
    assert (after.started_by, after.ended_by) == (DdlKind.INITIAL_LOAD, DdlKind.DROP_TABLE)
    assert [column.name for column in after.columns] == ["id", "v"]
    # a table that no message told of before
    other = at(result, "u", 21)
    assert (other.incarnation, [column.name for column in other.columns]) == (2, ["id"])
    assert not result.problems


# A cut changefeed


def commit_of(record: Record) -> int:
    message = json.loads(record.value or b"{}")
    return int(message["_tidb"].get("commitTs") or message["_tidb"]["watermarkTs"])


Rows = Mapping[str, list[tuple[str, ...]]]
"""Rows of each table, in order."""
HISTORY = ("feed", "schema_name", "table_name", "row_key", "row", "lossy", "valid_from_ts", "valid_to_ts", "closed_by")


class InitialLoads(Story):
    """Rows as of each checkpoint and history from the cut on, of the whole feed and of the cut one.

    What was exported is gone before the messages come that make the feed `early` anew; so are all entries in the end.
    """

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)
    part = "loads"

    def begin(self, folder: Path) -> None:
        self.records = [record(line) for line in lines_about(Variant(SAMPLE, "canal_json"), TABLES)]
        early = {"feed": "early", "schema": "shop", "table": "e", "relation": "exports.early", "commit_ts": EARLY}
        self.loads = [early]
        self.current: dict[Stage, list[dict[str, Any]]] = {}

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        variant = Variant(SAMPLE, "canal_json")
        feeds = [variant.feed("full", "full"), {"name": "early", "protocol": "canal_json", "topics": ["early"]}]
        feeds += [variant.feed("cut", "cut")] if stage >= Stage.SECOND else []
        return [{**feed, "target_schema": None} for feed in feeds]

    def variables(self, stage: Stage) -> Mapping[str, Any]:
        columns = {"ticdc__information_schema": "exports.columns"} if stage >= Stage.SECOND else {}
        return {"ticdc__initial_loads": [] if stage is Stage.IDLE else self.loads, **columns}

    def lines(self, stage: Stage) -> Sequence[str]:
        if stage is Stage.FIRST:
            return [renamed(each.line, "full") for each in self.records]
        if stage is Stage.SECOND:
            cut = [each for each in self.records if commit_of(each) > CUT - (OVERLAP << 18)]
            return [*early_lines(), *(renamed(each.line, "cut") for each in cut)]
        return []

    def before(self, stage: Stage, built: Built) -> None:
        if stage is Stage.FIRST:
            built.rows("create database exports")
            built.rows("create table exports.early as select * from values (1, 1.5), (2, 2) as t(id, d)")
        elif stage is Stage.SECOND:
            built.rows("drop table exports.early")
            self.loads = [*exported(built.rows), *self.loads]
        else:
            for load in self.loads[:-1]:
                built.rows(f"drop table {load['relation']}")

    def after(self, stage: Stage, built: Built) -> None:
        if stage >= Stage.SECOND:
            self.current[stage] = sorted(built.of("current_rows", "early", "cut"), key=str)
        if stage is Stage.SECOND:
            self.read(built)

    def at_last(self, built: Built) -> None:
        built.rows("create table exports.late as select * from exports.columns limit 0")
        told = json.loads(built.feeds.read_text(encoding="utf-8"))
        late = {**self.loads[0], "table": "late", "relation": "exports.late"}
        with_late = built.feeds.with_name("with_late_load.yml")
        with_late.write_text(json.dumps({**told, "ticdc__initial_loads": [late]}), encoding="utf-8")
        with pytest.raises(Exception) as raised:
            session.run(built.warehouse, built.messages, with_late)
        self.error = str(raised.value)

    def read(self, built: Built) -> None:
        ours = "where feed in ('full', 'cut')"
        self.as_of = {
            ts: by_feed(built.rows(f"select * except (commit_ts, commit_at) from ticdc__rows_as_of({ts}) {ours}"))
            for ts in CHECKPOINTS
        }
        self.history = by_feed(
            {**{name: row[name] for name in HISTORY}, "valid_from_ts": max(row["valid_from_ts"], CUT)}
            for row in built.of("row_history", "full", "cut")
            if row["valid_to_ts"] is None or row["valid_to_ts"] > CUT
        )
        self.problems = built.problems("cut")


LOADS = InitialLoads()
story(LOADS)
of_story = pytest.mark.soak("loads")
pytestmark = pytest.mark.usefixtures("built_cases")


def early_lines() -> list[str]:
    """A feed whose messages come a run after its load, and tell what the table was."""
    feed = Feed("early")
    table = Table(feed, "e", "id int, d decimal")
    feed.commit_ts = EARLY - (2 << 28)
    table.ddl("CREATE", "CREATE TABLE {} (`id` INT PRIMARY KEY,`d` DECIMAL(9,2))")
    feed.commit_ts = EARLY
    table.update((1, "1.50"), (1, "3.00"))
    feed.watermark(CHECKPOINTS[-1], 0, 1)
    return feed.lines()


def exported(rows: Query) -> list[dict[str, Any]]:
    """Makes an export of each table as of the cut, and one of their columns; gives the loads."""
    rows(
        "create table exports.columns as select schema_name as table_schema, table_name, column_name, "
        "ordinal_position, column_type, if(is_nullable, 'YES', 'NO') as is_nullable, column_default, "
        "if(key_position > 0, 'PRI', '') as column_key, "
        "if(generated is null, '', upper(generated) || ' GENERATED') as extra, "
        "collation as collation_name from ticdc__columns "
        f"where feed = 'full' and valid_from_ts <= {CUT} and coalesce(valid_to_ts > {CUT}, true)"
    )
    rows(
        "create table exports.rows as select schema_name, table_name, row "
        f"from ticdc__rows_as_of({CUT}) where feed = 'full'"
    )
    loads = []
    tables = rows(
        "select schema_name, table_name, first(row) as row from exports.rows "
        "group by schema_name, table_name order by schema_name, table_name"
    )
    for place, table in enumerate(tables):
        names = sorted(json.loads(table["row"]))
        columns = ", ".join(
            f"element_at(from_json(row, 'map<string, string>'), {text(name)}) as `{name.replace('`', '``')}`"
            for name in names
        )
        rows(
            f"create table exports.t{place} as select {columns} from exports.rows "
            f"where schema_name = {text(table['schema_name'])} and table_name = {text(table['table_name'])}"
        )
        loads.append(
            {
                "feed": "cut",
                "schema": table["schema_name"],
                "table": table["table_name"],
                "relation": f"exports.t{place}",
                "commit_ts": CUT,
            }
        )
    return loads


def text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def by_feed(rows: Iterable[dict[str, Any]]) -> dict[str, Rows]:
    found: dict[str, dict[str, list[tuple[str, ...]]]] = {"full": {}, "cut": {}}
    for row in sorted(rows, key=lambda row: str(row["row_key"])):
        table = f"{row['schema_name']}.{row['table_name']}"
        values = (value for name, value in row.items() if name not in LINEAGE)
        found[row["feed"]].setdefault(table, []).append(tuple(map(str, values)))
    return {feed: {table: sorted(of_table) for table, of_table in tables.items()} for feed, tables in found.items()}


def differing(whole: Rows, cut: Rows) -> dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]:
    """The first rows that only one of both has, by table; but for `PARTITIONED`."""
    return {
        table: (sorted({*there} - {*here})[:2], sorted({*here} - {*there})[:2])
        for table in sorted({*whole, *cut} - PARTITIONED)
        for there, here in [(whole.get(table, []), cut.get(table, []))]
        if there != here
    }


@of_story
@pytest.mark.parametrize("checkpoint", CHECKPOINTS)
def test_the_cut_feed_is_the_whole_one_from_the_cut_on(checkpoint: int) -> None:
    of_feed = LOADS.as_of[checkpoint]
    assert sum(map(len, of_feed["full"].values())) > 100
    assert differing(of_feed["full"], of_feed["cut"]) == {}


@of_story
def test_history_from_the_cut_on_is_the_same() -> None:
    assert differing(LOADS.history["full"], LOADS.history["cut"]) == {}


@of_story
def test_a_load_that_was_taken_before_its_feed_had_messages() -> None:
    """And whose export was gone when these came: its feed is built again from what was read of it."""
    rows = [("1", "3.00"), ("2", "2.00")]
    early = [row for row in LOADS.current[Stage.SECOND] if row["feed"] == "early"]
    assert [(row["row_key"], row["row"], row["lossy"]) for row in early] == [
        (f'{{"id":"{id}"}}', f'{{"id":"{id}","d":"{d}"}}', []) for id, d in rows
    ]


@of_story
def test_rows_of_loads_stay_where_exports_and_entries_are_gone() -> None:
    assert LOADS.current[Stage.IDLE] == LOADS.current[Stage.SECOND]


@of_story
def test_partitions_that_nothing_tells_are_a_problem() -> None:
    """Also where rows that came out of one are changed in the other table."""
    found = {
        (row["schema_name"], row["table_name"], row["code"]) for row in LOADS.problems if row["severity"] == "error"
    }
    assert found == {("shop", "sales", "unknown_partition"), ("shop", "exch", "change_without_row")}


@of_story
def test_a_load_of_a_commit_that_is_built_is_explained() -> None:
    assert "ticdc__initial_loads has what begins before commits that are built already" in LOADS.error
