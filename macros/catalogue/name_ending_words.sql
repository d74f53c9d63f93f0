{% macro name_ending_words() -%}
    rename|drop|primary|unique|modify|change
{%- endmacro %}
