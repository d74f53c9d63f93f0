{% macro ddl_effects(known) %}
{%- set catalogue = ref("int_ticdc__catalogue") -%}
{%- set now = ticdc.batches(catalogue) -%}
select
    feed,
    commit_ts,
    table_id,
    table_incarnation,
    to_table_id,
    record = 'move' as moves_rows,
    bool_or({{ ticdc.is_of_batches(known, {}) if known is not none else "true" }}) as is_known,
    bool_or({{ ticdc.is_of_batches(now, {}) }}) as is_there
from {{ catalogue }} as catalogue
where
    {{ ticdc.is_of_batches((now + (known or [])) | unique | list, {}) }}
    and (record = 'move' or (record = 'version' and row_effect = 'columns'))
    and feed in ({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name") | list) }})
group by
    feed,
    commit_ts,
    table_id,
    table_incarnation,
    to_table_id,
    record,
    -- what it does, but not the versions of its table that follow it
    kind,
    version_from_ts,
    columns,
    if(record = 'move', partitioning, null),
    partition_names,
    to_incarnation,
    to_version_from_ts,
    to_columns,
    to_partition_name,
    physical_id,
    regrouped
{% endmacro %}
