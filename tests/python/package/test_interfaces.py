"""What projects may build on: access and contracts of models, exposures, and what dbt says of a project that does."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ModelNode
from support.parsed import ROOT, parsed

FEEDS = [{"name": "shop", "protocol": "canal_json", "topics": ["shop"]}]
PROJECT = {
    "dbt_project.yml": """
        name: theirs
        profile: ticdc
        sources: {ticdc: {+freshness: {warn_after: {count: 1, period: hour}}}}
    """,
    "models/marts.sql": "select * from {{ ref('ticdc__changelog') }} cross join {{ ref('stg_ticdc__canal_json') }}",
    "models/as_of.sql": "select * from {{ ticdc.as_of('shop', 't', tso=1) }}",
    "models/tests.yml": """
        models:
          - name: marts
            data_tests:
              - ticdc.no_orphan_deletes
              - ticdc.before_image_chain
              - ticdc.no_dead_letters: {arguments: {share: 0.1}}
    """,
}


@pytest.fixture(scope="module")
def models(manifest: Manifest) -> dict[str, ModelNode]:
    """The package's models by name."""
    return {node.name: node for node in manifest.nodes.values() if isinstance(node, ModelNode)}


def project(folder: Path, **more: str) -> Path:
    """A project that has the package among its own."""
    for name, text in {**PROJECT, **{f"models/{name}.sql": text for name, text in more.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / "ticdc").symlink_to(ROOT, target_is_directory=True)
    return folder


def test_what_users_read_is_public(models: dict[str, ModelNode]) -> None:
    access = {name: model.access.value for name, model in models.items()}
    assert {name for name in access if access[name] == "public"} == {
        name for name in models if name.startswith(("ticdc__", "stg_ticdc__"))
    }
    assert {name for name in access if access[name] == "protected"} == {
        "int_ticdc__catalogue",
        "int_ticdc__publication",
        "int_ticdc__row_changes",
        "int_ticdc__sized_tables",
        "int_ticdc__staged_runs",
        "int_ticdc__table_states",
        "int_ticdc__typed_tables",
    }
    assert {model.group for model in models.values()} == {"ticdc"}


def test_no_operation_reads_what_is_private(models: dict[str, ModelNode]) -> None:
    operations = ("codegen/ticdc_codegen", "state/ticdc_report")
    texts = "".join((ROOT / f"macros/{name}.sql").read_text(encoding="utf-8") for name in operations)
    read = set(re.findall(r'"(int_ticdc__\w+)"', texts))
    assert read
    assert not {name for name in read if models[name].access == "private"}


def test_each_mart_has_a_contract(models: dict[str, ModelNode]) -> None:
    """All but the function: what it gives is known once it has its argument."""
    enforced = {name for name, model in models.items() if model.contract.enforced}
    assert enforced == {name for name in models if name.startswith("ticdc__")} - {"ticdc__rows_as_of"}
    untyped = [
        f"{name}.{column.name}"
        for name, model in models.items()
        if not name.startswith("int_")
        for column in model.columns.values()
        if not column.data_type
    ]
    assert not untyped


def test_exposures_name_what_is_read(manifest: Manifest) -> None:
    exposures = {exposure.name: exposure.depends_on.nodes for exposure in manifest.exposures.values()}
    macro = (ROOT / "macros/state/ticdc_report.sql").read_text(encoding="utf-8")
    read = re.findall(r'"(\w+)"', macro.partition("for name in [")[2].partition("]")[0])
    assert sorted(id.rpartition(".")[2] for id in exposures["ticdc_report"]) == sorted(read)
    assert exposures["ticdc_typed_tables"] == ["model.ticdc.int_ticdc__typed_tables"]


def test_freshness_of_messages_is_the_projects(manifest: Manifest, tmp_path: Path) -> None:
    """The table need not be there, where all feeds read brokers or files: only who has it asks."""
    (source,) = manifest.sources.values()
    assert source.loaded_at_field == "timestamp"
    assert not source.has_freshness
    theirs = parsed(tmp_path, {"ticdc__feeds": FEEDS}, project(tmp_path / "theirs"))
    assert theirs.sources["source.ticdc.ticdc.messages"].has_freshness


def test_a_project_reads_marts_by_models_macros_and_tests(tmp_path: Path) -> None:
    theirs = parsed(tmp_path, {"ticdc__feeds": FEEDS}, project(tmp_path / "theirs"))
    read = {node.name: node.depends_on.nodes for node in theirs.nodes.values() if node.package_name == "theirs"}
    assert {"marts", "as_of"} <= set(read)
    assert "model.ticdc.int_ticdc__typed_tables" in read["as_of"]
    tests = [name for name in read if name.startswith("ticdc_") and name.endswith("_marts_")]
    assert len(tests) >= 2, read


def test_a_project_that_reads_an_internal_model_is_told(tmp_path: Path) -> None:
    theirs = project(tmp_path / "theirs", internal="select * from {{ ref('int_ticdc__changes') }}")
    with pytest.raises(pytest.fail.Exception) as refused:
        parsed(tmp_path, {"ticdc__feeds": FEEDS}, theirs)
    assert "model.theirs.internal" in str(refused.value)
    assert "private to the 'ticdc' group" in " ".join(str(refused.value).split())
