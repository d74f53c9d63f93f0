"""What tests of the package's builds share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import cases
from support import truth as upstream
from support.corpus import json_lines, root

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest
    from support.corpus_run import Built
    from support.scenarios import Outcome


REGISTRY = {"schemas": "http://localhost:8081"}
OPTIONS = {
    "avro": REGISTRY,
    "canal_json": {"claim_check": "files"},
    "debezium": {},
    "debezium_avro": REGISTRY,
    "open_protocol": {"claim_check": "files"},
    "simple": {"claim_check": "files"},
    "storage_canal_json": {},
    "storage_csv": {},
}


SOURCES = {
    "canal_json": {"source": {"kafka": {"bootstrap_servers": "broker:9092"}}, "keep_messages": True},
    "simple": {"source": {"kafka": {"bootstrap_servers": "broker:9092"}}},
    "storage_canal_json": {"source": {"files": "s3a://bucket/shop"}},
    "storage_csv": {"source": {"files": "s3a://bucket/shop"}},
}


@pytest.fixture(scope="session")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """What dbt knows of the package with a feed of every protocol after parsing it; no Spark is started."""
    from support.parsed import parsed

    feeds = [
        {
            "name": name,
            "protocol": name,
            "options": of_one,
            **({} if name.startswith("storage_") else {"topics": [name]}),
            **SOURCES.get(name, {}),
        }
        for name, of_one in OPTIONS.items()
    ]
    return parsed(tmp_path_factory.mktemp("dbt"), {"ticdc__feeds": feeds})


@pytest.fixture(scope="session")
def built_cases(tmp_path_factory: pytest.TempPathFactory) -> cases.Built:
    """The warehouse with the stories of all modules."""
    return cases.build(tmp_path_factory.mktemp("cases"))


@pytest.fixture(scope="session")
def outcome(built_cases: cases.Built) -> Outcome:
    """The feeds of the scenarios in that warehouse."""
    from support.scenarios import SCENARIO_FEEDS

    return SCENARIO_FEEDS.outcome


@pytest.fixture(scope="session")
def checkpoints() -> dict[int, upstream.Truth]:
    """The truth of the corpus at each checkpoint."""
    return upstream.checkpoints(root())


@pytest.fixture(scope="session")
def truth(checkpoints: dict[int, upstream.Truth]) -> upstream.Truth:
    """The truth of the corpus at the last checkpoint."""
    return list(checkpoints.values())[-1]


@pytest.fixture(scope="session")
def without_key() -> frozenset[upstream.TableName]:
    """The tables of the corpus that had no key at some time."""
    lines = json_lines(root() / "truth" / "tables.jsonl")
    found = {(line["schema"], line["table"]) for line in lines if not line["handle_key"]}
    return frozenset(found | {("shop", "keyless")})


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, checkpoints: dict[int, upstream.Truth]) -> Built:
    """The warehouse with the variants of the corpus."""
    from support import corpus_run

    return corpus_run.build(tmp_path_factory.mktemp("corpus"), checkpoints)
