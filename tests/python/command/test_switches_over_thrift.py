"""Settings of Spark, configurations and flags of dbt, tried over Thrift in a project that installs the package."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from support import documents
from support.documents import Builds
from support.project import Server

from ticdc_udfs.runs.switches import SETTINGS

pytestmark = pytest.mark.soak("documents")
OTHERS = {
    "outputTimestampType": "TIMESTAMP_MILLIS",
    "storeAssignmentPolicy": "STRICT",
    "true": "false",
    "false": "true",
}
HARMFUL = {
    one.name: OTHERS.get(one.name.rpartition(".")[2]) or OTHERS.get(one.allowed[0], "LEGACY") for one in SETTINGS
}
PAST = "select id, name from {{ ticdc.as_of('shop', 'customers', tso=470610924950257664) }} as past"
CUSTOMERS = 128
"""What that table holds then."""


class Said(NamedTuple):
    """What a command said, in one line, and how it ended."""

    text: str
    exit_code: int


class Project:
    """Copies of the project that is built on the server, each with something else."""

    def __init__(self, server: Server, home: Path) -> None:
        self.cursor, self.home = server.connect(), home

    def dbt(self, name: str, command: str, config: str = "", **changes: Any) -> Said:
        """A command where `config` ends the file of the project; `changes` are of its target."""
        copy = self.home.parent / name
        shutil.copytree(self.home, copy, symlinks=True)
        with (copy / "dbt_project.yml").open("a", encoding="utf-8") as file:
            file.write(f"\n{config}\n")
        (copy / "models" / "past.sql").write_text(PAST, encoding="utf-8")
        profiles = yaml.safe_load((copy / "profiles.yml").read_text(encoding="utf-8"))
        profiles["my_project"]["outputs"]["thrift"].update(changes)
        (copy / "profiles.yml").write_text(yaml.safe_dump(profiles), encoding="utf-8")
        client = documents.shell(f"dbt {command}", copy, f"of_{name}")
        output, _ = client.communicate(timeout=600)
        return Said(re.sub(r"\s+", " ", output), client.returncode)

    def value(self, query: str) -> Any:
        """The one cell that a query gives."""
        self.cursor.execute(query)
        return self.cursor.fetchall()[0][0]


@pytest.fixture(scope="module")
def project(server: Server, builds: Builds) -> Project:
    """The project of the quickstart, whose tables are there."""
    return Project(server, builds.home)


def test_a_session_that_would_store_milliseconds_is_told_before_anything_is_written(project: Project) -> None:
    """As are all settings by which rows would be stored, or read, as others."""
    parameters: Mapping[str, str] = {f"set:hiveconf:{name}": value for name, value in HARMFUL.items()}
    said = project.dbt("harmed", "build", server_side_parameters=parameters, schema="harmed")
    assert said.exit_code
    assert f"ticdc: the configuration has {len(HARMFUL)} problem(s): " in said.text, said.text
    for name, value in HARMFUL.items():
        assert f"- {name}: got {value}, allowed: " in said.text
    assert "server_side_parameters in profiles.yml, with method thrift as set:hiveconf:spark.sql.parquet." in said.text
    project.cursor.execute("show tables in harmed")
    assert project.cursor.fetchall() == []


CONFIGURED = """
models:
  +partition_by: day
  +tblproperties: {owner: us}
  +clustered_by: id
  +pre-hook: "set spark.sql.parquet.outputTimestampType=TIMESTAMP_MILLIS"
seeds:
  +delimiter: ";"
  +column_types: {error_code: bigint}
"""


def test_configurations_of_a_project_that_are_none_of_the_package_are_named(project: Project) -> None:
    said = project.dbt("configured", "build", CONFIGURED)
    assert said.exit_code
    for told in (
        r'\+partition_by of int_ticdc__\w+, .* and \d+ more: got "day", allowed: what the package has',
        r'\+tblproperties of int_ticdc__\w+, .* got \{"owner": "us"\}, expected ticdc\.package: ticdc among them',
        r'\+clustered_by of int_ticdc__\w+, .* got "id", allowed: none',
        r"outputTimestampType: got TIMESTAMP_MILLIS, .* \(in a pre_hook of \w+\)",
        r'\+delimiter of ticdc__\w+, .* got ";", allowed: ","',
        r'\+column_types of ticdc__error_codes: got \{"error_code": "bigint", .*\}, allowed for columns',
    ):
        assert re.search(told, said.text), f"{told}\n{said.text}"


def test_a_feed_of_brokers_without_the_connector_is_told_before_anything_is_written(project: Project) -> None:
    feed = {"name": "f", "protocol": "simple", "topics": ["t"], "source": {"kafka": {"bootstrap_servers": "b:1"}}}
    said = project.dbt("kafkaless", f"build --vars '{json.dumps({'ticdc__feeds': [feed]})}'", schema="kafkaless")
    assert said.exit_code
    assert "a feed reads Kafka, and this Spark lacks the connector spark-sql-kafka-0-10_2.13." in said.text, said.text
    project.cursor.execute("show tables in kafkaless")
    assert project.cursor.fetchall() == []


def test_seeds_with_another_delimiter_are_told_where_they_are_made_alone(project: Project) -> None:
    said = project.dbt("seeds", "seed", 'seeds:\n  +delimiter: ";"')
    assert said.exit_code
    assert re.search(r'\+delimiter of ticdc__\w+, .* got ";", allowed: ","', said.text), said.text


def test_two_targets_below_one_location_root_are_told(project: Project, tmp_path: Path) -> None:
    project.cursor.execute("create database other_target")
    location = f"{tmp_path}/int_ticdc__staged_runs"
    project.cursor.execute(
        f"create table other_target.int_ticdc__staged_runs using parquet location '{location}' as select 1 as one"
    )
    said = project.dbt("twin", "build", f"models:\n  +location_root: {tmp_path}", schema="twin")
    assert said.exit_code
    assert f"+location_root of int_ticdc__staged_runs: got {tmp_path}, and {location} holds files already" in said.text
    assert project.value("select count(*) from other_target.int_ticdc__staged_runs") == 1


EMPTY = (
    "--warn-error build --empty --no-populate-cache --cache-selected-only --no-partial-parse --store-failures "
    "--fail-fast --event-time-start 2026-01-01 --event-time-end 2026-01-02 --indirect-selection eager --threads 2"
)


def test_empty_builds_a_model_as_of_a_commit_and_takes_nothing_from_tables(project: Project) -> None:
    """Other flags in it change nothing of the package either."""
    rows = "select count(*) from ticdc.ticdc__current_rows"
    before = project.value(rows)
    said = project.dbt("empty", EMPTY)
    assert not said.exit_code, said.text
    assert (project.value("select count(*) from ticdc.past"), project.value(rows)) == (0, before)


SAMPLED = """
models:
  +event_time: commit_at
sources:
  +event_time: timestamp
"""


def test_sample_leaves_out_no_message(project: Project) -> None:
    staged = "select sum(messages) from ticdc.ticdc__accounting"
    before = project.value(staged)
    project.cursor.execute(
        "insert into ticdc_raw.messages select topic, `partition`, `offset` + 1, timestamp, key, value "
        "from ticdc_raw.messages order by `partition`, `offset` desc limit 1"
    )
    said = project.dbt("sampled", "build --sample '1 hour'", SAMPLED)
    assert not said.exit_code, said.text
    assert (project.value(staged), project.value("select count(*) from ticdc.past")) == (before + 1, CUSTOMERS)
