{% macro ddl_moments(settled, through) %}
select
    feed,
    commit_ts,
    row_effect
from (
    select
        feed,
        valid_from_ts as commit_ts,
        row_effect
    from {{ ref("int_ticdc__table_versions") }}
    where row_effect <> 'none'

    union all

    select
        feed,
        commit_ts,
        'partition' as row_effect
    from {{ ref("int_ticdc__catalogue") }}
    where record = 'effect'
)
where {{ ticdc.ddl_range(settled, through, "feed", "commit_ts") }}
order by commit_ts
{% endmacro %}
