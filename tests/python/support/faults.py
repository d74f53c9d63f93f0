"""What the package's generic tests must find fault with, and tables as of a moment: rows in the place of its own."""

from __future__ import annotations

import json

from ticdc_udfs.typed.plans import Column, LeftBehind
from ticdc_udfs.typed.sql import Shape, typed_rows

SHIPPED = ("accounting_balanced", "history_intervals", "no_dead_letters", "unique_change")
NOW_TS = "shiftleft(unix_millis(current_timestamp()), 18)"
# What the shipped tests must find fault with, by the view of the package that holds it.
TABLE = "'shop' as feed, 's' as schema_name, 't' as table_name, 1 as table_incarnation"
FAULTS = {
    "ticdc__accounting": "select true as balanced, 2000L as messages union all select false, 1000L",
    "ticdc__dead_letters": "select 'shop' as feed, 'bad_json' as error_code from range(3)",
    "ticdc__completeness": f"select 'fresh' as feed, {NOW_TS} as complete_through_ts union all select 'stale', 1L "
    "union all select 'none', null",
    # row keys say what is wrong with the row, or why nothing is
    "ticdc__changelog": f"""
        select {TABLE}, 1 as copy, if(commit_ts_exact, null, xxhash64(before)) as image_hash, *, null as after
        from values
            ('t', 5, true, 'twice', 'update', null, array()),
            ('t', 5, true, 'twice', 'update', '{{}}', array()),
            ('t', 7, false, 'in a millisecond', 'update', null, array()),
            ('t', 7, false, 'in a millisecond', 'update', '{{}}', array()),
            ('t', 9, true, 'other value', 'update', '{{"a":"x","b":null}}', array()),
            ('t', 9, true, 'null became empty', 'delete', '{{"a":"","b":""}}', array('*x:flag', 'a:flag')),
            ('t', 9, true, 'same', 'update', '{{"b":null,"a":"","c":"in no other"}}', array()),
            ('t', 9, true, 'flagged', 'update', '{{"a":"x"}}', array('a:flag')),
            ('t', 9, true, 'flagged as a whole', 'update', '{{"a":"x"}}', array('*:flag')),
            ('altered', 9, true, 'ddl between', 'update', '{{"a":"x"}}', array()),
            ('altered', 7, true, 'ddl of its own commit', 'update', '{{"a":"x"}}', array()),
            ('t', 9, true, 'gone', 'delete', null, array()),
            ('t', 9, true, 'was never there', 'delete', null, array()),
            ('t', 8, true, 'left before', 'delete', null, array()),
            ('t', 8, true, 'one of equal rows', 'delete', null, array('*:no_key')),
            ('t', 9, false, 'came and went', 'insert', null, array()),
            ('t', 9, false, 'came and went', 'delete', null, array())
            as changes (table_id, commit_ts, commit_ts_exact, row_key, op, before, lossy)
    """,
    "ticdc__row_history": f"""
        select {TABLE}, *, '{{"a":"","b":null}}' as row, cast(array() as array<string>) as lossy
        from values
            ('t', 'overlap', 1, 5, 'update'), ('t', 'overlap', 4, null, null),
            ('t', 'two ends open', 1, null, null), ('t', 'two ends open', 3, null, null),
            ('t', 'gap', 1, 3, 'update'), ('t', 'gap', 4, null, null),
            ('t', 'no next', 1, 3, 'update'),
            ('t', 'empty', 3, 3, 'delete'),
            ('t', 'no reason', 1, 3, null),
            ('t', 'not ended', 1, null, 'delete'),
            ('t', 'deleted and back', 1, 3, 'delete'), ('t', 'deleted and back', 5, null, null),
            ('t', 'updated', 1, 3, 'update'), ('t', 'updated', 3, 4, 'truncate_table'),
            ('altered', 'updated', 1, 9, 'delete'),
            ('t', 'left before', 2, 9, 'delete'), ('t', 'gone', 2, 9, 'delete'), ('t', 'same', 2, 9, 'delete'),
            ('t', 'other value', 2, 9, 'delete'), ('t', 'null became empty', 2, 9, 'delete'),
            ('t', 'flagged', 2, 9, 'delete'), ('t', 'flagged as a whole', 2, 9, 'delete'),
            ('altered', 'ddl between', 2, 9, 'delete'), ('altered', 'ddl of its own commit', 2, 7, 'delete')
            as times (table_id, row_key, valid_from_ts, valid_to_ts, closed_by)
    """,
    "ticdc__columns": f"select {TABLE}, 'altered' as table_id, explode(array(1L, 7L, 9L)) as valid_from_ts",
}
# A table that left incarnation 1 behind at 7; the row without a moment tells that no version is left.
LEFT_BEHIND = Shape("shop", "t", 2, (Column("v", "v", "string"),), left_behind=(LeftBehind(1, 7),))
VERSIONS = (
    "(select 'shop' as feed, 't' as table_id, 1 as commit_ts, cast(array() as array<string>) as lossy, "
    "'{}' as row, * from values (1, 'kept', 6), (1, 'left', 7), (1, 'gone', null), (2, 'next', 7) "
    "as versions (table_incarnation, row_key, valid_from_ts))"
)
CALLS = {
    "stale": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes=15)",
    "few": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=3)",
    "small_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=1, share=0.001)",
    "large_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=2, share=0.0009)",
    "intervals": "ticdc.test_history_intervals(ref('ticdc__row_history'))",
    "orphans": "ticdc.test_no_orphan_deletes(ref('ticdc__changelog'))",
    "chain": "ticdc.test_before_image_chain(ref('ticdc__changelog'))",
    "left_behind": json.dumps(
        typed_rows(LEFT_BEHIND, LEFT_BEHIND.columns, VERSIONS, ["row_key"], moment="valid_from_ts")
    ),
    "bad_minutes": "ticdc.test_complete_within(ref('ticdc__completeness'), minutes='soon')",
    "bad_at_most": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), at_most=-1)",
    "bad_share": "ticdc.test_no_dead_letters(ref('ticdc__dead_letters'), share=5)",
    "bad_key": "ticdc.test_history_intervals(ref('ticdc__row_history'), key='id')",
}
# A table whose columns a DDL at 2 ms changed, and one row of it; the feed is complete through 4 ms.
MS = 2**18
CHANGE = (
    f"select {TABLE}, 't' as table_id, true as commit_ts_exact, 1 as apply_rank, '{{}}' as row_key, 0 as `partition`, "
    "0 as `offset`, 0 as event_index, 't' as topic, 1 as run_id, cast(array() as array<string>) as lossy"
)


