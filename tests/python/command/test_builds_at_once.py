"""Builds that meet, and clients that are killed, end as one build's tables; who comes second is told of the first."""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.corpus import SAMPLE, lines_about, plain
from support.project import Server, dbt, install, served

pytestmark = pytest.mark.soak("builds")
ROUNDS = 20
KILLS = 4
SEED = 20_261_125
# What a run decides by itself is left out.
TABLES = {
    "changelog": "select count(*), sum(hash(* except (run_id, known_from))) from {}.ticdc__changelog",
    "current rows": "select count(*), sum(hash(*)) from {}.ticdc__current_rows",
    "history": "select count(*), sum(hash(*)) from {}.ticdc__row_history",
    "typed table": "select count(*), sum(hash(*)) from {}_shop.customers",
}
STAGED_TWICE = (
    "select count(*) from (select topic, `partition`, `offset`, event_index from {}.int_ticdc__events "
    "group by all having count(*) > 1)"
)
REFUSED = "ticdc: another run builds these tables: dbt run "


@dataclass
class Rivals:
    """A server whose messages are slices that arrive one by one; what one run alone makes of them, and how fast."""

    server: Server
    folder: Path
    alone: dict[str, list[Any]] = field(default_factory=dict)
    seconds: float = 0

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        cursor = self.server.connect()
        cursor.execute(query)
        return list(cursor.fetchall()) if cursor.description else []

    def arrive(self, first: int, end: int) -> None:
        """These slices are in the source, and those before them."""
        arriving = f"select * except (slice) from ticdc_raw.slices where slice between {first} and {end - 1}"
        if not first:
            self.ask("truncate table ticdc_raw.messages")
        self.ask(f"insert into ticdc_raw.messages by name {arriving}")

    def tables(self, schema: str) -> dict[str, list[Any]]:
        """What a client's tables hold."""
        return {name: self.ask(query.format(schema)) for name, query in TABLES.items()}

    def passes(self, command: str, schema: str, client: str = "one") -> str:
        """The output of a client that comes to its end."""
        process = dbt(command, schema, self.server.port, self.folder / client)
        output, _ = process.communicate(timeout=900)
        assert process.returncode == 0, output
        return output


@pytest.fixture(scope="module")
def rivals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rivals]:
    folder = tmp_path_factory.mktemp("rivals")
    with served(folder) as server:
        server.take(lines_about(plain(SAMPLE), ("customers", "visits")))
        install(server.port, folder)
        rivals = Rivals(server, folder)
        rivals.passes("seed", "alone")
        began = time.monotonic()
        rivals.passes("run", "alone")
        rivals.seconds = time.monotonic() - began
        rivals.alone = rivals.tables("alone")
        assert all(rows > 100 for ((rows, _),) in rivals.alone.values())
        rivals.ask(
            "create table ticdc_raw.slices as "
            f"select *, ntile({ROUNDS}) over (order by `offset`, `partition`) - 1 as slice from ticdc_raw.messages"
        )
        yield rivals


def test_builds_at_random_distances(rivals: Rivals) -> None:
    chance = random.Random(SEED)
    rivals.passes("seed", "both")
    for number in range(ROUNDS):
        rivals.arrive(number, number + 1)
        first = dbt("run", "both", rivals.server.port, rivals.folder / "one")
        time.sleep(chance.uniform(0, 12))
        second = dbt("run", "both", rivals.server.port, rivals.folder / "other")
        outputs = [client.communicate(timeout=900)[0] for client in (first, second)]
        exits = [first.returncode, second.returncode]
        assert 0 in exits, "\n".join(outputs)
        for output, exit_code in zip(outputs, exits, strict=True):
            assert exit_code == 0 or REFUSED in output, output
        assert rivals.ask(STAGED_TWICE.format("both")) == [(0,)]
    rivals.passes("run", "both")
    assert rivals.tables("both") == rivals.alone


def test_clients_that_are_killed(rivals: Rivals) -> None:
    """The lease of one keeps others away until somebody releases it, as the docs tell; what it left harms nothing."""
    chance, schema, kills = random.Random(SEED), "killed", 0
    rivals.passes("seed", schema)
    step = ROUNDS // KILLS
    for number in range(KILLS):
        rivals.arrive(number * step, (number + 1) * step)
        name, began = f"client_{number}", datetime.now(UTC)
        client = dbt("run", schema, rivals.server.port, rivals.folder / "one", {"USER": name})
        while not rivals.ask(f"show tables in {schema} like 'ticdc__lease_*'"):
            assert client.poll() is None, client.communicate()[0]
            time.sleep(0.2)
        held = datetime.now(UTC)
        time.sleep(chance.uniform(0, rivals.seconds / 2))
        client.kill()
        output, _ = client.communicate()
        if client.returncode == -signal.SIGKILL:
            kills += 1
            check_lease(rivals, schema, name, began, held)
        else:
            assert client.returncode == 0, output
        rivals.passes("run", schema, "other")
        assert rivals.ask(STAGED_TWICE.format(schema)) == [(0,)]
    assert kills
    assert rivals.tables(schema) == rivals.alone


def check_lease(rivals: Rivals, schema: str, name: str, began: datetime, held: datetime) -> None:
    """A client is told who holds the lease, and since when, and can release it."""
    refused = dbt("run", schema, rivals.server.port, rivals.folder / "other")
    output, _ = refused.communicate(timeout=900)
    told = re.search(rf"{REFUSED}\S+ of {name}, target thrift, since (.+) UTC; its lease ends in \d+ minute", output)
    assert told and refused.returncode == 2, output
    since = datetime.strptime(f"{told[1]} +0000", "%Y-%m-%d %H:%M:%S %z")
    assert began.replace(microsecond=0) <= since <= held
    output = rivals.passes("run-operation ticdc.release_lease", schema, "other")
    assert f"of {name}, target thrift, held since {told[1]} UTC" in output
