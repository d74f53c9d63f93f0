{# a CREATE TABLE tells of its key itself: that its text has a word of these is no reason to read the rows after it #}
{% macro name_ending_words() -%}
    rename|drop|(?s)^(?! *create +table ).*(primary|unique|modify|change)
{%- endmacro %}
