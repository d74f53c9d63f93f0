{% macro ddl_range(settled, through, feed, commit_ts) -%}
    (
        {%- for each in ticdc.feeds() %}
        ({{ feed }} = {{ ticdc.text_literal(each.name) }} and {{ commit_ts }} > {{ settled.bounds.get(each.name, 0) }}
            and {{ commit_ts }} <= {{ through.get(each.name, 2 ** 63 - 1) }})
        {{- " or" if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}
