{# Gives CTEs, of which the last, `messages_with_schemas`, has the CTE `messages` beside the schemas that they were
   written with. #}
{% macro messages_with_schemas(protocol) -%}
{%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list -%}
writer_schemas as (

    -- packed, as the text goes to the decoder with every message
    select
        * except (schema),
        ticdc_pack_schema(schema) as schema
    from {{ ref("int_ticdc__known_schemas") }}

),

messages_with_schemas as (

    select /*+ broadcast(key_schemas, value_schemas) */
        messages.*,
        key_schemas.schema as key_schema,
        value_schemas.schema as value_schema,
        {% if ticdc.protocols()[protocol].may_lack_commits -%}
        -- a deletion may have no value; of a schema that is not known there is no row
        messages.value is null or coalesce(not value_schemas.tells_commit, false) as lacks_commit,
        {% endif -%}
        coalesce(key_schemas.error_message, value_schemas.error_message) as schema_error
    from (
        select
            *,
            {{ ticdc.writer_schema_ids(feeds) | indent(8) }} as schema_ids
        from messages
    ) as messages
    left join writer_schemas as key_schemas
        on messages.feed = key_schemas.feed and messages.schema_ids.key = key_schemas.schema_id
    left join writer_schemas as value_schemas
        on messages.feed = value_schemas.feed and messages.schema_ids.value = value_schemas.schema_id
    -- messages that came after this run asked for schemas are left to the next one
    where
        (messages.schema_ids.key is null or key_schemas.schema_id is not null)
        and (messages.schema_ids.value is null or value_schemas.schema_id is not null)

)
{%- endmacro %}

{# Gives the SQL expression of the ids of the writer schemas that a framed message names (a struct of `key` and
   `value`), from its columns `key` and `value`. #}
{% macro writer_schema_ids(feeds) -%}
    struct(
        {%- for message in ["key", "value"] %}
        case
            when {{ ticdc.by_feed(feeds, "framing") }} = 'glue'
                then if(
                    startswith({{ message }}, unhex('0300')) and octet_length({{ message }}) >= 18,
                    regexp_replace(
                        lower(hex(substring({{ message }}, 3, 16))),
                        '^(.{8})(.{4})(.{4})(.{4})(.{12})$',
                        '$1-$2-$3-$4-$5'
                    ),
                    null
                )
            when startswith({{ message }}, unhex('00')) and octet_length({{ message }}) >= 5
                then conv(hex(substring({{ message }}, 2, 4)), 16, 10)
        end as {{ message }}
        {{- "," if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}
