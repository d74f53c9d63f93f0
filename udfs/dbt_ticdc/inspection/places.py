"""Where a message is: a dump, the tables of a warehouse, brokers, or the folder of a storage sink."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dbt_ticdc import messages
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.inspection.reading import OF_REGISTRY, Message
from ticdc_udfs import schema_sources
from ticdc_udfs.contract import options as feed_options
from ticdc_udfs.contract.identifiers import quoted
from ticdc_udfs.contract.kafka_options import options_of_librdkafka
from ticdc_udfs.contract.patterns import is_like
from ticdc_udfs.contract.source import FILE_PROTOCOLS
from ticdc_udfs.sources.files import CSV, FileKind, path_of, rows_of
from ticdc_udfs.wire import avro_binary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SECONDS_AT_BROKERS = 30.0
_PARTITIONS_SAID = 20


class Place(NamedTuple):
    """Topic, partition and offset of a message; of a storage sink the path of a file, 0, and the number of a row."""

    topic: str
    partition: int
    offset: int


class Bytes(NamedTuple):
    """A message as it was sent; `more` and `notes` as `Message` has `schemas` and `notes`."""

    key: bytes | None
    value: bytes | None
    timestamp: int | None
    more: tuple[str | bytes | None, ...] = ()
    notes: tuple[str, ...] = ()


Feed = Mapping[str, Any]


def feed_of(variables: Mapping[str, Any], place: Place, name: str | None) -> Feed:
    """The feed whose message it is, by its name or by the topic. Raises `TicdcError` where that tells none or many."""
    feeds: list[Feed] = list(variables.get("ticdc__feeds") or ())
    names = ", ".join(str(feed.get("name")) for feed in feeds)
    if name is not None:
        found = [feed for feed in feeds if feed.get("name") == name]
        if not found:
            raise TicdcError(f"--feed: there is no feed {name!r}; feeds are {names}")
        return found[0]
    found = [feed for feed in feeds if _takes(feed, place.topic)]
    if not found:
        topics = "; ".join(f"{feed.get('name')}: {feed.get('topics') or 'files of a storage sink'}" for feed in feeds)
        raise TicdcError(f"no feed takes the topic {place.topic!r}; feeds and their topics are {topics}")
    if len(found) > 1:
        of_topic = ", ".join(str(feed["name"]) for feed in found)
        raise TicdcError(f"several feeds take the topic {place.topic!r}: {of_topic}; --feed names one of them")
    return found[0]


def _takes(feed: Feed, topic: str) -> bool:
    if feed.get("protocol") in FILE_PROTOCOLS:
        return path_of(topic).kind is not FileKind.OTHER
    return is_like(topic, [str(pattern) for pattern in feed.get("topics") or ()])


def in_dump(files: Sequence[Path], place: Place) -> Bytes:
    """The message in a dump. Raises `TicdcError` with what is there."""
    known: dict[tuple[str, int], tuple[int, int]] = {}
    for record in messages.records(files):
        at = record.topic, record.partition
        if (*at, record.offset) == place:
            return Bytes(record.key, record.value, record.timestamp)
        first, last = known.get(at, (record.offset, record.offset))
        known[at] = min(first, record.offset), max(last, record.offset)
    raise _not_there("the files", place, known)


def _not_there(where: str, place: Place, known: Mapping[tuple[str, int], tuple[int, int]]) -> TicdcError:
    of_topic = {partition: ends for (topic, partition), ends in known.items() if topic == place.topic}
    told = [
        f"partition {partition} of it has offsets from {first} to {last}"
        for partition, (first, last) in sorted(of_topic.items())[:_PARTITIONS_SAID]
    ]
    topics = dict.fromkeys(topic for topic, _ in sorted(known))
    there = "; ".join(told) or f"topics are {', '.join(topics) or 'none'}"
    return TicdcError(
        f"{where} have no message at topic {place.topic!r}, partition {place.partition}, "
        f"offset {place.offset}: {there}",
        1,
    )


def at_source(feed: Feed, place: Place) -> Bytes:
    """The message where the feed's member `source` says, without Spark. Raises `TicdcError`."""
    source = feed.get("source") or {}
    if "kafka" in source:
        return at_brokers(source["kafka"], place)
    if "files" in source:
        folder = str(source["files"]).removeprefix("file://")
        if not folder.startswith("/"):
            told = f"the files of feed {feed['name']} are not on this machine"
            raise TicdcError(f"{told}: --warehouse names a warehouse that `ticdc run` made of them")
        return of_files(feed, place, _Local(Path(folder)))
    raise TicdcError(
        f"say where the messages of feed {feed['name']} are: --messages names dumps, --warehouse tables made of them"
    )


