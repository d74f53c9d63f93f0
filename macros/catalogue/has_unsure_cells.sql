{% macro has_unsure_cells(columns) -%}
    {%- set feeds = ticdc.feeds() | selectattr("protocol", "equalto", "debezium") | list -%}
    {%- if not var("ticdc__information_schema", none) -%}
    {#- With an export each row of Debezium-Avro is resolved. -#}
    {%- set feeds = feeds + ticdc.feeds() | selectattr("protocol", "equalto", "debezium_avro") | list -%}
    {%- endif -%}
    {%- if not feeds -%}
    false
    {%- else -%}
    coalesce(
        exists(
            {{ columns }},
            each -> case feed
                {%- for feed in feeds %}
                when {{ ticdc.text_literal(feed.name) }} then
                    each.nullable is distinct from false
                    {%- if feed.protocol == "debezium_avro" %}
                    and coalesce(each.default, each.default_expression) is not null
                    {%- else %}
                    and each.default_expression is not null
                    and upper(each.default_expression) not like 'CURRENT_TIMESTAMP%'
                    {%- if not feed.binary_handling_mode %}
                    or substring_index(each.type, '(', 1) rlike '(binary|blob)$'
                    {%- endif %}
                    {%- endif %}
                {%- endfor %}
            end
        ),
        false
    )
    {%- endif -%}
{%- endmacro %}
