"""Two builds that begin at any distance end as one build's tables; who comes second is told of the first."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from support import session
from support.corpus import SAMPLE, lines_about, plain
from support.project import Server, dbt, install, served

ROUNDS = 20
SEED = 20_261_125
# What a run decides by itself is left out.
CHANGELOG = "select count(*), sum(hash(* except (run_id, known_from))) from {}.ticdc__changelog"
STAGED_TWICE = (
    "select count(*) from (select topic, `partition`, `offset`, event_index from {}.int_ticdc__events "
    "group by all having count(*) > 1)"
)


@pytest.mark.soak("builds")
def test_builds_at_random_distances(tmp_path: Path) -> None:
    with served(tmp_path, {session.JAVA_OPTIONS: session.JVM}) as server:
        server.take(lines_about(plain(SAMPLE), ("customers", "visits")))
        _try_all(server, tmp_path)


def _try_all(server: Server, folder: Path) -> None:
    chance = random.Random(SEED)
    install(server.port, folder)
    cursor = server.connect()
    for schema in ("both", "alone"):
        assert dbt("seed", schema, server.port, folder / "one").wait(900) == 0
    for statement in (
        "create table ticdc_raw.slices as "
        f"select *, ntile({ROUNDS}) over (order by `offset`, `partition`) - 1 as slice from ticdc_raw.messages",
        "truncate table ticdc_raw.messages",
    ):
        cursor.execute(statement)
    for number in range(ROUNDS):
        arriving = f"select * except (slice) from ticdc_raw.slices where slice = {number}"
        cursor.execute(f"insert into ticdc_raw.messages by name {arriving}")
        first = dbt("run", "both", server.port, folder / "one")
        time.sleep(chance.uniform(0, 12))
        second = dbt("run", "both", server.port, folder / "other")
        outputs = [client.communicate(timeout=900)[0] for client in (first, second)]
        exits = [first.returncode, second.returncode]
        assert 0 in exits, "\n".join(outputs)
        for output, exit_code in zip(outputs, exits, strict=True):
            assert exit_code == 0 or "ticdc: another run builds these tables: dbt run " in output, output
        cursor.execute(STAGED_TWICE.format("both"))
        assert cursor.fetchall() == [(0,)]
    assert dbt("run", "both", server.port, folder / "one").wait(900) == 0
    assert dbt("run", "alone", server.port, folder / "one").wait(900) == 0
    found = []
    for schema in ("both", "alone"):
        cursor.execute(CHANGELOG.format(schema))
        found.append(cursor.fetchall())
    assert found[0] == found[1], os.linesep.join(map(str, found))
