select
    schema_name,
    table_name,
    cast(commit_at as date) as commit_day,
    op,
    count(*) as changes
from {{ ref("ticdc", "ticdc__changelog") }}
group by schema_name, table_name, cast(commit_at as date), op
