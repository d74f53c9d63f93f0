"""The words in which faults of a configuration are told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches


def got(value: object) -> str:
    """The value that stands where another one should."""
    return f"got {json.dumps(value, sort_keys=True)}"


def meant(word: object, allowed: Iterable[str]) -> str:
    """A question for the word that was meant, where one of those allowed is close, or is spelled with other signs."""
    if not isinstance(word, str):
        return ""
    found = get_close_matches(word.replace("-", "_").lower(), [*allowed], n=1, cutoff=0.75)
    return f" did you mean {found[0]}?" if found else ""


def unknown_members(mapping: Mapping[str, object], members: Sequence[str], place: str) -> Iterator[str]:
    """A text for each member of a mapping at `place` that is none of those allowed."""
    for member in mapping:
        if member not in members:
            hint = meant(member, members)
            yield f"{place}: unknown member {json.dumps(member)},{hint} allowed: {', '.join(members)}"