def _batch(table: str) -> str:
    """SQL of the newest batch of a table that readers see."""
    return f"(select batches['{table}'][0] as batch_id from ticdc_lint.int_ticdc__publication) as batch_id"


AS_OF_TABLES = (
    "drop table ticdc_lint.int_ticdc__catalogue",
    f"""
        create view ticdc_lint.int_ticdc__catalogue as
        select {TABLE}, 'version' as record, 't' as table_id, 's' as schema_key, 't' as table_key,
            {_batch("int_ticdc__catalogue")}, *
        from values
            (0, {2 * MS}, '[{{"name":"id","type":"int(10) unsigned"}},{{"name":"n","type":"varchar(9)"}}]'),
            ({2 * MS}, null, '[{{"name":"n","type":"decimal(9,2)"}},{{"name":"_Lossy","type":"decimal"}}]')
            as versions (valid_from_ts, valid_to_ts, table_schema)
    """,
    f"""
        insert into ticdc_lint.int_ticdc__changes by name {CHANGE}, {_batch("int_ticdc__changes")}, *
        from values
            ({MS}L, 'insert', '{{"id":"4294967295","n":"7"}}'),
            ({3 * MS}L, 'update', '{{"n":"8","_Lossy":"1"}}')
            as changes (commit_ts, op, after)
    """,
    f"insert into ticdc_lint.int_ticdc__carried_rows by name {CHANGE}, {MS}L as row_commit_ts, 'new_columns' as cause, "
    f"{_batch('int_ticdc__carried_rows')}, "
    f"""{2 * MS}L as commit_ts, 'update' as op, '{{"n":"7.00","_Lossy":null}}' as after""",
    "create table ticdc_lint.published as select * except (feed_bounds) from ticdc_lint.int_ticdc__publication",
    f"alter view ticdc_lint.int_ticdc__publication as select *, map('shop', named_struct("
    f"'first_commit_ts', {MS}L, 'complete_through_ts', {4 * MS}L)) as feed_bounds from ticdc_lint.published",
)
AS_OF_CALLS = {
    "before the DDL": f"tso={2 * MS - 1}",
    "at the DDL": "timestamp='1970-01-01 08:00:00.002 Asia/Shanghai'",
    "later": f"tso={4 * MS}, feed='shop'",
    "too late": f"tso={4 * MS + 1}",
    "too early": f"tso={MS - 1}",
    "no such feed": f"tso={MS}, feed='other'",
    "no moment": "",
}
