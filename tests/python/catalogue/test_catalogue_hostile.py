"""Whatever DDL text comes, the catalogue gives kinds, versions and problems, in a time bounded by its length."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from time import process_time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalogue import DECODERS, events_of
from support.corpus import SAMPLE, Variant
from support.hostile import cases, deepest

from ticdc_udfs.catalogue import udf
from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, ProblemCode, fold


@cache
def _real() -> tuple[DdlEvent, ...]:
    """The DDL of the sample, each once, in order."""
    events = events_of(DECODERS["canal_json"], Variant(SAMPLE, "canal_json").records, "{}")
    return tuple(sorted({event for event in events if event.ddl_query}, key=lambda event: event.commit_ts))


def _folded(texts: Sequence[str], with_real: bool = True) -> None:
    """The checks that hold for every text; the texts come between the real ones, which they may touch."""
    events = [DdlEvent(10 * (place + 1), "shop", "t", text) for place, text in enumerate(texts)]
    if with_real:
        step = len(_real()) // (len(events) + 1) + 1
        commits = [each.commit_ts + 1 for each in _real()[step::step]]
        placed = zip(commits, events, strict=False)
        events = [*_real(), *(DdlEvent(commit, "shop", "t", each.ddl_query) for commit, each in placed)]
    result = fold(events)
    for version in result.versions:
        assert version.valid_to_ts is None or version.valid_from_ts < version.valid_to_ts
    assert {problem.code for problem in result.problems} <= set(ProblemCode)
    wire = [
        {
            "kind": "ddl",
            "message_ts": each.commit_ts,
            "schema_name": "shop",
            "ddl_query": each.ddl_query,
            "first_position": {"topic": "t", "partition": 0, "offset": offset, "event_index": 0},
        }
        for offset, each in enumerate(events)
    ]
    nothing = pa.array([None], pa.string())
    (records,) = udf.fold_batch(pa.array([json.dumps(wire)]), nothing, nothing).to_pylist()
    assert {record["record"] for record in records} <= {"version", "move", "statement", "problem"}
    kinds = udf.kind_batch(pa.array(list(texts), pa.string()), pa.array(["shop"] * len(texts), pa.string())).to_pylist()
    for text, told in zip(texts, kinds, strict=True):
        assert told is None if not text else told["kind"] in set(DdlKind)


texts_of = st.sampled_from(range(10**9)).map(lambda index: _real()[index % len(_real())].ddl_query or "")
part = st.floats(0, 1)
pieces = st.sampled_from(["(", ")", "'", "`", '"', "/*", "*/", "/*T![x] ", ",", ";", "\\", "--", "0x", "\0", "é", " "])


@cases(500)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3))
def test_any_bytes(data: list[bytes]) -> None:
    _folded([each.decode("latin-1") for each in data] + [each.decode(errors="replace") for each in data], False)


@cases(600)
@given(st.lists(st.tuples(texts_of, part, part), min_size=1, max_size=8))
def test_cut_texts(cuts: list[tuple[str, float, float]]) -> None:
    _folded([text[int(min(a, b) * len(text)) : int(max(a, b) * len(text))] for text, a, b in cuts], False)
    _folded([text[: int(max(a, b) * len(text))] for text, a, b in cuts], False)


@cases(500)
@given(st.lists(st.tuples(texts_of, texts_of, part, part), min_size=1, max_size=6))
def test_mixed_texts(mixed: list[tuple[str, str, float, float]]) -> None:
    _folded([one[: int(a * len(one))] + two[int(b * len(two)) :] for one, two, a, b in mixed], False)


@cases(600)
@given(st.lists(st.tuples(texts_of, st.lists(st.tuples(part, pieces), max_size=6)), min_size=1, max_size=6))
def test_texts_with_pieces_put_in(broken: list[tuple[str, list[tuple[float, str]]]]) -> None:
    texts = []
    for text, put_in in broken:
        for place, piece in put_in:
            at = int(place * len(text))
            text = text[:at] + piece + text[at:]
        texts.append(text)
    _folded(texts, False)


@cases(30)
@given(st.lists(st.tuples(texts_of, part), min_size=1, max_size=6))
def test_broken_texts_among_the_real_ones(cuts: list[tuple[str, float]]) -> None:
    _folded([text[: int(place * len(text))] for text, place in cuts])


NESTED = {
    "default": ("CREATE TABLE t (a INT DEFAULT ", "(", ")", "1", ")"),
    "generated column": ("CREATE TABLE t (a INT AS ", "(", ")", "1", ")"),
    "column list": ("CREATE TABLE t ", "(", ")", "a INT", ""),
    "index part": ("CREATE TABLE t (a INT, KEY (", "(", ")", "a", "))"),
    "check": ("ALTER TABLE t ADD CHECK ", "(", ")", "1", ""),
    "partition expression": ("ALTER TABLE t PARTITION BY HASH ", "(", ")", "a", " PARTITIONS 4"),
    "list value": ("ALTER TABLE t ADD PARTITION (PARTITION p VALUES IN (", "(", ")", "1", "))"),
    "range bound": ("ALTER TABLE t ADD PARTITION (PARTITION p VALUES LESS THAN (", "(", ")", "1", "))"),
    "tuples": ("ALTER TABLE t ADD PARTITION (PARTITION p VALUES IN (", "(1,", ")", "1", "))"),
    "function": ("ALTER TABLE t ALTER a SET DEFAULT (", "f(", ")", "1", ")"),
    "view": ("CREATE VIEW v AS SELECT ", "(SELECT ", ")", "1", ""),
    "comments": ("CREATE TABLE t (a INT ", "/*T![x] ", " */", "", ")"),
    "open comments": ("ALTER TABLE t COMMENT ", "/*", "", "'x'", ""),
    "actions": ("ALTER TABLE t ", "ADD a INT, ", "", "ADD b INT", ""),
    "renames": ("RENAME TABLE ", "a TO b, b TO a, ", "", "a TO b", ""),
    "statements": ("", "DROP TABLE t; CREATE TABLE t (a INT); ", "", "", "DROP TABLE t"),
    "strings": ("ALTER TABLE t COMMENT ", "'x' ", "", "'y'", ""),
    "labels": ("CREATE TABLE t (a ENUM(", "'x',", "", "'y'", "))"),
    "columns": ("CREATE TABLE t (", "a INT,", "", "b INT", ")"),
    "indexes": ("CREATE TABLE t (a INT,", "KEY (a),", "", "KEY (a)", ")"),
    "partition counts": ("ALTER TABLE t ", "ADD PARTITION PARTITIONS 8192, ", "", "COALESCE PARTITION 1", ""),
    "partitions": ("ALTER TABLE t ADD PARTITION (", "PARTITION p VALUES IN (1),", "", "PARTITION q VALUES IN (2)", ")"),
}


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "cut"])
def test_deep_nesting_and_long_lists(name: str, closed: bool) -> None:
    head, opener, closer, core, tail = NESTED[name]
    create = "CREATE TABLE t (a INT, z INT) PARTITION BY LIST (a) (PARTITION p0 VALUES IN (0))"
    for depth in (10, 300, deepest(20_000, 5_000)):
        text = head + opener * depth + (core + closer * depth + tail if closed else "")
        started = process_time()
        _folded([create, text, "ALTER TABLE t ADD c INT"], False)
        assert process_time() - started < 30, depth
