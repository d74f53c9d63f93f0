"""What readers of JSON make of a text, and which dead letter it is where they cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from ticdc_udfs.contract.events import DecodeError, ErrorCode

_S = TypeVar("_S")
_T = TypeVar("_T")


def parsed(read: Callable[[_S], _T], text: _S, what: str) -> _T:
    """What `read` gives for a text; `what` says what it should be.

    Raises `DecodeError`: bad_shape, not_utf8 or bad_json. It has no value of the text, nor the path of a member, which
    may hold a column's name.
    """
    try:
        return read(text)
    except msgspec.ValidationError as error:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"no {what}: {str(error).partition(' - at ')[0]}") from error
    except UnicodeDecodeError as error:
        raise DecodeError(ErrorCode.NOT_UTF8, f"the {what} is not UTF-8 at byte {error.start}") from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise DecodeError(ErrorCode.BAD_JSON, f"the {what} is not JSON: {error}") from error
