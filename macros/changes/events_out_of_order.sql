{% macro events_out_of_order(suspects, run_id) %}
select distinct feed
from (
    select
        feed,
        min(run_id) as first_run_id
    from {{ ref("int_ticdc__events") }}
    where
        kind in ('row', 'ddl')
        and (
            {%- for suspect in suspects %}
            {{ "or " if not loop.first }}(feed = {{ ticdc.text_literal(suspect.feed) }}
                and commit_ts <= if(kind = 'ddl', {{ suspect.ddl_through_ts }}, {{ suspect.rows_through_ts }}))
            {%- endfor %}
        )
    -- what comes again may tell its commit or the millisecond of it
    group by
        feed, kind, shiftright(commit_ts, 18), schema_name, table_name, ddl_query, op, row_key, before_key, xxhash64(before, after)
)
where first_run_id > {{ run_id }}
{% endmacro %}
