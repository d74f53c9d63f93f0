{% macro ddl_passes(settled, through) %}
select ticdc_ddl_passes(to_json(collect_list(struct(*))))
from (
    select
        feed,
        commit_ts,
        array_distinct(flatten(collect_list(moved_tables))) as moved_tables,
        bool_or(gives_columns) as gives_columns
    from (
        select
            feed,
            valid_from_ts as commit_ts,
            cast(array() as array<string>) as moved_tables,
            true as gives_columns
        from {{ ticdc.catalogue_records("version") }} as table_versions
        where row_effect = 'columns'

        union all

        select
            feed,
            commit_ts,
            filter(array(table_id, to_table_id), each -> each is not null) as moved_tables,
            false as gives_columns
        from {{ ticdc.catalogue_records("move") }} as row_moves
    )
    where {{ ticdc.ddl_range(settled, through, "feed", "commit_ts") }}
    group by feed, commit_ts
)
{% endmacro %}
