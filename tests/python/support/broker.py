"""A Kafka broker of the tests' own, on this machine, with what happens to topics in their lives."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from support.corpus import Record
from support.jars import JAVA, jars

BROKER = "org.apache.kafka:kafka_2.13:4.3.1"
# Named one by one: what the connector depends on is in Spark itself, but for these.
CONNECTOR = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.1",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.1",
)
# A topic whose older messages of a key go as soon as a segment, of a second, is closed.
COMPACTED = {
    **{"cleanup_policy": "compact", "segment_ms": "1000", "min_cleanable_dirty_ratio": "0.001"},
    **{"min_compaction_lag_ms": "0", "max_compaction_lag_ms": "1000"},
}
USER, PASSWORD = "reader", "a-word-that-is-secret"
STARTS_SECONDS = 90
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{secure},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/logs
num.network.threads=1
num.io.threads=2
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.retention.ms=-1
log.cleaner.backoff.ms=200
log.cleaner.dedupe.buffer.size=2000000
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
user_{user}="{password}";
ssl.keystore.type=PKCS12
ssl.keystore.location={folder}/keys.p12
ssl.keystore.password=of-the-store
"""


class Broker:
    """A broker that runs; `servers` takes anyone, `secure_servers` those who have `USER` and `PASSWORD`."""

    def __init__(self, folder: Path, plain: int, secure: int) -> None:
        self.servers, self.secure_servers = f"127.0.0.1:{plain}", f"127.0.0.1:{secure}"
        self.certificate = folder / "certificate.pem"
        self._settings: dict[str, str | int | float | bool] = {"bootstrap.servers": self.servers, "log_level": 0}
        self.admin = AdminClient(self._settings)

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        """Makes a topic; settings have _ where Kafka's have a dot."""
        config = {name.replace("_", "."): value for name, value in settings.items()}
        _done(self.admin.create_topics([NewTopic(topic, partitions, 1, config=config)]))

    def add_partitions(self, topic: str, partitions: int) -> None:
        _done(self.admin.create_partitions([NewPartitions(topic, partitions)]))

    def await_compaction(self, topic: str, messages: int, seconds: float = 120) -> None:
        """Until partition 0 of a topic of `COMPACTED` holds no more messages; its last segment stays whole."""
        ends = time.monotonic() + seconds
        while (held := sum(1 for _ in self.offsets(topic))) > messages:
            assert time.monotonic() < ends, f"{topic} still holds {held} messages, not {messages}"
            time.sleep(0.5)

    def offsets(self, topic: str, partition: int = 0) -> Iterator[int]:
        """Of the messages that a partition holds."""
        settings = {"group.id": "of-tests", "enable.auto.commit": False, "enable.partition.eof": True}
        consumer = Consumer({**self._settings, **settings})
        consumer.assign([TopicPartition(topic, partition, 0)])
        try:
            while True:
                for message in consumer.consume(10_000, timeout=1):
                    fault = message.error()
                    if fault is None:
                        yield int(message.offset() or 0)
                    elif fault.code() == KafkaError._PARTITION_EOF:
                        return
        finally:
            consumer.close()

    def recreate(self, topic: str, partitions: int = 1) -> None:
        """Deletes a topic and makes it again."""
        self.delete(topic)
        ends = time.monotonic() + 30
        while True:
            try:
                return self.create(topic, partitions)
            except Exception:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.2)

    def delete(self, topic: str) -> None:
        _done(self.admin.delete_topics([topic]))

    def expire(self, topic: str, partition: int, before: int) -> None:
        """Removes the messages before an offset, as the topic's retention does."""
        _done(self.admin.delete_records([TopicPartition(topic, partition, before)]))

    def send(self, records: Iterable[Record], topic: str | None = None, partitions: int | None = None) -> int:
        """Sends key and value of records to their partitions; gives how many."""
        producer, sent = Producer({**self._settings, "linger.ms": 5}), 0
        for each in records:
            partition = each.partition if partitions is None else each.partition % partitions
            at = json.loads(each.line)["timestamp"] if each.line else 0  # 0: now
            while True:
                try:
                    producer.produce(topic or each.topic, each.value, each.key, partition, timestamp=at)
                    break
                except BufferError:  # it holds as many as it may that are on their way
                    producer.poll(1)
            producer.poll(0)
            sent += 1
        assert not producer.flush(60)
        return sent

    def send_values(self, topic: str, values: Iterable[bytes], partition: int = 0, key: bytes | None = None) -> int:
        return self.send(Record(topic, partition, 0, key, value, "") for value in values)

    @contextmanager
    def transaction(self, topic: str, values: Iterable[bytes], *, commits: bool, partition: int = 0) -> Iterator[None]:
        """An open transaction with these messages, that ends with the block."""
        producer = Producer({**self._settings, "transactional.id": f"of-{topic}"})
        producer.init_transactions(30)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=partition)
        producer.flush(30)
        try:
            yield
        finally:
            (producer.commit_transaction if commits else producer.abort_transaction)(30)


def connector() -> str:
    """The class path of Spark's Kafka source."""
    return ":".join(map(str, jars(*CONNECTOR, alone=True)))


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    """A broker on free ports, with its files in a folder; it is stopped however the block ends."""
    libraries = jars(BROKER)
    folder.mkdir(parents=True, exist_ok=True)
    ports = dict(zip(("plain", "secure", "controller"), _free_ports(3), strict=True))
    _make_certificate(folder)
    properties, log = folder / "server.properties", folder / "broker.log"
    told = _PROPERTIES.format(folder=folder, user=USER, password=PASSWORD, **ports)
    properties.write_text(told, encoding="utf-8")
    (folder / "log4j2.properties").write_text(
        "rootLogger.level=WARN\nrootLogger.appenderRef.console.ref=C\nappender.c.type=Console\nappender.c.name=C\n"
    )
    command = [JAVA, "-Xmx512m", f"-Dlog4j2.configurationFile={folder / 'log4j2.properties'}"]
    command += ["-cp", ":".join(map(str, libraries))]
    formats = [*command, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(properties)]
    done = subprocess.run(formats, capture_output=True, text=True, timeout=STARTS_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    with log.open("w") as out:
        process = subprocess.Popen([*command, "kafka.Kafka", str(properties)], stdout=out, stderr=subprocess.STDOUT)
    try:
        _await(process, ports["plain"], log)
        yield Broker(folder, ports["plain"], ports["secure"])
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Until the broker listens."""
    ends = time.monotonic() + STARTS_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError(f"the broker did not start:\n{log.read_text()[-4000:]}")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _make_certificate(folder: Path) -> None:
    """A key of the broker, and the certificate that clients trust."""
    keytool = str(Path(JAVA).with_name("keytool")) if "/" in JAVA else "keytool"
    store = ["-keystore", str(folder / "keys.p12"), "-storetype", "PKCS12", "-storepass", "of-the-store"]
    makes = ["-genkeypair", "-alias", "broker", "-keyalg", "RSA", "-validity", "2", "-dname", "CN=127.0.0.1"]
    makes += ["-ext", "san=ip:127.0.0.1"]
    shown = ["-exportcert", "-alias", "broker", "-rfc", "-file", str(folder / "certificate.pem")]
    for arguments in (makes, shown):
        subprocess.run([keytool, *arguments, *store], check=True, capture_output=True, text=True)


def _done(futures: dict[Any, Any]) -> None:
    for future in futures.values():
        future.result(30)
