{%- set feeds = ticdc.feeds() | selectattr("schemas") | list -%}
{{
    config(
        materialized="incremental",
        incremental_strategy="append",
        partition_by=["feed"],
        enabled=feeds | length > 0,
    )
}}
{%- set offsets = {} -%}
{%- for protocol in feeds | map(attribute="protocol") | unique -%}
    {%- do offsets.update({protocol: ticdc.staged_offsets(ticdc.staging_relation(protocol))}) -%}
{%- endfor %}

with

new_messages as (

    {% for feed in feeds -%}
    {%- set staged = ticdc.staging_relation(feed.protocol) -%}
    select
        {{ ticdc.text_literal(feed.name) }} as feed,
        {{ ticdc.writer_schema_ids(feed) }} as schema_ids
    from {{ source("ticdc", "messages") }}
    where
        {{ ticdc.is_of_feed(feed) }}
        and {{ ticdc.is_not_staged(feed, offsets[feed.protocol]) }}
    {% if feed.name in ticdc.feeds_to_redrive(feed.protocol, staged) %}
    union all

    select
        {{ ticdc.text_literal(feed.name) }} as feed,
        {{ ticdc.writer_schema_ids(feed) }} as schema_ids
    from {{ source("ticdc", "messages") }} as messages
    left semi join ({{ ticdc.dead_letters(staged) }}) as letters
        on
            letters.feed = {{ ticdc.text_literal(feed.name) }}
            and messages.topic = letters.topic
            and messages.`partition` = letters.`partition`
            and messages.`offset` = letters.`offset`
    {% endif -%}
    {% if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

needed_schemas as (

    select distinct
        feed,
        schema_id
    from new_messages
    lateral view explode(array(schema_ids.key, schema_ids.value)) exploded as schema_id
    where schema_id is not null

),

unknown_schemas as (

    select needed_schemas.*
    from needed_schemas
    {% if is_incremental() -%}
    left anti join {{ this }} as known
        on
            needed_schemas.feed = known.feed
            and needed_schemas.schema_id = known.schema_id
            and known.schema is not null
    {%- endif %}

),

answers as (

    {% for feed in feeds -%}
    {%- set relation = ticdc.schemas_relation(feed.schemas) -%}
    select
        unknown_schemas.feed,
        unknown_schemas.schema_id,
        {% if relation -%}
        struct(
            registry.schema,
            if(
                registry.schema is null,
                {{ ticdc.text_literal("the relation " ~ feed.schemas ~ " has no schema ") }} || schema_id,
                null
            ) as error_message
        ) as answer
        {%- else -%}
        ticdc_fetch_schema({{ ticdc.text_literal(feed.schemas) }}, unknown_schemas.schema_id) as answer
        {%- endif %}
    from unknown_schemas
    {% if relation -%}
    left join {{ relation }} as registry on unknown_schemas.schema_id = lower(cast(registry.id as string))
    {% endif -%}
    where unknown_schemas.feed = {{ ticdc.text_literal(feed.name) }}
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
