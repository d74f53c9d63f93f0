"""Feeds at a real broker: each message once, whatever happens to topics and builds. `make soak PART=kafka` runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from support import avro, session
from support import broker as brokers
from support.broker import Broker
from support.corpus import SAMPLE, SOAKED, Record, Variant, record
from support.project import assert_passes, dbt, install, served

from dbt_ticdc import build, messages, package_path, warehouse

VARIANTS: Mapping[str, Variant] = {
    "canal_json": Variant(SAMPLE, "canal_json"),
    "debezium": Variant(SAMPLE, "debezium_some_rows"),
    "open_protocol": Variant(SAMPLE, "open_protocol"),
    "simple": Variant(SAMPLE, "simple_json"),
    "avro": avro.AvroVariant(SAMPLE, "avro_before"),
    "debezium_avro": avro.AvroVariant(SAMPLE, "debezium_avro"),
}
MESSAGES = 120  # of each variant
STAGING = ("int_ticdc__run", "int_ticdc__kafka_offsets", "int_ticdc__kept_messages", "stg_ticdc__canal_json")
KILLED_AT: Sequence[str] = (
    *("int_ticdc__changes", "int_ticdc__kept_messages", "stg_ticdc__avro"),
    *("int_ticdc__run", "int_ticdc__kafka_offsets", "stg_ticdc__canal_json", "stg_ticdc__simple"),
    *("int_ticdc__staged_runs", "int_ticdc__catalogue", "int_ticdc__latest"),
)
if SOAKED[0] == "ci":  # each is a start of Java
    KILLED_AT = KILLED_AT[:3]
MARTS = {
    "changes": "select schema_name, table_name, commit_ts, op, row_key, before, after, lossy from ticdc__changelog",
    "rows": "select schema_name, table_name, row_key, `row`, commit_ts, lossy from ticdc__current_rows",
    "accounting": "select topic, `partition`, messages, rows, ddl, watermarks, bootstraps, dead_letters, balanced "
    "from ticdc__accounting",
}
JAAS = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="reader" '
    'password="${secrets:TICDC_TEST_KAFKA}";'
)
PROBLEMS = ("messages_expired", "topic_recreated", "topic_rewound", "topic_gone")


def records_of(name: str) -> list[Record]:
    """The first messages of a variant, of all its partitions and topics."""
    variant = VARIANTS[name]
    lines = (
        variant.prefixed_lines() if isinstance(variant, avro.AvroVariant) else (each.line for each in variant.records)
    )
    return [record(line) for _, line in zip(range(MESSAGES), lines, strict=False)]


class Lake:
    """A warehouse whose feeds are at a broker."""

    def __init__(self, home: Path, broker: Broker, feeds: Sequence[Mapping[str, Any]]) -> None:
        self.home, self.feeds = home, [*feeds]
        self.kafka = {"kafka": {"bootstrap_servers": broker.servers}}

    def variables(self, **others: Any) -> dict[str, Any]:
        feeds = [{"source": self.kafka, "target_schema": None, **feed} for feed in self.feeds]
        return {"ticdc__feeds": feeds, **{f"ticdc__{name}": value for name, value in others.items()}}

    def build(self, **others: Any) -> None:
        with warehouse.writing(session.opened(self.home), self.home):
            build.build(package_path(), warehouse.work_folder(self.home), self.variables(**others))

    def stage(self, **others: Any) -> None:
        """A run of the models that read Kafka, and of no others."""
        run, work = ["run", "--select", *STAGING], warehouse.work_folder(self.home)
        session.opened(self.home)
        done = build._dbt(package_path(), work, "target", run, self.variables(**others), lambda event: None)
        assert done.success, done.exception or [result.message for result in done.result.results]

    def rows(self, query: str) -> list[dict[str, Any]]:
        return session.rows(self.home, query)

    def mart(self, name: str, feed: str) -> Counter[str]:
        return Counter(map(repr, self.rows(f"{MARTS[name]} where feed = '{feed}'")))

    def messages(self) -> dict[tuple[str, int], int]:
        found = self.rows("select topic, `partition`, sum(messages) as messages from ticdc__accounting group by 1, 2")
        return {(row["topic"], row["partition"]): int(row["messages"]) for row in found}

    def problems(self) -> set[tuple[str, str]]:
        """Those of Kafka, by code and topic; each says what is to be done."""
        found = self.rows(f"select code, detail, remedy from ticdc__problems where code in {PROBLEMS}")
        assert all(row["remedy"] for row in found)
        return {(row["code"], row["detail"].split(",")[0].removeprefix("topic ")) for row in found}


def sizes(records: Iterable[Record]) -> Counter[tuple[str, int]]:
    return Counter((each.topic, each.partition) for each in records)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with brokers.running(tmp_path_factory.mktemp("broker")) as running, session.with_class_path(brokers.connector()):
        yield running


def row(number: int, table: str = "t") -> bytes:
    """A canal-json message that inserts a row, in a commit of its own."""
    message = {
        **{"id": 0, "database": "shop", "table": table, "pkNames": ["id"], "isDdl": False, "type": "INSERT", "es": 1},
        **{"ts": 1, "sql": "", "sqlType": {"id": 4}, "mysqlType": {"id": "int"}, "old": None},
        **{"data": [{"id": str(number)}], "_tidb": {"commitTs": 400000000000000000 + number}},
    }
    return json.dumps(message).encode()


def ids(lake: Lake, feed: str) -> list[int]:
    """Of the rows that are staged, each as often as it is."""
    query = f"select get_json_object(after, '$.id') as id from stg_ticdc__canal_json where feed = '{feed}'"
    found = lake.rows(query)
    return sorted(int(each["id"]) for each in found)


@contextmanager
def produced(broker: Broker, records: Mapping[str, Sequence[Record]]) -> Iterator[threading.Event]:
    """In the block messages of all variants come little by little, and once the event is set, the rest at once."""
    hurry, faults = threading.Event(), list[BaseException]()

    def produce() -> None:
        try:
            for of_all in zip_longest(*records.values()):
                broker.send(each for each in of_all if each is not None)
                hurry.wait(0.5)
        except BaseException as fault:
            faults.append(fault)

    producing = threading.Thread(target=produce)
    producing.start()
    try:
        yield hurry
    finally:
        hurry.set()
        producing.join()
    assert not faults


@pytest.mark.soak("kafka")
def test_messages_of_each_protocol_that_come_while_builds_run_and_are_killed(tmp_path: Path, broker: Broker) -> None:
    """Feeds of a topic have what feeds of the same messages in a table have, which read them all at once."""
    records = {name: records_of(name) for name in VARIANTS}
    for topic in {each.topic for of_variant in records.values() for each in of_variant}:
        broker.create(topic, 3)
    of_kafka = [{**variant.feed(name), "partitions": None, "target_schema": None} for name, variant in VARIANTS.items()]
    of_kafka[0]["keep_messages"] = True
    lake = Lake(tmp_path / "warehouse", broker, of_kafka)
    with produced(broker, records) as hurry:
        for node in KILLED_AT:
            build_but_kill_at(node, lake)
        hurry.set()
        lake.build(visibility="latest")

    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(each.line for of_variant in records.values() for each in of_variant), encoding="utf-8")
    messages.load(session.opened(lake.home), [dump], "ticdc_raw", warehouse.work_folder(lake.home))
    lake.feeds += [{**feed, "name": f"{feed['name']}_dump", "source": None, "keep_messages": None} for feed in of_kafka]
    lake.build(visibility="latest")
    for name, of_variant in records.items():
        for mart in MARTS:
            got, want = lake.mart(mart, name), lake.mart(mart, f"{name}_dump")
            assert got == want, f"{mart} of {name} differ: {list((got - want) + (want - got))[:4]}"
        found = lake.rows(f"select sum(messages) as messages from ticdc__accounting where feed = '{name}'")
        assert found == [{"messages": len(of_variant)}]


def build_but_kill_at(node: str, lake: Lake) -> None:
    """Runs the command, and kills it, Java and all, once dbt is done with a node."""
    feeds = lake.home.parent / "feeds.json"
    feeds.write_text(json.dumps(lake.variables(visibility="latest")), encoding="utf-8")
    command = [sys.executable, "-m", "dbt_ticdc.cli", "run", "--feeds", str(feeds), "--warehouse", str(lake.home)]
    said = []
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if f" {node} " in line:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "".join(said[-20:])


@pytest.mark.soak("kafka")
def test_broker_and_bucket_together_over_thrift_and_no_password_is_anywhere(tmp_path: Path, broker: Broker) -> None:
    """Neither in SQL, the catalogue or tables, nor in logs and artefacts, where brokers ask for one."""
    broker.create("guarded")
    options = {
        **{"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": JAAS},
        **{"ssl.truststore.type": "PEM", "ssl.truststore.location": str(broker.certificate)},
    }
    feeds = [
        {
            **{"name": "shop", "protocol": "canal_json", "topics": ["guarded"], "target_schema": None},
            "source": {"kafka": {"bootstrap_servers": broker.secure_servers, "options": options}},
        },
        {
            **{"name": "sink", "protocol": "storage_csv", "options": {"include_commit_ts": True}},
            **{"source": {"files": f"file://{tmp_path}/bucket"}, "target_schema": None},
        },
    ]
    path = f"--driver-class-path {brokers.connector()} pyspark-shell"
    secret = {"TICDC_TEST_KAFKA": brokers.PASSWORD, "PYSPARK_SUBMIT_ARGS": path}
    with served(tmp_path, secret) as server:
        install(server.port, tmp_path)
        variables = json.dumps({"ticdc__feeds": feeds, "ticdc__visibility": "latest"})
        for number in (1, 2):
            broker.send_values("guarded", map(row, range(3 * number, 3 * number + 3)))
            put_row(tmp_path / "bucket", number)
            selected = ["build", "--select", "package:ticdc", "--vars", variables]
            assert_passes(dbt(selected, "client", server.port, tmp_path))
            cursor = server.connect()
            cursor.execute("select feed, count(*) from client.ticdc__current_rows group by feed order by feed")
            assert cursor.fetchall() == [("shop", 3 * number), ("sink", number)]
            cursor.execute("select count(*), sum(if(balanced, 0, 1)) from client.ticdc__accounting")
            assert cursor.fetchall() == [(3 + number, 0)]  # partitions and files
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert brokers.PASSWORD.encode() not in file.read_bytes(), file


def put_row(bucket: Path, number: int) -> None:
    """Writes what a storage sink has for a row: its table's schema, a data file and a checkpoint."""
    version = 470610923857117184
    column = {"ColumnName": "id", "ColumnType": "INT", "ColumnNullable": "false", "ColumnIsPk": "true"}
    schema = {"Table": "t", "Schema": "shop", "Version": 1, "TableVersion": version, "Query": "", "Type": 0}
    data = f'"I","t","shop",{version + number},{number}\r\n'
    contents = {
        f"shop/t/meta/schema_{version}_0123456789.json": {**schema, "TableColumns": [column], "TableColumnsTotal": 1},
        "metadata": {"checkpoint-ts": version + number},
    }
    texts = {name: json.dumps(content) for name, content in contents.items()}
    for name, text in {**texts, f"shop/t/{version}/2026-11-21/CDC{number:020}.csv": data}.items():
        file = bucket / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


