{% macro keyless_changes(columns, changes, carried_rows, since_run_id, of_rows, whole_feeds=[]) %}
    {%- set keys = ticdc.row_key_columns() -%}
    {%- set in_order -%}
    partition by {{ keys }} order by {{ ticdc.row_order() }}, row_commit_ts
    {%- endset -%}
    {#- the first copy keeps the key; each other adds its number in a member without name: no column of TiDB has an empty one -#}
    {%- set key_of_copy -%}
    if(copy > 1, left(row_key, length(row_key) - 1) || ',"":"' || copy || '"}', row_key) as row_key
    {%- endset -%}
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
                    {{ ticdc.changes_of_keyless_rows(columns, changes, carried_rows) }}
                ) as changes
                {%- if of_rows %}
                left semi join (select {{ keys | replace("row_key", ticdc.key_of_keyless_row()) }} from {{ of_rows }}) as touched using ({{ keys }})
                {%- elif since_run_id %}
                left semi join (
                    {{ ticdc.touched_keyless_rows(changes, carried_rows, since_run_id, whole_feeds) }}
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
