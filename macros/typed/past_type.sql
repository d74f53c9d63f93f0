{% macro past_type(mysql_type, observed) %}
    {# a decimal or bit whose digits nothing tells stays text #}
    {% set is_bare = mysql_type | lower in ["decimal", "decimal unsigned", "bit"] and not observed %}
    {% do return("string" if is_bare else ticdc.sql_type(mysql_type, observed)) %}
{% endmacro %}
