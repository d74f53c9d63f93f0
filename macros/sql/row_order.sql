{% macro row_order(direction="") -%}
    {% for column in ["commit_ts", "apply_rank", "topic", "`partition`", "`offset`", "event_index"] -%}
        {{ column }}{{ " " ~ direction if direction }}{{ ", " if not loop.last }}
    {%- endfor %}
{%- endmacro %}
