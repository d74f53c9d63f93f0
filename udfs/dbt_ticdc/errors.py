"""What the command says when something is wrong."""

from __future__ import annotations

import re

_TRACE = re.compile(r"\n\s*at [\w.$<>/]+\(|\nJVM stacktrace|\nDriver stacktrace|\nTraceback \(most recent call last\)")
# What Spark could not resolve, as a plan of many lines.
_PLAN = re.compile(r"(; line \d+ pos \d+);\n.*", re.DOTALL)
_LONGEST = 4000


class TicdcError(Exception):
    """A fault the user can mend; its text is all that is shown. `exit_code` is 1 (work failed) or 2 (wrong usage)."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def without_trace(error: BaseException | str) -> str:
    """The text of an error of Spark or dbt up to its first plan or stack trace, 4,000 characters at most."""
    text = _PLAN.sub(r"\1", str(error))
    found = _TRACE.search(text)
    text = (text[: found.start()] if found else text).strip()
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
