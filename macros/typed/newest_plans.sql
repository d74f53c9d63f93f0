{% macro newest_plans(plans) %}
with

ranked as (

    select
        *,
        -- of two rows of a run the first, of relations that were not made yet, lacks them
        row_number() over (partition by feed, schema_name, table_name order by batch_id desc, length(plan) desc) as place
    from {{ plans }}

)

select
    feed,
    schema_name,
    table_name,
    table_id,
    key_columns,
    current_relation,
    history_relation,
    plan,
    table_incarnation
from ranked
-- a table that is gone has a last row without plan
where place = 1 and plan is not null
{% endmacro %}
