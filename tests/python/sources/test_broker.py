"""What a real broker tells of its topics: ids, offsets, transactions, and that it lets nobody in."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from support import broker as brokers
from support.broker import Broker

from dbt_ticdc.errors import TicdcError
from dbt_ticdc.inspection.places import Place, at_brokers
from ticdc_udfs.sources.broker import BrokerError, found
from ticdc_udfs.sources.kafka import Found

JAAS = (
    'org.apache.kafka.common.security.plain.PlainLoginModule required username="reader" '
    'password="${secrets:TICDC_TEST_KAFKA}";'
)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with brokers.running(tmp_path_factory.mktemp("broker")) as running:
        yield running


def secure(broker: Broker) -> dict[str, object]:
    """The member `kafka` of a source at the door that asks who comes."""
    return {
        "bootstrap_servers": broker.secure_servers,
        "options": {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": JAAS,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(broker.certificate),
        },
    }


def offsets(found: list[Found]) -> dict[tuple[str, int], tuple[int, int, int]]:
    return {(each.topic, each.partition): (each.low_offset, each.high_offset, each.log_end_offset) for each in found}


def test_topics_that_match_are_found_with_their_offsets(broker: Broker) -> None:
    broker.create("shop_a", 2)
    broker.create("shop_b")
    broker.create("shopXa")
    broker.send_values("shop_a", [b"1", b"2", b"3"], partition=1)
    kafka = {"bootstrap_servers": broker.servers}
    told = found(kafka, [r"shop\_%"])
    assert offsets(told) == {("shop_a", 0): (0, 0, 0), ("shop_a", 1): (0, 3, 3), ("shop_b", 0): (0, 0, 0)}
    assert len({each.topic_id for each in told}) == 2
    broker.expire("shop_a", 1, 2)
    broker.add_partitions("shop_b", 2)
    assert offsets(found(kafka, [r"shop\__"])) == {
        ("shop_a", 0): (0, 0, 0),
        ("shop_a", 1): (2, 3, 3),
        ("shop_b", 0): (0, 0, 0),
        ("shop_b", 1): (0, 0, 0),
    }
    before = {each.topic_id for each in found(kafka, [r"shop\_b"])}
    broker.recreate("shop_b", 1)
    assert before.isdisjoint(each.topic_id for each in found(kafka, [r"shop\_b"]))
    assert found(kafka, ["none"]) == []


def test_an_open_transaction_is_not_read_where_it_counts(broker: Broker) -> None:
    broker.create("transactions")
    committed = {"bootstrap_servers": broker.servers}
    uncommitted = {**committed, "isolation_level": "read_uncommitted"}
    with broker.transaction("transactions", [b"1", b"2"], commits=False):
        assert offsets(found(committed, ["transactions"])) == {("transactions", 0): (0, 0, 2)}
        assert offsets(found(uncommitted, ["transactions"])) == {("transactions", 0): (0, 2, 2)}
    # what ends it has an offset, and comes a moment after the client has ended it
    ends = time.monotonic() + 30
    while (ended := offsets(found(committed, ["transactions"]))) != {("transactions", 0): (0, 3, 3)}:
        assert time.monotonic() < ends, ended
        time.sleep(0.1)


def test_internal_topics_are_nobodys(broker: Broker) -> None:
    broker.create("internal")
    with broker.transaction("internal", [b"1"], commits=True):
        pass
    assert not [each for each in found({"bootstrap_servers": broker.servers}, ["%"]) if each.topic.startswith("__")]


def test_who_has_the_password_is_let_in(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    broker.create("guarded")
    monkeypatch.setenv("TICDC_TEST_KAFKA", brokers.PASSWORD)
    assert offsets(found(secure(broker), ["guarded"])) == {("guarded", 0): (0, 0, 0)}


def test_who_has_another_password_is_told_so_without_it(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICDC_TEST_KAFKA", "another-word")
    with pytest.raises(BrokerError, match=r"within 5 s: .*[Aa]uthentication") as told:
        found(secure(broker), ["guarded"], timeout=5)
    assert "another-word" not in str(told.value)


def test_a_variable_that_is_missing_is_named(broker: Broker) -> None:
    with pytest.raises(BrokerError, match="lacks the variable TICDC_TEST_KAFKA"):
        found(secure(broker), ["guarded"])


def test_a_broker_that_is_not_there_is_named() -> None:
    with pytest.raises(
        BrokerError, match=r"the brokers 127\.0\.0\.1:1 did not tell their offsets within 2 s: .*refused"
    ):
        found({"bootstrap_servers": "127.0.0.1:1"}, ["%"], timeout=2)


def test_one_message_is_looked_at_where_it_is(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `ticdc inspect` does: by its offset, at both doors, and with what is there where it is not."""
    broker.create("looked_at")
    broker.send_values("looked_at", [b"0", b"1", b"2"], key=b"k")
    broker.expire("looked_at", 0, 1)
    kafka = {"bootstrap_servers": broker.servers}
    found = at_brokers(kafka, Place("looked_at", 0, 1))
    assert (found.key, found.value) == (b"k", b"1")
    assert found.timestamp is not None and abs(found.timestamp / 1000 - time.time()) < 600
    for offset in (0, 3):
        with pytest.raises(TicdcError, match="partition 0 of it has offsets from 1 to 2"):
            at_brokers(kafka, Place("looked_at", 0, offset))
    monkeypatch.setenv("TICDC_TEST_KAFKA", brokers.PASSWORD)
    assert at_brokers(secure(broker), Place("looked_at", 0, 2)).value == b"2"
    monkeypatch.delenv("TICDC_TEST_KAFKA")
    with pytest.raises(TicdcError, match="the environment lacks the variable TICDC_TEST_KAFKA"):
        at_brokers(secure(broker), Place("looked_at", 0, 2))


def test_an_offset_that_a_transaction_took_has_no_message(broker: Broker) -> None:
    broker.create("in_transactions")
    with broker.transaction("in_transactions", [b"0"], commits=False):
        pass
    kafka = {"bootstrap_servers": broker.servers}
    ends = time.monotonic() + 30
    # what ends it comes a moment later
    while offsets(found(kafka, ["in_transactions"]))["in_transactions", 0][2] < 2 and time.monotonic() < ends:
        time.sleep(0.1)
    broker.send_values("in_transactions", [b"2"])
    with pytest.raises(TicdcError, match="no message has this offset: the next one of the partition is at 2"):
        at_brokers(kafka, Place("in_transactions", 0, 1))
