{%- set feeds = ticdc.feeds() | selectattr("schemas", "string") | list -%}
{{
    config(
        materialized="ticdc_append",
        is_kept=true,
        partition_by=["batch_id", "feed"],
        enabled=feeds | length > 0,
    )
}}
{%- set messages, busy = [], [] -%}
{%- for protocol in feeds | map(attribute="protocol") | unique -%}
    {%- set staged = ticdc.relation_before("stg_ticdc__" ~ protocol) -%}
    {%- set read = ticdc.messages_in_topics(protocol, staged) -%}
    {%- do messages.append("(" ~ read.new ~ ") as new") -%}
    {%- if read.redriven -%}
        {%- set letters = "(" ~ ticdc.dead_letters(ticdc.rows_of(staged)) ~ ") as letters" -%}
        {%- set semi_join = " left semi join " ~ letters ~ " using (feed, topic, `partition`, `offset`)" -%}
        {%- do messages.append("(" ~ read.again ~ ") as sent_before" ~ semi_join) -%}
    {%- endif -%}
    {%- do busy.append(protocol) if not read.is_idle -%}
{%- endfor -%}
{{ ticdc.takes(is_idle=not busy) }}
with

new_messages as (

    {% for each in messages -%}
    select
        feed,
        {{ ticdc.writer_schema_ids(feeds) }} as schema_ids
    from {{ each }}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

needed_schemas as (

    select distinct
        feed,
        {{ ticdc.by_feed(feeds, "schemas") }} as schemas,
        schema_id
    from new_messages
    lateral view explode(array(schema_ids.key, schema_ids.value)) exploded as schema_id
    where schema_id is not null

),

unknown_schemas as (

    select needed_schemas.*
    from needed_schemas
    {% if ticdc.has_rows() -%}
    left anti join {{ ticdc.rows_of(this) }} as known
        on
            needed_schemas.feed = known.feed
            and needed_schemas.schema_id = known.schema_id
            and known.schema is not null
    {%- endif %}

),

answers as (

    {% for schemas in feeds | map(attribute="schemas") | unique(case_sensitive=true) -%}
    {%- set relation = ticdc.schemas_relation(schemas) -%}
    select
        unknown_schemas.feed,
        unknown_schemas.schema_id,
        {% if relation -%}
        struct(
            registry.schema,
            if(
                registry.schema is null,
                {{ ticdc.text_literal("the relation " ~ schemas ~ " has no schema ") }} || schema_id,
                null
            ) as error_message
        ) as answer
        {%- else -%}
        ticdc_fetch_schema(schemas, schema_id) as answer
        {%- endif %}
    from unknown_schemas
    {% if relation -%}
    left join {{ relation }} as registry on unknown_schemas.schema_id = lower(cast(registry.id as string))
    {% endif -%}
    where unknown_schemas.schemas = {{ ticdc.text_literal(schemas) }}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

)

select
    schema_id,
    answer.schema,
    answer.error_message,
    {{ ticdc.run_id() }} as run_id,
    feed
from answers
