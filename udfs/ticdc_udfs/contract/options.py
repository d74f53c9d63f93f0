"""The options of a feed that change how its bytes are read."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract.events import DecodeError, ErrorCode

BinaryMode = Literal["bytes", "base64", "base64-url-safe", "hex"]
"""How Debezium writes binary values; of JSON, the first two are the same."""


class Options(NamedTuple):
    """A feed's options, as in `ticdc__feeds`.

    The changefeed's time zone (None: UTC), codec-level compression, the encoding of Simple, the framing of Avro, and
    how Debezium writes binary values (None: not said).
    """

    time_zone: ZoneInfo | None = None
    compression: Literal["none", "snappy", "lz4"] = "none"
    encoding: Literal["json", "avro"] = "json"
    framing: Literal["confluent", "glue"] = "confluent"
    binary: BinaryMode | None = None


class _Wire(msgspec.Struct, forbid_unknown_fields=True):
    feed: str = ""
    time_zone: str = "UTC"
    compression: Literal["none", "snappy", "lz4"] = "none"
    encoding: Literal["json", "avro"] = "json"
    framing: Literal["confluent", "glue"] = "confluent"
    binary_handling_mode: BinaryMode | None = None


@lru_cache(maxsize=256)
def parse(text: str | None) -> Options:
    """Options from the JSON object text that the staging model passes; absent members have their defaults.

    The member `feed`, the name of the feed, only tells messages of feeds apart that have the same options.
    """
    try:
        wire = msgspec.json.decode(text or "{}", type=_Wire)
        zone = None if wire.time_zone == "UTC" else ZoneInfo(wire.time_zone)
    except (msgspec.MsgspecError, ValueError, OSError, KeyError) as error:
        raise DecodeError(ErrorCode.BAD_OPTIONS, f"the feed's options cannot be used: {error}") from error
    return Options(zone, wire.compression, wire.encoding, wire.framing, wire.binary_handling_mode)
