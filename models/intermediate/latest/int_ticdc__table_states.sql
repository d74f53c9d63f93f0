{{ config(materialized="ticdc_append", replaces=true, partition_by=["batch_id"]) }}
-- depends_on: {{ ref("int_ticdc__changes") }}
{%- set ddl_commits = ticdc.shown_ddl_commits() -%}
{%- set members = [
    "table_id", "table_incarnation", "valid_from_ts", "valid_to_ts", "schema_name", "table_name", "table_schema", "origin",
    "ended_by",
] %}

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
