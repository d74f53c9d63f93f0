"""Dumps of Kafka records for named cases, and the files of a warehouse's tables."""

from __future__ import annotations

import base64
import gzip
import json
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TIMESTAMP = 1_700_000_000_123


def line(offset: int, value: bytes | None = b"v", key: bytes | None = None, **members: Any) -> str:
    """A record as dumps hold it."""
    record = {"topic": "t", "partition": 0, "offset": offset, "timestamp": TIMESTAMP}
    texts = {"key": key, "value": value}
    encoded = {name: None if text is None else base64.b64encode(text).decode() for name, text in texts.items()}
    return json.dumps(record | encoded | members, ensure_ascii=False)


def changed(**members: Any) -> str:
    """A record with other members."""
    return json.dumps(json.loads(line(1)) | members)


def write(path: Path, lines: Sequence[str], end: str = "\n") -> Path:
    """A dump, compressed as its name says."""
    content = (end.join(lines) + end).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content)
    elif path.suffix == ".xz":
        content = lzma.compress(content)
    path.write_bytes(content)
    return path


def tables_of(home: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in (home / "tables").rglob("*") if path.is_file()}
