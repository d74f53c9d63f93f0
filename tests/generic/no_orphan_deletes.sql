{% test no_orphan_deletes(model) %}
with

changes as (

    select
        *,
        -- a commit_ts that is not exact stands for a whole millisecond, in which a row may come and go
        max(op <> 'delete') over (
            partition by feed, table_id, table_incarnation, commit_ts, row_key
        ) as has_other_change
    from {{ model }}

)

select
    changes.feed,
    changes.schema_name,
    changes.table_name,
    changes.table_incarnation,
    changes.commit_ts,
    changes.row_key
from changes
left anti join {{ ref("ticdc", "ticdc__row_history") }} as history
    on
        changes.feed = history.feed
        and changes.table_id = history.table_id
        and changes.table_incarnation = history.table_incarnation
        and changes.row_key = history.row_key
        and changes.commit_ts = history.valid_to_ts
where
    changes.op = 'delete'
    and not changes.has_other_change
    -- equal rows of a table without key are told apart in the history alone
    and not array_contains(changes.lossy, '*:no_key')
{% endtest %}
