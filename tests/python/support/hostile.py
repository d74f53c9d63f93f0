"""What the tests with hostile bytes share: checks that hold for every input of every decoder."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import cramjam
import pyarrow as pa
from hypothesis import HealthCheck, settings

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind

MIB = 1 << 20
OPS = ("insert", "update", "delete", "upsert")
# The long run, `make soak`, has 100: each decoder then gets 10,000 hostile messages and more.
PERCENT = int(os.environ.get("TICDC_CASES_PERCENT", "5"))


def cases(count: int) -> settings:
    """Settings of a test that has so many cases in the long run, and its share of them in others."""
    examples = max(1, count * PERCENT // 100)
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def deepest(depth: int, else_depth: int) -> int:
    """How deep the worst case goes: so deep in the long run, and less in others."""
    return depth if PERCENT >= 100 else else_depth


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


Measured = tuple[str, int]
"""The last event's error code (or `None`), and the bytes that decoding took."""


def codes_and_growths(
    protocol: str, folder: Path, messages: Sequence[tuple[bytes | None, bytes, str, *tuple[str | None, ...]]]
) -> list[Measured]:
    """What decoding each message gives and takes, in a process of its own: key, value, options and writer schemas."""
    (folder / "messages").write_bytes(pickle.dumps(messages))
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, protocol, str(folder / "messages")],
        capture_output=True,
        text=True,
        check=True,
        timeout=120 * len(messages),
    )
    lines = [line.split() for line in run.stdout.splitlines()]
    assert len(lines) == len(messages)
    return [(code, int(grown)) for code, grown in lines]


def gigabyte() -> bytes:
    """A gigabyte of zeros in LZ4: a frame's head, one block of 64 KiB over and over, and the mark of its end."""
    block = bytes(cramjam.lz4.compress_block(bytes(1 << 16), store_size=False))
    return bytes.fromhex("04224d18604082") + (len(block).to_bytes(4, "little") + block) * (1 << 14) + bytes(4)


# getrusage tells the peak of the parent process where that was higher, so the kernel's own account is asked if there is
# one, and told to start anew before each message. Python starts once; its children each decode one message.
_MEASURE = """
import contextlib, importlib, os, pickle, resource, sys
from pathlib import Path
from ticdc_udfs.contract import arrow

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak():
    if STATUS.exists():
        return int(STATUS.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


protocol, file = sys.argv[1:]
decode = importlib.import_module("ticdc_udfs.protocols." + protocol).decode
for key, value, options, *schemas in pickle.loads(Path(file).read_bytes()):
    child = os.fork()
    if not child:
        with contextlib.suppress(OSError):
            RESET.write_text("5")
        before = peak()
        events = arrow.decode_message(decode, key, value, options, *schemas)
        print(events[-1].error_code, peak() - before, flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit("a message could not be decoded")
"""
