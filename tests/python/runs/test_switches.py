"""What sessions, projects and command lines set: all that dbt has is known, and what would do harm is told."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest
from click.testing import CliRunner
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts.resources.v1.config import NodeConfig
from dbt.artifacts.resources.v1.model import ModelConfig
from dbt.artifacts.resources.v1.seed import SeedConfig
from dbt.cli.main import cli
from support import switches_page

from ticdc_udfs.runs.begin import Request, problems_of_run
from ticdc_udfs.runs.switches import (
    CONFIGURATIONS,
    FLAGS,
    SETTINGS,
    Configured,
    Effect,
    Set,
    problems_of_switches,
)

MARKED = {"ticdc.package": "ticdc"}
TABLE: dict[str, Any] = {
    "materialized": "ticdc_append",
    "file_format": "parquet",
    "partition_by": ["batch_id", "feed"],
    "tblproperties": MARKED,
}
SEED: dict[str, Any] = {
    "materialized": "seed",
    "file_format": "orc",
    "delimiter": ",",
    "column_types": {"code": "string"},
}
WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({**TABLE, "materialized": "incremental"}, '+materialized of changes, rows: got "incremental", allowed: what the'),
    ({**TABLE, "file_format": "orc"}, '+file_format of changes, rows: got "orc", allowed: parquet, delta'),
    ({**TABLE, "partition_by": "day"}, '+partition_by of changes, rows: got "day", allowed: what the package has'),
    ({**TABLE, "partition_by": None}, "+partition_by of changes, rows: got null, allowed: what the package has"),
    ({**TABLE, "clustered_by": "id"}, '+clustered_by of changes, rows: got "id", allowed: none'),
    ({**TABLE, "tblproperties": {"a": "b"}}, '+tblproperties of changes, rows: got {"a": "b"}, expected ticdc.package'),
    ({**SEED, "delimiter": ";"}, '+delimiter of changes, rows: got ";", allowed: ","'),
    (
        {**SEED, "column_types": {"code": "bigint"}},
        '+column_types of changes, rows: got {"code": "bigint"}, allowed for',
    ),
)
RIGHT: tuple[dict[str, Any], ...] = (
    TABLE,
    SEED,
    {**TABLE, "file_format": "delta"},
    {**TABLE, "clustered_by": None},
    {**TABLE, "tblproperties": {**MARKED, "owner": "us"}},
    {"materialized": "ticdc_view", "file_format": "orc", "partition_by": "day", "tblproperties": None},
    {**SEED, "column_types": {}},
)


def problems(*settings: Set, **config: Any) -> list[str]:
    configured = [Configured(name, config, ["code"]) for name in ("rows", "changes") if config]
    return [*problems_of_switches(settings, configured)]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: str(setting.name.removeprefix("spark.sql.")))
def test_a_setting_that_changes_what_is_stored_is_told_with_the_way_to_set_it(setting: Any) -> None:
    for value in setting.allowed:
        assert problems(Set(setting.name, value), Set(setting.name, value.swapcase())) == []
    (told,) = problems(Set(setting.name, "odd"))
    assert told.startswith(f"{setting.name}: got odd, allowed: {', '.join(setting.allowed)}; with others ")
    assert f"with method thrift as set:hiveconf:{setting.name}" in told


def test_a_hook_of_a_model_that_makes_such_a_setting_is_named() -> None:
    name = "spark.sql.parquet.outputTimestampType"
    hooks = [f"begin; SET {name} = 'TIMESTAMP_MILLIS'; set spark.sql.shuffle.partitions=7"]
    (told,) = problems_of_switches([], [Configured(model, {}, hooks=hooks) for model in ("rows", "changes")])
    assert told.startswith(f"{name}: got 'TIMESTAMP_MILLIS', allowed: ")
    assert told.endswith("(in a pre_hook of rows)")
    harmless = [f"set {name}=TIMESTAMP_MICROS", "set x=1"]
    assert [
        *problems_of_switches([Set("spark.sql.shuffle.partitions", "7")], [Configured("a", {}, (), harmless)])
    ] == []


@pytest.mark.parametrize(("config", "told"), WRONG, ids=lambda one: str(one)[:30])
def test_a_configuration_that_loses_rows_is_told(config: dict[str, Any], told: str) -> None:
    (problem,) = problems(**config)
    assert problem.startswith(told)


@pytest.mark.parametrize("config", RIGHT, ids=lambda one: str(one)[:30])
def test_other_configurations_are_none(config: dict[str, Any]) -> None:
    assert problems(**config) == []


def test_types_of_columns_of_other_seeds_are_no_problem() -> None:
    types = {"code": "bigint", "other": "int"}
    (told,) = problems_of_switches([], [Configured("kinds", {"column_types": types}, columns=["code"])])
    assert told.startswith('+column_types of kinds: got {"code": "bigint"}, allowed for columns of the package: string')


def test_seeds_that_are_made_alone_need_no_variables() -> None:
    seeds = [Configured("kinds", {"delimiter": ";"})]
    request = Request(configured=seeds)
    (told,) = problems_of_run(request)
    assert told.startswith("+delimiter of kinds: ")


@pytest.mark.parametrize("command", ["build", "run", "seed"])
def test_every_flag_of_dbt_is_known(command: str) -> None:
    """A new release of dbt may bring one that makes models select or drop something else."""
    known = {switch.name for switch in FLAGS}
    help = CliRunner().invoke(cli, [command, "--help"]).output
    shown = [re.findall(r"--[a-z][a-z-]*", line) for line in re.findall(r"^  (-.*)$", help, re.MULTILINE)]
    hidden = [option.opts for option in cli.commands[command].params if getattr(option, "hidden", False)]
    assert len(shown) > 30
    assert [names for names in (*shown, *hidden) if known.isdisjoint(names)] == []


def test_every_configuration_of_dbt_is_known() -> None:
    known = {switch.name for switch in CONFIGURATIONS}
    found = {field.name for config in (NodeConfig, ModelConfig, SeedConfig, SparkConfig) for field in fields(config)}
    assert found - {"_extra"} - known == set()


def test_the_page_has_what_is_known() -> None:
    assert switches_page.PAGE.read_text(encoding="utf-8") == switches_page.page(), (
        "`make fidelity` writes the page anew"
    )
    for switch in (*FLAGS, *CONFIGURATIONS):
        assert switch.effect is not Effect.REFUSED or switch.meaning, switch.name
