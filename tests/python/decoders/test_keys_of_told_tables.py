"""Rows whose messages name no key, of a table that is known from rows of Debezium alone: no schema finishes them."""

from __future__ import annotations

import pytest

from ticdc_udfs.protocols.resolution import Row, resolve

IMAGE, OLD = b'{"v":"6","b":"2","a":"1"}', b'{"v":"5","b":"2","a":"0"}'
KEY = '["a","b"]'


def resolved(row: Row, key_columns: str | None) -> Row:
    return resolve(row, "debezium", None, "{}", None, key_columns)


def test_the_key_of_the_table_is_theirs() -> None:
    row = resolved(Row(IMAGE, OLD, OLD, IMAGE, ("v:double_precision", "*:no_key")), KEY)
    assert (row.row_key, row.before_key) == (b'{"a":"1","b":"2"}', b'{"a":"0","b":"2"}')
    assert (row.before, row.after, row.lossy) == (OLD, IMAGE, ("v:double_precision",))
    deleted = resolved(Row(IMAGE, None, IMAGE, None, ("*:no_key",)), KEY)
    assert (deleted.row_key, deleted.before_key, deleted.lossy) == (b'{"a":"1","b":"2"}', None, ())


@pytest.mark.parametrize(
    ("lossy", "key_columns"),
    [
        (("*:no_key",), None),
        (("*:no_key",), "[]"),
        (("*:no_key",), '["a","w"]'),
        ((), KEY),
        # values are not yet what they become
        (("*:no_schema", "*:no_key"), KEY),
    ],
)
def test_others_stay_as_they_are(lossy: tuple[str, ...], key_columns: str | None) -> None:
    row = Row(IMAGE, OLD, OLD, IMAGE, lossy)
    assert resolved(row, key_columns) == row
