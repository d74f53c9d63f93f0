"""Names as SQL takes them."""

from __future__ import annotations


def quoted(name: str) -> str:
    """A name in backticks, as SQL of Spark and of TiDB takes any."""
    return "`" + name.replace("`", "``") + "`"
