"""Rows that wait for a schema which is there, and tells nothing of them (Debezium without inline schema)."""

from __future__ import annotations

import json

from ticdc_udfs.protocols.resolution import Row, resolve

ROW = Row('{"id":"1"}', None, None, '{"id":"1","d":"10794"}', ("*:no_schema",))


def schema(**types: str) -> str:
    return json.dumps([{"name": name, "type": type_} for name, type_ in types.items()])


def test_a_table_without_columns_tells_nothing() -> None:
    """Of a table that Debezium brings back without a word, no column is known: a day's number is no date."""
    assert resolve(ROW, "debezium", "[]", "{}", None) == ROW


def test_a_column_that_the_schema_lacks_is_flagged() -> None:
    found = resolve(ROW, "debezium", schema(id="int"), "{}", None)
    assert (found.after, found.lossy) == (b'{"id":"1","d":"10794"}', ("d:no_schema",))
    found = resolve(ROW, "debezium", schema(id="int", d="date"), "{}", None)
    assert (found.after, found.lossy) == (b'{"id":"1","d":"1999-07-22"}', ())


def test_a_row_that_did_not_wait_keeps_a_column_that_the_schema_lacks() -> None:
    row = ROW._replace(lossy=("*:no_key",))
    assert resolve(row, "canal_json", schema(id="int"), "{}", None).lossy == ("*:no_key",)
