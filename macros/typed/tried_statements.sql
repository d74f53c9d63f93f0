{% macro tried_statements(blocks) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set scripts, refused = [], [] %}
    {% for block in blocks %}{% do scripts.append(ticdc.tried_block(block)) %}{% endfor %}
    {% for some in ticdc.short_lists(scripts, 30) %}
        {% set script = "begin declare ticdc_refused string default 'refused:'; " ~ some | join(" ") ~ " select ticdc_refused; end" %}
        {% do refused.extend(run_query(script).rows[0][0].split()[1:] | map("int")) %}
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}
