{% macro is_of_moments(moments, column) -%}
    {% for feed, commit_ts in moments -%}
    {{ "or " if not loop.first }}(feed = {{ ticdc.text_literal(feed) }} and {{ column }} = {{ commit_ts }})
    {% endfor %}
{%- endmacro %}
