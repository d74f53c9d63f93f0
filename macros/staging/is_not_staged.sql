{% macro is_not_staged(feed, staged_offsets) -%}
    {%- set staged = staged_offsets | selectattr("feed", "equalto", feed.name) | list -%}
    {%- if not staged -%}
        true
    {%- else -%}
        (
            {%- for partition in staged %}
            (topic = {{ ticdc.text_literal(partition.topic) }} and `partition` = {{ partition.number }} and (
                `offset` < {{ partition.first_offset }} or `offset` > {{ partition.last_offset }}
                {%- for gap in partition.gaps %} or `offset` between {{ gap[0] }} and {{ gap[1] }}{% endfor -%}
            )) or
            {%- endfor %}
            not (
                {%- for partition in staged %}
                (topic = {{ ticdc.text_literal(partition.topic) }} and `partition` = {{ partition.number }})
                {{- " or" if not loop.last }}
                {%- endfor %}
            )
        )
    {%- endif -%}
{%- endmacro %}
