"""The package in a session of this process: dbt's commands on a table of messages, and what readers see after them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from support import session
from support.parsed import PROFILES, ROOT, parsed

FLAGS = ("--no-send-anonymous-usage-stats", "--no-version-check")


class Package:
    """`said` are the messages of dbt's last command, `watching` hear of its events."""

    def __init__(self, folder: Path, variables: Mapping[str, Any]) -> None:
        places = ["--project-dir", ROOT, "--profiles-dir", PROFILES]
        places += ["--target-path", folder / "target", "--log-path", folder / "logs"]
        self.folder, self.places = folder, [str(place) for place in places]
        self.said: list[str] = []
        self.watching: list[Callable[[Any], None]] = []
        self.variables, self.manifest = variables, self._parsed(variables)
        session.close()
        self.spark = session.opened(folder / "warehouse")
        self.spark.sql("create database ticdc_raw")
        self.spark.sql(
            "create table ticdc_raw.messages (topic string, partition int, offset bigint, timestamp timestamp, "
            "key binary, value binary) using parquet"
        )

    @contextmanager
    def configured(self, **variables: Any) -> Iterator[None]:
        """Commands in it have these variables, also where models are configured."""
        before = self.variables, self.manifest
        self.variables = {**self.variables, **variables}
        self.manifest = self._parsed(self.variables)
        yield
        self.variables, self.manifest = before

    def dbt(self, *arguments: str, **variables: Any) -> Any:
        """What a command gives; these variables are beside those that models are configured with."""
        self.said.clear()
        runner = dbtRunner(manifest=self.manifest, callbacks=[self._hear])
        told = json.dumps({**self.variables, **variables})
        return runner.invoke([*arguments, *self.places, *FLAGS, "--vars", told])

    def passing(self, *arguments: str, **variables: Any) -> None:
        """A command that must succeed."""
        assert self.dbt(*arguments, **variables).success, self.told()

    def refused(self, *arguments: str, **variables: Any) -> str:
        """What dbt says of a command that must fail."""
        assert not self.dbt(*arguments, **variables).success
        return self.told()

    def told(self) -> str:
        """The messages of the last command as a text."""
        return "\n".join(self.said)

    def call(self, macro: str) -> Any:
        """The rows of a query that a macro gives, or what dbt says of its error."""
        self.manifest.nodes.pop("sql_operation.ticdc.inline_query", None)  # dbt keeps one that failed
        done = self.dbt("show", "--quiet", "--limit", "-1", "--inline", "{{ " + macro + " }}")
        if not done.success:
            return self.told()
        table = done.result.results[0].agate_table
        return [dict(zip(table.column_names, map(str, row), strict=True)) for row in table.rows]

    def text(self, macro: str) -> str:
        """What a macro renders."""
        compiled = self.dbt("compile", "--quiet", "--inline", "{{ " + macro + " }}")
        assert compiled.success, self.told()
        return str(compiled.result.results[0].node.compiled_code)

    def models(self) -> dict[str, Any]:
        """The package's models by name, each after those that it reads."""
        nodes = {id: node for id, node in self.manifest.nodes.items() if id.startswith("model.ticdc.")}
        found: dict[str, Any] = {}

        def add(id: str) -> None:
            for parent in nodes[id].depends_on.nodes:
                if parent in nodes and nodes[parent].name not in found:
                    add(parent)
            found[nodes[id].name] = nodes[id]

        for id in nodes:
            add(id)
        return found

    def send(self, offset: int, *values: str, partition: int = 0) -> None:
        """Messages of the topic `shop`, the first of which has this offset."""
        rows = (
            f"('shop', {partition}, {place}, now(), null, cast('{value}' as binary))"
            for place, value in enumerate(values, start=offset)
        )
        self.spark.sql(f"insert into ticdc_raw.messages values {', '.join(rows)}")

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query."""
        return [row.asDict() for row in self.spark.sql(query).collect()]

    def values(self, query: str) -> list[Any]:
        """The first column of a query's rows."""
        return [row[0] for row in self.spark.sql(query).collect()]

    def leases(self) -> list[str]:
        """The tables of the leases that runs hold."""
        return [row["tableName"] for row in self.rows("show tables in ticdc_lint like 'ticdc__lease*'")]

    def _parsed(self, variables: Mapping[str, Any]) -> Any:
        return parsed(self.folder, variables)

    def _hear(self, event: Any) -> None:
        self.said.append(event.info.msg)
        for watch in list(self.watching):
            watch(event)
