"""The messages of the tests: a folder of Kafka records written by the TiCDC encoders, one file per variant."""

from __future__ import annotations

import gzip
import json
import os
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

DATA = Path(__file__).parents[2] / "data"
SAMPLE = DATA / "corpus"
VECTORS = DATA / "vectors" / "canal_json.jsonl"


SOAKED = os.environ.get("TICDC_SOAK", "").split(",")
"""The parts of the long tests that run; none in `make test`."""
HAS_OTHERS = SOAKED[0] in ("", "ci")
"""Whether the tests run that are of no part."""


def root() -> Path:
    """The folder that TICDC_CORPUS names, or the sample of the repository."""
    named = os.environ.get("TICDC_CORPUS")
    return Path(named) if named else SAMPLE


class Record(NamedTuple):
    """A Kafka record; `line` is its JSON text as it stands in the file."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    line: str


def text_lines(path: Path) -> Iterator[str]:
    r"""Lines of a file, or of its gzipped twin `<path>.gz`; only `\n` ends a line, JSON text may hold U+2028."""
    packed = path if path.suffix == ".gz" else path.with_name(path.name + ".gz")
    if packed.exists():
        with gzip.open(packed, "rt", encoding="utf-8", newline="\n") as stream:
            yield from stream
    else:
        with open(path, encoding="utf-8", newline="\n") as stream:
            yield from stream


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file, gzipped or not."""
    return (json.loads(line) for line in text_lines(path))


def record(line: str) -> Record:
    """The record that a line of a topic file holds."""
    wire = json.loads(line)
    return Record(
        wire["topic"],
        wire["partition"],
        wire["offset"],
        None if wire["key"] is None else b64decode(wire["key"]),
        None if wire["value"] is None else b64decode(wire["value"]),
        line,
    )


def renamed(line: str, topic: str, **members: Any) -> str:
    """The line as that of another topic."""
    return json.dumps({**json.loads(line), "topic": topic, **members}) + "\n"


def rearranged(records: Iterable[Record], random: Random) -> list[Record]:
    """The records as they may arrive too: partitions in any interleaving, and offset ranges sent again by restarts."""
    partitions: dict[int, list[Record]] = {}
    for each in records:
        partitions.setdefault(each.partition, []).append(each)
    for queue in partitions.values():
        for _ in range(3):
            end = random.randrange(len(queue))
            queue[end:end] = queue[max(0, end - random.randrange(100)) : end]
    arrived: list[Record] = []
    offsets = dict.fromkeys(partitions, 0)
    while left := [partition for partition in sorted(partitions) if offsets[partition] < len(partitions[partition])]:
        partition = random.choice(left)
        for _ in range(random.randrange(100)):
            if offsets[partition] < len(partitions[partition]):
                arrived.append(partitions[partition][offsets[partition]]._replace(offset=offsets[partition]))
                offsets[partition] += 1
    return arrived


def rearranged_lines(records: Iterable[Record], topic: str, random: Random) -> list[str]:
    """The lines of these records as they may arrive too, as those of another topic."""
    return [renamed(each.line, topic, offset=each.offset) for each in rearranged(records, random)]


@dataclass(frozen=True)
class Variant:
    """One changefeed of the corpus: its messages and the options that it ran with."""

    folder: Path
    name: str

    @property
    def path(self) -> Path:
        """The topic file."""
        return self.folder / "topics" / f"{self.name}.jsonl.gz"

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What the corpus says of the variant."""
        return dict(json.loads((self.folder / "topics" / f"{self.name}.meta.json").read_text(encoding="utf-8")))

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records in arrival order."""
        return tuple(map(record, text_lines(self.path)))

    @property
    def options(self) -> dict[str, str]:
        """The feed options under which the messages read right; defaults are left out."""
        wanted = {
            "time_zone": (self.meta["timezone"], "UTC"),
            "compression": (self.meta["large_message_handle_compression"], "none"),
        }
        return {name: value for name, (value, default) in wanted.items() if value != default}

    @property
    def options_text(self) -> str:
        """The options as the decoder takes them."""
        return json.dumps(self.options)

    @property
    def has_extension(self) -> bool:
        """Whether rows carry a commit TSO and watermarks are sent."""
        return bool(self.meta["sink_uri_options"].get("enable-tidb-extension") == "true")

    def feed(self, name: str | None = None, topic: str | None = None) -> dict[str, Any]:
        """The feed of this variant as a feeds file lists it."""
        feed: dict[str, Any] = {
            "name": name or self.name,
            "protocol": self.meta["protocol"].replace("-", "_"),
            "topics": [topic or self.name],
            "partitions": self.meta["partitions"],
            "target_schema": "{feed}__{schema}",
        }
        options = self.options
        if self.meta["sink_uri_options"].get("encoding-format") == "avro":
            options = {**options, "encoding": "avro"}
        files = self.folder / "claim_check" / self.name
        if files.is_dir():
            options = {**options, "claim_check": str(files)}
        return {**feed, "options": options} if options else feed


def variants(folder: Path | None = None) -> tuple[Variant, ...]:
    """Every canal-json variant of a corpus, by name."""
    folder = folder or root()
    files = sorted((folder / "topics").glob("canal_json*.jsonl.gz"))
    return tuple(Variant(folder, file.name.removesuffix(".jsonl.gz")) for file in files)


def with_ddl(folder: Path | None = None) -> tuple[Variant, ...]:
    """Every variant of the protocols that send DDL, by name; samples of a few rows are none."""
    folder = folder or root()
    names = sorted(file.name.removesuffix(".jsonl.gz") for file in (folder / "topics").glob("*.jsonl.gz"))
    return tuple(
        Variant(folder, name) for name in names if not name.startswith(_WITHOUT_DDL) and not name.endswith("_some_rows")
    )


_WITHOUT_DDL = ("avro", "debezium_avro")


def plain(folder: Path | None = None) -> Variant:
    """The variant with the default options."""
    return Variant(folder or root(), "canal_json")


def lines_about(variant: Variant, tables: Collection[str]) -> Iterator[str]:
    """The lines of an uncompressed canal-json variant that tell of these tables, and its watermarks."""
    for each in variant.records:
        message = json.loads(each.value or b"{}")
        if message.get("table") in tables or message.get("type") == "TIDB_WATERMARK":
            yield each.line


def first_row_ts(records: Iterable[Record]) -> dict[tuple[str, str], int]:
    """The commit TSO of the first row message of each table, read from uncompressed messages without the decoder."""
    first: dict[tuple[str, str], int] = {}
    for message in (json.loads(record.value) for record in records if record.value):
        if message["isDdl"] or message["type"] == "TIDB_WATERMARK":
            continue
        table = (message["database"], message["table"])
        commit_ts = message["_tidb"]["commitTs"]
        first[table] = min(commit_ts, first.get(table, commit_ts))
    return first
