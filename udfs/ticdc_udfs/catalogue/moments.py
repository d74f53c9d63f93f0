"""Dates and times as TiDB reads and rounds them (pkg/types: time_parse.go, time_convert.go, time_duration.go, fsp.go).

What strict mode refuses is here what TiDB makes of it otherwise: a text or number that is no date is none, a time
beyond the range is the last one within it. Functions raise `ValueError` where the session decides.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Sequence
from datetime import datetime, timedelta
from string import punctuation
from typing import NamedTuple

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What Go takes for spaces."""
MAX_CLOCK = (838 * 3600 + 59 * 60 + 59) * 1_000_000
"""The microseconds of the longest TIME."""

_ZONE = re.compile(r"(?:(?<=.{5})Z|([+-])(\d\d)(?:(:?)(\d\d))?)\Z", re.ASCII | re.DOTALL)
_BETWEEN_DATE_AND_TIME = frozenset("T \t\n\v\f\r")
_PUNCTUATION = frozenset(punctuation)
_DIGITS = frozenset("0123456789")
_WIDTHS: dict[int, tuple[int, ...]] = {
    14: (4, 2, 2, 2, 2, 2),
    12: (2, 2, 2, 2, 2, 2),
    11: (2, 2, 2, 2, 2, 1),
    10: (2, 2, 2, 2, 2),
    9: (2, 2, 2, 2, 1),
    8: (4, 2, 2),
    7: (2, 2, 2, 1),
    6: (2, 2, 2),
    5: (2, 2, 2),
}
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CLOCK = r"(\d++)(?:\s*+:\s*+(\d++)\s*+:\s*+(\d++)|\s*+:\s*+(\d++)(?!\s*+:))"
_LONG_TIME = re.compile(rf"(?:(\d++)\s++(?:{_CLOCK}|(\d++)(?!\s*+:))|{_CLOCK}|(\d++))\s*+(?:\.(\d*))?", re.ASCII)
_STARTS_WITH_DATE = re.compile(r"(?:\d{12}|\d{14})(?!\d)|\d+[!-/:-@\[-`{-~]\d+[!-/:-@\[-`{-~]\d+[ T]", re.ASCII)
_STORED = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?", re.ASCII)
_STORED_TIME = re.compile(r"(-?)(\d{2,3}):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII)


class Moment(NamedTuple):
    """A date with a time; all parts are 0 in the zero date."""

    year: int = 0
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    microsecond: int = 0

    def text(self, scale: int) -> str:
        """A DATETIME with so many digits of fraction."""
        return f"{self.date()} {self.hour:02}:{self.minute:02}:{self.second:02}" + _fraction(self.microsecond, scale)

    def date(self) -> str:
        """A DATE."""
        return f"{self.year:04}-{self.month:02}-{self.day:02}"

    def clock(self) -> int:
        """The microseconds since midnight."""
        return ((self.hour * 60 + self.minute) * 60 + self.second) * 1_000_000 + self.microsecond


ZERO = Moment()


def stored_moment(text: str) -> Moment:
    """The moment of a canonical DATE, DATETIME or TIMESTAMP."""
    match = _STORED.fullmatch(text)
    if match is None:
        raise ValueError("no date")
    *parts, fraction = match.groups()
    return Moment(*(int(part or 0) for part in parts))._replace(microsecond=int((fraction or "").ljust(6, "0")))


def stored_clock(text: str) -> int:
    """The microseconds of a canonical TIME."""
    match = _STORED_TIME.fullmatch(text)
    if match is None:
        raise ValueError("no time")
    sign, hour, minute, second, fraction = match.groups()
    clock = ((int(hour) * 60 + int(minute)) * 60 + int(second)) * 1_000_000 + int((fraction or "").ljust(6, "0"))
    return -clock if sign else clock


def clock_text(clock: int, scale: int) -> str:
    """A TIME with so many digits of fraction."""
    seconds, microseconds = divmod(abs(clock), 1_000_000)
    sign = "-" if clock < 0 else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}" + _fraction(microseconds, scale)


