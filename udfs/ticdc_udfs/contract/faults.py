"""The words in which faults of a configuration are told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence


def got(value: object) -> str:
    """The value that stands where another one should."""
    return f"got {json.dumps(value, sort_keys=True)}"


def unknown_members(mapping: Mapping[str, object], members: Sequence[str], place: str) -> Iterator[str]:
    """A text for each member of a mapping at `place` that is none of those allowed."""
    for member in mapping:
        if member not in members:
            yield f"{place}: unknown member {json.dumps(member)}, allowed: {', '.join(members)}"
