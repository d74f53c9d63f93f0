"""The sample that `ticdc demo` shows: `python -m support.shop` makes tests/data/shop anew, of the corpus.

Messages of five tables of the corpus, as TiCDC wrote them, with their DDL and all watermarks; only their topic and
offsets are others. Two things are not as TiCDC sent them: `LATE` and `CUT_OFF`.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from support import exported
from support.corpus import DATA, SAMPLE, plain, text_lines
from support.truth import checkpoints

FOLDER = DATA / "shop"
MESSAGES = FOLDER / "messages.jsonl.gz"
TOPIC = "shop"
WATERMARK = "TIDB_WATERMARK"
TABLES = ("customers", "inventory", "order_items", "orders", "visits")

# The update of order 10 to `done`. It comes late: after so many more watermarks that had passed its commit.
LATE = ("orders", "10", 470610924769116160)
LATE_BY = 6
# The insert of order 10. A copy of it follows at once, which ends in the middle of the text.
CUT_OFF = ("orders", "10", 470610923986354176)


def lines() -> list[str]:
    """The lines of the file."""
    offsets: Counter[int] = Counter()
    made = []
    for each in _with_cut_off(_with_late(_of_shop())):
        partition = each["partition"]
        made.append(json.dumps({**each, "topic": TOPIC, "offset": offsets[partition]}) + "\n")
        offsets[partition] += 1
    return made


def export(folder: Path) -> Path:
    """The tables as TiDB exports them in the end, in a folder that is made."""
    upstream = checkpoints(SAMPLE).popitem()[1]
    return exported.write_json_lines(folder, [upstream.tables["shop", name] for name in TABLES])


def message(record: Mapping[str, Any]) -> dict[str, Any]:
    """The message of a record, read without the decoder."""
    return dict(json.loads(b64decode(record["value"])))


def is_at(told: Mapping[str, Any], place: tuple[str, str, int]) -> bool:
    """Whether a message is the change of the row of this table, id and commit."""
    if told["isDdl"] or told["type"] == WATERMARK:
        return False
    return (told["table"], told["data"][0].get("id"), told["_tidb"]["commitTs"]) == place


def _of_shop() -> Iterator[dict[str, Any]]:
    """The records of the tables and their schema, and all watermarks, in the order of the corpus."""
    for line in text_lines(plain(SAMPLE).path):
        record = json.loads(line)
        told = message(record)
        is_of_shop = told["database"] == "shop" and told["table"] in (*TABLES, "")
        if is_of_shop or told["type"] == WATERMARK:
            yield record


def _with_late(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The records with the late one after the watermarks that it lets pass, at the time of the last of them."""
    late: dict[str, Any] | None = None
    passed = 0
    for record in records:
        told = message(record)
        if is_at(told, LATE):
            late = record
            continue
        yield record
        if late is not None and told["type"] == WATERMARK and record["partition"] == late["partition"]:
            passed += told["_tidb"]["watermarkTs"] >= LATE[-1]
            if passed > LATE_BY:
                yield {**late, "timestamp": record["timestamp"]}
                late = None


def _with_cut_off(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The records, and after one a copy of it without the second half of its value."""
    for record in records:
        yield record
        if is_at(message(record), CUT_OFF):
            value = b64decode(record["value"])
            yield {**record, "value": b64encode(value[: len(value) // 2]).decode("ascii")}


if __name__ == "__main__":
    MESSAGES.write_bytes(gzip.compress("".join(lines()).encode("utf-8"), 9, mtime=0))
