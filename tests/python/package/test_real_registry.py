"""A real registry, Apicurio, gives writer schemas: to whom it should alone, slowly, and after it was down.

A feed that asks it holds what one holds whose schemas are in a file.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
from support.apicurio import PASSWORD, USER, Apicurio
from support.corpus import SAMPLE, Record, Variant, renamed

from dbt_ticdc import summary
from ticdc_udfs.schema_sources import Found, HttpRegistry, Registry, load

pytestmark = pytest.mark.soak("registry")

SCHEMA = '{"type":"record","name":"t","namespace":"default.shop","fields":[]}'
FEEDS = ("by_registry", "by_file")
# A feed's rows, in marts that tell all of what it holds.
QUERIES = {
    "changelog": "select * except (topic, `partition`, `offset`, event_index, run_id, known_from, feed) "
    "from ticdc__changelog where feed = '{feed}'",
    "history": "select * except (feed) from ticdc__row_history where feed = '{feed}'",
    "current rows": "select * except (feed) from ticdc__current_rows where feed = '{feed}'",
}


@pytest.fixture(scope="module")
def apicurio(tmp_path_factory: pytest.TempPathFactory) -> Apicurio:
    return Apicurio(tmp_path_factory.mktemp("apicurio"))


@pytest.fixture(scope="module")
def registered(apicurio: Apicurio) -> Iterator[dict[str, int]]:
    """Apicurio while it is up, with schemas by name."""
    with apicurio.up():
        yield {
            "avro": apicurio.register("shop.t-value", SCHEMA),
            "json": apicurio.register("shop.j-value", '{"$schema":"http://json-schema.org/draft-07/schema#"}', "JSON"),
        }


def opened(monkeypatch: pytest.MonkeyPatch, url: str, **environment: str) -> Registry:
    """The registry as workers with these variables open it."""
    for name, value in environment.items():
        monkeypatch.setenv(f"TICDC_REGISTRY_{name.upper()}", value)
    return load(url)


def test_schemas_of_a_real_registry(apicurio: Apicurio, registered: dict[str, int]) -> None:
    find = load(apicurio.url)
    assert find(str(registered["avro"])) == Found(SCHEMA, None)
    missing = f"the registry {apicurio.url} gives no schema 4711: HTTP 404 (40403)"
    assert find("4711") == Found(None, missing)
    other = f"the schema {registered['json']} of the registry {apicurio.url} is not Avro's"
    assert find(str(registered["json"])) == Found(None, other)


def test_user_and_password_go_to_a_listed_host(
    apicurio: Apicurio, registered: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema_id = str(registered["avro"])
    with apicurio.behind_a_door() as door:
        url, host = f"{door.url}/apis/ccompat/v7", f"127.0.0.1:{door.port}"
        assert load(url)(schema_id).error == f"the registry {url} gives no schema {schema_id}: HTTP 401 (40101)"
        wrong = opened(monkeypatch, url, user=USER, password="other", hosts=host)(schema_id)
        assert wrong == Found(None, f"the registry {url} gives no schema {schema_id}: HTTP 401 (40101)")
        assert opened(monkeypatch, url, password=PASSWORD)(schema_id) == Found(SCHEMA, None)
        asked = len(door.asked)
        refused = opened(monkeypatch, url, hosts=apicurio.host)(schema_id).error
        assert refused is not None
        assert refused.startswith(f"the registry {url} is refused: http://{host} gets no credentials")
        assert PASSWORD not in refused
        assert len(door.asked) == asked


def test_a_registry_that_is_slow(
    apicurio: Apicurio, registered: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema_id = str(registered["avro"])
    with apicurio.behind_a_door(seconds=0.5) as door:
        more = {"user": USER, "password": PASSWORD, "hosts": f"127.0.0.1:{door.port}"}
        url = f"{door.url}/apis/ccompat/v7"
        hasty = opened(monkeypatch, url, timeout="0.1", **more)(schema_id)
        assert hasty == Found(None, f"the registry {url} cannot be reached: ReadTimeoutError")
        assert opened(monkeypatch, url, timeout="10")(schema_id) == Found(SCHEMA, None)


def test_a_registry_that_was_down_is_asked_again(tmp_path: Path) -> None:
    apicurio = Apicurio(tmp_path)
    with apicurio.up():
        schema_id = str(apicurio.register("shop.t-value", SCHEMA))
    find = HttpRegistry(apicurio.url, down_seconds=0)
    assert find(schema_id) == Found(None, f"the registry {apicurio.url} cannot be reached: NewConnectionError")
    with apicurio.up():
        assert find(schema_id) == Found(SCHEMA, None)
    assert find(schema_id) == Found(SCHEMA, None), "a schema is remembered"


def ids_of(records: Iterable[Record]) -> set[int]:
    """The ids of schemas that messages name."""
    return {_id(wire) for each in records for wire in (each.key, each.value) if wire}


def _id(wire: bytes) -> int:
    return int.from_bytes(wire[1:5], "big")


def lines_of(records: Iterable[Record], ids: Mapping[int, int]) -> Iterator[str]:
    """The records as those of both feeds; one names schemas by the ids that the registry gave them."""

    def named(wire: bytes | None) -> str | None:
        if not wire:
            return None if wire is None else ""
        return b64encode(wire[:1] + ids[_id(wire)].to_bytes(4, "big") + wire[5:]).decode()

    for each in records:
        yield renamed(each.line, f"by_file.{each.topic}")
        yield renamed(each.line, f"by_registry.{each.topic}", key=named(each.key), value=named(each.value))


@dataclass
class Build:
    """What there was after a build."""

    said: str
    dead: list[dict[str, Any]]
    accounting: list[dict[str, Any]]


@dataclass
class Outage:
    """A warehouse that is built while the registry is slow, down and back, and after a re-drive."""

    url: str
    builds: list[Build]
    asked: list[str]
    rows: dict[str, dict[str, list[str]]]


TABLES = ("evolve", "keyless", "product_codes", "sales", "swappy", "types_zoo_int", "types_zoo_str", "types_zoo_time")
RECORDS = [each for each in Variant(SAMPLE, "avro_before").records if each.topic.removeprefix("avro_shop_") in TABLES]
THIRD = len(RECORDS) // 3
PARTS = (RECORDS[:THIRD], RECORDS[THIRD : 2 * THIRD], RECORDS[2 * THIRD :])


@pytest.fixture(scope="module")
def outage(tmp_path_factory: pytest.TempPathFactory) -> Outage:
    folder = tmp_path_factory.mktemp("outage")
    home, dumps, apicurio = folder / "warehouse", folder / "messages", Apicurio(folder)
    dumps.mkdir()
    file = SAMPLE / "registry" / "confluent.json"
    builds: list[Build] = []

    def build(part: int | None = None) -> None:
        if part is None:
            session.redrive(home, feeds, ["by_registry"])
        else:
            (dumps / f"{part}.jsonl").write_text("".join(lines_of(PARTS[part], ids)), encoding="utf-8")
            assert session.run(home, dumps, feeds)
        found = (session.rows(home, f"select * from {mart}") for mart in ("ticdc__dead_letters", "ticdc__accounting"))
        builds.append(Build(summary.text(summary.found(session.opened(home))), *found))

    with apicurio.behind_a_door(seconds=0.05) as door:
        url = f"{door.url}/apis/ccompat/v7"
        schemas = dict(zip(FEEDS, (url, str(file)), strict=True))
        of_avro = {"protocol": "avro", "target_schema": None}
        of_feeds = [
            {**of_avro, "name": name, "topics": [f"{name}.%"], "options": {"schemas": at}}
            for name, at in schemas.items()
        ]
        feeds = embedded.write_feeds(folder / "feeds.yml", of_feeds)
        environment = {"USER": USER, "PASSWORD": PASSWORD, "HOSTS": f"127.0.0.1:{door.port}"}
        of_workers = {f"spark.executorEnv.TICDC_REGISTRY_{name}": value for name, value in environment.items()}
        session.close()
        session.opened(home, {**session.IN_MEMORY, **of_workers})
        with apicurio.up():
            entries = json.loads(file.read_text(encoding="utf-8"))
            ids = {
                number: apicurio.register(entries[str(number)]["subject"], entries[str(number)]["schema"])
                for number in sorted(ids_of(RECORDS))
            }
            build(0)
        build(1)
        with apicurio.up():
            build(2)
            build()
        rows = {
            feed: {
                name: sorted(map(repr, session.rows(home, query.format(feed=feed)))) for name, query in QUERIES.items()
            }
            for feed in FEEDS
        }
    return Outage(url, builds, door.asked, rows)


def test_the_run_while_it_was_down_says_what_waits(outage: Outage) -> None:
    """Rows whose schema was known are decoded, those that are not are dead letters, each with the reason."""
    unknown = ids_of(PARTS[1]) - ids_of(PARTS[0])
    waiting = [each for each in PARTS[1] if ids_of([each]) & unknown]
    before, while_down, after, redriven = (build.dead for build in outage.builds)
    assert before == redriven == []
    assert len(waiting) > 20
    assert {(row["topic"], row["partition"], row["offset"]) for row in while_down} == {
        (f"by_registry.{each.topic}", each.partition, each.offset) for each in waiting
    }
    reason = f"the registry {outage.url} is not able to answer: HTTP 502"
    assert {row["error_code"] for row in while_down} == {"schema_missing"}
    assert all(reason in row["error_message"] for row in while_down)
    assert len(after) == len(while_down), "the run after it decodes what is new"
    assert f"{len(waiting)} message(s) could not be decoded: schema_missing" in outage.builds[1].said
    assert not any(PASSWORD in build.said for build in outage.builds)


def test_every_message_is_accounted_for_after_each_run(outage: Outage) -> None:
    for count, build in enumerate(outage.builds, 1):
        sent = sum(map(len, PARTS[:count]))
        for feed in FEEDS:
            of_feed = [row for row in build.accounting if row["feed"] == feed]
            assert all(row["balanced"] for row in of_feed)
            assert sum(row["messages"] for row in of_feed) == sent


def test_nothing_is_lost_or_doubled_in_the_end(outage: Outage) -> None:
    got, want = (outage.rows[feed] for feed in FEEDS)
    assert len(want["current rows"]) > 100
    for name, rows in want.items():
        assert got[name] == rows, f"{name} differs\n" + "\n".join(sorted(set(rows) ^ set(got[name]))[:6])
