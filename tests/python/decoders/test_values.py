from __future__ import annotations

from base64 import b64decode
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticdc_udfs.contract import values

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")


@given(st.binary(max_size=64))
def test_every_byte_string_survives_latin_1_and_base64(data: bytes) -> None:
    assert b64decode(values.binary_from_latin1(data.decode("latin-1")), validate=True) == data


def test_binary_text_beyond_one_byte_per_character_is_refused() -> None:
    with pytest.raises(ValueError):
        values.binary_from_latin1("测试")


@pytest.mark.parametrize(("wire", "canonical"), [("0", "0000"), ("0000", "0000"), ("1901", "1901"), ("2155", "2155")])
def test_year(wire: str, canonical: str) -> None:
    assert values.year(wire) == canonical


@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2024-03-31 02:30:00", "2024-03-30 18:30:00"),
        ("2038-01-19 11:14:07.999999", "2038-01-19 03:14:07.999999"),
        ("1970-01-01 08:00:01.000", "1970-01-01 00:00:01.000"),
        ("0000-00-00 00:00:00", "0000-00-00 00:00:00"),
        ("0000-00-00 00:00:00.000000", "0000-00-00 00:00:00.000000"),
    ],
)
def test_timestamp_to_utc_keeps_its_fraction_digits(local: str, utc: str) -> None:
    assert values.timestamp_to_utc(local, SHANGHAI) == (utc, False)


@pytest.mark.parametrize(
    ("local", "utc", "twice"),
    [
        ("2024-10-27 01:59:59", "2024-10-26 23:59:59", False),
        ("2024-10-27 02:00:00", "2024-10-27 00:00:00", True),
        ("2024-10-27 02:59:59.9", "2024-10-27 00:59:59.9", True),
        ("2024-10-27 03:00:00", "2024-10-27 02:00:00", False),
        ("2024-03-31 03:00:00", "2024-03-31 01:00:00", False),
        ("1991-09-15 01:30:00", "1991-09-14 23:30:00", False),
    ],
)
def test_the_hour_that_occurs_twice_is_told(local: str, utc: str, twice: bool) -> None:
    assert values.timestamp_to_utc(local, BERLIN) == (utc, twice)


def test_shanghai_had_summer_time_until_1991() -> None:
    assert values.timestamp_to_utc("1991-09-15 00:30:00", SHANGHAI)[0] in {"1991-09-14 15:30:00", "1991-09-14 16:30:00"}
    assert values.timestamp_to_utc("1991-07-01 12:00:00", SHANGHAI) == ("1991-07-01 03:00:00", False)


@pytest.mark.parametrize("text", ["", "soon", "2024-02-30 00:00:00", "2024-01-01", "2024-01-01T00:00:00"])
def test_a_text_that_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        values.timestamp_to_utc(text, SHANGHAI)


@pytest.mark.parametrize(
    ("column_type", "labels"),
    [
        ("enum('a','b')", ("a", "b")),
        ("set('a')", ("a",)),
        ("enum('it''s','','c,d',' sp')", ("it's", "", "c,d", " sp")),
        ("enum('(','),(')", ("(", "),(")),
        ("enum('''')", ("'",)),
        ("enum", None),
        ("set", None),
    ],
)
def test_labels(column_type: str, labels: tuple[str, ...] | None) -> None:
    assert values.labels(column_type) == labels


@given(st.lists(st.text(max_size=8), min_size=1, max_size=8))
def test_labels_are_read_back_whatever_they_hold(labels: list[str]) -> None:
    column_type = "enum(" + ",".join("'" + label.replace("'", "''") + "'" for label in labels) + ")"
    assert values.labels(column_type) == tuple(labels)


def test_enum_and_set_by_number() -> None:
    labels = tuple(f"m{place}" for place in range(64))
    assert [values.enum_label(index, ("a", "b")) for index in ("0", "1", "2")] == ["", "a", "b"]
    assert values.set_labels("0", labels) == ""
    assert values.set_labels("5", ("a", "b", "c", "d")) == "a,c"
    assert values.set_labels("9223372036854775809", labels) == "m0,m63"
    assert values.set_labels(str(2**64 - 1), labels) == ",".join(labels)


@pytest.mark.parametrize("number", ["-1", "3", "", "x", "1e3"])
def test_a_number_without_label_is_refused(number: str) -> None:
    with pytest.raises(ValueError):
        values.enum_label(number, ("a", "b"))


@pytest.mark.parametrize("number", ["-1", "4", "x", "a,x"])
def test_a_bitmask_beyond_the_labels_is_refused(number: str) -> None:
    with pytest.raises(ValueError):
        values.set_labels(number, ("a", "b"))
