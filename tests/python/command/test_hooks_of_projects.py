"""A project that installs the package has hooks, configurations and names of its own: nothing is lost by them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support import messages, open_protocol
from support.documents import ROOT, shell
from support.project import Server

pytestmark = pytest.mark.soak("documents")
RAW = "raw_of_app"
SHOP = {"name": "shop", "protocol": "canal_json", "topics": ["shop"]}
OLD = {"name": "old", "protocol": "open_protocol", "topics": ["old"]}
NEW = {"name": "new", "protocol": "open_protocol", "topics": ["new"]}
FAILING = "select raise_error('a hook of the project')"
PLACE = {
    "type": "spark",
    "method": "thrift",
    "host": "127.0.0.1",
    "user": "app",
    "schema": "app",
    "threads": 4,
    "port": "{{ 'PORT' | as_number }}",
}
# of a few rows
SMALL = {
    f"set:hiveconf:spark.sql.{name}": value
    for name, value in {
        "shuffle.partitions": "1",
        "adaptive.enabled": "false",
        "codegen.wholeStage": "false",
        "optimizer.dynamicPartitionPruning.enabled": "false",
    }.items()
}
# dbt runs the hooks of this project before those of the package, as its name comes first.
FILES = {
    "profiles.yml": json.dumps(
        {"app": {"target": "dev", "outputs": {"dev": {**PLACE, "server_side_parameters": SMALL}}}}
    ),
    "packages.yml": f"packages: [{{local: {json.dumps(str(ROOT))}}}]",
    "macros/names.sql": """
        {% macro generate_alias_name(custom_alias_name=none, node=none) -%}
            {{ "cdc_" ~ node.name if node.package_name == "ticdc" else node.name }}
        {%- endmacro %}
        {% macro generate_schema_name(custom_schema_name, node) -%}
            {{ custom_schema_name or target.schema }}
        {%- endmacro %}
    """,
}
ROWS = "select feed, count(*) from app.cdc_ticdc__changelog group by feed order by feed"
# what readers are asked about
RUN = "run --select +ticdc__changelog +ticdc__runs"
REDECODE = "run --full-refresh --vars '{ticdc__redecode: true}'"


@dataclass
class App:
    """The project, and what dbt said in each step: its exit code and output."""

    server: Server
    home: Path
    said: dict[str, tuple[int, str]] = field(default_factory=dict)
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        cursor = self.server.connect()
        cursor.execute(query)
        return list(cursor.fetchall()) if cursor.description else []

    def send(self, topic: str, key: bytes, value: bytes) -> None:
        """The first message of a topic."""
        self.ask(
            f"insert into {RAW}.messages values ('{topic}', 0, 0, now(), unhex('{key.hex()}'), unhex('{value.hex()}'))"
        )

    def step(
        self,
        name: str,
        command: str,
        feeds: Sequence[Mapping[str, Any]] = (SHOP, OLD),
        models: Mapping[str, Any] | None = None,
        **hooks: str,
    ) -> None:
        """A command of dbt with this configuration, and the changes that readers see after it."""
        configured = {
            "name": "app",
            "profile": "app",
            "vars": {"ticdc__feeds": feeds, "ticdc__messages_schema": RAW},
            "models": {"ticdc": {"staging": {"+schema": "app_staging"}}, **(models or {})},
            **{hook.replace("_", "-"): text for hook, text in hooks.items()},
        }
        (self.home / "dbt_project.yml").write_text(json.dumps(configured), encoding="utf-8")
        with shell(f"dbt {command} --no-version-check", self.home) as process:
            output, _ = process.communicate(timeout=600)
        self.said[name] = process.returncode, output
        if self.ask("show tables in app like 'cdc_ticdc__changelog'"):
            self.rows[name] = self.ask(ROWS)

    def passed(self, name: str) -> bool:
        """Whether a step succeeded; else its output is shown."""
        exit_code, output = self.said[name]
        assert exit_code == 0, output
        return True


def shop(n: int) -> bytes:
    return messages.to_bytes(messages.row_message({"id": "1", "n": str(n)}, {"id": "int", "n": "int"}))


@pytest.fixture(scope="module")
def app(server: Server, tmp_path_factory: pytest.TempPathFactory) -> App:
    app = App(server, tmp_path_factory.mktemp("installing") / "app")
    for name, text in FILES.items():
        (app.home / name).parent.mkdir(parents=True, exist_ok=True)
        (app.home / name).write_text(text.replace("PORT", str(server.port)), encoding="utf-8")
    for schema in ("app", RAW):
        app.ask(f"create database {schema}")
    app.ask(
        f"create table {RAW}.messages (topic string, `partition` int, `offset` bigint, `timestamp` timestamp, "
        "key binary, value binary) using parquet"
    )
    old = open_protocol.message((open_protocol.row_key(), {"u": {"id": open_protocol.ident()}}))
    app.send("shop", b"", shop(1))
    app.send("old", *old)
    app.step("deps", "deps")
    app.step("seed", "seed")

    app.step("start hook", "run", on_run_start=FAILING)
    app.rows["tables"] = app.ask("show tables in app like 'cdc_*'")
    app.step("end hook", RUN, on_run_end=FAILING)
    app.rows["leases"] = app.ask("show tables in app like 'ticdc__lease*'")
    app.rows["runs"] = app.ask("select state, messages from app.cdc_ticdc__runs")

    app.ask(f"truncate table {RAW}.messages")
    app.step("refreshed by configuration", RUN, models={"+full_refresh": True})
    app.send("shop", b"", shop(2))
    app.send("old", *old)
    app.step("kept by configuration", REDECODE, models={"+full_refresh": False})
    app.rows["redecoded"] = app.ask("select after from app.cdc_ticdc__changelog where feed = 'shop'")

    app.step("without a feed", REDECODE, feeds=[SHOP])
    app.step("with it again", RUN)
    app.step("other protocol", REDECODE, feeds=[SHOP, {**OLD, "protocol": "canal_json"}])
    app.send("new", *old)
    app.step("protocol again", RUN, feeds=[SHOP, {**OLD, "protocol": "canal_json"}, NEW])
    return app


def test_a_run_that_a_hook_of_the_project_kept_from_beginning_writes_nothing(app: App) -> None:
    exit_code, output = app.said["start hook"]
    assert exit_code == 1, output
    told = re.sub(r"\s+", " ", output)
    assert "ticdc: the run was not begun, and nothing is written" in told, output
    assert "one before it failed (app-on-run-start-0). Its error stands above" in told, output
    seeds = {f"cdc_{path.stem}" for path in ROOT.glob("seeds/**/*.csv")}
    assert {name for _, name, _ in app.rows["tables"]} == seeds


def test_a_hook_of_the_project_that_fails_at_the_end_keeps_no_lease(app: App) -> None:
    exit_code, output = app.said["end hook"]
    assert (exit_code, app.rows["leases"]) == (1, []), output
    assert "a hook of the project" in output
    assert app.rows["runs"] == [("published", 2)]
    assert app.passed("refreshed by configuration")


def test_a_configuration_of_full_refresh_loses_no_rows(app: App) -> None:
    assert app.passed("refreshed by configuration")
    assert app.rows["refreshed by configuration"] == app.rows["end hook"] == [("old", 1), ("shop", 1)]


def test_a_configuration_of_full_refresh_keeps_no_messages_from_being_decoded_again(app: App) -> None:
    assert app.passed("kept by configuration")
    assert app.rows["redecoded"] == [('{"id":"1","n":"2"}',)]


def test_a_feed_whose_model_has_another_name_and_is_disabled_is_not_lost(app: App) -> None:
    exit_code, output = app.said["without a feed"]
    assert exit_code == 2, output
    assert "ticdc: ticdc__redecode would lose messages that are decoded" in output
    assert "feed old, topic old, partition 0: 1 message(s), offsets 0 to 0, as the feed is not configured" in output
    assert app.passed("with it again")
    assert app.rows["with it again"] == app.rows["kept by configuration"] == [("old", 1), ("shop", 1)]


def test_messages_that_were_decoded_by_another_protocol_are_forgotten_under_any_name(app: App) -> None:
    assert app.passed("other protocol") and app.passed("protocol again")
    assert app.rows["protocol again"] == [("new", 1), ("shop", 1)]
