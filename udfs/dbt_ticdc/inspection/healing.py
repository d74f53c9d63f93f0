"""What would heal a dead letter: with which options, or as which protocol, the message can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from dbt_ticdc.inspection.reading import DECODERS, OF_REGISTRY, Message
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.contract.options import OPTIONS
from ticdc_udfs.contract.source import FILE_PROTOCOLS

_IN_QUESTION = ("compression", "encoding")


def trials(message: Message) -> list[str]:
    """Sentences: each names what to set so that this message can be decoded. None where nothing that is tried helps."""
    return [*_sentences(message)]


def _sentences(message: Message) -> Iterator[str]:
    kafka_protocols = [name for name in DECODERS if name not in (*OF_REGISTRY, *FILE_PROTOCOLS)]
    if message.protocol in FILE_PROTOCOLS:
        return
    for protocol in (message.protocol, *(name for name in kafka_protocols if name != message.protocol)):
        if protocol in OF_REGISTRY:
            continue
        for given in _options(protocol):
            if not _is_read(replace(message, protocol=protocol, options={**_others(message), **given}, schemas=())):
                continue
            told = " and ".join(f"option {name} {value}" for name, value in given.items())
            if protocol == message.protocol:
                yield f"it can be read with {told}: set it, and `ticdc redrive --feeds FILE` decodes it again"
            else:
                yield (
                    f"it can be read as protocol {protocol} with {told}: look whether the topic is of another feed; if "
                    "not, set it, and `ticdc redecode --feeds FILE` decodes all messages again"
                )
            return


def _options(protocol: str) -> Iterator[dict[str, Any]]:
    """What a protocol takes of the options in question, all values with all others."""
    kinds = OPTIONS[protocol]
    names = [name for name in _IN_QUESTION if name in kinds]
    for values in product(*(kinds[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def _others(message: Message) -> dict[str, Any]:
    return {name: value for name, value in message.options.items() if name not in _IN_QUESTION}


def _is_read(message: Message) -> bool:
    events = arrow.decode_message(DECODERS[message.protocol], message.key, message.value, message.options_text)
    return bool(events) and all(event.kind != Kind.ERROR for event in events)
