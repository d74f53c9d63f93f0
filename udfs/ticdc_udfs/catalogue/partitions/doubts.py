"""Why it may not be certain where a row lies."""

from __future__ import annotations

from enum import StrEnum

UNREADABLE = (ValueError, ArithmeticError, LookupError, TypeError, RecursionError)
"""What reading or evaluating raises where a text or value is none that is understood."""


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


def doubt_of(error: Exception, otherwise: Doubt) -> Doubt:
    """The doubt that an error is, or another one."""
    return error.doubt if isinstance(error, Unsure) else otherwise
