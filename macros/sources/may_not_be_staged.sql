{% macro may_not_be_staged(ranges) -%}
    {%- set partitions = ranges | map(attribute="partition") | unique | sort -%}
    {%- set late = ranges | selectattr("late_from", "defined") | list -%}
    {%- if ranges and partitions | length == ranges | length and partitions[-1] - partitions[0] + 1 == ranges | length
        and ranges | map(attribute="topic") | unique(case_sensitive=true) | list | length == 1 %}
        -- what `is_not_staged` says too, in a form by which files and their row groups are left out
        and (
            topic <> {{ ticdc.text_literal(ranges[0].topic) }}
            or `partition` < {{ partitions[0] }}
            or `partition` > {{ partitions[-1] }}
            or `offset` < {{ ranges | map(attribute="first_offset") | max }}
            or `offset` > {{ ranges | map(attribute="last_offset") | min }}
            {%- if late %}
            or `offset` between {{ late | map(attribute="late_from") | min }} and {{ late | map(attribute="late_to") | max }}
            {%- endif %}
        )
    {%- endif -%}
{%- endmacro %}
