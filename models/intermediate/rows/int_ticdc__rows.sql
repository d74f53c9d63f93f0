{%- set is_keyed_anew = ticdc.is_keyed_anew() -%}
{%- set columns = [
    "topic", "`partition`", "`offset`", "event_index", "message_at", "commit_ts", "commit_ts_exact",
    "start_ts", "schema_name", "table_name", "physical_table_id", "op", "row_key", "before_key", "before",
    "after", "row_id", "table_schema_id", "lossy", "checksum_mismatch", "run_id", "feed",
] %}
with

whole_rows as (

    select
        {{ columns | join(",\n        ") }}
    from {{ ref("int_ticdc__events") }}
    -- a deletion that names no row can be applied to none: ticdc__problems counts it
    where kind = 'row' and is_resolved and table_name is not null and not {{ is_keyed_anew }}

    union all

    select
        {{ columns | join(",\n        ") }}
    from {{ ticdc.live_rows(ref("int_ticdc__claim_checks")) }} as claim_checks
    where kind = 'row' and is_resolved and not {{ is_keyed_anew }}

    union all

    select
        {{ columns | join(",\n        ") }}
    from {{ ticdc.live_rows(ref("int_ticdc__resolved_rows")) }} as resolved_rows

)

select
    *,
    array_contains(lossy, '*:no_key') as is_keyless
from whole_rows
