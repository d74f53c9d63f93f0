"""Models over typed tables: the texts of their files, whatever the names hold."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.typed.codegen import Column, Model, Relation, UpstreamColumn, as_jinja, model_batch, model_of

HEAD = '{% if ticdc is defined %}-- depends_on: {{ ref("ticdc", "ticdc__tables") }}{% endif %}\nselect\n'
OF_CURRENT = {"_commit_ts": "bigint", "_lossy": "array<string>"}
OF_HISTORY = {
    "_row_key": "string",
    "_valid_from_ts": "bigint",
    "_valid_to_ts": "bigint",
    "_valid_from_at": "timestamp",
    "_valid_to_at": "timestamp",
    "_op": "string",
    "_closed_by": "string",
    "_lossy": "array<string>",
}
LOSSY = "Columns whose value is not known to be what TiDB holds, each with the reason."


def model(
    columns: dict[str, str],
    keys: str = "id",
    relation: str = "shop.orders",
    table_name: str = "Orders",
    is_history: bool = False,
    upstream: tuple[UpstreamColumn, ...] = (),
) -> Model:
    described = tuple(Column(*column) for column in columns.items())
    key_columns = tuple(keys.split(", ")) if keys else ()
    return model_of(Relation("f", "Shop", table_name, relation, is_history, described, key_columns, upstream))


def node(of: Model) -> dict[str, Any]:
    """What the yml says of the model itself."""
    (found,) = of.yml["models"]
    return dict(found)


def columns_of(of: Model) -> dict[str, dict[str, Any]]:
    return {column["name"]: column for column in node(of)["columns"]}


def selected(of: Model) -> list[str]:
    text, _, _ = of.sql.removeprefix(HEAD).partition("\nfrom ")
    return [name.removeprefix("    ") for name in text.split(",\n")]


def test_a_table() -> None:
    upstream = (UpstreamColumn("ID", "bigint(20)", False), UpstreamColumn("paid_at", "timestamp", True))
    found = model({"id": "bigint", "paid_at": "timestamp", "more": "int", **OF_CURRENT}, upstream=upstream)
    assert found.name == "shop__orders"
    names = "    `id`,\n    `paid_at`,\n    `more`,\n    `_commit_ts`,\n    `_lossy`\n"
    assert found.sql == HEAD + names + 'from {{ source("f__shop", "orders") }}\n'
    description = "Rows of Shop.Orders upstream, from the feed f, as they are now."
    yml = {
        "version": 2,
        "sources": [
            {
                "name": "f__shop",
                "schema": "shop",
                "quoting": {"schema": True, "identifier": True},
                "tables": [{"name": "orders", "description": description}],
            }
        ],
        "models": [
            {
                "name": "shop__orders",
                "description": description,
                "config": {"contract": {"enforced": True}},
                "columns": [
                    {
                        "name": "id",
                        "quote": True,
                        "data_type": "bigint",
                        "description": "Upstream: `bigint(20)`, not null.",
                        "data_tests": ["not_null", "unique"],
                    },
                    {
                        "name": "paid_at",
                        "quote": True,
                        "data_type": "timestamp_ltz",
                        "description": "Upstream: `timestamp`.",
                    },
                    {"name": "more", "quote": True, "data_type": "int"},
                    {
                        "name": "_commit_ts",
                        "quote": True,
                        "data_type": "bigint",
                        "description": "TSO of the last change of the row.",
                    },
                    {"name": "_lossy", "quote": True, "data_type": "array<string>", "description": LOSSY},
                ],
            }
        ],
    }
    # members stand in the file in this order
    assert json.dumps(found.yml) == json.dumps(yml)


def test_a_history() -> None:
    upstream = (UpstreamColumn("id", "int"),)
    columns = {"id": "int", "gone": "string", **OF_HISTORY}
    found = model(columns, relation="shop.orders_history", is_history=True, upstream=upstream)
    assert (found.name, selected(found)[:3]) == ("shop__orders_history", ["`id`", "`gone`", "`_row_key`"])
    assert node(found)["description"] == (
        "Rows of Shop.Orders upstream, from the feed f: which values each held from when to when."
    )
    assert {name: column["description"] for name, column in columns_of(found).items()} == {
        "id": "Upstream: `int`.",
        "gone": "A column that the table no longer has.",
        "_row_key": "The row's key as JSON text, with the names and types that it had then.",
        "_valid_from_ts": "The commit from which on the row held these values (TSO).",
        "_valid_to_ts": "The commit from which on it did not any more (TSO). NULL where it still does.",
        "_valid_from_at": "Time of the commit from which on the row held these values, to the millisecond.",
        "_valid_to_at": "Time of the commit from which on it did not any more, to the millisecond.",
        "_op": "What began the time: `insert`, `update` or `upsert`.",
        "_closed_by": "What ended the time: `update`, `delete`, or the kind of a DDL. NULL where nothing did.",
        "_lossy": LOSSY,
    }
    assert not any("data_tests" in column for column in columns_of(found).values())
    arguments = {
        "key": ["_row_key"],
        "valid_from": "_valid_from_ts",
        "valid_to": "_valid_to_ts",
        "closed_by": "_closed_by",
    }
    assert node(found)["data_tests"] == [{"ticdc.history_intervals": {"arguments": arguments}}]
    assert list(node(found)) == ["name", "description", "config", "columns", "data_tests"]


@pytest.mark.parametrize(
    ("keys", "tests", "of_model"),
    [
        ("", {}, None),
        ("b", {"b": ["not_null", "unique"]}, None),
        (
            "b, a`",
            {"a``": ["not_null"], "b": ["not_null"]},
            [{"unique": {"arguments": {"column_name": "struct(`a```, `b`)"}}}],
        ),
    ],
)
def test_keys(keys: str, tests: dict[str, list[str]], of_model: object) -> None:
    found = model({"a`": "int", "b": "int", **OF_CURRENT}, keys)
    assert {name: each["data_tests"] for name, each in columns_of(found).items() if "data_tests" in each} == tests
    assert node(found).get("data_tests") == of_model


def test_names_that_sql_or_jinja_would_read() -> None:
    names = ("back`tick", "a.b", "{{ x }}", "{% x %}", "{#", "{ x }", "it's", '"', "\\", 'c\rd\n{"\\')
    found = model(dict.fromkeys(names, "int"), relation='`Sh``op`.`{{ "o\\r.d" }}`', table_name="{{ 1 }}")
    assert found.name == 'Sh`op__{{ "o\\r.d" }}'
    assert selected(found) == [
        "`back``tick`",
        "`a.b`",
        r'{{ "`\x7b\x7b x \x7d\x7d`" }}',
        r'{{ "`\x7b% x %\x7d`" }}',
        r'{{ "`\x7b#`" }}',
        "`{ x }`",
        "`it's`",
        '`"`',
        "`\\`",
        '{{ "`c\\rd\n\\x7b\\"\\\\`" }}',
    ]
    assert found.sql.endswith('\nfrom {{ source("f__Sh`op", "\\x7b\\x7b \\"o\\\\r.d\\" \\x7d\\x7d") }}\n')
    assert list(columns_of(found))[:3] == ["back``tick", "a.b", r'{{ "\x7b\x7b x \x7d\x7d" }}']
    (source,) = found.yml["sources"]
    description = as_jinja("Rows of Shop.{{ 1 }} upstream, from the feed f, as they are now.")
    assert (source["name"], source["schema"]) == ("f__Sh`op", "Sh`op")
    assert source["tables"] == [{"name": as_jinja('{{ "o\\r.d" }}'), "description": description}]


def test_a_type_that_jinja_would_read() -> None:
    found = model({"id": "string"}, upstream=(UpstreamColumn("id", "enum('{{ 1 }}')", False),))
    assert columns_of(found)["id"]["description"] == r"""{{ "Upstream: `enum('\x7b\x7b 1 \x7d\x7d')`, not null." }}"""


def test_a_table_with_columns_named_as_those_of_the_package() -> None:
    upstream = (UpstreamColumn("_lossy", "int"), UpstreamColumn("_op", "int"), UpstreamColumn("lossy", "int"))
    own = {"_commit_ts": "bigint", "__lossy": "array<string>"}
    current = columns_of(model({"_lossy": "int", "_op": "int", "lossy": "int", **own}, upstream=upstream))
    assert [current[name]["description"] for name in ("_lossy", "_op", "lossy")] == ["Upstream: `int`."] * 3
    assert current["__lossy"]["description"] == LOSSY

    of_history = {f"_{name}": spark_type for name, spark_type in OF_HISTORY.items()}
    history = model({name: "int" for name in OF_HISTORY} | of_history, is_history=True)
    assert columns_of(history)["_op"]["description"] == "A column that the table no longer has."
    assert columns_of(history)["__op"]["description"].startswith("What began the time")
    (test,) = node(history)["data_tests"]
    assert test["ticdc.history_intervals"]["arguments"] == {
        "key": ["__row_key"],
        "valid_from": "__valid_from_ts",
        "valid_to": "__valid_to_ts",
        "closed_by": "__closed_by",
    }


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("shop.a__b", "shop__a__b"),
        ("shop_.a", "shop___a_0e9c5b"),
        ("shop._a", "shop___a"),
        ("shop__a.b", "shop__a__b_27dd6f"),
        ("catalog.shop.a", "shop__a"),
    ],
)
def test_models_of_several_schemas_stay_apart(relation: str, name: str) -> None:
    assert model({"id": "int"}, relation=relation).name == name


def test_models_for_sql() -> None:
    relation = {"feed": "f", "schema_name": "s", "table_name": "t", "relation": "s.t", "is_history": False}
    text = json.dumps({**relation, "columns": [["表", "int"]], "row_count": 1})
    found, nothing = model_batch(pa.array([text, None], pa.string())).to_pylist()
    assert list(json.loads(found).items())[:2] == [
        ("name", "s__t"),
        ("sql", HEAD + '    `表`\nfrom {{ source("f__s", "t") }}\n'),
    ]
    assert [column["name"] for column in json.loads(found)["yml"]["models"][0]["columns"]] == ["表"]
    assert nothing is None
