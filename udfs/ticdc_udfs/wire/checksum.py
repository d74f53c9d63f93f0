"""The row checksum that TiCDC sends with rows: CRC-32 over the columns in table order (protocol facts 0.1 and 6).

It is computed from canonical text, so that every protocol is verified alike. One thing canonical text cannot tell:
the empty error value of an ENUM that also has an empty label; it is taken for the label.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.schemas import Column, write_json

Image = Mapping[str, str | None]
_Uint32 = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class Sent(msgspec.Struct):
    """The checksums of a row's images as the JSON text of `Event.checksum` holds them; 0 where there is none.

    `corrupted` tells that TiCDC's own verification failed.
    """

    current: _Uint32 = 0
    previous: _Uint32 = 0
    corrupted: bool = False


def row_checksum(image: Image, columns: Sequence[Column]) -> int:
    """The checksum of a row image of canonical text; `columns` are the table's, in table order.

    NULLs and columns that the image lacks (virtual generated ones) count nothing. Raises `ValueError` if a text is
    none of its column's type, or if an enum's or set's type names no labels.
    """
    texts = ((column.type, image.get(column.name)) for column in columns)
    return zlib.crc32(b"".join([_feed(column_type)(text) for column_type, text in texts if text is not None]))


def mismatch(sent: int, image: Image, columns: Sequence[Column], *, is_corrupted: bool = False) -> bytes | None:
    """JSON text `{"sent":…,"computed":…}` if the checksums differ; None if they agree or none (0) was sent.

    `computed` is null where `row_checksum` cannot tell. A row that TiCDC found corrupted is told in any case, with a
    member `"corrupted":true`.
    """
    computed = _computed(image, columns) if sent or is_corrupted else sent
    if is_corrupted:
        return write_json({"sent": sent, "computed": computed, "corrupted": True})
    return None if computed == sent else write_json({"sent": sent, "computed": computed})


def verify(checksum: bytes, before: Image | None, after: Image | None, columns: Sequence[Column]) -> bytes | None:
    """What is wrong with the images of a row whose event bears `checksum` (the text of a `Sent`); None if nothing is.

    JSON text `{"image":"after"|"before","sent":…,"computed":…,"corrupted":…}`. The new image is looked at first. With
    equal sums the row is reported only where TiCDC found it corrupted. After ADD or DROP COLUMN the sum of an old
    image need not be that of the columns which the row has now.
    """
    sent = msgspec.json.decode(checksum, type=Sent)
    images = [
        (name, image, expected)
        for name, image, expected in (("after", after, sent.current), ("before", before, sent.previous))
        if image is not None and (expected or sent.corrupted)
    ]
    for name, image, expected in images:
        computed = _computed(image, columns)
        if computed != expected or sent.corrupted:
            found = {"image": name, "sent": expected, "computed": computed, "corrupted": sent.corrupted}
            return write_json(found)
    return None


def _computed(image: Image, columns: Sequence[Column]) -> int | None:
    try:
        return row_checksum(image, columns)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def _feed(column_type: str) -> Callable[[str], bytes]:
    """The bytes that a value of the type adds to the sum."""
    base = values.base_type(column_type)
    if base in ("tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit"):
        return lambda text: _eight(int(text))
    if base == "float":  # the sum is of the single-precision number, widened
        return lambda text: struct.pack("<d", *struct.unpack("<f", struct.pack("<f", float(text))))
    if base == "double":
        return lambda text: struct.pack("<d", float(text))
    if base == "enum":
        indexes = {"": 0} | {label: index for index, label in enumerate(_labels(column_type), start=1)}
        return lambda text: _eight(_number(indexes, text))
    if base == "set":
        bits = {label: 1 << place for place, label in enumerate(_labels(column_type))}
        return lambda text: _eight(sum(_number(bits, label) for label in text.split(",")) if text else 0)
    if base == "vector":
        return _vector
    if base.endswith(("blob", "binary")):
        return lambda text: _sized(b64decode(text, validate=True))
    return lambda text: _sized(text.encode())


def _eight(number: int) -> bytes:
    return (number & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "little")


def _sized(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def _vector(text: str) -> bytes:
    numbers = [float(number) for number in text.strip("[]").split(",") if number]
    return struct.pack(f"<I{len(numbers)}f", len(numbers), *numbers)


def _labels(column_type: str) -> tuple[str, ...]:
    known = values.labels(column_type)
    if known is None:
        raise ValueError("the type names no labels")
    return known


def _number(of: Mapping[str, int], label: str) -> int:
    if label not in of:
        raise ValueError("a label is none of the type")
    return of[label]
