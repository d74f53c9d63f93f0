{% test history_intervals(
    model, key=["feed", "table_id", "table_incarnation", "row_key"], valid_from="valid_from_ts", valid_to="valid_to_ts", closed_by="closed_by"
) %}
{% if key is string or key is not sequence or not key %}
    {% do exceptions.raise_compiler_error(
        "ticdc: key of the test history_intervals must be a list of columns, such as [row_key]. Got: " ~ key | tojson
    ) %}
{% endif %}
with

intervals as (

    select
        {{ valid_from }} as begins,
        {{ valid_to }} as ends,
        {{ closed_by }} as reason,
        lead({{ valid_from }}) over (
            partition by {{ key | join(", ") }} order by {{ valid_from }}, {{ valid_to }} nulls last
        ) as next_begins,
        {{ key | join(", ") }}
    from {{ model }}

),

judged as (

    select
        case
            when begins is null or begins >= ends then 'no time'
            when (ends is null) <> (reason is null) then 'an end without a reason, or a reason without an end'
            when next_begins < ends or (ends is null and next_begins is not null) then 'overlap'
            when reason = 'update' and coalesce(next_begins > ends, true) then 'gap'
        end as fault,
        *
    from intervals

)

select *
from judged
where fault is not null
{% endtest %}
