"""Options of Kafka sources: what both clients get of them, and that no secret stands in a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from ticdc_udfs.contract.kafka_options import options_of_librdkafka, options_of_spark, problems_of_kafka

SERVERS = "broker-1:9092,broker-2:9092"
JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required username='me' password='${secrets:WORD}' ;"


def kafka(**options: Any) -> dict[str, Any]:
    """A source with options, whose names have _ where they have a dot."""
    return {
        "bootstrap_servers": SERVERS,
        "options": {name.replace("_", "."): option for name, option in options.items()},
    }


def test_a_source_of_brokers_alone_is_enough() -> None:
    source = {"bootstrap_servers": SERVERS}
    assert not [*problems_of_kafka(source, "here")]
    assert options_of_librdkafka(source, {}) == {"bootstrap.servers": SERVERS}


def test_secrets_are_named_for_spark_and_given_to_librdkafka() -> None:
    source = kafka(security_protocol="SASL_SSL", sasl_mechanism="SCRAM-SHA-512", sasl_jaas_config=JAAS)
    assert not [*problems_of_kafka(source, "here")]
    assert options_of_librdkafka(source, {"WORD": 'a"word'}) == {
        "bootstrap.servers": SERVERS,
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "me",
        "sasl.password": 'a"word',
    }
    with pytest.raises(LookupError, match="WORD"):
        options_of_librdkafka(source, {})
    assert options_of_spark(source) == {
        "kafka.bootstrap.servers": SERVERS,
        "kafka.isolation.level": "read_committed",
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": JAAS,
        "kafka.config.providers": "secrets",
        "kafka.config.providers.secrets.class": "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
    }


def test_certificates_are_files_of_pem() -> None:
    source = kafka(
        security_protocol="SSL",
        ssl_truststore_type="PEM",
        ssl_truststore_location="/ca.pem",
        ssl_keystore_type="PEM",
        ssl_keystore_location="/me.pem",
        ssl_key_password="${secrets:WORD}",
        max_poll_records="7",
    )
    assert not [*problems_of_kafka(source, "here")]
    assert options_of_librdkafka(source, {"WORD": "w"}) == {
        "bootstrap.servers": SERVERS,
        "security.protocol": "SSL",
        "ssl.ca.location": "/ca.pem",
        "ssl.certificate.location": "/me.pem",
        "ssl.key.location": "/me.pem",
        "ssl.key.password": "w",
    }


PROBLEMS: dict[str, tuple[dict[str, Any], str]] = {
    "no brokers": ({}, "here.bootstrap_servers: got null"),
    "another member": ({"bootstrap_servers": "b:1", "topic": "t"}, 'unknown member "topic"'),
    "another level": ({"bootstrap_servers": "b:1", "isolation_level": "none"}, "allowed: read_committed, read_un"),
    "options that are a list": ({"bootstrap_servers": "b:1", "options": ["a"]}, "expected a mapping"),
    "an option of what is read": ({"bootstrap_servers": "b:1", "options": {"startingOffsets": "latest"}}, "expected a"),
    "a number": (kafka(max_poll_records=7), "max.poll.records: expected a text"),
    "an option of the package": (kafka(isolation_level="x"), "which Spark or the package sets"),
    "an option that Spark sets": (
        {"bootstrap_servers": "b:1", "options": {"group.id": "g"}},
        "which Spark or the package sets",
    ),
    "a password": (kafka(ssl_key_password="hidden-word"), "expected a reference"),
    "a password beside a name": (kafka(ssl_keystore_password="${secrets:A}hidden-word"), "expected a reference"),
    "a password of JAAS": (
        kafka(sasl_jaas_config=JAAS.replace("${secrets:WORD}", "hidden-word")),
        "expected a reference",
    ),
    "a password of librdkafka's": (kafka(sasl_password="hidden-word"), "expected sasl.jaas.config, such as org.apache"),
    "no module": (kafka(sasl_jaas_config="hidden-word"), "expected org.apache"),
    "a store of Java": (kafka(ssl_truststore_location="/trust.jks"), "needs ssl.truststore.type: PEM"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_wrong_is_told_without_a_secret(name: str) -> None:
    source, problem = PROBLEMS[name]
    told = [*problems_of_kafka(source, "here")]
    assert any(problem in text for text in told), told
    assert "hidden-word" not in "".join(told)
