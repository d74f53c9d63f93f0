"""How TiDB compares texts by their collation, and which bytes it hashes of them; as far as that is known.

The weight of a character is the units that TiDB compares one after the other. Where they are not known, it may be
known that they are above all of ASCII. How two texts compare is certain unless characters decide that differ and are
not known.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ticdc_udfs.catalogue.partitions.doubts import Doubt, Unsure


class Order(NamedTuple):
    """How two texts compare (below 0, 0 or above 0), and whether that is certain; if not, it is the likeliest."""

    sign: int
    is_certain: bool


class _Unknown(NamedTuple):
    """A character without known units: the first of them is in these bounds; without a low one there may be none."""

    character: str
    low: float = -math.inf
    high: float = math.inf


_Weight = tuple[int, ...] | _Unknown
_HAN = range(0x4E00, 0x9FA6)


def order(one: str, other: str, collation: str) -> Order:
    """How two texts compare in TiDB's new framework of collations, the default since 6.0."""
    one, other = _unpadded(one, collation), _unpadded(other, collation)
    if one == other:
        return Order(0, True)
    if _is_of_bytes(collation):
        return Order(_sign(one.encode(), other.encode()), True)
    sign = _sign_of_elements(_elements(one, collation), _elements(other, collation))
    return _guess(one, other, collation) if sign is None else Order(sign, True)


def sort_key(text: str, collation: str) -> bytes:
    """What TiDB hashes of a text."""
    text = _unpadded(text, collation)
    if _is_of_bytes(collation):
        return text.encode()
    size = 1 if collation.startswith("gb") else 2
    key = b""
    for element in _elements(text, collation):
        if isinstance(element, _Unknown):
            raise Unsure(Doubt.COLLATION)
        key += element.to_bytes(size, "big")
    return key


def _unpadded(text: str, collation: str) -> str:
    return text if "_0900_" in collation or collation == "binary" else text.rstrip(" ")


def _is_of_bytes(collation: str) -> bool:
    """Those of `gb…_bin` compare the bytes of their own character set."""
    return (collation.endswith("_bin") and not collation.startswith("gb")) or collation == "binary"


@lru_cache(maxsize=10_000)
def _elements(text: str, collation: str) -> tuple[int | _Unknown, ...]:
    weigh = _WEIGHTS.get(collation, _Unknown)
    elements: list[int | _Unknown] = []
    for character in text:
        weight = weigh(character)
        if isinstance(weight, _Unknown):
            elements.append(weight)
        else:
            elements += weight
    return tuple(elements)


def _sign_of_elements(left: tuple[int | _Unknown, ...], right: tuple[int | _Unknown, ...]) -> int | None:
    """How they compare; None where it is not certain."""
    for one, other in zip(left, right, strict=False):
        if one == other:
            continue
        (_, low, high), (_, other_low, other_high) = _bounds(one), _bounds(other)
        if high < other_low:
            return -1
        return 1 if low > other_high else None
    longer = left[len(right) :] or right[len(left) :]
    if longer and not any(_bounds(element).low > -math.inf for element in longer):
        return None
    return _sign(len(left), len(right))


def _bounds(element: int | _Unknown) -> _Unknown:
    return element if isinstance(element, _Unknown) else _Unknown("", element, element)


def _sign(one: bytes | int, other: bytes | int) -> int:
    return (one > other) - (one < other)  # type: ignore[operator]


def _guess(one: str, other: str, collation: str) -> Order:
    """By letters without case and marks; Chinese by the bytes of its character set, most of which are in order."""

    def key(text: str) -> bytes:
        letters = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
        return letters.upper().encode("gb18030" if collation.startswith("gb") else "utf-8", "replace")

    return Order(_sign(key(one), key(other)), False)


# Weights


def _base(character: str) -> str:
    """The letter in upper case without its marks; a letter that is none of one character in upper case stays."""
    letter = unicodedata.normalize("NFD", character)[0]
    upper = letter.upper()
    return upper if len(upper) == 1 else letter


_OWN_PLANES = frozenset({0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F, 0x21, 0x24, 0xFF})
_GENERAL_LETTERS = (
    range(0x80, 0x180),
    range(0x386, 0x3CF),
    range(0x400, 0x460),
    range(0x1E00, 0x1E9A),
    range(0x1EA0, 0x1EFA),
)
_GENERAL_CASES = (range(0x2160, 0x2180), range(0x24B6, 0x24EA), range(0xFF21, 0xFF5B))
_GENERAL_OTHERS = {"ß": 0x53, "Й": 0x419, "й": 0x419}


