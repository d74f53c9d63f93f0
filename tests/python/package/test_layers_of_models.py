"""Data goes one way through the folders of the models; materializations are in one folder, and macros are short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ModelNode

ROOT = Path(__file__).parents[3]
ORDER = [
    "intermediate/runs",
    "intermediate/imports",
    "staging",
    "intermediate/arrivals",
    "intermediate/catalogue",
    "intermediate/rows",
    "intermediate/changes",
    "intermediate/latest",
    "intermediate/storages",
    "intermediate/publication",
    "changelog",
    "marts",
    "intermediate/typed",
    "operations",
]
"""The folders of `models/`: a model reads only models of its own and of those before it."""
MOST_LINES, MOST_LINES_OF_A_QUERY = 60, 260
MOST_MACROS = 70
"""So many macros a staging model reaches, with its materialization."""
MACRO = re.compile(r"{%-? (?:macro|materialization) (\w+).*?{%-? end(?:macro|materialization) -?%}", re.DOTALL)


@pytest.fixture(scope="module")
def models(manifest: Manifest) -> dict[str, ModelNode]:
    """The package's models by dbt's id."""
    return {id: node for id, node in manifest.nodes.items() if isinstance(node, ModelNode)}


def test_each_model_is_in_a_folder_of_the_order(models: dict[str, ModelNode]) -> None:
    assert {_folder(model) for model in models.values()} == set(ORDER)
    assert {path.stem for path in (ROOT / "models").rglob("*.sql")} == {model.name for model in models.values()}


def test_a_model_reads_no_folder_after_its_own(models: dict[str, ModelNode]) -> None:
    backwards = [
        f"{model.name} ({_folder(model)}) reads {models[read].name} ({_folder(models[read])})"
        for model in models.values()
        for read in model.depends_on.nodes
        if read in models and ORDER.index(_folder(models[read])) > ORDER.index(_folder(model))
    ]
    assert not backwards, "\n".join(backwards)


def test_a_snapshot_is_made_anew_where_a_seed_changed(models: dict[str, ModelNode]) -> None:
    """Its text tells nothing of what a seed holds: what it settles has the checksums of all seeds that it reads."""
    snapshots = [model for model in models.values() if model.config.get("replaces")]
    read = {
        model.name: sorted(id.rpartition(".")[2] for id in model.depends_on.nodes if id.startswith("seed."))
        for model in snapshots
    }
    settled = {
        model.name: re.findall(r'"(\w+)"', list_of_seeds[1])
        for model in snapshots
        if 'takes({"seeds": checksums | join(" ")})' in model.raw_code
        and (list_of_seeds := re.search(r"set seeds = \[(.*?)\]", model.raw_code))
    }
    assert settled == {name: seeds for name, seeds in read.items() if seeds}
    assert settled


def test_a_staging_model_reaches_its_own_sources_alone(manifest: Manifest, models: dict[str, ModelNode]) -> None:
    """Whoever read one had to open the macros of all sources, of Avro, and of the end of a run."""
    own = {"files": "file_messages", "topics": "kafka_messages", "schemas": "messages_with_schemas"}
    expected = {
        "avro": {own["topics"], own["schemas"]},
        "debezium_avro": {own["topics"], own["schemas"]},
        "storage_canal_json": {own["files"]},
        "storage_csv": {own["files"]},
    }
    staging = {id: model for id, model in models.items() if _folder(model) == "staging"}
    assert staging
    for id, model in staging.items():
        reached = _reached(manifest, [*model.depends_on.macros, f"materialization_{model.config.materialized}_spark"])
        found = reached & {*own.values(), "finish_run"}
        assert found == expected.get(model.name.removeprefix("stg_ticdc__"), {own["topics"]}), id
        assert len(reached) <= MOST_MACROS, id


def test_materializations_are_in_their_folder() -> None:
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for path in (ROOT / "macros").rglob("*.sql")
        if "{% materialization " in path.read_text(encoding="utf-8")
    }
    assert folders == {"macros/materializations"}


def test_macros_are_short() -> None:
    """One that asks the warehouse is; one that only renders a query stands whole, as it is read from top to bottom."""
    found = [
        (f"{path.relative_to(ROOT)}: {macro[1]}", macro[0].count("\n") + 1, "run_query(" in macro[0])
        for path in (ROOT / "macros").rglob("*.sql")
        for macro in MACRO.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found
    long = [
        f"{macro} has {length} lines, at most {most} are allowed"
        for macro, length, asks in found
        if length > (most := MOST_LINES if asks else MOST_LINES_OF_A_QUERY)
    ]
    assert not long, "\n".join(long)


def _folder(model: ModelNode) -> str:
    """The folder of the order that the model is in; protocols have their own ones below it."""
    folder = Path(model.original_file_path).relative_to("models").parent.as_posix()
    return "staging" if folder.startswith("staging/") else folder


def _reached(manifest: Manifest, macros: Sequence[str]) -> set[str]:
    """The names of the package's macros that some of them call, and of all that these call."""
    left, found = [macro if "." in macro else f"macro.ticdc.{macro}" for macro in macros], set()
    while left:
        macro = left.pop()
        if macro.startswith("macro.ticdc.") and macro not in found:
            found.add(macro)
            left += manifest.macros[macro].depends_on.macros
    return {macro.rpartition(".")[2] for macro in found}
