"""Why it may not be certain where a row lies."""

from __future__ import annotations

from enum import StrEnum


class Doubt(StrEnum):
    """What keeps the partition of a row from being certain."""

    SESSION_ZONE = "session_zone"
    COLLATION = "collation"
    EXPRESSION = "expression"
    DEFINITION = "definition"
    VALUE = "value"


class Unsure(ValueError):
    """Nothing tells the value for certain. Its text names no value."""

    def __init__(self, doubt: Doubt) -> None:
        super().__init__(doubt)
        self.doubt = doubt
