"""Codec-level compression of message values (`large-message-handle-compression`, protocol facts 1.2)."""

from __future__ import annotations

from typing import Literal

import pyarrow as pa

from ticdc_udfs.contract.events import DecodeError, ErrorCode

MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024
"""Bound of one decompressed message; far above what a Kafka record of TiCDC holds (max-message-bytes, 10 MiB)."""


def decompress(value: bytes, codec: Literal["none", "snappy", "lz4"]) -> bytes:
    """The plain bytes of a value: raw Snappy block or LZ4 frame. Raises `DecodeError` for anything else."""
    if codec == "none":
        return value
    try:
        return _snappy(value) if codec == "snappy" else _lz4(value)
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        raise DecodeError(ErrorCode.BAD_COMPRESSION, f"the value is not {codec} data") from error


_MAX_SNAPPY_RATIO = 32
"""Above what the format reaches: three bytes name a copy of at most 64."""

_CHUNK_BYTES = 1024 * 1024


def _snappy(block: bytes) -> bytes:
    size = _snappy_size(block)
    _check_size(size)
    if size > len(block) * _MAX_SNAPPY_RATIO:
        raise ValueError("the length of the block is beyond what its bytes can hold")
    return bytes(pa.Codec("snappy").decompress(block, decompressed_size=size, asbytes=True))


def _snappy_size(block: bytes) -> int:
    """The length that heads a Snappy block: a little-endian base-128 varint of at most 32 bits."""
    size = 0
    for index in range(5):
        size |= (block[index] & 0x7F) << (7 * index)
        if block[index] < 0x80:
            return size
    raise ValueError("the length of the block is malformed")


def _lz4(frame: bytes) -> bytes:
    if not frame.startswith(b"\x04\x22\x4d\x18"):
        raise ValueError("no LZ4 frame")
    plain = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(frame), "lz4") as stream:
        while chunk := stream.read(_CHUNK_BYTES):  # a larger read takes its whole memory at once
            plain += chunk
            _check_size(len(plain))
    return bytes(plain)


def _check_size(size: int) -> None:
    if size > MAX_DECOMPRESSED_BYTES:
        raise DecodeError(
            ErrorCode.TOO_LARGE, f"the value decompresses to {size} bytes or more; {MAX_DECOMPRESSED_BYTES} are allowed"
        )