def rounded_clock(clock: int, scale: int) -> int:
    """A TIME to so many digits of fraction; halves go up, also below zero (`Duration.RoundFrac`)."""
    unit = int(10 ** (6 - scale))
    return (clock + unit // 2) // unit * unit


def rounded_moment(moment: Moment, scale: int) -> Moment:
    """A DATETIME to so many digits of fraction, halves up (`Time.RoundFrac`)."""
    unit = 10 ** (6 - scale)
    microseconds = (moment.microsecond + unit // 2) // unit * unit
    if microseconds < 1_000_000:
        return moment._replace(microsecond=microseconds)
    return _next_second(moment)


def shifted(moment: Moment, seconds: int) -> Moment:
    """The moment so many seconds later, at most the first or last one that there is."""
    try:
        later = datetime(*moment) + timedelta(seconds=seconds)
    except OverflowError:
        later = datetime.max if seconds > 0 else datetime.min
    return Moment(*later.timetuple()[:6], later.microsecond)


def _next_second(moment: Moment) -> Moment:
    if moment[:6] == (9999, 12, 31, 23, 59, 59):
        raise ValueError("beyond the last year")
    return shifted(moment._replace(microsecond=0), 1)


def _fraction(microseconds: int, scale: int) -> str:
    return f".{microseconds:06}"[: scale + 1] if scale else ""


def is_date(moment: Moment) -> bool:
    """Whether a DATE or DATETIME can be this moment (`checkDatetimeType`).

    The session's SQL mode decides on dates with a zero month or day, and on days that their month lacks.
    """
    if moment.month > 12 or moment.hour > 23 or moment.minute > 59 or moment.second > 59 or moment.year > 9999:
        return False
    if moment[:3] == (0, 0, 0) and moment != ZERO:
        raise ValueError("NO_ZERO_IN_DATE decides")
    if moment[:3] != (0, 0, 0) and not (moment.month and moment.day):
        raise ValueError("NO_ZERO_IN_DATE decides")
    if not _in_calendar(moment) and moment != ZERO:
        raise ValueError("ALLOW_INVALID_DATES decides")
    return True


def is_in_calendar(moment: Moment) -> bool:
    """Whether there was such a moment."""
    return (
        1 <= moment.month <= 12
        and _in_calendar(moment)
        and moment.hour < 24
        and moment.minute < 60
        and moment.second < 60
        and moment.year <= 9999
    )


def _in_calendar(moment: Moment) -> bool:
    leap = moment.month != 2 or isleap(moment.year)
    return bool(moment.month) and 1 <= moment.day <= _DAYS[moment.month - 1] - (not leap)


# Texts and numbers


def parsed_moment(text: str, scale: int) -> Moment | None:
    """What a text says, not yet whether there is such a date; None where it says none (`parseDatetime`).

    A text with an offset is a moment of the session's time zone, which only the session tells.
    """
    parts, fraction, zone, unread = _split(text)
    absorbs = not (len(parts) > 5 or (len(parts) == 1 and len(parts[0]) > 4))
    if fraction and absorbs:
        parts, fraction = [*parts, fraction], ""
    if zone is not None and zone[1] and absorbs and (zone[3] or not zone[4]):
        parts, zone = [*parts, zone[2], *([zone[4]] if zone[4] else ())], None
    if len(parts) in (0, 2):
        return None
    if len(parts) == 1:
        numbers, has_seconds = _of_digits(parts[0], fraction, unread)
    else:
        numbers, has_seconds = [int(part) for part in parts[:6] if part.isdecimal()], len(parts) > 5
        if len(numbers) < min(len(parts), 6):
            return None
    if not numbers:
        return None
    if len(parts) > 1 and len(parts[0]) <= 2 and (any(numbers) or fraction):
        numbers[0] = adjusted_year(numbers[0])
    microseconds, carry = _read_fraction(fraction, scale) if has_seconds else (0, False)
    moment = Moment(*numbers)._replace(microsecond=microseconds)
    fits = moment.year < 1 << 14 and moment.month < 16 and moment.day < 32 and moment.hour < 32
    if not fits or moment.minute > 63 or moment.second > 63:
        return None
    if carry:
        if not is_in_calendar(moment) or moment[:6] == (9999, 12, 31, 23, 59, 59):
            return None
        moment = _next_second(moment)
    if zone is None:
        return moment
    hours, minutes = int(zone[2] or 0), int(zone[4] or 0)
    too_far = hours * 60 + minutes > 14 * 60 or minutes > 59 or (zone[1] == "-" and not hours and not minutes)
    if not has_seconds or too_far or not is_in_calendar(moment):
        return None
    raise ValueError("the time zone of the session decides")


def _split(text: str) -> tuple[list[str], str, re.Match[str] | None, bool]:
    """The parts of a date and its time, the fraction, the offset, and whether more follows the fraction."""
    zone = _zone(text)
    if zone is not None:
        text = text[: zone.start()].rstrip(punctuation)
    at = _fraction_start(text)
    fraction, unread = "", False
    if at:
        end = at + 1
        while end < len(text) and text[end] in _DIGITS:
            end += 1
        fraction, unread, text = text[at + 1 : end], end < len(text), text[:at].rstrip(punctuation)
    return _date_parts(text), fraction, zone, unread


def _zone(text: str) -> re.Match[str] | None:
    zone = _ZONE.search(text)
    return zone if zone and zone.start() else None


def _fraction_start(text: str) -> int | None:
    """Where the last mark is, if it is a point; a sign is none."""
    zone = _zone(text)
    for at in range((len(text) if zone is None else zone.start()) - 1, -1, -1):
        if text[at] in _PUNCTUATION and text[at] not in "+-":
            return at if text[at] == "." else None
    return None


def _date_parts(text: str) -> list[str]:
    """The numbers of a date and its time between their marks (`ParseDateFormat`); the last sign is not looked at."""
    text = text.strip(SPACES)
    if text[:1] not in _DIGITS or not text:
        return []
    parts: list[str] = []
    start = at = 0
    while (at := at + 1) < len(text) - 1:
        if _parts_numbers(text[at], len(parts)):
            before = len(parts)
            parts.append(text[start:at])
            while at + 1 < len(text) and _parts_numbers(text[at + 1], before):
                at += 1
            start = at + 1
        elif text[at] not in _DIGITS:
            return []
    return [*parts, text[start:]]


def _parts_numbers(sign: str, before: int) -> bool:
    between = before == 2 and sign in _BETWEEN_DATE_AND_TIME
    return sign in _PUNCTUATION or between or (before > 4 and sign not in _DIGITS)


def _of_digits(digits: str, fraction: str, unread: bool) -> tuple[list[int], bool]:
    """A date and its time without marks, and whether it has seconds of its own."""
    widths = _WIDTHS.get(len(digits))
    if widths is None:
        return [], False
    numbers, whole = _scanned(digits, widths)
    numbers = [*numbers, *([0] * (6 - len(numbers)))]
    if widths[0] == 2:
        numbers[0] = adjusted_year(numbers[0])
    if len(digits) in (5, 6, 8):
        wide = (2,) * min((len(fraction) + 1) // 2, 3)
        clock, _ = _scanned(fraction, wide)
        numbers[3 : 3 + len(clock)] = clock
    elif len(digits) in (9, 10):
        numbers[5:6] = _scanned(fraction, (2,))[0] or [0] if fraction else [0]
    elif not whole:
        return [], False
    return numbers, len(digits) in (11, 12, 14)


def _scanned(text: str, widths: Sequence[int]) -> tuple[list[int], bool]:
    """Numbers of these widths, up to what is no digit."""
    numbers: list[int] = []
    at = 0
    for width in widths:
        end = at
        while end < min(at + width, len(text)) and text[end] in _DIGITS:
            end += 1
        if end == at:
            return numbers, False
        numbers.append(int(text[at:end]))
        at = end
    return numbers, True


def _read_fraction(digits: str, scale: int) -> tuple[int, bool]:
    """Microseconds, halves up, and whether they are a second (`ParseFrac`)."""
    kept = int(digits[: scale + 1].ljust(scale + 1, "0"))
    unit = 10 ** (6 - scale)
    microseconds = (kept + 5) // 10 * unit
    return microseconds % 1_000_000, microseconds >= 1_000_000


def adjusted_year(year: int) -> int:
    """The year that two digits stand for."""
    if 0 <= year < 100:
        return year + (2000 if year < 70 else 1900)
    return year


def numbered_moment(number: int) -> Moment | None:
    """What a whole number says, `YYMMDD` or longer; None where it says no date (`parseDateTimeFromNum`)."""
    if number == 0:
        return ZERO
    if number < 10_000_101_000_000:
        for most, least, century in (
            (691_231, 101, 20_000_000),
            (991_231, 700_101, 19_000_000),
            (99_991_231, 0, 0),
        ):
            if number <= most:
                if number < least:
                    return None
                number = (number + century) * 1_000_000
                break
        else:
            if number < 101_000_000:
                return None
            if number <= 691_231_235_959:
                number += 20_000_000_000_000
            elif number < 700_101_000_000:
                return None
            elif number <= 991_231_235_959:
                number += 19_000_000_000_000
    day, clock = divmod(number, 1_000_000)
    moment = Moment(day // 10_000, day // 100 % 100, day % 100, clock // 10_000, clock // 100 % 100, clock % 100)
    fits = moment.year < 1 << 14 and moment.month < 16 and moment.day < 32 and moment.hour < 32
    return moment if fits and moment.minute < 64 and moment.second < 64 else None


def parsed_clock(text: str, scale: int) -> int:
    """The microseconds of a TIME that a text says, 0 where it says none (`ParseDuration`)."""
    text = text.strip(SPACES)
    clock, right = _matched_clock(text, scale)
    if right or not _STARTS_WITH_DATE.match(text):
        return clock
    at = _fraction_start(text)
    own_scale = 0 if at is None else min(len(text) - at - 1, 6)
    moment = parsed_moment(text, own_scale)
    if moment is None or not (moment == ZERO or moment.month == 0 or moment.day == 0 or is_date(moment)):
        return 0
    return rounded_clock(moment.clock(), scale)


def _matched_clock(text: str, scale: int) -> tuple[int, bool]:
    """What a text says as `[days ]hours:minutes[:seconds]`, or as digits; and whether it says just that."""
    negative = text.startswith("-")
    rest = text[negative:].lstrip(SPACES)
    match = _LONG_TIME.match(rest)
    if match is None:
        return 0, False
    days, h1, m1, s1, only1, h2, h3, m3, s3, only3, compact, fraction = match.groups()
    if compact is not None:
        number = int(compact)
        hours, minutes, seconds = number // 10_000, number // 100 % 100, number % 100
    else:
        hours = int(h1 or h2 or h3) + 24 * int(days or 0)
        minutes, seconds = int(m1 or only1 or m3 or only3 or 0), int(s1 or s3 or 0)
    left = len(rest) > match.end()
    if left and len(rest.encode()) >= 12:
        return 0, False
    microseconds, carry = _read_fraction(fraction or "", scale)
    if carry:
        seconds += 1
        if seconds == 60:
            minutes, seconds = minutes + 1, 0
        if minutes == 60:
            hours, minutes = hours + 1, 0
    if minutes > 59 or seconds > 59:
        return 0, False
    clock = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + microseconds
    right = clock <= MAX_CLOCK and not left
    clock = min(clock, MAX_CLOCK)
    return (-clock if negative else clock), right


def numbered_clock(number: int, text: str, scale: int) -> int | None:
    """The microseconds of a TIME of a number, given whole and as text; None is NULL (`convertToMysqlDuration`)."""
    if 8_385_959 < number < 10_000_000_000:
        return MAX_CLOCK
    if number < -8_385_959 or not -(2**63) <= number < 2**63:
        return None
    return parsed_clock(text, scale)