def at_brokers(kafka: Mapping[str, Any], place: Place) -> Bytes:
    """The message at brokers. Raises `TicdcError` where it is gone or not yet there, or nobody answers."""
    try:
        from confluent_kafka import Consumer, KafkaException, TopicPartition
    except ImportError as error:
        raise TicdcError(
            "messages of Kafka need confluent-kafka: pip install 'dbt-ticdc[kafka]', or of a checkout "
            "'../dbt-ticdc[kafka]'"
        ) from error
    try:
        settings = options_of_librdkafka(kafka, os.environ)
    except LookupError as error:
        raise TicdcError(
            f"the environment lacks the variable {error.args[0]}, which an option of the feed names"
        ) from error
    alone: dict[str, Any] = {
        **settings,
        "group.id": "ticdc-inspect",
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        "log_level": 0,
    }
    try:
        consumer = Consumer(alone)
        try:
            at = TopicPartition(place.topic, place.partition, place.offset)
            low, high = consumer.get_watermark_offsets(at, timeout=_SECONDS_AT_BROKERS)
            if not low <= place.offset < high:
                raise _not_there("the brokers", place, {(place.topic, place.partition): (low, high - 1)})
            consumer.assign([at])
            found = consumer.poll(_SECONDS_AT_BROKERS)
        finally:
            consumer.close()
    except KafkaException as error:
        raise TicdcError(f"the brokers did not give the message: {error}", 1) from error
    if found is None or found.error() is not None:
        told = "they did not answer" if found is None else str(found.error())
        raise TicdcError(f"the brokers did not give the message within {_SECONDS_AT_BROKERS:g} s: {told}", 1)
    if found.offset() != place.offset:
        raise TicdcError(f"no message has this offset: the next one of the partition is at {found.offset()}", 1)
    timestamp = found.timestamp()[1]
    return Bytes(_raw(found.key()), _raw(found.value()), timestamp if timestamp >= 0 else None)


def _raw(data: str | bytes | None) -> bytes | None:
    return data.encode() if isinstance(data, str) else data


