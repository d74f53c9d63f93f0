{% macro tried_statements(blocks) %}
    {# Spark has no handler for errors without SQLSTATE, as those of Hive's metastore are: names that it refuses were
       left out before. #}
    {% set refused = [] %}
    {% for some in blocks | batch(30) %}
        {% set script = ["begin declare ticdc_refused string default 'refused:';"] %}
        {% for block in some %}
            {% do script.append(
                "begin declare exit handler for sqlexception set ticdc_refused = ticdc_refused || ' " ~ block.place ~ "';"
            ) %}
            {% for statement in block.statements %}
                {# what cannot be parsed would else fail the whole script #}
                {% do script.append("execute immediate " ~ ticdc.text_literal(statement) ~ ";") %}
            {% endfor %}
            {% do script.append("end;") %}
        {% endfor %}
        {% do script.append("select ticdc_refused; end") %}
        {% do refused.extend(run_query(script | join(" ")).rows[0][0].split()[1:] | map("int")) %}
    {% endfor %}
    {% do return(refused) %}
{% endmacro %}
