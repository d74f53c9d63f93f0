{% macro shown_lives() %}
    select
        feed,
        table_id,
        table_incarnation,
        live_from_ts,
        ended_by,
        if(ended_ts <= {{ ticdc.shown_through("feed") }}, ended_ts, null) as live_to_ts
    from (
        -- a table that was dropped and recovered has two lives with one set of rows
        select
            feed,
            table_id,
            table_incarnation,
            min(valid_from_ts) as live_from_ts,
            nullif(max(coalesce(valid_to_ts, {{ 2 ** 63 - 1 }})), {{ 2 ** 63 - 1 }}) as ended_ts,
            max_by(ended_by, valid_from_ts) as ended_by
        from (
            select
                *,
                count_if(valid_from_ts > last_to_ts) over (
                    partition by feed, table_id, table_incarnation order by valid_from_ts
                ) as life
            from (
                select
                    *,
                    lag(valid_to_ts) over (
                        partition by feed, table_id, table_incarnation order by valid_from_ts
                    ) as last_to_ts
                from {{ ref("int_ticdc__table_versions") }}
                where valid_from_ts <= {{ ticdc.shown_through("feed") }}
            ) as versions
        ) as numbered_versions
        group by feed, table_id, table_incarnation, life
    ) as lives
{% endmacro %}
