"""The settings of Kafka's clients that a feed's source has: Java's, which Spark takes, and what librdkafka takes.

A secret is named, `${secrets:NAME}`, and is in the variable NAME of the environment: of Spark's driver and executors,
whose Kafka clients read it by a provider of Kafka's, and of Spark's Python workers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ticdc_udfs.contract.faults import got, unknown_members

ISOLATION_LEVELS = ("read_committed", "read_uncommitted")
"""The first one is the default."""

_MEMBERS = ("bootstrap_servers", "isolation_level", "options")
_SECRET = re.compile(r"\$\{secrets:([A-Za-z_][A-Za-z0-9_]*)\}")
_IS_SECRET = re.compile(r"password|secret|token|credential|keystore\.key|jaas")
_OPTION = re.compile(r"[a-z][a-z0-9.]*")
_OF_SPARK = re.compile(
    r"auto\.offset\.reset|enable\.auto\.commit|group\.id|interceptor\.classes|isolation\.level|(key|value)\.deserializer"
    r"|bootstrap\.servers|config\.providers.*"
)
_OF_LIBRDKAFKA = ("sasl.username", "sasl.password", "sasl.mechanisms")
_OF_JAAS = re.compile(r'\b(username|password)\s*=\s*(?:"([^"]*)"|\'([^\']*)\')')
_MODULES = (
    "org.apache.kafka.common.security.plain.PlainLoginModule",
    "org.apache.kafka.common.security.scram.ScramLoginModule",
)
_JAAS = re.compile(rf"\s*({'|'.join(map(re.escape, _MODULES))})\s+required\b.*;\s*", re.DOTALL)
# What both clients know under one name, and what librdkafka names otherwise.
_SAME = (
    *("security.protocol", "sasl.mechanism", "client.id", "client.dns.lookup", "client.rack", "ssl.key.password"),
    *("ssl.endpoint.identification.algorithm", "socket.connection.setup.timeout.ms"),
)
_PEM = {
    "ssl.truststore.location": ("ssl.ca.location",),
    "ssl.truststore.certificates": ("ssl.ca.pem",),
    "ssl.keystore.location": ("ssl.certificate.location", "ssl.key.location"),
    "ssl.keystore.certificate.chain": ("ssl.certificate.pem",),
    "ssl.keystore.key": ("ssl.key.pem",),
}


def problems_of_kafka(kafka: object, place: str) -> Iterator[str]:
    """What is wrong with the member `kafka` of a feed's source; no setting's value is in a text."""
    if not isinstance(kafka, dict):
        yield f"{place}: {got(kafka)}, expected a mapping with bootstrap_servers"
        return
    yield from unknown_members(kafka, _MEMBERS, place)
    if not isinstance(servers := kafka.get("bootstrap_servers"), str) or not servers:
        yield f"{place}.bootstrap_servers: {got(servers)}, expected host:port, and others after commas"
    if (level := kafka.get("isolation_level", ISOLATION_LEVELS[0])) not in ISOLATION_LEVELS:
        yield f"{place}.isolation_level: {got(level)}, allowed: {', '.join(ISOLATION_LEVELS)}"
    options = kafka.get("options") or {}
    if not isinstance(options, dict):
        yield f"{place}.options: {got(options)}, expected a mapping of settings of Kafka's clients"
        return
    for name, value in options.items():
        yield from _of_option(str(name), value, f"{place}.options")
    for store in ("ssl.truststore", "ssl.keystore"):
        if f"{store}.location" in options and options.get(f"{store}.type") != "PEM":
            yield f"{place}.options: {store}.location needs {store}.type: PEM, the one form that both clients read"


def _of_option(name: str, value: object, place: str) -> Iterator[str]:
    if not _OPTION.fullmatch(name):
        yield f"{place}: {got(name)}, expected a setting of Kafka's clients, without kafka. before it"
    elif _OF_SPARK.fullmatch(name):
        yield f"{place}: {got(name)}, which Spark or the package sets"
    elif name in _OF_LIBRDKAFKA:
        yield (
            f"{place}: {got(name)}, which is a setting of librdkafka; expected sasl.jaas.config, such as "
            f'{_MODULES[0]} required username="reader" password="${{secrets:KAFKA_PASSWORD}}";'
        )
    elif not isinstance(value, str):
        yield f"{place}.{name}: expected a text"
    elif name == "sasl.jaas.config" and not _JAAS.fullmatch(value):
        yield f"{place}.{name}: expected {' or '.join(_MODULES)}, required, username and password"
    elif _IS_SECRET.search(name) and not _SECRET.fullmatch(
        _of_jaas(value).get("password", "") if name == "sasl.jaas.config" else value
    ):
        yield (
            f"{place}.{name}: holds a secret, which would stand in SQL and logs; expected a reference to the "
            "environment of driver and workers, such as ${secrets:KAFKA_PASSWORD}"
        )


def options_of_librdkafka(kafka: Mapping[str, object], environment: Mapping[str, str]) -> dict[str, str]:
    """The settings of librdkafka's clients that mean the same, with secrets of the environment.

    Raises `LookupError` with the name of a variable that is missing there.
    """
    found = {"bootstrap.servers": str(kafka["bootstrap_servers"])}
    for name, value in _options(kafka).items():
        for same in (name,) if name in _SAME else _PEM.get(name, ()):
            found[same] = _with_secrets(value, environment)
        if name == "sasl.jaas.config":  # before secrets: those may hold quotes
            of_jaas = _of_jaas(value).items()
            found |= {f"sasl.{member}": _with_secrets(text, environment) for member, text in of_jaas}
    return found


def options_of_spark(kafka: Mapping[str, object]) -> dict[str, str]:
    """The options of Spark's source that tell Kafka's clients in Java what `kafka` says; secrets stay references."""
    given = {f"kafka.{name}": value for name, value in _options(kafka).items()}
    level = str(kafka.get("isolation_level") or ISOLATION_LEVELS[0])
    found = {"kafka.bootstrap.servers": str(kafka["bootstrap_servers"]), "kafka.isolation.level": level, **given}
    if any(_SECRET.search(value) for value in given.values()):
        # Kafka's clients read these from the environment; those to a provider `env` Spark replaces in the statement
        found["kafka.config.providers"] = "secrets"
        found["kafka.config.providers.secrets.class"] = "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
    return found


def _with_secrets(text: str, environment: Mapping[str, str]) -> str:
    return _SECRET.sub(lambda match: environment[match[1]], text)


def _options(kafka: Mapping[str, object]) -> dict[str, str]:
    options = kafka.get("options") or {}
    assert isinstance(options, Mapping)
    return {str(name): str(value) for name, value in options.items()}


def _of_jaas(text: str) -> dict[str, str]:
    return {match[1]: match[2] if match[2] is not None else match[3] for match in _OF_JAAS.finditer(text)}
