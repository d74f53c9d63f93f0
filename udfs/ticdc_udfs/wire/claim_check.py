"""Files of large messages that stand in external storage instead of Kafka (claim check, protocol facts 1.3)."""

from __future__ import annotations

from typing import Any

import msgspec
import pyarrow as pa

MESSAGE_SQL_TYPE = "struct<key: binary, value: binary>"


class _File(msgspec.Struct, forbid_unknown_fields=True):
    value: bytes
    key: bytes | None = None


_read = msgspec.json.Decoder(_File).decode


def message_of(file: bytes) -> tuple[bytes | None, bytes | None]:
    """Key and value of the message that a file holds, as Kafka would have carried them (compressed where the feed is).

    Two forms: a JSON object whose only members are `key` and `value` in base64, or the raw value
    (`claim-check-raw-value`), whose key is None. Whatever is not the first form is the second; raises nothing.
    """
    try:
        message = _read(file)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None, file
    return message.key, message.value


def message_batch(files: pa.Array[Any]) -> pa.Array[Any]:
    """`message_of` for an array of files; gives an array of structs, both members None where the file is."""
    messages = [(None, None) if file is None else message_of(file) for file in files.to_pylist()]
    members = list(zip(*messages, strict=True)) or [(), ()]
    return pa.StructArray.from_arrays([pa.array(member, pa.binary()) for member in members], names=["key", "value"])
