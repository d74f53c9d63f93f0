{% macro has_unsure_cells(columns) -%}
    {%- set of_defaults = ticdc.feeds_whose_protocol("hides_nulls_of", "defaults") -%}
    {%- set feeds = ticdc.feeds_whose_protocol("hides_nulls_of", "expressions") -%}
    {%- if not var("ticdc__information_schema", none) -%}
    {#- with an export each of their rows is resolved -#}
    {%- set feeds = feeds + of_defaults -%}
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
                    {%- if feed in of_defaults %}
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
