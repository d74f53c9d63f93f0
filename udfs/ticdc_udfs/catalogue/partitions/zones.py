"""The instant of a wall clock in the time zone of a session, as TiDB computes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

Clock = Callable[[int], int]
"""Seconds since 1970 of a wall clock that shows so many seconds since 1970."""

WIDEST = 14 * 3600
"""No zone is further from UTC, in seconds."""
_OFFSET = re.compile(r"([+-])(\d{1,2}):(\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_GAP = 4 * 3600


def shifted(offset: int) -> Clock:
    """The clock of a zone that is always so many seconds before UTC."""
    return lambda local: local - offset


UTC_CLOCK = shifted(0)


@cache
def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name or an offset such as +08:00."""
    match = _OFFSET.fullmatch(name)
    if match is None:
        return ZoneInfo(name)
    sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if sign == "-" else offset)


@cache
def clock_of(name: str) -> Clock:
    """The clock of a zone. An hour that comes twice, or never, is taken as Go's `time.Date` and TiDB take it."""
    zone = zone_of(name)

    def offset_at(instant: int) -> int:
        at = (_EPOCH + timedelta(seconds=instant)).astimezone(zone)
        return int((at.utcoffset() or timedelta()).total_seconds())

    def instant_of(local: int) -> int:
        instant = local - offset_at(local)
        instant = local - offset_at(instant)
        if instant + offset_at(instant) == local:
            return instant
        # the clocks skip it: the moment at which they are set is meant
        before, after = instant - _LONGEST_GAP, instant + _LONGEST_GAP
        old = offset_at(before)
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (middle, after) if offset_at(middle) == old else (before, middle)
        return after

    return instant_of


def local_text(utc_text: str, name: str) -> str:
    """A TIMESTAMP's canonical text, which is in UTC, as a session of that zone shows it."""
    if utc_text.startswith("0000-00-00"):
        return utc_text
    seconds, dot, fraction = utc_text.partition(".")
    moment = datetime.fromisoformat(seconds).replace(tzinfo=UTC).astimezone(zone_of(name))
    return moment.isoformat(" ")[:19] + dot + fraction
