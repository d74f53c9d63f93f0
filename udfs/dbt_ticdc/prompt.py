"""`ticdc sql` without a query: a prompt, one Spark for many statements, and whatever stands in its input."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dbt_ticdc.errors import TicdcError

_FIRST, _NEXT = "ticdc> ", "  ...> "
_ENDINGS = ("exit", "quit")
_WORDS = (
    *("select", "from", "where", "group by", "order by", "limit", "describe", "show tables", "show databases"),
    *_ENDINGS,
)
# texts, names, comments, a semicolon, what is none of them; one that has no end yet has it at the end of the text
_PARTS = re.compile(
    r"""'(?:[^'\\]|\\.)*(?:'|\Z) | "(?:[^"\\]|\\.)*(?:"|\Z) | `[^`]*(?:`|\Z) | --[^\n]* | /\*.*?(?:\*/|\Z) | .""",
    re.DOTALL | re.VERBOSE,
)


def statements(lines: Iterator[str], is_terminal: bool) -> Iterator[str]:
    """The statements of lines, each ended by a semicolon outside of quotes and comments; the last may lack it.

    On a terminal an empty line ends one, too, and a first line of `exit` or `quit` ends all.
    """
    text = ""
    for line in lines:
        if is_terminal and not text.strip() and line.strip().rstrip(";").lower() in _ENDINGS:
            return
        *ended, text = _split(text + line.rstrip() + "\n")
        if is_terminal and not line.strip():
            ended, text = [*ended, text], ""
        yield from filter(None, map(str.strip, ended))
    yield from filter(None, [text.strip()])


def _split(text: str) -> list[str]:
    """What stands between the semicolons that end statements."""
    parts = [""]
    for part in _PARTS.findall(text):
        if part == ";":
            parts.append("")
        else:
            parts[-1] += part
    return parts


def run(answer: Callable[[str], None], names: Callable[[], Sequence[str]], work: Path | None) -> None:
    """Answers all statements of standard input.

    On a terminal there is a prompt with completion of names, and the statements of before, which are kept in `work`
    where there is such a folder; one that fails is said, and the next is asked for. Elsewhere the first that fails ends
    it.
    """
    if not sys.stdin.isatty():
        for number, statement in enumerate(statements(iter(sys.stdin.readline, ""), is_terminal=False), 1):
            try:
                answer(statement)
            except TicdcError as error:
                text = f"statement {number} of the input failed, and none after it was run: {error}"
                raise TicdcError(text, error.exit_code) from error
        return
    _complete(names, work / "sql_history" if work else None)
    print("statements end with ; or an empty line, and all of it with exit or Ctrl-D", file=sys.stderr)
    for statement in statements(_typed(), is_terminal=True):
        try:
            answer(statement)
        except TicdcError as error:
            print(error, file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)


def _typed() -> Iterator[str]:
    prompt = _FIRST
    while True:
        try:
            line = input(prompt)
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            line, prompt = "", _FIRST
        prompt = _FIRST if not line.strip() or line.rstrip().endswith(";") else _NEXT
        yield line


def _complete(names: Callable[[], Sequence[str]], history: Path | None) -> None:
    """Completion of names by Tab, where Python has readline."""
    try:
        import atexit
        import readline
    except ImportError:
        return
    known: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if not known:
            known.extend([*names(), *_WORDS])
        found = [name for name in known if name.startswith(text)]
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n,();=")
    readline.parse_and_bind("tab: complete")
    if history is None:
        return
    with suppress(OSError):
        readline.read_history_file(history)

    def keep() -> None:
        with suppress(OSError):
            readline.write_history_file(history)

    atexit.register(keep)
