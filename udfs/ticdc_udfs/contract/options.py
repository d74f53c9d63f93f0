"""The options of a feed: which each protocol has, and those that change how its bytes are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract.events import DecodeError, ErrorCode

BinaryMode = Literal["bytes", "base64", "base64-url-safe", "hex"]
"""How Debezium writes binary values; of JSON, the first two are the same."""
Compression = Literal["none", "snappy", "lz4"]
Encoding = Literal["json", "avro"]
Framing = Literal["confluent", "glue"]
CsvBinary = Literal["base64", "hex"]

Kind = str | Sequence[str | bool]
"""What an option takes: the allowed values, or what `configuration.py` checks, such as `time zone` or `text`."""

_ZONES: Mapping[str, Kind] = {"time_zone": "time zone", "session_time_zone": "session time zone"}
_FILES: Mapping[str, Kind] = {"claim_check": "text"}
_SCHEMAS: Mapping[str, Kind] = {"framing": get_args(Framing), "schemas": "schemas"}
_COMPRESSION: Mapping[str, Kind] = {"compression": get_args(Compression)}
_BINARY: Mapping[str, Kind] = {"binary_handling_mode": get_args(BinaryMode)}
_CSV: Mapping[str, Kind] = {
    "delimiter": "delimiter",
    "quote": "quote",
    "null": "null",
    "include_commit_ts": (True,),
    "binary_encoding_method": get_args(CsvBinary),
    "output_old_value": (True, False),
    "output_handle_key": (True, False),
    "output_field_header": (True, False),
}
OPTIONS: Mapping[str, Mapping[str, Kind]] = {
    "avro": {**_ZONES, **_SCHEMAS},
    "canal_json": {**_ZONES, **_COMPRESSION, **_FILES},
    "debezium": {**_ZONES, **_COMPRESSION, **_BINARY},
    "debezium_avro": {**_ZONES, **_SCHEMAS, **_BINARY},
    "open_protocol": {**_ZONES, **_COMPRESSION, **_FILES},
    "simple": {**_ZONES, "encoding": get_args(Encoding), **_COMPRESSION, **_FILES},
    "storage_canal_json": {**_ZONES, "terminator": "text"},
    "storage_csv": {**_ZONES, "terminator": "text", **_CSV},
}
"""The protocols that a feed can have, and what the options of each take."""


class Csv(NamedTuple):
    """How the storage sink writes the rows of a file; only `terminator` is of canal-json, too.

    `quote` is "" where texts are not quoted but escaped, `null` is what stands for NULL without quotes. With
    `has_old_rows` an update is a deletion and an insertion, and each row tells whether it is of one.
    """

    terminator: str = "\r\n"
    delimiter: str = ","
    quote: str = '"'
    null: str = "\\N"
    binary: CsvBinary = "base64"
    has_old_rows: bool = False
    has_handle_key: bool = False
    has_header: bool = False


class Options(NamedTuple):
    """A feed's options, as in `ticdc__feeds`.

    The changefeed's time zone (None: UTC), codec-level compression, the encoding of Simple, the framing of Avro, how
    Debezium writes binary values (None: not said); and how the storage sink writes rows.
    """

    time_zone: ZoneInfo | None = None
    compression: Compression = "none"
    encoding: Encoding = "json"
    framing: Framing = "confluent"
    binary: BinaryMode | None = None
    csv: Csv = Csv()


class _Wire(msgspec.Struct, forbid_unknown_fields=True):
    feed: str = ""
    time_zone: str = "UTC"
    compression: Compression = "none"
    encoding: Encoding = "json"
    framing: Framing = "confluent"
    binary_handling_mode: BinaryMode | None = None
    terminator: Annotated[str, msgspec.Meta(min_length=1)] = "\r\n"
    delimiter: Annotated[str, msgspec.Meta(min_length=1, max_length=3)] = ","
    quote: Annotated[str, msgspec.Meta(max_length=1)] = '"'
    null: str = "\\N"
    include_commit_ts: Literal[True] = True
    binary_encoding_method: CsvBinary = "base64"
    output_old_value: bool = False
    output_handle_key: bool = False
    output_field_header: bool = False


NAMES = frozenset(_Wire.__struct_fields__) - {"feed"}
"""The options that change how bytes are read, as the macro `feeds` tells decoders."""


@lru_cache(maxsize=256)
def parse(text: str | None) -> Options:
    """Options from the JSON object text that the staging model passes; absent members have their defaults.

    The member `feed`, the name of the feed, only tells messages of feeds apart that have the same options.
    """
    try:
        wire = msgspec.json.decode(text or "{}", type=_Wire)
        zone = None if wire.time_zone == "UTC" else ZoneInfo(wire.time_zone)
        if wire.quote and wire.quote in wire.delimiter + wire.null + wire.terminator:
            raise ValueError("quote stands in delimiter, null or terminator")
        if wire.delimiter in wire.null:
            raise ValueError("delimiter stands in null")
    except (msgspec.MsgspecError, ValueError, OSError, KeyError) as error:
        raise DecodeError(ErrorCode.BAD_OPTIONS, f"the feed's options cannot be used: {error}") from error
    csv = Csv(
        terminator=wire.terminator,
        delimiter=wire.delimiter,
        quote=wire.quote,
        null=wire.null,
        binary=wire.binary_encoding_method,
        has_old_rows=wire.output_old_value,
        has_handle_key=wire.output_handle_key,
        has_header=wire.output_field_header,
    )
    return Options(zone, wire.compression, wire.encoding, wire.framing, wire.binary_handling_mode, csv)
