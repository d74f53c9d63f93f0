"""Binary values of Debezium in JSON: base64, or what an option of newer releases makes of them (facts 0.1 line 19).

Where the feed does not say which, the values of a message tell it together: all of them are hex, or none is. A text
tells it by its letters, or by how many bytes it would be in one and the other, once the type is known. Where no text
tells it, or they contradict each other, texts stay and are flagged. Base64 that is safe in URLs differs from base64 in
letters that the latter has not.

A row is the same one in all its messages: what its key is, the values of the key alone tell.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, a2b_hex, b2a_base64
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import DecodeError, ErrorCode, Image, Lossy, no_value
from ticdc_udfs.contract.options import BinaryMode

HEX = "(?:[0-9a-f]{4})+"
"""What may be base64 too."""
BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"

_ARE_DIGITS = re.compile("[0-9a-f]+").fullmatch
_TO_BASE64 = str.maketrans("-_", "+/")


class Bytes(NamedTuple):
    """What a column of bytes may hold: so many of them, or in place of NULL what `is_default` finds in base64."""

    least: int = 0
    most: int | None = None
    is_default: Callable[[str], bool] | None = None

    def may_hold(self, base64: str, count: int) -> bool:
        """Whether a value may be one of the column; it is given in base64, and how many bytes it has."""
        fits = self.least <= count and (self.most is None or count <= self.most)
        return fits or (self.is_default is not None and self.is_default(base64))


class Reading(Enum):
    """What a text may be."""

    HEX = auto()
    BASE64 = auto()
    EITHER = auto()
    NEITHER = auto()


class Unsure(DecodeError):
    """A text that other values of its message have to be read with; those of most messages need not be."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.BAD_VALUE, "a binary value does not tell by itself how it is written")


def converter(mode: BinaryMode | None) -> values.Convert | None:
    """How binary values become canonical base64; None where they are so as they stand."""
    if mode is None:
        return certain
    if mode == "hex":
        return _from_hex
    return _from_url_safe if mode == "base64-url-safe" else None


def certain(text: str) -> tuple[str, None]:
    """A value of a feed that does not say how it comes, which is base64 for certain. Raises `Unsure` for others."""
    if text and not is_base64(text):
        raise Unsure
    return text, None


def is_base64(text: str) -> bool:
    """Whether a text is canonical base64 for certain."""
    if _ARE_DIGITS(text):
        return False
    try:
        a2b_base64(text, strict_mode=True)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Alone:
    """The conversion of the one binary value of a message; of its key or not."""

    column: Bytes
    is_key: bool

    def __call__(self, text: str) -> tuple[str, Lossy | None]:
        """The canonical text. Raises `DecodeError` where the text is none."""
        image: Image = {"": text}
        flags = settle((image,), {"": self.column}, [""] if self.is_key else ["other"], of_new=[""])
        return image[""] or "", Lossy(flags[0][1:]) if flags else None


def settle(
    images: Iterable[Image | None],
    columns: Mapping[str, Bytes],
    key: Collection[str],
    *,
    of_new: Collection[str] = (),
    of_neither: Lossy | None = None,
) -> list[str]:
    """Makes the binary values of a message's images canonical, as far as they tell how they are written; gives flags.

    Without `key` all columns are. A value that is changed, or of a column of `of_new`, is flagged where it may stand
    for NULL. One that can be read in no way is flagged `of_neither`, or else a `DecodeError` is raised.
    """
    flags: list[str] = []
    images_cells = []
    for image in images:
        cells = {}
        for name, column in columns.items():
            text = None if image is None else image.get(name)
            if text:
                cells[name] = text, reading(text, column)
                if cells[name][1] is Reading.NEITHER and of_neither is None:
                    raise no_value(name)
        images_cells.append((image, cells))
    of_message = _together(each for _, cells in images_cells for _, each in cells.values())
    for image, cells in images_cells:
        if image is None:
            continue
        of_key = _of_key({name: cell for name, cell in cells.items() if not key or name in key}, columns)
        for name, (text, by_itself) in cells.items():
            told = of_key if not key or name in key else of_message
            if by_itself is Reading.NEITHER and of_neither is not None:
                flags.append(of_neither.of(name))
            elif told is None:
                flags.append(Lossy.BINARY_UNSURE.of(name))
            else:
                image[name] = canonical = _canonical(text, told)
                is_default = columns[name].is_default
                if (canonical != text or name in of_new) and is_default is not None and is_default(canonical):
                    flags.append(Lossy.NULL_OR_DEFAULT.of(name))
    return flags


def reading(text: str, column: Bytes) -> Reading:
    """What a text that is not empty may be by its letters, and by its length if these leave it open."""
    if not _ARE_DIGITS(text):
        try:
            _canonical(text, Reading.BASE64)
        except ValueError:
            return Reading.NEITHER
        return Reading.BASE64
    if len(text) % 4:
        return Reading.NEITHER if len(text) % 2 else Reading.HEX
    may_be_hex = column.may_hold(_canonical(text, Reading.HEX), len(text) // 2)
    if may_be_hex == column.may_hold(text, len(text) // 4 * 3):
        return Reading.EITHER
    return Reading.HEX if may_be_hex else Reading.BASE64


def _together(readings: Iterable[Reading]) -> Reading | None:
    """How texts are written that are written alike; None where they do not tell it."""
    told = {*readings} & {Reading.HEX, Reading.BASE64}
    return told.pop() if len(told) == 1 else None


def _of_key(cells: Mapping[str, tuple[str, Reading]], columns: Mapping[str, Bytes]) -> Reading | None:
    """How the values of a key are written; None where they do not tell it.

    Hex whose base64 would not tell it stays too: as it is, that base64 is the key of another row.
    """
    told = _together(each for _, each in cells.values())
    if told is Reading.HEX and Reading.NEITHER not in (each for _, each in cells.values()):
        in_base64 = {name: _canonical(text, told) for name, (text, _) in cells.items()}
        if _together(reading(text, columns[name]) for name, text in in_base64.items()) is None:
            return None
    return told


def _canonical(text: str, told: Reading) -> str:
    if told is Reading.HEX:
        return _from_hex(text)[0]
    try:
        a2b_base64(text, strict_mode=True)
    except ValueError:
        return _from_url_safe(text)[0]
    return text


def _from_hex(text: str) -> tuple[str, None]:
    return _base64(a2b_hex(text)), None


def _from_url_safe(text: str) -> tuple[str, None]:
    padded = text.translate(_TO_BASE64)
    return _base64(a2b_base64(padded.ljust(-(-len(padded) // 4) * 4, "="), strict_mode=True)), None


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")
