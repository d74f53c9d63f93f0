"""What typed tables are made of: types that values complete, and columns that a table once had."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.typed.names import Settings
from ticdc_udfs.typed.plans import (
    Plan,
    PlannedTable,
    Recoding,
    UpstreamColumn,
    Version,
    columns_batch,
    columns_of,
    plans_of,
)
from ticdc_udfs.typed.types import BARE_TYPES, Digits

SETTINGS = Settings("analytics", {"a": "{schema}"}, ("ticdc",))


def schema(**types: str) -> str:
    return json.dumps([{"name": name, "type": of, "nullable": True} for name, of in types.items()])


def plan(
    of: str,
    known: Mapping[str, Digits] | None = None,
    measured: Mapping[str, Digits] | None = None,
    versions: Sequence[tuple[int, str]] | None = None,
) -> Plan:
    past = None if versions is None else tuple(Version(*version) for version in versions)
    table = PlannedTable("a", "shop", "t", "shop.t@1", of, None, known or {}, measured, past)
    (found,) = plans_of([table], SETTINGS)
    return found


def types(found: Plan) -> dict[str, str]:
    return {column.name: column.type for column in found.columns}


def test_a_table_without_a_past() -> None:
    of = [
        {"name": "B", "type": "int", "key": 2},
        {"name": "a", "type": "json"},
        {"name": "id", "type": "int", "key": 1},
    ]
    found = plan(json.dumps(of))
    assert (found.schema, found.current, found.history, found.as_of) == ("shop", "t", "t_history", "t_as_of")
    assert [(column.name, column.stored_as, column.type) for column in found.columns] == [
        ("B", "c1", "int"),
        ("a", "c2", "string"),
        ("id", "c3", "int"),
    ]
    assert found.key_columns == ("id", "B")
    assert (found.problems, found.observed, found.past_columns) == ((), {}, None)


def test_a_table_without_key_has_no_key_columns() -> None:
    assert plan(schema(a="int")).key_columns == ()


@pytest.mark.parametrize(
    ("known", "measured", "observed", "spark"),
    [
        (None, None, (0, 0), "string"),
        (None, (5, 2), (5, 2), "decimal(38,2)"),
        ((7, 1), None, (7, 1), "decimal(38,1)"),
        ((7, 1), (5, 2), (7, 2), "decimal(38,2)"),
        ((30, 0), (1, 9), (30, 9), "string"),
    ],
)
def test_digits_once_seen_are_not_forgotten(
    known: tuple[int, int] | None, measured: tuple[int, int] | None, observed: tuple[int, int], spark: str
) -> None:
    found = plan(
        schema(d="decimal", e="decimal(5,2)"),
        None if known is None else {"d": Digits(*known)},
        None if measured is None else {"d": Digits(*measured)},
    )
    assert found.observed == {"d": observed}
    assert types(found) == {"d": spark, "e": "decimal(5,2)"}


@pytest.mark.parametrize("bare", BARE_TYPES)
def test_without_a_value_among_the_rows_of_now_those_of_the_past_are_not_rounded(bare: str) -> None:
    """All rows are deleted, or NULL there: the history may hold 1.50."""
    for measured in (None, {"d": Digits(0, 0)}):
        found = plan(schema(d=bare), measured=measured, versions=[(1, schema(d=bare)), (2, schema(d=bare, e="int"))])
        assert types(found) == {"d": "string"} and past(found)["d"][0] == "string"


def past(found: Plan) -> dict[str, tuple[str, tuple[str, ...], tuple[Recoding, ...]]]:
    assert found.past_columns is not None
    return {column.name: (column.type, column.spellings, column.recodings) for column in found.past_columns}


def test_a_column_that_went_comes_last_in_the_type_that_it_had_first() -> None:
    versions = [(1, schema(gone="int", a="int")), (2, schema(gone="bigint", a="int")), (3, schema(a="bigint"))]
    found = plan(schema(a="bigint"), versions=versions)
    assert past(found) == {"a": ("bigint", ("a",), ()), "gone": ("bigint", ("gone",), ())}
    assert [column.stored_as for column in found.past_columns or ()] == ["c1", "c2"]


def test_a_decimal_that_went_without_precision_is_text() -> None:
    found = plan(schema(a="int"), versions=[(1, schema(a="int", d="decimal")), (2, schema(a="int"))])
    assert past(found)["d"] == ("string", ("d",), ())


def test_a_name_in_another_case_is_a_spelling_of_the_column() -> None:
    versions = [(1, schema(name="text", Gone="int")), (2, schema(NAME="text", gone="int")), (3, schema(Name="text"))]
    found = plan(schema(Name="text"), versions=versions)
    assert past(found) == {
        "Name": ("string", ("Name", "name", "NAME"), ()),
        "gone": ("int", ("gone", "Gone"), ()),
    }


def test_a_column_that_was_text_and_is_binary_now_is_recoded_for_its_time_as_text() -> None:
    versions = [(1, schema(c="blob")), (2, schema(c="text")), (3, schema(c="varchar(9)")), (5, schema(c="blob"))]
    assert past(plan(schema(c="blob"), versions=versions))["c"] == ("binary", ("c",), (Recoding(2, 5),))
    assert past(plan(schema(c="text"), versions=[*versions, (7, schema(c="text"))]))["c"] == (
        "string",
        ("c",),
        (Recoding(1, 2), Recoding(5, 7)),
    )
    until_now = [(1, schema(c="text")), (2, schema(c="blob"))]
    assert past(plan(schema(c="text"), versions=until_now))["c"][2] == (Recoding(2, None),)


def test_a_table_that_cannot_be_typed_has_its_reason() -> None:
    found = plan(schema(a="int", A="int"))
    assert (found.schema, found.current, found.history, found.as_of) == (None, None, None, None)
    assert found.problems == ({"reason": "columns_alike", "detail": "a, A"},)


def test_the_columns_of_one_version() -> None:
    of = [UpstreamColumn("d", "decimal"), UpstreamColumn("e", "decimal"), UpstreamColumn("n", "int unsigned")]
    assert [column.type for column in columns_of(of, {"d": Digits(3, 1)})] == ["decimal(38,1)", "string", "bigint"]


def texts(*values: str | None) -> pa.Array[Any]:
    return pa.array(values, pa.string())


def test_columns_for_sql() -> None:
    found = columns_batch(
        texts(schema(d="decimal"), schema(d="bit"), None), texts('{"d":[1,0]}', None, "{}")
    ).to_pylist()
    assert [text and json.loads(text) for text in found] == [
        [{"name": "d", "stored_as": "c1", "type": "decimal(38,0)"}],
        [{"name": "d", "stored_as": "c1", "type": "string"}],
        None,
    ]
