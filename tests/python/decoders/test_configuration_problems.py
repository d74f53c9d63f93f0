"""A wrong configuration is a text for each problem: where it is, the value got and what is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.configuration import PROBLEMS, WRONG
from support.templates import yielded

from ticdc_udfs.contract import configuration, faults, source
from ticdc_udfs.contract.configuration import problems_of
from ticdc_udfs.contract.options import parse

Columns = Mapping[str, str]

COLUMNS: Columns = {
    "topic": "varchar(249)",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp_ntz",
    "key": "binary",
    "value": "binary",
}
FEED: Mapping[str, Any] = {"name": "shop", "protocol": "simple", "topics": ["shop"]}
LOAD: Mapping[str, Any] = {"feed": "shop", "schema": "s", "table": "t", "relation": "x.t", "commit_ts": 1}
SOURCE = "source raw.messages (ticdc__messages_schema says where it is)"
SOURCES: Mapping[str, tuple[Columns, Sequence[str]]] = {
    "fits": ({**COLUMNS, "headers": "array<string>"}, []),
    "a number for a time": ({**COLUMNS, "timestamp": "bigint"}, ["timestamp: got bigint, expected timestamp"]),
    "text for bytes": (
        {**COLUMNS, "key": "string", "value": "char(3)"},
        ["key: got string, expected binary", "value: got char(3), expected binary"],
    ),
    "no offset": (
        {name: COLUMNS[name] for name in COLUMNS if name != "offset"},
        ["offset: got no such column, expected bigint"],
    ),
    "no table": ({}, ["no such table"]),
}
RIGHT: Sequence[Mapping[str, Any]] = (
    {},
    {"ticdc__visibility": "latest", "ticdc__messages_schema": "raw", "ticdc__information_schema": "raw.columns"},
    {"ticdc__stalled_after_minutes": 1, "ticdc__stored_from_rows": 0, "ticdc__lease_minutes": 0.5},
    {"ticdc__information_schema": None, "ticdc__dead_letter_payloads": "cut", "ticdc__redecode": True},
    {"ticdc__redrive": True},
    {"ticdc__redrive": ["shop"], "ticdc__initial_loads": None},
    {"ticdc__initial_loads": [LOAD, {**LOAD, "commit_ts": 2, "key_columns": ["id"]}]},
    {"ticdc__feeds": [{**FEED, "partitions": 3, "options": None, "tables": None, "finished_topics": None}]},
    {"ticdc__feeds": [{**FEED, "finished_topics": ["shop\\_old"], "target_schema": None}]},
    {
        "ticdc__feeds": [
            {**FEED, "tables": ["a.%", "!a.b\\_c"], "typed_relations": ["as_of"], "target_schema": "{feed}_x"}
        ]
    },
    {"ticdc__feeds": [{**FEED, "protocol": "avro", "options": {"schemas": "HTTPS://host/a", "framing": "glue"}}]},
)
WRONG_ONES: Sequence[tuple[Mapping[str, Any], str]] = (
    ({"ticdc__feeds": None}, "ticdc__feeds: got null, expected a list of at least one feed (vars in dbt_project.yml)"),
    ({"ticdc__stalled_after_minutes": True}, "got true, expected a number of minutes, 1 or more"),
    ({"ticdc__lease_minutes": float("nan")}, "got NaN, expected a number of minutes, more than 0"),
    ({"ticdc__visibility": ["latest"]}, 'got ["latest"], allowed: complete, latest'),
    ({"ticdc__visibility": None}, "got null, allowed: complete, latest"),
    ({"ticdc__redrive": {"shop": 1}}, 'got {"shop": 1}, allowed: true, false, or a list of names of feeds'),
    ({"ticdc__initial_loads": LOAD}, "expected a list"),
    ({"ticdc__feeds": [{**FEED, "partitions": True}]}, ".partitions: got true, expected the number of partitions"),
    ({"ticdc__feeds": [{**FEED, "protocol": ["avro"]}]}, '.protocol: got ["avro"], allowed: avro, canal_json'),
    ({"ticdc__feeds": [{**FEED, "topics": ["ä\\b"]}]}, r'.topics: got "\u00e4\\b", expected a SQL like pattern; in it'),
    ({"ticdc__feeds": [{**FEED, "options": {"time_zone": "Factory"}}]}, '.options.time_zone: got "Factory", allowed: '),
    (
        {"ticdc__feeds": [{**FEED, "options": {"session_time_zone": "+14:01"}}]},
        '.options.session_time_zone: got "+14:01", allowed: ',
    ),
    (
        {"ticdc__feeds": [{**FEED, "options": {"security.protocol": "SASL_SSL"}}]},
        'unknown option "security.protocol", Kafka\'s settings are in source.kafka.options, allowed for ',
    ),
    ({"ticdc__feeds": [{**FEED, "options": {"encoding": ["json"]}}]}, '.options.encoding: got ["json"], allowed: json'),
)


def found(variables: Mapping[str, Any], columns: Columns = COLUMNS) -> list[str]:
    return problems_of({"ticdc__feeds": [FEED], "ticdc__messages_schema": "raw", **variables}, [("", "kafka", columns)])


def test_every_problem_is_named() -> None:
    assert found(WRONG) == list(PROBLEMS)


@pytest.mark.parametrize("variables", RIGHT, ids=map(str, range(len(RIGHT))))
def test_what_is_right_is_no_problem(variables: Mapping[str, Any]) -> None:
    assert found(variables) == []


@pytest.mark.parametrize(("variables", "told"), WRONG_ONES, ids=map(str, range(len(WRONG_ONES))))
def test_one_problem(variables: Mapping[str, Any], told: str) -> None:
    (problem,) = found(variables)
    assert told in problem


@pytest.mark.parametrize("name", SOURCES)
def test_the_columns_of_the_source(name: str) -> None:
    columns, problems = SOURCES[name]
    assert found({}, columns) == [f"{SOURCE}: {problem}" for problem in problems]


def test_problems_of_the_source_stand_beside_those_of_variables() -> None:
    assert found({"ticdc__redecode": 1}, {}) == [
        "ticdc__redecode: got 1, allowed: true, false",
        f"{SOURCE}: no such table",
    ]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "+08:00", "-9:30", "+14:00"])
def test_the_zone_of_sessions_is_a_name_or_an_offset(zone: str) -> None:
    assert found({"ticdc__feeds": [{**FEED, "options": {"session_time_zone": zone}}]}) == []


def test_decoders_take_the_time_zones_that_are_allowed() -> None:
    for zone in ("UTC", "Asia/Shanghai", "US/Pacific", "Etc/GMT+5"):
        assert found({"ticdc__feeds": [{**FEED, "options": {"time_zone": zone}}]}) == []
        assert (parse(json.dumps({"time_zone": zone})).time_zone is None) == (zone == "UTC")


OF_KAFKA: Mapping[str, Any] = {"bootstrap_servers": "broker:9092"}
OF_FILES: Mapping[str, Any] = {"name": "lake", "protocol": "storage_csv", "source": {"files": "s3a://bucket/prefix"}}
RIGHT_SOURCES: Sequence[Mapping[str, Any]] = (
    {**FEED, "source": None},
    {**FEED, "source": {"relation": "lake.raw_topic"}},
    {**FEED, "source": {"relation": "lake.raw_topic", "layout": "aiven_json_lines"}},
    {**FEED, "topics": ["my\\_topic"], "source": {"relation": "lake.ns.t", "layout": "redpanda_iceberg"}},
    {**FEED, "source": {"kafka": OF_KAFKA}, "keep_messages": True},
    {
        **FEED,
        "source": {
            "kafka": {
                **OF_KAFKA,
                "isolation_level": "read_uncommitted",
                "options": {
                    "security.protocol": "SASL_SSL",
                    "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required "
                    'username="u" password="${secrets:P}";',
                },
            }
        },
    },
    OF_FILES,
)
WRONG_SOURCES: Sequence[tuple[Mapping[str, Any], str]] = (
    ({**FEED, "source": "lake.raw"}, '.source: got "lake.raw", expected a mapping with one of relation, kafka, files'),
    ({**FEED, "source": {"relation": "a", "files": "/b"}}, "expected a mapping with one of relation, kafka, files"),
    ({**FEED, "source": {"relation": 7}}, ".source.relation: got 7, expected the name of a relation"),
    (
        {**FEED, "source": {"relation": "a", "layout": "iceberg_kafka_connect"}},
        '.source.layout: got "iceberg_kafka_connect": it drops messages whose value is null, and such are',
    ),
    (
        {**FEED, "source": {"relation": "a", "layout": "avro"}},
        '.source.layout: got "avro", allowed: kafka, aiven_json_lines, redpanda_iceberg',
    ),
    (
        {**FEED, "topics": ["shop\\_%"], "source": {"relation": "a", "layout": "redpanda_iceberg"}},
        "holds one topic, expected its name alone in topics",
    ),
    ({**FEED, "source": {"kafka": "broker"}}, '.source.kafka: got "broker", expected a mapping with bootstrap_servers'),
    ({**FEED, "source": {"kafka": {}}}, ".bootstrap_servers: got null, expected host:port"),
    (
        {**FEED, "source": {"kafka": {**OF_KAFKA, "isolation_level": "all"}}},
        '.isolation_level: got "all", allowed: read_committed, read_uncommitted',
    ),
    (
        {**FEED, "source": {"kafka": {**OF_KAFKA, "options": {"group.id": "x"}}}},
        '.options: got "group.id", which Spark or the package sets',
    ),
    ({**FEED, "keep_messages": True}, ".keep_messages: got true, allowed where the messages are in Kafka (source)"),
    (
        {**FEED, "keep_messages": "yes", "source": {"kafka": OF_KAFKA}},
        '.keep_messages: got "yes", allowed: true, false',
    ),
    ({**OF_FILES, "protocol": "simple", "topics": ["a"]}, "files are read by the protocols storage_canal_json and"),
    ({**OF_FILES, "source": None}, ".source: got null, expected the folder of the storage sink"),
    (
        {**OF_FILES, "source": {"files": "bucket"}},
        '.source.files: got "bucket", expected the folder of the storage sink',
    ),
    ({**OF_FILES, "source": {"relation": "a.b"}}, "allowed for storage_csv: files"),
    ({**OF_FILES, "topics": ["a"]}, '.topics: got ["a"], expected none, as the files of storage_csv have no topics'),
)


@pytest.mark.parametrize("feed", RIGHT_SOURCES, ids=map(str, range(len(RIGHT_SOURCES))))
def test_a_feed_says_where_its_messages_are(feed: Mapping[str, Any]) -> None:
    assert problems_of({"ticdc__feeds": [feed]}) == []


@pytest.mark.parametrize(("feed", "told"), WRONG_SOURCES, ids=map(str, range(len(WRONG_SOURCES))))
def test_a_source_that_cannot_be_read_is_refused(feed: Mapping[str, Any], told: str) -> None:
    (problem,) = problems_of({"ticdc__feeds": [feed]})
    assert told in problem


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"include_commit_ts": True, "output_old_value": False, "quote": "", "null": "", "delimiter": "|+|"}, None),
        ({"include_commit_ts": False}, ".include_commit_ts: got false, allowed: true"),
        ({"include_commit_ts": 1}, ".include_commit_ts: got 1, allowed: true"),
        ({"output_old_value": "yes"}, '.output_old_value: got "yes", allowed: true, false'),
        ({"delimiter": ""}, '.delimiter: got "", allowed: one to three signs'),
        ({"quote": "''"}, """.quote: got "\'\'", allowed: one sign, or "" where nothing is quoted"""),
        ({"null": 7}, ".null: got 7, allowed: a text, which may be empty"),
        ({"terminator": ""}, '.terminator: got "", allowed: a text'),
        ({"compression": "none"}, 'unknown option "compression", allowed for storage_csv'),
    ],
)
def test_options_of_csv(options: Mapping[str, Any], told: str | None) -> None:
    problems = problems_of({"ticdc__feeds": [{**OF_FILES, "options": options}]})
    assert len(problems) == (told is not None) and all(told in problem for problem in problems if told)


def test_a_password_in_a_configuration_is_refused_and_not_repeated() -> None:
    options = {"sasl.jaas.config": 'required username="u" password="hush";', "ssl.key.password": "hush"}
    kafka = {**OF_KAFKA, "options": options}
    problems = problems_of({"ticdc__feeds": [{**FEED, "source": {"kafka": kafka}}]})
    assert len(problems) == 2 and "hush" not in "".join(problems)


def test_columns_of_other_layouts() -> None:
    relation = ("lake.t", "redpanda_iceberg", {"redpanda": "struct<partition:int>", "value": "string"})
    (problem,) = problems_of({"ticdc__feeds": [FEED]}, [relation])
    assert problem == "source lake.t (of a feed in ticdc__feeds): value: got string, expected binary"


def test_every_problem_has_a_case_here() -> None:
    """What the checks can say is found in their code: a new problem without a case fails."""
    told = [*PROBLEMS, *(problem for wrong, _ in WRONG_ONES for problem in found(wrong)), f"{SOURCE}: no such table"]
    told += [f"{SOURCE}: {problem}" for _, problems in SOURCES.values() for problem in problems]
    for feed, _ in WRONG_SOURCES:
        told += problems_of({"ticdc__feeds": [feed]})
    for module in (configuration, source, faults):
        for template in yielded(Path(str(module.__file__))):
            assert any(template.pattern.fullmatch(text) for text in told), template.place
