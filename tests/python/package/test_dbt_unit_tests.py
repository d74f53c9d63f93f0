"""The package's dbt unit tests, its generic tests, and the columns of its models, on a table without messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from support.package import Package

VARIABLES: Mapping[str, Any] = {
    "ticdc__feeds": [{"name": "shop", "protocol": "canal_json", "topics": ["shop"]}],
    "ticdc__unit_tests": True,
}
# Of models that are no relations themselves.
NO_RELATIONS = ("ticdc_plan", "ticdc_typed_storages", "ticdc_typed_relations")


class Found(NamedTuple):
    """The columns of each model, in its yml and in its relation, and what came of each test of dbt."""

    columns: Mapping[str, Mapping[str, list[Any]]]
    tests: Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    package = Package(tmp_path_factory.mktemp("unit_tests"), VARIABLES)
    package.passing("build", "--resource-type", "seed", "--resource-type", "model")
    models = [model for model in package.models().values() if model.config.materialized not in NO_RELATIONS]
    package.spark.sql("use ticdc_lint")  # Spark looks for a table function in the current schema alone
    columns = {}
    for model in models:
        schema = package.spark.sql(f"select * from {model.name}{'(0)' if 'arguments' in model.config else ''}").schema
        columns[model.name] = {
            "yml": list(model.columns),
            "relation": schema.names,
            "yml types": [column.data_type for column in model.columns.values()],
            "types": [field.dataType.simpleString() for field in schema],
        }
    tests = {
        result.node.name: {"kind": result.node.resource_type, "status": result.status, "message": result.message}
        for result in package.dbt("test").result
    }
    return Found(columns, tests)


def test_unit_tests_pass(found: Found) -> None:
    results = {name: result for name, result in found.tests.items() if result["kind"] == "unit_test"}
    assert results
    failed = [f"{name}: {result['message']}" for name, result in results.items() if result["status"] != "pass"]
    assert not failed, "\n".join(failed)


def test_generic_tests_pass_where_nothing_is_wrong(found: Found) -> None:
    results = {name: result["status"] for name, result in found.tests.items() if result["kind"] == "test"}
    assert results
    assert set(results.values()) == {"pass"}, results


def test_yml_names_the_columns_of_each_model(found: Found) -> None:
    assert found.columns
    for model, columns in found.columns.items():
        assert columns["yml"] == columns["relation"], model


def test_yml_names_the_types_of_what_users_read(found: Found) -> None:
    """And of views that typed tables read: of these columns are those that are not ready."""
    typed = {model: columns for model, columns in found.columns.items() if any(columns["yml types"])}
    read = {f"int_ticdc__{rows}" for rows in ("newest_rows", "keyed_history", "keyed_changes")}
    assert set(typed) == read | {model for model in found.columns if not model.startswith("int_")}
    for model, columns in typed.items():
        assert [type and type.replace(" ", "") for type in columns["yml types"]] == columns["types"], model
