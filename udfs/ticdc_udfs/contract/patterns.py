"""The patterns by which users name topics and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache


def is_like(name: str, patterns: Sequence[str], flags: re.RegexFlag = re.NOFLAG) -> bool:
    """Whether one of these patterns takes a name, as SQL's `like` does."""
    return any(_like(pattern, flags).fullmatch(name) for pattern in patterns)


@cache
def _like(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL | flags)
