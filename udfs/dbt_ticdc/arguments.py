"""What arguments of the command may be: each function gives the value of a text, or says what is allowed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from zoneinfo import ZoneInfo


def zone(text: str) -> str:
    """The name of a time zone."""
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError) as error:
        raise argparse.ArgumentTypeError(f"{text} is no time zone; allowed is a name such as Asia/Shanghai") from error


def seconds(text: str) -> float:
    """A time in seconds."""
    found = re.fullmatch(r"(\d+)(s|m|h|d)?", text)
    if found is None or not int(found[1]):
        raise argparse.ArgumentTypeError(f"{text} is no time; allowed are texts such as 60s, 5m, 1h, 2d")
    return float(found[1]) * {"m": 60, "h": 3600, "d": 86400}.get(found[2], 1)


def tso(text: str) -> int:
    """A commit."""
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text} is no TSO; allowed is a number such as 470610924950257664")
    return int(text)


def port(text: str) -> int:
    """A port."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port; allowed are 0 to 65535")
    return int(text)


def address(text: str) -> tuple[str, int]:
    """A host and its port."""
    host, _, number = text.rpartition(":")
    if not host:
        raise argparse.ArgumentTypeError(f"{text} is no address; allowed are texts such as localhost:10000")
    return host.strip("[]"), port(number)


def parsed(parser: argparse.ArgumentParser, given: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; ends the process with exit code 2 where one is unknown, and says which one may be meant."""
    options, unknown = parser.parse_known_args(given)
    if not unknown:
        return options
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    name = next(text for text in (sys.argv[1:] if given is None else given) if text in commands.choices)
    of_command = commands.choices[name]
    text = next((text for text in unknown if text.startswith("-")), unknown[0])
    near = get_close_matches(text.partition("=")[0], of_command._option_string_actions, 1)
    meant = f", did you mean {near[0]}?" if near else ""
    of_command.error(f"unknown argument {text}{meant} ({of_command.prog} --help has all)")
    raise AssertionError  # `error` ends the process


def program() -> str:
    """How the command `ticdc` was called, so that whoever copies a command of its output finds it, too."""
    called = sys.argv[0]
    return called if Path(called).name == "ticdc" and not Path(called).is_absolute() else "ticdc"
