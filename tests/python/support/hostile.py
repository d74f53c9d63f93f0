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


def huge_length(size: int) -> bytes:
    """A length as Avro writes it, signed."""
    return varint((size << 1) ^ (size >> 63))


HUGE = [2**31 - 1, 2**31, 2**62, 2**63 - 1, -1, -(2**63)]


def code_and_growth(
    protocol: str, folder: Path, value: bytes, options: str, *schemas: str | None, key: bytes | None = None
) -> tuple[str, int]:
    """The last event's error code (or `None`) and the bytes that decoding a message took, in a process of its own."""
    arguments = {"value": value.hex(), "key": key and key.hex(), "options": options, "schemas": schemas}
    (folder / "message.json").write_text(json.dumps(arguments))
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, protocol, str(folder / "message.json")],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    code, grown = run.stdout.split()
    return code, int(grown)


# getrusage tells the peak of the parent process where that was higher, so the kernel's own account is asked if there is
# one, and told to start anew once the message is there.
_MEASURE = """
import contextlib, importlib, json, resource, sys
from pathlib import Path
from ticdc_udfs import arrow

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak():
    if STATUS.exists():
        return int(STATUS.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


protocol, file = sys.argv[1:]
decode = importlib.import_module("ticdc_udfs.protocols." + protocol).decode
message = json.loads(Path(file).read_text())
key, value = (text and bytes.fromhex(text) for text in (message["key"], message["value"]))
options, schemas = message["options"], message["schemas"]
del message
with contextlib.suppress(OSError):
    RESET.write_text("5")
before = peak()
events = arrow.decode_message(decode, key, value, options, *schemas)
print(events[-1].error_code, peak() - before)
"""
