"""Checks what users configure: the variables of the package, the options of their feeds, and the table of messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeGuard

from ticdc_udfs.contract.faults import got, meant, unknown_members
from ticdc_udfs.contract.options import OPTIONS, Kind
from ticdc_udfs.contract.source import FILE_PROTOCOLS, problems_of_columns, problems_of_source

TYPED_RELATIONS = ("current", "history", "as_of")
"""The relations that a typed table can have, as the macro `feeds` has them."""

_FEED_MEMBERS = (
    *("name", "protocol", "source", "topics", "finished_topics", "partitions", "keep_messages", "options"),
    *("target_schema", "tables", "typed_relations"),
)
_LOAD_MEMBERS = ("feed", "schema", "table", "relation", "commit_ts", "key_columns")
_BACKSLASH = "in it a backslash stands before %, _ or another one"
_NAME = re.compile(r"[A-Za-z0-9_]+")
_OFFSET = re.compile(r"[+-](\d{1,2}):(\d\d)", re.ASCII)
_LIKE = re.compile(r"([^\\]|\\[\\%_])+")
_LIKE_TABLES = re.compile(r"!?([^\\!]|\\[\\%_])([^\\]|\\[\\%_])*")


def problems_of(
    variables: Mapping[str, Any], relations: Sequence[tuple[str, str, Mapping[str, str]]] = ()
) -> list[str]:
    """What is wrong, a text for each fault: where it is, the value got, and what is allowed. None where all is right.

    Args:
        variables: Those of the package by name, as JSON values; one that is not there has its default.
        relations: Those that feeds read, each as it is named, its layout, and the types of its columns by name, both
            in lower case; none where there is no such table. The source `ticdc.messages` has the name "".
    """
    feeds = variables.get("ticdc__feeds")
    mappings = [feed for feed in feeds if isinstance(feed, dict)] if isinstance(feeds, list) else []
    names = [feed.get("name") for feed in mappings]
    return [
        *_of_feeds(feeds),
        *_of_variables(variables),
        *_of_chosen_feeds("ticdc__redrive", variables.get("ticdc__redrive", False), names),
        *_of_chosen_feeds("ticdc__accept_lost_messages", variables.get("ticdc__accept_lost_messages", False), names),
        *_of_initial_loads(variables.get("ticdc__initial_loads") or [], names),
        *_of_relations(variables.get("ticdc__messages_schema", "ticdc_raw"), relations),
    ]


def _of_feeds(feeds: object) -> Iterator[str]:
    if not isinstance(feeds, list) or not feeds:
        yield f"ticdc__feeds: {got(feeds)}, expected a list of at least one feed (vars in dbt_project.yml)"
        return
    names: list[object] = []
    for number, feed in enumerate(feeds):
        place = f"ticdc__feeds[{number}]"
        if not isinstance(feed, dict):
            yield f"{place}: {got(feed)}, expected a mapping with name, protocol and topics"
            continue
        yield from unknown_members(feed, _FEED_MEMBERS, place)
        yield from _of_name(feed.get("name"), names, place)
        yield from _of_topics_or_files(feed, f"{place}.topics")
        yield from problems_of_source(feed, place)
        if feed.get("finished_topics") is not None:
            yield from _of_topics(feed["finished_topics"], f"{place}.finished_topics")
        yield from _of_partitions(feed.get("partitions"), place)
        yield from _of_target_schema(feed.get("target_schema"), place)
        yield from _of_tables(feed.get("tables"), place)
        yield from _of_typed_relations(feed.get("typed_relations"), place)
        yield from _of_protocol(feed, place)
        names.append(feed.get("name"))


def _of_name(name: object, before: Sequence[object], place: str) -> Iterator[str]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{place}.name: {got(name)}, expected letters, digits and _"
    elif name in before:
        yield f"{place}.name: {got(name)} a second time; each feed needs a name of its own"


def _of_topics_or_files(feed: Mapping[str, object], place: str) -> Iterator[str]:
    if feed.get("protocol") not in FILE_PROTOCOLS:
        yield from _of_topics(feed.get("topics"), place)
    elif feed.get("topics") is not None:
        yield f"{place}: {got(feed['topics'])}, expected none, as the files of {feed['protocol']} have no topics"


def _of_topics(topics: object, place: str) -> Iterator[str]:
    if not _are_texts(topics) or not topics:
        yield f"{place}: {got(topics)}, expected a list of SQL like patterns"
        return
    for topic in topics:
        if not _LIKE.fullmatch(topic):
            yield f"{place}: {got(topic)}, expected a SQL like pattern; {_BACKSLASH}"


def _of_partitions(partitions: object, place: str) -> Iterator[str]:
    if partitions is not None and not _is_count(partitions, 1):
        yield f"{place}.partitions: {got(partitions)}, expected the number of partitions of each topic"


def _of_target_schema(pattern: object, place: str) -> Iterator[str]:
    if pattern is not None and (told := _allowed_instead(pattern, "pattern")):
        yield f"{place}.target_schema: {got(pattern)}, allowed: null (no typed tables) or {told}"


def _of_tables(patterns: object, place: str) -> Iterator[str]:
    if patterns is None:
        return
    if not _are_texts(patterns) or not patterns:
        yield f"{place}.tables: {got(patterns)}, expected a list of SQL like patterns of schema.table"
        return
    for pattern in patterns:
        if not _LIKE_TABLES.fullmatch(pattern):
            told = f"a SQL like pattern, with ! before it for tables to leave out; {_BACKSLASH}"
            yield f"{place}.tables: {got(pattern)}, expected {told}"


def _of_typed_relations(relations: object, place: str) -> Iterator[str]:
    if relations is None:
        return
    if not isinstance(relations, list) or not relations or any(each not in TYPED_RELATIONS for each in relations):
        yield f"{place}.typed_relations: {got(relations)}, allowed: a list of {', '.join(TYPED_RELATIONS)}"


def _of_protocol(feed: Mapping[str, object], place: str) -> Iterator[str]:
    protocol = feed.get("protocol")
    if isinstance(protocol, str) and protocol in OPTIONS:
        yield from _of_options(feed.get("options"), protocol, f"{place}.options")
    else:
        yield f"{place}.protocol: {got(protocol)},{meant(protocol, OPTIONS)} allowed: {', '.join(OPTIONS)}"


def _of_options(options: object, protocol: str, place: str) -> Iterator[str]:
    given = {} if options is None else options
    allowed = ", ".join(OPTIONS[protocol])
    # an option of older versions, in whose place the feed has a member, is taken, and not told
    kinds: Mapping[str, Kind] = {**OPTIONS[protocol], "target_schema": "pattern"}
    if not isinstance(given, dict):
        yield f"{place}: {got(options)}, expected a mapping with: {allowed}"
        return
    for option, value in given.items():
        if option not in kinds:
            is_of_clients = isinstance(option, str) and option.startswith(("security.", "sasl.", "ssl."))
            hint = " Kafka's settings are in source.kafka.options," if is_of_clients else meant(option, kinds)
            yield f"{place}: unknown option {_json(option)},{hint} allowed for {protocol}: {allowed}"
        elif told := _allowed_instead(value, kinds[option]):
            yield f"{place}.{option}: {got(value)}, allowed: {told}"
    if "schemas" in kinds and "schemas" not in given:
        yield f"{place}.schemas: got null, allowed: {_allowed_instead(None, 'schemas')}"


def _allowed_instead(value: object, kind: Kind) -> str | None:
    """None where an option takes a value, else a text of what it takes."""
    if not isinstance(kind, str):
        is_allowed = any(value is each or (value == each and isinstance(each, str)) for each in kind)
        return None if is_allowed else ", ".join(each if isinstance(each, str) else _json(each) for each in kind)
    takes, told = _KINDS[kind]
    return None if isinstance(value, str) and takes(value) else told


@cache
def _time_zones() -> frozenset[str]:
    """The names of the IANA database, from the package that is the same on every machine."""
    return frozenset(resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()) - {"Factory"}


def _is_offset(text: str) -> bool:
    match = _OFFSET.fullmatch(text)
    return match is not None and int(match[1]) * 60 + int(match[2]) <= 14 * 60 and int(match[2]) < 60


def _is_pattern(text: str) -> bool:
    for name in ("{schema}", "{feed}", "{target}"):
        text = text.replace(name, "_")
    return _NAME.fullmatch(text) is not None


def _is_place_of_schemas(text: str) -> bool:
    return bool(text) and ("://" not in text or text.lower().startswith(("http://", "https://")))


def _of_variables(variables: Mapping[str, object]) -> Iterator[str]:
    """Those that hold one value."""
    for name, (is_allowed, told) in _VARIABLES.items():
        if name in variables and not is_allowed(variables[name]):
            yield f"{name}: {got(variables[name])}, {told}"


def _of_chosen_feeds(variable: str, chosen: object, names: Sequence[object]) -> Iterator[str]:
    if isinstance(chosen, bool) or (isinstance(chosen, list) and all(name in names for name in chosen)):
        return
    yield f"{variable}: {got(chosen)}, allowed: true, false, or a list of names of feeds"


def _of_initial_loads(loads: object, feed_names: Sequence[object]) -> Iterator[str]:
    if not isinstance(loads, list):
        yield f"ticdc__initial_loads: {got(loads)}, expected a list"
        return
    seen: list[tuple[object, ...]] = []
    for number, load in enumerate(loads):
        place = f"ticdc__initial_loads[{number}]"
        if not isinstance(load, dict):
            yield f"{place}: {got(load)}, expected a mapping with {', '.join(_LOAD_MEMBERS[:5])}"
            continue
        yield from _of_load(load, feed_names, place)
        table = (str(load.get("schema")).lower(), str(load.get("table")).lower())
        of = (load.get("feed"), *table, load.get("commit_ts"))
        if of in seen:
            yield f"{place}: a second load of the same table as of the same commit"
        seen.append(of)


def _of_load(load: Mapping[str, object], feed_names: Sequence[object], place: str) -> Iterator[str]:
    yield from unknown_members(load, _LOAD_MEMBERS, place)
    if load.get("feed") not in feed_names:
        allowed = ", ".join(name if isinstance(name, str) else _json(name) for name in feed_names if name)
        yield f"{place}.feed: {got(load.get('feed'))}, allowed: {allowed}"
    for member in ("schema", "table", "relation"):
        if not _is_text(load.get(member)):
            yield f"{place}.{member}: {got(load.get(member))}, expected a name"
    if not _is_count(load.get("commit_ts"), 1):
        yield f"{place}.commit_ts: {got(load.get('commit_ts'))}, expected the TSO of the export"
    if not _are_texts(load.get("key_columns") or []):
        yield f"{place}.key_columns: {got(load.get('key_columns'))}, expected a list of names of columns"


def _of_relations(schema: object, relations: Sequence[tuple[str, str, Mapping[str, str]]]) -> Iterator[str]:
    for relation, layout, columns in relations:
        if relation:
            yield from problems_of_columns(columns, layout, f"source {relation} (of a feed in ticdc__feeds)")
        elif _is_text(schema):  # else it is a problem of its own
            place = f"source {schema}.messages (ticdc__messages_schema says where it is)"
            yield from problems_of_columns(columns, layout, place)


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_texts(values: object) -> TypeGuard[list[str]]:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


_KINDS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "time zone": (
        lambda text: text in _time_zones(),
        "names of the IANA time zone database, such as UTC or Asia/Shanghai",
    ),
    "session time zone": (
        lambda text: text in _time_zones() or _is_offset(text),
        "names of the IANA time zone database, such as Asia/Shanghai, or offsets from -14:00 to +14:00, such as +08:00",
    ),
    "pattern": (_is_pattern, "letters, digits, _, {schema}, {feed} and {target}"),
    "schemas": (_is_place_of_schemas, "the http or https URL of a schema registry, a JSON file, or a relation"),
    "text": (bool, "a text"),
    "delimiter": (lambda text: 1 <= len(text) <= 3, "one to three signs"),
    "quote": (lambda text: len(text) <= 1, 'one sign, or "" where nothing is quoted'),
    "null": (lambda text: True, "a text, which may be empty"),
}

_VARIABLES: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "ticdc__visibility": (lambda value: value in ("complete", "latest"), "allowed: complete, latest"),
    "ticdc__messages_schema": (_is_text, "expected the name of a schema"),
    "ticdc__information_schema": (
        lambda value: value is None or _is_text(value),
        "expected the name of a relation",
    ),
    "ticdc__stalled_after_minutes": (lambda value: _is_count(value, 1), "expected a number of minutes, 1 or more"),
    "ticdc__stored_from_rows": (lambda value: _is_count(value, 0), "expected a number of rows, 0 or more"),
    "ticdc__dead_letter_payloads": (lambda value: value in ("keep", "hash", "cut"), "allowed: keep, hash, cut"),
    "ticdc__lease_minutes": (
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf,
        "expected a number of minutes, more than 0",
    ),
    "ticdc__messages_per_run": (
        lambda value: value is None or _is_count(value, 1),
        "expected a number of messages, 1 or more",
    ),
    "ticdc__redecode": (lambda value: isinstance(value, bool), "allowed: true, false"),
}
