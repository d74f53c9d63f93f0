"""Where the messages of a feed are: its member `source`, checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ticdc_udfs.contract.faults import got, unknown_members
from ticdc_udfs.contract.kafka_options import problems_of_kafka

LAYOUTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "kafka": {
        "topic": ("string",),
        "partition": ("int", "bigint", "smallint", "tinyint"),
        "offset": ("bigint", "int"),
        "timestamp": ("timestamp", "timestamp_ntz"),
        "key": ("binary",),
        "value": ("binary",),
    },
    "aiven_json_lines": {
        "offset": ("bigint", "int"),
        "timestamp": ("string", "timestamp", "timestamp_ntz"),
        "key": ("string",),
        "value": ("string",),
    },
    "redpanda_iceberg": {"redpanda": ("struct",), "value": ("binary",)},
}
"""The columns of each layout of a relation with raw messages, with the types that they may have."""

_INEXACT: Mapping[str, str] = {
    "iceberg_kafka_connect": "it drops messages whose value is null, and such are the deletions of Avro",
    "confluent_s3_bin": "it parts messages by line breaks, which binary messages hold themselves",
}
"""Layouts that others write, and why no exact tables can be made of them."""

_MEMBERS = ("relation", "kafka", "files")
_RELATION_MEMBERS = ("relation", "layout")
FILE_PROTOCOLS = ("storage_canal_json", "storage_csv")
"""The protocols whose messages lie in files, those of TiCDC's storage sink."""

_URL = re.compile(r"(s3a|file|abfss?|gs|hdfs|wasbs?|oss)://\S.*|/.*", re.DOTALL)
_TEXT_TYPE = re.compile(r"(var)?char\(.*")


def problems_of_source(feed: Mapping[str, object], place: str) -> Iterator[str]:
    """What is wrong with the member `source` of a feed at `place`, a text for each fault."""
    source, of_files = feed.get("source"), feed.get("protocol") in FILE_PROTOCOLS
    if source is None:
        if of_files:
            yield f"{place}.source: got null, expected the folder of the storage sink: {{files: s3a://bucket/prefix}}"
    elif not isinstance(source, dict) or sum(member in source for member in _MEMBERS) != 1:
        yield f"{place}.source: {got(source)}, expected a mapping with one of {', '.join(_MEMBERS)}"
    elif of_files and "files" not in source:
        yield f"{place}.source: {got(source)}, allowed for {feed['protocol']}: files"
    elif "relation" in source:
        yield from _of_relation(source, feed.get("topics"), f"{place}.source")
    elif "kafka" in source:
        yield from unknown_members(source, ("kafka",), f"{place}.source")
        yield from problems_of_kafka(source["kafka"], f"{place}.source.kafka")
    else:
        yield from _of_files(source, of_files, f"{place}.source")
    yield from _of_kept(feed.get("keep_messages"), source, place)


def problems_of_columns(columns: Mapping[str, str], layout: str, place: str) -> Iterator[str]:
    """What keeps a relation at `place` from being one of raw messages in a layout, by the types of its columns.

    `columns` has names and types in lower case, and none where there is no such relation. A layout that is none is a
    problem of its feed.
    """
    if not columns:
        yield f"{place}: no such table"
        return
    for name, types in LAYOUTS.get(layout, {}).items():
        found = columns.get(name, "no such column")
        if ("string" if _TEXT_TYPE.match(found) else found.partition("<")[0]) not in types:
            yield f"{place}: {name}: got {found}, expected {types[0]}"


def _of_relation(source: Mapping[str, object], topics: object, place: str) -> Iterator[str]:
    yield from unknown_members(source, _RELATION_MEMBERS, place)
    relation, layout = source["relation"], source.get("layout", "kafka")
    if not isinstance(relation, str) or not relation:
        yield f"{place}.relation: {got(relation)}, expected the name of a relation"
    if isinstance(layout, str) and layout in _INEXACT:
        yield f"{place}.layout: {got(layout)}: {_INEXACT[layout]}; allowed: {', '.join(LAYOUTS)}"
    elif layout not in LAYOUTS:
        yield f"{place}.layout: {got(layout)}, allowed: {', '.join(LAYOUTS)}"
    elif layout == "redpanda_iceberg" and not _is_one_name(topics):
        yield f"{place}.layout: {got(layout)} holds one topic, expected its name alone in topics, {got(topics)}"


def _is_one_name(topics: object) -> bool:
    return (
        isinstance(topics, list)
        and len(topics) == 1
        and isinstance(topics[0], str)
        and not re.search(r"[%_]", re.sub(r"\\.", "", topics[0]))
    )


def _of_files(source: Mapping[str, object], of_files: bool, place: str) -> Iterator[str]:
    yield from unknown_members(source, ("files",), place)
    files = source["files"]
    if not of_files:
        yield f"{place}: files are read by the protocols {' and '.join(FILE_PROTOCOLS)} alone"
    if not isinstance(files, str) or not _URL.fullmatch(files):
        yield f"{place}.files: {got(files)}, expected the folder of the storage sink, such as s3a://bucket/prefix"


def _of_kept(kept: object, source: object, place: str) -> Iterator[str]:
    if kept is None or kept is False:
        return
    if kept is not True:
        yield f"{place}.keep_messages: {got(kept)}, allowed: true, false"
    elif not isinstance(source, dict) or "kafka" not in source:
        yield f"{place}.keep_messages: got true, allowed where the messages are in Kafka (source)"
