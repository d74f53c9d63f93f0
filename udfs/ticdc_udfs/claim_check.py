"""Files of large messages that stand in external storage instead of Kafka (claim check, protocol facts 1.3)."""

from __future__ import annotations

import msgspec


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
