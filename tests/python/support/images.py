"""Row images and table schemas of events, read."""

from __future__ import annotations

from typing import Any

import orjson


def image_of(text: bytes | None) -> dict[str, str | None] | None:
    """A row image as a dict."""
    return None if text is None else dict(orjson.loads(text))


def schema_of(text: bytes | None) -> list[dict[str, Any]] | None:
    """A table schema's columns as dicts."""
    return None if text is None else list(orjson.loads(text))