@pytest.mark.soak("kafka")
def test_what_happens_to_topics_loses_and_doubles_nothing(tmp_path: Path, broker: Broker) -> None:
    names = ("plain", "grows", "expires", "again", "transactions", "compacted")
    lake = Lake(
        tmp_path / "warehouse",
        broker,
        [
            {"name": "shop", "protocol": "canal_json", "topics": [r"t\_%"], "partitions": 1},
            {"name": "kept", "protocol": "canal_json", "topics": [r"k\_%"], "keep_messages": True},
        ],
    )
    for name in names:
        broker.create(f"t_{name}", **(brokers.COMPACTED if name == "compacted" else {}))
    broker.create("k_kept", 2)
    sent = 0

    def send(topic: str, count: int = 1, partition: int = 0) -> list[int]:
        nonlocal sent
        numbers = [*range(sent, sent + count)]
        sent += count
        # a compacted topic takes no message without key
        broker.send(Record(topic, partition, 0, str(number).encode(), row(number), "") for number in numbers)
        return numbers

    want = [number for name in names for number in send(f"t_{name}", 5)]
    kept = send("k_kept", 3) + send("k_kept", 4, partition=1)
    # by its cap a run takes a part; the last one finds all that is left
    lake.build(visibility="latest", messages_per_run=20)
    assert 0 < len(ids(lake, "shop")) < len(want)
    lake.stage()
    assert ids(lake, "shop") == want
    assert ids(lake, "kept") == sorted(kept)
    assert not lake.problems()

    # a partition, a topic and an aborted transaction are no alarm
    broker.add_partitions("t_grows", 2)
    want += send("t_grows", 2, partition=1)
    broker.create("t_new")
    want += send("t_new", 2)
    with broker.transaction("t_transactions", map(row, range(90000, 90007)), commits=False):
        pass
    with broker.transaction("t_transactions", map(row, range(80000, 80002)), commits=True):
        pass
    want += [80000, 80001]
    # of one key in a compacted topic the last message is left, and what no other comes after
    for number in range(70000, 70050):
        broker.send_values("t_compacted", [row(number)], key=b"one")
    time.sleep(1.5)  # a segment is closed by the first message that comes after its time
    want += send("t_compacted", 2)
    broker.await_compaction("t_compacted", 5 + 1 + 2)
    want.append(70049)
    # what expires unread, and what was made again
    send("t_expires", 4)
    broker.expire("t_expires", 0, 7)
    after_loss = [*range(sent - 2, sent)]
    broker.recreate("t_again")
    again = send("t_again", 9)
    kept += send("k_kept", 2, partition=1)
    # the others are published; the test that fails says that not all is there
    with pytest.raises(build.NodesFailed, match=r"accounting_balanced.*Got 2 results"):
        lake.build(visibility="latest")
    assert ids(lake, "shop") == sorted(want)
    assert ids(lake, "kept") == sorted(kept)
    assert lake.problems() == {("messages_expired", "t_expires"), ("topic_recreated", "t_again")}
    balanced = lake.rows("select topic from ticdc__accounting where not balanced")
    assert {each["topic"] for each in balanced} == {"t_expires", "t_again"}

    # nothing is read of them until a person says so, and what is read is read once
    want += after_loss + again
    lake.stage(accept_lost_messages=["shop"])
    assert ids(lake, "shop") == sorted(want)
    assert not lake.problems()
    want += send("t_again", 2) + send("t_expires")
    # what ends a transaction is no message that expires
    broker.expire("t_transactions", 0, 16)
    lake.build(visibility="latest")
    assert ids(lake, "shop") == sorted(want)
    assert not lake.rows("select topic from ticdc__accounting where not balanced")
    assert lake.messages() == {
        **{(f"t_{name}", 0): 5 for name in ("plain", "grows")},
        **{("t_compacted", 0): 8, ("t_grows", 1): 2, ("t_new", 0): 2, ("t_transactions", 0): 7},
        # of the old topic and the new one
        **{("t_expires", 0): 8, ("t_again", 0): 16},
        **{("k_kept", 0): 3, ("k_kept", 1): 6},
    }

    # a re-drive reads a dead letter once more, and writes nothing where it is one still
    broker.send_values("t_plain", [b"{"])
    lake.stage()
    lake.stage(redrive=["shop"])
    letters = lake.rows("select error_message from stg_ticdc__canal_json where kind = 'error'")
    assert len(letters) == 1
    assert "the source no longer has the message" not in letters[0]["error_message"]
