"""Models over typed tables: the texts of their files, whatever the names hold, the same for every target."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.typed.codegen import Model, Request, Table, as_jinja, models_batch, models_of, query, query_batch
from ticdc_udfs.typed.plans import Version

HEAD = '{% if ticdc is defined %}-- depends_on: {{ ref("ticdc", "ticdc__tables") }}{% endif %}\n'
OF_CURRENT = ("_commit_ts", "_lossy")
OF_HISTORY = (
    *("_row_key", "_valid_from_ts", "_valid_to_ts", "_valid_from_at", "_valid_to_at", "_op", "_closed_by"),
    "_lossy",
)
LOSSY = "Columns whose value is not known to be what TiDB holds, each with the reason."


def schema(columns: Mapping[str, str]) -> str:
    return json.dumps([{"name": name, "type": upstream} for name, upstream in columns.items()])


def models(
    columns: Mapping[str, str],
    keys: Sequence[str] = ("id",),
    relation: str = "shop.orders",
    history: str | None = None,
    **others: Any,
) -> list[Model]:
    told: dict[str, Any] = {"feed": "f", "schema_name": "Shop", "table_name": "Orders", **others}
    return models_of(
        Table(
            table_schema=schema(columns),
            current_relation=relation,
            history_relation=history,
            key_columns=json.dumps(keys),
            with_history=history is not None,
            **told,
        )
    )


def model(columns: Mapping[str, str], *arguments: Any, **others: Any) -> Model:
    (found,) = models(columns, *arguments, **others)
    return found


def history(columns: Mapping[str, str], former: Sequence[Mapping[str, str]] = ()) -> Model:
    versions = tuple(Version(place, schema(each)) for place, each in enumerate([*former, columns]))
    _, found = models(columns, history="shop.orders_history", versions=versions)
    return found


def node(of: Model) -> dict[str, Any]:
    """What the yml says of the model itself."""
    (found,) = of.yml["models"]
    return dict(found)


def columns_of(of: Model) -> dict[str, dict[str, Any]]:
    return {column["name"]: column for column in node(of)["columns"]}


def selected(of: Model) -> list[str]:
    *_, text = of.sql.partition("{%- else -%}\nselect\n")
    text, _, _ = text.partition("\nfrom ")
    return [name.removeprefix("    ") for name in text.split(",\n")]


def test_a_table() -> None:
    nullable = {"ID": ("bigint(20)", False), "paid_at": ("timestamp", True), "more": ("int", None)}
    columns = [{"name": name, "type": of, "nullable": is_null} for name, (of, is_null) in nullable.items()]
    (found,) = models_of(Table("f", "Shop", "Orders", json.dumps(columns), "shop.orders", key_columns='["ID"]'))
    assert found.name == "shop__orders"
    assert found.sql == (
        HEAD
        + """{%- set rows = source("f__shop", "orders") %}
{% if execute and not load_relation(rows) -%}
-- the table is gone, and the next `ticdc codegen` takes this model away
select
    cast(null as bigint) as `ID`,
    cast(null as timestamp_ltz) as `paid_at`,
    cast(null as int) as `more`,
    cast(null as bigint) as `_commit_ts`,
    cast(null as array<string>) as `_lossy`
where false
{%- else -%}
select
    `ID`,
    `paid_at`,
    `more`,
    `_commit_ts`,
    `_lossy`
