"""What the tests with hostile bytes share: checks that hold for every input of every decoder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cramjam
import pyarrow as pa
from hypothesis import HealthCheck, settings

from ticdc_udfs import arrow
from ticdc_udfs.events import ErrorCode, Event, Kind

MIB = 1 << 20
OPS = ("insert", "update", "delete", "upsert")


def cases(count: int) -> settings:
    """Settings of a test with so many cases."""
    return settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def decoded(decode: arrow.Decode, value: bytes | None, options: str, key: bytes | None = None) -> list[Event]:
    """The events of a message, after the checks; the batch function must carry them."""
    events = list(arrow.decode_message(decode, key, value, options))
    assert events
    for event in events:
        assert event.kind in set(Kind)
        if event.kind == Kind.ERROR:
            assert event.error_message
            assert event.error_code in set(ErrorCode) - {ErrorCode.INTERNAL_ERROR}, event.error_message
        else:
            assert event.error_code is None
            assert event.kind == Kind.BOOTSTRAP or (event.commit_ts is not None and 0 <= event.commit_ts < 2**63)
        if event.kind == Kind.ROW:
            assert event.op in OPS
            for image in filter(None, (event.row_key, event.before_key, event.before, event.after)):
                assert all(text is None or isinstance(text, str) for text in json.loads(image).values())
    batch = arrow.decode_batch(
        decode, pa.array([key], pa.binary()), pa.array([value], pa.binary()), pa.array([options], pa.string())
    )
    assert len(batch) == 1 and len(batch[0].as_py()) == len(events)
    return events


def pack(value: bytes, codec: str) -> bytes:
    """A value as the changefeed compresses it."""
    return bytes(cramjam.snappy.compress_raw(value) if codec == "snappy" else cramjam.lz4.compress(value))


def varint(number: int) -> bytes:
    """The number that heads a Snappy block."""
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def code_and_growth(protocol: str, file: Path, options: str) -> tuple[str, int]:
    """The error code (or `None`) of a value and the bytes that its decoding took, in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, protocol, str(file), options],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    code, grown = run.stdout.split()
    return code, int(grown)


_MEASURE = """
import importlib, resource, sys
from ticdc_udfs import arrow

protocol, file, options = sys.argv[1:]
decode = importlib.import_module("ticdc_udfs.protocols." + protocol).decode
value = open(file, "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
event = arrow.decode_message(decode, None, value, options)[0]
print(event.error_code, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
