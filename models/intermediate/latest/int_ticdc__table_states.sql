{%- set facts -%}
select
    count_if(
        is_live
        and exists(
            from_json(table_schema, 'array<struct<type: string>>'),
            each -> each.type in ({{ ticdc.text_literals(ticdc.bare_types()) }})
        )
    ) > 0 as some_are_bare
from {rows}
{%- endset -%}
{{ config(materialized="ticdc_append", replaces=true, partition_by=["batch_id"], facts=facts) }}
{%- set catalogue, bounds = ref("int_ticdc__catalogue"), ticdc.settled(ref("int_ticdc__changes")).bounds -%}
{%- set of = local_md5(tojson([ticdc.batches(catalogue), bounds])) -%}
{%- set ddl_commits = ticdc.shown_ddl_commits(ticdc.settled(), of) -%}
{%- set members = [
    "table_id", "table_incarnation", "valid_from_ts", "valid_to_ts", "schema_name", "table_name", "table_schema",
    "origin", "ended_by",
] %}
{{ ticdc.takes({"of": of, "ddl_commits": ddl_commits}, is_idle=true) }}
with

feeds as (

    select
        feed,
        to_json(collect_list(struct({{ members | join(", ") }}))) as versions,
        {{ ticdc.shown_through("feed", ddl_commits) }} as shown_through_ts
    from {{ ticdc.catalogue_records("version") }} as table_versions
    group by feed

),

states as (

    select
        feed,
        ticdc_table_states(versions, shown_through_ts) as tables
    from feeds

)

select
    states.feed,
    each.*
from states
    lateral view explode(states.tables) exploded as each
