r"""Labels with line breaks, which canal-json and `information_schema` write as `\n`, like a backslash and an n."""

from __future__ import annotations

import json

import pytest
from support.catalogue import column, folded, last
from support.messages import decode, row_message

from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.contract import values
from ticdc_udfs.protocols.resolution import Row, resolve

ENUM = r"enum('a\nb','plain','back\s','it''s')"
SET = r"set('a\rb','plain')"


def image(index: str, mask: str) -> tuple[dict[str, str], tuple[str, ...]]:
    message = row_message({"id": "1", "e": index, "s": mask}, {"id": "int", "e": ENUM, "s": SET})
    event = decode(message)
    assert event.after is not None
    return json.loads(event.after), event.lossy


def test_a_label_that_may_hold_a_line_break_is_flagged_and_others_are_told() -> None:
    assert image("2", "2") == ({"id": "1", "e": "plain", "s": "plain"}, ())
    assert image("3", "0") == ({"id": "1", "e": r"back\s", "s": ""}, ())
    assert image("1", "2") == ({"id": "1", "e": "1", "s": "plain"}, ("e:label_unknown",))
    assert image("4", "3") == ({"id": "1", "e": "it's", "s": "3"}, ("s:label_unknown",))


def test_a_label_that_looks_like_a_number_is_not_taken_for_one_beside_a_flagged_number() -> None:
    """The new image had the label `2` already: the step that knows the labels made the second one of it."""
    message = row_message(
        {"id": "1", "e": "1", "s": "1"},
        {"id": "int", "e": r"enum('2','1','a\nb')", "s": r"set('2','1','a\nb')"},
        type="UPDATE",
        old=[{"id": "1", "e": "3", "s": "4"}],
    )
    event = decode(message)
    assert event.lossy == ("e:label_unknown", "s:label_unknown")
    assert [json.loads(image or b"") for image in (event.before, event.after)] == [
        {"id": "1", "e": "3", "s": "4"},
        {"id": "1", "e": "1", "s": "1"},
    ]
    told = folded("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('2','1','a\nb'), s SET('2','1','a\nb'))")
    schema = json.dumps([{"name": one.name, "type": one.type, "key": one.key} for one in last(told, "t").columns])
    row = resolve(Row(event.row_key, None, event.before, event.after, event.lossy), "canal_json", schema, "{}", None)
    assert row.lossy == ()
    assert [json.loads(image or b"") for image in (row.before, row.after)] == [
        {"id": "1", "e": "a\nb", "s": "a\nb"},
        {"id": "1", "e": "2", "s": "2"},
    ]


def test_the_ddl_tells_the_label() -> None:
    told = folded("CREATE TABLE t (id INT PRIMARY KEY, e ENUM('a\nb','plain'))")
    schema = json.dumps([{"name": one.name, "type": one.type, "key": one.key} for one in last(told, "t").columns])
    wire = Row('{"id":"1"}', None, None, '{"id":"1","e":"1"}', ("e:label_unknown",))
    row = resolve(wire, "canal_json", schema, "{}", None)
    assert row.lossy == ()
    assert json.loads(row.after or "") == {"id": "1", "e": "a\nb"}


def test_an_export_does_not_tell_the_label() -> None:
    export = [ExportedColumn("shop", "t", "id", 1, "int(11)"), ExportedColumn("shop", "t", "e", 2, ENUM)]
    version = last(folded(export=export), "t")
    convert = values.shared_converter(column(version, "e").type)
    assert convert is not None
    assert [convert(index)[0] for index in ("1", "2", "3")] == ["1", "plain", r"back\s"]
    assert convert("1")[1] == "label_unknown"


@pytest.mark.parametrize("column_type", ["enum('a','b')", r"varchar(10)", r"enum('back\s')", "enum"])
def test_types_without_such_labels_stay(column_type: str) -> None:
    assert values.certain_type(column_type) == column_type
