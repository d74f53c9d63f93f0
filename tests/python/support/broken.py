"""Topics of canal-json messages of which most are broken, with the error code that each must have."""

from __future__ import annotations

import json
import random
from base64 import b64encode

import cramjam

from support.corpus import SAMPLE, Record, Variant, record
from ticdc_udfs.contract import arrow
from ticdc_udfs.protocols import canal_json

BROKEN_FEEDS: dict[str, dict[str, str]] = {
    "broken_none": {"compression": "none"},
    "broken_snappy": {"compression": "snappy"},
    "broken_lz4": {"compression": "lz4"},
}
GAP = {"first_offset": 40, "last_offset": 44}  # in each partition of the broken topics


def break_messages(topic: str, options: dict[str, str]) -> list[tuple[Record, str]]:
    """A hundred messages of which most are broken, with the error code that each must have ('' where it decodes)."""
    rng = random.Random(topic)
    values = [each.value for each in Variant(SAMPLE, "canal_json").records if each.value and len(each.value) < 4000]
    chosen = rng.sample(values, 100)
    found = []
    for place, value in enumerate(chosen):
        offset = place // 20 * 10 + place % 10
        wire = broken_value(rng, place, value, rng.choice(values), options["compression"])
        (event,) = arrow.decode_message(canal_json.decode, b"", wire, json.dumps(options))
        fields = {
            "topic": topic,
            "partition": place // 10 % 2,
            "offset": offset if offset < GAP["first_offset"] else offset + 5,
            "timestamp": 1795238204129 + place,
            "key": "",
            "value": None if wire is None else b64encode(wire).decode("ascii"),
        }
        found.append((record(json.dumps(fields) + "\n"), event.error_code or ""))
    return found


def broken_value(rng: random.Random, place: int, value: bytes, other: bytes, codec: str) -> bytes | None:
    """A value that the place's turn breaks: null, empty, wrong compression, nesting, flipped, cut, mixed, or whole."""
    cut = rng.randrange(1, len(value))
    turns: list[bytes | None] = [
        None,
        b"",
        value if codec != "none" else pack(value, "lz4"),
        pack(value, "snappy" if codec == "lz4" else "lz4"),
        pack(b'{"x":' + b"[" * 100_000, codec),
        pack(bytes(byte ^ (rng.random() < 0.02) * rng.randrange(1, 256) for byte in value), codec),
        pack(value[:cut], codec),
        pack(value, codec)[:-1],
        pack(value[:cut] + other[rng.randrange(len(other)) :], codec),
        pack(value, codec),
    ]
    return turns[place % len(turns)]


def pack(value: bytes, codec: str) -> bytes:
    if codec == "none":
        return value
    return bytes(cramjam.snappy.compress_raw(value) if codec == "snappy" else cramjam.lz4.compress(value))
