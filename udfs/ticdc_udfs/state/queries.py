"""The queries that tell the state: each gives one row with one JSON text, whoever asks, with ANSI on and off."""

from __future__ import annotations

from collections.abc import Mapping

_GAPS, _PARTITIONS, _RUNS, _TABLES, _DDL = 20, 1000, 60, 300, 150
PLACES, TEXT = 5, 400
"""How many tables of a kind of problem are named, and how many characters its texts have at most."""
_RELATIONS = (
    *("ticdc__accounting", "ticdc__changelog", "ticdc__completeness", "ticdc__ddl_history", "ticdc__dead_letters"),
    *("ticdc__error_codes", "ticdc__problems", "ticdc__runs", "int_ticdc__sized_tables", "int_ticdc__staged_runs"),
)
RELATIONS: Mapping[str, str] = {name: name for name in _RELATIONS}
"""What is read, by name, as the current schema has it."""


def queries(relations: Mapping[str, str], parts: tuple[str, ...] = ()) -> dict[str, str]:
    """The queries by the member of `Facts` that they fill; `relations` has how SQL names each of `RELATIONS`.

    With `parts` these members alone.
    """
    texts = {name: text.format(**relations) for name, text in _QUERIES.items() if not parts or name in parts}
    return {
        name: f"select to_json(collect_list(struct(*))) as rows from (\n{text}\n) as found"
        for name, text in texts.items()
    }


def queries_of_request(request: Mapping[str, str]) -> dict[str, str]:
    """`queries` for SQL: `request` maps the names of relations to how SQL names them."""
    return queries({**RELATIONS, **request})


STATUS = ("partitions", "counts", "runs", "reasons", "problems")
"""The members that `ticdc status` shows."""

_QUERIES = {
    "partitions": f"""
select
    completeness.feed,
    completeness.topic,
    completeness.`partition`,
    completeness.watermark_ts,
    unix_millis(completeness.silent_since) as newest_message_at,
    completeness.complete_through_ts,
    completeness.regressions,
    accounting.first_offset,
    accounting.last_offset,
    accounting.messages,
    accounting.dead_letters,
    accounting.gaps,
    accounting.missing_offsets,
    transform(slice(accounting.offset_gaps, 1, {_GAPS}), gap -> array(gap.first_offset, gap.last_offset)) as offset_gaps
from {{ticdc__completeness}} as completeness
left join {{ticdc__accounting}} as accounting
    on
        completeness.feed = accounting.feed
        and completeness.topic = accounting.topic
        and completeness.`partition` = accounting.`partition`
order by completeness.watermark_ts nulls first, completeness.feed, completeness.topic, completeness.`partition`
limit {_PARTITIONS}""",
    "counts": """
select
    feed,
    sum(messages) as messages,
    sum(rows) as rows,
    sum(ddl) as ddl,
    sum(watermarks) as watermarks,
    sum(bootstraps) as bootstraps,
    sum(dead_letters) as dead_letters,
    sum(gaps) as gaps,
    sum(missing_offsets) as missing_offsets,
    count_if(not balanced) as unbalanced
from {ticdc__accounting}
group by feed""",
    "runs": f"""
select
    run_id,
    kind,
    unix_millis(started_at) as started_at,
    unix_millis(ended_at) as ended_at,
    state,
    messages,
    changes,
    plan
from {{ticdc__runs}}
order by run_id desc
limit {_RUNS}""",
    "staged": f"""
select
    run_id,
    feed,
    topic,
    `partition`,
    max(watermark_ts) as watermark_ts,
    unix_millis(max(last_message_at)) as newest_message_at
from {{int_ticdc__staged_runs}}
where
    messages > 0
    and run_id in (
        select run_id from (select distinct run_id from {{int_ticdc__staged_runs}} where messages > 0) as seen
        order by run_id desc limit {_RUNS}
    )
group by run_id, feed, topic, `partition`
order by run_id desc, feed, topic, `partition`
limit {20 * _PARTITIONS}""",
    "tables": f"""
select
    tables.feed,
    tables.schema_name,
    tables.table_name,
    tables.current_relation as relation,
    tables.row_count as rows,
    coalesce(changes.changes, 0) as changes,
    tables.last_commit_ts
from {{int_ticdc__sized_tables}} as tables
left join (
    select feed, schema_name, table_name, count(*) as changes
    from {{ticdc__changelog}}
    group by feed, schema_name, table_name
) as changes
    on
        tables.feed = changes.feed
        and tables.schema_name = changes.schema_name
        and tables.table_name = changes.table_name
order by changes desc, tables.feed, tables.schema_name, tables.table_name
limit {_TABLES}""",
    "reasons": """
select
    letters.*,
    codes.meaning,
    codes.remedy
from (
    select
        feed,
        error_code,
        count(*) as letters,
        unix_millis(min(message_at)) as first_at,
        unix_millis(max(message_at)) as last_at
    from {ticdc__dead_letters}
    group by feed, error_code
) as letters
left join {ticdc__error_codes} as codes on letters.error_code = codes.error_code
order by letters desc, feed, error_code""",
    "problems": f"""
select
    severity,
    code,
    feed,
    count(*) as problems,
    slice(
        array_sort(collect_set(coalesce(schema_name || '.', '') || table_name)), 1, {PLACES}
    ) as tables,
    left(min(detail), {TEXT}) as detail,
    left(min_by(remedy, detail), {TEXT}) as remedy
from {{ticdc__problems}}
group by severity, code, feed
order by severity, problems desc, code, feed""",
    "ddl": f"""
select
    feed,
    commit_ts,
    schema_name,
    table_name,
    ddl_kind,
    left(ddl_query, {TEXT}) as query
from {{ticdc__ddl_history}}
order by commit_ts desc, feed, schema_name, table_name
limit {_DDL}""",
}

PARTS = tuple(_QUERIES)
"""All members of `Facts` that queries fill."""
