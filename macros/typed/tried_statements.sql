{% macro tried_statements(blocks) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set scripts, refused = [], [] %}
    {% for block in blocks %}
        {% set script -%}
        begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' {{ block.place }}';
        {#- what cannot be parsed would else fail the whole script #}
        {%- for statement in block.statements %} execute immediate {{ ticdc.text_literal(statement) }};{% endfor %} end;
        {%- endset %}
        {% do scripts.append(script) %}
    {% endfor %}
    {% for some in ticdc.short_lists(scripts, 30) %}
        {% set script = "begin declare ticdc_refused string default 'refused:'; " ~ some | join(" ") ~ " select ticdc_refused; end" %}
        {% do refused.extend(run_query(script).rows[0][0].split()[1:] | map("int")) %}
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}
