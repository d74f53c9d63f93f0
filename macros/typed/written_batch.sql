{% macro written_batch(storage, generation, rows) -%}
    insert overwrite table {{ storage }} partition (generation = {{ generation }}) {{ rows }}
{%- endmacro %}
