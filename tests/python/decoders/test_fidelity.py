"""The page docs/fidelity.md is what the decoders do today; what each mark on it stands for."""

from __future__ import annotations

from collections import Counter

import pytest
from support import fidelity
from support.fidelity import CHANGED, EXACT, FEEDS, UNSENT, Feed


def test_the_page_is_up_to_date() -> None:
    assert fidelity.PAGE.read_text(encoding="utf-8") == fidelity.page(), "`make fidelity` writes the page anew"


@pytest.mark.parametrize("feed", FEEDS, ids=lambda feed: feed.title)
def test_only_what_an_encoder_lost_is_not_exact(feed: Feed) -> None:
    rows = fidelity.rows(feed)
    values = fidelity.values()
    marks = Counter(fidelity.mark(value, rows.get(value.place)) for value in values)
    assert marks[EXACT] > 1_500 and marks.total() == len(values)
    assert {value.place[0] for value in values if value.place not in rows} == {
        "avro": {"types_zoo_enum0"},
        "debezium": {"nd_date"},
        "debezium_avro": {"nd_date"},
    }.get(feed.protocol, set())
    if not feed.protocol.startswith("debezium"):
        assert marks.keys() <= {EXACT, UNSENT}
    for value in values:
        if fidelity.mark(value, rows.get(value.place)) == CHANGED:
            text = value.cell.get("text")
            assert (text is None and feed.protocol == "debezium_avro") or (text or "")[:4] in ("0001", "0069", "0099")


def test_debezium_with_inline_schema_loses_the_same() -> None:
    bare, inline = (fidelity.rows(Feed("", name, "debezium")) for name in ("debezium_noschema", "debezium_some_rows"))
    values = [value for value in fidelity.values() if value.place in inline]
    assert len(values) > 1_000
    for value in values:
        assert fidelity.mark(value, bare[value.place]) == fidelity.mark(value, inline[value.place]), value
