"""What holds for all changefeeds of the shared warehouse."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from support import warehouse as embedded
from support.cases import Built, Stage, Story, story
from support.corpus import SAMPLE, lines_about, plain, renamed


class Idle(Story):
    """A last build without anything new."""

    stages = (Stage.SECOND, Stage.IDLE)


story(Idle())


def test_a_build_without_new_messages_writes_no_file(built_cases: Built) -> None:
    seeds = {path.stem for path in (embedded.REPOSITORY / "seeds").glob("*.csv")}
    others = seeds | {"exports.db"}  # a story drops its exports
    before, after = (
        {path: state for path, state in built_cases.files[stage].items() if not others & set(Path(path).parts)}
        for stage in (Stage.SECOND, Stage.IDLE)
    )
    assert len(before) > 20
    assert after == before


class RowsOfManyKeys(Story):
    """Rows of one table in the order of their commits, not of their keys."""

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        return [{"name": "many_keys", "protocol": "canal_json", "topics": ["many_keys"]}]

    def lines(self, stage: Stage) -> Sequence[str]:
        lines = lines_about(plain(SAMPLE), ("customers",))
        return [renamed(line, "many_keys") for line in lines] if stage is Stage.FIRST else []


story(RowsOfManyKeys())


def test_staged_rows_lie_by_table_and_key(built_cases: Built) -> None:
    """Images of a row far from each other took half as much room again, in staging and in the changes made of it."""
    some_have_many = False
    for file in built_cases.warehouse.glob("**/stg_ticdc__canal_json/**/*.parquet"):
        rows = pq.ParquetFile(file).read(["schema_name", "table_name", "row_key", "commit_ts"]).to_pylist()
        keys = [[(value is not None, value) for value in row.values()] for row in rows]
        assert keys == sorted(keys), file
        some_have_many |= len({row["row_key"] for row in rows}) > 2
    assert some_have_many


BEGUN = ("customers", "orders", "sales")


class Begun(Story):
    """Two builds that end between the creation of tables and their first row."""

    stages = (Stage.FIRST, Stage.SECOND)

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        feed = {"name": "hourly_tokens", "protocol": "canal_json", "topics": ["hourly_tokens"]}
        return [{**feed, "target_schema": "{feed}_{schema}"}]

    def lines(self, stage: Stage) -> Sequence[str]:
        lines = [renamed(line, "hourly_tokens") for line in lines_about(plain(SAMPLE), BEGUN)]
        created = [
            place for place, line in enumerate(lines) if b'"type":"CREATE"' in b64decode(json.loads(line)["value"])
        ]
        first, second = created[1] + 10, created[1] + 20
        if stage is Stage.FIRST:
            return lines[:first]
        return lines[first:second] if stage is Stage.SECOND else []


story(Begun())


def test_tables_that_have_no_rows_yet(built_cases: Built) -> None:
    tables = built_cases.rows(
        "select table_name, row_count from ticdc__tables where feed = 'hourly_tokens' order by table_name"
    )
    assert [(row["table_name"], row["row_count"]) for row in tables] == [("customers", 0), ("orders", 0), ("sales", 0)]
    assert built_cases.rows("select * from hourly_tokens_shop.customers") == []


def test_a_feed_whose_name_holds_what_spark_hides(built_cases: Built) -> None:
    """Spark shows no property whose text holds "url" or "token": what a run settled was lost to the next one."""
    (found,) = built_cases.rows(
        "select count(*) as messages, count(distinct `partition`, `offset`) as sent, count(distinct run_id) as runs "
        "from stg_ticdc__canal_json where feed = 'hourly_tokens'"
    )
    assert found["messages"] == found["sent"] > 20
    assert found["runs"] == 2