class Tree:
    """The files below the folder of a storage sink."""

    def content(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        raise NotImplementedError

    def schemas(self, table_folder: str) -> Iterable[str]:
        """The paths of the schema files of a table."""
        raise NotImplementedError


class _Local(Tree):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def content(self, path: str) -> bytes | None:
        with suppress(OSError):
            return (self._folder / path).read_bytes()
        return None

    def schemas(self, table_folder: str) -> Iterator[str]:
        meta = self._folder / table_folder / "meta"
        if meta.is_dir():
            yield from (f"{table_folder}/meta/{file.name}" for file in meta.iterdir())


def of_files(feed: Feed, place: Place, tree: Tree) -> Bytes:
    """A row of a data file, or a file that is a message as a whole."""
    protocol, path, key = str(feed["protocol"]), path_of(place.topic), place.topic.encode()
    content = tree.content(place.topic)
    if content is None:
        raise TicdcError(f"the folder of feed {feed['name']} has no file {place.topic!r}", 1)
    if path.kind is not FileKind.DATA:
        return Bytes(key, content, None, (None, None) if protocol == CSV else ())
    given = feed_options.parse(
        Message(str(feed["name"]), protocol, options_of(feed), *place, None, None, None).options_text
    )
    header, rows = rows_of(content, protocol, given)
    if not 0 <= place.offset < len(rows):
        raise TicdcError(f"the file {place.topic!r} has rows from 0 to {len(rows) - 1}, and no row {place.offset}", 1)
    more: tuple[str | bytes | None, ...] = ()
    if protocol == CSV:
        found = [
            (known.version or 0, text.decode(errors="replace"))
            for name in tree.schemas(path.table_folder or "")
            if (known := path_of(name)).kind is FileKind.SCHEMA and (known.version or 0) <= (path.version or 0)
            if (text := tree.content(name)) is not None
        ]
        more = ("[" + ",".join(text for _, text in sorted(found)) + "]" if found else None, header)
    return Bytes(key, rows[place.offset], None, more)


def in_warehouse(spark: SparkSession, variables: Mapping[str, Any], feed: Feed, place: Place) -> Bytes:
    """The message as a warehouse or its sources have it. Raises `TicdcError` with what is there."""
    source = feed.get("source") or {}
    if "files" in source:
        return of_files(feed, place, _InSpark(spark, str(feed["name"])))
    relation = source.get("relation") or f"{quoted(str(variables.get('ticdc__messages_schema', 'ticdc_raw')))}.messages"
    has_layout = "kafka" in source or source.get("layout", "kafka") == "kafka"
    tables = ["int_ticdc__kept_messages"] if "kafka" in source else [relation] if has_layout else []
    has_letters = variables.get("ticdc__dead_letter_payloads", "keep") == "keep"
    for table in (*tables, *(["ticdc__dead_letters"] if has_letters else [])):
        if not spark.catalog.tableExists(table):
            continue
        rows = _at(spark.table(table), place).limit(1).collect()
        if rows and _is_whole(rows[0]):
            at = rows[0]["timestamp" if "timestamp" in rows[0] else "message_at"]
            return Bytes(_bytes(rows[0]["key"]), _bytes(rows[0]["value"]), None if at is None else _millis(at))
    if "kafka" in source:
        return at_brokers(source["kafka"], place)
    if not has_layout:
        raise TicdcError(
            f"feed {feed['name']}: of a source with layout {source['layout']} only dead letters are shown, and this "
            "message is none; --messages names a dump that has it",
            1,
        )
    raise _not_there(f"the rows of {relation}", place, _known(spark, relation, place.topic))


def _is_whole(row: Any) -> bool:
    """Whether a row has the bytes of the message; dead letters may have been kept without them."""
    return all(
        (None if row[name] is None else len(row[name])) == row[f"{name}_length"]
        for name in ("key", "value")
        if f"{name}_length" in row
    )


def _bytes(data: Any) -> bytes | None:
    return None if data is None else bytes(data)


def _millis(moment: Any) -> int:
    millis: float = moment.timestamp() * 1000
    return round(millis)


def _at(frame: DataFrame, place: Place) -> DataFrame:
    return frame.where((frame["topic"] == place.topic) & (frame["partition"] == place.partition)).where(
        frame["offset"] == place.offset
    )


def _known(spark: SparkSession, relation: str, topic: str) -> dict[tuple[str, int], tuple[int, int]]:
    if not spark.catalog.tableExists(relation):
        return {}
    from pyspark.sql import functions as f

    ends = spark.table(relation).groupBy("topic", "partition").agg(f.min("offset"), f.max("offset"))
    return {(row[0], row[1]): (row[2], row[3]) for row in ends.collect()}


class _InSpark(Tree):
    """Files of which the ledger of files knows where they are."""

    def __init__(self, spark: SparkSession, feed: str) -> None:
        self._spark = spark
        known = spark.table("int_ticdc__files")
        self._files = known.where(known["feed"] == feed)

    def content(self, path: str) -> bytes | None:
        from pyspark.sql import functions as f

        rows = self._files.where(f.col("path") == path).orderBy(f.desc("offset")).select("location", "content").take(1)
        if not rows:
            return None
        if rows[0]["content"] is not None:
            return bytes(rows[0]["content"])
        with suppress(Exception):
            found = self._spark.read.format("binaryFile").load(_without_wildcards(rows[0]["location"]))
            return bytes(found.select("content").first()[0])  # type: ignore[index]
        return None

    def schemas(self, table_folder: str) -> Iterator[str]:
        from pyspark.sql import functions as f

        rows = self._files.where((f.col("kind") == "schema") & (f.col("table_folder") == table_folder))
        yield from (row[0] for row in rows.select("path").distinct().collect())


def _without_wildcards(location: str) -> str:
    return "".join("\\" + sign if sign in "\\{}[]*?" else sign for sign in location)


def options_of(feed: Feed) -> dict[str, Any]:
    """The options of a feed."""
    given = feed.get("options")
    return dict(given) if isinstance(given, dict) else {}


Registry = Callable[[str], schema_sources.Found]


def registry_of(feed: Feed, spark: SparkSession | None) -> Registry:
    """Where the writer schemas of a feed are: those that a warehouse holds, and else the option `schemas`."""
    source = str(options_of(feed).get("schemas") or "")
    asked = schema_sources.load(source)
    if spark is None or not spark.catalog.tableExists("int_ticdc__writer_schemas"):
        return asked
    known = spark.table("int_ticdc__writer_schemas")

    def find(schema_id: str) -> schema_sources.Found:
        rows = known.where((known["feed"] == str(feed["name"])) & (known["schema_id"] == schema_id)).collect()
        schema = next((row["schema"] for row in rows if row["schema"] is not None), None)
        if schema is not None:
            return schema_sources.Found(schema, None)
        is_relation = "/" not in source and not source.lower().endswith(".json")
        if is_relation:
            return schema_sources.Found(None, f"the relation {source} has no schema {schema_id}")
        return asked(schema_id)

    return find


def message_of(feed: Feed, place: Place, found: Bytes, find_schema: Registry) -> Message:
    """The message with all that its decoder takes."""
    protocol, given = str(feed["protocol"]), options_of(feed)
    schemas, notes = found.more, list(found.notes)
    if protocol in OF_REGISTRY:
        framing: avro_binary.Framing = "glue" if given.get("framing") == "glue" else "confluent"
        texts: list[str | None] = []
        for part in (found.key, found.value):
            number = avro_binary.schema_id(part, framing)
            answer = schema_sources.Found(None, None) if number is None else find_schema(number)
            texts.append(answer.schema)
            if answer.schema is None and answer.error:
                notes.append(f"the writer schema {number} is missing: {answer.error}")
        schemas = tuple(texts)
    return Message(
        str(feed["name"]), protocol, given, *place, found.timestamp, found.key, found.value, schemas, tuple(notes)
    )
