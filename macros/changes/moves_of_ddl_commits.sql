{% macro moves_of_ddl_commits(ddl_commits) %}
    select
        feed,
        table_id,
        table_incarnation,
        commit_ts as ddl_commit_ts,
        kind as cause,
        partitioning,
        partition_names,
        version_from_ts,
        columns,
        lineage,
        to_table_id,
        to_incarnation,
        to_version_from_ts,
        to_columns,
        to_partition_name,
        physical_id,
        regrouped
    from {{ ticdc.catalogue_records("move") }} as moves
    where {{ ticdc.is_of_ddl_commits(ddl_commits, "commit_ts") }}
{% endmacro %}
