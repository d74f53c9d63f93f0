{% macro feeds_shown_otherwise(settled) %}
    {%- set catalogue, changes = ref("int_ticdc__catalogue"), ticdc.relation_of("int_ticdc__changes") -%}
    {%- set now, known, shown = ticdc.batches(catalogue), settled.get("catalogue"), {} -%}
    {%- if not changes or known is none or known == now -%}{%- do return([]) -%}{%- endif -%}
    {#- rows beyond the bound are shown where the feed had none before -#}
    {%- for feed, bound in settled.bounds.items() -%}
        {%- do shown.update({feed: [bound, settled.get("newest", {}).get(feed, [0])[0]] | max}) -%}
    {%- endfor -%}
    {%- set query %}
with

both_versions as (

    select
        *,
        coalesce(least(rows_to_ts, {{ ticdc.of_feed(shown) }}), {{ ticdc.of_feed(shown) }}) as shown_to_ts
    from {{ catalogue }} as catalogue
    where
        {{ ticdc.is_of_batches(known + now, {}) }}
        and record = 'version'
        and rows_after_ts < {{ ticdc.of_feed(shown) }}

),

changed_names as (

    select distinct
        feed,
        schema_key,
        table_key
    from (
        select feed, schema_key, table_key
        from both_versions
        group by feed, schema_key, table_key, rows_after_ts, shown_to_ts, table_id, table_incarnation, valid_from_ts
        having count(distinct batch_id) = 1
    )

)

select /*+ broadcast(changed_names, versions) */ distinct changes.feed
from {{ ticdc.rows_of(changes) }} as changes
left semi join changed_names
    on changes.feed = changed_names.feed
    and lower(changes.schema_name) = changed_names.schema_key
    and lower(changes.table_name) = changed_names.table_key
left join {{ ticdc.catalogue_records("version") }} as versions
    on {{ ticdc.is_of_version("changes") }}
where
    changes.op <> 'load'
    and (changes.table_id, changes.table_incarnation, changes.version_from_ts) <> (
        coalesce(versions.table_id, changes.table_id), coalesce(versions.table_incarnation, 1), coalesce(versions.valid_from_ts, 0)
    )
    {%- endset -%}
    {%- do return(run_query(query).rows | map(attribute=0) | list if shown else []) -%}
{% endmacro %}
