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