from {{ rows }}
{%- endif %}
"""
    )
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
                        "name": "ID",
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
                    {"name": "more", "quote": True, "data_type": "int", "description": "Upstream: `int`."},
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


@pytest.mark.parametrize(
    ("pattern", "relation", "schema_of_source", "name"),
    [
        (None, "dev_shop.orders", "dev_shop", "dev_shop__orders"),
        ("{schema}", "shop.orders", "shop", "shop__orders"),
        ("{target}_{schema}", "dev_shop.orders", "{{ target.schema | lower }}_shop", "shop__orders"),
        ("{target}", "dev.orders", "{{ target.schema | lower }}", "shop__orders"),
        ("{feed}_{schema}_{target}", "f_shop_dev.orders", "f_shop_{{ target.schema | lower }}", "f_shop__orders"),
        ("Raw_{target}", "raw_dev.orders", "raw_{{ target.schema | lower }}", "raw__orders"),
    ],
)
def test_models_are_those_of_every_target(pattern: str | None, relation: str, schema_of_source: str, name: str) -> None:
    """Files that were written of one target named its schemas, and broke in every other one."""
    found = model({"id": "int"}, relation=relation, target_schema=pattern)
    (source,) = found.yml["sources"]
    assert (source["schema"], found.name) == (schema_of_source, name)
    if pattern:
        assert "dev" not in found.sql + json.dumps(found.yml)


def test_a_history() -> None:
    found = history({"id": "int"}, former=[{"gone": "varchar(9)", "id": "int"}])
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


def test_a_history_whose_columns_never_changed_has_those_of_now() -> None:
    assert selected(history({"id": "int", "v": "text"}))[:3] == ["`id`", "`v`", "`_row_key`"]


@pytest.mark.parametrize(
    ("keys", "tests", "of_model"),
    [
        ((), {}, None),
        (("b",), {"b": ["not_null", "unique"]}, None),
        (
            ("b", "a`"),
            {"a``": ["not_null"], "b": ["not_null"]},
            [{"unique": {"arguments": {"column_name": "struct(`a```, `b`)"}}}],
        ),
    ],
)
def test_keys(keys: Sequence[str], tests: Mapping[str, list[str]], of_model: object) -> None:
    found = model({"a`": "int", "b": "int"}, keys)
    assert {name: each["data_tests"] for name, each in columns_of(found).items() if "data_tests" in each} == tests
    assert node(found).get("data_tests") == of_model


def test_digits_that_rows_have_make_the_type_as_in_the_relation() -> None:
    columns = {"a": "decimal", "b": "decimal", "c": "bit"}
    found = columns_of(model(columns, observed='{"a": [3, 2], "c": [0, 0]}'))
    assert [found[name]["data_type"] for name in columns] == ["decimal(38,2)", "string", "string"]


def test_names_that_sql_or_jinja_would_read() -> None:
    names = ("back`tick", "a.b", "{{ x }}", "{% x %}", "{#", "{ x }", "it's", '"', "\\", 'c\rd\n{"\\')
    found = model(dict.fromkeys(names, "int"), relation='`Sh``op`.`{{ "o\\r.d" }}`', table_name="{{ 1 }}")
    assert found.name == 'Sh`op__{{ "o\\r.d" }}'
    assert selected(found)[:-2] == [
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
    assert 'rows = source("f__Sh`op", "\\x7b\\x7b \\"o\\\\r.d\\" \\x7d\\x7d") %}\n' in found.sql
    assert list(columns_of(found))[:3] == ["back``tick", "a.b", r'{{ "\x7b\x7b x \x7d\x7d" }}']
    (source,) = found.yml["sources"]
    description = as_jinja("Rows of Shop.{{ 1 }} upstream, from the feed f, as they are now.")
    assert (source["name"], source["schema"]) == ("f__Sh`op", "Sh`op")
    assert source["tables"] == [{"name": as_jinja('{{ "o\\r.d" }}'), "description": description}]


def test_a_type_that_jinja_would_read() -> None:
    found = model({"id": "enum('{{ 1 }}')"})
    assert columns_of(found)["id"]["description"] == r"""{{ "Upstream: `enum('\x7b\x7b 1 \x7d\x7d')`." }}"""


def test_a_table_with_columns_named_as_those_of_the_package() -> None:
    names = dict.fromkeys(("_lossy", "_op", "lossy", *OF_HISTORY), "int")
    found = models(names, history="shop.orders_history")
    current, past = map(columns_of, found)
    assert [current[name]["description"] for name in ("_lossy", "_op", "lossy")] == ["Upstream: `int`."] * 3
    assert [*current][-2:] == ["_commit_ts", "__lossy"]
    assert current["__lossy"]["description"] == LOSSY
    assert [*past][-8:] == [f"_{name}" for name in OF_HISTORY]
    (test,) = node(found[1])["data_tests"]
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
    table = {"feed": "f", "schema_name": "s", "table_name": "t", "current_relation": "s.t", "history_relation": "s.h"}
    text = json.dumps({**table, "table_schema": schema({"表": "int"}), "row_count": 1})
    found, nothing = models_batch(pa.array([text, None], pa.string())).to_pylist()
    (only,) = json.loads(found)
    assert only["name"] == "s__t" and "    `表`,\n" in only["sql"]
    assert [column["name"] for column in only["yml"]["models"][0]["columns"]] == ["表", *OF_CURRENT]
    assert nothing is None


def test_the_query_asks_for_one_feed_by_the_names_that_relations_have() -> None:
    relations = {"int_ticdc__table_states": "lake.`states of mine`"}
    text = query(Request("it's", True, relations))
    assert r"tables.feed = 'it\'s'" in text and "true as with_history" in text
    assert "from int_ticdc__typed_tables as tables\ninner join lake.`states of mine` as states" in text
    assert "try_element_at(batches, 'states of mine')" in text
    request = json.dumps({"feed": "it's", "history": True, "relations": relations})
    assert query_batch(pa.array([request, None], pa.string())).to_pylist() == [text, None]