def _general(character: str) -> _Weight:
    code = ord(character)
    if code > 0xFFFF:
        return (0xFFFD,)
    if character in _GENERAL_OTHERS:
        return (_GENERAL_OTHERS[character],)
    if code < 0x80 or any(code in block for block in _GENERAL_CASES):
        return (ord(character.upper()),)
    if any(code in block for block in _GENERAL_LETTERS):
        return (ord(_base(character)),)
    plane = code >> 8
    if plane not in _OWN_PLANES or plane in (0x21, 0x24, 0xFF):
        return (code,)
    return _Unknown(character)


def _of_unicode(ascii_weights: str) -> Callable[[str], _Weight]:
    """By the Unicode Collation Algorithm: weights of spaces, signs, digits and letters; other ASCII has none."""
    known = {chr(code): () for code in range(0x80)} | {
        character: (int(weight, 16),) for character, weight in zip(_UNICODE_ASCII, ascii_weights.split(), strict=True)
    }

    def weigh(character: str) -> _Weight:
        code = ord(character)
        if code < 0x80:
            return known[character.lower()]
        if code in _HAN:
            return 0xFB40 + (code >> 15), code & 0x7FFF | 0x8000
        if code in range(0xC0, 0x180) or code in range(0x1EA0, 0x1EFA):
            decomposed = unicodedata.normalize("NFD", character)
            if len(decomposed) > 1 and decomposed[0].isascii():
                return known[decomposed[0].lower()]
        return _Unknown(character)

    return weigh


_UNICODE_ASCII = "\t\n\v\f\r !\"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[\\]^_`{|}~"
_UNICODE_0400 = _of_unicode(
    "201 202 203 204 205 209 251 27e 2d2 e0f 2d3 2cf 277 288 289 2c8 428 22f 221 25d 2cc "
    "e29 e2a e2b e2c e2d e2e e2f e30 e31 e32 23d 23a 42c 42d 42e 255 2c7 "
    "e33 e4a e60 e6d e8b eb9 ec1 ee1 efb f10 f21 f2e f5b f64 f82 fa7 fb4 fc0 fea 1002 101f 1044 1051 105a 105e 106a "
    "28a 2ce 28b 20f 21b 20c 28c 430 28d 433"
)
_UNICODE_0900 = _of_unicode(
    "201 202 203 204 205 209 260 30c 398 1c12 399 396 305 317 318 38f 616 222 20d 277 394 "
    "1c3d 1c3e 1c3f 1c40 1c41 1c42 1c43 1c44 1c45 1c46 239 234 61a 61b 61c 266 38e "
    "1c47 1c60 1c7a 1c8f 1caa 1ce5 1cf4 1d18 1d32 1d4c 1d65 1d77 1daa 1db9 1ddd 1e0c 1e21 1e33 1e71 1e95 1eb5 1ee3 "
    "1ef5 1eff 1f0b 1f21 319 395 31a 485 20b 482 31b 61e 31c 620"
)


def _chinese(character: str) -> _Weight:
    """Letters without case. Brackets, backslash and tilde have the place of others in MySQL; Chinese is by Pinyin."""
    code = ord(character)
    if character in "[\\]`~":
        return _Unknown(character, 0x41, 0x7F)
    if code < 0x80:
        return (ord(character.upper()),)
    # of letters beyond ASCII, some may have the weight of one in ASCII
    return _Unknown(character, 0x80 if code >= _HAN.start else 0)


def _bytes_of(charset: str) -> Callable[[str], _Weight]:
    def weigh(character: str) -> _Weight:
        code = ord(character)
        if code < 0x80 or code in _HAN:
            return tuple(character.encode(charset))
        return _Unknown(character, 0x80)

    return weigh


def _latin1(character: str) -> _Weight:
    return (ord(character.upper()),) if character.isascii() else _Unknown(character)


_WEIGHTS: Mapping[str, Callable[[str], _Weight]] = {
    "utf8_general_ci": _general,
    "utf8mb4_general_ci": _general,
    "utf8_unicode_ci": _UNICODE_0400,
    "utf8mb4_unicode_ci": _UNICODE_0400,
    "utf8mb4_0900_ai_ci": _UNICODE_0900,
    "gbk_chinese_ci": _chinese,
    "gb18030_chinese_ci": _chinese,
    "gbk_bin": _bytes_of("gbk"),
    "gb18030_bin": _bytes_of("gb18030"),
    "latin1_swedish_ci": _latin1,
}
