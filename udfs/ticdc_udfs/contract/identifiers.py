"""Names and texts as SQL takes them."""

from __future__ import annotations

import re
from functools import lru_cache


def quoted(name: str) -> str:
    """A name in backticks, as SQL of Spark and of TiDB takes any."""
    return "`" + name.replace("`", "``") + "`"


@lru_cache(65_536)
def identifier(name: str) -> str:
    """An identifier as the macro `identifier` gives it."""
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else quoted(name)


def text_literal(text: str) -> str:
    """A literal as the macro `text_literal` gives it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
