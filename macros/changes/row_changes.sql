{# Gives the SQL of all changes of rows, those by messages and those by DDL, with the same columns; `late_run_id` is
   the run of a change that came after its successors, where the table has no key. #}
{% macro row_changes(
    carried_rows, since_run_id=0, of_rows=none, has_keyless_rows=none, of_publication=false, whole_feeds=[]
) %}
    {%- if has_keyless_rows is none -%}
        {%- set has_keyless_rows = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") -%}
    {%- endif -%}
    {%- set rows_of = ticdc.published_rows if of_publication else ticdc.rows_of -%}
    {%- set changes = rows_of(ref("int_ticdc__changes")) -%}
    {#- a query stands for the table where a step writes to it -#}
    {%- set carried = carried_rows if carried_rows is string else rows_of(carried_rows) -%}
    {%- set columns = [
        "feed", "table_id", "table_incarnation", "version_from_ts", "schema_name", "table_name", "commit_ts",
        "commit_ts_exact", "op", "apply_rank", "row_key", "before", "after", "lossy", "topic", "`partition`",
        "`offset`", "event_index", "run_id", "first_run_id", "physical_table_id",
    ] -%}
    {%- set is_since = "run_id > " ~ since_run_id if since_run_id else "" -%}
    {%- if is_since and whole_feeds -%}
        {%- set is_since = "(" ~ is_since ~ " or feed in (" ~ ticdc.text_literals(whole_feeds) ~ "))" -%}
    {%- endif -%}
    {%- set conditions = [is_since] if is_since else [] -%}
    {%- if has_keyless_rows -%}{%- do conditions.append("not array_contains(lossy, '*:no_key')") -%}{%- endif -%}
    {%- if of_rows -%}
        {%- set keys_asked_for = of_rows ~ "." ~ ticdc.row_key_columns() | replace(", ", ", " ~ of_rows ~ ".") -%}
        {%- do conditions.append(
            "(" ~ ticdc.row_key_columns() ~ ") in (select " ~ keys_asked_for ~ " from " ~ of_rows ~ ")"
        ) -%}
    {%- endif -%}
    {%- set asked_for = "where " ~ conditions | join("\n        and ") if conditions -%}
    select
        {{ columns | join(",\n        ") }},
        commit_ts as row_commit_ts,
        'message' as cause,
        cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged,
        cast(null as bigint) as late_run_id
    from {{ changes }} as changes
    {{ asked_for }}

    union all

    select
        {{ columns | join(",\n        ") }},
        row_commit_ts,
        cause,
        exchanged,
        null as late_run_id
    from {{ carried }} as carried_rows
    {{ asked_for }}
    {%- if has_keyless_rows %}

    union all

    {{ ticdc.keyless_changes(columns, changes, carried, is_since, of_rows) }}
    {%- endif %}
{% endmacro %}

{# Gives the SQL of all changes of tables without key, each of one copy of its row: their number after each change
   follows from those before it, and stands in `row_key`. A late change numbers those after it anew, so that the
   copies are counted where they are read. #}
{% macro keyless_changes(columns, changes, carried_rows, is_since, of_rows) %}
    {%- set keys = ticdc.row_key_columns() -%}
    {%- set in_order -%}
    partition by {{ keys }} order by {{ ticdc.row_order() }}, row_commit_ts
    {%- endset -%}
    {#- the first copy keeps the key; each other adds its number in a member without name: no column of TiDB has an
        empty one -#}
    {%- set key_of_copy -%}
    if(copy > 1, left(row_key, length(row_key) - 1) || ',"":"' || copy || '"}', row_key) as row_key
    {%- endset -%}
    {%- set key_of_all_copies -%}
    regexp_replace(row_key, ',"":"[0-9]+"}$', '}') as row_key
    {%- endset -%}
    {%- set touched = keys | replace("row_key", key_of_all_copies) -%}
    select
        {% for column in columns -%}
        {{ key_of_copy if column == "row_key" else column }},
        {% endfor -%}
        row_commit_ts,
        cause,
        exchanged,
        late_run_id
    from (
        select
            *,
            -- the last copy that came is the first to go; a row that was never seen is taken for one copy
            if(op = 'delete', copies + 1, greatest(copies, 1)) as copy,
            if(run_id > min(run_id) over what_follows, run_id, null) as late_run_id
        from (
            select
                *,
                balance - least(0, min(balance) over until_now) as copies
            from (
                select
                    *,
                    sum(case when op = 'delete' then -1 when before = after then 0 else 1 end) over until_now as balance
                from (
                    select
                        {{ columns | join(",\n        ") }},
                        commit_ts as row_commit_ts,
                        'message' as cause,
                        cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged
                    from {{ changes }} as changes
                    where array_contains(lossy, '*:no_key')

                    union all

                    select
                        {% for column in columns -%}
                        {#- of a copy that a DDL takes away, the key of all equal rows -#}
                        {{ key_of_all_copies if column == "row_key" else column }},
                        {% endfor -%}
                        row_commit_ts,
                        cause,
                        exchanged
                    from {{ carried_rows }} as carried_rows
                    where array_contains(lossy, '*:no_key')
                ) as changes
                {%- if of_rows %}
                left semi join (select {{ touched }} from {{ of_rows }}) as touched using ({{ keys }})
                {%- elif is_since %}
                left semi join (
                    select {{ keys }}
                    from {{ changes }} as changes
                    where array_contains(lossy, '*:no_key') and {{ is_since }}

                    union all

                    select {{ touched }}
                    from {{ carried_rows }} as carried_rows
                    where array_contains(lossy, '*:no_key') and {{ is_since }}
                ) as touched using ({{ keys }})
                {%- endif %}
                window until_now as (
                    {{ in_order }}
                    rows between unbounded preceding and current row
                )
            ) as balanced_changes
            window until_now as (
                {{ in_order }}
                rows between unbounded preceding and current row
            )
        ) as counted_changes
        window what_follows as (
            {{ in_order }}
            rows between 1 following and unbounded following
        )
    ) as numbered_changes
{% endmacro %}
