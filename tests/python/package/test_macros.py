"""What macros of the package give, as dbt renders them while it parses a small project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.parsed import parsed

from dbt_ticdc.feeds import VARIABLES
from ticdc_udfs.contract import identifiers
from ticdc_udfs.contract.configuration import TYPED_RELATIONS
from ticdc_udfs.typed.types import BARE_TYPES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
FEEDS = {"ticdc__feeds": [{"name": "shop", "protocol": "canal_json", "topics": ["shop-%", "it's"]}]}

IDENTIFIERS = {"id": "id", "_x1": "_x1", "Id": "`Id`", "1a": "`1a`", "a b": "`a b`", "`": "````", "": "``"}
LITERALS = {"a": "'a'", "it's": r"'it\'s'", "\\": r"'\\'", "\\'": r"'\\\''", 'a"b\n': "'a\"b\n'"}
RELATIONS = {
    "ticdc_raw.writer_schemas": "ticdc_raw.writer_schemas",
    "Raw.x y": "`Raw`.`x y`",
    "./registry": "None",
    "Registry.JSON": "None",
    "http://registry": "None",
}

# DDL, and whether it may give up a name, bring a table back or move its key.
DDL = {
    "CREATE TABLE t (id INT PRIMARY KEY, UNIQUE KEY (id))": False,
    "  create  table t (id INT,\n PRIMARY KEY (id))": False,
    "ALTER TABLE t ADD COLUMN c INT": False,
    "CREATE TABLE dropped (id INT PRIMARY KEY)": True,
    "CREATE TABLE t (id INT PRIMARY KEY);\nDROP TABLE u": True,
    "ALTER TABLE t\n ADD PRIMARY KEY (id)": True,
    "CREATE UNIQUE INDEX i ON t (id)": True,
    "ALTER TABLE t CHANGE a b INT": True,
    "DROP DATABASE shop": True,
    "RENAME TABLE t TO u": True,
}

TOPICS = ("t", "T", "it's", "new")

# Ranges of staged offsets: topic, partition, first and last offset, and from where to where messages came late.
STAGED: Mapping[str, list[tuple[str, int, int, int, *tuple[int, ...]]]] = {
    "nothing": [],
    "one partition": [("t", 1, 5, 9)],
    "partitions": [("t", 0, 0, 9), ("t", 1, 3, 20), ("t", 2, 4, 4)],
    "partitions that are not all": [("t", 0, 0, 9), ("t", 2, 0, 9)],
    "gaps": [("t", 0, 0, 3), ("t", 0, 7, 9), ("t", 1, 2, 8)],
    "topics": [("t", 0, 0, 9), ("it's", 0, 3, 5)],
    "topics that differ in case": [("t", 0, 0, 9), ("T", 1, 0, 9)],
    "many ranges": [("it's", partition, first, first + 1) for partition in (0, 1) for first in range(0, 30, 3)],
    "late": [("t", 0, 2, 20, 4, 7)],
    "late in some": [("t", 0, 2, 20, 4, 7), ("t", 1, 0, 30, 0, 30), ("t", 2, 5, 9)],
    "late in topics": [("t", 0, 2, 20), ("it's", 3, 0, 12, 8, 8)],
    "late in many ranges": [("it's", 3, 0, 12, 8, 10), *(("t", 3, 2 * first, 2 * first) for first in range(16))],
}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """What the macros give for the cases above, by the name of the case."""
    project = tmp_path_factory.mktemp("project")
    (project / "dbt_packages").mkdir()
    (project / "dbt_packages" / "ticdc").symlink_to(ROOT, target_is_directory=True)
    (project / "dbt_project.yml").write_text("{name: probe, profile: ticdc}\n", encoding="utf-8")
    (project / "models").mkdir()
    calls = {
        **{f"identifier {name}": f"ticdc.identifier({json.dumps(name)})" for name in IDENTIFIERS},
        **{f"literal {text}": f"ticdc.text_literal({json.dumps(text)})" for text in LITERALS},
        **{f"relation {schemas}": f"ticdc.schemas_relation({json.dumps(schemas)}) | string" for schemas in RELATIONS},
        **{f"staged {name}": _is_not_staged(ranges) for name, ranges in STAGED.items()},
        "bare": "ticdc.bare_types()",
        "endings": "ticdc.may_end_names()",
        "feed": "ticdc.is_of_feed(ticdc.feeds()[0])",
        "gapless": "ticdc.is_gapless()",
        "awaited": "ticdc.awaits_topic()",
        "feeds": "ticdc.feeds()",
        "order": "ticdc.row_order('desc')",
        "variables": "ticdc.variables()",
    }
    meta = ", ".join(f"{json.dumps(name)}: {call}" for name, call in calls.items())
    (project / "models" / "probe.sql").write_text(f"{{{{ config(meta={{{meta}}}) }}}} select 1", encoding="utf-8")
    found: Mapping[str, Any] = parsed(project, FEEDS, project).nodes["model.probe.probe"].config.meta
    return found


def test_the_same_types_are_bare_in_sql_and_python(values: Mapping[str, Any]) -> None:
    assert tuple(values["bare"]) == BARE_TYPES


def test_a_range_of_offsets_is_gapless(values: Mapping[str, Any], spark: SparkSession) -> None:
    from pyspark.sql.functions import expr

    ranges = [(first, first + count) for first in (0, 1, 65535, 65536, 99_999) for count in (0, 1, 65535, 200_000)]
    offsets = spark.createDataFrame(ranges, "first_offset bigint, last_offset bigint").selectExpr(
        "*", "explode(sequence(first_offset, last_offset)) as offset", "last_offset - first_offset + 1 as messages"
    )
    residue = "(`offset` & 65535)"
    sums = offsets.groupBy("first_offset", "last_offset", "messages").agg(
        expr(f"sum({residue}) as residues"), expr(f"sum({residue} * {residue}) as squares")
    )
    assert {row.is_gapless for row in sums.selectExpr(f"{values['gapless']} as is_gapless").collect()} == {True}
    changed = sums.selectExpr("* except (residues)", "residues + 1 as residues")
    assert {row.is_gapless for row in changed.selectExpr(f"{values['gapless']} as is_gapless").collect()} == {False}


def test_identifier(values: Mapping[str, Any]) -> None:
    assert {name: values[f"identifier {name}"] for name in IDENTIFIERS} == IDENTIFIERS
    assert {name: identifiers.identifier(name) for name in IDENTIFIERS} == IDENTIFIERS


def test_text_literal(values: Mapping[str, Any]) -> None:
    assert {text: values[f"literal {text}"] for text in LITERALS} == LITERALS
    assert {text: identifiers.text_literal(text) for text in LITERALS} == LITERALS


def test_schemas_relation(values: Mapping[str, Any]) -> None:
    assert {schemas: values[f"relation {schemas}"] for schemas in RELATIONS} == RELATIONS


def test_the_package_has_the_variables_that_the_command_takes(values: Mapping[str, Any]) -> None:
    assert sorted(values["variables"]) == sorted(VARIABLES)
    assert values["variables"]["ticdc__feeds"] == FEEDS["ticdc__feeds"]


def test_typed_relations(values: Mapping[str, Any]) -> None:
    assert tuple(values["feeds"][0]["typed_relations"]) == TYPED_RELATIONS


def test_feeds(values: Mapping[str, Any]) -> None:
    assert values["feed"] == r"(topic like 'shop-%' or topic like 'it\'s')"
    assert values["awaited"].split() == f"case feed when 'shop' then {values['feed']} else true end".split()
    assert values["feeds"] == [
        {
            **FEEDS["ticdc__feeds"][0],
            "decode": "ticdc_decode_canal_json(key, value, options)",
            "gives_list": False,
            "sends_ddl": True,
            "types_of_rows": "current",
            "tells_updates": True,
            "hides_nulls_of": None,
            "source": {"kind": "relation", "relation": None, "layout": "kafka"},
            "reads": "relation",
            "reader": "stg_ticdc__canal_json",
            "finished_topics": [],
            "partitions": None,
            "claim_check": None,
            "schemas": None,
            "framing": "confluent",
            "binary_handling_mode": None,
            "time_zone": None,
            "session_time_zone": None,
            "options": json.dumps({"feed": FEEDS["ticdc__feeds"][0]["name"]}),
            "target_schema": "{schema}",
            "tables": [],
            "typed_relations": ["current", "history", "as_of"],
        }
    ]


def test_row_order(values: Mapping[str, Any]) -> None:
    columns = ("commit_ts", "apply_rank", "topic", "`partition`", "`offset`", "event_index")
    assert values["order"].split(", ") == [f"{column} desc" for column in columns]


def test_ddl_that_makes_a_table_with_a_key_ends_no_name(values: Mapping[str, Any], spark: SparkSession) -> None:
    texts = spark.createDataFrame([(text,) for text in DDL], "ddl_query string")
    found = texts.selectExpr("ddl_query", f"{values['endings']} as ends").collect()
    assert {row.ddl_query: row.ends for row in found} == DDL


def _is_not_staged(ranges: list[tuple[str, int, int, int, *tuple[int, ...]]]) -> str:
    names = ("topic", "partition", "first_offset", "last_offset", "late_from", "late_to")
    staged: list[dict[str, Any]] = [{"feed": "shop", **dict(zip(names, each, strict=False))} for each in ranges]
    # where messages came late, those of even offsets are staged
    even = ", ".join(
        str(("shop", topic, part, offset, 0, False))
        for topic, part, _, _, *late in ranges
        if late
        for offset in range(late[0], late[1] + 1)
        if offset % 2 == 0
    )
    columns = "feed, topic, `partition`, `offset`, event_index, is_redriven"
    rows = f"(select * from values {even} as rows ({columns}))"
    another = {"feed": "another", "topic": "other", "partition": 0, "first_offset": 0, "last_offset": 99}
    feeds = [{"name": "shop", "topics": list(TOPICS)}, {"name": "another", "topics": ["other"]}]
    return f"ticdc.is_not_staged({json.dumps(feeds)}, {json.dumps([*staged, another])}, {json.dumps(rows)})"


@pytest.mark.parametrize("name", STAGED)
def test_messages_that_are_not_staged(values: Mapping[str, Any], spark: SparkSession, name: str) -> None:
    messages = list(product(("shop",), TOPICS, range(4), range(32)))
    messages += product(("another",), ("other",), range(4), range(32))
    columns = "feed string, topic string, `partition` int, `offset` bigint"
    is_not_staged = values[f"staged {name}"]
    found = spark.createDataFrame(messages, columns).where(f"topic is not null and {is_not_staged}").collect()
    staged = {
        ("shop", topic, part, offset)
        for topic, part, first, last, *late in STAGED[name]
        for offset in range(first, last + 1)
        if not late or not late[0] <= offset <= late[1] or offset % 2 == 0
    }
    staged |= {("another", "other", 0, offset) for offset in range(32)}
    assert sorted(map(tuple, found)) == sorted(set(messages) - staged)
