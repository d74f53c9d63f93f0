{% macro rows_of_ddl_commits(carried_rows, ddl_commits, known="") %}
with

moves as (

    {{ ticdc.moves_of_ddl_commits(ddl_commits) }}

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

ranked as (

    select
        row_changes.*,
        row_number() over (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}) as place
    from row_changes
    left semi join moves
        on
            row_changes.feed = moves.feed
            and row_changes.table_id = moves.table_id
            and row_changes.table_incarnation = moves.table_incarnation
            and row_changes.commit_ts <= moves.ddl_commit_ts
            and row_changes.version_from_ts < moves.ddl_commit_ts

),

{{ ticdc.moved_rows() }},

{{ ticdc.changes_of_moves() }},

carried as (

    select
        {{ ticdc.carried_columns({
            "table_id": "rows.change.of_table_id",
            "table_incarnation": "rows.change.of_incarnation",
            "version_from_ts": "rows.change.of_version_ts",
            "commit_ts": "rows.ddl_commit_ts",
            "op": "rows.change.op",
            "apply_rank": "rows.change.rank",
            "row_key": "rows.change.key",
            "before": "rows.change.old",
            "after": "rows.change.new",
            "lossy": "rows.change.flags",
            "cause": "rows.change.cause",
            "exchanged": "rows.change.in_partition",
        }) }}
    from rows

)

{{ ticdc.carried_since(known, ddl_commits) }}
{% endmacro %}
